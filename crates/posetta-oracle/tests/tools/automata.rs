//! Automata of PSL against the definition: every word up to length 6 over two atoms.

use fastrand::Rng;
use posetta_automata::StateId;
use posetta_base::{Budget, Number, Value};
use posetta_compile::{Automaton, Completions, Linear, Machine, MachineState, Progression, Prospect};
use posetta_logic::eval::{self, Values};
use posetta_logic::{
    AtomId, Atoms, Guard, Psl, PslBinary, PslUnary, Sere, SereOp, Slot, Suffix, Times, View, parse_ltl,
};
use posetta_oracle::cases::for_seeds;
use posetta_oracle::psl::{Letter, Meaning, Word};
use posetta_oracle::random;

pub(crate) struct Zero(pub(crate) Value);

impl Values for Zero {
    fn value(&self, _: Slot) -> &Value {
        &self.0
    }
}

const LONGEST: usize = 6;

/// What was read, and where it has led each automaton.
struct Reached {
    word: Vec<[bool; 2]>,
    good: Vec<StateId>,
    bad: Vec<StateId>,
    place: MachineState,
}

fn after(automaton: &mut Progression, states: &[StateId], letter: &[bool], budget: &Budget) -> Vec<StateId> {
    let mut next: Vec<StateId> = states.iter().flat_map(|&s| automaton.step(s, letter, budget).unwrap()).collect();
    next.sort_unstable();
    next.dedup();
    next
}

fn compare(formula: &Psl<AtomId>, longest: usize) {
    let budget = Budget::unlimited();
    let atoms = two_atoms();
    let meaning = Meaning::of(formula, &mut |atom| atom.0);
    // The definition does not read further.
    if meaning.states() > 40 {
        return;
    }
    let mut good = Progression::new(formula, false);
    let mut bad = Progression::new(formula, true);
    let property = Linear::Psl(formula.clone());
    let mut machine = Machine::new(&property, &atoms, View::Events, Completions::Finite, &budget).unwrap();
    let start = Reached { word: Vec::new(), good: vec![good.start()], bad: vec![bad.start()], place: machine.start() };
    let mut open = vec![start];
    while let Some(reached) = open.pop() {
        let expected = meaning.holds(&Word::finite(reached.word.iter().map(|l| Letter::new(l)).collect()));
        let told = || format!("{formula:?} on {:?}", reached.word);
        assert_eq!(reached.good.iter().any(|&s| good.accepts(s)), expected, "{}", told());
        assert_eq!(reached.bad.iter().any(|&s| bad.accepts(s)), !expected, "negated, {}", told());
        assert_eq!(machine.answers(&reached.place).satisfied, expected, "machine, {}", told());
        if reached.word.len() == longest {
            continue;
        }
        for letter in [[false, false], [true, false], [false, true], [true, true]] {
            let mut word = reached.word.clone();
            word.push(letter);
            let place = machine.step(&reached.place, &letter, &Zero(Value::Number(Number::ZERO)), &budget).unwrap();
            open.push(Reached {
                word,
                good: after(&mut good, &reached.good, &letter, &budget),
                bad: after(&mut bad, &reached.bad, &letter, &budget),
                place,
            });
        }
    }
}

#[test]
fn psl_on_every_short_word() {
    let atoms = [AtomId(0), AtomId(1)];
    for_seeds(150, |rng, _| {
        let size = rng.usize(1..10);
        compare(&random::psl(rng, &atoms, size), LONGEST);
    });
}

#[test]
fn larger_formulas_on_shorter_words() {
    let atoms = [AtomId(0), AtomId(1)];
    for_seeds(400, |rng, _| {
        let size = rng.usize(8..22);
        compare(&random::psl(rng, &atoms, size), 4);
    });
}

/// A formula that waits for a match of a random expression, whose counts are as large as `most`.
fn waiting(rng: &mut Rng, atoms: &[AtomId], most: u32) -> Psl<AtomId> {
    let guard = |rng: &mut Rng| match rng.u32(..4) {
        0 => Guard::Not(Box::new(Guard::Atom(atoms[rng.usize(..atoms.len())]))),
        _ => Guard::Atom(atoms[rng.usize(..atoms.len())]),
    };
    let times = |rng: &mut Rng| {
        let min = rng.u32(0..=most);
        let max = (rng.u32(..4) > 0).then(|| min + if rng.bool() { 0 } else { rng.u32(0..=most) });
        Times { min, max }
    };
    let part = |rng: &mut Rng| match rng.u32(..7) {
        0 => Sere::Bool(guard(rng)),
        1 => Sere::Goto(guard(rng), times(rng)),
        2 => Sere::Occur(guard(rng), times(rng)),
        3 => Sere::Repeat(Box::new(Sere::Bool(guard(rng))), times(rng)),
        _ => {
            let size = rng.usize(1..6);
            Sere::Repeat(Box::new(random::sere(rng, atoms, size)), times(rng))
        }
    };
    let parts: Vec<_> = (0..rng.usize(1..4)).map(|_| part(rng)).collect();
    let sere = match (parts.len(), rng.u32(..6)) {
        (1, _) => parts.into_iter().next().unwrap(),
        (_, 0) => Sere::Chain(SereOp::Or, parts),
        (_, 1) => Sere::Chain(SereOp::Fusion, parts),
        _ => Sere::Chain(SereOp::Concat, parts),
    };
    let boolean = Psl::Bool(guard(rng));
    match rng.u32(..12) {
        // What is owed after each match.
        0..3 => {
            let parts: Vec<_> = (0..rng.usize(1..4))
                .map(|_| match (rng.u32(..4), Times::exactly(rng.u32(1..=most))) {
                    (0, _) => Sere::Bool(guard(rng)),
                    (1, times) => Sere::Repeat(Box::new(Sere::Bool(guard(rng))), times),
                    (2, times) => Sere::Goto(guard(rng), times),
                    _ => part(rng),
                })
                .collect();
            let owed = match rng.u32(..8) {
                // Whatever else waits for a match.
                0 => Psl::Suffix(Suffix::Some, Sere::Chain(SereOp::Concat, parts), Box::new(Psl::Bool(guard(rng)))),
                1 => {
                    let (count, formula) = (rng.u32(1..=most), Box::new(Psl::Bool(guard(rng))));
                    Psl::NextTimes { strong: true, count, formula }
                }
                2 => Psl::Eventually(Sere::Chain(SereOp::Concat, parts)),
                // What ends with a letter that could also be waited through.
                3 | 4 => {
                    let waiting = match rng.bool() {
                        true => Sere::Occur(guard(rng), Times::exactly(rng.u32(1..=most))),
                        false => Sere::Repeat(Box::new(Sere::Bool(guard(rng))), Times::ANY),
                    };
                    let mut parts = parts;
                    parts.truncate(1);
                    parts.extend([waiting, Sere::Bool(guard(rng))]);
                    Psl::Sere { sere: Sere::Chain(SereOp::Concat, parts), strong: rng.bool() }
                }
                _ => Psl::Sere { sere: Sere::Chain(SereOp::Concat, parts), strong: rng.bool() },
            };
            let body = match rng.u32(..4) {
                0 => Psl::Suffix(Suffix::Overlapping, sere, Box::new(owed)),
                1 => Psl::Implies(Box::new(boolean), Box::new(Psl::Unary(PslUnary::Next, Box::new(owed)))),
                2 => Psl::Suffix(Suffix::After, Sere::Bool(guard(rng)), Box::new(owed)),
                _ => Psl::Suffix(Suffix::After, sere, Box::new(owed)),
            };
            if rng.u32(..4) == 0 { body } else { Psl::Unary(PslUnary::Globally, Box::new(body)) }
        }
        3 => Psl::Never(sere),
        4 => Psl::Eventually(sere),
        5 => Psl::Sere { sere, strong: true },
        6 => Psl::Suffix(Suffix::Overlapping, sere, Box::new(boolean)),
        7 => Psl::Unary(PslUnary::Globally, Box::new(Psl::Suffix(Suffix::After, sere, Box::new(boolean)))),
        8 => {
            let next = Psl::NextTimes { strong: false, count: rng.u32(0..=most), formula: Box::new(boolean) };
            let body = Psl::Implies(Box::new(Psl::Bool(guard(rng))), Box::new(next));
            Psl::Unary(PslUnary::Globally, Box::new(body))
        }
        9 => Psl::Or(vec![Psl::Sere { sere, strong: true }, boolean]),
        10 => Psl::And(vec![boolean, Psl::Eventually(sere)]),
        _ => {
            let until = PslBinary::Until { strong: true, inclusive: rng.bool() };
            Psl::Binary(until, Box::new(boolean), Box::new(Psl::Sere { sere, strong: true }))
        }
    }
}

fn two_atoms() -> Atoms {
    let mut atoms = Atoms::default();
    for name in ["a", "b"] {
        parse_ltl(name).unwrap().map_atoms(&mut |atom| atoms.add(atom));
    }
    atoms
}

/// How counts are followed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// As what waits for one match, or owes one.
    Counters,
    /// Attempt by attempt.
    Attempts,
}

/// Counters against a machine without any that is laid out whole, all answers, and against the definition, on random words.
/// `early`: that it holds is never said late, if finite completions count.
pub(super) fn compare_counters(
    by: By,
    rng: &mut Rng,
    formula: &Psl<AtomId>,
    lengths: std::ops::Range<usize>,
    early: bool,
) -> bool {
    let (budget, atoms) = (Budget::unlimited(), two_atoms());
    let property = Linear::Psl(formula.clone());
    let zero = Zero(Value::Number(Number::ZERO));
    let mut compared = false;
    for (view, completions) in
        [(View::Events, Completions::Finite), (View::States, Completions::Both), (View::Events, Completions::Infinite)]
    {
        let made = match by {
            By::Counters => Machine::with_counters(&property, &atoms, view, completions, true, &budget).unwrap(),
            By::Attempts => Machine::by_attempts(&property, &atoms, view, &budget).unwrap(),
        };
        let Some(mut counters) = made else { return false };
        let mut whole = Machine::new(&property, &atoms, view, completions, &budget).unwrap();
        if whole.states().is_none() {
            return compared;
        }
        compared = true;
        for _ in 0..12 {
            let (mut here, mut there) = (counters.start(), whole.start());
            let dense = rng.u32(1..4);
            let mut rows = vec![Vec::new(), Vec::new()];
            for length in 0..rng.usize(lengths.clone()) {
                let (own, other) = (counters.answers(&here), whole.answers(&there));
                let told = || format!("{formula:?} over {completions:?} on {rows:?}");
                assert_eq!(own.satisfied, other.satisfied, "{}", told());
                if length > 0 {
                    let word = eval::Word::from_rows(rows.clone(), length);
                    assert_eq!(own.satisfied, eval::psl_holds(formula, &word), "by definition, {}", told());
                }
                if counters.is_exact() && whole.is_exact() {
                    assert_eq!(own, other, "{}", told());
                } else if own.prospect != Prospect::Open
                    || early && view == View::Events && completions != Completions::Infinite
                {
                    let holds = [own, other].map(|answers| answers.prospect == Prospect::Holds);
                    assert_eq!(holds[0], holds[1], "{}", told());
                    assert!(own.prospect == Prospect::Open || own.prospect == other.prospect, "{}", told());
                }
                if own.monitorable.is_some() && other.monitorable.is_some() {
                    assert_eq!(own.monitorable, other.monitorable, "{}", told());
                }
                let letter = [rng.u32(..4) < dense, rng.u32(..4) < dense];
                rows.iter_mut().zip(letter).for_each(|(row, truth)| row.push(truth));
                there = whole.step(&there, &letter, &zero, &budget).unwrap();
                // What is written is read back, and a step from a copy is the same step.
                let mut text = String::new();
                counters.write(&here, &mut text);
                let again = counters.read(&text, 2, &budget).unwrap().expect("it was written");
                let copied = counters.step(&again, &letter, &zero, &budget).unwrap();
                counters.advance(&mut here, &letter, &zero, &budget).unwrap();
                assert_eq!(counters.answers(&copied), counters.answers(&here), "{formula:?} on {rows:?}");
            }
        }
    }
    compared
}

#[test]
fn counters_answer_as_states_do() {
    let mut compared = 0;
    for_seeds(600, |rng, _| {
        let formula = waiting(rng, &[AtomId(0), AtomId(1)], 3);
        compared += u32::from(compare_counters(By::Counters, rng, &formula, 1..14, false));
    });
    assert!(compared > 150, "only {compared}");
}

#[test]
fn larger_counters_answer_as_states_do() {
    let mut compared = 0;
    for_seeds(100, |rng, _| {
        let most = rng.u32(4..12);
        let formula = waiting(rng, &[AtomId(0), AtomId(1)], most);
        compared += u32::from(compare_counters(By::Counters, rng, &formula, 20..60, false));
    });
    assert!(compared > 30, "only {compared}");
}

/// What is owed after each match, and cannot be paid with one letter, is no longer owed where no match can come any more.
#[test]
fn what_is_no_longer_owed_holds_at_once() {
    let atoms = [AtomId(0), AtomId(1)];
    let mut compared = 0;
    for_seeds(200, |rng, _| {
        let guard = |rng: &mut Rng| Guard::Atom(atoms[rng.usize(..2)]);
        let part = |rng: &mut Rng| match (rng.u32(..3), Times::exactly(rng.u32(1..4))) {
            (0, _) => Sere::Bool(guard(rng)),
            (1, times) => Sere::Repeat(Box::new(Sere::Bool(guard(rng))), times),
            (_, times) => Sere::Goto(guard(rng), times),
        };
        let trigger: Vec<_> = (0..rng.usize(1..4)).map(|_| part(rng)).collect();
        let mut owed = vec![Sere::Bool(guard(rng)), part(rng)];
        owed.extend((0..rng.usize(..2)).map(|_| part(rng)));
        let owed = Psl::Sere { sere: Sere::Chain(SereOp::Concat, owed), strong: true };
        let suffix = if rng.bool() { Suffix::After } else { Suffix::Overlapping };
        let formula = Psl::Suffix(suffix, Sere::Chain(SereOp::Concat, trigger), Box::new(owed));
        compared += u32::from(compare_counters(By::Counters, rng, &formula, 1..14, true));
    });
    assert!(compared > 50, "only {compared}");
}

/// Every formula that dice make, as far as it waits for one match.
#[test]
fn formulas_with_counters_hold_where_the_definition_says() {
    for_seeds(600, |rng, _| {
        let size = rng.usize(1..12);
        let formula = random::psl(rng, &[AtomId(0), AtomId(1)], size);
        compare_counters(By::Counters, rng, &formula, 1..8, false);
    });
}
