//! The language of system files (`.sys`): components that synchronise on shared actions, read into a [`System`].
//!
//! Text becomes words (`lex`) and a tree (`parse`, `expressions`) in which names have indices that are not worked out. `unfold` makes the
//! copies of components, each with names of its own; `language` makes transition systems of regular expressions, `m2l` of formulas (which
//! `quoted` gathers from strings), `import` of other files. `compose` puts copies side by side, gives actions new names and hides them, and builds the flat system.
//!
//! Every mistake is told with its place; one in a component leaves the others readable. What copies and loops make is counted, and
//! refused past [`MOST_COPIES`] and [`MOST_ARCS`].

mod compose;
mod expressions;
mod import;
mod language;
mod lex;
mod m2l;
mod parse;
mod quoted;
#[cfg(test)]
mod tests;
mod tree;
mod unfold;
pub mod written;

use std::sync::Arc;

use self::expressions::Scope;
use self::parse::Parser;
use self::tree::Tree;
use self::unfold::Unfolder;
use super::system::System;
use crate::problem::Problems;
use posetta_base::{Diagnostic, Kind, Located, Mistakes, Spanned};
pub use posetta_logic::Load;

/// More copies of components in one system than this are refused.
pub(crate) const MOST_COPIES: u64 = 1_000_000;

/// More arcs, transitions, declared actions and rounds of loops than this, taken together, are refused.
pub(crate) const MOST_ARCS: u64 = 10_000_000;

/// Reads a system file. `wanted` is the system, or the component, that is meant; without it the last system is, or the only component.
///
/// # Errors
/// With the mistakes in it and in what it imports.
pub fn read(file: &str, source: &str, wanted: Option<&str>, load: &mut Load<'_>) -> Result<System, Mistakes<Located>> {
    let name: Arc<str> = file.into();
    let located = |diagnostics: Vec<Diagnostic>| -> Vec<Located> {
        diagnostics.into_iter().map(|diagnostic| Located { file: Arc::clone(&name), diagnostic }).collect()
    };
    let words = lex::lex(source).map_err(|problem| located(vec![problem.diagnostic(source)]))?;
    let mut parser = Parser::new(words);
    parser.file();
    let Parser { tree, mut problems, .. } = parser;
    if !problems.is_empty() {
        return Err(located(problems.diagnostics(source)).into());
    }
    if tree.components.is_empty() && tree.systems.is_empty() {
        let empty = Diagnostic::new(Kind::Truncated, "the file has no component");
        return Err(located(vec![empty.help("write one: `component C { lts { init s; s -a-> s } }`")]).into());
    }
    let scope = constants(&tree, &mut problems);
    let mut unfolder = Unfolder::new(file, source, &tree, scope, problems, load);
    let system = unfolder.system(wanted);
    let Unfolder { problems, elsewhere, unplaced, warnings, warnings_elsewhere, .. } = unfolder;
    if let Some(mut system) = system
        && problems.is_empty()
        && elsewhere.is_empty()
        && unplaced.is_empty()
    {
        system.warnings = warnings.diagnostics(source);
        system.warnings.extend(warnings_elsewhere);
        return Ok(system);
    }
    let mut mistakes = located(unplaced);
    mistakes.extend(located(problems.diagnostics(source)));
    mistakes.extend(elsewhere);
    Err(mistakes.into())
}

/// The values of the constants, each from those above it.
fn constants<'a>(tree: &Tree<'a>, problems: &mut Problems) -> Scope<'a> {
    let mut scope = Scope::default();
    for constant in &tree.constants {
        if scope.constants.contains_key(constant.name) {
            let message = format!("`{}` is defined twice", constant.name);
            problems.push(Spanned::new(Kind::Definition, constant.span, message));
            continue;
        }
        let value = scope.value(&constant.value).unwrap_or_else(|problem| {
            problems.push(problem);
            // Its uses are not wrong as well.
            0
        });
        scope.constants.insert(constant.name, value);
    }
    scope
}
