//! The folder that is served: what is in it, and what its texts mean.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use posetta_serve::{Listed, Listing, Premises, Refused};
use serde_json::Value;

use super::language;
use crate::inputs;
use crate::problem::system_error;
use crate::root::{self, Folder};

/// So many files are listed.
const MOST: usize = 2000;

/// So many names are looked at.
const LOOKED_AT: usize = 50_000;

/// So deep.
const DEPTH: usize = 16;

/// A folder, as the server sees it.
pub struct Served(Folder);

impl Served {
    pub fn new(directory: &Path) -> io::Result<Self> {
        let folder = Folder::new(directory)?;
        match folder.real().is_dir() {
            true => Ok(Self(folder)),
            false => Err(io::Error::other("it is not a directory")),
        }
    }

    /// Where it is, without links.
    pub fn real(&self) -> &Path {
        self.0.real()
    }
}

impl Premises for Served {
    fn files(&self) -> Listing {
        let mut walk = Walk { folder: &self.0, listing: Listing::default(), looked_at: 0 };
        walk.directory(self.real(), "", 0);
        let mut listing = walk.listing;
        listing.files.sort_by(|a, b| a.path.cmp(&b.path));
        listing
    }

    fn open(&self, path: &str) -> Result<File, Refused> {
        self.0.open(Path::new(path)).map_err(|refused| {
            Refused(match refused {
                root::Refused::Outside => format!("`{path}` leads outside of the folder"),
                root::Refused::Missing(error) => format!("cannot read `{path}`: {}", system_error(&error)),
                root::Refused::Unfit(why) => format!("cannot read `{path}`: {why}"),
            })
        })
    }

    fn language(&self, question: &Value) -> Result<Value, Refused> {
        language::answer(&self.0, question)
    }
}

/// A look through the folder.
struct Walk<'a> {
    folder: &'a Folder,
    listing: Listing,
    looked_at: usize,
}

impl Walk<'_> {
    fn directory(&mut self, real: &Path, path: &str, depth: usize) {
        let Ok(entries) = fs::read_dir(real) else { return };
        let mut entries: Vec<fs::DirEntry> = entries.take(LOOKED_AT).filter_map(Result::ok).collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            self.looked_at += 1;
            if self.listing.files.len() >= MOST || self.looked_at > LOOKED_AT {
                self.listing.cut = true;
                return;
            }
            // A name that is no text cannot be asked for.
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            if name.starts_with('.') {
                continue;
            }
            let below = if path.is_empty() { name } else { format!("{path}/{name}") };
            if kind.is_dir() {
                match depth < DEPTH {
                    true => self.directory(&entry.path(), &below, depth + 1),
                    false => self.listing.cut = true,
                }
            } else {
                self.file(&entry.path(), below);
            }
        }
    }

    /// Lists a file that can be opened. A link that leads out cannot.
    fn file(&mut self, real: &Path, path: String) {
        let Some(kind) = kind_of(real) else { return };
        let Ok(size) = self.folder.open(Path::new(&path)).map(|file| file.metadata().map_or(0, |meta| meta.len()))
        else {
            return;
        };
        // Other JSON is not about runs.
        let is_fit = kind != "run" || inputs::is_run(&self.folder.real().join(PathBuf::from(&path)));
        if is_fit {
            self.listing.files.push(Listed { path, kind, size });
        }
    }
}

/// What a file is for, as far as its name says it.
fn kind_of(path: &Path) -> Option<&'static str> {
    match inputs::extension(path)?.to_ascii_lowercase().as_str() {
        "props" | "hoa" => Some("properties"),
        "smv" | "sys" | "aut" | "pnml" => Some("model"),
        _ if inputs::may_be_run(path) => Some("run"),
        _ => None,
    }
}
