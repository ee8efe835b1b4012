//! Records of others with a mapping: which field is the process, which the name, what is a message; docs/formats/mapping.md.
//!
//! [`Mapping`] is what a mapping file says, as TOML: `parse` reads it, `paths` finds what it names in a record. [`read`](fn@read) makes a run
//! of JSON objects, of the rows of a table or of lines of text (`cut`), [`follow`](fn@follow) reads one while it is written, and `Stream` is one order; `fields` is
//! what they take of a record. `messages` orders sends and receives.

mod cut;
mod fields;
mod follow;
mod messages;
mod parse;
mod paths;
mod propose;
mod read;
mod stamps;
mod stream;
#[cfg(test)]
mod tests;

pub use follow::follow;
pub use parse::flag;
pub use propose::{Confidence, Guess, Proposal, propose};
pub(crate) use read::{read, read_lines};
pub(crate) use stream::Stream;

use self::cut::Cut;
use self::paths::{Field, Path, Record};
use posetta_base::{Diagnostic, Number, Value};
use std::borrow::Cow;

/// What the fields of records mean.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    /// Records are lines of text, which are cut so.
    lines: Option<Cut>,
    /// The field of such a line whose `key=value` are fields, too.
    pairs: Option<String>,
    keep: Vec<Condition>,
    process: Vec<Choice>,
    name: Vec<Choice>,
    time: Vec<Choice>,
    unit: Unit,
    clock: Vec<Choice>,
    order: Order,
    set: Vec<(Template, Choice)>,
    attrs: Vec<(String, Choice)>,
    initial: Vec<(String, Value)>,
    messages: Vec<Message>,
    /// How many paths there are; each has its number.
    paths: usize,
}

impl Mapping {
    /// Reads a mapping. A key of a later text replaces the same key of an earlier one, as flags do with a file.
    ///
    /// # Errors
    /// With every mistake, and the number of the text that has it.
    pub fn new(texts: &[&str]) -> Result<Self, Vec<(usize, Diagnostic)>> {
        parse::parse(texts)
    }

    /// Whoever reads record by record refuses lines of text.
    fn refuse_lines(&self) -> Result<(), Diagnostic> {
        if self.lines.is_none() {
            return Ok(());
        }
        let message = "a mapping with `lines` is for files that are read whole";
        Err(Diagnostic::new(posetta_base::Kind::Unsupported, message).help("`posetta check FILE --map …` reads them"))
    }

    /// Whether the events of a process have the order of their lines.
    pub(crate) fn orders_by_lines(&self) -> bool {
        self.order == Order::Line && self.clock.is_empty()
    }
}

/// A field, or a constant.
#[derive(Clone, Debug)]
enum Choice {
    Path(Path),
    Constant(String),
}

/// What some choice has found.
enum Found<'a> {
    Field(Field<'a>),
    Constant(&'a str),
}

impl<'a> Found<'a> {
    fn text(&self) -> Option<Cow<'a, str>> {
        match self {
            Self::Field(field) => field.text(),
            Self::Constant(text) => Some(Cow::Borrowed(text)),
        }
    }

    fn value(&self) -> Option<Value> {
        match self {
            Self::Field(field) => field.value(),
            Self::Constant(text) => crate::states::scalar(text).ok(),
        }
    }
}

/// Which order the events of one process have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Order {
    #[default]
    Line,
    Time,
    Clock,
}

/// What one is in a time that is a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Unit {
    #[default]
    Seconds,
    Milliseconds,
    Microseconds,
    Nanoseconds,
}

impl Unit {
    /// So many of them are a second.
    fn in_a_second(self) -> Number {
        Number::from(match self {
            Self::Seconds => 1,
            Self::Milliseconds => 1_000,
            Self::Microseconds => 1_000_000,
            Self::Nanoseconds => 1_000_000_000,
        })
    }
}

/// The name of a variable, with fields in it.
#[derive(Clone, Debug)]
struct Template(Vec<Piece>);

#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Process,
    Path(Path),
}

/// A field that is there and, if there are any patterns, is like one of them.
#[derive(Clone, Debug)]
struct Condition {
    path: Path,
    patterns: Vec<String>,
}

/// Records that send and records that receive.
#[derive(Clone, Debug)]
struct Message {
    send: End,
    recv: End,
    deliver: Deliver,
}

#[derive(Clone, Debug, Default)]
struct End {
    when: Vec<Condition>,
    matches: Vec<Choice>,
}

/// Which send a receive comes after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deliver {
    /// The k-th of the equal receives of a process comes after the k-th equal send.
    Once,
    /// It comes after the first equal send.
    Many,
    /// What they match by is the name of one message.
    Id,
}

/// Whether a text is like a pattern, in which `*` is any text and `?` any character. Linear in practice and quadratic at worst: only the
/// last `*` is ever tried again.
fn is_like(pattern: &str, text: &str) -> bool {
    let (mut p, mut t) = (pattern.chars(), text.chars());
    let mut again: Option<(std::str::Chars<'_>, std::str::Chars<'_>)> = None;
    loop {
        let mut next = p.clone();
        match (next.next(), t.clone().next()) {
            (Some('*'), _) => {
                p = next;
                again = Some((p.clone(), t.clone()));
                continue;
            }
            (Some(c), Some(d)) if c == '?' || c == d => {
                p = next;
                t.next();
                continue;
            }
            (None, None) => return true,
            _ => {}
        }
        let Some((after, from)) = &mut again else { return false };
        if from.next().is_none() {
            return false;
        }
        (p, t) = (after.clone(), from.clone());
    }
}

/// What a condition finds in a record, and the paths that were found at all.
fn holds(conditions: &[Condition], record: &Record<'_>, found: &mut [bool]) -> bool {
    let mut all = true;
    for condition in conditions {
        let field = record.find(&condition.path);
        found[condition.path.number] |= field.is_some();
        all &= field.is_some_and(|field| {
            condition.patterns.is_empty()
                || field.text().is_some_and(|text| condition.patterns.iter().any(|pattern| is_like(pattern, &text)))
        });
    }
    all
}

/// The first of some choices that a record has.
fn first<'a>(choices: &'a [Choice], record: &Record<'a>, found: &mut [bool]) -> Option<Found<'a>> {
    choices.iter().find_map(|choice| match choice {
        Choice::Constant(text) => Some(Found::Constant(text)),
        Choice::Path(path) => {
            let field = record.find(path)?;
            found[path.number] = true;
            Some(Found::Field(field))
        }
    })
}
