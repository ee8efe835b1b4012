//! What every command takes about the terminal.

use clap::{Args, ValueEnum};

/// How the program talks to whoever sits at the terminal.
#[derive(Clone, Copy, Debug, Args)]
pub struct TerminalArgs {
    /// When to use colours
    ///
    /// `auto` means on a terminal, unless NO_COLOR is set or TERM is `dumb`; CLICOLOR_FORCE means everywhere.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN", help_heading = "Output")]
    pub color: ColorWhen,

    /// Draw with ASCII characters only
    ///
    /// What is quoted from the input stays as it is.
    #[arg(long, global = true, help_heading = "Output")]
    pub ascii: bool,

    /// Print only errors, what does not hold, and the summary
    ///
    /// There is no progress, no warning and no note. The exit status is the same.
    #[arg(short, long, global = true, help_heading = "Output")]
    pub quiet: bool,

    /// How to show progress on standard error
    ///
    /// `json` is for programs that start this one: every line there is a JSON object then, also mistakes and notes, and
    /// each verdict has a line as soon as it is known.
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "FORMAT",
        hide_short_help = true,
        help_heading = "Output"
    )]
    pub progress: ProgressWhen,
}

/// How progress is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProgressWhen {
    /// for people, on a terminal
    #[default]
    Auto,
    /// as lines of JSON
    Json,
}

/// When there are colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// on a terminal, as the environment wishes
    #[default]
    Auto,
    /// always
    Always,
    /// never
    Never,
}
