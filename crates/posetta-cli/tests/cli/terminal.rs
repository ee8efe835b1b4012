//! The program at the terminal: help and its examples, colours, characters, columns, and how much is said.

use std::fs;
use std::path::Path;
use std::process::Command;

use unicode_width::UnicodeWidthStr;

use crate::program::{MUTEX, Place, Seen};

const COMMANDS: [&str; 13] = [
    "check",
    "test",
    "collect",
    "verify",
    "m2l",
    "refine",
    "monitor",
    "info",
    "replay",
    "convert",
    "gen",
    "explain",
    "completions",
];

/// Their examples need programs that export; tests of their own run some.
const RECEIVING: [&str; 2] = ["test", "collect"];

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copied(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).expect("a file")),
        }
    }
}

/// A directory with all examples in `examples`.
fn with_examples() -> Place {
    let place = Place::with(&[]);
    copied(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), &place.path().join("examples"));
    place
}

/// The program with this many columns and no wish about colours.
fn at(place: &Place, columns: usize, args: &[&str]) -> Seen {
    let output = place
        .command(args)
        .env_remove("NO_COLOR")
        .env("COLUMNS", columns.to_string())
        .stdin(std::process::Stdio::null())
        .output()
        .expect("the program starts");
    Seen {
        status: output.status.code().expect("it ends by itself"),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

fn examples_of(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    lines.take_while(|line| !line.is_empty()).map(|line| line.trim_start().to_owned()).collect()
}

#[test]
fn help_is_the_same_wherever_it_is_asked_for_and_fits() {
    let place = Place::with(&[]);
    for command in COMMANDS.iter().map(Some).chain([None]) {
        let with = |more: &str| match command {
            Some(command) => place.run(&[command, more]),
            None => place.run(&[more]),
        };
        let long = with("--help");
        let same = place.run(&[&["help"][..], &command.map_or(vec![], |c| vec![*c])].concat());
        assert_eq!((long.status, same.status), (0, 0), "{}", same.shown());
        assert_eq!(long.stdout, same.stdout);
        let short = with("-h");
        let lines = |text: &str| text.lines().count();
        assert!(2 * lines(&short.stdout) < lines(&long.stdout) + 12, "{}", short.stdout);
        for line in long.stdout.lines().chain(short.stdout.lines()) {
            assert!(line.width() <= 80, "{line}");
        }
        for phrase in [
            "letter",
            " word",
            "is told",
            "finding it out",
            "at their best",
            "own affair",
            "completion of",
            "completions of",
        ] {
            assert!(!long.stdout.contains(phrase), "{command:?} says {phrase}: {}", long.stdout);
        }
    }
}

#[test]
fn every_example_of_the_help_works_where_the_examples_are() {
    let place = with_examples();
    let program = Path::new(env!("CARGO_BIN_EXE_posetta")).parent().expect("it is in a directory");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").expect("a path"));
    for command in COMMANDS.iter().map(Some).chain([None]) {
        let help = place.run(&command.map_or(vec!["--help"], |c| vec![*c, "--help"]));
        let examples = examples_of(&help.stdout);
        assert!((2..=4).contains(&examples.len()), "{command:?}: {examples:?}");
        let is_run = command.is_none_or(|command| !RECEIVING.contains(command));
        for example in examples.into_iter().filter(|_| is_run) {
            let ran = Command::new("sh")
                .args(["-c", &example])
                .current_dir(place.path())
                .env("PATH", &path)
                .stdin(std::process::Stdio::null())
                .output()
                .expect("a shell");
            let stderr = String::from_utf8_lossy(&ran.stderr);
            // A violation is an answer too.
            assert!(matches!(ran.status.code(), Some(0 | 1)), "{example}\n{stderr}");
            assert!(!stderr.contains("error"), "{example}\n{stderr}");
        }
    }
}

#[test]
fn colours_are_as_wished() {
    let place = Place::with(&[("run.trace", MUTEX)]);
    let check = ["check", "run.trace", "--ltl", "G !(c0 == 1 && c1 == 1)"];
    let coloured = |more: &[&str], environment: &[(&str, &str)]| {
        let mut command = place.command(&[&check[..], more].concat());
        let seen = command.env_remove("NO_COLOR").envs(environment.iter().copied()).output().expect("it starts");
        String::from_utf8_lossy(&seen.stdout).contains('\x1b')
    };
    for (more, environment, expected) in [
        (&[][..], &[][..], false),
        (&["--color", "always"], &[], true),
        (&["--color=always"], &[("NO_COLOR", "1")], true),
        (&["--color", "never"], &[("CLICOLOR_FORCE", "1")], false),
        (&[], &[("CLICOLOR_FORCE", "1")], true),
        (&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
        (&[], &[("CLICOLOR_FORCE", "0")], false),
    ] {
        assert_eq!(coloured(more, environment), expected, "{more:?} {environment:?}");
    }
    let help = |when: &str| place.run(&["--color", when, "check", "--help"]).stdout.contains('\x1b');
    assert!(help("always") && !help("never"));
}

#[test]
fn quiet_is_what_does_not_hold_and_the_summary() {
    let place = Place::with(&[
        ("run.trace", MUTEX),
        (
            "m.props",
            "property out = ltl F (c0 == 0)\nproperty apart = ltl G !(c0 == 1 && c1 == 1)\nproperty odd = ltl G (event(eat) -> F c0 == 0)\n",
        ),
    ]);
    let loud = place.run(&["check", "run.trace", "--spec", "m.props", "--witness", "never"]);
    assert!(loud.stderr.contains("warning") && loud.stdout.contains("out"), "{}", loud.shown());
    let quiet = place.run(&["check", "run.trace", "--spec", "m.props", "--witness", "never", "-q"]);
    insta::assert_snapshot!(quiet.shown());
    // A warning that is denied is an error.
    let denied = place.run(&["check", "run.trace", "--spec", "m.props", "--quiet", "--deny", "warnings"]);
    assert!(denied.status == 2 && denied.stderr.contains("error"), "{}", denied.shown());
    let fine = place.run(&["check", "run.trace", "--spec", "m.props", "--property", "out", "--quiet"]);
    insta::assert_snapshot!("quiet_and_fine", fine.shown());
}

/// What `-q` leaves out is the same everywhere: what holds, warnings and notes. What was asked for is told.
#[test]
fn quiet_is_the_same_for_every_command() {
    let place = Place::with(&[
        ("run.trace", MUTEX),
        ("log.jsonl", "{\"process\":\"A\",\"st\":{\"x\":1}}\n"),
        ("good.txt", "A.1\nA.2\nB.1\nB.2\n"),
        ("bad.txt", "A.1\nB.1\nA.2\nB.2\n"),
    ]);
    let replay = |order: &str| {
        place.run(&["replay", "run.trace", "--ltl", "G !(c0 == 1 && c1 == 1)", "--witness", order, "-q"]).shown()
    };
    insta::assert_snapshot!("quiet_replay_that_holds", replay("good.txt"));
    insta::assert_snapshot!("quiet_replay_that_fails", replay("bad.txt"));
    let explain = ["explain", "G (event(eat) -> F c0 == 0)", "run.trace"];
    let loud = place.run(&explain);
    assert!(loud.stdout.contains("warning: no event of this run is called `eat`"), "{}", loud.shown());
    insta::assert_snapshot!("quiet_explain", place.run(&[&explain[..], &["-q"]].concat()).shown());
    let loud = place.run(&["info", "log.jsonl"]);
    assert!(loud.stderr.contains("did you mean `set`?"), "{}", loud.shown());
    insta::assert_snapshot!("quiet_info", place.run(&["info", "log.jsonl", "-q"]).shown());
}

#[test]
fn a_property_is_chosen_by_its_name() {
    let place = Place::with(&[
        ("run.trace", MUTEX),
        (
            "m.props",
            "property out = ltl F (c0 == 0)\nproperty apart = ltl G !(c0 == 1 && c1 == 1)\nproperty last = ltl F c1 == 0\n",
        ),
    ]);
    let check = ["check", "run.trace", "--spec", "m.props", "--json"];
    let chosen = place.run(&[&check[..], &["--property", "last", "--property", "out"]].concat());
    assert_eq!(chosen.results("property"), ["out", "last"]);
    for command in [&["check", "run.trace"][..], &["explain"], &["monitor", "-"], &["check", "--follow", "-"]] {
        let seen = place.run(&[command, &["--spec", "m.props", "--property", "appart"]].concat());
        assert_eq!(seen.status, 2);
        assert!(seen.stderr.contains("no property is called `appart`"), "{}", seen.shown());
        assert!(seen.stderr.contains("help: did you mean `apart`?"), "{}", seen.shown());
    }
    let far = place.run(&[&check[..], &["--property", "something"]].concat());
    assert!(far.stderr.contains("the properties are `out`, `apart`, `last`"), "{}", far.shown());
}

/// Commands whose reports have everything in them that reports can have.
fn commands(place: &Place) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = Vec::new();
    let mut add = |line: &str| all.push(line.split(' ').map(str::to_owned).collect());
    for (run, spec) in [
        ("two-phase-commit/run.jsonl", "two-phase-commit/two-phase-commit.props"),
        ("mutex/race.trace", "mutex/mutex.props"),
        ("valve/race.trace", "valve/valve.props"),
        ("thermostat/night.jsonl", "thermostat/thermostat.props"),
        ("chat/run.jsonl", "chat/chat.props"),
        ("cache/cache.log", "cache/cache.props"),
    ] {
        for flags in ["", " --trace", " --counts --stats", " --witness always"] {
            add(&format!("check examples/{run} --spec examples/{spec}{flags}"));
        }
        add(&format!("info examples/{run}"));
        add(&format!("explain examples/{spec}"));
        if !run.starts_with("cache") {
            add(&format!("explain examples/{spec} examples/{run}"));
        }
    }
    let two_phase = "check examples/two-phase-commit/run.jsonl --model examples/two-phase-commit/two-phase-commit.sys";
    add(two_phase);
    add(&format!("{two_phase} --witness always --stats"));
    for folder in ["models", "systems", "systems/paper003"] {
        let entries = fs::read_dir(place.path().join("examples").join(folder)).expect("a directory");
        let mut names: Vec<String> =
            entries.map(|e| e.expect("an entry").file_name().into_string().expect("text")).collect();
        names.sort();
        for name in names.iter().filter(|n| [".smv", ".sys", ".pnml"].iter().any(|end| n.ends_with(end))) {
            add(&format!("verify examples/{folder}/{name} --witness always --stats --timeout 20s"));
            add(&format!("verify examples/{folder}/{name} --deadlock --timeout 20s"));
        }
    }
    for name in ["buffer", "crossing", "handshake", "philosophers"] {
        add(&format!("verify examples/systems/{name}.sys --spec examples/systems/{name}.props --stats"));
    }
    add("verify examples/systems/crossing.pnml --bound");
    for refine in [
        "milner.sys --impl P --spec S --stats",
        "milner-faulty.sys examples/refine/milner-asked.sys",
        "queue.sys --impl TwoCells --spec Queue",
        "milner.sys --impl P --spec S --abstraction --stats",
        "milner-parts.sys --part P0=S0 --part P1=S1 --part P2=S2",
    ] {
        add(&format!("refine examples/refine/{refine}"));
    }
    add("m2l examples/m2l/addition.mona --stats");
    add("m2l examples/m2l/bus.mona");
    add("check examples/mutex/race.trace --spec nowhere.props");
    add("check examples/mutex/race.trace --spec examples/mutex/mutex.props --property mutexes");
    add("check examples/mutex/race.trace --ltl G(unheard_of_variable==1->X(c0==1&&c1==1&&unheard_of_variable==2))");
    add("check examples/mutex/race.trace --ltl G(c0==1&&(c1==1||c0==2)))))");
    add("check examples/mutex/race.trace --ltl G(event(something_that_never_happens)->F(c0==1))");
    add("check examples/mutex/mutex.props --ltl G(c0==1)");
    add("verify examples/models/peterson.smv --m2l all1(p):true");
    add("verify examples/models/peterson.smv --livelock --bound --observe x");
    add("monitor examples/chat/run.jsonl --spec examples/chat/chat.props --property by_bob");
    add("convert examples/chat/run.jsonl -o out.csv");
    add("convert examples/cache/cache.log -o out.jsonl");
    add("gen sat nowhere.cnf");
    all
}

#[test]
fn what_people_read_fits_their_screen() {
    let place = with_examples();
    let mut wide = String::new();
    for command in commands(&place) {
        let args: Vec<&str> = command.iter().map(String::as_str).collect();
        for columns in [60, 80, 120] {
            let seen = at(&place, columns, &args);
            for line in seen.stdout.lines().chain(seen.stderr.lines()) {
                // What has no spaces cannot be broken.
                let longest = line.split(' ').map(UnicodeWidthStr::width).max().unwrap_or(0);
                if line.width() > columns && longest < columns / 2 {
                    wide.push_str(&format!("{columns} {}: {}\n{line}\n", line.width(), args.join(" ")));
                }
            }
        }
    }
    assert!(wide.is_empty(), "{wide}");
}

#[test]
fn ascii_is_ascii() {
    let place = with_examples();
    let mut other = String::new();
    for command in commands(&place) {
        let args: Vec<&str> = command.iter().map(String::as_str).chain(["--ascii"]).collect();
        let seen = at(&place, 80, &args);
        for line in seen.stdout.lines().chain(seen.stderr.lines()).filter(|line| !line.is_ascii()) {
            other.push_str(&format!("{}\n{line}\n", args.join(" ")));
        }
    }
    assert!(other.is_empty(), "{other}");
}
