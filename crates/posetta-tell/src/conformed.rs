//! Whether some order of a run follows a system of components, and how it is said.
//!
//! [`Followed`] refers to no trace any more, so that a run's memory is free as soon as it is known.

use std::collections::{BTreeMap, BTreeSet};

use posetta_base::{ComponentId, Diagnostic, EventId, Kind, OverBudget};
use posetta_check::Observed;
use posetta_model::system::{Behaviour, Move, System};
use posetta_trace::Trace;
use posetta_verify::system::{ActionNames, Conformance, Frontier, Outcome, Refusal};
use serde_json::{Value, json};

use crate::amounts::{counted, grouped};
use crate::checked::Shape;
use crate::json;
use crate::report::{Answer, Block, When};
use crate::story::Story;
use crate::text;
use crate::word::Word;

/// So many cuts that no order goes beyond are told to people.
const TOLD: usize = 3;
/// So many events that could come next are told of each.
const NEXT: usize = 8;
/// The most names in one warning.
const NAMES: usize = 12;

/// What came of holding a run against a system.
#[derive(Debug)]
pub struct Followed {
    /// The verdict.
    pub word: Word,
    /// The limit that left it open.
    pub over: Option<OverBudget>,
    /// Whether the recorded order follows the system.
    pub observed: Option<Observed>,
    /// An order that follows the system, for programs.
    pub witness: Option<Vec<String>>,
    /// What the system does meanwhile, with what is not seen.
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
    /// What is worth knowing.
    pub warnings: Vec<Diagnostic>,
    /// How long it took.
    pub seconds: f64,
    /// It does not follow, and somebody has said that this is known.
    pub known: bool,
}

/// A cut that no order goes beyond.
#[derive(Debug)]
pub struct Front {
    /// The labels of the steps so far.
    pub taken: Vec<String>,
    /// What could come next.
    pub refused: Vec<Refused>,
}

/// What could come next, and who refuses it.
#[derive(Debug)]
pub struct Refused {
    /// The label of the event.
    pub event: String,
    /// What it stands for.
    pub action: String,
    /// The components that refuse it; none if it is possible for each but not for all at once.
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
    #[must_use]
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
            known: false,
        }
    }

    /// What was found. What shows it is kept as `witness` says: for people, with so many columns for lanes, and for programs.
    #[must_use]
    pub fn new(
        system: &System,
        trace: &Trace,
        found: &Conformance,
        (people, programs): (Option<usize>, bool),
        witness: When,
        seconds: f64,
    ) -> Self {
        let teller = Teller::new(system, trace);
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
            seconds,
            known: false,
        };
        match &found.outcome {
            Outcome::Follows { order, run } => {
                // The recorded order is tried first, so it follows the system exactly if its steps are those that were found.
                followed.observed = trace.observed().map(|observed| {
                    if teller.steps(observed).eq(teller.steps(order)) { Observed::Holds } else { Observed::Violated }
                });
                if let (When::Always, Some(room)) = (witness, people) {
                    followed.order = Some(Story::following(trace, order, &|e| teller.is_step(e), room));
                }
                if witness == When::Always && programs {
                    followed.witness = Some(teller.labels(order));
                    let name = |step: &Move| system.action(step.action).name.to_string();
                    followed.actions = Some(run.steps.iter().map(name).collect());
                }
            }
            Outcome::Strays(frontiers) => {
                followed.word = Word::Violated;
                followed.observed = trace.observed().map(|_| Observed::Violated);
                if let Some(room) = people.filter(|_| witness != When::Never) {
                    followed.stops = teller.stops(frontiers, room);
                }
                if programs && witness != When::Never {
                    followed.frontiers = Some(frontiers.iter().map(|f| teller.front(f)).collect());
                }
            }
        }
        followed
    }

    /// As people read it: `name` is what the question is called; with `stats`, what it took.
    #[must_use]
    pub fn answer(&self, name: &str, stats: bool) -> Answer<'_> {
        let mut answer = Answer::new(name, self.word, self.sentence());
        answer.is_named = true;
        answer.seconds = Some(self.seconds);
        if stats {
            answer.costs.push(self.cost());
        }
        if self.known {
            answer.known = true;
            answer.sentence = format!("known: {}", answer.sentence);
            return answer;
        }
        if let Some(story) = &self.order {
            let what = if story.recorded { "The recorded order" } else { "An order" };
            answer.blocks.push(Block::Order { heading: format!("{what} follows the model"), story, more: 0 });
        }
        let stops = &self.stops;
        if let Some(story) = &stops.first {
            let of = format!("{} of {}", grouped(stops.taken as u64), counted(self.steps as u64, "step", "steps"));
            let heading = format!("As far as an order can follow the model, {of}");
            answer.blocks.push(Block::Order { heading, story, more: stops.first_more });
            answer.blocks.extend(stops.others.iter().map(Stop::block));
            if stops.more > 0 {
                let more =
                    counted(stops.more as u64, "more such place; --json has it", "more such places; --json has them");
                answer.blocks.push(Block::Sentence(format!("and {more}")));
            }
        }
        answer
    }

    /// The verdict in words.
    fn sentence(&self) -> String {
        match (self.word, self.observed) {
            (Word::Holds, _) if self.steps == 0 => {
                "holds, but says nothing: no event stands for an action of the model".to_owned()
            }
            (Word::Holds, Some(Observed::Holds)) => "holds: the recorded order follows the model".to_owned(),
            (Word::Holds, Some(Observed::Violated)) => {
                "holds: some order of the run follows the model; the recorded order does not".to_owned()
            }
            (Word::Holds, None) => "holds: some order of the run follows the model".to_owned(),
            (Word::Violated, _) => "violated: no order of the run follows the model".to_owned(),
            (Word::Unknown, _) => self.over.map_or_else(|| "unknown".to_owned(), text::open),
        }
    }

    fn cost(&self) -> String {
        let mut parts = vec!["model engine".to_owned()];
        if self.word != Word::Unknown {
            let pairs = counted(self.pairs, "pair of a cut and a meta-state", "pairs of a cut and a meta-state");
            parts.extend([counted(self.steps as u64, "step", "steps"), pairs]);
        }
        parts.push(format!("{:.3} s", self.seconds));
        parts.join(", ")
    }

    /// As an entry of `results`: the fields of other results, of which many have no meaning here, and the cuts that no order goes
    /// beyond. `run` is the name of the run, `name` that of the question; `warnings` are those about both and about the answer.
    #[must_use]
    pub fn to_json(&self, run: &str, shape: Option<Shape>, name: &str, warnings: Vec<Value>) -> Value {
        let decided = self.word != Word::Unknown;
        let mut object = json!({
            "trace": run,
            "property": name,
            "logic": "model",
            "over": null,
            "formula": null,
            "verdict": self.word.text(),
            "runs": null,
            "observed": self.observed.map(json::observed),
            "orders": shape.map(Shape::orders),
            "witness": self.witness,
            "actions": self.actions,
            "frontiers": self.frontiers.as_ref().map(|all| all.iter().map(Front::to_json).collect::<Vec<_>>()),
            "proof": null,
            "cuts": null,
            "counts": null,
            "why": null,
            "parts": null,
            "limit": self.over.map(|over| json::limit(over, self.pairs)),
            "warnings": warnings,
            "stats": {
                "engine": "model",
                "pairs": decided.then_some(self.pairs),
                "steps": decided.then_some(self.steps),
                "events": shape.map(|s| s.events),
                "seconds": json::seconds(self.seconds),
            },
        });
        if self.known {
            object["known"] = true.into();
        }
        object
    }
}

impl Stop {
    /// Another cut that no order goes beyond.
    fn block<'a>(&self) -> Block<'a> {
        let after = match self.after.is_empty() {
            true => "at the start".to_owned(),
            false => format!("after {}", self.after.join(", ")),
        };
        Block::Refused { heading: format!("Or {after}"), rows: self.next.clone(), more: self.more }
    }
}

impl Front {
    fn to_json(&self) -> Value {
        let refused = |r: &Refused| json!({ "event": r.event, "action": r.action, "by": r.by });
        json!({ "taken": self.taken, "refused": self.refused.iter().map(refused).collect::<Vec<_>>() })
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
        let component = |&c: &ComponentId| self.system.component(c).name.to_string();
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
        let refuses = |(&c, at): (&ComponentId, &Option<Vec<u32>>)| {
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

#[cfg(test)]
mod tests {
    use posetta_base::{Budget, Limit};
    use posetta_model::sys;
    use posetta_verify::system::conform;

    use super::*;
    use crate::paint::Paint;
    use crate::report::{Report, Subject, Title};

    const MODEL: &str = "component Box { lts { init empty; empty -put-> full; full -get-> empty } }\n";
    const RUN: &str = "P: put -> put\nQ: get -> idle\nP.2 -> Q.1\n";

    fn followed(people: Option<usize>) -> (Followed, Shape) {
        let system = sys::read("m.sys", MODEL, None, &mut |_, _| Err("no".into())).expect("a system");
        let budget = Budget::unlimited();
        let trace = posetta_formats::text::read(RUN.as_bytes(), &budget).expect("a run");
        let found = conform(&system, &trace, &budget).expect("an answer");
        (Followed::new(&system, &trace, &found, (people, people.is_none()), When::Auto, 0.5), Shape::of(&trace))
    }

    fn shown(followed: &Followed) -> String {
        let mut subject = Subject::new(Title::Name("run".to_owned()), Vec::new());
        subject.answers.push(followed.answer("follows m.sys", false));
        text::report(&Report { subjects: vec![subject], ..Report::default() }, Paint::plain())
    }

    #[test]
    fn how_far_an_order_can_go() {
        let (followed, _) = followed(Some(40));
        assert_eq!(
            shown(&followed),
            "run
  ✗ follows m.sys  violated: no order of the run follows the model

    As far as an order can follow the model, 1 of 3 steps:

      1  P.1  put  line 1
      ═  ✗ here the model goes no further
         P.2  put  line 1  ✗ refused by Box (full)
      ⋮  2 more events have not happened
"
        );
    }

    #[test]
    fn the_same_for_programs() {
        let (followed, shape) = followed(None);
        assert_eq!(
            followed.to_json("run", Some(shape), "follows m.sys", Vec::new()).to_string(),
            concat!(
                r#"{"trace":"run","property":"follows m.sys","logic":"model","over":null,"formula":null,"verdict":"violated","#,
                r#""runs":null,"observed":null,"orders":"many","witness":null,"actions":null,"#,
                r#""frontiers":[{"taken":["P.1"],"refused":[{"event":"P.2","action":"put","by":["Box"]}]}],"proof":null,"#,
                r#""cuts":null,"counts":null,"why":null,"parts":null,"limit":null,"warnings":[],"#,
                r#""stats":{"engine":"model","pairs":2,"steps":3,"events":4,"seconds":0.5}}"#
            )
        );
    }

    #[test]
    fn a_limit_leaves_it_open() {
        let over = OverBudget::new("following the model", Limit::Time);
        let followed = Followed::unknown(over, 7, 0.5);
        assert_eq!(
            shown(&followed),
            "run\n  ? follows m.sys\n    unknown: the time limit was reached while following the model (more time: --timeout)\n"
        );
        assert_eq!(
            followed.to_json("run", None, "follows m.sys", Vec::new()).to_string(),
            concat!(
                r#"{"trace":"run","property":"follows m.sys","logic":"model","over":null,"formula":null,"verdict":"unknown","#,
                r#""runs":null,"observed":null,"orders":null,"witness":null,"actions":null,"frontiers":null,"proof":null,"#,
                r#""cuts":null,"counts":null,"why":null,"parts":null,"#,
                r#""limit":{"reached":"time","while":"following the model","explored":7},"warnings":[],"#,
                r#""stats":{"engine":"model","pairs":null,"steps":null,"events":null,"seconds":0.5}}"#
            )
        );
    }
}
