//! A run in columns.

use std::collections::BTreeMap;

use posetta_base::{Budget, EventId, Interner, Number, OverBudget, Symbol};
use posetta_trace::{Reason, Trace};

use super::{Edge, Events, Kind, Lane, Picture, Text, Wave};
use crate::checked::Shape;
use crate::story::Heads;

/// About how many bytes an event of a picture takes, with what is written of it, and an edge.
const EVENT: u64 = 600;
const EDGE: u64 = 48;
const WHAT: &str = "drawing the run";

impl Picture {
    /// The picture of a run, without properties.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn of_run(title: &str, trace: &Trace, budget: &Budget) -> Result<Self, OverBudget> {
        let edges: usize = trace.events().map(|event| trace.causes(event).len()).sum();
        let bytes = (trace.len() as u64).saturating_mul(EVENT).saturating_add(edges as u64 * EDGE);
        let claim = budget.claim(bytes, WHAT)?;
        let mut strings = Texts(Interner::new());
        let (lanes, places) = lanes(trace, &mut strings);
        let (time, time_unit) = times(trace);
        let has_chains = lanes.iter().any(|lane| lane.chains > 1);
        let place = |event: EventId| -> (u32, u32) { places[trace.process(event).index()] };
        let all = || trace.events();
        let has_parts = all().any(|event| trace.part(event).is_some());
        let has_attributes = all().any(|event| trace.attributes(event).next().is_some());
        let mut events = Events {
            lane: all().map(|event| place(event).0).collect(),
            chain: has_chains.then(|| all().map(|event| place(event).1).collect()),
            line: all().map(|event| trace.line(event)).collect(),
            time,
            ..Events::default()
        };
        for event in all() {
            events.id.push(strings.of(&trace.label(event)));
            events.name.push(trace.event_name(event).filter(|name| !name.is_empty()).map(|name| strings.of(name)));
            let set = |a: &posetta_trace::Assignment| {
                [strings.of(trace.variable_name(a.var)), strings.of(&trace.value(a.value).to_string())]
            };
            events.sets.push(trace.assignments(event).iter().flat_map(set).collect());
        }
        let mut flat = |event: EventId| -> Vec<Text> {
            trace.attributes(event).flat_map(|(key, json)| [strings.of(key), strings.of(json)]).collect()
        };
        events.about = has_attributes.then(|| all().map(&mut flat).collect());
        let mut part = |event: EventId| strings.of(trace.part(event).unwrap_or_default());
        events.file = has_parts.then(|| all().map(&mut part).collect());
        budget.step(trace.len() as u64, WHAT)?;
        let reasons: Vec<Reason> = trace.edges_by_reason().into_iter().map(|(reason, _)| reason).collect();
        let initial = trace.variables().flat_map(|var| {
            [strings.of(trace.variable_name(var)), strings.of(&trace.value(trace.initial(var)).to_string())]
        });
        let is_wave = trace.has_state_records();
        Ok(Self {
            title: title.to_owned(),
            kind: if is_wave { Kind::Waveform } else { Kind::Run },
            shape: Shape::of(trace),
            lanes,
            processes: places,
            events,
            edges: edges_of(trace, &reasons),
            order: numbers(trace, trace.linearisation()),
            recorded: trace.observed().is_some(),
            initial: initial.collect(),
            time_unit,
            results: Vec::new(),
            wave: is_wave.then(|| Wave::new(trace, trace.variables(), 0, usize::MAX)),
            reasons,
            strings: strings.0,
            _claim: claim,
        })
    }
}

/// Texts, each once. A picture of more texts than there are numbers has no memory to be made in.
struct Texts(Interner);

impl Texts {
    fn of(&mut self, text: &str) -> Text {
        self.0.intern(text).or_else(|| Symbol::new(0)).expect("there is a first symbol")
    }
}

/// Events by their numbers in the whole run.
pub(super) fn numbers(trace: &Trace, events: &[EventId]) -> Vec<u32> {
    events.iter().map(|&event| number(trace, event)).collect()
}

pub(super) fn number(trace: &Trace, event: EventId) -> u32 {
    trace.origin(event).index() as u32
}

/// The lanes, and the lane and the chain of each process.
fn lanes(trace: &Trace, strings: &mut Texts) -> (Vec<Lane>, Vec<(u32, u32)>) {
    let heads = Heads::new(trace);
    let mut known = BTreeMap::new();
    let (mut lanes, mut places): (Vec<Lane>, Vec<(u32, u32)>) = Default::default();
    for process in trace.processes() {
        let at = *known.entry(heads.of_process(process)).or_insert(lanes.len());
        if at == lanes.len() {
            let group = trace.group(process).map(|group| strings.of(group));
            let name = group.unwrap_or_else(|| strings.of(trace.process_name(process)));
            lanes.push(Lane { name, group, chains: 0 });
        }
        places.push((at as u32, lanes[at].chains));
        lanes[at].chains += 1;
    }
    (lanes, places)
}

fn edges_of(trace: &Trace, reasons: &[Reason]) -> Vec<Edge> {
    let of = |to: EventId| {
        trace.causes(to).iter().zip(trace.reasons(to)).map(move |(from, reason)| {
            let reason = reasons.iter().position(|known| *known == reason).unwrap_or(0);
            Edge { from: from.index() as u32, to: to.index() as u32, reason: reason as u32 }
        })
    };
    trace.events().flat_map(of).collect()
}

/// Times since the first, if all events have one. Those of spans are seconds; of others nobody knows.
fn times(trace: &Trace) -> (Option<Vec<f64>>, Option<&'static str>) {
    let Some(mut all) = trace.events().map(|event| trace.time(event)).collect::<Option<Vec<&Number>>>() else {
        return (None, None);
    };
    let each = all.clone();
    all.sort_unstable();
    let Some(first) = all.first() else { return (None, None) };
    let (scale, unit) = if trace.has_groups() { (1e3, Some("ms")) } else { (1.0, None) };
    let since = |time: &Number| {
        let since = time.sub(first).ok()?;
        let float = since.to_decimal().and_then(|text| text.parse::<f64>().ok())?;
        Some((float * scale * 1e6).round() / 1e6)
    };
    (each.into_iter().map(since).collect(), unit)
}
