//! A sign of life on standard error for whoever waits longer than half a second: what is being done, and how far it is.
//!
//! A thread of its own draws it, because a terminal may be stopped (Ctrl-S), and nothing else should wait for that.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use posetta::base::Stop;

use crate::amounts::grouped;
use crate::limited::locked;
use crate::paint::short;

const PATIENCE: Duration = Duration::from_millis(500);
const REFRESH: Duration = Duration::from_millis(100);
/// How long the line may take to go away.
const FAREWELL: Duration = Duration::from_millis(300);
/// A terminal has at least so many columns, and the spinner takes two of them.
const COLUMNS: usize = 80 - 2;

/// What is being done, by many threads: what was begun first is shown.
#[derive(Debug, Default)]
pub struct Doing(Mutex<Vec<(u64, String)>>);

impl Doing {
    /// Something is being done until the answer is dropped.
    pub fn begin(&self, what: String) -> Busy<'_> {
        let mut all = locked(&self.0);
        let number = all.last().map_or(0, |(last, _)| last + 1);
        all.push((number, what));
        Busy { doing: self, number }
    }

    /// What was begun first.
    pub fn told(&self) -> Option<String> {
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
    pub fn start(started: Instant, stop: Stop, doing: impl Fn() -> String + Send + 'static) -> Self {
        if !std::io::stderr().is_terminal() {
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

fn draw(started: Instant, stop: &Stop, doing: impl Fn() -> String, over: &AtomicBool) {
    let mut bar = None;
    while !over.load(SeqCst) {
        let elapsed = started.elapsed();
        if elapsed < PATIENCE {
            thread::park_timeout(PATIENCE - elapsed);
            continue;
        }
        let bar = bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(
                ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()),
            );
            bar
        });
        bar.set_message(line(&doing(), stop.explored(), elapsed));
        bar.tick();
        thread::park_timeout(REFRESH);
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

/// What is being done, how much was explored and how long it has taken, in one line of a terminal.
fn line(doing: &str, explored: u64, elapsed: Duration) -> String {
    let far = format!(": {} explored, {:.1} s", grouped(explored), elapsed.as_secs_f64());
    format!("{}{far}", short(doing, COLUMNS.saturating_sub(far.len()).max(16)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    #[test]
    fn the_line_names_what_is_done_and_fits_a_terminal() {
        let told = line("checking mutex on run.jsonl", 1_234_567, Duration::from_millis(3210));
        assert_eq!(told, "checking mutex on run.jsonl: 1,234,567 explored, 3.2 s");
        let long = format!("checking {} on \u{1b}[31m{}", "G (x0 == 1) ".repeat(30), "漢字".repeat(40));
        for explored in [0, u64::MAX] {
            let told = line(&long, explored, Duration::from_secs(100_000));
            assert!(told.width() <= COLUMNS && told.starts_with("checking G") && !told.contains('\u{1b}'), "{told}");
        }
    }

    #[test]
    fn what_was_begun_first_is_shown() {
        let doing = Doing::default();
        assert_eq!(doing.told(), None);
        let first = doing.begin("reading".to_owned());
        let second = doing.begin("checking".to_owned());
        assert_eq!(doing.told().as_deref(), Some("reading"));
        drop(first);
        let _third = doing.begin("counting".to_owned());
        assert_eq!(doing.told().as_deref(), Some("checking"));
        drop(second);
        assert_eq!(doing.told().as_deref(), Some("counting"));
    }
}
