//! What a unit holds beside its directives: statements of the HDL (IEEE 1850 calls them the modelling layer) and `generate`. Their words become
//! blanks. Loops and branches are kept as scopes, because they say how often a directive in them is asked.

use super::assertions::{Brackets, solid};
use super::cut::{closing, next_word};
use super::scopes::{Scope, of_verilog};
use super::visible::{self, blank, ends, has_word};
use crate::flavour::Flavour;
use posetta_base::Span;

/// The units of a file without what else they hold.
pub(super) struct Inside {
    pub(super) text: String,
    /// Loops and branches.
    pub(super) scopes: Vec<(Scope, Span)>,
    /// Where statements of the HDL stand.
    pub(super) unread: Vec<Span>,
}

/// The units in a source of VHDL without comments and strings, in small letters: from `vunit` to `}`.
pub(super) fn units_of_vhdl(bare: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some((word, start)) = next_word(bare, from) {
        from = start + word.len();
        if !matches!(word, "vunit" | "vprop" | "vmode") {
            continue;
        }
        let Some(open) = bare[from..].find(['{', ';']).map(|at| from + at).filter(|&at| bare[at..].starts_with('{'))
        else {
            continue;
        };
        let end = closing(bare, open).map_or(bare.len(), |close| close + 1);
        found.push(Span::new(start, end));
        from = end;
    }
    found
}

/// Takes what is no PSL out of these units, of which a head is blank already.
pub(super) fn inside(text: String, units: &[Span], flavour: Flavour) -> Inside {
    let bare = without_strings(&text);
    let small = bare.to_ascii_lowercase();
    let mut reader = Reader { bytes: text.into_bytes(), scopes: Vec::new(), unread: Vec::new() };
    for unit in units {
        match flavour {
            Flavour::Verilog => reader.verilog(&bare[..unit.end], unit.start),
            Flavour::Vhdl | Flavour::Any => reader.vhdl(&small[..unit.end], unit.start),
        }
    }
    Inside { text: visible::text(reader.bytes), scopes: reader.scopes, unread: reader.unread }
}

fn without_strings(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut from = None;
    for (at, c) in text.char_indices() {
        match (c, from) {
            ('"', None) => from = Some(at),
            ('"', Some(start)) => {
                blank(&mut bytes, Span::new(start, at + 1));
                from = None;
            }
            // A string ends in its line.
            ('\n', _) => from = None,
            _ => {}
        }
    }
    visible::text(bytes)
}

/// The next word, if nothing else stands before it.
fn word_at(text: &str, from: usize) -> Option<(&str, usize)> {
    next_word(text, from).filter(|(_, start)| text[from..*start].trim().is_empty())
}

/// The first word of a statement behind its label.
fn behind_label(text: &str, from: usize) -> Option<(&str, usize)> {
    let (word, start) = word_at(text, from)?;
    let colon = solid(text, start + word.len());
    match text[colon..].starts_with(':') && !text[colon..].starts_with(":=") {
        true => word_at(text, colon + 1),
        false => Some((word, start)),
    }
}

/// Behind the `;` that ends the statement which begins here.
fn behind(text: &str, from: usize) -> usize {
    (ends(text, from) + 1).min(text.len())
}

/// Behind the `;` of `end word …;`.
fn behind_end(text: &str, mut from: usize, is_last: impl Fn(Option<&str>) -> bool) -> usize {
    while let Some((word, start)) = next_word(text, from) {
        from = start + word.len();
        if word == "end" && is_last(word_at(text, from).map(|(word, _)| word)) {
            return behind(text, from);
        }
    }
    text.len()
}

struct Reader {
    bytes: Vec<u8>,
    scopes: Vec<(Scope, Span)>,
    unread: Vec<Span>,
}

impl Reader {
    fn blank(&mut self, start: usize, end: usize) -> usize {
        blank(&mut self.bytes, Span::new(start, end));
        end
    }

    /// A statement of the HDL.
    fn skip(&mut self, start: usize, end: usize) -> usize {
        self.unread.push(Span::new(start, start + 1));
        self.blank(start, end)
    }

    /// A unit in VHDL that ends with the text, in small letters.
    fn vhdl(&mut self, text: &str, mut at: usize) {
        // The `generate` statements that are open.
        let mut open: Vec<usize> = Vec::new();
        while let Some((_, start)) = next_word(text, at) {
            let Some((word, first)) = behind_label(text, start).filter(|_| text[at..start].trim().is_empty()) else {
                at = behind(text, at);
                continue;
            };
            let end = first + word.len();
            let stop = ends(text, first);
            let generate = || {
                let mut from = end;
                while let Some((word, start)) = next_word(&text[..stop], from) {
                    from = start + word.len();
                    if word == "generate" {
                        return Some(start);
                    }
                }
                None
            };
            at = match (word, generate()) {
                ("for" | "if" | "case", Some(generate)) => {
                    let head = Span::new(end, generate);
                    let scope = if word == "for" { Scope::Loop(head) } else { Scope::Condition };
                    open.push(self.scopes.len());
                    self.scopes.push((scope, Span::new(start, text.len())));
                    self.blank(start, generate + "generate".len())
                }
                ("else" | "elsif", Some(generate)) => self.blank(start, generate + "generate".len()),
                ("when", _) if !open.is_empty() => {
                    let arrow = text[end..stop].find("=>").map_or(stop, |at| end + at + 2);
                    self.blank(start, arrow)
                }
                ("begin" | "is" | "block", _) => self.blank(start, end),
                ("end", _) => {
                    if word_at(text, end).is_some_and(|(word, _)| word == "generate")
                        && let Some(number) = open.pop()
                    {
                        self.scopes[number].1.end = start;
                    }
                    self.blank(start, behind(text, end))
                }
                ("process" | "postponed", _) => {
                    self.skip(start, behind_end(text, end, |word| matches!(word, Some("process" | "postponed"))))
                }
                ("component", _) => self.skip(start, behind_end(text, end, |word| word == Some("component"))),
                ("type", _) if has_word(&text[end..stop], |word| word == "record") => {
                    self.skip(start, behind_end(text, end, |word| word == Some("record")))
                }
                ("function" | "procedure" | "pure" | "impure", _)
                    if has_word(&text[end..stop], |word| word == "is") =>
                {
                    let inner = ["if", "case", "loop", "record"];
                    self.skip(start, behind_end(text, end, |word| word.is_none_or(|word| !inner.contains(&word))))
                }
                (
                    "signal" | "constant" | "shared" | "variable" | "type" | "subtype" | "alias" | "attribute" | "use"
                    | "library" | "file" | "function" | "procedure" | "pure" | "impure" | "with",
                    _,
                ) => self.skip(start, behind(text, end)),
                _ if is_assigned(text, end) || has_word(&text[end..stop], |word| word == "map") => {
                    self.skip(start, behind(text, end))
                }
                _ => behind(text, first),
            };
        }
    }

    /// A unit in Verilog that ends with the text.
    fn verilog(&mut self, text: &str, mut at: usize) {
        let own = of_verilog(text, &Brackets::of(text));
        while let Some((_, start)) = next_word(text, at) {
            let Some((word, first)) = word_at(text, start).filter(|_| text[at..start].trim().is_empty()) else {
                at = behind(text, at);
                continue;
            };
            let end = first + word.len();
            let (scope, region) = own.beginning(start).unzip();
            at = match (word, scope, region) {
                (_, Some(Scope::Process(_) | Scope::Initial | Scope::Routine), Some(region)) => {
                    self.skip(start, region.end.min(text.len()))
                }
                (_, Some(scope @ (Scope::Loop(_) | Scope::Condition)), Some(region)) => {
                    self.scopes.push((scope, region));
                    let open = solid(text, end);
                    let close = text[open..].starts_with('(').then(|| closing_round(text, open)).flatten();
                    self.blank(start, close.map_or(end, |close| close + 1))
                }
                ("begin" | "end", ..) => {
                    let colon = solid(text, end);
                    let name = text[colon..].starts_with(':').then(|| word_at(text, colon + 1)).flatten();
                    self.blank(start, name.map_or(end, |(name, at)| at + name.len()))
                }
                ("generate" | "endgenerate" | "endcase", ..) => self.blank(start, end),
                (
                    "wire" | "reg" | "logic" | "bit" | "tri" | "integer" | "int" | "byte" | "genvar" | "parameter"
                    | "localparam" | "typedef" | "assign" | "import",
                    ..,
                ) => self.skip(start, behind(text, end)),
                _ => behind(text, first),
            };
        }
    }
}

/// Whether the name that ends here is assigned to: `name(…).name <= …`.
fn is_assigned(text: &str, mut at: usize) -> bool {
    loop {
        at = solid(text, at);
        let rest = &text[at..];
        at = match rest.chars().next() {
            Some('(') => match closing_round(text, at) {
                Some(close) => close + 1,
                None => return false,
            },
            Some('.') => match word_at(text, at + 1) {
                Some((word, start)) => start + word.len(),
                None => return false,
            },
            _ => return rest.starts_with("<="),
        };
    }
}

/// Where the parenthesis closes that is open here.
fn closing_round(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text[open..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(open + at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}
