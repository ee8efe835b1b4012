//! What a watcher says, and what it has counted.

use crate::{PropertyId, StreamId};
use posetta_base::{Diagnostic, OverBudget};
use posetta_compile::{Answers, Prospect};

/// Of the keys of streams so many are kept to be named.
pub(crate) const NAMED: usize = 5;

/// Something that a [`Watcher`](crate::Watcher) says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// What is known of a property on a stream.
    Answered(Answered),
    /// A property cannot take the record, which is left out for it: a string where it needs a number.
    Mistyped {
        /// The property.
        property: PropertyId,
        /// The line of the record.
        line: u64,
        /// What is wrong; the places are in the property.
        mistakes: Vec<Diagnostic>,
    },
    /// The record says nothing of the key that tells streams apart, and is left out.
    Keyless {
        /// The line of the record.
        line: u64,
    },
    /// A property is none that can be followed, or does not fit the stream. It is not followed any more.
    Failed {
        /// The property.
        property: PropertyId,
        /// What is wrong; the places are in the property.
        mistakes: Vec<Diagnostic>,
    },
    /// A property has become too much. It is not followed any more, and what was open is unknown.
    GivenUp {
        /// The property.
        property: PropertyId,
        /// The limit that was reached.
        over: OverBudget,
    },
    /// Something worth knowing about a property that changes nothing.
    Warned {
        /// The property.
        property: PropertyId,
        /// The warning.
        warning: Diagnostic,
    },
}

/// What is known of a property on a stream after a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answered {
    /// The property.
    pub property: PropertyId,
    /// The stream; [`Watcher::key`](crate::Watcher::key) has its key.
    pub stream: StreamId,
    /// The position that the record made.
    pub position: u64,
    /// The line of the record.
    pub line: u64,
    /// What is known now.
    pub answers: Answers,
    /// What was known before this record; `None` if it is the first of the stream.
    pub before: Option<Answers>,
    /// It is open, and may be determined all the same: nobody knows all completions of so large a property, or of one over such values.
    pub late: bool,
}

impl Answered {
    /// Whether the same was said before: only where every answer is asked for.
    #[must_use]
    pub fn is_again(&self) -> bool {
        self.before == Some(self.answers)
    }

    /// Whether this record determines the property.
    #[must_use]
    pub fn determines(&self) -> bool {
        let was_open = self.before.is_none_or(|before| before.prospect == Prospect::Open);
        was_open && self.answers.prospect != Prospect::Open
    }

    /// Whether since this record no continuation is determined.
    #[must_use]
    pub fn ends_hope(&self) -> bool {
        let hopeless = |answers: Answers| answers.monitorable == Some(false);
        hopeless(self.answers) && !self.before.is_some_and(hopeless)
    }
}

/// Whether a property is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// It is.
    #[default]
    Followed,
    /// A limit was reached; what was open is unknown.
    GivenUp(OverBudget),
    /// It is none that can be followed, or does not fit the stream.
    Failed,
}

/// What has become of a property on all streams.
#[derive(Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// Whether it is followed.
    pub state: State,
    /// On how many streams it is positively determined.
    pub holds: u64,
    /// On how many streams it is negatively determined.
    pub violated: u64,
    /// The keys of the first streams that violate it; none if there are no keys.
    pub violated_keys: Vec<String>,
    /// The position and the line at which it was determined, if there are no keys.
    pub since: Option<(u64, u64)>,
}

impl Clone for Tally {
    fn clone(&self) -> Self {
        Self { violated_keys: self.violated_keys.clone(), ..*self }
    }

    /// Keeps its room: whoever shows what has become of a property copies it often.
    fn clone_from(&mut self, other: &Self) {
        self.violated_keys.clone_from(&other.violated_keys);
        *self = Self { violated_keys: std::mem::take(&mut self.violated_keys), ..*other };
    }
}

impl Tally {
    pub(crate) fn is_followed(&self) -> bool {
        self.state == State::Followed
    }

    /// The property is determined on a stream.
    pub(crate) fn count(&mut self, told: &Answered, key: Option<&str>) {
        let holds = told.answers.prospect == Prospect::Holds;
        let count = if holds { &mut self.holds } else { &mut self.violated };
        *count = count.saturating_add(1);
        match key {
            None => self.since = Some((told.position, told.line)),
            Some(key) if !holds && self.violated_keys.len() < NAMED => self.violated_keys.push(key.to_owned()),
            Some(_) => {}
        }
    }
}

/// How many records there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Records that have come.
    pub records: u64,
    /// Records that a property could not take, for each property.
    pub mistyped: u64,
    /// Records without a key.
    pub keyless: u64,
    /// The line of the first of these.
    pub first_keyless: Option<u64>,
}

/// What streams on which a property is open count as when everything is over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AtEnd {
    /// Streams that satisfy it if they end here.
    pub satisfied: u64,
    /// Streams that do not.
    pub unsatisfied: u64,
    /// The keys of the first of these.
    pub unsatisfied_keys: Vec<String>,
}

impl AtEnd {
    pub(crate) fn count(&mut self, satisfied: bool, key: &str) {
        if satisfied {
            self.satisfied += 1;
            return;
        }
        self.unsatisfied += 1;
        if self.unsatisfied_keys.len() < NAMED {
            self.unsatisfied_keys.push(key.to_owned());
        }
    }
}
