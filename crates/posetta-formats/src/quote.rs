//! Strings in double quotes, the same in the text format and in JSON: scanning, unescaping, writing.
//!
//! A [`Quoted`] is checked when it is scanned and stays a range of its line; most strings have no escape and are never
//! copied.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use super::lines::{Mistake, Parsed};
use posetta_base::unsafe_to_show;

/// What stands between two quotes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quoted {
    pub start: usize,
    pub end: usize,
    escaped: bool,
}

impl Quoted {
    /// The string that it stands for. `line` is the text in which it was scanned.
    #[inline]
    pub(super) fn text<'a>(&self, line: &'a str) -> Cow<'a, str> {
        let raw = &line[self.start..self.end];
        if self.escaped { Cow::Owned(unescape(raw)) } else { Cow::Borrowed(raw) }
    }

    /// Whether two strings of one line stand for the same.
    pub(super) fn is_same(&self, other: &Self, line: &str) -> bool {
        match self.escaped || other.escaped {
            true => self.text(line) == other.text(line),
            false => line[self.span()] == line[other.span()],
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Its bytes in the line, quotes left out.
    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Its bytes in the line, quotes included.
    pub(super) fn quoted_span(&self) -> Range<usize> {
        self.start - 1..self.end + 1
    }
}

/// How many bytes come before the first quote, backslash or control character; all if there is none.
///
/// Eight at a time: subtracting 1 from a zero byte, or 32 from a control character, sets its highest bit. A borrow can
/// set more bits, but only above a right one, and the lowest is what counts.
#[inline(always)] // Five strings a line: calls were a tenth of the time to read a file.
fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
    let (chunks, rest) = bytes.as_chunks::<8>();
    for (i, &chunk) in chunks.iter().enumerate() {
        let word = u64::from_le_bytes(chunk);
        let equals = |b: u8| {
            let zero = word ^ (ONES * u64::from(b));
            zero.wrapping_sub(ONES) & !zero
        };
        let special = (equals(b'"') | equals(b'\\') | (word.wrapping_sub(ONES * 0x20) & !word)) & HIGH;
        if special != 0 {
            return 8 * i + special.trailing_zeros() as usize / 8;
        }
    }
    8 * chunks.len() + rest.iter().position(|&b| b == b'"' || b == b'\\' || b < 0x20).unwrap_or(rest.len())
}

/// Scans the string whose opening quote is at `at`. Control characters must be escaped, as JSON has it; `tabs` allows
/// that one.
#[inline(always)]
pub(super) fn scan(line: &str, at: usize, tabs: bool) -> Parsed<Quoted> {
    let start = at + 1;
    let end = start + plain_length(&line.as_bytes()[start..]);
    if line.as_bytes().get(end) == Some(&b'"') {
        return Ok(Quoted { start, end, escaped: false });
    }
    scan_special(line, start, end, tabs)
}

/// Goes on at `at`, where the string that begins at `start` has something special.
#[cold]
fn scan_special(line: &str, start: usize, mut at: usize, tabs: bool) -> Parsed<Quoted> {
    let mut escaped = false;
    loop {
        match line.as_bytes().get(at) {
            Some(b'"') => return Ok(Quoted { start, end: at, escaped }),
            Some(b'\\') => {
                escaped = true;
                at += escape(line, at)?.1;
            }
            Some(b'\t') if tabs => at += 1,
            Some(_) => return Err(control_character(line, at)),
            None => return Err(Mistake::cut(line.len(), "a string").label("expected `\"`")),
        }
        at += plain_length(&line.as_bytes()[at..]);
    }
}

#[cold]
fn control_character(line: &str, at: usize) -> Box<Mistake> {
    let byte = line.as_bytes()[at];
    let written = if byte == b'\t' { "\\t".to_owned() } else { format!("\\u{byte:04x}") };
    Mistake::syntax(at..at + 1, "a control character inside a string").label(format!("expected it as `{written}`"))
}

/// The character that the escape at `at` stands for, and the length of the escape.
fn escape(line: &str, at: usize) -> Parsed<(char, usize)> {
    let bytes = line.as_bytes();
    let plain = match bytes.get(at + 1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => {
            let first = four_digits(line, at + 2)?;
            let half = |what| Err(Mistake::syntax(at..at + 6, "half of a surrogate pair").label(what));
            return match first {
                0xdc00..0xe000 => half("expected the first half before it"),
                0xd800..0xdc00 => {
                    if bytes.get(at + 6) != Some(&b'\\') || bytes.get(at + 7) != Some(&b'u') {
                        return half("expected the second half after it");
                    }
                    let second = four_digits(line, at + 8)?;
                    if !(0xdc00..0xe000).contains(&second) {
                        return half("expected the second half after it");
                    }
                    let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                    Ok((char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12))
                }
                code => Ok((char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 6)),
            };
        }
        None => return Err(Mistake::cut(line.len(), "a string").label("expected the rest of the escape")),
        Some(_) => {
            let end = line[at + 1..].chars().next().map_or(at + 1, |c| at + 1 + c.len_utf8());
            return Err(Mistake::syntax(at..end, format!("`{}` is not an escape", &line[at..end]))
                .label("expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u")
                .help("a backslash itself is written `\\\\`"));
        }
    };
    Ok((plain, 2))
}

fn four_digits(line: &str, at: usize) -> Parsed<u32> {
    let mut code = 0;
    for at in at..at + 4 {
        let Some(&byte) = line.as_bytes().get(at) else {
            return Err(Mistake::cut(line.len(), "a string").label("expected four hexadecimal digits"));
        };
        let Some(digit) = char::from(byte).to_digit(16) else {
            return Err(Mistake::syntax(at..at + 1, "`\\u` needs four hexadecimal digits")
                .label("expected a hexadecimal digit"));
        };
        code = code * 16 + digit;
    }
    Ok(code)
}

/// The inside of a scanned string without its escapes.
#[cold]
fn unescape(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'\\', &raw.as_bytes()[at..]) {
        text.push_str(&raw[at..at + next]);
        at += next;
        // `scan` has seen every escape; a bad one would be kept as it stands.
        let (c, length) = escape(raw, at).unwrap_or(('\\', 1));
        text.push(c);
        at += length;
    }
    text.push_str(&raw[at..]);
    text
}

/// Writes a string in quotes. Everything that could end a line or hide is escaped.
pub(super) fn write(out: &mut impl Write, text: &str) -> io::Result<()> {
    out.write_all(b"\"")?;
    let mut plain = 0;
    for (at, c) in text.char_indices() {
        let escaped = match c {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            c if unsafe_to_show(c) => "",
            _ => continue,
        };
        out.write_all(&text.as_bytes()[plain..at])?;
        plain = at + c.len_utf8();
        if escaped.is_empty() {
            write!(out, "\\u{:04x}", c as u32)?;
        } else {
            out.write_all(escaped.as_bytes())?;
        }
    }
    out.write_all(&text.as_bytes()[plain..])?;
    out.write_all(b"\"")
}

/// Writes JSON that was read from one line. What could hide can only stand inside its strings, and is escaped.
pub(super) fn write_json(out: &mut impl Write, json: &str) -> io::Result<()> {
    let mut plain = 0;
    // A tab between two words of JSON stays.
    for (at, c) in json.char_indices().filter(|&(_, c)| !c.is_ascii_whitespace() && unsafe_to_show(c)) {
        out.write_all(&json.as_bytes()[plain..at])?;
        write!(out, "\\u{:04x}", c as u32)?;
        plain = at + c.len_utf8();
    }
    out.write_all(&json.as_bytes()[plain..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(source: &str) -> Result<String, String> {
        let line = super::super::lines::Line::new(1, source, true);
        scan(source, 0, false).map(|q| q.text(source).into_owned()).map_err(|m| line.diagnose(*m).to_string())
    }

    #[test]
    fn escapes() {
        for (source, text) in [
            (r#""""#, ""),
            (r#""plain""#, "plain"),
            (r#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
            (r#""a\u00e9b""#, "aéb"),
            (r#""\ud83d\ude00""#, "😀"),
            (r#""\u0000""#, "\0"),
        ] {
            assert_eq!(read(source).as_deref(), Ok(text), "{source}");
        }
    }

    #[test]
    fn mistakes() {
        for (source, message) in [
            (r#""abc"#, "1:5: the line ends inside a string"),
            (r#""abc\"#, "1:6: the line ends inside a string"),
            (r#""a\u00"#, "1:7: the line ends inside a string"),
            (r#""é\qb""#, "1:3: `\\q` is not an escape"),
            (r#""\u00g0""#, "1:6: `\\u` needs four hexadecimal digits"),
            (r#""\ud83d""#, "1:2: half of a surrogate pair"),
            (r#""\ud83d\u0041""#, "1:2: half of a surrogate pair"),
            (r#""\ude00""#, "1:2: half of a surrogate pair"),
            ("\"a\tb\"", "1:3: a control character inside a string"),
        ] {
            assert_eq!(read(source).unwrap_err(), message, "{source}");
        }
    }

    #[test]
    fn the_first_special_byte_is_found_at_every_place() {
        for special in [b'"', b'\\', 0, b'\n', 0x1f] {
            for length in 0..30 {
                for filler in [b' ', b'!', b'#', b'[', b']', 0x7f, 0x80, 0xff] {
                    let mut bytes = vec![filler; length];
                    assert_eq!(plain_length(&bytes), length);
                    bytes.push(special);
                    bytes.extend([b'"', b'a', b'\\', 0, filler, b'x', b'y', b'z', filler]);
                    assert_eq!(plain_length(&bytes), length, "{special:02x} after {length} of {filler:02x}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn written_strings_are_read_back(text in any::<String>()) {
            let mut out = Vec::new();
            write(&mut out, &text).unwrap();
            let written = String::from_utf8(out).unwrap();
            prop_assert!(!written.contains(unsafe_to_show));
            prop_assert_eq!(read(&written), Ok(text));
        }
    }
}
