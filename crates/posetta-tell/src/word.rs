//! What became of a property, in one word.

use posetta_base::Verdict;

use crate::amounts::{counted, grouped};
use crate::paint::Paint;

/// What was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// It is so.
    Holds,
    /// It is not so.
    Violated,
    /// A limit was reached first, or there is nothing that says it.
    Unknown,
}

impl Word {
    /// As reports say it.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Violated => "violated",
            Self::Unknown => "unknown",
        }
    }

    /// The same about a run whose format has no other order.
    #[must_use]
    pub fn on_the_only_order(self) -> String {
        format!("{} on the recorded order; this format has no other", self.text())
    }

    /// The sign before a property.
    #[must_use]
    pub fn mark(self, paint: Paint) -> String {
        match self {
            Self::Holds => paint.green(&paint.signs("✓")),
            Self::Violated => paint.red(&paint.signs("✗")),
            Self::Unknown => paint.yellow("?"),
        }
    }

    /// The exit status of a command that answers this one question.
    #[must_use]
    pub fn status(self) -> u8 {
        match self {
            Self::Holds => 0,
            Self::Violated => 1,
            Self::Unknown => 3,
        }
    }

    /// The exit status of several answers: a violation beats an open question.
    #[must_use]
    pub fn status_of(all: impl IntoIterator<Item = Self>) -> u8 {
        let rank = |word: &Self| match word {
            Self::Violated => 2,
            Self::Unknown => 1,
            Self::Holds => 0,
        };
        all.into_iter().max_by_key(rank).map_or(0, Self::status)
    }
}

impl From<bool> for Word {
    fn from(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Violated }
    }
}

impl<W> From<&Verdict<W>> for Word {
    fn from(verdict: &Verdict<W>) -> Self {
        match verdict {
            Verdict::Holds => Self::Holds,
            Verdict::Violated(_) => Self::Violated,
            Verdict::Unknown(_) => Self::Unknown,
        }
    }
}

/// How many answers are which, without those that none is: `1 violated, 2 hold`.
#[must_use]
pub fn tally(words: &[Word], paint: Paint) -> Vec<String> {
    let count = |word: Word| words.iter().filter(|&&w| w == word).count() as u64;
    let (holds, violated, unknown) = (count(Word::Holds), count(Word::Violated), count(Word::Unknown));
    let mut parts = Vec::new();
    if violated > 0 {
        parts.push(paint.red(&format!("{} violated", grouped(violated))));
    }
    if unknown > 0 {
        parts.push(paint.yellow(&format!("{} unknown", grouped(unknown))));
    }
    if holds > 0 {
        parts.push(paint.green(&counted(holds, "holds", "hold")));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violation_beats_an_open_question() {
        use Word::{Holds, Unknown, Violated};
        for (words, status) in
            [(vec![], 0), (vec![Holds, Holds], 0), (vec![Holds, Unknown], 3), (vec![Unknown, Violated, Holds], 1)]
        {
            assert_eq!(Word::status_of(words.iter().copied()), status, "{words:?}");
        }
        assert_eq!(tally(&[Holds, Violated, Holds], Paint::plain()), ["1 violated", "2 hold"]);
    }
}
