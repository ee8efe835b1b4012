//! Sealed records in a directory that several processes may share.
//!
//! A directory holds segments: files of records that are written beside their place and renamed when they are complete, so a process that is
//! killed leaves a draft that nobody reads, and never half a segment. Each record has a key, its length under a check of its own, and a
//! seal over key and content, which is compared before anything is read. What does not fit is as if it were not there, and is counted.
//!
//! Nothing is ever changed in place. Where segments become many, one process writes a new one of what they hold and takes away those that it has
//! read; another one that looks for a record there meanwhile does not find it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant, SystemTime};

use crate::files;
use crate::limited::locked;

/// What a record is found by.
pub type Key = [u8; 32];

const EXTENSION: &str = "verdicts";
/// What a segment begins with. The number is that of this form of segments and records.
const FIRST: &[u8] = b"posetta verdicts 1\n";
/// Length, day, key, check of these; seal of key and content.
const HEADER: usize = 4 + 4 + 32 + 16 + 16;
/// A record is not larger.
pub const LARGEST: usize = 64 << 20;

/// A segment is finished when it has so much, or has been begun so long ago: what is in it then outlives this process.
const FULL: usize = 8 << 20;
const SOON: Duration = Duration::from_secs(2);
/// More segments than this are put together, without what nobody has used for so many days.
const SEGMENTS: usize = 8;
const DAYS: u32 = 30;
/// So much is held of all segments together.
const HELD: u64 = 64 << 20;

/// Records by their keys.
pub struct Store {
    directory: PathBuf,
    segments: Vec<Segment>,
    index: HashMap<Key, Found>,
    writing: Mutex<Writing>,
    today: u32,
    damaged: AtomicU64,
}

struct Segment {
    path: PathBuf,
    file: File,
    /// What is in it, if there is room: it has been read once, to find the records, and to ask for each again would take longer.
    held: Option<Vec<u8>>,
}

/// Fills the buffer from a place of a file, without a lock where the system can do that.
#[cfg(unix)]
fn read_at(file: &File, at: u64, buffer: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, at)
}

#[cfg(not(unix))]
fn read_at(file: &File, at: u64, buffer: &mut [u8]) -> io::Result<()> {
    static ONE_BY_ONE: Mutex<()> = Mutex::new(());
    let _turn = locked(&ONE_BY_ONE);
    let mut file = file;
    io::Seek::seek(&mut file, io::SeekFrom::Start(at))?;
    file.read_exact(buffer)
}

/// Where a record is.
struct Found {
    segment: usize,
    at: u64,
    length: u32,
    day: u32,
    seal: [u8; 16],
    /// Somebody asked for it and got it.
    used: AtomicBool,
}

#[derive(Default)]
struct Writing {
    /// What is not on the disk yet.
    bytes: Vec<u8>,
    since: Option<Instant>,
    /// The segments of this process.
    own: Vec<PathBuf>,
    /// Why nothing more is written.
    failed: Option<String>,
}

impl Store {
    /// Opens a directory, which is made if it is not there.
    pub fn open(directory: &Path) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let mut store = Self {
            directory: directory.to_owned(),
            segments: Vec::new(),
            index: HashMap::new(),
            writing: Mutex::default(),
            today: u32::try_from(now.as_secs() / 86_400).unwrap_or(u32::MAX),
            damaged: AtomicU64::new(0),
        };
        let mut paths: Vec<PathBuf> = Vec::new();
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            if path.extension().is_some_and(|own| own == EXTENSION) {
                paths.push(path);
            }
        }
        paths.sort();
        for path in paths {
            // Another process may have taken it away, and a link leads anywhere.
            if let Ok(file) = files::open_regular(&path) {
                store.scan(path, file);
            }
        }
        Ok(store)
    }

    /// Lists the records of a segment. What stands behind damage cannot be found.
    fn scan(&mut self, path: PathBuf, file: File) {
        let size = file.metadata().map_or(0, |found| found.len());
        let already: usize = self.segments.iter().filter_map(|other| other.held.as_ref()).map(Vec::len).sum();
        let mut held = Vec::new();
        let fits = already as u64 + size <= HELD;
        if fits && (&file).take(size).read_to_end(&mut held).is_ok() {
            self.list(size, &mut Cursor::new(&held));
            self.segments.push(Segment { path, file, held: Some(held) });
            return;
        }
        // What was read of it is read again.
        if (&file).rewind().is_ok() {
            self.list(size, &mut BufReader::with_capacity(1 << 16, &file));
        }
        self.segments.push(Segment { path, file, held: None });
    }

    /// Lists the records that a reader of the next segment finds.
    fn list(&mut self, size: u64, reader: &mut (impl Read + Seek)) {
        let segment = self.segments.len();
        let mut first = [0; FIRST.len()];
        let mut at = FIRST.len() as u64;
        let mut is_whole = reader.read_exact(&mut first).is_ok() && first == FIRST;
        while is_whole && at < size {
            let mut header = [0; HEADER];
            let found = match reader.read_exact(&mut header) {
                Ok(()) => parse(&header),
                Err(_) => None,
            };
            at += HEADER as u64;
            let Some((key, length, day, seal)) = found.filter(|&(_, length, ..)| at + u64::from(length) <= size) else {
                is_whole = false;
                break;
            };
            self.index.insert(key, Found { segment, at, length, day, seal, used: AtomicBool::new(false) });
            is_whole = reader.seek_relative(i64::from(length)).is_ok();
            at += u64::from(length);
        }
        if !is_whole {
            self.damaged.fetch_add(1, Relaxed);
        }
    }

    /// The content of a record, if it is there and what was written.
    pub fn get(&self, key: &Key) -> Option<Cow<'_, [u8]>> {
        let found = self.index.get(key)?;
        let content = self.read(key, found);
        match content {
            Some(_) => found.used.store(true, Relaxed),
            None => self.is_damaged(),
        }
        content
    }

    fn read(&self, key: &Key, found: &Found) -> Option<Cow<'_, [u8]>> {
        let segment = &self.segments[found.segment];
        let content = match &segment.held {
            Some(held) => {
                let at = usize::try_from(found.at).ok()?;
                Cow::Borrowed(held.get(at..)?.get(..found.length as usize)?)
            }
            None => {
                let mut content = vec![0; found.length as usize];
                read_at(&segment.file, found.at, &mut content).ok()?;
                Cow::Owned(content)
            }
        };
        (seal(key, &content) == found.seal).then_some(content)
    }

    /// Something that is there cannot be used.
    pub fn is_damaged(&self) {
        self.damaged.fetch_add(1, Relaxed);
    }

    /// How much of what is there cannot be used.
    pub fn damaged(&self) -> u64 {
        self.damaged.load(Relaxed)
    }

    /// Adds a record.
    pub fn put(&self, key: &Key, content: &[u8]) {
        let mut writing = locked(&self.writing);
        if writing.failed.is_some() || content.len() > LARGEST {
            return;
        }
        record(&mut writing.bytes, key, content, self.today);
        let since = *writing.since.get_or_insert_with(Instant::now);
        if writing.bytes.len() >= FULL || since.elapsed() >= SOON {
            self.flush(&mut writing);
        }
    }

    fn flush(&self, writing: &mut Writing) {
        if writing.bytes.is_empty() {
            return;
        }
        writing.since = None;
        let bytes = std::mem::take(&mut writing.bytes);
        match self.write(&bytes) {
            Ok(path) => writing.own.push(path),
            Err(error) => writing.failed = Some(error.to_string()),
        }
    }

    /// Writes a segment of these records.
    fn write(&self, records: &[u8]) -> io::Result<PathBuf> {
        let path = self.directory.join(format!("{:016x}.{EXTENSION}", files::unguessable()));
        let mut output = files::Output::create(&path)?;
        output.write_all(FIRST)?;
        output.write_all(records)?;
        output.finish()?;
        Ok(path)
    }

    /// Writes what is not written yet, and puts segments together where they are many. Answers with what went wrong.
    pub fn finish(&self) -> Option<String> {
        let mut writing = locked(&self.writing);
        self.flush(&mut writing);
        if writing.failed.is_none()
            && !writing.own.is_empty()
            && self.segments.len() + writing.own.len() > SEGMENTS
            && let Err(error) = self.gather(&mut writing)
        {
            writing.failed = Some(error.to_string());
        }
        writing.failed.take()
    }

    /// One segment of what those hold that were there at the beginning. Those of this process stay as they are.
    fn gather(&self, writing: &mut Writing) -> io::Result<()> {
        let mut bytes = Vec::new();
        for (key, found) in &self.index {
            let day = if found.used.load(Relaxed) { self.today } else { found.day };
            if self.today.saturating_sub(day) > DAYS {
                continue;
            }
            if let Some(content) = self.read(key, found) {
                record(&mut bytes, key, &content, day);
            }
            if bytes.len() >= FULL {
                let path = self.write(&std::mem::take(&mut bytes))?;
                writing.own.push(path);
            }
        }
        if !bytes.is_empty() {
            writing.own.push(self.write(&bytes)?);
        }
        for segment in &self.segments {
            let _ = fs::remove_file(&segment.path);
        }
        Ok(())
    }
}

fn check(header: &[u8]) -> [u8; 16] {
    shortened(blake3::hash(&header[..40]))
}

fn seal(key: &Key, content: &[u8]) -> [u8; 16] {
    shortened(blake3::keyed_hash(key, content))
}

fn shortened(hash: blake3::Hash) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&hash.as_bytes()[..16]);
    short
}

/// Adds a record with its header.
fn record(out: &mut Vec<u8>, key: &Key, content: &[u8], day: u32) {
    let start = out.len();
    out.extend((content.len() as u32).to_le_bytes());
    out.extend(day.to_le_bytes());
    out.extend(key);
    let check = check(&out[start..]);
    out.extend(check);
    out.extend(seal(key, content));
    out.extend(content);
}

/// Key, length, day and seal of a header, if it is what was written.
fn parse(header: &[u8; HEADER]) -> Option<(Key, u32, u32, [u8; 16])> {
    let number = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let key: Key = header[8..40].try_into().ok()?;
    let seal = header[56..].try_into().ok()?;
    (check(header) == header[40..56] && number(0) as usize <= LARGEST).then_some((key, number(0), number(4), seal))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u8) -> Key {
        [n; 32]
    }

    /// Every byte of a segment changed, and every length: what is found is what was written, or nothing.
    #[test]
    fn damage_is_not_found() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let contents = [b"first".to_vec(), Vec::new(), b"the third one".to_vec()];
        for (n, content) in contents.iter().enumerate() {
            store.put(&key(n as u8), content);
        }
        assert_eq!(store.finish(), None);
        let path = fs::read_dir(dir.path()).unwrap().next().unwrap().unwrap().path();
        let whole = fs::read(&path).unwrap();
        let reopened = Store::open(dir.path()).unwrap();
        for (n, content) in contents.iter().enumerate() {
            assert_eq!(reopened.get(&key(n as u8)).as_deref(), Some(&content[..]));
        }
        assert_eq!((reopened.get(&key(9)), reopened.damaged()), (None, 0));
        let mut variants: Vec<Vec<u8>> = (0..whole.len()).map(|end| whole[..end].to_vec()).collect();
        for at in 0..whole.len() {
            for bits in [1, 0x80, 0xff] {
                let mut one = whole.clone();
                one[at] ^= bits;
                variants.push(one);
            }
        }
        for bytes in variants {
            fs::write(&path, &bytes).unwrap();
            let store = Store::open(dir.path()).unwrap();
            let mut lost = 0;
            for (n, content) in contents.iter().enumerate() {
                match store.get(&key(n as u8)) {
                    Some(found) => assert_eq!(*found, *content),
                    None => lost += 1,
                }
            }
            // A segment that ends behind a record is one that never had more.
            assert!(lost == 0 || store.damaged() > 0 || bytes.len() < whole.len(), "{bytes:?}");
        }
    }

    #[test]
    fn many_segments_become_few_and_nothing_is_lost() {
        let dir = tempfile::tempdir().unwrap();
        let count = || fs::read_dir(dir.path()).unwrap().count();
        for n in 0..40u8 {
            let store = Store::open(dir.path()).unwrap();
            (0..n).for_each(|old| assert_eq!(store.get(&key(old)).as_deref(), Some(&[old; 3][..]), "{old} at {n}"));
            store.put(&key(n), &[n; 3]);
            assert_eq!(store.finish(), None);
            assert!(count() <= SEGMENTS + 1, "{}", count());
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let store = Store::open(other.path()).unwrap();
        store.put(&key(1), b"one");
        store.finish();
        let path = fs::read_dir(other.path()).unwrap().next().unwrap().unwrap().path();
        std::os::unix::fs::symlink(&path, dir.path().join("a.verdicts")).unwrap();
        assert_eq!(Store::open(dir.path()).unwrap().get(&key(1)), None);
    }
}
