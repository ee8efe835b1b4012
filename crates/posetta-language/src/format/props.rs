//! Property files: the gaps between words, by the logic that they are written in.

use super::{Bracket, Gap, Piece};
use posetta_base::Span;
use posetta_logic::written::words::operators;
use posetta_logic::written::{Logic, Part, PartKind, Token, TokenKind, parts, reads_as, tokens};

/// The words of a property file.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let mut cutter = Cutter { text, pieces: Vec::new() };
    cutter.block(&parts(text), Span::new(0, text.len()));
    cutter.pieces
}

struct Cutter<'t> {
    text: &'t str,
    pieces: Vec<Piece>,
}

impl Cutter<'_> {
    /// The items of a stretch, and the comments between them.
    fn block(&mut self, parts: &[Part], span: Span) {
        let mut at = span.start;
        for part in parts {
            self.stretch(Span::new(at, part.span.start), Logic::Ltl);
            self.part(part);
            at = part.span.end;
        }
        self.stretch(Span::new(at, span.end), Logic::Ltl);
    }

    fn part(&mut self, part: &Part) {
        let first = self.pieces.len();
        match part.kind {
            PartKind::Foreach if part.block.is_some() => {
                let block = part.block.unwrap_or(part.span);
                self.stretch(Span::new(part.span.start, block.start), Logic::Ltl);
                if let Some(brace) = self.pieces.last_mut() {
                    brace.bracket = Bracket::OpensBlock;
                    brace.gap = Gap::Blank;
                }
                self.block(&part.parts, block);
                self.stretch(Span::new(block.end, part.span.end), Logic::Ltl);
            }
            PartKind::Property | PartKind::Let => {
                self.stretch(Span::new(part.span.start, part.body.start), Logic::Ltl);
                self.align(first);
                match part.logic.or_else(|| reads_as(self.text, part.body)) {
                    Some(Logic::M2l) => self.verbatim(part.body, Logic::M2l),
                    Some(logic) => self.stretch(part.body, logic),
                    None => self.verbatim(part.body, Logic::Ltl),
                }
                self.stretch(Span::new(part.body.end, part.span.end), Logic::Ltl);
            }
            PartKind::Odd => self.verbatim(part.span, Logic::Ltl),
            PartKind::Monitor => {
                self.stretch(part.span, Logic::Ltl);
                self.colons(first);
            }
            _ => self.stretch(part.span, Logic::Ltl),
        }
        // What the lexer refuses is not to be touched, and what is around it neither.
        if part.kind != PartKind::Foreach && self.pieces[first..].iter().any(|p| p.token.kind == TokenKind::Odd) {
            self.pieces[first..].iter_mut().for_each(|piece| piece.verbatim = true);
        }
        if let Some(piece) = self.pieces.get_mut(first) {
            piece.starts_item = part.kind != PartKind::Odd;
        }
    }

    /// The `=` of an item, if it is in its first line.
    fn align(&mut self, first: usize) {
        let text = self.text;
        let Some(equals) = self.pieces[first..].iter_mut().find(|piece| piece.token.text(text) == "=") else { return };
        equals.aligns = true;
    }

    /// The colons of a monitor's edges are words of it, which formulas do not have.
    fn colons(&mut self, first: usize) {
        let text = self.text;
        let mut behind = false;
        for piece in &mut self.pieces[first..] {
            if behind && piece.token.kind != TokenKind::Comment {
                piece.gap = Gap::Blank;
            }
            behind = piece.token.text(text) == ":";
            if behind {
                piece.token.kind = TokenKind::Sign;
            }
        }
    }

    fn verbatim(&mut self, span: Span, logic: Logic) {
        let found = tokens(self.text, span, logic);
        self.pieces.extend(found.into_iter().map(|token| Piece { verbatim: true, ..Piece::new(token) }));
    }

    fn stretch(&mut self, span: Span, logic: Logic) {
        for token in tokens(self.text, span, logic) {
            let before = self.pieces.last().map(|piece| piece.token);
            let gap = before.map_or(Gap::AsWritten, |before| self.gap(before, token, logic));
            let bracket = match token.text(self.text) {
                _ if token.kind != TokenKind::Sign => Bracket::None,
                "(" | "{" | "[" | "[*" | "[+" | "[->" | "[=" => Bracket::Opens,
                ")" | "}" | "]" => Bracket::Closes,
                _ => Bracket::None,
            };
            self.pieces.push(Piece { gap, bracket, ..Piece::new(token) });
        }
    }

    /// What stands between two words of one line.
    fn gap(&self, before: Token, after: Token, logic: Logic) -> Gap {
        if after.kind == TokenKind::Comment {
            return Gap::AsWide;
        }
        let sign = |token: Token| if token.kind == TokenKind::Sign { token.text(self.text) } else { "" };
        let psl = logic == Logic::Psl;
        let is_binary = |sign: &str| match sign {
            "&&" | "||" | "->" | "<->" | "<=>" | "=>" | "==" | "!=" | "<=" | ">=" | "=" | "&" | "|" | "|->" | "|=>" => {
                true
            }
            // In PSL angles are brackets, too.
            "<" | ">" => !psl,
            _ => false,
        };
        match (sign(before), sign(after)) {
            (_, ")" | "]" | "," | ";") | ("(" | "[" | "[*" | "[->" | "[=", _) => Gap::Nothing,
            ("," | ";", _) => Gap::Blank,
            (a, b) if is_binary(a) || is_binary(b) => Gap::Blank,
            ("!", _) if !psl => Gap::Nothing,
            (_, "(") if before.kind == TokenKind::Name => {
                let word = before.text(self.text);
                let is_operator = operators(logic).iter().any(|operator| operator.text == word);
                if is_operator { Gap::Blank } else { Gap::AsWritten }
            }
            _ => Gap::AsWritten,
        }
    }
}
