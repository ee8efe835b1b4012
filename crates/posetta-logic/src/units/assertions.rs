//! The assertions of SystemVerilog in its sources: where they stand.
//!
//! Only concurrent ones say something about a sequence of states. They are found by their words, whatever stands around them; the rest
//! of a source is not looked at.

use super::next_word;
use posetta_base::Span;

/// Something that a source says about its assertions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    /// `label: assert property (body) action;`
    Directive {
        label: Option<Span>,
        word: Span,
        body: Span,
        action: Span,
        /// Behind `initial`: asked of the first position only.
        once: bool,
    },
    /// `property name (a, b); body; endproperty`; what stands before the body is the head.
    Declaration { head: Span, body: Span },
    /// `default clocking @(posedge clk); endclocking`: what stands behind the `@`.
    Clock(Span),
    /// `default disable iff (b);`
    Disable(Span),
}

impl Item {
    /// From its first to its last character.
    pub(super) fn span(self) -> Span {
        match self {
            Self::Directive { label, word, action, .. } => Span::new(label.unwrap_or(word).start, action.end),
            Self::Declaration { head, body } => head.to(body),
            Self::Clock(span) | Self::Disable(span) => span,
        }
    }
}

/// The text with blanks for its comments, and the same with blanks for strings, too.
pub(super) fn without_comments(source: &str) -> (String, String) {
    let (mut code, mut bare) = (source.as_bytes().to_vec(), source.as_bytes().to_vec());
    let blank = |bytes: &mut [u8], from: usize, to: usize| {
        bytes[from..to].iter_mut().filter(|b| !matches!(b, b'\n' | b'\r')).for_each(|b| *b = b' ');
    };
    let find = |from: usize, end: &str| source[from..].find(end).map_or(source.len(), |at| from + at);
    let mut at = 0;
    while let Some(next) = source[at..].find(['/', '"']) {
        let start = at + next;
        at = match &source.as_bytes()[start..] {
            [b'/', b'/', ..] => find(start, "\n"),
            [b'/', b'*', ..] => (find(start + 2, "*/") + 2).min(source.len()),
            [b'"', ..] => {
                let mut end = find(start + 1, "\"");
                while source[..end].ends_with('\\') && end < source.len() {
                    end = find(end + 1, "\"");
                }
                let end = (end + 1).min(source.len());
                blank(&mut bare, start, end);
                at = end;
                continue;
            }
            _ => {
                at = start + 1;
                continue;
            }
        };
        blank(&mut code, start, at);
        blank(&mut bare, start, at);
    }
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(code), text(bare))
}

/// Where the bracket closes that is open here.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text[open..].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(open + at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The place of the first character that is not blank.
fn solid(text: &str, from: usize) -> usize {
    from + (text[from..].len() - text[from..].trim_start().len())
}

/// The word that ends here, if one does.
fn word_before(text: &str, end: usize) -> Option<Span> {
    let text = text[..end].trim_end();
    let start = text
        .rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    (start < text.len()).then(|| Span::new(start, text.len()))
}

/// What a source without comments and strings says.
pub(super) fn items(bare: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut clocks: Vec<(&str, Span)> = Vec::new();
    let mut from = 0;
    while let Some((word, start)) = next_word(bare, from) {
        from = start + word.len();
        let found = match word {
            "assert" | "assume" | "cover" | "restrict" => directive(bare, Span::new(start, from)),
            "property" | "sequence" => declaration(bare, word, start),
            "clocking" => {
                let end = bare[from..].find(';').map_or(bare.len(), |at| from + at);
                let head = &bare[from..end];
                let is_default =
                    word_before(bare, start).is_some_and(|before| &bare[before.start..before.end] == "default");
                let named = next_word(bare, from).filter(|(_, at)| *at < end && !bare[from..*at].contains('@'));
                let clock = match (head.find('@'), named) {
                    (Some(at), named) => {
                        let clock = Span::new(from + at + 1, end);
                        clocks.extend(named.map(|(name, _)| (name, clock)));
                        Some(clock)
                    }
                    (None, Some((name, _))) => clocks.iter().find(|(known, _)| *known == name).map(|(_, clock)| *clock),
                    (None, None) => None,
                };
                clock.filter(|_| is_default).map(|clock| (Item::Clock(clock), end))
            }
            "default" => disable(bare, from),
            _ => None,
        };
        if let Some((item, end)) = found {
            items.push(item);
            from = end;
        }
    }
    items
}

fn directive(bare: &str, word: Span) -> Option<(Item, usize)> {
    let (second, at) = next_word(bare, word.end)?;
    let open = solid(bare, at + second.len());
    let is_one = matches!(second, "property" | "sequence") && bare[word.end..at].trim().is_empty();
    if !is_one || !bare[open..].starts_with('(') {
        return None;
    }
    let close = closing(bare, open)?;
    let next = |from: usize| bare[from..].find(';').map_or(bare.len(), |at| from + at);
    let mut end = next(close);
    // What is done where it holds stands before what is done where it fails.
    if let Some((word, at)) = next_word(bare, end)
        && word == "else"
        && bare[end..at].trim() == ";"
    {
        end = next(at);
    }
    let before = bare[..word.start].trim_end();
    let label = before.strip_suffix(':').and_then(|rest| word_before(rest, rest.len()));
    let first = label.map_or(word.start, |label| label.start);
    let once = word_before(bare, first).is_some_and(|span| &bare[span.start..span.end] == "initial");
    let item =
        Item::Directive { label, word, body: Span::new(open + 1, close), action: Span::new(close + 1, end), once };
    Some((item, end))
}

fn declaration(bare: &str, word: &str, start: usize) -> Option<(Item, usize)> {
    let last = if word == "property" { "endproperty" } else { "endsequence" };
    let end = start + bare[start..].find(last)?;
    let head = start + bare[start..end].find(';')?;
    let body = bare[head + 1..end].trim_end().trim_end_matches(';').len();
    Some((Item::Declaration { head: Span::new(start, head), body: Span::new(head + 1, head + 1 + body) }, end))
}

fn disable(bare: &str, from: usize) -> Option<(Item, usize)> {
    let (first, at) = next_word(bare, from)?;
    let (second, then) = next_word(bare, at + first.len())?;
    if (first, second) != ("disable", "iff") {
        return None;
    }
    let open = solid(bare, then + second.len());
    let close = closing(bare, open).filter(|_| bare[open..].starts_with('('))?;
    Some((Item::Disable(Span::new(open + 1, close)), close))
}
