//! Runs that are decided while they happen: at every prefix the verdict of the definition, and as early as it is certain.

use fastrand::Rng;
use posetta_base::{Budget, Error, EventId, ProcessId, TakenAttributes, Value, WantedAttributes};
use posetta_check::{Online, Prospect};
use posetta_logic::{Formula, Monitor, Property, View, read_props};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::live::Future;
use posetta_oracle::ltl::satisfies;
use posetta_oracle::m2l;
use posetta_oracle::monitor::satisfies as not_bad;
use posetta_oracle::order::{EventSet, Order, contains, singleton};
use posetta_oracle::random::{
    Case, Kind, Plan, PlannedEvent, Shape, SmallCase, Tense, Vocabulary, joint_atom, ltl_case, m2l_case, monitor, plan,
    random_run, small_case, state_atom,
};
use posetta_oracle::word::attribute;
use posetta_trace::{Arrival, Assigned, Frontier, Trace};

/// A trace that is fed to the library event by event.
pub struct Stream<'t> {
    trace: &'t Trace,
    pub order: Order,
    frontier: Frontier,
    pub seen: EventSet,
    pub online: Online,
}

/// What following one small run may take: far more than it needs, and far less than the machine has.
fn budget() -> Budget {
    Budget::with_work(1 << 30, 1 << 22)
}

impl<'t> Stream<'t> {
    fn new(trace: &'t Trace, property: &Property, declared: bool) -> Self {
        Self::try_new(trace, property, declared).unwrap_or_else(|e| panic!("{} is refused: {e:?}", property.formula))
    }

    pub fn try_new(trace: &'t Trace, property: &Property, declared: bool) -> Result<Self, Error> {
        let initial: Vec<(String, Value)> = trace
            .variables()
            .map(|v| (trace.variable_name(v).to_owned(), trace.value(trace.initial(v)).clone()))
            .collect();
        let names: Vec<String> = trace.processes().map(|p| trace.process_name(p).to_owned()).collect();
        let mut frontier = Frontier::new(declared);
        trace.processes().for_each(|p| frontier.enter(p));
        let processes = declared.then_some(&names[..]);
        let online = Online::new(property, &initial, processes, &budget())?;
        Ok(Self { trace, order: Order::of(trace), frontier, seen: 0, online })
    }

    /// How many events of each process are in a set.
    fn counts(&self, set: EventSet) -> Vec<u32> {
        let within = |p: ProcessId| self.trace.chain(p).iter().filter(|&&e| contains(set, e)).count() as u32;
        self.trace.processes().map(within).collect()
    }

    fn arrive(&mut self, event: EventId) {
        self.try_arrive(event).unwrap();
    }

    pub fn try_arrive(&mut self, event: EventId) -> Result<(), Error> {
        let trace = self.trace;
        let assigned: Vec<Assigned<'_>> = trace
            .assignments(event)
            .iter()
            .map(|a| Assigned { var: a.var, name: trace.variable_name(a.var), value: trace.value(a.value) })
            .collect();
        let wanted = WantedAttributes::new(["k", "m"].map(str::to_owned));
        let mut taken = TakenAttributes::default();
        trace.attributes(event).for_each(|(key, json)| wanted.take(key, json, &mut taken));
        let clock = self.counts(self.order.causes(event) | singleton(event));
        let process = trace.process(event);
        self.frontier.learn(process, &clock);
        self.seen |= singleton(event);
        let arrival = Arrival {
            process,
            process_name: trace.process_name(process),
            clock: &clock,
            name: trace.event_name(event),
            assigned: &assigned,
            attributes: taken.of(&wanted),
            line: trace.line(event),
        };
        self.online.arrive(&arrival, &self.frontier)
    }

    /// A sign of life of a process: it knows what its next event comes after, as far as that has come, or anything if it has no
    /// further event.
    pub fn heartbeat(&mut self, rng: &mut Rng) {
        let process = ProcessId::from_raw(rng.u32(..self.trace.process_count() as u32));
        let next = self.trace.chain(process).iter().find(|&&e| !contains(self.seen, e));
        let knows = next.map_or(self.seen, |&e| self.order.causes(e) & self.seen);
        self.frontier.learn(process, &self.counts(knows));
        self.online.hear(&self.frontier).unwrap();
    }

    /// A process that has no further event says so.
    pub fn end(&mut self, process: ProcessId) {
        if self.trace.chain(process).iter().all(|&e| contains(self.seen, e)) {
            self.frontier.end(process);
            self.online.hear(&self.frontier).unwrap();
        }
    }

    /// What each event that has not come will come after, by the process that it may be of; `None` is one that has not shown up.
    pub fn sources_by_process(&self) -> Vec<(Option<ProcessId>, EventSet)> {
        let live = self.trace.processes().filter(|&p| !self.frontier.has_ended(p)).map(Some);
        live.chain([None]).zip(self.sources()).collect()
    }

    /// What each event that has not come will come after, by process.
    fn sources(&self) -> Vec<EventSet> {
        let events = |known: &[u32]| -> EventSet {
            let of =
                |p: ProcessId| self.trace.chain(p).iter().take(known.get(p.index()).copied().unwrap_or(0) as usize);
            self.trace.processes().flat_map(of).fold(0, |set, &e| set | singleton(e))
        };
        self.frontier.sources().map(events).collect()
    }
}

/// The verdict of the definition on every prefix of an order in which a run may be read.
fn prefixes(
    rng: &mut Rng,
    trace: &Trace,
    property: &Property,
    holds: &dyn Fn(&[EventId]) -> bool,
    about: &str,
) -> &'static str {
    let declared = rng.bool();
    let some = rng.u8(..4) == 0;
    let property = if some { &property.clone().some() } else { property };
    let about = &format!("{:?}, {about}", property.quantifier);
    let mut stream = Stream::new(trace, property, declared);
    let run = random_run(rng, &stream.order);
    let mut prospect = Prospect::Open;
    for step in 0..=run.len() {
        if step > 0 {
            stream.arrive(run[step - 1]);
            while rng.u8(..4) == 0 {
                stream.heartbeat(rng);
            }
        }
        let mut expected = !some;
        stream.order.for_each_way(0, stream.seen, &mut |order| match some {
            true => expected |= holds(order),
            false => expected &= holds(order),
        });
        assert_eq!(stream.online.satisfied(), expected, "after {step} of {run:?}, declared {declared}: {about}");
        if prospect != Prospect::Open {
            assert_eq!(stream.online.prospect(), prospect, "what is certain stays so: {about}");
        }
        prospect = stream.online.prospect();
    }
    let (holds, _) = stream.online.finish().unwrap_or_else(|e| panic!("{e:?}: {about}"));
    if holds { "holds" } else { "violated" }
}

/// A random run and a monitor for it.
fn monitor_case(rng: &mut Rng, view: View) -> (Plan, Monitor) {
    let plan = plan(rng, Shape { events: 7, processes: 4, one_writer: 40 });
    let monitor = monitor(rng, &Vocabulary::of(&plan), if view == View::Events { 65 } else { 35 });
    (plan, monitor)
}

#[test]
fn every_prefix_of_monitors() {
    let mut shares = Shares::default();
    for_seeds(150, |rng, seed| {
        let view = if rng.bool() { View::States } else { View::Events };
        let (plan, drawn) = monitor_case(rng, view);
        let trace = plan.build().unwrap();
        let item = drawn.item("m", view);
        let property = read_props(&item).unwrap().remove(0);
        let about = format!("seed {seed}, {view:?}: {item}\non\n{plan}");
        shares.add(prefixes(rng, &trace, &property, &|run| not_bad(&trace, run, view, &drawn), &about));
    });
    shares.at_least_a_fifth("live monitors", &["holds", "violated"]);
}

#[test]
fn every_prefix_of_m2l() {
    let mut shares = Shares::default();
    for_seeds(300, |rng, seed| {
        let view = if rng.bool() { View::States } else { View::Events };
        let plan = plan(rng, Shape { events: 5, processes: 3, one_writer: 40 });
        let (text, program) = m2l_case(rng, &Vocabulary::of(&plan), if view == View::Events { 65 } else { 35 });
        let trace = plan.build().unwrap();
        let property = Property::m2l_over(view, &text).unwrap();
        let about = format!("seed {seed}, {view:?}: {text}\non\n{plan}");
        let holds = |run: &[EventId]| m2l::satisfies(&trace, run, view, &program);
        shares.add(prefixes(rng, &trace, &property, &holds, &about));
    });
    shares.at_least_a_fifth("live M2L", &["holds", "violated"]);
}

fn compare_prefixes(what: &str, view: View, tense: Tense) {
    let mut shares = Shares::default();
    for_seeds(1_000, |rng, seed| {
        let Case { plan, formula } = ltl_case(rng, view, tense);
        let trace = plan.build().unwrap();
        let property = Property::ltl_over(view, &formula.to_string()).unwrap();
        let about = format!("seed {seed}, {view:?}: {formula}\non\n{plan}");
        shares.add(prefixes(rng, &trace, &property, &|run| satisfies(&trace, run, view, &formula), &about));
    });
    shares.at_least_a_fifth(what, &["holds", "violated"]);
}

#[test]
fn every_prefix_over_states() {
    compare_prefixes("live over states", View::States, Tense::Future);
}

#[test]
fn every_prefix_over_events() {
    compare_prefixes("live over events", View::Events, Tense::Future);
}

#[test]
fn every_prefix_over_states_with_past() {
    compare_prefixes("live over states with past", View::States, Tense::PastAndFuture);
}

#[test]
fn every_prefix_over_events_with_past() {
    compare_prefixes("live over events with past", View::Events, Tense::PastAndFuture);
}

/// New events may come between any of these. Orders that lead to the same are followed once; one by one they are too many for any
/// machine.
#[test]
fn orders_with_new_events_between_are_followed_once() {
    let run = "\
        initial: x=0, y=0, z=0\n\
        P1: x=0 -> y=0\n\
        P2: send y=0 -> z=3, x=1\n\
        P3: send z=1 -> x=1 -> y=1 -> y=0, z=3\n";
    let trace = posetta_formats::text::read(run.as_bytes(), &budget()).unwrap();
    let property = Property::ltl_over(View::Events, "F (on(y == 0) && on(!(1 * x == 1)) S (z > 1))").unwrap();
    let Formula::Ltl(view, formula) = &property.formula else { panic!("it is one of LTL") };
    let holds = |run: &[EventId]| satisfies(&trace, run, *view, formula);
    for seed in 0..20 {
        prefixes(&mut Rng::with_seed(seed), &trace, &property, &holds, run);
    }
}

/// After P's event, which assigns nothing, m and n are what events of R may have left. Whatever that was, the formula holds at Q's.
#[test]
fn what_an_event_leaves_as_it_was_tells() {
    let run = "initial: m=0, n=1\nP: b\nQ: n=2\nR:\nP.1 -> Q.1\n";
    let trace = posetta_formats::text::read(run.as_bytes(), &budget()).unwrap();
    let property = Property::ltl_over(View::Events, "F ((m == 1 <-> n == 0) || Y m == 1)").unwrap();
    let mut stream = Stream::new(&trace, &property, false);
    for (event, prospect) in trace.linearisation().iter().copied().zip([Prospect::Open, Prospect::Holds]) {
        stream.arrive(event);
        assert_eq!(stream.online.prospect(), prospect);
    }
}

/// `G` of conditions, which is watched without following orders as long as writes of different values are ordered.
#[test]
fn every_prefix_of_what_must_never_be() {
    let mut shares = Shares::default();
    for_seeds(1_000, |rng, seed| {
        let one_writer = [50, 90][rng.usize(..2)];
        let plan = plan(rng, Shape { events: 7, processes: 4, one_writer });
        let words = Vocabulary::of(&plan);
        let condition = |rng: &mut Rng| match rng.u8(..4) {
            0 => joint_atom(rng, &words).to_string(),
            _ => state_atom(rng, &words).to_string(),
        };
        let several = |rng: &mut Rng, between: &str| {
            (0..1 + rng.usize(..3)).map(|_| format!("({})", condition(rng))).collect::<Vec<_>>().join(between)
        };
        let text = match rng.u8(..5) {
            0 => format!("G ({})", several(rng, " || ")),
            1 => format!("G !({})", several(rng, " && ")),
            2 => format!("!F ({}) && G ({})", several(rng, " && "), several(rng, " || ")),
            3 => format!("G ({} -> {})", several(rng, " && "), several(rng, " || ")),
            _ => format!("G !({})", several(rng, " || ")),
        };
        let trace = plan.build().unwrap();
        let property = Property::ltl(&text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let Formula::Ltl(view, formula) = &property.formula else { panic!("{text} is LTL") };
        let about = format!("seed {seed}: {text}\non\n{plan}");
        shares.add(prefixes(rng, &trace, &property, &|run| satisfies(&trace, run, *view, formula), &about));
    });
    shares.at_least_a_fifth("live conditions", &["holds", "violated"]);
}

/// One property for each value: at every prefix each instance reads the orders of its own events.
#[test]
fn every_prefix_of_every_instance() {
    let mut shares = Shares::default();
    for_seeds(600, |rng, seed| {
        let view = if rng.bool() { View::States } else { View::Events };
        let Case { plan, formula } = ltl_case(rng, view, Tense::PastAndFuture);
        let trace = plan.build().unwrap();
        let (over, some) = (if view == View::States { "states" } else { "events" }, rng.u8(..4) == 0);
        let by_process = rng.u8(..3) == 0;
        let domain = if by_process { "processes" } else { "values(k)" };
        let quantifier = if some { "some" } else { "every" };
        let text = format!("property p = foreach v in {domain} {{ {quantifier} ltl over {over} {formula} }}");
        let about = format!("seed {seed}, {text}\non\n{plan}");
        let property = read_props(&text).unwrap().remove(0);
        let value = |event: EventId| match by_process {
            true => Some(Value::from(trace.process_name(trace.process(event)))),
            false => attribute(&trace, event, "k"),
        };
        let mut stream = Stream::new(&trace, &property, rng.bool());
        let run = random_run(rng, &stream.order);
        let mut certain = None;
        for step in 0..=run.len() {
            if step > 0 {
                stream.arrive(run[step - 1]);
            }
            let mut values: Vec<Value> = Vec::new();
            for value in run[..step].iter().filter_map(|&e| value(e)) {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            let total = values.len() as u64;
            values.retain(|v| {
                let mut expected = !some;
                stream.order.for_each_way(0, stream.seen, &mut |order| {
                    let own: Vec<EventId> = order.iter().copied().filter(|&e| value(e).as_ref() == Some(v)).collect();
                    match some {
                        true => expected |= satisfies(&trace, &own, view, &formula),
                        false => expected &= satisfies(&trace, &own, view, &formula),
                    }
                });
                !expected
            });
            let told = stream.online.instances().expect("it has instances");
            assert_eq!((told.total, &told.failing), (total, &values), "after {step} of {run:?}: {about}");
            assert_eq!(stream.online.satisfied(), values.is_empty(), "after {step} of {run:?}: {about}");
            // What is certain stays so, and its events are events of the run.
            if certain.is_none() && stream.online.prospect() == Prospect::Violated {
                certain = Some(step);
                for culprit in stream.online.culprits() {
                    let place = trace.chain(culprit.process).get(culprit.place as usize - 1);
                    assert!(place.is_some_and(|e| run[..step].contains(e)), "{culprit:?}: {about}");
                }
            }
            assert!(certain.is_none() || !values.is_empty(), "after {step} of {run:?}: {about}");
        }
        shares.add(match (certain, stream.online.satisfied()) {
            (Some(_), _) => "violated for certain",
            (None, true) => "holds",
            (None, false) => "violated",
        });
    });
    shares.at_least_a_fifth("live instances", &["holds", "violated for certain"]);
}

/// A run in the world of a formula.
fn run_in_world(rng: &mut Rng, case: &SmallCase) -> Plan {
    let processes: Vec<String> = ["P", "Q", "R"].map(str::to_owned).to_vec();
    let names = ["a", "b", "c"];
    let variables: Vec<(String, Kind)> = case.world.variables.iter().map(|(n, _)| (n.clone(), Kind::Mixed)).collect();
    let value = |rng: &mut Rng, var: usize| rng.choice(&case.world.variables[var].1).unwrap().clone();
    let initial = (0..variables.len()).map(|v| (v, value(rng, v))).collect();
    let count = 1 + rng.usize(..5);
    let events: Vec<PlannedEvent> = (0..count)
        .map(|_| PlannedEvent {
            process: rng.usize(..3),
            name: (rng.u8(..3) > 0).then(|| names[rng.usize(..3)].to_owned()),
            sets: (0..variables.len())
                .filter(|_| rng.bool())
                .collect::<Vec<_>>()
                .into_iter()
                .map(|v| (v, value(rng, v)))
                .collect(),
            time: None,
            attributes: Vec::new(),
        })
        .collect();
    let density = [0, 30, 60, 90][rng.usize(..4)];
    let mut edges = Vec::new();
    for to in 0..count {
        for from in 0..to {
            if events[from].process != events[to].process && rng.u8(..100) < density {
                edges.push((from, to));
            }
        }
    }
    Plan { processes, variables, initial, events, edges, sequence: true }
}

/// So many words are tried at most for one order.
const WORDS: usize = 3_000;

#[test]
fn verdicts_come_as_early_as_they_are_certain() {
    let mut shares = Shares::default();
    for_seeds(1_200, |rng, seed| {
        let case = small_case(rng, 40);
        let view = if rng.bool() { View::States } else { View::Events };
        let plan = run_in_world(rng, &case);
        let trace = plan.build().unwrap();
        let property = Property::ltl_over(view, &case.formula.to_string()).unwrap();
        assert_eq!(property.formula, Formula::Ltl(view, case.formula.clone()));
        let future = Future::new(&case.world, &case.atoms, &case.formula, view);
        let mut length = 1;
        while length < 4 && future.choices().pow(length as u32 + 1) <= WORDS {
            length += 1;
        }
        // Values of variables that are compared with each other are as many as one likes; of a world's only few are tried.
        let joint = case.atoms.iter().any(|atom| {
            let mut names: Vec<&str> = Vec::new();
            atom.for_each_var(&mut |var| names.push(&var.name));
            names.iter().any(|name| *name != names[0])
        });
        let mut stream = Stream::new(&trace, &property, rng.bool());
        let run = random_run(rng, &stream.order);
        for (i, &event) in run.iter().enumerate() {
            stream.arrive(event);
            while rng.u8(..4) == 0 {
                stream.heartbeat(rng);
            }
            let about = || format!("seed {seed}, {view:?}: {}, after {} of {run:?} on\n{plan}", case.formula, i + 1);
            let lost = future.some_order_is_lost(&trace, &stream.order, stream.seen, length, |_| true);
            let risky = future.may_be_violated(&trace, &stream.order, stream.seen, &stream.sources(), length.min(2));
            match stream.online.prospect() {
                Prospect::Violated => {
                    assert!(lost, "said to be lost, but can be repaired: {}", about());
                    let culprits: Vec<EventId> =
                        stream.online.culprits().iter().map(|c| trace.chain(c.process)[c.place as usize - 1]).collect();
                    let in_that_order = |run: &[EventId]| {
                        let place = |e: &EventId| run.iter().position(|other| other == e);
                        culprits.windows(2).all(|pair| place(&pair[0]) < place(&pair[1]))
                    };
                    assert!(
                        future.some_order_is_lost(&trace, &stream.order, stream.seen, length, in_that_order),
                        "no lost order has {culprits:?} in this order: {}",
                        about()
                    );
                    assert!(i == 0 || culprits.contains(&event), "{culprits:?}: {}", about());
                    shares.add("violated");
                    return;
                }
                Prospect::Holds => {
                    assert!(!risky, "said to hold, but may be violated: {}", about());
                    shares.add("holds");
                    return;
                }
                Prospect::Open if joint => shares.add("open, perhaps beyond the world's values"),
                Prospect::Open => {
                    // What was tried may have been too short.
                    let lost =
                        lost && future.some_order_is_lost(&trace, &stream.order, stream.seen, length + 2, |_| true);
                    assert!(!lost, "lost, but not known: {}", about());
                    let sources = stream.sources();
                    let longer = |more| future.may_be_violated(&trace, &stream.order, stream.seen, &sources, more);
                    let feasible = future.choices().pow(3) <= WORDS;
                    if !risky && !feasible {
                        shares.add("open, perhaps because too little was tried");
                        continue;
                    }
                    assert!(risky || longer(3) || longer(4), "certain to hold, but not known: {}", about());
                    shares.add("open");
                }
            }
        }
    });
    shares.at_least(0.05, "live verdicts", &["open", "violated", "holds"]);
}
