//! `posetta verify`: a model against its properties.
//!
//! [`decide`] reads the properties and the model, and finds out what sort of model it is. For systems of components [`systems`] goes on, for SMV
//! [`decide_smv`]. The library decides; each answer is put on a board ([`Boards`]) as soon as it is known, because the watchdog reads it if the work
//! does not end in time. What is on it is said by `posetta_tell::verified`.

mod board;
mod systems;

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use posetta_base::{Budget, Diagnostic, Kind, OverBudget};
use posetta_model::fds::Spec;
use posetta_model::{mcc, smv};
use posetta_tell::picture::model::Model;
use posetta_tell::report::{Report, When};
use posetta_tell::verified::asked_of_model;
use posetta_tell::verified::asked_of_system::ContestSet;
use posetta_tell::verified::fds::{Asked, Outcome, Verified};
use posetta_tell::{Paint, Word, text};
use posetta_verify::Step;
use posetta_verify::fds::{Options, Question};
use serde_json::Value;

use self::board::{Fillable, Filling};
use crate::args::{TrailWhen, VerifyArgs};
use crate::inputs::extension;
use crate::limited::locked;
use crate::limits::{Interruption, Limits, Watchdog};
use crate::paint;
use crate::problem::{Problem, entry_of_warnings};
use crate::progress::Now;
use crate::properties::{self, Named, Source};
use crate::reports::{Reports, Told};
use crate::show::Picturing;
use crate::{carets, models, output, read, reports};

/// How to report.
struct Telling {
    way: Way,
    stats: bool,
    witness: When,
}

/// What is written.
enum Way {
    Reports(Reports),
    /// One picture, for `show`.
    Picture(Picturing),
}

/// What is told beside a report: warnings, mistakes, and a limit that no answer tells of.
type Beside<'a> = (&'a [Problem], &'a [Problem], Option<OverBudget>);

impl Telling {
    /// What is wrong with what is asked for is told, and answered with the exit status.
    fn new(args: &VerifyArgs) -> Result<Self, u8> {
        let way = Way::Reports(Reports::begin(&args.report, args.graph.as_deref())?);
        let witness = match args.witness {
            TrailWhen::Auto => When::Auto,
            TrailWhen::Always => When::Always,
            TrailWhen::Never => When::Never,
        };
        Ok(Self { way, stats: args.stats, witness })
    }

    /// Tells everything in the forms that were asked for, and answers with the exit status; `aside` if standard output is for something
    /// else. `status` is that of the answers.
    fn tell(
        &self,
        report: Report<'static>,
        (programs, model): (impl Fn(When, Vec<Value>) -> String, impl Fn() -> Option<Model>),
        (remarks, problems, stopped): Beside<'_>,
        (aside, status): (bool, u8),
    ) -> u8 {
        output::note(&notes(remarks, problems, stopped, paint::stderr()));
        let reports = match &self.way {
            Way::Reports(reports) => reports,
            Way::Picture(picturing) => {
                // A picture of a violation is one; what is open it says.
                let is_written = model().is_none_or(|model| picturing.write(&model, &report));
                return match status {
                    _ if !is_written => 2,
                    0 | 1 => 0,
                    status => status,
                };
            }
        };
        let told = remarks.iter().map(|remark| reports::warning(remark.clone(), None));
        let remarked = told.chain(problems.iter().map(reports::mistake)).collect();
        let json = || programs(self.witness, remarks.iter().map(entry_of_warnings).collect());
        let report = Report { remarks: remarked, stopped, ..report };
        let written = reports.deliver_beside(&Told { report, human: &text::report, json: &json }, aside);
        if written { status } else { 2 }
    }
}

/// A report that the work fills and the watchdog may read.
type Board = Mutex<Filling<Verified>>;

/// What is told: about a model in SMV until it is known to be something else.
struct Boards {
    model: Board,
    system: Mutex<Option<systems::Board>>,
}

/// How far it is, for whoever waits: the answers that there are, and the first that is open.
fn progress(doing: &str, names: &[&str], open: impl Fn(usize) -> bool) -> Now {
    let first = (0..names.len()).find(|&place| open(place));
    let decided = (0..names.len()).filter(|&place| !open(place)).count();
    let Some(first) = first else { return doing.into() };
    let what = match doing {
        "verifying" => format!("verifying {}", names[first]),
        doing => format!("{doing} for {}", names[first]),
    };
    Now { decided: (names.len() > 1).then_some((decided, names.len())), what, ..Now::default() }
}

/// Runs the command and answers with the exit status. `sources` are the properties from outside.
pub fn run(args: &VerifyArgs, sources: &[Source], started: Instant) -> u8 {
    match Telling::new(args) {
        Ok(telling) => work(args, sources, started, telling),
        Err(status) => status,
    }
}

/// The same for `show`: a picture instead of reports. Its exit status is 0 also for a violation.
pub fn draw(args: &VerifyArgs, sources: &[Source], started: Instant, picture: Picturing) -> u8 {
    work(args, sources, started, Telling { way: Way::Picture(picture), stats: false, witness: When::Always })
}

fn work(args: &VerifyArgs, sources: &[Source], started: Instant, telling: Telling) -> u8 {
    let limits = Limits::new(started, args.timeout, args.memory.memory);
    let budget = Budget::with_memory(limits.memory);
    let telling = Arc::new(telling);
    let (file, asks_deadlock, only_given) = (args.model.display().to_string(), args.deadlock, args.only_given);
    let model = Filling::new(Verified { file, asks_deadlock, only_given, ..Verified::default() });
    let boards = Arc::new(Boards { model: Board::new(model), system: Mutex::new(None) });
    let watchdog = {
        let (boards, shown, telling) = (Arc::clone(&boards), Arc::clone(&boards), Arc::clone(&telling));
        let told = move || match locked(&shown.system).as_ref() {
            Some(board) => board.report.progress(),
            None => locked(&shown.model).progress(),
        };
        Watchdog::start(limits, budget.stop_handle(), Interruption::Stops, told, move |limit| {
            match locked(&boards.system).as_mut() {
                Some(board) => {
                    board.report.stop(limit);
                    systems::deliver(board, &telling)
                }
                None => {
                    let mut report = locked(&boards.model);
                    report.stop(limit);
                    deliver(&report.known, &telling)
                }
            }
        })
    };
    decide(args, sources, &boards, &budget);
    watchdog.finish();
    match locked(&boards.system).as_ref() {
        Some(board) => systems::deliver(board, &telling),
        None => deliver(&locked(&boards.model).known, &telling),
    }
}

fn deliver(report: &Verified, telling: &Telling) -> u8 {
    let remarks = report.remarks();
    let told = report.report(telling.stats, telling.witness);
    let forms = (|witness, warnings| report.to_json(witness, warnings), || report.picture());
    telling.tell(told, forms, (&remarks, &report.problems, report.stopped()), (false, report.exit_status()))
}

/// Mistakes, warnings, and a limit that no answer tells of, for standard error.
fn notes(remarks: &[Problem], problems: &[Problem], stopped: Option<OverBudget>, paint: Paint) -> String {
    let mut out = String::new();
    // A module or a component that is there twice has its warnings twice.
    let mut told = HashSet::new();
    for remark in remarks {
        let text = carets::warning(&remark.file, None, &remark.diagnostic, paint);
        if told.insert(text.clone()) {
            out.push_str(&text);
        }
    }
    out.extend(problems.iter().map(|problem| carets::error(problem, paint)));
    out.extend(stopped.map(|over| text::stopped(over, paint)));
    out
}

/// Fills the board of what the model is.
fn decide(args: &VerifyArgs, sources: &[Source], boards: &Boards, budget: &Budget) {
    let board = &boards.model;
    let begin = |what: &'static str| locked(board).doing = what;
    let fail = |problems: Vec<Problem>| locked(board).known.problems = problems;
    begin("reading the properties");
    let mut sets = Vec::new();
    let properties::All { properties: given, mut problems, unread } =
        properties::read_all_but(sources, &args.root, &mut |file, text, after| {
            let is_set = mcc::is_property_set(text);
            if is_set {
                sets.push(ContestSet { file: file.to_owned(), text: text.to_owned(), after });
            }
            is_set
        });
    if args.properties.only.is_empty() {
        problems.extend(unread);
    }
    if !problems.is_empty() {
        return fail(problems);
    }
    begin("reading the model");
    let file = args.model.display().to_string();
    let text = match read::text(&args.model) {
        Ok(text) => text,
        Err(diagnostic) => return fail(vec![Problem::in_text(&file, diagnostic)]),
    };
    if let Some(kind) = models::Kind::of(&args.model, &text) {
        *locked(&boards.system) = Some(systems::Board::new(args, kind));
        return systems::decide(args, (kind, &text), &given, &sets, boards, budget);
    }
    let is_smv = extension(&args.model).is_some_and(|e| e.eq_ignore_ascii_case("smv"));
    if args.model.as_os_str() != "-" && !is_smv {
        let diagnostic = Diagnostic::new(Kind::Input, format!("`{file}` does not look like a model")).help(
            "models are files that end in .smv, or for systems of components in .sys, .aut or .pnml, or come from standard input (-); recorded runs are for `posetta check`",
        );
        return fail(vec![Problem::in_text(&file, diagnostic)]);
    }
    let problems = only_for_systems(args, &sets);
    if problems.is_empty() {
        decide_smv(args, &text, &given, board, budget);
    } else {
        fail(problems);
    }
}

/// A flag that means nothing for this model.
fn useless(flag: &str, message: &str, help: &str) -> Problem {
    Problem::in_text(flag, Diagnostic::new(Kind::Input, format!("{flag} {message}")).help(help))
}

/// What means nothing for a model in SMV.
fn only_for_systems(args: &VerifyArgs, sets: &[ContestSet]) -> Vec<Problem> {
    let help = "such systems are read from files that end in .sys, .aut or .pnml";
    let flags = [
        ("--livelock", args.livelock),
        ("--reach", !args.reach.is_empty()),
        ("--invariant", !args.invariant.is_empty()),
        ("--bound", args.bound),
        ("--observe", !args.observe.is_empty()),
        ("--system", args.system.is_some()),
        ("--engine", args.engine.is_some()),
        ("--graph", args.graph.is_some()),
    ];
    let flags = flags.into_iter().filter(|(_, given)| *given);
    let mut problems: Vec<Problem> =
        flags.map(|(flag, _)| useless(flag, "is for systems of components, and this model is in SMV", help)).collect();
    problems.extend(sets.iter().map(|set| {
        let message = format!("`{}` has formulas of the Model Checking Contest, and this model is in SMV", set.file);
        Problem::in_text(&set.file, Diagnostic::new(Kind::Input, message).help("they are about nets (.pnml)"))
    }));
    problems
}

/// A model in SMV.
fn decide_smv(args: &VerifyArgs, text: &str, given: &[Named], board: &Board, budget: &Budget) {
    let fail = |problems: Vec<Problem>| locked(board).known.problems = problems;
    let file = args.model.display().to_string();
    let mut model = match smv::read(text) {
        Ok(model) => model,
        Err(mistakes) => return fail(mistakes.into_iter().map(|d| Problem::in_text(&file, d)).collect()),
    };
    let found = asked_of_model::questions(&file, &mut model, given, args.only_given).and_then(|(specs, all)| {
        let only = &args.properties.only;
        properties::find_names(only, all.iter().map(|asked| asked.name.as_str()))?;
        Ok(specs.into_iter().zip(all).filter(|(_, own)| only.is_empty() || only.contains(&own.name)).unzip())
    });
    let (specs, asked): (Vec<Spec>, Vec<Asked>) = match found {
        Ok(found) => found,
        Err(problems) => return fail(problems),
    };
    let model = Arc::new(model);
    {
        let mut report = locked(board);
        report.known.listen(&model, &specs, asked);
        report.doing = "making diagrams of the model";
    }
    let options = Options::default().explore(!args.no_explore || args.deadlock || specs.is_empty());
    let mut question = Question::new(&model, &specs, options);
    let mut last = Instant::now();
    let done = loop {
        match question.advance(budget) {
            Ok(Some(Step::Explored)) => locked(board).known.findings = question.findings().cloned(),
            Ok(Some(Step::Answered(place))) => {
                let Some(answer) = question.answer(place).cloned() else { continue };
                let seconds = std::mem::replace(&mut last, Instant::now()).elapsed().as_secs_f64();
                let turns = asked_of_model::turns(&model, &specs[place], &answer);
                let word = Word::from(&answer.verdict);
                let mut report = locked(board);
                report.doing = "verifying";
                report.known.slots[place] = Some(Outcome { answer, seconds, turns });
                let name = report.known.asked[place].name.clone();
                drop(report);
                crate::progress::decided(&file, &name, word);
            }
            Ok(None) => break Ok(question.over()),
            Err(mistakes) => break Err(mistakes),
        }
    };
    let mut report = locked(board);
    match done {
        Ok(over) => report.known.over = over,
        Err(error) => {
            let mistakes = error.diagnostics().iter().cloned();
            report.known.problems = mistakes.map(|d| Problem::in_text(&report.known.file, d)).collect();
        }
    }
    report.done = true;
}
