//! What a search remembers besides the cut: a state of the property's automaton and the values it depends on.
//!
//! A *mode* is an automaton state together with a valuation of the formula's variables, so that the later of two
//! unordered writes wins in each run by itself. Modes and their steps under [classes](super::classes) of events are built on
//! demand and kept; a search in full swing only follows table entries.

use rustc_hash::FxHashMap;

use super::classes::{Classes, Valuation, Vocabulary};
use posetta_automata::StateId;
use posetta_base::{Budget, OverBudget};
use posetta_compile::Automaton;
use posetta_logic::View;
use posetta_logic::eval::Notes;

/// Up to this many classes a mode keeps its steps in an array, beyond in a hash table.
const DENSE: usize = 64;

const UNBUILT: (u32, u32) = (u32::MAX, 0);

/// A mode: a place in the machine's table.
pub(super) type Mode = u32;

#[derive(Clone, Copy, Debug)]
struct ModeData {
    state: StateId,
    valuation: u32,
    accepts: bool,
    universal: bool,
}

/// An automaton, run along the events of a trace.
#[derive(Debug)]
pub(super) struct Machine<'a, A> {
    words: &'a Vocabulary<'a>,
    classes: &'a Classes,
    automaton: A,
    valuations: Vec<Valuation>,
    valuation_ids: FxHashMap<Valuation, u32>,
    modes: Vec<ModeData>,
    mode_ids: FxHashMap<(StateId, u32), Mode>,
    /// `targets[start..start + length]` are the modes after a class.
    dense: Vec<(u32, u32)>,
    sparse: FxHashMap<(Mode, u32), (u32, u32)>,
    targets: Vec<Mode>,
    starts: Vec<Mode>,
    /// The letter of each class that was met, where the class alone decides it.
    letters: Vec<Option<Box<[bool]>>>,
}

impl<'a, A: Automaton> Machine<'a, A> {
    /// The machine at its start.
    pub(super) fn new(
        words: &'a Vocabulary<'a>,
        classes: &'a Classes,
        automaton: A,
        view: View,
        notes: &mut Notes,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        let mut machine = Self {
            words,
            classes,
            automaton,
            valuations: Vec::new(),
            valuation_ids: FxHashMap::default(),
            modes: Vec::new(),
            mode_ids: FxHashMap::default(),
            dense: Vec::new(),
            sparse: FxHashMap::default(),
            targets: Vec::new(),
            starts: Vec::new(),
            letters: Vec::new(),
        };
        let valuation = machine.valuation(classes.initial.clone());
        let start = machine.automaton.start();
        let states = match view {
            View::Events => vec![start],
            View::States => {
                let values = words.values_between(&classes.initial, &classes.initial);
                let letter = words.letter(values.as_ref().unwrap_or(&classes.initial), None, notes)?;
                machine.automaton.step(start, &letter, budget)?
            }
        };
        machine.starts = states.into_iter().map(|state| machine.mode(state, valuation)).collect();
        Ok(machine)
    }

    /// The modes at the empty cut.
    pub(super) fn starts(&self) -> &[Mode] {
        &self.starts
    }

    /// How many modes have been built.
    pub(super) fn len(&self) -> usize {
        self.modes.len()
    }

    /// Whether a run may end in this mode.
    #[inline]
    pub(super) fn accepts(&self, mode: Mode) -> bool {
        self.modes[mode as usize].accepts
    }

    /// Whether every way on from this mode is accepted.
    #[inline]
    pub(super) fn is_universal(&self, mode: Mode) -> bool {
        self.modes[mode as usize].universal
    }

    /// About how many bytes the tables take.
    pub(super) fn bytes(&self) -> u64 {
        let valuation = 2 * (8 * self.words.width() + 40);
        (self.valuations.len() * valuation
            + self.modes.len() * 32
            + self.dense.len() * 8
            + self.sparse.len() * 24
            + self.targets.len() * 4
            + self.letters.len() * (24 + self.words.atoms())) as u64
            + self.automaton.bytes()
    }

    fn valuation(&mut self, values: Valuation) -> u32 {
        if let Some(&id) = self.valuation_ids.get(&values) {
            return id;
        }
        let id = self.valuations.len() as u32;
        self.valuations.push(values.clone());
        self.valuation_ids.insert(values, id);
        id
    }

    fn mode(&mut self, state: StateId, valuation: u32) -> Mode {
        // Where everything is accepted, values no longer matter.
        let valuation = if self.automaton.is_universal(state) { 0 } else { valuation };
        if let Some(&mode) = self.mode_ids.get(&(state, valuation)) {
            return mode;
        }
        let mode = self.modes.len() as Mode;
        self.modes.push(ModeData {
            state,
            valuation,
            accepts: self.automaton.accepts(state),
            universal: self.automaton.is_universal(state),
        });
        self.mode_ids.insert((state, valuation), mode);
        if self.classes.len() <= DENSE {
            self.dense.resize(self.dense.len() + self.classes.len(), UNBUILT);
        }
        mode
    }

    /// The modes after an event of a class, ascending: the start and length of a range for [`Self::target`].
    #[inline]
    pub(super) fn step(
        &mut self,
        mode: Mode,
        class: u32,
        notes: &mut Notes,
        budget: &Budget,
    ) -> Result<(u32, u32), OverBudget> {
        let built = if self.classes.len() <= DENSE {
            self.dense[mode as usize * self.classes.len() + class as usize]
        } else {
            self.sparse.get(&(mode, class)).copied().unwrap_or(UNBUILT)
        };
        if built == UNBUILT { self.build(mode, class, notes, budget) } else { Ok(built) }
    }

    /// A mode of a range.
    #[inline]
    pub(super) fn target(&self, place: u32) -> Mode {
        self.targets[place as usize]
    }

    #[cold]
    fn build(&mut self, mode: Mode, class: u32, notes: &mut Notes, budget: &Budget) -> Result<(u32, u32), OverBudget> {
        let mut targets = Vec::new();
        self.follow(mode, class, &mut targets, notes, budget)?;
        let range = (self.targets.len() as u32, targets.len() as u32);
        self.targets.append(&mut targets);
        if self.classes.len() <= DENSE {
            self.dense[mode as usize * self.classes.len() + class as usize] = range;
        } else {
            self.sparse.insert((mode, class), range);
        }
        Ok(range)
    }

    /// Appends the modes after an event of a class, ascending, and keeps nothing but the modes.
    pub(super) fn follow(
        &mut self,
        mode: Mode,
        class: u32,
        targets: &mut Vec<Mode>,
        notes: &mut Notes,
        budget: &Budget,
    ) -> Result<(), OverBudget> {
        let ModeData { state, valuation, .. } = self.modes[mode as usize];
        let of_class = self.classes.class(class);
        let before = valuation;
        let valuation = if of_class.assigns.is_empty() {
            valuation
        } else {
            let mut values = self.valuations[valuation as usize].clone();
            for &(slot, value) in &of_class.assigns {
                values[slot.0 as usize] = Some(value);
            }
            self.valuation(values)
        };
        let states = if self.words.is_stateless() {
            if self.letters.is_empty() {
                self.letters.resize(self.classes.len(), None);
            }
            let letter = match self.letters[class as usize].take() {
                Some(letter) => letter,
                None => self.words.letter(&self.classes.initial, Some(of_class), notes)?.into(),
            };
            let states = self.automaton.step(state, &letter, budget);
            self.letters[class as usize] = Some(letter);
            states?
        } else {
            let after = &self.valuations[valuation as usize];
            let between = self.words.values_between(&self.valuations[before as usize], after);
            let letter = self.words.letter(between.as_ref().unwrap_or(after), Some(of_class), notes)?;
            self.automaton.step(state, &letter, budget)?
        };
        let start = targets.len();
        for state in states {
            targets.push(self.mode(state, valuation));
        }
        targets[start..].sort_unstable();
        Ok(())
    }

    /// Whether events of a class leave the values of a mode as they are, or values do not matter to it.
    pub(super) fn keeps_values(&self, mode: Mode, class: u32) -> bool {
        let ModeData { valuation, universal, .. } = self.modes[mode as usize];
        let values = &self.valuations[valuation as usize];
        universal || self.classes.class(class).assigns.iter().all(|&(slot, v)| values[slot.0 as usize] == Some(v))
    }

    /// Whether a step is a look into a list, not a construction.
    pub(super) fn is_listed(&self) -> bool {
        self.automaton.is_listed()
    }
}
