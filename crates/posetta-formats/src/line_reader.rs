//! Lines of an input, asked for one by one.
//!
//! The counterpart of [`lines::read_into`](super::lines::read_into) for whoever pulls: a line is looked at where the reader
//! buffers it, and the place behind it is known.

use std::io::{BufRead, ErrorKind};

use super::lines::{self, Line, READING, STRIDE};
use posetta_base::{Budget, Claim, Diagnostic, Error, Kind, OverBudget, Place};

/// Reads lines one by one.
#[derive(Debug)]
pub(super) struct LineReader<R> {
    reader: R,
    /// The beginning of a line that did not end in the reader's buffer; most lines do and are not copied.
    begun: Vec<u8>,
    /// The number of the last line.
    number: u64,
    /// Where the next line begins.
    offset: u64,
    ended: bool,
    budget: Budget,
    claim: Option<Claim>,
}

impl<R: BufRead> LineReader<R> {
    /// A reader of what stands behind `number` lines, which take `offset` bytes.
    pub(super) fn new_at(reader: R, number: u64, offset: u64, budget: &Budget) -> Self {
        Self { reader, begun: Vec::new(), number, offset, ended: false, budget: budget.clone(), claim: None }
    }

    /// The number of the last line.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// How many bytes the lines so far take.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Calls `each` with the next line; `None` at the end. `weight` is how many bytes the caller holds.
    ///
    /// # Errors
    /// When the input cannot be read, which ends it; when the line is not UTF-8; when the budget is spent.
    pub(super) fn next<T>(
        &mut self,
        weight: impl FnOnce() -> u64,
        each: impl FnOnce(&Line<'_>) -> T,
    ) -> Result<Option<T>, Error> {
        if self.ended {
            return Ok(None);
        }
        if self.number.saturating_add(1).is_multiple_of(STRIDE) {
            self.budget.step(STRIDE, READING)?;
            let bytes = weight() + self.begun.capacity() as u64;
            self.hold(bytes)?;
        }
        loop {
            let available = match self.reader.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.ended = true;
                    let message = format!("the input could not be read: {error}");
                    let place = Place::line_only(self.number.saturating_add(1));
                    return Err(Diagnostic::new(Kind::Input, message).at(place).into());
                }
            };
            let end = memchr::memchr(b'\n', available).map(|i| i + 1);
            let taken = end.unwrap_or(available.len());
            if end.is_none() && taken > 0 {
                self.begun.extend_from_slice(available);
                self.reader.consume(taken);
                // One endless line must not outgrow the budget unseen.
                self.budget.step(0, READING)?;
                self.hold(2 * self.begun.len() as u64)?;
                continue;
            }
            if taken == 0 && self.begun.is_empty() {
                self.ended = true;
                return Ok(None);
            }
            // A place to go on from may have been tampered with.
            self.number = self.number.saturating_add(1);
            let read = if self.begun.is_empty() {
                self.offset = self.offset.saturating_add(taken as u64);
                lines::decode(self.number, &available[..taken]).map(|line| each(&line))
            } else {
                self.begun.extend_from_slice(&available[..taken]);
                self.offset = self.offset.saturating_add(self.begun.len() as u64);
                let read = lines::decode(self.number, &self.begun).map(|line| each(&line));
                self.begun.clear();
                read
            };
            self.reader.consume(taken);
            return Ok(Some(read?));
        }
    }

    fn hold(&mut self, bytes: u64) -> Result<(), OverBudget> {
        let claim = match &mut self.claim {
            Some(claim) => claim,
            None => self.claim.insert(self.budget.claim(0, READING)?),
        };
        // What is handed on is not kept.
        claim.shrink_to(bytes);
        claim.grow_to(bytes, READING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn read(bytes: &[u8], capacity: usize) -> Vec<String> {
        let mut lines = LineReader::new_at(BufReader::with_capacity(capacity, bytes), 0, 0, &Budget::unlimited());
        let mut told = Vec::new();
        loop {
            let line = lines.next(|| 0, |line| format!("{} {:?} {}", line.number, line.text, line.ended));
            told.push(match line {
                Ok(Some(line)) => format!("{line} {}", lines.offset()),
                Ok(None) => return told,
                Err(failure) => format!("{failure} {}", lines.offset()),
            });
        }
    }

    #[test]
    fn lines_are_the_same_however_they_are_buffered() {
        let text = b"\xef\xbb\xbfab\r\n\nlonger than a buffer\n\xff\nlast";
        let expected = [
            "1 \"ab\" true 7",
            "2 \"\" true 8",
            "3 \"longer than a buffer\" true 29",
            "4:1: byte 0xff is not UTF-8 31",
            "5 \"last\" false 35",
        ];
        for capacity in [1, 3, 7, 100] {
            assert_eq!(read(text, capacity), expected, "{capacity}");
        }
        assert!(read(b"", 10).is_empty());
    }

    #[test]
    fn an_endless_line_stays_within_the_budget() {
        let budget = Budget::with_memory(1 << 20);
        let endless = BufReader::new(std::io::repeat(b'x'));
        let mut lines = LineReader::new_at(endless, 0, 0, &budget);
        assert!(matches!(lines.next(|| 0, |_| ()), Err(Error::OverBudget(_))));
    }
}
