//! ShiViz logs: a line of text, then host and vector clock. Once recognised, once cut by a user's expression.

use super::reading;
use crate::generate::{Clocks, Facts, cached};
use crate::lab::Lab;
use crate::workload::Workload;

/// What the format is called on the command line.
const FORMAT: &str = "shiviz";

/// A regular expression cuts the log.
const MEGABYTES: f64 = 30.0;

/// As a user writes it who does not know that Posetta knows the usual ones.
const EXPRESSION: &str = r"(?<event>.+)\n(?<host>\w+) (?<clock>\{[^}]*\})";

/// Eight hosts, in the form of ShiViz's default expression `(?<event>.*)\n(?<host>\S*) (?<clock>{.*})`.
fn log(lab: &Lab) -> std::io::Result<Facts> {
    cached(lab, "reading-shiviz", "log", 8, |out, steps, weights| {
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
    })
}

/// A log whose expression is recognised and cut by hand.
pub const KNOWN: Workload = Workload {
    id: "reading-shiviz",
    row: 11,
    title: "ShiViz log",
    target: reading::TARGET,
    prepare: |lab| reading::prepare(lab, log(lab)?, FORMAT, false),
    judge: |prepared, measured| reading::judge(prepared, measured, reading::FAST),
};

/// The same log, cut by an expression that is not among the known ones.
pub const BY_EXPRESSION: Workload = Workload {
    id: "reading-shiviz-regex",
    row: 11,
    title: "ShiViz log, cut by a user's expression",
    target: "30 MB/s of input per core; 64 bytes an event + values, ids and clocks",
    prepare: |lab| reading::prepare_with(lab, log(lab)?, FORMAT, &["--regex", EXPRESSION], false),
    judge: |prepared, measured| reading::judge(prepared, measured, MEGABYTES),
};
