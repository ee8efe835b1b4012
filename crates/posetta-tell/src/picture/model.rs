//! Counterexamples of a model as a picture: lanes are components, and a step is an event on the lanes of all that take part in it.
//!
//! A picture of a run has one run, and orders of it. Here every answer has a run of its own, which begins in a state of its own: its `order`
//! lists its events, and no other answer has them.

use std::collections::HashMap;

use posetta_base::{Interner, Symbol};
use posetta_check::Moment;
use posetta_model::fds::Trail;
use posetta_model::system::{Behaviour, End, Run, Slots, System};
use serde_json::{Value, json};

use super::{Course, Parts, Shown, Text};
use crate::json::Schema;
use crate::report::{Answer, Subject};
use crate::steps;
use crate::trail::Column;

/// The lane of what belongs to no component.
const MAIN: &str = "main";

/// Names and values, in turn.
type Pairs = Vec<(String, String)>;

/// What takes place between two states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// What it is called, if it is an action.
    pub name: Option<String>,
    /// The state that it leads to, or its number.
    pub id: String,
    /// Who takes part: places among the lanes, at least one.
    pub lanes: Vec<u32>,
    /// What is another value then.
    pub sets: Pairs,
    /// What was chosen from outside.
    pub inputs: Pairs,
}

/// A run that shows an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// The values in the first state.
    pub initial: Pairs,
    /// The steps.
    pub steps: Vec<Step>,
    /// It goes on forever with the steps behind this one.
    pub cycle: Option<usize>,
    /// After so many steps the answer shows.
    pub moment: Option<usize>,
    /// What is to be said there.
    pub note: String,
    /// The steps that the property speaks of, if there are others.
    pub mentions: Vec<usize>,
    /// The truth of the property's parts after each step.
    pub parts: Option<Parts>,
}

/// A model and what became of its properties.
#[derive(Debug, Default)]
pub struct Model {
    /// What it is called.
    pub title: String,
    /// How large it is.
    pub facts: Vec<String>,
    /// The components.
    pub lanes: Vec<String>,
    /// Each answer, and the run that shows it.
    pub answers: Vec<(Shown, Option<Walk>)>,
}

impl Model {
    /// A model with these components, without answers.
    #[must_use]
    pub fn new(subject: &Subject<'_>, lanes: Vec<String>) -> Self {
        Self { title: subject.title.text(), facts: subject.facts.clone(), lanes, answers: Vec::new() }
    }

    /// Adds an answer and the run that shows it.
    pub fn add(&mut self, answer: &Answer<'_>, logic: &str, formula: &str, walk: Option<Walk>) {
        let shown = Shown::of(answer, [answer.name.clone(), logic.to_owned(), formula.to_owned()]);
        self.answers.push((shown, walk));
    }

    /// The whole picture on one line: `posetta-show/1`, as docs/schema/show.json describes it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut texts = Texts(Interner::new());
        let lanes: Vec<Value> =
            self.lanes.iter().map(|name| json!({ "name": texts.put(name), "group": null, "chains": 1 })).collect();
        let all = || self.answers.iter().filter_map(|(_, walk)| walk.as_ref()).flat_map(|walk| &walk.steps);
        let mut first = 0_u32;
        let mut results = Vec::new();
        let mut initial = Vec::new();
        for (shown, walk) in &self.answers {
            let course = walk.as_ref().map(|walk| {
                let last = first + walk.steps.len() as u32;
                let order = (first..last).collect();
                first = last;
                let begin = last - walk.steps.len() as u32;
                Course {
                    order: Some(order),
                    moment: walk.moment.map(Moment::At),
                    note: walk.note.clone(),
                    cycle: walk.cycle,
                    mentions: walk.mentions.iter().map(|&step| begin + step as u32).collect(),
                    parts: walk.parts.clone(),
                    ..Course::default()
                }
            });
            results.push(shown.to_json_with(course.as_ref()));
            initial.push(texts.pairs(walk.as_ref().map_or(&[], |walk| &walk.initial)));
        }
        let id: Vec<usize> = all().map(|step| texts.put(&step.id)).collect();
        let name: Vec<Value> =
            all().map(|step| step.name.as_ref().map_or(json!(-1), |name| json!(texts.put(name)))).collect();
        let sets: Vec<Value> = all().map(|step| texts.pairs(&step.sets)).collect();
        let has_inputs = all().any(|step| !step.inputs.is_empty());
        let about: Option<Vec<Value>> = has_inputs.then(|| all().map(|step| texts.pairs(&step.inputs)).collect());
        Schema::Show.object(json!({
            "title": self.title,
            "kind": "model",
            "orders": "one",
            "facts": self.facts,
            "strings": texts.all(),
            "lanes": lanes,
            "events": {
                "lane": all().map(|step| step.lanes.first().copied().unwrap_or(0)).collect::<Vec<u32>>(),
                "also": all().map(|step| step.lanes.get(1..).unwrap_or_default().to_vec()).collect::<Vec<Vec<u32>>>(),
                "chain": null,
                "id": id,
                "name": name,
                "line": all().map(|_| 0).collect::<Vec<u64>>(),
                "file": null,
                "time": null,
                "sets": sets,
                "about": about,
            },
            "edges": { "from": [], "to": [], "reason": [] },
            "reasons": [],
            "order": (0..first).collect::<Vec<u32>>(),
            "recorded": false,
            "initial": initial,
            "time_unit": null,
            "results": results,
            "wave": null,
        }))
    }
}

/// Texts, each once, by number.
struct Texts(Interner);

impl Texts {
    fn put(&mut self, text: &str) -> usize {
        self.0.intern(text).map_or(0, Symbol::index)
    }

    fn pairs(&mut self, pairs: &[(String, String)]) -> Value {
        pairs.iter().flat_map(|(name, value)| [self.put(name), self.put(value)]).collect()
    }

    fn all(&self) -> Vec<&str> {
        let text = |text: Text| self.0.resolve(text);
        (0..self.0.len()).filter_map(Symbol::new).map(text).collect()
    }
}

impl Walk {
    /// A run of a system of components.
    #[must_use]
    pub fn of_run(system: &System, run: &Run) -> Self {
        let names = steps::slot_names(system);
        let slots = Slots::new(system);
        // Of each slot: the transition system whose states it counts; `None` for tokens.
        let mut lts = Vec::with_capacity(names.len());
        for component in &system.components {
            match &component.behaviour {
                Behaviour::Lts(own) => lts.push(Some(own)),
                Behaviour::Net(net) => lts.extend(net.places.iter().map(|_| None)),
            }
        }
        let value =
            |slot: usize, n: u32| lts[slot].map_or_else(|| n.to_string(), |lts| lts.states[n as usize].to_string());
        let start = system.initial();
        let mut walk = Self {
            initial: names.iter().cloned().zip(start.iter().enumerate().map(|(slot, &n)| value(slot, n))).collect(),
            ..Self::default()
        };
        steps::walk(system, run, |i, step, before, after| {
            let parts = &system.action(step.action).parts;
            let changed = parts.iter().flat_map(|&part| slots.of(part)).filter(|&slot| before[slot] != after[slot]);
            let sets = changed.map(|slot| (names[slot].clone(), value(slot, after[slot]))).collect();
            walk.steps.push(Step {
                name: Some(system.action(step.action).name.to_string()),
                id: format!("step {}", i + 1),
                lanes: parts.iter().map(|part| part.index() as u32).collect(),
                sets,
                inputs: Vec::new(),
            });
        });
        match run.end {
            End::Cycle(to) => walk.cycle = Some(to),
            End::Dead | End::Open => walk.moment = Some(walk.steps.len()),
        }
        walk
    }

    /// A computation of a fair discrete system, with the lanes of its variables. Where it goes round, the step back is one of its steps.
    #[must_use]
    pub fn of_trail(trail: &Trail, columns: &[Column], lanes: &Instances) -> Self {
        let seen = || columns.iter().enumerate().filter(|(_, column)| !column.input);
        let pair = |(i, column): (usize, &Column), state: &[posetta_model::fds::Value]| {
            (column.name.clone(), state[i].to_string())
        };
        let mut walk = Self::default();
        let Some(first) = trail.states.first() else { return walk };
        walk.initial = seen().map(|column| pair(column, first)).collect();
        let back = trail.cycle.and_then(|to| trail.states.get(to).map(|state| (format!("state {to} again"), state)));
        let next = trail.states.iter().enumerate().skip(1).map(|(i, state)| (format!("state {i}"), state)).chain(back);
        for ((id, after), before) in next.zip(&trail.states) {
            let changed: Vec<(usize, &Column)> = seen().filter(|(i, _)| before[*i] != after[*i]).collect();
            let mut own: Vec<u32> = changed.iter().map(|(i, _)| lanes.of[*i]).collect();
            own.sort_unstable();
            own.dedup();
            if own.is_empty() {
                own.push(0);
            }
            let inputs = columns.iter().enumerate().filter(|(_, column)| column.input);
            walk.steps.push(Step {
                name: None,
                id,
                lanes: own,
                sets: changed.into_iter().map(|column| pair(column, after)).collect(),
                inputs: inputs.map(|column| pair(column, before)).collect(),
            });
        }
        match trail.cycle {
            Some(to) => walk.cycle = Some(to),
            None => walk.moment = Some(walk.steps.len()),
        }
        walk
    }
}

/// The instances of modules that variables belong to, as lanes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instances {
    /// What they are called.
    pub names: Vec<String>,
    /// The lane of each variable.
    of: Vec<u32>,
}

impl Instances {
    /// By the first part of the names of variables.
    #[must_use]
    pub fn new(columns: &[Column]) -> Self {
        let mut all = Self::default();
        let mut known: HashMap<&str, u32> = HashMap::new();
        for column in columns {
            let name = column.name.split_once('.').map_or(MAIN, |(instance, _)| instance);
            let lane = *known.entry(name).or_insert_with(|| {
                all.names.push(name.to_owned());
                all.names.len() as u32 - 1
            });
            all.of.push(lane);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use posetta_model::fds::Value as Worth;
    use posetta_model::sys;

    use super::*;
    use crate::report::Title;
    use crate::word::Word;

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn a_step_of_several_components_lies_on_all_of_their_lanes() {
        let text = "component A { lts { init a; a -both-> b; b -own-> a } }\ncomponent B { lts { init c; c -both-> d; d -other-> c } }\nsystem S = A || B\n";
        let system = sys::read("m.sys", text, None, &mut |_, _| Err("no".into())).expect("a system");
        let slots = Slots::new(&system);
        let mut run = Run { steps: Vec::new(), end: End::Cycle(1) };
        let mut state = system.initial();
        for wanted in ["both", "own", "other", "both"] {
            let mut moves = system.moves(&slots, &state).into_iter();
            let found = moves.find(|(step, _)| &*system.action(step.action).name == wanted).expect("it can take place");
            state = found.1.expect("a state");
            run.steps.push(found.0);
        }
        let walk = Walk::of_run(&system, &run);
        assert_eq!(walk.initial, [pair("A", "a"), pair("B", "c")]);
        assert_eq!(walk.steps[0].lanes, [0, 1]);
        assert_eq!(walk.steps[0].sets, [pair("A", "b"), pair("B", "d")]);
        assert_eq!((&walk.steps[2].name, &walk.steps[2].lanes[..]), (&Some("other".to_owned()), &[1][..]));
        assert_eq!((walk.cycle, walk.moment), (Some(1), None));
    }

    #[test]
    fn states_of_instances_and_the_way_back() {
        let column = |name: &str, input| Column { name: name.to_owned(), input };
        let columns = [column("turn", false), column("p.state", false), column("p.go", true), column("q.state", false)];
        let lanes = Instances::new(&columns);
        assert_eq!(lanes.names, ["main", "p", "q"]);
        let state = |turn, p, go, q| vec![Worth::Int(turn), Worth::Int(p), Worth::Bool(go), Worth::Int(q)];
        let states = vec![state(0, 0, true, 0), state(0, 1, false, 0), state(1, 1, false, 1)];
        let walk = Walk::of_trail(&Trail { states: states.clone(), cycle: Some(1) }, &columns, &lanes);
        let told: Vec<(&str, &[u32])> = walk.steps.iter().map(|step| (step.id.as_str(), &step.lanes[..])).collect();
        assert_eq!(told, [("state 1", &[1][..]), ("state 2", &[0, 2]), ("state 1 again", &[0, 2])]);
        assert_eq!(walk.steps[0].inputs, [pair("p.go", "TRUE")]);
        assert_eq!((walk.cycle, walk.moment), (Some(1), None));
        let walk = Walk::of_trail(&Trail { states, cycle: None }, &columns, &lanes);
        assert_eq!((walk.steps.len(), walk.cycle, walk.moment), (2, None, Some(2)));
        assert_eq!(walk.initial.len(), 3, "inputs belong to steps");
    }

    #[test]
    fn every_answer_has_events_of_its_own() {
        let subject = Subject::new(Title::Name("m.sys".to_owned()), vec!["2 components".to_owned()]);
        let mut model = Model::new(&subject, vec!["A".to_owned(), "B".to_owned()]);
        let step =
            |name: &str, lanes: &[u32]| Step { name: Some(name.to_owned()), lanes: lanes.to_vec(), ..Step::default() };
        let walk = |names: &[&str]| Walk {
            initial: vec![pair("A", names[0])],
            steps: names.iter().map(|name| step(name, &[1, 0])).collect(),
            ..Walk::default()
        };
        model.add(&Answer::new("p", Word::Violated, "violated: it is"), "ltl", "G x", Some(walk(&["a", "b"])));
        model.add(&Answer::new("q", Word::Holds, "holds"), "ltl", "G y", None);
        model.add(&Answer::new("r", Word::Violated, "violated"), "ltl", "G z", Some(walk(&["c"])));
        let json: Value = serde_json::from_str(&model.to_json()).expect("JSON");
        let orders: Vec<&Value> = json["results"].as_array().expect("a list").iter().map(|one| &one["order"]).collect();
        assert_eq!(orders, [&json!([0, 1]), &Value::Null, &json!([2])]);
        assert_eq!(json["events"]["also"], json!([[0], [0], [0]]));
        assert_eq!(json["initial"].as_array().map(Vec::len), Some(3));
        assert_eq!(json["results"][0]["sentence"], json!("it is"));
    }
}
