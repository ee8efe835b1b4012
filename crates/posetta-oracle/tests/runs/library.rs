//! The library of properties (`import "std/…"`) against brute force: histories of registers and queues against every order of their
//! operations, all others against what they say, event by event, in every order of a small run.

use std::collections::VecDeque;

use fastrand::Rng;
use posetta_base::{Budget, Value, Verdict};
use posetta_check::{Options, check};
use posetta_formats::{self as formats, Format};
use posetta_logic::read_props;
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::order::Order;
use posetta_oracle::word::attribute;
use posetta_trace::{Builder, Trace};

/// Whether a property of the library holds on a run.
fn holds(file: &str, usage: &str, trace: &Trace, about: &str) -> bool {
    let text = format!("import \"std/{file}\"\nproperty p = {usage}\n");
    let property = read_props(&text).unwrap_or_else(|e| panic!("{e:?}: {text}")).remove(0);
    let known = ["k", "d", "x", "y"].map(str::to_owned).to_vec();
    let options = Options::default().known_elsewhere(known);
    let answer = check(trace, &property, &options, &Budget::unlimited());
    match answer.unwrap_or_else(|e| panic!("{e:?}: {usage}\n{about}")).verdict {
        Verdict::Holds => true,
        Verdict::Violated(_) => false,
        Verdict::Unknown(over) => panic!("{over}: {usage}\n{about}"),
    }
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Write(i64),
    Read(i64),
    /// From what to what.
    Cas(i64, i64),
    Enqueue(i64),
    Dequeue(i64),
}

/// An operation of a history: its records, the second of which need not have come, and whether it is in doubt.
#[derive(Clone, Copy, Debug)]
struct Operation {
    act: Act,
    begins: usize,
    ends: usize,
    in_doubt: bool,
}

/// Whether some order of the operations, each where it may take effect, is one of the object. Those in doubt may be left out.
fn explains<S: Clone>(left: &[Operation], state: &S, step: &dyn Fn(&S, Act) -> Option<S>) -> bool {
    if left.iter().all(|operation| operation.in_doubt) {
        return true;
    }
    (0..left.len()).any(|i| {
        let comes_later = left.iter().any(|other| !other.in_doubt && other.ends < left[i].begins);
        let rest: Vec<Operation> = left.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, o)| *o).collect();
        !comes_later && step(state, left[i].act).is_some_and(|next| explains(&rest, &next, step))
    })
}

/// A history of a few processes. `act` does an operation at a moment between its records, and says what it was and what it became; `lie`
/// may change what came back.
fn history(
    rng: &mut Rng,
    operations: usize,
    act: &mut dyn FnMut(&mut Rng) -> Act,
    lie: &dyn Fn(&mut Rng, Act) -> Act,
) -> (String, Vec<Operation>) {
    enum Doing {
        Nothing,
        Begun(usize),
        Done(usize, Act),
        Gone,
    }
    let mut doing: Vec<Doing> = (0..3 + rng.usize(..2)).map(|_| Doing::Nothing).collect();
    let (mut text, mut records, mut begun, mut found) = (Vec::<String>::new(), 0, 0, Vec::new());
    // The first record is written when it is known what the operation is: only reads and dequeues do not say it.
    while begun < operations || doing.iter().any(|d| matches!(d, Doing::Begun(_) | Doing::Done(..))) {
        let process = rng.usize(..doing.len());
        match doing[process] {
            Doing::Nothing if begun < operations => {
                text.push(String::new());
                doing[process] = Doing::Begun(records);
                begun += 1;
                records += 1;
            }
            Doing::Begun(first) => doing[process] = Doing::Done(first, act(rng)),
            Doing::Done(first, act) => {
                let returns = matches!(act, Act::Read(_) | Act::Dequeue(_));
                let in_doubt = !returns && rng.u8(..6) == 0;
                let act = if rng.u8(..4) == 0 { lie(rng, act) } else { act };
                let (f, value) = match act {
                    Act::Write(v) => ("write", v.to_string()),
                    Act::Read(v) => ("read", v.to_string()),
                    Act::Cas(from, to) => ("cas", format!("[{from},{to}]")),
                    Act::Enqueue(v) => ("enqueue", v.to_string()),
                    Act::Dequeue(v) => ("dequeue", v.to_string()),
                };
                let record = |kind: &str, value: &str| {
                    format!(r#"{{"type":"{kind}","process":{process},"f":"{f}","value":{value}}}"#)
                };
                text[first] = record("invoke", if returns { "null" } else { &value });
                text.push(record(if in_doubt { "info" } else { "ok" }, &value));
                found.push(Operation { act, begins: first, ends: records, in_doubt });
                records += 1;
                doing[process] = if in_doubt { Doing::Gone } else { Doing::Nothing };
            }
            Doing::Nothing | Doing::Gone => {
                if doing.iter().all(|d| matches!(d, Doing::Gone)) {
                    break;
                }
            }
        }
    }
    (text.join("\n") + "\n", found)
}

fn read(text: &str) -> Trace {
    formats::read(Format::Jepsen, text.as_bytes(), &Budget::unlimited()).unwrap_or_else(|e| panic!("{e:?}: {text}"))
}

#[test]
fn registers() {
    let mut shares = Shares::default();
    for_seeds(600, |rng, seed| {
        let (with_cas, mut value) = (rng.bool(), 0);
        let mut act = |rng: &mut Rng| match rng.u8(..if with_cas { 5 } else { 4 }) {
            0 | 1 => {
                value = rng.i64(1..4);
                Act::Write(value)
            }
            4 => {
                let from = value;
                value = rng.i64(1..4);
                Act::Cas(from, value)
            }
            _ => Act::Read(value),
        };
        let lie = |rng: &mut Rng, act: Act| match act {
            Act::Read(_) => Act::Read(rng.i64(0..4)),
            Act::Cas(_, to) => Act::Cas(rng.i64(0..4), to),
            other => other,
        };
        let (text, operations) = history(rng, 6, &mut act, &lie);
        if !text.contains("read") || !text.contains("\"ok\"") || !text.contains("write") {
            return;
        }
        let step = |now: &i64, act: Act| match act {
            Act::Write(v) => Some(v),
            Act::Read(v) => (v == *now).then_some(v),
            Act::Cas(from, to) => (from == *now).then_some(to),
            Act::Enqueue(_) | Act::Dequeue(_) => None,
        };
        let expected = explains(&operations, &0, &step);
        let trace = read(&text);
        let about = format!("seed {seed}\n{text}");
        let has_cas = operations.iter().any(|o| matches!(o.act, Act::Cas(..)));
        if has_cas {
            assert_eq!(holds("register", "jepsen_cas_register", &trace, &about), expected, "{about}");
        } else {
            assert_eq!(holds("register", "jepsen_register", &trace, &about), expected, "{about}");
            let usage = r#"linearizable_registers(event(read, type == "ok"), read, register, f)"#;
            // By itself, what is read was never written: 0 is all that there is.
            let alone = operations.iter().all(|o| !matches!(o.act, Act::Read(v) if v != 0));
            assert_eq!(holds("register", usage, &trace, &about), alone, "{about}");
        }
        if !operations.iter().any(|o| o.in_doubt) && has_cas {
            let usage = r#"linearizable_cas_register(event(read, type == "ok"), read, register, event(cas, type == "ok"), expected)"#;
            assert_eq!(holds("register", usage, &trace, &about), expected, "{about}");
        }
        shares.add(if expected { "linearizable" } else { "not" });
    });
    shares.at_least_a_fifth("registers", &["linearizable", "not"]);
}

#[test]
fn queues() {
    let mut shares = Shares::default();
    for_seeds(600, |rng, seed| {
        let (mut next, mut queue) = (0, VecDeque::new());
        let mut act = |rng: &mut Rng| {
            if rng.bool()
                && let Some(value) = queue.pop_front()
            {
                return Act::Dequeue(value);
            }
            next += 1;
            queue.push_back(next);
            Act::Enqueue(next)
        };
        let lie = |rng: &mut Rng, act: Act| match act {
            Act::Dequeue(_) => Act::Dequeue(rng.i64(1..6)),
            other => other,
        };
        let (text, operations) = history(rng, 7, &mut act, &lie);
        if !text.contains("value\":1") {
            return;
        }
        let step = |now: &VecDeque<i64>, act: Act| {
            let mut then = now.clone();
            match act {
                Act::Enqueue(v) => then.push_back(v),
                Act::Dequeue(v) => then.pop_front().filter(|first| *first == v).map(drop)?,
                Act::Write(_) | Act::Read(_) | Act::Cas(..) => return None,
            }
            Some(then)
        };
        let expected = explains(&operations, &VecDeque::new(), &step);
        let (trace, about) = (read(&text), format!("seed {seed}\n{text}"));
        assert_eq!(holds("queue", "jepsen_queue", &trace, &about), expected, "{about}");
        if !operations.iter().any(|o| o.in_doubt) {
            let usage = r#"linearizable_queue(event(enqueue, type == "ok"), event(dequeue, type == "ok"), value)"#;
            assert_eq!(holds("queue", usage, &trace, &about), expected, "{about}");
        }
        shares.add(if expected { "linearizable" } else { "not" });
    });
    shares.at_least_a_fifth("queues", &["linearizable", "not"]);
}

/// An event of a small run. `a` sets x, and `b` sets y.
#[derive(Clone, Debug)]
struct Happening {
    name: &'static str,
    process: usize,
    key: Option<i64>,
    value: i64,
    /// How long it took, if it says so.
    took: Option<i64>,
}

fn small_run(rng: &mut Rng) -> (Vec<Happening>, Trace) {
    let happenings: Vec<Happening> = (0..4 + rng.usize(..4))
        .map(|_| Happening {
            name: rng.choice(["a", "a", "a", "b", "b", "c", "d"]).unwrap(),
            process: rng.usize(..3),
            key: (rng.u8(..8) > 0).then(|| rng.i64(1..3)),
            value: rng.i64(0..4),
            took: (rng.u8(..9) > 0).then(|| rng.i64(1..7)),
        })
        .collect();
    let mut builder = Builder::new();
    let (x, y) = (builder.variable("x").unwrap(), builder.variable("y").unwrap());
    let mut ids: Vec<posetta_base::EventId> = Vec::new();
    for happening in &happenings {
        let process = builder.process(&format!("P{}", happening.process)).unwrap();
        let id = builder.event(process, 1).unwrap();
        builder.name(happening.name).unwrap();
        for (attribute, value) in [("k", happening.key), ("d", happening.took)] {
            if let Some(value) = value {
                builder.attribute(attribute, &value.to_string()).unwrap();
            }
        }
        let value = builder.integer(happening.value).unwrap();
        match happening.name {
            "a" => builder.assign(x, value).map(drop).unwrap(),
            "b" => builder.assign(y, value).map(drop).unwrap(),
            _ => {}
        }
        if let Some(&before) = rng.choice(&ids)
            && rng.u8(..3) > 0
        {
            builder.link_events(before, id);
        }
        ids.push(id);
    }
    (happenings, builder.finish(true, &Budget::unlimited()).unwrap())
}

type Says = fn(&[&Happening]) -> bool;

/// Which events belong together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Apart {
    ByKey,
    ByProcess,
    NotAtAll,
}

fn only<'a>(run: &[&'a Happening], names: &[&str]) -> Vec<&'a Happening> {
    run.iter().copied().filter(|h| names.contains(&h.name)).collect()
}

fn names(run: &[&Happening], names: &[&str]) -> String {
    only(run, names).iter().map(|h| h.name).collect()
}

fn has(run: &[&Happening], name: &str) -> bool {
    run.iter().any(|h| h.name == name)
}

fn in_turn(run: &[&Happening]) -> bool {
    names(run, &["a", "b"]).bytes().enumerate().all(|(i, name)| name == b"ab"[i % 2])
}

fn at_most_one(run: &[&Happening]) -> bool {
    only(run, &["a"]).len() <= 1
}

fn never_both(run: &[&Happening]) -> bool {
    !(has(run, "a") && has(run, "b"))
}

fn neighbours(run: &[&Happening], fits: fn(i64, i64) -> bool) -> bool {
    only(run, &["a"]).windows(2).all(|two| fits(two[0].value, two[1].value))
}

fn grows_from_nothing(run: &[&Happening]) -> bool {
    let values: Vec<i64> = [0].into_iter().chain(only(run, &["a"]).iter().map(|h| h.value)).collect();
    values.is_sorted()
}

fn reads_own(run: &[&Happening]) -> bool {
    let mut written = 0;
    only(run, &["a", "b"]).iter().all(|h| {
        if h.name == "b" {
            written = h.value;
        }
        h.name == "b" || h.value >= written
    })
}

/// Files, uses, how events are kept apart, and what is said of one order of those that belong together.
const TABLE: [(&str, &str, Apart, Says); 24] = [
    ("mutex", "one_holder(event(a), event(b), k)", Apart::ByKey, in_turn),
    ("mutex", "holder_releases(event(a), event(b), k)", Apart::ByKey, in_turn),
    ("leader", "one_leader(event(a), k)", Apart::ByKey, at_most_one),
    ("leader", "same_leader(event(a), x, k)", Apart::ByKey, |run| neighbours(run, |a, b| a == b)),
    ("monotone", "never_decreases(x)", Apart::NotAtAll, grows_from_nothing),
    ("monotone", "never_decreases_per_process(x)", Apart::ByProcess, grows_from_nothing),
    ("two-phase-commit", "all_or_nothing(event(a), event(b), k)", Apart::ByKey, never_both),
    ("two-phase-commit", "no_commit_against(event(a), event(b), k)", Apart::ByKey, never_both),
    ("two-phase-commit", "commit_after_votes(event(a), event(b), 2, k)", Apart::ByKey, |run| {
        let both = names(run, &["a", "b"]);
        both.find('b').is_none_or(|first| first >= 2)
    }),
    ("request-response", "answered(event(a), event(b), k)", Apart::ByKey, |run| {
        !names(run, &["a", "b"]).ends_with('a')
    }),
    ("request-response", "answered_once(event(a), event(b), k)", Apart::ByKey, |run| {
        in_turn(run) && !names(run, &["a", "b"]).ends_with('a')
    }),
    // a is the failure, b the step, c undoes it.
    ("saga", "compensated(event(a), event(b), event(c), k)", Apart::ByKey, |run| {
        let two = names(run, &["b", "c"]);
        let undone = !has(run, "a") || !two.ends_with('b');
        undone && (!has(run, "c") || has(run, "a")) && !two.starts_with('c')
    }),
    // a is undone by b, d by c.
    ("saga", "undone_in_reverse(event(a), event(b), event(d), event(c), k)", Apart::ByKey, |run| {
        (0..run.len()).filter(|&i| run[i].name == "a").all(|i| {
            let rest = &run[i..];
            let undone = rest.iter().position(|h| h.name == "b");
            let first = rest.iter().position(|h| h.name == "c");
            !has(rest, "d") || undone.is_none_or(|undone| first.is_some_and(|first| first < undone))
        })
    }),
    ("exactly-once", "handled_once(event(a), k)", Apart::ByKey, |run| only(run, &["a"]).len() == 1),
    ("exactly-once", "handled_at_most_once(event(a), k)", Apart::ByKey, at_most_one),
    ("fifo", "fifo_numbered(event(a), x, k)", Apart::ByKey, |run| neighbours(run, |a, b| a < b)),
    ("read-your-writes", "read_your_writes(event(a), x, y, k)", Apart::ByKey, reads_own),
    ("read-your-writes", "read_your_writes_per_process(event(a), x, y)", Apart::ByProcess, reads_own),
    ("read-your-writes", "monotonic_reads(event(a), x, k)", Apart::ByKey, |run| neighbours(run, |a, b| a <= b)),
    ("retry", "at_most_tries(event(a), 2, k)", Apart::ByKey, |run| only(run, &["a"]).len() <= 2),
    ("retry", "retried_after_failure(event(a), event(b), k)", Apart::ByKey, |run| {
        !names(run, &["a", "b"]).contains("aa")
    }),
    ("retry", "no_retry_after(event(a), event(b), k)", Apart::ByKey, |run| !names(run, &["a", "b"]).contains("ba")),
    ("timeout", "answer_or_timeout(event(a), event(b), event(c), k)", Apart::ByKey, |run| {
        let both = has(run, "b") && has(run, "c");
        !both && !names(run, &["a", "b", "c"]).ends_with('a')
    }),
    ("timeout", "budget_shrinks(event(a), x, k)", Apart::ByKey, |run| neighbours(run, |a, b| a > b)),
];

#[test]
fn what_is_said_event_by_event() {
    let mut shares = vec![(0, 0); TABLE.len()];
    for_seeds(250, |rng, seed| {
        let (happenings, trace) = small_run(rng);
        let order = Order::of(&trace);
        let about = format!("seed {seed}, {happenings:#?}");
        for ((file, usage, apart, says), (yes, no)) in TABLE.into_iter().zip(&mut shares) {
            let mut expected = true;
            order.for_each_run(|run| {
                let run: Vec<&Happening> = run.iter().map(|e| &happenings[e.index()]).collect();
                let groups: Vec<Vec<&Happening>> = match apart {
                    Apart::NotAtAll => vec![run],
                    Apart::ByKey => [1, 2].map(|k| run.iter().copied().filter(|h| h.key == Some(k)).collect()).into(),
                    Apart::ByProcess => {
                        [0, 1, 2].map(|p| run.iter().copied().filter(|h| h.process == p).collect()).into()
                    }
                };
                // A value or a process without events is none of the run.
                expected &= groups.iter().filter(|group| !group.is_empty()).all(|group| says(group));
            });
            assert_eq!(holds(file, usage, &trace, &about), expected, "{usage}: {about}");
            *(if expected { yes } else { no }) += 1;
        }
        let slow = happenings.iter().any(|h| h.name == "a" && h.took.is_none_or(|took| took > 4));
        assert_eq!(holds("timeout", "in_time(event(a), d, 4)", &trace, &about), !slow, "{about}");
    });
    for ((_, usage, ..), (yes, no)) in TABLE.iter().zip(shares) {
        assert!(yes + no < 250 || (yes >= 3 && no >= 3), "{usage} holds on {yes} runs and fails on {no}");
    }
}

/// Messages that are sent by some processes and received by one, each with an edge from its sending.
#[test]
fn messages() {
    let mut shares = Shares::default();
    for_seeds(500, |rng, seed| {
        let mut builder = Builder::new();
        let (mut sent, mut ids, mut lines) = (Vec::new(), Vec::new(), String::new());
        let (messages, mut received) = (rng.i64(2..4), 0);
        while received < messages {
            let sends = (sent.len() as i64) < messages && (sent.len() as i64 == received || rng.bool());
            let message = if sends {
                sent.len() as i64
            } else {
                let open: Vec<i64> =
                    (0..sent.len() as i64).filter(|m| !ids.iter().any(|(r, n, _)| *r && n == m)).collect();
                *rng.choice(&open).unwrap()
            };
            let process = if sends { format!("S{}", rng.u8(..2)) } else { "R".to_owned() };
            let at = builder.process(&process).unwrap();
            let id = builder.event(at, 1).unwrap();
            builder.name(if sends { "send" } else { "receive" }).unwrap();
            builder.attribute("k", &message.to_string()).unwrap();
            lines += &format!("{process} {} {message}\n", if sends { "sends" } else { "receives" });
            if sends {
                // A sender may know of another's message.
                if let Some(&other) = rng.choice(&sent)
                    && rng.bool()
                {
                    builder.link_events(other, id);
                    lines += "  knowing of another\n";
                }
                sent.push(id);
            } else {
                builder.link_events(sent[usize::try_from(message).unwrap()], id);
                received += 1;
            }
            ids.push((!sends, message, id));
        }
        let trace = builder.finish(true, &Budget::unlimited()).unwrap();
        let (order, about) = (Order::of(&trace), format!("seed {seed}\n{lines}"));
        let place =
            |receives: bool, message: i64| ids.iter().find(|(r, m, _)| *r == receives && *m == message).unwrap().2;
        let every_two = || (0..messages).flat_map(|m| (0..messages).map(move |n| (m, n))).filter(|(m, n)| m != n);
        assert!(ids.iter().all(|(_, m, id)| attribute(&trace, *id, "k") == Some(Value::from(*m))));
        let causal = every_two().all(|(m, n)| {
            !(order.before(place(false, m), place(false, n)) && order.before(place(true, n), place(true, m)))
        });
        let usage = "causal_delivery(event(send), event(receive), k)";
        assert_eq!(holds("causal", usage, &trace, &about), causal, "{about}");
        let mut fifo = true;
        order.for_each_run(|run| {
            let at = |receives, message| run.iter().position(|e| *e == place(receives, message)).unwrap();
            fifo &= every_two().all(|(m, n)| !(at(false, m) < at(false, n) && at(true, n) < at(true, m)));
        });
        assert_eq!(holds("fifo", "fifo(event(send), event(receive), k)", &trace, &about), fifo, "{about}");
        shares.add(match (causal, fifo) {
            (true, true) => "in order",
            (true, false) => "causal only",
            _ => "neither",
        });
    });
    shares.at_least(0.1, "messages", &["in order", "causal only", "neither"]);
}
