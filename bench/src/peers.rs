//! Other tools that do one of Posetta's jobs: where they are looked for, and which of them are here.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A tool to compare with.
pub struct Peer {
    /// Its name.
    pub name: &'static str,
    /// What it is compared on.
    pub job: &'static str,
    /// Names the executable, or the directory of a library or script.
    pub variable: &'static str,
    /// How it is found without the variable.
    pub place: Place,
    /// How to get it.
    pub install: &'static str,
}

/// Where a tool is when nobody says.
pub enum Place {
    /// One of these programs in `PATH`; called with these arguments it says its version.
    Program(&'static [&'static str], &'static [&'static str]),
    /// A header in the usual directories; the tool is a library.
    Header(&'static str),
    /// Nowhere: it is a checkout.
    Checkout(&'static str),
}

/// The model checker that answers about cuts and models.
pub const NUSMV: &str = "NuSMV";

/// Every tool that a target names.
pub const PEERS: [Peer; 6] = [
    Peer {
        name: NUSMV,
        job: "CTL on cuts, and models",
        variable: "POSETTA_BENCH_NUSMV",
        place: Place::Program(&["NuSMV", "nusmv", "NuSMVa_linux64"], &["-h"]),
        install: "its own page, or inside the Python package pyboolnet; see docs/bench.md",
    },
    Peer {
        name: "SPIN",
        job: "models of systems",
        variable: "POSETTA_BENCH_SPIN",
        place: Place::Program(&["spin"], &["-V"]),
        install: "Debian package spin, and gcc for its verifiers",
    },
    Peer {
        name: "MONA",
        job: "M2L",
        variable: "POSETTA_BENCH_MONA",
        place: Place::Program(&["mona"], &[]),
        install: "Debian package mona",
    },
    Peer {
        name: "BuDDy",
        job: "decision diagrams",
        variable: "POSETTA_BENCH_BUDDY",
        place: Place::Header("bdd.h"),
        install: "Debian package libbdd-dev",
    },
    Peer {
        name: "PROVE",
        job: "past LTL on vector clocks",
        variable: "POSETTA_BENCH_PROVE",
        place: Place::Checkout("a checkout of the Python tool"),
        install: "its repository; it is in no registry",
    },
    Peer {
        name: "PoET",
        job: "past LTL on vector clocks",
        variable: "POSETTA_BENCH_POET",
        place: Place::Checkout("a checkout of the Python tool"),
        install: "its repository; it is in no registry",
    },
];

/// Whether a tool is here.
pub struct Found {
    /// Which one.
    pub peer: &'static Peer,
    /// Its path and what it says its version is, or where it was looked for in vain.
    pub found: Result<(PathBuf, String), String>,
}

/// Looks for every tool. `nusmv` is where the user says that NuSMV is.
pub fn look(nusmv: Option<&Path>) -> Vec<Found> {
    let given = |peer: &Peer| nusmv.filter(|_| peer.name == NUSMV);
    PEERS.iter().map(|peer| Found { peer, found: find(peer, given(peer)) }).collect()
}

/// Looks for one tool: its path, or where it was looked for in vain. `given` is where the user says that it is.
pub fn look_for(name: &str, given: Option<&Path>) -> Result<PathBuf, String> {
    let peer = PEERS.iter().find(|p| p.name == name).ok_or_else(|| format!("unknown peer {name}"))?;
    find(peer, given).map(|(path, _)| path)
}

fn find(peer: &Peer, given: Option<&Path>) -> Result<(PathBuf, String), String> {
    let named = given.map(|path| (format!("--{}", peer.name.to_lowercase()), path.to_owned()));
    let named = named.or_else(|| env::var_os(peer.variable).map(|path| (peer.variable.to_owned(), path.into())));
    let path = match named {
        Some((who, path)) if !path.exists() => {
            return Err(format!("{who} names {}, which is not there", path.display()));
        }
        Some((_, path)) => path,
        None => by_itself(peer)?,
    };
    // Contenders run in a directory of their own.
    let path = std::path::absolute(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let version = match peer.place {
        Place::Program(_, args) => version(&path, args)?,
        Place::Header(_) | Place::Checkout(_) => "version unknown".to_owned(),
    };
    Ok((path, version))
}

/// The variable with the directories of shared libraries, and its value for a tool that may bring its own along: they lie beside it.
pub fn libraries(program: &Path) -> (&'static str, OsString) {
    const NAME: &str = "LD_LIBRARY_PATH";
    let beside = program.parent().map(Path::to_owned);
    let known = env::var_os(NAME).unwrap_or_default();
    let known = env::split_paths(&known).filter(|dir| !dir.as_os_str().is_empty());
    // A directory whose name has the separator cannot be in the list; the tool then says what it lacks.
    (NAME, env::join_paths(beside.into_iter().chain(known)).unwrap_or_default())
}

fn by_itself(peer: &Peer) -> Result<PathBuf, String> {
    match peer.place {
        Place::Program(names, _) => {
            let dirs: Vec<PathBuf> = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect();
            let found = names.iter().flat_map(|n| dirs.iter().map(move |d| d.join(n))).find(|p| p.is_file());
            found.ok_or_else(|| format!("no {} in PATH, and {} is not set", names.join(" or "), peer.variable))
        }
        Place::Header(name) => {
            let found = ["/usr/include", "/usr/local/include"].map(|d| Path::new(d).join(name));
            let found = found.into_iter().find(|p| p.is_file());
            found.ok_or_else(|| format!("no {name} in the usual directories, and {} is not set", peer.variable))
        }
        Place::Checkout(what) => Err(format!("{} is not set: it names {what}", peer.variable)),
    }
}

/// What the system's loader leaves behind when a shared library is lacking, and what it says about one that is too new.
const NOT_LOADED: i32 = 127;
const TOO_NEW: &str = "not found (required by";

/// The first line with a digit of what it prints; why not, if it does not start.
fn version(path: &Path, args: &[&str]) -> Result<String, String> {
    let (name, value) = libraries(path);
    let output = Command::new(path).args(args).env(name, value).stdin(std::process::Stdio::null()).output();
    let output = output.map_err(|e| format!("{} does not start: {e}", path.display()))?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    if output.status.code() == Some(NOT_LOADED) || (!output.status.success() && text.contains(TOO_NEW)) {
        return Err(format!("it does not start: {}", text.lines().next().unwrap_or_default()));
    }
    let line = text.lines().find(|l| l.bytes().any(|b| b.is_ascii_digit())).unwrap_or("version unknown");
    Ok(line.trim().chars().take(60).collect())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_cannot_be_loaded_is_absent_and_one_that_is_named_is_found() {
        let dir = tempfile::TempDir::new().expect("a directory");
        let script = |name: &str, text: &str| {
            use std::os::unix::fs::PermissionsExt;
            let path = dir.path().join(name);
            std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("writable");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("its own file");
            path
        };
        let lacks = script("lacks", "echo 'libold.so.5: cannot open' >&2; exit 127");
        assert_eq!(look_for(NUSMV, Some(&lacks)), Err("it does not start: libold.so.5: cannot open".to_owned()));
        let other = script("other", "echo 'libold.so.5: version OLD not found (required by x)' >&2; exit 1");
        assert!(look_for(NUSMV, Some(&other)).is_err_and(|e| e.starts_with("it does not start: libold.so.5: version")));
        let beside = dir.path().display().to_string();
        let sees = script("sees", &format!("case $LD_LIBRARY_PATH in {beside}*) echo version 2;; *) exit 127;; esac"));
        assert_eq!(look_for(NUSMV, Some(&sees)), Ok(sees.clone()));
        let found = look(Some(&sees)).into_iter().find(|f| f.peer.name == NUSMV).map(|f| f.found);
        assert_eq!(found, Some(Ok((sees, "version 2".to_owned()))));
        let nowhere = look_for(NUSMV, Some(Path::new("/nowhere/NuSMV")));
        assert_eq!(nowhere, Err("--nusmv names /nowhere/NuSMV, which is not there".to_owned()));
    }
}
