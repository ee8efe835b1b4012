//! The oracle itself, against words and figures written by hand.

mod completions_definition;
mod conform_definition;
mod fds_definition;
mod m2l_definition;
mod psl_definition;
mod psl_surface;
mod semantics;
mod system_definition;
