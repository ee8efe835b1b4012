//! Ten protocols as they are logged, each with eight formulas that an engineer would write for it.

use std::fs::File;

use super::Table;
use super::protocols::ALL;
use super::run::cached;
use crate::lab::Lab;
use crate::simulate;
use crate::study::{Sheet, Study};

/// The study.
pub const STUDY: Study = Study {
    id: "linear-workloads",
    row: 1,
    title: "linear properties of ten protocols, 50 processes and 2,000 events, 100,000 with --full; beside CTL",
    target: "an answer to every formula, and as fast as CTL where CTL can ask for the same",
    run,
};

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    if let Err(reason) = &lab.program {
        return Ok(Sheet::skipped(&format!("the program is measured: {reason}")));
    }
    let mut table = Table::new(lab, times, false);
    let sizes: &[(usize, u64)] = match (lab.quick, lab.full) {
        (true, _) => &[(8, 120)],
        (_, true) => &[(50, 2_000), (50, 100_000)],
        _ => &[(50, 2_000)],
    };
    for &(processes, events) in sizes {
        if !table.takes(events) {
            continue;
        }
        for protocol in ALL {
            eprintln!("  {} {processes} × {events} …", protocol.name);
            let name = format!("{}-{processes}-{events}", protocol.name.replace(' ', "-"));
            let size = protocol.size(processes, events);
            let file =
                cached(lab, &name, processes, &(protocol.initial)(processes), |run| (protocol.simulate)(run, size))?;
            // Rounds are whole, so there are only about as many.
            let (_, lines) =
                File::open(&file).and_then(simulate::size).map_err(|e| format!("{}: {e}", file.display()))?;
            let events = lines.saturating_sub(1);
            for property in (protocol.properties)(size) {
                table.ask(protocol.name, events, &file, &property);
            }
        }
    }
    Ok(table.finish())
}
