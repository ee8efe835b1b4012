//! Files of lines: reading them one by one, and saying where in a line a mistake is.
//!
//! A line is looked at where the reader buffers it; what it says goes into a [`Builder`], or whatever else [gathers](Gather)
//! it. Every format of lines shares this loop, so each polls its budget, reports input errors and foreign encodings, and tells
//! a file that was cut off from a line that is wrong.

use std::cell::Cell;
use std::io::{BufRead, ErrorKind};
use std::ops::{ControlFlow, Range};

use posetta_base::{Budget, Diagnostic, Error, Kind, OverBudget, Place};
use posetta_trace::{Builder, Trace};

pub(super) const READING: &str = "reading the run";

/// Lines between two looks at the budget.
pub(super) const STRIDE: u64 = 1024;

/// Characters of a message.
pub(super) const LONGEST_MESSAGE: usize = 160;

/// One line of an input, without its end.
#[derive(Clone, Debug)]
pub(super) struct Line<'a> {
    /// From 1.
    pub number: u64,
    pub text: &'a str,
    /// Whether a line feed follows. A file that was cut off mostly lacks the last one.
    pub ended: bool,
    ascii: bool,
    /// The last byte whose column was asked for, and how many characters stand before it: a long line is counted once.
    counted: Cell<(usize, usize)>,
}

impl<'a> Line<'a> {
    pub(super) fn new(number: u64, text: &'a str, ended: bool) -> Self {
        Self { number, text, ended, ascii: text.is_ascii(), counted: Cell::default() }
    }

    /// The column, in characters from 1, of a byte of the line.
    #[inline]
    pub(super) fn column(&self, byte: usize) -> usize {
        if self.ascii {
            return byte + 1;
        }
        let (from, before) = Some(self.counted.get()).filter(|&(from, _)| from <= byte).unwrap_or_default();
        let before = before + self.text.get(from..byte).map_or(0, |part| part.chars().count());
        self.counted.set((byte, before));
        before + 1
    }

    /// A mistake in this line, for a person.
    pub(super) fn diagnose(&self, mistake: Mistake) -> Diagnostic {
        let Mistake { mut kind, span, mut message, label, help, inside } = mistake;
        let mut help = help;
        if let Some(inside) = inside {
            if span.start >= self.text.len() && !self.ended {
                kind = Kind::Truncated;
                message = format!("the file ends inside {inside}; was it cut off?");
                help = None;
            } else {
                message = format!("the line ends inside {inside}");
            }
        }
        // It may quote a word of the line, and a word may be as long as a file.
        if let Some((cut, _)) = message.char_indices().nth(LONGEST_MESSAGE) {
            message.truncate(cut);
            message.push('…');
        }
        let place = Place::in_line(self.number, self.text, span.start, span.end);
        let mut diagnostic = Diagnostic::new(kind, message).at(place);
        (diagnostic.label, diagnostic.help) = (label, help);
        diagnostic
    }

    /// A failure whose mistakes are shown with this line where they are in it.
    pub(super) fn complete(&self, failure: Error) -> Error {
        let Error::Invalid(mut mistakes) = failure else { return failure };
        for place in mistakes.iter_mut().filter_map(|mistake| mistake.place.as_mut()) {
            if place.line == self.number && place.text.is_none() {
                let byte =
                    |column: u64| self.text.char_indices().nth(column as usize).map_or(self.text.len(), |(i, _)| i);
                let (start, end) = (byte(place.column - 1), byte(place.column - 1 + place.width));
                **place = Place::in_line(self.number, self.text, start, end);
            }
        }
        Error::Invalid(mistakes)
    }

    /// A diagnostic of the builder, with its place in this line.
    pub(super) fn place(&self, diagnostic: Diagnostic, span: Range<usize>) -> Diagnostic {
        diagnostic.at(Place::in_line(self.number, self.text, span.start, span.end))
    }
}

/// What is wrong with a line, before its number and text are known.
#[derive(Clone, Debug)]
pub(super) struct Mistake {
    pub kind: Kind,
    /// Bytes of the line.
    pub span: Range<usize>,
    pub message: String,
    pub label: Option<String>,
    pub help: Option<String>,
    /// The line ends inside this; whoever knows whether the file ends as well says it better than `message`.
    pub inside: Option<&'static str>,
}

/// Boxed, because nearly every answer is the other one.
pub(super) type Parsed<T> = Result<T, Box<Mistake>>;

impl Mistake {
    pub(super) fn new(kind: Kind, span: Range<usize>, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { kind, span, message: message.into(), label: None, help: None, inside: None })
    }

    pub(super) fn syntax(span: Range<usize>, message: impl Into<String>) -> Box<Self> {
        Self::new(Kind::Syntax, span, message)
    }

    /// The line ends at `at`, inside something.
    pub(super) fn cut(at: usize, inside: &'static str) -> Box<Self> {
        Box::new(Self { inside: Some(inside), ..*Self::syntax(at..at, format!("it ends inside {inside}")) })
    }

    pub(super) fn label(mut self: Box<Self>, label: impl Into<String>) -> Box<Self> {
        self.label = Some(label.into());
        self
    }

    pub(super) fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }
}

/// What takes in the lines of a file.
pub(super) trait Gather {
    /// Notes a mistake. Answers whether reading on is still worth it.
    fn report(&mut self, diagnostic: Diagnostic) -> bool;

    /// A reported mistake has cost an event.
    fn lose_event(&mut self);

    /// About how many bytes it holds.
    fn weight(&self) -> u64;
}

impl Gather for Builder {
    fn report(&mut self, diagnostic: Diagnostic) -> bool {
        Builder::report(self, diagnostic)
    }

    fn lose_event(&mut self) {
        Builder::lose_event(self);
    }

    fn weight(&self) -> u64 {
        Builder::weight(self)
    }
}

/// Reads a run line by line. `each` puts a line into the builder and says whether to go on; `sequence` is
/// [`Builder::finish`]'s.
pub(super) fn read(
    reader: impl BufRead,
    sequence: bool,
    budget: &Budget,
    each: impl FnMut(&mut Builder, &Line<'_>) -> ControlFlow<()>,
) -> Result<Trace, Error> {
    let mut builder = Builder::new();
    read_into(&mut builder, reader, budget, each)?;
    builder.finish(sequence, budget)
}

/// Reads line by line until `each` has enough. What is gathered stays within the budget; the claim for it is given back at the
/// end.
pub(super) fn read_into<G: Gather>(
    into: &mut G,
    mut reader: impl BufRead,
    budget: &Budget,
    mut each: impl FnMut(&mut G, &Line<'_>) -> ControlFlow<()>,
) -> Result<(), OverBudget> {
    let mut claim = budget.claim(0, READING)?;
    // The beginning of a line that did not end in the reader's buffer; most lines do and are not copied.
    let mut begun = Vec::new();
    let mut number = 0;
    loop {
        let available = match reader.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => {
                let message = format!("the input could not be read: {error}");
                into.lose_event();
                into.report(Diagnostic::new(Kind::Input, message).at(Place::line_only(number + 1)));
                break;
            }
        };
        let whole = match begun.is_empty() {
            true => memchr::memrchr(b'\n', available),
            false => memchr::memchr(b'\n', available),
        };
        let taken = whole.map_or(available.len(), |i| i + 1);
        if whole.is_none() && taken > 0 {
            // One endless line must not outgrow the budget unseen.
            budget.step(0, READING)?;
            claim.grow_to(into.weight() + 2 * (begun.len() + taken) as u64, READING)?;
            begun.extend_from_slice(available);
            reader.consume(taken);
            continue;
        }
        if taken == 0 && begun.is_empty() {
            break;
        }
        let mut one = |into: &mut G, line: &Line<'_>, held: usize| {
            if line.number.is_multiple_of(STRIDE) {
                budget.step(STRIDE, READING)?;
                let bytes = into.weight() + held as u64;
                // What is handed on is not kept.
                claim.shrink_to(bytes);
                claim.grow_to(bytes, READING)?;
            }
            Ok(each(into, line))
        };
        let flow = if begun.is_empty() {
            whole_lines(into, &mut number, &available[..taken], |into, line| one(into, line, 0))?
        } else {
            begun.extend_from_slice(&available[..taken]);
            number += 1;
            let held = begun.capacity();
            let flow = one_line(into, number, &begun, |into, line| one(into, line, held))?;
            begun.clear();
            flow
        };
        reader.consume(taken);
        if flow.is_break() {
            break;
        }
    }
    budget.step(number % STRIDE, READING)
}

/// What `each` says about going on.
type Going = Result<ControlFlow<()>, OverBudget>;

/// Lines that end in the reader's buffer: it is asked once for all of them, and whether they are UTF-8 is found out at once.
fn whole_lines<G: Gather>(
    into: &mut G,
    number: &mut u64,
    bytes: &[u8],
    mut each: impl FnMut(&mut G, &Line<'_>) -> Going,
) -> Going {
    let text = str::from_utf8(if *number == 0 { without_mark(bytes) } else { bytes });
    let ascii = text.is_ok_and(str::is_ascii);
    let mut from = 0;
    for end in memchr::memchr_iter(b'\n', text.map_or(bytes, str::as_bytes)) {
        *number += 1;
        let flow = match text {
            Ok(text) => {
                let line = &text[from..end];
                let text = line.strip_suffix('\r').unwrap_or(line);
                let ascii = ascii || text.is_ascii();
                each(into, &Line { number: *number, text, ended: true, ascii, counted: Cell::default() })?
            }
            Err(_) => one_line(into, *number, &bytes[from..=end], &mut each)?,
        };
        if flow.is_break() {
            return Ok(flow);
        }
        from = end + 1;
    }
    Ok(ControlFlow::Continue(()))
}

fn one_line<G: Gather>(
    into: &mut G,
    number: u64,
    bytes: &[u8],
    mut each: impl FnMut(&mut G, &Line<'_>) -> Going,
) -> Going {
    match decode(number, bytes) {
        Ok(line) => each(into, &line),
        Err(mistake) => {
            into.lose_event();
            into.report(*mistake);
            // What follows is in the same encoding, and one such report says enough.
            Ok(ControlFlow::Break(()))
        }
    }
}

/// The line that these bytes are, its end included.
#[inline]
pub(super) fn decode(number: u64, bytes: &[u8]) -> Result<Line<'_>, Box<Diagnostic>> {
    let (bytes, ended) = match bytes.strip_suffix(b"\n") {
        Some(rest) => (rest.strip_suffix(b"\r").unwrap_or(rest), true),
        None => (bytes, false),
    };
    let bytes = if number == 1 { without_mark(bytes) } else { bytes };
    match str::from_utf8(bytes) {
        Ok(text) => Ok(Line::new(number, text, ended)),
        Err(error) => Err(Box::new(not_utf8(number, bytes, ended, error))),
    }
}

/// Some editors put a byte order mark before the first line.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

pub(super) fn not_utf8(number: u64, bytes: &[u8], ended: bool, error: std::str::Utf8Error) -> Diagnostic {
    let at = error.valid_up_to();
    // The bytes before `at` stay as they are, so `at` is the place of the first replacement character.
    let shown = String::from_utf8_lossy(bytes);
    let place = Place::in_line(number, &shown, at, at + 1);
    if error.error_len().is_none() && !ended {
        return Diagnostic::new(Kind::Truncated, "the file ends inside a character; was it cut off?")
            .at(place)
            .label("expected the rest of a UTF-8 character");
    }
    let byte = bytes.get(at).copied().unwrap_or_default();
    let help = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] if number == 1 => "this is UTF-16: convert the file to UTF-8",
        [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] if number == 1 => "this file is compressed: unpack it first",
        _ => "convert the file to UTF-8, or escape the character",
    };
    Diagnostic::new(Kind::Encoding, format!("byte 0x{byte:02x} is not UTF-8"))
        .at(place)
        .label("expected UTF-8 text")
        .help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    /// What was said of the lines, and of a mistake.
    #[derive(Debug, Default, PartialEq)]
    struct Seen(Vec<(u64, String, bool, usize)>, Vec<String>, usize);

    impl Gather for Seen {
        fn report(&mut self, diagnostic: Diagnostic) -> bool {
            let place = diagnostic.place.as_ref().map(|place| (place.line, place.column));
            self.1.push(format!("{place:?} {}", diagnostic.message));
            true
        }

        fn lose_event(&mut self) {
            self.2 += 1;
        }

        fn weight(&self) -> u64 {
            0
        }
    }

    fn look(seen: &mut Seen, line: &Line<'_>, enough: usize) -> ControlFlow<()> {
        seen.0.push((line.number, line.text.to_owned(), line.ended, line.column(line.text.len())));
        if seen.0.len() == enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Line by line, as the reader's buffer never has them.
    fn by_lines(bytes: &[u8], enough: usize) -> Seen {
        let mut seen = Seen::default();
        for (i, bytes) in bytes.split_inclusive(|&b| b == b'\n').enumerate() {
            match decode(i as u64 + 1, bytes) {
                Ok(line) if look(&mut seen, &line, enough).is_continue() => {}
                Ok(_) => break,
                Err(mistake) => {
                    seen.lose_event();
                    seen.report(*mistake);
                    break;
                }
            }
        }
        seen
    }

    /// Whatever the buffer holds at a time, the lines are the same.
    #[test]
    fn lines_do_not_depend_on_the_buffer() {
        let pieces: [&[u8]; 9] =
            [b"\n", b"a", b"\r\n", b"\xef\xbb\xbf", b"\xff", b"\xc3\xa4", b"\xc3", b"long enough\n", b"\r"];
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..3_000 {
            let taste = rng.usize(4..=pieces.len());
            let bytes = (0..rng.usize(0..12)).flat_map(|_| pieces[rng.usize(0..taste)]).copied().collect::<Vec<u8>>();
            let enough = rng.usize(1..8);
            let expected = by_lines(&bytes, enough);
            for capacity in [1, 2, 5, 100] {
                let mut reader = BufReader::with_capacity(capacity, &bytes[..]);
                let mut seen = Seen::default();
                let budget = Budget::unlimited();
                read_into(&mut seen, &mut reader, &budget, |seen, line| look(seen, line, enough)).unwrap();
                assert_eq!(seen, expected, "{bytes:?} {capacity} {enough}");
            }
        }
    }
}
