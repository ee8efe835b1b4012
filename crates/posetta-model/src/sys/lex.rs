//! Words of a system file.

use std::borrow::Cow;

use posetta_base::{Kind, Span, Spanned};

/// One word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name or a word of the language. A `.` inside belongs to it, `..` does not.
    Word(&'a str),
    /// Digits.
    Number(&'a str),
    /// `"…"` without its quotes and escapes.
    Text(Cow<'a, str>),
    /// Punctuation.
    Sign(&'static str),
    /// A character that means nothing.
    Odd(char),
    /// After the last word.
    End,
}

impl Token<'_> {
    /// How an error message calls it.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Word(word) => format!("`{word}`"),
            Self::Number(digits) => format!("`{digits}`"),
            Self::Text(text) => format!("the string {text:?}"),
            Self::Sign(sign) => format!("`{sign}`"),
            Self::Odd(c) => format!("the character {c:?}"),
            Self::End => "the end of the file".to_owned(),
        }
    }
}

/// A word and where it is.
#[derive(Clone, Debug)]
pub(super) struct Word<'a> {
    pub(super) token: Token<'a>,
    pub(super) span: Span,
    /// Whether it is the first one of its line.
    pub(super) starts_line: bool,
}

/// Longest first; `&`, `==` and the like of other languages, too, which the parser knows to translate.
const SIGNS: [&str; 31] = [
    "->", "||", "&&", "==", "!=", "<=", ">=", "..", "=", "<", ">", "!", "|", "&", "+", "-", "*", "/", "%", "?", "(",
    ")", "[", "]", "{", "}", ",", ";", ":", ".", "#",
];

fn is_inside(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn name_len(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let dot = c == '.' && chars.peek().is_some_and(|&(_, n)| is_inside(n));
        if !is_inside(c) && !dot {
            return at;
        }
    }
    text.len()
}

/// Cuts a text into words; the last one is [`Token::End`].
///
/// # Errors
/// With a string that does not end in its line.
pub(super) fn lex(source: &str) -> Result<Vec<Word<'_>>, Box<Spanned>> {
    let mut words = Vec::new();
    let mut at = 0;
    let mut starts_line = true;
    loop {
        let rest = &source[at..];
        let Some(first) = rest.chars().next() else { break };
        if first.is_whitespace() || first == '\u{feff}' {
            starts_line |= first == '\n';
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        let (token, length) = next(rest).ok_or_else(|| {
            let line = rest.find('\n').unwrap_or(rest.len());
            Spanned::new(Kind::Truncated, Span::new(at, at + line), "this string does not end")
                .label("expected `\"` in the same line")
        })?;
        words.push(Word { token, span: Span::new(at, at + length), starts_line });
        starts_line = false;
        at += length;
    }
    let end = Span::new(source.len(), source.len());
    words.push(Word { token: Token::End, span: end, starts_line: true });
    Ok(words)
}

/// The word that a text starts with, which is no blank, and its length; `None` for a string that does not end.
pub(super) fn next(rest: &str) -> Option<(Token<'_>, usize)> {
    let Some(first) = rest.chars().next() else { return Some((Token::End, 0)) };
    Some(if first.is_alphabetic() || first == '_' {
        let length = name_len(rest);
        (Token::Word(&rest[..length]), length)
    } else if first.is_ascii_digit() {
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        (Token::Number(&rest[..length]), length)
    } else if first == '"' {
        let (text, length) = string(rest)?;
        (Token::Text(text), length)
    } else if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
        (Token::Sign(sign), sign.len())
    } else {
        (Token::Odd(first), first.len_utf8())
    })
}

/// The string that a text starts with, and its length with quotes.
fn string(rest: &str) -> Option<(Cow<'_, str>, usize)> {
    let line = &rest[1..rest.find('\n').unwrap_or(rest.len())];
    let plain = line.find(['"', '\\'])?;
    if line.as_bytes()[plain] == b'"' {
        return Some((Cow::Borrowed(&line[..plain]), plain + 2));
    }
    let mut text = String::new();
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        match c {
            '\\' if !escaped => escaped = true,
            '"' if !escaped => return Some((Cow::Owned(text), at + 2)),
            _ => {
                text.push(c);
                escaped = false;
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_words() {
        let text = "s -take[(i+1)%N]-> a.b.c // -x->\n0..N-2 \"odd \\\"name\" 2p ||é";
        let words = lex(text).expect("it is fine");
        let shown: Vec<&str> = words.iter().map(|w| &text[w.span.start..w.span.end]).collect();
        let first = ["s", "-", "take", "[", "(", "i", "+", "1", ")", "%", "N", "]", "->", "a.b.c", "0", "..", "N"];
        assert_eq!(shown[..17], first);
        assert_eq!(shown[17..], ["-", "2", "\"odd \\\"name\"", "2", "p", "||", "é", ""]);
        assert!(words[14].starts_line && !words[15].starts_line);
        assert_eq!(words[19].token, Token::Text("odd \"name".into()));
        assert_eq!(lex("a \"b\nc\"").expect_err("the line ends").span, Span::new(2, 4));
    }
}
