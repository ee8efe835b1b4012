//! What the search asks of modes, and a machine that answers as it is asked.

use rustc_hash::FxHashMap;

use super::table::Table;
use crate::machine::{Machine, Mode};
use posetta_base::{Budget, OverBudget};
use posetta_compile::Automaton;
use posetta_logic::eval::Notes;

/// What events of a class do in a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moves {
    /// They may leave it as it is.
    pub(crate) stay: bool,
    /// A comparison after them divides by zero.
    pub(crate) divides: bool,
    /// Where the other modes that they may lead to are, for [`Modes::target`].
    pub(crate) first: u32,
    /// How many there are.
    pub(crate) count: u32,
}

/// Modes and their moves.
pub(crate) trait Modes {
    /// The modes at the empty cut.
    fn starts(&self) -> &[Mode];

    /// Whether a run may end in this mode.
    fn accepts(&self, mode: Mode) -> bool;

    /// Whether this mode is known never to be left.
    fn is_sink(&self, mode: Mode) -> bool;

    /// Whether this mode is known to accept whatever follows.
    fn accepts_all(&self, mode: Mode) -> bool;

    /// Whether events of a class may leave a mode as it is.
    fn stays(&mut self, mode: Mode, class: u32) -> Result<bool, OverBudget> {
        Ok(self.moves(mode, class)?.stay)
    }

    /// What events of a class do in a mode.
    fn moves(&mut self, mode: Mode, class: u32) -> Result<Moves, OverBudget>;

    /// A mode of a range.
    fn target(&self, place: u32) -> Mode;

    /// The modes as a table, if threads can share them.
    fn shared(&self) -> Option<&Table>;

    /// About how many bytes they take.
    fn bytes(&self) -> u64;
}

/// Modes built on demand, for automata with too many of them.
pub(crate) struct OnDemand<'m, 'a, A> {
    machine: &'m mut Machine<'a, A>,
    budget: &'m Budget,
    known: FxHashMap<(Mode, u32), Moves>,
    targets: Vec<Mode>,
}

impl<'m, 'a, A: Automaton> OnDemand<'m, 'a, A> {
    pub(crate) fn new(machine: &'m mut Machine<'a, A>, budget: &'m Budget) -> Self {
        Self { machine, budget, known: FxHashMap::default(), targets: Vec::new() }
    }
}

impl<A: Automaton> Modes for OnDemand<'_, '_, A> {
    fn starts(&self) -> &[Mode] {
        self.machine.starts()
    }

    fn accepts(&self, mode: Mode) -> bool {
        self.machine.accepts(mode)
    }

    fn is_sink(&self, _: Mode) -> bool {
        false
    }

    fn accepts_all(&self, mode: Mode) -> bool {
        self.machine.is_universal(mode)
    }

    fn stays(&mut self, mode: Mode, class: u32) -> Result<bool, OverBudget> {
        // Most events change values; then there is no need to build where they lead.
        Ok(self.machine.keeps_values(mode, class) && self.moves(mode, class)?.stay)
    }

    fn moves(&mut self, mode: Mode, class: u32) -> Result<Moves, OverBudget> {
        if let Some(moves) = self.known.get(&(mode, class)) {
            return Ok(*moves);
        }
        let mut notes = Notes::default();
        let first = self.targets.len();
        self.machine.follow(mode, class, &mut self.targets, &mut notes, self.budget)?;
        let own = self.targets[first..].binary_search(&mode);
        if let Ok(own) = own {
            self.targets.remove(first + own);
        }
        let moves = Moves {
            stay: own.is_ok(),
            divides: notes.division_by_zero,
            first: first as u32,
            count: (self.targets.len() - first) as u32,
        };
        self.known.insert((mode, class), moves);
        Ok(moves)
    }

    fn target(&self, place: u32) -> Mode {
        self.targets[place as usize]
    }

    fn shared(&self) -> Option<&Table> {
        None
    }

    fn bytes(&self) -> u64 {
        self.machine.bytes() + (self.known.capacity() * 24 + 4 * self.targets.capacity()) as u64
    }
}
