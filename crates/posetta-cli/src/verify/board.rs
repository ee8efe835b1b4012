//! What is known so far about a model.

use std::path::Path;

use posetta_base::{Diagnostic, Limit, OverBudget, Verdict};
use posetta_model::fds::{Fds, Trail};
use posetta_tell::trail::Column;
use posetta_tell::{Problem, Word};
use posetta_verify::fds::{Answer, Findings};

use crate::progress::Now;

/// A property as reports show it.
#[derive(Debug)]
pub(super) struct Asked {
    /// Its name; where the model gives it none, its place there.
    pub(super) name: String,
    pub(super) formula: String,
    /// What its places are in.
    pub(super) file: String,
    /// `ltl`, `psl`, `ctl` or `invariant`.
    pub(super) logic: &'static str,
    /// Whether it reads inputs: then they have a value at the last state of a finite computation, too.
    pub(super) inputs: bool,
}

/// An answer and the time it took.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) answer: Answer,
    /// Since the answer before.
    pub(super) seconds: f64,
    /// For a counterexample: the states at which the property sees something change.
    pub(super) turns: Vec<usize>,
}

/// The model and its properties.
#[derive(Debug)]
pub(super) struct Report {
    /// As the user calls it.
    pub(super) file: String,
    /// Whether model and properties are known. If not, there is nothing to answer.
    pub(super) prepared: bool,
    pub(super) columns: Vec<Column>,
    pub(super) asked: Vec<Asked>,
    /// One for each property; `None` while it is open.
    pub(super) slots: Vec<Option<Outcome>>,
    /// Whether a deadlock counts as a violation.
    pub(super) asks_deadlock: bool,
    pub(super) findings: Option<Findings>,
    /// Things worth knowing about the model, if there are no findings that repeat them.
    pub(super) warnings: Vec<Diagnostic>,
    pub(super) problems: Vec<Problem>,
    /// What is being done.
    pub(super) doing: &'static str,
    /// Everything that will be known is.
    pub(super) done: bool,
    /// The limit that left something open.
    pub(super) over: Option<OverBudget>,
}

impl Report {
    pub(super) fn new(model: &Path) -> Self {
        Self {
            file: model.display().to_string(),
            prepared: false,
            columns: Vec::new(),
            asked: Vec::new(),
            slots: Vec::new(),
            asks_deadlock: false,
            findings: None,
            warnings: Vec::new(),
            problems: Vec::new(),
            doing: "reading the model",
            done: false,
            over: None,
        }
    }

    /// The model is read: answers can come.
    pub(super) fn listen(&mut self, model: &Fds, asked: Vec<Asked>) {
        self.columns = Column::all(model);
        self.slots = asked.iter().map(|_| None).collect();
        self.warnings.clone_from(&model.warnings);
        self.asked = asked;
        self.prepared = true;
    }

    /// Whether all states were found breadth first, so that paths to them are shortest ones.
    pub(super) fn is_breadth_first(&self) -> bool {
        self.findings.as_ref().is_some_and(|found| found.depth.is_some())
    }

    /// Whether a property holds because there is nothing that could violate it.
    pub(super) fn is_vacuous(&self, place: usize) -> bool {
        self.slots[place].as_ref().is_some_and(|outcome| outcome.answer.vacuous)
    }

    /// What is being done, for whoever waits.
    pub(super) fn progress(&self) -> Now {
        let names: Vec<&str> = self.asked.iter().map(|asked| asked.name.as_str()).collect();
        super::progress(self.doing, &names, |place| self.slots[place].is_none())
    }

    /// A limit was reached, and the work did not notice.
    pub(super) fn stop(&mut self, limit: Limit) {
        if !self.done && self.problems.is_empty() {
            self.over = Some(OverBudget::new(self.doing, limit));
        }
    }

    /// What became of a property, and the limit that left it open.
    pub(super) fn word(&self, place: usize) -> (Word, Option<OverBudget>) {
        match self.slots[place].as_ref().map(|outcome| &outcome.answer.verdict) {
            None => (Word::Unknown, self.over),
            Some(Verdict::Holds) => (Word::Holds, None),
            Some(Verdict::Violated(_)) => (Word::Violated, None),
            Some(Verdict::Unknown(over)) => (Word::Unknown, Some(*over)),
        }
    }

    /// Whether there is no deadlock, if that is asked.
    pub(super) fn deadlock_word(&self) -> Option<Word> {
        let known = |findings: &Findings| match (&findings.deadlock, &findings.states) {
            (Some(_), _) => Word::Violated,
            (None, Some(_)) => Word::Holds,
            (None, None) => Word::Unknown,
        };
        self.asks_deadlock.then(|| self.findings.as_ref().map_or(Word::Unknown, known))
    }

    /// All answers, that about deadlocks last; none if there are mistakes.
    pub(super) fn words(&self) -> Vec<Word> {
        if !self.problems.is_empty() || !self.prepared {
            return Vec::new();
        }
        let own = (0..self.asked.len()).map(|place| self.word(place).0);
        own.chain(self.deadlock_word()).collect()
    }

    /// The way to a state without a next one.
    pub(super) fn deadlock(&self) -> Option<&Trail> {
        self.findings.as_ref()?.deadlock.as_ref()
    }

    /// The most diagram nodes that anybody saw.
    pub(super) fn most_nodes(&self) -> Option<u64> {
        let answers = self.slots.iter().flatten().map(|outcome| outcome.answer.diagram_nodes);
        answers.chain(self.findings.as_ref().map(|findings| findings.diagram_nodes)).max()
    }

    /// Warnings with the text that their place is in, and the property that they are about.
    pub(super) fn remarks(&self) -> Vec<Problem> {
        let general = self.findings.as_ref().map_or(&self.warnings, |findings| &findings.warnings);
        let mut all: Vec<Problem> =
            general.iter().map(|warning| Problem::in_text(&self.file, warning.clone())).collect();
        for (asked, outcome) in self.asked.iter().zip(&self.slots) {
            let about = |diagnostic: &Diagnostic| Problem {
                trace: None,
                file: asked.file.clone(),
                property: Some(asked.name.clone()),
                diagnostic: diagnostic.clone(),
            };
            all.extend(outcome.iter().flat_map(|outcome| outcome.answer.warnings.iter().map(about)));
        }
        all
    }

    /// 2 for a mistake beats 1 for a violation beats 3 for an open question.
    pub(super) fn exit_status(&self) -> u8 {
        if !self.problems.is_empty() {
            return 2;
        }
        Word::status_of(self.words().into_iter().chain(self.over.map(|_| Word::Unknown)))
    }
}
