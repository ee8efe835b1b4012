//! How this program's streams are drawn.

use std::io::IsTerminal;

pub use posetta::base::unsafe_to_show;
pub use posetta_tell::{Paint, clean, short};

/// For standard output: colours only on a terminal, and not against the user's wish.
pub fn stdout() -> Paint {
    Paint { colours: std::io::stdout().is_terminal() && wanted(), ..Paint::plain() }
}

/// The same for standard error.
pub fn stderr() -> Paint {
    Paint { colours: std::io::stderr().is_terminal() && wanted(), ..Paint::plain() }
}

/// `NO_COLOR` (set and not empty) and `TERM=dumb` turn colours off.
fn wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()) && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
}
