//! What narrows an abstraction: a formula ψ about a behaviour of the implementation and one of the specification, side by side.
//!
//! Its free sets are positions: `` `impl: NAME` `` where the implementation does the event of that name, `` `spec: NAME` `` where the specification
//! does, `` `same` `` where both do the same. A `*` in a name stands for anything but brackets, so `` `impl: read[1][*]` `` is the paper's
//! *rd : [1, ?]* (paper 004, section 5). As an automaton it runs beside the two behaviours.

use std::sync::Arc;

use super::Constraint;
use super::universe::{EventId, NOTHING, Universe};
use posetta_automata::tracks::{Said, TrackDfa};
use posetta_base::{Budget, Diagnostic, Error, Kind, Mistakes, Place};
use posetta_compile::m2l::language;
use posetta_logic::m2l::VarId;
use posetta_logic::{Atom, nearest};

/// So many events are listed.
const LISTED: usize = 8;

/// A formula as an automaton over pairs of events.
pub(super) struct Narrowing {
    dfa: TrackDfa,
    /// By state: whether some continuation is accepted.
    alive: Vec<bool>,
    /// By event of the implementation: its tracks.
    implementation: Vec<Box<[u32]>>,
    /// By event of the specification.
    specification: Vec<Box<[u32]>>,
    /// The track of `same`.
    same: Option<u32>,
}

/// Whose event an atom is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Implementation,
    Specification,
}

/// What an atom means.
enum Meaning<'a> {
    Same,
    Event(Side, &'a str),
}

/// The meaning of what stands in backquotes.
fn meaning(atom: &Atom) -> Option<Meaning<'_>> {
    let Atom::Event(text) = atom else { return None };
    let text = text.trim();
    if text == "same" {
        return Some(Meaning::Same);
    }
    let (side, name) = text.split_once(':')?;
    let side = match side.trim_end() {
        "impl" => Side::Implementation,
        "spec" => Side::Specification,
        _ => return None,
    };
    Some(Meaning::Event(side, name.trim()))
}

/// A set of a formula and the events it is about; `None` for `same`.
type SetMeant = (VarId, Option<(Side, Vec<EventId>)>);

/// What the sets of a formula mean.
///
/// # Errors
/// With those that mean nothing.
fn sets_meant(constraint: Constraint<'_>, universe: &Universe) -> Result<Vec<SetMeant>, Mistakes> {
    let program = constraint.formula;
    let (mut sets, mut mistakes) = (Vec::new(), Vec::new());
    for &(var, ref atom) in &program.atoms {
        let mut wrong = |mistake: Diagnostic| {
            mistakes.push(mistake.at(Place::in_text(constraint.text, program.vars[var.index()].span)));
        };
        match meaning(atom) {
            None => wrong(meaningless(atom)),
            Some(Meaning::Same) => sets.push((var, None)),
            Some(Meaning::Event(side, name)) => match meant(universe, name) {
                events if events.is_empty() => wrong(unknown(universe, name)),
                events => sets.push((var, Some((side, events)))),
            },
        }
    }
    if mistakes.is_empty() { Ok(sets) } else { Err(mistakes.into()) }
}

/// The sets of a formula that mean nothing.
pub(super) fn mistakes(constraint: Constraint<'_>, universe: &Universe) -> Vec<Diagnostic> {
    sets_meant(constraint, universe).err().map(Mistakes::into_vec).unwrap_or_default()
}

impl Narrowing {
    /// The automaton of a formula.
    ///
    /// # Errors
    /// With sets that mean nothing, or when the budget is spent.
    pub(super) fn new(constraint: Constraint<'_>, universe: &Universe, budget: &Budget) -> Result<Self, Error> {
        let sets = sets_meant(constraint, universe)?;
        let automaton = language(constraint.formula, budget)?;
        let mut same = None;
        let mut tracks = [vec![Vec::new(); universe.len()], vec![Vec::new(); universe.len()]];
        for (var, set) in sets {
            // What the formula does not depend on has no track.
            let Some(track) = automaton.vars.iter().position(|&v| v == var) else { continue };
            match set {
                None => same = Some(track as u32),
                Some((side, events)) => {
                    let table = &mut tracks[usize::from(side == Side::Specification)];
                    events.iter().for_each(|event| table[event.index()].push(track as u32));
                }
            }
        }
        let [implementation, specification] =
            tracks.map(|table| table.into_iter().map(Vec::into_boxed_slice).collect::<Vec<_>>());
        Ok(Self { alive: alive(&automaton.dfa), dfa: automaton.dfa, implementation, specification, same })
    }

    /// The state before any event.
    pub(super) fn start(&self) -> u32 {
        // A string has truth values before it; here there are none.
        self.dfa.step(0, |_| false)
    }

    /// The state after one event of each; `None` if nothing that may follow is accepted.
    pub(super) fn after(&self, state: u32, implementation: EventId, specification: EventId) -> Option<u32> {
        let (ours, theirs) = (&self.implementation[implementation.index()], &self.specification[specification.index()]);
        let same = if implementation == specification { self.same } else { None };
        let next =
            self.dfa.step(state, |track| ours.contains(&track) || theirs.contains(&track) || same == Some(track));
        self.alive[next as usize].then_some(next)
    }

    pub(super) fn accepts(&self, state: u32) -> bool {
        self.dfa.said(state) == Said::Yes
    }

    /// How many states the automaton has.
    pub(super) fn states(&self) -> usize {
        self.dfa.states()
    }

    /// Marks the events of the implementation that it tells from τ.
    pub(super) fn mark_implementation(&self, marked: &mut [bool]) {
        match self.same {
            Some(_) => marked.fill(true),
            None => mark(&self.implementation, marked),
        }
    }

    /// Whether it matters that two events are the same.
    pub(super) fn tells_same(&self) -> bool {
        self.same.is_some()
    }

    /// Marks the events of the specification that it tells from τ, other than by [`Self::tells_same`].
    pub(super) fn mark_specification(&self, marked: &mut [bool]) {
        mark(&self.specification, marked);
    }
}

/// By state: whether an accepting one can be reached.
fn alive(dfa: &TrackDfa) -> Vec<bool> {
    let count = dfa.states();
    let mut before = vec![Vec::new(); count];
    for state in 0..count as u32 {
        dfa.targets(state).into_iter().for_each(|to| before[to as usize].push(state));
    }
    let mut open: Vec<u32> = (0..count as u32).filter(|&state| dfa.said(state) == Said::Yes).collect();
    let mut alive = vec![false; count];
    while let Some(state) = open.pop() {
        if !std::mem::replace(&mut alive[state as usize], true) {
            open.append(&mut before[state as usize]);
        }
    }
    alive
}

fn mark(tracks: &[Box<[u32]>], marked: &mut [bool]) {
    marked.iter_mut().zip(tracks).for_each(|(marked, tracks)| *marked |= !tracks.is_empty());
}

/// The events that a name with stars means: itself, if there is such an event.
fn meant(universe: &Universe, name: &str) -> Vec<EventId> {
    let events = || universe.events().filter(|&event| event != NOTHING);
    let itself: Vec<EventId> = events().filter(|&event| &**universe.name(event) == name).collect();
    if !itself.is_empty() || !name.contains('*') {
        return itself;
    }
    let pieces: Vec<&str> = name.split('*').collect();
    events().filter(|&event| fits(universe.name(event), &pieces)).collect()
}

/// Whether a text is made of some pieces in order, with anything but brackets between them.
fn fits(text: &str, pieces: &[&str]) -> bool {
    let [first, rest @ ..] = pieces else { return text.is_empty() };
    let Some(text) = text.strip_prefix(first) else { return false };
    if rest.is_empty() {
        return text.is_empty();
    }
    let free = text.find(['[', ']']).unwrap_or(text.len());
    let ends = text.char_indices().map(|(i, _)| i).chain([text.len()]).take_while(|&i| i <= free);
    ends.into_iter().any(|i| fits(&text[i..], rest))
}

fn meaningless(atom: &Atom) -> Diagnostic {
    let text = match atom {
        Atom::Event(text) => text.clone(),
        other => other.to_string(),
    };
    Diagnostic::new(Kind::Definition, format!("`{text}` says nothing about two behaviours"))
        .help("write `impl: NAME` for the positions where the implementation does NAME, `spec: NAME` for those of the specification, `same`: both do the same")
}

fn unknown(universe: &Universe, name: &str) -> Diagnostic {
    let names = universe.names();
    let diagnostic = Diagnostic::new(Kind::Definition, format!("no event is called `{name}`"));
    let near = nearest(name, names.iter().map(|n| &**n)).map(str::to_owned);
    diagnostic.help(match near {
        Some(near) => format!("did you mean `{near}`? `*` stands for anything but brackets"),
        None => {
            let mut listed: Vec<Arc<str>> = names.iter().take(LISTED).cloned().collect();
            if names.len() > LISTED {
                listed.push(format!("{} more", names.len() - LISTED).into());
            }
            format!("there are {}", listed.join(", "))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn stars_stand_within_brackets() {
        let fits = |text: &str, pattern: &str| fits(text, &pattern.split('*').collect::<Vec<_>>());
        assert!(fits("read[1][0]", "read[1][*]") && fits("read[1][0]", "read[*][*]") && fits("read[10]", "read[1*]"));
        assert!(fits("read", "*") && fits("read", "r*d") && fits("read", "re*ad") && fits("é[1]", "*[1]"));
        assert!(!fits("read[1][0]", "read[*]") && !fits("read[1]", "*") && !fits("reads", "*d") && !fits("", "a*"));
    }
}
