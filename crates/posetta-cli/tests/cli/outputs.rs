//! The files that commands write: whole or not at all, beside links and not through them, directly into devices and pipes.

use std::fs::{self, File, Permissions};
use std::io::Read as _;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::program::{MUTEX, Place};
use serde_json::Value;

const LATE: Duration = Duration::from_secs(60);

const SYSTEM: &str = "component C(i in 0..2) { lts { init s; s -a[i]-> t -b[i]-> s } }\nsystem All = C\n";

/// Every command that writes a file, without the name of that file.
const COMMANDS: [(&str, &[&str]); 7] = [
    ("convert", &["convert", "run.trace", "--to", "jsonl", "-o"]),
    ("gen", &["gen", "random", "--events", "100", "--to", "jsonl", "-o"]),
    ("gen in another format", &["gen", "random", "--events", "100", "--to", "dot", "-o"]),
    ("gen --props", &["gen", "philosophers", "--processes", "20", "--props", "-o"]),
    ("explain", &["explain", "--ltl", "G (x == 1 -> F y == 1)", "-o"]),
    ("explain --emit", &["explain", "--ltl", "G (x == 1 -> F y == 1)", "--emit", "c", "-o"]),
    ("verify --graph", &["verify", "all.sys", "--observe", "a[0],b[0],a[1],b[1]", "--graph"]),
];

fn place() -> Place {
    // Long enough that no output fits into one block.
    let run: String = (0..40).map(|i| format!("P{i}: enter c{i}=1 -> leave c{i}=0\n")).collect();
    Place::with(&[("run.trace", &run), ("mutex.trace", MUTEX), ("all.sys", SYSTEM)])
}

fn names(place: &Place) -> Vec<String> {
    let entries = fs::read_dir(place.path()).expect("a directory");
    let mut names: Vec<String> =
        entries.map(|e| e.expect("an entry").file_name().into_string().expect("text")).collect();
    names.sort();
    names
}

#[test]
fn a_link_is_replaced_and_not_followed() {
    for (name, args) in COMMANDS {
        let place = place();
        place.write("precious", b"keep");
        symlink("precious", place.path().join("out.jsonl")).expect("a link");
        symlink("nowhere", place.path().join("other.jsonl")).expect("a link");
        let before = names(&place);
        for out in ["out.jsonl", "other.jsonl"] {
            let seen = place.run(&[args, &[out]].concat());
            assert_eq!(seen.status, 0, "{name}: {}", seen.shown());
            let written = fs::symlink_metadata(place.path().join(out)).expect("a file");
            assert!(written.is_file() && written.len() > 100, "{name}: {written:?}");
        }
        assert_eq!(place.read("precious"), "keep", "{name}");
        assert_eq!(names(&place), before, "{name}");
    }
}

#[test]
fn a_file_that_is_replaced_keeps_its_permissions() {
    for (name, args) in COMMANDS {
        let place = place();
        place.write("out.jsonl", b"old");
        let path = place.path().join("out.jsonl");
        for mode in [0o640, 0o600, 0o755] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).expect("a file of ours");
            let seen = place.run(&[args, &["out.jsonl"]].concat());
            assert_eq!(seen.status, 0, "{name}: {}", seen.shown());
            assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, mode, "{name}");
        }
        place.write("out.jsonl", b"old");
        fs::set_permissions(&path, Permissions::from_mode(0o444)).expect("a file of ours");
        let seen = place.run(&[args, &["out.jsonl"]].concat());
        assert_eq!(seen.status, 2, "{name}: {}", seen.shown());
        assert!(seen.stderr.contains("cannot write `out.jsonl`: permission denied"), "{name}: {}", seen.shown());
        assert_eq!(place.read("out.jsonl"), "old", "{name}");
    }
}

#[test]
fn a_directory_is_refused() {
    for (name, args) in COMMANDS {
        let place = place();
        fs::create_dir(place.path().join("out.jsonl")).expect("a directory");
        symlink("out.jsonl", place.path().join("link.jsonl")).expect("a link");
        for out in ["out.jsonl", "link.jsonl"] {
            let seen = place.run(&[args, &[out]].concat());
            assert_eq!(seen.status, 2, "{name}: {}", seen.shown());
            assert!(seen.stderr.contains(&format!("cannot write `{out}`: is a directory")), "{name}: {}", seen.shown());
        }
    }
}

/// What does not fit is not there, and what was there still is.
#[test]
fn a_full_disk_leaves_nothing() {
    for (name, args) in COMMANDS {
        let place = place();
        place.write("old.jsonl", b"old");
        let before = names(&place);
        for out in ["new.jsonl", "old.jsonl"] {
            // Files may have 512 bytes, and the signal about that is not sent.
            let program = [&[env!("CARGO_BIN_EXE_posetta")], args, &[out]].concat();
            let script = "trap '' XFSZ; ulimit -f 1; exec \"$@\"";
            let mut command = Command::new("sh");
            command.current_dir(place.path()).args(["-c", script, "sh"]).args(program).env("NO_COLOR", "1");
            let seen = command.output().expect("sh");
            let stderr = String::from_utf8_lossy(&seen.stderr);
            assert_eq!(seen.status.code(), Some(2), "{name}: {stderr}");
            assert!(stderr.contains(&format!("cannot write `{out}`: File too large")), "{name}: {stderr}");
        }
        assert_eq!((names(&place), place.read("old.jsonl")), (before, "old".to_owned()), "{name}");
    }
}

#[test]
fn devices_and_pipes_are_written_directly() {
    for (name, args) in COMMANDS {
        let place = place();
        place.pipe("pipe.jsonl");
        let path = place.path().join("pipe.jsonl");
        let reader = thread::spawn(move || fs::read_to_string(path).expect("a pipe"));
        let seen = place.run(&[args, &["pipe.jsonl"]].concat());
        assert_eq!(seen.status, 0, "{name}: {}", seen.shown());
        let through = reader.join().expect("it reads");
        assert_eq!(place.run(&[args, &["file.jsonl"]].concat()).status, 0);
        assert!(through == place.read("file.jsonl") && !through.is_empty(), "{name}");
        assert!(fs::symlink_metadata(place.path().join("pipe.jsonl")).expect("a pipe").file_type().is_fifo());
        if fs::metadata("/dev/full").is_ok_and(|device| device.file_type().is_char_device()) {
            let seen = place.run(&[args, &["/dev/full"]].concat());
            assert_eq!(seen.status, 2, "{name}: {}", seen.shown());
            assert!(
                seen.stderr.contains("cannot write `/dev/full`: No space left on device"),
                "{name}: {}",
                seen.shown()
            );
        }
    }
}

/// `/dev/stdout` is a link of the system's own. It is followed, also to a regular file.
#[test]
fn the_links_of_the_system_are_followed() {
    if !fs::symlink_metadata("/dev/stdout").is_ok_and(|found| found.is_symlink()) {
        return;
    }
    // The report of `verify` goes there too, with times.
    for (name, args) in COMMANDS.into_iter().filter(|(name, _)| *name != "verify --graph") {
        let place = place();
        let rest = [args, &["/dev/stdout"]].concat();
        let piped = place.run(&rest);
        assert_eq!(piped.status, 0, "{name}: {}", piped.shown());
        place.write("log", b"before\n");
        let log = File::options().append(true).open(place.path().join("log")).expect("a file");
        let status = place.command(&rest).stdout(log).stderr(Stdio::null()).status().expect("the program starts");
        assert!(status.success(), "{name}");
        assert_eq!(place.read("log"), format!("before\n{}", piped.stdout), "{name}");
        assert!(fs::symlink_metadata("/dev/stdout").is_ok_and(|found| found.is_symlink()), "{name}");
    }
}

/// An interruption and a wish to end leave no draft.
#[test]
fn an_interruption_leaves_nothing() {
    for signal in ["-INT", "-TERM"] {
        let place = place();
        let mut command = place.command(&["gen", "random", "--events", "4000000000", "-o", "out.jsonl"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
        let since = Instant::now();
        while !names(&place).iter().any(|name| name.starts_with("out.jsonl.") && name.ends_with(".part")) {
            assert!(since.elapsed() < LATE, "no draft: {:?}", names(&place));
            thread::sleep(Duration::from_millis(5));
        }
        let killed = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(killed.expect("kill").success());
        assert_eq!(child.wait().expect("it ends").code(), Some(130), "{signal}");
        assert_eq!(names(&place), ["all.sys", "mutex.trace", "run.trace"], "{signal}");
    }
}

/// The lines of a monitor go where they are told, and through no link.
#[test]
fn the_lines_of_a_monitor_follow_no_link() {
    let place = Place::with(&[("s.jsonl", "{\"x\":1}\n{\"x\":7}\n"), ("precious", "keep")]);
    symlink("precious", place.path().join("o")).expect("a link");
    let args = ["monitor", "s.jsonl", "--ltl", "G (x < 5)", "--json", "--out", "o"];
    let seen = place.run(&args);
    assert_eq!((seen.status, place.read("precious").as_str()), (2, "keep"), "{}", seen.shown());
    assert!(
        seen.stderr.contains("cannot write `o`: it is a symbolic link, and links are not followed"),
        "{}",
        seen.shown()
    );
    place.remove("o");
    place.pipe("o");
    let path = place.path().join("o");
    let reader = thread::spawn(move || {
        let mut text = String::new();
        File::open(path).expect("a pipe").read_to_string(&mut text).expect("lines");
        text
    });
    let seen = place.run(&[&args[..], &["--checkpoint", "c"]].concat());
    assert_eq!(seen.status, 1, "{}", seen.shown());
    let told = reader.join().expect("it reads");
    let last: Value = serde_json::from_str(told.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["verdict"], "violated", "{told}");
    assert!(place.exists("c"));
}

/// Whoever guesses where a checkpoint is written, or is its place, gets nothing written elsewhere.
#[test]
fn a_checkpoint_follows_no_link() {
    let place = Place::with(&[("s.jsonl", "{\"x\":1}\n{\"x\":2}\n"), ("precious", "keep")]);
    for link in ["c.json.new", "c.json"] {
        symlink("precious", place.path().join(link)).expect("a link");
        let args = ["monitor", "s.jsonl", "--ltl", "G (x < 5)", "--checkpoint", "c.json"];
        let seen = place.run(&args);
        // The link is not a checkpoint, and is not taken for one.
        let status = if link == "c.json" { 2 } else { 0 };
        assert_eq!((seen.status, place.read("precious").as_str()), (status, "keep"), "{}", seen.shown());
        place.remove("c.json");
    }
    symlink("nowhere", place.path().join("c.json")).expect("a link");
    let seen = place.run(&["monitor", "s.jsonl", "--ltl", "G (x < 5)", "--checkpoint", "c.json"]);
    assert_eq!((seen.status, place.exists("nowhere")), (0, false), "{}", seen.shown());
    assert!(fs::symlink_metadata(place.path().join("c.json")).expect("a checkpoint").is_file());
    assert_eq!(names(&place), ["c.json", "c.json.new", "precious", "s.jsonl"]);
}

/// What a command reads is not what it writes, whatever the file is called.
#[test]
fn an_input_is_not_overwritten() {
    let place = Place::with(&[("run.jsonl", "{\"x\":0}\n{\"x\":9}\n"), ("p.props", "property p = ltl G x < 4\n")]);
    fs::hard_link(place.path().join("run.jsonl"), place.path().join("other.jsonl")).expect("a link");
    for args in [
        &["monitor", "run.jsonl", "--ltl", "G x < 4", "-o", "run.jsonl"][..],
        &["monitor", "run.jsonl", "--ltl", "G x < 4", "-o", "other.jsonl"],
        &["monitor", "run.jsonl", "--spec", "p.props", "-o", "p.props"],
        &["convert", "run.jsonl", "-o", "other.jsonl"],
        &["explain", "p.props", "--hoa", "-o", "p.props"],
    ] {
        let seen = place.run(args);
        assert_eq!((seen.status, seen.stdout.as_str()), (2, ""), "{args:?}: {}", seen.shown());
        assert!(seen.flat().contains("and would be overwritten"), "{args:?}: {}", seen.shown());
    }
    assert_eq!(place.read("run.jsonl"), "{\"x\":0}\n{\"x\":9}\n");
    assert_eq!(place.read("p.props"), "property p = ltl G x < 4\n");
}
