//! A picture for the viewer: `posetta-show/1`, as docs/schema/show.json describes it.

use posetta_base::{Interner, Symbol};
use posetta_check::Moment;
use posetta_trace::Reason;
use serde_json::{Map, Value, json};

use super::{Course, Kind, Parts, Picture, Shown, Text, Wave};
use crate::json::Schema;
use crate::svg::{Graph, Look, State};

impl Picture {
    /// The whole picture on one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut more = MoreTexts { first: self.strings.len(), texts: Interner::new() };
        let reasons: Vec<Value> = self.reasons.iter().map(|&reason| more.reason(reason)).collect();
        let wave = self.wave.as_ref().map(|wave| more.wave(wave));
        let events = &self.events;
        let strings: Vec<Value> = each(&self.strings).chain(each(&more.texts)).map(Value::from).collect();
        let flat = |all: &Vec<Vec<Text>>| all.iter().map(|pairs| texts(pairs)).collect::<Vec<Value>>();
        Schema::Show.object(json!({
            "title": self.title,
            "kind": self.kind.word(),
            "orders": self.shape.orders(),
            "facts": self.shape.facts(),
            "strings": strings,
            "lanes": self.lanes.iter().map(|lane| {
                json!({ "name": lane.name.index(), "group": lane.group.map(Symbol::index), "chains": lane.chains })
            }).collect::<Vec<Value>>(),
            "events": {
                "lane": events.lane,
                "also": null,
                "chain": events.chain,
                "id": texts(&events.id),
                "name": events.name.iter().map(|name| name.map_or(json!(-1), |name| name.index().into())).collect::<Vec<Value>>(),
                "line": events.line,
                "file": events.file.as_deref().map(texts),
                "time": events.time,
                "sets": flat(&events.sets),
                "about": events.about.as_ref().map(flat),
            },
            "edges": {
                "from": self.edges.iter().map(|edge| edge.from).collect::<Vec<u32>>(),
                "to": self.edges.iter().map(|edge| edge.to).collect::<Vec<u32>>(),
                "reason": self.edges.iter().map(|edge| edge.reason).collect::<Vec<u32>>(),
            },
            "reasons": reasons,
            "order": self.order,
            "recorded": self.recorded,
            "initial": [texts(&self.initial)],
            "time_unit": self.time_unit,
            "results": self.results.iter().map(|shown| shown.to_json_with(shown.course.as_ref())).collect::<Vec<Value>>(),
            "wave": wave,
        }))
    }
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Waveform => "waveform",
        }
    }
}

/// All texts, in the order of their numbers.
fn each(texts: &Interner) -> impl Iterator<Item = &str> {
    (0..texts.len()).filter_map(Symbol::new).map(|symbol| texts.resolve(symbol))
}

fn texts(all: &[Text]) -> Value {
    all.iter().map(|text| text.index()).collect()
}

/// Texts that are no part of the run, numbered behind those that are.
struct MoreTexts {
    first: usize,
    texts: Interner,
}

impl MoreTexts {
    fn put(&mut self, text: &str) -> usize {
        self.first + self.texts.intern(text).map_or(0, Symbol::index)
    }

    fn reason(&mut self, reason: Reason) -> Value {
        json!({ "name": self.put(reason.word()), "assumed": reason.is_assumed(), "text": self.put(meaning(reason)) })
    }

    fn wave(&mut self, wave: &Wave) -> Value {
        let mut signals = Vec::new();
        for signal in &wave.signals {
            let name = self.put(&signal.name);
            let values = signal.changes.iter().flat_map(|(at, value)| [*at as usize, self.put(value)]);
            let values: Vec<usize> = values.collect();
            signals.push(json!({ "name": name, "values": values }));
        }
        // The start has none.
        let times: Option<Vec<Option<f64>>> =
            wave.times.as_ref().map(|times| times.iter().map(|time| time.parse().ok()).collect());
        json!({ "signals": signals, "positions": wave.positions, "times": times, "unit": null })
    }
}

/// A monitor, which whoever draws it lays out.
fn graph(graph: &Graph) -> Value {
    let state = |(i, state): (usize, &State)| {
        let verdict = match state.look {
            Look::Open => "open",
            Look::Holds => "holds",
            Look::Violated | Look::Failing => "violated",
        };
        json!({ "name": state.name, "verdict": verdict, "initial": graph.initial.contains(&i) })
    };
    let arc = |(from, to, guard): &(usize, usize, String)| json!({ "from": from, "to": to, "guard": guard });
    json!({
        "states": graph.states.iter().enumerate().map(state).collect::<Vec<Value>>(),
        "arcs": graph.arcs.iter().map(arc).collect::<Vec<Value>>(),
    })
}

/// What an edge of a reason says.
pub(crate) fn meaning(reason: Reason) -> &'static str {
    match reason {
        Reason::Stated => "the file says that one came before the other",
        Reason::Message => "a message was received after it was sent",
        Reason::Content => "a message was received after it was sent; its content tells which",
        Reason::Parent => "a span begins after the one that caused it",
        Reason::Call => "a server begins after its client, and its client ends after it",
        Reason::Link => "a span goes on from another one",
        Reason::Clock => "a vector clock counts the event",
        Reason::Lock => "a lock was taken after it was released",
        Reason::Shared => "a value was read after it was written",
        Reason::Nesting => "assumed: a span ends after the spans inside of it",
        Reason::Segment => "assumed: the clock of a chain of local calls does not run backwards",
        Reason::Instance => "assumed: the clock of an instance does not run backwards",
        Reason::Host => "assumed: the clock of a host does not run backwards",
        Reason::Skew => "assumed: wall clocks are not further apart than --skew says",
        _ => reason.word(),
    }
}

impl Shown {
    pub(super) fn to_json_with(&self, course: Option<&Course>) -> Value {
        let [property, logic, formula] = &self.property;
        let head = json!({
            "property": property,
            "logic": logic,
            "formula": formula,
            "verdict": self.word.text(),
            "word": self.word.text(),
            "sentence": self.sentence,
            "story": self.story,
            "heading": self.heading.as_deref().unwrap_or_default(),
        });
        let rest = json!({
            "automaton": self.automaton.as_ref().map(graph),
            "relies_on": self.relies_on,
            "warnings": self.warnings,
        });
        let course = course.map_or_else(|| Course::default().to_json(), Course::to_json);
        let objects = [head, course, rest].into_iter().filter_map(|value| match value {
            Value::Object(fields) => Some(fields),
            _ => None,
        });
        Value::Object(objects.flatten().collect::<Map<String, Value>>())
    }
}

impl Course {
    fn to_json(&self) -> Value {
        json!({
            "order": self.order,
            "moment": self.moment.map(|moment| match moment {
                Moment::At(place) => json!({ "at": place }),
                Moment::Waits(place) => json!({ "waits": place }),
            }),
            "cycle": self.cycle,
            "note": self.note,
            "moved": { "earlier": self.earlier, "later": self.later },
            "swapped": self.swapped,
            "missing": self.missing,
            "cut": self.cut,
            "mentions": self.mentions,
            "parts": self.parts.as_ref().map(Parts::to_json),
            "recorded_parts": self.recorded_parts.as_ref().map(Parts::to_json),
        })
    }
}

impl Parts {
    fn to_json(&self) -> Value {
        let formula = |part: &posetta_logic::eval::parts::Part| json!({ "text": part.formula, "depth": part.depth });
        let changes = |part: &posetta_logic::eval::parts::Part| -> Vec<i64> {
            let change = |&(from, value): &(u32, Option<bool>)| {
                [i64::from(from) + self.first as i64, value.map_or(-1, i64::from)]
            };
            part.changes.iter().flat_map(change).collect()
        };
        json!({
            "formulas": self.parts.iter().map(formula).collect::<Vec<Value>>(),
            "first": self.first,
            "changes": self.parts.iter().map(changes).collect::<Vec<Vec<i64>>>(),
        })
    }
}
