//! The operations, as memoised functions on families.
//!
//! A [`Call`] is an operation on one or two families of a layer. Its result is made of results of the same operation on
//! families of the next layer. [`Trees::run`] keeps a list of calls and tries the last one: either all that it needs is known,
//! or what is missing goes on the list. So a call is tried twice; a union is sometimes tried again ([`Trees::finish`]).
//!
//! Operations have ranks: union, [`Op::Disjoint`], all others. Operations of lower ranks are run as plain calls, so the
//! machine's stack holds at most three of [`Trees::run`], whatever the number of layers.

use super::Trees;
use super::scratch::Scratch;
use super::store::{Entry, Family};
use posetta_base::OverBudget;

/// What is done with the families of a [`Call`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Op {
    Union,
    /// The same tuples, by siblings whose labels do not overlap. What follows them may.
    Disjoint,
    Intersection,
    Difference,
    Down,
    /// Adds to the number in a layer.
    Raise {
        layer: u32,
        by: u32,
    },
    /// Takes away from the number in a layer.
    Lower {
        layer: u32,
        by: u32,
    },
}

/// An operation with its operands: what results are remembered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Call {
    op: Op,
    left: Family,
    /// [`Family::NOTHING`] where an operation takes one family.
    right: Family,
}

impl Call {
    /// An operation on two families. Where their order does not matter it is always the same.
    pub(super) fn binary(op: Op, left: Family, right: Family) -> Self {
        let swap = matches!(op, Op::Union | Op::Intersection) && right < left;
        if swap { Self { op, left: right, right: left } } else { Self { op, left, right } }
    }

    pub(super) fn unary(op: Op, family: Family) -> Self {
        Self { op, left: family, right: Family::NOTHING }
    }

    /// The result where it can be told without looking at nodes.
    fn obvious(self) -> Option<Family> {
        const NOTHING: Family = Family::NOTHING;
        let Self { op, left, right } = self;
        match op {
            Op::Union if left == right || right == NOTHING => Some(left),
            Op::Union if left == NOTHING => Some(right),
            Op::Intersection if left == right || left == NOTHING => Some(left),
            Op::Intersection if right == NOTHING => Some(right),
            Op::Difference if left == right || left == NOTHING => Some(NOTHING),
            Op::Difference if right == NOTHING => Some(left),
            Op::Disjoint | Op::Down if left == NOTHING || left == Family::END => Some(left),
            Op::Raise { by, .. } | Op::Lower { by, .. } if left == NOTHING || by == 0 => Some(left),
            _ => None,
        }
    }
}

impl Trees {
    /// The result of a call.
    pub(super) fn run(&mut self, call: Call) -> Result<Family, OverBudget> {
        if let Some(known) = self.known(call) {
            return Ok(known);
        }
        let mut open = Scratch::new();
        open.push(call, &self.budget)?;
        while let Some(&last) = open.last() {
            if self.known(last).is_none() {
                match self.attempt(last, &mut open)? {
                    Some(result) => self.remember(last, result)?,
                    // What is missing lies above it now.
                    None => continue,
                }
            }
            open.pop();
        }
        Ok(self.known(call).expect("a call leaves the list when its result is known"))
    }

    fn known(&self, call: Call) -> Option<Family> {
        call.obvious().or_else(|| self.memo.get(&call).copied())
    }

    /// The result of a call that another one needs; if it is not known, the call is put on the list.
    pub(super) fn ask(&self, call: Call, open: &mut Scratch<Call>) -> Result<Option<Family>, OverBudget> {
        let known = self.known(call);
        if known.is_none() {
            open.push(call, &self.budget)?;
        }
        Ok(known)
    }

    /// The result of a call, or `None` if something is missing for it, which is then on the list.
    fn attempt(&mut self, call: Call, open: &mut Scratch<Call>) -> Result<Option<Family>, OverBudget> {
        let Call { op, left, right } = call;
        let layer = self.store.layer(left);
        let mut draft = Draft { entries: Scratch::new(), complete: true };
        match op {
            Op::Disjoint => return self.separate(left).map(Some),
            Op::Union => self.draft_union(left, right, &mut draft, open)?,
            Op::Intersection => {
                let left = self.run(Call::unary(Op::Disjoint, left))?;
                let right = self.run(Call::unary(Op::Disjoint, right))?;
                self.draft_intersection(left, right, &mut draft, open)?;
            }
            Op::Difference => {
                let right = self.run(Call::unary(Op::Disjoint, right))?;
                self.draft_difference(left, right, &mut draft, open)?;
            }
            Op::Down => self.draft_each(left, op, &mut draft, open, |entry| (0, entry.hi))?,
            Op::Raise { layer: at, by } if at == layer => {
                let largest = self.largest[layer as usize];
                let fits = |entry: &&Entry| by <= largest - entry.lo;
                for entry in self.store.entries(left).iter().filter(fits) {
                    let hi = entry.hi.saturating_add(by).min(largest);
                    self.add(&mut draft, (entry.lo + by, hi), Some(entry.below))?;
                }
            }
            Op::Lower { layer: at, by } if at == layer => {
                for entry in self.store.entries(left).iter().filter(|entry| entry.hi >= by) {
                    self.add(&mut draft, (entry.lo.saturating_sub(by), entry.hi - by), Some(entry.below))?;
                }
            }
            Op::Raise { .. } | Op::Lower { .. } => self.draft_each(left, op, &mut draft, open, Entry::label)?,
        }
        if draft.complete { self.finish(op, layer, draft.entries, open) } else { Ok(None) }
    }

    /// Adds a node to a draft, unless nothing follows it. What is to follow may still be missing.
    fn add(&self, draft: &mut Draft, (lo, hi): (u32, u32), below: Option<Family>) -> Result<(), OverBudget> {
        self.tick()?;
        match below {
            None => draft.complete = false,
            Some(Family::NOTHING) => {}
            // While something is missing the draft is not used.
            Some(below) if draft.complete => draft.entries.push(Entry { lo, hi, below }, &self.budget)?,
            Some(_) => {}
        }
        Ok(())
    }

    /// The same operation on what follows each node, under a new label.
    fn draft_each(
        &self,
        family: Family,
        op: Op,
        draft: &mut Draft,
        open: &mut Scratch<Call>,
        label: impl Fn(&Entry) -> (u32, u32),
    ) -> Result<(), OverBudget> {
        for entry in self.store.entries(family) {
            let below = self.ask(Call::unary(op, entry.below), open)?;
            self.add(draft, label(entry), below)?;
        }
        Ok(())
    }

    /// All nodes of both sides; where two have the same label, one with what follows either. Labels are not split: that is
    /// where these trees are smaller than diagrams with disjoint siblings.
    fn draft_union(&self, a: Family, b: Family, draft: &mut Draft, open: &mut Scratch<Call>) -> Result<(), OverBudget> {
        let mut others = self.store.entries(b).iter().peekable();
        for entry in self.store.entries(a) {
            while let Some(other) = others.next_if(|other| other.label() < entry.label()) {
                self.add(draft, other.label(), Some(other.below))?;
            }
            let below = match others.next_if(|other| other.label() == entry.label()) {
                Some(other) => self.ask(Call::binary(Op::Union, entry.below, other.below), open)?,
                None => Some(entry.below),
            };
            self.add(draft, entry.label(), below)?;
        }
        for other in others {
            self.add(draft, other.label(), Some(other.below))?;
        }
        Ok(())
    }

    /// For each two nodes whose labels overlap, one for the overlap. The siblings of both sides are disjoint: where both
    /// overlapped, a chain of intersections, such as definition 4 of the paper has one, would multiply the nodes that say
    /// the same.
    fn draft_intersection(
        &self,
        a: Family,
        b: Family,
        draft: &mut Draft,
        open: &mut Scratch<Call>,
    ) -> Result<(), OverBudget> {
        let (mut left, mut right) = (self.store.entries(a).iter().peekable(), self.store.entries(b).iter().peekable());
        while let (Some(x), Some(y)) = (left.peek(), right.peek()) {
            let (lo, hi) = (x.lo.max(y.lo), x.hi.min(y.hi));
            if lo <= hi {
                let below = self.ask(Call::binary(Op::Intersection, x.below, y.below), open)?;
                self.add(draft, (lo, hi), below)?;
            }
            if x.hi <= y.hi {
                left.next();
            } else {
                right.next();
            }
        }
        Ok(())
    }

    /// Each node of `a` in pieces: those that lie in one label of `b`, without what follows there, and those that lie in none.
    /// The siblings of `b` are disjoint.
    fn draft_difference(
        &self,
        a: Family,
        b: Family,
        draft: &mut Draft,
        open: &mut Scratch<Call>,
    ) -> Result<(), OverBudget> {
        let pieces = self.store.entries(b);
        for entry in self.store.entries(a) {
            let first = pieces.partition_point(|piece| piece.hi < entry.lo);
            // The first number that no piece has covered, while there is one.
            let mut rest = Some(entry.lo);
            for piece in pieces[first..].iter().take_while(|piece| piece.lo <= entry.hi) {
                let start = rest.expect("only the last piece reaches the end of the label");
                if start < piece.lo {
                    self.add(draft, (start, piece.lo - 1), Some(entry.below))?;
                }
                let below = self.ask(Call::binary(Op::Difference, entry.below, piece.below), open)?;
                self.add(draft, (start.max(piece.lo), piece.hi.min(entry.hi)), below)?;
                rest = (piece.hi < entry.hi).then(|| piece.hi + 1);
            }
            if let Some(start) = rest {
                self.add(draft, (start, entry.hi), Some(entry.below))?;
            }
        }
        Ok(())
    }
}

/// The nodes that a result is made of, before they satisfy the invariant of [`super::store`].
struct Draft {
    entries: Scratch<Entry>,
    /// Whether what follows each node was known.
    complete: bool,
}
