//! A property tied to a trace.
//!
//! [`tie`] is the one place that looks at the kind of a formula. What comes out is about runs or about cuts.

use std::sync::OnceLock;

use posetta_base::{Budget, Diagnostic, EventId, Mistakes, OverBudget, Value};
use posetta_compile::Linear;
use posetta_logic::eval::parts::{self, Part};
use posetta_logic::eval::{self, Notes, Word};
use posetta_logic::{
    Atom, AtomId, Bound, Ctl, Formula, Ltl, M2l, Property, Psl, Slot, View, bind_ctl, bind_ltl, bind_m2l, bind_monitor,
    bind_psl,
};
use posetta_trace::Trace;

/// A formula tied to a trace.
pub(super) enum Tied<'p> {
    Linear(TiedLinear<'p>),
    Branching(TiedBranching<'p>),
}

/// A formula about runs.
pub(super) struct TiedLinear<'p> {
    pub(super) view: View,
    written: Written<'p>,
    /// There from the start, but for a formula of M2L: its automaton may be large, and short orders do without it.
    bound: OnceLock<Bound<Linear>>,
}

/// How it was written.
enum Written<'p> {
    Ltl(&'p Ltl),
    Psl(&'p Psl),
    /// With the atoms of its program.
    M2l(&'p M2l, Box<Bound<Vec<AtomId>>>),
    Monitor,
}

/// A formula about cuts.
pub(super) struct TiedBranching<'p> {
    pub(super) formula: &'p Ctl,
    pub(super) bound: Bound<Ctl<AtomId>>,
}

/// Ties a formula of a property to a trace: the property's own, or one that is made of its parts.
///
/// # Errors
/// With every unknown variable and every type error.
pub(super) fn tie<'p>(
    property: &Property,
    formula: &'p Formula,
    trace: &Trace,
    known_elsewhere: &[String],
) -> Result<Tied<'p>, Mistakes> {
    let (view, written, bound) = match formula {
        Formula::Ctl(formula) => {
            let bound = bind_ctl(property, formula, trace, known_elsewhere)?;
            return Ok(Tied::Branching(TiedBranching { formula, bound }));
        }
        Formula::M2l(view, formula) => {
            let atoms = bind_m2l(property, formula, trace, known_elsewhere)?;
            let written = Written::M2l(formula, Box::new(atoms));
            return Ok(Tied::Linear(TiedLinear { view: *view, written, bound: OnceLock::new() }));
        }
        Formula::Ltl(view, formula) => {
            let bound = bind_ltl(property, formula, trace, known_elsewhere)?;
            (*view, Written::Ltl(formula), bound.map(Linear::Ltl))
        }
        Formula::Psl(view, formula) => {
            let bound = bind_psl(property, formula, trace, known_elsewhere)?;
            (*view, Written::Psl(formula), bound.map(Linear::Psl))
        }
        Formula::Monitor(view, monitor) => {
            let bound = bind_monitor(property, monitor, trace, known_elsewhere)?;
            (*view, Written::Monitor, bound.map(Linear::Monitor))
        }
    };
    Ok(Tied::Linear(TiedLinear { view, written, bound: OnceLock::from(bound) }))
}

impl<'p> Tied<'p> {
    /// The same about a value, if conditions on variables speak of the one that an instance is about.
    pub(super) fn about(&self, value: &Value) -> Option<Self> {
        let key = match self {
            Self::Branching(tied) => tied.bound.key(),
            Self::Linear(TiedLinear { written: Written::M2l(_, atoms), .. }) => atoms.key(),
            Self::Linear(tied) => tied.bound.get().and_then(Bound::key),
        }?;
        Some(self.with_atoms(&|atom| atom.with(key, value)))
    }

    /// The same with other atoms.
    pub(super) fn with_atoms(&self, change: &dyn Fn(&Atom<Slot>) -> Atom<Slot>) -> Self {
        fn put_in<F: Clone>(bound: &Bound<F>, change: &dyn Fn(&Atom<Slot>) -> Atom<Slot>) -> Bound<F> {
            Bound { atoms: bound.atoms.iter().map(change).collect(), ..bound.clone() }
        }
        match self {
            Self::Branching(TiedBranching { formula, bound }) => {
                Self::Branching(TiedBranching { formula, bound: put_in(bound, change) })
            }
            Self::Linear(TiedLinear { view, written, bound }) => {
                let written = match written {
                    Written::Ltl(formula) => Written::Ltl(formula),
                    Written::Psl(formula) => Written::Psl(formula),
                    Written::M2l(formula, atoms) => Written::M2l(formula, Box::new(put_in(atoms, change))),
                    Written::Monitor => Written::Monitor,
                };
                let own = OnceLock::new();
                if let Some(bound) = bound.get() {
                    let _ = own.set(put_in(bound, change));
                }
                Self::Linear(TiedLinear { view: *view, written, bound: own })
            }
        }
    }

    /// Its atoms.
    pub(super) fn atoms(&self) -> &[Atom<Slot>] {
        match self {
            Self::Branching(tied) => &tied.bound.atoms,
            Self::Linear(TiedLinear { written: Written::M2l(_, atoms), .. }) => &atoms.atoms,
            Self::Linear(tied) => tied.bound.get().map_or(&[], |bound| &bound.atoms),
        }
    }

    /// About how many bytes it takes. Only the automaton of a formula of M2L is worth counting: all else is as long as it was written.
    pub(super) fn weight(&self) -> u64 {
        match self {
            Self::Linear(tied) => match tied.bound.get().map(|bound| &bound.formula) {
                Some(Linear::Monitor(monitor)) => (monitor.states.len() + monitor.edges.len()) as u64 * 64,
                _ => 0,
            },
            Self::Branching(_) => 0,
        }
    }

    /// What binding had to say.
    pub(super) fn warnings(&self) -> &[Diagnostic] {
        match self {
            Self::Linear(TiedLinear { written: Written::M2l(_, atoms), .. }) => &atoms.warnings,
            Self::Linear(tied) => tied.bound.get().map_or(&[], |bound| &bound.warnings),
            Self::Branching(tied) => &tied.bound.warnings,
        }
    }
}

impl TiedLinear<'_> {
    /// What engines decide: the formula, or the automaton of one of M2L.
    pub(super) fn bound(&self, budget: &Budget) -> Result<&Bound<Linear>, OverBudget> {
        if let (None, Written::M2l(formula, atoms)) = (self.bound.get(), &self.written) {
            let formula = Linear::m2l(formula, &atoms.formula, budget)?;
            // Whoever was first has the same.
            let _ = self.bound.set(Bound::clone(atoms).map(|_| formula));
        }
        Ok(self.bound.get().expect("only the automaton of M2L is made late, and here"))
    }

    /// What [`Self::bound`] gives, if it is there without further work.
    pub(super) fn into_bound(self) -> Option<Bound<Linear>> {
        self.bound.into_inner()
    }

    /// What an order looks like to the formula.
    pub(super) fn word(
        &self,
        trace: &Trace,
        order: &[EventId],
        notes: &mut Notes,
        budget: &Budget,
    ) -> Result<Word, OverBudget> {
        match &self.written {
            Written::M2l(_, atoms) => eval::word(trace, atoms, order, self.view, notes, budget),
            _ => eval::word(trace, self.bound(budget)?, order, self.view, notes, budget),
        }
    }

    /// Whether a word satisfies the formula, by definition, if that can be had: the definition of M2L tries all values, which is
    /// for short words.
    pub(super) fn by_definition(&self, word: &Word, budget: &Budget) -> Result<Option<bool>, OverBudget> {
        match &self.written {
            Written::M2l(formula, atoms) => {
                eval::m2l_holds(formula.program(), &atoms.formula, word, eval::M2L_STEPS, budget)
            }
            _ => self.bound(budget)?.formula.holds(word, budget).map(Some),
        }
    }

    /// Whether the automaton is the work of an engine, so that its word is not enough.
    pub(super) fn is_compiled(&self) -> bool {
        matches!(self.written, Written::M2l(..))
    }

    /// The parts of the formula along a word, and where they are true.
    pub(super) fn parts(&self, word: &Word, budget: &Budget) -> Result<Vec<Part>, OverBudget> {
        let bound = self.bound(budget)?;
        match (&self.written, &bound.formula) {
            (Written::Ltl(written), Linear::Ltl(formula)) => parts::of_ltl(written, formula, word, budget),
            (Written::Psl(written), Linear::Psl(formula)) => parts::of_psl(written, formula, word, budget),
            (Written::M2l(written, atoms), Linear::Monitor(monitor)) => {
                parts::of_m2l(written, &atoms.formula, monitor, word, budget)
            }
            (_, Linear::Monitor(monitor)) => parts::of_monitor(monitor, word, budget),
            (_, Linear::Ltl(_) | Linear::Psl(_)) => unreachable!("a formula is bound as what it was written as"),
        }
    }
}
