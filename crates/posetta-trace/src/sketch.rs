//! Runs for unit tests, in the short form of the text format: `A: x=1, y=2 -> @name` and `A.1 -> B.2`.
//!
//! The readers of formats stand above this room, so its own tests cannot use them.

use crate::{Builder, Trace};
use posetta_base::Budget;

pub(crate) fn read(text: &str) -> Trace {
    read_within(text, false, &Budget::unlimited())
}

/// With the order of the lines as the recorded one if it is `sequence`.
pub(crate) fn read_within(text: &str, sequence: bool, budget: &Budget) -> Trace {
    let mut builder = Builder::new();
    let mut edges = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let Some((process, events)) = line.split_once(": ") else {
            let (from, to) = line.split_once(" -> ").expect("an edge");
            edges.push((number, [from, to]));
            continue;
        };
        let process = builder.process(process).expect("few processes");
        for event in events.split(" -> ") {
            builder.event(process, number).expect("few events");
            for part in event.split(", ") {
                match part.split_once('=') {
                    Some((name, value)) => {
                        let var = builder.variable(name).expect("few variables");
                        let value = builder.integer(value.parse().expect("a number")).expect("few values");
                        builder.assign(var, value).expect("assigned once");
                    }
                    None => builder.name(part.strip_prefix('@').expect("a name")).expect("few names"),
                }
            }
        }
    }
    for (number, ends) in edges {
        let [from, to] = ends.map(|end| {
            let (process, position) = end.split_once('.').expect("PROCESS.POSITION");
            let position: u32 = position.parse().expect("a position");
            (builder.process(process).expect("few processes"), position - 1)
        });
        builder.edge(from, to, number, [1, 1]);
    }
    builder.finish(sequence, budget).expect("a partial order within the budget")
}
