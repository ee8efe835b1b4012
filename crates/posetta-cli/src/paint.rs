//! Colours and cleanliness of what goes to a terminal.

use std::borrow::Cow;
use std::fmt::Write;
use std::io::IsTerminal;

pub use posetta::base::unsafe_to_show;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Colours text, or leaves it alone.
#[derive(Clone, Copy, Debug)]
pub struct Paint(bool);

impl Paint {
    /// For standard output: colours only on a terminal, and not against the user's wish.
    pub fn stdout() -> Self {
        Self(std::io::stdout().is_terminal() && wanted())
    }

    /// The same for standard error.
    pub fn stderr() -> Self {
        Self(std::io::stderr().is_terminal() && wanted())
    }

    /// For a file: no colours.
    pub fn none() -> Self {
        Self(false)
    }

    fn code(self, code: &str, text: &str) -> String {
        if self.0 { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Something is wrong.
    pub fn red(self, text: &str) -> String {
        self.code("1;31", text)
    }

    /// Something is fine.
    pub fn green(self, text: &str) -> String {
        self.code("1;32", text)
    }

    /// Something is open.
    pub fn yellow(self, text: &str) -> String {
        self.code("1;33", text)
    }

    /// What to look at.
    pub fn bold(self, text: &str) -> String {
        self.code("1", text)
    }

    /// What can be skipped.
    pub fn dim(self, text: &str) -> String {
        self.code("2", text)
    }

    /// The frame around a quoted line.
    pub fn blue(self, text: &str) -> String {
        self.code("1;34", text)
    }
}

/// `NO_COLOR` (set and not empty) and `TERM=dumb` turn colours off.
fn wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()) && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
}

/// Text of a file without the characters that would move the cursor or end the line: an input must not be able to
/// redraw the report about itself.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(unsafe_to_show) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if unsafe_to_show(c) => drop(write!(out, "\\u{{{:x}}}", c as u32)),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Clean text of at most so many columns. Long values are cut: they must not push everything else off the screen.
pub fn short(text: &str, most: usize) -> String {
    let text = clean(text);
    if text.width() <= most {
        return text.into_owned();
    }
    let (mut out, mut width) = (String::new(), 0);
    for c in text.chars() {
        width += c.width().unwrap_or(0);
        if width >= most {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_cannot_redraw_the_report() {
        assert_eq!(clean("plain ütf"), "plain ütf");
        assert_eq!(clean("a\x1b[2Jb\n"), "a\\u{1b}[2Jb\\n");
        assert_eq!(clean("a\u{202e}b"), "a\\u{202e}b");
    }

    #[test]
    fn what_is_long_is_cut_to_columns() {
        for (text, shown) in [("abcd", "abcd"), ("abcde", "abc…"), ("日本", "日本"), ("日本語", "日…"), ("", "")]
        {
            assert_eq!(short(text, 4), shown);
        }
    }
}
