//! Texts that somebody is editing: read instead of the files that they belong to, which keep their names and places.

use std::path::PathBuf;

use clap::Args;
use posetta_files::unsaved::{self, Instead};

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

fn instead(text: &str) -> Result<Instead, String> {
    let (copy, file) = text.split_once('=').ok_or("expected COPY=FILE")?;
    if copy.is_empty() || file.is_empty() {
        return Err("expected COPY=FILE".to_owned());
    }
    let file = std::path::absolute(file).map_err(|error| error.to_string())?;
    Ok(Instead { copy: PathBuf::from(copy), file })
}

/// Takes what the command line says.
pub fn set(args: UnsavedArgs) {
    unsaved::set(args.unsaved);
}
