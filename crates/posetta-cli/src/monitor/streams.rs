//! One instance of each property for each stream; with `--key` a stream for each key, otherwise one.
//!
//! Keys are interned and never forgotten, so that a stream whose property is determined does not start anew: afterwards it costs its
//! key, about 17 bytes, and 8 for each property. Instances live in a slab whose places are used again.

use posetta_base::{Budget, Claim, Interner, OverBudget, Symbol};
use posetta_monitor::{Answers, Instance};

const KEEPING: &str = "keeping the streams";

/// So many new streams between two looks at the budget.
const STRIDE: usize = 256;

/// Where a property stands on a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It has not begun.
    New,
    /// Its instance is in the slab.
    Live(u32),
    /// It is determined, and its instance has gone.
    Done { holds: bool },
}

/// An instance, and what was answered last.
#[derive(Debug)]
pub struct Live {
    pub instance: Instance,
    pub last: Option<Answers>,
}

/// All streams.
#[derive(Debug)]
pub struct Streams {
    properties: usize,
    keys: Interner,
    /// For each stream, in the order of its first record, one for each property.
    places: Vec<Place>,
    live: Vec<Option<Live>>,
    free: Vec<u32>,
    claim: Option<Claim>,
}

impl Streams {
    pub fn new(properties: usize) -> Self {
        Self { properties, keys: Interner::new(), places: Vec::new(), live: Vec::new(), free: Vec::new(), claim: None }
    }

    /// The stream of a key.
    pub fn of(&mut self, key: &str, budget: &Budget) -> Result<usize, OverBudget> {
        let full = || OverBudget { what: KEEPING, limit: posetta_base::Limit::Memory };
        let stream = self.keys.intern(key).ok_or_else(full)?.index();
        if stream * self.properties == self.places.len() {
            self.places.resize(self.places.len() + self.properties, Place::New);
            if stream.is_multiple_of(STRIDE) {
                self.hold(budget)?;
            }
        }
        Ok(stream)
    }

    /// What an instance holds beside its own size is known to nobody; the watchdog sees it.
    fn hold(&mut self, budget: &Budget) -> Result<(), OverBudget> {
        let claim = match &mut self.claim {
            Some(claim) => claim,
            None => self.claim.insert(budget.claim(0, KEEPING)?),
        };
        let bytes = self.keys.bytes()
            + self.places.capacity() * size_of::<Place>()
            + self.live.capacity() * size_of::<Option<Live>>()
            + self.free.capacity() * size_of::<u32>();
        claim.grow_to(bytes as u64, KEEPING)
    }

    /// The stream of a key that has come.
    pub fn find(&self, key: &str) -> Option<usize> {
        self.keys.get(key).map(Symbol::index)
    }

    /// How many streams there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// The key of a stream.
    pub fn key(&self, stream: usize) -> &str {
        Symbol::new(stream).map_or("", |symbol| self.keys.resolve(symbol))
    }

    pub fn place(&self, stream: usize, property: usize) -> Place {
        self.places[stream * self.properties + property]
    }

    /// The instance of a property on a stream, begun if it has not; `None` if it is done.
    pub fn live(
        &mut self,
        stream: usize,
        property: usize,
        begin: impl FnOnce() -> Instance,
    ) -> Result<Option<&mut Live>, OverBudget> {
        let index = match self.place(stream, property) {
            Place::Done { .. } => return Ok(None),
            Place::Live(index) => index,
            Place::New => self.put(stream, property, Live { instance: begin(), last: None })?,
        };
        Ok(self.live[index as usize].as_mut())
    }

    fn put(&mut self, stream: usize, property: usize, live: Live) -> Result<u32, OverBudget> {
        let index = match self.free.pop() {
            Some(index) => index,
            None => {
                let full = |_| OverBudget { what: KEEPING, limit: posetta_base::Limit::Memory };
                let index = u32::try_from(self.live.len()).map_err(full)?;
                self.live.push(None);
                index
            }
        };
        self.live[index as usize] = Some(live);
        self.places[stream * self.properties + property] = Place::Live(index);
        Ok(index)
    }

    /// Puts a stream where it was.
    pub fn restore(&mut self, stream: usize, property: usize, live: Live) -> Result<(), OverBudget> {
        self.put(stream, property, live).map(|_| ())
    }

    /// A property is determined on a stream: its instance goes.
    pub fn finish(&mut self, stream: usize, property: usize, holds: bool) {
        let place = &mut self.places[stream * self.properties + property];
        if let Place::Live(index) = *place {
            self.live[index as usize] = None;
            self.free.push(index);
        }
        *place = Place::Done { holds };
    }

    /// Nothing more is asked about a property: all its instances go.
    pub fn drop_property(&mut self, property: usize) {
        for stream in 0..self.len() {
            let place = &mut self.places[stream * self.properties + property];
            if let Place::Live(index) = *place {
                self.live[index as usize] = None;
                self.free.push(index);
                *place = Place::New;
            }
        }
    }

    /// The instance of a property on a stream, if it has one.
    pub fn get(&self, stream: usize, property: usize) -> Option<&Live> {
        match self.place(stream, property) {
            Place::Live(index) => self.live[index as usize].as_ref(),
            Place::New | Place::Done { .. } => None,
        }
    }
}
