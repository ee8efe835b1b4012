//! System files: what their words mean, where names are, what can come next.

use crate::complete::{Completion, CompletionKind, List, is_inside};
use crate::document::Document;
use crate::explain::says;
use crate::format::Edit;
use crate::navigate::{Symbol, SymbolKind, Target, replaced};
use posetta_base::Span;
use posetta_logic::written::{Token, TokenKind};
use posetta_model::sys::written::{Item, ItemKind, WORDS, items, tokens};

/// A document cut into words and items.
struct Cut<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    items: Vec<Item>,
}

/// A name that items declare, and where it stands.
struct Found {
    name: String,
    /// The item that declares it.
    item: usize,
    places: Vec<Span>,
}

impl<'t> Cut<'t> {
    fn of(document: &'t Document) -> Self {
        Self::text(document.text())
    }

    fn text(text: &'t str) -> Self {
        let tokens = tokens(text);
        let items = items(text, &tokens);
        Self { text, tokens, items }
    }

    /// Every declared name with its uses. A constant is used in numbers, a component and a system behind the `=` of a system.
    fn names(&self) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        for (item, declared) in self.items.iter().enumerate() {
            if let Some(name) = &declared.name {
                found.push(Found { name: name.name.clone(), item, places: vec![name.span] });
            }
        }
        for (number, item) in self.items.iter().enumerate() {
            let (mut brackets, mut braces) = (0_usize, 0_usize);
            for place in item.words.clone().skip(2) {
                let token = self.tokens[place];
                let text = token.text(self.text);
                match text {
                    "[" => brackets += 1,
                    "]" => brackets = brackets.saturating_sub(1),
                    "{" => braces += 1,
                    "}" => braces = braces.saturating_sub(1),
                    _ => {}
                }
                if !matches!(token.kind, TokenKind::Name | TokenKind::Text) {
                    continue;
                }
                let in_numbers = brackets > 0 || item.kind == ItemKind::Constant || self.is_number(place);
                let in_system = item.kind == ItemKind::System && braces == 0 && brackets == 0;
                let name = unquoted(token, self.text);
                let meant = found.iter_mut().find(|f| {
                    let is_constant = self.items[f.item].kind == ItemKind::Constant;
                    f.name == name
                        && (is_constant && in_numbers && token.kind == TokenKind::Name || !is_constant && in_system)
                });
                if let Some(meant) = meant.filter(|meant| meant.item != number || in_system) {
                    meant.places.push(token.span);
                }
            }
        }
        found
    }

    /// Whether a word stands where a number is asked for: in a range, a condition, or a sum of them.
    fn is_number(&self, place: usize) -> bool {
        let near =
            |at: Option<usize>| at.and_then(|at| self.tokens.get(at)).map(|t| t.text(self.text)).unwrap_or_default();
        let (before, after) = (near(place.checked_sub(1)), near(Some(place + 1)));
        let is_operator =
            |text: &str| matches!(text, ".." | "+" | "*" | "/" | "%" | "==" | "!=" | "<" | "<=" | ">" | ">=");
        matches!(before, "in" | "if" | "..") || is_operator(before) || is_operator(after)
    }

    fn at(&self, offset: usize) -> Option<(Found, Span)> {
        let touches = |span: &&Span| span.start <= offset && offset <= span.end;
        self.names().into_iter().find_map(|found| found.places.iter().find(touches).copied().map(|span| (found, span)))
    }
}

fn unquoted(token: Token, text: &str) -> String {
    let text = token.text(text);
    match token.kind {
        TokenKind::Text => text.get(1..text.len() - 1).unwrap_or_default().replace("\\\"", "\"").replace("\\\\", "\\"),
        _ => text.to_owned(),
    }
}

pub(crate) fn symbols(document: &Document) -> Vec<Symbol> {
    let cut = Cut::of(document);
    let symbol = |item: &Item| {
        let name = item.name.as_ref()?;
        let kind = match item.kind {
            ItemKind::Constant => SymbolKind::Constant,
            ItemKind::Component => SymbolKind::Component,
            ItemKind::System => SymbolKind::System,
        };
        let label = if name.name.is_empty() { "\"\"".to_owned() } else { name.name.clone() };
        let (range, selection) = (document.range(item.span), document.range(name.span));
        Some(Symbol { kind, name: label, range, selection, inside: Vec::new() })
    };
    cut.items.iter().filter_map(symbol).collect()
}

pub(crate) fn definition(document: &Document, offset: usize) -> Option<Target> {
    let (found, _) = Cut::of(document).at(offset)?;
    Some(Target { file: None, range: document.range(found.places[0]) })
}

pub(crate) fn references(document: &Document, offset: usize) -> Vec<Span> {
    Cut::of(document).at(offset).map(|(found, _)| found.places).unwrap_or_default()
}

/// Components and systems, whose uses are known. Constants are also used in formulas, which are strings.
pub(crate) fn renamable(document: &Document, offset: usize) -> Option<Span> {
    let cut = Cut::of(document);
    let (found, span) = cut.at(offset)?;
    (cut.items[found.item].kind != ItemKind::Constant).then_some(span)
}

pub(crate) fn rename(document: &Document, offset: usize, to: &str) -> Result<Vec<Edit>, String> {
    let cut = Cut::of(document);
    let Some((found, _)) = cut.at(offset).filter(|(found, _)| cut.items[found.item].kind != ItemKind::Constant) else {
        return Err("only components and systems have names that can be changed".to_owned());
    };
    let words = tokens(to);
    let is_name =
        matches!(words.as_slice(), [one] if one.kind == TokenKind::Name && one.span == Span::new(0, to.len()));
    if !is_name || WORDS.iter().any(|word| word.text == to) {
        return Err(format!("`{to}` cannot be a name: it is not one word, or a word of the language"));
    }
    let changed = replaced(cut.text, &found.places, to);
    let counts = |cut: &Cut<'_>| -> Vec<usize> { cut.names().iter().map(|found| found.places.len()).collect() };
    if cut.names().iter().any(|other| other.name == to) || counts(&cut) != counts(&Cut::text(&changed)) {
        return Err(format!("`{to}` has another meaning in this file"));
    }
    Ok(found.places.iter().map(|span| Edit { range: document.range(*span), text: to.to_owned() }).collect())
}

pub(crate) fn hover(document: &Document, offset: usize) -> Option<(String, Span)> {
    let cut = Cut::of(document);
    let block = |text: &str| format!("```sys\n{}\n```", text.replace("```", "'''"));
    if let Some((found, span)) = cut.at(offset) {
        let item = &cut.items[found.item];
        let head = match item.kind {
            ItemKind::Component => document.slice(item.span).split('{').next().unwrap_or_default().trim_end(),
            _ => document.slice(item.span),
        };
        let mut said = block(head);
        let comment = says(document, item.span.start);
        if !comment.is_empty() {
            said.push_str("\n\n");
            said.push_str(&comment);
        }
        return Some((said, span));
    }
    let touches = |token: &&Token| token.span.start <= offset && offset <= token.span.end;
    let mut near = cut.tokens.iter().filter(touches).filter(|t| matches!(t.kind, TokenKind::Name | TokenKind::Sign));
    near.find_map(|token| {
        let word = WORDS.iter().find(|word| word.text == token.text(cut.text))?;
        Some((format!("{}\n\n{}", block(word.usage), word.says), token.span))
    })
}

pub(crate) fn completions(document: &Document, offset: usize) -> Vec<Completion> {
    let text = document.text();
    let start = text[..offset].trim_end_matches(is_inside).len();
    let line_start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let mut list = List::new(document.range(Span::new(start, offset)));
    let cut = Cut::of(document);
    let is_quiet = |token: &&Token| {
        let quiet = matches!(token.kind, TokenKind::Comment | TokenKind::Text | TokenKind::Odd);
        quiet
            && token.span.start < start
            && (start < token.span.end || token.kind != TokenKind::Text && token.span.start >= line_start)
    };
    if cut.tokens.iter().any(|token| is_quiet(&token)) {
        return Vec::new();
    }
    let word = |text: &str| WORDS.iter().find(|word| word.text == text).copied();
    let keywords = |list: &mut List, texts: &[&str]| {
        let all: Vec<_> = texts.iter().filter_map(|text| word(text)).collect();
        list.words(&all, CompletionKind::Keyword);
    };
    let item = cut.items.iter().rev().find(|item| item.span.start < start);
    let before = &cut.tokens[..cut.tokens.partition_point(|token| token.span.end <= start)];
    let before: Vec<&str> = before.iter().filter(|t| t.kind != TokenKind::Comment).map(|t| t.text(text)).collect();
    let last = before.last().copied().unwrap_or_default();
    let from = item.map_or(start, |item| item.span.start);
    let depth = text[from..start].matches('{').count().saturating_sub(text[from..start].matches('}').count());
    if start == line_start && depth == 0 {
        for (label, insert) in [
            ("component", "component ${1:Name} {\n  lts {\n    init ${2:s}\n    $2 -${3:a}-> ${4:t}$0\n  }\n}"),
            ("system", "system ${1:Name} = ${2:A} || ${3:B}"),
            ("const", "const ${1:N} = ${2:3}"),
        ] {
            let known = word(label);
            let (usage, says) = known.map_or(("", ""), |word| (word.usage, word.says));
            list.push(label, CompletionKind::Snippet, usage, says, Some(insert));
        }
        return list.finish();
    }
    match item.map(|item| item.kind) {
        Some(ItemKind::System) if depth == 0 => {
            for other in cut.items.iter().filter(|other| other.kind != ItemKind::Constant) {
                if let Some(name) = &other.name {
                    let kind = if other.kind == ItemKind::System { "system" } else { "component" };
                    list.push(&name.name, CompletionKind::Name, kind, &says(document, other.span.start), None);
                }
            }
            keywords(&mut list, &["where", "internal"]);
        }
        Some(ItemKind::Component) if depth == 1 && last != "observable" && last != "internal" => {
            keywords(&mut list, &["lts", "net", "language", "m2l", "import", "observable", "internal"]);
        }
        Some(_) => {
            keywords(&mut list, &["init", "for", "in", "if", "empty"]);
            for other in cut.items.iter().filter(|other| other.kind == ItemKind::Constant) {
                if let Some(name) = &other.name {
                    list.push(&name.name, CompletionKind::Name, "constant", &says(document, other.span.start), None);
                }
            }
            // Words of the file: actions, states, variables of loops.
            for token in cut.tokens.iter().filter(|t| t.kind == TokenKind::Name && t.span.end != offset) {
                let name = token.text(text);
                if word(name).is_none() && !cut.items.iter().any(|i| i.name.as_ref().is_some_and(|n| n.name == name)) {
                    list.push(name, CompletionKind::Variable, "", "", None);
                }
            }
        }
        None => {}
    }
    list.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Language;

    const TEXT: &str = "// how many\nconst N = 3\ncomponent Fork(i in 0..N-1) { lts { init free; free -take[i % N]-> free } }\n\
                        system Table = Fork || Fork[0]\n  where { take[N] -> Fork }\nsystem All = Table\n";

    fn at(needle: &str) -> usize {
        TEXT.find(needle).expect("it is there")
    }

    #[test]
    fn names_lead_to_their_items() {
        let document = Document::new(Language::Sys, "", TEXT);
        for (needle, count) in [("N = 3", 4), ("Fork(i", 3), ("Table =", 2), ("Fork[0]", 3)] {
            assert_eq!(references(&document, at(needle)).len(), count, "{needle}");
        }
        assert!(references(&document, at("free;")).is_empty());
        assert_eq!(definition(&document, at("Fork[0]")).map(|t| t.range.start.line), Some(2));
        assert!(rename(&document, at("Fork[0]"), "Gabel").is_ok_and(|edits| edits.len() == 3));
        for (needle, to) in
            [("Fork[0]", "Table"), ("Fork[0]", "for"), ("N = 3", "M"), ("Fork[0]", "a b"), ("free;", "x")]
        {
            assert!(rename(&document, at(needle), to).is_err(), "{needle} {to}");
        }
    }

    #[test]
    fn words_are_said_and_completed() {
        let document = Document::new(Language::Sys, "", TEXT);
        let (said, _) = hover(&document, at("N-1)")).expect("a constant");
        assert!(said.contains("const N = 3") && said.contains("how many"), "{said}");
        assert!(hover(&document, at("lts")).is_some_and(|(said, _)| said.contains("transition system")));
        let labels = |offset| completions(&document, offset).into_iter().map(|c| c.label).collect::<Vec<_>>();
        assert!(labels(at("Fork[0]")).contains(&"Fork".to_owned()));
        assert!(labels(at("lts {")).contains(&"net".to_owned()));
        assert!(labels(at("free -take")).contains(&"take".to_owned()));
        assert!(labels(at("component")).contains(&"system".to_owned()));
        assert!(labels(at("how many")).is_empty(), "comments are left alone");
        assert_eq!(symbols(&document).len(), 4);
    }
}
