//! What a property file imports: definitions of other files and of the library.

use rustc_hash::FxHashSet;

use crate::document::comment_above;
use posetta_base::Span;
use posetta_logic::written::{Part, PartKind, parts};
use posetta_logic::{LibraryFile, Load};

/// What the path of an import of the library begins with.
pub(crate) const LIBRARY: &str = "std/";

/// Files that import each other in a row beyond this are not followed: the parser refuses them.
const DEEPEST: usize = 50;

/// A file that was imported, directly or by another one.
pub(crate) struct Imported {
    /// What `load` calls it.
    pub(crate) file: String,
    pub(crate) text: String,
    /// It is part of the program, and not on any disk.
    pub(crate) is_library: bool,
    /// The import of the document that led to it, by its place among the document's imports.
    pub(crate) by: usize,
    pub(crate) parts: Vec<Part>,
}

/// A definition of an imported file.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) parameters: Vec<String>,
    /// The whole item.
    pub(crate) item: String,
    /// The comment above it.
    pub(crate) says: String,
    /// Whether it is a whole property.
    pub(crate) is_whole: bool,
    /// Where it is: file, text of the file, name.
    pub(crate) file: String,
    pub(crate) is_library: bool,
    pub(crate) by: usize,
    pub(crate) span: Span,
}

/// The imports of a document, in their order.
pub(crate) fn imports(parts: &[Part]) -> Vec<&Part> {
    parts.iter().filter(|part| part.kind == PartKind::Import && part.path.is_some()).collect()
}

/// All files that a document imports, each once.
pub(crate) fn imported(name: &str, own: &[Part], load: &mut Load<'_>) -> Vec<Imported> {
    let mut found = Vec::new();
    let mut seen: FxHashSet<String> = FxHashSet::default();
    seen.insert(name.to_owned());
    for (by, part) in imports(own).into_iter().enumerate() {
        let path = part.path.as_ref().map_or("", |path| path.name.as_str());
        follow(name, path, by, 0, &mut seen, load, &mut found);
    }
    found
}

fn follow(
    from: &str,
    path: &str,
    by: usize,
    depth: usize,
    seen: &mut FxHashSet<String>,
    load: &mut Load<'_>,
    found: &mut Vec<Imported>,
) {
    let (file, text, is_library) = match path.strip_prefix(LIBRARY) {
        Some(name) => match LibraryFile::named(name) {
            Ok(file) => (file.called(), file.text.to_owned(), true),
            Err(_) => return,
        },
        None => match load(from, path) {
            Ok((file, text)) => (file, text, false),
            Err(_) => return,
        },
    };
    if depth >= DEEPEST || !seen.insert(format!("{is_library} {file}")) {
        return;
    }
    let parts = parts(&text);
    let further: Vec<String> = imports(&parts).iter().filter_map(|p| p.path.as_ref().map(|n| n.name.clone())).collect();
    found.push(Imported { file: file.clone(), text, is_library, by, parts });
    for path in further {
        follow(&file, &path, by, depth + 1, seen, load, found);
    }
}

/// The definitions of imported files, of which the first of a name counts.
pub(crate) fn definitions(files: &[Imported]) -> Vec<Definition> {
    let mut all = Vec::new();
    for file in files {
        for part in file.parts.iter().filter(|part| part.kind == PartKind::Let) {
            let Some(name) = &part.name else { continue };
            all.push(Definition {
                name: name.name.clone(),
                parameters: part.parameters.iter().map(|p| p.name.clone()).collect(),
                item: file.text[part.span.start..part.span.end].to_owned(),
                says: comment_above(&file.text, part.span.start),
                is_whole: is_whole(part),
                file: file.file.clone(),
                is_library: file.is_library,
                by: file.by,
                span: name.span,
            });
        }
    }
    all
}

/// Whether a definition is a whole property: it says its logic, or for which values it is.
pub(crate) fn is_whole(part: &Part) -> bool {
    part.logic.is_some() || !part.keys.is_empty()
}
