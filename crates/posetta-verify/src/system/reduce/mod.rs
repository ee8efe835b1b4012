//! A smaller net that answers the same question.
//!
//! Before states are looked at, a net is made smaller where its arcs alone show that the answer stays the same. What may be done depends on the
//! question ([`Keeps`]):
//!
//! - whether a state can be reached, and how many tokens there can be: only the tokens of the places that are asked about count (*observed*
//!   places). The smaller net reaches the same numbers of tokens there, no more and no less;
//! - whether there is a deadlock: the smaller net has one if and only if the net has;
//! - anything else: the smaller net is bisimilar, transition by transition, for whoever does not look at the places that are gone.
//!
//! Each rule says why it is right where it stands: [`rules`] leaves out places and transitions, [`agglomerate`] makes one transition of two that can
//! follow each other at once (Berthelot 1987; for reachability Thierry-Mieg 2020). [`equation`] looks for a proof that a state cannot be reached.
//! A transition of the smaller net stands for a word of transitions of the net, so that a run of one is spelt out as a run of the other, and then
//! replayed like all others.

mod agglomerate;
mod equation;
mod rules;
mod simplex;

use std::collections::BTreeSet;

use posetta_base::{ActionId, Budget, ComponentId, OverBudget};
use posetta_logic::Compare;
use posetta_model::system::{
    Action, Behaviour, Component, Demand, End, Local, MOST_TOKENS, Move, Net, Place, Predicate, Run, System, Transition,
};

pub(super) use equation::{at_most, is_bounded, is_unreachable};

const WHAT: &str = "making a net smaller";

/// What the smaller net has in common with the net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keeps {
    /// The numbers of tokens in observed places that can be reached.
    Tokens,
    /// Whether there is a deadlock.
    Deadlock,
    /// All runs and all choices, as far as observed places show them.
    Choices,
}

/// A transition that stands for some of the net, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    /// By place, ascending: what it takes and what it puts.
    takes: Vec<(u32, u32)>,
    puts: Vec<(u32, u32)>,
    /// Places of transitions in the net's list.
    word: Vec<u32>,
}

/// The tokens of a place in such a list.
fn tokens(list: &[(u32, u32)], place: u32) -> u32 {
    list.binary_search_by_key(&place, |&(p, _)| p).map_or(0, |at| list[at].1)
}

/// Takes a place out of such a list.
fn forget(list: &mut Vec<(u32, u32)>, place: u32) {
    list.retain(|&(p, _)| p != place);
}

/// What two lists have together; `None` if a number is too large.
fn sum(a: &[(u32, u32)], b: &[(u32, u32)]) -> Option<Vec<(u32, u32)>> {
    let mut all = a.to_vec();
    for &(place, n) in b {
        match all.binary_search_by_key(&place, |&(p, _)| p) {
            Ok(at) => all[at].1 = all[at].1.checked_add(n).filter(|&n| n <= MOST_TOKENS)?,
            Err(at) => all.insert(at, (place, n)),
        }
    }
    Some(all)
}

impl Step {
    /// How many tokens more a place has afterwards.
    fn effect(&self, place: u32) -> i64 {
        i64::from(tokens(&self.puts, place)) - i64::from(tokens(&self.takes, place))
    }

    /// The places that it takes from or puts to, each once.
    fn places(&self) -> BTreeSet<u32> {
        self.takes.iter().chain(&self.puts).map(|&(place, _)| place).collect()
    }
}

/// A net that becomes smaller.
struct Draft<'b> {
    keeps: Keeps,
    budget: &'b Budget,
    initial: Vec<u32>,
    observed: Vec<bool>,
    /// By place: whether it is still there.
    is_left: Vec<bool>,
    /// `None` where a transition is gone.
    steps: Vec<Option<Step>>,
    /// By place: the steps that take from it, and those that put to it.
    takers: Vec<BTreeSet<u32>>,
    putters: Vec<BTreeSet<u32>>,
    /// What takes place before anything else.
    first: Vec<u32>,
}

impl<'b> Draft<'b> {
    fn new(net: &Net, observed: Vec<bool>, keeps: Keeps, budget: &'b Budget) -> Self {
        let mut draft = Self {
            keeps,
            budget,
            initial: net.places.iter().map(|p| p.initial).collect(),
            is_left: vec![true; net.places.len()],
            takers: vec![BTreeSet::new(); net.places.len()],
            putters: vec![BTreeSet::new(); net.places.len()],
            observed,
            steps: Vec::new(),
            first: Vec::new(),
        };
        for (i, transition) in (0..).zip(&net.transitions) {
            draft.add(Step { takes: transition.takes.clone(), puts: transition.puts.clone(), word: vec![i] });
        }
        draft
    }

    fn add(&mut self, step: Step) {
        let id = self.steps.len() as u32;
        step.takes.iter().for_each(|&(p, _)| _ = self.takers[p as usize].insert(id));
        step.puts.iter().for_each(|&(p, _)| _ = self.putters[p as usize].insert(id));
        self.steps.push(Some(step));
    }

    fn remove(&mut self, id: u32) -> Option<Step> {
        let step = self.steps[id as usize].take()?;
        step.takes.iter().for_each(|&(p, _)| _ = self.takers[p as usize].remove(&id));
        step.puts.iter().for_each(|&(p, _)| _ = self.putters[p as usize].remove(&id));
        Some(step)
    }

    /// Those that are left, with their places in the list.
    fn steps(&self) -> impl Iterator<Item = (u32, &Step)> {
        (0..).zip(&self.steps).filter_map(|(id, step)| Some((id, step.as_ref()?)))
    }

    fn step(&self, id: u32) -> &Step {
        self.steps[id as usize].as_ref().expect("lists name those that are left")
    }

    /// The places that are left, ascending.
    fn places(&self) -> impl Iterator<Item = u32> + use<> {
        let left: Vec<u32> = (0..).zip(&self.is_left).filter(|(_, left)| **left).map(|(place, _)| place).collect();
        left.into_iter()
    }

    /// Whether the tokens of all observed places stay as they are.
    fn is_unseen(&self, step: &Step) -> bool {
        step.places().into_iter().all(|place| !self.observed[place as usize] || step.effect(place) == 0)
    }

    /// Takes away a place and its arcs.
    fn drop_place(&mut self, place: u32) {
        self.is_left[place as usize] = false;
        for id in std::mem::take(&mut self.takers[place as usize]) {
            self.steps[id as usize].iter_mut().for_each(|step| forget(&mut step.takes, place));
        }
        for id in std::mem::take(&mut self.putters[place as usize]) {
            self.steps[id as usize].iter_mut().for_each(|step| forget(&mut step.puts, place));
        }
    }

    /// Applies all rules until nothing changes.
    fn shrink(&mut self) -> Result<(), OverBudget> {
        loop {
            self.budget.step(1 + self.steps.len() as u64 + self.initial.len() as u64, WHAT)?;
            let mut changed = self.drop_dead()?;
            if self.keeps == Keeps::Tokens {
                changed |= self.slice()?;
            }
            changed |= self.drop_tests()?;
            changed |= self.drop_places()?;
            if self.keeps != Keeps::Choices {
                changed |= self.drop_weaker()?;
                changed |= self.agglomerate()?;
            }
            if !changed {
                return Ok(());
            }
        }
    }
}

/// A smaller net in place of a net, and a question about it in place of another.
pub(super) struct Reduced {
    pub(super) system: System,
    pub(super) demand: Demand,
    words: Vec<Vec<u32>>,
    first: Vec<u32>,
    /// How large the net was: places, transitions.
    was: (usize, usize),
}

impl Reduced {
    /// The net of a system that has nothing else, made smaller for one question; `None` if nothing was done.
    pub(super) fn new(system: &System, demand: &Demand, budget: &Budget) -> Result<Option<Self>, OverBudget> {
        let Some((net, keeps, demand)) = question(system, demand) else { return Ok(None) };
        let mut observed = vec![false; net.places.len()];
        observe(&demand, &mut observed);
        let mut draft = Draft::new(net, observed, keeps, budget);
        let size: usize = net.transitions.iter().map(|t| t.takes.len() + t.puts.len()).sum();
        let _claim = budget.claim(64 * (size + net.transitions.len() + net.places.len()) as u64, WHAT)?;
        draft.shrink()?;
        let mut left: Vec<u32> = draft.places().collect();
        if left.is_empty() {
            // A net has a place.
            left.push(0);
        }
        let steps: Vec<Step> = draft.steps().map(|(_, step)| step.clone()).collect();
        if left.len() == net.places.len() && steps.len() == net.transitions.len() && draft.first.is_empty() {
            return Ok(None);
        }
        let place = |old: u32| left.binary_search(&old).map_or(0, |new| new as u32);
        let renamed = |list: &[(u32, u32)]| list.iter().map(|&(p, n)| (place(p), n)).collect();
        let component = ComponentId::from_raw(0);
        // Choices are between actions, which formulas may name. Otherwise each step is an action.
        let mut actions = if keeps == Keeps::Choices { system.actions.clone() } else { Vec::new() };
        let (mut transitions, mut words) = (Vec::with_capacity(steps.len()), Vec::with_capacity(steps.len()));
        for step in steps {
            let mut action = net.transitions[step.word[0] as usize].action;
            if keeps != Keeps::Choices {
                let own = system.action(action);
                action = ActionId::from_raw(actions.len() as u32);
                actions.push(Action { name: own.name.clone(), internal: own.internal, parts: vec![component] });
            }
            transitions.push(Transition { action, takes: renamed(&step.takes), puts: renamed(&step.puts) });
            words.push(step.word);
        }
        let places = left.iter().map(|&p| Place {
            name: net.places[p as usize].name.clone(),
            initial: if draft.is_left[p as usize] { draft.initial[p as usize] } else { 0 },
        });
        let smaller = Net { places: places.collect(), transitions, units: None };
        let behaviour = Behaviour::Net(smaller);
        let reduced = System {
            name: system.name.clone(),
            actions,
            components: vec![Component { name: system.components[0].name.clone(), behaviour }],
            warnings: Vec::new(),
        };
        let first = std::mem::take(&mut draft.first);
        let was = (net.places.len(), net.transitions.len());
        Ok(Some(Self { system: reduced, demand: renumbered(&demand, &place), words, first, was }))
    }

    /// How many places and transitions are left.
    pub(super) fn size(&self) -> (u64, u64) {
        match &self.system.components[0].behaviour {
            Behaviour::Net(net) => (net.places.len() as u64, net.transitions.len() as u64),
            Behaviour::Lts(_) => (0, 0),
        }
    }

    /// Whether so little is left that its states are worth being looked at by themselves: at least a quarter of the places or of the
    /// transitions is gone.
    pub(super) fn is_much_smaller(&self) -> bool {
        let (places, transitions) = self.size();
        4 * places <= 3 * self.was.0 as u64 || 4 * transitions <= 3 * self.was.1 as u64
    }

    /// A run of the smaller net as one of the net. `None` if it does not go round where it should, since tokens pile up in a place that is gone, or if
    /// more tokens would come to such a place than can be counted.
    pub(super) fn spelt(&self, system: &System, run: &Run) -> Option<Run> {
        let Behaviour::Net(net) = &system.components[0].behaviour else { return None };
        let of = |step: &Move| step.locals.first().map_or(&[][..], |local| &self.words[local.0 as usize]);
        let words = [self.first.as_slice()].into_iter().chain(run.steps.iter().map(of));
        let mut counts: Vec<u64> = net.places.iter().map(|p| u64::from(p.initial)).collect();
        let (mut steps, mut turn) = (Vec::new(), None);
        for (before, word) in words.enumerate() {
            for &t in word {
                let transition = &net.transitions[t as usize];
                for &(place, n) in &transition.takes {
                    let count = &mut counts[place as usize];
                    *count = count.saturating_sub(u64::from(n));
                }
                for &(place, n) in &transition.puts {
                    counts[place as usize] += u64::from(n);
                    if counts[place as usize] > u64::from(MOST_TOKENS) {
                        return None;
                    }
                }
                steps.push(Move { action: transition.action, locals: vec![Local(t)] });
            }
            if run.end == End::Cycle(before) {
                turn = Some((steps.len(), counts.clone()));
            }
        }
        let end = match turn {
            Some((to, then)) if then == counts => End::Cycle(to),
            Some(_) => return None,
            None => run.end,
        };
        Some(Run { steps, end })
    }
}

/// The net of a system that has nothing else, what has to be kept, and the question in terms of tokens.
fn question<'s>(system: &'s System, demand: &Demand) -> Option<(&'s Net, Keeps, Demand)> {
    let [Component { behaviour: Behaviour::Net(net), .. }] = system.components.as_slice() else { return None };
    if net.places.is_empty() {
        return None;
    }
    let is_dead = |p: &Predicate| matches!(p, Predicate::Dead);
    let of_tokens = |p: &Predicate| in_tokens(net, p);
    let asks_tokens = |p: &Predicate| if asks_dead(p) { Keeps::Choices } else { Keeps::Tokens };
    let (keeps, demand) = match demand {
        Demand::NoDeadlock => (Keeps::Deadlock, Demand::NoDeadlock),
        Demand::Reach(p) if is_dead(p) => (Keeps::Deadlock, demand.clone()),
        Demand::Invariant(Predicate::Not(p)) if is_dead(p) => (Keeps::Deadlock, demand.clone()),
        Demand::Reach(p) => (asks_tokens(p), Demand::Reach(of_tokens(p))),
        Demand::Invariant(p) => (asks_tokens(p), Demand::Invariant(of_tokens(p))),
        Demand::Bound(slots) => (Keeps::Tokens, Demand::Bound(slots.clone())),
        Demand::States(f) => (Keeps::Choices, Demand::States(f.map_atoms(&mut |p| of_tokens(p)))),
        Demand::Branching(f) => (Keeps::Choices, Demand::Branching(f.map_atoms(&mut |p| of_tokens(p)))),
        Demand::Actions(_) | Demand::NoLivelock => (Keeps::Choices, demand.clone()),
        Demand::Finite(_) => return None,
    };
    Some((net, keeps, demand))
}

/// Whether a predicate asks if nothing can take place.
fn asks_dead(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::Dead => true,
        Predicate::Not(p) => asks_dead(p),
        Predicate::And(parts) | Predicate::Or(parts) => parts.iter().any(asks_dead),
        Predicate::Constant(_) | Predicate::Linear(..) | Predicate::Enabled(_) => false,
    }
}

/// A predicate that names no action: that one can take place is that one of its transitions has its tokens.
fn in_tokens(net: &Net, predicate: &Predicate) -> Predicate {
    let all = |parts: &[Predicate]| parts.iter().map(|p| in_tokens(net, p)).collect();
    match predicate {
        Predicate::Constant(_) | Predicate::Linear(..) | Predicate::Dead => predicate.clone(),
        Predicate::Enabled(actions) => {
            let needs = |&(place, n): &(u32, u32)| Predicate::Linear(vec![(place, 1)], Compare::Ge, i64::from(n));
            let can = |t: usize| Predicate::And(net.transitions[t].takes.iter().map(needs).collect());
            Predicate::Or(actions.iter().flat_map(|&action| net.doing(action)).map(can).collect())
        }
        Predicate::Not(p) => Predicate::Not(Box::new(in_tokens(net, p))),
        Predicate::And(parts) => Predicate::And(all(parts)),
        Predicate::Or(parts) => Predicate::Or(all(parts)),
    }
}

/// Marks the places that a question is about.
fn observe(demand: &Demand, observed: &mut [bool]) {
    fn mark(predicate: &Predicate, observed: &mut [bool]) {
        match predicate {
            Predicate::Linear(terms, ..) => terms.iter().for_each(|&(slot, _)| observed[slot as usize] = true),
            Predicate::Not(p) => mark(p, observed),
            Predicate::And(parts) | Predicate::Or(parts) => parts.iter().for_each(|p| mark(p, observed)),
            Predicate::Constant(_) | Predicate::Enabled(_) | Predicate::Dead => {}
        }
    }
    match demand {
        Demand::Reach(p) | Demand::Invariant(p) => mark(p, observed),
        Demand::Bound(slots) => slots.iter().for_each(|&slot| observed[slot as usize] = true),
        Demand::States(f) => _ = f.map_atoms(&mut |p| mark(p, observed)),
        Demand::Branching(f) => _ = f.map_atoms(&mut |p| mark(p, observed)),
        Demand::Actions(_) | Demand::Finite(_) | Demand::NoDeadlock | Demand::NoLivelock => {}
    }
}

/// The question with other numbers of places.
fn renumbered(demand: &Demand, place: &dyn Fn(u32) -> u32) -> Demand {
    fn in_predicate(predicate: &Predicate, place: &dyn Fn(u32) -> u32) -> Predicate {
        let all = |parts: &[Predicate]| parts.iter().map(|p| in_predicate(p, place)).collect();
        match predicate {
            Predicate::Linear(terms, op, bound) => {
                Predicate::Linear(terms.iter().map(|&(slot, factor)| (place(slot), factor)).collect(), *op, *bound)
            }
            Predicate::Not(p) => Predicate::Not(Box::new(in_predicate(p, place))),
            Predicate::And(parts) => Predicate::And(all(parts)),
            Predicate::Or(parts) => Predicate::Or(all(parts)),
            other => other.clone(),
        }
    }
    match demand {
        Demand::Reach(p) => Demand::Reach(in_predicate(p, place)),
        Demand::Invariant(p) => Demand::Invariant(in_predicate(p, place)),
        Demand::Bound(slots) => Demand::Bound(slots.iter().map(|&slot| place(slot)).collect()),
        Demand::States(f) => Demand::States(f.map_atoms(&mut |p| in_predicate(p, place))),
        Demand::Branching(f) => Demand::Branching(f.map_atoms(&mut |p| in_predicate(p, place))),
        other => other.clone(),
    }
}
