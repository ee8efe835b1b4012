//! The end of the process: every command, the watchdog and a signal end it here and nowhere else.

use std::sync::atomic::{AtomicU8, Ordering::SeqCst};

use crate::{deny, files, signals};

/// What a shell expects of a program that an interruption ended: 128 and the number of SIGINT.
pub const INTERRUPTED: u8 = 130;

/// The status of a command that was run and failed.
static COMMAND: AtomicU8 = AtomicU8::new(0);

/// A command that was run failed: that goes before anything that is found out about it.
pub fn command_failed(status: u8) {
    COMMAND.store(status, SeqCst);
}

/// Ends the process with a status; with that of a command that failed, else with 130 if somebody interrupted it, whatever the verdicts, and with 2 if a denied
/// warning came. What is half written is removed.
pub fn with(status: u8) -> ! {
    let _no_more_files = files::abandon();
    let status = match COMMAND.load(SeqCst) {
        0 if signals::cut_short() => INTERRUPTED,
        0 => deny::status(status),
        failed => failed,
    };
    std::process::exit(i32::from(status))
}
