//! CTL by interval sharing trees against the definition: verdicts, paths, and the number of cuts of every formula.

use posetta::base::{Budget, Verdict};
use posetta::check::{Engine, Options, check};
use posetta::logic::Property;
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::ctl;
use posetta_oracle::random::{Case, ctl_case};

#[test]
fn sharing_trees_decide_as_the_definition() {
    let mut shares = Shares::default();
    for_seeds(1_000, |rng, seed| {
        let Case { plan, formula } = ctl_case(rng);
        let trace = plan.build().unwrap_or_else(|e| panic!("seed {seed}: {e:?} for\n{plan}"));
        // Without a truth at each cut there is nothing to compare.
        let Some(truth) = ctl::truth(&trace, &formula) else { return };
        let property = Property::ctl(&formula.to_string()).unwrap();
        for (slice, counts) in [(true, false), (false, false), (false, true)] {
            let options = Options { engine: Engine::Ist, witness_always: true, slice, counts, ..Options::default() };
            let about = format!("slice {slice}, counts {counts}: {formula}\non\n{plan}");
            let answer =
                check(&trace, &property, &options, &Budget::unlimited()).unwrap_or_else(|e| panic!("{e:?} {about}"));
            assert_eq!(answer.stats.engine, "ist", "{about}");
            let (holds, path) = match &answer.verdict {
                Verdict::Holds => (true, answer.support.as_ref().expect("a path was asked for")),
                Verdict::Violated(path) => (false, path),
                Verdict::Unknown(over) => panic!("{over}: {about}"),
            };
            assert_eq!(holds, truth[&0], "{about}");
            assert!(ctl::shows(&trace, &formula, path, holds), "{path:?} does not show it: {about}");
            if counts {
                let expected = truth.values().filter(|&&holds| holds).count();
                assert_eq!(answer.counts[0].cuts, expected.into(), "{about}");
            }
            shares.add(if holds { "holds" } else { "violated" });
        }
    });
    shares.at_least_a_fifth("by sharing trees", &["holds", "violated"]);
}
