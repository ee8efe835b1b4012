//! The end of the process: every command, the watchdog and a signal end it here and nowhere else.

use std::sync::{Mutex, TryLockError};

use crate::signals;

/// What a shell expects of a program that an interruption ended: 128 and the number of SIGINT.
pub const INTERRUPTED: u8 = 130;

type CleanUp = Box<dyn FnOnce() + Send>;

/// What is to be done before the process ends, however it does.
static BEFORE: Mutex<Vec<CleanUp>> = Mutex::new(Vec::new());

/// Has something done before the process ends: what is half written is removed.
pub fn before(clean_up: impl FnOnce() + Send + 'static) {
    if let Ok(mut all) = BEFORE.lock() {
        all.push(Box::new(clean_up));
    }
}

/// Ends the process with a status; with 130 if somebody interrupted it, whatever the verdicts.
pub fn with(status: u8) -> ! {
    // Whoever cleans up already does it for everybody.
    let clean_ups = match BEFORE.try_lock() {
        Ok(mut all) => std::mem::take(&mut *all),
        Err(TryLockError::Poisoned(all)) => std::mem::take(&mut *all.into_inner()),
        Err(TryLockError::WouldBlock) => Vec::new(),
    };
    clean_ups.into_iter().for_each(|clean_up| clean_up());
    let status = if signals::cut_short() { INTERRUPTED } else { status };
    std::process::exit(i32::from(status))
}
