//! NuSMV, and what it says about the cuts of a run: how it is started, and what it answers.
//!
//! No one way of asking is its best on every run, so it is asked in several [`WAYS`] and the fastest counts. Counterexamples
//! are off, as they are on our side.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::lab::Lab;
use crate::measure::{self, Run};
use crate::peers;
use crate::traces::Scripts;
use crate::workload::Role;

/// How a run is written for NuSMV, and how NuSMV is started.
pub struct Way {
    /// In the table.
    pub name: &'static str,
    /// Whether the relation of the steps is given in parts, with an input that picks the process.
    parts: bool,
    flags: &'static [&'static str],
}

/// Of two encodings and ten settings tried on short runs of every model, one of these was the fastest or close to it. Dynamic
/// reordering was slower everywhere, by three times and more. Which one is better depends on the number of processes and on how
/// tightly they are coupled: with ten processes of `petn` the second way takes seconds where the others take minutes.
pub const WAYS: [Way; 2] = [
    Way { name: "parts -mono", parts: true, flags: &["-mono"] },
    Way { name: "whole -iwls95", parts: false, flags: &["-iwls95", "1000"] },
];

/// Where it is.
pub struct Nusmv {
    program: PathBuf,
}

/// The fastest answer.
pub struct Answered {
    /// How it was asked.
    pub way: &'static str,
    /// Whether the property holds.
    pub holds: bool,
    /// What it took.
    pub run: Run,
}

impl Nusmv {
    /// Looks for it.
    pub fn find(lab: &Lab) -> Result<Self, String> {
        peers::look_for(peers::NUSMV, lab.nusmv.as_deref()).map(|program| Self { program })
    }

    /// The executable.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Decides the property of a run; nothing if no way got there within the limit. Each way after the first has as long as the best
    /// before it took.
    pub fn decide(&self, json: &Path, scripts: &Scripts, lab: &Lab) -> Result<Option<Answered>, String> {
        let mut best: Option<Answered> = None;
        for way in &WAYS {
            let smv = scripts.smv(json, way.parts)?;
            let mut args: Vec<String> = ["-dcx"].iter().chain(way.flags).map(|&flag| flag.to_owned()).collect();
            args.push(smv.display().to_string());
            let patience = best.as_ref().map_or(lab.limit, |b| b.run.wall.max(LEAST));
            let ended = measure::watch(&self.program, &args, Role::Peer, patience, lab)?;
            match ended.status {
                None => continue,
                Some(status) if !status.success() => return Err(format!("NuSMV {}: {}", args.join(" "), ended.why())),
                Some(_) => {}
            }
            let holds = verdict(&ended.run.output).map_err(|e| format!("NuSMV {}: {e}", args.join(" ")))?;
            match &best {
                Some(b) if b.holds != holds => return Err(format!("NuSMV contradicts itself on {}", json.display())),
                Some(b) if b.run.cpu <= ended.run.cpu => {}
                _ => best = Some(Answered { way: way.name, holds, run: ended.run }),
            }
        }
        Ok(best)
    }
}

/// A way that is just started has at least this long.
const LEAST: Duration = Duration::from_secs(1);

/// What it says about the one property of the model.
pub fn verdict(output: &str) -> Result<bool, String> {
    let told: Vec<&str> = output.lines().filter(|l| l.starts_with("-- specification")).collect();
    match told[..] {
        [line] if line.trim_end().ends_with("is true") => Ok(true),
        [line] if line.trim_end().ends_with("is false") => Ok(false),
        _ => Err(format!("no verdict in its {} lines", output.lines().count())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_one_line() {
        let head = "*** This is NuSMV 2.6.0\n";
        assert_eq!(verdict(&format!("{head}-- specification AG ncrit < 2  is true\n")), Ok(true));
        assert_eq!(verdict(&format!("{head}-- specification AG (is true)  is false\n")), Ok(false));
        assert!(verdict(head).is_err());
        assert!(verdict("-- specification a  is true\n-- specification b  is true\n").is_err());
    }
}
