//! The runs that peers are measured on, as the peers' own scripts simulate and translate them.
//!
//! The scripts are Python and no part of this project: without them, or without `python3`, the rows that need them are left out.
//! `gen_trace.py` simulates, `trace2jsonl.py` writes the run for us and `trace2smv.py` for NuSMV, so both read the same run.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::lab::Lab;

/// The directory of the scripts, if it is not where it usually is.
const VARIABLE: &str = "POSETTA_BENCH_SCRIPTS";

/// The scripts, all in one directory.
const SIMULATE: &str = "gen_trace.py";
const TO_LINES: &str = "trace2jsonl.py";
const TO_SMV: &str = "trace2smv.py";
const REFERENCE: &str = "refcheck.py";

/// The scripts and what runs them.
pub struct Scripts {
    dir: PathBuf,
    python: PathBuf,
}

/// A run to simulate. The scripts have more options; these runs have none of them, and the first seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simulated {
    /// What the script calls it.
    pub model: &'static str,
    /// How many processes it has.
    pub processes: u64,
    /// How many events.
    pub events: u64,
}

/// The directory of the peers' files, and who says so.
pub fn directory() -> (PathBuf, String) {
    match env::var_os(VARIABLE) {
        Some(dir) => (PathBuf::from(dir), format!("{VARIABLE} names")),
        None => (
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/peers"),
            format!("{VARIABLE} is not set, and the usual place is"),
        ),
    }
}

impl Scripts {
    /// Looks for them: beside this repository, or where a variable says.
    pub fn find() -> Result<Self, String> {
        let (dir, whose) = directory();
        for script in [SIMULATE, TO_LINES, TO_SMV, REFERENCE] {
            if !dir.join(script).is_file() {
                return Err(format!("the peers' script {script} is not there: {whose} {}", dir.display()));
            }
        }
        let dir = std::path::absolute(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        let dirs: Vec<PathBuf> = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect();
        let python = dirs.iter().map(|d| d.join("python3")).find(|p| p.is_file());
        let python = python.ok_or_else(|| "the peers' scripts need python3, which is not in PATH".to_owned())?;
        Ok(Self { dir, python })
    }

    /// The run in the scripts' own form.
    pub fn simulate(&self, run: Simulated, lab: &Lab) -> Result<PathBuf, String> {
        let Simulated { model, processes, events } = run;
        let to = lab.data.join(format!("peers-{model}-{processes}x{events}.json"));
        let (processes, events) = (processes.to_string(), events.to_string());
        self.make(SIMULATE, None, &to, |c| c.args([model, &processes, &events, "--seed", "1"]))?;
        Ok(to)
    }

    /// A run as JSON lines.
    pub fn lines(&self, json: &Path) -> Result<PathBuf, String> {
        let to = json.with_extension("jsonl");
        self.make(TO_LINES, Some(json), &to, |c| c.arg(json))?;
        Ok(to)
    }

    /// A run and its property as a model of NuSMV, the relation of its steps whole or in parts.
    pub fn smv(&self, json: &Path, parts: bool) -> Result<PathBuf, String> {
        let to = json.with_extension(if parts { "parts.smv" } else { "smv" });
        self.make(TO_SMV, Some(json), &to, |c| c.arg(json).args(parts.then_some("--part")))?;
        Ok(to)
    }

    /// What the scripts' own enumeration of the cuts says: how many there are, and whether the run's own property holds.
    pub fn reference(&self, json: &Path) -> Result<(u64, bool), String> {
        let output = self.python(REFERENCE).arg(json).output().map_err(|e| format!("{REFERENCE}: {e}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let told: Value = serde_json::from_str(&text).map_err(|e| format!("{REFERENCE} prints no JSON: {e}"))?;
        let both = told["cuts"].as_u64().zip(told["verdict"].as_bool());
        both.ok_or_else(|| format!("{REFERENCE} prints {}", text.trim()))
    }

    fn python(&self, script: &str) -> Command {
        let mut command = Command::new(&self.python);
        command.arg(self.dir.join(script)).stdin(Stdio::null());
        command
    }

    /// Writes what a script prints to a file, unless it is there and younger than the script and its input.
    fn make(
        &self,
        script: &str,
        from: Option<&Path>,
        to: &Path,
        arguments: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Result<(), String> {
        let when = |path: &Path| fs::metadata(path).and_then(|m| m.modified()).ok();
        let newest = when(&self.dir.join(script)).max(from.and_then(when));
        if when(to).is_some_and(|made| newest.is_some_and(|n| n <= made)) {
            return Ok(());
        }
        let problem = |e: &dyn std::fmt::Display| format!("{script}: {}: {e}", to.display());
        let partial = to.with_extension(format!("{}.partial", std::process::id()));
        let mut command = self.python(script);
        arguments(&mut command).stdout(File::create(&partial).map_err(|e| problem(&e))?);
        let output = command.output().map_err(|e| problem(&e))?;
        if !output.status.success() {
            // Left behind it does no harm.
            let _ = fs::remove_file(&partial);
            let text = String::from_utf8_lossy(&output.stderr);
            return Err(problem(&text.lines().last().unwrap_or("it fails")));
        }
        fs::rename(&partial, to).map_err(|e| problem(&e))
    }
}

/// Before the property in the scripts' own form of a run, which ends with it.
const KEY: &str = "\"property\": ";

/// The property that belongs to a run.
pub fn property(json: &Path) -> Result<String, String> {
    parts(&read(json)?).map(|(_, property)| property).ok_or_else(|| format!("{}: no property", json.display()))
}

/// The same run with another property.
pub fn with_property(json: &Path, name: &str, property: &str) -> Result<PathBuf, String> {
    let to = json.with_extension(format!("{name}.json"));
    let text = read(json)?;
    let (before, _) = parts(&text).ok_or_else(|| format!("{}: no property", json.display()))?;
    let text = format!("{before}{KEY}{}}}\n", Value::from(property));
    // Written anew only if it changes: what is made from it is then not made again.
    if fs::read_to_string(&to).is_ok_and(|there| there == text) {
        return Ok(to);
    }
    fs::write(&to, text).map_err(|e| format!("{}: {e}", to.display()))?;
    Ok(to)
}

fn read(json: &Path) -> Result<String, String> {
    fs::read_to_string(json).map_err(|e| format!("{}: {e}", json.display()))
}

/// What comes before the property, and the property. The rest is large, and nobody here needs to understand it.
fn parts(text: &str) -> Option<(&str, String)> {
    let (before, after) = text.rsplit_once(KEY)?;
    let property = serde_json::from_str(after.trim_end().strip_suffix('}')?).ok()?;
    Some((before, property))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_property_is_read_and_replaced() {
        let dir = tempfile::TempDir::new().expect("a directory");
        let json = dir.path().join("run.json");
        let text = "{\"model\": \"pet\", \"init\": {}, \"edges\": [], \"property\": \"AG(ncrit < 2)\"}\n";
        fs::write(&json, text).expect("writable");
        assert_eq!(property(&json), Ok("AG(ncrit < 2)".to_owned()));
        let other = with_property(&json, "other", "EF (x = 1)").expect("written");
        assert_eq!(property(&other), Ok("EF (x = 1)".to_owned()));
        let whole: Value = serde_json::from_str(&read(&other).expect("there")).expect("still JSON");
        assert_eq!((&whole["model"], &whole["property"]), (&Value::from("pet"), &Value::from("EF (x = 1)")));
        fs::write(&json, "{}").expect("writable");
        assert!(property(&json).is_err_and(|e| e.ends_with("no property")));
    }
}
