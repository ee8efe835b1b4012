//! Testers against the definition, beside every short word over two atoms.
//!
//! *Completeness*: beside every word, finite or going round, a tester has a computation. *Soundness*: in each the output says at every
//! position whether the formula holds there.

use posetta_base::Budget;
use posetta_compile::tester::Tester;
use posetta_logic::{Atom, AtomId, Ltl, LtlUnary, Psl, parse_psl};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::completions::Linear;
use posetta_oracle::ltl::past_depth;
use posetta_oracle::psl::{Letter, Meaning, Word};
use posetta_oracle::random::{Tense, ltl_over, psl};
use posetta_oracle::tester::Trial;

const ATOMS: [AtomId; 2] = [AtomId(0), AtomId(1)];

/// Larger testers are not tried: every step is one of 4^n pairs of values.
const MOST_VARS: usize = 7;

/// The words up to a length, each with every place where it may go back to, and none.
fn words(longest: usize) -> Vec<(Vec<u64>, Option<usize>)> {
    let mut all = Vec::new();
    let mut level: Vec<Vec<u64>> = vec![Vec::new()];
    for length in 1..=longest {
        level = level.iter().flat_map(|w| (0..4).map(move |letter| [&w[..], &[letter]].concat())).collect();
        for word in &level {
            all.push((word.clone(), None));
            all.extend((0..length).map(|cycle| (word.clone(), Some(cycle))));
        }
    }
    all
}

fn as_word(word: &[u64], cycle: Option<usize>) -> Word {
    let mut stem: Vec<Letter> = word.iter().map(|&bits| Letter::Truth(bits)).collect();
    let round = cycle.map_or_else(Vec::new, |cycle| stem.split_off(cycle));
    Word { stem, round }
}

/// The position in a word that goes round of which the past can no longer be told from that a round later.
fn unrolled(word: &[u64], cycle: Option<usize>, times: usize) -> (Vec<u64>, Option<usize>) {
    let Some(cycle) = cycle else { return (word.to_vec(), None) };
    let round = &word[cycle..];
    let longer = word.iter().chain((0..times).flat_map(|_| round)).copied().collect();
    (longer, Some(cycle + times * round.len()))
}

fn judge(trial: &Trial<'_>, word: &[u64], cycle: Option<usize>, truth: &[bool], tester: &Tester, about: &str) {
    if let Err(wrong) = trial.judge(word, cycle, truth) {
        let text = tester.print(&|a| ["a", "b"][a.0 as usize].to_owned());
        panic!("{wrong}, beside {word:?} back to {cycle:?}: {about}\n{text}");
    }
}

fn compare_ltl(formula: &Ltl<AtomId>, longest: usize, about: &str) -> &'static str {
    let tester = Tester::ltl(formula, &Budget::unlimited()).expect("no limit");
    let Some(trial) = Trial::new(&tester, MOST_VARS) else { return "too large" };
    let places = formula.map_atoms(&mut |a| a.0);
    let next = |f: &Ltl<u32>| Ltl::Unary(LtlUnary::Next, Box::new(f.clone()));
    for (word, cycle) in words(longest) {
        let (word, cycle) = unrolled(&word, cycle, past_depth(formula));
        let mut at = places.clone();
        let mut truth = Vec::new();
        for _ in 0..word.len() {
            truth.push(Linear::Ltl(at.clone()).holds(&as_word(&word, cycle)));
            at = next(&at);
        }
        judge(&trial, &word, cycle, &truth, &tester, about);
    }
    if tester.vars.is_empty() { "without variables" } else { "with variables" }
}

fn compare_psl(formula: &Psl<AtomId>, longest: usize, about: &str) -> &'static str {
    let tester = Tester::psl(formula, &Budget::unlimited()).expect("no limit");
    let meaning = Meaning::of(formula, &mut |a: &AtomId| a.0);
    // The definition does not read further.
    let Some(trial) = Trial::new(&tester, MOST_VARS).filter(|_| meaning.states() <= 30) else { return "too large" };
    for (word, cycle) in words(longest) {
        let whole = as_word(&word, cycle);
        let truth: Vec<bool> = (0..word.len()).map(|i| meaning.holds(&whole.suffix(i))).collect();
        judge(&trial, &word, cycle, &truth, &tester, about);
    }
    compare_at_first(formula, &meaning, longest, about);
    if tester.vars.is_empty() { "without variables" } else { "with variables" }
}

/// The tester that is right at the first position.
fn compare_at_first(formula: &Psl<AtomId>, meaning: &Meaning, longest: usize, about: &str) {
    let tester = Tester::psl_at_first(formula, &Budget::unlimited()).expect("no limit");
    let Some(trial) = Trial::new(&tester, MOST_VARS) else { return };
    for (word, cycle) in words(longest) {
        let truth = meaning.holds(&as_word(&word, cycle));
        // What the output is later does not matter, and what it is when the word comes back to its first letter neither.
        let (word, cycle) = unrolled(&word, cycle, 1);
        judge(&trial, &word, cycle, &[truth], &tester, about);
    }
}

#[test]
fn ltl() {
    let mut sizes = Shares::default();
    for_seeds(60, |rng, seed| {
        let formula = ltl_over(rng, Tense::PastAndFuture, &|rng| ATOMS[rng.usize(..2)]);
        sizes.add(compare_ltl(&formula, 3, &format!("seed {seed}: {formula:?}")));
    });
    sizes.at_least(0.5, "testers of LTL", &["with variables"]);
}

#[test]
fn psl_formulas() {
    let mut sizes = Shares::default();
    for_seeds(120, |rng, seed| {
        let size = rng.usize(..5);
        let formula = psl(rng, &ATOMS, size);
        sizes.add(compare_psl(&formula, 3, &format!("seed {seed}: {formula:?}")));
    });
    sizes.at_least(0.4, "testers of PSL", &["with variables"]);
}

/// Rounds of four letters beside the smallest formulas.
#[test]
fn longer_words() {
    for_seeds(15, |rng, seed| {
        let size = 1 + rng.usize(..2);
        let formula = psl(rng, &ATOMS, size);
        compare_psl(&formula, 4, &format!("seed {seed}: {formula:?}"));
    });
}

/// Shapes in which testers are easily wrong: what never ends, what ends early, and what not even ⊤ satisfies.
#[test]
fn known_formulas() {
    let formulas = [
        "{a[*]; b}!",
        "{a[*]; b}",
        "!{a[*]; b}",
        "{[*]; a; b}",
        "<{a; b[*]; a}> b",
        "{a[+]; b} |-> next! a",
        "{a[+]; b} |=> a",
        "always ({a; b[*]} |-> eventually! a)",
        "({a; b} && {a})! abort b",
        "({a; b} && {a}) abort b",
        "(a until! b) abort (a && b)",
        "!((next! a) abort b)",
        "((always a) abort b) abort a",
        // Beside a word of one letter the operand is true as it is, and false with ⊤ forever behind it.
        "(next ({a; b} && {a})!) abort b",
        "(always next ({a; b} && {a})!) abort b",
        "!((next! !({a; b} && {a})!) abort b)",
    ];
    for text in formulas {
        let formula = parse_psl(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let atom = |a: &Atom| AtomId(u32::from(Ltl::Atom(a.clone()).to_string() == "b"));
        assert_ne!(compare_psl(&formula.map_atoms(&mut |a| atom(a)), 3, text), "too large", "{text}");
    }
}
