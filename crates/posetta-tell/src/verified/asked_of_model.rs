//! What is asked of a fair discrete system.

use std::collections::{HashMap, HashSet};

use posetta_base::{Diagnostic, Kind, Place, VarId, Verdict};
use posetta_model::fds::{Demand, ExprId, Fds, Role, Spec};
use posetta_verify::fds::Answer;

use super::fds::Asked;
use crate::named::Named;
use crate::problem::{Problem, is_file};
use crate::report::Written;
use crate::trail;

/// The states of a counterexample at which its property sees something change.
#[must_use]
pub fn turns(model: &Fds, spec: &Spec, answer: &Answer) -> Vec<usize> {
    match &answer.verdict {
        Verdict::Violated(evidence) => trail::turns(model, &atoms(spec), evidence.trail()),
        Verdict::Holds | Verdict::Unknown(_) => Vec::new(),
    }
}

/// What is asked of the model: its own properties, unless only the given ones count, then those.
///
/// # Errors
/// When one of them does not fit the model, or two have one name.
pub fn questions(
    file: &str,
    model: &mut Fds,
    given: &[Named],
    only_given: bool,
) -> Result<(Vec<Spec>, Vec<Asked>), Vec<Problem>> {
    let (mut specs, mut all, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    if !only_given {
        // A module that is used twice states its properties twice.
        let mut places: HashMap<u64, u64> = HashMap::new();
        for spec in &model.specs {
            let line = Place::in_text(&spec.source, spec.span).line;
            let nth = places.entry(line).and_modify(|n| *n += 1).or_insert(1);
            let again = if *nth > 1 { format!("#{nth}") } else { String::new() };
            let place = if file == "-" { format!("line {line}") } else { format!("{file}:{line}") };
            let name = spec.name.clone().unwrap_or_else(|| format!("{place}{again}"));
            let (formula, inputs) = (written(spec.text()), reads_inputs(model, spec));
            let written = is_file(file).then(|| Written { file: Some(file.to_owned()), line, column: None });
            all.push(Asked { name, formula, file: file.to_owned(), written, logic: spec.logic(), inputs });
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
                let (file, written) = (named.file.clone(), named.written());
                all.push(Asked { name, formula, file, written, logic: spec.logic(), inputs });
                specs.push(spec);
            }
            Err(mistakes) => problems.extend(mistakes.into_iter().map(about)),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok((specs, all))
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

/// The text of a formula in one line, without comments.
fn written(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("--").next().unwrap_or_default());
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}
