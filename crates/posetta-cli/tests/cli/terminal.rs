//! The program at the terminal: help and its examples, colours, characters, columns, and how much is said.

use std::fs;
use std::path::Path;
use std::process::Command;

use unicode_width::UnicodeWidthStr;

use crate::program::{MUTEX, Place, Seen};

const COMMANDS: [&str; 11] =
    ["check", "verify", "m2l", "refine", "monitor", "info", "replay", "convert", "gen", "explain", "completions"];

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
        for example in examples {
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
