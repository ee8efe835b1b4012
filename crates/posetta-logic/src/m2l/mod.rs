//! M2L: MONA's language for strings (Klarlund and Møller, MONA Version 1.4 User Manual, 2001).
//!
//! Positions are natural numbers, sets are finite sets of positions. In `ws1s` a variable ranges over all of them, in `m2l-str` over those
//! of a string of some length, the set `$`. [`tree`] is what a text becomes: names are resolved, types are right, definitions are not
//! yet put in.
//!
//! [`read_program`] reads a MONA file and what it includes, [`parse_property`] a property of runs ([`M2l`]), [`parse_component`] one of the words that a
//! component does, [`parse_relation`] one of two behaviours side by side. Text is cut into words ([`lex`]),
//! then declarations ([`parse`], [`operators`]) of all files are gathered ([`include`]), then names and types are settled ([`resolve`]). Printing
//! ([`print`]) gives text that reads as an equal tree. What becomes of a tree is in `posetta_compile::m2l`, which also lists where else M2L is.

mod atoms;
mod expr;
mod include;
mod lex;
mod number;
mod operators;
mod parse;
mod print;
mod resolve;
mod settled;
#[cfg(test)]
mod tests;
mod tree;
mod values;
mod walk;

pub(super) use include::property_in;
pub use include::{atom_spans, parse_component, parse_property, parse_relation, read_program};
pub(crate) use lex::{WORDS, word_at};
pub use print::Shown;
pub use settled::M2l;
pub use tree::{
    Argument, Connective, Element, Formula, Mode, Order, Position, PredId, Predicate, Program, Remarks, Set, VarId,
    Variable, Verify,
};

/// Deeper trees are refused: every walk over a formula is recursive.
const MAX_DEPTH: u32 = 500;

/// More parentheses and operators inside each other are refused.
const MAX_NESTING: u32 = 200;

/// Longer chains of one operator are grouped by halves, so that they are not deep.
const CHAIN: usize = 32;

/// No position is written as a larger number, and no step is longer: an automaton has a state for each.
const MAX_POSITION: u32 = 1_000_000;

/// What sort of text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// A file.
    File,
    /// A file that another one includes.
    Included,
    /// A property of runs.
    Property,
    /// What a component does: a property of the words of its actions.
    Component,
    /// What relates two behaviours.
    Relation,
}

impl Source {
    /// Whether it is one formula, perhaps with definitions, whose free sets stand in backquotes.
    fn is_lone(self) -> bool {
        matches!(self, Self::Property | Self::Component | Self::Relation)
    }

    /// How a message calls what such a formula is for.
    fn purpose(self) -> &'static str {
        match self {
            Self::Component => "components",
            Self::Relation => "relations of behaviours",
            _ => "properties of runs",
        }
    }

    /// How a message calls one of these.
    fn one(self) -> &'static str {
        match self {
            Self::Component => "a component",
            Self::Relation => "a relation",
            _ => "a property",
        }
    }

    /// How a message calls what it is about.
    fn subject(self) -> &'static str {
        match self {
            Self::Component => "word",
            Self::Relation => "behaviour",
            _ => "run",
        }
    }

    /// Something that may stand in backquotes.
    fn atom(self) -> &'static str {
        match self {
            Self::Component => "a",
            Self::Relation => "impl: a",
            _ => "x == 1",
        }
    }
}

/// Joins parts by an operator that may be grouped in any way; `None` without parts. Short chains are grouped to the left.
fn fold<T>(parts: Vec<T>, join: &impl Fn(T, T) -> T) -> Option<T> {
    if parts.len() <= CHAIN {
        return parts.into_iter().reduce(join);
    }
    let mut left = parts;
    let right = left.split_off(left.len().div_ceil(2));
    Some(join(fold(left, join)?, fold(right, join)?))
}
