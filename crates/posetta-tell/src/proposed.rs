//! What `init` found in some files, and the property file that it proposes.

use std::fmt::Write;

use crate::amounts::{counted, grouped};
use crate::page::{fit, put, wrap};
use crate::paint::{Paint, clean, short};
use posetta_base::OverBudget;
use posetta_propose::{Proposal, Survey, Tally, Why};
use serde_json::{Value, json};

/// The width of comments in the property file.
const WIDTH: usize = 79;
/// So many names are listed in a file, so many files in a report, and so long is a name.
const NAMES: usize = 40;
const FILES: usize = 5;
const LONGEST: usize = 60;

/// What was found, and what came of it.
#[derive(Debug, Default)]
pub struct Found {
    /// What properties are proposed for, if anything.
    pub chosen: Option<Chosen>,
    /// Runs of other kinds: what they are, how many files, and one of them.
    pub others: Vec<(String, usize, String)>,
    /// Files that are recognised and could not be read, with the reason.
    pub unread: Vec<(String, String)>,
    /// Files in formats that are not read: the file, what it is, and what to do.
    pub foreign: Vec<(String, String, String)>,
    /// Files with models, and with properties.
    pub models: Vec<String>,
    /// Property files that are there already.
    pub specs: Vec<String>,
    /// Files that are nothing that is known.
    pub unknown: Vec<String>,
    /// What was not looked at, each with a reason.
    pub left: Vec<String>,
    /// What was looked at, for the sentence that there is nothing.
    pub place: String,
}

/// That nothing could be looked for, for programs.
#[must_use]
pub fn refused(errors: Vec<Value>) -> Value {
    let mut all = Found::default().to_json(&[]);
    all["errors"] = errors.into();
    all
}

/// That a limit was reached first, for programs.
#[must_use]
pub fn stopped(over: OverBudget) -> Value {
    let mut all = Found::default().to_json(&[]);
    all["limit"] = crate::json::limit(over, 0);
    all
}

/// Runs of one kind.
#[derive(Debug)]
pub struct Chosen {
    /// What they are, as "6 files hold …" goes on.
    pub what: String,
    /// How many files, and runs of them.
    pub files: usize,
    /// How many runs.
    pub runs: usize,
    /// What is in them.
    pub survey: Survey,
    /// What is proposed.
    pub proposals: Vec<Proposal>,
    /// The property file, and the mapping if there is one: where they are.
    pub spec: String,
    /// The mapping file.
    pub mapping: Option<String>,
    /// Whether these were written. If not, they are only shown.
    pub written: bool,
    /// What checks the properties.
    pub command: String,
}

impl Chosen {
    /// The property file.
    #[must_use]
    pub fn property_file(&self) -> String {
        let mut out = String::new();
        comment(
            &mut out,
            &format!(
                "First properties, proposed by `posetta init`. It looked at {} of {}: {}. Each property was checked on these runs, over \
                 all of their possible orders; its answer stands above it. Keep what should always be true, delete the rest, and add \
                 what you know.",
                counted(self.runs as u64, "run", "runs"),
                counted(self.files as u64, "file", "files"),
                self.what,
            ),
        );
        comment(&mut out, "`posetta explain FILE` says what each property means.");
        // A command is one line.
        let _ = writeln!(out, "// To check them: {}", clean(&self.command));
        for proposal in &self.proposals {
            out.push('\n');
            comment(&mut out, &why(&proposal.why));
            comment(&mut out, &format!("Answer: {}.", answer(proposal.tally)));
            let line = format!("property {} = {}", proposal.name, proposal.text);
            let is_long = line.lines().next().is_some_and(|first| first.chars().count() > WIDTH);
            let line = if is_long { line.replacen(" = ", " =\n  ", 1) } else { line };
            let _ = writeln!(out, "{line}");
        }
        if self.proposals.is_empty() {
            out.push('\n');
            comment(
                &mut out,
                "These runs suggest nothing: no two events come in the same order in all of them, and no variable changes. Write a \
                 property by hand, for example:",
            );
            comment(&mut out, "property paid_first = precedence(event(pay), event(ship))");
        }
        out.push('\n');
        comment(&mut out, "What is in the runs, to write more:");
        let survey = &self.survey;
        let names: Vec<String> = survey.names.iter().map(|(name, _)| name.clone()).collect();
        list(&mut out, "events", &names);
        list(&mut out, if survey.grouped { "services" } else { "processes" }, &survey.groups);
        list(&mut out, "variables", &survey.variables);
        list(&mut out, "attributes", &survey.attributes);
        if survey.left_out > 0 {
            comment(
                &mut out,
                &format!("The last {} names of events were not compared with others.", grouped(survey.left_out as u64)),
            );
        }
        out
    }
}

/// Adds a comment, line by line.
fn comment(out: &mut String, text: &str) {
    for line in wrap(&clean(text), WIDTH - 3, 0) {
        let _ = writeln!(out, "// {}", line.trim_end());
    }
}

fn list(out: &mut String, title: &str, names: &[String]) {
    if names.is_empty() {
        return;
    }
    let mut shown: Vec<String> = names.iter().take(NAMES).map(|name| short(name, LONGEST)).collect();
    if names.len() > NAMES {
        shown.push(format!("and {} more", grouped((names.len() - NAMES) as u64)));
    }
    comment(out, &format!("{title}: {}", shown.join(", ")));
}

/// What suggests a property, for people.
fn why(why: &Why) -> String {
    let name = |name: &str| format!("`{}`", short(name, LONGEST));
    let runs = |n: usize| counted(n as u64, "run", "runs");
    match why {
        Why::Order { first, then, runs: n, caused: false } => {
            let (first, then) = (name(first), name(then));
            let place =
                if *n == 1 { "here".to_owned() } else { format!("in all {} runs that have it", grouped(*n as u64)) };
            format!(
                "{first} was recorded before {then} {place}, but nothing ensures that: {then} could have come first. If it \
                 must not, this is a race. If it may, delete this."
            )
        }
        Why::Order { first, then, runs: n, .. } => {
            format!("{} comes before {} in {}, whatever the order.", name(first), name(then), runs(*n))
        }
        Why::Failure { attribute, value, runs: n } => {
            format!("Some event of {} has {} {value}. Should there be none?", runs(*n), name(attribute))
        }
        Why::Answer { key, values, first, then } => format!(
            "{} names what events are about ({}). Most begin with {} and get to {}. Should all?",
            name(key),
            counted(*values as u64, "value", "values"),
            name(first),
            name(then)
        ),
        Why::Range { variable } => {
            format!("The values of {} that were seen. Set the bounds to what is allowed.", name(variable))
        }
        Why::Values { variable } => format!("The values of {} that were seen. Are there others?", name(variable)),
        Why::Grows { variable } => format!("{} never falls in the recorded order. Must it not?", name(variable)),
        Why::Exclusive { variables, value } => {
            let shown: Vec<String> = variables.iter().map(|variable| name(variable)).collect();
            format!(
                "No two of {} were {value} at the same time in the recorded order. Must they never be?",
                shown.join(", ")
            )
        }
        _ => "The runs suggest it.".to_owned(),
    }
}

/// What the runs answered.
fn answer(tally: Tally) -> String {
    let runs = tally.runs();
    let unknown = match tally.unknown {
        0 => String::new(),
        n => format!(", not known on {} (it takes longer)", grouped(n as u64)),
    };
    let hidden = match (tally.violated, tally.hidden) {
        (_, 0) => String::new(),
        (all, hidden) if all == hidden => " in an order that was not recorded".to_owned(),
        (_, hidden) => format!(", on {} of them in an order that was not recorded", grouped(hidden as u64)),
    };
    let answer = match (tally.violated, tally.holds) {
        (0, holds) if holds == runs && runs == 1 => "holds on the run".to_owned(),
        (0, 2) if runs == 2 => "holds on both runs".to_owned(),
        (0, holds) if holds == runs => format!("holds on all {} runs", grouped(runs as u64)),
        (0, holds) => format!("holds on {} of {} runs", grouped(holds as u64), grouped(runs as u64)),
        (1, _) if runs == 1 => format!("violated on the run{hidden}"),
        (violated, _) => format!("violated on {} of {} runs{hidden}", grouped(violated as u64), grouped(runs as u64)),
    };
    format!("{answer}{unknown}")
}

impl Found {
    /// The report for programs. `files` are the texts of the files that it proposes, by their names.
    #[must_use]
    pub fn to_json(&self, files: &[(String, String)]) -> Value {
        let chosen = self.chosen.as_ref().map(|chosen| {
            let proposal = |proposal: &Proposal| {
                let Tally { holds, violated, hidden, unknown, .. } = proposal.tally;
                json!({
                    "property": proposal.name,
                    "formula": proposal.text,
                    "why": why(&proposal.why),
                    "runs": { "holds": holds, "violated": violated, "hidden": hidden, "unknown": unknown },
                })
            };
            json!({
                "what": chosen.what,
                "files": chosen.files,
                "runs": chosen.runs,
                "events": chosen.survey.events,
                "spec": chosen.spec,
                "mapping": chosen.mapping,
                "written": chosen.written,
                "command": chosen.command,
                "properties": chosen.proposals.iter().map(proposal).collect::<Vec<_>>(),
            })
        });
        let others = self.others.iter().map(|(what, files, one)| json!({ "what": what, "files": files, "first": one }));
        let unread = self.unread.iter().map(|(file, why)| json!({ "file": file, "why": why }));
        let foreign =
            self.foreign.iter().map(|(file, what, advice)| json!({ "file": file, "what": what, "advice": advice }));
        let files = files.iter().map(|(file, text)| json!({ "file": file, "text": text }));
        json!({
            "found": chosen,
            "proposed": files.collect::<Vec<_>>(),
            "others": others.collect::<Vec<_>>(),
            "unread": unread.collect::<Vec<_>>(),
            "foreign": foreign.collect::<Vec<_>>(),
            "models": self.models,
            "specs": self.specs,
            "unknown": self.unknown,
            "left_out": self.left,
            "errors": [],
        })
    }

    /// The report for people.
    #[must_use]
    pub fn text(&self, paint: Paint) -> String {
        let mut out = String::new();
        match &self.chosen {
            Some(chosen) => chosen_text(&mut out, chosen, paint),
            None => {
                let _ = writeln!(out, "{}", paint.bold(&format!("no run in {}", clean(&self.place))));
            }
        }
        self.rest(&mut out, paint);
        match &self.chosen {
            Some(chosen) => next(&mut out, chosen, paint),
            None => self.advice(&mut out, paint),
        }
        let mut out = fit(out, paint.width);
        // A command is one line, to be copied.
        if let Some(chosen) = &self.chosen {
            let _ = writeln!(out, "     {}", paint.blue(&clean(&chosen.command)));
        }
        out
    }

    /// What else is there.
    fn rest(&self, out: &mut String, paint: Paint) {
        let mut lines: Vec<String> = Vec::new();
        for (what, files, one) in &self.others {
            let holds = if *files == 1 { "file holds" } else { "files hold" };
            lines.push(format!("{files} {holds} {what}: for these, `posetta init {}`", clean(one)));
        }
        lines.extend(self.unread.iter().take(FILES).map(|(file, why)| format!("cannot read {}: {why}", clean(file))));
        let more = self.unread.len().saturating_sub(FILES);
        if more > 0 {
            lines.push(format!("{more} more cannot be read"));
        }
        for (file, what, advice) in self.foreign.iter().take(FILES) {
            lines.push(format!("{} is {what}: {advice}", clean(file)));
        }
        let more = self.foreign.len().saturating_sub(FILES);
        if more > 0 {
            lines.push(format!("{more} more are in formats that are not read"));
        }
        if let Some(model) = self.models.first() {
            let noun = if self.models.len() == 1 { "a model" } else { "models" };
            lines.push(format!("{noun}: {}; try `posetta verify {}`", listed(&self.models), clean(model)));
        }
        if !self.specs.is_empty() {
            lines.push(format!("there are properties already: {}", listed(&self.specs)));
        }
        if !self.unknown.is_empty() {
            lines.push(format!("not recognised: {}", listed(&self.unknown)));
        }
        lines.extend(self.left.iter().cloned());
        if lines.is_empty() {
            return;
        }
        let _ = writeln!(out, "\n{}", paint.bold("Also here"));
        for line in lines {
            put(out, &format!("  {line}"), paint.width, 4);
        }
    }

    /// How to get a run, where there is none.
    fn advice(&self, out: &mut String, paint: Paint) {
        let _ = writeln!(out, "\n{}", paint.bold("How to get one"));
        for line in [
            "tests that export OpenTelemetry: let them write OTLP files, in JSON or protobuf",
            "logs with one JSON object a line: put some here and call `posetta init` again",
            "a program of your own: print JSON lines, each with its `process`, `name` and `after`",
            "to try it first: posetta gen philosophers --faulty -o run.jsonl",
        ] {
            put(out, &format!("  {line}"), paint.width, 4);
        }
    }
}

fn chosen_text(out: &mut String, chosen: &Chosen, paint: Paint) {
    let size = format!(
        "{}: {}, {}, {}",
        chosen.what,
        counted(chosen.files as u64, "file", "files"),
        counted(chosen.runs as u64, "run", "runs"),
        counted(chosen.survey.events as u64, "event", "events")
    );
    let _ = writeln!(out, "{}", paint.bold(&size));
    let verb = if chosen.written { "is written" } else { "is not written" };
    if let Some(mapping) = &chosen.mapping {
        let line =
            format!("  {} {verb}: which field is the process, the name, the time. Check it first.", clean(mapping));
        put(out, &line, paint.width, 4);
    }
    let count = counted(chosen.proposals.len() as u64, "property", "properties");
    let what = match chosen.proposals.len() {
        0 => "the runs suggest no property, so it has only their names".to_owned(),
        _ => format!("{count}, checked on these runs"),
    };
    put(out, &format!("  {} {verb}: {what}", clean(&chosen.spec)), paint.width, 4);
    for Proposal { name, tally, .. } in &chosen.proposals {
        let (sign, colour): (char, fn(Paint, &str) -> String) = match (tally.violated, tally.unknown) {
            (0, 0) => ('✓', Paint::green),
            (0, _) => ('?', Paint::yellow),
            _ => ('✗', Paint::red),
        };
        let sign = colour(paint, &paint.sign(sign).to_string());
        put(out, &format!("    {sign} {name}"), paint.width, 6);
        put(out, &format!("      {}", answer(*tally)), paint.width, 6);
    }
}

/// What to do now.
fn next(out: &mut String, chosen: &Chosen, paint: Paint) {
    let _ = writeln!(out, "\n{}", paint.bold("Next"));
    let spec = clean(&chosen.spec);
    let mut steps = Vec::new();
    if chosen.mapping.is_some() {
        steps.push("read the mapping: what it guesses decides what is checked".to_owned());
    }
    steps.push(format!("read {spec}: keep what should always be true, delete the rest"));
    for (number, step) in steps.iter().enumerate() {
        put(out, &format!("  {}. {step}", number + 1), paint.width, 5);
    }
    let number = steps.len() + 1;
    let _ = writeln!(out, "  {number}. see why, and put the same line into CI (status 1: violated):");
}

/// The first of some files.
fn listed(files: &[String]) -> String {
    let mut shown: Vec<String> = files.iter().take(FILES).map(|file| clean(file).into_owned()).collect();
    if files.len() > FILES {
        shown.push(format!("and {} more", files.len() - FILES));
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_say_what_was_recorded() {
        let tally = |holds, violated, hidden, unknown| Tally { holds, violated, hidden, unknown };
        for (tally, said) in [
            (tally(1, 0, 0, 0), "holds on the run"),
            (tally(3, 0, 0, 0), "holds on all 3 runs"),
            (tally(2, 0, 0, 1), "holds on 2 of 3 runs, not known on 1 (it takes longer)"),
            (tally(0, 1, 0, 0), "violated on the run"),
            (tally(0, 1, 1, 0), "violated on the run in an order that was not recorded"),
            (tally(1, 2, 2, 0), "violated on 2 of 3 runs in an order that was not recorded"),
            (tally(1, 2, 1, 0), "violated on 2 of 3 runs, on 1 of them in an order that was not recorded"),
        ] {
            assert_eq!(answer(tally), said);
        }
    }
}
