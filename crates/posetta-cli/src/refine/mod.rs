//! `posetta refine`: does one system implement another?
//!
//! [`decide`] reads both, and lets the library compare them one way, or with `--equivalent` both ways. [`abstraction`] looks for a proof of another
//! kind. `posetta_tell::refined` says what was found.

mod abstraction;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use posetta_base::{Diagnostic, Kind, OverBudget, Verdict};
use posetta_tell::refined::{self, Refined, Side};
use posetta_tell::report::Report;
use posetta_tell::text;
use posetta_verify::refine::{Engine, refine};
use serde_json::Value;

use crate::args::{RefineArgs, RefineEngineName, Report as ReportFormat};
use crate::limited::{self, Ending, Stopped, Work};
use crate::limits::Limits;
use crate::paint;
use crate::problem::Problem;
use crate::root::RootArgs;
use crate::{carets, models, output};

/// Whether a program asked.
struct Asked {
    json: bool,
}

impl Ending for Asked {
    fn mistakes(&self, errors: Vec<Value>) {
        if self.json {
            output::print(&refined::mistakes(errors));
        }
    }

    fn limit(&self, over: OverBudget) -> bool {
        !self.json || output::print(&refined::limit(over))
    }
}

/// Runs the command and answers with the exit status.
pub fn run(args: &RefineArgs, started: Instant) -> u8 {
    let limits = Limits::new(started, args.timeout, args.memory.memory);
    let json = args.json || args.format == ReportFormat::Json;
    let asked = Arc::new(Asked { json });
    let told = if abstraction::is_asked(args) {
        limited::run(limits, "reading the systems", &asked, |work| abstraction::decide(args, work))
            .map(|found| (if json { found.to_json() } else { shown(&found.report(args.stats)) }, found.word()))
    } else {
        limited::run(limits, "reading the systems", &asked, |work| decide(args, work))
            .map(|found| (if json { found.to_json() } else { shown(&found.report(args.stats)) }, found.word()))
    };
    match told {
        Err(status) => status,
        Ok((text, word)) if output::print(&text) => word.status(),
        Ok(_) => 2,
    }
}

/// A report for people.
fn shown(report: &Report<'_>) -> String {
    let paint = paint::stdout();
    output::whole(text::report(report, paint), paint)
}

fn decide(args: &RefineArgs, work: &Work<'_>) -> Result<Refined, Stopped> {
    let (implementation, specification) = read(args)?;
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
}

impl<'a> Warned<'a> {
    fn new(roots: &'a RootArgs) -> Self {
        Self { told: HashSet::new(), roots }
    }

    /// A system of a file, perhaps one that a flag names.
    fn read(&mut self, path: &Path, wanted: Option<(&str, &str)>) -> Result<Side, Vec<Problem>> {
        let side = Side { file: path.display().to_string(), system: models::read_system(path, wanted, self.roots)? };
        for warning in &side.system.warnings {
            let text = carets::warning(&side.file, None, warning, paint::stderr());
            if self.told.insert(text.clone()) {
                output::note(&text);
            }
        }
        Ok(side)
    }
}

/// Both systems, of one file or of two.
fn read(args: &RefineArgs) -> Result<(Side, Side), Stopped> {
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
    let mut warned = Warned::new(&args.root);
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
