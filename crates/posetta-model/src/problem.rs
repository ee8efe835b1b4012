//! The problems of a text, gathered, and what to say about names.

use super::fds::{Domain, Variable};
use posetta_base::{Diagnostic, Kind, Span, Spanned};
use posetta_logic::nearest;

/// The name that was probably meant. One letter is near every other letter: only its other case is a guess.
pub(crate) fn meant<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let alone = name.chars().count() == 1;
    nearest(name, candidates.filter(|c| !alone || c.eq_ignore_ascii_case(name)))
}

/// Which values a variable has, if these have names.
pub(crate) fn values_of(variable: &Variable) -> Option<String> {
    const SHOWN: usize = 8;
    let Domain::Choice(values) = &variable.domain else { return None };
    let mut shown: Vec<String> = values.iter().take(SHOWN).map(|v| format!("`{v}`")).collect();
    if values.len() > SHOWN {
        shown.push("…".to_owned());
    }
    Some(format!("the values of `{}` are {}", variable.name, shown.join(", ")))
}

/// Problems without repetitions: a module that is used often has its mistakes once.
#[derive(Debug, Default)]
pub(crate) struct Problems(Vec<Spanned>);

impl Problems {
    pub(crate) fn push(&mut self, problem: Box<Spanned>) {
        if self.0.len() < Spanned::ENOUGH && !self.0.contains(&problem) {
            self.0.push(*problem);
        }
    }

    /// A problem, if there is one.
    pub(crate) fn extend(&mut self, problem: Option<Box<Spanned>>) {
        if let Some(problem) = problem {
            self.push(problem);
        }
    }

    /// Whether something of this kind was told of this place.
    pub(crate) fn tell_of(&self, kind: Kind, span: Span) -> bool {
        self.0.iter().any(|p| p.kind == kind && p.span == span)
    }

    pub(crate) fn into_iter(self) -> impl Iterator<Item = Spanned> {
        self.0.into_iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one more would be left out.
    pub(crate) fn is_full(&self) -> bool {
        self.0.len() >= Spanned::ENOUGH
    }

    /// By place in the text.
    pub(crate) fn diagnostics(mut self, source: &str) -> Vec<Diagnostic> {
        self.0.sort_by_key(|p| (p.span.start, p.span.end));
        self.0.iter().map(|p| p.diagnostic(source)).collect()
    }
}
