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

/// How many answers are which.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// So many hold.
    pub holds: u64,
    /// So many are violated, and nobody knew.
    pub violated: u64,
    /// So many are violated, and somebody has said that this is known.
    pub known: u64,
    /// So many are not known.
    pub unknown: u64,
}

impl Tally {
    /// Counts an answer. Only what is violated can be known before.
    pub fn add(&mut self, word: Word, known: bool) {
        *match word {
            Word::Holds => &mut self.holds,
            Word::Violated if known => &mut self.known,
            Word::Violated => &mut self.violated,
            Word::Unknown => &mut self.unknown,
        } += 1;
    }

    /// How many there are.
    #[must_use]
    pub fn all(&self) -> u64 {
        self.holds + self.violated + self.known + self.unknown
    }

    /// The exit status: a violation that is not known beats an open question.
    #[must_use]
    pub fn status(&self) -> u8 {
        match self {
            Self { violated: 1.., .. } => Word::Violated.status(),
            Self { unknown: 1.., .. } => Word::Unknown.status(),
            _ => Word::Holds.status(),
        }
    }

    /// In words, without those that none is: `1 violated, 2 hold`.
    #[must_use]
    pub fn parts(&self, paint: Paint) -> Vec<String> {
        let mut parts = Vec::new();
        if self.violated > 0 {
            parts.push(paint.red(&format!("{} violated", grouped(self.violated))));
        }
        if self.known > 0 {
            parts.push(paint.yellow(&format!("{} violated as known", grouped(self.known))));
        }
        if self.unknown > 0 {
            parts.push(paint.yellow(&format!("{} unknown", grouped(self.unknown))));
        }
        if self.holds > 0 {
            parts.push(paint.green(&counted(self.holds, "holds", "hold")));
        }
        parts
    }
}

impl FromIterator<Word> for Tally {
    fn from_iter<I: IntoIterator<Item = Word>>(words: I) -> Self {
        let mut tally = Self::default();
        words.into_iter().for_each(|word| tally.add(word, false));
        tally
    }
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
        let mut tally: Tally = [Holds, Violated, Holds].into_iter().collect();
        assert_eq!(
            (tally.parts(Paint::plain()), tally.status()),
            (vec!["1 violated".to_owned(), "2 hold".to_owned()], 1)
        );
        tally = [Holds, Unknown].into_iter().collect();
        tally.add(Violated, true);
        let words = ["1 violated as known", "1 unknown", "1 holds"].map(str::to_owned);
        assert_eq!((tally.parts(Paint::plain()), tally.status(), tally.all()), (words.to_vec(), 3, 3));
    }
}
