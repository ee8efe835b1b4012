//! How a text is drawn: its colours, its characters, its width; and how texts of others are kept from redrawing it.

use std::borrow::Cow;
use std::fmt::Write;

use posetta_base::unsafe_to_show;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How a text is drawn. Whoever prints says it; nothing here asks a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paint {
    /// With escape sequences for colours.
    pub colours: bool,
    /// With characters of ASCII only, but for what is quoted.
    pub ascii: bool,
    /// How many columns a line has. What cannot be broken may be longer.
    pub width: usize,
    /// Only what does not hold, and the summary.
    pub quiet: bool,
}

impl Paint {
    /// Columns where nobody says how many there are.
    pub const WIDTH: usize = 100;

    /// Wider lines of prose are hard to read.
    pub const PROSE: usize = 100;

    /// For a file: no colours, all characters.
    #[must_use]
    pub fn plain() -> Self {
        Self { colours: false, ascii: false, width: Self::WIDTH, quiet: false }
    }

    /// The columns of a line of prose.
    #[must_use]
    pub fn prose(self) -> usize {
        self.width.min(Self::PROSE)
    }

    /// What stands for something left out.
    #[must_use]
    pub fn dots(self) -> &'static str {
        if self.ascii { "..." } else { "…" }
    }

    /// [`short`], in the characters that there are.
    #[must_use]
    pub fn short(self, text: &str, most: usize) -> String {
        cut(text, most, self.dots())
    }

    /// How many columns are left for text behind a margin.
    #[must_use]
    pub fn room(self, margin: usize) -> usize {
        self.width.saturating_sub(margin).max(20)
    }

    /// How many columns lanes may take, so that there is room for what the events are.
    #[must_use]
    pub fn room_for_lanes(self) -> usize {
        self.width * 48 / 100
    }

    /// A sign or a piece of a line, as this page can have it: one column either way.
    #[must_use]
    pub fn sign(self, sign: char) -> char {
        if !self.ascii {
            return sign;
        }
        match sign {
            '✓' => '+',
            '✗' => 'x',
            '●' => '*',
            '○' => 'o',
            '⋮' | '╎' => ':',
            '·' | '╌' => '.',
            '═' => '=',
            '╪' => '#',
            '│' => '|',
            '─' | '–' => '-',
            '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' | '╭' | '╮' | '╰' | '╯' => {
                '+'
            }
            '►' | '▷' | '▸' | '→' => '>',
            '◄' | '◁' | '←' => '<',
            '↑' => '^',
            '↓' => 'v',
            '⇅' => '%',
            other => other,
        }
    }

    /// The same for all signs of a text of ours.
    #[must_use]
    pub fn signs(self, text: &str) -> String {
        text.chars().map(|c| self.sign(c)).collect()
    }

    fn code(self, code: &str, text: &str) -> String {
        if self.colours { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Something is wrong.
    #[must_use]
    pub fn red(self, text: &str) -> String {
        self.code("1;31", text)
    }

    /// Something is fine.
    #[must_use]
    pub fn green(self, text: &str) -> String {
        self.code("1;32", text)
    }

    /// Something is open.
    #[must_use]
    pub fn yellow(self, text: &str) -> String {
        self.code("1;33", text)
    }

    /// What to look at.
    #[must_use]
    pub fn bold(self, text: &str) -> String {
        self.code("1", text)
    }

    /// What can be skipped.
    #[must_use]
    pub fn dim(self, text: &str) -> String {
        self.code("2", text)
    }

    /// The frame around a quoted line.
    #[must_use]
    pub fn blue(self, text: &str) -> String {
        self.code("1;34", text)
    }
}

/// Text of a file without the characters that would move the cursor or end the line: an input must not be able to
/// redraw the report about itself. They are written as strings have them.
#[must_use]
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
            c if unsafe_to_show(c) => drop(write!(out, "\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Clean text of at most so many columns. Long values are cut: they must not push everything else off the screen.
#[must_use]
pub fn short(text: &str, most: usize) -> String {
    cut(text, most, "…")
}

fn cut(text: &str, most: usize, dots: &str) -> String {
    let text = clean(text);
    if text.width() <= most {
        return text.into_owned();
    }
    let (mut out, mut width) = (String::new(), 0);
    for c in text.chars() {
        width += c.width().unwrap_or(0);
        if width + dots.len().min(dots.width()) > most {
            break;
        }
        out.push(c);
    }
    out.push_str(dots);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_cannot_redraw_the_report() {
        assert_eq!(clean("plain ütf"), "plain ütf");
        assert_eq!(clean("a\x1b[2Jb\n"), "a\\u001b[2Jb\\n");
        assert_eq!(clean("a\u{202e}b"), "a\\u202eb");
    }

    #[test]
    fn what_is_long_is_cut_to_columns() {
        for (text, shown) in [("abcd", "abcd"), ("abcde", "abc…"), ("日本", "日本"), ("日本語", "日…"), ("", "")]
        {
            assert_eq!(short(text, 4), shown);
        }
    }
}
