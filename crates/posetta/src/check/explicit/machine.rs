//! What a search remembers besides the cut: a state of the property's automaton and the values it depends on.
//!
//! Events fall into classes: the same relevant assignments, the same truth of `event(..)` and `process(..)`. A *mode* is
//! an automaton state together with a valuation of the formula's variables, so that the later of two unordered writes
//! wins in each run by itself. Modes and their steps under event classes are built on demand and kept; a search in full
//! swing only follows table entries.
//!
//! A variable that occurs only in conditions by itself is stored as the first value seen with the same truth in all of
//! them: a counter to a million compared with 5 has two values.

use rustc_hash::FxHashMap;

use crate::automata::StateId;
use crate::base::{Budget, EventId, OverBudget, ValueId};
use crate::compile::{Normal, Obligations};
use crate::logic::eval::{self, Letter, Notes};
use crate::logic::{Atom, AtomId, Bound, Condition, Ltl, Slot, View};
use crate::trace::Trace;

type Valuation = Box<[Option<ValueId>]>;

/// Up to this many classes a mode keeps its steps in an array, beyond in a hash table.
const DENSE: usize = 512;

const UNBUILT: (u32, u32) = (u32::MAX, 0);

#[derive(Debug)]
struct Class {
    assigns: Vec<(Slot, ValueId)>,
    /// Any event of the class: they agree in all that an atom can see, values aside.
    example: EventId,
}

/// Relevant assignments, and the truth of each `event(..)` and `process(..)`.
type ClassKey = (Vec<(Slot, ValueId)>, Vec<bool>);

/// The classes of a trace's events, for one formula.
#[derive(Debug)]
pub(super) struct Classes {
    of: Vec<u32>,
    classes: Vec<Class>,
    /// Events that assign a variable of the formula or satisfy an event atom.
    pub(super) relevant: u64,
    initial: Valuation,
}

impl Classes {
    pub(super) fn new<F>(
        trace: &Trace,
        bound: &Bound<F>,
        notes: &mut Notes,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        const WHAT: &str = "sorting the events into classes";
        let slots = bound.slots();
        let mut values = Values::new(trace, bound);
        let names: Vec<&Atom<Slot>> =
            bound.atoms.iter().filter(|a| matches!(a, Atom::Event(_) | Atom::Process(_))).collect();
        let initial = values.initial(notes)?;
        let mut classes = Self { of: Vec::with_capacity(trace.len()), classes: Vec::new(), relevant: 0, initial };
        let mut ids: FxHashMap<ClassKey, u32> = FxHashMap::default();
        for event in trace.events() {
            if event.index() % 16 == 0 {
                budget.step(0, WHAT)?;
            }
            let mut assigns = Vec::new();
            for a in trace.assignments(event) {
                if let Some(&slot) = slots.get(&a.var) {
                    assigns.push((slot, values.representative(slot, a.value, notes)?));
                }
            }
            assigns.sort_unstable();
            let mut named = Vec::with_capacity(names.len());
            for atom in &names {
                named.push(eval::atom(atom, bound, trace, Letter { values: &[], event: Some(event) }, notes)?);
            }
            classes.relevant += u64::from(!assigns.is_empty() || named.contains(&true));
            let next = classes.classes.len() as u32;
            let id = *ids.entry((assigns, named)).or_insert_with_key(|(assigns, _)| {
                classes.classes.push(Class { assigns: assigns.clone(), example: event });
                next
            });
            classes.of.push(id);
        }
        Ok(classes)
    }

    #[inline]
    fn of(&self, event: EventId) -> u32 {
        self.of[event.index()]
    }
}

/// Values, up to what the formula can tell apart.
struct Values<'a, F> {
    trace: &'a Trace,
    bound: &'a Bound<F>,
    /// For each slot that occurs only by itself, the conditions on it.
    alone: Vec<Option<Vec<&'a Condition<Slot>>>>,
    known: FxHashMap<(Slot, ValueId), ValueId>,
    by_truth: FxHashMap<(Slot, Vec<bool>), ValueId>,
    scratch: Vec<Option<ValueId>>,
}

impl<'a, F> Values<'a, F> {
    fn new(trace: &'a Trace, bound: &'a Bound<F>) -> Self {
        let mut alone: Vec<Option<Vec<&Condition<Slot>>>> = vec![Some(Vec::new()); bound.vars.len()];
        for atom in &bound.atoms {
            let (Atom::State(condition) | Atom::On(condition)) = atom else { continue };
            let mut slots = Vec::new();
            condition.for_each_var(&mut |&slot| slots.push(slot));
            slots.sort_unstable();
            slots.dedup();
            match slots.as_slice() {
                [slot] => {
                    if let Some(conditions) = &mut alone[slot.0 as usize] {
                        conditions.push(condition);
                    }
                }
                many => many.iter().for_each(|slot| alone[slot.0 as usize] = None),
            }
        }
        let scratch = vec![None; bound.vars.len()];
        Self { trace, bound, alone, known: FxHashMap::default(), by_truth: FxHashMap::default(), scratch }
    }

    fn initial(&mut self, notes: &mut Notes) -> Result<Valuation, OverBudget> {
        let given = self.bound.initial(self.trace);
        let mut initial = Vec::with_capacity(given.len());
        for (i, value) in given.into_iter().enumerate() {
            initial.push(match value {
                Some(value) => Some(self.representative(Slot(i as u32), value, notes)?),
                None => None,
            });
        }
        Ok(initial.into())
    }

    fn representative(&mut self, slot: Slot, value: ValueId, notes: &mut Notes) -> Result<ValueId, OverBudget> {
        let Some(conditions) = &self.alone[slot.0 as usize] else { return Ok(value) };
        if let Some(&known) = self.known.get(&(slot, value)) {
            return Ok(known);
        }
        self.scratch[slot.0 as usize] = Some(value);
        let mut truth = Vec::with_capacity(conditions.len());
        for condition in conditions {
            truth.push(eval::condition(condition, self.trace, &self.scratch, notes)?);
        }
        let representative = *self.by_truth.entry((slot, truth)).or_insert(value);
        self.known.insert((slot, value), representative);
        Ok(representative)
    }
}

/// A mode: a place in the machine's table.
pub(super) type Mode = u32;

#[derive(Clone, Copy, Debug)]
struct ModeData {
    state: StateId,
    valuation: u32,
    accepts: bool,
    universal: bool,
}

/// The automaton of a formula, run along the events of a trace.
#[derive(Debug)]
pub(super) struct Machine<'a> {
    trace: &'a Trace,
    bound: &'a Bound<Ltl<AtomId>>,
    classes: &'a Classes,
    automaton: Obligations,
    valuations: Vec<Valuation>,
    valuation_ids: FxHashMap<Valuation, u32>,
    modes: Vec<ModeData>,
    mode_ids: FxHashMap<(StateId, u32), Mode>,
    /// `targets[start..start + length]` are the modes after a class.
    dense: Vec<(u32, u32)>,
    sparse: FxHashMap<(Mode, u32), (u32, u32)>,
    targets: Vec<Mode>,
    starts: Vec<Mode>,
}

impl<'a> Machine<'a> {
    /// The machine that accepts the runs that satisfy the formula, or with `negated` those that violate it.
    pub(super) fn new(
        trace: &'a Trace,
        bound: &'a Bound<Ltl<AtomId>>,
        view: View,
        negated: bool,
        classes: &'a Classes,
        notes: &mut Notes,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        let mut machine = Self {
            trace,
            bound,
            classes,
            automaton: Obligations::new(Normal::new(&bound.formula, negated)),
            valuations: Vec::new(),
            valuation_ids: FxHashMap::default(),
            modes: Vec::new(),
            mode_ids: FxHashMap::default(),
            dense: Vec::new(),
            sparse: FxHashMap::default(),
            targets: Vec::new(),
            starts: Vec::new(),
        };
        let valuation = machine.valuation(classes.initial.clone());
        let start = machine.automaton.start();
        let states = match view {
            View::Events => vec![start],
            View::States => {
                let letter = machine.letter(valuation, None, notes)?;
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
        let valuation = 2 * (8 * self.bound.vars.len() + 40);
        (self.valuations.len() * valuation
            + self.modes.len() * 32
            + self.dense.len() * 8
            + self.sparse.len() * 24
            + self.targets.len() * 4) as u64
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
        if self.classes.classes.len() <= DENSE {
            self.dense.resize(self.dense.len() + self.classes.classes.len(), UNBUILT);
        }
        mode
    }

    fn letter(&self, valuation: u32, event: Option<EventId>, notes: &mut Notes) -> Result<Vec<bool>, OverBudget> {
        let letter = Letter { values: &self.valuations[valuation as usize], event };
        self.bound.atoms.iter().map(|a| eval::atom(a, self.bound, self.trace, letter, notes)).collect()
    }

    /// The modes after an event of a class: the start and length of a range for [`Self::target`].
    #[inline]
    fn step(&mut self, mode: Mode, class: u32, notes: &mut Notes, budget: &Budget) -> Result<(u32, u32), OverBudget> {
        let built = if self.classes.classes.len() <= DENSE {
            self.dense[mode as usize * self.classes.classes.len() + class as usize]
        } else {
            self.sparse.get(&(mode, class)).copied().unwrap_or(UNBUILT)
        };
        if built == UNBUILT { self.build(mode, class, notes, budget) } else { Ok(built) }
    }

    /// [`Self::step`] for an event.
    #[inline]
    pub(super) fn step_on(
        &mut self,
        mode: Mode,
        event: EventId,
        notes: &mut Notes,
        budget: &Budget,
    ) -> Result<(u32, u32), OverBudget> {
        self.step(mode, self.classes.of(event), notes, budget)
    }

    /// A mode of a range.
    #[inline]
    pub(super) fn target(&self, place: u32) -> Mode {
        self.targets[place as usize]
    }

    #[cold]
    fn build(&mut self, mode: Mode, class: u32, notes: &mut Notes, budget: &Budget) -> Result<(u32, u32), OverBudget> {
        let ModeData { state, valuation, .. } = self.modes[mode as usize];
        let class_of = &self.classes.classes[class as usize];
        let example = class_of.example;
        let valuation = if class_of.assigns.is_empty() {
            valuation
        } else {
            let mut values = self.valuations[valuation as usize].clone();
            for &(slot, value) in &class_of.assigns {
                values[slot.0 as usize] = Some(value);
            }
            self.valuation(values)
        };
        let letter = self.letter(valuation, Some(example), notes)?;
        let states = self.automaton.step(state, &letter, budget)?;
        let start = self.targets.len() as u32;
        for state in states {
            let target = self.mode(state, valuation);
            self.targets.push(target);
        }
        let range = (start, self.targets.len() as u32 - start);
        if self.classes.classes.len() <= DENSE {
            self.dense[mode as usize * self.classes.classes.len() + class as usize] = range;
        } else {
            self.sparse.insert((mode, class), range);
        }
        Ok(range)
    }
}
