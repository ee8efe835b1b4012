//! XML with places: what the readers of PNML and of the contest's formulas share.
//!
//! The tree is built by a crate that neither recurses nor follows references to entities; [`open`] refuses what would cost it more than time
//! and memory proportional to the text. [`tag`], [`value`] and [`words`] say where in the text something stands.

use roxmltree::{Attribute, Document, Error, Node, ParsingOptions, TextPos};

use crate::problem::Problems;
use posetta_base::{Kind, Mistakes, Span, Spanned};

/// Elements inside each other deeper than this are refused: formulas are walked recursively.
const MOST_NESTED: usize = 250;

/// The tree builder copies the declarations of namespaces into every element that adds one.
const MOST_NAMESPACES: usize = 4096;

/// It compares every attribute of an element with those before it.
const MOST_ATTRIBUTES: usize = 4096;

/// It copies the text before a section of character data together with it.
const MOST_SECTIONS: usize = 4096;

/// The tree of a text.
pub(super) fn open(source: &str) -> Result<Document<'_>, Mistakes> {
    let problem = match too_much(source) {
        Some(problem) => problem,
        None => match Document::parse_with_options(source, ParsingOptions::default()) {
            Ok(document) => match too_deep(&document) {
                None => return Ok(document),
                Some(span) => {
                    let message = format!("elements inside each other more than {MOST_NESTED} levels deep");
                    Spanned::new(Kind::Nesting, span, message)
                }
            },
            Err(error) => syntax(source, &error),
        },
    };
    Err(vec![problem.diagnostic(source)].into())
}

fn too_much(source: &str) -> Option<Box<Spanned>> {
    let past = |pattern: &str, most: usize| source.match_indices(pattern).nth(most);
    if let Some((at, found)) = past("xmlns", MOST_NAMESPACES) {
        let message = format!("more than {MOST_NAMESPACES} declarations of namespaces");
        return Some(Spanned::new(Kind::TooLarge, Span::new(at, at + found.len()), message));
    }
    if let Some((at, found)) = past("<![CDATA[", MOST_SECTIONS) {
        let message = format!("more than {MOST_SECTIONS} sections of character data");
        return Some(Spanned::new(Kind::TooLarge, Span::new(at, at + found.len()), message));
    }
    // An attribute has an `=`, and no value has a `<`.
    let mut count = 0;
    for (at, byte) in source.bytes().enumerate() {
        match byte {
            b'<' => count = 0,
            b'=' => count += 1,
            _ => {}
        }
        if count > MOST_ATTRIBUTES {
            let message = format!("an element with more than {MOST_ATTRIBUTES} attributes");
            return Some(Spanned::new(Kind::TooLarge, Span::new(at, at + 1), message));
        }
    }
    None
}

/// An element that is too deep. A node's range ends after those of the nodes in it, and nodes come in the order of the text.
fn too_deep(document: &Document<'_>) -> Option<Span> {
    let mut ends: Vec<usize> = Vec::new();
    for node in document.root().descendants().filter(Node::is_element) {
        while ends.last().is_some_and(|&end| end <= node.range().start) {
            ends.pop();
        }
        ends.push(node.range().end);
        if ends.len() > MOST_NESTED {
            return Some(tag(node));
        }
    }
    None
}

/// What is wrong with a text that is not XML.
fn syntax(source: &str, error: &Error) -> Box<Spanned> {
    let at = |pos: TextPos| byte_of(source, pos);
    let (start, message, label) = match error {
        Error::DtdDetected => {
            let start = source.find("<!DOCTYPE").unwrap_or(0);
            let span = Span::new(start, (start + "<!DOCTYPE".len()).min(source.len()));
            let problem = Spanned::new(Kind::Unsupported, span, "document type definitions are not read");
            return problem.help("take the declaration out: neither nets nor formulas need one");
        }
        Error::NoRootNode => (0, "this is not XML: there is no element".to_owned(), "expected `<`".to_owned()),
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream => {
            let end = source.trim_end().len();
            let message = "the text ends in the middle of an element";
            let problem = Spanned::new(Kind::Truncated, Span::new(end, end), message);
            return problem.label("expected a closing tag");
        }
        Error::UnexpectedCloseTag(expected, actual, pos) => (
            at(*pos),
            format!("`</{actual}>` closes nothing"),
            if expected.is_empty() { "no element is open".to_owned() } else { format!("expected `</{expected}>`") },
        ),
        Error::UnknownEntityReference(name, pos) => {
            (at(*pos), format!("`&{name};` stands for nothing"), "expected &lt; &gt; &amp; &quot; or &apos;".to_owned())
        }
        Error::DuplicatedAttribute(name, pos) => {
            (at(*pos), format!("the attribute `{name}` is given twice"), "a second time".to_owned())
        }
        Error::UnknownNamespace(name, pos) => {
            (at(*pos), format!("the prefix `{name}` is not declared"), format!("expected xmlns:{name} before"))
        }
        Error::NonXmlChar(c, pos) => {
            (at(*pos), format!("the character {c:?} cannot stand in XML"), "not allowed".to_owned())
        }
        Error::InvalidChar(expected, _, pos) => {
            (at(*pos), "this is not XML".to_owned(), format!("expected `{}`", char::from(*expected)))
        }
        Error::InvalidString(expected, pos) => {
            (at(*pos), "this is not XML".to_owned(), format!("expected `{expected}`"))
        }
        Error::InvalidChar2(expected, _, pos) => {
            (at(*pos), "this is not XML".to_owned(), format!("expected {expected}"))
        }
        Error::InvalidName(pos) => (at(*pos), "this is not XML".to_owned(), "expected a name".to_owned()),
        Error::UnexpectedDeclaration(pos) => {
            (at(*pos), "the XML declaration stands only at the start".to_owned(), "not here".to_owned())
        }
        Error::MalformedEntityReference(pos) => (at(*pos), "a `&` by itself".to_owned(), "expected &amp;".to_owned()),
        Error::InvalidAttributeValue(pos) => (at(*pos), "a `<` by itself".to_owned(), "expected &lt;".to_owned()),
        other => (at(other.pos()), "this is not XML".to_owned(), "not understood from here on".to_owned()),
    };
    let end = source[start..].chars().next().map_or(start, |c| start + c.len_utf8());
    Spanned::new(Kind::Syntax, Span::new(start, end), message).label(label)
}

/// The byte of a row and a column, which count from 1, columns in characters.
fn byte_of(source: &str, pos: TextPos) -> usize {
    let row = pos.row.saturating_sub(1) as usize;
    let start = if row == 0 { 0 } else { source.match_indices('\n').nth(row - 1).map_or(source.len(), |(i, _)| i + 1) };
    let rest = &source[start..];
    start + rest.char_indices().nth(pos.col.saturating_sub(1) as usize).map_or(rest.len(), |(i, _)| i)
}

/// Where an element begins: `<` and its name.
pub(super) fn tag(node: Node<'_, '_>) -> Span {
    let range = node.range();
    let text = &node.document().input_text()[range.clone()];
    let end = text.find(|c: char| c.is_whitespace() || c == '>' || c == '/').unwrap_or(text.len());
    Span::new(range.start, range.start + end)
}

/// Where the value of an attribute stands.
pub(super) fn value(attribute: Attribute<'_, '_>) -> Span {
    let range = attribute.range_value();
    Span::new(range.start, range.end)
}

/// The name of an element, whatever its namespace.
pub(super) fn name<'i>(node: Node<'_, 'i>) -> &'i str {
    node.tag_name().name()
}

/// The elements in an element.
pub(super) fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

/// The text right in an element without the blanks around it, and where it stands; if there is none, where the element begins. Comments
/// inside cut it: only what stands before the first is taken.
pub(super) fn text<'a>(node: Node<'a, '_>) -> (&'a str, Span) {
    let Some(inner) = node.children().find(Node::is_text) else { return ("", tag(node)) };
    let text = inner.text().unwrap_or_default().trim();
    if text.is_empty() {
        return ("", tag(node));
    }
    let range = inner.range();
    let source = &node.document().input_text()[range.clone()];
    let start = range.start + (source.len() - source.trim_start().len());
    (text, Span::new(start, start + source.trim().len()))
}

/// The words of the text right in an element, and where each stands.
pub(super) fn words<'a>(node: Node<'a, '_>) -> Vec<(&'a str, Span)> {
    let (text, whole) = self::text(node);
    let source = &node.document().input_text()[whole.start..whole.end];
    // With references to characters in it the text is not what the source has.
    let exact = source == text;
    let mut at = 0;
    let place = |word: &'a str| {
        // What is left begins with blanks and the word.
        let start = at + text[at..].find(word).unwrap_or(0);
        at = start + word.len();
        (word, if exact { Span::new(whole.start + start, whole.start + at) } else { whole })
    };
    text.split_whitespace().map(place).collect()
}

/// Tells of an element that has no place where it stands.
pub(super) fn unexpected(problems: &mut Problems, node: Node<'_, '_>, inside: &str, expected: &str) {
    let message = format!("`{}` has no meaning in {inside}", name(node));
    problems.push(Spanned::new(Kind::Unsupported, tag(node), message).label(format!("expected {expected}")));
}
