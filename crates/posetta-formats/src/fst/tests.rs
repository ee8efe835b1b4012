use proptest::prelude::*;

use super::*;
use crate::samples::describe;
use crate::states::tests::states_of;
use crate::vcd;
use crate::waves::{Edge, Moment};

/// The same waveform as text and packed in every way, by GTKWave's `vcd2fst`.
const TEXT: &[u8] = include_bytes!("testdata/small.vcd");
const PACKED: [(&str, &[u8]); 4] = [
    ("lz4", include_bytes!("testdata/small-lz4.fst")),
    ("fastlz", include_bytes!("testdata/small-fastlz.fst")),
    ("zlib", include_bytes!("testdata/small-zlib.fst")),
    ("wrapped", include_bytes!("testdata/small-wrapped.fst")),
];

#[test]
fn packed_waveforms_are_what_they_are_as_text() {
    let clocked = |edge, moment| Sampling { clock: Some("clk".to_owned()), edge, moment, ..Sampling::default() };
    for sampling in [
        Sampling::default(),
        clocked(Edge::Rising, Moment::Before),
        clocked(Edge::Rising, Moment::After),
        clocked(Edge::Falling, Moment::Before),
        clocked(Edge::Both, Moment::After),
    ] {
        let text = vcd::read(TEXT, &sampling, &Budget::unlimited()).unwrap();
        for (packing, bytes) in PACKED {
            assert!(looks_like(bytes), "{packing}");
            let packed = read(bytes, &sampling, &Budget::unlimited()).unwrap();
            assert_eq!(describe(&packed, true), describe(&text, true), "{packing} {sampling:?}");
            assert_eq!(packed.find_variable("cpu.clk"), packed.find_variable("top.clk"), "{packing}");
        }
    }
    let (_, bytes) = PACKED[0];
    assert_eq!(
        states_of(&read(bytes, &clocked(Edge::Rising, Moment::Before), &Budget::unlimited()).unwrap()),
        [
            "top.clk=0 top.count=\"x\" top.temp=20.5 top.state=\"idle\" top.tick=0 top.cpu.wide=\"z\" top.cpu.never=\"x\"",
            "top.count=1 top.temp=0.1",
            "top.count=2 top.state=\"busy\" top.tick=1 top.cpu.wide=1180591620717411303423",
        ]
    );
}

fn message(bytes: &[u8]) -> String {
    match read(bytes, &Sampling::default(), &Budget::unlimited()) {
        Ok(_) => "a run".to_owned(),
        Err(failure) => failure.to_string(),
    }
}

#[test]
fn damage_is_told() {
    let whole = PACKED[0].1;
    assert_eq!(message(b""), "the file has no header (at byte 0)");
    assert_eq!(message(&whole[..5]), "the data ends too early (at byte 1)");
    assert_eq!(message(&whole[..400]), "a block is longer than the file (at byte 330)");
    assert_eq!(
        message(&whole[..330]),
        "the file does not say how long its signals are: was it finished? (at byte 330)"
    );
    let changed = |at: usize, byte: u8| {
        let mut bytes = whole.to_vec();
        bytes[at] = byte;
        message(&bytes)
    };
    assert_eq!(changed(330, 77), "a block of the unknown sort 77 (at byte 330)");
    assert_eq!(changed(25, 7), "the header does not say how real numbers are written (at byte 25)");
    let mut unfinished = whole.to_vec();
    unfinished[331..339].fill(0);
    assert_eq!(message(&unfinished), "the file was never finished: was the simulation interrupted? (at byte 330)");
}

#[test]
fn no_damaged_byte_panics_or_takes_much() {
    let budget = Budget::with_memory(16 << 20);
    for (_, bytes) in PACKED {
        for at in 0..bytes.len() {
            let _ = read(&bytes[..at], &Sampling::default(), &budget);
            for byte in [0, 1, 0x7f, 0x80, 0xff, bytes[at] ^ 1, bytes[at] ^ 0x10] {
                let mut bytes = bytes.to_vec();
                bytes[at] = byte;
                let _ = read(&bytes[..], &Sampling::default(), &budget);
            }
        }
    }
}

#[test]
fn a_file_stays_within_the_budget() {
    let bytes = vec![0; 1 << 20];
    let failure = read(&bytes[..], &Sampling::default(), &Budget::with_memory(1 << 18)).unwrap_err();
    assert!(matches!(failure, Error::OverBudget(_)));
}

proptest! {
    #[test]
    fn no_bytes_panic(which in 0..4usize, changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let mut bytes = PACKED[which].1.to_vec();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = read(&bytes[..], &Sampling::default(), &Budget::with_memory(16 << 20));
    }
}
