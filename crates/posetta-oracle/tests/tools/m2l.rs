//! M2L by automata against the definition and against MONA: answers, the lengths of examples, the examples themselves, and what the
//! automata say of every short string.
//!
//! MONA is asked without its optimisations; `m2l_definition.rs` says where the definition deviates from it.

use fastrand::Rng;
use posetta_automata::tracks::{Bit, Said};
use posetta_base::Budget;
use posetta_compile::m2l::{Answer, Automaton, Decision, Engine, Example, automaton, decide, language};
use posetta_logic::AtomId;
use posetta_logic::eval::{M2L_STEPS, Word, m2l_holds};
use posetta_logic::m2l::{Formula, Mode, Order, Program, VarId, read_program};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::m2l::{Eval, Says, Text, Value, holds, says, search};
use posetta_oracle::mona::{self, Mona, text};
use posetta_oracle::random::{M2lTaste, m2l_program, m2l_property};

const LONGEST: usize = 6;

fn formulas(program: &Program) -> Vec<&Formula> {
    [&program.formula].into_iter().chain(program.verify.iter().map(|v| &v.formula)).collect()
}

/// Every engine finds examples of the same lengths.
fn decided(program: &Program, text: &str) -> Vec<Decision> {
    let decisions = decided_by(Engine::Auto, program, text);
    for engine in [Engine::Eager, Engine::Lazy, Engine::Written] {
        let others = decided_by(engine, program, text);
        assert!(decisions.iter().map(lengths).eq(others.iter().map(lengths)), "by {engine:?}\n{text}");
    }
    decisions
}

fn lengths(decision: &Decision) -> mona::Answer {
    let length = |example: &Option<Example>| example.as_ref().map(|e| e.length);
    mona::Answer { no: length(&decision.counterexample), yes: length(&decision.example) }
}

fn decided_by(engine: Engine, program: &Program, text: &str) -> Vec<Decision> {
    let decisions = decide(program, engine, &Budget::unlimited()).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let titles = [None].into_iter().chain(program.verify.iter().map(|v| v.title.clone()));
    assert!(decisions.iter().map(|d| d.title.clone()).eq(titles), "the titles\n{text}");
    for d in &decisions {
        let expected = match (&d.counterexample, &d.example) {
            (_, None) => Answer::Unsatisfiable,
            (None, Some(_)) => Answer::Valid,
            (Some(_), Some(_)) => Answer::Neither,
        };
        assert_eq!(d.answer, expected, "{text}");
    }
    decisions
}

fn word(decision: &Decision) -> &'static str {
    match (decision.answer, &decision.counterexample) {
        (Answer::Valid, _) => "valid",
        (Answer::Unsatisfiable, None) => "nothing said",
        (Answer::Unsatisfiable, _) => "unsatisfiable",
        (Answer::Neither, _) => "neither",
    }
}

/// A string of an example, with any bit where it does not matter.
fn string(program: &Program, example: &Example, rng: &mut Rng) -> Text {
    let length = example.length;
    let mut shown = example.vars.iter();
    let values = program.globals.iter().map(|&var| {
        if program.all_positions == Some(var) {
            return Value::Places((1 << length) - 1);
        }
        if program.last_position == Some(var) {
            return Value::Place(length.checked_sub(1).map(|n| n as u32));
        }
        let (name, before, bits) = shown.next().expect("every global but these is shown");
        assert_eq!((*name, bits.len()), (var, length));
        let mut set = |bit: &Bit| match bit {
            Bit::Zero => false,
            Bit::One => true,
            Bit::Any => rng.bool(),
        };
        let places: u128 = bits.iter().enumerate().map(|(n, bit)| u128::from(set(bit)) << n).sum();
        match program.vars[var.index()].order {
            Order::Zero => Value::Truth(set(before)),
            Order::One => Value::Place((places != 0).then(|| places.trailing_zeros())),
            Order::Two => Value::Places(places),
        }
    });
    Text { length, values: values.collect() }
}

/// What the definition says of an example; nothing at all when that takes too long.
fn replay(program: &Program, formula: &Formula, example: &Example, rng: &mut Rng) -> Option<(Text, Says)> {
    let text = string(program, example, rng);
    let said = says(program, formula, &text)?;
    Some((text, said))
}

fn taste(rng: &mut Rng, mode: Mode, let_truth: bool) -> M2lTaste {
    M2lTaste { mode, depth: rng.u32(1..=4), let_truth, restrict: true, prefix: rng.u32(..4) == 0, sets: true }
}

fn against_definition(mode: Mode) {
    let (mut shares, mut tried, mut replayed) = (Shares::default(), Shares::default(), Shares::default());
    for_seeds(700, |rng, _| {
        let taste = taste(rng, mode, true);
        let program = m2l_program(rng, taste);
        let text = text(&program);
        for (formula, decision) in formulas(&program).into_iter().zip(decided(&program, &text)) {
            shares.add(word(&decision));
            let found = search(&program, formula, LONGEST, 60_000);
            let whole = found.below > LONGEST || found.yes.is_some() && found.no.is_some();
            tried.add(if whole { "all strings" } else { "the shorter ones" });
            let sides = [
                (Says::Yes, decision.example.as_ref(), &found.yes),
                (Says::No, decision.counterexample.as_ref(), &found.no),
            ];
            for (side, example, found_text) in sides {
                let (length, expected) = (example.map(|e| e.length), found_text.as_ref().map(|t| t.length));
                let agree = match (length, expected) {
                    (Some(n), None) => n >= found.below,
                    (n, expected) => n == expected,
                };
                assert!(agree, "{side:?}: {length:?}, {expected:?} below {} by definition\n{text}", found.below);
                let Some(example) = example else { continue };
                match replay(&program, formula, example, rng) {
                    Some((string, said)) => {
                        assert_eq!(said, side, "{string:?} of {example:?}\n{text}");
                        replayed.add("replayed");
                    }
                    None => replayed.add("too long"),
                }
            }
        }
    });
    let name = format!("{mode:?}");
    shares.at_least(0.05, &name, &["valid", "unsatisfiable", "neither"]);
    tried.at_least(0.3, &name, &["all strings"]);
    replayed.at_least(0.8, &name, &["replayed"]);
}

fn against_mona(mode: Mode) {
    let Some(mona) = Mona::find() else { return };
    let mut shares = Shares::default();
    for_seeds(700, |rng, _| {
        let taste = taste(rng, mode, false);
        let program = m2l_program(rng, taste);
        let text = text(&program);
        let expected = mona.ask(&text, 0).unwrap_or_else(|said| panic!("{said}\n{text}"));
        let decisions = decided(&program, &text);
        assert_eq!(decisions.iter().map(lengths).collect::<Vec<_>>(), expected, "by us, and by MONA\n{text}");
        // As text it is the same, MONA's way and ours.
        let read = |text: &str| {
            let program = read_program("", text, &mut |_, _| panic!("nothing is included"));
            program.unwrap_or_else(|e| panic!("{e:?}\n{text}"))
        };
        let ours = read(&text).to_string();
        let read = decided_by(Engine::Auto, &read(&ours), &text);
        assert_eq!(read.iter().map(lengths).collect::<Vec<_>>(), expected, "once read\n{text}");
        assert_eq!(mona.ask(&ours, 0).as_ref(), Ok(&expected), "once printed\n{ours}");
        decisions.iter().for_each(|d| shares.add(word(d)));
    });
    shares.at_least(0.05, &format!("{mode:?}, MONA"), &["valid", "unsatisfiable", "neither"]);
}

/// What an automaton says of a string.
fn read(automaton: &Automaton, program: &Program, text: &Text) -> Says {
    let bit = |track: u32, at: Option<usize>| {
        let var = automaton.vars[track as usize];
        let place = program.globals.iter().position(|&v| v == var).expect("its tracks are globals");
        match (text.values[place], at) {
            (Value::Truth(truth), None) => truth,
            (Value::Place(n), Some(at)) => n.is_some_and(|n| n as usize == at),
            (Value::Places(bits), Some(at)) => bits >> at & 1 == 1,
            // Before the string only truth values count, in it all others.
            _ => false,
        }
    };
    let letters = [None].into_iter().chain((0..text.length).map(Some));
    let state = letters.fold(0, |state, at| automaton.dfa.step(state, |track| bit(track, at)));
    match automaton.dfa.said(state) {
        Said::Yes => Says::Yes,
        Said::No => Says::No,
        Said::Nothing => Says::Nothing,
    }
}

fn every_string(mode: Mode) {
    let mut shares = Shares::default();
    for_seeds(300, |rng, _| {
        let taste = taste(rng, mode, true);
        let program = m2l_program(rng, taste);
        let automaton = automaton(&program, &Budget::unlimited()).unwrap_or_else(|e| panic!("{e:?}"));
        let mut eval = Eval::new(&program, 100_000);
        for length in 0..=4 {
            let went_on = eval.for_each_text(length, &mut |eval, values| {
                let said = eval.whole(&program.formula);
                if !eval.is_tired() {
                    let string = Text { length, values: values.to_vec() };
                    assert_eq!(read(&automaton, &program, &string), said, "{string:?}\n{}", text(&program));
                    shares.add(match said {
                        Says::Yes => "yes",
                        Says::No => "no",
                        Says::Nothing => "nothing",
                    });
                }
                true
            });
            if !went_on {
                break;
            }
        }
    });
    shares.at_least(0.1, &format!("{mode:?}, strings"), &["yes", "no", "nothing"]);
}

#[test]
fn every_short_string() {
    every_string(Mode::Ws1s);
    every_string(Mode::M2lStr);
}

#[test]
fn properties_of_words() {
    let mut shares = Shares::default();
    for_seeds(500, |rng, _| {
        let depth = rng.u32(1..=4);
        let program = m2l_property(rng, &["a == 1", "b == 1"], depth);
        let automaton = language(&program, &Budget::unlimited()).unwrap_or_else(|e| panic!("{e:?}"));
        for length in 0..=3usize {
            for code in 0..1u128 << (2 * length) {
                let all = (1 << length) - 1;
                let sets = [all, code & all, code >> length].map(Value::Places);
                let globals: Vec<(VarId, Value)> = program.globals.iter().copied().zip(sets).collect();
                let truth = holds(&program, length, &globals);
                let string = Text { length, values: sets.to_vec() };
                assert_eq!(read(&automaton, &program, &string), Says::of(truth), "{string:?}\n{}", text(&program));
                let row = |set: u128| (0..length).map(|i| set >> i & 1 == 1).collect();
                let word = Word::from_rows(vec![row(code & all), row(code >> length)], length);
                let tried = m2l_holds(&program, &[AtomId(0), AtomId(1)], &word, M2L_STEPS, &Budget::unlimited());
                assert_eq!(tried, Ok(Some(truth)), "replayed: {string:?}\n{}", text(&program));
                shares.add(if truth { "holds" } else { "fails" });
            }
        }
    });
    shares.at_least_a_fifth("properties", &["holds", "fails"]);
}

#[test]
fn numbers_by_definition() {
    against_definition(Mode::Ws1s);
}

#[test]
fn strings_by_definition() {
    against_definition(Mode::M2lStr);
}

#[test]
fn numbers_as_mona() {
    against_mona(Mode::Ws1s);
}

#[test]
fn strings_as_mona() {
    against_mona(Mode::M2lStr);
}
