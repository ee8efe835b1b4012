//! The studies, one file each: a `pub const` [`Study`] and its name in [`ALL`].

mod figure_4;
mod scaling;
mod spin;
mod table_1;

use std::time::Duration;

use crate::lab::Lab;
use crate::measure::{self, Run};
use crate::search::{Asked, Output};
use crate::study::Study;
use crate::workload::{Contender, Role};

/// Every study, by row.
pub const ALL: [&Study; 3] = [&table_1::STUDY, &figure_4::STUDY, &scaling::STUDY];

/// Reads and decides once in a process of its own.
fn search(lab: &Lab, asked: &Asked<'_>) -> Result<(Output, Run), String> {
    let contender = Contender {
        name: "search",
        role: Role::Ours,
        program: lab.own.clone(),
        args: asked.arguments(),
        status: 0,
        check: Box::new(|text| Output::parse(text).map(|_| ())),
        patience: Duration::from_secs(600),
        shows_memory: true,
        bytes: 0,
    };
    let run = measure::run(&contender, lab)?;
    Ok((Output::parse(&run.output)?, run))
}
