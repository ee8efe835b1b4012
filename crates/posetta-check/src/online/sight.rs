//! What a property sees of events that come one by one: the counterpart of [`classes`](crate::classes), which sees a
//! whole trace.
//!
//! Two events are of one class if they leave the same in the variables whose state matters and agree in every atom that the event
//! alone decides. A variable that is compared with no other is stored as the first value seen with the same truth in all its
//! comparisons, so a counter that never ends takes no room.

use std::cell::Cell;

use rustc_hash::FxHashMap;

use posetta_base::{Number, OverBudget, Value, ValueId, ValueTable};
use posetta_logic::eval::{Notes, Values, condition_in};
use posetta_logic::{Atom, Atoms, Condition, Having, Slot, SlotKind};
use posetta_trace::Arrival;

/// The class of events that assign nothing that matters and satisfy no atom by themselves.
pub(super) const UNSEEN: u32 = 0;

/// A value for each variable.
pub(super) type State = Box<[ValueId]>;

/// What the events of a class have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Class {
    /// The values that they leave, by slot.
    pub(super) assigns: Vec<(Slot, ValueId)>,
    /// For each atom that the event decides, its truth.
    pub(super) decides: Vec<bool>,
}

/// What has to be known of a variable.
#[derive(Debug, Default)]
struct Role {
    /// Compared in states, or inside `on(..)` together with others.
    state: bool,
    /// Compared with other variables: its value matters.
    joint: bool,
    /// The comparisons with no other variable, in states.
    alone: Vec<Condition<Slot>>,
    /// The atoms `on(A)` of which this is the only variable: places among those that the event decides.
    on: Vec<(usize, Condition<Slot>)>,
}

/// What a value is to a property.
#[derive(Clone, Debug)]
struct Seen {
    stands_for: Option<ValueId>,
    /// Of the atoms `on(..)` of the variable.
    triggers: Box<[bool]>,
}

/// After so many values have been looked at, what is known of them is forgotten.
const FORGET: usize = 1 << 14;

/// The eyes of one property.
#[derive(Debug)]
pub(super) struct Sight {
    atoms: Vec<Atom<Slot>>,
    /// For each atom its place among those that the event decides.
    decided: Vec<Option<usize>>,
    names: Vec<(usize, String)>,
    having: Vec<(usize, Having)>,
    /// What the slots stand for.
    kinds: Vec<SlotKind>,
    processes: Vec<(usize, String)>,
    count: usize,
    roles: Vec<Role>,
    pub(super) values: ValueTable,
    /// The number 0.
    zero: ValueId,
    by_truth: FxHashMap<(Slot, Vec<bool>), ValueId>,
    seen: FxHashMap<(Slot, Value), Seen>,
    /// By the feed's number: the slot, once the name was looked up.
    slots: Vec<Option<Option<Slot>>>,
    pub(super) classes: Vec<Class>,
    ids: FxHashMap<Class, u32>,
    scratch: Class,
    /// A comparison divided by zero, and was therefore false.
    pub(super) divides_by_zero: Cell<bool>,
}

/// A state in which one variable has a value and the others 0.
pub(super) struct Single<'a>(pub(super) Slot, pub(super) &'a Value);

const ZERO: Value = Value::Number(Number::ZERO);

impl Values for Single<'_> {
    fn value(&self, slot: Slot) -> &Value {
        if slot == self.0 { self.1 } else { &ZERO }
    }
}

/// A state as it is stored.
pub(super) struct Stored<'a> {
    pub(super) values: &'a ValueTable,
    pub(super) state: &'a [ValueId],
}

impl Values for Stored<'_> {
    fn value(&self, slot: Slot) -> &Value {
        self.values.get(self.state[slot.0 as usize])
    }
}

/// A table with 0 in it.
fn empty() -> (ValueTable, ValueId) {
    let mut values = ValueTable::new();
    let zero = values.integer(0).expect("an empty table has room");
    (values, zero)
}

const FULL: OverBudget = OverBudget::new("remembering the values of variables", posetta_base::Limit::Memory);

impl Sight {
    pub(super) fn new(atoms: &Atoms) -> Self {
        let mut roles: Vec<Role> = atoms.variables().iter().map(|_| Role::default()).collect();
        let (values, zero) = empty();
        let mut sight = Self {
            atoms: atoms.atoms().to_vec(),
            decided: Vec::new(),
            names: Vec::new(),
            having: Vec::new(),
            processes: Vec::new(),
            kinds: atoms.kinds().to_vec(),
            count: 0,
            roles: Vec::new(),
            values,
            zero,
            by_truth: FxHashMap::default(),
            seen: FxHashMap::default(),
            slots: Vec::new(),
            classes: Vec::new(),
            ids: FxHashMap::default(),
            scratch: Class { assigns: Vec::new(), decides: Vec::new() },
            divides_by_zero: Cell::new(false),
        };
        for atom in atoms.atoms() {
            let place = sight.count;
            let slots = atom.slots();
            let decided = match (atom, &slots[..]) {
                (Atom::Event(name), _) => {
                    sight.names.push((place, name.clone()));
                    true
                }
                (Atom::Process(name), _) => {
                    sight.processes.push((place, name.clone()));
                    true
                }
                (Atom::Having(having), _) => {
                    sight.having.push((place, having.clone()));
                    true
                }
                // Refused before: never true.
                (Atom::Enabled(_) | Atom::On(_), []) => true,
                (_, slots) if slots.iter().any(|&slot| sight.now(slot) != slot) => {
                    for &slot in slots {
                        roles[sight.now(slot).0 as usize].state = true;
                        roles[sight.now(slot).0 as usize].joint = true;
                    }
                    false
                }
                (Atom::On(condition), [slot]) => {
                    roles[slot.0 as usize].on.push((place, condition.clone()));
                    true
                }
                (Atom::State(condition), [slot]) => {
                    roles[slot.0 as usize].state = true;
                    roles[slot.0 as usize].alone.push(condition.clone());
                    false
                }
                (Atom::State(_) | Atom::Step(_) | Atom::On(_) | Atom::Enabled(_), _) => {
                    for slot in &slots {
                        roles[slot.0 as usize].state = true;
                        roles[slot.0 as usize].joint = true;
                    }
                    false
                }
            };
            sight.decided.push(decided.then_some(place));
            sight.count += usize::from(decided);
        }
        sight.roles = roles;
        let unseen = Class { assigns: Vec::new(), decides: vec![false; sight.count] };
        sight.ids.insert(unseen.clone(), UNSEEN);
        sight.classes.push(unseen);
        sight
    }

    /// Whether variables are compared with each other.
    pub(super) fn has_joint(&self) -> bool {
        self.roles.iter().any(|role| role.joint)
    }

    /// How many values of variables and classes of events are remembered.
    pub(super) fn remembered(&self) -> usize {
        self.values.len() + self.classes.len()
    }

    /// About how many bytes the tables take.
    pub(super) fn bytes(&self) -> u64 {
        (self.values.len() * 64
            + self.seen.len() * 96
            + self.classes.len() * 2 * (64 + 16 * self.roles.len() + self.count)) as u64
    }

    /// The state with these values before any event.
    pub(super) fn initial(&mut self, value: impl Fn(usize) -> Value) -> Result<State, OverBudget> {
        let zero = self.zero;
        let mut state = vec![zero; self.roles.len()];
        for (i, stored) in state.iter_mut().enumerate() {
            if self.roles[i].state {
                let value = value(i);
                *stored = self.look(Slot(i as u32), &value)?.stands_for.unwrap_or(zero);
            }
        }
        Ok(state.into())
    }

    /// Whether two values of a variable are told apart by no state.
    pub(super) fn are_alike(&mut self, slot: Slot, a: &Value, b: &Value) -> Result<bool, OverBudget> {
        if self.roles[slot.0 as usize].joint {
            return Ok(false);
        }
        Ok(self.look(slot, a)?.stands_for == self.look(slot, b)?.stands_for)
    }

    /// What a value of a variable is to the property.
    fn look(&mut self, slot: Slot, value: &Value) -> Result<Seen, OverBudget> {
        // Looked up by a key that owns its value: small integers are copied, strings are short.
        let key = (slot, value.clone());
        if let Some(seen) = self.seen.get(&key) {
            return Ok(seen.clone());
        }
        let role = &self.roles[slot.0 as usize];
        let mut notes = Notes::default();
        let state = Single(slot, value);
        let mut triggers = Vec::with_capacity(role.on.len());
        for (_, condition) in &role.on {
            triggers.push(condition_in(condition, &state, &mut notes)?);
        }
        let stands_for = if role.joint {
            Some(self.values.intern(value.clone()).ok_or(FULL)?)
        } else if role.state {
            // What triggers tells values apart, too: it decides what may follow while the value is kept.
            let mut truth = triggers.clone();
            for condition in &role.alone {
                truth.push(condition_in(condition, &state, &mut notes)?);
            }
            Some(match self.by_truth.get(&(slot, truth.clone())) {
                Some(&known) => known,
                None => {
                    let id = self.values.intern(value.clone()).ok_or(FULL)?;
                    self.by_truth.insert((slot, truth), id);
                    id
                }
            })
        } else {
            None
        };
        if self.seen.len() >= FORGET {
            self.seen.clear();
        }
        self.note(notes);
        let seen = Seen { stands_for, triggers: triggers.into() };
        self.seen.insert(key, seen.clone());
        Ok(seen)
    }

    /// The slot of a variable that the feed calls so.
    pub(super) fn slot(&mut self, var: usize, name: &str, atoms: &Atoms) -> Option<Slot> {
        if self.slots.len() <= var {
            self.slots.resize(var + 1, None);
        }
        *self.slots[var].get_or_insert_with(|| atoms.slot(name))
    }

    /// The class of an event.
    pub(super) fn class(&mut self, event: &Arrival<'_>, atoms: &Atoms) -> Result<u32, OverBudget> {
        let mut class = std::mem::replace(&mut self.scratch, Class { assigns: Vec::new(), decides: Vec::new() });
        class.assigns.clear();
        class.decides.clear();
        class.decides.resize(self.count, false);
        for assigned in event.assigned {
            let Some(slot) = self.slot(assigned.var.index(), assigned.name, atoms) else { continue };
            let seen = self.look(slot, assigned.value)?;
            class.assigns.extend(seen.stands_for.map(|value| (slot, value)));
            for ((place, _), &triggered) in self.roles[slot.0 as usize].on.iter().zip(&seen.triggers) {
                class.decides[*place] = triggered;
            }
        }
        for (place, name) in &self.names {
            class.decides[*place] = event.name == Some(name);
        }
        for (place, having) in &self.having {
            class.decides[*place] = having.is_true_of(event.name, event.attributes, None);
        }
        for (place, name) in &self.processes {
            class.decides[*place] = event.process_name == name;
        }
        class.assigns.sort_unstable();
        let id = match self.ids.get(&class) {
            Some(&id) => id,
            None => {
                let id = self.classes.len() as u32;
                self.ids.insert(class.clone(), id);
                self.classes.push(class.clone());
                id
            }
        };
        self.scratch = class;
        Ok(id)
    }

    /// The slot of the same variable at this position.
    fn now(&self, slot: Slot) -> Slot {
        match self.kinds[slot.0 as usize] {
            SlotKind::Before(now) => now,
            SlotKind::Now | SlotKind::Key => slot,
        }
    }

    /// The truth of every atom after an event of a class that leads from one state to another, or at the start.
    pub(super) fn letter(
        &self,
        before: &[ValueId],
        state: &[ValueId],
        class: Option<u32>,
    ) -> Result<Vec<bool>, OverBudget> {
        let class = class.map(|c| &self.classes[c as usize]);
        let mut between = None;
        for (i, kind) in self.kinds.iter().enumerate() {
            if let SlotKind::Before(now) = kind {
                between.get_or_insert_with(|| state.to_vec())[i] = before[now.0 as usize];
            }
        }
        let state = between.as_deref().unwrap_or(state);
        let stored = Stored { values: &self.values, state };
        let mut notes = Notes::default();
        let mut letter = Vec::with_capacity(self.atoms.len());
        for (atom, decided) in self.atoms.iter().zip(&self.decided) {
            letter.push(match (decided, atom, class) {
                (Some(_), _, None) => false,
                (Some(place), _, Some(class)) => class.decides[*place],
                (None, Atom::State(c) | Atom::Step(c), _) => condition_in(c, &stored, &mut notes)?,
                (None, Atom::On(c), Some(class)) => {
                    self.assigns_some(class, atom) && condition_in(c, &stored, &mut notes)?
                }
                _ => false,
            });
        }
        self.note(notes);
        Ok(letter)
    }

    fn note(&self, notes: Notes) {
        self.divides_by_zero.set(self.divides_by_zero.get() || notes.division_by_zero);
    }

    fn assigns_some(&self, class: &Class, atom: &Atom<Slot>) -> bool {
        atom.slots().iter().any(|&slot| class.assigns.iter().any(|(s, _)| *s == self.now(slot)))
    }

    /// A state after an event of a class in which only what the event assigns is meant.
    pub(super) fn state_after(&self, class: u32) -> State {
        let mut state = vec![self.zero; self.roles.len()];
        let class = &self.classes[class as usize];
        class.assigns.iter().for_each(|&(slot, value)| state[slot.0 as usize] = value);
        state.into()
    }

    /// Whether events of a class assign a variable; `None` if its state does not matter.
    pub(super) fn assigns(&self, class: u32, slot: Slot) -> Option<bool> {
        let assigns = || self.classes[class as usize].assigns.iter().any(|(assigned, _)| *assigned == slot);
        self.roles[slot.0 as usize].state.then(assigns)
    }

    /// What is known of every atom after an event of a class, whatever the values before it.
    pub(super) fn known(&self, class: u32) -> Result<Vec<Option<bool>>, OverBudget> {
        let stored = Stored { values: &self.values, state: &self.state_after(class) };
        let assigned = |slot: Slot| self.assigns(class, slot) == Some(true);
        let class = &self.classes[class as usize];
        let mut known = Vec::with_capacity(self.atoms.len());
        for (atom, decided) in self.atoms.iter().zip(&self.decided) {
            known.push(match (decided, atom) {
                (Some(place), _) => Some(class.decides[*place]),
                (None, Atom::On(_)) if !self.assigns_some(class, atom) => Some(false),
                (None, Atom::State(c) | Atom::Step(c) | Atom::On(c)) => as_far_as_known(c, &stored, &assigned)?,
                (None, Atom::Event(_) | Atom::Having(_) | Atom::Process(_) | Atom::Enabled(_)) => None,
            });
        }
        Ok(known)
    }

    /// Forgets all values and classes but those in use: `states` and `classes` are renamed.
    pub(super) fn forget(&mut self, states: &mut [State], classes: &mut [u32]) -> Result<(), OverBudget> {
        let (values, zero) = empty();
        let old_values = std::mem::replace(&mut self.values, values);
        self.zero = zero;
        let old_classes = std::mem::take(&mut self.classes);
        self.by_truth.clear();
        self.seen.clear();
        self.ids.clear();
        let unseen = old_classes[UNSEEN as usize].clone();
        self.ids.insert(unseen.clone(), UNSEEN);
        self.classes.push(unseen);
        for state in states {
            for (i, value) in state.iter_mut().enumerate() {
                let slot = Slot(i as u32);
                *value = match self.roles[i].state {
                    true => self.look(slot, old_values.get(*value))?.stands_for.unwrap_or(zero),
                    false => zero,
                };
            }
        }
        for id in classes {
            let mut class = old_classes[*id as usize].clone();
            for (slot, value) in &mut class.assigns {
                *value = self.look(*slot, old_values.get(*value))?.stands_for.unwrap_or(zero);
            }
            class.assigns.sort_unstable();
            let fresh = self.classes.len() as u32;
            *id = *self.ids.entry(class).or_insert_with_key(|class| {
                self.classes.push(class.clone());
                fresh
            });
        }
        Ok(())
    }
}

/// The truth of a condition where only some of its variables are known (Kleene 1938).
fn as_far_as_known(
    condition: &Condition<Slot>,
    state: &Stored<'_>,
    known: &impl Fn(Slot) -> bool,
) -> Result<Option<bool>, OverBudget> {
    let inner = |c: &Condition<Slot>| as_far_as_known(c, state, known);
    let all = |parts: &[Condition<Slot>], neutral: bool| -> Result<Option<bool>, OverBudget> {
        let mut result = Some(neutral);
        for part in parts {
            match inner(part)? {
                Some(truth) if truth == neutral => {}
                Some(_) => return Ok(Some(!neutral)),
                None => result = None,
            }
        }
        Ok(result)
    };
    Ok(match condition {
        Condition::Not(c) => inner(c)?.map(|truth| !truth),
        Condition::And(cs) => all(cs, true)?,
        Condition::Or(cs) => all(cs, false)?,
        Condition::Implies(a, b) => match (inner(a)?, inner(b)?) {
            (Some(false), _) | (_, Some(true)) => Some(true),
            (Some(true), b) => b,
            (None, _) => None,
        },
        Condition::Iff(a, b) => inner(a)?.zip(inner(b)?).map(|(a, b)| a == b),
        Condition::True | Condition::False | Condition::Compare(..) | Condition::Nonzero(_) => {
            let mut all_known = true;
            condition.for_each_var(&mut |&slot| all_known &= known(slot));
            all_known.then(|| condition_in(condition, state, &mut Notes::default())).transpose()?
        }
    })
}
