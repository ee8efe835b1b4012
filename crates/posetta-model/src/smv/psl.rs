//! `PSLSPEC`: the text of the formula is found here and read by [`posetta_logic`].

use std::collections::BTreeMap;

use super::lex::{Token, Words, lex};
use super::parse::{Parsed, Parser, is_section};
use super::tree::{NodeId, SpecTree};
use posetta_base::{Diagnostic, Kind, Span, Spanned};
use posetta_logic::{Atom, Formula, Property, View};

impl<'a> Parser<'a> {
    /// The formula up to a `;` or a section outside of all braces.
    pub(super) fn psl(&mut self) -> Parsed<SpecTree> {
        let first = self.here().1;
        let (mut end, mut depth) = (first.start, 0_i64);
        loop {
            let (token, span) = self.here();
            match token {
                Token::End => break,
                Token::Word(word) if depth <= 0 && is_section(word) => break,
                Token::Sign(";") if depth <= 0 => break,
                Token::Sign("{" | "(" | "[") => depth += 1,
                Token::Sign("}" | ")" | "]") => depth -= 1,
                _ => {}
            }
            end = span.end;
            self.advance();
        }
        if end == first.start {
            return Err(self.expected("a PSL formula"));
        }
        self.psl_in(Span::new(first.start, end))
    }

    fn psl_in(&mut self, span: Span) -> Parsed<SpecTree> {
        let text = self.without_comments(span);
        let moved = |d: Diagnostic| relocate(&d, &text, span.start);
        let property = match Property::psl_over(View::States, &text) {
            Ok(property) => property,
            Err(mistakes) => {
                let mut moved = mistakes.into_iter().map(moved);
                let last = moved.next_back();
                moved.for_each(|m| self.problems.push(Box::new(m)));
                let unread = || Spanned::new(Kind::Syntax, span, "this is not a PSL formula");
                return Err(last.map_or_else(unread, Box::new));
            }
        };
        let warnings = property.warnings.into_iter().map(moved).collect();
        let Formula::Psl(_, formula) = property.formula else {
            return Err(Spanned::new(Kind::Syntax, span, "this is not a PSL formula"));
        };
        let mut names: BTreeMap<String, Option<NodeId>> = BTreeMap::new();
        let mut found = Vec::new();
        drop(formula.map_atoms(&mut |atom: &Atom| {
            atom.for_each_var(&mut |var| {
                if names.insert(var.name.clone(), None).is_none() {
                    found.push((var.name.clone(), var.spot.0));
                }
            });
        }));
        let mut known = BTreeMap::new();
        for (name, spot) in found {
            if let Some(node) = self.psl_name(&name, spot, span) {
                known.insert(name, node);
            }
        }
        Ok(SpecTree::Psl { formula, names: known, start: span.start, warnings })
    }

    /// A name of the formula as an expression of this language.
    fn psl_name(&mut self, name: &str, spot: Span, inside: Span) -> Option<NodeId> {
        // The name as it stands in the model, where it was probably written.
        let near = self.source.get(inside.start + spot.start..inside.end)?;
        let at = near.find(name).map(|i| inside.start + spot.start + i);
        let at = at.or_else(|| Some(inside.start + self.source.get(inside.start..inside.end)?.find(name)?))?;
        let mut words: Words<'a> = lex(self.source.get(at..at + name.len())?).ok()?;
        for (_, span) in &mut words.words {
            *span = Span::new(span.start + at, span.end + at);
        }
        self.name_inside(words)
    }

    /// A stretch of the source with blanks for comments.
    fn without_comments(&self, span: Span) -> String {
        let mut text = String::new();
        let mut at = span.start;
        let from = self.words.comments.partition_point(|c| c.start < span.start);
        for comment in self.words.comments[from..].iter().take_while(|c| c.start < span.end) {
            text.push_str(&self.source[at..comment.start]);
            let kept = |b: u8| if b == b'\n' { '\n' } else { ' ' };
            text.extend(self.source[comment.start..comment.end.min(span.end)].bytes().map(kept));
            at = comment.end.min(span.end);
        }
        text.push_str(&self.source[at..span.end]);
        text
    }
}

/// A mistake in a part of a text, as one of the whole.
fn relocate(diagnostic: &Diagnostic, part: &str, start: usize) -> Spanned {
    let span = diagnostic.place.as_deref().map_or(Span::new(start, start + part.len()), |place| {
        let lines = usize::try_from(place.line).unwrap_or(1).saturating_sub(1);
        let line_start: usize = part.split_inclusive('\n').take(lines).map(str::len).sum();
        let line = &part[line_start..];
        let bytes = |chars: u64| -> usize {
            line.chars().take(usize::try_from(chars).unwrap_or(usize::MAX)).map(char::len_utf8).sum()
        };
        let column = place.column.saturating_sub(1);
        Span::new(start + line_start + bytes(column), start + line_start + bytes(column.saturating_add(place.width)))
    });
    Spanned {
        kind: diagnostic.kind,
        span,
        message: diagnostic.message.clone(),
        label: diagnostic.label.clone(),
        help: diagnostic.help.clone(),
    }
}
