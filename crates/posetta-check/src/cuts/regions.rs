//! Sets of cuts as unions of regions, for formulas of `EF`, `AG` and boolean operators.
//!
//! A *region* allows each layer certain counts, independently of the others: the cuts at which a conjunction of predicates on
//! single chains holds. Cuts of a region are closed under union and intersection (it is a *regular* predicate), so those below a
//! cut of it are exactly those below its greatest one: `EF` of a region is the region of counts up to that, found by lowering
//! one chain after another to a count that is allowed and possible, in time linear in the events. This is the detection of
//! conjunctive predicates (Garg, Waldecker 1994) read backwards from the full cut, and it nests: `AG` is its dual.
//!
//! A union of regions that allow each layer counts from some count on is *stable*: once true it stays true, and `AF` of it is
//! what it is at the full cut (Chandy, Lamport 1985). And every path has to cross a conjunction if on each chain there is a
//! stretch of its predicate that begins before any of the others ends (Garg, Waldecker 1996).
//!
//! `EX` and `AX` are for formulas that speak of the first step only: they ask about the cuts of one event. `E[f U g]` and its relatives
//! are asked at the empty cut only, where a path that keeps to a conjunction cannot leave the first stretches of its predicates.
//!
//! What does not fit (other operators, atoms over several chains, too many regions) is left to the diagrams.

use std::rc::Rc;

use super::atoms::{CutAtom, cut_atom};
use super::space::Space;
use crate::program::{Node, Place, Program};
use crate::show::{Graph, Truth};
use posetta_base::{Budget, OverBudget};
use posetta_logic::eval::Notes;
use posetta_logic::{Atom, CtlBinary, CtlUnary, Path, Slot};

const WHAT: &str = "detecting predicates";

/// More regions than this in one set are left to the diagrams.
const MOST: usize = 1024;

/// So many pairs of regions are gone through for a path that stays in one of several.
const FEW: usize = 64;

/// Counts from each first number to before each second one; ascending, apart from each other, not empty.
pub(super) type Stretches = Rc<[(u32, u32)]>;

/// The layers that do not allow every count, ascending.
pub(super) type Region = Vec<(usize, Stretches)>;

/// The union of regions.
pub(super) type Union = Rc<Vec<Region>>;

/// The subformulas of one formula, each as a union where it is true and where it is false, as far as they were asked for.
pub(super) struct Regions<'s, 't> {
    space: &'s Space<'t>,
    program: &'s Program,
    /// By place: where it is false, where it is true.
    known: Vec<[Option<Union>; 2]>,
    /// By place: whether it is asked about at the empty cut alone.
    only_at_the_start: Vec<bool>,
    budget: &'s Budget,
}

/// Why there is no answer: a limit, or a formula that does not fit.
pub(super) enum Left {
    Over(OverBudget),
    Unfit,
}

impl From<OverBudget> for Left {
    fn from(over: OverBudget) -> Self {
        Self::Over(over)
    }
}

impl<'s, 't> Regions<'s, 't> {
    /// Where each subformula is true and false. `None` if the formula does not fit.
    pub(super) fn new(
        space: &'s Space<'t>,
        atoms: &[Atom<Slot>],
        program: &'s Program,
        notes: &mut Notes,
        budget: &'s Budget,
    ) -> Result<Option<Self>, OverBudget> {
        let Some(only_at_the_start) = fitting(program) else { return Ok(None) };
        let known = vec![[None, None]; program.len()];
        let mut regions = Self { space, program, known, only_at_the_start, budget };
        match regions.fill(atoms, notes) {
            Ok(()) => Ok(Some(regions)),
            Err(Left::Unfit) => Ok(None),
            Err(Left::Over(over)) => Err(over),
        }
    }

    /// Computes what the formula asks for, and for every other subformula one of the two sides.
    fn fill(&mut self, atoms: &[Atom<Slot>], notes: &mut Notes) -> Result<(), Left> {
        for place in 0..self.program.len() as Place {
            if let Node::Atom(atom) = self.program.node(place) {
                let (yes, no) = match cut_atom(self.space, &atoms[atom.0 as usize], notes, self.budget)? {
                    CutAtom::Constant(truth) => (constant(truth), constant(!truth)),
                    CutAtom::Local(layer, changes) => {
                        let end = self.space.len(layer) + 1;
                        (local(layer, &changes, end, true), local(layer, &changes, end, false))
                    }
                    CutAtom::Joint(_) => return Err(Left::Unfit),
                };
                self.known[place as usize] = [Some(no), Some(yes)];
            }
        }
        self.union(self.program.root(), true)?;
        for place in 0..self.program.len() as Place {
            if self.known[place as usize].iter().all(Option::is_none) {
                self.union(place, true)?;
            }
        }
        Ok(())
    }

    /// The cuts at which a subformula has a value.
    fn union(&mut self, place: Place, value: bool) -> Result<Union, Left> {
        if let Some(known) = &self.known[place as usize][usize::from(value)] {
            return Ok(Rc::clone(known));
        }
        self.budget.step(1, WHAT)?;
        let union = match (self.program.node(place).clone(), value) {
            (Node::Constant(truth), _) => constant(truth == value),
            (Node::Atom(_), _) => return Err(Left::Unfit),
            (Node::Not(f), _) => self.union(f, !value)?,
            (Node::And(fs), true) | (Node::Or(fs), false) => self.all_of(&fs, value)?,
            (Node::And(fs), false) | (Node::Or(fs), true) => self.any_of(fs.iter().map(|&f| (f, value)))?,
            (Node::Implies(f, g), true) => self.any_of([(f, false), (g, true)].into_iter())?,
            (Node::Implies(f, g), false) => {
                let (f, not_g) = (self.union(f, true)?, self.union(g, false)?);
                self.meet(&f, &not_g)?
            }
            (Node::Iff(f, g), _) => {
                let both = (self.union(f, true)?, self.union(g, value)?);
                let neither = (self.union(f, false)?, self.union(g, !value)?);
                let (both, neither) = (self.meet(&both.0, &both.1)?, self.meet(&neither.0, &neither.1)?);
                joined(both.iter().chain(neither.iter()).cloned().collect())?
            }
            // EF f, or not AG !f.
            (Node::Unary(Path::Some, CtlUnary::Finally, f), true) => self.below(f, true)?,
            (Node::Unary(Path::All, CtlUnary::Globally, f), false) => self.below(f, false)?,
            (Node::Unary(Path::Some, CtlUnary::Finally, _) | Node::Unary(Path::All, CtlUnary::Globally, _), _) => {
                let other = self.union(place, !value)?;
                self.complement(&other)?
            }
            // AF f, or not EG !f: where f is stable it comes if and only if it is there at the end.
            (Node::Unary(Path::All, CtlUnary::Finally, f), _) => {
                let f = self.union(f, true)?;
                constant(self.comes(place, &f)? == value)
            }
            (Node::Unary(Path::Some, CtlUnary::Globally, f), _) => {
                let not_f = self.union(f, false)?;
                constant(self.comes(place, &not_f)? != value)
            }
            // Asked about at the empty cut alone, so the cuts of one event are gone through.
            (Node::Unary(path, CtlUnary::Next, f), _) => {
                let f = self.union(f, true)?;
                constant(self.comes_next(path, &f) == value)
            }
            (Node::Binary(path, op, f, g), _) => return self.binary(place, value, (path, op), (f, g)),
        };
        self.known[place as usize][usize::from(value)] = Some(Rc::clone(&union));
        Ok(union)
    }

    fn all_of(&mut self, places: &[Place], value: bool) -> Result<Union, Left> {
        let mut all = constant(true);
        for &place in places {
            let one = self.union(place, value)?;
            all = self.meet(&all, &one)?;
        }
        Ok(all)
    }

    fn any_of(&mut self, places: impl Iterator<Item = (Place, bool)>) -> Result<Union, Left> {
        let mut regions = Vec::new();
        for (place, value) in places {
            regions.extend(self.union(place, value)?.iter().cloned());
        }
        joined(regions)
    }

    fn meet(&self, a: &Union, b: &Union) -> Result<Union, Left> {
        if a.len() * b.len() > 16 * MOST {
            return Err(Left::Unfit);
        }
        let mut regions = Vec::new();
        for x in a.iter() {
            for y in b.iter() {
                self.budget.step(0, WHAT)?;
                regions.extend(intersection(x, y));
            }
        }
        joined(regions)
    }

    /// The cuts from which one is reached where a subformula has a value.
    fn below(&mut self, place: Place, value: bool) -> Result<Union, Left> {
        let mut regions: Vec<Region> = Vec::new();
        for region in self.union(place, value)?.iter() {
            if let Some(greatest) = self.greatest(region)? {
                let short = |&(layer, &count): &(usize, &u32)| count < self.space.len(layer);
                let layers = greatest.iter().enumerate().filter(short);
                regions.push(layers.map(|(layer, &count)| (layer, Rc::from([(0, count + 1)]))).collect());
            }
        }
        joined(regions)
    }

    fn complement(&self, union: &Union) -> Result<Union, Left> {
        let mut all = constant(true);
        for region in union.iter() {
            let outside = region.iter().filter_map(|(layer, runs)| {
                let end = self.space.len(*layer) + 1;
                let mut gaps: Vec<(u32, u32)> = Vec::new();
                let mut from = 0;
                for &(start, stop) in runs.iter() {
                    if from < start {
                        gaps.push((from, start));
                    }
                    from = stop;
                }
                if from < end {
                    gaps.push((from, end));
                }
                (!gaps.is_empty()).then(|| vec![(*layer, Stretches::from(gaps))])
            });
            let outside = joined(outside.collect())?;
            all = self.meet(&all, &outside)?;
        }
        Ok(all)
    }

    /// Whether every path comes to a union; asked for `place`. [`Left::Unfit`] if regions cannot tell.
    fn comes(&self, place: Place, union: &Union) -> Result<bool, Left> {
        let up = |(layer, runs): &(usize, Stretches)| matches!(**runs, [(_, stop)] if stop > self.space.len(*layer));
        if union.iter().all(|region| region.iter().all(up)) {
            // Stable: its regions allow the full cut.
            return Ok(!union.is_empty());
        }
        // From the empty cut it is enough that every path crosses one region. If none is crossed by all, there may still be
        // no way around them together, and a way around has to be shown: that is for the diagrams.
        if self.only_at_the_start[place as usize] {
            for region in union.iter() {
                if self.crossing(region)?.is_some() {
                    return Ok(true);
                }
            }
        }
        Err(Left::Unfit)
    }

    /// `E[f U g]` and the like, which only the empty cut is asked about. Of the two sides one is known, that of a path, as far as such a path
    /// may go; the other is everything or nothing.
    fn binary(
        &mut self,
        place: Place,
        value: bool,
        (path, op): (Path, CtlBinary),
        (f, g): (Place, Place),
    ) -> Result<Union, Left> {
        let some = path == Path::Some;
        if self.known[place as usize][usize::from(some)].is_none() {
            // `p U q`, or `p W q` if it is weak: what a path has to be like for an `E…` to hold, or for an `A…` to fail.
            let (p, weak) = match (some, op) {
                (true, CtlBinary::Until) => (f, false),
                (true, CtlBinary::WeakUntil) => (f, true),
                (true, CtlBinary::Release) => (g, true),
                (false, CtlBinary::Until) => (g, true),
                (false, CtlBinary::WeakUntil) => (g, false),
                (false, CtlBinary::Release) => (f, false),
            };
            let along = self.union(p, some)?;
            let goal = match (some, op) {
                (true, CtlBinary::Until | CtlBinary::WeakUntil) => self.union(g, true)?,
                (false, CtlBinary::Release) => self.union(g, false)?,
                _ => {
                    let (f, g) = (self.union(f, some)?, self.union(g, some)?);
                    self.meet(&f, &g)?
                }
            };
            let goal = if weak { self.or_at_the_end(&along, &goal)? } else { goal };
            let paths = self.on_some_path(&along, (p, !some), &goal)?;
            self.known[place as usize][usize::from(some)] = Some(paths);
        }
        match &self.known[place as usize][usize::from(some)] {
            Some(known) if some == value => Ok(Rc::clone(known)),
            Some(known) => Ok(constant(!contains(known, &vec![0; self.space.layers()]))),
            None => Err(Left::Unfit),
        }
    }

    /// The goal, or the full cut, if the way there may end in it.
    fn or_at_the_end(&self, along: &Union, goal: &Union) -> Result<Union, Left> {
        let full = self.space.lengths();
        if !contains(along, &full) {
            return Ok(Rc::clone(goal));
        }
        let full = full.iter().enumerate().map(|(layer, &count)| (layer, Rc::from([(count, count + 1)]))).collect();
        joined(goal.iter().cloned().chain([full]).collect())
    }

    /// Where a path that began at the empty cut may still come to a goal, all cuts before it lying in `along`; `outside` is what is not in
    /// that. [`Left::Unfit`] if regions cannot tell.
    ///
    /// A path adds events one by one, so as long as it stays in one region, no layer leaves the first of its stretches. That leaves the cuts of
    /// a box which has with each cut all cuts below it: whatever cut of it is a goal, or can become one by one more event, is reached.
    /// (Regular predicates: Sen, Garg 2003.) If there are several regions a path may go from one to another. Then it may be that
    /// it has to leave all of them before it can come to the goal ([`Self::is_crossed_before`]).
    fn on_some_path(&mut self, along: &Union, outside: (Place, bool), goal: &Union) -> Result<Union, Left> {
        let empty = vec![0; self.space.layers()];
        if contains(goal, &empty) || goal.is_empty() {
            return Ok(Rc::clone(goal));
        }
        if along.len() > 1 {
            let outside = self.union(outside.0, outside.1)?;
            if self.is_crossed_before(&outside, goal)? {
                return Ok(Rc::clone(goal));
            }
            if along.len() * goal.len() > FEW {
                return Err(Left::Unfit);
            }
        }
        let mut regions: Vec<Region> = goal.to_vec();
        for region in along.iter() {
            for goal in goal.iter() {
                self.within_first_stretches(region, goal, &mut regions)?;
            }
        }
        if along.len() > 1 && regions.len() == goal.len() {
            return Err(Left::Unfit);
        }
        joined(regions)
    }

    /// Adds the cuts of a region's first stretches from which a goal can be reached.
    fn within_first_stretches(&self, region: &Region, goal: &Region, regions: &mut Vec<Region>) -> Result<(), Left> {
        let space = self.space;
        let mut first: Region = Vec::with_capacity(region.len());
        for (layer, runs) in region {
            match runs[0] {
                (0, stop) => first.push((*layer, Rc::from([(0, stop)]))),
                _ => return Ok(()),
            }
        }
        let mut add = |target: Option<Region>| -> Result<(), Left> {
            let Some(target) = target else { return Ok(()) };
            if let Some(greatest) = self.greatest(&target)? {
                let below = greatest.iter().enumerate().map(|(layer, &count)| (layer, Rc::from([(0, count + 1)])));
                regions.extend(intersection(&below.collect(), &first));
            }
            Ok(())
        };
        add(intersection(goal, &first))?;
        // Or the last event leaves the region. No other event of the cut may need it.
        for (layer, runs) in &first {
            let stop = runs[0].1;
            if stop > space.len(*layer) {
                continue;
            }
            let before = |other: usize| if other == *layer { stop } else { space.allows(*layer, stop - 1, other) };
            let last: Region = vec![(*layer, Rc::from([(stop, stop + 1)]))];
            let Some(target) = intersection(goal, &last) else { continue };
            let others: Region = first.iter().filter(|(other, _)| other != layer).cloned().collect();
            let limits = (0..space.layers()).map(|other| (other, Rc::from([(0, before(other) + 1)]))).collect();
            let target = intersection(&target, &others).and_then(|target| intersection(&target, &limits));
            add(target)?;
        }
        Ok(())
    }

    /// Whether every path from the empty cut to a goal has a cut of one of the unions' regions before the goal, because it has to cross
    /// that region ([`Self::crossing`]) with stretches that begin before it comes to the goal.
    fn is_crossed_before(&self, union: &Union, goal: &Union) -> Result<bool, OverBudget> {
        let empty = vec![0; self.space.layers()];
        let mut crossings: Vec<(&Region, Vec<(usize, u32)>)> = Vec::new();
        for region in union.iter() {
            crossings.extend(self.crossing(region)?.map(|starts| (region, starts)));
        }
        for goal in goal.iter() {
            let Some(least) = self.least(goal, &empty)? else { continue };
            let mut is_crossed = false;
            for (region, starts) in &crossings {
                // The goal itself does not count.
                let has_goals = match intersection(region, goal) {
                    Some(both) => self.greatest(&both)?.is_some(),
                    None => false,
                };
                is_crossed |= !has_goals && starts.iter().all(|&(layer, start)| start <= least[layer]);
            }
            if !is_crossed {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a union has some, or all, of the cuts that follow the empty one.
    fn comes_next(&self, path: Path, union: &Union) -> bool {
        let empty = vec![0; self.space.layers()];
        let mut next = (0..empty.len()).filter(|&layer| self.space.can_step(&empty, layer)).map(|layer| {
            let mut cut = empty.clone();
            cut[layer] = 1;
            contains(union, &cut)
        });
        match path {
            Path::Some => next.any(|inside| inside),
            Path::All => next.all(|inside| inside),
        }
    }

    /// Whether every path from the empty cut crosses a region: on each of its layers there is a run of allowed counts that
    /// begins before any of the others ends. A run that ends before another one can begin is of no use to later ones either,
    /// so each is looked at once. The answer is where the first such runs begin.
    fn crossing(&self, region: &Region) -> Result<Option<Vec<(usize, u32)>>, OverBudget> {
        let space = self.space;
        let mut at = vec![0; region.len()];
        let begins_in_time = |at: &[usize], first: usize, second: usize| {
            let ((layer, runs), (other, other_runs)) = (&region[first], &region[second]);
            let (start, stop) = (runs[at[first]].0, other_runs[at[second]].1);
            start == 0 || stop > space.len(*other) || space.needs(*other, stop, *layer) >= start
        };
        let mut changed: Vec<usize> = (0..region.len()).collect();
        while let Some(one) = changed.pop() {
            self.budget.step(0, WHAT)?;
            for other in (0..region.len()).filter(|&other| other != one) {
                let late = match () {
                    () if !begins_in_time(&at, one, other) => other,
                    () if !begins_in_time(&at, other, one) => one,
                    () => continue,
                };
                at[late] += 1;
                if at[late] == region[late].1.len() {
                    return Ok(None);
                }
                changed.push(late);
                if late == one {
                    break;
                }
            }
        }
        Ok(Some(region.iter().zip(at).map(|((layer, runs), at)| (*layer, runs[at].0)).collect()))
    }

    /// The greatest cut of a region.
    fn greatest(&self, region: &Region) -> Result<Option<Vec<u32>>, OverBudget> {
        let space = self.space;
        let mut cut = space.lengths();
        let mut runs: Vec<Option<&Stretches>> = vec![None; space.layers()];
        region.iter().for_each(|(layer, allowed)| runs[*layer] = Some(allowed));
        // Layers that may have to give way, and those whose lower count the others have not heard of.
        let mut stack: Vec<usize> = region.iter().map(|(layer, _)| *layer).collect();
        let mut rounds = 0u32;
        while let Some(layer) = stack.pop() {
            rounds = rounds.wrapping_add(1);
            if rounds.is_multiple_of(256) {
                self.budget.step(space.layers() as u64, WHAT)?;
            }
            if let Some(allowed) = runs[layer] {
                match allowed.partition_point(|&(start, _)| start <= cut[layer]) {
                    0 => return Ok(None),
                    i => cut[layer] = cut[layer].min(allowed[i - 1].1 - 1),
                }
            }
            for other in (0..space.layers()).filter(|&other| other != layer) {
                let most = space.allows(layer, cut[layer], other);
                if most < cut[other] {
                    cut[other] = most;
                    stack.push(other);
                }
            }
        }
        Ok(Some(cut))
    }

    /// The least cut of a region that contains another cut.
    fn least(&self, region: &Region, from: &[u32]) -> Result<Option<Vec<u32>>, OverBudget> {
        let space = self.space;
        let mut cut = from.to_vec();
        let mut runs: Vec<Option<&Stretches>> = vec![None; space.layers()];
        region.iter().for_each(|(layer, allowed)| runs[*layer] = Some(allowed));
        let mut stack: Vec<usize> = region.iter().map(|(layer, _)| *layer).collect();
        let mut rounds = 0u32;
        while let Some(layer) = stack.pop() {
            rounds = rounds.wrapping_add(1);
            if rounds.is_multiple_of(256) {
                self.budget.step(space.layers() as u64, WHAT)?;
            }
            if let Some(allowed) = runs[layer] {
                match allowed.get(allowed.partition_point(|&(_, stop)| stop <= cut[layer])) {
                    None => return Ok(None),
                    Some(&(start, _)) => cut[layer] = cut[layer].max(start),
                }
            }
            for other in (0..space.layers()).filter(|&other| other != layer) {
                let needs = space.needs(layer, cut[layer], other);
                if needs > cut[other] {
                    cut[other] = needs;
                    stack.push(other);
                }
            }
        }
        Ok(Some(cut))
    }
}

/// Whether the operators of a formula can be worked off with regions. Its atoms may still be in the way.
pub(super) fn may_fit(program: &Program) -> bool {
    fitting(program).is_some()
}

/// By place, whether only boolean operators stand above it, if all operators fit.
fn fitting(program: &Program) -> Option<Vec<bool>> {
    let start = only_at_the_start(program);
    program.nodes().iter().zip(&start).all(|(node, &start)| fits(program, node, start)).then_some(start)
}

/// Whether an operator can be worked off with regions. `AF` and `EG` of something temporal are not looked at: whether it is
/// stable would depend on too much.
fn fits(program: &Program, node: &Node, is_at_the_start: bool) -> bool {
    match node {
        Node::Unary(_, CtlUnary::Next, _) => is_at_the_start,
        Node::Binary(..) => is_at_the_start,
        Node::Unary(Path::All, CtlUnary::Finally, f) | Node::Unary(Path::Some, CtlUnary::Globally, f) => {
            !program.is_temporal(*f)
        }
        _ => true,
    }
}

/// By place: whether only boolean operators stand above it.
pub(super) fn only_at_the_start(program: &Program) -> Vec<bool> {
    let mut only = vec![false; program.len()];
    only[program.root() as usize] = true;
    for place in
        (0..program.len()).rev().filter(|&place| !matches!(program.nodes()[place], Node::Unary(..) | Node::Binary(..)))
    {
        if only[place] {
            program.nodes()[place].operands().iter().for_each(|&operand| only[operand as usize] = true);
        }
    }
    only
}

/// Every cut, or none.
fn constant(truth: bool) -> Union {
    Rc::new(if truth { vec![Vec::new()] } else { Vec::new() })
}

/// Where a predicate on one layer has a value.
pub(super) fn local(layer: usize, changes: &[(u32, bool)], end: u32, value: bool) -> Union {
    let stops = changes[1..].iter().map(|&(count, _)| count).chain([end]);
    let runs: Vec<(u32, u32)> = changes
        .iter()
        .zip(stops)
        .filter(|((_, truth), _)| *truth == value)
        .map(|(&(start, _), stop)| (start, stop))
        .collect();
    Rc::new(if runs.is_empty() { Vec::new() } else { vec![vec![(layer, runs.into())]] })
}

/// The union of regions, each once.
fn joined(mut regions: Vec<Region>) -> Result<Union, Left> {
    // One that allows everything leaves no room for others.
    if regions.iter().any(Vec::is_empty) {
        return Ok(constant(true));
    }
    if regions.len() > 1 {
        regions.sort_unstable();
        regions.dedup();
        merge_by_layer(&mut regions);
    }
    if regions.len() > MOST { Err(Left::Unfit) } else { Ok(Rc::new(regions)) }
}

/// Regions that restrict one layer, and the same one, are one region: `x == 1 || x == 2`.
fn merge_by_layer(regions: &mut Vec<Region>) {
    let layer = |region: &Region| match region.as_slice() {
        [(layer, _)] => Some(*layer),
        _ => None,
    };
    let mut merged: Vec<Region> = Vec::with_capacity(regions.len());
    // They are sorted, so those of one layer follow each other, perhaps with others between them.
    let mut open: Option<usize> = None;
    for region in regions.drain(..) {
        match (open, layer(&region)) {
            (Some(at), Some(own)) if layer(&merged[at]) == Some(own) => {
                merged[at][0].1 = either(&merged[at][0].1, &region[0].1);
            }
            (_, own) => {
                merged.push(region);
                if own.is_some() {
                    open = Some(merged.len() - 1);
                }
            }
        }
    }
    *regions = merged;
}

/// Counts in one or the other.
fn either(a: &Stretches, b: &Stretches) -> Stretches {
    let mut all: Vec<(u32, u32)> = a.iter().chain(b.iter()).copied().collect();
    all.sort_unstable();
    let mut runs: Vec<(u32, u32)> = Vec::with_capacity(all.len());
    for (start, stop) in all {
        match runs.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(stop),
            _ => runs.push((start, stop)),
        }
    }
    runs.into()
}

/// `None` if a layer has no count in both.
pub(super) fn intersection(a: &Region, b: &Region) -> Option<Region> {
    let mut both = Region::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) if x.0 == y.0 => {
                both.push((x.0, common(&x.1, &y.1)?));
                i += 1;
                j += 1;
            }
            (Some(x), other) if other.is_none_or(|y| x.0 < y.0) => {
                both.push(x.clone());
                i += 1;
            }
            (_, Some(y)) => {
                both.push(y.clone());
                j += 1;
            }
            (_, None) => break,
        }
    }
    Some(both)
}

fn common(a: &Stretches, b: &Stretches) -> Option<Stretches> {
    if Rc::ptr_eq(a, b) {
        return Some(Rc::clone(a));
    }
    let mut runs = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (start, stop) = (a[i].0.max(b[j].0), a[i].1.min(b[j].1));
        if start < stop {
            runs.push((start, stop));
        }
        if a[i].1 < b[j].1 {
            i += 1;
        } else {
            j += 1;
        }
    }
    (!runs.is_empty()).then(|| runs.into())
}

fn contains(union: &Union, cut: &[u32]) -> bool {
    let inside = |(layer, runs): &(usize, Stretches)| {
        let after = runs.partition_point(|&(start, _)| start <= cut[*layer]);
        after > 0 && cut[*layer] < runs[after - 1].1
    };
    union.iter().any(|region| region.iter().all(inside))
}

impl Truth for Regions<'_, '_> {
    fn cuts(&self) -> &dyn Graph {
        self.space
    }

    fn holds(&self, place: Place, cut: &[u32]) -> bool {
        match &self.known[place as usize] {
            [_, Some(holds)] => contains(holds, cut),
            [Some(fails), None] => !contains(fails, cut),
            [None, None] => false,
        }
    }

    fn nearest(&mut self, place: Place, value: bool, cut: &[u32]) -> Result<Option<Vec<u32>>, OverBudget> {
        let union = match self.union(place, value) {
            Ok(union) => union,
            Err(Left::Over(over)) => return Err(over),
            Err(Left::Unfit) => return Ok(None),
        };
        let mut best: Option<Vec<u32>> = None;
        let sum = |cut: &[u32]| cut.iter().map(|&count| u64::from(count)).sum::<u64>();
        for region in union.iter() {
            if let Some(found) = self.least(region, cut)?
                && best.as_ref().is_none_or(|best| sum(&found) < sum(best))
            {
                best = Some(found);
            }
        }
        Ok(best)
    }
}
