//! Native JSON lines: one event, or one state, a line.
//!
//! A line with `process` is an event record: it adds an event to that process. A line without is a state record: its
//! numbers, strings and booleans are the values of variables; what looks like an event of another tool is refused, unless somebody says
//! that it is a state. A file has records of one sort. [`read`] takes them,
//! [`write`](fn@write) gives them, [`follow`](fn@follow) hands on their events while they come, [`Stream`] gives them one by one.

mod follow;
mod read;
mod sink;
mod stream;
#[cfg(test)]
mod tests;
mod write;

pub use follow::follow;
pub use read::read;
pub(super) use read::{read_parts, read_run};
pub use stream::Stream;
pub use write::write;

/// The process that the records of a file of states belong to.
pub(super) const STATE_PROCESS: &str = "state";
