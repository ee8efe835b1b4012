//! Models with modules, arrays and definitions, and up to some thousand states: state by state, as diagrams, both at once, and NuSMV.

use posetta_base::Budget;
use posetta_model::fds::Fds;
use posetta_model::smv;
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::random::smv_text;
use posetta_verify::fds::{Answer, By, Options, Question};

use super::nusmv::Nusmv;

/// What is said of each property, and of the number of states and of steps to the furthest.
fn asked(model: &Fds, options: Options, about: &str) -> (Vec<Answer>, String, Option<u64>) {
    let mut question = Question::new(model, &model.specs, options);
    question.decide(&Budget::unlimited()).unwrap_or_else(|e| panic!("{e:?}: {about}"));
    let answers = question.answers().iter().map(|a| a.clone().expect("every property is answered")).collect();
    let findings = question.findings().expect("something is found out");
    let states = findings.states.as_ref().map_or_else(String::new, ToString::to_string);
    (answers, states, findings.depth)
}

#[test]
fn engines_agree_with_each_other_and_with_nusmv() {
    let nusmv = Nusmv::find();
    let (mut verdicts, mut who) = (Shares::default(), Shares::default());
    let mut compared = Shares::default();
    for_seeds(100, |rng, seed| {
        let text = smv_text(rng);
        let whole = format!("{}{}\n", text.model, text.properties.join("\n"));
        let about = format!("seed {seed}:\n{whole}");
        let model = match smv::read(&whole) {
            Ok(model) => model,
            Err(e) => panic!("{e:#?}: {about}"),
        };
        // From the start, so that either may be the first.
        let both = asked(&model, Options::default().alone(0), &about);
        let ring_nodes = if rng.bool() { 0 } else { Options::default().ring_nodes };
        let diagrams = asked(&model, Options::default().by(By::Diagrams).ring_nodes(ring_nodes), &about);
        let states = asked(&model, Options::default().by(By::States), &about);
        for (name, other) in [("diagrams", &diagrams), ("states", &states)] {
            assert_eq!(other.1, both.1, "states by {name}: {about}");
            if let (Some(a), Some(b)) = (other.2, both.2) {
                assert_eq!(a, b, "depth by {name}: {about}");
            }
            for (place, (a, b)) in other.0.iter().zip(&both.0).enumerate() {
                assert_eq!(a.verdict.word(), b.verdict.word(), "{} by {name}: {about}", text.properties[place]);
                assert_eq!(a.vacuous, b.vacuous, "{} by {name}, vacuous: {about}", text.properties[place]);
            }
        }
        for answer in &both.0 {
            who.add(answer.by.map_or("nobody", By::word));
            verdicts.add(answer.verdict.word());
        }
        // NuSMV refuses models without a fair state, and has another compassion.
        let says = !text.compassion && both.0.iter().all(|a| !a.vacuous);
        compared.add(if says { "compared" } else { "not compared" });
        if let (true, Some(nusmv)) = (says, &nusmv) {
            let properties: Vec<&str> = text.properties.iter().map(String::as_str).collect();
            let (theirs, count) = nusmv.verdicts("texts", &text.model, &properties);
            assert_eq!(count, both.1, "states by NuSMV: {about}");
            for ((answer, theirs), property) in both.0.iter().zip(theirs).zip(&properties) {
                let theirs = if theirs { "holds" } else { "violated" };
                assert_eq!(answer.verdict.word(), theirs, "{property} by NuSMV: {about}");
            }
        }
    });
    compared.at_least(0.5, "texts", &["compared"]);
    who.at_least(0.1, "who answers first", &["explicit", "diagrams"]);
    verdicts.at_least_a_fifth("texts", &["holds", "violated"]);
}
