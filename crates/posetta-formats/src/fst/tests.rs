use std::cell::Cell;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::rc::Rc;

use proptest::prelude::*;

use super::*;
use crate::samples::describe;
use crate::states::tests::states_of;
use crate::vcd;
use crate::waves::{Edge, Moment};
use posetta_trace::Trace;

/// The same waveform as text and packed in every way, by GTKWave's `vcd2fst`.
const TEXT: &[u8] = include_bytes!("testdata/small.vcd");
const PACKED: [(&str, &[u8]); 4] = [
    ("lz4", include_bytes!("testdata/small-lz4.fst")),
    ("fastlz", include_bytes!("testdata/small-fastlz.fst")),
    ("zlib", include_bytes!("testdata/small-zlib.fst")),
    ("wrapped", include_bytes!("testdata/small-wrapped.fst")),
];

fn run(bytes: &[u8], sampling: &Sampling, budget: &Budget) -> Result<Trace, Error> {
    read(bytes, sampling, None, None, budget).map(|run| run.trace)
}

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
        let text = vcd::read(TEXT, &sampling, None, &Budget::unlimited()).unwrap().trace;
        for (packing, bytes) in PACKED {
            assert!(looks_like(bytes), "{packing}");
            let packed = run(bytes, &sampling, &Budget::unlimited()).unwrap();
            assert_eq!(describe(&packed, true), describe(&text, true), "{packing} {sampling:?}");
            assert_eq!(packed.find_variable("cpu.clk"), packed.find_variable("top.clk"), "{packing}");
        }
    }
    let (_, bytes) = PACKED[0];
    assert_eq!(
        states_of(&run(bytes, &clocked(Edge::Rising, Moment::Before), &Budget::unlimited()).unwrap()),
        [
            "top.clk=0 top.count=\"x\" top.temp=20.5 top.state=\"idle\" top.tick=0 top.cpu.wide=\"z\" top.cpu.never=\"x\"",
            "top.count=1 top.temp=0.1",
            "top.count=2 top.state=\"busy\" top.tick=1 top.cpu.wide=1180591620717411303423",
        ]
    );
}

fn beside(bytes: &[u8]) -> Beside {
    let bytes = bytes.to_vec();
    Beside::new(move |_| Ok(Some(bytes.clone())))
}

fn message(bytes: &[u8]) -> String {
    match run(bytes, &Sampling::default(), &Budget::unlimited()) {
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

/// What Icarus Verilog had written when it was killed: two blocks and the beginning of a third, and the names beside them. The same run as
/// text ends with the second block.
const KILLED: &[u8] = include_bytes!("testdata/killed.fst");
const BESIDE: &[u8] = include_bytes!("testdata/killed.fst.hier");
const KILLED_AS_TEXT: &[u8] = include_bytes!("testdata/killed.vcd");

#[test]
fn an_unfinished_file_is_read_as_far_as_it_goes() {
    let (all, unlimited) = (Sampling::default(), Budget::unlimited());
    let text = vcd::read(KILLED_AS_TEXT, &all, None, &unlimited).unwrap();
    assert!(text.warnings.is_empty());
    let held = read(KILLED, &all, None, Some(&beside(BESIDE)), &unlimited).unwrap();
    let file = read_file(Box::new(Cursor::new(KILLED)), &all, None, Some(&beside(BESIDE)), &unlimited).unwrap();
    for run in [held, file] {
        assert_eq!(describe(&run.trace, true), describe(&text.trace, true));
        let [warning] = &run.warnings[..] else { panic!("{:?}", run.warnings) };
        assert_eq!(warning.kind, Kind::Truncated);
        assert_eq!(
            warning.message,
            "the file is unfinished: the simulator was interrupted, and its last whole block ends at 100 ns"
        );
    }
    // Cut off inside the second block.
    let run = read(&KILLED[..600], &all, None, Some(&beside(BESIDE)), &unlimited).unwrap();
    assert!(run.warnings[0].message.ends_with("ends at 50 ns"), "{:?}", run.warnings);
    assert!(run.trace.len() < text.trace.len());
    // Without the names there is nothing to ask about, and without changes no state.
    assert_eq!(message(KILLED), "the file was never finished: was the simulation interrupted? (at byte 700)");
    let failure = read(&KILLED[..330], &all, None, Some(&beside(BESIDE)), &unlimited).unwrap_err();
    assert_eq!(failure.to_string(), "the waveform has no values");
    // A whole file has its names in it; what stands beside it is not looked at.
    let unread = Beside::new(|_| Err(Diagnostic::new(Kind::Input, "it is read").into()));
    let run = read(PACKED[0].1, &all, None, Some(&unread), &unlimited).unwrap();
    assert!(run.warnings.is_empty());
    let failure = read(KILLED, &all, None, Some(&unread), &unlimited).unwrap_err();
    assert_eq!(failure.to_string(), "it is read");
    let failure = read(KILLED, &all, None, Some(&Beside::new(|_| Ok(None))), &unlimited).unwrap_err();
    assert_eq!(failure.to_string(), message(KILLED));
}

/// A number as FST writes it.
fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = number as u8 & 0x7f;
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

#[test]
fn what_has_no_size_has_values_of_any_length_also_in_an_unfinished_file() {
    let block = |sort: u8, body: &[u8]| [&[sort][..], &(body.len() as u64 + 8).to_be_bytes(), body].concat();
    let whole = |number: u64| number.to_be_bytes();
    let mut header = [&whole(0)[..], &whole(30), &std::f64::consts::E.to_le_bytes(), &[0; 40]].concat();
    header.push((-9i8) as u8);
    header.extend([0; 248 + 8]);
    // At the second time `hello`, at the third `bye`; the clock toggles at both.
    let text = [&varint(2)[..], &varint(5), b"hello", &varint(2), &varint(3), b"bye"].concat();
    let clock = [varint(4 | 2), varint(4)].concat();
    let data = [&b"Z\0"[..], &text, b"\0", &clock].concat();
    let places = [varint(1 << 1 | 1), varint((text.len() as u64 + 1) << 1 | 1)].concat();
    let times = [varint(0), varint(10), varint(10)].concat();
    let mut changes = [&whole(0)[..], &whole(30), &whole(0), &varint(1), &varint(1), &varint(2), b"0"].concat();
    changes.extend([&varint(2)[..], &data, &places, &whole(places.len() as u64), &times].concat());
    changes.extend([whole(times.len() as u64), whole(times.len() as u64), whole(3)].concat());
    let lengths = [varint(0xffff_ffff), varint(1)].concat();
    let geometry = [&whole(lengths.len() as u64)[..], &whole(2), &lengths].concat();
    for sort in [STRING, WIRE, EVENT, LOGIC] {
        let names = [b"\xfe\0t\0\0", &[sort, 0][..], b"s\0\0\0\x10\0clk\0\x01\0\xff"].concat();
        let unfinished = [block(HEADER, &header), block(1, &changes)].concat();
        let with_lengths = [&unfinished[..], &block(3, &geometry)].concat();
        let [by_names, by_lengths] = [unfinished, with_lengths].map(|bytes| {
            let run =
                read(&bytes[..], &Sampling::default(), None, Some(&beside(&names)), &Budget::unlimited()).unwrap();
            states_of(&run.trace)
        });
        assert_eq!(by_names, by_lengths, "{sort}");
        if sort != EVENT {
            assert_eq!(by_names, ["t.s=\"\" t.clk=0", "t.s=\"hello\" t.clk=1", "t.s=\"bye\" t.clk=0"], "{sort}");
        }
    }
}

/// Sorts of signals as FST numbers them: an event, a wire, a string, and SystemVerilog's `logic`.
const EVENT: u8 = 0;
const WIRE: u8 = 16;
const STRING: u8 = 21;
const LOGIC: u8 = 23;

/// 30 registers that change at every edge, a counter and a clock, as Icarus Verilog writes them.
const WIDE: &[u8] = include_bytes!("testdata/wide.fst");

/// A file that counts how much of it is read.
struct Counted<'a>(Cursor<&'a [u8]>, Rc<Cell<usize>>);

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.set(self.1.get() + read);
        Ok(read)
    }
}

impl Seek for Counted<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn a_file_is_what_it_is_as_a_stream_and_only_what_matters_is_read() {
    let clocked = Sampling { clock: Some("clk".to_owned()), ..Sampling::default() };
    let wanted = ["count".to_owned()];
    for (packing, bytes) in PACKED {
        for sampling in [&Sampling::default(), &clocked] {
            for wanted in [None, Some(&wanted[..])] {
                let unlimited = Budget::unlimited();
                let stream = read(bytes, sampling, wanted, None, &unlimited).unwrap();
                let file = read_file(Box::new(Cursor::new(bytes)), sampling, wanted, None, &unlimited).unwrap();
                assert_eq!(describe(&file.trace, true), describe(&stream.trace, true), "{packing} {wanted:?}");
                let variables = stream.trace.variables().len();
                assert_eq!(variables, wanted.map_or(7, |_| 1), "{packing}");
            }
        }
    }
    // Of 32 signals that are all alive, one and the clock.
    let how_much = |wanted: Option<&[String]>| {
        let count = Rc::new(Cell::new(0));
        let file = Counted(Cursor::new(WIDE), Rc::clone(&count));
        let run = read_file(Box::new(file), &clocked, wanted, None, &Budget::unlimited()).unwrap();
        (run.trace.variables().len(), count.get())
    };
    let (variables, all) = how_much(None);
    assert_eq!(variables, 32);
    assert!(all >= WIDE.len());
    let (variables, some) = how_much(Some(&["c".to_owned()]));
    assert_eq!(variables, 1);
    assert!(some < all / 3, "{some} of {all}");
}

#[test]
fn times_have_units_and_cycles() {
    let clocked = Sampling { clock: Some("clk".to_owned()), ..Sampling::default() };
    let text = vcd::read(TEXT, &clocked, None, &Budget::unlimited()).unwrap().trace;
    for (packing, bytes) in PACKED {
        let packed = run(bytes, &clocked, &Budget::unlimited()).unwrap();
        for position in 0..=packed.len() {
            assert_eq!(packed.when(position), text.when(position), "{packing}");
        }
        assert!(packed.when(1).unwrap().to_string().ends_with(", cycle 1"));
        assert_eq!(packed.when(packed.len() + 1), None);
    }
}

#[test]
fn no_damaged_byte_panics_or_takes_much() {
    let budget = Budget::with_memory(16 << 20);
    for (_, bytes) in PACKED {
        for at in 0..bytes.len() {
            let _ = run(&bytes[..at], &Sampling::default(), &budget);
            for byte in [0, 1, 0x7f, 0x80, 0xff, bytes[at] ^ 1, bytes[at] ^ 0x10] {
                let mut bytes = bytes.to_vec();
                bytes[at] = byte;
                let _ = run(&bytes[..], &Sampling::default(), &budget);
            }
        }
    }
    let clocked = Sampling { clock: Some("clk".to_owned()), ..Sampling::default() };
    let (all, wanted) = (Sampling::default(), ["c".to_owned()]);
    for at in 0..KILLED.len() {
        let _ = read(&KILLED[..at], &all, None, Some(&beside(BESIDE)), &budget);
        for byte in [0, 1, 0x7f, 0x80, 0xff, KILLED[at] ^ 1, KILLED[at] ^ 0x10] {
            let mut bytes = KILLED.to_vec();
            bytes[at] = byte;
            let _ = read_file(Box::new(Cursor::new(&bytes)), &clocked, Some(&wanted), Some(&beside(BESIDE)), &budget);
        }
    }
    for at in 0..BESIDE.len() {
        let _ = read(KILLED, &all, None, Some(&beside(&BESIDE[..at])), &budget);
        for byte in [0, 0x7f, 0xfc, 0xfd, 0xfe, 0xff, BESIDE[at] ^ 1] {
            let mut bytes = BESIDE.to_vec();
            bytes[at] = byte;
            let _ = read(KILLED, &all, None, Some(&beside(&bytes)), &budget);
        }
    }
}

#[test]
fn a_file_stays_within_the_budget() {
    let bytes = vec![0; 1 << 20];
    let failure = run(&bytes[..], &Sampling::default(), &Budget::with_memory(1 << 18)).unwrap_err();
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
        let _ = run(&bytes[..], &Sampling::default(), &Budget::with_memory(16 << 20));
    }
}
