//! The end of the process: every command, the watchdog and a signal end it here and nowhere else.

use crate::{deny, files, signals};

/// What a shell expects of a program that an interruption ended: 128 and the number of SIGINT.
pub const INTERRUPTED: u8 = 130;

/// Ends the process with a status; with 130 if somebody interrupted it, whatever the verdicts, and with 2 if a denied
/// warning came. What is half written is removed.
pub fn with(status: u8) -> ! {
    let _no_more_files = files::abandon();
    let status = if signals::cut_short() { INTERRUPTED } else { deny::status(status) };
    std::process::exit(i32::from(status))
}
