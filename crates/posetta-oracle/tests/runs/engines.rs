//! The engines against each other, on runs that are too wide for enumeration.

use std::collections::BTreeMap;

use fastrand::Rng;
use posetta_base::{Budget, EventId, Number, Value, Verdict};
use posetta_check::{Answer, Engine, Options, Order, check};
use posetta_logic::{Formula, Property};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::engines::engines;
use posetta_oracle::ltl::satisfies;
use posetta_oracle::order;
use posetta_oracle::random::{Kind, Plan, PlannedEvent, Shape, plan};
use posetta_trace::{Slice, Trace};

fn decide(trace: &Trace, property: &Property, options: &Options, about: &str) -> Answer {
    check(trace, property, options, &Budget::unlimited()).unwrap_or_else(|e| panic!("{about}: {e:?}"))
}

/// Independent processes that count up and down, each its own variable.
fn counters(rng: &mut Rng) -> Plan {
    let processes = 6 + rng.usize(..2);
    let events = (0..4 * processes).map(|i| PlannedEvent {
        process: i % processes,
        name: None,
        sets: vec![(i % processes, Value::Number(Number::from(rng.i64(0..3))))],
        time: None,
        attributes: Vec::new(),
    });
    let events: Vec<PlannedEvent> = events.collect();
    let mut edges: Vec<(usize, usize)> = Vec::new();
    for _ in 0..rng.usize(..4) {
        let (a, b) = (rng.usize(..events.len()), rng.usize(..events.len()));
        edges.push((a.min(b), a.max(b)));
    }
    edges.retain(|(a, b)| a != b);
    Plan {
        processes: (0..processes).map(|p| format!("P{p}")).collect(),
        variables: (0..processes).map(|p| (format!("x{p}"), Kind::Small)).collect(),
        initial: BTreeMap::new(),
        events,
        edges,
        sequence: true,
    }
}

/// Threads share the work of a proof and change nothing; neither does anything else that may be chosen.
#[test]
fn wide_runs_are_decided_alike() {
    let mut verdicts = Shares::default();
    let mut wide = 0;
    for_seeds(40, |rng, seed| {
        let plan = counters(rng);
        let trace = plan.build().unwrap();
        // Different weights, so that no two states look alike.
        let weighted = plan.variables.iter().enumerate().map(|(i, (name, _))| format!("{} * {name}", 10 + i * i));
        let sum = weighted.collect::<Vec<_>>().join(" + ");
        let highest: usize = (0..plan.processes.len()).map(|i| 2 * (10 + i * i)).sum();
        let most = highest - rng.usize(..highest / 4);
        let text = match rng.u8(..3) {
            0 => format!("G ({sum} < {most})"),
            1 => format!("G ({sum} < {most} && x0 + x1 + x2 != 7)"),
            _ => format!("F ({sum} >= {most}) -> F (x0 == 2 && x1 == 0)"),
        };
        let about = format!("seed {seed}: {text}\non\n{plan}");
        let property = Property::ltl(&text).unwrap();
        let Formula::Ltl(view, formula) = &property.formula else { unreachable!("it is LTL") };
        let explicit = decide(&trace, &property, &Options::default().engine(Engine::Explicit), &about);
        // Without covering there is more to share.
        let symbolic = Options::default().engine(Engine::Symbolic);
        let proof = symbolic.clone().order(Order::Proof).covering(seed % 2 == 0).slice(false);
        let alone = decide(&trace, &property, &proof, &about);
        let together = decide(&trace, &property, &proof.clone().threads(4), &about);
        assert_eq!(alone.stats, together.stats, "{about}");
        assert_eq!(alone.verdict, together.verdict, "{about}");
        wide += u64::from(alone.stats.configurations > 1_000);
        let auto = decide(&trace, &property, &Options::default(), &about);
        let uncovered = decide(&trace, &property, &symbolic.covering(false), &about);
        for answer in [&alone, &auto, &uncovered] {
            assert_eq!(answer.verdict.word(), explicit.verdict.word(), "{about}");
            assert_eq!(answer.runs(), explicit.runs(), "{about}");
            if let Verdict::Violated(run) = &answer.verdict {
                assert!(order::Order::of(&trace).is_run(run), "{run:?}: {about}");
                assert!(!satisfies(&trace, run, *view, formula), "{run:?}: {about}");
            }
        }
        verdicts.add(explicit.verdict.word());
    });
    verdicts.at_least_a_fifth("wide runs", &["holds", "violated"]);
    if std::env::var_os("POSETTA_CASES").is_none() {
        assert!(wide >= 2, "only {wide} searches were wide");
    }
}

/// Where there are more intervals than cuts are worth, the search goes on cut by cut.
#[test]
fn many_intervals_and_few_cuts() {
    let mut by_cuts = 0;
    for_seeds(6, |rng, seed| {
        let processes = 9;
        let events = (0..2 * processes).map(|i| PlannedEvent {
            process: i % processes,
            name: None,
            sets: vec![(i % processes, Value::Number(Number::from(1 + (i / processes) as i64)))],
            time: None,
            attributes: Vec::new(),
        });
        let plan = Plan {
            processes: (0..processes).map(|p| format!("P{p}")).collect(),
            variables: (0..processes).map(|p| (format!("x{p}"), Kind::Small)).collect(),
            initial: BTreeMap::new(),
            events: events.collect(),
            edges: if seed % 2 == 0 { Vec::new() } else { vec![(rng.usize(..9), 9 + rng.usize(..9))] },
            sequence: true,
        };
        let trace = plan.build().unwrap();
        let all = |op: &str| (0..processes).map(|p| format!("x{p} {op} 1")).collect::<Vec<_>>().join(" && ");
        let text = match seed % 3 {
            0 => format!("F ({})", all("==")),
            1 => format!("!F ({})", all("==")),
            _ => format!("F ({}) || F ({})", all("=="), all(">")),
        };
        let about = format!("seed {seed}: {text} on\n{plan}");
        let property = Property::ltl(&text).unwrap();
        let explicit = decide(&trace, &property, &Options::default().engine(Engine::Explicit), &about);
        let symbolic = decide(&trace, &property, &Options::default().engine(Engine::Symbolic), &about);
        let auto = decide(&trace, &property, &Options::default(), &about);
        let explored = |a: &Answer| a.stats.configurations + a.stats.further_configurations;
        by_cuts += u64::from(explored(&auto) != explored(&symbolic));
        for answer in [&auto, &symbolic] {
            assert_eq!(answer.verdict.word(), explicit.verdict.word(), "{about}");
            assert_eq!(answer.runs(), explicit.runs(), "{about}");
        }
    });
    if std::env::var_os("POSETTA_CASES").is_none() {
        assert!(by_cuts > 0, "no search went cut by cut");
    }
}

/// Kept events are ordered as in the trace, on chains, and any order of them completes to a run.
#[test]
fn a_slice_keeps_the_order() {
    for_seeds(1_000, |rng, seed| {
        let plan: Plan = plan(rng, Shape { events: 9, processes: 4, one_writer: 50 });
        let trace = plan.build().unwrap();
        let kept: Vec<bool> = trace.events().map(|_| rng.bool()).collect();
        let tick = rng.u8(..4) == 0;
        let slice = Slice::new(&trace, |e| kept[e.index()], tick, &Budget::unlimited()).unwrap();
        let truth = order::Order::of(&trace);
        let about = format!("seed {seed}, {kept:?}, {tick}\n{plan}");
        let before = |a: u32, b: u32| match (slice.event(a), slice.event(b)) {
            (Some(a), Some(b)) => a == b || truth.before(a, b),
            (None, Some(b)) => trace.events().any(|e| truth.before(e, b)),
            (Some(_), None) => false,
            (None, None) => true,
        };
        let places: Vec<u32> = (0..slice.places()).collect();
        let events: Vec<EventId> = places.iter().filter_map(|&p| slice.event(p)).collect();
        assert_eq!(events.len(), kept.iter().filter(|k| **k).count(), "{about}");
        for &b in &places {
            for chain in 0..slice.width() {
                let on_chain = |p: u32| slice.place(chain, p);
                let known = (1..=slice.len(chain)).filter(|&p| before(on_chain(p), b)).count() as u32;
                assert_eq!(slice.clock(b)[chain], known, "{about}");
                let first = (1..=slice.len(chain)).find(|&p| before(b, on_chain(p)));
                assert_eq!(slice.reverse(b)[chain], first.unwrap_or(slice.len(chain) + 1), "{about}");
            }
            let (chain, position) = slice.position(b);
            assert_eq!(slice.place(chain, position), b);
        }
        // Any linear extension of the slice.
        let mut order: Vec<u32> = Vec::new();
        while order.len() < places.len() {
            let free = |p: &&u32| {
                !order.contains(p) && places.iter().all(|q| q == *p || order.contains(q) || !before(*q, **p))
            };
            let ready: Vec<u32> = places.iter().filter(free).copied().collect();
            order.push(ready[rng.usize(..ready.len())]);
        }
        let run = slice.complete(&trace, &order);
        assert!(truth.is_run(&run), "{run:?}: {about}");
        let kept_in_run: Vec<EventId> = run.iter().copied().filter(|e| kept[e.index()]).collect();
        let asked: Vec<EventId> = order.iter().filter_map(|&p| slice.event(p)).collect();
        assert_eq!(kept_in_run, asked, "{about}");
    });
}

fn read(text: &str) -> Trace {
    posetta_formats::text::read(text.as_bytes(), &Budget::unlimited()).unwrap()
}

/// Values that no order brings together are not calculated with: neither warned about nor too large.
#[test]
fn only_what_can_happen_is_calculated() {
    let apart = read("initial: x=1, y=1, z=0\nP: y=5 -> y=6 -> z=5\nQ: x=2\n");
    let large = format!("1{}", "0".repeat(9_000));
    let huge = read(&format!("P: x={large} -> x=0 -> y={large}\nQ: z=1\n"));
    let divided = read("initial: x=1, y=1\nP: y=0 -> y=2\nQ: x=2\n");
    for (trace, text, warned) in [
        (&apart, "G (x / (y - z) != 7)", false),
        (&huge, "G (x * x * y * y * y != 7)", false),
        (&divided, "F (x / y == 1)", true),
    ] {
        for (name, options) in engines() {
            let answer = decide(trace, &Property::ltl(text).unwrap(), &options, text);
            assert_eq!(answer.verdict, Verdict::Holds, "{name}: {text}");
            assert_eq!(!answer.warnings.is_empty(), warned, "{name}: {text}: {:?}", answer.warnings);
        }
    }
}

/// A part that outgrows its memory does not hide that another one is violated, wherever it is written.
#[test]
fn a_hard_part_hides_nothing() {
    let counters: String =
        (0..12).map(|p| format!("P{p}: {}\n", vec![format!("x{p}=1 -> x{p}=0"); 5].join(" -> "))).collect();
    let trace = read(&format!("{counters}U: u=1 -> u=0 -> u=2\nV: v=1 -> v=0\nU.3 -> V.1\nW: w=1 -> w=0\n"));
    let sum = (0..12).map(|p| format!("{} * x{p}", 1 << p)).collect::<Vec<_>>().join(" + ");
    let (hard, easy) = (format!("G ({sum} != 5000)"), "G !(u == 1 && w == 1)");
    for text in [format!("{hard} && {easy}"), format!("{easy} && {hard}")] {
        let property = Property::ltl(&text).unwrap();
        let answer = check(&trace, &property, &Options::default(), &Budget::with_memory(20 << 20)).unwrap();
        assert_eq!(answer.verdict.word(), "violated", "{text}: {:?}", answer.stats);
    }
}

/// Merging the modes of a long chain would take one round for each.
#[test]
fn a_long_chain_of_states_is_no_trouble() {
    let edges: String = (0..20_000).map(|i| format!("s{i} -> s{}: event(a)\n", i + 1)).collect();
    let source = format!("monitor chain {{\ninitial s0\nbad s20000\n{edges}}}\n");
    let property = posetta_logic::read_props(&source).unwrap().remove(0);
    let trace = read("A: a\nB: a -> a\n");
    assert_eq!(decide(&trace, &property, &Options::default(), "a chain").verdict, Verdict::Holds);
}

/// Section 5 of paper 000: 17 configurations for 8 processes.
#[test]
fn the_algorithm_as_printed_takes_what_the_paper_says() {
    for processes in [2, 8, 100] {
        let run: String = (0..processes).map(|p| format!("P{p}: x{p}=1 -> x{p}=2\n")).collect();
        let reads = (0..processes).flat_map(|p| [(p, 1), (p, 2)]).chain([(0, 3)]);
        let edges: String =
            reads.enumerate().map(|(i, (p, v))| format!("q{i} -> q{}: on(x{p} == {v})\n", i + 1)).collect();
        let source = format!("monitor m over events {{\ninitial q0\nbad q{}\n{edges}}}\n", 2 * processes + 1);
        let property = posetta_logic::read_props(&source).unwrap().remove(0);
        let answer = decide(&read(&run), &property, &Options::default().engine(Engine::Paper), &source);
        assert_eq!(answer.verdict, Verdict::Holds);
        assert_eq!((answer.stats.engine, answer.stats.configurations), ("paper", 2 * processes + 1));
    }
}

/// Where partial-order reduction leaves orders out, and where it must not.
#[test]
fn invisible_events_are_taken_alone() {
    let silent = "A: z1=1 -> z1=2 -> z1=3\nB: z2=1 -> z2=2 -> z2=3\n";
    let run = format!("{silent}C: x=1\nD: y=1\nC.1 -> D.1\n");
    for (text, visible, verdict) in [
        ("G (x == 1 -> y == 1)", 2, "violated"),
        // 4 × 4 cuts of what cannot be seen become 7; then x, then y.
        ("G (y == 1 -> x == 1)", 2, "holds"),
        // Every event is a step.
        ("G (y == 1 -> x == 1 || WX false)", 8, "holds"),
    ] {
        let property = Property::ltl(text).unwrap();
        let by = |engine| decide(&read(&run), &property, &Options::default().engine(engine), text);
        let (por, explicit) = (by(Engine::Por), by(Engine::Explicit));
        assert_eq!((por.verdict.word(), explicit.verdict.word()), (verdict, verdict), "{text}");
        assert_eq!((por.stats.engine, por.stats.relevant_events), ("por", visible), "{text}");
        match visible {
            2 => assert!(por.stats.configurations <= 9, "{text}: {:?}", por.stats),
            _ => assert_eq!(por.stats.configurations, explicit.stats.configurations, "{text}"),
        }
    }
    // Over events the first letter depends on what comes first.
    let property = posetta_logic::read_props("property p = ltl over events G (x == 1)").unwrap().remove(0);
    let answer = decide(&read("A: x=1\nB: z=1\n"), &property, &Options::default().engine(Engine::Por), "the first");
    assert_eq!(answer.runs(), Some(posetta_check::Runs::Some));
}
