//! What can still become of a word that is not over: the bad words of a property as an automaton over the letters that can
//! come, and for each of its states whether every way on is bad, or none is.
//!
//! [`Outlook::new`] explores the automaton over the producible letters ([`Letters`]), drops states from which nothing bad can
//! be reached, and merges states that lead to the same. A [`Prospect`] belongs to a state and a [`Memory`]: what an event leaves
//! unassigned keeps its value, which rules letters out. A state is *doomed* if it is violated whatever comes, *saved* if it holds
//! whatever comes, as far as this state goes. Prospects are exact for what a run is in if every set of states that is doomed as a
//! whole has a doomed member; where that fails, the automaton is made deterministic. An automaton with too many states or letters is
//! followed as it is, with what it knows by itself: then a prospect may be known later than it could be.

mod mixing;
mod prospects;
mod table;

use rustc_hash::{FxHashMap, FxHashSet};

use self::mixing::Mixing;
pub use self::mixing::Pair;
use self::prospects::Prospects;
use self::table::Table;
use super::automaton::Automaton;
use super::machine::Prospect;
use posetta_automata::StateId;
use posetta_base::{Budget, LetterId, Limit, OverBudget};
use posetta_logic::eval::Values;
use posetta_logic::{Atom, Atoms, Letters, Memory, Slot, View};

/// The bad words of a property.
pub struct Outlook {
    automaton: Box<dyn Automaton>,
    empty_is_bad: bool,
    listed: Option<Listed>,
}

/// The automaton, laid out over the letters.
struct Listed {
    letters: Letters,
    ids: FxHashMap<Box<[bool]>, LetterId>,
    table: Table,
    /// `None` if there are too many.
    prospects: Option<Prospects>,
    /// The automaton had to be made deterministic.
    deterministic: bool,
    /// Events that nobody sees change nothing after the first position.
    skips_unseen: bool,
    /// With what is remembered of values between events; `None` if nobody will ask, or if there is too much.
    mixing: Option<Mixing>,
}

/// A letter came that the types of the property rule out.
const UNFORESEEN: OverBudget = OverBudget::new("reading values that were not foreseen", Limit::Digits);

impl Outlook {
    /// The outlook of an automaton that accepts the bad words. `exists` says whether there can be events of a process. What takes
    /// more than `allowance` bytes is not laid out.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn new(
        atoms: &Atoms,
        view: View,
        mut bad: Box<dyn Automaton>,
        exists: &dyn Fn(&String) -> bool,
        allowance: u64,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        let empty_is_bad = bad.accepts(bad.start());
        let part = budget.within(allowance);
        let listed = match Listed::new(atoms, view, &mut *bad, exists, &part) {
            // Too large to be laid out; unless the whole budget is spent.
            Err(OverBudget { limit: Limit::Memory | Limit::Digits, .. }) => None,
            listed => listed?,
        };
        Ok(Self { automaton: bad, empty_is_bad, listed })
    }

    /// The state before the first letter.
    #[must_use]
    pub fn start(&self) -> StateId {
        match &self.listed {
            Some(listed) => listed.table.start,
            None => self.automaton.start(),
        }
    }

    /// Whether the word without letters is bad.
    #[must_use]
    pub fn empty_is_bad(&self) -> bool {
        self.empty_is_bad
    }

    /// The states after a letter, ascending; `letter[i]` says whether atom `i` holds.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn step(&mut self, state: StateId, letter: &[bool], budget: &Budget) -> Result<Vec<StateId>, OverBudget> {
        match &self.listed {
            Some(listed) => {
                let letter = *listed.ids.get(letter).ok_or(UNFORESEEN)?;
                Ok(listed.table.after(state, letter).to_vec())
            }
            None => self.automaton.step(state, letter, budget),
        }
    }

    /// Whether a word that ends here is bad. Not asked of the start, see [`Self::empty_is_bad`].
    #[must_use]
    pub fn accepts(&self, state: StateId) -> bool {
        match &self.listed {
            Some(listed) => listed.table.accepts(state),
            None => self.automaton.accepts(state),
        }
    }

    /// What will become of words that have led to a state and leave these values.
    ///
    /// # Errors
    /// When a number grows too large.
    pub fn prospect(&self, state: StateId, values: &impl Values) -> Result<Prospect, OverBudget> {
        let Some(Listed { letters, table, prospects, .. }) = &self.listed else {
            return Ok(if self.automaton.is_universal(state) { Prospect::Violated } else { Prospect::Open });
        };
        let known = |prospects: &Prospects| Ok(letters.memory(values)?.map(|memory| prospects.of(state, memory)));
        Ok(match prospects.as_ref().map(known).transpose()?.flatten() {
            Some(prospect) => prospect,
            None if table.is_universal(state) => Prospect::Violated,
            None => Prospect::Open,
        })
    }

    /// Whether a violation is known as soon as it is certain, as far as letters can be told apart.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.listed.as_ref().is_some_and(|listed| listed.prospects.as_ref().is_some_and(|prospects| prospects.exact))
    }

    /// Whether that takes knowing all states in which a run may be together, not one of them.
    #[must_use]
    pub fn is_deterministic(&self) -> bool {
        self.listed.as_ref().is_some_and(|listed| listed.deterministic)
    }

    /// Whether it can be known of a word that it will never become bad.
    #[must_use]
    pub fn can_be_saved(&self) -> bool {
        self.listed.as_ref().is_some_and(|listed| listed.mixing.is_some())
    }

    /// Whether events that nobody sees change nothing, after the first position at least.
    #[must_use]
    pub fn skips_unseen(&self) -> bool {
        self.listed.as_ref().is_some_and(|listed| listed.skips_unseen)
    }

    /// Whether an event that nobody sees changes nothing at the first position either, where it leads to this letter.
    #[must_use]
    pub fn skips_first(&self, unseen: &[bool]) -> bool {
        let Some(listed) = &self.listed else { return false };
        let start = listed.table.start;
        listed.ids.get(unseen).is_some_and(|&letter| listed.table.after(start, letter) == [start])
    }

    /// Where runs can be that have led to a state and leave these values, after at least one event that has not come, ascending.
    /// `None` if that is not known.
    ///
    /// # Errors
    /// When a number grows too large.
    pub fn mixed(&self, state: StateId, values: &impl Values) -> Result<Option<Vec<Pair>>, OverBudget> {
        let Some(Listed { mixing: Some(mixing), .. }) = &self.listed else { return Ok(None) };
        let memory = mixing.letters.memory(values)?;
        Ok(memory.map(|memory| mixing.after_one(mixing.pair(state, memory))))
    }

    /// The pairs after an event of which this much is known and then any number of events that have not come, ascending; see
    /// [`Letters::led_to`].
    ///
    /// # Errors
    /// When a number grows too large.
    pub fn mixed_after(
        &self,
        pair: Pair,
        known: &[Option<bool>],
        assigned: &dyn Fn(Slot) -> Option<bool>,
        values: &impl Values,
    ) -> Result<Vec<Pair>, OverBudget> {
        let Some(Listed { table, mixing: Some(mixing), .. }) = &self.listed else { return Ok(Vec::new()) };
        let (state, memory) = mixing.parts(pair);
        let steps = mixing.letters.led_to(memory, known, assigned, values)?;
        let next = steps.iter().flat_map(|&(letter, memory)| {
            table.after(state, letter).iter().map(move |&state| mixing.pair(state, memory))
        });
        Ok(mixing.after_any(next))
    }
}

impl Listed {
    fn new(
        atoms: &Atoms,
        view: View,
        bad: &mut dyn Automaton,
        exists: &dyn Fn(&String) -> bool,
        budget: &Budget,
    ) -> Result<Option<Self>, OverBudget> {
        let mut letters = Letters::over(atoms.clone(), view, budget)?;
        letters.retain_processes(exists);
        let ids = letters.iter().map(|l| (letters.vector(l).into(), l)).collect();
        let Some(mut table) = Table::explore(bad, &letters, budget)? else { return Ok(None) };
        table.tidy(view, budget)?;
        let mut prospects = Prospects::new(&table, &letters, budget)?;
        let mut deterministic = false;
        if prospects.as_ref().is_some_and(|prospects| !prospects.exact)
            && let Some(mut single) = table.determinize(&letters, budget)?
        {
            single.tidy(view, budget)?;
            if let Some(known) = Prospects::new(&single, &letters, budget)? {
                table = single;
                prospects = Some(known);
                deterministic = true;
            }
        }
        let mut mixing = None;
        if prospects.as_ref().is_some_and(|prospects| prospects.some_saved) {
            // What an event that has come leaves as it was is only known if it is remembered: `F ((p <-> q) || Y p)` needs it.
            if !letters.remembers_all() {
                let all = Letters::over_remembering_all(atoms.clone(), view, budget).and_then(|mut all| {
                    all.retain_processes(exists);
                    Mixing::new(&table, all, budget)
                });
                mixing = match all {
                    Err(OverBudget { limit: Limit::Memory | Limit::Digits, .. }) => None,
                    all => all?,
                };
            }
            if mixing.is_none() {
                mixing = Mixing::new(&table, letters.clone(), budget)?;
            }
        }
        let mut listed = Self { letters, ids, table, prospects, deterministic, skips_unseen: false, mixing };
        listed.skips_unseen = listed.unseen_change_nothing();
        Ok(Some(listed))
    }

    /// Whether the letter that only repeats the state leaves every state as it is, wherever some letter has led to it.
    fn unseen_change_nothing(&self) -> bool {
        // What is true of values before and now changes with the next event, whatever that does.
        if self.letters.atoms().iter().any(|atom| matches!(atom, Atom::Step(_))) {
            return false;
        }
        let is_state = |atom: &Atom<_>| matches!(atom, Atom::State(_));
        let states: Vec<bool> = self.letters.atoms().iter().map(is_state).collect();
        self.letters.iter().all(|letter| {
            let unseen: Vec<bool> =
                self.letters.vector(letter).iter().zip(&states).map(|(truth, state)| *truth && *state).collect();
            let entered: FxHashSet<StateId> =
                self.table.states().flat_map(|s| self.table.after(s, letter).iter().copied()).collect();
            entered.is_empty()
                || self
                    .ids
                    .get(&unseen[..])
                    .is_some_and(|&unseen| entered.iter().all(|&state| self.table.after(state, unseen) == [state]))
        })
    }
}

/// The memory after each step that may follow a memory, with its letter; without doubles.
fn steps_after(letters: &Letters, memory: Option<Memory>) -> Vec<(LetterId, Memory)> {
    let mut steps: Vec<(LetterId, Memory)> =
        letters.steps_after(memory).map(|step| (letters.letter(step), letters.after(step))).collect();
    steps.sort_unstable();
    steps.dedup();
    steps
}

#[cfg(test)]
mod tests;
