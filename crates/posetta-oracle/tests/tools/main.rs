//! Automata, diagrams and formulas of M2L, against the definitions.

mod automata;
mod counts;
mod dd;
mod m2l;
