//! Actions sorted out by where components are: a decision tree.
//!
//! A component may lead many actions from one state, of which few can take place: a counter of bits has one for each
//! bit that may be the next to change, and what the second bit is leaves half of them. Asked one by one, each looks at
//! the same components again.

use std::collections::BTreeMap;
use std::ops::Range;

use super::ways::Part;
use posetta_base::ActionId;

/// No place in the tree.
pub(super) const NOWHERE: u32 = u32::MAX;

/// An action that may take place.
#[derive(Clone)]
pub(super) struct Item {
    pub(super) action: ActionId,
    /// Components that are known to be able to, with their arcs.
    pub(super) known: Vec<(u32, Range<u32>)>,
    /// The other parts.
    pub(super) rest: Vec<Part>,
}

/// An action, and what is known about it, as in [`Item`].
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) action: ActionId,
    pub(super) known: Range<u32>,
    pub(super) rest: Range<u32>,
}

/// A component that decides between actions: its slot, and where its row of branches begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fork {
    pub(super) slot: u32,
    first: u32,
}

/// Some forks and some leaves.
pub(super) struct Node<'a> {
    pub(super) forks: &'a [Fork],
    pub(super) leaves: &'a [Leaf],
}

/// The trees, each from a root of its own.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    nodes: Vec<(Range<u32>, Range<u32>)>,
    forks: Vec<Fork>,
    branches: Vec<u32>,
    leaves: Vec<Leaf>,
    known: Vec<(u32, Range<u32>)>,
    rest: Vec<Part>,
    /// How much may still be worked through.
    room: usize,
}

/// An action, a state in which a component can do it, and its arcs there.
pub(super) type Doing = (ActionId, u32, Range<u32>);

/// What a tree is made from.
pub(super) trait Components {
    /// The slot of a component, and how many states it has.
    fn shape(&self, component: usize) -> (u32, usize);
    /// In which of its states it can do an action, with the arcs.
    fn doing(&self, component: usize, action: ActionId) -> &[Doing];
}

impl Sorted {
    /// So many actions are worth it.
    pub(super) const MANY: usize = 5;

    /// No tree yet. What making all of them may take is in proportion to how many parts the actions have.
    pub(super) fn new(parts: usize) -> Self {
        Self { room: 32 * parts + (1 << 12), ..Self::default() }
    }

    /// Whether more may still be worked through.
    pub(super) fn has_room(&self) -> bool {
        self.room > 0
    }

    /// `None` if that is too much: then nothing more is sorted out.
    fn take_room(&mut self, needed: usize) -> Option<()> {
        let left = self.room.checked_sub(needed);
        self.room = left.unwrap_or(0);
        left.map(|_| ())
    }

    pub(super) fn node(&self, at: u32) -> Node<'_> {
        let (forks, leaves) = &self.nodes[at as usize];
        Node {
            forks: &self.forks[forks.start as usize..forks.end as usize],
            leaves: &self.leaves[leaves.start as usize..leaves.end as usize],
        }
    }

    pub(super) fn branch(&self, fork: &Fork, state: u32) -> u32 {
        self.branches[(fork.first + state) as usize]
    }

    pub(super) fn known(&self, leaf: &Leaf) -> &[(u32, Range<u32>)] {
        &self.known[leaf.known.start as usize..leaf.known.end as usize]
    }

    pub(super) fn rest(&self, leaf: &Leaf) -> &[Part] {
        &self.rest[leaf.rest.start as usize..leaf.rest.end as usize]
    }

    /// A tree for some actions; `None` if nothing decides between them.
    pub(super) fn grow(&mut self, items: Vec<Item>, components: &dyn Components) -> Option<u32> {
        let (root, mut items) = (self.nodes.len() as u32, items);
        let first = self.group(&mut items, components)?;
        let mut open = vec![(root, items, vec![first])];
        self.nodes.push((0..0, 0..0));
        while let Some((node, mut items, mut groups)) = open.pop() {
            while let Some(group) = self.group(&mut items, components) {
                groups.push(group);
            }
            let (forks, leaves) = (self.forks.len() as u32, self.leaves.len() as u32);
            for (component, group) in groups {
                let (slot, states) = components.shape(component);
                let row = self.branches.len();
                self.forks.push(Fork { slot, first: row as u32 });
                self.branches.resize(row + states, NOWHERE);
                let mut by_state: BTreeMap<u32, Vec<Item>> = BTreeMap::new();
                for item in group {
                    for (_, state, arcs) in components.doing(component, item.action) {
                        let mut known = item.known.clone();
                        known.push((component as u32, arcs.clone()));
                        let is_other = |part: &&Part| !matches!(part, Part::Lts(c) if *c == component);
                        let rest = item.rest.iter().filter(is_other).cloned().collect();
                        by_state.entry(*state).or_default().push(Item { action: item.action, known, rest });
                    }
                }
                for (state, items) in by_state {
                    let child = self.nodes.len() as u32;
                    self.nodes.push((0..0, 0..0));
                    self.branches[row + state as usize] = child;
                    open.push((child, items, Vec::new()));
                }
            }
            for Item { action, known, rest } in items {
                let (known_from, rest_from) = (self.known.len() as u32, self.rest.len() as u32);
                self.known.extend(known);
                self.rest.extend(rest);
                let (known, rest) = (known_from..self.known.len() as u32, rest_from..self.rest.len() as u32);
                self.leaves.push(Leaf { action, known, rest });
            }
            self.nodes[node as usize] = (forks..self.forks.len() as u32, leaves..self.leaves.len() as u32);
        }
        Some(root)
    }

    /// Takes out those in which most have a component in common, if they are many and there is room for them.
    fn group(&mut self, items: &mut Vec<Item>, components: &dyn Components) -> Option<(usize, Vec<Item>)> {
        if items.len() < Self::MANY {
            return None;
        }
        self.take_room(items.iter().map(|item| item.rest.len()).sum())?;
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for item in &*items {
            for part in &item.rest {
                if let Part::Lts(component) = part {
                    *counts.entry(*component).or_default() += 1;
                }
            }
        }
        let (&component, &most) =
            counts.iter().max_by_key(|&(component, count)| (count, std::cmp::Reverse(component)))?;
        if most < Self::MANY {
            return None;
        }
        let has = |item: &Item| item.rest.iter().any(|part| matches!(part, Part::Lts(c) if *c == component));
        let copies =
            |item: &Item| components.doing(component, item.action).len() * (item.known.len() + item.rest.len());
        let copies: usize = items.iter().filter(|item| has(item)).map(copies).sum();
        self.take_room(copies + components.shape(component).1)?;
        let (group, others) = std::mem::take(items).into_iter().partition(has);
        *items = others;
        Some((component, group))
    }
}

#[cfg(test)]
mod tests {
    use crate::system::explicit::ways::{Scratch, TooMany, Ways};
    use posetta_base::ActionId;
    use posetta_model::system::{Slots, System};

    fn read(text: &str) -> System {
        posetta_model::sys::read("a.sys", text, None, &mut |_, _| unreachable!("nothing is imported")).unwrap()
    }

    /// The steps that are found are those of the definition, in all states that are met.
    #[test]
    fn what_is_sorted_out_is_what_can_take_place() {
        let counter = |last: usize| {
            format!(
                "component Bit(i in 0..{last}) {{ lts {{ init z; z -inc[i]-> o
                    for k in i+1..{last} {{ o -inc[k]-> z }} o -reset-> z }} }}
                system A = Bit"
            )
        };
        // Each of the others can do what the hub can in two of its states, one of them in two ways.
        let hub = "component Hub { lts { init h; for i in 0..7 { h -go[i]-> h; h -come[i]-> h } } }
            component Leaf(i in 0..7) { lts { init a; a -go[i]-> b; b -go[i]-> a; b -go[i]-> b; b -come[i]-> a } }
            component Switch { lts { init on; for i in 0..7 { on -go[i]-> off; off -come[i]-> on; on -come[i]-> on } } }
            system A = Hub || Leaf || Switch";
        for text in [counter(9), counter(30), hub.to_owned()] {
            let system = read(&text);
            let (slots, mut scratch) = (Slots::new(&system), Scratch::default());
            let ways = Ways::new(&system, &slots);
            let mut states = vec![system.initial()];
            let mut at = 0;
            while at < states.len().min(300) {
                let state = states[at].clone();
                let mut found: Vec<(ActionId, Vec<u32>)> = Vec::new();
                let told = ways.each(&state, &mut scratch, &mut |action, changes| -> Result<(), TooMany> {
                    let mut next = state.clone();
                    changes.iter().for_each(|&(slot, number)| next[slot as usize] = number);
                    found.push((action, next));
                    Ok(())
                });
                assert!(told.is_ok());
                let moves = system.moves(&slots, &state);
                let mut expected: Vec<(ActionId, Vec<u32>)> =
                    moves.into_iter().filter_map(|(step, next)| Some((step.action, next?))).collect();
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "{state:?}");
                for (_, next) in expected {
                    if !states.contains(&next) {
                        states.push(next);
                    }
                }
                at += 1;
            }
            assert!(at > 5);
        }
        let ways = |text: &str| {
            let system = read(text);
            let slots = Slots::new(&system);
            let mut scratch = Scratch::default();
            let ways = Ways::new(&system, &slots);
            let _ = ways.each(&system.initial(), &mut scratch, &mut |_, _| -> Result<(), TooMany> { Ok(()) });
            scratch.looks
        };
        assert!(ways(&counter(19)) < 20);
    }
}
