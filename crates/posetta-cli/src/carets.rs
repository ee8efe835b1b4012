//! Draws mistakes and warnings as this program tells them: some warnings count as errors, and some want it quiet.

use posetta_base::Diagnostic;
pub use posetta_files::carets::error;

use crate::deny;
use crate::paint::{Paint, is_quiet};

/// A warning, about a run if one is given. One that is [denied](deny) is an error; any other is nothing to who wants it quiet.
pub fn warning(file: &str, trace: Option<&str>, diagnostic: &Diagnostic, paint: Paint) -> String {
    if !deny::see(diagnostic.kind) && is_quiet() {
        return String::new();
    }
    drawn_warning(file, trace, diagnostic, paint)
}

/// The same, whoever wants it quiet.
pub fn drawn_warning(file: &str, trace: Option<&str>, diagnostic: &Diagnostic, paint: Paint) -> String {
    posetta_files::carets::warning(file, trace, diagnostic, deny::see(diagnostic.kind), paint)
}
