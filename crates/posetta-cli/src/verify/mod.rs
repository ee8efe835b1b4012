//! `posetta verify`: a model against its properties.
//!
//! [`decide`] reads the model and the properties, and lets the library decide; each answer is put on a [`Board`] as soon as it is
//! known, because the watchdog reads it if the work does not end in time. [`human`] and [`programs`] tell what is on it; a counterexample
//! is cut into lines by [`steps`].

mod board;
mod human;
mod programs;
mod steps;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use posetta::base::{Budget, Diagnostic, Failure, Kind, Place, VarId};
use posetta::model::fds::{Demand, ExprId, Fds, Role, Spec};
use posetta::model::smv;
use posetta::verify::{News, Options, Verdict, verify};

use self::board::{Asked, Outcome, Report};
use crate::args::{Report as ReportFormat, TrailWhen, VerifyArgs};
use crate::inputs::extension;
use crate::limited::locked;
use crate::limits::{Limits, Watchdog};
use crate::paint::Paint;
use crate::problem::Problem;
use crate::properties::{self, Named, Source};
use crate::{output, read};

/// How to report.
#[derive(Clone, Copy)]
struct Telling {
    format: ReportFormat,
    stats: bool,
    witness: TrailWhen,
    only_given: bool,
}

/// A report that the work fills and the watchdog may read.
type Board = Mutex<Report>;

/// Runs the command and answers with the exit status. `sources` are the properties from outside.
pub fn run(args: &VerifyArgs, sources: &[Source], started: Instant) -> u8 {
    let limits = Limits::new(started, args.timeout, args.memory.memory);
    let budget = Budget::with_memory(limits.memory);
    let format = if args.json { ReportFormat::Json } else { args.format };
    let telling = Telling { format, stats: args.stats, witness: args.witness, only_given: args.only_given };
    let board = Arc::new(Board::new(Report { asks_deadlock: args.deadlock, ..Report::new(&args.model) }));
    let watchdog = {
        let board = Arc::clone(&board);
        Watchdog::start(limits, budget.stop_handle(), move |limit| {
            let mut report = locked(&board);
            report.stop(limit);
            std::process::exit(i32::from(deliver(&report, telling)));
        })
    };
    decide(args, sources, &board, &budget);
    watchdog.finish();
    deliver(&locked(&board), telling)
}

fn deliver(report: &Report, telling: Telling) -> u8 {
    output::note(&human::notes(report, Paint::stderr()));
    let text = match telling.format {
        ReportFormat::Human => human::results(report, telling, Paint::stdout()),
        ReportFormat::Json => programs::report(report, telling),
    };
    if output::print(&text) { report.exit_status() } else { 2 }
}

/// Fills the board.
fn decide(args: &VerifyArgs, sources: &[Source], board: &Board, budget: &Budget) {
    let begin = |what: &'static str| locked(board).doing = what;
    let fail = |problems: Vec<Problem>| locked(board).problems = problems;
    begin("reading the properties");
    let (given, problems) = properties::read_all(sources);
    if !problems.is_empty() {
        return fail(problems);
    }
    begin("reading the model");
    let mut model = match model(args) {
        Ok(model) => model,
        Err(problems) => return fail(problems),
    };
    let (specs, asked) = match asked(args, &mut model, &given) {
        Ok(found) => found,
        Err(problems) => return fail(problems),
    };
    {
        let mut report = locked(board);
        report.listen(&model, asked);
        report.doing = "making diagrams of the model";
    }
    let options = Options { explore: !args.no_explore || args.deadlock || specs.is_empty(), ..Options::default() };
    let mut last = Instant::now();
    let mut told = |news: News<'_>| {
        let (place, answer) = match news {
            News::Answer(place, answer) => (place, answer),
            News::Model(findings) => return locked(board).findings = Some(findings.clone()),
        };
        let seconds = std::mem::replace(&mut last, Instant::now()).elapsed().as_secs_f64();
        let turns = match &answer.verdict {
            Verdict::Violated(evidence) => steps::turns(&model, &atoms(&specs[place]), evidence.trail()),
            _ => Vec::new(),
        };
        let mut report = locked(board);
        report.doing = "verifying";
        report.slots[place] = Some(Outcome { answer, seconds, turns });
    };
    let found = verify(&model, &specs, &options, budget, &mut told);
    let mut report = locked(board);
    match found {
        Ok(findings) => report.findings = Some(findings),
        Err(Failure::OverBudget(over)) => report.over = Some(over),
        Err(Failure::Invalid(mistakes)) => {
            let file = report.file.clone();
            report.problems = mistakes.into_iter().map(|d| Problem::in_text(&file, d)).collect();
        }
    }
    report.done = true;
}

/// Reads the model.
fn model(args: &VerifyArgs) -> Result<Fds, Vec<Problem>> {
    let file = args.model.display().to_string();
    let is_smv = extension(&args.model).is_some_and(|e| e.eq_ignore_ascii_case("smv"));
    if args.model.as_os_str() != "-" && !is_smv {
        let diagnostic = Diagnostic::new(Kind::Input, format!("`{file}` does not look like a model")).help(
            "models are read in SMV, from files that end in .smv or from standard input (-); recorded runs are for `posetta check`",
        );
        return Err(vec![Problem::in_text(&file, diagnostic)]);
    }
    let text = read::text(&args.model).map_err(|d| vec![Problem::in_text(&file, d)])?;
    smv::read(&text).map_err(|all| all.into_iter().map(|d| Problem::in_text(&file, d)).collect())
}

/// What is asked of the model: its own properties, then the given ones.
fn asked(args: &VerifyArgs, model: &mut Fds, given: &[Named]) -> Result<(Vec<Spec>, Vec<Asked>), Vec<Problem>> {
    let file = args.model.display().to_string();
    let (mut specs, mut all, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    if !args.only_given {
        // A module that is used twice states its properties twice.
        let mut places: HashMap<u64, u64> = HashMap::new();
        for spec in &model.specs {
            let line = Place::in_text(&spec.source, spec.span).line;
            let nth = places.entry(line).and_modify(|n| *n += 1).or_insert(1);
            let again = if *nth > 1 { format!("#{nth}") } else { String::new() };
            let place = if file == "-" { format!("line {line}") } else { format!("{file}:{line}") };
            let name = spec.name.clone().unwrap_or_else(|| format!("{place}{again}"));
            let (formula, inputs) = (written(spec.text()), reads_inputs(model, spec));
            all.push(Asked { name, formula, file: file.clone(), logic: spec.logic(), inputs });
        }
        specs.clone_from(&model.specs);
    }
    let own: HashSet<String> =
        all.iter().zip(&specs).filter(|(_, s)| s.name.is_some()).map(|(a, _)| a.name.clone()).collect();
    for named in given {
        let about = |diagnostic| Problem {
            trace: None,
            file: named.file.clone(),
            property: Some(named.name.clone()),
            diagnostic,
        };
        if named.has_name && own.contains(&named.name) {
            let place = Place::in_text(&named.property.source, named.property.span);
            let message = format!("two properties are called `{}`", named.name);
            let diagnostic = Diagnostic::new(Kind::DuplicateProperty, message).at(place);
            let diagnostic = diagnostic.label(format!("the other one is in {file}"));
            problems.push(about(diagnostic.help("--only-given leaves the properties of the model out")));
            continue;
        }
        match model.bind(&named.property) {
            Ok(spec) => {
                let (name, formula) = (named.name.clone(), named.formula.clone());
                let inputs = reads_inputs(model, &spec);
                all.push(Asked { name, formula, file: named.file.clone(), logic: spec.logic(), inputs });
                specs.push(spec);
            }
            Err(mistakes) => problems.extend(mistakes.into_iter().map(about)),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    chosen(args, specs, all)
}

/// What a property says about single states.
fn atoms(spec: &Spec) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut take = |&atom: &ExprId| found.push(atom);
    match &spec.demand {
        Demand::Ltl(f) => drop(f.map_atoms(&mut take)),
        Demand::Psl(f) => drop(f.map_atoms(&mut take)),
        Demand::Ctl(f) => drop(f.map_atoms(&mut take)),
        Demand::Invariant(atom) => take(atom),
    }
    found
}

/// Whether a property has an input in one of its atoms.
fn reads_inputs(model: &Fds, spec: &Spec) -> bool {
    let is_input = |var: &VarId| model.var(*var).role == Role::Input;
    atoms(spec).iter().any(|&atom| model.exprs.vars(atom).0.iter().any(is_input))
}

/// Only the properties that `--property` names.
fn chosen(args: &VerifyArgs, specs: Vec<Spec>, all: Vec<Asked>) -> Result<(Vec<Spec>, Vec<Asked>), Vec<Problem>> {
    if args.only.is_empty() {
        return Ok((specs, all));
    }
    let names: Vec<&str> = all.iter().map(|a| a.name.as_str()).collect();
    let missing = args.only.iter().filter(|name| !names.contains(&name.as_str()));
    let problems: Vec<Problem> = missing
        .map(|name| {
            let diagnostic = Diagnostic::new(Kind::Input, format!("no property is called `{name}`"));
            let help = match names.as_slice() {
                [] => "there are none".to_owned(),
                names => format!("the properties are {}", names.join(", ")),
            };
            Problem::in_text("--property", diagnostic.help(help))
        })
        .collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(specs.into_iter().zip(all).filter(|(_, asked)| args.only.contains(&asked.name)).unzip())
}

/// The text of a formula in one line, without comments.
fn written(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("--").next().unwrap_or_default());
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}
