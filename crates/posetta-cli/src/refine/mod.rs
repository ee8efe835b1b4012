//! `posetta refine`: does one system implement another?
//!
//! [`decide`] reads both, and lets the library compare them one way, or with `--equivalent` both ways. [`human`] and [`programs`] tell what was found.
//! [`abstraction`] looks for a proof of another kind.

mod abstraction;
mod human;
mod programs;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use posetta_base::{Diagnostic, Kind, OverBudget, Verdict};
use posetta_model::system::System;
use posetta_tell::text;
use posetta_verify::refine::{Engine, Lacking, Stats, refine};
use serde_json::Value;

use crate::args::{RefineArgs, RefineEngineName, Report as ReportFormat};
use crate::limited::{self, Ending, Stopped, Work};
use crate::limits::Limits;
use crate::paint;
use crate::problem::Problem;
use crate::root::RootArgs;
use crate::{carets, models, output};

/// One of the two systems, and where it comes from.
struct Side {
    file: String,
    system: System,
}

/// What was found out.
struct Findings {
    implementation: Side,
    specification: Side,
    equivalent: bool,
    /// The trace that the other one lacks, and whether it is the specification that has it.
    lacking: Option<(Lacking, bool)>,
    /// What each comparison took.
    stats: Vec<(Stats, f64)>,
}

impl Findings {
    /// The one that has the trace, and the one that lacks it.
    fn sides(&self) -> (&Side, &Side) {
        match &self.lacking {
            Some((_, true)) => (&self.specification, &self.implementation),
            _ => (&self.implementation, &self.specification),
        }
    }
}

/// Whether a program asked.
struct Asked {
    json: bool,
}

impl Ending for Asked {
    fn mistakes(&self, errors: Vec<Value>) {
        if self.json {
            output::print(&programs::mistakes(errors));
        }
    }

    fn limit(&self, over: OverBudget) -> bool {
        !self.json || output::print(&programs::limit(over))
    }
}

/// Runs the command and answers with the exit status.
pub fn run(args: &RefineArgs, started: Instant) -> u8 {
    let limits = Limits::new(started, args.timeout, args.memory.memory);
    let json = args.json || args.format == ReportFormat::Json;
    let asked = Arc::new(Asked { json });
    let paint = paint::stdout();
    if abstraction::is_asked(args) {
        let found = limited::run(limits, "reading the systems", &asked, |work| abstraction::decide(args, work));
        return match found {
            Err(status) => status,
            Ok(found) if output::print(&found.told(json, args.stats, paint)) => found.word().status(),
            Ok(_) => 2,
        };
    }
    let findings = match limited::run(limits, "reading the systems", &asked, |work| decide(args, work)) {
        Ok(findings) => findings,
        Err(status) => return status,
    };
    let text = match json {
        true => programs::report(&findings),
        false => output::whole(text::report(&human::told(&findings, args.stats), paint), paint),
    };
    match output::print(&text) {
        true => u8::from(findings.lacking.is_some()),
        false => 2,
    }
}

fn decide(args: &RefineArgs, work: &Work<'_>) -> Result<Findings, Stopped> {
    let (implementation, specification) = read(args)?;
    work.begin("comparing traces");
    let engine = match args.engine {
        RefineEngineName::Auto => Engine::Auto,
        RefineEngineName::Explicit => Engine::Explicit,
        RefineEngineName::Symbolic => Engine::Symbolic,
    };
    let mut found =
        Findings { implementation, specification, equivalent: args.equivalent, lacking: None, stats: Vec::new() };
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
