//! Graphs with fairness and final nodes: where computations start, and one of them.
//!
//! An infinite computation stays, from some position on, among the nodes that it meets infinitely often. These are strongly connected, meet
//! every justice requirement, and meet q for every compassion pair (p, q) of which they meet p. [`Graph::fair_sets`] finds the
//! largest sets of that kind: a strongly connected component that meets p but not q is tried again without the nodes of p
//! (Lichtenstein and Pnueli 1985).

use std::collections::VecDeque;

/// Nodes, by place, and what computations have to do.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The steps from each node.
    pub next: Vec<Vec<usize>>,
    /// Where computations start.
    pub initial: Vec<usize>,
    /// Whether a finite computation may end here.
    pub finals: Vec<bool>,
    /// The nodes of each requirement that an infinite computation must meet infinitely often.
    pub justice: Vec<Vec<bool>>,
    /// The nodes p and q of each pair: who meets p infinitely often must meet q infinitely often.
    pub compassion: Vec<(Vec<bool>, Vec<bool>)>,
}

/// Nodes one after the other, as in a [`posetta_model::fds::Trail`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The nodes.
    pub nodes: Vec<usize>,
    /// Where the last one goes back to.
    pub cycle: Option<usize>,
}

impl Graph {
    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.next.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.next.is_empty()
    }

    /// The graph in which several nodes are one: what one of them can do, it can. What is asked of nodes must not tell them apart.
    #[must_use]
    pub fn merged(&self, class: &[usize], classes: usize) -> Self {
        let row = |row: &[bool]| -> Vec<bool> {
            let mut all = vec![false; classes];
            row.iter().zip(class).for_each(|(&b, &c)| all[c] |= b);
            row.iter().zip(class).for_each(|(&b, &c)| assert_eq!(all[c], b, "inputs are not asked about"));
            all
        };
        let mut next = vec![Vec::new(); classes];
        for (steps, &c) in self.next.iter().zip(class) {
            next[c].extend(steps.iter().map(|&t| class[t]));
        }
        let mut initial: Vec<usize> = self.initial.iter().map(|&i| class[i]).collect();
        next.iter_mut().chain([&mut initial]).for_each(|list| {
            list.sort_unstable();
            list.dedup();
        });
        Self {
            next,
            initial,
            finals: row(&self.finals),
            justice: self.justice.iter().map(|j| row(j)).collect(),
            compassion: self.compassion.iter().map(|(p, q)| (row(p), row(q))).collect(),
        }
    }

    /// How many steps it takes to get from some of `from` to each node.
    #[must_use]
    pub fn distances(&self, from: &[usize]) -> Vec<Option<usize>> {
        let mut distances = vec![None; self.len()];
        for (node, came_from) in self.breadth_first(from, &vec![true; self.len()]) {
            distances[node] = Some(came_from.map_or(0, |p: usize| distances[p].expect("met before") + 1));
        }
        distances
    }

    /// The nodes that are met from some of `from` on among those that are kept, nearest first, each with the one before it.
    fn breadth_first(&self, from: &[usize], keep: &[bool]) -> Vec<(usize, Option<usize>)> {
        let mut met = vec![false; self.len()];
        let mut order = Vec::new();
        let mut open: VecDeque<(usize, Option<usize>)> = from.iter().map(|&n| (n, None)).collect();
        while let Some((node, before)) = open.pop_front() {
            if keep[node] && !met[node] {
                met[node] = true;
                order.push((node, before));
                open.extend(self.next[node].iter().map(|&t| (t, Some(node))));
            }
        }
        order
    }

    /// The nodes from which some of `goal` can be reached among those that are kept. The goals themselves are among them if kept.
    #[must_use]
    pub fn can_reach(&self, goal: &[bool], keep: &[bool]) -> Vec<bool> {
        let mut back = vec![Vec::new(); self.len()];
        for (node, steps) in self.next.iter().enumerate() {
            steps.iter().for_each(|&t| back[t].push(node));
        }
        let mut can = vec![false; self.len()];
        let mut open: Vec<usize> = (0..self.len()).filter(|&n| goal[n]).collect();
        while let Some(node) = open.pop() {
            if keep[node] && !can[node] {
                can[node] = true;
                open.extend(&back[node]);
            }
        }
        can
    }

    /// The strongly connected components of the nodes that are kept, those without a step inside left out (Kosaraju's way).
    fn components(&self, keep: &[bool]) -> Vec<Vec<usize>> {
        let mut finished = Vec::new();
        let mut met = vec![false; self.len()];
        for start in (0..self.len()).filter(|&n| keep[n]) {
            let mut path = if std::mem::replace(&mut met[start], true) { Vec::new() } else { vec![(start, 0)] };
            while let Some((node, done)) = path.last_mut() {
                match self.next[*node].get(*done) {
                    Some(&to) => {
                        *done += 1;
                        if keep[to] && !std::mem::replace(&mut met[to], true) {
                            path.push((to, 0));
                        }
                    }
                    None => {
                        finished.push(*node);
                        path.pop();
                    }
                }
            }
        }
        let mut back = vec![Vec::new(); self.len()];
        for &node in &finished {
            self.next[node].iter().filter(|&&t| keep[t]).for_each(|&t| back[t].push(node));
        }
        let mut components = Vec::new();
        let mut taken = vec![false; self.len()];
        for &root in finished.iter().rev() {
            let (mut members, mut open) = (Vec::new(), vec![root]);
            while let Some(node) = open.pop() {
                if !std::mem::replace(&mut taken[node], true) {
                    members.push(node);
                    open.extend(&back[node]);
                }
            }
            if members.iter().any(|&m| self.next[m].iter().any(|t| members.contains(t))) {
                components.push(members);
            }
        }
        components
    }

    /// The largest sets of kept nodes of which an infinite computation can meet exactly these infinitely often.
    #[must_use]
    pub fn fair_sets(&self, keep: &[bool]) -> Vec<Vec<usize>> {
        let mut fair = Vec::new();
        for members in self.components(keep) {
            let meets = |row: &[bool]| members.iter().any(|&m| row[m]);
            if !self.justice.iter().all(|j| meets(j)) {
                continue;
            }
            let owed: Vec<&Vec<bool>> =
                self.compassion.iter().filter(|(p, q)| meets(p) && !meets(q)).map(|(p, _)| p).collect();
            if owed.is_empty() {
                fair.push(members);
            } else {
                let mut fewer = vec![false; self.len()];
                members.iter().for_each(|&m| fewer[m] = !owed.iter().any(|p| p[m]));
                fair.extend(self.fair_sets(&fewer));
            }
        }
        fair
    }

    /// The nodes from which a computation goes on among those that are kept: an infinite fair one, or a finite one that ends in a final
    /// node, perhaps at once.
    #[must_use]
    pub fn feasible(&self, keep: &[bool]) -> Vec<bool> {
        let mut goal: Vec<bool> = self.finals.iter().zip(keep).map(|(&f, &k)| f && k).collect();
        self.fair_sets(keep).iter().flatten().for_each(|&n| goal[n] = true);
        self.can_reach(&goal, keep)
    }

    /// A path from one node to another inside a set, with at least one step. Without the first node.
    fn path_inside(&self, from: usize, to: usize, inside: &[bool]) -> Vec<usize> {
        let order = self.breadth_first(&self.next[from], inside);
        let before = |node: usize| order.iter().find(|(n, _)| *n == node).expect("the set is strongly connected").1;
        let mut path = vec![to];
        while let Some(node) = before(path[path.len() - 1]) {
            path.push(node);
        }
        path.reverse();
        path
    }

    /// A computation that starts in one of the initial nodes, with few steps before its end or its round.
    #[must_use]
    pub fn computation(&self) -> Option<Walk> {
        let sets = self.fair_sets(&vec![true; self.len()]);
        let order = self.breadth_first(&self.initial, &vec![true; self.len()]);
        let set_of = |n: usize| sets.iter().find(|set| set.contains(&n));
        let (end, _) = order.iter().find(|(n, _)| self.finals[*n] || set_of(*n).is_some())?;
        let mut nodes = vec![*end];
        while let Some((_, Some(before))) = order.iter().find(|(n, _)| *n == nodes[nodes.len() - 1]) {
            nodes.push(*before);
        }
        nodes.reverse();
        if self.finals[*end] {
            return Some(Walk { nodes, cycle: None });
        }
        let set = set_of(*end).expect("the end of the path is final or in a fair set");
        let mut inside = vec![false; self.len()];
        set.iter().for_each(|&n| inside[n] = true);
        let one_of = |row: &[bool]| set.iter().copied().find(|&n| row[n]);
        let owed = self.compassion.iter().filter(|(p, _)| one_of(p).is_some()).map(|(_, q)| q);
        let targets: Vec<usize> = self.justice.iter().chain(owed).filter_map(|row| one_of(row)).collect();
        let cycle = nodes.len() - 1;
        for target in targets.into_iter().chain([*end]) {
            let last = nodes[nodes.len() - 1];
            // Going home takes a step even where one is there.
            if last != target || target == *end && nodes.len() == cycle + 1 {
                nodes.extend(self.path_inside(last, target, &inside));
            }
        }
        nodes.pop();
        Some(Walk { nodes, cycle: Some(cycle) })
    }
}
