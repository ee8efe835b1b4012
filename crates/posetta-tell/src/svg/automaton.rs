//! An automaton in layers, from where it begins to the right. What its arcs ask for stands below, by number: guards are long, and arcs
//! are short.

use unicode_width::UnicodeWidthStr;

use super::canvas::{COLUMN, Canvas, Drawing, LINE, Point, WIDE, width};
use crate::page::broken;
use crate::paint::short;

/// The size of a state, and of the number of an arc.
const STATE: f64 = 21.0;
const CHIP: f64 = 9.0;
/// From one layer to the next, and from one state to the next in a layer.
const ACROSS: f64 = 150.0;
const DOWN: f64 = 96.0;
const MARGIN: f64 = 22.0;
/// Columns of a guard, and lines of one.
const COLUMNS: usize = 76;
const LINES: usize = 6;
/// The longest name of a state: in its circle, and in the list.
const NAME: usize = 5;
const LISTED: usize = 24;

/// What a monitor says in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// It depends on what comes.
    Open,
    /// It holds, whatever comes.
    Holds,
    /// It is violated, whatever comes.
    Violated,
    /// It is violated, if nothing comes.
    Failing,
}

/// A state of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// What it is called.
    pub name: String,
    /// What is known there.
    pub look: Look,
    /// A word that ends here is accepted: drawn with a double line.
    pub accepts: bool,
}

/// An automaton to draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// The property, and what the automaton is to it.
    pub title: [String; 2],
    /// The states.
    pub states: Vec<State>,
    /// Where it begins.
    pub initial: Vec<usize>,
    /// From, to, and what is asked for.
    pub arcs: Vec<(usize, usize, String)>,
}

/// The automaton as a picture.
#[must_use]
pub fn automaton(graph: &Graph) -> Drawing {
    let mut canvas = Canvas::default();
    let [title, what] = &graph.title;
    let mut y = MARGIN;
    for line in broken(&short(title, 4 * COLUMNS), COLUMNS, 2) {
        y += LINE + 2.0;
        let indent = (line.len() - line.trim_start().len()) as f64 * COLUMN;
        canvas.text((MARGIN + indent, y - 4.0), "pz-code pz-bold pz-text", line.trim_start());
    }
    y += LINE;
    canvas.text((MARGIN, y - 2.0), "pz-dim", what);
    let (places, size) = places(graph, y + 34.0);
    let mut chips: Vec<Point> = Vec::new();
    for &start in &graph.initial {
        let (x, y) = places[start];
        canvas.line("pz-edge", (x - STATE - 26.0, y), (x - STATE - 9.0, y));
        canvas.head("pz-tip", (x - STATE - 26.0, y), (x - STATE - 2.0, y));
    }
    for (i, (from, to, guard)) in graph.arcs.iter().enumerate() {
        arc(&mut canvas, i + 1, (places[*from], places[*to]), guard, &mut chips, &places);
    }
    for (state, &(x, y)) in graph.states.iter().zip(&places) {
        let class = match state.look {
            Look::Open => "pz-state",
            Look::Holds => "pz-state-good",
            Look::Violated | Look::Failing => "pz-state-bad",
        };
        canvas.group(&format!("{}: {}", state.name, said(state)), |canvas| {
            canvas.circle(class, (x, y), STATE);
            if state.accepts || state.look == Look::Failing {
                canvas.circle(class, (x, y), STATE - 4.0);
            }
            let name = short(&state.name, NAME);
            canvas.text((x - width(&name) / 2.0, y + 4.0), "pz-code pz-text", &name);
        });
    }
    let (mut right, bottom) = size;
    y = legend(&mut canvas, graph, bottom + 12.0);
    y = list(&mut canvas, graph, y + 10.0);
    right = right.max(MARGIN * 2.0 + (COLUMNS + 4) as f64 * COLUMN).max(what.width() as f64 * (WIDE - 2.0));
    canvas.finish(title, what, (right + MARGIN, y + MARGIN))
}

fn said(state: &State) -> &'static str {
    match (state.look, state.accepts) {
        (Look::Holds, _) => "it holds, whatever comes",
        (Look::Violated, _) => "it is violated, whatever comes",
        (Look::Failing, _) => "it is violated, if it ends here",
        (Look::Open, true) => "open; accepted, if it ends here",
        (Look::Open, false) => "open; not accepted, if it ends here",
    }
}

/// Where the states are, below `top`, and the right and lower end of all.
fn places(graph: &Graph, top: f64) -> (Vec<Point>, Point) {
    let count = graph.states.len();
    let mut layer: Vec<Option<usize>> = vec![None; count];
    let mut layers: Vec<Vec<usize>> = vec![graph.initial.clone()];
    graph.initial.iter().for_each(|&start| layer[start] = Some(0));
    while let Some(last) = layers.last().filter(|last| !last.is_empty()) {
        let mut next = Vec::new();
        for &state in last {
            for &(from, to, _) in &graph.arcs {
                if from == state && layer[to].is_none() {
                    layer[to] = Some(layers.len());
                    next.push(to);
                }
            }
        }
        layers.push(next);
    }
    // What nothing leads to comes last.
    layers.pop();
    let lost: Vec<usize> = (0..count).filter(|&state| layer[state].is_none()).collect();
    if !lost.is_empty() {
        layers.push(lost);
    }
    let tallest = layers.iter().map(Vec::len).max().unwrap_or(1).max(1);
    let height = (tallest - 1) as f64 * DOWN;
    let mut places = vec![(0.0, 0.0); count];
    for (i, states) in layers.iter().enumerate() {
        let own = (states.len().max(1) - 1) as f64 * DOWN;
        for (k, &state) in states.iter().enumerate() {
            places[state] = (MARGIN + 56.0 + i as f64 * ACROSS, top + 44.0 + (height - own) / 2.0 + k as f64 * DOWN);
        }
    }
    let right = MARGIN + 56.0 + layers.len() as f64 * ACROSS - ACROSS + STATE + 50.0;
    (places, (right, top + 44.0 + height + 56.0))
}

/// An arc with its number, where there is room for that.
fn arc(
    canvas: &mut Canvas,
    number: usize,
    (a, b): (Point, Point),
    guard: &str,
    chips: &mut Vec<Point>,
    states: &[Point],
) {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let long = dx.hypot(dy);
    let (start, end, c1, c2) = if long < 1.0 {
        let (start, end) = ((a.0 - 9.0, a.1 - STATE + 2.0), (a.0 + 9.0, a.1 - STATE + 2.0));
        (start, end, (a.0 - 30.0, a.1 - STATE - 42.0), (a.0 + 30.0, a.1 - STATE - 42.0))
    } else {
        // There and back are two arcs; what goes over a layer, or back, makes a wide bow.
        let is_short = dx > 0.0 && dx < ACROSS * 1.5;
        let bow = if is_short { 12.0 } else { -(30.0 + long * 0.16) };
        let (nx, ny) = (dy / long * bow, -dx / long * bow);
        let c1 = (a.0 + dx * 0.3 + nx, a.1 + dy * 0.3 + ny);
        let c2 = (a.0 + dx * 0.7 + nx, a.1 + dy * 0.7 + ny);
        (from_edge(a, c1, STATE), from_edge(b, c2, STATE + 2.0), c1, c2)
    };
    let at = |t: f64| {
        let u = 1.0 - t;
        let mix = |p: fn(Point) -> f64| {
            u * u * u * p(start) + 3.0 * u * u * t * p(c1) + 3.0 * u * t * t * p(c2) + t * t * t * p(end)
        };
        (mix(|p| p.0), mix(|p| p.1))
    };
    let is_free = |p: &Point| {
        let far = |q: &Point, least: f64| (p.0 - q.0).hypot(p.1 - q.1) >= least;
        chips.iter().all(|chip| far(chip, 2.0 * CHIP + 3.0)) && states.iter().all(|s| far(s, STATE + CHIP + 2.0))
    };
    let free = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74].into_iter().map(at).find(is_free);
    let chip = free.unwrap_or_else(|| at(0.5));
    canvas.group(guard, |canvas| {
        canvas.path("pz-edge", start, &[('C', &[c1, c2, from_edge(end, c2, 7.0)])]);
        canvas.head("pz-tip", c2, end);
        canvas.circle("pz-chip", chip, CHIP);
        let text = number.to_string();
        canvas.text((chip.0 - text.len() as f64 * 3.4, chip.1 + 4.0), "pz-chip-text", &text);
    });
    chips.push(chip);
}

/// The point on the way from `a` to `b`, so many pixels from `a`.
fn from_edge(a: Point, b: Point, pixels: f64) -> Point {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let part = pixels / dx.hypot(dy).max(0.001);
    (a.0 + dx * part, a.1 + dy * part)
}

fn legend(canvas: &mut Canvas, graph: &Graph, y: f64) -> f64 {
    let entries = [
        (Look::Holds, "pz-state-good", "holds, whatever comes"),
        (Look::Violated, "pz-state-bad", "violated, whatever comes"),
        (Look::Failing, "pz-state-bad", "violated, if it ends here"),
        (Look::Open, "pz-state", "open"),
    ];
    let mut x = MARGIN;
    for (look, class, text) in entries {
        if graph.states.iter().any(|state| state.look == look) {
            canvas.circle(class, (x + 8.0, y + 8.0), 8.0);
            if look == Look::Failing {
                canvas.circle(class, (x + 8.0, y + 8.0), 4.5);
            }
            canvas.text((x + 22.0, y + 12.0), "pz-dim", text);
            x += 22.0 + width(text) + 22.0;
        }
    }
    if graph.states.iter().any(|state| state.accepts && state.look == Look::Open) {
        canvas.circle("pz-state", (x + 8.0, y + 8.0), 8.0);
        canvas.circle("pz-state", (x + 8.0, y + 8.0), 5.0);
        canvas.text((x + 22.0, y + 12.0), "pz-dim", "accepted, if it ends here");
    }
    y + 22.0
}

/// The arcs by number.
fn list(canvas: &mut Canvas, graph: &Graph, mut y: f64) -> f64 {
    let name = |state: usize| short(&graph.states[state].name, LISTED);
    for (i, (from, to, guard)) in graph.arcs.iter().enumerate() {
        let (number, head) = ((i + 1).to_string(), format!("{} → {}", name(*from), name(*to)));
        let room = COLUMNS.saturating_sub(head.width() + 6).max(24);
        let mut lines = broken(&short(guard, room * LINES), room, 2);
        lines.truncate(LINES);
        y += LINE;
        canvas.text((MARGIN + 2.0 * COLUMN - width(&number), y), "pz-code pz-bold pz-text", &number);
        canvas.text((MARGIN + 4.0 * COLUMN, y), "pz-code pz-dim", &head);
        for (k, line) in lines.iter().enumerate() {
            let indent = (line.len() - line.trim_start().len()) as f64 * COLUMN;
            y += if k > 0 { LINE } else { 0.0 };
            let x = MARGIN + (head.width() + 6) as f64 * COLUMN + indent;
            canvas.text((x, y), "pz-code pz-text", line.trim_start());
        }
    }
    y
}
