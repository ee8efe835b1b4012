//! What an editor asks about a property file (`.props`) or a system file (`.sys`) while somebody writes it.
//!
//! A [`Document`] is a text with its language. Functions answer about it: [`diagnostics`], [`hover`], [`completions`], [`definition`],
//! [`references`], [`rename`], [`symbols`], [`format()`]. They take positions as editors count them ([`Position`]), find other files only by
//! the `load` that they are given, and know the names of a run only from a [`Vocabulary`]. Every text has an answer, be it broken.
//!
//! What is wrong with a text is what its parser says: `posetta_logic::read_props_with`, `posetta_model::sys::read`. What it is made of is
//! cut by the lexers of these parsers (`posetta_logic::written`, `posetta_model::sys::written`). [`json`] has the answers as the language server
//! protocol wants them.

mod complete;
mod diagnose;
mod document;
mod explain;
mod format;
mod imports;
pub mod json;
mod lines;
mod names;
mod navigate;
mod sys;
mod vocabulary;

pub use complete::{Completion, CompletionKind, completions};
pub use diagnose::{Finding, Related, Severity, diagnostics};
pub use document::{Document, Language};
pub use explain::{Hover, hover};
pub use format::{Edit, edit_between, format};
pub use lines::{LineIndex, Position, Range};
pub use navigate::{Symbol, SymbolKind, Target, definition, references, renamable, rename, symbols};
pub use posetta_logic::{Load, NoFile};
pub use vocabulary::{Variable, Vocabulary, run_comment};
