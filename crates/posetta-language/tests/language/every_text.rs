//! Nothing panics, whatever is written and wherever somebody points; every place that is told lies in the text.

use fastrand::Rng;
use posetta_language::{
    Document, Language, LineIndex, Position, Range, completions, definition, diagnostics, format, hover, references,
    renamable, rename, symbols,
};

use crate::{nothing, texts};

fn lies_in(document: &Document, range: Range) {
    let lines: &LineIndex = document.lines();
    let span = lines.span(document.text(), range);
    assert!(range.start <= range.end && (range.start.line as usize) < lines.len(), "{range:?}");
    assert_eq!(document.range(span), range, "{}", document.text());
}

/// Asks everything at a place.
fn ask(document: &Document, position: Position) {
    for found in completions(document, position, &mut nothing, None) {
        lies_in(document, found.range);
    }
    if let Some(found) = hover(document, position, &mut nothing, None) {
        lies_in(document, found.range);
    }
    if let Some(found) = definition(document, position, &mut nothing) {
        lies_in(document, found.range);
    }
    references(document, position).into_iter().for_each(|range| lies_in(document, range));
    if renamable(document, position).is_some() {
        for edit in rename(document, position, "another_name").unwrap_or_default() {
            lies_in(document, edit.range);
        }
    }
}

fn ask_all(language: Language, text: &str, random: &mut Rng, places: usize) {
    let document = Document::new(language, "own", text);
    for finding in diagnostics(&document, &mut nothing, None) {
        lies_in(&document, finding.range);
    }
    symbols(&document).iter().for_each(|symbol| lies_in(&document, symbol.range));
    if let Some(formatted) = format(&document) {
        assert_eq!(format(&Document::new(language, "own", formatted.as_str())), None, "{text}");
    }
    for _ in 0..places {
        let at = random.usize(..=text.len());
        ask(&document, document.lines().position(text, at));
    }
}

#[test]
fn broken_files_have_answers() {
    let mut random = Rng::with_seed(5);
    let texts = texts();
    for _ in 0..400 {
        let (language, text) = &texts[random.usize(..texts.len())];
        let mut chars: Vec<char> = text.chars().take(600).collect();
        for _ in 0..random.usize(1..8) {
            let at = random.usize(..=chars.len());
            let odd = ['"', '{', '}', '(', '\n', '`', '$', 'é', '𝄞', '\r', ';', '/', '=', ' ', ':', '['];
            match random.u8(..3) {
                0 => chars.insert(at, random.choice(odd).unwrap_or('"')),
                1 if at < chars.len() => drop(chars.remove(at)),
                _ => chars.truncate(at.max(20).min(chars.len())),
            }
        }
        let text: String = chars.into_iter().collect();
        ask_all(*language, &text, &mut random, 6);
    }
}

#[test]
fn anything_has_answers() {
    let mut random = Rng::with_seed(6);
    let pieces = [
        "property",
        "let",
        "foreach",
        "monitor",
        " ",
        "\n",
        "=",
        "(",
        ")",
        "{",
        "}",
        "p",
        "ltl",
        "m2l",
        "\"",
        "`",
        "$",
        "//",
        "[",
        "]",
        "é",
        "import",
        "system",
        "component",
        "const",
        "->",
        "§",
        "\\",
        "0",
        "..",
        "in",
        "values(",
    ];
    for _ in 0..600 {
        let text: String = (0..random.usize(..30)).map(|_| pieces[random.usize(..pieces.len())]).collect();
        for language in [Language::Props, Language::Sys] {
            ask_all(language, &text, &mut random, 4);
        }
    }
}

#[test]
fn every_place_of_every_example_has_answers() {
    for (language, text) in texts().into_iter().filter(|(_, text)| text.len() < 700) {
        let document = Document::new(language, "own", text.as_str());
        for (at, _) in text.char_indices().step_by(3) {
            ask(&document, document.lines().position(&text, at));
        }
    }
}
