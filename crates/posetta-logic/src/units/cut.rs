//! How a file of PSL, or a source with PSL in it, falls into statements, and of which flavour it is.

use super::assertions::Item;
use super::{Diagnostic, Flavour, Kind, Place, Span, visible};

/// The flavour of a file that does not say it.
pub(super) fn guess(text: &str) -> Flavour {
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if has(&["posedge", "negedge", "default clock =", "&&", "||", "'b", "##"]) {
        Flavour::Verilog
    } else if has(&["rising_edge", "falling_edge", "clock is", "downto", "'1'", "'0'", "/="]) || compares_bits(text) {
        Flavour::Vhdl
    } else {
        Flavour::Any
    }
}

/// Whether something is compared with a string of bits, as in `data = "0101"`: a number in VHDL, and in no other flavour.
pub(super) fn compares_bits(text: &str) -> bool {
    let mut parts = text.split('"');
    let mut before = parts.next().unwrap_or_default();
    while let (Some(inside), Some(behind)) = (parts.next(), parts.next()) {
        let is_bits = !inside.is_empty() && inside.chars().all(|c| matches!(c, '0' | '1' | '_' | 'X' | 'Z' | '-'));
        if is_bits && before.trim_end().ends_with(['=', '<', '>']) {
            return true;
        }
        before = behind;
    }
    false
}

/// The text with the assertions of a source in SystemVerilog in it. PSL in comments is there already.
pub(super) fn beside(code: &str, visible: String, items: &[Item]) -> String {
    let mut bytes = visible.into_bytes();
    for item in items {
        let Span { start, end } = item.span();
        bytes[start..end].copy_from_slice(&code.as_bytes()[start..end]);
    }
    visible::text(bytes)
}

/// The text with blanks for comments and for what is around statements: `vunit name (entity) {` and its `}`.
/// Also where the names of units stand, and the units themselves.
pub(super) fn without_units(text: String, flavour: Flavour) -> (String, Vec<(Span, Span)>, Vec<Diagnostic>) {
    let mut bytes = text.clone().into_bytes();
    let (mut mistakes, mut units) = (Vec::new(), Vec::new());
    let blank = |bytes: &mut [u8], from: usize, to: usize| {
        for b in &mut bytes[from..to] {
            if *b != b'\n' && *b != b'\r' {
                *b = b' ';
            }
        }
    };
    let mut quoted = false;
    let mut at = 0;
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        let comment = rest.starts_with(b"//") || (flavour != Flavour::Verilog && rest.starts_with(b"--"));
        if !quoted && comment {
            let end = at + rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            blank(&mut bytes, at, end);
            at = end;
            continue;
        }
        if rest[0] == b'"' {
            quoted = !quoted;
        }
        at += 1;
    }
    let clean = String::from_utf8_lossy(&bytes).into_owned();
    let mut from = 0;
    while let Some((word, start)) = next_word(&clean, from) {
        from = start + word.len();
        if !matches!(word.to_ascii_lowercase().as_str(), "vunit" | "vprop" | "vmode") {
            continue;
        }
        let Some(open) = clean[from..].find('{').map(|found| from + found) else {
            let place = Place::in_text(&text, Span::new(start, from));
            mistakes.push(Diagnostic::new(Kind::Syntax, "this unit has no statements").at(place).label("expected `{`"));
            break;
        };
        match closing(&clean, open) {
            Some(close) => {
                let name =
                    next_word(&clean, from).map_or(Span::new(from, from), |(name, at)| Span::new(at, at + name.len()));
                units.push((name, Span::new(start, close)));
                blank(&mut bytes, start, open + 1);
                blank(&mut bytes, close, close + 1);
                from = open + 1;
            }
            None => {
                let place = Place::in_text(&text, Span::new(open, open + 1));
                mistakes.push(
                    Diagnostic::new(Kind::Syntax, "this unit does not end").at(place).label("expected `}` for it"),
                );
                break;
            }
        }
    }
    (String::from_utf8_lossy(&bytes).into_owned(), units, mistakes)
}

/// The next word and where it begins.
pub(super) fn next_word(text: &str, from: usize) -> Option<(&str, usize)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let start = from + text[from..].find(is_part)?;
    let end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |length| start + length);
    Some((&text[start..end], start))
}

/// Where the brace closes that is open here.
pub(super) fn closing(text: &str, open: usize) -> Option<usize> {
    let (mut depth, mut quoted) = (0_usize, false);
    for (at, c) in text[open..].char_indices() {
        match c {
            '"' => quoted = !quoted,
            '{' if !quoted => depth += 1,
            '}' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(open + at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The stretches between semicolons outside of brackets, without empty ones.
pub(super) fn statements(text: &str) -> Vec<Span> {
    let (mut depth, mut quoted, mut start) = (0_i64, false, 0);
    let mut spans = Vec::new();
    let mut add = |from: usize, to: usize| {
        let body = &text[from..to];
        let begin = from + (body.len() - body.trim_start().len());
        let end = begin + body.trim().len();
        if end > begin {
            spans.push(Span::new(begin, end));
        }
    };
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' | '{' | '[' if !quoted => depth += 1,
            ')' | '}' | ']' if !quoted => depth -= 1,
            ';' if !quoted && depth <= 0 => {
                add(start, at);
                start = at + 1;
                depth = 0;
            }
            _ => {}
        }
    }
    add(start, text.len());
    spans
}
