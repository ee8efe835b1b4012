//! The library through its face, and the rules of its sources.

mod documents;
mod limits;
mod log_samples;
mod m2l_mona;
mod paper003;
mod rooms;
mod samples;
mod spans;
mod systems;
