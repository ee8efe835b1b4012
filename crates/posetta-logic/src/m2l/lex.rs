//! Words of MONA files and of M2L properties.

use posetta_base::{Kind, Span, Spanned};

use super::Source;
use crate::written::TokenKind;

/// One word. What names and numbers are is read from the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A run of letters, digits and `_ ' @ $` that is neither a number nor a word of the language.
    Name,
    /// Digits.
    Number,
    /// A word of the language.
    Word(&'static str),
    /// Punctuation.
    Sign(&'static str),
    /// `"…"`
    Text,
    /// An atom in backquotes.
    Atom,
    /// A character that means nothing.
    Odd(char),
    /// After the last word.
    End,
}

/// A word and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    pub(super) token: Token,
    pub(super) span: Span,
}

/// Longest first.
const SIGNS: [&str; 30] = [
    "...", "<=>", "->", "<=", ">=", "=>", "~=", "%", "&", "(", ")", "*", "+", ",", "-", ".", "/", ":", ";", "<", "=",
    ">", "[", "\\", "]", "^", "{", "|", "}", "~",
];

/// Headers that have a sign inside.
const HEADERS: [&str; 2] = ["m2l-str", "m2l-tree"];

/// What no name can be.
pub(crate) const WORDS: [&str; 51] = [
    "all0",
    "all1",
    "all2",
    "allpos",
    "assert",
    "const",
    "const_tree",
    "defaultwhere1",
    "defaultwhere2",
    "empty",
    "ex0",
    "ex1",
    "ex2",
    "execute",
    "export",
    "false",
    "guide",
    "import",
    "in",
    "in_state_space",
    "include",
    "inter",
    "lastpos",
    "let0",
    "let1",
    "let2",
    "macro",
    "max",
    "min",
    "notin",
    "pred",
    "prefix",
    "restrict",
    "root",
    "sometype",
    "sub",
    "succ",
    "tree",
    "tree_root",
    "true",
    "type",
    "union",
    "universe",
    "var0",
    "var1",
    "var2",
    "variant",
    "verify",
    "where",
    "ws1s",
    "ws2s",
];

/// The word of the language that a text is.
fn word(text: &str) -> Option<&'static str> {
    WORDS.binary_search(&text).ok().map(|at| WORDS[at])
}

fn is_inside(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\'' | b'@' | b'$')
}

/// Cuts a stretch of a text into words; the last one is [`Token::End`].
///
/// # Errors
/// With a comment, a string or an atom that does not end.
pub(super) fn lex(source: &str, span: Span, sort: Source) -> Result<Vec<Word>, Box<Spanned>> {
    let source = &source[..span.end];
    let mut words = Vec::new();
    let mut at = span.start;
    loop {
        let rest = &source[at..];
        let Some(first) = rest.chars().next() else { break };
        if first.is_whitespace() || first == '\u{feff}' {
            at += first.len_utf8();
            continue;
        }
        // Files of properties and systems have comments of their own, which mean nothing in MONA.
        if first == '#' || sort.is_lone() && rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if let Some(inside) = rest.strip_prefix("/*") {
            at += inside.find("*/").ok_or_else(|| {
                Spanned::new(Kind::Truncated, Span::new(at, at + 2), "this comment does not end").label("expected `*/`")
            })? + 4;
            continue;
        }
        let (token, length) = next(rest, first, at)?;
        words.push(Word { token, span: Span::new(at, at + length) });
        at += length;
    }
    // What is missing at the end is missing behind the last word, not behind comments and blank lines.
    let end = words.last().map_or(span.start, |w| w.span.end);
    words.push(Word { token: Token::End, span: Span::new(end, end) });
    Ok(words)
}

/// The word that a text starts with, and its length.
fn next(rest: &str, first: char, at: usize) -> Result<(Token, usize), Box<Spanned>> {
    if let Some(header) = HEADERS.into_iter().find(|h| rest.starts_with(h)) {
        return Ok((Token::Word(header), header.len()));
    }
    let length = rest.bytes().take_while(|&b| is_inside(b)).count();
    if length > 0 {
        let text = &rest[..length];
        let token = match word(text) {
            Some(word) => Token::Word(word),
            None if text.bytes().all(|b| b.is_ascii_digit()) => Token::Number,
            None => Token::Name,
        };
        return Ok((token, length));
    }
    let endless = |what: &str, end: &str| {
        let line = rest.find('\n').unwrap_or(rest.len());
        Spanned::new(Kind::Truncated, Span::new(at, at + line), format!("this {what} does not end"))
            .label(format!("expected {end} in the same line"))
    };
    Ok(match first {
        '"' => (Token::Text, rest[1..].find(['"', '\n']).filter(|n| rest[1 + n..].starts_with('"')).map(|n| n + 2))
            .with_length(|| endless("string", "`\"`"))?,
        '`' => (Token::Atom, atom_length(rest)).with_length(|| endless("atom", "a backquote"))?,
        _ => match SIGNS.into_iter().find(|s| rest.starts_with(s)) {
            Some(sign) => (Token::Sign(sign), sign.len()),
            None => (Token::Odd(first), first.len_utf8()),
        },
    })
}

/// The same for whoever needs no more than what it looks like; `None` if it does not end.
pub(crate) fn word_at(rest: &str) -> Option<(TokenKind, usize)> {
    let (token, length) = next(rest, rest.chars().next()?, 0).ok()?;
    let sort = match token {
        Token::Name | Token::Word(_) => TokenKind::Name,
        Token::Number => TokenKind::Number,
        Token::Sign(_) => TokenKind::Sign,
        Token::Text => TokenKind::Text,
        Token::Atom => TokenKind::Atom,
        Token::Odd(_) | Token::End => return None,
    };
    Some((sort, length))
}

/// A word that may lack its end.
trait WithLength {
    fn with_length(self, mistake: impl FnOnce() -> Box<Spanned>) -> Result<(Token, usize), Box<Spanned>>;
}

impl WithLength for (Token, Option<usize>) {
    fn with_length(self, mistake: impl FnOnce() -> Box<Spanned>) -> Result<(Token, usize), Box<Spanned>> {
        Ok((self.0, self.1.ok_or_else(mistake)?))
    }
}

/// The length of the atom that a text starts with, backquotes included. Those inside its strings do not end it.
fn atom_length(rest: &str) -> Option<usize> {
    let mut quoted = false;
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            b'\n' => return None,
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'`' if !quoted => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(Token, &str)> {
        let words = lex(text, Span::new(0, text.len()), Source::File).expect("it is fine");
        words.iter().map(|w| (w.token, &text[w.span.start..w.span.end])).collect()
    }

    #[test]
    fn cuts_words() {
        use Token::{Atom, End, Name, Number, Odd, Sign, Text, Word};
        assert_eq!(
            cut("m2l-str;p1' 12 1a $ # x\n/* y\n*/ ex1<=>{2,...,N}~=\"a b\"`f(\"`\")`é"),
            [
                (Word("m2l-str"), "m2l-str"),
                (Sign(";"), ";"),
                (Name, "p1'"),
                (Number, "12"),
                (Name, "1a"),
                (Name, "$"),
                (Word("ex1"), "ex1"),
                (Sign("<=>"), "<=>"),
                (Sign("{"), "{"),
                (Number, "2"),
                (Sign(","), ","),
                (Sign("..."), "..."),
                (Sign(","), ","),
                (Name, "N"),
                (Sign("}"), "}"),
                (Sign("~="), "~="),
                (Text, "\"a b\""),
                (Atom, "`f(\"`\")`"),
                (Odd('é'), "é"),
                (End, ""),
            ]
        );
    }

    #[test]
    fn what_does_not_end_is_named() {
        for (text, message, place) in [
            ("p /* q", "this comment does not end", (2, 4)),
            ("p \"q\n\"", "this string does not end", (2, 4)),
            ("p `q\n`", "this atom does not end", (2, 4)),
        ] {
            let problem = lex(text, Span::new(0, text.len()), Source::File).expect_err(text);
            assert_eq!((problem.message.as_str(), problem.span), (message, Span::new(place.0, place.1)));
        }
    }

    #[test]
    fn a_stretch_of_a_property_file() {
        let text = "é = p // `q\n& q # r\nlet";
        let span = Span::new("é = ".len(), text.len() - "let".len());
        let words = lex(text, span, Source::Property).expect("it is fine");
        let cut: Vec<&str> = words.iter().map(|w| &text[w.span.start..w.span.end]).collect();
        assert_eq!(cut, ["p", "&", "q", ""]);
    }

    #[test]
    fn words_are_sorted() {
        assert!(WORDS.is_sorted());
    }
}
