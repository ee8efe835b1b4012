//! A dump as words between blanks.

use std::io::BufRead;
use std::ops::Range;

use crate::lines::LONGEST_MESSAGE;
use crate::source::Source;
use posetta_base::{Budget, Diagnostic, Error, Kind, OverBudget, Place};

/// The words of a dump, one after the other. A word is a range of the line at hand, which is there until the next one is asked for.
pub(super) struct Tokens<R> {
    source: Source<R>,
    /// How much of the line was read.
    at: usize,
    /// Bytes that the user holds.
    pub(super) held: usize,
}

impl<R: BufRead> Tokens<R> {
    pub(super) fn new(reader: R, budget: &Budget) -> Result<Self, OverBudget> {
        Ok(Self { source: Source::new(reader, budget)?, at: 0, held: 0 })
    }

    /// The next word of this line. Those before it stay where they are.
    #[inline]
    pub(super) fn next_on_line(&mut self) -> Option<Range<usize>> {
        let line = self.source.line();
        let start = self.at + line.get(self.at..)?.iter().position(|b| !b.is_ascii_whitespace())?;
        let length = line[start..].iter().position(u8::is_ascii_whitespace);
        self.at = length.map_or(line.len(), |length| start + length);
        Some(start..self.at)
    }

    /// The next word of this or a later line; `None` at the end of the input.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<Range<usize>>, Error> {
        loop {
            if let Some(word) = self.next_on_line() {
                return Ok(Some(word));
            }
            self.at = 0;
            if !self.source.next_line(self.held)? {
                return Ok(None);
            }
        }
    }

    /// The bytes of a word.
    #[inline]
    pub(super) fn bytes(&self, word: &Range<usize>) -> &[u8] {
        &self.source.line()[word.clone()]
    }

    /// A word as text; what is not UTF-8 is replaced.
    pub(super) fn text(&self, word: &Range<usize>) -> String {
        String::from_utf8_lossy(self.bytes(word)).into_owned()
    }

    /// The word that was read last is read again.
    pub(super) fn unread(&mut self, word: &Range<usize>) {
        self.at = word.start;
    }

    /// Whether the input ends with the line at hand, without an end of it, and nothing but blanks stands behind what was read of it.
    pub(super) fn is_torn(&self) -> bool {
        let rest = self.source.line().get(self.at..).unwrap_or_default();
        self.source.number() > 0 && self.source.ending().is_empty() && rest.iter().all(u8::is_ascii_whitespace)
    }

    /// Whether the input ends with this word of the line at hand, without so much as a blank behind it.
    #[inline]
    pub(super) fn breaks_off_in(&self, word: &Range<usize>) -> bool {
        self.source.ending().is_empty() && word.end == self.source.line().len() && !word.is_empty()
    }

    /// The line at hand from this word on.
    pub(super) fn from(&self, word: &Range<usize>) -> &[u8] {
        &self.source.line()[word.start..]
    }

    /// Reads no more of this line.
    pub(super) fn skip_line(&mut self) {
        self.at = self.source.line().len();
    }

    pub(super) fn line(&self) -> u64 {
        self.source.number()
    }

    pub(super) fn offset(&self) -> u64 {
        self.source.offset()
    }

    /// A mistake in the line at hand.
    pub(super) fn mistake(&self, kind: Kind, span: Range<usize>, message: impl Into<String>) -> Diagnostic {
        let line = self.source.line();
        // Replacements are longer than what they replace.
        let before = |at: usize| String::from_utf8_lossy(&line[..at.min(line.len())]).len();
        let (start, end) = (before(span.start), before(span.end));
        let place = Place::in_line(self.source.number().max(1), &String::from_utf8_lossy(line), start, end);
        let mut message = message.into();
        if let Some((cut, _)) = message.char_indices().nth(LONGEST_MESSAGE) {
            message.truncate(cut);
            message.push('…');
        }
        Diagnostic::new(kind, message).at(place)
    }

    /// The input ends inside something.
    pub(super) fn cut_off(&self, inside: &str, expected: &str) -> Diagnostic {
        Diagnostic::new(Kind::Truncated, format!("the file ends inside {inside}; was it cut off?"))
            .at(Place::line_only(self.source.number().max(1)))
            .label(format!("expected {expected}"))
    }
}
