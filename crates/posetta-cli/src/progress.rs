//! A sign of life on standard error for whoever waits longer than half a second: what is being done, and how far it is.
//!
//! A thread of its own draws it, because a terminal may be stopped (Ctrl-S), and nothing else should wait for that.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use posetta_base::Stop;
use unicode_width::UnicodeWidthStr;

use crate::amounts::grouped;
use crate::limited::locked;
use crate::paint::{self, clean, short};

const PATIENCE: Duration = Duration::from_millis(500);
const REFRESH: Duration = Duration::from_millis(100);
/// How long the line may take to go away.
const FAREWELL: Duration = Duration::from_millis(300);
/// The columns of the spinner and of the cursor behind the line.
const SPINNER: usize = 3;
/// With less for the names it is not said how much is decided.
const LEAST: usize = 30;

/// What is being done now.
#[derive(Clone, Debug, Default)]
pub struct Now {
    /// How much is done already.
    pub decided: Option<(usize, usize)>,
    pub what: String,
    /// On which run.
    pub run: Option<String>,
}

impl From<String> for Now {
    fn from(what: String) -> Self {
        Self { what, ..Self::default() }
    }
}

impl From<&str> for Now {
    fn from(what: &str) -> Self {
        what.to_owned().into()
    }
}

/// What is being done, by many threads: what was begun first is shown.
#[derive(Debug, Default)]
pub struct Doing(Mutex<Vec<(u64, Now)>>);

impl Doing {
    /// Something is being done until the answer is dropped.
    pub fn begin(&self, what: Now) -> Busy<'_> {
        let mut all = locked(&self.0);
        let number = all.last().map_or(0, |(last, _)| last + 1);
        all.push((number, what));
        Busy { doing: self, number }
    }

    /// What was begun first.
    pub fn told(&self) -> Option<Now> {
        locked(&self.0).first().map(|(_, what)| what.clone())
    }
}

/// Something that is being done.
pub struct Busy<'a> {
    doing: &'a Doing,
    number: u64,
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        locked(&self.doing.0).retain(|(number, _)| *number != self.number);
    }
}

/// A line that appears late, and only on a terminal.
pub struct Progress(Option<Drawing>);

struct Drawing {
    over: Arc<AtomicBool>,
    thread: Thread,
    gone: Mutex<Receiver<()>>,
}

impl Progress {
    /// Nothing is shown yet. `doing` says what is being done.
    pub fn start(started: Instant, stop: Stop, doing: impl Fn() -> Now + Send + 'static) -> Self {
        if paint::is_quiet() || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let over = Arc::new(AtomicBool::new(false));
        let (send, gone) = mpsc::channel();
        let drawn = {
            let over = Arc::clone(&over);
            thread::Builder::new().spawn(move || {
                draw(started, &stop, doing, &over);
                let _ = send.send(());
            })
        };
        let drawing =
            |handle: thread::JoinHandle<()>| Drawing { over, thread: handle.thread().clone(), gone: Mutex::new(gone) };
        // Without a thread there is no sign of life, and nothing else is lost.
        Self(drawn.ok().map(drawing))
    }

    /// Gives the line back.
    pub fn clear(&self) {
        let Some(drawing) = &self.0 else { return };
        if !drawing.over.swap(true, SeqCst) {
            drawing.thread.unpark();
            let _ = locked(&drawing.gone).recv_timeout(FAREWELL);
        }
    }
}

fn draw(started: Instant, stop: &Stop, doing: impl Fn() -> Now, over: &AtomicBool) {
    let mut bar = None;
    while !over.load(SeqCst) {
        let elapsed = started.elapsed();
        if elapsed < PATIENCE {
            thread::park_timeout(PATIENCE - elapsed);
            continue;
        }
        let bar = bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(style());
            bar
        });
        bar.set_message(line(&doing(), stop.explored(), elapsed, paint::stderr().width - SPINNER));
        bar.tick();
        thread::park_timeout(REFRESH);
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

fn style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
    if paint::stderr().ascii { style.tick_chars("|/-\\ ") } else { style }
}

/// What is being done, how much was explored and how long it has taken, in one line of so many columns. Long names are cut, each for
/// itself.
fn line(now: &Now, explored: u64, elapsed: Duration, columns: usize) -> String {
    let far = format!(": {} explored, {:.1} s", grouped(explored), elapsed.as_secs_f64());
    let mut decided = now.decided.map_or(String::new(), |(n, of)| format!("{n} of {of} decided; "));
    let name =
        now.run.as_deref().map(|run| Path::new(run).file_name().map_or(run.into(), |name| name.to_string_lossy()));
    let name = name.map(|name| clean(&name).into_owned()).filter(|name| name != "-");
    let on = name.map_or(String::new(), |name| format!(" on {name}"));
    let mut room = columns.saturating_sub(far.len() + decided.len());
    if room < LEAST {
        room += decided.len();
        decided.clear();
    }
    let what = clean(&now.what);
    // Either gets what the other does not need, and at least half.
    let on = short(&on, room.saturating_sub(what.width()).max(room / 2));
    let what = short(&what, room.saturating_sub(on.width()));
    format!("{decided}{what}{on}{far}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_what_is_done_and_fits_a_terminal() {
        let now = |decided, what: &str, run: &str| Now { decided, what: what.to_owned(), run: Some(run.to_owned()) };
        let told = line(&now(None, "checking mutex", "logs/run.jsonl"), 1_234_567, Duration::from_millis(3210), 77);
        assert_eq!(told, "checking mutex on run.jsonl: 1,234,567 explored, 3.2 s");
        let told = line(&now(Some((3, 12)), "checking mutex", "a.trace"), 12, Duration::from_millis(600), 77);
        assert_eq!(told, "3 of 12 decided; checking mutex on a.trace: 12 explored, 0.6 s");
        let told = line(&now(Some((0, 2)), "reading the properties", "-"), 0, Duration::from_secs(1), 77);
        assert_eq!(told, "0 of 2 decided; reading the properties: 0 explored, 1.0 s");
        let (formula, name) =
            (format!("checking {}", "G (x0 == 1) ".repeat(30)), format!("\u{1b}[31m{}", "漢字".repeat(40)));
        for (what, run) in [(formula.as_str(), "run.jsonl"), ("checking p", &name), (&formula, &name)] {
            for explored in [0, u64::MAX] {
                let told = line(&now(Some((3, 1000)), what, run), explored, Duration::from_secs(100_000), 77);
                assert!(told.width() <= 77 && !told.contains('\u{1b}'), "{told}");
                assert!(told.contains("checking ") && told.contains(" on "), "{told}");
            }
        }
    }

    #[test]
    fn what_was_begun_first_is_shown() {
        let doing = Doing::default();
        let told = || doing.told().map(|now| now.what);
        assert_eq!(told(), None);
        let first = doing.begin("reading".into());
        let second = doing.begin("checking".into());
        assert_eq!(told().as_deref(), Some("reading"));
        drop(first);
        let _third = doing.begin("counting".into());
        assert_eq!(told().as_deref(), Some("checking"));
        drop(second);
        assert_eq!(told().as_deref(), Some("counting"));
    }
}
