//! The values that variables take, each stored once.

use std::fmt;

use rustc_hash::FxHashMap;

use super::{Interner, Number, ValueId};

/// An exact number (booleans are 1 and 0) or a string.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// An exact rational.
    Number(Number),
    /// A string.
    Text(String),
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(Number::from(number))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Value {
    /// The number, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<&Number> {
        match self {
            Self::Number(n) => Some(n),
            Self::Text(_) => None,
        }
    }

    /// Whether it is a string.
    #[must_use]
    pub fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }
}

impl fmt::Display for Value {
    /// Numbers as in formulas, strings in quotes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(n) => n.fmt(f),
            Self::Text(t) => write!(f, "\"{}\"", Quoted(t)),
        }
    }
}

/// Whether a character could end a line, move the cursor or change the order of what is shown beside it. A name or a value with one could
/// redraw the terminal that it is printed to, so whatever is written has it escaped. All of them have codes of four digits.
#[must_use]
pub fn unsafe_to_show(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The inside of a double-quoted string, with what needs it escaped.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        for c in self.0.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                c if unsafe_to_show(c) => write!(f, "\\u{:04x}", c as u32)?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// Distinct values with dense ids. Small integers, by far the most frequent, skip the hash table.
#[derive(Clone, Debug, Default)]
pub struct ValueTable {
    values: Vec<Value>,
    /// Numbers that are not small integers.
    numbers: FxHashMap<Number, ValueId>,
    /// Strings are looked up without building a [`Value`]; `text_ids[i]` is the id of the string with symbol `i`.
    texts: Interner,
    text_ids: Vec<ValueId>,
    /// Bytes behind the values: strings and numbers that are not small, both of which are held twice.
    heavy: usize,
    /// `small[i]` is the id of the integer `i`, if seen.
    small: Vec<Option<ValueId>>,
}

const SMALL: usize = 1024;

impl ValueTable {
    /// An empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn push(&mut self, value: Value) -> Option<ValueId> {
        let id = ValueId::new(self.values.len())?;
        self.heavy += match &value {
            Value::Number(n) => 2 * n.heap_bytes(),
            Value::Text(t) => t.len() + 16,
        };
        self.values.push(value);
        Some(id)
    }

    /// The id of an integer; `None` when all ids are taken.
    pub fn integer(&mut self, n: i64) -> Option<ValueId> {
        match usize::try_from(n) {
            Ok(i) if i < SMALL => {
                if self.small.len() <= i {
                    self.small.resize(i + 1, None);
                }
                if self.small[i].is_none() {
                    self.small[i] = Some(self.push(Value::Number(Number::from(n)))?);
                }
                self.small[i]
            }
            _ => self.number(Number::from(n)),
        }
    }

    /// The id of a string; `None` when all ids are taken.
    pub fn text(&mut self, text: &str) -> Option<ValueId> {
        let symbol = self.texts.intern(text)?;
        if symbol.index() == self.text_ids.len() {
            let id = self.push(Value::Text(text.to_owned()))?;
            self.text_ids.push(id);
        }
        self.text_ids.get(symbol.index()).copied()
    }

    /// The id of a value; `None` when all ids are taken.
    pub fn intern(&mut self, value: Value) -> Option<ValueId> {
        match value {
            Value::Text(text) => self.text(&text),
            Value::Number(n) => match n.as_i64() {
                Some(n) => self.integer(n),
                None => self.number(n),
            },
        }
    }

    fn number(&mut self, number: Number) -> Option<ValueId> {
        if let Some(&id) = self.numbers.get(&number) {
            return Some(id);
        }
        let id = self.push(Value::Number(number.clone()))?;
        self.numbers.insert(number, id);
        Some(id)
    }

    /// Whether this string is among them.
    #[must_use]
    pub fn has_text(&self, text: &str) -> bool {
        self.texts.get(text).is_some()
    }

    /// The value of an id of this table.
    #[must_use]
    pub fn get(&self, id: ValueId) -> &Value {
        &self.values[id.index()]
    }

    /// About how many bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.values.len() * size_of::<Value>() + self.numbers.capacity() * 25 + self.texts.bytes() + self.heavy
    }

    /// How many distinct values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_id_per_value_however_it_was_written() {
        let mut table = ValueTable::new();
        let number = |s: &str| Value::Number(s.parse().unwrap());
        let one = table.integer(1).unwrap();
        for same in ["1", "1.0", "10e-1", "100e-2"] {
            assert_eq!(table.intern(number(same)), Some(one), "{same}");
        }
        assert_ne!(table.intern(Value::Text("1".into())), Some(one));
        let big = table.intern(number("1e30")).unwrap();
        assert_eq!(table.intern(number("1000000000000000000000000000000.0")), Some(big));
        assert_eq!(table.get(big).to_string(), format!("1{}", "0".repeat(30)));
    }
}
