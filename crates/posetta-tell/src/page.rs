//! Text on a page: lines that fit its width, lists, and columns.
//!
//! A no-break space keeps two words together and is shown as a space. Escape sequences for colours take no columns.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::paint::clean;

/// How many columns a text takes, colours aside.
#[must_use]
pub fn columns(text: &str) -> usize {
    if !text.contains('\x1b') {
        return text.width();
    }
    let (mut columns, mut in_escape) = (0, false);
    for c in text.chars() {
        match c {
            '\x1b' => in_escape = true,
            'm' if in_escape => in_escape = false,
            _ if in_escape => {}
            c => columns += c.width().unwrap_or(0),
        }
    }
    columns
}

/// Text in lines of at most `width` columns, as far as its words allow it. All lines but the first begin with `indent` spaces.
#[must_use]
pub fn wrap(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut taken = 0;
    for word in text.split(' ') {
        let own = columns(word);
        match lines.last_mut() {
            Some(line) if taken + 1 + own <= width => {
                line.push(' ');
                line.push_str(word);
                taken += 1 + own;
            }
            Some(_) => {
                lines.push(format!("{}{word}", " ".repeat(indent)));
                taken = indent + own;
            }
            None => {
                lines.push(word.to_owned());
                taken = own;
            }
        }
    }
    lines.into_iter().map(|line| line.replace('\u{a0}', " ")).collect()
}

/// Things with commas between them, in lines of at most so many columns, as far as each of them allows.
#[must_use]
pub fn listed(items: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let item = format!("{}{}", clean(item), if i + 1 < items.len() { "," } else { "" });
        match lines.last_mut() {
            Some(line) if line.width() + 1 + item.width() <= width => {
                line.push(' ');
                line.push_str(&item);
            }
            _ => lines.push(item),
        }
    }
    lines
}

/// The widest cell of each column.
#[must_use]
pub fn widest<const N: usize>(rows: &[[String; N]]) -> [usize; N] {
    std::array::from_fn(|i| rows.iter().map(|row| columns(&row[i])).max().unwrap_or(0))
}

/// A text with spaces behind it, if it is narrower than this.
#[must_use]
pub fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_fill_lines() {
        for (text, width, indent, lines) in [
            ("", 10, 0, vec![""]),
            ("one two three", 80, 4, vec!["one two three"]),
            ("one two three", 7, 0, vec!["one two", "three"]),
            ("one two three", 7, 2, vec!["one two", "  three"]),
            ("one two three", 3, 2, vec!["one", "  two", "  three"]),
            ("line\u{a0}3 is long", 6, 0, vec!["line 3", "is", "long"]),
            ("日本 語", 5, 0, vec!["日本", "語"]),
            ("\x1b[1;31mone\x1b[0m two", 7, 0, vec!["\x1b[1;31mone\x1b[0m two"]),
        ] {
            assert_eq!(wrap(text, width, indent), lines, "{text} {width} {indent}");
        }
    }

    #[test]
    fn lists_have_commas() {
        let items: Vec<String> = ["a = 1", "b = 2", "c\n"].map(str::to_owned).into();
        assert_eq!(listed(&items, 80), ["a = 1, b = 2, c\\n"]);
        assert_eq!(listed(&items, 6), ["a = 1,", "b = 2,", "c\\n"]);
        assert_eq!(listed(&[], 6), Vec::<String>::new());
    }

    #[test]
    fn colours_take_no_columns() {
        assert_eq!(columns("\x1b[2mabc\x1b[0m日"), 5);
        assert_eq!(padded("\x1b[2mab\x1b[0m", 4), "\x1b[2mab\x1b[0m  ");
        assert_eq!(widest(&[["a".to_owned(), "日本".to_owned()], ["bcd".to_owned(), String::new()]]), [3, 4]);
    }
}
