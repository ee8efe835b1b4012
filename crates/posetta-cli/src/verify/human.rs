//! The report of `verify` for people: verdicts, and for a violation the states that lead to it, as changes.

use std::collections::HashSet;
use std::fmt::Write;

use posetta_base::Verdict;
use posetta_model::fds::Trail;
use posetta_verify::fds::Evidence;
use unicode_width::UnicodeWidthStr;

use super::Telling;
use super::board::{Asked, Report};
use super::steps::{self, Line};
use crate::amounts::{counted, grouped, readable};
use crate::args::TrailWhen;
use crate::board::Word;
use crate::carets;
use crate::paint::{Paint, clean, short};
use crate::report_human::{self, FORMULA, LINE, advice, stopped};

/// Mistakes and warnings, for standard error.
pub(super) fn notes(report: &Report, paint: Paint) -> String {
    let mut out = String::new();
    // A module that is used twice has its warnings twice.
    let mut told = HashSet::new();
    for remark in report.remarks() {
        let text = carets::warning(&remark.file, None, &remark.diagnostic, paint);
        if told.insert(text.clone()) {
            out.push_str(&text);
        }
    }
    out.extend(report.problems.iter().map(|problem| carets::error(problem, paint)));
    if let Some(over) = report.over
        && (!report.prepared || !report.words().contains(&Word::Unknown))
    {
        out.push_str(&stopped(over, paint));
    }
    out
}

/// The verdicts, for standard output.
pub(super) fn results(report: &Report, telling: Telling, paint: Paint) -> String {
    let mut out = String::new();
    if !report.prepared || !report.problems.is_empty() {
        // The mistakes, or the limit, speak for themselves.
        return out;
    }
    heading(&mut out, report, telling.stats, paint);
    for place in 0..report.asked.len() {
        answer(&mut out, report, place, telling, paint);
    }
    deadlock(&mut out, report, telling, paint);
    if report.asked.is_empty() && !report.asks_deadlock {
        out.push_str(match telling.only_given {
            true => "  no property: none was given\n",
            false => "  no property: the model states none, and none was given\n",
        });
        return out;
    }
    if !out.ends_with("\n\n") {
        out.push('\n');
    }
    summary(&mut out, report, paint);
    out
}

fn heading(out: &mut String, report: &Report, stats: bool, paint: Paint) {
    let name = if report.file == "-" { "standard input".into() } else { clean(&report.file) };
    let inputs = report.columns.iter().filter(|c| c.input).count() as u64;
    let mut parts = vec![counted(report.columns.len() as u64 - inputs, "variable", "variables")];
    if inputs > 0 {
        parts.push(counted(inputs, "input", "inputs"));
    }
    if let Some(findings) = &report.findings {
        parts.push(counted(findings.bits, "bit", "bits"));
        if let Some(states) = findings.states.as_ref().map(ToString::to_string) {
            let noun = if states == "1" { "reachable state" } else { "reachable states" };
            parts.push(format!("{} {noun}", readable(&states)));
        }
        parts.extend(findings.depth.map(|depth| format!("depth {}", grouped(depth))));
    }
    let _ = writeln!(out, "{}{}", paint.bold(&name), paint.dim(&format!("  {}", parts.join(", "))));
    if let Some(findings) = report.findings.as_ref().filter(|_| stats) {
        let relation = counted(findings.relation_nodes, "diagram node", "diagram nodes");
        let most = grouped(report.most_nodes().unwrap_or(0));
        let _ = writeln!(out, "  {}", paint.dim(&format!("{relation} for the steps, at most {most} in all")));
    }
}

fn answer(out: &mut String, report: &Report, place: usize, telling: Telling, paint: Paint) {
    let asked = &report.asked[place];
    let (word, over) = report.word(place);
    if paint.quiet && word == Word::Holds {
        return;
    }
    let name = short(&asked.name, FORMULA);
    // A long formula without a name has a line to itself.
    let gap = if name.width() <= 40 { "  " } else { "\n    " };
    let sentence = match (word, over) {
        (Word::Unknown, Some(over)) => format!("unknown: {over}{}", advice(over.limit)),
        (Word::Unknown, None) => "unknown".to_owned(),
        (Word::Holds, _) if report.is_vacuous(place) => match asked.logic {
            "invariant" => "holds of nothing: there is no state",
            _ => "holds of nothing: there is no computation",
        }
        .to_owned(),
        _ => sentence(asked, word).to_owned(),
    };
    let _ = writeln!(out, "  {} {}{gap}{sentence}", report_human::mark(word, paint), paint.bold(&name));
    if asked.name != asked.formula {
        let formula = format!("{} {}", asked.logic, short(&asked.formula, FORMULA));
        let _ = writeln!(out, "    {}", paint.dim(&formula));
    }
    let Some(outcome) = &report.slots[place] else { return };
    if telling.stats {
        let rounds = counted(outcome.answer.rounds, "operation", "operations");
        let nodes = counted(outcome.answer.diagram_nodes, "diagram node", "diagram nodes");
        let _ = writeln!(out, "    {}", paint.dim(&format!("{rounds}, {nodes}, {:.3} s", outcome.seconds)));
    }
    if let Verdict::Violated(evidence) = &outcome.answer.verdict
        && telling.witness != TrailWhen::Never
    {
        let trail = evidence.trail();
        let _ = writeln!(out, "\n    {}:\n", what_is_shown(report, asked, evidence));
        let end = match evidence {
            Evidence::Computation(_) if asked.inputs => {
                let inputs = trail.states.last().map_or(Vec::new(), |state| steps::inputs(state, &report.columns));
                format!("the computation ends here, with {}", clean(&inputs.join(", ")))
            }
            Evidence::Computation(_) => "the computation ends here".to_owned(),
            Evidence::Path(_) if asked.logic == "invariant" => "here it is broken".to_owned(),
            Evidence::Path(_) => String::new(),
        };
        list(out, report, (trail, &outcome.turns), &end, paint);
        out.push('\n');
    }
}

fn sentence(asked: &Asked, word: Word) -> &'static str {
    match (word, asked.logic) {
        (Word::Unknown, _) => "unknown",
        (Word::Holds, "invariant") => "holds: every reachable state satisfies it",
        (Word::Violated, "invariant") => "violated: some reachable state does not satisfy it",
        (Word::Holds, "ctl") => "holds: every initial state that begins a computation satisfies it",
        (Word::Violated, "ctl") => "violated: some initial state that begins a computation does not satisfy it",
        (Word::Holds, _) => "holds: every computation satisfies it",
        (Word::Violated, _) => "violated: some computation does not satisfy it",
    }
}

fn what_is_shown(report: &Report, asked: &Asked, evidence: &Evidence) -> String {
    let trail = evidence.trail();
    let what = match evidence {
        Evidence::Computation(_) => "A computation that does not satisfy it",
        Evidence::Path(_) if asked.logic == "invariant" && report.is_breadth_first() => {
            "A shortest path to a state that does not satisfy it"
        }
        Evidence::Path(_) if asked.logic == "invariant" => "A path to a state that does not satisfy it",
        Evidence::Path(trail) if trail.states.len() == 1 && trail.cycle.is_none() => {
            return "Such a state".to_owned();
        }
        Evidence::Path(_) => "A path from such a state that shows it",
    };
    match trail.cycle {
        Some(0) => format!("{what}; it goes round forever"),
        Some(to) => format!("{what}; from state {} on it goes round forever", grouped(to as u64)),
        None if matches!(evidence, Evidence::Computation(_)) => format!("{what}; it ends in a final state"),
        None => what.to_owned(),
    }
}

/// States without a next one.
fn deadlock(out: &mut String, report: &Report, telling: Telling, paint: Paint) {
    let found = report.deadlock();
    if let Some(word) = report.deadlock_word() {
        let sentence = match (word, report.over) {
            (Word::Holds, _) => "holds: every reachable state has a next one or is final".to_owned(),
            (Word::Violated, _) => "violated: some reachable state has no next one and is not final".to_owned(),
            (Word::Unknown, Some(over)) => format!("unknown: {over}{}", advice(over.limit)),
            (Word::Unknown, None) => "unknown".to_owned(),
        };
        let _ = writeln!(out, "  {} {}  {sentence}", report_human::mark(word, paint), paint.bold("no deadlock"));
    }
    let Some(trail) = found else { return };
    let whole = match telling.witness {
        TrailWhen::Never => return,
        TrailWhen::Auto => report.asks_deadlock,
        TrailWhen::Always => true,
    };
    if whole {
        let path = if report.is_breadth_first() { "A shortest path" } else { "A path" };
        let _ = writeln!(out, "\n    {path} to a state that has no next one and is not final:\n");
        list(out, report, (trail, &[]), "from here there is no step", paint);
        out.push('\n');
        return;
    }
    let last = trail.states.last().map_or(Vec::new(), |state| steps::whole(state, &report.columns));
    let away = counted(trail.states.len() as u64 - 1, "step", "steps");
    let _ = writeln!(out, "  {} a deadlock, reached in {away} (--witness always shows the path):", paint.yellow("!"));
    for line in wrapped(&last, LINE - 6) {
        let _ = writeln!(out, "      {line}");
    }
}

/// A trail, one state a line; of a long one, the turns are shown in any case.
fn list(out: &mut String, report: &Report, (trail, turns): (&Trail, &[usize]), end: &str, paint: Paint) {
    let digits = trail.states.len().saturating_sub(1).to_string().len();
    let margin = " ".repeat(digits);
    let lines = steps::lines(trail, &report.columns, turns);
    for (i, line) in lines.iter().enumerate() {
        let begins = |cycle: bool| if cycle && trail.cycle.is_some() { "│ " } else { "  " };
        match line {
            Line::State { number, inputs, sets, cycle } => {
                let bar = if trail.cycle == Some(*number) { "╭▸" } else { begins(*cycle) };
                let head = format!("{bar} {number:>digits$}");
                let under = format!("{} {margin}", begins(*cycle));
                row(out, &head, &under, inputs, sets, paint);
                let last = i + 1 == lines.len();
                if last && !end.is_empty() {
                    let _ = writeln!(out, "    {under}  {}", paint.red(end));
                }
            }
            Line::Gap { states, cycle } => {
                let more = counted(*states as u64, "more state; --json has it", "more states; --json has them");
                let _ = writeln!(out, "    {} {margin}  {}", begins(*cycle), paint.dim(&format!("⋮ {more}")));
            }
            Line::Back { to, inputs, sets } => {
                let again = paint.bold(&format!("then state {to} again, and so on forever"));
                let _ = writeln!(out, "    ╰─ {margin}  {again}");
                if !inputs.is_empty() || !sets.is_empty() {
                    row(out, &format!("   {margin}"), &format!("   {margin}"), inputs, sets, paint);
                }
            }
        }
    }
}

/// One state: what leads to it, and what it changes.
fn row(out: &mut String, head: &str, under: &str, inputs: &[String], sets: &[String], paint: Paint) {
    let room = LINE.saturating_sub(head.width() + 6);
    let mut lines: Vec<String> = Vec::new();
    if !inputs.is_empty() {
        lines.extend(wrapped(inputs, room - 2));
        if let Some(first) = lines.first_mut() {
            first.insert(0, '[');
        }
        if let Some(last) = lines.last_mut() {
            last.push(']');
        }
    }
    let nothing = [paint.dim("nothing changes")];
    let values = if sets.is_empty() { nothing.to_vec() } else { wrapped(sets, room) };
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

/// Things with commas between them, in lines of at most so many columns, as far as each of them allows.
pub(crate) fn wrapped(items: &[String], most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let item = format!("{}{}", clean(item), if i + 1 < items.len() { "," } else { "" });
        match lines.last_mut() {
            Some(line) if line.width() + 1 + item.width() <= most => {
                line.push(' ');
                line.push_str(&item);
            }
            _ => lines.push(item),
        }
    }
    lines
}

fn summary(out: &mut String, report: &Report, paint: Paint) {
    let words = report.words();
    let count = |word: Word| words.iter().filter(|&&w| w == word).count() as u64;
    let parts = report_human::tally(count, paint);
    let properties = counted(words.len() as u64, "property", "properties");
    let _ = writeln!(out, "{properties}: {}", parts.join(", "));
}
