//! The report about a system for programs. Fields are documented in docs/report.md; more may be added, none is renamed.

use posetta_model::system::{Behaviour, End, Run, System};
use posetta_tell::json::{self, Schema};
use posetta_tell::steps;
use posetta_tell::{Problem, Word};
use posetta_verify::system::{Engine, Stats};
use serde_json::{Map, Value, json};

use super::board::{Outcome, Report};
use crate::args::TrailWhen;
use crate::models::Kind;
use crate::problem::entry_of_warnings;
use crate::verify::Telling;

/// Past so many values the states along a run are left out: its steps determine them.
const VALUES: usize = 100_000;

/// One object, one result per line.
pub(super) fn report(report: &Report, telling: Telling) -> String {
    let mut results: Vec<Value> = Vec::new();
    match report.told() {
        Some(_) if report.explores => {}
        Some(system) => {
            results.extend((0..report.asked.len()).map(|place| result(report, system, telling, place)));
            results.extend(bound(report));
        }
        None if report.problems.is_empty() => results.push(unprepared(report)),
        None => {}
    }
    let warnings = report.remarks().iter().map(entry_of_warnings).collect();
    let errors = report.problems.iter().map(Problem::to_json).collect();
    let lists = [("results", results), ("warnings", warnings), ("errors", errors)];
    Schema::Verify.lists(&lists, &[("model", model(report, telling))])
}

fn model(report: &Report, telling: Telling) -> Value {
    let found = report.findings.as_ref();
    let system = report.system.as_deref();
    let deadlock = report.deadlock().filter(|_| telling.witness != TrailWhen::Never).zip(system);
    let bounds = system.zip(found).filter(|_| report.asks_bound).map(|(system, found)| {
        let names = steps::slot_names(system);
        let places = found.most_by_place.iter().map(|(slot, most)| (names[*slot as usize].clone(), json!(most)));
        Value::Object(places.collect::<Map<_, _>>())
    });
    json!({
        "model": report.file,
        "kind": match report.kind {
            Kind::Sys => "sys",
            Kind::Aut => "aut",
            Kind::Pnml => "pnml",
        },
        "system": system.map(|s| &s.name),
        "components": system.map(|s| s.components.len()),
        "actions": system.map(|s| s.actions.len()),
        "states": found.and_then(|f| f.states.as_ref()).map(ToString::to_string),
        "arcs": found.and_then(|f| f.arcs.as_ref()).map(ToString::to_string),
        "most_tokens": found.and_then(|f| f.most_tokens),
        "most_tokens_in_all": found.and_then(|f| f.most_tokens_in_all.as_ref()).map(ToString::to_string),
        "bounds": bounds,
        "deadlock": deadlock.map(|(run, system)| witness(system, run)),
        "diagram_nodes": report.most_nodes(),
        "limit": report.over.map(|over| json::limit(over, 0)),
    })
}

fn result(report: &Report, system: &System, telling: Telling, place: usize) -> Value {
    let asked = &report.asked[place];
    let (word, over) = report.word(place);
    let outcome = report.slots[place].as_ref();
    let bound = outcome.and_then(|outcome| outcome.answer.most.as_ref()).map(ToString::to_string);
    let run = report.run(place).filter(|_| telling.witness != TrailWhen::Never);
    json!({
        "model": report.file,
        "property": asked.name,
        "logic": asked.logic,
        "formula": asked.formula,
        "verdict": word.text(),
        "vacuous": false,
        "bound": bound,
        "witness": run.map(|run| witness(system, run)),
        "fails_at": report.slots[place].as_ref().and_then(|outcome| outcome.answer.settled),
        "limit": over.map(|over| json::limit(over, 0)),
        "stats": stats(outcome),
    })
}

/// The answer to `--bound`.
fn bound(report: &Report) -> Option<Value> {
    let word = report.bound_word()?;
    let most = report.findings.as_ref().and_then(|f| f.most_tokens);
    Some(json!({
        "model": report.file,
        "property": "bound",
        "logic": "bound",
        "formula": null,
        "verdict": word.text(),
        "vacuous": false,
        "bound": most.map(|n| n.to_string()),
        "witness": null,
        "fails_at": null,
        "limit": report.over.filter(|_| word == Word::Unknown).map(|over| json::limit(over, 0)),
        "stats": stats(None),
    }))
}

/// The one result if nothing could be asked.
fn unprepared(report: &Report) -> Value {
    json!({
        "model": report.file,
        "property": null,
        "logic": null,
        "formula": null,
        "verdict": Word::Unknown.text(),
        "vacuous": false,
        "bound": null,
        "witness": null,
        "fails_at": null,
        "limit": report.over.map(|over| json::limit(over, 0)),
        "stats": stats(None),
    })
}

/// What an answer took.
fn stats(outcome: Option<&Outcome>) -> Value {
    let none = Stats::default();
    let stats = outcome.map_or(&none, |outcome| &outcome.answer.stats);
    json!({
        "engine": Some(stats.engine).filter(|e| *e != Engine::Auto).map(Engine::word),
        "meta_states": stats.meta_states,
        "arcs": stats.arcs,
        "states": stats.states.as_ref().map(ToString::to_string),
        "diagram_nodes": stats.diagram_nodes,
        "seconds": outcome.map(|outcome| json::seconds(outcome.seconds)),
    })
}

/// The actions before the cycle and those on it, how it ends, and the states on the way.
fn witness(system: &System, run: &Run) -> Value {
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
