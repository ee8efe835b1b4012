//! A nondeterministic automaton over numbered letters, whole.

use rustc_hash::FxHashMap;

use crate::Automaton;
use posetta_automata::{StateId, refine, sign_set};
use posetta_base::{Budget, LetterId, OverBudget};
use posetta_logic::{Letters, View};

const WHAT: &str = "building the automaton of the property";

/// With more states times letters the automaton is not laid out.
const MOST_CELLS: usize = 1 << 20;

/// Every state with its successors. Letters that cannot come in a state lead nowhere.
pub(super) struct Table {
    letters: usize,
    /// For each state and letter, where its targets end.
    ends: Vec<u32>,
    targets: Vec<StateId>,
    accepts: Vec<bool>,
    universal: Vec<bool>,
    pub(super) start: StateId,
}

impl Table {
    /// All of an automaton that can be reached; `None` if that is too much.
    pub(super) fn explore(
        automaton: &mut dyn Automaton,
        letters: &Letters,
        budget: &Budget,
    ) -> Result<Option<Self>, OverBudget> {
        let (first, later) = (letters.letters_at(true), letters.letters_at(false));
        let start = automaton.start();
        Self::build(start, letters.len(), budget, |table, state, letter| {
            let comes = if table.is_empty() { &first } else { &later };
            if comes.binary_search(&letter).is_err() {
                return Ok(Vec::new());
            }
            automaton.step(state, letters.vector(letter), budget)
        })
        .map(|found| {
            let (mut table, states) = found?;
            table.accepts = states.iter().map(|&s| automaton.accepts(s)).collect();
            table.universal = states.iter().map(|&s| automaton.is_universal(s)).collect();
            Some(table)
        })
    }

    /// The subset construction (Rabin and Scott 1959); `None` if there are too many sets.
    pub(super) fn determinize(&self, letters: &Letters, budget: &Budget) -> Result<Option<Self>, OverBudget> {
        let mut sets: Vec<Box<[StateId]>> = vec![[self.start].into()];
        let mut ids: FxHashMap<Box<[StateId]>, StateId> = FxHashMap::default();
        ids.insert(sets[0].clone(), StateId(0));
        let mut claim = budget.claim(0, WHAT)?;
        let mut bytes = 0u64;
        let built = Self::build(StateId(0), letters.len(), budget, |_, set, letter| {
            let next = self.union(&sets[set.0 as usize], letter);
            if next.is_empty() {
                return Ok(Vec::new());
            }
            let fresh = StateId(sets.len() as u32);
            Ok(vec![*ids.entry(next).or_insert_with_key(|next| {
                bytes += 96 + 8 * next.len() as u64;
                sets.push(next.clone());
                fresh
            })])
        })?;
        claim.grow_to(bytes, WHAT)?;
        Ok(built.map(|(mut table, states)| {
            let any = |of: &[bool], set: StateId| sets[set.0 as usize].iter().any(|s| of[s.0 as usize]);
            table.accepts = states.iter().map(|&set| any(&self.accepts, set)).collect();
            table.universal = states.iter().map(|&set| any(&self.universal, set)).collect();
            table
        }))
    }

    /// Explores whatever `step` answers, breadth first, and numbers it.
    fn build(
        start: StateId,
        letters: usize,
        budget: &Budget,
        mut step: impl FnMut(&Self, StateId, LetterId) -> Result<Vec<StateId>, OverBudget>,
    ) -> Result<Option<(Self, Vec<StateId>)>, OverBudget> {
        let mut table = Self {
            letters,
            ends: Vec::new(),
            targets: Vec::new(),
            accepts: Vec::new(),
            universal: Vec::new(),
            start: StateId(0),
        };
        let mut states = vec![start];
        let mut ids: FxHashMap<StateId, StateId> = FxHashMap::default();
        ids.insert(start, StateId(0));
        let mut claim = budget.claim(0, WHAT)?;
        let mut at = 0;
        while let Some(&state) = states.get(at) {
            if states.len() * letters > MOST_CELLS || table.targets.len() > 4 * MOST_CELLS {
                return Ok(None);
            }
            for letter in (0..letters as u32).map(LetterId::from_raw) {
                for target in step(&table, state, letter)? {
                    let fresh = StateId(states.len() as u32);
                    table.targets.push(*ids.entry(target).or_insert_with(|| {
                        states.push(target);
                        fresh
                    }));
                }
                table.ends.push(table.targets.len() as u32);
            }
            budget.step(0, WHAT)?;
            claim.grow_to(4 * (table.ends.len() + table.targets.len()) as u64 + 40 * states.len() as u64, WHAT)?;
            at += 1;
        }
        Ok(Some((table, states)))
    }

    /// The states after a letter, from any of these.
    pub(super) fn union(&self, set: &[StateId], letter: LetterId) -> Box<[StateId]> {
        if let [one] = set {
            let mut targets = self.after(*one, letter).to_vec();
            targets.sort_unstable();
            return targets.into();
        }
        let mut next: Vec<StateId> = set.iter().flat_map(|&s| self.after(s, letter).iter().copied()).collect();
        next.sort_unstable();
        next.dedup();
        next.into()
    }

    fn is_empty(&self) -> bool {
        self.ends.len() < self.letters
    }

    pub(super) fn len(&self) -> usize {
        self.accepts.len()
    }

    pub(super) fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.accepts.len() as u32).map(StateId)
    }

    pub(super) fn accepts(&self, state: StateId) -> bool {
        self.accepts[state.0 as usize]
    }

    pub(super) fn is_universal(&self, state: StateId) -> bool {
        self.universal[state.0 as usize]
    }

    /// The states after a letter.
    pub(super) fn after(&self, state: StateId, letter: LetterId) -> &[StateId] {
        let place = state.0 as usize * self.letters + letter.index();
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.targets[start as usize..self.ends[place] as usize]
    }

    /// Drops what leads nowhere bad, merges what leads to the same, and numbers the rest from the start.
    pub(super) fn tidy(&mut self, view: View, budget: &Budget) -> Result<(), OverBudget> {
        self.trim();
        let block = self.merge(view, budget)?;
        self.number(&block);
        Ok(())
    }

    /// Drops transitions to states from which nothing accepts.
    fn trim(&mut self) {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.len()];
        for state in self.states() {
            for letter in 0..self.letters as u32 {
                for target in self.after(state, LetterId::from_raw(letter)) {
                    before[target.0 as usize].push(state.0);
                }
            }
        }
        let mut useful = self.accepts.clone();
        let mut open: Vec<u32> = (0..self.len() as u32).filter(|&s| useful[s as usize]).collect();
        while let Some(state) = open.pop() {
            for &b in &before[state as usize] {
                if !std::mem::replace(&mut useful[b as usize], true) {
                    open.push(b);
                }
            }
        }
        let (mut kept, mut from) = (0, 0);
        for end in &mut self.ends {
            for i in from..*end as usize {
                if useful[self.targets[i].0 as usize] {
                    self.targets[kept] = self.targets[i];
                    kept += 1;
                }
            }
            from = *end as usize;
            *end = kept as u32;
        }
        self.targets.truncate(kept);
    }

    /// The block of each state: states of one block agree in acceptance and lead to the same blocks (bisimilarity, Kanellakis and Smolka
    /// 1990; by [`refine`]). The start is entered by nobody and nobody asks whether it accepts: over events it joins a
    /// block that leads to the same.
    fn merge(&self, view: View, budget: &Budget) -> Result<Vec<u32>, OverBudget> {
        let start = self.start.0 as usize;
        let numbers = (0..self.len()).map(|i| if i == start { 2 } else { u32::from(self.accepts[i]) });
        let sign = |state: u32, block: &[u32], signature: &mut Vec<u32>| self.sign(StateId(state), block, signature);
        let targets = |state: u32, all: &mut Vec<u32>| {
            let letters = (0..self.letters as u32).map(LetterId::from_raw);
            letters.for_each(|letter| all.extend(self.after(StateId(state), letter).iter().map(|t| t.0)));
        };
        let mut block = refine(numbers, sign, targets, WHAT, budget)?.0;
        if view == View::Events {
            let of = |state: StateId| {
                let mut signature = Vec::new();
                self.sign(state, &block, &mut signature);
                signature
            };
            let own = of(self.start);
            if let Some(twin) = self.states().find(|&s| s != self.start && of(s) == own) {
                block[start] = block[twin.0 as usize];
            }
        }
        Ok(block)
    }

    /// The blocks after each letter.
    fn sign(&self, state: StateId, block: &[u32], signature: &mut Vec<u32>) {
        for letter in 0..self.letters as u32 {
            let after = self.after(state, LetterId::from_raw(letter));
            sign_set(after.iter().map(|t| block[t.0 as usize]), signature);
        }
    }

    /// One state for each block that can be reached.
    fn number(&mut self, block: &[u32]) {
        // A start with a twin has the twin's acceptance.
        let mut example_of: FxHashMap<u32, StateId> = FxHashMap::default();
        for state in self.states().filter(|&s| s != self.start).chain([self.start]) {
            example_of.entry(block[state.0 as usize]).or_insert(state);
        }
        let mut ids: FxHashMap<u32, StateId> = FxHashMap::default();
        let mut examples: Vec<StateId> = Vec::new();
        let mut id_of = |block: u32, examples: &mut Vec<StateId>| {
            let fresh = StateId(examples.len() as u32);
            *ids.entry(block).or_insert_with(|| {
                examples.push(example_of[&block]);
                fresh
            })
        };
        id_of(block[self.start.0 as usize], &mut examples);
        let (mut ends, mut targets) = (Vec::new(), Vec::new());
        let (mut accepts, mut universal) = (Vec::new(), Vec::new());
        let mut at = 0;
        while let Some(&example) = examples.get(at) {
            for letter in 0..self.letters as u32 {
                let first = targets.len();
                for target in self.after(example, LetterId::from_raw(letter)) {
                    targets.push(id_of(block[target.0 as usize], &mut examples));
                }
                let mut own: Vec<StateId> = targets.split_off(first);
                own.sort_unstable();
                own.dedup();
                targets.append(&mut own);
                ends.push(targets.len() as u32);
            }
            accepts.push(self.accepts(example));
            universal.push(self.is_universal(example));
            at += 1;
        }
        *self = Self { letters: self.letters, ends, targets, accepts, universal, start: StateId(0) };
    }
}
