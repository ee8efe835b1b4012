//! Mermaid sequence diagrams; meaning in docs/formats/mermaid.md.
//!
//! A diagram as people draw it: each message is a send and a receipt, and each participant goes from top to bottom. One that
//! our `write` drew has a comment that says so, and comments that carry what a diagram cannot show.

mod parse;
mod read;
mod write;

pub use read::read;
pub use write::write;

/// The comment that marks a diagram of ours.
const OWN: &str = "%% posetta 1";

/// The word that every diagram of this sort begins with.
const WORD: &str = "sequenceDiagram";

/// Whether a file that begins so is a sequence diagram.
pub(super) fn looks_like(start: &[u8]) -> bool {
    let known = str::from_utf8(start).unwrap_or_else(|e| str::from_utf8(&start[..e.valid_up_to()]).unwrap_or(""));
    let mut front = false;
    for (i, line) in known.trim_start_matches('\u{feff}').lines().map(str::trim).enumerate() {
        match line {
            // A title and settings may come first, between two lines of dashes.
            "---" => front = i == 0 || !front,
            _ if front || line.is_empty() || line.starts_with("%%") || line.starts_with("```") => {}
            _ => return line == WORD || line.strip_prefix(WORD).is_some_and(|rest| rest.starts_with([' ', ';'])),
        }
    }
    false
}

#[cfg(test)]
mod tests;
