//! What a run is like, as text.

use std::fmt::Write;

use crate::about::{About, Recorded};
use crate::amounts::{counted, grouped, readable};
use crate::checked::Shape;
use crate::page::{fit, put};
use crate::paint::{Paint, clean};

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
    rows.push(("recorded order", recorded.to_owned()));
    if let Some([from, to]) = &about.times {
        rows.push(("time", format!("{from} to {to}")));
    }
    rows
}
