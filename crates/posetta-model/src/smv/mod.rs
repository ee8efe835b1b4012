//! A subset of the SMV language (McMillan 1992; Cavada et al., NuSMV 2.6 User Manual), read into a [`Fds`].
//!
//! Text becomes words (`lex`) and a tree (`parse`, `expressions`, `psl`) whose names mean nothing yet. Then every instance of a
//! module is made (`scope`), the flat variables are (`declare`), and in each instance all expressions are worked off (`evaluate`,
//! `formulas`) into what is demanded (`flatten`) and stated (`specs`). Types are checked where expressions are made, in
//! [`super::fds`].
//!
//! Differences from NuSMV: `FINAL` says where finite computations may end, a `PSLSPEC` is read as all PSL here, and LTL has `W`, `M` and
//! `WX` as well. Outside the subset are words, reals, processes, arrays of modules and arrays that are written out, shifts, `ISA`,
//! `COMPUTE`, `PRED`, `MIRROR`, `FUN`, and operators with bounds.

mod advice;
mod circles;
mod declare;
mod evaluate;
mod expressions;
mod flatten;
mod formulas;
mod lex;
mod parse;
mod psl;
mod scope;
mod specs;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::Arc;

use self::evaluate::Evaluator;
use self::parse::Parser;
use super::fds::typed::Typed;
use super::fds::{Exprs, Fds};
use crate::problem::Problems;
use posetta_base::{Diagnostic, Kind, Mistakes};

/// Reads a model.
///
/// # Errors
/// With the mistakes in it.
pub fn read(source: &str) -> Result<Fds, Mistakes> {
    let words = lex::lex(source).map_err(|problem| vec![problem.diagnostic(source)])?;
    if words.words.len() == 1 {
        let empty = Diagnostic::new(Kind::Truncated, "the model is empty");
        return Err(vec![empty.help("a model begins with `MODULE main`")].into());
    }
    let mut parser = Parser::new(source, words);
    parser.file();
    let Parser { tree, mut problems, .. } = parser;
    if !problems.is_empty() {
        return Err(problems.diagnostics(source).into());
    }
    let mut warnings = Problems::default();
    let scopes = scope::instantiate(source, &tree, &mut problems, &mut warnings);
    let Some(scopes) = scopes.filter(|_| !problems.is_full()) else { return Err(problems.diagnostics(source).into()) };
    let mut typed = Typed::new(Exprs::default(), Vec::new());
    typed.warnings = warnings;
    let mut evaluator = Evaluator { source, tree: &tree, scopes, typed, problems, aim: None };
    evaluator.declare();
    let text: Arc<str> = Arc::from(source);
    let mut fds = evaluator.flatten();
    if !evaluator.problems.is_full() && !evaluator.typed.is_spent() {
        fds.specs = evaluator.specs(&text);
    }
    let Evaluator { typed: Typed { exprs, vars, mut warnings, .. }, problems, .. } = evaluator;
    if !problems.is_empty() {
        return Err(problems.diagnostics(source).into());
    }
    fds.source = text;
    fds.exprs = exprs;
    fds.vars = vars;
    circles::warn(&fds, &mut warnings);
    fds.warnings = warnings.diagnostics(source);
    Ok(fds)
}
