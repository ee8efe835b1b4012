//! Runs of simple shapes, each with a formula that one engine alone would not decide, and again with ten times the events.

use std::path::PathBuf;

use super::Table;
use super::property::{Property, all, sum};
use super::run::{Id, Run, cached, to};
use crate::lab::Lab;
use crate::study::{Sheet, Study};

/// The study.
pub const STUDY: Study = Study {
    id: "linear-rows",
    row: 1,
    title: "linear properties of runs of simple shapes, beside CTL",
    target: "an answer on every row, and as fast as CTL where CTL can ask for the same",
    run,
};

/// With `--quick` runs have at most so many events.
const FEW: u64 = 200;

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    if let Err(reason) = &lab.program {
        return Ok(Sheet::skipped(&format!("the program is measured: {reason}")));
    }
    let mut table = Table::new(lab, times, true);
    for scale in if lab.quick { vec![1] } else { vec![1, 10] } {
        for shape in shapes(scale) {
            if !table.takes(shape.events) || (lab.quick && shape.events > FEW) {
                continue;
            }
            eprintln!("  {} × {} …", shape.name, shape.events);
            let file = shape.write(lab)?;
            shape.asked.iter().for_each(|property| table.ask(shape.name, shape.events, &file, property));
        }
    }
    Ok(table.finish())
}

/// A run and what is asked about it.
struct Shape {
    name: &'static str,
    processes: usize,
    events: u64,
    initial: Vec<(String, i64)>,
    simulate: Box<dyn Fn(&mut Run)>,
    asked: Vec<Property>,
}

impl Shape {
    fn write(&self, lab: &Lab) -> Result<PathBuf, String> {
        let name = format!("{}-{}", self.name.replace(' ', "-"), self.events);
        cached(lab, &name, self.processes, &self.initial, &self.simulate)
    }
}

/// All of them. Those that cannot grow are there once.
fn shapes(scale: usize) -> Vec<Shape> {
    let mut shapes = vec![
        coupled_blinkers(scale),
        free_blinkers(scale),
        counters(scale),
        fives(scale),
        barrier(scale),
        broadcast(scale),
        tokens(scale),
        gossip(40 * scale),
    ];
    if scale == 1 {
        shapes.push(gossip(2_000));
    }
    shapes.extend([clients(scale), one_order(scale)]);
    if scale == 1 {
        shapes.push(few_orders());
    }
    shapes
}

/// `x = 1`, `x = 0`, so many times.
fn blink(run: &mut Run, process: usize, times: usize) -> Vec<Id> {
    (0..2 * times).map(|k| run.event(process, "", &[to("x", process, i64::from(k % 2 == 0))], &[])).collect()
}

fn never_all_on(processes: usize) -> Property {
    Property::both("never all on", format!("G !({})", all(0..processes, " && ", |i| format!("x{i} == 1"))))
}

/// The first two are never on at the same time, because the second one waits; the others have nothing to do with it.
fn coupled_blinkers(scale: usize) -> Shape {
    let simulate = move |run: &mut Run| {
        let off = blink(run, 0, 1)[1];
        run.event(1, "", &[to("x", 1, 1)], &[off]);
        run.event(1, "", &[to("x", 1, 0)], &[]);
        for process in 2..8 {
            blink(run, process, 5 * scale);
        }
    };
    Shape {
        name: "8 blinkers and two coupled",
        processes: 8,
        events: 4 + 60 * scale as u64,
        initial: Vec::new(),
        simulate: Box::new(simulate),
        asked: vec![never_all_on(8).holds()],
    }
}

fn free_blinkers(scale: usize) -> Shape {
    Shape {
        name: "16 blinkers",
        processes: 16,
        events: 160 * scale as u64,
        initial: Vec::new(),
        simulate: Box::new(move |run| (0..16).for_each(|process| drop(blink(run, process, 5 * scale)))),
        asked: vec![never_all_on(16).violated()],
    }
}

/// Each counts up on its own.
fn count(processes: usize, up_to: usize) -> Box<dyn Fn(&mut Run)> {
    Box::new(move |run| {
        for k in 1..=up_to {
            for process in 0..processes {
                run.event(process, "", &[to("x", process, k as i64)], &[]);
            }
        }
    })
}

fn counters(scale: usize) -> Shape {
    let bound = |k: usize| Property::both(&format!("sum at most {k}"), format!("G ({} <= {k})", sum("x", 0..6)));
    Shape {
        name: "6 counters",
        processes: 6,
        events: 120 * scale as u64,
        initial: Vec::new(),
        simulate: count(6, 20 * scale),
        asked: vec![bound(30 * scale).violated(), bound(120 * scale).holds()],
    }
}

fn fives(scale: usize) -> Shape {
    let some = all(0..10, " || ", |i| format!("x{i} == 5"));
    Shape {
        name: "10 counters",
        processes: 10,
        events: 200 * scale as u64,
        initial: Vec::new(),
        simulate: count(10, 20 * scale),
        asked: vec![Property::both("again and again some 5", format!("G F ({some})")).violated()],
    }
}

/// Everybody works and is idle again, and then waits for everybody.
fn barrier(scale: usize) -> Shape {
    let (processes, rounds) = (20, 10 * scale);
    let simulate = move |run: &mut Run| {
        let mut idle: Vec<Id> = Vec::new();
        for round in 1..=rounds {
            let others = |i: usize| {
                let others = idle.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, id)| *id);
                others.collect::<Vec<_>>()
            };
            for i in 0..processes {
                run.event(i, "", &[to("ph", i, round as i64), to("idle", i, 0)], &others(i));
            }
            idle = (0..processes).map(|i| run.event(i, "", &[to("idle", i, 1)], &[])).collect();
        }
    };
    let within = all(0..processes, " && ", |i| {
        let others = (0..processes).filter(|&j| j != i).map(|j| format!("ph{i} - ph{j} <= 1"));
        others.collect::<Vec<_>>().join(" && ")
    });
    let idle = all(0..processes, " && ", |i| format!("idle{i} == 1"));
    Shape {
        name: "barrier of 20",
        processes,
        events: (2 * processes * rounds) as u64,
        initial: (0..processes).map(|i| to("idle", i, 1)).collect(),
        simulate: Box::new(simulate),
        asked: vec![
            Property::both("phases within 1", format!("G ({within})")).holds(),
            Property::both("all idle in the last phase", format!("F ({idle} && ph0 == {rounds})")).holds(),
        ],
    }
}

/// One counts, the others follow.
fn broadcast(scale: usize) -> Shape {
    let (processes, rounds) = (20, 50 * scale);
    let simulate = move |run: &mut Run| {
        for k in 1..=rounds as i64 {
            let sent = run.event(0, "", &[("L".to_owned(), k)], &[]);
            for i in 1..processes {
                run.event(i, "", &[to("y", i, k)], &[sent]);
            }
        }
    };
    let equal = all(1..processes, " && ", |i| format!("y{i} == L"));
    Shape {
        name: "broadcast to 19",
        processes,
        events: (processes * rounds) as u64,
        initial: Vec::new(),
        simulate: Box::new(simulate),
        asked: vec![Property::both("again and again all equal", format!("G F ({equal})")).holds()],
    }
}

/// Bounds on a sum whose largest value is `k`.
fn tight(variable: &str, processes: usize, k: usize) -> Vec<Property> {
    let bound = |name, k| Property::both(name, format!("G ({} <= {k})", sum(variable, 0..processes)));
    vec![bound("sum at most the largest", k).holds(), bound("sum below the largest", k - 1).violated()]
}

/// Processes that send what they have to each other, piece by piece.
struct Purses {
    variable: &'static str,
    /// The first of the processes.
    first: usize,
    held: Vec<i64>,
    /// To whom, and when it was sent.
    under_way: Vec<(usize, Id)>,
}

impl Purses {
    fn new(variable: &'static str, first: usize, processes: usize) -> Self {
        Self { variable, first, held: vec![0; processes], under_way: Vec::new() }
    }

    /// Somebody gets or loses something; who has nothing to lose does something else.
    fn change(&mut self, run: &mut Run, i: usize, by: i64, after: &[Id]) -> Id {
        let process = self.first + i;
        if self.held[i] + by < 0 {
            return run.event(process, "", &[], after);
        }
        self.held[i] += by;
        run.event(process, "", &[to(self.variable, process, self.held[i])], after)
    }

    fn receive(&mut self, run: &mut Run) {
        let at = run.below(self.under_way.len());
        let (whom, sent) = self.under_way.swap_remove(at);
        self.change(run, whom, 1, &[sent]);
    }

    /// The first ones of them send so many pieces to each other. From the first ones on, so many are always under way.
    fn pass(&mut self, run: &mut Run, among: usize, times: usize, left: usize) {
        let mut sent = 0;
        while sent < times {
            let i = run.below(among);
            if self.held[i] == 0 || self.under_way.len() > left + among / 4 {
                if self.under_way.len() > left {
                    self.receive(run);
                }
                continue;
            }
            let id = self.change(run, i, -1, &[]);
            self.under_way.push(((i + 1 + run.below(among - 1)) % among, id));
            sent += 1;
        }
        while self.under_way.len() > left {
            self.receive(run);
        }
    }
}

/// Everybody begins with one token and sends to anybody. All tokens are in somebody's hands if everybody has begun and nobody
/// has sent. The recorded order does not show that: the last one begins late, and some tokens are always under way.
fn tokens(scale: usize) -> Shape {
    let (processes, passes) = (20, 196 * scale);
    let simulate = move |run: &mut Run| {
        let mut purses = Purses::new("t", 0, processes);
        for i in 0..processes - 1 {
            purses.change(run, i, 1, &[]);
        }
        purses.pass(run, processes - 1, passes / 2, 2);
        purses.change(run, processes - 1, 1, &[]);
        purses.pass(run, processes, passes + 1 - passes / 2, 2);
    };
    Shape {
        name: "tokens among 20",
        processes,
        events: (processes + 2 * passes) as u64,
        initial: Vec::new(),
        simulate: Box::new(simulate),
        asked: tight("t", processes, processes),
    }
}

/// Everybody pays in, all pass on what they have, then everybody takes out; in two halves, of which one knows of the other.
///
/// A sum over a cut is at most what was paid in, because what is received was sent before; and it is just that when all was
/// paid in, nothing is under way and nothing was taken out yet. No variable need be largest there, and the recorded order does
/// not show it: in that the first half has finished when the second one begins.
fn gossip(each: usize) -> Shape {
    let half = 25;
    // A quarter of the events pays in or takes out, in rounds, and the others pass on.
    let rounds = each / 8;
    let simulate = move |run: &mut Run| {
        let mut heard: Vec<Vec<Id>> = vec![Vec::new(); 2 * rounds * half];
        for first in [0, half] {
            let mut purses = Purses::new("g", first, half);
            let passes = (each - 2 * rounds) * half / 2;
            for round in 0..2 * rounds {
                let times = passes * (round + 1) / (2 * rounds) - passes * round / (2 * rounds);
                if round >= rounds {
                    purses.pass(run, half, times, 0);
                }
                for (i, heard) in heard[round * half..][..half].iter_mut().enumerate() {
                    let id = purses.change(run, i, if round < rounds { 1 } else { -1 }, heard);
                    *heard = vec![id];
                }
                if round < rounds {
                    purses.pass(run, half, times, 0);
                }
            }
        }
    };
    Shape {
        name: "gossip among 50",
        processes: 2 * half,
        events: (2 * half * each) as u64,
        initial: Vec::new(),
        simulate: Box::new(simulate),
        asked: tight("g", 2 * half, 2 * half * rounds),
    }
}

/// Clients ask, the server answers each in turn.
fn clients(scale: usize) -> Shape {
    let (clients, rounds) = (200, 5 * scale);
    let simulate = move |run: &mut Run| {
        for _ in 0..rounds {
            let set = |i, req| [to("req", i, req), to("ack", i, 1 - req)];
            let asked: Vec<Id> = (1..=clients).map(|i| run.event(i, "", &set(i, 1), &[])).collect();
            let served: Vec<Id> =
                (1..=clients).map(|i| run.event(0, "", &[("srv".to_owned(), i as i64)], &[asked[i - 1]])).collect();
            for i in 1..=clients {
                run.event(i, "", &set(i, 0), &[served[i - 1]]);
            }
        }
    };
    let served = all(1..clients + 1, " && ", |i| format!("G (req{i} == 1 -> F ack{i} == 1)"));
    Shape {
        name: "200 clients",
        processes: clients + 1,
        events: (3 * clients * rounds) as u64,
        initial: Vec::new(),
        simulate: Box::new(simulate),
        asked: vec![Property::both("200 responses", served).holds()],
    }
}

/// A large automaton on one order of many records.
fn one_order(scale: usize) -> Shape {
    Shape {
        name: "one order",
        processes: 1,
        events: 140 * scale as u64,
        initial: Vec::new(),
        simulate: Box::new(move |run| {
            for k in 0..140 * scale {
                run.event(0, "", &[("b".to_owned(), (k % 2) as i64)], &[]);
            }
        }),
        // Less than 20 of them are left near the end.
        asked: vec![Property::psl("never 20 times from some place on", "F (never {b[->20]})".to_owned()).holds()],
    }
}

/// Six events in seven orders, and a formula whose automaton is out of all proportion to them.
fn few_orders() -> Shape {
    let simulate = |run: &mut Run| {
        let set = |name: &str, value| [(name.to_owned(), value)];
        let a1 = run.event(0, "", &set("x0", 1), &[]);
        let b1 = run.event(1, "", &set("x1", 1), &[a1]);
        let b2 = run.event(1, "", &set("x1", 2), &[]);
        run.event(0, "", &set("x0", 0), &[b2]);
        run.event(2, "", &set("x2", 1), &[b1]);
        run.event(1, "", &set("x1", 1), &[]);
    };
    let formula = "(F H F G O F on(x1 == 1)) <-> F O F (X Y X (x0 != 0) && process(P0))";
    Shape {
        name: "few orders",
        processes: 3,
        events: 6,
        initial: Vec::new(),
        simulate: Box::new(simulate),
        asked: vec![Property::over_events("past in past", formula.to_owned()).holds()],
    }
}
