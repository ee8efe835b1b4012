//! Properties that ask for one order, against the definition: some run satisfies them.

use posetta_base::{Budget, EventId, Verdict};
use posetta_check::{Runs, check};
use posetta_oracle::answer;
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::engines::engines;
use posetta_oracle::ltl::Tally;
use posetta_oracle::order::Order;

use crate::stages::linear_case;

/// "`some` … holds when at least one run satisfies it, and that run is its witness. A violated one has none."
#[test]
fn some_order_of_every_logic() {
    let mut shares = Shares::default();
    for_seeds(1_500, |rng, seed| {
        let (property, trace, satisfies, about) = linear_case(rng);
        let property = property.some();
        let (order, mut tally) = (Order::of(&trace), Tally::default());
        order.for_each_run(|run| match satisfies(&trace, run) {
            true => tally.satisfied += 1,
            false => tally.violated += 1,
        });
        for (name, options) in engines() {
            let options = options.explain(rng.bool());
            let about = format!("seed {seed}, {name}, {about}");
            let found = check(&trace, &property, &options, &Budget::unlimited());
            let found = found.unwrap_or_else(|e| panic!("refused: {e:?}: {about}"));
            let expected = if tally.satisfied > 0 { "holds" } else { "violated" };
            assert_eq!(found.verdict.word(), expected, "{about}");
            let is_good = |run: &[EventId]| order.is_run(run) && satisfies(&trace, run);
            match (&found.verdict, found.order()) {
                (Verdict::Holds, Some(run)) => assert!(is_good(run), "{run:?}: {about}"),
                (verdict, order) => assert!(*verdict != Verdict::Holds && order.is_none(), "{order:?}: {about}"),
            }
            assert_eq!((found.runs(), found.why()), (Some(answer::runs(tally)), None), "{about}");
            let verdict_only = check(&trace, &property, &options.verdict_only(true), &Budget::unlimited()).unwrap();
            assert_eq!(verdict_only.verdict.word(), expected, "only the verdict, {about}");
        }
        shares.add(match answer::runs(tally) {
            Runs::All => "all",
            Runs::None => "none",
            _ => "some",
        });
    });
    shares.at_least_a_fifth("some order", &["none"]);
}
