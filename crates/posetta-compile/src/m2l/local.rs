//! What is said of one position by its letter and the next few.
//!
//! Such a formula is a truth function of finitely many bits: whether p, p + 1, … lie in some sets. It is made as a diagram of truth values, all bits of
//! one letter before those of the next, and cut between letters: what is left of the function after a letter is a state. So the automaton is made without
//! products.

use rustc_hash::FxHashMap;

use super::core::{Atom, Core, CoreId, Cores, Track};
use posetta_automata::tracks::{TrackDfa, Waiting};
use posetta_base::{Budget, OverBudget};
use posetta_dd::mtbdd::{Function, Mtbdd};

/// The automaton of a conjunction of formulas about one position, over tracks from the top of the diagram down.
pub(super) fn automaton(
    cores: &Cores,
    parts: &[CoreId],
    tracks: &[Track],
    budget: &Budget,
) -> Result<TrackDfa, OverBudget> {
    let mut truth =
        Truth { cores, tracks, dd: Mtbdd::new(budget)?, known: FxHashMap::default(), position: None, budget };
    let mut all = Function::constant(1);
    for &part in parts {
        let part = truth.function(part)?;
        all = truth.dd.zip(all, part, budget, &mut |a, b| Ok(a & b))?;
    }
    let position = truth.position.and_then(|p| tracks.iter().position(|&t| t == p)).unwrap_or(0) as u32;
    Waiting { truth: truth.dd, function: all, position, width: tracks.len() as u32 }.automaton(budget)
}

struct Truth<'a> {
    cores: &'a Cores,
    tracks: &'a [Track],
    dd: Mtbdd,
    known: FxHashMap<CoreId, Function>,
    position: Option<Track>,
    budget: &'a Budget,
}

impl Truth<'_> {
    /// The truth function of a formula: the bit of track i in the letter n places on is variable n · width + i.
    fn function(&mut self, id: CoreId) -> Result<Function, OverBudget> {
        if let Some(&known) = self.known.get(&id) {
            return Ok(known);
        }
        let budget = self.budget;
        let function = match self.cores.get(id) {
            Core::Constant(value) => Function::constant(u32::from(*value)),
            Core::Atom(Atom::In(position, plus, set)) => {
                self.position = Some(*position);
                let track = self.tracks.iter().position(|t| t == set).expect("the tracks are those of the formula");
                self.dd.variable(plus * self.tracks.len() as u32 + track as u32)?
            }
            Core::Not(f) => {
                let f = self.function(*f)?;
                self.dd.map(f, budget, &mut |a| Ok(1 - a))?
            }
            Core::And(parts) => {
                let mut all = Function::constant(1);
                for &part in parts {
                    let part = self.function(part)?;
                    all = self.dd.zip(all, part, budget, &mut |a, b| Ok(a & b))?;
                }
                all
            }
            Core::Iff(f, g) => {
                let (f, g) = (self.function(*f)?, self.function(*g)?);
                self.dd.zip(f, g, budget, &mut |a, b| Ok(u32::from(a == b)))?
            }
            _ => unreachable!("only truth functions of letters are local"),
        };
        self.known.insert(id, function);
        Ok(function)
    }
}
