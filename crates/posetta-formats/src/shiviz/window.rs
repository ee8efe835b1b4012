//! The part of a log that is looked at.
//!
//! Records are found in a window of the log that slides along. A record that begins in front of the last [`LONGEST`] bytes
//! of the window is seen as a whole, if it is no longer than that; one that begins later waits until the window has moved.
//! Line ends are `\n` in the window, whatever they are in the log.

use std::io::{BufRead, ErrorKind};

use crate::lines::not_utf8;
use posetta_base::{Diagnostic, Kind, Place};

/// Bytes of a window.
pub(super) const WINDOW: usize = 1 << 21;
/// Bytes of the longest record, and of the longest line that is in none.
pub(super) const LONGEST: usize = 1 << 19;

/// Bytes behind a mistake of which a message may show some.
const SHOWN: usize = 1 << 10;

/// Some editors put a byte order mark before the first line.
const MARK: char = '\u{feff}';

/// A sliding part of a log.
#[derive(Debug)]
pub(super) struct Window<R> {
    reader: R,
    text: String,
    /// The first bytes of a character that is not complete.
    tail: Vec<u8>,
    /// A carriage return was read, and what follows is not known.
    carriage: bool,
    started: bool,
    ended: bool,
    /// How many lines end before the text.
    lines: u64,
}

impl<R: BufRead> Window<R> {
    #[cfg(test)]
    pub(super) fn new(reader: R) -> Self {
        Self::after(reader, 0)
    }

    /// A window of what stands after so many lines.
    pub(super) fn after(reader: R, lines: u64) -> Self {
        Self { reader, text: String::new(), tail: Vec::new(), carriage: false, started: false, ended: false, lines }
    }

    /// How many lines there are up to the end of the text; the last one may lack its end.
    pub(super) fn lines(&self) -> u64 {
        let open = !self.text.is_empty() && !self.text.ends_with('\n');
        self.lines + memchr::memchr_iter(b'\n', self.text.as_bytes()).count() as u64 + u64::from(open)
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether the log ends where the text does.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    /// Records that begin at this place or later may go on behind the window.
    pub(super) fn limit(&self) -> usize {
        if self.ended { self.text.len() } else { floor(&self.text, self.text.len().saturating_sub(LONGEST)) }
    }

    /// Forgets the text before `from`, but for one character of context, and reads on. Answers by how many bytes places
    /// in the text have moved.
    pub(super) fn slide(&mut self, from: usize) -> Result<usize, Diagnostic> {
        let keep = self.text[..from].char_indices().next_back().map_or(0, |(i, _)| i);
        self.lines += memchr::memchr_iter(b'\n', &self.text.as_bytes()[..keep]).count() as u64;
        self.text.drain(..keep);
        while self.text.len() < WINDOW && !self.ended {
            self.read()?;
        }
        if !std::mem::replace(&mut self.started, true) && self.text.starts_with(MARK) {
            self.text.drain(..MARK.len_utf8());
        }
        Ok(keep)
    }

    fn read(&mut self) -> Result<(), Diagnostic> {
        let available = match self.reader.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(()),
            Err(error) => {
                let message = format!("the input could not be read: {error}");
                let line = last_line(self.lines, &self.text);
                return Err(Diagnostic::new(Kind::Input, message).at(Place::line_only(line)));
            }
        };
        let taken = available.len().min(WINDOW - self.text.len());
        if taken == 0 {
            self.ended = true;
            if self.carriage {
                self.text.push('\r');
            }
            return match str::from_utf8(&self.tail) {
                Ok(_) => Ok(()),
                Err(_) => {
                    let line = line_and(&self.text, &self.tail);
                    let error = str::from_utf8(&line).expect_err("the line ends inside a character");
                    Err(not_utf8(last_line(self.lines, &self.text), &line, false, error))
                }
            };
        }
        let mut bytes = &available[..taken];
        if !self.tail.is_empty() {
            // The rest of a character that the reader's buffer cut in two.
            self.tail.push(bytes[0]);
            bytes = &[];
        }
        let joined = if bytes.is_empty() { std::mem::take(&mut self.tail) } else { Vec::new() };
        let (source, consumed) = if joined.is_empty() { (bytes, taken) } else { (&joined[..], 1) };
        let (valid, error) = match str::from_utf8(source) {
            Ok(text) => (text, None),
            Err(error) => (str::from_utf8(&source[..error.valid_up_to()]).unwrap_or_default(), Some(error)),
        };
        push(&mut self.text, &mut self.carriage, valid);
        if let Some(error) = error {
            let rest = &source[error.valid_up_to()..];
            if error.error_len().is_some() {
                if self.carriage {
                    self.text.push('\r');
                }
                let rest = rest.to_owned();
                self.reader.consume(consumed);
                let rest = self.rest_of_line(rest);
                let line = line_and(&self.text, &rest);
                let error = str::from_utf8(&line).expect_err("the line has the bytes that are not UTF-8");
                return Err(not_utf8(last_line(self.lines, &self.text), &line, true, error));
            }
            self.tail = rest.to_owned();
        }
        self.reader.consume(consumed);
        Ok(())
    }
}

impl<R: BufRead> Window<R> {
    /// A line to its end, or as far as a message can show: it must not depend on where the reader's buffer ends.
    fn rest_of_line(&mut self, mut line: Vec<u8>) -> Vec<u8> {
        loop {
            if let Some(end) = memchr::memchr(b'\n', &line) {
                line.truncate(end);
                return line;
            }
            let more = self.reader.fill_buf().unwrap_or_default();
            if more.is_empty() || line.len() >= SHOWN {
                return line;
            }
            let taken = more.len().min(SHOWN);
            line.extend_from_slice(&more[..taken]);
            self.reader.consume(taken);
        }
    }
}

/// The number of the last line of a text that begins after so many lines.
fn last_line(lines: u64, text: &str) -> u64 {
    lines + 1 + memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}

/// The last line of a text with more behind it.
fn line_and(text: &str, more: &[u8]) -> Vec<u8> {
    let start = memchr::memrchr(b'\n', text.as_bytes()).map_or(0, |i| i + 1);
    [&text.as_bytes()[start..], more].concat()
}

/// Appends a text with `\r\n` as `\n`.
fn push(text: &mut String, carriage: &mut bool, mut more: &str) {
    if *carriage && !more.is_empty() {
        if !more.starts_with('\n') {
            text.push('\r');
        }
        *carriage = false;
    }
    while let Some(at) = memchr::memchr(b'\r', more.as_bytes()) {
        text.push_str(&more[..at]);
        more = &more[at + 1..];
        match more.as_bytes().first() {
            Some(b'\n') => {}
            Some(_) => text.push('\r'),
            None => *carriage = true,
        }
    }
    text.push_str(more);
}

/// The last border between characters at `at` or before.
pub(super) fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn line_ends_marks_and_characters_survive_any_buffer() {
        let log = "\u{feff}é\r\n漢😀\r\rx\r\n\n😀\r";
        for capacity in 1..16 {
            let mut window = Window::new(BufReader::with_capacity(capacity, log.as_bytes()));
            window.slide(0).unwrap();
            assert_eq!(window.text(), "é\n漢😀\r\rx\n\n😀\r", "{capacity}");
            assert!(window.ended());
        }
    }

    #[test]
    fn what_is_not_text_is_refused() {
        for (log, line, kind) in [
            (&b"ab\ncd\xff e\nx"[..], 2, Kind::Encoding),
            (b"ab\xe6\xbc", 1, Kind::Truncated),
            (b"\xff\xfea\0", 1, Kind::Encoding),
        ] {
            for capacity in 1..8 {
                let mut window = Window::new(BufReader::with_capacity(capacity, log));
                let error = window.slide(0).unwrap_err();
                assert_eq!((error.place.unwrap().line, error.kind), (line, kind), "{log:?} {capacity}");
            }
        }
    }
}
