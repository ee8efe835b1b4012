//! What is known so far about a model, where both the work and the watchdog see it.

use posetta_base::{Limit, OverBudget};
use posetta_tell::Word;
use posetta_tell::verified::{fds, system};

use super::progress;
use crate::progress::Now;

/// A report that is being filled: what is known, and what is being done.
pub(super) struct Filling<T> {
    pub(super) known: T,
    /// As a phrase that follows "while".
    pub(super) doing: &'static str,
    /// Everything that will be known is.
    pub(super) done: bool,
}

impl<T: Fillable> Filling<T> {
    pub(super) fn new(known: T) -> Self {
        Self { known, doing: "reading the model", done: false }
    }

    /// What is being done, for whoever waits.
    pub(super) fn progress(&self) -> Now {
        let slots = self.known.slots();
        let names: Vec<&str> = slots.iter().map(|(name, _)| *name).collect();
        progress(self.doing, &names, |place| slots[place].1)
    }

    /// A limit was reached, and the work did not notice.
    pub(super) fn stop(&mut self, limit: Limit) {
        if !self.done && !self.known.is_mistaken() {
            *self.known.over() = Some(OverBudget::new(self.doing, limit));
        }
    }
}

/// What is told of a model of either sort.
pub(super) trait Fillable {
    /// What the properties are called, and which of them are open.
    fn slots(&self) -> Vec<(&str, bool)>;
    /// Whether there are mistakes.
    fn is_mistaken(&self) -> bool;
    /// The limit that left something open.
    fn over(&mut self) -> &mut Option<OverBudget>;
    /// 2 for a mistake beats 1 for a violation beats 3 for an open question.
    fn exit_status(&self) -> u8;
}

impl Fillable for fds::Verified {
    fn slots(&self) -> Vec<(&str, bool)> {
        self.asked.iter().zip(&self.slots).map(|(asked, slot)| (asked.name.as_str(), slot.is_none())).collect()
    }

    fn is_mistaken(&self) -> bool {
        !self.problems.is_empty()
    }

    fn over(&mut self) -> &mut Option<OverBudget> {
        &mut self.over
    }

    fn exit_status(&self) -> u8 {
        if self.is_mistaken() {
            return 2;
        }
        Word::status_of(self.words().into_iter().chain(self.over.map(|_| Word::Unknown)))
    }
}

impl Fillable for system::Verified {
    fn slots(&self) -> Vec<(&str, bool)> {
        self.asked.iter().zip(&self.slots).map(|(asked, slot)| (asked.name.as_str(), slot.is_none())).collect()
    }

    fn is_mistaken(&self) -> bool {
        !self.problems.is_empty()
    }

    fn over(&mut self) -> &mut Option<OverBudget> {
        &mut self.over
    }

    fn exit_status(&self) -> u8 {
        if self.is_mistaken() {
            return 2;
        }
        let is_open = self.over.is_some() || (self.explores && self.word(0).0 == Word::Unknown);
        Word::status_of(self.words().into_iter().chain(is_open.then_some(Word::Unknown)))
    }
}
