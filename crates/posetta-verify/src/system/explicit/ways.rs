//! What can happen in a state, prepared so that little is looked at.
//!
//! `System::moves` is the definition and asks every action. Here each action is led by one of its parts, if possible by
//! the transition system that can do it in the smallest share of its states: actions are looked at only where the arcs
//! of their leader are. An action that nets do alone is looked at only where a place has tokens that one of them takes
//! from; where that net has several transitions for it, in every state. Where a leader leads many actions from a state,
//! these are sorted out by the states of others ([`sorted`](super::sorted)).

use std::cell::OnceCell;
use std::ops::Range;

use super::sorted::{Components, Doing, Item, NOWHERE, Sorted};
use posetta_base::{ActionId, ComponentId};
use posetta_model::system::{Behaviour, LtsArc, MOST_TOKENS, Slots, System};

/// A slot and the number that it gets.
pub(in crate::system) type Change = (u32, u32);

/// What is told of each step: the action, and the slots that change.
pub(in crate::system) type Told<'a, E> = dyn FnMut(ActionId, &[Change]) -> Result<(), E> + 'a;

/// Any number of tokens: enough for every transition. What a step changes it to means nothing.
pub(in crate::system) const OMEGA: u32 = MOST_TOKENS + 1;

/// More tokens than can be counted would come to this slot.
pub(in crate::system) struct TooMany(pub(in crate::system) u32);

/// A transition of a net, by slots.
#[derive(Debug)]
struct Firing {
    takes: Box<[(u32, u32)]>,
    /// Slot, what goes, what comes; without those that stay the same.
    changes: Box<[(u32, u32, u32)]>,
}

/// How a component takes part in an action.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// A transition system, by component.
    Lts(usize),
    /// Transitions of nets.
    Net(Range<usize>),
}

/// A transition system.
#[derive(Debug)]
struct Table<'s> {
    slot: u32,
    /// By state: where its arcs begin; one more at the end.
    starts: Vec<u32>,
    arcs: &'s [LtsArc],
    /// Likewise the actions that it leads, and which of the arcs are theirs.
    led_starts: Vec<u32>,
    led: Vec<(ActionId, Range<u32>)>,
    /// Likewise where these are sorted out; nothing if they are in no state.
    sorted: Vec<u32>,
}

impl<'s> Table<'s> {
    fn of(&self, state: u32) -> &'s [LtsArc] {
        &self.arcs[self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize]
    }

    /// The actions that it leads from a state, with their arcs.
    fn led(&self, state: u32) -> &[(ActionId, Range<u32>)] {
        &self.led[self.led_starts[state as usize] as usize..self.led_starts[state as usize + 1] as usize]
    }

    /// Notes which actions it leads.
    fn lead(&mut self, is_led: impl Fn(ActionId) -> bool) {
        self.led_starts.push(0);
        for state in 0..self.starts.len() - 1 {
            let mut at = self.starts[state];
            for same in self.of(state as u32).chunk_by(|a, b| a.action == b.action) {
                let end = at + same.len() as u32;
                if is_led(same[0].action) {
                    self.led.push((same[0].action, at..end));
                }
                at = end;
            }
            self.led_starts.push(self.led.len() as u32);
        }
    }

    /// Arcs from a state with an action.
    fn doing(&self, state: u32, action: ActionId) -> &'s [LtsArc] {
        let arcs = self.of(state);
        let first = if arcs.len() < 9 {
            arcs.iter().position(|a| a.action >= action).unwrap_or(arcs.len())
        } else {
            arcs.partition_point(|a| a.action < action)
        };
        let count = arcs[first..].iter().take_while(|a| a.action == action).count();
        &arcs[first..first + count]
    }
}

/// What trees are made from.
struct Index<'a, 's> {
    tables: &'a [Option<Table<'s>>],
    /// By component: what it can do in which state, by action, once somebody has asked.
    doing: Vec<OnceCell<Vec<Doing>>>,
}

impl Components for Index<'_, '_> {
    fn shape(&self, component: usize) -> (u32, usize) {
        self.tables[component].as_ref().map_or((0, 0), |table| (table.slot, table.starts.len() - 1))
    }

    fn doing(&self, component: usize, action: ActionId) -> &[Doing] {
        let all = self.doing[component].get_or_init(|| {
            let (mut all, mut at) = (Vec::new(), 0);
            let arcs = self.tables[component].as_ref().map_or(&[][..], |table| table.arcs);
            for same in arcs.chunk_by(|a, b| (a.from, a.action) == (b.from, b.action)) {
                all.push((same[0].action, same[0].from, at..at + same.len() as u32));
                at += same.len() as u32;
            }
            all.sort_unstable_by_key(|(action, from, _)| (*action, *from));
            all
        });
        let first = all.partition_point(|(other, _, _)| *other < action);
        let count = all[first..].iter().take_while(|(other, _, _)| *other == action).count();
        &all[first..first + count]
    }
}

/// The steps of a system, prepared.
#[derive(Default)]
pub(in crate::system) struct Ways<'s> {
    /// By component; `None` for nets.
    tables: Vec<Option<Table<'s>>>,
    sorted: Sorted,
    /// By action, the leader first.
    parts: Vec<Box<[Part]>>,
    /// Actions that only nets do, by a slot that has to have tokens for them; and those for which there is no such
    /// slot.
    watching: Vec<(u32, Box<[ActionId]>)>,
    unwatched: Vec<ActionId>,
    firings: Vec<Firing>,
}

/// What is needed while steps are looked for, kept to be used again.
#[derive(Default)]
pub(in crate::system) struct Scratch<'s> {
    choices: Vec<Choice<'s>>,
    enabled: Vec<u32>,
    chosen: Vec<usize>,
    changes: Vec<Change>,
    /// Places where actions are sorted out that were not looked at yet.
    open: Vec<u32>,
    /// How many parts of actions were looked at.
    pub(in crate::system) looks: u64,
}

/// What one part of an action can do.
#[derive(Clone)]
enum Choice<'s> {
    Arcs(u32, &'s [LtsArc]),
    /// A part of the list of what is enabled.
    Firings(Range<usize>),
}

impl Choice<'_> {
    fn count(&self) -> usize {
        match self {
            Self::Arcs(_, arcs) => arcs.len(),
            Self::Firings(list) => list.len(),
        }
    }
}

impl<'s> Ways<'s> {
    pub(in crate::system) fn new(system: &'s System, slots: &Slots) -> Self {
        let mut tables: Vec<Option<Table<'s>>> = system.component_ids().map(|c| table(system, slots, c)).collect();
        let (mut firings, mut leader, mut by_nets) = (Vec::new(), Vec::new(), Vec::new());
        let mut parts: Vec<Box<[Part]>> = Vec::new();
        // By component and action: in how many states it can be done. Arcs are ordered by state, then action.
        let mut states_with: Vec<rustc_hash::FxHashMap<ActionId, u64>> = vec![Default::default(); tables.len()];
        for (table, counts) in tables.iter().zip(&mut states_with) {
            let arcs = table.as_ref().map_or(&[][..], |table| table.arcs);
            for same in arcs.chunk_by(|a, b| (a.from, a.action) == (b.from, b.action)) {
                *counts.entry(same[0].action).or_default() += 1;
            }
        }
        // By slot: how many transitions take from it.
        let mut takers_of = vec![0_u32; slots.count()];
        for component in system.component_ids() {
            if let Behaviour::Net(net) = &system.component(component).behaviour {
                let first = slots.of(component).start;
                let takes = net.transitions.iter().flat_map(|t| &t.takes);
                takes.for_each(|&(place, _)| takers_of[first + place as usize] += 1);
            }
        }
        for action in system.action_ids() {
            let takers = &system.action(action).parts;
            let mut own: Vec<Part> = Vec::with_capacity(takers.len());
            let share = |c: &&ComponentId| {
                let states = tables[c.index()].as_ref().map_or(1, |t| t.starts.len() as u64 - 1);
                states_with[c.index()].get(&action).copied().unwrap_or(0).saturating_mul(1 << 20) / states
            };
            let led = takers.iter().filter(|c| tables[c.index()].is_some()).min_by_key(share).map(|c| c.index());
            own.extend(led.map(Part::Lts));
            for component in takers.iter().filter(|c| Some(c.index()) != led) {
                match &system.component(*component).behaviour {
                    Behaviour::Lts(_) => own.push(Part::Lts(component.index())),
                    Behaviour::Net(net) => {
                        let start = firings.len();
                        let first = slots.of(*component).start as u32;
                        for i in net.doing(action) {
                            let transition = &net.transitions[i];
                            firings.push(firing(first, &transition.takes, &transition.puts));
                        }
                        own.push(Part::Net(start..firings.len()));
                    }
                }
            }
            if led.is_none() && !own.is_empty() {
                by_nets.push(action);
            }
            leader.push(led);
            parts.push(own.into());
        }
        // The place that the fewest take from: it has tokens least often, as far as one can tell.
        let mut watching: Vec<Vec<ActionId>> = vec![Vec::new(); slots.count()];
        let mut unwatched = Vec::new();
        for action in by_nets {
            let slot = match &parts[action.index()][0] {
                Part::Net(range) if range.len() == 1 => {
                    let takes = firings[range.start].takes.iter().map(|&(slot, _)| slot as usize);
                    takes.min_by_key(|&slot| takers_of[slot])
                }
                _ => None,
            };
            slot.map_or(&mut unwatched, |slot| &mut watching[slot]).push(action);
        }
        let watching = (0..).zip(watching).filter(|(_, list)| !list.is_empty());
        let watching = watching.map(|(slot, list)| (slot, list.into())).collect();
        for (component, table) in tables.iter_mut().enumerate() {
            if let Some(table) = table {
                table.lead(|action: ActionId| leader[action.index()] == Some(component));
            }
        }
        let mut ways = Self { tables, sorted: Sorted::default(), parts, watching, unwatched, firings };
        ways.sort_out();
        ways
    }

    /// Sorts out what transition systems lead, where that is much.
    fn sort_out(&mut self) {
        let mut sorted = Sorted::new(self.parts.iter().map(|parts| parts.len()).sum());
        let index = Index { tables: &self.tables, doing: vec![OnceCell::new(); self.tables.len()] };
        let mut places: Vec<Vec<u32>> = vec![Vec::new(); self.tables.len()];
        for (component, table) in self.tables.iter().enumerate() {
            let Some(table) = table else { continue };
            for state in 0..table.starts.len() as u32 - 1 {
                let led = table.led(state);
                if led.len() < Sorted::MANY || !sorted.has_room() {
                    continue;
                }
                let item = |(action, arcs): &(ActionId, Range<u32>)| Item {
                    action: *action,
                    known: vec![(component as u32, arcs.clone())],
                    rest: self.parts[action.index()][1..].to_vec(),
                };
                if let Some(root) = sorted.grow(led.iter().map(item).collect(), &index) {
                    places[component].resize(table.starts.len() - 1, NOWHERE);
                    places[component][state as usize] = root;
                }
            }
        }
        self.sorted = sorted;
        for (table, places) in self.tables.iter_mut().zip(places) {
            table.iter_mut().for_each(|table| table.sorted.clone_from(&places));
        }
    }

    /// Tells of each step from a state: the action and the slots that change. Actions come in any order, the ways of
    /// one side by side.
    pub(in crate::system) fn each<E: From<TooMany>>(
        &self,
        values: &[u32],
        scratch: &mut Scratch<'s>,
        step: &mut Told<'_, E>,
    ) -> Result<(), E> {
        // A look at where a component is takes less than one at an action.
        scratch.looks += self.tables.len() as u64 / 4;
        for table in self.tables.iter().flatten() {
            let state = values[table.slot as usize];
            if let Some(&root) = table.sorted.get(state as usize).filter(|&&root| root != NOWHERE) {
                self.each_sorted(root, values, scratch, step)?;
                continue;
            }
            for (action, arcs) in table.led(state) {
                let arcs = &table.arcs[arcs.start as usize..arcs.end as usize];
                scratch.choices.clear();
                scratch.choices.push(Choice::Arcs(table.slot, arcs));
                self.act(*action, &self.parts[action.index()][1..], values, scratch, step)?;
            }
        }
        // A look at a number is less than one at an action.
        scratch.looks += self.watching.len() as u64 / 8;
        for (slot, actions) in &self.watching {
            if values[*slot as usize] > 0 {
                actions.iter().try_for_each(|&action| self.of(action, values, scratch, step))?;
            }
        }
        self.unwatched.iter().try_for_each(|&action| self.of(action, values, scratch, step))
    }

    /// Tells of each step with the actions that are sorted out from here on.
    fn each_sorted<E: From<TooMany>>(
        &self,
        root: u32,
        values: &[u32],
        scratch: &mut Scratch<'s>,
        step: &mut Told<'_, E>,
    ) -> Result<(), E> {
        scratch.open.clear();
        scratch.open.push(root);
        while let Some(at) = scratch.open.pop() {
            let node = self.sorted.node(at);
            for fork in node.forks {
                scratch.looks += 1;
                let to = self.sorted.branch(fork, values[fork.slot as usize]);
                if to != NOWHERE {
                    scratch.open.push(to);
                }
            }
            for leaf in node.leaves {
                scratch.choices.clear();
                for (component, arcs) in self.sorted.known(leaf) {
                    let Some(table) = &self.tables[*component as usize] else { continue };
                    let arcs = &table.arcs[arcs.start as usize..arcs.end as usize];
                    scratch.choices.push(Choice::Arcs(table.slot, arcs));
                }
                self.act(leaf.action, self.sorted.rest(leaf), values, scratch, step)?;
            }
        }
        Ok(())
    }

    /// Tells of each step with one action.
    pub(in crate::system) fn of<E: From<TooMany>>(
        &self,
        action: ActionId,
        values: &[u32],
        scratch: &mut Scratch<'s>,
        step: &mut Told<'_, E>,
    ) -> Result<(), E> {
        let parts = &self.parts[action.index()];
        scratch.choices.clear();
        if parts.is_empty() { Ok(()) } else { self.act(action, parts, values, scratch, step) }
    }

    /// All ways of one action; what some of its parts can do is among the choices, and these are the others.
    fn act<E: From<TooMany>>(
        &self,
        action: ActionId,
        rest: &[Part],
        values: &[u32],
        scratch: &mut Scratch<'s>,
        step: &mut Told<'_, E>,
    ) -> Result<(), E> {
        scratch.enabled.clear();
        for part in rest {
            scratch.looks += 1;
            let choice = match part {
                Part::Lts(component) => {
                    let Some(table) = &self.tables[*component] else { return Ok(()) };
                    Choice::Arcs(table.slot, table.doing(values[table.slot as usize], action))
                }
                Part::Net(range) => {
                    let from = scratch.enabled.len();
                    for i in range.clone() {
                        let firing = &self.firings[i];
                        if firing.takes.iter().all(|&(slot, count)| values[slot as usize] >= count) {
                            scratch.enabled.push(i as u32);
                        }
                    }
                    Choice::Firings(from..scratch.enabled.len())
                }
            };
            if choice.count() == 0 {
                return Ok(());
            }
            scratch.choices.push(choice);
        }
        scratch.chosen.clear();
        scratch.chosen.resize(scratch.choices.len(), 0);
        loop {
            scratch.changes.clear();
            for (choice, &chosen) in scratch.choices.iter().zip(&scratch.chosen) {
                match choice {
                    Choice::Arcs(slot, arcs) => scratch.changes.push((*slot, arcs[chosen].to)),
                    Choice::Firings(list) => {
                        let firing = &self.firings[scratch.enabled[list.start + chosen] as usize];
                        for &(slot, takes, puts) in &firing.changes {
                            // Both are at most 2^30, and the number is at most one more ([`OMEGA`]).
                            let number = values[slot as usize] - takes + puts;
                            if number > MOST_TOKENS && values[slot as usize] <= MOST_TOKENS {
                                return Err(TooMany(slot).into());
                            }
                            scratch.changes.push((slot, number));
                        }
                    }
                }
            }
            step(action, &scratch.changes)?;
            scratch.looks += 1;
            let open = (0..scratch.chosen.len()).rev();
            let Some(place) = open.into_iter().find(|&i| scratch.chosen[i] + 1 < scratch.choices[i].count()) else {
                return Ok(());
            };
            scratch.chosen[place] += 1;
            scratch.chosen[place + 1..].fill(0);
        }
    }
}

fn table<'s>(system: &'s System, slots: &Slots, component: ComponentId) -> Option<Table<'s>> {
    let Behaviour::Lts(lts) = &system.component(component).behaviour else { return None };
    let mut starts = vec![0; lts.states.len() + 1];
    lts.arcs.iter().for_each(|arc| starts[arc.from as usize + 1] += 1);
    for state in 0..lts.states.len() {
        starts[state + 1] += starts[state];
    }
    let slot = slots.of(component).start as u32;
    let (led_starts, led, sorted) = (Vec::new(), Vec::new(), Vec::new());
    Some(Table { slot, starts, arcs: &lts.arcs, led_starts, led, sorted })
}

fn firing(first: u32, takes: &[(u32, u32)], puts: &[(u32, u32)]) -> Firing {
    let mut changes: Vec<(u32, u32, u32)> = takes.iter().map(|&(place, n)| (first + place, n, 0)).collect();
    for &(place, n) in puts {
        match changes.iter_mut().find(|change| change.0 == first + place) {
            Some(change) => change.2 = n,
            None => changes.push((first + place, 0, n)),
        }
    }
    changes.retain(|&(_, takes, puts)| takes != puts);
    Firing { takes: takes.iter().map(|&(place, n)| (first + place, n)).collect(), changes: changes.into() }
}
