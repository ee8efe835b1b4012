//! Trace abstractions by definition: pairs of words over the events of all systems, one by one.
//!
//! A word is a list of names; [`NOTHING`] is the event that no system has. A relation holds of two words of one length if the second is a behaviour of the
//! specification, each has an observable event only where the other has the same, and the formula is true of both, or, for an identity, if both are the same.

use std::sync::Arc;

use posetta_logic::Atom;
use posetta_logic::m2l::{Program, VarId};
use posetta_model::system::System;

use super::Space;
use crate::m2l::{Value, holds};

/// The event that no system has.
pub const NOTHING: &str = "τ";

/// A word.
pub type Word = Vec<Arc<str>>;

/// An implementation, its specification, and what narrows the relation between them.
pub struct Part<'s> {
    /// The implementation.
    pub implementation: &'s Space<'s>,
    /// The specification.
    pub specification: &'s Space<'s>,
    /// The formula; its atoms are called `impl: NAME`, `spec: NAME`, `same`.
    pub formula: Option<&'s Program>,
}

/// All that is compared.
pub struct World<'s> {
    /// The parts.
    pub parts: Vec<Part<'s>>,
    /// Words are related only to themselves.
    pub identity: bool,
}

/// "The set of normalized traces is h⁻¹(L)": a word whose events that the system has are one of its behaviours.
#[must_use]
pub fn does(space: &Space<'_>, word: &[Arc<str>]) -> bool {
    let mut states = vec![0];
    for name in word {
        let Some(action) = space.system.find_action(name) else { continue };
        let steps = states.iter().flat_map(|&s| &space.steps[s]).filter(|step| step.action == action);
        states = steps.map(|step| step.to).collect();
        states.sort_unstable();
        states.dedup();
    }
    !states.is_empty()
}

impl World<'_> {
    fn systems(&self) -> impl Iterator<Item = &System> {
        self.parts.iter().flat_map(|p| [p.implementation.system, p.specification.system])
    }

    /// The events of all systems, and the one that none of them has.
    #[must_use]
    pub fn universe(&self) -> Word {
        let mut names: Word = self.systems().flat_map(|s| s.actions.iter().map(|a| Arc::clone(&a.name))).collect();
        names.push(NOTHING.into());
        names.sort();
        names.dedup();
        names
    }

    fn is_observable(&self, name: &str) -> bool {
        self.systems().any(|s| s.find_action(name).is_some_and(|a| !s.action(a).internal))
    }

    /// Whether the relations of some parts hold of two words.
    fn related(&self, parts: &[usize], ours: &[Arc<str>], theirs: &[Arc<str>]) -> bool {
        let both = || ours.iter().zip(theirs);
        let synchronised = both().all(|(a, b)| a == b || !self.is_observable(a) && !self.is_observable(b));
        synchronised
            && (!self.identity || ours == theirs)
            && parts.iter().map(|&part| &self.parts[part]).all(|part| {
                does(part.specification, theirs) && part.formula.is_none_or(|formula| is_true(formula, ours, theirs))
            })
    }

    /// Whether some word goes with a word in the relations of all of some parts.
    #[must_use]
    pub fn has_image(&self, parts: &[usize], ours: &[Arc<str>]) -> bool {
        let universe = self.universe();
        let mut theirs: Word = Vec::new();
        self.some_image(parts, ours, &mut theirs, &universe)
    }

    fn some_image(&self, parts: &[usize], ours: &[Arc<str>], theirs: &mut Word, universe: &Word) -> bool {
        if theirs.len() == ours.len() {
            return self.related(parts, ours, theirs);
        }
        let place = theirs.len();
        universe.iter().any(|name| {
            let seen = self.is_observable(name) || self.is_observable(&ours[place]);
            if (seen || self.identity) && *name != ours[place] {
                return false;
            }
            theirs.push(Arc::clone(name));
            // Behaviours have their prefixes: what begins wrongly stays wrong.
            let found = parts.iter().all(|&part| does(self.parts[part].specification, theirs))
                && self.some_image(parts, ours, theirs, universe);
            theirs.pop();
            found
        })
    }

    /// A shortest word of at most so many events for which something is true. `from` says which words can be continued.
    fn shortest(&self, longest: usize, from: &dyn Fn(&Word) -> bool, wanted: &dyn Fn(&Word) -> bool) -> Option<Word> {
        let universe = self.universe();
        let mut words: Vec<Word> = vec![Vec::new()];
        for length in 0..=longest {
            words.retain(|word| from(word));
            if let Some(found) = words.iter().find(|word| wanted(word)) {
                return Some(found.clone());
            }
            if length < longest {
                let longer = |word: &Word| {
                    let word = word.clone();
                    universe.iter().map(move |name| [&word[..], &[Arc::clone(name)]].concat()).collect::<Vec<_>>()
                };
                words = words.iter().flat_map(longer).collect();
            }
        }
        None
    }

    /// A shortest behaviour of the implementation of a part that its relation says nothing about.
    #[must_use]
    pub fn without_image(&self, part: usize, longest: usize) -> Option<Word> {
        self.shortest(longest, &|word| does(self.parts[part].implementation, word), &|word| {
            !self.has_image(&[part], word)
        })
    }

    /// A shortest word that every relation has something for, and all of them together have nothing.
    #[must_use]
    pub fn disagreement(&self, longest: usize) -> Option<Word> {
        let all: Vec<usize> = (0..self.parts.len()).collect();
        self.shortest(longest, &|_| true, &|word| {
            all.iter().all(|&part| self.has_image(&[part], word)) && !self.has_image(&all, word)
        })
    }
}

/// Whether a formula is true of two words.
fn is_true(formula: &Program, ours: &[Arc<str>], theirs: &[Arc<str>]) -> bool {
    let set = |(var, atom): &(VarId, Atom)| {
        let Atom::Event(text) = atom else { panic!("{atom:?} is no name") };
        let at = |place: usize| match text.split_once(": ") {
            Some(("impl", name)) => &*ours[place] == name,
            Some(("spec", name)) => &*theirs[place] == name,
            _ => ours[place] == theirs[place],
        };
        (*var, Value::Places((0..ours.len()).filter(|&place| at(place)).fold(0, |bits, place| bits | 1 << place)))
    };
    holds(formula, ours.len(), &formula.atoms.iter().map(set).collect::<Vec<_>>())
}
