//! What `refine` found, for people: the verdict, and for a violation the trace, a run that shows it, and what would have been allowed.

use std::fmt::Write;

use posetta_base::ActionId;
use posetta_model::system::System;
use posetta_verify::refine::{Engine, Lacking, Stats};

use super::{Findings, Side};
use crate::amounts::{counted, readable};
use crate::board::Word;
use crate::paint::{Paint, clean, short};
use crate::report_human::{LINE, mark};
use crate::verify::systems::list;
use crate::verify::wrapped;

/// The widest name of a system.
const NAME: usize = 40;
/// So many actions of a trace are shown in one piece; of a longer one the end.
const TRACE: usize = 60;
/// So many actions are named that would have been allowed.
const ALLOWED: usize = 12;

/// The report.
pub(super) fn report(findings: &Findings, stats: bool, paint: Paint) -> String {
    let mut out = String::new();
    let (left, right) = (&findings.implementation, &findings.specification);
    let [a, b] = names(left, right);
    let observable = left.system.actions.iter().filter(|action| !action.internal).count();
    let actions = counted(observable as u64, "observable action", "observable actions");
    let [first, second] = [paint.bold(&a), paint.bold(&b)];
    let question = match findings.equivalent {
        false => format!("Does {first} implement {second}?"),
        true => format!("Are {first} and {second} equivalent?"),
    };
    let _ = writeln!(out, "{question}  {}\n", paint.dim(&format!("({actions})")));
    match (&findings.lacking, findings.equivalent) {
        (None, false) => {
            verdict(&mut out, Word::Holds, &format!("holds: `{b}` has every observable trace of `{a}`"), paint)
        }
        (None, true) => verdict(&mut out, Word::Holds, "holds: both have the same observable traces", paint),
        (Some((lacking, turned)), _) => {
            let [has, lacks] = if *turned { [&b, &a] } else { [&a, &b] };
            verdict(
                &mut out,
                Word::Violated,
                &format!("violated: `{lacks}` lacks an observable trace of `{has}`"),
                paint,
            );
            shown(&mut out, findings, lacking, [has, lacks], paint);
        }
    }
    if stats {
        for (stats, seconds) in &findings.stats {
            let _ = writeln!(out, "    {}", paint.dim(&cost(stats, *seconds)));
        }
    }
    out
}

/// What the two are called: by their files if they have the same name.
fn names(left: &Side, right: &Side) -> [String; 2] {
    let name = |side: &Side| match left.system.name == right.system.name {
        true if left.file != right.file => short(&side.file, NAME),
        _ => short(&side.system.name, NAME),
    };
    [name(left), name(right)]
}

fn verdict(out: &mut String, word: Word, sentence: &str, paint: Paint) {
    let _ = writeln!(out, "  {} {sentence}", mark(word, paint));
}

fn shown(out: &mut String, findings: &Findings, lacking: &Lacking, [has, lacks]: [&String; 2], paint: Paint) {
    let (owner, other) = findings.sides();
    let (system, theirs) = (&owner.system, &other.system);
    let left_out = lacking.trace.len().saturating_sub(TRACE);
    let mut trace: Vec<String> = Vec::new();
    if left_out > 0 {
        trace.push(format!("⋮ {}", counted(left_out as u64, "action", "actions")));
    }
    trace.extend(lacking.trace[left_out..].iter().map(|&a| action(system, a)));
    let length = counted(lacking.trace.len() as u64, "action", "actions");
    let _ = writeln!(out, "\n    A shortest trace that `{lacks}` lacks ({length}):\n");
    for line in wrapped(&trace, LINE - 6) {
        let _ = writeln!(out, "      {line}");
    }
    let observed: Vec<bool> = system.actions.iter().map(|a| !a.internal).collect();
    let marks = if observed.contains(&false) { " (● observable)" } else { "" };
    let _ = writeln!(out, "\n    A run of `{has}` that shows it{marks}:\n");
    list(out, system, &lacking.run, (&observed, ""), paint);
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
    let _ = writeln!(out, "\n    `{lacks}` has no {} {before}; {instead}", paint.bold(&last));
}

fn action(system: &System, id: ActionId) -> String {
    clean(&system.action(id).name).into_owned()
}

/// What a comparison took.
fn cost(stats: &Stats, seconds: f64) -> String {
    let mut parts = vec![format!("engine {}", engine_name(stats.engine))];
    parts.extend(stats.pairs.map(|n| counted(n, "pair", "pairs")));
    let of = |n: u64, who: &str| format!("{} of the {who}", counted(n, "state", "states"));
    parts.extend(stats.implementation_states.map(|n| of(n, "implementation")));
    parts.extend(stats.specification_states.map(|n| of(n, "specification")));
    parts.extend(stats.states.as_ref().map(|n| format!("{} states side by side", readable(&n.to_string()))));
    parts.extend(stats.diagram_nodes.map(|n| counted(n, "diagram node", "diagram nodes")));
    parts.push(format!("{seconds:.3} s"));
    parts.join(", ")
}

pub(super) fn engine_name(engine: Engine) -> &'static str {
    match engine {
        Engine::Auto => "auto",
        Engine::Explicit => "explicit",
        Engine::Symbolic => "symbolic",
    }
}
