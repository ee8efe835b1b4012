//! A monitor as an automaton that accepts the bad words.
//!
//! The start is a state of its own, before the first letter, because a monitor may start in several; the states of the
//! monitor follow it.

use super::automaton::Automaton;
use posetta_automata::StateId;
use posetta_base::{Budget, OverBudget};
use posetta_logic::{AtomId, Guard, Monitor, MonitorState, Otherwise};

/// The automaton of the words that a monitor calls bad.
#[derive(Debug)]
pub(crate) struct Watch {
    /// For each state of the monitor its edges.
    edges: Vec<Vec<(Guard<AtomId>, MonitorState)>>,
    initial: Vec<MonitorState>,
    bad: Vec<bool>,
    /// From these every word is bad.
    universal: Vec<bool>,
    otherwise: Otherwise,
}

const START: StateId = StateId(0);

fn id(state: MonitorState) -> StateId {
    StateId(state.0 + 1)
}

impl Watch {
    /// The automaton of a monitor.
    #[must_use]
    pub fn new(monitor: &Monitor<AtomId>) -> Self {
        let edges: Vec<Vec<_>> = monitor
            .edges_by_state()
            .into_iter()
            .map(|edges| edges.into_iter().map(|e| (e.guard.clone(), e.to)).collect())
            .collect();
        let mut watch = Self {
            edges,
            initial: monitor.initial.clone(),
            bad: monitor.bad_states(),
            universal: monitor.bad_states(),
            otherwise: monitor.otherwise,
        };
        watch.find_universal();
        watch
    }

    /// A bad state is universal if every letter leads to a universal one: along an edge that is always taken, or along
    /// whichever edges are, where it can stay if none is. The largest set of such states, by taking out those that are not.
    /// (A state that only the combination of its guards makes universal is not found, which costs time only.)
    fn find_universal(&mut self) {
        let mut sources: Vec<Vec<usize>> = vec![Vec::new(); self.edges.len()];
        for (from, edges) in self.edges.iter().enumerate() {
            edges.iter().for_each(|(_, to)| sources[to.index()].push(from));
        }
        let mut open: Vec<usize> = (0..self.edges.len()).collect();
        while let Some(state) = open.pop() {
            let good = |to: &MonitorState| self.universal[to.index()];
            let always = self.edges[state].iter().any(|(guard, to)| *guard == Guard::True && good(to));
            let whatever = self.otherwise == Otherwise::Stay && self.edges[state].iter().all(|(_, to)| good(to));
            if self.universal[state] && !always && !whatever {
                self.universal[state] = false;
                open.extend(&sources[state]);
            }
        }
    }

    fn follow(&self, state: MonitorState, letter: &[bool], next: &mut Vec<StateId>) {
        let before = next.len();
        let holds = |guard: &Guard<AtomId>| guard.holds(&|a| letter[a.0 as usize]);
        next.extend(self.edges[state.index()].iter().filter(|(guard, _)| holds(guard)).map(|(_, to)| id(*to)));
        if next.len() == before && self.otherwise == Otherwise::Stay {
            next.push(id(state));
        }
    }
}

impl Automaton for Watch {
    fn start(&self) -> StateId {
        START
    }

    fn step(&mut self, state: StateId, letter: &[bool], _: &Budget) -> Result<Vec<StateId>, OverBudget> {
        let mut next = Vec::new();
        match state.0.checked_sub(1) {
            None => self.initial.iter().for_each(|&s| self.follow(s, letter, &mut next)),
            Some(place) => self.follow(MonitorState(place), letter, &mut next),
        }
        next.sort_unstable();
        next.dedup();
        Ok(next)
    }

    fn accepts(&self, state: StateId) -> bool {
        match state.0.checked_sub(1) {
            None => self.initial.iter().any(|s| self.bad[s.index()]),
            Some(place) => self.bad[place as usize],
        }
    }

    fn is_universal(&self, state: StateId) -> bool {
        match state.0.checked_sub(1) {
            None => self.initial.iter().any(|s| self.universal[s.index()]),
            Some(place) => self.universal[place as usize],
        }
    }

    fn is_listed(&self) -> bool {
        true
    }

    fn bytes(&self) -> u64 {
        // All of it is there from the start, and no larger than the property.
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complement::Complement;
    use posetta_logic::eval::{Word, monitor_holds};
    use posetta_logic::{Formula, MonitorEdge, read_props};

    fn monitor(body: &str) -> Monitor<AtomId> {
        let properties = read_props(&format!("monitor m {{ {body} }}")).unwrap();
        let Formula::Monitor(_, monitor) = &properties[0].formula else { panic!("it is a monitor") };
        monitor.map_atoms(&mut |atom| AtomId(if atom.to_string() == "p" { 0 } else { 1 }))
    }

    /// Whether an automaton accepts a word, by following all its states.
    fn accepts(automaton: &mut impl Automaton, word: &[[bool; 2]]) -> bool {
        let budget = Budget::unlimited();
        let mut now = vec![automaton.start()];
        for (i, letter) in word.iter().enumerate() {
            if now.iter().any(|&s| automaton.is_universal(s)) {
                let mut rest = now.clone();
                for letter in &word[i..] {
                    rest = rest.iter().flat_map(|&s| automaton.step(s, letter, &budget).unwrap()).collect();
                }
                assert!(rest.iter().any(|&s| automaton.accepts(s)), "what is universal accepts all words");
            }
            now = now.iter().flat_map(|&s| automaton.step(s, letter, &budget).unwrap()).collect();
        }
        now.iter().any(|&s| automaton.accepts(s))
    }

    #[test]
    fn the_automaton_its_complement_and_the_evaluator_agree_on_all_short_words() {
        for body in [
            "initial a; bad b; a -> b: p",
            "initial a; bad b; a -> b: p; otherwise die",
            "initial a b; bad a; a -> b: p; b -> a: q; a -> a: q",
            "initial a; bad a b; a -> b: p; b -> a: p && !q; b -> b: true; otherwise die",
            "initial a; bad b c; a -> b: p; a -> c: p; b -> a: q; c -> c: q; otherwise die",
            "initial a; bad b c; a -> b: p; b -> c: q; c -> b: !q",
            "initial a; bad; a -> a: p",
        ] {
            let monitor = monitor(body);
            for length in 0..=4_u32 {
                for code in 0..4_u32.pow(length) {
                    let letter = |i: u32| [code >> (2 * i) & 1 == 1, code >> (2 * i + 1) & 1 == 1];
                    let word: Vec<[bool; 2]> = (0..length).map(letter).collect();
                    let rows = (0..2).map(|a| word.iter().map(|l| l[a]).collect()).collect();
                    let holds =
                        monitor_holds(&monitor, &Word::from_rows(rows, word.len()), &Budget::unlimited()).unwrap();
                    assert_eq!(accepts(&mut Watch::new(&monitor), &word), !holds, "{body} on {word:?}");
                    let mut complement = Complement::new(Watch::new(&monitor));
                    assert_eq!(accepts(&mut complement, &word), holds, "complement of {body} on {word:?}");
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_left_is_universal() {
        for (body, expected) in [
            ("initial a; bad b; a -> b: p", [false, true]),
            ("initial a; bad b; a -> b: p; otherwise die", [false, false]),
            ("initial a; bad b; a -> b: p; b -> b: true; otherwise die", [false, true]),
            ("initial a; bad a b; a -> b: p; b -> a: q", [true, true]),
            ("initial a; bad b; a -> b: p; b -> a: q; b -> b: true", [false, true]),
        ] {
            assert_eq!(Watch::new(&monitor(body)).universal, expected, "{body}");
        }
    }

    #[test]
    fn a_long_chain_is_no_trouble() {
        let states: Vec<String> = (0..50_000).map(|i| i.to_string()).collect();
        let edge =
            |i: u32| MonitorEdge { from: MonitorState(i), guard: Guard::Atom(AtomId(0)), to: MonitorState(i + 1) };
        let monitor = Monitor {
            initial: vec![MonitorState(0)],
            bad: (0..49_999).map(MonitorState).collect(),
            edges: (0..49_999).map(edge).collect(),
            otherwise: Otherwise::Stay,
            states,
        };
        assert!(Watch::new(&monitor).universal.iter().all(|u| !u));
    }
}
