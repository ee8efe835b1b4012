//! A report: subjects (runs, models, streams) and what became of each property on them.
//!
//! Every command that answers questions says what it found in this form, and each way of showing it is one printer: text is
//! [`text::report`](crate::text::report), and those for other readers are [`junit`](crate::junit), [`sarif`](crate::sarif),
//! [`github`](crate::github) and [`markdown`](crate::markdown). What shows an answer is data of its own ([`Block`]): stories, proofs,
//! tables, trails.

use posetta_base::OverBudget;
use posetta_logic::Severity;

use crate::counts::Counts;
use crate::explanation::Words;
use crate::named::Named;
use crate::picture::{Picture, Pictured};
use crate::problem::Problem;
use crate::proof::Tree;
use crate::refined::abstraction::Behaviours;
use crate::steps::Steps;
use crate::story::Story;
use crate::subformulas::Subformulas;
use crate::trail::States;
use crate::word::Word;

/// Everything that a command found out.
#[derive(Debug, Default)]
pub struct Report<'a> {
    /// In the order of the arguments.
    pub subjects: Vec<Subject<'a>>,
    /// The last line, if there is one.
    pub summary: Option<Summary>,
    /// Warnings and mistakes. People read them elsewhere, before the answers.
    pub remarks: Vec<Remark>,
    /// The limit that was reached before there was anything to answer.
    pub stopped: Option<OverBudget>,
    /// So many subjects with violations have no picture, because there would be too many.
    pub unpictured: usize,
}

impl Report<'_> {
    /// Every verdict.
    pub fn words(&self) -> impl Iterator<Item = Word> {
        self.subjects.iter().flat_map(|subject| &subject.answers).map(|answer| answer.word)
    }
}

/// A warning or a mistake.
#[derive(Clone, Debug)]
pub struct Remark {
    /// What is wrong, and with what: of several runs about which the same is said, the first.
    pub problem: Problem,
    /// Whether it is a mistake, or a warning that counts as one. Then the question has no good answer.
    pub is_error: bool,
    /// As people read it, with the line that it is about: it takes files to draw that.
    pub drawn: String,
}

/// Where something is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Written {
    /// In which file; `None`: in that of the subject.
    pub file: Option<String>,
    /// Its line, from 1.
    pub line: u64,
    /// Its column in characters, from 1, if it is not the whole line.
    pub column: Option<u64>,
}

/// How many properties there are, and on how many runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// How many properties.
    pub properties: usize,
    /// On how many runs, where that is worth a word.
    pub runs: Option<usize>,
    /// How many mistakes.
    pub errors: usize,
}

/// When what shows an answer is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum When {
    /// For what is violated.
    #[default]
    Auto,
    /// Also for what holds, or was not asked, where there is something.
    Always,
    /// Not at all.
    Never,
}

/// What a subject is called above its answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Title {
    /// A name, such as that of a file; `-` is standard input.
    Name(String),
    /// A question about two names: the words around them.
    Question([String; 3], [String; 2]),
}

/// One run, model or stream, and what became of the properties on it.
#[derive(Debug)]
pub struct Subject<'a> {
    /// What it is called.
    pub title: Title,
    /// The file that it is in, if it is in one.
    pub file: Option<String>,
    /// What else is worth knowing: its size, for example.
    pub facts: Vec<String>,
    /// What it took to get to know it.
    pub cost: Option<String>,
    /// What the answers follow from, with verdicts of their own that nobody asked for.
    pub premises: Vec<Answer<'a>>,
    /// The answers.
    pub answers: Vec<Answer<'a>>,
    /// What is to be said behind them.
    pub rest: Vec<Block<'a>>,
    /// For pages in which one can look around: the whole of it, with the answers.
    pub picture: Option<&'a Picture>,
}

impl Title {
    /// As one line.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Name(name) if name == "-" => "standard input".to_owned(),
            Self::Name(name) => name.clone(),
            Self::Question([before, between, after], [a, b]) => format!("{before}{a}{between}{b}{after}"),
        }
    }
}

impl<'a> Subject<'a> {
    /// One without answers yet.
    #[must_use]
    pub fn new(title: Title, facts: Vec<String>) -> Self {
        let (premises, answers, rest) = (Vec::new(), Vec::new(), Vec::new());
        Self { title, file: None, facts, cost: None, premises, answers, rest, picture: None }
    }
}

/// What became of one property.
#[derive(Debug)]
pub struct Answer<'a> {
    /// What the property is called; nothing if the title says it.
    pub name: String,
    /// Whether somebody has named it. A long formula that stands for a name has a line to itself.
    pub is_named: bool,
    /// Who wants it quiet is told although it holds: it says a number that was asked for, or is all that the report says.
    pub in_any_case: bool,
    /// It is violated, and somebody has said that this is known.
    pub known: bool,
    /// Its logic and its formula, where they say more than the name.
    pub formula: Option<[String; 2]>,
    /// The verdict.
    pub word: Word,
    /// The verdict in a sentence, with the limit that left it open.
    pub sentence: String,
    /// What it took, a line each.
    pub costs: Vec<String>,
    /// How long it took, where that is known.
    pub seconds: Option<f64>,
    /// Where the property is written, if it is in a file.
    pub written: Option<Written>,
    /// Where it shows, if no order among the blocks says that.
    pub shows: Option<Written>,
    /// What its author wants to be said of it, where that is so.
    pub remark: Option<Said>,
    /// What shows it.
    pub blocks: Vec<Block<'a>>,
}

/// What an author wants to be said: `report "…" severity …` of PSL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// What is said.
    pub message: Option<String>,
    /// How bad it is.
    pub severity: Option<Severity>,
}

impl Said {
    /// What is to be said of a property with this verdict: of a failure, or of a `cover` that is met.
    #[must_use]
    pub fn of(property: &Named, word: Word) -> Option<Self> {
        let told = if property.asks_for_some() { Word::Holds } else { Word::Violated };
        let remark = property.property.remark.as_ref().filter(|_| word == told)?;
        Some(Self { message: remark.message.clone(), severity: remark.severity })
    }

    /// As one line.
    #[must_use]
    pub fn text(&self) -> String {
        match (&self.message, self.severity) {
            (Some(message), Some(severity)) => format!("{}: {message}", severity.word()),
            (Some(message), None) => message.clone(),
            (None, Some(severity)) => format!("severity {}", severity.word()),
            (None, None) => String::new(),
        }
    }
}

impl<'a> Answer<'a> {
    /// An answer in one sentence.
    #[must_use]
    pub fn new(name: impl Into<String>, word: Word, sentence: impl Into<String>) -> Self {
        let (name, sentence) = (name.into(), sentence.into());
        Self {
            name,
            is_named: false,
            in_any_case: false,
            known: false,
            formula: None,
            word,
            sentence,
            costs: Vec::new(),
            seconds: None,
            written: None,
            shows: None,
            remark: None,
            blocks: Vec::new(),
        }
    }
}

/// Something that shows an answer.
#[derive(Debug)]
pub enum Block<'a> {
    /// A line among the answers.
    Remark(String),
    /// A remark that can be skipped.
    Aside(String),
    /// A sentence.
    Sentence(String),
    /// Something to look out for, with lines about it.
    Notice {
        /// What.
        text: String,
        /// More about it.
        lines: Vec<String>,
    },
    /// Why, in words.
    Words(&'a Words),
    /// An order.
    Order {
        /// What order it is.
        heading: String,
        /// The order.
        story: &'a Story,
        /// How many events that could come next are left out.
        more: usize,
    },
    /// What only pictures show, about the order before it.
    Picture(&'a Pictured),
    /// A proof, step by step.
    Proof(&'a Tree),
    /// At how many cuts each part holds.
    Counts(&'a Counts),
    /// Which parts are true where.
    Parts(&'a Subformulas),
    /// States of a model, one after another.
    States {
        /// What they show.
        heading: String,
        /// The states.
        states: States,
    },
    /// Steps of a system, one after another.
    Steps {
        /// What they show.
        heading: String,
        /// The steps.
        steps: Steps,
    },
    /// Events that could come next, each with who refuses it.
    Refused {
        /// Where.
        heading: String,
        /// The events.
        rows: Vec<[String; 2]>,
        /// How many are left out.
        more: usize,
    },
    /// Components, each with what it waits for.
    Waiting(Vec<(String, String)>),
    /// Behaviours side by side, event by event.
    Behaviours {
        /// What they show.
        heading: String,
        /// The behaviours.
        behaviours: Behaviours,
    },
    /// Things with commas between them.
    List {
        /// What they are.
        heading: String,
        /// The things.
        items: Vec<String>,
    },
}
