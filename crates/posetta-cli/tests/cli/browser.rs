//! The front end: its types, its logic, and what a person sees in a browser. All of it is written for Node's own test runner, in `web`.

use std::path::{Path, PathBuf};
use std::process::Command;

use posetta_peers as peers;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project")
}

/// Runs a script of Node, and shows what it wrote if it fails.
fn node(args: &[&Path], variables: &[(&str, &Path)]) {
    let mut command = Command::new("node");
    command.current_dir(root()).args(args).envs(variables.iter().copied());
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let [told, failed] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(output.status.success(), "{command:?}:\n{told}\n{failed}");
}

#[test]
fn the_types_are_right() {
    let Some(modules) = peers::node_modules() else { return };
    let types = modules.join("@types");
    let compiler = modules.join("typescript/bin/tsc");
    node(&[&compiler, Path::new("-p"), Path::new("web"), Path::new("--typeRoots"), &types], &[]);
}

#[test]
fn the_logic_is_right() {
    if peers::node().is_some() {
        node(&[Path::new("--test"), Path::new("web/test/")], &[]);
    }
}

/// All that a person sees, in one browser: starting it takes longer than most of what is done with it. Pages are slow, so this module
/// has a name among the first.
#[test]
fn pages_in_a_browser() {
    let (Some(modules), Some(chromium)) = (peers::node_modules(), peers::chromium()) else { return };
    let program = Path::new(env!("CARGO_BIN_EXE_posetta"));
    let variables =
        [("POSETTA_NODE_MODULES", &*modules), ("POSETTA_CHROMIUM", &*chromium), ("POSETTA_PROGRAM", program)];
    node(&[Path::new("--test"), Path::new("web/e2e/all.test.js")], &variables);
}
