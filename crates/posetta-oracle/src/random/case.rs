//! Random cases: a run and a formula for it.
//!
//! A formula drawn blindly seldom cares for the order of events. So half the cases are searched for: formulas are drawn
//! until one is satisfied by some runs and not by others (in CTL: until more order changes the verdict), and then half
//! of those get more edges, so that a property holds, or is violated, because of happened-before.

use fastrand::Rng;
use posetta_base::{EventId, Value};
use posetta_logic::{Atom, Ctl, Ltl, Psl, View};
use posetta_trace::Trace;

use super::atom::{Vocabulary, atom};
use super::plan::{Kind, Plan, Shape, plan};
use super::{Tense, chance, ctl, ltl, pick, psl};
use crate::order::{Order, singleton};
use crate::psl::Meaning;
use crate::{ctl as branching, ltl as linear, psl as sequences};

/// A run and a formula about it.
#[derive(Clone, Debug)]
pub struct Case<F> {
    /// The run.
    pub plan: Plan,
    /// The formula.
    pub formula: F,
}

/// How often a formula is drawn in search of one that cares for the order.
const DRAWS: usize = 15;

/// How many states automata for the SEREs of a formula may have, so that their matches can be enumerated.
const MOST_STATES: usize = 50;

fn built(plan: &Plan) -> Trace {
    plan.build().expect("edges lead forward in the order in which the plan was made")
}

/// A random case for LTL.
pub fn ltl_case(rng: &mut Rng, view: View, tense: Tense) -> Case<Ltl> {
    let plan = plan(rng, Shape { events: 8, processes: 4, one_writer: 40 });
    let about_events = match view {
        View::States => 25,
        View::Events => 65,
    };
    let words = Vocabulary::of(&plan);
    let formula = ltl(rng, &words, tense, about_events);
    let mut case = Case { plan, formula };
    if rng.bool() {
        return case;
    }
    for _ in 0..DRAWS {
        if depends_on_order(rng, &case.plan, &|trace, run| linear::satisfies(trace, run, view, &case.formula)) {
            break;
        }
        case.formula = ltl(rng, &words, tense, about_events);
    }
    if rng.bool() {
        order_more(rng, &mut case.plan, &|trace, run| linear::satisfies(trace, run, view, &case.formula));
    }
    case
}

/// A random case for PSL.
pub fn psl_case(rng: &mut Rng, view: View) -> Case<Psl> {
    let mut plan = plan(rng, Shape { events: 7, processes: 4, one_writer: 40 });
    let about_events = match view {
        View::States => 25,
        View::Events => 65,
    };
    let words = Vocabulary::of(&plan);
    let draw = |rng: &mut Rng| loop {
        let atoms: Vec<Atom> = (0..1 + rng.usize(..3)).map(|_| atom(rng, &words, about_events)).collect();
        let size = rng.usize(..7);
        let formula = psl(rng, &atoms, size);
        if Meaning::over_atoms(&formula).0.states() <= MOST_STATES {
            return formula;
        }
    };
    let mut formula = draw(rng);
    if rng.bool() {
        return Case { plan, formula };
    }
    for _ in 0..DRAWS {
        if depends_on_order(rng, &plan, &|trace, run| sequences::satisfies(trace, run, view, &formula)) {
            break;
        }
        formula = draw(rng);
    }
    if rng.bool() {
        order_more(rng, &mut plan, &|trace, run| sequences::satisfies(trace, run, view, &formula));
    }
    Case { plan, formula }
}

/// Says whether a run satisfies a property.
type Judge<'a> = &'a dyn Fn(&Trace, &[EventId]) -> bool;

/// Whether some runs satisfy a property and others do not, as far as a few random ones tell.
fn depends_on_order(rng: &mut Rng, plan: &Plan, judge: Judge<'_>) -> bool {
    let trace = built(plan);
    let order = Order::of(&trace);
    let verdict = |rng: &mut Rng| judge(&trace, &random_run(rng, &order));
    let first = verdict(rng);
    (0..20).any(|_| verdict(rng) != first)
}

/// Adds edges along some run as long as the order matters, but not many.
fn order_more(rng: &mut Rng, plan: &mut Plan, judge: Judge<'_>) {
    let run = random_run(rng, &Order::of(&built(plan)));
    for _ in 0..6 {
        if !depends_on_order(rng, plan, judge) {
            break;
        }
        add_edge_along(rng, plan, &run);
    }
}

/// A random case for CTL; in most of them the states at the cuts are determined.
pub fn ctl_case(rng: &mut Rng) -> Case<Ctl> {
    let mut plan = plan(rng, Shape { events: 8, processes: 4, one_writer: 85 });
    if chance(rng, 60) {
        share_a_variable(rng, &mut plan);
    }
    let words = Vocabulary::of(&plan);
    let formula = ctl(rng, &words);
    let mut case = Case { plan, formula };
    if rng.bool() {
        return case;
    }
    let mut ordered = case.plan.clone();
    let run = random_run(rng, &Order::of(&built(&case.plan)));
    for _ in 0..1 + rng.usize(..4) {
        add_edge_along(rng, &mut ordered, &run);
    }
    let (trace, ordered_trace) = (built(&case.plan), built(&ordered));
    for _ in 0..DRAWS {
        let verdict = branching::holds(&trace, &case.formula);
        if verdict.is_some() && verdict != branching::holds(&ordered_trace, &case.formula) {
            break;
        }
        case.formula = ctl(rng, &words);
    }
    if rng.bool() {
        case.plan = ordered;
    }
    case
}

/// Adds a variable that events of any process write, so that its value at a cut is determined all the same: an event that is
/// unordered with earlier writes repeats their value, or leaves the variable alone if they differ. Often the writes are put into
/// one order first.
fn share_a_variable(rng: &mut Rng, plan: &mut Plan) {
    let run = random_run(rng, &Order::of(&built(plan)));
    let writers: Vec<EventId> = run.into_iter().filter(|_| chance(rng, 60)).collect();
    if rng.bool() {
        for pair in writers.windows(2) {
            let edge = (pair[0].index(), pair[1].index());
            if plan.events[edge.0].process != plan.events[edge.1].process && !plan.edges.contains(&edge) {
                plan.edges.push(edge);
            }
        }
    }
    let order = Order::of(&built(plan));
    let kind = *pick(rng, &[Kind::Flag, Kind::Small]);
    let place = plan.variables.len();
    plan.variables.push(("s".to_owned(), kind));
    let mut written: Vec<(EventId, Value)> = Vec::new();
    for &event in &writers {
        let unordered: Vec<&Value> =
            written.iter().filter(|(earlier, _)| order.concurrent(*earlier, event)).map(|(_, value)| value).collect();
        let value = match unordered.as_slice() {
            [] => kind.value(rng),
            [one, rest @ ..] if rest.iter().all(|other| other == one) => (*one).clone(),
            _ => continue,
        };
        plan.events[event.index()].sets.push((place, value.clone()));
        written.push((event, value));
    }
    if written.is_empty() || chance(rng, 25) {
        plan.initial.insert(place, kind.value(rng));
    }
}

/// Some run.
pub fn random_run(rng: &mut Rng, order: &Order) -> Vec<EventId> {
    let (mut run, mut cut) = (Vec::new(), 0);
    while let Some(event) = rng.choice(order.steps(cut).collect::<Vec<_>>()) {
        run.push(event);
        cut |= singleton(event);
    }
    run
}

/// Adds an edge between two events of different processes from the earlier to the later one in `run`, if it is new.
fn add_edge_along(rng: &mut Rng, plan: &mut Plan, run: &[EventId]) {
    if run.len() < 2 {
        return;
    }
    let (a, b) = (rng.usize(..run.len()), rng.usize(..run.len()));
    let edge = (run[a.min(b)].index(), run[a.max(b)].index());
    let crosses = plan.events[edge.0].process != plan.events[edge.1].process;
    if crosses && !plan.edges.contains(&edge) {
        plan.edges.push(edge);
    }
}
