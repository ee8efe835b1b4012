//! `posetta man DIR`: a manual page for the program, and one for each command.

use std::io;
use std::path::Path;

use clap::CommandFactory;
use posetta_base::{Diagnostic, Kind};

use crate::args::Cli;
use crate::problem::{Problem, system_error};
use crate::{carets, files, output, paint};

/// Writes the pages, and answers with the exit status.
pub fn run(directory: &Path) -> u8 {
    let Err((path, error)) = write(directory) else { return 0 };
    let message = format!("cannot write `{path}`: {}", system_error(&error));
    let problem = Problem::in_text(&path, Diagnostic::of_input(Kind::Input, message));
    output::note(&carets::error(&problem, paint::stderr()));
    2
}

fn write(directory: &Path) -> Result<(), (String, io::Error)> {
    let mut program = Cli::command();
    program.build();
    let named = |path: &Path, error| (path.display().to_string(), error);
    std::fs::create_dir_all(directory).map_err(|e| named(directory, e))?;
    let shown = program.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help");
    let commands: Vec<clap::Command> = shown.cloned().collect();
    for command in std::iter::once(&program).chain(&commands) {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
        let path = directory.join(format!("{name}.1"));
        let mut page = Vec::new();
        clap_mangen::Man::new(command.clone()).render(&mut page).map_err(|e| named(&path, e))?;
        files::write(&path, &String::from_utf8_lossy(&page)).map_err(|e| named(&path, e))?;
    }
    Ok(())
}
