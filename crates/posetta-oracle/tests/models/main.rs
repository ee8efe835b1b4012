//! Models and refinement, against the definitions and NuSMV.

mod abstraction;
mod component;
mod conform;
mod counts;
mod endless;
mod lasso;
mod m2l_systems;
mod nusmv;
mod refine;
mod smv;
mod sog;
mod steps;
mod system;
mod tester;
mod texts;
mod verify;
