//! JSON of any size, token by token.
//!
//! An export may be one line of a gigabyte, so neither a line nor a document is held: a window slides along the input, and holds
//! at least one token and some text around it, which a mistake is shown with. Whoever reads asks for what he expects: an object
//! and its keys, an array and its items, a text, a number; the rest is [skipped](Document::skip). Line feeds stand only between
//! tokens, so lines are counted there. Start at [`Document::object`] and [`Document::key`].
//!
//! [`json`](super::json) is the same for what lies in one line of text that somebody else holds.

use std::io::{BufRead, ErrorKind};
use std::ops::Range;

use super::lines::{LONGEST_MESSAGE, Mistake, READING, without_mark};
use super::quote::{self, Quoted};
use posetta_base::{Budget, Claim, Diagnostic, Error, Kind, Place};

/// So many bytes are read at once.
const CHUNK: usize = 1 << 16;

/// Text around a place that a mistake can show.
const AROUND: usize = 1 << 10;

/// Arrays and objects inside each other that are skipped.
const DEEPEST: usize = 10_000;

/// Boxed, because nearly every answer is the other one.
pub(super) type Read<T> = Result<T, Box<Error>>;

/// A value without parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar<'a> {
    Text(&'a str),
    Number(&'a str),
    Bool(bool),
    Null,
}

/// Which fields of an object were read, each by a number of its own below 32.
///
/// Of two fields of one name nobody knows which is meant. So what is used may be there once; what is skipped may repeat.
#[derive(Debug, Default)]
pub(super) struct Seen(u32);

impl Seen {
    /// Notes the field whose key was just read.
    ///
    /// # Errors
    /// When it was noted before.
    #[inline]
    pub(super) fn once<R: BufRead>(&mut self, doc: &mut Document<R>, field: u8) -> Read<()> {
        let bit = 1 << (field & 31);
        if self.0 & bit != 0 {
            return Err(doc.again());
        }
        self.0 |= bit;
        Ok(())
    }
}

/// An input of JSON documents, one after the other.
///
/// Invariant: `buffer[line_start..]` is text of the line that `at` is in, and `dropped` characters of that line stood before it.
#[derive(Debug)]
pub(super) struct Document<R> {
    reader: R,
    buffer: String,
    at: usize,
    /// What stands behind the buffer and is no text: the beginning of a character that was read in part, or `alien`.
    cut: Vec<u8>,
    /// Nothing more is read.
    over: bool,
    /// Behind the buffer stands this byte, which is not UTF-8.
    alien: Option<u8>,
    /// An object or array was just opened.
    fresh: bool,
    line: u64,
    line_start: usize,
    dropped: u64,
    /// The last string that has escapes.
    unescaped: String,
    budget: Budget,
    claim: Claim,
}

impl<R: BufRead> Document<R> {
    pub(super) fn new(reader: R, budget: &Budget) -> Read<Self> {
        let claim = budget.claim(2 * CHUNK as u64, READING).map_err(|over| Box::new(Error::from(over)))?;
        let mut document = Self {
            reader,
            buffer: String::new(),
            at: 0,
            cut: Vec::new(),
            over: false,
            alien: None,
            fresh: false,
            line: 1,
            line_start: 0,
            dropped: 0,
            unescaped: String::new(),
            budget: budget.clone(),
            claim,
        };
        while document.buffer.is_empty() && document.fill()? {}
        let mark = document.buffer.len() - without_mark(document.buffer.as_bytes()).len();
        document.buffer.drain(..mark);
        Ok(document)
    }

    /// The line that is being read, from 1.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Reads on. Answers `false` if there is nothing more.
    #[cold]
    fn fill(&mut self) -> Read<bool> {
        if self.over {
            return Ok(false);
        }
        if self.at >= CHUNK {
            self.slide();
        }
        let before = self.buffer.len();
        while self.buffer.len() < before + CHUNK && !self.over {
            let available = match self.reader.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    let message = format!("the input could not be read: {error}");
                    return Err(self.failed(Diagnostic::new(Kind::Input, message).at(Place::line_only(self.line))));
                }
            };
            // An input that lies in memory is all there at once.
            let available = &available[..available.len().min(CHUNK)];
            let taken = available.len();
            self.over = taken == 0;
            if self.cut.is_empty() {
                take_text(available, &mut self.buffer, &mut self.cut, &mut self.alien);
            } else {
                let mut bytes = std::mem::take(&mut self.cut);
                bytes.extend_from_slice(available);
                take_text(&bytes, &mut self.buffer, &mut self.cut, &mut self.alien);
            }
            self.over |= self.alien.is_some();
            self.reader.consume(taken);
        }
        let step = self.budget.step((self.buffer.len() - before) as u64 / 256, READING);
        let claim = step.and_then(|()| self.claim.grow_to(2 * self.buffer.capacity() as u64, READING));
        claim.map_err(|over| Box::new(Error::from(over)))?;
        Ok(self.buffer.len() > before)
    }

    /// Lets go of what lies far behind.
    fn slide(&mut self) {
        let mut from = self.at - AROUND;
        while !self.buffer.is_char_boundary(from) {
            from -= 1;
        }
        match self.line_start.checked_sub(from) {
            Some(start) => self.line_start = start,
            None => {
                self.dropped += self.buffer[self.line_start..from].chars().count() as u64;
                self.line_start = 0;
            }
        }
        self.buffer.drain(..from);
        self.at -= from;
    }

    #[cold]
    fn failed(&self, diagnostic: Diagnostic) -> Box<Error> {
        Box::new(diagnostic.into())
    }

    /// What is wrong with these bytes of the window, which are in this line.
    #[cold]
    pub(super) fn mistake(&mut self, kind: Kind, span: Range<usize>, message: impl Into<String>) -> Diagnostic {
        // However the input comes in pieces, the same of it is shown.
        while self.buffer.len() < span.end + AROUND && matches!(self.fill_behind(), Ok(true)) {}
        let mut message: String = message.into();
        if let Some((cut, _)) = message.char_indices().nth(LONGEST_MESSAGE) {
            message.truncate(cut);
            message.push('…');
        }
        let text = &self.buffer[self.line_start..];
        let text = match memchr::memchr(b'\n', text.as_bytes()) {
            Some(end) => text[..end].to_owned(),
            None => text.to_owned() + &behind(&mut self.reader, &mut self.cut),
        };
        let mut place = Place::in_line(self.line, &text, span.start - self.line_start, span.end - self.line_start);
        place.column += self.dropped;
        if self.dropped > 0 {
            place.skipped += self.dropped;
        }
        Diagnostic::new(kind, message).at(place)
    }

    /// As [`Self::fill`], and nothing slides.
    fn fill_behind(&mut self) -> Read<bool> {
        let at = std::mem::replace(&mut self.at, 0);
        let filled = self.fill();
        self.at = at;
        filled
    }

    /// The input ends here, inside something.
    #[cold]
    fn ends(&mut self, inside: &str, expected: &str) -> Box<Error> {
        let end = self.buffer.len();
        let diagnostic = if let Some(byte) = self.alien {
            let help = match byte {
                0xff | 0xfe if end == 0 => "this may be UTF-16: convert the file to UTF-8",
                _ => "convert the file to UTF-8, or escape the character",
            };
            self.mistake(Kind::Encoding, end..end, format!("byte 0x{byte:02x} is not UTF-8"))
                .label("expected UTF-8 text")
                .help(help)
        } else if !self.cut.is_empty() {
            self.mistake(Kind::Truncated, end..end, "the file ends inside a character; was it cut off?")
                .label("expected the rest of a UTF-8 character")
        } else {
            self.mistake(Kind::Truncated, end..end, format!("the file ends inside {inside}; was it cut off?"))
                .label(format!("expected {expected}"))
        };
        self.failed(diagnostic)
    }

    /// Something else was expected here.
    #[cold]
    pub(super) fn unexpected(&mut self, inside: &str, expected: &str) -> Box<Error> {
        match self.peek() {
            Err(error) => return error,
            Ok(None) => return self.ends(inside, expected),
            Ok(Some(_)) => {}
        }
        while self.buffer.len() < self.at + AROUND && matches!(self.fill_behind(), Ok(true)) {}
        let rest = &self.buffer[self.at..];
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let end = if word == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { word };
        let message = format!("unexpected `{}` in {inside}", &rest[..end]);
        let mistake = self.mistake(Kind::Syntax, self.at..self.at + end, message).label(format!("expected {expected}"));
        self.failed(mistake)
    }

    /// A mistake in the value that was just read, which ends here and is `length` bytes long.
    #[cold]
    pub(super) fn wrong(&mut self, length: usize, message: impl Into<String>, expected: &str) -> Box<Error> {
        let mut start = self.at.saturating_sub(length).max(self.line_start);
        while !self.buffer.is_char_boundary(start) {
            start -= 1;
        }
        let mistake = self.mistake(Kind::Syntax, start..self.at, message).label(format!("expected {expected}"));
        self.failed(mistake)
    }

    /// The key that was just read is there a second time.
    #[cold]
    pub(super) fn again(&mut self) -> Box<Error> {
        self.wrong_key("two fields", "each field once")
    }

    /// Something is wrong with the key that was just read, and perhaps the blanks behind its colon.
    #[cold]
    pub(super) fn wrong_key(&mut self, what: &str, expected: &str) -> Box<Error> {
        const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];
        let colon = self.buffer[..self.at].trim_end_matches(BLANKS);
        let before = colon.strip_suffix(':').unwrap_or(colon).trim_end_matches(BLANKS);
        let (key, span) = match opening_quote(before) {
            Some(start) => {
                let key = quote::scan(&self.buffer, start, false).map(|key| key.text(&self.buffer).into_owned());
                (key.unwrap_or_default(), start..before.len())
            }
            // So many blanks stand before the colon that the key is out of sight; it was kept then.
            None => (self.unescaped.clone(), self.at..self.at),
        };
        // The rest may stand in a later line, which is then the place.
        let span = span.start.max(self.line_start)..span.end.max(self.line_start);
        let mistake = self.mistake(Kind::Syntax, span, format!("{what} `{key}`"));
        self.failed(mistake.label(format!("expected {expected}")))
    }

    /// The next byte that is not a blank.
    #[inline]
    pub(super) fn peek(&mut self) -> Read<Option<u8>> {
        loop {
            let bytes = self.buffer.as_bytes();
            while let Some(&byte) = bytes.get(self.at) {
                match byte {
                    b' ' | b'\t' | b'\r' => self.at += 1,
                    b'\n' => {
                        self.at += 1;
                        self.line += 1;
                        self.line_start = self.at;
                        self.dropped = 0;
                    }
                    byte => return Ok(Some(byte)),
                }
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Whether another document follows.
    pub(super) fn more(&mut self) -> Read<bool> {
        match self.peek()? {
            Some(_) => Ok(true),
            None if self.alien.is_some() || !self.cut.is_empty() => Err(self.ends("a document", "JSON")),
            None => Ok(false),
        }
    }

    /// Takes `byte` if it is next.
    #[inline]
    fn take(&mut self, byte: u8) -> Read<bool> {
        let found = self.peek()? == Some(byte);
        self.at += usize::from(found);
        Ok(found)
    }

    /// Opens an object.
    #[inline]
    pub(super) fn object(&mut self, inside: &str) -> Read<()> {
        if !self.take(b'{')? {
            return Err(self.unexpected(inside, "an object"));
        }
        self.fresh = true;
        Ok(())
    }

    /// Opens an array.
    #[inline]
    pub(super) fn array(&mut self, inside: &str) -> Read<()> {
        if !self.take(b'[')? {
            return Err(self.unexpected(inside, "an array"));
        }
        self.fresh = true;
        Ok(())
    }

    /// Takes null if it is next: what is not there may be written so.
    #[inline]
    pub(super) fn null(&mut self) -> Read<bool> {
        if self.peek()? != Some(b'n') {
            return Ok(false);
        }
        self.scalar("a value").map(|value| value == Scalar::Null)
    }

    /// The next key of the object that is open, its colon included; `None` at its end, which is taken.
    #[inline]
    pub(super) fn key(&mut self) -> Read<Option<&str>> {
        if !self.follows(b'}', "an object", "`,` or `}`")? {
            return Ok(None);
        }
        let quoted = self.quoted("an object", "a field name in double quotes")?;
        // The key must not slide away before it is used.
        let from = self.at;
        if self.buffer.as_bytes().get(from) == Some(&b':') {
            self.at += 1;
            return Ok(Some(self.text(quoted)));
        }
        let key = self.text(quoted).to_owned();
        if !self.take(b':')? {
            return Err(self.unexpected("an object", "`:`"));
        }
        self.unescaped = key;
        Ok(Some(&self.unescaped))
    }

    /// Whether the array that is open has another item, which is next; its end is taken.
    #[inline]
    pub(super) fn item(&mut self) -> Read<bool> {
        self.follows(b']', "an array", "`,` or `]`")
    }

    #[inline]
    fn follows(&mut self, close: u8, inside: &str, expected: &str) -> Read<bool> {
        let fresh = std::mem::take(&mut self.fresh);
        match self.peek()? {
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(false)
            }
            Some(_) if fresh => Ok(true),
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            _ => Err(self.unexpected(inside, expected)),
        }
    }

    /// Scans a string, which is then wholly in the window.
    #[inline]
    fn quoted(&mut self, inside: &str, expected: &str) -> Read<Quoted> {
        if self.peek()? != Some(b'"') {
            return Err(self.unexpected(inside, expected));
        }
        loop {
            match quote::scan(&self.buffer, self.at, false) {
                Ok(quoted) => {
                    self.at = quoted.end + 1;
                    return Ok(quoted);
                }
                Err(mistake) => self.read_on(*mistake, "a string", "`\"`")?,
            }
        }
    }

    /// A token is wrong, or cut by the end of the window: then there is more to read.
    #[cold]
    fn read_on(&mut self, mistake: Mistake, inside: &str, expected: &str) -> Read<()> {
        // An escape is up to twelve bytes long, and may be cut as well.
        let is_cut = mistake.inside.is_some();
        if (is_cut || mistake.span.end + 12 > self.buffer.len()) && self.fill()? {
            return Ok(());
        }
        if is_cut {
            return Err(self.ends(inside, expected));
        }
        let mut diagnostic = self.mistake(mistake.kind, mistake.span, mistake.message);
        (diagnostic.label, diagnostic.help) = (mistake.label, mistake.help);
        Err(self.failed(diagnostic))
    }

    #[inline]
    fn text(&mut self, quoted: Quoted) -> &str {
        if let std::borrow::Cow::Owned(text) = quoted.text(&self.buffer) {
            self.unescaped = text;
            return &self.unescaped;
        }
        &self.buffer[quoted.span()]
    }

    /// Reads a string.
    #[inline]
    pub(super) fn string(&mut self, inside: &str) -> Read<&str> {
        let quoted = self.quoted(inside, "a string")?;
        Ok(self.text(quoted))
    }

    /// Reads a value that is no array and no object.
    #[inline]
    pub(super) fn scalar(&mut self, inside: &str) -> Read<Scalar<'_>> {
        match self.peek()? {
            Some(b'"') => {
                let quoted = self.quoted(inside, "a value")?;
                Ok(Scalar::Text(self.text(quoted)))
            }
            Some(b'-' | b'0'..=b'9') => {
                let length = self.word(|byte| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9'))?;
                let start = self.at;
                self.at += length;
                if !super::states::is_number(&self.buffer[start..self.at]) {
                    let message = format!("`{}` is not a number", &self.buffer[start..self.at]);
                    return Err(self.wrong(length, message, "a number"));
                }
                Ok(Scalar::Number(&self.buffer[start..self.at]))
            }
            Some(b't' | b'f' | b'n') => {
                let length = self.word(|byte| byte.is_ascii_alphanumeric() || byte == b'_')?;
                let value = match &self.buffer[self.at..self.at + length] {
                    "true" => Scalar::Bool(true),
                    "false" => Scalar::Bool(false),
                    "null" => Scalar::Null,
                    word => {
                        let is_cut = self.at + length == self.buffer.len()
                            && ["true", "false", "null"].iter().any(|whole| whole.starts_with(word));
                        return Err(if is_cut {
                            self.ends(inside, "a value")
                        } else {
                            self.unexpected(inside, "a value")
                        });
                    }
                };
                self.at += length;
                Ok(value)
            }
            _ => Err(self.unexpected(inside, "a value")),
        }
    }

    /// How many bytes of this sort come next; they are then wholly in the window.
    fn word(&mut self, is_of: impl Fn(u8) -> bool) -> Read<usize> {
        loop {
            let rest = &self.buffer.as_bytes()[self.at..];
            if let Some(length) = rest.iter().position(|&byte| !is_of(byte)) {
                return Ok(length);
            }
            if !self.fill()? {
                return Ok(self.buffer.len() - self.at);
            }
        }
    }

    /// Reads any value and forgets it.
    pub(super) fn skip(&mut self) -> Read<()> {
        // Whether each open bracket is that of an object.
        let mut open: Vec<bool> = Vec::new();
        loop {
            match self.peek()? {
                Some(bracket @ (b'{' | b'[')) => {
                    if open.len() == DEEPEST {
                        let mistake = self.mistake(Kind::Nesting, self.at..self.at + 1, "nested too deeply");
                        let most = format!("expected at most {DEEPEST} arrays and objects inside each other");
                        return Err(self.failed(mistake.label(most)));
                    }
                    self.at += 1;
                    self.fresh = true;
                    open.push(bracket == b'{');
                }
                _ => {
                    let inside = if open.last() == Some(&true) { "an object" } else { "an array" };
                    self.scalar(inside)?;
                }
            }
            // A value has ended, or a bracket was opened.
            loop {
                match open.last() {
                    None => return Ok(()),
                    Some(true) if self.key()?.is_some() => break,
                    Some(false) if self.item()? => break,
                    Some(_) => drop(open.pop()),
                }
            }
        }
    }
}

/// Where the string begins that ends with this text.
fn opening_quote(text: &str) -> Option<usize> {
    let inside = text.strip_suffix('"')?;
    let is_escaped = |at: usize| inside[..at].bytes().rev().take_while(|&b| b == b'\\').count() % 2 == 1;
    inside.rmatch_indices('"').map(|(at, _)| at).find(|&at| !is_escaped(at))
}

/// Takes over what is text of these bytes. A character that is cut waits for the next ones.
fn take_text(bytes: &[u8], buffer: &mut String, cut: &mut Vec<u8>, alien: &mut Option<u8>) {
    match str::from_utf8(bytes) {
        Ok(text) => buffer.push_str(text),
        Err(error) => {
            let (text, rest) = bytes.split_at(error.valid_up_to());
            buffer.push_str(str::from_utf8(text).unwrap_or_default());
            if error.error_len().is_some() {
                *alien = rest.first().copied();
            }
            cut.extend_from_slice(rest);
        }
    }
}

/// The rest of a line behind what is text, as far as it is shown.
fn behind(reader: &mut impl BufRead, cut: &mut Vec<u8>) -> String {
    if cut.is_empty() {
        return String::new();
    }
    while cut.len() < AROUND && !cut.contains(&b'\n') {
        let Ok(available) = reader.fill_buf() else { break };
        let taken = available.len();
        cut.extend_from_slice(available);
        reader.consume(taken);
        if taken == 0 {
            break;
        }
    }
    let end = memchr::memchr(b'\n', cut).unwrap_or(cut.len());
    String::from_utf8_lossy(&cut[..end]).into_owned()
}
