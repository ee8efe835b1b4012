//! The built program, command by command. One binary: linking takes longer than compiling a file of tests.

mod assumed;
mod attributes;
mod branching;
mod browser;
mod check;
#[cfg(unix)]
mod collect;
mod conform;
mod convert;
mod doors;
mod editors;
mod emit;
mod examples;
mod explain;
mod explanations;
mod follow;
mod foreach;
mod generate;
mod info;
mod init;
mod install;
mod library;
mod limits;
mod logs;
#[cfg(unix)]
mod lsp;
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
mod psl_collection;
mod psl_units;
mod refine;
mod refine_abstraction;
mod replay;
mod reports;
#[cfg(unix)]
mod root;
mod schemas;
mod serve;
#[cfg(target_os = "linux")]
mod show;
mod signals;
mod some;
mod states;
mod systems;
mod telemetry;
mod terminal;
#[cfg(unix)]
mod test_command;
mod tutorial;
mod vacuity;
mod verify;

mod why;
