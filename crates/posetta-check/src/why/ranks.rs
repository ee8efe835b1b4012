//! Orders as permutations of a reference order.
//!
//! The *rank* of an event is its place in the reference order. An order is then a list of ranks, two events are *inverted* in it if
//! they stand the other way round than in the reference, and the number of inverted pairs is the number of exchanges of
//! neighbours that lead from one order to the other (Kendall's tau). Both orders being runs, inverted events are concurrent.

use posetta_base::EventId;

/// Two events: the first one comes first in the reference order.
pub(super) type Pair = (u32, u32);

/// The rank of each event in a run.
pub(super) fn ranks_of(run: &[EventId]) -> Vec<u32> {
    let mut ranks = vec![0; run.len()];
    for (rank, event) in run.iter().enumerate() {
        ranks[event.index()] = rank as u32;
    }
    ranks
}

/// A run as ranks.
pub(super) fn as_ranks(run: &[EventId], ranks: &[u32]) -> Vec<u32> {
    run.iter().map(|event| ranks[event.index()]).collect()
}

/// How many pairs are inverted.
pub(super) fn inversions(order: &[u32]) -> u64 {
    // What is far from home is counted by merging; what is already sorted costs one pass.
    let mut order = order.to_vec();
    let mut other = order.clone();
    let mut count = 0;
    let mut size = 1;
    while size < order.len() {
        for (from, into) in order.chunks(2 * size).zip(other.chunks_mut(2 * size)) {
            let (left, right) = from.split_at(size.min(from.len()));
            if left.last() <= right.first() || right.is_empty() {
                into.copy_from_slice(from);
                continue;
            }
            let (mut l, mut r) = (0, 0);
            for slot in into {
                let take_left = r == right.len() || l < left.len() && left[l] < right[r];
                *slot = if take_left { left[l] } else { right[r] };
                if take_left {
                    l += 1;
                } else {
                    r += 1;
                    count += (left.len() - l) as u64;
                }
            }
        }
        std::mem::swap(&mut order, &mut other);
        size *= 2;
    }
    count
}

/// The inverted pairs, ascending; `None` if there are more than `most`.
pub(super) fn inverted(order: &[u32], most: usize) -> Option<Vec<Pair>> {
    let mut pairs = Vec::new();
    // All ranks below `low` have come; `held` are the others that have, ascending. What is to come is above all that was dropped.
    let mut low = 0;
    let mut held: Vec<u32> = Vec::new();
    for &rank in order {
        let above = held.partition_point(|&h| h < rank);
        // The event of rank `low` is still to come, after all that is held.
        if pairs.len() + held.len() > most {
            return None;
        }
        pairs.extend(held[above..].iter().map(|&h| (rank, h)));
        held.insert(above, rank);
        let home = held.iter().zip(low..).take_while(|(h, home)| *h == home).count();
        held.drain(..home);
        low += home as u32;
    }
    pairs.sort_unstable();
    Some(pairs)
}

/// The pairs of neighbours that are inverted, by their place in the order.
pub(super) fn deciding(order: &[u32]) -> impl DoubleEndedIterator<Item = Pair> {
    order.windows(2).filter(|pair| pair[0] > pair[1]).map(|pair| (pair[1], pair[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inversions_are_pairs_the_other_way_round() {
        let mut rng = fastrand::Rng::with_seed(7);
        for n in 0..40 {
            let mut order: Vec<u32> = (0..n).collect();
            for _ in 0..rng.usize(..4) * rng.usize(..20) {
                if n > 1 {
                    let at = rng.usize(..n as usize - 1);
                    order.swap(at, at + 1);
                }
            }
            let mut pairs = Vec::new();
            for (i, &a) in order.iter().enumerate() {
                pairs.extend(order[i + 1..].iter().filter(|&&b| b < a).map(|&b| (b, a)));
            }
            pairs.sort_unstable();
            assert_eq!(inversions(&order), pairs.len() as u64, "{order:?}");
            assert_eq!(inverted(&order, pairs.len()).as_ref(), Some(&pairs), "{order:?}");
            assert!(pairs.is_empty() || inverted(&order, pairs.len() - 1).is_none(), "{order:?}");
            assert!(deciding(&order).all(|pair| pairs.contains(&pair)), "{order:?}");
        }
    }
}
