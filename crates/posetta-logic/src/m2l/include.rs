//! From texts to programs: a file with all that it includes, or a property.

use std::sync::Arc;

use super::Source;
use super::expr::Declaration;
use super::lex::{Token, lex};
use super::parse::Parser;
use super::resolve::Resolver;
use super::tree::{Mode, Program};
use crate::monitor::Guard;
use crate::parse::guard_in;
use crate::{Atom, Load, NoFile};
use posetta_base::{Diagnostic, Kind, Located, Mistakes, Span, Spanned};

/// Files inside files are read recursively; nobody needs more.
const DEEPEST: usize = 50;

/// A file may be included often, so that a few short files can stand for more than any memory holds.
const MOST_BYTES: usize = 64 << 20;

/// A text and what it is called.
pub(super) struct Text {
    pub(super) name: Arc<str>,
    pub(super) source: Arc<str>,
    /// Where its last word ends.
    pub(super) end: usize,
}

/// How the inside of backquotes is read: a stretch of a text. In property files it may use definitions.
pub(crate) type ReadAtom<'a> = dyn FnMut(&Arc<str>, Span) -> Result<Guard, Mistakes<Located>> + 'a;

/// Reads a MONA file and what it includes, which `load` finds.
///
/// # Errors
/// With the mistakes in syntax of all files, or, if there are none, those in names and types.
pub fn read_program(file: &str, source: &str, load: &mut Load<'_>) -> Result<Program, Mistakes<Located>> {
    let mut reader = Reader { texts: Vec::new(), declarations: Vec::new(), mistakes: Vec::new(), bytes: 0, load };
    let mode = reader.file(file.into(), source.into(), whole(source), Source::File, &mut Vec::new());
    let (texts, mut mistakes) = (reader.texts, reader.mistakes);
    let (Some(mode), true) = (mode, mistakes.is_empty()) else {
        mistakes.truncate(Spanned::ENOUGH);
        return Err(mistakes.into());
    };
    let mut alone = |text: &Arc<str>, span| guard_alone(&Arc::from(file), text, span);
    Resolver::new(&texts, Source::File, mode, &mut alone).program(reader.declarations)
}

fn whole(source: &str) -> Span {
    Span::new(0, source.len())
}

/// An atom without definitions.
fn guard_alone(file: &Arc<str>, text: &Arc<str>, span: Span) -> Result<Guard, Mistakes<Located>> {
    let located = |diagnostic| Located { file: Arc::clone(file), diagnostic };
    guard_in(text, span).map_err(|mistakes| mistakes.into_iter().map(located).collect())
}

/// Reads M2L as a property of runs: a formula, perhaps with definitions before it, whose free sets are atoms in backquotes.
///
/// # Errors
/// With the mistakes in syntax, or, if there are none, those in names and types.
pub fn parse_property(source: &str) -> Result<Program, Mistakes> {
    let mut alone = |text: &Arc<str>, span| guard_alone(&"".into(), text, span);
    lone(source, Source::Property, &mut alone)
}

/// Reads M2L as what a component does: as a property, whose atoms are the names of actions.
///
/// # Errors
/// With the mistakes in syntax, or, if there are none, those in names and types.
pub fn parse_component(source: &str) -> Result<Program, Mistakes> {
    let mut alone = |text: &Arc<str>, span| guard_alone(&"".into(), text, span);
    lone(source, Source::Component, &mut alone)
}

/// Reads M2L as a relation between two behaviours: as a property, in whose backquotes anything may stand. It is kept as an event of that name.
///
/// # Errors
/// With the mistakes in syntax, or, if there are none, those in names and types.
pub fn parse_relation(source: &str) -> Result<Program, Mistakes> {
    let mut as_it_is =
        |text: &Arc<str>, span: Span| Ok(Guard::Atom(Atom::Event(text[span.start..span.end].trim().to_owned())));
    lone(source, Source::Relation, &mut as_it_is)
}

/// Where a formula has atoms, backquotes included. Those in comments are none.
///
/// # Errors
/// With something that does not end.
pub fn atom_spans(source: &str) -> Result<Vec<Span>, Diagnostic> {
    let words = lex(source, whole(source), Source::Component).map_err(|problem| problem.diagnostic(source))?;
    Ok(words.iter().filter(|w| w.token == Token::Atom).map(|w| w.span).collect())
}

fn lone(source: &str, sort: Source, read_atom: &mut ReadAtom<'_>) -> Result<Program, Mistakes> {
    lone_in(&"".into(), &source.into(), whole(source), sort, &[], read_atom)
        .map_err(|mistakes| mistakes.into_iter().map(|m| m.diagnostic).collect())
}

/// Reads a stretch of a file as a property, in which these names are numbers; `read_atom` reads what stands in backquotes.
///
/// # Errors
/// As for [`parse_property`].
pub(crate) fn property_in(
    file: &Arc<str>,
    source: &Arc<str>,
    span: Span,
    numbers: &[(String, i64)],
    read_atom: &mut ReadAtom<'_>,
) -> Result<Program, Mistakes<Located>> {
    lone_in(file, source, span, Source::Property, numbers, read_atom)
}

fn lone_in(
    file: &Arc<str>,
    source: &Arc<str>,
    span: Span,
    sort: Source,
    numbers: &[(String, i64)],
    read_atom: &mut ReadAtom<'_>,
) -> Result<Program, Mistakes<Located>> {
    let mut nowhere = |_: &str, _: &str| Err(format!("{} includes no files", sort.one()).into());
    let mut reader =
        Reader { texts: Vec::new(), declarations: Vec::new(), mistakes: Vec::new(), bytes: 0, load: &mut nowhere };
    let mode = reader.file(Arc::clone(file), Arc::clone(source), span, sort, &mut Vec::new());
    let (texts, mistakes) = (reader.texts, reader.mistakes);
    match mode {
        Some(mode) if mistakes.is_empty() => {
            Resolver::new(&texts, sort, mode, read_atom).with_numbers(numbers).program(reader.declarations)
        }
        _ => Err(mistakes.into()),
    }
}

struct Reader<'a, 'b> {
    texts: Vec<Text>,
    /// With the places of their texts.
    declarations: Vec<(usize, Declaration)>,
    mistakes: Vec<Located>,
    bytes: usize,
    load: &'a mut Load<'b>,
}

impl Reader<'_, '_> {
    fn tell(&mut self, text: usize, problem: Spanned) {
        if self.mistakes.len() < Spanned::ENOUGH {
            let Text { name, source, .. } = &self.texts[text];
            self.mistakes.push(Located { file: Arc::clone(name), diagnostic: problem.diagnostic(source) });
        }
    }

    /// One file, with what it includes. `open` are the names of the files that it stands in. `None`: it cannot be read at all.
    fn file(
        &mut self,
        name: Arc<str>,
        source: Arc<str>,
        span: Span,
        sort: Source,
        open: &mut Vec<Arc<str>>,
    ) -> Option<Mode> {
        let text = self.texts.len();
        self.texts.push(Text { name: Arc::clone(&name), source: Arc::clone(&source), end: span.end });
        let words = match lex(&source, span, sort) {
            Ok(words) => {
                self.texts[text].end = words.last().map_or(span.end, |end| end.span.end);
                words
            }
            Err(problem) => {
                self.tell(text, *problem);
                return None;
            }
        };
        let mut parser = Parser::new(&source, words, sort);
        let mode = parser.header();
        let declarations = if mode.is_some() { parser.declarations() } else { Vec::new() };
        for problem in parser.problems {
            self.tell(text, problem);
        }
        open.push(name);
        for declaration in declarations {
            match declaration {
                Declaration::Include(span) => {
                    if let Err(problem) = self.include(&source, span, sort, open) {
                        self.tell(text, *problem);
                    }
                }
                declaration => self.declarations.push((text, declaration)),
            }
        }
        open.pop();
        mode
    }

    fn include(
        &mut self,
        source: &str,
        span: Span,
        sort: Source,
        open: &mut Vec<Arc<str>>,
    ) -> Result<(), Box<Spanned>> {
        if sort.is_lone() {
            return Err(Spanned::new(Kind::Unsupported, span, format!("{} includes no files", sort.one()))
                .label("write the definitions before the formula"));
        }
        if open.len() > DEEPEST {
            return Err(Spanned::new(Kind::Nesting, span, format!("more than {DEEPEST} files inside each other")));
        }
        let asked = &source[span.start + 1..span.end - 1];
        let from = open.last().cloned().unwrap_or_default();
        let (name, included) = (self.load)(&from, asked).map_err(|NoFile { why, help }| {
            let problem = Spanned::new(Kind::Input, span, format!("the file {asked:?} cannot be included")).label(why);
            match help {
                Some(help) => problem.help(help),
                None => problem,
            }
        })?;
        if open.iter().any(|o| **o == *name) {
            let way: Vec<&str> = open.iter().skip_while(|o| ***o != *name).map(|o| &**o).collect();
            let problem = Spanned::new(Kind::Definition, span, format!("{name:?} includes itself"));
            return Err(match way.len() {
                1 => problem,
                _ => problem.label(format!("by way of {}", way[1..].join(", "))),
            });
        }
        self.bytes = self.bytes.saturating_add(included.len());
        if self.bytes > MOST_BYTES {
            return Err(Spanned::new(Kind::TooLarge, span, "the included files are more than 64 MiB together"));
        }
        // A file that cannot be read leaves a mistake behind.
        let _ = self.file(name.into(), (&*included).into(), whole(&included), Source::Included, open);
        Ok(())
    }
}
