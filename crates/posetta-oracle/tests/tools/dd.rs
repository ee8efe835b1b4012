//! Decision diagrams against sets that are written out, tuple by tuple.
//!
//! A case is a universe of a few layers and a random sequence of operations on a few sets, each kept twice: as a diagram and as
//! a [`Listed`] set. After every operation the two are compared by asking for every tuple, and by their counts. A kind of
//! diagram takes part through [`Sets`]; what its own operations must not change is in [`laws`].

use std::collections::BTreeSet;
use std::fmt::Debug;

use dashu_int::UBig;
use fastrand::Rng;
use posetta_base::Budget;
use posetta_dd::idd::{Diagrams, Set};
use posetta_dd::ist::{Tree, Trees};
use posetta_oracle::cases::{Shares, for_seeds};

type Tuple = Vec<u32>;

/// How many sets a case has at a time, and how many operations.
const SETS: usize = 5;
const STEPS: usize = 20;

/// All tuples whose numbers are at most as large as their layers allow.
struct Universe {
    largest: Vec<u32>,
    tuples: Vec<Tuple>,
}

impl Universe {
    fn random(rng: &mut Rng) -> Self {
        // Without layers and with small ones only the borders are tested; that is needed, but not often.
        let layers = [0, 1, 2, 2, 3, 3, 3, 3, 4, 4][rng.usize(0..10)];
        let largest: Vec<u32> = (0..layers).map(|_| rng.u32(0..=6).max(rng.u32(0..=3))).collect();
        let mut tuples = vec![Vec::new()];
        for &largest in &largest {
            let longer = |t: &Tuple| (0..=largest).map(|n| [&t[..], &[n]].concat()).collect::<Vec<_>>();
            tuples = tuples.iter().flat_map(longer).collect();
        }
        Self { largest, tuples }
    }

    fn contains(&self, tuple: &[u32]) -> bool {
        tuple.len() == self.largest.len() && tuple.iter().zip(&self.largest).all(|(n, largest)| n <= largest)
    }

    /// The tuples for which something holds.
    fn listed(&self, holds: impl Fn(&[u32]) -> bool) -> Listed {
        Listed(self.tuples.iter().filter(|tuple| holds(tuple)).cloned().collect())
    }

    /// The tuples that differ by one more in one layer. They may lie outside.
    fn steps<'t>(&'t self, tuple: &'t [u32]) -> impl Iterator<Item = Tuple> + 't {
        (0..tuple.len()).map(|layer| {
            let mut next = tuple.to_vec();
            next[layer] += 1;
            next
        })
    }
}

/// A set by its tuples, and the operations by their definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Listed(BTreeSet<Tuple>);

impl Listed {
    fn has(&self, tuple: &[u32]) -> bool {
        self.0.contains(tuple)
    }

    fn box_of(universe: &Universe, sides: &[(u32, u32)]) -> Self {
        universe.listed(|tuple| tuple.iter().zip(sides).all(|(n, (lo, hi))| lo <= n && n <= hi))
    }

    fn shift(&self, universe: &Universe, layer: usize, by: i64) -> Self {
        let moved = self.0.iter().filter_map(|tuple| {
            let mut tuple = tuple.clone();
            tuple[layer] = u32::try_from(i64::from(tuple[layer]) + by).ok()?;
            Some(tuple)
        });
        Self(moved.filter(|tuple| universe.contains(tuple)).collect())
    }

    fn down_closure(&self, universe: &Universe) -> Self {
        let below = |tuple: &[u32], other: &Tuple| tuple.iter().zip(other).all(|(a, b)| a <= b);
        universe.listed(|tuple| self.0.iter().any(|other| below(tuple, other)))
    }

    /// The tuples from which a step leads into the set.
    fn exists_next(&self, universe: &Universe) -> Self {
        universe.listed(|tuple| universe.steps(tuple).any(|next| self.has(&next)))
    }

    /// The least set that contains `q` and every tuple of `p` from which a step leads into it.
    fn exists_until(universe: &Universe, p: &Self, q: &Self) -> Self {
        let mut least = q.clone();
        loop {
            let larger = universe.listed(|t| q.has(t) || p.has(t) && universe.steps(t).any(|next| least.has(&next)));
            if larger == least {
                return least;
            }
            least = larger;
        }
    }
}

/// A kind of diagram under test. No operation here runs into a limit.
trait Sets: Sized {
    type Set: Copy + Debug;

    fn new(largest: &[u32]) -> Self;
    fn empty(&self) -> Self::Set;
    fn box_of(&mut self, sides: &[(u32, u32)]) -> Self::Set;
    fn union(&mut self, a: Self::Set, b: Self::Set) -> Self::Set;
    fn intersection(&mut self, a: Self::Set, b: Self::Set) -> Self::Set;
    fn difference(&mut self, a: Self::Set, b: Self::Set) -> Self::Set;
    fn complement(&mut self, a: Self::Set) -> Self::Set;
    fn shift(&mut self, a: Self::Set, layer: usize, by: i64) -> Self::Set;
    fn down_closure(&mut self, a: Self::Set) -> Self::Set;
    fn layers(&self) -> usize;
    fn is_empty(&self, a: Self::Set) -> bool;
    fn contains(&self, a: Self::Set, tuple: &[u32]) -> bool;
    fn count(&mut self, a: Self::Set) -> UBig;
    fn nodes(&self, a: Self::Set) -> usize;
    fn nearest(&mut self, a: Self::Set, least: &[u32]) -> Option<Tuple>;
    fn collect(&mut self, roots: &[Self::Set]);

    /// Whether two sets have the same tuples.
    fn equals(&mut self, a: Self::Set, b: Self::Set) -> bool;

    /// For kinds that have no operation for it: the union of the shifts.
    fn exists_next(&mut self, a: Self::Set) -> Self::Set {
        (0..self.layers()).fold(self.empty(), |found, layer| {
            let moved = self.shift(a, layer, -1);
            self.union(found, moved)
        })
    }

    /// For kinds that have no operation for it: the fixpoint, step by step.
    fn exists_until(&mut self, p: Self::Set, q: Self::Set) -> Self::Set {
        let mut least = q;
        loop {
            let next = self.exists_next(least);
            let next = self.intersection(p, next);
            let larger = self.union(q, next);
            if self.equals(larger, least) {
                return least;
            }
            least = larger;
        }
    }
}

/// Implements [`Sets`] for a manager and its handle, whose methods have the names above; then what is special about it.
macro_rules! sets {
    ($manager:ty, $set:ty, { $($special:item)* }) => {
        impl Sets for $manager {
            type Set = $set;

            fn new(largest: &[u32]) -> Self {
                <$manager>::new(largest, &Budget::unlimited()).unwrap()
            }
            fn empty(&self) -> $set {
                <$manager>::empty(self)
            }
            fn box_of(&mut self, sides: &[(u32, u32)]) -> $set {
                <$manager>::box_of(self, sides).unwrap()
            }
            fn union(&mut self, a: $set, b: $set) -> $set {
                <$manager>::union(self, a, b).unwrap()
            }
            fn intersection(&mut self, a: $set, b: $set) -> $set {
                <$manager>::intersection(self, a, b).unwrap()
            }
            fn difference(&mut self, a: $set, b: $set) -> $set {
                <$manager>::difference(self, a, b).unwrap()
            }
            fn complement(&mut self, a: $set) -> $set {
                <$manager>::complement(self, a).unwrap()
            }
            fn shift(&mut self, a: $set, layer: usize, by: i64) -> $set {
                <$manager>::shift(self, a, layer, by).unwrap()
            }
            fn down_closure(&mut self, a: $set) -> $set {
                <$manager>::down_closure(self, a).unwrap()
            }
            fn layers(&self) -> usize {
                <$manager>::layers(self)
            }
            fn is_empty(&self, a: $set) -> bool {
                <$manager>::is_empty(self, a)
            }
            fn contains(&self, a: $set, tuple: &[u32]) -> bool {
                <$manager>::contains(self, a, tuple)
            }
            fn count(&mut self, a: $set) -> UBig {
                <$manager>::count(self, a).unwrap()
            }
            fn nodes(&self, a: $set) -> usize {
                <$manager>::nodes(self, a)
            }
            fn nearest(&mut self, a: $set, least: &[u32]) -> Option<Tuple> {
                <$manager>::nearest(self, a, least).unwrap()
            }
            fn collect(&mut self, roots: &[$set]) {
                <$manager>::collect(self, roots);
            }
            $($special)*
        }
    };
}

sets!(Trees, Tree, {
    fn equals(&mut self, a: Tree, b: Tree) -> bool {
        Trees::equals(self, a, b).unwrap()
    }
});

sets!(Diagrams, Set, {
    /// One set, one handle.
    fn equals(&mut self, a: Set, b: Set) -> bool {
        a == b
    }
    fn exists_next(&mut self, a: Set) -> Set {
        Diagrams::exists_next(self, a).unwrap()
    }
    fn exists_until(&mut self, p: Set, q: Set) -> Set {
        Diagrams::exists_until(self, p, q).unwrap()
    }
});

/// A set, both ways.
struct Pair<S: Sets> {
    diagram: S::Set,
    listed: Listed,
}

impl<S: Sets> Clone for Pair<S> {
    fn clone(&self) -> Self {
        Self { diagram: self.diagram, listed: self.listed.clone() }
    }
}

/// Fails unless the diagram is the listed set.
fn assert_same<S: Sets>(sets: &mut S, universe: &Universe, pair: &Pair<S>, what: &str) {
    let Pair { diagram, listed } = pair;
    for tuple in &universe.tuples {
        assert_eq!(sets.contains(*diagram, tuple), listed.has(tuple), "{what}: {tuple:?} of {:?}", universe.largest);
        for outside in universe.steps(tuple).filter(|next| !universe.contains(next)) {
            assert!(!sets.contains(*diagram, &outside), "{what}: {outside:?} is not below {:?}", universe.largest);
        }
    }
    assert_eq!(sets.count(*diagram), UBig::from(listed.0.len()), "{what} of {:?}", universe.largest);
    assert_eq!(sets.is_empty(*diagram), listed.0.is_empty(), "{what} of {:?}", universe.largest);
}

/// A random operation on some of the sets; both results, and what was done.
fn step<S: Sets>(rng: &mut Rng, sets: &mut S, universe: &Universe, pool: &[Pair<S>]) -> (Pair<S>, String) {
    let (i, j) = (rng.usize(0..pool.len()), rng.usize(0..pool.len()));
    let (a, b) = (&pool[i], &pool[j]);
    let layers = universe.largest.len();
    let (diagram, listed, what) = match rng.u32(0..12) {
        0..3 => {
            // Sides may be empty or reach outside.
            let mut side = |&largest: &u32| match rng.u32(0..8) {
                0 => (rng.u32(0..=largest + 1), rng.u32(0..=largest + 3)),
                1 => (0, u32::MAX),
                _ => {
                    let (x, y) = (rng.u32(0..=largest), rng.u32(0..=largest));
                    (x.min(y), x.max(y))
                }
            };
            let sides: Vec<(u32, u32)> = universe.largest.iter().map(&mut side).collect();
            let diagram = sets.box_of(&sides);
            let both = Listed(&a.listed.0 | &Listed::box_of(universe, &sides).0);
            (sets.union(a.diagram, diagram), both, format!("set {i} and the box {sides:?}"))
        }
        3 => {
            // Single tuples, in no order.
            let mut tuples = BTreeSet::new();
            let mut diagram = sets.empty();
            for _ in 0..rng.usize(0..8) {
                let tuple = &universe.tuples[rng.usize(0..universe.tuples.len())];
                let sides: Vec<(u32, u32)> = tuple.iter().map(|&n| (n, n)).collect();
                let next = sets.box_of(&sides);
                diagram = sets.union(next, diagram);
                tuples.insert(tuple.clone());
            }
            (diagram, Listed(tuples.clone()), format!("the tuples {tuples:?}"))
        }
        4 => (sets.union(a.diagram, b.diagram), Listed(&a.listed.0 | &b.listed.0), format!("{i} ∪ {j}")),
        5 => (sets.intersection(a.diagram, b.diagram), Listed(&a.listed.0 & &b.listed.0), format!("{i} ∩ {j}")),
        6 => (sets.difference(a.diagram, b.diagram), Listed(&a.listed.0 - &b.listed.0), format!("{i} ∖ {j}")),
        7 => (sets.complement(a.diagram), universe.listed(|t| !a.listed.has(t)), format!("complement of {i}")),
        8 if layers > 0 => {
            let (layer, by) = (rng.usize(0..layers), rng.i64(-7..=7));
            let listed = a.listed.shift(universe, layer, by);
            (sets.shift(a.diagram, layer, by), listed, format!("{i} with {by} in layer {layer}"))
        }
        9 => (sets.down_closure(a.diagram), a.listed.down_closure(universe), format!("closure of {i}")),
        10 => (sets.exists_next(a.diagram), a.listed.exists_next(universe), format!("EX {i}")),
        _ => {
            let listed = Listed::exists_until(universe, &a.listed, &b.listed);
            (sets.exists_until(a.diagram, b.diagram), listed, format!("E[{i} U {j}]"))
        }
    };
    (Pair { diagram, listed }, what)
}

/// What must be the same set, said in two ways.
fn laws<S: Sets>(sets: &mut S, a: S::Set, b: S::Set) {
    let (union, common, without) = (sets.union(a, b), sets.intersection(a, b), sets.difference(a, b));
    let same = |sets: &mut S, x: S::Set, y: S::Set, law: &str| assert!(sets.equals(x, y), "{law}");
    let (not_a, not_b) = (sets.complement(a), sets.complement(b));
    let (neither, back) = (sets.intersection(not_a, not_b), sets.complement(not_a));
    let not_union = sets.complement(union);
    same(sets, neither, not_union, "de Morgan");
    same(sets, back, a, "double complement");
    let parts = sets.union(common, without);
    same(sets, parts, a, "(a ∩ b) ∪ (a ∖ b) = a");
    let swapped = sets.union(b, a);
    same(sets, swapped, union, "a ∪ b = b ∪ a");
    let (down_a, down_b, down_union) = (sets.down_closure(a), sets.down_closure(b), sets.down_closure(union));
    let closed = sets.union(down_a, down_b);
    same(sets, closed, down_union, "↓a ∪ ↓b = ↓(a ∪ b)");
    let again = sets.down_closure(down_a);
    same(sets, again, down_a, "↓↓a = ↓a");
    let outside = sets.difference(a, down_a);
    assert!(sets.is_empty(outside), "a ⊆ ↓a");
    assert_eq!(sets.count(a) + sets.count(b), sets.count(union) + sets.count(common), "|a| + |b| = |a ∪ b| + |a ∩ b|");
}

fn diagrams_are_the_sets_they_stand_for<S: Sets>(name: &str) {
    let mut shares = Shares::default();
    for_seeds(2_000, |rng, _| {
        let universe = Universe::random(rng);
        let mut sets = S::new(&universe.largest);
        assert_eq!(sets.layers(), universe.largest.len());
        let empty = Pair { diagram: sets.empty(), listed: Listed(BTreeSet::new()) };
        let mut pool: Vec<Pair<S>> = vec![empty.clone(); SETS];
        let mut done: Vec<String> = Vec::new();
        for _ in 0..STEPS {
            let (result, what) = step(rng, &mut sets, &universe, &pool);
            let place = rng.usize(0..pool.len());
            done.push(format!("{place} := {what}"));
            let story = done.join("; ");
            assert_same(&mut sets, &universe, &result, &story);
            for (i, other) in pool.iter().enumerate() {
                let equal = result.listed == other.listed;
                assert_eq!(sets.equals(result.diagram, other.diagram), equal, "{story}; the last against set {i}");
            }
            let some = !result.listed.0.is_empty() && sets.layers() > 0;
            assert!(sets.nodes(result.diagram) > 0 || !some, "{story}");
            let least = &universe.tuples[rng.usize(0..universe.tuples.len())];
            let sum = |tuple: &Tuple| tuple.iter().sum::<u32>();
            let above = result.listed.0.iter().filter(|tuple| tuple.iter().zip(least).all(|(n, least)| n >= least));
            let nearest = sets.nearest(result.diagram, least);
            assert_eq!(nearest.as_ref().map(sum), above.clone().map(sum).min(), "{story}; from {least:?}");
            assert!(
                nearest.is_none_or(|nearest| above.clone().any(|tuple| *tuple == nearest)),
                "{story}; from {least:?}"
            );
            shares.add(match result.listed.0.len() {
                0 => "empty",
                n if n == universe.tuples.len() => "all",
                _ => "between",
            });
            pool[place] = result;
            if rng.u32(0..6) == 0 {
                // Those that are not kept are no longer looked at.
                pool.iter_mut().filter(|_| rng.u32(0..4) == 0).for_each(|pair| *pair = empty.clone());
                sets.collect(&pool.iter().map(|pair| pair.diagram).collect::<Vec<_>>());
                done.push("collect".to_owned());
                for pair in &pool {
                    assert_same(&mut sets, &universe, pair, &done.join("; "));
                }
            }
        }
        let (a, b) = (pool[rng.usize(0..SETS)].diagram, pool[rng.usize(0..SETS)].diagram);
        laws(&mut sets, a, b);
    });
    shares.at_least_a_fifth(name, &["between"]);
}

#[test]
fn interval_sharing_trees_are_the_sets_they_stand_for() {
    diagrams_are_the_sets_they_stand_for::<Trees>("interval sharing trees");
}

#[test]
fn interval_decision_diagrams_are_the_sets_they_stand_for() {
    diagrams_are_the_sets_they_stand_for::<Diagrams>("interval decision diagrams");
}
