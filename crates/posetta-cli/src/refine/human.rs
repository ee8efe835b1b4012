//! What `refine` found, for people: the verdict, and for a violation the trace, a run that shows it, and what would have been allowed.

use posetta_base::ActionId;
use posetta_model::system::System;
use posetta_tell::report::{Answer, Block, Report, Subject, Title};
use posetta_tell::steps::Steps;
use posetta_tell::{Word, clean, short};
use posetta_verify::refine::{Lacking, Stats};

use super::{Findings, Side};
use crate::amounts::{counted, readable};

/// The widest name of a system.
const NAME: usize = 40;
/// So many actions of a trace are shown in one piece; of a longer one the end.
const TRACE: usize = 60;
/// So many actions are named that would have been allowed.
const ALLOWED: usize = 12;

/// The report.
pub(super) fn told(findings: &Findings, stats: bool) -> Report<'_> {
    let (left, right) = (&findings.implementation, &findings.specification);
    let [a, b] = names(left, right);
    let observable = left.system.actions.iter().filter(|action| !action.internal).count();
    let facts = vec![counted(observable as u64, "observable action", "observable actions")];
    let words = match findings.equivalent {
        false => ["Does ", " implement ", "?"],
        true => ["Are ", " and ", " equivalent?"],
    };
    let title = Title::Question(words.map(str::to_owned), [a.clone(), b.clone()]);
    let mut answer = match (&findings.lacking, findings.equivalent) {
        (None, false) => Answer::new("", Word::Holds, format!("holds: `{b}` has every observable trace of `{a}`")),
        (None, true) => Answer::new("", Word::Holds, "holds: both have the same observable traces"),
        (Some((lacking, turned)), _) => {
            let [has, lacks] = if *turned { [&b, &a] } else { [&a, &b] };
            let sentence = format!("violated: `{lacks}` lacks an observable trace of `{has}`");
            let mut answer = Answer::new("", Word::Violated, sentence);
            answer.blocks = shown(findings, lacking, [has, lacks]);
            answer
        }
    };
    if stats {
        answer.costs.extend(findings.stats.iter().map(|(stats, seconds)| cost(stats, *seconds)));
    }
    let mut subject = Subject::new(title, facts);
    subject.answers.push(answer);
    Report { subjects: vec![subject], summary: None }
}

/// What the two are called: by their files if they have the same name.
fn names(left: &Side, right: &Side) -> [String; 2] {
    let name = |side: &Side| match left.system.name == right.system.name {
        true if left.file != right.file => short(&side.file, NAME),
        _ => short(&side.system.name, NAME),
    };
    [name(left), name(right)]
}

fn shown<'a>(findings: &Findings, lacking: &Lacking, [has, lacks]: [&String; 2]) -> Vec<Block<'a>> {
    let (owner, other) = findings.sides();
    let (system, theirs) = (&owner.system, &other.system);
    let left_out = lacking.trace.len().saturating_sub(TRACE);
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
    let mut allowed: Vec<String> = lacking.allowed.iter().take(ALLOWED).map(|&a| action(theirs, a)).collect();
    if lacking.allowed.len() > ALLOWED {
        allowed.push(format!("{} more", lacking.allowed.len() - ALLOWED));
    }
    let instead = match allowed.is_empty() {
        true => "there it allows no observable action at all".to_owned(),
        false => format!("there it allows {}", allowed.join(", ")),
    };
    vec![
        Block::List { heading: format!("A shortest trace that `{lacks}` lacks ({length})"), items: trace },
        Block::Steps {
            heading: format!("A run of `{has}` that shows it{marks}"),
            steps: Steps::new(system, &lacking.run, &observed, ""),
        },
        Block::Sentence(format!("`{lacks}` has no {last} {before}; {instead}")),
    ]
}

fn action(system: &System, id: ActionId) -> String {
    clean(&system.action(id).name).into_owned()
}

/// What a comparison took.
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
