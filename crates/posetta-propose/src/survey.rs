//! What is there: names of events, groups of processes, attributes, variables.

use std::collections::BTreeSet;

use posetta_base::{Budget, OverBudget};
use posetta_trace::Trace;
use rustc_hash::FxHashMap;

/// So many names of events are compared with each other.
pub(super) const MOST_NAMES: usize = 128;

/// What some runs have.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Survey {
    /// How many events there are.
    pub events: usize,
    /// The names of events, in the order in which they come, each with the number of runs that have it.
    pub names: Vec<(String, usize)>,
    /// How many of them, the last ones, are not compared with others.
    pub left_out: usize,
    /// The groups of processes (services, say), or the processes where there are no groups.
    pub groups: Vec<String>,
    /// Whether these are groups.
    pub grouped: bool,
    /// The attributes of events.
    pub attributes: Vec<String>,
    /// The variables.
    pub variables: Vec<String>,
    /// Attributes and variables: a run that lacks one is a run without it, and not a mistake.
    pub(super) known: Vec<String>,
    places: FxHashMap<String, usize>,
}

impl Survey {
    /// Counts what runs have.
    pub(super) fn of(runs: &[&Trace], budget: &Budget) -> Result<Self, OverBudget> {
        let mut survey = Self::default();
        let (mut attributes, mut variables) = (BTreeSet::new(), BTreeSet::new());
        for run in runs {
            budget.step(run.len() as u64, "looking at the runs")?;
            survey.events += run.len();
            survey.grouped |= run.has_groups();
            let mut here: BTreeSet<usize> = BTreeSet::new();
            for &event in run.linearisation() {
                let Some(name) = run.event_name(event) else { continue };
                let place = match survey.places.get(name) {
                    Some(&place) => place,
                    None => {
                        survey.names.push((name.to_owned(), 0));
                        survey.places.insert(name.to_owned(), survey.names.len() - 1);
                        survey.names.len() - 1
                    }
                };
                here.insert(place);
            }
            for place in here {
                survey.names[place].1 += 1;
            }
            for process in run.processes() {
                let name = run.group(process).unwrap_or_else(|| run.process_name(process));
                if !survey.groups.iter().any(|known| known == name) && survey.groups.len() < MOST_NAMES {
                    survey.groups.push(name.to_owned());
                }
            }
            attributes.extend(run.attribute_names().map(str::to_owned));
            variables.extend(run.variables().map(|v| run.variable_name(v).to_owned()));
        }
        survey.left_out = survey.names.len().saturating_sub(MOST_NAMES);
        survey.attributes = attributes.into_iter().collect();
        survey.variables = variables.into_iter().collect();
        survey.known = survey.attributes.iter().chain(&survey.variables).cloned().collect();
        Ok(survey)
    }

    /// How many names are compared.
    pub(super) fn compared(&self) -> usize {
        self.names.len() - self.left_out
    }

    /// The place of a name among those that are compared.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied().filter(|&place| place < self.compared())
    }
}
