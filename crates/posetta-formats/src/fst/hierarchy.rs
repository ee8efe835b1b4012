//! What the signals of a file are: how long, what sort, and what they are called.

use super::Length;
use super::bytes::{Damage, Packing, Reader, gunzip, unpack, unpack_if_packed};
use crate::source::READING;
use crate::waves::{Declarations, MOST_BITS, Signal, SignalKind};
use posetta_base::Budget;

/// How long the values of each signal are. `block` is that of the lengths after its length, which stands at `at`.
pub(super) fn lengths(block: &[u8], at: usize, budget: &Budget) -> Result<Vec<Length>, Damage> {
    let mut reader = Reader::of(block, at);
    let (length, count) = (reader.u64()?, reader.u64()?);
    let bytes = unpack_if_packed(reader.rest(), length, at, budget)?;
    let _claim = budget.claim(count.min(bytes.len() as u64) * size_of::<Length>() as u64, READING)?;
    let mut reader = Reader::new(&bytes, 0);
    let mut lengths = Vec::new();
    while (lengths.len() as u64) < count {
        lengths.push(match reader.varint()? {
            0 => Length::Real,
            0xffff_ffff => Length::Variable,
            bits => Length::bits(bits, at)?,
        });
    }
    Ok(lengths)
}

/// The names of the signals, unpacked. `block` is as for the lengths; `kind` says how it is packed.
pub(super) fn unpacked(block: &[u8], sort: u8, at: usize, budget: &Budget) -> Result<Vec<u8>, Damage> {
    let mut reader = Reader::of(block, at);
    let length = reader.u64()?;
    match sort {
        4 => gunzip(reader.rest(), length, at, budget),
        6 => unpack(reader.rest(), Packing::Lz4, length, at, budget),
        _ => {
            let once = reader.varint()?;
            let packed = unpack(reader.rest(), Packing::Lz4, once, at, budget)?;
            unpack(&packed, Packing::Lz4, length, at, budget)
        }
    }
}

const SCOPE: u8 = 254;
const UP: u8 = 255;
const ATTRIBUTE: u8 = 252;
const ATTRIBUTE_END: u8 = 253;

/// Sorts of signals that matter here.
const EVENT: u8 = 0;
const PORT: u8 = 18;

/// The last sort of signals.
const LAST_SORT: u8 = 29;

/// Sorts of signals whose values are real numbers, and strings.
const REALS: [u8; 4] = [3, 4, 20, 29];
const STRING: u8 = 21;

/// The names of the signals, and what they are. `bytes` are the unpacked names, `at` is where they stand. If the file does not say how
/// long the values of its signals are, the names do.
pub(super) fn read(
    bytes: &[u8],
    at: usize,
    lengths: &mut Option<Vec<Length>>,
    budget: &Budget,
) -> Result<(Declarations, Vec<Signal>), Damage> {
    let mut names = Declarations::default();
    let mut claim = budget.claim(0, READING)?;
    let signal_of = |length: &Length| match *length {
        Length::Real => Signal { kind: SignalKind::Real, width: 64 },
        Length::Variable => Signal { kind: SignalKind::Text, width: MOST_BITS },
        Length::Bits(width) => Signal { kind: SignalKind::Bits, width },
    };
    let known = lengths.is_some();
    let lengths = lengths.get_or_insert_default();
    let mut signals: Vec<Signal> = lengths.iter().map(signal_of).collect();
    let mut named = vec![false; signals.len()];
    let mut count = 0u64;
    let mut reader = Reader::new(bytes, 0);
    let mut entries = 0u64;
    while !reader.is_empty() {
        entries += 1;
        if entries.is_multiple_of(1024) {
            budget.step(1024, READING)?;
            claim.grow_to((names.bytes() + 32 * signals.len()) as u64, READING)?;
        }
        match reader.u8()? {
            SCOPE => {
                reader.u8()?;
                names.enter(&String::from_utf8_lossy(reader.string()?));
                reader.string()?;
            }
            UP => {
                if !names.leave() {
                    return Err(Damage::new(at, "the names leave a scope that they did not enter"));
                }
            }
            ATTRIBUTE => attribute(&mut reader)?,
            ATTRIBUTE_END => {}
            sort @ 0..=LAST_SORT => {
                reader.u8()?;
                let name = String::from_utf8_lossy(reader.string()?).split_whitespace().collect::<String>();
                let bits = reader.varint()?;
                let signal = match reader.varint()? {
                    0 => {
                        count += 1;
                        if !known {
                            let length = match sort {
                                _ if REALS.contains(&sort) => Length::Real,
                                // As the writer says it of whatever has no size.
                                _ if sort == STRING || bits == 0 => Length::Variable,
                                _ => Length::bits(bits, at)?,
                            };
                            signals.push(signal_of(&length));
                            lengths.push(length);
                            named.push(false);
                        }
                        count - 1
                    }
                    alias => alias - 1,
                };
                let found = usize::try_from(signal).ok().filter(|&signal| signal < signals.len());
                let signal = found.ok_or_else(|| Damage::new(at, format!("`{name}` is a signal that is not there")))?;
                match sort {
                    EVENT => signals[signal].kind = SignalKind::Event,
                    // The states of ports are strings of their own.
                    PORT => signals[signal].kind = SignalKind::Text,
                    _ => {}
                }
                named[signal] = true;
                names.declare(&name, signal as u32);
            }
            sort => return Err(Damage::new(at, format!("the names have an entry of the unknown sort {sort}"))),
        }
    }
    // What has no name cannot be asked for, and still has to be called something.
    while names.leave() {}
    for signal in (0..signals.len()).filter(|&signal| !named[signal]) {
        names.declare(&format!("unnamed#{}", signal + 1), signal as u32);
    }
    Ok((names, signals))
}

/// Passes over a remark of the writer.
fn attribute(reader: &mut Reader<'_>) -> Result<(), Damage> {
    /// Remarks about places in sources have a number for a name.
    const PLACES: [u8; 2] = [4, 5];
    let sort = reader.u8()?;
    let kind = reader.u8()?;
    if sort == 0 && PLACES.contains(&kind) {
        reader.varint()?;
        reader.skip(1)?;
    } else {
        reader.string()?;
    }
    reader.varint()?;
    Ok(())
}
