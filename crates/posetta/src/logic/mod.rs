//! The logics: what a property says, how it is written, and whether one word satisfies it.

mod atom;
mod ctl;
mod ltl;
mod property;

pub use atom::{Arith, Atom, Compare, Condition, Spot, Term, Var};
pub use ctl::{Ctl, CtlBinary, CtlUnary, Path};
pub use ltl::{Ltl, LtlBinary, LtlUnary};
pub use property::{Formula, Property, View};
