//! What the variables of a property must be.

use posetta_base::{Diagnostic, Kind, Span, Value};
use posetta_logic::{Atoms, Condition, Property, Slot, SlotKind, Term, for_each_number};

/// What is known of each variable.
#[derive(Debug)]
pub(super) struct Types {
    /// Where and why it must be a number.
    numbers: Vec<Option<(Span, &'static str)>>,
    /// It is compared with strings only.
    texts: Vec<bool>,
}

impl Types {
    pub(super) fn new(property: &Property, atoms: &Atoms) -> Self {
        let count = atoms.variables().len();
        let mut types = Self { numbers: vec![None; count], texts: vec![false; count] };
        property.formula.for_each_atom(|atom| {
            let Some(condition) = atom.condition() else { return };
            for_each_number(condition, &mut |var, why| {
                let key =
                    || atoms.kinds().iter().position(|kind| *kind == SlotKind::Key).map(|place| Slot(place as u32));
                let slot = if var.is_of_trace() { atoms.slot(&var.name) } else { key() };
                if let Some(Slot(slot)) = slot {
                    types.numbers[slot as usize].get_or_insert((var.spot.0, why));
                }
            });
        });
        let mut others = vec![false; count];
        for atom in atoms.atoms() {
            if let Some(condition) = atom.condition() {
                compared(condition, &mut types.texts, &mut others);
            }
        }
        // What is said of a value before is said of the variable.
        for (i, kind) in atoms.kinds().iter().enumerate() {
            if let SlotKind::Before(Slot(now)) = kind {
                types.texts[*now as usize] |= types.texts[i];
                others[*now as usize] |= others[i];
            }
        }
        for (text, other) in types.texts.iter_mut().zip(others) {
            *text &= !other;
        }
        types
    }

    pub(super) fn is_text(&self, slot: Slot) -> bool {
        self.texts[slot.0 as usize]
    }

    /// What is wrong with a value, if anything.
    pub(super) fn mistake(&self, property: &Property, slot: Slot, value: &Value, when: &str) -> Option<Diagnostic> {
        let (Value::Text(_), Some((span, why))) = (value, self.numbers[slot.0 as usize]) else { return None };
        let mistake = property.mistake(Kind::Type, span, why).label(format!("it is {value} {when}"));
        Some(mistake.help("compare it with `==` or `!=`; of a waveform, --unknown 0 reads x and z as 0"))
    }
}

/// Marks the variables that are compared with strings, and those that are compared with anything else.
fn compared(condition: &Condition<Slot>, texts: &mut [bool], others: &mut [bool]) {
    match condition {
        Condition::True | Condition::False => {}
        Condition::Compare(_, Term::Var(slot), Term::Text(..))
        | Condition::Compare(_, Term::Text(..), Term::Var(slot)) => {
            texts[slot.0 as usize] = true;
        }
        Condition::Compare(_, a, b) => {
            for term in [a, b] {
                term.for_each_var(&mut |slot| others[slot.0 as usize] = true);
            }
        }
        Condition::Nonzero(term) => term.for_each_var(&mut |slot| others[slot.0 as usize] = true),
        Condition::Not(c) => compared(c, texts, others),
        Condition::And(cs) | Condition::Or(cs) => cs.iter().for_each(|c| compared(c, texts, others)),
        Condition::Implies(a, b) | Condition::Iff(a, b) => {
            compared(a, texts, others);
            compared(b, texts, others);
        }
    }
}
