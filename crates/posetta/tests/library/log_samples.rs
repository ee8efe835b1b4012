//! Logs that others wrote for other checkers, read with a mapping or by their own readers, and facts about them that were computed
//! elsewhere. They are looked for as those of `samples`.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use posetta_base::{Budget, Verdict};
use posetta_formats::{self as formats, Format, Mapping, ReadOptions, Run};
use posetta_logic::Property;
use posetta_trace::{Clocks, Reason, Trace, count_cuts, count_linearisations, reduced_edges};

fn read(path: &Path, format: Format, options: &ReadOptions) -> Run {
    let reader = BufReader::new(File::open(path).unwrap());
    let mut runs = formats::read_runs(format, reader, options, &Budget::unlimited())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

/// Reads a sample with the mapping of this name that the examples have.
fn mapped(path: &Path, map: &str) -> Run {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/maps").join(map);
    let text = std::fs::read_to_string(file).unwrap();
    let mapping = Mapping::new(&[&text]).unwrap();
    read(path, Format::JsonLines, &ReadOptions::default().mapping(Some(Arc::new(mapping))))
}

fn file(kind: &str, name: &str) -> Option<PathBuf> {
    posetta_peers::samples(kind).map(|folder| folder.join(name))
}

fn cuts(trace: &Trace) -> String {
    count_cuts(trace, &Budget::unlimited()).unwrap().to_string()
}

fn linearisations(trace: &Trace) -> String {
    count_linearisations(trace, &Budget::unlimited()).unwrap().to_string()
}

fn edges_between(trace: &Trace) -> usize {
    let budget = Budget::unlimited();
    let clocks = Clocks::compute(trace, &budget).unwrap();
    reduced_edges(trace, &clocks, &budget).unwrap().len()
}

/// Whether a property holds in every order.
fn holds(trace: &Trace, ltl: &str) -> bool {
    let property = Property::ltl(ltl).unwrap_or_else(|error| panic!("{ltl}: {error:?}"));
    match posetta::check(trace, &property, &posetta::Options::default(), &Budget::unlimited()).unwrap().verdict {
        Verdict::Holds => true,
        Verdict::Violated(_) => false,
        Verdict::Unknown(over) => panic!("{over}"),
    }
}

/// Of 130 messages 76 are received, 15 of them by who sent them; counted by hand over the lines.
#[test]
fn the_log_of_raft_has_its_messages() {
    let Some(path) = file("etcd-raft", "example-first-400.ndjson") else { return };
    let run = mapped(&path, "etcd-raft.toml");
    assert_eq!((run.trace.len(), run.trace.process_count(), &run.warnings[..]), (400, 5, &[][..]));
    assert_eq!(run.trace.edges_by_reason(), [(Reason::Content, 61)]);
    assert!(run.trace.lacks().is_empty());
    assert_eq!(cuts(&run.trace), "31177286");
    assert!(holds(&run.trace, "G (event(ReceiveAppendEntriesRequest) -> O event(SendAppendEntriesRequest))"));
    // Node 2 is the only one that is ever a leader.
    assert!(holds(&run.trace, "G (role[1] != \"StateLeader\") && F (role[2] == \"StateLeader\")"));
}

#[test]
fn the_two_phase_commit_has_65_cuts() {
    let Some(path) = file("twophase", "trace.ndjson.4RM.VEA") else { return };
    let run = mapped(&path, "two-phase.toml");
    assert_eq!(run.trace.len(), 18);
    let matched: usize = run.trace.edges_by_reason().iter().map(|(_, count)| count).sum();
    assert_eq!((matched, run.trace.lacks().len()), (13, 0));
    assert_eq!((cuts(&run.trace).as_str(), linearisations(&run.trace).as_str()), ("65", "8064"));
    assert!(holds(&run.trace, "G ($\"rm-0\" == \"committed\" -> $\"rm-3\" != \"working\")"));
}

#[test]
fn termination_is_detected_after_all_work() {
    let Some(path) = file("ewd998", "EWD998ChanTrace.ndjson") else { return };
    let run = mapped(&path, "ewd998.toml");
    let trace = &run.trace;
    assert_eq!((trace.len(), trace.process_count()), (654, 5));
    assert_eq!((edges_between(trace), cuts(trace).as_str()), (227, "27650"));
    assert_eq!(run.warnings.len(), 1, "the line with the number of nodes is left out, which is told");
    // Every payload and every deactivation happened before the first message that says that all is done.
    let kind = |e| trace.attributes(e).find(|(key, _)| *key == "kind").map_or("", |(_, json)| json);
    let clocks = Clocks::compute(trace, &Budget::unlimited()).unwrap();
    let before = |a, b| clocks.before_or_equal(trace, a, b);
    let done: Vec<_> = trace.events().filter(|&e| kind(e) == "\"trm\"").collect();
    let first = done.iter().find(|&&e| done.iter().all(|&other| other == e || before(e, other))).expect("one is first");
    let work: Vec<_> = trace.events().filter(|&e| kind(e) == "\"pl\"" || trace.event_name(e) == Some("d")).collect();
    assert_eq!(work.len(), 286 + 70);
    assert!(work.iter().all(|&e| before(e, *first)));
}

/// What the checker PROVE answers for its examples: whether some order satisfies a property at its end.
#[test]
fn the_examples_of_prove_have_its_answers() {
    let Some(folder) = posetta_peers::samples("prove") else { return };
    for (example, negation) in [
        ("01_single_process_workflow", "F (!X true && !(done -> O working))"),
        ("02_two_concurrent_processes", "!(O true && F (!X true && O (a && b)))"),
        ("07_epsilon_ordering", "!(F (!X true && (second -> O first)))"),
        ("11_three_process_paper_example", "!(F (!X true && (r1 -> O send_msg)))"),
        ("17_once_conjunction_two_processes", "!(F (!X true && O (ready && willing)))"),
    ] {
        let path = folder.join(example).join("trace.csv");
        let start = std::fs::read(&path).unwrap();
        assert_eq!(formats::detect(&start, Some("csv")), Ok(Some(Format::Prove)), "{example}");
        let run = read(&path, Format::Prove, &ReadOptions::default());
        assert!(!holds(&run.trace, negation), "{example}: some order satisfies it");
    }
    let epsilon = read(&folder.join("07_epsilon_ordering/trace.csv"), Format::Prove, &ReadOptions::default());
    assert!(holds(&epsilon.trace, "G (second -> O first)"));
    assert_eq!(epsilon.trace.assumptions(), [Reason::Skew]);
    let patient = ReadOptions::default().skew(Some(1.into()));
    let patient = read(&folder.join("07_epsilon_ordering/trace.csv"), Format::Prove, &patient);
    assert!(!holds(&patient.trace, "G (second -> O first)"));
}

#[test]
fn the_missionaries_cross_the_river() {
    let Some(path) = file("itf", "MissionariesAndCannibals.itf.json") else { return };
    let start = std::fs::read(&path).unwrap();
    assert_eq!(formats::detect(&start, Some("json")), Ok(Some(Format::Itf)));
    let run = read(&path, Format::Itf, &ReadOptions::default());
    assert_eq!((run.trace.len(), run.trace.variables().count(), run.warnings.len()), (5, 9, 0));
    assert!(holds(&run.trace, "$\"c1_OF_PERSON in who_is_on_bank[E]\" == 1 U bank_of_boat == \"W\""));
    assert!(holds(&run.trace, "F G ($\"m1_OF_PERSON in who_is_on_bank[W]\" == 1)"));
    assert!(holds(
        &run.trace,
        "G ($\"c2_OF_PERSON in who_is_on_bank[E]\" + $\"c2_OF_PERSON in who_is_on_bank[W]\" == 1)"
    ));
}
