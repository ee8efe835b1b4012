//! A row as cells.
//!
//! A row may have line breaks inside quotes, so it is pushed line by line until it is complete; each byte is looked at once. Cells are
//! ranges of the row's text.

use std::borrow::Cow;
use std::ops::Range;

/// A cell of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    start: usize,
    end: usize,
    /// Whether it stands in quotes; `start..end` is inside them.
    pub(crate) quoted: bool,
    /// Whether quotes inside it are doubled.
    doubled: bool,
}

impl Cell {
    /// What it says. `row` is the text that was split.
    #[inline]
    pub(crate) fn text<'a>(&self, row: &'a str) -> Cow<'a, str> {
        let raw = &row[self.start..self.end];
        if self.doubled { Cow::Owned(raw.replace("\"\"", "\"")) } else { Cow::Borrowed(raw) }
    }

    /// Its bytes in the row, quotes included.
    pub(crate) fn span(&self) -> Range<usize> {
        let quote = usize::from(self.quoted);
        self.start - quote..self.end + quote
    }
}

/// Something other than a delimiter after a closing quote: these bytes of the row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trailing(pub(crate) Range<usize>);

/// Cuts a row.
#[derive(Clone, Debug)]
pub(crate) struct Splitter {
    delimiter: u8,
    cells: Vec<Cell>,
    /// Inside quotes at the end of what was pushed: where the cell starts, and whether quotes in it are doubled.
    open: Option<(usize, bool)>,
    /// How much of the row was looked at.
    seen: usize,
}

impl Splitter {
    pub(crate) fn new(delimiter: u8) -> Self {
        Self { delimiter, cells: Vec::new(), open: None, seen: 0 }
    }

    pub(crate) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    pub(crate) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The quote that was opened and not closed.
    pub(crate) fn open_quote(&self) -> Option<usize> {
        self.open.map(|(start, _)| start - 1)
    }

    /// Forgets the row.
    pub(crate) fn clear(&mut self) {
        self.cells.clear();
        self.open = None;
        self.seen = 0;
    }

    /// Goes on with a row of which `row` is all so far, one more line at its end. Answers whether the row is complete.
    pub(crate) fn push(&mut self, row: &str) -> Result<bool, Trailing> {
        let bytes = row.as_bytes();
        let mut at = self.seen;
        let mut open = self.open.take();
        loop {
            if open.is_none() {
                let blank = bytes[at..].iter().take_while(|&&b| self.is_blank(b)).count();
                if bytes.get(at + blank) == Some(&b'"') {
                    open = Some((at + blank + 1, false));
                    at += blank + 1;
                }
            }
            if let Some((start, mut doubled)) = open.take() {
                let end = loop {
                    let Some(quote) = memchr::memchr(b'"', &bytes[at..]) else {
                        self.open = Some((start, doubled));
                        self.seen = bytes.len();
                        return Ok(false);
                    };
                    at += quote + 1;
                    if bytes.get(at) != Some(&b'"') {
                        break at - 1;
                    }
                    doubled = true;
                    at += 1;
                };
                self.cells.push(Cell { start, end, quoted: true, doubled });
                at += bytes[at..].iter().take_while(|&&b| self.is_blank(b)).count();
                match bytes.get(at) {
                    None => break,
                    Some(&b) if b == self.delimiter => at += 1,
                    Some(_) => {
                        let length = memchr::memchr(self.delimiter, &bytes[at..]).unwrap_or(bytes.len() - at);
                        return Err(Trailing(at..at + length));
                    }
                }
                continue;
            }
            let length = memchr::memchr(self.delimiter, &bytes[at..]);
            let mut end = at + length.unwrap_or(bytes.len() - at);
            let next = end + 1;
            let mut start = at;
            while start < end && self.is_blank(bytes[start]) {
                start += 1;
            }
            while start < end && self.is_blank(bytes[end - 1]) {
                end -= 1;
            }
            self.cells.push(Cell { start, end, quoted: false, doubled: false });
            if length.is_none() {
                break;
            }
            at = next;
        }
        self.seen = bytes.len();
        Ok(true)
    }

    fn is_blank(&self, byte: u8) -> bool {
        byte == b' ' || (byte == b'\t' && self.delimiter != b'\t')
    }
}

/// What separates the cells of a line of names: the one of `,` `;` and tab that it has most of outside quotes.
pub(crate) fn delimiter_of(header: &str) -> u8 {
    let mut counts = [(b',', 0usize), (b';', 0), (b'\t', 0)];
    let mut inside = false;
    for byte in header.bytes() {
        inside ^= byte == b'"';
        if !inside && let Some((_, count)) = counts.iter_mut().find(|(sign, _)| *sign == byte) {
            *count += 1;
        }
    }
    // The first of the most frequent.
    counts.iter().rev().max_by_key(|(_, count)| *count).map_or(b',', |(sign, _)| *sign)
}
