//! `posetta refine` by trace abstractions: one, or one for each part of a system.
//!
//! [`decide`] reads the parts and what is asked of them, and lets the library look for a proof. `posetta_tell::refined` says what was found.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use posetta_base::{Diagnostic, Error, Kind};
use posetta_logic::m2l::{Program, parse_relation};
use posetta_model::system::System;
use posetta_tell::refined::abstraction::{Abstracted, Outcome, Two};
use posetta_verify::abstraction::{Abstraction, Constraint, Part, abstraction, compose, hidden, misnamed, strangers};

use super::{Asked as Told, Warned};
use crate::args::{AbstractionName, RefineArgs};
use crate::limited::{Stopped, Work};
use crate::problem::Problem;
use crate::read;

/// What is asked of two related behaviours, and where it is written.
struct Asked {
    /// The part it is about; `None`: all.
    part: Option<String>,
    file: String,
    text: String,
    formula: Program,
}

/// Whether an abstraction is asked for.
pub(super) fn is_asked(args: &RefineArgs) -> bool {
    args.abstraction.is_some() || !args.part.is_empty() || !args.constraint.is_empty()
}

pub(super) fn decide(args: &RefineArgs, asked: &Told, work: &Work<'_>) -> Result<Abstracted, Stopped> {
    let relation = match args.abstraction.unwrap_or_default() {
        AbstractionName::Canonical => Abstraction::Canonical,
        AbstractionName::Identity => Abstraction::Identity,
    };
    let (pairs, whole) = pairs(args, asked)?;
    let asked = constraints(args, &pairs)?;
    let constraint = |two: &Two| {
        let of = |asked: &&Asked| asked.part.as_ref().is_none_or(|part| *part == two.implementation.name);
        asked.iter().find(of)
    };
    let parts: Vec<Part<'_>> = pairs
        .iter()
        .map(|two| Part {
            implementation: &two.implementation,
            specification: &two.specification,
            constraint: constraint(two).map(|asked| Constraint { formula: &asked.formula, text: &asked.text }),
        })
        .collect();
    let refused = |error: Error| match error.into_diagnostics() {
        Err(over) => Stopped::OverBudget(over),
        Ok(all) => {
            let file = args.implementation.display().to_string();
            Stopped::Mistakes(all.into_iter().map(|d| Problem::in_text(&file, d)).collect())
        }
    };
    let wrong = misnamed(&parts).map_err(refused)?.into_iter();
    let wrong: Vec<Problem> =
        wrong.filter_map(|(part, mistake)| Some(Problem::in_text(&constraint(&pairs[part])?.file, mistake))).collect();
    if !wrong.is_empty() {
        return Err(Stopped::Mistakes(wrong));
    }
    work.begin("looking for an abstraction");
    let start = Instant::now();
    let outcome = match &parts[..] {
        [part] if args.part.is_empty() => abstraction(*part, relation, work.budget).map(Outcome::One),
        parts => compose(parts, relation, work.budget).map(Outcome::Parts),
    };
    let outcome = outcome.map_err(refused)?;
    let seconds = start.elapsed().as_secs_f64();
    let found = Abstracted { pairs, whole, abstraction: relation, outcome, seconds };
    // A limit is told as everywhere else.
    match found.over() {
        Some(over) => Err(over.into()),
        None => Ok(found),
    }
}

/// The systems that are compared, and what the whole is called.
fn pairs(args: &RefineArgs, told: &Told) -> Result<(Vec<Two>, Option<[String; 2]>), Stopped> {
    let mut warned = Warned::new(&args.root, told);
    if args.part.is_empty() {
        let (left, right) = super::read(args, told)?;
        return Ok((vec![Two { implementation: left.system, specification: right.system }], None));
    }
    if [Some(&args.implementation), args.specification.as_ref()].into_iter().flatten().any(|p| p.as_os_str() == "-") {
        let diagnostic = Diagnostic::new(Kind::Input, "parts are looked for in files, not on standard input");
        return Err(Problem::in_text("-", diagnostic.help("write the systems to a file")).into());
    }
    let [left, right] = [&args.implementation, args.specification.as_ref().unwrap_or(&args.implementation)];
    let mut pairs = Vec::new();
    for part in &args.part {
        let two = part.split_once('=').filter(|(a, b)| !a.trim().is_empty() && !b.trim().is_empty());
        let Some((ours, theirs)) = two else {
            let diagnostic = Diagnostic::new(Kind::Input, format!("`{part}` names no two systems"));
            return Err(Problem::in_text("--part", diagnostic.help("write `--part IMPL=SPEC`")).into());
        };
        let mut one = |path: &Path, name: &str| warned.read(path, Some((name.trim(), "--part"))).map(|s| s.system);
        pairs.push(Two { implementation: one(left, ours)?, specification: one(right, theirs)? });
    }
    let names = [&args.implementation_name, &args.specification_name];
    if names.iter().all(|name| name.is_none()) {
        return Ok((pairs, None));
    }
    // Which system is proved to implement which: it must be what the parts are.
    let list = |names: &[Arc<str>]| names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    let (mut wholes, mut unseen) = (Vec::new(), Vec::new());
    for (i, (path, name)) in [left, right].into_iter().zip(names).enumerate() {
        let flag = ["--impl", "--spec"][i];
        let whole = warned.read(path, name.as_ref().map(|n| (n.as_str(), flag)))?.system;
        let parts: Vec<&System> = pairs.iter().map(|p| [&p.implementation, &p.specification][i]).collect();
        let ([missing, extra], [hides, shows]) = (strangers(&whole, &parts), hidden(&whole, &parts));
        let message = if !missing.is_empty() {
            format!("`{}` is more than its parts: none of them has {}", whole.name, list(&missing))
        } else if !extra.is_empty() {
            format!("the parts are more than `{}`, which has no {}", whole.name, list(&extra))
        } else if !shows.is_empty() {
            format!("observable in `{}` and internal in its parts: {}", whole.name, list(&shows))
        } else {
            wholes.push(whole.name);
            unseen.push(hides);
            continue;
        };
        let help = "parts may share components, but must have all of them; without --impl and --spec the proof is about the parts put together";
        return Err(Problem::in_text(flag, Diagnostic::new(Kind::Comparison, message).help(help)).into());
    }
    // Both may hide what their parts show, but the same.
    if let [ours, theirs] = &unseen[..]
        && ours != theirs
    {
        let told = |names: &[Arc<str>]| if names.is_empty() { "nothing".to_owned() } else { list(names) };
        let message = format!(
            "of what their parts show, `{}` hides {}, and `{}` {}",
            wholes[0],
            told(ours),
            wholes[1],
            told(theirs)
        );
        let help = "hide the same actions in both, or hide them in the parts";
        return Err(Problem::in_text("--impl", Diagnostic::new(Kind::Comparison, message).help(help)).into());
    }
    let whole = <[String; 2]>::try_from(wholes).ok();
    Ok((pairs, whole))
}

/// The formulas, each read once.
fn constraints(args: &RefineArgs, pairs: &[Two]) -> Result<Vec<Asked>, Stopped> {
    let mut all: Vec<Asked> = Vec::new();
    for written in &args.constraint {
        let named = written.split_once('=').filter(|(part, _)| {
            let part = part.trim();
            pairs.iter().any(|two| two.implementation.name == part)
        });
        // No formula begins with a name and an equals sign: all its variables are quantified.
        let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "_.[]#".contains(c));
        let misspelt = written.split_once('=').map(|(part, _)| part.trim()).filter(|part| is_name(part));
        if let (None, Some(part)) = (named, misspelt) {
            let known: Vec<String> = pairs.iter().map(|two| format!("`{}`", two.implementation.name)).collect();
            let diagnostic = Diagnostic::new(Kind::Input, format!("no part is called `{part}`"));
            let help = format!("a constraint is for the implementation of a part: there are {}", known.join(", "));
            return Err(Problem::in_text("--constraint", diagnostic.help(help)).into());
        }
        let (part, what) = match named {
            Some((part, what)) => (Some(part.trim().to_owned()), what.trim()),
            None => (None, written.trim()),
        };
        let is_file = Path::new(what).extension().is_some_and(|e| e == "m2l" || e == "mona") && !what.contains('`');
        let (file, text) = match is_file {
            true => {
                (what.to_owned(), read::text(Path::new(what)).map_err(|d| Stopped::from(Problem::in_text(what, d)))?)
            }
            false => ("--constraint".to_owned(), what.to_owned()),
        };
        if all.iter().any(|known| known.part.is_none() || part.is_none() || known.part == part) {
            let message = match &part {
                Some(part) => format!("there are two constraints for `{part}`"),
                None => "there is more than one constraint for a part".to_owned(),
            };
            let help = "join them by `&`";
            return Err(Problem::in_text(&file, Diagnostic::new(Kind::Input, message).help(help)).into());
        }
        let formula = parse_relation(&text)
            .map_err(|all| Stopped::Mistakes(all.into_iter().map(|d| Problem::in_text(&file, d)).collect()))?;
        all.push(Asked { part, file, text, formula });
    }
    Ok(all)
}
