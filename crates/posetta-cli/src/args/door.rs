//! What the commands take that let others connect: `serve`, `test` and `collect`.

use std::num::NonZeroUsize;
use std::time::Duration;

use clap::Args;

use crate::amounts;

/// What whoever connects may take.
#[derive(Clone, Debug, Args)]
pub struct DoorArgs {
    /// The most connections at a time; others wait [default: 64 for `serve`, else 256]
    #[arg(long, value_name = "N", value_parser = amounts::at_least_one, hide_short_help = true, help_heading = "Limits")]
    pub max_connections: Option<NonZeroUsize>,

    /// How long somebody may take to send a request, 6 times as long for a dropped file, and to take the next piece of the answer
    #[arg(
        long,
        value_name = "TIME",
        default_value = "10s",
        value_parser = amounts::duration,
        hide_short_help = true,
        help_heading = "Limits"
    )]
    pub client_timeout: Duration,
}

impl DoorArgs {
    /// How many connections there may be, where nothing is said `usual`.
    pub fn connections(&self, usual: usize) -> usize {
        self.max_connections.map_or(usual, NonZeroUsize::get)
    }
}
