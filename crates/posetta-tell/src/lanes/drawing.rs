//! A picture of lanes in characters.
//!
//! The canvas is a grid of [`Cell`]s. A cell remembers in which directions lines leave it, and becomes a character at the end: so
//! crossings, forks and corners come by themselves.

use unicode_width::UnicodeWidthStr;

use super::{Arrow, Layout, Stop};
use crate::paint::Paint;

/// How a cell is painted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ink {
    #[default]
    Faint,
    Plain,
    Missing,
}

const UP: u8 = 1;
const RIGHT: u8 = 2;
const DOWN: u8 = 4;
const LEFT: u8 = 8;

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    /// The directions in which lines leave it.
    ways: u8,
    dashed: bool,
    /// What is drawn instead of lines.
    sign: Option<char>,
    ink: Ink,
}

impl Cell {
    fn character(self) -> char {
        if let Some(sign) = self.sign {
            return sign;
        }
        let (solid, dashed) = match self.ways {
            0 => (' ', ' '),
            ways if ways & (LEFT | RIGHT) == 0 => ('│', '╎'),
            ways if ways & (UP | DOWN) == 0 => ('─', '╌'),
            6 => ('┌', '╭'),
            12 => ('┐', '╮'),
            3 => ('└', '╰'),
            9 => ('┘', '╯'),
            7 => ('├', '├'),
            13 => ('┤', '┤'),
            14 => ('┬', '┬'),
            11 => ('┴', '┴'),
            _ => ('┼', '┼'),
        };
        if self.dashed { dashed } else { solid }
    }
}

/// A picture: for each row its lines, the one with the event first.
pub struct Drawing<'a> {
    layout: &'a Layout,
    canvas: Vec<Vec<Cell>>,
}

impl<'a> Drawing<'a> {
    /// Draws a layout.
    #[must_use]
    pub fn new(layout: &'a Layout) -> Self {
        let canvas = vec![vec![Cell::default(); layout.width()]; layout.height()];
        let mut drawing = Self { layout, canvas };
        for line in &mut drawing.canvas {
            for lane in &layout.lanes {
                line[lane.column].ways = UP | DOWN;
            }
        }
        layout.arrows.iter().for_each(|arrow| drawing.link(arrow));
        drawing.mark();
        drawing
    }

    fn link(&mut self, arrow: &Arrow) {
        let missing = arrow.link.missing;
        let (top, bottom) =
            if arrow.begin.1 <= arrow.end.1 { (arrow.begin, arrow.end) } else { (arrow.end, arrow.begin) };
        for line in top.1..bottom.1 {
            self.draw(line, arrow.channel, DOWN, missing);
            self.draw(line + 1, arrow.channel, UP, missing);
        }
        self.reach(top, arrow);
        self.reach(bottom, arrow);
    }

    /// The stretch between an event, or its lane, and a channel; with its arrowhead, if the link points there.
    fn reach(&mut self, (from, line): (usize, usize), arrow: &Arrow) {
        let (first, last) = (from.min(arrow.channel), from.max(arrow.channel));
        for x in first..last {
            self.draw(line, x, RIGHT, arrow.link.missing);
            self.draw(line, x + 1, LEFT, arrow.link.missing);
        }
        if (from, line) == arrow.end {
            let is_right = arrow.channel > from;
            let (x, sign) = match (is_right, arrow.link.missing) {
                (true, false) => (from + 1, '◄'),
                (true, true) => (from + 1, '◁'),
                (false, false) => (from - 1, '►'),
                (false, true) => (from - 1, '▷'),
            };
            self.canvas[line][x].sign = Some(sign);
            // An arrow ends before its lane.
            self.canvas[line][from].ways &= !(if is_right { RIGHT } else { LEFT });
        }
    }

    fn draw(&mut self, line: usize, x: usize, way: u8, missing: bool) {
        let cell = &mut self.canvas[line][x];
        // Where lines cross, the line that was there keeps its look.
        if cell.ways == 0 {
            cell.dashed = missing;
            cell.ink = if missing { Ink::Missing } else { Ink::Plain };
        }
        cell.ways |= way;
    }

    /// Events, gaps and cuts, over the lines.
    fn mark(&mut self) {
        let layout = self.layout;
        for (row, stop) in layout.rows.iter().enumerate() {
            let line = &mut self.canvas[layout.lines[row]];
            match stop {
                Stop::Event(spot) => {
                    let cell = &mut line[layout.lanes[spot.lane].column];
                    cell.sign = Some(if spot.happened { '●' } else { '○' });
                    cell.ink = if spot.happened { Ink::Plain } else { Ink::Faint };
                }
                Stop::Gap => layout.lanes.iter().for_each(|lane| line[lane.column].sign = Some('⋮')),
                Stop::Cut => {
                    for cell in line {
                        cell.sign = Some(if cell.ways == 0 { '═' } else { '╪' });
                        cell.ink = Ink::Plain;
                    }
                }
                Stop::Nothing => {}
            }
        }
    }

    /// The names of the lanes, a line each unless they fit beside one another.
    #[must_use]
    pub fn head(&self, paint: Paint) -> Vec<String> {
        let lanes = &self.layout.lanes;
        let fits = |i: usize| lanes.get(i + 1).is_none_or(|next| lanes[i].column + lanes[i].name.width() < next.column);
        let to = |line: &mut String, column: usize| line.push_str(&" ".repeat(column - line.width()));
        if (0..lanes.len()).all(fits) {
            let mut line = String::new();
            for lane in lanes {
                to(&mut line, lane.column);
                line.push_str(&lane.name);
            }
            return vec![line];
        }
        let line = |i: usize| {
            let mut line = String::new();
            for lane in &lanes[..i] {
                to(&mut line, lane.column);
                line.push(paint.sign('│'));
            }
            to(&mut line, lanes[i].column);
            line + &lanes[i].name
        };
        (0..lanes.len()).map(line).collect()
    }

    /// The lines of a row, all of the picture's width: first the one with the event.
    #[must_use]
    pub fn row(&self, row: usize, paint: Paint) -> Vec<String> {
        let lines = &self.layout.lines;
        self.canvas[lines[row]..lines[row + 1]].iter().map(|line| painted(line, paint)).collect()
    }

    /// What goes on below a row: a line to write something else behind.
    #[must_use]
    pub fn below(&self, row: usize, paint: Paint) -> String {
        let last = self.canvas[self.layout.lines[row + 1] - 1].iter();
        let goes_on = |cell: &Cell| match cell.ways & DOWN {
            0 => Cell::default(),
            _ => Cell { ways: UP | DOWN, sign: None, ink: if cell.dashed { cell.ink } else { Ink::Faint }, ..*cell },
        };
        painted(&last.map(goes_on).collect::<Vec<_>>(), paint)
    }

    /// All lines, the names first.
    #[must_use]
    pub fn whole(&self, paint: Paint) -> Vec<String> {
        self.head(paint).into_iter().chain(self.canvas.iter().map(|line| painted(line, paint))).collect()
    }
}

fn painted(line: &[Cell], paint: Paint) -> String {
    let mut out = String::new();
    for cells in line.chunk_by(|a, b| a.ink == b.ink) {
        let text: String = cells.iter().map(|cell| paint.sign(cell.character())).collect();
        out.push_str(&match cells[0].ink {
            Ink::Faint => paint.dim(&text),
            Ink::Plain => text,
            Ink::Missing => paint.yellow(&text),
        });
    }
    out
}
