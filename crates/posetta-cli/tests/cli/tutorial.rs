//! The tutorial, step by step: its files are saved, its commands run in a shell, and they print what it shows.
//!
//! A fenced block marked `save=NAME` is a file. In a `console` block a line that starts with `$ ` is a command, and the
//! lines up to the next one are what it prints.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The tutorial in order.
enum Step {
    Save { name: String, content: String },
    Run { command: String, shown: String },
}

fn steps(document: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|l| !l.starts_with("```")).collect();
        if let Some(name) = info.split("save=").nth(1) {
            steps.push(Step::Save { name: name.to_owned(), content: block.join("\n") + "\n" });
        } else if info == "console" {
            for line in block {
                match (line.strip_prefix("$ "), steps.last_mut()) {
                    (Some(command), _) => steps.push(Step::Run { command: command.to_owned(), shown: String::new() }),
                    (None, Some(Step::Run { shown, .. })) => *shown += &format!("{line}\n"),
                    (None, _) => panic!("output before a command: {line}"),
                }
            }
        }
    }
    steps
}

#[test]
fn every_command_prints_what_the_tutorial_shows() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tutorial.md");
    let document = fs::read_to_string(path).expect("the tutorial");
    let place = tempfile::tempdir().expect("a directory");
    let program = Path::new(env!("CARGO_BIN_EXE_posetta")).parent().expect("a directory").to_owned();
    let paths = std::env::join_paths(
        [program].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )
    .expect("a search path");
    let mut commands = 0;
    for step in steps(&document) {
        match step {
            Step::Save { name, content } => fs::write(place.path().join(name), content).expect("a file"),
            Step::Run { command, shown } => {
                let output = Command::new("sh")
                    .args(["-c", &format!("{{ {command}\n}} 2>&1")])
                    .current_dir(place.path())
                    .env("PATH", &paths)
                    .env("NO_COLOR", "1")
                    .env_remove("COLUMNS")
                    .env_remove("GITHUB_ACTIONS")
                    .output()
                    .expect("a shell");
                assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), shown.trim_end(), "$ {command}");
                commands += 1;
            }
        }
    }
    assert!(commands >= 9, "the tutorial has its commands");
}
