//! Text in XML, and in the HTML that we write: the one way in which it is escaped.

use std::fmt::Write;

use crate::paint::clean;

/// Text of anybody for an attribute or between tags: clean, so that it has no characters that XML cannot have, and escaped.
pub(crate) fn text(text: &str) -> String {
    escaped(&clean(text))
}

/// Text without what has a meaning in XML, and without the two characters that it cannot have once text is clean.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => drop(write!(out, "\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out
}
