//! The wire format of protocol buffers: fields with a number and a value, messages inside messages.
//!
//! Our own, because what others read it with makes a tree of every message first, and brings more code than the two hundred lines
//! that spans need. A message as bytes is gone over by [`Fields`]; [`Wire`] reads messages that are too large for that.

use std::io::{BufRead, ErrorKind, Read as _};

use crate::document::Read;
use crate::spans::intake::plain_error;
use posetta_base::{Budget, Claim, Diagnostic, Error, Kind};

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'a> {
    Varint(u64),
    Fixed64(u64),
    Fixed32(u32),
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    pub(super) fn bytes(self) -> &'a [u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            _ => &[],
        }
    }

    pub(super) fn number(self) -> u64 {
        match self {
            Self::Varint(n) | Self::Fixed64(n) => n,
            Self::Fixed32(n) => u64::from(n),
            Self::Bytes(_) => 0,
        }
    }

    /// Text; what is not UTF-8 is replaced.
    pub(super) fn text(self) -> std::borrow::Cow<'a, str> {
        String::from_utf8_lossy(self.bytes())
    }
}

/// The fields of a message, up to the first one that is damaged.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    rest: &'a [u8],
    /// Whether a field was damaged.
    pub(super) damaged: bool,
}

impl<'a> Fields<'a> {
    pub(super) fn new(message: &'a [u8]) -> Self {
        Self { rest: message, damaged: false }
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..70).step_by(7) {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn field(&mut self) -> Option<(u64, Value<'a>)> {
        let tag = self.varint()?;
        let value = match tag & 7 {
            0 => Value::Varint(self.varint()?),
            1 => {
                let (bytes, rest) = self.rest.split_first_chunk::<8>()?;
                self.rest = rest;
                Value::Fixed64(u64::from_le_bytes(*bytes))
            }
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                let (bytes, rest) = self.rest.split_at_checked(length)?;
                self.rest = rest;
                Value::Bytes(bytes)
            }
            5 => {
                let (bytes, rest) = self.rest.split_first_chunk::<4>()?;
                self.rest = rest;
                Value::Fixed32(u32::from_le_bytes(*bytes))
            }
            _ => return None,
        };
        (tag >> 3 != 0).then_some((tag >> 3, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (u64, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.damaged = true;
            self.rest = &[];
        }
        field
    }
}

/// An input of messages, read field by field.
pub(super) struct Wire<R> {
    reader: R,
    /// Bytes read so far.
    pub(super) offset: u64,
    buffer: Vec<u8>,
    budget: Budget,
    claim: Claim,
}

/// The beginning of a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag {
    pub(super) field: u64,
    sort: u8,
}

impl Tag {
    /// Whether it has bytes, which may be a message.
    pub(super) fn has_bytes(self) -> bool {
        self.sort == 2
    }
}

impl<R: BufRead> Wire<R> {
    pub(super) fn new(reader: R, budget: &Budget) -> Result<Self, Error> {
        let claim = budget.claim(0, READING)?;
        Ok(Self { reader, offset: 0, buffer: Vec::new(), budget: budget.clone(), claim })
    }

    /// What is wrong here.
    #[cold]
    pub(super) fn wrong(&self, what: &str) -> Box<Error> {
        let message = format!("{what}, at byte {}", self.offset);
        plain_error(Diagnostic::new(Kind::Syntax, message).help("expected OpenTelemetry traces as protocol buffers"))
    }

    #[cold]
    fn cut(&self) -> Box<Error> {
        let message = format!("the file ends inside a message, at byte {}; was it cut off?", self.offset);
        plain_error(Diagnostic::new(Kind::Truncated, message))
    }

    /// The next byte, if there is one.
    pub(super) fn byte(&mut self) -> Read<Option<u8>> {
        loop {
            match self.reader.fill_buf() {
                Ok(bytes) => {
                    let first = bytes.first().copied();
                    if first.is_some() {
                        self.reader.consume(1);
                        self.offset += 1;
                    }
                    return Ok(first);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(&error)),
            }
        }
    }

    /// A number, of which the first byte may be known.
    pub(super) fn varint(&mut self, first: Option<u8>, end: u64) -> Read<u64> {
        let mut value = 0;
        let mut first = first;
        for shift in (0..70).step_by(7) {
            let byte = match first.take() {
                Some(byte) => byte,
                None if self.offset >= end => return Err(self.wrong("a number that is cut by the end of its message")),
                None => self.byte()?.ok_or_else(|| self.cut())?,
            };
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.wrong("a number of more than 64 bits"))
    }

    /// The next field of a message that ends at `end`.
    pub(super) fn tag(&mut self, first: Option<u8>, end: u64) -> Read<Tag> {
        let tag = self.varint(first, end)?;
        match (tag >> 3, (tag & 7) as u8) {
            (field @ 1.., sort @ (0 | 1 | 2 | 5)) => Ok(Tag { field, sort }),
            _ => Err(self.wrong("a field that is not one")),
        }
    }

    /// Where the bytes of a field end, in a message that ends at `end`.
    pub(super) fn end_of(&mut self, end: u64) -> Read<u64> {
        let length = self.varint(None, end)?;
        match self.offset.checked_add(length) {
            Some(own) if own <= end => Ok(own),
            _ => Err(self.wrong("a message that is longer than the one around it")),
        }
    }

    /// The bytes up to `end`, to be [given back](Self::give_back).
    pub(super) fn bytes(&mut self, end: u64) -> Read<Vec<u8>> {
        const CHUNK: u64 = 1 << 16;
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        while self.offset < end {
            let now = (end - self.offset).min(CHUNK);
            let read = self.reader.by_ref().take(now).read_to_end(&mut buffer).map_err(|error| failed(&error))?;
            self.offset += read as u64;
            if (read as u64) < now {
                return Err(self.cut());
            }
            self.budget.step(1, READING).map_err(plain_error)?;
            self.claim.grow_to(2 * buffer.len() as u64, READING).map_err(plain_error)?;
        }
        Ok(buffer)
    }

    /// Takes back the room for bytes.
    pub(super) fn give_back(&mut self, buffer: Vec<u8>) {
        self.buffer = buffer;
    }

    /// Passes over the value of a field.
    pub(super) fn skip(&mut self, tag: Tag, end: u64) -> Read<()> {
        let until = match tag.sort {
            0 => return self.varint(None, end).map(drop),
            1 => self.offset + 8,
            2 => self.end_of(end)?,
            _ => self.offset + 4,
        };
        if until > end {
            return Err(self.wrong("a field that is longer than its message"));
        }
        let bytes = self.bytes(until)?;
        self.give_back(bytes);
        Ok(())
    }
}

const READING: &str = "reading the run";

#[cold]
fn failed(error: &std::io::Error) -> Box<Error> {
    plain_error(Diagnostic::new(Kind::Input, format!("the input could not be read: {error}")))
}
