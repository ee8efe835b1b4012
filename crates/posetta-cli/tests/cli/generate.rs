//! `posetta gen`: the same bytes for the same seed, runs that are what the papers say, and clear refusals.

use std::hash::Hasher;

use crate::program::{Place, flat};

/// FNV-1a, 64 bits: a fingerprint that no library can change.
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

fn golden(name: &str, text: &str) {
    insta::assert_snapshot!(name, text);
}

fn generated(place: &Place, args: &[&str]) -> String {
    let seen = place.run(&[&["gen"], args].concat());
    // Text does not hold the recorded order, and that is said.
    let text = args.contains(&"text") || args.iter().any(|a| a.ends_with(".trace"));
    let lost = "warning: the format text has no place for: the order in which the events were recorded";
    let said = flat(&seen.stderr);
    assert_eq!((seen.status, said.as_str()), (0, if text { lost } else { "" }), "{args:?}: {}", seen.shown());
    seen.stdout
}

/// Small runs word for word. They must not change: whoever measured with a seed wants the same run again.
#[test]
fn small_runs() {
    let place = Place::with(&[("f.cnf", "p cnf 2 2\n1 -2 0\n2 2 0\n")]);
    let runs = [
        "peterson --events 12",
        "peterson --processes 3 --events 14 --deps full",
        "abp --events 10",
        "abp --events 8 --faulty --seed 4",
        "philosophers --processes 3 --events 12 --seed 2",
        "fig4 --processes 3",
        "random --processes 3 --events 8 --coupling 0.5",
        "random --processes 2 --events 6 --coupling 1 --to text",
        "peterson --events 0",
        "sat f.cnf",
    ];
    let mut shown = String::new();
    for run in runs {
        let args: Vec<&str> = run.split(' ').collect();
        shown.push_str(&format!("$ posetta gen {run}\n{}\n", generated(&place, &args)));
    }
    golden("small_runs", &shown);
}

/// Longer runs by their fingerprint.
#[test]
fn the_same_seed_gives_the_same_bytes() {
    let place = Place::with(&[]);
    let runs = [
        "peterson --events 5000",
        "peterson --events 5000 --faulty --deps full --seed 18446744073709551615",
        "peterson --processes 10 --events 5000",
        "peterson --processes 10 --events 5000 --deps full --faulty",
        "abp --events 5000",
        "abp --events 5000 --faulty",
        "philosophers --processes 10 --events 5000",
        "philosophers --events 5000 --faulty --deps full",
        "fig4 --processes 500",
        "random --processes 20 --events 5000 --coupling 0.1",
    ];
    let mut shown = String::new();
    for run in runs {
        let args: Vec<&str> = run.split(' ').collect();
        let text = generated(&place, &args);
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        hash.write(text.as_bytes());
        shown.push_str(&format!("{:016x} {:>7} bytes  {run}\n", hash.finish(), text.len()));
    }
    golden("fingerprints", &shown);
}

/// The verdict of each property of a workload on a run of it.
fn verdicts(place: &Place, workload: &str, args: &[&str]) -> Vec<String> {
    generated(place, &[&[workload], args, &["-o", "run.jsonl"]].concat());
    generated(place, &[workload, "--props", "-o", "w.props"]);
    place.run(&["check", "run.jsonl", "--spec", "w.props", "--json"]).results("verdict")
}

#[test]
fn correct_runs_have_the_properties_of_the_papers() {
    let place = Place::with(&[]);
    for seed in ["1", "2", "3", "4", "5"] {
        for (workload, processes, deps) in [
            ("peterson", "2", "read-from"),
            ("peterson", "2", "full"),
            ("peterson", "4", "read-from"),
            ("peterson", "4", "full"),
            ("philosophers", "2", "full"),
            ("philosophers", "3", "read-from"),
        ] {
            let args = ["--events", "70", "--seed", seed, "--processes", processes, "--deps", deps];
            let all = verdicts(&place, workload, &args);
            assert!(all.iter().all(|v| v == "holds"), "{workload} {args:?}: {all:?}");
        }
        // A run of any length ends where what was sent is received.
        for events in ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "50", "51", "52", "300"] {
            let all = verdicts(&place, "abp", &["--events", events, "--seed", seed]);
            assert!(all.iter().all(|v| v == "holds"), "abp {events} {seed}: {all:?}");
        }
    }
    assert_eq!(verdicts(&place, "fig4", &[]), ["holds", "holds"]);
}

#[test]
fn faulty_runs_do_not() {
    let place = Place::with(&[]);
    for seed in ["1", "2", "3", "4", "5"] {
        for (workload, processes, events) in
            [("peterson", "2", "200"), ("peterson", "4", "200"), ("abp", "2", "1000"), ("philosophers", "3", "100")]
        {
            let args = ["--events", events, "--seed", seed, "--processes", processes, "--faulty"];
            let all = verdicts(&place, workload, &args);
            assert!(all.iter().any(|v| v == "violated"), "{workload} {args:?}: {all:?}");
        }
    }
}

/// `ncrit` is read before it is assigned, so entering and leaving are ordered, and their order says what the count says.
#[test]
fn mutual_exclusion_by_the_order_is_the_one_by_the_count() {
    let place = Place::with(&[]);
    let mut violated = 0;
    for seed in 1..=12_u32 {
        for (processes, fault) in [("2", None), ("2", Some("--faulty")), ("4", None), ("4", Some("--faulty"))] {
            let (seed, model) = (seed.to_string(), ["peterson", "--processes", processes]);
            let run = [&model[..], &["--events", "40", "--seed", &seed, "-o", "run.jsonl"], fault.as_slice()].concat();
            generated(&place, &run);
            generated(&place, &[&model[..], &["--props", "-o", "w.props"]].concat());
            for engine in ["auto", "explicit", "paper", "por"] {
                let seen = place.run(&["check", "run.jsonl", "--spec", "w.props", "--json", "--engine", engine]);
                let verdicts = seen.results("verdict");
                assert_eq!(seen.results("property"), ["mutex", "mutex_in_every_cut", "mutex_by_order"], "{run:?}");
                assert!(verdicts.iter().all(|v| *v == verdicts[0]), "{engine} on {run:?}: {verdicts:?}");
                assert!(fault.is_some() || verdicts[0] == "holds", "{run:?}");
                violated += u32::from(verdicts[0] == "violated");
            }
        }
    }
    assert!(violated > 20, "{violated}");
}

/// Table 1 of the paper: two configurations for a round of five events, and one to start from. What is kept lies on one chain, so ours
/// takes none.
#[test]
fn petersons_configurations_are_those_of_the_paper() {
    let place = Place::with(&[]);
    generated(&place, &["peterson", "--events", "10000", "-o", "run.jsonl"]);
    generated(&place, &["peterson", "--props", "-o", "w.props"]);
    for (engine, most) in [("auto", 0), ("symbolic", 0), ("paper", 4_001)] {
        let args =
            ["check", "run.jsonl", "--spec", "w.props", "--property", "mutex_by_order", "--json", "--engine", engine];
        let seen = place.run(&args);
        let result = &seen.json()["results"][0];
        assert_eq!(result["verdict"], "holds", "{}", seen.shown());
        let configurations = result["stats"]["configurations"].as_u64();
        assert!(configurations.is_some_and(|n| n <= most), "{engine}: {configurations:?}");
    }
}

#[test]
fn every_run_has_as_many_events_as_asked_for() {
    let place = Place::with(&[]);
    for workload in ["peterson", "abp", "philosophers", "random"] {
        for format in ["jsonl", "text"] {
            generated(&place, &[workload, "--events", "123", "--to", format, "-o", "run"]);
            let seen = place.run(&["info", "run", "--json", "--from", format]);
            assert_eq!(seen.json()["runs"][0]["events"], 123, "{workload} {format}: {}", seen.shown());
        }
    }
    // The extension of the file says the format, unless told otherwise.
    generated(&place, &["random", "--events", "3", "-o", "run.trace"]);
    let text = std::fs::read_to_string(place.path().join("run.trace")).expect("a run");
    assert!(text.starts_with("initial: "), "{text}");
}

#[test]
fn properties() {
    let place = Place::with(&[("f.cnf", "p cnf 2 2\n1 -2 0\n2 2 0\n")]);
    let mut shown = String::new();
    for args in ["peterson", "abp", "philosophers", "fig4 --processes 2", "sat f.cnf"] {
        let text = generated(&place, &[&args.split(' ').collect::<Vec<_>>()[..], &["--props"]].concat());
        shown.push_str(&format!("$ posetta gen {args} --props\n{text}\n"));
    }
    golden("properties", &shown);
    // The largest figure whose property can be written as a formula.
    generated(&place, &["fig4", "--processes", "32", "--props", "-o", "w.props"]);
    generated(&place, &["fig4", "--processes", "32", "-o", "run.jsonl"]);
    let seen = place.run(&["check", "run.jsonl", "--spec", "w.props", "--timeout", "1s", "--memory", "100MB"]);
    assert_ne!(seen.status, 2, "{}", seen.shown());
}

#[test]
fn refusals() {
    let place = Place::with(&[]);
    let mut shown = String::new();
    for args in [
        "fig4 --faulty",
        "random --faulty",
        "fig4 --events 10",
        "fig4 --processes 0",
        "random --props",
        "random --coupling 1.5",
        "random --coupling nan",
        "random --deps full",
        "abp --coupling 0.5",
        "abp --processes 3",
        "peterson --processes 1",
        "philosophers --processes 1",
        "random --processes 2000000",
        "random --events 9999999999",
        "random -o no/such/directory",
        "random -o run.xml",
        "random -o run.xml --props --to text",
        "peterson --props --events 10",
        "satisfied",
        "peterson --to xml",
        "peterson --wat",
    ] {
        let args: Vec<&str> = args.split(' ').collect();
        let seen = place.run(&[&["gen"], &args[..]].concat());
        assert_eq!((seen.status, seen.stdout.as_str()), (2, ""), "{args:?}: {}", seen.shown());
        shown.push_str(&format!("$ posetta gen {}\n{}\n", args.join(" "), seen.stderr));
    }
    golden("refusals", &shown);
}

#[test]
fn help() {
    let seen = Place::with(&[]).run(&["gen", "--help"]);
    golden("help", &seen.shown());
}

/// One event of a run: its process, the assignment, its causes.
struct Step {
    process: usize,
    variable: String,
    value: i64,
    after: Vec<(usize, usize)>,
}

/// The events of a run of Peterson's algorithm, by process.
fn steps(text: &str) -> [Vec<Step>; 2] {
    let mut steps = [Vec::new(), Vec::new()];
    let number = |name: &str| name[1..].parse::<usize>().expect("P0 or P1");
    for line in text.lines().skip(1) {
        let record: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let process = number(record["process"].as_str().expect("a process"));
        let (variable, value) = record["set"].as_object().and_then(|set| set.iter().next()).expect("an assignment");
        let after = record["after"].as_array().into_iter().flatten().map(|id| {
            let (name, index) = id.as_str().and_then(|id| id.split_once('.')).expect("an id");
            (number(name), index.parse().expect("an index"))
        });
        let (variable, value, after) = (variable.clone(), value.as_i64().expect("a number"), after.collect());
        steps[process].push(Step { process, variable, value, after });
    }
    steps
}

/// How many orders of the rest of a run the algorithm cannot take, and how many it can: it enters only if it is its turn or
/// the other's flag is down.
fn orders(steps: &[Vec<Step>; 2], done: [usize; 2], state: &std::collections::BTreeMap<&str, i64>) -> (u64, u64) {
    if (0..2).all(|p| done[p] == steps[p].len()) {
        return (0, 1);
    }
    let value = |name: &str| state.get(name).copied().unwrap_or(0);
    let mut sum = (0, 0);
    for p in 0..2 {
        let Some(step) = steps[p].get(done[p]) else { continue };
        if step.after.iter().any(|&(q, index)| done[q] < index) {
            continue;
        }
        let enters = step.variable == "ncrit" && step.value > value("ncrit");
        let may = value("turn") == step.process as i64 || value(&format!("flag{}", 1 - p)) == 0;
        if enters && !may {
            sum.0 += 1;
            continue;
        }
        let mut next = state.clone();
        next.insert(&step.variable, step.value);
        let mut further = done;
        further[p] += 1;
        let (bad, good) = orders(steps, further, &next);
        sum = (sum.0 + bad, sum.1 + good);
    }
    sum
}

#[test]
fn with_full_dependencies_every_order_is_one_of_the_program() {
    let place = Place::with(&[]);
    let (mut impossible, mut possible) = (0, 0);
    for seed in 1..=40 {
        let seed = seed.to_string();
        let run = |deps| generated(&place, &["peterson", "--events", "14", "--seed", &seed, "--deps", deps]);
        let (bad, good) = orders(&steps(&run("full")), [0; 2], &Default::default());
        assert_eq!(bad, 0, "seed {seed}");
        possible += good;
        impossible += orders(&steps(&run("read-from")), [0; 2], &Default::default()).0;
    }
    assert!(possible > 100, "{possible}");
    assert!(impossible > 0, "read-from leaves orders open that the program cannot take");
}

/// A formula as the tests write it: signed numbers of variables.
type Clauses = Vec<Vec<i32>>;

fn dimacs(variables: i32, clauses: &Clauses) -> String {
    let mut text = format!("c a formula\np cnf {variables} {}\n", clauses.len());
    for clause in clauses {
        clause.iter().for_each(|literal| text.push_str(&format!("{literal} ")));
        text.push_str("0\n");
    }
    text
}

fn satisfiable(variables: i32, clauses: &Clauses) -> bool {
    let holds = |code: u32, literal: i32| (code >> (literal.abs() - 1) & 1 == 1) == (literal > 0);
    (0..1_u32 << variables).any(|code| clauses.iter().all(|clause| clause.iter().any(|&l| holds(code, l))))
}

/// What the monitor says about the run of a formula.
fn verdict(place: &Place, formula: &str, seed: &str) -> String {
    place.write("f.cnf", formula.as_bytes());
    generated(place, &["sat", "f.cnf", "--seed", seed, "-o", "run.jsonl"]);
    generated(place, &["sat", "f.cnf", "--props", "-o", "sat.props"]);
    place.run(&["check", "run.jsonl", "--spec", "sat.props", "--json"]).results("verdict").remove(0)
}

/// Larger formulas take long: the problem is NP-complete.
const MOST_CLAUSES: usize = 14;
const MOST_VARIABLES: i32 = 5;
const FORMULAS: usize = 60;

#[test]
fn a_formula_is_satisfiable_if_its_monitor_is_violated() {
    let place = Place::with(&[]);
    let fixed: [(i32, Clauses); 9] = [
        (0, vec![]),
        (1, vec![vec![]]),
        (1, vec![vec![1], vec![]]),
        (1, vec![vec![1]]),
        (1, vec![vec![1], vec![-1]]),
        (1, vec![vec![1, -1], vec![1], vec![1, 1]]),
        (2, vec![vec![1, 2], vec![-1, 2], vec![1, -2], vec![-1, -2]]),
        // The example of figure 5 of the paper.
        (4, vec![vec![1, 2, 3], vec![-1, -1, -3], vec![-2, 2, 4]]),
        (3, vec![vec![1, 2, 3], vec![-1, 2, -3], vec![1, -2], vec![-2, 3]]),
    ];
    // A generator of numbers by itself (Park and Miller 1988), so that the formulas are the same for ever.
    let mut state = 20_260_u64;
    let mut below = |n: usize| {
        state = state * 48_271 % 0x7fff_ffff;
        state as usize % n
    };
    let mut random = || -> (i32, Clauses) {
        let variables = 1 + below(MOST_VARIABLES as usize);
        let count = 1 + below(MOST_CLAUSES);
        let mut clauses = Clauses::new();
        for _ in 0..count {
            let size = 1 + below(3);
            clauses.push((0..size).map(|_| [1, -1][below(2)] * (1 + below(variables) as i32)).collect());
        }
        (variables as i32, clauses)
    };
    let mut counts = [0, 0];
    let formulas: Vec<(i32, Clauses)> = fixed.into_iter().chain((0..FORMULAS).map(|_| random())).collect();
    for (i, (variables, clauses)) in formulas.iter().enumerate() {
        let text = dimacs(*variables, clauses);
        let expected = satisfiable(*variables, clauses);
        let verdict = verdict(&place, &text, &i.to_string());
        assert_eq!(verdict, if expected { "violated" } else { "holds" }, "{text}");
        counts[usize::from(expected)] += 1;
    }
    assert!(counts.iter().all(|&n| n >= 15), "unsatisfiable and satisfiable: {counts:?}");
}

#[test]
fn formulas_that_cannot_be_read() {
    let place = Place::with(&[
        ("f.cnf", "c one\np cnf 2 2\n1 -2 0\n2 3 0\n"),
        ("g.cnf", "p cnf 2 2\n1 -2 0\n"),
        ("h.cnf", "p cnf 1 1\n1 0\n"),
    ]);
    let mut shown = String::new();
    for args in
        ["sat", "sat f.cnf", "sat g.cnf", "sat none.cnf", "sat h.cnf --processes 2", "sat h.cnf --faulty", "abp f.cnf"]
    {
        let args: Vec<&str> = args.split(' ').collect();
        let seen = place.run(&[&["gen"], &args[..]].concat());
        assert_eq!((seen.status, seen.stdout.as_str()), (2, ""), "{args:?}: {}", seen.shown());
        shown.push_str(&format!("$ posetta gen {}\n{}\n", args.join(" "), seen.stderr));
    }
    golden("formulas", &shown);
}

/// One process for each edge of the monitor, far beyond what a formula could say.
#[test]
fn a_monitor_for_a_thousand_processes() {
    let place = Place::with(&[]);
    generated(&place, &["fig4", "--processes", "1000", "--props", "-o", "w.props"]);
    generated(&place, &["fig4", "--processes", "1000", "-o", "run.jsonl"]);
    let seen =
        place.run(&["check", "run.jsonl", "--spec", "w.props", "--timeout", "1s", "--memory", "100MB", "--json"]);
    assert_eq!(seen.json()["errors"].as_array().map(Vec::len), Some(0), "{}", seen.shown());
    assert_eq!(seen.results("logic"), ["monitor"]);
    assert_ne!(seen.results("verdict"), ["violated"]);
}
