//! What can become of a stream, by trying, against answers that are known and against automata on finite words.

use std::collections::BTreeSet;

use posetta_automata::{Dfa, StateId};
use posetta_base::{Budget, Number, Value};
use posetta_compile::{self as compile, deterministic};
use posetta_logic::{self as logic, Atom, Guard, Ltl, Psl, Sere, SereOp, View, parse_ltl};
use posetta_monitor::Completions::{self, Both, Finite, Infinite};
use posetta_monitor::Prospect::{self, Holds, Open, Violated};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::completions::{Atlas, Lengths, Letters, Linear, Map, beginning};
use posetta_oracle::psl::{Letter, Word};
use posetta_oracle::random::{small_atoms, small_ltl_case, small_world};
use posetta_oracle::state::State;
use posetta_oracle::world::{Deed, States, World};

const LENGTHS: Lengths = Lengths { finite: 2, infinite: 3 };

/// The truth of x and y at each position of a text such as `x xy - y`.
fn values(word: &str) -> [(&'static str, Value); 2] {
    ["x", "y"].map(|name| (name, Value::Number(Number::from(i64::from(word.contains(name))))))
}

fn world() -> World {
    let both = || [0, 1].map(|n| Value::Number(Number::from(n))).to_vec();
    let variables = ["x", "y"].map(|name| (name.to_owned(), both())).to_vec();
    World { variables, names: Vec::new(), processes: Vec::new() }
}

/// The answers about every prefix of a run over states: satisfied, what is determined, and whether it is monitorable.
fn answers(property: &Linear, atoms: &[Atom], text: &str, kind: Completions) -> Vec<(bool, Prospect, bool)> {
    let world = world();
    let letters = Letters::new(&world, atoms);
    let states: Vec<[(&str, Value); 2]> = text.split_whitespace().map(values).collect();
    let state = |i: usize| -> State<'_> { states[i].iter().map(|(name, value)| (*name, value)).collect() };
    let mut word = beginning(&letters, &state(0), View::States);
    let map = Map::new(&letters, property, LENGTHS, (word.clone(), letters.states(&state(0))), 100).unwrap();
    let mut place = map.start();
    let mut answers = Vec::new();
    for i in 0..states.len() {
        if i > 0 {
            let deed = Deed { sets: &["x", "y"], name: None, process: None };
            word.push(letters.letter(&state(i), Some(deed)));
            place = map.after(place, word[i]);
        }
        let prospect = map.prospect(place, kind);
        // What the map says is borne out by words.
        let found = [true, false].map(|truth| map.completion(&word, place, kind, truth).is_some());
        let [can_hold, can_fail] = found;
        assert_eq!(prospect == Holds, can_hold && !can_fail, "{text}, {i}");
        assert_eq!(prospect == Violated, can_fail && !can_hold, "{text}, {i}");
        answers.push((property.holds(&Word::finite(word.clone())), prospect, map.monitorable(place, kind)));
    }
    answers
}

fn atom(text: &str) -> Atom {
    let Ltl::Atom(atom) = parse_ltl(text).unwrap() else { panic!("{text} is no atom") };
    atom
}

#[test]
fn known_answers_about_ltl() {
    type Known<'a> = &'a [(Completions, &'a [(bool, Prospect, bool)])];
    let cases: &[(&str, &str, Known<'_>)] = &[
        (
            "F x",
            "- y x -",
            &[
                (Both, &[(false, Open, true), (false, Open, true), (true, Holds, true), (true, Holds, true)]),
                (Finite, &[(false, Open, true), (false, Open, true), (true, Holds, true), (true, Holds, true)]),
                (Infinite, &[(false, Open, true), (false, Open, true), (true, Holds, true), (true, Holds, true)]),
            ],
        ),
        ("G x", "x -", &[(Both, &[(true, Open, true), (false, Violated, true)])]),
        // Nothing is ever known about what has to come again and again.
        ("G F x", "x -", &[(Both, &[(true, Open, false), (false, Open, false)])]),
        ("G F x", "x -", &[(Infinite, &[(true, Open, false), (false, Open, false)])]),
        ("G F x", "x -", &[(Finite, &[(true, Open, false), (false, Open, false)])]),
        // No finite word has a next position everywhere, and every infinite one does.
        (
            "G X true",
            "x",
            &[
                (Finite, &[(false, Violated, true)]),
                (Infinite, &[(false, Holds, true)]),
                (Both, &[(false, Open, false)]),
            ],
        ),
        ("F WX false", "x", &[(Finite, &[(true, Holds, true)]), (Infinite, &[(true, Violated, true)])]),
        // With infinite completions what is determined need not be satisfied.
        ("X true", "x", &[(Infinite, &[(false, Holds, true)]), (Both, &[(false, Open, true)])]),
        // Letters that cannot come do not count.
        ("F (x == 1 && x == 0)", "x", &[(Both, &[(false, Violated, true)])]),
        ("G (x == 1 || x != 1)", "x", &[(Both, &[(true, Holds, true)])]),
        ("F (x && X on(x) && X !x)", "x", &[(Both, &[(false, Violated, true)])]),
        // No finite word satisfies it, and no infinite one in which x fails at the third position or later.
        ("G X X x", "x x", &[(Both, &[(false, Open, true), (false, Open, true)])]),
        // The same with values that are kept.
        ("F (x && X (!on(!x) && !x))", "x -", &[(Both, &[(false, Violated, true), (false, Violated, true)])]),
        ("G (y -> O x)", "- x y", &[(Both, &[(true, Open, true), (true, Holds, true), (true, Holds, true)])]),
        ("G (y -> Y x)", "x y y", &[(Both, &[(true, Open, true), (true, Open, true), (false, Violated, true)])]),
    ];
    for (text, word, kinds) in cases {
        let formula = parse_ltl(text).unwrap();
        let mut atoms: Vec<Atom> = Vec::new();
        let _ = formula.map_atoms(&mut |a: &Atom| atoms.push(a.clone()));
        atoms.dedup();
        let property = Linear::ltl(&formula, &atoms);
        for (kind, expected) in *kinds {
            assert_eq!(answers(&property, &atoms, word, *kind), *expected, "{text} on {word}, {kind:?}");
        }
    }
}

#[test]
fn known_answers_about_psl() {
    let (x, y) = (|| Sere::Bool(Guard::Atom(atom("x"))), || Sere::Bool(Guard::Atom(atom("y"))));
    let no = || Sere::Bool(Guard::False);
    let weak = |sere| Psl::Sere { sere, strong: false };
    let chain = |op, parts: [Sere; 2]| Sere::Chain(op, parts.to_vec());
    let atoms = [atom("x"), atom("y")];
    let cases = [
        // Not yet refuted, and the next letter will do it: only the empty completion saves it.
        (weak(chain(SereOp::Concat, [x(), no()])), "x", Infinite, vec![(true, Violated, true)]),
        (weak(chain(SereOp::Concat, [x(), no()])), "x", Finite, vec![(true, Open, true)]),
        (weak(chain(SereOp::Concat, [x(), no()])), "x -", Both, vec![(true, Open, true), (false, Violated, true)]),
        (Psl::Never(chain(SereOp::Concat, [x(), y()])), "x y", Both, vec![(true, Open, true), (false, Violated, true)]),
        (
            Psl::Eventually(chain(SereOp::Concat, [x(), y()])),
            "x y",
            Both,
            vec![(false, Open, true), (true, Holds, true)],
        ),
        (
            Psl::Abort(Box::new(Psl::Never(x())), Guard::Atom(atom("y"))),
            "- y x",
            Both,
            vec![(true, Open, true), (true, Holds, true), (true, Holds, true)],
        ),
    ];
    for (formula, word, kind, expected) in cases {
        let property = Linear::psl(&formula, &atoms);
        assert_eq!(answers(&property, &atoms, word, kind), expected, "{formula:?} on {word}, {kind:?}");
    }
}

fn reachable(dfa: &Dfa, from: StateId) -> BTreeSet<StateId> {
    let mut seen: BTreeSet<StateId> = [from].into();
    let mut open = vec![from];
    while let Some(state) = open.pop() {
        for &next in dfa.row(state) {
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    seen
}

/// What the states that an automaton can reach say.
fn by_automaton(dfa: &Dfa, from: StateId) -> Prospect {
    let seen = reachable(dfa, from);
    let accepted = seen.iter().filter(|&&s| dfa.accepts(s)).count();
    match accepted {
        0 => Violated,
        n if n == seen.len() => Holds,
        _ => Open,
    }
}

#[test]
fn finite_completions_are_those_of_the_automaton() {
    let mut shares = Shares::default();
    for_seeds(200, |rng, seed| {
        let view = if rng.bool() { View::States } else { View::Events };
        let drawn = small_atoms(rng, 0, true);
        let case = small_ltl_case(rng, &drawn);
        let (over_atoms, known) = logic::Letters::new(&case.formula, view, &Budget::unlimited()).unwrap();
        let letters = Letters::new(&case.world, &case.atoms);
        if !known.is_exact() || letters.choices() > 6 {
            return;
        }
        let dfa = deterministic(&compile::Linear::Ltl(over_atoms.clone()), &known, &Budget::unlimited()).unwrap();
        let property = Linear::ltl(&case.formula, &case.atoms);
        let states = case.world.states();
        let first = &states[rng.usize(..states.len())];
        let mut word = beginning(&letters, first, view);
        let mut atlas = Atlas::new(&letters, &property, (word.clone(), letters.states(first)));
        let after = |state: StateId, letter: Letter| {
            let found = known.iter().find(|&l| Letter::new(known.vector(l)) == letter);
            dfa.after(state, found.expect("a letter that can come")).expect("a letter that can come here")
        };
        let mut ends = letters.states(first);
        let mut state = word.iter().fold(dfa.start(), |state, &letter| after(state, letter));
        for _ in 0..5 {
            if !word.is_empty() {
                let about = format!("seed {seed}, {view:?}: {} on {word:?}", case.formula);
                let prospect = by_automaton(&dfa, state);
                let judged = atlas.judge(&word, Finite, prospect).expect("few places");
                assert_eq!(judged, Ok(()), "{prospect:?}: {about}");
                let monitorable = reachable(&dfa, state).into_iter().any(|s| by_automaton(&dfa, s) != Open);
                let judged = atlas.judge_monitorable(&word, Finite, monitorable).expect("few places");
                assert_eq!(judged, Ok(()), "{about}");
                // Nothing else is agreed with; to find out takes long.
                if rng.u8(..4) == 0 {
                    for other in [Holds, Violated, Open].into_iter().filter(|other| *other != prospect) {
                        let judged = atlas.judge(&word, Finite, other).expect("few places");
                        assert!(judged.is_err(), "{other:?}: {about}");
                    }
                }
                shares.add(prospect.word());
            }
            let all: Vec<(Letter, States)> = letters.after(ends).into_iter().collect();
            let (letter, to) = all[rng.usize(..all.len())];
            word.push(letter);
            ends = to;
            state = after(state, letter);
        }
    });
    shares.at_least(0.05, "finite completions", &["open", "holds", "violated"]);
}

/// A world has every value that its atoms can tell apart, so none of them is always true or always false unless it must be.
#[test]
fn worlds_are_rich_enough() {
    for text in ["x == 1", "x < 1", "on(x == 0)", "event(a)", "m == \"a\"", "x"] {
        let atoms = [atom(text)];
        let world = small_world(&atoms);
        let letters = Letters::new(&world, &atoms);
        assert_eq!(letters.choices(), 2, "{text}");
    }
}
