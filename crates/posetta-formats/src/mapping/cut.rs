//! Lines of text as records: a regular expression says where their fields are.

use std::borrow::Cow;

use regex::Regex;
use rustc_hash::FxHashSet;

use crate::lines::{Mistake, Parsed};

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
    ///
    /// # Errors
    /// When a value of a pair is quoted, and the quotes are not right.
    pub(super) fn record<'a>(&self, line: &'a str, pairs: Option<&str>) -> Parsed<Option<Fields<'a>>> {
        let Some(found) = self.regex.captures(line) else { return Ok(None) };
        let of = |&group: &usize| found.get(group).map(|found| Cow::Borrowed(found.as_str()));
        let mut fields = Fields { names: self.names.clone(), cells: self.groups.iter().map(of).collect() };
        let inside = pairs.and_then(|pairs| self.names.iter().position(|name| name == pairs));
        if let Some(text) = inside.and_then(|at| found.get(self.groups[at])) {
            let mut pairs = Pairs { line, at: text.start(), end: text.end() };
            let mut seen: FxHashSet<&str> = FxHashSet::default();
            while let Some((key, value)) = pairs.next()? {
                // The first of a name counts, as everywhere in records of text.
                if !key.is_empty() && !self.has(key) && seen.insert(key) {
                    fields.names.push(key.to_owned());
                    fields.cells.push(Some(value));
                }
            }
        }
        for cell in &mut fields.cells {
            *cell = cell.take().filter(|text| !text.is_empty());
        }
        Ok(Some(fields))
    }
}

/// The fields of a line.
pub(super) struct Fields<'a> {
    pub(super) names: Vec<String>,
    pub(super) cells: Vec<Option<Cow<'a, str>>>,
}

/// The words `key=value` of a part of a line, and `key = value`, as traces in CTF are printed. A value in double quotes may have blanks,
/// and `\"` for a quote; of `( "NAME" : container = 1 )`, a value with a name, it is the name.
struct Pairs<'a> {
    line: &'a str,
    at: usize,
    end: usize,
}

impl<'a> Pairs<'a> {
    /// The next pair; words that are none are passed over.
    fn next(&mut self) -> Parsed<Option<(&'a str, Cow<'a, str>)>> {
        // The word before.
        let mut last = "";
        while let Some((word, start)) = self.word() {
            let Some((key, value)) = word.split_once('=') else {
                last = word;
                continue;
            };
            if word != "=" {
                if !value.starts_with('"') {
                    return Ok(Some((key, Cow::Borrowed(value.trim_end_matches(',')))));
                }
                return Ok(Some((key, self.quoted(start + key.len() + 1)?)));
            }
            let key = std::mem::take(&mut last);
            let before = self.at;
            let Some((mut value, mut start)) = self.word() else { return Ok(None) };
            if value == "(" {
                match self.word().filter(|(name, _)| name.starts_with('"')) {
                    Some(name) => (value, start) = name,
                    None => self.at = start + value.len(),
                }
            }
            if value.starts_with('"') {
                return Ok(Some((key, self.quoted(start)?)));
            }
            if value.starts_with(['{', '[', '(', '=']) {
                // What is inside has pairs of its own.
                self.at = before;
                self.word();
                continue;
            }
            return Ok(Some((key, Cow::Borrowed(value.trim_end_matches(',')))));
        }
        Ok(None)
    }

    /// The next word and where it begins.
    fn word(&mut self) -> Option<(&'a str, usize)> {
        let word = self.line[self.at..self.end].trim_start();
        let start = self.end - word.len();
        let word = &word[..word.find(char::is_whitespace).unwrap_or(word.len())];
        self.at = start + word.len();
        (!word.is_empty()).then_some((word, start))
    }

    /// A value in quotes, the first of which is at `from`.
    fn quoted(&mut self, from: usize) -> Parsed<Cow<'a, str>> {
        let text = &self.line[from + 1..self.end];
        let mut escaped = false;
        let closing = text.bytes().position(|byte| {
            let closes = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            closes
        });
        let Some(length) = closing else {
            let mistake = Mistake::syntax(from..from + 1, "a quote that does not close");
            return Err(mistake.label(r#"expected another one, and `\"` for a quote inside the value"#));
        };
        let value = &text[..length];
        let after = text[length + 1..].trim_start_matches([',', ';', ')', ']', '}']);
        self.at = self.end - after.len();
        let is_alone = text.len() - after.len() > length + 1 || after.starts_with(char::is_whitespace);
        if !is_alone && !after.is_empty() {
            let mistake = Mistake::syntax(self.at..self.at + 1, "text right behind a quote that closes");
            return Err(mistake.label("expected a blank or the end of the value"));
        }
        Ok(if value.contains('\\') { Cow::Owned(unescaped(value)) } else { Cow::Borrowed(value) })
    }
}

/// What stands between quotes. A backslash before anything else is itself.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let meant = match (char, chars.peek()) {
            ('\\', Some('n')) => '\n',
            ('\\', Some('t')) => '\t',
            ('\\', Some('r')) => '\r',
            ('\\', Some(&quoted @ ('"' | '\\'))) => quoted,
            _ => {
                plain.push(char);
                continue;
            }
        };
        chars.next();
        plain.push(meant);
    }
    plain
}
