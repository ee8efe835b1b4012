//! Monitors by the definition: a run is bad if some path of states reads it to a bad end.

use posetta_base::EventId;
use posetta_logic::{Guard, Monitor, Otherwise, View};
use posetta_trace::Trace;

use crate::ltl::Tally;
use crate::order::Order;
use crate::word::{holds_at, word};

/// Asks every run: those that are not bad satisfy the property.
#[must_use]
pub fn over_all_runs(trace: &Trace, view: View, monitor: &Monitor) -> Tally {
    let mut tally = Tally::default();
    Order::of(trace).for_each_run(|run| match satisfies(trace, run, view, monitor) {
        true => tally.satisfied += 1,
        false => tally.violated += 1,
    });
    tally
}

/// Whether no path of states reads this run to a bad end.
#[must_use]
pub fn satisfies(trace: &Trace, run: &[EventId], view: View, monitor: &Monitor) -> bool {
    let letters = word(trace, run, view);
    !is_bad(monitor, letters.len(), &|atom, i| holds_at(trace, &letters[i], atom))
}

/// Whether some path reads a word of this length to a bad end, where `atom` says what holds where.
pub fn is_bad<A>(monitor: &Monitor<A>, len: usize, atom: &dyn Fn(&A, usize) -> bool) -> bool {
    monitor.initial.iter().any(|start| ends_badly(monitor, start.0, 0, len, atom))
}

/// "The monitor goes on to the targets of all edges of its state whose guards hold; if none does, it stays or dies."
fn ends_badly<A>(monitor: &Monitor<A>, state: u32, at: usize, len: usize, atom: &dyn Fn(&A, usize) -> bool) -> bool {
    if at == len {
        return monitor.bad.iter().any(|bad| bad.0 == state);
    }
    let mut taken = false;
    for edge in &monitor.edges {
        if edge.from.0 == state && is_true(&edge.guard, at, atom) {
            taken = true;
            if ends_badly(monitor, edge.to.0, at + 1, len, atom) {
                return true;
            }
        }
    }
    !taken && monitor.otherwise == Otherwise::Stay && ends_badly(monitor, state, at + 1, len, atom)
}

fn is_true<A>(guard: &Guard<A>, at: usize, atom: &dyn Fn(&A, usize) -> bool) -> bool {
    let of = |g: &Guard<A>| is_true(g, at, atom);
    match guard {
        Guard::True => true,
        Guard::False => false,
        Guard::Atom(a) => atom(a, at),
        Guard::Not(g) => !of(g),
        Guard::And(gs) => !gs.iter().any(|g| !of(g)),
        Guard::Or(gs) => !gs.iter().all(|g| !of(g)),
        Guard::Implies(g, h) => of(h) || !of(g),
        Guard::Iff(g, h) => (of(g) && of(h)) || (!of(g) && !of(h)),
    }
}
