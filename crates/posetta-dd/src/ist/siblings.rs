//! From drafts to families: siblings with different labels, as few as is cheap.
//!
//! For being right it is enough that equal labels become one. That labels touching each other are put together where the same
//! follows them keeps trees small: shifts and differences leave many such pieces. (To drop siblings that another one simulates,
//! a test in polynomial time, was tried: trees became at most a fifth smaller and nothing became faster.)

use super::Trees;
use super::operations::{Call, Op};
use super::scratch::Scratch;
use super::store::{Entry, Family};
use posetta_base::OverBudget;

impl Trees {
    /// The family with the nodes of a draft, the result of `op` in a layer. `None` if a union that it needs is not known; the
    /// union is then on the list.
    pub(super) fn finish(
        &mut self,
        op: Op,
        layer: u32,
        mut draft: Scratch<Entry>,
        open: &mut Scratch<Call>,
    ) -> Result<Option<Family>, OverBudget> {
        loop {
            if !self.unite_equal_labels(op, &mut draft, open)? {
                return Ok(None);
            }
            // Labels that were put together may now be equal to others. Each round has fewer nodes.
            if !merge_touching(&mut draft) {
                break;
            }
        }
        draft.sort_unstable();
        if draft.is_empty() {
            return Ok(Some(Family::NOTHING));
        }
        self.intern(&draft, layer).map(Some)
    }

    /// Makes nodes with the same label one, with what follows any of them: condition (iii). Whether all unions were known.
    fn unite_equal_labels(
        &mut self,
        op: Op,
        draft: &mut Scratch<Entry>,
        open: &mut Scratch<Call>,
    ) -> Result<bool, OverBudget> {
        draft.sort_unstable();
        draft.dedup();
        let (mut kept, mut next, mut complete) = (0, 0, true);
        while let Some(&first) = draft.get(next) {
            let end = next + draft[next..].iter().take_while(|entry| entry.label() == first.label()).count();
            let below = match &draft[next..end] {
                [only] => Some(only.below),
                several => self.unite(op, several.iter().map(|entry| entry.below).collect(), open)?,
            };
            match below {
                Some(below) => draft[kept] = Entry { below, ..first },
                None => complete = false,
            }
            kept += 1;
            next = end;
        }
        draft.truncate(kept);
        Ok(complete)
    }

    /// The union of some families; by halves, so that none is gone through many times. A union asks for unions, all other
    /// operations run them.
    fn unite(
        &mut self,
        op: Op,
        mut families: Vec<Family>,
        open: &mut Scratch<Call>,
    ) -> Result<Option<Family>, OverBudget> {
        while families.len() > 1 {
            let mut united = Vec::with_capacity(families.len().div_ceil(2));
            let mut complete = true;
            for pair in families.chunks(2) {
                let &[a, b] = pair else {
                    united.extend(pair);
                    continue;
                };
                let call = Call::binary(Op::Union, a, b);
                match if op == Op::Union { self.ask(call, open)? } else { Some(self.run(call)?) } {
                    Some(union) => united.push(union),
                    None => complete = false,
                }
            }
            if !complete {
                return Ok(None);
            }
            united.sort_unstable();
            united.dedup();
            families = united;
        }
        Ok(Some(families.first().copied().unwrap_or(Family::NOTHING)))
    }

    /// The siblings of a family in pieces that do not overlap, each followed by what follows any of the labels around it.
    pub(super) fn separate(&mut self, family: Family) -> Result<Family, OverBudget> {
        if self.store.entries(family).is_sorted_by(|a, b| a.hi < b.lo) {
            return Ok(family);
        }
        let layer = self.store.layer(family);
        let mut draft = Scratch::new();
        let mut open = Scratch::new();
        // The labels around the current piece, which starts at `lo`, and the place of the next one to its right.
        let mut around: Scratch<Entry> = Scratch::new();
        let (mut lo, mut next) = (0, 0);
        loop {
            if around.is_empty() {
                let Some(entry) = self.store.entries(family).get(next) else { break };
                lo = entry.lo;
            }
            let right = &self.store.entries(family)[next..];
            for entry in right.iter().take_while(|entry| entry.lo == lo) {
                around.push(*entry, &self.budget)?;
                next += 1;
            }
            // The piece goes on until a label ends or another one starts.
            let ends = around.iter().map(|entry| entry.hi).min().expect("some label starts at `lo` or goes on there");
            let starts = self.store.entries(family).get(next).map(|entry| entry.lo - 1);
            let hi = starts.map_or(ends, |starts| starts.min(ends));
            let mut families: Vec<Family> = around.iter().map(|entry| entry.below).collect();
            families.sort_unstable();
            families.dedup();
            self.tick()?;
            let below = self.unite(Op::Disjoint, families, &mut open)?.expect("only a union asks for unions");
            draft.push(Entry { lo, hi, below }, &self.budget)?;
            around.retain(|entry| entry.hi > hi);
            // No overflow matters: after the largest number no label goes on.
            lo = hi.saturating_add(1);
        }
        let result = self.finish(Op::Disjoint, layer, draft, &mut open)?;
        Ok(result.expect("only a union asks for unions"))
    }
}

/// Puts labels that touch or overlap together where the same follows them. Whether there were any.
fn merge_touching(draft: &mut Scratch<Entry>) -> bool {
    let before = draft.len();
    draft.sort_unstable_by_key(|entry| (entry.below, entry.lo, entry.hi));
    draft.dedup_by(|next, last| {
        let touch = next.below == last.below && next.lo <= last.hi.saturating_add(1);
        if touch {
            last.hi = last.hi.max(next.hi);
        }
        touch
    });
    draft.len() < before
}
