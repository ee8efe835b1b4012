//! Past operators, where the future says the same.
//!
//! A run is asked about at its first position, so what a formula says of the past lies between that position and the one where it is said,
//! and the way there can say it: `F (f && H s)` is `s U (s && f)`, `F (f && O q)` is `F (q && F f)`. This is the separation of past and future
//! (Gabbay 1989) for past operators whose operands have no past in them; what is nested deeper stays as it is.
//!
//! At any position, with `w` for `p || q`:
//!
//! - `p S q` says that q was at some position, and w from there to here.
//! - `u U (f && H s)` is `H s && (u && s) U (s && f)`.
//! - `u U (f && p S q)` is `p S q && (u && w) U (w && f)`, or `u U (q && (u && w) U (w && f))`.
//! - `X (f && H s)` is `H s && X (s && f)`, and `X (f && p S q)` is `p S q && X (p && f)`, or `X (q && f)`.
//! - `G (f || O q)` is `O q`, or `q R (f || q)`; `G (f || H s)` is `G f`, or `H s` with `G s || s U G f`.
//!
//! So what is said of the past moves outwards to the first position, where `H s` is s, and `p S q` is q.

use super::normal::{Node, NodeId, Normal};

/// A formula that falls into more alternatives is left alone.
const MOST: usize = 16;

/// One alternative: what was always, what has been since, and what does not speak of the past.
#[derive(Clone)]
struct Alternative {
    /// `H` of each.
    always: Vec<NodeId>,
    /// `p S q`
    since: Option<(NodeId, NodeId)>,
    future: NodeId,
}

impl Normal {
    /// The same language, with as little past as possible. Each disjunct of the formula is looked at by itself.
    #[must_use]
    pub fn forward(mut self) -> Self {
        let disjuncts = match self.node(self.root()) {
            Node::Or(parts) => parts.to_vec(),
            _ => vec![self.root()],
        };
        let on_empty = self.on_empty();
        let mut rewriting = Rewriting { has_past: Vec::new(), normal: &mut self };
        if disjuncts.iter().all(|&part| !rewriting.has_past(part)) {
            return self;
        }
        let rewritten = disjuncts.into_iter().map(|part| rewriting.at_the_start(part).unwrap_or(part)).collect();
        let before = self.root();
        let root = self.junction(false, rewritten);
        self.set_root(root);
        // The empty word has no first position.
        if self.on_empty() != on_empty {
            self.set_root(before);
        }
        let root = self.root();
        self.any_of(&[root])
    }
}

struct Rewriting<'n> {
    normal: &'n mut Normal,
    /// By subformula, as far as they were looked at.
    has_past: Vec<bool>,
}

impl Rewriting<'_> {
    fn has_past(&mut self, id: NodeId) -> bool {
        let known = self.has_past.len();
        for (_, node) in self.normal.nodes().skip(known) {
            let is_past = matches!(node, Node::Previous(..) | Node::Since(..) | Node::Trigger(..));
            let inner = node.operands().iter().any(|operand| self.has_past[operand.place()]);
            self.has_past.push(is_past || inner);
        }
        self.has_past[id.place()]
    }

    /// The same at the first position, without past; `None` if that does not succeed.
    fn at_the_start(&mut self, id: NodeId) -> Option<NodeId> {
        let mut parts = Vec::new();
        for Alternative { always, since, future } in self.alternatives(id)? {
            let now = always.into_iter().chain(since.map(|(_, q)| q)).chain([future]);
            parts.push(self.normal.junction(true, now.collect()));
        }
        Some(self.normal.junction(false, parts))
    }

    /// Alternatives of which one holds where a subformula does.
    fn alternatives(&mut self, id: NodeId) -> Option<Vec<Alternative>> {
        if !self.has_past(id) {
            return Some(vec![Alternative { always: Vec::new(), since: None, future: id }]);
        }
        let alternatives = match self.normal.node(id).clone() {
            Node::True | Node::False | Node::Literal(..) | Node::Previous(..) => return None,
            Node::Or(parts) => {
                let each: Option<Vec<_>> = parts.iter().map(|&part| self.alternatives(part)).collect();
                each?.concat()
            }
            Node::And(parts) => self.conjunction(&parts)?,
            Node::Since(p, q) => {
                let future = self.normal.constant(true);
                self.without_past([p, q])?;
                vec![Alternative { always: Vec::new(), since: Some((p, q)), future }]
            }
            // `q S (p && q)`, or `H q`.
            Node::Trigger(p, q) => {
                let future = self.normal.constant(true);
                self.without_past([p, q])?;
                let mut both = vec![Alternative { always: vec![q], since: None, future }];
                if *self.normal.node(p) != Node::False {
                    let p = self.normal.junction(true, vec![p, q]);
                    both.push(Alternative { always: Vec::new(), since: Some((q, p)), future });
                }
                both
            }
            Node::Until(along, goal) => {
                self.without_past([along])?;
                let mut all = Vec::new();
                for goal in self.alternatives(goal)? {
                    all.extend(self.until(along, goal));
                }
                all
            }
            Node::Next(strong, f) => {
                let mut all = Vec::new();
                for f in self.alternatives(f)? {
                    all.extend(self.next(f));
                }
                if !strong {
                    let never = self.normal.constant(false);
                    let future = self.normal.add(Node::Next(false, never));
                    all.push(Alternative { always: Vec::new(), since: None, future });
                }
                all
            }
            Node::Release(goal, along) if self.has_past(along) => self.always(goal, along)?,
            // `G s`, or `s U (s && f)`.
            Node::Release(goal, along) => {
                let forever = self.globally(along);
                let goal = self.normal.junction(true, vec![along, goal]);
                let until = self.normal.add(Node::Until(along, goal));
                let mut all = self.alternatives(until)?;
                all.push(Alternative { always: Vec::new(), since: None, future: forever });
                all
            }
        };
        (alternatives.len() <= MOST).then_some(alternatives)
    }

    fn without_past<const N: usize>(&mut self, ids: [NodeId; N]) -> Option<()> {
        ids.into_iter().all(|id| !self.has_past(id)).then_some(())
    }

    /// All of them; at most one says what has been since.
    fn conjunction(&mut self, parts: &[NodeId]) -> Option<Vec<Alternative>> {
        let future = self.normal.constant(true);
        let mut all = vec![Alternative { always: Vec::new(), since: None, future }];
        for &part in parts {
            let more = self.alternatives(part)?;
            if all.len() * more.len() > MOST {
                return None;
            }
            let mut both = Vec::new();
            for one in &all {
                for other in &more {
                    let since = match (one.since, other.since) {
                        (Some(_), Some(_)) => return None,
                        (one, other) => one.or(other),
                    };
                    let future = self.normal.junction(true, vec![one.future, other.future]);
                    let always = one.always.iter().chain(&other.always).copied().collect();
                    both.push(Alternative { always, since, future });
                }
            }
            all = both;
        }
        Some(all)
    }

    fn globally(&mut self, f: NodeId) -> NodeId {
        let never = self.normal.constant(false);
        self.normal.add(Node::Release(never, f))
    }

    /// `along U goal`, and everything of `with` on the way and at its end.
    fn until_with(&mut self, along: NodeId, goal: NodeId, with: &[NodeId]) -> NodeId {
        let with_all = |id: NodeId| with.iter().copied().chain([id]).collect();
        let along = self.normal.junction(true, with_all(along));
        let goal = self.normal.junction(true, with_all(goal));
        self.normal.add(Node::Until(along, goal))
    }

    fn until(&mut self, along: NodeId, goal: Alternative) -> Vec<Alternative> {
        let Alternative { always, since, future } = goal;
        let Some((p, q)) = since else {
            let future = self.until_with(along, future, &always);
            return vec![Alternative { always, since: None, future }];
        };
        let either = self.normal.junction(false, vec![p, q]);
        let all: Vec<NodeId> = always.iter().copied().chain([either]).collect();
        let rest = self.until_with(along, future, &all);
        let begins = self.normal.junction(true, vec![q, rest]);
        let later = self.until_with(along, begins, &always);
        vec![
            Alternative { always: always.clone(), since, future: rest },
            Alternative { always, since: None, future: later },
        ]
    }

    fn next(&mut self, f: Alternative) -> Vec<Alternative> {
        let Alternative { always, since, future } = f;
        let mut next = |with: Option<NodeId>, since: Option<(NodeId, NodeId)>| {
            let there = self.normal.junction(true, always.iter().copied().chain(with).chain([future]).collect());
            Alternative { always: always.clone(), since, future: self.normal.add(Node::Next(true, there)) }
        };
        match since {
            None => vec![next(None, None)],
            Some((p, q)) => vec![next(Some(p), since), next(Some(q), None)],
        }
    }

    /// `G (f || O q)` and `G (f || H s)`.
    fn always(&mut self, goal: NodeId, along: NodeId) -> Option<Vec<Alternative>> {
        if *self.normal.node(goal) != Node::False {
            return None;
        }
        let parts = match self.normal.node(along) {
            Node::Or(parts) => parts.to_vec(),
            _ => vec![along],
        };
        let (past, rest): (Vec<NodeId>, Vec<NodeId>) = parts.into_iter().partition(|&part| self.has_past(part));
        let f = self.normal.junction(false, rest);
        let [past] = past[..] else { return None };
        let always = self.normal.constant(true);
        match *self.normal.node(past) {
            Node::Since(p, q) if *self.normal.node(p) == Node::True => {
                self.without_past([q])?;
                let either = self.normal.junction(false, vec![f, q]);
                let future = self.normal.add(Node::Release(q, either));
                Some(vec![
                    Alternative { always: Vec::new(), since: Some((p, q)), future: always },
                    Alternative { always: Vec::new(), since: None, future },
                ])
            }
            Node::Trigger(p, s) if *self.normal.node(p) == Node::False => {
                self.without_past([s])?;
                let then = self.globally(f);
                let (forever, until) = (self.globally(s), self.normal.add(Node::Until(s, then)));
                let future = self.normal.junction(false, vec![forever, until]);
                Some(vec![
                    Alternative { always: Vec::new(), since: None, future: then },
                    Alternative { always: vec![s], since: None, future },
                ])
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::normal::Node;
    use crate::{Automaton, Normal, Obligations};
    use posetta_automata::StateId;
    use posetta_base::Budget;
    use posetta_logic::{AtomId, Ltl, parse_ltl};

    fn formula(text: &str) -> Ltl<AtomId> {
        parse_ltl(text).unwrap().map_atoms(&mut |atom| AtomId("abc".find(&atom.to_string()).unwrap() as u32))
    }

    fn accepts(normal: &Normal, word: &[usize]) -> bool {
        let budget = Budget::unlimited();
        let mut automaton = Obligations::new(normal.clone());
        let mut states: Vec<StateId> = vec![automaton.start()];
        for letter in word {
            let letter: Vec<bool> = (0..3).map(|atom| letter & (1 << atom) != 0).collect();
            let step = |&state: &StateId| automaton.step(state, &letter, &budget).unwrap();
            states = states.iter().flat_map(step).collect();
            states.sort_unstable();
            states.dedup();
        }
        states.iter().any(|&state| automaton.accepts(state))
    }

    /// Compares the languages on words of up to three letters; answers whether there is past left.
    fn keeps_past(text: &str, negated: bool) -> bool {
        let before = Normal::new(&formula(text), negated);
        let after = before.clone().forward();
        let mut words: Vec<Vec<usize>> = vec![Vec::new()];
        for length in 0..=3 {
            for word in &words {
                assert_eq!(accepts(&before, word), accepts(&after, word), "{text}, negated: {negated}, on {word:?}");
            }
            if length < 3 {
                words = words.iter().flat_map(|word| (0..8).map(|l| [&word[..], &[l]].concat())).collect();
            }
        }
        let is_past = |node: &Node| matches!(node, Node::Previous(..) | Node::Since(..) | Node::Trigger(..));
        after.nodes().any(|(_, node)| is_past(node))
    }

    #[test]
    fn the_future_says_it() {
        for text in [
            "G (a -> O b)",
            "G (a -> H b)",
            "G (a -> b S c)",
            "G (a -> O (b && c))",
            "G (a -> F b || O c)",
            "G (a -> O b) && G (b -> O c)",
            "G (a -> G (b -> O c))",
            "G (a -> X (b -> O c))",
            "G (a -> WX O c)",
            "G (a && H b -> O c)",
            "F (a && O b)",
            "F (a && H b)",
            "F (a && H b && F c)",
            "G (a && O b -> c)",
            "O a",
            "a S b",
            "G (H a)",
            "G (O a)",
        ] {
            assert!(!keeps_past(text, true), "{text}");
        }
    }

    #[test]
    fn the_rest_stays_as_it_is() {
        for text in [
            "G (a -> Y b)",
            "G (a -> O (b && O c))",
            "G (a -> O b && O c) U c",
            "F (a && H b) <-> G (a -> O b)",
            "a W (b && O c)",
            "(a U (b && O c)) U (b && H a)",
        ] {
            keeps_past(text, true);
            keeps_past(text, false);
        }
        assert!(keeps_past("G (a -> Y b)", true));
    }
}
