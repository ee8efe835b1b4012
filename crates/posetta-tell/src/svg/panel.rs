//! An order as a space-time diagram: a lane for each process, time going down, and beside each event what it does.

use unicode_width::UnicodeWidthStr;

use super::canvas::{COLUMN, Canvas, LINE, Point, width};
use crate::amounts::{counted, grouped};
use crate::lanes::{Layout, Stop};
use crate::page::broken;
use crate::paint::short;
use crate::story::{EventRow, Moved, Row, Story};
use crate::word::Word;

/// The least height of a row, and where in it the dot of its event is.
const ROW: f64 = 27.0;
const DOT: f64 = 14.0;
const RADIUS: f64 = 5.5;
/// What stands left of the lanes: signs, and then numbers that end there.
const SIGNS: f64 = 20.0;
const NUMBERS: f64 = 36.0;
/// The most lines that the attributes of an event take.
const ABOUT: usize = 2;
/// The longest note.
const NOTE: usize = 200;

/// How a text looks.
type Class = &'static str;

/// A line of text beside an event, in pieces: columns from the left, looks, text.
type Line = Vec<(usize, Class, String)>;

/// A row with its place.
struct Measured {
    top: f64,
    height: f64,
    lines: Vec<Line>,
}

/// An order, measured.
pub(super) struct Panel<'a> {
    story: &'a Story,
    /// What it shows: for what holds marks are of another look.
    word: Word,
    /// Where the numbers end.
    numbers: f64,
    lanes: Vec<f64>,
    heads: Vec<Head>,
    head_height: f64,
    rows: Vec<Measured>,
    /// Where the text beside the lanes begins.
    text: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// The name of a lane: its line from below, where it begins, and its text.
struct Head {
    line: usize,
    left: f64,
    text: String,
    full: String,
}

/// What is left out of an order, or said about it, in words.
fn aside(row: &Row) -> Option<String> {
    Some(match row {
        Row::Gap { events, moved } => {
            let moved = if *moved > 0 { format!(", {} of them moved", grouped(*moved as u64)) } else { String::new() };
            format!("… {}{moved}", counted(*events as u64, "event", "events"))
        }
        Row::Rest { events } => format!("… {}", counted(*events as u64, "event follows", "events follow")),
        Row::Ahead { events } => {
            format!("… {}", counted(*events as u64, "more event has not happened", "more events have not happened"))
        }
        _ => return None,
    })
}

impl<'a> Panel<'a> {
    /// Lays out an order with so many columns of text beside the lanes.
    pub(super) fn new(story: &'a Story, word: Word, columns: usize) -> Self {
        let names: Vec<&str> = story.lanes.iter().flat_map(|l| &l.lanes).map(|lane| lane.name.as_str()).collect();
        let count = names.len().max(1);
        // Neighbours stand beside each other if there is room, else their names have lines of their own.
        let most: f64 = match count {
            0..=3 => 104.0,
            4..=5 => 84.0,
            6..=8 => 64.0,
            _ => 52.0,
        };
        let gap =
            names.windows(2).map(|pair| (width(pair[0]) + width(pair[1])) / 2.0 + 10.0).fold(46.0, f64::max).min(most);
        // Half of a name ends before the next lane, so that no name stands on a lane of others.
        let longest = (2.0 * (gap - 6.0) / COLUMN) as usize;
        let numbers = story.rows.iter().map(|row| match row {
            Row::Event(EventRow { number: Some(number), .. }) => SIGNS + width(&grouped(*number as u64)),
            _ => 0.0,
        });
        let numbers = numbers.fold(NUMBERS, f64::max);
        let first = names.first().map_or(0.0, |name| width(&short(name, longest)) / 2.0).max(numbers + 18.0);
        let lanes: Vec<f64> = (0..count).map(|i| first + gap * i as f64).collect();
        let text = lanes[count - 1] + 24.0;
        let mut rows: Vec<Measured> = Vec::new();
        let mut top = 0.0;
        for row in &story.rows {
            let lines = lines_of(row, word, columns);
            let height = (lines.len() as f64 * LINE + 10.0).max(ROW);
            rows.push(Measured { top, height, lines });
            top += height;
        }
        let line_width = |line: &Line| line.last().map_or(0.0, |(at, _, text)| (at + text.width()) as f64 * COLUMN);
        let widest = rows.iter().flat_map(|row| &row.lines).map(line_width).fold(0.0, f64::max);
        let width = text + widest + 10.0;
        let heads = heads(&names, &lanes, longest, width);
        let head_height = heads.iter().map(|head| head.line + 1).max().unwrap_or(0) as f64 * LINE + 6.0;
        Self { story, word, numbers, lanes, heads, head_height, rows, text, width, height: head_height + top }
    }

    /// Where the row of an event is, from the top of the panel, by its label.
    fn row_of(&self, label: &str) -> Option<usize> {
        self.story.rows.iter().position(|row| matches!(row, Row::Event(event) if event.label == label))
    }

    fn y(&self, row: usize) -> f64 {
        self.head_height + self.rows[row].top + DOT
    }

    /// The lane of a row's event. Without lanes all events are on one.
    fn lane(&self, row: usize) -> usize {
        match self.story.lanes.as_ref().map(|lanes| &lanes.rows[row]) {
            Some(Stop::Event(spot)) => spot.lane,
            _ => 0,
        }
    }

    fn events(&self) -> impl Iterator<Item = (usize, &EventRow)> {
        self.story.rows.iter().enumerate().filter_map(|(i, row)| match row {
            Row::Event(event) => Some((i, event)),
            _ => None,
        })
    }

    /// Draws it with its upper left corner there.
    pub(super) fn draw(&self, canvas: &mut Canvas, (left, top): Point) {
        let at = |x: f64, y: f64| (left + x, top + y);
        self.bands(canvas, (left, top));
        self.draw_lanes(canvas, (left, top));
        if let Some(layout) = &self.story.lanes {
            self.arrows(canvas, layout, (left, top));
        }
        for (row, event) in self.events() {
            self.event(canvas, row, event, (left, top));
        }
        for (row, place) in self.story.rows.iter().zip(&self.rows) {
            if let Row::Cut { .. } = row {
                let y = self.head_height + place.top + DOT;
                let class = if self.word == Word::Holds { "pz-cut-good" } else { "pz-cut" };
                canvas.line(class, at(self.lanes[0] - 22.0, y), at(self.text - 6.0, y));
            }
        }
        for place in &self.rows {
            for (i, line) in place.lines.iter().enumerate() {
                let y = self.head_height + place.top + DOT + 4.0 + i as f64 * LINE;
                for (column, class, text) in line {
                    canvas.text(at(self.text + *column as f64 * COLUMN, y), class, text);
                }
            }
        }
    }

    /// Bands behind rows that stand out.
    fn bands(&self, canvas: &mut Canvas, (left, top): Point) {
        for (i, row) in self.story.rows.iter().enumerate() {
            let class = match row {
                Row::Event(EventRow { moved: Some(Moved::Swapped), .. }) => "pz-swap",
                Row::Event(EventRow { note: Some(_), .. }) if self.word != Word::Holds => "pz-fail",
                Row::End => "pz-fail",
                _ => continue,
            };
            let place = &self.rows[i];
            let y = top + self.head_height + place.top;
            canvas.rect(class, (left, y + 1.0), (self.width, place.height - 2.0), 5.0);
        }
    }

    fn draw_lanes(&self, canvas: &mut Canvas, (left, top): Point) {
        for (i, &x) in self.lanes.iter().enumerate() {
            let x = left + x;
            let mut from = top + self.head_height - 4.0;
            if let Some(head) = self.heads.get(i) {
                let y = top + self.head_height - 10.0 - head.line as f64 * LINE;
                canvas.group(&head.full, |canvas| {
                    canvas.text((left + head.left, y), lane_text(i), &head.text);
                });
                from = y + 5.0;
            }
            // Where something is left out, the lane is dotted.
            for (row, place) in self.story.rows.iter().zip(&self.rows) {
                let begin = top + self.head_height + place.top;
                if aside(row).is_some() {
                    canvas.line("pz-lane", (x, from), (x, begin));
                    from = begin + place.height;
                    canvas.line("pz-gap", (x, begin + 3.0), (x, from - 1.0));
                }
            }
            let end = top + self.height;
            if from < end {
                canvas.line("pz-lane", (x, from), (x, end));
            }
        }
    }

    fn arrows(&self, canvas: &mut Canvas, layout: &Layout, (left, top): Point) {
        let spot = |row: usize| (left + self.lanes[self.lane(row)], top + self.y(row));
        for arrow in &layout.arrows {
            let link = &arrow.link;
            let (a, b) = (spot(link.from), spot(link.to));
            let label = |row: usize| match &self.story.rows[row] {
                Row::Event(event) => short(&event.label, NOTE),
                _ => String::new(),
            };
            let said = match (&link.reason, link.missing) {
                (_, true) => "missing: nothing orders these two".to_owned(),
                (Some(reason), _) => format!("{} before {}: {reason}", label(link.from), label(link.to)),
                (None, _) => format!("{} before {}", label(link.from), label(link.to)),
            };
            let others = self.events().map(|(row, _)| spot(row)).filter(|p| *p != a && *p != b);
            let bend = bend(a, b, others, link.missing);
            let (line, tip) = match (link.missing, link.assumed) {
                (true, _) => ("pz-missing", "pz-missing-tip"),
                (false, true) => ("pz-assumed", "pz-tip"),
                (false, false) => ("pz-edge", "pz-tip"),
            };
            canvas.group(&said, |canvas| {
                let (start, end) = (towards(a, bend, RADIUS + 2.0), towards(b, bend, RADIUS + 3.0));
                canvas.path(line, start, &[('Q', &[bend, towards(b, bend, RADIUS + 9.0)])]);
                canvas.head(tip, bend, end);
            });
        }
    }

    fn event(&self, canvas: &mut Canvas, row: usize, event: &EventRow, (left, top): Point) {
        let (x, y) = (left + self.lanes[self.lane(row)], top + self.y(row));
        let said = [&event.label, &event.name, &event.sets, &event.line];
        let said: Vec<String> = said.iter().filter(|s| !s.is_empty()).map(|s| short(s, NOTE)).collect();
        canvas.group(&said.join("  "), |canvas| {
            let lane = LANES[self.lane(row) % LANES.len()];
            match event.number {
                Some(number) => {
                    canvas.circle(&format!("{lane} pz-dot"), (x, y), RADIUS);
                    let number = grouped(number as u64);
                    canvas.text((left + self.numbers - width(&number), y + 4.0), "pz-code pz-dim", &number);
                }
                None => canvas.circle(&format!("{lane} pz-hollow"), (x, y), RADIUS),
            }
            if event.note.is_some() && self.word != Word::Holds {
                canvas.circle("pz-ring", (x, y), RADIUS + 4.0);
            }
            let sign = match event.moved {
                Some(Moved::Swapped) => "⇅",
                Some(Moved::Earlier) => "↑",
                Some(Moved::Later) => "↓",
                None => return,
            };
            canvas.text((left + 3.0, y + 4.5), "pz-text pz-bold", sign);
        });
    }
}

/// Lines from events of one panel to the same events of another, if they moved.
pub(super) fn connect(canvas: &mut Canvas, a: (&Panel<'_>, Point), b: (&Panel<'_>, Point)) {
    for (row, event) in b.0.events() {
        let class = match event.moved {
            Some(Moved::Swapped) => "pz-link",
            Some(_) => "pz-move",
            None => continue,
        };
        let Some(other) = a.0.row_of(&event.label) else { continue };
        let from = (a.1.0 + a.0.width + 2.0, a.1.1 + a.0.y(other));
        let to = (b.1.0 - 2.0, b.1.1 + b.0.y(row));
        let middle = (from.0 + to.0) / 2.0;
        canvas.path(class, from, &[('C', &[(middle, from.1), (middle, to.1), to])]);
    }
}

/// The colours of lanes.
const LANES: [Class; 6] = ["pz-0", "pz-1", "pz-2", "pz-3", "pz-4", "pz-5"];

fn lane_text(lane: usize) -> Class {
    const TEXTS: [Class; 6] = [
        "pz-code pz-bold pz-l0",
        "pz-code pz-bold pz-l1",
        "pz-code pz-bold pz-l2",
        "pz-code pz-bold pz-l3",
        "pz-code pz-bold pz-l4",
        "pz-code pz-bold pz-l5",
    ];
    TEXTS[lane % TEXTS.len()]
}

/// A point on the way from `a` to `b`, so many pixels from `a`.
fn towards(a: Point, b: Point, pixels: f64) -> Point {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let part = pixels / dx.hypot(dy).max(0.001);
    (a.0 + dx * part, a.1 + dy * part)
}

/// Where the way from `a` to `b` bends: in the middle, unless it would run over others. What is missing always bends, so that it does
/// not run over an edge.
fn bend(a: Point, b: Point, mut others: impl Iterator<Item = Point>, bends: bool) -> Point {
    let middle = ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0);
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let long = dx.hypot(dy).max(0.001);
    let is_near = |p: Point| {
        let along = ((p.0 - a.0) * dx + (p.1 - a.1) * dy) / long;
        let aside = ((p.0 - a.0) * dy - (p.1 - a.1) * dx).abs() / long;
        (0.0..=long).contains(&along) && aside < RADIUS + 5.0
    };
    if !bends && !others.any(is_near) {
        return middle;
    }
    // To the side that is higher up for a line to the right.
    let side = if bends { 16.0 } else { 26.0 };
    (middle.0 + side * dy / long * dx.signum(), middle.1 - side * dx.abs() / long)
}

/// Places the names above the lanes, each as low as it can be without touching another one.
fn heads(names: &[&str], lanes: &[f64], longest: usize, room: f64) -> Vec<Head> {
    let mut ends: Vec<f64> = Vec::new();
    names
        .iter()
        .zip(lanes)
        .map(|(name, x)| {
            let text = short(name, longest);
            let own = width(&text);
            let left = (x - own / 2.0).min(room - own).max(0.0);
            let free = ends.iter().position(|&end| end + 8.0 <= left);
            let line = free.unwrap_or(ends.len());
            match free {
                Some(line) => ends[line] = left + own,
                None => ends.push(left + own),
            }
            Head { line, left, text, full: (*name).to_owned() }
        })
        .collect()
}

/// The text beside a row.
fn lines_of(row: &Row, word: Word, columns: usize) -> Vec<Line> {
    let (mark, tone): (&str, Class) = match word {
        Word::Holds => ("✓", "pz-code pz-good"),
        _ => ("✗", "pz-code pz-bad pz-bold"),
    };
    let noted = |text: &str| -> Vec<Line> {
        let lines = broken(&format!("{mark} {}", short(text, NOTE)), columns, 2);
        lines
            .into_iter()
            .map(|line| vec![(line.len() - line.trim_start().len(), tone, line.trim_start().to_owned())])
            .collect()
    };
    match row {
        Row::Event(event) => {
            let mut lines = event_lines(event, columns);
            lines.extend(event.note.iter().flat_map(|note| noted(note)));
            if !event.about.is_empty() {
                let mut about = broken(&short(&event.about, columns * ABOUT), columns, 0);
                if about.len() > ABOUT {
                    about.truncate(ABOUT);
                    about[ABOUT - 1] = format!("{}…", short(&about[ABOUT - 1], columns - 1));
                }
                lines.extend(about.into_iter().map(|line| vec![(0, "pz-code pz-dim", line)]));
            }
            lines
        }
        Row::Start { note } => {
            let mut lines = vec![vec![(0, "pz-code pz-dim", "start".to_owned())]];
            lines.extend(note.iter().flat_map(|note| noted(note)));
            lines
        }
        Row::End => vec![vec![(0, tone, format!("{mark} the run ends here"))]],
        Row::Cut { note } => noted(format!("here {note}").trim_end()),
        Row::Gap { .. } | Row::Rest { .. } | Row::Ahead { .. } => {
            vec![vec![(0, "pz-code pz-dim", aside(row).unwrap_or_default())]]
        }
    }
}

/// What an event is called, what it assigns, and where it is written.
fn event_lines(event: &EventRow, columns: usize) -> Vec<Line> {
    let name = if event.name.is_empty() { &event.label } else { &event.name };
    let tone = if event.number.is_some() { "pz-code pz-text" } else { "pz-code pz-dim" };
    let name_tone = if event.number.is_some() { "pz-code pz-text pz-bold" } else { "pz-code pz-dim" };
    let mut lines: Vec<Line> = vec![Vec::new()];
    let mut taken = 0;
    let parts = [(name_tone, name, true), (tone, &event.sets, true), ("pz-code pz-dim", &event.line, false)];
    for (class, text, is_needed) in parts {
        let text = short(text, columns);
        // Where there is no room, a pointer shows on which line it is written.
        if text.is_empty() || !is_needed && taken + 2 + text.width() > columns {
            continue;
        }
        if taken > 0 && taken + 2 + text.width() > columns {
            lines.push(Vec::new());
            taken = 0;
        }
        let at = if taken > 0 { taken + 2 } else { 0 };
        taken = at + text.width();
        if let Some(line) = lines.last_mut() {
            line.push((at, class, text));
        }
    }
    lines
}
