//! A sequence of states as a waveform: signals from left to right, and where the property fails.

use unicode_width::UnicodeWidthStr;

use super::canvas::{COLUMN, Canvas, LINE, Point, width};
use crate::page::broken;
use crate::paint::short;
use crate::picture::{Signal, Wave};
use crate::story::{Row, Story};
use crate::trail::{Line, States};
use crate::word::Word;

/// So many positions are drawn: most of them before the place where it fails.
const POSITIONS: usize = 48;
const AFTER: usize = 8;
/// The least and the greatest width of a position.
const NARROW: f64 = 13.0;
const BROAD: f64 = 46.0;
/// The height of a signal, and of its line.
const SIGNAL: f64 = 34.0;
const LEVEL: f64 = 20.0;
/// So many signals are drawn.
const SIGNALS: usize = 24;
/// The longest name and value.
const NAME: usize = 28;
const VALUE: usize = 24;
/// The room for all positions.
const ROOM: f64 = 620.0;

/// A waveform, measured.
pub(super) struct Traces<'a> {
    wave: &'a Wave,
    /// The first position that is drawn, and how many.
    first: usize,
    count: usize,
    step: f64,
    left: f64,
    /// The positions at which it fails: from the first to the last.
    fails: Option<(usize, usize)>,
    notes: Vec<String>,
    bad: bool,
    /// What stands below positions are numbers of states.
    pub(super) of_model: bool,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl<'a> Traces<'a> {
    /// The place or the stretch that is `marked`, from its first position to its last, and what is to be said of it.
    pub(super) fn new(wave: &'a Wave, marked: Option<(usize, usize)>, note: &str, word: Word) -> Self {
        let shown = marked.map_or(0, |(from, _)| from);
        let count = wave.positions.min(POSITIONS);
        let end = (shown + 1 + AFTER).clamp(count, wave.positions);
        let first = (end - count).max(wave.first);
        let step = (ROOM / count as f64).clamp(NARROW, BROAD);
        let names = wave.signals.iter().take(SIGNALS).map(|signal| short(&signal.name, NAME).width()).max();
        let left = names.unwrap_or(0).max(8) as f64 * COLUMN + 16.0;
        let width = left + step * count as f64 + 60.0;
        let notes = if note.is_empty() { Vec::new() } else { broken(&short(note, 200), (width / COLUMN) as usize, 2) };
        let signals = wave.signals.len().min(SIGNALS) as f64;
        let more = if wave.signals.len() > SIGNALS { LINE } else { 0.0 };
        let height = signals * SIGNAL + more + 2.0 * LINE + notes.len() as f64 * LINE + 8.0;
        Self {
            wave,
            first,
            count,
            step,
            left,
            fails: marked,
            notes,
            bad: word != Word::Holds,
            of_model: false,
            width,
            height,
        }
    }

    fn x(&self, position: usize) -> f64 {
        self.left + self.step * position.saturating_sub(self.first).min(self.count) as f64
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, (left, top): Point) {
        let shown = self.wave.signals.iter().take(SIGNALS);
        let bottom = top + shown.len() as f64 * SIGNAL;
        if let Some((from, to)) = self.fails.filter(|(_, to)| self.bad && *to >= self.first) {
            let (a, b) = (self.x(from), self.x(to + 1));
            canvas.rect("pz-fail", (left + a, top - 4.0), (b - a, bottom - top + 8.0), 3.0);
        }
        for (i, signal) in shown.enumerate() {
            let base = top + i as f64 * SIGNAL + SIGNAL - 8.0;
            canvas.group(&signal.name, |canvas| {
                canvas.text((left, base - 4.0), "pz-code pz-text", &short(&signal.name, NAME));
                if is_bit(signal) { self.bit(canvas, signal, left, base) } else { self.bus(canvas, signal, left, base) }
            });
        }
        let mut y = bottom + LINE - 2.0;
        if self.wave.signals.len() > SIGNALS {
            let more = format!("… {} more variables", self.wave.signals.len() - SIGNALS);
            canvas.text((left, y), "pz-code pz-dim", &more);
            y += LINE;
        }
        self.axis(canvas, left, y);
        for (i, note) in self.notes.iter().enumerate() {
            let class = if self.bad { "pz-code pz-bad pz-bold" } else { "pz-code pz-good" };
            canvas.text((left, y + (i + 1) as f64 * LINE + 6.0), class, note);
        }
    }

    /// Numbers of positions, or times, below some of them.
    fn axis(&self, canvas: &mut Canvas, left: f64, y: f64) {
        let text = |position: usize| match (&self.wave.times, position) {
            (Some(times), 1..) => times.get(position - self.wave.first).cloned().unwrap_or_default(),
            _ => position.to_string(),
        };
        let what = if self.wave.times.is_some() && !self.of_model { "time" } else { "state" };
        canvas.text((left, y), "pz-code pz-dim", what);
        let mut free = 0.0;
        let fails = self.fails.map(|(from, _)| from);
        for position in self.first..self.first + self.count {
            let x = self.x(position) + 2.0;
            let text = short(&text(position), 12);
            // The place where it fails has its number in any case.
            let is_place = fails == Some(position);
            let next = fails.filter(|&place| place > position).map_or(f64::MAX, |place| self.x(place) + 2.0);
            if x >= free && (is_place || x + width(&text) + 6.0 <= next) {
                let class = if is_place && self.bad { "pz-code pz-bad pz-bold" } else { "pz-code pz-dim" };
                canvas.text((left + x, y), class, &text);
                free = x + width(&text) + 10.0;
            }
        }
        let end = self.first + self.count;
        if end < self.wave.positions {
            let more = format!("… {}", self.wave.positions - end);
            canvas.text((left + self.x(end).max(free), y), "pz-code pz-dim", &more);
        }
    }

    /// A line that is high or low.
    fn bit(&self, canvas: &mut Canvas, signal: &Signal, left: f64, base: f64) {
        let level = |position: usize| if is_high(signal.at(position)) { base - LEVEL } else { base };
        let mut points = Vec::new();
        for position in self.first..self.first + self.count {
            let y = level(position);
            points.extend([(left + self.x(position), y), (left + self.x(position + 1), y)]);
        }
        if let Some((&start, rest)) = points.split_first() {
            canvas.path("pz-wave", start, &[('L', rest)]);
        }
    }

    /// Boxes with values.
    fn bus(&self, canvas: &mut Canvas, signal: &Signal, left: f64, base: f64) {
        let end = self.first + self.count;
        let mut from = self.first;
        while from < end {
            let value = signal.at(from);
            let to = (from..end).find(|&p| signal.at(p) != value).unwrap_or(end);
            let (a, b) = (left + self.x(from), left + self.x(to));
            let (top, middle, slope) = (base - LEVEL, base - LEVEL / 2.0, 3.0);
            canvas.polygon(
                "pz-bus",
                &[(a, middle), (a + slope, top), (b - slope, top), (b, middle), (b - slope, base), (a + slope, base)],
            );
            let room = ((b - a - 2.0 * slope - 4.0) / COLUMN) as usize;
            if room >= value.width().min(2) {
                canvas.text((a + slope + 3.0, base - 6.0), "pz-code pz-text", &short(value, room.min(VALUE)));
            }
            from = to;
        }
    }
}

/// Where a property fails on a sequence of states, and what is so there.
pub(super) fn place(wave: &Wave, story: &Story) -> (Option<(usize, usize)>, String) {
    let last = wave.positions - 1;
    let (mut place, mut note) = (None, String::new());
    for row in &story.rows {
        match row {
            Row::Start { note: Some(text) } => (place, note) = (Some((0, 0)), format!("✗ {text}")),
            Row::Event(event) => {
                if let (Some(number), Some(text)) = (event.number, &event.note) {
                    (place, note) = (Some((number, number)), format!("✗ {text}"));
                }
            }
            // From there on it waits, to the end.
            Row::End => place = Some((place.map_or(last, |(from, _)| from), last)),
            _ => {}
        }
    }
    (place, note)
}

/// States of a model as a waveform: only those that are shown have a place. Also where it goes round, and what is said behind.
pub(super) fn of_states(states: &States) -> (Wave, Option<(usize, usize)>, String) {
    let mut wave = Wave { signals: Vec::new(), positions: 0, first: 0, times: Some(Vec::new()) };
    let mut cycle = None;
    let mut last = String::new();
    for line in &states.lines {
        match line {
            Line::State { number, sets, cycle: is_in, .. } => {
                let at = wave.positions;
                for (name, value) in sets.iter().filter_map(|set| set.split_once(" = ")) {
                    let known = wave.signals.iter().position(|signal| signal.name == name);
                    let place = known.unwrap_or_else(|| {
                        wave.signals.push(Signal { name: name.to_owned(), changes: Vec::new() });
                        wave.signals.len() - 1
                    });
                    wave.signals[place].changes.push((at as u32, value.to_owned()));
                }
                if *is_in {
                    cycle = Some((cycle.map_or(at, |(from, _)| from), at));
                }
                // The time of the first one is its number anyway.
                wave.times.get_or_insert_default().push(number.to_string());
                wave.positions += 1;
            }
            Line::Gap { .. } => {}
            Line::Back { to, .. } => last = format!("↻ and again from state {to}"),
        }
    }
    if states.cycle.is_none() && !states.end.is_empty() {
        last = states.end.clone();
    }
    (wave, cycle, last)
}

fn is_high(value: &str) -> bool {
    matches!(value, "1" | "true" | "TRUE")
}

/// Whether it is only ever high or low.
fn is_bit(signal: &Signal) -> bool {
    signal.changes.iter().all(|(_, value)| matches!(value.as_str(), "0" | "1" | "true" | "false" | "TRUE" | "FALSE"))
}
