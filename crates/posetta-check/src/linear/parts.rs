//! What is looked for, as a union of languages that speak of different things.

use std::collections::BTreeSet;

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
}

/// Something that events do and an atom sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    /// Assign a variable.
    Variable(Slot),
    /// Have a name, or belong to a process.
    Named(AtomId),
}

fn subjects(bound: &Bound<Linear>, atom: AtomId) -> Vec<Subject> {
    match &bound.atoms[atom.0 as usize] {
        atom @ (Atom::State(_) | Atom::On(_)) => atom.slots().into_iter().map(Subject::Variable).collect(),
        Atom::Event(_) | Atom::Process(_) | Atom::Enabled(_) => vec![Subject::Named(atom)],
    }
}

/// Parts that speak of the same things.
struct Group {
    subjects: BTreeSet<Subject>,
    atoms: Vec<AtomId>,
    stutters: bool,
    roots: Vec<NodeId>,
}

/// The words that violate a property, or those that satisfy it. Parts of a formula over the same variables are searched
/// together: their automata share what they remember. A monitor is one part.
pub(crate) fn parts(bound: &Bound<Linear>, violating: bool) -> Vec<Part> {
    let Linear::Ltl(formula) = &bound.formula else {
        let atoms = (0..bound.atoms.len() as u32).map(AtomId).collect();
        return vec![Part { automaton: bound.formula.automaton(violating), atoms, stutters: false }];
    };
    let mut normal = Normal::new(formula, violating);
    let mut groups: Vec<Group> = Vec::new();
    for part in normal.split() {
        let subjects: BTreeSet<Subject> = part.atoms.iter().flat_map(|&a| subjects(bound, a)).collect();
        let on_events = |atom: &AtomId| !matches!(bound.atoms[atom.0 as usize], Atom::State(_));
        let stutters = !part.next && !part.atoms.iter().any(on_events);
        match groups.iter_mut().find(|group| group.subjects == subjects) {
            Some(group) => {
                group.atoms.extend(part.atoms);
                group.stutters &= stutters;
                group.roots.push(part.root);
            }
            None => groups.push(Group { subjects, atoms: part.atoms, stutters, roots: vec![part.root] }),
        }
    }
    let whole = groups.len() == 1;
    let part = |mut group: Group| {
        group.atoms.sort_unstable();
        group.atoms.dedup();
        let language = if whole { normal.clone() } else { normal.clone().any_of(&group.roots) };
        let automaton = Box::new(Obligations::new(language));
        Part { automaton, atoms: group.atoms, stutters: group.stutters }
    };
    groups.into_iter().map(part).collect()
}
