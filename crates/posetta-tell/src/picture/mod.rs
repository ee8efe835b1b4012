//! A picture of a run as data, for whoever draws it: what the viewer in a page gets, and the schema `posetta-show/1`.
//!
//! A picture has the whole run in columns, and for each property what became of it on the run: the order that shows it, where, and
//! the truth of its parts along that order. It refers to no trace, so it can wait until a report is written. What a page without a
//! script shows is another thing: [`svg`](crate::svg) draws a few events around the place where a property fails, and takes them
//! from the [`Story`] of an answer and from what stands beside it ([`Pictured`]). Start at [`Picture::of_run`] and [`Course::new`].

mod course;
mod json;
pub mod model;
mod run;
mod wave;

use posetta_base::{Claim, Interner, Symbol};
use posetta_logic::Formula;
use posetta_trace::Reason;

use crate::automaton;
use crate::checked::{Outcome, Shape};
use crate::named::Named;
use crate::report::{Answer, Block};
use crate::steps::Then;
use crate::story::Story;
use crate::svg::Graph;
use crate::word::Word;

pub use course::{Course, Parts};
pub use wave::{Signal, Wave};

/// What pictures show of an answer beside its story; made while the run is at hand.
#[derive(Debug, Default)]
pub struct Pictured {
    /// The order that shows the verdict, with as much of it as a picture has room for.
    pub story: Option<Story>,
    /// The recorded order of the events that it shows.
    pub recorded: Option<Story>,
    /// Of a run of states: what the variables were.
    pub wave: Option<Wave>,
    /// For the viewer.
    pub course: Option<Course>,
}

/// What a picture is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A run of processes.
    Run,
    /// A sequence of states.
    Waveform,
}

/// A text that occurs in a picture; [`Picture::string`] has its characters.
pub type Text = Symbol;

/// A lane: a process, or a group of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane {
    /// What it is called.
    pub name: Text,
    /// The group, if it is one.
    pub group: Option<Text>,
    /// How many processes it has.
    pub chains: u32,
}

/// The events of a run, a column for each of their facts.
#[derive(Debug, Default)]
pub struct Events {
    /// The lane of each.
    pub lane: Vec<u32>,
    /// Its process among those of its lane, if some lane has several.
    pub chain: Option<Vec<u32>>,
    /// What reports call it.
    pub id: Vec<Text>,
    /// Its name, if it has one.
    pub name: Vec<Option<Text>>,
    /// The line that it is on.
    pub line: Vec<u64>,
    /// The file, if the run is joined of several.
    pub file: Option<Vec<Text>>,
    /// The time since the first one, if every event has one.
    pub time: Option<Vec<f64>>,
    /// Variables and values, in turn.
    pub sets: Vec<Vec<Text>>,
    /// Attributes and their values as JSON, in turn, if some event has any.
    pub about: Option<Vec<Vec<Text>>>,
}

/// An edge between events of two processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The cause.
    pub from: u32,
    /// Its effect.
    pub to: u32,
    /// Why, among [`Picture::reasons`].
    pub reason: u32,
}

/// A picture of a run.
#[derive(Debug)]
pub struct Picture {
    /// What it is called.
    pub title: String,
    /// What it is of.
    pub kind: Kind,
    /// How large it is.
    pub shape: Shape,
    strings: Interner,
    /// From left to right.
    pub lanes: Vec<Lane>,
    /// The lane and the chain of each process.
    processes: Vec<(u32, u32)>,
    /// In the order of the trace.
    pub events: Events,
    /// Between processes; the order on one goes without saying.
    pub edges: Vec<Edge>,
    /// Why there are edges.
    pub reasons: Vec<Reason>,
    /// The recorded order, else one that is possible.
    pub order: Vec<u32>,
    /// It is the recorded one.
    pub recorded: bool,
    /// Variables and their values at the start, in turn.
    pub initial: Vec<Text>,
    /// The unit of times, if that is known.
    pub time_unit: Option<&'static str>,
    /// What became of properties.
    pub results: Vec<Shown>,
    /// Of a sequence of states: its signals.
    pub wave: Option<Wave>,
    _claim: Claim,
}

/// What became of a property, in words, and where it shows.
#[derive(Debug)]
pub struct Shown {
    /// Its name, its logic and its formula.
    pub property: [String; 3],
    /// The verdict.
    pub word: Word,
    /// The verdict in a sentence, without the word.
    pub sentence: String,
    /// Paragraphs for people.
    pub story: Vec<String>,
    /// What the order is that shows it.
    pub heading: Option<String>,
    /// The order and all about it.
    pub course: Option<Course>,
    /// The automaton of a monitor.
    pub automaton: Option<Graph>,
    /// The assumptions without which the verdict would be another.
    pub relies_on: Vec<&'static str>,
    /// What is worth knowing.
    pub warnings: Vec<String>,
}

impl Picture {
    /// Adds what became of a property.
    pub fn add(&mut self, property: &Named, outcome: &mut Outcome) {
        let mut course = outcome.pictured.as_deref_mut().and_then(|pictured| pictured.course.take());
        if let Some(counts) = course.as_mut().and_then(|course| course.cut.as_mut()) {
            let mut by_lane: Vec<_> = self.processes.iter().zip(counts.iter().copied()).collect();
            by_lane.sort_unstable();
            *counts = by_lane.into_iter().map(|(_, count)| count).collect();
        }
        let automaton = match &property.property.formula {
            Formula::Monitor(_, monitor) => {
                Some(automaton::graph(monitor, &property.name, property.over().unwrap_or("events")))
            }
            _ => None,
        };
        let answer = outcome.answer(Some(self.shape), property, false);
        let named = [property.name.clone(), property.spelled_logic(), property.formula.clone()];
        self.results.push(Shown {
            course,
            automaton,
            relies_on: outcome.reliance.iter().flat_map(|own| &own.on).map(|reason| reason.word()).collect(),
            warnings: outcome.warnings.iter().map(|warning| warning.message.clone()).collect(),
            ..Shown::of(&answer, named)
        });
    }

    /// A text of the picture.
    #[must_use]
    pub fn string(&self, text: Text) -> &str {
        self.strings.resolve(text)
    }
}

impl Shown {
    /// What an answer says; `property` is its name, its logic and its formula.
    fn of(answer: &Answer<'_>, property: [String; 3]) -> Self {
        let mut story = Vec::new();
        let mut heading = None;
        for block in &answer.blocks {
            match block {
                Block::Words(words) => {
                    story.push(words.text.replace('\u{a0}', " "));
                    story.extend(words.edges.iter().map(|[from, to]| format!("{from} → {to}").replace('\u{a0}', " ")));
                    if words.more > 0 {
                        story.push(format!("… and {} more", words.more));
                    }
                }
                Block::Aside(text) | Block::Sentence(text) | Block::Remark(text) => story.push(text.clone()),
                Block::Steps { heading: own, steps } => {
                    // What is observed is seen without a sign.
                    heading = Some(own.replace(" (● observed)", ""));
                    if let Then::Dead(waiting) = &steps.then {
                        story.extend(waiting.iter().map(|(at, what)| format!("{at} {what}")));
                    }
                }
                Block::Order { heading: own, .. } | Block::States { heading: own, .. } => heading = Some(own.clone()),
                _ => {}
            }
        }
        let word = answer.word;
        let bare = answer.sentence.strip_prefix(word.text()).map(|rest| rest.trim_start_matches([':', ' ']));
        Self {
            property,
            word,
            sentence: bare.unwrap_or(&answer.sentence).to_owned(),
            story,
            heading,
            course: None,
            automaton: None,
            relies_on: Vec::new(),
            warnings: Vec::new(),
        }
    }
}
