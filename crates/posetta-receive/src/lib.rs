//! A receiver of spans: what OpenTelemetry SDKs and collectors export by OTLP, over HTTP (protocol buffers or JSON) and gRPC, on one
//! port.
//!
//! Every export of traces is unpacked, read by the same reader that reads files, and written to one output as a message with its length
//! before it: the file is one that `posetta_formats` reads as [`OtlpProto`](posetta_formats::Format::OtlpProto). An export is kept as a
//! whole or refused as a whole, so nothing is ever half there; a partial success, with which OTLP tells that some spans of an export were
//! dropped, has nothing to say. Metrics and logs are accepted and let go.
//!
//! Whoever sends is not trusted: [`Limits`] hold for sizes, connections and time, nothing that is sent names a file, and what was
//! refused is counted ([`Counts`]) so that nobody takes what is left for everything.
//!
//! This crate has a network and a clock, and so is no room of the library. Start at [`Receiver::start`]; [`server`] has what
//! is counted, [`http`] and [`grpc`] the two protocols, [`export`] what happens to a body.

mod counts;
mod export;
mod grpc;
mod http;
mod json;
mod server;
mod wire;

pub use counts::{Counts, Refusal};
pub use server::Receiver;

use std::time::Duration;

/// No message can be longer: its length stands before it in the file.
pub const LARGEST_BODY: usize = 128 << 20;

/// So many bodies of the largest size may be held at a time, as they come.
pub const BODIES: usize = 16;

/// What whoever sends may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How large a body may be, packed and unpacked; at most [`LARGEST_BODY`]. [`BODIES`] times as much may be held in all.
    pub body: usize,
    /// How many connections may be open. Others wait.
    pub connections: usize,
    /// How much is written.
    pub total: u64,
    /// How long somebody may take to send a request.
    pub patience: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { body: 16 << 20, connections: 256, total: 2 << 30, patience: Duration::from_secs(10) }
    }
}
