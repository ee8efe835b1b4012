//! `posetta m2l`: a formula of M2L, decided.
//!
//! Answers are kept in a [`Report`], where the watchdog sees them; `posetta_tell::m2l` says them. [`automaton`] prints the automaton
//! instead.

mod automaton;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use posetta_base::{Diagnostic, Kind, OverBudget};
use posetta_compile::m2l::{self, Engine};
use posetta_formats::{self as formats, Format};
use posetta_logic::m2l::{Program, read_program};
use posetta_tell::m2l::{Finding, decided, text, to_json};
use posetta_tell::report::{Remark, Report as Told, Subject, Title};
use posetta_tell::{Word, is_file};

use crate::args::{M2lArgs, M2lEngine};
use crate::inputs::extension;
use crate::limited::{self, Ending, Stopped, Work, locked};
use crate::limits::Limits;
use crate::paint;
use crate::problem::Problem;
use crate::reports::{self, Reports};
use crate::root::Root;
use crate::{carets, output, read};

/// What is told, and to whom.
struct Report {
    /// What is known so far: the main formula, then each `verify`.
    findings: Mutex<Vec<Finding>>,
    reports: Reports,
    stats: bool,
    file: String,
    warned: Mutex<Vec<Remark>>,
    /// Whether an automaton is asked for instead of the answers.
    draws: bool,
}

impl Report {
    /// Tells what is known. `false` if something could not be written.
    fn tell(&self, problems: &[Problem], over: Option<OverBudget>) -> bool {
        let findings = locked(&self.findings);
        let mut subject = Subject::new(Title::Name(self.file.clone()), Vec::new());
        subject.file = is_file(&self.file).then(|| self.file.clone());
        subject.answers.extend(findings.iter().map(|finding| finding.answer(self.stats)));
        let remarks = locked(&self.warned).drain(..).chain(problems.iter().map(reports::mistake)).collect();
        let report = Told { subjects: vec![subject], remarks, stopped: over, ..Told::default() };
        let human = |_: &Told<'_>, paint| text(&findings, self.stats, paint);
        let json = || to_json(&findings, problems.iter().map(Problem::to_json).collect(), over);
        self.reports.deliver(&reports::Told { report, human: &human, json: &json })
    }
}

impl Ending for Report {
    fn mistakes(&self, problems: &[Problem]) {
        if !self.draws {
            self.tell(problems, None);
        }
    }

    fn limit(&self, over: OverBudget) -> bool {
        self.draws || self.tell(&[], Some(over))
    }
}

/// Runs the command and answers with the exit status.
pub fn run(args: &M2lArgs, started: Instant) -> u8 {
    let limits = Limits::new(started, args.timeout, args.memory.memory);
    let draws = args.dot || args.hoa || args.mona;
    let reports = match Reports::begin(&args.report, None) {
        Ok(reports) => reports,
        Err(status) => return status,
    };
    let (stats, file) = (args.stats, args.file.display().to_string());
    let report = Arc::new(Report { findings: Mutex::default(), reports, stats, file, warned: Mutex::default(), draws });
    let done = limited::run(limits, "reading the file", &report, |work| {
        let program = read(args, &report)?;
        if draws { draw(args, &program, work).map(Some) } else { decide(args, &program, &report, work).map(|()| None) }
    });
    match done {
        Err(status) => status,
        Ok(Some(text)) => {
            if output::print(&text) {
                0
            } else {
                2
            }
        }
        Ok(None) => {
            if !report.tell(&[], None) {
                return 2;
            }
            Word::status_of(locked(&report.findings).iter().map(Finding::word))
        }
    }
}

fn read(args: &M2lArgs, report: &Report) -> Result<Program, Stopped> {
    let file = args.file.display().to_string();
    let text = read::text(&args.file).map_err(|d| match d.kind {
        Kind::Encoding => run_instead(&args.file, "").unwrap_or_else(|| Problem::in_text(&file, d)),
        _ => Problem::in_text(&file, d),
    })?;
    let mut root = Root::of(&args.root, &args.file);
    let program = read_program(&file, &text, &mut |from, asked| root.load(from, asked)).map_err(|mistakes| {
        let all = || mistakes.into_iter().map(|m| Problem::in_text(&m.file, m.diagnostic)).collect();
        Stopped::Mistakes(run_instead(&args.file, &text).map_or_else(all, |problem| vec![problem]))
    })?;
    for remark in &program.remarks.0 {
        output::note(&carets::warning(&remark.file, None, &remark.diagnostic, paint::stderr()));
        let problem = Problem::in_text(&remark.file, remark.diagnostic.clone());
        locked(&report.warned).push(reports::warning(problem, None));
    }
    Ok(program)
}

/// That a file which is no formula is a run, if it is one.
fn run_instead(path: &Path, text: &str) -> Option<Problem> {
    let extension = extension(path);
    let is_formula = extension.is_some_and(|e| e.eq_ignore_ascii_case("mona") || e.eq_ignore_ascii_case("m2l"));
    let format = formats::detect(text.as_bytes(), extension).ok().flatten().filter(|_| !is_formula)?;
    // Declarations with commas look like a table.
    if format == Format::Csv && formats::by_extension(extension) != Some(format) {
        return None;
    }
    let file = path.display().to_string();
    let name = if file == "-" { "standard input".to_owned() } else { format!("`{file}`") };
    let message = format!("{name} is a run (format {}), not a formula of M2L", format.name());
    let help = format!("to check a formula of M2L on a run: `posetta check {file} --m2l FORMULA`");
    Some(Problem::in_text(&file, Diagnostic::of_input(Kind::Input, message).help(help)))
}

/// Decides one formula after the other, so that each answer can be told though a later one takes too long.
fn decide(args: &M2lArgs, program: &Program, report: &Report, work: &Work<'_>) -> Result<(), Stopped> {
    let engine = match args.engine {
        M2lEngine::Auto => Engine::Auto,
        M2lEngine::Eager => Engine::Eager,
        M2lEngine::Lazy => Engine::Lazy,
        M2lEngine::Written => Engine::Written,
    };
    work.begin("deciding the formula");
    let mut begun = Instant::now();
    decided(program, engine, work.budget, |place, decision| {
        let seconds = std::mem::replace(&mut begun, Instant::now()).elapsed().as_secs_f64();
        locked(&report.findings).push(Finding::new(program, place, decision, seconds));
    })?;
    Ok(())
}

fn draw(args: &M2lArgs, program: &Program, work: &Work<'_>) -> Result<String, Stopped> {
    work.begin("building the automaton of the formula");
    let found = m2l::automaton(program, work.budget)?;
    work.begin("printing the automaton");
    Ok(match (args.dot, args.hoa) {
        (true, _) => automaton::dot(program, &found, work.budget)?,
        (_, true) => automaton::hoa(program, &found, work.budget)?,
        _ => automaton::mona(program, &found),
    })
}
