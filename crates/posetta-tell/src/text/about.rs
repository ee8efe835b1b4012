//! What a run is like, as text.

use std::fmt::Write;

use crate::about::{About, Recorded};
use crate::amounts::{counted, grouped, readable};
use crate::checked::Shape;
use crate::page::{fit, put};
use crate::paint::{Paint, clean};
use posetta_trace::{Missing, Reason};

/// The columns of the titles.
const TITLE: usize = 15;

/// So many names are listed.
const NAMES: usize = 8;

/// What is known about some runs. What is not, a limit has left open, or an interruption if the work was `cut_short`.
#[must_use]
pub fn about<'a>(all: impl IntoIterator<Item = &'a About>, cut_short: bool, paint: Paint) -> String {
    let stopped = if cut_short { "it was interrupted" } else { "a limit was reached" };
    let mut out = String::new();
    for (i, about) in all.into_iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        let name = if about.run == "-" { "standard input".into() } else { clean(&about.run) };
        let _ = writeln!(out, "{}", paint.bold(&name));
        let Some(shape) = about.shape else {
            let _ = writeln!(out, "  {}", paint.yellow(&format!("{stopped} before it was read")));
            continue;
        };
        for (what, value) in rows(about, shape, stopped) {
            let line = format!("  {}  {value}", paint.dim(&format!("{what:<TITLE$}")));
            put(&mut out, &line, paint.width, TITLE + 4);
        }
    }
    fit(out, paint.width)
}

fn rows(about: &About, shape: Shape, stopped: &str) -> Vec<(&'static str, String)> {
    let open = || format!("not known: {stopped} first");
    let size = |n: usize| grouped(n as u64);
    let number = |n: Option<usize>, what: &str| n.map_or_else(open, |n| format!("{} {what}", size(n)));
    let big = |n: &Option<String>, what: &str| {
        n.as_deref().map_or_else(open, |digits| format!("{} {what}", readable(digits)))
    };
    let listed = |all: &[(String, usize)], one: &str, many: &str| {
        let named = |(name, n): &(String, usize)| format!("{} ({})", clean(name), counted(*n as u64, one, many));
        let mut parts: Vec<String> = all.iter().take(NAMES).map(named).collect();
        if all.len() > NAMES {
            parts.push(format!("and {} more", size(all.len() - NAMES)));
        }
        if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) }
    };
    let mut rows = vec![
        ("processes", format!("{}{}", size(about.processes.len()), listed(&about.processes, "event", "events"))),
        ("events", size(shape.events)),
        ("edges", number(about.edges, "between processes, implied ones left out")),
        ("width", number(about.width, "(the most events that are pairwise unordered)")),
        ("cuts", big(&about.cuts, "(global states that could have occurred)")),
        ("linearisations", big(&about.linearisations, "(orders that could have happened)")),
        ("variables", format!("{}{}", size(about.variables.len()), listed(&about.variables, "value", "values"))),
    ];
    let reasons = |counts: &[(Reason, usize)]| {
        let assumed = |reason: Reason| if reason.is_assumed() { " (assumed)" } else { "" };
        let told = |(reason, count): &(Reason, usize)| format!("{} {reason}{}", size(*count), assumed(*reason));
        counts.iter().map(told).collect::<Vec<_>>().join(", ")
    };
    let mut more = Vec::new();
    if !about.groups.is_empty() {
        let groups = listed(&about.groups, "process", "processes");
        more.push(("groups", format!("{}{groups}", size(about.groups.len()))));
    }
    if !about.reasons.is_empty() {
        more.push(("reasons", reasons(&about.reasons)));
    }
    if !about.contradicted.is_empty() {
        more.push(("left out", format!("{}: causes contradict them", reasons(&about.contradicted))));
    }
    if !about.lacks.is_empty() {
        let told = |(what, count): &(Missing, usize)| format!("{} {what}", size(*count));
        more.push(("incomplete", about.lacks.iter().map(told).collect::<Vec<_>>().join(", ")));
    }
    rows.splice(3..3, more);
    for unordered in about.unordered.iter().flatten() {
        let writes = unordered.writes.join(" and ");
        rows.push(("unordered", format!("writes to {}, such as {}", clean(&unordered.variable), clean(&writes))));
    }
    let recorded = match about.recorded {
        _ if shape.one_order => "the only one: this format has no other",
        Some(Recorded::Time) => "by time stamp",
        Some(Recorded::Lines) => "by line",
        None => "none",
    };
    let lag = about.lag.as_ref().map(|lag| format!(", up to {lag} s off where causes contradict them"));
    rows.push(("recorded order", format!("{recorded}{}", lag.unwrap_or_default())));
    if let Some([from, to]) = &about.times {
        rows.push(("time", format!("{from} to {to}")));
    }
    rows
}
