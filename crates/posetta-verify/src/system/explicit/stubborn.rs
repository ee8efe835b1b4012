//! Which actions are enough to follow from a state: stubborn sets (Valmari 1991), by action.
//!
//! A set T of actions is *stubborn* in a state if, whatever other actions take place first,
//!
//! 1. an action of T that takes place afterwards could have taken place at once, in the same way, and the others after it, with the same state
//!    in the end;
//! 2. for a state that is looked for and that the state is not itself: every run that leads to one has an action of T.
//!
//! Then no state that is looked for is lost where only the actions of T are followed. By induction on the length of a run to such a state:
//! by 2 it has an action of T, by 1 the first of these can come first, and what is left is one step shorter. So nothing has to be done about
//! cycles (Schmidt 1999; Bønneland, Dyhr, Jensen, Johannsen and Srba 2019 for predicates on nets).
//!
//! T is closed under two rules. *An action that can take place*: with it all actions that a transition system among its parts could take part
//! in now, whether or not the others could; of a net, those that take tokens that it takes as well, unless both leave as many as there were.
//! So no other action changes what it finds, or misses what it takes. *An action that cannot take place*: one of its parts is not ready
//! for it; with it all actions that can make this part ready: those that lead a transition system to another state, or that bring tokens to
//! a place that has too few. So it stays impossible while others take place. Of an action with several transitions in a net each is treated like
//! this: what is impossible must stay so, or it would be another way that could not have come first.
//!
//! A state without a step is looked for with an action that can take place: it stays possible while actions outside of T take place, so that 2
//! is true. Among the sets of this kind the smallest is a component of the graph of the rules that nothing leaves, found with Tarjan's algorithm.

use std::ops::Range;

use posetta_base::{ActionId, ComponentId};
use posetta_logic::Compare;
use posetta_model::system::{Behaviour, Net, Predicate, Slots, System};

/// States that are looked for: those in which a predicate has this value.
#[derive(Clone, Copy, Debug)]
pub(in crate::system) struct Goal<'p> {
    pub(in crate::system) predicate: &'p Predicate,
    pub(in crate::system) value: bool,
}

/// Lists of actions, ascending, one after the other.
#[derive(Debug, Default)]
struct Lists {
    starts: Vec<u32>,
    actions: Vec<ActionId>,
}

impl Lists {
    fn push(&mut self, mut list: Vec<ActionId>) {
        list.sort_unstable();
        list.dedup();
        self.starts.push(self.actions.len() as u32);
        self.actions.extend(list);
    }

    fn of(&self, place: usize) -> &[ActionId] {
        let start = self.starts[place] as usize;
        &self.actions[start..self.starts.get(place + 1).map_or(self.actions.len(), |&end| end as usize)]
    }
}

/// What the slots of a component are.
#[derive(Debug)]
enum Kind {
    /// The number of a state; its lists begin here.
    State(usize),
    /// The tokens of a place.
    Tokens,
}

/// What the rules need to know of a system.
pub(super) struct Rules<'s> {
    system: &'s System,
    slots: Slots,
    /// By slot.
    kinds: Vec<Kind>,
    /// Of each state of each transition system, the actions that it has arcs with, and those that lead to another state.
    doing: Lists,
    leaving: Lists,
    /// By slot, for places: the actions that take tokens, that leave fewer, and that leave more.
    taking: Lists,
    draining: Lists,
    filling: Lists,
}

impl<'s> Rules<'s> {
    pub(super) fn new(system: &'s System) -> Self {
        let slots = Slots::new(system);
        let [mut doing, mut leaving] = [(); 2].map(|()| Lists::default());
        let [mut taking, mut draining, mut filling] = [(); 3].map(|()| Lists::default());
        let mut kinds = Vec::with_capacity(slots.count());
        for component in &system.components {
            match &component.behaviour {
                Behaviour::Lts(lts) => {
                    kinds.push(Kind::State(doing.starts.len()));
                    let mut rest = lts.arcs.as_slice();
                    for state in 0..lts.states.len() as u32 {
                        let (own, others) = rest.split_at(rest.partition_point(|arc| arc.from == state));
                        rest = others;
                        doing.push(own.iter().map(|arc| arc.action).collect());
                        leaving.push(own.iter().filter(|arc| arc.to != state).map(|arc| arc.action).collect());
                    }
                    [&mut taking, &mut draining, &mut filling].into_iter().for_each(|lists| lists.push(Vec::new()));
                }
                Behaviour::Net(net) => {
                    let mut lists = vec![[const { Vec::new() }; 3]; net.places.len()];
                    for transition in &net.transitions {
                        for &(place, _) in &transition.takes {
                            lists[place as usize][0].push(transition.action);
                        }
                        for &(place, _) in transition.takes.iter().chain(&transition.puts) {
                            let (takes, puts) = (count(&transition.takes, place), count(&transition.puts, place));
                            if takes != puts {
                                lists[place as usize][if takes > puts { 1 } else { 2 }].push(transition.action);
                            }
                        }
                    }
                    for [takes, drains, fills] in lists {
                        kinds.push(Kind::Tokens);
                        taking.push(takes);
                        draining.push(drains);
                        filling.push(fills);
                    }
                }
            }
        }
        Self { system, slots, kinds, doing, leaving, taking, draining, filling }
    }

    /// What a rule adds for an action: all of `added`, which may hold actions that are there already.
    fn apply(&self, action: ActionId, state: &State<'_>, is_in: &dyn Fn(ActionId) -> bool, added: &mut Vec<ActionId>) {
        let parts = &self.system.action(action).parts;
        if state.can(action) {
            for &component in parts {
                match &self.system.component(component).behaviour {
                    Behaviour::Lts(_) => added.extend_from_slice(self.doing.of(self.place(component, state.values))),
                    Behaviour::Net(net) => self.conflicting(net, component, action, state, is_in, added),
                }
            }
            return;
        }
        // The part that adds the least.
        let mut best: Option<(usize, Range<usize>)> = None;
        let first = added.len();
        for &component in parts {
            let start = added.len();
            match &self.system.component(component).behaviour {
                Behaviour::Lts(_) => {
                    let place = self.place(component, state.values);
                    if self.doing.of(place).binary_search(&action).is_ok() {
                        continue;
                    }
                    added.extend_from_slice(self.leaving.of(place));
                }
                Behaviour::Net(net) => {
                    let own = &state.values[self.slots.of(component)];
                    let is_ready = |t: usize| net.transitions[t].takes.iter().all(|&(p, n)| own[p as usize] >= n);
                    if net.doing(action).any(is_ready) {
                        continue;
                    }
                    for t in net.doing(action) {
                        self.enabling(net, component, t, own, is_in, added);
                    }
                }
            }
            let cost = added[start..].iter().filter(|a| !is_in(**a)).count();
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, start..added.len()));
            }
        }
        let Range { start, end } = best.map_or(first..first, |(_, range)| range);
        added.truncate(end);
        added.drain(first..start);
    }

    /// What an action that can take place has to have with it because of a net.
    fn conflicting(
        &self,
        net: &Net,
        component: ComponentId,
        action: ActionId,
        state: &State<'_>,
        is_in: &dyn Fn(ActionId) -> bool,
        added: &mut Vec<ActionId>,
    ) {
        let own = self.slots.of(component);
        for t in net.doing(action) {
            let transition = &net.transitions[t];
            let values = &state.values[own.clone()];
            if transition.takes.iter().any(|&(p, n)| values[p as usize] < n) {
                self.enabling(net, component, t, values, is_in, added);
                continue;
            }
            for &(place, takes) in &transition.takes {
                let drains = count(&transition.puts, place) < takes;
                let lists = if drains { &self.taking } else { &self.draining };
                added.extend_from_slice(lists.of(own.start + place as usize));
            }
        }
    }

    /// What brings tokens to one of the places that have too few for a transition.
    fn enabling(
        &self,
        net: &Net,
        component: ComponentId,
        transition: usize,
        own: &[u32],
        is_in: &dyn Fn(ActionId) -> bool,
        added: &mut Vec<ActionId>,
    ) {
        let first = self.slots.of(component).start;
        let lacking = net.transitions[transition].takes.iter().filter(|&&(p, n)| own[p as usize] < n);
        let lists = lacking.map(|&(place, _)| self.filling.of(first + place as usize));
        let best = lists.min_by_key(|list| list.iter().filter(|a| !is_in(**a)).count());
        added.extend_from_slice(best.unwrap_or_default());
    }

    /// Where the lists of the state are that a transition system is in.
    fn place(&self, component: ComponentId, values: &[u32]) -> usize {
        let slot = self.slots.of(component).start;
        match self.kinds[slot] {
            Kind::State(first) => first + values[slot] as usize,
            Kind::Tokens => unreachable!("a transition system has a slot for its state"),
        }
    }

    /// Actions of which every run from here to a state in which a predicate has a value has one, together with what the rules add to them. It has
    /// the other value here.
    fn towards(&self, Goal { predicate, value }: Goal<'_>, state: &State<'_>, added: &mut Vec<ActionId>) {
        match predicate {
            // It never becomes another one.
            Predicate::Constant(_) => {}
            Predicate::Linear(terms, op, bound) => {
                let (sum, bound) = (sum(terms, state.values), i128::from(*bound));
                let (more, less) = match if value { *op } else { negated(*op) } {
                    Compare::Lt | Compare::Le => (false, true),
                    Compare::Gt | Compare::Ge => (true, false),
                    Compare::Eq => (sum < bound, sum > bound),
                    Compare::Ne => (true, true),
                };
                for &(slot, factor) in terms {
                    let slot = slot as usize;
                    match self.kinds[slot] {
                        // Numbers of states are names: whatever changes them may be on the way to where the sum is right.
                        Kind::State(first) => {
                            added.extend_from_slice(self.leaving.of(first + state.values[slot] as usize));
                        }
                        Kind::Tokens => {
                            let (more, less) = if factor > 0 { (more, less) } else { (less, more) };
                            added.extend(more.then(|| self.filling.of(slot)).into_iter().flatten());
                            added.extend(less.then(|| self.draining.of(slot)).into_iter().flatten());
                        }
                    }
                }
            }
            // None can take place; one of them has to become possible.
            Predicate::Enabled(actions) if value => added.extend_from_slice(actions),
            // All that can take place have to become impossible: so has the first.
            Predicate::Enabled(actions) => added.extend(actions.iter().copied().find(|a| state.can(*a))),
            Predicate::Dead if value => added.extend(state.possible.first()),
            // Nothing can take place here.
            Predicate::Dead => {}
            Predicate::Not(p) => self.towards(Goal { predicate: p, value: !value }, state, added),
            Predicate::And(parts) | Predicate::Or(parts) => {
                let each = parts.iter().map(|predicate| Goal { predicate, value });
                if matches!(predicate, Predicate::And(_)) == value {
                    // All parts have to have the value. One that has not is enough to follow: the one with the fewest actions.
                    let first = added.len();
                    let mut best: Option<Range<usize>> = None;
                    for goal in each.filter(|goal| state.satisfies(goal.predicate) != value) {
                        let start = added.len();
                        self.towards(goal, state, added);
                        if best.as_ref().is_none_or(|best| added.len() - start < best.len()) {
                            best = Some(start..added.len());
                        }
                    }
                    let Range { start, end } = best.unwrap_or(first..first);
                    added.truncate(end);
                    added.drain(first..start);
                } else {
                    // None has it.
                    each.for_each(|goal| self.towards(goal, state, added));
                }
            }
        }
    }
}

fn count(counts: &[(u32, u32)], place: u32) -> u32 {
    counts.binary_search_by_key(&place, |&(p, _)| p).map_or(0, |at| counts[at].1)
}

fn negated(op: Compare) -> Compare {
    match op {
        Compare::Eq => Compare::Ne,
        Compare::Ne => Compare::Eq,
        Compare::Lt => Compare::Ge,
        Compare::Ge => Compare::Lt,
        Compare::Gt => Compare::Le,
        Compare::Le => Compare::Gt,
    }
}

/// As by definition: no sum leaves 128 bits.
fn sum(terms: &[(u32, i64)], values: &[u32]) -> i128 {
    terms.iter().map(|&(slot, factor)| i128::from(factor) * i128::from(values[slot as usize])).sum()
}

/// A state, and what can take place in it.
pub(super) struct State<'a> {
    pub(super) values: &'a [u32],
    /// Ascending, each once.
    pub(super) possible: &'a [ActionId],
}

impl State<'_> {
    fn can(&self, action: ActionId) -> bool {
        self.possible.binary_search(&action).is_ok()
    }

    /// Whether it satisfies a predicate.
    pub(super) fn satisfies(&self, predicate: &Predicate) -> bool {
        match predicate {
            Predicate::Constant(value) => *value,
            Predicate::Linear(terms, op, bound) => op.holds(&sum(terms, self.values), &i128::from(*bound)),
            Predicate::Enabled(actions) => actions.iter().any(|a| self.can(*a)),
            Predicate::Dead => self.possible.is_empty(),
            Predicate::Not(p) => !self.satisfies(p),
            Predicate::And(parts) => parts.iter().all(|p| self.satisfies(p)),
            Predicate::Or(parts) => parts.iter().any(|p| self.satisfies(p)),
        }
    }
}

const NEW: u32 = 0;

/// A place on the way through the graph of the rules.
struct Frame {
    action: ActionId,
    /// What it leads to, in the list of all.
    next: usize,
    end: usize,
}

/// Finds stubborn sets, again and again.
pub(super) struct Stubborn<'s> {
    rules: Rules<'s>,
    /// By action: when it was met, [`NEW`] if it was not; and the first of those that it leads back to.
    met: Vec<u32>,
    low: Vec<u32>,
    is_open: Vec<bool>,
    order: Vec<ActionId>,
    added: Vec<ActionId>,
    /// How much was looked at.
    pub(super) looks: u64,
}

impl<'s> Stubborn<'s> {
    pub(super) fn new(system: &'s System) -> Self {
        let actions = system.actions.len();
        let (met, low, is_open) = (vec![NEW; actions], vec![NEW; actions], vec![false; actions]);
        Self { rules: Rules::new(system), met, low, is_open, order: Vec::new(), added: Vec::new(), looks: 0 }
    }

    /// The actions to follow from a state that is not looked for itself: those of a stubborn set that can take place, ascending.
    pub(super) fn actions(&mut self, state: &State<'_>, goal: Goal<'_>) -> Vec<ActionId> {
        let mut chosen = match (goal.predicate, state.possible.first()) {
            (Predicate::Dead, Some(&first)) if goal.value => self.smallest(state, first),
            _ => {
                self.added.clear();
                let mut added = std::mem::take(&mut self.added);
                self.rules.towards(goal, state, &mut added);
                self.added = added;
                self.closed(state)
            }
        };
        for action in self.order.drain(..) {
            self.met[action.index()] = NEW;
            self.is_open[action.index()] = false;
        }
        chosen.sort_unstable();
        chosen
    }

    /// What can take place of all that the rules lead to from `added`.
    fn closed(&mut self, state: &State<'_>) -> Vec<ActionId> {
        let mut done = 0;
        loop {
            self.looks += self.added.len() as u64;
            for &action in &self.added {
                if self.met[action.index()] == NEW {
                    self.met[action.index()] = 1;
                    self.order.push(action);
                }
            }
            self.added.clear();
            let Some(&action) = self.order.get(done) else { break };
            done += 1;
            let met = &self.met;
            self.rules.apply(action, state, &|a| met[a.index()] != NEW, &mut self.added);
        }
        self.order.iter().copied().filter(|a| state.can(*a)).collect()
    }

    /// What can take place of a smallest set that the rules do not lead out of, and in which something can.
    fn smallest(&mut self, state: &State<'_>, first: ActionId) -> Vec<ActionId> {
        self.added.clear();
        let mut open: Vec<ActionId> = Vec::new();
        let mut frames = vec![self.enter(first, state, &mut open)];
        while let Some(frame) = frames.last_mut() {
            let action = frame.action;
            if frame.next < frame.end {
                let to = self.added[frame.next];
                frame.next += 1;
                if self.met[to.index()] == NEW {
                    let entered = self.enter(to, state, &mut open);
                    frames.push(entered);
                } else if self.is_open[to.index()] {
                    self.low[action.index()] = self.low[action.index()].min(self.met[to.index()]);
                }
                continue;
            }
            frames.pop();
            let low = self.low[action.index()];
            if low == self.met[action.index()] {
                let start = open.iter().rposition(|a| *a == action).unwrap_or(0);
                let component = open.split_off(start);
                component.iter().for_each(|a| self.is_open[a.index()] = false);
                let can: Vec<ActionId> = component.into_iter().filter(|a| state.can(*a)).collect();
                if !can.is_empty() {
                    return can;
                }
            }
            if let Some(before) = frames.last() {
                let before = before.action.index();
                self.low[before] = self.low[before].min(low);
            }
        }
        // Not reached: the first action can take place, and is in some component.
        state.possible.to_vec()
    }

    fn enter(&mut self, action: ActionId, state: &State<'_>, open: &mut Vec<ActionId>) -> Frame {
        self.order.push(action);
        let number = self.order.len() as u32;
        (self.met[action.index()], self.low[action.index()]) = (number, number);
        self.is_open[action.index()] = true;
        open.push(action);
        let start = self.added.len();
        let met = &self.met;
        self.rules.apply(action, state, &|a| met[a.index()] != NEW, &mut self.added);
        self.looks += 1 + (self.added.len() - start) as u64;
        Frame { action, next: start, end: self.added.len() }
    }
}
