//! Binary decision diagrams: truth functions of truth values, each stored once, with complement edges.
//!
//! A thin face over the crate `oxidd`, so that the rest of the house sees functions ([`Bdd`]), numbered variables ([`Bit`]) and
//! [`OverBudget`], and nothing else of it. Variables are ordered by their numbers; whoever makes them computes a good order first.
//!
//! The crate has a fixed number of nodes and a collector in the background. An operation that finds no free node fails even if most
//! nodes are garbage, and asking for a collection returns at once if one is under way. So every operation here is tried, and if it fails,
//! after a collection that began later, tried again ([`Bdds::retry`]); only if that fails too, the diagrams are really too large.

use std::cell::RefCell;
use std::hash::BuildHasherDefault;
use std::ops::{Add, Shl, ShlAssign, Shr};

use dashu_int::UBig;
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef, new_manager};
use oxidd::util::{AllocResult, OptBool, SatCountCache};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, Manager, ManagerRef, Subst,
};
use rustc_hash::FxHasher;

use posetta_base::{Budget, Claim, Limit, OverBudget};

/// What a node takes: itself, its place in the unique table, and its share of the cache of results.
const BYTES_PER_NODE: u64 = 48;

/// The effort of an operation, and of each node that it makes, in units of the budget.
const OPERATION: u64 = 30;
const NEW_NODE: u64 = 40;

/// A variable: its place in the order, the topmost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bit(pub u32);

/// A truth function. Equal functions are equal diagrams.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bdd(BCDDFunction);

impl std::fmt::Debug for Bdd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bdd({} nodes)", self.nodes())
    }
}

impl Bdd {
    /// Whether it is never true.
    #[must_use]
    pub fn is_false(&self) -> bool {
        !self.0.satisfiable()
    }

    /// Whether it is always true.
    #[must_use]
    pub fn is_true(&self) -> bool {
        self.0.valid()
    }

    /// How many nodes it has.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.0.node_count() as u64
    }
}

/// Other variables for variables.
pub struct Renaming(Subst<BCDDFunction>);

/// The store of diagrams.
pub struct Bdds {
    manager: BCDDManagerRef,
    bits: u32,
    budget: RefCell<Budget>,
    top: Bdd,
    bottom: Bdd,
    capacity: usize,
    /// The most nodes that were seen in use.
    peak: std::cell::Cell<usize>,
    /// What operations took, about.
    effort: std::cell::Cell<u64>,
    _claim: Claim,
}

/// A count that the crate can add up.
#[derive(Clone)]
struct Count(UBig);

impl From<u32> for Count {
    fn from(n: u32) -> Self {
        Self(n.into())
    }
}

impl Add for Count {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Shl<u32> for Count {
    type Output = Self;
    fn shl(self, by: u32) -> Self {
        Self(self.0 << by as usize)
    }
}

impl Shr<u32> for Count {
    type Output = Self;
    fn shr(self, by: u32) -> Self {
        Self(self.0 >> by as usize)
    }
}

impl ShlAssign<i32> for Count {
    fn shl_assign(&mut self, by: i32) {
        self.0 <<= by.unsigned_abs() as usize;
    }
}

impl Bdds {
    /// A store with these variables and room for that many nodes.
    ///
    /// # Errors
    /// When the budget's memory is smaller than that.
    pub fn new(bits: u32, capacity: usize, budget: &Budget) -> Result<Self, OverBudget> {
        let capacity = capacity.max(16);
        let claim =
            budget.claim(BYTES_PER_NODE.saturating_mul(capacity as u64), "making room for decision diagrams")?;
        let cache = (capacity / 4).next_power_of_two().max(1 << 10);
        let manager = new_manager(capacity, cache, 1);
        manager.with_manager_exclusive(|m| m.add_vars(bits));
        let (top, bottom) = manager.with_manager_shared(|m| (Bdd(BCDDFunction::t(m)), Bdd(BCDDFunction::f(m))));
        let peak = std::cell::Cell::new(0);
        let budget = RefCell::new(budget.clone());
        Ok(Self { manager, bits, budget, top, bottom, capacity, peak, effort: std::cell::Cell::new(0), _claim: claim })
    }

    /// From now on operations are steps of another budget. The room that was made stays claimed from the first.
    pub fn spend(&self, budget: &Budget) {
        self.budget.replace(budget.clone());
    }

    /// Counts steps of the budget that operations are steps of, and asks whether to stop.
    ///
    /// # Errors
    /// As [`Budget::step`].
    pub fn step(&self, n: u64, what: &'static str) -> Result<(), OverBudget> {
        self.budget.borrow().step(n, what)
    }

    /// What all operations took so far, in units of the budget's effort: an operation cannot be looked into, so it is counted by the nodes that it left
    /// behind. Where garbage was collected meanwhile that is less than it took.
    #[must_use]
    pub fn effort(&self) -> u64 {
        self.effort.get()
    }

    /// How many nodes are stored, garbage included.
    #[must_use]
    pub fn stored(&self) -> u64 {
        self.manager.with_manager_shared(|m| m.approx_num_inner_nodes()) as u64
    }

    /// The most nodes that were in use after any collection or when asked.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.peak.get() as u64
    }

    /// Frees what nobody holds, and says how many nodes are left.
    pub fn collect(&self) -> u64 {
        let left = self.manager.with_manager_shared(|m| {
            m.gc();
            m.num_inner_nodes()
        });
        self.peak.set(self.peak.get().max(left));
        left as u64
    }

    /// Tries an operation; if there was no room, collects garbage and tries again.
    fn retry(&self, what: &'static str, op: impl Fn() -> AllocResult<BCDDFunction>) -> Result<Bdd, OverBudget> {
        self.step(1, what)?;
        let before = self.stored();
        let tried = op();
        let more = self.stored().saturating_sub(before);
        self.effort.set(self.effort.get() + OPERATION + NEW_NODE * more);
        if let Ok(done) = tried {
            return Ok(Bdd(done));
        }
        // The background collector may have begun before our garbage was garbage: a collection counts if it is ours, or began after another
        // one ended. Three begun collections are enough for that; waiting is bounded, too.
        for _ in 0..3 {
            let before = self.manager.with_manager_shared(|m| m.gc_count());
            let mut patience = 1_000_000_u32;
            while self.manager.with_manager_shared(|m| {
                m.gc();
                m.gc_count() == before
            }) && patience > 0
            {
                patience -= 1;
                self.step(0, what)?;
                std::thread::yield_now();
            }
            let left = self.manager.with_manager_shared(|m| m.num_inner_nodes());
            self.peak.set(self.peak.get().max(left));
            if let Ok(done) = op() {
                return Ok(Bdd(done));
            }
            self.step(1, what)?;
        }
        self.peak.set(self.capacity);
        Err(OverBudget::new(what, Limit::Memory))
    }

    /// The function that is always true.
    #[must_use]
    pub fn top(&self) -> Bdd {
        self.top.clone()
    }

    /// The function that is never true.
    #[must_use]
    pub fn bottom(&self) -> Bdd {
        self.bottom.clone()
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
        self.retry("making a variable", || self.manager.with_manager_shared(|m| BCDDFunction::var(m, bit.0)))
    }

    /// `!a`. Complement edges make it free.
    ///
    /// # Errors
    /// When there is no room.
    pub fn not(&self, a: &Bdd) -> Result<Bdd, OverBudget> {
        self.retry("negating a set", || a.0.not())
    }

    /// `a && b`
    ///
    /// # Errors
    /// When there is no room.
    pub fn and(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, OverBudget> {
        self.retry("intersecting sets", || a.0.and(&b.0))
    }

    /// `a || b`
    ///
    /// # Errors
    /// When there is no room.
    pub fn or(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, OverBudget> {
        self.retry("uniting sets", || a.0.or(&b.0))
    }

    /// `a && !b`
    ///
    /// # Errors
    /// When there is no room.
    pub fn minus(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, OverBudget> {
        self.retry("subtracting sets", || b.0.imp_strict(&a.0))
    }

    /// `a -> b`
    ///
    /// # Errors
    /// When there is no room.
    pub fn implies(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, OverBudget> {
        self.retry("comparing sets", || a.0.imp(&b.0))
    }

    /// `a <-> b`
    ///
    /// # Errors
    /// When there is no room.
    pub fn iff(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, OverBudget> {
        self.retry("comparing sets", || a.0.equiv(&b.0))
    }

    /// `a xor b`
    ///
    /// # Errors
    /// When there is no room.
    pub fn xor(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, OverBudget> {
        self.retry("comparing sets", || a.0.xor(&b.0))
    }

    /// `c ? a : b`
    ///
    /// # Errors
    /// When there is no room.
    pub fn ite(&self, c: &Bdd, a: &Bdd, b: &Bdd) -> Result<Bdd, OverBudget> {
        self.retry("joining sets", || c.0.ite(&a.0, &b.0))
    }

    /// Whether every assignment of `a` is one of `b`.
    ///
    /// # Errors
    /// When there is no room.
    pub fn is_subset(&self, a: &Bdd, b: &Bdd) -> Result<bool, OverBudget> {
        Ok(self.implies(a, b)?.is_true())
    }

    /// The conjunction of variables: what [`Self::exists`] takes.
    ///
    /// # Errors
    /// When there is no room.
    pub fn cube(&self, bits: impl IntoIterator<Item = Bit>) -> Result<Bdd, OverBudget> {
        let mut bits: Vec<Bit> = bits.into_iter().collect();
        bits.sort_unstable();
        // From the bottom up, so that each step adds one node.
        bits.iter().rev().try_fold(self.top(), |cube, &bit| self.and(&self.var(bit)?, &cube))
    }

    /// Whether some values of the cube's variables make it true.
    ///
    /// # Errors
    /// When there is no room.
    pub fn exists(&self, a: &Bdd, cube: &Bdd) -> Result<Bdd, OverBudget> {
        self.retry("projecting a set", || a.0.exists(&cube.0))
    }

    /// `exists(a && b)` without building the conjunction.
    ///
    /// # Errors
    /// When there is no room.
    pub fn and_exists(&self, a: &Bdd, b: &Bdd, cube: &Bdd) -> Result<Bdd, OverBudget> {
        self.retry("following a relation", || a.0.apply_exists(BooleanOperator::And, &b.0, &cube.0))
    }

    /// The function where some variables have the values that a [`Self::minterm`] gives them.
    ///
    /// # Errors
    /// When there is no room.
    pub fn restrict(&self, a: &Bdd, minterm: &Bdd) -> Result<Bdd, OverBudget> {
        self.retry("fixing variables", || a.0.restrict(&minterm.0))
    }

    /// Prepares to put the second of each pair for the first.
    ///
    /// # Errors
    /// When there is no room.
    pub fn renaming(&self, pairs: &[(Bit, Bit)]) -> Result<Renaming, OverBudget> {
        let from = pairs.iter().map(|(from, _)| from.0).collect();
        let to = pairs.iter().map(|&(_, to)| Ok(self.var(to)?.0)).collect::<Result<Vec<_>, OverBudget>>()?;
        Ok(Renaming(Subst::new(from, to)))
    }

    /// The function over other variables.
    ///
    /// # Errors
    /// When there is no room.
    pub fn rename(&self, a: &Bdd, renaming: &Renaming) -> Result<Bdd, OverBudget> {
        self.retry("renaming variables", || a.0.substitute(&renaming.0))
    }

    /// How many assignments make it true, if `free` of the variables, on which it does not depend, do not count.
    #[must_use]
    pub fn count(&self, a: &Bdd, free: u32) -> UBig {
        let mut cache: SatCountCache<Count, BuildHasherDefault<FxHasher>> = SatCountCache::default();
        a.0.sat_count(self.bits, &mut cache).0 >> free as usize
    }

    /// An assignment that makes it true, for all variables: false wherever there is a choice. `None` if there is none.
    #[must_use]
    pub fn pick(&self, a: &Bdd) -> Option<Vec<bool>> {
        let cube = a.0.pick_cube(|_, _, _| false)?;
        Some(cube.into_iter().map(|value| value == OptBool::True).collect())
    }

    /// Whether it is true under an assignment of all variables.
    #[must_use]
    pub fn at(&self, a: &Bdd, values: &[bool]) -> bool {
        a.0.eval((0..).zip(values.iter().copied()))
    }

    /// The conjunction of literals.
    ///
    /// # Errors
    /// When there is no room.
    pub fn minterm(&self, literals: impl IntoIterator<Item = (Bit, bool)>) -> Result<Bdd, OverBudget> {
        let mut literals: Vec<(Bit, bool)> = literals.into_iter().collect();
        literals.sort_unstable();
        literals.iter().rev().try_fold(self.top(), |cube, &(bit, value)| {
            let var = self.var(bit)?;
            if value { self.and(&var, &cube) } else { self.minus(&cube, &var) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let renaming = bdds.renaming(&[(Bit(1), Bit(2)), (Bit(2), Bit(1))]).unwrap();
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
    fn a_store_that_is_larger_than_the_budget_is_refused() {
        assert!(Bdds::new(8, 1 << 20, &Budget::with_memory(1 << 20)).is_err());
    }
}
