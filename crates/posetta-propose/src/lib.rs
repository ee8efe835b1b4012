//! First properties for runs that nobody has asked about yet.
//!
//! [`propose`] looks at some runs of one kind, finds what they have in common, and asks it of every order of these runs. So each
//! [`Proposal`] comes with its answer: an order that was recorded every time, but that nothing ensures, is proposed like one that always
//! holds, and is the more interesting one. Whether a proposal *should* hold is for people to say.
//!
//! [`survey`] counts what is there; `order` finds pairs of events, `keys` what belongs together by an attribute, `values` what variables
//! do; `ask` asks.

mod ask;
mod keys;
mod order;
mod survey;
mod values;

pub use ask::Tally;
pub use survey::Survey;

use posetta_base::{Budget, OverBudget, Value};
use posetta_trace::Trace;

/// A property that some runs suggest.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proposal {
    /// What it is called.
    pub name: String,
    /// What stands behind `property NAME =` in a file.
    pub text: String,
    /// What suggests it.
    pub why: Why,
    /// What it answers on the runs that were looked at.
    pub tally: Tally,
}

/// What suggests a property.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// In every run that has `then`, something of the name `first` is recorded before it.
    Order {
        /// The name of the event that comes first.
        first: String,
        /// The name of the one that it comes before.
        then: String,
        /// In how many runs.
        runs: usize,
        /// Whether it also happened before, in all of them. If not, it was recorded so and could have been otherwise.
        caused: bool,
    },
    /// Some events say that something went wrong.
    Failure {
        /// The attribute that says it.
        attribute: String,
        /// What it says.
        value: Value,
        /// How many runs have such an event.
        runs: usize,
    },
    /// Events with one value of an attribute belong together: they begin with one event, and another one comes later.
    Answer {
        /// The attribute.
        key: String,
        /// How many values it has.
        values: usize,
        /// The name of what comes first.
        first: String,
        /// The name of what comes later.
        then: String,
    },
    /// A variable is a number, in these bounds.
    Range {
        /// The variable.
        variable: String,
    },
    /// A variable has only these few values.
    Values {
        /// The variable.
        variable: String,
    },
    /// A variable never falls.
    Grows {
        /// The variable.
        variable: String,
    },
    /// Variables of one kind never have this value at the same time.
    Exclusive {
        /// The variables.
        variables: Vec<String>,
        /// The value.
        value: Value,
    },
}

/// Looks at runs and proposes properties of them, the most interesting first. Names are those that stand in the runs.
///
/// # Errors
/// When the budget is spent: then nothing is proposed, because nothing was checked.
pub fn propose(runs: &[&Trace], budget: &Budget) -> Result<(Survey, Vec<Proposal>), OverBudget> {
    let survey = Survey::of(runs, budget)?;
    let keys = keys::find(runs, &survey, budget)?;
    let mut drafts = Vec::new();
    order::pairs(runs, &survey, &keys, budget, &mut drafts)?;
    keys::answers(&keys, &mut drafts);
    order::failures(runs, &mut drafts);
    values::states(runs, budget, &mut drafts)?;
    let mut proposals: Vec<Proposal> = Vec::new();
    for draft in drafts {
        let Some(tally) = ask::ask(runs, &survey, &draft.text, budget)? else { continue };
        let name = unique(&draft.name, &proposals);
        proposals.push(Proposal { name, text: draft.text, why: draft.why, tally });
    }
    Ok((survey, proposals))
}

/// A property before it is asked.
#[derive(Debug)]
struct Draft {
    name: String,
    text: String,
    why: Why,
}

/// A name that no other proposal has.
fn unique(name: &str, others: &[Proposal]) -> String {
    let is_free = |name: &String| others.iter().all(|other| other.name != *name);
    let numbered = (2..).map(|n| format!("{name}_{n}"));
    std::iter::once(name.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
}

/// So long a part of a property's name may be.
const LONGEST: usize = 32;

/// A part of a property's name: letters, digits and underscores.
fn word(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => out.push(c.to_ascii_lowercase()),
            _ if out.is_empty() || out.ends_with('_') => {}
            _ => out.push('_'),
        }
        if out.len() == LONGEST {
            break;
        }
    }
    let out = out.trim_end_matches('_');
    // A name begins with a letter.
    if out.starts_with(|c: char| c.is_ascii_alphabetic()) { out.to_owned() } else { format!("p_{out}") }
}

#[cfg(test)]
mod tests;
