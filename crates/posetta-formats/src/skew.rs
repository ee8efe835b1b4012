//! Wall clocks that are further apart than they can be wrong.
//!
//! If every clock is at most half of `skew` from the true time, then an event whose time is more than `skew` before that of another event
//! happened before it. That is an interval order, and most of its pairs follow from others: `a` before `c` and `c` before `b` need no
//! edge from `a` to `b`. So an event gets edges only from the last events of processes in the window that no event in between covers, and
//! only where its predecessor did not know as much.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use posetta_base::{Budget, EventId, Number, OverBudget};

const WHAT: &str = "ordering events by their clocks";

/// What a clock says.
pub(super) trait Time: Ord + Clone {
    /// So much later; `None` if no number says that.
    fn later(&self, by: &Self) -> Option<Self>;
    /// For room that is filled later.
    const ZERO: Self;
}

impl Time for Number {
    fn later(&self, by: &Self) -> Option<Self> {
        self.add(by).ok()
    }
    const ZERO: Self = Number::ZERO;
}

/// Nanoseconds. None is later than the last.
impl Time for u64 {
    fn later(&self, by: &Self) -> Option<Self> {
        Some(self.saturating_add(*by))
    }
    const ZERO: Self = 0;
}

/// An event, with what the clock of its process says of it, also where that jumps a little.
struct Stamp<T> {
    event: EventId,
    chain: usize,
    position: usize,
    /// The latest time up to it.
    no_earlier: T,
    /// Everything with a later time happened after it: the earliest time from it on, and the skew.
    covers: T,
}

/// Calls `edge` with the edges. `chains` has the events of each process in their order, with their times. Answers with the chains whose clocks jump back
/// by more than the skew: they cannot be trusted so far, and get no edges.
pub(super) fn link<T: Time>(
    chains: &[Vec<(EventId, T)>],
    skew: &T,
    budget: &Budget,
    mut edge: impl FnMut(EventId, EventId),
) -> Result<Vec<usize>, OverBudget> {
    let events: usize = chains.iter().map(Vec::len).sum();
    let _claim = budget.claim((events * (size_of::<Stamp<T>>() + 16)) as u64, WHAT)?;
    let (mut stamps, mut wrong) = (Vec::with_capacity(events), Vec::new());
    for (chain, events) in chains.iter().enumerate() {
        budget.step(events.len() as u64, WHAT)?;
        match stamped(chain, events, skew) {
            Some(mut of_chain) => stamps.append(&mut of_chain),
            None => wrong.push(chain),
        }
    }
    let mut sources: Vec<usize> = (0..stamps.len()).collect();
    sources.sort_by(|&a, &b| stamps[a].covers.cmp(&stamps[b].covers).then(a.cmp(&b)));
    let mut targets: Vec<usize> = (0..stamps.len()).collect();
    targets.sort_by(|&a, &b| stamps[a].no_earlier.cmp(&stamps[b].no_earlier).then(a.cmp(&b)));
    // The last event of each process that is far enough back, by its place in `sources`, and that place by process.
    let mut last: BTreeMap<usize, usize> = BTreeMap::new();
    let mut place: FxHashMap<usize, usize> = FxHashMap::default();
    // What the events of one process know of another: all up to a position.
    let mut known: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    let mut latest: Option<&T> = None;
    let mut passed = 0;
    let mut work = 0;
    for &target in &targets {
        let target = &stamps[target];
        while let Some(source) = sources.get(passed).map(|&at| &stamps[at])
            && source.covers < target.no_earlier
        {
            // Along a chain `covers` does not fall, so the newest is the last.
            if let Some(before) = place.insert(source.chain, passed) {
                last.remove(&before);
            }
            last.insert(passed, sources[passed]);
            latest = latest.max(Some(&source.no_earlier));
            passed += 1;
        }
        for &source in last.values().rev() {
            work += 1;
            let source = &stamps[source];
            // Some event lies between the two.
            if latest.is_some_and(|latest| source.covers < *latest) {
                break;
            }
            if source.chain == target.chain {
                continue;
            }
            let known = known.entry((target.chain, source.chain)).or_default();
            if *known <= source.position {
                *known = source.position + 1;
                edge(source.event, target.event);
            }
        }
        if work >= 1024 {
            budget.step(std::mem::take(&mut work), WHAT)?;
        }
    }
    Ok(wrong)
}

/// The stamps of a process; `None` if its clock jumps back by more than the skew.
fn stamped<T: Time>(chain: usize, events: &[(EventId, T)], skew: &T) -> Option<Vec<Stamp<T>>> {
    let mut latest: Option<&T> = None;
    let mut stamps = Vec::with_capacity(events.len());
    for (position, (event, time)) in events.iter().enumerate() {
        latest = latest.max(Some(time));
        let no_earlier = latest.unwrap_or(time).clone();
        stamps.push(Stamp { event: *event, chain, position, no_earlier, covers: T::ZERO });
    }
    let mut earliest: Option<&T> = None;
    for (stamp, (_, time)) in stamps.iter_mut().zip(events).rev() {
        earliest = Some(earliest.map_or(time, |earliest| earliest.min(time)));
        stamp.covers = earliest.unwrap_or(time).later(skew)?;
        if stamp.covers < stamp.no_earlier {
            return None;
        }
    }
    Some(stamps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_trace::{Builder, Reason, Trace};
    use proptest::prelude::*;

    /// A run of processes with these times, ordered by the clocks, and the processes that are not trusted.
    fn run(chains: &[Vec<i64>], skew: i64) -> (Trace, Vec<usize>) {
        let mut builder = Builder::new();
        let mut stamped = Vec::new();
        for (i, times) in chains.iter().enumerate() {
            let process = builder.process(&format!("P{i}")).unwrap();
            let mut chain = Vec::new();
            for &time in times {
                chain.push((builder.event(process, 1).unwrap(), Number::from(time)));
            }
            stamped.push(chain);
        }
        let skew = Number::from(skew);
        let because = |from, to| builder.link_because(from, to, Reason::Skew);
        let wrong = link(&stamped, &skew, &Budget::unlimited(), because).unwrap();
        (builder.finish(false, &Budget::unlimited()).unwrap(), wrong)
    }

    #[test]
    fn only_what_is_further_apart_is_ordered() {
        let (trace, wrong) = run(&[vec![0, 10], vec![5, 16]], 5);
        let edges: Vec<(usize, usize)> =
            trace.events().flat_map(|e| trace.causes(e).iter().map(move |c| (c.index(), e.index()))).collect();
        assert_eq!((edges, wrong), (vec![(1, 3)], vec![]));
        assert_eq!(run(&[vec![0, 10, 1], vec![20]], 5).1, [0]);
    }

    /// Many processes with many events: the edges stay few.
    #[test]
    fn there_are_about_as_many_edges_as_events() {
        let chains: Vec<Vec<i64>> = (0..50).map(|p| (0..200).map(|i| 100 * i + p).collect()).collect();
        let (trace, _) = run(&chains, 1);
        let edges: usize = trace.events().map(|e| trace.causes(e).len()).sum();
        assert!(edges < 3 * trace.len(), "{edges} edges of {} events", trace.len());
    }

    proptest! {
        /// The closure of the edges is what the definition says: an event that is more than the skew before another, each perhaps with
        /// events of its own process in between.
        #[test]
        fn the_edges_mean_what_the_clocks_say(
            chains in proptest::collection::vec(proptest::collection::vec(0i64..30, 0..6), 1..4),
            skew in 0i64..8,
        ) {
            let (trace, wrong) = run(&chains, skew);
            let events: Vec<(usize, usize, i64)> =
                chains.iter().enumerate().flat_map(|(p, times)| times.iter().enumerate().map(move |(i, &t)| (p, i, t))).collect();
            let mut before = vec![vec![false; events.len()]; events.len()];
            let mut reached = before.clone();
            for (a, &(p, i, s)) in events.iter().enumerate() {
                for (b, &(q, j, t)) in events.iter().enumerate() {
                    let trusted = !wrong.contains(&p) && !wrong.contains(&q);
                    before[a][b] = if p == q { i < j } else { trusted && s + skew < t };
                    let (x, y) = (EventId::from_raw(a as u32), EventId::from_raw(b as u32));
                    reached[a][b] = if p == q { i < j } else { trace.causes(y).contains(&x) };
                }
            }
            for closed in [&mut before, &mut reached] {
                for k in 0..events.len() {
                    for a in 0..events.len() {
                        for b in 0..events.len() {
                            closed[a][b] |= closed[a][k] && closed[k][b];
                        }
                    }
                }
            }
            prop_assert_eq!(before, reached);
        }
    }
}
