//! What models do, as text: states with what changes in them, steps with what they change, behaviours side by side.

use std::fmt::Write;

use posetta_verify::abstraction::Event;
use unicode_width::UnicodeWidthStr;

use crate::amounts::{counted, grouped};
use crate::page::{listed, padded};
use crate::paint::{Paint, clean};
use crate::refined::abstraction::Behaviours;
use crate::steps::{self, Steps, Then};
use crate::trail::{self, States};

/// The widest action in a list of steps, and the widest place of a component that waits.
const ACTION: usize = 40;

/// What stands before a state or a step: the line of the cycle that it belongs to.
fn bar(cycle: bool, paint: Paint) -> String {
    if cycle { paint.signs("│ ") } else { "  ".to_owned() }
}

fn left_out(out: &mut String, bar: &str, margin: &str, more: &str, paint: Paint) {
    let _ = writeln!(out, "    {bar} {margin}  {}", paint.dim(&format!("{} {more}", paint.sign('⋮'))));
}

/// One state a line.
pub(super) fn states(out: &mut String, states: &States, paint: Paint) {
    let digits = states.count.saturating_sub(1).to_string().len();
    let margin = " ".repeat(digits);
    let last = states.lines.len().saturating_sub(1);
    for (i, line) in states.lines.iter().enumerate() {
        match line {
            trail::Line::State { number, inputs, sets, cycle } => {
                let begins = states.cycle == Some(*number);
                let head = if begins { paint.signs("╭▸") } else { bar(*cycle, paint) };
                let under = format!("{} {margin}", bar(*cycle, paint));
                row(out, &format!("{head} {number:>digits$}"), &under, inputs, sets, paint);
                if i == last && !states.end.is_empty() {
                    let _ = writeln!(out, "    {under}  {}", paint.red(&states.end));
                }
            }
            trail::Line::Gap { states, cycle } => {
                let more = counted(*states as u64, "more state; --json has it", "more states; --json has them");
                left_out(out, &bar(*cycle, paint), &margin, &more, paint);
            }
            trail::Line::Back { to, inputs, sets } => {
                let again = paint.bold(&format!("then state {to} again, and so on forever"));
                let _ = writeln!(out, "    {} {margin}  {again}", paint.signs("╰─"));
                if !inputs.is_empty() || !sets.is_empty() {
                    row(out, &format!("   {margin}"), &format!("   {margin}"), inputs, sets, paint);
                }
            }
        }
    }
}

/// A change, with an arrow that can be shown.
fn arrows(change: &str, paint: Paint) -> String {
    if paint.ascii { change.replace(" → ", " -> ") } else { change.to_owned() }
}

/// One state: what leads to it, and what it changes.
fn row(out: &mut String, head: &str, under: &str, inputs: &[String], sets: &[String], paint: Paint) {
    let room = paint.room(head.width() + 6);
    let mut lines: Vec<String> = Vec::new();
    if !inputs.is_empty() {
        lines.extend(listed(inputs, room - 2));
        if let Some(first) = lines.first_mut() {
            first.insert(0, '[');
        }
        if let Some(last) = lines.last_mut() {
            last.push(']');
        }
    }
    let values = if sets.is_empty() { vec![paint.dim("nothing changes")] } else { listed(sets, room) };
    // Beside the inputs, if there is room.
    match (lines.last_mut(), values.as_slice()) {
        (Some(last), [only]) if last.width() + 2 + only.width() <= room => {
            last.push_str("  ");
            last.push_str(only);
        }
        _ => lines.extend(values),
    }
    for (i, line) in lines.iter().enumerate() {
        let _ = writeln!(out, "    {}  {line}", if i == 0 { head } else { under });
    }
}

/// One step a line, and how it goes on.
pub(super) fn steps(out: &mut String, steps: &Steps, paint: Paint) {
    let digits = steps.count.to_string().len();
    let margin = " ".repeat(digits);
    let start = match steps.then {
        Then::Cycle { to, .. } => Some(to),
        Then::Dead(_) | Then::Open(_) => None,
    };
    let marks = steps.marks;
    let widths = steps.lines.iter().map(|line| match line {
        steps::Line::Step { action, .. } => paint.short(action, ACTION).width(),
        steps::Line::Gap { .. } => 0,
    });
    let width = widths.max().unwrap_or(0);
    for line in &steps.lines {
        match line {
            steps::Line::Step { number, action, changes, observed, cycle, parts: _ } => {
                let first = if start == Some(number - 1) { paint.signs("╭▸") } else { bar(*cycle, paint) };
                let action = paint.short(action, ACTION);
                let pad = " ".repeat(width - action.width());
                let action = match (marks, observed) {
                    (true, true) => format!("{} {}", paint.sign('●'), paint.bold(&action)),
                    (true, false) => format!("  {}", paint.dim(&action)),
                    (false, _) => paint.bold(&action),
                };
                let indent = 11 + digits + width + if marks { 2 } else { 0 };
                let changes: Vec<String> = changes.iter().map(|change| arrows(change, paint)).collect();
                let changes = listed(&changes, paint.room(indent).max(20));
                let text = changes.first().cloned().unwrap_or_else(|| paint.dim("nothing changes"));
                let _ = writeln!(out, "    {first} {number:>digits$}  {action}{pad}  {text}");
                for more in changes.iter().skip(1) {
                    let under = " ".repeat(width + if marks { 4 } else { 2 });
                    let _ = writeln!(out, "    {} {margin}  {under}{more}", bar(*cycle, paint));
                }
            }
            steps::Line::Gap { steps, cycle } => {
                let more = counted(*steps as u64, "more step; --json has it", "more steps; --json has them");
                left_out(out, &bar(*cycle, paint), &margin, &more, paint);
            }
        }
    }
    match &steps.then {
        Then::Cycle { to, divergent } => {
            let again = format!("then again from step {}, forever", grouped(*to as u64 + 1));
            let again = if *divergent { format!("{again}, without an observed action (divergence)") } else { again };
            let _ = writeln!(out, "    {} {margin}  {}", paint.signs("╰─"), paint.bold(&again));
        }
        Then::Dead(rows) => {
            let _ = writeln!(out, "       {margin}  {}", paint.red("no action can take place:"));
            waiting(out, rows, &format!("       {margin}    "), paint);
        }
        Then::Open(end) if !end.is_empty() => {
            let _ = writeln!(out, "       {margin}  {}", paint.bold(end));
        }
        Then::Open(_) => {}
    }
}

/// Where each component is at a deadlock, and what it waits for.
pub(super) fn waiting(out: &mut String, rows: &[(String, String)], indent: &str, paint: Paint) {
    let room = paint.room(indent.len());
    let width = rows.iter().map(|(at, _)| paint.short(at, ACTION).width()).max().unwrap_or(0);
    for (at, what) in rows {
        // What is wide has a line to itself.
        let at = match clean(at).width() > ACTION {
            true => format!("{}\n{indent}  ", paint.short(at, room)),
            false => format!("{}  ", padded(&clean(at), width)),
        };
        let row = format!("{indent}{at}{}", paint.short(what, room));
        let _ = writeln!(out, "{}", row.trim_end());
    }
}

/// One event a line, with a column for each behaviour. Two or more have their names above them.
pub(super) fn behaviours(out: &mut String, behaviours: &Behaviours, paint: Paint) {
    let Behaviours { columns, before } = behaviours;
    let length = columns.iter().map(|(_, events)| events.len()).max().unwrap_or(0);
    if length == 0 {
        let _ = writeln!(out, "      {}", paint.dim("(no event)"));
        return;
    }
    // A step at which nothing happens has a name of ours.
    let shown = |name: &str| if paint.ascii && name == "τ" { "-".to_owned() } else { name.to_owned() };
    let width = |(name, events): &(String, Vec<Event>)| {
        events.iter().map(|e| shown(&e.name).width()).chain([name.width()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = columns.iter().map(width).collect();
    if columns.len() > 1 {
        let cells: Vec<String> = columns.iter().zip(&widths).map(|((name, _), &width)| padded(name, width)).collect();
        let _ = writeln!(out, "            {}", paint.dim(cells.join("  ").trim_end()));
    }
    if *before > 0 {
        let _ = writeln!(out, "      {} {}", paint.sign('⋮'), counted(*before as u64, "event", "events"));
    }
    for place in 0..length {
        let is_seen = columns.iter().any(|(_, events)| events.get(place).is_some_and(|e| e.observable));
        let mark = if is_seen { paint.sign('●') } else { ' ' };
        let cell = |((_, events), &width): (&(String, Vec<Event>), &usize)| {
            padded(&events.get(place).map_or_else(String::new, |e| shown(&e.name)), width)
        };
        let cells: Vec<String> = columns.iter().zip(&widths).map(cell).collect();
        let _ = writeln!(out, "      {:>3} {mark} {}", before + place + 1, cells.join("  ").trim_end());
    }
}
