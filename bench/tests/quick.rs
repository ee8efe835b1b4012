//! The whole program on tiny inputs. How fast anything is decides nothing here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_posetta-bench");

fn bench(dir: &Path, args: &[&str]) -> (Output, String) {
    bench_with(dir, args, &[])
}

/// With further variables of the environment.
fn bench_with(dir: &Path, args: &[&str], variables: &[(&str, &str)]) -> (Output, String) {
    let mut command = Command::new(PROGRAM);
    // So that the report is the same wherever the tests run.
    command.env("POSETTA_BENCH_SPIN", "/nowhere/spin").env("POSETTA_BENCH_NUSMV", "/nowhere/NuSMV");
    command.env("POSETTA_BENCH_BUDDY", "/nowhere/bdd.h");
    command.envs(variables.iter().copied());
    command.arg("--out").arg(dir.join("out")).arg("--data").arg(dir.join("data")).args(args);
    let output = command.output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output, text)
}

/// The fields of a CSV file that has neither quotes nor commas in its fields, the header first.
fn fields(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.lines().map(|l| l.split(',').map(str::to_owned).collect()).collect()
}

/// Panics unless every element is closed where it must be.
fn well_formed(svg: &str) {
    let mut open = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        let end = rest[start..].find('>').expect("a tag ends") + start;
        let tag = &rest[start + 1..end];
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        let name = tag.trim_matches('/').split_whitespace().next().expect("a tag has a name");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{open:?} stay open");
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "a figure is no number");
}

#[test]
fn table_csv_and_plots_come_out() {
    let dir = TempDir::new().expect("a directory");
    let (output, text) = bench(dir.path(), &["--quick", "--events", "300", "--program", "none"]);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    for words in [
        "processor ",
        "load ",
        "rustc ",
        "NuSMV  absent  for CTL on cuts, and models: POSETTA_BENCH_NUSMV names /nowhere/NuSMV, which is not there",
        "SPIN   absent  for models of systems: POSETTA_BENCH_SPIN names /nowhere/spin, which is not there",
        "reading-jsonl-clocks (row 11)",
        "300 events of 8 processes, 300 lines",
        "count lines ",
        "serde_json ",
        "check true    absent: left out with --program none",
    ] {
        assert!(text.contains(words), "no `{words}` in\n{text}");
    }
    let out = dir.path().join("out");
    let report = fs::read_to_string(out.join("report.txt")).expect("a report");
    assert!(text.starts_with(&report), "what is printed is what is written");
    let runs = fields(&out.join("runs.csv"));
    assert_eq!(runs[0].join(","), "workload,row,contender,role,round,wall_s,cpu_s,peak_bytes,input_bytes,events");
    // Three kinds of JSON lines with four contenders, text with three, two rounds each; ShiViz if it can be read.
    assert!(runs.len() > 2 * (3 * 4 + 3), "{}", runs.len());
    for run in &runs[1..] {
        assert_eq!(run.len(), runs[0].len(), "{run:?}");
        for number in &run[4..] {
            assert!(number.parse::<f64>().is_ok_and(|n| n.is_finite()), "{run:?}");
        }
        assert!(run[7].parse::<u64>().is_ok_and(|bytes| bytes > 100_000), "a process takes memory: {run:?}");
    }
    let summary = fields(&out.join("summary.csv"));
    assert!(summary.len() > 3 * 4 + 3 && summary.iter().all(|s| s.len() == summary[0].len()), "{summary:?}");
    for chart in ["time", "rate", "memory"] {
        let svg = fs::read_to_string(out.join(format!("reading-{chart}.svg"))).expect("a plot");
        well_formed(&svg);
        assert!(svg.contains("reading-jsonl-after") && svg.matches("<rect").count() > 8, "{svg}");
    }
}

#[test]
fn inputs_are_the_same_each_time_and_kept() {
    let (one, other) = (TempDir::new().expect("a directory"), TempDir::new().expect("a directory"));
    let args = ["--quick", "--events", "200", "--program", "none", "--times", "1"];
    for dir in [&one, &other, &one] {
        assert!(bench(dir.path(), &args).0.status.success());
    }
    let read = |dir: &TempDir| {
        let entries = fs::read_dir(dir.path().join("data")).expect("there are inputs");
        let mut files: Vec<_> = entries.map(|e| e.expect("readable").path()).collect();
        files.sort();
        let pairs = files.iter().map(|p| (p.file_name().map(ToOwned::to_owned), fs::read(p).expect("readable")));
        pairs.collect::<Vec<_>>()
    };
    assert_eq!(read(&one), read(&other));
}

#[test]
fn a_wrong_answer_and_a_failure_are_reported() {
    let dir = TempDir::new().expect("a directory");
    let args = ["reading-text", "--quick", "--events", "100", "--program", "none"];
    assert!(bench(dir.path(), &args).0.status.success());
    let facts = dir.path().join("data/reading-text-v1-10x100.facts.json");
    let text = fs::read_to_string(&facts).expect("the facts of the input");
    fs::write(&facts, text.replace("\"events\":100", "\"events\":101")).expect("writable");
    let (output, text) = bench(dir.path(), &args);
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("answers wrongly: `events 100 processes 10` instead of `events 101 processes 10`"), "{text}");

    let dir = TempDir::new().expect("a directory");
    // This program is not `posetta`, and says so.
    let args = ["reading-text", "--quick", "--events", "100", "--program", PROGRAM];
    let (output, text) = bench(dir.path(), &args);
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("FAILED  reading-text: check true: "), "{text}");
}

/// The program that simulates runs, if it was built with this one: the tests of one package alone do not build it.
fn simulator() -> Option<PathBuf> {
    let name = format!("posetta{}", std::env::consts::EXE_SUFFIX);
    let path = Path::new(PROGRAM).with_file_name(name);
    let there = path.is_file();
    if !there {
        eprintln!("SKIPPED: there is no {}; cargo build -p posetta-cli builds it", path.display());
    }
    there.then_some(path)
}

#[test]
fn runs_are_followed() {
    let Some(program) = simulator() else { return };
    let dir = TempDir::new().expect("a directory");
    let program = program.display().to_string();
    let (output, text) = bench(dir.path(), &["online", "--quick", "--times", "1", "--program", &program]);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let table = fields(&dir.path().join("out/online.csv"));
    // Two sizes of two models, and processes that never hear of each other.
    assert_eq!(table.len(), 1 + 2 * 2 + 1, "{table:?}");
    for row in &table[1..] {
        assert_eq!(row.len(), table[0].len(), "{row:?}");
        assert_eq!(row[8], if row[0].starts_with("uncoupled") { "unknown" } else { "holds" }, "{row:?}");
    }
    well_formed(&fs::read_to_string(dir.path().join("out/online.svg")).expect("a plot"));
}

#[test]
fn exports_of_spans_are_read_and_checked() {
    let Some(program) = simulator() else { return };
    let dir = TempDir::new().expect("a directory");
    let program = program.display().to_string();
    let (output, text) = bench(dir.path(), &["spans", "--quick", "--times", "1", "--program", &program]);
    // Every trace is a run, every span is in it, and every property has the right verdict.
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(column(dir.path(), "spans-reading", "spans"), ["680"], "{text}");
    assert_eq!(column(dir.path(), "spans-traces", "answers"), ["200", "200", "400", "400"], "{text}");
    let shapes = ["tree", "deep", "wide", "concurrent"];
    assert_eq!(column(dir.path(), "spans-one", "shape"), shapes.map(|shape| [shape; 2]).concat(), "{text}");
    well_formed(&fs::read_to_string(dir.path().join("out/spans-reading.svg")).expect("a plot"));
}

#[test]
fn linear_properties_are_decided_on_short_runs() {
    let Some(program) = simulator() else { return };
    let dir = TempDir::new().expect("a directory");
    let program = program.display().to_string();
    let rows = ["ltl", "table-1", "figure-4", "scaling", "--quick", "--events", "1000", "--times", "1"];
    let (output, text) = bench(dir.path(), &[&rows[..], &["--program", &program]].concat());
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let out = dir.path().join("out");
    let table = fields(&out.join("table-1.csv"));
    // The rows of the paper with 10,000 events, and 3 and 5 philosophers; correct and faulty.
    assert_eq!(table.len(), 1 + 2 * 4, "{table:?}");
    for row in &table[1..] {
        assert_eq!(row.len(), table[0].len(), "{row:?}");
        let (theirs, ours) = (row[7].parse::<u64>(), row[12].parse::<u64>());
        assert!(ours.expect("a count") <= theirs.expect("a count"), "{row:?}");
        assert_eq!(row[10], if row[0].ends_with("Faulty") { "violated" } else { "holds" }, "{row:?}");
    }
    let figure = fields(&out.join("figure-4.csv"));
    assert_eq!(figure[1][6], "18", "one for each of 17 events, and one: {figure:?}");
    assert_eq!(fields(&out.join("scaling.csv")).len(), 1 + 3 * 2);
    for plot in ["ltl-time", "scaling", "figure-4"] {
        well_formed(&fs::read_to_string(out.join(format!("{plot}.svg"))).expect("a plot"));
    }
    assert!(text.contains("spin here: ABSENT: nothing here is compared with SPIN: left out with --quick"), "{text}");
    assert!(fs::read_to_string(out.join("table-1.md")).is_ok_and(|t| t.starts_with("| model |")));
}

const LINEAR: [&str; 5] = ["linear", "--quick", "--times", "1", "--program"];

#[test]
fn linear_properties_are_decided_beside_ctl() {
    let Some(program) = simulator() else { return };
    let dir = TempDir::new().expect("a directory");
    let (output, text) = bench(dir.path(), &[&LINEAR[..], &[&program.display().to_string()]].concat());
    // A wrong verdict, or another one than that of CTL, would be a failure.
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let column = |study, heading| column(dir.path(), study, heading);
    assert_eq!(
        column("linear-rows", "verdict"),
        ["holds", "violated", "violated", "holds", "violated", "holds", "holds"],
        "{text}"
    );
    assert_eq!(column("linear-workloads", "verdict").len(), 10 * 8, "{text}");
    assert!(column("linear-workloads", "verdict").iter().all(|v| v != "unknown"), "{text}");
    for study in ["linear-rows", "linear-workloads"] {
        assert!(column(study, "CPU s").iter().all(|cell| cell.parse::<f64>().is_ok()), "{study}: {text}");
        // Not everything can be asked in CTL.
        let ctl = column(study, "CTL CPU s");
        assert!(ctl.iter().all(|cell| cell == "-" || cell.parse::<f64>().is_ok()), "{study}: {text}");
        assert!(ctl.iter().any(|cell| cell == "-") && ctl.iter().any(|cell| cell != "-"), "{study}: {text}");
    }
}

#[cfg(unix)]
#[test]
fn whoever_answers_a_linear_property_wrongly_or_not_at_all_fails() {
    let dir = TempDir::new().expect("a directory");
    let says = |verdict: &str| {
        format!(r#"{{"results":[{{"verdict":"{verdict}","limit":{{"reached":"memory"}},"stats":{{"seconds":0}}}}]}}"#)
    };
    let run = |script: &str| {
        let ours = impostor(dir.path(), script);
        bench(dir.path(), &[&["linear-rows", "--events", "64"], &LINEAR[1..], &[&ours]].concat())
    };
    let (output, text) = run(&format!("echo '{}'; exit 1", says("violated")));
    assert_eq!(output.status.code(), Some(1), "{text}");
    let title = "8 blinkers and two coupled × 64: never all on";
    for who in ["LTL", "CTL"] {
        assert!(text.contains(&format!("FAILED  {title}: {who} says violated, which is wrong")), "{text}");
    }
    let apart =
        format!("case \"$*\" in *--ctl*) echo '{}';; *) echo '{}'; exit 1;; esac", says("holds"), says("violated"));
    let (output, text) = run(&apart);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains(&format!("FAILED  {title}: LTL says violated, CTL says holds")), "{text}");
    let (output, text) = run(&format!("echo '{}'; exit 3", says("unknown")));
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains(&format!("FAILED  {title}: unknown, the limit of memory was reached")), "{text}");
}

/// Whether there are the scripts that simulate the runs on which peers are measured, and what they need.
fn scripts() -> bool {
    let there = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/peers/gen_trace.py").is_file()
        && Command::new("python3").arg("--version").output().is_ok_and(|o| o.status.success());
    if !there {
        eprintln!("SKIPPED: the peers' scripts are not beside this repository, or there is no python3");
    }
    there
}

#[test]
fn without_the_scripts_only_our_own_runs_of_ctl_are_measured() {
    let Some(program) = simulator() else { return };
    let dir = TempDir::new().expect("a directory");
    let args = ["cuts", "--quick", "--times", "1", "--program", &program.display().to_string()];
    let (output, text) = bench_with(dir.path(), &args, &[("POSETTA_BENCH_SCRIPTS", "/nowhere")]);
    assert!(output.status.success(), "{text}");
    let reason = "the peers' script gen_trace.py is not there: POSETTA_BENCH_SCRIPTS names /nowhere";
    assert_eq!(text.matches(&format!("skipped: {reason}")).count(), 3, "{text}");
    let loud = String::from_utf8_lossy(&output.stderr).matches("SKIPPED: cuts-").count();
    assert_eq!(loud, 3, "it is said where it is heard, too");
    let table = fields(&dir.path().join("out/cuts-scaling.csv"));
    assert_eq!(table.len(), 1 + 2 + 2 + 1, "{table:?}");
    assert!(table[1..].iter().all(|row| row[2] == "holds"), "{table:?}");
}

#[test]
fn ctl_is_measured_without_nusmv() {
    let Some(program) = simulator().filter(|_| scripts()) else { return };
    let dir = TempDir::new().expect("a directory");
    let args = ["cuts-", "--quick", "--peers", "--times", "1", "--program", &program.display().to_string()];
    let (output, text) = bench(dir.path(), &args);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let absent = "NuSMV is absent: POSETTA_BENCH_NUSMV names /nowhere/NuSMV, which is not there";
    assert_eq!(text.matches(absent).count(), 2, "{text}");
    let out = dir.path().join("out");
    let table = fields(&out.join("cuts-table.csv"));
    assert_eq!(table.len(), 1 + 6, "each model and number of processes: {table:?}");
    let whole = fields(&out.join("cuts-whole.csv"));
    assert_eq!(whole.len(), 1 + 3, "{whole:?}");
    for sheet in [&table, &whole] {
        let at = |heading: &str| sheet[0].iter().position(|h| h == heading).expect("a column");
        for row in &sheet[1..] {
            assert_eq!(row.len(), sheet[0].len(), "{row:?}");
            assert!(row[at("cuts")].parse::<u64>().is_ok_and(|n| n > 60), "{row:?}");
            assert_eq!([&row[at("verdict")], &row[at("NuSMV s")], &row[at("NuSMV / ours")]], ["holds", "-", "-"]);
            for figure in ["ours s", "ours CPU s", "diagrams s"] {
                assert!(row[at(figure)].parse::<f64>().is_ok(), "{figure} in {row:?}");
            }
        }
    }
    let at = table[0].iter().position(|h| h == "IST here s").expect("a column");
    assert!(table[1..].iter().all(|row| row[at].parse::<f64>().is_ok()), "asked for with --peers: {table:?}");
    assert_eq!(fields(&out.join("cuts-small.csv")).len(), 1 + 4);
    let (output, text) = bench(dir.path(), &[&args[..], &["--events", "40"]].concat());
    assert!(output.status.success(), "{text}");
    let sizes: Vec<_> = fields(&out.join("cuts-scaling.csv"))[1..].iter().map(|row| row[1].clone()).collect();
    assert_eq!(sizes, ["40", "40", "40"], "no run has more events");
    for plot in ["cuts-table", "cuts-whole", "cuts-scaling"] {
        well_formed(&fs::read_to_string(out.join(format!("{plot}.svg"))).expect("a plot"));
    }
}

/// A program in the place of NuSMV, or of ours.
#[cfg(unix)]
fn impostor(dir: &Path, script: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = dir.join("NuSMV");
    fs::write(&path, format!("#!/bin/sh\n[ \"$1\" = -h ] && exit\n{script}\n")).expect("writable");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its own file");
    path.display().to_string()
}

#[cfg(unix)]
#[test]
fn whoever_contradicts_fails_and_whoever_is_late_is_ended() {
    let Some(program) = simulator().filter(|_| scripts()) else { return };
    let dir = TempDir::new().expect("a directory");
    let args = |nusmv: &str, more: &[&str]| -> Vec<String> {
        let args = ["cuts-whole", "--quick", "--peers", "--times", "1", "--nusmv", nusmv, "--program"];
        let args = args.iter().copied().chain([program.to_str().expect("a name in Unicode")]);
        args.chain(more.iter().copied()).map(str::to_owned).collect()
    };
    let run = |args: &[String]| bench(dir.path(), &args.iter().map(String::as_str).collect::<Vec<_>>());
    let liar = impostor(dir.path(), "echo '-- specification AG something  is false'");
    let (output, text) = run(&args(&liar, &[]));
    assert_eq!(output.status.code(), Some(1), "{text}");
    let against = "FAILED  neighbours 4 × 40: holds: posetta diagrams ist; violated: NuSMV";
    assert!(text.contains(against) && text.matches("DISAGREE").count() == 3, "{text}");

    let broken = impostor(dir.path(), "echo 'out of memory' >&2; exit 2");
    let (output, text) = run(&args(&broken, &[]));
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("failed (exit status: 2): out of memory") && !text.contains("DISAGREE"), "{text}");

    let sleeper = impostor(dir.path(), "exec sleep 600");
    let (_, text) = run(&args(&sleeper, &["--limit", "1"]));
    let rows = fields(&dir.path().join("out/cuts-whole.csv"));
    let at = rows[0].iter().position(|h| h == "NuSMV s").expect("a column");
    assert!(rows[1..].iter().all(|row| row[at] == "> 1"), "{text}");
}

/// The cells of one column of a study, without its heading.
fn column(dir: &Path, study: &str, heading: &str) -> Vec<String> {
    let table = fields(&dir.join(format!("out/{study}.csv")));
    let at = table[0].iter().position(|h| h == heading).unwrap_or_else(|| panic!("no `{heading}` in {:?}", table[0]));
    assert!(table.iter().all(|row| row.len() == table[0].len()), "{table:?}");
    table[1..].iter().map(|row| row[at].clone()).collect()
}

const VERIFY: [&str; 5] = ["verify-", "--quick", "--times", "1", "--program"];
const DINING: [&str; 5] = ["verify-philosophers", "--quick", "--times", "1", "--program"];

#[test]
fn models_are_verified_without_peers() {
    let Some(program) = simulator() else { return };
    let dir = TempDir::new().expect("a directory");
    let (output, text) = bench(dir.path(), &[&VERIFY[..], &[&program.display().to_string()]].concat());
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    for absent in [
        "NuSMV is absent: POSETTA_BENCH_NUSMV names /nowhere/NuSMV, which is not there",
        "BuDDy is absent: POSETTA_BENCH_BUDDY names /nowhere/bdd.h, which is not there",
        "SPIN is absent: POSETTA_BENCH_SPIN names /nowhere/spin, which is not there",
    ] {
        assert!(text.contains(absent), "no `{absent}` in\n{text}");
    }
    let column = |study, heading| column(dir.path(), study, heading);
    assert_eq!(column("verify-philosophers", "states"), ["26", "80"]);
    assert_eq!(column("verify-philosophers", "BuDDy apart s"), ["absent", "absent"]);
    assert_eq!(column("verify-counters", "states"), ["64"]);
    assert_eq!(
        (column("verify-fork", "states"), column("verify-fork", "verdict")),
        (vec!["349".into()], vec!["holds".into()])
    );
    let models = column("verify-orders", "model");
    assert_eq!((models.len(), &models[..4]), (27, &["sort 3", "sum 3", "lift 3", "ring 4"].map(str::to_owned)[..]));
    assert_eq!(column("verify-orders", "specifications")[2], "9 hold and 6 do not");
    for study in ["verify-philosophers", "verify-counters", "verify-fork", "verify-orders", "verify-counts"] {
        assert!(column(study, "ours CPU s").iter().all(|cell| cell.parse::<f64>().is_ok()), "{study}: {text}");
        assert!(column(study, "NuSMV / ours").iter().all(|cell| cell == "-"), "{study}: {text}");
        well_formed(&fs::read_to_string(dir.path().join(format!("out/{study}.svg"))).expect("a plot"));
    }
}

#[test]
fn the_program_over_buddy_counts_the_same_states() {
    let Some(program) = simulator() else { return };
    let header = ["/usr/include/bdd.h", "/usr/local/include/bdd.h"].into_iter().find(|path| Path::new(path).is_file());
    let compiler = Command::new("cc").arg("--version").output().is_ok_and(|o| o.status.success());
    let Some(header) = header.filter(|_| compiler) else {
        eprintln!("SKIPPED: BuDDy's header or a C compiler is not there");
        return;
    };
    let dir = TempDir::new().expect("a directory");
    let program = program.display().to_string();
    let args = [&VERIFY[..], &[&program]].concat();
    let (output, text) = bench_with(dir.path(), &args, &[("POSETTA_BENCH_BUDDY", header)]);
    // A wrong count would be a failure.
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    for (study, ways) in [("verify-philosophers", &["apart", "whole"][..]), ("verify-counters", &["whole"])] {
        for way in ways {
            let cells = column(dir.path(), study, &format!("BuDDy {way} CPU s"));
            assert!(cells.iter().all(|cell| cell.parse::<f64>().is_ok()), "{study} {way}: {text}");
        }
    }
}

#[cfg(unix)]
#[test]
fn whoever_counts_other_states_fails_and_whoever_is_late_is_not_tried_again() {
    let Some(program) = simulator() else { return };
    let dir = TempDir::new().expect("a directory");
    let run = |script: &str, rows: &[&str], program: &str, more: &[&str]| {
        let nusmv = impostor(dir.path(), script);
        bench(dir.path(), &[rows, &[program, "--nusmv", &nusmv], more].concat())
    };
    let program = program.display().to_string();
    let liar = "echo 'reachable states: 27 (2^4.75) out of 512 (2^9)'; echo '-- specification G p  is false'";
    let (output, text) = run(liar, &VERIFY, &program, &[]);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for words in [
        "FAILED  3 philosophers: NuSMV counts 27 states, and there are 26",
        "FAILED  2 counters: NuSMV counts 27 states, and there are 64",
        "FAILED  3 philosophers: the property holds, and somebody says violated and violated",
    ] {
        assert!(text.contains(words), "no `{words}` in\n{text}");
    }

    // The second of two sizes is larger.
    let (output, text) = run("exec sleep 600", &DINING, &program, &["--limit", "3"]);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(column(dir.path(), "verify-philosophers", "NuSMV s"), ["> 3", "not tried"]);
    let ratios = column(dir.path(), "verify-philosophers", "NuSMV / ours");
    assert!(ratios[0].starts_with("> ") && ratios[1] == "-", "{ratios:?}");

    // In the place of ours, with every state but one.
    let wrong = "echo '{\"results\":[],\"model\":{\"states\":\"25\",\"limit\":null}}'";
    let ours = impostor(dir.path(), wrong);
    let (output, text) = bench(dir.path(), &[&DINING[..], &[&ours]].concat());
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("FAILED  3 philosophers: posetta counts 25 states, and there are 26"), "{text}");
}

#[test]
fn graphs_of_systems_have_the_papers_sizes() {
    let dir = TempDir::new().expect("a directory");
    let args = ["systems", "--quick", "--times", "1", "--limit", "8", "--program", "none"];
    let (output, text) = bench(dir.path(), &args);
    // A count that is not the paper's, where it should be, would be a failure.
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let column = |heading| column(dir.path(), "systems-paper", heading);
    assert_eq!(column("states"), ["3", "4", "7", "28", "21", "99", "37", "57", "18579456"]);
    assert_eq!(column("nodes"), ["3", "4", "3", "4", "17", "75", "10", "15", "12"]);
    assert_eq!(column("nodes"), column("paper nodes"));
    assert_eq!(column("arcs"), column("paper arcs"));
    assert_eq!(column("listed"), ["same", "same", "same", "same", "same", "same", "same", "same", "-"]);
    let apart = "states and steps and MSS nodes and MSS arcs";
    assert_eq!(column("differs"), ["-", "-", "steps", "steps", "-", "-", apart, apart, apart]);
    assert!(text.contains("skipped: the program is measured: left out with --program none"), "{text}");
}

const COMPONENTS: [&str; 7] = ["systems-philosophers", "--quick", "--times", "1", "--limit", "60", "--program"];

#[test]
fn philosophers_as_components_are_verified_without_spin() {
    let Some(program) = simulator() else { return };
    let dir = TempDir::new().expect("a directory");
    let (output, text) = bench(dir.path(), &[&COMPONENTS[..], &[&program.display().to_string()]].concat());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{stderr}");
    let absent = "POSETTA_BENCH_SPIN names /nowhere/spin, which is not there";
    assert!(text.contains(&format!("SPIN is absent: {absent}")), "{text}");
    assert!(stderr.contains(&format!("SKIPPED: SPIN beside systems-philosophers: {absent}")), "{stderr}");
    let column = |heading| column(dir.path(), "systems-philosophers", heading);
    assert_eq!(column("states"), ["349", "349", "123", "123"]);
    assert_eq!(column("verdict"), ["holds", "holds", "violated", "holds"]);
    for heading in ["ours CPU s", "sog CPU s", "modular CPU s"] {
        assert!(column(heading).iter().all(|cell| cell.parse::<f64>().is_ok()), "{heading}: {text}");
    }
    assert!(column("SPIN s").iter().all(|cell| cell == "absent"), "{text}");
    well_formed(&fs::read_to_string(dir.path().join("out/systems-philosophers.svg")).expect("a plot"));
}

#[cfg(unix)]
#[test]
fn whoever_says_that_philosophers_are_never_stuck_fails() {
    let dir = TempDir::new().expect("a directory");
    let result = "{\"verdict\":\"holds\",\"stats\":{\"engine\":\"sog\"}}";
    let says = format!("echo '{{\"results\":[{result}],\"model\":{{\"states\":\"1\",\"limit\":null}}}}'");
    let liar = impostor(dir.path(), &says);
    let (output, text) = bench(dir.path(), &[&COMPONENTS[..], &[&liar]].concat());
    assert_eq!(output.status.code(), Some(1), "{text}");
    let wrong = "FAILED  3 philosophers all alike: deadlock: posetta says holds sog, and it is violated";
    assert!(text.contains(wrong) && text.matches("FAILED  ").count() == 3, "{text}");

    // Who has no answer in time has the limit that there is without --peers.
    let silent =
        impostor(dir.path(), &says.replace("holds", "unknown").replace("\"1\",\"limit\":null", "null,\"limit\":{}"));
    let (output, text) = bench(dir.path(), &[&COMPONENTS[..], &[&silent]].concat());
    assert!(output.status.success(), "{text}");
    let column = |heading| column(dir.path(), "systems-philosophers", heading);
    assert!(column("ours s").iter().all(|cell| cell == "> 10") && column("states").iter().all(|cell| cell == "-"));
}

const FORMULAS: [&str; 7] = ["m2l-", "--quick", "--times", "1", "--limit", "60", "--program"];

#[test]
fn formulas_are_decided_without_mona() {
    let Some(program) = simulator() else { return };
    let dir = TempDir::new().expect("a directory");
    let nowhere = [("POSETTA_BENCH_MONA", "/nowhere/mona"), ("POSETTA_BENCH_MONA_EXAMPLES", "/nowhere")];
    let (output, text) = bench_with(dir.path(), &[&FORMULAS[..], &[&program.display().to_string()]].concat(), &nowhere);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{stderr}");
    for words in [
        "SKIPPED: MONA beside m2l-milner: ",
        "SKIPPED: MONA beside m2l-files: ",
        "SKIPPED: MONA beside m2l-families: ",
        "SKIPPED: MONA's examples in m2l-files: ",
    ] {
        assert!(stderr.contains(words), "no `{words}` in\n{stderr}");
    }
    let milner = |heading| column(dir.path(), "m2l-milner", heading);
    assert_eq!((milner("formula"), milner("refine")), (vec!["valid".to_owned()], vec!["holds".to_owned()]));
    assert_eq!(milner("MONA s"), ["absent"]);
    assert!(
        milner("ours CPU s").iter().chain(&milner("refine CPU s")).all(|cell| cell.parse::<f64>().is_ok()),
        "{text}"
    );
    assert_eq!(column(dir.path(), "m2l-files", "answer"), ["neither 1 20", "built"]);
    well_formed(&fs::read_to_string(dir.path().join("out/m2l-milner.svg")).expect("a plot"));
}

#[cfg(unix)]
#[test]
fn whoever_contradicts_mona_fails() {
    let dir = TempDir::new().expect("a directory");
    let examples = dir.path().join("examples");
    fs::create_dir_all(&examples).expect("a directory");
    fs::write(examples.join("yes.mona"), "true;\n").expect("writable");
    fs::write(examples.join("tree.mona"), "ws2s;\ntrue;\n").expect("writable");
    let named = |name: &str, script: &str| {
        let place = dir.path().join(name);
        fs::rename(impostor(dir.path(), script), &place).expect("its own file");
        place.display().to_string()
    };
    let said = r#"{"answer":"valid","example":{"length":1},"verdict":"violated"}"#;
    let liar = named("liar", &format!("echo '{said}'"));
    let mona = named("mona", "echo 'Formula is valid'; echo 'A satisfying example of least length (0) is:'");
    let examples = examples.display().to_string();
    let variables = [("POSETTA_BENCH_MONA", mona.as_str()), ("POSETTA_BENCH_MONA_EXAMPLES", examples.as_str())];
    let (output, text) = bench_with(dir.path(), &[&FORMULAS[..], &[&liar]].concat(), &variables);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for words in [
        "FAILED  3 agents: posetta says valid - 1, MONA says valid - 0",
        "FAILED  3 agents: refine says violated, and it is holds",
        "FAILED  yes: posetta says valid - 1, MONA says valid - 0",
    ] {
        assert!(text.contains(words), "no `{words}` in\n{text}");
    }
    assert!(!text.contains("tree"), "{text}");
}

#[test]
fn without_the_program_what_needs_it_is_skipped_and_said_so() {
    let dir = TempDir::new().expect("a directory");
    let (output, text) = bench(dir.path(), &["ltl-abp", "table-1", "--quick", "--program", "none"]);
    assert!(output.status.success(), "{text}");
    let reason = "skipped: the program simulates the run";
    assert_eq!(text.matches(reason).count(), 3, "two workloads and a study: {text}");
}

#[test]
fn bad_usage_is_told_from_failure() {
    let dir = TempDir::new().expect("a directory");
    let (output, _) = bench(dir.path(), &["nothing-of-the-kind"]);
    assert_eq!(output.status.code(), Some(2));
    let (output, text) = bench(dir.path(), &["--list"]);
    assert!(output.status.success() && text.contains("reading-shiviz") && text.contains("table-1"), "{text}");
}
