//! What is wrong with a text, as its parser says; and, if a run is known, which names it does not have.

use std::collections::BTreeSet;

use crate::document::{Document, Language};
use crate::imports::imports;
use crate::lines::Range;
use crate::vocabulary::{MOST_NAMES, Vocabulary};
use posetta_base::{Diagnostic, Kind, Located, Span};
use posetta_logic::{Atom, Glimpse, Load, Which, nearest};
use posetta_model::sys;

/// After this many names that a run does not have, it is probably another run that is meant.
const ENOUGH: usize = 100;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// It can, and probably does not say what was meant.
    Warning,
}

/// Something to tell about a place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where.
    pub range: Range,
    /// How bad it is.
    pub severity: Severity,
    /// What sort of mistake, in one word that stays.
    pub code: &'static str,
    /// What is wrong, what was expected, and what to do, in a line each.
    pub message: String,
    /// A place in another file that it is really about.
    pub related: Option<Related>,
}

/// A place in another file, as people count: from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// What `load` calls the file.
    pub file: String,
    /// The line.
    pub line: u64,
    /// The column, in characters.
    pub column: u64,
    /// What is wrong there.
    pub message: String,
}

/// What is wrong with a document, in the order of its text. `load` finds what it imports.
pub fn diagnostics(document: &Document, load: &mut Load<'_>, vocabulary: Option<&Vocabulary>) -> Vec<Finding> {
    let mut found = match document.language {
        Language::Props => props(document, load, vocabulary),
        Language::Sys => system(document, load),
    };
    found.sort_by_key(|finding| (finding.range.start, finding.range.end));
    found
}

fn props(document: &Document, load: &mut Load<'_>, vocabulary: Option<&Vocabulary>) -> Vec<Finding> {
    let mut names = FileNames::default();
    let mut noted = |from: &str, path: &str| {
        let loaded = load(from, path);
        if let (Ok((file, _)), true) = (&loaded, from == document.name()) {
            names.of_imports.push((path.to_owned(), file.clone()));
        }
        loaded
    };
    let mut memory = document.memory();
    let skimmed = memory.skim(document.name(), document.text(), &mut noted);
    document.remember(memory);
    match skimmed {
        Err(mistakes) => mistakes.into_iter().map(|m| located(document, &m, Severity::Error, &names)).collect(),
        Ok(skimmed) => {
            let mut found: Vec<Finding> = Vec::new();
            let known = vocabulary.map(RunNames::of);
            for property in skimmed.of_file(document.name()) {
                let warnings = property.warnings.iter();
                found.extend(warnings.map(|w| finding(document, w, Severity::Warning, property.span)));
                if let Some(known) = known.as_ref().filter(|_| found.len() < ENOUGH) {
                    unknown_names(document, property, &skimmed.declared_events, known, &mut found);
                }
            }
            // A loop tells the same in every round.
            let mut told: Vec<Finding> = Vec::new();
            for finding in found {
                if !told.contains(&finding) {
                    told.push(finding);
                }
            }
            told
        }
    }
}

fn system(document: &Document, load: &mut Load<'_>) -> Vec<Finding> {
    match sys::read(document.name(), document.text(), None, load) {
        Err(mistakes) => {
            let names = FileNames::default();
            mistakes.into_iter().map(|m| located(document, &m, Severity::Error, &names)).collect()
        }
        Ok(system) => {
            let whole = Span::new(0, 0);
            system.warnings.iter().map(|w| finding(document, w, Severity::Warning, whole)).collect()
        }
    }
}

/// What the imports of the document lead to.
#[derive(Default)]
struct FileNames {
    /// Paths as written, and the names of the files.
    of_imports: Vec<(String, String)>,
}

/// A diagnostic of this document; without a place it is told at `otherwise`.
fn finding(document: &Document, diagnostic: &Diagnostic, severity: Severity, otherwise: Span) -> Finding {
    let (text, lines) = (document.text(), document.lines());
    let span = match &diagnostic.place {
        Some(place) => lines.span_of_place(text, place.line, place.column, place.width),
        None => otherwise,
    };
    Finding {
        range: document.range(span),
        severity,
        code: diagnostic.kind.word(),
        message: message(diagnostic),
        related: None,
    }
}

/// A mistake in this document, or in one that it imports: then it is told where that is imported.
fn located(document: &Document, mistake: &Located, severity: Severity, names: &FileNames) -> Finding {
    let diagnostic = &mistake.diagnostic;
    if *mistake.file == *document.name() {
        return finding(document, diagnostic, severity, Span::new(0, 0));
    }
    let own = document.parts();
    let direct = names.of_imports.iter().find(|(_, file)| **file == *mistake.file).map(|(path, _)| path.as_str());
    let all = imports(&own);
    let spans = all.iter().filter_map(|part| part.path.as_ref());
    let by = spans.clone().find(|path| Some(path.name.as_str()) == direct).or_else(|| spans.clone().next());
    let span = by.map_or(Span::new(0, 0), |path| path.span);
    let (line, column) = diagnostic.place.as_ref().map_or((1, 1), |place| (place.line, place.column));
    let message = message(diagnostic);
    Finding {
        range: document.range(span),
        severity,
        code: diagnostic.kind.word(),
        message: format!("in `{}`, line {line}: {message}", mistake.file),
        related: Some(Related { file: mistake.file.to_string(), line, column, message }),
    }
}

/// All that a diagnostic says.
fn message(diagnostic: &Diagnostic) -> String {
    let mut text = diagnostic.message.clone();
    // Often the message has said what was expected.
    if let Some(label) = diagnostic.label.as_ref().filter(|label| !text.contains(label.as_str())) {
        text.push('\n');
        text.push_str(label);
    }
    if let Some(help) = &diagnostic.help {
        text.push_str("\nhelp: ");
        text.push_str(help);
    }
    text
}

/// The names of a run, to be looked up.
struct RunNames<'v> {
    source: &'v str,
    variables: BTreeSet<&'v str>,
    events: BTreeSet<&'v str>,
    processes: BTreeSet<&'v str>,
}

impl<'v> RunNames<'v> {
    fn of(vocabulary: &'v Vocabulary) -> Self {
        Self {
            source: &vocabulary.source,
            variables: vocabulary.variables.iter().map(|variable| variable.name.as_str()).collect(),
            events: vocabulary.events.iter().map(String::as_str).collect(),
            processes: vocabulary.processes.iter().map(String::as_str).collect(),
        }
    }
}

/// The names of a property that the run does not have.
fn unknown_names(
    document: &Document,
    property: Glimpse<'_>,
    declared_events: &BTreeSet<String>,
    known: &RunNames<'_>,
    found: &mut Vec<Finding>,
) {
    let mut tell = |kind: Kind, what: &str, name: &str, span: Span, names: &BTreeSet<&str>| {
        // The run has more names than are known.
        if names.len() >= MOST_NAMES {
            return;
        }
        let mut message = format!("no {what} of `{}` is called `{name}`", known.source);
        if let Some(near) = nearest(name, names.iter().copied()) {
            message.push_str(&format!("\ndid you mean `{near}`?"));
        }
        let (range, severity) = (document.range(span), Severity::Warning);
        found.push(Finding { range, severity, code: kind.word(), message, related: None });
    };
    let of = |name: &str| place_of(document, property.span, name);
    property.formula.for_each_atom(|atom| {
        let event = match atom {
            Atom::Event(name) => Some(name),
            Atom::Having(having) => having.name.as_ref(),
            _ => None,
        };
        if let Some(name) = event
            && !known.events.contains(name.as_str())
            && !declared_events.contains(name)
        {
            tell(Kind::NeverOccurs, "event", name, of(name), &known.events);
        }
        if let Atom::Process(name) = atom
            && !known.processes.contains(name.as_str())
        {
            tell(Kind::NeverOccurs, "process", name, of(name), &known.processes);
        }
        atom.for_each_var(&mut |var| {
            if var.which != Which::Key && !known.variables.contains(var.name.as_str()) {
                tell(Kind::UnknownVariable, "variable", &var.name, property.moved(var.spot.0), &known.variables);
            }
        });
    });
}

/// Where a property says a name; the whole property, if a definition says it.
fn place_of(document: &Document, property: Span, name: &str) -> Span {
    match document.slice(property).find(name) {
        Some(at) => Span::new(property.start + at, property.start + at + name.len()),
        None => property,
    }
}
