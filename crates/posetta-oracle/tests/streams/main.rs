//! Streams and runs while they happen, against the definitions.

mod feed;
mod monitor;
mod monitors;
mod online;
