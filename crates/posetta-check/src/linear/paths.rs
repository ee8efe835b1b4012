//! By sets of cuts, where a branching formula asks for the same.
//!
//! Over states, or over events without asking about them, what runs of a language there are may be a question about paths through
//! cuts ([`Normal::on_some_path`]), if the state at a cut does not depend on the way there. The
//! engines of CTL answer it; a path that proves it is completed to a run.

use super::parts::Part;
use super::{RunSearch, Until};
use crate::cuts::{CutSearch, Decided, Wanted};
use crate::determined::unordered;
use crate::program::{Node, Program};
use crate::proof::Proof;
use crate::{Engine, Options, Stats};
use posetta_base::{Budget, EventId, Limit, OverBudget, ProcessId, ValueId};
use posetta_logic::eval::{self, Notes};
use posetta_logic::{Atom, AtomId, Ctl, CtlUnary, Path, Slot, View};
use posetta_trace::complete;

const WHAT: &str = "asking about paths";

/// What parts can be asked of cuts: looked up in the trace once for all of them.
pub(super) struct Grounds {
    /// By atom: whether it holds when everything has happened; `None` unless it is about a state that is determined at every cut.
    at_the_end: Vec<Option<bool>>,
    /// By atom: the processes that write its variables.
    writers: Vec<Writers>,
}

/// Who writes some variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writers {
    Nobody,
    One(ProcessId),
    Several,
}

impl Writers {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nobody, writers) | (writers, Self::Nobody) => writers,
            (one, other) if one == other => one,
            _ => Self::Several,
        }
    }
}

impl Grounds {
    /// `None` if no part is asked of cuts.
    pub(super) fn new(whole: &RunSearch<'_>, parts: &[Part], notes: &mut Notes) -> Result<Option<Self>, OverBudget> {
        let RunSearch { trace, bound, budget, .. } = *whole;
        let is_state = |atom: &AtomId| matches!(bound.atoms[atom.0 as usize], Atom::State(_));
        let asks = |part: &&Part| part.formula.is_some() && part.atoms.iter().all(is_state);
        let mut atoms: Vec<AtomId> = parts.iter().filter(asks).flat_map(|part| part.atoms.iter().copied()).collect();
        if !may_ask(whole.options) || !parts.iter().any(|part| asks(&part)) {
            return Ok(None);
        }
        atoms.sort_unstable();
        atoms.dedup();
        let some = bound.only(&atoms);
        let undetermined = match unordered(trace, &some, budget) {
            Ok(pairs) => pairs,
            // Clocks may be too much to ask for, and a search can do without.
            Err(over) if over.limit == Limit::Memory => {
                budget.step(0, over.what)?;
                return Ok(None);
            }
            Err(over) => return Err(over),
        };
        let mut values: Vec<Option<ValueId>> = some.initial(trace);
        let mut writers = vec![Writers::Nobody; values.len()];
        let slots = some.slots();
        for (i, &event) in trace.linearisation().iter().enumerate() {
            if i % 1024 == 0 {
                budget.step(0, WHAT)?;
            }
            for assignment in trace.assignments(event) {
                if let Some(&Slot(slot)) = slots.get(&assignment.var) {
                    values[slot as usize] = Some(assignment.value);
                    writers[slot as usize] = writers[slot as usize].and(Writers::One(trace.process(event)));
                }
            }
        }
        let is_determined =
            |&Slot(slot): &Slot| !undetermined.iter().any(|pair| some.vars[slot as usize] == Some(pair.var));
        let mut grounds =
            Self { at_the_end: vec![None; bound.atoms.len()], writers: vec![Writers::Nobody; bound.atoms.len()] };
        for (&AtomId(place), atom) in atoms.iter().zip(&some.atoms) {
            let slots = atom.slots();
            let of_all = slots.iter().fold(Writers::Nobody, |all, slot| all.and(writers[slot.0 as usize]));
            grounds.writers[place as usize] = of_all;
            if let (Atom::State(condition), true) = (atom, slots.iter().all(is_determined)) {
                grounds.at_the_end[place as usize] = eval::condition(condition, trace, &values, notes).ok();
            }
        }
        Ok(Some(grounds))
    }

    /// Whether all variables of some atoms are written by one process.
    pub(super) fn has_one_writer(&self, atoms: &[AtomId]) -> bool {
        let writers = |all: Writers, atom: &AtomId| all.and(self.writers[atom.0 as usize]);
        atoms.iter().fold(Writers::Nobody, writers) != Writers::Several
    }

    /// What a part asks for; `None` if there is no such question.
    pub(super) fn ask(&self, part: &Part, view: View) -> Option<Asked> {
        let formula = part.formula.as_ref()?;
        let at_the_end = |atom: AtomId| self.at_the_end[atom.0 as usize];
        if !part.atoms.iter().all(|&atom| at_the_end(atom).is_some()) {
            return None;
        }
        // The first position over events is the one after the first event.
        let formula = match (formula.on_some_path(formula.root(), &at_the_end)?, view) {
            (Ctl::True, _) => return Some(Asked::Settled(true)),
            (Ctl::False, _) => return Some(Asked::Settled(false)),
            (some, View::States) => some,
            (some, View::Events) => Ctl::Unary(Path::Some, CtlUnary::Next, Box::new(some)),
        };
        Some(Asked::Paths(Paths { atoms: part.atoms.clone(), formula }))
    }
}

/// Whether the options let anything be asked of cuts.
fn may_ask(options: &Options) -> bool {
    matches!(options.engine, Engine::Auto | Engine::Cuts | Engine::Diagrams)
}

/// What a part asks for, as a question about paths.
pub(super) enum Asked {
    /// It is settled by how every run ends.
    Settled(bool),
    /// A formula at the empty cut.
    Paths(Paths),
}

/// A formula of CTL at the empty cut, whose proof is a path.
pub(super) struct Paths {
    atoms: Vec<AtomId>,
    formula: Ctl<AtomId>,
}

impl Paths {
    /// One of several.
    pub(super) fn any<'p>(all: impl Iterator<Item = &'p Self>) -> Self {
        let (mut atoms, mut formulas) = (Vec::new(), Vec::new());
        for paths in all {
            atoms.extend_from_slice(&paths.atoms);
            formulas.push(paths.formula.clone());
        }
        atoms.sort_unstable();
        atoms.dedup();
        Self { atoms, formula: Ctl::Or(formulas) }
    }

    /// Whether it only asks what can be reached, at once or one after another.
    pub(super) fn only_reaches(&self) -> bool {
        let reaches = |node: &Node| match node {
            Node::Unary(path, op, _) => *path == Path::Some && matches!(op, CtlUnary::Finally | CtlUnary::Next),
            Node::Binary(..) => false,
            _ => true,
        };
        Program::new(&self.formula).nodes().iter().all(reaches)
    }

    /// A run of the part, if there is one. `steps` is about how many nodes it may take.
    pub(super) fn find(
        &self,
        whole: &RunSearch<'_>,
        steps: u64,
        notes: &mut Notes,
        stats: &mut Stats,
    ) -> Result<Option<Vec<EventId>>, OverBudget> {
        let budget = whole.budget.part(u64::MAX, steps);
        let found = self.decided(whole, &budget, |search, wanted| search.decide(wanted, notes, stats).map(Some))?;
        Ok(found.flatten())
    }

    /// The same by the engines of known cost, with the events that were not left out; `None` if they cannot tell.
    pub(super) fn find_easily(
        &self,
        whole: &RunSearch<'_>,
        kept: &mut Vec<EventId>,
        notes: &mut Notes,
        stats: &mut Stats,
    ) -> Result<Option<Option<Vec<EventId>>>, OverBudget> {
        let found = self
            .decided(whole, &whole.easy_budget(), |search, wanted| search.decide_easily(wanted, notes, stats, kept));
        match found {
            // A search may take less.
            Err(over) => whole.budget.step(0, over.what).map(|()| None),
            found => found,
        }
    }

    /// The run that an answer stands for, if there is an answer.
    fn decided(
        &self,
        whole: &RunSearch<'_>,
        budget: &Budget,
        decide: impl FnOnce(CutSearch<'_>, &Wanted<'_>) -> Result<Option<Decided>, OverBudget>,
    ) -> Result<Option<Option<Vec<EventId>>>, OverBudget> {
        let own = |atom: &AtomId| AtomId(self.atoms.binary_search(atom).unwrap_or_default() as u32);
        let formula = self.formula.map_atoms(&mut |atom| own(atom));
        let program = Program::new(&formula);
        let bound = whole.bound.only(&self.atoms).map(|()| formula);
        let texts = vec![String::new(); program.len()];
        let wanted = Wanted { proof: &|holds| holds, counts: false, texts: &texts };
        let RunSearch { trace, options, .. } = *whole;
        let search = CutSearch { trace, bound: &bound, program: &program, options, budget };
        Ok(match decide(search, &wanted)? {
            None => None,
            Some(Decided { holds: false, .. }) => Some(None),
            Some(Decided { proof: Some(proof), .. }) => Some(Some(complete(trace, &Proof::path(&proof)))),
            // The proof is what was asked for.
            Some(Decided { stopped, .. }) => return Err(stopped.unwrap_or(OverBudget::new(WHAT, Limit::Memory))),
        })
    }
}

/// How engines take turns on one part: by work, so that the answer does not depend on the machine.
pub(super) struct Turns {
    /// So many configurations may the search take; none if it is not its turn at all.
    configurations: u64,
}

/// The first turn.
const FIRST: u64 = 1 << 8;
/// Each turn is so many times as long as the one before: what is done again costs a third more. To go on with a search instead would save that,
/// and keep its configurations in memory while the sets of cuts grow, and the other way round.
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
