//! What is missing in the records that a run was read from.

use std::fmt;

/// What a run lacks, as far as its records tell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lack {
    /// What is missing.
    pub what: Missing,
    /// How often.
    pub count: usize,
    /// Some of those that miss it, by what reports call them.
    pub examples: Vec<String>,
}

/// Something that records can show to be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Missing {
    /// Spans that others name as their parents.
    Parents,
    /// Spans that others link to.
    Linked,
    /// Spans, span events or links that their recorder says it has dropped.
    Dropped,
    /// Ends of spans or operations that began.
    Ends,
    /// Sends of messages that were received.
    Sends,
}

impl Missing {
    /// Everything that can be missing.
    pub const ALL: [Self; 5] = [Self::Parents, Self::Linked, Self::Dropped, Self::Ends, Self::Sends];

    /// What files and reports call so.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|missing| missing.word() == word)
    }

    /// What files and reports call it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Parents => "missing parent",
            Self::Linked => "missing linked span",
            Self::Dropped => "dropped",
            Self::Ends => "missing end",
            Self::Sends => "receive without a send",
        }
    }

    /// Whether only order is missing: every event is there.
    #[must_use]
    pub fn is_order_only(self) -> bool {
        self == Self::Sends
    }
}

impl Lack {
    /// So many of them are named.
    const EXAMPLES: usize = 5;

    /// Nothing of this yet.
    #[must_use]
    pub fn new(what: Missing) -> Self {
        Self { what, count: 0, examples: Vec::new() }
    }

    /// One more.
    pub fn add(&mut self, example: impl FnOnce() -> String) {
        self.count += 1;
        if self.examples.len() < Self::EXAMPLES {
            self.examples.push(example());
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
