//! Texts that are held whole, and what a system says when it does not give one.

use std::io::Read;
use std::path::Path;

use posetta_base::{Diagnostic, Kind};

use crate::{opened, unsaved};

/// Property files and witnesses are written by people; this much is a run given by mistake.
const TEXT_LIMIT: u64 = 64 << 20;

/// What an input is called in a sentence.
#[must_use]
pub fn quoted(name: &str) -> String {
    if name == "-" { "standard input".to_owned() } else { format!("`{name}`") }
}

/// What the system says went wrong, without its error number.
#[must_use]
pub fn system_error(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}

/// That the system does not give an input.
#[must_use]
pub fn cannot_read(name: &str, error: &std::io::Error) -> Diagnostic {
    Diagnostic::of_input(Kind::Input, format!("cannot read {}: {}", quoted(name), system_error(error)))
}

/// A text that is held whole: a property file or a witness. `-` is standard input.
///
/// # Errors
/// When the system does not give it, it is too large, or it is no UTF-8.
pub fn text(path: &Path) -> Result<String, Diagnostic> {
    let name = path.display().to_string();
    if path.as_os_str() == "-" {
        return text_of(&name, std::io::stdin().lock());
    }
    let place = unsaved::copy_of(path).unwrap_or(path);
    text_of(&name, opened::open(place).map_err(|e| cannot_read(&name, &e))?)
}

/// The same of what is open already.
///
/// # Errors
/// As [`text`].
pub fn text_of(name: &str, reader: impl Read) -> Result<String, Diagnostic> {
    let mut bytes = Vec::new();
    reader.take(TEXT_LIMIT + 1).read_to_end(&mut bytes).map_err(|e| cannot_read(name, &e))?;
    if bytes.len() as u64 > TEXT_LIMIT {
        return Err(Diagnostic::of_input(
            Kind::Input,
            format!("{} is larger than {} MiB", quoted(name), TEXT_LIMIT >> 20),
        ));
    }
    String::from_utf8(bytes).map_err(|error| not_utf8(error.as_bytes(), error.utf8_error().valid_up_to()))
}

fn not_utf8(bytes: &[u8], at: usize) -> Diagnostic {
    let line = 1 + bytes[..at].iter().filter(|&&b| b == b'\n').count() as u64;
    let start = bytes[..at].iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
    let end = bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |i| at + i);
    let text = String::from_utf8_lossy(&bytes[start..end]);
    let place = posetta_base::Place::in_line(line, &text, at - start, at - start + 1);
    Diagnostic::new(Kind::Encoding, "the file is not UTF-8 text")
        .at(place)
        .label("this byte is not part of a character")
}
