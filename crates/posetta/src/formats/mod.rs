//! Runs as bytes: one room per format, over [`BufRead`] and [`Write`].
//!
//! [`text`] is for people, [`jsonl`] for programs; docs/formats has their grammars. A reader streams: it holds one line
//! and what the line adds to the run. It gathers the mistakes of a file, each with line and column, and answers with a
//! run only if there is none. A writer answers with what its format cannot carry ([`Lost`]).

mod json;
mod lines;
mod quote;

pub mod jsonl;
pub mod text;

use std::fmt;
use std::io::{self, BufRead, Write};

use crate::base::{Budget, Failure, Number, OverBudget};
use crate::trace::Trace;

/// A format that runs are read from and written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Native text, `.trace`.
    Text,
    /// Native JSON lines, `.jsonl`.
    JsonLines,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 2] = [Self::Text, Self::JsonLines];

    /// What the format is called on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::JsonLines => "jsonl",
        }
    }

    /// The format with a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }

    /// The extensions of its files, the usual one first.
    #[must_use]
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Text => &["trace"],
            Self::JsonLines => &["jsonl", "ndjson"],
        }
    }
}

/// The format of a file that begins with `start` and has this extension. The content decides where it can.
#[must_use]
pub fn detect(start: &[u8], extension: Option<&str>) -> Option<Format> {
    let mut commented = false;
    for line in lines::without_mark(start).split(|&b| b == b'\n') {
        match line.trim_ascii_start() {
            [] => {}
            [b'#', ..] => commented = true,
            [b'{', ..] => return Some(Format::JsonLines),
            line => {
                // The last character may be cut in two.
                let known =
                    str::from_utf8(line).unwrap_or_else(|e| str::from_utf8(&line[..e.valid_up_to()]).unwrap_or(""));
                return if text::looks_like(known) { Some(Format::Text) } else { by_extension(extension) };
            }
        }
    }
    by_extension(extension).or(commented.then_some(Format::Text))
}

fn by_extension(extension: Option<&str>) -> Option<Format> {
    let extension = extension?;
    Format::ALL.into_iter().find(|f| f.extensions().iter().any(|e| e.eq_ignore_ascii_case(extension)))
}

/// Reads a run.
///
/// # Errors
/// With every mistake found, or when the budget is spent.
pub fn read(format: Format, reader: impl BufRead, budget: &Budget) -> Result<Trace, Failure> {
    match format {
        Format::Text => text::read(reader, budget),
        Format::JsonLines => jsonl::read(reader, budget),
    }
}

/// Writes a run, and says what the format left out.
///
/// # Errors
/// When writing fails, a value cannot be written exactly, or the budget is spent.
pub fn write(format: Format, trace: &Trace, out: &mut impl Write, budget: &Budget) -> Result<Lost, WriteError> {
    match format {
        Format::Text => text::write(trace, out, budget),
        Format::JsonLines => jsonl::write(trace, out, budget),
    }
}

/// What a written run lacks, because the format has no place for it. None of it is part of happened-before or of the
/// values of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Lost {
    /// Ids of events. Events are then called `<process>.<index>`.
    pub ids: usize,
    /// Wall-clock times of events.
    pub times: usize,
    /// Further facts about events.
    pub attributes: usize,
    /// Processes without events.
    pub processes: usize,
    /// The order in which the events were observed.
    pub observed_order: bool,
    /// That the run was a sequence of states. It is now a sequence of events with the same states.
    pub state_records: bool,
}

impl Lost {
    /// Whether all was written.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// Why a run could not be written.
#[derive(Debug)]
pub enum WriteError {
    /// The output failed.
    Io(io::Error),
    /// A number that the format can only round, which would change the run.
    Inexact {
        /// Whose number: a variable, or `time`.
        what: String,
        /// The event that has it; `None` for a value before any event.
        event: Option<String>,
        /// The number, as far as it is worth showing.
        number: String,
    },
    /// A limit was reached first.
    OverBudget(OverBudget),
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<OverBudget> for WriteError {
    fn from(over: OverBudget) -> Self {
        Self::OverBudget(over)
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "the output could not be written: {error}"),
            Self::Inexact { what, event, number } => {
                write!(f, "JSON cannot write {number} exactly: it is the value of `{what}` ")?;
                match event {
                    Some(event) => write!(f, "at `{event}`")?,
                    None => write!(f, "before any event")?,
                }
                write!(f, "; the text format can")
            }
            Self::OverBudget(over) => over.fmt(f),
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::OverBudget(over) => Some(over),
            Self::Inexact { .. } => None,
        }
    }
}

const WRITING: &str = "writing the run";

/// A finite decimal that a reader takes back; `None` for 1/3 and for what is too long.
fn decimal(number: &Number) -> Option<String> {
    let text = number.to_decimal()?;
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    (digits <= crate::base::MAX_DIGITS).then_some(text)
}

#[cfg(test)]
mod samples;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_known_by_name() {
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.name()), Some(format));
        }
        assert_eq!(Format::from_name("json"), None);
    }

    #[test]
    fn content_decides_before_the_extension() {
        use Format::{JsonLines, Text};
        for (start, extension, format) in [
            ("{\"process\":", Some("trace"), Some(JsonLines)),
            ("\u{feff} \n\n  {", None, Some(JsonLines)),
            ("# made by hand\n{", None, Some(JsonLines)),
            ("P1: x=1", Some("jsonl"), Some(Text)),
            ("# only a comment\n", None, Some(Text)),
            ("# only a comment\n", Some("jsonl"), Some(JsonLines)),
            ("initial: x=0", None, Some(Text)),
            ("\"a b\": x=0", None, Some(Text)),
            ("\"a b\".1 -> c.2", None, Some(Text)),
            ("P2.2 -> P1.2", None, Some(Text)),
            ("P2.2->P1.2", None, Some(Text)),
            ("", Some("TRACE"), Some(Text)),
            ("", Some("ndjson"), Some(JsonLines)),
            ("", Some("csv"), None),
            ("", None, None),
            ("x,y,z\n1,2,3", Some("csv"), None),
            ("[{\"a\": 1}]", Some("json"), None),
            ("<xml/>", None, None),
            ("digraph { a -> b }", None, None),
            ("a -> b", None, None),
        ] {
            assert_eq!(detect(start.as_bytes(), extension), format, "{start:?} {extension:?}");
        }
        assert_eq!(detect(b"\xff\xfe\x00", None), None);
        assert_eq!(detect(b"P\xc3", Some("trace")), Some(Format::Text));
    }
}
