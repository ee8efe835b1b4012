//! Properties of M2L against the definition over all runs: verdicts and witnesses of every engine.

use posetta_base::Budget;
use posetta_check::{Options, Runs, check};
use posetta_logic::{Property, View};
use posetta_oracle::answer::{assert_right, runs};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::engines::engines;
use posetta_oracle::m2l::{over_all_runs, satisfies};
use posetta_oracle::random::{Shape, Vocabulary, m2l_case, plan};

fn compare_random(what: &str, view: View) {
    let (mut verdicts, mut shares) = (Shares::default(), Shares::default());
    for_seeds(700, |rng, seed| {
        let plan = plan(rng, Shape { events: 5, processes: 3, one_writer: 40 });
        let about_events = if view == View::Events { 65 } else { 35 };
        let trace = plan.build().unwrap();
        let mut drawn = m2l_case(rng, &Vocabulary::of(&plan), about_events);
        // Most are searched for one that cares for the order.
        for _ in 0..if rng.u8(..10) < 7 { 10 } else { 0 } {
            let tally = over_all_runs(&trace, view, &drawn.1);
            if tally.satisfied > 0 && tally.violated > 0 {
                break;
            }
            drawn = m2l_case(rng, &Vocabulary::of(&plan), about_events);
        }
        let (text, program) = drawn;
        let property = Property::m2l_over(view, &text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let tally = over_all_runs(&trace, view, &program);
        for (name, options) in engines() {
            let about = format!("{name}, seed {seed}, {view:?}: {text}\non\n{plan}");
            let answer = check(&trace, &property, &options, &Budget::unlimited())
                .unwrap_or_else(|e| panic!("refused: {e:?}: {about}"));
            assert_right(&trace, &answer, tally, &|run| satisfies(&trace, run, view, &program), &about);
        }
        let (verdict, word) = match runs(tally) {
            Runs::All => ("holds", "all"),
            Runs::None => ("violated", "none"),
            _ => ("violated", "some"),
        };
        verdicts.add(verdict);
        shares.add(word);
    });
    verdicts.at_least_a_fifth(what, &["holds", "violated"]);
    shares.at_least_a_fifth(what, &["some"]);
}

#[test]
fn over_states() {
    compare_random("M2L over states", View::States);
}

#[test]
fn over_events() {
    compare_random("M2L over events", View::Events);
}

/// With little room the answer is the same or unknown.
#[test]
fn with_little_room() {
    let mut shares = Shares::default();
    for_seeds(200, |rng, seed| {
        let plan = plan(rng, Shape { events: 4, processes: 3, one_writer: 40 });
        let trace = plan.build().unwrap();
        let (text, program) = m2l_case(rng, &Vocabulary::of(&plan), 50);
        let tally = over_all_runs(&trace, View::States, &program);
        let budget = Budget::with_memory(1 << rng.u32(8..20));
        let property = Property::m2l_over(View::States, &text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let answer = check(&trace, &property, &Options::default(), &budget)
            .unwrap_or_else(|e| panic!("seed {seed}: refused: {e:?}: {text}\non\n{plan}"));
        let (word, right) = match answer.verdict {
            posetta_base::Verdict::Holds => ("known", tally.violated == 0),
            posetta_base::Verdict::Violated(_) => ("known", tally.violated > 0),
            posetta_base::Verdict::Unknown(_) => ("unknown", true),
        };
        assert!(right, "seed {seed}: {text}\non\n{plan}");
        shares.add(word);
    });
    shares.at_least_a_fifth("M2L with little room", &["known", "unknown"]);
}
