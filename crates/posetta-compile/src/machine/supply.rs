//! Which letters can come.
//!
//! A few are listed, with what a value that is not assigned rules out ([`Letters`]). Where there are too many, a decision diagram says which
//! vectors can come at all: atoms that share no variable are independent of each other, so it is the conjunction of small ones. What values
//! rule out from one letter to the next it does not know; that matters only for `on(..)` atoms.

use rustc_hash::FxHashMap;

use posetta_base::{Budget, LetterId, Limit, OverBudget};
use posetta_dd::mtbdd::{Function, Mtbdd};
use posetta_logic::{Atom, AtomId, Atoms, Letters, Memory, View};

/// With more letters they are not listed.
const MOST_LETTERS: usize = 4096;

/// Bytes that listing letters may take before it is given up.
const LISTING: u64 = 6 << 20;

/// Bytes for the letters of atoms that share variables.
const SHARING: u64 = 4 << 20;

/// The letters.
#[derive(Debug)]
pub(super) enum Supply {
    Listed(Box<Letterbook>),
    Diagram(Vectors),
}

/// Letters one by one.
#[derive(Debug)]
pub(super) struct Letterbook {
    pub(super) letters: Letters,
    /// What may come first: a letter and what it leaves behind.
    pub(super) first: Vec<(LetterId, Memory)>,
    /// What may come after each memory.
    pub(super) later: Vec<Vec<(LetterId, Memory)>>,
}

/// Vectors that can come: for each group of atoms its vectors, one of which comes; atoms of no group are free.
#[derive(Debug)]
pub(super) struct Vectors {
    groups: Vec<Group>,
    /// At position 0 of the states view no event has happened: these are false there.
    of_events: Vec<AtomId>,
    view: View,
    pub(super) exact: bool,
}

/// Atoms, and the vectors of them that can come.
#[derive(Debug)]
struct Group {
    atoms: Vec<AtomId>,
    vectors: Vec<Box<[bool]>>,
}

impl Supply {
    /// The letters; `keeps` says whether what values rule out is known.
    pub(super) fn new(atoms: &Atoms, view: View, keeps: bool, budget: &Budget) -> Result<Self, OverBudget> {
        match Letters::over(atoms.clone(), view, &budget.within(LISTING)) {
            Ok(letters) if letters.len() <= MOST_LETTERS => {
                let pairs = |memory: Option<Memory>| {
                    let mut all: Vec<(LetterId, Memory)> =
                        letters.steps_after(memory).map(|step| (letters.letter(step), letters.after(step))).collect();
                    all.sort_unstable();
                    all.dedup();
                    all
                };
                let (first, later) = if keeps {
                    (pairs(None), (0..letters.memories() as u32).map(|m| pairs(Some(Memory(m)))).collect())
                } else {
                    let all = |first: bool| letters.letters_at(first).into_iter().map(|l| (l, Memory(0))).collect();
                    (all(true), vec![all(false)])
                };
                Ok(Self::Listed(Box::new(Letterbook { letters, first, later })))
            }
            Ok(_) | Err(OverBudget { limit: Limit::Memory | Limit::Digits, .. }) => {
                Ok(Self::Diagram(Vectors::new(atoms, view, budget)?))
            }
            Err(over) => Err(over),
        }
    }
}

impl Vectors {
    pub(super) fn new(atoms: &Atoms, view: View, budget: &Budget) -> Result<Self, OverBudget> {
        let mut vectors = Self { groups: Vec::new(), of_events: Vec::new(), view, exact: true };
        for (i, atom) in atoms.atoms().iter().enumerate() {
            if !matches!(atom, Atom::State(_) | Atom::Step(_)) {
                vectors.of_events.push(AtomId(i as u32));
            }
        }
        for group in groups(atoms) {
            if group.len() == 1 && !vectors.of_events.contains(&group[0]) {
                continue;
            }
            match Letters::over(atoms.only(&group), View::Events, &budget.within(SHARING)) {
                Ok(letters) => {
                    vectors.exact &= letters.memories() <= 1 && letters.is_exact();
                    let all = letters.letters_at(false).into_iter().map(|l| letters.vector(l).into()).collect();
                    vectors.groups.push(Group { atoms: group, vectors: all });
                }
                Err(OverBudget { limit: Limit::Memory | Limit::Digits, .. }) => vectors.exact = false,
                Err(over) => return Err(over),
            }
        }
        Ok(vectors)
    }

    /// Which positions there are.
    pub(super) fn view(&self) -> View {
        self.view
    }

    /// 1 on the vectors that can come first, or later.
    pub(super) fn function(&self, first: bool, dd: &mut Mtbdd, budget: &Budget) -> Result<Function, OverBudget> {
        let mut all = Function::constant(1);
        let and = |dd: &mut Mtbdd, a, b| dd.zip(a, b, budget, &mut |x, y| Ok(x & y));
        for Group { atoms, vectors } in &self.groups {
            let mut any = Function::constant(0);
            for vector in vectors {
                let mut one = Function::constant(1);
                for (atom, &truth) in atoms.iter().zip(vector) {
                    let (low, high) = if truth { (0, 1) } else { (1, 0) };
                    let literal = dd.ask(atom.0, Function::constant(low), Function::constant(high))?;
                    one = and(dd, one, literal)?;
                }
                any = dd.zip(any, one, budget, &mut |x, y| Ok(x | y))?;
            }
            all = and(dd, all, any)?;
        }
        if first && self.view == View::States {
            for atom in &self.of_events {
                let not = dd.ask(atom.0, Function::constant(1), Function::constant(0))?;
                all = and(dd, all, not)?;
            }
        }
        Ok(all)
    }
}

/// Atoms in groups that share no variable; all names of events are one group, and all processes.
fn groups(atoms: &Atoms) -> Vec<Vec<AtomId>> {
    let count = atoms.atoms().len();
    let mut group: Vec<usize> = (0..count).collect();
    let mut owner: FxHashMap<(u8, u32), usize> = FxHashMap::default();
    for (i, atom) in atoms.atoms().iter().enumerate() {
        let mut keys = Vec::new();
        match atom {
            Atom::State(c) | Atom::Step(c) | Atom::On(c) => c.for_each_var(&mut |slot| keys.push((0, slot.0))),
            Atom::Event(_) | Atom::Having(_) => keys.push((1, 0)),
            Atom::Process(_) => keys.push((2, 0)),
            Atom::Enabled(_) => keys.push((3, 0)),
        }
        for key in keys {
            let known = *owner.entry(key).or_insert(i);
            let (from, to) = (group[i], group[known]);
            group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
        }
    }
    let mut all: Vec<Vec<AtomId>> = Vec::new();
    let mut places: FxHashMap<usize, usize> = FxHashMap::default();
    for (i, g) in group.into_iter().enumerate() {
        let place = *places.entry(g).or_insert_with(|| {
            all.push(Vec::new());
            all.len() - 1
        });
        all[place].push(AtomId(i as u32));
    }
    all
}
