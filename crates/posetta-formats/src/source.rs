//! Lines of an input, asked for one by one, as bytes that stay until the next is asked for.
//!
//! For records that are less than a line or more than one; [`line_reader`](super::line_reader) hands out whole lines of text. What a
//! line means, and whether it is UTF-8, is the reader's business.

use std::io::{BufRead, ErrorKind};

pub(super) use super::lines::READING;
use super::lines::{STRIDE, without_mark};
use posetta_base::{Budget, Claim, Diagnostic, Error, Kind, OverBudget, Place};

/// An input of lines.
#[derive(Debug)]
pub(super) struct Source<R> {
    reader: R,
    line: Vec<u8>,
    number: u64,
    /// Bytes of the lines so far, endings included.
    offset: u64,
    /// How the line ends: in `\n`, in `\r\n`, or with the input.
    ending: &'static str,
    /// Nothing more is read.
    over: bool,
    budget: Budget,
    claim: Claim,
}

impl<R: BufRead> Source<R> {
    pub(super) fn new(reader: R, budget: &Budget) -> Result<Self, OverBudget> {
        let claim = budget.claim(0, READING)?;
        Ok(Self {
            reader,
            line: Vec::new(),
            number: 0,
            offset: 0,
            ending: "",
            over: false,
            budget: budget.clone(),
            claim,
        })
    }

    /// Reads the next line. `held` is how many bytes its user holds beside it.
    ///
    /// # Errors
    /// When the input cannot be read, after which there is no further line; or when the budget is spent.
    pub(super) fn next_line(&mut self, held: usize) -> Result<bool, Error> {
        self.line.clear();
        if self.over {
            return Ok(false);
        }
        let mut taken_in_all = 0;
        loop {
            let available = match self.reader.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.over = true;
                    let message = format!("the input could not be read: {error}");
                    return Err(Diagnostic::new(Kind::Input, message).at(Place::line_only(self.number + 1)).into());
                }
            };
            let end = memchr::memchr(b'\n', available).map(|i| i + 1);
            let taken = end.unwrap_or(available.len());
            self.line.extend_from_slice(&available[..taken]);
            self.reader.consume(taken);
            taken_in_all += taken;
            if end.is_some() || taken == 0 {
                break;
            }
            // One endless line must not outgrow the budget unseen.
            self.budget.step(0, READING)?;
            self.claim.grow_to((2 * self.line.len() + held) as u64, READING)?;
        }
        self.offset += taken_in_all as u64;
        if taken_in_all == 0 {
            self.over = true;
            self.budget.step(self.number % STRIDE, READING)?;
            return Ok(false);
        }
        self.number += 1;
        if self.number.is_multiple_of(STRIDE) {
            self.budget.step(STRIDE, READING)?;
            let bytes = (self.line.capacity() + held) as u64;
            self.claim.shrink_to(bytes);
            self.claim.grow_to(bytes, READING)?;
        }
        self.ending = match &self.line[..] {
            [.., b'\r', b'\n'] => "\r\n",
            [.., b'\n'] => "\n",
            _ => "",
        };
        self.line.truncate(self.line.len() - self.ending.len());
        if self.number == 1 {
            let mark = self.line.len() - without_mark(&self.line).len();
            self.line.drain(..mark);
        }
        Ok(true)
    }

    /// The line, without its ending.
    pub(super) fn line(&self) -> &[u8] {
        &self.line
    }

    /// From 1; 0 before the first.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// How it ends; nothing if the input ends with it.
    pub(super) fn ending(&self) -> &'static str {
        self.ending
    }

    /// Bytes of the lines so far.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads no further.
    pub(super) fn give_up(&mut self) {
        self.over = true;
    }
}
