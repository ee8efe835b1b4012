//! Sets of lengths: how many letters ⊤ a SERE can take.
//!
//! On letters that satisfy everything, a SERE is a regular expression over one letter. Its lengths are a set of numbers that repeats itself
//! from some number on, and `&&` asks which numbers two of them share: `{a;b} && {a}` takes none. Sets are kept as ranges, so that
//! `[*1000000]` is as small as `[*1]`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Times;
use posetta_base::{Budget, Limit, OverBudget};

const WHAT: &str = "counting the lengths of a SERE";
const TOO_LARGE: OverBudget = OverBudget::new(WHAT, Limit::Memory);

/// From the first number to the last, both included.
type Range = (u64, u64);

/// A set of numbers.
///
/// Ranges ascend and do not touch. `start` holds the members below `from`; the numbers from there on are members as `cycle` says, whose
/// ranges lie below `period` and count from `from`. `period` is at least 1.
#[derive(Clone, Debug)]
pub(super) struct Lengths {
    start: Vec<Range>,
    from: u64,
    period: u64,
    cycle: Vec<Range>,
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn lcm(a: u64, b: u64) -> Result<u64, OverBudget> {
    (a / gcd(a, b)).checked_mul(b).ok_or(TOO_LARGE)
}

fn plus(a: u64, b: u64) -> Result<u64, OverBudget> {
    a.checked_add(b).ok_or(TOO_LARGE)
}

/// Sorted, and joined where they touch.
fn tidy(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_unstable();
    let mut tidy: Vec<Range> = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        match tidy.last_mut() {
            Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
            _ => tidy.push((first, last)),
        }
    }
    tidy
}

/// The ranges below `end`, counted from `start`.
fn window(ranges: &[Range], start: u64, end: u64) -> Vec<Range> {
    let inside = ranges.iter().filter(|r| r.1 >= start && r.0 < end);
    inside.map(|r| (r.0.max(start) - start, r.1.min(end - 1) - start)).collect()
}

fn shared(a: &[Range], b: &[Range]) -> Vec<Range> {
    let (mut i, mut j, mut both) = (0, 0, Vec::new());
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        let (first, last) = (x.0.max(y.0), x.1.min(y.1));
        if first <= last {
            both.push((first, last));
        }
        if x.1 < y.1 { i += 1 } else { j += 1 }
    }
    both
}

impl Lengths {
    /// No number.
    pub(super) fn none() -> Self {
        Self { start: Vec::new(), from: 0, period: 1, cycle: Vec::new() }
    }

    /// Every number from `least` on.
    pub(super) fn at_least(least: u64) -> Self {
        Self { start: Vec::new(), from: least, period: 1, cycle: vec![(0, 0)] }
    }

    /// One number.
    pub(super) fn only(n: u64) -> Self {
        Self { start: vec![(n, n)], from: n.saturating_add(1), period: 1, cycle: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.start.is_empty() && self.cycle.is_empty()
    }

    /// The smallest member.
    pub(super) fn min(&self) -> Option<u64> {
        let later = || self.cycle.first().map(|r| self.from.saturating_add(r.0));
        self.start.first().map(|r| r.0).or_else(later)
    }

    /// The members below `end`.
    fn below(&self, end: u64, budget: &Budget) -> Result<Vec<Range>, OverBudget> {
        if self.cycle == [(0, self.period - 1)] && self.from < end {
            let mut ranges = self.start.clone();
            ranges.push((self.from, end - 1));
            return Ok(tidy(ranges));
        }
        let rounds = if self.cycle.is_empty() { 0 } else { end.saturating_sub(self.from).div_ceil(self.period) };
        let size = rounds.saturating_mul(self.cycle.len() as u64).saturating_add(self.start.len() as u64);
        budget.step(0, WHAT)?;
        let _claim = budget.claim(size.saturating_mul(32), WHAT)?;
        let mut ranges = window(&self.start, 0, end);
        for round in 0..rounds {
            if round % 1024 == 0 {
                budget.step(0, WHAT)?;
            }
            let base = plus(self.from, round * self.period)?;
            ranges.extend(window(&self.cycle, 0, end - base).into_iter().map(|r| (r.0 + base, r.1 + base)));
        }
        Ok(tidy(ranges))
    }

    /// The set whose members below `from + period` are these, and which repeats itself from `from` on.
    fn repeating(ranges: &[Range], from: u64, period: u64) -> Result<Self, OverBudget> {
        let end = plus(from, period)?;
        let cycle = window(ranges, from, end);
        let start = window(ranges, 0, from);
        let same = cycle.is_empty() || cycle == [(0, period - 1)];
        let (period, cycle) = match (same, cycle.is_empty()) {
            (true, true) => (1, Vec::new()),
            (true, false) => (1, vec![(0, 0)]),
            _ => (period, cycle),
        };
        Ok(Self { start, from, period, cycle })
    }

    fn combined(
        &self,
        other: &Self,
        budget: &Budget,
        join: impl Fn(Vec<Range>, Vec<Range>) -> Vec<Range>,
    ) -> Result<Self, OverBudget> {
        let (from, period) = (self.from.max(other.from), lcm(self.period, other.period)?);
        let end = plus(from, period)?;
        Self::repeating(&join(self.below(end, budget)?, other.below(end, budget)?), from, period)
    }

    pub(super) fn union(&self, other: &Self, budget: &Budget) -> Result<Self, OverBudget> {
        if other.is_empty() {
            return Ok(self.clone());
        }
        self.combined(other, budget, |mut a, b| {
            a.extend(b);
            tidy(a)
        })
    }

    pub(super) fn intersection(&self, other: &Self, budget: &Budget) -> Result<Self, OverBudget> {
        self.combined(other, budget, |a, b| shared(&a, &b))
    }

    /// The members from `least` on.
    pub(super) fn from(&self, least: u64, budget: &Budget) -> Result<Self, OverBudget> {
        self.intersection(&Self::at_least(least), budget)
    }

    /// One less than each member but 0.
    pub(super) fn less_one(&self, budget: &Budget) -> Result<Self, OverBudget> {
        let end = plus(plus(self.from, self.period)?, 1)?;
        let ranges = window(&self.below(end, budget)?, 1, end);
        Self::repeating(&ranges, self.from, self.period)
    }

    /// The sums of a member of each.
    ///
    /// With the common period p, and both repeating themselves from f and g on, sums do so from f + g + p on: of two numbers whose sum is
    /// at least that, one can be made larger or smaller by p.
    pub(super) fn sum(&self, other: &Self, budget: &Budget) -> Result<Self, OverBudget> {
        if self.is_empty() || other.is_empty() {
            return Ok(Self::none());
        }
        let period = lcm(self.period, other.period)?;
        let from = plus(plus(self.from, other.from)?, period)?;
        let end = plus(from, period)?;
        let (a, b) = (self.below(end, budget)?, other.below(end, budget)?);
        let size = (a.len() as u64).saturating_mul(b.len() as u64);
        let _claim = budget.claim(size.saturating_mul(32), WHAT)?;
        let mut sums = Vec::new();
        for (i, x) in a.iter().enumerate() {
            if i % 64 == 0 {
                budget.step(0, WHAT)?;
            }
            sums.extend(b.iter().map(|y| (x.0.saturating_add(y.0), x.1.saturating_add(y.1))).filter(|r| r.0 < end));
        }
        Self::repeating(&tidy(sums), from, period)
    }

    /// The sums of any number of members, 0 for none of them.
    ///
    /// With d the smallest member that is not 0, a sum stays one when d is added. So the smallest sum of each remainder modulo d says all;
    /// they are found as shortest paths over the remainders.
    fn star(&self, budget: &Budget) -> Result<Self, OverBudget> {
        let positive = self.from(1, budget)?;
        let Some(d) = positive.min() else { return Ok(Self::only(0)) };
        let end = plus(plus(positive.from, lcm(positive.period, d)?)?, d)?;
        let _claim = budget.claim(d.saturating_mul(48), WHAT)?;
        let size = usize::try_from(d).map_err(|_| TOO_LARGE)?;
        // The smallest member of each remainder.
        let mut steps: Vec<Option<u64>> = vec![None; size];
        for (first, last) in positive.below(end, budget)? {
            for (n, member) in (first..=last.min(first.saturating_add(d - 1))).enumerate() {
                if n % 4096 == 0 {
                    budget.step(0, WHAT)?;
                }
                steps[(member % d) as usize].get_or_insert(member);
            }
        }
        let steps: Vec<u64> = steps.into_iter().flatten().filter(|s| s % d != 0).collect();
        let mut least: Vec<Option<u64>> = vec![None; size];
        let mut open = BinaryHeap::from([Reverse(0_u64)]);
        let mut highest = 0;
        while let Some(Reverse(sum)) = open.pop() {
            if least[(sum % d) as usize].is_some() {
                continue;
            }
            budget.step(0, WHAT)?;
            least[(sum % d) as usize] = Some(sum);
            highest = sum;
            for step in &steps {
                let next = plus(sum, *step)?;
                if least[(next % d) as usize].is_none() {
                    open.push(Reverse(next));
                }
            }
        }
        if steps.is_empty() {
            return Self::repeating(&[(0, 0)], 0, d);
        }
        let end = plus(highest, d)?;
        let mut members = Vec::new();
        for least in least.into_iter().flatten() {
            let mut member = least;
            while member < end {
                if members.len() % 4096 == 0 {
                    budget.step(0, WHAT)?;
                }
                members.push((member, member));
                member += d;
            }
        }
        Self::repeating(&tidy(members), highest, d)
    }

    /// The sums of exactly n members.
    fn power(&self, mut n: u32, budget: &Budget) -> Result<Self, OverBudget> {
        let (mut result, mut square) = (Self::only(0), self.clone());
        loop {
            if n % 2 == 1 {
                result = result.sum(&square, budget)?;
            }
            n /= 2;
            if n == 0 {
                return Ok(result);
            }
            square = square.sum(&square, budget)?;
        }
    }

    /// The sums of so many members.
    pub(super) fn times(&self, times: Times, budget: &Budget) -> Result<Self, OverBudget> {
        let least = self.power(times.min, budget)?;
        let more = match times.max {
            None => self.star(budget)?,
            Some(max) => {
                let or_none = self.union(&Self::only(0), budget)?;
                or_none.power(max.saturating_sub(times.min), budget)?
            }
        };
        least.sum(&more, budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The members below 60.
    fn members(set: &Lengths) -> Vec<u64> {
        let ranges = set.below(60, &Budget::unlimited()).unwrap();
        ranges.into_iter().flat_map(|(a, b)| a..=b).collect()
    }

    fn of(numbers: &[u64]) -> Lengths {
        let unlimited = Budget::unlimited();
        numbers.iter().fold(Lengths::none(), |set, &n| set.union(&Lengths::only(n), &unlimited).unwrap())
    }

    #[test]
    fn operations_are_those_on_sets() {
        let b = Budget::unlimited();
        let bases = [vec![], vec![0], vec![1], vec![2], vec![0, 3], vec![2, 5], vec![4, 6, 9], vec![1, 2, 3]];
        let mut sets: Vec<Lengths> = bases.iter().map(|n| of(n)).collect();
        sets.extend(sets.clone().iter().map(|s| s.star(&b).unwrap()));
        sets.extend([Lengths::at_least(7), of(&[7]).star(&b).unwrap().sum(&of(&[1]), &b).unwrap()]);
        for x in &sets {
            let a = members(x);
            let less: Vec<u64> = a.iter().filter(|&&n| n > 0).map(|n| n - 1).filter(|&n| n < 59).collect();
            assert_eq!(members(&x.less_one(&b).unwrap()).into_iter().filter(|&n| n < 59).collect::<Vec<_>>(), less);
            assert_eq!(x.min(), a.first().copied());
            let mut star = [false; 60];
            star[0] = true;
            for n in 1..60 {
                star[n] = a.iter().any(|&m| m > 0 && m as usize <= n && star[n - m as usize]);
            }
            let star: Vec<u64> = (0..60).filter(|&n| star[n as usize]).collect();
            assert_eq!(members(&x.star(&b).unwrap()), star, "{a:?}");
            for y in &sets {
                let c = members(y);
                let sums: Vec<u64> = (0..60).filter(|n| a.iter().any(|m| m <= n && c.contains(&(n - m)))).collect();
                assert_eq!(members(&x.sum(y, &b).unwrap()), sums, "{a:?} + {c:?}");
                let union: Vec<u64> = (0..60).filter(|n| a.contains(n) || c.contains(n)).collect();
                assert_eq!(members(&x.union(y, &b).unwrap()), union, "{a:?} {c:?}");
                let both: Vec<u64> = (0..60).filter(|n| a.contains(n) && c.contains(n)).collect();
                assert_eq!(members(&x.intersection(y, &b).unwrap()), both, "{a:?} {c:?}");
            }
        }
        let five = of(&[2, 3]).times(Times { min: 1, max: Some(3) }, &b).unwrap();
        assert_eq!(members(&five), [2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(members(&of(&[7]).times(Times::exactly(3), &b).unwrap()), [21]);
        assert_eq!(members(&of(&[20]).times(Times { min: 1, max: None }, &b).unwrap()), [20, 40]);
    }

    #[test]
    fn large_numbers_are_small_sets() {
        let b = Budget::with_memory(1 << 20);
        let million = Lengths::only(1).times(Times::exactly(u32::MAX), &b).unwrap();
        assert_eq!(million.min(), Some(u64::from(u32::MAX)));
        assert!(million.intersection(&Lengths::only(5), &b).unwrap().is_empty());
        assert_eq!(million.star(&b).unwrap_err().limit, Limit::Memory);
    }
}
