//! Lanes: a column for each process, time going down, with the order between processes as arrows.
//!
//! [`Layout`] is where everything stands, as data on a grid of columns and lines; [`Drawing`] is one picture of it, in characters.
//!
//! What is laid out is a list of rows, one event each, and links between them. An arrow leaves its upper event sideways, goes down
//! in a channel beside its lower event's lane, and arrives sideways. A row has one event, so only its own links can meet on its
//! line. Those on one side of it that look alike share the line, as a fork or a join; the others have lines of their own below.
//! Start at [`Layout::new`].

mod drawing;

use posetta_base::EventId;

pub use drawing::Drawing;

use crate::paint::short;
use crate::story::Moved;

/// The longest name of a lane.
const NAME: usize = 32;

/// An event in its lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Which event.
    pub event: EventId,
    /// What it is called.
    pub label: String,
    /// The lane of its process.
    pub lane: usize,
    /// One that has not happened is hollow.
    pub happened: bool,
    /// Whether it is not where it was recorded.
    pub moved: Option<Moved>,
    /// Something is to be said about it, such as that the property fails here.
    pub noted: bool,
}

/// What stands on one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// An event.
    Event(Spot),
    /// Something is left out.
    Gap,
    /// A cut: what is above has happened, what is below has not.
    Cut,
    /// Nothing happens.
    Nothing,
}

/// An order between the events of two rows, in different lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The row of the event that would come first.
    pub from: usize,
    /// The row of the other one.
    pub to: usize,
    /// It is not there: drawn dashed, and perhaps upwards.
    pub missing: bool,
    /// What it comes from, if somebody knows: a message, a lock.
    pub reason: Option<String>,
    /// It follows from an assumption rather than from a cause.
    pub assumed: bool,
}

/// A lane of the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The name of its process, short enough to be a heading.
    pub name: String,
    /// Where it is on the grid.
    pub column: usize,
}

/// A link with its way over the grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// Between which rows, and why.
    pub link: Link,
    /// The column in which it goes up or down.
    pub channel: usize,
    /// Column and line where it begins: on the lane of the first event.
    pub begin: (usize, usize),
    /// Column and line where it ends: on the lane of the second event.
    pub end: (usize, usize),
}

impl Arrow {
    /// Its corners as columns and lines, from the event that comes first.
    #[must_use]
    pub fn path(&self) -> [(usize, usize); 4] {
        [self.begin, (self.channel, self.begin.1), (self.channel, self.end.1), self.end]
    }
}

/// Where everything of a picture stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The lanes from left to right.
    pub lanes: Vec<Lane>,
    /// What stands on each row.
    pub rows: Vec<Stop>,
    /// The order between events of different lanes.
    pub arrows: Vec<Arrow>,
    /// The first line of each row, which is that of its event, and one past the last line of all.
    pub lines: Vec<usize>,
}

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

/// The two ends of a link, the upper one first; `None` if it has nothing to draw because it stays in its lane.
fn ends(rows: &[Stop], link: &Link) -> Option<[End; 2]> {
    let lane = |row: usize| match rows.get(row) {
        Some(Stop::Event(spot)) => Some(spot.lane),
        _ => None,
    };
    let (upper, lower) = (link.from.min(link.to), link.from.max(link.to));
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
    (a != b).then(|| [end(upper, a, a < b), end(lower, b, b < a)])
}

impl Layout {
    /// `None` if there is only one lane, or if it takes more than so many columns.
    #[must_use]
    pub fn new(names: &[String], rows: &[Stop], links: &[Link], most: usize) -> Option<Self> {
        if names.len() < 2 {
            return None;
        }
        let ends: Vec<(&Link, [End; 2])> = links.iter().filter_map(|link| Some((link, ends(rows, link)?))).collect();
        let looks = |row: usize, is_right: bool| {
            let here = ends.iter().flat_map(|(_, both)| both).filter(|e| e.row == row && e.is_right == is_right);
            let mut looks: Vec<Look> = here.map(|e| e.look).collect();
            looks.sort_unstable();
            looks.dedup();
            looks
        };
        let mut lines = vec![0];
        for row in 0..rows.len() {
            let own = looks(row, false).len().max(looks(row, true).len()).max(1);
            lines.push(lines[row] + own);
        }
        let line_of = |end: &End| {
            let place = looks(end.row, end.is_right).iter().position(|l| *l == end.look).unwrap_or(0);
            lines[end.row] + place
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
        if columns[columns.len() - 1] + 1 > most {
            return None;
        }
        let arrow = |((link, [upper, lower]), (span, channel)): (&(&Link, [End; 2]), (&Span, usize))| {
            let (top, bottom) = ((columns[upper.lane], span.top), (columns[lower.lane], span.bottom));
            let (begin, end) = if link.from < link.to { (top, bottom) } else { (bottom, top) };
            Arrow { link: (*link).clone(), channel: columns[span.gutter] + 2 + 2 * channel, begin, end }
        };
        let arrows = ends.iter().zip(spans.iter().zip(channels)).map(arrow).collect();
        let lane = |(name, &column): (&String, &usize)| Lane { name: short(name, NAME), column };
        let lanes = names.iter().zip(&columns).map(lane).collect();
        Some(Self { lanes, rows: rows.to_vec(), arrows, lines })
    }

    /// How many columns it takes.
    #[must_use]
    pub fn width(&self) -> usize {
        self.lanes.last().map_or(0, |lane| lane.column + 1)
    }

    /// How many lines it takes.
    #[must_use]
    pub fn height(&self) -> usize {
        self.lines.last().copied().unwrap_or(0)
    }

    /// The events with the row, the column and the line of each.
    pub fn spots(&self) -> impl Iterator<Item = (&Spot, usize, usize, usize)> {
        self.rows.iter().enumerate().filter_map(|(row, stop)| match stop {
            Stop::Event(spot) => Some((spot, row, self.lanes[spot.lane].column, self.lines[row])),
            Stop::Gap | Stop::Cut | Stop::Nothing => None,
        })
    }
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
    use crate::paint::Paint;

    /// Rows given by their lanes (`-` a gap, `=` a cut, `.` nothing, a capital has not happened) and links `i>j`, missing
    /// ones `i~j`.
    fn laid_out(lanes: &str, rows: &str, links: &str) -> Option<Layout> {
        let names: Vec<String> = lanes.split_whitespace().map(str::to_owned).collect();
        let spot = |row: usize, lane: usize, happened: bool| {
            let event = EventId::new(row).expect("few events");
            Stop::Event(Spot { event, label: format!("e{row}"), lane, happened, moved: None, noted: false })
        };
        let stop = |(row, c): (usize, char)| match c {
            '-' => Stop::Gap,
            '=' => Stop::Cut,
            '.' => Stop::Nothing,
            c if c.is_ascii_digit() => spot(row, c as usize - '0' as usize, true),
            c => spot(row, c as usize - 'A' as usize, false),
        };
        let link = |text: &str| {
            let missing = text.contains('~');
            let (from, to) = text.split_once(['>', '~']).unwrap();
            Link { from: from.parse().unwrap(), to: to.parse().unwrap(), missing, reason: None, assumed: false }
        };
        let rows: Vec<Stop> = rows.chars().enumerate().map(stop).collect();
        let links: Vec<Link> = links.split_whitespace().map(link).collect();
        Layout::new(&names, &rows, &links, 48)
    }

    fn check(lanes: &str, rows: &str, links: &str, expected: &[&str]) {
        let layout = laid_out(lanes, rows, links).expect("it fits");
        let drawn = Drawing::new(&layout).whole(Paint::plain());
        let drawn: Vec<&str> = drawn.iter().map(|line| line.trim_end()).collect();
        assert_eq!(drawn, expected, "\n{}", drawn.join("\n"));
        well_formed(&layout);
    }

    /// Everything is inside of the picture, every event is there once, and arrows lie where they are free to.
    fn well_formed(layout: &Layout) {
        let (width, height) = (layout.width(), layout.height());
        assert_eq!(layout.lines.len(), layout.rows.len() + 1);
        assert!(layout.lines.is_sorted_by(|a, b| a < b));
        assert!(layout.lanes.is_sorted_by(|a, b| a.column < b.column));
        let mut events: Vec<EventId> = layout.spots().map(|(spot, ..)| spot.event).collect();
        let count = events.len();
        events.sort_unstable();
        events.dedup();
        assert_eq!(events.len(), count, "an event twice");
        for (spot, row, column, line) in layout.spots() {
            assert!(column < width && line < height);
            assert_eq!((column, line), (layout.lanes[spot.lane].column, layout.lines[row]));
        }
        for arrow in &layout.arrows {
            assert!(arrow.path().iter().all(|&(x, y)| x < width && y < height), "{arrow:?}");
            assert!(layout.lanes.iter().all(|lane| lane.column != arrow.channel), "on a lane: {arrow:?}");
            // It begins and ends on the lines of its rows, on the lanes of its events.
            for (row, (x, y)) in [(arrow.link.from, arrow.begin), (arrow.link.to, arrow.end)] {
                let Stop::Event(spot) = &layout.rows[row] else { panic!("{arrow:?}") };
                assert_eq!(x, layout.lanes[spot.lane].column);
                assert!((layout.lines[row]..layout.lines[row + 1]).contains(&y));
            }
        }
        // Two that go down in one channel do not meet, unless they are one line there: a fork or a join.
        let span = |a: &Arrow| (a.begin.1.min(a.end.1), a.begin.1.max(a.end.1));
        for (i, a) in layout.arrows.iter().enumerate() {
            for b in layout.arrows[..i].iter().filter(|b| b.channel == a.channel) {
                let ((top, bottom), (other_top, other_bottom)) = (span(a), span(b));
                assert!(bottom < other_top || other_bottom < top, "{a:?} {b:?}");
            }
        }
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
        assert!(Layout::new(&names(1), &[], &[], 48).is_none());
        assert!(Layout::new(&names(12), &[], &[], 48).is_some());
        assert!(Layout::new(&names(13), &[], &[], 48).is_none());
        assert!(Layout::new(&names(13), &[], &[], 80).is_some());
    }

    #[test]
    fn ascii_is_enough() {
        let layout = laid_out("A B", ".0-1=AB-", "1>3 1>6 6~1").expect("it fits");
        let drawn = Drawing::new(&layout).whole(Paint { ascii: true, ..Paint::plain() });
        assert!(drawn.iter().all(|line| line.is_ascii()), "{}", drawn.join("\n"));
    }

    #[test]
    fn any_rows_and_links_are_laid_out_well() {
        let mut seed = 7u64;
        let mut dice = |sides: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % sides
        };
        for _ in 0..200 {
            let (lanes, rows) = (2 + dice(3), 1 + dice(9));
            let names: Vec<String> = (0..lanes).map(|i| format!("P{i}")).collect();
            let text: String = (0..rows).map(|_| ["0", "1", "2", "3", "-"][dice(lanes + 1).min(4)]).collect();
            let text = text.replace(|c: char| c.is_ascii_digit() && c as usize - '0' as usize >= lanes, "0");
            let mut links = String::new();
            for to in 1..rows {
                for from in 0..to {
                    match dice(6) {
                        0 => links.push_str(&format!("{from}>{to} ")),
                        1 => links.push_str(&format!("{to}~{from} ")),
                        _ => {}
                    }
                }
            }
            if let Some(layout) = laid_out(&names.join(" "), &text, &links) {
                well_formed(&layout);
                assert_eq!(layout.spots().count(), text.chars().filter(char::is_ascii_digit).count());
                let lines = Drawing::new(&layout).whole(Paint::plain());
                assert!(lines.iter().all(|line| line.chars().count() <= layout.width().max(NAME)));
            }
        }
    }
}
