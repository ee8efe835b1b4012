//! Tables: a line of names, then one state a line, as RFC 4180 has them; docs/formats/csv.md says how cells are read.
//!
//! `split` cuts rows into cells, [`read`](fn@read) makes a run of them, [`write`](fn@write) gives one back.

mod read;
pub(super) mod split;
#[cfg(test)]
mod tests;
mod write;

pub(super) use read::Table;
pub use read::read;
pub use write::write;

use self::split::{Splitter, delimiter_of};
use super::states::is_number;

/// Whether a file that begins so is probably a table: names in the first line, as many cells in the lines after it, and something that
/// neither prose nor programs have: a column of numbers or booleans, or all of it in quotes.
pub(super) fn looks_like(start: &[u8]) -> bool {
    /// So many lines are looked at.
    const LINES: usize = 4;
    let start = super::lines::without_mark(start);
    // The last line may be cut off, unless it is all there is after the names.
    let mut lines = start.split_inclusive(|&b| b == b'\n').filter(|line| line.ends_with(b"\n"));
    let Some(header) = lines.next() else { return false };
    let Ok(header) = str::from_utf8(header.trim_ascii_end()) else { return false };
    let mut splitter = Splitter::new(delimiter_of(header));
    if splitter.push(header) != Ok(true) || splitter.cells().len() < 2 {
        return false;
    }
    let mut longest = 0;
    for cell in splitter.cells() {
        let name = cell.text(header);
        let words = name.split_whitespace().count();
        let is_plain = words <= 3 && name.chars().all(|c| c.is_alphanumeric() || "_.[]- ".contains(c));
        if !name.chars().any(char::is_alphabetic) || !(is_plain || cell.quoted) {
            return false;
        }
        longest = longest.max(if cell.quoted { 1 } else { words });
    }
    let width = splitter.cells().len();
    // For each column, whether it has a value, and whether it has something else than values.
    let mut columns = vec![(false, false); width];
    let mut all_quoted = splitter.cells().iter().all(|cell| cell.quoted);
    let mut rows = 0;
    for line in lines.filter(|line| !line.trim_ascii().is_empty()).take(LINES) {
        let Ok(line) = str::from_utf8(line) else { return false };
        let line = line.trim_end_matches(['\n', '\r']);
        splitter.clear();
        match splitter.push(line) {
            Ok(true) if splitter.cells().len() == width => rows += 1,
            // A cell with line breaks says nothing more.
            Ok(false) => break,
            _ => return false,
        }
        for (cell, (value, other)) in splitter.cells().iter().zip(&mut columns) {
            let text = cell.text(line);
            if !cell.quoted && (text.contains(" = ") || text.ends_with([';', '{', '('])) {
                return false;
            }
            all_quoted &= cell.quoted;
            if is_number(&text) || ["true", "false"].iter().any(|word| text.eq_ignore_ascii_case(word)) {
                *value = true;
            } else {
                *other |= !text.is_empty();
            }
            longest = longest.max(if cell.quoted { 1 } else { text.split_whitespace().count() });
        }
    }
    // One row alone says little, so it has single words only.
    let rows_fit = rows > 1 || (rows == 1 && longest <= 1);
    rows_fit && (all_quoted || columns.iter().any(|&(value, other)| value && !other))
}
