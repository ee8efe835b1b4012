//! Systems of components by definition, state by state.
//!
//! [`Space::of`] lists the states that a system can reach and, from each, every step: an action, what each component that takes part does, and
//! the state after it. Of the library only the data of [`posetta_model::system`] is used.
//!
//! Start at [`Space`]; [`letters`] has the words of runs and LTL over them, [`runs`] holds a run against the definition and lists short
//! ones, [`demand`] decides what is asked of a system, [`evidence`] holds an answer against that, [`observation`] has observation graphs, [`refine`] compares two systems. Tests
//! write and show systems with [`written`].

pub mod abstraction;
pub mod demand;
pub mod evidence;
pub mod letters;
pub mod observation;
pub mod refine;
pub mod runs;
pub mod written;

use std::collections::HashMap;

use posetta_base::{ActionId, ComponentId};
use posetta_logic::Compare;
use posetta_model::system::{Behaviour, MOST_TOKENS, Predicate, System};

use crate::fds::graph::Graph;

/// So many states are listed unless there is a reason for another limit.
pub const MOST_STATES: usize = 5_000;

/// One way in which an action can take place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What happens.
    pub action: ActionId,
    /// What each component that takes part does: the place of its arc or transition.
    pub locals: Vec<u32>,
    /// The place of the state after it.
    pub to: usize,
}

/// Everything that a system, or some components of it by themselves, can reach. The state at the start has the place 0.
#[derive(Clone, Debug)]
pub struct Space<'s> {
    /// The system.
    pub system: &'s System,
    /// The components that are followed, ascending. What they share with others they do without them.
    pub components: Vec<ComponentId>,
    /// The states: the numbers of each component that is followed, one after the other.
    pub states: Vec<Vec<u32>>,
    /// The steps from each state.
    pub steps: Vec<Vec<Step>>,
}

/// What one component does: its place, and the component's numbers after it.
type Way = (u32, Vec<u32>);

/// What all that take part in an action do: the places of that, and the state after it.
type JointWay = (ActionId, Vec<u32>, Vec<u32>);

/// The numbers of a component at the start.
fn initial(behaviour: &Behaviour) -> Vec<u32> {
    match behaviour {
        Behaviour::Lts(lts) => vec![lts.initial],
        Behaviour::Net(net) => net.places.iter().map(|p| p.initial).collect(),
    }
}

/// All that a component with these numbers can do when an action is asked of it. `None`: a place would have too many tokens.
fn ways(behaviour: &Behaviour, own: &[u32], action: ActionId) -> Option<Vec<Way>> {
    let mut ways = Vec::new();
    match behaviour {
        Behaviour::Lts(lts) => {
            for (place, arc) in lts.arcs.iter().enumerate() {
                if arc.action == action && own == [arc.from] {
                    ways.push((place as u32, vec![arc.to]));
                }
            }
        }
        Behaviour::Net(net) => {
            for (place, transition) in net.transitions.iter().enumerate() {
                let needs = |p: usize| transition.takes.iter().filter(|t| t.0 as usize == p).map(|t| t.1).sum::<u32>();
                let gets = |p: usize| transition.puts.iter().filter(|t| t.0 as usize == p).map(|t| t.1).sum::<u32>();
                if transition.action == action && (0..own.len()).all(|p| own[p] >= needs(p)) {
                    let after: Vec<u32> = (0..own.len()).map(|p| own[p] - needs(p) + gets(p)).collect();
                    if after.iter().any(|&tokens| tokens > MOST_TOKENS) {
                        return None;
                    }
                    ways.push((place as u32, after));
                }
            }
        }
    }
    Some(ways)
}

impl<'s> Space<'s> {
    /// Lists what a system can reach; `None` if that is more than so many states.
    #[must_use]
    pub fn of(system: &'s System, most: usize) -> Option<Self> {
        Self::of_some(system, system.component_ids().collect(), most)
    }

    /// Lists what these components can reach by themselves. Their actions are those in which one of them takes part.
    #[must_use]
    pub fn of_some(system: &'s System, components: Vec<ComponentId>, most: usize) -> Option<Self> {
        let start = components.iter().flat_map(|&c| initial(&system.component(c).behaviour)).collect();
        let mut space = Self { system, components, states: vec![start], steps: Vec::new() };
        let mut places = HashMap::from([(space.states[0].clone(), 0)]);
        while space.steps.len() < space.states.len() {
            let from = space.states[space.steps.len()].clone();
            let mut steps = Vec::new();
            for (action, locals, after) in space.ways(&from)? {
                let to = *places.entry(after.clone()).or_insert_with(|| {
                    space.states.push(after);
                    space.states.len() - 1
                });
                steps.push(Step { action, locals, to });
            }
            space.steps.push(steps);
            if space.states.len() > most {
                return None;
            }
        }
        Some(space)
    }

    /// A part of what a system can reach, all of whose runs are runs of the system: states with at most so many tokens in a place, without those
    /// from which every step leads out of this part. `None` if that is more than so many states, or nothing.
    #[must_use]
    pub fn within(system: &'s System, tokens: u32, most: usize) -> Option<Self> {
        let components: Vec<ComponentId> = system.component_ids().collect();
        let start: Vec<u32> = components.iter().flat_map(|&c| initial(&system.component(c).behaviour)).collect();
        let counts: Vec<bool> = components
            .iter()
            .flat_map(|&c| match &system.component(c).behaviour {
                Behaviour::Lts(_) => vec![false],
                Behaviour::Net(net) => vec![true; net.places.len()],
            })
            .collect();
        let inside = |state: &[u32]| state.iter().zip(&counts).all(|(&n, counts)| !counts || n <= tokens);
        let mut space = Self { system, components, states: vec![start.clone()], steps: Vec::new() };
        let mut places = HashMap::from([(start, 0)]);
        // Whether the system has a step from there, inside or not.
        let mut goes_on = Vec::new();
        while space.steps.len() < space.states.len() {
            let from = space.states[space.steps.len()].clone();
            let ways = space.ways(&from)?;
            goes_on.push(!ways.is_empty());
            let mut steps = Vec::new();
            for (action, locals, after) in ways.into_iter().filter(|(_, _, after)| inside(after)) {
                let to = *places.entry(after.clone()).or_insert_with(|| {
                    space.states.push(after);
                    space.states.len() - 1
                });
                steps.push(Step { action, locals, to });
            }
            space.steps.push(steps);
            if space.states.len() > most {
                return None;
            }
        }
        // Until no state is left that ends only because of the limit.
        let mut kept = vec![true; space.states.len()];
        while let Some(gone) =
            (0..kept.len()).find(|&s| kept[s] && goes_on[s] && !space.steps[s].iter().any(|t| kept[t.to]))
        {
            kept[gone] = false;
        }
        if !kept[0] {
            return None;
        }
        let number = |state: usize| kept[..state].iter().filter(|k| **k).count();
        let steps = (0..kept.len()).filter(|&s| kept[s]).map(|s| {
            let inside = space.steps[s].iter().filter(|t| kept[t.to]);
            inside.map(|t| Step { to: number(t.to), ..t.clone() }).collect()
        });
        let steps = steps.collect();
        let states = (0..kept.len()).filter(|&s| kept[s]).map(|s| space.states[s].clone()).collect();
        Some(Self { states, steps, ..space })
    }

    /// Every way in which an action can take place in a state, with the state after it: "an action takes place in all components that
    /// have it in their alphabet at once, in the others nothing happens".
    fn ways(&self, state: &[u32]) -> Option<Vec<JointWay>> {
        let mut all = Vec::new();
        for action in self.system.action_ids() {
            let parts = &self.system.action(action).parts;
            if !self.components.iter().any(|c| parts.contains(c)) {
                continue;
            }
            let mut begun: Vec<(Vec<u32>, Vec<u32>)> = vec![(Vec::new(), Vec::new())];
            let mut rest = state;
            for &component in &self.components {
                let behaviour = &self.system.component(component).behaviour;
                let (own, others) = rest.split_at(initial(behaviour).len());
                rest = others;
                let ways = if parts.contains(&component) { Some(ways(behaviour, own, action)?) } else { None };
                begun = match ways {
                    None => begun.into_iter().map(|(locals, after)| (locals, [&after, own].concat())).collect(),
                    Some(ways) => {
                        let longer = |(locals, after): &(Vec<u32>, Vec<u32>)| -> Vec<(Vec<u32>, Vec<u32>)> {
                            let add =
                                |(place, own): &Way| ([&locals[..], &[*place]].concat(), [&after[..], own].concat());
                            ways.iter().map(add).collect()
                        };
                        begun.iter().flat_map(longer).collect()
                    }
                };
            }
            all.extend(begun.into_iter().map(|(locals, after)| (action, locals, after)));
        }
        Some(all)
    }

    /// How many steps there are, "from each state, each way in which an action can take place".
    #[must_use]
    pub fn arcs(&self) -> usize {
        self.steps.iter().map(Vec::len).sum()
    }

    /// Whether no action can take place.
    #[must_use]
    pub fn is_dead(&self, state: usize) -> bool {
        self.steps[state].is_empty()
    }

    /// The states in which no action can take place.
    #[must_use]
    pub fn deadlocks(&self) -> Vec<usize> {
        (0..self.states.len()).filter(|&s| self.is_dead(s)).collect()
    }

    /// Whether an action can take place.
    #[must_use]
    pub fn is_enabled(&self, state: usize, action: ActionId) -> bool {
        self.steps[state].iter().any(|step| step.action == action)
    }

    /// Whether a component could take part in an action in a state, whatever the others can.
    #[must_use]
    pub fn can_take_part(&self, state: usize, component: ComponentId, action: ActionId) -> bool {
        let mut rest = &self.states[state][..];
        for &other in &self.components {
            let behaviour = &self.system.component(other).behaviour;
            let (own, others) = rest.split_at(initial(behaviour).len());
            if other == component {
                return ways(behaviour, own, action).is_some_and(|ways| !ways.is_empty());
            }
            rest = others;
        }
        false
    }

    /// Whether a state of the whole system satisfies a condition.
    #[must_use]
    pub fn holds(&self, predicate: &Predicate, state: usize) -> bool {
        match predicate {
            Predicate::Constant(value) => *value,
            Predicate::Linear(terms, op, bound) => {
                let number = |slot: u32| i128::from(self.states[state][slot as usize]);
                let sum: i128 = terms.iter().map(|&(slot, factor)| i128::from(factor) * number(slot)).sum();
                let order = sum.cmp(&i128::from(*bound));
                match op {
                    Compare::Eq => order.is_eq(),
                    Compare::Ne => order.is_ne(),
                    Compare::Lt => order.is_lt(),
                    Compare::Le => order.is_le(),
                    Compare::Gt => order.is_gt(),
                    Compare::Ge => order.is_ge(),
                }
            }
            Predicate::Enabled(actions) => actions.iter().any(|&a| self.is_enabled(state, a)),
            Predicate::Dead => self.is_dead(state),
            Predicate::Not(p) => !self.holds(p, state),
            Predicate::And(parts) => parts.iter().all(|p| self.holds(p, state)),
            Predicate::Or(parts) => parts.iter().any(|p| self.holds(p, state)),
        }
    }

    /// The most that the sum of these slots can be.
    #[must_use]
    pub fn most(&self, slots: &[u32]) -> u64 {
        let sum = |state: &Vec<u32>| slots.iter().map(|&slot| u64::from(state[slot as usize])).sum();
        self.states.iter().map(sum).max().unwrap_or(0)
    }

    /// The slots that are places of nets.
    #[must_use]
    pub fn places(&self) -> Vec<u32> {
        let mut places = Vec::new();
        let mut next = 0;
        for &component in &self.components {
            let behaviour = &self.system.component(component).behaviour;
            let count = initial(behaviour).len() as u32;
            if matches!(behaviour, Behaviour::Net(_)) {
                places.extend(next..next + count);
            }
            next += count;
        }
        places
    }

    /// The states, and which follow which. A path may end where nothing can take place.
    #[must_use]
    pub fn graph(&self) -> Graph {
        let next = self.steps.iter().map(|steps| {
            let mut next: Vec<usize> = steps.iter().map(|s| s.to).collect();
            next.sort_unstable();
            next.dedup();
            next
        });
        Graph {
            next: next.collect(),
            initial: vec![0],
            finals: (0..self.states.len()).map(|s| self.is_dead(s)).collect(),
            ..Graph::default()
        }
    }

    /// The same, where "a run that stops repeats its last state forever".
    #[must_use]
    pub fn endless_graph(&self) -> Graph {
        let mut graph = self.graph();
        for dead in self.deadlocks() {
            graph.next[dead].push(dead);
            graph.finals[dead] = false;
        }
        graph
    }

    /// The states that a state reaches by actions that are not observed, itself among them.
    #[must_use]
    pub fn silently_reached(&self, from: &[usize], observed: &[ActionId]) -> Vec<usize> {
        let mut met = vec![false; self.states.len()];
        let mut open = from.to_vec();
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut met[state], true) {
                open.extend(self.steps[state].iter().filter(|s| !observed.contains(&s.action)).map(|s| s.to));
            }
        }
        (0..met.len()).filter(|&s| met[s]).collect()
    }

    /// From which states a run can go on forever by actions that are not observed: the largest set of states each of which has such a
    /// step into the set.
    #[must_use]
    pub fn divergent(&self, observed: &[ActionId]) -> Vec<bool> {
        let mut within = vec![true; self.states.len()];
        loop {
            let goes_on = |s: usize| self.steps[s].iter().any(|t| !observed.contains(&t.action) && within[t.to]);
            let fewer: Vec<bool> = (0..within.len()).map(|s| within[s] && goes_on(s)).collect();
            if fewer == within {
                return within;
            }
            within = fewer;
        }
    }
}
