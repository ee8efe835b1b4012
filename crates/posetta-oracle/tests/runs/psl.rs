//! PSL: one word, and all orders of a run, against the definition.

use posetta_base::{Budget, EventId, Verdict};
use posetta_check::{Options, Runs, check};
use posetta_logic::eval::{Word, psl_holds};
use posetta_logic::{Atom, AtomId, Formula, Property, Psl, View, parse_psl};
use posetta_oracle::answer::{assert_right, runs};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::engines::engines;
use posetta_oracle::psl::{Meaning, over_all_runs, satisfies};
use posetta_oracle::random::{Case, psl, psl_case};
use posetta_trace::Trace;

/// Every word of this many letters over two atoms: rows of truth, one letter each.
fn words(length: u32) -> impl Iterator<Item = Vec<Vec<bool>>> {
    (0..4_u32.pow(length)).map(move |code| {
        let letter = |i: u32| vec![code >> (2 * i) & 1 == 1, code >> (2 * i + 1) & 1 == 1];
        (0..length).map(letter).collect()
    })
}

fn library_word(rows: &[Vec<bool>], atoms: usize) -> Word {
    let row = |atom: usize| rows.iter().map(|row| row[atom]).collect();
    Word::from_rows((0..atoms).map(row).collect(), rows.len())
}

/// A random formula over two atoms, and what it means.
fn formula(rng: &mut fastrand::Rng) -> (Psl<AtomId>, Meaning) {
    loop {
        let size = rng.usize(..9);
        let formula = psl(rng, &[AtomId(0), AtomId(1)], size);
        let meaning = Meaning::of(&formula, &mut |atom: &AtomId| atom.0);
        if meaning.states() <= 50 {
            return (formula, meaning);
        }
    }
}

fn compare_words(count: u64, length: u32) {
    let mut shares = Shares::default();
    for_seeds(count, |rng, seed| {
        let (formula, meaning) = formula(rng);
        for rows in (0..=length).flat_map(words) {
            let expected = meaning.on_rows(&rows);
            let found = psl_holds(&formula, &library_word(&rows, 2));
            assert_eq!(found, expected, "seed {seed}: {formula:?} on {rows:?}");
            shares.add(if expected { "holds" } else { "violated" });
        }
    });
    shares.at_least_a_fifth("PSL on words", &["holds", "violated"]);
}

#[test]
fn every_word_up_to_six_letters() {
    compare_words(25, 6);
}

#[test]
fn many_formulas_on_short_words() {
    compare_words(600, 3);
}

/// Small words that tell, as people write the formulas.
#[test]
fn words_that_tell() {
    for (text, word, expected) in [
        ("{a:[*0]}!", "a", false),
        ("{a[*] && b}!", "b", false),
        ("{a[*] && b}!", "ab", true),
        ("{{a[*];b}[*];c}!", "a c", false),
        ("{{a[*];b}[*];c}!", "a b c", true),
        ("({a;b} && {a})! abort c", "c", false),
        ("(X! ({a;b} && {a})!) abort c", "c", false),
        ("{a;false}! abort b", "a b", true),
        ("{a;false}! abort b", "a", false),
        ("{a;false}", "a", true),
        ("{a;false}", "a a", false),
        ("(X! a) abort c", "c", true),
        ("X! a", "b", false),
        ("X a", "b", true),
        ("next[2] a", "b b b", false),
        ("next[2] a", "b b", true),
        ("next![2] a", "b b", false),
        ("{a;b} |-> c", "a bc", true),
        ("{a;b} |-> c", "a b", false),
        ("{a;b} |=> c", "a b", true),
        ("{a;b} |=> c", "a b a", false),
        ("<{a;b}> c", "a b", false),
        ("<{a;b}> c", "a bc", true),
        ("never {a;b}", "b a - b", true),
        ("never {a;b}", "b a b", false),
        ("eventually! {a;b}", "b a b", true),
        ("eventually! {a;b}", "b a a", false),
        ("always {a} |=> b", "a ab b c", true),
        ("always {a} |=> b", "a ab c", false),
        ("{b[->2];c}!", "a b a b c", true),
        ("{b[->2];c}!", "a b a b a c", false),
        ("{b[=2];c}!", "a b a b a c", true),
        ("{b[=0];c}!", "c", true),
        ("{b within {a;a[*];c}}!", "a ab c", true),
        ("{b & {a;c}}!", "a c", false),
        ("{b & {a;c}}!", "ab c", true),
        ("{a[*1:2];b}!", "a a a b", false),
        ("{a[*1..2];b}!", "a a b", true),
        ("{a[+];b}!", "b", false),
        ("a until! b", "a a", false),
        ("a until b", "a a", true),
        ("a until!_ b", "a b", false),
        ("a until!_ b", "a ab", true),
        ("a before! b", "- b", false),
        ("a before! b", "- ab", false),
        ("a before!_ b", "- ab", true),
        ("a before b", "- -", true),
        ("!b", "a", true),
        ("a || X! b", "", true),
        ("a", "", true),
        ("!a", "", true),
        ("{a}", "", true),
        ("!{a}", "", false),
        ("{a}!", "", false),
        ("G a", "", true),
        ("F a", "", false),
        ("a U b", "", false),
        ("{a} |-> b", "", true),
        ("<{a}> b", "", false),
        ("{a} -> X! b", "", false),
    ] {
        let formula = parse_psl(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let (meaning, atoms) = Meaning::over_atoms(&formula);
        let row = |letter: &str| atoms.iter().map(|atom| letter.contains(&atom.to_string())).collect::<Vec<bool>>();
        let rows: Vec<Vec<bool>> = word.split_whitespace().map(row).collect();
        assert_eq!(meaning.on_rows(&rows), expected, "the definition: {text} on `{word}`");
        let place = |atom: &Atom| AtomId(atoms.iter().position(|a| a == atom).expect("known") as u32);
        let over_ids = formula.map_atoms(&mut |atom| place(atom));
        assert_eq!(psl_holds(&over_ids, &library_word(&rows, atoms.len())), expected, "{text} on `{word}`");
    }
}

/// The property, as if it had been typed: printed and read back. It must say the same.
fn property(view: View, formula: &Psl) -> Property {
    let text = formula.to_string();
    let property = Property::psl_over(view, &text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let Formula::Psl(read_view, read) = &property.formula else { panic!("{text} is read as something else") };
    assert_eq!((*read_view, read), (view, formula), "{text} is read as something else");
    property
}

/// Everything that the checker says about one case, by every engine. Answers which runs satisfy the formula.
fn compare(trace: &Trace, view: View, formula: &Psl, about: &str) -> Runs {
    let tally = over_all_runs(trace, view, formula);
    let property = property(view, formula);
    let on_run = |run: &[EventId]| satisfies(trace, run, view, formula);
    for (name, options) in engines() {
        let about = format!("{name}, {about}");
        let answer = |options: &Options| {
            check(trace, &property, options, &Budget::unlimited()).unwrap_or_else(|e| panic!("refused: {e:?}: {about}"))
        };
        let full = answer(&options);
        assert_right(trace, &full, tally, &on_run, &about);
        let only = answer(&options.verdict_only(true));
        assert_eq!(only.verdict.word(), full.verdict.word(), "only the verdict, {about}");
        if let Verdict::Violated(witness) = &only.verdict {
            assert!(!on_run(witness), "only the verdict, {witness:?}: {about}");
        }
    }
    runs(tally)
}

fn compare_random(what: &str, view: View) {
    let (mut verdicts, mut orders) = (Shares::default(), Shares::default());
    for_seeds(300, |rng, seed| {
        let Case { plan, formula } = psl_case(rng, view);
        let trace = plan.build().expect("edges lead forward");
        let about = format!("seed {seed}, {view:?}: {formula}\non\n{plan}");
        let (verdict, word) = match compare(&trace, view, &formula, &about) {
            Runs::All => ("holds", "all"),
            Runs::None => ("violated", "none"),
            _ => ("violated", "some"),
        };
        verdicts.add(verdict);
        orders.add(word);
    });
    verdicts.at_least_a_fifth(what, &["holds", "violated"]);
    orders.at_least(0.1, what, &["some"]);
}

#[test]
fn over_states() {
    compare_random("PSL over states", View::States);
}

#[test]
fn over_events() {
    compare_random("PSL over events", View::Events);
}
