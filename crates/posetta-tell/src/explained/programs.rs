//! What is known about a property, for programs. Fields are documented in docs/explain.md; more may be added, none is renamed.

use posetta_base::{Error, Value as Worth};
use posetta_check::Search;
use posetta_compile::shape::Modality;
use posetta_compile::{Finding, Proof, Reason};
use posetta_logic::{Otherwise, Sample, View};
use serde_json::{Map, Value, json};

use super::{Explained, Kind, Linear, OnRun, PropertyKind, Warning, Watching, findings};
use crate::json::limit;
use crate::problem::{diagnostic_json, warning_json};

impl Explained {
    /// As an entry of `properties`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        property(self)
    }
}

fn property(facts: &Explained) -> Value {
    let mut all = json!({
        "property": facts.property.name,
        "logic": facts.property.logic(),
        "over": facts.property.over(),
        "clock": facts.property.property.clock.as_ref().map(ToString::to_string),
        "formula": facts.property.formula,
        "written": facts.written,
        "read_as": facts.tree.parenthesised(),
        "atoms": facts.atoms,
        "variables": facts.property.variables,
    });
    let rest = match &facts.kind {
        PropertyKind::Branching(shape) => json!({
            "syntax": {
                "some_path": shape.some_path,
                "every_path": shape.every_path,
                "next": shape.next,
                "modality": shape.modality.map(modality),
                "conjunctive": shape.conjunctive,
            },
            "kind": null,
            "letters": null,
            "automaton": null,
            "examples": null,
            "limit": null,
        }),
        PropertyKind::Monitor(_, monitor) => json!({
            "syntax": {
                "states": monitor.states,
                "initial": monitor.initial.iter().map(|s| s.0).collect::<Vec<_>>(),
                "bad": monitor.bad.iter().map(|s| s.0).collect::<Vec<_>>(),
                "edges": monitor.edges.iter().map(|e| json!({
                    "from": e.from.0, "guard": e.guard.to_string(), "to": e.to.0,
                })).collect::<Vec<_>>(),
                "otherwise": match monitor.otherwise {
                    Otherwise::Stay => "stay",
                    Otherwise::Die => "die",
                },
            },
            "kind": null,
            "letters": null,
            "automaton": null,
            "examples": null,
            "limit": null,
        }),
        PropertyKind::Linear(shape, kind) => {
            let mut rest = json!({
                "syntax": { "future": shape.future, "past": shape.past, "next": shape.next, "events": shape.events },
            });
            extend(
                &mut rest,
                match kind {
                    Kind::NotYet | Kind::OverBudget(_) => json!({
                        "kind": null,
                        "letters": null,
                        "automaton": null,
                        "examples": null,
                        "limit": match kind {
                            Kind::OverBudget(over) => Some(limit(*over, 0)),
                            _ => None,
                        },
                    }),
                    Kind::Decided(decided) => {
                        let (linear, c) = &**decided;
                        let mut kind = Map::new();
                        let mut reasons = Map::new();
                        for (name, finding) in findings(c) {
                            kind.insert(name.to_owned(), finding.word().into());
                            if let Finding::Unknown(reason) = finding {
                                reasons.insert(name.to_owned(), why(*reason));
                            }
                        }
                        let empty = c.empty_word.map(|holds| if holds { "holds" } else { "violated" });
                        kind.insert("empty_word".to_owned(), empty.into());
                        kind.insert("unknown".to_owned(), reasons.into());
                        let accepting: Vec<u32> =
                            c.automaton.states().filter(|&s| c.automaton.accepts(s)).map(|s| s.0).collect();
                        let show = |finding: &Finding| finding.proof().map(|p| example(p, facts, linear));
                        json!({
                            "kind": kind,
                            "letters": {
                                "producible": linear.letters.len(),
                                "exact": linear.letters.is_exact() && linear.letters.independent().is_empty(),
                                "independent": linear.letters.independent().iter()
                                    .map(|a| facts.atoms[a.0 as usize].as_str()).collect::<Vec<_>>(),
                            },
                            "automaton": { "states": c.automaton.len(), "accepting": accepting },
                            "examples": {
                                "satisfies": show(&c.contradiction),
                                "violates": show(&c.tautology),
                                "not_safety": show(&c.safety),
                                "not_guarantee": show(&c.guarantee),
                                "not_stutter_invariant": show(&c.stutter_invariant),
                            },
                            "limit": null,
                        })
                    }
                },
            );
            rest
        }
    };
    extend(&mut all, rest);
    let monitor = facts.watching.as_ref().map(|watching| monitor(watching, facts));
    extend(&mut all, json!({ "monitor": monitor, "run": facts.run.as_ref().map(on_run) }));
    all
}

/// What a monitor can say.
fn monitor(watching: &Watching, facts: &Explained) -> Value {
    let word = |sample: &Sample| positions(sample, facts, &watching.variables, watching.view);
    json!({
        "completions": watching.completions.word(),
        "monitorable": watching.monitorable,
        "states": watching.size.map(|(states, _)| states),
        "classes": watching.size.and_then(|(_, classes)| classes),
        "violated_after": watching.violated.as_ref().map(word),
        "holds_after": watching.holds.as_ref().map(word),
        "lost_after": watching.lost.as_ref().map(word),
    })
}

fn extend(object: &mut Value, more: Value) {
    if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
        object.extend(more);
    }
}

fn modality(modality: Modality) -> &'static str {
    match modality {
        Modality::Possibly => "possibly",
        Modality::Invariantly => "invariantly",
        Modality::Definitely => "definitely",
        Modality::Controllably => "controllably",
    }
}

fn why(reason: Reason) -> Value {
    match reason {
        Reason::OverBudget(over) => limit(over, 0),
        Reason::Approximate => "approximate".into(),
        Reason::Defect => "defect".into(),
    }
}

/// A word, with the length of its prefix (or the place of its repetition) that matters.
fn example(proof: &Proof, facts: &Explained, linear: &Linear) -> Value {
    let positions = positions(&proof.sample, facts, linear.letters.variables(), linear.view);
    json!({ "holds": proof.holds, "at": proof.at, "positions": positions })
}

/// A word, position by position.
fn positions(sample: &Sample, facts: &Explained, variables: &[String], view: View) -> Value {
    let first = usize::from(view == View::Events);
    let value = |worth: &Worth| -> Value {
        match worth {
            Worth::Text(text) => text.as_str().into(),
            Worth::Number(n) => match (n.as_i64(), n.to_decimal()) {
                (Some(n), _) => n.into(),
                // Exact, which a JSON number would not be for everyone.
                (None, decimal) => decimal.unwrap_or_else(|| n.to_string()).into(),
            },
        }
    };
    sample
        .positions
        .iter()
        .enumerate()
        .map(|(i, p)| {
            let state: Option<Map<String, Value>> =
                p.state.as_ref().map(|s| variables.iter().cloned().zip(s.iter().map(value)).collect());
            let holds: Vec<&str> =
                facts.atoms.iter().zip(&p.atoms).filter(|(_, h)| **h).map(|(a, _)| a.as_str()).collect();
            let mut position = json!({
                "position": first + i,
                "event": p.event,
                "name": p.name,
                "process": p.process,
                "sets": p.sets.iter().map(|&v| variables[v].as_str()).collect::<Vec<_>>(),
                "state": state,
                "atoms": holds,
            });
            if !p.attributes.is_empty() {
                let attributes: Map<String, Value> = p.attributes.iter().map(|(k, v)| (k.clone(), value(v))).collect();
                position["attributes"] = attributes.into();
            }
            position
        })
        .collect()
}

fn on_run(run: &OnRun) -> Value {
    let (plan, errors, limit) = match &run.plan {
        Ok(plan) => (Some(plan), Vec::new(), None),
        Err(Error::OverBudget(over)) => (None, Vec::new(), Some(limit(*over, 0))),
        Err(error) => (None, error.diagnostics().iter().map(diagnostic_json).collect(), None),
    };
    let warning = |w: &Warning| warning_json(&w.diagnostic, w.denied);
    json!({
        "trace": run.name,
        "engine": plan.map(|p| p.engine),
        "search": plan.map(|p| match p.search {
            Search::Runs => "runs",
            Search::Cuts => "cuts",
        }),
        "events": run.events,
        "relevant_events": plan.map(|p| p.relevant_events),
        "parts": plan.map(|p| p.parts),
        "as_branching": plan.map(|p| p.as_branching),
        "width": plan.filter(|p| p.width > 0).map(|p| p.width),
        "processes": run.processes,
        "cuts": run.cuts,
        "automaton_states": run.automaton_states,
        "warnings": run.warnings.iter().map(warning).collect::<Vec<_>>(),
        "refused": errors,
        "limit": limit,
    })
}
