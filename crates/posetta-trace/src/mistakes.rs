//! What can be wrong with the order of events, in the words that a run read whole and a run read while it happens share.

use super::cycle::Named;
use super::reason::Reason;
use posetta_base::{Diagnostic, Kind, Place};

#[cold]
pub(super) fn full(what: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(Kind::Input, format!("too many {what}: a trace holds at most {} of them", u32::MAX - 1)))
}

pub(super) fn event_count(n: usize) -> String {
    match n {
        0 => "no events".to_owned(),
        1 => "one event".to_owned(),
        n => format!("{n} events"),
    }
}

/// A reference to an event that is not there.
pub(super) fn missing_event(label: &str, why: String, at: Place) -> Diagnostic {
    Diagnostic::new(Kind::MissingEvent, format!("there is no event `{label}`")).at(at).label(why)
}

/// Why `<process>.<index>` is not there.
pub(super) fn too_few(process: &str, have: usize) -> String {
    format!("process {process} has {}", event_count(have))
}

pub(super) fn no_process(process: &str) -> String {
    format!("there is no process {process}")
}

pub(super) const NO_SUCH_ID: &str = "no event has that id";

/// A clock that counts more events of a process than there are.
pub(super) fn clock_of_missing(process: &str, count: u32, have: usize, at: Place) -> Diagnostic {
    let why = format!("this clock knows of it, but process {process} has {}", event_count(have));
    missing_event(&format!("{process}.{count}"), why, at)
}

pub(super) fn duplicate_id(id: &str, first: &str, at: Place) -> Diagnostic {
    Diagnostic::new(Kind::DuplicateId, format!("two events have the id `{id}`"))
        .at(at)
        .label(first)
        .help("ids must be unique in a file: `after` and witnesses refer to events by them")
}

/// An id that is what another event is called by default; `other` is [`event_of`].
pub(super) fn id_means_another(id: &str, other: &str, at: Place) -> Diagnostic {
    Diagnostic::new(Kind::DuplicateId, format!("the id `{id}` already means another event"))
        .at(at)
        .label(other)
        .help("give that event an id of its own, or this one another")
}

pub(super) fn event_of(line: u64, index: usize, process: &str) -> String {
    format!("line {line} is the event {index} of process {process}")
}

/// A clock that contradicts the order; `whose` is an event in backquotes, or a heartbeat.
pub(super) fn clock_disagrees(whose: &str, why: &str, at: Place) -> Diagnostic {
    Diagnostic::new(Kind::Clock, format!("the clock of {whose} disagrees with the order of events"))
        .at(at)
        .label(why)
        .help("that order comes from the order of each process, from `after` and from the clocks of its causes")
}

pub(super) fn own_entry(says: u32, is: u32, process: &str) -> String {
    format!("its own entry says {says}, but it is event {is} of {process}")
}

pub(super) fn own_entry_of_sign(says: u32, before: usize, process: &str) -> String {
    format!("its own entry says {says}, but {process} has {} before it", event_count(before))
}

pub(super) fn says_but(says: u32, process: &str, is: u32) -> String {
    format!("it says {says} for {process}, but {} of {process} happened before it", event_count(is as usize))
}

/// A cycle through these events, each a cause of the next and the last one of the first. `left_out` of them are not named, after
/// the first half.
pub(super) fn cycle(named: &[Named], left_out: usize) -> Diagnostic {
    let mut path = String::new();
    for (i, Named { label, line, reason }) in named.iter().enumerate() {
        let arrow = match reason {
            Some(reason) if *reason != Reason::Stated => format!(" -[{reason}]->"),
            _ => " ->".to_owned(),
        };
        if left_out > 0 && i == named.len() / 2 {
            path.push_str(&format!("… {left_out} more … -> "));
        }
        path.push_str(&format!("{label} (line {line}){arrow} "));
    }
    let first = named.first();
    path.push_str(first.map_or("", |first| &first.label));
    Diagnostic::new(Kind::Cycle, "happened-before has a cycle")
        .at(Place::line_only(first.map_or(1, |first| first.line)))
        .label(path)
        .help("an event cannot happen before itself: one of these edges, or the order of a process, is wrong")
}
