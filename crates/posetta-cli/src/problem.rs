//! What is wrong with an input, on its way to whoever reads it.

use posetta_base::Diagnostic;
pub use posetta_files::text::system_error;
pub use posetta_tell::Problem;
use serde_json::Value;

use crate::deny;

/// What a warning says, and whether it is [denied](deny).
pub fn warning_json(warning: &Diagnostic) -> Value {
    posetta_tell::warning_json(warning, deny::see(warning.kind))
}

/// As an entry of `warnings`.
pub fn entry_of_warnings(warning: &Problem) -> Value {
    warning.to_warning_json(deny::see(warning.diagnostic.kind))
}
