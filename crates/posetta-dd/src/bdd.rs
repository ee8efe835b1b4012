//! Binary decision diagrams: truth functions of truth values, each stored once, with complement edges.
//!
//! [`Bdds`] is a store of functions over numbered variables ([`Bit`]); a [`Bdd`] is one of them, and the store keeps what somebody holds. The variables
//! are ordered by their numbers at first: whoever makes them computes a good order. Where the diagrams become large nevertheless, the store
//! improves the order by itself, and nobody notices: a function stays the same.
//!
//! Everything that is done is counted ([`Bdds::effort`]), in the middle of operations, too, and depends on nothing but the operations before it: no
//! clock, no thread, no address. A budget that is spent ends an operation at once.
//!
//! `store` has the nodes, `apply` the operations, `sift` the order.

mod apply;
mod sift;
mod store;

use std::cell::RefCell;
use std::rc::Rc;

use dashu_int::UBig;
use posetta_base::{Budget, Claim, OverBudget};
use rustc_hash::FxHashMap;

use self::store::{Edge, FALSE, Halt, Store, TRUE};

/// The effort of an operation beside what it works out, in units of the budget.
const OPERATION: u64 = 20;

/// A variable: its place in the order at first, the topmost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bit(pub u32);

/// A truth function. Equal functions are equal diagrams.
pub struct Bdd {
    edge: Edge,
    store: Rc<RefCell<Store>>,
}

impl Bdd {
    /// Whether it is never true.
    #[must_use]
    pub fn is_false(&self) -> bool {
        self.edge == FALSE
    }

    /// Whether it is always true.
    #[must_use]
    pub fn is_true(&self) -> bool {
        self.edge == TRUE
    }

    /// How many nodes it has, the constant included.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        let mut nodes = 1;
        self.store.borrow_mut().each_below(self.edge, |_| nodes += 1);
        nodes
    }
}

impl std::fmt::Debug for Bdd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bdd({} nodes)", self.nodes())
    }
}

impl Clone for Bdd {
    fn clone(&self) -> Self {
        self.store.borrow().held.borrow_mut()[(self.edge >> 1) as usize] += 1;
        Self { edge: self.edge, store: Rc::clone(&self.store) }
    }
}

impl Drop for Bdd {
    fn drop(&mut self) {
        self.store.borrow().held.borrow_mut()[(self.edge >> 1) as usize] -= 1;
    }
}

impl PartialEq for Bdd {
    fn eq(&self, other: &Self) -> bool {
        self.edge == other.edge
    }
}

impl Eq for Bdd {}

/// Other variables for variables.
pub struct Renaming(u32);

/// The store of diagrams.
pub struct Bdds {
    store: Rc<RefCell<Store>>,
    bits: u32,
}

impl Bdds {
    /// A store with these variables and room for at most that many nodes. It takes from the budget's memory what it needs, when it needs it.
    ///
    /// # Errors
    /// When the budget has no memory at all.
    pub fn new(bits: u32, most: usize, budget: &Budget) -> Result<Self, OverBudget> {
        Ok(Self { store: Rc::new(RefCell::new(Store::new(bits, most, budget)?)), bits })
    }

    /// Variables that stay together when the order changes: all of them, as ranges, each of so many.
    pub fn keep_together(&self, blocks: Vec<u32>) {
        debug_assert_eq!(blocks.iter().sum::<u32>(), self.bits, "every variable belongs to a block");
        self.store.borrow_mut().sifting.keep_together(blocks);
    }

    /// From now on operations are steps of another budget. The room that was made stays claimed from the first.
    pub fn spend(&self, budget: &Budget) {
        self.store.borrow_mut().budget = budget.clone();
    }

    /// Counts steps of the budget that operations are steps of, and asks whether to stop.
    ///
    /// # Errors
    /// As [`Budget::step`].
    pub fn step(&self, n: u64, what: &'static str) -> Result<(), OverBudget> {
        self.store.borrow().budget.step(n, what)
    }

    /// Takes memory beside that of diagrams from the budget that operations are steps of.
    ///
    /// # Errors
    /// As [`Budget::claim`].
    pub fn claim(&self, bytes: u64, what: &'static str) -> Result<Claim, OverBudget> {
        self.store.borrow().budget.claim(bytes, what)
    }

    /// What all operations took so far, in units of the budget's effort.
    #[must_use]
    pub fn effort(&self) -> u64 {
        self.store.borrow().effort()
    }

    /// How many nodes are stored, garbage included.
    #[must_use]
    pub fn stored(&self) -> u64 {
        self.store.borrow().stored() as u64
    }

    /// The most nodes that were in use after any collection or when asked.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.store.borrow().peak as u64
    }

    /// How often the order was improved.
    #[must_use]
    pub fn reorders(&self) -> u64 {
        self.store.borrow().sifting.times
    }

    /// Frees what nobody holds, and says how many nodes are left.
    pub fn collect(&self) -> u64 {
        let store = &mut *self.store.borrow_mut();
        store.collect();
        store.stored() as u64
    }

    fn hold(&self, edge: Edge) -> Bdd {
        self.store.borrow().held.borrow_mut()[(edge >> 1) as usize] += 1;
        Bdd { edge, store: Rc::clone(&self.store) }
    }

    /// Does an operation, again with more room where there was too little.
    fn run<R>(&self, what: &'static str, op: impl Fn(&mut Store) -> Result<R, Halt>) -> Result<R, OverBudget> {
        let store = &mut *self.store.borrow_mut();
        store.budget.step(1, what)?;
        store.what = what;
        store.beside += OPERATION;
        let (mut failed, mut more) = (false, true);
        loop {
            match op(store) {
                Ok(done) => return Ok(done),
                Err(Halt) if !more || store.is_over() => return Err(store.halted()),
                Err(Halt) => more = store.make_room(std::mem::replace(&mut failed, true))?,
            }
        }
    }

    fn make(&self, what: &'static str, op: impl Fn(&mut Store) -> Result<Edge, Halt>) -> Result<Bdd, OverBudget> {
        let edge = self.run(what, op)?;
        Ok(self.hold(edge))
    }

    /// The function that is always true.
    #[must_use]
    pub fn top(&self) -> Bdd {
        self.hold(TRUE)
    }

    /// The function that is never true.
    #[must_use]
    pub fn bottom(&self) -> Bdd {
        self.hold(FALSE)
    }

    /// A constant function.
    #[must_use]
    pub fn constant(&self, value: bool) -> Bdd {
        if value { self.top() } else { self.bottom() }
    }

    /// A variable as a function.
    ///
    /// # Errors
    /// When there is no room.
    pub fn var(&self, bit: Bit) -> Result<Bdd, OverBudget> {
        self.make("making a variable", |s| s.make(bit.0, TRUE, FALSE))
    }

    /// `!a`. Complement edges make it free.
    #[must_use]
    pub fn not(&self, a: &Bdd) -> Bdd {
        self.hold(a.edge ^ 1)
    }

    /// `a && b`
    ///
    /// # Errors
    /// When there is no room.
    pub fn and(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, OverBudget> {
        self.make("intersecting sets", |s| s.and(a.edge, b.edge))
    }

    /// `a || b`
    ///
    /// # Errors
    /// When there is no room.
    pub fn or(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, OverBudget> {
        self.make("uniting sets", |s| s.or(a.edge, b.edge))
    }

    /// `a && !b`
    ///
    /// # Errors
    /// When there is no room.
    pub fn minus(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, OverBudget> {
        self.make("subtracting sets", |s| s.and(a.edge, b.edge ^ 1))
    }

    /// `a -> b`
    ///
    /// # Errors
    /// When there is no room.
    pub fn implies(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, OverBudget> {
        self.make("comparing sets", |s| s.or(a.edge ^ 1, b.edge))
    }

    /// `a <-> b`
    ///
    /// # Errors
    /// When there is no room.
    pub fn iff(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, OverBudget> {
        self.make("comparing sets", |s| s.xor(a.edge, b.edge ^ 1))
    }

    /// `a xor b`
    ///
    /// # Errors
    /// When there is no room.
    pub fn xor(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, OverBudget> {
        self.make("comparing sets", |s| s.xor(a.edge, b.edge))
    }

    /// `c ? a : b`
    ///
    /// # Errors
    /// When there is no room.
    pub fn ite(&self, c: &Bdd, a: &Bdd, b: &Bdd) -> Result<Bdd, OverBudget> {
        self.make("joining sets", |s| s.ite(c.edge, a.edge, b.edge))
    }

    /// Whether some values of the cube's variables make it true.
    ///
    /// # Errors
    /// When there is no room.
    pub fn exists(&self, a: &Bdd, cube: &Bdd) -> Result<Bdd, OverBudget> {
        self.make("projecting a set", |s| s.exists(a.edge, cube.edge))
    }

    /// `exists(a && b)` without building the conjunction.
    ///
    /// # Errors
    /// When there is no room.
    pub fn and_exists(&self, a: &Bdd, b: &Bdd, cube: &Bdd) -> Result<Bdd, OverBudget> {
        self.make("following a relation", |s| s.and_exists(a.edge, b.edge, cube.edge))
    }

    /// The function where some variables have the values that a [`Self::minterm`] gives them.
    ///
    /// # Errors
    /// When there is no room.
    pub fn restrict(&self, a: &Bdd, minterm: &Bdd) -> Result<Bdd, OverBudget> {
        self.make("fixing variables", |s| s.restrict(a.edge, minterm.edge))
    }

    /// The function over other variables.
    ///
    /// # Errors
    /// When there is no room.
    pub fn rename(&self, a: &Bdd, renaming: &Renaming) -> Result<Bdd, OverBudget> {
        self.make("renaming variables", |s| s.rename(a.edge, renaming.0))
    }

    /// Whether no assignment makes both true.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn is_disjoint(&self, a: &Bdd, b: &Bdd) -> Result<bool, OverBudget> {
        self.run("comparing sets", |s| s.disjoint(a.edge, b.edge))
    }

    /// Whether every assignment of `a` is one of `b`.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn is_subset(&self, a: &Bdd, b: &Bdd) -> Result<bool, OverBudget> {
        self.run("comparing sets", |s| s.disjoint(a.edge, b.edge ^ 1))
    }

    /// The conjunction of variables: what [`Self::exists`] takes.
    ///
    /// # Errors
    /// When there is no room.
    pub fn cube(&self, bits: impl IntoIterator<Item = Bit>) -> Result<Bdd, OverBudget> {
        self.minterm(bits.into_iter().map(|bit| (bit, true)))
    }

    /// The conjunction of literals, at most one of a variable.
    ///
    /// # Errors
    /// When there is no room.
    pub fn minterm(&self, literals: impl IntoIterator<Item = (Bit, bool)>) -> Result<Bdd, OverBudget> {
        let literals: Vec<(Bit, bool)> = literals.into_iter().collect();
        self.make("intersecting sets", |s| {
            // From the bottom up, so that each adds one node. The order may have changed since the last attempt.
            let mut literals: Vec<_> =
                literals.iter().map(|&(bit, value)| (s.level_of[bit.0 as usize], bit, value)).collect();
            literals.sort_unstable_by_key(|&(level, ..)| std::cmp::Reverse(level));
            literals.iter().try_fold(TRUE, |rest, &(_, bit, value)| {
                let (high, low) = if value { (rest, FALSE) } else { (FALSE, rest) };
                s.make(bit.0, high, low)
            })
        })
    }

    /// Prepares to put the second of each pair for the first.
    #[must_use]
    pub fn renaming(&self, pairs: &[(Bit, Bit)]) -> Renaming {
        let mut to: Vec<u32> = (0..self.bits).collect();
        pairs.iter().for_each(|&(from, other)| to[from.0 as usize] = other.0);
        let renamings = &mut self.store.borrow_mut().renamings;
        let known = renamings.iter().position(|known| *known == to).unwrap_or_else(|| {
            renamings.push(to);
            renamings.len() - 1
        });
        Renaming(known as u32)
    }

    /// How many assignments make it true, if `free` of the variables, on which it does not depend, do not count.
    #[must_use]
    pub fn count(&self, a: &Bdd, free: u32) -> UBig {
        let store = self.store.borrow();
        let mut known = FxHashMap::default();
        (count(&store, a.edge, &mut known) << store.level(a.edge) as usize) >> free as usize
    }

    /// An assignment that makes it true, for all variables: false wherever there is a choice. `None` if there is none.
    #[must_use]
    pub fn pick(&self, a: &Bdd) -> Option<Vec<bool>> {
        if a.is_false() {
            return None;
        }
        let store = self.store.borrow();
        let (mut values, mut at) = (vec![false; self.bits as usize], a.edge);
        while at != TRUE {
            let (high, low) = store.halves(at);
            let value = low == FALSE;
            values[store.nodes[(at >> 1) as usize].var as usize] = value;
            at = if value { high } else { low };
        }
        Some(values)
    }

    /// Whether it is true under an assignment of all variables.
    #[must_use]
    pub fn at(&self, a: &Bdd, values: &[bool]) -> bool {
        let store = self.store.borrow();
        let mut at = a.edge;
        while at > FALSE {
            let (high, low) = store.halves(at);
            at = if values[store.nodes[(at >> 1) as usize].var as usize] { high } else { low };
        }
        at == TRUE
    }
}

/// How many assignments of the variables from the function's first one on make it true.
fn count(store: &Store, edge: Edge, known: &mut FxHashMap<Edge, UBig>) -> UBig {
    if edge <= FALSE {
        return UBig::from(u32::from(edge == TRUE));
    }
    if let Some(count) = known.get(&edge) {
        return count.clone();
    }
    let level = store.level(edge);
    let (high, low) = store.halves(edge);
    let [high, low] = [high, low].map(|half| count(store, half, known) << (store.level(half) - level - 1) as usize);
    let sum = high + low;
    known.insert(edge, sum.clone());
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_base::Limit;

    #[test]
    fn functions_of_three_variables() {
        let bdds = Bdds::new(3, 1 << 12, &Budget::unlimited()).unwrap();
        let [a, b, c] = [0, 1, 2].map(|i| bdds.var(Bit(i)).unwrap());
        let f = bdds.ite(&a, &b, &c).unwrap();
        for n in 0..8 {
            let values = [0, 1, 2].map(|i| n >> i & 1 == 1);
            assert_eq!(bdds.at(&f, &values), if values[0] { values[1] } else { values[2] });
        }
        assert_eq!(bdds.count(&f, 0), UBig::from(4_u32));
        let cube = bdds.cube([Bit(0)]).unwrap();
        assert_eq!(bdds.exists(&f, &cube).unwrap(), bdds.or(&b, &c).unwrap());
        assert_eq!(bdds.count(&bdds.exists(&f, &cube).unwrap(), 1), UBig::from(3_u32));
        let renaming = bdds.renaming(&[(Bit(1), Bit(2)), (Bit(2), Bit(1))]);
        assert_eq!(bdds.rename(&f, &renaming).unwrap(), bdds.ite(&a, &c, &b).unwrap());
        let fixed = bdds.restrict(&f, &bdds.minterm([(Bit(0), false)]).unwrap()).unwrap();
        assert_eq!(fixed, c);
        assert_eq!(bdds.minus(&f, &f).unwrap(), bdds.bottom());
        assert_eq!(bdds.pick(&bdds.bottom()), None);
        assert!(bdds.at(&f, &bdds.pick(&f).unwrap()));
    }

    /// With few nodes there is garbage in the way all the time: the answer is right, or there is none.
    #[test]
    fn with_little_room_the_answer_is_right_or_there_is_none() {
        // How many ways there are to choose k of n: all diagrams on the way are small, what is left behind is not.
        let (n, mut answered, mut refused) = (24_u32, 0, 0);
        for capacity in [16, 64, 200, 400, 800, 1600, 6400] {
            let budget = Budget::unlimited();
            let chosen = || -> Result<UBig, OverBudget> {
                let bdds = Bdds::new(n, capacity, &budget)?;
                let mut exactly = vec![bdds.top()];
                for i in (0..n).rev() {
                    let var = bdds.var(Bit(i))?;
                    exactly = (0..=exactly.len())
                        .map(|k| {
                            let with = k.checked_sub(1).map_or(bdds.bottom(), |j| exactly[j].clone());
                            bdds.ite(&var, &with, &exactly.get(k).cloned().unwrap_or(bdds.bottom()))
                        })
                        .collect::<Result<_, _>>()?;
                }
                Ok(bdds.count(&exactly[12], 0))
            };
            match chosen() {
                Ok(count) => {
                    assert_eq!(count, UBig::from(2_704_156_u32));
                    answered += 1;
                }
                Err(over) => {
                    assert_eq!(over.limit, Limit::Memory);
                    refused += 1;
                }
            }
        }
        assert!(answered > 0 && refused > 0, "{answered} answered, {refused} refused");
    }

    #[test]
    fn a_store_takes_memory_when_it_needs_it() {
        let budget = Budget::with_memory(1 << 20);
        let bdds = Bdds::new(64, usize::MAX, &budget).unwrap();
        let tried = (0..32).try_fold(bdds.bottom(), |any, i| {
            // Far apart, so that every new pair doubles the diagram.
            bdds.or(&any, &bdds.and(&bdds.var(Bit(i))?, &bdds.var(Bit(63 - i))?)?)
        });
        assert!(tried.is_ok(), "sifting brings them together");
        drop((tried, bdds));
        let bdds = Bdds::new(64, usize::MAX, &budget).unwrap();
        bdds.keep_together(vec![64]);
        let tried = (0..32).try_fold(bdds.bottom(), |any, i| {
            bdds.or(&any, &bdds.and(&bdds.var(Bit(i))?, &bdds.var(Bit((i * 7 + 3) % 32 + 32))?)?)
        });
        assert_eq!(tried.map(|_| ()).map_err(|over| over.limit), Err(Limit::Memory), "all are one block");
        assert!(Bdds::new(8, 1 << 20, &Budget::with_memory(1 << 10)).is_err());
        drop(bdds);
        assert_eq!(budget.claimed(), 0);
    }

    /// A function as the list of its values.
    fn table(values: impl Fn(u32) -> bool) -> u64 {
        (0..64).filter(|&n| values(n)).fold(0, |table, n| table | 1 << n)
    }

    /// All operations on random functions of six variables against their tables, while the order changes and garbage is collected.
    #[test]
    fn operations_agree_with_truth_tables_in_every_order() {
        const BITS: u32 = 6;
        for seed in 0..40 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let budget = Budget::unlimited();
            let bdds = Bdds::new(BITS, 1 << 10, &budget).unwrap();
            let blocks = [vec![1; 6], vec![2; 3], vec![1, 2, 3], vec![3, 1, 2]];
            bdds.keep_together(blocks[rng.usize(..4)].clone());
            let bit = |n: u32, i: u32| n >> i & 1 == 1;
            let mut known: Vec<(Bdd, u64)> =
                (0..BITS).map(|i| (bdds.var(Bit(i)).unwrap(), table(|n| bit(n, i)))).collect();
            for round in 0..200 {
                let [(a, x), (b, y), (c, z)] = [(); 3].map(|()| known[rng.usize(..known.len())].clone());
                let is = |x: u64, n: u32| x >> n & 1 == 1;
                let chosen: Vec<u32> = (0..BITS).filter(|_| rng.bool()).collect();
                let cube = bdds.cube(chosen.iter().map(|&i| Bit(i))).unwrap();
                let mask = chosen.iter().fold(0, |mask, i| mask | 1 << i);
                let some = |x: u64| table(|n| (0..64).any(|m| m & !mask == n & !mask && is(x, m)));
                let set = rng.u32(..64);
                let mut to: Vec<u32> = (0..BITS).collect();
                rng.shuffle(&mut to);
                let (made, expected) = match rng.u32(..11) {
                    0 => (bdds.and(&a, &b), x & y),
                    1 => (bdds.or(&a, &b), x | y),
                    2 => (bdds.minus(&a, &b), x & !y),
                    3 => (bdds.xor(&a, &b), x ^ y),
                    4 => (bdds.iff(&a, &b), !(x ^ y)),
                    5 => (bdds.implies(&a, &b), !x | y),
                    6 => (bdds.ite(&a, &b, &c), x & y | !x & z),
                    7 => (bdds.exists(&a, &cube), some(x)),
                    8 => (bdds.and_exists(&a, &b, &cube), some(x & y)),
                    9 => {
                        let fixed = bdds.minterm(chosen.iter().map(|&i| (Bit(i), bit(set, i)))).unwrap();
                        (bdds.restrict(&a, &fixed), table(|n| is(x, n & !mask | set & mask)))
                    }
                    _ => {
                        let pairs: Vec<_> = (0..BITS).map(|i| (Bit(i), Bit(to[i as usize]))).collect();
                        let read = |n: u32| (0..BITS).fold(0, |m, i| m | u32::from(bit(n, to[i as usize])) << i);
                        (bdds.rename(&a, &bdds.renaming(&pairs)), table(|n| is(x, read(n))))
                    }
                };
                let made = made.unwrap();
                let truth = table(|n| bdds.at(&made, &(0..BITS).map(|i| bit(n, i)).collect::<Vec<_>>()));
                assert_eq!(truth, expected, "seed {seed}, round {round}");
                assert_eq!(bdds.count(&made, 0), UBig::from(expected.count_ones()));
                assert_eq!(bdds.not(&made) == a, !expected == x);
                assert_eq!(bdds.is_disjoint(&a, &b).unwrap(), x & y == 0);
                assert_eq!(bdds.is_subset(&a, &b).unwrap(), x & !y == 0);
                assert_eq!(bdds.pick(&made).is_none(), expected == 0);
                if let Some(values) = bdds.pick(&made) {
                    assert!(bdds.at(&made, &values));
                }
                for (other, truth) in &known {
                    assert_eq!(*other == made, *truth == expected, "equal functions are equal diagrams");
                }
                let place = rng.usize(..20);
                if place < known.len() && known.len() > 15 {
                    known[place] = (made, expected);
                } else {
                    known.push((made, expected));
                }
                if rng.u32(..8) == 0 {
                    bdds.store.borrow_mut().sift_now();
                }
            }
        }
    }

    /// The sum of products of far variables has a diagram for every subset in one order and few nodes in another.
    #[test]
    fn the_order_improves_by_itself() {
        let bdds = Bdds::new(40, usize::MAX, &Budget::unlimited()).unwrap();
        bdds.keep_together(vec![2; 20]);
        let mut any = bdds.bottom();
        for i in 0..10 {
            let both = bdds.and(&bdds.var(Bit(2 * i)).unwrap(), &bdds.var(Bit(2 * ((i * 3 + 1) % 10) + 20)).unwrap());
            any = bdds.or(&any, &both.unwrap()).unwrap();
        }
        let before = any.nodes();
        bdds.store.borrow_mut().sift_now();
        assert!(before > 1000 && any.nodes() < 30, "{before} nodes before, {} after", any.nodes());
        assert!(bdds.reorders() > 0);
    }
}
