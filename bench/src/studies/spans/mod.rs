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
fn contender(program: &Path, of: (&'static str, Role), args: Vec<String>, status: i32, wanted: String) -> Contender {
    Contender::printing((program, args), of, status, wanted, PATIENCE)
}

/// Megabytes, as tables have them.
fn megabytes(bytes: f64) -> String {
    format!("{:.1}", bytes / 1e6)
}
