//! Bar charts: one bar for a contender, grouped by workload. They are drawn as all pictures of Posetta are.

use posetta_tell::svg::chart::{self, Whose};

use crate::measure::{Measured, Row};
use crate::stats::Spread;
use crate::workload::Role;

/// A figure that can be drawn.
struct Chart {
    /// Behind the group in the name of the file.
    name: &'static str,
    title: &'static str,
    figure: fn(&Measured) -> Option<Spread>,
}

const CHARTS: [Chart; 3] = [
    Chart { name: "time", title: "CPU seconds, less is better", figure: Measured::cpu },
    Chart {
        name: "rate",
        title: "megabytes of input per second of CPU, more is better",
        figure: |m| m.rate().filter(|_| m.bytes > 0),
    },
    Chart {
        name: "memory",
        title: "peak memory in megabytes, less is better",
        figure: |m| m.memory().filter(|_| m.shows_memory).map(|s| s.map(|b| b / 1e6)),
    },
];

/// The charts of every group of workloads, by file name. A group that did not run has none.
pub fn plots(rows: &[Row]) -> Vec<(String, String)> {
    let mut groups: Vec<&str> = Vec::new();
    for row in rows {
        let group = group(row);
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    let mut files = Vec::new();
    for of in groups {
        let rows: Vec<&Row> = rows.iter().filter(|row| group(row) == of).collect();
        for chart in &CHARTS {
            files.extend(of_rows(chart, of, &rows).map(|svg| (format!("{of}-{}.svg", chart.name), svg)));
        }
    }
    files
}

fn group(row: &Row) -> &str {
    row.workload.id.split('-').next().unwrap_or_default()
}

/// Bars that belong together.
#[derive(Clone)]
pub struct Group {
    /// Above them.
    pub heading: String,
    /// From the top: name, whose it is, figure.
    pub bars: Vec<(String, Role, Spread)>,
}

/// The chart of one figure of a group of workloads.
fn of_rows(chart: &Chart, group: &str, rows: &[&Row]) -> Option<String> {
    let bars =
        |row: &Row| row.measured.iter().filter_map(|m| Some((m.name.to_owned(), m.role, (chart.figure)(m)?))).collect();
    let heading = |row: &Row| format!("{} ({})", row.workload.title, row.workload.id);
    let groups = rows.iter().map(|row| Group { heading: heading(row), bars: bars(row) }).collect();
    draw(&format!("{group}: {}", chart.title), groups)
}

/// A chart as SVG; none without a figure above 0.
pub fn draw(title: &str, groups: Vec<Group>) -> Option<String> {
    let bar = |(name, role, spread): (String, Role, Spread)| {
        let whose = match role {
            Role::Ours => Whose::Ours,
            Role::Baseline => Whose::Baseline,
            Role::Peer => Whose::Peer,
        };
        chart::Bar { name, whose, spread: [spread.least, spread.median, spread.most] }
    };
    let group = |group: Group| chart::Group { heading: group.heading, bars: group.bars.into_iter().map(bar).collect() };
    let groups: Vec<chart::Group> = groups.into_iter().map(group).collect();
    chart::chart(title, &groups).map(|drawing| drawing.to_svg())
}
