//! SPIN on the models of the paper's protocols, as the paper ran it beside its table: the model is checked, not a run of it.
//!
//! Each model is what `posetta gen` simulates, with the property of the table as an assertion. Partial-order reduction is on, as it is
//! unless somebody turns it off.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::lab::Lab;
use crate::measure;
use crate::peers;
use crate::stats::Spread;
use crate::study::seconds;
use crate::workload::Role;

/// Two processes, flags and a turn; `inside` counts those in the critical section. With `FAULT` nobody waits, as
/// in the faulty runs of `posetta gen`.
const PETERSON: &str = "\
bool wants[2];
byte turn, inside;

active [2] proctype Process() {
  byte me = _pid, other = 1 - _pid;
  do
  :: wants[me] = true;
     turn = other;
#ifndef FAULT
     (!wants[other] || turn == me);
#endif
     inside++;
     assert(inside == 1);
     inside--;
     wants[me] = false
  od
}
";

/// A sender and a receiver over channels that lose bits: one that is read and not looked at is lost. When the sender goes on to
/// the other bit, the one it leaves has been received since it was first sent. With `FAULT` the receiver may take a bit for the
/// other one.
const ABP: &str = "\
chan messages = [2] of { bit };
chan acknowledgements = [2] of { bit };
bit sending;
bool arrived;

active proctype Sender() {
  bit answer;
  do
  :: do
     :: messages!sending
     :: acknowledgements?answer ->
        if
        :: answer == sending -> break
        :: else
        fi
     od;
     assert(arrived);
     atomic { sending = 1 - sending; arrived = false }
  od
}

active proctype Receiver() {
  bit received;
  do
  :: messages?received
  :: atomic {
       messages?received;
#ifdef FAULT
       if
       :: received = 1 - received
       :: skip
       fi;
#endif
       if
       :: received == sending -> arrived = true
       :: else
       fi
     };
     if
     :: acknowledgements!received
     :: skip
     fi
  od
}
";

/// Philosophers around a table; fork i lies between i and i + 1, and the last one begins with the other hand. `claimed`:
/// philosopher 1 has taken the left fork and not finished eating; until then the left neighbour does not eat. With `FAULT` they
/// take forks that others have.
const PHILOSOPHERS: &str = "\
byte forks[N], state[N];
bool claimed;

#ifdef FAULT
#define FREE(f) true
#else
#define FREE(f) forks[f] == 0
#endif

inline take(f) {
  atomic {
    FREE(f);
    forks[f] = _pid + 1;
    if
    :: _pid == 1 && f == 0 -> claimed = true
    :: else
    fi
  }
}

active [N] proctype Philosopher() {
  byte first = (_pid + N - 1) % N, second = _pid;
  if
  :: _pid == N - 1 -> first = N - 1; second = N - 2
  :: else
  fi;
  do
  :: state[_pid] = 1;
     take(first);
     take(second);
     atomic { state[_pid] = 2; assert(_pid != 0 || !claimed) };
     atomic {
       state[_pid] = 0;
       if
       :: _pid == 1 -> claimed = false
       :: else
       fi
     };
     forks[first] = 0;
     forks[second] = 0
  od
}
";

/// Runs of a verifier, unless it takes longer than [`SHORT`].
const TIMES: usize = 5;
const SHORT: f64 = 1.0;

/// A gigabyte, as in the paper; and patience.
const MEGABYTES: u64 = 1_000;
const PATIENCE: Duration = Duration::from_secs(180);

/// The verifiers of the models, built when asked for.
pub struct Verifiers {
    spin: Result<PathBuf, String>,
    known: BTreeMap<(&'static str, u64, bool), String>,
}

impl Verifiers {
    /// Looks for SPIN.
    pub fn new(lab: &Lab) -> Self {
        // Tiny inputs are for seeing that everything works here.
        let spin = if lab.quick { Err("left out with --quick".to_owned()) } else { peers::look_for("SPIN", None) };
        Self { spin, known: BTreeMap::new() }
    }

    /// What the column means, or why it is empty.
    pub fn note(&self) -> String {
        match &self.spin {
            Ok(_) => format!(
                "CPU seconds of SPIN's verifier on the model, building it not counted; -: past {} s, {MEGABYTES} MB or a million steps deep",
                PATIENCE.as_secs()
            ),
            Err(reason) => format!("ABSENT: nothing here is compared with SPIN: {reason}"),
        }
    }

    /// CPU seconds of the verifier of a workload of `posetta gen`.
    pub fn seconds(
        &mut self,
        lab: &Lab,
        (workload, processes, faulty): (&'static str, u64, bool),
        failures: &mut Vec<String>,
    ) -> String {
        let Ok(spin) = &self.spin else { return "absent".to_owned() };
        let model = match workload {
            "peterson" => PETERSON,
            "abp" => ABP,
            _ => PHILOSOPHERS,
        };
        let known = self.known.entry((workload, processes, faulty));
        known
            .or_insert_with(|| {
                let dir = format!("spin-{workload}-{processes}{}", if faulty { "-faulty" } else { "" });
                match measured(lab, spin, &lab.data.join(dir), model, processes, faulty) {
                    Ok(Some(took)) => seconds(took),
                    Ok(None) => "-".to_owned(),
                    Err(problem) => {
                        failures.push(format!("SPIN, {workload}: {problem}"));
                        "failed".to_owned()
                    }
                }
            })
            .clone()
    }
}

/// The median over some runs; `None` past the limits.
fn measured(
    lab: &Lab,
    spin: &Path,
    dir: &Path,
    model: &str,
    processes: u64,
    faulty: bool,
) -> Result<Option<f64>, String> {
    fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    fs::write(dir.join("model.pml"), model).map_err(|e| e.to_string())?;
    let mut translate = Command::new(spin);
    translate.arg(format!("-DN={processes}"));
    if faulty {
        translate.arg("-DFAULT");
    }
    done(translate.args(["-a", "model.pml"]).current_dir(dir))?;
    let memory = format!("-DMEMLIM={MEGABYTES}");
    let options = ["-O2", "-w", "-DSAFETY", &memory, "-o", "verifier", "pan.c"];
    done(Command::new("gcc").args(options).current_dir(dir))?;
    let mut runs = Vec::new();
    while runs.len() < TIMES && runs.iter().sum::<f64>() < SHORT {
        let ended = measure::watch(&dir.join("verifier"), &["-m1000000".to_owned()], Role::Peer, PATIENCE, lab)?;
        match verdict(&ended.run.output) {
            Some(found) if found == faulty => runs.push(ended.run.cpu.as_secs_f64()),
            Some(_) => {
                return Err(format!(
                    "{} the assertion is violated",
                    if faulty { "it denies that" } else { "it says that" }
                ));
            }
            None => return Ok(None),
        }
    }
    Ok(Spread::of(runs).map(|s| s.median))
}

/// Whether a verifier found an error; `None` if it has not looked at everything.
fn verdict(output: &str) -> Option<bool> {
    match (output.contains("errors: 1"), output.contains("errors: 0")) {
        (true, _) => Some(true),
        (_, true) if !output.contains("MEMLIM") && !output.contains("max search depth too small") => Some(false),
        _ => None,
    }
}

/// Runs a program that only has to end well.
pub fn done(command: &mut Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output().map_err(|e| format!("{:?}: {e}", command.get_program()))?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let stderr = String::from_utf8_lossy(&output.stderr);
            let complaint = stderr.lines().find(|l| !l.trim().is_empty()).unwrap_or("it says nothing");
            Err(format!("{:?} failed ({}): {complaint}", command.get_program(), output.status))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::verdict;

    #[test]
    fn what_was_not_finished_says_nothing() {
        assert_eq!(verdict("State-vector 20 byte, depth reached 9, errors: 0\n"), Some(false));
        assert_eq!(verdict("pan:1: assertion violated\nerrors: 1\n"), Some(true));
        assert_eq!(verdict("pan: reached -DMEMLIM bound\nerrors: 0\n"), None);
        assert_eq!(verdict("error: max search depth too small\nerrors: 0\n"), None);
        assert_eq!(verdict(""), None);
    }
}
