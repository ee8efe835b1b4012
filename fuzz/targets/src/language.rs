//! What an editor asks about a text: every answer lies in the text, and a text in its form stays as it is and says what it said.

use posetta_language::{
    Document, Language, Range, completions, definition, diagnostics, format, hover, references, rename, symbols,
};
use posetta_logic::{NoFile, Property, read_props_with};
use posetta_model::sys;

use crate::LONGEST;

/// The bytes as a property file and as a system file, with an editor at some places of it: those after blanks, the first ones.
///
/// # Panics
/// When a promise is broken.
pub fn language(data: &[u8]) {
    let Some(text) = std::str::from_utf8(data).ok().filter(|t| t.len() <= LONGEST) else { return };
    for language in [Language::Props, Language::Sys] {
        asked(&Document::new(language, "own", text));
    }
}

/// So many places are asked about.
const MOST_PLACES: usize = 12;

fn nothing(_: &str, _: &str) -> Result<(String, String), NoFile> {
    Err("there are no files here".into())
}

fn asked(document: &Document) {
    let lies_in = |range: Range| {
        let span = document.lines().span(document.text(), range);
        assert_eq!(document.range(span), range, "it lies in the text");
    };
    diagnostics(document, &mut nothing, None).iter().for_each(|finding| lies_in(finding.range));
    symbols(document).iter().for_each(|symbol| lies_in(symbol.range));
    let text = document.text();
    let ends = text.match_indices(|c: char| !c.is_alphanumeric()).map(|(at, _)| at);
    for at in ends.chain([0, text.len()]).take(MOST_PLACES) {
        let position = document.lines().position(text, at);
        completions(document, position, &mut nothing, None).iter().for_each(|found| lies_in(found.range));
        hover(document, position, &mut nothing, None).iter().for_each(|found| lies_in(found.range));
        definition(document, position, &mut nothing).iter().for_each(|found| lies_in(found.range));
        references(document, position).into_iter().for_each(lies_in);
        for edit in rename(document, position, "another_name").unwrap_or_default() {
            lies_in(edit.range);
        }
    }
    if let Some(formatted) = format(document) {
        let after = Document::new(document.language, "own", formatted.as_str());
        assert_eq!(format(&after), None, "once is enough");
        assert_eq!(meaning(document), meaning(&after), "the form has no meaning");
    }
}

/// What a text says, if it has no mistakes.
fn meaning(document: &Document) -> Option<Vec<String>> {
    match document.language {
        Language::Props => {
            let read = read_props_with("own", document.text(), &mut nothing).ok()?;
            let say =
                |Property { name, formula, quantifier, .. }: &Property| format!("{name:?} {formula} {quantifier:?}");
            Some(read.iter().map(say).collect())
        }
        Language::Sys => {
            let system = sys::read("own", document.text(), None, &mut nothing).ok()?;
            Some(vec![format!("{:?} {:?}", system.components, system.actions)])
        }
    }
}
