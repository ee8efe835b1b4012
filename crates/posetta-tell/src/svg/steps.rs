//! A run of a system of components: a lane for each component, and a bar through those that take part in a step.

use unicode_width::UnicodeWidthStr;

use super::canvas::{COLUMN, Canvas, LINE, Point, width};
use crate::amounts::counted;
use crate::page::broken;
use crate::paint::short;
use crate::steps::{Line, Steps, Then};

/// So many components have a lane.
const LANES: usize = 16;
const ROW: f64 = 27.0;
const DOT: f64 = 14.0;
const MARGIN: f64 = 40.0;
/// The longest name of a component, and of an action.
const NAME: usize = 14;
const ACTION: usize = 40;

/// A run, measured.
pub(super) struct Bars<'a> {
    steps: &'a Steps,
    /// By component: its lane, if it has one.
    lanes: Vec<Option<f64>>,
    head: f64,
    rows: Vec<(f64, Vec<String>)>,
    then: Vec<String>,
    text: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl<'a> Bars<'a> {
    /// With so many columns of text beside the lanes.
    pub(super) fn new(steps: &'a Steps, columns: usize) -> Self {
        // Those that take part; the others do nothing.
        let mut takes_part = vec![false; steps.components.len()];
        for line in &steps.lines {
            if let Line::Step { parts, .. } = line {
                parts.iter().for_each(|&part| takes_part[part] = true);
            }
        }
        let widest = steps.components.iter().map(|name| name.width().min(NAME)).max().unwrap_or(0);
        let gap = (widest as f64 * COLUMN + 14.0).max(34.0);
        let mut free = 0;
        let mut lane = |takes_part: &bool| {
            (*takes_part && free < LANES).then(|| {
                free += 1;
                MARGIN + 10.0 + gap / 2.0 + gap * (free - 1) as f64
            })
        };
        let lanes: Vec<Option<f64>> = takes_part.iter().map(&mut lane).collect();
        let text = lanes.iter().flatten().fold(MARGIN, |last, &x| last.max(x + gap / 2.0)) + 8.0;
        let mut rows = Vec::new();
        let mut y = 0.0;
        for line in &steps.lines {
            let lines = match line {
                Line::Gap { steps, .. } => vec![format!("… {}", counted(*steps as u64, "step", "steps"))],
                Line::Step { action, changes, .. } => {
                    let mut lines = vec![short(action, ACTION)];
                    lines.extend(broken(&short(&changes.join(", "), columns * 3), columns, 0));
                    lines
                }
            };
            let height = (lines.len() as f64 * LINE + 10.0).max(ROW);
            rows.push((y, lines));
            y += height;
        }
        let then: Vec<String> = match &steps.then {
            Then::Cycle { to, .. } => vec![format!("↻ and again from step {}", to + 1)],
            Then::Dead(waiting) => {
                let heading = "✗ no action can take place".to_owned();
                let waits = waiting.iter().flat_map(|(at, what)| broken(&format!("{at} {what}"), columns, 2));
                [heading].into_iter().chain(waits).collect()
            }
            Then::Open(text) if text.is_empty() => Vec::new(),
            Then::Open(text) => broken(text, columns, 0),
        };
        let lines = rows.iter().flat_map(|(_, lines)| lines).chain(&then);
        let widest = lines.map(|line| line.width()).max().unwrap_or(0);
        let head = LINE + 6.0;
        let height = head + y + then.len() as f64 * LINE + 6.0;
        Self { steps, lanes, head, rows, then, text, width: text + widest as f64 * COLUMN + 10.0, height }
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, (left, top): Point) {
        let end = top + self.height - self.then.len() as f64 * LINE;
        for (i, (lane, name)) in self.lanes.iter().zip(&self.steps.components).enumerate() {
            let Some(x) = lane else { continue };
            let text = short(name, NAME);
            let class = format!("pz-code pz-bold pz-l{}", i % 6);
            canvas.group(name, |canvas| {
                canvas.text((left + x - width(&text) / 2.0, top + LINE - 6.0), &class, &text);
                canvas.line("pz-lane", (left + x, top + self.head - 4.0), (left + x, end));
            });
        }
        for (line, (y, lines)) in self.steps.lines.iter().zip(&self.rows) {
            let y = top + self.head + y + DOT;
            match line {
                Line::Step { number, action, parts, cycle, .. } => {
                    let number = format!("{}{number}", if *cycle { "↻ " } else { "" });
                    canvas.text((left + MARGIN - width(&number), y + 4.0), "pz-code pz-dim", &number);
                    canvas.group(action, |canvas| self.bar(canvas, parts, left, y));
                    for (i, text) in lines.iter().enumerate() {
                        let class = if i == 0 { "pz-code pz-text pz-bold" } else { "pz-code pz-dim" };
                        canvas.text((left + self.text, y + 4.0 + i as f64 * LINE), class, text.trim_start());
                    }
                }
                Line::Gap { .. } => {
                    for text in lines {
                        canvas.text((left + self.text, y + 4.0), "pz-code pz-dim", text);
                    }
                }
            }
        }
        for (i, text) in self.then.iter().enumerate() {
            let class = if i == 0 { "pz-code pz-bad pz-bold" } else { "pz-code pz-text" };
            canvas.text((left + self.text, end + (i + 1) as f64 * LINE - 6.0), class, text);
        }
    }

    /// Those who take part, joined by a line.
    fn bar(&self, canvas: &mut Canvas, parts: &[usize], left: f64, y: f64) {
        let places = parts.iter().filter_map(|&part| Some((part, left + self.lanes.get(part).copied().flatten()?)));
        let places: Vec<(usize, f64)> = places.collect();
        let ends = places.iter().fold((f64::MAX, f64::MIN), |(a, b), (_, x)| (a.min(*x), b.max(*x)));
        if places.len() > 1 {
            canvas.line("pz-edge", (ends.0, y), (ends.1, y));
        }
        for (part, x) in places {
            canvas.circle(&format!("pz-{} pz-dot", part % 6), (x, y), 5.5);
        }
    }
}
