//! Formulas of M2L as trees.

use posetta_logic::M2l;
use posetta_logic::m2l::{Connective, Formula, Order, Program, VarId};

use super::Tree;

/// The formula; what its predicates stand for is not put in.
pub(super) fn formula(m2l: &M2l) -> Tree {
    Tree { whole: Some(m2l.to_string()), ..tree(m2l.program(), &m2l.program().formula) }
}

fn tree(program: &Program, formula: &Formula) -> Tree {
    let part = |f: &Formula| tree(program, f);
    match formula {
        // `p notin X` and `p ~= q` are one word.
        Formula::Not(f) if !matches!(**f, Formula::In(..) | Formula::SamePosition(..) | Formula::SameSet(..)) => {
            Tree::before("~".to_owned(), "not", part(f))
        }
        Formula::Joined(Connective::And, f, g) => Tree::between("&", "all of", vec![part(f), part(g)]),
        Formula::Joined(Connective::Or, f, g) => Tree::between("|", "one of", vec![part(f), part(g)]),
        Formula::Joined(Connective::Implies, f, g) => Tree::between("=>", "if … then", vec![part(f), part(g)]),
        Formula::Joined(Connective::Iff, f, g) => Tree::between("<=>", "exactly if", vec![part(f), part(g)]),
        Formula::Quantified { all, vars, body } => {
            Tree::before(head(program, formula, body), quantified(*all, program, vars), part(body))
        }
        Formula::Let(_, body) => Tree::before(head(program, formula, body), "with these names", part(body)),
        _ => Tree::leaf(program.show(formula).to_string()),
    }
}

/// What stands before the last part of a formula.
fn head(program: &Program, formula: &Formula, body: &Formula) -> String {
    let (whole, body) = (program.show(formula).to_string(), program.show(body).to_string());
    whole.strip_suffix(&body).unwrap_or(&whole).trim_end().to_owned()
}

fn quantified(all: bool, program: &Program, vars: &[VarId]) -> &'static str {
    let order = vars.first().map(|var| program.vars[var.index()].order);
    match (all, order, vars.len()) {
        (false, Some(Order::Zero), 1) => "for some truth value",
        (false, Some(Order::Zero), _) => "for some truth values",
        (false, Some(Order::One), 1) => "at some position",
        (false, Some(Order::One), _) => "at some positions",
        (false, _, 1) => "for some set of positions",
        (false, ..) => "for some sets of positions",
        (true, Some(Order::Zero), _) => "for all truth values",
        (true, Some(Order::One), _) => "at all positions",
        (true, ..) => "for all sets of positions",
    }
}
