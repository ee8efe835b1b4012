//! What the attributes of an event can be, as far as atoms can tell.
//!
//! Of one attribute only its comparisons with constants matter: it is one of the constants, lies between two of them, is another string, or is
//! missing. Attributes are independent of each other, and nothing of them is kept from one event to the next. What is compared with the
//! value that an instance is about may be either.

use std::collections::BTreeMap;

use crate::having::{Operand, Test};
use crate::{Atom, Compare, Slot};
use posetta_base::{Budget, Number, OverBudget, Value};

/// Attributes of an event.
#[derive(Clone, Debug)]
pub(super) struct Attributes {
    /// Those that it has.
    pub(super) values: Vec<(String, Value)>,
    /// For each atom about attributes, whether they pass its tests.
    pub(super) passes: Vec<bool>,
}

/// How a value can compare with the one that an instance is about: they are equal strings or numbers, it is less or greater, or different
/// and not both are numbers.
const RELATIONS: [&[Compare]; 5] = [
    &[Compare::Eq],
    &[Compare::Eq, Compare::Le, Compare::Ge],
    &[Compare::Ne, Compare::Lt, Compare::Le],
    &[Compare::Ne, Compare::Gt, Compare::Ge],
    &[Compare::Ne],
];

/// Every combination that atoms can tell apart, at least one.
pub(super) fn cases(atoms: &[Atom<Slot>], budget: &Budget) -> Result<Vec<Attributes>, OverBudget> {
    let mut by_attribute: BTreeMap<&str, Vec<(usize, &Test)>> = BTreeMap::new();
    for (i, atom) in atoms.iter().enumerate() {
        if let Atom::Having(having) = atom {
            having.tests.iter().for_each(|test| by_attribute.entry(&test.attribute).or_default().push((i, test)));
        }
    }
    let mut all = vec![Attributes { values: Vec::new(), passes: vec![true; atoms.len()] }];
    let mut claim = budget.claim(0, super::WHAT)?;
    for (attribute, tests) in by_attribute {
        let mut longer: BTreeMap<Vec<bool>, Vec<(String, Value)>> = BTreeMap::new();
        let values = values(&tests);
        let mut keys: Vec<&String> = Vec::new();
        for (_, test) in &tests {
            match &test.with {
                Operand::Key(name) if !keys.contains(&name) => keys.push(name),
                Operand::Key(_) | Operand::Value(_) => {}
            }
        }
        // One for each value that an instance is about, in all combinations: of which there are at most two.
        let mut relations: Vec<Vec<&[Compare]>> = vec![Vec::new()];
        for _ in &keys {
            relations = relations
                .iter()
                .flat_map(|known| RELATIONS.iter().map(|next| known.iter().chain([next]).copied().collect()))
                .collect();
        }
        for before in &all {
            for value in &values {
                for relations in &relations {
                    budget.step(1, super::WHAT)?;
                    let mut passes = before.passes.clone();
                    for (atom, test) in &tests {
                        passes[*atom] &= match &test.with {
                            Operand::Value(_) => test.passes(value.as_ref(), None),
                            Operand::Key(name) => {
                                let place = keys.iter().position(|key| *key == name).expect("gathered from the tests");
                                value.is_some() && relations[place].contains(&test.op)
                            }
                        };
                    }
                    longer.entry(passes).or_insert_with(|| {
                        let own = value.clone().map(|value| (attribute.to_owned(), value));
                        before.values.iter().cloned().chain(own).collect()
                    });
                }
            }
        }
        claim.grow_to((longer.len() * (atoms.len() + 128)) as u64, super::WHAT)?;
        all = longer.into_iter().map(|(passes, values)| Attributes { values, passes }).collect();
    }
    Ok(all)
}

/// One value for each way in which an attribute can be compared; `None` is a missing one.
fn values(tests: &[(usize, &Test)]) -> Vec<Option<Value>> {
    let mut numbers: Vec<Number> = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    for (_, test) in tests {
        match &test.with {
            Operand::Value(Value::Number(n)) => numbers.push(n.clone()),
            Operand::Value(Value::Text(text)) => texts.push(text.clone()),
            Operand::Key(_) => {}
        }
    }
    numbers.sort();
    numbers.dedup();
    texts.sort();
    texts.dedup();
    let mut other = "other".to_owned();
    while texts.contains(&other) {
        other.push('\'');
    }
    let by_size = tests.iter().any(|(_, test)| !matches!(test.op, Compare::Eq | Compare::Ne));
    let mut between = Vec::new();
    let one = Number::from(1);
    if by_size {
        between.extend(numbers.first().and_then(|least| least.sub(&one).ok()));
        let two = Number::from(2);
        between.extend(numbers.windows(2).filter_map(|pair| pair[0].add(&pair[1]).ok()?.div(&two).ok()));
        between.extend(numbers.last().and_then(|most| most.add(&one).ok()));
    }
    let numbers = numbers.into_iter().chain(between).map(Value::Number);
    let texts = texts.into_iter().chain([other]).map(Value::Text);
    [None].into_iter().chain(numbers.chain(texts).map(Some)).collect()
}
