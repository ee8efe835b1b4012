//! The files that a process reads: nothing that it writes may replace one of them, and it can be confined to directories.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The files that this process reads, as the system knows them.
static INPUTS: Mutex<BTreeSet<Identity>> = Mutex::new(BTreeSet::new());

/// What a file is, whatever it is called: two links to one file are one file.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg(unix)]
pub struct Identity(u64, u64);
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg(not(unix))]
/// What a file is, whatever it is called.
pub struct Identity(PathBuf);

/// `None` for what can be read and written at once, such as a device.
pub fn identity(
    #[cfg_attr(unix, expect(unused, reason = "the system has numbers for files"))] path: &Path,
    found: &fs::Metadata,
) -> Option<Identity> {
    if !found.is_file() {
        return None;
    }
    #[cfg(unix)]
    return Some(Identity(found.dev(), found.ino()));
    #[cfg(not(unix))]
    return fs::canonicalize(path).ok().map(Identity);
}

/// Opens a file that is read: nothing that this process writes may replace it.
pub fn open(path: &Path) -> io::Result<File> {
    open_known(path).map(|(file, _)| file)
}

/// The same, with what the system knows about it.
pub fn open_known(path: &Path) -> io::Result<(File, fs::Metadata)> {
    let file = File::open(path)?;
    let found = file.metadata()?;
    if let Some(directories) = CONFINED.get() {
        stays_in(directories, path, &found)?;
    }
    if let Some(identity) = identity(path, &found) {
        INPUTS.lock().unwrap_or_else(PoisonError::into_inner).insert(identity);
    }
    Ok((file, found))
}

/// The directories that this process may read files of, if it was told any.
static CONFINED: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// From now on only files in these directories are read that are not hidden there, whatever they are called and wherever links lead.
pub fn confine(directories: &[PathBuf]) -> io::Result<()> {
    if !directories.is_empty() {
        let real: io::Result<Vec<PathBuf>> = directories.iter().map(fs::canonicalize).collect();
        let _ = CONFINED.set(real?);
    }
    Ok(())
}

/// What was opened is what the path leads to, and lies in one of the directories. Others may change them meanwhile.
fn stays_in(directories: &[PathBuf], path: &Path, found: &fs::Metadata) -> io::Result<()> {
    let real = fs::canonicalize(path)?;
    let is_inside = directories.iter().any(|directory| real.strip_prefix(directory).is_ok_and(is_seen));
    let now = fs::symlink_metadata(&real)?;
    match is_inside && identity(path, found).is_some() && identity(path, found) == identity(&real, &now) {
        true => Ok(()),
        false => Err(io::Error::other("it is not a file of the folder that may be read")),
    }
}

/// Whether no name of a path begins with a dot: what is hidden from those who look into a folder stays so.
#[must_use]
pub fn is_seen(path: &Path) -> bool {
    path.iter().all(|name| !name.as_encoded_bytes().starts_with(b"."))
}

/// An error if the path is a file that this process reads.
pub fn refuse_input(path: &Path) -> io::Result<()> {
    let input = fs::metadata(path).ok().and_then(|found| identity(path, &found));
    match input {
        Some(input) if INPUTS.lock().unwrap_or_else(PoisonError::into_inner).contains(&input) => {
            Err(io::Error::other("it is an input of this command, and would be overwritten"))
        }
        _ => Ok(()),
    }
}

/// Whether a directory is one in which names such as `/dev/stdin` and `/dev/fd/3` stand for streams.
pub fn has_devices(directory: &Path) -> bool {
    directory.canonicalize().is_ok_and(|real| real == Path::new("/dev") || real.starts_with("/proc"))
}
