//! Words of a model.
//!
//! The whole text is cut at once; characters without a meaning stay as [`Token::Odd`], because the text of a `PSLSPEC` has its own words
//! and is read by others. `--` comments to the end of the line, `/--` to `--/`. As in NuSMV a name may have `-`, `$` and `#` inside.

use posetta_base::{Kind, Span, Spanned};

/// One word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name or a word of the language.
    Word(&'a str),
    /// Digits.
    Number(&'a str),
    /// `"…"`, which only PSL has.
    Text,
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
            Self::Text => "a string".to_owned(),
            Self::Sign(sign) => format!("`{sign}`"),
            Self::Odd(c) => format!("the character {c:?}"),
            Self::End => "the end of the file".to_owned(),
        }
    }
}

/// Longest first; with those of other languages, which the parser knows to translate.
const SIGNS: [&str; 42] = [
    "<->", "<=>", "==", "&&", "||", "=>", "<>", "[]", ":=", "->", "!=", "<=", ">=", "..", "<<", ">>", "::", "&", "|",
    "=", "<", ">", "!", "+", "-", "*", "/", "(", ")", "[", "]", "{", "}", ",", ".", ";", ":", "?", "@", "%", "^", "~",
];

/// A text cut into words.
#[derive(Debug, Default)]
pub(super) struct Words<'a> {
    /// The words and where they are; the last one is [`Token::End`].
    pub(super) words: Vec<(Token<'a>, Span)>,
    /// Where the comments are, in order.
    pub(super) comments: Vec<Span>,
}

fn name_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&b) = bytes.get(at) {
        let inside = b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'#');
        // A `-` with a letter behind it belongs to the name; `->`, `--` and a `-` before a blank do not.
        let hyphen = b == b'-' && bytes.get(at + 1).is_some_and(|n| n.is_ascii_alphanumeric() || *n == b'_');
        if !inside && !hyphen {
            break;
        }
        at += 1;
    }
    at
}

/// Cuts a text into words.
///
/// # Errors
/// With a comment that does not end.
pub(super) fn lex(source: &str) -> Result<Words<'_>, Box<Spanned>> {
    let mut found = Words::default();
    let mut at = 0;
    loop {
        let rest = &source[at..];
        let Some(first) = rest.chars().next() else { break };
        if first.is_whitespace() || first == '\u{feff}' {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("--") {
            let end = at + rest.find('\n').unwrap_or(rest.len());
            found.comments.push(Span::new(at, end));
            at = end;
            continue;
        }
        if let Some(inside) = rest.strip_prefix("/--") {
            let Some(length) = inside.find("--/") else {
                let problem = Spanned::new(Kind::Truncated, Span::new(at, at + 3), "this comment does not end");
                return Err(problem.label("expected `--/` later"));
            };
            found.comments.push(Span::new(at, at + 3 + length + 3));
            at += 3 + length + 3;
            continue;
        }
        let (token, length) = word(rest, first);
        found.words.push((token, Span::new(at, at + length)));
        at += length;
    }
    found.words.push((Token::End, Span::new(source.len(), source.len())));
    Ok(found)
}

/// The word that a text starts with.
fn word(rest: &str, first: char) -> (Token<'_>, usize) {
    if first.is_ascii_alphabetic() || first == '_' {
        let length = name_len(rest);
        (Token::Word(&rest[..length]), length)
    } else if first.is_ascii_digit() {
        // Letters behind digits are words such as 0ub8_1, which the parser refuses as a whole.
        let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        (Token::Number(&rest[..length]), length)
    } else if first == '"' {
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        let mut escaped = false;
        let end = line[1..].char_indices().find(|&(_, c)| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        end.map_or((Token::Odd('"'), 1), |(i, _)| (Token::Text, i + 2))
    } else if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
        (Token::Sign(sign), sign.len())
    } else {
        (Token::Odd(first), first.len_utf8())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_words() {
        let text = "x-1 a->b--c\n0..3 /-- ; --/ p.q \"a;\\\"b\" é";
        let words: Vec<String> =
            lex(text).expect("it is fine").words.iter().map(|(_, s)| text[s.start..s.end].to_owned()).collect();
        assert_eq!(words, ["x-1", "a", "->", "b", "0", "..", "3", "p", ".", "q", "\"a;\\\"b\"", "é", ""]);
        let text = "a<=>b<->c<=d==e&&f||g=>h<>[][i]";
        let words: Vec<&str> =
            lex(text).expect("it is fine").words.iter().map(|(_, s)| &text[s.start..s.end]).collect();
        let signs = ["a", "<=>", "b", "<->", "c", "<=", "d", "==", "e", "&&", "f", "||", "g", "=>", "h", "<>", "[]"];
        assert_eq!(words[..17], signs);
    }
}
