//! `posetta check --model`: does some order of a run follow a system of components?
//!
//! [`Model::read`] is what is asked, [`Followed`] what came of it on one run, in a form that outlives the run. [`human`] and [`programs`] tell it.

pub mod human;
pub mod programs;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use posetta_base::{Budget, Diagnostic, Error, EventId, Kind, OverBudget};
use posetta_check::Observed;
use posetta_model::system::{Behaviour, Move, System};
use posetta_tell::story::Story;
use posetta_tell::{Problem, Word};
use posetta_trace::Trace;
use posetta_verify::system::{ActionNames, Frontier, Outcome, Refusal, conform};

use crate::amounts::{counted, grouped};
use crate::args::WitnessWhen;
use crate::models;
use crate::root::RootArgs;

/// So many cuts that no order goes beyond are told to people.
const TOLD: usize = 3;
/// So many events that could come next are told of each.
const NEXT: usize = 8;
/// The most names in one warning.
const NAMES: usize = 12;

/// What runs are held against.
#[derive(Debug)]
pub struct Model {
    /// As reports call it.
    pub name: String,
    pub file: String,
    pub system: System,
}

impl Model {
    /// Reads it. `runs` are the arguments, because only one input can come from standard input.
    pub fn read(path: &Path, wanted: Option<&str>, runs: &[PathBuf], roots: &RootArgs) -> Result<Self, Vec<Problem>> {
        let file = path.display().to_string();
        if file == "-" && runs.iter().any(|run| run == path) {
            let message = "the model and a run cannot both come from standard input";
            return Err(vec![Problem::in_text("--model", Diagnostic::new(Kind::Input, message))]);
        }
        let system = models::read_system(path, wanted.map(|name| (name, "--system")), roots)?;
        Ok(Self { name: format!("follows {}", wanted.unwrap_or(&file)), file, system })
    }
}

/// What came of holding a run against the model.
#[derive(Debug)]
pub struct Followed {
    pub word: Word,
    /// The limit that left it open.
    pub over: Option<OverBudget>,
    /// Whether the recorded order follows the model.
    pub observed: Option<Observed>,
    /// An order that follows the model, for programs.
    pub witness: Option<Vec<String>>,
    /// What the model does meanwhile, with what is not seen.
    pub actions: Option<Vec<String>>,
    /// The same for people.
    pub order: Option<Story>,
    /// The cuts that no order goes beyond, for programs.
    pub frontiers: Option<Vec<Front>>,
    /// The same for people.
    pub stops: Stops,
    /// How many events stand for actions.
    pub steps: usize,
    /// Pairs of a cut and a meta-state; what is counted so far, if a limit was reached.
    pub pairs: u64,
    pub warnings: Vec<Diagnostic>,
    pub seconds: f64,
}

/// A cut that no order goes beyond.
#[derive(Debug)]
pub struct Front {
    /// The labels of the steps so far.
    pub taken: Vec<String>,
    pub refused: Vec<Refused>,
}

/// What could come next, and who refuses it.
#[derive(Debug)]
pub struct Refused {
    pub event: String,
    pub action: String,
    pub by: Vec<String>,
}

/// The cuts that no order goes beyond, as people read them.
#[derive(Debug, Default)]
pub struct Stops {
    /// How many steps come before.
    pub taken: usize,
    /// The first one, as an order that leads to it.
    pub first: Option<Story>,
    /// How much of what could come next after that one is left out.
    pub first_more: usize,
    /// Some of the others.
    pub others: Vec<Stop>,
    /// How many are left out.
    pub more: usize,
}

/// One of them in short.
#[derive(Debug)]
pub struct Stop {
    /// The last step of each process.
    pub after: Vec<String>,
    /// What could come next, each with who refuses it.
    pub next: Vec<[String; 2]>,
    /// How much of that is left out.
    pub more: usize,
}

impl Followed {
    /// A limit was reached first.
    pub fn unknown(over: OverBudget, explored: u64, seconds: f64) -> Self {
        Self {
            word: Word::Unknown,
            over: Some(over),
            observed: None,
            witness: None,
            actions: None,
            order: None,
            frontiers: None,
            stops: Stops::default(),
            steps: 0,
            pairs: explored,
            warnings: Vec::new(),
            seconds,
        }
    }

    /// Holds a run against the model. What shows the answer is kept as `witness` says: for people, with so many columns for
    /// lanes, or for programs.
    pub fn new(
        model: &Model,
        trace: &Trace,
        people: Option<usize>,
        witness: WitnessWhen,
        budget: &Budget,
    ) -> Result<Self, Error> {
        let found = conform(&model.system, trace, budget)?;
        let teller = Teller::new(&model.system, trace);
        let mut followed = Self {
            word: Word::Holds,
            over: None,
            observed: None,
            witness: None,
            actions: None,
            order: None,
            frontiers: None,
            stops: Stops::default(),
            steps: found.steps,
            pairs: found.pairs,
            warnings: teller.warnings(found.steps, &found.left_out),
            seconds: 0.0,
        };
        match &found.outcome {
            Outcome::Follows { order, run } => {
                // The recorded order is tried first, so it follows the model exactly if its steps are those that were found.
                followed.observed = trace.observed().map(|observed| {
                    if teller.steps(observed).eq(teller.steps(order)) { Observed::Holds } else { Observed::Violated }
                });
                if let (WitnessWhen::Always, Some(room)) = (witness, people) {
                    followed.order = Some(Story::following(trace, order, &|e| teller.is_step(e), room));
                } else if witness == WitnessWhen::Always {
                    followed.witness = Some(teller.labels(order));
                    let name = |step: &Move| model.system.action(step.action).name.to_string();
                    followed.actions = Some(run.steps.iter().map(name).collect());
                }
            }
            Outcome::Strays(frontiers) => {
                followed.word = Word::Violated;
                followed.observed = trace.observed().map(|_| Observed::Violated);
                match people {
                    _ if witness == WitnessWhen::Never => {}
                    Some(room) => followed.stops = teller.stops(frontiers, room),
                    None => followed.frontiers = Some(frontiers.iter().map(|f| teller.front(f)).collect()),
                }
            }
        }
        Ok(followed)
    }

    /// With the time that it took.
    pub fn after(self, time: Duration) -> Self {
        Self { seconds: time.as_secs_f64(), ..self }
    }
}

/// Puts what was found into words.
struct Teller<'a> {
    system: &'a System,
    trace: &'a Trace,
    /// By event: whether it stands for an action.
    is_step: Vec<bool>,
}

impl<'a> Teller<'a> {
    fn new(system: &'a System, trace: &'a Trace) -> Self {
        let names = ActionNames::new(system);
        let is_step = trace.events().map(|event| names.action(trace, event).is_some()).collect();
        Self { system, trace, is_step }
    }

    fn is_step(&self, event: EventId) -> bool {
        self.is_step[event.index()]
    }

    fn steps<'b>(&'b self, order: &'b [EventId]) -> impl Iterator<Item = EventId> + 'b {
        order.iter().copied().filter(|&event| self.is_step(event))
    }

    fn labels(&self, events: &[EventId]) -> Vec<String> {
        events.iter().map(|&event| self.trace.label(event)).collect()
    }

    fn warnings(&self, steps: usize, left_out: &BTreeMap<Option<String>, usize>) -> Vec<Diagnostic> {
        let count: usize = left_out.values().sum();
        if count == 0 {
            return Vec::new();
        }
        let mut names: Vec<String> = left_out
            .iter()
            .take(NAMES)
            .map(|(name, count)| match name {
                Some(name) => format!("`{name}` ({})", grouped(*count as u64)),
                None => format!("events without a name ({})", grouped(*count as u64)),
            })
            .collect();
        if left_out.len() > NAMES {
            names.push(format!("and {} more", grouped((left_out.len() - NAMES) as u64)));
        }
        let names = names.join(", ");
        if steps > 0 {
            let events = counted(count as u64, "event that stands", "events that stand");
            let message = format!("the model says nothing about {events} for none of its actions: {names}");
            return vec![Diagnostic::new(Kind::Unmatched, message)];
        }
        let mut actions: Vec<String> =
            self.system.actions.iter().take(NAMES).map(|action| format!("`{}`", action.name)).collect();
        if self.system.actions.len() > NAMES {
            actions.push(format!("and {} more", grouped((self.system.actions.len() - NAMES) as u64)));
        }
        let message = format!("no event stands for an action of the model, so every order follows it: {names}");
        let help = format!(
            "an event stands for the action `PROCESS.NAME`, else for `NAME`; the model has {}",
            actions.join(", ")
        );
        vec![Diagnostic::new(Kind::Vacuous, message).help(help)]
    }

    fn front(&self, frontier: &Frontier) -> Front {
        let component = |&c: &_| self.system.component(c).name.to_string();
        let refused = |r: &Refusal| Refused {
            event: self.trace.label(r.event),
            action: self.system.action(r.action).name.to_string(),
            by: r.by.iter().map(component).collect(),
        };
        Front { taken: self.labels(&frontier.taken), refused: frontier.refused.iter().map(refused).collect() }
    }

    fn stops(&self, frontiers: &[Frontier], room: usize) -> Stops {
        let Some((first, others)) = frontiers.split_first() else { return Stops::default() };
        let ahead: Vec<(EventId, String)> =
            first.refused.iter().take(NEXT).map(|r| (r.event, self.who_refuses(r))).collect();
        let story = Story::stopped(self.trace, &self.path(first), &ahead, &|e| self.is_step(e), room);
        let others: Vec<&Frontier> = others.iter().collect();
        Stops {
            taken: first.taken.len(),
            first: Some(story),
            first_more: first.refused.len() - ahead.len(),
            others: others.iter().take(TOLD - 1).map(|f| self.stop(f)).collect(),
            more: others.len().saturating_sub(TOLD - 1),
        }
    }

    fn stop(&self, frontier: &Frontier) -> Stop {
        let mut last = vec![None; self.trace.process_count()];
        for &event in &frontier.taken {
            last[self.trace.process(event).index()] = Some(event);
        }
        let next = frontier.refused.iter().take(NEXT);
        Stop {
            after: last.into_iter().flatten().map(|event| self.trace.label(event)).collect(),
            next: next.map(|r| [self.event(r.event), self.who_refuses(r)]).collect(),
            more: frontier.refused.len().saturating_sub(NEXT),
        }
    }

    /// An event in one line: `put on P (line 3)`.
    fn event(&self, event: EventId) -> String {
        let name = self.trace.event_name(event).unwrap_or_default();
        let process = self.trace.process_name(self.trace.process(event));
        format!("{name} on {process} ({})", self.trace.whereabouts(event))
    }

    /// Who refuses a step, in which state.
    fn who_refuses(&self, refusal: &Refusal) -> String {
        if refusal.by.is_empty() {
            let parts = &self.system.action(refusal.action).parts;
            let names: Vec<&str> = parts.iter().map(|&c| &*self.system.component(c).name).collect();
            return format!("possible for each of {}, but not for all at once", listed(&names, NAMES, "and"));
        }
        let refuses = |(&c, at): (&_, &Option<Vec<u32>>)| {
            let component = self.system.component(c);
            match (&component.behaviour, at) {
                (Behaviour::Lts(lts), Some(at)) if !at.is_empty() => {
                    let names: Vec<&str> = at.iter().map(|&s| &*lts.states[s as usize]).collect();
                    format!("{} ({})", component.name, listed(&names, NAMES, "or"))
                }
                _ => component.name.to_string(),
            }
        };
        let who: Vec<String> = refusal.by.iter().zip(&refusal.at).map(refuses).collect();
        format!("refused by {}", listed(&who, NAMES, "and"))
    }

    /// An order that leads to a cut: its steps, and before each of them, and before what could come next, the events that stand for nothing
    /// and have to come before.
    fn path(&self, frontier: &Frontier) -> Vec<EventId> {
        let trace = self.trace;
        let next: BTreeSet<EventId> = frontier.refused.iter().map(|r| r.event).collect();
        let mut done = vec![false; trace.len()];
        let mut path = Vec::new();
        for &goal in frontier.taken.iter().chain(&next) {
            // Depth first through what came before and is not there yet.
            let mut stack = vec![(goal, false)];
            while let Some((event, ready)) = stack.pop() {
                if done[event.index()] {
                    continue;
                }
                if ready {
                    done[event.index()] = true;
                    if !next.contains(&event) {
                        path.push(event);
                    }
                    continue;
                }
                stack.push((event, true));
                let before = trace.position(event).checked_sub(1).map(|i| trace.chain(trace.process(event))[i]);
                stack.extend(trace.causes(event).iter().copied().chain(before).map(|cause| (cause, false)));
            }
        }
        path
    }
}

/// `a, b and c`, or the first of many.
fn listed(names: &[impl AsRef<str>], most: usize, word: &str) -> String {
    let mut all: Vec<String> = names.iter().take(most).map(|name| name.as_ref().to_owned()).collect();
    if names.len() > most {
        all.push(format!("{} more", grouped((names.len() - most) as u64)));
    }
    match all.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} {word} {last}", rest.join(", ")),
        _ => all.concat(),
    }
}
