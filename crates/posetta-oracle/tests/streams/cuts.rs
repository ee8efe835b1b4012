//! CTL of runs that are decided while they happen: at every prefix the verdict of the definition, what is said to be certain stays
//! so whatever comes, and a cut that decides is known at the event that completes it.

use std::collections::BTreeSet;

use fastrand::Rng;
use posetta_base::{Budget, Error, EventId, Kind, ProcessId, Value, Verdict};
use posetta_check::{Options, Prospect, check};
use posetta_logic::{Ctl, CtlUnary, Formula, Path, Property, read_props};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::continuations::Prefix;
use posetta_oracle::ctl;
use posetta_oracle::order::{contains, singleton};
use posetta_oracle::projection::projected;
use posetta_oracle::random::{self, Case, Plan, PlannedEvent, Shape, Vocabulary, ctl_case, live_ctl, random_run};
use posetta_oracle::word::attribute;

use crate::online::Stream;

fn is_condition(formula: &Ctl) -> bool {
    !matches!(formula, Ctl::Unary(..) | Ctl::Binary(..)) && ctl::operands(formula).into_iter().all(is_condition)
}

/// If the formula is `AG` or `EF` of a condition: what a cut satisfies that decides it, and what it decides.
fn decided_by_a_cut(formula: &Ctl) -> Option<(Ctl, bool)> {
    match formula {
        Ctl::Unary(Path::All, CtlUnary::Globally, f) if is_condition(f) => Some((Ctl::Not(f.clone()), false)),
        Ctl::Unary(Path::Some, CtlUnary::Finally, f) if is_condition(f) => Some(((**f).clone(), true)),
        _ => None,
    }
}

fn is_refusal(error: &Error, kind: Kind) -> bool {
    matches!(error, Error::Invalid(mistakes) if mistakes.iter().any(|m| m.kind == kind))
}

/// Continuations that are tried after each event.
const TRIES: usize = 30;

fn follow(rng: &mut Rng, plan: &Plan, formula: &Ctl, seed: u64, must_follow: bool) -> &'static str {
    let trace = plan.build().unwrap();
    let property = Property::ctl(&formula.to_string()).unwrap();
    assert_eq!(property.formula, Formula::Ctl(formula.clone()));
    let declared = rng.bool();
    let mut stream = match Stream::try_new(&trace, &property, declared) {
        Ok(stream) => stream,
        Err(error) => {
            assert!(!must_follow && is_refusal(&error, Kind::Unsupported), "seed {seed}, {formula}: {error:?}");
            return "cannot be followed";
        }
    };
    let initial: Vec<Value> = trace.variables().map(|v| trace.value(trace.initial(v)).clone()).collect();
    let run = random_run(rng, &stream.order);
    let mut prospect = Prospect::Open;
    for step in 0..=run.len() {
        let about = || format!("seed {seed}, declared {declared}: {formula}\nafter {step} of {run:?} on\n{plan}");
        if step > 0 {
            let arrived = stream.try_arrive(run[step - 1]);
            let prefix = Prefix::new(plan, &initial, stream.seen, &[]);
            if let Err(error) = arrived {
                assert!(is_refusal(&error, Kind::UnorderedWrites), "{error:?}: {}", about());
                assert_eq!(prefix.verdict(formula), None, "refused: {}", about());
                return "refused";
            }
            while rng.u8(..4) == 0 {
                stream.heartbeat(rng);
            }
            if rng.u8(..3) == 0 {
                let process = ProcessId::from_raw(rng.u32(..trace.process_count() as u32));
                stream.end(process);
            }
            if step == run.len() && rng.bool() {
                trace.processes().for_each(|process| stream.end(process));
            }
        }
        let sources = stream.sources_by_process();
        let prefix = Prefix::new(plan, &initial, stream.seen, &sources);
        let verdict = prefix.verdict(formula);
        assert_eq!(Some(stream.online.satisfied()), verdict, "{}", about());
        let now = stream.online.prospect();
        assert!(prospect == Prospect::Open || now == prospect, "what is certain stays so: {}", about());
        if step > 0 && prospect == Prospect::Open {
            if let Some((condition, decides)) = decided_by_a_cut(formula) {
                assert_eq!(verdict == Some(decides), now == certain(decides), "a cut decides: {}", about());
                if now == certain(decides) {
                    shown(&stream, &prefix, &condition, run[step - 1], plan, &about());
                }
            }
            if sources.is_empty() {
                assert_ne!(now, Prospect::Open, "nothing can come: {}", about());
            }
            if now != Prospect::Open {
                let found = prefix.verdicts(rng, formula, TRIES);
                assert_eq!(found, BTreeSet::from([now == Prospect::Holds]), "said to be certain: {}", about());
            }
        }
        prospect = now;
    }
    let (holds, _) = stream.online.finish().unwrap_or_else(|e| panic!("seed {seed}, {formula}: {e:?}"));
    assert_eq!(Some(holds), ctl::holds(&trace, formula));
    match prospect {
        Prospect::Open => "open to the end",
        Prospect::Holds => "certain to hold",
        Prospect::Violated => "certain to be violated",
    }
}

fn certain(holds: bool) -> Prospect {
    if holds { Prospect::Holds } else { Prospect::Violated }
}

/// The events that are named lie in a cut that decides, and the last one that came is among them, unless the start decides.
fn shown(stream: &Stream<'_>, prefix: &Prefix, condition: &Ctl, last: EventId, plan: &Plan, about: &str) {
    let culprits: Vec<EventId> = stream
        .online
        .culprits()
        .iter()
        .map(|c| {
            let of_process = |(_, event): &(usize, &PlannedEvent)| event.process == c.process.index();
            let mut places = plan.events.iter().enumerate().filter(of_process);
            EventId::from_raw(places.nth(c.place as usize - 1).unwrap().0 as u32)
        })
        .collect();
    assert!(culprits.is_empty() || culprits.contains(&last) || stream.seen.count_ones() == 1, "{culprits:?}: {about}");
    // Places in the prefix: of the events that were seen.
    let place = |e: &EventId| (stream.seen & (singleton(*e) - 1)).count_ones();
    let meant = culprits.iter().fold(0, |set, e| set | singleton(EventId::from_raw(place(e))));
    assert!(prefix.has_cut(condition, |_, cut| meant & !cut == 0), "no such cut has {culprits:?}: {about}");
}

#[test]
fn what_is_certain_of_cuts() {
    let mut shares = Shares::default();
    for_seeds(3_000, |rng, seed| {
        let Case { plan, .. } = ctl_case(rng);
        let formula = live_ctl(rng, &Vocabulary::of(&plan));
        shares.add(follow(rng, &plan, &formula, seed, true));
    });
    shares.at_least(0.03, "live cuts", &["open to the end", "certain to hold", "certain to be violated", "refused"]);
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let mut shares = Shares::default();
    for_seeds(1_000, |rng, seed| {
        let Case { plan, formula } = ctl_case(rng);
        shares.add(follow(rng, &plan, &formula, seed, false));
    });
    shares.at_least(0.05, "any CTL, live", &["open to the end", "cannot be followed"]);
}

/// One formula for each value: at every prefix each instance is decided on the cuts of its own events, and refused if those do not
/// determine a state.
#[test]
fn every_prefix_of_every_instance() {
    let mut shares = Shares::default();
    for_seeds(2_000, |rng, seed| {
        let plan = random::plan(rng, Shape { events: 8, processes: 4, one_writer: 50 });
        let formula = live_ctl(rng, &Vocabulary::of(&plan));
        let trace = plan.build().unwrap();
        let by_process = rng.u8(..3) == 0;
        let domain = if by_process { "processes" } else { "values(k)" };
        let text = format!("property p = foreach v in {domain} {{ ctl {formula} }}");
        let property = read_props(&text).unwrap().remove(0);
        let mut stream = Stream::try_new(&trace, &property, rng.bool()).unwrap();
        let run = random_run(rng, &stream.order);
        let about = |step: usize| format!("seed {seed}: {text}\nafter {step} of {run:?} on\n{plan}");
        let mut certain = false;
        for step in 1..=run.len() {
            let arrived = stream.try_arrive(run[step - 1]);
            let value = |event: EventId| match contains(stream.seen, event) {
                true if by_process => Some(Value::from(trace.process_name(trace.process(event)))),
                true => attribute(&trace, event, "k"),
                false => None,
            };
            let instances = projected(&plan, &trace, &value);
            let verdicts: Vec<(Value, Option<bool>)> =
                instances.iter().map(|(value, _, own)| (value.clone(), ctl::holds(own, &formula))).collect();
            if let Err(error) = arrived {
                assert!(is_refusal(&error, Kind::UnorderedWrites), "{error:?}: {}", about(step));
                assert!(verdicts.iter().any(|(_, holds)| holds.is_none()), "refused: {}", about(step));
                return shares.add("refused");
            }
            let mut told = stream.online.instances().expect("it has instances");
            let mut failing: Vec<Value> =
                verdicts.iter().filter(|(_, holds)| *holds != Some(true)).map(|(value, _)| value.clone()).collect();
            assert!(verdicts.iter().all(|(_, holds)| holds.is_some()), "not refused: {}", about(step));
            [&mut told.failing, &mut failing].into_iter().for_each(|values| values.sort_by_key(Value::to_string));
            assert_eq!((told.total, &told.failing), (verdicts.len() as u64, &failing), "{}", about(step));
            assert_eq!(stream.online.satisfied(), failing.is_empty(), "{}", about(step));
            let is_violated = stream.online.prospect() == Prospect::Violated;
            assert!(is_violated || !certain, "what is certain stays so: {}", about(step));
            assert!(!is_violated || !failing.is_empty(), "said to be certain: {}", about(step));
            assert_ne!(stream.online.prospect(), Prospect::Holds, "other values may come: {}", about(step));
            if let Some((_, false)) = decided_by_a_cut(&formula) {
                assert_eq!(is_violated, !failing.is_empty(), "a cut decides: {}", about(step));
            }
            if is_violated && !certain {
                for culprit in stream.online.culprits() {
                    let event = trace.chain(culprit.process)[culprit.place as usize - 1];
                    let own = instances.iter().find(|(_, events, _)| events.contains(&event));
                    assert!(own.is_some_and(|(value, ..)| failing.contains(value)), "{culprit:?}: {}", about(step));
                }
            }
            certain = is_violated;
        }
        shares.add(match (certain, stream.online.satisfied()) {
            (true, _) => "violated for certain",
            (false, true) => "holds",
            (false, false) => "violated",
        });
    });
    shares.at_least(0.02, "live instances of cuts", &["violated for certain", "holds", "violated", "refused"]);
}

/// A run of three processes that hear of each other now and then. Each writes a variable of its own, and whoever has heard of its last
/// write a shared one.
fn long_plan(rng: &mut Rng) -> Plan {
    let count = 60;
    let mut plan = Plan {
        processes: ["P", "Q", "R"].map(str::to_owned).to_vec(),
        variables: ["x", "y", "z", "t"].map(|name| (name.to_owned(), random::Kind::Small)).to_vec(),
        initial: (0..4).map(|var| (var, Value::Number(0.into()))).collect(),
        events: Vec::new(),
        edges: Vec::new(),
        sequence: true,
    };
    let mut last_write: Option<usize> = None;
    for event in 0..count {
        let process = rng.usize(..3);
        let mut sets = Vec::new();
        if rng.u8(..3) > 0 {
            sets.push((process, random::Kind::Small.value(rng)));
        }
        let other = plan.events.iter().rposition(|e: &PlannedEvent| e.process != process).filter(|_| rng.u8(..3) == 0);
        plan.edges.extend(other.map(|other| (other, event)));
        if rng.u8(..6) == 0 {
            let before = last_write.replace(event).filter(|&e| plan.events[e].process != process);
            plan.edges.extend(before.filter(|before| Some(*before) != other).map(|before| (before, event)));
            sets.push((3, Value::Number(rng.i64(0..3).into())));
        }
        plan.events.push(PlannedEvent { process, name: None, sets, time: None, attributes: Vec::new() });
    }
    plan
}

#[test]
fn long_runs_are_decided_as_check_does() {
    let mut shares = Shares::default();
    for_seeds(120, |rng, seed| {
        let plan = long_plan(rng);
        let [a, b, c] = [rng.u8(..4), rng.u8(..4), rng.u8(..3)];
        let formula = match rng.u8(..8) {
            0 => format!("AG (x + y + z <= {})", 4 + a),
            1 => format!("AG (x - 2*y + t < {})", 3 + a),
            2 => format!("EF (x == {a} && y == {b} && z == {a} && t == {c})"),
            3 => format!("AG !(x == {a} && y > {c} && z < {b}) && AG (x + t != {})", 4 + c),
            4 => format!("AG (x + y + z + t <= {}) || EF (x == 3 && y == 3 && z == 3)", 5 + a),
            5 => format!("AG (t == {c} -> x != {a} || z != {b})"),
            6 => format!("AF (x == {a} && y == {b})"),
            _ => format!("AG (x + y >= t - {c} && y + z <= {})", 4 + c),
        };
        let trace = plan.build().unwrap();
        let property = Property::ctl(&formula).unwrap();
        let mut stream = Stream::try_new(&trace, &property, true).unwrap();
        let initial: Vec<Value> = trace.variables().map(|v| trace.value(trace.initial(v)).clone()).collect();
        let options = Options::default().verdict_only(true);
        for event in 0..plan.events.len() {
            stream.try_arrive(EventId::from_raw(event as u32)).unwrap();
            (0..rng.usize(..4)).for_each(|_| stream.heartbeat(rng));
            let prefix = Prefix::new(&plan, &initial, stream.seen, &[]).trace();
            let answer = check(&prefix, &property, &options, &Budget::unlimited()).unwrap();
            let holds = matches!(answer.verdict, Verdict::Holds);
            assert_eq!(stream.online.satisfied(), holds, "seed {seed}: {formula} after {} of\n{plan}", event + 1);
        }
        shares.add(match stream.online.prospect() {
            Prospect::Open if stream.online.held().0 < 40 => "open, and most of it forgotten",
            Prospect::Open => "open",
            Prospect::Holds | Prospect::Violated => "certain",
        });
    });
    shares.at_least(0.1, "long runs", &["open, and most of it forgotten", "certain"]);
}
