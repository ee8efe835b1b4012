//! From an input to a trace.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use posetta::base::{Budget, Diagnostic, Failure, Kind};
use posetta::formats::{self, Format};
use posetta::trace::Trace;

use crate::inputs::{Input, extension};
use crate::problem::system_error;

/// Large enough that reading is bound by the reader, small enough for one per worker.
const BUFFER: usize = 1 << 18;

/// Property files and witnesses are written by people; this much is a run given by mistake.
const TEXT_LIMIT: u64 = 64 << 20;

/// Reads a run in the format given, else in the one its content or its extension shows.
pub fn run(input: &Input, from: Option<Format>, budget: &Budget) -> Result<Trace, Failure> {
    match input {
        Input::Stdin => buffered(BufReader::with_capacity(BUFFER, std::io::stdin().lock()), "-", None, from, budget),
        Input::File(path) => {
            let name = path.display().to_string();
            let file = File::open(path).map_err(|e| cannot_read(&name, &e))?;
            buffered(BufReader::with_capacity(BUFFER, file), &name, extension(path), from, budget)
        }
    }
}

fn buffered(
    mut reader: impl BufRead,
    name: &str,
    extension: Option<&str>,
    from: Option<Format>,
    budget: &Budget,
) -> Result<Trace, Failure> {
    let format = match from {
        Some(format) => format,
        None => {
            let start = reader.fill_buf().map_err(|e| cannot_read(name, &e))?;
            formats::detect(start, extension).ok_or_else(|| unknown_format(name, start.is_empty()))?
        }
    };
    formats::read(format, reader, budget)
}

fn cannot_read(name: &str, error: &std::io::Error) -> Diagnostic {
    Diagnostic::new(Kind::Input, format!("cannot read `{name}`: {}", system_error(error)))
}

fn unknown_format(name: &str, empty: bool) -> Diagnostic {
    let known: Vec<&str> = Format::ALL.iter().map(|f| f.name()).collect();
    let name = if name == "-" { "standard input".to_owned() } else { format!("`{name}`") };
    let message = if empty {
        format!("{name} is empty, and nothing says what format it has")
    } else {
        format!("cannot tell what format {name} has")
    };
    Diagnostic::new(Kind::Input, message).help(format!("say it with --from {}", known.join(" or --from ")))
}

/// A text that is held whole: a property file or a witness. `-` is standard input.
pub fn text(path: &Path) -> Result<String, Diagnostic> {
    let name = path.display().to_string();
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().lock().take(TEXT_LIMIT + 1).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|f| f.take(TEXT_LIMIT + 1).read_to_end(&mut bytes))
    };
    read.map_err(|e| cannot_read(&name, &e))?;
    if bytes.len() as u64 > TEXT_LIMIT {
        return Err(Diagnostic::new(Kind::Input, format!("`{name}` is larger than {} MiB", TEXT_LIMIT >> 20)));
    }
    String::from_utf8(bytes).map_err(|error| not_utf8(error.as_bytes(), error.utf8_error().valid_up_to()))
}

fn not_utf8(bytes: &[u8], at: usize) -> Diagnostic {
    let line = 1 + bytes[..at].iter().filter(|&&b| b == b'\n').count() as u64;
    let start = bytes[..at].iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
    let end = bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |i| at + i);
    let text = String::from_utf8_lossy(&bytes[start..end]);
    let place = posetta::base::Place::in_line(line, &text, at - start, at - start + 1);
    Diagnostic::new(Kind::Encoding, "the file is not UTF-8 text")
        .at(place)
        .label("this byte is not part of a character")
}
