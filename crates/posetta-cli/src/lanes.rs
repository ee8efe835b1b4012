//! Lanes: a column for each process, time going down, with the order between processes drawn in.
//!
//! What is drawn is a list of rows, one event each, and links between them. A link leaves its upper event sideways, goes down
//! in a channel beside its lower event's lane, and arrives sideways. A row has one event, so only its own links can meet on its
//! line. Those on one side of it that look alike share the line, as a fork or a join; the others have lines of their own below.
//!
//! The canvas is a grid of [`Cell`]s. A cell remembers in which directions lines leave it, and becomes a character at the end: so
//! crossings, forks and corners come by themselves. Start at [`Lanes::new`].

use unicode_width::UnicodeWidthStr;

use crate::paint::{Paint, short};

/// More columns than this leave no room for what the events are.
const WIDEST: usize = 48;
/// The longest name of a lane.
const NAME: usize = 32;

/// What stands on one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// An event in a lane. One that has not happened is hollow.
    Event { lane: usize, happened: bool },
    /// Something is left out.
    Gap,
    /// A cut: what is above has happened, what is below has not.
    Cut,
    /// Nothing happens.
    Nothing,
}

/// An order between the events of two rows, in different lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The row of the event that would come first.
    pub from: usize,
    pub to: usize,
    /// It is not there: drawn dashed, and perhaps upwards.
    pub missing: bool,
}

impl Link {
    fn rows(self) -> (usize, usize) {
        (self.from.min(self.to), self.from.max(self.to))
    }
}

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

/// A drawing: for each row its lines, the one with the event first.
#[derive(Clone, Debug)]
pub struct Lanes {
    names: Vec<String>,
    /// The column of each lane.
    columns: Vec<usize>,
    canvas: Vec<Vec<Cell>>,
    /// The first line of each row, and the end.
    starts: Vec<usize>,
}

impl PartialEq for Lanes {
    fn eq(&self, other: &Self) -> bool {
        self.plain() == other.plain()
    }
}

impl Eq for Lanes {}

/// An end of a link.
#[derive(Clone, Copy, Debug)]
struct End {
    row: usize,
    lane: usize,
    /// On which side of its lane the link goes.
    is_right: bool,
    /// What it shares its line with.
    look: Look,
}

/// Links that look alike where they meet an event. They are served in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Look {
    Arrives,
    Leaves,
    MissingArrives,
    MissingLeaves,
}

impl Lanes {
    /// `None` if there is only one lane, or too many to be drawn beside anything else.
    pub fn new(names: &[String], rows: &[Stop], links: &[Link]) -> Option<Self> {
        if names.len() < 2 {
            return None;
        }
        let lane = |row: usize| match rows.get(row) {
            Some(Stop::Event { lane, .. }) => Some(*lane),
            _ => None,
        };
        // Ends, the upper one first; a link inside of a lane has nothing to draw.
        let ends: Vec<(Link, [End; 2])> = links
            .iter()
            .filter_map(|&link| {
                let (upper, lower) = link.rows();
                let (a, b) = (lane(upper)?, lane(lower)?);
                let end = |row: usize, lane: usize, is_right: bool| {
                    let look = match (link.missing, row == link.to) {
                        (false, true) => Look::Arrives,
                        (false, false) => Look::Leaves,
                        (true, true) => Look::MissingArrives,
                        (true, false) => Look::MissingLeaves,
                    };
                    End { row, lane, is_right, look }
                };
                (a != b).then(|| (link, [end(upper, a, a < b), end(lower, b, b < a)]))
            })
            .collect();
        let looks = |row: usize, is_right: bool| {
            let here = ends.iter().flat_map(|(_, both)| both).filter(|e| e.row == row && e.is_right == is_right);
            let mut looks: Vec<Look> = here.map(|e| e.look).collect();
            looks.sort_unstable();
            looks.dedup();
            looks
        };
        let mut starts = vec![0];
        for row in 0..rows.len() {
            let lines = looks(row, false).len().max(looks(row, true).len()).max(1);
            starts.push(starts[row] + lines);
        }
        let line_of = |end: &End| {
            let place = looks(end.row, end.is_right).iter().position(|l| *l == end.look).unwrap_or(0);
            starts[end.row] + place
        };
        let spans: Vec<Span> = ends
            .iter()
            .map(|(_, [upper, lower])| Span {
                top: line_of(upper),
                bottom: line_of(lower),
                gutter: if upper.lane < lower.lane { lower.lane - 1 } else { lower.lane },
            })
            .collect();
        let (channels, used) = channels(&spans, names.len() - 1);
        // A gutter has a column beside each of its two lanes, and its channels, with room between them.
        let mut columns = vec![0];
        for channels in used {
            let last = columns[columns.len() - 1];
            columns.push(last + 1 + (2 * channels + 1).max(3));
        }
        let width = columns[columns.len() - 1] + 1;
        if width > WIDEST {
            return None;
        }
        let height = starts[rows.len()];
        let names = names.iter().map(|name| short(name, NAME)).collect();
        let mut lanes = Self { names, columns, canvas: vec![vec![Cell::default(); width]; height], starts };
        for line in 0..height {
            for x in lanes.columns.clone() {
                lanes.canvas[line][x].ways = UP | DOWN;
            }
        }
        for ((link, [upper, lower]), (span, channel)) in ends.iter().zip(spans.iter().zip(channels)) {
            let x = lanes.columns[span.gutter] + 2 + 2 * channel;
            for line in span.top..span.bottom {
                lanes.draw(line, x, DOWN, link.missing);
                lanes.draw(line + 1, x, UP, link.missing);
            }
            lanes.reach(upper, span.top, x, *link);
            lanes.reach(lower, span.bottom, x, *link);
        }
        lanes.mark(rows);
        Some(lanes)
    }

    /// The stretch between an event, or its lane, and a channel; with its arrowhead, if the link points there.
    fn reach(&mut self, end: &End, line: usize, channel: usize, link: Link) {
        let from = self.columns[end.lane];
        let (first, last) = (from.min(channel), from.max(channel));
        for x in first..last {
            self.draw(line, x, RIGHT, link.missing);
            self.draw(line, x + 1, LEFT, link.missing);
        }
        if end.row == link.to {
            let (x, sign) = match (end.is_right, link.missing) {
                (true, false) => (from + 1, '◄'),
                (true, true) => (from + 1, '◁'),
                (false, false) => (from - 1, '►'),
                (false, true) => (from - 1, '▷'),
            };
            self.canvas[line][x].sign = Some(sign);
            // An arrow ends before its lane.
            self.canvas[line][from].ways &= !(if end.is_right { RIGHT } else { LEFT });
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
    fn mark(&mut self, rows: &[Stop]) {
        for (row, stop) in rows.iter().enumerate() {
            let line = self.starts[row];
            match *stop {
                Stop::Event { lane, happened } => {
                    let x = self.columns[lane];
                    let cell = &mut self.canvas[line][x];
                    cell.sign = Some(if happened { '●' } else { '○' });
                    cell.ink = if happened { Ink::Plain } else { Ink::Faint };
                }
                Stop::Gap => {
                    for lane in 0..self.columns.len() {
                        let x = self.columns[lane];
                        self.canvas[line][x].sign = Some('⋮');
                    }
                }
                Stop::Cut => {
                    for cell in &mut self.canvas[line] {
                        cell.sign = Some(if cell.ways == 0 { '═' } else { '╪' });
                        cell.ink = Ink::Plain;
                    }
                }
                Stop::Nothing => {}
            }
        }
    }

    /// The names of the lanes, a line each unless they fit beside one another.
    pub fn head(&self) -> Vec<String> {
        let fits =
            |i: usize| self.columns.get(i + 1).is_none_or(|next| self.columns[i] + self.names[i].width() < *next);
        if (0..self.names.len()).all(fits) {
            let mut line = String::new();
            for (x, name) in self.columns.iter().zip(&self.names) {
                line.push_str(&" ".repeat(x - line.width()));
                line.push_str(name);
            }
            return vec![line];
        }
        let line = |lane: usize| {
            let mut line = String::new();
            for x in &self.columns[..lane] {
                line.push_str(&" ".repeat(x - line.width()));
                line.push('│');
            }
            line.push_str(&" ".repeat(self.columns[lane] - line.width()));
            line + &self.names[lane]
        };
        (0..self.names.len()).map(line).collect()
    }

    /// How many columns it takes.
    pub fn width(&self) -> usize {
        self.columns.last().map_or(0, |x| x + 1)
    }

    /// The lines of a row, all of the drawing's width: first the one with the event.
    pub fn row(&self, row: usize, paint: Paint) -> Vec<String> {
        self.canvas[self.starts[row]..self.starts[row + 1]].iter().map(|line| painted(line, paint)).collect()
    }

    /// What goes on below a row: a line to write something else behind.
    pub fn below(&self, row: usize, paint: Paint) -> String {
        let last = self.canvas[self.starts[row + 1] - 1].iter();
        let goes_on = |cell: &Cell| match cell.ways & DOWN {
            0 => Cell::default(),
            _ => Cell { ways: UP | DOWN, sign: None, ink: if cell.dashed { cell.ink } else { Ink::Faint }, ..*cell },
        };
        painted(&last.map(goes_on).collect::<Vec<_>>(), paint)
    }

    fn plain(&self) -> Vec<String> {
        self.head().into_iter().chain(self.canvas.iter().map(|line| painted(line, Paint::plain()))).collect()
    }
}

fn painted(line: &[Cell], paint: Paint) -> String {
    let mut out = String::new();
    for cells in line.chunk_by(|a, b| a.ink == b.ink) {
        let text: String = cells.iter().map(|cell| cell.character()).collect();
        out.push_str(&match cells[0].ink {
            Ink::Faint => paint.dim(&text),
            Ink::Plain => text,
            Ink::Missing => paint.yellow(&text),
        });
    }
    out
}

/// The lines of a link from top to bottom, and the gutter that it goes down in.
#[derive(Clone, Copy, Debug)]
struct Span {
    top: usize,
    bottom: usize,
    gutter: usize,
}

/// A channel for each span, such that no two in one channel meet, and how many each gutter then has. The first free one, from
/// the top: as few as possible, because spans are intervals.
fn channels(spans: &[Span], gutters: usize) -> (Vec<usize>, Vec<usize>) {
    let mut free_after: Vec<Vec<usize>> = vec![Vec::new(); gutters];
    let mut by_top: Vec<usize> = (0..spans.len()).collect();
    by_top.sort_by_key(|&i| (spans[i].top, spans[i].bottom));
    let mut channels = vec![0; spans.len()];
    for i in by_top {
        let span = spans[i];
        let ends = &mut free_after[span.gutter];
        let channel = ends.iter().position(|&end| end < span.top).unwrap_or(ends.len());
        if channel == ends.len() {
            ends.push(0);
        }
        ends[channel] = span.bottom;
        channels[i] = channel;
    }
    (channels, free_after.iter().map(Vec::len).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws rows given by their lanes (`-` a gap, `=` a cut, `.` nothing, a capital has not happened) and links `i>j`, missing
    /// ones `i~j`.
    fn drawn(lanes: &str, rows: &str, links: &str) -> String {
        let names: Vec<String> = lanes.split_whitespace().map(str::to_owned).collect();
        let stop = |c: char| match c {
            '-' => Stop::Gap,
            '=' => Stop::Cut,
            '.' => Stop::Nothing,
            c if c.is_ascii_digit() => Stop::Event { lane: c as usize - '0' as usize, happened: true },
            c => Stop::Event { lane: c as usize - 'A' as usize, happened: false },
        };
        let link = |text: &str| {
            let missing = text.contains('~');
            let (from, to) = text.split_once(['>', '~']).unwrap();
            Link { from: from.parse().unwrap(), to: to.parse().unwrap(), missing }
        };
        let rows: Vec<Stop> = rows.chars().map(stop).collect();
        let links: Vec<Link> = links.split_whitespace().map(link).collect();
        let lanes = Lanes::new(&names, &rows, &links).expect("it fits");
        lanes.plain().iter().map(|line| format!("{}\n", line.trim_end())).collect()
    }

    fn check(lanes: &str, rows: &str, links: &str, expected: &[&str]) {
        let expected: String = expected.iter().map(|line| format!("{line}\n")).collect();
        let drawn = drawn(lanes, rows, links);
        assert_eq!(drawn, expected, "\n{drawn}");
    }

    #[test]
    fn messages_go_beside_the_lanes() {
        check("A B", "010", "0>1 1>2", &["A   B", "●─┐ │", "│ └►●", "│ ┌─┤", "●◄┘ │"]);
        check("A B", "0101", "0>1 1>2", &["A   B", "●─┐ │", "│ └►●", "│ ┌─┤", "●◄┘ │", "│   ●"]);
        check(
            "A B C",
            "0121",
            "0>1 0>2 2>3",
            &["A   B   C", "●─┬─┼─┐ │", "│ └►● │ │", "│   │ └►●", "│   │ ┌─┤", "│   ●◄┘ │"],
        );
        check("A B C", "2010", "0>1 0>2 2>3", &["A   B   C", "│ ┌─┼─┬─●", "●◄┘ │ │ │", "│ ┌─●◄┘ │", "●◄┘ │   │"]);
    }

    #[test]
    fn what_is_missing_is_dashed_and_may_go_up() {
        check("A B", "01", "1~0", &["A   B", "●◁╮ │", "│ ╰╌●"]);
        check("A B C", "0122", "0>2 3~1", &["A   B     C", "●───┼─┐   │", "│   ●◁┼╌╮ │", "│   │ └─┼►●", "│   │   ╰╌●"]);
    }

    #[test]
    fn gaps_and_cuts() {
        check(
            "A B",
            ".0-1=AB-",
            "1>3 1>6",
            &["A     B", "│     │", "●─┬─┐ │", "⋮ │ │ ⋮", "│ └─┼►●", "╪═══╪═╪", "○   │ │", "│   └►○", "⋮     ⋮"],
        );
    }

    #[test]
    fn names_that_are_long_have_lines_of_their_own() {
        check("reader B C", "012", "", &["reader", "│   B", "│   │   C", "●   │   │", "│   ●   │", "│   │   ●"]);
    }

    #[test]
    fn one_lane_or_too_many_are_not_drawn() {
        let names = |n: usize| (0..n).map(|i| format!("P{i}")).collect::<Vec<_>>();
        assert!(Lanes::new(&names(1), &[], &[]).is_none());
        assert!(Lanes::new(&names(12), &[], &[]).is_some());
        assert!(Lanes::new(&names(13), &[], &[]).is_none());
    }
}
