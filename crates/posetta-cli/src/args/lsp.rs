//! What `lsp` takes.

use std::path::PathBuf;

use clap::Args;

use crate::root::RootArgs;

#[derive(Debug, Args)]
#[command(after_long_help = "\
An editor starts it, and speaks the Language Server Protocol with it on standard \
input and output: docs/editors.md shows how VS Code and Neovim do. It reads only \
the files that the editor names, what these import, and the run.

The names of a run are offered as completions, and names that it does not have are \
reported. A property file says which run by a comment at its top:

  // run: race.trace

Exit status:
  0  the editor said `shutdown` and `exit`
  1  it said `exit` or left without `shutdown`
  2  what came is no message, or bad usage")]
pub struct LspArgs {
    /// A run whose names properties are about, for files that name none
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub run: Option<PathBuf>,

    #[command(flatten)]
    pub root: RootArgs,

    /// For editors that say how they speak: on standard input and output, as always
    #[arg(long, hide = true)]
    pub stdio: bool,
}
