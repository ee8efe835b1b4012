//! Interruptions: SIGINT (Ctrl-C), SIGTERM and SIGHUP, for all commands.
//!
//! The first one asks the work to stop. The watchdog sees it and raises the stop; the command then reports what is decided, and the
//! process ends with 130. A second one ends the process at once, and so does the first where no watchdog looks. The handler runs in a
//! thread of its own, so that it does not matter what the others wait for.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use crate::exit;

static ASKED: AtomicBool = AtomicBool::new(false);
static WATCHED: AtomicBool = AtomicBool::new(false);
static ORDINARY: AtomicBool = AtomicBool::new(false);
static PASSED_ON: AtomicBool = AtomicBool::new(false);

/// Begins to listen. Answers `false` if the system refuses the thread that would: then nothing could be interrupted.
pub fn listen() -> bool {
    // Whoever starts a program with `nohup` wants it to go on, and the handler cannot tell one signal from another.
    if ignores_hangups() {
        return true;
    }
    let heard = ctrlc::set_handler(|| {
        if PASSED_ON.load(SeqCst) {
            return;
        }
        if ASKED.swap(true, SeqCst) || !WATCHED.load(SeqCst) {
            exit::with(exit::INTERRUPTED);
        }
    });
    // Without a handler an interruption ends the program, as it would any other; with one but no thread, nothing does.
    !matches!(heard, Err(ctrlc::Error::System(_)))
}

/// From now on somebody looks at [`asked`].
pub fn watched() {
    WATCHED.store(true, SeqCst);
}

/// Whether somebody else hears the signals and passes them on: then they ask nothing of this program.
pub fn pass_on(passes: bool) {
    PASSED_ON.store(passes, SeqCst);
}

/// Whether somebody asked to stop.
pub fn asked() -> bool {
    ASKED.load(SeqCst)
}

/// The interruption was the ordinary end of a stream, and says nothing about the answers.
pub fn was_ordinary() {
    ORDINARY.store(true, SeqCst);
}

/// Whether an interruption kept the program from doing everything.
pub fn cut_short() -> bool {
    asked() && !ORDINARY.load(SeqCst)
}

/// Whether SIGHUP, which is number 1, is ignored.
fn ignores_hangups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 != 0)
}
