//! Reports for other readers: JUnit, SARIF, annotations of GitHub, Markdown. What they say is kept as expected output; validators of
//! others say that they are what they claim to be, whatever the names in the inputs are.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::program::{COMMIT, MUTEX, NEVER_BOTH, ORDERED, Place, Seen, hopeless, wide};

const FORMS: [&str; 4] = ["junit", "sarif", "github", "markdown"];

const PROPS: &str = "property never_both = ltl G !(c0 == 1 && c1 == 1)\nproperty a_enters = ltl F c0 == 1\n";
const SOME: &str = "property both = some ltl F (c0 == 1 && c1 == 1)\nproperty wait = some ltl G c0 == 0\n";
const EACH: &str = "property answered = foreach k in values(k) { ltl over events G (event(req) -> F event(ack)) }\n";
const KEYED: &str = r#"{"process":"A","name":"req","k":1}
{"process":"B","name":"req","k":"two"}
{"process":"B","name":"ack","k":1,"after":["A.1"]}
"#;
const SPANS: &str = r#"{"posetta":1,"incomplete":{"missing parent":2}}
{"process":"shop","id":"pay","set":{"paid":1},"time":2}
{"process":"stock","id":"ship","set":{"shipped":1},"time":3,"after":[{"event":"pay","because":"same clock"}]}
"#;
const LOG: &str = "a {\"a\":1}\nx=1\n\n=== second ===\nb {\"b\":1}\ny=1\n";
const SWITCH: &str =
    "MODULE main\nVAR x : boolean;\nASSIGN init(x) := FALSE;\nINVARSPEC NAME off := !x;\nLTLSPEC F x | G !x\n";
const SYSTEMS: &str = "component A { lts { init i; i -put-> i } }\ncomponent B { lts { init j; j -put-> k; k -get-> j } }\nsystem S = A || B\ncomponent C { lts { init s; s -put-> s; s -get-> s } }\nsystem T = B\nsystem U = C\n";

fn place() -> Place {
    Place::with(&[
        ("mutex.trace", MUTEX),
        ("ordered.trace", ORDERED),
        ("commit.jsonl", COMMIT),
        ("broken.trace", "A: enter c0=\n"),
        ("keyed.jsonl", KEYED),
        ("spans.jsonl", SPANS),
        ("runs.log", LOG),
        ("p.props", PROPS),
        ("some.props", SOME),
        ("each.props", EACH),
        ("switch.smv", SWITCH),
        ("s.sys", SYSTEMS),
        ("a.trace", "A: enter c0=1 -> leave c0=0\n"),
        ("b.trace", "B: enter c1=1 -> leave c1=0\n"),
        ("s.trace", "A: put\nB: get -> get\n"),
        ("neither.mona", "m2l-str;\nvar2 X; ex1 p: p in X;\n"),
    ])
}

/// Questions whose answers are of every sort.
fn scenarios() -> Vec<(&'static str, Vec<&'static str>)> {
    let log = ["check", "runs.log", "--from", "shiviz", "--regex", r"(?<host>\S+) (?<clock>\{.*\})\n(?<event>.*)"];
    vec![
        ("a violation", vec!["check", "mutex.trace", "--spec", "p.props"]),
        ("several runs", vec!["check", "ordered.trace", "mutex.trace", "--spec", "p.props"]),
        ("the recorded order is fine", vec!["check", "commit.jsonl", "--ltl", "G (committed == 1 -> b == 1)"]),
        ("runs of one file", [&log[..], &["--delimiter", "=== (?<trace>.*) ===", "--ltl", "F false"]].concat()),
        ("unreadable", vec!["check", "broken.trace", "mutex.trace", "--spec", "p.props"]),
        ("a property that does not fit", vec!["check", "mutex.trace", "--ltl", "G nobody == 1"]),
        ("a property that cannot be read", vec!["check", "mutex.trace", "--ltl", "G ("]),
        ("a warning", vec!["check", "ordered.trace", "--ltl", "G (event(never) -> F c0 == 1)"]),
        (
            "a warning that is denied",
            vec!["check", "ordered.trace", "--ltl", "G (event(never) -> F c0 == 1)", "--deny", "warnings"],
        ),
        ("some", vec!["check", "mutex.trace", "--spec", "some.props"]),
        ("for each value", vec!["check", "keyed.jsonl", "--spec", "each.props"]),
        ("what it rests on", vec!["check", "spans.jsonl", "--ltl", "G (shipped == 1 -> paid == 1)"]),
        ("ctl", vec!["check", "mutex.trace", "--ctl", "AG (c0 == 1 -> AF c1 == 1)"]),
        ("a model", vec!["check", "s.trace", "--model", "s.sys", "--system", "S"]),
        ("files of one run", vec!["check", "a.trace", "b.trace", "--join", "--ltl", NEVER_BOTH]),
        ("files that are no run", vec!["check", "a.trace", "mutex.trace", "--join", "--ltl", NEVER_BOTH]),
        ("verify", vec!["verify", "switch.smv", "--ctl", "EF !x", "--ltl", "G x"]),
        ("verify a system", vec!["verify", "s.sys", "--system", "S", "--ltl", "G !put", "--deadlock"]),
        ("refine", vec!["refine", "s.sys", "--impl", "U", "--spec", "T"]),
        ("refine what is not there", vec!["refine", "nothing.sys"]),
        ("m2l", vec!["m2l", "neither.mona"]),
    ]
}

/// Without times, which are never the same.
fn without_times(text: &str) -> String {
    let mut pieces = text.split(" time=\"");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (_, rest) = piece.split_once('"').expect("an end");
        let _ = write!(out, " time=\"…\"{rest}");
    }
    out
}

fn in_form(place: &Place, form: &str, args: &[&str]) -> Seen {
    place.run(&[args, &["--format", form]].concat())
}

fn golden(form: &str, shown: fn(&str) -> String) -> String {
    let place = place();
    let mut out = String::new();
    for (title, args) in scenarios() {
        let seen = in_form(&place, form, &args);
        let plain = place.run(&args);
        assert_eq!(seen.status, plain.status, "{title}: the form changes the status");
        assert_eq!(seen.stderr, plain.stderr, "{title}: the form changes what is said aside");
        let _ = write!(out, "=== {title}: exit {}\n{}", seen.status, shown(&seen.stdout));
    }
    out
}

#[test]
fn junit() {
    insta::assert_snapshot!(golden("junit", without_times));
}

#[test]
fn github() {
    insta::assert_snapshot!(golden("github", str::to_owned));
}

#[test]
fn markdown() {
    insta::assert_snapshot!(golden("markdown", str::to_owned));
}

/// The whole document once; of the others what they point at.
#[test]
fn sarif() {
    let whole = in_form(&place(), "sarif", &["check", "mutex.trace", "--spec", "p.props"]);
    let whole: Value = serde_json::from_str(&whole.stdout).expect("JSON");
    insta::assert_snapshot!(format!("{whole:#}").replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    insta::assert_snapshot!(golden("sarif", pointed));
}

fn place_of(location: &Value) -> String {
    let physical = &location["physicalLocation"];
    let mut out = physical["artifactLocation"]["uri"].as_str().unwrap_or("nowhere").to_owned();
    for field in ["startLine", "startColumn"] {
        if let Some(n) = physical["region"][field].as_u64() {
            let _ = write!(out, ":{n}");
        }
    }
    if let Some(name) = location["logicalLocations"][0]["fullyQualifiedName"].as_str() {
        let _ = write!(out, " [{name}]");
    }
    out
}

fn pointed(text: &str) -> String {
    let document: Value = serde_json::from_str(text).expect("JSON");
    let run = &document["runs"][0];
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let said = |value: &Value| value["message"]["text"].as_str().unwrap_or_default().to_owned();
    let mut out = format!("successful: {} {}\n", run["invocations"][0]["executionSuccessful"], run["properties"]);
    for rule in list(&run["tool"]["driver"]["rules"]) {
        let _ = writeln!(out, "rule {} = {}", rule["id"], rule["fullDescription"]["text"]);
    }
    for result in list(&run["results"]) {
        let _ = writeln!(out, "{} at {}: {}", result["ruleId"], place_of(&result["locations"][0]), said(&result));
        for related in list(&result["relatedLocations"]) {
            let _ = writeln!(out, "  {}: {}", place_of(&related), said(&related));
        }
        for step in list(&result["codeFlows"][0]["threadFlows"][0]["locations"]) {
            let _ = writeln!(
                out,
                "  {}. {}: {}",
                step["executionOrder"],
                place_of(&step["location"]),
                said(&step["location"])
            );
        }
    }
    for told in list(&run["invocations"][0]["toolExecutionNotifications"]) {
        let places: Vec<String> = list(&told["locations"]).iter().map(place_of).collect();
        let _ = writeln!(out, "{} {} {places:?}: {}", told["level"], told["descriptor"]["id"], said(&told));
    }
    out
}

/// Lines move, other properties come: what was found stays the same.
#[test]
fn fingerprints_stay() {
    let prints = |run: &str, props: &str| {
        let place = Place::with(&[("a.trace", run), ("p.props", props)]);
        let seen = in_form(&place, "sarif", &["check", "a.trace", "--spec", "p.props", "--property", "never_both"]);
        let document: Value = serde_json::from_str(&seen.stdout).expect("JSON");
        document["runs"][0]["results"][0]["partialFingerprints"].to_string()
    };
    let first = prints(MUTEX, PROPS);
    assert_eq!(first, prints(&format!("# a comment\n{MUTEX}C: more\n"), &format!("// another\n{PROPS}")));
    assert_ne!(first, prints(MUTEX, &PROPS.replace("c1 == 1", "c1 > 0")));
    assert!(first.contains("primaryLocationLineHash"), "{first}");
}

#[test]
fn unknown_never_passes() {
    let place = Place::with(&[("wide.trace", &wide()), ("mutex.trace", MUTEX)]);
    let hopeless = hopeless();
    let files = FORMS.map(|form| format!("{form}=out.{form}"));
    let mut args = vec!["check", "wide.trace", "--ltl", &hopeless, "--timeout", "300ms"];
    files.iter().for_each(|file| args.extend(["--report", file]));
    let seen = place.run(&args);
    assert_eq!(seen.status, 3, "{}", seen.shown());
    let junit = place.read("out.junit");
    assert!(junit.contains("tests=\"1\" failures=\"0\" errors=\"1\""), "{junit}");
    assert!(junit.contains("<error type=\"unknown\" message=\"unknown: "), "{junit}");
    let sarif = pointed(&place.read("out.sarif"));
    assert!(sarif.starts_with("successful: false") && sarif.contains("\"error\" \"unknown\""), "{sarif}");
    assert!(place.read("out.github").starts_with("::error file=wide.trace,title="), "{}", place.read("out.github"));
    assert!(place.read("out.markdown").starts_with("## Posetta: 1 unknown\n"), "{}", place.read("out.markdown"));
}

/// A limit that comes before anything is asked is no answer either.
#[cfg(unix)]
#[test]
fn what_was_never_asked_does_not_pass() {
    let place = Place::with(&[("mutex.trace", MUTEX)]);
    place.pipe("p.props");
    let mut out = String::new();
    for form in FORMS {
        let seen = in_form(&place, form, &["check", "mutex.trace", "--spec", "p.props", "--timeout", "100ms"]);
        assert_eq!(seen.status, 3, "{}", seen.shown());
        let text = if form == "sarif" { pointed(&seen.stdout) } else { without_times(&seen.stdout) };
        let _ = write!(out, "=== {form}\n{text}");
    }
    insta::assert_snapshot!(out);
}

/// Names that try to be something else, in everything that an input can name.
const HOSTILE: &str = "]]> & <script>alert(1)</script> \u{1b}[2J ::error file=x::y `` ``` | \u{202e}rtl\u{0}\n\n# title\n- [a](http://b) %0A,: \u{ffff}";

fn hostile() -> (Place, String, Vec<String>) {
    let event = |process: &str, set: &str| {
        let event = serde_json::json!({ "process": format!("{process}{HOSTILE}"), "name": HOSTILE, "set": { set: 1, "text": HOSTILE } });
        format!("{event}\n")
    };
    let run = event("A", "x") + &event("B", "y");
    // A file can be called anything but a slash and a zero.
    let name: String = format!("{HOSTILE}.jsonl").chars().filter(|c| !"/\0".contains(*c)).collect();
    let place = Place::with(&[(&name, &run)]);
    let quoted = serde_json::json!(HOSTILE).to_string();
    let args = ["check", &name, "--ltl", "G !(x == 1 && y == 1)", "--ltl"].map(str::to_owned);
    let formula = format!("G (text != {quoted})");
    let unknown = ["--ltl".to_owned(), "G nobody == 1".to_owned()];
    (place, name, args.into_iter().chain([formula]).chain(unknown).collect())
}

#[test]
fn hostile_names_stay_names() {
    let (place, name, args) = hostile();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    // With the last property it is a mistake, without it there are verdicts.
    for args in [&args[..], &args[..args.len() - 2]] {
        let junit = in_form(&place, "junit", args).stdout;
        let document = roxmltree::Document::parse(&junit).expect("XML");
        let known = ["testsuites", "testsuite", "testcase", "failure", "error", "system-out"];
        assert!(
            document.descendants().filter(roxmltree::Node::is_element).all(|n| known.contains(&n.tag_name().name()))
        );
        let failures = document.descendants().filter(|node| node.has_tag_name("failure")).count();
        assert_eq!(failures, 2, "{junit}");
        let text: String = document.descendants().filter_map(|node| node.text()).collect();
        assert!(text.contains("]]> & <script>alert(1)</script> \\u001b[2J ::error"), "{junit}");

        let sarif: Value = serde_json::from_str(&in_form(&place, "sarif", args).stdout).expect("JSON");
        let uri = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        let uri = uri.as_str().expect("a URI");
        assert!(uri.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~%".contains(&b)), "{uri}");
        let unescaped: Vec<u8> = unescape(uri);
        assert_eq!(String::from_utf8(unescaped).expect("UTF-8"), name);

        let github = in_form(&place, "github", args).stdout;
        assert!(github.lines().all(|line| line.starts_with("::error ") || line.starts_with("::warning ")), "{github}");
        assert!(!github.contains(['\u{1b}', '\u{202e}']), "{github}");
        for line in github.lines() {
            let command = line[2..].split("::").next().expect("a command");
            assert!(command.contains("title="), "{line}");
        }
        let markdown = in_form(&place, "markdown", args).stdout;
        assert!(!markdown.contains(['\u{1b}', '\u{202e}', '\0']), "{markdown}");
        assert!(!markdown.lines().any(|line| line.starts_with("# ") || line.starts_with("- ")), "{markdown}");
    }
}

fn unescape(uri: &str) -> Vec<u8> {
    let mut bytes = uri.bytes();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digits = [bytes.next(), bytes.next()].map(|b| char::from(b.expect("two digits")));
        out.push(u8::from_str_radix(&digits.iter().collect::<String>(), 16).expect("digits"));
    }
    out
}

/// Every document above, by the schemas and validators of others.
#[test]
fn validators_of_others_agree() {
    let (Some(python), Some(schemas)) = (posetta_peers::python(), posetta_peers::schemas()) else { return };
    let out = Place::with(&[]);
    let keep = |place: &Place, title: &str, args: &[&str]| {
        for form in FORMS {
            let text = in_form(place, form, args).stdout;
            out.write(&format!("{}.{form}", title.replace(' ', "-")), text.as_bytes());
        }
    };
    let (own, all) = (place(), scenarios());
    all.iter().for_each(|(title, args)| keep(&own, title, args));
    let (place, _, args) = hostile();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    keep(&place, "hostile", &args);
    keep(&place, "hostile-verdicts", &args[..args.len() - 2]);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/reports/validate.py");
    let validate = |folder: &Place| {
        let mut command = Command::new(&python);
        command.arg(script).arg(folder.path()).arg(&schemas).stdin(Stdio::null()).output().expect("it starts")
    };
    let ran = validate(&out);
    let (said, wrong) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{wrong}");
    let each = all.len() + 2;
    assert_eq!(said.trim(), format!("github:{each} junit:{each} markdown:{each} sarif:{each}"));
    // They would say so if it were otherwise.
    for (name, text) in [
        ("a.junit", "<testsuites><testcase/></testsuites>"),
        ("a.sarif", "{\"version\":\"2.1.0\",\"runs\":[{}]}"),
        ("a.markdown", "a <b>c</b>\n"),
    ] {
        assert!(!validate(&Place::with(&[(name, text)])).status.success(), "{name}");
    }
}

#[test]
fn several_at_once() {
    let place = place();
    let check = ["check", "mutex.trace", "commit.jsonl", "--spec", "p.props", "--trace", "--ctl", "AG c0 == 0"];
    let plain = place.run(&check);
    let alone: Vec<String> =
        ["json", "junit", "sarif", "github", "markdown"].map(|form| in_form(&place, form, &check).stdout).into();
    let mut args = check.to_vec();
    let files = ["json", "junit", "sarif", "github", "markdown", "human"].map(|form| format!("{form}=out/{form}"));
    files.iter().for_each(|file| args.extend(["--report", file]));
    std::fs::create_dir(place.path().join("out")).expect("a directory");
    let seen = place.run(&args);
    assert_eq!((seen.shown(), seen.status), (plain.shown(), plain.status));
    let seconds = |text: &str| Seen { status: 0, stdout: without_times(text), stderr: String::new() }.shown();
    for (form, alone) in ["json", "junit", "sarif", "github", "markdown"].iter().zip(&alone) {
        assert_eq!(seconds(&place.read(&format!("out/{form}"))), seconds(alone), "{form}");
    }
    crate::program::schema::check(&place.read("out/json"));
    assert_eq!(place.read("out/human"), plain.stderr + &plain.stdout);
    assert_eq!(std::fs::read_dir(place.path().join("out")).expect("a directory").count(), 6, "no draft is left");
    // On standard output instead of the report for people.
    let instead = place.run(&[&check[..], &["--report", "markdown=-"]].concat());
    assert_eq!(instead.stdout, alone[4]);
}

/// What is known at the end of a run that is followed.
#[test]
fn a_run_that_is_followed() {
    let place = place();
    let check = ["check", "--follow", "commit.jsonl", "--spec", "f.props"];
    place.write("f.props", b"property ready = ltl G (committed == 1 -> b == 1)\nproperty ends = ltl F done_b == 1\n");
    let plain = place.run(&check);
    let seen = place.run(&[&check[..], &["--report", "junit=out.junit", "--report", "sarif=out.sarif"]].concat());
    assert_eq!(seen.shown(), plain.shown());
    let told = [without_times(&place.read("out.junit")), pointed(&place.read("out.sarif"))].concat();
    insta::assert_snapshot!(seen.shown() + &told);
}

#[test]
fn the_number_of_jobs_changes_nothing() {
    let names: Vec<String> = (0..40).map(|i| format!("runs/{i:02}.trace")).collect();
    let files: Vec<(&str, &str)> = names
        .iter()
        .enumerate()
        .map(|(i, name)| (name.as_str(), [MUTEX, ORDERED, "A: enter c0=\n"][i % 3]))
        .chain([("p.props", PROPS)])
        .collect();
    let place = Place::with(&files);
    for form in FORMS {
        let of = |jobs: &str| {
            let seen = in_form(&place, form, &["check", "runs", "--spec", "p.props", "--jobs", jobs]);
            assert_eq!(seen.status, 2, "{}", seen.shown());
            without_times(&seen.stdout)
        };
        assert_eq!(of("1"), of("2"), "{form}");
    }
}

#[test]
fn mistakes() {
    let place = place();
    place.write("folder/x", b"");
    let cases: [(&str, &[&str]); 9] = [
        ("no format", &["report.xml"]),
        ("an unknown format", &["html5=report.html"]),
        ("no file", &["junit="]),
        ("a folder", &["junit=folder"]),
        ("a folder that is not there", &["junit=nowhere/report.xml"]),
        ("one file twice", &["junit=report.xml", "sarif=./report.xml"]),
        ("standard output twice", &["junit=-", "sarif=-"]),
        ("an input", &["junit=mutex.trace"]),
        ("the properties", &["junit=p.props"]),
    ];
    let mut out = String::new();
    for (title, reports) in cases {
        let mut args = vec!["check", "mutex.trace", "--spec", "p.props", "--quiet"];
        reports.iter().for_each(|report| args.extend(["--report", report]));
        let seen = place.run(&args);
        assert_eq!(seen.status, 2, "{title}: {}", seen.shown());
        let _ = write!(out, "=== {title}\n{}", seen.shown());
    }
    let graph = ["verify", "s.sys", "--system", "S", "--observe", "put", "--graph", "g.dot", "--report", "sarif=g.dot"];
    let _ = write!(out, "=== the file of the graph\n{}", place.run(&graph).shown());
    let with_json = place.run(&["check", "mutex.trace", "--spec", "p.props", "--json", "--report", "junit=-"]);
    let _ = write!(out, "=== standard output has JSON\n{}", with_json.shown());
    let followed = place.run(&["check", "--follow", "commit.jsonl", "--ltl", "F b == 1", "--format", "junit"]);
    let _ = write!(out, "=== followed\n{}", followed.shown());
    insta::assert_snapshot!(out);
    assert_eq!((place.read("mutex.trace"), place.read("p.props")), (MUTEX.to_owned(), PROPS.to_owned()));
    assert!(!place.exists("report.xml"));
    let left: BTreeSet<String> = std::fs::read_dir(place.path())
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains(".part"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A workflow takes every line that begins with `::`, blanks left out, for a command. Names come from strangers.
#[test]
fn a_name_is_no_command_of_a_workflow() {
    let place = place();
    let name = "::stop-commands::x";
    let run = |process: &str| format!("{{\"process\":\"{process}\",\"set\":{{\"x\":1}}}}\n{{\"process\":\"d\"}}\n");
    place.write("::notice::a.jsonl", run(name).as_bytes());
    place.write("other.jsonl", run("##[group]").as_bytes());
    let args = ["check", "::notice::a.jsonl", "other.jsonl", "--ltl", "G !(x == 1) && F event(\"::never\")"];
    let quoted = |workflow: &str| {
        let mut command = place.command(&args);
        let output = command.env("GITHUB_ACTIONS", workflow).stdin(Stdio::null()).output().expect("it starts");
        let text = String::from_utf8([output.stdout, output.stderr].concat()).expect("text");
        let is_command = |line: &&str| ["::", "##["].iter().any(|mark| line.trim_start().starts_with(mark));
        let commands: Vec<String> = text.lines().filter(is_command).map(|line| line.trim_start().to_owned()).collect();
        (text, commands)
    };
    let (told, commands) = quoted("true");
    assert!(
        told.contains("\\u003a:notice::a.jsonl  2 processes") && told.contains("\\u003a:stop-commands::x"),
        "{told}"
    );
    assert!(told.contains("\\u0023#[group]"), "{told}");
    let is_ours = |line: &String| line.starts_with("::error ") || line.starts_with("::warning ");
    assert!(commands.len() > 1 && commands.iter().all(is_ours), "{commands:#?}");
    let (told, commands) = quoted("false");
    assert!(told.contains("::notice::a.jsonl  2 processes") && commands.contains(&name.to_owned()), "{told}");
}

/// In a step of a workflow: annotations beside the usual report, and a summary that is added to.
#[test]
fn a_workflow_is_told() {
    let place = place();
    place.write("work/in/mutex.trace", MUTEX.as_bytes());
    let run = |args: &[&str], full: bool| {
        if full {
            place.write("summary.md", &vec![b'x'; 1 << 20]);
        }
        let mut command = place.command(args);
        let folder = place.path().join("work");
        command
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_WORKSPACE", &folder)
            .env("GITHUB_STEP_SUMMARY", place.path().join("summary.md"))
            .current_dir(folder.join("in"));
        let output = command.stdin(Stdio::null()).output().expect("it starts");
        Seen {
            status: output.status.code().expect("a status"),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    };
    let check = ["check", "mutex.trace", "--ltl", NEVER_BOTH];
    let told = run(&check, false);
    insta::assert_snapshot!(told.shown() + "--- summary\n" + &place.read("summary.md"));
    let once = place.read("summary.md");
    run(&check, false);
    assert_eq!(place.read("summary.md"), once.repeat(2), "it is added to");
    // What was asked for is not told twice.
    let asked = run(&[&check[..], &["--format", "github"]].concat(), false);
    assert!(
        asked.stderr.is_empty() && asked.stdout.starts_with("::error file=in/mutex.trace,line=2,"),
        "{}",
        asked.shown()
    );
    place.remove("summary.md");
    let silent = run(&[&check[..], &["--no-annotations"]].concat(), false);
    assert!(silent.stderr.is_empty() && !place.exists("summary.md"), "{}", silent.shown());
    let full = run(&check, true);
    assert!(
        full.stderr.contains("cannot write the summary of the step") && full.stderr.contains("it is full"),
        "{}",
        full.shown()
    );
    assert_eq!((full.status, place.read("summary.md").len()), (1, 1 << 20));
}

/// What docs/report.md shows is what is printed, but for the times.
#[test]
fn the_docs_show_what_is_printed() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let page = std::fs::read_to_string(format!("{root}/docs/report.md")).expect("the page");
    let section = page.split("## Reports for other readers\n").nth(1).expect("the section");
    let section = section.split("\n## Limits").next().expect("its text");
    let mut lines = section.lines();
    let mut shown = 0;
    while let Some(line) = lines.next() {
        let Some(fence) = line.strip_suffix("console").filter(|fence| fence.starts_with("```")) else { continue };
        let command = lines.next().and_then(|line| line.strip_prefix("$ posetta ")).expect("a command");
        let output: String = lines.by_ref().take_while(|line| *line != fence).map(|line| format!("{line}\n")).collect();
        let args: Vec<&str> = command.split_whitespace().collect();
        let ran = Place::with(&[]).command(&args).current_dir(root).stdin(Stdio::null()).output().expect("it starts");
        let printed = String::from_utf8(ran.stdout).expect("text");
        assert_eq!(without_times(&printed), without_times(&output), "{command}");
        shown += 1;
    }
    assert_eq!(shown, 3);
}
