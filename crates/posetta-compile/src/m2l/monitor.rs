//! A property of M2L as a monitor: the same automaton, its letters told apart by guards.
//!
//! A state of the automaton has a diagram that asks for tracks. The guard of an edge has the paths of the diagram that end in its target:
//! `a && b || !a`. Diagrams share parts and paths do not, so guards can be larger; what they take is claimed. (Nested questions would be
//! shorter, but as deep as there are atoms.) Where no guard holds a monitor stays, so what leads back to its own state is left out.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::decide::{Automaton, language};
use posetta_automata::tracks::Said;
use posetta_base::{Budget, Claim, OverBudget};
use posetta_dd::mtbdd::Function;
use posetta_logic::{AtomId, Guard, M2l, Monitor, MonitorEdge, MonitorState, Otherwise};

const WHAT: &str = "building an automaton of the formula";

/// What a part of a guard takes, about.
const PART: u64 = 64;

/// The monitor of the words that violate a property; atom i is the i-th of its program. It is made once.
///
/// # Errors
/// When the budget is spent.
pub fn monitor<'m>(property: &'m M2l, budget: &Budget) -> Result<&'m Monitor<AtomId>, OverBudget> {
    if let Some(known) = property.settled() {
        return Ok(known);
    }
    let automaton = language(property.program(), budget)?;
    let place = |var| property.program().atoms.iter().position(|(atom, _)| *atom == var);
    let tracks = automaton.vars.iter().map(|&var| AtomId(place(var).expect("all that is free are atoms") as u32));
    let writer =
        Writer { automaton: &automaton, tracks: tracks.collect(), parts: 0, claim: budget.claim(0, WHAT)?, budget };
    Ok(property.settle(writer.monitor()?))
}

struct Writer<'a> {
    automaton: &'a Automaton,
    /// The atom of each track.
    tracks: Vec<AtomId>,
    /// How many parts all guards have.
    parts: u64,
    claim: Claim,
    budget: &'a Budget,
}

impl Writer<'_> {
    fn monitor(mut self) -> Result<Monitor<AtomId>, OverBudget> {
        let dfa = &self.automaton.dfa;
        // The first state reads what comes before the string, which says nothing: there are no free truth values.
        let start = dfa.step(0, |_| false);
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::from_iter([(start, 0)]);
        let mut order = vec![start];
        let mut edges = Vec::new();
        let mut at = 0;
        while let Some(&state) = order.get(at) {
            for (target, guard) in self.guards(dfa.root(state))? {
                let next = order.len() as u32;
                let number = *numbers.entry(target).or_insert_with(|| {
                    order.push(target);
                    next
                });
                if target != state {
                    edges.push(MonitorEdge { from: MonitorState(at as u32), guard, to: MonitorState(number) });
                }
            }
            at += 1;
        }
        let numbered = || (0..order.len() as u32).map(MonitorState);
        Ok(Monitor {
            states: (0..order.len()).map(|i| i.to_string()).collect(),
            initial: vec![MonitorState(0)],
            bad: numbered().filter(|s| dfa.said(order[s.index()]) != Said::Yes).collect(),
            edges,
            otherwise: Otherwise::Stay,
        })
    }

    /// The targets of a diagram, ascending, each with the paths that lead to it.
    fn guards(&mut self, root: Function) -> Result<BTreeMap<u32, Guard<AtomId>>, OverBudget> {
        let mut paths: BTreeMap<u32, Vec<Guard<AtomId>>> = BTreeMap::new();
        // The answers on the way to the function in hand, and the functions whose way shares its first so many.
        let mut way: Vec<(u32, bool)> = Vec::new();
        let mut open = vec![(root, 0, None)];
        while let Some((function, shared, answer)) = open.pop() {
            way.truncate(shared);
            way.extend(answer);
            let Some(place) = function.node() else {
                self.parts += 2 + 2 * way.len() as u64;
                self.claim.grow_to(self.parts * PART, WHAT)?;
                self.budget.step(1, WHAT)?;
                let literal = |&(track, holds): &(u32, bool)| {
                    let atom = Guard::Atom(self.tracks[track as usize]);
                    if holds { atom } else { Guard::Not(Box::new(atom)) }
                };
                let mut literals: Vec<_> = way.iter().map(literal).collect();
                let path = match literals.len() {
                    0 => Guard::True,
                    1 => literals.swap_remove(0),
                    _ => Guard::And(literals),
                };
                paths.entry(function.value().expect("what is no node is a number")).or_default().push(path);
                continue;
            };
            let node = self.automaton.dfa.node(place);
            open.push((node.low, way.len(), Some((node.var, false))));
            open.push((node.high, way.len(), Some((node.var, true))));
        }
        let guard = |mut paths: Vec<Guard<AtomId>>| match paths.len() {
            1 => paths.swap_remove(0),
            _ => Guard::Or(paths),
        };
        Ok(paths.into_iter().map(|(target, paths)| (target, guard(paths))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_logic::eval::{Word, m2l_holds, monitor_holds};
    use posetta_logic::m2l::parse_property;

    #[test]
    fn monitors_agree_with_the_definition_on_all_short_words() {
        for source in [
            "true",
            "ex1 p: true",
            "all1 p: p in `a`",
            "ex1 p, q: q = p + 1 & p in `a` & q in `b`",
            "ex2 E: 0 in E & (all1 p where p + 1 in $: p in E <=> p + 1 notin E) & max $ in E & E sub `a`",
            "max `a` < min `b`",
            "`a` sub `b` union `a` + 2 | 3 notin $",
            "all1 p where p in `a`: ex1 q where q > p: q in `b` & ~ex1 r where p < r & r < q: r in `a` inter `b`",
        ] {
            let property = M2l::new(parse_property(source).expect(source));
            let budget = Budget::unlimited();
            let found = monitor(&property, &budget).expect(source);
            let atoms: Vec<AtomId> = (0..property.program().atoms.len() as u32).map(AtomId).collect();
            for len in 0..=5_usize {
                for code in 0..1_usize << (len * atoms.len()) {
                    let row = |a: usize| (0..len).map(|i| code >> (a * len + i) & 1 == 1).collect();
                    let word = Word::from_rows((0..atoms.len()).map(row).collect(), len);
                    let expected = m2l_holds(property.program(), &atoms, &word, u64::MAX, &budget).expect(source);
                    assert_eq!(
                        Some(monitor_holds(found, &word, &budget).expect(source)),
                        expected,
                        "{source}: {word:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn states_are_few_and_what_is_over_budget_is_said() {
        let odd = "ex2 O: 0 in O & (all1 p where p + 1 in $: p in O <=> p + 1 notin O) & max $ in O";
        let property = M2l::new(parse_property(odd).expect(odd));
        assert!(monitor(&property, &Budget::with_memory(100)).is_err());
        assert_eq!(property.settled(), None);
        let found = monitor(&property, &Budget::unlimited()).expect(odd);
        assert_eq!(found.states.len(), 2, "{found:?}");
        assert_eq!(property.settled(), Some(found));
    }
}
