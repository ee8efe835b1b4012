//! Whether one system implements another, and how it is said: by comparing traces ([`Refined`]), or by proofs of another kind
//! ([`abstraction`]).

pub mod abstraction;

use posetta_base::{ActionId, OverBudget};
use posetta_model::system::System;
use posetta_verify::refine::{Lacking, Stats};
use serde_json::{Value, json};

use crate::amounts::{counted, readable};
use crate::json::{self, Schema};
use crate::paint::{clean, short};
use crate::report::{Answer, Block, Report, Subject, Title};
use crate::steps::Steps;
use crate::word::Word;

/// The widest name of a system or an event.
const NAME: usize = 40;
/// So many actions of a trace, or events of a behaviour, are shown; of a longer one the end.
const SHOWN: usize = 60;
/// So many actions or events are named that would have been allowed.
const ALLOWED: usize = 12;

/// One of two systems, and where it comes from.
#[derive(Debug)]
pub struct Side {
    /// The file.
    pub file: String,
    /// The system.
    pub system: System,
}

/// What was found out about the traces of two systems.
#[derive(Debug)]
pub struct Refined {
    /// What should implement the other.
    pub implementation: Side,
    /// What should be implemented.
    pub specification: Side,
    /// They were compared both ways.
    pub equivalent: bool,
    /// The trace that the other one lacks, and whether it is the specification that has it.
    pub lacking: Option<(Lacking, bool)>,
    /// What each comparison took, and how long.
    pub stats: Vec<(Stats, f64)>,
}

impl Refined {
    /// Whether it is so.
    #[must_use]
    pub fn word(&self) -> Word {
        Word::from(self.lacking.is_none())
    }

    /// The one that has the trace, and the one that lacks it.
    fn sides(&self) -> [&Side; 2] {
        match &self.lacking {
            Some((_, true)) => [&self.specification, &self.implementation],
            _ => [&self.implementation, &self.specification],
        }
    }

    /// What the two are called: by their files if they have the same name.
    fn names(&self) -> [String; 2] {
        let (left, right) = (&self.implementation, &self.specification);
        [left, right].map(|side| match left.system.name == right.system.name {
            true if left.file != right.file => short(&side.file, NAME),
            _ => short(&side.system.name, NAME),
        })
    }

    /// As people read it: with `stats`, what it took.
    #[must_use]
    pub fn report<'a>(&self, stats: bool) -> Report<'a> {
        let [a, b] = self.names();
        let observable = self.implementation.system.actions.iter().filter(|action| !action.internal).count();
        let facts = vec![counted(observable as u64, "observable action", "observable actions")];
        let words = match self.equivalent {
            false => ["Does ", " implement ", "?"],
            true => ["Are ", " and ", " equivalent?"],
        };
        let title = Title::Question(words.map(str::to_owned), [a.clone(), b.clone()]);
        let mut answer = match (&self.lacking, self.equivalent) {
            (None, false) => Answer::new("", Word::Holds, format!("holds: `{b}` has every observable trace of `{a}`")),
            (None, true) => Answer::new("", Word::Holds, "holds: both have the same observable traces"),
            (Some((lacking, turned)), _) => {
                let [has, lacks] = if *turned { [&b, &a] } else { [&a, &b] };
                let sentence = format!("violated: `{lacks}` lacks an observable trace of `{has}`");
                let mut answer = Answer::new("", Word::Violated, sentence);
                answer.blocks = self.shown(lacking, [has, lacks]);
                answer
            }
        };
        answer.in_any_case = true;
        answer.seconds = Some(self.stats.iter().map(|(_, seconds)| seconds).sum());
        if stats {
            answer.costs.extend(self.stats.iter().map(|(stats, seconds)| cost(stats, *seconds)));
        }
        let mut subject = Subject::new(title, facts);
        subject.answers.push(answer);
        Report { subjects: vec![subject], ..Report::default() }
    }

    /// The trace, a run that has it, and what the other would have allowed.
    fn shown<'a>(&self, lacking: &Lacking, [has, lacks]: [&String; 2]) -> Vec<Block<'a>> {
        let [system, theirs] = self.sides().map(|side| &side.system);
        let left_out = lacking.trace.len().saturating_sub(SHOWN);
        let mut trace: Vec<String> = Vec::new();
        if left_out > 0 {
            trace.push(format!("⋮ {}", counted(left_out as u64, "action", "actions")));
        }
        trace.extend(lacking.trace[left_out..].iter().map(|&a| action(system, a)));
        let length = counted(lacking.trace.len() as u64, "action", "actions");
        let observed: Vec<bool> = system.actions.iter().map(|a| !a.internal).collect();
        let marks = if observed.contains(&false) { " (● observable)" } else { "" };
        let last = lacking.trace.last().map_or_else(String::new, |&a| action(system, a));
        let before = match lacking.trace.as_slice() {
            [] | [_] => "at the start".to_owned(),
            [first, _] => format!("after {}", action(system, *first)),
            longer => format!("after the first {}", counted(longer.len() as u64 - 1, "action", "actions")),
        };
        let allowed: Vec<String> = lacking.allowed.iter().map(|&a| action(theirs, a)).collect();
        let instead = few(&allowed).unwrap_or_else(|| "no observable action at all".to_owned());
        vec![
            Block::List { heading: format!("A shortest trace that `{lacks}` lacks ({length})"), items: trace },
            Block::Steps {
                heading: format!("A run of `{has}` that shows it{marks}"),
                steps: Steps::new(system, &lacking.run, &observed, ""),
            },
            Block::Sentence(format!("`{lacks}` has no {last} {before}; there it allows {instead}")),
        ]
    }

    /// The whole report for programs. Fields are documented in docs/report.md; more may be added, none is renamed.
    #[must_use]
    pub fn to_json(&self) -> String {
        let [has, lacks] = self.sides().map(|side| &side.system);
        let names = |system: &System, actions: &[ActionId]| -> Vec<String> {
            actions.iter().map(|&a| system.action(a).name.to_string()).collect()
        };
        let side = |side: &Side| json!({ "file": side.file, "system": side.system.name });
        let lacking = self.lacking.as_ref();
        let run = |lacking: &Lacking| -> Vec<Value> {
            let step = |id: ActionId| {
                let action = has.action(id);
                json!({ "action": action.name.as_ref(), "observable": !action.internal })
            };
            lacking.run.steps.iter().map(|s| step(s.action)).collect()
        };
        Schema::Refine.object(json!({
            "verdict": self.word().text(),
            "witness": lacking.map(|(l, _)| names(has, &l.trace)),
            "question": if self.equivalent { "equivalent" } else { "implements" },
            "implementation": side(&self.implementation),
            "specification": side(&self.specification),
            "lacking_in": lacking.map(|(_, turned)| if *turned { "implementation" } else { "specification" }),
            "run": lacking.map(|(l, _)| run(l)),
            "allowed": lacking.map(|(l, _)| names(lacks, &l.allowed)),
            "limit": null,
            "stats": self.stats.iter().map(|(stats, seconds)| stats_json(stats, *seconds)).collect::<Vec<_>>(),
            "errors": [],
        }))
    }
}

/// The report for programs if there is no answer because of mistakes.
#[must_use]
pub fn mistakes(errors: Vec<Value>) -> String {
    Schema::Refine.object(json!({ "verdict": null, "witness": null, "errors": errors }))
}

/// The same because of a limit.
#[must_use]
pub fn limit(over: OverBudget) -> String {
    let limit = json::limit(over, 0);
    Schema::Refine.object(json!({ "verdict": Word::Unknown.text(), "witness": null, "limit": limit, "errors": [] }))
}

/// The first of some names; `None` if there are none.
fn few(names: &[String]) -> Option<String> {
    let mut list: Vec<String> = names.iter().take(ALLOWED).cloned().collect();
    if names.len() > ALLOWED {
        list.push(format!("{} more", names.len() - ALLOWED));
    }
    (!list.is_empty()).then(|| list.join(", "))
}

fn action(system: &System, id: ActionId) -> String {
    clean(&system.action(id).name).into_owned()
}

/// What a comparison took, for people.
fn cost(stats: &Stats, seconds: f64) -> String {
    let mut parts = vec![format!("engine {}", stats.engine.word())];
    parts.extend(stats.pairs.map(|n| counted(n, "pair", "pairs")));
    let of = |n: u64, who: &str| format!("{} of the {who}", counted(n, "state", "states"));
    parts.extend(stats.implementation_states.map(|n| of(n, "implementation")));
    parts.extend(stats.specification_states.map(|n| of(n, "specification")));
    parts.extend(stats.states.as_ref().map(|n| format!("{} states side by side", readable(&n.to_string()))));
    parts.extend(stats.diagram_nodes.map(|n| counted(n, "diagram node", "diagram nodes")));
    parts.push(format!("{seconds:.3} s"));
    parts.join(", ")
}

/// The same for programs.
fn stats_json(stats: &Stats, seconds: f64) -> Value {
    json!({
        "engine": stats.engine.word(),
        "pairs": stats.pairs,
        "implementation_states": stats.implementation_states,
        "specification_states": stats.specification_states,
        "states": stats.states.as_ref().map(ToString::to_string),
        "diagram_nodes": stats.diagram_nodes,
        "seconds": seconds,
    })
}

#[cfg(test)]
mod tests {
    use posetta_base::{Budget, Diagnostic, Kind, Limit, Verdict};
    use posetta_model::sys;
    use posetta_verify::refine::{Engine, refine};

    use super::*;
    use crate::paint::Paint;
    use crate::problem::Problem;
    use crate::text;

    const TEXT: &str = "component Once { lts { init s; s -put-> t } }
component Often { lts { init s; s -put-> s } }
";

    fn side(name: &str) -> Side {
        let system = sys::read("m.sys", TEXT, Some(name), &mut |_, _| Err("no".into())).expect("a system");
        Side { file: "m.sys".to_owned(), system }
    }

    fn refined(implementation: &str, specification: &str) -> Refined {
        let (implementation, specification) = (side(implementation), side(specification));
        let answer = refine(&implementation.system, &specification.system, Engine::Explicit, &Budget::unlimited());
        let lacking = match answer.expect("an answer").verdict {
            Verdict::Violated(lacking) => Some((lacking, false)),
            _ => None,
        };
        Refined { implementation, specification, equivalent: false, lacking, stats: vec![(Stats::default(), 0.5)] }
    }

    #[test]
    fn a_trace_that_is_lacking() {
        let found = refined("Often", "Once");
        assert_eq!(
            text::report(&found.report(false), Paint::plain()),
            "Does Often implement Once?  (1 observable action)

  ✗ violated: `Once` lacks an observable trace of `Often`

    A shortest trace that `Once` lacks (2 actions):

      put, put

    A run of `Often` that shows it:

       1  put  Often: s
       2  put  Often: s

    `Once` has no put after put; there it allows no observable action at all
"
        );
        assert_eq!(
            found.to_json(),
            concat!(
                r#"{"schema":"posetta-refine/1","verdict":"violated","witness":["put","put"],"question":"implements","#,
                r#""implementation":{"file":"m.sys","system":"Often"},"specification":{"file":"m.sys","system":"Once"},"#,
                r#""lacking_in":"specification","run":[{"action":"put","observable":true},{"action":"put","observable":true}],"#,
                r#""allowed":[],"limit":null,"stats":[{"engine":"auto","pairs":null,"implementation_states":null,"#,
                r#""specification_states":null,"states":null,"diagram_nodes":null,"seconds":0.5}],"errors":[]}"#,
                "\n"
            )
        );
    }

    #[test]
    fn the_one_verdict_is_told_in_any_case() {
        let quiet = Paint { quiet: true, ..Paint::plain() };
        assert_eq!(
            text::report(&refined("Once", "Often").report(false), quiet),
            "Does Once implement Often?  (1 observable action)

  ✓ holds: `Often` has every observable trace of `Once`
"
        );
    }

    #[test]
    fn without_an_answer_there_is_a_limit_or_a_mistake() {
        let over = OverBudget::new("comparing traces", Limit::Time);
        assert_eq!(
            limit(over),
            concat!(
                r#"{"schema":"posetta-refine/1","verdict":"unknown","witness":null,"#,
                r#""limit":{"reached":"time","while":"comparing traces","explored":0},"errors":[]}"#,
                "\n"
            )
        );
        let problem = Problem::in_text("m.sys", Diagnostic::new(Kind::Input, "there is only one system"));
        assert_eq!(
            mistakes(vec![problem.to_json()]),
            concat!(
                r#"{"schema":"posetta-refine/1","verdict":null,"witness":null,"errors":[{"trace":null,"file":"m.sys","property":null,"#,
                r#""kind":"input","line":null,"column":null,"message":"there is only one system","label":null,"help":null}]}"#,
                "\n"
            )
        );
    }
}
