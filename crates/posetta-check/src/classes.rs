//! Events sorted by what a formula can see of them.
//!
//! Two events are of one class if they leave the same values in the variables whose state matters, and agree in every atom
//! that the event alone decides: `event(..)`, `process(..)`, and `on(A)` for a condition A on one variable. What is left
//! depends on the state, too: comparisons, and `on(A)` for a condition on several variables.
//!
//! A variable that occurs in comparisons only by itself is stored as the first value seen with the same truth in all of
//! them: a counter to a million compared with 5 has two values. A variable that occurs only inside `on(..)` by itself has
//! no state at all. Where `prev(x)` is compared, the value of x matters, and a letter is read from the values before and after its event. The class of events that a formula cannot tell from doing nothing is [`INERT`].

use rustc_hash::FxHashMap;

use posetta_base::{Budget, Claim, EventId, OverBudget, ProcessId, ValueId, VarId};
use posetta_logic::eval::{self, Letter, Notes};
use posetta_logic::{Atom, AtomId, Bound, Condition, Slot, SlotKind};
use posetta_trace::Trace;

/// A value for each variable that has a state; `None` is 0, and what has no state.
pub(super) type Valuation = Box<[Option<ValueId>]>;

/// The class of events that assign nothing that matters and satisfy no atom by themselves. It exists even if no event of
/// the trace is of it.
pub(super) const INERT: u32 = 0;

/// What the events of a class have in common.
#[derive(Debug, Default)]
pub(super) struct Class {
    /// The values that they leave, by slot.
    pub(super) assigns: Vec<(Slot, ValueId)>,
    /// For each atom, its truth if the event decides it.
    decided: Vec<Option<bool>>,
}

/// What a formula speaks of, and which of it belongs to the state.
#[derive(Debug)]
pub(super) struct Vocabulary<'a> {
    trace: &'a Trace,
    atoms: &'a [Atom<Slot>],
    /// Which of the atoms matter; the others are false.
    read: Vec<bool>,
    vars: &'a [Option<VarId>],
    kinds: &'a [SlotKind],
    /// The slots of values before, with those of the same variables now.
    before: Vec<(Slot, Slot)>,
    /// The slot of each variable of the trace.
    slot_of: Vec<Option<Slot>>,
    roles: Vec<Role<'a>>,
    stateless: bool,
}

/// What has to be known of a variable.
#[derive(Debug, Default)]
struct Role<'a> {
    /// Compared in states, or inside `on(..)` together with others.
    state: bool,
    /// Compared with other variables: its value matters, not only the truth of conditions on it.
    joint: bool,
    /// Occurs in `on(..)` together with others: it matters whether an event assigns it.
    assigned: bool,
    /// The comparisons with no other variable.
    alone: Vec<&'a Condition<Slot>>,
}

impl<'a> Vocabulary<'a> {
    /// The vocabulary of a formula, or of a part of it that reads only some of its atoms.
    pub(super) fn new<F>(trace: &'a Trace, bound: &'a Bound<F>, reads: impl Fn(AtomId) -> bool) -> Self {
        let read: Vec<bool> = (0..bound.atoms.len() as u32).map(|i| reads(AtomId(i))).collect();
        let mut slot_of = vec![None; trace.variables().len()];
        for (&var, &slot) in &bound.slots() {
            slot_of[var.index()] = Some(slot);
        }
        let mut roles: Vec<Role<'_>> = bound.vars.iter().map(|_| Role::default()).collect();
        for (atom, _) in bound.atoms.iter().zip(&read).filter(|(_, read)| **read) {
            let Some(condition) = atom.condition() else { continue };
            let on = matches!(atom, Atom::On(_));
            let slots = atom.slots();
            // What is compared with its own value before is compared with other values.
            if slots.iter().any(|&slot| bound.now(slot) != slot) {
                for slot in slots {
                    let role = &mut roles[bound.now(slot).0 as usize];
                    role.state = true;
                    role.joint = true;
                    role.assigned |= on;
                }
                continue;
            }
            match slots.as_slice() {
                [slot] if !on => {
                    let role = &mut roles[slot.0 as usize];
                    role.state = true;
                    role.alone.push(condition);
                }
                [_] => {}
                many => many.iter().for_each(|slot| {
                    let role = &mut roles[slot.0 as usize];
                    role.state = true;
                    role.joint = true;
                    role.assigned |= on;
                }),
            }
        }
        // A comparison of constants needs no variable, but a state all the same.
        let is_state = |(atom, read): (&Atom<Slot>, &bool)| *read && matches!(atom, Atom::State(_));
        let stateless = roles.iter().all(|role| !role.state) && !bound.atoms.iter().zip(&read).any(is_state);
        let (kinds, before) = (&bound.kinds[..], bound.before());
        Self { trace, atoms: &bound.atoms, read, vars: &bound.vars, kinds, before, slot_of, roles, stateless }
    }

    /// The values that a letter is read from: those after an event, and those before it where they matter.
    pub(super) fn values_between(&self, before: &Valuation, after: &Valuation) -> Option<Valuation> {
        if self.before.is_empty() {
            return None;
        }
        let mut values = after.clone();
        for (shadow, now) in &self.before {
            values[shadow.0 as usize] = before[now.0 as usize];
        }
        Some(values)
    }

    /// The variable that a slot speaks of at this position.
    fn now(&self, slot: Slot) -> Slot {
        match self.kinds[slot.0 as usize] {
            SlotKind::Before(now) => now,
            SlotKind::Now | SlotKind::Key => slot,
        }
    }

    /// Whether an atom speaks of values before.
    fn looks_back(&self, atom: &Atom<Slot>) -> bool {
        !self.before.is_empty() && atom.slots().iter().any(|&slot| self.now(slot) != slot)
    }

    /// How many atoms a letter has places for.
    pub(super) fn atoms(&self) -> usize {
        self.atoms.len()
    }

    /// Whether no variable has a state, so that the class of an event decides its letter.
    pub(super) fn is_stateless(&self) -> bool {
        self.stateless
    }

    /// How many variables a valuation has places for.
    pub(super) fn width(&self) -> usize {
        self.vars.len()
    }

    /// The truth of every atom after an event of a class, or at the start. The valuation is one of
    /// [`values_between`](Self::values_between), if that makes a difference.
    pub(super) fn letter(
        &self,
        valuation: &Valuation,
        class: Option<&Class>,
        notes: &mut Notes,
    ) -> Result<Vec<bool>, OverBudget> {
        let mut letter = Vec::with_capacity(self.atoms.len());
        for (i, atom) in self.atoms.iter().enumerate() {
            if !self.read[i] {
                letter.push(false);
                continue;
            }
            let decided = class.and_then(|c| c.decided.get(i).copied().flatten());
            letter.push(match (decided, atom, class) {
                (Some(truth), ..) => truth,
                (None, Atom::State(c) | Atom::Step(c), _) => eval::condition(c, self.trace, valuation, notes)?,
                (None, Atom::On(c), Some(class)) => {
                    let mut assigned = false;
                    c.for_each_var(&mut |&slot| {
                        let now = self.now(slot);
                        assigned |= class.assigns.iter().any(|(s, _)| *s == now);
                    });
                    assigned && eval::condition(c, self.trace, valuation, notes)?
                }
                _ => false,
            });
        }
        Ok(letter)
    }
}

/// The classes of a trace's events, for one formula.
#[derive(Debug)]
pub(super) struct Classes {
    of: Vec<u32>,
    classes: Vec<Class>,
    /// Events that are not [`INERT`].
    pub(super) relevant: u64,
    pub(super) initial: Valuation,
    _claim: Option<Claim>,
}

/// What a write left.
#[derive(Clone, Copy, Debug)]
struct Left {
    /// The representative of its class.
    class: ValueId,
    value: ValueId,
    /// `None` for the initial value, before which nothing comes.
    by: Option<ProcessId>,
}

/// What events of one class leave, and what they decide by themselves.
type Key = (Vec<(Slot, ValueId)>, Vec<bool>);

/// Which writes count as nothing although they assign something that matters: those of a value of the class that the variable
/// surely has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeats {
    /// All writes count.
    Count,
    /// Those do not before which, in every run, a write of the same process left such a value, if all writes are of that process.
    OfOneWriter,
    /// The same, and of several processes, too, given that writes of different values are ordered. A write is then surely after
    /// the one before it in a linear extension if that was of another value or of its process. (Two writes of one value may be
    /// unordered: then either can be the first that counts.)
    OfOrderedWrites,
}

impl Classes {
    /// Sorts the events.
    pub(super) fn new(
        words: &Vocabulary<'_>,
        repeats: Repeats,
        notes: &mut Notes,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        const WHAT: &str = "sorting the events into classes";
        let trace = words.trace;
        let mut sorter = Sorter::new(words);
        let initial = sorter.initial(notes)?;
        let mut claim = budget.claim(4 * trace.len() as u64, WHAT)?;
        let inert = Class { assigns: Vec::new(), decided: sorter.decided(&vec![false; sorter.by_event.len()]) };
        let mut classes =
            Self { of: vec![INERT; trace.len()], classes: vec![inert], relevant: 0, initial, _claim: None };
        let mut ids: FxHashMap<Key, u32> = FxHashMap::default();
        ids.insert((Vec::new(), vec![false; sorter.by_event.len()]), INERT);
        // The last write of each variable whose repeats do not count: what it left, as a class and as it is, and who wrote it.
        let mut last: Vec<Option<Left>> = match repeats {
            Repeats::Count => Vec::new(),
            Repeats::OfOneWriter => sorter.single_writers(),
            Repeats::OfOrderedWrites => sorter.stateful(),
        };
        for (slot, value) in classes.initial.iter().enumerate() {
            if let (Some(Some(last)), &Some(value)) = (last.get_mut(slot), value) {
                last.class = value;
            }
        }
        let mut key: Key = (Vec::new(), Vec::new());
        for (i, &event) in trace.linearisation().iter().enumerate() {
            if i % 64 == 0 {
                budget.step(0, WHAT)?;
                let each = 2 * (16 * key.0.len() + 2 * words.atoms.len() + 96);
                let tables = (classes.classes.len() * each) as u64 + sorter.bytes();
                claim.grow_to(4 * trace.len() as u64 + tables, WHAT)?;
            }
            key.0.clear();
            key.1.clear();
            for a in trace.assignments(event) {
                let Some(slot) = words.slot_of[a.var.index()] else { continue };
                if !words.roles[slot.0 as usize].state {
                    continue;
                }
                let value = sorter.representative(slot, a.value, notes)?;
                let Some(Some(last)) = last.get_mut(slot.0 as usize) else {
                    key.0.push((slot, value));
                    continue;
                };
                let process = trace.process(event);
                let surely_after = last.by.is_none_or(|by| by == process) || last.value != a.value;
                if last.class != value || !surely_after {
                    key.0.push((slot, value));
                }
                *last = Left { class: value, value: a.value, by: Some(process) };
            }
            sorter.truths(event, &mut key.1, notes)?;
            if key.0.is_empty() && !key.1.contains(&true) {
                continue;
            }
            classes.relevant += 1;
            key.0.sort_unstable();
            classes.of[event.index()] = match ids.get(&key) {
                Some(&id) => id,
                None => {
                    let id = classes.classes.len() as u32;
                    classes.classes.push(Class { assigns: key.0.clone(), decided: sorter.decided(&key.1) });
                    ids.insert(key.clone(), id);
                    id
                }
            };
        }
        classes._claim = Some(claim);
        Ok(classes)
    }

    /// Whether some event is [`INERT`].
    pub(super) fn has_inert(&self) -> bool {
        self.relevant < self.of.len() as u64
    }

    /// How many classes there are, [`INERT`] included.
    pub(super) fn len(&self) -> usize {
        self.classes.len()
    }

    #[inline]
    pub(super) fn of(&self, event: EventId) -> u32 {
        self.of[event.index()]
    }

    pub(super) fn class(&self, class: u32) -> &Class {
        &self.classes[class as usize]
    }
}

/// Remembers what it has been asked about values.
struct Sorter<'v, 'a> {
    words: &'v Vocabulary<'a>,
    /// The atoms that an event decides: their places, and for `on(A)` the variable of A.
    by_event: Vec<(usize, Option<Slot>)>,
    /// For each slot, the representative of each value that came.
    known: Vec<Vec<Option<ValueId>>>,
    by_truth: FxHashMap<(Slot, Vec<bool>), ValueId>,
    /// For each atom, its condition's truth for each value that came.
    on_truth: Vec<Vec<Option<bool>>>,
    scratch: Vec<Option<ValueId>>,
}

impl<'v, 'a> Sorter<'v, 'a> {
    fn new(words: &'v Vocabulary<'a>) -> Self {
        let by_event =
            words.atoms.iter().enumerate().filter(|(i, _)| words.read[*i]).filter_map(|(i, atom)| match atom {
                Atom::State(_) | Atom::Step(_) => None,
                Atom::On(_) if words.looks_back(atom) => None,
                Atom::On(_) => match atom.slots().as_slice() {
                    [] => Some((i, None)),
                    [slot] => Some((i, Some(*slot))),
                    _ => None,
                },
                Atom::Event(_) | Atom::Having(_) | Atom::Process(_) | Atom::Enabled(_) => Some((i, None)),
            });
        Self {
            words,
            by_event: by_event.collect(),
            known: vec![Vec::new(); words.vars.len()],
            by_truth: FxHashMap::default(),
            on_truth: vec![Vec::new(); words.atoms.len()],
            scratch: vec![None; words.vars.len()],
        }
    }

    /// About how many bytes its tables take.
    fn bytes(&self) -> u64 {
        let known: usize = self.known.iter().map(Vec::capacity).sum();
        let on: usize = self.on_truth.iter().map(Vec::capacity).sum();
        (8 * known + on) as u64
    }

    fn decided(&self, truths: &[bool]) -> Vec<Option<bool>> {
        let mut decided = vec![None; self.words.atoms.len()];
        for (&(atom, _), &truth) in self.by_event.iter().zip(truths) {
            decided[atom] = Some(truth);
        }
        decided
    }

    fn initial(&mut self, notes: &mut Notes) -> Result<Valuation, OverBudget> {
        let words = self.words;
        let mut initial: Valuation = vec![None; words.vars.len()].into();
        for (i, var) in words.vars.iter().enumerate() {
            if let (Some(var), true) = (var, words.roles[i].state) {
                initial[i] = Some(self.representative(Slot(i as u32), words.trace.initial(*var), notes)?);
            }
        }
        Ok(initial)
    }

    /// The same for variables that one process writes.
    fn single_writers(&self) -> Vec<Option<Left>> {
        let words = self.words;
        let mut writers: Vec<Option<ProcessId>> = vec![None; words.vars.len()];
        let mut last = self.stateful();
        for event in words.trace.events() {
            for a in words.trace.assignments(event) {
                let Some(slot) = words.slot_of[a.var.index()] else { continue };
                let process = words.trace.process(event);
                if *writers[slot.0 as usize].get_or_insert(process) != process {
                    last[slot.0 as usize] = None;
                }
            }
        }
        last
    }

    /// For each variable of which only the state matters, its initial value.
    fn stateful(&self) -> Vec<Option<Left>> {
        let words = self.words;
        let initial = |var: VarId| {
            let value = words.trace.initial(var);
            Left { class: value, value, by: None }
        };
        let vars = words.roles.iter().zip(words.vars);
        vars.map(|(role, var)| var.filter(|_| role.state && !role.assigned).map(initial)).collect()
    }

    fn representative(&mut self, slot: Slot, value: ValueId, notes: &mut Notes) -> Result<ValueId, OverBudget> {
        let role = &self.words.roles[slot.0 as usize];
        if role.joint {
            return Ok(value);
        }
        if let Some(Some(known)) = self.known[slot.0 as usize].get(value.index()) {
            return Ok(*known);
        }
        self.scratch[slot.0 as usize] = Some(value);
        let mut truth = Vec::with_capacity(role.alone.len());
        for condition in &role.alone {
            truth.push(eval::condition(condition, self.words.trace, &self.scratch, notes)?);
        }
        let representative = *self.by_truth.entry((slot, truth)).or_insert(value);
        put(&mut self.known[slot.0 as usize], value, representative);
        Ok(representative)
    }

    /// The truth of the atoms that the event decides.
    fn truths(&mut self, event: EventId, truths: &mut Vec<bool>, notes: &mut Notes) -> Result<(), OverBudget> {
        let words = self.words;
        let assignments = words.trace.assignments(event);
        for &(place, slot) in &self.by_event {
            let truth = match (&words.atoms[place], slot) {
                (Atom::On(_), None) => false,
                (Atom::On(c), Some(slot)) => {
                    let var = words.vars[slot.0 as usize];
                    match assignments.iter().find(|a| Some(a.var) == var) {
                        None => false,
                        Some(a) => match self.on_truth[place].get(a.value.index()) {
                            Some(&Some(truth)) => truth,
                            _ => {
                                self.scratch[slot.0 as usize] = Some(a.value);
                                let truth = eval::condition(c, words.trace, &self.scratch, notes)?;
                                put(&mut self.on_truth[place], a.value, truth);
                                truth
                            }
                        },
                    }
                }
                (named, _) => {
                    eval::atom(named, words.vars, words.trace, Letter { values: &[], event: Some(event) }, notes)?
                }
            };
            truths.push(truth);
        }
        Ok(())
    }
}

/// Remembers something about a value.
fn put<T: Clone>(table: &mut Vec<Option<T>>, value: ValueId, known: T) {
    if table.len() <= value.index() {
        table.resize(value.index() + 1, None);
    }
    table[value.index()] = Some(known);
}
