//! Residuals as text, to be read back into the tables of the same property: words in prefix notation, separated by blanks.

use std::fmt::Write;

use super::clauses::{ClauseId, DnfId, Leaf};
use super::nodes::{Node, NodeId, Store};
use super::seres::{EMPTY, GuardId, NEVER, OPEN, SereId, SereNode};
use posetta_base::{Budget, OverBudget};
use posetta_logic::{AtomId, Guard};

/// Deeper text is refused: whoever restores it has to read from the start again.
const DEEPEST: u32 = 2000;

impl Store {
    /// A residual as text.
    pub(crate) fn write(&self, rest: DnfId, out: &mut String) {
        let clauses = self.clauses_of(rest);
        let _ = write!(out, " {}", clauses.len());
        for &clause in clauses {
            let _ = write!(out, " {}", self.leaves_of(clause).len());
            for leaf in self.leaves_of(clause) {
                out.push_str(if leaf.is_strong() { " s" } else { " w" });
                self.write_node(leaf.node(), out);
            }
        }
    }

    fn write_node(&self, id: NodeId, out: &mut String) {
        let mut nodes = |word: &str, parts: &[NodeId]| {
            out.push(' ');
            out.push_str(word);
            parts.iter().for_each(|&part| self.write_node(part, out));
        };
        match self.node(id) {
            Node::True => nodes("true", &[]),
            Node::False => nodes("false", &[]),
            Node::And(parts) => nodes(&format!("and {}", parts.len()), parts),
            Node::Or(parts) => nodes(&format!("or {}", parts.len()), parts),
            Node::Next(strong, f) => nodes(if *strong { "X!" } else { "X" }, &[*f]),
            Node::Previous(strong, f) => nodes(if *strong { "Y!" } else { "Y" }, &[*f]),
            Node::Until(f, g) => nodes("U", &[*f, *g]),
            Node::Release(f, g) => nodes("R", &[*f, *g]),
            Node::Since(f, g) => nodes("S", &[*f, *g]),
            Node::Trigger(f, g) => nodes("T", &[*f, *g]),
            Node::Letter(guard) => {
                out.push_str(" letter");
                self.write_guard(self.seres.guard(*guard), out);
            }
            Node::Some(r, f) | Node::All(r, f) => {
                out.push_str(if matches!(self.node(id), Node::Some(..)) { " some" } else { " all" });
                self.write_sere(*r, out);
                self.write_node(*f, out);
            }
            Node::Weak(r) | Node::Dead(r) => {
                out.push_str(if matches!(self.node(id), Node::Weak(_)) { " weak" } else { " dead" });
                self.write_sere(*r, out);
            }
            Node::Cut { abort, guard, inner } => {
                out.push_str(if *abort { " abort" } else { " precedes" });
                self.write_guard(self.seres.guard(*guard), out);
                self.write_node(*inner, out);
            }
            Node::Pending { abort, guard, rest } => {
                out.push_str(if *abort { " aborting" } else { " preceding" });
                self.write_guard(self.seres.guard(*guard), out);
                self.write(*rest, out);
            }
            Node::Place { state, bad } => {
                let _ = write!(out, " {} {state}", if *bad { "bad" } else { "good" });
            }
        }
    }

    fn write_guard(&self, guard: &Guard<AtomId>, out: &mut String) {
        let mut guards = |word: &str, parts: &[&Guard<AtomId>]| {
            out.push(' ');
            out.push_str(word);
            parts.iter().for_each(|part| self.write_guard(part, out));
        };
        match guard {
            Guard::True => guards("true", &[]),
            Guard::False => guards("false", &[]),
            Guard::Atom(atom) => guards(&format!("atom {}", atom.0), &[]),
            Guard::Not(g) => guards("not", &[g]),
            Guard::And(gs) => guards(&format!("and {}", gs.len()), &gs.iter().collect::<Vec<_>>()),
            Guard::Or(gs) => guards(&format!("or {}", gs.len()), &gs.iter().collect::<Vec<_>>()),
            Guard::Implies(a, b) => guards("implies", &[a, b]),
            Guard::Iff(a, b) => guards("iff", &[a, b]),
        }
    }

    fn write_sere(&self, mut id: SereId, out: &mut String) {
        // A chain is written as a list: it may be long.
        let mut links = Vec::new();
        while let &SereNode::Concat(head, tail) = self.seres.node(id) {
            links.push(head);
            id = tail;
        }
        if !links.is_empty() {
            let _ = write!(out, " chain {}", links.len());
            links.into_iter().for_each(|link| self.write_sere(link, out));
        }
        let mut seres = |word: &str, parts: &[SereId]| {
            out.push(' ');
            out.push_str(word);
            parts.iter().for_each(|&part| self.write_sere(part, out));
        };
        match self.seres.node(id) {
            SereNode::Never => seres("never", &[]),
            SereNode::Empty => seres("empty", &[]),
            SereNode::Fusion(a, b) => seres("fusion", &[*a, *b]),
            SereNode::Both(a, b) => seres("both", &[*a, *b]),
            SereNode::Or(parts) => seres(&format!("or {}", parts.len()), parts),
            SereNode::Repeat(r, min, max) => {
                let max = max.map_or("inf".to_owned(), |max| max.to_string());
                seres(&format!("repeat {min} {max}"), &[*r]);
            }
            SereNode::Letter(guard) => {
                out.push_str(" letter");
                self.write_guard(self.seres.guard(*guard), out);
            }
            SereNode::Concat(..) => unreachable!("followed to its end"),
        }
    }
}

/// A count, which may be an open one.
fn count(word: &str) -> Option<u64> {
    let most = u64::from(u32::MAX);
    word.parse().ok().filter(|&n: &u64| n <= most || (OPEN..=OPEN + most).contains(&n))
}

/// Reads what [`Store::write`] wrote.
pub(crate) struct ResidualReader<'a> {
    words: std::str::SplitAsciiWhitespace<'a>,
    depth: u32,
    /// Atoms are below this.
    atoms: u32,
}

/// `None`: it was not written here.
type Parsed<T> = Result<Option<T>, OverBudget>;

/// Unwraps, or answers that the text is not one of ours.
macro_rules! read {
    ($value:expr) => {
        match $value {
            Some(value) => value,
            None => return Ok(None),
        }
    };
}

impl<'a> ResidualReader<'a> {
    pub(crate) fn new(text: &'a str, atoms: usize) -> Self {
        Self { words: text.split_ascii_whitespace(), depth: 0, atoms: atoms as u32 }
    }

    pub(crate) fn word(&mut self) -> Option<&'a str> {
        self.words.next()
    }

    pub(crate) fn number(&mut self) -> Option<u32> {
        self.word()?.parse().ok()
    }

    fn deeper(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth < DEEPEST).then_some(())
    }

    pub(crate) fn residual(&mut self, store: &mut Store, budget: &Budget) -> Parsed<DnfId> {
        read!(self.deeper());
        let mut clauses: Vec<ClauseId> = Vec::new();
        for _ in 0..read!(self.number()) {
            let mut leaves: Vec<Leaf> = Vec::new();
            for _ in 0..read!(self.number()) {
                let strong = match read!(self.word()) {
                    "s" => true,
                    "w" => false,
                    _ => return Ok(None),
                };
                leaves.push(Leaf::new(strong, read!(self.node(store, budget)?)));
            }
            clauses.push(store.all_of(leaves, budget)?);
        }
        self.depth -= 1;
        Ok(Some(store.any_of(clauses, budget)?))
    }

    fn node(&mut self, store: &mut Store, budget: &Budget) -> Parsed<NodeId> {
        read!(self.deeper());
        let word = read!(self.word());
        let node = match word {
            "true" => Node::True,
            "false" => Node::False,
            "and" | "or" => {
                let mut parts = Vec::new();
                for _ in 0..read!(self.number()) {
                    parts.push(read!(self.node(store, budget)?));
                }
                self.depth -= 1;
                return Ok(Some(store.junction(word == "and", parts, budget)?));
            }
            "X" | "X!" => Node::Next(word == "X!", read!(self.node(store, budget)?)),
            "Y" | "Y!" => Node::Previous(word == "Y!", read!(self.node(store, budget)?)),
            "U" | "R" | "S" | "T" => {
                let (f, g) = (read!(self.node(store, budget)?), read!(self.node(store, budget)?));
                match word {
                    "U" => Node::Until(f, g),
                    "R" => Node::Release(f, g),
                    "S" => Node::Since(f, g),
                    _ => Node::Trigger(f, g),
                }
            }
            "letter" => Node::Letter(read!(self.guard(store))),
            "some" | "all" => {
                let (r, f) = (read!(self.sere(store, budget)?), read!(self.node(store, budget)?));
                if word == "some" { Node::Some(r, f) } else { Node::All(r, f) }
            }
            "weak" => Node::Weak(read!(self.sere(store, budget)?)),
            "dead" => Node::Dead(read!(self.sere(store, budget)?)),
            "abort" | "precedes" => {
                let guard = read!(self.guard(store));
                Node::Cut { abort: word == "abort", guard, inner: read!(self.node(store, budget)?) }
            }
            "aborting" | "preceding" => {
                let guard = read!(self.guard(store));
                Node::Pending { abort: word == "aborting", guard, rest: read!(self.residual(store, budget)?) }
            }
            "bad" | "good" => {
                let state = read!(self.number());
                let states = store.places.as_ref().map_or(0, |places| places.bad.len());
                read!((usize::try_from(state).is_ok_and(|s| s < states)).then_some(()));
                Node::Place { state, bad: word == "bad" }
            }
            _ => return Ok(None),
        };
        self.depth -= 1;
        Ok(Some(store.add(node, budget)?))
    }

    fn guard(&mut self, store: &mut Store) -> Option<GuardId> {
        let guard = self.guard_tree()?;
        Some(store.seres.add_guard(guard))
    }

    fn guard_tree(&mut self) -> Option<Guard<AtomId>> {
        self.deeper()?;
        let guard = match self.word()? {
            "true" => Guard::True,
            "false" => Guard::False,
            "atom" => Guard::Atom(AtomId(self.number().filter(|&n| n < self.atoms)?)),
            "not" => Guard::Not(Box::new(self.guard_tree()?)),
            word @ ("and" | "or") => {
                let parts = (0..self.number()?).map(|_| self.guard_tree()).collect::<Option<_>>()?;
                if word == "and" { Guard::And(parts) } else { Guard::Or(parts) }
            }
            "implies" => Guard::Implies(Box::new(self.guard_tree()?), Box::new(self.guard_tree()?)),
            "iff" => Guard::Iff(Box::new(self.guard_tree()?), Box::new(self.guard_tree()?)),
            _ => return None,
        };
        self.depth -= 1;
        Some(guard)
    }

    fn sere(&mut self, store: &mut Store, budget: &Budget) -> Parsed<SereId> {
        read!(self.deeper());
        let sere = match read!(self.word()) {
            "chain" => {
                let mut links = Vec::new();
                for _ in 0..=read!(self.number()) {
                    links.push(read!(self.sere(store, budget)?));
                }
                let mut chain = EMPTY;
                for link in links.into_iter().rev() {
                    chain = store.concat(link, chain, budget)?;
                }
                chain
            }
            "never" => NEVER,
            "empty" => EMPTY,
            word @ ("fusion" | "both") => {
                let (a, b) = (read!(self.sere(store, budget)?), read!(self.sere(store, budget)?));
                if word == "fusion" { store.fusion(a, b, budget)? } else { store.both(a, b, budget)? }
            }
            "or" => {
                let mut parts = Vec::new();
                for _ in 0..read!(self.number()) {
                    parts.push(read!(self.sere(store, budget)?));
                }
                store.either(parts, budget)?
            }
            "repeat" => {
                let min = read!(self.word().and_then(count));
                let max = match read!(self.word()) {
                    "inf" => None,
                    number => Some(read!(count(number))),
                };
                let r = read!(self.sere(store, budget)?);
                store.repeat(r, min, max, budget)?
            }
            "letter" => {
                let guard = read!(self.guard_tree());
                store.letter(guard, budget)?
            }
            _ => return Ok(None),
        };
        self.depth -= 1;
        Ok(Some(sere))
    }
}
