//! One property for each value: which values, and what the instances are called.

use posetta_base::{Diagnostic, Kind};

use super::atom::Spot;
use super::property::Property;

/// `foreach k in values(order.id)` or `foreach n in processes`: a property has an instance for each value, and the instance reads the run
/// projected on the events that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Each {
    /// The name after the `$`.
    pub variable: String,
    /// `foreach a, b in …`: an instance for every two values, one with itself included, on the events that have one of them; the first of
    /// the two is the one that comes first in the run. This is the name of the second.
    pub second: Option<String>,
    /// Where the values come from.
    pub domain: Domain,
    /// Where that was written.
    pub spot: Spot,
}

/// What has the values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    /// An attribute of events.
    Values(String),
    /// The processes: the value of an event is the name of its process.
    Processes,
}

impl std::fmt::Display for Each {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "foreach {}", self.variable)?;
        if let Some(second) = &self.second {
            write!(f, ", {second}")?;
        }
        match &self.domain {
            Domain::Values(attribute) => write!(f, " in values({attribute})"),
            Domain::Processes => f.write_str(" in processes"),
        }
    }
}

impl Each {
    /// Whether `$name` is a value of it.
    #[must_use]
    pub fn names(&self, name: &str) -> bool {
        self.variable == name || self.second.as_deref() == Some(name)
    }
}

impl Property {
    /// The mistake of asking something that sees one event after the other about every two values; `None` if it does not ask.
    #[must_use]
    pub fn asks_for_pairs(&self, subject: &str) -> Option<Diagnostic> {
        let each = self.each.as_ref().filter(|each| each.second.is_some())?;
        let message = format!("`{each}` asks for the values of a whole run, and this is {subject}");
        Some(self.mistake(Kind::Unsupported, self.span, message).help("decide it with `check` when the run is over"))
    }

    /// The mistake of asking something that has no events with attributes for one answer for each value; `None` if it does not ask.
    /// `subject` is what was asked, as in `a model`.
    #[must_use]
    pub fn asks_for_instances(&self, subject: &str) -> Option<Diagnostic> {
        self.each.as_ref().map(|each| {
            let message = format!("`{each}` asks for the events of a run or a stream, and this is {subject}");
            self.mistake(Kind::Unsupported, self.span, message)
                .help("ask it without the loop, or decide it with `check` on a run")
        })
    }
}
