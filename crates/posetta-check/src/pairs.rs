//! Instances for every two values: `foreach a, b in values(message)`.
//!
//! The pairs are those of a value with itself and with each that comes later in the run, so that one value alone is one pair. An instance
//! reads the run projected on the events of both. Which of its events are about which value is put into the atoms that ask for it; the rest
//! is bound once. An instance costs its own events, beside a set of bits for each such atom; there are as many as the square of the values.

use rustc_hash::FxHashMap;

use super::tie::Tied;
use posetta_base::{Budget, EventId, OverBudget, Value};
use posetta_logic::{Atom, Having, Operand};
use posetta_trace::{Column, Projections, Times, Trace};

/// How many pairs so many values have.
pub(super) fn count(values: usize) -> usize {
    values.saturating_mul(values.saturating_add(1)) / 2
}

/// The values of a pair by its number: first those with the first value, and so on.
pub(super) fn pair(number: usize, values: usize) -> (usize, usize) {
    // The number of pairs before those of a first value grows with it.
    let before = |first: usize| count(values) - count(values - first);
    let (mut low, mut high) = (0, values);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if before(middle) <= number { low = middle } else { high = middle }
    }
    (low, low + number - before(low))
}

/// What the instances of a property on a run share.
pub(super) struct Pairs {
    /// The name of the second value.
    second: String,
    times: Times,
    /// The attributes that are asked for together with one of the values.
    columns: FxHashMap<String, Option<Column>>,
    /// How many events the whole run has.
    total: usize,
}

impl Pairs {
    pub(super) fn new(trace: &Trace, second: &str, tied: &Tied<'_>, budget: &Budget) -> Result<Self, OverBudget> {
        let mut columns = FxHashMap::default();
        for atom in tied.atoms() {
            if let Atom::Having(having) = atom
                && having.mentions_key()
            {
                for test in &having.tests {
                    columns.entry(test.attribute.clone()).or_insert_with_key(|name| trace.column(name));
                }
            }
        }
        Ok(Self { second: second.to_owned(), times: Times::new(trace, budget)?, columns, total: trace.len() })
    }

    /// The run projected on two values.
    pub(super) fn trace(
        &self,
        projections: &Projections<'_>,
        (a, b): (usize, usize),
        budget: &Budget,
    ) -> Result<Trace, OverBudget> {
        if a == b { projections.trace(a, budget) } else { projections.two((a, b), &self.times, budget) }
    }

    /// The formula about two values, on the run projected on them.
    pub(super) fn tied<'p>(&self, tied: &Tied<'p>, trace: &Trace, values: (&Value, &Value)) -> Tied<'p> {
        tied.with_atoms(&|atom| match atom {
            Atom::Having(having) if having.mentions_key() => {
                let own = trace.events().filter(|&event| self.is_true(having, trace, event, values));
                Atom::Having(having.found_in(self.total, own.map(|event| trace.origin(event))))
            }
            other => other.clone(),
        })
    }

    fn is_true(&self, having: &Having, trace: &Trace, event: EventId, (a, b): (&Value, &Value)) -> bool {
        let origin = trace.origin(event);
        let named = having.name.as_deref().is_none_or(|name| trace.event_name(event) == Some(name));
        named
            && having.tests.iter().all(|test| {
                let value = self.columns.get(&test.attribute).and_then(Option::as_ref).and_then(|c| c.value(origin));
                let key = match &test.with {
                    Operand::Key(name) if *name == self.second => b,
                    _ => a,
                };
                test.passes(value, Some(key))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_has_a_number() {
        for values in 0..9 {
            let expected: Vec<_> = (0..values).flat_map(|a| (a..values).map(move |b| (a, b))).collect();
            let found: Vec<_> = (0..count(values)).map(|number| pair(number, values)).collect();
            assert_eq!(found, expected);
        }
        let many = 1 << 31;
        assert_eq!(pair(count(many) - 1, many), (many - 1, many - 1));
    }
}
