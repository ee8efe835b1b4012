//! M2L on systems of components against the definition: the observed actions of every finite run, one word after the other.

use std::collections::BTreeSet;

use fastrand::Rng;
use posetta_base::{ActionId, Budget, Verdict};
use posetta_logic::Property;
use posetta_logic::m2l::Program;
use posetta_model::system::{Demand, End, Finite, Run, Spec, System};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::m2l::{Value, holds};
use posetta_oracle::random::{NetworkTaste, m2l_property, network};
use posetta_oracle::system::written::show;
use posetta_oracle::system::{MOST_STATES, Space, runs};
use posetta_verify::system::{Engine, Options, Question};

/// Words up to this length are looked at one by one.
const LONGEST: usize = 4;

/// Whether a word satisfies the formula.
fn satisfies(program: &Program, sets: &[ActionId], word: &[ActionId]) -> bool {
    let places = |action: &ActionId| {
        let at = word.iter().enumerate().filter(|(_, a)| *a == action);
        Value::Places(at.fold(0, |bits, (place, _)| bits | 1 << place))
    };
    let globals: Vec<_> = program.atoms.iter().zip(sets).map(|((var, _), action)| (*var, places(action))).collect();
    holds(program, word.len(), &globals)
}

/// The words of so many observed actions, with the states they can lead to.
fn words(space: &Space<'_>, observed: &[ActionId], length: usize) -> Vec<(Vec<ActionId>, Vec<usize>)> {
    let mut words = vec![(Vec::new(), space.silently_reached(&[0], observed))];
    for _ in 0..length {
        let mut longer = Vec::new();
        for (word, states) in &words {
            for &action in observed {
                let steps = states.iter().flat_map(|&s| &space.steps[s]).filter(|s| s.action == action);
                let next: BTreeSet<usize> = steps.map(|s| s.to).collect();
                if !next.is_empty() {
                    let next = space.silently_reached(&next.into_iter().collect::<Vec<_>>(), observed);
                    longer.push(([&word[..], &[action]].concat(), next));
                }
            }
        }
        words = longer;
    }
    words
}

fn decided(system: &System, demand: Demand, engine: Engine, budget: &Budget) -> Verdict<Option<Run>> {
    let specs = [Spec::plain("it", demand)];
    let mut question = Question::new(system, &specs, Options::default().engine(engine));
    question.decide(budget).expect("no mistakes");
    let answer = question.answer(0).expect("an answer");
    assert_eq!((&answer.support, &answer.most), (&None, &None));
    answer.verdict.clone()
}

/// A system, and a formula about two or three of its actions.
fn case(rng: &mut Rng) -> (System, Finite, Vec<ActionId>) {
    let system = network(rng, NetworkTaste { components: 3, states: 60, nets: true });
    let named: Vec<ActionId> = rng.choose_multiple(system.action_ids(), 2);
    let depth = rng.u32(1..=3);
    let atoms: Vec<String> = (0..named.len()).map(|n| format!("event(\"{n}\")")).collect();
    let program = m2l_property(rng, &atoms.iter().map(String::as_str).collect::<Vec<_>>(), depth);
    let mut observed: Vec<bool> = system.actions.iter().map(|a| !a.internal).collect();
    named.iter().for_each(|a| observed[a.index()] = true);
    let sets = program.atoms.iter().zip(&named).map(|((var, _), a)| (*var, *a)).collect();
    (system, Finite { formula: program.into(), sets, observed }, named)
}

#[test]
fn by_definition() {
    let mut shares = Shares::default();
    for_seeds(500, |rng, seed| {
        let (system, finite, named) = case(rng);
        let about = format!("seed {seed}\n{}\n{}", show(&system), finite.formula.show(&finite.formula.formula));
        let space = Space::of(&system, MOST_STATES).expect("few states");
        let observed: Vec<ActionId> = system.action_ids().filter(|a| finite.observed[a.index()]).collect();
        let bad = |length: &usize| {
            words(&space, &observed, *length).iter().any(|(word, _)| !satisfies(&finite.formula, &named, word))
        };
        let shortest = (0..=LONGEST).find(bad);
        for engine in [Engine::Auto, Engine::Explicit, Engine::Sog] {
            match decided(&system, Demand::Finite(finite.clone()), engine, &Budget::unlimited()) {
                Verdict::Holds => {
                    assert_eq!(shortest, None, "{engine:?}: {about}");
                    shares.add("holds");
                }
                Verdict::Violated(Some(run)) => {
                    runs::states(&space, &run).unwrap_or_else(|wrong| panic!("{wrong}: {about}"));
                    assert_eq!(run.end, End::Open, "{about}");
                    let word: Vec<ActionId> =
                        run.steps.iter().map(|s| s.action).filter(|a| finite.observed[a.index()]).collect();
                    assert!(word.len() > LONGEST || !satisfies(&finite.formula, &named, &word), "{word:?}: {about}");
                    assert_eq!(shortest, Some(word.len()).filter(|&n| n <= LONGEST), "{engine:?}: {about}");
                    shares.add(if word.is_empty() { "violated at once" } else { "violated" });
                }
                verdict => panic!("{engine:?}: {verdict:?}: {about}"),
            }
        }
    });
    shares.at_least(0.1, "finite runs", &["holds", "violated"]);
}

/// A property as it is written.
#[test]
fn as_written() {
    let system = posetta_oracle::system::written::system(&[&["0 a 1", "1 T 2", "2 b 0", "1 b 1"]]);
    let ask = |text: &str, observe: &[ActionId]| {
        let property = Property::m2l_over(posetta_logic::View::Events, text).expect("a property");
        let spec = system.bind(&property, observe).expect("it is about actions");
        matches!(decided(&system, spec.demand, Engine::Auto, &Budget::unlimited()), Verdict::Holds)
    };
    assert!(ask("all1 p: p in `b` => ex1 q: q < p & q in `a`", &[]));
    // What comes next is what is observed next.
    assert!(!ask("all1 p: p in `b` => p - 1 in `a`", &[]));
    assert!(!ask("all1 p where p + 1 in $: p in `a` => p + 1 in `b`", &system.action_ids().collect::<Vec<_>>()));
    assert!(ask("all1 p where p + 1 in $: p in `a` => p + 1 in `b`", &[]));
    assert!(!ask("all1 p: p in `T` => p - 1 in `a` & p + 1 in `b`", &[]), "a run may stop there");
}
