//! The words of a text, with its comments. What the lexer refuses is a word of its own, so that every text has words.

use super::Logic;
use crate::lex::{self, Lexer};
use crate::m2l;
use crate::parse::{EVERYWHERE, is_reserved};
use posetta_base::Span;

/// A word or a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is; never empty.
    pub span: Span,
}

/// What a word is, as far as its letters say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A name with its path, or a word of the language.
    Name,
    /// `$"…"`: a variable.
    Quoted,
    /// `$k`: the value of an instance.
    Key,
    /// A number.
    Number,
    /// `"…"`
    Text,
    /// Punctuation.
    Sign,
    /// An atom in backquotes, in M2L.
    Atom,
    /// A comment.
    Comment,
    /// What no word begins with, or a string that does not end.
    Odd,
}

impl Token {
    /// Its text.
    #[must_use]
    pub fn text<'t>(&self, source: &'t str) -> &'t str {
        source.get(self.span.start..self.span.end).unwrap_or_default()
    }
}

/// The words and comments of a stretch of a text, in their order. Between two of them is nothing, or white space.
///
/// # Panics
/// If the span does not lie in the source, or cuts a character.
#[must_use]
pub fn tokens(source: &str, span: Span, logic: Logic) -> Vec<Token> {
    let mut found = Vec::new();
    let mut at = span.start;
    loop {
        let rest = &source[at..span.end];
        at += rest.len() - rest.trim_start_matches(is_blank).len();
        let rest = &source[at..span.end];
        if rest.is_empty() {
            return found;
        }
        let (kind, length) = match comment(rest, logic) {
            Some(length) => (TokenKind::Comment, length),
            None => match logic.dialect() {
                Some(dialect) => next(source, Span::new(at, span.end), dialect),
                None => m2l::word_at(rest).unwrap_or((TokenKind::Odd, odd_length(rest))),
            },
        };
        found.push(Token { kind, span: Span::new(at, at + length) });
        at += length;
    }
}

/// Blanks, and the mark that some editors put before the first line.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// The length of the comment that a text starts with.
fn comment(rest: &str, logic: Logic) -> Option<usize> {
    let line = || rest.find('\n').unwrap_or(rest.len());
    let line = || rest[..line()].trim_end().len();
    if rest.starts_with("//") || logic == Logic::M2l && rest.starts_with('#') {
        return Some(line());
    }
    let inside = rest.strip_prefix("/*").filter(|_| logic == Logic::M2l)?;
    Some(inside.find("*/").map_or(rest.len(), |end| end + 4))
}

/// How much of a text to leave alone: a string that does not end goes to the end of its line.
fn odd_length(rest: &str) -> usize {
    let first = rest.chars().next().map_or(0, char::len_utf8);
    match rest.starts_with(['"', '`']) || rest.starts_with("$\"") {
        true => rest[..rest.find('\n').unwrap_or(rest.len())].trim_end().len().max(first),
        false => first,
    }
}

fn next(source: &str, span: Span, dialect: crate::parse::Dialect) -> (TokenKind, usize) {
    let paths = |word: &str| !(EVERYWHERE.contains(&word) || dialect.words().contains(&word));
    let psl = dialect.flavour();
    let mut lexer = Lexer { source, at: span.start, end: span.end, paths, psl, literals: None };
    let odd = (TokenKind::Odd, odd_length(&source[span.start..span.end]));
    let Ok((token, found)) = lexer.next() else { return odd };
    let kind = match token {
        lex::Token::Name(_) => TokenKind::Name,
        lex::Token::Quoted(_) => TokenKind::Quoted,
        lex::Token::Key(_) => TokenKind::Key,
        lex::Token::Number(_) => TokenKind::Number,
        lex::Token::Text(_) => TokenKind::Text,
        lex::Token::Sign(_) => TokenKind::Sign,
        lex::Token::End => return odd,
    };
    (kind, found.end - found.start)
}

/// Whether a definition, a parameter or a loop variable can be called so: it is one word, and no logic reserves it.
#[must_use]
pub fn is_name(text: &str) -> bool {
    lex::is_plain_name(text) && !text.contains(['.', '[']) && !is_reserved(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(source: &str, logic: Logic) -> Vec<(TokenKind, &str)> {
        let all = tokens(source, Span::new(0, source.len()), logic);
        all.iter().map(|t| (t.kind, t.text(source))).collect()
    }

    #[test]
    fn every_text_has_words_and_comments() {
        use TokenKind::{Atom, Comment, Key, Name, Number, Odd, Quoted, Sign, Text};
        assert_eq!(
            cut("x[0].y->$k // c \r\n$\"a b\" 1.5 \"t\" é§ \"open", Logic::Ltl),
            [
                (Name, "x[0].y"),
                (Sign, "->"),
                (Key, "$k"),
                (Comment, "// c"),
                (Quoted, "$\"a b\""),
                (Number, "1.5"),
                (Text, "\"t\""),
                (Name, "é"),
                (Odd, "§"),
                (Odd, "\"open"),
            ]
        );
        let psl = [(Sign, "{"), (Name, "a"), (Sign, "[*"), (Sign, "]"), (Sign, "}"), (Sign, "|=>"), (Name, "next!")];
        assert_eq!(cut("{a[*]}|=>next!", Logic::Psl), psl);
        let m2l =
            [(Name, "p'"), (Name, "in"), (Atom, "`x == 1`"), (Comment, "# c"), (Comment, "/* d\n*/"), (Odd, "`e")];
        assert_eq!(cut("p' in `x == 1` # c\n/* d\n*/ `e", Logic::M2l), m2l);
    }

    #[test]
    fn names_are_one_word_that_nothing_reserves() {
        for (text, is) in [("a", true), ("été_2", true), ("a.b", false), ("a[0]", false), ("G", false), ("", false)] {
            assert_eq!(is_name(text), is, "{text}");
        }
        assert!(!is_name("event") && !is_name("a b") && !is_name("a ") && is_name("next"));
    }
}
