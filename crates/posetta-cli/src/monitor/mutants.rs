//! Checkpoints that were damaged or made up: whatever they say, the run ends with the right answer or they are refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use clap::Parser;
use crc::{CRC_64_XZ, Crc};
use posetta_base::Budget;
use posetta_tell::watched::Stream;
use serde_json::{Map, Value};

use super::board::Board;
use super::{Halt, Properties, checkpoint, work};
use crate::args::{Cli, Command, Later, MonitorArgs};
use crate::limited::locked;

/// A stream, of which the first part has been read at the checkpoint.
struct Scenario {
    name: &'static str,
    args: &'static [&'static str],
    properties: &'static str,
    before: &'static str,
    after: &'static str,
    status: u8,
}

const REPLIES: &str = "property reply = ltl G (req == 1 -> F ack == 1)\nproperty calm = ltl G !(req == 1 && ack == 1)\n\
                       property asked = ltl F (req == 1)\n";
const ORDERS: &str = "property paid_first = ltl !(state == \"shipped\") W (state == \"paid\")\n\
                      property replied = ltl over events G (event(pay) -> F event(ship))\n\
                      property shipped = ltl F (state == \"shipped\")\n";

const SCENARIOS: [Scenario; 9] = [
    Scenario {
        name: "states, all is well",
        args: &[],
        properties: REPLIES,
        before: "{\"req\":0,\"ack\":0}\n{\"req\":1}\n{\"req\":0,\"ack\":1}\n",
        after: "{\"ack\":0}\n{\"req\":1}\n{\"req\":0,\"ack\":1}\n",
        status: 0,
    },
    Scenario {
        name: "states, violated before",
        args: &[],
        properties: REPLIES,
        before: "{\"req\":0,\"ack\":0}\n{\"req\":1,\"ack\":1}\n",
        after: "{\"ack\":0}\n{\"ack\":1}\n",
        status: 1,
    },
    Scenario {
        name: "states, violated afterwards",
        args: &["--every"],
        properties: REPLIES,
        before: "{\"req\":0,\"ack\":0}\n{\"req\":1,\"note\":\"x\"}\n",
        after: "{\"ack\":1}\n{\"req\":0}\n",
        status: 1,
    },
    Scenario {
        name: "events with a header and a sign of life",
        args: &["--completions", "finite"],
        properties: ORDERS,
        before: "{\"posetta\":1,\"processes\":[\"shop\",\"depot\"],\"initial\":{\"state\":\"new\"}}\n\
                 {\"process\":\"shop\",\"name\":\"pay\",\"set\":{\"state\":\"paid\"}}\n{\"process\":\"depot\",\"heartbeat\":true}\n",
        after: "{\"process\":\"depot\",\"name\":\"ship\",\"set\":{\"state\":\"shipped\"}}\n",
        status: 0,
    },
    Scenario {
        name: "keys",
        args: &["--key", "order"],
        properties: ORDERS,
        before: "{\"posetta\":1,\"initial\":{\"state\":\"new\"}}\n\
                 {\"process\":\"shop\",\"order\":\"a\",\"name\":\"pay\",\"set\":{\"state\":\"paid\"}}\n\
                 {\"process\":\"depot\",\"order\":\"a\",\"name\":\"ship\",\"set\":{\"state\":\"shipped\"}}\n\
                 {\"process\":\"depot\",\"order\":\"c\",\"name\":\"ship\",\"set\":{\"state\":\"shipped\"}}\n\
                 {\"process\":\"shop\",\"order\":\"b\",\"name\":\"pay\",\"set\":{\"state\":\"paid\"}}\n{\"process\":\"shop\",\"name\":\"clean\"}\n",
        after: "{\"process\":\"depot\",\"order\":\"b\",\"name\":\"ship\",\"set\":{\"state\":\"shipped\"}}\n",
        status: 1,
    },
    Scenario {
        name: "lines and records that were left out",
        args: &[],
        properties: "property small = ltl G (x < 5)\nproperty seen = ltl F (x == 2)\n",
        before: "{\"x\":1}\n{\"x\":}\n{\"x\":\"a\"}\n{\"x\":2}\n",
        after: "{\"x\":3}\n",
        status: 2,
    },
    Scenario {
        name: "nothing but a header",
        args: &[],
        properties: ORDERS,
        before: "{\"posetta\":1,\"initial\":{\"state\":\"new\"}}\n",
        after: "{\"process\":\"shop\",\"name\":\"pay\",\"set\":{\"state\":\"paid\"}}\n\
                {\"process\":\"depot\",\"name\":\"ship\",\"set\":{\"state\":\"shipped\"}}\n",
        status: 0,
    },
    Scenario {
        name: "a field that looks like a clock, of which the reader warns",
        args: &[],
        properties: "property seen = ltl F (x == 3)\n",
        before: "{\"process\":\"A\",\"set\":{\"x\":1},\"vc\":{\"A\":1}}\n{\"process\":\"B\",\"set\":{\"x\":2},\"vc\":{\"A\":1,\"B\":1}}\n",
        after: "{\"process\":\"A\",\"set\":{\"x\":0}}\n",
        status: 1,
    },
    Scenario {
        name: "a table, which is read again",
        args: &["--from", "csv"],
        properties: REPLIES,
        before: "req,ack\n0,0\n1,0\n",
        after: "0,1\n0,0\n",
        status: 0,
    },
];

/// What came of going on.
#[derive(Debug, PartialEq)]
enum Came {
    /// Nothing was followed; why is told.
    Refused,
    Answers {
        status: u8,
        told: Vec<String>,
    },
}

struct Bench {
    dir: tempfile::TempDir,
    args: MonitorArgs,
    properties: Vec<Properties>,
    /// The files at the checkpoint.
    checkpoint: Vec<u8>,
    out: Vec<u8>,
}

impl Bench {
    fn new(scenario: &Scenario) -> Self {
        // Checkpoints are brought to the disk, which takes most of the time if it is one.
        let memory = Path::new("/dev/shm");
        let dir = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
        let path = |name: &str| dir.path().join(name).display().to_string();
        fs::write(path("p"), scenario.properties).unwrap();
        fs::write(path("s"), scenario.before).unwrap();
        let (stream, spec, out, place) = (path("s"), path("p"), path("o"), path("c"));
        let fixed = ["posetta", "monitor", &stream, "--spec", &spec, "--json", "--out", &out, "--checkpoint", &place];
        let cli = Cli::try_parse_from(fixed.iter().chain(scenario.args)).unwrap();
        let Command::Monitor(Later(args)) = cli.command else { unreachable!("the command is monitor") };
        let properties = vec![Properties::Spec(PathBuf::from(&spec), None)];
        let mut bench = Self { dir, args, properties, checkpoint: Vec::new(), out: Vec::new() };
        bench.go();
        (bench.checkpoint, bench.out) = (fs::read(place).unwrap(), fs::read(out).unwrap());
        fs::write(stream, format!("{}{}", scenario.before, scenario.after)).unwrap();
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Runs the command with the files that are there.
    fn go(&self) -> Came {
        let stream = Stream::new(self.args.key.is_some(), self.args.completions.into());
        let board = Board::new(true, true, stream, None);
        let board = Arc::new(Mutex::new(board));
        match work(&self.args, &self.properties, &board, &Arc::default(), &Budget::unlimited()) {
            Err(Halt::Limit(over)) => panic!("{over}"),
            Err(Halt::Refused(problems)) => {
                assert!(!problems.is_empty() && problems.iter().all(|p| !p.diagnostic.message.is_empty()));
                Came::Refused
            }
            Ok(ending) => {
                assert!(ending.over.is_none());
                let mut board = locked(&board);
                board.flush();
                let status = board.status(&ending.ends);
                Came::Answers { status, told: told(&fs::read_to_string(self.path("o")).unwrap()) }
            }
        }
    }

    /// Goes on from a checkpoint.
    fn go_on(&self, checkpoint: &[u8]) -> Came {
        fs::write(self.path("o"), &self.out).unwrap();
        fs::write(self.path("c"), checkpoint).unwrap();
        self.go()
    }
}

/// These lines with a seal that fits.
fn sealed(lines: &str) -> String {
    let checksum = Crc::<u64>::new(&CRC_64_XZ).checksum(lines.as_bytes());
    format!("{lines}{{\"length\":{:20},\"checksum\":\"{checksum:016x}\"}}\n", lines.len())
}

/// What the lines say, apart from where it was found.
fn told(out: &str) -> Vec<String> {
    let lines = out.lines().map(|line| serde_json::from_str(line).expect("whole lines"));
    let said = |l: Value| match &l["warning"] {
        Value::Null => {
            format!("{} {} {} {} {}", l["position"], l["property"], l["satisfied"], l["verdict"], l["key"])
        }
        warning => {
            let (property, warning) = (&warning["property"], &warning["warning"]);
            format!("{property} {} {}", warning["kind"], warning["message"])
        }
    };
    lines.map(said).collect()
}

fn extremes() -> Vec<Value> {
    let mut all: Vec<Value> = [0, 1, 2, 1 << 32, 1 << 53, 1 << 63, u64::MAX - 1, u64::MAX].map(Value::from).into();
    let others = r#"[-1, -9223372036854775808, 1.5, 1e300, null, true, false, "", "-", "18446744073709551615 states 1",
        "\u001b[2J\n", [], {}, [[]], [18446744073709551615, 18446744073709551615], [0, 0], {"": null}]"#;
    all.extend(serde_json::from_str::<Vec<Value>>(others).expect("JSON"));
    all.push("9".repeat(5000).into());
    all
}

/// Where a part is: the number of its line, and keys and places from there.
type Way = Vec<String>;

/// Calls `each` with every mutant of a value, and where it differs.
fn mutate(value: &Value, way: &mut Way, each: &mut dyn FnMut(&Way, Value)) {
    let mut others = extremes();
    if let Some(n) = value.as_u64() {
        others.extend([n.wrapping_add(1), n.wrapping_sub(1), n.wrapping_mul(2)].map(Value::from));
    }
    for other in others.into_iter().filter(|other| other != value) {
        each(way, other);
    }
    match value {
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                let with = |new: Vec<Value>| Value::Array([&items[..i], &new, &items[i + 1..]].concat());
                way.push(i.to_string());
                each(way, with(vec![]));
                each(way, with(vec![item.clone(), item.clone()]));
                mutate(item, way, &mut |way, new| each(way, with(vec![new])));
                way.pop();
            }
        }
        Value::Object(fields) => {
            let with = |key: &str, new: Option<Value>| {
                let mut fields: Map<String, Value> = fields.clone();
                match new {
                    Some(new) => fields.insert(key.to_owned(), new),
                    None => fields.shift_remove(key),
                };
                Value::Object(fields)
            };
            each(way, with("more", Some(1.into())));
            for (key, item) in fields {
                way.push(key.clone());
                each(way, with(key, None));
                mutate(item, way, &mut |way, new| each(way, with(key, Some(new))));
                way.pop();
            }
        }
        _ => {}
    }
}

/// Fields that are themselves what was found before: if a new seal is made for another value, nothing else contradicts it. A mutant of
/// one must not bring the program down, and that is all that can be asked.
fn is_a_result(way: &Way) -> bool {
    let way: Vec<&str> = way.iter().map(String::as_str).collect();
    match way[..] {
        // The key of a stream, and the state of a property on it.
        [line, ..] if line != "0" => true,
        [_, "board", "malformed" | "mistyped" | "mistaken" | "keyless" | "warned", ..] => true,
        [_, "board", "properties", _, "failed" | "lost_to_memory"] => true,
        // Names that need not come any more.
        [_, "names", ..] => true,
        _ => false,
    }
}

#[test]
fn whatever_a_checkpoint_says_the_answer_is_right_or_it_is_refused() {
    let (mut mutants, mut refused, mut right) = (0, 0, 0);
    for scenario in SCENARIOS {
        let bench = Bench::new(&scenario);
        let expected = bench.go_on(&bench.checkpoint);
        let Came::Answers { status, .. } = expected else { panic!("{}: {expected:?}", scenario.name) };
        assert_eq!(status, scenario.status, "{}: {expected:?}", scenario.name);
        // Going on is as if nothing had been kept.
        fs::remove_file(bench.path("c")).unwrap();
        assert_eq!(bench.go(), expected, "{}", scenario.name);
        let text = String::from_utf8(bench.checkpoint.clone()).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let body = &lines[..lines.len() - 1];
        let write = |lines: &[Value]| sealed(&lines.iter().map(|line| format!("{line}\n")).collect::<String>());
        assert_eq!(write(body), text, "{}", scenario.name);
        for (number, line) in body.iter().enumerate() {
            mutate(line, &mut vec![number.to_string()], &mut |way, new| {
                let mutant = write(&[&body[..number], &[new], &body[number + 1..]].concat());
                mutants += 1;
                let came = bench.go_on(mutant.as_bytes());
                match &came {
                    Came::Refused => refused += 1,
                    _ if came == expected => right += 1,
                    Came::Answers { status, .. } => {
                        // A place inside a line: what is left of that is reported as a mistake.
                        let reported = *status == 2 && way[..] == ["0", "offset"];
                        let name = scenario.name;
                        assert!(is_a_result(way) || reported, "{name}: {way:?}: {came:?}, not {expected:?}\n{mutant}");
                    }
                }
            });
        }
    }
    eprintln!("{mutants} mutants with a new seal: {refused} refused, {right} with the right answer");
    assert!(mutants > 6000 && right > 100, "{mutants} mutants");
}

/// Nothing that was changed afterwards, in whatever way, is taken for a checkpoint.
#[test]
fn a_damaged_checkpoint_is_refused() {
    let mut mutants = 0;
    for scenario in &SCENARIOS[3..5] {
        let bench = Bench::new(scenario);
        let whole = &bench.checkpoint;
        let path = bench.path("c");
        fs::write(&path, whole).unwrap();
        assert!(checkpoint::open(&path).unwrap().is_some());
        let mut check = |mutant: &[u8], what: &str| {
            if mutant == whole {
                return;
            }
            mutants += 1;
            fs::write(&path, mutant).unwrap();
            let read = checkpoint::open(&path);
            assert!(read.is_err_and(|refusal| !refusal.message.is_empty()), "{what}");
        };
        for length in 0..whole.len() {
            check(&whole[..length], &format!("the first {length} bytes"));
        }
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut mutant = whole.clone();
                mutant[at] ^= 1 << bit;
                check(&mutant, &format!("bit {bit} of byte {at}"));
            }
            let mut mutant = whole.clone();
            mutant.remove(at);
            check(&mutant, &format!("without byte {at}"));
            mutant.insert(at, whole[at]);
            mutant.insert(at, whole[at]);
            check(&mutant, &format!("byte {at} twice"));
        }
        let lines: Vec<&[u8]> = whole.split_inclusive(|&b| b == b'\n').collect();
        for i in 0..lines.len() {
            for j in 0..lines.len() {
                let mut swapped = lines.clone();
                swapped.swap(i, j);
                check(&swapped.concat(), &format!("lines {i} and {j} swapped"));
                let mut more = lines.clone();
                more.insert(j, lines[i]);
                check(&more.concat(), &format!("line {i} again before line {j}"));
            }
            check(&[&lines[..i], &lines[i + 1..]].concat().concat(), &format!("without line {i}"));
        }
        check(&[&whole[..], b"\n"].concat(), "with another line");
    }
    eprintln!("{mutants} damaged checkpoints");
    assert!(mutants > 10_000, "{mutants}");
}
