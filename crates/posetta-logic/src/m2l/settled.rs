//! A property of runs: its program, and the automaton that it was settled to.

use std::fmt;
use std::sync::OnceLock;

use super::tree::Program;
use crate::bind::AtomId;
use crate::monitor::Monitor;

/// M2L as a property of runs. The program is what it means; whoever needs its automaton makes it once, for all runs.
#[derive(Clone, Debug)]
pub struct M2l {
    program: Program,
    /// Atom i is the i-th of the program.
    monitor: OnceLock<Monitor<AtomId>>,
}

impl M2l {
    /// A property that has no automaton yet.
    #[must_use]
    pub fn new(program: Program) -> Self {
        Self { program, monitor: OnceLock::new() }
    }

    /// What was written.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The automaton of its bad words, if somebody has made it. Atom i is the i-th of the program.
    #[must_use]
    pub fn settled(&self) -> Option<&Monitor<AtomId>> {
        self.monitor.get()
    }

    /// Keeps the automaton of its bad words; one that is kept already stays.
    pub fn settle(&self, monitor: Monitor<AtomId>) -> &Monitor<AtomId> {
        self.monitor.get_or_init(|| monitor)
    }
}

/// The automaton follows from the program.
impl PartialEq for M2l {
    fn eq(&self, other: &Self) -> bool {
        self.program == other.program
    }
}

impl Eq for M2l {}

/// In one line, without the header.
impl fmt::Display for M2l {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.program.printed_predicates().try_for_each(|line| write!(f, "{line} "))?;
        self.program.show(&self.program.formula).fmt(f)
    }
}
