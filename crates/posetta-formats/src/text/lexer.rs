//! Names, numbers and signs of one line of the text format.
//!
//! There is no token type: what a word is depends on where it stands (`-1` is a name before a colon and a number after
//! an equals sign), so the reader asks for what may come next.

use std::borrow::Cow;
use std::ops::Range;

use crate::lines::{Mistake, Parsed};
use crate::quote::{self, Quoted};

/// Whether a name with this character needs no quotes for it.
pub(super) fn is_bare(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '.' | '[' | ']' | '-') || (!c.is_ascii() && c.is_alphabetic())
}

/// A name as it stands in the line.
#[derive(Clone, Debug)]
pub(super) struct Name {
    /// Its bytes, quotes included.
    pub span: Range<usize>,
    pub quoted: Option<Quoted>,
}

impl Name {
    pub(super) fn text<'a>(&self, line: &'a str) -> Cow<'a, str> {
        match &self.quoted {
            Some(quoted) => quoted.text(line),
            None => Cow::Borrowed(&line[self.span.clone()]),
        }
    }
}

/// A place in a line.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    pub line: &'a str,
    pub at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        Self { line, at: 0 }
    }

    /// What follows the blanks; empty at the end of the line and at a comment.
    pub(super) fn rest(&mut self) -> &'a str {
        let rest = self.line[self.at..].trim_start_matches([' ', '\t', '\r']);
        self.at = self.line.len() - rest.len();
        if rest.starts_with('#') { "" } else { rest }
    }

    pub(super) fn at_end(&mut self) -> bool {
        self.rest().is_empty()
    }

    /// Takes a sign if it is next. A hyphen before `>` is always the arrow.
    pub(super) fn take(&mut self, sign: &str) -> bool {
        let found = self.rest().starts_with(sign);
        if found {
            self.at += sign.len();
        }
        found
    }

    pub(super) fn at_arrow(&mut self) -> bool {
        self.rest().starts_with("->")
    }

    /// Whether a name comes next.
    pub(super) fn at_name(&mut self) -> bool {
        !self.at_arrow() && self.rest().starts_with(|c| c == '"' || is_bare(c))
    }

    /// The bytes of the bare word at the cursor, maybe none.
    fn word(&self) -> Range<usize> {
        let rest = &self.line[self.at..];
        let mut chars = rest.char_indices().peekable();
        let mut end = rest.len();
        while let Some((at, c)) = chars.next() {
            if !is_bare(c) || (c == '-' && chars.peek().is_some_and(|&(_, next)| next == '>')) {
                end = at;
                break;
            }
        }
        self.at..self.at + end
    }

    /// Takes a name.
    pub(super) fn name(&mut self, inside: &'static str, expected: &str) -> Parsed<Name> {
        if !self.at_name() {
            return Err(self.unexpected(inside, expected));
        }
        let start = self.at;
        if self.line[start..].starts_with('"') {
            let quoted = quote::scan(self.line, start, true)?;
            self.at = quoted.end + 1;
            return Ok(Name { span: start..self.at, quoted: Some(quoted) });
        }
        let span = self.word();
        self.at = span.end;
        Ok(Name { span, quoted: None })
    }

    /// Takes the bare word of a value, with a fraction's denominator if it has one.
    pub(super) fn value_word(&mut self) -> Range<usize> {
        let word = self.word();
        self.at = word.end;
        let bytes = self.line.as_bytes();
        if bytes.get(self.at) == Some(&b'/') {
            self.at += 1;
            while bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
                self.at += 1;
            }
        }
        word.start..self.at
    }

    /// Takes `.` and digits right behind a quoted name, if they are there.
    pub(super) fn index_suffix(&mut self) -> Option<Range<usize>> {
        let rest = self.line[self.at..].strip_prefix('.')?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let start = self.at + 1;
        self.at = start + digits;
        Some(start..self.at)
    }

    /// Something else was expected here.
    #[cold]
    pub(super) fn unexpected(&mut self, inside: &'static str, expected: &str) -> Box<Mistake> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Mistake::cut(self.at, inside).label(format!("expected {expected}"));
        };
        let word = self.word().len();
        let length = match word {
            _ if rest.starts_with("->") => 2,
            0 => first.len_utf8(),
            n => n,
        };
        Mistake::syntax(self.at..self.at + length, format!("unexpected `{}` in {inside}", &rest[..length]))
            .label(format!("expected {expected}"))
    }
}
