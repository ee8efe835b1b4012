//! CTL by sets of cuts: what a representation of sets has to offer, and how a formula is worked off.

use dashu_int::UBig;

use crate::program::{Node, Place, Program};
use posetta_base::OverBudget;
use posetta_logic::{AtomId, CtlBinary, CtlUnary, Path};

/// Sets of cuts of one trace. A cut is one count per layer.
pub(super) trait CutSets {
    type Set: Copy;

    /// Every cut.
    fn all(&self) -> Self::Set;

    /// No cut.
    fn none(&self) -> Self::Set;

    /// The cuts whose state satisfies an atom.
    fn atom(&mut self, atom: AtomId) -> Result<Self::Set, OverBudget>;

    fn union(&mut self, f: Self::Set, g: Self::Set) -> Result<Self::Set, OverBudget>;

    fn intersection(&mut self, f: Self::Set, g: Self::Set) -> Result<Self::Set, OverBudget>;

    fn not(&mut self, f: Self::Set) -> Result<Self::Set, OverBudget>;

    fn unary(&mut self, path: Path, op: CtlUnary, f: Self::Set) -> Result<Self::Set, OverBudget>;

    fn binary(&mut self, path: Path, op: CtlBinary, f: Self::Set, g: Self::Set) -> Result<Self::Set, OverBudget>;

    fn contains(&self, set: Self::Set, cut: &[u32]) -> bool;

    fn count(&mut self, set: Self::Set) -> Result<UBig, OverBudget>;

    /// A cut of the set that contains another one and has as few events as any.
    fn nearest(&mut self, set: Self::Set, cut: &[u32]) -> Result<Option<Vec<u32>>, OverBudget>;

    /// Whether forgetting sets that are no longer needed may pay.
    fn is_crowded(&self) -> bool;

    /// Forgets all but these sets, which keep their names.
    fn collect(&mut self, needed: &[Self::Set]);
}

/// The cuts that satisfy each subformula, by place.
pub(super) fn evaluate<S: CutSets>(program: &Program, sets: &mut S) -> Result<Vec<S::Set>, OverBudget> {
    let mut known: Vec<S::Set> = Vec::with_capacity(program.len());
    for place in 0..program.len() as Place {
        let set = match one(program, place, &known, sets) {
            // What earlier subformulas left behind may be what is in the way.
            Err(OverBudget { limit: posetta_base::Limit::Memory, .. }) => {
                sets.collect(&known);
                one(program, place, &known, sets)?
            }
            set => set?,
        };
        known.push(set);
        if sets.is_crowded() {
            sets.collect(&known);
        }
    }
    Ok(known)
}

fn one<S: CutSets>(program: &Program, place: Place, known: &[S::Set], sets: &mut S) -> Result<S::Set, OverBudget> {
    let of = |place: &Place| known[*place as usize];
    match program.node(place) {
        Node::Constant(true) => Ok(sets.all()),
        Node::Constant(false) => Ok(sets.none()),
        Node::Atom(atom) => sets.atom(*atom),
        Node::Not(f) => sets.not(of(f)),
        Node::And(fs) => fs[1..].iter().try_fold(of(&fs[0]), |all, f| sets.intersection(all, of(f))),
        Node::Or(fs) => fs[1..].iter().try_fold(of(&fs[0]), |any, f| sets.union(any, of(f))),
        Node::Implies(f, g) => {
            let not_f = sets.not(of(f))?;
            sets.union(not_f, of(g))
        }
        Node::Iff(f, g) => {
            let both = sets.intersection(of(f), of(g))?;
            let any = sets.union(of(f), of(g))?;
            let neither = sets.not(any)?;
            sets.union(both, neither)
        }
        Node::Unary(path, op, f) => sets.unary(*path, *op, of(f)),
        Node::Binary(path, op, f, g) => sets.binary(*path, *op, of(f), of(g)),
    }
}
