//! Components from other files.

use crate::system::System;
use crate::{aut, pnml};
use posetta_base::{Diagnostic, Kind, Mistakes};

/// Reads a file by what is in it, then by its name; `component` is what its only component will be called.
pub(super) fn read(component: &str, file: &str, text: &str) -> Result<System, Mistakes> {
    let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let has_extension = |extension: &str| file.rsplit_once('.').is_some_and(|(_, e)| e.eq_ignore_ascii_case(extension));
    if start.starts_with('<') || has_extension("pnml") {
        return pnml::read(text);
    }
    if start.starts_with("des") || has_extension("aut") {
        return aut::read(component, text);
    }
    let problem = Diagnostic::new(Kind::Unsupported, "this is neither a transition system (.aut) nor a net (.pnml)");
    Err(vec![if has_extension("sys") {
        problem.help("write the components of both files into one")
    } else {
        problem.help("a transition system begins with `des (initial, transitions, states)`")
    }]
    .into())
}
