//! From where something can be reached, if tokens have no bound: backward coverability (Abdulla, Čerāns, Jonsson and
//! Tsay 1996).
//!
//! A set of states is *upward closed* if it has with a state every one with more tokens and the same states of
//! transition systems. Its least states are finitely many (Dickson 1913), and they are what is stored. More tokens take
//! no step away. So the states from which a step, or a path through an upward closed set, leads into an upward closed
//! set are upward closed, too, and are found by going backwards from the least ones until nothing is new. A formula of
//! CTL in which `EX`, `EF`, `E[ U ]`, and after `!` their duals, stand before such sets only, is a condition on single
//! states then.

use std::collections::BTreeMap;

use super::space::{pairs_of, ways_of};
use posetta_base::{ActionId, Budget, Error, OverBudget};
use posetta_dd::idd::Change;
use posetta_logic::{Compare, Ctl, CtlBinary, CtlUnary, Path};
use posetta_model::system::{Behaviour, MOST_TOKENS, Predicate, Slots, System};

const WHAT: &str = "going backwards from what is asked for";

/// Any state of a transition system.
const ANY: u32 = u32::MAX;

/// A sum has so many least states at most, and a set that becomes a condition on states again.
const MOST_LEAST: usize = 500;

/// Two conditions that have to be equal look at so much at most.
const MOST_WEIGHT: u64 = 4_000;

/// The least states of an upward closed set, none of them above another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Upward(Vec<Box<[u32]>>);

/// Steps backwards.
pub(super) struct Backward<'s> {
    system: &'s System,
    budget: &'s Budget,
    /// By slot: the number of states of a transition system; `None` for places.
    states: Vec<Option<u32>>,
    ways: Vec<(ActionId, BTreeMap<usize, Change>)>,
}

impl<'s> Backward<'s> {
    pub(super) fn new(system: &'s System, budget: &'s Budget) -> Result<Self, Error> {
        let (slots, pairs) = (Slots::new(system), pairs_of(system));
        let mut states = vec![None; slots.count()];
        for component in system.component_ids() {
            if let Behaviour::Lts(lts) = &system.component(component).behaviour {
                states[slots.of(component).start] = Some(lts.states.len() as u32);
            }
        }
        let mut ways = Vec::new();
        for action in system.action_ids() {
            ways.extend(ways_of(system, &slots, &pairs, action, budget)?.into_iter().map(|way| (action, way)));
        }
        Ok(Self { system, budget, states, ways })
    }

    /// Whether a state that satisfies a predicate can be reached, if those that do are upward closed.
    pub(super) fn reaches(&self, predicate: &Predicate) -> Result<Option<bool>, OverBudget> {
        let Some(goal) = self.upward(predicate, true)? else { return Ok(None) };
        let Some(from) = self.until(None, goal)? else { return Ok(None) };
        let initial = self.system.initial();
        Ok(Some(from.0.iter().any(|least| self.is_below(least, &initial))))
    }

    /// A formula as a condition on the state that it is asked of, if it is one of those that are.
    pub(super) fn condition(&self, formula: &Ctl<Predicate>) -> Result<Option<Predicate>, OverBudget> {
        let all = |fs: &[Ctl<Predicate>]| fs.iter().map(|f| self.condition(f)).collect::<Result<Option<Vec<_>>, _>>();
        let dual = |found: Option<Predicate>| found.map(not);
        Ok(match formula {
            Ctl::True => Some(Predicate::Constant(true)),
            Ctl::False => Some(Predicate::Constant(false)),
            Ctl::Atom(p) => Some(p.clone()),
            Ctl::Not(f) => dual(self.condition(f)?),
            Ctl::And(fs) => all(fs)?.map(Predicate::And),
            Ctl::Or(fs) => all(fs)?.map(Predicate::Or),
            Ctl::Implies(f, g) => match (self.condition(f)?, self.condition(g)?) {
                (Some(f), Some(g)) => Some(Predicate::Or(vec![not(f), g])),
                _ => None,
            },
            Ctl::Iff(f, g) => match (self.condition(f)?, self.condition(g)?) {
                // Each is there twice: one inside the other, they would become as large as anybody likes.
                (Some(f), Some(g)) if f.weight() + g.weight() < MOST_WEIGHT => {
                    let neither = Predicate::And(vec![not(f.clone()), not(g.clone())]);
                    Some(Predicate::Or(vec![Predicate::And(vec![f, g]), neither]))
                }
                _ => None,
            },
            Ctl::Unary(path, op, f) => {
                let Some(f) = self.condition(f)? else { return Ok(None) };
                match (path, op) {
                    (Path::Some, CtlUnary::Next) => self.some_next(&f, true)?,
                    (Path::All, CtlUnary::Next) => dual(self.some_next(&f, false)?),
                    (Path::Some, CtlUnary::Finally) => self.some_until(None, &f, true)?,
                    (Path::All, CtlUnary::Globally) => dual(self.some_until(None, &f, false)?),
                    (Path::Some, CtlUnary::Globally) | (Path::All, CtlUnary::Finally) => None,
                }
            }
            Ctl::Binary(path, op, f, g) => {
                let (Some(f), Some(g)) = (self.condition(f)?, self.condition(g)?) else { return Ok(None) };
                match (path, op) {
                    (Path::Some, CtlBinary::Until) => self.some_until(Some((&f, true)), &g, true)?,
                    (Path::All, CtlBinary::Release) => dual(self.some_until(Some((&f, false)), &g, false)?),
                    // Not f before g, and neither of them then.
                    (Path::All, CtlBinary::WeakUntil) => {
                        let either = Predicate::Or(vec![f, g.clone()]);
                        dual(self.some_until(Some((&g, false)), &either, false)?)
                    }
                    _ => None,
                }
            }
        })
    }

    /// From where a step leads to a state in which a predicate has a value.
    fn some_next(&self, predicate: &Predicate, value: bool) -> Result<Option<Predicate>, OverBudget> {
        let Some(goal) = self.upward(predicate, value)? else { return Ok(None) };
        let mut all = Upward::default();
        for least in &goal.0 {
            let Some(before) = self.before(least)? else { return Ok(None) };
            for least in before {
                self.add(&mut all, least)?;
            }
        }
        Ok(self.stated(&all))
    }

    /// From where a path leads there, through states in which another has a value, if one is given.
    fn some_until(
        &self,
        within: Option<(&Predicate, bool)>,
        goal: &Predicate,
        value: bool,
    ) -> Result<Option<Predicate>, OverBudget> {
        let Some(goal) = self.upward(goal, value)? else { return Ok(None) };
        let within = match within {
            Some((predicate, value)) => match self.upward(predicate, value)? {
                Some(within) => Some(within),
                None => return Ok(None),
            },
            None => None,
        };
        Ok(self.until(within.as_ref(), goal)?.and_then(|all| self.stated(&all)))
    }

    /// The states from which a path leads into a set; `None` if numbers become too large.
    fn until(&self, within: Option<&Upward>, goal: Upward) -> Result<Option<Upward>, OverBudget> {
        let (mut open, mut all) = (goal.0.clone(), goal);
        let mut claim = self.budget.claim(0, WHAT)?;
        while let Some(least) = open.pop() {
            // One below it has come since.
            if !all.0.contains(&least) {
                continue;
            }
            let Some(before) = self.before(&least)? else { return Ok(None) };
            for before in before {
                let inside = match within {
                    None => vec![before],
                    Some(within) => within.0.iter().filter_map(|other| self.both(&before, other)).collect(),
                };
                for least in inside {
                    if self.add(&mut all, least.clone())? {
                        open.push(least);
                    }
                }
            }
            claim.grow_to(2 * ((all.0.len() + open.len()) * (4 * self.states.len() + 16)) as u64, WHAT)?;
        }
        Ok(Some(all))
    }

    /// The least states from which some step leads to at least this one.
    fn before(&self, least: &[u32]) -> Result<Option<Vec<Box<[u32]>>>, OverBudget> {
        let mut found = Vec::new();
        for (_, way) in &self.ways {
            self.budget.step(1, WHAT)?;
            let mut all = vec![least.to_vec()];
            for (&slot, change) in way {
                match change {
                    Change::Tokens { takes, puts } => {
                        for state in &mut all {
                            state[slot] = state[slot].saturating_sub(*puts) + takes;
                            if state[slot] > MOST_TOKENS {
                                return Ok(None);
                            }
                        }
                    }
                    Change::Pairs(pairs) => {
                        let pairs = pairs.iter().filter(|(_, to)| least[slot] == ANY || *to == least[slot]);
                        let with = |state: &Vec<u32>| {
                            let from = |&(from, _): &(u32, u32)| {
                                let mut state = state.clone();
                                state[slot] = from;
                                state
                            };
                            pairs.clone().map(from).collect::<Vec<_>>()
                        };
                        all = all.iter().flat_map(with).collect();
                        self.budget.step(all.len() as u64, WHAT)?;
                    }
                }
            }
            found.extend(all.into_iter().map(Vec::into_boxed_slice));
        }
        Ok(Some(found))
    }

    /// Whether a state is one of those that are meant by a least one.
    fn is_below(&self, least: &[u32], state: &[u32]) -> bool {
        let below = |((&a, &b), states): ((&u32, &u32), &Option<u32>)| match states {
            Some(_) => a == ANY || a == b,
            None => a <= b,
        };
        least.iter().zip(state).zip(&self.states).all(below)
    }

    /// The least state above two.
    fn both(&self, a: &[u32], b: &[u32]) -> Option<Box<[u32]>> {
        let both = |((&a, &b), states): ((&u32, &u32), &Option<u32>)| match states {
            None => Some(a.max(b)),
            Some(_) if a == ANY || a == b => Some(b),
            Some(_) => (b == ANY).then_some(a),
        };
        a.iter().zip(b).zip(&self.states).map(both).collect()
    }

    /// Adds a least state and all above it; false if they were there.
    fn add(&self, to: &mut Upward, least: Box<[u32]>) -> Result<bool, OverBudget> {
        self.budget.effort((to.0.len() * 4) as u64, WHAT)?;
        self.budget.step(1 + to.0.len() as u64 / 64, WHAT)?;
        if to.0.iter().any(|known| self.is_below(known, &least)) {
            return Ok(false);
        }
        to.0.retain(|known| !self.is_below(&least, known));
        to.0.push(least);
        Ok(true)
    }

    fn all(&self) -> Box<[u32]> {
        self.states.iter().map(|states| if states.is_some() { ANY } else { 0 }).collect()
    }

    /// The least states in which a predicate has a value, if with a state all above it are among them as far as one can
    /// tell.
    fn upward(&self, predicate: &Predicate, value: bool) -> Result<Option<Upward>, OverBudget> {
        self.budget.step(1, WHAT)?;
        Ok(match predicate {
            Predicate::Constant(truth) => Some(Upward(if *truth == value { vec![self.all()] } else { Vec::new() })),
            Predicate::Not(p) => self.upward(p, !value)?,
            Predicate::Enabled(actions) if value => self.able(&|action| actions.contains(&action))?,
            Predicate::Dead if !value => self.able(&|_| true)?,
            Predicate::Enabled(_) | Predicate::Dead => None,
            Predicate::Linear(terms, op, bound) => {
                let op = if value { *op } else { op.opposite() };
                self.compared(terms, op, i128::from(*bound))?
            }
            Predicate::And(parts) | Predicate::Or(parts) => {
                let joins = matches!(predicate, Predicate::Or(_)) == value;
                let mut all = Upward(if joins { Vec::new() } else { vec![self.all()] });
                for part in parts {
                    let Some(part) = self.upward(part, value)? else { return Ok(None) };
                    if joins {
                        for least in part.0 {
                            self.add(&mut all, least)?;
                        }
                        continue;
                    }
                    let mut common = Upward::default();
                    for a in &all.0 {
                        for least in part.0.iter().filter_map(|b| self.both(a, b)) {
                            self.add(&mut common, least)?;
                        }
                    }
                    all = common;
                }
                Some(all)
            }
        })
    }

    /// Where one of some actions can take place.
    fn able(&self, of: &dyn Fn(ActionId) -> bool) -> Result<Option<Upward>, OverBudget> {
        let mut all = Upward::default();
        for (_, way) in self.ways.iter().filter(|(action, _)| of(*action)) {
            let mut able = vec![self.all().into_vec()];
            for (&slot, change) in way {
                match change {
                    Change::Tokens { takes, .. } => able.iter_mut().for_each(|state| state[slot] = *takes),
                    Change::Pairs(pairs) => {
                        let mut from: Vec<u32> = pairs.iter().map(|(from, _)| *from).collect();
                        from.dedup();
                        let with = |state: &Vec<u32>| {
                            let mut states = vec![state.clone(); from.len()];
                            states.iter_mut().zip(&from).for_each(|(state, from)| state[slot] = *from);
                            states
                        };
                        able = able.iter().flat_map(with).collect();
                        self.budget.step(able.len() as u64, WHAT)?;
                    }
                }
            }
            for least in able {
                self.add(&mut all, least.into())?;
            }
        }
        Ok(Some(all))
    }

    fn compared(&self, terms: &[(u32, i64)], op: Compare, bound: i128) -> Result<Option<Upward>, OverBudget> {
        let with = |slot: u32, number: u32| {
            let mut state = self.all();
            state[slot as usize] = number;
            state
        };
        if let &[(slot, factor)] = terms
            && let Some(states) = self.states[slot as usize]
        {
            let is_one = |state: &u32| op.holds(&(i128::from(factor) * i128::from(*state)), &bound);
            self.budget.step(u64::from(states), WHAT)?;
            return Ok(Some(Upward((0..states).filter(is_one).map(|state| with(slot, state)).collect())));
        }
        let is_rising = terms.iter().all(|&(slot, factor)| self.states[slot as usize].is_none() && factor > 0);
        let is_falling = terms.iter().all(|&(slot, factor)| self.states[slot as usize].is_none() && factor < 0);
        // As: the sum is at least so much.
        let least = match op {
            Compare::Ge if is_rising => bound,
            Compare::Gt if is_rising => bound + 1,
            Compare::Ne if is_rising && bound == 0 => 1,
            Compare::Le if is_falling => -bound,
            Compare::Lt if is_falling => 1 - bound,
            _ => return Ok(None),
        };
        let mut all = Upward::default();
        let mut open = vec![(0, least, self.all())];
        let mut made = 0;
        while let Some((place, left, state)) = open.pop() {
            if left <= 0 {
                self.add(&mut all, state)?;
                continue;
            }
            let Some(&(slot, factor)) = terms.get(place) else { continue };
            let factor = i128::from(factor.unsigned_abs());
            let enough = (left + factor - 1) / factor;
            made += enough;
            if made > MOST_LEAST as i128 && terms.len() > 1 || enough > i128::from(MOST_TOKENS) {
                return Ok(None);
            }
            if place + 1 == terms.len() {
                let mut state = state;
                state[slot as usize] = enough as u32;
                self.add(&mut all, state)?;
                continue;
            }
            for n in 0..=enough {
                let mut state = state.clone();
                state[slot as usize] = n as u32;
                open.push((place + 1, left - n * factor, state));
            }
        }
        Ok(Some(all))
    }

    /// A set as a condition, if it is not too large for one.
    fn stated(&self, set: &Upward) -> Option<Predicate> {
        let one = |least: &[u32]| {
            let mut parts = Vec::new();
            for (slot, (&number, states)) in (0..).zip(least.iter().zip(&self.states)) {
                match states {
                    Some(_) if number != ANY => {
                        parts.push(Predicate::Linear(vec![(slot, 1)], Compare::Eq, i64::from(number)));
                    }
                    None if number > 0 => {
                        parts.push(Predicate::Linear(vec![(slot, 1)], Compare::Ge, i64::from(number)));
                    }
                    _ => {}
                }
            }
            if parts.is_empty() { Predicate::Constant(true) } else { Predicate::And(parts) }
        };
        let all = || Predicate::Or(set.0.iter().map(|least| one(least)).collect());
        (set.0.len() <= MOST_LEAST).then(all)
    }
}

fn not(predicate: Predicate) -> Predicate {
    Predicate::Not(Box::new(predicate))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, sides: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % sides
        }
    }

    /// A net that keeps its tokens, beside two transition systems that take part in some of its transitions.
    fn random(dice: &mut Dice) -> System {
        let mut text = "component N { net { a = 2; b = 1; c = 0\n".to_owned();
        let places = ["a", "b", "c"];
        for t in 0..3 + dice.roll(3) {
            let n = 1 + dice.roll(2);
            let side = |dice: &mut Dice| -> String {
                let mut all = [0; 3];
                (0..n).for_each(|_| all[dice.roll(3) as usize] += 1);
                let told = all.iter().zip(places).filter(|(n, _)| **n > 0).map(|(n, p)| format!("{n} {p}"));
                told.collect::<Vec<_>>().join(", ")
            };
            let (takes, puts) = (side(dice), side(dice));
            text += &format!("t{t}: {takes} -> {puts}\n");
        }
        text += "} }\n";
        for name in ["P", "Q"] {
            let arcs: Vec<String> = (0..3 + dice.roll(3))
                .map(|_| format!("s{} -t{}-> s{}", dice.roll(2), dice.roll(3), dice.roll(2)))
                .collect();
            text += &format!("component {name} {{ lts {{ init s0; {} }} }}\n", arcs.join("; "));
        }
        text += "system A = N || P || Q";
        posetta_model::sys::read("a.sys", &text, None, &mut |_, _| unreachable!("nothing is imported")).unwrap()
    }

    fn formula(dice: &mut Dice, system: &System, depth: u64) -> Ctl<Predicate> {
        let atom = |dice: &mut Dice| {
            let tokens = |dice: &mut Dice| (dice.roll(3) as u32, [1, 1, 2][dice.roll(3) as usize]);
            match dice.roll(6) {
                0 => Predicate::Linear(vec![(3 + dice.roll(2) as u32, 1)], Compare::Eq, dice.roll(2) as i64),
                1 => Predicate::Enabled(vec![ActionId::from_raw(dice.roll(system.actions.len() as u64) as u32)]),
                2 => Predicate::Linear(vec![(0, 1), (1, 2)], Compare::Ge, dice.roll(5) as i64),
                3 => Predicate::Not(Box::new(Predicate::Linear(vec![tokens(dice)], Compare::Lt, dice.roll(4) as i64))),
                4 => Predicate::Not(Box::new(Predicate::Dead)),
                _ => Predicate::Linear(vec![tokens(dice)], Compare::Gt, dice.roll(3) as i64),
            }
        };
        if depth == 0 {
            return Ctl::Atom(atom(dice));
        }
        let mut one = || Box::new(formula(dice, system, depth - 1));
        let (f, g) = (one(), one());
        match dice.roll(9) {
            0 => Ctl::Not(f),
            1 => Ctl::And(vec![*f, *g]),
            2 => Ctl::Or(vec![*f, *g]),
            3 => Ctl::Unary(Path::Some, CtlUnary::Next, f),
            4 => Ctl::Unary(Path::All, CtlUnary::Next, Box::new(Ctl::Not(f))),
            5 => Ctl::Unary(Path::All, CtlUnary::Globally, Box::new(Ctl::Not(f))),
            6 => Ctl::Binary(Path::Some, CtlBinary::Until, f, g),
            7 => Ctl::Binary(Path::All, CtlBinary::WeakUntil, Box::new(Ctl::Not(f)), Box::new(Ctl::Not(g))),
            _ => Ctl::Unary(Path::Some, CtlUnary::Finally, f),
        }
    }

    /// By definition, in all states: the steps of each are listed.
    fn holds(system: &System, states: &[Vec<u32>], steps: &[Vec<usize>], f: &Ctl<Predicate>) -> Vec<bool> {
        let of = |f: &Ctl<Predicate>| holds(system, states, steps, f);
        let next = |set: &[bool]| -> Vec<bool> { steps.iter().map(|to| to.iter().any(|&to| set[to])).collect() };
        let until = |within: &[bool], goal: Vec<bool>| {
            let mut all = goal;
            loop {
                let more: Vec<bool> =
                    next(&all).iter().zip(within).zip(&all).map(|((n, w), a)| *a || *n && *w).collect();
                if more == all {
                    return all;
                }
                all = more;
            }
        };
        let not = |set: Vec<bool>| -> Vec<bool> { set.into_iter().map(|b| !b).collect() };
        let both = |a: Vec<bool>, b: Vec<bool>| -> Vec<bool> { a.into_iter().zip(b).map(|(a, b)| a && b).collect() };
        match f {
            Ctl::Atom(p) => states.iter().map(|state| p.holds(system, state)).collect(),
            Ctl::Not(f) => not(of(f)),
            Ctl::And(fs) => both(of(&fs[0]), of(&fs[1])),
            Ctl::Or(fs) => not(both(not(of(&fs[0])), not(of(&fs[1])))),
            Ctl::Unary(Path::Some, CtlUnary::Next, f) => next(&of(f)),
            Ctl::Unary(_, CtlUnary::Next, f) => not(next(&not(of(f)))),
            Ctl::Unary(Path::Some, _, f) => until(&vec![true; states.len()], of(f)),
            Ctl::Unary(_, _, f) => not(until(&vec![true; states.len()], not(of(f)))),
            Ctl::Binary(Path::Some, _, f, g) => until(&of(f), of(g)),
            Ctl::Binary(_, _, f, g) => not(until(&not(of(g)), both(not(of(f)), not(of(g))))),
            _ => unreachable!("no other is made"),
        }
    }

    #[test]
    fn conditions_say_what_formulas_say() {
        let (mut dice, mut found, mut times) = (Dice(5), 0, [0, 0]);
        for round in 0..300 {
            let system = random(&mut dice);
            let slots = Slots::new(&system);
            let (mut states, mut steps) = (vec![system.initial()], Vec::new());
            while steps.len() < states.len() {
                let mut to = Vec::new();
                for (_, next) in system.moves(&slots, &states[steps.len()].clone()) {
                    let next = next.expect("few tokens");
                    to.push(states.iter().position(|state| *state == next).unwrap_or_else(|| {
                        states.push(next);
                        states.len() - 1
                    }));
                }
                steps.push(to);
            }
            let budget = Budget::unlimited();
            let backward = Backward::new(&system, &budget).unwrap();
            for _ in 0..10 {
                let depth = 1 + dice.roll(3);
                let formula = formula(&mut dice, &system, depth);
                let Some(condition) = backward.condition(&formula).unwrap() else { continue };
                found += 1;
                let expected = holds(&system, &states, &steps, &formula);
                for (state, expected) in states.iter().zip(expected) {
                    assert_eq!(condition.holds(&system, state), expected, "{round}: {state:?} {formula:?} {system:?}");
                    times[usize::from(expected)] += 1;
                }
                if let Some(reached) = backward.reaches(&condition).unwrap() {
                    let expected = states.iter().any(|state| condition.holds(&system, state));
                    assert_eq!(reached, expected, "{round}: {formula:?} {system:?}");
                }
            }
        }
        assert!(found > 1_000 && times.iter().all(|&times| times > 1_000), "{found} {times:?}");
    }
}
