//! Logs that others wrote, and facts about them that were computed elsewhere.
//!
//! The logs are no part of the project. They are looked for beside it, or where `POSETTA_SAMPLES` says.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use posetta::base::Budget;
use posetta::formats::shiviz::Expression;
use posetta::formats::{self, Format, ReadOptions};
use posetta::trace::{Trace, count_cuts, count_linearisations};

fn samples() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples");
    let folder = std::env::var_os("POSETTA_SAMPLES").map_or(beside, PathBuf::from);
    if folder.join("shiviz").is_dir() {
        return Some(folder.join("shiviz"));
    }
    eprintln!("SKIPPED: there are no sample logs in {}; set POSETTA_SAMPLES", folder.display());
    None
}

fn read(path: &Path, regex: Option<&str>) -> Trace {
    let options = ReadOptions { expression: regex.map(|r| Expression::new(r).unwrap()), ..ReadOptions::default() };
    let reader = BufReader::new(File::open(path).unwrap());
    let mut runs = formats::read_runs(Format::Shiviz, reader, &options, &Budget::unlimited()).unwrap();
    assert_eq!((runs.len(), &runs[0].warnings[..]), (1, &[][..]), "{}", path.display());
    runs.remove(0).trace
}

/// What the expression of the broadcast is called where it comes from.
const AKKA: &str =
    r"\[\w+\] \[(?<date>([^ ]+ [^ ]+))\] [^ ]+ \[akka://Broadcast/user/(?<host>\w+)\] (?<clock>.*\}) (?<event>.*)";

#[test]
fn logs_of_others_have_as_many_cuts_and_orders_as_they_should() {
    let Some(folder) = samples() else { return };
    for (name, regex, cuts, linearisations) in [
        ("RpcClientServer.log", None, "13", "3"),
        ("facebook.log", None, "123", "15088500"),
        ("simple-reliable-broadcast.log", None, "382", "17412178893336"),
        ("simple-reliable-broadcast.log", Some(AKKA), "382", "17412178893336"),
    ] {
        let trace = read(&folder.join(name), regex);
        let budget = Budget::unlimited();
        assert_eq!(count_cuts(&trace, &budget).unwrap().to_string(), cuts, "{name}");
        assert_eq!(count_linearisations(&trace, &budget).unwrap().to_string(), linearisations, "{name}");
    }
}

#[test]
fn logs_of_others_are_recognised_and_read_whole() {
    let Some(folder) = samples() else { return };
    for (name, events, hosts) in [
        ("RpcClientServer.log", 10, 2),
        ("chord.log", 1235, 8),
        ("facebook.log", 47, 4),
        ("simple-reliable-broadcast.log", 39, 3),
        ("simpledb.log", 509, 5),
    ] {
        let path = folder.join(name);
        let start = std::fs::read(&path).unwrap();
        assert_eq!(formats::detect(&start, None), Some(Format::Shiviz), "{name}");
        let trace = read(&path, None);
        assert_eq!((trace.len(), trace.process_count()), (events, hosts), "{name}");
    }
}

#[test]
fn the_events_of_a_host_are_ordered_by_clock_and_not_by_line() {
    let Some(folder) = samples() else { return };
    let trace = read(&folder.join("chord.log"), None);
    let lines = |process: &str| -> Vec<u64> {
        trace.chain(trace.find_process(process).unwrap()).iter().map(|&e| trace.line(e)).collect()
    };
    assert!(lines("kv-node-10").is_sorted());
    assert!(!lines("kv-node-60").is_sorted());
}
