//! The `posetta` program.
fn main() {}
