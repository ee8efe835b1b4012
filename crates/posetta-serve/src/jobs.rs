//! Children: so many at a time, others wait. Each has a directory of its own, its limits, and somebody who waits for it: when nobody does
//! any more, it is killed. What it writes to standard error are lines of JSON, which go to the page as they come; what it writes to
//! standard output is kept, or for a monitor goes to the page, too.
//!
//! A child has one end of a pipe as its standard input and ends when that does (`--tied`), so none outlives the server, however that ends.

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::future::{Future, poll_fn};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use hyper::body::Bytes;
use posetta_door::Answer;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, Command};
use tokio::sync::mpsc::{self, Sender};
use tokio::sync::{Notify, Semaphore};

use crate::command::{Ask, Form, What};
use crate::lines::{Lines, Pieces};
use crate::{Config, OUTPUT};

/// So many answers are kept.
const KEPT: usize = 8;

/// So many may wait.
const WAITING: usize = 16;

/// So many lines may be under way to the page.
const UNDER_WAY: usize = 64;

/// A child ends by itself at its limit; past it by so much it is killed.
const GRACE: Duration = Duration::from_secs(5);

/// The names of variables that a child needs on some systems.
const ENVIRONMENT: [&str; 3] = ["SystemRoot", "TMPDIR", "TMP"];

/// All children.
pub struct Jobs {
    config: Config,
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
    running: AtomicUsize,
    known: Mutex<Ledger>,
}

#[derive(Default)]
struct Ledger {
    next: u64,
    /// Those that are not done: who is told that nobody wants them.
    open: HashMap<u64, Arc<Notify>>,
    /// What was asked and answered, the oldest first.
    done: VecDeque<(u64, Ask, Kept)>,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Kept {
    directory: PathBuf,
    pub form: Form,
}

impl Kept {
    /// The file that has it.
    pub fn file(&self) -> PathBuf {
        self.form.file_in(&self.directory)
    }
}

/// Somebody waits for a child. When this is dropped, nobody does.
struct Awaited(Arc<Notify>);

impl Drop for Awaited {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// How a child ended.
struct Ended {
    /// `done`, or why it was ended.
    how: &'static str,
    status: Option<i32>,
    /// Whether there is an answer.
    output: bool,
}

impl Ended {
    fn by(how: &'static str) -> Self {
        Self { how, status: None, output: false }
    }
}

impl Jobs {
    pub fn new(config: Config) -> Self {
        let places = Arc::new(Semaphore::new(config.limits.jobs.max(1)));
        let (waiting, running) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { config, places, waiting, running, known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, Ledger> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many run now.
    pub fn running(&self) -> usize {
        self.running.load(SeqCst)
    }

    /// What was asked by a job that is done.
    pub fn asked(&self, number: u64) -> Option<Ask> {
        self.known().done.iter().find(|(known, _, _)| *known == number).map(|(_, ask, _)| ask.clone())
    }

    /// Its answer.
    pub fn answer(&self, number: u64) -> Option<Kept> {
        self.known().done.iter().find(|(known, _, _)| *known == number).map(|(_, _, kept)| kept.clone())
    }

    /// Ends a job. `false` if it is not there, or done.
    pub fn cancel(&self, number: u64) -> bool {
        let open = self.known().open.get(&number).cloned();
        open.inspect(|cancelled| cancelled.notify_one()).is_some()
    }

    /// Begins a job. Its answer are lines of JSON, until it is done. Nothing if too many wait.
    pub fn begin(self: &Arc<Self>, ask: Ask, form: Form) -> Option<Answer> {
        if self.waiting.fetch_add(1, SeqCst) >= WAITING {
            self.waiting.fetch_sub(1, SeqCst);
            return None;
        }
        let cancelled = Arc::new(Notify::new());
        let number = {
            let mut known = self.known();
            known.next += 1;
            let number = known.next;
            known.open.insert(number, Arc::clone(&cancelled));
            number
        };
        let (send, receive) = mpsc::channel(UNDER_WAY);
        let job = Job { jobs: Arc::clone(self), number, ask, form, send, waits: true };
        let theirs = Arc::clone(&cancelled);
        drop(tokio::spawn(job.run(theirs)));
        Some(Pieces::answer(receive, Awaited(cancelled)))
    }

    /// Keeps an answer. The oldest one goes.
    fn keep(&self, number: u64, ask: Ask, kept: Kept) {
        let mut known = self.known();
        known.done.push_back((number, ask, kept));
        if known.done.len() > KEPT
            && let Some((_, _, oldest)) = known.done.pop_front()
        {
            let _ = fs::remove_dir_all(&oldest.directory);
        }
    }
}

/// One job, in a task of its own.
struct Job {
    jobs: Arc<Jobs>,
    number: u64,
    ask: Ask,
    form: Form,
    send: Sender<Bytes>,
    /// It counts among those that wait.
    waits: bool,
}

impl Drop for Job {
    fn drop(&mut self) {
        self.wait_no_more();
        self.jobs.known().open.remove(&self.number);
    }
}

impl Job {
    fn wait_no_more(&mut self) {
        if std::mem::take(&mut self.waits) {
            self.jobs.waiting.fetch_sub(1, SeqCst);
        }
    }

    async fn run(mut self, cancelled: Arc<Notify>) {
        let begun = Instant::now();
        let directory = self.jobs.config.scratch.join(format!("job-{}", self.number));
        tell(&self.send, &json!({ "job": self.number })).await;
        let work = {
            // Dropped here, if it is not done: then its child is killed.
            let work = pin!(self.work(&directory));
            first(work, pin!(cancelled.notified())).await
        };
        let ended = match work {
            None => Ended::by("cancelled"),
            Some(Ok(ended)) => ended,
            Some(Err(error)) => {
                tell(&self.send, &json!({ "note": format!("error: the check cannot be started: {error}\n") })).await;
                Ended::by("failed")
            }
        };
        if ended.output {
            self.jobs.keep(self.number, self.ask.clone(), Kept { directory, form: self.form });
        } else {
            let _ = fs::remove_dir_all(&directory);
        }
        let (how, status, output, seconds) = (ended.how, ended.status, ended.output, begun.elapsed().as_secs_f64());
        tell(&self.send, &json!({ "end": { "how": how, "status": status, "output": output, "seconds": seconds } }))
            .await;
    }

    /// Waits for its turn, and sees to the child.
    async fn work(&mut self, directory: &Path) -> io::Result<Ended> {
        let places = Arc::clone(&self.jobs.places);
        if places.available_permits() == 0 {
            tell(&self.send, &json!({ "state": "waiting" })).await;
        }
        let Ok(_place) = places.acquire_owned().await else { return Ok(Ended::by("cancelled")) };
        self.wait_no_more();
        tell(&self.send, &json!({ "state": "running" })).await;
        let _running = Running::new(&self.jobs.running);
        fs::create_dir(directory)?;
        let mut child = self.start(directory)?;
        let out = Form::Json.file_in(directory);
        let limits = &self.jobs.config.limits;
        let time = self.ask.time.unwrap_or(limits.time).min(limits.time).saturating_add(GRACE);
        let is_stream = self.ask.what == What::Monitor;
        let watched = watch(&mut child, &self.send, if is_stream { None } else { Some(&out) });
        let status = match is_stream {
            true => watched.await?,
            false => match tokio::time::timeout(time, watched).await {
                Ok(status) => status?,
                Err(_) => return Ok(Ended::by("killed: it did not end at its limit")),
            },
        };
        let Some(status) = status else { return Ok(Ended::by("killed: its answer is too large")) };
        let made = fs::metadata(self.form.file_in(directory));
        let output = !is_stream && made.is_ok_and(|found| found.len() > 0);
        Ok(Ended { how: "done", status: status.code(), output })
    }

    /// Starts the child.
    fn start(&self, directory: &Path) -> io::Result<Child> {
        let config = &self.jobs.config;
        let order = self.ask.order(config, directory, self.form)?;
        let mut command = Command::new(&config.program);
        command.args(&order.arguments).current_dir(&order.directory).kill_on_drop(true);
        // What the environment says is for whoever started the server.
        command.env_clear();
        command.envs(ENVIRONMENT.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn()
    }
}

/// Counts a child.
struct Running<'a>(&'a AtomicUsize);

impl<'a> Running<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, SeqCst);
        Self(count)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

/// Passes on what a child says until it ends. What it writes to standard output goes to a file, or else to the page. Nothing if it writes
/// more than is kept.
async fn watch(
    child: &mut Child,
    send: &Sender<Bytes>,
    out: Option<&Path>,
) -> io::Result<Option<std::process::ExitStatus>> {
    // The pipe stays open as long as the child is wanted.
    let _tie = child.stdin.take();
    let said = child.stderr.take().map(|stderr| {
        let send = send.clone();
        tokio::spawn(async move {
            let mut lines = Lines::new(stderr);
            while let Some(line) = lines.next().await {
                pass_on(&send, line, |line| line).await;
            }
        })
    });
    if let Some(mut stdout) = child.stdout.take() {
        match out {
            None => {
                let mut lines = Lines::new(stdout);
                while let Some(line) = lines.next().await {
                    pass_on(send, line, |line| json!({ "line": line })).await;
                }
            }
            Some(path) => {
                let (mut file, mut buffer, mut written) = (fs::File::create(path)?, vec![0; 1 << 16], 0);
                loop {
                    let read = stdout.read(&mut buffer).await?;
                    if read == 0 {
                        break;
                    }
                    written += read as u64;
                    if written > OUTPUT {
                        return Ok(None);
                    }
                    file.write_all(&buffer[..read])?;
                }
            }
        }
    }
    if let Some(said) = said {
        let _ = said.await;
    }
    child.wait().await.map(Some)
}

/// Passes a line of a child on. One that is not JSON is a note.
async fn pass_on(send: &Sender<Bytes>, line: Vec<u8>, wrapped: impl Fn(Value) -> Value) {
    let line = match serde_json::from_slice::<Value>(&line) {
        Ok(line @ Value::Object(_)) => wrapped(line),
        _ if line.is_empty() => return,
        _ => json!({ "note": String::from_utf8_lossy(&line) }),
    };
    tell(send, &line).await;
}

/// A line for the page. If nobody reads it, nobody waits for the job.
async fn tell(send: &Sender<Bytes>, line: &Value) {
    let _ = send.send(Bytes::from(format!("{line}\n"))).await;
}

/// What the first future answers, unless the second is done before; then the first is left where it is.
async fn first<A: Future, B: Future>(mut a: std::pin::Pin<&mut A>, mut b: std::pin::Pin<&mut B>) -> Option<A::Output> {
    poll_fn(|context| match (b.as_mut().poll(context), a.as_mut().poll(context)) {
        (Poll::Ready(_), _) => Poll::Ready(None),
        (Poll::Pending, Poll::Ready(done)) => Poll::Ready(Some(done)),
        (Poll::Pending, Poll::Pending) => Poll::Pending,
    })
    .await
}
