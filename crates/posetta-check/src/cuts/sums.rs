//! `EF` and `AG` of bounds on sums: `AG (x + y + z <= 10)` asks for the cut at which the sum is largest.
//!
//! A variable whose writes are ordered adds the differences of its values, one at each write, so a sum over a cut is the weight of
//! its events, and the cuts are the sets that have all causes of their events: the largest and the smallest sum are
//! [closures](super::closure) (Chase, Garg 1998; Tomlinson, Garg 1997). Conditions on single chains beside the sum only say that an event
//! requires another one, too, so a conjunction of them with one bound is found in the same way. Whether a sum is equal to a number is
//! NP-hard, unless no event changes it by more than 1: then every number between the smallest and the largest comes.
//!
//! What does not fit (other operators, several sums in one conjunction, other atoms over several chains) is left to the diagrams.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::atoms::{CutAtom, cut_atom};
use super::closure::{Requirements, heaviest};
use super::joint::{JointAtom, Linear, number};
use super::regions::{Left, Region, intersection, local, only_at_the_start};
use super::space::Space;
use crate::program::{Node, Place, Program};
use crate::show::{Graph, Truth};
use posetta_base::{Budget, Number, OverBudget, ValueId};
use posetta_logic::eval::{self, Notes};
use posetta_logic::{Atom, AtomId, Compare, CtlUnary, Path, Slot};

const WHAT: &str = "bounding sums";

/// More conjunctions than this in one condition are left to the diagrams.
const MOST: usize = 1 << 12;

/// A conjunction: what it allows each layer, and the comparisons of sums.
#[derive(Clone)]
struct Conjunction {
    region: Region,
    sums: Vec<(AtomId, bool)>,
}

/// Where an `EF` or `AG` was asked about: the place of its operand, and the cut.
type Asked = (Place, Vec<u32>);

pub(super) struct Sums<'s, 't> {
    space: &'s Space<'t>,
    program: &'s Program,
    atoms: &'s [Atom<Slot>],
    /// By atom.
    cut_atoms: Vec<Option<CutAtom>>,
    /// By layer: the number of its first event.
    first: Vec<u32>,
    /// What events require, without that which a condition adds.
    causes: Vec<(u32, u32)>,
    /// The cut where the operand of an `EF` is true, or that of an `AG` false, if there is one.
    found: FxHashMap<Asked, Option<Vec<u32>>>,
    /// The values of all slots, to evaluate with.
    values: RefCell<Vec<Option<ValueId>>>,
    budget: &'s Budget,
}

impl<'s, 't> Sums<'s, 't> {
    /// `None` if the formula does not fit.
    pub(super) fn new(
        space: &'s Space<'t>,
        atoms: &'s [Atom<Slot>],
        program: &'s Program,
        notes: &mut Notes,
        budget: &'s Budget,
    ) -> Result<Option<Self>, OverBudget> {
        let Some(asked) = asked(program) else { return Ok(None) };
        let mut cut_atoms: Vec<Option<CutAtom>> = Vec::with_capacity(atoms.len());
        for (i, atom) in atoms.iter().enumerate() {
            let occurs = program.nodes().iter().any(|node| matches!(node, Node::Atom(AtomId(a)) if *a == i as u32));
            cut_atoms.push(if occurs { Some(cut_atom(space, atom, notes, budget)?) } else { None });
        }
        let is_sum = |atom: &Option<CutAtom>| match atom {
            Some(CutAtom::Joint(joint)) => joint.linear().is_some(),
            _ => true,
        };
        if !cut_atoms.iter().all(is_sum) {
            return Ok(None);
        }
        let mut first = Vec::with_capacity(space.layers());
        let mut events = 0;
        for layer in 0..space.layers() {
            first.push(events);
            events += space.len(layer);
        }
        let values = RefCell::new(space.variables.iter().map(|v| v.values[0]).collect());
        let (causes, found) = (Vec::new(), FxHashMap::default());
        let mut sums = Self { space, program, atoms, cut_atoms, first, causes, found, values, budget };
        sums.causes = sums.causes()?;
        match sums.answer(&asked) {
            Ok(()) => Ok(Some(sums)),
            Err(Left::Unfit) => Ok(None),
            Err(Left::Over(over)) => Err(over),
        }
    }

    /// Finds the cuts that the formula asks for.
    fn answer(&mut self, asked: &[Question]) -> Result<(), Left> {
        let empty = vec![0; self.space.layers()];
        for &Question { operand, value, after_a_step } in asked {
            if !after_a_step {
                let found = self.find(operand, value, &empty)?;
                self.found.insert((operand, empty.clone()), found);
                continue;
            }
            for layer in 0..self.space.layers() {
                if !self.space.can_step(&empty, layer) {
                    continue;
                }
                let mut from = empty.clone();
                from[layer] = 1;
                let found = self.find(operand, value, &from)?;
                let is_found = found.is_some();
                self.found.insert((operand, from), found);
                if is_found {
                    break;
                }
            }
        }
        Ok(())
    }

    /// A cut, at or after another one, at which a condition has a value.
    fn find(&self, operand: Place, value: bool, from: &[u32]) -> Result<Option<Vec<u32>>, Left> {
        for conjunction in self.conjunctions(operand, value)? {
            if let Some(cut) = self.find_conjunction(&conjunction, from)? {
                return Ok(Some(cut));
            }
        }
        Ok(None)
    }

    /// Conjunctions of which one has to hold for a condition to have a value.
    fn conjunctions(&self, place: Place, value: bool) -> Result<Vec<Conjunction>, Left> {
        self.budget.step(0, WHAT)?;
        let always = || vec![Conjunction { region: Region::new(), sums: Vec::new() }];
        match (self.program.node(place), value) {
            (Node::Constant(truth), _) => Ok(if *truth == value { always() } else { Vec::new() }),
            (Node::Atom(atom), _) => Ok(match &self.cut_atoms[atom.0 as usize] {
                None => return Err(Left::Unfit),
                Some(CutAtom::Constant(truth)) => {
                    if *truth == value {
                        always()
                    } else {
                        Vec::new()
                    }
                }
                Some(CutAtom::Local(layer, changes)) => {
                    let regions = local(*layer, changes, self.space.len(*layer) + 1, value);
                    regions.iter().map(|region| Conjunction { region: region.clone(), sums: Vec::new() }).collect()
                }
                Some(CutAtom::Joint(_)) => vec![Conjunction { region: Region::new(), sums: vec![(*atom, value)] }],
            }),
            (Node::Not(f), _) => self.conjunctions(*f, !value),
            (Node::And(fs), true) | (Node::Or(fs), false) => {
                let mut all = always();
                for &f in fs {
                    all = meet(&all, &self.conjunctions(f, value)?)?;
                }
                Ok(all)
            }
            (Node::And(fs), false) | (Node::Or(fs), true) => {
                let mut any = Vec::new();
                for &f in fs {
                    any.extend(self.conjunctions(f, value)?);
                }
                if any.len() > MOST { Err(Left::Unfit) } else { Ok(any) }
            }
            (Node::Implies(f, g), true) => {
                let mut any = self.conjunctions(*f, false)?;
                any.extend(self.conjunctions(*g, true)?);
                Ok(any)
            }
            (Node::Implies(f, g), false) => meet(&self.conjunctions(*f, true)?, &self.conjunctions(*g, false)?),
            (Node::Iff(f, g), _) => {
                let mut any = meet(&self.conjunctions(*f, true)?, &self.conjunctions(*g, value)?)?;
                any.extend(meet(&self.conjunctions(*f, false)?, &self.conjunctions(*g, !value)?)?);
                Ok(any)
            }
            (Node::Unary(..) | Node::Binary(..), _) => Err(Left::Unfit),
        }
    }

    fn find_conjunction(&self, conjunction: &Conjunction, from: &[u32]) -> Result<Option<Vec<u32>>, Left> {
        let Some(bounds) = self.bounds(&conjunction.region, from)? else { return Ok(None) };
        let &(atom, value) = match conjunction.sums.as_slice() {
            // Without a sum the least cut will do.
            [] => return Ok(Some(self.cut(&bounds.inside))),
            [one] => one,
            _ => return Err(Left::Unfit),
        };
        let Some(CutAtom::Joint(joint)) = &self.cut_atoms[atom.0 as usize] else { return Err(Left::Unfit) };
        let linear = joint.linear().ok_or(Left::Unfit)?;
        let weights = self.weights(joint, linear)?;
        let scaled = scaled(&weights).ok_or(Left::Unfit)?;
        let extreme = |largest: bool| -> Result<Vec<u32>, Left> {
            let signed: Vec<i128> = scaled.iter().map(|&w| if largest { w } else { -w }).collect();
            Ok(self.cut(&bounds.best(&signed, self.budget)?))
        };
        let holds = |cut: &[u32]| self.atom_holds(atom, cut) == value;
        let compare = if value { linear.compare } else { linear.compare.opposite() };
        let candidates = match compare {
            Compare::Gt | Compare::Ge => vec![extreme(true)?],
            Compare::Lt | Compare::Le => vec![extreme(false)?],
            Compare::Ne => vec![extreme(true)?, extreme(false)?],
            Compare::Eq => {
                let (least, most) = (extreme(false)?, extreme(true)?);
                if !holds(&least) && !holds(&most) && self.lies_between(linear, joint, &least, &most)? {
                    let small = weights.iter().all(|w| w.as_i64().is_some_and(|w| (-1..=1).contains(&w)));
                    // Conditions on chains may leave out what lies between.
                    if !small || !conjunction.region.is_empty() {
                        return Err(Left::Unfit);
                    }
                    return Ok(self.between(&least, &most, &holds));
                }
                vec![least, most]
            }
        };
        Ok(candidates.into_iter().find(|cut| holds(cut)))
    }

    /// Whether the sum is below 0 at one cut and above at another.
    fn lies_between(&self, linear: &Linear, joint: &JointAtom, least: &[u32], most: &[u32]) -> Result<bool, Left> {
        let sum = |cut: &[u32]| -> Option<Number> {
            let mut sum = linear.constant.clone();
            for (slot, factor) in joint.slots().iter().zip(&linear.factors) {
                let value = number(self.space.trace, self.value(*slot, cut))?;
                sum = sum.add(&value.mul(factor).ok()?).ok()?;
            }
            Some(sum)
        };
        let (least, most) = (sum(least).ok_or(Left::Unfit)?, sum(most).ok_or(Left::Unfit)?);
        Ok(least < Number::ZERO && most > Number::ZERO)
    }

    /// A cut on the way from one to another through what they have in common.
    fn between(&self, least: &[u32], most: &[u32], holds: &dyn Fn(&[u32]) -> bool) -> Option<Vec<u32>> {
        let common: Vec<u32> = least.iter().zip(most).map(|(a, b)| *a.min(b)).collect();
        for target in [least, most] {
            let mut cut = common.clone();
            loop {
                if holds(&cut) {
                    return Some(cut);
                }
                let step = |&layer: &usize| cut[layer] < target[layer] && self.space.can_step(&cut, layer);
                let Some(layer) = (0..cut.len()).find(step) else { break };
                cut[layer] += 1;
            }
        }
        None
    }

    /// What each event adds to a sum. [`Left::Unfit`] if that depends on more than the events of a cut.
    fn weights(&self, joint: &JointAtom, linear: &Linear) -> Result<Vec<Number>, Left> {
        let mut weights = vec![Number::ZERO; self.events()];
        for (slot, factor) in joint.slots().iter().zip(&linear.factors) {
            let variable = &self.space.variables[slot.0 as usize];
            let mut writes: Vec<(u32, usize, u32)> = variable
                .writers
                .iter()
                .flat_map(|(layer, writes)| writes.iter().map(move |&(count, rank)| (rank, *layer, count)))
                .collect();
            writes.sort_unstable();
            for pair in writes.windows(2) {
                let ((_, before, count), (_, layer, next)) = (pair[0], pair[1]);
                if before != layer && self.space.needs(layer, next, before) < count {
                    return Err(Left::Unfit);
                }
            }
            let of = |rank: u32| number(self.space.trace, variable.values[rank as usize]).ok_or(Left::Unfit);
            for (i, &(rank, layer, count)) in writes.iter().enumerate() {
                if i % 1024 == 0 {
                    self.budget.step(0, WHAT)?;
                }
                let adds = of(rank)?.sub(&of(rank - 1)?).and_then(|difference| difference.mul(factor));
                let weight = &mut weights[self.event(layer, count) as usize];
                *weight = adds.and_then(|adds| weight.add(&adds)).map_err(|_| Left::Unfit)?;
            }
        }
        Ok(weights)
    }

    /// What a conjunction and a cut require: events that every cut has, those that none has, and what the others require. `None` if
    /// there is no such cut.
    fn bounds(&self, region: &Region, from: &[u32]) -> Result<Option<Bounds>, OverBudget> {
        let events = self.events();
        let _claim = self.budget.claim(9 * events as u64 + 8 * self.causes.len() as u64, WHAT)?;
        let mut pairs = self.causes.clone();
        let (mut inside, mut outside) = (vec![false; events], vec![false; events]);
        for (layer, &count) in from.iter().enumerate().filter(|&(_, &count)| count > 0) {
            inside[self.event(layer, count) as usize] = true;
        }
        for (layer, stretches) in region {
            let mut allowed_from = 0;
            for &(start, stop) in stretches.iter() {
                // Counts from `allowed_from` to before `start` are not allowed.
                match (allowed_from, start) {
                    (0, start) if start > 0 => inside[self.event(*layer, start) as usize] = true,
                    (gap, start) if gap < start => pairs.push((self.event(*layer, gap), self.event(*layer, start))),
                    _ => {}
                }
                allowed_from = stop;
            }
            if allowed_from <= self.space.len(*layer) {
                match allowed_from {
                    0 => return Ok(None),
                    gap => outside[self.event(*layer, gap) as usize] = true,
                }
            }
        }
        let requirements = Requirements { pairs };
        let required = requirements.spread(&inside, true);
        let impossible = requirements.spread(&outside, false);
        if required.iter().zip(&impossible).any(|(inside, outside)| *inside && *outside) {
            return Ok(None);
        }
        Ok(Some(Bounds { requirements, inside: required, outside: impossible }))
    }

    fn events(&self) -> usize {
        self.first.last().map_or(0, |first| (first + self.space.len(self.space.layers() - 1)) as usize)
    }

    /// The number of the event that takes a layer to a count.
    fn event(&self, layer: usize, count: u32) -> u32 {
        self.first[layer] + count - 1
    }

    /// A set of events that has all their causes, as a cut.
    fn cut(&self, inside: &[bool]) -> Vec<u32> {
        (0..self.space.layers())
            .map(|layer| {
                let start = self.first[layer] as usize;
                inside[start..start + self.space.len(layer) as usize].iter().filter(|inside| **inside).count() as u32
            })
            .collect()
    }

    /// The causes of each event, without those that follow from others.
    fn causes(&self) -> Result<Vec<(u32, u32)>, OverBudget> {
        let space = self.space;
        let mut causes = Vec::new();
        let mut claim = self.budget.claim(0, WHAT)?;
        for layer in 0..space.layers() {
            for count in 1..=space.len(layer) {
                if count % 256 == 0 {
                    self.budget.step(64, WHAT)?;
                    claim.grow_to(8 * causes.capacity() as u64, WHAT)?;
                }
                let event = self.event(layer, count);
                if count > 1 {
                    causes.push((event, event - 1));
                }
                let new = |&other: &usize| {
                    other != layer && space.needs(layer, count, other) > space.needs(layer, count - 1, other)
                };
                let needed: Vec<(usize, u32)> =
                    (0..space.layers()).filter(new).map(|other| (other, space.needs(layer, count, other))).collect();
                for &(other, needs) in &needed {
                    let follows =
                        needed.iter().any(|&(third, own)| third != other && space.needs(third, own, other) >= needs);
                    if !follows {
                        causes.push((event, self.event(other, needs)));
                    }
                }
            }
        }
        Ok(causes)
    }

    fn value(&self, slot: Slot, cut: &[u32]) -> Option<ValueId> {
        let variable = &self.space.variables[slot.0 as usize];
        let rank = variable.writers.iter().map(|(layer, _)| variable.rank(*layer, cut[*layer])).max().unwrap_or(0);
        variable.values[rank as usize]
    }

    fn atom_holds(&self, atom: AtomId, cut: &[u32]) -> bool {
        let atom = &self.atoms[atom.0 as usize];
        let Atom::State(condition) = atom else { return false };
        let mut values = self.values.borrow_mut();
        for slot in atom.slots() {
            values[slot.0 as usize] = self.value(slot, cut);
        }
        // What was too large to be compared was refused with the sum.
        eval::condition(condition, self.space.trace, &values, &mut Notes::default()).unwrap_or(false)
    }
}

/// What the cuts of a conjunction have in common.
struct Bounds {
    requirements: Requirements,
    /// Events that all of them have.
    inside: Vec<bool>,
    /// Events that none of them has.
    outside: Vec<bool>,
}

impl Bounds {
    /// The events of the heaviest cut.
    fn best(&self, weights: &[i128], budget: &Budget) -> Result<Vec<bool>, OverBudget> {
        let is_free = |event: usize| !self.inside[event] && !self.outside[event];
        let mut places = vec![u32::MAX; weights.len()];
        let mut free = Vec::new();
        for event in (0..weights.len()).filter(|&event| is_free(event)) {
            places[event] = free.len() as u32;
            free.push(event);
        }
        let both = |&(a, b): &(u32, u32)| is_free(a as usize) && is_free(b as usize);
        let place = |(a, b): (u32, u32)| (places[a as usize], places[b as usize]);
        let pairs = self.requirements.pairs.iter().filter(|pair| both(pair)).map(|&pair| place(pair)).collect();
        let own: Vec<i128> = free.iter().map(|&event| weights[event]).collect();
        let chosen = heaviest(&own, &Requirements { pairs }, budget)?;
        let mut inside = self.inside.clone();
        for (event, chosen) in free.into_iter().zip(chosen) {
            inside[event] |= chosen;
        }
        Ok(inside)
    }
}

/// Something that a formula asks about: its `EF` or `AG`.
struct Question {
    operand: Place,
    /// The value of the operand that is looked for.
    value: bool,
    /// Whether it is asked about at the cuts that follow the empty one.
    after_a_step: bool,
}

/// Whether the operators of a formula are those of [`Sums`]. Its atoms may still be in the way.
pub(super) fn may_fit(program: &Program) -> bool {
    asked(program).is_some()
}

/// What a formula asks about, if it is a boolean combination of `EF`, `AG`, `EX EF` and `AX AG` of conditions.
fn asked(program: &Program) -> Option<Vec<Question>> {
    let only_at_the_start = only_at_the_start(program);
    let mut asked = Vec::new();
    let is_reach = |place: Place| {
        matches!(
            program.node(place),
            Node::Unary(Path::Some, CtlUnary::Finally, _) | Node::Unary(Path::All, CtlUnary::Globally, _)
        )
    };
    for (place, node) in program.nodes().iter().enumerate() {
        let start = only_at_the_start[place];
        match *node {
            Node::Binary(..) => return None,
            Node::Unary(path, CtlUnary::Next, f) => {
                let Node::Unary(inner, _, operand) = *program.node(f) else { return None };
                if !start || path != inner || !is_reach(f) || program.is_temporal(operand) {
                    return None;
                }
                asked.push(Question { operand, value: path == Path::Some, after_a_step: true });
            }
            Node::Unary(path, _, operand) => {
                if !is_reach(place as Place) || program.is_temporal(operand) {
                    return None;
                }
                if start {
                    asked.push(Question { operand, value: path == Path::Some, after_a_step: false });
                }
            }
            _ => {}
        }
    }
    Some(asked)
}

fn meet(a: &[Conjunction], b: &[Conjunction]) -> Result<Vec<Conjunction>, Left> {
    let mut both = Vec::new();
    for x in a {
        for y in b {
            if let Some(region) = intersection(&x.region, &y.region) {
                let mut sums = x.sums.clone();
                sums.extend(y.sums.iter().filter(|sum| !x.sums.contains(sum)));
                both.push(Conjunction { region, sums });
            }
            if both.len() > MOST {
                return Err(Left::Unfit);
            }
        }
    }
    Ok(both)
}

/// The same proportions in whole numbers, if all of them together are not too large.
fn scaled(weights: &[Number]) -> Option<Vec<i128>> {
    let mut common: i128 = 1;
    for weight in weights.iter().filter(|weight| weight.as_i64().is_none()) {
        let denominator = i128::try_from(weight.to_ratio().denominator().clone()).ok()?;
        common = common.checked_mul(denominator / greatest_divisor(common, denominator))?;
    }
    let whole = |weight: &Number| -> Option<i128> {
        match weight.as_i64() {
            Some(n) => i128::from(n).checked_mul(common),
            None => {
                let ratio = weight.to_ratio();
                let denominator = i128::try_from(ratio.denominator().clone()).ok()?;
                i128::try_from(ratio.numerator().clone()).ok()?.checked_mul(common / denominator)
            }
        }
    };
    let scaled = weights.iter().map(whole).collect::<Option<Vec<i128>>>()?;
    scaled.iter().try_fold(0i128, |sum, weight| sum.checked_add(weight.checked_abs()?))?;
    Some(scaled)
}

fn greatest_divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

impl Truth for Sums<'_, '_> {
    fn cuts(&self) -> &dyn Graph {
        self.space
    }

    fn holds(&self, place: Place, cut: &[u32]) -> bool {
        let of = |place: &Place| self.holds(*place, cut);
        match self.program.node(place) {
            Node::Constant(truth) => *truth,
            Node::Atom(atom) => self.atom_holds(*atom, cut),
            Node::Not(f) => !of(f),
            Node::And(fs) => fs.iter().all(of),
            Node::Or(fs) => fs.iter().any(of),
            Node::Implies(f, g) => !of(f) || of(g),
            Node::Iff(f, g) => of(f) == of(g),
            Node::Unary(path, CtlUnary::Next, f) => {
                let Node::Unary(_, _, operand) = self.program.node(*f) else { return false };
                let is_found = self.found.iter().any(|((place, _), found)| place == operand && found.is_some());
                is_found == (*path == Path::Some)
            }
            // Not asked about elsewhere, or only behind one that was found.
            Node::Unary(path, _, operand) => {
                let found = self.found.get(&(*operand, cut.to_vec()));
                found.is_some_and(Option::is_some) == (*path == Path::Some)
            }
            Node::Binary(..) => false,
        }
    }

    fn nearest(&mut self, place: Place, _: bool, cut: &[u32]) -> Result<Option<Vec<u32>>, OverBudget> {
        Ok(self.found.get(&(place, cut.to_vec())).cloned().flatten())
    }
}
