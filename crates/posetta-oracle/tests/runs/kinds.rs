//! Which words can come, the automaton of a formula, and what kind of property it is, against enumeration.

use std::collections::BTreeSet;

use posetta_automata::{Dfa, StateId, minimize};
use posetta_base::{Budget, Value};
use posetta_compile::{Character, Finding, Linear, Proof, Reason, character, deterministic};
use posetta_logic::{Atom, AtomId, Formula, Happening, Letters, Ltl, Memory, Property, View};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::ltl::on_word;
use posetta_oracle::order::Order;
use posetta_oracle::random::{Case, SmallCase, Tense, ltl_case, random_run, small_case};
use posetta_oracle::state::State;
use posetta_oracle::word::{holds_at, word};
use posetta_oracle::world::{Deed, Row, holds};

/// Whether a word satisfies a formula, by the oracle.
fn satisfies(formula: &Ltl, atoms: &[Atom], word: &[Row]) -> bool {
    let place = |atom: &Atom| atoms.iter().position(|a| a == atom).expect("every atom was met");
    on_word(formula, word.len(), &|atom, i| word[i][place(atom)])
}

fn length(atoms: usize) -> usize {
    [6, 6, 4, 3][atoms.min(3)]
}

/// The words that the library says can come.
fn library_words(letters: &Letters, length: usize) -> BTreeSet<Vec<Row>> {
    let mut all = BTreeSet::new();
    let mut level: BTreeSet<(Vec<Row>, Option<Memory>)> = [(Vec::new(), None)].into();
    for _ in 0..length {
        let mut longer = BTreeSet::new();
        for (word, memory) in level {
            for step in letters.steps_after(memory) {
                let mut word: Vec<Row> = word.clone();
                word.push(letters.vector(letters.letter(step)).to_vec());
                longer.insert((word, Some(letters.after(step))));
            }
        }
        all.extend(longer.iter().map(|(word, _)| word.clone()));
        level = longer;
    }
    all
}

fn state_after(dfa: &Dfa, letters: &Letters, word: &[Row]) -> StateId {
    word.iter().fold(dfa.start(), |state, row| {
        let letter = letters.iter().find(|&l| letters.vector(l) == &row[..]).expect("a letter that can come");
        dfa.after(state, letter).expect("a letter that can come here")
    })
}

struct Subject {
    property: Property,
    formula: Ltl,
    over_atoms: Ltl<AtomId>,
    letters: Letters,
    atoms: Vec<Atom>,
    words: BTreeSet<Vec<Row>>,
    about: String,
}

fn subject(case: SmallCase, view: View, seed: u64) -> Subject {
    let SmallCase { world, atoms, formula } = case;
    let property = Property::ltl_over(view, &formula.to_string()).unwrap();
    assert_eq!(property.formula, Formula::Ltl(view, formula.clone()));
    let (over_atoms, letters) = Letters::new(&formula, view, &Budget::unlimited()).unwrap();
    assert_eq!(letters.atoms().len(), atoms.len());
    let words = world.words(&atoms, view, length(atoms.len()));
    let about = format!("seed {seed}, {view:?}: {formula}");
    Subject { property, formula, over_atoms, letters, atoms, words, about }
}

fn for_subjects(count: u64, on: u32, mut check: impl FnMut(Subject)) {
    for_seeds(count, |rng, seed| {
        let view = if rng.bool() { View::States } else { View::Events };
        check(subject(small_case(rng, on), view, seed));
    });
}

#[test]
fn the_words_that_can_come() {
    let mut shares = Shares::default();
    for_subjects(1_500, 60, |s| {
        let seen = library_words(&s.letters, length(s.atoms.len()));
        if s.letters.is_exact() {
            assert_eq!(seen, s.words, "{}", s.about);
        } else {
            assert!(seen.is_superset(&s.words), "{}", s.about);
        }
        shares.add(match (s.letters.is_exact(), s.letters.memories() > 1) {
            (false, _) => "not exact",
            (true, true) => "values are kept",
            (true, false) => "free",
        });
    });
    shares.at_least_a_fifth("words", &["free", "values are kept"]);
}

#[test]
fn the_automaton_accepts_what_satisfies() {
    let mut shares = Shares::default();
    for_subjects(1_500, 40, |s| {
        let dfa = deterministic(&Linear::Ltl(s.over_atoms.clone()), &s.letters, &Budget::unlimited()).unwrap();
        if s.letters.view() == View::Events {
            assert_eq!(dfa.accepts(dfa.start()), satisfies(&s.formula, &s.atoms, &[]), "{}", s.about);
        }
        for word in &s.words {
            let expected = satisfies(&s.formula, &s.atoms, word);
            let state = state_after(&dfa, &s.letters, word);
            assert_eq!(dfa.accepts(state), expected, "{} on {word:?}", s.about);
            shares.add(if expected { "holds" } else { "violated" });
        }
    });
    shares.at_least_a_fifth("words", &["holds", "violated"]);
}

#[test]
fn the_automaton_is_the_smallest_and_the_only_one() {
    for_subjects(800, 40, |s| {
        let build = |f: &Ltl<AtomId>| deterministic(&Linear::Ltl(f.clone()), &s.letters, &Budget::unlimited()).unwrap();
        let dfa = build(&s.over_atoms);
        // Every pair of states is told apart by a word, except a start that nobody asks about.
        let mut apart: BTreeSet<(u32, u32)> = BTreeSet::new();
        let from = u32::from(!dfa.alphabet().empty_word || dfa.alphabet().first != dfa.alphabet().later);
        let from = if (1..dfa.len() as u32).any(|q| dfa.row(StateId(q)).contains(&dfa.start())) { 0 } else { from };
        let pairs: Vec<(u32, u32)> =
            (from..dfa.len() as u32).flat_map(|p| (from..dfa.len() as u32).map(move |q| (p, q))).collect();
        loop {
            let before = apart.len();
            for &(p, q) in &pairs {
                let differ = dfa.accepts(StateId(p)) != dfa.accepts(StateId(q));
                let after = || dfa.row(StateId(p)).iter().zip(dfa.row(StateId(q)));
                if differ || after().any(|(a, b)| apart.contains(&(a.0, b.0))) {
                    apart.insert((p, q));
                }
            }
            if apart.len() == before {
                break;
            }
        }
        for (p, q) in pairs {
            assert!(p == q || apart.contains(&(p, q)), "{}: states {p} and {q} are the same", s.about);
        }
        // Numbered by a search along the letters.
        let mut next = 1;
        for state in dfa.states() {
            for target in dfa.row(state) {
                assert!(target.0 <= next, "{}", s.about);
                next = next.max(target.0 + 1);
            }
        }
        let not = |f: Ltl<AtomId>| Ltl::Not(Box::new(f));
        let twice = not(Ltl::And(vec![not(s.over_atoms.clone()), not(s.over_atoms.clone())]));
        assert_eq!(build(&twice), dfa, "{}", s.about);
        assert_eq!(minimize(&dfa, &Budget::unlimited()).unwrap(), dfa, "{}", s.about);
        if s.letters.view() == View::Events {
            assert_eq!(build(&not(s.over_atoms.clone())), dfa.clone().complement(), "{}", s.about);
        }
    });
}

/// The rows of a sample, recomputed from its values; also checks that what is not assigned keeps its value.
fn rows(s: &Subject, positions: &[Happening]) -> Vec<Row> {
    let variables = s.letters.variables();
    let mut before: Option<&Vec<Value>> = None;
    positions
        .iter()
        .enumerate()
        .map(|(i, p)| {
            let values = p.state.as_ref().expect("these atoms are all linear");
            let state: State<'_> = variables.iter().map(String::as_str).zip(values).collect();
            assert_eq!(p.event, i > 0 || s.letters.view() == View::Events, "{}", s.about);
            if let Some(before) = before.replace(values) {
                for v in 0..variables.len() {
                    assert!(p.sets.contains(&v) || before[v] == values[v], "{}: {positions:?}", s.about);
                }
            }
            let sets: Vec<&str> = p.sets.iter().map(|&v| variables[v].as_str()).collect();
            let deed = Deed { sets: &sets, name: p.name.as_deref(), process: p.process.as_deref() };
            let row: Row = s.atoms.iter().map(|a| holds(a, &state, p.event.then_some(deed))).collect();
            assert_eq!(row, p.atoms, "{}: {positions:?}", s.about);
            row
        })
        .collect()
}

/// A "no" must be shown by words; a "yes" must not be refuted by an enumerated one.
fn judge(s: &Subject, what: &str, finding: &Finding, shown: impl Fn(&Proof, &[Row]) -> bool, refuted: bool) {
    match finding {
        Finding::Yes => assert!(!refuted, "{}: said to be {what}", s.about),
        Finding::No(proof) => {
            let rows = rows(s, &proof.sample.positions);
            assert!(shown(proof, &rows), "{}: not {what} because of {proof:?}", s.about);
        }
        Finding::Unknown(Reason::Approximate) => assert!(!s.letters.is_exact(), "{}: {what}", s.about),
        Finding::Unknown(reason) => panic!("{}: {what} is unknown: {reason:?}", s.about),
    }
}

#[test]
fn what_kind_of_property_it_is() {
    let mut shares = Shares::default();
    for_subjects(2_000, 40, |s| {
        let Character { safety, guarantee, stutter_invariant, tautology, contradiction, empty_word, .. } =
            character(&s.property, &Linear::Ltl(s.over_atoms.clone()), &s.letters, &Budget::unlimited()).unwrap();
        let sat = |word: &[Row]| satisfies(&s.formula, &s.atoms, word);
        assert_eq!(empty_word, (s.letters.view() == View::Events).then(|| sat(&[])), "{}", s.about);
        let turns = |to: bool| {
            let turned = |w: &Vec<Row>| sat(w) == to && (1..w.len()).any(|n| sat(&w[..n]) != to);
            s.words.iter().any(turned)
        };
        let closed = |to: bool| {
            move |p: &Proof, w: &[Row]| {
                p.at >= 1 && p.at < w.len() && p.holds == to && sat(w) == to && sat(&w[..p.at]) != to
            }
        };
        judge(&s, "safety", &safety, closed(true), turns(true));
        judge(&s, "guarantee", &guarantee, closed(false), turns(false));
        judge(&s, "a tautology", &tautology, |_, w| !w.is_empty() && !sat(w), s.words.iter().any(|w| !sat(w)));
        judge(&s, "a contradiction", &contradiction, |_, w| !w.is_empty() && sat(w), s.words.iter().any(|w| sat(w)));
        let without = |w: &[Row], i: usize| [&w[..i], &w[i + 1..]].concat();
        let matters = |w: &Vec<Row>| {
            // Equal rows next to each other are a repetition if the shorter word can come too; a proof says more.
            (1..w.len()).any(|i| w[i] == w[i - 1] && s.words.contains(&without(w, i)) && sat(w) != sat(&without(w, i)))
        };
        let shown = |p: &Proof, w: &[Row]| {
            p.at + 1 < w.len()
                && w[p.at] == w[p.at + 1]
                && p.sample.positions[p.at].state == p.sample.positions[p.at + 1].state
                && sat(w) == p.holds
                && sat(&without(w, p.at)) != p.holds
        };
        // Where the shorter word can come, repeating its event gives the longer one.
        let refuted = s.letters.is_exact() && s.words.iter().any(matters);
        judge(&s, "stutter-invariant", &stutter_invariant, shown, refuted);
        shares.add(match (&safety, &guarantee) {
            (Finding::Yes, Finding::Yes) => "both",
            (Finding::Yes, _) => "safety",
            (_, Finding::Yes) => "guarantee",
            _ => "neither",
        });
    });
    shares.at_least_a_fifth("kinds", &["both"]);
}

/// The words of real runs, with atoms of every sort: they can come, and the automaton answers them as the definition does.
#[test]
fn the_words_of_runs_can_come() {
    let mut shares = Shares::default();
    for_seeds(1_500, |rng, seed| {
        let view = if rng.bool() { View::States } else { View::Events };
        let Case { plan, formula } = ltl_case(rng, view, Tense::PastAndFuture);
        let trace = plan.build().unwrap();
        let mut atoms: Vec<Atom> = Vec::new();
        let _ = formula.map_atoms(&mut |atom: &Atom| {
            if !atoms.contains(atom) {
                atoms.push(atom.clone());
            }
        });
        let budget = Budget::with_memory(4 << 20);
        let Ok((over_atoms, letters)) = Letters::new(&formula, view, &budget) else { return shares.add("too many") };
        if letters.len() > 200 {
            return shares.add("too many");
        }
        let dfa = deterministic(&Linear::Ltl(over_atoms.clone()), &letters, &budget);
        let order = Order::of(&trace);
        for _ in 0..4 {
            let run = random_run(rng, &order);
            let rows: Vec<Row> = word(&trace, &run, view)
                .iter()
                .map(|letter| atoms.iter().map(|atom| holds_at(&trace, letter, atom)).collect())
                .collect();
            let about = format!("seed {seed}, {view:?}: {formula}\non {run:?} of\n{plan}");
            let mut memories: BTreeSet<Option<Memory>> = [None].into();
            for row in &rows {
                let steps = memories.iter().flat_map(|&m| letters.steps_after(m));
                memories = steps
                    .filter(|&step| letters.vector(letters.letter(step)) == &row[..])
                    .map(|step| Some(letters.after(step)))
                    .collect();
                assert!(!memories.is_empty(), "{row:?} cannot come: {about}");
            }
            if let Ok(dfa) = &dfa {
                let end = state_after(dfa, &letters, &rows);
                if !rows.is_empty() || view == View::Events {
                    assert_eq!(dfa.accepts(end), satisfies(&formula, &atoms, &rows), "{about}");
                }
            }
        }
        shares.add("followed");
    });
    shares.at_least_a_fifth("runs", &["followed"]);
}
