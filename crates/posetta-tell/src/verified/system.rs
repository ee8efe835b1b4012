//! A system of components and what is asked about it.

use std::sync::Arc;

use posetta_base::{Diagnostic, Kind, OverBudget, Place};
use posetta_logic::{Ctl, Formula, Property};
use posetta_model::system::{Behaviour, Demand, End, Run, Spec, System};
use posetta_verify::system::{Answer as Decided, Engine, Findings, Stats};
use serde_json::{Map, Value, json};

use super::{document, parts, remark, word};
use crate::amounts::{counted, readable};
use crate::json;
use crate::named::Named;
use crate::picture::model::{Model, Walk};
use crate::problem::{Problem, is_file};
use crate::report::{Answer, Block, Report, Subject, Summary, Title, When, Written};
use crate::steps::{self, Steps};
use crate::text;
use crate::word::Word;

/// So many places are named that can have the most tokens.
const PLACES: usize = 8;
/// Past so many values the states along a run are left out for programs: its steps determine them.
const VALUES: usize = 100_000;

/// What a question is about, which decides how its answer is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemandKind {
    /// The words of runs.
    Actions,
    /// The observed actions of finite runs.
    Finite,
    /// The states of runs.
    States,
    /// The tree of states.
    Branching,
    /// Whether some state can be reached.
    Reach,
    /// Whether all states that can be reached are alike in something.
    Invariant,
    /// Whether something can always take place.
    NoDeadlock,
    /// Whether something observed always comes.
    NoLivelock,
    /// How many tokens there can be.
    Bound,
}

impl DemandKind {
    /// The sort of a question.
    #[must_use]
    pub fn of(demand: &Demand) -> Self {
        match demand {
            Demand::Actions(_) => Self::Actions,
            Demand::Finite(_) => Self::Finite,
            Demand::States(_) => Self::States,
            Demand::Branching(_) => Self::Branching,
            Demand::Reach(_) => Self::Reach,
            Demand::Invariant(_) => Self::Invariant,
            Demand::NoDeadlock => Self::NoDeadlock,
            Demand::NoLivelock => Self::NoLivelock,
            Demand::Bound(_) => Self::Bound,
        }
    }

    /// What reports call its logic.
    #[must_use]
    pub fn logic(self) -> &'static str {
        match self {
            Self::Actions | Self::States => "ltl",
            Self::Finite => "m2l",
            Self::Branching => "ctl",
            Self::Reach => "reach",
            Self::Invariant => "invariant",
            Self::NoDeadlock => "deadlock",
            Self::NoLivelock => "livelock",
            Self::Bound => "bound",
        }
    }
}

/// A question as reports show it.
#[derive(Debug)]
pub struct Asked {
    /// What it is called.
    pub name: String,
    /// The formula, if there is one.
    pub formula: Option<String>,
    /// What its places are in.
    pub file: String,
    /// Where it is written, if that is a file.
    pub written: Option<Written>,
    /// `ltl`, `ctl`, `reach`, `invariant`, `deadlock`, `livelock` or `bound`.
    pub logic: &'static str,
    /// What it is about.
    pub kind: DemandKind,
    /// Of a branching formula, what its outermost operator is put before, if that has operators of its own.
    pub inside: Option<String>,
    /// By action: whether it is observed. Empty where that means nothing.
    pub observed: Vec<bool>,
    /// What is worth knowing about it.
    pub warnings: Vec<Diagnostic>,
    /// As it was written, and what it means on the system, if it is a property: pictures show its parts.
    pub meant: Option<(Formula, Demand)>,
}

impl Asked {
    /// A property.
    #[must_use]
    pub fn property(named: &Named, spec: &Spec, observed: Vec<bool>) -> Self {
        Self {
            name: named.name.clone(),
            formula: Some(named.formula.clone()),
            file: named.file.clone(),
            written: named.written(),
            logic: named.logic(),
            kind: DemandKind::of(&spec.demand),
            inside: inside(&named.property.formula),
            observed,
            warnings: spec.warnings.clone(),
            meant: Some((named.property.formula.clone(), spec.demand.clone())),
        }
    }

    /// A formula of the Model Checking Contest, from a property set in `file`.
    #[must_use]
    pub fn of_contest(file: &str, spec: &Spec) -> Self {
        let formula = &spec.source[spec.span.start..spec.span.end];
        let kind = DemandKind::of(&spec.demand);
        let place = Place::in_text(&spec.source, spec.span);
        Self {
            name: spec.name.clone().unwrap_or_else(|| formula.to_owned()),
            formula: Some(formula.to_owned()),
            file: file.to_owned(),
            written: Some(Written { file: Some(file.to_owned()), line: place.line, column: Some(place.column) }),
            warnings: spec.warnings.clone(),
            ..Self::plain(kind)
        }
    }

    /// A condition on single states, as a flag asks for it.
    #[must_use]
    pub fn condition(flag: &str, condition: &str, demand: &Demand) -> Self {
        let (name, formula) = (condition.to_owned(), Some(condition.to_owned()));
        let meant = Property::ltl(condition).ok().map(|property| (property.formula, demand.clone()));
        Self { name, formula, file: flag.to_owned(), meant, ..Self::plain(DemandKind::of(demand)) }
    }

    /// A question without a formula.
    #[must_use]
    pub fn plain(kind: DemandKind) -> Self {
        let logic = kind.logic();
        Self {
            name: format!("no {logic}"),
            formula: None,
            file: format!("--{logic}"),
            written: None,
            logic,
            kind,
            inside: None,
            observed: Vec::new(),
            warnings: Vec::new(),
            meant: None,
        }
    }
}

/// What the outermost operator of a branching formula is put before, if that has operators of its own: then a run to a state is not
/// all of the reason.
fn inside(formula: &Formula) -> Option<String> {
    fn is_plain(f: &Ctl) -> bool {
        !matches!(f, Ctl::Unary(..) | Ctl::Binary(..)) && f.operands().into_iter().all(is_plain)
    }
    match formula {
        Formula::Ctl(Ctl::Unary(_, _, f)) if !is_plain(f) => Some(f.to_string()),
        _ => None,
    }
}

/// An answer and the time it took.
#[derive(Debug)]
pub struct Outcome {
    /// The answer.
    pub answer: Decided,
    /// Since the answer before.
    pub seconds: f64,
}

/// The system and what is asked about it.
#[derive(Debug, Default)]
pub struct Verified {
    /// As the user calls it.
    pub file: String,
    /// What it is written in: `sys`, `aut` or `pnml`.
    pub kind: &'static str,
    /// What the questions are about; `None` while something is being read.
    pub system: Option<Arc<System>>,
    /// The questions.
    pub asked: Vec<Asked>,
    /// One for each question; `None` while it is open.
    pub slots: Vec<Option<Outcome>>,
    /// Nobody asked anything: states are counted, and the only question is one that was not asked, about deadlocks.
    pub explores: bool,
    /// Whether the tokens of all places were asked for.
    pub asks_bound: bool,
    /// What is true of the system whatever the question.
    pub findings: Option<Findings>,
    /// Mistakes: then there is no answer.
    pub problems: Vec<Problem>,
    /// The limit that left something open.
    pub over: Option<OverBudget>,
}

impl Verified {
    /// The system and the questions are read: answers can come.
    pub fn listen(&mut self, system: Arc<System>, asked: Vec<Asked>) {
        self.slots = asked.iter().map(|_| None).collect();
        self.asked = asked;
        self.system = Some(system);
    }

    /// What is known about the system, if there are no mistakes.
    fn known(&self) -> Option<&System> {
        self.system.as_deref().filter(|_| self.problems.is_empty())
    }

    /// What became of a question, and the limit that left it open.
    #[must_use]
    pub fn word(&self, place: usize) -> (Word, Option<OverBudget>) {
        word(self.slots[place].as_ref().map(|outcome| &outcome.answer.verdict), self.over)
    }

    /// Whether the tokens of all places are known, if they were asked for.
    fn bound_word(&self) -> Option<Word> {
        let word = match &self.findings {
            Some(found) if !found.unbounded.is_empty() => Word::Violated,
            Some(found) if found.most_tokens.is_some() => Word::Holds,
            _ => Word::Unknown,
        };
        self.asks_bound.then_some(word)
    }

    /// All answers to what was asked, that about all places last; none if there are mistakes.
    #[must_use]
    pub fn words(&self) -> Vec<Word> {
        if self.known().is_none() || self.explores {
            return Vec::new();
        }
        (0..self.asked.len()).map(|place| self.word(place).0).chain(self.bound_word()).collect()
    }

    /// The limit that no answer tells of.
    #[must_use]
    pub fn stopped(&self) -> Option<OverBudget> {
        self.over.filter(|_| !self.words().contains(&Word::Unknown))
    }

    /// The run that shows an answer.
    fn run(&self, place: usize) -> Option<&Run> {
        self.slots[place].as_ref()?.answer.run()
    }

    /// A run to a deadlock that nobody asked about.
    fn deadlock(&self) -> Option<&Run> {
        if self.explores { self.run(0) } else { None }
    }

    /// The most diagram nodes that anybody saw.
    fn most_nodes(&self) -> Option<u64> {
        let answers = self.slots.iter().flatten().map(|outcome| outcome.answer.stats.diagram_nodes);
        answers.chain(self.findings.as_ref().map(|f| f.diagram_nodes)).flatten().max()
    }

    /// Warnings with the text that their place is in, and the question that they are about.
    #[must_use]
    pub fn remarks(&self) -> Vec<Problem> {
        let general = self.system.iter().flat_map(|system| &system.warnings);
        let mut all: Vec<Problem> = general.map(|warning| Problem::in_text(&self.file, warning.clone())).collect();
        let found = self.findings.iter().flat_map(|found| &found.warnings);
        let news = found.filter(|warning| warning.kind == Kind::Unbounded);
        all.extend(news.map(|warning| Problem::in_text(&self.file, warning.clone())));
        for asked in &self.asked {
            all.extend(asked.warnings.iter().map(|warning| remark(&asked.file, &asked.name, warning)));
        }
        all
    }

    /// The verdicts; none if there are mistakes, or a limit, which speak for themselves. With `stats`, what they took.
    #[must_use]
    pub fn report<'a>(&self, stats: bool, witness: When) -> Report<'a> {
        let mut told = Report::default();
        let Some(system) = self.known() else { return told };
        let mut subject = self.subject(system, stats);
        if self.explores {
            self.tell_unasked(&mut subject, system, witness);
        } else {
            subject.answers.extend((0..self.asked.len()).map(|place| self.answer(system, place, stats, witness)));
            subject.answers.extend(self.bound(system));
            let properties = subject.answers.len();
            told.summary = (properties > 0).then_some(Summary { properties, runs: None, errors: 0 });
        }
        told.subjects.push(subject);
        told
    }

    fn subject<'a>(&self, system: &System, stats: bool) -> Subject<'a> {
        let mut facts = vec![counted(system.components.len() as u64, "component", "components")];
        if places(system) > 0 {
            facts.push(counted(places(system) as u64, "place", "places"));
        }
        facts.push(counted(system.actions.len() as u64, "action", "actions"));
        if let Some(found) = &self.findings {
            facts.extend(found.states.as_ref().map(|n| number(n.to_string(), "reachable state", "reachable states")));
            facts.extend(found.arcs.as_ref().map(|n| number(n.to_string(), "step", "steps")));
            if let (Some(most), Some(all), false) = (found.most_tokens, &found.most_tokens_in_all, self.asks_bound) {
                let most = counted(u64::from(most), "token", "tokens");
                facts.push(format!("at most {most} in a place and {} in all", readable(&all.to_string())));
            }
        }
        let mut subject = Subject::new(Title::Name(self.file.clone()), facts);
        subject.file = is_file(&self.file).then(|| self.file.clone());
        let nodes = self.findings.as_ref().and_then(|f| f.diagram_nodes).filter(|_| stats);
        subject.cost =
            nodes.map(|nodes| format!("{} for the reachable states", counted(nodes, "diagram node", "diagram nodes")));
        subject
    }

    /// Deadlocks, where nobody asked anything.
    fn tell_unasked(&self, subject: &mut Subject<'_>, system: &System, witness: When) {
        let Some(run) = self.deadlock() else {
            let (word, over) = self.word(0);
            let sentence = match (word, over) {
                (Word::Holds, _) => "holds: every reachable state has a step".to_owned(),
                (_, Some(over)) => text::open(over),
                (_, None) => "unknown".to_owned(),
            };
            let answer = Answer { in_any_case: true, ..Answer::new("no deadlock", word, sentence) };
            subject.answers.push(answer);
            return;
        };
        let away = counted(run.steps.len() as u64, "step", "steps");
        let notice =
            |rest: &str| Block::Notice { text: format!("a deadlock, reached in {away}{rest}"), lines: Vec::new() };
        match witness {
            When::Never => subject.rest.push(notice("")),
            When::Auto => {
                subject.rest.push(notice(" (--witness always shows the run):"));
                let last = steps::walk(system, run, |_, _, _, _| {});
                subject.rest.push(Block::Waiting(steps::waiting(system, &last)));
            }
            When::Always => {
                subject.rest.push(notice(""));
                let steps = Steps::new(system, run, &[], "");
                subject.rest.push(Block::Steps { heading: "A run to a deadlock".to_owned(), steps });
            }
        }
    }

    fn answer<'a>(&self, system: &System, place: usize, stats: bool, witness: When) -> Answer<'a> {
        let asked = &self.asked[place];
        let (word, over) = self.word(place);
        let outcome = self.slots[place].as_ref();
        let sentence = match (word, over, outcome.and_then(|o| o.answer.most.as_ref())) {
            _ if outcome.is_some_and(|o| o.answer.unbounded) => "no bound: the tokens can grow forever".to_owned(),
            (_, _, Some(n)) => format!("at most {}", number(n.to_string(), "token", "tokens")),
            (Word::Unknown, Some(over), _) => text::open(over),
            (Word::Unknown, None, _) => "unknown".to_owned(),
            _ => sentence(asked, word).to_owned(),
        };
        let mut answer = Answer::new(asked.name.clone(), word, sentence);
        answer.in_any_case = asked.kind == DemandKind::Bound;
        let formula = asked.formula.as_ref().filter(|f| **f != asked.name);
        answer.formula = formula.map(|formula| [asked.logic.to_owned(), formula.clone()]);
        answer.written.clone_from(&asked.written);
        answer.seconds = outcome.map(|outcome| outcome.seconds);
        answer.costs.extend(outcome.filter(|_| stats).map(cost));
        if let Some(run) = self.run(place).filter(|_| witness != When::Never) {
            let heading = heading(asked, run);
            // What comes after the step at which it fails shows nothing.
            let settled = outcome.and_then(|o| o.answer.settled).filter(|&at| at < run.steps.len());
            let beginning = settled.map(|at| Run { steps: run.steps[..at].to_vec(), end: End::Open });
            let run = beginning.as_ref().unwrap_or(run);
            let end = match (run.end, asked.kind) {
                (End::Open, DemandKind::Reach) => "here it is reached".to_owned(),
                (End::Open, DemandKind::Invariant | DemandKind::Finite) => "here it fails".to_owned(),
                (End::Open, DemandKind::Branching) => match &asked.inside {
                    Some(f) => format!("here `{f}` is {}", word == Word::Holds),
                    None => String::new(),
                },
                (End::Open, DemandKind::Actions | DemandKind::States) => "here it fails, however it goes on".to_owned(),
                _ => String::new(),
            };
            answer.blocks.push(Block::Steps { heading, steps: Steps::new(system, run, &asked.observed, &end) });
        }
        answer
    }

    /// The answers with the runs that show them; nothing if there are mistakes. Where nobody asked anything, that about deadlocks.
    #[must_use]
    pub fn picture(&self) -> Option<Model> {
        let system = self.known()?;
        let names = system.components.iter().map(|component| component.name.to_string()).collect();
        let mut model = Model::new(&self.subject(system, false), names);
        for (place, asked) in self.asked.iter().enumerate() {
            let answer = self.answer(system, place, false, When::Auto);
            let walk = self.run(place).map(|run| {
                let mut walk = Walk::of_run(system, run);
                walk.parts = asked
                    .meant
                    .as_ref()
                    .and_then(|(formula, demand)| parts::of_system(system, formula, demand, &asked.observed, run));
                let settled = self.slots[place].as_ref().and_then(|outcome| outcome.answer.settled);
                walk.moment = settled.or(walk.moment);
                let is_seen = |step: usize| asked.observed.get(run.steps[step].action.index()) == Some(&true);
                if asked.observed.contains(&false) {
                    walk.mentions = (0..run.steps.len()).filter(|&step| is_seen(step)).collect();
                }
                walk.note = match (run.end, asked.kind, settled) {
                    (End::Dead, ..) => "no action can take place".to_owned(),
                    (_, DemandKind::Reach, _) => "here it is reached".to_owned(),
                    (_, _, Some(at)) if at < run.steps.len() => "here it fails, however it goes on".to_owned(),
                    _ => String::new(),
                };
                walk
            });
            model.add(&answer, asked.logic, asked.formula.as_deref().unwrap_or_default(), walk);
        }
        self.bound(system).inspect(|answer| model.add(answer, "bound", "", None));
        Some(model)
    }

    /// The answer to `--bound`.
    fn bound<'a>(&self, system: &System) -> Option<Answer<'a>> {
        let word = self.bound_word()?;
        let found = self.findings.as_ref();
        let names = steps::slot_names(system);
        let list = |slots: Vec<u32>| {
            let mut shown: Vec<String> = slots.iter().take(PLACES).map(|&slot| names[slot as usize].clone()).collect();
            if slots.len() > PLACES {
                shown.push(format!("{} more", slots.len() - PLACES));
            }
            shown.join(", ")
        };
        let endless = found.map(|f| f.unbounded.clone()).unwrap_or_default();
        let sentence = match (found.and_then(|f| f.most_tokens), self.over) {
            _ if !endless.is_empty() => format!("no bound: the tokens can grow forever in {}", list(endless)),
            (Some(most), _) => {
                let all = found
                    .and_then(|f| f.most_tokens_in_all.as_ref())
                    .map_or(String::new(), |all| format!(", {} in all places together", readable(&all.to_string())));
                format!("at most {} in a place{all}", counted(u64::from(most), "token", "tokens"))
            }
            (None, Some(over)) => text::open(over),
            (None, None) => "unknown".to_owned(),
        };
        let mut answer = Answer::new("bound", word, sentence);
        answer.in_any_case = true;
        let Some(found) = found else { return Some(answer) };
        let full = found.most_by_place.iter().filter(|(_, most)| Some(*most) == found.most_tokens);
        let full: Vec<u32> = full.map(|(slot, _)| *slot).collect();
        if !full.is_empty() {
            answer.blocks.push(Block::Aside(format!("so many in {}", list(full))));
        }
        Some(answer)
    }

    /// The whole report for programs. Fields are documented in docs/report.md; more may be added, none is renamed.
    #[must_use]
    pub fn to_json(&self, witness: When, warnings: Vec<Value>) -> String {
        let mut results: Vec<Value> = Vec::new();
        match self.known() {
            Some(_) if self.explores => {}
            Some(system) => {
                results.extend((0..self.asked.len()).map(|place| self.result(system, place, witness)));
                results.extend(self.bound_result());
            }
            None if self.problems.is_empty() => results.push(self.unprepared()),
            None => {}
        }
        document(results, warnings, &self.problems, self.model(witness))
    }

    fn model(&self, witness: When) -> Value {
        let found = self.findings.as_ref();
        let system = self.system.as_deref();
        let deadlock = self.deadlock().filter(|_| witness != When::Never).zip(system);
        let bounds = system.zip(found).filter(|_| self.asks_bound).map(|(system, found)| {
            let names = steps::slot_names(system);
            let bounded = found.most_by_place.iter().map(|(slot, most)| (*slot, json!(most)));
            let places = bounded.chain(found.unbounded.iter().map(|slot| (*slot, Value::Null)));
            Value::Object(places.map(|(slot, most)| (names[slot as usize].clone(), most)).collect::<Map<_, _>>())
        });
        json!({
            "model": self.file,
            "kind": self.kind,
            "system": system.map(|s| &s.name),
            "components": system.map(|s| s.components.len()),
            "actions": system.map(|s| s.actions.len()),
            "states": found.and_then(|f| f.states.as_ref()).map(ToString::to_string),
            "arcs": found.and_then(|f| f.arcs.as_ref()).map(ToString::to_string),
            "most_tokens": found.and_then(|f| f.most_tokens),
            "most_tokens_in_all": found.and_then(|f| f.most_tokens_in_all.as_ref()).map(ToString::to_string),
            "bounds": bounds,
            "deadlock": deadlock.map(|(run, system)| way(system, run)),
            "diagram_nodes": self.most_nodes(),
            "limit": self.over.map(|over| json::limit(over, 0)),
        })
    }

    fn result(&self, system: &System, place: usize, witness: When) -> Value {
        let asked = &self.asked[place];
        let (word, over) = self.word(place);
        let outcome = self.slots[place].as_ref();
        let bound = outcome.and_then(|outcome| outcome.answer.most.as_ref()).map(ToString::to_string);
        let run = self.run(place).filter(|_| witness != When::Never);
        json!({
            "model": self.file,
            "property": asked.name,
            "logic": asked.logic,
            "formula": asked.formula,
            "verdict": word.text(),
            "vacuous": false,
            "bound": bound,
            "witness": run.map(|run| way(system, run)),
            "fails_at": outcome.and_then(|outcome| outcome.answer.settled),
            "limit": over.map(|over| json::limit(over, 0)),
            "stats": stats(outcome),
        })
    }

    /// The answer to `--bound`.
    fn bound_result(&self) -> Option<Value> {
        let word = self.bound_word()?;
        let most = self.findings.as_ref().and_then(|f| f.most_tokens);
        Some(json!({
            "model": self.file,
            "property": "bound",
            "logic": "bound",
            "formula": null,
            "verdict": word.text(),
            "vacuous": false,
            "bound": most.map(|n| n.to_string()),
            "witness": null,
            "fails_at": null,
            "limit": self.over.filter(|_| word == Word::Unknown).map(|over| json::limit(over, 0)),
            "stats": stats(None),
        }))
    }

    /// The one result if nothing could be asked.
    fn unprepared(&self) -> Value {
        json!({
            "model": self.file,
            "property": null,
            "logic": null,
            "formula": null,
            "verdict": Word::Unknown.text(),
            "vacuous": false,
            "bound": null,
            "witness": null,
            "fails_at": null,
            "limit": self.over.map(|over| json::limit(over, 0)),
            "stats": stats(None),
        })
    }
}

/// How many places a system has.
#[must_use]
pub fn places(system: &System) -> usize {
    let count = |behaviour: &Behaviour| match behaviour {
        Behaviour::Net(net) => net.places.len(),
        Behaviour::Lts(_) => 0,
    };
    system.components.iter().map(|c| count(&c.behaviour)).sum()
}

/// A number of any length with what it counts.
fn number(digits: String, one: &str, many: &str) -> String {
    format!("{} {}", readable(&digits), if digits == "1" { one } else { many })
}

/// The verdict in words.
fn sentence(asked: &Asked, word: Word) -> &'static str {
    let holds = word == Word::Holds;
    match (asked.kind, holds) {
        (DemandKind::Actions | DemandKind::States, true) => "holds: every run satisfies it",
        (DemandKind::Actions | DemandKind::States, false) => "violated: some run does not satisfy it",
        (DemandKind::Finite, true) => "holds: the observed actions of every finite run satisfy it",
        (DemandKind::Finite, false) => "violated: the observed actions of some finite run do not satisfy it",
        (DemandKind::Branching, true) => "holds: the initial state satisfies it",
        (DemandKind::Branching, false) => "violated: the initial state does not satisfy it",
        (DemandKind::Reach, true) => "holds: some reachable state satisfies it",
        (DemandKind::Reach, false) => "violated: no reachable state satisfies it",
        (DemandKind::Invariant, true) => "holds: every reachable state satisfies it",
        (DemandKind::Invariant, false) => "violated: some reachable state does not satisfy it",
        (DemandKind::NoDeadlock, true) => "holds: every reachable state has a step",
        (DemandKind::NoDeadlock, false) => "violated: in some reachable state no action can take place",
        (DemandKind::NoLivelock, true) if !asked.observed.contains(&false) => "holds: every action is observed",
        (DemandKind::NoLivelock, true) => "holds: no run goes on forever without an observed action",
        (DemandKind::NoLivelock, false) => "violated: some run goes on forever without an observed action",
        (DemandKind::Bound, _) => "",
    }
}

/// What stands above the steps.
fn heading(asked: &Asked, run: &Run) -> String {
    let what = match asked.kind {
        DemandKind::Actions | DemandKind::States | DemandKind::Finite => "A run that does not satisfy it",
        DemandKind::Branching | DemandKind::Bound => "A run that shows it",
        DemandKind::Reach => "A run that gets there",
        DemandKind::Invariant => "A run to a state that does not satisfy it",
        DemandKind::NoDeadlock => "A run to a state in which no action can take place",
        DemandKind::NoLivelock => "Such a run",
    };
    let marks = match (asked.observed.contains(&false), asked.observed.contains(&true)) {
        (true, true) => " (● observed)",
        (true, false) => " (no action is observed)",
        (false, _) => "",
    };
    let none = if run.steps.is_empty() { ", without a step" } else { "" };
    format!("{what}{marks}{none}")
}

/// What an answer took, for people.
fn cost(outcome: &Outcome) -> String {
    let Stats { engine, meta_states, arcs, states, diagram_nodes, reduced, .. } = &outcome.answer.stats;
    let mut parts = Vec::new();
    if *engine != Engine::Auto {
        parts.push(format!("engine {}", engine.word()));
    }
    parts.extend(meta_states.map(|n| counted(n, "meta-state", "meta-states")));
    parts.extend(arcs.map(|n| counted(n, "arc", "arcs")));
    parts.extend(states.as_ref().map(|n| number(n.to_string(), "state", "states")));
    parts.extend(diagram_nodes.map(|n| counted(n, "diagram node", "diagram nodes")));
    parts.extend(reduced.map(|(places, transitions)| {
        let (p, t) = (counted(places, "place", "places"), counted(transitions, "transition", "transitions"));
        format!("net reduced to {p} and {t}")
    }));
    parts.push(format!("{:.3} s", outcome.seconds));
    parts.join(", ")
}

/// The same for programs.
fn stats(outcome: Option<&Outcome>) -> Value {
    let none = Stats::default();
    let stats = outcome.map_or(&none, |outcome| &outcome.answer.stats);
    let reduced = |(places, transitions): (u64, u64)| json!({ "places": places, "transitions": transitions });
    let mut told = json!({
        "engine": Some(stats.engine).filter(|e| *e != Engine::Auto).map(Engine::word),
        "meta_states": stats.meta_states,
        "arcs": stats.arcs,
        "states": stats.states.as_ref().map(ToString::to_string),
        "diagram_nodes": stats.diagram_nodes,
        "seconds": outcome.map(|outcome| json::seconds(outcome.seconds)),
    });
    // Only where a smaller net was asked.
    if let Some(smaller) = stats.reduced.map(reduced) {
        told["reduced"] = smaller;
    }
    told
}

/// The actions before the cycle and those on it, how it ends, and the states on the way.
fn way(system: &System, run: &Run) -> Value {
    let mut prefix: Vec<&str> = run.steps.iter().map(|step| &*system.action(step.action).name).collect();
    let (ends, cycle) = match run.end {
        End::Open => ("open", Vec::new()),
        End::Dead => ("deadlock", Vec::new()),
        End::Cycle(to) => ("cycle", prefix.split_off(to.min(run.steps.len()))),
    };
    json!({ "prefix": prefix, "cycle": cycle, "ends": ends, "trail": trail(system, run) })
}

/// The states along a run, the initial one first: states of transition systems by name, tokens as numbers.
fn trail(system: &System, run: &Run) -> Option<Vec<Value>> {
    let names = steps::slot_names(system);
    if names.len().saturating_mul(run.steps.len() + 1) > VALUES {
        return None;
    }
    let mut lts = Vec::with_capacity(names.len());
    for component in &system.components {
        match &component.behaviour {
            Behaviour::Lts(own) => lts.push(Some(own)),
            Behaviour::Net(net) => lts.extend(net.places.iter().map(|_| None)),
        }
    }
    let object = |state: &[u32]| {
        let value = |i: usize, n: u32| lts[i].map_or(json!(n), |lts| json!(&*lts.states[n as usize]));
        let fields = state.iter().enumerate().map(|(i, &n)| (names[i].clone(), value(i, n)));
        Value::Object(fields.collect::<Map<_, _>>())
    };
    let mut all = vec![object(&system.initial())];
    steps::walk(system, run, |_, _, _, after| all.push(object(after)));
    Some(all)
}

#[cfg(test)]
mod tests {
    use posetta_base::{Budget, Kind, Limit};
    use posetta_model::sys;
    use posetta_verify::system::{Options, Question};

    use super::*;
    use crate::paint::Paint;

    const OVER: OverBudget = OverBudget::new("counting the states", Limit::Memory);

    /// Whether something can always take place, and whether `b` is ever reached, of which only the first is answered.
    fn half_way() -> Verified {
        let text = "component C { lts { init a; a -go-> b } }\n";
        let system = sys::read("m.sys", text, None, &mut |_, _| Err("no".into())).expect("a system");
        let spec = Spec::plain("no deadlock", Demand::NoDeadlock);
        let budget = Budget::unlimited();
        let mut question = Question::new(&system, std::slice::from_ref(&spec), Options::default());
        question.decide(&budget).expect("an answer");
        let mut answer = question.answer(0).expect("an answer").clone();
        answer.stats = Stats::default();
        let mut found = Verified { file: "m.sys".to_owned(), kind: "sys", over: Some(OVER), ..Verified::default() };
        let asked = vec![
            Asked::plain(DemandKind::of(&spec.demand)),
            Asked { formula: Some("C == b".to_owned()), name: "there".to_owned(), ..Asked::plain(DemandKind::Reach) },
        ];
        found.listen(Arc::new(system), asked);
        found.slots[0] = Some(Outcome { answer, seconds: 0.5 });
        found
    }

    #[test]
    fn what_a_limit_left_open_is_unknown() {
        let found = half_way();
        assert_eq!((found.words(), found.stopped()), (vec![Word::Violated, Word::Unknown], None));
        assert_eq!(
            text::report(&found.report(true, When::Auto), Paint::plain()),
            "m.sys  1 component, 1 action
  ✗ no deadlock  violated: in some reachable state no action can take place
    0.500 s

    A run to a state in which no action can take place:

       1  go  C: a → b
          no action can take place:
            C in b  can do nothing

  ? there  unknown: the memory limit was reached while counting the states (more memory: --memory)
    reach C == b

2 properties: 1 violated, 1 unknown
"
        );
        assert_eq!(
            found.to_json(When::Auto, Vec::new()),
            concat!(
                r#"{"schema":"posetta-verify/1","#,
                "\n \"results\":[\n  ",
                r#"{"model":"m.sys","property":"no deadlock","logic":"deadlock","formula":null,"verdict":"violated","vacuous":false,"#,
                r#""bound":null,"witness":{"prefix":["go"],"cycle":[],"ends":"deadlock","trail":[{"C":"a"},{"C":"b"}]},"#,
                r#""fails_at":null,"limit":null,"stats":{"engine":null,"meta_states":null,"arcs":null,"states":null,"#,
                r#""diagram_nodes":null,"seconds":0.5}},"#,
                "\n  ",
                r#"{"model":"m.sys","property":"there","logic":"reach","formula":"C == b","verdict":"unknown","vacuous":false,"#,
                r#""bound":null,"witness":null,"fails_at":null,"#,
                r#""limit":{"reached":"memory","while":"counting the states","explored":0},"#,
                r#""stats":{"engine":null,"meta_states":null,"arcs":null,"states":null,"diagram_nodes":null,"seconds":null}}],"#,
                "\n \"warnings\":[],\n \"errors\":[],\n \"model\":",
                r#"{"model":"m.sys","kind":"sys","system":"C","components":1,"actions":1,"states":null,"arcs":null,"#,
                r#""most_tokens":null,"most_tokens_in_all":null,"bounds":null,"deadlock":null,"diagram_nodes":null,"#,
                r#""limit":{"reached":"memory","while":"counting the states","explored":0}}}"#,
                "\n"
            )
        );
    }

    #[test]
    fn with_a_mistake_there_is_no_answer() {
        let mut found = half_way();
        found.problems.push(Problem::in_text("--bound", Diagnostic::new(Kind::Input, "there are no places")));
        assert!(found.words().is_empty() && found.report(false, When::Auto).subjects.is_empty());
        let json = found.to_json(When::Auto, Vec::new());
        assert!(json.contains("\"results\":[],\n") && json.contains(r#""file":"--bound","property":null"#), "{json}");
    }
}
