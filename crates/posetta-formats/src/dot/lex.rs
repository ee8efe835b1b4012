//! The words of the DOT language.

use std::ops::Range;

use crate::lines::{Mistake, Parsed};

/// A word or a sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or a value, and whether it stands in quotes.
    Id(String, bool),
    /// `<…>`, whose text is not looked at.
    Html,
    /// `->`
    Arrow,
    /// `--`
    Line,
    Open,
    Close,
    OpenList,
    CloseList,
    Semicolon,
    Comma,
    Equals,
    Colon,
    Plus,
    End,
}

/// A token and its bytes.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub token: Token,
    pub span: Range<usize>,
}

/// Takes a text apart.
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next word.
    pub(super) fn next(&mut self) -> Parsed<Word> {
        self.skip()?;
        let start = self.at;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else {
            return Ok(Word { token: Token::End, span: start..start });
        };
        let sign = |token, length| Ok((token, length));
        let found: Parsed<(Token, usize)> = match first {
            '{' => sign(Token::Open, 1),
            '}' => sign(Token::Close, 1),
            '[' => sign(Token::OpenList, 1),
            ']' => sign(Token::CloseList, 1),
            ';' => sign(Token::Semicolon, 1),
            ',' => sign(Token::Comma, 1),
            '=' => sign(Token::Equals, 1),
            ':' => sign(Token::Colon, 1),
            '+' => sign(Token::Plus, 1),
            '"' => self.quoted(start),
            '<' => self.html(start),
            '-' if rest.starts_with("->") => sign(Token::Arrow, 2),
            '-' if rest.starts_with("--") => sign(Token::Line, 2),
            c if c.is_ascii_digit() || matches!(c, '-' | '.') => self.number(start),
            c if is_word(c) => {
                let length = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
                sign(Token::Id(rest[..length].to_owned(), false), length)
            }
            c => Err(Mistake::syntax(start..start + c.len_utf8(), format!("the character `{c}` has no meaning here"))
                .label("expected a name, or one in double quotes")),
        };
        let (token, length) = found?;
        self.at = start + length;
        Ok(Word { token, span: start..self.at })
    }

    /// Passes blanks and comments.
    fn skip(&mut self) -> Parsed<()> {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start().len();
            let at_line_start = self.at + blank == 0 || self.text[..self.at + blank].ends_with('\n');
            self.at += blank;
            let rest = &self.text[self.at..];
            if rest.starts_with("//") || (rest.starts_with('#') && at_line_start) {
                self.at += memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                match rest.find("*/") {
                    Some(end) => self.at += end + 2,
                    None => {
                        return Err(Mistake::syntax(self.at..self.at + 2, "a comment that does not end")
                            .label("expected `*/` somewhere after this"));
                    }
                }
            } else {
                return Ok(());
            }
        }
    }

    /// In quotes only `\"` is an escape, and a backslash at the end of a line joins it with the next.
    fn quoted(&self, start: usize) -> Parsed<(Token, usize)> {
        let bytes = self.text.as_bytes();
        let mut text = String::new();
        let mut from = start + 1;
        let mut at = from;
        while let Some(next) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
            at += next;
            if bytes[at] == b'"' {
                text.push_str(&self.text[from..at]);
                return Ok((Token::Id(text, true), at + 1 - start));
            }
            match bytes.get(at + 1) {
                Some(b'"') => {
                    text.push_str(&self.text[from..at]);
                    from = at + 1;
                    at += 2;
                }
                Some(b'\n') => {
                    text.push_str(&self.text[from..at]);
                    at += 2;
                    from = at;
                }
                // Two backslashes stay two, and the second escapes nothing.
                Some(b'\\') => at += 2,
                Some(_) => at += 1,
                None => break,
            }
        }
        Err(Mistake::syntax(start..start + 1, "a string that does not end").label("expected `\"` somewhere after this"))
    }

    fn html(&self, start: usize) -> Parsed<(Token, usize)> {
        let mut depth = 0usize;
        for at in memchr::memchr2_iter(b'<', b'>', &self.text.as_bytes()[start..]) {
            if self.text.as_bytes()[start + at] == b'<' {
                depth += 1;
            } else {
                depth -= 1;
                if depth == 0 {
                    return Ok((Token::Html, at + 1));
                }
            }
        }
        Err(Mistake::syntax(start..start + 1, "an HTML string that does not end")
            .label("expected `>` somewhere after this"))
    }

    fn number(&self, start: usize) -> Parsed<(Token, usize)> {
        let rest = &self.text[start..];
        let sign = usize::from(rest.starts_with('-'));
        let length = sign + rest[sign..].find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len() - sign);
        let number = &rest[..length];
        let digits = number.bytes().filter(u8::is_ascii_digit).count();
        if digits == 0 || number.bytes().filter(|&b| b == b'.').count() > 1 || rest[length..].starts_with(is_word) {
            let end = start + length.max(1);
            return Err(Mistake::syntax(start..end, format!("`{number}` is not a number"))
                .label("expected a number, or the name in double quotes"));
        }
        Ok((Token::Id(number.to_owned(), false), length))
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii()
}
