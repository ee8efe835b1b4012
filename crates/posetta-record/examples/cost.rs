//! What recording costs: nanoseconds for each event, at several numbers of processes, alone and under contention.
//!
//! ```console
//! $ cargo run --release -p posetta-record --example cost
//! ```
//!
//! Each figure is the best of many rounds, under contention the median. The ratio is to `writeln!` of a line of the same length into a buffered sink, in
//! the same run.

use std::fs::OpenOptions;
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::sync::{Barrier, Mutex};
use std::thread;
use std::time::Instant;

use posetta_record::{Process, Recorder, Stamp};

// Short rounds, and many: on a busy machine the best one was not interrupted.
const EVENTS: usize = 20_000;
const ROUNDS: usize = 100;

/// A file that costs nothing to write to; unlike `io::sink` it is a file.
fn nowhere() -> std::fs::File {
    OpenOptions::new().write(true).open(if cfg!(windows) { "NUL" } else { "/dev/null" }).expect("a null device")
}

/// The times for one of `EVENTS` things, the best first.
fn times(mut round: impl FnMut()) -> Vec<f64> {
    let time = |_| {
        let start = Instant::now();
        round();
        start.elapsed().as_nanos() as f64 / EVENTS as f64
    };
    let mut times: Vec<f64> = (0..ROUNDS).map(time).collect();
    times.sort_by(f64::total_cmp);
    times
}

fn best(round: impl FnMut()) -> f64 {
    times(round)[0]
}

fn recorder_with(k: usize) -> (Recorder, Vec<Process>) {
    let recorder = Recorder::to_writer(nowhere());
    let processes: Vec<Process> = (0..k).map(|i| recorder.process(&format!("P{i}"))).collect();
    // Everybody has heard of everybody, so clocks have their full length.
    let mut stamp = processes[0].event("start").stamp();
    for process in processes.iter().chain(&processes) {
        stamp = process.receive(&stamp, "start").stamp();
    }
    (recorder, processes)
}

/// `writeln!` of a line of this length.
fn plain(length: usize) -> f64 {
    let text = "x".repeat(length.saturating_sub(8));
    let mut out = BufWriter::with_capacity(64 * 1024, nowhere());
    best(|| {
        for i in 0..EVENTS {
            writeln!(out, "{} {:06}", black_box(&text), i % 1_000_000).expect("it does not fail");
        }
    })
}

fn main() {
    println!("one thread; ns for each event (× writeln! of a line of the same length)");
    println!("{:>9} {:>16} {:>16} {:>16} {:>16}", "processes", "event", "send", "receive", "shared write");
    for k in [2, 10, 100] {
        let (_recorder, p) = recorder_with(k);
        let event = best(|| {
            for i in 0..EVENTS {
                p[i % k].event("step").set("x", i % 10).record();
            }
        });
        let send = best(|| {
            for i in 0..EVENTS {
                black_box(p[i % k].send("step").set("x", i % 10).stamp());
            }
        });
        // Each message is new to its receiver.
        let mut last: Stamp = p[0].event("step").stamp();
        let receive = best(|| {
            for i in 0..EVENTS {
                last = p[(i + 1) % k].receive(&last, "step").set("x", i % 10).stamp();
            }
        });
        let (_recorder, p) = recorder_with(k);
        let x = p[0].recorder().shared("x", 0);
        let write = best(|| {
            for i in 0..EVENTS {
                x.write(&p[(i + 1) % k], i % 10);
            }
        });
        // The lengths of the lines that were recorded above.
        let lines = [45, 45, 67, 53].map(plain);
        let cell = |time: f64, plain: f64| format!("{time:.0} ({:.1}×)", time / plain);
        println!(
            "{k:>9} {:>16} {:>16} {:>16} {:>16}",
            cell(event, lines[0]),
            cell(send, lines[1]),
            cell(receive, lines[2]),
            cell(write, lines[3])
        );
    }

    let threads = thread::available_parallelism().map_or(2, |n| n.get().max(2));
    println!("\n{threads} threads at once; ns for each event of all (× writeln! under one lock)");
    println!("{:>9} {:>16} {:>16} {:>16}", "processes", "event", "send", "shared write");
    let text = "x".repeat(36);
    let out = Mutex::new(BufWriter::with_capacity(64 * 1024, nowhere()));
    let plain = contended(threads, |_, i| {
        writeln!(out.lock().expect("no panic"), "{text} {:06}", i % 1_000_000).expect("it does not fail");
    });
    for k in [2, 10, 100] {
        let (_recorder, p) = recorder_with(k);
        let mine = |t: usize, i: usize| &p[(t + threads * i) % k];
        let event = contended(threads, |t, i| mine(t, i).event("step").set("x", i % 10).record());
        let send = contended(threads, |t, i| drop(mine(t, i).send("step").set("x", i % 10).stamp()));
        let x = p[0].recorder().shared("x", 0);
        let write = contended(threads, |t, i| x.write(mine(t, i), i % 10));
        let cell = |time: f64| format!("{time:.0} ({:.1}×)", time / plain);
        println!("{k:>9} {:>16} {:>16} {:>16}", cell(event), cell(send), cell(write));
    }
}

/// The median time for one of `EVENTS` things that threads do together: in the best round they may have missed each other.
fn contended(threads: usize, step: impl Fn(usize, usize) + Sync) -> f64 {
    let times = times(|| {
        let start = Barrier::new(threads);
        thread::scope(|scope| {
            for t in 0..threads {
                let (step, start) = (&step, &start);
                scope.spawn(move || {
                    start.wait();
                    (0..EVENTS / threads).for_each(|i| step(t, i));
                });
            }
        });
    });
    times[ROUNDS / 2]
}
