//! A mapping file as TOML, with the place of every mistake.

use std::ops::Range;

use posetta_base::{Diagnostic, Kind, Place, Span, Value};
use posetta_logic::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::cut::Cut;
use super::paths::Path;
use super::{Choice, Condition, Deliver, End, Mapping, Message, Order, Piece, Template, Unit};
use crate::shiviz::compile;
use crate::states::scalar;

/// The keys of a mapping.
const KEYS: [&str; 13] = [
    "keep", "process", "name", "time", "unit", "clock", "order", "set", "attrs", "initial", "message", "lines", "pairs",
];

/// `KEY=VALUE` of the command line as a line of a mapping file: `process=node` is `process = "node"`, and `set.{process}.x=x` is
/// `set."{process}.x" = "x"`. A value that is TOML itself (a string in quotes, a list, a table) stays as it is. `None` if that cannot be a
/// key.
#[must_use]
pub fn flag(argument: &str) -> Option<String> {
    let (key, value) = argument.split_once('=')?;
    let (first, rest) = key.split_once('.').map_or((key, None), |(first, rest)| (first, Some(rest)));
    if first.is_empty() || !first.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return None;
    }
    let quoted = |text: &str| {
        let is_toml = text.starts_with(['"', '\'']);
        if is_toml { text.to_owned() } else { format!("{:?}", text) }
    };
    let key = match rest {
        None => first.to_owned(),
        Some(rest) => format!("{first}.{}", quoted(rest)),
    };
    let value = value.trim();
    let is_toml = value.starts_with(['[', '{']) && value.ends_with([']', '}']) && !value.starts_with("{process}");
    Some(format!("{key} = {}", if is_toml { value.to_owned() } else { quoted(value) }))
}

pub(super) fn parse(texts: &[&str]) -> Result<Mapping, Vec<(usize, Diagnostic)>> {
    let mut mapping = Mapping::default();
    let mut mistakes = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        let mut reader = Reader { text, mapping: &mut mapping, mistakes: Vec::new() };
        match DeTable::parse(text) {
            Ok(table) => reader.mapping(table.get_ref()),
            Err(error) => {
                let span = error.span().unwrap_or(0..0);
                reader.refuse(span, format!("this is not TOML: {}", error.message()), "", None);
            }
        }
        mistakes.extend(reader.mistakes.into_iter().map(|mistake| (number, mistake)));
    }
    if let Some(pairs) = &mapping.pairs
        && !mapping.lines.as_ref().is_some_and(|lines| lines.has(pairs))
        && mistakes.is_empty()
    {
        let message = format!("`pairs` is `{pairs}`, and `lines` has no group that is called so");
        mistakes.push((texts.len().saturating_sub(1), Diagnostic::new(Kind::Syntax, message)));
    }
    if mistakes.is_empty() && mapping.process.is_empty() {
        let missing = Diagnostic::new(Kind::Syntax, "the mapping does not say which field is the process")
            .help("write process = \"FIELD\"; for the process of all records a constant: process = \"=NAME\"");
        mistakes.push((texts.len().saturating_sub(1), missing));
    }
    if mistakes.is_empty() {
        let lacks = match mapping.order {
            Order::Time if mapping.time.is_empty() => Some("time"),
            Order::Clock if mapping.clock.is_empty() => Some("clock"),
            _ => None,
        };
        if mapping.order == Order::Time && !mapping.clock.is_empty() {
            let mistake = Diagnostic::new(Kind::Syntax, "events with vector clocks are ordered by them, not by time");
            mistakes.push((texts.len() - 1, mistake.help("write order = \"clock\", or leave `clock` out")));
        }
        if let Some(lacks) = lacks {
            let message = format!("events are ordered by `{lacks}`, and the mapping has none");
            let missing = Diagnostic::new(Kind::Syntax, message).help(format!("write {lacks} = \"FIELD\""));
            mistakes.push((texts.len() - 1, missing));
        }
    }
    if mistakes.is_empty() { Ok(mapping) } else { Err(mistakes) }
}

/// One text of a mapping.
struct Reader<'a> {
    text: &'a str,
    mapping: &'a mut Mapping,
    mistakes: Vec<Diagnostic>,
}

type Entry<'a, 'b> = &'b Spanned<DeValue<'a>>;

impl Reader<'_> {
    fn refuse(&mut self, span: Range<usize>, message: impl Into<String>, label: &str, help: Option<String>) {
        let mut mistake =
            Diagnostic::new(Kind::Syntax, message).at(Place::in_text(self.text, Span::new(span.start, span.end)));
        if !label.is_empty() {
            mistake = mistake.label(label);
        }
        if let Some(help) = help {
            mistake = mistake.help(help);
        }
        self.mistakes.push(mistake);
    }

    fn unknown(&mut self, span: Range<usize>, key: &str, known: &[&str]) {
        let help = nearest(key, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let label = format!("expected {}", any_of(known));
        self.refuse(span, format!("`{key}` is not a key of a mapping"), &label, help);
    }

    fn mapping(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "lines" => self.lines(value),
                "pairs" => self.mapping.pairs = self.string(value, "a group of `lines`").map(str::to_owned),
                "keep" => self.mapping.keep = self.keep(value),
                "process" => self.mapping.process = self.choices(value),
                "name" => self.mapping.name = self.choices(value),
                "time" => self.mapping.time = self.choices(value),
                "clock" => self.mapping.clock = self.choices(value),
                "unit" => {
                    let units = [
                        ("s", Unit::Seconds),
                        ("ms", Unit::Milliseconds),
                        ("us", Unit::Microseconds),
                        ("ns", Unit::Nanoseconds),
                    ];
                    self.mapping.unit = self.one_of(value, &units).unwrap_or_default();
                }
                "order" => {
                    let orders = [("line", Order::Line), ("time", Order::Time), ("clock", Order::Clock)];
                    self.mapping.order = self.one_of(value, &orders).unwrap_or_default();
                }
                "set" => {
                    let set = self.table(value, "variables and their fields, as in { x = \"state.x\" }");
                    for (name, value) in set.into_iter().flatten() {
                        let (template, choice) = (self.template(name), self.choice(value));
                        if let (Some(template), Some(choice)) = (template, choice) {
                            self.mapping.set.retain(|(known, _)| known.to_string() != template.to_string());
                            self.mapping.set.push((template, choice));
                        }
                    }
                }
                "attrs" => self.attrs(value),
                "initial" => {
                    let initial = self.table(value, "variables and their values, as in { x = 0 }");
                    for (name, value) in initial.into_iter().flatten() {
                        let name = name.get_ref().to_string();
                        if let Some(value) = self.value(value) {
                            self.mapping.initial.retain(|(known, _)| *known != name);
                            self.mapping.initial.push((name, value));
                        }
                    }
                }
                "message" => {
                    let list: Option<Vec<Entry<'_, '_>>> = value.get_ref().as_array().map(|list| list.iter().collect());
                    self.mapping.messages.clear();
                    // One of them may stand without brackets.
                    for message in list.unwrap_or_else(|| vec![value]) {
                        if let Some(message) = self.message(message) {
                            self.mapping.messages.push(message);
                        }
                    }
                }
                other => self.unknown(key.span(), other, &KEYS),
            }
        }
    }

    /// The expression that cuts lines. A mistake in it is shown at the value.
    fn lines(&mut self, value: Entry<'_, '_>) {
        const WHAT: &str = "an expression with named groups, such as '(?<node>\\S+) (?<event>.*)'";
        let Some(text) = self.string(value, WHAT) else { return };
        match compile(text).map(Cut::new) {
            Ok(Some(cut)) => self.mapping.lines = Some(cut),
            Ok(None) => {
                self.refuse(value.span(), "the expression has no named group", &format!("expected {WHAT}"), None)
            }
            Err(mistake) => self.refuse(value.span(), mistake.message, &format!("expected {WHAT}"), mistake.help),
        }
    }

    /// The entries of a table.
    fn table<'a, 'b>(&mut self, value: Entry<'a, 'b>, what: &str) -> Option<&'b DeTable<'a>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            let message = format!("{} where a table is expected", a(value.get_ref().type_str()));
            self.refuse(value.span(), message, &format!("expected {what}"), None);
        }
        table
    }

    fn string<'b>(&mut self, value: Entry<'_, 'b>, what: &str) -> Option<&'b str> {
        let text = value.get_ref().as_str();
        if text.is_none() {
            let message = format!("{} where a string is expected", a(value.get_ref().type_str()));
            self.refuse(value.span(), message, &format!("expected {what}"), None);
        }
        text
    }

    fn one_of<T: Copy>(&mut self, value: Entry<'_, '_>, known: &[(&str, T)]) -> Option<T> {
        let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
        let what = any_of(&words);
        let text = self.string(value, &what)?;
        let found = known.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning);
        if found.is_none() {
            let help = nearest(text, words.iter().copied()).map(|near| format!("did you mean `{near}`?"));
            self.refuse(value.span(), format!("`{text}` is none of them"), &format!("expected {what}"), help);
        }
        found
    }

    fn path(&mut self, text: &str, span: Range<usize>) -> Option<Path> {
        match Path::new(text, self.mapping.paths) {
            Ok(path) => {
                self.mapping.paths += 1;
                Some(path)
            }
            Err(why) => {
                self.refuse(span, format!("`{text}` is not a path"), why, None);
                None
            }
        }
    }

    fn choice(&mut self, value: Entry<'_, '_>) -> Option<Choice> {
        let text = self.string(value, "a field such as \"event.name\", or a constant such as \"=a\"")?;
        match text.strip_prefix('=') {
            Some(constant) => Some(Choice::Constant(constant.to_owned())),
            None => self.path(text, value.span()).map(Choice::Path),
        }
    }

    /// One field, or several of which the first that exists is taken.
    fn choices(&mut self, value: Entry<'_, '_>) -> Vec<Choice> {
        match value.get_ref().as_array() {
            Some(list) => list.iter().filter_map(|value| self.choice(value)).collect(),
            None => self.choice(value).into_iter().collect(),
        }
    }

    fn keep(&mut self, value: Entry<'_, '_>) -> Vec<Condition> {
        if value.get_ref().is_table() {
            return self.conditions(value);
        }
        let text = self.string(value, "a field that records must have");
        let path = text.and_then(|text| self.path(text, value.span()));
        path.map(|path| Condition { path, patterns: Vec::new() }).into_iter().collect()
    }

    fn conditions(&mut self, value: Entry<'_, '_>) -> Vec<Condition> {
        const PATTERN: &str = "what the field is like, such as \"Send*\"";
        let mut all = Vec::new();
        for (name, value) in self.table(value, "fields and patterns, as in { name = \"Send*\" }").into_iter().flatten()
        {
            let path = self.path(name.get_ref(), name.span());
            let patterns = match value.get_ref().as_array() {
                Some(list) => list.iter().filter_map(|one| self.string(one, PATTERN).map(str::to_owned)).collect(),
                None => self.string(value, PATTERN).map(str::to_owned).into_iter().collect(),
            };
            all.extend(path.map(|path| Condition { path, patterns }));
        }
        all
    }

    fn attrs(&mut self, value: Entry<'_, '_>) {
        const WHAT: &str = "fields, as in [\"msg.key\"], or their names and fields, as in { key = \"msg.key\" }";
        let mut named: Vec<(String, Choice, Range<usize>)> = Vec::new();
        if let Some(list) = value.get_ref().as_array() {
            for value in list {
                if let Some(choice) = self.choice(value) {
                    let name = match &choice {
                        Choice::Path(path) => path.last().to_owned(),
                        Choice::Constant(text) => text.clone(),
                    };
                    named.push((name, choice, value.span()));
                }
            }
        } else {
            for (name, value) in self.table(value, WHAT).into_iter().flatten() {
                named.extend(self.choice(value).map(|choice| (name.get_ref().to_string(), choice, name.span())));
            }
        }
        for (name, choice, span) in named {
            if self.mapping.attrs.iter().any(|(known, _)| *known == name) {
                let help = format!("name them: attrs = {{ {name} = \"…\", other = \"…\" }}");
                self.refuse(span, format!("two attributes are called `{name}`"), "expected another name", Some(help));
            } else {
                self.mapping.attrs.push((name, choice));
            }
        }
    }

    /// A value as TOML writes it; a date is a string.
    fn value(&mut self, value: Entry<'_, '_>) -> Option<Value> {
        let raw = &self.text[value.span()];
        match value.get_ref() {
            DeValue::String(text) => Some(Value::Text(text.to_string())),
            DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) => {
                let number = scalar(&raw.replace('_', "")).ok().filter(|value| matches!(value, Value::Number(_)));
                if number.is_none() {
                    self.refuse(value.span(), format!("`{raw}` is not a value"), "expected a decimal number", None);
                }
                number
            }
            other => {
                let message = format!("{} is not a value", a(other.type_str()));
                self.refuse(value.span(), message, "expected a number, a string, true or false", None);
                None
            }
        }
    }

    fn template(&mut self, name: &Spanned<impl AsRef<str>>) -> Option<Template> {
        let text = name.get_ref().as_ref();
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            let Some(length) = rest[open..].find('}') else {
                self.refuse(name.span(), format!("`{text}` has a brace that is not closed"), "expected `}`", None);
                return None;
            };
            if open > 0 {
                parts.push(Piece::Text(rest[..open].to_owned()));
            }
            parts.push(match &rest[open + 1..open + length] {
                "process" => Piece::Process,
                path => Piece::Path(self.path(path, name.span())?),
            });
            rest = &rest[open + length + 1..];
        }
        if !rest.is_empty() {
            parts.push(Piece::Text(rest.to_owned()));
        }
        if parts.is_empty() {
            self.refuse(name.span(), "a variable without a name", "expected a name", None);
            return None;
        }
        Some(Template(parts))
    }

    fn message(&mut self, value: Entry<'_, '_>) -> Option<Message> {
        const KEYS: [&str; 3] = ["send", "recv", "deliver"];
        let table = self.table(value, "what sends, what receives, and how messages are delivered")?;
        let (mut send, mut recv, mut deliver) = (None, None, None);
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "send" => send = self.end(value),
                "recv" => recv = self.end(value),
                "deliver" => {
                    let ways = [("once", Deliver::Once), ("many", Deliver::Many), ("id", Deliver::Id)];
                    deliver = self.one_of(value, &ways);
                }
                other => self.unknown(key.span(), other, &KEYS),
            }
        }
        let (Some(send), Some(recv), Some(deliver)) = (send, recv, deliver) else {
            let missing: Vec<&str> = KEYS.into_iter().filter(|key| !table.contains_key(*key)).collect();
            if let [first, ..] = missing[..] {
                self.refuse(
                    value.span(),
                    format!("a message without `{first}`"),
                    &format!("expected {}", all_of(&KEYS)),
                    None,
                );
            }
            return None;
        };
        if send.matches.len() != recv.matches.len() {
            let message = format!(
                "what is sent matches by {}, and what is received by {}",
                counted(send.matches.len()),
                counted(recv.matches.len())
            );
            self.refuse(value.span(), message, "expected as many fields on both ends", None);
            return None;
        }
        Some(Message { send, recv, deliver })
    }

    fn end(&mut self, value: Entry<'_, '_>) -> Option<End> {
        const KEYS: [&str; 2] = ["when", "match"];
        let table = self.table(value, "{ when = { FIELD = \"PATTERN\" }, match = [\"FIELD\"] }")?;
        let mut end = End::default();
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "when" => end.when = self.conditions(value),
                "match" => end.matches = self.choices(value),
                other => self.unknown(key.span(), other, &KEYS),
            }
        }
        if let Some(missing) = KEYS.into_iter().find(|key| !table.contains_key(*key)) {
            self.refuse(
                value.span(),
                format!("an end of a message without `{missing}`"),
                "expected `when` and `match`",
                None,
            );
            return None;
        }
        Some(end)
    }
}

impl std::fmt::Display for Template {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|part| match part {
            Piece::Text(text) => f.write_str(text),
            Piece::Process => f.write_str("{process}"),
            Piece::Path(path) => write!(f, "{{{}}}", path.text),
        })
    }
}

fn a(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}

fn counted(n: usize) -> String {
    if n == 1 { "one field".to_owned() } else { format!("{n} fields") }
}

fn any_of(words: &[&str]) -> String {
    listed(words, "or")
}

fn all_of(words: &[&str]) -> String {
    listed(words, "and")
}

fn listed(words: &[&str], last: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((end, rest)) if !rest.is_empty() => format!("{} {last} {end}", rest.join(", ")),
        _ => quoted.concat(),
    }
}
