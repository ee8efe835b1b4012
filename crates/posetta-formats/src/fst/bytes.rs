//! Numbers, strings and packed stretches of a file.

use std::borrow::Cow;

use miniz_oxide::inflate::{decompress_to_vec_with_limit, decompress_to_vec_zlib_with_limit};

use super::fastlz;
use crate::source::READING;
use posetta_base::{Budget, Claim, Diagnostic, Error, Kind, OverBudget};

/// Why a file cannot be read on.
#[derive(Debug)]
pub(super) enum Damage {
    /// What is wrong, where, and whether the file seems to be cut off.
    At {
        byte: usize,
        what: Cow<'static, str>,
        cut: bool,
    },
    OverBudget(OverBudget),
    /// The file beside it cannot be read.
    Beside(Error),
}

impl Damage {
    #[cold]
    pub(super) fn new(byte: usize, what: impl Into<Cow<'static, str>>) -> Self {
        Self::At { byte, what: what.into(), cut: false }
    }

    /// The file is probably shorter than it was meant to be.
    #[cold]
    pub(super) fn cut(byte: usize, what: impl Into<Cow<'static, str>>) -> Self {
        Self::At { byte, what: what.into(), cut: true }
    }

    /// For a person.
    pub(super) fn told(self) -> Error {
        match self {
            Self::OverBudget(over) => over.into(),
            Self::Beside(error) => error,
            Self::At { byte, what, cut } => {
                let (kind, help) = if cut {
                    (
                        Kind::Truncated,
                        "let the simulator end by itself, or copy the file again; of an unfinished file `NAME.fst` the names of \
                         its signals are in `NAME.fst.hier` beside it",
                    )
                } else {
                    (Kind::Syntax, "the file is damaged, or it is not a waveform in the format FST")
                };
                Diagnostic::new(kind, format!("{what} (at byte {byte})")).help(help).into()
            }
        }
    }
}

impl From<OverBudget> for Damage {
    fn from(over: OverBudget) -> Self {
        Self::OverBudget(over)
    }
}

/// A place in bytes.
#[derive(Clone, Debug)]
pub(super) struct Reader<'a> {
    data: &'a [u8],
    at: usize,
    /// Where the bytes stand in the file, for those who are told of damage.
    base: usize,
}

impl<'a> Reader<'a> {
    /// At a place; past the end there is nothing.
    pub(super) fn new(data: &'a [u8], at: usize) -> Self {
        Self { data, at: at.min(data.len()), base: 0 }
    }

    /// At the beginning of bytes that stand at `base` in the file.
    pub(super) fn of(data: &'a [u8], base: usize) -> Self {
        Self { data, at: 0, base }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        &self.data[self.at..]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.at == self.data.len()
    }

    /// The next so many bytes.
    #[inline]
    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], Damage> {
        let Some(taken) = self.rest().get(..length) else {
            return Err(Damage::cut(self.base + self.at, "the data ends too early"));
        };
        self.at += length;
        Ok(taken)
    }

    pub(super) fn skip(&mut self, length: usize) -> Result<(), Damage> {
        self.take(length).map(drop)
    }

    #[inline]
    pub(super) fn u8(&mut self) -> Result<u8, Damage> {
        self.take(1).map(|b| b[0])
    }

    /// Eight bytes, the highest first.
    pub(super) fn u64(&mut self) -> Result<u64, Damage> {
        self.take(8).map(|b| b.iter().fold(0, |n, &b| n << 8 | u64::from(b)))
    }

    /// A number in groups of seven bits, the lowest first.
    #[inline]
    pub(super) fn varint(&mut self) -> Result<u64, Damage> {
        let (mut number, mut shift) = (0u64, 0);
        loop {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7f);
            if shift > 63 || (shift == 63 && bits > 1) {
                return Err(Damage::new(self.base + self.at, "a number is too large"));
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
            shift += 7;
        }
    }

    /// The same with a sign: the highest bit of the last group says what all bits above it are.
    pub(super) fn signed_varint(&mut self) -> Result<i64, Damage> {
        let start = self.at;
        let number = self.varint()?;
        let bits = 7 * (self.at - start);
        let negative = bits < 64 && number >> (bits - 1) & 1 == 1;
        Ok((if negative { number | u64::MAX << bits } else { number }) as i64)
    }

    /// A string that ends in a zero byte.
    pub(super) fn string(&mut self) -> Result<&'a [u8], Damage> {
        let Some(length) = memchr::memchr(0, self.rest()) else {
            return Err(Damage::cut(self.base + self.at, "a name does not end"));
        };
        let text = self.take(length)?;
        self.skip(1)?;
        Ok(text)
    }

    /// A length, as a number of bytes that could be in memory.
    pub(super) fn length(&mut self) -> Result<usize, Damage> {
        let at = self.base + self.at;
        usize::try_from(self.varint()?).map_err(|_| Damage::new(at, "a length is too large"))
    }
}

/// How a stretch is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Zlib,
    Lz4,
    FastLz,
}

/// No packing makes more of a byte than this.
const MOST: usize = 1100;

/// Announces what unpacking takes: a promise that no packing could keep is a lie.
fn announce(packed: usize, length: u64, at: usize, budget: &Budget) -> Result<(usize, Claim), Damage> {
    let possible = usize::try_from(length).ok().filter(|&n| n / MOST <= packed.saturating_add(64));
    let length = possible.ok_or_else(|| Damage::new(at, "packed data promises more than it can hold"))?;
    // What is unpacked grows while it comes out.
    Ok((length, budget.claim(2 * length as u64, READING)?))
}

/// Unpacks bytes that stand at `at`, which become `length` bytes.
pub(super) fn unpack(
    packed: &[u8],
    packing: Packing,
    length: u64,
    at: usize,
    budget: &Budget,
) -> Result<Vec<u8>, Damage> {
    let (length, _claim) = announce(packed.len(), length, at, budget)?;
    let unpacked = match packing {
        Packing::Zlib => decompress_to_vec_zlib_with_limit(packed, length).ok(),
        Packing::Lz4 => lz4_flex::block::decompress(packed, length).ok(),
        Packing::FastLz => fastlz::decompress(packed, length),
    };
    unpacked.filter(|data| data.len() == length).ok_or_else(|| Damage::new(at, "packed data cannot be unpacked"))
}

/// The same for data that is packed only if that makes it shorter.
pub(super) fn unpack_if_packed<'a>(
    packed: &'a [u8],
    length: u64,
    at: usize,
    budget: &Budget,
) -> Result<Cow<'a, [u8]>, Damage> {
    if packed.len() as u64 == length {
        return Ok(Cow::Borrowed(packed));
    }
    unpack(packed, Packing::Zlib, length, at, budget).map(Cow::Owned)
}

/// Unpacks a gzip file.
pub(super) fn gunzip(packed: &[u8], length: u64, at: usize, budget: &Budget) -> Result<Vec<u8>, Damage> {
    let bad = || Damage::new(at, "packed data cannot be unpacked");
    let mut reader = Reader::new(packed, 0);
    let head = reader.take(10)?;
    // No writer uses any of the optional fields.
    if !head.starts_with(&[0x1f, 0x8b, 8, 0]) {
        return Err(bad());
    }
    let (length, _claim) = announce(packed.len(), length, at, budget)?;
    let unpacked = decompress_to_vec_with_limit(reader.rest(), length).map_err(|_| bad())?;
    if unpacked.len() == length { Ok(unpacked) } else { Err(bad()) }
}
