//! JSON lines with `after`: the usual output of an instrumented program.

use super::reading;
use crate::generate::cached;
use crate::workload::Workload;

/// Ten processes; a third of the events receive a message.
pub const WORKLOAD: Workload = Workload {
    id: "reading-jsonl-after",
    row: 11,
    title: "JSON lines with `after`",
    target: reading::TARGET,
    prepare: |lab| {
        let facts = cached(lab, "reading-jsonl-after", "jsonl", 10, |out, steps, weights| {
            for step in steps {
                let p = step.process;
                write!(out, "{{\"process\":\"P{p}\",\"set\":{{\"x{p}\":{}}}", step.value)?;
                if let Some((process, index)) = step.cause {
                    write!(out, ",\"after\":[\"P{process}.{index}\"]")?;
                }
                out.write_all(b"}\n")?;
                weights.assignments(1);
            }
            Ok(())
        })?;
        reading::prepare(lab, facts, "jsonl", true)
    },
    judge: |prepared, measured| reading::judge(prepared, measured, reading::FAST),
};
