//! Do linear conditions on numbers that are not negative contradict each other? Exactly, or not at all.
//!
//! The general simplex method (Dutertre and de Moura 2006) without bounds from above: every row says what a number is, in terms of numbers that are
//! zero at the moment. A row that is negative and has no number that could make it larger is a contradiction (Farkas 1902). Of several choices
//! the first is taken, so that it comes to an end (Bland 1977). Fractions of 128 bits; where one does not fit there is no answer.

use std::ops::Range;

/// A fraction in lowest terms, its denominator positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ratio {
    over: i128,
    under: i128,
}

fn divisor(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a as i128
}

impl Ratio {
    pub(super) const ZERO: Self = Self { over: 0, under: 1 };
    pub(super) const ONE: Self = Self { over: 1, under: 1 };

    pub(super) fn whole(over: i128) -> Self {
        Self { over, under: 1 }
    }

    fn new(over: i128, under: i128) -> Option<Self> {
        // So the divisor has room, and a sign can be changed.
        if over == i128::MIN || under == i128::MIN || under == 0 {
            return None;
        }
        let by = divisor(over, under).max(1) * under.signum();
        Some(Self { over: over / by, under: under / by })
    }

    pub(super) fn is_zero(self) -> bool {
        self.over == 0
    }

    pub(super) fn is_negative(self) -> bool {
        self.over < 0
    }

    pub(super) fn is_positive(self) -> bool {
        self.over > 0
    }

    pub(super) fn plus(self, other: Self) -> Option<Self> {
        if self.under == 1 && other.under == 1 {
            return self.over.checked_add(other.over).map(Self::whole);
        }
        let over = self.over.checked_mul(other.under)?.checked_add(other.over.checked_mul(self.under)?)?;
        Self::new(over, self.under.checked_mul(other.under)?)
    }

    pub(super) fn times(self, other: Self) -> Option<Self> {
        if self.under == 1 && other.under == 1 {
            return self.over.checked_mul(other.over).map(Self::whole);
        }
        Self::new(self.over.checked_mul(other.over)?, self.under.checked_mul(other.under)?)
    }

    fn inverse(self) -> Option<Self> {
        Self::new(self.under, self.over)
    }
}

/// A number and factors of others, by these, ascending, none of them 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) constant: Ratio,
    pub(super) factors: Vec<(u32, Ratio)>,
}

impl Sum {
    pub(super) fn new(constant: i128) -> Self {
        Self { constant: Ratio::whole(constant), factors: Vec::new() }
    }

    fn factor(&self, of: u32) -> Option<Ratio> {
        self.factors.binary_search_by_key(&of, |&(v, _)| v).ok().map(|at| self.factors[at].1)
    }

    /// Adds another one so many times. `None` if a number does not fit.
    pub(super) fn add(&mut self, other: &Self, times: Ratio) -> Option<()> {
        self.constant = self.constant.plus(other.constant.times(times)?)?;
        let mut all = Vec::with_capacity(self.factors.len() + other.factors.len());
        let (mut a, mut b) = (self.factors.iter().peekable(), other.factors.iter().peekable());
        loop {
            let next = match (a.peek(), b.peek()) {
                (Some(&&(v, _)), Some(&&(w, _))) if v == w => {
                    let (&(_, mine), &(_, theirs)) = (a.next()?, b.next()?);
                    (v, mine.plus(theirs.times(times)?)?)
                }
                (Some(&&(v, _)), Some(&&(w, _))) if v < w => *a.next()?,
                (Some(_), None) => *a.next()?,
                (_, Some(_)) => {
                    let &(w, theirs) = b.next()?;
                    (w, theirs.times(times)?)
                }
                (None, None) => break,
            };
            if !next.1.is_zero() {
                all.push(next);
            }
        }
        self.factors = all;
        Some(())
    }
}

/// What is known of the numbers: some are free to be anything but negative, the others are sums of these.
#[derive(Clone, Debug)]
pub(super) struct Conditions {
    /// By number: its row, if it is a sum.
    row_of: Vec<Option<u32>>,
    rows: Vec<(u32, Sum)>,
    /// What was looked at so far.
    pub(super) work: u64,
}

/// Why there is no answer.
pub(super) enum Stop {
    TooMuch,
}

impl Conditions {
    /// So many numbers about which nothing is known.
    pub(super) fn new(numbers: u32) -> Self {
        Self { row_of: vec![None; numbers as usize], rows: Vec::new(), work: 0 }
    }

    /// One more number: a sum of others, which must not be negative.
    pub(super) fn require(&mut self, sum: &Sum) -> Option<u32> {
        let number = self.row_of.len() as u32;
        let mut own = Sum { constant: sum.constant, factors: Vec::new() };
        for &(of, factor) in &sum.factors {
            match self.row_of[of as usize] {
                Some(row) => own.add(&self.rows[row as usize].1.clone(), factor)?,
                None => own.add(&Sum { constant: Ratio::ZERO, factors: vec![(of, Ratio::ONE)] }, factor)?,
            }
            self.work += own.factors.len() as u64;
        }
        self.row_of.push(Some(self.rows.len() as u32));
        self.rows.push((number, own));
        Some(number)
    }

    /// What a number is at the moment.
    pub(super) fn value(&self, number: u32) -> Ratio {
        self.row_of[number as usize].map_or(Ratio::ZERO, |row| self.rows[row as usize].1.constant)
    }

    /// What some numbers are at the moment.
    pub(super) fn values(&self, numbers: Range<u32>) -> Vec<Ratio> {
        numbers.map(|number| self.value(number)).collect()
    }

    /// Whether there are numbers that meet all conditions: then [`value`](Self::value) has some.
    pub(super) fn can_be_met(&mut self, most_work: u64) -> Result<bool, Stop> {
        loop {
            self.work += self.rows.len() as u64;
            let negative = self.rows.iter().enumerate().filter(|(_, (_, sum))| sum.constant.is_negative());
            let Some((row, _)) = negative.min_by_key(|(_, (number, _))| *number) else { return Ok(true) };
            let larger = self.rows[row].1.factors.iter().find(|(_, factor)| factor.is_positive());
            let Some(&(free, _)) = larger else { return Ok(false) };
            self.swap(row, free).ok_or(Stop::TooMuch)?;
            if self.work > most_work {
                return Err(Stop::TooMuch);
            }
        }
    }

    /// Makes a free number a sum, in place of the one in a row, which becomes free.
    fn swap(&mut self, row: usize, free: u32) -> Option<()> {
        let (number, sum) = self.rows[row].clone();
        let by = sum.factor(free)?.inverse()?;
        let minus = Ratio::ZERO.plus(by.times(Ratio::whole(-1))?)?;
        // number = c + Σ f·x + a·free, so free = number/a − c/a − Σ f/a·x.
        let mut own = Sum { constant: Ratio::ZERO, factors: vec![(number, by)] };
        let mut rest = sum;
        rest.factors.retain(|&(v, _)| v != free);
        own.add(&rest, minus)?;
        for (place, (_, other)) in self.rows.iter_mut().enumerate() {
            if place == row {
                continue;
            }
            if let Some(factor) = other.factor(free) {
                other.factors.retain(|&(v, _)| v != free);
                other.add(&own, factor)?;
                self.work += (other.factors.len() + own.factors.len()) as u64;
            }
        }
        self.rows[row] = (free, own);
        (self.row_of[number as usize], self.row_of[free as usize]) = (None, Some(row as u32));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(constant: i128, factors: &[(u32, i128)]) -> Sum {
        Sum { constant: Ratio::whole(constant), factors: factors.iter().map(|&(v, f)| (v, Ratio::whole(f))).collect() }
    }

    fn met(numbers: u32, conditions: &[Sum]) -> bool {
        let mut all = Conditions::new(numbers);
        conditions.iter().for_each(|c| _ = all.require(c).unwrap());
        let met = all.can_be_met(1_000_000).ok().unwrap();
        // What is said to meet them does.
        for condition in conditions.iter().filter(|_| met) {
            let mut value = condition.constant;
            for &(number, factor) in &condition.factors {
                assert!(!all.value(number).is_negative());
                value = value.plus(all.value(number).times(factor).unwrap()).unwrap();
            }
            assert!(!value.is_negative(), "{condition:?}");
        }
        met
    }

    #[test]
    fn conditions_are_met_or_contradict_each_other() {
        assert!(met(1, &[sum(-3, &[(0, 2)])]));
        assert!(!met(1, &[sum(-3, &[])]));
        assert!(!met(1, &[sum(-3, &[(0, -1)])]));
        // x + y ≥ 4, x ≤ 1, y ≤ 2.
        assert!(!met(2, &[sum(-4, &[(0, 1), (1, 1)]), sum(1, &[(0, -1)]), sum(2, &[(1, -1)])]));
        // x + y ≥ 3, x ≤ 1, y ≤ 2, and x = 2y − 3 both ways.
        let both = [sum(3, &[(0, 1), (1, -2)]), sum(-3, &[(0, -1), (1, 2)])];
        let rest = [sum(-3, &[(0, 1), (1, 1)]), sum(1, &[(0, -1)]), sum(2, &[(1, -1)])];
        assert!(met(2, &[&both[..], &rest[..]].concat()));
        assert!(!met(2, &[&both[..], &rest[..], &[sum(1, &[(0, -1), (1, -1)])]].concat()));
    }

    /// Against all whole numbers up to a bound: what they meet can be met; what cannot be met they do not.
    #[test]
    fn nothing_that_whole_numbers_meet_is_refuted() {
        let mut random = 7_u64;
        let mut next = |most: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % most
        };
        let (mut yes, mut no) = (0, 0);
        for _ in 0..400 {
            let conditions: Vec<Sum> = (0..4)
                .map(|_| {
                    let factors: Vec<(u32, i128)> =
                        (0..3).map(|v| (v, next(5) as i128 - 2)).filter(|&(_, f)| f != 0).collect();
                    sum(next(9) as i128 - 5, &factors)
                })
                .collect();
            let holds = |point: [i128; 3]| {
                conditions.iter().all(|c| {
                    let value = c.factors.iter().map(|&(v, f)| f.over * point[v as usize]).sum::<i128>();
                    value + c.constant.over >= 0
                })
            };
            let whole = (0..343).any(|n| holds([n % 7, n / 7 % 7, n / 49]));
            let met = met(3, &conditions);
            assert!(met || !whole, "{conditions:?}");
            if met { yes += 1 } else { no += 1 }
        }
        assert!(yes > 40 && no > 40, "{yes} {no}");
    }
}
