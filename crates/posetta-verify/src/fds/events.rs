//! Steps of interleaved processes, one process at a time.
//!
//! Where a variable says who moves, most of the state stays as it is: with its value fixed, the relation falls into one small relation for
//! each process, and `x′ = x` for everything else, which need not be written down. Searching with these, one after the other and each from all that
//! is known already (*chaining*; Roig, Cortadella and Pastor 1995), finds the same states as breadth first, but does not pass through sets such as
//! "all states after exactly 57 moves", whose diagrams are large because they count.

use std::collections::{BTreeMap, BTreeSet};

use posetta_base::OverBudget;
use posetta_dd::bdd::{Bdd, Bdds, Bit, Renaming};

use super::layout::Slot;
use super::steps::{Conjunct, Frame};

/// A variable that may say who moves takes at most so many values.
const MOST: u64 = 1 << 10;

/// Steps that change only some variables.
pub(super) struct Event {
    holds: Bdd,
    /// Bits that are projected away going forwards: what changes, and what belongs to the step alone.
    leaving: Bdd,
    /// And going backwards.
    reaching: Bdd,
    prime: Renaming,
    unprime: Renaming,
    /// The bits of this state that it reads or changes.
    touched: BTreeSet<Bit>,
    /// Those that it changes.
    changed: BTreeSet<Bit>,
}

impl Event {
    /// Whether what this one does can matter to the other, forwards or backwards.
    pub(super) fn matters_to(&self, other: &Self) -> bool {
        !self.changed.is_disjoint(&other.touched) || !other.changed.is_disjoint(&self.touched)
    }

    pub(super) fn image(&self, bdds: &Bdds, set: &Bdd) -> Result<Bdd, OverBudget> {
        bdds.rename(&bdds.and_exists(set, &self.holds, &self.leaving)?, &self.unprime)
    }

    pub(super) fn preimage(&self, bdds: &Bdds, set: &Bdd) -> Result<Bdd, OverBudget> {
        bdds.and_exists(&bdds.rename(set, &self.prime)?, &self.holds, &self.reaching)
    }
}

/// Whose turn it is: always the first of those whom something that has happened may matter to. So the first events are done among
/// themselves before another one comes in, and the sets stay regular.
pub(super) struct Turns {
    due: BTreeSet<usize>,
}

impl Turns {
    /// Everybody's, of so many.
    pub(super) fn new(events: usize) -> Self {
        Self { due: (0..events).collect() }
    }

    /// Who is next.
    pub(super) fn next(&mut self) -> Option<usize> {
        self.due.pop_first()
    }

    /// An event has brought something new.
    pub(super) fn brought(&mut self, event: usize, events: &[Event]) {
        let source = &events[event];
        self.due.extend((0..events.len()).filter(|&i| source.matters_to(&events[i])));
    }
}

/// A variable that could say who moves.
pub(super) struct Selector<'l> {
    pub(super) slot: &'l Slot,
    pub(super) values: u64,
    /// Whether it is remembered in states, so that events must ask for it.
    pub(super) remembered: bool,
}

/// What stays `x′ = x` if it stays: the bits of a variable, and where they are a value.
pub(super) struct Item<'l> {
    pub(super) slot: &'l Slot,
    pub(super) domain: Bdd,
}

/// The events of a relation, if some variable says who moves: with it fixed, at least half of the variables stay as they are. With `always`,
/// however few do.
pub(super) fn events(
    bdds: &Bdds,
    conjuncts: &[Conjunct],
    items: &[Item<'_>],
    selectors: &[Selector<'_>],
    frame: &Frame,
    always: bool,
) -> Result<Option<Vec<Event>>, OverBudget> {
    // The one that most clauses read.
    let readers = |s: &Selector<'_>| conjuncts.iter().filter(|c| s.slot.now.iter().any(|b| c.bits.contains(b))).count();
    let best = selectors
        .iter()
        .filter(|s| (2..=MOST).contains(&s.values))
        .max_by_key(|s| (readers(s), std::cmp::Reverse(s.slot.now.first())));
    let Some(selector) = best else { return Ok(None) };
    if readers(selector) < 3 && !always {
        return Ok(None);
    }
    let mut identities = Vec::with_capacity(items.len());
    for item in items {
        let mut same = item.domain.clone();
        for (&now, &next) in item.slot.now.iter().zip(&item.slot.next).rev() {
            same = bdds.and(&same, &bdds.iff(&bdds.var(now)?, &bdds.var(next)?)?)?;
        }
        identities.push(same);
    }
    // Who stays where is asked first: where nobody says who moves, the events would be large for nothing.
    let (mut cases, mut staying) = (Vec::new(), 0);
    for value in 0..selector.values {
        let last = selector.slot.now.len() - 1;
        let code = |(i, &bit): (usize, &Bit)| (bit, value >> (last - i) & 1 == 1);
        let chosen = bdds.minterm(selector.slot.now.iter().enumerate().map(code))?;
        let case = case(bdds, conjuncts, items, &identities, selector, chosen)?;
        staying += case.stays.iter().filter(|s| **s).count();
        cases.push(case);
        // What is still to come can only stay as a whole.
        let left = items.len() as u64 * (selector.values - 1 - value);
        if !always && 2 * (staying as u64 + left) < items.len() as u64 * selector.values {
            return Ok(None);
        }
    }
    let mut events = Vec::new();
    for case in &cases {
        let event = event(bdds, conjuncts, items, selector, case, frame)?;
        if !event.holds.is_false() {
            events.push(event);
        }
    }
    // From the bottom of the diagrams up, as saturation does it (Ciardo, Lüttgen and Siminiceanu 2001).
    events.sort_by_key(|event| std::cmp::Reverse(event.changed.first().copied()));
    Ok(Some(events))
}

/// The relation with one value of the selector.
struct Case {
    chosen: Bdd,
    /// By conjunct: what is left of it, and whether it says more than that something stays as it is.
    rest: Vec<Bdd>,
    needed: Vec<bool>,
    /// By item.
    stays: Vec<bool>,
}

fn case(
    bdds: &Bdds,
    conjuncts: &[Conjunct],
    items: &[Item<'_>],
    identities: &[Bdd],
    selector: &Selector<'_>,
    chosen: Bdd,
) -> Result<Case, OverBudget> {
    let reads = |c: &Conjunct| selector.slot.now.iter().any(|b| c.bits.contains(b));
    let mut rest = Vec::with_capacity(conjuncts.len());
    for conjunct in conjuncts {
        rest.push(if reads(conjunct) { bdds.restrict(&conjunct.holds, &chosen)? } else { conjunct.holds.clone() });
    }
    let mut stays = vec![false; items.len()];
    let mut needed = vec![true; rest.len()];
    for (i, item) in items.iter().enumerate() {
        for (k, conjunct) in conjuncts.iter().enumerate() {
            if item.slot.next.first().is_some_and(|bit| conjunct.bits.contains(bit))
                && bdds.and(&rest[k], &item.domain)? == identities[i]
            {
                stays[i] = true;
                needed[k] = false;
            }
        }
    }
    Ok(Case { chosen, rest, needed, stays })
}

fn event(
    bdds: &Bdds,
    conjuncts: &[Conjunct],
    items: &[Item<'_>],
    selector: &Selector<'_>,
    case: &Case,
    frame: &Frame,
) -> Result<Event, OverBudget> {
    let Case { chosen, rest, needed, stays } = case;
    let mut pairs = Vec::new();
    let mut back = Vec::new();
    for (item, stays) in items.iter().zip(stays) {
        let both = item.slot.now.iter().copied().zip(item.slot.next.iter().copied());
        if *stays { back.extend(both.map(|(now, next)| (next, now))) } else { pairs.extend(both) }
    }
    // What stays is called by its name now, wherever it is mentioned.
    let settle = bdds.renaming(&back);
    let settled: BTreeMap<Bit, Bit> = back.iter().copied().collect();
    let moved: BTreeSet<Bit> = pairs.iter().map(|&(_, next)| next).collect();
    let mut holds = if selector.remembered { chosen.clone() } else { bdds.top() };
    let changed: BTreeSet<Bit> = pairs.iter().map(|&(now, _)| now).collect();
    let mut touched = changed.clone();
    for (k, conjunct) in conjuncts.iter().enumerate() {
        // That what stays is valid is known of every state.
        if !needed[k] || rest[k].is_true() || (conjunct.validity && conjunct.bits.is_disjoint(&moved)) {
            continue;
        }
        holds = bdds.and(&holds, &bdds.rename(&rest[k], &settle)?)?;
        let read = conjunct.bits.iter().filter(|bit| !selector.slot.now.contains(bit));
        touched.extend(read.map(|bit| settled.get(bit).copied().unwrap_or(*bit)));
    }
    let step = frame.step.iter().copied();
    let leaving = bdds.cube(pairs.iter().map(|&(now, _)| now).chain(step.clone()))?;
    let reaching = bdds.cube(pairs.iter().map(|&(_, next)| next).chain(step))?;
    let swapped: Vec<(Bit, Bit)> = pairs.iter().map(|&(now, next)| (next, now)).collect();
    let (prime, unprime) = (bdds.renaming(&pairs), bdds.renaming(&swapped));
    Ok(Event { holds, leaving, reaching, prime, unprime, touched, changed })
}
