//! Which states of a system do whatever others do, found from its components.
//!
//! A state t of a component *simulates* s if t has for each arc of s one with the same action to a state that simulates the target; of nets, more tokens simulate fewer.
//! A state of the system simulates another one if it does so component by component: actions take place in components by their names, whatever is
//! done by the others. Then it has all of its traces, and more. This is not the largest such relation of the system, but it costs what components cost.

use rustc_hash::FxHashMap;

use posetta_base::{Budget, ComponentId, OverBudget};
use posetta_model::system::{Behaviour, Lts, Slots, System};

const WHAT: &str = "comparing the states of components";

/// Components with more states are compared by equality: pairs are looked at again and again, and a chain of 512 states took a second.
const MOST_STATES: usize = 64;

/// A simulation between the states of a system.
pub(super) struct Simulation {
    parts: Vec<(std::ops::Range<usize>, Part)>,
    /// Whether it says more than equality.
    pub(super) is_of_use: bool,
}

enum Part {
    /// By pair of states.
    Table {
        states: usize,
        simulated: Vec<bool>,
    },
    Tokens,
    Equal,
}

impl Simulation {
    pub(super) fn new(system: &System, budget: &Budget) -> Result<Self, OverBudget> {
        let slots = Slots::new(system);
        let mut parts = Vec::new();
        let mut is_of_use = false;
        for id in system.component_ids() {
            let part = part(system, id, budget)?;
            is_of_use |= match &part {
                Part::Table { states, simulated } => simulated.iter().filter(|s| **s).count() > *states,
                Part::Tokens => true,
                Part::Equal => false,
            };
            parts.push((slots.of(id), part));
        }
        Ok(Self { parts, is_of_use })
    }

    /// Whether the second state does whatever the first one does.
    pub(super) fn at_most(&self, a: &[u32], b: &[u32]) -> bool {
        self.parts.iter().all(|(slots, part)| {
            let (a, b) = (&a[slots.clone()], &b[slots.clone()]);
            a == b
                || match part {
                    Part::Table { states, simulated } => simulated[a[0] as usize * states + b[0] as usize],
                    Part::Tokens => a.iter().zip(b).all(|(a, b)| a <= b),
                    Part::Equal => false,
                }
        })
    }
}

fn part(system: &System, id: ComponentId, budget: &Budget) -> Result<Part, OverBudget> {
    match &system.component(id).behaviour {
        Behaviour::Net(_) => Ok(Part::Tokens),
        Behaviour::Lts(lts) if lts.states.len() <= MOST_STATES => largest(lts, budget),
        Behaviour::Lts(_) => Ok(Part::Equal),
    }
}

/// The largest simulation of a transition system: pairs are taken away until each arc of the one has its counterpart.
fn largest(lts: &Lts, budget: &Budget) -> Result<Part, OverBudget> {
    let states = lts.states.len();
    let mut after: FxHashMap<(u32, u32), Vec<u32>> = FxHashMap::default();
    let mut arcs: Vec<Vec<(u32, u32)>> = vec![Vec::new(); states];
    for arc in &lts.arcs {
        after.entry((arc.from, arc.action.raw())).or_default().push(arc.to);
        arcs[arc.from as usize].push((arc.action.raw(), arc.to));
    }
    let mut simulated = vec![true; states * states];
    loop {
        let mut changed = false;
        for s in 0..states {
            budget.step(states as u64, WHAT)?;
            for t in 0..states {
                let matched = |&(action, to): &(u32, u32)| {
                    let others = after.get(&(t as u32, action)).map(Vec::as_slice).unwrap_or_default();
                    others.iter().any(|&other| simulated[to as usize * states + other as usize])
                };
                if simulated[s * states + t] && s != t && !arcs[s].iter().all(matched) {
                    simulated[s * states + t] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            return Ok(Part::Table { states, simulated });
        }
    }
}
