//! Logs with vector clocks, as ShiViz, GoVector and their relatives write and read them; grammar in docs/formats/shiviz.md.
//!
//! A log is cut into records by an expression with named groups ([`Expression`]), and into runs by a [`Delimiter`].
//! [`read`] slides a `window` along the log, lets a `cut`ter find the records in it, and puts each into a `recording`; at
//! the end of a run its `clocks` give the order.

pub(crate) mod clock_text;
pub(crate) mod clocks;
mod cut;
mod expression;
mod read;
mod recording;
mod window;
mod write;

pub(crate) use expression::compile;
pub use expression::{Delimiter, Expression};
pub use read::read;
pub(super) use read::read_parts;
pub use write::write;

use crate::lines::Mistake;

/// Whether a file that begins so is a log with vector clocks.
pub(super) fn looks_like(start: &[u8]) -> bool {
    let start = &start[..start.len().min(cut::ENOUGH)];
    let known = str::from_utf8(start).unwrap_or_else(|e| str::from_utf8(&start[..e.valid_up_to()]).unwrap_or(""));
    let known = known.trim_start_matches('\u{feff}');
    if is_expression(known.lines().next().unwrap_or_default()) {
        return true;
    }
    // Nearly every file of another format is told by this.
    let has_clock = |quote: &str| memchr::memmem::find(known.as_bytes(), quote.as_bytes()).is_some();
    (has_clock(" {\"") || has_clock(" {\\\"") || has_clock(" { \""))
        && cut::recognise(&known.replace("\r\n", "\n"), is_plausible).is_some()
}

/// Whether a line is an expression for records rather than a part of a log.
fn is_expression(line: &str) -> bool {
    ["<host>", "<clock>"]
        .iter()
        .all(|group| line.contains(&format!("(?{group}")) || line.contains(&format!("(?P{group}")))
}

/// Whether these are a host and its clock.
fn is_plausible(host: &str, clock: &str) -> bool {
    let mut own = false;
    let read = clock_text::parse(clock, |name, _| {
        own |= name == host;
        Ok(())
    });
    own && read.is_ok()
}

/// A mistake whose place is found by whoever parses around it.
fn misplaced(message: impl Into<String>) -> Box<Mistake> {
    Mistake::syntax(0..0, message)
}

#[cfg(test)]
mod tests;
