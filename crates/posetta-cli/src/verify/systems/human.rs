//! The report about a system for people: verdicts, and for a violation the run that shows it, as steps.

use std::collections::HashSet;
use std::fmt::Write;

use posetta_model::system::{End, Run, System};
use posetta_verify::system::{Engine, Stats};
use unicode_width::UnicodeWidthStr;

use super::board::{Asked, Outcome, Report, Sort, places};
use super::runs::{self, Line};
use crate::amounts::{counted, grouped, readable};
use crate::args::TrailWhen;
use crate::board::Word;
use crate::carets;
use crate::paint::{Paint, clean, short};
use crate::report_human::{self, FORMULA, LINE, advice, stopped};
use crate::verify::Telling;
use crate::verify::human::wrapped;

/// The widest action in a list of steps.
const ACTION: usize = 40;
/// So many places are named that can have the most tokens.
const PLACES: usize = 8;

/// Mistakes and warnings, for standard error.
pub(super) fn notes(report: &Report, paint: Paint) -> String {
    let mut out = String::new();
    // A component that is there twice has its warnings twice.
    let mut told = HashSet::new();
    for remark in report.remarks() {
        let text = carets::warning(&remark.file, None, &remark.diagnostic, paint);
        if told.insert(text.clone()) {
            out.push_str(&text);
        }
    }
    out.extend(report.problems.iter().map(|problem| carets::error(problem, paint)));
    if let Some(over) = report.over
        && !report.words().contains(&Word::Unknown)
    {
        out.push_str(&stopped(over, paint));
    }
    out
}

/// The verdicts.
pub(super) fn results(report: &Report, telling: Telling, paint: Paint) -> String {
    let mut out = String::new();
    let Some(system) = report.told() else {
        // The mistakes, or the limit, speak for themselves.
        return out;
    };
    heading(&mut out, report, system, telling.stats, paint);
    if report.explores {
        unasked(&mut out, report, system, telling, paint);
        return out;
    }
    for place in 0..report.asked.len() {
        answer(&mut out, report, system, place, telling, paint);
    }
    bound(&mut out, report, system, paint);
    let words = report.words();
    if words.is_empty() {
        return out;
    }
    if !out.ends_with("\n\n") {
        out.push('\n');
    }
    let count = |word: Word| words.iter().filter(|&&w| w == word).count() as u64;
    let properties = counted(words.len() as u64, "property", "properties");
    let _ = writeln!(out, "{properties}: {}", report_human::tally(count, paint).join(", "));
    out
}

fn heading(out: &mut String, report: &Report, system: &System, stats: bool, paint: Paint) {
    let name = if report.file == "-" { "standard input".into() } else { clean(&report.file) };
    let mut parts = vec![counted(system.components.len() as u64, "component", "components")];
    if places(system) > 0 {
        parts.push(counted(places(system) as u64, "place", "places"));
    }
    parts.push(counted(system.actions.len() as u64, "action", "actions"));
    if let Some(found) = &report.findings {
        let number =
            |n: String, one: &str, many: &str| format!("{} {}", readable(&n), if n == "1" { one } else { many });
        parts.extend(found.states.as_ref().map(|n| number(n.to_string(), "reachable state", "reachable states")));
        parts.extend(found.arcs.as_ref().map(|n| number(n.to_string(), "step", "steps")));
        if let (Some(most), Some(all), false) = (found.most_tokens, &found.most_tokens_in_all, report.asks_bound) {
            let most = counted(u64::from(most), "token", "tokens");
            parts.push(format!("at most {most} in a place and {} in all", readable(&all.to_string())));
        }
    }
    let _ = writeln!(out, "{}{}", paint.bold(&name), paint.dim(&format!("  {}", parts.join(", "))));
    if let Some(nodes) = report.findings.as_ref().and_then(|f| f.diagram_nodes).filter(|_| stats) {
        let nodes = counted(nodes, "diagram node", "diagram nodes");
        let _ = writeln!(out, "  {}", paint.dim(&format!("{nodes} for the reachable states")));
    }
}

/// Deadlocks, where nobody asked anything.
fn unasked(out: &mut String, report: &Report, system: &System, telling: Telling, paint: Paint) {
    if let Some(run) = report.deadlock() {
        let away = counted(run.steps.len() as u64, "step", "steps");
        match telling.witness {
            TrailWhen::Never => {
                let _ = writeln!(out, "  {} a deadlock, reached in {away}", paint.yellow("!"));
            }
            TrailWhen::Auto => {
                let hint = "(--witness always shows the run)";
                let _ = writeln!(out, "  {} a deadlock, reached in {away} {hint}:", paint.yellow("!"));
                let last = runs::walk(system, run, |_, _, _, _| {});
                waiting(out, system, &last, "      ");
            }
            TrailWhen::Always => {
                let _ = writeln!(out, "\n  {} A run to a deadlock:\n", paint.yellow("!"));
                list(out, system, run, (&[], ""), paint);
            }
        }
        return;
    }
    match report.word(0) {
        (Word::Holds, _) => out.push_str("  no deadlock: every reachable state has a step\n"),
        (_, over) => {
            let why = over.map_or(String::new(), |over| format!(": {over}{}", advice(over.limit)));
            let _ = writeln!(out, "  {} whether there is a deadlock is not known{why}", paint.yellow("?"));
        }
    }
}

fn answer(out: &mut String, report: &Report, system: &System, place: usize, telling: Telling, paint: Paint) {
    let asked = &report.asked[place];
    let (word, over) = report.word(place);
    if paint.quiet && word == Word::Holds && asked.sort != Sort::Bound {
        return;
    }
    let outcome = report.slots[place].as_ref();
    let name = short(&asked.name, FORMULA);
    // A long formula without a name has a line to itself.
    let gap = if name.width() <= 40 { "  " } else { "\n    " };
    let sentence = match (word, over, outcome.and_then(|o| o.answer.most.as_ref())) {
        (_, _, Some(n)) => {
            let digits = n.to_string();
            format!("at most {} {}", readable(&digits), if digits == "1" { "token" } else { "tokens" })
        }
        (Word::Unknown, Some(over), _) => format!("unknown: {over}{}", advice(over.limit)),
        (Word::Unknown, None, _) => "unknown".to_owned(),
        _ => sentence(asked, word).to_owned(),
    };
    let _ = writeln!(out, "  {} {}{gap}{sentence}", report_human::mark(word, paint), paint.bold(&name));
    if let Some(formula) = asked.formula.as_ref().filter(|f| **f != asked.name) {
        let formula = format!("{} {}", asked.logic, short(formula, FORMULA));
        let _ = writeln!(out, "    {}", paint.dim(&formula));
    }
    if let Some(outcome) = outcome.filter(|_| telling.stats) {
        let _ = writeln!(out, "    {}", paint.dim(&stats(outcome)));
    }
    if let Some(run) = report.run(place).filter(|_| telling.witness != TrailWhen::Never) {
        let _ = writeln!(out, "\n    {}:\n", what_is_shown(asked, run));
        // What comes after the step at which it fails shows nothing.
        let settled = outcome.and_then(|o| o.answer.settled).filter(|&at| at < run.steps.len());
        let beginning = settled.map(|at| Run { steps: run.steps[..at].to_vec(), end: End::Open });
        let run = beginning.as_ref().unwrap_or(run);
        let end = match (run.end, asked.sort) {
            (End::Open, Sort::Reach) => "here it is reached".to_owned(),
            (End::Open, Sort::Invariant | Sort::Finite) => "here it fails".to_owned(),
            (End::Open, Sort::Branching) => match &asked.inside {
                Some(f) => format!("here `{f}` is {}", word == Word::Holds),
                None => String::new(),
            },
            (End::Open, Sort::Actions | Sort::States) => "here it fails, however it goes on".to_owned(),
            _ => String::new(),
        };
        list(out, system, run, (&asked.observed, &end), paint);
        out.push('\n');
    }
}

fn sentence(asked: &Asked, word: Word) -> &'static str {
    let holds = word == Word::Holds;
    match (asked.sort, holds) {
        (Sort::Actions | Sort::States, true) => "holds: every run satisfies it",
        (Sort::Actions | Sort::States, false) => "violated: some run does not satisfy it",
        (Sort::Finite, true) => "holds: the observed actions of every finite run satisfy it",
        (Sort::Finite, false) => "violated: the observed actions of some finite run do not satisfy it",
        (Sort::Branching, true) => "holds: the initial state satisfies it",
        (Sort::Branching, false) => "violated: the initial state does not satisfy it",
        (Sort::Reach, true) => "holds: some reachable state satisfies it",
        (Sort::Reach, false) => "violated: no reachable state satisfies it",
        (Sort::Invariant, true) => "holds: every reachable state satisfies it",
        (Sort::Invariant, false) => "violated: some reachable state does not satisfy it",
        (Sort::NoDeadlock, true) => "holds: every reachable state has a step",
        (Sort::NoDeadlock, false) => "violated: in some reachable state no action can take place",
        (Sort::NoLivelock, true) if !asked.observed.contains(&false) => "holds: every action is observed",
        (Sort::NoLivelock, true) => "holds: no run goes on forever without an observed action",
        (Sort::NoLivelock, false) => "violated: some run goes on forever without an observed action",
        (Sort::Bound, _) => "",
    }
}

fn what_is_shown(asked: &Asked, run: &Run) -> String {
    let what = match asked.sort {
        Sort::Actions | Sort::States | Sort::Finite => "A run that does not satisfy it",
        Sort::Branching | Sort::Bound => "A run that shows it",
        Sort::Reach => "A run that gets there",
        Sort::Invariant => "A run to a state that does not satisfy it",
        Sort::NoDeadlock => "A run to a state in which no action can take place",
        Sort::NoLivelock => "Such a run",
    };
    let marks = match (asked.observed.contains(&false), asked.observed.contains(&true)) {
        (true, true) => " (● observed)",
        (true, false) => " (no action is observed)",
        (false, _) => "",
    };
    let none = if run.steps.is_empty() { ", without a step" } else { "" };
    format!("{what}{marks}{none}")
}

/// The steps, one a line, and how it goes on.
pub(crate) fn list(out: &mut String, system: &System, run: &Run, (observed, end): (&[bool], &str), paint: Paint) {
    let (lines, last) = runs::lines(system, run, observed);
    let digits = run.steps.len().to_string().len();
    let margin = " ".repeat(digits);
    let start = match run.end {
        End::Cycle(to) => Some(to),
        End::Open | End::Dead => None,
    };
    let marks = observed.contains(&false);
    let widths = lines.iter().map(|line| match line {
        Line::Step { action, .. } => short(action, ACTION).width(),
        Line::Gap { .. } => 0,
    });
    let width = widths.max().unwrap_or(0);
    for line in &lines {
        let bar = |cycle: &bool| if *cycle { "│ " } else { "  " };
        match line {
            Line::Step { number, action, changes, observed, cycle } => {
                let first = if start == Some(number - 1) { "╭▸" } else { bar(cycle) };
                let action = short(action, ACTION);
                let pad = " ".repeat(width - action.width());
                let action = match (marks, observed) {
                    (true, true) => format!("● {}", paint.bold(&action)),
                    (true, false) => format!("  {}", paint.dim(&action)),
                    (false, _) => paint.bold(&action),
                };
                let indent = 9 + digits + width + if marks { 2 } else { 0 };
                let changes = wrapped(changes, LINE.saturating_sub(indent).max(30));
                let text = changes.first().cloned().unwrap_or_else(|| paint.dim("nothing changes"));
                let _ = writeln!(out, "    {first} {number:>digits$}  {action}{pad}  {text}");
                for more in changes.iter().skip(1) {
                    let under = " ".repeat(width + if marks { 4 } else { 2 });
                    let _ = writeln!(out, "    {} {margin}  {under}{more}", bar(cycle));
                }
            }
            Line::Gap { steps, cycle } => {
                let more = counted(*steps as u64, "more step; --json has it", "more steps; --json has them");
                let _ = writeln!(out, "    {} {margin}  {}", bar(cycle), paint.dim(&format!("⋮ {more}")));
            }
        }
    }
    match run.end {
        End::Cycle(to) => {
            let unseen = |step: &posetta_model::system::Move| !observed[step.action.index()];
            let divergent = !observed.is_empty() && run.steps[to..].iter().all(unseen);
            let again = format!("then again from step {}, forever", grouped(to as u64 + 1));
            let again = if divergent { format!("{again}, without an observed action (divergence)") } else { again };
            let _ = writeln!(out, "    ╰─ {margin}  {}", paint.bold(&again));
        }
        End::Dead => {
            let _ = writeln!(out, "       {margin}  {}", paint.red("no action can take place:"));
            waiting(out, system, &last, &format!("       {margin}    "));
        }
        End::Open if !end.is_empty() => {
            let _ = writeln!(out, "       {margin}  {}", paint.bold(end));
        }
        End::Open => {}
    }
}

/// Where each component is at a deadlock, and what it waits for.
fn waiting(out: &mut String, system: &System, state: &[u32], indent: &str) {
    let rows = runs::waiting(system, state);
    let width = rows.iter().map(|(at, _)| short(at, ACTION).width()).max().unwrap_or(0);
    for (at, what) in rows {
        // What is wide has a line to itself.
        let is_wide = clean(&at).width() > ACTION;
        let (at, pad) = match is_wide {
            true => (short(&at, LINE), format!("\n{indent}  ")),
            false => (clean(&at).into_owned(), " ".repeat(width - clean(&at).width() + 2)),
        };
        let row = format!("{indent}{at}{pad}{}", short(&what, LINE));
        let _ = writeln!(out, "{}", row.trim_end());
    }
}

/// The answer to `--bound`.
fn bound(out: &mut String, report: &Report, system: &System, paint: Paint) {
    let Some(word) = report.bound_word() else { return };
    let found = report.findings.as_ref();
    let sentence = match (found.and_then(|f| f.most_tokens), report.over) {
        (Some(most), _) => {
            let all = found
                .and_then(|f| f.most_tokens_in_all.as_ref())
                .map_or(String::new(), |all| format!(", {} in all places together", readable(&all.to_string())));
            format!("at most {} in a place{all}", counted(u64::from(most), "token", "tokens"))
        }
        (None, Some(over)) => format!("unknown: {over}{}", advice(over.limit)),
        (None, None) => "unknown".to_owned(),
    };
    let _ = writeln!(out, "  {} {}  {sentence}", report_human::mark(word, paint), paint.bold("bound"));
    let Some(found) = found else { return };
    let names = runs::slot_names(system);
    let full: Vec<&String> = found
        .most_by_place
        .iter()
        .filter(|(_, most)| Some(*most) == found.most_tokens)
        .map(|(slot, _)| &names[*slot as usize])
        .collect();
    let mut shown: Vec<String> = full.iter().take(PLACES).map(|name| (*name).clone()).collect();
    if full.len() > PLACES {
        shown.push(format!("{} more", full.len() - PLACES));
    }
    let shown = wrapped(&shown, LINE - 4);
    for (i, line) in shown.iter().enumerate() {
        let _ = writeln!(out, "    {}", paint.dim(&if i == 0 { format!("so many in {line}") } else { line.clone() }));
    }
}

pub(super) fn engine_name(engine: Engine) -> &'static str {
    match engine {
        Engine::Auto => "auto",
        Engine::Explicit => "explicit",
        Engine::Sog => "sog",
        Engine::Modular => "modular",
    }
}

/// What an answer took.
fn stats(outcome: &Outcome) -> String {
    let Stats { engine, meta_states, arcs, states, diagram_nodes } = &outcome.answer.stats;
    let mut parts = Vec::new();
    if *engine != Engine::Auto {
        parts.push(format!("engine {}", engine_name(*engine)));
    }
    parts.extend(meta_states.map(|n| counted(n, "meta-state", "meta-states")));
    parts.extend(arcs.map(|n| counted(n, "arc", "arcs")));
    parts.extend(states.as_ref().map(|n| {
        let digits = n.to_string();
        format!("{} {}", readable(&digits), if digits == "1" { "state" } else { "states" })
    }));
    parts.extend(diagram_nodes.map(|n| counted(n, "diagram node", "diagram nodes")));
    parts.push(format!("{:.3} s", outcome.seconds));
    parts.join(", ")
}
