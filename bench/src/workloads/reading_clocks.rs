//! JSON lines with vector clocks.

use super::reading;
use crate::generate::{Clocks, cached};
use crate::workload::Workload;

/// Eight processes; every event has its vector clock and no `after`.
pub const WORKLOAD: Workload = Workload {
    id: "reading-jsonl-clocks",
    row: 11,
    title: "JSON lines with vector clocks",
    target: reading::TARGET,
    prepare: |lab| {
        let facts = cached(lab, "reading-jsonl-clocks", "jsonl", 8, |out, steps, weights| {
            let mut clocks = Clocks::new(steps.processes());
            for step in steps {
                let p = step.process;
                write!(out, "{{\"process\":\"P{p}\",\"set\":{{\"x{p}\":{}}},\"clock\":{{", step.value)?;
                for (i, (process, count)) in Clocks::members(clocks.step(&step)).enumerate() {
                    write!(out, "{}\"P{process}\":{count}", if i > 0 { "," } else { "" })?;
                    weights.clock_entries(1);
                }
                out.write_all(b"}}\n")?;
                weights.assignments(1);
            }
            Ok(())
        })?;
        reading::prepare(lab, facts, "jsonl", true)
    },
    judge: |prepared, measured| reading::judge(prepared, measured, reading::FAST),
};
