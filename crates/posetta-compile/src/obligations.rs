//! A linear formula as a nondeterministic automaton on finite words, built on demand.
//!
//! A state is what is still owed: the subformulas that must hold at the next position, whether there must be one, and
//! which subformulas under a past operator may be relied on as having held at the last position. Reading a letter
//! unrolls `f U g = g || (f && X (f U g))`, `f R g = g && (f || WX (f R g))` and their past twins, resolves literals by
//! the letter and past operators by the memory, and leaves one successor per way to pay. A word is accepted if no state
//! on some path lacks a way and nothing is owed strongly at the end.
//!
//! Memory is one-sided: what is remembered did hold; what is not may have. In negation normal form that loses no word.
//! A remembered subformula without future operators is simply evaluated. One with them (`O (p && F q)`) is a promise:
//! remembering it adds it to what is owed now, so both choices are explored.
//!
//! On infinite words ([`Obligations::on_infinite_words`]) there is always a next position, and what is put off must not be put off
//! forever: a step says which `f U g` it puts off ([`Advance`]), and a run is accepting if for each of them infinitely many steps do
//! not (transition-based generalised acceptance, Couvreur 1999).

use rustc_hash::{FxHashMap, FxHashSet};

use super::automaton::Automaton;
use super::normal::{Node, NodeId, Normal};
use posetta_automata::StateId;
use posetta_base::{Budget, Claim, OverBudget};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    /// Owed at the next position, sorted.
    owed: Box<[NodeId]>,
    /// There must be a next position.
    strong: bool,
    /// Held at the last position, sorted; only what the debt can still ask for.
    remembered: Box<[NodeId]>,
    /// Nothing has been read.
    start: bool,
}

/// The automaton of the words that satisfy a formula.
#[derive(Debug)]
pub struct Obligations {
    formula: Normal,
    states: Vec<State>,
    ids: FxHashMap<State, StateId>,
    /// How many subformulas all states list together.
    held: usize,
    /// The subformulas that may have to be remembered.
    memorable: Vec<NodeId>,
    places: FxHashMap<NodeId, usize>,
    /// For each subformula, which places of `memorable` it can ask for: bits, `reach_words` words each.
    reach: Vec<u64>,
    reach_words: usize,
    /// The words go on forever.
    infinite: bool,
}

/// A step on an infinite word.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Advance {
    /// Where it leads to.
    pub to: StateId,
    /// Which of [`Obligations::untils`] it puts off, by their places there, ascending.
    pub put_off: Box<[u32]>,
}

/// One way to pay what is owed at a position.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Way {
    /// Sorted once the way is complete.
    owed: Vec<NodeId>,
    strong: bool,
    /// Sorted.
    remembered: Vec<NodeId>,
    /// What has to come and was not paid; only on infinite words. Sorted once the way is complete.
    put_off: Vec<NodeId>,
}

const WHAT: &str = "building the automaton of the property";

impl Obligations {
    /// The automaton, with its start state only.
    #[must_use]
    pub fn new(formula: Normal) -> Self {
        Self::reading(formula, false)
    }

    /// The automaton of the infinite words that satisfy a formula, with its start state only.
    #[must_use]
    pub fn on_infinite_words(formula: Normal) -> Self {
        Self::reading(formula, true)
    }

    fn reading(formula: Normal, infinite: bool) -> Self {
        let mut automaton = Self {
            states: Vec::new(),
            ids: FxHashMap::default(),
            held: 0,
            memorable: Vec::new(),
            places: FxHashMap::default(),
            reach: Vec::new(),
            reach_words: 0,
            infinite,
            formula,
        };
        automaton.prepare();
        let start =
            State { owed: [automaton.formula.root()].into(), strong: false, remembered: [].into(), start: true };
        automaton.intern(start);
        automaton
    }

    fn prepare(&mut self) {
        let mut place: FxHashMap<NodeId, usize> = FxHashMap::default();
        for (id, node) in self.formula.nodes() {
            let asks = match node {
                Node::Previous(_, f) => *f,
                Node::Since(..) | Node::Trigger(..) => id,
                _ => continue,
            };
            if let std::collections::hash_map::Entry::Vacant(slot) = place.entry(asks) {
                slot.insert(self.memorable.len());
                self.memorable.push(asks);
            }
        }
        self.places = place;
        let place = &self.places;
        self.reach_words = self.memorable.len().div_ceil(64);
        self.reach = vec![0; self.formula.len() * self.reach_words];
        for (id, node) in self.formula.nodes() {
            let mut operands: Vec<NodeId> = Vec::new();
            let mut asks = None;
            match node {
                Node::True | Node::False | Node::Literal(..) => {}
                Node::And(parts) | Node::Or(parts) => operands.extend_from_slice(parts),
                Node::Next(_, f) => operands.push(*f),
                Node::Until(f, g) | Node::Release(f, g) => operands.extend([*f, *g]),
                Node::Previous(_, f) => {
                    operands.push(*f);
                    asks = Some(place[f]);
                }
                Node::Since(f, g) | Node::Trigger(f, g) => {
                    operands.extend([*f, *g]);
                    asks = Some(place[&id]);
                }
            }
            let own = id.0 as usize * self.reach_words;
            for operand in operands {
                for w in 0..self.reach_words {
                    self.reach[own + w] |= self.reach[operand.0 as usize * self.reach_words + w];
                }
            }
            if let Some(bit) = asks {
                self.reach[own + bit / 64] |= 1 << (bit % 64);
            }
        }
    }

    fn intern(&mut self, state: State) -> StateId {
        if let Some(&id) = self.ids.get(&state) {
            return id;
        }
        let id = StateId(self.states.len() as u32);
        self.held += state.owed.len() + state.remembered.len();
        self.states.push(state.clone());
        self.ids.insert(state, id);
        id
    }

    /// How many states have been built.
    #[must_use]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Never: there is always the start.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    fn can_ask(&self, nodes: &[NodeId], place: usize) -> bool {
        nodes.iter().any(|n| self.reach[n.0 as usize * self.reach_words + place / 64] >> (place % 64) & 1 == 1)
    }

    /// The truth of every subformula that the letter and the memory decide at this position; `None` for the others.
    /// What was remembered did hold; what was not did not, for all we may use: a promise not made cannot be called in.
    fn settle(&self, from: &State, letter: &[bool]) -> Vec<Option<bool>> {
        let held = |n: &NodeId| !from.start && from.remembered.binary_search(n).is_ok();
        let mut truth: Vec<Option<bool>> = Vec::with_capacity(self.formula.len());
        for (id, node) in self.formula.nodes() {
            let of = |n: &NodeId| truth[n.0 as usize];
            truth.push(match node {
                Node::True => Some(true),
                Node::False => Some(false),
                Node::Literal(atom, positive) => Some(letter[atom.0 as usize] == *positive),
                // Known as soon as one side decides it, even if another still has a future.
                Node::And(parts) if parts.iter().any(|p| of(p) == Some(false)) => Some(false),
                Node::And(parts) => parts.iter().all(|p| of(p) == Some(true)).then_some(true),
                Node::Or(parts) if parts.iter().any(|p| of(p) == Some(true)) => Some(true),
                Node::Or(parts) => parts.iter().all(|p| of(p) == Some(false)).then_some(false),
                Node::Previous(strong, _) if from.start => Some(!strong),
                Node::Previous(_, f) => Some(held(f)),
                Node::Since(f, g) => match (of(g), of(f)) {
                    (Some(true), _) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    (Some(false), Some(true)) => Some(held(&id)),
                    (Some(false), None) if !held(&id) => Some(false),
                    _ => None,
                },
                Node::Trigger(f, g) => match (of(g), of(f)) {
                    (Some(false), _) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    (Some(true), _) if from.start || held(&id) => Some(true),
                    (Some(true), Some(false)) => Some(false),
                    _ => None,
                },
                Node::Next(..) | Node::Until(..) | Node::Release(..) => None,
            });
        }
        truth
    }

    /// The subformulas that have to come: `f U g`.
    #[must_use]
    pub fn untils(&self) -> Vec<NodeId> {
        self.formula.nodes().filter(|(_, node)| matches!(node, Node::Until(..))).map(|(id, _)| id).collect()
    }

    /// The steps by a letter of an infinite word.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn advance(&mut self, state: StateId, letter: &[bool], budget: &Budget) -> Result<Vec<Advance>, OverBudget> {
        let untils = self.untils();
        let place = |node: &NodeId| untils.binary_search(node).ok().map(|i| i as u32);
        let steps = self.follow(state, letter, budget)?;
        let mut all: Vec<Advance> = steps
            .into_iter()
            .map(|(to, put_off)| Advance { to, put_off: put_off.iter().filter_map(place).collect() })
            .collect();
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    /// Where a letter leads to, and what is put off on the way.
    fn follow(
        &mut self,
        state: StateId,
        letter: &[bool],
        budget: &Budget,
    ) -> Result<Vec<(StateId, Vec<NodeId>)>, OverBudget> {
        let from = self.states[state.0 as usize].clone();
        let settled = self.settle(&from, letter);
        let askable: Vec<(usize, NodeId)> =
            self.memorable.iter().copied().enumerate().filter(|&(i, _)| self.can_ask(&from.owed, i)).collect();
        let known: Vec<NodeId> =
            askable.iter().map(|&(_, n)| n).filter(|n| settled[n.0 as usize] == Some(true)).collect();
        // What the letter leaves open, it leaves open because of a future operator inside.
        let promises: Vec<NodeId> =
            askable.iter().map(|&(_, n)| n).filter(|n| settled[n.0 as usize].is_none()).collect();
        let claim = budget.claim(0, WHAT)?;
        let mut expander = Expander {
            automaton: self,
            from: &from,
            settled: &settled,
            budget,
            claim,
            steps: 0,
            ways: FxHashSet::default(),
        };
        expander.promise(&promises, &known)?;
        let ways = expander.ways;

        let mut successors = Vec::with_capacity(ways.len());
        for way in keep_cheapest(ways, budget)? {
            let remembered = if way.owed.is_empty() {
                Vec::new()
            } else {
                let mut kept: Vec<NodeId> = way.remembered;
                kept.retain(|n| {
                    let place = self.places.get(n);
                    place.is_some_and(|&p| self.can_ask(&way.owed, p))
                });
                kept.sort_unstable();
                kept
            };
            let strong = way.strong && !way.owed.is_empty();
            let next = State { owed: way.owed.into(), strong, remembered: remembered.into(), start: false };
            successors.push((self.intern(next), way.put_off));
        }
        Ok(successors)
    }
}

impl Automaton for Obligations {
    fn start(&self) -> StateId {
        StateId(0)
    }

    fn accepts(&self, state: StateId) -> bool {
        let state = &self.states[state.0 as usize];
        if state.start { self.formula.on_empty() } else { !state.strong }
    }

    fn is_universal(&self, state: StateId) -> bool {
        let state = &self.states[state.0 as usize];
        state.owed.is_empty() && !state.start
    }

    fn step(&mut self, state: StateId, letter: &[bool], budget: &Budget) -> Result<Vec<StateId>, OverBudget> {
        let mut successors: Vec<StateId> = self.follow(state, letter, budget)?.into_iter().map(|(to, _)| to).collect();
        successors.sort_unstable();
        successors.dedup();
        Ok(successors)
    }

    fn bytes(&self) -> u64 {
        let state = 2 * size_of::<State>() + 16;
        (self.states.len() * state + 8 * self.held + 8 * self.reach.len()) as u64
    }
}

/// Enumerates the ways to pay at one position. Without recursion: a formula may have more branches than a stack has room.
struct Expander<'a> {
    automaton: &'a Obligations,
    from: &'a State,
    settled: &'a [Option<bool>],
    budget: &'a Budget,
    claim: Claim,
    steps: u64,
    ways: FxHashSet<Way>,
}

/// What is still to be paid at this position, and what has been put off so far.
type Branch = (Vec<NodeId>, Way);

impl Expander<'_> {
    /// Every choice of promises to make: each adds what is promised to what is owed now. The choices are counted in
    /// binary, from none to all.
    fn promise(&mut self, open: &[NodeId], known: &[NodeId]) -> Result<(), OverBudget> {
        let mut made = vec![false; open.len()];
        loop {
            let (mut remembered, mut now) = (known.to_vec(), self.from.owed.to_vec());
            for (&node, _) in open.iter().zip(&made).filter(|(_, made)| **made) {
                remembered.push(node);
                now.push(node);
            }
            remembered.sort_unstable();
            self.pay((now, Way { owed: Vec::new(), strong: false, remembered, put_off: Vec::new() }))?;
            let Some(next) = made.iter().position(|&made| !made) else { return Ok(()) };
            made[next] = true;
            made[..next].fill(false);
        }
    }

    fn pay(&mut self, branch: Branch) -> Result<(), OverBudget> {
        let mut branches = vec![branch];
        while let Some((now, way)) = branches.pop() {
            self.steps += 1;
            if self.steps.is_multiple_of(256) {
                self.budget.step(0, WHAT)?;
                // Both grow and shrink together with what they hold, of which the one in hand is typical.
                let each = 4 * (now.len() + way.owed.len() + way.remembered.len()) + 96;
                self.claim.grow_to(((branches.len() + self.ways.len()) * each) as u64, WHAT)?;
            }
            self.follow(now, way, &mut branches);
        }
        Ok(())
    }

    /// Pays as long as there is one way to; other ways are left in `branches`.
    fn follow(&mut self, mut now: Vec<NodeId>, mut way: Way, branches: &mut Vec<Branch>) {
        let branch = |now: &[NodeId], node: NodeId, way: &Way| {
            let mut rest = now.to_vec();
            rest.push(node);
            (rest, way.clone())
        };
        while let Some(node) = now.pop() {
            match self.settled[node.0 as usize] {
                Some(true) => continue,
                Some(false) => return,
                None => {}
            }
            match self.automaton.formula.node(node) {
                Node::And(parts) => now.extend_from_slice(parts),
                Node::Or(parts) => {
                    let open = parts.iter().filter(|p| self.settled[p.0 as usize] != Some(false));
                    branches.extend(open.map(|&part| branch(&now, part, &way)));
                    return;
                }
                Node::Next(strong, f) => {
                    way.owed.push(*f);
                    way.strong |= *strong && !self.automaton.infinite;
                }
                Node::Until(f, g) => {
                    if self.settled[g.0 as usize] == Some(true) {
                        continue;
                    }
                    if self.settled[g.0 as usize].is_none() {
                        branches.push(branch(&now, *g, &way));
                    }
                    now.push(*f);
                    way.owed.push(node);
                    if self.automaton.infinite {
                        way.put_off.push(node);
                    } else {
                        way.strong = true;
                    }
                }
                Node::Release(f, g) => {
                    now.push(*g);
                    match self.settled[f.0 as usize] {
                        Some(true) => continue,
                        Some(false) => {}
                        None => branches.push(branch(&now, *f, &way)),
                    }
                    way.owed.push(node);
                }
                // With a future inside: what the memory cannot settle is paid now.
                Node::Since(f, g) => {
                    if self.settled[g.0 as usize] != Some(false) {
                        branches.push(branch(&now, *g, &way));
                    }
                    if self.from.start || self.from.remembered.binary_search(&node).is_err() {
                        return;
                    }
                    now.push(*f);
                }
                Node::Trigger(f, g) => {
                    now.push(*g);
                    if !self.from.start && self.from.remembered.binary_search(&node).is_err() {
                        now.push(*f);
                    }
                }
                Node::True | Node::False | Node::Literal(..) | Node::Previous(..) => {
                    unreachable!("settled by the letter and the memory")
                }
            }
        }
        way.owed.sort_unstable();
        way.owed.dedup();
        way.put_off.sort_unstable();
        way.put_off.dedup();
        self.ways.insert(way);
    }
}

/// Drops every way that owes and puts off all that another does and remembers nothing more.
fn keep_cheapest(ways: FxHashSet<Way>, budget: &Budget) -> Result<Vec<Way>, OverBudget> {
    // Fewest debts first, since they drop the most; and in an order that no hash decides.
    let mut ways: Vec<Way> = ways.into_iter().collect();
    ways.sort_unstable_by(|a, b| {
        (a.owed.len(), &a.owed, a.strong, &a.put_off).cmp(&(b.owed.len(), &b.owed, b.strong, &b.put_off))
    });
    let at_most = |a: &Way, b: &Way| {
        subset(&a.owed, &b.owed)
            && (!a.strong || b.strong)
            && subset(&b.remembered, &a.remembered)
            && subset(&a.put_off, &b.put_off)
    };
    let mut kept: Vec<Way> = Vec::new();
    for way in ways {
        budget.step(0, WHAT)?;
        if kept.iter().any(|k| at_most(k, &way)) {
            continue;
        }
        kept.retain(|k| !at_most(&way, k));
        kept.push(way);
    }
    Ok(kept)
}

/// Whether one sorted list is part of another.
fn subset(a: &[NodeId], b: &[NodeId]) -> bool {
    let mut rest = b.iter();
    a.len() <= b.len() && a.iter().all(|n| rest.any(|m| m == n))
}
