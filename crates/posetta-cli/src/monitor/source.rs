//! Where the bytes of a stream come from: a file, a file that grows, or a pipe.
//!
//! A source hands on whole lines only, so that an interruption never leaves half a line behind: what has been handed on is a place
//! to go on from. Before it waits it says so, and whoever buffers output lets go of it. Pipes are read by a thread of their own,
//! because nothing else can wait for bytes and for an interruption at the same time. What is packed is unpacked on the way, and places
//! count what comes out.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use posetta_base::Budget;
use posetta_formats::Unpacked;

use crate::files;
use crate::limited::locked;
use crate::read;

/// Large enough to read files fast; of a pipe what is there is read, however little.
const BUFFER: usize = 1 << 18;
/// The beginning of a line is held back up to this length; a longer one is handed on as it comes.
const HELD_BACK: usize = 1 << 20;
/// How often a wait looks whether it should end.
const LOOK: Duration = Duration::from_millis(50);

/// Why a stream ended although its input did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Interrupted,
    /// The file is no longer there, or another one is.
    Removed,
    /// The file has become shorter than what was read of it.
    Truncated,
    /// A limit was reached; the budget says which.
    Limit,
}

/// What to call before waiting.
pub type Pause = Box<dyn FnMut()>;

/// How an interruption shows, and where it is noted that it has ended the stream.
pub struct Interruption {
    pub asked: Box<dyn Fn() -> bool>,
    pub heard: Arc<AtomicBool>,
}

/// The bytes of a stream.
pub struct Source {
    origin: Origin,
    /// `buffer[start..ready]` can be handed on, `buffer[ready..end]` is the beginning of a line.
    buffer: Vec<u8>,
    start: usize,
    ready: usize,
    end: usize,
    at_end: bool,
    interruption: Interruption,
    budget: Budget,
    pause: Pause,
    ended: Arc<Mutex<Option<Ended>>>,
}

enum Origin {
    File {
        file: File,
        path: PathBuf,
        follow: bool,
        position: u64,
    },
    /// A packed file.
    Packed(Unpacked<'static>),
    Pipe(Receiver<io::Result<Vec<u8>>>),
}

impl Source {
    /// Opens a file or, for `-`, standard input. `follow` waits for more at the end of a file.
    pub fn open(
        path: &Path,
        follow: bool,
        interruption: Interruption,
        budget: &Budget,
        pause: Pause,
    ) -> io::Result<Self> {
        let origin = if path.as_os_str() == "-" {
            pipe(|| Ok(io::stdin()))?
        } else {
            match path.metadata()? {
                data if data.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
                data if data.is_file() => file(path, follow)?,
                // A pipe is open when somebody writes to it, which may be never.
                _ => {
                    let path = path.to_owned();
                    pipe(move || File::open(path))?
                }
            }
        };
        Ok(Self {
            origin,
            buffer: vec![0; BUFFER],
            start: 0,
            ready: 0,
            end: 0,
            at_end: false,
            interruption,
            budget: budget.clone(),
            pause,
            ended: Arc::default(),
        })
    }

    /// Where it will be said why the stream ended, if its input did not.
    pub fn ended(&self) -> Arc<Mutex<Option<Ended>>> {
        Arc::clone(&self.ended)
    }

    /// Passes over the first `bytes`, before anything was read. Answers `false` if there are fewer.
    pub fn skip(&mut self, bytes: u64) -> io::Result<bool> {
        if let Origin::File { file, position, .. } = &mut self.origin {
            if file.metadata()?.len() < bytes {
                return Ok(false);
            }
            *position = file.seek(SeekFrom::Start(bytes))?;
            return Ok(true);
        }
        let mut left = bytes;
        while left > 0 {
            let there = self.fill_buf()?.len();
            if there == 0 {
                return Ok(false);
            }
            let passed = usize::try_from(left).map_or(there, |left| left.min(there));
            self.consume(passed);
            left -= passed as u64;
        }
        Ok(true)
    }

    /// What the stream begins with, before anything was read: up to the first line that is not blank, or all of it. Nothing of it is
    /// passed over. `None` if it did not get so far before the stream was ended, or before there was more than is held back.
    pub fn start(&mut self) -> io::Result<Option<&[u8]>> {
        self.fill_buf()?;
        while read::is_blank(&self.buffer[self.start..self.ready]) {
            if self.at_end && self.ready == self.end {
                let ended = locked(&self.ended).is_some();
                return Ok((!ended).then_some(&self.buffer[self.start..self.ready]));
            }
            if self.end - self.start >= HELD_BACK {
                return Ok(None);
            }
            self.hold_more()?;
        }
        Ok(Some(&self.buffer[self.start..self.ready]))
    }

    /// Gets more, and finds how much of it can be handed on.
    fn hold_more(&mut self) -> io::Result<()> {
        if self.at_end {
            // The last line may have no end.
            self.ready = self.end;
            return Ok(());
        }
        let before = self.end;
        self.pull()?;
        let new = self.buffer.get(before..self.end).unwrap_or_default();
        match new.iter().rposition(|&b| b == b'\n') {
            Some(last) => self.ready = before + last + 1,
            None if self.end >= HELD_BACK => self.ready = self.end,
            None => {}
        }
        Ok(())
    }

    fn end(&mut self, why: Ended) {
        *locked(&self.ended) = Some(why);
        self.at_end = true;
        // The beginning of a line is left to whoever goes on from here.
        self.end = self.ready;
    }

    /// Whether a wait should end; then it has.
    fn is_over(&mut self) -> bool {
        if (self.interruption.asked)() {
            self.interruption.heard.store(true, SeqCst);
            self.end(Ended::Interrupted);
        } else if self.budget.step(0, "waiting for the stream").is_err() {
            self.end(Ended::Limit);
        }
        self.at_end
    }

    /// Gets more bytes behind `end`, or finds that there are none.
    fn pull(&mut self) -> io::Result<()> {
        if self.is_over() {
            return Ok(());
        }
        match &mut self.origin {
            Origin::File { .. } => self.pull_file(),
            Origin::Packed(_) => self.pull_packed(),
            Origin::Pipe(_) => self.pull_pipe(),
        }
    }

    fn pull_file(&mut self) -> io::Result<()> {
        if self.end == self.buffer.len() {
            self.buffer.resize(2 * self.end, 0);
        }
        loop {
            let Origin::File { file, path, follow, position } = &mut self.origin else { return Ok(()) };
            let read = file.read(&mut self.buffer[self.end..])?;
            *position += read as u64;
            if read > 0 {
                self.end += read;
                return Ok(());
            }
            if !*follow {
                self.at_end = true;
                return Ok(());
            }
            let gone = is_gone(file, path);
            let shorter = file.metadata()?.len() < *position;
            // What came between the read and the look is read first.
            if file.metadata()?.len() <= *position && (gone || shorter) {
                self.end(if shorter { Ended::Truncated } else { Ended::Removed });
                return Ok(());
            }
            (self.pause)();
            thread::sleep(LOOK);
            if self.is_over() {
                return Ok(());
            }
        }
    }

    fn pull_packed(&mut self) -> io::Result<()> {
        if self.end == self.buffer.len() {
            self.buffer.resize(2 * self.end, 0);
        }
        let Origin::Packed(from) = &mut self.origin else { return Ok(()) };
        let read = from.read(&mut self.buffer[self.end..])?;
        self.end += read;
        self.at_end = read == 0;
        Ok(())
    }

    fn pull_pipe(&mut self) -> io::Result<()> {
        let mut waits = false;
        loop {
            let Origin::Pipe(chunks) = &self.origin else { return Ok(()) };
            let chunk = if waits {
                chunks.recv_timeout(LOOK)
            } else {
                chunks.try_recv().map_err(|error| match error {
                    TryRecvError::Empty => RecvTimeoutError::Timeout,
                    TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
                })
            };
            match chunk {
                Ok(chunk) => {
                    let chunk = chunk?;
                    self.buffer.truncate(self.end);
                    self.buffer.extend_from_slice(&chunk);
                    self.end = self.buffer.len();
                    return Ok(());
                }
                Err(RecvTimeoutError::Disconnected) => {
                    self.at_end = true;
                    return Ok(());
                }
                Err(RecvTimeoutError::Timeout) if !waits => {
                    (self.pause)();
                    waits = true;
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.is_over() {
                return Ok(());
            }
        }
    }
}

/// A file. What is packed can be followed only where nobody needs to look back, which is a pipe.
fn file(path: &Path, follow: bool) -> io::Result<Origin> {
    let unpacked = Unpacked::new(BufReader::with_capacity(BUFFER, files::open(path)?))?;
    match unpacked.packing() {
        None => Ok(Origin::File { file: files::open(path)?, path: path.to_owned(), follow, position: 0 }),
        Some(packing) if follow => {
            let message =
                format!("it is packed with {}, and --follow waits for lines at the end of a file", packing.name());
            Err(io::Error::other(message))
        }
        Some(_) => Ok(Origin::Packed(unpacked)),
    }
}

/// Opens and reads in a thread of its own. Two pieces may wait: one is read while the other is worked on.
fn pipe<R: Read>(open: impl FnOnce() -> io::Result<R> + Send + 'static) -> io::Result<Origin> {
    let (send, receive) = sync_channel(2);
    thread::Builder::new().spawn(move || {
        let unpacked = open().and_then(|from| Unpacked::new(BufReader::with_capacity(BUFFER, from)));
        let mut from = match unpacked {
            Ok(from) => from,
            Err(error) => return drop(send.send(Err(error))),
        };
        let mut buffer = vec![0; BUFFER];
        loop {
            let piece = match from.read(&mut buffer) {
                Ok(0) => return,
                Ok(n) => Ok(buffer[..n].to_vec()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
            };
            let failed = piece.is_err();
            if send.send(piece).is_err() || failed {
                return;
            }
        }
    })?;
    Ok(Origin::Pipe(receive))
}

/// Whether the path no longer leads to the file.
#[cfg(unix)]
fn is_gone(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), path.metadata()) {
        (Ok(ours), Ok(theirs)) => (ours.dev(), ours.ino()) != (theirs.dev(), theirs.ino()),
        (_, Err(error)) => error.kind() == io::ErrorKind::NotFound,
        (Err(_), _) => false,
    }
}

#[cfg(not(unix))]
fn is_gone(_file: &File, path: &Path) -> bool {
    !path.exists()
}

impl Read for Source {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let there = self.fill_buf()?;
        let n = there.len().min(into.len());
        into[..n].copy_from_slice(&there[..n]);
        self.consume(n);
        Ok(n)
    }
}

impl BufRead for Source {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.start == self.ready && !(self.at_end && self.ready == self.end) {
            if !self.at_end {
                self.buffer.copy_within(self.ready..self.end, 0);
                self.end -= self.ready;
                (self.start, self.ready) = (0, 0);
            }
            self.hold_more()?;
        }
        Ok(&self.buffer[self.start..self.ready])
    }

    fn consume(&mut self, n: usize) {
        self.start = (self.start + n).min(self.ready);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, OpenOptions};
    use std::io::Write;

    fn open(path: &Path, follow: bool) -> (Source, Arc<AtomicBool>) {
        let interrupted = Arc::new(AtomicBool::new(false));
        let source = Source::open(path, follow, by(&interrupted), &Budget::unlimited(), Box::new(|| ())).unwrap();
        (source, interrupted)
    }

    fn by(flag: &Arc<AtomicBool>) -> Interruption {
        let flag = Arc::clone(flag);
        Interruption { asked: Box::new(move || flag.load(SeqCst)), heard: Arc::default() }
    }

    #[test]
    fn a_file_is_handed_on_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        for text in ["", "a", "a\n", "a\nb", &"0123456789\n".repeat(200_000), &"x".repeat(3_000_000)] {
            fs::write(&path, text).unwrap();
            let mut read = String::new();
            open(&path, false).0.read_to_string(&mut read).unwrap();
            assert!(read == text, "{} bytes of {}", read.len(), text.len());
            let half = text.len() as u64 / 2;
            let (mut source, _) = open(&path, false);
            assert!(source.skip(half).unwrap());
            read.clear();
            source.read_to_string(&mut read).unwrap();
            assert!(text.ends_with(&read) && read.len() as u64 == text.len() as u64 - half);
            assert!(!open(&path, false).0.skip(text.len() as u64 + 1).unwrap());
        }
        assert!(Source::open(dir.path(), false, by(&Arc::default()), &Budget::unlimited(), Box::new(|| ())).is_err());
    }

    /// Whatever is read while it is written, half a line is kept back until the rest has come.
    #[test]
    fn a_growing_file_is_followed_until_it_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        for how in ["removed", "truncated", "interrupted"] {
            let path = dir.path().join(how);
            fs::write(&path, "a\nb").unwrap();
            let (mut source, interrupted) = open(&path, true);
            assert_eq!(source.fill_buf().unwrap(), b"a\n");
            source.consume(2);
            let mut file = OpenOptions::new().append(true).open(&path).unwrap();
            file.write_all(b"c\nd").unwrap();
            assert_eq!(source.fill_buf().unwrap(), b"bc\n", "{how}");
            source.consume(3);
            let why = match how {
                "removed" => {
                    fs::remove_file(&path).unwrap();
                    Ended::Removed
                }
                "truncated" => {
                    fs::write(&path, "a\n").unwrap();
                    Ended::Truncated
                }
                _ => {
                    interrupted.store(true, SeqCst);
                    Ended::Interrupted
                }
            };
            assert_eq!(source.fill_buf().unwrap(), b"", "{how}");
            assert_eq!(*locked(&source.ended()), Some(why));
        }
    }
}
