//! What can become of a prefix: a deterministic machine that gives the four answers of a monitor after every letter (Pnueli and Zaks
//! 2006, section 10).
//!
//! A state is what is left of the property and of its negation ([`situation`]). A prefix is negatively determined if no completion
//! satisfies what is left of the property, positively if none satisfies what is left of its negation. Which completions there are
//! is a matter of the letters that can come ([`supply`]): finite ones are paths of the machine; infinite ones are looked for in a
//! Büchi automaton ([`tableau`]).
//!
//! Five ways to hold the machine, tried in this order: [`listed`], whole and minimal, a table over classes of letters; [`diagram`], whole, with a
//! decision diagram for each state, where there are too many letters to list; [`counted`], with counters, where there are too many states and
//! one match is waited for; [`attempts`], with sets of counts, where there are too many states of any other PSL formula with counts;
//! [`loose`], one state at a time, where there are too many states otherwise. What counts further than a table can have states is not laid out to
//! begin with. [`bytes`] is a table laid out for letters of one byte.

mod attempts;
mod bytes;
mod counted;
mod diagram;
mod endless;
mod listed;
mod loose;
mod situation;
mod supply;
mod tableau;

pub use self::attempts::AttemptsPlace;
pub use self::bytes::{Bytes, Reached};
pub use self::counted::{CountBits, Counted, CountedPlace, CountedProgram, Keeps, Operand, Operation, Register};
pub use self::diagram::Diagram;
pub use self::endless::Endless;
pub use self::listed::Listed;
pub use self::loose::LoosePlace;

use self::attempts::Attempts;
use self::counted::largest_count;
use self::loose::Loose;
use self::supply::Supply;
use super::linear::Linear;
use super::residual::ResidualReader;
use posetta_automata::StateId;
use posetta_base::{Budget, Limit, OverBudget};
use posetta_logic::eval::Values;
use posetta_logic::{Atoms, View};

/// Which completions of a prefix count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Completions {
    /// Finite ones, the empty one included.
    Finite,
    /// Infinite ones.
    Infinite,
    /// All of them.
    #[default]
    Both,
}

impl Completions {
    fn finite(self) -> bool {
        self != Self::Infinite
    }

    fn infinite(self) -> bool {
        self != Self::Finite
    }

    /// `finite`, `infinite` or `both`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Finite => "finite",
            Self::Infinite => "infinite",
            Self::Both => "both",
        }
    }
}

/// What every completion says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prospect {
    /// They differ.
    Open,
    /// All satisfy the property: it is positively determined.
    Holds,
    /// All violate it: it is negatively determined.
    Violated,
}

impl Prospect {
    /// What is said where some completion may satisfy the property, and some may violate it.
    fn of(can_hold: bool, can_fail: bool) -> Self {
        match (can_hold, can_fail) {
            (true, false) => Self::Holds,
            (false, true) => Self::Violated,
            _ => Self::Open,
        }
    }

    /// `open`, `holds` or `violated`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Holds => "holds",
            Self::Violated => "violated",
        }
    }
}

/// The four answers after a prefix: [`Answers::prospect`] holds two of them, negatively and positively determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Answers {
    /// The prefix, read as a word that ends here, satisfies the property.
    pub satisfied: bool,
    /// What all completions say. For a property too large to be known whole this may be [`Prospect::Open`] although it is determined;
    /// see [`Machine::is_exact`].
    pub prospect: Prospect,
    /// Some finite continuation is determined; `None` if that is not known.
    pub monitorable: Option<bool>,
}

impl Answers {
    /// As the number that a table has for them.
    #[must_use]
    pub fn code(self) -> u8 {
        let prospect = match self.prospect {
            Prospect::Open => 0,
            Prospect::Holds => 1,
            Prospect::Violated => 2,
        };
        u8::from(self.satisfied) | prospect << 1 | u8::from(self.monitorable == Some(true)) << 3
    }

    /// The answers of a table.
    #[must_use]
    pub(crate) fn from_code(code: u8) -> Self {
        let prospect = match code >> 1 & 3 {
            0 => Prospect::Open,
            1 => Prospect::Holds,
            _ => Prospect::Violated,
        };
        Self { satisfied: code & 1 == 1, prospect, monitorable: Some(code >> 3 & 1 == 1) }
    }
}

/// Bytes that a machine held whole may take while it is built; past that it is followed state by state.
const WHOLE: u64 = 256 << 20;

/// How much work building it whole may take (see `Store::limit_work`): about three seconds.
const PATIENCE: u64 = 150_000_000;

/// The same where counters are as good, or attempts can be followed: both start at once.
const LITTLE_PATIENCE: u64 = 4_000_000;

/// Counts up to this are laid out in any case.
const FEW: usize = 8;

/// Counts past this are not, where counters are as good: to find out that a table is too large takes seconds.
const FAR: usize = 1 << 12;

/// A machine in one of its forms.
#[derive(Debug)]
pub enum Machine {
    /// A table.
    Listed(Box<Listed>),
    /// A decision diagram for each state.
    Diagram(Diagram),
    /// Counters.
    Counted(Box<Counted>),
    /// Part by part, with sets of counts.
    Attempts(Box<Attempts>),
    /// Built as far as words go.
    Loose(Box<Loose>),
}

/// Where a prefix has led: a state of a [`Machine`], however that is held.
#[derive(Clone, Debug)]
pub enum MachineState {
    /// A state of a machine that is held whole.
    State(StateId),
    /// The attempts of one with counters.
    Counted(CountedPlace),
    /// What all attempts owe.
    Attempts(AttemptsPlace),
    /// A state of one that is not held whole.
    Loose(LoosePlace),
}

/// A vector as a number, the first atom in the lowest bit.
fn bits(vector: &[bool]) -> usize {
    vector.iter().enumerate().fold(0, |bits, (i, &truth)| bits | usize::from(truth) << i)
}

/// A letter came that the types of the property rule out.
const UNFORESEEN: OverBudget = OverBudget::new("reading values that were not foreseen", Limit::Digits);

impl Machine {
    /// The machine of a property. There are no infinite completions of a monitor written by hand: for it finite ones count.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn new(
        property: &Linear,
        atoms: &Atoms,
        view: View,
        completions: Completions,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        Self::build(property, atoms, view, completions, (true, LITTLE_PATIENCE), |_| true, budget)
    }

    /// The machine that reads letters only, without the values behind them. What is determined by a value that is not assigned, it may say
    /// later. `counters` says whether a [program](CountedProgram) is as good as a table, which then is not waited for.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn of_letters(
        property: &Linear,
        atoms: &Atoms,
        view: View,
        completions: Completions,
        counters: bool,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        let quick = |counted: &Counted| counters && counted.program().is_some();
        Self::build(property, atoms, view, completions, (false, PATIENCE), quick, budget)
    }

    /// The machine with counters, whatever others there are; `None` for a property that does not wait for one match. `keeps` says
    /// whether it reads values, as that of [`Self::new`] does, or letters only, as that of [`Self::of_letters`].
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn with_counters(
        property: &Linear,
        atoms: &Atoms,
        view: View,
        completions: Completions,
        keeps: bool,
        budget: &Budget,
    ) -> Result<Option<Self>, OverBudget> {
        let supply = Supply::new(atoms, view, keeps, budget)?;
        Ok(Counted::new(property, &supply, completions, budget)?.map(|machine| Self::Counted(Box::new(machine))))
    }

    /// The machine that follows attempts part by part, whatever others there are; `None` for what is not PSL.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn by_attempts(
        property: &Linear,
        atoms: &Atoms,
        view: View,
        budget: &Budget,
    ) -> Result<Option<Self>, OverBudget> {
        let supply = Supply::new(atoms, view, true, budget)?;
        Ok(Attempts::new(property, &supply, budget)?.map(|machine| Self::Attempts(Box::new(machine))))
    }

    fn build(
        property: &Linear,
        atoms: &Atoms,
        view: View,
        completions: Completions,
        (keeps, counting): (bool, u64),
        as_good: impl Fn(&Counted) -> bool,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        let completions = match property {
            Linear::Monitor(_) => Completions::Finite,
            _ => completions,
        };
        let part = budget.within(WHOLE);
        let supply = Supply::new(atoms, view, keeps, &part)?;
        let most = if let Linear::Psl(formula) = property { largest_count(formula) as usize } else { 0 };
        let counted = if most > FEW { Counted::new(property, &supply, completions, &part)? } else { None };
        // What can only be a table is written once; all else starts at once.
        let quick = counted.as_ref().is_some_and(|counted| counted.is_exact() && as_good(counted));
        let patience = match property {
            _ if quick => LITTLE_PATIENCE,
            Linear::Psl(_) if most > FEW => counting,
            _ => PATIENCE,
        };
        let whole = match &supply {
            // Each count is a state of its own.
            _ if most > if quick { FAR } else { listed::MOST_STATES } => Ok(None),
            Supply::Listed(_) => Listed::new(property, &supply, completions, patience, &part)
                .map(|m| m.map(|m| Self::Listed(Box::new(m)))),
            Supply::Diagram(_) => {
                Diagram::new(property, &supply, completions, patience, &part).map(|m| m.map(Self::Diagram))
            }
        };
        match (whole, counted) {
            (Ok(Some(machine)), _) => Ok(machine),
            (Ok(None) | Err(OverBudget { limit: Limit::Memory, .. }), Some(counted)) => {
                Ok(Self::Counted(Box::new(counted)))
            }
            (Ok(None) | Err(OverBudget { limit: Limit::Memory, .. }), None) => {
                drop(part);
                // What counts has many attempts under way that differ in their counts only.
                if most > FEW
                    && let Some(attempts) = Attempts::new(property, &supply, budget)?
                {
                    return Ok(Self::Attempts(Box::new(attempts)));
                }
                Ok(Self::Loose(Box::new(Loose::new(property, atoms, view, completions, budget)?)))
            }
            (Err(over), _) => Err(over),
        }
    }

    /// Whether a verdict is given at the earliest letter at which it is determined, as far as letters can be told apart.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        match self {
            Self::Listed(machine) => machine.is_exact(),
            Self::Diagram(machine) => machine.is_exact(),
            Self::Counted(machine) => machine.is_exact(),
            Self::Attempts(_) | Self::Loose(_) => false,
        }
    }

    /// How many states there are; `None` if they are not held whole.
    #[must_use]
    pub fn states(&self) -> Option<usize> {
        match self {
            Self::Listed(machine) => Some(machine.moore().len()),
            Self::Diagram(machine) => Some(machine.len()),
            Self::Counted(_) | Self::Attempts(_) | Self::Loose(_) => None,
        }
    }

    /// Where the empty prefix leads.
    #[must_use]
    pub fn start(&self) -> MachineState {
        match self {
            Self::Listed(_) | Self::Diagram(_) => MachineState::State(StateId(0)),
            Self::Counted(machine) => MachineState::Counted(machine.start()),
            Self::Attempts(machine) => MachineState::Attempts(machine.start()),
            Self::Loose(machine) => MachineState::Loose(machine.start()),
        }
    }

    /// The same where the values before the first letter are known, as they are over events: what they rule out counts.
    ///
    /// # Errors
    /// When a number grows too large.
    pub fn start_at(&self, values: &impl Values) -> Result<MachineState, OverBudget> {
        match self {
            Self::Listed(machine) => Ok(MachineState::State(machine.start_at(values)?)),
            Self::Diagram(_) | Self::Counted(_) | Self::Attempts(_) | Self::Loose(_) => Ok(self.start()),
        }
    }

    /// Where one more letter leads; `letter[i]` says whether atom `i` holds, `values` are those after it.
    ///
    /// # Errors
    /// When the budget is spent, or for values that the types of the property rule out.
    pub fn step(
        &mut self,
        place: &MachineState,
        letter: &[bool],
        values: &impl Values,
        budget: &Budget,
    ) -> Result<MachineState, OverBudget> {
        Ok(match (self, place) {
            (Self::Listed(machine), MachineState::State(state)) => {
                let symbol = machine.symbol(letter, values)?.ok_or(UNFORESEEN)?;
                MachineState::State(machine.after(*state, symbol).ok_or(UNFORESEEN)?)
            }
            (Self::Diagram(machine), MachineState::State(state)) => {
                MachineState::State(machine.after(*state, letter).ok_or(UNFORESEEN)?)
            }
            (Self::Counted(machine), MachineState::Counted(place)) => {
                let mut place = place.clone();
                machine.step(&mut place, letter, budget)?;
                MachineState::Counted(place)
            }
            (Self::Attempts(machine), MachineState::Attempts(place)) => {
                let mut place = place.clone();
                machine.step(&mut place, letter, budget)?;
                MachineState::Attempts(place)
            }
            (Self::Loose(machine), MachineState::Loose(place)) => {
                MachineState::Loose(machine.step(place, letter, budget)?)
            }
            _ => unreachable!("a place belongs to its machine"),
        })
    }

    /// The same where nobody needs the place before; it stays as it was if that goes wrong. Many counts are not copied then.
    ///
    /// # Errors
    /// As [`Self::step`].
    pub fn advance(
        &mut self,
        place: &mut MachineState,
        letter: &[bool],
        values: &impl Values,
        budget: &Budget,
    ) -> Result<(), OverBudget> {
        match (&mut *self, &mut *place) {
            (Self::Counted(machine), MachineState::Counted(place)) => machine.step(place, letter, budget),
            (Self::Attempts(machine), MachineState::Attempts(place)) => machine.step(place, letter, budget),
            _ => {
                *place = self.step(place, letter, values, budget)?;
                Ok(())
            }
        }
    }

    /// The answers after a prefix.
    #[must_use]
    pub fn answers(&self, place: &MachineState) -> Answers {
        match (self, place) {
            (Self::Listed(machine), MachineState::State(state)) => Answers::from_code(machine.moore().output(*state)),
            (Self::Diagram(machine), MachineState::State(state)) => machine.answers(*state),
            (_, MachineState::Counted(place)) => place.answers(),
            (_, MachineState::Attempts(place)) => place.answers(),
            (_, MachineState::Loose(place)) => place.answers(),
            (Self::Counted(_) | Self::Attempts(_) | Self::Loose(_), MachineState::State(_)) => {
                unreachable!("a place belongs to its machine")
            }
        }
    }

    /// A place as text: words without line breaks.
    pub fn write(&self, place: &MachineState, out: &mut String) {
        match (self, place) {
            (Self::Loose(machine), MachineState::Loose(place)) => machine.write(place, out),
            (Self::Counted(machine), MachineState::Counted(place)) => machine.write(place, out),
            (Self::Attempts(machine), MachineState::Attempts(place)) => machine.write(place, out),
            (_, MachineState::State(state)) => out.push_str(&format!(" state {}", state.0)),
            (_, MachineState::Counted(_) | MachineState::Attempts(_) | MachineState::Loose(_)) => {
                unreachable!("a place belongs to its machine")
            }
        }
    }

    /// The place that a machine of the same property with the same options wrote; `None` if it did not.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn read(&mut self, text: &str, atoms: usize, budget: &Budget) -> Result<Option<MachineState>, OverBudget> {
        let mut reader = ResidualReader::new(text, atoms);
        let place = match self {
            Self::Loose(machine) => machine.read(&mut reader, budget)?.map(MachineState::Loose),
            Self::Counted(machine) => machine.read(&mut reader).map(MachineState::Counted),
            Self::Attempts(machine) => machine.read(&mut reader, budget)?.map(MachineState::Attempts),
            Self::Listed(_) | Self::Diagram(_) => {
                let states = self.states().unwrap_or(0);
                let state = (reader.word() == Some("state")).then(|| reader.number()).flatten();
                state.filter(|&s| (s as usize) < states).map(|s| MachineState::State(StateId(s)))
            }
        };
        Ok(place.filter(|_| reader.word().is_none()))
    }
}

#[cfg(test)]
mod tests;
