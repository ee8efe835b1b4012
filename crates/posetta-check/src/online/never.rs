//! That no cut satisfies a condition: `AG`, and denied `EF`, of conditions on the state, and `G` over states, which says the same of all orders
//! as long as the state at every cut is determined.
//!
//! The condition is a disjunction of conjunctions, each watched by itself. Conditions on single variables go to [`conjunction`],
//! a bound on a sum to [`heaviest`]; both know of every cut at the event that completes it, in time polynomial in the number of processes.
//! The rest, and a conjunction one of whose variables gets the same value twice from events that nothing orders, is followed as a linear
//! property, through all orders. For this the events that are not settled are kept.
//!
//! [`conjunction`]: super::conjunction
//! [`heaviest`]: super::heaviest

use std::sync::Arc;

use super::conjunction::Conjunction;
use super::heaviest::{Heaviest, within};
use super::part::Part;
use super::sight::Single;
use super::writes::Writes;
use super::{Culprit, WHAT, orders};
use crate::cuts::Sum;
use posetta_base::{Attributes, Budget, Claim, Number, OverBudget, ProcessId, Value, VarId};
use posetta_compile::Prospect;
use posetta_logic::eval::{Notes, condition_in};
use posetta_logic::{Atom, Atoms, Compare, Condition, Formula, Ltl, LtlUnary, Slot, View};
use posetta_trace::{Arrival, Assigned, Frontier};

/// An event that assigns a variable of the condition.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) process: ProcessId,
    pub(super) place: u32,
    pub(super) line: u64,
    pub(super) clock: Vec<u32>,
    /// The how-manieth it is.
    pub(super) number: u64,
    sets: Vec<(Slot, VarId, Value)>,
}

impl Event {
    /// What it assigns to a variable.
    pub(super) fn sets(&self, slot: Slot) -> Option<&Value> {
        self.sets.iter().find(|(other, ..)| *other == slot).map(|(.., value)| value)
    }

    /// Whether an event is it or comes before it.
    pub(super) fn has(&self, process: ProcessId, place: u32) -> bool {
        self.clock.get(process.index()).is_some_and(|&known| known >= place)
    }

    pub(super) fn knows(&self, other: &Self) -> bool {
        self.has(other.process, other.place)
    }

    fn bytes(&self) -> u64 {
        (96 + 4 * self.clock.len() + 72 * self.sets.len()) as u64
    }
}

/// What an event has led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Came {
    Open,
    /// A cut that satisfies the condition.
    Found,
    /// The events do not lie as they must for this way to follow them.
    Unfit,
}

/// A condition, and the truth that is asked for.
type Literal = (Ltl, bool);

/// More conjunctions than this in one condition are followed together, as a linear property.
const MOST: usize = 1 << 10;

/// The same of those that can only be followed as linear properties.
const MOST_ORDERS: usize = 8;

/// A bound that a sum must not pass: its events, weighed, and what it is without them.
#[derive(Debug)]
struct Bound {
    factors: Vec<(Slot, Number)>,
    /// The value of each variable, and the event that it has it from.
    values: Vec<(Number, Option<Arc<Event>>)>,
    constant: Number,
    /// Whether 0 is within the bound.
    zero_is_good: bool,
    events: Heaviest,
}

impl Bound {
    fn is_passed(&self) -> Result<bool, OverBudget> {
        let most = within(self.constant.add(self.events.weight()))?;
        Ok(if self.zero_is_good { most > Number::ZERO } else { most >= Number::ZERO })
    }

    fn arrive(&mut self, event: &Arc<Event>, budget: &Budget) -> Result<Came, OverBudget> {
        let mut weight = Number::ZERO;
        for ((slot, factor), (value, since)) in self.factors.iter().zip(&mut self.values) {
            let Some(new) = event.sets(*slot) else { continue };
            let Value::Number(new) = new else { return Ok(Came::Unfit) };
            if new == value {
                if since.as_ref().is_some_and(|since| !event.knows(since)) {
                    return Ok(Came::Unfit);
                }
                continue;
            }
            let more = within(new.sub(value))?;
            weight = within(weight.add(&within(more.mul(factor))?))?;
            (*value, *since) = (new.clone(), Some(Arc::clone(event)));
        }
        if !weight.is_zero() {
            self.events.add(event, weight, budget)?;
        }
        Ok(if self.is_passed()? { Came::Found } else { Came::Open })
    }
}

/// How one conjunction is watched.
#[derive(Debug)]
enum Way {
    Conjunction(Conjunction),
    Bound(Bound),
}

impl Way {
    fn len(&self) -> usize {
        match self {
            Self::Conjunction(conjunction) => conjunction.len(),
            Self::Bound(bound) => bound.events.len(),
        }
    }
}

/// A condition that no cut may satisfy.
pub(super) struct Never {
    condition: Ltl,
    atoms: Atoms,
    /// As long as the state at every cut is determined, if that is for this to see to.
    writes: Option<Writes>,
    /// By the feed's number: the slot, once the name was looked up.
    slots: Vec<Option<Option<Slot>>>,
    ways: Vec<(Vec<Literal>, Way)>,
    /// What is followed through all orders.
    parts: Vec<Part>,
    exact: bool,
    /// The events that are not settled, and the values before them.
    recent: Vec<Arc<Event>>,
    before: Vec<Value>,
    prospect: Prospect,
    culprits: Vec<Culprit>,
    /// How many events have come.
    events: u64,
    /// How many have been kept since the last sweep, and were left then.
    fresh: usize,
    left: usize,
    notes: Notes,
    claim: Claim,
    budget: Budget,
}

impl Never {
    /// At the start. `None` if it is no condition, or is better followed as a linear property. If writes of different values may be unordered,
    /// the condition is followed through all orders once they are.
    pub(super) fn new(
        condition: &Ltl,
        writes: Option<Writes>,
        initial: &dyn Fn(&str) -> Value,
        budget: &Budget,
    ) -> Result<Option<Self>, OverBudget> {
        if !is_condition(condition) {
            return Ok(None);
        }
        let mut atoms = Atoms::default();
        condition.map_atoms(&mut |atom| atoms.add(atom));
        let Some(alternatives) = alternatives(condition, true) else { return Ok(None) };
        let before: Vec<Value> = atoms.variables().iter().map(|name| initial(name)).collect();
        let mut never = Self {
            condition: condition.clone(),
            atoms,
            writes,
            slots: Vec::new(),
            ways: Vec::new(),
            parts: Vec::new(),
            exact: true,
            recent: Vec::new(),
            before,
            prospect: Prospect::Open,
            culprits: Vec::new(),
            events: 0,
            fresh: 0,
            left: 0,
            notes: Notes::default(),
            claim: budget.claim(0, WHAT)?,
            budget: budget.clone(),
        };
        let mut rest = 0;
        for literals in alternatives {
            if let Some(ways) = never.ways(&literals)? {
                never.ways.extend(ways.into_iter().map(|way| (literals.clone(), way)));
                continue;
            }
            rest += 1;
            if rest > MOST_ORDERS {
                return Ok(None);
            }
            never.follow_orders(&literals)?;
        }
        never.look()?;
        Ok(Some(never))
    }

    /// How a conjunction can be watched, if it can: each of these ways has to find nothing.
    fn ways(&mut self, literals: &[Literal]) -> Result<Option<Vec<Way>>, OverBudget> {
        let bound: Vec<(Condition<Slot>, bool)> =
            literals.iter().map(|(formula, wanted)| (bound(formula, &self.atoms), *wanted)).collect();
        let slots: Vec<Vec<Slot>> = bound.iter().map(|(condition, _)| slots_of(condition)).collect();
        if slots.iter().all(|slots| slots.len() <= 1) {
            let mut conditions = Vec::new();
            for ((condition, wanted), slots) in bound.into_iter().zip(slots) {
                match slots.first() {
                    Some(&slot) => conditions.push((slot, condition, wanted)),
                    None => {
                        let nothing = Value::Number(Number::ZERO);
                        if condition_in(&condition, &Single(Slot(0), &nothing), &mut self.notes)? != wanted {
                            return Ok(Some(Vec::new()));
                        }
                    }
                }
            }
            let conjunction = Conjunction::new(conditions, &self.before, &mut self.notes)?;
            return Ok(Some(vec![Way::Conjunction(conjunction)]));
        }
        let ([(condition, wanted)], [slots]) = (&bound[..], &slots[..]) else { return Ok(None) };
        let Some((compare, sum)) = Sum::compared(condition, slots) else { return Ok(None) };
        // Passed upwards or downwards, and whether by 0.
        let bounds: &[(bool, bool)] = match (compare, wanted) {
            (Compare::Gt, true) | (Compare::Le, false) => &[(true, true)],
            (Compare::Ge, true) | (Compare::Lt, false) => &[(true, false)],
            (Compare::Lt, true) | (Compare::Ge, false) => &[(false, true)],
            (Compare::Le, true) | (Compare::Gt, false) => &[(false, false)],
            (Compare::Ne, true) | (Compare::Eq, false) => &[(true, true), (false, true)],
            (Compare::Eq, true) | (Compare::Ne, false) => return Ok(None),
        };
        let mut ways = Vec::new();
        for &(up, zero_is_good) in bounds {
            let turned = |n: &Number| if up { Ok(n.clone()) } else { within(n.neg()) };
            let (mut factors, mut values) = (Vec::new(), Vec::new());
            let mut constant = turned(&sum.constant)?;
            for (slot, factor) in slots.iter().zip(&sum.factors) {
                let Value::Number(value) = &self.before[slot.0 as usize] else { return Ok(None) };
                let factor = turned(factor)?;
                constant = within(constant.add(&within(value.mul(&factor))?))?;
                factors.push((*slot, factor));
                values.push((value.clone(), None));
            }
            ways.push(Way::Bound(Bound { factors, values, constant, zero_is_good, events: Heaviest::new() }));
        }
        Ok(Some(ways))
    }

    /// Follows a conjunction through all orders of the events that are not settled.
    fn follow_orders(&mut self, literals: &[Literal]) -> Result<(), OverBudget> {
        let literal = |(formula, wanted): &Literal| {
            if *wanted { formula.clone() } else { Ltl::Not(Box::new(formula.clone())) }
        };
        let mut formulas: Vec<Ltl> = literals.iter().map(literal).collect();
        let together = if formulas.len() == 1 { formulas.remove(0) } else { Ltl::And(formulas) };
        let never = Ltl::Unary(LtlUnary::Globally, Box::new(Ltl::Not(Box::new(together))));
        let value = |name: &str| match self.atoms.slot(name) {
            Some(Slot(slot)) => self.before[slot as usize].clone(),
            None => Value::Number(Number::ZERO),
        };
        let formula = Formula::Ltl(View::States, never);
        let (mut parts, exact) = orders(&formula, true, &|_| true, &value, &self.budget)?;
        self.exact &= exact;
        // The settled events were in the past of what was to come, not of what has come: nothing is settled yet for these.
        let mut frontier = Frontier::new(false);
        for event in &self.recent {
            (0..event.clock.len()).for_each(|process| frontier.enter(ProcessId::from_raw(process as u32)));
        }
        for event in &self.recent {
            let names = self.atoms.variables();
            let assigned = event.sets.iter();
            let assigned =
                assigned.map(|(slot, var, value)| Assigned { var: *var, name: &names[slot.0 as usize], value });
            let assigned: Vec<Assigned<'_>> = assigned.collect();
            let arrival = Arrival {
                process: event.process,
                process_name: "",
                clock: &event.clock,
                name: None,
                assigned: &assigned,
                attributes: Attributes::default(),
                line: event.line,
            };
            for part in &mut parts {
                part.arrive(&arrival, &frontier)?;
            }
        }
        self.parts.append(&mut parts);
        Ok(())
    }

    /// An event has come.
    pub(super) fn arrive(&mut self, event: &Arrival<'_>, frontier: &Frontier) -> Result<(), OverBudget> {
        self.events += 1;
        if self.prospect != Prospect::Open {
            return Ok(());
        }
        let sets = self.assigned(event);
        let is_determined = |writes: &mut Writes| {
            let mut sets = sets.iter();
            sets.all(|(slot, _, value)| writes.add(event, *slot, value).is_ok())
        };
        if !self.writes.as_mut().is_none_or(is_determined) {
            self.writes = None;
            self.ways.clear();
            self.parts.clear();
            self.follow_orders(&[(self.condition.clone(), true)])?;
        }
        for part in &mut self.parts {
            part.arrive(event, frontier)?;
        }
        if !sets.is_empty() {
            let event = Arc::new(Event {
                process: event.process,
                place: event.clock[event.process.index()],
                line: event.line,
                clock: event.clock.to_vec(),
                number: self.events,
                sets,
            });
            self.recent.push(Arc::clone(&event));
            self.fresh += 1;
            self.meet(&event)?;
            self.look()?;
            self.sweep_if_worth_it(frontier)?;
        }
        self.judge(frontier);
        Ok(())
    }

    /// The frontier has moved without an event.
    pub(super) fn hear(&mut self, frontier: &Frontier) -> Result<(), OverBudget> {
        if self.prospect != Prospect::Open {
            return Ok(());
        }
        for part in &mut self.parts {
            part.hear(frontier)?;
        }
        self.fresh += 1;
        self.sweep_if_worth_it(frontier)?;
        self.judge(frontier);
        Ok(())
    }

    fn assigned(&mut self, event: &Arrival<'_>) -> Vec<(Slot, VarId, Value)> {
        let mut sets = Vec::new();
        for assigned in event.assigned {
            let var = assigned.var.index();
            if self.slots.len() <= var {
                self.slots.resize(var + 1, None);
            }
            if let Some(slot) = *self.slots[var].get_or_insert_with(|| self.atoms.slot(assigned.name)) {
                sets.push((slot, assigned.var, assigned.value.clone()));
            }
        }
        sets
    }

    fn meet(&mut self, event: &Arc<Event>) -> Result<(), OverBudget> {
        let mut at = 0;
        while at < self.ways.len() {
            let came = match &mut self.ways[at].1 {
                Way::Conjunction(conjunction) => conjunction.arrive(event, &mut self.notes)?,
                Way::Bound(bound) => bound.arrive(event, &self.budget)?,
            };
            if came == Came::Unfit {
                let (literals, _) = self.ways.remove(at);
                // A bound that may be passed upwards and downwards is two ways, and one conjunction.
                self.ways.retain(|(other, _)| *other != literals);
                self.follow_orders(&literals)?;
                // What was moved is not met again: an earlier way of the same literals was unfit at the same event.
                continue;
            }
            at += 1;
        }
        Ok(())
    }

    /// Notes what has been found.
    fn look(&mut self) -> Result<(), OverBudget> {
        for (_, way) in &self.ways {
            let found = match way {
                Way::Conjunction(conjunction) if conjunction.is_found() => conjunction.found(),
                Way::Bound(bound) if bound.is_passed()? => bound.events.top(),
                Way::Conjunction(_) | Way::Bound(_) => continue,
            };
            let culprit = |e: &Arc<Event>| Culprit { process: e.process, place: e.place, line: e.line };
            self.culprits = found.iter().map(culprit).collect();
            self.prospect = Prospect::Violated;
            return Ok(());
        }
        Ok(())
    }

    fn judge(&mut self, frontier: &Frontier) {
        if self.prospect != Prospect::Open {
            return;
        }
        if let Some(part) = self.parts.iter().find(|part| part.prospect() == Prospect::Violated) {
            self.culprits = part.shown_by().to_vec();
            self.prospect = Prospect::Violated;
        } else if frontier.sources().next().is_none() && self.events > 0
            || self.ways.is_empty() && self.parts.iter().all(|part| part.prospect() == Prospect::Holds)
        {
            self.prospect = Prospect::Holds;
        }
    }

    /// Lets go of what every later event comes after, if about as much has come since the last time as was left then.
    fn sweep_if_worth_it(&mut self, frontier: &Frontier) -> Result<(), OverBudget> {
        if self.fresh <= self.left + 16 {
            return Ok(());
        }
        let settled: Vec<u32> = (0..frontier.processes())
            .map(|process| frontier.settled(ProcessId::from_raw(process as u32)).unwrap_or(0))
            .collect();
        let is_settled = |e: &Event| settled.get(e.process.index()).is_some_and(|&settled| e.place <= settled);
        for event in self.recent.iter().filter(|event| is_settled(event)) {
            for (slot, _, value) in &event.sets {
                self.before[slot.0 as usize] = value.clone();
            }
        }
        self.recent.retain(|event| !is_settled(event));
        let mut bytes: u64 = self.recent.iter().map(|event| event.bytes()).sum();
        for (_, way) in &mut self.ways {
            match way {
                Way::Conjunction(conjunction) => {
                    conjunction.sweep(&settled);
                    bytes += 64 * conjunction.len() as u64;
                }
                Way::Bound(bound) => {
                    let gone = bound.events.let_go(&is_settled, &self.budget)?;
                    bound.constant = within(bound.constant.add(&gone))?;
                    bytes += bound.events.bytes();
                }
            }
        }
        self.left = self.recent.len().max(self.ways.iter().map(|(_, way)| way.len()).sum());
        self.fresh = 0;
        self.claim.shrink_to(bytes);
        self.claim.grow_to(bytes, WHAT)
    }

    pub(super) fn prospect(&self) -> Prospect {
        self.prospect
    }

    pub(super) fn culprits(&self) -> &[Culprit] {
        &self.culprits
    }

    pub(super) fn is_exact(&self) -> bool {
        self.exact
    }

    /// Whether no cut of what has come satisfies the condition.
    pub(super) fn satisfied(&self) -> bool {
        match self.prospect {
            Prospect::Holds => true,
            Prospect::Violated => false,
            Prospect::Open => self.parts.iter().all(Part::satisfied),
        }
    }

    pub(super) fn divides_by_zero(&self) -> bool {
        self.notes.division_by_zero || self.parts.iter().any(Part::divides_by_zero)
    }

    /// How many events are held, and how many intervals, weights and configurations.
    pub(super) fn held(&self) -> (usize, usize) {
        let ways = self.ways.iter().map(|(_, way)| way.len()).sum();
        let held = self.parts.iter().map(Part::held);
        held.fold((self.recent.len(), ways), |(a, b), (events, configs)| (a + events, b + configs))
    }
}

fn is_condition(formula: &Ltl) -> bool {
    match formula {
        Ltl::Unary(..) | Ltl::Binary(..) => false,
        Ltl::Atom(atom) => matches!(atom, Atom::State(_)),
        _ => formula.operands().into_iter().all(is_condition),
    }
}

/// What must never be, if that is all that a formula says.
pub(super) fn forbidden(formula: &Ltl) -> Option<Ltl> {
    match formula {
        Ltl::Unary(LtlUnary::Globally, f) => Some(Ltl::Not(f.clone())),
        Ltl::Not(f) => match &**f {
            Ltl::Unary(LtlUnary::Finally, f) => Some((**f).clone()),
            _ => None,
        },
        Ltl::And(fs) => fs.iter().map(forbidden).collect::<Option<_>>().map(Ltl::Or),
        _ => None,
    }
}

/// The condition that a formula without temporal operators is.
fn bound(formula: &Ltl, atoms: &Atoms) -> Condition<Slot> {
    let inner = |f: &Ltl| bound(f, atoms);
    match formula {
        Ltl::True => Condition::True,
        Ltl::Atom(Atom::State(condition)) => {
            condition.map_vars(&mut |var| atoms.slot(&var.name).expect("every variable has a slot"))
        }
        Ltl::Not(f) => Condition::Not(Box::new(inner(f))),
        Ltl::And(fs) => Condition::And(fs.iter().map(inner).collect()),
        Ltl::Or(fs) => Condition::Or(fs.iter().map(inner).collect()),
        Ltl::Implies(f, g) => Condition::Implies(Box::new(inner(f)), Box::new(inner(g))),
        Ltl::Iff(f, g) => Condition::Iff(Box::new(inner(f)), Box::new(inner(g))),
        // Conditions have no other atoms.
        Ltl::False | Ltl::Atom(_) | Ltl::Unary(..) | Ltl::Binary(..) => Condition::False,
    }
}

fn slots_of(condition: &Condition<Slot>) -> Vec<Slot> {
    let mut slots = Vec::new();
    condition.for_each_var(&mut |&slot| {
        if !slots.contains(&slot) {
            slots.push(slot);
        }
    });
    slots
}

/// Whether a formula speaks of at most one variable.
fn is_local(formula: &Ltl) -> bool {
    fn visit<'f>(formula: &'f Ltl, seen: &mut Option<&'f str>) -> bool {
        if let Ltl::Atom(Atom::State(condition)) = formula {
            let mut alone = true;
            condition.for_each_var(&mut |var| alone &= *seen.get_or_insert(&var.name) == var.name);
            return alone;
        }
        formula.operands().into_iter().all(|f| visit(f, seen))
    }
    visit(formula, &mut None)
}

/// Conjunctions of which one has to hold for a formula without temporal operators to have a value; `None` if there are too many.
fn alternatives(formula: &Ltl, value: bool) -> Option<Vec<Vec<Literal>>> {
    let literal = || Some(vec![vec![(formula.clone(), value)]]);
    if is_local(formula) {
        return literal();
    }
    let of = |f: &Ltl, value: bool| alternatives(f, value);
    let any = |all: Vec<Option<Vec<Vec<Literal>>>>| {
        let any: Vec<_> = all.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().collect();
        (any.len() <= MOST).then_some(any)
    };
    let all = |all: Vec<Option<Vec<Vec<Literal>>>>| {
        let mut product = vec![Vec::new()];
        for parts in all {
            let parts = parts?;
            if product.len() * parts.len() > MOST {
                return None;
            }
            let with = |left: &Vec<Literal>| parts.iter().map(|right| [&left[..], right].concat()).collect::<Vec<_>>();
            product = product.iter().flat_map(with).collect();
        }
        Some(product)
    };
    match formula {
        Ltl::Not(f) => of(f, !value),
        Ltl::And(fs) | Ltl::Or(fs) => {
            let parts = fs.iter().map(|f| of(f, value)).collect();
            if matches!(formula, Ltl::And(_)) == value { all(parts) } else { any(parts) }
        }
        Ltl::Implies(f, g) if value => any(vec![of(f, false), of(g, true)]),
        Ltl::Implies(f, g) => all(vec![of(f, true), of(g, false)]),
        Ltl::Iff(f, g) => any(vec![all(vec![of(f, true), of(g, value)]), all(vec![of(f, false), of(g, !value)])]),
        Ltl::True | Ltl::False | Ltl::Atom(_) | Ltl::Unary(..) | Ltl::Binary(..) => literal(),
    }
}
