//! What became of one property on one run, and how it is said.
//!
//! Nothing here refers to a trace any more, so that a run's memory is free as soon as its properties are decided.

use posetta_base::{Diagnostic, EventId, OverBudget, Value as Worth, When};
use posetta_check::{Explanation, Instances, Observed, Reliance, Runs, Stats};
use posetta_logic::Domain;
use posetta_trace::{Missing, Reason, Trace};
use serde_json::{Value, json};

use crate::amounts::{counted, grouped};
use crate::counts::{Count, Counts};
use crate::explanation::Words;
use crate::json;
use crate::named::Named;
use crate::paint::{clean, short};
use crate::picture::Pictured;
use crate::proof::Tree;
use crate::report::{Answer, Block, Said};
use crate::story::Story;
use crate::subformulas::{self, Subformulas};
use crate::text::advice;
use crate::word::Word;

/// How large a run is.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// How many processes it has.
    pub processes: usize,
    /// How many events.
    pub events: usize,
    /// The format has no other order than the recorded one: its records are states.
    pub one_order: bool,
}

impl Shape {
    /// The size of a run.
    #[must_use]
    pub fn of(trace: &Trace) -> Self {
        Self { processes: trace.process_count(), events: trace.len(), one_order: trace.has_state_records() }
    }

    /// How many orders there may be, for programs.
    #[must_use]
    pub fn orders(self) -> &'static str {
        if self.one_order { "one" } else { "many" }
    }

    /// The same for people. The first of a sequence of states is where it starts, the others are events.
    #[must_use]
    pub fn facts(self) -> Vec<String> {
        let events = self.events as u64;
        if self.one_order {
            return vec![format!("{} in one order", counted(events.saturating_add(1), "state", "states"))];
        }
        vec![counted(self.processes as u64, "process", "processes"), counted(events, "event", "events")]
    }
}

/// An [`Explanation`] in the labels of events.
#[derive(Debug)]
pub struct Why {
    /// How many adjacent swaps the failing order is away from the recorded one.
    pub exchanges: u64,
    /// No failing order is closer.
    pub closest: bool,
    /// The two events whose swap came last.
    pub swapped: Option<[String; 2]>,
    /// Edges that would rule the failure out, if they are known.
    pub missing_edges: Option<Vec<[String; 2]>>,
    /// No fewer edges would do.
    pub minimum: bool,
}

impl Why {
    /// With the labels of a run.
    #[must_use]
    pub fn new(trace: &Trace, why: &Explanation) -> Self {
        let labels = |&(a, b): &(EventId, EventId)| [trace.label(a), trace.label(b)];
        Self {
            exchanges: why.exchanges,
            closest: why.closest,
            swapped: why.swapped.as_ref().map(labels),
            missing_edges: why.missing_edges.as_ref().map(|edges| edges.iter().map(labels).collect()),
            minimum: why.minimum,
        }
    }
}

/// That one event of an order comes before another on another process, and why.
#[derive(Debug)]
pub struct Edge {
    /// The label of the cause.
    pub from: String,
    /// That of its effect.
    pub to: String,
    /// Why it is there.
    pub reason: Reason,
}

impl Edge {
    /// The edges among the events of an order, by their effects; `None` where the run gives no reasons.
    #[must_use]
    pub fn among(trace: &Trace, order: &[EventId]) -> Option<Vec<Self>> {
        if !trace.states_reasons() {
            return None;
        }
        // An order has the causes of each of its events.
        let of = |&to: &EventId| {
            let causes = trace.causes(to).iter().zip(trace.reasons(to));
            causes.map(move |(&from, reason)| Self { from: trace.label(from), to: trace.label(to), reason })
        };
        Some(order.iter().flat_map(of).collect())
    }
}

/// The answer for one property on one run. A call may have a million of them, most of which hold: what only some have is in a box.
#[derive(Debug)]
pub struct Outcome {
    /// The verdict.
    pub word: Word,
    /// The limit that left the verdict, or only `runs`, open.
    pub over: Option<OverBudget>,
    /// Which orders satisfy a linear property.
    pub runs: Option<Runs>,
    /// What the recorded order does.
    pub observed: Option<Observed>,
    /// Of a property with instances: what became of them.
    pub instances: Option<Box<Instances>>,
    /// The labels of the order that decides it, or of the path that shows it.
    pub witness: Option<Vec<String>>,
    /// The edges among its events, if the run says why they are there.
    pub edges: Option<Vec<Edge>>,
    /// The same for people.
    pub story: Option<Box<Story>>,
    /// What would have prevented the violation of a linear property.
    pub why: Option<Box<Why>>,
    /// Why a linear property is violated, for people.
    pub words: Option<Box<Words>>,
    /// Which parts of the property are true where, if somebody asked.
    pub trace: Option<Box<Result<Subformulas, OverBudget>>>,
    /// It would take every path to show the verdict, so there is nothing to tell.
    pub needs_every_path: bool,
    /// It is a whole order that shows the answer, not a place in it.
    pub to_the_end: bool,
    /// Why a CTL property has its value, where that is more than the path.
    pub tree: Option<Box<Tree>>,
    /// All of that for programs.
    pub proof: Option<serde_json::Value>,
    /// At how many cuts each part of a CTL property holds; no parts if nobody asked.
    pub counts: Counts,
    /// What the verdict rests on beside causes, if the run assumes anything.
    pub reliance: Option<Reliance>,
    /// Of a `cover` on a run with one order: how often it is met.
    pub met: Option<Met>,
    /// Of a linear property that a waveform violates: where that shows.
    pub fails: Option<Fails>,
    /// What the records lack that could change the verdict.
    pub incomplete: Vec<Missing>,
    /// What is worth knowing about the property on this run.
    pub warnings: Vec<Diagnostic>,
    /// What the answer took.
    pub stats: Stats,
    /// How long it took.
    pub seconds: f64,
    /// The verdict is known; how many orders satisfy the property is being looked for.
    pub unfinished: bool,
    /// It is known of every trigger whether it comes.
    pub looked: bool,
    /// It is violated, and somebody has said that this is known.
    pub known: bool,
    /// What pictures show beside the story, if somebody draws any.
    pub pictured: Option<Box<Pictured>>,
}

/// Where it shows that a waveform violates a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fails {
    /// Which position: 0 is before the first event, i is after the i-th.
    pub position: u64,
    /// When that is.
    pub when: When,
    /// From there on it waits for something that never comes.
    pub waits: bool,
}

impl Fails {
    fn sentence(&self) -> String {
        match self.waits {
            true => format!("violated: what it needs never comes; it waits since {}", self.when),
            false => format!("violated at {}", self.when),
        }
    }

    fn to_json(&self) -> Value {
        let mut object = json::when(&self.when);
        object["position"] = self.position.into();
        object["waits"] = self.waits.into();
        object
    }
}

/// How often what a `cover` asks for is met: at how many places a match ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Met {
    /// How many.
    pub times: u64,
    /// The first of them: 0 is before the first event, i is after the i-th.
    pub first: u64,
    /// Its line; 0 if it has none.
    pub line: u64,
    /// When it is, if the run is a waveform.
    pub when: Option<When>,
}

impl Outcome {
    /// A limit was reached before the engine could say anything.
    #[must_use]
    pub fn unknown(property: &Named, over: OverBudget, explored: u64, seconds: f64) -> Self {
        let linear = property.property.formula.view().is_some();
        Self {
            word: Word::Unknown,
            over: Some(over),
            runs: linear.then_some(Runs::Unknown),
            observed: None,
            instances: None,
            witness: None,
            edges: None,
            story: None,
            why: None,
            words: None,
            trace: None,
            needs_every_path: false,
            to_the_end: false,
            tree: None,
            proof: None,
            counts: Counts::default(),
            reliance: None,
            met: None,
            fails: None,
            incomplete: Vec::new(),
            warnings: Vec::new(),
            stats: Stats::default().configurations(explored),
            seconds,
            unfinished: false,
            looked: false,
            known: false,
            pictured: None,
        }
    }

    /// As people read it: with `stats`, what it cost.
    #[must_use]
    pub fn answer<'a>(&'a self, shape: Option<Shape>, property: &Named, stats: bool) -> Answer<'a> {
        let has_one_order = shape.is_some_and(|shape| shape.one_order);
        let mut answer = Answer::new(property.name.clone(), self.word, sentence(has_one_order, property, self));
        answer.is_named = property.has_name;
        answer.seconds = Some(self.seconds);
        answer.written = property.written();
        answer.remark = Said::of(property, self.word);
        if self.known {
            // Who knows it has seen what shows it; what is new should stand out.
            answer.known = true;
            answer.sentence = format!("known: {}", answer.sentence);
            if stats {
                answer.costs.push(cost(property, self));
            }
            return answer;
        }
        if property.name != property.formula && self.word != Word::Holds {
            answer.formula = Some([property.spelled_logic(), property.formula.clone()]);
        }
        if stats {
            answer.costs.push(cost(property, self));
        }
        let blocks = &mut answer.blocks;
        blocks.push(Block::Counts(&self.counts));
        if self.needs_every_path {
            let why = match self.word {
                Word::Holds => "No single order shows it: it is so in every order.",
                _ => "No single order shows it: it asks for an order that does not exist.",
            };
            blocks.push(Block::Aside(why.to_owned()));
        }
        if let Some(story) = &self.story {
            blocks.extend(self.words.as_deref().map(Block::Words));
            blocks.push(Block::Order { heading: self.heading(property, story), story, more: 0 });
        }
        blocks.extend(self.pictured.as_deref().map(Block::Picture));
        blocks.extend(self.tree.as_deref().map(Block::Proof));
        blocks.extend(self.trace.as_deref().map(|parts| match parts {
            Ok(parts) => Block::Parts(parts),
            Err(over) => {
                Block::Sentence(format!("Which parts are true where is not known: {over}{}", advice(over.limit)))
            }
        }));
        answer
    }

    /// What stands above the order.
    fn heading(&self, property: &Named, story: &Story) -> String {
        let linear = property.over().is_some();
        let (what, distance) = match &self.words {
            // That it fails has been said.
            Some(_) if story.recorded && self.runs == Some(Runs::Some) => ("The recorded order", None),
            Some(words) if linear && !story.recorded => (words.heading.as_str(), words.distance.as_deref()),
            _ if property.asks_for_some() && story.recorded => ("The recorded order satisfies it", None),
            _ if property.asks_for_some() => ("An order that satisfies it", None),
            _ => (subject(linear, self, story), None),
        };
        let of = match self.instances.as_ref().map(|all| (&all.shown, &all.shown_with)) {
            Some((Some(value), Some(with))) => format!(" (events of {})", shown_pair(value, with)),
            Some((Some(value), None)) => format!(" (events of {})", shown_value(value)),
            _ => String::new(),
        };
        format!("{what}{of}{}", distance.map_or(String::new(), |distance| format!(", {distance}")))
    }

    /// As an entry of `results`; `run` is the name of the run, `warnings` are those about it and about the property.
    #[must_use]
    pub fn to_json(&self, run: &str, shape: Option<Shape>, property: &Named, warnings: Vec<Value>) -> Value {
        let symbolic = matches!(self.stats.engine, "symbolic" | "paper");
        let explicit = matches!(self.stats.engine, "" | "explicit" | "por");
        let mut object = json!({
            "trace": run,
            "property": property.name,
            "logic": property.logic(),
            "over": property.over(),
            "formula": property.formula,
            "verdict": self.word.text(),
            "runs": self.runs.map(json::runs),
            "observed": self.observed.map(json::observed),
            "orders": shape.map(Shape::orders),
            "witness": self.witness,
            "proof": self.proof,
            "cuts": self.counts.all,
            "counts": counts(&self.counts),
            "why": self.why.as_deref().map(why),
            "parts": self.trace.as_deref().and_then(|parts| parts.as_ref().ok()).map(subformulas::to_json),
            "limit": self.over.map(|over| json::limit(over, self.stats.configurations)),
            "warnings": warnings,
            "stats": {
                "engine": Some(self.stats.engine).filter(|engine| !engine.is_empty()),
                "configurations": self.stats.configurations,
                "further_configurations": self.stats.further_configurations,
                "covered": symbolic.then_some(self.stats.covered),
                "nodes": Some(self.stats.nodes).filter(|&nodes| nodes > 0),
                "width": (!explicit).then_some(self.stats.width),
                "events": shape.map(|s| s.events),
                "relevant_events": shape.map(|_| self.stats.relevant_events),
                "seconds": json::seconds(self.seconds),
            },
        });
        if property.asks_for_some() {
            object["quantifier"] = "some".into();
        }
        if let Some(Met { times, first, line, when }) = &self.met {
            let line = Some(*line).filter(|&line| line > 0);
            object["met"] = json!({"times": times, "first": first, "line": line});
            if let Some(when) = when {
                object["met"]["at"] = json::when(when);
            }
        }
        if let Some(fails) = &self.fails {
            object["at"] = fails.to_json();
        }
        if let Some(each) = &property.property.each {
            object["foreach"] = each.to_string().into();
            object["instances"] = self.instances.as_deref().map_or(Value::Null, instances_json);
        }
        if let Some(edges) = &self.edges {
            let edge = |edge: &Edge| {
                let (reason, assumed) = (edge.reason.word(), edge.reason.is_assumed());
                json!({"from": edge.from, "to": edge.to, "reason": reason, "assumed": assumed})
            };
            object["edges"] = edges.iter().map(edge).collect();
        }
        // Only a run of telemetry assumes anything.
        if let Some(reliance) = &self.reliance {
            object["relies_on"] = words(&reliance.on);
            if !reliance.perhaps.is_empty() {
                object["may_rely_on"] = words(&reliance.perhaps);
            }
        }
        if let Some(remark) = &property.property.remark {
            if let Some(message) = &remark.message {
                object["report"] = message.as_str().into();
            }
            if let Some(severity) = remark.severity {
                object["severity"] = severity.word().into();
            }
        }
        if self.known {
            object["known"] = true.into();
        }
        if !self.incomplete.is_empty() {
            object["incomplete"] = self.incomplete.iter().map(|missing| missing.word()).collect();
        }
        object
    }
}

fn words(reasons: &[Reason]) -> Value {
    reasons.iter().map(|reason| reason.word()).collect()
}

/// What has to be true for an assumption, as a clause.
fn condition(reason: Reason) -> &'static str {
    match reason {
        Reason::Nesting => "each span ends after the spans inside of it",
        Reason::Segment => "the clock of a chain of local calls never runs backwards",
        Reason::Instance => "the clock of an instance never runs backwards",
        Reason::Host => "the clock of a host never runs backwards",
        Reason::Skew => "no two clocks are further apart than --skew says",
        _ => reason.word(),
    }
}

/// Under which conditions a verdict is what it is.
fn conditions(reliance: Option<&Reliance>) -> String {
    let Some(reliance) = reliance else { return String::new() };
    let clauses = |reasons: &[Reason]| reasons.iter().map(|&r| condition(r)).collect::<Vec<_>>().join(", and ");
    let on = if reliance.on.is_empty() { String::new() } else { format!(", if {}", clauses(&reliance.on)) };
    match reliance.perhaps.as_slice() {
        [] => on,
        perhaps => {
            format!("{on}; a limit was reached before it was known without the assumption that {}", clauses(perhaps))
        }
    }
}

/// What the order is that is shown.
fn subject(linear: bool, outcome: &Outcome, story: &Story) -> &'static str {
    match (linear, outcome.word) {
        (true, _) if story.recorded => "The recorded order fails",
        (true, _) => "An order that fails",
        (false, Word::Holds) if outcome.tree.is_some() => "A path that shows it, explained below",
        (false, _) if outcome.tree.is_some() => "A path that shows why it fails, explained below",
        (false, Word::Holds) if outcome.to_the_end => "An order that shows it, all the way",
        (false, _) if outcome.to_the_end => "An order that shows why it fails, all the way",
        (false, Word::Holds) => "A path to a global state that shows it",
        (false, _) => "A path to the global state that violates it",
    }
}

/// What the answer cost.
fn cost(property: &Named, outcome: &Outcome) -> String {
    let stats = &outcome.stats;
    let (one, many) = match stats.engine {
        "orders" => ("order", "orders"),
        _ if property.over().is_some() => ("configuration", "configurations"),
        _ => ("cut", "cuts"),
    };
    let mut parts = Vec::new();
    if !stats.engine.is_empty() {
        parts.push(format!("{} engine", stats.engine));
    }
    // Sets of cuts are not gone through one by one.
    match stats.nodes {
        0 if property.over().is_none() && !matches!(stats.engine, "" | "explicit") => {}
        0 => parts.push(counted(stats.configurations, one, many)),
        nodes => parts.push(counted(nodes, "node", "nodes")),
    }
    if stats.further_configurations > 0 {
        parts.push(format!("{} more for an order that satisfies it", grouped(stats.further_configurations)));
    }
    if stats.covered > 0 {
        parts.push(format!("{} covered by others", grouped(stats.covered)));
    }
    if stats.events > 0 {
        parts.push(format!(
            "{} of {} relevant",
            grouped(stats.relevant_events),
            counted(stats.events, "event", "events")
        ));
    }
    if stats.width > 0 {
        parts.push(format!("on {}", counted(stats.width, "chain", "chains")));
    }
    parts.push(format!("{:.3} s", outcome.seconds));
    parts.join(", ")
}

/// How many values are named, and how long they may be.
const VALUES: usize = 5;
const VALUE_WIDTH: usize = 40;

/// A value as people read it.
pub(crate) fn shown_value(value: &Worth) -> String {
    match value {
        Worth::Text(text) => short(text, VALUE_WIDTH),
        Worth::Number(n) => n.to_string(),
    }
}

/// Two values as people read them.
fn shown_pair(a: &Worth, b: &Worth) -> String {
    if a == b { shown_value(a) } else { format!("{} and {}", shown_value(a), shown_value(b)) }
}

/// What the values of a property with instances are.
pub(crate) fn values_of(property: &Named) -> (String, String) {
    let each = property.property.each.as_ref();
    match each.map(|each| &each.domain) {
        Some(Domain::Values(attribute)) if each.is_some_and(|each| each.second.is_some()) => {
            (format!("pair of values of `{}`", clean(attribute)), format!("pairs of values of `{}`", clean(attribute)))
        }
        Some(Domain::Values(attribute)) => {
            (format!("value of `{}`", clean(attribute)), format!("values of `{}`", clean(attribute)))
        }
        Some(Domain::Processes) | None => ("process".to_owned(), "processes".to_owned()),
    }
}

/// The first values that fail, and how many more there are.
pub(crate) fn named_values(instances: &Instances) -> String {
    let mut values: Vec<String> = match instances.failing_with.is_empty() {
        true => instances.failing.iter().take(VALUES).map(shown_value).collect(),
        false => {
            instances.failing.iter().zip(&instances.failing_with).take(VALUES).map(|(a, b)| shown_pair(a, b)).collect()
        }
    };
    let more = instances.failing.len() - values.len();
    if more > 0 {
        values.push(format!("and {} more", grouped(more as u64)));
    }
    values.join(", ")
}

/// The verdict of a property with instances in words.
fn sentence_of_all(property: &Named, instances: &Instances, outcome: &Outcome) -> String {
    let (one, many) = values_of(property);
    let total = counted(instances.total, &one, &many);
    let open = |what: &str| match (instances.unknown, outcome.over) {
        (0, _) | (_, None) => String::new(),
        (n, Some(over)) => format!("{what}{} of {total}: {over}{}", grouped(n), advice(over.limit)),
    };
    match outcome.word {
        Word::Holds if instances.total == 0 => format!("holds: this run has no {one}"),
        Word::Holds if instances.total == 1 => format!("holds for the only {one}"),
        Word::Holds => format!("holds for all {total}"),
        Word::Violated => {
            format!(
                "violated for {} of {total}: {}{}",
                grouped(instances.violated),
                named_values(instances),
                open("; unknown for ")
            )
        }
        Word::Unknown => open("unknown for "),
    }
}

/// The same for programs.
pub(crate) fn instances_json(instances: &Instances) -> Value {
    let value = |value: &Worth| match value {
        Worth::Text(text) => Value::from(text.as_str()),
        Worth::Number(n) => json::number(n),
    };
    let pair = |(a, b): (&Worth, &Worth)| Value::from(vec![value(a), value(b)]);
    let failing: Vec<Value> = match instances.failing_with.is_empty() {
        true => instances.failing.iter().map(value).collect(),
        false => instances.failing.iter().zip(&instances.failing_with).map(pair).collect(),
    };
    let shown = match &instances.shown_with {
        None => instances.shown.as_ref().map(value),
        Some(with) => instances.shown.as_ref().map(|shown| pair((shown, with))),
    };
    json!({
        "total": instances.total,
        "violated": instances.violated,
        "unknown": instances.unknown,
        "failing": failing,
        "shown": shown,
    })
}

/// The verdict in words, and what it rests on.
fn sentence(has_one_order: bool, property: &Named, outcome: &Outcome) -> String {
    let verdict = verdict(has_one_order, property, outcome);
    // What they lack is said once for the run.
    let incomplete = if outcome.incomplete.is_empty() { "" } else { "; the records are incomplete" };
    format!("{verdict}{}{incomplete}", conditions(outcome.reliance.as_ref()))
}

fn verdict(has_one_order: bool, property: &Named, outcome: &Outcome) -> String {
    if let Some(instances) = &outcome.instances {
        return sentence_of_all(property, instances, outcome);
    }
    let main = match (outcome.word, outcome.runs) {
        (Word::Unknown, _) => unknown(property, outcome),
        (word, _) if has_one_order => {
            return match (&outcome.met, &outcome.fails) {
                (Some(Met { times, first, line, when }), _) => {
                    let times = counted(*times, "time", "times");
                    let first = match when {
                        Some(when) => when.to_string(),
                        None if *line > 0 => format!("position {first} (line {line})"),
                        None => format!("position {first}"),
                    };
                    format!("{}: met {times}, first at {first}", word.text())
                }
                (None, Some(fails)) => fails.sentence(),
                (None, None) if word == Word::Holds && property.is_counted() => {
                    format!("{}; how often it is met would cost too much to say", word.on_the_only_order())
                }
                (None, None) => word.on_the_only_order(),
            };
        }
        (Word::Holds, None) => "holds".to_owned(),
        (Word::Violated, None) => "violated".to_owned(),
        (Word::Holds, Some(Runs::All)) if property.asks_for_some() => {
            return "holds: every possible order satisfies it".to_owned();
        }
        (Word::Holds, Some(Runs::Some)) if property.asks_for_some() => {
            "holds: some possible orders satisfy it, others do not".to_owned()
        }
        (Word::Holds, Some(_)) if property.asks_for_some() => {
            "holds: at least one possible order satisfies it".to_owned()
        }
        // What every order does, the recorded one does too.
        (Word::Holds, Some(_)) => return "holds: every possible order satisfies it".to_owned(),
        (Word::Violated, Some(Runs::None)) => return "violated: no possible order satisfies it".to_owned(),
        (Word::Violated, Some(Runs::Some)) => "violated: some possible orders satisfy it, others do not".to_owned(),
        (Word::Violated, Some(_)) => "violated: at least one possible order does not satisfy it".to_owned(),
    };
    let recorded = match outcome.observed {
        // The explanation begins with it.
        _ if outcome.words.is_some() => "",
        Some(Observed::Holds) => "; the recorded order satisfies it",
        Some(Observed::Violated) => "; the recorded order violates it",
        None => "",
    };
    format!("{main}{recorded}{}", outcome.over.map_or("", |over| advice(over.limit)))
}

fn unknown(property: &Named, outcome: &Outcome) -> String {
    let (one, many) = if property.over().is_some() { ("configuration", "configurations") } else { ("cut", "cuts") };
    let explored = match outcome.stats.configurations {
        0 => String::new(),
        n => format!(", with {} explored", counted(n, one, many)),
    };
    match outcome.over {
        Some(over) => format!("unknown: {over}{explored}"),
        None => format!("unknown{explored}"),
    }
}

fn why(why: &Why) -> Value {
    json!({
        "exchanges": why.exchanges,
        "closest": why.closest,
        "swapped": why.swapped,
        "missing_edges": why.missing_edges,
        "minimum": why.minimum,
    })
}

/// The numbers as strings: they grow past what numbers of JSON are read as.
fn counts(counts: &Counts) -> Option<Vec<Value>> {
    let entry = |c: &Count| json!({ "formula": c.formula, "depth": c.depth, "cuts": c.cuts });
    (!counts.parts.is_empty()).then(|| counts.parts.iter().map(entry).collect())
}

/// The one result if nothing could be asked: unknown, about no run and no property.
#[must_use]
pub fn unprepared(over: OverBudget) -> Value {
    json!({
        "trace": null,
        "property": null,
        "logic": null,
        "over": null,
        "formula": null,
        "verdict": Word::Unknown.text(),
        "runs": null,
        "observed": null,
        "orders": null,
        "witness": null,
        "proof": null,
        "cuts": null,
        "counts": null,
        "why": null,
        "parts": null,
        "limit": json::limit(over, 0),
        "warnings": [],
        "stats": {
            "engine": null,
            "configurations": 0,
            "further_configurations": 0,
            "covered": null,
            "nodes": null,
            "width": null,
            "events": null,
            "relevant_events": null,
            "seconds": null,
        },
    })
}
