//! A formula as a union of simpler ones.
//!
//! Words that satisfy a disjunction satisfy one of its parts, so each part can be searched by itself, with only the events
//! that matter to it. Disjunctions are pulled to the top through what they commute with on finite words, the empty one
//! included: `f U (g || h)` is `f U g || f U h`, `X (g || h)` is `X g || X h`, `a && (g || h)` is `a && g || a && h`.

use super::normal::{Node, NodeId, Normal};
use posetta_logic::AtomId;

/// A formula with more parts is left whole from there on: distributing is exponential.
const MOST: usize = 64;

/// One part of a union.
#[derive(Clone, Debug)]
pub struct Part {
    /// A subformula of the formula that was split.
    pub root: NodeId,
    /// The atoms in it, ascending.
    pub atoms: Vec<AtomId>,
    /// Whether it has `X`, `WX` or `Y`.
    pub next: bool,
}

impl Normal {
    /// Formulas whose disjunction is this one; at least one.
    pub fn split(&mut self) -> Vec<Part> {
        let mut parts: Vec<NodeId> = vec![self.root()];
        let mut at = 0;
        while at < parts.len() {
            match self.alternatives(parts[at]) {
                Some(more) if parts.len() + more.len() <= MOST => {
                    parts.splice(at..=at, more);
                }
                _ => at += 1,
            }
        }
        parts.sort_unstable();
        parts.dedup();
        parts.into_iter().map(|root| self.part(root)).collect()
    }

    /// This table of subformulas, for the disjunction of some of them. What was pulled apart is put together again:
    /// `f U g || f U h` would be two states where `f U (g || h)` is one.
    #[must_use]
    pub fn any_of(mut self, roots: &[NodeId]) -> Self {
        let mut parts: Vec<NodeId> = Vec::new();
        let mut goals: Vec<(NodeId, Vec<NodeId>)> = Vec::new();
        for &root in roots {
            match *self.node(root) {
                Node::Until(f, g) => match goals.iter_mut().find(|(known, _)| *known == f) {
                    Some((_, goals)) => goals.push(g),
                    None => goals.push((f, vec![g])),
                },
                _ => parts.push(root),
            }
        }
        for (f, goals) in goals {
            let goal = self.junction(false, goals);
            parts.push(self.add(Node::Until(f, goal)));
        }
        let root = self.junction(false, parts);
        self.set_root(root);
        self
    }

    /// The parts of a disjunction, or what becomes one when it is pulled up by one operator.
    fn alternatives(&mut self, id: NodeId) -> Option<Vec<NodeId>> {
        match self.node(id).clone() {
            Node::Or(parts) => Some(parts.to_vec()),
            Node::Until(f, g) => Some(self.alternatives(g)?.into_iter().map(|g| self.add(Node::Until(f, g))).collect()),
            Node::Next(strong, g) => {
                Some(self.alternatives(g)?.into_iter().map(|g| self.add(Node::Next(strong, g))).collect())
            }
            Node::And(parts) => {
                let (at, inner) =
                    parts.iter().enumerate().find_map(|(i, &p)| self.alternatives(p).map(|inner| (i, inner)))?;
                let with =
                    |g: NodeId| parts.iter().enumerate().map(move |(i, &p)| if i == at { g } else { p }).collect();
                let all: Vec<Vec<NodeId>> = inner.into_iter().map(with).collect();
                Some(all.into_iter().map(|parts| self.junction(true, parts)).collect())
            }
            _ => None,
        }
    }

    fn part(&self, root: NodeId) -> Part {
        let mut part = Part { root, atoms: Vec::new(), next: false };
        let mut wanted = vec![false; self.len()];
        wanted[root.0 as usize] = true;
        // Operands come first, so one pass from the end meets everything after what it is part of.
        for id in (0..self.len()).rev().filter(|&id| id <= root.0 as usize) {
            if !wanted[id] {
                continue;
            }
            let mut want = |operand: &NodeId| wanted[operand.0 as usize] = true;
            match self.node(NodeId(id as u32)) {
                Node::True | Node::False => {}
                Node::Literal(atom, _) => part.atoms.push(*atom),
                Node::And(parts) | Node::Or(parts) => parts.iter().for_each(want),
                Node::Next(_, f) | Node::Previous(_, f) => {
                    part.next = true;
                    want(f);
                }
                Node::Until(f, g) | Node::Release(f, g) | Node::Since(f, g) | Node::Trigger(f, g) => {
                    want(f);
                    want(g);
                }
            }
        }
        part.atoms.sort_unstable();
        part.atoms.dedup();
        part
    }
}

#[cfg(test)]
mod tests {
    use crate::Normal;
    use posetta_base::Budget;
    use posetta_logic::{Letters, View, parse_ltl};

    fn parts(text: &str) -> usize {
        let formula = parse_ltl(text).unwrap();
        let (formula, _) = Letters::new(&formula, View::States, &Budget::unlimited()).unwrap();
        Normal::new(&formula, true).split().len()
    }

    #[test]
    fn conjunctions_are_refuted_part_by_part() {
        for (text, expected) in [
            ("G a", 1),
            ("G a && G b", 2),
            ("G (a && b && c)", 3),
            ("G (a -> b && c)", 2),
            ("G (a -> X (b && c))", 2),
            ("G (a || b)", 1),
            ("F a", 1),
            ("F a && F b", 2),
            ("G (a -> (b U c) && H d)", 2),
        ] {
            assert_eq!(parts(text), expected, "{text}");
        }
    }

    #[test]
    fn splitting_has_an_end() {
        let wide: Vec<String> = (0..12).map(|i| format!("(a{i} && b{i})")).collect();
        let text = wide.join(" || ");
        let mut normal = Normal::new(&parse_ltl(&text).unwrap().map_atoms(&mut |_| posetta_logic::AtomId(0)), true);
        assert!(normal.split().len() <= super::MOST);
        let names: Vec<String> = (0..12).map(|i| format!("(a{i} == 1 && b{i} == 1)")).collect();
        let mut next = 0;
        let formula = parse_ltl(&names.join(" || ")).unwrap().map_atoms(&mut |_| {
            next += 1;
            posetta_logic::AtomId(next)
        });
        assert!(Normal::new(&formula, true).split().len() <= super::MOST);
    }
}
