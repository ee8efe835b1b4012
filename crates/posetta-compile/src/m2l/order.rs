//! The order of the tracks in the diagrams.
//!
//! What is compared should stand together: two strings that are said to agree need their bits in turn, not one string after the other. The free
//! tracks and those of quantifiers over sets that have further ones inside are arranged by what small formulas mention together (`dd::order`); tracks that are bound further
//! inside come after them in the order in which they were bound, so that the same definition has the same automaton wherever it is used.

use super::core::{Core, CoreId, Cores, Track};
use posetta_dd::order::force;
use posetta_logic::m2l::Order;

use super::elaborate::TrackInfo;

/// A formula that mentions more arranged tracks says nothing about which of them belong together.
const FEW: usize = 4;

/// For each track its place.
pub(super) fn levels(cores: &Cores, infos: &[TrackInfo], root: CoreId) -> Vec<u32> {
    let mut outer = vec![false; infos.len()];
    cores.free(root).iter().for_each(|t| outer[t.0 as usize] = true);
    let nested = over_sets(cores, infos);
    let mut open = vec![root];
    let mut seen = vec![false; cores.len()];
    while let Some(id) = open.pop() {
        if std::mem::replace(&mut seen[id.0 as usize], true) {
            continue;
        }
        match cores.get(id) {
            Core::Not(f) | Core::Restrict(f) => open.push(*f),
            Core::And(parts) => open.extend_from_slice(parts),
            Core::Exists(hidden, f) if nested[f.0 as usize] => {
                let sets = hidden.iter().filter(|t| infos[t.0 as usize].order == Order::Two);
                let sets: Vec<&Track> = sets.collect();
                sets.iter().for_each(|t| outer[t.0 as usize] = true);
                open.extend((!sets.is_empty()).then_some(*f));
            }
            _ => {}
        }
    }
    let items: Vec<u32> = (0..infos.len() as u32).filter(|&t| outer[t as usize]).collect();
    let mut item_of = vec![usize::MAX; infos.len()];
    for (item, &track) in items.iter().enumerate() {
        item_of[track as usize] = item;
    }
    let mut clauses: Vec<Vec<usize>> = Vec::new();
    for place in 0..cores.len() as u32 {
        let id = CoreId(place);
        if !matches!(cores.get(id), Core::Iff(..) | Core::And(_) | Core::Atom(_)) {
            continue;
        }
        let mut clause: Vec<usize> = cores.free(id).iter().map(|t| item_of[t.0 as usize]).collect();
        clause.retain(|&i| i != usize::MAX);
        if (2..=FEW).contains(&clause.len()) {
            clauses.push(clause);
        }
    }
    clauses.sort();
    clauses.dedup();
    let mut levels = vec![0; infos.len()];
    let mut next = 0;
    let mut give = |track: usize, levels: &mut Vec<u32>| {
        levels[track] = next;
        next += 1;
    };
    for item in force(items.len(), &clauses) {
        give(items[item] as usize, &mut levels);
    }
    for track in (0..infos.len()).filter(|&t| !outer[t]) {
        give(track, &mut levels);
    }
    levels
}

/// For each formula whether it has a quantifier over sets.
fn over_sets(cores: &Cores, infos: &[TrackInfo]) -> Vec<bool> {
    let mut found: Vec<bool> = Vec::with_capacity(cores.len());
    for place in 0..cores.len() as u32 {
        let has = |id: &CoreId| found[id.0 as usize];
        let here = match cores.get(CoreId(place)) {
            Core::Constant(_) | Core::Atom(_) => false,
            Core::Not(f) | Core::Restrict(f) | Core::Prefix(f) => has(f),
            Core::And(parts) => parts.iter().any(has),
            Core::Iff(f, g) => has(f) || has(g),
            Core::Exists(hidden, f) => has(f) || hidden.iter().any(|t| infos[t.0 as usize].order == Order::Two),
        };
        found.push(here);
    }
    found
}
