//! The server's own directory: files that were dropped on the page, texts that are not saved, and answers.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{DROPS, path};

/// So many dropped files are kept at a time.
const MOST_FILES: usize = 64;

/// Files that were dropped on the page, the oldest first.
pub struct Drops {
    directory: PathBuf,
    /// So many bytes are kept.
    most: u64,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    next: u64,
    bytes: u64,
    files: VecDeque<Dropped>,
}

/// A file that was dropped on the page.
#[derive(Clone, Debug)]
pub struct Dropped {
    pub number: u64,
    pub name: String,
    /// The directory that has it and nothing else.
    pub beside: PathBuf,
    pub size: u64,
}

impl Drops {
    pub fn new(scratch: &Path, largest: usize) -> Self {
        let most = (largest as u64).saturating_mul(DROPS as u64);
        Self { directory: scratch.to_owned(), most, kept: Mutex::default() }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a file. Older ones go if there is no room.
    pub fn keep(&self, name: &str, bytes: &[u8]) -> io::Result<Dropped> {
        let number = {
            let mut kept = self.kept();
            kept.next += 1;
            kept.next
        };
        let (name, size) = (path::own_name(name), bytes.len() as u64);
        let beside = self.directory.join(format!("dropped-{number}"));
        fs::create_dir(&beside)?;
        if let Err(error) = fs::write(beside.join(&name), bytes) {
            let _ = fs::remove_dir_all(&beside);
            return Err(error);
        }
        let dropped = Dropped { number, name, beside, size };
        let mut kept = self.kept();
        kept.bytes += size;
        kept.files.push_back(dropped.clone());
        while (kept.bytes > self.most || kept.files.len() > MOST_FILES)
            && kept.files.len() > 1
            && let Some(oldest) = kept.files.pop_front()
        {
            kept.bytes -= oldest.size;
            let _ = fs::remove_dir_all(&oldest.beside);
        }
        Ok(dropped)
    }

    /// One of them.
    pub fn find(&self, number: u64) -> Option<Dropped> {
        self.kept().files.iter().find(|dropped| dropped.number == number).cloned()
    }
}
