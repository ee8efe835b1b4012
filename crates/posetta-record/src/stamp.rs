//! Where an event stands in happened-before: what a message carries from its sender to its receiver.
//!
//! A stamp names an event by process and index, and counts the events of every other process that happened before it (its
//! vector clock without the own entry, which is the index). In memory the counts are shared with the process that made
//! it, so making a stamp copies nothing.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::registry::{ProcessNumber, Registry};

/// An event's place in happened-before.
///
/// A stamp is carried by messages: as a value between threads, as text in a header, or as bytes on a socket.
///
/// ```
/// use posetta_record::{Recorder, Stamp};
///
/// let recorder = Recorder::in_memory();
/// let (a, b) = (recorder.process("A"), recorder.process("B"));
/// let first = a.send("go").stamp();
/// let second = b.receive(&first, "go").stamp();
/// assert_eq!(second.to_string(), "B.1;A.1");
/// assert!(first.happened_before(&second) && !second.happened_before(&first));
/// assert_eq!("B.1;A.1".parse::<Stamp>().unwrap(), second);
/// assert_eq!(Stamp::from_bytes(&second.to_bytes()).unwrap(), second);
/// ```
#[derive(Clone)]
pub struct Stamp {
    /// Gives `process` and the places in `past` their names.
    pub(crate) registry: Arc<Registry>,
    pub(crate) process: ProcessNumber,
    /// From 1; 0 is [no event of the run](Self::is_of_nothing).
    pub(crate) index: u32,
    /// How many events of each process happened before this one; none where the list ends. The own entry may lag behind.
    pub(crate) past: Arc<Vec<u32>>,
}

impl Stamp {
    /// The process of the event.
    #[must_use]
    pub fn process(&self) -> &str {
        &self.registry.name(self.process).text
    }

    /// The index of the event in its process, from 1. It is 0 if there was no room in the run for the process, so that
    /// the event was lost; then the stamp is before and after no event, and its text and bytes are not read back.
    #[must_use]
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Whether it belongs to an event of a process that there was no room for.
    pub(crate) fn is_of_nothing(&self) -> bool {
        self.index == 0
    }

    /// How many events of a process this event knows of, itself included.
    #[must_use]
    pub fn count(&self, process: &str) -> u32 {
        self.registry.find(process).map_or(0, |p| self.count_of(p))
    }

    fn count_of(&self, process: ProcessNumber) -> u32 {
        if process == self.process { self.index } else { self.past.get(process as usize).copied().unwrap_or(0) }
    }

    /// Whether this event happened before the other one.
    #[must_use]
    pub fn happened_before(&self, other: &Self) -> bool {
        let known = if Arc::ptr_eq(&self.registry, &other.registry) {
            other.count_of(self.process)
        } else {
            other.count(self.process())
        };
        !self.is_of_nothing() && known >= self.index && self != other
    }

    /// Whether neither of two different events happened before the other: they could have come in either order.
    #[must_use]
    pub fn is_concurrent_with(&self, other: &Self) -> bool {
        self != other && !self.happened_before(other) && !other.happened_before(self)
    }

    /// The other processes that the event knows of, and how many of their events.
    fn known(&self) -> impl Iterator<Item = (&str, u32)> {
        self.past.iter().enumerate().filter(|&(p, &count)| count > 0 && p as u32 != self.process).map(|(p, &count)| {
            let name = self.registry.name(p as ProcessNumber);
            (&*name.text, count)
        })
    }

    /// A compact form for sockets and files, which [`Stamp::from_bytes`] reads. It says itself where it ends.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        let mut entry = |name: &str, count: u32| {
            write_varint(&mut out, name.len() as u64);
            out.extend_from_slice(name.as_bytes());
            write_varint(&mut out, u64::from(count));
        };
        entry(self.process(), self.index);
        for (name, count) in self.known() {
            entry(name, count);
        }
        // No process is called "".
        out.push(0);
        out
    }

    /// Reads what [`Stamp::to_bytes`] wrote.
    ///
    /// # Errors
    /// If the bytes are anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ParseStampError> {
        let (&version, mut rest) = bytes.split_first().ok_or(ParseStampError::Empty)?;
        if version != VERSION {
            return Err(ParseStampError::Version);
        }
        let mut draft = Draft::default();
        loop {
            let length = read_varint(&mut rest)?;
            if length == 0 {
                break;
            }
            let length = usize::try_from(length).ok().filter(|&n| n <= rest.len()).ok_or(ParseStampError::Truncated)?;
            let (name, after) = rest.split_at(length);
            rest = after;
            let name = str::from_utf8(name).map_err(|_| ParseStampError::Name)?;
            let count = u32::try_from(read_varint(&mut rest)?).map_err(|_| ParseStampError::Count)?;
            draft.entry(name, count)?;
        }
        if !rest.is_empty() {
            return Err(ParseStampError::Trailing);
        }
        draft.finish()
    }
}

const VERSION: u8 = 1;

fn write_varint(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn read_varint(bytes: &mut &[u8]) -> Result<u64, ParseStampError> {
    let mut n = 0;
    for shift in (0..63).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or(ParseStampError::Truncated)?;
        *bytes = rest;
        n |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(n);
        }
    }
    Err(ParseStampError::Count)
}

/// A stamp that is being read: the event first, then what it knows of.
#[derive(Default)]
struct Draft {
    registry: Registry,
    index: Option<u32>,
    past: Vec<u32>,
}

impl Draft {
    fn entry(&mut self, name: &str, count: u32) -> Result<(), ParseStampError> {
        if name.is_empty() {
            return Err(ParseStampError::Name);
        }
        if count == 0 || count == u32::MAX {
            return Err(ParseStampError::Count);
        }
        let number = self.registry.number(name).ok_or(ParseStampError::TooMany)?;
        // The numbers are dense, so a new name has the next one.
        if number as usize != self.past.len() {
            return Err(ParseStampError::Twice);
        }
        self.past.push(if self.index.is_none() { 0 } else { count });
        self.index.get_or_insert(count);
        Ok(())
    }

    fn finish(self) -> Result<Stamp, ParseStampError> {
        let index = self.index.ok_or(ParseStampError::Empty)?;
        Ok(Stamp { registry: Arc::new(self.registry), process: 0, index, past: Arc::new(self.past) })
    }
}

/// One event has one stamp.
impl PartialEq for Stamp {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
            && if Arc::ptr_eq(&self.registry, &other.registry) {
                self.process == other.process
            } else {
                self.process() == other.process()
            }
    }
}

impl Eq for Stamp {}

impl fmt::Debug for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stamp({self})")
    }
}

/// `process.index;process.count;…` in ASCII without spaces, commas or quotes, so it fits a header, a URL or a log line.
/// Other characters of names are written as `%` and two hexadecimal digits for each byte.
impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_name(f, self.process())?;
        write!(f, ".{}", self.index)?;
        for (name, count) in self.known() {
            f.write_str(";")?;
            write_name(f, name)?;
            write!(f, ".{count}")?;
        }
        Ok(())
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn write_name(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    if name.bytes().all(is_plain) {
        return f.write_str(name);
    }
    for byte in name.bytes() {
        if is_plain(byte) { write!(f, "{}", byte as char)? } else { write!(f, "%{byte:02X}")? }
    }
    Ok(())
}

fn read_name(text: &str) -> Result<String, ParseStampError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || rest.next().and_then(|b| (b as char).to_digit(16)).ok_or(ParseStampError::Name);
                (digit()? * 16 + digit()?) as u8
            }
            _ if is_plain(byte) => byte,
            _ => return Err(ParseStampError::Name),
        });
    }
    String::from_utf8(bytes).map_err(|_| ParseStampError::Name)
}

impl FromStr for Stamp {
    type Err = ParseStampError;

    fn from_str(text: &str) -> Result<Self, ParseStampError> {
        if text.is_empty() {
            return Err(ParseStampError::Empty);
        }
        let mut draft = Draft::default();
        for entry in text.split(';') {
            let (name, count) = entry.rsplit_once('.').ok_or(ParseStampError::Count)?;
            if count.starts_with('+') {
                return Err(ParseStampError::Count);
            }
            let count = count.parse().map_err(|_| ParseStampError::Count)?;
            draft.entry(&read_name(name)?, count)?;
        }
        draft.finish()
    }
}

/// Why text or bytes are no stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseStampError {
    /// There is nothing.
    Empty,
    /// The bytes end too early.
    Truncated,
    /// More bytes follow.
    Trailing,
    /// The first byte is not the version of this form.
    Version,
    /// The name of a process is missing, or is not written as one.
    Name,
    /// A count is missing, 0 or too large.
    Count,
    /// A process occurs twice.
    Twice,
    /// More processes than a run can have.
    TooMany,
}

impl fmt::Display for ParseStampError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "it is empty",
            Self::Truncated => "it ends too early",
            Self::Trailing => "more follows after its end",
            Self::Version => "it does not start with the version of this form",
            Self::Name => "a name of a process is missing, or not written as one",
            Self::Count => "a count of events is missing, zero or too large",
            Self::Twice => "a process occurs twice",
            Self::TooMany => "it has more processes than a run can",
        })
    }
}

impl std::error::Error for ParseStampError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_come_back() {
        for text in ["A.1", "A.4294967294;B.2", "a%20b.1;x.y.3;%C3%A9%3B.7"] {
            let stamp: Stamp = text.parse().unwrap();
            assert_eq!(stamp.to_string(), text);
            let again = Stamp::from_bytes(&stamp.to_bytes()).unwrap();
            assert_eq!(again.to_string(), text);
            assert_eq!(again, stamp);
        }
    }

    #[test]
    fn garbage_is_refused() {
        use ParseStampError::*;
        for (text, error) in [
            ("", Empty),
            ("A", Count),
            ("A.", Count),
            (".1", Name),
            ("A.0", Count),
            ("A.+1", Count),
            ("A.4294967295", Count),
            ("A.1;", Count),
            ("A.1;A.2", Twice),
            ("A.1;B.2;B.2", Twice),
            ("a b.1", Name),
            ("%4.1", Name),
            ("%FF.1", Name),
            ("é.1", Name),
        ] {
            assert_eq!(text.parse::<Stamp>().unwrap_err(), error, "{text:?}");
        }
        for (bytes, error) in [
            (&b""[..], Empty),
            (b"\x02\x01A\x01\x00", Version),
            (b"\x01", Truncated),
            (b"\x01\x00", Empty),
            (b"\x01\x01A\x01", Truncated),
            (b"\x01\x05A\x01\x00", Truncated),
            (b"\x01\x01A\x01\x00\x00", Trailing),
            (b"\x01\x01\xff\x01\x00", Name),
            (b"\x01\x01A\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", Count),
            (b"\x01\x01A\x00\x00", Count),
        ] {
            assert_eq!(Stamp::from_bytes(bytes).unwrap_err(), error, "{bytes:?}");
        }
    }

    #[test]
    fn random_bytes_do_no_harm() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..20_000 {
            let length = random.usize(..12);
            let mut bytes: Vec<u8> =
                (0..length).map(|_| if random.bool() { random.u8(..4) } else { random.u8(..) }).collect();
            bytes.insert(0, VERSION);
            if let Ok(stamp) = Stamp::from_bytes(&bytes) {
                assert_eq!(stamp.to_string().parse(), Ok(stamp));
            }
            let text: String = (0..length).map(|_| ['A', '.', ';', '1', '%', '4', 'é'][random.usize(..7)]).collect();
            if let Ok(stamp) = text.parse::<Stamp>() {
                assert_eq!(Stamp::from_bytes(&stamp.to_bytes()), Ok(stamp));
            }
        }
    }
}
