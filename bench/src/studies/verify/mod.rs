//! `posetta verify` beside NuSMV, BuDDy and SPIN: whole processes on the same model.
//!
//! [`models`], [`kinds`] and [`protocols`] write the models, [`side`] runs everybody who takes part. The number of
//! reachable states is known for each model, or counted by a peer, and every answer must agree. Start at [`reach`].

mod buddy;
pub mod counts;
pub mod fork;
mod kinds;
mod models;
pub mod orders;
mod protocols;
pub mod reach;
pub mod side;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::lab::Lab;
use crate::nusmv::Nusmv;
use crate::workload::Role;
use side::{Contestant, Outcome};

/// What a peer has without `--peers`, unless the limit is less.
const BRIEF: Duration = Duration::from_secs(10);

/// Of NuSMV's ways to keep the relation of the steps, none is the best on every model; the fastest counts.
const WAYS: [(&str, &[&str]); 2] = [("NuSMV -mono", &["-mono"]), ("NuSMV -iwls95", &["-iwls95", "1000"])];

/// How long a peer may take.
pub fn patience(lab: &Lab) -> Duration {
    if lab.peers { lab.limit } else { lab.limit.min(BRIEF) }
}

/// Writes a model, which is short and never kept from another day.
fn written(lab: &Lab, name: &str, text: &str) -> Result<PathBuf, String> {
    let path = lab.data.join(format!("{name}.smv"));
    fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}

/// NuSMV in each of its ways, with a flag that says what is wanted.
fn nusmv(
    lab: &Lab,
    nusmv: &Nusmv,
    flag: &str,
    file: &std::path::Path,
    read: fn(&str) -> Result<Option<String>, String>,
) -> Vec<Contestant> {
    let one = |(name, flags): (&'static str, &[&str])| Contestant {
        name,
        role: Role::Peer,
        program: nusmv.program().to_owned(),
        args: [&[flag], flags, &[&file.display().to_string()]].concat().iter().map(|&a| a.to_owned()).collect(),
        read,
        limit: patience(lab),
        patience: patience(lab),
    };
    WAYS.map(one).into_iter().collect()
}

/// The fastest that answered; else whoever tells the most about why not.
fn best(outcomes: Vec<Outcome>) -> Outcome {
    let rank = |outcome: &Outcome| match outcome {
        Outcome::Answered(f) => (0, f.cpu.median),
        Outcome::Failed(_) => (1, 0.0),
        Outcome::Late(_) => (2, 0.0),
        Outcome::Left(_) => (3, 0.0),
    };
    let order = |a: &Outcome, b: &Outcome| {
        let (a, b) = (rank(a), rank(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    };
    outcomes.into_iter().min_by(order).unwrap_or(Outcome::Left("absent"))
}

/// What the columns mean.
fn notes(lab: &Lab) -> Vec<String> {
    let mut notes = vec![
        "s: seconds of the clock, whole processes, the middle one of the runs; ratios are of CPU time, or of the clock if one was ended".to_owned(),
        format!(
            "limits: {} s for ours and {} GB; {} s for peers",
            lab.limit.as_secs(),
            side::MEMORY,
            patience(lab).as_secs()
        ),
    ];
    if !lab.peers {
        notes.push(format!("with --peers they have {} s", lab.limit.as_secs()));
    }
    notes
}
