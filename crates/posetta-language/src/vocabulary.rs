//! The names of a run, which properties speak of.

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
