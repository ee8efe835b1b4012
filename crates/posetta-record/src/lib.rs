//! Records runs of instrumented programs, with the order in which things happened, for Posetta.
//!
//! A [`Recorder`] takes events of [processes](Process) and writes them as JSON lines that `posetta check` reads. Events of
//! one process are ordered; a [`Stamp`] that travels with a message orders its sending before its receipt; [`Shared`]
//! variables and [`Lock`]s order what their uses order. Everything else stays unordered, and Posetta looks at every order
//! that it leaves open.
//!
//! ```
//! use posetta_record::Recorder;
//!
//! let recorder = Recorder::in_memory();
//! let (client, server) = (recorder.process("client"), recorder.process("server"));
//!
//! let request = client.send("request").set("asked", 1).stamp();
//! // … the request travels, and the stamp with it …
//! server.receive(&request, "request").set("served", 1).attr("from", "client").record();
//!
//! assert_eq!(
//!     recorder.take_text(),
//!     r#"{"posetta":1}
//! {"process":"client","name":"request","set":{"asked":1}}
//! {"process":"server","name":"request","set":{"served":1},"attrs":{"from":"client"},"after":["client.1"]}
//! "#
//! );
//! ```
//!
//! Every process keeps a vector clock. It is not written: a line names only those direct causes that the process did not
//! know of already, so a line does not grow with the number of processes. Start reading at `process.rs`.
//!
//! Recording never panics and never fails in the middle of the program under test: what goes wrong is kept and told by
//! [`Recorder::finish`].

mod event;
mod lock;
mod output;
mod problem;
mod process;
mod recorder;
mod registry;
mod shared;
mod stamp;
#[cfg(feature = "tracing")]
pub mod tracing;
mod value;

use std::sync::{LockResult, PoisonError};

pub use event::Event;
pub use lock::{Lock, LockGuard};
pub use problem::{Incomplete, Problem};
pub use process::Process;
pub use recorder::{Builder, Dependencies, Recorder};
pub use shared::Shared;
pub use stamp::{ParseStampError, Stamp};
pub use value::{ToValue, Value};

/// How many processes a run can have here.
const MAX_PROCESSES: usize = 1 << 20;

/// What a lock guards, even after a panic of another thread: a panic of the program under test must not spread through
/// its recorder, whose own data is whole between any two lines of code that can panic.
fn unpoisoned<T>(locked: LockResult<T>) -> T {
    locked.unwrap_or_else(PoisonError::into_inner)
}
