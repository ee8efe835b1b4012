//! Sums of slots with exact factors, on their way to a condition.

use std::collections::BTreeMap;

use super::Predicate;
use posetta_logic::Compare;

/// What [`Predicate::Linear`] can calculate with.
const LARGEST: i128 = 1 << 62;

/// A number on the way is past 2^62.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// (sum of slots times factors + constant) / denominator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Linear {
    /// No factor is 0.
    factors: BTreeMap<u32, i128>,
    constant: i128,
    /// At least 1.
    over: i128,
}

fn fits(n: i128) -> Result<i128, TooLarge> {
    if n.abs() <= LARGEST { Ok(n) } else { Err(TooLarge) }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

impl Linear {
    /// A number: numerator and positive denominator.
    pub(crate) fn constant(above: i64, over: i64) -> Result<Self, TooLarge> {
        let (constant, over) = (fits(i128::from(above))?, fits(i128::from(over))?);
        Ok(Self { factors: BTreeMap::new(), constant, over })
    }

    /// What is in a slot.
    pub(crate) fn slot(slot: u32) -> Self {
        Self { factors: BTreeMap::from([(slot, 1)]), constant: 0, over: 1 }
    }

    /// The sum of slots, which may come several times.
    pub(crate) fn sum(slots: Vec<u32>) -> Result<Self, TooLarge> {
        let mut factors: BTreeMap<u32, i128> = BTreeMap::new();
        for slot in slots {
            *factors.entry(slot).or_default() += 1;
        }
        Self { factors, constant: 0, over: 1 }.shortened()
    }

    /// Its value, if it depends on no slot: numerator and denominator.
    pub(crate) fn value(&self) -> Option<(i128, i128)> {
        self.factors.is_empty().then_some((self.constant, self.over))
    }

    /// Times a number.
    pub(crate) fn scaled(&self, above: i128, over: i128) -> Result<Self, TooLarge> {
        // Numbers that fit have products that fit 128 bits.
        let (above, over) = (fits(above)?, fits(over)?);
        let mut factors = BTreeMap::new();
        for (&slot, &factor) in &self.factors {
            if above != 0 {
                factors.insert(slot, factor * above);
            }
        }
        Self { factors, constant: self.constant * above, over: self.over * over }.shortened()
    }

    /// The sum of two.
    pub(crate) fn plus(&self, other: &Self) -> Result<Self, TooLarge> {
        let common = gcd(self.over, other.over);
        let (mine, theirs) = (other.over / common, self.over / common);
        let over = self.over * mine;
        // Each product is below 2^124, and so is twice that below 2^127.
        let mut factors: BTreeMap<u32, i128> = self.factors.iter().map(|(&slot, &f)| (slot, f * mine)).collect();
        for (&slot, &factor) in &other.factors {
            *factors.entry(slot).or_default() += factor * theirs;
        }
        factors.retain(|_, factor| *factor != 0);
        Self { factors, constant: self.constant * mine + other.constant * theirs, over }.shortened()
    }

    /// Adds another one in place, or takes it away. Where neither has a denominator this costs only as much as the other one has slots.
    pub(crate) fn add(&mut self, other: &Self, sign: i128) -> Result<(), TooLarge> {
        if self.over != 1 || other.over != 1 {
            *self = self.plus(&other.scaled(sign, 1)?)?;
            return Ok(());
        }
        for (&slot, &factor) in &other.factors {
            let sum = self.factors.entry(slot).or_default();
            *sum = fits(*sum + sign * factor)?;
            if *sum == 0 {
                self.factors.remove(&slot);
            }
        }
        self.constant = fits(self.constant + sign * other.constant)?;
        Ok(())
    }

    fn shortened(mut self) -> Result<Self, TooLarge> {
        let common = self.factors.values().fold(gcd(self.constant, self.over), |g, &f| gcd(g, f));
        if common > 1 {
            self.factors.values_mut().for_each(|f| *f /= common);
            self.constant /= common;
            self.over /= common;
        }
        for &n in self.factors.values().chain([&self.constant, &self.over]) {
            fits(n)?;
        }
        Ok(self)
    }

    /// `self op other`.
    pub(crate) fn compare(&self, op: Compare, other: &Self) -> Result<Predicate, TooLarge> {
        let difference = self.plus(&other.scaled(-1, 1)?)?;
        // The denominator is positive, so that it can be left out.
        let narrow = |n: i128| i64::try_from(n).map_err(|_| TooLarge);
        let bound = narrow(-difference.constant)?;
        if difference.factors.is_empty() {
            let truth = match op {
                Compare::Eq => 0 == bound,
                Compare::Ne => 0 != bound,
                Compare::Lt => 0 < bound,
                Compare::Le => 0 <= bound,
                Compare::Gt => 0 > bound,
                Compare::Ge => 0 >= bound,
            };
            return Ok(Predicate::Constant(truth));
        }
        let terms: Result<Vec<(u32, i64)>, TooLarge> =
            difference.factors.into_iter().map(|(slot, factor)| Ok((slot, narrow(factor)?))).collect();
        Ok(Predicate::Linear(terms?, op, bound))
    }
}
