//! Texts that somebody is editing: read instead of the files that they belong to, which keep their names and places.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::Args;

/// What is read instead of files.
#[derive(Clone, Debug, Default, Args)]
pub struct UnsavedArgs {
    /// Read a file of properties or a model from COPY instead of FILE, such as a text that an editor has not saved (may be
    /// repeated). Names, places and imports are those of FILE
    #[arg(
        long,
        global = true,
        value_name = "COPY=FILE",
        value_parser = instead,
        hide_short_help = true,
        help_heading = "Input"
    )]
    unsaved: Vec<Instead>,
}

/// A text, and the file that it belongs to.
#[derive(Clone, Debug)]
struct Instead {
    copy: PathBuf,
    /// Absolute, and as it was named: it may not be there.
    file: PathBuf,
}

fn instead(text: &str) -> Result<Instead, String> {
    let (copy, file) = text.split_once('=').ok_or("expected COPY=FILE")?;
    if copy.is_empty() || file.is_empty() {
        return Err("expected COPY=FILE".to_owned());
    }
    let file = std::path::absolute(file).map_err(|error| error.to_string())?;
    Ok(Instead { copy: PathBuf::from(copy), file })
}

static UNSAVED: OnceLock<Vec<Instead>> = OnceLock::new();

/// Takes what the command line says.
pub fn set(args: UnsavedArgs) {
    let _ = UNSAVED.set(args.unsaved);
}

/// What is read instead of a file, if something is.
pub fn copy_of(path: &Path) -> Option<&'static Path> {
    let all = UNSAVED.get().filter(|all| !all.is_empty())?;
    let named = std::path::absolute(path).ok()?;
    // An import is known by where it leads.
    let is_it = |file: &Path| file == named || file.canonicalize().is_ok_and(|real| real == named);
    all.iter().find(|instead| is_it(&instead.file)).map(|instead| instead.copy.as_path())
}
