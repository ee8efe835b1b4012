//! Which letters can come, and which can follow which: what one position of a run can look like to a formula.
//!
//! To a formula a position is the truth of its atoms. Not every combination is **producible**: `x == 1` and `x == 2` never
//! hold together, `on(A)` implies A, an event has one name and one process, and at position 0 of the states view there
//! is no event. And not every letter can follow every other: if A holds although its event assigned no variable of A,
//! those variables have kept their values.
//!
//! [`Letters::new`] first finds the *cells*, the sets of comparisons that some state makes true ([`solve`]), then what events
//! can do in each: a [`Step`] is a cell together with the truth of the event atoms. An event assigns all it may: only
//! where A is true and `on(A)` is false are the variables of A kept. More could be kept, but whatever follows a step that
//! keeps more also follows the one that keeps less, so one step stands for all.
//!
//! What is exact, and what is not: comparisons that are linear with constant factors, and all comparisons of strings,
//! are decided exactly. Others (`x*y == 1`) count as independent of everything ([`Letters::independent`]). Keeping is
//! exact as long as variables that are compared with each other are kept together ([`Letters::is_exact`]); if only some
//! of them are, then of what the kept ones are compared with only the comparisons among themselves are remembered, so
//! that more words seem to come than do. No bounded memory would be exact there: `on(y == x + 1)` and `on(x == y + 1)`
//! count. Values before (`prev(x)`) are variables of their own here, which are not followed from one position to the next: nothing is
//! exact then, and more seems to come than does.

mod attributes;
mod compare;
mod linear;
mod realise;
mod solve;

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use self::attributes::Attributes;
use self::compare::{Comparison, Table, Test};
use self::solve::Sort;
use super::atom::{Atom, Condition, Spot, Term, Var, Which};
use super::bind::{AtomId, Slot, SlotKind};
use super::eval::Values;
use super::having::Having;
use super::ltl::Ltl;
use super::property::View;
use posetta_base::{Budget, Claim, LetterId, OverBudget};

pub use self::realise::{Happening, Sample};

const WHAT: &str = "listing the combinations of atoms that can come";

/// One way in which a letter comes about: a place in the table of its [`Letters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StepId(pub u32);

/// What the next step has to respect: a place in the table of its [`Letters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Memory(pub u32);

/// A letter, and what it keeps and leaves behind.
#[derive(Clone, Debug)]
struct Step {
    letter: LetterId,
    /// Without an event: only at position 0 of the states view.
    start: bool,
    /// The truth of every comparison.
    cell: Box<[bool]>,
    /// The comparisons whose variables all keep their values.
    keeps: Box<[u32]>,
    /// The variables that keep their values.
    kept: Box<[u32]>,
    /// The atom whose name it has.
    name: Option<u32>,
    process: Option<u32>,
    /// What its attributes are, of those that can be told apart.
    attributes: u32,
    after: Memory,
}

/// The producible letters of a formula.
#[derive(Clone, Debug)]
pub struct Letters {
    view: View,
    atoms: Vec<Atom<Slot>>,
    variables: Vec<String>,
    kinds: Vec<SlotKind>,
    /// What the attributes of an event can be, as far as atoms can tell.
    samples: Vec<Attributes>,
    comparisons: Vec<Comparison>,
    sorts: Vec<Sort>,
    vectors: Vec<Box<[bool]>>,
    steps: Vec<Step>,
    /// The truth of the comparisons that are tracked; the others are false.
    memories: Vec<Box<[bool]>>,
    memory_ids: FxHashMap<Box<[bool]>, Memory>,
    /// The comparisons that some step keeps, or all.
    tracked: Vec<bool>,
    exact: bool,
}

impl Letters {
    /// The letters of a formula, and the formula over its atoms.
    ///
    /// # Errors
    /// When the budget is spent: there may be exponentially many.
    pub fn new(formula: &Ltl, view: View, budget: &Budget) -> Result<(Ltl<AtomId>, Self), OverBudget> {
        let mut atoms = Atoms::default();
        let formula = formula.map_atoms(&mut |atom| atoms.add(atom));
        Ok((formula, Self::over(atoms, view, budget)?))
    }

    /// The letters of a property with these atoms.
    ///
    /// # Errors
    /// When the budget is spent: there may be exponentially many.
    pub fn over(atoms: Atoms, view: View, budget: &Budget) -> Result<Self, OverBudget> {
        Self::remembering(false, atoms, view, budget)
    }

    /// The same letters, and the truth of every comparison is remembered: also of those that no event need keep, so that of an event
    /// that assigns nothing it is [known](Self::led_to) that they stay.
    ///
    /// # Errors
    /// When the budget is spent: there may be exponentially many.
    pub fn over_remembering_all(atoms: Atoms, view: View, budget: &Budget) -> Result<Self, OverBudget> {
        Self::remembering(true, atoms, view, budget)
    }

    fn remembering(all: bool, atoms: Atoms, view: View, budget: &Budget) -> Result<Self, OverBudget> {
        let names = atoms;
        let mut table = Table::default();
        let mut tests: Vec<Option<Test>> = Vec::new();
        for atom in &names.atoms {
            tests.push(match atom {
                Atom::State(c) | Atom::Step(c) | Atom::On(c) => Some(table.test(c)?),
                Atom::Event(_) | Atom::Having(_) | Atom::Process(_) | Atom::Enabled(_) => None,
            });
        }
        let comparisons = table.comparisons;
        let sorts = solve::sorts(names.variables.len(), &numeric(&names), &comparisons);
        let samples = attributes::cases(&names.atoms, budget)?;
        let mut letters = Self {
            view,
            kinds: names.kinds,
            samples,
            atoms: names.atoms,
            variables: names.variables,
            comparisons,
            sorts,
            vectors: Vec::new(),
            steps: Vec::new(),
            memories: Vec::new(),
            memory_ids: FxHashMap::default(),
            tracked: Vec::new(),
            exact: true,
        };
        let mut found = Found { steps: BTreeMap::new(), claim: budget.claim(0, WHAT)?, bytes: 0 };
        letters.for_each_cell(budget, &mut |letters, cell| letters.steps_in(cell, &tests, &mut found, budget))?;
        letters.number(found, all);
        letters.exact = letters.keeps_components_whole() && letters.is_of_one_position();
        Ok(letters)
    }

    /// Whether nothing is said of values before, nor of the value that an instance is about: from one letter to the next these are not
    /// followed.
    fn is_of_one_position(&self) -> bool {
        let key = |atom: &Atom<_>| matches!(atom, Atom::Having(having) if having.mentions_key());
        self.kinds.iter().all(|kind| *kind == SlotKind::Now) && !self.atoms.iter().any(key)
    }

    /// Leaves out the steps of processes that do not exist. Their letters keep their numbers.
    pub fn retain_processes(&mut self, exists: &dyn Fn(&String) -> bool) {
        let atoms = &self.atoms;
        self.steps.retain(|step| match step.process.map(|place| &atoms[place as usize]) {
            Some(Atom::Process(name)) => exists(name),
            _ => true,
        });
    }

    /// The atoms, by first occurrence.
    #[must_use]
    pub fn atoms(&self) -> &[Atom<Slot>] {
        &self.atoms
    }

    /// The names of the variables; a [`Slot`] is a place here.
    #[must_use]
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// What a slot stands for, as it is written.
    #[must_use]
    pub fn var(&self, slot: Slot) -> Var {
        var(&self.variables, &self.kinds, slot)
    }

    /// Which positions there are.
    #[must_use]
    pub fn view(&self) -> View {
        self.view
    }

    /// How many letters there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.vectors.len()
    }

    /// Whether there is none. There always is one: some state comes, and it may come without anything to see.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }

    /// Every letter. They ascend with their vectors, `false` first.
    pub fn iter(&self) -> impl Iterator<Item = LetterId> + Clone + use<> {
        (0..self.vectors.len() as u32).map(LetterId::from_raw)
    }

    /// The truth of each atom.
    #[must_use]
    pub fn vector(&self, letter: LetterId) -> &[bool] {
        &self.vectors[letter.index()]
    }

    /// The letters that may come first, or later.
    #[must_use]
    pub fn letters_at(&self, first: bool) -> Vec<LetterId> {
        let all: BTreeSet<LetterId> = self.steps.iter().filter(|s| self.comes(s, first)).map(|s| s.letter).collect();
        all.into_iter().collect()
    }

    fn comes(&self, step: &Step, first: bool) -> bool {
        step.start == (first && self.view == View::States)
    }

    /// The steps after a memory; without one, those with which a word may start.
    pub fn steps_after(&self, memory: Option<Memory>) -> impl Iterator<Item = StepId> {
        let before = memory.map(|m| &self.memories[m.0 as usize]);
        self.steps.iter().enumerate().filter_map(move |(i, step)| {
            let kept = before.is_none_or(|b| step.keeps.iter().all(|&c| b[c as usize] == step.cell[c as usize]));
            (kept && self.comes(step, before.is_none())).then_some(StepId(i as u32))
        })
    }

    /// The letter of a step.
    #[must_use]
    pub fn letter(&self, step: StepId) -> LetterId {
        self.steps[step.0 as usize].letter
    }

    /// What a step leaves behind.
    #[must_use]
    pub fn after(&self, step: StepId) -> Memory {
        self.steps[step.0 as usize].after
    }

    /// The step that does the same again: an event that assigns the same values once more, or none that anybody sees.
    #[must_use]
    pub fn again(&self, step: StepId) -> Option<StepId> {
        let this = &self.steps[step.0 as usize];
        let memory = &self.memories[this.after.0 as usize];
        let same = |other: &Step| {
            other.letter == this.letter
                && other.after == this.after
                && self.comes(other, false)
                && other.keeps.iter().all(|&c| memory[c as usize] == other.cell[c as usize])
        };
        // Steps ascend with their letters.
        let from = self.steps.partition_point(|s| s.letter < this.letter);
        let mut twins = self.steps[from..].iter().take_while(|s| s.letter == this.letter);
        twins.position(same).map(|i| StepId((from + i) as u32))
    }

    /// What a state leaves the next step to respect. `None` if that was not foreseen, which cannot be for values that fit the
    /// types of the property.
    ///
    /// # Errors
    /// When a number grows too large.
    pub fn memory(&self, state: &impl Values) -> Result<Option<Memory>, OverBudget> {
        let mut memory = vec![false; self.comparisons.len()];
        for (i, comparison) in self.comparisons.iter().enumerate().filter(|(i, _)| self.tracked[*i]) {
            memory[i] = comparison.holds(state)?;
        }
        Ok(self.memory_ids.get(&memory[..]).copied())
    }

    /// What an event can lead to after a memory, as letters and memories, if of the event this much is known: whether it assigns
    /// a variable (`None` if that does not matter), the truth of some atoms after it, and the values of what it assigns.
    ///
    /// # Errors
    /// When a number grows too large.
    pub fn led_to(
        &self,
        memory: Memory,
        known: &[Option<bool>],
        assigned: &dyn Fn(Slot) -> Option<bool>,
        state: &impl Values,
    ) -> Result<Vec<(LetterId, Memory)>, OverBudget> {
        // Of comparisons with some variables assigned and others not, nothing is known.
        let mut fixed: Vec<Option<bool>> = vec![None; self.comparisons.len()];
        for (i, comparison) in self.comparisons.iter().enumerate().filter(|(i, _)| self.tracked[*i]) {
            let variables = comparison.variables();
            let all = |wanted: bool| variables.iter().all(|&v| assigned(Slot(v as u32)) == Some(wanted));
            if all(false) {
                fixed[i] = Some(self.memories[memory.0 as usize][i]);
            } else if all(true) {
                fixed[i] = Some(comparison.holds(state)?);
            }
        }
        let fits =
            |known: &[Option<bool>], truths: &[bool]| known.iter().zip(truths).all(|(k, t)| k.is_none_or(|k| k == *t));
        let mut found: Vec<(LetterId, Memory)> = self
            .steps
            .iter()
            .filter(|step| self.comes(step, false))
            .filter(|step| fits(known, self.vector(step.letter)) && fits(&fixed, &self.memories[step.after.0 as usize]))
            .map(|step| (step.letter, step.after))
            .collect();
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Whether the truth of every comparison is remembered.
    #[must_use]
    pub fn remembers_all(&self) -> bool {
        self.tracked.iter().all(|&tracked| tracked)
    }

    /// How many memories there are.
    #[must_use]
    pub fn memories(&self) -> usize {
        self.memories.len()
    }

    /// Whether the words of these steps are exactly those of runs (up to what is [independent](Self::independent)); if
    /// not, some of them may not come.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// The atoms with a comparison that is neither linear nor about strings: they count as independent of all others.
    #[must_use]
    pub fn independent(&self) -> Vec<AtomId> {
        let mut found = Vec::new();
        for (i, atom) in self.atoms.iter().enumerate() {
            let Some(c) = atom.condition() else { continue };
            let mut table = Table::default();
            if table.test(c).is_ok() && table.comparisons.iter().any(|c| matches!(c, Comparison::Other(..))) {
                found.push(AtomId(i as u32));
            }
        }
        found
    }

    /// Calls `f` with every cell: cells of components in all combinations.
    fn for_each_cell(
        &mut self,
        budget: &Budget,
        f: &mut impl FnMut(&Self, &[bool]) -> Result<(), OverBudget>,
    ) -> Result<(), OverBudget> {
        let all: Vec<&Comparison> = self.comparisons.iter().collect();
        let components = solve::components(self.variables.len(), &all);
        let mut cells: Vec<Vec<Vec<bool>>> = Vec::new();
        for component in &components {
            cells.push(self.cells_of(component, budget)?);
        }
        let mut choice = vec![0usize; components.len()];
        let mut cell = vec![false; self.comparisons.len()];
        loop {
            budget.step(1, WHAT)?;
            for (i, component) in components.iter().enumerate() {
                for (&place, &truth) in component.iter().zip(&cells[i][choice[i]]) {
                    cell[place] = truth;
                }
            }
            f(self, &cell)?;
            let Some(next) = (0..choice.len()).find(|&i| choice[i] + 1 < cells[i].len()) else { return Ok(()) };
            choice[next] += 1;
            choice[..next].fill(0);
        }
    }

    /// The truths that the comparisons of one component can have together: a depth-first search that gives up a
    /// beginning as soon as nothing satisfies it.
    fn cells_of(&self, component: &[usize], budget: &Budget) -> Result<Vec<Vec<bool>>, OverBudget> {
        let mut found: Vec<Vec<bool>> = Vec::new();
        let mut claim = budget.claim(0, WHAT)?;
        let mut chosen: Vec<bool> = Vec::new();
        loop {
            let claims: Vec<solve::Claim<'_>> =
                component.iter().zip(&chosen).map(|(&i, &truth)| (&self.comparisons[i], truth)).collect();
            let possible = solve::solve_component(&claims, &self.sorts, budget)?.is_some();
            if possible && chosen.len() < component.len() {
                chosen.push(false);
                continue;
            }
            if possible {
                claim.grow_to(((found.len() + 1) * (component.len() + 24)) as u64, WHAT)?;
                found.push(chosen.clone());
            }
            // On to the next beginning: false becomes true, true is done with.
            while chosen.last() == Some(&true) {
                chosen.pop();
            }
            match chosen.last_mut() {
                Some(last) => *last = true,
                None => return Ok(found),
            }
        }
    }

    /// The steps that lead into a cell.
    fn steps_in(
        &self,
        cell: &[bool],
        tests: &[Option<Test>],
        found: &mut Found,
        budget: &Budget,
    ) -> Result<(), OverBudget> {
        let holds: Vec<bool> = tests.iter().map(|t| t.as_ref().is_some_and(|t| t.at(cell))).collect();
        let mut vector: Vec<bool> =
            self.atoms.iter().zip(&holds).map(|(a, &h)| h && matches!(a, Atom::State(_) | Atom::Step(_))).collect();
        if self.view == View::States {
            found.add(Key { vector: vector.clone(), start: true, keeps: Vec::new(), cell: cell.to_vec() }, || {
                Detail { kept: Vec::new(), name: None, process: None, attributes: 0 }
            })?;
        }
        // What is triggered is chosen among what holds.
        let on: Vec<(usize, Vec<u32>)> = self
            .atoms
            .iter()
            .enumerate()
            .filter(|(i, _)| holds[*i])
            .filter_map(|(i, atom)| match atom {
                Atom::On(condition) => Some((i, variables_of(condition))),
                _ => None,
            })
            .collect();
        // Where a condition speaks of values before, it can become true without an assignment.
        let looks_back = |vs: &[u32]| vs.iter().any(|&v| matches!(self.kinds[v as usize], SlotKind::Before(_)));
        let mut triggered = vec![false; on.len()];
        loop {
            budget.step(1, WHAT)?;
            let mut kept = vec![false; self.variables.len()];
            for ((_, variables), _) in on.iter().zip(&triggered).filter(|((_, vs), t)| !**t && !looks_back(vs)) {
                variables.iter().for_each(|&v| kept[v as usize] = true);
            }
            let possible = on.iter().zip(&triggered).all(|((_, vs), &t)| !t || vs.iter().any(|&v| !kept[v as usize]));
            if possible {
                for ((atom, _), &t) in on.iter().zip(&triggered) {
                    vector[*atom] = t;
                }
                self.named(cell, &vector, &kept, found)?;
            }
            let Some(next) = triggered.iter().position(|&t| !t) else { return Ok(()) };
            triggered[next] = true;
            triggered[..next].fill(false);
        }
    }

    /// An event has at most one of the names and at most one of the processes.
    fn named(&self, cell: &[bool], vector: &[bool], kept: &[bool], found: &mut Found) -> Result<(), OverBudget> {
        let keeps: Vec<u32> = (0..self.comparisons.len())
            .filter(|&i| {
                let variables = self.comparisons[i].variables();
                !variables.is_empty() && variables.iter().all(|&v| kept[v])
            })
            .map(|i| i as u32)
            .collect();
        // Each name once, with an atom that has it.
        let mut names: Vec<(Option<&str>, Option<u32>)> = vec![(None, None)];
        for (i, atom) in self.atoms.iter().enumerate() {
            if let Atom::Event(name) | Atom::Having(Having { name: Some(name), .. }) = atom
                && !names.iter().any(|(known, _)| *known == Some(name))
            {
                names.push((Some(name), Some(i as u32)));
            }
        }
        let processes = self.atoms.iter().enumerate().filter(|(_, a)| matches!(a, Atom::Process(_)));
        let processes: Vec<Option<u32>> = [None].into_iter().chain(processes.map(|(i, _)| Some(i as u32))).collect();
        for &(name, place) in &names {
            for &process in &processes {
                for (attributes, sample) in self.samples.iter().enumerate() {
                    let mut vector = vector.to_vec();
                    for (i, atom) in self.atoms.iter().enumerate() {
                        match atom {
                            Atom::Event(own) => vector[i] = Some(own.as_str()) == name,
                            Atom::Having(own) => {
                                let named = own.name.is_none() || own.name.as_deref() == name;
                                vector[i] = named && sample.passes[i];
                            }
                            _ => {}
                        }
                    }
                    if let Some(process) = process {
                        vector[process as usize] = true;
                    }
                    let key = Key { vector, start: false, keeps: keeps.clone(), cell: cell.to_vec() };
                    let kept = || (0..self.variables.len() as u32).filter(|&v| kept[v as usize]).collect();
                    let attributes = attributes as u32;
                    found.add(key, || Detail { kept: kept(), name: place, process, attributes })?;
                }
            }
        }
        Ok(())
    }

    /// Numbers letters, memories and steps, in the order of their vectors.
    fn number(&mut self, found: Found, all: bool) {
        let mut tracked = vec![all; self.comparisons.len()];
        for key in found.steps.keys() {
            key.keeps.iter().for_each(|&c| tracked[c as usize] = true);
        }
        let mut memories: FxHashMap<Box<[bool]>, Memory> = FxHashMap::default();
        let mut seen: BTreeSet<(LetterId, bool, Memory, Vec<u32>)> = BTreeSet::new();
        for (key, Detail { kept, name, process, attributes }) in found.steps {
            if self.vectors.last().is_none_or(|last| **last != *key.vector) {
                self.vectors.push(key.vector.into());
            }
            let letter = LetterId::from_raw(self.vectors.len() as u32 - 1);
            let memory: Box<[bool]> = key.cell.iter().zip(&tracked).map(|(&c, &t)| c && t).collect();
            let next = Memory(self.memories.len() as u32);
            let after = *memories.entry(memory).or_insert_with_key(|memory| {
                self.memories.push(memory.clone());
                next
            });
            // Cells that differ only in what is not seen and never kept lead to the same.
            if seen.insert((letter, key.start, after, key.keeps.clone())) {
                self.steps.push(Step {
                    letter,
                    start: key.start,
                    cell: key.cell.into(),
                    keeps: key.keeps.into(),
                    kept: kept.into(),
                    name,
                    process,
                    attributes,
                    after,
                });
            }
        }
        self.memory_ids = memories;
        self.tracked = tracked;
    }

    fn keeps_components_whole(&self) -> bool {
        let all: Vec<&Comparison> = self.comparisons.iter().collect();
        let components = solve::components(self.variables.len(), &all);
        let members: Vec<BTreeSet<usize>> = components
            .iter()
            .map(|c| c.iter().map(|&i| all[i]).collect::<Vec<_>>())
            .filter(|c| !c.iter().any(|c| matches!(c, Comparison::Other(..))))
            .map(|c| c.iter().flat_map(|c| c.variables()).collect())
            .collect();
        self.steps.iter().all(|step| {
            members.iter().all(|m| {
                let kept = m.iter().filter(|&&v| step.kept.contains(&(v as u32))).count();
                kept == 0 || kept == m.len()
            })
        })
    }
}

/// What tells steps apart before they are numbered; sorted by the vector first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    vector: Vec<bool>,
    start: bool,
    keeps: Vec<u32>,
    cell: Vec<bool>,
}

struct Detail {
    kept: Vec<u32>,
    name: Option<u32>,
    process: Option<u32>,
    attributes: u32,
}

struct Found {
    steps: BTreeMap<Key, Detail>,
    claim: Claim,
    bytes: u64,
}

impl Found {
    fn add(&mut self, key: Key, detail: impl FnOnce() -> Detail) -> Result<(), OverBudget> {
        let size = (key.vector.len() + 2 * key.cell.len() + 8 * key.keeps.len() + 200) as u64;
        if let std::collections::btree_map::Entry::Vacant(entry) = self.steps.entry(key) {
            self.bytes += size;
            self.claim.grow_to(self.bytes, WHAT)?;
            entry.insert(detail());
        }
        Ok(())
    }
}

/// The distinct atoms and variables of a property that is not tied to a trace, by first occurrence.
#[derive(Clone, Debug, Default)]
pub struct Atoms {
    atoms: Vec<Atom<Slot>>,
    variables: Vec<String>,
    kinds: Vec<SlotKind>,
    slots: FxHashMap<String, Slot>,
    ids: FxHashMap<Atom<Slot>, AtomId>,
}

impl Atoms {
    /// The place of an atom.
    pub fn add(&mut self, atom: &Atom) -> AtomId {
        let atom = atom.map_vars(&mut |var| match var.which {
            Which::Now => self.now(&var.name),
            Which::Before => {
                let now = self.now(&var.name);
                self.other(SlotKind::Before(now), || format!("prev({})", var.name))
            }
            Which::Key => self.other(SlotKind::Key, || format!("${}", var.name)),
        });
        let next = AtomId(self.atoms.len() as u32);
        *self.ids.entry(atom).or_insert_with_key(|atom| {
            self.atoms.push(atom.clone());
            next
        })
    }

    fn now(&mut self, name: &str) -> Slot {
        if let Some(&slot) = self.slots.get(name) {
            return slot;
        }
        let slot = self.push(name.to_owned(), SlotKind::Now);
        self.slots.insert(name.to_owned(), slot);
        slot
    }

    /// A slot that is no variable.
    fn other(&mut self, kind: SlotKind, name: impl FnOnce() -> String) -> Slot {
        match self.kinds.iter().position(|known| *known == kind) {
            Some(place) => Slot(place as u32),
            None => self.push(name(), kind),
        }
    }

    fn push(&mut self, name: String, kind: SlotKind) -> Slot {
        self.variables.push(name);
        self.kinds.push(kind);
        Slot(self.variables.len() as u32 - 1)
    }

    /// The atoms; an [`AtomId`] is a place here.
    #[must_use]
    pub fn atoms(&self) -> &[Atom<Slot>] {
        &self.atoms
    }

    /// The names of the variables; a [`Slot`] is a place here.
    #[must_use]
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// What the slots stand for.
    #[must_use]
    pub fn kinds(&self) -> &[SlotKind] {
        &self.kinds
    }

    /// Some of the atoms, in the order given, and their variables.
    #[must_use]
    pub fn only(&self, ids: &[AtomId]) -> Self {
        let mut some = Self::default();
        for id in ids {
            let name = |slot: Slot| self.variables[slot.0 as usize].as_str();
            let atom = self.atoms[id.0 as usize].map_vars(&mut |&slot| match self.kinds[slot.0 as usize] {
                SlotKind::Now => some.now(name(slot)),
                SlotKind::Before(now) => {
                    let now = some.now(name(now));
                    some.other(SlotKind::Before(now), || name(slot).to_owned())
                }
                SlotKind::Key => some.other(SlotKind::Key, || name(slot).to_owned()),
            });
            let next = AtomId(some.atoms.len() as u32);
            some.ids.insert(atom.clone(), next);
            some.atoms.push(atom);
        }
        some
    }

    /// What a slot stands for, as it is written.
    #[must_use]
    pub fn var(&self, slot: Slot) -> Var {
        var(&self.variables, &self.kinds, slot)
    }

    /// The place of a variable.
    #[must_use]
    pub fn slot(&self, name: &str) -> Option<Slot> {
        self.slots.get(name).copied()
    }
}

fn var(variables: &[String], kinds: &[SlotKind], slot: Slot) -> Var {
    let name = variables[slot.0 as usize].as_str();
    match kinds[slot.0 as usize] {
        SlotKind::Now => Var::now(name, Spot::default()),
        SlotKind::Before(now) => Var { which: Which::Before, ..Var::now(&variables[now.0 as usize], Spot::default()) },
        SlotKind::Key => Var { which: Which::Key, ..Var::now(name.trim_start_matches('$'), Spot::default()) },
    }
}

fn variables_of(condition: &Condition<Slot>) -> Vec<u32> {
    let mut all = BTreeSet::new();
    condition.for_each_var(&mut |slot| {
        all.insert(slot.0);
    });
    all.into_iter().collect()
}

/// The variables that must be numbers: they are ordered, calculated with, or stand by themselves.
fn numeric(names: &Atoms) -> Vec<bool> {
    fn operands(term: &Term<Slot>, top: bool, found: &mut [bool]) {
        match term {
            Term::Number(_) | Term::Text(..) => {}
            Term::Var(slot) => found[slot.0 as usize] |= !top,
            Term::Neg(t) => operands(t, false, found),
            Term::Binary(_, a, b) => {
                operands(a, false, found);
                operands(b, false, found);
            }
        }
    }
    fn within(condition: &Condition<Slot>, found: &mut [bool]) {
        match condition {
            Condition::True | Condition::False => {}
            Condition::Compare(op, a, b) => {
                operands(a, !op.is_order(), found);
                operands(b, !op.is_order(), found);
            }
            Condition::Nonzero(t) => operands(t, false, found),
            Condition::Not(c) => within(c, found),
            Condition::And(cs) | Condition::Or(cs) => cs.iter().for_each(|c| within(c, found)),
            Condition::Implies(a, b) | Condition::Iff(a, b) => {
                within(a, found);
                within(b, found);
            }
        }
    }
    let mut found = vec![false; names.variables.len()];
    for atom in &names.atoms {
        if let Some(c) = atom.condition() {
            within(c, &mut found);
        }
    }
    // What a variable is now it was before.
    for (i, kind) in names.kinds.iter().enumerate() {
        if let SlotKind::Before(now) = kind {
            let both = found[i] || found[now.0 as usize];
            (found[i], found[now.0 as usize]) = (both, both);
        }
    }
    found
}

#[cfg(test)]
mod tests;
