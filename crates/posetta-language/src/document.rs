//! A text that is being written.

use std::cell::RefCell;
use std::sync::Arc;

use crate::lines::{LineIndex, Position, Range};
use posetta_base::Span;
use posetta_logic::PropsMemory;
use posetta_logic::written::{Part, PartsMemory};

/// What a text is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// A property file.
    Props,
    /// A file with a system of components.
    Sys,
}

impl Language {
    /// The language of a file, by what its name ends with.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        match name.rsplit_once('.')?.1 {
            "props" => Some(Self::Props),
            "sys" => Some(Self::Sys),
            _ => None,
        }
    }
}

/// A text, what it is called, and its lines.
#[derive(Clone, Debug)]
pub struct Document {
    /// What it is written in.
    pub language: Language,
    name: String,
    text: String,
    lines: LineIndex,
    /// What answers found out about the text and those before it: the next answer is about almost the same text.
    known: RefCell<Memory>,
}

#[derive(Clone, Debug, Default)]
struct Memory {
    /// The items of the text, once they are asked for.
    parts: Option<Arc<[Part]>>,
    earlier: PartsMemory,
    props: PropsMemory,
}

impl Document {
    /// A text. Its name is what imports start from: it is handed to `load`.
    #[must_use]
    pub fn new(language: Language, name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let lines = LineIndex::new(&text);
        Self { language, name: name.into(), text, lines, known: RefCell::default() }
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its lines.
    #[must_use]
    pub fn lines(&self) -> &LineIndex {
        &self.lines
    }

    /// Puts a text in the place of another one.
    pub fn replace(&mut self, range: Range, text: &str) {
        let span = self.lines.span(&self.text, range);
        self.text.replace_range(span.start..span.end, text);
        self.changed();
    }

    /// Puts another text in the place of all of it.
    pub fn rewrite(&mut self, text: impl Into<String>) {
        self.text = text.into();
        self.changed();
    }

    fn changed(&mut self) {
        self.lines = LineIndex::new(&self.text);
        self.known.get_mut().parts = None;
    }

    /// The items of a property file.
    pub(crate) fn parts(&self) -> Arc<[Part]> {
        let known = &mut *self.known.borrow_mut();
        let parts = known.parts.get_or_insert_with(|| known.earlier.parts(&self.text).into());
        Arc::clone(parts)
    }

    /// What is known from the last time that its properties were read. It is taken out: reading may ask for other things of this document.
    pub(crate) fn memory(&self) -> PropsMemory {
        std::mem::take(&mut self.known.borrow_mut().props)
    }

    /// Puts that back.
    pub(crate) fn remember(&self, props: PropsMemory) {
        self.known.borrow_mut().props = props;
    }

    /// Where bytes are.
    #[must_use]
    pub fn range(&self, span: Span) -> Range {
        self.lines.range(&self.text, span)
    }

    /// The byte at a place.
    #[must_use]
    pub fn offset(&self, position: Position) -> usize {
        self.lines.offset(&self.text, position)
    }

    /// The text of a stretch.
    pub(crate) fn slice(&self, span: Span) -> &str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }
}

/// The comment right above something: its lines without their slashes.
pub(crate) fn comment_above(text: &str, start: usize) -> String {
    let above = text[..start].rfind('\n').map_or("", |end| &text[..end]);
    let lines = above.rsplit('\n').map(str::trim).take_while(|line| line.starts_with("//"));
    let mut lines: Vec<&str> = lines.map(|line| line.trim_start_matches('/').trim()).collect();
    lines.reverse();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_change_the_text_and_its_lines() {
        let mut document = Document::new(Language::Props, "a.props", "let é = 1\nproperty p = ltl é\n");
        document.replace(Range { start: Position::new(0, 4), end: Position::new(0, 5) }, "one\n");
        assert_eq!(document.text(), "let one\n = 1\nproperty p = ltl é\n");
        assert_eq!(document.offset(Position::new(2, 17)), document.text().rfind('é').expect("it is there"));
        document.replace(Range { start: Position::new(9, 9), end: Position::new(9, 9) }, "x");
        assert!(document.text().ends_with("é\nx"));
    }

    #[test]
    fn a_comment_belongs_to_what_is_right_below() {
        let text = "// no\n\n// one\n//  two\nlet a = 1";
        assert_eq!(comment_above(text, text.find("let").expect("it is there")), "one\ntwo");
        assert_eq!(comment_above("let a = 1", 0), "");
    }
}
