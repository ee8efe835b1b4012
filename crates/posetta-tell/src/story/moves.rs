//! Which events of an order stand elsewhere than recorded.

use posetta_base::EventId;
use posetta_trace::Trace;

use super::Moved;

/// For each event of the order, whether it stands earlier or later than recorded. As few events as possible are said to
/// have moved: those outside of a longest stretch (not necessarily adjacent) that keeps the recorded order.
pub(crate) fn moves(trace: &Trace, order: &[EventId]) -> Vec<Option<Moved>> {
    let mut moves = vec![None; order.len()];
    let Some(observed) = trace.observed() else {
        return moves;
    };
    let mut rank = vec![0usize; trace.len()];
    for (i, e) in observed.iter().enumerate() {
        rank[e.index()] = i;
    }
    let ranks: Vec<usize> = order.iter().map(|e| rank[e.index()]).collect();
    let mut stays = vec![false; order.len()];
    for i in longest_increasing(&ranks) {
        stays[i] = true;
    }
    // Compared with its rank among these events: a path may leave events out.
    let mut sorted: Vec<usize> = ranks.clone();
    sorted.sort_unstable();
    for (i, &r) in ranks.iter().enumerate() {
        if !stays[i] {
            let recorded = sorted.partition_point(|&s| s < r);
            moves[i] = Some(if i <= recorded { Moved::Earlier } else { Moved::Later });
        }
    }
    moves
}

/// The places of a longest increasing subsequence, by patience sorting.
fn longest_increasing(values: &[usize]) -> Vec<usize> {
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(values.len());
    for (i, &v) in values.iter().enumerate() {
        let at = tails.partition_point(|&t| values[t] < v);
        before.push(at.checked_sub(1).map(|j| tails[j]));
        match tails.get_mut(at) {
            Some(tail) => *tail = i,
            None => tails.push(i),
        }
    }
    let mut out = Vec::with_capacity(tails.len());
    let mut at = tails.last().copied();
    while let Some(i) = at {
        out.push(i);
        at = before[i];
    }
    out.reverse();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_as_possible_stays() {
        for (values, stays) in [
            (vec![0, 1, 2], vec![0, 1, 2]),
            (vec![3, 0, 1, 2], vec![1, 2, 3]),
            (vec![1, 2, 3, 0], vec![0, 1, 2]),
            (vec![1, 0], vec![1]),
            (vec![], vec![]),
        ] {
            assert_eq!(longest_increasing(&values), stays, "{values:?}");
        }
    }
}
