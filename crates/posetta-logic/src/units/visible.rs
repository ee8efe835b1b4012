//! What of a source in an HDL is read: PSL in comments, and in VHDL the directives of 2008 outside of them. Everything else becomes
//! blanks, so that lines and columns stay what they are.

use super::assertions::solid;
use super::cut::next_word;
use super::inside::units_of_vhdl;
use crate::flavour::Flavour;
use posetta_base::Span;

/// A source with blanks where nothing is to be read.
#[derive(Clone, Debug, Default)]
pub(super) struct Visible {
    /// Only PSL.
    pub(super) psl: String,
    /// The source without its comments.
    pub(super) code: String,
    /// The same without its strings.
    pub(super) bare: String,
    /// Comments that begin with `psl` and do not look like directives.
    pub(super) prose: Vec<Span>,
    /// Verification units outside of comments, which VHDL has since 2008.
    pub(super) units: Vec<Span>,
}

/// The words with which PSL begins, in small letters.
const FIRST: [&str; 14] = [
    "assert",
    "assume",
    "assume_guarantee",
    "restrict",
    "restrict_guarantee",
    "cover",
    "fairness",
    "strong",
    "property",
    "sequence",
    "endpoint",
    "default",
    "inherit",
    "forall",
];

/// Overwrites a stretch with blanks, but for the ends of its lines.
pub(super) fn blank(bytes: &mut [u8], span: Span) {
    bytes[span.start..span.end].iter_mut().filter(|b| !matches!(b, b'\n' | b'\r')).for_each(|b| *b = b' ');
}

/// Of texts in which only whole stretches between characters were overwritten.
pub(super) fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What stands in a comment behind `psl`, if it begins so.
fn behind_psl(source: &str, inside: Span) -> Option<usize> {
    let words = source[inside.start..inside.end].trim_start();
    let begins = words.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("psl"))
        && !words[3..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    begins.then(|| inside.end - words.len() + 3)
}

/// Whether this could be meant as a directive: it begins as one, or has signs that sentences do not have.
fn is_directive(text: &str) -> bool {
    let first = next_word(text, 0).filter(|(_, at)| text[..*at].trim().is_empty());
    let begins = first.is_some_and(|(word, at)| {
        FIRST.contains(&word.to_ascii_lowercase().as_str()) || text[at + word.len()..].trim_start().starts_with(':')
    });
    begins || text.contains([';', '{', '}', '[', ']', '=', '|', '&', '@', '(', ')', '%'])
}

/// Whether the statement that goes on in this line is complete; `depth` brackets are open. A comment behind it is none of it.
fn is_complete(body: &str, mark: &str, depth: &mut i64) -> bool {
    let mut quoted = false;
    let mut end = body.len();
    for (at, c) in body.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '{' | '[' => *depth += 1,
            ')' | '}' | ']' => *depth -= 1,
            _ if body[at..].starts_with(mark) || body[at..].starts_with("//") => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    *depth <= 0 && body[..end].trim_end().ends_with(';')
}

/// Cuts a source into comments, strings and the rest. A comment of one line that begins with `psl` goes on over the comment lines below it
/// until its statement ends; in Verilog `/* psl … */` may hold several.
pub(super) fn visible(source: &str, hdl: Flavour) -> Visible {
    let is_vhdl = hdl == Flavour::Vhdl;
    let mark = if is_vhdl { "--" } else { "//" };
    let (mut psl, mut code, mut bare) =
        (source.as_bytes().to_vec(), source.as_bytes().to_vec(), source.as_bytes().to_vec());
    let mut prose = Vec::new();
    // A statement of PSL that is not complete.
    let mut unfinished = false;
    let mut depth = 0;
    // Up to here everything is decided, and from here on nothing stood in this line.
    let (mut done, mut line) = (0, 0);
    let mut at = 0;
    let find = |from: usize, end: &str| source[from..].find(end).map(|at| from + at);
    while let Some(c) = source[at..].chars().next() {
        let rest = &source[at..];
        if rest.starts_with(mark) {
            let end = find(at, "\n").unwrap_or(source.len());
            let end = at + source[at..end].trim_end_matches('\r').len();
            let inside = Span::new(at + 2, end);
            let is_alone = source[line..at].trim().is_empty();
            let kept = match behind_psl(source, inside) {
                Some(from) if is_directive(&source[from..end]) => {
                    depth = 0;
                    Some(from)
                }
                Some(_) if unfinished && is_alone => Some(inside.start),
                Some(_) => {
                    prose.push(Span::new(at, end));
                    None
                }
                None if unfinished && is_alone => Some(inside.start),
                None => None,
            };
            if let Some(from) = kept {
                blank(&mut psl, Span::new(done, from));
                done = end;
                unfinished = !is_complete(&source[from..end], mark, &mut depth);
            } else {
                unfinished = false;
            }
            blank(&mut code, Span::new(at, end));
            blank(&mut bare, Span::new(at, end));
            at = end;
        } else if rest.starts_with("/*") {
            let end = find(at + 2, "*/").map_or(source.len(), |end| end + 2);
            let inside = Span::new(at + 2, (end - 2).max(at + 2));
            if let Some(from) = behind_psl(source, inside).filter(|_| !is_vhdl) {
                match is_directive(&source[from..inside.end]) {
                    true => {
                        blank(&mut psl, Span::new(done, from));
                        done = inside.end;
                    }
                    false => prose.push(Span::new(at, end)),
                }
            }
            blank(&mut code, Span::new(at, end));
            blank(&mut bare, Span::new(at, end));
            at = end;
        } else if c == '"' {
            // A string ends in its line, or it is none.
            let mut end = at + 1;
            let close = loop {
                match source[end..].find(['"', '\n', '\\']).map(|found| end + found) {
                    Some(found) if source[found..].starts_with('\\') && !is_vhdl => {
                        end = found + 1 + source[found + 1..].chars().next().map_or(0, char::len_utf8);
                    }
                    Some(found) if source[found..].starts_with('\\') => end = found + 1,
                    Some(found) if source[found..].starts_with('"') => break Some(found + 1),
                    _ => break None,
                }
            };
            let close = close.unwrap_or(at + 1);
            blank(&mut bare, Span::new(at, close));
            at = close;
        } else if is_vhdl && c == '\'' && rest[1..].chars().nth(1) == Some('\'') {
            // A character, perhaps a quote.
            let end = at + 2 + rest[1..].chars().next().map_or(0, char::len_utf8);
            blank(&mut bare, Span::new(at, end));
            at = end;
        } else {
            if c == '\n' {
                line = at + 1;
                unfinished = unfinished && source[..at].trim_end_matches('\r').len() == done;
            }
            at += c.len_utf8();
        }
    }
    blank(&mut psl, Span::new(done, source.len()));
    let mut found = Visible { psl: text(psl), code: text(code), bare: text(bare), prose, units: Vec::new() };
    if is_vhdl {
        let mut bytes = found.psl.into_bytes();
        let small = found.bare.to_ascii_lowercase();
        found.units = units_of_vhdl(&small);
        for Span { start, end } in directives(&small).into_iter().chain(found.units.iter().copied()) {
            bytes[start..end].copy_from_slice(&found.code.as_bytes()[start..end]);
        }
        found.psl = text(bytes);
    }
    found
}

/// The directives and declarations of PSL outside of comments, as VHDL has them since 2008. Its own `assert` takes a condition, so one is of
/// PSL if it says something that conditions cannot, or names a property. The source is in small letters.
fn directives(bare: &str) -> Vec<Span> {
    let mut found: Vec<Span> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    // Where the last statement ended, and whether it says something that conditions cannot.
    let mut last = (0, false);
    let (mut from, mut before) = (0, (0, ""));
    while let Some((word, start)) = next_word(bare, from) {
        let between = bare[before.0..start].trim();
        // Behind a label the statement begins with that.
        let (begins, first) = match between {
            ":" => (true, before.0 - before.1.len()),
            "" => (matches!(before.1, "" | "begin" | "is" | "generate" | "then" | "else" | "loop"), start),
            between => (between.ends_with(';') || between.ends_with("=>"), start),
        };
        from = start + word.len();
        before = (from, word);
        if !begins {
            continue;
        }
        let next = next_word(bare, from).filter(|(_, at)| bare[from..*at].trim().is_empty()).map(|(next, _)| next);
        if from >= last.0 {
            let end = ends(bare, from);
            last = (end, is_temporal(&bare[from..end]));
        }
        let (end, temporal) = last;
        let opens = bare[solid(bare, from)..].starts_with(['{', '(']);
        let is_psl = match word {
            "assume" | "assume_guarantee" | "restrict" | "restrict_guarantee" | "cover" => next.is_some() || opens,
            "property" | "sequence" | "endpoint" => {
                names.extend(next);
                next.is_some() && has_word(&bare[from..end], |word| word == "is")
            }
            "default" => next == Some("clock"),
            "assert" => temporal || next.is_some_and(|next| names.contains(&next)),
            _ => false,
        };
        if is_psl {
            found.push(Span::new(first, (end + 1).min(bare.len())));
            from = end;
            before = (end, "");
        }
    }
    found
}

/// The `;` that ends a statement.
pub(super) fn ends(bare: &str, from: usize) -> usize {
    let mut depth = 0_i64;
    for (at, c) in bare[from..].char_indices() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            ';' if depth <= 0 => return from + at,
            _ => {}
        }
    }
    bare.len()
}

pub(super) fn has_word(text: &str, mut is: impl FnMut(&str) -> bool) -> bool {
    let mut from = 0;
    while let Some((word, start)) = next_word(text, from) {
        if is(word) {
            return true;
        }
        from = start + word.len();
    }
    false
}

/// Whether a formula says something that no condition of VHDL can say.
fn is_temporal(text: &str) -> bool {
    const WORDS: [&str; 14] = [
        "always",
        "never",
        "eventually",
        "next",
        "next_a",
        "next_e",
        "next_event",
        "next_event_a",
        "next_event_e",
        "until",
        "before",
        "abort",
        "within",
        "forall",
    ];
    let signs = ["{", "|->", "|=>", "@", "->"];
    has_word(text, |word| WORDS.contains(&word.trim_end_matches('_'))) || signs.iter().any(|sign| text.contains(sign))
}
