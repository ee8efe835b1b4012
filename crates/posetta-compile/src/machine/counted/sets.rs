//! Sets of counts, as a repetition needs them: all of them grow by one at once, the smallest comes in, the largest go.
//!
//! A set is a queue of intervals beside one offset (the counting sets of Turoňová, Holík, Lengál, Saarikivi, Veanes and Vojnar 2020), so
//! a step of any number of attempts costs the same.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Registers;

/// What stands at a place of an expression: whether an attempt is there, or with which counts attempts are there.
pub(in crate::machine) trait Mark: Clone + Default {
    /// No attempt.
    fn is_none(&self) -> bool;

    /// The attempts of both.
    fn join(self, other: Self) -> Self;

    /// The registers that hold such marks.
    fn registers(registers: &mut Registers) -> &mut Vec<Self>;
}

impl Mark for bool {
    fn is_none(&self) -> bool {
        !self
    }

    fn join(self, other: Self) -> Self {
        self || other
    }

    fn registers(registers: &mut Registers) -> &mut Vec<Self> {
        &mut registers.flags
    }
}

/// Counts, ascending; shared where attempts may go two ways, and copied only if they do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::machine) struct Counts(Option<Arc<Set>>);

#[derive(Clone, Debug, Default)]
struct Set {
    /// What is added to all that is stored.
    offset: i64,
    /// First and last of each interval; a gap between any two.
    runs: VecDeque<(i64, i64)>,
}

impl PartialEq for Set {
    fn eq(&self, other: &Self) -> bool {
        self.intervals().eq(other.intervals())
    }
}

impl Eq for Set {}

impl Set {
    fn intervals(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        self.runs.iter().map(|&(first, last)| (first + self.offset, last + self.offset))
    }

    /// The smallest member.
    fn first(&self) -> i64 {
        self.runs.front().map_or(i64::MAX, |&(first, _)| first + self.offset)
    }

    /// The only member, if there is one.
    fn single(&self) -> Option<i64> {
        match (self.runs.len(), self.runs.front()) {
            (1, Some(&(first, last))) if first == last => Some(first + self.offset),
            _ => None,
        }
    }
}

impl Mark for Counts {
    fn is_none(&self) -> bool {
        self.0.is_none()
    }

    fn join(self, other: Self) -> Self {
        let (a, b) = match (self.0, other.0) {
            (None, other) => return Self(other),
            (one, None) => return Self(one),
            (Some(a), Some(b)) if Arc::ptr_eq(&a, &b) => return Self(Some(a)),
            (Some(a), Some(b)) => (a, b),
        };
        // A new attempt beside many: nothing is copied.
        if let Some(only) = a.single().filter(|&only| only <= b.first()) {
            return Self(Some(b)).with(only);
        }
        if let Some(only) = b.single().filter(|&only| only <= a.first()) {
            return Self(Some(a)).with(only);
        }
        let mut all: Vec<(i64, i64)> = a.intervals().chain(b.intervals()).collect();
        all.sort_unstable();
        Self::of(all)
    }

    fn registers(registers: &mut Registers) -> &mut Vec<Self> {
        &mut registers.counts
    }
}

impl Counts {
    /// The set of some intervals, sorted by where they start.
    pub(in crate::machine) fn of(intervals: Vec<(i64, i64)>) -> Self {
        let mut runs: VecDeque<(i64, i64)> = VecDeque::with_capacity(intervals.len());
        for (first, last) in intervals {
            match runs.back_mut() {
                Some(back) if first <= back.1 + 1 => back.1 = back.1.max(last),
                _ => runs.push_back((first, last)),
            }
        }
        if runs.is_empty() { Self(None) } else { Self(Some(Arc::new(Set { offset: 0, runs }))) }
    }

    /// How many intervals there are.
    pub(in crate::machine) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |set| set.runs.len())
    }

    /// The intervals, ascending.
    pub(in crate::machine) fn intervals(&self) -> Vec<(i64, i64)> {
        self.0.as_ref().map_or_else(Vec::new, |set| set.intervals().collect())
    }

    /// With 0, which no member is smaller than.
    pub(in crate::machine) fn with_zero(self) -> Self {
        if self.0.is_none() { Self::only(0) } else { self.with(0) }
    }

    /// With a count that no member is smaller than.
    fn with(mut self, count: i64) -> Self {
        let Some(shared) = &mut self.0 else { return self };
        if shared.first() == count {
            return self;
        }
        let set = Arc::make_mut(shared);
        let stored = count - set.offset;
        match set.runs.front_mut() {
            Some(front) if front.0 == stored + 1 => front.0 = stored,
            _ => set.runs.push_front((stored, stored)),
        }
        self
    }

    /// Each one more.
    pub(in crate::machine) fn increment(mut self) -> Self {
        if let Some(shared) = &mut self.0 {
            Arc::make_mut(shared).offset += 1;
        }
        self
    }

    /// Whether some member is not less.
    pub(in crate::machine) fn reaches(&self, least: u32) -> bool {
        let last = |set: &Arc<Set>| set.runs.back().map(|&(_, last)| last + set.offset);
        self.0.as_ref().and_then(last).is_some_and(|last| last >= i64::from(least))
    }

    /// Those below a limit.
    pub(in crate::machine) fn below(mut self, limit: u32) -> Self {
        if !self.reaches(limit) {
            return self;
        }
        if let Some(shared) = &mut self.0 {
            let set = Arc::make_mut(shared);
            let most = i64::from(limit) - 1 - set.offset;
            while set.runs.back().is_some_and(|&(first, _)| first > most) {
                set.runs.pop_back();
            }
            if let Some(back) = set.runs.back_mut() {
                back.1 = back.1.min(most);
            }
            if set.runs.is_empty() {
                self.0 = None;
            }
        }
        self
    }

    /// Only one count.
    pub(in crate::machine) fn only(count: u32) -> Self {
        Self::single(i64::from(count))
    }

    /// Only one number, which may be negative.
    pub(in crate::machine) fn single(count: i64) -> Self {
        Self::of(vec![(count, count)])
    }

    /// Each so much more.
    pub(in crate::machine) fn shifted(mut self, by: i64) -> Self {
        if by != 0
            && let Some(shared) = &mut self.0
        {
            Arc::make_mut(shared).offset += by;
        }
        self
    }
}
