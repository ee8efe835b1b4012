//! The watchdog: keeps the promise of `--timeout` and `--memory`.
//!
//! The library knows no clock and sees only the memory its engines announce. A thread here raises the [`Stop`] at the
//! deadline or when the process outgrows its limit, and engines give up at their next poll. If something does not poll
//! (it waits for standard input, or sits in one long step), the watchdog does not wait for it: after a grace it reports
//! what is known and ends the process itself.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use posetta::base::{Limit, Stop};

use crate::memory;
use crate::progress::Progress;

/// How often the clock and the size of the process are looked at.
const PERIOD: Duration = Duration::from_millis(5);
/// How long engines have to give up by themselves.
const GRACE: Duration = Duration::from_millis(800);
/// Past the memory limit by this factor there is no grace.
const TOO_LARGE: f64 = 1.05;

/// What a command may spend.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// When the process started; the deadline counts from there.
    pub started: Instant,
    /// When everything stops.
    pub deadline: Option<Instant>,
    /// How large the process may become, in bytes.
    pub memory: u64,
}

impl Limits {
    /// From what the user gave.
    pub fn new(started: Instant, timeout: Option<Duration>, memory: Option<u64>) -> Self {
        // A timeout past the end of the clock is none.
        let deadline = timeout.and_then(|t| started.checked_add(t));
        Self { started, deadline, memory: memory.unwrap_or_else(memory::default_limit) }
    }
}

/// The command's end of the watchdog.
pub struct Watchdog {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

struct Shared {
    /// Whoever sets this may report; the other must not.
    reporting: AtomicBool,
    /// Earlier deadlines for parts of the work.
    alarms: Mutex<Vec<(Instant, Stop)>>,
}

impl Watchdog {
    /// Starts watching. `give_up` reports what is known and ends the process.
    pub fn start(limits: Limits, stop: Stop, give_up: impl FnOnce(Limit) + Send + 'static) -> Self {
        let shared = Arc::new(Shared { reporting: AtomicBool::new(false), alarms: Mutex::default() });
        let theirs = Arc::clone(&shared);
        let thread = thread::spawn(move || watch(limits, &stop, &theirs, give_up));
        Self { shared, thread }
    }

    /// Raises another stop at a time of its own, for a part of the work.
    pub fn alarm(&self, at: Instant, stop: Stop) {
        self.shared.alarms.lock().unwrap_or_else(PoisonError::into_inner).push((at, stop));
    }

    /// The work is done: from here on the watchdog neither reports nor draws. If it has begun to report, this never
    /// returns, because the process is about to end.
    pub fn finish(self) {
        if self.shared.reporting.swap(true, SeqCst) {
            loop {
                thread::park();
            }
        }
        self.thread.thread().unpark();
        let _ = self.thread.join();
    }
}

fn watch(limits: Limits, stop: &Stop, shared: &Shared, give_up: impl FnOnce(Limit)) {
    let mut progress = Progress::new(limits.started);
    let mut raised: Option<(Limit, Instant)> = None;
    while !shared.reporting.load(SeqCst) {
        let now = Instant::now();
        let size = memory::resident().unwrap_or(0);
        if raised.is_none() {
            let limit = if limits.deadline.is_some_and(|d| now >= d) {
                Some(Limit::Time)
            } else {
                (size > limits.memory).then_some(Limit::Memory)
            };
            if let Some(limit) = limit {
                stop.raise(limit);
                raised = Some((limit, now));
            }
        }
        raise_alarms(shared, raised.map(|(limit, _)| limit), now);
        let far_too_large = limits.memory as f64 * TOO_LARGE < size as f64;
        if let Some((limit, since)) = raised
            && (now.duration_since(since) > GRACE || (far_too_large && now > since + PERIOD))
            && !shared.reporting.swap(true, SeqCst)
        {
            progress.clear();
            give_up(limit);
            return;
        }
        progress.update(stop.explored());
        let until_deadline = limits.deadline.map_or(PERIOD, |d| d.saturating_duration_since(now));
        let pause = if raised.is_some() { PERIOD } else { PERIOD.min(until_deadline) };
        thread::park_timeout(pause.max(Duration::from_millis(1)));
    }
    progress.clear();
}

fn raise_alarms(shared: &Shared, raised: Option<Limit>, now: Instant) {
    let mut alarms = shared.alarms.lock().unwrap_or_else(PoisonError::into_inner);
    alarms.retain(|(at, stop)| {
        let limit = raised.or((now >= *at).then_some(Limit::Time));
        if let Some(limit) = limit {
            stop.raise(limit);
        }
        limit.is_none()
    });
}
