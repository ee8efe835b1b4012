//! Texts that somebody is editing: read instead of the files that they belong to, which keep their names and places.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A text, and the file that it belongs to.
#[derive(Clone, Debug)]
pub struct Instead {
    /// Where the text is.
    pub copy: PathBuf,
    /// Absolute, and as it was named: it may not be there.
    pub file: PathBuf,
}

static UNSAVED: OnceLock<Vec<Instead>> = OnceLock::new();

/// From now on these are read instead.
pub fn set(all: Vec<Instead>) {
    let _ = UNSAVED.set(all);
}

/// What is read instead of a file, if something is.
pub fn copy_of(path: &Path) -> Option<&'static Path> {
    let all = UNSAVED.get().filter(|all| !all.is_empty())?;
    let named = std::path::absolute(path).ok()?;
    // An import is known by where it leads.
    let is_it = |file: &Path| file == named || file.canonicalize().is_ok_and(|real| real == named);
    all.iter().find(|instead| is_it(&instead.file)).map(|instead| instead.copy.as_path())
}
