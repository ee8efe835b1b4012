//! The examples, run as programs, and what Posetta says about what they recorded.

use std::path::PathBuf;
use std::process::Command;

use posetta::check::{Observed, Runs};
use posetta::{Budget, Format, Options, Property, Trace, check};

/// Cargo builds the examples of a package beside its tests.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it is");
    let directory = test.parent().and_then(|deps| deps.parent()).expect("tests are built in `deps`");
    let path = directory.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(path.exists(), "{} is not there: run the tests of the whole package", path.display());
    path
}

fn read(bytes: &[u8]) -> Trace {
    posetta::read(Format::JsonLines, bytes, &Budget::unlimited())
        .unwrap_or_else(|f| panic!("{f}\n{}", String::from_utf8_lossy(bytes)))
}

fn ask(trace: &Trace, formula: &str) -> (&'static str, Option<Runs>, Option<Observed>) {
    let property = Property::ltl(formula).expect("a formula");
    let answer = check(trace, &property, &Options::default(), &Budget::unlimited()).expect("it applies");
    (answer.verdict.word(), answer.runs(), answer.observed())
}

#[test]
fn orders() {
    let run = |args: &[&str]| {
        let output = Command::new(example("orders")).args(args).output().expect("it starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        read(&output.stdout)
    };
    let property = "G (mailed <= reserved)";
    assert_eq!(ask(&run(&[]), property), ("violated", Some(Runs::Some), Some(Observed::Holds)));
    assert_eq!(ask(&run(&["fixed"]), property), ("holds", Some(Runs::All), Some(Observed::Holds)));
}

#[test]
fn two_programs() {
    let directory = std::env::temp_dir().join(format!("posetta-record-{}", std::process::id()));
    let output = Command::new(example("two_programs")).arg(&directory).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let joined = std::fs::read(directory.join("run.jsonl")).expect("the joined file");
    std::fs::remove_dir_all(&directory).expect("it is ours");
    let trace = read(&joined);
    assert_eq!(trace.events().count(), 15);
    let (holds, all) = ("holds", Some(Runs::All));
    let word = |formula| {
        let (verdict, runs, _) = ask(&trace, formula);
        (verdict, runs)
    };
    assert_eq!(word("G (confirmed <= balance)"), (holds, all));
    assert_eq!(word("F (confirmed == 60 && balance == 60)"), (holds, all));
    // Every line of the client but the first waits for one of the server, and every first one of the server for the client.
    let text = String::from_utf8(joined).expect("text");
    assert_eq!(text.matches("\"after\":[\"bank.").count(), 3, "{text}");
    assert_eq!(text.matches("\"after\":[\"customer.").count(), 3, "{text}");
    // Without them, nothing would hold it together.
    let apart: String = text
        .lines()
        .map(|line| match line.split_once(",\"after\"") {
            Some((start, _)) => format!("{start}}}\n"),
            None => format!("{line}\n"),
        })
        .collect();
    assert_eq!(ask(&read(apart.as_bytes()), "G (confirmed <= balance)").0, "violated");
}
