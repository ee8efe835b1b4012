//! Properties: a formula with a name, as written on the command line or in a `.props` file.
//!
//! In a property file an item starts with `property`, `let` or `import` at the start of a line and ends before the next
//! such line, so a mistake in one item leaves the others readable and all of them are reported together.

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::ctl::Ctl;
use super::lex::{Lexer, Token};
use super::ltl::Ltl;
use super::parse::{ctl_in, ltl_in};
use crate::base::{Diagnostic, Kind, Place, Span};

/// Which positions a linear formula reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum View {
    /// Positions 0..n: the initial state, then the state after each event.
    #[default]
    States,
    /// Positions 1..n: the events only.
    Events,
}

/// What a property demands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// A linear formula, for every run.
    Ltl(View, Ltl),
    /// A branching formula, at the empty cut.
    Ctl(Ctl),
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ltl(_, formula) => formula.fmt(f),
            Self::Ctl(formula) => formula.fmt(f),
        }
    }
}

/// A property and where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name, if it was given one.
    pub name: Option<String>,
    /// What it demands.
    pub formula: Formula,
    /// The whole text that it was written in; spans in the formula refer to it.
    pub source: Arc<str>,
    /// The formula's own part of the source.
    pub span: Span,
}

impl Property {
    fn unnamed(source: &str, formula: Formula) -> Self {
        Self { name: None, formula, source: source.into(), span: Span::new(0, source.len()) }
    }

    /// An LTL formula over states.
    ///
    /// # Errors
    /// With the mistakes in the formula.
    pub fn ltl(source: &str) -> Result<Self, Vec<Diagnostic>> {
        Self::ltl_over(View::States, source)
    }

    /// An LTL formula over events.
    ///
    /// # Errors
    /// With the mistakes in the formula.
    pub fn ltl_over_events(source: &str) -> Result<Self, Vec<Diagnostic>> {
        Self::ltl_over(View::Events, source)
    }

    /// An LTL formula.
    ///
    /// # Errors
    /// With the mistakes in the formula.
    pub fn ltl_over(view: View, source: &str) -> Result<Self, Vec<Diagnostic>> {
        let formula = ltl_in(source, Span::new(0, source.len()))?;
        Ok(Self::unnamed(source, Formula::Ltl(view, formula)))
    }

    /// A CTL formula.
    ///
    /// # Errors
    /// With the mistakes in the formula.
    pub fn ctl(source: &str) -> Result<Self, Vec<Diagnostic>> {
        let formula = ctl_in(source, Span::new(0, source.len()))?;
        Ok(Self::unnamed(source, Formula::Ctl(formula)))
    }

    /// `ltl` or `ctl`.
    #[must_use]
    pub fn logic(&self) -> &'static str {
        match self.formula {
            Formula::Ltl(..) => "ltl",
            Formula::Ctl(_) => "ctl",
        }
    }

    /// A diagnostic about a stretch of this property's source.
    pub(crate) fn mistake(&self, kind: Kind, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(kind, message).at(Place::in_text(&self.source, span))
    }
}

/// The words that start an item at the start of a line.
const ITEMS: [&str; 3] = ["property", "let", "import"];

fn starts_item(line: &str) -> Option<&'static str> {
    ITEMS
        .into_iter()
        .find(|w| line.strip_prefix(w).is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace)))
}

/// The spans of the items, with their first words; what stands before the first item comes first, without a word.
fn items(source: &str) -> Vec<(Option<&'static str>, Span)> {
    let mut items = vec![(None, Span::new(0, source.len()))];
    let mut at = source.len() - source.trim_start_matches('\u{feff}').len();
    for line in source[at..].split_inclusive('\n') {
        if let Some(word) = starts_item(line) {
            if let Some((_, span)) = items.last_mut() {
                span.end = at;
            }
            items.push((Some(word), Span::new(at, source.len())));
        }
        at += line.len();
    }
    items
}

/// Reads a property file.
///
/// # Errors
/// With the mistakes of every item.
pub fn read_props(source: &str) -> Result<Vec<Property>, Vec<Diagnostic>> {
    let text: Arc<str> = source.into();
    let (mut properties, mut mistakes): (Vec<Property>, Vec<Diagnostic>) = (Vec::new(), Vec::new());
    let mut first_of: FxHashMap<String, Span> = FxHashMap::default();
    for (word, span) in items(source) {
        let mut item = Item::new(&text, span);
        let read = match word {
            None => item.nothing().map(|()| None).map_err(|e| vec![e]),
            Some("property") => item.property().map(Some),
            Some(word) => Err(vec![item.unsupported(word)]),
        };
        match read {
            Ok(None) => {}
            Ok(Some((property, name_span))) => {
                let name = property.name.clone().unwrap_or_default();
                if let Some(&first) = first_of.get(&name) {
                    let line = Place::in_text(source, first).line;
                    mistakes.push(
                        property
                            .mistake(Kind::DuplicateProperty, name_span, format!("two properties are called `{name}`"))
                            .label(format!("the first one is in line {line}")),
                    );
                }
                first_of.entry(name).or_insert(property.span);
                properties.push(property);
            }
            Err(more) => mistakes.extend(more),
        }
    }
    if mistakes.is_empty() { Ok(properties) } else { Err(mistakes) }
}

/// The head of one item, read word by word.
struct Item<'a> {
    text: &'a Arc<str>,
    lexer: Lexer<'a, fn(&str) -> bool>,
}

impl<'a> Item<'a> {
    fn new(text: &'a Arc<str>, span: Span) -> Self {
        Self { text, lexer: Lexer { source: text, at: span.start, end: span.end, paths: |_| true } }
    }

    fn mistake(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Kind::Syntax, message).at(Place::in_text(self.text, span))
    }

    /// Before the first item only blanks and comments may stand.
    fn nothing(&mut self) -> Result<(), Diagnostic> {
        match self.lexer.next()? {
            (Token::End, _) => Ok(()),
            (token, span) => Err(self
                .mistake(span, format!("expected a property, found {}", token.describe()))
                .label("expected `property NAME = ltl …`, at the start of a line")),
        }
    }

    fn unsupported(&mut self, word: &str) -> Diagnostic {
        let span = Span::new(self.lexer.at, self.lexer.at + word.len());
        Diagnostic::new(Kind::Unsupported, format!("this version has no `{word}` items"))
            .at(Place::in_text(self.text, span))
            .label("expected `property NAME = ltl …`")
    }

    fn property(&mut self) -> Result<(Property, Span), Vec<Diagnostic>> {
        let (name, name_span) = self.head().map_err(|e| vec![e])?;
        let (view, logic_is_ltl) = self.logic().map_err(|e| vec![e])?;
        let body = self.body();
        let formula = if logic_is_ltl {
            Formula::Ltl(view, ltl_in(self.text, body)?)
        } else {
            Formula::Ctl(ctl_in(self.text, body)?)
        };
        Ok((Property { name: Some(name), formula, source: Arc::clone(self.text), span: body }, name_span))
    }

    /// What is left of the item, without the blanks around it.
    fn body(&self) -> Span {
        let rest = &self.text[self.lexer.at..self.lexer.end];
        let start = self.lexer.at + (rest.len() - rest.trim_start().len());
        Span::new(start, start.max(self.lexer.at + rest.trim_end().len()))
    }

    /// `property NAME =`
    fn head(&mut self) -> Result<(String, Span), Diagnostic> {
        self.lexer.next()?;
        let (name, name_span) = match self.lexer.next()? {
            (Token::Name(name) | Token::Text(name), span) => (name, span),
            (token, span) => {
                return Err(self
                    .mistake(span, format!("expected a name, found {}", token.describe()))
                    .label("expected `NAME = ltl …`"));
            }
        };
        match self.lexer.next()? {
            (Token::Sign("="), _) => Ok((name, name_span)),
            (token, span) => {
                Err(self.mistake(span, format!("expected `=`, found {}", token.describe())).label("expected `= ltl …`"))
            }
        }
    }

    /// `ltl`, `ltl over events`, `ctl`
    fn logic(&mut self) -> Result<(View, bool), Diagnostic> {
        let (token, span) = self.lexer.next()?;
        let is_ltl = match &token {
            Token::Name(word) if word == "ltl" => true,
            Token::Name(word) if word == "ctl" => false,
            Token::Name(word) if word == "psl" || word == "m2l" => {
                return Err(Diagnostic::new(Kind::Unsupported, format!("this version does not have the logic {word}"))
                    .at(Place::in_text(self.text, span))
                    .label("expected `ltl` or `ctl`"));
            }
            other => {
                return Err(self
                    .mistake(span, format!("expected a logic, found {}", other.describe()))
                    .label("expected `ltl` or `ctl`")
                    .help("as in `property mutex = ltl G !(a == 1 && b == 1)`"));
            }
        };
        let before = self.lexer.at;
        let is_over = matches!(self.lexer.next()?, (Token::Name(word), _) if word == "over");
        // A variable may be called `over`; then an operator follows.
        if !is_over || matches!(self.lexer.next()?, (Token::Sign(_) | Token::End, _)) {
            self.lexer.at = before;
            return Ok((View::States, is_ltl));
        }
        self.lexer.at = before;
        self.lexer.next()?;
        if !is_ltl {
            return Err(self
                .mistake(Span::new(before, self.lexer.at), "CTL has no views: it speaks of cuts")
                .label("expected a formula"));
        }
        match self.lexer.next()? {
            (Token::Name(word), _) if word == "states" => Ok((View::States, true)),
            (Token::Name(word), _) if word == "events" => Ok((View::Events, true)),
            (token, span) => Err(self
                .mistake(span, format!("expected a view, found {}", token.describe()))
                .label("expected `states` or `events`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_items_across_lines_and_comments() {
        let source = "// two properties\nproperty mutex = ltl\n  G !(a == 1\n     && b == 1) // over states\n\nproperty \"odd name\" = ltl over events F on(x)\nproperty c = ctl AG (x < 2)\n";
        let properties = read_props(source).unwrap();
        let seen: Vec<_> = properties.iter().map(|p| (p.name.as_deref().unwrap(), p.formula.to_string())).collect();
        assert_eq!(
            seen,
            [
                ("mutex", "G !(a == 1 && b == 1)".to_owned()),
                ("odd name", "F on(x)".to_owned()),
                ("c", "AG (x < 2)".to_owned()),
            ]
        );
        assert!(matches!(properties[1].formula, Formula::Ltl(View::Events, _)));
    }

    #[test]
    fn reports_the_mistakes_of_every_item() {
        let source = "x = 1\nproperty a = ltl G (\nproperty b ltl p\nproperty c = psl p\nlet d = 1\nproperty e = ltl p\nproperty e = ltl q\nproperty f = ctl over events p\n";
        let mistakes = read_props(source).unwrap_err();
        let seen: Vec<_> = mistakes.iter().map(|d| (d.place.as_ref().unwrap().line, d.message.as_str())).collect();
        assert_eq!(
            seen,
            [
                (1, "expected a property, found `x`"),
                (2, "expected a formula, found the end"),
                (3, "expected `=`, found `ltl`"),
                (4, "this version does not have the logic psl"),
                (5, "this version has no `let` items"),
                (7, "two properties are called `e`"),
                (8, "CTL has no views: it speaks of cuts"),
            ]
        );
    }
}
