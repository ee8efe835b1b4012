//! Starts the tests in Python: the package, with the library as it was just built, in a folder that a Python finds.
//!
//! What is tested is what a wheel holds; `tools/wheel` makes one, and tries it in an environment of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where cargo puts what it builds: beside this test.
fn built() -> PathBuf {
    let test = std::env::current_exe().expect("this test is a program");
    test.parent().expect("it lies in a folder").to_owned()
}

/// A folder with the package, as an installation has it.
fn site() -> &'static Path {
    static SITE: OnceLock<PathBuf> = OnceLock::new();
    SITE.get_or_init(|| {
        let site = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-site");
        let _ = fs::remove_dir_all(&site);
        let (package, info) = (site.join("posetta"), site.join("posetta-0.1.0.dist-info"));
        fs::create_dir_all(&package).expect("a folder for the package");
        fs::create_dir_all(&info).expect("a folder for what is known of it");
        for entry in fs::read_dir(here().join("python/posetta")).expect("the package is there") {
            let path = entry.expect("the package is readable").path();
            if path.is_file() {
                fs::copy(&path, package.join(path.file_name().expect("a name"))).expect("a copy");
            }
        }
        let name = if cfg!(windows) { "_native.dll" } else { "lib_native.so" };
        let library = [name, "lib_native.dylib"].iter().map(|name| built().join(name)).find(|path| path.is_file());
        let library = library.unwrap_or_else(|| panic!("{name} is built beside {}", built().display()));
        let extension = if cfg!(windows) { "_native.pyd" } else { "_native.abi3.so" };
        fs::copy(library, package.join(extension)).expect("a copy");
        fs::write(info.join("METADATA"), "Metadata-Version: 2.1\nName: posetta\nVersion: 0.1.0\n").expect("written");
        let entry = "[pytest11]\nposetta = posetta.pytest_plugin\n";
        assert!(
            fs::read_to_string(here().join("pyproject.toml")).expect("the project").contains("posetta.pytest_plugin")
        );
        fs::write(info.join("entry_points.txt"), entry).expect("written");
        site
    })
}

/// Runs something in the folder of this crate; its output is shown if it fails.
fn passes(command: &mut Command) {
    let program = built().parent().expect("a folder of a profile").join("posetta");
    command.current_dir(here()).env("PYTHONPATH", site()).env("PYTHONDONTWRITEBYTECODE", "1");
    if program.is_file() {
        command.env("POSETTA_PROGRAM", program);
    }
    let done = command.output().expect("it can be started");
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{command:?}\n{out}\n{err}");
}

#[test]
fn the_tests_in_python_pass() {
    let Some(python) = posetta_peers::python() else { return };
    passes(Command::new(python).args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]));
}

#[test]
fn mypy_agrees_with_the_stubs() {
    let Some(python) = posetta_peers::python() else { return };
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mypy");
    passes(Command::new(python).args(["-m", "mypy", "--config-file", "pyproject.toml", "--cache-dir"]).arg(cache));
}

#[test]
fn pyright_agrees_with_the_stubs() {
    let (Some(python), Some(modules), Some(node)) =
        (posetta_peers::python(), posetta_peers::node_modules(), posetta_peers::node())
    else {
        return;
    };
    passes(Command::new(node).arg(modules.join("pyright/index.js")).arg("--pythonpath").arg(python));
}
