//! Where the lines go: a buffer of whole lines before the writer.
//!
//! Invariant: the buffer holds whole lines, and the writer is given whole lines only. The first failure of the writer is
//! kept, and nothing is given to it afterwards.

use std::io::{self, Write};

use crate::problem::{Incomplete, Problem};

/// The buffer goes to the writer when it is longer than this.
const FULL: usize = 64 * 1024;

pub(crate) struct Output {
    buffer: Vec<u8>,
    /// `None` if the recording stays in memory.
    writer: Option<Box<dyn Write + Send>>,
    every_line: bool,
    /// How many events are in the buffer.
    waiting: u64,
    events: u64,
    lost: u64,
    /// The writer failed.
    broken: bool,
    /// The writer was called and has not come back: after a panic it never does.
    writing: bool,
    first: Option<Problem>,
    others: u64,
}

impl Output {
    pub fn new(writer: Option<Box<dyn Write + Send>>, every_line: bool) -> Self {
        Self {
            buffer: Vec::new(),
            writer,
            every_line,
            waiting: 0,
            events: 0,
            lost: 0,
            broken: false,
            writing: false,
            first: None,
            others: 0,
        }
    }

    /// Adds a line, which ends with a line feed.
    #[inline]
    pub fn event(&mut self, line: &[u8]) {
        if self.broken || self.writing {
            self.lost += 1;
            return;
        }
        self.buffer.extend_from_slice(line);
        self.events += 1;
        self.waiting += 1;
        if self.writer.is_some() && (self.buffer.len() >= FULL || self.every_line) {
            self.write_out(self.every_line);
        }
    }

    /// Adds a line that is not an event.
    pub fn header(&mut self, line: &[u8]) {
        if !self.broken {
            self.buffer.extend_from_slice(line);
        }
    }

    /// Counts an event that could not be recorded.
    pub fn lose(&mut self) {
        self.lost += 1;
    }

    /// Keeps what went wrong.
    #[cold]
    pub fn problem(&mut self, problem: Problem) {
        match self.first {
            None => self.first = Some(problem),
            Some(_) => self.others += 1,
        }
    }

    #[cold]
    fn write_out(&mut self, flush: bool) {
        let Some(writer) = self.writer.as_mut() else { return };
        if !self.broken && !self.writing {
            self.writing = true;
            let mut written = writer.write_all(&self.buffer);
            if flush && written.is_ok() {
                written = writer.flush();
            }
            self.writing = false;
            if let Err(error) = written {
                self.broken = true;
                self.lost += self.waiting;
                self.events -= self.waiting;
                self.problem(Problem::Write(error));
            }
        }
        self.buffer.clear();
        self.waiting = 0;
    }

    /// Gives everything to the writer, and says how it went so far.
    pub fn finish(&mut self) -> Result<u64, Incomplete> {
        if self.writing {
            self.writing = false;
            self.broken = true;
            self.lost += self.waiting;
            self.events -= self.waiting;
            self.waiting = 0;
            self.buffer.clear();
            self.problem(Problem::WriterPanicked);
        }
        self.write_out(true);
        if self.lost > 0 && self.first.is_none() {
            self.problem(Problem::Write(io::Error::other("it failed before")));
        }
        match self.first.take() {
            None => Ok(self.events),
            Some(first) => Err(Incomplete {
                first,
                others: std::mem::take(&mut self.others),
                lost: std::mem::take(&mut self.lost),
            }),
        }
    }

    pub fn is_broken(&self) -> bool {
        self.broken || self.writing
    }

    /// The lines that stay in memory.
    pub fn take(&mut self) -> Vec<u8> {
        match self.writer {
            None => {
                self.waiting = 0;
                std::mem::take(&mut self.buffer)
            }
            Some(_) => Vec::new(),
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.write_out(true);
    }
}
