//! One instance of each property for each stream: a stream for each key, otherwise one.
//!
//! Keys are interned and never forgotten, so that a stream whose property is determined does not start anew: afterwards it costs its
//! key, about 17 bytes, and 8 for each property. Instances live in a slab whose places are used again.

use crate::Instance;
use posetta_base::{Budget, Claim, Interner, Limit, OverBudget, Symbol};
use posetta_compile::Answers;

/// There are too many streams, or they take too much.
pub(crate) const FULL: OverBudget = OverBudget::new(KEEPING, Limit::Memory);

const KEEPING: &str = "keeping the streams";

/// So many new streams between two looks at the budget.
const STRIDE: usize = 256;

/// One of the streams of a [`Watcher`](crate::Watcher): they are numbered in the order of their first records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(Symbol);

/// One of the properties of a [`Watcher`](crate::Watcher): its place among those that were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PropertyId(pub(crate) usize);

impl PropertyId {
    /// Its place, from 0.
    #[must_use]
    #[inline]
    pub fn index(self) -> usize {
        self.0
    }
}

/// How far a property is on a stream. What there is of one that is followed depends on who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage<L> {
    /// It has not begun.
    New,
    /// It is followed.
    Live(L),
    /// It is determined, and its instance has gone.
    Done { holds: bool },
}

/// An instance, and what was answered last.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) instance: Instance,
    pub(crate) last: Option<Answers>,
}

/// All streams.
#[derive(Debug)]
pub(crate) struct Streams {
    properties: usize,
    keys: Interner,
    /// The stream of the last record: the next one is often of the same.
    last: Option<StreamId>,
    /// For each stream, in the order of its first record, one for each property: the place of its instance in the slab.
    stages: Vec<Stage<u32>>,
    live: Vec<Option<Live>>,
    free: Vec<u32>,
    claim: Option<Claim>,
}

impl Streams {
    pub(crate) fn new(properties: usize) -> Self {
        Self {
            properties,
            keys: Interner::new(),
            last: None,
            stages: Vec::new(),
            live: Vec::new(),
            free: Vec::new(),
            claim: None,
        }
    }

    /// The stream of a key, which may be a new one.
    #[inline]
    pub(crate) fn of(&mut self, key: &str, budget: &Budget) -> Result<StreamId, OverBudget> {
        match self.last {
            Some(last) if self.key(last) == key => Ok(last),
            _ => self.look_up(key, budget),
        }
    }

    fn look_up(&mut self, key: &str, budget: &Budget) -> Result<StreamId, OverBudget> {
        let symbol = self.keys.intern(key).ok_or(FULL)?;
        let stream = symbol.index();
        if stream * self.properties == self.stages.len() {
            self.stages.resize(self.stages.len() + self.properties, Stage::New);
            if stream.is_multiple_of(STRIDE) {
                self.hold(budget)?;
            }
        }
        self.last = Some(StreamId(symbol));
        Ok(StreamId(symbol))
    }

    /// What an instance holds beside its own size is known to nobody; whoever holds the stop of the budget sees it.
    fn hold(&mut self, budget: &Budget) -> Result<(), OverBudget> {
        let claim = match &mut self.claim {
            Some(claim) => claim,
            None => self.claim.insert(budget.claim(0, KEEPING)?),
        };
        let bytes = self.keys.bytes()
            + self.stages.capacity() * size_of::<Stage<u32>>()
            + self.live.capacity() * size_of::<Option<Live>>()
            + self.free.capacity() * size_of::<u32>();
        claim.grow_to(bytes as u64, KEEPING)
    }

    /// The stream of a key that has come.
    pub(crate) fn find(&self, key: &str) -> Option<StreamId> {
        self.keys.get(key).map(StreamId)
    }

    /// How many streams there are.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// All of them, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = StreamId> + use<> {
        (0..self.keys.len()).filter_map(|stream| Symbol::new(stream).map(StreamId))
    }

    /// The key of a stream.
    pub(crate) fn key(&self, stream: StreamId) -> &str {
        self.keys.resolve(stream.0)
    }

    fn cell(&self, stream: StreamId, property: usize) -> usize {
        stream.0.index() * self.properties + property
    }

    /// How far a property is on a stream.
    pub(crate) fn stage(&self, stream: StreamId, property: usize) -> Stage<&Live> {
        match self.stages[self.cell(stream, property)] {
            Stage::New => Stage::New,
            Stage::Live(index) => self.live[index as usize].as_ref().map_or(Stage::New, Stage::Live),
            Stage::Done { holds } => Stage::Done { holds },
        }
    }

    /// The instance of a property on a stream, begun if it has not; `None` if it is done.
    pub(crate) fn live(
        &mut self,
        stream: StreamId,
        property: usize,
        begin: impl FnOnce() -> Instance,
    ) -> Result<Option<&mut Live>, OverBudget> {
        let index = match self.stages[self.cell(stream, property)] {
            Stage::Done { .. } => return Ok(None),
            Stage::Live(index) => index,
            Stage::New => self.put(stream, property, Live { instance: begin(), last: None })?,
        };
        Ok(self.live[index as usize].as_mut())
    }

    /// Gives a property that has not begun on a stream its instance.
    pub(crate) fn put(&mut self, stream: StreamId, property: usize, live: Live) -> Result<u32, OverBudget> {
        let index = match self.free.pop() {
            Some(index) => index,
            None => {
                let index = u32::try_from(self.live.len()).map_err(|_| FULL)?;
                self.live.push(None);
                index
            }
        };
        self.live[index as usize] = Some(live);
        let cell = self.cell(stream, property);
        self.stages[cell] = Stage::Live(index);
        Ok(index)
    }

    /// A property is determined on a stream: its instance goes.
    pub(crate) fn finish(&mut self, stream: StreamId, property: usize, holds: bool) {
        self.leave(stream, property, Stage::Done { holds });
    }

    /// Nothing more is asked about a property: all its instances go.
    pub(crate) fn drop_property(&mut self, property: usize) {
        for stream in self.iter() {
            if let Stage::Live(_) = self.stages[self.cell(stream, property)] {
                self.leave(stream, property, Stage::New);
            }
        }
    }

    fn leave(&mut self, stream: StreamId, property: usize, next: Stage<u32>) {
        let cell = self.cell(stream, property);
        if let Stage::Live(index) = std::mem::replace(&mut self.stages[cell], next) {
            self.live[index as usize] = None;
            self.free.push(index);
        }
    }
}
