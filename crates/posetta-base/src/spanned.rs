//! Mistakes and warnings on the way: a diagnostic that knows its bytes, and has not met its text.

use super::{Diagnostic, Kind, Place, Span};

/// What is wrong, and at which bytes. Readers box it, because it is large and rare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spanned {
    /// What kind of thing.
    pub kind: Kind,
    /// Where.
    pub span: Span,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What stands under the carets.
    pub label: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Spanned {
    /// After so many mistakes, or warnings, the rest is not worth telling: each costs a look at the whole source.
    pub const ENOUGH: usize = 20;

    /// Without a label and without help.
    #[cold]
    #[must_use]
    pub fn new(kind: Kind, span: Span, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { kind, span, message: message.into(), label: None, help: None })
    }

    /// With a label.
    #[must_use]
    pub fn label(mut self: Box<Self>, label: impl Into<String>) -> Box<Self> {
        self.label = Some(label.into());
        self
    }

    /// With help.
    #[must_use]
    pub fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }

    /// The diagnostic, with its place in the text.
    #[must_use]
    pub fn diagnostic(&self, source: &str) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(self.kind, self.message.clone()).at(Place::in_text(source, self.span));
        diagnostic.label.clone_from(&self.label);
        diagnostic.help.clone_from(&self.help);
        diagnostic
    }
}
