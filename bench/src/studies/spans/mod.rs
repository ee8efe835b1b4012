//! Exports of spans: how fast they are read, many traces in one file, and one large trace.

mod export;
pub mod one;
pub mod reading;
pub mod traces;

use std::path::Path;
use std::time::Duration;

use crate::workload::{Contender, Role};

/// Beyond what any of them should take.
const PATIENCE: Duration = Duration::from_secs(900);

/// A process on an export that must end with a status and print something.
fn contender(
    program: &Path,
    name: &'static str,
    role: Role,
    args: Vec<String>,
    status: i32,
    wanted: String,
) -> Contender {
    // The program groups digits.
    let check = move |text: &str| match text.replace(',', "").contains(&wanted) {
        true => Ok(()),
        false => Err(format!("no `{wanted}` in its answer")),
    };
    Contender {
        name,
        role,
        program: program.to_owned(),
        args,
        status,
        check: Box::new(check),
        patience: PATIENCE,
        shows_memory: true,
        bytes: 0,
    }
}

/// Megabytes, as tables have them.
fn megabytes(bytes: f64) -> String {
    format!("{:.1}", bytes / 1e6)
}
