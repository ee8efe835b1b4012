//! ShiViz logs: a line of text, then host and vector clock.

use posetta::formats::Format;

use super::reading;
use crate::generate::{Clocks, cached};
use crate::workload::{Skip, Workload};

/// What the format is called on the command line.
const FORMAT: &str = "shiviz";

/// A regular expression cuts the log.
const MEGABYTES: f64 = 30.0;

/// Eight hosts, in the form of ShiViz's default expression `(?<event>.*)\n(?<host>\S*) (?<clock>{.*})`.
pub const WORKLOAD: Workload = Workload {
    id: "reading-shiviz",
    row: 11,
    title: "ShiViz log",
    target: "30 MB/s of input per core; 64 bytes an event + values, ids and clocks",
    prepare: |lab| {
        let facts = cached(lab, "reading-shiviz", "log", 8, |out, steps, weights| {
            let mut clocks = Clocks::new(steps.processes());
            for step in steps {
                let what = if step.sends { "sends" } else { "works on" };
                let what = if step.cause.is_some() { "receives" } else { what };
                write!(out, "host {} {what} item {}\nhost{} {{", step.process, step.value, step.process)?;
                for (i, (process, count)) in Clocks::members(clocks.step(&step)).enumerate() {
                    write!(out, "{}\"host{process}\":{count}", if i > 0 { ", " } else { "" })?;
                    weights.clock_entries(1);
                }
                out.write_all(b"}\n")?;
            }
            Ok(())
        })?;
        if Format::from_name(FORMAT).is_none() {
            return Err(Skip::Absent(format!(
                "this version reads no format `{FORMAT}`; the log itself is {}",
                facts.path.display()
            )));
        }
        reading::prepare(lab, facts, FORMAT, false)
    },
    judge: |prepared, measured| reading::judge(prepared, measured, MEGABYTES),
};
