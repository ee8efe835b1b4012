//! A stream, read as a run that is not over: what is known of a property after every record (Pnueli and Zaks 2006, section 10).
//!
//! A [`Monitor`] is one property for any number of streams; an [`Instance`] is one stream: where the [machine](posetta_compile::Machine) is,
//! and the values that the property reads. A stream of state records starts with its first record, one of event records with the declared
//! values ([`Stream`]), so that a monitor and `check` agree on the same file.
//!
//! A [`Watcher`] is the question about a stream: properties are given once, then it is fed records, of one stream or of one for each key, and
//! says what has changed. It can be saved as bytes and restored ([`Checkpoint`]). Start there.

mod again;
mod checkpoint;
mod monitor;
mod names;
mod notice;
mod restore;
mod streams;
#[cfg(test)]
mod tests;
mod types;
mod watcher;

pub use checkpoint::{Bookmark, Checkpoint, Difference, Refusal};
pub use monitor::{Instance, Monitor, Record, Stream};
pub use notice::{Answered, AtEnd, Counts, Notice, State, Tally};
pub use posetta_compile::{Answers, Completions, Prospect};
pub use restore::{Restored, Source};
pub use streams::{PropertyId, StreamId};
pub use watcher::{Options, Watcher};
