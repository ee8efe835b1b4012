//! The watchdog: keeps the promise of `--timeout` and `--memory`.
//!
//! The library knows no clock and sees only the memory its engines announce. A thread here raises the [`Stop`] at the
//! deadline or when the process outgrows its limit, and engines give up at their next poll. If something does not poll
//! (it waits for standard input, or sits in one long step), the watchdog does not wait for it: after a grace it reports
//! what is known and ends the process itself. An interruption is a limit like these.
//!
//! A report takes as long as it takes, if somebody reads it. Past a limit the process does not wait for a reader: a write that
//! nobody takes for as long as the grace ends it, without a verdict.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use posetta_base::{Limit, OverBudget, Stop};
use posetta_tell::text;

use crate::paint;
use crate::progress::{Now, Progress};
use crate::{exit, memory, output, signals};

/// How often the clock and the size of the process are looked at.
const PERIOD: Duration = Duration::from_millis(5);
/// How long engines have to give up by themselves, and how long a reader may let the report wait.
const GRACE: Duration = Duration::from_millis(800);
/// How long the records that were read before an interruption may take. A source reads ahead, and each of them may be slow.
const REST: Duration = Duration::from_secs(5);
/// Past the memory limit by this factor there is no grace.
const TOO_LARGE: f64 = 1.05;
/// With less than this left of the address space it is time to stop: a report has to be made yet.
const MARGIN: u64 = 12 << 20;
/// The signals' thread, the watchdog, the one that draws, the one that reports, and two that decision diagrams have.
const THREADS: u64 = 6;
const UNREAD: &str = "error: the report could not be written in time: nobody reads it\n";

/// What a command may spend.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// When the process started; the deadline counts from there.
    pub started: Instant,
    /// When everything stops.
    pub deadline: Option<Instant>,
    /// How much engines may claim, in bytes.
    pub memory: u64,
    /// How large the process may become, in bytes.
    resident: u64,
    /// Whether the system limits the address space.
    confined: bool,
}

impl Limits {
    /// From what the user gave, and what the system lets the process have.
    pub fn new(started: Instant, timeout: Option<Duration>, memory: Option<u64>) -> Self {
        // A timeout past the end of the clock is none.
        let deadline = timeout.and_then(|t| started.checked_add(t));
        let resident = memory.unwrap_or_else(memory::default_limit);
        let left = memory::left();
        let memory = left.map_or(resident, |left| resident.min(memory::claimable(left, THREADS)));
        Self { started, deadline, memory, resident, confined: left.is_some() }
    }

    /// The memory limit, if it has been reached, and whether there is time to end in order.
    fn outgrown(&self) -> Option<bool> {
        let size = memory::resident().unwrap_or(0);
        let left = if self.confined { memory::left() } else { None };
        if size <= self.resident && left.is_none_or(|left| left >= MARGIN) {
            return None;
        }
        let far = self.resident as f64 * TOO_LARGE < size as f64 || left.is_some_and(|left| left < MARGIN / 2);
        Some(!far)
    }
}

/// What an interruption means.
pub enum Interruption {
    /// The work stops.
    Stops,
    /// The input ends, which the work notes here as soon as it has seen it. If it does not, or what it had read by then takes long,
    /// it stops.
    EndsInput(Arc<AtomicBool>),
}

/// The command's end of the watchdog.
pub struct Watchdog {
    shared: Arc<Shared>,
    thread: Thread,
}

struct Shared {
    /// Whoever sets this may report; the other must not.
    reporting: AtomicBool,
    /// Earlier deadlines for parts of the work.
    alarms: Mutex<Vec<(Instant, Stop)>>,
    progress: Progress,
}

impl Watchdog {
    /// Starts watching. `doing` says what is being done. `give_up` reports what is known and answers with the exit status. Without
    /// a thread to watch there is no promise to keep, so the process ends.
    pub fn start(
        limits: Limits,
        stop: Stop,
        interruption: Interruption,
        doing: impl Fn() -> Now + Send + 'static,
        give_up: impl FnOnce(Limit) -> u8 + Send + 'static,
    ) -> Self {
        // What watches and draws is compiled once, not once for each command.
        Self::begin(limits, stop, interruption, Box::new(doing), Box::new(give_up))
    }

    fn begin(
        limits: Limits,
        stop: Stop,
        interruption: Interruption,
        doing: Box<dyn Fn() -> Now + Send>,
        give_up: Box<dyn FnOnce(Limit) -> u8 + Send>,
    ) -> Self {
        let progress = Progress::start(limits.started, stop.clone(), doing);
        let shared = Arc::new(Shared { reporting: AtomicBool::new(false), alarms: Mutex::default(), progress });
        let theirs = Arc::clone(&shared);
        let started = thread::Builder::new().spawn(move || watch(limits, &stop, &interruption, &theirs, give_up));
        let Ok(thread) = started else { no_room() };
        signals::watched();
        Self { shared, thread: thread.thread().clone() }
    }

    /// Raises another stop at a time of its own, for a part of the work.
    pub fn alarm(&self, at: Instant, stop: Stop) {
        self.shared.alarms.lock().unwrap_or_else(PoisonError::into_inner).push((at, stop));
    }

    /// The work is done: from here on the watchdog neither reports nor draws, but sees to it that the report is read. If it has begun
    /// to report, this never returns, because the process is about to end.
    pub fn finish(self) {
        if self.shared.reporting.swap(true, SeqCst) {
            loop {
                thread::park();
            }
        }
        self.shared.progress.clear();
        self.thread.unpark();
    }
}

/// The system refuses a thread.
pub fn no_room() -> ! {
    let over = OverBudget::new("starting", Limit::Memory);
    output::note(&text::stopped(over, paint::stderr()));
    exit::with(3)
}

fn watch(
    limits: Limits,
    stop: &Stop,
    interruption: &Interruption,
    shared: &Arc<Shared>,
    give_up: Box<dyn FnOnce(Limit) -> u8 + Send>,
) {
    let mut give_up = Some(give_up);
    let mut raised: Option<(Limit, Instant)> = None;
    let mut interrupted: Option<Instant> = None;
    loop {
        let now = Instant::now();
        let working = !shared.reporting.load(SeqCst);
        if interrupted.is_none() && signals::asked() {
            interrupted = Some(now);
        }
        let outgrown = if working { limits.outgrown() } else { None };
        if raised.is_none() {
            let limit = if interrupted.is_some_and(|since| is_to_stop(interruption, since, now)) {
                Some(Limit::Cancelled)
            } else if limits.deadline.is_some_and(|d| now >= d) {
                Some(Limit::Time)
            } else {
                outgrown.map(|_| Limit::Memory)
            };
            if let Some(limit) = limit {
                stop.raise(limit);
                raised = Some((limit, now));
            }
        }
        raise_alarms(shared, raised.map(|(limit, _)| limit), now);
        // Whoever reports, and whoever writes while it works, is seen to get rid of it.
        let limit_at = [raised.map(|(_, at)| at), interrupted].into_iter().flatten().min();
        if let (Some(at), Some(since)) = (limit_at, output::waits_since())
            && now.saturating_duration_since(at.max(since)) > GRACE
        {
            output::last_words(UNREAD);
            exit::with(2);
        }
        if let Some((limit, since)) = raised
            && (now.duration_since(since) > GRACE || (outgrown == Some(false) && now > since + PERIOD))
            && !shared.reporting.swap(true, SeqCst)
            && let Some(give_up) = give_up.take()
        {
            shared.progress.clear();
            report(move || exit::with(give_up(limit)));
        }
        let until_deadline = limits.deadline.filter(|_| raised.is_none()).map(|d| d.saturating_duration_since(now));
        thread::park_timeout(until_deadline.map_or(PERIOD, |d| d.min(PERIOD)).max(Duration::from_millis(1)));
    }
}

/// Whether an interruption is to stop the work.
fn is_to_stop(interruption: &Interruption, since: Instant, now: Instant) -> bool {
    match interruption {
        Interruption::Stops => true,
        Interruption::EndsInput(seen) => {
            let patience = if seen.load(SeqCst) { REST } else { GRACE };
            now.saturating_duration_since(since) > patience
        }
    }
}

/// Reports in a thread of its own, so that it is watched; in this one if the system refuses another.
fn report(tell: impl FnOnce() + Send + 'static) {
    let tell = Arc::new(Mutex::new(Some(tell)));
    let theirs = Arc::clone(&tell);
    let once = |tell: &Mutex<Option<_>>| {
        let tell: Option<_> = tell.lock().unwrap_or_else(PoisonError::into_inner).take();
        tell
    };
    let started = thread::Builder::new().spawn(move || {
        if let Some(tell) = once(&theirs) {
            tell();
        }
    });
    if started.is_err()
        && let Some(tell) = once(&tell)
    {
        tell();
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_before_an_interruption_has_its_time_and_no_more() {
        let since = Instant::now();
        let stops = |seen: bool, after: Duration| {
            let interruption = Interruption::EndsInput(Arc::new(AtomicBool::new(seen)));
            is_to_stop(&interruption, since, since + after)
        };
        let moment = Duration::from_millis(1);
        assert!(is_to_stop(&Interruption::Stops, since, since));
        assert!(!stops(false, GRACE) && stops(false, GRACE + moment));
        assert!(!stops(true, GRACE + moment) && !stops(true, REST) && stops(true, REST + moment));
    }
}
