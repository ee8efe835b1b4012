//! What is said beforehand about a check against what it does.

use posetta_base::{Budget, Error};
use posetta_check::{Options, Question, Runs, Search, check};
use posetta_logic::{Property, View};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::random::{Case, Tense, ctl_case, ltl_case};

#[test]
fn the_plan_is_what_happens() {
    let mut shares = Shares::default();
    for_seeds(1_000, |rng, seed| {
        let (property, plan_of) = if rng.bool() {
            let view = if rng.bool() { View::States } else { View::Events };
            let Case { plan, formula } = ltl_case(rng, view, Tense::PastAndFuture);
            (Property::ltl_over(view, &formula.to_string()).unwrap(), plan)
        } else {
            let Case { plan, formula } = ctl_case(rng);
            (Property::ctl(&formula.to_string()).unwrap(), plan)
        };
        let trace = plan_of.build().unwrap();
        let (options, budget) = (Options::default(), Budget::unlimited());
        let about = format!("seed {seed}: {} on\n{plan_of}", property.formula);
        let planned = Question::new(&trace, &property, options.clone())
            .map_err(Error::from)
            .and_then(|question| question.plan(&budget));
        match (planned, check(&trace, &property, &options, &budget)) {
            (Ok(plan), Ok(answer)) => {
                assert_eq!(plan.events, answer.stats.events, "{about}");
                // A violation may be found before every part was looked at, or by looking for the opposite.
                if matches!(answer.runs(), None | Some(Runs::All)) && trace.len() > 1 {
                    assert_eq!(plan.engine, answer.stats.engine, "{about}");
                    assert_eq!(plan.relevant_events, answer.stats.relevant_events, "{about}");
                    assert_eq!(plan.width, answer.stats.width, "{about}");
                }
                assert_eq!(plan.search == Search::Runs, answer.linear().is_some(), "{about}");
                shares.add("decided");
            }
            (Err(said @ Error::Invalid(_)), Err(mistakes)) => {
                assert_eq!(said, mistakes, "{about}");
                shares.add("refused");
            }
            (planned, answer) => panic!("planned {planned:?}, answered {answer:?}: {about}"),
        }
    });
    shares.at_least_a_fifth("plans", &["decided"]);
    if std::env::var_os("POSETTA_CASES").is_none() {
        assert!(shares.share("refused") > 0.0, "no case was refused");
    }
}
