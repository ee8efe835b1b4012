//! The built program, command by command. One binary: linking takes longer than compiling a file of tests.

mod assumed;
mod attributes;
mod branching;
mod check;
mod conform;
mod convert;
mod doors;
mod emit;
mod examples;
mod explain;
mod explanations;
mod follow;
mod foreach;
mod generate;
mod info;
mod limits;
mod logs;
mod m2l;
mod m2l_properties;
mod many;
mod mapping;
mod mistakes;
mod monitor;
mod monitors;
#[cfg(unix)]
mod outputs;
mod packed;
mod program;
mod psl;
mod refine;
mod refine_abstraction;
mod replay;
#[cfg(unix)]
mod root;
mod schemas;
#[cfg(target_os = "linux")]
mod signals;
mod some;
mod states;
mod systems;
mod telemetry;
mod terminal;
mod tutorial;
mod vacuity;
mod verify;
mod why;
