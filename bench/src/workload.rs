//! One row of the targets: an input, the contenders on it, and how to judge them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::generate::Facts;
use crate::lab::Lab;
use crate::measure::Measured;

/// A row. Its `id` is stable: figures of different days are compared by it.
pub struct Workload {
    /// What it is called on the command line and in CSV; the part before the first hyphen groups plots.
    pub id: &'static str,
    /// The number of its target.
    pub row: u8,
    /// For people.
    pub title: &'static str,
    /// What is wanted.
    pub target: &'static str,
    /// Makes the input and says who runs.
    pub prepare: fn(&Lab) -> std::io::Result<Prepared>,
    /// Compares the figures with the target.
    pub judge: fn(&Prepared, &[Measured]) -> Vec<Judgement>,
}

/// A workload that can start.
pub struct Prepared {
    /// What the input is.
    pub facts: Facts,
    /// Who works on it. The first one is ours, and ratios are against it.
    pub contenders: Vec<Contender>,
    /// Contenders that cannot run, and why.
    pub absent: Vec<(&'static str, String)>,
}

/// Whose program it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Posetta.
    Ours,
    /// Something that bounds what is possible, run in the same round.
    Baseline,
    /// Another tool for the same job.
    Peer,
}

impl Role {
    /// For people and CSV.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Baseline => "baseline",
            Self::Peer => "peer",
        }
    }
}

/// Looks at an output: what is wrong with it.
pub type Answer = Box<dyn Fn(&str) -> Result<(), String>>;

/// A process to run and what it must say.
pub struct Contender {
    /// Its name in the table.
    pub name: &'static str,
    /// Whose it is.
    pub role: Role,
    /// The executable.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// The exit status of the right answer.
    pub status: i32,
    /// Whether the output is the right answer; otherwise why not.
    pub check: Answer,
    /// It is ended after this long.
    pub patience: Duration,
    /// Whether its peak memory and throughput are worth showing for this input.
    pub shows_memory: bool,
    /// Bytes that it works through, for its throughput.
    pub bytes: u64,
}

impl Contender {
    /// One that must end with a status and print something. Digits may be grouped: commas do not count.
    pub fn printing(
        (program, args): (&Path, Vec<String>),
        (name, role): (&'static str, Role),
        status: i32,
        wanted: impl Into<String>,
        patience: Duration,
    ) -> Self {
        let wanted: String = wanted.into();
        let bare = wanted.replace(',', "");
        let check = move |text: &str| match text.replace(',', "").contains(&bare) {
            true => Ok(()),
            false => Err(format!("no `{wanted}` in its answer")),
        };
        let (program, check) = (program.to_owned(), Box::new(check));
        Self { name, role, program, args, status, check, patience, shows_memory: true, bytes: 0 }
    }
}

/// One target and whether it was met.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// What was asked and what came out, with units.
    pub text: String,
    /// Whether the target was met.
    pub met: bool,
}
