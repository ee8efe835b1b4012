//! Logs that others wrote, and facts about them that were computed elsewhere.
//!
//! The logs are no part of the project. They are looked for beside it, or where `POSETTA_SAMPLES` says.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use posetta_base::{Budget, Error, Kind, Verdict};
use posetta_formats::shiviz::Expression;
use posetta_formats::waves::{Moment, Sampling, Unknown};
use posetta_formats::{self as formats, Format, ReadOptions};
use posetta_logic::Property;
use posetta_model::system::{Demand, Slots, Spec, System};
use posetta_model::{mcc, pnml};
use posetta_trace::{Trace, count_cuts, count_linearisations};
use posetta_verify::system::{Answer, Engine, Options, Question};

fn samples() -> Option<PathBuf> {
    posetta_peers::samples("shiviz")
}

fn read(path: &Path, regex: Option<&str>) -> Trace {
    let options = ReadOptions::default().expression(regex.map(|r| Expression::new(r).unwrap()));
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
        assert_eq!(formats::detect(&start, None), Ok(Some(Format::Shiviz)), "{name}");
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

fn waves(path: &Path, sampling: Sampling) -> Result<Trace, Error> {
    let start = std::fs::read(path).unwrap();
    assert_eq!(formats::detect(&start, None), Ok(Some(Format::Vcd)), "{}", path.display());
    let options = ReadOptions::default().sampling(sampling);
    let runs = formats::read_runs(Format::Vcd, &start[..], &options, &Budget::unlimited())?;
    Ok(runs.into_iter().next().unwrap().trace)
}

/// The values of a variable in every state.
fn values(trace: &Trace, name: &str) -> Vec<String> {
    let var = trace.find_variable(name).unwrap();
    let mut value = trace.initial(var);
    let mut all = vec![trace.value(value).to_string()];
    for &event in trace.linearisation() {
        value = trace.assignments(event).iter().find(|a| a.var == var).map_or(value, |a| a.value);
        all.push(trace.value(value).to_string());
    }
    all
}

#[test]
fn waveforms_of_others_are_read_whole() {
    let Some(folder) = posetta_peers::samples("vcd") else { return };
    for (name, clock, states) in [
        ("counter_tb.vcd", None, 27),
        ("counter_tb.vcd", Some("top.clock"), 13),
        ("GCD.vcd", None, 5),
        ("up_counter.vcd", None, 116),
        ("up_counter.vcd", Some("clk"), 58),
    ] {
        let sampling = Sampling::default().clock(clock.map(str::to_owned));
        let trace = waves(&folder.join(name), sampling).unwrap();
        assert_eq!(trace.len() + 1, states, "{name} {clock:?}");
    }
}

#[test]
fn waveforms_of_others_have_the_values_that_they_should() {
    let Some(folder) = posetta_peers::samples("vcd") else { return };
    let clocked = |moment| Sampling::default().clock(Some("counter_tb.clock".to_owned())).moment(moment);
    let counter = |sampling| values(&waves(&folder.join("counter_tb.vcd"), sampling).unwrap(), "counter_tb.out");
    let counted = ["\"x\"", "0", "0", "1", "2", "3", "0", "1", "2", "3", "0", "1", "2"];
    assert_eq!(counter(clocked(Moment::Before)), counted);
    let after: Vec<&str> = counted[1..].iter().copied().chain(["2"]).collect();
    assert_eq!(counter(clocked(Moment::After)), after);
    assert_eq!(counter(clocked(Moment::Before).unknown(Unknown::Zero))[0], "0");
    // 34 and 17 have the common divisor 17.
    let gcd = waves(&folder.join("GCD.vcd"), Sampling::default()).unwrap();
    assert_eq!(values(&gcd, "io_z").last().unwrap(), "17");
    assert_eq!(values(&gcd, "GCD.io_v"), ["0", "0", "0", "0", "1"]);
    let states = values(&waves(&folder.join("up_counter.vcd"), Sampling::default()).unwrap(), "state");
    assert_eq!((states[0].as_str(), states.last().unwrap().as_str()), ("\"TOP/0\"", "\"BOTTOM/2\""));
}

#[test]
fn a_broken_waveform_is_refused() {
    let Some(folder) = posetta_peers::samples("vcd") else { return };
    let Err(Error::Invalid(mistakes)) = waves(&folder.join("VCD_file_with_errors.vcd"), Sampling::default()) else {
        panic!("the file is not whole");
    };
    assert_eq!(mistakes.len(), 1);
    assert_eq!(mistakes[0].kind, Kind::Truncated);
    assert_eq!(mistakes[0].message, "the file ends inside the declarations; was it cut off?");
}

/// The formulas of a property set of the contest, and the net that they ask about.
fn contest(folder: &Path, set: &str) -> (System, Vec<Spec>) {
    let text = |name: &str| std::fs::read_to_string(folder.join("Philosophers-PT-000005").join(name)).unwrap();
    let system = pnml::read(&text("model.pnml")).unwrap();
    let specs = mcc::read(&system, &text(set)).unwrap();
    (system, specs)
}

#[test]
fn a_net_of_the_contest_has_its_states_and_its_units_have_as_many() {
    let Some(folder) = posetta_peers::samples("pnml") else { return };
    let (net, _) = contest(&folder, "LTLFireability.xml");
    let units = net.by_units().unwrap();
    assert_eq!((net.warnings.len(), net.components.len(), units.components.len()), (0, 1, 10));
    // As the contest has them: 243 markings, 945 steps.
    for system in [&net, &units] {
        let slots = Slots::new(system);
        let mut known = std::collections::BTreeSet::from([system.initial()]);
        let mut open = vec![system.initial()];
        let mut steps = 0;
        while let Some(state) = open.pop() {
            for (_, next) in system.moves(&slots, &state) {
                steps += 1;
                let next = next.unwrap();
                if known.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        assert_eq!((known.len(), steps), (243, 945));
    }
}

#[test]
fn formulas_of_the_contest_are_read_as_what_they_are() {
    let Some(folder) = posetta_peers::samples("pnml") else { return };
    for (set, is_right) in [
        ("LTLFireability.xml", (|d| matches!(d, Demand::States(_) | Demand::Invariant(_))) as fn(&Demand) -> bool),
        ("LTLCardinality.xml", |d| matches!(d, Demand::States(_) | Demand::Invariant(_))),
        ("ReachabilityFireability.xml", |d| matches!(d, Demand::Reach(_) | Demand::Invariant(_))),
        ("CTLFireability.xml", |d| !matches!(d, Demand::Actions(_) | Demand::Bound(_))),
    ] {
        let (_, specs) = contest(&folder, set);
        assert_eq!(specs.len(), 16, "{set}");
        for spec in &specs {
            assert!(is_right(&spec.demand), "{set}: {}", spec.source);
        }
    }
    let (_, specs) = contest(&folder, "LTLFireability.xml");
    assert_eq!(&*specs[0].source, "A G X !fireable(FF1a_2, FF1a_1, FF1a_4, FF1a_3, FF1a_5)");
    assert_eq!(specs[0].name.as_deref(), Some("Philosophers-PT-000005-LTLFireability-00"));
}

/// By the engine that is chosen, state by state, and by sets of states.
#[test]
fn formulas_of_the_contest_have_its_answers() {
    let Some(folder) = posetta_peers::samples("pnml") else { return };
    for (set, short) in [
        ("LTLFireability.xml", "LTLF"),
        ("LTLCardinality.xml", "LTLC"),
        ("ReachabilityFireability.xml", "RF"),
        ("CTLFireability.xml", "CTLF"),
    ] {
        let (system, specs) = contest(&folder, set);
        let oracle = format!("Philosophers-PT-000005/oracle/Philosophers-PT-000005-{short}.out");
        let answers = std::fs::read_to_string(folder.join(oracle)).unwrap();
        for engine in [Engine::Auto, Engine::Explicit, Engine::Sog] {
            let said = answered(&system, &specs, engine);
            assert_eq!(said.len(), 16, "{set}");
            for (spec, answer) in specs.iter().zip(said) {
                let verdict = match answer.verdict {
                    Verdict::Holds => "TRUE",
                    Verdict::Violated(_) => "FALSE",
                    Verdict::Unknown(over) => panic!("{set}: {over}"),
                };
                let line = format!("FORMULA {} {verdict} ", spec.name.as_deref().unwrap());
                assert!(answers.contains(&line), "{engine:?}: {line}: {}", spec.source);
            }
        }
    }
}

/// What an engine says about each.
fn answered(system: &System, specs: &[Spec], engine: Engine) -> Vec<Answer> {
    let budget = Budget::unlimited();
    let mut question = Question::new(system, specs, Options::default().engine(engine));
    question.decide(&budget).unwrap();
    question.answers().iter().map(|answer| answer.clone().expect("what is asked is answered")).collect()
}

#[test]
fn a_net_and_its_units_have_the_same_words() {
    let Some(folder) = posetta_peers::samples("pnml") else { return };
    let (net, _) = contest(&folder, "LTLFireability.xml");
    let units = net.by_units().unwrap();
    let texts =
        ["G !deadlock", "G (FF1a_1 -> F End_1)", "F (deadlock || divergence || FF1a_1)", "!End_1 W (FF2a_1 || FF2b_1)"];
    let specs: Vec<Spec> = texts.iter().map(|text| net.bind(&Property::ltl(text).unwrap(), &[]).unwrap()).collect();
    let answers = |system: &System, engine| {
        answered(system, &specs, engine).iter().map(|answer| answer.verdict.word()).collect::<Vec<_>>()
    };
    let expected = answers(&net, Engine::Explicit);
    assert!(expected.contains(&"holds") && expected.contains(&"violated"), "{expected:?}");
    for (system, engine) in
        [(&net, Engine::Sog), (&units, Engine::Explicit), (&units, Engine::Sog), (&units, Engine::Modular)]
    {
        assert_eq!(answers(system, engine), expected, "{engine:?}, {} components", system.components.len());
    }
}

#[test]
fn a_net_of_the_contest_has_its_size_by_every_engine() {
    let Some(folder) = posetta_peers::samples("pnml") else { return };
    let (system, _) = contest(&folder, "LTLFireability.xml");
    let answers =
        std::fs::read_to_string(folder.join("Philosophers-PT-000005/oracle/Philosophers-PT-000005-SS.out")).unwrap();
    for engine in [Engine::Auto, Engine::Explicit, Engine::Sog] {
        let (options, budget) = (Options::default().engine(engine).explore(true), Budget::unlimited());
        let mut question = Question::new(&system, &[], options);
        question.decide(&budget).unwrap();
        let found = question.findings().unwrap().clone();
        for (what, number) in [
            ("STATES", found.states.unwrap().to_string()),
            ("TRANSITIONS", found.arcs.unwrap().to_string()),
            ("MAX_TOKEN_IN_PLACE", found.most_tokens.unwrap().to_string()),
            ("MAX_TOKEN_PER_MARKING", found.most_tokens_in_all.unwrap().to_string()),
        ] {
            assert!(answers.contains(&format!("STATE_SPACE {what} {number} ")), "{engine:?}: {what} {number}");
        }
        assert_eq!(found.most_by_place.iter().map(|(slot, _)| *slot).collect::<Vec<_>>(), (0..25).collect::<Vec<_>>());
        assert!(found.most_by_place.iter().all(|(_, most)| *most == 1), "one token in each place");
    }
}
