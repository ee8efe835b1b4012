//! Membership, size, drawing.

use dashu_int::UBig;
use rustc_hash::{FxHashMap, FxHashSet};

use super::store::{Diagrams, EMPTY, Set, UNIT};
use posetta_base::OverBudget;
use posetta_base::dot::Graph;
use posetta_base::dot::Value::{Text, Word};

impl Diagrams {
    /// Whether a tuple is in the set.
    #[must_use]
    pub fn contains(&self, a: Set, tuple: &[u32]) -> bool {
        let mut at = a;
        for &x in tuple {
            let edges = self.edges(at);
            match edges.partition_point(|e| e.start <= x) {
                0 => return false,
                i => at = edges[i - 1].child,
            }
        }
        at == UNIT
    }

    /// How many tuples the set has.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn count(&mut self, a: Set) -> Result<UBig, OverBudget> {
        let mut known: FxHashMap<Set, UBig> = FxHashMap::default();
        let mut claim = self.claim(0)?;
        // Children first, without recursion into the large numbers.
        let mut stack = vec![(a, 0)];
        while let Some((set, done)) = stack.pop() {
            if set == EMPTY || set == UNIT || known.contains_key(&set) {
                continue;
            }
            self.poll()?;
            if known.len() == known.capacity() {
                // About as many digits as there are layers, in the worst case four bytes each.
                claim.grow_to(2 * (64 + 4 * self.layers() as u64) * (known.len() as u64 + 4), super::store::WHAT)?;
            }
            let edges = self.edges(set);
            let unknown = (done..edges.len()).find(|&i| edges[i].child > UNIT && !known.contains_key(&edges[i].child));
            if let Some(i) = unknown {
                stack.push((set, i));
                stack.push((edges[i].child, 0));
                continue;
            }
            let mut sum = UBig::ZERO;
            for pair in edges.windows(2) {
                let width = pair[1].start - pair[0].start;
                match pair[0].child {
                    EMPTY => {}
                    UNIT => sum += width,
                    child => sum += &known[&child] * width,
                }
            }
            known.insert(set, sum);
        }
        Ok(match a {
            EMPTY => UBig::ZERO,
            UNIT => UBig::ONE,
            _ => known.remove(&a).unwrap_or_default(),
        })
    }

    /// How many nodes a set is made of, the ends left out.
    #[must_use]
    pub fn nodes(&self, a: Set) -> usize {
        self.reachable(&[a]).len()
    }

    /// How many nodes some sets are made of together, the ends left out.
    #[must_use]
    pub fn nodes_of(&self, all: &[Set]) -> usize {
        self.reachable(all).len()
    }

    /// The nodes of sets; of one, layer by layer, in the order of their edges.
    fn reachable(&self, all: &[Set]) -> Vec<Set> {
        let mut seen: FxHashSet<Set> = FxHashSet::default();
        let mut found: Vec<Set> = Vec::new();
        for &a in all {
            if a > UNIT && seen.insert(a) {
                found.push(a);
            }
        }
        let mut at = 0;
        while at < found.len() {
            for edge in self.edges(found[at]) {
                if edge.child > UNIT && seen.insert(edge.child) {
                    found.push(edge.child);
                }
            }
            at += 1;
        }
        found
    }

    /// The least tuple sum of the set among tuples that are at least `least` in every coordinate, and a tuple with it.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn nearest(&mut self, a: Set, least: &[u32]) -> Result<Option<Vec<u32>>, OverBudget> {
        // For each node the least sum below it, and the number chosen here.
        let mut best: FxHashMap<Set, Option<(u64, u32)>> = FxHashMap::default();
        let mut claim = self.claim(0)?;
        let order = self.reachable(&[a]);
        let mut layer_of: FxHashMap<Set, usize> = FxHashMap::default();
        claim.grow_to(80 * order.len() as u64, super::store::WHAT)?;
        layer_of.insert(a, 0);
        for &set in &order {
            let layer = layer_of[&set];
            for edge in self.edges(set).iter().filter(|e| e.child > UNIT) {
                layer_of.insert(edge.child, layer + 1);
            }
        }
        for &set in order.iter().rev() {
            self.poll()?;
            let least = least[layer_of[&set]];
            let mut found: Option<(u64, u32)> = None;
            for pair in self.edges(set).windows(2) {
                let x = pair[0].start.max(least);
                if x >= pair[1].start {
                    continue;
                }
                let below = match pair[0].child {
                    EMPTY => None,
                    UNIT => Some(0),
                    child => best[&child].map(|(sum, _)| sum),
                };
                if let Some(sum) = below.map(|sum| sum + u64::from(x))
                    && found.is_none_or(|(known, _)| sum < known)
                {
                    found = Some((sum, x));
                }
            }
            best.insert(set, found);
        }
        let (mut at, mut tuple) = (a, Vec::with_capacity(self.layers()));
        while at > UNIT {
            let Some((_, x)) = best[&at] else { return Ok(None) };
            tuple.push(x);
            let edges = self.edges(at);
            at = edges[edges.partition_point(|e| e.start <= x) - 1].child;
        }
        Ok((at == UNIT).then_some(tuple))
    }

    /// The set as a graph for Graphviz: a row of boxes per layer, an arrow per interval.
    #[must_use]
    pub fn dot(&self, a: Set, layer_names: &[String]) -> String {
        let mut graph = Graph::new("set");
        graph.add("rankdir=TB; node [shape=box, fontname=\"sans-serif\"];");
        let order = self.reachable(&[a]);
        let number: FxHashMap<Set, usize> = order.iter().enumerate().map(|(i, &set)| (set, i)).collect();
        let mut layer_of = vec![0; order.len()];
        for (i, &set) in order.iter().enumerate() {
            let name = layer_names.get(layer_of[i]).map_or("", String::as_str);
            graph.node(format_args!("n{i}"), &[("label", Text(name))]);
            for pair in self.edges(set).windows(2).filter(|pair| pair[0].child != EMPTY) {
                let (low, high) = (pair[0].start, pair[1].start - 1);
                let label = if low == high { low.to_string() } else { format!("{low}..{high}") };
                let label = [("label", Text(&label))];
                match number.get(&pair[0].child) {
                    Some(&child) => {
                        layer_of[child] = layer_of[i] + 1;
                        graph.edge(format_args!("n{i}"), format_args!("n{child}"), &label);
                    }
                    None => graph.edge(format_args!("n{i}"), "end", &label),
                }
            }
        }
        if a == EMPTY {
            graph.node("empty", &[("label", Text("no tuple")), ("shape", Word("plaintext"))]);
        } else {
            graph.node("end", &[("label", Text("")), ("shape", Word("point"))]);
        }
        graph.finish()
    }
}
