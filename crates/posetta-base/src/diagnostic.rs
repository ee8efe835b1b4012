//! What is wrong with an input, and where.
//!
//! A diagnostic carries one line of the input at most, so that streamed files can be reported without being held in
//! memory. The program draws the caret.

use std::fmt;
use std::sync::Arc;

/// A range of bytes in a text that is held in memory, such as a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// From `start` to before `end`.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The smallest span that holds both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A place in an input. Lines and columns count from 1; columns count characters.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Place {
    /// Line number.
    pub line: u64,
    /// Column number, in characters.
    pub column: u64,
    /// How many characters the caret covers, at least 1.
    pub width: u64,
    /// The text of the line, or the part of it around the column.
    pub text: Option<String>,
    /// Characters of the line that `text` leaves out on its left.
    pub skipped: u64,
    /// The part that the line is counted in, of an input that was joined of several.
    pub part: Option<Arc<str>>,
}

crate::setters! { Place { column: u64, width: u64 } }

/// Lines longer than this are shown in part.
const WINDOW: usize = 120;

impl Place {
    /// A place whose text is not at hand.
    #[must_use]
    pub fn line_only(line: u64) -> Self {
        Self { line, column: 1, width: 1, ..Self::default() }
    }

    /// The place of a span in a whole text. Its line is the one where the span starts.
    #[must_use]
    pub fn in_text(text: &str, span: Span) -> Self {
        let start = floor_char(text, span.start.min(text.len()));
        let before = &text[..start];
        let line = 1 + before.bytes().filter(|&b| b == b'\n').count() as u64;
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
        Self::in_line(line, &text[line_start..line_end], start - line_start, span.end.saturating_sub(line_start))
    }

    /// The place of the bytes `start..end` of one line.
    #[must_use]
    pub fn in_line(line: u64, text: &str, start: usize, end: usize) -> Self {
        let text = text.trim_end_matches(['\n', '\r']);
        let start = floor_char(text, start.min(text.len()));
        let end = floor_char(text, end.clamp(start, text.len()));
        let column = text[..start].chars().count();
        let width = text[start..end].chars().count().max(1);
        let skipped = if column + width.min(WINDOW / 2) <= WINDOW { 0 } else { column - WINDOW / 2 };
        let shown: String = text.chars().skip(skipped).take(WINDOW).collect();
        let room = (skipped + shown.chars().count()).saturating_sub(column).max(1);
        Self {
            line,
            column: column as u64 + 1,
            width: width.min(room) as u64,
            text: Some(shown),
            skipped: skipped as u64,
            part: None,
        }
    }
}

fn floor_char(text: &str, mut index: usize) -> usize {
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

/// What sort of mistake a diagnostic reports. Every kind that an input can cause has a golden test in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// The text does not follow the grammar of its format or logic.
    Syntax,
    /// Bytes that are not UTF-8.
    Encoding,
    /// The input ends in the middle of something.
    Truncated,
    /// Nested more deeply than any sensible input.
    Nesting,
    /// A number with more digits than [`MAX_DIGITS`](super::MAX_DIGITS).
    Digits,
    /// Happened-before has a cycle.
    Cycle,
    /// An edge or a clock refers to an event that is not there.
    MissingEvent,
    /// Two events with one id.
    DuplicateId,
    /// A vector clock that contradicts the order of its process, `after`, or another clock.
    Clock,
    /// A process that is not declared, is declared twice, or has ended.
    Process,
    /// A variable is assigned or declared twice in one place.
    AssignedTwice,
    /// Records of different sorts in one file.
    Mixed,
    /// A variable that no input assigns or declares.
    UnknownVariable,
    /// An attribute that no event has.
    UnknownAttribute,
    /// A variable that this run neither assigns nor declares, though another one does.
    NotAssigned,
    /// An event or a process whose name the property has and the run has not.
    NeverOccurs,
    /// A run without events.
    NoEvents,
    /// A string where a number is needed, or a formula where a term is.
    Type,
    /// CTL over variables whose writes are unordered.
    UnorderedWrites,
    /// Two properties with one name.
    DuplicateProperty,
    /// A name that is defined twice, by itself, not at all, or used with the wrong arguments.
    Definition,
    /// A pattern that probably does not say what was meant.
    Pattern,
    /// Definitions, patterns and loops that unfold into too much.
    TooLarge,
    /// A construct that this logic or this version does not have.
    Unsupported,
    /// Text of a log that belongs to no record, or events that stand for no action of a model.
    Unmatched,
    /// What the records of a run show to be missing in them.
    Incomplete,
    /// States of a model without a next one.
    Deadlock,
    /// A model that does nothing, or that says nothing about a run, so that everything is true; a part of a property that asks for
    /// nothing on a run.
    Vacuous,
    /// A net in which the number of tokens has no bound.
    Unbounded,
    /// Two systems that cannot be compared.
    Comparison,
    /// The input is in a format that is not read, or looks like something else than it is read as.
    Format,
    /// Something in the input has no meaning here and was left out.
    Ignored,
    /// The input could not be read, or is too large for its ids.
    Input,
    /// A known violation that does not occur.
    Baseline,
    /// Posetta contradicts itself. Never the input's fault; see [`Error::Defect`](super::Error::Defect).
    Defect,
}

impl Kind {
    /// The kind as programs see it. These words are part of the JSON reports: add, never rename.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Encoding => "encoding",
            Self::Truncated => "truncated",
            Self::Nesting => "nesting",
            Self::Digits => "digits",
            Self::Cycle => "cycle",
            Self::MissingEvent => "missing-event",
            Self::DuplicateId => "duplicate-id",
            Self::Clock => "clock",
            Self::Process => "process",
            Self::AssignedTwice => "assigned-twice",
            Self::Mixed => "mixed",
            Self::UnknownVariable => "unknown-variable",
            Self::UnknownAttribute => "unknown-attribute",
            Self::NotAssigned => "not-assigned",
            Self::NeverOccurs => "never-occurs",
            Self::NoEvents => "no-events",
            Self::Type => "type",
            Self::UnorderedWrites => "unordered-writes",
            Self::DuplicateProperty => "duplicate-property",
            Self::Definition => "definition",
            Self::Pattern => "pattern",
            Self::TooLarge => "too-large",
            Self::Unsupported => "unsupported",
            Self::Unmatched => "unmatched",
            Self::Incomplete => "incomplete",
            Self::Deadlock => "deadlock",
            Self::Vacuous => "vacuous",
            Self::Unbounded => "unbounded",
            Self::Comparison => "comparison",
            Self::Format => "format",
            Self::Ignored => "ignored",
            Self::Input => "input",
            Self::Baseline => "baseline",
            Self::Defect => "defect",
        }
    }

    /// The kind with this word.
    #[must_use]
    pub fn called(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// All of them.
    const ALL: [Self; 35] = [
        Self::Syntax,
        Self::Encoding,
        Self::Truncated,
        Self::Nesting,
        Self::Digits,
        Self::Cycle,
        Self::MissingEvent,
        Self::DuplicateId,
        Self::Clock,
        Self::Process,
        Self::AssignedTwice,
        Self::Mixed,
        Self::UnknownVariable,
        Self::UnknownAttribute,
        Self::NotAssigned,
        Self::NeverOccurs,
        Self::NoEvents,
        Self::Type,
        Self::UnorderedWrites,
        Self::DuplicateProperty,
        Self::Definition,
        Self::Pattern,
        Self::TooLarge,
        Self::Unsupported,
        Self::Unmatched,
        Self::Incomplete,
        Self::Deadlock,
        Self::Vacuous,
        Self::Unbounded,
        Self::Comparison,
        Self::Format,
        Self::Ignored,
        Self::Input,
        Self::Baseline,
        Self::Defect,
    ];
}

/// What a diagnostic speaks of, for whoever gathers the diagnostics of many runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct About {
    /// What.
    pub subject: Subject,
    /// The known name that was probably meant; the label or the help says so, too.
    pub meant: Option<String>,
}

/// Something that a diagnostic can speak of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// A variable.
    Variable(String),
    /// The name of an event.
    Event(String),
    /// The name of a process.
    Process(String),
    /// The name of an attribute.
    Attribute(String),
    /// A part of a property that never comes true, by its place among the property's triggers.
    Trigger {
        /// Which one; the same on every run.
        place: usize,
        /// The names of events and processes that the run lacks and that are the reason; empty if it has others.
        lacks: Vec<Subject>,
    },
    /// The input as a whole, which the message calls by its name.
    Input,
}

impl Subject {
    /// Whether it is a variable, an event, a process or an attribute, and its name; `None` for what has no name.
    #[must_use]
    pub fn named(&self) -> Option<(&'static str, &str)> {
        match self {
            Self::Variable(name) => Some(("variable", name)),
            Self::Event(name) => Some(("event", name)),
            Self::Process(name) => Some(("process", name)),
            Self::Attribute(name) => Some(("attribute", name)),
            Self::Trigger { .. } | Self::Input => None,
        }
    }
}

/// One mistake in an input, for a person to mend.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// What sort of mistake.
    pub kind: Kind,
    /// Where, if it has a place. Boxed: a diagnostic is the error of many small functions.
    pub place: Option<Box<Place>>,
    /// What is wrong, in one line.
    pub message: String,
    /// What stands beside the caret: mostly what was expected.
    pub label: Option<String>,
    /// What to try.
    pub help: Option<String>,
    /// What it speaks of, if somebody needs to know. Boxed for the same reason.
    pub about: Option<Box<About>>,
}

impl Diagnostic {
    /// A diagnostic without label and help.
    #[must_use]
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, place: None, message: message.into(), label: None, help: None, about: None }
    }

    /// A diagnostic about an input as a whole, whose name is in the message.
    #[must_use]
    pub fn of_input(kind: Kind, message: impl Into<String>) -> Self {
        Self::new(kind, message).about(Subject::Input, None)
    }

    /// With its place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(Box::new(place));
        self
    }

    /// With words beside the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// With advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// With what it speaks of, and the name that was probably meant.
    #[must_use]
    pub fn about(mut self, subject: Subject, meant: Option<&str>) -> Self {
        self.about = Some(Box::new(About { subject, meant: meant.map(str::to_owned) }));
        self
    }

    /// What it speaks of, if it says.
    #[must_use]
    pub fn subject(&self) -> Option<&Subject> {
        self.about.as_ref().map(|about| &about.subject)
    }

    /// The known name that was probably meant.
    #[must_use]
    pub fn meant(&self) -> Option<&str> {
        self.about.as_ref()?.meant.as_deref()
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            if let Some(part) = &place.part {
                write!(f, "{part}:")?;
            }
            write!(f, "{}:{}: ", place.line, place.column)?;
        }
        write!(f, "{}", self.message)
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_lines_and_characters() {
        let text = "ab\nçé = 1\nz";
        let at = text.find('=').unwrap();
        let place = Place::in_text(text, Span::new(at, at + 1));
        assert_eq!((place.line, place.column, place.width), (2, 4, 1));
        assert_eq!(place.text.as_deref(), Some("çé = 1"));
    }

    #[test]
    fn a_long_line_is_shown_around_the_caret() {
        let line = format!("{}x{}", "a".repeat(1000), "b".repeat(1000));
        let place = Place::in_line(7, &line, 1000, 1001);
        let text = place.text.unwrap();
        assert_eq!(text.chars().count(), WINDOW);
        assert_eq!(text.chars().nth((place.column - 1 - place.skipped) as usize), Some('x'));
    }

    #[test]
    fn a_span_past_the_end_is_clamped() {
        let place = Place::in_text("abc", Span::new(99, 120));
        assert_eq!((place.line, place.column, place.width), (1, 4, 1));
    }
}
