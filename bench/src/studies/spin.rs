//! SPIN on the model of Peterson's protocol, as the paper ran it beside its table: the model is checked, not a run of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::lab::Lab;
use crate::measure;
use crate::peers;
use crate::stats::Spread;
use crate::workload::{Contender, Role};

/// Two processes, flags and a turn; `inside` counts those in the critical section. With `FAULT` nobody waits, as
/// in the faulty runs of `posetta gen`.
const MODEL: &str = "\
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

/// Runs of the verifier.
const TIMES: usize = 5;

/// The verifiers of the two models, built when asked for.
pub struct Peterson {
    spin: Result<PathBuf, String>,
    known: [Option<String>; 2],
}

impl Peterson {
    /// Looks for SPIN.
    pub fn new(lab: &Lab) -> Self {
        // Tiny inputs are for seeing that everything works here.
        let spin = if lab.quick { Err("left out with --quick".to_owned()) } else { peers::look_for("SPIN", None) };
        Self { spin, known: [None, None] }
    }

    /// What the column means, or why it is empty.
    pub fn note(&self) -> String {
        match &self.spin {
            Ok(_) => "CPU seconds of SPIN's verifier on the model, building it not counted; Peterson only".to_owned(),
            Err(reason) => format!("absent: {reason}"),
        }
    }

    /// CPU seconds of the verifier.
    pub fn seconds(&mut self, lab: &Lab, faulty: bool, failures: &mut Vec<String>) -> String {
        let Ok(spin) = &self.spin else { return "absent".to_owned() };
        let slot = &mut self.known[usize::from(faulty)];
        slot.get_or_insert_with(|| {
            measured(lab, spin, faulty).map_or_else(
                |problem| {
                    failures.push(format!("SPIN: {problem}"));
                    "failed".to_owned()
                },
                |s| format!("{s:.2}"),
            )
        })
        .clone()
    }
}

fn measured(lab: &Lab, spin: &Path, faulty: bool) -> Result<f64, String> {
    let dir = lab.data.join(if faulty { "spin-peterson-faulty" } else { "spin-peterson" });
    fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    fs::write(dir.join("model.pml"), MODEL).map_err(|e| e.to_string())?;
    let mut translate = Command::new(spin);
    if faulty {
        translate.arg("-DFAULT");
    }
    done(translate.args(["-a", "model.pml"]).current_dir(&dir))?;
    done(Command::new("gcc").args(["-O2", "-w", "-DSAFETY", "-o", "verifier", "pan.c"]).current_dir(&dir))?;
    let contender = Contender {
        name: "SPIN",
        role: Role::Peer,
        program: dir.join("verifier"),
        args: Vec::new(),
        status: 0,
        check: Box::new(move |out| {
            let errors = if faulty { "errors: 1" } else { "errors: 0" };
            if out.contains(errors) { Ok(()) } else { Err(format!("no `{errors}`")) }
        }),
        patience: Duration::from_secs(60),
        shows_memory: false,
        bytes: 0,
    };
    let runs: Result<Vec<f64>, String> =
        (0..TIMES).map(|_| measure::run(&contender, lab).map(|r| r.cpu.as_secs_f64())).collect();
    Spread::of(runs?).map(|s| s.median).ok_or_else(|| "no runs".to_owned())
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
