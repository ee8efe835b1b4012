//! How this program's streams are drawn: what the flags and the environment say about colours, characters and columns.

use std::ffi::OsStr;
use std::io::IsTerminal;
use std::sync::OnceLock;

use clap::ValueEnum;
use posetta_tell::page::fit;
pub use posetta_tell::{Paint, clean, short};
use terminal_size::{Width, terminal_size_of};

use crate::args::{ColorWhen, ProgressWhen, TerminalArgs};

/// Columns where there is no terminal.
const USUAL: usize = 80;
/// Narrower lines break everything that is drawn.
const NARROWEST: usize = 40;
/// Help that is wider than this is hard to read.
const WIDEST_HELP: usize = 100;

static WISHES: OnceLock<TerminalArgs> = OnceLock::new();

/// Takes what the command line says.
pub fn set(wishes: TerminalArgs) {
    let _ = WISHES.set(wishes);
}

/// Whether nothing is said but what must be.
pub fn is_quiet() -> bool {
    WISHES.get().is_some_and(|wishes| wishes.quiet)
}

/// Whether standard error is for programs.
pub fn tells_programs() -> bool {
    WISHES.get().is_some_and(|wishes| wishes.progress == ProgressWhen::Json)
}

/// For standard output.
pub fn stdout() -> Paint {
    let stdout = std::io::stdout();
    paint(stdout.is_terminal(), terminal_size_of(&stdout).map(|(Width(width), _)| width))
}

/// The same for standard error.
pub fn stderr() -> Paint {
    let stderr = std::io::stderr();
    paint(stderr.is_terminal(), terminal_size_of(&stderr).map(|(Width(width), _)| width))
}

/// For a file: only the width is that of a terminal.
pub fn file() -> Paint {
    Paint { colours: false, ..stdout() }
}

/// For a report in a file, or for programs that show it: as wide as where there is no terminal, and whole.
pub fn document() -> Paint {
    Paint { colours: false, ascii: WISHES.get().is_some_and(|wishes| wishes.ascii), width: USUAL, quiet: false }
}

fn paint(is_terminal: bool, terminal: Option<u16>) -> Paint {
    let wishes = WISHES.get();
    let environment = |name: &str| std::env::var_os(name);
    let colours = match wishes.map_or(ColorWhen::Auto, |wishes| wishes.color) {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => wanted(
            is_terminal,
            environment("NO_COLOR").as_deref(),
            environment("CLICOLOR_FORCE").as_deref(),
            environment("TERM").as_deref(),
        ),
    };
    let said = environment("COLUMNS").and_then(|columns| columns.into_string().ok());
    let ascii = wishes.is_some_and(|wishes| wishes.ascii);
    Paint { colours, ascii, width: columns(said.as_deref(), terminal), quiet: is_quiet() }
}

/// What the environment wishes: `NO_COLOR` (set and not empty) turns colours off, `CLICOLOR_FORCE` (set and not 0) turns them on,
/// and a terminal has them unless it is dumb.
fn wanted(is_terminal: bool, no: Option<&OsStr>, force: Option<&OsStr>, term: Option<&OsStr>) -> bool {
    let is_set = |value: Option<&OsStr>| value.is_some_and(|v| !v.is_empty());
    match () {
        () if is_set(no) => false,
        () if is_set(force) && force != Some(OsStr::new("0")) => true,
        () => is_terminal && term != Some(OsStr::new("dumb")),
    }
}

/// What `COLUMNS` says if it is a number, else the terminal's own width, else what everybody has.
fn columns(said: Option<&str>, terminal: Option<u16>) -> usize {
    let said = said.and_then(|text| text.trim().parse::<u16>().ok()).filter(|&columns| columns > 0);
    said.or(terminal.filter(|&columns| columns > 0)).map_or(USUAL, usize::from).max(NARROWEST)
}

/// How wide help is, and whether it has colours.
pub fn of_help(command: clap::Command) -> clap::Command {
    let choice = match said_about_colours() {
        Some(ColorWhen::Always) => clap::ColorChoice::Always,
        Some(ColorWhen::Never) => clap::ColorChoice::Never,
        Some(ColorWhen::Auto) | None => clap::ColorChoice::Auto,
    };
    command.color(choice).term_width(stdout().width.min(WIDEST_HELP))
}

/// A mistake in the arguments, for standard error.
pub fn usage(error: &clap::Error) -> String {
    let paint = stderr();
    let colours = match said_about_colours() {
        Some(ColorWhen::Always) => true,
        Some(ColorWhen::Never) => false,
        Some(ColorWhen::Auto) | None => paint.colours,
    };
    let text = error.render();
    fit(if colours { text.ansi().to_string() } else { text.to_string() }, paint.width)
}

/// What `--color` says where nothing has been parsed: the arguments are only looked through.
fn said_about_colours() -> Option<ColorWhen> {
    let mut color = None;
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--") => break,
            Some("--color") => color = arguments.next().and_then(|when| when.into_string().ok()),
            Some(argument) => color = argument.strip_prefix("--color=").map(str::to_owned).or(color),
            None => {}
        }
    }
    color.and_then(|when| ColorWhen::from_str(&when, false).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals_unless_the_environment_says_otherwise() {
        let os = |text: &'static str| Some(OsStr::new(text));
        for (is_terminal, no, force, term, expected) in [
            (true, None, None, os("xterm"), true),
            (true, None, None, None, true),
            (false, None, None, os("xterm"), false),
            (true, None, None, os("dumb"), false),
            (true, os("1"), None, os("xterm"), false),
            (true, os(""), None, os("xterm"), true),
            (false, None, os("1"), os("dumb"), true),
            (false, None, os("0"), None, false),
            (false, None, os(""), None, false),
            (false, os("1"), os("1"), None, false),
        ] {
            assert_eq!(wanted(is_terminal, no, force, term), expected, "{no:?} {force:?} {term:?}");
        }
    }

    #[test]
    fn there_are_enough_columns() {
        for (said, terminal, expected) in [
            (None, None, 80),
            (None, Some(132), 132),
            (None, Some(0), 80),
            (None, Some(20), 40),
            (Some("60"), Some(132), 60),
            (Some("12"), None, 40),
            (Some("0"), Some(100), 100),
            (Some("wide"), None, 80),
            (Some("-3"), None, 80),
        ] {
            assert_eq!(columns(said, terminal), expected, "{said:?} {terminal:?}");
        }
    }
}
