//! A cursor over the JSON of one line, or of a [document](super::documents) of several.
//!
//! Our own rather than a parser crate's, because a reader of runs needs four things of one pass over the bytes: the
//! exact text of numbers, the raw text of values that are only kept, the column and the expectation of every mistake,
//! and whether the text is wrong or merely ends too early. The cursor borrows the line, allocates nothing, and nests by
//! a word of bits instead of the stack.

use std::ops::Range;

use super::lines::{Mistake, Parsed};
use super::quote::{self, Quoted};
use posetta_base::Kind;

/// Values that are kept as text may nest this deep: one bit each in [`Cursor::value`].
pub(super) const MAX_DEPTH: u32 = 128;

/// What a value is. Its text is told by its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    Text(Quoted),
    Number,
    Bool(bool),
    Null,
    Array,
    Object,
}

impl ValueKind {
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Text(_) => "string",
            Self::Number => "number",
            Self::Bool(_) => "boolean",
            Self::Null => "null",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

/// A value and its bytes in the line.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub kind: ValueKind,
    pub span: Range<usize>,
}

/// A place in the JSON text of a line.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    line: &'a str,
    pub at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        Self::new_at(line, 0)
    }

    pub(super) fn new_at(line: &'a str, at: usize) -> Self {
        Self { line, at }
    }

    /// The text that it walks over.
    pub(super) fn line(&self) -> &'a str {
        self.line
    }

    /// The next byte that is not a blank.
    #[inline(always)]
    pub(super) fn peek(&mut self) -> Option<u8> {
        let bytes = self.line.as_bytes();
        while let Some(&b) = bytes.get(self.at) {
            // One comparison tells nearly every byte that is not blank.
            if b > b' ' || !matches!(b, b' ' | b'\t' | b'\r' | b'\n') {
                return Some(b);
            }
            self.at += 1;
        }
        None
    }

    /// Takes `byte` if it is next.
    #[inline(always)]
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Something else was expected here.
    #[cold]
    pub(super) fn unexpected(&mut self, inside: &'static str, expected: &str) -> Box<Mistake> {
        if self.peek().is_none() {
            return Mistake::cut(self.line.len(), inside)
                .label(format!("expected {expected}"))
                .help("a record is one line: write each object without line breaks");
        }
        let rest = &self.line[self.at..];
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let end = if word == 0 { first } else { word };
        let found = &rest[..end];
        let mistake = Mistake::syntax(self.at..self.at + end, format!("unexpected `{found}` in {inside}"))
            .label(format!("expected {expected}"));
        match found {
            "'" => mistake.help("JSON strings have double quotes"),
            "True" | "False" => mistake.help("JSON writes `true` and `false`"),
            "None" | "nil" | "undefined" => mistake.help("JSON writes `null`"),
            "NaN" | "Infinity" | "inf" => mistake.help("JSON has no such number; leave it out or write a string"),
            _ => mistake,
        }
    }

    /// Scans a string.
    #[inline(always)]
    pub(super) fn string(&mut self, inside: &'static str, expected: &str) -> Parsed<Quoted> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected(inside, expected));
        }
        let quoted = quote::scan(self.line, self.at, false)?;
        self.at = quoted.end + 1;
        Ok(quoted)
    }

    /// Scans the name of a member and its colon.
    #[inline(always)]
    pub(super) fn key(&mut self) -> Parsed<Quoted> {
        let key = self.string("an object", "a field name in double quotes")?;
        if self.take(b':') { Ok(key) } else { Err(self.unexpected("an object", "`:`")) }
    }

    /// After a member of an object or array that ends with `close`: whether another one follows.
    #[inline(always)]
    pub(super) fn more(&mut self, close: u8) -> Parsed<bool> {
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(b) if b == close => {
                self.at += 1;
                Ok(false)
            }
            _ if close == b'}' => Err(self.unexpected("an object", "`,` or `}`")),
            _ => Err(self.unexpected("an array", "`,` or `]`")),
        }
    }

    /// Scans a number and answers its bytes.
    #[inline]
    fn number(&mut self) -> Parsed<()> {
        let bytes = self.line.as_bytes();
        let start = self.at;
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let whole = start + usize::from(bytes[start] == b'-');
        self.at = digits(whole);
        if self.at == whole {
            return Err(self.bad_number(start, "a number", "a digit"));
        }
        if bytes[whole] == b'0' && self.at > whole + 1 {
            return Err(Mistake::syntax(start..self.at, "a number that starts with 0")
                .label("expected no zeros before the first digit"));
        }
        if bytes.get(self.at) == Some(&b'.') {
            let fraction = self.at + 1;
            self.at = digits(fraction);
            if self.at == fraction {
                return Err(self.bad_number(start, "a number", "a digit after the point"));
            }
        }
        if matches!(bytes.get(self.at), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(self.at + 1), Some(b'+' | b'-')));
            let exponent = self.at + 1 + sign;
            self.at = digits(exponent);
            if self.at == exponent {
                return Err(self.bad_number(start, "a number", "a digit of the exponent"));
            }
        }
        Ok(())
    }

    #[cold]
    fn bad_number(&self, start: usize, inside: &'static str, expected: &str) -> Box<Mistake> {
        if self.at >= self.line.len() {
            return Mistake::cut(self.line.len(), inside).label(format!("expected {expected}"));
        }
        Mistake::syntax(start..self.at, format!("`{}` is not a number", &self.line[start..self.at]))
            .label(format!("expected {expected}"))
    }

    /// Scans `true`, `false` or `null`.
    fn literal(&mut self, inside: &'static str, expected: &str) -> Parsed<ValueKind> {
        let rest = &self.line[self.at..];
        for (word, kind) in
            [("true", ValueKind::Bool(true)), ("false", ValueKind::Bool(false)), ("null", ValueKind::Null)]
        {
            if rest.starts_with(word) {
                let next = rest.as_bytes().get(word.len());
                if !next.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
                    self.at += word.len();
                    return Ok(kind);
                }
            } else if !rest.is_empty() && word.starts_with(rest) {
                return Err(Mistake::cut(self.line.len(), "a value").label(format!("expected `{word}`")));
            }
        }
        Err(self.unexpected(inside, expected))
    }

    /// Scans any value, nested at most [`MAX_DEPTH`] deep. `inside` is what holds it, `expected` what should be here.
    #[inline]
    pub(super) fn value(&mut self, inside: &'static str, expected: &str) -> Parsed<Value> {
        let first = self.peek();
        let start = self.at;
        let kind = match first {
            Some(b'{') => {
                self.nested()?;
                ValueKind::Object
            }
            Some(b'[') => {
                self.nested()?;
                ValueKind::Array
            }
            _ => self.scalar(inside, expected)?,
        };
        Ok(Value { kind, span: start..self.at })
    }

    /// Scans a value that is neither an array nor an object.
    #[inline]
    pub(super) fn scalar(&mut self, inside: &'static str, expected: &str) -> Parsed<ValueKind> {
        match self.peek() {
            Some(b'"') => Ok(ValueKind::Text(self.string(inside, expected)?)),
            Some(b'-' | b'0'..=b'9') => {
                self.number()?;
                Ok(ValueKind::Number)
            }
            _ => self.literal(inside, expected),
        }
    }

    /// Scans an array or object. `open` has a bit for each level around the cursor, 1 for an object, the innermost
    /// lowest; no input can make it a recursion.
    fn nested(&mut self) -> Parsed<()> {
        let mut open: u128 = 0;
        let mut depth = 0;
        'value: loop {
            match self.peek() {
                Some(bracket @ (b'{' | b'[')) => {
                    if depth == MAX_DEPTH {
                        return Err(Mistake::new(Kind::Nesting, self.at..self.at + 1, "nested too deeply")
                            .label(format!("expected at most {MAX_DEPTH} arrays and objects inside each other")));
                    }
                    self.at += 1;
                    let object = bracket == b'{';
                    if self.take(if object { b'}' } else { b']' }) {
                        if depth == 0 {
                            return Ok(());
                        }
                    } else {
                        open = open << 1 | u128::from(object);
                        depth += 1;
                        if object {
                            self.key()?;
                        }
                        continue 'value;
                    }
                }
                _ => {
                    let inside = if open & 1 == 1 { "an object" } else { "an array" };
                    self.scalar(inside, "a value")?;
                }
            }
            // A value has ended.
            loop {
                let object = open & 1 == 1;
                if self.more(if object { b'}' } else { b']' })? {
                    if object {
                        self.key()?;
                    }
                    continue 'value;
                }
                open >>= 1;
                depth -= 1;
                if depth == 0 {
                    return Ok(());
                }
            }
        }
    }

    /// Nothing but blanks may follow.
    #[inline]
    pub(super) fn end(&mut self) -> Parsed<()> {
        if self.peek().is_none() {
            return Ok(());
        }
        let at = self.at;
        Err(Mistake::syntax(at..self.line.len(), "text after the record")
            .label("expected the end of the line")
            .help("each record stands on a line of its own"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::Line;
    use super::*;
    use proptest::prelude::*;

    /// The noun of the one value in `source`, or its mistake.
    fn check(source: &str) -> String {
        let mut cursor = Cursor::new(source);
        match cursor.value("a test", "a value").and_then(|v| cursor.end().map(|()| v)) {
            Ok(value) => value.kind.noun().to_owned(),
            Err(mistake) => Line::new(1, source, true).diagnose(*mistake).to_string(),
        }
    }

    #[test]
    fn values() {
        for (source, expected) in [
            ("0", "number"),
            ("-0.5e+10", "number"),
            (" \"a\" ", "string"),
            ("true", "boolean"),
            ("null", "null"),
            ("[]", "array"),
            ("[1, [2, {}], {\"a\": [null]}]", "array"),
            ("{\"a\": {\"b\": []}, \"c\": 1}", "object"),
            ("01", "1:1: a number that starts with 0"),
            ("-", "1:2: the line ends inside a number"),
            ("-x", "1:1: `-` is not a number"),
            ("1.x", "1:1: `1.` is not a number"),
            ("1e+", "1:4: the line ends inside a number"),
            ("tru", "1:4: the line ends inside a value"),
            ("truely", "1:1: unexpected `truely` in a test"),
            ("NaN", "1:1: unexpected `NaN` in a test"),
            ("[1 2]", "1:4: unexpected `2` in an array"),
            ("[1,]", "1:4: unexpected `]` in an array"),
            ("{\"a\" 1}", "1:6: unexpected `1` in an object"),
            ("{a: 1}", "1:2: unexpected `a` in an object"),
            ("{\"a\": 1", "1:8: the line ends inside an object"),
            ("[1}", "1:3: unexpected `}` in an array"),
            ("1 2", "1:3: text after the record"),
        ] {
            assert_eq!(check(source), expected, "{source}");
        }
    }

    #[test]
    fn nesting_has_an_end() {
        let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert_eq!(check(&deep(MAX_DEPTH as usize)), "array");
        assert_eq!(check(&deep(MAX_DEPTH as usize + 1)), "1:129: nested too deeply");
        assert_eq!(check(&"[".repeat(1_000_000)), "1:129: nested too deeply");
        assert_eq!(check(&"{\"a\":".repeat(1_000_000)), "1:641: nested too deeply");
    }

    proptest! {
        #[test]
        fn no_text_panics(source in "[\\[\\]{}\",:0-9a-z\\\\ .é-]{0,40}") {
            check(&source);
        }
    }
}
