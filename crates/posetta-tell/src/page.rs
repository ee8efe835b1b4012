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

/// Text in lines of at most `width` columns, as far as its words allow it. All lines but the first begin with `indent` spaces; a colour
/// that goes on is begun again.
#[must_use]
pub fn wrap(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut taken = 0;
    for word in words(text, width.saturating_sub(indent)) {
        let own = columns(word);
        match lines.last_mut() {
            // What is indented and too long does not get better by a line without it.
            Some(line) if taken + 1 + own <= width || line.trim_start().is_empty() => {
                line.push(' ');
                line.push_str(word);
                taken += 1 + own;
            }
            // Spaces where a line ends are not shown.
            Some(_) if word.is_empty() => {}
            Some(line) => {
                line.truncate(line.trim_end_matches(' ').len());
                lines.push(format!("{}{word}", " ".repeat(indent)));
                taken = indent + own;
            }
            None => {
                lines.push(word.to_owned());
                taken = own;
            }
        }
    }
    if lines.len() > 1 && text.contains('\x1b') {
        colour_each(&mut lines);
    }
    lines.into_iter().map(|line| line.replace('\u{a0}', " ")).collect()
}

/// The words of a text. A number and its unit are one, and so is `name = value`, if it takes at most so many columns.
fn words(text: &str, most: usize) -> Vec<&str> {
    const UNITS: [&str; 7] = ["s", "ms", "%", "B", "KiB", "MiB", "GiB"];
    let is_unit = |word: &str| UNITS.contains(&word.trim_end_matches([',', '.', ';', ':', ')']));
    let mut words: Vec<&str> = Vec::new();
    let (mut begin, mut end) = (0, 0);
    for word in text.split(' ') {
        let last = text[begin..end].rsplit(' ').next().unwrap_or("");
        let after_number = last.ends_with(|c: char| c.is_ascii_digit()) && is_unit(word);
        let after_name = !last.is_empty() && word == "=";
        let joins = after_number || after_name || last == "=";
        let start = if words.is_empty() { 0 } else { end + 1 };
        if joins && columns(&text[begin..start + word.len()]) <= most {
            words.pop();
        } else {
            begin = start;
        }
        end = start + word.len();
        words.push(&text[begin..end]);
    }
    words
}

/// Wrapped text whose words are broken if they alone are too long, so that every line fits. All lines but the first begin with `indent`
/// spaces. The text has no colours.
#[must_use]
pub fn broken(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in wrap(text, width, indent) {
        let mut piece = String::new();
        let mut taken = 0;
        for c in line.chars() {
            let own = c.width().unwrap_or(0);
            if taken + own > width && taken > indent {
                lines.push(std::mem::replace(&mut piece, " ".repeat(indent)));
                taken = indent;
            }
            piece.push(c);
            taken += own;
        }
        lines.push(piece);
    }
    lines
}

/// Some pagers end a colour with the line.
fn colour_each(lines: &mut [String]) {
    const END: &str = "\x1b[0m";
    let mut open = String::new();
    for line in lines {
        let begin = line.len() - line.trim_start_matches(' ').len();
        let text = line.split_off(begin);
        line.push_str(&open);
        line.push_str(&text);
        let mut rest = text.as_str();
        while let Some(at) = rest.find('\x1b') {
            rest = &rest[at..];
            let end = rest.find('m').map_or(rest.len(), |end| end + 1);
            open = if &rest[..end] == END { String::new() } else { rest[..end].to_owned() };
            rest = &rest[end..];
        }
        if !open.is_empty() {
            line.push_str(END);
        }
    }
}

/// Adds [wrapped](wrap) text.
pub fn put(out: &mut String, text: &str, width: usize, indent: usize) {
    for line in wrap(text, width, indent) {
        out.push_str(&line);
        out.push('\n');
    }
}

/// A text whose lines all fit, as far as their words allow it: what is too long goes on below its own beginning.
#[must_use]
pub fn fit(text: String, width: usize) -> String {
    if text.lines().all(|line| columns(line) <= width) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(line) if columns(line) > width => put(&mut out, line, width, hanging(line, width)),
            _ => out.push_str(line),
        }
    }
    out
}

/// Where a line goes on: below its last cell that begins on the left, else two columns behind its beginning.
fn hanging(line: &str, width: usize) -> usize {
    let most = width * 2 / 5;
    let (mut column, mut spaces, mut cell, mut in_escape, mut indent) = (0, 0, None, false, None);
    for c in line.chars() {
        match c {
            '\x1b' => in_escape = true,
            'm' if in_escape => in_escape = false,
            _ if in_escape => {}
            _ if column > most => break,
            ' ' => {
                spaces += 1;
                column += 1;
            }
            c => {
                if indent.is_some() && spaces > 1 {
                    cell = Some(column);
                }
                indent = indent.or(Some(column));
                spaces = 0;
                column += c.width().unwrap_or(0);
            }
        }
    }
    cell.unwrap_or(indent.unwrap_or(0) + 2).min(width / 2)
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
            ("  onetwothree", 7, 4, vec!["  onetwothree"]),
            ("one    two", 5, 1, vec!["one", " two"]),
            ("\x1b[2mone two\x1b[0m three", 4, 1, vec!["\x1b[2mone\x1b[0m", " \x1b[2mtwo\x1b[0m", " three"]),
            ("日本 語", 5, 0, vec!["日本", "語"]),
            ("\x1b[1;31mone\x1b[0m two", 7, 0, vec!["\x1b[1;31mone\x1b[0m two"]),
        ] {
            assert_eq!(wrap(text, width, indent), lines, "{text} {width} {indent}");
        }
    }

    #[test]
    fn a_number_stays_with_its_unit() {
        assert_eq!(wrap("4 events, 0.000 s", 16, 2), ["4 events,", "  0.000 s"]);
        assert_eq!(wrap("part  3  55.6 %", 13, 2), ["part  3", "  55.6 %"]);
        assert_eq!(wrap("a = 1, bc = 2, d", 9, 2), ["a = 1,", "  bc = 2,", "  d"]);
        // As far as there is room for it.
        assert_eq!(wrap("abc = defghi", 8, 2), ["abc =", "  defghi"]);
        assert_eq!(wrap("= a", 80, 0), ["= a"]);
        assert_eq!(wrap("  = ", 80, 0), ["  = "]);
    }

    #[test]
    fn long_words_are_broken() {
        assert_eq!(broken("ab cdefghij kl", 5, 1), ["ab", " cdef", " ghij", " kl"]);
        assert_eq!(broken("日本語", 4, 0), ["日本", "語"]);
        assert_eq!(broken("", 4, 0), [""]);
    }

    #[test]
    fn long_lines_go_on_below() {
        assert_eq!(fit("short\n\n  as\n".to_owned(), 10), "short\n\n  as\n");
        assert_eq!(fit("one\n  two three four\nfive".to_owned(), 11), "one\n  two three\n    four\nfive");
        assert_eq!(fit("  1  two three four\n".to_owned(), 14), "  1  two three\n     four\n");
        assert_eq!(fit("abcdefghijkl\n".to_owned(), 5), "abcdefghijkl\n");
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
