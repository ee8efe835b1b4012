//! Random runs for the round trips of every format, and what two readings of a run must agree on.

use proptest::prelude::*;

use crate::{Format, Lost, quote};
use posetta_base::{Budget, Diagnostic, Error, EventId, Kind, Number, Value, unsafe_to_show};
use posetta_trace::{Builder, Clocks, Trace};

/// A run as plain data. Edges point from earlier to later events, so there is no cycle.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    processes: Vec<String>,
    variables: Vec<String>,
    initial: Vec<Option<Value>>,
    events: Vec<Event>,
}

#[derive(Clone, Debug)]
struct Event {
    process: prop::sample::Index,
    name: String,
    id: bool,
    set: Vec<(prop::sample::Index, Value)>,
    time: Option<i32>,
    attributes: Vec<(String, &'static str)>,
    causes: Vec<prop::sample::Index>,
}

fn names(n: usize) -> impl Strategy<Value = Vec<String>> {
    let name = prop_oneof![
        "[a-z]{1,3}",
        "[a-zé_.\\[\\]-]{1,3}",
        "[a\u{0}\u{7}\u{1b}\u{7f}\u{9b}\u{202e}\u{2066}\n]{1,3}",
        any::<String>().prop_filter("a process has a name", |s| !s.is_empty()),
        Just("initial".to_owned()),
        Just("process".to_owned()),
        Just("posetta".to_owned()),
        Just("a->b".to_owned()),
        Just("1".to_owned()),
    ];
    prop::collection::btree_set(name, 1..=n).prop_map(|set| set.into_iter().collect())
}

/// `fractions`: numbers without a finite decimal too.
fn value(fractions: bool) -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<String>().prop_map(Value::Text),
        any::<i64>().prop_map(|n| Value::Number(n.into())),
        (0..3i64).prop_map(|n| Value::Number(n.into())),
        (-1000i64..1000, 1i64..12).prop_map(move |(a, b)| {
            let b = if fractions { b } else { 1 << (b % 5) };
            Value::Number(Number::from(a).div(&b.into()).unwrap())
        }),
    ]
}

fn event(fractions: bool) -> impl Strategy<Value = Event> {
    use prop::collection::vec;
    let index = any::<prop::sample::Index>;
    let attribute = (
        "[a-z\"]{0,3}",
        prop::sample::select(vec!["1", "null", "{\"a\": [1, \"\\u00e9\"]}", "[]", "\"x\"", "\"\u{9b}2J\u{202e}\""]),
    );
    (
        index(),
        prop_oneof![Just(String::new()), "[a-z ]{1,3}", any::<String>()],
        any::<bool>(),
        vec((index(), value(fractions)), 0..3),
        any::<Option<i32>>(),
        vec(attribute, 0..3),
        vec(index(), 0..3),
    )
        .prop_map(|(process, name, id, set, time, attributes, causes)| Event {
            process,
            name,
            id,
            set,
            time,
            attributes,
            causes,
        })
}

pub(super) fn sample(fractions: bool) -> impl Strategy<Value = Sample> {
    let initial = prop::collection::vec(prop::option::of(value(fractions)), 4);
    (names(4), names(4), initial, prop::collection::vec(event(fractions), 0..12))
        .prop_map(|(processes, variables, initial, events)| Sample { processes, variables, initial, events })
}

impl Sample {
    /// The run of the sample. With `all` it has the ids, times and attributes that not every format can carry.
    pub(super) fn build(&self, all: bool) -> Trace {
        let mut builder = Builder::new();
        for (name, value) in self.variables.iter().zip(&self.initial) {
            let var = builder.variable(name).unwrap();
            if let Some(value) = value {
                let id = builder.value(value.clone()).unwrap();
                builder.declare(var, id);
            }
        }
        let mut places: Vec<String> = Vec::new();
        let mut counts = vec![0; self.processes.len()];
        for (i, event) in self.events.iter().enumerate() {
            let p = event.process.index(self.processes.len());
            counts[p] += 1;
            let process = builder.process(&self.processes[p]).unwrap();
            builder.event(process, i as u64 + 1).unwrap();
            if !event.name.is_empty() {
                builder.name(&event.name).unwrap();
            }
            for (var, value) in &event.set {
                let var = builder.variable(&self.variables[var.index(self.variables.len())]).unwrap();
                let value = builder.value(value.clone()).unwrap();
                builder.assign(var, value).unwrap();
            }
            for cause in event.causes.iter().filter(|_| i > 0) {
                builder.cause(&places[cause.index(places.len())], 1).unwrap();
            }
            let mut place = format!("{}.{}", self.processes[p], counts[p]);
            if all && event.id {
                place = format!("#{i}\"é");
                builder.id(&place, 1).unwrap();
            }
            places.push(place);
            if all {
                if let Some(time) = event.time {
                    builder.time(i64::from(time).into());
                }
                for (key, json) in &event.attributes {
                    builder.attribute(key, json).unwrap();
                }
            }
        }
        builder.finish(true, &Budget::unlimited()).expect("edges go forward, ids differ from labels")
    }
}

/// Everything that a reading must keep, as one text. `all`: ids, times and attributes too.
pub(super) fn describe(trace: &Trace, all: bool) -> String {
    use std::fmt::Write;
    let clocks = Clocks::compute(trace, &Budget::unlimited()).unwrap();
    let position = |e: EventId| format!("{}.{}", trace.process_name(trace.process(e)), trace.position(e) + 1);
    let mut lines = Vec::new();
    for var in trace.variables() {
        // A variable that nobody mentions again is not written.
        let used = trace.is_declared(var) || trace.events().any(|e| trace.assignments(e).iter().any(|a| a.var == var));
        if used {
            let (name, declared) = (trace.variable_name(var), trace.is_declared(var));
            lines.push(format!("{name:?} {declared} {}", trace.value(trace.initial(var))));
        }
    }
    for event in trace.events() {
        let mut line = format!("{:?} {:?}", position(event), trace.event_name(event));
        for a in trace.assignments(event) {
            write!(line, " {:?}={}", trace.variable_name(a.var), trace.value(a.value)).unwrap();
        }
        let mut before: Vec<String> = trace
            .events()
            .filter(|&e| e != event && clocks.before_or_equal(trace, e, event))
            .map(|e| format!("{:?}", position(e)))
            .collect();
        before.sort();
        write!(line, " after {before:?}").unwrap();
        if all {
            // What is escaped in a string is the same string.
            let escaped = |json: &str| {
                let mut out = Vec::new();
                quote::write_json(&mut out, json).unwrap();
                String::from_utf8(out).unwrap()
            };
            let attributes: Vec<_> = trace.attributes(event).map(|(key, json)| (key, escaped(json))).collect();
            write!(line, " {:?} {:?} {attributes:?}", trace.label(event), trace.time(event)).unwrap();
        }
        lines.push(line);
    }
    lines.sort();
    lines.join("\n")
}

/// A run that was written and read back.
pub(super) struct Trip {
    pub(super) written: Vec<u8>,
    pub(super) lost: Lost,
    pub(super) back: Trace,
}

/// Writes a run and reads it back: the same run, with its ids, times and attributes if `all`.
pub(super) fn round_trip(format: Format, trace: &Trace, all: bool) -> Result<Trip, TestCaseError> {
    let budget = Budget::unlimited();
    let mut written = Vec::new();
    let lost = crate::write(format, trace, &mut written, &budget).unwrap();
    let shown = String::from_utf8_lossy(&written);
    let back =
        crate::read(format, &written[..], &budget).map_err(|e| TestCaseError::fail(format!("{e} in\n{shown}")))?;
    prop_assert_eq!(describe(&back, all), describe(trace, all), "{}", shown);
    // Whoever prints it is shown nothing but its lines.
    prop_assert!(!shown.contains(|c: char| unsafe_to_show(c) && c != '\n'), "{:?}", shown);
    Ok(Trip { written, lost, back })
}

/// A change: where, how, and to what.
type Edit = (prop::sample::Index, u8, u8);

/// A few changes.
pub(super) fn edits() -> impl Strategy<Value = Vec<Edit>> {
    prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, any::<u8>()), 1..6)
}

/// Writes a run, changes some bytes and reads what that left, which must not panic.
pub(super) fn read_mutated(format: Format, trace: &Trace, edits: &[Edit]) {
    let mut bytes = Vec::new();
    crate::write(format, trace, &mut bytes, &Budget::unlimited()).unwrap();
    mutate(&mut bytes, edits);
    let _ = crate::read(format, &bytes[..], &Budget::unlimited());
}

/// What the formats are made of.
const SIGNS: &[u8] = b"{}[]\",:=->.#\\\n@0";

/// Removes, inserts or changes bytes.
fn mutate(bytes: &mut Vec<u8>, edits: &[Edit]) {
    for &(place, how, byte) in edits {
        if bytes.is_empty() {
            return;
        }
        let at = place.index(bytes.len());
        match how {
            0 => bytes[at] = byte,
            1 => bytes.insert(at, SIGNS[byte as usize % SIGNS.len()]),
            2 => drop(bytes.remove(at)),
            _ => bytes.truncate(at),
        }
    }
}

/// An input, the kind of its only mistake, the mistake with line and column, and its label.
pub(super) type Case<'a> = (&'a str, Kind, &'a str, &'a str);

/// Checks that each input has that one mistake. All cases that fail are shown.
pub(super) fn check_mistakes(read: impl Fn(&[u8]) -> Result<Trace, Error>, cases: &[Case<'_>]) {
    let mut failed = String::new();
    for &(source, kind, message, label) in cases {
        let found = match read(source.as_bytes()) {
            Err(Error::Invalid(diagnostics)) => diagnostics,
            other => panic!("{source}: {other:?}"),
        };
        let show = |d: &Diagnostic| format!("{:?} {d} | {}", d.kind, d.label.as_deref().unwrap_or_default());
        let found: Vec<String> = found.iter().map(show).collect();
        let expected = format!("{kind:?} {message} | {label}");
        if found != [expected.clone()] {
            failed += &format!("{source}\n  expected {expected}\n  found    {}\n", found.join("\n           "));
        }
    }
    assert!(failed.is_empty(), "\n{failed}");
}
