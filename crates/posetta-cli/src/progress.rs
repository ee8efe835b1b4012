//! A sign of life on standard error for whoever waits longer than half a second: what is being done, and how far it is. A program that
//! waits is told the same in lines of JSON, and every verdict as soon as it is known.
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
use posetta_tell::Word;
use serde_json::json;
use unicode_width::UnicodeWidthStr;

use crate::amounts::grouped;
use crate::limited::locked;
use crate::output;
use crate::paint::{self, clean, short};

const PATIENCE: Duration = Duration::from_millis(500);
const REFRESH: Duration = Duration::from_millis(100);
/// Programs are told less often: each line is one that they read.
const LINES: Duration = Duration::from_millis(250);
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
    /// How many runs are done, if there are many.
    pub runs: Option<Runs>,
    pub what: String,
    /// On which run.
    pub run: Option<String>,
}

/// How far the work on many runs is.
#[derive(Clone, Copy, Debug)]
pub struct Runs {
    pub done: usize,
    pub all: usize,
    /// So many answers are violations.
    pub failing: usize,
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

/// The line that is being drawn.
static DRAWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Writes something to the terminal while the line makes room for it.
pub fn aside<T>(write: impl FnOnce() -> T) -> T {
    let drawn = locked(&DRAWN).clone();
    match drawn.filter(|_| std::io::stdout().is_terminal()) {
        Some(bar) => bar.suspend(write),
        None => write(),
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
    pub fn start(started: Instant, stop: Stop, doing: Box<dyn Fn() -> Now + Send>) -> Self {
        let tells_programs = paint::tells_programs();
        if !tells_programs && (paint::is_quiet() || !std::io::stderr().is_terminal()) {
            return Self(None);
        }
        let over = Arc::new(AtomicBool::new(false));
        let (send, gone) = mpsc::channel();
        let drawn = {
            let over = Arc::clone(&over);
            thread::Builder::new().spawn(move || {
                match tells_programs {
                    true => tell(started, &stop, &*doing, &over),
                    false => draw(started, &stop, &*doing, &over),
                }
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

/// Tells a program that a verdict is known. What shows it may still be looked for; the report has everything.
pub fn decided(subject: &str, property: &str, word: Word) {
    if paint::tells_programs() {
        let verdict = json!({ "subject": subject, "property": property, "verdict": word.text() });
        output::signal("decided", verdict);
    }
}

fn tell(started: Instant, stop: &Stop, doing: &dyn Fn() -> Now, over: &AtomicBool) {
    loop {
        thread::park_timeout(LINES);
        if over.load(SeqCst) {
            return;
        }
        let (now, seconds) = (doing(), started.elapsed().as_secs_f64());
        let (decided, of) = now.decided.unzip();
        let runs = now.runs.map(|runs| json!({ "done": runs.done, "of": runs.all, "violated": runs.failing }));
        let told = json!({
            "what": now.what, "run": now.run, "decided": decided, "of": of, "runs": runs, "explored": stop.explored(),
            "seconds": seconds,
        });
        output::signal("progress", told);
    }
}

fn draw(started: Instant, stop: &Stop, doing: &dyn Fn() -> Now, over: &AtomicBool) {
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
            *locked(&DRAWN) = Some(bar.clone());
            bar
        });
        bar.set_message(line(&doing(), stop.explored(), elapsed, paint::stderr().width - SPINNER));
        bar.tick();
        thread::park_timeout(REFRESH);
    }
    if let Some(bar) = bar {
        locked(&DRAWN).take();
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
    let far = match now.runs.and_then(|runs| left(runs, elapsed)) {
        Some(left) => format!(", {left}"),
        None => format!(": {} explored, {:.1} s", grouped(explored), elapsed.as_secs_f64()),
    };
    if let Some(runs) = now.runs {
        return of_many(runs, &far, columns);
    }
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

/// The columns of the bar.
const BAR: usize = 20;
/// With less than this behind it nobody can say how long the rest takes.
const FIRST: usize = 20;

/// How long the rest of many runs takes, if it goes on like this.
fn left(runs: Runs, elapsed: Duration) -> Option<String> {
    if runs.done < FIRST || runs.done >= runs.all {
        return None;
    }
    let seconds = elapsed.as_secs_f64() * (runs.all - runs.done) as f64 / runs.done as f64;
    Some(match seconds.ceil() as u64 {
        seconds @ 0..120 => format!("about {seconds} s left"),
        seconds @ 120..7200 => format!("about {} min left", seconds.div_ceil(60)),
        seconds => format!("about {} h left", seconds.div_ceil(3600)),
    })
}

/// A bar, how many runs are done, and how many answers are bad.
fn of_many(runs: Runs, far: &str, columns: usize) -> String {
    let Runs { done, all, failing } = runs;
    let full = (BAR * done).checked_div(all).unwrap_or(0).min(BAR);
    let bar = format!("[{}{}] ", "#".repeat(full), "-".repeat(BAR - full));
    let bad = if failing > 0 { format!(", {} violated", grouped(failing as u64)) } else { String::new() };
    let counts = format!("{} of {} runs", grouped(done as u64), grouped(all as u64));
    let whole = format!("{bar}{counts}{bad}{far}");
    // What matters most stands last to go.
    let shorter = [whole, format!("{counts}{bad}{far}"), format!("{counts}{bad}")];
    shorter.into_iter().find(|line| line.width() <= columns).unwrap_or_else(|| short(&counts, columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_what_is_done_and_fits_a_terminal() {
        let now = |decided, what: &str, run: &str| Now {
            decided,
            what: what.to_owned(),
            run: Some(run.to_owned()),
            ..Now::default()
        };
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
    fn many_runs_have_a_bar_and_the_time_that_is_left() {
        let now = |done, all, failing| Now { runs: Some(Runs { done, all, failing }), ..Now::default() };
        let told = |now: &Now, columns| line(now, 5, Duration::from_secs(10), columns);
        assert_eq!(
            told(&now(2500, 10_000, 3), 77),
            "[#####---------------] 2,500 of 10,000 runs, 3 violated, about 30 s left"
        );
        assert_eq!(told(&now(5, 10_000, 0), 77), "[--------------------] 5 of 10,000 runs: 5 explored, 10.0 s");
        assert_eq!(told(&now(20, 10_000, 0), 50), "20 of 10,000 runs, about 84 min left");
        assert_eq!(told(&now(30, 3_000_000, 0), 40), "30 of 3,000,000 runs, about 278 h left");
        assert_eq!(told(&now(30, 30, 0), 77), "[####################] 30 of 30 runs: 5 explored, 10.0 s");
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
