//! Which values an expression can have: a bound, found from its operands.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Domain, Op, Role, Value, Variable};

/// The values that an expression can have, at most, and what it is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Type {
    /// A truth value.
    pub(crate) truths: bool,
    /// A number between these, both included.
    pub(crate) numbers: Option<(i128, i128)>,
    /// One of these symbols.
    pub(crate) symbols: Option<Arc<BTreeSet<Arc<str>>>>,
    /// It stands for any of several values.
    pub(crate) set: bool,
    /// It reads the next state.
    pub(crate) next: bool,
    /// It reads an input.
    pub(crate) input: bool,
    /// It may have no value in some states.
    pub(crate) partial: bool,
}

impl Type {
    pub(crate) fn truth() -> Self {
        Self { truths: true, ..Self::default() }
    }

    pub(crate) fn number(lo: i128, hi: i128) -> Self {
        Self { numbers: Some((lo, hi)), ..Self::default() }
    }

    pub(crate) fn of_value(value: &Value) -> Self {
        match value {
            Value::Bool(_) => Self::truth(),
            Value::Int(i) => Self::number(i128::from(*i), i128::from(*i)),
            Value::Symbol(s) => Self { symbols: Some(Arc::new([s.clone()].into())), ..Self::default() },
        }
    }

    pub(crate) fn of_variable(variable: &Variable) -> Self {
        let mut found = match &variable.domain {
            Domain::Bool => Self::truth(),
            Domain::Range(lo, hi) => Self::number(i128::from(*lo), i128::from(*hi)),
            Domain::Choice(values) => {
                let symbols: BTreeSet<Arc<str>> = values
                    .iter()
                    .filter_map(|v| match v {
                        Value::Symbol(s) => Some(s.clone()),
                        _ => None,
                    })
                    .collect();
                let mut found = Self::default();
                for i in values.iter().filter_map(Value::as_int) {
                    found.numbers = hull(found.numbers, Some((i128::from(i), i128::from(i))));
                }
                found.symbols = (!symbols.is_empty()).then(|| Arc::new(symbols));
                found
            }
        };
        found.input = variable.role == Role::Input;
        found
    }

    /// Only a truth value.
    pub(crate) fn is_truth(&self) -> bool {
        self.truths && self.numbers.is_none() && self.symbols.is_none()
    }

    /// Between which numbers it is, if it is always one; truth values are 0 and 1.
    pub(crate) fn as_numbers(&self) -> Option<(i128, i128)> {
        if self.symbols.is_some() { None } else { self.number_part() }
    }

    fn number_part(&self) -> Option<(i128, i128)> {
        hull(self.numbers, self.truths.then_some((0, 1)))
    }

    /// Whether some value may be one of both.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let numbers = match (self.number_part(), other.number_part()) {
            (Some(a), Some(b)) => a.0 <= b.1 && b.0 <= a.1,
            _ => false,
        };
        let symbols = match (&self.symbols, &other.symbols) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a.intersection(b).next().is_some(),
            _ => false,
        };
        numbers || symbols
    }

    /// Takes over what `other` is made of.
    pub(crate) fn contain(&mut self, other: &Self) {
        self.next |= other.next;
        self.input |= other.input;
        self.partial |= other.partial;
    }

    /// Adds the values of `other`.
    pub(crate) fn join(&mut self, other: &Self) {
        self.truths |= other.truths;
        self.numbers = hull(self.numbers, other.numbers);
        self.set |= other.set;
        match (&mut self.symbols, &other.symbols) {
            (_, None) => {}
            (mine @ None, Some(theirs)) => *mine = Some(theirs.clone()),
            (Some(mine), Some(theirs)) => {
                if !Arc::ptr_eq(mine, theirs) && !theirs.is_subset(mine) {
                    Arc::make_mut(mine).extend(theirs.iter().cloned());
                }
            }
        }
        self.contain(other);
    }

    /// What it is, for a person.
    pub(crate) fn describe(&self) -> String {
        if self.set {
            return "this is a set".to_owned();
        }
        let mut parts = Vec::new();
        if self.truths {
            parts.push("a truth value".to_owned());
        }
        match self.numbers {
            Some((lo, hi)) if lo == hi => parts.push(format!("the number {lo}")),
            Some((lo, hi)) => parts.push(format!("a number from {lo} to {hi}")),
            None => {}
        }
        if let Some(symbols) = &self.symbols {
            let mut shown: Vec<String> = symbols.iter().take(6).map(|s| format!("`{s}`")).collect();
            if symbols.len() > shown.len() {
                shown.push("…".to_owned());
            }
            let one = if symbols.len() == 1 { "the symbol " } else { "one of " };
            parts.push(format!("{one}{}", shown.join(", ")));
        }
        if parts.is_empty() { "this has no value".to_owned() } else { format!("this is {}", parts.join(" or ")) }
    }
}

fn hull(a: Option<(i128, i128)>, b: Option<(i128, i128)>) -> Option<(i128, i128)> {
    match (a, b) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (one, None) | (None, one) => one,
    }
}

fn around(values: &[i128]) -> (i128, i128) {
    values.iter().fold((i128::MAX, i128::MIN), |(lo, hi), &v| (lo.min(v), hi.max(v)))
}

/// Between which numbers the result of arithmetic is. All bounds fit 64 bits, so nothing here overflows.
pub(super) fn interval(op: Op, a: (i128, i128), b: (i128, i128)) -> (i128, i128) {
    match op {
        Op::Sub => (a.0 - b.1, a.1 - b.0),
        Op::Mul => around(&[a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1]),
        Op::Div => {
            let divisors = [b.0, b.1, -1, 1].into_iter().filter(|&d| d != 0 && b.0 <= d && d <= b.1);
            let found: Vec<i128> = divisors.flat_map(|d| [a.0 / d, a.1 / d]).collect();
            if found.is_empty() { (0, 0) } else { around(&found) }
        }
        Op::Mod => {
            let most = (b.0.abs().max(b.1.abs()) - 1).max(0);
            (-(-a.0).clamp(0, most), a.1.clamp(0, most))
        }
        _ => (a.0 + b.0, a.1 + b.1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_hold_every_result_and_their_ends_are_reached_by_sums_and_products() {
        let ranges = [(-3, 5), (0, 0), (-4, -2), (1, 3), (-1, 1), (2, 2)];
        for op in [Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Mod] {
            for a in ranges {
                for b in ranges {
                    let (lo, hi) = interval(op, a, b);
                    let mut seen = Vec::new();
                    for x in a.0..=a.1 {
                        for y in b.0..=b.1 {
                            seen.extend(match op {
                                Op::Add => Some(x + y),
                                Op::Sub => Some(x - y),
                                Op::Mul => Some(x * y),
                                Op::Div if y != 0 => Some(x / y),
                                Op::Mod if y != 0 => Some(x % y),
                                _ => None,
                            });
                        }
                    }
                    assert!(seen.iter().all(|v| lo <= *v && *v <= hi), "{op:?} {a:?} {b:?}: {lo}..{hi}, {seen:?}");
                    if op != Op::Mod && !seen.is_empty() {
                        assert_eq!((lo, hi), around(&seen), "{op:?} {a:?} {b:?}");
                    }
                }
            }
        }
    }
}
