//! The order of variables in diagrams, computed before anything is built.
//!
//! What one clause speaks of should stand close together. The FORCE heuristic (Aloul, Markov and Sakallah 2003) moves every variable to the centre
//! of the clauses that mention it, again and again, and the order with the smallest sum of spans is kept; the declared order is the first try.

/// How often the variables are moved at most; the sum of spans rarely gets smaller after that.
const ROUNDS: usize = 60;

/// A good order of `items` for these clauses, each a set of items: the items from the top down.
pub(super) fn force(items: usize, clauses: &[Vec<usize>]) -> Vec<usize> {
    let span = |place: &[usize]| -> u64 {
        let spread = |clause: &Vec<usize>| {
            let places = clause.iter().map(|&i| place[i]);
            let (low, high) = (places.clone().min(), places.max());
            high.zip(low).map_or(0, |(high, low)| (high - low) as u64)
        };
        clauses.iter().map(spread).sum()
    };
    let mut order: Vec<usize> = (0..items).collect();
    let mut place = order.clone();
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
    best
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
    fn nothing_to_order() {
        assert_eq!(force(0, &[]), Vec::<usize>::new());
        assert_eq!(force(3, &[vec![], vec![1]]).len(), 3);
    }
}
