//! Systems of components: the third paper's case studies and what it says about them, philosophers beside SPIN, models of other
//! shapes and kinds beside it, and what the Model Checking Contest asks of nets.

pub mod contest;
pub mod dining;
mod examinations;
pub mod kinds;
mod model;
mod nets;
pub mod paper;
pub mod shapes;

use std::fs;
use std::path::PathBuf;

use crate::lab::Lab;

/// Writes a system, which is short and never kept from another day.
fn written(lab: &Lab, name: &str, text: &str) -> Result<PathBuf, String> {
    let path = lab.data.join(format!("{name}.sys"));
    fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}
