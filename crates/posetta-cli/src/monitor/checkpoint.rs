//! A place to go on from, in a file.
//!
//! JSON lines: the first says what was asked, how far the source was read and how much had been told, each of the others has the
//! saved instances of one stream, the last but one says how many streams there are. The last is the seal: the length of everything
//! before it and a checksum of that. It stands at the end, so that a checkpoint is written as it is made, however many streams there
//! are. All of a checkpoint is checked against its seal before anything of it is used.
//!
//! A checkpoint is a draft that is brought to the disk and put in its place ([`Output`]), so that there is always a whole one.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Take, Write};
use std::path::{Path, PathBuf};

use crc::{CRC_64_XZ, Crc, Digest, Table};
use posetta_base::{Diagnostic, Kind};
use serde_json::{Map, Value, json};

use crate::files::Output;
use crate::problem::system_error;

const VERSION: u64 = 2;
const VERSION_FIELD: &str = "posetta_checkpoint";
const BUFFER: usize = 1 << 16;

/// It tells damage, not intent: whoever changes a checkpoint can make a new seal.
static CHECKSUM: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_XZ);

/// How far things were.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Position {
    /// Bytes of the source that have been read.
    pub offset: u64,
    /// Records that have come.
    pub records: u64,
    /// What the reader of records must know to go on from there.
    pub reader: Option<String>,
    /// Lines that have been told.
    pub lines: u64,
    /// The length of the file of `--out`.
    pub bytes: Option<u64>,
    /// What the board knows.
    pub board: Value,
    /// Names that have come.
    pub names: Value,
}

/// What a property is on a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Saved {
    New,
    Live(String),
    Done { holds: bool },
}

/// A checkpoint that is whole, and whose streams are still to be read.
#[derive(Debug)]
pub struct Checkpoint {
    pub asked: Map<String, Value>,
    pub position: Position,
    path: PathBuf,
    lines: io::Lines<BufReader<Take<File>>>,
    /// How many streams have been read.
    streams: u64,
}

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

/// Writes a checkpoint: all of it, or nothing.
pub fn write(
    path: &Path,
    asked: &Map<String, Value>,
    position: &Position,
    streams: impl Iterator<Item = (String, Vec<Saved>)>,
) -> io::Result<()> {
    let mut output = Output::create(path)?;
    let sealed = Sealed { out: &mut output, length: 0, digest: CHECKSUM.digest() };
    let mut out = BufWriter::with_capacity(BUFFER, sealed);
    let head = json!({
        VERSION_FIELD: VERSION,
        "asked": asked,
        "offset": position.offset,
        "records": position.records,
        "reader": position.reader,
        "lines": position.lines,
        "bytes": position.bytes,
        "board": position.board,
        "names": position.names,
    });
    writeln!(out, "{head}")?;
    let mut count: u64 = 0;
    for (key, properties) in streams {
        let saved: Vec<Value> = properties
            .into_iter()
            .map(|saved| match saved {
                Saved::New => Value::Null,
                Saved::Live(text) => Value::String(text),
                Saved::Done { holds } => Value::Bool(holds),
            })
            .collect();
        writeln!(out, "{}", json!([key, saved]))?;
        count += 1;
    }
    writeln!(out, "{}", json!({ "streams": count }))?;
    let sealed = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    let last = seal(sealed.length, sealed.digest.finalize());
    output.write_all(last.as_bytes())?;
    output.finish_on_disk()
}

/// The checkpoint in a file; `None` if there is no file.
pub fn read(path: &Path) -> Result<Option<Checkpoint>, Diagnostic> {
    let cannot = |error: io::Error| {
        let message = format!("cannot read the checkpoint `{}`: {}", path.display(), system_error(&error));
        Diagnostic::new(Kind::Input, message)
    };
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(cannot(error)),
        // A pipe would have to be waited for.
        Ok(data) if !data.is_file() => return Err(none(path)),
        Ok(_) => {}
    }
    let mut file = File::open(path).map_err(cannot)?;
    match version(&mut file).map_err(cannot)? {
        Some(VERSION) => {}
        None => return Err(none(path)),
        Some(_) => {
            let message = format!("the checkpoint `{}` was made by another version of this program", path.display());
            return Err(Diagnostic::new(Kind::Input, message).help(ANEW));
        }
    }
    let Some(length) = sealed_length(&mut file).map_err(cannot)? else {
        let message = format!("the checkpoint `{}` is damaged: its checksum does not fit", path.display());
        return Err(Diagnostic::new(Kind::Input, message).help(ANEW));
    };
    file.seek(SeekFrom::Start(0)).map_err(cannot)?;
    let mut lines = BufReader::with_capacity(BUFFER, file.take(length)).lines();
    let head = lines.next().and_then(Result::ok);
    let head: Option<Value> = head.and_then(|head| serde_json::from_str(&head).ok());
    let (asked, position) = head.and_then(taken_apart).ok_or_else(|| broken(path))?;
    Ok(Some(Checkpoint { asked, position, path: path.to_owned(), lines, streams: 0 }))
}

/// The version that a file begins with; `None` if it is no checkpoint.
fn version(file: &mut File) -> io::Result<Option<u64>> {
    let mut start = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(64).read_to_end(&mut start)?;
    let start = String::from_utf8_lossy(&start);
    let number = start.strip_prefix(&format!("{{\"{VERSION_FIELD}\":"));
    Ok(number.and_then(|rest| rest.split([',', '}']).next()).and_then(|digits| digits.parse().ok()))
}

/// How many bytes stand before the seal; `None` if there is none that fits.
fn sealed_length(file: &mut File) -> io::Result<Option<u64>> {
    let whole = file.seek(SeekFrom::End(0))?;
    let Some(length) = whole.checked_sub(seal(0, 0).len() as u64) else { return Ok(None) };
    file.seek(SeekFrom::Start(0))?;
    let mut digest = CHECKSUM.digest();
    let mut left = length;
    let mut buffer = vec![0; BUFFER];
    while left > 0 {
        let part = usize::try_from(left).map_or(BUFFER, |left| left.min(BUFFER));
        let read = match file.read(&mut buffer[..part]) {
            Ok(0) => return Ok(None),
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        digest.update(&buffer[..read]);
        left -= read as u64;
    }
    let mut last = Vec::new();
    file.read_to_end(&mut last)?;
    Ok((last == seal(length, digest.finalize()).as_bytes()).then_some(length))
}

/// The first line. Every field is there and nothing else.
fn taken_apart(head: Value) -> Option<(Map<String, Value>, Position)> {
    let Value::Object(mut head) = head else { return None };
    let mut field = |name: &str| head.remove(name);
    field(VERSION_FIELD)?;
    let Value::Object(asked) = field("asked")? else { return None };
    let position = Position {
        offset: field("offset")?.as_u64()?,
        records: field("records")?.as_u64()?,
        reader: match field("reader")? {
            Value::Null => None,
            Value::String(saved) => Some(saved),
            _ => return None,
        },
        lines: field("lines")?.as_u64()?,
        bytes: match field("bytes")? {
            Value::Null => None,
            bytes => Some(bytes.as_u64()?),
        },
        board: field("board")?,
        names: field("names")?,
    };
    head.is_empty().then_some((asked, position))
}

/// What to do with a checkpoint that does not fit.
pub const ANEW: &str = "remove it to start anew, or name another file";

fn none(path: &Path) -> Diagnostic {
    let message = format!("`{}` is not a checkpoint of this program", path.display());
    Diagnostic::new(Kind::Input, message).help(ANEW)
}

fn broken(path: &Path) -> Diagnostic {
    let message = format!("the checkpoint `{}` is broken: what it says cannot be", path.display());
    Diagnostic::new(Kind::Input, message).help(ANEW)
}

impl Checkpoint {
    /// That what it says cannot be, although its seal fits.
    pub fn broken(&self) -> Diagnostic {
        broken(&self.path)
    }

    /// The next stream: its key, and what each property is on it.
    pub fn next_stream(&mut self) -> Result<Option<(String, Vec<Saved>)>, Diagnostic> {
        let line = self.lines.next().and_then(Result::ok);
        match line.and_then(|line| serde_json::from_str(&line).ok()) {
            Some(Value::Object(end)) => {
                let whole = end.len() == 1 && end.get("streams") == Some(&json!(self.streams));
                if whole && self.lines.next().is_none() { Ok(None) } else { Err(self.broken()) }
            }
            Some(Value::Array(pair)) => {
                self.streams += 1;
                saved_stream(pair).ok_or_else(|| self.broken()).map(Some)
            }
            _ => Err(self.broken()),
        }
    }
}

fn saved_stream(pair: Vec<Value>) -> Option<(String, Vec<Saved>)> {
    let Ok([Value::String(key), Value::Array(saved)]) = <[Value; 2]>::try_from(pair) else { return None };
    let saved = saved.into_iter().map(|saved| match saved {
        Value::Null => Some(Saved::New),
        Value::String(text) => Some(Saved::Live(text)),
        Value::Bool(holds) => Some(Saved::Done { holds }),
        _ => None,
    });
    Some((key, saved.collect::<Option<_>>()?))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// These lines with a seal that fits.
    pub fn sealed(lines: &str) -> String {
        format!("{lines}{}", seal(lines.len() as u64, CHECKSUM.checksum(lines.as_bytes())))
    }

    #[test]
    fn what_is_written_is_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c");
        assert!(read(&path).unwrap().is_none());
        let asked = Map::from_iter([("--key".to_owned(), json!("k"))]);
        let position = Position {
            offset: 12,
            records: 3,
            reader: Some("a\nb".to_owned()),
            lines: 4,
            bytes: Some(77),
            board: json!([1, 2]),
            names: json!({"x": null}),
        };
        let streams = vec![
            ("é\n".to_owned(), vec![Saved::New, Saved::Live("x \"y\"".to_owned())]),
            (String::new(), vec![Saved::Done { holds: true }, Saved::Done { holds: false }]),
        ];
        for _ in 0..2 {
            write(&path, &asked, &position, streams.clone().into_iter()).unwrap();
        }
        let mut checkpoint = read(&path).unwrap().unwrap();
        assert_eq!((&checkpoint.asked, &checkpoint.position), (&asked, &position));
        for stream in streams {
            assert_eq!(checkpoint.next_stream().unwrap(), Some(stream));
        }
        assert_eq!(checkpoint.next_stream().unwrap(), None);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_none_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c");
        let message = |text: &str| {
            fs::write(&path, text).unwrap();
            read(&path).unwrap_err().message.replace(&path.display().to_string(), "c")
        };
        for text in ["", "{}", "hello", "\u{0}\n", "{\"posetta_checkpoint\":-1}", "{\"posetta_checkpoint\":\"2\"}"] {
            assert_eq!(message(text), "`c` is not a checkpoint of this program", "{text}");
        }
        for text in
            ["{\"posetta_checkpoint\":1}", "{\"posetta_checkpoint\":1,\"asked\":{}}", "{\"posetta_checkpoint\":3}"]
        {
            assert_eq!(message(text), "the checkpoint `c` was made by another version of this program", "{text}");
        }
        for text in ["{\"posetta_checkpoint\":2}", "{\"posetta_checkpoint\":2,\"asked\":{}}\n{\"streams\":0}\n"] {
            assert_eq!(message(text), "the checkpoint `c` is damaged: its checksum does not fit", "{text}");
        }
        assert!(read(dir.path()).is_err());
        let position = Position::default();
        assert!(write(&dir.path().join("none/c"), &Map::new(), &position, std::iter::empty()).is_err());
    }
}
