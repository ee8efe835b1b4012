//! The studies, one file each: a `pub const` [`Study`] and its name in [`ALL`]. Studies that share how a row is made share a
//! directory.

mod cuts;
mod figure_4;
mod foreach;
mod linear;
mod m2l;
mod many;
mod monitors;
mod online;
mod scaling;
mod spans;
mod spin;
mod systems;
mod table_1;
mod verify;

use std::time::Duration;

use crate::lab::Lab;
use crate::measure::{self, Run};
use crate::search::{Asked, Output};
use crate::study::Study;
use crate::workload::{Contender, Role};
use scaling::{flat, power};

/// Every study, by row.
pub const ALL: [&Study; 30] = [
    &table_1::STUDY,
    &figure_4::STUDY,
    &linear::rows::STUDY,
    &linear::workloads::STUDY,
    &cuts::table::STUDY,
    &cuts::whole::STUDY,
    &cuts::small::STUDY,
    &m2l::milner::STUDY,
    &m2l::files::STUDY,
    &m2l::families::STUDY,
    &verify::reach::PHILOSOPHERS,
    &verify::reach::COUNTERS,
    &verify::fork::STUDY,
    &verify::orders::STUDY,
    &verify::counts::STUDY,
    &systems::paper::STUDY,
    &systems::dining::STUDY,
    &systems::shapes::STUDY,
    &systems::kinds::STUDY,
    &systems::contest::STUDY,
    &monitors::BUILDING,
    &monitors::READING,
    &scaling::STUDY,
    &cuts::scaling::STUDY,
    &online::STUDY,
    &foreach::STUDY,
    &many::STUDY,
    &spans::reading::STUDY,
    &spans::traces::STUDY,
    &spans::one::STUDY,
];

/// Beyond the limits that a search keeps to by itself.
const PATIENCE: Duration = Duration::from_secs(600);

/// Reads and decides once in a process of its own.
fn search(lab: &Lab, asked: &Asked<'_>) -> Result<(Output, Run), String> {
    let contender = Contender {
        name: "search",
        role: Role::Ours,
        program: lab.own.clone(),
        args: asked.arguments(),
        status: 0,
        check: Box::new(|text| Output::parse(text).map(|_| ())),
        patience: lab.limit.max(PATIENCE) + PATIENCE,
        shows_memory: true,
        bytes: 0,
    };
    let run = measure::run(&contender, lab)?;
    Ok((Output::parse(&run.output)?, run))
}
