//! Places in a text, as editors and as people count them.
//!
//! Editors count lines from 0 and columns in UTF-16 units ([`Position`]); a line ends with `\n`, `\r\n` or a lone `\r`. The library's
//! diagnostics count lines from 1, by `\n` only, and columns in characters from 1 (`posetta_base::Place`). [`LineIndex`] translates both to bytes and back.

use posetta_base::Span;

/// A place between two characters, as the language server protocol counts: from 0, columns in UTF-16 units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub character: u32,
}

impl Position {
    /// A place.
    #[must_use]
    pub fn new(line: u32, character: u32) -> Self {
        Self { line, character }
    }
}

/// What lies between two places; the second is not before the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Range {
    /// Where it begins.
    pub start: Position,
    /// Where it ends.
    pub end: Position,
}

/// Where the lines of a text begin. It belongs to one text and is asked together with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineIndex {
    /// The first byte of each line, as editors see them. Ascending; the first is 0.
    starts: Vec<usize>,
    /// The same for lines that only `\n` ends.
    plain: Vec<usize>,
    /// The length of the text.
    end: usize,
}

impl LineIndex {
    /// The lines of a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let (mut starts, mut plain) = (vec![0], vec![0]);
        let bytes = text.as_bytes();
        for (at, &byte) in bytes.iter().enumerate() {
            if byte == b'\n' {
                plain.push(at + 1);
            }
            if byte == b'\n' || byte == b'\r' && bytes.get(at + 1) != Some(&b'\n') {
                starts.push(at + 1);
            }
        }
        Self { starts, plain, end: text.len() }
    }

    /// How many lines there are; at least one.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Never: an empty text has one line.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The bytes of a line without its end; empty behind the last line.
    #[must_use]
    pub fn line(&self, text: &str, line: usize) -> Span {
        let Some(&start) = self.starts.get(line) else { return Span::new(self.end, self.end) };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.end);
        let kept = text[start..end].trim_end_matches(['\n', '\r']).len();
        Span::new(start, start + kept)
    }

    /// The line that a byte is in.
    #[must_use]
    pub fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// Where a byte is. One inside of a character counts as the start of the character, one past the end as the end.
    #[must_use]
    pub fn position(&self, text: &str, offset: usize) -> Position {
        let offset = floor_char(text, offset.min(self.end));
        let line = self.line_of(offset);
        let units: usize = text[self.starts[line]..offset].chars().map(char::len_utf16).sum();
        Position { line: narrow(line), character: narrow(units) }
    }

    /// The byte at a place. A column past the end of its line is the end of the line, a line past the end is the end of the text; a column
    /// inside of a character is its start.
    #[must_use]
    pub fn offset(&self, text: &str, position: Position) -> usize {
        let line = self.line(text, position.line as usize);
        let mut left = position.character as usize;
        for (at, c) in text[line.start..line.end].char_indices() {
            if left < c.len_utf16() {
                return line.start + at;
            }
            left -= c.len_utf16();
        }
        line.end
    }

    /// What lies between two bytes.
    #[must_use]
    pub fn range(&self, text: &str, span: Span) -> Range {
        let start = span.start.min(span.end);
        Range { start: self.position(text, start), end: self.position(text, span.end) }
    }

    /// The bytes between two places.
    #[must_use]
    pub fn span(&self, text: &str, range: Range) -> Span {
        let (start, end) = (self.offset(text, range.start), self.offset(text, range.end));
        Span::new(start.min(end), end)
    }

    /// The bytes of so many characters of a line, as diagnostics count: lines and columns from 1, lines ended by `\n` only.
    #[must_use]
    pub fn span_of_place(&self, text: &str, line: u64, column: u64, width: u64) -> Span {
        let before = usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX);
        let Some(&start) = self.plain.get(before) else { return Span::new(self.end, self.end) };
        let end = self.plain.get(before + 1).map_or(self.end, |next| next - 1);
        let line = &text[start..end];
        let at = |column: u64| {
            let column = usize::try_from(column).unwrap_or(usize::MAX);
            start + line.char_indices().nth(column).map_or(line.len(), |(at, _)| at)
        };
        let from = column.saturating_sub(1);
        Span::new(at(from), at(from.saturating_add(width)))
    }
}

fn narrow(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn floor_char(text: &str, mut index: usize) -> usize {
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_translated() {
        let text = "ab\r\né𝄞x\rz\n\nend";
        let lines = LineIndex::new(text);
        assert_eq!(lines.len(), 5);
        for (needle, line, character) in
            [("a", 0, 0), ("b", 0, 1), ("é", 1, 0), ("𝄞", 1, 1), ("x", 1, 3), ("z", 2, 0), ("end", 4, 0)]
        {
            let at = text.find(needle).expect("it is there");
            assert_eq!(lines.position(text, at), Position::new(line, character), "{needle}");
            assert_eq!(lines.offset(text, Position::new(line, character)), at, "{needle}");
        }
    }

    #[test]
    fn places_outside_are_moved_inside() {
        let text = "a𝄞\r\nb";
        let lines = LineIndex::new(text);
        for (line, character, offset) in
            [(0, 2, 1), (0, 3, 5), (0, 99, 5), (1, 99, 8), (9, 0, 8), (u32::MAX, u32::MAX, 8)]
        {
            assert_eq!(lines.offset(text, Position::new(line, character)), offset, "{line}:{character}");
        }
        assert_eq!(lines.position(text, 3), Position::new(0, 1), "inside of a character");
        assert_eq!(lines.position(text, 99), Position::new(1, 1));
        assert_eq!(lines.line(text, 7), Span::new(8, 8));
        let empty = LineIndex::new("");
        assert_eq!((empty.position("", 5), empty.offset("", Position::new(3, 3))), (Position::default(), 0));
    }

    #[test]
    fn places_of_diagnostics_count_characters_and_line_feeds() {
        let text = "a\rb\nçé𝄞 = 1";
        let lines = LineIndex::new(text);
        let span = lines.span_of_place(text, 2, 3, 1);
        assert_eq!(&text[span.start..span.end], "𝄞");
        assert_eq!(lines.range(text, span).start, Position::new(2, 2));
        assert_eq!(lines.span_of_place(text, 2, 99, 5), Span::new(text.len(), text.len()));
        assert_eq!(lines.span_of_place(text, 99, 1, 1), Span::new(text.len(), text.len()));
        assert_eq!(lines.span_of_place(text, 0, 0, u64::MAX), Span::new(0, 3));
    }

    #[test]
    fn every_place_comes_back() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..500 {
            let text: String = (0..random.usize(..40))
                .map(|_| random.choice(['a', 'é', '𝄞', '\n', '\r', ' ']).unwrap_or('a'))
                .collect();
            let lines = LineIndex::new(&text);
            for (at, _) in text.char_indices() {
                let inside = lines.line(&text, lines.line_of(at));
                // The second byte of a line end is behind the line.
                if at <= inside.end {
                    assert_eq!(lines.offset(&text, lines.position(&text, at)), at, "{text:?} {at}");
                }
            }
        }
    }
}
