//! What a letter makes of a subformula.
//!
//! [`Evaluator::value`] has one line per operator. It works for one letter at a time ([`Letterwise`]), for all letters at once, as decision
//! diagrams over the atoms ([`Symbolic`]), and for the letter ⊤ ([`Ghost`]): a [`Reading`] says what a boolean comes to and how results are
//! combined.

use rustc_hash::FxHashMap;

use super::clauses::{ClauseId, DnfId, Leaf};
use super::nodes::{Horizon, Node, NodeId, Store};
use super::seres::{EMPTY, GuardId, SereId, SereNode, SetId};
use posetta_base::{Budget, OverBudget};
use posetta_dd::mtbdd::{Function, Mtbdd};
use posetta_logic::{AtomId, Guard, Otherwise};

/// A way to read letters. Results are numbers: 0 and 1 of booleans, places in tables otherwise.
pub(crate) trait Reading {
    type Value: Copy;

    /// The same for every letter.
    fn constant(&mut self, number: u32) -> Self::Value;

    /// 1 where a boolean holds.
    fn guard(&mut self, guard: &Guard<AtomId>, budget: &Budget) -> Result<Self::Value, OverBudget>;

    /// Combines two results letter by letter.
    fn zip(
        &mut self,
        a: Self::Value,
        b: Self::Value,
        budget: &Budget,
        f: &mut dyn FnMut(u32, u32) -> Result<u32, OverBudget>,
    ) -> Result<Self::Value, OverBudget>;
}

/// One letter: the truth of every atom.
pub(crate) struct Letterwise<'a>(pub(crate) &'a [bool]);

impl Reading for Letterwise<'_> {
    type Value = u32;

    fn constant(&mut self, number: u32) -> u32 {
        number
    }

    fn guard(&mut self, guard: &Guard<AtomId>, _: &Budget) -> Result<u32, OverBudget> {
        Ok(u32::from(guard.holds(&|atom| self.0[atom.0 as usize])))
    }

    fn zip(
        &mut self,
        a: u32,
        b: u32,
        _: &Budget,
        f: &mut dyn FnMut(u32, u32) -> Result<u32, OverBudget>,
    ) -> Result<u32, OverBudget> {
        f(a, b)
    }
}

/// The letter ⊤.
pub(super) struct Ghost;

impl Reading for Ghost {
    type Value = u32;

    fn constant(&mut self, number: u32) -> u32 {
        number
    }

    fn guard(&mut self, _: &Guard<AtomId>, _: &Budget) -> Result<u32, OverBudget> {
        Ok(1)
    }

    fn zip(
        &mut self,
        a: u32,
        b: u32,
        _: &Budget,
        f: &mut dyn FnMut(u32, u32) -> Result<u32, OverBudget>,
    ) -> Result<u32, OverBudget> {
        f(a, b)
    }
}

/// All letters.
pub(crate) struct Symbolic<'a>(pub(crate) &'a mut Mtbdd);

impl Reading for Symbolic<'_> {
    type Value = Function;

    fn constant(&mut self, number: u32) -> Function {
        Function::constant(number)
    }

    fn guard(&mut self, guard: &Guard<AtomId>, budget: &Budget) -> Result<Function, OverBudget> {
        let not = |n: u32| Ok(1 - n);
        Ok(match guard {
            Guard::True => Function::constant(1),
            Guard::False => Function::constant(0),
            Guard::Atom(atom) => self.0.variable(atom.0)?,
            Guard::Not(g) => {
                let g = self.guard(g, budget)?;
                self.0.map(g, budget, &mut |n| not(n))?
            }
            Guard::And(gs) | Guard::Or(gs) => {
                let conjunction = matches!(guard, Guard::And(_));
                let mut all = Function::constant(u32::from(conjunction));
                for g in gs {
                    let g = self.guard(g, budget)?;
                    all = self.0.zip(all, g, budget, &mut |x, y| Ok(if conjunction { x & y } else { x | y }))?;
                }
                all
            }
            Guard::Implies(a, b) => {
                let (a, b) = (self.guard(a, budget)?, self.guard(b, budget)?);
                self.0.zip(a, b, budget, &mut |x, y| Ok((1 - x) | y))?
            }
            Guard::Iff(a, b) => {
                let (a, b) = (self.guard(a, budget)?, self.guard(b, budget)?);
                self.0.zip(a, b, budget, &mut |x, y| Ok(u32::from(x == y)))?
            }
        })
    }

    fn zip(
        &mut self,
        a: Function,
        b: Function,
        budget: &Budget,
        f: &mut dyn FnMut(u32, u32) -> Result<u32, OverBudget>,
    ) -> Result<Function, OverBudget> {
        self.0.zip(a, b, budget, f)
    }
}

/// What is known of one reading: results that no memory changes.
#[derive(Debug)]
pub(crate) struct Cache<V> {
    values: FxHashMap<NodeId, V>,
    derivatives: FxHashMap<SereId, V>,
}

impl<V> Default for Cache<V> {
    fn default() -> Self {
        Self { values: FxHashMap::default(), derivatives: FxHashMap::default() }
    }
}

/// What came before the letter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Context<'a> {
    /// Nothing.
    Start,
    /// For each remembered subformula what is left of it.
    After(&'a [DnfId]),
}

/// Reads one letter, or all.
pub(crate) struct Evaluator<'a, R: Reading> {
    store: &'a mut Store,
    reading: &'a mut R,
    cache: &'a mut Cache<R::Value>,
    context: Context<'a>,
    /// Results that hold in this context only.
    here: FxHashMap<NodeId, R::Value>,
    budget: &'a Budget,
}

impl<'a, R: Reading> Evaluator<'a, R> {
    pub(crate) fn new(
        store: &'a mut Store,
        reading: &'a mut R,
        cache: &'a mut Cache<R::Value>,
        context: Context<'a>,
        budget: &'a Budget,
    ) -> Self {
        Self { store, reading, cache, context, here: FxHashMap::default(), budget }
    }

    /// For what does not look back.
    pub(super) fn timeless(
        store: &'a mut Store,
        reading: &'a mut R,
        cache: &'a mut Cache<R::Value>,
        budget: &'a Budget,
    ) -> Self {
        Self::new(store, reading, cache, Context::Start, budget)
    }

    fn zip(
        &mut self,
        a: R::Value,
        b: R::Value,
        f: impl Fn(&mut Store, u32, u32, &Budget) -> Result<u32, OverBudget>,
    ) -> Result<R::Value, OverBudget> {
        let Self { store, reading, budget, .. } = self;
        reading.zip(a, b, budget, &mut |x, y| f(store, x, y, budget))
    }

    fn or(&mut self, a: R::Value, b: R::Value) -> Result<R::Value, OverBudget> {
        self.zip(a, b, |store, x, y, budget| Ok(store.or(DnfId(x), DnfId(y), budget)?.0))
    }

    fn and(&mut self, a: R::Value, b: R::Value) -> Result<R::Value, OverBudget> {
        self.zip(a, b, |store, x, y, budget| Ok(store.and(DnfId(x), DnfId(y), budget)?.0))
    }

    fn owed(&mut self, strong: bool, node: NodeId) -> Result<R::Value, OverBudget> {
        let rest = self.store.owed(strong, node, self.budget)?;
        Ok(self.reading.constant(rest.0))
    }

    fn truth(&mut self, value: bool) -> R::Value {
        self.reading.constant(if value { DnfId::TRUE.0 } else { DnfId::FALSE.0 })
    }

    /// What is left of a residual.
    pub(crate) fn progress(&mut self, rest: DnfId) -> Result<R::Value, OverBudget> {
        let mut any = self.truth(false);
        for clause in self.store.clauses_of(rest).to_vec() {
            let all = self.progress_clause(clause)?;
            any = self.or(any, all)?;
        }
        Ok(any)
    }

    /// What is left of a clause.
    pub(crate) fn progress_clause(&mut self, clause: ClauseId) -> Result<R::Value, OverBudget> {
        let mut all = self.truth(true);
        for leaf in self.store.leaves_of(clause).to_vec() {
            let value = self.value(leaf.node())?;
            all = self.and(all, value)?;
        }
        Ok(all)
    }

    /// What is left of a leaf.
    pub(crate) fn leaf(&mut self, leaf: Leaf) -> Result<R::Value, OverBudget> {
        self.value(leaf.node())
    }

    /// What has to be remembered now, for each subformula that may be asked for.
    pub(crate) fn memory(&mut self) -> Result<Vec<R::Value>, OverBudget> {
        self.store.remembered.clone().into_iter().map(|node| self.value(node)).collect()
    }

    /// What is left of a subformula that holds at this position.
    pub(crate) fn value(&mut self, id: NodeId) -> Result<R::Value, OverBudget> {
        let timeless = self.store.facts(id).timeless;
        let known = if timeless { self.cache.values.get(&id) } else { self.here.get(&id) };
        if let Some(&known) = known {
            return Ok(known);
        }
        let value = self.evaluate(id)?;
        self.store.charge(16, self.budget)?;
        if timeless {
            self.cache.values.insert(id, value)
        } else {
            self.here.insert(id, value)
        };
        Ok(value)
    }

    fn evaluate(&mut self, id: NodeId) -> Result<R::Value, OverBudget> {
        match self.store.node(id).clone() {
            Node::True => Ok(self.truth(true)),
            Node::False => Ok(self.truth(false)),
            Node::Letter(guard) => self.guard(guard),
            Node::And(parts) | Node::Or(parts) => {
                let conjunction = matches!(self.store.node(id), Node::And(_));
                let mut all = self.truth(conjunction);
                for part in parts {
                    let part = self.value(part)?;
                    all = if conjunction { self.and(all, part)? } else { self.or(all, part)? };
                }
                Ok(all)
            }
            Node::Next(strong, f) => self.owed(strong, f),
            // f U g = g || (f && X (f U g))
            Node::Until(f, g) => {
                let (f, g, later) = (self.value(f)?, self.value(g)?, self.owed(true, id)?);
                let later = self.and(f, later)?;
                self.or(g, later)
            }
            // f R g = g && (f || WX (f R g))
            Node::Release(f, g) => {
                let (f, g, later) = (self.value(f)?, self.value(g)?, self.owed(false, id)?);
                let later = self.or(f, later)?;
                self.and(g, later)
            }
            Node::Previous(strong, f) => match self.remembered(f) {
                Some(before) => self.progress(before),
                None => Ok(self.truth(!strong)),
            },
            // f S g = g || (f && Y (f S g))
            Node::Since(f, g) => {
                let (f, g) = (self.value(f)?, self.value(g)?);
                let before = match self.remembered(id) {
                    Some(before) => self.progress(before)?,
                    None => self.truth(false),
                };
                let before = self.and(f, before)?;
                self.or(g, before)
            }
            Node::Trigger(f, g) => {
                let (f, g) = (self.value(f)?, self.value(g)?);
                let before = match self.remembered(id) {
                    Some(before) => self.progress(before)?,
                    None => self.truth(true),
                };
                let before = self.or(f, before)?;
                self.and(g, before)
            }
            Node::Some(r, f) => self.matched(r, f, true),
            Node::All(r, f) => self.matched(r, f, false),
            Node::Weak(r) => self.weak(r, true),
            Node::Dead(r) => self.weak(r, false),
            Node::Cut { abort, guard, inner } => {
                let facts = self.store.facts(inner);
                let rest = self.value(inner)?;
                self.cut(abort, guard, if abort { facts.top } else { !facts.bottom }, rest)
            }
            Node::Pending { abort, guard, rest } => {
                let closed =
                    if abort { self.store.closes(rest, |f| f.top) } else { !self.store.closes(rest, |f| f.bottom) };
                let rest = self.progress(rest)?;
                self.cut(abort, guard, closed, rest)
            }
            Node::Place { state, bad } => self.place(state, bad),
        }
    }

    /// What was left of a subformula at the last position; `None` at the first.
    fn remembered(&self, node: NodeId) -> Option<DnfId> {
        let Context::After(memory) = self.context else { return None };
        let place = self.store.remembered.iter().position(|&n| n == node)?;
        memory.get(place).copied()
    }

    fn guard(&mut self, guard: GuardId) -> Result<R::Value, OverBudget> {
        // 0 and 1 are also the residuals false and true.
        let guard = self.store.seres.guard(guard).clone();
        self.reading.guard(&guard, self.budget)
    }

    /// `<r> f` and `r |-> f`: a match may end with this letter, or later. What can match nothing more is left out.
    fn matched(&mut self, r: SereId, f: NodeId, some: bool) -> Result<R::Value, OverBudget> {
        let (after, f_now) = (self.derivative(r)?, self.value(f)?);
        self.zip(after, f_now, |store, after, f_now, budget| {
            let after = SetId(after);
            let mut all = match store.seres.any_empty(after) {
                true => DnfId(f_now),
                false if some => DnfId::FALSE,
                false => DnfId::TRUE,
            };
            for rest in store.seres.set(after).to_vec() {
                if store.seres.lengths(rest).more {
                    let node = store.add(if some { Node::Some(rest, f) } else { Node::All(rest, f) }, budget)?;
                    let later = store.owed(some, node, budget)?;
                    all = if some { store.or(all, later, budget)? } else { store.and(all, later, budget)? };
                }
            }
            Ok(all.0)
        })
    }

    /// A weak expression and its negation: decided by a match, or when nothing can match any more.
    fn weak(&mut self, r: SereId, positive: bool) -> Result<R::Value, OverBudget> {
        let (after, zero) = (self.derivative(r)?, self.reading.constant(0));
        self.zip(after, zero, |store, after, _, budget| {
            let after = SetId(after);
            if store.seres.any_empty(after) {
                return Ok(if positive { DnfId::TRUE.0 } else { DnfId::FALSE.0 });
            }
            let mut all = if positive { DnfId::FALSE } else { DnfId::TRUE };
            for rest in store.seres.set(after).to_vec() {
                let node = store.add(if positive { Node::Weak(rest) } else { Node::Dead(rest) }, budget)?;
                let later = store.owed(!positive, node, budget)?;
                all = if positive { store.or(all, later, budget)? } else { store.and(all, later, budget)? };
            }
            Ok(all.0)
        })
    }

    /// `abort` takes effect where the boolean holds and what was left before holds on ⊤ for ever; its dual where it does not hold
    /// on ⊥ for ever. Otherwise what is left stays under it.
    fn cut(&mut self, abort: bool, guard: GuardId, closed: bool, rest: R::Value) -> Result<R::Value, OverBudget> {
        let now = if closed { self.guard(guard)? } else { self.truth(false) };
        self.zip(now, rest, move |store, now, rest, budget| {
            if now == 1 {
                return Ok(if abort { DnfId::TRUE.0 } else { DnfId::FALSE.0 });
            }
            Ok(store.keep_cut(abort, guard, DnfId(rest), budget)?.0)
        })
    }

    /// A monitor takes every edge that it can, and stays or dies if there is none.
    fn place(&mut self, state: u32, bad: bool) -> Result<R::Value, OverBudget> {
        let places = self.store.places.as_ref().expect("there are places of a monitor only");
        let (edges, otherwise) = (places.edges[state as usize].clone(), places.otherwise);
        let mut all = self.truth(!bad);
        let mut none = self.reading.constant(1);
        for (guard, to) in edges {
            let (holds, there) = (self.guard(guard)?, self.at_place(to.0, bad)?);
            none = self.zip(none, holds, |_, n, h, _| Ok(n & (1 - h)))?;
            let taken = self.zip(holds, there, move |_, holds, there, _| {
                Ok(if holds == 1 {
                    there
                } else if bad {
                    DnfId::FALSE.0
                } else {
                    DnfId::TRUE.0
                })
            })?;
            all = if bad { self.or(all, taken)? } else { self.and(all, taken)? };
        }
        if otherwise == Otherwise::Stay {
            let stay = self.at_place(state, bad)?;
            let stayed = self.zip(none, stay, move |_, none, stay, _| {
                Ok(if none == 1 {
                    stay
                } else if bad {
                    DnfId::FALSE.0
                } else {
                    DnfId::TRUE.0
                })
            })?;
            all = if bad { self.or(all, stayed)? } else { self.and(all, stayed)? };
        }
        Ok(all)
    }

    /// Being in a state of the monitor: a word may end here if the end is what is asked for.
    fn at_place(&mut self, state: u32, bad: bool) -> Result<R::Value, OverBudget> {
        let ends_badly = self.store.places.as_ref().is_some_and(|p| p.bad[state as usize]);
        let node = self.store.add(Node::Place { state, bad }, self.budget)?;
        self.owed(ends_badly != bad, node)
    }

    /// The expressions of which one has to match what follows, for some match to go on (Antimirov's partial derivatives).
    pub(super) fn derivative(&mut self, r: SereId) -> Result<R::Value, OverBudget> {
        if let Some(&known) = self.cache.derivatives.get(&r) {
            return Ok(known);
        }
        let value = self.derive(r)?;
        self.store.charge(16, self.budget)?;
        self.cache.derivatives.insert(r, value);
        Ok(value)
    }

    fn derive(&mut self, r: SereId) -> Result<R::Value, OverBudget> {
        let none = self.store.seres.add_set(Vec::new());
        match self.store.seres.node(r).clone() {
            SereNode::Never | SereNode::Empty => Ok(self.reading.constant(none.0)),
            SereNode::Letter(guard) => {
                let end = self.store.seres.add_set(vec![EMPTY]);
                let (holds, zero) = (self.guard(guard)?, self.reading.constant(0));
                self.zip(holds, zero, move |_, holds, _, _| Ok(if holds == 1 { end.0 } else { none.0 }))
            }
            SereNode::Concat(..) => {
                // Along the chain, as far as what was passed may match nothing.
                let mut all = self.reading.constant(none.0);
                let mut rest = r;
                while let &SereNode::Concat(head, tail) = self.store.seres.node(rest) {
                    let heads = self.derivative(head)?;
                    all = self.zip(all, heads, move |store, all, heads, budget| {
                        let mut members = store.seres.set(SetId(all)).to_vec();
                        for head in store.seres.set(SetId(heads)).to_vec() {
                            members.push(store.concat(head, tail, budget)?);
                        }
                        Ok(store.seres.add_set(members).0)
                    })?;
                    if !self.store.seres.lengths(head).empty {
                        return Ok(all);
                    }
                    rest = tail;
                }
                let last = self.derivative(rest)?;
                self.union(all, last)
            }
            SereNode::Fusion(a, b) => {
                let (first, second) = (self.derivative(a)?, self.derivative(b)?);
                self.zip(first, second, move |store, first, second, budget| {
                    let first = SetId(first);
                    let mut members = Vec::new();
                    if store.seres.any_empty(first) {
                        members.extend_from_slice(store.seres.set(SetId(second)));
                    }
                    for head in store.seres.set(first).to_vec() {
                        members.push(store.fusion(head, b, budget)?);
                    }
                    Ok(store.seres.add_set(members).0)
                })
            }
            SereNode::Or(parts) => {
                let mut all = self.reading.constant(none.0);
                for part in parts {
                    let part = self.derivative(part)?;
                    all = self.union(all, part)?;
                }
                Ok(all)
            }
            SereNode::Both(a, b) => {
                let (first, second) = (self.derivative(a)?, self.derivative(b)?);
                self.zip(first, second, |store, first, second, budget| {
                    let mut members = Vec::new();
                    for x in store.seres.set(SetId(first)).to_vec() {
                        for y in store.seres.set(SetId(second)).to_vec() {
                            members.push(store.both(x, y, budget)?);
                        }
                    }
                    Ok(store.seres.add_set(members).0)
                })
            }
            SereNode::Repeat(inner, min, max) => {
                let once = self.derivative(inner)?;
                let rest =
                    self.store.repeat(inner, min.saturating_sub(1), max.map(|m| m.saturating_sub(1)), self.budget)?;
                let zero = self.reading.constant(0);
                self.zip(once, zero, move |store, once, _, budget| {
                    let mut members = Vec::new();
                    for head in store.seres.set(SetId(once)).to_vec() {
                        members.push(store.concat(head, rest, budget)?);
                    }
                    Ok(store.seres.add_set(members).0)
                })
            }
        }
    }

    fn union(&mut self, a: R::Value, b: R::Value) -> Result<R::Value, OverBudget> {
        self.zip(a, b, |store, a, b, _| {
            let members = [store.seres.set(SetId(a)), store.seres.set(SetId(b))].concat();
            Ok(store.seres.add_set(members).0)
        })
    }
}

impl Store {
    /// What is left, still under `abort` or its dual. `abort` goes into disjunctions, its dual into conjunctions; into the others too
    /// where everything inside is regular, and over infinite words, since there a word with more letters ⊤ satisfies more. (On a
    /// finite word `X f` holds at the end although f may hold on no padding.)
    pub(super) fn keep_cut(
        &mut self,
        abort: bool,
        guard: GuardId,
        rest: DnfId,
        budget: &Budget,
    ) -> Result<DnfId, OverBudget> {
        if rest == DnfId::TRUE || rest == DnfId::FALSE {
            return Ok(rest);
        }
        let clauses = self.clauses_of(rest).to_vec();
        let mut irregular = false;
        if self.horizon == Horizon::Finite {
            let mut leaves = clauses.iter().flat_map(|&c| self.leaves_of(c));
            irregular = leaves.any(|leaf| !self.facts(leaf.node()).regular);
        }
        if irregular && !abort {
            return self.pend(abort, guard, rest, budget);
        }
        let mut all = DnfId::FALSE;
        for clause in clauses {
            let leaves = self.leaves_of(clause).to_vec();
            let kept = if irregular && leaves.len() > 1 {
                let alone = self.any_of(vec![clause], budget)?;
                self.pend(abort, guard, alone, budget)?
            } else {
                let mut kept = DnfId::TRUE;
                for leaf in leaves {
                    let node = self.add(Node::Cut { abort, guard, inner: leaf.node() }, budget)?;
                    let owed = self.owed(leaf.is_strong(), node, budget)?;
                    kept = self.and(kept, owed, budget)?;
                }
                kept
            };
            all = self.or(all, kept, budget)?;
        }
        Ok(all)
    }

    pub(super) fn pend(
        &mut self,
        abort: bool,
        guard: GuardId,
        rest: DnfId,
        budget: &Budget,
    ) -> Result<DnfId, OverBudget> {
        let node = self.add(Node::Pending { abort, guard, rest }, budget)?;
        self.owed(!self.holds_at_end(rest), node, budget)
    }
}
