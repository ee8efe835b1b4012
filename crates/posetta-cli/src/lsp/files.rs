//! Files behind the documents: what they import, and the runs whose names they are about.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use posetta_base::Budget;
use posetta_formats::ReadOptions;
use posetta_language::{NoFile, Vocabulary};

use crate::inputs::Input;
use crate::read::{self, Reading};
use crate::root::{Root, RootArgs};

/// A run that is larger than this is not read while somebody writes.
const MOST_BYTES: u64 = 32 << 20;

/// What reading it may take.
const MOST_MEMORY: u64 = 512 << 20;

/// Where the files of the documents may lead.
pub struct Files<'a> {
    pub args: &'a RootArgs,
    /// The folders that are open in the editor.
    pub folders: Vec<PathBuf>,
    /// What was read of runs, by path.
    runs: HashMap<PathBuf, RunNames>,
}

/// What was read of a run.
struct RunNames {
    /// When the file was changed, and how long it was then.
    version: (Option<SystemTime>, u64),
    /// Its names, or why there are none.
    names: Result<Arc<Vocabulary>, String>,
}

impl<'a> Files<'a> {
    pub fn new(args: &'a RootArgs) -> Self {
        Self { args, folders: Vec::new(), runs: HashMap::new() }
    }

    /// What a document and all that it imports must not leave.
    pub fn root(&self, path: &Path) -> Root {
        let folder = self.folders.iter().filter(|folder| path.starts_with(folder)).max_by_key(|f| f.as_os_str().len());
        Root::in_folder(self.args, folder.map(PathBuf::as_path), path)
    }

    /// The names of the run that a document asks for.
    pub fn run_of(&mut self, path: &Path, wanted: &str) -> Result<Arc<Vocabulary>, String> {
        let found = self.root(path).find(&path.display().to_string(), wanted);
        let real = found.map_err(|NoFile { why, help }| match help {
            Some(help) => format!("cannot read `{wanted}`: {why}; {help}"),
            None => format!("cannot read `{wanted}`: {why}"),
        })?;
        self.run(&real, wanted)
    }

    /// The names of a run. They are read again when the file has changed.
    pub fn run(&mut self, path: &Path, called: &str) -> Result<Arc<Vocabulary>, String> {
        let found =
            fs::metadata(path).map_err(|e| format!("cannot read `{called}`: {}", crate::problem::system_error(&e)))?;
        let now = (found.modified().ok(), found.len());
        if self.runs.get(path).is_none_or(|known| known.version != now) {
            let names = match found.is_file() {
                _ if found.len() > MOST_BYTES => {
                    Err(format!("`{called}` is larger than {} MiB: its names are not offered", MOST_BYTES >> 20))
                }
                true => names(path, called),
                false => Err(format!("`{called}` is not a file")),
            };
            self.runs.insert(path.to_owned(), RunNames { version: now, names });
        }
        self.runs.get(path).map_or_else(|| Err(format!("cannot read `{called}`")), |known| known.names.clone())
    }
}

fn names(path: &Path, called: &str) -> Result<Arc<Vocabulary>, String> {
    let reading = Reading { options: ReadOptions::default().guessed(true), ..Reading::default() };
    let budget = Budget::with_memory(MOST_MEMORY);
    let runs = read::runs(&Input::File(path.to_owned()), &reading, &budget);
    let runs = runs.map_err(|error| {
        let first = error.to_string().lines().next().unwrap_or_default().to_owned();
        format!("cannot read `{called}` as a run: {first}")
    })?;
    let traces: Vec<_> = runs.iter().map(|run| &run.trace).collect();
    Ok(Arc::new(Vocabulary::of(called, &traces)))
}
