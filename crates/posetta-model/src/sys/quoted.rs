//! A text that strings of a system file stand for, and where each byte of it was written.
//!
//! Lines are those of the file, so that what is told about the text names the right ones.

use posetta_base::{Place, Span};

/// A text made of parts of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Gathered {
    pub(super) text: String,
    /// For each byte of the text, and for its end, a byte of the file.
    origin: Vec<usize>,
}

impl Gathered {
    /// What strings say, each in the line in which it stands.
    pub(super) fn of(strings: &[Span], source: &str) -> Self {
        let mut gathered = Self::default();
        let mut end = 0;
        for &string in strings {
            let between = source[end..string.start].bytes().filter(|&b| b == b'\n').count();
            // What ends here ends before the quote. Two strings in one line are two words, too.
            let quote = end.saturating_sub(1);
            for _ in 0..between.max(usize::from(end > 0)) {
                gathered.push(if between > 0 { "\n" } else { " " }, Span::new(quote, quote));
            }
            gathered.string(source, string);
            end = string.end;
        }
        gathered.origin.push(end.saturating_sub(1));
        gathered
    }

    /// What stands between the quotes of a string, without its escapes.
    fn string(&mut self, source: &str, span: Span) {
        let mut escaped = false;
        for (at, c) in source[span.start + 1..span.end - 1].char_indices() {
            if c == '\\' && !escaped {
                escaped = true;
                continue;
            }
            let from = span.start + 1 + at - usize::from(escaped);
            self.text.push(c);
            // A mistake does not lie inside a character.
            self.origin.extend(std::iter::repeat_n(from, c.len_utf8()));
            escaped = false;
        }
    }

    /// Puts something in that was written at a place.
    fn push(&mut self, text: &str, span: Span) {
        self.text.push_str(text);
        self.origin.extend(std::iter::repeat_n(span.start, text.len()));
    }

    /// The same text with something else in some of its places, which ascend.
    pub(super) fn with(&self, parts: &[(Span, String)]) -> Self {
        let mut changed = Self::default();
        let mut end = 0;
        for (span, text) in parts {
            changed.copy(self, Span::new(end, span.start));
            changed.push(text, self.written(*span));
            end = span.end;
        }
        changed.copy(self, Span::new(end, self.text.len()));
        changed.origin.extend(self.origin.last());
        changed
    }

    fn copy(&mut self, from: &Self, span: Span) {
        self.text.push_str(&from.text[span.start..span.end]);
        self.origin.extend_from_slice(&from.origin[span.start..span.end]);
    }

    /// Where a part of the text was written.
    pub(super) fn written(&self, span: Span) -> Span {
        let at = |place: usize| self.origin[place.min(self.text.len())];
        let (start, end) = (at(span.start), at(span.end));
        // An end between strings lies behind the last thing before it.
        Span::new(start, end.max(start))
    }

    /// The same for a place that was told.
    pub(super) fn written_at(&self, place: &Place) -> Span {
        let lines =
            self.text.split_inclusive('\n').take(usize::try_from(place.line.saturating_sub(1)).unwrap_or(usize::MAX));
        let start: usize = lines.map(str::len).sum();
        let rest = &self.text[start..];
        let from = place.column.saturating_sub(1);
        let at = |column: u64| {
            let column = usize::try_from(column).unwrap_or(usize::MAX);
            start + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at)
        };
        self.written(Span::new(at(from), at(from.saturating_add(place.width))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_knows_where_it_was_written() {
        let source = "\n m2l \"a \\\"é\\\\b\" \"c\"\n  \"d\"";
        let at = |text: &str| source.find(text).expect("it is there");
        let span = |text: &str| Span::new(at(text), at(text) + text.len());
        let strings = ["\"a \\\"é\\\\b\"", "\"c\"", "\"d\""].map(span);
        let gathered = Gathered::of(&strings, source);
        assert_eq!(gathered.text, "\na \"é\\b c\nd");
        for (part, written) in [("a", "a"), ("é", "é"), ("b", "b"), ("c", "c"), ("d", "d")] {
            let place = gathered.text.find(part).expect("it is there");
            let found = gathered.written(Span::new(place, place + part.len()));
            assert_eq!(&source[found.start..found.end], written, "{part}");
            let told = Place::in_text(&gathered.text, Span::new(place, place + part.len()));
            assert_eq!(gathered.written_at(&told), found, "{part}");
            assert_eq!(told.line, Place::in_text(source, found).line, "{part}");
        }
        let place = gathered.text.find('c').expect("it is there");
        let changed = gathered.with(&[(Span::new(place, place + 1), "other".to_owned())]);
        assert_eq!(changed.text, "\na \"é\\b other\nd");
        assert_eq!(changed.written(Span::new(place + 2, place + 5)), span("c"));
        assert_eq!(changed.written(Span::new(place + 6, place + 7)), span("d"));
        assert_eq!(changed.written(Span::new(place + 7, place + 7)), Span::new(source.len() - 1, source.len() - 1));
    }
}
