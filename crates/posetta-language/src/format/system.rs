//! System files: the gaps between words. Arcs and sums stay as they are written.

use super::{Bracket, Gap, Piece};
use posetta_logic::written::{Token, TokenKind};
use posetta_model::sys::written::{items, tokens};

/// The words of a system file.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let words = tokens(text);
    let items = items(text, &words);
    let mut pieces: Vec<Piece> = Vec::with_capacity(words.len());
    for token in words {
        let gap = pieces.last().map_or(Gap::AsWritten, |before| gap(text, before.token, token));
        let bracket = match token.text(text) {
            _ if token.kind != TokenKind::Sign => Bracket::None,
            "(" | "{" | "[" => Bracket::Opens,
            ")" | "}" | "]" => Bracket::Closes,
            _ => Bracket::None,
        };
        pieces.push(Piece { gap, bracket, ..Piece::new(token) });
    }
    for item in items {
        let words = &mut pieces[item.words];
        if words.iter().any(|piece| piece.token.kind == TokenKind::Odd) {
            words.iter_mut().for_each(|piece| piece.verbatim = true);
        }
        words[0].starts_item = true;
    }
    pieces
}

fn gap(text: &str, before: Token, after: Token) -> Gap {
    if after.kind == TokenKind::Comment {
        return Gap::AsWide;
    }
    let sign = |token: Token| if token.kind == TokenKind::Sign { token.text(text) } else { "" };
    let is_binary = |sign: &str| matches!(sign, "||" | "&&" | "==" | "!=" | "<=" | ">=" | "=");
    match (sign(before), sign(after)) {
        ("{", "}") => Gap::AsWritten,
        (_, ")" | "]" | "," | ";") | ("(" | "[", _) => Gap::Nothing,
        ("," | ";" | ":", _) => Gap::Blank,
        ("{", _) | (_, "{" | "}") => Gap::Blank,
        (a, b) if is_binary(a) || is_binary(b) => Gap::Blank,
        _ => Gap::AsWritten,
    }
}
