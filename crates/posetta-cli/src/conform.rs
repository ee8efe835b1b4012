//! `posetta check --model`: does some order of a run follow a system of components?
//!
//! [`Model::read`] is what is asked, [`follow`] answers it on one run. `posetta_tell::conformed` says the answer.

use std::path::{Path, PathBuf};
use std::time::Instant;

use posetta_base::{Budget, Diagnostic, Error, Kind};
use posetta_model::system::System;
use posetta_tell::Problem;
use posetta_tell::conformed::Followed;
use posetta_tell::report::When;
use posetta_trace::Trace;
use posetta_verify::system::conform;

use crate::args::WitnessWhen;
use crate::models;
use crate::root::RootArgs;

/// What runs are held against.
#[derive(Debug)]
pub struct Model {
    /// As reports call it.
    pub name: String,
    pub file: String,
    pub system: System,
}

impl Model {
    /// Reads it. `runs` are the arguments, because only one input can come from standard input.
    pub fn read(path: &Path, wanted: Option<&str>, runs: &[PathBuf], roots: &RootArgs) -> Result<Self, Vec<Problem>> {
        let file = path.display().to_string();
        if file == "-" && runs.iter().any(|run| run == path) {
            let message = "the model and a run cannot both come from standard input";
            return Err(vec![Problem::in_text("--model", Diagnostic::new(Kind::Input, message))]);
        }
        let system = models::read_system(path, wanted.map(|name| (name, "--system")), roots)?;
        Ok(Self { name: format!("follows {}", wanted.unwrap_or(&file)), file, system })
    }
}

/// Holds a run against the model. What shows the answer is kept as `witness` says, for its `readers`: for people, with so many columns
/// for lanes, and for programs.
pub fn follow(
    model: &Model,
    trace: &Trace,
    readers: (Option<usize>, bool),
    witness: WitnessWhen,
    budget: &Budget,
) -> Result<Followed, Error> {
    let started = Instant::now();
    let found = conform(&model.system, trace, budget)?;
    let witness = match witness {
        WitnessWhen::Auto => When::Auto,
        WitnessWhen::Always => When::Always,
        WitnessWhen::Never => When::Never,
    };
    let seconds = started.elapsed().as_secs_f64();
    Ok(Followed::new(&model.system, trace, &found, readers, witness, seconds))
}
