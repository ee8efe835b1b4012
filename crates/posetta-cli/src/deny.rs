//! `--deny`: warnings that count as mistakes.
//!
//! What is denied is said once, on the command line, for the whole process. Every warning passes here on its way to whoever reads it, and
//! the end of the process asks whether one of them was denied: then the exit status is that of bad input, whatever the verdicts.

use std::ffi::OsStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command};
use posetta_base::Kind;

/// The kinds that warnings have, and what they mean, as docs/report.md has them.
const WARNINGS: [(Kind, &str); 19] = [
    (Kind::Vacuous, "a property or a model that asks for nothing"),
    (Kind::NeverOccurs, "an event or a process that no run has"),
    (Kind::NoEvents, "a run without events"),
    (Kind::NotAssigned, "a variable that this run does not have"),
    (Kind::Ignored, "a part of the input that has no meaning"),
    (Kind::Unmatched, "lines of a log, or events, that belong to nothing"),
    (Kind::MissingEvent, "events that a log lacks"),
    (Kind::Incomplete, "spans, ends or sends that telemetry lacks"),
    (Kind::Clock, "clocks that contradict causes"),
    (Kind::Type, "a division by zero, values of two sorts"),
    (Kind::Pattern, "a pattern that may say something else"),
    (Kind::Definition, "a part of a monitor or model without effect"),
    (Kind::Syntax, "a record that is hidden in other text"),
    (Kind::UnknownVariable, "a variable that has not come"),
    (Kind::Deadlock, "states of a model without a next one"),
    (Kind::TooLarge, "something that was left aside for its size"),
    (Kind::Unsupported, "something that is not read, or cannot be written"),
    (Kind::Baseline, "a known violation that does not occur"),
    // Any other that has no better kind, too.
    (Kind::Input, "a file that is skipped"),
];

/// What is denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deny {
    /// All warnings.
    Warnings,
    /// Those of a kind.
    Kind(Kind),
}

static DENIED: OnceLock<Vec<Deny>> = OnceLock::new();
static SEEN: AtomicBool = AtomicBool::new(false);

/// Takes what the command line says.
pub fn set(denied: Vec<Deny>) {
    let _ = DENIED.set(denied);
}

/// Whether warnings of a kind are denied.
pub fn denies(kind: Kind) -> bool {
    let denied = DENIED.get().map_or(&[][..], Vec::as_slice);
    denied.iter().any(|deny| *deny == Deny::Warnings || *deny == Deny::Kind(kind))
}

/// A warning comes. Answers whether it is denied.
pub fn see(kind: Kind) -> bool {
    let denied = denies(kind);
    if denied {
        SEEN.store(true, SeqCst);
    }
    denied
}

/// Whether a denied warning has come.
pub fn has_seen() -> bool {
    SEEN.load(SeqCst)
}

/// The exit status, if it would have been this one without `--deny`.
pub fn status(status: u8) -> u8 {
    if has_seen() { 2 } else { status }
}

/// What can be denied, for help and completions. Every command has it, so the words are made when somebody asks for them.
#[derive(Clone, Copy, Debug)]
pub struct Words;

impl Words {
    fn all() -> impl Iterator<Item = PossibleValue> {
        let kinds = WARNINGS.into_iter().map(|(kind, meaning)| PossibleValue::new(kind.word()).help(meaning));
        std::iter::once(PossibleValue::new("warnings").help("all of them")).chain(kinds)
    }
}

impl TypedValueParser for Words {
    type Value = Deny;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<Deny, clap::Error> {
        let word = PossibleValuesParser::new(Self::all()).parse_ref(command, arg, value)?;
        Ok(kind_called(&word).map_or(Deny::Warnings, Deny::Kind))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Self::all()))
    }
}

/// The kind of warnings that has this word.
pub fn kind_called(word: &str) -> Option<Kind> {
    WARNINGS.into_iter().map(|(kind, _)| kind).find(|kind| kind.word() == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn what_can_be_denied_is_what_the_docs_list() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/report.md");
        let page = std::fs::read_to_string(path).unwrap();
        let section = page.split("\n### Warnings\n").nth(1).unwrap().split("\n### ").next().unwrap();
        // The first column of the table has the words, some rows several.
        let rows = section.lines().filter(|line| line.starts_with("| `"));
        let listed = rows.flat_map(|row| row.split('|').nth(1).unwrap().split(','));
        let listed: Vec<&str> = listed.map(|word| word.trim().trim_matches('`')).collect();
        let offered: Vec<&str> = WARNINGS.iter().map(|(kind, _)| kind.word()).collect();
        let set = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<BTreeSet<String>>();
        assert_eq!(set(&listed), set(&offered));
        assert_eq!((listed.len(), set(&offered).len()), (offered.len(), offered.len()), "each once");
    }
}
