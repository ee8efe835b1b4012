//! Partitions of states that are split until states of one class do the same.
//!
//! [`Partition`] holds the states of each class as one stretch of one list; states are marked by moving them to the front of their
//! stretch, so splitting a class costs as much as it has marked states (the refinable partition of Valmari and Lehtinen 2008). [`refine`] is the
//! algorithm: a state has a *signature*, which says what it does in terms of the classes it leads to; a class is split by the signatures of those of its
//! states that lead to a renamed one, and the largest part keeps its name, so that a state is renamed at most log n times (Hopcroft 1971; with signatures,
//! hence for deterministic and nondeterministic automata alike, Jacobs and Wißmann 2023, Fast coalgebraic bisimilarity minimization).
//!
//! One deviation: who leads to a state is found out only where a few rounds over all states do not settle everything. Most automata of properties are
//! small, and the lists would cost more than the rounds.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use posetta_base::{Budget, OverBudget};

/// So many rounds look at all states before the lists of who leads where are made.
const ROUNDS: usize = 4;

/// Among so few signatures one is found by looking at all of them.
const FEW: usize = 4;

/// A class is a stretch of the list of all states; those before `middle` are marked.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    first: u32,
    middle: u32,
    end: u32,
}

/// States, numbered from 0, in classes, numbered from 0.
#[derive(Clone, Debug)]
pub(crate) struct Partition {
    /// All states, class by class.
    states: Vec<u32>,
    /// Where each state is in that list.
    places: Vec<u32>,
    /// The class of each state.
    classes: Vec<u32>,
    stretches: Vec<Stretch>,
    /// The marked states of the class that is split, with the part of each.
    parts: Vec<(u32, u32)>,
    /// How many states each part has, then where it ends.
    sizes: Vec<u32>,
}

impl Partition {
    /// States with the same number are in one class. Nothing is marked.
    pub(crate) fn new(numbers: impl Iterator<Item = u32>) -> Self {
        let mut classes: Vec<u32> = numbers.collect();
        let size = classes.len();
        let most = classes.iter().max().map_or(0, |&most| most as usize + 1);
        let mut sizes = vec![0_u32; most];
        classes.iter().for_each(|&number| sizes[number as usize] += 1);
        // Numbers without states get no class; those with some are replaced by theirs.
        let (mut stretches, mut first) = (Vec::with_capacity(size), 0);
        for size in sizes.iter_mut().filter(|size| **size > 0) {
            let end = first + std::mem::replace(size, stretches.len() as u32);
            stretches.push(Stretch { first, middle: first, end });
            first = end;
        }
        let (mut states, mut places) = (vec![0; size], Vec::with_capacity(size));
        for (state, class) in classes.iter_mut().enumerate() {
            *class = sizes[*class as usize];
            let place = &mut stretches[*class as usize].middle;
            states[*place as usize] = state as u32;
            places.push(*place);
            *place += 1;
        }
        stretches.iter_mut().for_each(|stretch| stretch.middle = stretch.first);
        Self { states, places, classes, stretches, parts: Vec::with_capacity(size), sizes }
    }

    /// How many classes there are.
    pub(crate) fn len(&self) -> usize {
        self.stretches.len()
    }

    /// The class of each state.
    pub(crate) fn classes(&self) -> &[u32] {
        &self.classes
    }

    /// The states of a class, in no order.
    pub(crate) fn states(&self, class: u32) -> &[u32] {
        let Stretch { first, end, .. } = self.stretches[class as usize];
        &self.states[first as usize..end as usize]
    }

    /// Marks a state; a class that had no marked one is put on the list of those to be split. A state that is alone in its class is not marked.
    pub(crate) fn mark(&mut self, state: u32, touched: &mut Vec<u32>) {
        let class = self.classes[state as usize];
        let stretch = &mut self.stretches[class as usize];
        let (at, to) = (self.places[state as usize], stretch.middle);
        if at < to || stretch.end - stretch.first == 1 {
            return;
        }
        if to == stretch.first {
            touched.push(class);
        }
        stretch.middle += 1;
        let other = self.states[to as usize];
        self.states.swap(at as usize, to as usize);
        self.places[state as usize] = to;
        self.places[other as usize] = at;
    }

    /// How many states of a class are marked.
    pub(crate) fn marked(&self, class: u32) -> u32 {
        let stretch = self.stretches[class as usize];
        stretch.middle - stretch.first
    }

    /// Marks all states of a class.
    pub(crate) fn mark_all(&mut self, class: u32) {
        let stretch = &mut self.stretches[class as usize];
        stretch.middle = stretch.end;
    }

    /// Splits a class into the parts that `part` tells for its marked states and for one of the others, which stands for all of them. `part` is told the
    /// classes, and answers with numbers that ascend from 0 as they come up. The largest part keeps its name; the states of the others are
    /// added to `renamed`. Nothing is marked afterwards.
    pub(crate) fn split(&mut self, class: u32, mut part: impl FnMut(u32, &[u32]) -> u32, renamed: &mut Vec<u32>) {
        let Stretch { first, middle, end } = self.stretches[class as usize];
        self.stretches[class as usize].middle = first;
        if middle == first || end - first == 1 {
            return;
        }
        self.sizes.clear();
        // The unmarked are of part 0, which stands last.
        if middle < end {
            let rest = part(self.states[middle as usize], &self.classes);
            debug_assert_eq!(rest, 0);
            self.sizes.push(0);
        }
        self.parts.clear();
        for &state in &self.states[first as usize..middle as usize] {
            let part = part(state, &self.classes);
            if part as usize == self.sizes.len() {
                self.sizes.push(0);
            }
            self.sizes[part as usize] += 1;
            self.parts.push((state, part));
        }
        if self.sizes.len() == 1 {
            return;
        }
        // A part ends where the one with the next smaller number begins.
        let mut end_of_part = first;
        for size in self.sizes.iter_mut().rev() {
            end_of_part += *size;
            *size = end_of_part;
        }
        for &(state, part) in &self.parts {
            let place = &mut self.sizes[part as usize];
            *place -= 1;
            self.states[*place as usize] = state;
            self.places[state as usize] = *place;
        }
        // Now each part begins where its size was told, and ends where the one before it does.
        let bounds = |part: usize, sizes: &[u32]| (sizes[part], if part == 0 { end } else { sizes[part - 1] });
        let (mut largest, mut most) = (0, 0);
        for part in 0..self.sizes.len() {
            let (first, end) = bounds(part, &self.sizes);
            if end - first > most {
                (largest, most) = (part, end - first);
            }
        }
        for part in 0..self.sizes.len() {
            let (first, end) = bounds(part, &self.sizes);
            let stretch = Stretch { first, middle: first, end };
            if part == largest {
                self.stretches[class as usize] = stretch;
                continue;
            }
            let fresh = self.stretches.len() as u32;
            self.stretches.push(stretch);
            let states = &self.states[first as usize..end as usize];
            states.iter().for_each(|&state| self.classes[state as usize] = fresh);
            renamed.extend_from_slice(states);
        }
    }
}

/// The signatures of one class, each once.
struct Signatures {
    all: Vec<u32>,
    /// Where each ends.
    ends: Vec<u32>,
    /// The numbers of signatures, once there are more than a few.
    table: HashTable<u32>,
}

impl Signatures {
    fn new() -> Self {
        Self { all: Vec::with_capacity(32), ends: Vec::with_capacity(FEW), table: HashTable::new() }
    }

    fn clear(&mut self) {
        if self.ends.len() > FEW {
            self.table.clear();
        }
        self.all.clear();
        self.ends.clear();
    }

    /// The number of what `sign` adds to a list.
    fn number(&mut self, sign: impl FnOnce(&mut Vec<u32>)) -> u32 {
        let start = self.all.len();
        sign(&mut self.all);
        let (known, new) = self.all.split_at(start);
        let count = self.ends.len();
        let of = |number: u32| {
            let first = if number == 0 { 0 } else { self.ends[number as usize - 1] };
            &known[first as usize..self.ends[number as usize] as usize]
        };
        let hash = |signature: &[u32]| {
            let mut hasher = FxHasher::default();
            signature.iter().for_each(|&entry| hasher.write_u32(entry));
            hasher.finish()
        };
        let found = if count <= FEW {
            (0..count as u32).find(|&number| of(number) == new)
        } else {
            self.table.find(hash(new), |&number| of(number) == new).copied()
        };
        if let Some(number) = found {
            self.all.truncate(start);
            return number;
        }
        if count >= FEW {
            let first = if count == FEW { 0 } else { count };
            for number in first..count {
                self.table.insert_unique(hash(of(number as u32)), number as u32, |&n| hash(of(n)));
            }
            self.table.insert_unique(hash(new), count as u32, |&n| hash(of(n)));
        }
        self.ends.push(self.all.len() as u32);
        count as u32
    }
}

/// Who leads to each state, in one list.
struct Before {
    /// Where the list of each state starts.
    starts: Vec<u32>,
    states: Vec<u32>,
}

impl Before {
    fn new(
        size: usize,
        targets: &impl Fn(u32, &mut Vec<u32>),
        what: &'static str,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        // Beside the lists while they are made: where each starts, and who was counted last.
        let mut claim = budget.claim(8 * size as u64, what)?;
        let mut starts = vec![0_u32; size + 1];
        let mut own = Vec::new();
        let mut each = |told: &mut dyn FnMut(u32, u32)| {
            for state in 0..size as u32 {
                budget.step(0, what)?;
                own.clear();
                targets(state, &mut own);
                own.iter().for_each(|&target| told(state, target));
            }
            Ok(())
        };
        // Rows repeat their targets: whoever was counted last for a target is not counted again.
        let mut last = vec![u32::MAX; size];
        each(&mut |state, target| {
            if std::mem::replace(&mut last[target as usize], state) != state {
                starts[target as usize] += 1;
            }
        })?;
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        claim.grow_to(8 * size as u64 + 4 * u64::from(sum), what)?;
        let mut states = vec![0; sum as usize];
        last.fill(u32::MAX);
        each(&mut |state, target| {
            if std::mem::replace(&mut last[target as usize], state) != state {
                let start = &mut starts[target as usize];
                *start -= 1;
                states[*start as usize] = state;
            }
        })?;
        Ok(Self { starts, states })
    }

    fn of(&self, state: u32) -> &[u32] {
        &self.states[self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize]
    }
}

/// The coarsest classes that split the given ones such that states of one class have one signature: the class of each state, and how many there are.
///
/// `sign` adds the signature of a state to a list, given the class of each state; it may depend on the classes of `targets` only, which adds these
/// to a list (as often as it likes). What states are apart in from the beginning is said by `numbers`.
///
/// # Errors
/// When the budget is spent.
pub fn refine(
    numbers: impl Iterator<Item = u32>,
    sign: impl Fn(u32, &[u32], &mut Vec<u32>),
    targets: impl Fn(u32, &mut Vec<u32>),
    what: &'static str,
    budget: &Budget,
) -> Result<(Vec<u32>, usize), OverBudget> {
    let mut partition = Partition::new(numbers);
    let size = partition.classes.len();
    if partition.len() == size {
        return Ok((partition.classes, size));
    }
    let mut claim = budget.claim(40 * size as u64, what)?;
    let mut signatures = Signatures::new();
    let mut renamed = Vec::with_capacity(size);
    let mut split = |partition: &mut Partition, class: u32, renamed: &mut Vec<u32>, lists: usize| {
        signatures.clear();
        // What is made small was counted when it was made. A class may be large, and so may be the row of each of its states.
        let mut looked = Ok(());
        let part = |state: u32, classes: &[u32]| {
            if looked.is_ok() {
                looked = budget.step(0, what);
            }
            if looked.is_ok() { signatures.number(|list| sign(state, classes, list)) } else { 0 }
        };
        partition.split(class, part, renamed);
        looked?;
        claim.grow_to(40 * size as u64 + 4 * (lists + signatures.all.capacity()) as u64, what)
    };
    for _ in 0..ROUNDS {
        renamed.clear();
        for class in 0..partition.len() as u32 {
            if partition.states(class).len() > 1 {
                partition.mark_all(class);
                split(&mut partition, class, &mut renamed, 0)?;
            }
        }
        if renamed.is_empty() || partition.len() == size {
            return Ok((partition.classes, partition.stretches.len()));
        }
    }
    let before = Before::new(size, &targets, what, budget)?;
    let lists = before.starts.len() + before.states.len();
    // A class that was split before its states' targets were is split again.
    let mut touched = Vec::new();
    loop {
        for state in renamed.drain(..) {
            before.of(state).iter().for_each(|&state| partition.mark(state, &mut touched));
        }
        let Some(class) = touched.pop() else { break };
        split(&mut partition, class, &mut renamed, lists)?;
    }
    Ok((partition.classes, partition.stretches.len()))
}

/// Adds to a signature that a state leads to all of these classes, in whatever order and as often as they come.
pub fn sign_set(classes: impl Iterator<Item = u32>, signature: &mut Vec<u32>) {
    signature.push(u32::MAX);
    let start = signature.len();
    signature.extend(classes);
    if signature.len() - start < 2 {
        return;
    }
    signature[start..].sort_unstable();
    let mut kept = start + 1;
    for i in start + 1..signature.len() {
        if signature[i] != signature[kept - 1] {
            signature[kept] = signature[i];
            kept += 1;
        }
    }
    signature.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For each state and letter the states after it.
    type Rows = Vec<Vec<Vec<u32>>>;

    fn any(rng: &mut fastrand::Rng, most: usize) -> (Vec<u32>, Rows) {
        let (size, letters) = (rng.usize(1..=most), rng.usize(1..4));
        let few = rng.u32(1..=size as u32);
        let row = |rng: &mut fastrand::Rng| {
            let after = |rng: &mut fastrand::Rng| (0..rng.usize(0..3)).map(|_| rng.u32(0..few)).collect();
            (0..letters).map(|_| after(rng)).collect::<Vec<Vec<u32>>>()
        };
        // Rows that come up again, and long chains.
        let some: Vec<_> = (0..rng.usize(1..5)).map(|_| row(rng)).collect();
        let chain = rng.bool();
        let rows = (0..size).map(|state| match rng.u32(0..3) {
            0 => row(rng),
            1 => some[rng.usize(0..some.len())].clone(),
            _ if chain => vec![vec![(state as u32 + 1) % size as u32]; letters],
            _ => vec![vec![state as u32]; letters],
        });
        let rows = rows.collect();
        ((0..size).map(|_| 3 * u32::from(rng.u8(0..8) == 0)).collect(), rows)
    }

    fn refined(numbers: &[u32], rows: &Rows) -> (Vec<u32>, usize) {
        let sign = |state: u32, classes: &[u32], signature: &mut Vec<u32>| {
            rows[state as usize]
                .iter()
                .for_each(|after| sign_set(after.iter().map(|&t| classes[t as usize]), signature));
        };
        let targets = |state: u32, all: &mut Vec<u32>| rows[state as usize].iter().for_each(|after| all.extend(after));
        refine(numbers.iter().copied(), sign, targets, "splitting", &Budget::unlimited()).unwrap()
    }

    /// Pairs that are not bisimilar, by definition: from what differs at once to what leads to it.
    fn apart(numbers: &[u32], rows: &Rows) -> Vec<Vec<bool>> {
        let size = numbers.len();
        let mut apart: Vec<Vec<bool>> =
            (0..size).map(|s| (0..size).map(|t| numbers[s] != numbers[t]).collect()).collect();
        loop {
            let within =
                |one: &[u32], other: &[u32]| one.iter().all(|&s| other.iter().any(|&t| !apart[s as usize][t as usize]));
            let next: Vec<Vec<bool>> = (0..size)
                .map(|s| {
                    (0..size)
                        .map(|t| {
                            let mut letters = rows[s].iter().zip(&rows[t]);
                            apart[s][t] || letters.any(|(a, b)| !within(a, b) || !within(b, a))
                        })
                        .collect()
                })
                .collect();
            if next == apart {
                return apart;
            }
            apart = next;
        }
    }

    #[test]
    fn states_are_of_one_class_exactly_if_they_do_the_same() {
        for seed in 0..3000 {
            let (numbers, rows) = any(&mut fastrand::Rng::with_seed(seed), 14);
            let (classes, count) = refined(&numbers, &rows);
            let apart = apart(&numbers, &rows);
            for s in 0..classes.len() {
                for t in 0..classes.len() {
                    assert_eq!(
                        classes[s] != classes[t],
                        apart[s][t],
                        "seed {seed}: {s} and {t} of {numbers:?} {rows:?}"
                    );
                }
            }
            let mut all = classes;
            all.sort_unstable();
            all.dedup();
            assert!(all.iter().copied().eq(0..count as u32), "seed {seed}: {all:?}");
        }
    }

    #[test]
    fn long_chains_and_many_signatures_are_no_trouble() {
        let size = 20_000;
        let chain: Rows = (0..size).map(|s| vec![vec![(s + 1).min(size - 1)]]).collect();
        let last: Vec<u32> = (0..size).map(|s| u32::from(s == size - 1)).collect();
        assert_eq!(refined(&last, &chain).1, size as usize);
        let star: Rows = (0..size).map(|s| vec![vec![s / 2], vec![s / 3, s / 5]]).collect();
        let few: Vec<u32> = (0..size).map(|s| s % 7).collect();
        let (classes, count) = refined(&few, &star);
        assert!(count > 1000);
        // Stable: a second time changes nothing.
        assert_eq!(refined(&classes, &star).1, count);
        assert_eq!(refined(&[], &Vec::new()), (Vec::new(), 0));
    }

    #[test]
    fn the_budget_is_asked() {
        let budget = Budget::unlimited();
        budget.stop_handle().raise(posetta_base::Limit::Time);
        assert!(refine([0, 0].into_iter(), |_, _, _| {}, |_, _| {}, "splitting", &budget).is_err());
        assert!(refine([0; 100].into_iter(), |_, _, _| {}, |_, _| {}, "splitting", &Budget::with_memory(10)).is_err());
    }
}
