//! Linear formulas that ask for no more than a branching one.
//!
//! That some run satisfies `F p`, `p U (q && G r)` or `G (p || q)` is what `EF p`, `E[p U (q && EG r)]` and `EG (p || q)` say at the
//! empty cut, so the engines of sets of cuts can find it out. The formulas of which this is true by putting an `E` before each
//! operator are the duals of Maidl's deterministic ones (The Common Fragment of CTL and LTL, FOCS 2000): where a run has to
//! choose between going on and arriving, the state decides. In negation normal form, with `s` for a formula without temporal
//! operators:
//!
//! > f = s | f || f | s && f | X f | WX f | s U f | f R s
//!
//! Conjuncts `G s` are kept beside one more temporal one: `G s && f` asks for f on a path of cuts at which s holds.
//!
//! Runs are finite and all end in the same cut, so more is settled by what holds there: `G F f` and `F G f` are f at the last position,
//! `F f` is true if f holds there, and `G f` false if it does not.

use posetta_logic::{AtomId, Ctl, CtlBinary, CtlUnary, Path};

use super::normal::{Node, NodeId, Normal};

/// A formula that becomes larger, because its parts are not shared, is left alone.
const MOST: usize = 4096;

impl Normal {
    /// A formula of CTL that is true at a cut if and only if a run from there on satisfies the subformula; made of `E` only, so that a
    /// path that proves it is the beginning of such a run. `at_the_end` says whether an atom holds at the last position of every run;
    /// `None` for an atom that is not about the state, which is answered with `None`.
    pub fn on_some_path(&self, root: NodeId, at_the_end: &dyn Fn(AtomId) -> Option<bool>) -> Option<Ctl<AtomId>> {
        let ends = self.at_the_last_position(at_the_end);
        let mut translation = Translation { normal: self, ends, size: 0 };
        translation.some(root, None)
    }

    /// By subformula: its truth at the last position of every run, if that does not depend on the run.
    fn at_the_last_position(&self, at_the_end: &dyn Fn(AtomId) -> Option<bool>) -> Vec<Option<bool>> {
        let mut truth: Vec<Option<bool>> = Vec::with_capacity(self.len());
        for (_, node) in self.nodes() {
            let of = |p: &NodeId| truth[p.place()];
            let all_of = |parts: &[NodeId], neutral: bool| {
                let decided = parts.iter().any(|p| of(p) == Some(!neutral));
                let open = parts.iter().any(|p| of(p).is_none());
                if decided { Some(!neutral) } else { (!open).then_some(neutral) }
            };
            truth.push(match node {
                Node::True => Some(true),
                Node::False => Some(false),
                Node::Literal(atom, positive) => at_the_end(*atom).map(|truth| truth == *positive),
                Node::And(parts) => all_of(parts, true),
                Node::Or(parts) => all_of(parts, false),
                Node::Next(strong, _) => Some(!strong),
                Node::Until(_, goal) | Node::Release(_, goal) => of(goal),
                // These look back, where runs differ.
                Node::Previous(..) | Node::Since(..) | Node::Trigger(..) => None,
            });
        }
        truth
    }
}

struct Translation<'n> {
    normal: &'n Normal,
    /// By subformula: its truth at the last position.
    ends: Vec<Option<bool>>,
    size: usize,
}

impl Translation<'_> {
    /// A run from here on satisfies the subformula, and what is `kept` at each of its positions.
    fn some(&mut self, id: NodeId, kept: Option<&Ctl<AtomId>>) -> Option<Ctl<AtomId>> {
        self.grow()?;
        if let Some(truth) = self.settled(id) {
            return Some(match (truth, kept) {
                (false, _) => Ctl::False,
                (true, None) => Ctl::True,
                (true, Some(kept)) => some_globally(kept.clone()),
            });
        }
        if let Some(state) = self.state(id) {
            return Some(match kept {
                None => state,
                Some(kept) => all([state, some_globally(kept.clone())]),
            });
        }
        match self.normal.node(id).clone() {
            Node::Or(parts) => Some(any(parts.iter().map(|&p| self.some(p, kept)).collect::<Option<Vec<_>>>()?)),
            Node::And(parts) => self.conjunction(&parts, kept),
            Node::Next(strong, f) => {
                let next = Ctl::Unary(Path::Some, CtlUnary::Next, Box::new(self.some(f, kept)?));
                let last = || Ctl::Not(Box::new(Ctl::Unary(Path::Some, CtlUnary::Next, Box::new(Ctl::True))));
                let next = if strong { next } else { any([next, last()]) };
                Some(all(kept.cloned().into_iter().chain([next])))
            }
            Node::Until(along, goal) => {
                let along = self.state(along)?;
                let goal = self.some(goal, kept)?;
                Some(some_until(all(kept.cloned().into_iter().chain([along])), goal))
            }
            // `f R s` is s as long as f has not come, and then together with it; that is, `s W (s && f)`.
            Node::Release(goal, along) => {
                let along = self.state(along)?;
                let on_the_way = all(kept.cloned().into_iter().chain([along.clone()]));
                let forever = some_globally(on_the_way.clone());
                let goal = match self.settled(goal) {
                    Some(false) => return Some(forever),
                    _ => self.some(goal, kept)?,
                };
                Some(any([forever, some_until(on_the_way, all([along, goal]))]))
            }
            Node::True | Node::False | Node::Literal(..) | Node::Previous(..) | Node::Since(..) | Node::Trigger(..) => {
                None
            }
        }
    }

    /// States, what always holds, and one more.
    fn conjunction(&mut self, parts: &[NodeId], kept: Option<&Ctl<AtomId>>) -> Option<Ctl<AtomId>> {
        let (mut states, mut always, mut other) = (Vec::new(), Vec::new(), None);
        for &part in parts {
            match (self.settled(part), self.normal.node(part)) {
                (Some(true), _) => {}
                (Some(false), _) => return Some(Ctl::False),
                (None, &Node::Release(goal, along)) if self.settled(goal) == Some(false) && self.is_state(along) => {
                    always.push(self.state(along)?);
                }
                (None, _) => match self.state(part) {
                    Some(state) => states.push(state),
                    None if other.is_none() => other = Some(part),
                    None => return None,
                },
            }
        }
        let always = match (always.is_empty(), kept) {
            (true, kept) => kept.cloned(),
            (false, kept) => Some(all(kept.cloned().into_iter().chain(always))),
        };
        let rest = match (other, &always) {
            (Some(other), _) => self.some(other, always.as_ref())?,
            (None, Some(always)) => some_globally(always.clone()),
            (None, None) => Ctl::True,
        };
        Some(all(states.into_iter().chain([rest])))
    }

    /// The truth of a subformula, if every position of every run has the same.
    fn settled(&self, id: NodeId) -> Option<bool> {
        let end = |id: NodeId| self.ends[id.place()];
        match *self.normal.node(id) {
            Node::True => Some(true),
            Node::False => Some(false),
            Node::Until(along, goal) if *self.normal.node(along) == Node::True => match self.normal.node(goal) {
                // `F G f`
                &Node::Release(none, f) if *self.normal.node(none) == Node::False => end(f),
                _ => end(goal).filter(|&truth| truth),
            },
            Node::Release(none, goal) if *self.normal.node(none) == Node::False => match self.normal.node(goal) {
                // `G F f`
                &Node::Until(along, f) if *self.normal.node(along) == Node::True => end(f),
                _ => end(goal).filter(|&truth| !truth),
            },
            _ => None,
        }
    }

    fn is_state(&self, id: NodeId) -> bool {
        match self.normal.node(id) {
            Node::True | Node::False | Node::Literal(..) => true,
            Node::And(parts) | Node::Or(parts) => parts.iter().all(|&p| self.is_state(p)),
            _ => self.settled(id).is_some(),
        }
    }

    /// A subformula without temporal operators, but for those that are settled.
    fn state(&mut self, id: NodeId) -> Option<Ctl<AtomId>> {
        self.grow()?;
        if let Some(truth) = self.settled(id) {
            return Some(if truth { Ctl::True } else { Ctl::False });
        }
        match self.normal.node(id).clone() {
            Node::Literal(atom, positive) => {
                let atom = Ctl::Atom(atom);
                Some(if positive { atom } else { Ctl::Not(Box::new(atom)) })
            }
            Node::And(parts) => Some(all(parts.iter().map(|&p| self.state(p)).collect::<Option<Vec<_>>>()?)),
            Node::Or(parts) => Some(any(parts.iter().map(|&p| self.state(p)).collect::<Option<Vec<_>>>()?)),
            _ => None,
        }
    }

    fn grow(&mut self) -> Option<()> {
        self.size += 1;
        (self.size <= MOST).then_some(())
    }
}

fn some_globally(f: Ctl<AtomId>) -> Ctl<AtomId> {
    Ctl::Unary(Path::Some, CtlUnary::Globally, Box::new(f))
}

fn some_until(along: Ctl<AtomId>, goal: Ctl<AtomId>) -> Ctl<AtomId> {
    match along {
        Ctl::True => Ctl::Unary(Path::Some, CtlUnary::Finally, Box::new(goal)),
        along => Ctl::Binary(Path::Some, CtlBinary::Until, Box::new(along), Box::new(goal)),
    }
}

/// A conjunction without constants.
fn all(parts: impl IntoIterator<Item = Ctl<AtomId>>) -> Ctl<AtomId> {
    let mut rest = Vec::new();
    for part in parts {
        match part {
            Ctl::True => {}
            Ctl::False => return Ctl::False,
            part => rest.push(part),
        }
    }
    match rest.len() {
        0 => Ctl::True,
        1 => rest.remove(0),
        _ => Ctl::And(rest),
    }
}

/// A disjunction without constants.
fn any(parts: impl IntoIterator<Item = Ctl<AtomId>>) -> Ctl<AtomId> {
    let mut rest = Vec::new();
    for part in parts {
        match part {
            Ctl::False => {}
            Ctl::True => return Ctl::True,
            part => rest.push(part),
        }
    }
    match rest.len() {
        0 => Ctl::False,
        1 => rest.remove(0),
        _ => Ctl::Or(rest),
    }
}
