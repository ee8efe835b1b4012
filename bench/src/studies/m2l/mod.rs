//! `posetta m2l` beside MONA: whole processes on the same file, and `posetta refine` and a monitor where they answer the same question.
//!
//! [`milner`] is row 6, [`files`] and [`families`], with [`circuits`], are row 7. [`scheduler`] and [`delivery`] write the formulas.

mod circuits;
pub mod delivery;
pub mod families;
pub mod files;
pub mod milner;
mod scheduler;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::lab::Lab;
use crate::peers;
use crate::studies::verify::patience;
use crate::studies::verify::side::{Contestant, MEMORY, Outcome};
use crate::study::Sheet;
use crate::workload::Role;

/// Past its own limit ours has this long to say so.
const GRACE: Duration = Duration::from_secs(5);

/// In the place of a figure.
const ABORTED: &str = "aborted";

/// MONA, within the memory that ours has.
struct Mona(PathBuf);

impl Mona {
    /// Looks for it, and says loudly if it is not here.
    fn find(study: &str) -> Result<Self, String> {
        let found = peers::look_for("MONA", None);
        if let Err(reason) = &found {
            eprintln!("SKIPPED: MONA beside {study}: {reason}");
        }
        found.map(Self)
    }

    /// MONA on a file. The shell becomes MONA, so that it can be ended.
    fn on(&self, lab: &Lab, file: &Path) -> Contestant {
        let script = format!("ulimit -v {}; exec \"$0\" -q \"$1\"", MEMORY * 1_000_000);
        let args = vec!["-c".to_owned(), script, self.0.display().to_string(), file.display().to_string()];
        let (limit, patience) = (patience(lab), patience(lab));
        Contestant { name: "MONA", role: Role::Peer, program: "/bin/sh".into(), args, read: theirs, limit, patience }
    }
}

/// What is said about MONA under a table.
fn note(lab: &Lab, mona: &Result<Mona, String>) -> Vec<String> {
    let mut notes = vec![
        "s: seconds of the clock, whole processes, the middle one of the runs; ratios are of CPU time, or of the clock if one was ended".to_owned(),
        format!("limits: {} s and {MEMORY} GB for everybody", patience(lab).as_secs()),
    ];
    if !lab.peers {
        notes.push(format!("with --peers they have {} s", lab.limit.as_secs()));
    }
    if let Err(reason) = mona {
        notes.push(format!("MONA is absent: {reason}"));
    }
    notes
}

/// The program with a command, within the limits.
fn ours(lab: &Lab, program: &Path, name: &'static str, args: &[&str], read: Reader) -> Contestant {
    let limit = patience(lab);
    let mut args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
    args.extend(["--timeout".to_owned(), format!("{}s", limit.as_secs())]);
    args.extend(["--memory".to_owned(), format!("{MEMORY}GB")]);
    let program = program.to_owned();
    Contestant { name, role: Role::Ours, program, args, read, limit, patience: limit + GRACE }
}

/// What reads an output.
type Reader = fn(&str) -> Result<Option<String>, String>;

/// The answer of `posetta m2l --json`, with the lengths of the strings that show it.
fn decided(output: &str) -> Result<Option<String>, String> {
    let value: Value = serde_json::from_str(output).map_err(|e| format!("prints no JSON: {e}"))?;
    let answer = value["answer"].as_str().ok_or("has no answer")?;
    if answer == "unknown" {
        return Ok(None);
    }
    let lengths = ["counterexample", "example"].map(|which| value[which]["length"].as_u64());
    Ok(Some(shown(answer, lengths)))
}

/// The same of MONA.
fn theirs(output: &str) -> Result<Option<String>, String> {
    let after = |words: &str| {
        let rest = output.lines().find_map(|line| line.strip_prefix(words)?.strip_prefix(" of least length ("));
        rest.and_then(|rest| rest.split(')').next()?.parse::<u64>().ok())
    };
    let lengths = [after("A counter-example"), after("A satisfying example")];
    let answer = match lengths {
        _ if output.contains("Formula is valid") => "valid",
        _ if output.contains("Formula is unsatisfiable") => "unsatisfiable",
        [Some(_), Some(_)] => "neither",
        _ => return Err(output.lines().last().map_or("says nothing", str::trim).to_owned()),
    };
    Ok(Some(shown(answer, lengths)))
}

fn shown(answer: &str, lengths: [Option<u64>; 2]) -> String {
    let lengths: Vec<String> = lengths.iter().map(|l| l.map_or_else(|| "-".to_owned(), |l| l.to_string())).collect();
    format!("{answer} {}", lengths.join(" "))
}

/// Holds what two programs say of a formula against each other. MONA may run out of memory where it `may_abort`: that is told, and no failure of anything here.
fn compared(name: &str, ours: &Outcome, theirs: &Outcome, may_abort: bool, sheet: &mut Sheet) {
    match theirs {
        Outcome::Failed(problem) if may_abort => sheet.notes.push(format!("{name}: {problem}")),
        Outcome::Failed(problem) => sheet.failures.push(format!("{name}: {problem}")),
        _ => {}
    }
    if let Outcome::Failed(problem) = ours {
        sheet.failures.push(format!("{name}: {problem}"));
    }
    if let (Some(ours), Some(theirs)) = (ours.figures(), theirs.figures())
        && ours.answer != theirs.answer
    {
        sheet.failures.push(format!("{name}: posetta says {}, MONA says {}", ours.answer, theirs.answer));
    }
}

/// The cells of MONA: one that failed has aborted.
fn cells(outcome: &Outcome) -> [String; 3] {
    match outcome {
        Outcome::Failed(_) => [ABORTED, "-", "-"].map(str::to_owned),
        other => other.cells(),
    }
}

/// Writes an input, which is short and never kept from another day.
fn written(lab: &Lab, name: &str, text: &str) -> Result<PathBuf, String> {
    let path = lab.data.join(name);
    fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_programs_are_read_alike() {
        let text =
            "A counter-example of least length (0) is:\nX   X \n\nA satisfying example of least length (12) is:\n";
        assert_eq!(theirs(text), Ok(Some("neither 0 12".to_owned())));
        let json = r#"{"answer":"neither","counterexample":{"length":0},"example":{"length":12}}"#;
        assert_eq!(decided(json), theirs(text));
        let text = "Formula is valid\n\nA satisfying example of least length (1) is:\n";
        assert_eq!(theirs(text), Ok(Some("valid - 1".to_owned())));
        assert_eq!(decided(r#"{"answer":"valid","counterexample":null,"example":{"length":1}}"#), theirs(text));
        let text = "Formula is unsatisfiable\n\nA counter-example of least length (0) is:\n";
        assert_eq!(theirs(text), Ok(Some("unsatisfiable 0 -".to_owned())));
        assert_eq!(decided(r#"{"answer":"unknown"}"#), Ok(None));
        assert!(theirs("BDD too large\nExecution aborted\n").is_err_and(|e| e == "Execution aborted"));
        assert!(theirs("").is_err() && decided("").is_err() && decided("{}").is_err());
    }
}
