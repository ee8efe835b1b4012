//! A text in its usual form: blanks, indentation and empty lines. Words, comments and line breaks stay as they are.
//!
//! A text becomes [`Piece`]s: words and comments, with what the language says about the gap before each ([`props`], [`system`]). Then lines are
//! written one by one ([`Writer`]). A line is as deep as the brackets that were opened before it, where those of one line count once; what goes on with
//! an item is one level deeper than its beginning. What has words that the lexer refuses, and formulas of M2L, stay as they are written.
//!
//! Blanks can make two words one, or one two, and where a line begins decides what an item is. So the result is cut into words again, and
//! thrown away if they or the items are others.

mod props;
mod system;

use crate::document::{Document, Language};
use crate::lines::Range;
use posetta_base::Span;
use posetta_logic::written::{Token, TokenKind};

/// A change of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is taken out.
    pub range: Range,
    /// What is put in.
    pub text: String,
}

/// The document in its usual form; `None` if it has that already.
#[must_use]
pub fn format(document: &Document) -> Option<String> {
    let text = document.text();
    let pieces = pieces(document.language, text);
    let formatted = Writer::new(text, &pieces).write();
    let words = |text: &str, pieces: &[Piece]| -> Vec<(String, bool)> {
        pieces.iter().map(|p| (p.token.text(text).to_owned(), p.starts_item)).collect()
    };
    let same = words(text, &pieces) == words(&formatted, &self::pieces(document.language, &formatted));
    (same && formatted != text).then_some(formatted)
}

fn pieces(language: Language, text: &str) -> Vec<Piece> {
    match language {
        Language::Props => props::pieces(text),
        Language::Sys => system::pieces(text),
    }
}

/// The change that makes a document another text; `None` if there is nothing to change.
#[must_use]
pub fn edit_between(document: &Document, to: &str) -> Option<Edit> {
    let from = document.text();
    let same = |(a, b): &(char, char)| a == b;
    let start: usize = from.chars().zip(to.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (rest, new) = (&from[start..], &to[start..]);
    let end: usize = rest.chars().rev().zip(new.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let text = new[..new.len() - end].to_owned();
    let span = Span::new(start, from.len() - end);
    (span.start < span.end || !text.is_empty()).then(|| Edit { range: document.range(span), text })
}

/// What stands before a word of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    Nothing,
    Blank,
    /// One blank if there is any.
    AsWritten,
    /// As many as there are, at least one: before a comment.
    AsWide,
}

/// A word with what the language says about it.
#[derive(Clone, Copy, Debug)]
struct Piece {
    token: Token,
    gap: Gap,
    /// An item begins here.
    starts_item: bool,
    /// It opens a bracket, or closes one.
    bracket: Bracket,
    /// Its line stays as it is.
    verbatim: bool,
    /// The `=` of an item, which neighbours may have in one column.
    aligns: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bracket {
    None,
    Opens,
    /// Items stand inside.
    OpensBlock,
    Closes,
}

impl Piece {
    fn new(token: Token) -> Self {
        Self { token, gap: Gap::AsWritten, starts_item: false, bracket: Bracket::None, verbatim: false, aligns: false }
    }
}

/// A bracket that is open.
struct Open {
    /// How deep the lines inside are.
    level: usize,
    is_block: bool,
}

/// A line of the result.
struct Line {
    text: String,
    /// Where its `=` is: in the source, in characters; in the result, in bytes.
    aligns: Option<(usize, usize)>,
    /// It has only a comment, and is as deep as the next line.
    is_comment: bool,
    level: usize,
    /// The level of its comments: those before a closing bracket belong to what is inside.
    comments: usize,
    verbatim: bool,
}

struct Writer<'t> {
    text: &'t str,
    pieces: &'t [Piece],
    open: Vec<Open>,
}

impl<'t> Writer<'t> {
    fn new(text: &'t str, pieces: &'t [Piece]) -> Self {
        Self { text, pieces, open: Vec::new() }
    }

    fn write(mut self) -> String {
        let mut lines: Vec<Option<Line>> = Vec::new();
        let mut at = 0;
        let mut start = 0;
        for end in self.text.match_indices('\n').map(|(end, _)| end).chain([self.text.len()]) {
            let first = at;
            while at < self.pieces.len() && self.pieces[at].token.span.start < end {
                at += 1;
            }
            lines.push(self.line(Span::new(start, end), &self.pieces[first..at]));
            start = end + 1;
        }
        let lines = settled(lines);
        let newline = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let mut out = String::with_capacity(self.text.len());
        if self.text.starts_with('\u{feff}') {
            out.push('\u{feff}');
        }
        for line in lines {
            out.push_str(&line);
            out.push_str(newline);
        }
        out
    }

    /// A line of the source; `None` if it is empty.
    fn line(&mut self, span: Span, pieces: &[Piece]) -> Option<Line> {
        let source = self.text[span.start..span.end].trim_end();
        let source = source.trim_start_matches('\u{feff}');
        if source.trim().is_empty() {
            return None;
        }
        if pieces.first().is_some_and(|piece| piece.starts_item) {
            // What the item before has left open ends with it.
            while self.open.last().is_some_and(|open| !open.is_block) {
                self.open.pop();
            }
        }
        let level = self.level(pieces);
        let verbatim = pieces.is_empty() || pieces.iter().any(|piece| piece.verbatim);
        let comments = self.open.last().map_or(0, |open| open.level);
        let closes = pieces.first().is_some_and(|piece| piece.bracket == Bracket::Closes);
        let mut line = Line {
            text: String::new(),
            aligns: None,
            is_comment: pieces.iter().all(|piece| piece.token.kind == TokenKind::Comment) && !verbatim,
            level,
            comments: if closes { comments } else { level },
            verbatim,
        };
        let mut before: Option<&Piece> = None;
        for piece in pieces {
            if let Some(before) = before {
                let written = piece.token.span.start - before.token.span.end;
                let blanks = match piece.gap {
                    Gap::Nothing => 0,
                    Gap::Blank => 1,
                    Gap::AsWritten => written.min(1),
                    Gap::AsWide => self.text[before.token.span.end..piece.token.span.start].chars().count().max(1),
                };
                line.text.extend(std::iter::repeat_n(' ', blanks));
            }
            if piece.aligns && !verbatim && line.aligns.is_none() {
                let column = self.text[span.start..piece.token.span.start].chars().count();
                line.aligns = Some((column, line.text.len()));
            }
            line.text.push_str(piece.token.text(self.text).trim_end());
            before = Some(piece);
        }
        if verbatim {
            line.text = source.to_owned();
        }
        let goes_on = self.open.last().is_none_or(|open| open.is_block) && !closes;
        self.brackets(pieces, level, goes_on && !pieces.first().is_some_and(|piece| piece.starts_item));
        Some(line)
    }

    /// How deep a line is.
    fn level(&self, pieces: &[Piece]) -> usize {
        let closed = pieces.iter().take_while(|piece| piece.bracket == Bracket::Closes).count();
        if closed > 0 {
            // As deep as the line that opened the last of them.
            let last = self.open.len().checked_sub(closed).and_then(|at| self.open.get(at));
            return last.map_or(0, |open| open.level.saturating_sub(1));
        }
        let inside = self.open.last().map_or(0, |open| open.level);
        let goes_on = self.open.last().is_none_or(|open| open.is_block);
        match pieces.first() {
            Some(piece) if piece.starts_item || !goes_on => inside,
            _ => inside + 1,
        }
    }

    /// Follows the brackets of a line. A brace in a line that goes on with an item is as deep as the item: so is what stands inside of
    /// `foreach … {`, on whatever line that begins.
    fn brackets(&mut self, pieces: &[Piece], level: usize, goes_on: bool) {
        for piece in pieces {
            let is_brace = piece.token.text(self.text) == "{";
            match piece.bracket {
                Bracket::Opens if is_brace && goes_on => self.open.push(Open { level, is_block: false }),
                Bracket::None => {}
                Bracket::Opens => self.open.push(Open { level: level + 1, is_block: false }),
                Bracket::OpensBlock => self.open.push(Open { level: level + 1, is_block: true }),
                // Only a brace ends a block.
                Bracket::Closes
                    if piece.token.text(self.text) != "}" && self.open.last().is_some_and(|o| o.is_block) => {}
                Bracket::Closes => drop(self.open.pop()),
            }
        }
    }
}

/// The lines with their blanks before them: no empty line at the ends, at most one in a row, comments as deep as what follows.
fn settled(mut lines: Vec<Option<Line>>) -> Vec<String> {
    let mut below = None;
    for line in lines.iter_mut().rev().flatten() {
        if line.is_comment {
            line.level = below.unwrap_or(0);
        } else {
            below = Some(line.comments);
        }
    }
    align(&mut lines);
    let mut out: Vec<String> = Vec::with_capacity(lines.len());
    for line in lines {
        match line {
            None if out.last().is_none_or(String::is_empty) => {}
            None => out.push(String::new()),
            Some(line) if line.verbatim => out.push(line.text),
            Some(line) => out.push(format!("{}{}", "  ".repeat(line.level), line.text)),
        }
    }
    while out.last().is_some_and(String::is_empty) {
        out.pop();
    }
    out
}

/// Neighbours whose `=` is in one column keep it in one.
fn align(lines: &mut [Option<Line>]) {
    let column = |line: &Option<Line>| line.as_ref().and_then(|line| Some((line.aligns?.0, line.level)));
    let mut at = 0;
    while at < lines.len() {
        let Some(first) = column(&lines[at]) else {
            at += 1;
            continue;
        };
        let length = lines[at..].iter().take_while(|line| column(line) == Some(first)).count();
        // A neighbour with another column says that nothing was aligned.
        let alone = |line: Option<&Option<Line>>| line.and_then(column).is_none_or(|(_, level)| level != first.1);
        if length > 1 && alone(at.checked_sub(1).and_then(|before| lines.get(before))) && alone(lines.get(at + length))
        {
            let group = &mut lines[at..at + length];
            let width = |line: &Line, end: usize| line.text[..end].trim_end().chars().count();
            let widest =
                group.iter().flatten().filter_map(|l| l.aligns.map(|(_, end)| width(l, end))).max().unwrap_or(0);
            for line in group.iter_mut().flatten() {
                if let Some((_, end)) = line.aligns {
                    let blanks = widest + 1 - width(line, end);
                    line.text = format!("{}{}{}", line.text[..end].trim_end(), " ".repeat(blanks), &line.text[end..]);
                }
            }
        }
        at += length;
    }
}

#[cfg(test)]
mod tests;
