//! CTL with fairness: at which nodes of a graph, or states of a system, a formula is true.
//!
//! The paths from a node are the computations that start there, whatever `init` says: infinite fair ones, and finite ones that end in a final
//! one. `E…` asks for one, so it is false where none starts; `A…` is `!E…` of the negation. On one path the operators mean
//! what they mean in LTL: `X` needs a second position, and `R` and `W` are content with the end of a finite one.

use posetta_logic::{Ctl, CtlBinary, CtlUnary, Path};
use posetta_model::fds::ExprId;

use super::System;
use super::graph::Graph;

/// The nodes of a graph, one truth value each.
pub type Truth = Vec<bool>;

fn not(f: &Truth) -> Truth {
    f.iter().map(|v| !v).collect()
}

fn join(f: &Truth, g: &Truth, op: impl Fn(bool, bool) -> bool) -> Truth {
    f.iter().zip(g).map(|(&a, &b)| op(a, b)).collect()
}

fn and(f: &Truth, g: &Truth) -> Truth {
    join(f, g, |a, b| a && b)
}

fn or(f: &Truth, g: &Truth) -> Truth {
    join(f, g, |a, b| a || b)
}

impl System<'_> {
    /// "Every initial state that begins a computation satisfies it."
    #[must_use]
    pub fn satisfies_ctl(&self, formula: &Ctl<ExprId>) -> bool {
        let truth = self.ctl(formula);
        self.starts().into_iter().all(|s| truth[s])
    }

    /// The initial states that begin a computation.
    #[must_use]
    pub fn starts(&self) -> Vec<usize> {
        let feasible = self.by_state.feasible(&vec![true; self.by_state.len()]);
        self.by_state.initial.iter().copied().filter(|&s| feasible[s]).collect()
    }

    /// Where a formula is true.
    #[must_use]
    pub fn ctl(&self, formula: &Ctl<ExprId>) -> Truth {
        truth(&self.by_state, formula, &|&a, s| self.holds_in_state(a, s))
    }
}

/// At which nodes of a graph a formula is true, where `holds` says so of its atoms.
pub fn truth<A>(graph: &Graph, formula: &Ctl<A>, holds: &dyn Fn(&A, usize) -> bool) -> Truth {
    let feasible = graph.feasible(&vec![true; graph.len()]);
    Tree { graph, holds, feasible }.truth(formula)
}

/// A graph, read as the trees of its computations.
struct Tree<'a, A> {
    graph: &'a Graph,
    holds: &'a dyn Fn(&A, usize) -> bool,
    /// Where a computation starts.
    feasible: Truth,
}

impl<A> Tree<'_, A> {
    fn truth(&self, formula: &Ctl<A>) -> Truth {
        let everywhere = |value| vec![value; self.graph.len()];
        match formula {
            Ctl::True => everywhere(true),
            Ctl::False => everywhere(false),
            Ctl::Atom(a) => (0..self.graph.len()).map(|s| (self.holds)(a, s)).collect(),
            Ctl::Not(f) => not(&self.truth(f)),
            Ctl::And(fs) => fs.iter().fold(everywhere(true), |all, f| and(&all, &self.truth(f))),
            Ctl::Or(fs) => fs.iter().fold(everywhere(false), |all, f| or(&all, &self.truth(f))),
            Ctl::Implies(f, g) => or(&not(&self.truth(f)), &self.truth(g)),
            Ctl::Iff(f, g) => join(&self.truth(f), &self.truth(g), |a, b| a == b),
            Ctl::Unary(path, op, f) => {
                let f = self.truth(f);
                match (path, op) {
                    (Path::Some, CtlUnary::Next) => self.some_next(&f),
                    (Path::Some, CtlUnary::Finally) => self.some_until(&everywhere(true), &f),
                    (Path::Some, CtlUnary::Globally) => self.some_globally(&f),
                    (Path::All, CtlUnary::Next) => not(&self.some_next(&not(&f))),
                    (Path::All, CtlUnary::Finally) => not(&self.some_globally(&not(&f))),
                    (Path::All, CtlUnary::Globally) => not(&self.some_until(&everywhere(true), &not(&f))),
                }
            }
            Ctl::Binary(path, op, f, g) => {
                let (f, g) = (self.truth(f), self.truth(g));
                match (path, op) {
                    (Path::Some, CtlBinary::Until) => self.some_until(&f, &g),
                    (Path::Some, CtlBinary::WeakUntil) => or(&self.some_globally(&f), &self.some_until(&f, &g)),
                    (Path::Some, CtlBinary::Release) => self.some_release(&f, &g),
                    // On every word, finite or not: !(f U g) = !f R !g, !(f R g) = !f U !g, !(f W g) = !g U !(f || g).
                    (Path::All, CtlBinary::Until) => not(&self.some_release(&not(&f), &not(&g))),
                    (Path::All, CtlBinary::Release) => not(&self.some_until(&not(&f), &not(&g))),
                    (Path::All, CtlBinary::WeakUntil) => not(&self.some_until(&not(&g), &not(&or(&f, &g)))),
                }
            }
        }
    }

    /// `EX f`: a computation with a second position, and f there.
    fn some_next(&self, f: &Truth) -> Truth {
        let good = and(f, &self.feasible);
        self.graph.next.iter().map(|steps| steps.iter().any(|&t| good[t])).collect()
    }

    /// `EG f`: a computation that never leaves f.
    fn some_globally(&self, f: &Truth) -> Truth {
        self.graph.feasible(f)
    }

    /// `E[f U g]`: f up to a state of g from which a computation goes on.
    fn some_until(&self, f: &Truth, g: &Truth) -> Truth {
        let goal = and(g, &self.feasible);
        self.graph.can_reach(&goal, &or(f, &goal))
    }

    /// `E[f R g]`: g up to and including a state of f, or to the end.
    fn some_release(&self, f: &Truth, g: &Truth) -> Truth {
        or(&self.some_globally(g), &self.some_until(g, &and(f, g)))
    }
}
