//! The names of a run, which properties speak of.

use rustc_hash::{FxHashMap, FxHashSet};

use posetta_trace::Trace;

/// What a run has names for. Everything is in the order in which it is offered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// Where the names come from, as a reader calls it.
    pub source: String,
    /// Variables, with some of their values.
    pub variables: Vec<Variable>,
    /// Names of events.
    pub events: Vec<String>,
    /// Processes.
    pub processes: Vec<String>,
    /// Names of attributes.
    pub attributes: Vec<String>,
}

/// A variable of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Some of its values, as they are written in a formula: strings in quotes.
    pub values: Vec<String>,
}

/// So many names of a sort are kept, and so many values of a variable.
pub(crate) const MOST_NAMES: usize = 10_000;
const MOST_VALUES: usize = 12;

impl Vocabulary {
    /// The names of some runs, which a reader calls `source`; in the order in which they come.
    #[must_use]
    pub fn of(source: &str, runs: &[&Trace]) -> Self {
        let mut events = Distinct::default();
        let mut processes = Distinct::default();
        let mut attributes = Distinct::default();
        let mut variables: Vec<Variable> = Vec::new();
        let mut place_of: FxHashMap<String, usize> = FxHashMap::default();
        for run in runs {
            run.processes().for_each(|process| processes.add(run.process_name(process)));
            run.processes().filter_map(|process| run.group(process)).for_each(|group| processes.add(group));
            run.attribute_names().for_each(|name| attributes.add(name));
            // The variables of this run, by their places among those of all.
            let mut places: Vec<Option<usize>> = Vec::new();
            for name in run.variables().map(|var| run.variable_name(var)) {
                let known = place_of.get(name).copied();
                if known.is_none() && variables.len() < MOST_NAMES {
                    place_of.insert(name.to_owned(), variables.len());
                    variables.push(Variable { name: name.to_owned(), values: Vec::new() });
                }
                places.push(known.or_else(|| place_of.get(name).copied()));
            }
            let mut note = |var: posetta_base::VarId, value: posetta_base::ValueId| {
                let Some(values) = places.get(var.index()).copied().flatten().map(|at| &mut variables[at].values)
                else {
                    return;
                };
                if values.len() < MOST_VALUES {
                    let value = run.value(value).to_string();
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
            };
            run.variables().for_each(|var| note(var, run.initial(var)));
            for &event in run.linearisation() {
                if let Some(name) = run.event_name(event) {
                    events.add(name);
                }
                run.assignments(event).iter().for_each(|assignment| note(assignment.var, assignment.value));
            }
        }
        Self {
            source: source.to_owned(),
            variables,
            events: events.all,
            processes: processes.all,
            attributes: attributes.all,
        }
    }
}

/// Names, each once.
#[derive(Default)]
struct Distinct {
    all: Vec<String>,
    seen: FxHashSet<String>,
}

impl Distinct {
    fn add(&mut self, name: &str) {
        if self.all.len() < MOST_NAMES && !self.seen.contains(name) {
            self.seen.insert(name.to_owned());
            self.all.push(name.to_owned());
        }
    }
}

/// So many lines at the top of a file may name a run.
const TOP: usize = 20;

/// The run that a comment at the top of a property file names: `// run: race.trace`.
#[must_use]
pub fn run_comment(text: &str) -> Option<&str> {
    let comments = text.lines().take(TOP).filter_map(|line| line.trim().strip_prefix("//"));
    let mut named = comments.filter_map(|comment| comment.trim_start().strip_prefix("run:"));
    named.next().map(str::trim).filter(|path| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_names_a_run() {
        for (text, run) in [
            ("// Mutual exclusion.\n// run: race.trace\nproperty", Some("race.trace")),
            ("//run:  a b.jsonl \r\n", Some("a b.jsonl")),
            ("// run:\n", None),
            ("// a run: x\n", None),
            ("property p = ltl x // run: y", None),
        ] {
            assert_eq!(run_comment(text), run, "{text}");
        }
        assert_eq!(run_comment(&format!("{}// run: x", "\n".repeat(30))), None);
    }
}
