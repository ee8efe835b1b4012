//! What is asked of a system of components.

use std::collections::HashMap;

use posetta_base::{ActionId, Diagnostic, Kind, Place};
use posetta_logic::Ltl;
use posetta_model::mcc;
use posetta_model::system::{Demand, Letter, Predicate, Spec, System};

use super::system::{Asked, DemandKind};
use crate::named::{Named, find_names};
use crate::problem::Problem;

/// A property set of the contest, and how many other properties were given before it.
#[derive(Debug)]
pub struct ContestSet {
    /// Its name.
    pub file: String,
    /// What it says.
    pub text: String,
    /// So many others came before.
    pub after: usize,
}

/// What is asked, in two lists of the same length.
pub type Questions = (Vec<Spec>, Vec<Asked>);

/// What somebody wants to know.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// Properties.
    pub given: &'a [Named],
    /// Property sets of the contest.
    pub sets: &'a [ContestSet],
    /// Of all these only those with these names, if there are any.
    pub only: &'a [String],
    /// Conditions that some state should satisfy.
    pub reach: &'a [String],
    /// Conditions that all states should satisfy.
    pub invariant: &'a [String],
    /// Whether there is a deadlock.
    pub deadlock: bool,
    /// Whether there is a livelock.
    pub livelock: bool,
}

impl Wanted<'_> {
    /// Everything that is asked: properties, formulas of the contest, then the others. `observe` are actions that count beside those that
    /// formulas name.
    ///
    /// # Errors
    /// When something does not fit the system, or two things have one name.
    pub fn questions(&self, system: &System, observe: &[ActionId]) -> Result<Questions, Vec<Problem>> {
        let Wanted { given, sets, only, .. } = *self;
        let (mut specs, mut all, mut problems) = (Vec::new(), Vec::new(), Vec::new());
        for place in 0..=given.len() {
            for set in sets.iter().filter(|set| set.after == place) {
                contest(system, set, (&mut specs, &mut all), &mut problems);
            }
            let Some(named) = given.get(place) else { break };
            let about = |diagnostic| Problem {
                trace: None,
                file: named.file.clone(),
                property: Some(named.name.clone()),
                diagnostic,
            };
            match system.bind(&named.property, observe) {
                Ok(spec) => {
                    let observed = observed_by(system, &spec.demand, observe);
                    all.push(Asked::property(named, &spec, observed));
                    specs.push(spec);
                }
                Err(mistakes) => problems.extend(mistakes.into_iter().map(about)),
            }
        }
        if problems.is_empty() {
            problems.extend(same_names(&specs, &all));
        }
        if problems.is_empty() && !only.is_empty() {
            find_names(only, all.iter().map(|asked: &Asked| asked.name.as_str()))?;
            (specs, all) = specs.into_iter().zip(all).filter(|(_, asked)| only.contains(&asked.name)).unzip();
        }
        let reach: fn(Predicate) -> Demand = Demand::Reach;
        for (flag, conditions, demand) in
            [("--reach", self.reach, reach), ("--invariant", self.invariant, Demand::Invariant)]
        {
            for condition in conditions {
                match system.bind_condition(condition) {
                    Ok(predicate) => {
                        let demand = demand(predicate);
                        all.push(Asked::condition(flag, condition, &demand));
                        specs.push(Spec::plain(condition, demand));
                    }
                    Err(mistakes) => problems.extend(mistakes.into_iter().map(|d| Problem::in_text(flag, d))),
                }
            }
        }
        for (demand, is_asked) in [(Demand::NoDeadlock, self.deadlock), (Demand::NoLivelock, self.livelock)] {
            if is_asked {
                let asked =
                    Asked { observed: observed_by(system, &demand, observe), ..Asked::plain(DemandKind::of(&demand)) };
                specs.push(Spec::plain(&asked.name, demand));
                all.push(asked);
            }
        }
        if problems.is_empty() { Ok((specs, all)) } else { Err(problems) }
    }
}

/// A property set of the contest.
fn contest(
    system: &System,
    set: &ContestSet,
    (specs, all): (&mut Vec<Spec>, &mut Vec<Asked>),
    problems: &mut Vec<Problem>,
) {
    match mcc::read(system, &set.text) {
        Ok(found) => {
            for spec in found {
                all.push(Asked::of_contest(&set.file, &spec));
                specs.push(spec);
            }
        }
        Err(mistakes) => problems.extend(mistakes.into_iter().map(|d| Problem::in_text(&set.file, d))),
    }
}

/// A name stands for one property in a report. Files of properties were compared with each other when they were read.
fn same_names(specs: &[Spec], all: &[Asked]) -> Vec<Problem> {
    let mut seen: HashMap<&str, &Asked> = HashMap::new();
    let mut problems = Vec::new();
    for (spec, asked) in specs.iter().zip(all).filter(|(spec, _)| spec.name.is_some()) {
        let first = *seen.entry(&asked.name).or_insert(asked);
        if !std::ptr::eq(first, asked) {
            let message = format!("two properties are called `{}`", asked.name);
            let diagnostic = Diagnostic::new(Kind::DuplicateProperty, message);
            let diagnostic = diagnostic.at(Place::in_text(&spec.source, spec.span));
            let diagnostic = diagnostic.label(format!("the other one is in {}", first.file));
            problems.push(Problem::in_text(&asked.file, diagnostic));
        }
    }
    problems
}

/// Marks the actions that a formula names.
pub fn mark_named(formula: &Ltl<Letter>, observed: &mut [bool]) {
    drop(formula.map_atoms(&mut |letter| {
        if let Letter::Action(action) = letter {
            observed[action.index()] = true;
        }
    }));
}

/// By action: whether a question observes it. Empty where that means nothing.
fn observed_by(system: &System, demand: &Demand, besides: &[ActionId]) -> Vec<bool> {
    let mut observed = match demand {
        Demand::Actions(formula) => {
            let mut observed = vec![false; system.actions.len()];
            mark_named(formula, &mut observed);
            observed
        }
        Demand::Finite(finite) => finite.observed.clone(),
        Demand::NoLivelock => system.actions.iter().map(|a| !a.internal).collect(),
        _ => return Vec::new(),
    };
    besides.iter().for_each(|a| observed[a.index()] = true);
    observed
}
