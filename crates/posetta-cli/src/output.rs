//! Writing to standard output and error when the reader may be gone, or may not read.
//!
//! Every write is noted while it waits, so that the watchdog sees one that nobody takes: past a limit the process does not wait for
//! a reader.

use std::borrow::Cow;
use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use posetta_tell::json::Schema;
use posetta_tell::page::fit;
use serde_json::{Value, json};

use crate::paint::{self, Paint};
use crate::signals;

/// So much is written at a time: whether somebody reads shows from piece to piece.
const PIECE: usize = 1 << 14;
/// How long the last words may take.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Writes that wait, by number, with their beginnings.
static WAITING: Mutex<Vec<(u64, Instant)>> = Mutex::new(Vec::new());
static NUMBER: AtomicU64 = AtomicU64::new(0);

fn all_waiting() -> MutexGuard<'static, Vec<(u64, Instant)>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A write that waits until this is dropped.
struct Waiting(u64);

impl Waiting {
    fn begin() -> Self {
        let number = NUMBER.fetch_add(1, Relaxed);
        all_waiting().push((number, Instant::now()));
        Self(number)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        all_waiting().retain(|(number, _)| *number != self.0);
    }
}

/// Since when a write has been waiting, if one does.
pub fn waits_since() -> Option<Instant> {
    all_waiting().iter().map(|(_, since)| *since).min()
}

/// A writer that is seen while it waits.
pub struct Watched<W>(pub W);

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let _waiting = Waiting::begin();
        self.0.write(&bytes[..bytes.len().min(PIECE)])
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let _waiting = Waiting::begin();
        self.0.flush()
    }
}

/// Does something that may wait for a reader: a pipe is open when somebody reads from it.
pub fn watched<T>(write: impl FnOnce() -> T) -> T {
    let _waiting = Waiting::begin();
    write()
}

/// Standard output, seen while it waits.
pub fn stdout() -> Watched<std::io::StdoutLock<'static>> {
    // Another thread may hold it and wait.
    Watched(watched(|| std::io::stdout().lock()))
}

/// Writes to standard output. A reader that left (`posetta check … | head`) is not a mistake: it has what it wanted.
/// Anything else that goes wrong (a full disk) is reported and answered with `false`.
pub fn print(text: &str) -> bool {
    print_bytes(text.as_bytes())
}

/// The same for what need not be text.
pub fn print_bytes(bytes: &[u8]) -> bool {
    to_somebody(bytes) != Written::Failed
}

/// A report for people whose lines fit, with its last line if an interruption cut it short. Where there is none, standard error has said
/// it.
pub fn whole(mut report: String, paint: Paint) -> String {
    if signals::cut_short() && !report.is_empty() {
        report.push_str("interrupted: what was not decided by then is unknown\n");
    }
    defused(&fit(report, paint.width)).into_owned()
}

/// A text that a workflow of GitHub takes for nothing but a text: there a line that begins with `::` is a command, whoever wrote it, and
/// names of events and files are those of strangers.
fn defused(text: &str) -> Cow<'_, str> {
    let is_command = |line: &str| ["::", "##["].iter().any(|mark| line.trim_start().starts_with(mark));
    if !is_workflow() || !text.lines().any(is_command) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for line in text.split_inclusive('\n') {
        match line.find([':', '#']).filter(|_| is_command(line)) {
            // As whatever else could be more than a character.
            Some(at) => out.push_str(&format!("{}\\u{:04x}{}", &line[..at], line.as_bytes()[at], &line[at + 1..])),
            None => out.push_str(line),
        }
    }
    Cow::Owned(out)
}

/// Whether a step of a workflow of GitHub reads what is printed.
pub fn is_workflow() -> bool {
    // Asked for every line that is printed.
    static KNOWN: LazyLock<bool> =
        LazyLock::new(|| std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true"));
    *KNOWN
}

/// Tells a workflow of GitHub what to do.
pub fn command(text: &str) {
    match paint::tells_programs() {
        true => note(text),
        false => write_to_stderr(text),
    }
}

/// What became of something that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Somebody may read it.
    Yes,
    /// The reader has left.
    ToNobody,
    /// It could not be written, which was reported.
    Failed,
}

/// The same for lines that come one after the other, perhaps for ever unless somebody reads them. None of them is a command of a workflow.
pub fn print_to_somebody(text: &str) -> Written {
    to_somebody(defused(text).as_bytes())
}

fn to_somebody(bytes: &[u8]) -> Written {
    let mut out = stdout();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Written::Yes,
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Written::ToNobody,
        Err(e) => {
            note(&format!("error: cannot write the report: {e}\n"));
            Written::Failed
        }
    }
}

/// Writes to standard error, as far as anybody reads it.
pub fn note(text: &str) {
    if text.is_empty() {
        return;
    }
    match paint::tells_programs() {
        true => signal("note", json!(text)),
        false => write_to_stderr(&defused(text)),
    }
}

/// Tells a program that reads standard error something, in one line of JSON.
pub fn signal(what: &str, told: Value) {
    write_to_stderr(&Schema::Progress.line(json!({ what: told })));
}

fn write_to_stderr(text: &str) {
    let mut err = Watched(watched(|| std::io::stderr().lock()));
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

/// The same for what is good to know but can be left out.
pub fn remark(text: &str) {
    if !paint::is_quiet() {
        note(text);
    }
}

/// The same before the process ends, without waiting for anybody: standard error may be what nobody reads.
pub fn last_words(text: &'static str) {
    let (send, receive) = mpsc::channel();
    let said = thread::Builder::new().spawn(move || {
        note(text);
        let _ = send.send(());
    });
    if said.is_ok() {
        let _ = receive.recv_timeout(LAST_WORDS);
    }
}
