//! Waveforms, packed: the FST format of GTKWave, as simulators write it for large designs.
//!
//! A file is a sequence of blocks. What the signals are stands at its end, so a file that cannot be read anywhere is held whole
//! (`store`); blocks of changes are unpacked one at a time, and of them only the signals that matter. `bytes` reads numbers and unpacks,
//! `hierarchy` finds the signals, `block` walks through one block of changes, [`Waveform`] through all of them. Lengths in a file are
//! promises that are checked before anything is taken for them. Signals are named and sampled as those of [`vcd`](super::vcd).
//!
//! A simulator writes the end of a file when it ends itself. Until then the names of the signals are in a file beside it, and the last
//! block has no length: with both, what was written so far is read.
//!
//! Our own reader: docs/decisions/waveforms.md says why.

mod block;
mod bytes;
mod fastlz;
mod hierarchy;
mod store;
#[cfg(test)]
mod tests;

use std::io::BufRead;
use std::ops::Range;
use std::sync::Arc;

use self::block::Block;
use self::bytes::{Damage, Reader, gunzip};
pub(super) use self::store::ReadSeek;
use self::store::Store;
use super::Run;
use super::source::READING;
use super::states::{self, States};
use super::waves::{self, Declarations, MOST_BITS, Ranges, Sampler, Sampling, Signal, SignalKind};
use posetta_base::{Budget, Diagnostic, Error, Kind, Number, TimeUnit, Value, When};

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

/// Reads a run; with `wanted`, only what these variables are in it. `names` is the file beside an unfinished one.
///
/// # Errors
/// With the first damage, or when the budget is spent.
pub fn read(
    reader: impl BufRead,
    sampling: &Sampling,
    wanted: Option<&[String]>,
    names: Option<&Beside>,
    budget: &Budget,
) -> Result<Run, Error> {
    states::read(Waveform::new(Input::Stream(Box::new(reader)), sampling, names, budget), wanted, budget)
}

/// The same of a file, of which only those parts are read that are needed.
///
/// # Errors
/// As [`read`].
pub(super) fn read_file(
    file: Box<dyn ReadSeek + '_>,
    sampling: &Sampling,
    wanted: Option<&[String]>,
    names: Option<&Beside>,
    budget: &Budget,
) -> Result<Run, Error> {
    states::read(Waveform::new(Input::File(file), sampling, names, budget), wanted, budget)
}

/// The file beside an unfinished waveform, which has the names of its signals: how it is read, if it has to be.
#[derive(Clone)]
pub struct Beside(Arc<ReadBeside>);

/// `None` if there is no such file.
type ReadBeside = dyn Fn(&Budget) -> Result<Option<Vec<u8>>, Error> + Send + Sync;

impl Beside {
    /// A file that is read so; `None` if it is not there.
    pub fn new(read: impl Fn(&Budget) -> Result<Option<Vec<u8>>, Error> + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    fn read(&self, budget: &Budget) -> Result<Option<Vec<u8>>, Error> {
        self.0(budget)
    }
}

impl std::fmt::Debug for Beside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Beside")
    }
}

/// Where a waveform comes from.
pub(super) enum Input<'a> {
    /// It comes once, from its beginning to its end.
    Stream(Box<dyn BufRead + 'a>),
    /// It can be read anywhere.
    File(Box<dyn ReadSeek + 'a>),
}

/// A packed waveform that is read record by record.
pub(super) struct Waveform<'a> {
    input: Option<Input<'a>>,
    sampling: Sampling,
    /// The names of the signals of an unfinished file.
    beside: Option<Beside>,
    budget: Budget,
    /// What is known when the file was opened.
    body: Option<Body<'a>>,
    over: bool,
    warnings: Vec<Diagnostic>,
}

/// What the file says beside the changes.
struct Body<'a> {
    store: Store<'a>,
    names: Vec<String>,
    aliases: Vec<(String, u32)>,
    ranges: Ranges,
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
    /// What times are counted in, if there is a name for it, and what is added to each.
    unit: Option<TimeUnit>,
    zero: i64,
    /// The blocks of changes: sort, and the bytes after the sort.
    changes: Vec<(u8, Range<usize>)>,
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
    /// So many bits; `at` is where that is said.
    fn bits(bits: u64, at: usize) -> Result<Self, Damage> {
        let bits = u32::try_from(bits).ok().filter(|&bits| bits <= MOST_BITS);
        bits.map(Self::Bits).ok_or_else(|| Damage::new(at, "a signal has too many bits"))
    }

    /// How many bytes a value takes where none is packed.
    fn bytes(self) -> usize {
        match self {
            Self::Real => 8,
            Self::Variable => 0,
            Self::Bits(bits) => bits as usize,
        }
    }
}

impl<'a> Waveform<'a> {
    pub(super) fn new(input: Input<'a>, sampling: &Sampling, names: Option<&Beside>, budget: &Budget) -> Self {
        Self {
            input: Some(input),
            sampling: sampling.clone(),
            beside: names.cloned(),
            budget: budget.clone(),
            body: None,
            over: false,
            warnings: Vec::new(),
        }
    }

    /// Reads what the file says of its signals, if that was not done.
    fn open(&mut self) -> Result<(), Error> {
        let Some(input) = self.input.take() else { return Ok(()) };
        self.over = true;
        let budget = &self.budget;
        let mut store = match input {
            Input::Stream(reader) => Store::hold(reader, budget)?,
            Input::File(file) => Store::open(file)?,
        };
        if store.piece(0..1, budget).map_err(Damage::told)?.first() == Some(&WRAPPER) {
            let whole = store.piece(0..store.len(), budget).map_err(Damage::told)?;
            let unpacked = unwrap(&whole, budget).map_err(Damage::told)?;
            drop(whole);
            let claim = budget.claim(unpacked.capacity() as u64, READING)?;
            store = Store::Held { data: unpacked, _claim: claim };
        }
        let found = layout(&store, self.beside.as_ref(), budget).map_err(Damage::told)?;
        self.warnings.extend(found.unfinished.map(|what| waves::unfinished(&what)));
        let ranges = found.names.ranges();
        let (names, aliases) = found.names.finish(found.signals.len());
        let sampler = Sampler::new(found.signals, &names, &aliases, &self.sampling, budget)?;
        self.body = Some(Body {
            store,
            names,
            aliases,
            ranges,
            sampler,
            file: found.file,
            block: None,
            begun: 0,
            time: None,
            recorded: Number::ZERO,
            records: 0,
        });
        self.over = false;
        Ok(())
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

/// What a file says of itself.
struct Found {
    file: Layout,
    names: Declarations,
    signals: Vec<Signal>,
    /// Why it is no whole file, if it is none.
    unfinished: Option<String>,
}

/// Finds the blocks of a file. `beside` has the names of the signals of one that is unfinished.
fn layout(store: &Store<'_>, beside: Option<&Beside>, budget: &Budget) -> Result<Found, Damage> {
    let mut file = Layout::default();
    let mut at = 0;
    let mut hierarchy = None;
    let mut geometry = None;
    let mut any_header = false;
    // Where and how the file breaks off.
    let mut broken = None;
    while at < store.len() {
        budget.step(1, READING)?;
        // Only of the first block more is looked at than its sort and its length.
        let head = store.piece(at..at + if at == 0 { 1 + HEADER_LENGTH as usize } else { 9 }, budget)?;
        let sort = head[0];
        let mut reader = Reader::of(&head[1..], at + 1);
        let length = match reader.u64() {
            // A block that is being written has no length yet.
            Ok(0) => Err(Damage::cut(at, "the file was never finished: was the simulation interrupted?")),
            Ok(length) => {
                let end = usize::try_from(length).ok().and_then(|length| (at + 1).checked_add(length));
                let end = end.filter(|&end| end <= store.len() && length >= 8);
                end.ok_or_else(|| Damage::cut(at, "a block is longer than the file"))
            }
            Err(damage) => Err(damage),
        };
        let end = match length {
            Ok(end) => end,
            Err(damage) => {
                broken = Some(damage);
                break;
            }
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
                reader.skip(40)?;
                file.unit = TimeUnit::power_of_ten(reader.u8()? as i8);
                reader.skip(248)?;
                file.zero = reader.u64()? as i64;
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
        return Err(broken.unwrap_or_else(|| Damage::new(0, "the file has no header")));
    }
    let mut lacks = |what: &str| {
        let lacks = || Damage::cut(store.len(), format!("the file does not say {what}: was it finished?"));
        broken.take().unwrap_or_else(lacks)
    };
    let beside = match (&hierarchy, beside) {
        (None, Some(beside)) => beside.read(budget).map_err(Damage::Beside)?,
        _ => None,
    };
    // After its length.
    let after = |inside: &Range<usize>| inside.start + 8..inside.end;
    let mut lengths = match &geometry {
        Some(inside) => Some(hierarchy::lengths(&store.piece(after(inside), budget)?, inside.start + 8, budget)?),
        None if beside.is_none() || hierarchy.is_some() => return Err(lacks("how long its signals are")),
        None => None,
    };
    let (bytes, at) = match (hierarchy, beside) {
        (Some((sort, inside)), _) => {
            let at = inside.start + 8;
            (hierarchy::unpacked(&store.piece(after(&inside), budget)?, sort, at, budget)?, at)
        }
        (None, Some(beside)) => (beside, 0),
        (None, None) => return Err(lacks("what its signals are called")),
    };
    let claim = budget.claim(bytes.len() as u64, READING)?;
    let (names, signals) = hierarchy::read(&bytes, at, &mut lengths, budget)?;
    drop(claim);
    let is_whole = geometry.is_some() && broken.is_none();
    file.lengths = lengths.unwrap_or_default();
    let unfinished = match is_whole {
        true => None,
        false => Some(how_far(store, &file, budget)?),
    };
    Ok(Found { file, names, signals, unfinished })
}

/// How far an unfinished file goes.
fn how_far(store: &Store<'_>, file: &Layout, budget: &Budget) -> Result<String, Damage> {
    let Some((_, last)) = file.changes.last() else { return Ok("it has no changes yet".to_owned()) };
    let ends = store.piece(last.start + 16..last.start + 24, budget)?;
    let time = file.time(Reader::of(&ends, last.start + 16).u64()?);
    let end = When { time, unit: file.unit, cycle: None };
    Ok(format!("the simulator was interrupted, and its last whole block ends at {end}"))
}

impl Layout {
    /// A time as the file counts it.
    fn time(&self, time: u64) -> Number {
        let number =
            i64::try_from(time).map_or_else(|_| time.to_string().parse().unwrap_or(Number::ZERO), Number::from);
        match self.zero {
            0 => number,
            zero => number.add(&Number::from(zero)).unwrap_or(number),
        }
    }
}

impl Body<'_> {
    /// Goes on to the next record.
    fn advance(&mut self, budget: &Budget) -> Result<bool, Damage> {
        loop {
            let Some(block) = &mut self.block else {
                let Some((sort, inside)) = self.file.changes.get(self.begun).cloned() else {
                    // The last time is over, too.
                    let time = self.time.take();
                    return Ok(time.is_some_and(|time| self.end_of_time(time)));
                };
                let first = self.begun == 0;
                self.begun += 1;
                let block = Block::open(&self.store, sort, inside, &self.file, &self.sampler, budget)?;
                if first {
                    block.first_values(&self.store, &self.file, &mut self.sampler, budget)?;
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
            self.recorded = self.file.time(time);
        }
        is_record
    }
}

impl States for Waveform<'_> {
    fn begin(&mut self) -> Result<bool, Error> {
        self.open()?;
        Ok(!self.over)
    }

    fn advance(&mut self) -> Result<bool, Error> {
        if !self.begin()? {
            return Ok(false);
        }
        let Some(body) = &mut self.body else { return Ok(false) };
        body.sampler.prepare()?;
        let found = body.advance(&self.budget);
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

    fn bits(&self, variable: u32) -> Option<(i64, i64)> {
        let body = self.body.as_ref()?;
        let Signal { kind, width } = body.sampler.signal(variable);
        (kind == SignalKind::Bits).then(|| body.ranges.of(variable, width))
    }

    fn tells_unknown(&self) -> bool {
        self.body.as_ref().is_none_or(|body| body.sampler.unknown() == waves::Unknown::Text)
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

    fn when(&self) -> Option<When> {
        let body = self.body.as_ref()?;
        Some(When { time: body.recorded.clone(), unit: body.file.unit, cycle: body.sampler.cycle() })
    }

    /// There are no lines; records are counted instead.
    fn line(&self) -> u64 {
        self.body.as_ref().map_or(1, |body| body.records.max(1))
    }

    fn offset(&self) -> u64 {
        self.body.as_ref().map_or(0, |body| body.store.len() as u64)
    }

    fn warnings(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.warnings)
    }

    fn nothing(&self) -> Diagnostic {
        match &self.body {
            Some(body) => body.sampler.nothing(),
            None => Diagnostic::new(Kind::Syntax, "the waveform is empty"),
        }
    }
}
