//! A command that is run: started with the terminal of this program, given the signals that come, and waited for.

use std::ffi::OsString;
use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use super::environment::Change;
use crate::signals;

/// How often the command and the signals are looked at.
const PERIOD: Duration = Duration::from_millis(10);

/// How a command ended.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    pub status: ExitStatus,
    /// Whether somebody wanted it to end earlier.
    pub interrupted: bool,
}

impl Ended {
    /// As a shell would say it: 128 and the number for one that a signal ended.
    pub fn code(self) -> u8 {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&self.status) {
            return u8::try_from(128 + signal).unwrap_or(u8::MAX);
        }
        // A system may have larger ones than a shell; none of them is success.
        self.status.code().map_or(1, |code| u8::try_from(code).unwrap_or(u8::MAX))
    }

    /// The same in words.
    pub fn told(self) -> String {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&self.status) {
            return format!("the command was ended by signal {signal}");
        }
        match self.status.code() {
            Some(code) => format!("the command ended with status {code}"),
            None => "the command ended without a status".to_owned(),
        }
    }
}

/// Runs a command until it ends. Signals that come meanwhile are for it. What it prints goes where ours does, or with `aside` to standard
/// error.
///
/// # Errors
/// When it cannot be started.
pub fn run(command: &[OsString], environment: &[Change], aside: bool) -> io::Result<Ended> {
    let Some((program, arguments)) = command.split_first() else { return Err(io::ErrorKind::NotFound.into()) };
    let mut start = Command::new(program);
    start.args(arguments);
    if aside {
        start.stdout(Stdio::from(io::stderr()));
    }
    for Change { name, value, .. } in environment {
        match value {
            Some(value) => drop(start.env(name, value)),
            None => drop(start.env_remove(name)),
        }
    }
    let last = Arc::new(AtomicUsize::new(0));
    listen(&last)?;
    signals::pass_on(true);
    let ended = start.spawn().and_then(|child| wait(child, &last));
    signals::pass_on(false);
    ended
}

fn wait(mut child: Child, last: &AtomicUsize) -> io::Result<Ended> {
    let mut interrupted = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ended { status, interrupted });
        }
        let signal = last.swap(0, SeqCst);
        if signal != 0 {
            interrupted = true;
            pass_on(&mut child, signal);
        }
        thread::sleep(PERIOD);
    }
}

/// Notes the number of the last signal that came.
#[cfg(unix)]
fn listen(last: &Arc<AtomicUsize>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        signal_hook::flag::register_usize(signal, Arc::clone(last), signal as usize)?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn listen(_: &Arc<AtomicUsize>) -> io::Result<()> {
    Ok(())
}

/// Gives the command a signal. The terminal gives its own to all that it runs.
#[cfg(unix)]
fn pass_on(child: &mut Child, signal: usize) {
    use std::io::IsTerminal as _;

    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let of_terminal = signal == Signal::SIGINT as usize && (io::stdin().is_terminal() || io::stderr().is_terminal());
    let (Ok(pid), Ok(signal)) = (i32::try_from(child.id()), i32::try_from(signal)) else { return };
    if let (false, Ok(signal)) = (of_terminal, Signal::try_from(signal)) {
        // It has not been waited for, so the number is its own. It may be gone all the same.
        let _ = kill(Pid::from_raw(pid), signal);
    }
}

#[cfg(not(unix))]
fn pass_on(_: &mut Child, _: usize) {}
