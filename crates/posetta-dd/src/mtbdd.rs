//! Multi-terminal binary decision diagrams: functions from truth vectors to numbers (Fujita, McGeer, Yang 1997).
//!
//! A node asks one variable; variables ascend along every path. Nodes are hash-consed and never have two equal children, so two
//! functions are equal exactly if their references are. What the numbers mean is the caller's business: a boolean function
//! has 0 and 1, an automaton its states (`posetta_automata::tracks`, for M2L).

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use posetta_base::{Budget, Claim, OverBudget};

const WHAT: &str = "building the decision diagrams of the property";

/// A function: a number, or a node of its [`Mtbdd`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Function(u32);

/// Set in references to numbers.
const NUMBER: u32 = 1 << 31;

impl Function {
    /// The function that is the same everywhere.
    ///
    /// # Panics
    /// If the number has 32 bits.
    #[must_use]
    pub fn constant(value: u32) -> Self {
        assert!(value < NUMBER, "numbers have 31 bits");
        Self(value | NUMBER)
    }

    /// Its own number, for tables.
    #[must_use]
    pub fn raw(self) -> u32 {
        self.0
    }

    /// The number, if it is the same everywhere.
    #[must_use]
    pub fn value(self) -> Option<u32> {
        (self.0 & NUMBER != 0).then_some(self.0 & !NUMBER)
    }

    /// The place of its node; `None` for a constant.
    #[must_use]
    pub fn node(self) -> Option<u32> {
        (self.0 & NUMBER == 0).then_some(self.0)
    }
}

/// One question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// What is asked.
    pub var: u32,
    /// If it is false.
    pub low: Function,
    /// If it is true.
    pub high: Function,
}

fn hash(node: &Node) -> u64 {
    FxBuildHasher.hash_one(node)
}

/// A store of functions.
#[derive(Debug)]
pub struct Mtbdd {
    nodes: Vec<Node>,
    /// Places of nodes, found by what they ask.
    ids: HashTable<u32>,
    claim: Claim,
}

impl Mtbdd {
    /// An empty store; what it takes is claimed from the budget.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn new(budget: &Budget) -> Result<Self, OverBudget> {
        Ok(Self { nodes: Vec::new(), ids: HashTable::new(), claim: budget.claim(0, WHAT)? })
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether all functions are constant.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A node; its children come before it.
    #[must_use]
    pub fn node(&self, place: u32) -> Node {
        self.nodes[place as usize]
    }

    /// All nodes, children before parents.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// All nodes, children before parents.
    #[must_use]
    pub fn into_nodes(self) -> Vec<Node> {
        self.nodes
    }

    /// The function that is `high` where a variable is true and `low` where it is false; both ask later variables only.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn ask(&mut self, var: u32, low: Function, high: Function) -> Result<Function, OverBudget> {
        if low == high {
            return Ok(low);
        }
        let node = Node { var, low, high };
        let hash = hash(&node);
        if let Some(&known) = self.ids.find(hash, |&place| self.nodes[place as usize] == node) {
            return Ok(Function(known));
        }
        if self.nodes.len().is_multiple_of(1024) {
            self.claim.grow_to(24 * (self.nodes.len() as u64 + 1024), WHAT)?;
        }
        let place = self.nodes.len() as u32;
        self.nodes.push(node);
        let nodes = &self.nodes;
        self.ids.insert_unique(hash, place, |&place| self::hash(&nodes[place as usize]));
        Ok(Function(place))
    }

    /// 1 where a variable is true, 0 elsewhere.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn variable(&mut self, var: u32) -> Result<Function, OverBudget> {
        self.ask(var, Function::constant(0), Function::constant(1))
    }

    /// The number at a truth vector.
    #[must_use]
    pub fn at(&self, mut function: Function, truth: impl Fn(u32) -> bool) -> u32 {
        loop {
            match function.value() {
                Some(value) => return value,
                None => {
                    let node = self.nodes[function.0 as usize];
                    function = if truth(node.var) { node.high } else { node.low };
                }
            }
        }
    }

    /// Replaces every number.
    ///
    /// # Errors
    /// When the budget is spent, or when `f` says so.
    pub fn map(
        &mut self,
        function: Function,
        budget: &Budget,
        f: &mut dyn FnMut(u32) -> Result<u32, OverBudget>,
    ) -> Result<Function, OverBudget> {
        self.zip(function, Function::constant(0), budget, &mut |a, _| f(a))
    }

    /// Combines two functions number by number (Bryant's apply, 1986). `f` is called once for each pair of subfunctions that are
    /// both constant.
    ///
    /// # Errors
    /// When the budget is spent, or when `f` says so.
    pub fn zip(
        &mut self,
        a: Function,
        b: Function,
        budget: &Budget,
        f: &mut dyn FnMut(u32, u32) -> Result<u32, OverBudget>,
    ) -> Result<Function, OverBudget> {
        let mut memo = FxHashMap::default();
        let mut claim = budget.claim(0, WHAT)?;
        self.zip_with(a, b, budget, &mut claim, &mut memo, f)
    }

    /// Variables ascend, so the recursion is no deeper than there are variables.
    fn zip_with(
        &mut self,
        a: Function,
        b: Function,
        budget: &Budget,
        claim: &mut Claim,
        memo: &mut FxHashMap<(Function, Function), Function>,
        f: &mut dyn FnMut(u32, u32) -> Result<u32, OverBudget>,
    ) -> Result<Function, OverBudget> {
        if let (Some(x), Some(y)) = (a.value(), b.value()) {
            return Ok(Function::constant(f(x, y)?));
        }
        if let Some(&known) = memo.get(&(a, b)) {
            return Ok(known);
        }
        if memo.len() % 1024 == 1023 {
            budget.step(1024, WHAT)?;
            claim.grow_to(32 * (memo.len() as u64 + 1024), WHAT)?;
        }
        let first = |g: Function| g.node().map_or(u32::MAX, |place| self.nodes[place as usize].var);
        let var = first(a).min(first(b));
        let halves = |g: Function| match g.node().map(|place| self.nodes[place as usize]) {
            Some(node) if node.var == var => (node.low, node.high),
            _ => (g, g),
        };
        let ((a0, a1), (b0, b1)) = (halves(a), halves(b));
        let low = self.zip_with(a0, b0, budget, claim, memo, f)?;
        let high = self.zip_with(a1, b1, budget, claim, memo, f)?;
        let result = self.ask(var, low, high)?;
        memo.insert((a, b), result);
        Ok(result)
    }

    /// The numbers that a function takes, ascending.
    #[must_use]
    pub fn values(&self, function: Function) -> Vec<u32> {
        let mut found = Vec::new();
        let mut seen: rustc_hash::FxHashSet<Function> = rustc_hash::FxHashSet::default();
        let mut open = vec![function];
        while let Some(next) = open.pop() {
            if !seen.insert(next) {
                continue;
            }
            match next.value() {
                Some(value) => found.push(value),
                None => {
                    let node = self.nodes[next.0 as usize];
                    open.extend([node.low, node.high]);
                }
            }
        }
        found.sort_unstable();
        found
    }
}

/// A truth vector at which a function over these nodes has a number, if there is one; zeros are preferred. `None` where the variable may be
/// anything; there are `width` of them.
#[must_use]
pub fn path_to(nodes: &[Node], function: Function, value: u32, width: usize) -> Option<Vec<Option<bool>>> {
    let mut vector = vec![None; width];
    let mut dead = rustc_hash::FxHashSet::default();
    path(nodes, function, value, &mut vector, &mut dead).then_some(vector)
}

/// No deeper than there are variables.
fn path(
    nodes: &[Node],
    function: Function,
    value: u32,
    vector: &mut [Option<bool>],
    dead: &mut rustc_hash::FxHashSet<Function>,
) -> bool {
    let Some(place) = function.node() else { return function.value() == Some(value) };
    if dead.contains(&function) {
        return false;
    }
    let node = nodes[place as usize];
    for (high, child) in [(false, node.low), (true, node.high)] {
        vector[node.var as usize] = Some(high);
        if path(nodes, child, value, vector, dead) {
            return true;
        }
    }
    vector[node.var as usize] = None;
    dead.insert(function);
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_equal_exactly_if_their_references_are() {
        let budget = Budget::unlimited();
        let mut dd = Mtbdd::new(&budget).unwrap();
        let [a, b, c] = [0, 1, 2].map(|v| dd.variable(v).unwrap());
        let mut sum = |x, y| dd.zip(x, y, &budget, &mut |x, y| Ok(x + y)).unwrap();
        let (ab, bc) = (sum(a, b), sum(b, c));
        let (left, right) = (sum(ab, c), sum(a, bc));
        assert_eq!(left, right);
        assert_eq!(dd.values(left), [0, 1, 2, 3]);
        for word in 0..8u32 {
            assert_eq!(dd.at(left, |v| word >> v & 1 == 1), word.count_ones());
        }
        let odd = dd.map(left, &budget, &mut |n| Ok(n % 2)).unwrap();
        let parity = dd.zip(ab, c, &budget, &mut |x, y| Ok((x + y) % 2)).unwrap();
        assert_eq!(odd, parity);
        let zero = dd.map(left, &budget, &mut |_| Ok(0)).unwrap();
        assert_eq!(zero, Function::constant(0));
    }

    #[test]
    fn a_budget_is_kept() {
        let budget = Budget::with_memory(1 << 16);
        let built = (0..40u32).try_fold((Mtbdd::new(&budget).unwrap(), Function::constant(0)), |(mut dd, all), v| {
            let next = dd.variable(v)?;
            // As many numbers as there are vectors.
            let all = dd.zip(all, next, &budget, &mut |x, y| Ok((x << 1 | y) & ((1 << 20) - 1)))?;
            Ok::<_, OverBudget>((dd, all))
        });
        assert_eq!(built.unwrap_err().limit, posetta_base::Limit::Memory);
    }
}
