//! What `init` takes.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::MemoryArgs;
use crate::amounts;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  posetta init
  posetta init traces/ --dry-run
  posetta init spans.json --output checks/

It recognises the formats of the files by their content. For JSON objects and tables \
of an unknown shape it guesses which field is the process, the name, the time and a \
message, and writes map.toml, with its reasons. It writes checks.props: properties \
that the runs suggest, each with what it answered on them. It replaces no file unless \
--force says so.

Exit status:
  0  there are runs, and the files are written, or shown with --dry-run
  2  there is no run, a file is in the way, or bad usage
  3  a limit was reached first; nothing is written")]
pub struct InitArgs {
    /// What to look at: directories, or files such as an export of spans
    #[arg(value_name = "PATH", default_value = ".")]
    pub paths: Vec<PathBuf>,

    /// The directory for checks.props and map.toml [default: the current one]
    #[arg(short, long, value_name = "DIR", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Replace checks.props and map.toml if they are there
    #[arg(long, help_heading = "Output")]
    pub force: bool,

    /// Write nothing, and print what would be written
    #[arg(long, help_heading = "Output", conflicts_with = "force")]
    pub dry_run: bool,

    /// Print the report as JSON, with the texts of both files
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Stop after this long (500ms, 5s, 2m)
    #[arg(long, value_name = "TIME", value_parser = amounts::duration, help_heading = "Limits")]
    pub timeout: Option<Duration>,

    #[command(flatten)]
    pub memory: MemoryArgs,
}
