//! Trace abstractions against the definition: which behaviours have no image, why, whether parts agree, and that a composition never says what flat systems deny.

use std::sync::Arc;

use fastrand::Rng;
use posetta_base::{Budget, Verdict};
use posetta_logic::m2l::{Program, parse_relation};
use posetta_model::system::System;
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::random::m2l_property;
use posetta_oracle::system::abstraction::{self as definition, World, does};
use posetta_oracle::system::refine::has_trace;
use posetta_oracle::system::written::{show, system};
use posetta_oracle::system::{MOST_STATES, Space};
use posetta_verify::abstraction::{
    Abstraction, Constraint, Disagreement, Event, Failing, Part, Premise, Rule, Why, abstraction, compose,
};
use posetta_verify::refine;

/// Words up to this length are looked at one by one.
const LONGEST: usize = 3;

/// A random transition system with these observable actions, all of them in its alphabet, and some of these internal ones; as it is written.
fn arcs(rng: &mut Rng, observable: &[&str], internal: &[&str]) -> Vec<String> {
    let states = rng.usize(1..=3);
    let state = |rng: &mut Rng| rng.usize(..states);
    let mut arcs = vec!["0 Z 9".to_owned()];
    let mut chain = 0;
    for _ in 0..rng.usize(2..=5) {
        let names = if rng.u8(..3) == 0 || internal.is_empty() { observable } else { internal };
        // Mostly from where something leads to.
        let from = if rng.bool() { chain } else { state(rng) };
        chain = state(rng);
        arcs.push(format!("{from} {} {chain}", rng.choice(names).expect("there are names")));
    }
    for name in observable {
        let from = if rng.u8(..3) == 0 { 8 } else { state(rng) };
        arcs.push(format!("{from} {name} {}", state(rng)));
    }
    // The first arc was for the initial state only.
    arcs.remove(0);
    if !arcs[0].starts_with('0') {
        arcs.insert(0, format!("0 {} 0", observable[0]));
    }
    arcs
}

fn random_system(rng: &mut Rng, observable: &[&str], internal: &[&str]) -> System {
    let arcs = arcs(rng, observable, internal);
    system(&[&arcs.iter().map(String::as_str).collect::<Vec<_>>()])
}

/// Two systems as one.
fn both(a: &System, b: &System) -> System {
    let lists: Vec<Vec<String>> = [a, b]
        .iter()
        .map(|s| {
            let posetta_model::system::Behaviour::Lts(lts) = &s.components[0].behaviour else { panic!("an lts") };
            let mut arcs: Vec<_> = lts.arcs.clone();
            arcs.sort_by_key(|arc| arc.from != lts.initial);
            let state = |n: u32| &lts.states[n as usize];
            arcs.iter()
                .map(|arc| format!("{} {} {}", state(arc.from), s.action(arc.action).name, state(arc.to)))
                .collect()
        })
        .collect();
    let lists: Vec<Vec<&str>> = lists.iter().map(|l| l.iter().map(String::as_str).collect()).collect();
    system(&lists.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// A formula about two behaviours: one that somebody might write, or any.
fn formula(rng: &mut Rng, internal: [&[&str]; 2]) -> Option<Program> {
    let mut name = |side: usize| *rng.choice(internal[side]).expect("there are names");
    let (ours, theirs, more) = (name(0), name(1), name(0));
    let ours = format!("impl: {ours}");
    let more = format!("impl: {more}");
    let theirs = format!("spec: {theirs}");
    let text = match rng.u8(..9) {
        0..3 => return None,
        3 => format!("all1 p: p in `{theirs}` => p in `{ours}`"),
        4 => format!("all1 p: p in `{ours}` => p in `same` | p in `{theirs}`"),
        // Every second one, as in example 2.3 of paper 004.
        5 => format!(
            "ex2 P: (all1 p: p in `{theirs}` <=> p in `{ours}` & p in P) & \
             all1 p: p in P <=> ex1 q: q < p & q in `{ours}` & q notin P & all1 r: q < r & r < p => r notin `{ours}`"
        ),
        6 => format!("all1 p, q: p < q & p in `{ours}` & q in `{ours}` => p notin `{theirs}`"),
        7 => format!("all1 p: p in `{theirs}` => p in `{ours}` | p in `{more}`"),
        _ => {
            let depth = rng.u32(1..=2);
            let event = |name: &str| format!("event({name:?})");
            return Some(m2l_property(rng, &[&event(&ours), &event(&theirs), &event("same")], depth));
        }
    };
    Some(parse_relation(&text).unwrap_or_else(|e| panic!("{text}: {e:?}")))
}

/// Two parts at random. They may share an observable event, and internal ones.
struct Case {
    systems: [[System; 2]; 2],
    formulas: [Option<Program>; 2],
    abstraction: Abstraction,
}

impl Case {
    fn new(rng: &mut Rng) -> Self {
        let shared = rng.bool();
        let apart = rng.u8(..4) == 0;
        let observable = [["a", "c"], ["b", "c"]].map(|names| names[..1 + usize::from(shared)].to_vec());
        let of_implementation: &[&str] = &["T", "U"];
        let of_specifications: [&[&str]; 2] = if apart { [&["V"], &["W"]] } else { [&["T", "V"], &["T", "V"]] };
        let part = |rng: &mut Rng, i: usize| {
            let ours = random_system(rng, &observable[i], of_implementation);
            let theirs = match rng.u8(..4) {
                0 => ours.clone(),
                _ => random_system(rng, &observable[i], of_specifications[i]),
            };
            [ours, theirs]
        };
        let systems = [part(rng, 0), part(rng, 1)];
        let formulas = [0, 1].map(|i| {
            let internal = |s: &System| s.actions.iter().filter(|a| a.internal).map(|a| a.name.to_string()).collect();
            let names: [Vec<String>; 2] = [internal(&systems[i][0]), internal(&systems[i][1])];
            let names = names.each_ref().map(|n| n.iter().map(String::as_str).collect::<Vec<_>>());
            if names.iter().any(Vec::is_empty) { None } else { formula(rng, [&names[0], &names[1]]) }
        });
        let abstraction = if rng.u8(..6) == 0 { Abstraction::Identity } else { Abstraction::Canonical };
        Self { systems, formulas, abstraction }
    }

    fn parts(&self) -> [Part<'_>; 2] {
        [0, 1].map(|i| Part {
            implementation: &self.systems[i][0],
            specification: &self.systems[i][1],
            constraint: self.formulas[i].as_ref().map(|formula| Constraint { formula, text: "" }),
        })
    }

    fn about(&self) -> String {
        let mut text = format!("{:?}\n", self.abstraction);
        for ([ours, theirs], formula) in self.systems.iter().zip(&self.formulas) {
            text += &format!("implementation\n{}specification\n{}", show(ours), show(theirs));
            if let Some(formula) = formula {
                text += &format!("formula {}\n", formula.show(&formula.formula));
            }
        }
        text
    }
}

fn names(events: &[Event]) -> definition::Word {
    events.iter().map(|e| Arc::clone(&e.name)).collect()
}

/// A behaviour of the implementation that fails does, for the reason that is given.
fn assert_fails(world: &World<'_>, part: usize, failing: &Failing, about: &str) -> &'static str {
    let word = names(&failing.behaviour);
    let of = &world.parts[part];
    assert!(does(of.implementation, &word), "no behaviour: {failing:?}\n{about}");
    assert!(!world.has_image(&[part], &word), "it has an image: {failing:?}\n{about}");
    let seen = |events: &[Event]| -> definition::Word {
        events.iter().filter(|e| e.observable).map(|e| Arc::clone(&e.name)).collect()
    };
    let trace = seen(&failing.behaviour);
    let without = |identity| World {
        parts: vec![definition::Part {
            implementation: of.implementation,
            specification: of.specification,
            formula: None,
        }],
        identity,
    };
    let has = has_trace(of.specification, &trace);
    match &failing.why {
        Why::Lacking(lacking) => {
            assert!(!has, "{about}");
            assert_eq!(lacking.trace.len(), trace.len(), "{about}");
            "lacking"
        }
        Why::Coarse { needs, place, counts } => {
            assert!(has && !without(false).has_image(&[0], &word), "{failing:?}\n{about}");
            assert!(does(of.specification, &names(needs)) && seen(needs) == trace, "{failing:?}\n{about}");
            let gaps = |events: &[Event]| events.split(|e| e.observable).map(<[Event]>::len).collect::<Vec<_>>();
            assert_eq!([gaps(&failing.behaviour)[*place], gaps(needs)[*place]], *counts, "{about}");
            assert!(counts[0] < counts[1], "{about}");
            "coarse"
        }
        Why::Narrow { partner } => {
            assert!(has && does(of.specification, &names(partner)), "{failing:?}\n{about}");
            assert_eq!(seen(partner), trace, "{about}");
            assert_eq!(partner.len(), word.len(), "{about}");
            "narrow"
        }
        Why::Different { allowed } => {
            assert!(has && world.identity && !does(of.specification, &word), "{failing:?}\n{about}");
            let before = &word[..word.len() - 1];
            let can = |name: &Arc<str>| does(of.specification, &[before, &[Arc::clone(name)]].concat());
            let own = of.specification.system.actions.iter().map(|a| Arc::clone(&a.name));
            let mut expected: Vec<Arc<str>> = own.filter(can).collect();
            expected.sort();
            assert_eq!(*allowed, expected, "{failing:?}\n{about}");
            "different"
        }
    }
}

#[test]
fn by_definition() {
    let (mut reasons, mut agreements, mut wholes) = (Shares::default(), Shares::default(), Shares::default());
    for_seeds(400, |rng, seed| {
        let case = Case::new(rng);
        let about = format!("seed {seed}\n{}", case.about());
        let spaces =
            case.systems.each_ref().map(|s| s.each_ref().map(|s| Space::of(s, MOST_STATES).expect("few states")));
        let part = |i: usize| definition::Part {
            implementation: &spaces[i][0],
            specification: &spaces[i][1],
            formula: case.formulas[i].as_ref(),
        };
        let identity = case.abstraction == Abstraction::Identity;
        let world = World { parts: vec![part(0), part(1)], identity };

        // One part alone.
        let alone = World { parts: vec![part(0)], identity };
        let answer = abstraction(case.parts()[0], case.abstraction, &Budget::unlimited()).expect("comparable");
        let shortest = alone.without_image(0, LONGEST).map(|word| word.len());
        match &answer.verdict {
            Verdict::Holds => {
                assert_eq!(shortest, None, "{about}");
                let flat = refine::refine(
                    &case.systems[0][0],
                    &case.systems[0][1],
                    refine::Engine::Auto,
                    &Budget::unlimited(),
                );
                assert_eq!(flat.expect("comparable").verdict, Verdict::Holds, "an abstraction proves it: {about}");
                reasons.add("holds");
            }
            Verdict::Violated(failing) => {
                let length = failing.behaviour.len();
                assert_eq!(shortest, Some(length).filter(|&n| n <= LONGEST), "{failing:?}\n{about}");
                if length <= LONGEST {
                    reasons.add(assert_fails(&alone, 0, failing, &about));
                }
            }
            Verdict::Unknown(over) => panic!("{over:?}"),
        }

        // Both together.
        let found = compose(&case.parts(), case.abstraction, &Budget::unlimited()).expect("composable");
        for (i, premise) in found.premises.iter().enumerate() {
            match premise {
                Premise::Implements(answer) => {
                    let lacking = posetta_oracle::system::refine::lacking(&spaces[i][0], &spaces[i][1]);
                    assert_eq!(answer.verdict == Verdict::Holds, lacking.is_none(), "{about}");
                }
                Premise::Abstraction(answer) => {
                    let shortest = world.without_image(i, LONGEST - 1).map(|word| word.len());
                    let length = match &answer.verdict {
                        Verdict::Violated(failing) => Some(failing.behaviour.len()),
                        _ => None,
                    };
                    assert_eq!(length.filter(|&n| n < LONGEST), shortest, "part {i}: {about}");
                }
            }
        }
        match &found.agreement {
            None => {
                assert_eq!(found.rule, Rule::Apart);
                agreements.add("apart");
            }
            Some((agreement, _)) => {
                let shortest = world.disagreement(LONGEST).map(|word| word.len());
                match agreement {
                    Verdict::Holds => {
                        assert_eq!(shortest, None, "{about}");
                        agreements.add("agree");
                    }
                    Verdict::Violated(Disagreement { behaviour, images }) => {
                        assert_eq!(shortest, Some(behaviour.len()).filter(|&n| n <= LONGEST), "{agreement:?}\n{about}");
                        for (i, image) in images.iter().enumerate() {
                            assert_eq!(image.len(), behaviour.len(), "{about}");
                            assert!(does(&spaces[i][1], &names(image)), "{about}");
                        }
                        agreements.add("disagree");
                    }
                    Verdict::Unknown(over) => panic!("{over:?}"),
                }
            }
        }
        // What the rule proves is so.
        let flat = [0, 1].map(|side| both(&case.systems[0][side], &case.systems[1][side]));
        let implements =
            refine::refine(&flat[0], &flat[1], refine::Engine::Auto, &Budget::unlimited()).expect("comparable");
        let implements = implements.verdict == Verdict::Holds;
        assert!(implements || !found.proves(), "a proof of what is false: {about}");
        wholes.add(match (found.proves(), implements) {
            (true, _) => "proved",
            (false, true) => "not told",
            (false, false) => "false",
        });
    });
    reasons.at_least(0.03, "abstractions", &["holds", "lacking", "coarse", "narrow", "different"]);
    agreements.at_least(0.04, "agreement", &["agree", "disagree", "apart"]);
    wholes.at_least(0.05, "composition", &["proved", "not told", "false"]);
}

/// Parts as they are written, whether the rule proves something of them, and whether it is true.
type Written = (&'static [[&'static [&'static str]; 2]], bool, bool);

/// Where the paper, as it is printed, would prove too much, and where it proves enough.
#[test]
fn by_hand() {
    let cases: &[Written] = &[
        // Section 2.4: each implements its own, both together do not.
        (&[[&["0 a 0"], &["0 a 1", "1 C 0"]], [&["0 b 0"], &["0 b 1", "1 C 0"]]], false, false),
        // Relations that keep traces but not positions: the second part would put its event before the first one's.
        (
            &[[&["0 a 1"], &["0 a 1", "1 C 2", "0 D 3"]], [&["0 b 1"], &["0 C 1", "1 b 2", "0 D 3", "3 b 4"]]],
            false,
            false,
        ),
        // Synchronised in one direction only, the specification's `a` would do for the implementation's `C`.
        (&[[&["0 C 1", "1 b 2", "8 a 8"], &["0 a 1", "1 b 2"]]], false, false),
        // Nothing is shared inside.
        (&[[&["0 a 0"], &["0 a 1", "1 C 0"]], [&["0 b 0"], &["0 b 1", "1 D 0"]]], true, true),
        // What is shared inside is done by both alike, wherever the implementation leaves time for it.
        (&[[&["0 a 1", "1 T 0"], &["0 a 1", "1 C 0"]], [&["0 b 0"], &["0 b 0", "0 C 0"]]], true, true),
    ];
    for (parts, proves, implements) in cases {
        let systems: Vec<[System; 2]> = parts.iter().map(|part| part.map(|arcs| system(&[arcs]))).collect();
        let parts: Vec<Part<'_>> =
            systems.iter().map(|[a, b]| Part { implementation: a, specification: b, constraint: None }).collect();
        let found = compose(&parts, Abstraction::Canonical, &Budget::unlimited()).expect("composable");
        assert_eq!(found.proves(), *proves, "{found:?}");
        let flat = [0, 1].map(|side| match &systems[..] {
            [one] => one[side].clone(),
            [one, two] => both(&one[side], &two[side]),
            _ => panic!("one part or two"),
        });
        let answer =
            refine::refine(&flat[0], &flat[1], refine::Engine::Auto, &Budget::unlimited()).expect("comparable");
        assert_eq!(answer.verdict == Verdict::Holds, *implements, "{found:?}");
    }
}

/// With little memory the answer is the right one, or there is none.
#[test]
fn little_memory() {
    let mut shares = Shares::default();
    for_seeds(300, |rng, seed| {
        let case = Case::new(rng);
        let right = compose(&case.parts(), case.abstraction, &Budget::unlimited()).expect("composable");
        let budget = Budget::with_memory(1 << rng.u32(4..20));
        let found = compose(&case.parts(), case.abstraction, &budget).expect("composable");
        for (premise, right) in found.premises.iter().zip(&right.premises) {
            assert!(premise.holds().is_none() || premise.holds() == right.holds(), "seed {seed}\n{}", case.about());
            shares.add(if premise.holds().is_none() { "unknown" } else { "known" });
        }
        if let (Some((found, _)), Some((right, _))) = (&found.agreement, &right.agreement) {
            assert!(matches!(found, Verdict::Unknown(_)) || found == right, "seed {seed}\n{}", case.about());
        }
    });
    shares.at_least(0.1, "little memory", &["known", "unknown"]);
}
