//! Inputs that are held whole, because what stands at their end may matter at their beginning.

use std::io::BufRead;

use super::lines::{LONGEST_MESSAGE, Mistake, READING, not_utf8};
use posetta_base::{Budget, Claim, Diagnostic, Error, Kind, Place, Span};

/// The whole text, without a byte order mark, and what it takes.
///
/// # Errors
/// When it cannot be read, is not UTF-8, or does not fit the budget.
pub(super) fn whole(mut reader: impl BufRead, budget: &Budget) -> Result<(String, Claim), Error> {
    let mut claim = budget.claim(0, READING)?;
    let mut bytes = Vec::new();
    loop {
        budget.step(0, READING)?;
        let available = match reader.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => {
                return Err(Diagnostic::new(Kind::Input, format!("the input could not be read: {error}")).into());
            }
        };
        if available.is_empty() {
            break;
        }
        let taken = available.len();
        claim.grow_to(2 * (bytes.len() + taken) as u64, READING)?;
        bytes.extend_from_slice(available);
        reader.consume(taken);
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |i| i + 1);
        let end = memchr::memchr(b'\n', &bytes[at..]).map(|i| at + i);
        let line = &bytes[start..end.unwrap_or(bytes.len())];
        let number = 1 + memchr::memchr_iter(b'\n', &bytes[..start]).count() as u64;
        let error = str::from_utf8(line).expect_err("the line has the bytes that are not UTF-8");
        not_utf8(number, line, end.is_some(), error)
    })?;
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    Ok((text, claim))
}

/// A mistake in a whole text, for a person.
pub(super) fn diagnose(text: &str, mistake: Mistake) -> Diagnostic {
    let Mistake { mut kind, span, mut message, label, mut help, inside } = mistake;
    if let Some(inside) = inside.filter(|_| span.start >= text.trim_end().len()) {
        kind = Kind::Truncated;
        message = format!("the file ends inside {inside}; was it cut off?");
        help = None;
    }
    if let Some((cut, _)) = message.char_indices().nth(LONGEST_MESSAGE) {
        message.truncate(cut);
        message.push('…');
    }
    let place = Place::in_text(text, Span::new(span.start, span.end));
    let mut diagnostic = Diagnostic::new(kind, message).at(place);
    (diagnostic.label, diagnostic.help) = (label, help);
    diagnostic
}
