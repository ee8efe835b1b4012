//! The text format.

use super::reading;
use crate::generate::cached;
use crate::workload::Workload;

/// Events of a process on one line.
const ON_A_LINE: usize = 6;

/// Ten processes, six events on a line, edges on lines of their own.
pub const WORKLOAD: Workload = Workload {
    id: "reading-text",
    row: 11,
    title: "text",
    target: reading::TARGET,
    prepare: |lab| {
        let facts = cached(lab, "reading-text", "trace", 10, |out, steps, weights| {
            let mut waiting = vec![Vec::new(); steps.processes()];
            for step in steps {
                let (p, name) = (step.process, if step.sends { "send " } else { "" });
                weights.assignments(1);
                if let Some((process, index)) = step.cause {
                    writeln!(out, "P{process}.{index} -> P{p}.{}", step.index)?;
                }
                waiting[p].push(format!("{name}x{p}={}", step.value));
                if waiting[p].len() == ON_A_LINE {
                    writeln!(out, "P{p}: {}", waiting[p].join(" -> "))?;
                    waiting[p].clear();
                }
            }
            for (p, events) in waiting.iter().enumerate().filter(|(_, events)| !events.is_empty()) {
                writeln!(out, "P{p}: {}", events.join(" -> "))?;
            }
            Ok(())
        })?;
        reading::prepare(lab, facts, "text", false)
    },
    judge: |prepared, measured| reading::judge(prepared, measured, reading::FAST),
};
