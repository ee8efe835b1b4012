//! Why an abstraction fails: by definition, from the behaviour that has no partner.
//!
//! Only one of the reasons is that the specification lacks the trace. Another is that it needs more internal events between two observable ones than the implementation has: then the
//! implementation is not *internally finer* (definition 4.3 of paper 004), and no behaviour of the same length is there, although there is one with the same trace.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::relation::{Member, Relation};
use super::universe::{EventId, Universe};
use super::{Abstraction, Event, Part, WHAT, shown};
use crate::refine::{Lacking, Pair, lacking};
use posetta_base::{ActionId, Budget, Error};
use posetta_model::system::{End, Move, Run, Slots, System};

/// A behaviour of an implementation that no behaviour of the specification is related to: a shortest one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    /// The behaviour.
    pub behaviour: Vec<Event>,
    /// The run of the implementation.
    pub run: Run,
    /// What the reason is.
    pub why: Why,
}

/// Why there is no partner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The specification lacks the trace: it is not implemented.
    Lacking(Lacking),
    /// The specification has the trace, but only with more internal events between two observable ones than the implementation has there.
    Coarse {
        /// A behaviour of the specification with this trace and the fewest events.
        needs: Vec<Event>,
        /// How many observable events come before.
        place: usize,
        /// How many internal events the two have there.
        counts: [usize; 2],
    },
    /// The specification has a behaviour with the same observable events in the same places, but the formula is not true of any.
    Narrow {
        /// One of them.
        partner: Vec<Event>,
    },
    /// Nothing but the behaviour itself would do, and the specification cannot do the last event there.
    Different {
        /// What it can do there, of its own events.
        allowed: Vec<Arc<str>>,
    },
}

/// The reason.
pub(super) fn of(
    part: Part<'_>,
    universe: &Universe,
    abstraction: Abstraction,
    behaviour: &[EventId],
    moves: Vec<Move>,
    budget: &Budget,
) -> Result<Failing, Error> {
    let run = Run { steps: moves, end: End::Open };
    let defect = || Error::defect("a behaviour does not replay", "both systems");
    if run.states(part.implementation).is_none() {
        return Err(defect());
    }
    let pair = Pair::new(part.implementation, part.specification)?;
    let lacking = match lacking(&pair, &run.steps, budget) {
        // Tokens without a bound: what is lacking shows itself when the fewest events with this trace are looked for, or a limit ends it.
        Err(Error::Invalid(_)) => None,
        known => known?,
    };
    let why = if let Some(lacking) = lacking {
        Why::Lacking(lacking)
    } else {
        match abstraction {
            Abstraction::Canonical => {
                let member = Member::new(&part, None, universe, budget)?;
                match Relation::new(abstraction, universe, vec![member], budget)?.image(behaviour)? {
                    Some(image) => Why::Narrow { partner: shown(universe, &image) },
                    None => coarse(part.specification, universe, behaviour, budget)?.ok_or_else(defect)?,
                }
            }
            Abstraction::Identity => match refused(part.specification, universe, behaviour, budget)? {
                Some(allowed) => Why::Different { allowed },
                None => Why::Narrow { partner: shown(universe, behaviour) },
            },
        }
    };
    Ok(Failing { behaviour: shown(universe, behaviour), run, why })
}

/// What a specification can do before the last event of a behaviour, if it can do the others but not this one.
fn refused(
    system: &System,
    universe: &Universe,
    behaviour: &[EventId],
    budget: &Budget,
) -> Result<Option<Vec<Arc<str>>>, Error> {
    let (slots, events) = (Slots::new(system), universe.events_of(system));
    let own: Vec<ActionId> = behaviour.iter().filter_map(|event| events.action[event.index()]).collect();
    let mut states = vec![system.initial()];
    for action in own {
        let mut next = Vec::new();
        let mut allowed: Vec<Arc<str>> = Vec::new();
        for state in &states {
            budget.step(1, WHAT)?;
            for (step, to) in system.moves(&slots, state) {
                allowed.push(Arc::clone(&system.action(step.action).name));
                next.extend(to.filter(|_| step.action == action));
            }
        }
        if next.is_empty() {
            allowed.sort();
            allowed.dedup();
            return Ok(Some(allowed));
        }
        next.sort();
        next.dedup();
        states = next;
    }
    Ok(None)
}

/// A behaviour of the specification with the trace of another one and the fewest internal events, and where it has too many of them.
fn coarse(system: &System, universe: &Universe, behaviour: &[EventId], budget: &Budget) -> Result<Option<Why>, Error> {
    let (slots, events) = (Slots::new(system), universe.events_of(system));
    let trace: Vec<ActionId> = behaviour
        .iter()
        .filter(|event| universe.is_observable(**event))
        .filter_map(|event| events.action[event.index()])
        .collect();
    // A state and how much of the trace led to it. Every step costs one, and the trace is the same whatever the way is.
    type Node = (Vec<u32>, usize);
    let first: Node = (system.initial(), 0);
    let mut came: FxHashMap<Node, Option<(Node, ActionId)>> = FxHashMap::from_iter([(first.clone(), None)]);
    let mut open = VecDeque::from([first]);
    let mut memory = budget.claim(0, WHAT)?;
    while let Some(node) = open.pop_front() {
        budget.step(1, WHAT)?;
        if node.1 == trace.len() {
            let (mut actions, mut at) = (Vec::new(), &node);
            while let Some(Some((before, action))) = came.get(at) {
                actions.push(events.event[action.index()]);
                at = before;
            }
            actions.reverse();
            return Ok(Some(compared(universe, behaviour, &actions)));
        }
        for (step, to) in system.moves(&slots, &node.0) {
            let internal = system.action(step.action).internal;
            let Some(to) = to.filter(|_| internal || step.action == trace[node.1]) else { continue };
            let next = (to, node.1 + usize::from(!internal));
            if !came.contains_key(&next) {
                memory.grow_to(came.len() as u64 * (96 + 8 * slots.count() as u64), WHAT)?;
                came.insert(next.clone(), Some((node.clone(), step.action)));
                open.push_back(next);
            }
        }
    }
    Ok(None)
}

/// The first place where the second of two behaviours with one trace has more internal events than the first.
fn compared(universe: &Universe, ours: &[EventId], theirs: &[EventId]) -> Why {
    let gaps = |behaviour: &[EventId]| -> Vec<usize> {
        behaviour.split(|event| universe.is_observable(*event)).map(<[EventId]>::len).collect()
    };
    let (had, needed) = (gaps(ours), gaps(theirs));
    let place = had.iter().zip(&needed).position(|(had, needed)| needed > had).unwrap_or(0);
    Why::Coarse { needs: shown(universe, theirs), place, counts: [had[place], needed[place]] }
}
