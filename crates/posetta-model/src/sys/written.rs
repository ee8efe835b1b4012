//! System files as they are written, broken or not: their words with comments, and their items with names.
//!
//! For editors and formatters, as [`posetta_logic::written`] is for property files.

use super::lex;
use super::parse::{ITEMS, SECTIONS};
use posetta_base::Span;
use posetta_logic::written::{Named, Token, TokenKind, words::Word};

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// `const N = 10`
    Constant,
    /// `component C { … }`
    Component,
    /// `system S = …`
    System,
}

/// An item, or the part of one that is written already.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// From its first word to its last.
    pub span: Span,
    /// What it is called.
    pub name: Option<Named>,
    /// Its words without the comments, as places in [`tokens`].
    pub words: std::ops::Range<usize>,
}

/// The words and comments of a text, in their order. Between two of them is nothing, or white space.
#[must_use]
pub fn tokens(source: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < source.len() {
        let rest = &source[at..];
        let blank = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
        if blank > 0 {
            at += blank;
            continue;
        }
        let (kind, length) = if rest.starts_with("//") {
            (TokenKind::Comment, rest[..rest.find('\n').unwrap_or(rest.len())].trim_end().len())
        } else {
            match lex::next(rest) {
                Some((lex::Token::Word(_), length)) => (TokenKind::Name, length),
                Some((lex::Token::Number(_), length)) => (TokenKind::Number, length),
                Some((lex::Token::Text(_), length)) => (TokenKind::Text, length),
                Some((lex::Token::Sign(_), length)) => (TokenKind::Sign, length),
                Some((lex::Token::Odd(_) | lex::Token::End, length)) => (TokenKind::Odd, length),
                // A string that does not end in its line.
                None => (TokenKind::Odd, rest[..rest.find('\n').unwrap_or(rest.len())].trim_end().len().max(1)),
            }
        };
        found.push(Token { kind, span: Span::new(at, at + length) });
        at += length;
    }
    found
}

/// The items of a text: from a word that begins one, at the start of a line, to the next.
#[must_use]
pub fn items(source: &str, tokens: &[Token]) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut end = 0;
    for (place, token) in tokens.iter().enumerate() {
        let starts_line = source[end..token.span.start].contains('\n') || end == 0;
        end = token.span.end;
        let text = token.text(source);
        if token.kind == TokenKind::Name && starts_line && ITEMS.contains(&text) {
            let kind = match text {
                "const" => ItemKind::Constant,
                "component" => ItemKind::Component,
                _ => ItemKind::System,
            };
            let name = tokens.get(place + 1).and_then(|next| named(source, next));
            items.push(Item { kind, span: token.span, name, words: place..place + 1 });
        } else if let (Some(item), false) = (items.last_mut(), token.kind == TokenKind::Comment) {
            item.span.end = token.span.end;
            item.words.end = place + 1;
        }
    }
    items
}

fn named(source: &str, token: &Token) -> Option<Named> {
    let text = token.text(source);
    let name = match token.kind {
        TokenKind::Name => text.to_owned(),
        TokenKind::Text => text.get(1..text.len() - 1)?.replace("\\\"", "\"").replace("\\\\", "\\"),
        _ => return None,
    };
    Some(Named { name, span: token.span })
}

const fn word(text: &'static str, usage: &'static str, says: &'static str) -> Word {
    Word { text, usage, says }
}

/// Every word of the language, with what it is for.
pub const WORDS: &[Word] = &[
    word("const", "const N = 10", "A number with a name."),
    word("component", "component C(i in 0..N-1) { … }", "A component, or one for each number."),
    word("system", "system S = A || B", "Components side by side, which synchronise on the actions they share."),
    word(
        "observable",
        "observable a, b",
        "Actions that are seen from outside; so is every action that is not declared.",
    ),
    word("internal", "internal a, b", "Actions that are not seen from outside; they synchronise as all others do."),
    word("lts", "lts { init s; s -a-> t }", "A transition system: states, and arcs with actions."),
    word("net", "net { p = 1; t: p -> q }", "A place/transition net: tokens, and transitions that move them."),
    word("language", "language (a b)*", "What a regular expression over actions says, and all beginnings of that."),
    word("m2l", "m2l \"all1 p: …\"", "What a formula of M2L over the component's actions says."),
    word("import", "import \"file.aut\"", "A transition system or a net from another file."),
    word("init", "init s", "The state in which the transition system begins."),
    word("for", "for i in 0..N-1 { … }", "Repeats what stands in the braces for every number."),
    word("in", "i in 0..N-1", "The numbers that a variable goes over, both ends included."),
    word("if", "for i in 0..N-1 if i != j { … }", "Only the numbers for which the condition holds."),
    word("where", "where { a -> b }", "Gives actions new names, or makes them internal, in everything before it."),
    word("empty", "language a | empty", "The sequence without actions."),
    word("||", "A || B", "Side by side: shared actions take place in both at the same time."),
    word("->", "s -a-> t", "The end of an arc; in a net what a transition puts; in `where` a new name."),
];

/// All words that the parser knows.
#[must_use]
pub fn all_words() -> std::collections::BTreeSet<&'static str> {
    let own = WORDS.iter().map(|word| word.text).filter(|text| text.starts_with(char::is_alphabetic));
    own.chain(ITEMS).chain(SECTIONS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_has_words_and_items() {
        let source = "// c\nconst N = 3 // d\ncomponent \"odd \\\"name\"(i in 0..N) { lts { init s\n  s -a[i]-> t } }\n system S = § || \"open";
        let words = tokens(source);
        let odd: Vec<&str> = words.iter().filter(|t| t.kind == TokenKind::Odd).map(|t| t.text(source)).collect();
        assert_eq!(odd, ["§", "\"open"]);
        let items = items(source, &words);
        let shown: Vec<(ItemKind, &str)> =
            items.iter().map(|i| (i.kind, i.name.as_ref().map_or("", |n| n.name.as_str()))).collect();
        let expected = [(ItemKind::Constant, "N"), (ItemKind::Component, "odd \"name"), (ItemKind::System, "S")];
        assert_eq!(shown, expected);
        assert_eq!(&source[items[0].span.start..items[0].span.end], "const N = 3");
        assert!(tokens("").is_empty() && tokens(" \u{feff}\n").is_empty());
    }

    #[test]
    fn what_the_parser_knows_is_said() {
        let has = |text: &str| WORDS.iter().any(|word| word.text == text);
        assert!(ITEMS.into_iter().chain(SECTIONS).all(has));
        for word in WORDS {
            assert!(word.usage.contains(word.text) && word.says.ends_with('.'), "{word:?}");
        }
    }
}
