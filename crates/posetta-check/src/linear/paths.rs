//! By sets of cuts, where a branching formula asks for the same.
//!
//! Over states, or over events without asking about them, what runs of a language there are may be a question about paths through
//! cuts ([`Normal::on_some_path`]), if the state at a cut does not depend on the way there. The
//! engines of CTL answer it; a path that proves it is completed to a run.

use super::{RunSearch, Until};
use crate::cuts::{CutSearch, Decided, Wanted};
use crate::determined::unordered;
use crate::program::Program;
use crate::proof::Proof;
use crate::{Engine, Options, Stats};
use posetta_base::{Budget, EventId, OverBudget, ValueId};
use posetta_compile::Normal;
use posetta_logic::eval::{self, Notes};
use posetta_logic::{Atom, AtomId, Bound, Ctl, CtlUnary, Path, Slot, View};
use posetta_trace::{Trace, complete};

const WHAT: &str = "asking about paths";

/// What a part asks for, as a question about paths.
pub(super) enum Asked {
    /// It is settled by how every run ends.
    Settled(bool),
    /// A formula at the empty cut.
    Paths(Paths),
}

/// A formula of CTL at the empty cut.
pub(super) struct Paths {
    bound: Bound<Ctl<AtomId>>,
    program: Program,
}

impl Asked {
    /// `None` if there is no such question.
    pub(super) fn new(
        whole: &RunSearch<'_>,
        formula: &Normal,
        atoms: &[AtomId],
        notes: &mut Notes,
    ) -> Result<Option<Self>, OverBudget> {
        let RunSearch { trace, view, budget, .. } = *whole;
        if !atoms.iter().all(|atom| matches!(whole.bound.atoms[atom.0 as usize], Atom::State(_))) {
            return Ok(None);
        }
        let bound = whole.bound.only(atoms);
        if !unordered(trace, &bound, budget)?.is_empty() {
            return Ok(None);
        }
        let ends = at_the_end(trace, &bound, notes, budget)?;
        let place = |atom: AtomId| atoms.binary_search(&atom).ok();
        let Some(some) = formula.on_some_path(formula.root(), &|atom| place(atom).map(|place| ends[place])) else {
            return Ok(None);
        };
        // The first position over events is the one after the first event.
        let some = match (some, view) {
            (Ctl::True, _) => return Ok(Some(Self::Settled(true))),
            (Ctl::False, _) => return Ok(Some(Self::Settled(false))),
            (some, View::States) => some,
            (some, View::Events) => Ctl::Unary(Path::Some, CtlUnary::Next, Box::new(some)),
        };
        let formula = some.map_atoms(&mut |&atom| AtomId(place(atom).unwrap_or_default() as u32));
        let program = Program::new(&formula);
        Ok(Some(Self::Paths(Paths { bound: bound.map(|()| formula), program })))
    }
}

impl Paths {
    /// A run of the part, if there is one. `steps` is about how many nodes it may take.
    pub(super) fn find(
        &self,
        whole: &RunSearch<'_>,
        steps: u64,
        notes: &mut Notes,
        stats: &mut Stats,
    ) -> Result<Option<Vec<EventId>>, OverBudget> {
        let budget = whole.budget.part(u64::MAX, steps);
        let texts = vec![String::new(); self.program.len()];
        let wanted = Wanted { proof: &|holds| holds, counts: false, texts: &texts };
        let Self { bound, program } = self;
        let search = CutSearch { trace: whole.trace, bound, program, options: whole.options, budget: &budget };
        let decided = search.decide(&wanted, notes, stats)?;
        match decided {
            Decided { holds: false, .. } => Ok(None),
            Decided { proof: Some(proof), .. } => Ok(Some(complete(whole.trace, &Proof::path(&proof)))),
            // The proof is what was asked for.
            Decided { proof: None, stopped, .. } => {
                Err(stopped.unwrap_or(OverBudget::new(WHAT, posetta_base::Limit::Memory)))
            }
        }
    }
}

/// Whether each atom holds when everything has happened.
fn at_the_end(trace: &Trace, bound: &Bound<()>, notes: &mut Notes, budget: &Budget) -> Result<Vec<bool>, OverBudget> {
    let slots = bound.slots();
    let mut values: Vec<Option<ValueId>> = bound.initial(trace);
    for (i, &event) in trace.linearisation().iter().enumerate() {
        if i % 1024 == 0 {
            budget.step(0, WHAT)?;
        }
        for assignment in trace.assignments(event) {
            if let Some(slot) = slots.get(&assignment.var) {
                values[slot.0 as usize] = Some(assignment.value);
            }
        }
    }
    let holds = |atom: &Atom<Slot>| match atom {
        Atom::State(condition) => eval::condition(condition, trace, &values, notes),
        _ => Ok(false),
    };
    bound.atoms.iter().map(holds).collect()
}

/// How engines take turns on one part: by work, so that the answer does not depend on the machine.
pub(super) struct Turns {
    /// So many configurations may the search take; none if it is not its turn at all.
    configurations: u64,
}

/// The first turn.
const FIRST: u64 = 1 << 8;
/// Each turn is so many times as long as the one before: what is done again costs a third more.
const GROWTH: u64 = 4;
/// So many nodes of a diagram take about as long as a configuration on a few chains; on more, as many as there are chains. Measured:
/// 0.5 µs for a node, 3 µs for a configuration on 7 chains, with those that it covers, 39 µs on 50.
const NODES: u64 = 4;

impl Turns {
    /// `None` if there is nobody to take turns with.
    pub(super) fn new(options: &Options, until: Until) -> Option<Self> {
        let longest = if let Until::Tried(most) = until { most } else { u64::MAX };
        match options.engine {
            Engine::Auto => (FIRST < longest).then_some(Self { configurations: FIRST }),
            Engine::Cuts | Engine::Diagrams => Some(Self { configurations: 0 }),
            _ => None,
        }
    }

    /// How many configurations the search may take now; `None` if it has to wait.
    pub(super) fn configurations(&self) -> Option<u64> {
        Some(self.configurations).filter(|&turn| turn > 0)
    }

    /// How many nodes the sets may take now, on so many chains.
    pub(super) fn nodes(&self, chains: usize) -> u64 {
        self.configurations().map_or(u64::MAX, |turn| turn.saturating_mul(NODES.max(chains as u64)))
    }

    /// The search has given up for good.
    pub(super) fn alone(&mut self) {
        self.configurations = 0;
    }

    pub(super) fn next(&mut self) {
        self.configurations = self.configurations.saturating_mul(GROWTH);
    }
}
