//! JSON lines with ids, names and times: what tracing libraries write.

use super::reading;
use crate::generate::cached;
use crate::workload::Workload;

/// Ten processes; every event has an id, a name and a time, and causes are named by id.
pub const WORKLOAD: Workload = Workload {
    id: "reading-jsonl-ids",
    row: 11,
    title: "JSON lines with ids, names and times",
    target: reading::TARGET,
    prepare: |lab| {
        let facts = cached(lab, "reading-jsonl-ids", "jsonl", 10, |out, steps, weights| {
            let id = |process: usize, index: u64| format!("{:x}-{process}", index.wrapping_mul(0x9e37_79b1));
            for (n, step) in steps.enumerate() {
                let (p, own) = (step.process, id(step.process, step.index));
                let name = if step.sends { "send" } else { "work" };
                let name = if step.cause.is_some() { "recv" } else { name };
                write!(out, "{{\"process\":\"P{p}\",\"id\":\"{own}\",\"name\":\"{name}\",")?;
                write!(
                    out,
                    "\"set\":{{\"x{p}\":{}}},\"time\":{}.{:06}",
                    step.value,
                    1_700_000_000 + n / 4_000,
                    n % 4_000 * 250
                )?;
                if let Some((process, index)) = step.cause {
                    write!(out, ",\"after\":[\"{}\"]", id(process, index))?;
                }
                out.write_all(b"}\n")?;
                weights.assignments(1);
                weights.times(1);
                weights.id(&own);
            }
            Ok(())
        })?;
        reading::prepare(lab, facts, "jsonl", true)
    },
    judge: |prepared, measured| reading::judge(prepared, measured, reading::FAST),
};
