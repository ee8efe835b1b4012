//! Waveforms, packed: the FST format of GTKWave, as simulators write it for large designs.
//!
//! A file is a sequence of blocks. What the signals are stands at its end, so a file is held whole; blocks of changes are unpacked one at
//! a time. `bytes` reads numbers and unpacks, `hierarchy` finds the signals, `block` walks through one block of changes, [`Waveform`]
//! through all of them. Lengths in a file are promises that are checked before anything is taken for them. Signals are named and sampled
//! as those of [`vcd`](super::vcd).
//!
//! Our own reader, because the crate for it answers damaged files with panics and allocates whatever they promise.

mod block;
mod bytes;
mod fastlz;
mod hierarchy;
#[cfg(test)]
mod tests;

use std::io::{BufRead, ErrorKind, Read};

use self::block::Block;
use self::bytes::{Damage, Reader, gunzip};
use super::source::READING;
use super::states::{self, States};
use super::waves::{Declarations, Sampler, Sampling, Signal};
use posetta_base::{Budget, Claim, Diagnostic, Error, Kind, Number, OverBudget, Value};
use posetta_trace::Trace;

/// The block at the beginning, and its length.
const HEADER: u8 = 0;
const HEADER_LENGTH: u64 = 329;
/// A whole file that was packed once more.
const WRAPPER: u8 = 254;

/// Whether a file that begins so is a packed waveform.
pub(super) fn looks_like(start: &[u8]) -> bool {
    match start {
        [HEADER, length @ ..] => length.starts_with(&HEADER_LENGTH.to_be_bytes()),
        // Two lengths, then what every gzip file begins with.
        [WRAPPER, rest @ ..] => rest.get(16..19) == Some(&[0x1f, 0x8b, 8]),
        _ => false,
    }
}

/// Reads a run.
///
/// # Errors
/// With the first damage, or when the budget is spent.
pub fn read(reader: impl BufRead, sampling: &Sampling, budget: &Budget) -> Result<Trace, Error> {
    states::read(Waveform::new(reader, sampling, budget)?, budget)
}

/// A packed waveform that is read record by record.
pub(super) struct Waveform<R> {
    reader: Option<R>,
    sampling: Sampling,
    budget: Budget,
    /// The whole file.
    data: Vec<u8>,
    claim: Claim,
    /// What is known when the file was read.
    body: Option<Body>,
    over: bool,
}

/// What the file says beside the changes.
struct Body {
    names: Vec<String>,
    aliases: Vec<(String, u32)>,
    sampler: Sampler,
    file: Layout,
    /// The block at hand, and how many were begun.
    block: Option<Block>,
    begun: usize,
    /// The time at hand.
    time: Option<u64>,
    /// The time of the last record, and how many there were.
    recorded: Number,
    records: u64,
}

/// Where what stands in a file.
#[derive(Debug, Default)]
struct Layout {
    /// Real numbers are written with their first byte last.
    big_endian: bool,
    /// The blocks of changes: sort, and the bytes after the sort.
    changes: Vec<(u8, std::ops::Range<usize>)>,
    /// How long the values of each signal are.
    lengths: Vec<Length>,
}

/// How long the values of a signal are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    Real,
    /// Every value says how long it is.
    Variable,
    Bits(u32),
}

impl Length {
    /// How many bytes a value takes where none is packed.
    fn bytes(self) -> usize {
        match self {
            Self::Real => 8,
            Self::Variable => 0,
            Self::Bits(bits) => bits as usize,
        }
    }
}

impl<R: BufRead> Waveform<R> {
    pub(super) fn new(reader: R, sampling: &Sampling, budget: &Budget) -> Result<Self, OverBudget> {
        let claim = budget.claim(0, READING)?;
        Ok(Self {
            reader: Some(reader),
            sampling: sampling.clone(),
            budget: budget.clone(),
            data: Vec::new(),
            claim,
            body: None,
            over: false,
        })
    }

    /// Reads the file and what it says of its signals, if that was not done.
    fn open(&mut self) -> Result<(), Error> {
        let Some(reader) = self.reader.take() else { return Ok(()) };
        self.over = true;
        self.take_all(reader)?;
        if self.data.first() == Some(&WRAPPER) {
            let unpacked = unwrap(&self.data, &self.budget).map_err(|d| d.told())?;
            self.claim.grow_to((self.data.capacity() + unpacked.capacity()) as u64, READING)?;
            self.data = unpacked;
        }
        let (file, names, sorts) = layout(&self.data, &self.budget).map_err(|d| d.told())?;
        let (names, aliases) = names.finish(sorts.len());
        let sampler = Sampler::new(sorts, &names, &aliases, &self.sampling, &self.budget)?;
        self.claim.grow_to((self.data.capacity() + 256 * (names.len() + aliases.len())) as u64, READING)?;
        self.body = Some(Body {
            names,
            aliases,
            sampler,
            file,
            block: None,
            begun: 0,
            time: None,
            recorded: Number::ZERO,
            records: 0,
        });
        self.over = false;
        Ok(())
    }

    /// Reads the whole input.
    fn take_all(&mut self, mut reader: R) -> Result<(), Error> {
        /// Bytes between two looks at the budget.
        const PIECE: usize = 1 << 18;
        loop {
            self.budget.step(1, READING)?;
            // A vector that grows is there twice for a moment.
            self.claim.grow_to(2 * (self.data.len() + PIECE) as u64, READING)?;
            match reader.by_ref().take(PIECE as u64).read_to_end(&mut self.data) {
                Ok(0) => {
                    self.claim.shrink_to(self.data.capacity() as u64);
                    return Ok(());
                }
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    let message = format!("the input could not be read: {error}");
                    return Err(Diagnostic::new(Kind::Input, message).into());
                }
            }
        }
    }
}

/// Unpacks a file that was packed whole.
fn unwrap(data: &[u8], budget: &Budget) -> Result<Vec<u8>, Damage> {
    let mut reader = Reader::new(data, 1);
    let section = reader.u64()?;
    if section == 0 {
        return Err(Damage::cut(1, "the file was never finished"));
    }
    let length = reader.u64()?;
    gunzip(reader.rest(), length, reader.at(), budget)
}

/// Finds the blocks of a file.
fn layout(data: &[u8], budget: &Budget) -> Result<(Layout, Declarations, Vec<Signal>), Damage> {
    let mut file = Layout::default();
    let mut at = 0;
    let mut hierarchy = None;
    let mut geometry = None;
    let mut any_header = false;
    while let Some(&sort) = data.get(at) {
        budget.step(1, READING)?;
        let mut reader = Reader::new(data, at + 1);
        let length = reader.u64()?;
        // A block that is being written has no length yet.
        if length == 0 {
            return Err(Damage::cut(at, "the file was never finished: was the simulation interrupted?"));
        }
        let end = usize::try_from(length).ok().and_then(|length| (at + 1).checked_add(length));
        let Some(end) = end.filter(|&end| end <= data.len() && length >= 8) else {
            return Err(Damage::cut(at, "a block is longer than the file"));
        };
        let inside = at + 1..end;
        match sort {
            HEADER => {
                any_header = true;
                let test = reader.skip(16).and_then(|()| reader.take(8))?;
                // Every writer puts e there, to show how it writes real numbers.
                file.big_endian = test == std::f64::consts::E.to_be_bytes();
                if !file.big_endian && test != std::f64::consts::E.to_le_bytes() {
                    return Err(Damage::new(at + 25, "the header does not say how real numbers are written"));
                }
            }
            1 | 5 | 8 => file.changes.push((sort, inside)),
            3 => geometry = Some(inside),
            4 | 6 | 7 => hierarchy = Some((sort, inside)),
            // When dumping was off, and what is to be passed over.
            2 | 255 => {}
            _ => return Err(Damage::new(at, format!("a block of the unknown sort {sort}"))),
        }
        at = end;
    }
    if !any_header {
        return Err(Damage::new(0, "the file has no header"));
    }
    let lacks = |what: &str| Damage::cut(data.len(), format!("the file does not say {what}: was it finished?"));
    let geometry = geometry.ok_or_else(|| lacks("how long its signals are"))?;
    file.lengths = hierarchy::lengths(data, geometry, budget)?;
    let (sort, inside) = hierarchy.ok_or_else(|| lacks("what its signals are called"))?;
    let (names, signals) = hierarchy::read(data, sort, inside, &file.lengths, budget)?;
    Ok((file, names, signals))
}

impl Body {
    /// Goes on to the next record.
    fn advance(&mut self, data: &[u8], budget: &Budget) -> Result<bool, Damage> {
        loop {
            let Some(block) = &mut self.block else {
                let Some((sort, inside)) = self.file.changes.get(self.begun).cloned() else {
                    // The last time is over, too.
                    let time = self.time.take();
                    return Ok(time.is_some_and(|time| self.end_of_time(time)));
                };
                let first = self.begun == 0;
                self.begun += 1;
                let block = Block::open(data, sort, inside, &self.file, &self.sampler, budget)?;
                if first {
                    block.first_values(data, &self.file, &mut self.sampler, budget)?;
                    self.time = Some(block.start());
                }
                self.block = Some(block);
                continue;
            };
            let Some(time) = block.next_time() else {
                self.block = None;
                continue;
            };
            match self.time {
                Some(before) if time < before => return Err(Damage::new(block.place(), "time goes back")),
                // Blocks may overlap in one time.
                Some(before) if time == before => {}
                before => {
                    self.time = Some(time);
                    if before.is_some_and(|before| self.end_of_time(before)) {
                        return Ok(true);
                    }
                    continue;
                }
            }
            budget.step(1, READING)?;
            block.take(&self.file, &mut self.sampler)?;
        }
    }

    fn end_of_time(&mut self, time: u64) -> bool {
        let is_record = self.sampler.end_of_time();
        if is_record {
            self.records += 1;
            self.recorded =
                i64::try_from(time).map_or_else(|_| time.to_string().parse().unwrap_or(Number::ZERO), Number::from);
        }
        is_record
    }
}

impl<R: BufRead> States for Waveform<R> {
    fn begin(&mut self) -> Result<bool, Error> {
        self.open()?;
        Ok(!self.over)
    }

    fn advance(&mut self) -> Result<bool, Error> {
        if !self.begin()? {
            return Ok(false);
        }
        let Some(body) = &mut self.body else { return Ok(false) };
        let found = body.advance(&self.data, &self.budget);
        if !matches!(found, Ok(true)) {
            self.over = true;
        }
        found.map_err(|damage| damage.told())
    }

    fn names(&self) -> &[String] {
        self.body.as_ref().map_or(&[], |body| &body.names)
    }

    fn aliases(&self) -> &[(String, u32)] {
        self.body.as_ref().map_or(&[], |body| &body.aliases)
    }

    fn shortens(&self) -> bool {
        true
    }

    fn only(&mut self, wanted: Vec<bool>) {
        if let Some(body) = &mut self.body {
            body.sampler.only(wanted);
        }
    }

    fn sets(&mut self) -> &mut Vec<(u32, Value)> {
        &mut self.body.as_mut().expect("there is a record, so the file was read").sampler.sets
    }

    fn time(&self) -> Option<&Number> {
        self.body.as_ref().map(|body| &body.recorded)
    }

    /// There are no lines; records are counted instead.
    fn line(&self) -> u64 {
        self.body.as_ref().map_or(1, |body| body.records.max(1))
    }

    fn offset(&self) -> u64 {
        self.data.len() as u64
    }

    fn nothing(&self) -> Diagnostic {
        match &self.body {
            Some(body) => body.sampler.nothing(),
            None => Diagnostic::new(Kind::Syntax, "the waveform is empty"),
        }
    }
}
