//! Mistakes on the way: a diagnostic that has not met its text.

use posetta_base::{Diagnostic, Kind, Place, Span};

/// After so many mistakes the rest is not worth telling.
pub(super) const ENOUGH: usize = 20;

/// What is wrong, and at which bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) kind: Kind,
    pub(super) span: Span,
    pub(super) message: String,
    pub(super) label: Option<String>,
    pub(super) help: Option<String>,
}

impl Problem {
    #[cold]
    pub(super) fn new(kind: Kind, span: Span, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { kind, span, message: message.into(), label: None, help: None })
    }

    pub(super) fn label(mut self: Box<Self>, label: impl Into<String>) -> Box<Self> {
        self.label = Some(label.into());
        self
    }

    pub(super) fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }

    /// The problem in its text.
    pub(super) fn diagnostic(self, source: &str) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(self.kind, self.message).at(Place::in_text(source, self.span));
        diagnostic.label = self.label;
        diagnostic.help = self.help;
        diagnostic
    }
}
