//! Explanations against their definition: every run is tried, and every smaller set of edges.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use posetta_base::{Budget, EventId, Limit, Number, Value, Verdict};
use posetta_check::{Answer, Explanation, Options, Runs, check};
use posetta_logic::{Formula, Monitor, Property, View, read_props};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::engines::engines;
use posetta_oracle::order::Order;
use posetta_oracle::random::{Case, Kind, Plan, PlannedEvent, Shape, Tense, Vocabulary, ltl_case, monitor, plan};
use posetta_oracle::{ltl, monitor as by_monitor};
use posetta_trace::Trace;

/// Whether a run satisfies the property, by definition.
type Satisfies<'s> = &'s dyn Fn(&[EventId]) -> bool;

/// "Fewest exchanges of neighbours": pairs that stand the other way round.
fn inversions(reference: &[EventId], run: &[EventId]) -> u64 {
    let place = |order: &[EventId], e: EventId| order.iter().position(|&o| o == e);
    let mut count = 0;
    for (i, &a) in run.iter().enumerate() {
        count += run[i + 1..].iter().filter(|&&b| place(reference, b) < place(reference, a)).count() as u64;
    }
    count
}

/// Every run of a trace with its truth.
struct World {
    runs: Vec<(Vec<EventId>, bool)>,
    order: Order,
}

impl World {
    fn new(trace: &Trace, satisfies: Satisfies<'_>) -> Self {
        let order = Order::of(trace);
        let mut runs = Vec::new();
        order.for_each_run(|run| runs.push((run.to_vec(), satisfies(run))));
        Self { runs, order }
    }

    /// Whether, of the runs that respect these edges, there are some and all satisfy the property.
    fn holds_with(&self, edges: &[(EventId, EventId)]) -> bool {
        let place = |run: &[EventId], e: EventId| run.iter().position(|&o| o == e);
        let respects = |run: &[EventId]| edges.iter().all(|&(a, b)| place(run, a) < place(run, b));
        let mut left = self.runs.iter().filter(|(run, _)| respects(run)).peekable();
        left.peek().is_some() && left.all(|(_, holds)| *holds)
    }

    /// Pairs of concurrent events, in both directions, or only along a run.
    fn pairs(&self, trace: &Trace, along: Option<&[EventId]>) -> Vec<(EventId, EventId)> {
        let all = trace.events().flat_map(|a| trace.events().map(move |b| (a, b)));
        let place = |e: EventId| along.map(|run| run.iter().position(|&o| o == e));
        all.filter(|&(a, b)| self.order.concurrent(a, b) && (along.is_none() || place(a) < place(b))).collect()
    }

    /// Whether some set of fewer edges than `size` would do.
    fn smaller(&self, pairs: &[(EventId, EventId)], size: usize, chosen: &mut Vec<(EventId, EventId)>) -> bool {
        if self.holds_with(chosen) {
            return true;
        }
        if chosen.len() + 1 >= size {
            return false;
        }
        let place = |run: &[EventId], e: EventId| run.iter().position(|&o| o == e);
        let respects = |run: &[EventId], (a, b): (EventId, EventId)| place(run, a) < place(run, b);
        // Some failing run must be excluded by the next edge.
        let Some((failing, _)) =
            self.runs.iter().find(|(run, holds)| !holds && chosen.iter().all(|&edge| respects(run, edge)))
        else {
            return false;
        };
        pairs.iter().any(|&pair| {
            if respects(failing, pair) {
                return false;
            }
            chosen.push(pair);
            let found = self.smaller(pairs, size, chosen);
            chosen.pop();
            found
        })
    }
}

/// What must be true of an explanation; `whole` says that no allowance was in the way.
fn examine(trace: &Trace, world: &World, answer: &Answer, whole: bool, about: &str) -> Option<Explanation> {
    let Verdict::Violated(witness) = &answer.verdict else {
        assert_eq!(answer.why(), None, "nothing to explain: {about}");
        return None;
    };
    let why = answer.why().cloned().unwrap_or_else(|| panic!("not explained: {about}"));
    let about = &format!("{witness:?} {why:?}, {about}");
    let truth = |run: &[EventId]| world.runs.iter().find(|(r, _)| r == run).map(|(_, holds)| *holds);
    assert_eq!(truth(witness), Some(false), "the witness: {about}");
    let reference = trace.linearisation();
    assert_eq!(why.exchanges, inversions(reference, witness), "{about}");
    assert!(why.closest || !whole, "{about}");
    let reference_holds = truth(reference) == Some(true);
    if !reference_holds {
        assert!(witness == reference && why.closest && why.swapped.is_none(), "{about}");
    }
    if why.closest {
        let failing = world.runs.iter().filter(|(_, holds)| !holds);
        let fewest = failing.map(|(run, _)| inversions(reference, run)).min();
        assert_eq!(Some(why.exchanges), fewest, "{about}");
    }
    let edges = why.missing_edges.as_deref();
    assert_eq!(why.swapped.is_some(), trace.observed().is_some() && reference_holds, "{about}");
    if let Some((a, b)) = why.swapped {
        let at = witness.iter().position(|&e| e == b).unwrap();
        assert_eq!(witness.get(at + 1), Some(&a), "{about}");
        assert!(inversions(reference, &[b, a]) == 1, "{about}");
        let mut undone = witness.clone();
        undone.swap(at, at + 1);
        assert!(!why.closest || truth(&undone) == Some(true), "undone, it must hold: {about}");
        let inverted = |pair: &[EventId]| inversions(reference, pair) == 1;
        let mut exchanged = witness.windows(2).filter(|pair| inverted(pair)).map(|pair| (pair[1], pair[0]));
        let edges = edges.unwrap_or_default();
        assert!(edges.contains(&(a, b)) || !exchanged.any(|pair| edges.contains(&pair)), "{about}");
    }
    let some = world.runs.iter().any(|(_, holds)| *holds);
    assert!(some || edges.is_none(), "{about}");
    assert!(!whole || some == edges.is_some(), "{about}");
    let Some(edges) = edges else {
        assert!(!why.minimum, "{about}");
        return Some(why);
    };
    let along = trace.observed().filter(|_| reference_holds);
    let allowed = world.pairs(trace, along);
    assert!(edges.iter().all(|edge| allowed.contains(edge)), "{about}");
    assert!(world.holds_with(edges), "with the edges: {about}");
    for left_out in 0..edges.len() {
        let mut fewer = edges.to_vec();
        fewer.remove(left_out);
        assert!(!world.holds_with(&fewer), "{left_out} can be left out: {about}");
    }
    if why.minimum {
        assert!(!world.smaller(&allowed, edges.len(), &mut Vec::new()), "a smaller set would do: {about}");
    }
    if whole {
        assert!(why.minimum || along.is_none() && edges.len() > 2, "{about}");
    }
    Some(why)
}

fn explained(trace: &Trace, property: &Property, options: Options, about: &str) -> Answer {
    let options = options.explain(true);
    check(trace, property, &options, &Budget::unlimited()).unwrap_or_else(|e| panic!("refused: {e:?}: {about}"))
}

/// One case with all the time there is, with little, and by every engine.
fn compare(
    rng: &mut Rng,
    trace: &Trace,
    property: &Property,
    satisfies: Satisfies<'_>,
    told: &mut Told,
    about: &str,
) -> Answer {
    let plain = check(trace, property, &Options::default(), &Budget::unlimited()).unwrap();
    if plain.runs() == Some(Runs::All) {
        return explained(trace, property, Options::default(), about);
    }
    let world = World::new(trace, satisfies);
    let answer = explained(trace, property, Options::default(), about);
    assert_eq!((answer.verdict.word(), answer.runs()), (plain.verdict.word(), plain.runs()), "{about}");
    assert_eq!((answer.observed(), &answer.stats), (plain.observed(), &plain.stats), "{about}");
    let why = examine(trace, &world, &answer, true, about);
    let patience = *rng.choice(&[0, 20, 100, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 40_000]).unwrap();
    let mut hurried = Vec::new();
    for threads in [1, 2] {
        let options = Options::default().patience(patience).threads(threads);
        let answer = explained(trace, property, options, about);
        let about = format!("with a patience of {patience}, {about}");
        hurried.push((examine(trace, &world, &answer, false, &about), answer.verdict));
    }
    assert_eq!(hurried[0], hurried[1], "threads, {about}");
    if let (Some(hurried), Some(why)) = (&hurried[0].0, &why) {
        told.hurried.add(match hurried {
            hurried if hurried == why => "the same",
            Explanation { missing_edges: None, closest: true, .. } => "no edges",
            Explanation { missing_edges: None, exchanges, .. } if *exchanges == why.exchanges => {
                "as close, but not known to be"
            }
            Explanation { missing_edges: None, .. } => "not the closest",
            Explanation { minimum: false, .. } => "edges, not known to be the fewest",
            _ => "other edges",
        });
    }
    let (name, options) = engines()[rng.usize(..7)].clone();
    let other = explained(trace, property, options, about);
    assert_eq!((&other.verdict, other.why()), (&answer.verdict, why.as_ref()), "{name}, {about}");
    answer
}

/// How much there was to explain, and how much of it little patience left.
#[derive(Default)]
struct Told {
    swaps: Shares,
    edges: Shares,
    hurried: Shares,
}

impl Told {
    fn add(&mut self, answer: &Answer) {
        let Some(why) = answer.why() else { return };
        self.swaps.add(match why.exchanges {
            0 => "none",
            1 => "one",
            _ => "more",
        });
        self.edges.add(match why.missing_edges.as_ref().map(Vec::len) {
            None => "impossible",
            Some(1) => "one",
            Some(2) => "two",
            Some(_) => "more",
        });
    }

    fn are_of_all_sorts(&self, what: &str) {
        self.swaps.at_least(0.03, &format!("{what}, exchanges"), &["none", "one", "more"]);
        self.hurried.at_least(0.0, &format!("{what}, with little patience"), &[]);
        self.edges.at_least(0.01, &format!("{what}, edges"), &["impossible", "one", "two", "more"]);
    }
}

fn compare_random(what: &str, view: View, tense: Tense) {
    let mut told = Told::default();
    for_seeds(1_500, |rng, seed| {
        let Case { plan, formula } = ltl_case(rng, view, tense);
        let trace = plan.build().unwrap();
        let about = format!("seed {seed}, {view:?}: {formula}\non\n{plan}");
        let property = Property::ltl_over(view, &formula.to_string()).unwrap();
        let satisfies = |run: &[EventId]| ltl::satisfies(&trace, run, view, &formula);
        let answer = compare(rng, &trace, &property, &satisfies, &mut told, &about);
        told.add(&answer);
    });
    told.are_of_all_sorts(what);
}

#[test]
fn over_states() {
    compare_random("over states", View::States, Tense::Future);
}

#[test]
fn over_events() {
    compare_random("over events", View::Events, Tense::Future);
}

#[test]
fn with_past() {
    compare_random("over states with past", View::States, Tense::PastAndFuture);
    compare_random("over events with past", View::Events, Tense::PastAndFuture);
}

fn monitor_property(view: View, monitor: &Monitor) -> Property {
    let item = monitor.item("m", view);
    read_props(&item).unwrap_or_else(|e| panic!("{item}: {e:?}")).remove(0)
}

#[test]
fn by_monitors() {
    let mut told = Told::default();
    for_seeds(1_500, |rng, seed| {
        let view = if rng.bool() { View::States } else { View::Events };
        let plan = plan(rng, Shape { events: 7, processes: 4, one_writer: 40 });
        let words = Vocabulary::of(&plan);
        let trace = plan.build().unwrap();
        let mut drawn = monitor(rng, &words, 50);
        for _ in 0..10 {
            let tally = by_monitor::over_all_runs(&trace, view, &drawn);
            if tally.satisfied > 0 && tally.violated > 0 {
                break;
            }
            drawn = monitor(rng, &words, 50);
        }
        let about = format!("seed {seed}, {view:?}: {drawn}\non\n{plan}");
        let satisfies = |run: &[EventId]| by_monitor::satisfies(&trace, run, view, &drawn);
        let property = monitor_property(view, &drawn);
        let answer = compare(rng, &trace, &property, &satisfies, &mut told, &about);
        told.add(&answer);
    });
    told.are_of_all_sorts("monitors");
}

/// Independent processes that go up and down a few times, some of which wait for others.
fn wide(rng: &mut Rng) -> Plan {
    let processes = 3 + rng.usize(..4);
    let events = (0..processes * (4 + rng.usize(..6))).map(|i| PlannedEvent {
        process: i % processes,
        name: None,
        sets: vec![(i % processes, Value::Number(Number::from(i64::from((i / processes).is_multiple_of(2)))))],
        time: None,
        attributes: Vec::new(),
    });
    let events: Vec<PlannedEvent> = events.collect();
    let mut edges: Vec<(usize, usize)> = Vec::new();
    for _ in 0..rng.usize(..8) {
        let (a, b) = (rng.usize(..events.len()), rng.usize(..events.len()));
        edges.push((a.min(b), a.max(b)));
    }
    edges.retain(|&(a, b)| a % processes != b % processes);
    Plan {
        processes: (0..processes).map(|p| format!("P{p}")).collect(),
        variables: (0..processes).map(|p| (format!("x{p}"), Kind::Flag)).collect(),
        initial: BTreeMap::new(),
        events,
        edges,
        sequence: true,
    }
}

/// On runs that are too wide for enumeration the engines say whether edges are enough, and none too many.
#[test]
fn wide_runs_are_explained() {
    let mut told = Told::default();
    let mut work = Shares::default();
    for_seeds(150, |rng, seed| {
        let mut plan = wide(rng);
        let (p, q) = (rng.usize(..plan.processes.len() - 1), plan.processes.len() - 1);
        let text = match rng.u8(..4) {
            0 => format!("G !(x{p} == 1 && x{q} == 1)"),
            1 => format!("G (on(x{p} == 1) -> x{q} == 0)"),
            2 => format!("!F (x0 == 1 && x{p} == 1 && x{q} == 1)"),
            _ => format!("G (on(x{p} == 0) -> F on(x{q} == 0))"),
        };
        let trace = plan.build().unwrap();
        let property = Property::ltl(&text).unwrap();
        let patience = *rng.choice(&[3_000, 30_000, 300_000, 3_000_000, 100_000_000]).unwrap();
        let about = format!("seed {seed}, patience {patience}: {text}\non\n{plan}");
        let options = Options::default().patience(patience);
        let answer = explained(&trace, &property, options.clone(), &about);
        let again = explained(&trace, &property, options.threads(3), &about);
        assert_eq!((&answer.verdict, answer.why()), (&again.verdict, again.why()), "{about}");
        let (Verdict::Violated(witness), Some(why)) = (&answer.verdict, answer.why()) else { return };
        told.add(&answer);
        let Formula::Ltl(view, formula) = &property.formula else { unreachable!("it is LTL") };
        let fails = |run: &[EventId]| !ltl::satisfies(&trace, run, *view, formula);
        assert!(Order::of(&trace).is_run(witness) && fails(witness), "{about}");
        assert_eq!(why.exchanges, inversions(trace.linearisation(), witness), "{about}");
        if let (Some((_, b)), true) = (why.swapped, why.closest) {
            let at = witness.iter().position(|&e| e == b).unwrap();
            let mut undone = witness.clone();
            undone.swap(at, at + 1);
            assert!(!fails(&undone), "{why:?}: {about}");
        }
        work.add(match (why.closest, why.missing_edges.is_some()) {
            (true, true) => "all",
            (true, false) => "no edges",
            (false, true) => "not closest",
            (false, false) => "little",
        });
        let Some(edges) = &why.missing_edges else { return };
        let before = plan.edges.clone();
        let mut decide = |edges: &[(EventId, EventId)]| {
            plan.edges = before.iter().copied().chain(edges.iter().map(|(a, b)| (a.index(), b.index()))).collect();
            let trace = plan.build().unwrap_or_else(|e| panic!("a cycle? {e}: {about}"));
            check(&trace, &property, &Options::default(), &Budget::unlimited()).unwrap().verdict.word()
        };
        assert_eq!(decide(edges), "holds", "{edges:?}: {about}");
        for left_out in 0..edges.len() {
            let mut fewer = edges.clone();
            fewer.remove(left_out);
            assert_eq!(decide(&fewer), "violated", "{edges:?} without {left_out}: {about}");
        }
    });
    told.swaps.at_least(0.03, "wide runs, exchanges", &["none", "one", "more"]);
    told.edges.at_least(0.03, "wide runs, edges", &["impossible", "one", "more"]);
    work.at_least(0.01, "wide runs, told", &["all", "no edges"]);
}

/// A limit of the caller leaves the verdict and a witness that fails.
#[test]
fn limits_keep_the_verdict() {
    let mut why = Shares::default();
    for_seeds(400, |rng, seed| {
        let plan = wide(rng);
        let trace = plan.build().unwrap();
        let property = Property::ltl("G !(x0 == 1 && x1 == 1 && x2 == 1)").unwrap();
        let about = format!("seed {seed} on\n{plan}");
        let run = |explain: bool, memory: u64| {
            let options = Options::default().explain(explain);
            check(&trace, &property, &options, &Budget::with_memory(memory)).unwrap()
        };
        let memory = 1 << rng.u32(10..24);
        let (plain, explained) = (run(false, memory), run(true, memory));
        assert_eq!(plain.verdict.word(), explained.verdict.word(), "{about}");
        assert_eq!((plain.runs(), plain.stopped), (explained.runs(), explained.stopped), "{about}");
        if let Verdict::Violated(witness) = &explained.verdict {
            let Formula::Ltl(view, formula) = &property.formula else { unreachable!("it is LTL") };
            assert!(!ltl::satisfies(&trace, witness, *view, formula), "{about}");
            why.add(match explained.why() {
                None => "nothing",
                Some(why) if why.missing_edges.is_none() => "in part",
                Some(_) => "all",
            });
        }
    });
    why.at_least(0.05, "with little memory, explained", &["in part", "all"]);
}

/// So does a stop in the middle of it: the closest failing order is far away, and there is patience for ever.
#[test]
fn a_stop_keeps_the_verdict() {
    let events = (0..8 * 40).map(|i| PlannedEvent {
        process: i / 40,
        name: None,
        sets: vec![(i / 40, Value::Number(Number::from(i as i64 % 40 + 1)))],
        time: None,
        attributes: Vec::new(),
    });
    let plan = Plan {
        processes: (0..8).map(|p| format!("P{p}")).collect(),
        variables: (0..8).map(|p| (format!("x{p}"), Kind::Small)).collect(),
        initial: BTreeMap::new(),
        events: events.collect(),
        edges: Vec::new(),
        sequence: true,
    };
    let trace = plan.build().unwrap();
    let property = Property::ltl("G !(x0 == 7 && x7 == 33 && x3 == 9)").unwrap();
    for milliseconds in [0, 1, 10, 100, 2_000] {
        let budget = Budget::unlimited();
        let stop = budget.stop_handle();
        let raising = thread::spawn(move || {
            thread::sleep(Duration::from_millis(milliseconds));
            stop.raise(Limit::Time);
        });
        let started = Instant::now();
        let options = Options::default().explain(true).patience(u64::MAX);
        let answer = check(&trace, &property, &options, &budget).unwrap();
        assert!(started.elapsed() < Duration::from_secs(30));
        raising.join().unwrap();
        match &answer.verdict {
            Verdict::Violated(witness) => {
                let Formula::Ltl(view, formula) = &property.formula else { unreachable!("it is LTL") };
                assert!(!ltl::satisfies(&trace, &witness[..], *view, formula));
                assert_eq!((answer.stopped, answer.runs()), (None, Some(Runs::Some)));
            }
            Verdict::Unknown(over) => assert!(over.limit == Limit::Time && milliseconds < 2_000),
            Verdict::Holds => panic!("it does not hold"),
        }
    }
}
