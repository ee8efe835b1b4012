//! The logics: what a property says, how it is written, and whether one word satisfies it.
//!
//! Text becomes a tree ([`parse_ltl`], [`parse_ctl`], [`parse_psl`], [`read_props`]), patterns and definitions put in; printing a tree gives text that parses back to
//! it. [`Bound`] ties a tree to the variables of one trace after checking its types. [`eval`] decides one word (or one
//! path of cuts) by definition: it replays every witness and knows no engine. [`branching`] works CTL off by sets of states, whatever holds them.
//! [`written`] has the words and items of a text that need not be right.

mod atom;
mod bind;
pub mod branching;
mod ctl;
mod each;
pub mod eval;
mod flavour;
mod grammar;
mod having;
mod letters;
mod lex;
mod library;
mod ltl;
pub mod m2l;
mod monitor;
mod parse;
mod pattern;
mod print;
mod property;
mod props;
mod psl;
mod suggest;
mod trigger;
mod units;
pub mod written;

pub use atom::{Arith, Atom, Compare, Condition, Spot, Term, Var, Which};
pub use bind::{
    AtomId, Bound, Slot, SlotKind, bind_ctl, bind_ltl, bind_m2l, bind_monitor, bind_psl, for_each_number, instances,
};
pub use ctl::{Ctl, CtlBinary, CtlUnary, Path};
pub use each::{Domain, Each};
pub use flavour::Flavour;
pub use grammar::{Grammar, Rule};
pub use having::{Found, Having, Operand, Test};
pub use letters::{Atoms, Happening, Letters, Memory, Sample, StepId};
pub use library::{LIBRARY, LibraryDefinition, LibraryFile};
pub use ltl::{Ltl, LtlBinary, LtlUnary};
pub use m2l::M2l;
pub use monitor::hoa::{is_hoa, read_hoa, write_hoa};
pub use monitor::{Guard, Monitor, MonitorEdge, MonitorState, Otherwise};
pub use parse::{parse_ctl, parse_guard, parse_ltl, parse_psl};
pub use property::{Formula, Property, Quantifier, Remark, Severity, View};
pub use props::{Glimpse, Load, Memory as PropsMemory, NoFile, Skimmed, read_props, read_props_with};
pub use psl::{Clock, Edge, Psl, PslBinary, PslUnary, Sere, SereOp, Suffix, Times};
pub use suggest::nearest;
pub use trigger::{Role, Trigger};
pub use units::{Directives, is_unit_file, read_units};
