//! Bar charts as SVG: one bar for a contender, grouped by workload, on a logarithmic axis.
//!
//! An own writer, because a chart is a dozen rectangles and lines, and a plotting crate brings fonts and back ends.

use std::fmt::Write;

use crate::measure::{Measured, Row};
use crate::stats::Spread;
use crate::workload::Role;

const WIDTH: f64 = 860.0;
const LEFT: f64 = 130.0;
const RIGHT: f64 = 100.0;
const TOP: f64 = 62.0;
const BAR: f64 = 18.0;
const HEADING: f64 = 26.0;

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

fn colour(role: Role) -> &'static str {
    match role {
        Role::Ours => "#1f6f8b",
        Role::Baseline => "#a9b4bd",
        Role::Peer => "#c8702a",
    }
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

/// A chart; none without a figure above 0.
pub fn draw(title: &str, mut groups: Vec<Group>) -> Option<String> {
    groups.iter_mut().for_each(|g| g.bars.retain(|(_, _, s)| s.most > 0.0));
    groups.retain(|g| !g.bars.is_empty());
    let spreads = || groups.iter().flat_map(|g| g.bars.iter().map(|(_, _, s)| *s));
    // Whole powers of ten around all figures; what is nearly nothing is drawn as a stub.
    let most = spreads().map(|s| s.most).reduce(f64::max)?;
    let least = spreads().map(|s| s.median).reduce(f64::min)?.max(most * 1e-6);
    let (low, high) = (least.log10().floor(), most.log10().ceil());
    let high = if high > low { high } else { low + 1.0 };
    let x =
        |value: f64| LEFT + (value.max(1e-12).log10().clamp(low, high) - low) / (high - low) * (WIDTH - LEFT - RIGHT);
    let height = TOP + groups.iter().map(|g| HEADING + BAR * g.bars.len() as f64 + 6.0).sum::<f64>() + 30.0;
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" width=\"{WIDTH}\" \
         height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">"
    );
    let _ = writeln!(svg, "<rect width=\"{WIDTH}\" height=\"{height:.0}\" fill=\"#fff\"/>");
    let title = escape(title);
    let _ = writeln!(svg, "<text x=\"16\" y=\"24\" font-size=\"15\" font-weight=\"bold\">{title}</text>");
    let mut legend = 16.0;
    for (role, word) in [(Role::Ours, "Posetta"), (Role::Baseline, "baseline"), (Role::Peer, "peer")] {
        if groups.iter().any(|g| g.bars.iter().any(|(_, r, _)| *r == role)) {
            let _ = writeln!(
                svg,
                "<rect x=\"{legend}\" y=\"36\" width=\"12\" height=\"12\" fill=\"{}\"/><text x=\"{}\" y=\"46\">{word}</text>",
                colour(role),
                legend + 18.0
            );
            legend += 90.0;
        }
    }
    let _ = writeln!(
        svg,
        "<text x=\"{legend}\" y=\"46\" fill=\"#666\">bar: median; line: least to most; logarithmic axis</text>"
    );
    let bottom = height - 24.0;
    for power in low as i32..=high as i32 {
        let value = 10f64.powi(power);
        let at = x(value);
        let _ = writeln!(
            svg,
            "<line x1=\"{at:.1}\" y1=\"{TOP}\" x2=\"{at:.1}\" y2=\"{bottom:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#666\">{}</text>",
            bottom + 15.0,
            number(value)
        );
    }
    let mut y = TOP;
    for Group { heading, bars } in &groups {
        y += HEADING;
        let _ = writeln!(svg, "<text x=\"16\" y=\"{:.1}\" font-weight=\"bold\">{}</text>", y - 8.0, escape(heading));
        for (name, role, spread) in bars {
            let middle = y + BAR / 2.0;
            let width = (x(spread.median) - LEFT).max(1.0);
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
                 <rect x=\"{LEFT}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{}\"/>\
                 <line x1=\"{:.1}\" y1=\"{middle:.1}\" x2=\"{:.1}\" y2=\"{middle:.1}\" stroke=\"#222\" stroke-width=\"1.5\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                LEFT - 8.0,
                middle + 4.0,
                escape(name),
                y + 2.0,
                BAR - 4.0,
                colour(*role),
                x(spread.least),
                x(spread.most),
                x(spread.most) + 6.0,
                middle + 4.0,
                number(spread.median)
            );
            y += BAR;
        }
        y += 6.0;
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

/// Three digits are enough for a picture.
fn number(value: f64) -> String {
    let text = match value {
        v if v >= 100.0 => return format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 0.1 => format!("{v:.2}"),
        v => format!("{v:.4}"),
    };
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
