//! M2L: MONA's language for strings (Klarlund and Møller, MONA Version 1.4 User Manual, 2001).
//!
//! Positions are natural numbers, sets are finite sets of positions. In `ws1s` a variable ranges over all of them, in `m2l-str` over those
//! of a string of some length, the set `$`. [`tree`] is what a text becomes: names are resolved, types are right, definitions are not
//! yet put in.

mod tree;

pub use tree::{
    Argument, Connective, Element, Formula, Mode, Order, Position, PredId, Predicate, Program, Set, VarId, Variable,
    Verify,
};
