//! `--cache`: answers that are kept from one check to the next.
//!
//! What is kept is what `posetta_tell` tells of every property on the runs of one file, as data, so every report can be made of it. It is
//! found by a hash of everything that it depends on: the bytes of the file and its name, the properties as they were read with all
//! that they import, the mapping, the model, every option but those that cannot change an answer, and this very program. The bytes are hashed
//! again while they are read, so what is kept belongs to what was read even if the file changes meanwhile.
//!
//! Nothing is kept that could be another answer another day: no `unknown`, nothing that a limit cut short, no mistakes, and no run that lacks a
//! variable, because then other runs have a say in the answer.

mod program;
mod store;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::JoinHandle;

use posetta_base::{Diagnostic, Kind};
use posetta_files::runs::path_beside;
use posetta_tell::checked::{Outcome, Shape};
use posetta_tell::conformed::Followed;
use posetta_tell::kept::Kept;
use posetta_tell::{Problem, Word, grouped};

use crate::across::Names;
use crate::board::{RunReport, Slot};
use crate::files;
use crate::inputs::Input;
use crate::limited::locked;
use crate::output;
use crate::problem::system_error;

use self::store::{Key, Store};

/// Answers that are kept, to one question.
pub struct Cache {
    store: Store,
    question: Key,
    /// What has been found out about files whose runs are not all complete.
    pending: Mutex<HashMap<usize, Pending>>,
    known: AtomicU64,
    anew: AtomicU64,
    /// Names of runs, as they are kept: most runs have the same.
    names: Mutex<Vec<Vec<u8>>>,
}

/// So many lists of names are remembered.
const NAMES: usize = 16;

/// The runs of a file that are complete.
struct Pending {
    key: Key,
    runs: BTreeMap<usize, Vec<u8>>,
    bytes: usize,
    /// How many there are, once that is known.
    all: Option<usize>,
}

/// What is kept of a run.
pub struct Run {
    pub name: String,
    pub shape: Shape,
    /// Nothing if it is `fine`, and another run with the same names was found before.
    pub names: Option<Names>,
    pub warnings: Vec<Diagnostic>,
    /// One for each property, decided; none if it is `fine`.
    pub slots: Vec<Slot>,
    pub followed: Option<Followed>,
    /// Everything holds, nothing is worth knowing about it, and nobody wants to hear more.
    pub fine: bool,
}

impl Cache {
    /// Opens a directory for a question, which is all that answers depend on beside the files.
    pub fn open(directory: &Path, prepared: Prepared, question: &[String]) -> Result<Self, Box<Problem>> {
        let cannot = |error: io::Error| {
            let message = format!("cannot use `{}` as a cache: {}", directory.display(), system_error(&error));
            Box::new(Problem::in_text("--cache", Diagnostic::of_input(Kind::Input, message)))
        };
        let mut hasher = blake3::Hasher::new();
        let mut add = |part: &[u8]| {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        };
        add(env!("CARGO_PKG_VERSION").as_bytes());
        add(&prepared.program.end().map_err(cannot)?);
        question.iter().for_each(|part| add(part.as_bytes()));
        Ok(Self {
            store: prepared.store.end().map_err(cannot)?,
            question: *hasher.finalize().as_bytes(),
            pending: Mutex::default(),
            known: AtomicU64::new(0),
            anew: AtomicU64::new(0),
            names: Mutex::default(),
        })
    }

    /// What is kept about a file, if it is a file that can be read twice. With `counts_fine`, of a run on which everything holds nothing
    /// more than that.
    pub fn find(&self, input: &Input, counts_fine: bool) -> Option<Vec<Run>> {
        let (Input::File(path) | Input::Part(path, _)) = input else { return None };
        let (mut file, found) = files::open_known(path).ok().filter(|(_, found)| found.is_file())?;
        let content = with_beside(hash_of(&mut file, found.len()).ok()?, hash_beside(path));
        let bytes = self.store.get(&self.key(input, &content));
        let runs = bytes.as_deref().and_then(|bytes| {
            let runs = self.runs(bytes, counts_fine);
            if runs.is_none() {
                self.store.is_damaged();
            }
            runs
        });
        (if runs.is_some() { &self.known } else { &self.anew }).fetch_add(1, Relaxed);
        runs
    }

    fn key(&self, input: &Input, content: &Key) -> Key {
        let name = match input {
            Input::File(path) => (path.as_os_str().as_encoded_bytes(), ""),
            Input::Part(path, label) => (path.as_os_str().as_encoded_bytes(), label.as_str()),
            Input::Stdin | Input::Stream(_) | Input::Joined(_) | Input::Received(_) => (&b""[..], ""),
        };
        let mut hasher = blake3::Hasher::new_keyed(&self.question);
        hasher.update(content);
        hasher.update(&(name.0.len() as u64).to_le_bytes());
        hasher.update(name.0);
        hasher.update(name.1.as_bytes());
        *hasher.finalize().as_bytes()
    }

    /// A file has been read, and had this content.
    pub fn begin(&self, at: usize, input: &Input, content: &Key) {
        let pending = Pending { key: self.key(input, content), runs: BTreeMap::new(), bytes: 0, all: None };
        locked(&self.pending).insert(at, pending);
    }

    /// A file has so many runs.
    pub fn all_listed(&self, at: usize, runs: usize) {
        let mut pending = locked(&self.pending);
        if let Some(own) = pending.get_mut(&at) {
            own.all = Some(runs);
        }
        self.put(&mut pending, at);
    }

    /// A run is complete: what is to be kept of it, or nothing if the file has something that is not.
    pub fn complete(&self, (at, nth): (usize, usize), kept: Option<Vec<u8>>) {
        let mut pending = locked(&self.pending);
        let Some(own) = pending.get_mut(&at) else { return };
        own.bytes += kept.as_ref().map_or(0, Vec::len);
        match kept.filter(|_| own.bytes < store::LARGEST) {
            Some(kept) => drop(own.runs.insert(nth, kept)),
            None => drop(pending.remove(&at)),
        }
        self.put(&mut pending, at);
    }

    /// Keeps a file whose runs are all complete.
    fn put(&self, pending: &mut HashMap<usize, Pending>, at: usize) {
        if pending.get(&at).is_none_or(|own| own.all != Some(own.runs.len())) {
            return;
        }
        let Some(own) = pending.remove(&at) else { return };
        let mut bytes = Vec::with_capacity(own.bytes + 8);
        own.runs.len().keep(&mut bytes);
        own.runs.values().for_each(|run| bytes.extend(run));
        self.store.put(&own.key, &bytes);
    }

    /// Writes what is not written yet, and tells how it went.
    pub fn finish(&self) {
        let failed = self.store.finish();
        let (known, anew) = (self.known.load(Relaxed), self.anew.load(Relaxed));
        let mut told = format!("cache: {} of {} files were known", grouped(known), grouped(known + anew));
        match self.store.damaged() {
            0 => {}
            1 => told.push_str("; 1 entry was damaged and not used"),
            damaged => told.push_str(&format!("; {} entries were damaged and not used", grouped(damaged))),
        }
        output::remark(&format!("{told}\n"));
        if let Some(error) = failed {
            output::remark(&format!("cache: nothing more could be kept: {error}\n"));
        }
    }
}

/// What is kept of a run whose answers are complete, if they would be the same another day. `is_whole`: it was looked for parts of a
/// property that ask for nothing, or nobody asked. `triggers`: how many of these there may be.
pub fn kept(
    run: &RunReport,
    is_whole: impl Fn(usize, &Outcome) -> bool,
    triggers: impl Fn(usize) -> usize,
) -> Option<Vec<u8>> {
    let shape = run.shape.filter(|_| !run.leans && run.unreadable.is_empty())?;
    let mut answers = Vec::new();
    let mut fine = matches!(run.followed, Slot::Open);
    run.slots.len().keep(&mut answers);
    for (p, slot) in run.slots.iter().enumerate() {
        match slot {
            Slot::Done(outcome) if outcome.is_final() && is_whole(p, outcome) => {
                fine &= outcome.word == Word::Holds && outcome.warnings.is_empty();
                fine &= outcome.looked || triggers(p) == 0;
                outcome.keep(&mut answers);
            }
            Slot::Done(_) | Slot::Open | Slot::Failed(_) => return None,
        }
    }
    match &run.followed {
        Slot::Open => false.keep(&mut answers),
        Slot::Done(followed) if followed.is_final() => {
            true.keep(&mut answers);
            followed.keep(&mut answers);
        }
        Slot::Done(_) | Slot::Failed(_) => return None,
    }
    let (mut names, mut rest) = (Vec::new(), Vec::with_capacity(answers.len() + 256));
    run.names.keep(&mut names);
    run.name.keep(&mut rest);
    shape.keep(&mut rest);
    run.warnings.keep(&mut rest);
    rest.extend(answers);
    let mut out = Vec::with_capacity(names.len() + rest.len() + 16);
    fine.keep(&mut out);
    for part in [names, rest] {
        part.len().keep(&mut out);
        out.extend(part);
    }
    Some(out)
}

impl Cache {
    /// The runs of a file, if that is what these bytes are.
    fn runs(&self, mut input: &[u8], counts_fine: bool) -> Option<Vec<Run>> {
        let count = usize::found(&mut input)?;
        let runs = (0..count).map(|_| self.run(&mut input, counts_fine)).collect::<Option<_>>()?;
        input.is_empty().then_some(runs)
    }

    fn run(&self, input: &mut &[u8], counts_fine: bool) -> Option<Run> {
        let fine = bool::found(input)? && counts_fine;
        let mut part = || {
            let length = usize::found(input)?;
            input.split_off(..length)
        };
        let (mut names, mut answers) = (part()?, part()?);
        let is_new = !fine || self.is_new(names);
        let mut run = Run {
            names: if is_new { Some(Names::found(&mut names)?) } else { None },
            name: Kept::found(&mut answers)?,
            shape: Kept::found(&mut answers)?,
            warnings: Kept::found(&mut answers)?,
            slots: Vec::new(),
            followed: None,
            fine,
        };
        if is_new && !names.is_empty() {
            return None;
        }
        if !run.fine {
            let count = usize::found(&mut answers)?;
            let outcome = |_| Outcome::found(&mut answers).map(|outcome| Slot::Done(Box::new(outcome)));
            run.slots = (0..count).map(outcome).collect::<Option<_>>()?;
            run.followed = Kept::found(&mut answers)?;
            if !answers.is_empty() {
                return None;
            }
        }
        Some(run)
    }

    /// Whether no run has had these names, as far as that is remembered.
    fn is_new(&self, names: &[u8]) -> bool {
        let mut before = locked(&self.names);
        if before.iter().any(|own| own == names) {
            return false;
        }
        if before.len() < NAMES {
            before.push(names.to_vec());
        }
        true
    }
}

/// What a cache needs whatever the question is, made while others look for the runs.
pub struct Prepared {
    program: Beside<Key>,
    store: Beside<Store>,
}

impl Prepared {
    /// Begins to find out which program this is, and to read the directory.
    pub fn begin(directory: &Path) -> Self {
        let directory = directory.to_owned();
        Self { program: Beside::begin(program::of_this_program), store: Beside::begin(move || Store::open(&directory)) }
    }
}

/// Something that is made beside other work; at once if there is no thread for it.
enum Beside<T> {
    Thread(JoinHandle<io::Result<T>>),
    Made(io::Result<T>),
}

impl<T: Send + 'static> Beside<T> {
    fn begin(make: impl Fn() -> io::Result<T> + Clone + Send + 'static) -> Self {
        match std::thread::Builder::new().spawn(make.clone()) {
            Ok(thread) => Self::Thread(thread),
            Err(_) => Self::Made(make()),
        }
    }

    fn end(self) -> io::Result<T> {
        match self {
            Self::Thread(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Self::Made(made) => made,
        }
    }
}

/// The hash of a file of this size from its beginning on. If it has become longer since, what was there then is hashed.
fn hash_of(file: &mut impl Read, size: u64) -> io::Result<Key> {
    let mut hasher = blake3::Hasher::new();
    hash_rest(file, &mut hasher, Some(size).filter(|&size| size > 0))?;
    Ok(*hasher.finalize().as_bytes())
}

/// The hash of what a simulator keeps beside a file, if it does: it says what the signals are called.
pub fn hash_beside(path: &Path) -> Option<Key> {
    let path = path_beside(path);
    let is_there = std::fs::metadata(&path).is_ok_and(|found| found.is_file());
    let (mut file, found) = is_there.then(|| files::open_known(&path).ok()).flatten()?;
    hash_of(&mut file, found.len()).ok()
}

/// The hash of a file and of what stands beside it.
pub fn with_beside(content: Key, beside: Option<Key>) -> Key {
    match beside {
        Some(beside) => *blake3::Hasher::new_keyed(&content).update(&beside).finalize().as_bytes(),
        None => content,
    }
}

/// Hashes so much of a file as is left, or so many bytes.
fn hash_rest(file: &mut impl Read, hasher: &mut blake3::Hasher, most: Option<u64>) -> io::Result<()> {
    thread_local! {
        /// One for all files: a new one for each would take longer than hashing a small file.
        static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; 1 << 17]);
    }
    BUFFER.with_borrow_mut(|buffer| {
        let mut left = most.unwrap_or(u64::MAX);
        while left > 0 {
            let wanted = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            match file.read(&mut buffer[..wanted]) {
                Ok(0) => break,
                Ok(n) => {
                    hasher.update(&buffer[..n]);
                    left -= n as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    })
}

/// A file that is hashed while it is read.
pub struct Hashed<'a> {
    file: std::fs::File,
    hasher: &'a Mutex<blake3::Hasher>,
}

impl<'a> Hashed<'a> {
    /// Reads a file through a hash.
    pub fn new(file: std::fs::File, hasher: &'a Mutex<blake3::Hasher>) -> Self {
        Self { file, hasher }
    }
}

impl Read for Hashed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read(buffer)?;
        locked(self.hasher).update(&buffer[..n]);
        Ok(n)
    }
}

/// The hash of a file of which a part has been read through [`Hashed`]; `rest` stands where that stopped.
pub fn whole_hash(rest: &mut std::fs::File, hasher: &Mutex<blake3::Hasher>) -> Option<Key> {
    let mut hasher = locked(hasher);
    hash_rest(rest, &mut hasher, None).ok()?;
    Some(*hasher.finalize().as_bytes())
}

/// A hash to read through.
pub fn hasher() -> Mutex<blake3::Hasher> {
    Mutex::new(blake3::Hasher::new())
}
