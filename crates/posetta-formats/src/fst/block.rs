//! One block of changes.
//!
//! A block has a table of times, and for each signal that changes a list of changes, each with how many times it comes after the one
//! before. [`Block::take`] walks through the times: the signals that change at a time are a linked list that starts in `first`, and a
//! signal whose change was taken is put into the list of its next one. So a block costs its changes, whatever its signals are.

use std::borrow::Cow;
use std::ops::Range;

use super::bytes::{Damage, Packing, Reader, unpack, unpack_if_packed};
use super::store::Store;
use super::{Layout, Length};
use crate::source::READING;
use crate::waves::{self, Sampler, SignalKind};
use posetta_base::{Budget, Claim, Value};

/// Bytes of the fixed part of a block and of three numbers behind it, at most.
const HEAD: usize = 8 + 24 + 3 * 10;

/// No signal.
const NONE: u32 = u32::MAX;

/// A block that is walked through.
pub(super) struct Block {
    start: u64,
    times: Vec<u64>,
    /// How many of them were taken.
    taken: usize,
    /// For each time the first signal that changes then, as a place in `lists`.
    first: Vec<u32>,
    lists: Vec<List>,
    /// The unpacked changes.
    data: Vec<u8>,
    /// Where it stands in the file, and its values at the start.
    at: usize,
    frame: Frame,
    /// The signals that change at the time at hand, sorted.
    now: Vec<u32>,
    bits: Vec<u8>,
    _claim: Claim,
}

/// The changes of a signal that were not taken.
#[derive(Clone, Copy, Debug)]
struct List {
    signal: u32,
    at: usize,
    end: usize,
    /// The next list with a change at the same time.
    next: u32,
}

/// The values of all signals when the block starts.
#[derive(Clone, Debug)]
struct Frame {
    packed: Range<usize>,
    length: u64,
    signals: u64,
}

/// Where the changes of a signal are: bytes after the beginning of all changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Located {
    Nowhere,
    At(u64, u64),
    /// Where those of another one are.
    As(usize),
}

impl Block {
    /// Unpacks a block, as far as its signals matter. `inside` are its bytes after the first.
    pub(super) fn open(
        store: &Store<'_>,
        sort: u8,
        inside: Range<usize>,
        file: &Layout,
        sampler: &Sampler,
        budget: &Budget,
    ) -> Result<Self, Damage> {
        let at = inside.start;
        // The length of the block, when it starts and ends and what its reader might want; then the frame says how long it is.
        let head = store.piece(at..inside.end.min(at + HEAD), budget)?;
        let mut reader = Reader::of(&head, at);
        reader.skip(8)?;
        let start = reader.u64()?;
        reader.skip(16)?;
        let frame = Frame::read(&mut reader, at, inside.end)?;
        let after = frame.packed.end;
        let mut claim = budget.claim(0, READING)?;
        // From the end: the times, then where the changes of each signal are.
        let (times, rest) = times(store, after..inside.end, budget)?;
        let chain_at = rest.checked_sub(8).filter(|&at| at >= after).ok_or_else(|| too_short(at))?;
        let chain_length = Reader::of(&store.piece(chain_at..rest, budget)?, chain_at).u64()?;
        let chain = usize::try_from(chain_length).ok().and_then(|length| chain_at.checked_sub(length));
        let chain = chain.filter(|&chain| chain >= after).ok_or_else(|| too_short(at))?;
        let head = store.piece(after..chain.min(after + HEAD), budget)?;
        let mut reader = Reader::of(&head, after);
        reader.varint()?;
        let changes = after + reader.at();
        let packing = match reader.u8()? {
            b'4' => Packing::Lz4,
            b'F' => Packing::FastLz,
            _ => Packing::Zlib,
        };
        let length = chain.checked_sub(changes).ok_or_else(|| too_short(at))?;
        let table = store.piece(chain..chain_at, budget)?;
        let located = locate(&table, sort, length as u64, file.lengths.len(), chain)?;
        drop(table);
        claim.grow_to((times.len() * 12 + located.len() * 24) as u64, READING)?;
        // Where many signals matter, one long piece is faster than many short ones.
        let all = match sampler.chosen().len() > file.lengths.len() / 8 {
            true => Some(store.piece(changes..chain, budget)?),
            false => None,
        };
        let mut block = Self {
            start,
            first: vec![NONE; times.len()],
            times,
            taken: 0,
            lists: Vec::new(),
            data: Vec::new(),
            at,
            frame,
            now: Vec::new(),
            bits: Vec::new(),
            _claim: claim,
        };
        for &signal in sampler.chosen() {
            let (from, to) = match located.get(signal as usize) {
                Some(&Located::At(from, to)) => (from, to),
                Some(&Located::As(other)) => match located.get(other) {
                    Some(&Located::At(from, to)) => (from, to),
                    _ => return Err(Damage::new(chain, "a signal changes as one that does not")),
                },
                Some(Located::Nowhere) | None => continue,
            };
            budget.step(1, READING)?;
            // Both are places between `changes` and `chain`.
            let (from, to) = (from as usize, to as usize);
            let fetched;
            let packed = match &all {
                Some(all) => all.get(from..to).ok_or_else(|| too_short(at))?,
                None => {
                    fetched = store.piece(changes + from..changes + to, budget)?;
                    &fetched[..]
                }
            };
            let mut reader = Reader::of(packed, changes + from);
            let length = reader.varint()?;
            let unpacked = match length {
                0 => Cow::Borrowed(reader.rest()),
                _ => Cow::Owned(unpack(reader.rest(), packing, length, changes + from, budget)?),
            };
            block._claim.grow_to(
                (block.times.len() * 12 + located.len() * 24 + 2 * (block.data.len() + unpacked.len())) as u64,
                READING,
            )?;
            let list = List { signal, at: block.data.len(), end: block.data.len() + unpacked.len(), next: NONE };
            block.data.extend_from_slice(&unpacked);
            block.lists.push(list);
            block.schedule(block.lists.len() - 1, 0, file)?;
        }
        Ok(block)
    }

    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// Where it stands in the file.
    pub(super) fn place(&self) -> usize {
        self.at
    }

    /// The next time.
    pub(super) fn next_time(&self) -> Option<u64> {
        self.times.get(self.taken).copied()
    }

    /// Tells the values of all signals when the block starts.
    pub(super) fn first_values(
        &self,
        store: &Store<'_>,
        file: &Layout,
        sampler: &mut Sampler,
        budget: &Budget,
    ) -> Result<(), Damage> {
        let packed = store.piece(self.frame.packed.clone(), budget)?;
        let at = self.frame.packed.start;
        let values = unpack_if_packed(&packed, self.frame.length, at, budget)?;
        let mut reader = Reader::new(&values, 0);
        for (signal, length) in file.lengths.iter().enumerate().take_while(|(i, _)| (*i as u64) < self.frame.signals) {
            let bytes = reader.take(length.bytes())?;
            if *length == Length::Variable || sampler.signal(signal as u32).kind == SignalKind::Event {
                continue;
            }
            if sampler.wants(signal as u32) {
                let value = value(signal as u32, bytes, file, sampler, at)?;
                sampler.change(signal as u32, value);
            }
        }
        Ok(())
    }

    /// Puts a list where its next change is; the last one was at `time`. One that is over is put nowhere.
    fn schedule(&mut self, list: usize, time: usize, file: &Layout) -> Result<(), Damage> {
        let List { signal, at, end, .. } = self.lists[list];
        if at == end {
            return Ok(());
        }
        let head = Reader::new(&self.data[..end], at).varint()?;
        let later = match file.lengths[signal as usize] {
            Length::Bits(1) if head & 1 == 0 => head >> 2,
            Length::Bits(1) => head >> 4,
            _ => head >> 1,
        };
        let then = usize::try_from(later).ok().and_then(|later| time.checked_add(later));
        let Some(slot) = then.and_then(|then| self.first.get_mut(then)) else {
            return Err(Damage::new(self.at, "a signal changes at a time that is not there"));
        };
        self.lists[list].next = std::mem::replace(slot, list as u32);
        Ok(())
    }

    /// Tells the changes of the next time.
    pub(super) fn take(&mut self, file: &Layout, sampler: &mut Sampler) -> Result<(), Damage> {
        let time = self.taken;
        self.taken += 1;
        // A signal may change more than once at one time, and is then put into this list again.
        while self.first[time] != NONE {
            let mut at = std::mem::replace(&mut self.first[time], NONE);
            self.now.clear();
            while at != NONE {
                self.now.push(at);
                at = self.lists[at as usize].next;
            }
            self.now.sort_unstable();
            for i in 0..self.now.len() {
                let list = self.now[i] as usize;
                self.change(list, file, sampler)?;
                self.schedule(list, time, file)?;
            }
        }
        Ok(())
    }

    /// Tells the next change of a list.
    fn change(&mut self, list: usize, file: &Layout, sampler: &mut Sampler) -> Result<(), Damage> {
        let List { signal, at, end, .. } = self.lists[list];
        let mut reader = Reader::new(&self.data[..end], at);
        let head = reader.varint()?;
        let length = file.lengths[signal as usize];
        let bytes = match length {
            Length::Bits(1) if head & 1 == 0 => &[b'0' | (head >> 1 & 1) as u8],
            Length::Bits(1) => {
                let which = (head >> 1 & 7) as usize;
                &b"xzhuwl-?"[which..=which]
            }
            Length::Variable => {
                let length = reader.length()?;
                reader.take(length)?
            }
            _ if head & 1 == 1 => reader.take(length.bytes())?,
            _ => {
                let packed = reader.take(length.bytes().div_ceil(8))?;
                self.bits.clear();
                let bit = |i: usize| b'0' | (packed[i / 8] >> (7 - i % 8) & 1);
                self.bits.extend((0..length.bytes()).map(bit));
                &self.bits[..]
            }
        };
        let value = value(signal, bytes, file, sampler, self.at)?;
        sampler.change(signal, value);
        self.lists[list].at = reader.at();
        Ok(())
    }
}

fn too_short(at: usize) -> Damage {
    Damage::new(at, "a block of changes is too short")
}

impl Frame {
    /// Of a block that stands from `at` to `end`.
    fn read(reader: &mut Reader<'_>, at: usize, end: usize) -> Result<Self, Damage> {
        let length = reader.varint()?;
        let packed = reader.length()?;
        let signals = reader.varint()?;
        let start = at + reader.at();
        let packed = start.checked_add(packed).filter(|&frame| frame <= end).ok_or_else(|| too_short(at))?;
        Ok(Self { packed: start..packed, length, signals })
    }
}

/// The times at the end of a part of a block, and where they begin.
fn times(store: &Store<'_>, inside: Range<usize>, budget: &Budget) -> Result<(Vec<u64>, usize), Damage> {
    let from = inside.start;
    let end = inside.end.checked_sub(24).filter(|&end| end >= from).ok_or_else(|| too_short(from))?;
    let tail = store.piece(end..inside.end, budget)?;
    let mut reader = Reader::of(&tail, end);
    let (length, packed, count) = (reader.u64()?, reader.u64()?, reader.u64()?);
    let start = usize::try_from(packed).ok().and_then(|packed| end.checked_sub(packed));
    let start = start.filter(|&start| start >= from).ok_or_else(|| too_short(from))?;
    let packed = store.piece(start..end, budget)?;
    let bytes = unpack_if_packed(&packed, length, start, budget)?;
    let _claim = budget.claim(8 * bytes.len() as u64, READING)?;
    let mut reader = Reader::new(&bytes, 0);
    let mut times = Vec::new();
    let mut time = 0u64;
    while (times.len() as u64) < count {
        let later = reader.varint()?;
        time = time.checked_add(later).ok_or_else(|| Damage::new(start, "a time is too large"))?;
        times.push(time);
    }
    Ok((times, start))
}

/// Finds the changes of each signal. `chain` says where they begin, `total` where the last ones end.
fn locate(chain: &[u8], sort: u8, total: u64, signals: usize, at: usize) -> Result<Vec<Located>, Damage> {
    let mut located: Vec<Located> = Vec::new();
    let mut reader = Reader::new(chain, 0);
    // The last that begins somewhere, and where; it ends where the next begins.
    let mut open: Option<(usize, u64)> = None;
    let mut alias = 0i64;
    let wrong = |what: &'static str| Damage::new(at, what);
    while let Some(&kind) = reader.rest().first() {
        if located.len() > signals {
            return Err(wrong("a block has more signals than the file"));
        }
        // What the entry says: so many without changes, as another one, or so much further on.
        let further = if sort == 8 && kind & 1 == 1 {
            let step = reader.signed_varint()? >> 1;
            if step < 0 {
                alias = step.checked_neg().ok_or_else(|| wrong("a number is too large"))? - 1;
            }
            if step <= 0 {
                let other = usize::try_from(alias).map_err(|_| wrong("a signal changes as one that is not there"))?;
                located.push(Located::As(other));
                continue;
            }
            step as u64
        } else {
            let number = reader.varint()?;
            match number {
                0 if sort != 8 => {
                    let other = reader.length()?.checked_sub(1);
                    located.push(Located::As(other.ok_or_else(|| wrong("a signal changes as one that is not there"))?));
                    continue;
                }
                _ if number & 1 == 0 => {
                    let without = usize::try_from(number >> 1).unwrap_or(usize::MAX);
                    if without > signals.saturating_sub(located.len()) {
                        return Err(wrong("a block has more signals than the file"));
                    }
                    located.resize(located.len() + without, Located::Nowhere);
                    continue;
                }
                _ => number >> 1,
            }
        };
        let before = open.map_or(0, |(_, from)| from);
        let from = before.checked_add(further).filter(|&from| from <= total).ok_or_else(|| too_short(at))?;
        if let Some((index, before)) = open.replace((located.len(), from)) {
            located[index] = Located::At(before, from);
        }
        located.push(Located::Nowhere);
    }
    if let Some((index, from)) = open {
        located[index] = Located::At(from, total);
    }
    if located.len() > signals {
        return Err(wrong("a block has more signals than the file"));
    }
    Ok(located)
}

/// What the bytes of a value stand for.
fn value(signal: u32, bytes: &[u8], file: &Layout, sampler: &Sampler, at: usize) -> Result<Value, Damage> {
    let declared = sampler.signal(signal);
    match (file.lengths[signal as usize], declared.kind) {
        (Length::Real, _) => {
            let mut eight = [0; 8];
            eight.copy_from_slice(bytes.get(..8).ok_or_else(|| too_short(at))?);
            let real = if file.big_endian { f64::from_be_bytes(eight) } else { f64::from_le_bytes(eight) };
            // The shortest decimal that is this number: what was meant by 0.1.
            Ok(waves::real(&real.to_string()).unwrap_or(Value::Text("nan".to_owned())))
        }
        (Length::Variable, _) | (_, SignalKind::Text) => Ok(Value::Text(String::from_utf8_lossy(bytes).into_owned())),
        (Length::Bits(width), _) => waves::vector(bytes, width, sampler.unknown())
            .map_err(|_| Damage::new(at, "a value of a signal is not made of bits")),
    }
}
