//! How an atom depends on the cut.

use super::joint::JointAtom;
use super::space::Space;
use crate::show::Graph;
use posetta_base::{Budget, OverBudget, ValueId};
use posetta_logic::eval::{self, Notes};
use posetta_logic::{Atom, Condition, Slot};

const WHAT: &str = "tabulating the states";

/// How an atom depends on the cut.
pub(super) enum CutAtom {
    /// Not at all.
    Constant(bool),
    /// On the count of one layer: its truth from each count on, ascending from 0; neighbours differ.
    Local(usize, Vec<(u32, bool)>),
    /// On the counts of several.
    Joint(JointAtom),
}

/// Finds out. `on`, `event` and `process` are refused in CTL when it is parsed.
pub(super) fn cut_atom(
    space: &Space<'_>,
    atom: &Atom<Slot>,
    notes: &mut Notes,
    budget: &Budget,
) -> Result<CutAtom, OverBudget> {
    let Atom::State(condition) = atom else { return Ok(CutAtom::Constant(false)) };
    let slots = atom.slots();
    let mut layers: Vec<usize> =
        slots.iter().flat_map(|s| space.variables[s.0 as usize].writers.iter().map(|(layer, _)| *layer)).collect();
    layers.sort_unstable();
    layers.dedup();
    let mut values: Vec<Option<ValueId>> = space.variables.iter().map(|v| v.values[0]).collect();
    match layers.as_slice() {
        [] => Ok(CutAtom::Constant(eval::condition(condition, space.trace, &values, notes)?)),
        &[layer] => {
            let changes = local(space, condition, &slots, layer, &mut values, notes, budget)?;
            Ok(match changes.as_slice() {
                &[(_, always)] => CutAtom::Constant(always),
                _ => CutAtom::Local(layer, changes),
            })
        }
        _ => Ok(CutAtom::Joint(JointAtom::new(space, condition, slots))),
    }
}

fn local(
    space: &Space<'_>,
    condition: &Condition<Slot>,
    slots: &[Slot],
    layer: usize,
    values: &mut [Option<ValueId>],
    notes: &mut Notes,
    budget: &Budget,
) -> Result<Vec<(u32, bool)>, OverBudget> {
    let mut changes = vec![(0, eval::condition(condition, space.trace, values, notes)?)];
    let writes = |slot: Slot| space.variables[slot.0 as usize].writers.first().map_or(&[][..], |(_, writes)| writes);
    let mut at = vec![0; slots.len()];
    let mut rounds = 0u32;
    // The writes of all slots, merged.
    while let Some(next) = slots.iter().zip(&at).filter_map(|(&slot, &i)| writes(slot).get(i)).map(|w| w.0).min() {
        rounds += 1;
        if rounds.is_multiple_of(1024) {
            budget.step(0, WHAT)?;
        }
        for (&slot, i) in slots.iter().zip(&mut at) {
            if let Some(&(count, rank)) = writes(slot).get(*i)
                && count == next
            {
                values[slot.0 as usize] = space.variables[slot.0 as usize].values[rank as usize];
                *i += 1;
            }
        }
        let truth = eval::condition(condition, space.trace, values, notes)?;
        if changes.last().is_none_or(|&(_, before)| before != truth) {
            changes.push((next, truth));
        }
    }
    debug_assert!(changes.iter().all(|&(count, _)| count <= space.len(layer)));
    Ok(changes)
}
