//! The room on whole files: the examples, what they become when somebody types, random formulas, and a long file.

mod completing;
mod every_text;
mod explaining;
mod form;
mod long;
mod while_writing;

use std::fs;
use std::path::{Path, PathBuf};

use posetta_language::{Document, Language, NoFile};

/// The files below `examples` and those of the library that end so, sorted.
fn examples(extension: &str) -> Vec<(PathBuf, String)> {
    fn walk(directory: &Path, extension: &str, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(directory).expect("the examples are readable") {
            let path = entry.expect("the examples are readable").path();
            if path.is_dir() {
                walk(&path, extension, found);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    walk(&root.join("examples"), extension, &mut found);
    walk(&root.join("crates/posetta-logic/src/library"), extension, &mut found);
    found.sort();
    assert!(found.len() > 10, "{extension}");
    found.into_iter().map(|path| (path.clone(), fs::read_to_string(path).expect("it is text"))).collect()
}

/// All texts with their languages.
fn texts() -> Vec<(Language, String)> {
    let props = examples("props").into_iter().map(|(_, text)| (Language::Props, text));
    props.chain(examples("sys").into_iter().map(|(_, text)| (Language::Sys, text))).collect()
}

/// Nothing is imported but the library.
fn nothing(_: &str, _: &str) -> Result<(String, String), NoFile> {
    Err("there are no files here".into())
}

fn props(text: &str) -> Document {
    Document::new(Language::Props, "own.props", text)
}
