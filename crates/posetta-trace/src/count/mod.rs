//! Exact numbers of cuts and of linearisations.
//!
//! **Cuts.** A cut is a count for each process, and each edge constrains the counts of two processes. Processes that no
//! edges connect are independent, so connected groups are counted one by one and multiplied. In a group we first take
//! away, again and again, a process with only one neighbour: how many ways it (and what was taken away behind it) leaves
//! for each count of the neighbour is a step function, which becomes a factor of the neighbour. Stars and trees are
//! counted by that alone, in about the time it takes to write down the numbers.
//!
//! What is left has cycles. Its processes are decided one after another; what the decided ones imply for the rest is a
//! lower and an upper bound on the counts of their undecided neighbours, the frontier. Prefixes with the same bounds are
//! counted together, so the work follows the communication topology, not the number of cuts: a ring of `n` costs the
//! square of one member's length per step. The order of processes is greedy for a small frontier.
//!
//! **Linearisations.** Paths in the graph of cuts, level by level, per connected group of processes; the groups
//! interleave freely, which is a multinomial factor.

mod constraints;
mod cuts;
mod linearisations;

use dashu_int::UBig;

pub use cuts::count_cuts;
pub use linearisations::count_linearisations;

use posetta_base::{Budget, OverBudget};

/// The product, halves first so that the factors are of like size.
fn product_of(mut factors: Vec<UBig>, budget: &Budget, what: &'static str) -> Result<UBig, OverBudget> {
    while factors.len() > 1 {
        let half = factors.len().div_ceil(2);
        let upper = factors.split_off(half);
        for (i, (factor, other)) in factors.iter_mut().zip(upper).enumerate() {
            if i % 256 == 0 {
                budget.step(0, what)?;
            }
            *factor *= other;
        }
    }
    Ok(factors.pop().unwrap_or(UBig::ONE))
}

#[cfg(test)]
mod tests {
    use super::linearisations::product;
    use super::*;
    use crate::Trace;
    use crate::sketch;
    use posetta_base::{Limit, Natural};

    fn read(text: &str) -> Trace {
        sketch::read(text)
    }

    fn cuts(text: &str) -> Natural {
        count_cuts(&read(text), &Budget::unlimited()).unwrap()
    }

    /// A hub and clients with `messages` events each that are all sent to the hub.
    fn star(clients: usize, messages: usize) -> String {
        let mut text = format!("H: {}@h\n", "@h -> ".repeat(clients * messages - 1));
        for i in 0..clients {
            text.push_str(&format!("C{i}: {}@c\n", "@c -> ".repeat(messages - 1)));
        }
        for event in 0..clients * messages {
            text.push_str(&format!("C{}.{} -> H.{}\n", event % clients, event / clients + 1, event + 1));
        }
        text
    }

    #[test]
    fn a_star_is_counted_leaf_by_leaf() {
        // With c received, c have sent and the rest may or may not have: the sum of 2^(n - c).
        let n = 3000;
        assert_eq!(cuts(&star(n, 1)), Natural::from((UBig::ONE << (n + 1)) - UBig::ONE));
        // With c received: clients that have at least c / n and some that have one more.
        let (n, m) = (50u64, 3u64);
        let expected: UBig = (0..=n * m)
            .map(|c| UBig::from(m - c / n).pow((c % n) as usize) * UBig::from(m - c / n + 1).pow((n - c % n) as usize))
            .sum();
        assert_eq!(cuts(&star(50, 3)), Natural::from(expected));
    }

    #[test]
    fn a_ring_with_trees_and_lone_processes_is_counted_as_the_product_says() {
        let ring = "A: @a -> @a\nB: @b -> @b\nC: @c -> @c\nA.1 -> B.2\nB.1 -> C.2\nC.1 -> A.2\n";
        let tree = "D: @d\nE: @e\nA.2 -> D.1\nD.1 -> E.1\n";
        // By hand, of the ring: 8 cuts with no second event, and a second one needs two first ones.
        let brute = |a: [u32; 3]| (0..3).all(|i| a[i] < 2 || a[(i + 2) % 3] >= 1);
        let all = (0..27).map(|i| [i % 3, i / 3 % 3, i / 9]).filter(|&a| brute(a));
        let (mut plain, mut with_tree) = (0u64, 0u64);
        for counts in all {
            plain += 1;
            with_tree += if counts[0] == 2 { 3 } else { 1 };
        }
        assert_eq!(cuts(ring), plain);
        assert_eq!(cuts(&format!("{ring}{tree}")), with_tree);
        assert_eq!(cuts(&format!("{ring}{tree}F: @f -> @f\n")), with_tree * 3);
    }

    #[test]
    fn a_stop_is_seen_and_memory_is_claimed() {
        let trace = read(&star(500, 1));
        let budget = Budget::unlimited();
        budget.stop_handle().raise(Limit::Time);
        assert_eq!(count_cuts(&trace, &budget).unwrap_err().limit, Limit::Time);
        assert_eq!(count_cuts(&trace, &Budget::with_memory(1000)).unwrap_err().limit, Limit::Memory);
    }

    #[test]
    fn past_a_million_digits_runs_are_not_counted() {
        let lone = |n: usize| read(&(0..n).map(|i| format!("P{i}: @a\n")).collect::<String>());
        let factorial = Natural::from(product(1, 1000, &Budget::unlimited()).unwrap());
        assert_eq!(count_linearisations(&lone(1000), &Budget::unlimited()).unwrap(), factorial);
        // 205,023! is the first factorial with more.
        let over = count_linearisations(&lone(206_000), &Budget::unlimited()).unwrap_err();
        assert_eq!(over.limit, Limit::Digits);
    }
}
