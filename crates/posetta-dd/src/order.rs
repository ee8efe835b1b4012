//! The order of variables in diagrams, computed before anything is built.
//!
//! What one clause speaks of should stand close together. The FORCE heuristic (Aloul, Markov and Sakallah 2003) moves every variable to the centre
//! of the clauses that mention it, again and again, and the order with the smallest sum of spans is kept; the declared order is the first try.

/// How often the variables are moved at most; the sum of spans rarely gets smaller after that.
const ROUNDS: usize = 60;

/// A good order of `items` for these clauses, each a set of items: the items from the top down.
pub fn force(items: usize, clauses: &[Vec<usize>]) -> Vec<usize> {
    improved((0..items).collect(), clauses).0
}

/// The better of two such orders, one from the declared order, the other from one in which each item was chosen such that few clauses are open
/// after it. The declared order may say nothing: of a ring that is declared as all its nodes and then all its links, moving to the centre
/// makes several layers of ring that never come apart.
pub fn arranged(items: usize, clauses: &[Vec<usize>]) -> Vec<usize> {
    let (declared, declared_span) = improved((0..items).collect(), clauses);
    let (grown, grown_span) = improved(grown(items, clauses), clauses);
    if grown_span < declared_span { grown } else { declared }
}

/// Item after item, each such that as few clauses as possible have items on both sides; of equal ones, the one that closes most, then the first.
fn grown(items: usize, clauses: &[Vec<usize>]) -> Vec<usize> {
    let mut clauses_of: Vec<Vec<usize>> = vec![Vec::new(); items];
    for (c, clause) in clauses.iter().enumerate() {
        clause.iter().for_each(|&i| clauses_of[i].push(c));
    }
    let mut left: Vec<usize> = clauses.iter().map(Vec::len).collect();
    let mut placed = vec![false; items];
    let mut order = Vec::with_capacity(items);
    // Items next to what has been placed; only where there is none, any.
    let mut near: std::collections::BTreeSet<usize> = std::collections::BTreeSet::new();
    let mut first = 0;
    while order.len() < items {
        let cost = |&i: &usize| {
            let opened = clauses_of[i].iter().filter(|&&c| left[c] == clauses[c].len() && left[c] > 1).count();
            let closed = clauses_of[i].iter().filter(|&&c| left[c] == 1 && clauses[c].len() > 1).count();
            (opened as i64 - closed as i64, std::cmp::Reverse(closed), i)
        };
        let next = near.iter().copied().min_by_key(cost).unwrap_or_else(|| {
            while placed[first] {
                first += 1;
            }
            first
        });
        near.remove(&next);
        placed[next] = true;
        order.push(next);
        for &c in &clauses_of[next] {
            left[c] -= 1;
            near.extend(clauses[c].iter().copied().filter(|&i| !placed[i]));
        }
    }
    order
}

/// An order after moving to the centre, and the sum of its spans.
fn improved(mut order: Vec<usize>, clauses: &[Vec<usize>]) -> (Vec<usize>, u64) {
    let items = order.len();
    let span = |place: &[usize]| -> u64 {
        let spread = |clause: &Vec<usize>| {
            let places = clause.iter().map(|&i| place[i]);
            let (low, high) = (places.clone().min(), places.max());
            high.zip(low).map_or(0, |(high, low)| (high - low) as u64)
        };
        clauses.iter().map(spread).sum()
    };
    let mut place = vec![0; items];
    for (at, &i) in order.iter().enumerate() {
        place[i] = at;
    }
    let (mut best, mut best_span) = (order.clone(), span(&place));
    let mut stale = 0;
    for _ in 0..ROUNDS {
        let mut pull = vec![(0.0_f64, 0_u32); items];
        for clause in clauses {
            let centre = clause.iter().map(|&i| place[i] as f64).sum::<f64>() / clause.len().max(1) as f64;
            for &i in clause {
                pull[i].0 += centre;
                pull[i].1 += 1;
            }
        }
        let aim = |i: usize| if pull[i].1 == 0 { place[i] as f64 } else { pull[i].0 / f64::from(pull[i].1) };
        order.sort_by(|&i, &j| aim(i).total_cmp(&aim(j)).then(place[i].cmp(&place[j])));
        for (at, &i) in order.iter().enumerate() {
            place[i] = at;
        }
        let now = span(&place);
        if now < best_span {
            (best, best_span, stale) = (order.clone(), now, 0);
        } else {
            stale += 1;
            if stale == 8 {
                break;
            }
        }
    }
    (best, best_span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_that_was_declared_in_two_halves_is_put_together() {
        // Items 0..8 and 8..16; i and i+8 belong together.
        let clauses: Vec<Vec<usize>> = (0..8).map(|i| vec![i, i + 8]).collect();
        let order = force(16, &clauses);
        let place = |i: usize| order.iter().position(|&j| j == i).unwrap();
        let span: usize = (0..8).map(|i| place(i).abs_diff(place(i + 8))).sum();
        assert!(span <= 12, "{order:?}");
    }

    #[test]
    fn a_ring_stays_narrow_however_it_was_declared() {
        // Nodes 0..n, links n..2n; link i is between node i and node i+1; clauses tie neighbours.
        let n = 64;
        let clauses: Vec<Vec<usize>> = (0..n).flat_map(|i| [vec![i, n + i], vec![i, n + (i + n - 1) % n]]).collect();
        let order = arranged(2 * n, &clauses);
        let place = |i: usize| order.iter().position(|&j| j == i).unwrap();
        let span: usize = clauses.iter().map(|c| place(c[0]).abs_diff(place(c[1]))).sum();
        assert!(span <= 5 * n, "{span}: {order:?}");
    }

    #[test]
    fn nothing_to_order() {
        assert_eq!(force(0, &[]), Vec::<usize>::new());
        assert_eq!(force(3, &[vec![], vec![1]]).len(), 3);
    }
}
