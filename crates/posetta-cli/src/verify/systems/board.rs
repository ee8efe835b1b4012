//! What is known so far about a system of components.

use std::sync::Arc;

use posetta_base::{Diagnostic, Limit, OverBudget, Verdict};
use posetta_model::system::{Behaviour, Run, System};
use posetta_tell::{Problem, Word};
use posetta_verify::system::{Answer, Findings};

use crate::args::{Report as Format, VerifyArgs};
use crate::models::Kind;
use crate::progress::Now;

/// What a question is about, which decides how its answer is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// The words of runs.
    Actions,
    /// The observed actions of finite runs.
    Finite,
    /// The states of runs.
    States,
    /// The tree of states.
    Branching,
    Reach,
    Invariant,
    NoDeadlock,
    NoLivelock,
    Bound,
}

/// A question as reports show it.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) name: String,
    pub(super) formula: Option<String>,
    /// What its places are in.
    pub(super) file: String,
    /// `ltl`, `ctl`, `reach`, `invariant`, `deadlock`, `livelock` or `bound`.
    pub(super) logic: &'static str,
    pub(super) sort: Sort,
    /// Of a branching formula, what its outermost operator is put before, if that has operators of its own.
    pub(super) inside: Option<String>,
    /// By action: whether it is observed. Empty where that means nothing.
    pub(super) observed: Vec<bool>,
    pub(super) warnings: Vec<Diagnostic>,
}

/// An answer and the time it took.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) answer: Answer,
    /// Since the answer before.
    pub(super) seconds: f64,
}

/// The system and what is asked about it.
#[derive(Debug)]
pub(in crate::verify) struct Report {
    /// As the user calls it.
    pub(super) file: String,
    pub(super) kind: Kind,
    /// What the questions are about; `None` while something is being read.
    pub(super) system: Option<Arc<System>>,
    pub(super) asked: Vec<Asked>,
    /// One for each question; `None` while it is open.
    pub(super) slots: Vec<Option<Outcome>>,
    /// Nobody asked anything: states are counted, and the only question is one that was not asked, about deadlocks.
    pub(super) explores: bool,
    /// Whether the tokens of all places were asked for.
    pub(super) asks_bound: bool,
    pub(super) findings: Option<Findings>,
    /// The observation graph goes to standard output.
    pub(super) graph: Option<String>,
    /// Standard output is for the graph alone.
    pub(super) aside: bool,
    pub(super) problems: Vec<Problem>,
    /// What is being done.
    pub(super) doing: &'static str,
    /// Everything that will be known is.
    pub(super) done: bool,
    /// The limit that left something open.
    pub(super) over: Option<OverBudget>,
}

impl Report {
    pub(in crate::verify) fn new(args: &VerifyArgs, kind: Kind) -> Self {
        let is_json = args.json || args.format == Format::Json;
        Self {
            file: args.model.display().to_string(),
            kind,
            system: None,
            asked: Vec::new(),
            slots: Vec::new(),
            explores: false,
            asks_bound: args.bound,
            findings: None,
            graph: None,
            aside: !is_json && args.graph.as_ref().is_some_and(|path| path.as_os_str() == "-"),
            problems: Vec::new(),
            doing: "reading the model",
            done: false,
            over: None,
        }
    }

    /// The system and the questions are read: answers can come.
    pub(super) fn listen(&mut self, system: Arc<System>, asked: Vec<Asked>) {
        self.slots = asked.iter().map(|_| None).collect();
        self.asked = asked;
        self.system = Some(system);
        self.doing = "verifying";
    }

    /// What is being done, for whoever waits.
    pub(in crate::verify) fn progress(&self) -> Now {
        let names: Vec<&str> = self.asked.iter().map(|asked| asked.name.as_str()).collect();
        crate::verify::progress(self.doing, &names, |place| self.slots[place].is_none())
    }

    /// A limit was reached, and the work did not notice.
    pub(in crate::verify) fn stop(&mut self, limit: Limit) {
        if !self.done && self.problems.is_empty() {
            self.over = Some(OverBudget::new(self.doing, limit));
        }
    }

    /// What is known about the system, if there are no mistakes.
    pub(super) fn told(&self) -> Option<&System> {
        self.system.as_deref().filter(|_| self.problems.is_empty())
    }

    /// What became of a question, and the limit that left it open.
    pub(super) fn word(&self, place: usize) -> (Word, Option<OverBudget>) {
        match self.slots[place].as_ref().map(|outcome| &outcome.answer.verdict) {
            None => (Word::Unknown, self.over),
            Some(Verdict::Holds) => (Word::Holds, None),
            Some(Verdict::Violated(_)) => (Word::Violated, None),
            Some(Verdict::Unknown(over)) => (Word::Unknown, Some(*over)),
        }
    }

    /// Whether the tokens of all places are known, if they were asked for.
    pub(super) fn bound_word(&self) -> Option<Word> {
        let known = self.findings.as_ref().is_some_and(|f| f.most_tokens.is_some());
        self.asks_bound.then_some(if known { Word::Holds } else { Word::Unknown })
    }

    /// All answers to what was asked, that about all places last; none if there are mistakes.
    pub(super) fn words(&self) -> Vec<Word> {
        if self.told().is_none() || self.explores {
            return Vec::new();
        }
        (0..self.asked.len()).map(|place| self.word(place).0).chain(self.bound_word()).collect()
    }

    /// The run that shows an answer.
    pub(super) fn run(&self, place: usize) -> Option<&Run> {
        self.slots[place].as_ref()?.answer.run()
    }

    /// A run to a deadlock that nobody asked about.
    pub(super) fn deadlock(&self) -> Option<&Run> {
        if self.explores { self.run(0) } else { None }
    }

    /// The most diagram nodes that anybody saw.
    pub(super) fn most_nodes(&self) -> Option<u64> {
        let answers = self.slots.iter().flatten().map(|outcome| outcome.answer.stats.diagram_nodes);
        answers.chain(self.findings.as_ref().map(|f| f.diagram_nodes)).flatten().max()
    }

    /// Warnings with the text that their place is in, and the question that they are about.
    pub(super) fn remarks(&self) -> Vec<Problem> {
        let general = self.system.iter().flat_map(|system| &system.warnings);
        let mut all: Vec<Problem> = general.map(|warning| Problem::in_text(&self.file, warning.clone())).collect();
        for asked in &self.asked {
            all.extend(asked.warnings.iter().map(|diagnostic| Problem {
                trace: None,
                file: asked.file.clone(),
                property: Some(asked.name.clone()),
                diagnostic: diagnostic.clone(),
            }));
        }
        all
    }

    /// 2 for a mistake beats 1 for a violation beats 3 for an open question.
    pub(super) fn exit_status(&self) -> u8 {
        if !self.problems.is_empty() {
            return 2;
        }
        let is_open = self.over.is_some() || (self.explores && self.word(0).0 == Word::Unknown);
        Word::status_of(self.words().into_iter().chain(is_open.then_some(Word::Unknown)))
    }
}

/// How many places a system has.
pub(super) fn places(system: &System) -> usize {
    let count = |behaviour: &Behaviour| match behaviour {
        Behaviour::Net(net) => net.places.len(),
        Behaviour::Lts(_) => 0,
    };
    system.components.iter().map(|c| count(&c.behaviour)).sum()
}
