//! From a name to where it is defined and used, and back; and all names of a document.

use crate::document::{Document, Language};
use crate::imports::{definitions, imported, imports};
use crate::lines::{LineIndex, Position, Range};
use crate::names::{NameKind, Names};
use crate::{format::Edit, sys};
use posetta_base::Span;
use posetta_logic::Load;
use posetta_logic::written::{Part, PartKind, is_name, parts};

/// What a name of a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A property.
    Property,
    /// A monitor.
    Monitor,
    /// A definition.
    Definition,
    /// A loop around items.
    Loop,
    /// An import.
    Import,
    /// A constant of a system file.
    Constant,
    /// A component.
    Component,
    /// A system.
    System,
}

/// An item of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// What it is.
    pub kind: SymbolKind,
    /// Its name, or what stands for one.
    pub name: String,
    /// The whole item.
    pub range: Range,
    /// The name.
    pub selection: Range,
    /// What is inside of it.
    pub inside: Vec<Symbol>,
}

/// A place that somebody can go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// What `load` calls the file; `None` for the document itself.
    pub file: Option<String>,
    /// Where in it.
    pub range: Range,
}

/// The items of a document, in their order.
#[must_use]
pub fn symbols(document: &Document) -> Vec<Symbol> {
    match document.language {
        Language::Props => symbols_of(document, &document.parts()),
        Language::Sys => sys::symbols(document),
    }
}

fn symbols_of(document: &Document, parts: &[Part]) -> Vec<Symbol> {
    let symbol = |part: &Part| {
        let (kind, named) = match part.kind {
            PartKind::Property => (SymbolKind::Property, part.name.as_ref()),
            PartKind::Monitor => (SymbolKind::Monitor, part.name.as_ref()),
            PartKind::Let => (SymbolKind::Definition, part.name.as_ref()),
            PartKind::Import => (SymbolKind::Import, part.path.as_ref()),
            PartKind::Foreach => (SymbolKind::Loop, None),
            PartKind::Event | PartKind::Odd => return None,
        };
        let (name, selection) = match named {
            Some(named) => (named.name.clone(), named.span),
            None if part.kind == PartKind::Foreach => {
                let end = part.block.map_or(part.span.end, |block| block.start - 1);
                let head = Span::new(part.span.start, end);
                (document.slice(head).trim().to_owned(), Span::new(head.start, head.start + "foreach".len()))
            }
            None => return None,
        };
        // Editors refuse an empty name.
        let name = if name.is_empty() { "\"\"".to_owned() } else { name };
        let inside = symbols_of(document, &part.parts);
        Some(Symbol { kind, name, range: document.range(part.span), selection: document.range(selection), inside })
    };
    parts.iter().filter_map(symbol).collect()
}

/// Where the name at a place is defined: in this document, or in one that it imports. A definition of the library has no file: its
/// import is the place. The path of an import leads to the file.
pub fn definition(document: &Document, position: Position, load: &mut Load<'_>) -> Option<Target> {
    let offset = document.offset(position);
    if document.language == Language::Sys {
        return sys::definition(document, offset);
    }
    let parts = document.parts();
    for part in imports(&parts) {
        let path = part.path.as_ref()?;
        if path.span.start <= offset && offset <= path.span.end {
            let (file, _) = load(document.name(), &path.name).ok()?;
            return Some(Target { file: Some(file), range: Range::default() });
        }
    }
    let names = Names::in_parts(document.text(), &parts);
    if let Some((id, _)) = names.at(offset) {
        return Some(Target { file: None, range: document.range(names.declared[id].span) });
    }
    let word = names.free.iter().find(|span| span.start <= offset && offset <= span.end)?;
    let word = document.slice(*word);
    let files = imported(document.name(), &parts, load);
    let found = definitions(&files).into_iter().find(|d| d.name == word)?;
    if found.is_library {
        let by = imports(&parts).get(found.by)?.path.as_ref()?.span;
        return Some(Target { file: None, range: document.range(by) });
    }
    let text = &files.iter().find(|file| file.file == found.file)?.text;
    Some(Target { range: LineIndex::new(text).range(text, found.span), file: Some(found.file) })
}

/// Every place in the document where the name at a place stands, its declaration first.
#[must_use]
pub fn references(document: &Document, position: Position) -> Vec<Range> {
    let offset = document.offset(position);
    let places = match document.language {
        Language::Sys => sys::references(document, offset),
        Language::Props => {
            let names = Names::of(document);
            names.at(offset).map(|(id, _)| names.places(id)).unwrap_or_default()
        }
    };
    places.into_iter().map(|span| document.range(span)).collect()
}

/// The word at a place, if it can be given another name.
#[must_use]
pub fn renamable(document: &Document, position: Position) -> Option<Range> {
    let offset = document.offset(position);
    match document.language {
        Language::Props => Names::of(document).at(offset).map(|(_, span)| document.range(span)),
        Language::Sys => sys::renamable(document, offset).map(|span| document.range(span)),
    }
}

/// Gives the name at a place another one, everywhere in the document.
///
/// # Errors
/// With the reason why it cannot be: there is no such name, or the new one means something else.
pub fn rename(document: &Document, position: Position, to: &str) -> Result<Vec<Edit>, String> {
    let offset = document.offset(position);
    if document.language == Language::Sys {
        return sys::rename(document, offset, to);
    }
    let names = Names::of(document);
    let Some((id, _)) = names.at(offset) else {
        return Err(
            "only definitions, parameters, loop variables and properties of this file have names that can be changed"
                .to_owned(),
        );
    };
    if !is_name(to) {
        return Err(format!("`{to}` cannot be a name: it is not one word, or a word of the logics"));
    }
    let places = names.places(id);
    let changed = replaced(document.text(), &places, to);
    // Whatever was meant by a word must be meant by it still.
    let after = Names::in_parts(&changed, &parts(&changed));
    let meant = |names: &Names| -> Vec<(NameKind, usize)> {
        let uses = |id: usize| names.uses.iter().filter(|(_, used)| *used == id).count();
        names.declared.iter().enumerate().map(|(id, d)| (d.kind, uses(id))).collect()
    };
    let clashes = names.declared[id].kind == NameKind::Property
        && names.declared.iter().any(|d| d.kind == NameKind::Property && d.name == to);
    let is_twice = |d: &crate::names::Declared| {
        d.name == to && d.kind == names.declared[id].kind && d.scope == names.declared[id].scope
    };
    let clashes = clashes || names.declared.iter().any(is_twice);
    if clashes || meant(&names) != meant(&after) || names.free.len() != after.free.len() {
        return Err(format!("`{to}` has another meaning in this file"));
    }
    Ok(places.iter().map(|span| Edit { range: document.range(*span), text: to.to_owned() }).collect())
}

/// A text with something else in some of its places.
pub(crate) fn replaced(text: &str, places: &[Span], with: &str) -> String {
    let mut sorted = places.to_vec();
    sorted.sort_by_key(|span| span.start);
    let (mut out, mut end) = (String::with_capacity(text.len()), 0);
    for span in sorted {
        out.push_str(&text[end..span.start]);
        out.push_str(with);
        end = span.end;
    }
    out.push_str(&text[end..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "import \"more.props\"\nimport \"std/mutex\"\nlet a(i) = x[i] == y\nlet b = a(1)\n\
                        property p = ltl G (a(0) && b && theirs(2))\nproperty q = one_holder(event(l), event(u), lock)\n";

    fn document() -> Document {
        Document::new(Language::Props, "own.props", TEXT)
    }

    fn load(_: &str, path: &str) -> Result<(String, String), posetta_logic::NoFile> {
        match path {
            "more.props" => Ok(("dir/more.props".to_owned(), "\nlet theirs(n) = n\n".to_owned())),
            _ => Err("there is none".into()),
        }
    }

    /// The place of a part of the text.
    fn at(needle: &str) -> Position {
        let document = document();
        document.lines().position(TEXT, TEXT.find(needle).expect("it is there"))
    }

    #[test]
    fn definitions_are_found_here_and_in_imports() {
        for (needle, file, line) in [
            ("a(0)", None, 2),
            ("b &&", None, 3),
            ("i] ==", None, 2),
            ("theirs(2)", Some("dir/more.props"), 1),
            ("more.props", Some("dir/more.props"), 0),
            ("one_holder", None, 1),
        ] {
            let found = definition(&document(), at(needle), &mut load).unwrap_or_else(|| panic!("{needle}"));
            assert_eq!((found.file.as_deref(), found.range.start.line), (file, line), "{needle}");
        }
        for needle in ["x[i]", "G (a", "std/mutex", "property q"] {
            assert_eq!(definition(&document(), at(needle), &mut load), None, "{needle}");
        }
    }

    #[test]
    fn names_are_changed_everywhere_or_not_at_all() {
        let edits = rename(&document(), at("a(0)"), "other").expect("it can be");
        let spans: Vec<Span> = edits.iter().map(|e| document().lines().span(TEXT, e.range)).collect();
        let changed = replaced(TEXT, &spans, "other");
        assert!(changed.contains("let other(i)") && changed.contains("b = other(1)") && changed.contains("(other(0)"));
        assert_eq!(references(&document(), at("a(0)")).len(), 3);
        for (needle, to) in [
            ("a(0)", "b"),
            ("a(0)", "y"),
            ("a(0)", "a b"),
            ("a(0)", "G"),
            ("p = ltl", "q"),
            ("x[i]", "z"),
            ("b &&", "theirs"),
        ] {
            let refused = rename(&document(), at(needle), to);
            assert!(refused.is_err(), "{needle} {to}: {refused:?}");
        }
        // A variable with an index is not what the word alone would be, and a parameter is not visible elsewhere.
        assert!(rename(&document(), at("a(0)"), "x").is_ok() && rename(&document(), at("b &&"), "i").is_ok());
        assert_eq!(renamable(&document(), at("G (a")), None);
    }

    #[test]
    fn items_are_listed_with_what_is_inside() {
        let text = "import \"a\"\nforeach i in 0..2 {\n  property p[i] = ltl x\n  monitor m { initial a }\n}\nlet a = 1\nproperty\n";
        let document = Document::new(Language::Props, "", text);
        let all = symbols(&document);
        let names: Vec<&str> = all.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["a", "foreach i in 0..2", "a"]);
        let inside: Vec<&str> = all[1].inside.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(inside, ["p", "m"]);
        assert_eq!(all[1].range.end, Position::new(4, 1));
    }
}
