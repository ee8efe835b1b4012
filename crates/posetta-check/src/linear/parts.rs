//! What is looked for, as a union of languages that speak of different things.

use rustc_hash::FxHashMap;

use posetta_compile::{Automaton, Linear, NodeId, Normal, Obligations};
use posetta_logic::{Atom, AtomId, Bound, Slot};

/// A language whose words are looked for, with what is known about it.
pub(crate) struct Part {
    /// Its automaton.
    pub(crate) automaton: Box<dyn Automaton>,
    /// The atoms that it reads.
    pub(crate) atoms: Vec<AtomId>,
    /// Repeating a letter without events in it never changes anything: linear temporal logic without next and without event
    /// atoms.
    pub(crate) stutters: bool,
    /// The same as a formula, if it is one of linear temporal logic.
    pub(super) formula: Option<Normal>,
}

/// Something that events do and an atom sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Subject {
    /// Assign a variable.
    Variable(Slot),
    /// Have a name, or belong to a process.
    Named(AtomId),
}

fn subjects(bound: &Bound<Linear>, atom: AtomId) -> Vec<Subject> {
    match &bound.atoms[atom.0 as usize] {
        // Who speaks of a variable before speaks of the variable.
        atom @ (Atom::State(_) | Atom::Step(_) | Atom::On(_)) => {
            atom.slots().into_iter().map(|slot| Subject::Variable(bound.now(slot))).collect()
        }
        Atom::Event(_) | Atom::Having(_) | Atom::Process(_) | Atom::Enabled(_) => vec![Subject::Named(atom)],
    }
}

/// Parts that speak of the same things.
struct Group {
    atoms: Vec<AtomId>,
    stutters: bool,
    roots: Vec<NodeId>,
}

/// The words that violate a property, or those that satisfy it. Parts of a formula over the same variables are searched
/// together: their automata share what they remember. A monitor is one part.
pub(crate) fn parts(bound: &Bound<Linear>, violating: bool) -> Vec<Part> {
    split(bound, violating, Normal::forward)
}

/// The same without rewriting the past. A word that cannot be repaired mostly belongs to one of these parts for certain; alternatives that the
/// rewriting brings would be open, each by itself.
pub(crate) fn parts_as_written(bound: &Bound<Linear>, violating: bool) -> Vec<Part> {
    split(bound, violating, |normal| normal)
}

fn split(bound: &Bound<Linear>, violating: bool, rewrite: impl FnOnce(Normal) -> Normal) -> Vec<Part> {
    let Linear::Ltl(formula) = &bound.formula else {
        let atoms = (0..bound.atoms.len() as u32).map(AtomId).collect();
        return vec![Part { automaton: bound.formula.automaton(violating), atoms, stutters: false, formula: None }];
    };
    let mut normal = rewrite(Normal::new(formula, violating));
    let mut groups: Vec<Group> = Vec::new();
    let mut places: FxHashMap<Vec<Subject>, usize> = FxHashMap::default();
    for part in normal.split() {
        let mut subjects: Vec<Subject> = part.atoms.iter().flat_map(|&a| subjects(bound, a)).collect();
        subjects.sort_unstable();
        subjects.dedup();
        let on_events = |atom: &AtomId| !matches!(bound.atoms[atom.0 as usize], Atom::State(_));
        let stutters = !part.next && !part.atoms.iter().any(on_events);
        let place = *places.entry(subjects).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Group { atoms: Vec::new(), stutters: true, roots: Vec::new() });
        }
        let group = &mut groups[place];
        group.atoms.extend(part.atoms);
        group.stutters &= stutters;
        group.roots.push(part.root);
    }
    let whole = groups.len() == 1;
    let part = |mut group: Group| {
        group.atoms.sort_unstable();
        group.atoms.dedup();
        let language = if whole { normal.clone() } else { normal.any_of(&group.roots) };
        let automaton = Box::new(Obligations::new(language.clone()));
        Part { automaton, atoms: group.atoms, stutters: group.stutters, formula: Some(language) }
    };
    groups.into_iter().map(part).collect()
}
