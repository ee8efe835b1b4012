//! Words of the Hanoi Omega-Automata format.

use posetta_base::{Diagnostic, Kind, Place, Span};

/// One word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `name:`, without the colon.
    Header(String),
    Ident(String),
    /// A string, its escapes resolved.
    Text(String),
    Int(u32),
    /// `@name`, without the sign.
    Alias(String),
    Sign(char),
    /// `--BODY--`, `--END--` or `--ABORT--`.
    Fence(&'static str),
    End,
}

impl Token {
    /// How an error message calls it.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Header(name) => format!("`{name}:`"),
            Self::Ident(name) => format!("`{name}`"),
            Self::Text(text) => format!("the string \"{text}\""),
            Self::Int(n) => format!("`{n}`"),
            Self::Alias(name) => format!("`@{name}`"),
            Self::Sign(c) => format!("`{c}`"),
            Self::Fence(fence) => format!("`{fence}`"),
            Self::End => "the end".to_owned(),
        }
    }
}

const FENCES: [&str; 3] = ["--BODY--", "--END--", "--ABORT--"];
const SIGNS: &str = "!&|()[]{}";

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Cuts a source into words.
pub(super) struct Lexer<'a> {
    pub(super) source: &'a str,
    pub(super) at: usize,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.source[self.at..]
    }

    pub(super) fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Kind::Syntax, message).at(Place::in_text(self.source, span))
    }

    /// Blanks, and comments, which may stand inside each other.
    fn skip_blank(&mut self) -> Result<(), Diagnostic> {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
            if !self.rest().starts_with("/*") {
                return Ok(());
            }
            let start = self.at;
            let mut depth = 0_u32;
            loop {
                let Some(next) = self.rest().find(['*', '/']) else {
                    let span = Span::new(start, start + 2);
                    return Err(self.error(span, "this comment does not end").label("expected `*/` for it"));
                };
                self.at += next;
                if self.rest().starts_with("/*") {
                    depth += 1;
                    self.at += 2;
                } else if self.rest().starts_with("*/") {
                    depth -= 1;
                    self.at += 2;
                } else {
                    self.at += 1;
                }
                if depth == 0 {
                    break;
                }
            }
        }
    }

    fn take_word(&mut self) -> &str {
        let start = self.at;
        self.at += self.rest().find(|c| !is_word(c)).unwrap_or(self.rest().len());
        &self.source[start..self.at]
    }

    /// The next word and its span.
    pub(super) fn next(&mut self) -> Result<(Token, Span), Diagnostic> {
        self.skip_blank()?;
        let start = self.at;
        let Some(first) = self.rest().chars().next() else { return Ok((Token::End, Span::new(start, start))) };
        let token = if let Some(fence) = FENCES.into_iter().find(|fence| self.rest().starts_with(fence)) {
            self.at += fence.len();
            Token::Fence(fence)
        } else if first.is_ascii_alphabetic() || first == '_' {
            let word = self.take_word().to_owned();
            if self.rest().starts_with(':') {
                self.at += 1;
                Token::Header(word)
            } else {
                Token::Ident(word)
            }
        } else if first == '@' {
            self.at += 1;
            Token::Alias(self.take_word().to_owned())
        } else if first.is_ascii_digit() {
            let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
            self.at += digits;
            let number = self.source[start..self.at].parse::<u32>().ok().filter(|&n| n < u32::MAX);
            let span = Span::new(start, self.at);
            Token::Int(number.ok_or_else(|| self.error(span, "this number is too large"))?)
        } else if first == '"' {
            self.string()?
        } else if SIGNS.contains(first) {
            self.at += 1;
            Token::Sign(first)
        } else {
            let span = Span::new(start, start + first.len_utf8());
            return Err(self.error(span, format!("the character {first:?} has no meaning here")));
        };
        Ok((token, Span::new(start, self.at)))
    }

    fn string(&mut self) -> Result<Token, Diagnostic> {
        let start = self.at;
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return Ok(Token::Text(text));
                }
                '\\' => text.extend(chars.next().map(|(_, c)| c)),
                c => text.push(c),
            }
        }
        Err(self.error(Span::new(start, start + 1), "this string does not end").label("expected a closing `\"`"))
    }
}
