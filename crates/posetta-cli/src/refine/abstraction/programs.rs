//! What was found out about abstractions, for programs: one JSON object.

use posetta_base::Verdict;
use posetta_tell::json::Schema;
use posetta_verify::abstraction::{Abstraction, Disagreement, Event, Failing, Premise, Rule, Stats, Why};
use serde_json::{Value, json};

use super::{Findings, Outcome, Two};

/// The report.
pub(super) fn report(findings: &Findings) -> String {
    let names =
        |two: &Two| json!({ "implementation": two.implementation.name, "specification": two.specification.name });
    let mut told = json!({
        "verdict": findings.word().text(),
        "question": match findings.outcome {
            Outcome::One(_) => "abstraction",
            Outcome::Parts(_) => "composition",
        },
        "abstraction": match findings.abstraction {
            Abstraction::Canonical => "canonical",
            Abstraction::Identity => "identity",
        },
        "seconds": findings.seconds,
        "limit": null,
        "errors": [],
    });
    match &findings.outcome {
        Outcome::One(answer) => {
            told["of"] = names(&findings.pairs[0]);
            told["proof"] = verdict(&answer.verdict, &findings.pairs[0]);
            told["stats"] = cost(&answer.stats);
        }
        Outcome::Parts(composition) => {
            told["whole"] = match &findings.whole {
                Some([ours, theirs]) => json!({ "implementation": ours, "specification": theirs }),
                None => Value::Null,
            };
            told["rule"] = match composition.rule {
                Rule::Apart => "apart",
                Rule::Agreement => "agreement",
            }
            .into();
            let parts = findings.pairs.iter().zip(&composition.premises).map(|(two, premise)| {
                let mut part = names(two);
                match premise {
                    Premise::Implements(answer) => {
                        part["proof"] = match &answer.verdict {
                            Verdict::Holds => json!({ "holds": true }),
                            Verdict::Violated(lacking) => json!({
                                "holds": false,
                                "why": "lacking",
                                "trace": lacking.trace.iter().map(|&a| &*two.implementation.action(a).name).collect::<Vec<_>>(),
                            }),
                            Verdict::Unknown(_) => json!({ "holds": null }),
                        };
                    }
                    Premise::Abstraction(answer) => {
                        part["proof"] = verdict(&answer.verdict, two);
                        part["stats"] = cost(&answer.stats);
                    }
                }
                part
            });
            told["parts"] = parts.collect();
            told["agreement"] = match &composition.agreement {
                None => Value::Null,
                Some((agreement, stats)) => {
                    let mut value = match agreement {
                        Verdict::Holds => json!({ "holds": true }),
                        Verdict::Unknown(_) => json!({ "holds": null }),
                        Verdict::Violated(Disagreement { behaviour, images }) => json!({
                            "holds": false,
                            "behaviour": events(behaviour),
                            "images": images.iter().map(|image| events(image)).collect::<Vec<_>>(),
                        }),
                    };
                    value["stats"] = cost(stats);
                    value
                }
            };
        }
    }
    Schema::Refine.object(told)
}

fn verdict(verdict: &Verdict<Box<Failing>>, two: &Two) -> Value {
    match verdict {
        Verdict::Holds => json!({ "holds": true }),
        Verdict::Unknown(_) => json!({ "holds": null }),
        Verdict::Violated(failing) => fails(failing, two),
    }
}

fn fails(failing: &Failing, two: &Two) -> Value {
    let mut told = json!({ "holds": false, "behaviour": events(&failing.behaviour) });
    let why = match &failing.why {
        Why::Lacking(lacking) => {
            let names = lacking.allowed.iter().map(|&a| &*two.specification.action(a).name);
            told["allowed"] = names.collect();
            "lacking"
        }
        Why::Coarse { needs, place, counts } => {
            told["needs"] = events(needs);
            told["after_observable_events"] = (*place).into();
            told["internal_events"] = json!({ "implementation": counts[0], "specification": counts[1] });
            "coarse"
        }
        Why::Narrow { partner } => {
            told["partner"] = events(partner);
            "narrow"
        }
        Why::Different { allowed } => {
            told["allowed"] = allowed.iter().map(|name| &**name).collect();
            "different"
        }
    };
    told["why"] = why.into();
    told
}

fn events(events: &[Event]) -> Value {
    events.iter().map(|e| json!({ "event": &*e.name, "observable": e.observable })).collect()
}

fn cost(stats: &Stats) -> Value {
    json!({
        "pairs": stats.pairs,
        "left_states": stats.left_states,
        "right_states": stats.right_states,
        "formula_states": stats.formula_states,
    })
}
