//! Where work is done: without the interpreter, within limits, and so that an interruption ends it.
//!
//! Signals reach the main thread of Python alone, and only while it looks. So what may take long runs in a thread of its own while the calling
//! one looks every few milliseconds; what is short is tried in the calling thread first, with a small part of the budget, because a thread
//! costs more than most small checks. Work is counted in steps, never in seconds, so which way was taken changes no answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use posetta_base::{Budget, Limit};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

use crate::errors::{bad_argument, panicked};

/// How often signals and the clock are looked at.
const PERIOD: Duration = Duration::from_millis(10);

/// So many steps are taken in the calling thread: mostly less than a millisecond.
const LITTLE: u64 = 1 << 9;

/// So many bytes are read in the calling thread.
pub const SMALL_INPUT: usize = 1 << 16;

/// What a call may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    timeout: Option<Duration>,
    memory: u64,
}

impl Limits {
    /// From seconds (or a `datetime.timedelta`) and bytes.
    pub fn new(timeout: Option<&Bound<'_, PyAny>>, memory: Option<u64>) -> PyResult<Self> {
        let seconds = timeout.map(|timeout| match timeout.extract::<f64>() {
            Ok(seconds) => Ok(seconds),
            Err(_) => timeout.call_method0("total_seconds").and_then(|seconds| seconds.extract()),
        });
        let timeout = seconds.transpose()?.map(|seconds| {
            Duration::try_from_secs_f64(seconds)
                .map_err(|_| bad_argument(format!("timeout={seconds}: a number of seconds is expected")))
        });
        Ok(Self { timeout: timeout.transpose()?, memory: memory.unwrap_or(u64::MAX) })
    }

    /// Without any.
    pub const NONE: Self = Self { timeout: None, memory: u64::MAX };

    /// Does something within these limits that is a part of other work: it ends when that is stopped, too.
    pub fn apart<T>(self, all: &Budget, act: impl FnOnce(&Budget) -> T) -> T {
        let budget = all.part(self.memory, u64::MAX);
        let Some(timeout) = self.timeout else { return act(&budget) };
        let stop = budget.stop_handle();
        let (sender, receiver) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                if receiver.recv_timeout(timeout) == Err(RecvTimeoutError::Timeout) {
                    stop.raise(Limit::Time);
                }
            });
            let done = act(&budget);
            drop(sender);
            done
        })
    }

    fn budget(self) -> Budget {
        Budget::with_memory(self.memory)
    }
}

/// Does something that may take long.
pub fn long<T: Send>(py: Python<'_>, limits: Limits, act: impl FnOnce(&Budget) -> T + Send) -> PyResult<T> {
    let budget = limits.budget();
    let deadline = limits.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let stop = budget.stop_handle();
    let done = py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            let budget = &budget;
            let work = move || {
                let done = catch_unwind(AssertUnwindSafe(|| act(budget)));
                // The other end waits until it comes.
                let _ = sender.send(done);
            };
            if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                return Err(None);
            }
            let mut interrupted = None;
            loop {
                match receiver.recv_timeout(PERIOD) {
                    Ok(done) => return interrupted.map_or(Ok(done), |error| Err(Some(error))),
                    // The work is gone without a word: it did not even panic.
                    Err(RecvTimeoutError::Disconnected) => return Err(None),
                    Err(RecvTimeoutError::Timeout) => {}
                }
                if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    stop.raise(Limit::Time);
                }
                if interrupted.is_none()
                    && let Err(error) = Python::attach(|py| py.check_signals())
                {
                    stop.raise(Limit::Cancelled);
                    interrupted = Some(error);
                }
            }
        })
    });
    match done {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(panic)) => Err(panicked(py, &*panic)),
        Err(Some(interrupted)) => Err(interrupted),
        Err(None) => Err(PyMemoryError::new_err("the system refuses a thread")),
    }
}

/// Does something that is mostly short: here, if a few steps are enough, else as [`long`]. `is_done` says whether nothing was left open for
/// lack of steps.
pub fn short<T: Send>(
    py: Python<'_>,
    limits: Limits,
    act: impl Fn(&Budget) -> T + Send + Sync,
    is_done: impl Fn(&T) -> bool,
) -> PyResult<T> {
    let little = limits.budget().part(u64::MAX, LITTLE);
    // A time that is over before anything is begun leaves everything open.
    if limits.timeout.is_none_or(|timeout| timeout > PERIOD) {
        let tried = here(py, || act(&little))?;
        if little.step(1, "checking").is_ok() && is_done(&tried) {
            return Ok(tried);
        }
    }
    long(py, limits, |budget| act(budget))
}

/// Does something in the calling thread, without the interpreter.
pub fn here<T: Send>(py: Python<'_>, act: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(act))).map_err(|panic| panicked(py, &*panic))
}

/// Does something short that needs the interpreter.
pub fn guarded<T>(py: Python<'_>, act: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|panic| Err(panicked(py, &*panic)))
}
