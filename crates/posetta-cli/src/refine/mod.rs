//! `posetta refine`: does one system implement another?
//!
//! [`decide`] reads both, and lets the library compare them one way, or with `--equivalent` both ways. [`abstraction`] looks for a proof of another
//! kind. `posetta_tell::refined` says what was found.

mod abstraction;

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use posetta_base::{Diagnostic, Kind, OverBudget, Verdict};
use posetta_tell::refined::{self, Refined, Side};
use posetta_tell::report::{Remark, Report};
use posetta_tell::{is_file, text};
use posetta_verify::refine::{Engine, refine};

use crate::args::{RefineArgs, RefineEngineName};
use crate::limited::{self, Ending, Stopped, Work, locked};
use crate::limits::Limits;
use crate::paint;
use crate::problem::Problem;
use crate::reports::{Reports, Told};
use crate::root::RootArgs;
use crate::{carets, models, output, reports};

/// Who asked, and what has been warned of.
struct Asked {
    reports: Reports,
    warned: Mutex<Vec<Remark>>,
}

impl Asked {
    /// Tells everything. `false` if something could not be written.
    fn tell(&self, report: Report<'_>, json: &dyn Fn() -> String) -> bool {
        let remarks = locked(&self.warned).drain(..).chain(report.remarks).collect();
        self.reports.deliver(&Told { report: Report { remarks, ..report }, human: &text::report, json })
    }
}

impl Ending for Asked {
    fn mistakes(&self, problems: &[Problem]) {
        let report = Report { remarks: problems.iter().map(reports::mistake).collect(), ..Report::default() };
        self.tell(report, &|| refined::mistakes(problems.iter().map(Problem::to_json).collect()));
    }

    fn limit(&self, over: OverBudget) -> bool {
        let report = Report { stopped: Some(over), ..Report::default() };
        self.tell(report, &|| refined::limit(over))
    }
}

/// Runs the command and answers with the exit status.
pub fn run(args: &RefineArgs, started: Instant) -> u8 {
    let limits = Limits::new(started, args.timeout, args.memory.memory);
    let asked = match Reports::begin(&args.report, None) {
        Ok(reports) => Arc::new(Asked { reports, warned: Mutex::default() }),
        Err(status) => return status,
    };
    // Both are in the file of the implementation, or at least that one is.
    let file = args.implementation.display().to_string();
    let in_file = |mut report: Report<'static>| {
        report.subjects.iter_mut().for_each(|subject| subject.file = is_file(&file).then(|| file.clone()));
        report
    };
    let told = if abstraction::is_asked(args) {
        limited::run(limits, "reading the systems", &asked, |work| abstraction::decide(args, &asked, work))
            .map(|found| (asked.tell(in_file(found.report(args.stats)), &|| found.to_json()), found.word()))
    } else {
        limited::run(limits, "reading the systems", &asked, |work| decide(args, &asked, work))
            .map(|found| (asked.tell(in_file(found.report(args.stats)), &|| found.to_json()), found.word()))
    };
    match told {
        Err(status) => status,
        Ok((true, word)) => word.status(),
        Ok((false, _)) => 2,
    }
}

fn decide(args: &RefineArgs, asked: &Asked, work: &Work<'_>) -> Result<Refined, Stopped> {
    let (implementation, specification) = read(args, asked)?;
    work.begin("comparing traces");
    let engine = match args.engine {
        RefineEngineName::Auto => Engine::Auto,
        RefineEngineName::Explicit => Engine::Explicit,
        RefineEngineName::Symbolic => Engine::Symbolic,
    };
    let mut found =
        Refined { implementation, specification, equivalent: args.equivalent, lacking: None, stats: Vec::new() };
    for turned in [false, true].into_iter().take(1 + usize::from(args.equivalent)) {
        let (left, right) = match turned {
            false => (&found.implementation, &found.specification),
            true => (&found.specification, &found.implementation),
        };
        let start = Instant::now();
        let answer = refine(&left.system, &right.system, engine, work.budget).map_err(|error| {
            match error.into_diagnostics() {
                Err(over) => Stopped::OverBudget(over),
                Ok(all) => Stopped::Mistakes(all.into_iter().map(|d| Problem::in_text(&right.file, d)).collect()),
            }
        })?;
        found.stats.push((answer.stats, start.elapsed().as_secs_f64()));
        match answer.verdict {
            Verdict::Holds => {}
            Verdict::Violated(lacking) => {
                found.lacking = Some((lacking, turned));
                break;
            }
            Verdict::Unknown(over) => return Err(over.into()),
        }
    }
    Ok(found)
}

/// Reads systems. One file that is read twice warns of most things twice, which is told once.
struct Warned<'a> {
    told: HashSet<String>,
    roots: &'a RootArgs,
    asked: &'a Asked,
}

impl<'a> Warned<'a> {
    fn new(roots: &'a RootArgs, asked: &'a Asked) -> Self {
        Self { told: HashSet::new(), roots, asked }
    }

    /// A system of a file, perhaps one that a flag names.
    fn read(&mut self, path: &Path, wanted: Option<(&str, &str)>) -> Result<Side, Vec<Problem>> {
        let side = Side { file: path.display().to_string(), system: models::read_system(path, wanted, self.roots)? };
        for warning in &side.system.warnings {
            let text = carets::warning(&side.file, None, warning, paint::stderr());
            if self.told.insert(text.clone()) {
                output::note(&text);
                let problem = Problem::in_text(&side.file, warning.clone());
                locked(&self.asked.warned).push(reports::warning(problem, None));
            }
        }
        Ok(side)
    }
}

/// Both systems, of one file or of two.
fn read(args: &RefineArgs, asked: &Asked) -> Result<(Side, Side), Stopped> {
    let second = args.specification.as_deref();
    if second.is_none() && args.implementation_name == args.specification_name {
        let diagnostic = Diagnostic::new(Kind::Input, "there is only one system, and nothing to compare it with").help(
            "give another file, or two systems of this one: `posetta refine FILE --impl NAME --spec NAME`; without a name \
             the last system of a file is meant",
        );
        return Err(Problem::in_text(&args.implementation.display().to_string(), diagnostic).into());
    }
    if args.implementation.as_os_str() == "-" && second.is_none_or(|path| path.as_os_str() == "-") {
        let diagnostic = Diagnostic::new(Kind::Input, "the two systems cannot both come from standard input");
        return Err(Problem::in_text("-", diagnostic.help("write one of them to a file")).into());
    }
    let mut warned = Warned::new(&args.root, asked);
    let mut one = |path: &Path, name: Option<&String>, flag: &str| warned.read(path, name.map(|n| (n.as_str(), flag)));
    let left = one(&args.implementation, args.implementation_name.as_ref(), "--impl");
    let right = one(second.unwrap_or(&args.implementation), args.specification_name.as_ref(), "--spec");
    match (left, right) {
        (Ok(left), Ok(right)) => Ok((left, right)),
        (Err(mut left), Err(right)) => {
            if second.is_some() {
                left.extend(right);
            }
            Err(Stopped::Mistakes(left))
        }
        (Err(problems), _) | (_, Err(problems)) => Err(Stopped::Mistakes(problems)),
    }
}
