//! What a file says of an event beside its fields, as JSON texts: values of them, and those that somebody asked for.
//!
//! `order.id` is the attribute of that name, else the field `id` of the attribute `order`. Strings, numbers and booleans are values; `null`,
//! lists and objects are none, so that an event with one of these counts as one without the attribute.

use super::Value;

/// The names of attributes that somebody asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WantedAttributes {
    names: Vec<String>,
}

impl WantedAttributes {
    /// These names, each once.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        let mut wanted = Self::default();
        for name in names {
            if !wanted.names.contains(&name) {
                wanted.names.push(name);
            }
        }
        wanted
    }

    /// Whether nobody asked.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Takes from an attribute of an event what was asked for.
    pub fn take(&self, key: &str, json: &str, into: &mut TakenAttributes) {
        for (place, name) in self.names.iter().enumerate() {
            let Some(rest) = name.strip_prefix(key) else { continue };
            let path = match rest.strip_prefix('.') {
                Some(path) => path,
                None if rest.is_empty() => "",
                None => continue,
            };
            let known = into.values.iter().position(|(other, ..)| *other == place);
            // The longest name wins.
            if known.is_some_and(|known| into.values[known].1 >= key.len()) {
                continue;
            }
            if let Some(value) = json_value(json, path) {
                match known {
                    Some(known) => into.values[known] = (place, key.len(), value),
                    None => into.values.push((place, key.len(), value)),
                }
            }
        }
    }
}

/// The attributes of one event that somebody asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakenAttributes {
    /// The place of the name among those that were asked for, how long the name of the attribute itself is, and the value.
    values: Vec<(usize, usize, Value)>,
}

impl TakenAttributes {
    /// Empties it for the next event.
    #[inline]
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// About how many bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let texts =
            self.values.iter().map(|(.., value)| if let Value::Text(text) = value { text.capacity() } else { 0 });
        self.values.capacity() * size_of::<(usize, usize, Value)>() + texts.sum::<usize>()
    }

    /// The same, to be looked at.
    #[must_use]
    pub fn of<'a>(&'a self, wanted: &'a WantedAttributes) -> Attributes<'a> {
        Attributes { names: &wanted.names, values: &self.values }
    }
}

/// The attributes of one event that somebody asked for, with their names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attributes<'a> {
    names: &'a [String],
    values: &'a [(usize, usize, Value)],
}

impl<'a> Attributes<'a> {
    /// The value of an attribute that was asked for; `None` if the event does not have it.
    #[must_use]
    pub fn get(self, name: &str) -> Option<&'a Value> {
        self.values.iter().find(|(place, ..)| self.names[*place] == name).map(|(.., value)| value)
    }

    /// All of them.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        self.values.iter().map(move |(place, _, value)| (self.names[*place].as_str(), value))
    }
}

/// The value of a field of a JSON text, or of the text itself if the path is empty; `None` if there is no such field, or if it is no
/// string, number or boolean. The steps of a path are separated by dots.
#[must_use]
pub fn json_value(json: &str, path: &str) -> Option<Value> {
    let mut at = json.trim();
    for step in path.split('.').filter(|step| !step.is_empty()) {
        at = field(at, step)?;
    }
    match at.as_bytes().first()? {
        b'"' => string(at).map(|(text, _)| Value::Text(text)),
        b't' if at == "true" => Some(Value::from(1)),
        b'f' if at == "false" => Some(Value::from(0)),
        b'-' | b'0'..=b'9' => at.parse().ok().map(Value::Number),
        _ => None,
    }
}

/// The text of a field of an object; the last one of that name counts.
fn field<'j>(object: &'j str, name: &str) -> Option<&'j str> {
    let mut rest = object.strip_prefix('{')?.trim_start();
    let mut found = None;
    while rest.starts_with('"') {
        let (key, length) = string(rest)?;
        let value = rest[length..].trim_start().strip_prefix(':')?.trim_start();
        let length = extent(value)?;
        if key == name {
            found = Some(value[..length].trim_end());
        }
        match value[length..].trim_start().strip_prefix(',') {
            Some(more) => rest = more.trim_start(),
            None => break,
        }
    }
    found
}

/// A string with its escapes read, and how many bytes it takes with its quotes.
fn string(text: &str) -> Option<(String, usize)> {
    let mut out = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((out, at + 1)),
            '\\' => match chars.next()?.1 {
                'n' => out.push('\n'),
                'r' => out.push('\r'),
                't' => out.push('\t'),
                'b' => out.push('\u{8}'),
                'f' => out.push('\u{c}'),
                'u' => {
                    let mut unit = || -> Option<u32> {
                        let digits: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                        u32::from_str_radix(&digits, 16).ok()
                    };
                    let first = unit()?;
                    let code = if (0xd800..0xdc00).contains(&first) {
                        let (backslash, u) = (chars.next()?.1, chars.next()?.1);
                        let mut unit = || -> Option<u32> {
                            let digits: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                            u32::from_str_radix(&digits, 16).ok()
                        };
                        let second = unit()
                            .filter(|second| (backslash, u) == ('\\', 'u') && (0xdc00..0xe000).contains(second))?;
                        0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)
                    } else {
                        first
                    };
                    out.push(char::from_u32(code)?);
                }
                other => out.push(other),
            },
            c => out.push(c),
        }
    }
    None
}

/// How many bytes a value takes.
fn extent(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_u32, 0);
    loop {
        match bytes.get(at) {
            None => return (depth == 0).then_some(at),
            Some(b'"') => {
                at += 1;
                while *bytes.get(at)? != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            Some(b'{' | b'[') => depth += 1,
            Some(b'}' | b']') if depth == 0 => return Some(at),
            Some(b'}' | b']') => depth -= 1,
            Some(b',') if depth == 0 => return Some(at),
            Some(_) => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_json_texts() {
        let text = |t: &str| Some(Value::from(t));
        for (json, path, expected) in [
            ("42", "", Some(Value::from(42))),
            (" -1.50 ", "", Some(Value::Number("-1.5".parse().unwrap()))),
            ("true", "", Some(Value::from(1))),
            ("null", "", None),
            ("[1]", "", None),
            (r#""a\"b\u00e9\ud83d\ude00""#, "", text("a\"bé😀")),
            (r#""\ud83d""#, "", None),
            (r#"{"id": 7, "x": {"y": ["}", 1], "z": "w"}}"#, "id", Some(Value::from(7))),
            (r#"{"id": 7, "x": {"y": ["}", 1], "z": "w"}}"#, "x.z", text("w")),
            (r#"{"id": 7, "x": {"y": ["}", 1], "z": "w"}}"#, "x.y", None),
            (r#"{"id": 7, "id": 8}"#, "id", Some(Value::from(8))),
            ("7", "id", None),
            ("{", "id", None),
            (r#"{"id"#, "id", None),
            (r#"{"id":"#, "id", None),
            (r#"{"i\u0064":1}"#, "id", Some(Value::from(1))),
        ] {
            assert_eq!(json_value(json, path), expected, "{json} {path}");
        }
    }

    #[test]
    fn what_was_asked_for_is_taken() {
        let wanted = WantedAttributes::new(["order.id", "key", "order.id"].map(str::to_owned));
        let mut taken = TakenAttributes::default();
        for (key, json) in
            [("order", r#"{"id": 1}"#), ("other", "2"), ("key", "null"), ("order.id", "\"a\""), ("orde", "3")]
        {
            wanted.take(key, json, &mut taken);
        }
        wanted.take("order", r#"{"id": 4}"#, &mut taken);
        let found = taken.of(&wanted);
        assert_eq!(
            (found.get("order.id"), found.get("key"), found.get("other")),
            (Some(&Value::from("a")), None, None)
        );
        assert_eq!(found.iter().count(), 1);
    }
}
