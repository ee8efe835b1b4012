//! What was found as text, for people. Start at [`report`].

mod about;
mod explained;
mod model;
mod order;
mod printer;
mod sample;
mod tables;

use std::fmt::Write;

use posetta_base::{Limit, OverBudget};
use unicode_width::UnicodeWidthStr;

pub use self::about::about;
pub use self::explained::{explained, tested};
pub use self::printer::Printer;
use crate::amounts::counted;
use crate::explanation::Words;
use crate::page::{columns, fit, listed, wrap};
use crate::paint::{Paint, clean};
use crate::refined::abstraction::BESIDE;
use crate::report::{Answer, Block, Report, Subject, Title};
use crate::story::Story;
use crate::word::Word;

/// The longest formula; `--json` has it whole.
pub const FORMULA: usize = 300;
/// The widest cell, and the widest remark behind a row.
const CELL: usize = 48;
const REMARK: usize = 100;
/// A name that is wider has a line to itself, if it is a formula.
const NAME: usize = 40;

/// All of a report.
#[must_use]
pub fn report(report: &Report<'_>, paint: Paint) -> String {
    let mut printer = Printer::new(report.subjects.len(), report.summary.is_some(), paint);
    let mut out: String = report.subjects.iter().map(|about| printer.subject(about, true)).collect();
    out.push_str(&printer.finish(report.summary));
    // Nothing follows what shows the last answer.
    if report.summary.is_none() && out.ends_with("\n\n") {
        out.pop();
    }
    out
}

/// Who wants it quiet wants to see what does not hold.
fn is_shown(answer: &Answer<'_>, paint: Paint) -> bool {
    !paint.quiet || answer.word != Word::Holds || answer.in_any_case
}

/// One subject with its answers.
fn subject(out: &mut String, subject: &Subject<'_>, rest: &[Block<'_>], paint: Paint) {
    match &subject.title {
        Title::Name(name) => {
            let name = if name == "-" { "standard input".into() } else { clean(name) };
            let _ = write!(out, "{}", paint.bold(&name));
            if !subject.facts.is_empty() {
                let _ = write!(out, "{}", paint.dim(&format!("  {}", subject.facts.join(", "))));
            }
            out.push('\n');
        }
        Title::Question([before, between, after], [a, b]) => {
            let facts = paint.dim(&format!("({})", subject.facts.join(", ")));
            let [a, b] = [a, b].map(|name| paint.bold(&beside(name, paint)));
            let _ = writeln!(out, "{before}{a}{between}{b}{after}  {facts}\n");
        }
    }
    if let Some(cost) = &subject.cost {
        let _ = writeln!(out, "  {}", paint.dim(cost));
    }
    let premises: Vec<&Answer<'_>> = subject.premises.iter().filter(|own| is_shown(own, paint)).collect();
    premises.iter().for_each(|own| answer(out, own, paint));
    if !premises.is_empty() && !out.ends_with("\n\n") {
        out.push('\n');
    }
    subject.answers.iter().filter(|own| is_shown(own, paint)).for_each(|own| answer(out, own, paint));
    rest.iter().for_each(|part| block(out, part, Word::Unknown, paint));
}

/// What shows an answer, by itself: its formula, what it took, and the evidence, with that of the premises that do not hold.
#[must_use]
pub fn evidence(subject: &Subject<'_>, of: &Answer<'_>, paint: Paint) -> String {
    let mut out = String::new();
    particulars(&mut out, of, paint);
    for premise in subject.premises.iter().filter(|premise| premise.word != Word::Holds) {
        if !out.is_empty() && !out.ends_with("\n\n") {
            out.push('\n');
        }
        answer(&mut out, premise, paint);
    }
    flush_left(&fit(out, paint.width))
}

/// What is said about a subject behind its answers, by itself.
#[must_use]
pub fn rest(subject: &Subject<'_>, paint: Paint) -> String {
    let mut out = String::new();
    subject.rest.iter().for_each(|part| block(&mut out, part, Word::Unknown, paint));
    flush_left(&fit(out, paint.width))
}

/// Lines without the margin that they have below a property, or below a subject.
fn flush_left(text: &str) -> String {
    let margin = |line: &&str| line.len() - line.trim_start_matches(' ').len();
    let least = text.lines().filter(|line| !line.is_empty()).map(|line| margin(&line)).min().unwrap_or(0);
    let lines: Vec<&str> = text.trim_end().lines().map(|line| line.get(least..).unwrap_or_default()).collect();
    lines.join("\n").trim_start_matches('\n').to_owned()
}

/// What parts of a system are called, with a sign between them that can be shown.
fn beside(text: &str, paint: Paint) -> String {
    if paint.ascii { text.replace(BESIDE, " || ") } else { text.to_owned() }
}

fn answer(out: &mut String, answer: &Answer<'_>, paint: Paint) {
    let mark = if answer.known { paint.yellow(&paint.signs("✗")) } else { answer.word.mark(paint) };
    if answer.name.is_empty() {
        let _ = writeln!(out, "  {mark} {}", beside(&answer.sentence, paint));
    } else {
        let name = paint.short(&answer.name, FORMULA);
        // A long formula has a line to itself, and so has a name if that keeps the sentence in one piece.
        let sentence = columns(&answer.sentence);
        let is_better_below = name.width() + sentence + 6 > paint.width && sentence + 4 <= paint.width;
        let is_beside = (answer.is_named || name.width() <= NAME) && !is_better_below;
        let gap = if is_beside { "  " } else { "\n    " };
        let _ = writeln!(out, "  {mark} {}{gap}{}", paint.bold(&name), answer.sentence);
    }
    particulars(out, answer, paint);
    let has_evidence = |part: &Block<'_>| !matches!(part, Block::Remark(_) | Block::Aside(_) | Block::Counts(_));
    if answer.blocks.iter().any(has_evidence) {
        out.push('\n');
    }
}

/// What stands below a verdict.
fn particulars(out: &mut String, answer: &Answer<'_>, paint: Paint) {
    if let Some(said) = &answer.remark {
        for line in wrap(&clean(&said.text()), paint.room(4), 0) {
            let _ = writeln!(out, "    {line}");
        }
    }
    if let Some([logic, formula]) = &answer.formula {
        let _ = writeln!(out, "    {}", paint.dim(&format!("{logic} {}", paint.short(formula, FORMULA))));
    }
    for cost in &answer.costs {
        let _ = writeln!(out, "    {}", paint.dim(cost));
    }
    answer.blocks.iter().for_each(|part| block(out, part, answer.word, paint));
}

fn block(out: &mut String, block: &Block<'_>, word: Word, paint: Paint) {
    let heading = |out: &mut String, text: &str| {
        let _ = writeln!(out, "\n    {}:\n", paint.signs(text));
    };
    match block {
        Block::Remark(text) => {
            let _ = writeln!(out, "  {text}");
        }
        Block::Aside(text) => {
            for line in wrap(text, paint.room(4), 0) {
                let _ = writeln!(out, "    {}", paint.dim(&line));
            }
        }
        Block::Sentence(text) => {
            out.push('\n');
            for line in wrap(text, paint.room(4), 0) {
                let _ = writeln!(out, "    {line}");
            }
        }
        Block::Notice { text, lines } => {
            let _ = writeln!(out, "  {} {text}", paint.yellow("!"));
            for line in listed(lines, paint.room(6)) {
                let _ = writeln!(out, "      {line}");
            }
        }
        Block::Words(words) => explain(out, words, paint),
        Block::Order { heading: what, story, more } => {
            if story.rows.is_empty() {
                return;
            }
            heading(out, what);
            order(out, story, word, paint);
            if story.shortened {
                let _ = writeln!(out, "\n    {}", paint.dim("--json lists every event of it."));
            }
            more_next(out, *more, paint);
        }
        Block::Refused { heading: what, rows, more } => {
            let room = paint.room(6);
            let _ = writeln!(out, "\n    {}:", paint.short(what, room));
            for [event, who] in rows {
                let _ = writeln!(out, "      {}: {}", paint.short(event, room), paint.red(&paint.short(who, room)));
            }
            more_next(out, *more, paint);
        }
        Block::Picture(_) => {}
        Block::Proof(tree) => tables::tree(out, tree, paint),
        Block::Counts(counts) => tables::counts(out, counts, paint),
        Block::Parts(parts) => tables::parts(out, parts, paint),
        Block::States { heading: what, states } => {
            heading(out, what);
            model::states(out, states, paint);
        }
        Block::Steps { heading: what, steps } => {
            heading(out, what);
            model::steps(out, steps, paint);
        }
        Block::Behaviours { heading: what, behaviours } => {
            heading(out, what);
            model::behaviours(out, behaviours, paint);
        }
        Block::Waiting(rows) => model::waiting(out, rows, "      ", paint),
        Block::List { heading: what, items } => {
            heading(out, what);
            for line in listed(items, paint.room(6)) {
                let _ = writeln!(out, "      {line}");
            }
        }
    }
}

fn more_next(out: &mut String, more: usize, paint: Paint) {
    if more > 0 {
        let more = counted(more as u64, "more could come next; --json has it", "more could come next; --json has them");
        let _ = writeln!(out, "      {}", paint.dim(&format!("{} {more}", paint.sign('⋮'))));
    }
}

/// An order, line by line.
fn order(out: &mut String, story: &Story, word: Word, paint: Paint) {
    order::list(out, story, word, paint);
}

/// Why, in words.
fn explain(out: &mut String, words: &Words, paint: Paint) {
    out.push('\n');
    for line in wrap(&words.text, paint.prose().saturating_sub(4), 0) {
        let _ = writeln!(out, "    {line}");
    }
    for [from, to] in &words.edges {
        let edge = format!("{from} {} {to}", paint.sign('→'));
        let _ = writeln!(out, "      {}", edge.replace('\u{a0}', " "));
    }
    if words.more > 0 {
        let more = counted(words.more as u64, "more; --json has it", "more; --json has them");
        let _ = writeln!(out, "      {} {more}", paint.sign('⋮'));
    }
}

/// That something is not known because of a limit, and what could help.
#[must_use]
pub fn open(over: OverBudget) -> String {
    format!("unknown: {over}{}", advice(over.limit))
}

/// What could help.
#[must_use]
pub fn advice(limit: Limit) -> &'static str {
    match limit {
        Limit::Time => " (more time: --timeout)",
        Limit::Memory => " (more memory: --memory)",
        _ => "",
    }
}

/// That a limit was reached before there was anything to answer.
#[must_use]
pub fn stopped(over: OverBudget, paint: Paint) -> String {
    fit(format!("{}: {over}{}\n", paint.yellow("unknown"), advice(over.limit)), paint.width)
}
