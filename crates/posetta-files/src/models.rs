//! From a file to a system of components.
//!
//! What a file holds is told by its content where that is plain, else by its extension: [`Kind::of`]. [`parse`] reads a text that is known to
//! be of a kind, [`read_system`] does all of it.

use std::path::Path;

use posetta_base::{Diagnostic, Kind as Mistake, Mistakes};
use posetta_model::system::System;
use posetta_model::{aut, pnml, sys};
use posetta_tell::Problem;

use crate::root::{Root, RootArgs};
use crate::runs::extension;
use crate::text::{quoted, text};

/// What a system is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Posetta's own language.
    Sys,
    /// One transition system, in Aldébaran's format.
    Aut,
    /// One Petri net, in PNML.
    Pnml,
}

impl Kind {
    /// What a text is written in; `None` if it is no system. The path is `-` for standard input.
    pub fn of(path: &Path, text: &str) -> Option<Self> {
        let start = text.trim_start_matches('\u{feff}').trim_start();
        if start.starts_with('<') {
            return Some(Self::Pnml);
        }
        if start.strip_prefix("des").is_some_and(|rest| rest.trim_start().starts_with('(')) {
            return Some(Self::Aut);
        }
        match extension(path).map(str::to_ascii_lowercase).as_deref() {
            Some("sys") => Some(Self::Sys),
            Some("aut") => Some(Self::Aut),
            Some("pnml" | "xml") => Some(Self::Pnml),
            _ if path.as_os_str() == "-" => begins_a_system(start).then_some(Self::Sys),
            _ => None,
        }
    }
}

/// Whether the first word after comments is one that system files begin with.
fn begins_a_system(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with("//"));
    let word = lines.next().and_then(|line| line.split(|c: char| !c.is_alphanumeric()).next());
    matches!(word, Some("component" | "system" | "const"))
}

/// Reads a system. `wanted` is the one that is meant, of a file that may have several, and the flag that says so.
pub fn read_system(path: &Path, wanted: Option<(&str, &str)>, roots: &RootArgs) -> Result<System, Vec<Problem>> {
    let file = path.display().to_string();
    let text = text(path).map_err(|d| vec![Problem::in_text(&file, d)])?;
    let Some(kind) = Kind::of(path, &text) else {
        let name = quoted(&file);
        let diagnostic =
            Diagnostic::of_input(Mistake::Input, format!("{name} does not look like a system of components"));
        let help = "systems are read from files that end in .sys, .aut or .pnml";
        return Err(vec![Problem::in_text(&file, diagnostic.help(help))]);
    };
    parse(kind, path, &text, wanted, roots)
}

/// Reads a system from its text. What it imports is looked for beside it.
pub fn parse(
    kind: Kind,
    path: &Path,
    text: &str,
    wanted: Option<(&str, &str)>,
    roots: &RootArgs,
) -> Result<System, Vec<Problem>> {
    let file = path.display().to_string();
    if let (Some((name, flag)), Kind::Aut | Kind::Pnml) = (wanted, kind) {
        let message = format!("there is no choice of systems in `{file}`, so `{name}` means nothing");
        let diagnostic = Diagnostic::new(Mistake::Input, message).help(format!("{flag} is for files in .sys"));
        return Err(vec![Problem::in_text(flag, diagnostic)]);
    }
    let in_file = |all: Mistakes| all.into_iter().map(|d| Problem::in_text(&file, d)).collect();
    match kind {
        Kind::Sys => {
            let mut root = Root::of(roots, path);
            sys::read(&file, text, wanted.map(|w| w.0), &mut |from, asked| root.load(from, asked))
                .map_err(|all| all.into_iter().map(|m| Problem::in_text(&m.file, m.diagnostic)).collect())
        }
        Kind::Aut => {
            let stem = path.file_stem().map_or_else(|| "system".to_owned(), |s| s.to_string_lossy().into_owned());
            let name = if file == "-" { "system" } else { &stem };
            aut::read(name, text).map_err(in_file)
        }
        Kind::Pnml => pnml::read(text).map_err(in_file),
    }
}
