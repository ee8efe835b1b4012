//! Figures as bars, in groups, on a logarithmic axis.

use unicode_width::UnicodeWidthStr;

use super::canvas::{COLUMN, Canvas, Drawing, LINE, WIDE, width};
use crate::page::wrap;
use crate::paint::short;

const WIDTH: f64 = 860.0;
const MARGIN: f64 = 22.0;
/// Behind the longest bar there is room for a number.
const RIGHT: f64 = 90.0;
const BAR: f64 = 18.0;
/// The longest name of a bar, and the longest heading.
const NAME: usize = 28;
const HEADING: usize = 100;

/// Whose figure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// What is measured.
    Ours,
    /// What it is measured against.
    Baseline,
    /// Somebody else's.
    Peer,
}

impl Whose {
    const ALL: [Self; 3] = [Self::Ours, Self::Baseline, Self::Peer];

    fn class(self) -> &'static str {
        match self {
            Self::Ours => "pz-3",
            Self::Baseline => "pz-bus",
            Self::Peer => "pz-2",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Ours => "Posetta",
            Self::Baseline => "baseline",
            Self::Peer => "peer",
        }
    }
}

/// A figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What it is of.
    pub name: String,
    /// Whose it is.
    pub whose: Whose,
    /// The least, the one in the middle, and the most that was measured.
    pub spread: [f64; 3],
}

/// Bars that belong together, below a heading.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// What they are about.
    pub heading: String,
    /// From the top.
    pub bars: Vec<Bar>,
}

/// A chart; none without a figure above 0.
#[must_use]
pub fn chart(title: &str, groups: &[Group]) -> Option<Drawing> {
    let seen = |group: &Group| -> Vec<Bar> {
        group
            .bars
            .iter()
            .filter(|bar| bar.spread.iter().all(|n| n.is_finite()) && bar.spread[2] > 0.0)
            .cloned()
            .collect()
    };
    let groups: Vec<(&str, Vec<Bar>)> = groups.iter().map(|group| (group.heading.as_str(), seen(group))).collect();
    let groups: Vec<(&str, Vec<Bar>)> = groups.into_iter().filter(|(_, bars)| !bars.is_empty()).collect();
    let bars = || groups.iter().flat_map(|(_, bars)| bars);
    // Whole powers of ten around all figures; what is nearly nothing is drawn as a stub.
    let most = bars().map(|bar| bar.spread[2]).reduce(f64::max)?;
    let least = bars().map(|bar| bar.spread[1]).reduce(f64::min)?.max(most * 1e-6);
    let (low, high) = (least.log10().floor(), most.log10().ceil());
    let high = if high > low { high } else { low + 1.0 };
    let names = bars().map(|bar| short(&bar.name, NAME).width()).max().unwrap_or(0);
    let left = MARGIN + names as f64 * COLUMN + 10.0;
    let room = WIDTH - left - RIGHT;
    let x = |value: f64| left + (value.max(1e-12).log10().clamp(low, high) - low) / (high - low) * room;

    let mut canvas = Canvas::default();
    let mut y = MARGIN;
    for line in wrap(title, ((WIDTH - 2.0 * MARGIN) / WIDE) as usize, 0) {
        y += LINE + 3.0;
        canvas.text((MARGIN, y - 3.0), "pz-h1 pz-text", &line);
    }
    y += 11.0;
    let mut at = MARGIN;
    for whose in Whose::ALL.into_iter().filter(|whose| bars().any(|bar| bar.whose == *whose)) {
        canvas.rect(whose.class(), (at, y), (12.0, 12.0), 0.0);
        canvas.text((at + 18.0, y + 10.5), "pz-text", whose.word());
        at += 18.0 + width(whose.word()) + 20.0;
    }
    let has_spread = bars().any(|bar| bar.spread[0] < bar.spread[2]);
    let sign = if has_spread { "bar: median; line: least to most; logarithmic axis" } else { "logarithmic axis" };
    canvas.text((at, y + 10.5), "pz-dim", sign);
    y += 22.0;
    let top = y;
    let tall = |bars: &[Bar]| LINE + 8.0 + BAR * bars.len() as f64 + 4.0;
    let bottom = top + groups.iter().map(|(_, bars)| tall(bars)).sum::<f64>() + 4.0;
    for power in low as i32..=high as i32 {
        let value = 10_f64.powi(power);
        canvas.line("pz-rule", (x(value), top), (x(value), bottom));
        let text = number(value);
        canvas.text((x(value) - width(&text) / 2.0, bottom + 15.0), "pz-code pz-dim", &text);
    }
    for (heading, bars) in &groups {
        y += LINE + 8.0;
        canvas.text((MARGIN, y - 8.0), "pz-bold pz-text", &short(heading, HEADING));
        for bar in bars {
            let [least, median, most] = bar.spread;
            let (middle, name) = (y + BAR / 2.0, short(&bar.name, NAME));
            canvas.group(&format!("{}: {}", bar.name, number(median)), |canvas| {
                canvas.text((left - 8.0 - width(&name), middle + 4.0), "pz-code pz-text", &name);
                let long = (x(median) - left).max(1.0);
                canvas.rect(bar.whose.class(), (left, y + 2.0), (long, BAR - 4.0), 0.0);
                if least < most {
                    canvas.line("pz-edge", (x(least), middle), (x(most), middle));
                }
                canvas.text((x(most) + 7.0, middle + 4.0), "pz-code pz-dim", &number(median));
            });
            y += BAR;
        }
        y += 4.0;
    }
    let told: Vec<String> = groups
        .iter()
        .map(|(heading, bars)| {
            let bars: Vec<String> = bars.iter().map(|bar| format!("{} {}", bar.name, number(bar.spread[1]))).collect();
            format!("{heading}: {}", bars.join(", "))
        })
        .collect();
    Some(canvas.finish(title, &told.join("; "), (WIDTH, bottom + 15.0 + MARGIN)))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn group(figures: &[f64]) -> Group {
        let bar = |&n: &f64| Bar { name: format!("<{n}>"), whose: Whose::Ours, spread: [n, n, n] };
        Group { heading: "a & b".to_owned(), bars: figures.iter().map(bar).collect() }
    }

    #[test]
    fn longer_bars_are_larger_figures_and_nothing_is_no_chart() {
        let svg = chart("t", &[group(&[0.01, 1.0, 100.0])]).expect("a chart").to_svg();
        let long = |line: &str| line.split("width=\"").nth(1)?.split('"').next()?.parse::<f64>().ok();
        let bars: Vec<f64> = svg.lines().filter(|line| line.contains("\"pz-3\"")).skip(1).filter_map(long).collect();
        assert!(bars.len() == 3 && bars[0] < bars[1] && bars[1] < bars[2], "{bars:?}");
        assert!(svg.contains("&lt;0.01&gt;") && svg.contains("a &amp; b"));
        for nothing in [vec![], vec![group(&[])], vec![group(&[0.0, f64::NAN, f64::INFINITY])]] {
            assert_eq!(chart("t", &nothing), None);
        }
        assert!(!chart("t", &[group(&[1e-9, 1e9])]).expect("a chart").to_svg().contains("NaN"));
    }
}
