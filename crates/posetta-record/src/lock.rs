//! A lock whose hand-over orders its release before the next acquisition.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use crate::{Process, Stamp, unpoisoned};

/// A lock around a value. Taking and leaving it are events, `acquire m` and `release m` for a lock called m.
///
/// Clones are the same lock. A thread that panicked while it held the lock leaves the value as it was then; the next
/// acquisition has the attribute `poisoned`.
///
/// ```
/// use posetta_record::Recorder;
///
/// let recorder = Recorder::in_memory();
/// let (a, b) = (recorder.process("A"), recorder.process("B"));
/// let balance = recorder.lock("balance", 100);
/// *balance.lock(&a) -= 30;
/// *balance.lock(&b) -= 30;
/// assert_eq!(
///     recorder.take_text(),
///     r#"{"posetta":1}
/// {"process":"A","name":"acquire balance"}
/// {"process":"A","name":"release balance"}
/// {"process":"B","name":"acquire balance","after":["A.2"]}
/// {"process":"B","name":"release balance"}
/// "#
/// );
/// ```
pub struct Lock<T> {
    inner: Arc<Inner<T>>,
}

impl<T> Clone for Lock<T> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

struct Inner<T> {
    acquire: Box<str>,
    release: Box<str>,
    held: Mutex<Held<T>>,
}

struct Held<T> {
    value: T,
    released: Option<Stamp>,
}

impl<T> Lock<T> {
    pub(crate) fn new(name: &str, value: T) -> Self {
        let inner = Inner {
            acquire: format!("acquire {name}").into(),
            release: format!("release {name}").into(),
            held: Mutex::new(Held { value, released: None }),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Waits for the lock. It is left when the guard is dropped.
    pub fn lock<'a>(&'a self, process: &'a Process) -> LockGuard<'a, T> {
        let (held, poisoned) = match self.inner.held.lock() {
            Ok(held) => (held, false),
            Err(poisoned) => (poisoned.into_inner(), true),
        };
        self.acquired(process, held, poisoned)
    }

    /// Takes the lock if it is free. Without success there is no event.
    #[must_use]
    pub fn try_lock<'a>(&'a self, process: &'a Process) -> Option<LockGuard<'a, T>> {
        match self.inner.held.try_lock() {
            Ok(held) => Some(self.acquired(process, held, false)),
            Err(TryLockError::Poisoned(poisoned)) => Some(self.acquired(process, poisoned.into_inner(), true)),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn acquired<'a>(&'a self, process: &'a Process, held: MutexGuard<'a, Held<T>>, poisoned: bool) -> LockGuard<'a, T> {
        self.inner.held.clear_poison();
        let mut event = process.event(&self.inner.acquire);
        if poisoned {
            event = event.attr("poisoned", true);
        }
        if let Some(released) = &held.released {
            event = event.after(released);
        }
        event.record();
        LockGuard { process, release: &self.inner.release, held }
    }

    /// The value, without an event: for assertions and output.
    #[must_use]
    pub fn peek(&self) -> T
    where
        T: Clone,
    {
        unpoisoned(self.inner.held.lock()).value.clone()
    }
}

/// A lock that is held.
pub struct LockGuard<'a, T> {
    process: &'a Process,
    release: &'a str,
    held: MutexGuard<'a, Held<T>>,
}

impl<T> Deref for LockGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.held.value
    }
}

impl<T> DerefMut for LockGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.held.value
    }
}

impl<T> Drop for LockGuard<'_, T> {
    fn drop(&mut self) {
        let stamp = self.process.event(self.release).stamp();
        // A release that was lost orders nothing, so the one before it stays.
        if !stamp.is_of_nothing() {
            self.held.released = Some(stamp);
        }
    }
}
