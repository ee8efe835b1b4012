//! What an atom says about the attributes of an event: `event(put, key == "a", size > 10)`.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::atom::{Compare, Spot};
use posetta_base::{Attributes, EventId, Value};

/// `event(name, test, …)`, or `event(*, test, …)` for an event of any name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Having {
    /// The name of the event, if it matters.
    pub name: Option<String>,
    /// All of them must be true.
    pub tests: Vec<Test>,
    /// Once it is bound to a trace: where it is true.
    pub found: Found,
}

/// A comparison of an attribute.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Test {
    /// The name of the attribute; a dot leads into an object.
    pub attribute: String,
    /// Where it was written.
    pub spot: Spot,
    /// How it is compared.
    pub op: Compare,
    /// With what.
    pub with: Operand,
}

/// What an attribute is compared with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A value.
    Value(Value),
    /// `$k`: the value that an instance of the property is about.
    Key(String),
}

impl Test {
    /// Whether an attribute passes, given the value that the instance is about. One that is missing does not, and what is not a number
    /// passes no comparison by size.
    #[must_use]
    pub fn passes(&self, value: Option<&Value>, key: Option<&Value>) -> bool {
        let with = match &self.with {
            Operand::Value(with) => Some(with),
            Operand::Key(_) => key,
        };
        let (Some(value), Some(with)) = (value, with) else { return false };
        match self.op {
            Compare::Eq => value == with,
            Compare::Ne => value != with,
            op => match (value, with) {
                (Value::Number(a), Value::Number(b)) => match op {
                    Compare::Lt => a < b,
                    Compare::Le => a <= b,
                    Compare::Gt => a > b,
                    _ => a >= b,
                },
                _ => false,
            },
        }
    }
}

impl Having {
    /// One that is not bound to a trace.
    #[must_use]
    pub fn new(name: Option<String>, tests: Vec<Test>) -> Self {
        Self { name, tests, found: Found::default() }
    }

    /// The same about a value, where it speaks of the one that an instance is about.
    pub(super) fn about(&self, value: &Value) -> Self {
        let test = |test: &Test| match test.with {
            Operand::Key(_) => Test { with: Operand::Value(value.clone()), ..test.clone() },
            Operand::Value(_) => test.clone(),
        };
        Self::new(self.name.clone(), self.tests.iter().map(test).collect())
    }

    /// Whether it speaks of a value that an instance is about.
    #[must_use]
    pub fn mentions_key(&self) -> bool {
        self.tests.iter().any(|test| matches!(test.with, Operand::Key(_)))
    }

    /// The same, bound to some events of a trace of so many: those of them of which it is true.
    #[must_use]
    pub fn found_in(&self, total: usize, events: impl Iterator<Item = EventId>) -> Self {
        let mut bits = vec![0_u64; total.div_ceil(64)];
        events.for_each(|event| bits[event.index() / 64] |= 1 << (event.index() % 64));
        Self { found: Found(Some(bits.into())), ..self.clone() }
    }

    /// Whether an event with this name and these attributes is one, given the value that the instance is about.
    #[must_use]
    pub fn is_true_of(&self, name: Option<&str>, attributes: Attributes<'_>, key: Option<&Value>) -> bool {
        let named = self.name.as_deref().is_none_or(|wanted| name == Some(wanted));
        named && self.tests.iter().all(|test| test.passes(attributes.get(&test.attribute), key))
    }
}

/// The events of a trace of which something is true, if somebody has looked. It follows from what is said, so all are equal.
#[derive(Clone, Debug, Default)]
pub struct Found(Option<Arc<[u64]>>);

impl PartialEq for Found {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Found {}

impl Hash for Found {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl Found {
    /// Looks at every event of a trace.
    pub(super) fn among(events: impl ExactSizeIterator<Item = EventId>, is_true: impl Fn(EventId) -> bool) -> Self {
        let mut bits = vec![0_u64; events.len().div_ceil(64)];
        for event in events {
            if is_true(event) {
                bits[event.index() / 64] |= 1 << (event.index() % 64);
            }
        }
        Self(Some(bits.into()))
    }

    /// Whether it is true of an event of the trace that was looked at.
    #[must_use]
    #[inline]
    pub fn has(&self, event: EventId) -> bool {
        self.0.as_ref().is_some_and(|bits| bits[event.index() / 64] >> (event.index() % 64) & 1 == 1)
    }

    /// Whether it is true of some event.
    #[must_use]
    pub fn any(&self) -> bool {
        self.0.as_ref().is_some_and(|bits| bits.iter().any(|word| *word != 0))
    }
}
