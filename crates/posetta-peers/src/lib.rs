//! Programs and files of others that tests compare with.
//!
//! A test that lacks its peer is skipped, and says so past the capture of the test harness. Where `POSETTA_PEERS=required` is set, as
//! it is where changes are checked (`tools/test`), a missing peer is a failure: a comparison that nobody made is no comparison.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where Debian's package puts the files that MONA comes with.
const MONA_EXAMPLES: &str = "/usr/share/doc/mona/examples/Examples";

/// The program `mona`, which decides formulas of M2L.
///
/// # Panics
/// When it is not there and peers are required.
#[must_use]
pub fn mona() -> Option<PathBuf> {
    let started =
        Command::new("mona").arg("-h").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    present(started.is_ok().then(|| "mona".into()), "the program `mona`")
}

/// The files that MONA comes with.
///
/// # Panics
/// When they are not there and peers are required.
#[must_use]
pub fn mona_examples() -> Option<PathBuf> {
    let folder = PathBuf::from(MONA_EXAMPLES);
    present(folder.is_dir().then_some(folder), MONA_EXAMPLES)
}

/// The program NuSMV, which checks models written in SMV: the one that `POSETTA_NUSMV` names.
///
/// # Panics
/// When it is not there and peers are required.
#[must_use]
pub fn nusmv() -> Option<PathBuf> {
    let named = std::env::var_os("POSETTA_NUSMV").map(PathBuf::from);
    present(named.filter(|path| path.is_file()), "a program NuSMV that POSETTA_NUSMV names")
}

/// A Python with the OpenTelemetry SDK: the one that `POSETTA_PYTHON` names.
///
/// # Panics
/// When it is not there and peers are required.
#[must_use]
pub fn python() -> Option<PathBuf> {
    let named = std::env::var_os("POSETTA_PYTHON").map(PathBuf::from);
    present(named.filter(|path| path.is_file()), "a Python with packages of tools/peers that POSETTA_PYTHON names")
}

/// Packages for Node, the OpenTelemetry SDK, Quint and what drives a browser among them: the folder that `POSETTA_NODE_MODULES` names.
///
/// # Panics
/// When it is not there and peers are required.
#[must_use]
pub fn node_modules() -> Option<PathBuf> {
    let named = std::env::var_os("POSETTA_NODE_MODULES").map(PathBuf::from);
    present(named.filter(|path| path.is_dir()), "packages of tools/peers for Node that POSETTA_NODE_MODULES names")
}

/// The program `node`, which runs the tests of the front end.
///
/// # Panics
/// When it is not there and peers are required.
#[must_use]
pub fn node() -> Option<PathBuf> {
    program("node", "the program `node`")
}

/// A browser: the Chromium that `POSETTA_CHROMIUM` names, else the one where Debian puts it.
///
/// # Panics
/// When it is not there and peers are required.
#[must_use]
pub fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os("POSETTA_CHROMIUM").map(PathBuf::from);
    let found = named.unwrap_or_else(|| PathBuf::from("/usr/bin/chromium"));
    present(found.is_file().then_some(found), "a Chromium, in /usr/bin or where POSETTA_CHROMIUM says,")
}

/// The program `shellcheck`, which looks for mistakes in shell scripts.
///
/// # Panics
/// When it is not there and peers are required.
#[must_use]
pub fn shellcheck() -> Option<PathBuf> {
    program("shellcheck", "the program `shellcheck`")
}

/// The program `g++`, which takes headers as C++ does.
///
/// # Panics
/// When it is not there and peers are required.
#[must_use]
pub fn cpp() -> Option<PathBuf> {
    program("g++", "the program `g++`")
}

/// The program `iverilog`, which simulates SystemVerilog (with its `vvp`).
///
/// # Panics
/// When it is not there and peers are required.
#[must_use]
pub fn iverilog() -> Option<PathBuf> {
    let started =
        Command::new("iverilog").arg("-V").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    present(started.is_ok().then(|| "iverilog".into()), "the program `iverilog`")
}

/// The program `ghdl`, which simulates VHDL.
///
/// # Panics
/// When it is not there and peers are required.
#[must_use]
pub fn ghdl() -> Option<PathBuf> {
    program("ghdl", "the program `ghdl`")
}

/// The program `cargo-deb`, which makes Debian packages. It is not required: building it takes longer than all that it checks.
#[must_use]
pub fn cargo_deb() -> Option<PathBuf> {
    let named = std::env::var_os("POSETTA_CARGO_DEB").map(PathBuf::from).filter(|path| path.is_file());
    let started = || Command::new("cargo-deb").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let found = named.or_else(|| started().is_ok_and(|status| status.success()).then(|| "cargo-deb".into()));
    if found.is_none() {
        say("SKIPPED: there is no cargo-deb (`cargo install cargo-deb`, or POSETTA_CARGO_DEB names it)");
    }
    found
}

fn program(name: &str, what: &str) -> Option<PathBuf> {
    let started =
        Command::new(name).arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    present(started.is_ok().then(|| name.into()), what)
}

/// Schemas that others publish, `junit-10.xsd` and `sarif-schema-2.1.0.json`: the folder that `POSETTA_SCHEMAS` names.
///
/// # Panics
/// When it is not there and peers are required.
#[must_use]
pub fn schemas() -> Option<PathBuf> {
    let named = std::env::var_os("POSETTA_SCHEMAS").map(PathBuf::from);
    present(named.filter(|path| path.is_dir()), "schemas of others that POSETTA_SCHEMAS names")
}

/// Files that others wrote, of this kind: in the folder that `POSETTA_SAMPLES` names, else beside the checkout. They are not part of
/// the project, so they are required only where somebody names a folder.
///
/// # Panics
/// When `POSETTA_SAMPLES` names a folder without them.
#[must_use]
pub fn samples(kind: &str) -> Option<PathBuf> {
    let named = std::env::var_os("POSETTA_SAMPLES").map(PathBuf::from);
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples");
    let folder = named.clone().unwrap_or_else(beside).join(kind);
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(named.is_none(), "POSETTA_SAMPLES names a folder without {}", folder.display());
    say(&format!("SKIPPED: there are no samples in {}", folder.display()));
    None
}

fn present(found: Option<PathBuf>, what: &str) -> Option<PathBuf> {
    if found.is_none() {
        let required = std::env::var_os("POSETTA_PEERS").is_some_and(|value| value == "required");
        assert!(!required, "{what} is not there, and POSETTA_PEERS requires it");
        say(&format!("SKIPPED: {what} is not there; tools/test installs what it can"));
    }
    found
}

/// Not by `eprintln!`, which the test harness keeps to itself when a test passes.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
