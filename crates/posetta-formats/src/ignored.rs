//! What a reader leaves out, counted and named.

use std::collections::BTreeMap;

use posetta_base::{Diagnostic, Kind, Place};

/// So many fields are named.
const NAMED: usize = 8;

/// So many fields are told apart: names may be made up by the input without end.
const KNOWN: usize = 1000;

/// Fields that were left out.
#[derive(Debug, Default)]
pub(super) struct Ignored {
    /// By field: what it was first, how often it was left out, and the line of the first.
    fields: BTreeMap<String, (&'static str, u64, u64)>,
    /// There were more fields.
    more: bool,
}

impl Ignored {
    /// A field is left out because it is an object, an array, null …
    #[cold]
    pub(super) fn add(&mut self, field: &str, noun: &'static str, line: u64) {
        let full = self.fields.len() >= KNOWN;
        match self.fields.get_mut(field) {
            Some((_, count, _)) => *count += 1,
            None if full => self.more = true,
            None => drop(self.fields.insert(field.to_owned(), (noun, 1, line))),
        }
    }

    /// Whether nothing was left out.
    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// A warning, if there is anything to warn of.
    pub(super) fn warning(&self) -> Option<Diagnostic> {
        let first = self.fields.values().map(|(_, _, line)| *line).min()?;
        let times = |count: u64| if count == 1 { "once".to_owned() } else { format!("{count} times") };
        let name =
            |(field, (noun, count, _)): (&String, &(&str, u64, u64))| format!("`{field}` ({noun}, {})", times(*count));
        let mut named: Vec<String> = self.fields.iter().take(NAMED).map(name).collect();
        if self.fields.len() > NAMED {
            let than = if self.more { "more than " } else { "" };
            named.push(format!("{than}{} more fields", self.fields.len() - NAMED));
        }
        let one = self.fields.len() == 1;
        let message = format!("{} {} ignored", named.join(", "), if one { "is" } else { "are" });
        let help = "a variable is a number, a string or a boolean; a field that is left out keeps its value";
        Some(Diagnostic::new(Kind::Ignored, message).at(Place::line_only(first)).label("the first is here").help(help))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_counted_and_named() {
        let mut ignored = Ignored::default();
        assert_eq!(ignored.warning(), None);
        ignored.add("b", "null", 3);
        assert_eq!(ignored.warning().unwrap().to_string(), "3:1: `b` (null, once) is ignored");
        ignored.add("a", "object", 7);
        ignored.add("b", "null", 9);
        let message = ignored.warning().unwrap().to_string();
        assert_eq!(message, "3:1: `a` (object, once), `b` (null, 2 times) are ignored");
        (0..20).for_each(|i| ignored.add(&format!("z{i}"), "array", 10));
        assert!(ignored.warning().unwrap().message.ends_with(", 14 more fields are ignored"));
        (0..KNOWN * 2).for_each(|i| ignored.add(&format!("z{i}"), "array", 11));
        assert_eq!(ignored.fields.len(), KNOWN);
        assert!(ignored.warning().unwrap().message.ends_with(", more than 992 more fields are ignored"));
    }
}
