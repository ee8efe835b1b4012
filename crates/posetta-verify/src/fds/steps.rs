//! The steps of a system as a relation between states, in clusters.
//!
//! A relation is a conjunction of many small ones. They are joined into clusters up to a size, the clusters are put into an order, and a variable
//! is projected away as soon as no later cluster mentions it (Ranjan et al. 1995). Forwards that concerns the bits of the state that is left,
//! backwards those of the state that is reached; bits that belong to steps alone (inputs that nobody remembers) both times.

use std::collections::BTreeSet;

use posetta_base::OverBudget;
use posetta_dd::bdd::{Bdd, Bdds, Bit, Renaming};

/// Clusters are joined while they have at most so many nodes. On philosophers and counters 1,000 to 10,000 made no
/// difference; on rings, caches and commitment in two phases 1,000 took two to five times as long, and 300 or 100
/// longer. One cluster lost on models with many independent modules, no clusters on those that interleave.
const CLUSTER: u64 = 5_000;

/// A part of the relation with the bits that it may depend on.
#[derive(Clone, Debug)]
pub(super) struct Conjunct {
    pub(super) holds: Bdd,
    pub(super) bits: BTreeSet<Bit>,
    /// Whether it only says that the next state is one: that values lie in their domains, and invariants.
    pub(super) validity: bool,
}

/// One way through the clusters: for each what is projected away once it has been joined.
struct Schedule {
    /// Projected before anything is joined.
    first: Bdd,
    turns: Vec<(Bdd, Bdd)>,
}

/// A relation between states, ready to be followed both ways.
pub(super) struct Steps {
    forwards: Schedule,
    backwards: Schedule,
    nodes: u64,
    /// All of the clusters, for single steps.
    clusters: Vec<Bdd>,
}

/// The bits of a state, and their copies in the next state.
pub(super) struct Frame {
    /// Bits of this state that its successor need not remember.
    pub(super) now: BTreeSet<Bit>,
    /// Bits of the next state.
    pub(super) next: BTreeSet<Bit>,
    /// Bits that belong to the step alone.
    pub(super) step: BTreeSet<Bit>,
    pub(super) prime: Renaming,
    pub(super) unprime: Renaming,
}

impl Steps {
    pub(super) fn new(bdds: &Bdds, conjuncts: Vec<Conjunct>, frame: &Frame) -> Result<Self, OverBudget> {
        let clusters = cluster(bdds, conjuncts)?;
        let leaving: BTreeSet<Bit> = frame.now.union(&frame.step).copied().collect();
        let reaching: BTreeSet<Bit> = frame.next.union(&frame.step).copied().collect();
        let nodes = clusters.iter().map(|c| c.holds.nodes()).sum();
        Ok(Self {
            forwards: schedule(bdds, &clusters, &leaving)?,
            backwards: schedule(bdds, &clusters, &reaching)?,
            nodes,
            clusters: clusters.into_iter().map(|c| c.holds).collect(),
        })
    }

    /// How many nodes the clusters have.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    fn follow(&self, bdds: &Bdds, set: &Bdd, schedule: &Schedule) -> Result<Bdd, OverBudget> {
        let mut now = bdds.exists(set, &schedule.first)?;
        for (cluster, cube) in &schedule.turns {
            if now.is_false() {
                break;
            }
            now = bdds.and_exists(&now, cluster, cube)?;
        }
        Ok(now)
    }

    /// The states that a step leads to from the set.
    pub(super) fn image(&self, bdds: &Bdds, frame: &Frame, set: &Bdd) -> Result<Bdd, OverBudget> {
        let reached = self.follow(bdds, set, &self.forwards)?;
        bdds.rename(&reached, &frame.unprime)
    }

    /// The states from which some step leads into the set.
    pub(super) fn preimage(&self, bdds: &Bdds, frame: &Frame, set: &Bdd) -> Result<Bdd, OverBudget> {
        let primed = bdds.rename(set, &frame.prime)?;
        self.follow(bdds, &primed, &self.backwards)
    }

    /// The relation between one state and another, over the bits of the step alone.
    pub(super) fn between(&self, bdds: &Bdds, frame: &Frame, from: &Bdd, to: &Bdd) -> Result<Bdd, OverBudget> {
        let mut both = bdds.and(from, &bdds.rename(to, &frame.prime)?)?;
        for cluster in &self.clusters {
            both = bdds.and(&both, cluster)?;
        }
        Ok(both)
    }
}

/// Joins neighbours while they stay small. Conjuncts come in the order of their topmost bits, so neighbours speak of the same things.
fn cluster(bdds: &Bdds, mut conjuncts: Vec<Conjunct>) -> Result<Vec<Conjunct>, OverBudget> {
    conjuncts.retain(|c| !c.holds.is_true());
    conjuncts.sort_by(|a, b| (a.bits.first(), a.bits.last()).cmp(&(b.bits.first(), b.bits.last())));
    let mut clusters: Vec<Conjunct> = Vec::new();
    for conjunct in conjuncts {
        if let Some(last) = clusters.last_mut() {
            // Two that are large already do not become small together.
            if last.holds.nodes() <= CLUSTER && conjunct.holds.nodes() <= CLUSTER {
                let joined = bdds.and(&last.holds, &conjunct.holds)?;
                if joined.nodes() <= CLUSTER {
                    last.holds = joined;
                    last.bits.extend(conjunct.bits);
                    continue;
                }
            }
        }
        clusters.push(conjunct);
    }
    Ok(clusters)
}

/// Puts the clusters into an order in which bits of `away` can be projected early, and says which after each.
fn schedule(bdds: &Bdds, clusters: &[Conjunct], away: &BTreeSet<Bit>) -> Result<Schedule, OverBudget> {
    let mut left: Vec<usize> = (0..clusters.len()).collect();
    let mentioned: BTreeSet<Bit> = clusters.iter().flat_map(|c| c.bits.iter().copied()).collect();
    let first = bdds.cube(away.difference(&mentioned).copied())?;
    let mut users: std::collections::BTreeMap<Bit, usize> = std::collections::BTreeMap::new();
    for cluster in clusters {
        for &bit in cluster.bits.intersection(away) {
            *users.entry(bit).or_default() += 1;
        }
    }
    let mut met: BTreeSet<Bit> = BTreeSet::new();
    let mut turns = Vec::with_capacity(clusters.len());
    while !left.is_empty() {
        // Bits that can go after it count for it; bits that come in with it count against it, those that stay more.
        let gain = |&i: &usize| -> i64 {
            clusters[i]
                .bits
                .iter()
                .map(|bit| match users.get(bit) {
                    Some(1) => 2,
                    Some(_) => i64::from(met.contains(bit)) - 1,
                    None => -1,
                })
                .sum()
        };
        let best = (0..left.len()).max_by_key(|&k| (gain(&left[k]), std::cmp::Reverse(k))).expect("some are left");
        let cluster = &clusters[left.remove(best)];
        met.extend(cluster.bits.iter().copied());
        let mut done = Vec::new();
        for bit in cluster.bits.intersection(away) {
            if let Some(count) = users.get_mut(bit) {
                *count -= 1;
                if *count == 0 {
                    done.push(*bit);
                }
            }
        }
        turns.push((cluster.holds.clone(), bdds.cube(done)?));
    }
    Ok(Schedule { first, turns })
}
