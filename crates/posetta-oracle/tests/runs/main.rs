//! Properties of recorded runs, against the definitions.

mod ctl;
mod engines;
mod eval;
mod foreach;
mod kinds;
mod library;
mod ltl;
mod m2l_runs;
mod paths;
mod pattern;
mod plan;
mod proof;
mod psl;
mod some;
mod stages;
mod trace;
mod two_ways;
mod vacuity;
mod why;
