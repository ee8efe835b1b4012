//! Systems of components that are large, or not bounded.

use posetta_base::{Budget, Error, Kind, Limit, Verdict};
use posetta_model::sys;
use posetta_model::system::{Demand, End, Spec, System};
use posetta_verify::system::{Answer, Engine, Options, Question};

const ENGINES: [Engine; 4] = [Engine::Auto, Engine::Explicit, Engine::Sog, Engine::Modular];

fn read(text: &str) -> System {
    sys::read("test", text, None, &mut |_, _| Err("there are no files here".into())).unwrap()
}

fn ask(system: &System, demand: Demand, engine: Engine) -> Result<Answer, Error> {
    let (specs, budget) = ([Spec::plain("asked", demand)], Budget::unlimited());
    let mut question = Question::new(system, &specs, Options::default().engine(engine));
    question.decide(&budget)?;
    Ok(question.answer(0).expect("what is asked is answered").clone())
}

/// Tokens that grow in one place, in many at once, after a while, and only together. What is known of them is the same, whichever engine
/// was chosen.
#[test]
fn nets_without_a_bound_are_seen_by_every_engine() {
    for text in [
        "component N { net { p = 1; t: p -> p, q } }",
        "component N { net { t: -> q } }",
        "component N { net { p = 1; a: p -> q; b: q -> q, r; c: p -> p } }",
        "component C(i in 0..2) { net { p = 3; q = 3; a: p -> r; a: r -> p, q; a: q -> r } }\nsystem S = C",
        "component C(i in 0..1) { net { p = 3; q = 3; a: 2 q -> p, r; a: p -> r; a: r -> p, q; a: q -> r } }\nsystem S = C",
        "component L { lts { init s; s -a-> t -b-> s } }\ncomponent N { net { p = 1; a: p -> q; b: q -> p, r } }\nsystem S = L || N",
    ] {
        // Nothing is refused. The graphs of the three nets side by side are too large, whatever engine counts them.
        let large = text.contains("system S = C");
        for engine in if large { &ENGINES[..1] } else { &ENGINES } {
            let system = read(text);
            let (specs, budget) = ([Spec::plain("asked", Demand::NoDeadlock)], Budget::unlimited());
            let mut question = Question::new(&system, &specs, Options::default().engine(*engine).explore(true));
            question.decide(&budget).unwrap();
            let answer = question.answer(0).expect("what is asked is answered");
            match &answer.verdict {
                Verdict::Unknown(over) => assert!(large && over.limit == Limit::Unbounded, "{engine:?} of {text}"),
                _ => assert!(
                    !question.findings().is_some_and(|f| f.unbounded.is_empty()) || large,
                    "{engine:?} of {text}"
                ),
            }
            let findings = question.findings().expect("it is told that there is no bound");
            assert!(findings.warnings.iter().any(|why| why.kind == Kind::Unbounded), "{engine:?} of {text}");
            assert!(findings.states.is_none(), "{engine:?} of {text}");
        }
    }
}

/// Bounded by what the others do, or by nothing but its own shape.
#[test]
fn nets_with_a_bound_are_not() {
    for text in [
        "component N { net { p = 3; t: p -> 2 q; u: 2 q -> p } }",
        "component L { lts { init s; s -a-> t -a-> u } }\ncomponent N { net { a: -> q } }\nsystem S = L || N",
        "component N { net { p = 300; t: p -> q; u: q -> p } }",
    ] {
        for engine in ENGINES {
            let said = ask(&read(text), Demand::Bound(vec![0]), engine);
            assert!(matches!(said, Ok(Answer { most: Some(_), .. })), "{engine:?} says {said:?} of {text}");
        }
    }
}

/// Where the states at each distance are too many for breadth first. A run is replayed before it is told.
#[test]
fn forty_philosophers_get_stuck() {
    let text = include_str!("../../../../examples/systems/philosophers-deadlock.sys");
    let system = read(&text.replace("const N = 4", "const N = 40"));
    let said = ask(&system, Demand::NoDeadlock, Engine::Sog).unwrap();
    let Verdict::Violated(Some(run)) = said.verdict else { panic!("they cannot") };
    assert_eq!((run.end, run.steps.len() >= 80), (End::Dead, true));
    let text = include_str!("../../../../examples/systems/philosophers.sys");
    let system = read(&text.replace("const N = 4", "const N = 40"));
    assert_eq!(ask(&system, Demand::NoDeadlock, Engine::Sog).unwrap().verdict, Verdict::Holds);
}
