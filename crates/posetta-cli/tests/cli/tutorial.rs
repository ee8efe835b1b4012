//! The tutorials and the recipes, step by step: their files are saved, their commands run in a shell, and they print what the page shows.
//!
//! A fenced block marked `save=NAME` is a file. In a `console` block a line that starts with `$ ` is a command, and the
//! lines up to the next one are what it prints.

use std::fs;
use std::path::{Path, PathBuf};
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

/// Does what a page says, in a directory. Answers with how many commands there are.
fn follow(page: &str, place: &Path) -> usize {
    let path = docs().join(page);
    let document = fs::read_to_string(path).expect("the page");
    let program = Path::new(env!("CARGO_BIN_EXE_posetta")).parent().expect("a directory").to_owned();
    let paths = std::env::join_paths(
        [program].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )
    .expect("a search path");
    let mut commands = 0;
    for step in steps(&document) {
        match step {
            Step::Save { name, content } => fs::write(place.join(name), content).expect("a file"),
            Step::Run { command, shown } => {
                let output = Command::new("sh")
                    .args(["-c", &format!("{{ {command}\n}} 2>&1")])
                    .current_dir(place)
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
    commands
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

#[test]
fn every_command_prints_what_the_tutorial_shows() {
    let place = tempfile::tempdir().expect("a directory");
    assert!(follow("tutorial.md", place.path()) >= 9, "the tutorial has its commands");
}

/// Its commands are typed in the directory of an example.
#[test]
fn every_command_prints_what_the_tutorial_for_spans_shows() {
    let place = tempfile::tempdir().expect("a directory");
    let example = docs().join("../examples/otel-shop");
    for directory in ["traces", "fixed"] {
        fs::create_dir(place.path().join(directory)).expect("a directory");
        for file in fs::read_dir(example.join(directory)).expect("spans") {
            let file = file.expect("an entry");
            fs::copy(file.path(), place.path().join(directory).join(file.file_name())).expect("a copy");
        }
    }
    assert!(follow("tutorial-telemetry.md", place.path()) >= 6, "the tutorial has its commands");
    // What it ends with is what the example has.
    let kept = fs::read_to_string(place.path().join("checks.props")).expect("the properties");
    assert_eq!(kept, fs::read_to_string(example.join("shop.props")).expect("the properties"));
}

#[test]
fn every_recipe_answers_what_the_page_shows() {
    let place = tempfile::tempdir().expect("a directory");
    assert!(follow("recipes.md", place.path()) > 20, "the page has its commands");
    let page = fs::read_to_string(docs().join("recipes.md")).expect("the page");
    assert_eq!(page.lines().filter(|line| line.starts_with("## ")).count(), 20);
}

#[test]
fn every_monitor_of_the_page_compiles_and_runs() {
    let (Some(_), Some(_)) = (posetta_peers::iverilog(), posetta_peers::ghdl()) else { return };
    let place = tempfile::tempdir().expect("a directory");
    assert_eq!(follow("emit.md", place.path()), 9, "the page has its commands");
}
