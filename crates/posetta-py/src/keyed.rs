//! Properties beside very many streams, whose state somebody else keeps: an engine such as Flink or Spark, by key.

use posetta_base::{Budget, Error, Value, WantedAttributes};
use posetta_compile::{Answers, Prospect};
use posetta_logic::{Formula, Property, Quantifier};
use posetta_monitor::{Instance, Monitor as Machine, Record, Stream};
use posetta_tell::{Named, Problem};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};
use std::sync::Arc;

use crate::errors::{bad_argument, invalid, of};
use crate::monitor::{Change, Told, completions, declared, given, mixed, stream_of, wanted};
use crate::spec::asked;
use crate::work::{self, Limits};

/// Properties compiled once, for very many streams, each of which is a few bytes that somebody else keeps.
///
/// >>> from posetta import KeyedMonitor
/// >>> monitor = KeyedMonitor("G level < 3")
/// >>> state, changes, restarted = monitor.step(None, [{"level": 1}, {"level": 2}])
/// >>> state, changes, restarted = monitor.step(state, [{"level": 3}])
/// >>> changes[0].verdict, changes[0].position, restarted
/// ('violated', 2, [])
///
/// What was saved of another version of a property is not used: the property starts again, and is named.
///
/// >>> KeyedMonitor("G level < 4").step(state, [])[2]
/// ['G (level < 4)']
#[pyclass(module = "posetta")]
pub struct KeyedMonitor {
    properties: Arc<Vec<Named>>,
    machines: Vec<Machine>,
    /// What the state of each depends on.
    prints: Vec<u64>,
    wanted: WantedAttributes,
    stream: Stream,
    memory: u64,
}

/// A property on one stream.
enum Stage {
    Live(Instance, Option<Answers>),
    Done(Prospect),
}

/// The first byte of what is saved: the version of the form.
const FORM: &str = "1";

/// FNV-1a: the same on every machine and in every version.
fn print_of(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0xff]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

fn unfit(property: &Property) -> Option<&'static str> {
    match property.formula {
        Formula::Ctl(_) => Some("a CTL property is about all orders of a run, and a stream has one"),
        _ if property.quantifier == Quantifier::Some => Some("a stream has one order, so `some` means nothing"),
        _ if property.each.is_some() => Some("`foreach` over values is a key of its own: choose it as the key instead"),
        _ => None,
    }
}

impl KeyedMonitor {
    /// What was saved, taken apart; a property whose state does not fit starts again, and is told.
    fn taken(&mut self, saved: Option<&[u8]>, budget: &Budget) -> Result<(Vec<Stage>, Vec<String>), Error> {
        let text = saved.and_then(|saved| std::str::from_utf8(saved).ok()).unwrap_or_default();
        let mut lines = text.split('\n');
        let known = lines.next() == Some(FORM);
        let lines: Vec<(&str, &str, &str)> = lines
            .filter(|_| known)
            .filter_map(|line| {
                let (print, rest) = line.split_once('\t')?;
                let (last, rest) = rest.split_once('\t')?;
                Some((print, last, rest))
            })
            .collect();
        let (mut stages, mut restarted) = (Vec::with_capacity(self.machines.len()), Vec::new());
        for (at, machine) in self.machines.iter_mut().enumerate() {
            let print = format!("{:016x}", self.prints[at]);
            let own = lines.iter().find(|(own, ..)| *own == print);
            let stage = match own {
                Some((_, "h", _)) => Some(Stage::Done(Prospect::Holds)),
                Some((_, "v", _)) => Some(Stage::Done(Prospect::Violated)),
                Some((_, last, rest)) => {
                    let instance = machine.restore(rest, budget)?;
                    instance.map(|instance| {
                        let last = (*last == "o").then(|| machine.answers(&instance));
                        Stage::Live(instance, last)
                    })
                }
                None => None,
            };
            if stage.is_none() && saved.is_some() {
                restarted.push(self.properties[at].name.clone());
            }
            stages.push(stage.unwrap_or_else(|| Stage::Live(machine.begin(), None)));
        }
        Ok((stages, restarted))
    }

    fn saved(&self, stages: &[Stage]) -> String {
        let mut out = FORM.to_owned();
        for ((stage, machine), print) in stages.iter().zip(&self.machines).zip(&self.prints) {
            let (last, rest) = match stage {
                Stage::Done(Prospect::Holds) => ("h", String::new()),
                Stage::Done(_) => ("v", String::new()),
                Stage::Live(instance, last) => (if last.is_some() { "o" } else { "n" }, machine.save(instance)),
            };
            out.push_str(&format!("\n{print:016x}\t{last}\t{rest}"));
        }
        out
    }
}

#[pymethods]
impl KeyedMonitor {
    #[new]
    #[pyo3(signature = (spec, *, records="states", initial=None, completions="both", memory=None))]
    fn new(
        py: Python<'_>,
        spec: &Bound<'_, PyAny>,
        records: &str,
        initial: Option<&Bound<'_, PyDict>>,
        completions: &str,
        memory: Option<u64>,
    ) -> PyResult<Self> {
        let properties = asked(py, spec)?;
        if let Some((own, why)) = properties.iter().find_map(|own| unfit(&own.property).map(|why| (own, why))) {
            return Err(bad_argument(format!("`{}` cannot be followed: {why}", own.name)));
        }
        let (stream, declared) = (stream_of(Some(records))?.unwrap_or(Stream::States), declared(initial)?);
        let counted = self::completions(completions)?;
        let limits = Limits::new(None, memory)?;
        let made = work::long(py, limits, |budget| {
            let make = |own: &Named| {
                Machine::new(&own.property, stream, &declared, counted, budget).map_err(|e| Box::new((own.clone(), e)))
            };
            properties.iter().map(make).collect::<Result<Vec<_>, _>>()
        })?;
        let machines = made.map_err(|unmade| match &*unmade {
            (own, error @ Error::OverBudget(_)) => of(py, &own.file, error),
            (own, error) => {
                let problem = |diagnostic| Problem {
                    trace: None,
                    file: own.file.clone(),
                    property: Some(own.name.clone()),
                    diagnostic,
                };
                invalid(py, &error.diagnostics().iter().cloned().map(problem).collect::<Vec<_>>())
            }
        })?;
        let before: String = declared.iter().map(|(name, value)| format!("{name}={value};")).collect();
        let print = |own: &Named| {
            print_of(&[&own.name, own.logic(), own.over().unwrap_or(""), &own.formula, records, completions, &before])
        };
        let prints = properties.iter().map(print).collect();
        let wanted = wanted(&properties);
        Ok(Self { prints, wanted, stream, machines, properties, memory: memory.unwrap_or(u64::MAX) })
    }

    /// Reads the next records of a stream. `state` is what the call before answered with, or `None` before the first. Answers with the state,
    /// what has changed, and the names of properties that started again because their state was that of another version.
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        state: Option<PyBackedBytes>,
        records: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyBytes>, Vec<Change>, Vec<String>)> {
        let mut all = Vec::new();
        for record in records.try_iter()? {
            let one = given(&record?, None, &self.wanted)?;
            if one.process.is_some() != (self.stream == Stream::Events) {
                return Err(mixed());
            }
            all.push(one);
        }
        let budget = Budget::with_memory(self.memory);
        let mut changes = Vec::new();
        let read = work::guarded(py, || {
            Ok((|| {
                let (mut stages, restarted) = self.taken(state.as_deref(), &budget)?;
                let wanted = self.wanted.clone();
                for (at, one) in all.iter().enumerate() {
                    let sets: Vec<(&str, Value)> =
                        one.sets.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
                    let record = Record::of(one.process.as_deref(), one.name.as_deref(), &sets)
                        .with_attributes(one.attributes.of(&wanted));
                    for (place, stage) in stages.iter_mut().enumerate() {
                        let Stage::Live(instance, last) = stage else { continue };
                        let machine = &mut self.machines[place];
                        let answers = machine.read(instance, &record, &budget)?;
                        let before = last.replace(answers);
                        if before != Some(answers) {
                            let (own, told) =
                                (&self.properties[place], Told(answers, before, machine.is_late(answers)));
                            let position = instance.records().saturating_sub(u64::from(self.stream == Stream::States));
                            changes.push(Change::new(own, None, position, at as u64 + 1, told));
                        }
                        if answers.prospect != Prospect::Open {
                            *stage = Stage::Done(answers.prospect);
                        }
                    }
                }
                Ok::<_, Error>((self.saved(&stages), restarted))
            })())
        })?;
        let (saved, restarted) = read.map_err(|error| of(py, "", &error))?;
        Ok((PyBytes::new(py, saved.as_bytes()), changes, restarted))
    }

    /// What each property is if the stream ends in this state: `holds` or `violated`.
    fn finish<'py>(&mut self, py: Python<'py>, state: Option<PyBackedBytes>) -> PyResult<Bound<'py, PyDict>> {
        let budget = Budget::with_memory(self.memory);
        let taken = work::guarded(py, || Ok(self.taken(state.as_deref(), &budget)))?;
        let (stages, _) = taken.map_err(|error| of(py, "", &error))?;
        let all = PyDict::new(py);
        for ((stage, machine), own) in stages.iter().zip(&self.machines).zip(self.properties.iter()) {
            let holds = match stage {
                Stage::Done(prospect) => *prospect == Prospect::Holds,
                Stage::Live(instance, _) => machine.answers(instance).satisfied,
            };
            all.set_item(&own.name, if holds { "holds" } else { "violated" })?;
        }
        Ok(all)
    }

    fn __repr__(&self) -> String {
        let names: Vec<&str> = self.properties.iter().map(|own| own.name.as_str()).collect();
        format!("<KeyedMonitor {}>", names.join(", "))
    }
}
