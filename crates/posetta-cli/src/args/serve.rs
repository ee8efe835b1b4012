//! What `posetta serve` takes.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::DoorArgs;
use crate::amounts;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  posetta serve examples
  posetta serve runs --listen 127.0.0.1:8017 --timeout 30s

Prints the address of a page, which shows the files of the folder: runs, properties \
and models. There you can write properties, check them, see what fails and why, and \
save that as a page of its own. Every check is a process of its own, within the \
limits. An interruption (Ctrl-C) ends the server and all checks.

Only the folder is read, and nothing in it is written. Who reaches the port of this \
machine can use the page; see --token. Nothing is encrypted.

Exit status:
  0  it was interrupted
  2  bad usage, or it cannot listen there")]
pub struct ServeArgs {
    /// The folder with the files
    #[arg(value_name = "DIR", default_value = ".")]
    pub directory: PathBuf,

    /// Where to listen; port 0 is one that is free. An address that other machines can reach always needs the token
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0", help_heading = "Input")]
    pub listen: SocketAddr,

    /// Let only those in who know a token, which is printed with the address: for machines that others use, too
    #[arg(long, help_heading = "Input")]
    pub token: bool,

    /// Stop a check after this long (5s, 2m); what is not decided by then is `unknown`. The page may ask for less
    #[arg(
        long,
        value_name = "TIME",
        default_value = "10m",
        value_parser = amounts::duration,
        help_heading = "Limits"
    )]
    pub timeout: Duration,

    /// Use at most this much memory for a check (500MB, 2GiB) [default: 80% of what is free, shared by all checks]
    #[arg(long, value_name = "SIZE", value_parser = amounts::size, help_heading = "Limits")]
    pub memory: Option<u64>,

    /// How many checks may run at a time; others wait
    #[arg(
        long,
        value_name = "N",
        default_value = "2",
        value_parser = amounts::at_least_one,
        hide_short_help = true,
        help_heading = "Limits"
    )]
    pub jobs: NonZeroUsize,

    /// The largest file that can be dropped on the page; 8 times as much is kept
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "64MiB",
        value_parser = amounts::size,
        hide_short_help = true,
        help_heading = "Limits"
    )]
    pub max_body: u64,

    #[command(flatten)]
    pub door: DoorArgs,
}
