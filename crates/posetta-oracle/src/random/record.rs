//! Random records of systems of components: traces that some run explains, or almost.

use fastrand::Rng;
use posetta_base::{ActionId, Budget, EventId};
use posetta_model::system::System;
use posetta_trace::{Builder, Trace};

use super::{chance, pick};
use crate::system::Space;

/// A trace of a system, and whether it was recorded faithfully. If so, it conforms.
#[derive(Debug)]
pub struct Recorded {
    /// The trace.
    pub trace: Trace,
    /// Nothing was lost, added or exchanged.
    pub faithful: bool,
}

/// Gives some actions of one component the name of that component: `C0.a`, and perhaps there is an `a` of another one.
pub fn qualify(rng: &mut Rng, system: &mut System) {
    for place in 0..system.actions.len() {
        if let [owner] = system.actions[place].parts[..]
            && chance(rng, 50)
        {
            let other = rng.usize(..system.actions.len());
            let name = system.actions[if chance(rng, 30) { other } else { place }].name.clone();
            let name = format!("{}.{name}", system.component(owner).name);
            if system.find_action(&name).is_none() && !system.actions[other].name.contains('.') {
                system.actions[place].name = name.into();
            }
        }
    }
}

/// A random trace with this many events at most.
///
/// # Panics
/// When there are so many that their names or places do not fit a trace.
pub fn recorded(rng: &mut Rng, space: &Space<'_>, most: usize) -> Recorded {
    let system = space.system;
    // Which internal actions leave an event: all of their steps do, or none.
    let logged: Vec<bool> = system.actions.iter().map(|a| !a.internal || chance(rng, 40)).collect();
    let mut events = walk(rng, space, &logged, most);
    let faithful = chance(rng, 25);
    if !faithful {
        for _ in 0..rng.usize(1..=3) {
            change(rng, system, &mut events);
        }
    }
    events.truncate(most);
    let mut builder = Builder::new();
    let mut ids: Vec<EventId> = Vec::new();
    for (line, (process, name)) in events.iter().enumerate() {
        let process = builder.process(process).expect("few processes");
        ids.push(builder.event(process, line as u64 + 1).expect("few events"));
        builder.name(name).expect("few names");
    }
    let percent = *pick(rng, &[0, 0, 10, 30]);
    for to in 1..ids.len() {
        for from in 0..to {
            if chance(rng, percent) {
                builder.link_events(ids[from], ids[to]);
            }
        }
    }
    let trace = builder.finish(false, &Budget::unlimited()).expect("edges lead forwards");
    Recorded { trace, faithful }
}

/// The events of a random run: process and name.
fn walk(rng: &mut Rng, space: &Space<'_>, logged: &[bool], most: usize) -> Vec<(String, String)> {
    let system = space.system;
    let mut events = Vec::new();
    let mut at = 0;
    for _ in 0..2 * most {
        let Some(step) = rng.choice(&space.steps[at]) else { break };
        at = step.to;
        if logged[step.action.index()] {
            events.push(event(rng, system, step.action));
        }
        if events.len() == most {
            break;
        }
        // What nobody asked about.
        if chance(rng, 8) && events.len() < most {
            events.push((String::from("C0"), String::from("note")));
        }
    }
    events
}

/// An event that stands for an action: by one who takes part in it, or by somebody else where no other action has that name there.
fn event(rng: &mut Rng, system: &System, action: ActionId) -> (String, String) {
    let full = &*system.action(action).name;
    if let Some((process, name)) = full.split_once('.') {
        return (process.to_owned(), name.to_owned());
    }
    let parts = &system.action(action).parts;
    let log = format!("Log{}", rng.u8(..4));
    let process = if chance(rng, 60) { system.component(*pick(rng, parts)).name.to_string() } else { log.clone() };
    match system.find_action(&format!("{process}.{full}")) {
        Some(_) => (log, full.to_owned()),
        None => (process, full.to_owned()),
    }
}

fn change(rng: &mut Rng, system: &System, events: &mut Vec<(String, String)>) {
    let any = ActionId::new(rng.usize(..system.actions.len())).expect("few actions");
    let new = event(rng, system, any);
    let place = rng.usize(..events.len() + 1);
    match rng.u8(..4) {
        0 if place < events.len() => drop(events.remove(place)),
        1 if place < events.len() => events[place] = new,
        2 if place + 1 < events.len() => events.swap(place, place + 1),
        _ => events.insert(place, new),
    }
}
