//! Random runs.

use std::collections::BTreeMap;
use std::fmt;

use dashu_ratio::RBig;
use fastrand::Rng;
use posetta_base::{Budget, Error, Number, Value};
use posetta_trace::{Builder, Trace};

use super::{chance, pick};

/// What a variable may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 0 or 1.
    Flag,
    /// A small integer.
    Small,
    /// A number of any sort: negative, fractional, past 64 bits.
    Ratio,
    /// A string.
    Text,
    /// A number or a string.
    Mixed,
}

impl Kind {
    /// Whether it never is a string, so that arithmetic and order comparisons on it are well typed.
    #[must_use]
    pub fn is_numeric(self) -> bool {
        matches!(self, Self::Flag | Self::Small | Self::Ratio)
    }

    /// A value of this kind.
    pub fn value(self, rng: &mut Rng) -> Value {
        let number = |text: &str| Value::Number(text.parse().expect("written as a number"));
        let text = |rng: &mut Rng| Value::Text((*pick(rng, &["", "idle", "busy"])).to_owned());
        match self {
            Self::Flag => Value::Number(Number::from(i64::from(rng.bool()))),
            Self::Small => Value::Number(Number::from(rng.i64(0..4))),
            Self::Ratio => match rng.u8(..8) {
                0 => Value::Number((RBig::ONE / RBig::from(3)).into()),
                1 => number("9223372036854775808"),
                2 | 3 => number("-1"),
                4 | 5 => number("0.5"),
                _ => Value::Number(Number::from(rng.i64(0..3))),
            },
            Self::Text => text(rng),
            Self::Mixed if rng.bool() => Value::Number(Number::from(rng.i64(0..2))),
            Self::Mixed => text(rng),
        }
    }
}

/// An event of a [`Plan`].
#[derive(Clone, Debug)]
pub struct PlannedEvent {
    /// Its process, a place in [`Plan::processes`].
    pub process: usize,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// What it assigns: each a place in [`Plan::variables`] and a value.
    pub sets: Vec<(usize, Value)>,
    /// Its wall-clock time, if it has one.
    pub time: Option<i64>,
    /// What else is said of it.
    pub attributes: Vec<(String, Value)>,
}

/// A run as plain data, from which a [`Trace`] is built.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Names, in the order in which they are declared.
    pub processes: Vec<String>,
    /// Names and kinds.
    pub variables: Vec<(String, Kind)>,
    /// Declared initial values: places in `variables`.
    pub initial: BTreeMap<usize, Value>,
    /// In the order of reading.
    pub events: Vec<PlannedEvent>,
    /// Places in `events`: cause and effect.
    pub edges: Vec<(usize, usize)>,
    /// Whether the order of reading is an observed order if it respects happened-before.
    pub sequence: bool,
}

/// How large and of what sort a random run may be.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// At most so many events.
    pub events: usize,
    /// At most so many processes.
    pub processes: usize,
    /// In so many of a hundred runs each variable is written by one process only, so that no writes are unordered.
    pub one_writer: u32,
}

/// A random run.
pub fn plan(rng: &mut Rng, shape: Shape) -> Plan {
    let process_count = 1 + rng.usize(..shape.processes).max(rng.usize(..shape.processes));
    let processes: Vec<String> = (1..=process_count).map(|i| format!("P{i}")).collect();
    let variables = variables(rng);
    let one_writer = chance(rng, shape.one_writer);
    let owners: Vec<usize> = variables.iter().map(|_| rng.usize(..process_count)).collect();
    let count = match rng.u8(..50) {
        0 => 0,
        1..25 => 1 + rng.usize(..shape.events),
        _ => shape.events - rng.usize(..shape.events.div_ceil(2)),
    };
    // In some order in which the run could have happened; edges lead forward in it.
    let happened: Vec<PlannedEvent> = (0..count)
        .map(|_| {
            let process = rng.usize(..process_count);
            let writable: Vec<usize> = (0..variables.len()).filter(|&v| !one_writer || owners[v] == process).collect();
            event(rng, process, &variables, &writable)
        })
        .collect();
    let density = *pick(rng, &[0, 0, 5, 10, 20, 60]);
    let mut edges = Vec::new();
    for to in 0..count {
        for from in 0..to {
            if happened[from].process != happened[to].process && chance(rng, density) {
                edges.push((from, to));
            }
        }
    }
    let mut plan =
        Plan { processes, variables, initial: BTreeMap::new(), events: happened, edges, sequence: rng.bool() };
    for place in 0..plan.variables.len() {
        let mentioned = plan.events.iter().any(|e| e.sets.iter().any(|(var, _)| *var == place));
        if !mentioned || chance(rng, 25) {
            plan.initial.insert(place, plan.variables[place].1.value(rng));
        }
    }
    if chance(rng, 20) {
        stamp(rng, &mut plan);
    }
    if rng.bool() { read_in_another_order(rng, plan) } else { plan }
}

fn variables(rng: &mut Rng) -> Vec<(String, Kind)> {
    let count = 1 + rng.usize(..4);
    ["x", "y", "z", "w"][..count]
        .iter()
        .map(|name| {
            let kind = match rng.u8(..20) {
                0..7 => Kind::Flag,
                7..14 => Kind::Small,
                14..17 => Kind::Ratio,
                17..19 => Kind::Text,
                _ => Kind::Mixed,
            };
            ((*name).to_owned(), kind)
        })
        .collect()
}

fn event(rng: &mut Rng, process: usize, variables: &[(String, Kind)], writable: &[usize]) -> PlannedEvent {
    let name = chance(rng, 40).then(|| (*pick(rng, &["send", "recv", "lock"])).to_owned());
    let mut sets: Vec<(usize, Value)> = Vec::new();
    let wanted = *pick(rng, &[0, 1, 1, 1, 1, 1, 2, 2, 3]);
    for _ in 0..wanted {
        if writable.is_empty() {
            break;
        }
        let var = *pick(rng, writable);
        if sets.iter().all(|(other, _)| *other != var) {
            sets.push((var, variables[var].1.value(rng)));
        }
    }
    let mut attributes = Vec::new();
    for key in ["k", "m"] {
        if chance(rng, 60) {
            let value = if chance(rng, 70) { Value::from(rng.i64(0..3)) } else { Value::from(*pick(rng, &["a", "1"])) };
            attributes.push((key.to_owned(), value));
        }
    }
    PlannedEvent { process, name, sets, time: None, attributes }
}

/// Gives events times: mostly all of them and in the order they happened in, with ties.
fn stamp(rng: &mut Rng, plan: &mut Plan) {
    let (orderly, gaps) = (chance(rng, 70), chance(rng, 10));
    let mut now = 0;
    for event in &mut plan.events {
        now += rng.i64(0..3);
        let time = if orderly { now } else { rng.i64(0..6) };
        event.time = (!gaps || rng.bool()).then_some(time);
    }
}

/// The same run, its processes interleaved differently in the file.
fn read_in_another_order(rng: &mut Rng, plan: Plan) -> Plan {
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); plan.processes.len()];
    for (place, event) in plan.events.iter().enumerate().rev() {
        waiting[event.process].push(place);
    }
    let mut reading = Vec::new();
    while reading.len() < plan.events.len() {
        let process = rng.usize(..waiting.len());
        reading.extend(waiting[process].pop());
    }
    plan.reordered(&reading)
}

impl Plan {
    /// The same run with its events read in this order, a list of places in `events`.
    fn reordered(self, reading: &[usize]) -> Self {
        let place_of = |old: usize| reading.iter().position(|&o| o == old).expect("the order lists every event");
        Self {
            events: reading.iter().map(|&old| self.events[old].clone()).collect(),
            edges: self.edges.iter().map(|&(from, to)| (place_of(from), place_of(to))).collect(),
            ..self
        }
    }

    /// The same run with its processes declared in a random order.
    #[must_use]
    pub fn with_processes_shuffled(&self, rng: &mut Rng) -> Self {
        let mut order: Vec<usize> = (0..self.processes.len()).collect();
        rng.shuffle(&mut order);
        let place_of = |old: usize| order.iter().position(|&o| o == old).expect("the order lists every process");
        let mut plan = self.clone();
        plan.processes = order.iter().map(|&old| self.processes[old].clone()).collect();
        for event in &mut plan.events {
            event.process = place_of(event.process);
        }
        plan
    }

    /// The same run after `count` events that assign nothing, one after another, each on a process of its own.
    #[must_use]
    pub fn after_a_prelude(&self, count: usize) -> Self {
        let mut plan = self.clone();
        let first_process = plan.processes.len();
        plan.processes.extend((1..=count).map(|i| format!("Q{i}")));
        let prelude = (0..count).map(|i| PlannedEvent {
            process: first_process + i,
            name: None,
            sets: Vec::new(),
            time: self.events.iter().filter_map(|e| e.time).min(),
            attributes: Vec::new(),
        });
        plan.events = prelude.chain(plan.events).collect();
        plan.edges = self.edges.iter().map(|&(from, to)| (from + count, to + count)).collect();
        let last_to_each = (count..plan.events.len()).map(|event| (count - 1, event));
        plan.edges.extend((1..count).map(|i| (i - 1, i)).chain(last_to_each));
        plan
    }

    /// Place of an event on its process's chain, from 0.
    fn position(&self, event: usize) -> usize {
        self.events[..event].iter().filter(|e| e.process == self.events[event].process).count()
    }

    fn label(&self, event: usize) -> String {
        format!("{}.{}", self.processes[self.events[event].process], self.position(event) + 1)
    }

    /// The trace.
    ///
    /// # Errors
    /// When the library refuses it, which for a random plan is a defect.
    pub fn build(&self) -> Result<Trace, Error> {
        let builder = self.fill()?;
        builder.finish(self.sequence, &Budget::unlimited())
    }

    fn fill(&self) -> Result<Builder, Error> {
        let mut builder = Builder::new();
        let mut processes = Vec::new();
        for name in &self.processes {
            processes.push(builder.process(name)?);
        }
        let mut vars = Vec::new();
        for (name, _) in &self.variables {
            vars.push(builder.variable(name)?);
        }
        for (&var, value) in &self.initial {
            let value = builder.value(value.clone())?;
            builder.declare(vars[var], value);
        }
        for (line, event) in self.events.iter().enumerate() {
            builder.event(processes[event.process], line as u64 + 1)?;
            if let Some(name) = &event.name {
                builder.name(name)?;
            }
            for (var, value) in &event.sets {
                let value = builder.value(value.clone())?;
                builder.assign(vars[*var], value)?;
            }
            if let Some(time) = event.time {
                builder.time(time.into());
            }
            for (key, value) in &event.attributes {
                builder.attribute(key, &value.to_string())?;
            }
        }
        for &(from, to) in &self.edges {
            let end = |event: usize| (processes[self.events[event].process], self.position(event) as u32);
            builder.edge(end(from), end(to), 1, [1, 1]);
        }
        Ok(builder)
    }
}

impl fmt::Display for Plan {
    /// In the native text format. What that cannot say is in comments: the order of reading, times, and that an event
    /// called `_` has no name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sets = |sets: &mut dyn Iterator<Item = (usize, &Value)>| -> String {
            sets.map(|(var, value)| format!("{}={value}", self.variables[var].0)).collect::<Vec<_>>().join(", ")
        };
        if !self.initial.is_empty() {
            writeln!(f, "initial: {}", sets(&mut self.initial.iter().map(|(&var, value)| (var, value))))?;
        }
        for (process, name) in self.processes.iter().enumerate() {
            let events = self.events.iter().filter(|e| e.process == process).map(|event| {
                let assigned = sets(&mut event.sets.iter().map(|(var, value)| (*var, value)));
                match (&event.name, assigned.is_empty()) {
                    (Some(name), true) => format!("@{name}"),
                    (Some(name), false) => format!("{name} {assigned}"),
                    (None, true) => "@_".to_owned(),
                    (None, false) => assigned,
                }
            });
            writeln!(f, "{}", format!("{name}: {}", events.collect::<Vec<_>>().join(" -> ")).trim_end())?;
        }
        for &(from, to) in &self.edges {
            writeln!(f, "{} -> {}", self.label(from), self.label(to))?;
        }
        let attributes = |e: usize| {
            let each = self.events[e].attributes.iter().map(|(key, value)| format!(" {key}={value}"));
            each.collect::<String>()
        };
        let order = (0..self.events.len()).map(|e| match self.events[e].time {
            Some(time) => format!("{} at {time}{}", self.label(e), attributes(e)),
            None => format!("{}{}", self.label(e), attributes(e)),
        });
        let order = order.collect::<Vec<_>>().join(", ");
        writeln!(f, "# read as {}: {order}", if self.sequence { "a sequence" } else { "processes" })
    }
}
