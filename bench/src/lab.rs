//! Where inputs and results are kept, and which program is measured.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Events of a generated input unless the user says otherwise.
const EVENTS: u64 = 500_000;

/// Events with `--quick`.
const FEW: u64 = 2_000;

/// Seconds for who may take long: what the second paper gave.
const LIMIT: u64 = 600;

/// What every workload needs to know.
pub struct Lab {
    /// Generated inputs; they are kept, and made again only under another name.
    pub data: PathBuf,
    /// Tables and plots.
    pub out: PathBuf,
    /// This program, which is also some of the contenders.
    pub own: PathBuf,
    /// `posetta`, or why there is none.
    pub program: Result<PathBuf, String>,
    /// Events of generated inputs.
    pub events: u64,
    /// The same, if the user chose.
    chosen: Option<u64>,
    /// Whether only to see that everything works.
    pub quick: bool,
    /// Whether also to run what takes long or much memory.
    pub full: bool,
    /// Whether also to run peers that take minutes.
    pub peers: bool,
    /// Where NuSMV is, if the user says so.
    pub nusmv: Option<PathBuf>,
    /// Who may take long is ended after this.
    pub limit: Duration,
}

/// What the user chose; `None` is the usual.
#[derive(Default)]
pub struct Choices<'a> {
    /// The program to measure, or `none`.
    pub program: Option<&'a Path>,
    /// Where inputs are kept.
    pub data: Option<&'a Path>,
    /// Where tables and plots go.
    pub out: Option<&'a Path>,
    /// Events of generated inputs.
    pub events: Option<u64>,
    /// Whether only to see that everything works.
    pub quick: bool,
    /// Whether also to run what takes long or much memory.
    pub full: bool,
    /// Whether also to run peers that take minutes.
    pub peers: bool,
    /// Where NuSMV is.
    pub nusmv: Option<&'a Path>,
    /// Seconds for who may take long.
    pub limit: Option<u64>,
}

impl Lab {
    /// Finds or makes all of it.
    pub fn new(choices: Choices<'_>) -> Result<Self, String> {
        let Choices { program, data, out, events, quick, full, peers, nusmv, limit } = choices;
        let own = env::current_exe().map_err(|e| format!("this program cannot find itself: {e}"))?;
        let target = target_dir(&own);
        // Whole paths, because contenders run in a directory of their own and leave there what they write by themselves.
        let whole = |path: PathBuf| std::path::absolute(&path).map_err(|e| format!("{}: {e}", path.display()));
        let lab = Self {
            data: whole(data.map_or_else(|| target.join("bench-data"), Path::to_owned))?,
            out: whole(out.map_or_else(|| target.join("bench-results"), Path::to_owned))?,
            program: find_program(program, &own).and_then(whole),
            own,
            events: events.unwrap_or(if quick { FEW } else { EVENTS }),
            chosen: events,
            quick,
            full,
            peers,
            nusmv: nusmv.map(|path| whole(path.to_owned())).transpose()?,
            limit: Duration::from_secs(limit.unwrap_or(LIMIT)),
        };
        for dir in [&lab.data, &lab.out] {
            fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        }
        Ok(lab)
    }

    /// Events that a run of a table may have: all sizes unless the user chose.
    pub fn at_most(&self) -> u64 {
        self.chosen.unwrap_or(u64::MAX)
    }

    /// Events of the input of a workload whose target names a size.
    pub fn events_or(&self, target: u64) -> u64 {
        self.chosen.unwrap_or(if self.quick { FEW } else { target })
    }
}

/// Cargo puts programs into `<target>/<profile>/`.
fn target_dir(own: &Path) -> PathBuf {
    own.parent().and_then(Path::parent).map_or_else(|| PathBuf::from("target"), Path::to_owned)
}

/// A program that was built from other sources than this one would be measured in vain, so cargo builds it anew if
/// it can.
fn find_program(given: Option<&Path>, own: &Path) -> Result<PathBuf, String> {
    match given {
        Some(path) if path.as_os_str() == "none" => return Err("left out with --program none".to_owned()),
        Some(path) if path.is_file() => return Ok(path.to_owned()),
        Some(path) => return Err(format!("there is no file {}", path.display())),
        None => {}
    }
    let name = format!("posetta{}", env::consts::EXE_SUFFIX);
    if let Some(cargo) = env::var_os("CARGO") {
        let target = target_dir(own);
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "--package", "posetta-cli", "--manifest-path"]);
        build.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml"));
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        // Where the program goes must not depend on where this one was started.
        build.arg("--target-dir").arg(&target);
        return match build.status() {
            Ok(status) if status.success() => {
                Ok(target.join(if cfg!(debug_assertions) { "debug" } else { "release" }).join(name))
            }
            Ok(status) => Err(format!("building it failed: {status}")),
            Err(error) => Err(format!("cargo could not be started: {error}")),
        };
    }
    let beside = own.with_file_name(name);
    if beside.is_file() {
        Ok(beside)
    } else {
        Err("it is not beside this program: cargo build --release -p posetta-cli".to_owned())
    }
}
