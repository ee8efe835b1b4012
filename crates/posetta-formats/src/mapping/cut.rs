//! Lines of text as records: a regular expression says where their fields are.

use std::borrow::Cow;

use regex::Regex;

/// How a line is cut.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    regex: Regex,
    /// The names of its groups, and their numbers.
    names: Vec<String>,
    groups: Vec<usize>,
}

impl Cut {
    /// `None` if no group has a name.
    pub(super) fn new(regex: Regex) -> Option<Self> {
        let named = regex.capture_names().enumerate().filter_map(|(i, name)| Some((name?.to_owned(), i)));
        let (names, groups): (Vec<String>, Vec<usize>) = named.unzip();
        (!names.is_empty()).then_some(Self { regex, names, groups })
    }

    /// Whether a field is one of its groups.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// The fields of a line: what its groups match, and each `key=value` of the group `pairs` that is no group itself. `None` if the line
    /// is not such a record.
    pub(super) fn record<'a>(&self, line: &'a str, pairs: Option<&str>) -> Option<Fields<'a>> {
        let found = self.regex.captures(line)?;
        let of = |&group: &usize| found.get(group).map(|found| Cow::Borrowed(found.as_str()));
        let mut fields = Fields { names: self.names.clone(), cells: self.groups.iter().map(of).collect() };
        let inside = pairs.and_then(|pairs| self.names.iter().position(|name| name == pairs));
        if let Some(Some(Cow::Borrowed(text))) = inside.map(|at| fields.cells[at].clone()) {
            for (key, value) in text.split_whitespace().filter_map(|word| word.split_once('=')) {
                // The first of a name counts, as everywhere in records of text.
                if !key.is_empty() && !fields.names.iter().any(|known| known == key) {
                    fields.names.push(key.to_owned());
                    fields.cells.push(Some(Cow::Borrowed(value.trim_end_matches(','))));
                }
            }
        }
        for cell in &mut fields.cells {
            *cell = cell.take().filter(|text| !text.is_empty());
        }
        Some(fields)
    }
}

/// The fields of a line.
pub(super) struct Fields<'a> {
    pub(super) names: Vec<String>,
    pub(super) cells: Vec<Option<Cow<'a, str>>>,
}
