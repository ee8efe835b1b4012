//! Waveforms as text: value change dumps of IEEE 1364, as simulators write them; docs/formats/vcd.md says what is read.
//!
//! [`read`] makes a run of a dump. `tokens` cuts it into words, `declarations` reads what the signals are, `changes` what they do.

mod changes;
mod declarations;
#[cfg(test)]
mod tests;
mod tokens;

pub(super) use changes::Dump;
pub use changes::read;

/// The words that a dump may begin with.
const FIRST: [&[u8]; 10] = [
    b"$date",
    b"$version",
    b"$comment",
    b"$timescale",
    b"$timezero",
    b"$scope",
    b"$var",
    b"$attrbegin",
    b"$upscope",
    b"$enddefinitions",
];

/// Whether a file that begins so is a dump.
pub(super) fn looks_like(start: &[u8]) -> bool {
    let start = super::lines::without_mark(start).trim_ascii_start();
    let end = start.iter().position(u8::is_ascii_whitespace).unwrap_or(start.len());
    FIRST.contains(&&start[..end])
}
