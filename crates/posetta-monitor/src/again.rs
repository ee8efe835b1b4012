//! A source that is read again from its start, because some of a checkpoint could not be taken back.
//!
//! What stands before the place of the checkpoint has been said: it is read, and nothing is said of it. Lines of the source that are no
//! records stand between the records, so the place is an offset, which is [reached](Watcher::reach). Whoever feeds a watcher and
//! has no offsets leaves that of the bookmark at 0; then the records are counted. At the place it shows whether the source is the one that the checkpoint was made of.

use crate::checkpoint::{Head, Refusal};
use crate::{Notice, Watcher};

/// The place up to which everything has been said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Again {
    offset: u64,
    records: u64,
    lines: u64,
}

impl Again {
    /// The place of a checkpoint.
    pub(crate) fn of(head: &Head) -> Self {
        Self { offset: head.bookmark.offset, records: head.records, lines: head.bookmark.lines }
    }
}

impl Watcher {
    /// Whether what there is to say now has been said before.
    #[must_use]
    #[inline]
    pub fn is_muted(&self) -> bool {
        self.again.is_some_and(|again| again.offset > 0 || self.counts.records <= again.records)
    }

    /// What is to be said of the last record and has not been said before.
    pub(crate) fn spoken(&self) -> &[Notice] {
        if self.is_muted() { &[] } else { self.notices() }
    }

    /// Whoever feeds it has read the source up to this byte and told so many lines of what came before: past the place of a
    /// checkpoint things are said again. To be called with every piece of the source, before the watcher [reads](Self::read) it.
    ///
    /// # Errors
    /// When the source is not the one that the checkpoint was made of.
    pub fn reach(&mut self, offset: u64, lines: u64) -> Result<(), Refusal> {
        match self.again.take_if(|again| offset > again.offset) {
            Some(again) => self.is_where(again, lines),
            None => Ok(()),
        }
    }

    /// The same at the end of the source.
    ///
    /// # Errors
    /// When the source ends before the place of the checkpoint, too.
    pub fn reach_end(&mut self, offset: u64, lines: u64) -> Result<(), Refusal> {
        match self.again.take() {
            Some(again) if offset < again.offset => Err(Refusal::EndsEarly),
            Some(again) => self.is_where(again, lines),
            None => Ok(()),
        }
    }

    /// Whether a place of a checkpoint has not been reached yet: no place to go on from.
    #[must_use]
    pub fn is_reading_again(&self) -> bool {
        self.again.is_some()
    }

    /// From here on things are said, wherever the source is.
    pub fn speak(&mut self) {
        self.again = None;
    }

    fn is_where(&self, again: Again, lines: u64) -> Result<(), Refusal> {
        let is_same = (lines, self.counts.records) == (again.lines, again.records);
        if is_same { Ok(()) } else { Err(Refusal::OtherSource) }
    }
}
