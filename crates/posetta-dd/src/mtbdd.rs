//! Multi-terminal binary decision diagrams: functions from truth vectors to numbers (Fujita, McGeer, Yang 1997).
//!
//! A node asks one variable; variables ascend along every path. Nodes are hash-consed and never have two equal children, so two
//! functions are equal exactly if their references are. What the numbers mean is the caller's business: a boolean function
//! has 0 and 1, an automaton its states (`posetta_automata::tracks`, for M2L).

use crate::pairs::Pairs;
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

    /// The function that begins at a node of a list of nodes.
    ///
    /// # Panics
    /// If the place has 32 bits.
    #[must_use]
    pub fn at_node(place: u32) -> Self {
        assert!(place < NUMBER, "places have 31 bits");
        Self(place)
    }

    pub(crate) fn from_raw(raw: u32) -> Self {
        Self(raw)
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

/// The upper half is well mixed. (Stretches of places for the nodes of a few neighbouring children, so that they are in
/// the machine's cache together, were no faster: they crowd each other.)
fn hash(node: &Node) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let children = u64::from(node.low.0) << 32 | u64::from(node.high.0);
    (children ^ children >> 29 ^ u64::from(node.var).wrapping_mul(ODD)).wrapping_mul(ODD)
}

/// Where no place of a node is.
const VACANT: u32 = u32::MAX;

/// So many places of nodes at first.
const FEW: usize = 1 << 4;

/// A store of functions.
#[derive(Debug)]
pub struct Mtbdd {
    nodes: Vec<Node>,
    /// Places of nodes, by what they ask, with open addressing: as many as a power of two, or none; at least half of
    /// them are vacant. (A general hash table took a quarter of the time of large automata: to look for a node, and to
    /// hash all of them whenever it grew.)
    ids: Vec<u32>,
    claim: Claim,
}

impl Mtbdd {
    /// An empty store; what it takes is claimed from the budget.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn new(budget: &Budget) -> Result<Self, OverBudget> {
        Ok(Self { nodes: Vec::new(), ids: Vec::new(), claim: budget.claim(0, WHAT)? })
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
        if 2 * self.nodes.len() >= self.ids.len() {
            self.grow()?;
        }
        let node = Node { var, low, high };
        let place = self.find(&node);
        if self.ids[place] == VACANT {
            self.ids[place] = self.nodes.len() as u32;
            self.nodes.push(node);
        }
        Ok(Function(self.ids[place]))
    }

    /// Where the place of a node is, or would be. There are vacant ones.
    fn find(&self, node: &Node) -> usize {
        let mask = self.ids.len() - 1;
        let mut at = (hash(node) >> 32) as usize & mask;
        loop {
            let id = self.ids[at];
            if id == VACANT || self.nodes[id as usize] == *node {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    /// Twice as much room for places.
    fn grow(&mut self) -> Result<(), OverBudget> {
        let larger = (2 * self.ids.len()).max(FEW);
        // As many nodes as fit, and the places.
        self.claim.grow_to(10 * larger as u64, WHAT)?;
        self.ids = vec![VACANT; larger];
        let mask = larger - 1;
        for (place, node) in self.nodes.iter().enumerate() {
            let mut at = (hash(node) >> 32) as usize & mask;
            while self.ids[at] != VACANT {
                at = (at + 1) & mask;
            }
            self.ids[at] = place as u32;
        }
        Ok(())
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
        let mut memo = Pairs::default();
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
        memo: &mut Pairs,
        f: &mut dyn FnMut(u32, u32) -> Result<u32, OverBudget>,
    ) -> Result<Function, OverBudget> {
        if let (Some(x), Some(y)) = (a.value(), b.value()) {
            return Ok(Function::constant(f(x, y)?));
        }
        if let Some(known) = memo.get(a, b) {
            return Ok(known);
        }
        if memo.len() % 1024 == 1023 {
            budget.step(1024, WHAT)?;
            claim.grow_to(memo.bytes() + (1 << 14), WHAT)?;
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
        memo.put(a, b, result);
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

/// Functions of another store with other numbers, one to one: what was different stays so, and no node is looked up.
#[derive(Debug)]
pub struct Renamed {
    nodes: Vec<Node>,
    /// For each node of the other store what it is here.
    images: Vec<Option<Function>>,
    claim: Claim,
}

impl Renamed {
    /// Nothing yet.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn new(budget: &Budget) -> Result<Self, OverBudget> {
        Ok(Self { nodes: Vec::new(), images: Vec::new(), claim: budget.claim(0, WHAT)? })
    }

    /// A function of the other store, always the same one, whose numbers are renamed, those of low branches first.
    /// Different numbers must get different ones. No deeper than there are variables.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn copy(
        &mut self,
        function: Function,
        from: &Mtbdd,
        number: &mut impl FnMut(u32) -> u32,
    ) -> Result<Function, OverBudget> {
        let Some(place) = function.node() else {
            return Ok(function.value().map_or(function, |value| Function::constant(number(value))));
        };
        if self.images.len() <= place as usize {
            self.images.resize(from.len(), None);
        }
        if let Some(known) = self.images[place as usize] {
            return Ok(known);
        }
        let node = from.node(place);
        let low = self.copy(node.low, from, number)?;
        let high = self.copy(node.high, from, number)?;
        if self.nodes.len().is_multiple_of(1024) {
            self.claim.grow_to(8 * self.images.len() as u64 + 12 * (self.nodes.len() as u64 + 1024), WHAT)?;
        }
        let image = Function(self.nodes.len() as u32);
        self.nodes.push(Node { var: node.var, low, high });
        self.images[place as usize] = Some(image);
        Ok(image)
    }

    /// All nodes that were copied, children before parents.
    #[must_use]
    pub fn into_nodes(self) -> Vec<Node> {
        self.nodes
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
