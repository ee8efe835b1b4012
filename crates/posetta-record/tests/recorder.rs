//! What is recorded is what happened: against the definition of happened-before on random runs, under threads, and when
//! things go wrong.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::thread;

use posetta::{Budget, Format, Trace};
use posetta_record::{Dependencies, Problem, Process, Recorder, Shared, Stamp};

fn read(bytes: &[u8]) -> Trace {
    posetta::read(Format::JsonLines, bytes, &Budget::unlimited())
        .unwrap_or_else(|f| panic!("{f}\n{}", String::from_utf8_lossy(bytes)))
}

/// All (earlier, later) pairs of a run, by label.
fn order(trace: &Trace) -> BTreeSet<(String, String)> {
    let n = trace.events().count();
    let mut before: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n];
    for &event in trace.linearisation() {
        let mut all = BTreeSet::new();
        let chain = trace.chain(trace.process(event));
        let own = chain[..trace.position(event)].last();
        for cause in trace.causes(event).iter().chain(own) {
            all.insert(cause.index());
            all.extend(before[cause.index()].iter().copied());
        }
        before[event.index()] = all;
    }
    let labels: Vec<String> = trace.events().map(|e| trace.label(e)).collect();
    let pairs = before.iter().enumerate();
    pairs
        .flat_map(|(f, all)| all.iter().map(move |&e| (e, f)))
        .map(|(e, f)| (labels[e].clone(), labels[f].clone()))
        .collect()
}

/// Happened-before by its definition: the closure of all direct pairs.
fn closure(direct: &[(String, String)], events: &[String]) -> BTreeSet<(String, String)> {
    let mut pairs: BTreeSet<(String, String)> = direct.iter().cloned().collect();
    loop {
        let mut more = pairs.clone();
        for (a, b) in &pairs {
            for c in events {
                if pairs.contains(&(b.clone(), c.clone())) {
                    more.insert((a.clone(), c.clone()));
                }
            }
        }
        if more.len() == pairs.len() {
            return pairs;
        }
        pairs = more;
    }
}

/// The uses of one variable so far.
#[derive(Default)]
struct Uses {
    write: Option<String>,
    readers: Vec<String>,
}

#[test]
fn the_order_is_happened_before_and_nothing_is_said_twice() {
    for seed in 0..300 {
        let mut random = fastrand::Rng::with_seed(seed);
        let full = random.bool();
        let dependencies = if full { Dependencies::Full } else { Dependencies::ReadFrom };
        let recorder = Recorder::builder().dependencies(dependencies).in_memory();
        // Stamps of the second recorder come through text.
        let other = Recorder::in_memory();
        let processes: Vec<Process> =
            (0..4).map(|i| if i < 3 { recorder.process(&format!("P{i}")) } else { other.process("P3") }).collect();
        let variables: Vec<Shared<u32>> = (0..2).map(|i| recorder.shared(&format!("x{i}"), 0)).collect();
        let mut uses = [Uses::default(), Uses::default()];
        let (mut events, mut direct): (Vec<String>, Vec<(String, String)>) = (Vec::new(), Vec::new());
        let mut last: [Option<String>; 4] = Default::default();
        let mut stamps: Vec<Stamp> = Vec::new();
        for _ in 0..random.usize(1..14) {
            let p = random.usize(..4);
            let process = &processes[p];
            let mut event = process.event("e");
            let mut causes: Vec<String> = last[p].iter().cloned().collect();
            let mut touched = Vec::new();
            for _ in 0..random.usize(..3) {
                if !stamps.is_empty() && random.bool() {
                    let stamp = &stamps[random.usize(..stamps.len())];
                    let carried = if random.bool() { stamp.to_string().parse().unwrap() } else { stamp.clone() };
                    event = event.after(&carried);
                    causes.push(format!("{}.{}", stamp.process(), stamp.index()));
                } else {
                    let v = random.usize(..2);
                    let writes = random.bool();
                    event = if writes { event.writes(&variables[v], 1) } else { event.reads(&variables[v]) };
                    touched.push((v, writes));
                }
            }
            let stamp = event.stamp();
            let label = format!("P{p}.{}", stamp.index());
            for &(v, writes) in &touched {
                causes.extend(uses[v].write.clone());
                if writes && full {
                    causes.extend(uses[v].readers.iter().cloned());
                }
            }
            for (v, uses) in uses.iter_mut().enumerate() {
                if touched.contains(&(v, true)) {
                    *uses = Uses { write: Some(label.clone()), readers: Vec::new() };
                } else if touched.contains(&(v, false)) {
                    uses.readers.push(label.clone());
                }
            }
            direct.extend(causes.into_iter().filter(|c| *c != label).map(|c| (c, label.clone())));
            last[p] = Some(label.clone());
            events.push(label);
            stamps.push(stamp);
        }
        recorder.finish().unwrap();
        other.finish().unwrap();
        let bytes = [recorder.take(), other.take()].concat();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let trace = read(&bytes);
        let expected = closure(&direct, &events);
        assert_eq!(order(&trace), expected, "seed {seed}\n{text}");
        for a in &stamps {
            for b in &stamps {
                let label = |s: &Stamp| format!("{}.{}", s.process(), s.index());
                let ordered = expected.contains(&(label(a), label(b)));
                assert_eq!(a.happened_before(b), ordered, "seed {seed}: {a} {b}\n{text}");
                let apart = a != b && !ordered && !expected.contains(&(label(b), label(a)));
                assert_eq!(a.is_concurrent_with(b), apart, "seed {seed}: {a} {b}");
            }
        }
        // No cause that is written follows from another one.
        for event in trace.events() {
            let label = |e| trace.label(e);
            for &cause in trace.causes(event) {
                let implied = events.iter().any(|c| {
                    expected.contains(&(label(cause), c.clone())) && expected.contains(&(c.clone(), label(event)))
                });
                assert!(!implied, "seed {seed}: {} after {}\n{text}", label(event), label(cause));
            }
        }
    }
}

/// A writer that others can look into.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<Vec<u8>>>>);

impl Write for Seen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().push(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn lines_stay_whole_and_in_order_under_threads() {
    let seen = Seen::default();
    let recorder = Recorder::to_writer(seen.clone());
    let counter = recorder.shared("n", 0u32);
    let lock = recorder.lock("m", 0u32);
    let start = Barrier::new(8);
    thread::scope(|scope| {
        let (to, from): (Vec<_>, Vec<_>) = (0..8).map(|_| mpsc::channel::<Stamp>()).unzip();
        for (i, inbox) in from.into_iter().enumerate() {
            let (to, start, counter, lock) = (to.clone(), &start, &counter, &lock);
            let process = recorder.process(&format!("T{i}"));
            scope.spawn(move || {
                start.wait();
                for round in 0..500 {
                    process.event("step").set(&format!("x{i}"), round).attr("text", "a \"quoted\" one\n").record();
                    counter.update(&process, |n| *n += 1);
                    *lock.lock(&process) += 1;
                    let _ = to[(i + 1) % 8].send(process.send("ping").stamp());
                    while let Ok(stamp) = inbox.try_recv() {
                        process.receive(&stamp, "ping").record();
                    }
                }
            });
        }
    });
    assert_eq!((counter.peek(), lock.peek()), (4000, 4000));
    let events = recorder.finish().unwrap();
    let chunks = seen.0.lock().unwrap();
    assert!(chunks.len() > 10 && chunks.iter().all(|chunk| chunk.ends_with(b"\n")));
    let trace = read(&chunks.concat());
    assert_eq!(trace.events().count() as u64, events);
    // The order of the lines is one that happened: every write of the counter is one more than the write before.
    assert!(trace.observed().is_some());
    let n = trace.find_variable("n").unwrap();
    let values: Vec<String> = trace
        .events()
        .filter_map(|e| trace.assignments(e).iter().find(|a| a.var == n))
        .map(|a| trace.value(a.value).to_string())
        .collect();
    assert_eq!(values, (1..=4000).map(|i| i.to_string()).collect::<Vec<_>>());
}

/// Fails after some writes.
struct Failing(u32);

impl Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(1).ok_or_else(|| io::Error::other("the disk is full"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_failing_writer_is_told_at_the_end() {
    let recorder = Recorder::builder().flush_every_event().to_writer(Failing(3));
    let a = recorder.process("A");
    for i in 0..10 {
        assert_eq!(a.event("e").stamp().index(), i + 1);
    }
    assert!(recorder.is_broken());
    let incomplete = recorder.finish().unwrap_err();
    assert_eq!(incomplete.to_string(), "the recording could not be written: the disk is full; 7 events are lost");
    assert_eq!(recorder.finish().unwrap(), 3);
    a.event("late").record();
    let incomplete = recorder.finish().unwrap_err();
    assert_eq!(incomplete.to_string(), "the recording could not be written: it failed before; 1 event is lost");
}

/// Panics when it is written to.
struct Panicking;

impl Write for Panicking {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        panic!("a writer of the user")
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn panics_elsewhere_do_not_spread() {
    let recorder = Recorder::builder().flush_every_event().to_writer(Panicking);
    let a = recorder.process("A");
    assert!(thread::scope(|s| s.spawn(|| a.event("e").record()).join()).is_err());
    a.event("after").record();
    assert!(matches!(recorder.finish().unwrap_err(), i if matches!(i.first, Problem::WriterPanicked) && i.lost == 2));

    let recorder = Recorder::in_memory();
    let (a, b) = (recorder.process("A"), recorder.process("B"));
    let (lock, shared) = (recorder.lock("m", 1), recorder.shared("x", 1));
    let died = thread::scope(|s| {
        let died = s.spawn(|| {
            let mut guard = lock.lock(&a);
            *guard = 2;
            shared.update(&a, |_| panic!("in the program under test"))
        });
        died.join()
    });
    assert!(died.is_err());
    assert_eq!(*lock.lock(&b), 2);
    shared.write(&b, 3);
    recorder.finish().unwrap();
    assert_eq!(
        recorder.take_text(),
        r#"{"posetta":1}
{"posetta":1,"initial":{"x":1}}
{"process":"A","name":"acquire m"}
{"process":"A","set":{"x":1},"attrs":{"poisoned":true}}
{"process":"A","name":"release m"}
{"process":"B","name":"acquire m","attrs":{"poisoned":true},"after":["A.3"]}
{"process":"B","name":"release m"}
{"process":"B","set":{"x":3}}
"#
    );
}

#[test]
fn mistakes_of_the_user_are_told_and_leave_a_run() {
    for (wrong, said) in [
        (
            (|r: &Recorder| r.process("A").event("e").set("x", f64::NAN).set("y", 1).attr("z", f64::INFINITY).record())
                as fn(&Recorder),
            "the variable `x` was given a number that is not finite, which was left out",
        ),
        (
            |r| {
                r.initial("x", 1);
                drop(r.shared("x", 2));
            },
            "the variable `x` was declared with two different values, of which the first counts",
        ),
        (|r| r.process("").event("e").record(), "a process without a name, recorded as `?`"),
        (
            |r| {
                let elsewhere = Recorder::in_memory();
                let stamp = elsewhere.process("A").event("e").stamp();
                let a = r.process("A");
                a.event("e").after(&stamp).record();
            },
            "a stamp of `A.1` came back, but that event was not recorded here; do two recorders have a process of that name?",
        ),
        (
            |r| {
                let elsewhere = Recorder::in_memory();
                let stamp = elsewhere.process("A").event("e").stamp();
                drop(r.process("A"));
                r.process("B").event("e").after(&stamp).record();
            },
            "a stamp of `A.1` came back, but that event was not recorded here; do two recorders have a process of that name?",
        ),
    ] {
        let recorder = Recorder::in_memory();
        wrong(&recorder);
        assert_eq!(recorder.finish().unwrap_err().to_string(), said);
        recorder.finish().expect("it is told once");
        read(&recorder.take());
    }
}

#[test]
fn settings_and_details() {
    let recorder = Recorder::builder().initial("x", 0).initial("s", "a\"b").initial("x", 0).in_memory();
    let a = recorder.process("A \u{1}");
    // The last assignment counts, and it may compute with the recorder.
    a.event("")
        .set("x", 1)
        .set("y", {
            recorder.process("B").event("inner").record();
            2
        })
        .set("x", 3)
        .set("z", true)
        .set("y", "last")
        .record();
    a.event("timed").time(1.5).attr("n", -1).record();
    assert_eq!(recorder.process("A \u{1}").last().unwrap().index(), 2);
    recorder.finish().unwrap();
    let text = recorder.take_text();
    assert_eq!(
        text,
        r#"{"posetta":1,"initial":{"x":0,"s":"a\"b"}}
{"process":"B","name":"inner"}
{"process":"A \u0001","set":{"x":3,"z":true,"y":"last"}}
{"process":"A \u0001","name":"timed","time":1.5,"attrs":{"n":-1}}
"#
    );
    read(text.as_bytes());

    let recorder = Recorder::builder().wall_clock().in_memory();
    let a = recorder.process("A");
    a.event("one").record();
    a.event("two").record();
    let trace = read(&recorder.take());
    assert!(trace.events().all(|e| trace.time(e).is_some()));
}

#[test]
fn what_waits_is_written_when_the_last_handle_is_gone() {
    let seen = Seen::default();
    let recorder = Recorder::to_writer(seen.clone());
    let a = recorder.process("A");
    drop(recorder);
    a.event("e").record();
    assert!(seen.0.lock().unwrap().is_empty());
    drop(a);
    assert_eq!(seen.0.lock().unwrap().concat(), b"{\"posetta\":1}\n{\"process\":\"A\",\"name\":\"e\"}\n");
}

#[test]
fn a_change_that_panics_is_in_the_run() {
    let recorder = Recorder::in_memory();
    let (a, b) = (recorder.process("A"), recorder.process("B"));
    let x = recorder.shared("x", 0);
    let change = std::panic::AssertUnwindSafe(|| {
        x.update(&a, |v| {
            *v = 7;
            panic!("half way");
        })
    });
    assert!(std::panic::catch_unwind(change).is_err());
    assert_eq!(x.read(&b), 7);
    let text = String::from_utf8(recorder.take()).unwrap();
    assert!(text.contains(r#""set":{"x":7}"#) && text.contains("poisoned"), "{text}");
    assert!(text.contains(r#""after":["A.1"]"#), "{text}");
}

#[test]
fn processes_are_declared_in_the_header() {
    let recorder = Recorder::builder().initial("x", 0).processes(["A", "B \"b\""]).processes(["A", "C"]).in_memory();
    recorder.process("C").event("go").record();
    assert_eq!(
        recorder.take_text(),
        "{\"posetta\":1,\"processes\":[\"A\",\"B \\\"b\\\"\",\"C\"],\"initial\":{\"x\":0}}\n\
         {\"process\":\"C\",\"name\":\"go\"}\n"
    );
    recorder.process("D").event("lost").record();
    let incomplete = recorder.finish().unwrap_err();
    assert_eq!(incomplete.lost, 1);
    assert_eq!(
        incomplete.first.to_string(),
        "the process `D` is not among those that were declared, so its events are lost"
    );
    assert_eq!(recorder.take_text(), "");
}
