//! Reports for people: the verdicts, and for a violation the order that fails.

use std::collections::HashMap;
use std::fmt::Write;

use posetta_base::{Diagnostic, Kind, Limit, OverBudget, Subject};
use posetta_check::{Observed, Runs};
use posetta_tell::page::fit;
use unicode_width::UnicodeWidthStr;

use crate::amounts::{counted, grouped, readable};
use crate::board::{Outcome, Report, RunReport, Shape, Word};
use crate::counts::{Count, Counts};
use crate::explanation::Words;
use crate::lanes::Lanes;
use crate::paint::{Paint, clean, short};
use crate::problem::Problem;
use crate::proof::{Line, Tree};
use crate::properties::Named;
use crate::story::{EventRow, Missing, Moved, Row, Story};
use crate::subformulas::{Along, Column, Row as TraceRow, Subformulas};
use crate::{across, carets, conform, deny};

/// Mistakes and warnings, for standard error.
pub fn notes(report: &Report, errors: &[Problem], paint: Paint) -> String {
    let mut out = String::new();
    // The same warning on a thousand runs is one warning.
    let mut warnings: Vec<(&str, Diagnostic, &str, u64)> = Vec::new();
    let mut last_run: Vec<&str> = Vec::new();
    let mut seen: HashMap<(&str, String, [u64; 2]), usize> = HashMap::new();
    // A name that no event has is the same mistake wherever it stands; what asks for nothing is another one in each place.
    let place = |w: &Diagnostic| match &w.place {
        Some(place) if w.kind == Kind::Vacuous => [place.line, place.column],
        _ => [0, 0],
    };
    let of_properties = report.answers().map(|(run, p, outcome)| (run, p.file.as_str(), joined(&outcome.warnings)));
    let followed = report.runs.iter().filter_map(|run| Some((run, report.followed(run)?)));
    let of_model = followed.map(|(run, (model, followed))| (run, model.file.as_str(), followed.warnings.clone()));
    for (run, file, told) in of_properties.chain(of_model) {
        for warning in told {
            let at = *seen.entry((file, warning.message.clone(), place(&warning))).or_insert(warnings.len());
            match warnings.get_mut(at) {
                // Several properties may say the same of one run.
                Some((.., more)) => *more += u64::from(std::mem::replace(&mut last_run[at], &run.name) != run.name),
                None => {
                    warnings.push((file, warning, &run.name, 0));
                    last_run.push(&run.name);
                }
            }
        }
    }
    if let Some(model) = &report.model {
        out.extend(model.system.warnings.iter().map(|w| carets::warning(&model.file, None, w, paint)));
    }
    for run in &report.runs {
        let trace = Some(run.name.as_str()).filter(|&trace| trace != run.file);
        out.extend(run.warnings.iter().map(|w| carets::warning(&run.file, trace, w, paint)));
    }
    for (file, warning, run, more) in warnings {
        let runs = match more {
            0 => run.to_owned(),
            more => format!("{run} and {}", counted(more, "other", "others")),
        };
        out.push_str(&carets::warning(file, Some(&runs), &warning, paint));
    }
    for problem in errors {
        out.push_str(&carets::error(problem, paint));
    }
    if let Some(over) = report.unprepared {
        out.push_str(&stopped(over, paint));
    }
    out
}

/// The warnings of one property on one run, with those about variables that the run lacks in one, and without names that another
/// warning speaks of.
fn joined(warnings: &[Diagnostic]) -> Vec<Diagnostic> {
    // Whoever denies one kind is told of it.
    let warnings = match deny::denies(Kind::NeverOccurs) && !deny::denies(Kind::Vacuous) {
        true => warnings.to_vec(),
        false => across::without_names_told(warnings),
    };
    let lacking = |w: &Diagnostic| match w.subject() {
        Some(Subject::Variable(name)) if w.kind == Kind::NotAssigned => Some(name.clone()),
        _ => None,
    };
    let names: Vec<String> = warnings.iter().filter_map(lacking).collect();
    if names.len() < 2 {
        return warnings;
    }
    let mut list: Vec<String> = names.iter().take(NAMES).map(|name| format!("`{name}`")).collect();
    if names.len() > NAMES {
        list.push(format!("and {} more", grouped((names.len() - NAMES) as u64)));
    }
    let mut out: Vec<Diagnostic> = Vec::new();
    let mut told = false;
    for warning in warnings {
        if lacking(&warning).is_none() {
            out.push(warning);
        } else if !std::mem::replace(&mut told, true) {
            let message = format!("this run neither assigns nor declares {}: here they are always 0", list.join(", "));
            out.push(Diagnostic { message, ..warning });
        }
    }
    out
}

/// That a limit was reached before there was anything to answer.
pub fn stopped(over: OverBudget, paint: Paint) -> String {
    fit(format!("{}: {over}{}\n", paint.yellow("unknown"), advice(over.limit)), paint.width)
}

/// The verdicts, for standard output; with `stats`, what each of them cost.
pub fn results(report: &Report, errors: &[Problem], stats: bool, paint: Paint) -> String {
    let mut out = String::new();
    for run in &report.runs {
        let followed = report.followed(run);
        let is_told = |word: Word| !paint.quiet || word != Word::Holds;
        let followed = followed.filter(|(_, followed)| is_told(followed.word));
        let mut answers = report.answers_of(run).filter(|(_, outcome)| is_told(outcome.word)).peekable();
        if followed.is_none() && answers.peek().is_none() {
            continue;
        }
        heading(&mut out, run, paint);
        for (property, outcome) in answers {
            answer(&mut out, run, property, outcome, stats, paint);
        }
        if let Some((model, followed)) = followed {
            conform::human::answer(&mut out, model, followed, stats, paint);
        }
        if !out.ends_with("\n\n") {
            out.push('\n');
        }
    }
    summary(&mut out, report, errors.len(), paint);
    out
}

/// What `replay` found out about one order.
pub fn replayed(property: &Named, word: Word, complete: bool, story: &Story, paint: Paint) -> String {
    let what = if complete { "order" } else { "path" };
    let sentence = match (word, property.over().is_some()) {
        (Word::Holds, true) => format!("{} a possible order, and it satisfies the property", paint.green("✓")),
        (Word::Violated, true) => format!("{} a possible order, and it violates the property", paint.red("✗")),
        (Word::Holds, false) => format!("{} a possible {what}, and it proves the property", paint.green("✓")),
        (Word::Violated, false) => format!("{} a possible {what}, and it refutes the property", paint.red("✗")),
        (Word::Unknown, _) => {
            format!("{} a possible {what}; by itself it neither proves nor refutes the property", paint.yellow("?"))
        }
    };
    let mut out = format!("{sentence}\n  {}\n", paint.dim(&short(&property.formula, FORMULA)));
    if word == Word::Violated {
        out.push('\n');
        list(&mut out, story, word, paint);
    }
    out
}

fn heading(out: &mut String, run: &RunReport, paint: Paint) {
    let name = if run.name == "-" { "standard input".into() } else { clean(&run.name) };
    let _ = write!(out, "{}", paint.bold(&name));
    if let Some(shape) = run.shape {
        let _ = write!(out, "{}", paint.dim(&format!("  {}", size(shape))));
    }
    out.push('\n');
}

/// How large a run is. The first of a sequence of states is where it starts, the others are events.
pub fn size(shape: Shape) -> String {
    if shape.one_order {
        return format!("{} in one order", counted((shape.events as u64).saturating_add(1), "state", "states"));
    }
    let processes = counted(shape.processes as u64, "process", "processes");
    format!("{processes}, {}", counted(shape.events as u64, "event", "events"))
}

/// The sign before a property.
pub fn mark(word: Word, paint: Paint) -> String {
    match word {
        Word::Holds => paint.green(&paint.signs("✓")),
        Word::Violated => paint.red(&paint.signs("✗")),
        Word::Unknown => paint.yellow("?"),
    }
}

fn answer(out: &mut String, run: &RunReport, property: &Named, outcome: &Outcome, stats: bool, paint: Paint) {
    let mark = mark(outcome.word, paint);
    let name = short(&property.name, FORMULA);
    // A long formula without a name has a line to itself.
    let gap = if property.has_name || name.width() <= 40 { "  " } else { "\n    " };
    let _ = writeln!(out, "  {mark} {}{gap}{}", paint.bold(&name), sentence(run, property, outcome));
    if property.name != property.formula && outcome.word != Word::Holds {
        let over = if property.over() == Some("events") { " over events" } else { "" };
        let formula = short(&property.formula, FORMULA);
        let _ = writeln!(out, "    {}", paint.dim(&format!("{}{over} {formula}", property.logic())));
    }
    if stats {
        let _ = writeln!(out, "    {}", paint.dim(&cost(property, outcome)));
    }
    table(out, &outcome.counts, paint);
    if outcome.needs_every_path {
        let why = match outcome.word {
            Word::Holds => "No single order shows it: it is so in every order.",
            _ => "No single order shows it: it asks for an order that does not exist.",
        };
        let _ = writeln!(out, "    {}", paint.dim(why));
    }
    if let Some(story) = &outcome.story {
        tell(out, property, outcome, story, paint);
    }
    if let Some(tree) = &outcome.tree {
        draw_tree(out, tree, paint);
    }
    match &outcome.trace {
        None => {}
        Some(Ok(parts)) => trace_parts(out, parts, paint),
        Some(Err(over)) => {
            let _ = writeln!(out, "\n    Which parts are true where is not known: {over}{}", advice(over.limit));
        }
    }
    if outcome.story.is_some() || outcome.tree.is_some() || outcome.trace.is_some() {
        out.push('\n');
    }
}

/// At how many cuts each part of the property holds.
fn table(out: &mut String, counts: &Counts, paint: Paint) {
    if counts.parts.is_empty() {
        return;
    }
    let of_all = counts.all.as_deref().map_or(String::new(), |all| format!(", of {}", readable(all)));
    let _ = writeln!(out, "    {}", paint.dim(&format!("Cuts at which each part holds{of_all}:")));
    let cells = |c: &Count| [part(c.depth, &c.formula), readable(&c.cuts), c.share.clone().unwrap_or_default()];
    let rows: Vec<[String; 3]> = counts.parts.iter().map(cells).collect();
    let [first, second, third] = widths(&rows);
    for [formula, cuts, share] in rows {
        let formula = format!("{formula}{}", " ".repeat(first - formula.width()));
        let cuts = format!("{}{cuts}", " ".repeat(second - cuts.width()));
        let share = format!("{}{share}", " ".repeat(third - share.width()));
        let _ = writeln!(out, "{}", format!("      {formula}  {cuts}  {share}").trim_end());
    }
}

/// Why the property has its value, step by step.
fn draw_tree(out: &mut String, tree: &Tree, paint: Paint) {
    let _ = writeln!(out, "\n    Step by step:\n");
    let cells = |line: &Line| [part(line.depth, &line.formula), line.holds.to_string(), short(&line.at, CELL)];
    let rows: Vec<[String; 3]> = tree.lines.iter().map(cells).collect();
    let widths = widths(&rows);
    for (line, cells) in tree.lines.iter().zip(&rows) {
        let padded = |i: usize| format!("{}{}", cells[i], " ".repeat(widths[i] - cells[i].width()));
        let value = if line.holds { paint.green(&padded(1)) } else { paint.red(&padded(1)) };
        let _ = writeln!(out, "      {}  {value}  {}  {}", padded(0), padded(2), paint.dim(&short(&line.how, REMARK)));
    }
    if tree.more > 0 {
        let more = counted(tree.more as u64, "more line; --json has it", "more lines; --json has them");
        let _ = writeln!(out, "      {}", paint.dim(&format!("⋮ {more}")));
    }
}

/// A part of a formula, indented by its depth.
fn part(depth: usize, formula: &str) -> String {
    format!("{}{}", "  ".repeat(depth.min(INDENTS)), short(formula, PART))
}

/// The widest cell of each column.
fn widths<const N: usize>(rows: &[[String; N]]) -> [usize; N] {
    std::array::from_fn(|i| rows.iter().map(|row| row[i].width()).max().unwrap_or(0))
}

/// What the answer cost.
fn cost(property: &Named, outcome: &Outcome) -> String {
    let stats = &outcome.stats;
    let (one, many) = if property.over().is_some() { ("configuration", "configurations") } else { ("cut", "cuts") };
    let mut parts = Vec::new();
    if !stats.engine.is_empty() {
        parts.push(format!("{} engine", stats.engine));
    }
    // Sets of cuts are not gone through one by one.
    match stats.nodes {
        0 if property.over().is_none() && !matches!(stats.engine, "" | "explicit") => {}
        0 => parts.push(counted(stats.configurations, one, many)),
        nodes => parts.push(counted(nodes, "node", "nodes")),
    }
    if stats.further_configurations > 0 {
        parts.push(format!("{} more for an order that satisfies it", grouped(stats.further_configurations)));
    }
    if stats.covered > 0 {
        parts.push(format!("{} covered by others", grouped(stats.covered)));
    }
    if stats.events > 0 {
        parts.push(format!(
            "{} of {} relevant",
            grouped(stats.relevant_events),
            counted(stats.events, "event", "events")
        ));
    }
    if stats.width > 0 {
        parts.push(format!("on {}", counted(stats.width, "chain", "chains")));
    }
    parts.push(format!("{:.3} s", outcome.seconds));
    parts.join(", ")
}

/// The verdict in words.
fn sentence(run: &RunReport, property: &Named, outcome: &Outcome) -> String {
    let main = match (outcome.word, outcome.runs) {
        (Word::Unknown, _) => unknown(property, outcome),
        (word, _) if run.has_one_order() => {
            return word.on_the_only_order();
        }
        (Word::Holds, None) => "holds".to_owned(),
        (Word::Violated, None) => "violated".to_owned(),
        // What every order does, the recorded one does too.
        (Word::Holds, Some(_)) => return "holds: every possible order satisfies it".to_owned(),
        (Word::Violated, Some(Runs::None)) => return "violated: no possible order satisfies it".to_owned(),
        (Word::Violated, Some(Runs::Some)) => "violated: some possible orders satisfy it, others do not".to_owned(),
        (Word::Violated, Some(_)) => "violated: at least one possible order does not satisfy it".to_owned(),
    };
    let recorded = match outcome.observed {
        // The explanation begins with it.
        _ if outcome.words.is_some() => "",
        Some(Observed::Holds) => "; the recorded order satisfies it",
        Some(Observed::Violated) => "; the recorded order violates it",
        None => "",
    };
    format!("{main}{recorded}{}", outcome.over.map_or("", |over| advice(over.limit)))
}

/// What could help.
pub fn advice(limit: Limit) -> &'static str {
    match limit {
        Limit::Time => " (more time: --timeout)",
        Limit::Memory => " (more memory: --memory)",
        _ => "",
    }
}

fn unknown(property: &Named, outcome: &Outcome) -> String {
    let (one, many) = if property.over().is_some() { ("configuration", "configurations") } else { ("cut", "cuts") };
    let explored = match outcome.stats.configurations {
        0 => String::new(),
        n => format!(", with {} explored", counted(n, one, many)),
    };
    match outcome.over {
        Some(over) => format!("unknown: {over}{explored}"),
        None => format!("unknown{explored}"),
    }
}

fn tell(out: &mut String, property: &Named, outcome: &Outcome, story: &Story, paint: Paint) {
    if let Some(words) = &outcome.words {
        explain(out, words);
    }
    if story.rows.is_empty() {
        return;
    }
    let linear = property.over().is_some();
    let (what, distance) = match &outcome.words {
        // That it fails has been said.
        Some(_) if story.recorded && outcome.runs == Some(Runs::Some) => ("The recorded order", None),
        Some(words) if linear && !story.recorded => (words.heading, words.distance.as_deref()),
        _ => (subject(linear, outcome, story), None),
    };
    let distance = distance.map_or(String::new(), |distance| format!(", {distance}"));
    let _ = writeln!(out, "\n    {what}{distance}:\n");
    list(out, story, outcome.word, paint);
    if story.shortened {
        let _ = writeln!(out, "\n    {}", paint.dim("--json lists every event of it."));
    }
}

/// What is shown.
fn subject(linear: bool, outcome: &Outcome, story: &Story) -> &'static str {
    match (linear, outcome.word) {
        (true, _) if story.recorded => "The recorded order fails",
        (true, _) => "An order that fails",
        (false, Word::Holds) if outcome.tree.is_some() => "A path that shows it, explained below",
        (false, _) if outcome.tree.is_some() => "A path that shows why it fails, explained below",
        (false, Word::Holds) if outcome.to_the_end => "An order that shows it, all the way",
        (false, _) if outcome.to_the_end => "An order that shows why it fails, all the way",
        (false, Word::Holds) => "A path to a global state that shows it",
        (false, _) => "A path to the global state that violates it",
    }
}

/// Why, in words.
fn explain(out: &mut String, words: &Words) {
    out.push('\n');
    for line in filled(&words.text, LINE) {
        let _ = writeln!(out, "    {line}");
    }
    for edge in &words.edges {
        let _ = writeln!(out, "      {}", edge.replace('\u{a0}', " "));
    }
}

/// Text in lines of at most so many columns, if its words allow it.
fn filled(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.into_iter().map(|line| line.replace('\u{a0}', " ")).collect()
}

/// What the signs mean, if there are any.
fn legend(story: &Story) -> String {
    let has = |wanted: Moved| story.rows.iter().any(|r| matches!(r, Row::Event(row) if row.moved == Some(wanted)));
    let mut parts = Vec::new();
    if has(Moved::Swapped) {
        parts.push("⇅ the two that changed places".to_owned());
    }
    match (has(Moved::Earlier), has(Moved::Later)) {
        (true, true) => parts.push("↑ earlier than recorded, ↓ later".to_owned()),
        (true, false) => parts.push("↑ earlier than recorded".to_owned()),
        (false, true) => parts.push("↓ later than recorded".to_owned()),
        (false, false) => {}
    }
    if story.lanes.is_some() && story.rows.iter().any(|row| matches!(row, Row::Cut { .. })) {
        parts.push("═ the global state: what is above it has happened, ○ has not".to_owned());
    }
    match story.missing {
        Missing { drawn: 0, .. } => {}
        Missing { drawn, all } if drawn < all => {
            let (drawn, all) = (grouped(drawn as u64), grouped(all as u64));
            parts.push(format!("╌▷ {drawn} of the {all} missing edges"));
        }
        Missing { drawn: 1, .. } => parts.push("╌▷ missing: would rule it out".to_owned()),
        Missing { .. } => parts.push("╌▷ missing: together they would rule it out".to_owned()),
    }
    parts.join("   ")
}

/// An order, line by line.
pub fn list(out: &mut String, story: &Story, word: Word, paint: Paint) {
    let cells: Vec<[String; 4]> = story.rows.iter().map(cells).collect();
    let mut widths = widths(&cells);
    // Signs stand in the column of the numbers, even if there are none.
    widths[0] = widths[0].max(1);
    let lanes = story.lanes.as_ref();
    let margin = " ".repeat(widths[0] + 4);
    for line in lanes.map(Lanes::head).unwrap_or_default() {
        let _ = writeln!(out, "    {margin}{}", paint.bold(&line));
    }
    for (i, (row, cells)) in story.rows.iter().zip(&cells).enumerate() {
        let drawn = lanes.map_or(Vec::new(), |lanes| lanes.row(i, paint));
        let Drawn { before, after, remarks, width } = draw(row, cells, &widths, word, lanes.is_some(), paint);
        let gap = if matches!(row, Row::Cut { .. }) { "══ " } else { "  " };
        let lane = drawn.first().map_or(String::new(), |line| format!("{line}{gap}"));
        let width = width + lanes.map_or(0, |lanes| lanes.width() + 2);
        // Beside the event, if there is room.
        let beside = remarks.iter().map(|(_, width)| width + 2).sum::<usize>() + width <= LINE || lanes.is_none();
        let (beside, below) = if beside { (remarks.as_slice(), &[][..]) } else { (&[][..], remarks.as_slice()) };
        let mut line = format!("{before}{lane}{after}");
        for (remark, _) in beside {
            let _ = write!(line, "  {remark}");
        }
        let _ = writeln!(out, "    {}", line.trim_end());
        // Below it else, first behind the lines that the links need anyway.
        let lines = drawn.len().saturating_sub(1).max(below.len());
        for k in 0..lines {
            let own = || lanes.map_or(String::new(), |lanes| lanes.below(i, paint));
            let lane = drawn.get(k + 1).cloned().unwrap_or_else(own);
            let remark = below.get(k).map_or("", |(remark, _)| remark.as_str());
            let _ = writeln!(out, "    {}", format!("{margin}{lane}  {remark}").trim_end());
        }
    }
    let legend = legend(story);
    if !legend.is_empty() {
        let _ = writeln!(out, "\n    {}", paint.dim(&legend));
    }
}

/// The longest formula; `--json` has it whole.
pub const FORMULA: usize = 300;
/// The most names in one warning.
const NAMES: usize = 12;
/// The widest cell, and the widest remark behind a row.
const CELL: usize = 48;
/// The longest attributes of an event.
const ABOUT: usize = 48;
/// The columns of an explanation.
pub const LINE: usize = 100;
const REMARK: usize = 100;
/// The widest part of a formula in a table, and how far parts are indented at most.
const PART: usize = 60;
const INDENTS: usize = 16;

/// Number, label, name and assignments of a row.
fn cells(row: &Row) -> [String; 4] {
    match row {
        Row::Event(EventRow { number, label, name, sets, .. }) => {
            let number = number.map_or(String::new(), |number| number.to_string());
            [number, short(label, CELL), short(name, CELL), short(sets, CELL)]
        }
        Row::Start { .. } => ["0".to_owned(), "start".to_owned(), String::new(), String::new()],
        Row::Gap { .. } | Row::Rest { .. } | Row::End | Row::Cut { .. } | Row::Ahead { .. } => Default::default(),
    }
}

/// A row in its parts.
#[derive(Default)]
struct Drawn {
    /// What stands before the lanes.
    before: String,
    /// What stands behind them.
    after: String,
    /// What is to be said there, with its width.
    remarks: Vec<(String, usize)>,
    /// The columns of what stands before and behind.
    width: usize,
}

fn draw(row: &Row, cells: &[String; 4], widths: &[usize; 4], word: Word, has_lanes: bool, paint: Paint) -> Drawn {
    let padded = |i: usize| format!("{}{}", cells[i], " ".repeat(widths[i].saturating_sub(cells[i].width())));
    let remark = |text: &str| {
        let mark = if word == Word::Holds { "✓" } else { "✗" };
        let text = format!("{mark} {}", short(text, REMARK)).trim_end().to_owned();
        let width = text.width();
        (if word == Word::Holds { paint.green(&text) } else { paint.red(&text) }, width)
    };
    let first = |sign: &str| format!("  {sign:>width$}  ", width = widths[0]);
    // In lanes something else says that there is a gap.
    let gap = |text: String| {
        let before = paint.dim(&first(if has_lanes { "" } else { "⋮" }));
        Drawn { before, after: paint.dim(&text), ..Drawn::default() }
    };
    match row {
        Row::Event(EventRow { moved, line, about, note, number, .. }) => {
            let arrow = match moved {
                Some(Moved::Earlier) => paint.yellow("↑"),
                Some(Moved::Later) => paint.yellow("↓"),
                Some(Moved::Swapped) => paint.yellow("⇅"),
                None => " ".to_owned(),
            };
            let before = format!("{arrow} {}  ", paint.dim(&format!("{:>width$}", cells[0], width = widths[0])));
            let mut after = padded(1);
            for i in [2, 3] {
                if widths[i] > 0 {
                    let _ = write!(after, "  {}", padded(i));
                }
            }
            let line = format!("  {line}");
            let width = widths[0] + 4 + after.width() + line.width();
            // What has not happened stands back.
            let after = if number.is_some() { after + &paint.dim(&line) } else { paint.dim(&(after + &line)) };
            let mut remarks: Vec<(String, usize)> = note.iter().map(|text| remark(text)).collect();
            if !about.is_empty() {
                let about = short(about, ABOUT);
                remarks.push((paint.dim(&about), about.width()));
            }
            Drawn { before, after, remarks, width }
        }
        Row::Start { note } => {
            let remarks = note.iter().map(|text| remark(text)).collect();
            Drawn { before: first("0"), after: padded(1), remarks, width: widths[0] + 4 + widths[1] }
        }
        Row::Gap { events, moved } => {
            let some = counted(*events as u64, "other event", "other events");
            let moved = if *moved > 0 { format!(", {} of them moved", grouped(*moved as u64)) } else { String::new() };
            gap(format!("{some}{moved}"))
        }
        Row::End => {
            Drawn { before: paint.red(&first("✗")), after: paint.red("the run ends here"), ..Drawn::default() }
        }
        Row::Rest { events } => gap(counted(*events as u64, "event follows", "events follow")),
        Row::Ahead { events } => {
            gap(counted(*events as u64, "more event has not happened", "more events have not happened"))
        }
        Row::Cut { note } => {
            let before = if has_lanes { format!("{}══", " ".repeat(widths[0] + 2)) } else { first("═") };
            Drawn { before, after: remark(format!("here {note}").trim_end()).0, ..Drawn::default() }
        }
    }
}

/// Which parts of the property are true where.
fn trace_parts(out: &mut String, parts: &Subformulas, paint: Paint) {
    let along = match parts.along {
        Along::Failing => "along the order that fails",
        Along::Path => "along the path",
        Along::Recorded => "along the recorded order",
        Along::Possible => "along a possible order",
    };
    let is_open = |row: &TraceRow| matches!(row, TraceRow::At { values, .. } if values.contains(&None));
    let what = match parts.states {
        true => "In which states the monitor can be (✓)",
        false if parts.rows.iter().any(is_open) => "Which parts are true (✓), or would take other paths to know (?)",
        false => "Which parts are true (✓)",
    };
    let _ = writeln!(out, "\n    {what}, {along}:\n");
    let digits = parts.columns.len().to_string().len();
    for Column { number, formula, depth } in &parts.columns {
        let indent = "  ".repeat((*depth).min(INDENTS));
        let _ = writeln!(out, "      {}  {indent}{}", paint.dim(&format!("{number:>digits$}")), short(formula, LINE));
    }
    if parts.more > 0 {
        let more = counted(parts.more as u64, "more part; --json has it", "more parts; --json has them");
        let _ = writeln!(out, "      {}", paint.dim(&format!("⋮ {more}")));
    }
    if parts.rows.is_empty() {
        let _ = writeln!(out, "\n      There are no positions.");
        return;
    }
    let cells = |row: &TraceRow| match row {
        TraceRow::At { position, event: Some((label, name, line)), sets, .. } => {
            [position.to_string(), short(label, CELL), short(name, CELL), line.clone(), short(sets, REMARK)]
        }
        TraceRow::At { position, event: None, sets, .. } => {
            [position.to_string(), "start".to_owned(), String::new(), String::new(), short(sets, REMARK)]
        }
        TraceRow::Alike(_) | TraceRow::Skipped(_) => Default::default(),
    };
    let rows: Vec<[String; 5]> = parts.rows.iter().map(cells).collect();
    let widths = widths(&rows);
    let numbers: String = parts.columns.iter().map(|c| format!(" {:>digits$}", c.number)).collect();
    let _ = writeln!(out, "\n      {}{}", " ".repeat(widths[0] + 1), paint.dim(&numbers));
    for (row, cells) in parts.rows.iter().zip(&rows) {
        let before = format!("      {:>width$} ", cells[0], width = widths[0]);
        let line = match row {
            TraceRow::At { values, .. } => {
                let mark = |value: &Option<bool>| match value {
                    Some(true) => paint.green(&format!(" {:>digits$}", "✓")),
                    Some(false) => format!(" {:>digits$}", "·"),
                    None => paint.yellow(&format!(" {:>digits$}", "?")),
                };
                let marks: String = values.iter().map(mark).collect();
                let mut text = String::new();
                for i in 1..5 {
                    if widths[i] > 0 {
                        let _ = write!(text, "  {}{}", cells[i], " ".repeat(widths[i] - cells[i].width()));
                    }
                }
                format!("{before}{marks} {text}")
            }
            TraceRow::Alike(some) => {
                let some = counted(*some as u64, "position alike", "positions alike");
                paint.dim(&format!("      {:>width$}  {some}", "⋮", width = widths[0]))
            }
            TraceRow::Skipped(some) => {
                let some = counted(*some as u64, "more change; --json has it", "more changes; --json has them");
                paint.dim(&format!("      {:>width$}  {some}", "⋮", width = widths[0]))
            }
        };
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

/// How many properties have which verdict, without those that none has.
pub fn tally(count: impl Fn(Word) -> u64, paint: Paint) -> Vec<String> {
    let (holds, violated, unknown) = (count(Word::Holds), count(Word::Violated), count(Word::Unknown));
    let mut parts = Vec::new();
    if violated > 0 {
        parts.push(paint.red(&format!("{} violated", grouped(violated))));
    }
    if unknown > 0 {
        parts.push(paint.yellow(&format!("{} unknown", grouped(unknown))));
    }
    if holds > 0 {
        parts.push(paint.green(&counted(holds, "holds", "hold")));
    }
    parts
}

fn summary(out: &mut String, report: &Report, errors: usize, paint: Paint) {
    let count = |word: Word| report.words().filter(|w| *w == word).count() as u64;
    let mut parts = tally(count, paint);
    let none = parts.is_empty();
    if errors > 0 {
        parts.push(paint.red(&counted(errors as u64, "error", "errors")));
    }
    if none {
        // Without a verdict there is nothing on standard output; the errors speak for themselves.
        return;
    }
    let properties = report.properties.len() as u64 + u64::from(report.model.is_some());
    let properties = counted(properties, "property", "properties");
    let runs = report.runs.iter().filter(|r| r.unreadable.is_empty()).count() as u64;
    let _ = writeln!(out, "{properties} on {}: {}", counted(runs, "run", "runs"), parts.join(", "));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::tests::{RUN, branching};
    use posetta_base::Budget;
    use posetta_check::Counted;

    fn text(lines: &[&str]) -> String {
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn counts_are_a_table() {
        let counted =
            |formula: &str, depth, cuts: u64| Counted { formula: formula.to_owned(), depth, cuts: cuts.into() };
        let parts = vec![
            counted("AG (x == 1 -> EF (y == 2))", 0, 0),
            counted("x == 1 -> EF (y == 2)", 1, 101_950_889_250_359),
            counted("x == 1", 2, 21_950_889_250_360),
            counted("EF (y == 2)", 2, 1),
        ];
        let all = 101_950_889_250_360.into();
        let mut out = String::new();
        table(&mut out, &Counts::new(parts.clone(), Some(&all)), Paint::plain());
        let expected = [
            "    Cuts at which each part holds, of 101,950,889,250,360:",
            "      AG (x == 1 -> EF (y == 2))                    0      0 %",
            "        x == 1 -> EF (y == 2)     101,950,889,250,359  >99.9 %",
            "          x == 1                   21,950,889,250,360   21.5 %",
            "          EF (y == 2)                               1   <0.1 %",
        ];
        assert_eq!(out, text(&expected));
        let mut out = String::new();
        table(&mut out, &Counts::new(parts[2..].to_vec(), None), Paint::plain());
        let expected = [
            "    Cuts at which each part holds:",
            "          x == 1       21,950,889,250,360",
            "          EF (y == 2)                   1",
        ];
        assert_eq!(out, text(&expected));
        let mut out = String::new();
        table(&mut out, &Counts::default(), Paint::plain());
        assert_eq!(out, "");
    }

    #[test]
    fn a_proof_that_branches_is_told_step_by_step() {
        let trace = posetta_formats::text::read(RUN.as_bytes(), &Budget::unlimited()).unwrap();
        let tree = Tree::new(&trace, &branching(&trace)).expect("it branches");
        let mut out = String::new();
        draw_tree(&mut out, &tree, Paint::plain());
        let expected = [
            "",
            "    Step by step:",
            "",
            "      AG (y == 0 || EG (x < 2) && AF (z == 1))  false  at the start          on the path A.1, B.1",
            "        y == 0 || EG (x < 2) && AF (z == 1)     false  after B.1 (2 events)  by these parts",
            "          y == 0                                false  after B.1 (2 events)  here",
            "          EG (x < 2) && AF (z == 1)             false  after B.1 (2 events)  by these parts",
            "            EG (x < 2)                          false  after B.1 (2 events)  every path from here: examined",
            "            AF (z == 1)                         false  after B.1 (2 events)  on the path A.2, A.3, A.4, A.5 (+2 more), to the end, with z == 1 false on it",
        ];
        assert_eq!(out, text(&expected));
    }

    #[test]
    fn a_long_proof_is_shortened() {
        let trace = posetta_formats::text::read(RUN.as_bytes(), &Budget::unlimited()).unwrap();
        let part = branching(&trace);
        let why = posetta_check::Why::Operands(vec![part; 20]);
        let proof = posetta_check::Proof { formula: "f".repeat(100), holds: false, why };
        let tree = Tree::new(&trace, &proof).expect("it branches");
        let mut out = String::new();
        draw_tree(&mut out, &tree, Paint::plain());
        assert!(out.ends_with("⋮ 81 more lines; --json has them\n"), "{out}");
        assert_eq!(out.lines().count(), 3 + 40 + 1, "{out}");
    }
}
