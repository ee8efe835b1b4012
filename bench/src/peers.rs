//! Other tools that do one of Posetta's jobs: where they are looked for, and which of them are here.

use std::env;
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

/// Every tool that a target names.
pub const PEERS: [Peer; 6] = [
    Peer {
        name: "NuSMV",
        job: "CTL on cuts",
        variable: "POSETTA_BENCH_NUSMV",
        place: Place::Program(&["NuSMV", "nusmv", "NuSMVa_linux64"], &["-h"]),
        install: "its own page, or the binary inside the Python package pyboolnet",
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

/// Looks for every tool.
pub fn look() -> Vec<Found> {
    PEERS.iter().map(|peer| Found { peer, found: find(peer) }).collect()
}

fn find(peer: &Peer) -> Result<(PathBuf, String), String> {
    let path = match env::var_os(peer.variable) {
        Some(given) => {
            let path = PathBuf::from(given);
            if !path.exists() {
                return Err(format!("{} names {}, which is not there", peer.variable, path.display()));
            }
            path
        }
        None => by_itself(peer)?,
    };
    let version = match peer.place {
        Place::Program(_, args) => version(&path, args),
        Place::Header(_) | Place::Checkout(_) => "version unknown".to_owned(),
    };
    Ok((path, version))
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

/// The first line with a digit of what it prints.
fn version(path: &Path, args: &[&str]) -> String {
    let Ok(output) = Command::new(path).args(args).stdin(std::process::Stdio::null()).output() else {
        return "does not start".to_owned();
    };
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().find(|l| l.bytes().any(|b| b.is_ascii_digit())).unwrap_or("version unknown");
    line.trim().chars().take(60).collect()
}
