//! Automata of PSL against the definition: every word up to length 6 over two atoms.

use posetta_automata::StateId;
use posetta_base::{Budget, Number, Value};
use posetta_compile::{Automaton, Completions, Linear, Machine, MachineState, Progression};
use posetta_logic::eval::Values;
use posetta_logic::{AtomId, Atoms, Psl, Slot, View, parse_ltl};
use posetta_oracle::cases::for_seeds;
use posetta_oracle::psl::{Letter, Meaning, Word};
use posetta_oracle::random;

struct Zero(Value);

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
    let mut atoms = Atoms::default();
    for name in ["a", "b"] {
        parse_ltl(name).unwrap().map_atoms(&mut |atom| atoms.add(atom));
    }
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
