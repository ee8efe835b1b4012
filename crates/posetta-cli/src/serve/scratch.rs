//! A directory of the server's own.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::files::unguessable;

/// So many names are tried.
const TRIES: usize = 16;

/// A directory that nobody else can look into, and that goes with this value.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> io::Result<Self> {
        for _ in 0..TRIES {
            let place = std::env::temp_dir().join(format!("posetta-serve-{:016x}", unguessable()));
            match create(&place) {
                // Children have other directories to be in.
                Ok(()) => return Ok(Self(place.canonicalize()?)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    pub fn place(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(unix)]
fn create(place: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().mode(0o700).create(place)
}

#[cfg(not(unix))]
fn create(place: &Path) -> io::Result<()> {
    fs::create_dir(place)
}
