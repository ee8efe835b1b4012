//! A place to go on from, in a file.
//!
//! JSON lines: the first says what was asked, how far the source was read and how much had been told, each of the others has the
//! saved instances of one stream, the last says how many streams there are. A checkpoint is written beside its file, brought to
//! the disk and put in its place, so that there is always a whole one.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use posetta::base::{Diagnostic, Kind};
use serde_json::{Map, Value, json};

use crate::problem::system_error;

const VERSION: u64 = 1;
const VERSION_FIELD: &str = "posetta_checkpoint";

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

/// A checkpoint whose streams are still to be read.
pub struct Checkpoint {
    pub asked: Map<String, Value>,
    pub position: Position,
    path: PathBuf,
    lines: io::Lines<BufReader<File>>,
}

/// Writes a checkpoint: all of it, or nothing.
pub fn write(
    path: &Path,
    asked: &Map<String, Value>,
    position: &Position,
    streams: impl Iterator<Item = (String, Vec<Saved>)>,
) -> io::Result<()> {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(".new");
    let new = path.with_file_name(name);
    let written = write_to(&new, asked, position, streams).and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        let _ = fs::remove_file(&new);
        return written;
    }
    // The rename is in the directory. Not every system lets a directory be brought to the disk.
    let directory = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(directory) = File::open(directory) {
        let _ = directory.sync_all();
    }
    Ok(())
}

fn write_to(
    path: &Path,
    asked: &Map<String, Value>,
    position: &Position,
    streams: impl Iterator<Item = (String, Vec<Saved>)>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, File::create(path)?);
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
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

/// The checkpoint in a file; `None` if there is no file.
pub fn read(path: &Path) -> Result<Option<Checkpoint>, Diagnostic> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let message = format!("cannot read the checkpoint `{}`: {}", path.display(), system_error(&error));
            return Err(Diagnostic::new(Kind::Input, message));
        }
    };
    let mut lines = BufReader::with_capacity(1 << 16, file).lines();
    let head = lines.next().and_then(Result::ok);
    let head: Option<Value> = head.and_then(|head| serde_json::from_str(&head).ok());
    let Some(mut head) = head.filter(|head| head[VERSION_FIELD].is_u64()) else {
        return Err(broken(path));
    };
    if head[VERSION_FIELD] != json!(VERSION) {
        let message = format!("the checkpoint `{}` was made by another version of this program", path.display());
        return Err(Diagnostic::new(Kind::Input, message).help(ANEW));
    }
    let (Value::Object(asked), Some(offset), Some(records), Some(lines_told)) =
        (head["asked"].take(), head["offset"].as_u64(), head["records"].as_u64(), head["lines"].as_u64())
    else {
        return Err(broken(path));
    };
    let position = Position {
        offset,
        records,
        reader: head["reader"].as_str().map(str::to_owned),
        lines: lines_told,
        bytes: head["bytes"].as_u64(),
        board: head["board"].take(),
        names: head["names"].take(),
    };
    Ok(Some(Checkpoint { asked, position, path: path.to_owned(), lines }))
}

/// What to do with a checkpoint that does not fit.
pub const ANEW: &str = "remove it to start anew, or name another file";

fn broken(path: &Path) -> Diagnostic {
    let message = format!("`{}` is not a checkpoint of this program", path.display());
    Diagnostic::new(Kind::Input, message).help(ANEW)
}

impl Checkpoint {
    /// The next stream: its key, and what each property is on it.
    pub fn next_stream(&mut self) -> Result<Option<(String, Vec<Saved>)>, Diagnostic> {
        let line = self.lines.next().and_then(Result::ok);
        let value: Option<Value> = line.and_then(|line| serde_json::from_str(&line).ok());
        match value {
            Some(Value::Object(end)) if end.contains_key("streams") => Ok(None),
            Some(Value::Array(pair)) => {
                let (Some(Value::String(key)), Some(Value::Array(saved))) = (pair.first(), pair.get(1)) else {
                    return Err(broken(&self.path));
                };
                let saved = saved.iter().map(|saved| match saved {
                    Value::Null => Ok(Saved::New),
                    Value::String(text) => Ok(Saved::Live(text.clone())),
                    Value::Bool(holds) => Ok(Saved::Done { holds: *holds }),
                    _ => Err(broken(&self.path)),
                });
                Ok(Some((key.clone(), saved.collect::<Result<_, _>>()?)))
            }
            _ => Err(broken(&self.path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for text in ["", "{}", "hello", "{\"posetta_checkpoint\":2}", "{\"posetta_checkpoint\":1}", "\u{0}\n"] {
            fs::write(&path, text).unwrap();
            assert!(read(&path).is_err(), "{text}");
        }
        let position = Position::default();
        write(&path, &Map::new(), &position, std::iter::once(("k".to_owned(), vec![Saved::New]))).unwrap();
        let whole = fs::read_to_string(&path).unwrap();
        for cut in [whole.len() - 3, whole.lines().next().unwrap().len() + 4] {
            fs::write(&path, &whole[..cut]).unwrap();
            let mut checkpoint = read(&path).unwrap().unwrap();
            let mut read = std::iter::from_fn(|| checkpoint.next_stream().transpose());
            assert!(read.any(|stream| stream.is_err()), "{cut}");
        }
        assert!(write(&dir.path().join("none/c"), &Map::new(), &position, std::iter::empty()).is_err());
    }
}
