//! Tables: a line of names, then one state a line, as RFC 4180 has them; docs/formats/csv.md says how cells are read.
//!
//! `split` cuts rows into cells, [`read`](fn@read) makes a run of them, [`write`](fn@write) gives one back.

mod read;
mod split;
#[cfg(test)]
mod tests;
mod write;

pub(super) use read::Table;
pub use read::read;
pub use write::write;

use self::split::{Splitter, delimiter_of};

/// Whether a file that begins so is probably a table: names in the first line, and as many cells in the lines after it.
pub(super) fn looks_like(start: &[u8]) -> bool {
    /// So many lines are looked at.
    const LINES: usize = 4;
    let start = super::lines::without_mark(start);
    // The last line may be cut off, unless it is all there is after the names.
    let mut lines = start.split_inclusive(|&b| b == b'\n').filter(|line| line.ends_with(b"\n"));
    let Some(header) = lines.next() else { return false };
    let Ok(header) = str::from_utf8(header.trim_ascii_end()) else { return false };
    let delimiter = delimiter_of(header);
    let mut splitter = Splitter::new(delimiter);
    if splitter.push(header) != Ok(true) || splitter.cells().len() < 2 {
        return false;
    }
    let is_name = |name: &str| name.chars().any(char::is_alphabetic) && !name.contains(['{', '=', '<', '>']);
    if header.starts_with('#') || !splitter.cells().iter().all(|cell| is_name(&cell.text(header))) {
        return false;
    }
    let width = splitter.cells().len();
    let mut rows = 0;
    for line in lines.filter(|line| !line.trim_ascii().is_empty()).take(LINES) {
        let Ok(line) = str::from_utf8(line) else { return false };
        splitter.clear();
        match splitter.push(line.trim_end_matches(['\n', '\r'])) {
            Ok(true) if splitter.cells().len() == width => rows += 1,
            // A cell with line breaks says nothing more.
            Ok(false) => break,
            _ => return false,
        }
    }
    rows > 0
}
