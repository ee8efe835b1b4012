//! Sequential extended regular expressions, hash-consed, and what can be said of them without a letter.
//!
//! `&` and `within`, `[->n]` and `[=n]` are put in terms of the others when they are built; ranges stay ranges: the derivative of `r[*n:m]`
//! starts with one of r and goes on with `r[*n-1:m-1]`, so a range is unrolled as far as words go, not before.
//!
//! A count may be *open*: it stands for a number that is not known, and that is so much more than another one ([`OPEN`]). Many expressions that
//! differ in how far they have counted are one with an open count ([`herds`](super::herds)).

use rustc_hash::FxHashMap;

use super::nodes::Store;
use super::value::{Cache, Evaluator, Ghost};
use posetta_base::{Budget, OverBudget};
use posetta_logic::{AtomId, Guard, Sere, SereOp, Times};

pub(super) const WHAT: &str = "building the automaton of the property";

/// An expression: a place in the table of its [`Store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SereId(pub(super) u32);

/// A set of expressions: a place in the table of its [`Store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SetId(pub(super) u32);

/// A boolean expression: a place in the table of its [`Store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct GuardId(pub(super) u32);

/// One expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum SereNode {
    /// No word.
    Never,
    /// The empty word.
    Empty,
    /// One letter.
    Letter(GuardId),
    Concat(SereId, SereId),
    Fusion(SereId, SereId),
    /// One of them; sorted, at least two.
    Or(Box<[SereId]>),
    /// Both, of one length.
    Both(SereId, SereId),
    Repeat(SereId, u64, Option<u64>),
}

/// What an expression matches, whatever its guards say: a letter ⊤ satisfies all of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lengths {
    /// The empty word.
    pub(super) empty: bool,
    /// Some word with letters.
    pub(super) more: bool,
}

/// All lengths from one to another, in steps; without a last one if there is no most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    least: u64,
    /// A multiple of the step more than the least.
    most: Option<u64>,
    /// At least 1; 1 where there is one length only.
    step: u64,
}

impl Range {
    fn new(least: u64, most: Option<u64>, step: u64) -> Self {
        Self { least, most, step: if most == Some(least) { 1 } else { step } }
    }

    fn one(length: u64) -> Self {
        Self::new(length, Some(length), 1)
    }

    fn is_one(self) -> bool {
        self.most == Some(self.least)
    }

    /// One after the other; `None` for numbers that are too large, and where lengths would be left out in another way.
    fn plus(self, other: Self) -> Option<Self> {
        let most = match self.most.zip(other.most) {
            Some((a, b)) => Some(a.checked_add(b)?),
            None => None,
        };
        let step = match (self.is_one(), other.is_one()) {
            (true, _) => other.step,
            (_, true) => self.step,
            _ if self.step == other.step => self.step,
            _ => return None,
        };
        Some(Self::new(self.least.checked_add(other.least)?, most, step))
    }

    /// Without the length 0.
    fn filled(self) -> Option<Self> {
        let least = if self.least == 0 { self.step } else { self.least };
        self.most.is_none_or(|most| most >= least).then(|| Self::new(least, self.most, self.step))
    }

    /// The lengths of both: what is one number modulo this step and another modulo that one is one modulo the least common multiple, or none
    /// (the Chinese remainder theorem).
    fn overlap(self, other: Self) -> Result<Option<Self>, TooLarge> {
        let most = match (self.most, other.most) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let (a, b) = if self.step >= other.step { (self, other) } else { (other, self) };
        // From where the one with the larger steps is not before the other one, on: as many tries as there are remainders.
        let mut first = a.least;
        if first < b.least {
            let steps = (b.least - first).div_ceil(a.step).checked_mul(a.step);
            first = steps.and_then(|steps| first.checked_add(steps)).ok_or(TooLarge)?;
        }
        if b.step > MOST_TRIES {
            return Err(TooLarge);
        }
        let last = a.step.checked_mul(b.step).and_then(|all| all.checked_add(first)).ok_or(TooLarge)?;
        let mut tried = (first..last).step_by(usize::try_from(a.step).map_err(|_| TooLarge)?);
        let Some(least) = tried.find(|length| (length - b.least).is_multiple_of(b.step)) else { return Ok(None) };
        let step = a.step / common_divisor(a.step, b.step);
        let step = step.checked_mul(b.step).ok_or(TooLarge)?;
        let most = most.map(|most| most.checked_sub(least).map(|room| least + room / step * step));
        match most {
            Some(None) => Ok(None),
            most => Ok(Some(Self::new(least, most.flatten(), step))),
        }
    }

    /// The lengths of either, if none is left out between them; the second does not start before the first.
    fn join(self, other: Self) -> Option<Self> {
        if (self.step, other.step) != (1, 1) {
            return None;
        }
        let touches = self.most.is_none_or(|most| other.least <= most.saturating_add(1));
        let most = self.most.zip(other.most).map(|(a, b)| a.max(b));
        touches.then(|| Self::new(self.least, most, 1))
    }

    /// So many in a row, if none is left out: what k of them reach must touch what k + 1 do, and that becomes easier with every k. Of one length,
    /// they are its multiples.
    fn times(self, least: u64, most: Option<u64>) -> Option<Self> {
        let copies = |k: u64| {
            let most = match self.most {
                _ if k == 0 => Some(0),
                Some(most) => Some(most.checked_mul(k)?),
                None => None,
            };
            Some(Self::new(self.least.checked_mul(k)?, most, self.step))
        };
        if most == Some(least) {
            return copies(least);
        }
        if self.is_one() && self.least > 0 {
            let most = match most {
                Some(most) => Some(most.checked_mul(self.least)?),
                None => None,
            };
            return Some(Self::new(self.least.checked_mul(least)?, most, self.least));
        }
        let mut all = copies(least)?;
        // From none to one, and from the first that is not none to the next.
        for k in [least, least.max(1)] {
            if most.is_none_or(|most| k < most) {
                all = all.join(copies(k)?)?.join(copies(k + 1)?)?;
            }
        }
        let last = match most {
            Some(most) => copies(most)?.most,
            None if self.most == Some(0) => Some(0),
            None => None,
        };
        Some(Self::new(all.least, last, 1))
    }
}

/// Numbers are too large to say which lengths there are.
#[derive(Debug)]
struct TooLarge;

/// So many lengths are tried to find one that two expressions share.
const MOST_TRIES: u64 = 1 << 20;

fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A count of `OPEN + k` stands for k more than a number that is not known, and at least 1.
pub(super) const OPEN: u64 = 1 << 40;

/// Whether one count is not more than another, whatever open ones stand for.
fn at_most(a: u64, b: u64) -> bool {
    match (a >= OPEN, b >= OPEN) {
        (false, true) => a <= 1 + (b - OPEN),
        (true, false) => false,
        _ => a <= b,
    }
}

pub(super) const NEVER: SereId = SereId(0);
pub(super) const EMPTY: SereId = SereId(1);

/// The tables of expressions.
#[derive(Debug, Default)]
pub(super) struct Seres {
    nodes: Vec<SereNode>,
    lengths: Vec<Lengths>,
    ids: FxHashMap<SereNode, SereId>,
    sets: Vec<Box<[SereId]>>,
    set_ids: FxHashMap<Box<[SereId]>, SetId>,
    guards: Vec<Guard<AtomId>>,
    guard_ids: FxHashMap<Guard<AtomId>, GuardId>,
    included: FxHashMap<(SereId, SereId), bool>,
}

impl Seres {
    pub(super) fn new() -> Self {
        let mut seres = Self::default();
        let none = Lengths { empty: false, more: false };
        seres.add(SereNode::Never, none);
        seres.add(SereNode::Empty, Lengths { empty: true, ..none });
        seres
    }

    fn add(&mut self, node: SereNode, lengths: Lengths) -> SereId {
        let id = SereId(self.nodes.len() as u32);
        self.ids.insert(node.clone(), id);
        self.nodes.push(node);
        self.lengths.push(lengths);
        id
    }

    pub(super) fn node(&self, id: SereId) -> &SereNode {
        &self.nodes[id.0 as usize]
    }

    pub(super) fn lengths(&self, id: SereId) -> Lengths {
        self.lengths[id.0 as usize]
    }

    pub(super) fn set(&self, id: SetId) -> &[SereId] {
        &self.sets[id.0 as usize]
    }

    pub(super) fn guard(&self, id: GuardId) -> &Guard<AtomId> {
        &self.guards[id.0 as usize]
    }

    pub(super) fn add_guard(&mut self, guard: Guard<AtomId>) -> GuardId {
        let next = GuardId(self.guards.len() as u32);
        *self.guard_ids.entry(guard).or_insert_with_key(|guard| {
            self.guards.push(guard.clone());
            next
        })
    }

    /// A set, without what matches nothing.
    pub(super) fn add_set(&mut self, mut members: Vec<SereId>) -> SetId {
        members.retain(|&r| r != NEVER);
        members.sort_unstable();
        members.dedup();
        let next = SetId(self.sets.len() as u32);
        *self.set_ids.entry(members.into()).or_insert_with_key(|members| {
            self.sets.push(members.clone());
            next
        })
    }

    /// Whether some member matches the empty word.
    pub(super) fn any_empty(&self, set: SetId) -> bool {
        self.set(set).iter().any(|&r| self.lengths(r).empty)
    }

    /// Whether everything that `a` matches is known to be matched by `b`: by their shape, so not every inclusion is found.
    pub(super) fn is_included(&mut self, a: SereId, b: SereId) -> bool {
        if a == b || a == NEVER {
            return true;
        }
        if let Some(&known) = self.included.get(&(a, b)) {
            return known;
        }
        let known = self.compare(a, b);
        self.included.insert((a, b), known);
        known
    }

    /// Whether everything that `a` matches is matched by `b`, which is the same expression but for counts that differ: of those that are
    /// still allowed (`most`), or of those that are still asked for. Letters only make them smaller.
    pub(super) fn is_further(&self, a: SereId, b: SereId, most: bool) -> bool {
        // Chains may be long: along them without recursion.
        let (mut a, mut b) = (a, b);
        while let (&SereNode::Concat(a1, a2), &SereNode::Concat(b1, b2)) = (self.node(a), self.node(b)) {
            if !self.is_further(a1, b1, most) {
                return false;
            }
            (a, b) = (a2, b2);
        }
        match (self.node(a), self.node(b)) {
            _ if a == b => true,
            (&SereNode::Repeat(r, n, m), &SereNode::Repeat(s, least, last)) if r == s => {
                if most {
                    n == least && last.is_none_or(|last| m.is_some_and(|m| at_most(m, last)))
                } else {
                    m == last && at_most(least, n)
                }
            }
            (&SereNode::Fusion(a1, a2), &SereNode::Fusion(b1, b2)) => {
                self.is_further(a1, b1, most) && self.is_further(a2, b2, most)
            }
            _ => false,
        }
    }

    /// Whether every match of `a` is known to begin with one of `b`, none of them empty: by their shape again.
    pub(super) fn begins(&mut self, a: SereId, b: SereId) -> bool {
        // Chains may be long: along them without recursion.
        let (mut a, mut b) = (a, b);
        loop {
            if self.is_included(a, b) {
                return true;
            }
            match (self.node(a).clone(), self.node(b).clone()) {
                (SereNode::Concat(a1, a2), SereNode::Concat(b1, b2)) if self.is_included(a1, b1) => {
                    // What comes behind may be empty, and then the rest of `b` must be.
                    if self.lengths(a2).empty && !self.lengths(b2).empty {
                        return false;
                    }
                    (a, b) = (a2, b2);
                }
                (SereNode::Or(parts), _) => return parts.iter().all(|&part| self.begins(part, b)),
                (_, SereNode::Or(parts)) => return parts.iter().any(|&part| self.begins(a, part)),
                (SereNode::Repeat(r, n, _), SereNode::Repeat(s, least, most)) => {
                    let counts = at_most(1, n) && at_most(least, n) && most != Some(0);
                    return counts && !self.lengths(r).empty && self.is_included(r, s);
                }
                (SereNode::Concat(head, _), _) if !self.lengths(head).empty => a = head,
                _ => return false,
            }
        }
    }

    /// The lengths that an expression matches, whatever its guards say, if that is known to be all from one to another.
    fn range(&self, id: SereId, known: &mut FxHashMap<SereId, Option<Range>>) -> Option<Range> {
        if let Some(&found) = known.get(&id) {
            return found;
        }
        let mut of = |id: SereId| self.range(id, known);
        let found = match self.node(id) {
            SereNode::Never => None,
            SereNode::Empty => Some(Range::one(0)),
            SereNode::Letter(_) => Some(Range::one(1)),
            &SereNode::Concat(a, b) => {
                // Chains may be long: along them without recursion.
                let (mut all, mut rest) = (of(a), b);
                while let &SereNode::Concat(a, b) = self.node(rest) {
                    all = all.zip(of(a)).and_then(|(x, y)| x.plus(y));
                    rest = b;
                }
                all.zip(of(rest)).and_then(|(x, y)| x.plus(y))
            }
            // One letter is shared, and neither is empty.
            &SereNode::Fusion(a, b) => of(a).zip(of(b)).and_then(|(a, b)| {
                let (a, b) = (a.filled()?, b.filled()?);
                let sum = a.plus(b)?;
                Some(Range::new(sum.least - 1, sum.most.map(|most| most - 1), sum.step))
            }),
            SereNode::Or(parts) => {
                let mut all: Vec<Range> = parts.iter().map(|&part| of(part)).collect::<Option<_>>()?;
                all.sort_by_key(|range| range.least);
                all.into_iter().try_fold(None, |before, next| match before {
                    None => Some(Some(next)),
                    Some(before) => Range::join(before, next).map(Some),
                })?
            }
            &SereNode::Both(a, b) => of(a).zip(of(b)).and_then(|(a, b)| a.overlap(b).ok().flatten()),
            &SereNode::Repeat(r, least, most) => of(r).and_then(|r| r.times(least, most)),
        };
        known.insert(id, found);
        found
    }

    fn compare(&mut self, a: SereId, b: SereId) -> bool {
        match (self.node(a).clone(), self.node(b).clone()) {
            (SereNode::Or(parts), _) => parts.iter().all(|&part| self.is_included(part, b)),
            (_, SereNode::Or(parts)) => parts.iter().any(|&part| self.is_included(a, part)),
            (SereNode::Empty, _) => self.lengths(b).empty,
            (SereNode::Letter(_), SereNode::Letter(g)) => *self.guard(g) == Guard::True,
            (SereNode::Repeat(r, n, m), SereNode::Repeat(s, least, most)) => {
                let fits = at_most(least, n) && most.is_none_or(|most| m.is_some_and(|m| at_most(m, most)));
                fits && self.is_included(r, s)
            }
            (_, SereNode::Repeat(s, least, most)) => least <= 1 && most != Some(0) && self.is_included(a, s),
            (SereNode::Concat(..), SereNode::Concat(..)) => {
                // Chains may be long: along them without recursion.
                let (mut a, mut b) = (a, b);
                while let (&SereNode::Concat(a1, a2), &SereNode::Concat(b1, b2)) = (self.node(a), self.node(b)) {
                    if a2 == b2 {
                        return self.is_included(a1, b1);
                    }
                    if !self.is_included(a1, b1) {
                        return false;
                    }
                    (a, b) = (a2, b2);
                }
                self.is_included(a, b)
            }
            (SereNode::Fusion(a1, a2), SereNode::Fusion(b1, b2)) => {
                self.is_included(a1, b1) && self.is_included(a2, b2)
            }
            (SereNode::Both(a1, a2), SereNode::Both(b1, b2)) => self.is_included(a1, b1) && self.is_included(a2, b2),
            (SereNode::Both(a1, a2), _) => self.is_included(a1, b) || self.is_included(a2, b),
            _ => false,
        }
    }
}

impl Store {
    fn intern(&mut self, node: SereNode, lengths: Lengths, budget: &Budget) -> Result<SereId, OverBudget> {
        if !lengths.empty && !lengths.more {
            return Ok(NEVER);
        }
        if let Some(&known) = self.seres.ids.get(&node) {
            return Ok(known);
        }
        self.charge(96, budget)?;
        Ok(self.seres.add(node, lengths))
    }

    pub(super) fn letter(&mut self, guard: Guard<AtomId>, budget: &Budget) -> Result<SereId, OverBudget> {
        let guard = self.seres.add_guard(guard);
        self.intern(SereNode::Letter(guard), Lengths { empty: false, more: true }, budget)
    }

    pub(super) fn concat(&mut self, a: SereId, b: SereId, budget: &Budget) -> Result<SereId, OverBudget> {
        if a == NEVER || b == NEVER {
            return Ok(NEVER);
        }
        if a == EMPTY || b == EMPTY {
            return Ok(if a == EMPTY { b } else { a });
        }
        let (la, lb) = (self.seres.lengths(a), self.seres.lengths(b));
        self.intern(SereNode::Concat(a, b), Lengths { empty: la.empty && lb.empty, more: la.more || lb.more }, budget)
    }

    pub(super) fn fusion(&mut self, a: SereId, b: SereId, budget: &Budget) -> Result<SereId, OverBudget> {
        let more = self.seres.lengths(a).more && self.seres.lengths(b).more;
        self.intern(SereNode::Fusion(a, b), Lengths { empty: false, more }, budget)
    }

    pub(super) fn either(&mut self, parts: Vec<SereId>, budget: &Budget) -> Result<SereId, OverBudget> {
        let mut all = Vec::with_capacity(parts.len());
        for part in parts {
            match self.seres.node(part) {
                SereNode::Or(inner) => all.extend_from_slice(inner),
                SereNode::Never => {}
                _ => all.push(part),
            }
        }
        all.sort_unstable();
        all.dedup();
        match all.as_slice() {
            [] => Ok(NEVER),
            [one] => Ok(*one),
            _ => {
                let any = |of: fn(Lengths) -> bool| all.iter().any(|&r| of(self.seres.lengths(r)));
                let lengths = Lengths { empty: any(|l| l.empty), more: any(|l| l.more) };
                self.intern(SereNode::Or(all.into()), lengths, budget)
            }
        }
    }

    pub(super) fn both(&mut self, a: SereId, b: SereId, budget: &Budget) -> Result<SereId, OverBudget> {
        if a == b {
            return Ok(a);
        }
        let (a, b) = (a.min(b), a.max(b));
        let (la, lb) = (self.seres.lengths(a), self.seres.lengths(b));
        let node = SereNode::Both(a, b);
        if let Some(&known) = self.seres.ids.get(&node) {
            return Ok(known);
        }
        let empty = la.empty && lb.empty;
        if !la.more || !lb.more {
            return Ok(if empty { EMPTY } else { NEVER });
        }
        let more = self.have_common_length(a, b, budget)?;
        if !more {
            return Ok(if empty { EMPTY } else { NEVER });
        }
        self.intern(node, Lengths { empty, more }, budget)
    }

    /// Whether two expressions match words of one length, at least 1, if no guard fails: `{a;b} && {a}` has none. A search over the
    /// derivatives by ⊤.
    fn have_common_length(&mut self, a: SereId, b: SereId, budget: &Budget) -> Result<bool, OverBudget> {
        // Large counts are not gone through one by one where arithmetic will do.
        let mut known = FxHashMap::default();
        if let (Some(a), Some(b)) = (self.seres.range(a, &mut known), self.seres.range(b, &mut known))
            && let Ok(both) = a.overlap(b)
        {
            return Ok(both.is_some_and(|both| both.filled().is_some()));
        }
        let mut cache = Cache::default();
        let mut seen: rustc_hash::FxHashSet<(SetId, SetId)> = rustc_hash::FxHashSet::default();
        let (mut now_a, mut now_b) = (vec![a], vec![b]);
        loop {
            budget.step(1, WHAT)?;
            let mut after = |members: &[SereId]| -> Result<SetId, OverBudget> {
                let mut all = Vec::new();
                for &r in members {
                    let set = Evaluator::timeless(self, &mut Ghost, &mut cache, budget).derivative(r)?;
                    all.extend_from_slice(self.seres.set(SetId(set)));
                }
                Ok(self.seres.add_set(all))
            };
            let (sa, sb) = (after(&now_a)?, after(&now_b)?);
            if self.seres.any_empty(sa) && self.seres.any_empty(sb) {
                return Ok(true);
            }
            if !seen.insert((sa, sb)) || self.seres.set(sa).is_empty() || self.seres.set(sb).is_empty() {
                return Ok(false);
            }
            self.charge(64, budget)?;
            (now_a, now_b) = (self.seres.set(sa).to_vec(), self.seres.set(sb).to_vec());
        }
    }

    pub(super) fn repeat(
        &mut self,
        r: SereId,
        min: u64,
        max: Option<u64>,
        budget: &Budget,
    ) -> Result<SereId, OverBudget> {
        let inner = self.seres.lengths(r);
        // What matches the empty word need not be repeated.
        let min = if inner.empty { 0 } else { min };
        if max == Some(0) || !inner.more {
            return Ok(if min == 0 { EMPTY } else { NEVER });
        }
        if (min, max) == (1, Some(1)) || inner.empty && max == Some(1) {
            return Ok(r);
        }
        self.intern(SereNode::Repeat(r, min, max), Lengths { empty: min == 0, more: true }, budget)
    }

    /// `true[*]`
    pub(super) fn anything(&mut self, budget: &Budget) -> Result<SereId, OverBudget> {
        let any = self.letter(Guard::True, budget)?;
        self.repeat(any, 0, None, budget)
    }

    /// An expression as written.
    pub(super) fn sere(&mut self, sere: &Sere<AtomId>, budget: &Budget) -> Result<SereId, OverBudget> {
        match sere {
            Sere::Bool(guard) => self.letter(guard.clone(), budget),
            Sere::Repeat(r, Times { min, max }) => {
                let r = self.sere(r, budget)?;
                self.repeat(r, u64::from(*min), max.map(u64::from), budget)
            }
            Sere::Goto(b, times) => self.goto(b, *times, budget),
            Sere::Occur(b, times) => {
                let found = self.goto(b, *times, budget)?;
                let rest = self.letter(Guard::Not(Box::new(b.clone())), budget)?;
                let rest = self.repeat(rest, 0, None, budget)?;
                self.concat(found, rest, budget)
            }
            Sere::Chain(op, parts) => {
                let mut built = Vec::with_capacity(parts.len());
                for part in parts {
                    built.push(self.sere(part, budget)?);
                }
                self.chain(*op, built, budget)
            }
        }
    }

    fn chain(&mut self, op: SereOp, parts: Vec<SereId>, budget: &Budget) -> Result<SereId, OverBudget> {
        match op {
            SereOp::Or => return self.either(parts, budget),
            // From the right, so that the derivative of a chain touches its head only.
            SereOp::Concat => {
                let mut all = EMPTY;
                for part in parts.into_iter().rev() {
                    all = self.concat(part, all, budget)?;
                }
                return Ok(all);
            }
            _ => {}
        }
        let anything = self.anything(budget)?;
        let mut parts = parts.into_iter();
        let Some(mut all) = parts.next() else { return Ok(EMPTY) };
        for part in parts {
            all = match op {
                SereOp::Fusion => self.fusion(all, part, budget)?,
                SereOp::Intersect => self.both(all, part, budget)?,
                SereOp::And => {
                    let (longer, shorter) = (self.concat(part, anything, budget)?, self.concat(all, anything, budget)?);
                    let (first, second) = (self.both(all, longer, budget)?, self.both(shorter, part, budget)?);
                    self.either(vec![first, second], budget)?
                }
                SereOp::Within => {
                    let behind = self.concat(all, anything, budget)?;
                    let inside = self.concat(anything, behind, budget)?;
                    self.both(inside, part, budget)?
                }
                SereOp::Concat | SereOp::Or => unreachable!("joined above"),
            };
        }
        Ok(all)
    }

    /// `{!b[*];b}[*n:m]`
    fn goto(&mut self, b: &Guard<AtomId>, times: Times, budget: &Budget) -> Result<SereId, OverBudget> {
        let hit = self.letter(b.clone(), budget)?;
        let miss = self.letter(Guard::Not(Box::new(b.clone())), budget)?;
        let misses = self.repeat(miss, 0, None, budget)?;
        let once = self.concat(misses, hit, budget)?;
        self.repeat(once, u64::from(times.min), times.max.map(u64::from), budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(range: Range, length: u64) -> bool {
        length >= range.least
            && range.most.is_none_or(|most| length <= most)
            && (length - range.least).is_multiple_of(range.step)
    }

    /// The lengths up to a bound of so many in a row, one by one.
    fn listed(range: Range, least: u64, most: Option<u64>, bound: u64) -> Vec<bool> {
        let mut found = vec![false; bound as usize + 1];
        let mut now = vec![false; bound as usize + 1];
        now[0] = true;
        for k in 0..=most.unwrap_or(bound + 1).min(bound + 1) {
            if k >= least {
                found.iter_mut().zip(&now).for_each(|(found, now)| *found |= now);
            }
            let longer = |length: u64| (0..=length).any(|part| now[(length - part) as usize] && has(range, part));
            now = (0..=bound).map(longer).collect();
        }
        found
    }

    fn ranges() -> Vec<Range> {
        let mut all = Vec::new();
        for least in 0..4 {
            for step in 1..5 {
                all.extend([0, 1, 3].map(|k| Range::new(least, Some(least + k * step), step)));
                all.push(Range::new(least, None, step));
            }
        }
        all
    }

    #[test]
    fn lengths_of_repetitions_are_right() {
        let bound = 24;
        let mut answered = 0;
        for range in ranges() {
            let ends = |from: u64| [None, Some(from), Some(from + 1), Some(from + 3)];
            for (n, m) in (0..4).flat_map(|n| ends(n).map(move |m| (n, m))) {
                if let Some(found) = range.times(n, m) {
                    answered += 1;
                    let expected = listed(range, n, m, bound);
                    let lengths: Vec<bool> = (0..=bound).map(|length| has(found, length)).collect();
                    assert_eq!(lengths, expected, "{range:?} {n} to {m:?} times");
                } else if range.step == 1 {
                    let lengths = listed(range, n, m, bound);
                    let (first, last) = (lengths.iter().position(|l| *l), lengths.iter().rposition(|l| *l));
                    let gap = first.zip(last).is_some_and(|(first, last)| lengths[first..last].contains(&false));
                    assert!(gap, "{range:?} {n} to {m:?} times");
                }
            }
        }
        assert!(answered > 200, "{answered}");
    }

    #[test]
    fn lengths_of_two_ranges_are_right() {
        for a in ranges() {
            for b in ranges() {
                let shared = a.overlap(b).unwrap();
                let lengths: Vec<u64> = (0..60).filter(|&length| has(a, length) && has(b, length)).collect();
                let found: Vec<u64> = (0..60).filter(|&length| shared.is_some_and(|s| has(s, length))).collect();
                assert_eq!(found, lengths, "{a:?} and {b:?}");
                if let Some(sum) = a.plus(b) {
                    for length in 0..40 {
                        let any = (0..=length).any(|part| has(a, part) && has(b, length - part));
                        assert_eq!(has(sum, length), any, "{a:?} and then {b:?}: {length}");
                    }
                }
                let filled: Vec<u64> = (0..40).filter(|&l| a.filled().is_some_and(|a| has(a, l))).collect();
                assert_eq!(filled, (1..40).filter(|&l| has(a, l)).collect::<Vec<u64>>(), "{a:?}");
            }
        }
    }
}
