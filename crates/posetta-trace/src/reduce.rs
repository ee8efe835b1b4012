//! Transitive reduction: the fewest edges with the same happened-before.

use super::clock::Clocks;
use super::event::Trace;
use posetta_base::{Budget, EventId, OverBudget};

/// The edges between different processes that no other path implies, sorted by effect. Together with the order of each
/// process they generate happened-before, and none can be left out. `forward` are the trace's forward clocks.
///
/// Of the causes of one event on one process only the latest can count; those are compared with each other and with the
/// event's predecessor. So an event costs its causes and the square of the number of processes they are on, not of
/// their own.
///
/// # Errors
/// When the budget is spent.
pub fn reduced_edges(trace: &Trace, forward: &Clocks, budget: &Budget) -> Result<Vec<(EventId, EventId)>, OverBudget> {
    const WHAT: &str = "reducing the edges";
    let _claim = budget.claim(trace.causes.len() as u64 * 8 + trace.process_count() as u64 * 4, WHAT)?;
    let mut edges = Vec::new();
    // For each process, how far the causes of the event at hand reach; 0 between events.
    let mut reach = vec![0; trace.process_count()];
    let mut left: Vec<EventId> = Vec::new();
    let mut work = 0usize;
    for effect in trace.events() {
        let causes = trace.causes(effect);
        work += causes.len() + 1;
        for &cause in causes {
            let reach = &mut reach[trace.process(cause).index()];
            *reach = (*reach).max(trace.position(cause) + 1);
        }
        left.clear();
        left.extend(causes.iter().filter(|&&c| reach[trace.process(c).index()] == trace.position(c) + 1));
        if let Some(before) = trace.position(effect).checked_sub(1) {
            let before = trace.chain(trace.process(effect))[before];
            left.retain(|&cause| !forward.before_or_equal(trace, cause, before));
        }
        // The last ones know the most. What a cause implied that is itself implied, that one's implier implies too.
        let mut at = left.len();
        while at > 0 {
            at -= 1;
            work += left.len();
            if work >= 1 << 14 {
                budget.step(0, WHAT)?;
                work = 0;
            }
            let (other, mut place, mut gone) = (left[at], 0, 0);
            left.retain(|&cause| {
                let stays = cause == other || !forward.before_or_equal(trace, cause, other);
                gone += usize::from(!stays && place < at);
                place += 1;
                stays
            });
            at -= gone;
        }
        edges.extend(left.iter().map(|&cause| (cause, effect)));
        for &cause in causes {
            reach[trace.process(cause).index()] = 0;
        }
        if work >= 1 << 14 {
            budget.step(0, WHAT)?;
            work = 0;
        }
    }
    Ok(edges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch;
    use posetta_base::Limit;

    fn reduced(text: &str) -> Vec<(String, String)> {
        let budget = Budget::unlimited();
        let trace = sketch::read(text);
        let forward = Clocks::compute(&trace, &budget).unwrap();
        let edges = reduced_edges(&trace, &forward, &budget).unwrap();
        edges.iter().map(|&(a, b)| (trace.label(a), trace.label(b))).collect()
    }

    #[test]
    fn of_many_causes_the_latest_of_each_process_that_no_other_knows_stay() {
        let count = 30_000;
        let mut text = format!("A: {}@a\nB: @b -> @b\nC: @c\nD: @d -> @d\n", "@a -> ".repeat(count - 1));
        for i in 1..=count {
            text.push_str(&format!("A.{i} -> D.2\n"));
        }
        text.push_str("B.1 -> D.1\nB.1 -> D.2\nB.2 -> D.2\nC.1 -> D.2\nC.1 -> B.2\n");
        let edge = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let mut edges = reduced(&text);
        edges.sort();
        let last = format!("A.{count}");
        let mut expected = vec![edge(&last, "D.2"), edge("B.1", "D.1"), edge("B.2", "D.2"), edge("C.1", "B.2")];
        expected.sort();
        assert_eq!(edges, expected);
    }

    #[test]
    fn a_stop_is_seen() {
        let budget = Budget::unlimited();
        let text = format!("A: {}@a\nB: @b\n", "@a -> ".repeat(20_000));
        let trace = sketch::read(&text);
        let forward = Clocks::compute(&trace, &budget).unwrap();
        budget.stop_handle().raise(Limit::Cancelled);
        assert_eq!(reduced_edges(&trace, &forward, &budget).unwrap_err().limit, Limit::Cancelled);
    }
}
