//! EDN, form by form, as JSON.
//!
//! Keywords and symbols become strings, sets and lists become arrays, tags are left out: that is how Jepsen's own JSON is made. Numbers are
//! copied digit by digit.

use std::io::BufRead;

use crate::json::MAX_DEPTH;
use crate::lines::{self, LONGEST_MESSAGE};
use crate::source::Source;
use crate::states::is_number;
use crate::tree::push_quoted;
use posetta_base::{Budget, Diagnostic, Error, Kind, OverBudget, Place};

/// The maps of an input, one after the other.
pub(super) struct Forms<R> {
    source: Source<R>,
    /// The current line, and what was taken of it.
    text: String,
    at: usize,
    json: String,
    /// Where the last map begins.
    line: u64,
    /// Vectors and lists around it that have not ended.
    open: u64,
}

/// Characters that end a word.
fn ends_word(c: char) -> bool {
    c.is_whitespace() || ",;()[]{}\"\\".contains(c)
}

impl<R: BufRead> Forms<R> {
    pub(super) fn new(reader: R, budget: &Budget) -> Result<Self, OverBudget> {
        Ok(Self {
            source: Source::new(reader, budget)?,
            text: String::new(),
            at: 0,
            json: String::new(),
            line: 0,
            open: 0,
        })
    }

    /// The last map as JSON.
    pub(super) fn json(&self) -> &str {
        &self.json
    }

    /// The line in which it begins, from 1.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Finds the next map, at the outside or in a vector or list there. `false` at the end.
    ///
    /// # Errors
    /// With a mistake, behind which nothing can be read. Or when the budget is spent.
    pub(super) fn advance(&mut self) -> Result<bool, Error> {
        self.json.clear();
        loop {
            match self.peek()? {
                // What is missing may be what matters.
                None if std::mem::take(&mut self.open) > 0 => return Err(self.cut_off("a list")),
                None => return Ok(false),
                Some('[' | '(') => {
                    self.at += 1;
                    self.open += 1;
                }
                Some(']' | ')') if self.open > 0 => {
                    self.at += 1;
                    self.open -= 1;
                }
                Some('{') => {
                    self.line = self.source.number();
                    self.form(0)?;
                    return Ok(true);
                }
                Some('#') => {
                    self.at += 1;
                    if self.rest().starts_with('_') {
                        self.at += 1;
                        self.form(0)?;
                        self.json.clear();
                    } else {
                        self.word();
                    }
                }
                Some(_) => {
                    let length = self.rest().find(ends_word).unwrap_or(self.rest().len());
                    return Err(self.mistake(
                        length.max(1),
                        "not an operation",
                        "expected a map: `{:type :invoke, …}`",
                    ));
                }
            }
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn mistake(&self, length: usize, message: &str, label: &str) -> Error {
        let mut message = message.to_owned();
        if let Some((cut, _)) = message.char_indices().nth(LONGEST_MESSAGE) {
            message.truncate(cut);
            message.push('…');
        }
        let place = Place::in_line(self.source.number().max(1), &self.text, self.at, self.at + length);
        Diagnostic::new(Kind::Syntax, message).at(place).label(label).into()
    }

    fn cut_off(&self, inside: &str) -> Error {
        let place = Place::in_line(self.source.number().max(1), &self.text, self.text.len(), self.text.len());
        Diagnostic::new(Kind::Truncated, format!("the file ends inside {inside}; was it cut off?")).at(place).into()
    }

    fn next_line(&mut self) -> Result<bool, Error> {
        if !self.source.next_line(2 * self.json.capacity() + self.text.capacity())? {
            return Ok(false);
        }
        match str::from_utf8(self.source.line()) {
            Ok(line) => {
                self.text.clear();
                self.text.push_str(line);
                self.at = 0;
                Ok(true)
            }
            Err(error) => {
                let ended = !self.source.ending().is_empty();
                Err(lines::not_utf8(self.source.number(), self.source.line(), ended, error).into())
            }
        }
    }

    /// The next character that is neither blank nor in a comment.
    fn peek(&mut self) -> Result<Option<char>, Error> {
        loop {
            let rest = self.rest();
            let blank = rest.find(|c: char| !c.is_whitespace() && c != ',').unwrap_or(rest.len());
            self.at += blank;
            match self.rest().chars().next() {
                Some(';') | None => {
                    if !self.next_line()? {
                        self.at = self.text.len();
                        return Ok(None);
                    }
                }
                found => return Ok(found),
            }
        }
    }

    /// Takes a word.
    fn word(&mut self) -> String {
        let length = self.rest().find(ends_word).unwrap_or(self.rest().len());
        let word = self.rest()[..length].to_owned();
        self.at += length;
        word
    }

    /// Takes a form and appends it as JSON.
    fn form(&mut self, depth: u32) -> Result<(), Error> {
        let Some(first) = self.peek()? else { return Err(self.cut_off("a form")) };
        if depth > MAX_DEPTH / 2 {
            let place = Place::in_line(self.source.number(), &self.text, self.at, self.at + 1);
            return Err(Diagnostic::new(Kind::Nesting, "nested too deeply").at(place).into());
        }
        match first {
            '{' => {
                self.at += 1;
                self.map(depth)
            }
            '[' => self.list(']', depth),
            '(' => self.list(')', depth),
            '"' => self.string(),
            '\\' => self.character(),
            ':' => {
                self.at += 1;
                let word = self.word();
                push_quoted(&mut self.json, word.trim_start_matches(':'));
                Ok(())
            }
            '#' => self.tagged(depth),
            ']' | ')' | '}' => Err(self.mistake(1, &format!("unexpected `{first}`"), "expected a form")),
            _ => self.atom(),
        }
    }

    fn map(&mut self, depth: u32) -> Result<(), Error> {
        self.json.push('{');
        let mut first = true;
        while self.follows('}', "a map", &mut first, depth)? {
            let start = self.json.len();
            self.form(depth + 1)?;
            // A key of JSON is a string.
            if !self.json[start..].starts_with('"') {
                let key = self.json.split_off(start);
                push_quoted(&mut self.json, &key);
            }
            self.json.push(':');
            while self.peek()?.is_some() && self.rest().starts_with("#_") {
                self.discard(depth)?;
            }
            if self.peek()? == Some('}') {
                return Err(self.mistake(1, "a key without a value", "expected its value"));
            }
            self.form(depth + 1)?;
        }
        self.json.push('}');
        Ok(())
    }

    /// Whether another form follows in a map or a list, with a comma before it if it is not the first; the end is taken.
    fn follows(&mut self, close: char, inside: &str, first: &mut bool, depth: u32) -> Result<bool, Error> {
        loop {
            match self.peek()? {
                None => return Err(self.cut_off(inside)),
                Some(c) if c == close => {
                    self.at += 1;
                    return Ok(false);
                }
                Some('#') if self.rest().starts_with("#_") => self.discard(depth)?,
                Some(_) => break,
            }
        }
        if !std::mem::take(first) {
            self.json.push(',');
        }
        Ok(true)
    }

    fn list(&mut self, close: char, depth: u32) -> Result<(), Error> {
        self.at += 1;
        self.json.push('[');
        let mut first = true;
        while self.follows(close, "a list", &mut first, depth)? {
            self.form(depth + 1)?;
        }
        self.json.push(']');
        Ok(())
    }

    /// Passes over `#_` and the form behind it.
    fn discard(&mut self, depth: u32) -> Result<(), Error> {
        self.at += 2;
        let length = self.json.len();
        self.form(depth + 1)?;
        self.json.truncate(length);
        Ok(())
    }

    fn tagged(&mut self, depth: u32) -> Result<(), Error> {
        self.at += 1;
        match self.rest().chars().next() {
            Some('{') => self.list('}', depth),
            Some('_') => {
                self.at -= 1;
                self.discard(depth)?;
                self.form(depth + 1)
            }
            // Such as ##Inf, which JSON does not have as a number.
            Some('#') => {
                self.at += 1;
                let word = self.word();
                push_quoted(&mut self.json, &word);
                Ok(())
            }
            // A regular expression is a string with a tag.
            Some('"') => self.string(),
            _ => {
                if self.word().is_empty() {
                    return Err(self.mistake(1, "`#` without a tag", "expected a tag, `{` or `_`"));
                }
                self.form(depth + 1)
            }
        }
    }

    fn string(&mut self) -> Result<(), Error> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let plain = rest.find(['"', '\\']).unwrap_or(rest.len());
            text.push_str(&rest[..plain]);
            self.at += plain;
            let mut chars = self.rest().chars();
            match (chars.next(), chars.next()) {
                (Some('"'), _) => {
                    self.at += 1;
                    push_quoted(&mut self.json, &text);
                    return Ok(());
                }
                (Some(_), Some('u')) => {
                    let digits = self.rest().get(2..6).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
                    let Some(code) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
                        return Err(self.mistake(2, "`\\u` without a code", "expected four hexadecimal digits"));
                    };
                    // Half of a surrogate pair stands for no character of its own.
                    text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    self.at += 6;
                }
                (Some(_), Some(escaped)) => {
                    text.push(match escaped {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        'b' => '\u{8}',
                        'f' => '\u{c}',
                        '"' | '\\' | '\'' => escaped,
                        _ => {
                            return Err(self.mistake(
                                2,
                                &format!("`\\{escaped}` is not an escape"),
                                "expected \\n, \\t, \\\" …",
                            ));
                        }
                    });
                    self.at += 1 + escaped.len_utf8();
                }
                // The line ends, and the string goes on; a backslash before the end of a line is one.
                (last, None) => {
                    text.extend(last);
                    text.push('\n');
                    if !self.next_line()? {
                        return Err(self.cut_off("a string"));
                    }
                }
                (None, Some(_)) => {}
            }
        }
    }

    fn character(&mut self) -> Result<(), Error> {
        self.at += 1;
        let Some(first) = self.rest().chars().next() else {
            return Err(self.mistake(1, "a character is missing", "expected one behind the backslash"));
        };
        let after = self.rest()[first.len_utf8()..].find(ends_word).unwrap_or(self.rest().len() - first.len_utf8());
        let word = self.rest()[..first.len_utf8() + after].to_owned();
        let code = |digits: &str| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
        let meant = match word.as_str() {
            "newline" => Some('\n'),
            "space" => Some(' '),
            "tab" => Some('\t'),
            "return" => Some('\r'),
            "formfeed" => Some('\u{c}'),
            "backspace" => Some('\u{8}'),
            word if word.chars().count() == 1 => Some(first),
            word => word.strip_prefix('u').and_then(code),
        };
        let Some(meant) = meant else {
            return Err(self.mistake(word.len(), &format!("`\\{word}` is not a character"), "expected one"));
        };
        self.at += word.len();
        push_quoted(&mut self.json, meant.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    /// A number, a symbol, nil, true or false.
    fn atom(&mut self) -> Result<(), Error> {
        let start = self.at;
        let word = self.word();
        let is_numeric = word.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit());
        if !is_numeric {
            match word.as_str() {
                "nil" => self.json.push_str("null"),
                "true" | "false" => self.json.push_str(&word),
                _ => push_quoted(&mut self.json, &word),
            }
            return Ok(());
        }
        let digits = word.strip_prefix('+').unwrap_or(&word);
        let digits = digits.strip_suffix(['N', 'M']).unwrap_or(digits);
        if is_number(digits) {
            self.json.push_str(digits);
        } else if digits.split_once('/').is_some_and(|(a, b)| is_number(a) && is_number(b)) {
            push_quoted(&mut self.json, digits);
        } else {
            self.at = start;
            return Err(self.mistake(word.len(), &format!("`{word}` is not a number"), "expected a decimal number"));
        }
        Ok(())
    }
}
