//! Matches of a SERE in one word, by definition.
//!
//! [`Matcher::leads`] says from which positions a match leads to a goal: a row of truth values, made from the right to the left and from
//! the last part of the SERE to the first. `&&` must know where two SEREs end together, so below it the ends of each are listed
//! ([`Matcher::ends`]), in ⊤ forever as [`Lengths`].

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Word;
use super::lengths::Lengths;
use crate::{AtomId, Guard, Sere, SereOp, Times};
use posetta_base::{Budget, Claim, OverBudget};

const WHAT: &str = "finding the matches of a SERE in a run";

/// One entry per position up to the cut, and one for all positions behind it.
type Row = Vec<bool>;

/// The same SERE without `[->n]` and `[=n]`, and with `&` and `within` between two.
pub(crate) fn plain(sere: &Sere<AtomId>) -> Sere<AtomId> {
    let goto = |b: &Guard<AtomId>, times: Times| {
        let others = Sere::Repeat(Box::new(Sere::Bool(Guard::Not(Box::new(b.clone())))), Times::ANY);
        let one = Sere::Chain(SereOp::Concat, vec![others, Sere::Bool(b.clone())]);
        Sere::Repeat(Box::new(one), times)
    };
    match sere {
        Sere::Bool(b) => Sere::Bool(b.clone()),
        Sere::Chain(op @ (SereOp::And | SereOp::Within), parts) => {
            let mut parts = parts.iter().map(plain);
            let first = parts.next().unwrap_or(Sere::Bool(Guard::False));
            parts.fold(first, |left, right| Sere::Chain(*op, vec![left, right]))
        }
        Sere::Chain(op, parts) => Sere::Chain(*op, parts.iter().map(plain).collect()),
        Sere::Repeat(r, times) => Sere::Repeat(Box::new(plain(r)), *times),
        Sere::Goto(b, times) => goto(b, *times),
        Sere::Occur(b, times) => {
            let others = Sere::Repeat(Box::new(Sere::Bool(Guard::Not(Box::new(b.clone())))), Times::ANY);
            let some = |times| Sere::Chain(SereOp::Concat, vec![goto(b, times), others.clone()]);
            match *times {
                Times { min: 0, max: Some(0) } => others,
                Times { min: 0, max } => Sere::Chain(SereOp::Or, vec![others.clone(), some(Times { min: 1, max })]),
                times => some(times),
            }
        }
    }
}

/// Whether it matches the empty word.
pub(super) fn nullable(sere: &Sere<AtomId>) -> bool {
    match sere {
        Sere::Bool(_) | Sere::Chain(SereOp::Fusion, _) | Sere::Goto(..) => false,
        Sere::Chain(SereOp::Or, parts) => parts.iter().any(nullable),
        Sere::Chain(_, parts) => parts.iter().all(nullable),
        Sere::Repeat(r, times) => times.min == 0 || nullable(r),
        Sere::Occur(_, times) => times.min == 0,
    }
}

/// How often what is repeated matches something that is not empty. The empty matches among them are free.
fn pieces(sere: &Sere<AtomId>, times: Times) -> Times {
    if nullable(sere) { Times { min: 0, ..times } } else { times }
}

/// Where matches from one position end.
#[derive(Debug)]
struct Ends {
    /// Positions up to the cut, ascending.
    at: Vec<usize>,
    /// How many letters behind the cut were taken, at least one.
    behind: Lengths,
}

/// Finds the matches of a SERE in a word up to a cut, behind which comes nothing or ⊤ forever. Positions are 0 to the cut, and one more
/// for all positions in what comes behind.
pub(super) struct Matcher<'w> {
    word: &'w Word,
    cut: usize,
    tops: bool,
    budget: &'w Budget,
    claim: Claim,
    claimed: u64,
    /// By the place of the SERE in memory.
    ends: FxHashMap<(usize, usize), Rc<Ends>>,
    lengths: FxHashMap<usize, Rc<Lengths>>,
    earliest: FxHashMap<usize, Rc<Vec<u64>>>,
}

/// No way leads on.
const NOWHERE: usize = usize::MAX;

/// For each position where the way from it leads, or [`NOWHERE`].
type Ways = Vec<usize>;

/// The boolean of `{!b[*];b}`.
fn next_one(parts: &[Sere<AtomId>]) -> Option<&Guard<AtomId>> {
    let [Sere::Repeat(miss, Times::ANY), Sere::Bool(b)] = parts else { return None };
    match &**miss {
        Sere::Bool(Guard::Not(inner)) if **inner == *b => Some(b),
        _ => None,
    }
}

/// First one way, then another, which may start with the last letter of the first.
fn follow(mut first: Ways, next: &[usize], overlap: usize, behind: usize) -> Ways {
    for way in &mut first {
        if *way == NOWHERE {
            continue;
        }
        *way = if *way == behind { next[behind] } else { next[*way - overlap] };
    }
    first
}

fn place(sere: &Sere<AtomId>) -> usize {
    std::ptr::from_ref(sere) as usize
}

impl<'w> Matcher<'w> {
    pub(super) fn new(word: &'w Word, cut: usize, tops: bool, budget: &'w Budget) -> Result<Self, OverBudget> {
        Ok(Self {
            word,
            cut,
            tops,
            budget,
            claim: budget.claim(0, WHAT)?,
            claimed: 0,
            ends: FxHashMap::default(),
            lengths: FxHashMap::default(),
            earliest: FxHashMap::default(),
        })
    }

    fn take(&mut self, bytes: usize) -> Result<(), OverBudget> {
        self.claimed = self.claimed.saturating_add(bytes as u64);
        self.claim.grow_to(self.claimed, WHAT)
    }

    /// From which positions a match that is not empty leads to a position of the goal.
    pub(super) fn leads(&mut self, sere: &Sere<AtomId>, goal: &[bool]) -> Result<Row, OverBudget> {
        self.budget.step(0, WHAT)?;
        let behind = self.cut + 1;
        let join = |row: &mut Row, more: &[bool]| row.iter_mut().zip(more).for_each(|(v, &m)| *v |= m);
        match sere {
            Sere::Bool(b) => {
                let mut row = vec![self.tops && goal[behind]; behind + 1];
                for i in 0..self.cut {
                    row[i] = goal[i + 1] && b.holds(&|&a| self.word.row(a)[i]);
                }
                Ok(row)
            }
            Sere::Chain(SereOp::Concat, parts) => {
                // From where the rest leads to the goal: by a match that is not empty, and by any.
                let mut filled = vec![false; goal.len()];
                let mut any = goal.to_vec();
                for part in parts.iter().rev() {
                    let row = self.leads(part, &any)?;
                    if nullable(part) {
                        join(&mut filled, &row);
                        join(&mut any, &row);
                    } else {
                        (filled, any) = (row.clone(), row);
                    }
                }
                Ok(filled)
            }
            Sere::Chain(SereOp::Fusion, parts) => {
                let mut row = goal.to_vec();
                for (i, part) in parts.iter().rev().enumerate() {
                    if i > 0 {
                        // The next part starts one letter before the end of this one. Behind the cut all positions are alike.
                        row.insert(0, false);
                        row.remove(behind);
                    }
                    row = self.leads(part, &row)?;
                }
                Ok(row)
            }
            Sere::Chain(SereOp::Or, parts) => {
                let mut row = vec![false; goal.len()];
                for part in parts {
                    join(&mut row, &self.leads(part, goal)?);
                }
                Ok(row)
            }
            Sere::Repeat(r, times) => self.leads_again(r, pieces(r, *times), goal),
            Sere::Chain(..) | Sere::Goto(..) | Sere::Occur(..) => {
                let mut row = Vec::with_capacity(behind + 1);
                for i in 0..=self.cut {
                    let ends = self.ends(sere, i)?;
                    let near = ends.at.iter().any(|&e| e > i && goal[e]);
                    row.push(near || goal[behind] && !ends.behind.is_empty());
                }
                row.push(row[self.cut]);
                Ok(row)
            }
        }
    }

    /// The same for so many matches of r in a row, none of them empty.
    fn leads_again(&mut self, r: &Sere<AtomId>, times: Times, goal: &[bool]) -> Result<Row, OverBudget> {
        if let Some(ways) = self.ways(r)? {
            return self.leads_along(&ways, times, goal);
        }
        let mut any = goal.to_vec();
        match times.max {
            None => self.close(r, &mut any)?,
            // So many more than asked for. Every match takes a letter, so that rows settle.
            Some(max) => {
                for _ in 0..max - times.min.max(1).min(max) {
                    let mut more = self.leads(r, &any)?;
                    more.iter_mut().zip(goal).for_each(|(v, &g)| *v |= g);
                    if more == any {
                        break;
                    }
                    any = more;
                }
                if max == 0 {
                    return Ok(vec![false; goal.len()]);
                }
            }
        }
        for _ in 0..times.min.max(1) {
            let fewer = self.leads(r, &any)?;
            if fewer == any {
                break;
            }
            any = fewer;
        }
        Ok(any)
    }

    /// Where the match from each position ends, for expressions that have at most one, never empty, wherever they start: a letter, `b[->]`,
    /// and what is made of such. A count of these is a way to go on, not a row for each repetition.
    fn ways(&mut self, sere: &Sere<AtomId>) -> Result<Option<Ways>, OverBudget> {
        let behind = self.cut + 1;
        let last = if self.tops { behind } else { NOWHERE };
        Ok(match sere {
            Sere::Bool(b) => {
                self.take((behind + 1) * size_of::<usize>())?;
                let mut ways = vec![last; behind + 1];
                for (i, way) in ways.iter_mut().enumerate().take(self.cut) {
                    *way = if b.holds(&|&a| self.word.row(a)[i]) { i + 1 } else { NOWHERE };
                }
                Some(ways)
            }
            Sere::Chain(SereOp::Concat, parts) if next_one(parts).is_some() => {
                let Some(b) = next_one(parts) else { return Ok(None) };
                self.take((behind + 1) * size_of::<usize>())?;
                let mut ways = vec![last; behind + 1];
                for i in (0..self.cut).rev() {
                    ways[i] = if b.holds(&|&a| self.word.row(a)[i]) { i + 1 } else { ways[i + 1] };
                }
                Some(ways)
            }
            Sere::Chain(op @ (SereOp::Concat | SereOp::Fusion), parts) => {
                let mut all: Option<Ways> = None;
                for part in parts {
                    let Some(next) = self.ways(part)? else { return Ok(None) };
                    all = Some(match all {
                        None => next,
                        Some(first) => follow(first, &next, if *op == SereOp::Fusion { 1 } else { 0 }, behind),
                    });
                }
                all
            }
            Sere::Repeat(r, Times { min, max: Some(max) }) if min == max && *min > 0 => {
                let Some(mut once) = self.ways(r)? else { return Ok(None) };
                // By squares: as many rounds as the count has digits.
                let (mut count, mut all): (u32, Option<Ways>) = (*min, None);
                loop {
                    if count & 1 == 1 {
                        all = Some(all.map_or_else(|| once.clone(), |all| follow(all, &once, 0, behind)));
                    }
                    count >>= 1;
                    if count == 0 {
                        break;
                    }
                    self.budget.step(once.len() as u64 / 64, WHAT)?;
                    once = follow(once.clone(), &once, 0, behind);
                }
                all
            }
            _ => None,
        })
    }

    /// The same as [`Self::leads_again`] along ways: from which positions so many of them lead to the goal. Ways lead ahead, so they are
    /// trees that grow backwards from where they end; the positions ahead of one are a stack while its tree is walked.
    fn leads_along(&mut self, ways: &[usize], times: Times, goal: &[bool]) -> Result<Row, OverBudget> {
        let behind = self.cut + 1;
        let mut row = vec![false; behind + 1];
        let (least, most) = (times.min.max(1) as usize, times.max.map_or(usize::MAX, |max| max as usize));
        if most < least {
            return Ok(row);
        }
        self.take((behind + 1) * 5 * size_of::<usize>())?;
        // The positions that lead to each, as lists through one array.
        let (mut first, mut sibling) = (vec![NOWHERE; behind + 1], vec![NOWHERE; behind + 1]);
        for i in 0..=self.cut {
            if ways[i] != NOWHERE {
                sibling[i] = first[ways[i]];
                first[ways[i]] = i;
            }
        }
        // How many positions of the goal there are among the first of the stack.
        let mut goals: Vec<usize> = vec![0];
        for root in (0..=behind).filter(|&i| i == behind || ways[i] == NOWHERE) {
            let mut open = vec![(root, 0)];
            while let Some((i, depth)) = open.pop() {
                self.budget.step(1, WHAT)?;
                goals.truncate(depth + 1);
                goals.push(goals[depth] + usize::from(goal[i]));
                let near = depth >= least && {
                    let (from, to) = (depth.saturating_sub(most), depth - least);
                    goals[to + 1] > goals[from]
                };
                // Behind the cut every way leads on behind it.
                let far = root == behind && self.tops && goal[behind] && most >= depth;
                row[i] = near || far;
                let mut child = first[i];
                while child != NOWHERE {
                    open.push((child, depth + 1));
                    child = sibling[child];
                }
            }
        }
        Ok(row)
    }

    /// Adds the positions from which matches of r in a row lead to the goal.
    fn close(&mut self, r: &Sere<AtomId>, goal: &mut Row) -> Result<(), OverBudget> {
        let behind = self.cut + 1;
        if let Sere::Bool(b) = r {
            goal[self.cut] |= self.tops && goal[behind];
            for i in (0..self.cut).rev() {
                goal[i] |= goal[i + 1] && b.holds(&|&a| self.word.row(a)[i]);
            }
            return Ok(());
        }
        if let Some(ways) = self.ways(r)? {
            for i in (0..=self.cut).rev() {
                goal[i] |= ways[i] != NOWHERE && goal[ways[i]];
            }
            return Ok(());
        }
        for i in (0..=self.cut).rev() {
            if !goal[i] {
                let ends = self.ends(r, i)?;
                goal[i] = ends.at.iter().any(|&e| e > i && goal[e]) || goal[behind] && !ends.behind.is_empty();
            }
        }
        Ok(())
    }

    /// The lengths of matches made of ⊤, the empty one included.
    fn lengths(&mut self, sere: &Sere<AtomId>) -> Result<Rc<Lengths>, OverBudget> {
        if let Some(known) = self.lengths.get(&place(sere)) {
            return Ok(Rc::clone(known));
        }
        let budget = self.budget;
        let found = match sere {
            Sere::Bool(_) => Lengths::only(1),
            Sere::Chain(op, parts) => {
                let mut all: Option<Lengths> = None;
                for part in parts {
                    let one = self.lengths(part)?;
                    all = Some(match (all, op) {
                        (None, _) => (*one).clone(),
                        (Some(all), SereOp::Concat) => all.sum(&one, budget)?,
                        (Some(all), SereOp::Fusion) => {
                            all.from(1, budget)?.sum(&one.from(1, budget)?, budget)?.less_one(budget)?
                        }
                        (Some(all), SereOp::Or) => all.union(&one, budget)?,
                        (Some(all), SereOp::Intersect) => all.intersection(&one, budget)?,
                        (Some(all), SereOp::And) => longer(&all, &one, budget)?,
                        (Some(all), SereOp::Within) => match all.min() {
                            Some(least) => one.from(least, budget)?,
                            None => Lengths::none(),
                        },
                    });
                }
                all.unwrap_or_else(Lengths::none)
            }
            Sere::Repeat(r, times) => self.lengths(r)?.times(*times, budget)?,
            Sere::Goto(..) | Sere::Occur(..) => unreachable!("`plain` leaves none"),
        };
        let found = Rc::new(found);
        self.lengths.insert(place(sere), Rc::clone(&found));
        Ok(found)
    }

    /// Where matches from position `i`, which is not behind the cut, end.
    fn ends(&mut self, sere: &Sere<AtomId>, i: usize) -> Result<Rc<Ends>, OverBudget> {
        let key = (place(sere), i);
        if let Some(known) = self.ends.get(&key) {
            return Ok(Rc::clone(known));
        }
        self.budget.step(0, WHAT)?;
        let found = if i == self.cut {
            let behind = if self.tops { self.lengths(sere)?.from(1, self.budget)? } else { Lengths::none() };
            Ends { at: if nullable(sere) { vec![i] } else { Vec::new() }, behind }
        } else {
            self.ends_of(sere, i)?
        };
        self.take(size_of::<Ends>() + 64 + found.at.len() * size_of::<usize>())?;
        let found = Rc::new(found);
        self.ends.insert(key, Rc::clone(&found));
        Ok(found)
    }

    fn ends_of(&mut self, sere: &Sere<AtomId>, i: usize) -> Result<Ends, OverBudget> {
        let budget = self.budget;
        Ok(match sere {
            Sere::Bool(b) => {
                let holds = b.holds(&|&a| self.word.row(a)[i]);
                Ends { at: if holds { vec![i + 1] } else { Vec::new() }, behind: Lengths::none() }
            }
            Sere::Chain(SereOp::Concat, parts) => {
                let mut now = Ends { at: vec![i], behind: Lengths::none() };
                for part in parts {
                    now = self.then(&now, part, 0)?;
                }
                now
            }
            Sere::Chain(SereOp::Fusion, parts) => {
                let mut now: Option<Ends> = None;
                for part in parts {
                    now = Some(match now {
                        None => {
                            let first = self.ends(part, i)?;
                            let at = first.at.iter().copied().filter(|&e| e > i).collect();
                            Ends { at, behind: first.behind.clone() }
                        }
                        Some(now) => self.then(&now, part, 1)?,
                    });
                }
                now.unwrap_or(Ends { at: Vec::new(), behind: Lengths::none() })
            }
            Sere::Chain(SereOp::Or, parts) => {
                let (mut at, mut behind) = (Vec::new(), Lengths::none());
                for part in parts {
                    let ends = self.ends(part, i)?;
                    at.extend_from_slice(&ends.at);
                    behind = behind.union(&ends.behind, budget)?;
                }
                at.sort_unstable();
                at.dedup();
                Ends { at, behind }
            }
            Sere::Chain(SereOp::Intersect, parts) => {
                let mut now: Option<Ends> = None;
                for part in parts {
                    let ends = self.ends(part, i)?;
                    now = Some(match now {
                        None => Ends { at: ends.at.clone(), behind: ends.behind.clone() },
                        Some(now) => Ends {
                            at: now.at.into_iter().filter(|e| ends.at.binary_search(e).is_ok()).collect(),
                            behind: now.behind.intersection(&ends.behind, budget)?,
                        },
                    });
                }
                now.unwrap_or(Ends { at: Vec::new(), behind: Lengths::none() })
            }
            Sere::Chain(SereOp::And, parts) => {
                let [r, s] = parts.as_slice() else { unreachable!("`plain` leaves two") };
                let (r, s) = (self.ends(r, i)?, self.ends(s, i)?);
                let of_r = self.not_before(&r, self.first(&s))?;
                let of_s = self.not_before(&s, self.first(&r))?;
                let mut at = of_r.at;
                at.extend(of_s.at);
                at.sort_unstable();
                at.dedup();
                Ends { at, behind: of_r.behind.union(&of_s.behind, budget)? }
            }
            Sere::Chain(SereOp::Within, parts) => {
                let [r, s] = parts.as_slice() else { unreachable!("`plain` leaves two") };
                let earliest = self.earliest(r)?[i];
                let s = self.ends(s, i)?;
                self.not_before(&s, earliest)?
            }
            Sere::Repeat(r, times) => self.again(r, pieces(r, *times), i)?,
            Sere::Goto(..) | Sere::Occur(..) => unreachable!("`plain` leaves none"),
        })
    }

    /// A match of r behind each of these; with its first letter taken back by `overlap`, which is 0 or 1.
    fn then(&mut self, now: &Ends, r: &Sere<AtomId>, overlap: usize) -> Result<Ends, OverBudget> {
        let budget = self.budget;
        let (mut at, mut behind) = (Vec::new(), Lengths::none());
        for &e in &now.at {
            let ends = self.ends(r, e - overlap)?;
            at.extend(ends.at.iter().filter(|&&end| end + 1 > e));
            behind = behind.union(&ends.behind, budget)?;
        }
        at.sort_unstable();
        at.dedup();
        if !now.behind.is_empty() {
            let lengths = self.lengths(r)?;
            let more = if overlap == 0 { (*lengths).clone() } else { lengths.less_one(budget)? };
            behind = behind.union(&now.behind.sum(&more, budget)?, budget)?;
        }
        Ok(Ends { at, behind })
    }

    /// So many matches of r in a row, none of them empty.
    fn again(&mut self, r: &Sere<AtomId>, times: Times, i: usize) -> Result<Ends, OverBudget> {
        let budget = self.budget;
        let (mut all, mut behind) = (vec![false; self.cut + 1 - i], Lengths::none());
        let mut now = vec![i];
        // How many matches there were.
        let mut count = 0_u32;
        let enough = |count: u32| count >= times.min && times.max.is_none_or(|max| count <= max);
        while !now.is_empty() {
            self.budget.step(0, WHAT)?;
            // Where any number may follow, a position need not be met twice.
            let endless = times.max.is_none() && count >= times.min;
            if endless {
                now.retain(|&e| !all[e - i]);
            }
            if enough(count) {
                now.iter().for_each(|&e| all[e - i] = true);
            }
            if times.max == Some(count) {
                break;
            }
            let (mut next, mut over) = (Vec::new(), Lengths::none());
            for &e in &now {
                let ends = self.ends(r, e)?;
                next.extend(ends.at.iter().filter(|&&end| end > e));
                over = over.union(&ends.behind, budget)?;
            }
            count += 1;
            if !over.is_empty() {
                let min = times.min.saturating_sub(count);
                let rest = Times { min, max: times.max.map(|max| max - count) };
                let lengths = self.lengths(r)?.from(1, budget)?.times(rest, budget)?;
                behind = behind.union(&over.sum(&lengths, budget)?, budget)?;
            }
            next.sort_unstable();
            next.dedup();
            now = next;
        }
        let at = all.iter().enumerate().filter(|(_, v)| **v).map(|(d, _)| i + d).collect();
        Ok(Ends { at, behind })
    }

    /// The first end, counted on behind the cut; the largest number if there is none.
    fn first(&self, ends: &Ends) -> u64 {
        let behind = || ends.behind.min().map(|m| m.saturating_add(self.cut as u64));
        ends.at.first().map(|&e| e as u64).or_else(behind).unwrap_or(u64::MAX)
    }

    /// Those that are not before a position, counted on behind the cut.
    fn not_before(&self, ends: &Ends, first: u64) -> Result<Ends, OverBudget> {
        if first == u64::MAX {
            return Ok(Ends { at: Vec::new(), behind: Lengths::none() });
        }
        let at = ends.at.iter().copied().filter(|&e| e as u64 >= first).collect();
        let behind = ends.behind.from(first.saturating_sub(self.cut as u64).max(1), self.budget)?;
        Ok(Ends { at, behind })
    }

    /// For each position the earliest end of a match that starts there or later; counted as by [`Self::first`].
    fn earliest(&mut self, sere: &Sere<AtomId>) -> Result<Rc<Vec<u64>>, OverBudget> {
        if let Some(known) = self.earliest.get(&place(sere)) {
            return Ok(Rc::clone(known));
        }
        self.take((self.cut + 1) * size_of::<u64>())?;
        let mut earliest = vec![u64::MAX; self.cut + 2];
        for i in (0..=self.cut).rev() {
            let ends = self.ends(sere, i)?;
            earliest[i] = earliest[i + 1].min(self.first(&ends));
        }
        let earliest = Rc::new(earliest);
        self.earliest.insert(place(sere), Rc::clone(&earliest));
        Ok(earliest)
    }
}

/// Lengths of `r & s`: of each those that are not shorter than the shortest of the other.
fn longer(r: &Lengths, s: &Lengths, budget: &Budget) -> Result<Lengths, OverBudget> {
    match (r.min(), s.min()) {
        (Some(of_r), Some(of_s)) => r.from(of_s, budget)?.union(&s.from(of_r, budget)?, budget),
        _ => Ok(Lengths::none()),
    }
}
