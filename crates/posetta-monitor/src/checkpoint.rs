//! A place to go on from, as bytes.
//!
//! JSON lines: the first says what was asked, how far the source was read and how much had been told, each of the others has the
//! saved instances of one stream, the last but one says how many streams there are. The last is the seal: the length of everything
//! before it and a checksum of that. It stands at the end, so that a checkpoint is written as it is made, however many streams there
//! are. All of a checkpoint is checked against its seal before anything of it is used.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read, Seek, SeekFrom, Take, Write};

use crc::{CRC_64_XZ, Crc, Digest, Table};
use serde_json::{Map, Value, json};

use crate::names::SavedNames;
use crate::streams::Stage;
use posetta_base::{Diagnostic, Error, Kind, Limit, Place};

const VERSION: u64 = 3;
const VERSION_FIELD: &str = "posetta_checkpoint";
const BUFFER: usize = 1 << 16;

/// It tells damage, not intent: whoever changes a checkpoint can make a new seal.
static CHECKSUM: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_XZ);

/// What whoever feeds a watcher must remember to go on: how far the source was read, and how much had been told. A checkpoint keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bookmark {
    /// Bytes of the source that have been read.
    pub offset: u64,
    /// What the reader of records must know to go on from there.
    pub reader: Option<String>,
    /// Lines that have been told.
    pub lines: u64,
    /// The length of the file that they were written to, if they were.
    pub bytes: Option<u64>,
    /// Lines of the source that were left out because of a mistake.
    pub malformed: u64,
    /// What the reader of records has warned of.
    pub warned: Vec<Diagnostic>,
}

impl Bookmark {
    /// So many bytes of the source have been read.
    #[must_use]
    pub fn new(offset: u64) -> Self {
        Self { offset, ..Self::default() }
    }

    /// With what the [reader](field@Self::reader) of records must know.
    #[must_use]
    pub fn reader(mut self, reader: Option<String>) -> Self {
        self.reader = reader;
        self
    }

    /// With how many [lines](field@Self::lines) have been told, to a file that has so many [bytes](field@Self::bytes) if it is one.
    #[must_use]
    pub fn lines(mut self, lines: u64, bytes: Option<u64>) -> Self {
        (self.lines, self.bytes) = (lines, bytes);
        self
    }

    /// With how many lines of the source were [left out](field@Self::malformed).
    #[must_use]
    pub fn malformed(mut self, malformed: u64) -> Self {
        self.malformed = malformed;
        self
    }

    /// With what the reader has [warned](field@Self::warned) of.
    #[must_use]
    pub fn warned(mut self, warned: Vec<Diagnostic>) -> Self {
        self.warned = warned;
        self
    }
}

/// The question that a checkpoint belongs to, as far as it decides what is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// Each with its name, its logic, what it is over and its formula.
    pub(crate) properties: Vec<Value>,
    /// The options by name. One that is a yes or no has an empty value, and one that was not given is not there.
    pub(crate) asked: BTreeMap<String, String>,
}

/// A checkpoint that is whole, and whose streams are still to be read.
#[derive(Debug)]
pub struct Checkpoint<R> {
    question: Question,
    pub(crate) head: Head,
    lines: io::Lines<BufReader<Take<R>>>,
    /// How many streams have been read.
    streams: u64,
}

/// Why a checkpoint cannot be gone on from.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// It cannot be read.
    Unreadable(io::Error),
    /// It is none.
    NotACheckpoint,
    /// Another version of this library made it.
    OtherVersion,
    /// It was changed after it was written: its length or its checksum does not fit.
    Damaged,
    /// What it says cannot be, although its seal fits.
    Impossible,
    /// Something else was asked.
    OtherQuestion(Difference),
    /// The source that is read again is not the one that it was made of.
    OtherSource,
    /// The source that is read again ends before its place.
    EndsEarly,
}

/// In what a question differs from the one of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// The properties are others.
    Properties,
    /// Something that was asked: one of [`Options`](crate::Options), or what it has in [`asked`](field@crate::Options::asked).
    Asked {
        /// What it is called: an option like its field.
        name: String,
        /// What was asked then, nothing for a plain yes; `None` if it was not asked for.
        then: Option<String>,
        /// What is asked now.
        now: Option<String>,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "the checkpoint cannot be read: {error}"),
            Self::NotACheckpoint => f.write_str("this is not a checkpoint"),
            Self::OtherVersion => f.write_str("the checkpoint was made by another version"),
            Self::Damaged => f.write_str("the checkpoint is damaged: its checksum does not fit"),
            Self::Impossible => f.write_str("the checkpoint is broken: what it says cannot be"),
            Self::OtherQuestion(Difference::Properties) => {
                f.write_str("the checkpoint does not fit: it was made with other properties")
            }
            Self::OtherQuestion(Difference::Asked { name, .. }) => {
                write!(f, "the checkpoint does not fit: it was made with another `{name}`")
            }
            Self::OtherSource => f.write_str("the stream is not the one that the checkpoint was made of"),
            Self::EndsEarly => f.write_str("the stream ends before the place of the checkpoint"),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(error)
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Diagnostic::new(Kind::Input, refusal.to_string()).into()
    }
}

/// The first line, without the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) bookmark: Bookmark,
    pub(crate) records: u64,
    pub(crate) tallies: Vec<SavedTally>,
    pub(crate) mistyped: u64,
    /// How many records had no key, and the line of the first.
    pub(crate) keyless: Option<(u64, u64)>,
    /// Whether some property does not fit the stream.
    pub(crate) mistaken: bool,
    pub(crate) names: SavedNames,
}

/// What had become of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SavedTally {
    pub(crate) failed: bool,
    /// The limit at which it was given up: memory, or another one.
    pub(crate) lost_to: Option<Limit>,
    pub(crate) holds: u64,
    pub(crate) violated: u64,
    pub(crate) violated_keys: Vec<String>,
    pub(crate) since: Option<(u64, u64)>,
}

/// What each property is on a stream, with its saved instance if it is followed.
pub(crate) type Saved = Vec<Stage<String>>;

/// Counts and sums up what is written.
struct Sealed<W> {
    out: W,
    length: u64,
    digest: Digest<'static, u64, Table<16>>,
}

impl<W: Write> Write for Sealed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.digest.update(&bytes[..written]);
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The last line. It always has the same length.
fn seal(length: u64, checksum: u64) -> String {
    format!("{{\"length\":{length:20},\"checksum\":\"{checksum:016x}\"}}\n")
}

/// Writes a checkpoint.
pub(crate) fn write<'k>(
    out: impl Write,
    question: &Question,
    head: &Head,
    streams: impl Iterator<Item = (&'k str, Saved)>,
) -> io::Result<()> {
    let sealed = Sealed { out, length: 0, digest: CHECKSUM.digest() };
    let mut out = io::BufWriter::with_capacity(BUFFER, sealed);
    writeln!(out, "{}", head.to_json(question))?;
    let mut count: u64 = 0;
    for (key, properties) in streams {
        let saved: Vec<Value> = properties
            .into_iter()
            .map(|saved| match saved {
                Stage::New => Value::Null,
                Stage::Live(text) => Value::String(text),
                Stage::Done { holds } => Value::Bool(holds),
            })
            .collect();
        writeln!(out, "{}", json!([key, saved]))?;
        count += 1;
    }
    writeln!(out, "{}", json!({ "streams": count }))?;
    let mut sealed = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    let last = seal(sealed.length, sealed.digest.finalize());
    sealed.out.write_all(last.as_bytes())?;
    sealed.out.flush()
}

impl<'a> Checkpoint<Cursor<&'a [u8]>> {
    /// The same as [`Self::open`], of bytes at hand.
    ///
    /// # Errors
    /// When they are no checkpoint, or not the one that was written.
    pub fn of(bytes: &'a [u8]) -> Result<Self, Refusal> {
        Self::open(Cursor::new(bytes))
    }
}

impl<R: Read + Seek> Checkpoint<R> {
    /// Looks whether all of a checkpoint is there and as it was written, and reads its first line.
    ///
    /// # Errors
    /// When it is none, or not the one that was written, or cannot be read.
    pub fn open(mut from: R) -> Result<Self, Refusal> {
        match version(&mut from)? {
            Some(VERSION) => {}
            None => return Err(Refusal::NotACheckpoint),
            Some(_) => return Err(Refusal::OtherVersion),
        }
        let length = sealed_length(&mut from)?.ok_or(Refusal::Damaged)?;
        from.seek(SeekFrom::Start(0))?;
        let mut lines = BufReader::with_capacity(BUFFER, from.take(length)).lines();
        let head = lines.next().and_then(Result::ok);
        let head: Option<Value> = head.and_then(|head| serde_json::from_str(&head).ok());
        let (question, head) = head.and_then(Head::from_json).ok_or(Refusal::Impossible)?;
        Ok(Self { question, head, lines, streams: 0 })
    }

    /// What was asked by this name, as in [`Difference::Asked`]; `None` if it was not asked for.
    #[must_use]
    pub fn asked(&self, name: &str) -> Option<&str> {
        self.question.asked.get(name).map(String::as_str)
    }

    /// How far the source was read, and how much had been told.
    #[must_use]
    pub fn bookmark(&self) -> &Bookmark {
        &self.head.bookmark
    }

    /// How many records had come.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.head.records
    }

    /// Whether it is one of this question.
    pub(crate) fn answers(&self, now: &Question) -> Result<(), Refusal> {
        if self.question.properties != now.properties {
            return Err(Refusal::OtherQuestion(Difference::Properties));
        }
        let (then, now) = (&self.question.asked, &now.asked);
        match then.keys().chain(now.keys()).find(|name| then.get(*name) != now.get(*name)) {
            None => Ok(()),
            Some(name) => {
                let (then, now) = (then.get(name).cloned(), now.get(name).cloned());
                Err(Refusal::OtherQuestion(Difference::Asked { name: name.clone(), then, now }))
            }
        }
    }

    /// The next stream: its key, and what each property is on it.
    pub(crate) fn next_stream(&mut self) -> Result<Option<(String, Saved)>, Refusal> {
        let line = self.lines.next().and_then(Result::ok);
        match line.and_then(|line| serde_json::from_str(&line).ok()) {
            Some(Value::Object(end)) => {
                let whole = end.len() == 1 && end.get("streams") == Some(&json!(self.streams));
                if whole && self.lines.next().is_none() { Ok(None) } else { Err(Refusal::Impossible) }
            }
            Some(Value::Array(pair)) => {
                self.streams += 1;
                saved_stream(pair).ok_or(Refusal::Impossible).map(Some)
            }
            _ => Err(Refusal::Impossible),
        }
    }
}

/// The version that something begins with; `None` if it is no checkpoint.
fn version(from: &mut (impl Read + Seek)) -> io::Result<Option<u64>> {
    let mut start = Vec::new();
    from.seek(SeekFrom::Start(0))?;
    from.take(64).read_to_end(&mut start)?;
    let start = String::from_utf8_lossy(&start);
    let number = start.strip_prefix(&format!("{{\"{VERSION_FIELD}\":"));
    Ok(number.and_then(|rest| rest.split([',', '}']).next()).and_then(|digits| digits.parse().ok()))
}

/// How many bytes stand before the seal; `None` if there is none that fits.
fn sealed_length(from: &mut (impl Read + Seek)) -> io::Result<Option<u64>> {
    let whole = from.seek(SeekFrom::End(0))?;
    let Some(length) = whole.checked_sub(seal(0, 0).len() as u64) else { return Ok(None) };
    from.seek(SeekFrom::Start(0))?;
    let mut digest = CHECKSUM.digest();
    let mut left = length;
    let mut buffer = vec![0; BUFFER];
    while left > 0 {
        let part = usize::try_from(left).map_or(BUFFER, |left| left.min(BUFFER));
        let read = match from.read(&mut buffer[..part]) {
            Ok(0) => return Ok(None),
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        digest.update(&buffer[..read]);
        left -= read as u64;
    }
    let mut last = Vec::new();
    from.read_to_end(&mut last)?;
    Ok((last == seal(length, digest.finalize()).as_bytes()).then_some(length))
}

fn saved_stream(pair: Vec<Value>) -> Option<(String, Saved)> {
    let Ok([Value::String(key), Value::Array(saved)]) = <[Value; 2]>::try_from(pair) else { return None };
    let saved = saved.into_iter().map(|saved| match saved {
        Value::Null => Some(Stage::New),
        Value::String(text) => Some(Stage::Live(text)),
        Value::Bool(holds) => Some(Stage::Done { holds }),
        _ => None,
    });
    Some((key, saved.collect::<Option<_>>()?))
}

impl Head {
    fn to_json(&self, question: &Question) -> Value {
        let Bookmark { offset, reader, lines, bytes, malformed, warned } = &self.bookmark;
        let warned: Vec<Value> = warned.iter().map(warning_json).collect();
        let tally = |tally: &SavedTally| {
            json!({
                "failed": tally.failed,
                "lost_to_memory": tally.lost_to.map(|limit| limit == Limit::Memory),
                "holds": tally.holds,
                "violated": tally.violated,
                "violated_keys": tally.violated_keys,
                "since": tally.since,
            })
        };
        json!({
            VERSION_FIELD: VERSION,
            "properties": question.properties,
            "asked": question.asked,
            "offset": offset,
            "records": self.records,
            "reader": reader,
            "lines": lines,
            "bytes": bytes,
            "board": {
                "properties": self.tallies.iter().map(tally).collect::<Vec<Value>>(),
                "malformed": malformed,
                "mistyped": self.mistyped,
                "keyless": self.keyless,
                "warned": warned,
                "mistaken": self.mistaken,
            },
            "names": {
                "events": self.names.events,
                "processes": self.names.processes,
                "attributes": self.names.attributes,
                "seen": self.names.seen,
            },
        })
    }

    /// Every field is there and nothing else.
    fn from_json(head: Value) -> Option<(Question, Self)> {
        let mut head = Fields::of(head)?;
        head.take(VERSION_FIELD)?;
        let question = Question { properties: head.list("properties", Some)?, asked: head.named_texts("asked")? };
        let (mut board, mut names) = (Fields::of(head.take("board")?)?, Fields::of(head.take("names")?)?);
        let saved = Self {
            bookmark: Bookmark {
                offset: head.number("offset")?,
                reader: match head.take("reader")? {
                    Value::Null => None,
                    Value::String(saved) => Some(saved),
                    _ => return None,
                },
                lines: head.number("lines")?,
                bytes: match head.take("bytes")? {
                    Value::Null => None,
                    bytes => Some(bytes.as_u64()?),
                },
                malformed: board.number("malformed")?,
                warned: board.list("warned", warning)?,
            },
            records: head.number("records")?,
            tallies: board.list("properties", SavedTally::from_json)?,
            mistyped: board.number("mistyped")?,
            keyless: board.pair("keyless")?,
            mistaken: board.truth("mistaken")?,
            names: SavedNames {
                events: names.texts("events")?,
                processes: names.texts("processes")?,
                attributes: names.texts("attributes")?,
                seen: names.texts("seen")?,
            },
        };
        head.end().and(board.end()).and(names.end())?;
        Some((question, saved))
    }
}

impl SavedTally {
    fn from_json(saved: Value) -> Option<Self> {
        let mut saved = Fields::of(saved)?;
        let tally = Self {
            failed: saved.truth("failed")?,
            lost_to: match saved.take("lost_to_memory")? {
                Value::Null => None,
                memory => Some(if memory.as_bool()? { Limit::Memory } else { Limit::Time }),
            },
            holds: saved.number("holds")?,
            violated: saved.number("violated")?,
            violated_keys: saved.texts("violated_keys")?,
            since: saved.pair("since")?,
        };
        saved.end()?;
        Some(tally)
    }
}

fn warning_json(warning: &Diagnostic) -> Value {
    json!({
        "kind": warning.kind.word(),
        "line": warning.place.as_ref().map(|p| p.line),
        "column": warning.place.as_ref().map(|p| p.column),
        "message": warning.message,
        "label": warning.label,
        "help": warning.help,
    })
}

fn warning(saved: Value) -> Option<Diagnostic> {
    let mut saved = Fields::of(saved)?;
    let kind = Kind::called(saved.take("kind")?.as_str()?)?;
    let mut warning = Diagnostic::new(kind, saved.take("message")?.as_str()?);
    match (saved.take("line")?, saved.take("column")?) {
        (Value::Null, _) => {}
        (line, column) => {
            let (line, column) = (line.as_u64()?, column.as_u64().filter(|column| *column > 0)?);
            warning = warning.at(Place::line_only(line).column(column));
        }
    }
    let mut text = |name: &str| match saved.take(name)? {
        Value::Null => Some(None),
        text => Some(Some(text.as_str()?.to_owned())),
    };
    (warning.label, warning.help) = (text("label")?, text("help")?);
    saved.end()?;
    Some(warning)
}

/// The fields of an object, taken one by one.
struct Fields(Map<String, Value>);

impl Fields {
    fn of(value: Value) -> Option<Self> {
        match value {
            Value::Object(fields) => Some(Self(fields)),
            _ => None,
        }
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    fn number(&mut self, name: &str) -> Option<u64> {
        self.take(name)?.as_u64()
    }

    fn truth(&mut self, name: &str) -> Option<bool> {
        self.take(name)?.as_bool()
    }

    fn list<T>(&mut self, name: &str, item: impl FnMut(Value) -> Option<T>) -> Option<Vec<T>> {
        let Value::Array(items) = self.take(name)? else { return None };
        items.into_iter().map(item).collect()
    }

    fn texts(&mut self, name: &str) -> Option<Vec<String>> {
        self.list(name, |text| match text {
            Value::String(text) => Some(text),
            _ => None,
        })
    }

    fn named_texts(&mut self, name: &str) -> Option<BTreeMap<String, String>> {
        let text = |(name, text)| match text {
            Value::String(text) => Some((name, text)),
            _ => None,
        };
        Self::of(self.take(name)?)?.0.into_iter().map(text).collect()
    }

    /// Two numbers, or null.
    fn pair(&mut self, name: &str) -> Option<Option<(u64, u64)>> {
        match self.take(name)? {
            Value::Null => Some(None),
            pair => {
                let [first, second] = pair.as_array()?.as_slice() else { return None };
                Some(Some((first.as_u64()?, second.as_u64()?)))
            }
        }
    }

    /// Nothing is left.
    fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}
