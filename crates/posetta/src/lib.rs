//! Decides temporal properties over every order in which a distributed run could have happened.
//!
//! A distributed run is a partial order of events ([`trace::Trace`]). A *run* in the narrow sense is one total order of
//! it; a *cut* is a set of events closed under causes. Linear properties ([`logic::Ltl`]) speak about all runs,
//! branching ones ([`logic::Ctl`]) about the graph of cuts. [`check::check`] decides both.
//!
//! The library reads bytes and returns data. It never touches the terminal, paths, the clock or the environment.
//!
//! ```
//! use posetta::{base::Budget, check, formats, logic};
//!
//! let text = "A: c0=1 -> c0=0\nB: c1=1 -> c1=0\n";
//! let trace = formats::text::read(text.as_bytes(), &Budget::unlimited()).unwrap();
//! let property = logic::Property::ltl("G !(c0 == 1 && c1 == 1)").unwrap();
//! let answer = check::check(&trace, &property, &check::Options::default(), &Budget::unlimited()).unwrap();
//! assert_eq!(answer.verdict.word(), "violated"); // some order lets both in
//! ```
//!
//! Rooms, and which of them may use which, are listed in ARCHITECTURE.md; `tests/rooms.rs` holds the sources to it.

pub use posetta_automata as automata;
pub use posetta_base as base;
pub use posetta_check as check;
pub use posetta_compile as compile;
pub use posetta_dd as dd;
pub use posetta_formats as formats;
pub use posetta_logic as logic;
pub use posetta_model as model;
pub use posetta_monitor as monitor;
pub use posetta_trace as trace;
pub use posetta_verify as verify;
