//! Streams and runs while they happen, against the definitions.

mod cuts;
mod feed;
mod monitor;
mod monitors;
mod online;
