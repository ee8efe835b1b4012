//! Cycles with all marks: is there an infinite path along which every mark is met again and again, and which one?
//!
//! Marks are on edges (transition-based generalised Büchi acceptance). The search is Couvreur's (1999): depth first, with a stack of the
//! components that are not complete yet, each with the marks inside it; it stops as soon as one of them has all. The graph is made as far as
//! the search asks for it. [`super::buchi`] asks the same of many states of one automaton whose marks are on states, and shows no path.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use posetta_base::{Budget, OverBudget, Tally};

/// Marks: one bit each.
pub type Marks = u128;

/// An edge, as its source sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it leads to.
    pub to: u32,
    /// What is met on it.
    pub marks: Marks,
    /// What the graph calls it.
    pub label: u32,
}

/// A graph with marks, made on demand. Asked for the same node again, it gives the same edges.
pub trait Marked {
    /// What can go wrong.
    type Stop: From<OverBudget>;

    /// Adds the edges from a node to a list, in the order in which they are tried.
    ///
    /// # Errors
    /// When the graph cannot be made.
    fn edges(&mut self, node: u32, edges: &mut Vec<Edge>) -> Result<(), Self::Stop>;
}

/// A path that goes round forever: edges from the start, then those of the cycle, which has all marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// From the start to the cycle.
    pub prefix: Vec<Edge>,
    /// At least one.
    pub cycle: Vec<Edge>,
}

const WHAT: &str = "searching for a run that violates the property";

/// Which nodes were met, by node: graphs number theirs densely.
#[derive(Default)]
struct Seen(Vec<u32>);

/// Not met.
const NEW: u32 = u32::MAX;
/// No such cycle can be reached from it.
const DEAD: u32 = u32::MAX - 1;

impl Seen {
    /// The number of a node on the way, [`NEW`] or [`DEAD`].
    fn get(&self, node: u32) -> u32 {
        self.0.get(node as usize).copied().unwrap_or(NEW)
    }

    fn set(&mut self, node: u32, number: u32) {
        if self.0.len() <= node as usize {
            self.0.resize(node as usize + 1, NEW);
        }
        self.0[node as usize] = number;
    }
}

/// A node on the way: its edges that are still to be tried are in one list with those of all others, from the last one back to `first`, the
/// next one last.
struct Frame {
    node: u32,
    first: usize,
}

/// A component that is not complete: the number of its first node, the marks inside it, and those of the edge that led to it.
struct Root {
    first: u32,
    marks: Marks,
    entered: Marks,
}

/// An infinite path from `start` that meets `all` marks again and again, if there is one.
///
/// # Errors
/// When the graph cannot be made or the budget is spent.
pub fn find<G: Marked>(graph: &mut G, start: u32, all: Marks, budget: &Budget) -> Result<Option<Lasso>, G::Stop> {
    let (mut claim, mut tally) = (budget.claim(0, WHAT)?, Tally::new(budget));
    let mut seen = Seen::default();
    let (mut path, mut alive, mut roots): (Vec<Frame>, Vec<u32>, Vec<Root>) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest: Vec<Edge> = Vec::new();
    let mut next: u32 = 0;
    let mut entering = Some((start, 0));
    loop {
        if let Some((node, entered)) = entering.take() {
            tally.step(1, WHAT)?;
            if next.is_multiple_of(LOOK) {
                // Lists may double before the next look.
                let bytes = 4 * seen.0.capacity()
                    + size_of::<Frame>() * path.capacity()
                    + 4 * alive.capacity()
                    + size_of::<Root>() * roots.capacity()
                    + size_of::<Edge>() * rest.capacity();
                claim.grow_to(3 * bytes as u64, WHAT)?;
            }
            seen.set(node, next);
            roots.push(Root { first: next, marks: 0, entered });
            alive.push(node);
            next += 1;
            let first = rest.len();
            graph.edges(node, &mut rest)?;
            rest[first..].reverse();
            path.push(Frame { node, first });
        }
        let Some(&Frame { node, first }) = path.last() else { return Ok(None) };
        if rest.len() == first {
            path.pop();
            let number = seen.get(node);
            if number < DEAD && roots.last().is_some_and(|root| root.first == number) {
                roots.pop();
                while let Some(done) = alive.pop() {
                    seen.set(done, DEAD);
                    if done == node {
                        break;
                    }
                }
            }
            continue;
        }
        let Some(edge) = rest.pop() else { return Ok(None) };
        match seen.get(edge.to) {
            NEW => entering = Some((edge.to, edge.marks)),
            DEAD => {}
            number => {
                // A cycle: all components from there on are one.
                let mut marks = edge.marks;
                while let Some(root) = roots.last_mut() {
                    if root.first <= number {
                        root.marks |= marks;
                        break;
                    }
                    marks |= root.marks | root.entered;
                    roots.pop();
                }
                if let Some(root) = roots.last()
                    && root.marks & all == all
                {
                    // Numbers ascend there.
                    let first = alive.partition_point(|&node| seen.get(node) < root.first);
                    return extract(graph, start, &seen, &alive[first..], all, budget).map(Some);
                }
            }
        }
    }
}

/// After so many nodes memory is claimed again.
const LOOK: u32 = 1 << 10;

/// A short path to a component and a cycle in it with all marks, through nodes that the search has met: elsewhere may be many.
fn extract<G: Marked>(
    graph: &mut G,
    start: u32,
    seen: &Seen,
    component: &[u32],
    all: Marks,
    budget: &Budget,
) -> Result<Lasso, G::Stop> {
    let inside: rustc_hash::FxHashSet<u32> = component.iter().copied().collect();
    let met_before = |node: u32| seen.get(node) != NEW;
    let (prefix, entry) = walk(graph, start, &met_before, budget, &|node, _| inside.contains(&node), true)?;
    let stays = |node: u32| inside.contains(&node);
    let (mut cycle, mut at, mut met): (Vec<Edge>, u32, Marks) = (Vec::new(), entry, 0);
    while met & all != all {
        let missing = all & !met;
        let (way, to) =
            walk(graph, at, &stays, budget, &|_, edge| edge.is_some_and(|e| e.marks & missing != 0), false)?;
        for edge in &way {
            met |= edge.marks;
        }
        // Inside a component with all marks every one can be met.
        assert!(!way.is_empty(), "a component has the marks that were found in it");
        cycle.extend(way);
        at = to;
    }
    if at != entry || cycle.is_empty() {
        let (way, _) = walk(graph, at, &stays, budget, &|node, edge| node == entry && edge.is_some(), false)?;
        cycle.extend(way);
    }
    Ok(Lasso { prefix, cycle })
}

/// A shortest path from a node to where `goal` says so, of the node reached and the last edge, through allowed nodes. With `here`
/// the path may be empty. Empty if there is none.
fn walk<G: Marked>(
    graph: &mut G,
    from: u32,
    allowed: &dyn Fn(u32) -> bool,
    budget: &Budget,
    goal: &dyn Fn(u32, Option<&Edge>) -> bool,
    here: bool,
) -> Result<(Vec<Edge>, u32), G::Stop> {
    if here && goal(from, None) {
        return Ok((Vec::new(), from));
    }
    let mut came: FxHashMap<u32, (u32, Edge)> = FxHashMap::default();
    let (mut open, mut edges) = (VecDeque::from([from]), Vec::new());
    while let Some(node) = open.pop_front() {
        budget.step(1, WHAT)?;
        edges.clear();
        graph.edges(node, &mut edges)?;
        for edge in edges.drain(..) {
            if !allowed(edge.to) {
                continue;
            }
            if goal(edge.to, Some(&edge)) {
                let (mut way, mut at) = (vec![edge], node);
                while at != from {
                    let Some(&(before, edge)) = came.get(&at) else { break };
                    way.push(edge);
                    at = before;
                }
                way.reverse();
                return Ok((way, edge.to));
            }
            if edge.to != from && !came.contains_key(&edge.to) {
                came.insert(edge.to, (node, edge));
                open.push_back(edge.to);
            }
        }
    }
    Ok((Vec::new(), from))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Listed(Vec<Vec<Edge>>);

    impl Marked for Listed {
        type Stop = OverBudget;

        fn edges(&mut self, node: u32, edges: &mut Vec<Edge>) -> Result<(), OverBudget> {
            edges.extend_from_slice(&self.0[node as usize]);
            Ok(())
        }
    }

    /// By closure: some node that can be reached lies in a strongly connected part whose edges have all marks.
    fn expected(graph: &Listed, all: Marks) -> bool {
        let size = graph.0.len();
        let mut reach = vec![vec![false; size]; size];
        for (from, edges) in graph.0.iter().enumerate() {
            edges.iter().for_each(|e| reach[from][e.to as usize] = true);
        }
        for k in 0..size {
            for i in 0..size {
                for j in 0..size {
                    reach[i][j] |= reach[i][k] && reach[k][j];
                }
            }
        }
        (0..size).filter(|&n| (n == 0 || reach[0][n]) && reach[n][n]).any(|n| {
            let part = |m: usize| reach[n][m] && reach[m][n];
            let edges = (0..size).filter(|&m| part(m)).flat_map(|m| &graph.0[m]);
            edges.filter(|e| part(e.to as usize)).fold(0, |met, e| met | e.marks) & all == all
        })
    }

    #[test]
    fn the_search_agrees_with_closure_on_random_graphs() {
        let mut seed = 11_u64;
        let mut dice = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        let budget = Budget::unlimited();
        let mut found = 0;
        for round in 0..6000 {
            let size = 1 + dice(9);
            let all = (1 << dice(4)) - 1;
            let mut graph = Listed(
                (0..size)
                    .map(|_| {
                        (0..dice(4))
                            .map(|label| Edge {
                                to: dice(size) as u32,
                                marks: Marks::from(dice(3) * dice(4)),
                                label: label as u32,
                            })
                            .collect()
                    })
                    .collect(),
            );
            let lasso = find(&mut graph, 0, all, &budget).unwrap();
            assert_eq!(lasso.is_some(), expected(&graph, all), "round {round}: {:?}", graph.0);
            let Some(Lasso { prefix, cycle }) = lasso else { continue };
            found += 1;
            let mut at = 0;
            for edge in &prefix {
                assert!(graph.0[at as usize].contains(edge));
                at = edge.to;
            }
            let (begin, mut met) = (at, 0);
            for edge in &cycle {
                assert!(graph.0[at as usize].contains(edge));
                (at, met) = (edge.to, met | edge.marks);
            }
            assert!(!cycle.is_empty() && at == begin && met & all == all, "round {round}: {:?}", graph.0);
        }
        assert!(found > 1000);
    }
}
