//! What `posetta test` and `posetta collect` take.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, Args, value_parser};
use posetta_receive::{LARGEST_BODY, Limits};

use super::{CheckArgs, DoorArgs};
use crate::amounts;

/// So many connections, if nothing is said: every process of a test may have one.
const CONNECTIONS: usize = 256;

/// What a receiver may be sent.
#[derive(Clone, Debug, Args)]
pub struct ReceiveArgs {
    /// The largest export, packed and unpacked; 16 times as much may be under way at a time
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "16MiB",
        value_parser = body,
        hide_short_help = true,
        help_heading = "Limits"
    )]
    pub max_body: usize,

    /// The most that is written to the file
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "2GiB",
        value_parser = amounts::size,
        hide_short_help = true,
        help_heading = "Limits"
    )]
    pub max_total: u64,

    #[command(flatten)]
    pub door: DoorArgs,
}

impl ReceiveArgs {
    pub fn limits(&self) -> Limits {
        Limits {
            body: self.max_body,
            connections: self.door.connections(CONNECTIONS),
            total: self.max_total,
            patience: self.door.client_timeout,
        }
    }
}

fn body(text: &str) -> Result<usize, String> {
    let size = amounts::size(text)?;
    let fits = usize::try_from(size).ok().filter(|size| (1..=LARGEST_BODY).contains(size));
    fits.ok_or_else(|| format!("expected at least 1 byte and at most {} MiB", LARGEST_BODY >> 20))
}

#[derive(Debug, Args)]
#[command(
    // Whoever forgets the -- finds out what is missing.
    mut_arg("runs", |_| Arg::new("runs").num_args(0..).hide(true).value_parser(value_parser!(PathBuf))),
    mut_arg("follow", |arg| arg.hide(true).conflicts_with("command")),
    mut_arg("shard", |arg| arg.hide(true).conflicts_with("command")),
    mut_arg("cache", |arg| arg.hide(true).conflicts_with("command")),
    mut_arg("baseline", |arg| arg.hide(true).conflicts_with("command")),
    mut_arg("update_baseline", |arg| arg.hide(true).conflicts_with("command")),
    mut_arg("from", |arg| arg.hide(true).conflicts_with("command")),
    mut_arg("regex", |arg| arg.hide(true).conflicts_with("command")),
    mut_arg("delimiter", |arg| arg.hide(true).conflicts_with("command")),
    mut_arg("set", |arg| arg.hide(true).conflicts_with("command")),
    mut_arg("map", |arg| arg.hide(true).conflicts_with("command")),
    mut_arg("clock", |arg| arg.hide(true).conflicts_with("command")),
    mut_arg("edge", |arg| arg.hide(true)),
    mut_arg("sample", |arg| arg.hide(true)),
    mut_arg("unknown", |arg| arg.hide(true).conflicts_with("command")),
    mut_arg("join", |arg| arg.help("Read all traces as one run")),
    // What is changed goes to the end, where this has to be.
    mut_arg("command", |arg| arg),
    override_usage = "posetta test [OPTIONS] -- <COMMAND>...",
    after_long_help = "\
Examples:
  posetta test --spec checks.props -- pytest
  posetta test --spec checks.props --save spans -- npm test
  posetta check spans/spans.otlp --spec checks.props

The command runs with OTEL_EXPORTER_OTLP_ENDPOINT and its relatives set, so that \
OpenTelemetry SDKs in it, and in what it starts, export to a receiver on this \
machine. When it has ended, every trace that came is checked as by `posetta check`.

Exit status:
  that of the command, if it failed (128 and the number of the signal that ended \
it); else
  0  every property holds
  1  some property is violated
  2  bad usage; no span was received, or one was lost; a warning that --deny names
  3  none is violated, but a limit was reached before some answer was known"
)]
pub struct TestArgs {
    #[command(flatten)]
    pub check: CheckArgs,

    /// What to run, behind --
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,

    /// Keep what was received in this directory, as spans.otlp, which `check` reads. A file of that name is replaced
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub save: Option<PathBuf>,

    /// How long to wait for exports after the command has ended. It ends earlier when nothing more comes
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = amounts::duration, help_heading = "Limits")]
    pub drain: Duration,

    #[command(flatten)]
    pub receive: ReceiveArgs,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  posetta collect spans
  posetta collect spans --for 30s --listen 127.0.0.1:0
  posetta check spans/spans.otlp --spec checks.props

Receives OTLP over HTTP (protocol buffers or JSON) and over gRPC on one port. An \
interruption (Ctrl-C) ends it in order. Metrics and logs are accepted and let go.

Exit status:
  0  every span that was sent is in the file
  2  bad usage; no span was received, or one was lost")]
pub struct CollectArgs {
    /// The directory that gets the file spans.otlp. It may not have one yet
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// Where to receive; port 0 is one that is free
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4318", help_heading = "Input")]
    pub listen: std::net::SocketAddr,

    /// Let other machines send, too: --listen may be an address that they can reach. Nothing is encrypted, and whoever
    /// reaches it can send
    #[arg(long, help_heading = "Input")]
    pub remote: bool,

    /// End after this long (30s, 5m)
    #[arg(long = "for", value_name = "TIME", value_parser = amounts::duration, help_heading = "Limits")]
    pub period: Option<Duration>,

    #[command(flatten)]
    pub receive: ReceiveArgs,
}
