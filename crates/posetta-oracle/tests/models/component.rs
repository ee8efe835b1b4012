//! Components given by formulas of M2L against the definition: what they do is what begins a word that satisfies the formula.
//!
//! That a word begins one is shown by such a word, which is found among the short ones or along the automaton, and then checked by
//! definition. That it begins none is shown for all words up to a length.

use std::collections::BTreeSet;

use posetta_base::Budget;
use posetta_compile::m2l::{LetterTable, over_letters};
use posetta_logic::m2l::{Program, VarId};
use posetta_model::sys;
use posetta_model::system::{Behaviour, Lts};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::m2l::{Value, holds};
use posetta_oracle::random::m2l_property;

const ACTIONS: [&str; 3] = ["a", "b", "c"];

/// Beginnings that are looked at, and how far they may go on.
const BEGINNINGS: usize = 3;
const LONGEST: usize = 5;

/// Whether a word satisfies the formula. Each action that the formula may name is a set; the others are not spoken of.
fn satisfies(program: &Program, word: &[usize], named: usize) -> bool {
    let mut sets = vec![(1_u128 << word.len()) - 1];
    sets.extend((0..named).map(|action| {
        word.iter().enumerate().filter(|&(_, &letter)| letter == action).map(|(at, _)| 1_u128 << at).sum::<u128>()
    }));
    let globals: Vec<(VarId, Value)> =
        program.globals.iter().copied().zip(sets.into_iter().map(Value::Places)).collect();
    holds(program, word.len(), &globals)
}

/// All words of a length.
fn words(actions: usize, length: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        all = all.iter().flat_map(|w: &Vec<usize>| (0..actions).map(move |a| [&w[..], &[a]].concat())).collect();
    }
    all
}

/// The component as it is written in a file: a string for every line.
fn written(program: &Program, actions: usize) -> String {
    let text = program.to_string().replace('\\', "\\\\").replace('"', "\\\"");
    let lines: Vec<String> = text.lines().map(|line| format!("  \"{line}\"\n")).collect();
    format!("component C {{\n  observable {}\n  m2l\n{}}}\n", ACTIONS[..actions].join(", "), lines.concat())
}

/// Where a word leads, if it can be done.
fn after(lts: &Lts, word: &[usize], name: &impl Fn(u32) -> usize) -> Option<u32> {
    word.iter().try_fold(lts.initial, |state, &letter| {
        let mut arcs = lts.arcs.iter().filter(|arc| arc.from == state && name(arc.action.raw()) == letter);
        let arc = arcs.next()?;
        assert!(arcs.next().is_none(), "it is deterministic");
        Some(arc.to)
    })
}

/// A shortest way to go on until the formula is satisfied, along its automaton.
fn goes_on(listed: &LetterTable, word: &[usize]) -> Option<Vec<usize>> {
    let next = |state: u32, letter: usize| listed.next[state as usize * listed.letters + letter];
    let start = word.iter().fold(0, |state, &letter| next(state, letter));
    let mut seen = BTreeSet::from([start]);
    let mut open = vec![(start, word.to_vec())];
    while !open.is_empty() {
        if let Some((_, word)) = open.iter().find(|(state, _)| listed.accepts[*state as usize]) {
            return Some(word.clone());
        }
        let further = open.iter().flat_map(|(state, word)| {
            (0..listed.letters).map(move |letter| (next(*state, letter), [&word[..], &[letter]].concat()))
        });
        open = further.filter(|(state, _)| seen.insert(*state)).collect();
    }
    None
}

#[test]
fn components_do_what_begins_a_word() {
    let mut shares = Shares::default();
    for_seeds(3_000, |rng, _| {
        let actions = rng.usize(2..=3);
        // Sometimes there is one action that the formula cannot name.
        let named = actions - usize::from(rng.u8(..4) == 0);
        let depth = rng.u32(1..=3);
        let mut program = m2l_property(rng, &ACTIONS[..named], depth);
        for (var, atom) in program.atoms.clone() {
            program.vars[var.index()].name = atom.to_string();
        }
        // Whether a variable with a `where` of its own leaves the word, as in MONA, is not settled. The first four are `$` and its own.
        if program.vars.iter().skip(4).any(|v| v.restriction.is_some()) {
            return;
        }
        let text = written(&program, actions);
        let satisfying: Vec<Vec<usize>> = (0..=LONGEST)
            .flat_map(|length| words(actions, length))
            .filter(|word| satisfies(&program, word, named))
            .collect();
        let sets: Vec<Vec<VarId>> =
            (0..actions).map(|a| program.globals.get(a + 1).copied().into_iter().collect()).collect();
        let listed = over_letters(&program, &sets, &Budget::unlimited()).expect("there is no limit");
        let system = match sys::read("c.sys", &text, None, &mut |_, _| Err("there are no files".into())) {
            Ok(system) => system,
            Err(mistakes) => {
                assert_eq!(mistakes.len(), 1, "{text}");
                assert_eq!(mistakes[0].diagnostic.message, "no word satisfies this formula", "{text}");
                assert_eq!(satisfying, Vec::<Vec<usize>>::new(), "{text}");
                shares.add("no word");
                return;
            }
        };
        let Behaviour::Lts(lts) = &system.components[0].behaviour else { panic!("it is no net") };
        let letter = |raw: u32| {
            let action = &system.actions[raw as usize].name;
            ACTIONS.iter().position(|a| **a == **action).expect("it is one of them")
        };
        for word in (0..=BEGINNINGS).flat_map(|length| words(actions, length)) {
            if after(lts, &word, &letter).is_none() {
                let further = satisfying.iter().find(|w| w.starts_with(&word));
                assert_eq!(further, None, "{word:?} is not done\n{text}");
                shares.add("not done");
                continue;
            }
            shares.add("done");
            if !satisfying.iter().any(|w| w.starts_with(&word)) {
                let further = goes_on(&listed, &word);
                let further = further.unwrap_or_else(|| panic!("{word:?} is done and begins no word\n{text}"));
                assert!(satisfies(&program, &further, named), "{further:?}\n{text}");
                shares.add("done, and far from the end");
            }
        }
    });
    shares.at_least(0.1, "beginnings", &["done", "not done"]);
}
