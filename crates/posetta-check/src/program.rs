//! A CTL formula laid out flat, each occurrence of a subformula at a place of its own: reports tell of each.

pub(super) use posetta_logic::branching::Place;
use posetta_logic::{AtomId, Ctl};

/// A subformula of a formula that is tied to a trace.
pub(super) type Node = posetta_logic::branching::Node<AtomId>;

/// A formula that is tied to a trace.
pub(super) type Program = posetta_logic::branching::Program<AtomId>;

/// How the subformulas are printed, by place.
pub(super) fn texts(formula: &Ctl) -> Vec<String> {
    fn add(formula: &Ctl, texts: &mut Vec<String>) {
        match formula {
            Ctl::True | Ctl::False | Ctl::Atom(_) => {}
            Ctl::Not(f) | Ctl::Unary(_, _, f) => add(f, texts),
            Ctl::And(fs) | Ctl::Or(fs) => fs.iter().for_each(|f| add(f, texts)),
            Ctl::Implies(f, g) | Ctl::Iff(f, g) | Ctl::Binary(_, _, f, g) => {
                add(f, texts);
                add(g, texts);
            }
        }
        texts.push(formula.to_string());
    }
    let mut texts = Vec::new();
    add(formula, &mut texts);
    texts
}
