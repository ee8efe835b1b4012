//! A formula as a union of simpler ones.
//!
//! Words that satisfy a disjunction satisfy one of its parts, so each part can be searched by itself, with only the events
//! that matter to it. Disjunctions are pulled to the top through what they commute with on finite words, the empty one
//! included: `f U (g || h)` is `f U g || f U h`, `X (g || h)` is `X g || X h`, `a && (g || h)` is `a && g || a && h`, and `S` and `Y` are
//! like `U` and `X`.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::normal::{Node, NodeId, Normal};
use posetta_logic::AtomId;

/// A formula with more parts is not distributed any further: `(a || b) && (c || d) && …` has exponentially many.
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
        // Taking a disjunction apart gives as many parts as it has, unless it is shared; only distributing a conjunction multiplies
        // them.
        let most = self.len().max(MOST);
        let (mut open, mut parts) = (vec![self.root()], Vec::new());
        while let Some(part) = open.pop() {
            let count = open.len() + parts.len();
            let more = if count < most { self.alternatives(part, count < MOST) } else { None };
            match more {
                Some(more) => open.extend(more.into_iter().rev()),
                None => parts.push(part),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        parts.into_iter().map(|root| self.part(root)).collect()
    }

    /// Some of the subformulas, with a table of what they are made of and nothing else.
    #[must_use]
    fn only(&self, roots: &[NodeId]) -> (Self, Vec<NodeId>) {
        let mut needed: Vec<NodeId> = roots.to_vec();
        let mut places: FxHashMap<NodeId, NodeId> = FxHashMap::default();
        let mut at = 0;
        while at < needed.len() {
            let id = needed[at];
            if places.insert(id, id).is_none() {
                needed.extend(self.node(id).operands());
            }
            at += 1;
        }
        needed.sort_unstable();
        needed.dedup();
        let mut table = Self::empty();
        for id in needed {
            let node = self.node(id).with_operands(|operand| places[&operand]);
            let place = table.add(node);
            places.insert(id, place);
        }
        (table, roots.iter().map(|root| places[root]).collect())
    }

    /// The disjunction of some of the subformulas. What was pulled apart is put together again: `f U g || f U h` would be two states
    /// where `f U (g || h)` is one.
    #[must_use]
    pub fn any_of(&self, roots: &[NodeId]) -> Self {
        let (mut table, roots) = self.only(roots);
        let mut parts: Vec<NodeId> = Vec::new();
        let mut goals: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
        for root in roots {
            match *table.node(root) {
                Node::Until(f, g) => goals.entry(f).or_default().push(g),
                _ => parts.push(root),
            }
        }
        for (f, goals) in goals {
            let goal = table.junction(false, goals);
            parts.push(table.add(Node::Until(f, goal)));
        }
        let root = table.junction(false, parts);
        table.set_root(root);
        table
    }

    /// The parts of a disjunction, or what becomes one when it is pulled up by one operator; out of a conjunction only if that is to
    /// be distributed.
    fn alternatives(&mut self, id: NodeId, distribute: bool) -> Option<Vec<NodeId>> {
        match self.node(id).clone() {
            Node::Or(parts) => Some(parts.to_vec()),
            Node::Until(f, g) => {
                let inner = self.alternatives(g, distribute)?;
                Some(inner.into_iter().map(|g| self.add(Node::Until(f, g))).collect())
            }
            Node::Next(strong, g) => {
                let inner = self.alternatives(g, distribute)?;
                Some(inner.into_iter().map(|g| self.add(Node::Next(strong, g))).collect())
            }
            Node::Since(f, g) => {
                let inner = self.alternatives(g, distribute)?;
                Some(inner.into_iter().map(|g| self.add(Node::Since(f, g))).collect())
            }
            Node::Previous(strong, g) => {
                let inner = self.alternatives(g, distribute)?;
                Some(inner.into_iter().map(|g| self.add(Node::Previous(strong, g))).collect())
            }
            Node::And(parts) => {
                let several = |normal: &Self, p: &NodeId| normal.has_alternatives(*p);
                // One disjunction among the conjuncts gives as many parts as it has.
                if !distribute && parts.iter().filter(|p| several(self, p)).count() > 1 {
                    return None;
                }
                let at = parts.iter().position(|p| several(self, p))?;
                let inner = self.alternatives(parts[at], distribute)?;
                let with =
                    |g: NodeId| parts.iter().enumerate().map(move |(i, &p)| if i == at { g } else { p }).collect();
                let all: Vec<Vec<NodeId>> = inner.into_iter().map(with).collect();
                Some(all.into_iter().map(|parts| self.junction(true, parts)).collect())
            }
            _ => None,
        }
    }

    /// Whether [`Self::alternatives`] may find some.
    fn has_alternatives(&self, id: NodeId) -> bool {
        match self.node(id) {
            Node::Or(_) => true,
            Node::Until(_, g) | Node::Next(_, g) | Node::Since(_, g) | Node::Previous(_, g) => {
                self.has_alternatives(*g)
            }
            Node::And(parts) => parts.iter().any(|&p| self.has_alternatives(p)),
            _ => false,
        }
    }

    fn part(&self, root: NodeId) -> Part {
        let mut part = Part { root, atoms: Vec::new(), next: false };
        let (mut seen, mut open) = (FxHashSet::default(), vec![root]);
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.node(id) {
                Node::Literal(atom, _) => part.atoms.push(*atom),
                Node::Next(..) | Node::Previous(..) => part.next = true,
                _ => {}
            }
            open.extend(self.node(id).operands());
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
            ("G (a -> H (b && c))", 2),
            ("G (a -> Y (b && c))", 2),
        ] {
            assert_eq!(parts(text), expected, "{text}");
        }
    }

    #[test]
    fn splitting_has_an_end() {
        let wide: Vec<String> = (0..12).map(|i| format!("(a{i} && b{i})")).collect();
        let text = wide.join(" || ");
        let mut normal = Normal::new(&parse_ltl(&text).unwrap().map_atoms(&mut |_| posetta_logic::AtomId(0)), true);
        assert!(normal.split().len() <= 2 * super::MOST);
        let names: Vec<String> = (0..12).map(|i| format!("(a{i} == 1 && b{i} == 1)")).collect();
        let mut next = 0;
        let formula = parse_ltl(&names.join(" || ")).unwrap().map_atoms(&mut |_| {
            next += 1;
            posetta_logic::AtomId(next)
        });
        assert!(Normal::new(&formula, true).split().len() <= 2 * super::MOST);
    }

    /// The same with every atom by itself: what letters there are does not matter.
    fn many_parts(text: &str) -> usize {
        let mut next = 0;
        let formula = parse_ltl(text).unwrap().map_atoms(&mut |_| {
            next += 1;
            posetta_logic::AtomId(next)
        });
        Normal::new(&formula, true).split().len()
    }

    #[test]
    fn any_number_of_conjuncts_is_taken_apart() {
        for (one, count) in [("G (a# -> F b#)", 63), ("G (a# -> F b#)", 64), ("G (a# -> F b#)", 1000), ("F a#", 500)] {
            let all: Vec<String> = (0..count).map(|i| one.replace('#', &i.to_string())).collect();
            assert_eq!(many_parts(&all.join(" && ")), count, "{one}");
        }
        let all: Vec<String> = (0..300).map(|i| format!("(a{i} -> F b{i})")).collect();
        assert_eq!(many_parts(&format!("G ({})", all.join(" && "))), 300);
    }

    #[test]
    fn what_is_shared_is_not_taken_apart_for_ever() {
        let mut text = "a".to_owned();
        (0..20).for_each(|i| text = format!("(a{i} <-> {text})"));
        assert!(many_parts(&format!("G {text}")) < 1000);
    }
}
