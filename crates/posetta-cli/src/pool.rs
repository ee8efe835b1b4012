//! Jobs side by side. A job may add jobs, before all others or behind them.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The jobs that wait, and how many are being worked on.
pub struct Queue<J> {
    state: Mutex<Jobs<J>>,
    changed: Condvar,
}

struct Jobs<J> {
    waiting: VecDeque<J>,
    active: usize,
    /// How many wait for a job. Waking nobody takes a call of the system, too.
    idle: usize,
}

impl<J: Send> Queue<J> {
    fn lock(&self) -> MutexGuard<'_, Jobs<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts jobs before all others, in their order.
    pub fn first(&self, jobs: Vec<J>) {
        let mut state = self.lock();
        for job in jobs.into_iter().rev() {
            state.waiting.push_front(job);
        }
        self.wake(&state);
    }

    /// Puts a job behind all others.
    pub fn last(&self, job: J) {
        let mut state = self.lock();
        state.waiting.push_back(job);
        self.wake(&state);
    }

    fn take(&self) -> Option<J> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.waiting.pop_front() {
                state.active += 1;
                return Some(job);
            }
            if state.active == 0 {
                return None;
            }
            state.idle += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    fn done(&self) {
        let mut state = self.lock();
        state.active -= 1;
        self.wake(&state);
    }

    fn wake(&self, state: &Jobs<J>) {
        if state.idle > 0 {
            self.changed.notify_all();
        }
    }
}

/// Works through the jobs, and through those that they add, with so many threads.
pub fn run<J: Send>(threads: usize, jobs: Vec<J>, work: impl Fn(J, &Queue<J>) + Sync) {
    let queue = Queue { state: Mutex::new(Jobs { waiting: jobs.into(), active: 0, idle: 0 }), changed: Condvar::new() };
    let worker = || {
        while let Some(job) = queue.take() {
            // Counted as done even if it panics, so that the others end and the panic is seen.
            let _done = Done(&queue);
            work(job, &queue);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // A thread that the system refuses only makes it slower.
            if std::thread::Builder::new().spawn_scoped(scope, worker).is_err() {
                break;
            }
        }
        worker();
    });
}

struct Done<'a, J: Send>(&'a Queue<J>);

impl<J: Send> Drop for Done<'_, J> {
    fn drop(&mut self) {
        self.0.done();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    #[test]
    fn added_jobs_are_done_too() {
        let sum = AtomicU32::new(0);
        run(4, vec![3u32, 2, 1], |n, queue| {
            sum.fetch_add(1, Relaxed);
            if n > 0 {
                queue.first(vec![n - 1, n - 1]);
            }
        });
        assert_eq!(sum.load(Relaxed), 15 + 7 + 3);
    }
}
