//! What a search remembers besides cuts: a state of the property's automaton and the values it depends on, built as events ask
//! for them.

use rustc_hash::FxHashMap;

use super::sight::{Sight, State, Stored};
use super::window::bit;
use posetta_automata::StateId;
use posetta_base::{Budget, OverBudget};
use posetta_compile::{Outlook, Prospect};
use posetta_logic::Slot;

/// A mode: a place in a table.
pub(super) type Mode = u32;

/// What events of a class do in a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moves {
    /// They may leave it as it is.
    pub(super) stay: bool,
    first: u32,
    count: u32,
}

impl Moves {
    /// The places of the other modes that they may lead to, for [`Modes::target`].
    #[inline]
    pub(super) fn places(self) -> std::ops::Range<u32> {
        self.first..self.first + self.count
    }
}

/// Modes and their moves.
pub(super) trait Modes {
    /// What events of a class do in a mode.
    fn moves(&mut self, mode: Mode, class: u32) -> Result<Moves, OverBudget>;

    /// A mode that moves lead to.
    fn target(&self, place: u32) -> Mode;

    /// What becomes of runs in a mode.
    fn prospect(&self, mode: Mode) -> Prospect;

    /// The [bits](bit) of the classes that may lead from a mode to others, and how many others there are; all, if that is not known.
    fn ways(&mut self, _mode: Mode) -> Result<(u64, usize), OverBudget> {
        Ok((u64::MAX, usize::MAX))
    }

    /// Whether some event leads from a mode to another one that does not stay on events of a class; yes, if that is not known.
    fn fires_again(&mut self, _mode: Mode, _class: u32) -> Result<bool, OverBudget> {
        Ok(true)
    }
}

/// Moves that are known, by mode and class.
#[derive(Debug, Default)]
struct MoveTable {
    /// Of the first classes, a list for each mode.
    dense: Vec<Vec<Option<Moves>>>,
    sparse: FxHashMap<(Mode, u32), Moves>,
    targets: Vec<Mode>,
}

/// Moves under later classes are kept in a hash table.
const DENSE: u32 = 64;

impl MoveTable {
    #[inline]
    fn get(&self, mode: Mode, class: u32) -> Option<Moves> {
        match class < DENSE {
            true => *self.dense.get(mode as usize)?.get(class as usize)?,
            false => self.sparse.get(&(mode, class)).copied(),
        }
    }

    /// Keeps the targets of a class in a mode, ascending.
    fn put(&mut self, mode: Mode, class: u32, targets: &[Mode]) -> Moves {
        let first = self.targets.len() as u32;
        self.targets.extend(targets.iter().filter(|&&t| t != mode));
        let moves = Moves { stay: targets.contains(&mode), first, count: self.targets.len() as u32 - first };
        if class < DENSE {
            if self.dense.len() <= mode as usize {
                self.dense.resize(mode as usize + 1, Vec::new());
            }
            let row = &mut self.dense[mode as usize];
            if row.len() <= class as usize {
                row.resize(class as usize + 1, None);
            }
            row[class as usize] = Some(moves);
        } else {
            self.sparse.insert((mode, class), moves);
        }
        moves
    }

    fn bytes(&self) -> u64 {
        let dense: usize = self.dense.iter().map(|row| 24 + 16 * row.capacity()).sum();
        (dense + 32 * self.sparse.capacity() + 4 * self.targets.capacity()) as u64
    }
}

#[derive(Clone, Copy, Debug)]
struct ModeData {
    state: StateId,
    values: u32,
    accepts: bool,
    prospect: Prospect,
}

/// The modes of runs of what has come.
pub(super) struct Exact {
    pub(super) outlook: Outlook,
    pub(super) sight: Sight,
    states: Vec<State>,
    state_ids: FxHashMap<State, u32>,
    modes: Vec<ModeData>,
    ids: FxHashMap<(StateId, u32), Mode>,
    known: MoveTable,
    /// The answers of [`Modes::fires_again`], and how many classes there were.
    again: FxHashMap<(Mode, u32), (u32, bool)>,
    /// The answers of [`Modes::ways`], and how many classes there were.
    ways: FxHashMap<Mode, (u32, u64, usize)>,
    budget: Budget,
}

impl Exact {
    pub(super) fn new(outlook: Outlook, sight: Sight, budget: Budget) -> Self {
        Self {
            outlook,
            sight,
            states: Vec::new(),
            state_ids: FxHashMap::default(),
            modes: Vec::new(),
            ids: FxHashMap::default(),
            known: MoveTable::default(),
            again: FxHashMap::default(),
            ways: FxHashMap::default(),
            budget,
        }
    }

    fn state(&mut self, state: State) -> u32 {
        let fresh = self.states.len() as u32;
        *self.state_ids.entry(state).or_insert_with_key(|state| {
            self.states.push(state.clone());
            fresh
        })
    }

    /// The mode of a state of the automaton and values.
    pub(super) fn mode(&mut self, state: StateId, values: State) -> Result<Mode, OverBudget> {
        let values = self.state(values);
        self.mode_of(state, values)
    }

    fn mode_of(&mut self, state: StateId, values: u32) -> Result<Mode, OverBudget> {
        if let Some(&mode) = self.ids.get(&(state, values)) {
            return Ok(mode);
        }
        let stored = Stored { values: &self.sight.values, state: &self.states[values as usize] };
        let prospect = self.outlook.prospect(state, &stored)?;
        let mode = self.modes.len() as Mode;
        self.modes.push(ModeData { state, values, accepts: self.outlook.accepts(state), prospect });
        self.ids.insert((state, values), mode);
        Ok(mode)
    }

    /// The modes in which runs can be after an event that has not come; `None` if they are not known.
    pub(super) fn mixed(&self, mode: Mode) -> Result<Option<Vec<Mode>>, OverBudget> {
        let ModeData { state, values, .. } = self.modes[mode as usize];
        let stored = Stored { values: &self.sight.values, state: &self.states[values as usize] };
        self.outlook.mixed(state, &stored)
    }

    /// Whether a run that ends in this mode is bad.
    #[inline]
    pub(super) fn accepts(&self, mode: Mode) -> bool {
        self.modes[mode as usize].accepts
    }

    /// Whether every way on from a mode is bad.
    pub(super) fn is_doomed(&self, mode: Mode) -> bool {
        self.prospect(mode) == Prospect::Violated
    }

    /// How many modes, values and classes are remembered.
    pub(super) fn remembered(&self) -> usize {
        self.modes.len() + self.states.len() + self.sight.remembered()
    }

    pub(super) fn bytes(&self) -> u64 {
        let state = 2 * (4 * self.states.first().map_or(0, |s| s.len()) + 32);
        (self.states.len() * state + self.modes.len() * 56) as u64 + self.known.bytes() + self.sight.bytes()
    }

    #[cold]
    fn build(&mut self, mode: Mode, class: u32) -> Result<Moves, OverBudget> {
        let ModeData { state, values, .. } = self.modes[mode as usize];
        let assigns = &self.sight.classes[class as usize].assigns;
        let before = values;
        let values = if assigns.is_empty() {
            values
        } else {
            let mut after = self.states[values as usize].clone();
            assigns.iter().for_each(|&(slot, value)| after[slot.0 as usize] = value);
            self.state(after)
        };
        let letter = self.sight.letter(&self.states[before as usize], &self.states[values as usize], Some(class))?;
        let mut targets = Vec::new();
        for state in self.outlook.step(state, &letter, &self.budget)? {
            targets.push(self.mode_of(state, values)?);
        }
        Ok(self.known.put(mode, class, &targets))
    }

    /// Forgets all but these modes and classes, which are renamed.
    pub(super) fn forget(&mut self, modes: &mut [Mode], classes: &mut [u32]) -> Result<(), OverBudget> {
        let old: Vec<(StateId, State)> = modes
            .iter()
            .map(|&m| self.modes[m as usize])
            .map(|data| (data.state, self.states[data.values as usize].clone()))
            .collect();
        let (states, mut values): (Vec<StateId>, Vec<State>) = old.into_iter().unzip();
        self.sight.forget(&mut values, classes)?;
        self.states.clear();
        self.state_ids.clear();
        self.modes.clear();
        self.ids.clear();
        self.known = MoveTable::default();
        self.again.clear();
        self.ways.clear();
        for ((mode, state), values) in modes.iter_mut().zip(states).zip(values) {
            *mode = self.mode(state, values)?;
        }
        Ok(())
    }
}

impl Modes for Exact {
    #[inline]
    fn moves(&mut self, mode: Mode, class: u32) -> Result<Moves, OverBudget> {
        match self.known.get(mode, class) {
            Some(moves) => Ok(moves),
            None => self.build(mode, class),
        }
    }

    #[inline]
    fn target(&self, place: u32) -> Mode {
        self.known.targets[place as usize]
    }

    #[inline]
    fn prospect(&self, mode: Mode) -> Prospect {
        self.modes[mode as usize].prospect
    }

    fn ways(&mut self, mode: Mode) -> Result<(u64, usize), OverBudget> {
        let classes = self.sight.classes.len() as u32;
        if classes > DENSE || self.sight.has_joint() {
            return Ok((u64::MAX, usize::MAX));
        }
        if let Some(&(of, mask, targets)) = self.ways.get(&mode)
            && of == classes
        {
            return Ok((mask, targets));
        }
        let (mut mask, mut targets) = (0, Vec::new());
        for class in 0..classes {
            for place in self.moves(mode, class)?.places() {
                mask |= bit(class);
                targets.push(self.target(place));
            }
        }
        targets.sort_unstable();
        targets.dedup();
        self.ways.insert(mode, (classes, mask, targets.len()));
        Ok((mask, targets.len()))
    }

    fn fires_again(&mut self, mode: Mode, class: u32) -> Result<bool, OverBudget> {
        let classes = self.sight.classes.len() as u32;
        // Where values are compared with each other, only what comes is asked for: elsewhere numbers may grow past their limit.
        if classes > DENSE || self.sight.has_joint() {
            return Ok(true);
        }
        if let Some(&(of, again)) = self.again.get(&(mode, class))
            && of == classes
        {
            return Ok(again);
        }
        let mut again = false;
        for other in 0..classes {
            for place in self.moves(mode, other)?.places() {
                let target = self.target(place);
                again = again || !self.moves(target, class)?.stay;
            }
        }
        self.again.insert((mode, class), (classes, again));
        Ok(again)
    }
}

/// The modes of runs into which events that have not come may be mixed: before and after each event any letters may be read. A mode is a [`Pair`](posetta_compile::Pair).
pub(super) struct Mixed<'a> {
    outlook: &'a Outlook,
    sight: &'a Sight,
    known: &'a mut MixedMoves,
}

/// What is known of such modes; to be kept between questions.
#[derive(Debug, Default)]
pub(super) struct MixedMoves(MoveTable);

impl MixedMoves {
    pub(super) fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

impl<'a> Mixed<'a> {
    pub(super) fn new(exact: &'a Exact, known: &'a mut MixedMoves) -> Self {
        Self { outlook: &exact.outlook, sight: &exact.sight, known }
    }
}

impl Modes for Mixed<'_> {
    fn moves(&mut self, mode: Mode, class: u32) -> Result<Moves, OverBudget> {
        if let Some(moves) = self.known.0.get(mode, class) {
            return Ok(moves);
        }
        let state = self.sight.state_after(class);
        let stored = Stored { values: &self.sight.values, state: &state };
        let assigned = |slot: Slot| self.sight.assigns(class, slot);
        let targets = self.outlook.mixed_after(mode, &self.sight.known(class)?, &assigned, &stored)?;
        Ok(self.known.0.put(mode, class, &targets))
    }

    fn target(&self, place: u32) -> Mode {
        self.known.0.targets[place as usize]
    }

    fn prospect(&self, _: Mode) -> Prospect {
        Prospect::Open
    }
}
