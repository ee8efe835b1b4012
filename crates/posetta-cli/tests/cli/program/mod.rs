//! The built program in a directory of its own.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod otlp;
pub mod schema;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A directory with files to run the program in.
pub struct Place {
    dir: TempDir,
}

/// What the program said.
pub struct Seen {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Place {
    /// A new directory with these files; a name may have directories in it.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let place = Self { dir: tempfile::tempdir().expect("a temporary directory") };
        for (name, content) in files {
            place.write(name, content.as_bytes());
        }
        place
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Adds a file.
    pub fn write(&self, name: &str, content: &[u8]) {
        let path = self.dir.path().join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).expect("a directory");
        }
        std::fs::write(path, content).expect("a file");
    }

    /// What a file holds.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.dir.path().join(name)).expect("a file")
    }

    pub fn exists(&self, name: &str) -> bool {
        self.dir.path().join(name).exists()
    }

    /// Takes a file away, if it is there.
    pub fn remove(&self, name: &str) {
        let _ = std::fs::remove_file(self.dir.path().join(name));
    }

    /// Adds a pipe that nobody writes to.
    pub fn pipe(&self, name: &str) {
        let made = Command::new("mkfifo").arg(self.dir.path().join(name)).status().expect("mkfifo");
        assert!(made.success());
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_posetta"));
        command
            .current_dir(self.dir.path())
            .args(args)
            .env("NO_COLOR", "1")
            .env("RUST_BACKTRACE", "0")
            .env_remove("COLUMNS")
            .env_remove("GITHUB_ACTIONS");
        command
    }

    /// Runs the program without input.
    pub fn run(&self, args: &[&str]) -> Seen {
        self.run_with(args, b"")
    }

    /// Runs the program with this standard input.
    pub fn run_with(&self, args: &[&str], input: &[u8]) -> Seen {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        // The program may end before it has read everything.
        let _ = child.stdin.take().expect("piped").write_all(input);
        let output = child.wait_with_output().expect("the program ends");
        let seen = Seen {
            status: output.status.code().expect("it ends by itself"),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        };
        assert!(seen.status <= 3 && !seen.stderr.contains("panicked"), "{}", seen.shown());
        // Whatever a test is about, its report is one that is described.
        if args.contains(&"--json") {
            schema::check(&seen.stdout);
        }
        seen
    }
}

impl Seen {
    /// Everything, for a snapshot; times are left out.
    pub fn shown(&self) -> String {
        let mut out = format!("exit {}\n", self.status);
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                out.push_str(&format!("--- {name}\n{}", without_seconds(text)));
            }
        }
        out
    }

    /// Everything with single spaces, to look for what is said wherever lines end.
    pub fn flat(&self) -> String {
        flat(&format!("{} {}", self.stdout, self.stderr))
    }

    /// The JSON on standard output.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {}", self.shown()))
    }

    /// The field of every result.
    pub fn results(&self, field: &str) -> Vec<String> {
        let json = self.json();
        let results = json["results"].as_array().expect("results");
        results.iter().map(|r| r[field].as_str().unwrap_or("null").to_owned()).collect()
    }
}

/// A text with single spaces.
pub fn flat(text: &str) -> String {
    text.split_whitespace().filter(|part| *part != "|").collect::<Vec<_>>().join(" ")
}

/// `"seconds":0.0123` as `"seconds":…`, and for people `0.012 s` at the end of a line as `… s`.
fn without_seconds(text: &str) -> String {
    const FIELD: &str = "\"seconds\":";
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(FIELD) {
        let number = at + FIELD.len();
        out.push_str(&rest[..number]);
        out.push('…');
        rest = rest[number..].trim_start_matches(|c: char| c.is_ascii_digit() || ".e-+".contains(c));
    }
    let text = out + rest;
    text.split_inclusive('\n').map(without_time_at_end).collect()
}

fn without_time_at_end(line: &str) -> String {
    let told = line.strip_suffix(" s\n").filter(|told| told.ends_with(|c: char| c.is_ascii_digit()));
    match told {
        Some(told) => {
            let before = told.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            format!("{before}… s\n")
        }
        None => line.to_owned(),
    }
}

/// Two processes that enter and leave, unordered.
pub const MUTEX: &str = "A: enter c0=1 -> leave c0=0\nB: enter c1=1 -> leave c1=0\n";
/// The same with the hand-over that keeps them apart.
pub const ORDERED: &str = "A: enter c0=1 -> leave c0=0\nB: enter c1=1 -> leave c1=0\nA.2 -> B.1\n";
/// Never both.
pub const NEVER_BOTH: &str = "G !(c0 == 1 && c1 == 1)";

/// A two-phase commit whose recorded order is fine, while the coordinator waits for one participant only.
pub const COMMIT: &str = r#"{"posetta":1,"initial":{"phase":"idle"}}
{"process":"C","name":"begin","set":{"phase":"prepare"},"time":0}
{"process":"A","id":"yes-a","name":"prepare","set":{"a":1},"after":["C.1"],"time":1}
{"process":"B","id":"yes-b","name":"prepare","set":{"b":1},"after":["C.1"],"time":2}
{"process":"C","name":"vote","set":{"votes":1},"after":["yes-a"],"time":3}
{"process":"C","name":"commit","set":{"committed":1},"time":4}
{"process":"A","name":"done","set":{"done_a":1},"after":["C.3"],"time":5}
{"process":"B","name":"done","set":{"done_b":1},"after":["C.3"],"time":6}
"#;

/// Twelve independent processes of thirty events: more cuts than anybody can visit.
pub fn wide() -> String {
    let chain = |p: usize| (1..30).map(|i| format!("x{p}={i}")).collect::<Vec<_>>().join(" -> ");
    (0..12).map(|p| format!("P{p}: {}\n", chain(p))).collect()
}

/// A formula over all variables of [`wide`] that no order violates. With products in the sum every combination of values is another
/// one.
pub fn hopeless() -> String {
    format!("G ({} != 77777)", products())
}

/// The same for CTL.
pub fn hopeless_ctl() -> String {
    format!("A{}", hopeless())
}

fn products() -> String {
    (0..6).map(|p| format!("x{p} * x{}", p + 6)).collect::<Vec<_>>().join(" + ")
}
