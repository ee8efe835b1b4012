//! Every semantics of Posetta by definition, by enumeration.
//!
//! What the engines are tested against. Nothing here is shared with them: of the library only data is used (a trace's
//! accessors, values, the trees of formulas), and every question is answered by trying all the cases its definition
//! speaks of. So everything is exponential, and meant for runs of at most a dozen events.
//!
//! Quotations in the documentation are from `docs/semantics.md`, which decides what every answer means.
//!
//! Start at [`order`] (happened-before, runs, cuts), then [`state`] and [`word`] (what a formula sees), [`ltl`],
//! [`psl`], [`monitor`] and [`ctl`]; [`projection`] has a run for each value, [`world`] the words of all runs at once, [`live`] what can still become of a run, [`continuations`] the same for CTL, [`completions`] of a stream, [`pattern`] the named patterns of property files, [`fds`] models that are verified whole, [`system`] systems of components, [`conform`] recorded runs against these, [`tester`] what testers do beside a word, [`m2l`] programs of M2L, [`mona`] the peer for these. [`random`] makes
//! the cases, [`cases`] counts them, [`answer`] holds what a checker says against all runs.

pub mod answer;
pub mod cases;
pub mod completions;
pub mod conform;
pub mod continuations;
pub mod ctl;
pub mod engines;
pub mod fds;
pub mod live;
pub mod ltl;
pub mod m2l;
pub mod mona;
pub mod monitor;
pub mod nusmv;
pub mod order;
pub mod pattern;
pub mod projection;
pub mod psl;
pub mod random;
pub mod state;
pub mod system;
pub mod tester;
pub mod word;
pub mod world;
