//! Reports for programs: the one writer of them, and what all of them say alike.
//!
//! Every object that is printed has a field `schema`: what sort of report it is, and the version of its fields. Fields are documented in
//! docs/report.md and described in docs/schema; more may be added within a version, none is renamed or removed.

use posetta_base::{Number, OverBudget, When};
use posetta_check::{Observed, Runs};
use serde_json::{Map, Value, json};

/// The version of all reports.
const VERSION: u32 = 1;

/// What sort of report it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// Of `check`.
    Check,
    /// A line of `check --follow`.
    Follow,
    /// A line of `monitor`.
    Monitor,
    /// Of `verify`.
    Verify,
    /// Of `refine`.
    Refine,
    /// Of `m2l`.
    M2l,
    /// Of `replay`.
    Replay,
    /// Of `info`.
    Info,
    /// Of `explain`.
    Explain,
    /// Of `init`.
    Init,
    /// A line of standard error with `--progress json`.
    Progress,
    /// A picture, of `show`.
    Show,
}

impl Schema {
    /// The value of the field `schema`.
    #[must_use]
    pub fn text(self) -> String {
        let sort = match self {
            Self::Check => "check",
            Self::Follow => "follow",
            Self::Monitor => "monitor",
            Self::Verify => "verify",
            Self::Refine => "refine",
            Self::M2l => "m2l",
            Self::Replay => "replay",
            Self::Info => "info",
            Self::Explain => "explain",
            Self::Init => "init",
            Self::Progress => "progress",
            Self::Show => "show",
        };
        format!("posetta-{sort}/{VERSION}")
    }

    /// A report of one object: on one line, `schema` first.
    #[must_use]
    pub fn object(self, fields: Value) -> String {
        let mut all = Map::from_iter([("schema".to_owned(), Value::String(self.text()))]);
        if let Value::Object(fields) = fields {
            all.extend(fields);
        }
        format!("{}\n", Value::Object(all))
    }

    /// A line among others: the same, `schema` last, where it is not in the way.
    #[must_use]
    pub fn line(self, mut fields: Value) -> String {
        fields["schema"] = Value::String(self.text());
        format!("{fields}\n")
    }

    /// A report whose fields are lists, with one entry per line: small to read for people, and `grep` works. What else there is
    /// stands behind them, a line each.
    #[must_use]
    pub fn lists(self, lists: &[(&str, Vec<Value>)], rest: &[(&str, Value)]) -> String {
        let mut written = Lists::new(self);
        let mut out = String::new();
        for (name, entries) in lists {
            out.push_str(&written.list(name));
            entries.iter().for_each(|entry| out.push_str(&written.entry(entry)));
        }
        out.push_str(&written.finish(rest));
        out
    }
}

/// The same entry by entry, for a report that is longer than what anybody wants to hold. Every answer is what is to be written next.
#[derive(Debug)]
pub struct Lists {
    schema: Schema,
    has_begun: bool,
    /// How many entries the list has that is open.
    entries: Option<usize>,
}

impl Lists {
    /// Before the first list.
    #[must_use]
    pub fn new(schema: Schema) -> Self {
        Self { schema, has_begun: false, entries: None }
    }

    /// Whether anything is to be written before.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.has_begun
    }

    fn begin(&mut self) -> String {
        match std::mem::replace(&mut self.has_begun, true) {
            false => format!("{{\"schema\":\"{}\"", self.schema.text()),
            true => String::new(),
        }
    }

    /// Begins a list, and ends the one before.
    pub fn list(&mut self, name: &str) -> String {
        let end = if self.entries.replace(0).is_some() { "]" } else { "" };
        format!("{}{end},\n \"{name}\":[", self.begin())
    }

    /// The next entry of the list.
    pub fn entry(&mut self, entry: &Value) -> String {
        let entries = self.entries.get_or_insert(0);
        *entries += 1;
        format!("{}{entry}", if *entries > 1 { ",\n  " } else { "\n  " })
    }

    /// Ends the last list, and the report.
    pub fn finish(&mut self, rest: &[(&str, Value)]) -> String {
        let mut out = self.begin();
        if self.entries.take().is_some() {
            out.push(']');
        }
        for (name, value) in rest {
            out.push_str(&format!(",\n \"{name}\":{value}"));
        }
        out.push_str("}\n");
        out
    }
}

/// Which limit was reached, while doing what, and how far the work was.
#[must_use]
pub fn limit(over: OverBudget, explored: u64) -> Value {
    json!({ "reached": over.limit.word(), "while": over.what, "explored": explored })
}

/// Which orders satisfy a linear property.
#[must_use]
pub fn runs(runs: Runs) -> &'static str {
    match runs {
        Runs::All => "all",
        Runs::Some => "some",
        Runs::None => "none",
        Runs::Unknown => "unknown",
    }
}

/// What the recorded order did.
#[must_use]
pub fn observed(observed: Observed) -> &'static str {
    match observed {
        Observed::Holds => "holds",
        Observed::Violated => "violated",
    }
}

/// A number: exact, so as a string where a JSON number would not be for everyone.
#[must_use]
pub fn number(n: &Number) -> Value {
    match n.as_i64() {
        Some(n) => n.into(),
        None => n.to_decimal().unwrap_or_else(|| n.to_string()).into(),
    }
}

/// When a position of a waveform is.
#[must_use]
pub fn when(when: &When) -> Value {
    json!({
        "time": number(&when.time),
        "timescale": when.unit.map(|unit| unit.to_string()),
        "cycle": when.cycle,
    })
}

/// Seconds to the microsecond.
#[must_use]
pub fn seconds(seconds: f64) -> Value {
    json!((seconds * 1e6).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_report_says_what_it_is() {
        assert_eq!(
            Schema::Replay.object(json!({ "verdict": "holds" })),
            "{\"schema\":\"posetta-replay/1\",\"verdict\":\"holds\"}\n"
        );
        assert_eq!(Schema::Follow.line(json!({ "end": true })), "{\"end\":true,\"schema\":\"posetta-follow/1\"}\n");
        let lists = [("results", vec![json!(1), json!(2)]), ("errors", Vec::new())];
        let text = Schema::Check.lists(&lists, &[("model", json!({}))]);
        let expected =
            "{\"schema\":\"posetta-check/1\",\n \"results\":[\n  1,\n  2],\n \"errors\":[],\n \"model\":{}}\n";
        assert_eq!(text, expected);
        assert!(serde_json::from_str::<Value>(&text).is_ok());
    }
}
