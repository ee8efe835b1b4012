//! Cuts a property file into its items.
//!
//! An item starts with `property`, `monitor`, `event`, `let`, `import` or `foreach` at the start of a line and ends before the next such
//! line; `event (` is an atom, wherever it stands. Only a `foreach` and a `monitor` end with their closing brace; in the block of a loop items may be indented, and the
//! first may stand right behind the opening brace.

use posetta_base::Span;

/// The words that start an item.
pub(crate) const WORDS: [&str; 6] = ["property", "monitor", "event", "let", "import", "foreach"];

/// So many blocks without an end are looked at.
const MOST_ENDLESS: usize = 20;

/// One item, or what stands where none is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// Its first word; `None` for what stands before the first item and behind a block.
    pub(crate) word: Option<&'static str>,
    /// From its first word to its end.
    pub(crate) span: Span,
    /// The inside of the block of a `foreach` or a `monitor`, without the braces.
    pub(crate) block: Option<Span>,
}

fn first_word(line: &str) -> Option<&'static str> {
    let ends = |rest: &str| rest.is_empty() || rest.starts_with(char::is_whitespace);
    let is_atom = |rest: &str| rest.trim_start().starts_with('(');
    let starts = |word: &str, rest: &str| ends(rest) && !(word == "event" && is_atom(rest));
    let word = WORDS.into_iter().find(|word| line.strip_prefix(word).is_some_and(|rest| starts(word, rest)));
    word.or_else(|| quantified(line).then_some("monitor"))
}

/// Whether a monitor stands behind `some` or `every`.
fn quantified(line: &str) -> bool {
    let blank = |rest: &&str| rest.starts_with(char::is_whitespace);
    let rest = ["some", "every"].into_iter().find_map(|word| line.strip_prefix(word).filter(blank));
    let behind = rest.and_then(|rest| rest.trim_start().strip_prefix("monitor"));
    behind.is_some_and(|rest| blank(&rest))
}

/// The items of a stretch of the source: a whole file, or the inside of a block.
pub(crate) fn items(source: &str, span: Span, in_block: bool) -> Vec<Item> {
    let mut items = vec![Item { word: None, span, block: None }];
    let text = &source[..span.end];
    let mut at = span.start;
    // A block that does not end costs a look at the whole file. Nobody reads so many mistakes anyway.
    let mut endless = 0;
    if !in_block {
        at += text[at..].len() - text[at..].trim_start_matches('\u{feff}').len();
    }
    while at < text.len() {
        let line_end = text[at..].find('\n').map_or(text.len(), |i| at + i + 1);
        let line = &text[at..line_end];
        let indent = if in_block { line.len() - line.trim_start().len() } else { 0 };
        let start = at + indent;
        at = line_end;
        let Some(word) = first_word(&text[start..line_end]) else { continue };
        if let Some(last) = items.last_mut() {
            last.span.end = start;
        }
        let open = if matches!(word, "foreach" | "monitor") { opening(text, line_end, start, in_block) } else { None };
        let block = open.filter(|_| endless < MOST_ENDLESS).and_then(|open| Some((open, closing(text, open)?)));
        endless += usize::from(open.is_some() && block.is_none());
        match block {
            None => items.push(Item { word: Some(word), span: Span::new(start, span.end), block: None }),
            Some((open, close)) => {
                let inside = Span::new(open + 1, close);
                items.push(Item { word: Some(word), span: Span::new(start, open), block: Some(inside) });
                items.push(Item { word: None, span: Span::new(close + 1, span.end), block: None });
                at = text[close..].find('\n').map_or(text.len(), |i| close + i + 1);
            }
        }
    }
    items
}

/// The opening brace of an item that starts at `start`, in its first line or in a later one before the next item.
fn opening(text: &str, first_line_end: usize, start: usize, in_block: bool) -> Option<usize> {
    let (mut from, mut line_end) = (start, first_line_end);
    loop {
        if let Some(open) = significant(text, from, line_end).find(|&(_, brace)| brace == b'{') {
            return Some(open.0);
        }
        from = line_end;
        line_end = text[from..].find('\n').map_or(text.len(), |i| from + i + 1);
        let line = &text[from..line_end];
        if line.is_empty() || first_word(if in_block { line.trim_start() } else { line }).is_some() {
            return None;
        }
    }
}

/// The brace that closes the one at `open`.
pub(crate) fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, brace) in significant(text, open, text.len()) {
        depth = if brace == b'{' { depth + 1 } else { depth.checked_sub(1)? };
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The braces of a stretch that are not in strings or comments.
fn significant(text: &str, mut at: usize, end: usize) -> impl Iterator<Item = (usize, u8)> {
    let bytes = &text.as_bytes()[..end];
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let here = at;
            at += 1;
            match bytes[here] {
                b'/' if bytes.get(at) == Some(&b'/') => {
                    at = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |i| at + i);
                }
                b'"' => {
                    while at < bytes.len() && !matches!(bytes[at], b'"' | b'\n') {
                        at += if bytes[at] == b'\\' { 2 } else { 1 };
                    }
                    at += 1;
                }
                brace @ (b'{' | b'}') => return Some((here, brace)),
                _ => {}
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(source: &str) -> Vec<(Option<&'static str>, &str, Option<&str>)> {
        let text = |span: Span| source[span.start..span.end].trim();
        items(source, Span::new(0, source.len()), false)
            .into_iter()
            .map(|i| (i.word, text(i.span), i.block.map(text)))
            .filter(|i| i.0.is_some() || !i.1.is_empty())
            .collect()
    }

    #[test]
    fn items_start_at_the_start_of_a_line() {
        assert_eq!(
            cut("// c\nlet a = 1\n  property b\nproperty = c\n+ d\nletter\nimport \"x\""),
            [
                (None, "// c", None),
                (Some("let"), "let a = 1\n  property b", None),
                (Some("property"), "property = c\n+ d\nletter", None),
                (Some("import"), "import \"x\"", None),
            ]
        );
    }

    #[test]
    fn a_block_ends_with_its_brace() {
        assert_eq!(
            cut("foreach i in 0..1 { property a = \"}\" // }\n foreach j in 0..1 { x } }\nlet c = 1"),
            [
                (Some("foreach"), "foreach i in 0..1", Some("property a = \"}\" // }\n foreach j in 0..1 { x }")),
                (Some("let"), "let c = 1", None),
            ]
        );
        assert_eq!(cut("foreach i { a } b\nlet c")[1], (None, "b", None));
    }

    #[test]
    fn a_loop_without_a_block_takes_none_from_the_next() {
        assert_eq!(
            cut("foreach i in 0..1\nlet a = 1\nforeach j in 0..1\n  { let b = 1 }\n"),
            [
                (Some("foreach"), "foreach i in 0..1", None),
                (Some("let"), "let a = 1", None),
                (Some("foreach"), "foreach j in 0..1", Some("let b = 1")),
            ]
        );
    }

    #[test]
    fn an_open_block_ends_with_the_next_item() {
        assert_eq!(
            cut("foreach i in 0..1 {\nlet a = 1\n"),
            [(Some("foreach"), "foreach i in 0..1 {", None), (Some("let"), "let a = 1", None)]
        );
    }
}
