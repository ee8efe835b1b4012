//! Finding the records of a log.
//!
//! A [`Cutter`] finds the next match of an expression. The two expressions that nearly every log has are matched by hand,
//! line by line with `memchr`, which is several times as fast as the engine; that both find the same records is tested on
//! random text. [`recognise`] finds the known expression that fits a log best.

use std::ops::Range;

use regex::CaptureLocations;

use super::expression::Expression;

/// Bytes of the text in which a record was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub whole: Range<usize>,
    pub host: Range<usize>,
    pub clock: Range<usize>,
    pub event: Range<usize>,
}

/// ShiViz's own default: the event's text stands before the line of its clock.
pub(super) const EVENT_FIRST: &str = r"(?<event>.*)\n(?<host>\S*) (?<clock>{.*})";
/// GoVector and its relatives: the line of the clock comes first.
pub(super) const CLOCK_FIRST: &str = r"(?<host>\S*) (?<clock>{.*})\n(?<event>.*)";

/// Expressions that are tried on a log that brings none, and what they are called. Where two fit alike the first is taken.
pub(super) const KNOWN: [(&str, &str); 6] = [
    ("TSViz", r"^(?<timestamp>\d+) (?<event>.*)\n(?<host>\S+) (?<clock>{.*})"),
    ("ShiViz's default", EVENT_FIRST),
    ("GoVector", CLOCK_FIRST),
    (
        "Akka",
        r"\[(?<level>\w+)\] \[(?<date>[^\]]+)\] \[[^\]]*\] \[akka://[^/\]]+/user/(?<host>[^\]]+)\] (?<clock>{[^}]*}) (?<event>.*)",
    ),
    ("GoVector with time stamps", r"^(?<timestamp>\d+) (?<host>\S+) (?<clock>{.*})\n(?<event>.*)"),
    ("one line a record", r"^(?<host>\S+) (?<clock>{[^}]*}) (?<event>.*\S.*)$"),
];

/// Finds records one after the other.
#[derive(Debug)]
pub(super) enum Cutter {
    EventFirst,
    ClockFirst,
    Engine(Box<Engine>),
}

/// Any expression.
#[derive(Debug)]
pub(super) struct Engine {
    pub expression: Expression,
    pub locations: CaptureLocations,
}

impl Cutter {
    pub(super) fn new(expression: Expression) -> Self {
        match expression.source() {
            EVENT_FIRST => Self::EventFirst,
            CLOCK_FIRST => Self::ClockFirst,
            _ => Self::engine(expression),
        }
    }

    fn engine(expression: Expression) -> Self {
        let locations = expression.regex.capture_locations();
        Self::Engine(Box::new(Engine { expression, locations }))
    }

    /// The first record of `text` that begins at `from` or later.
    pub(super) fn next(&mut self, text: &str, from: usize) -> Option<Record> {
        match self {
            Self::EventFirst => event_first(text, from),
            Self::ClockFirst => clock_first(text, from),
            Self::Engine(engine) => engine.next(text, from),
        }
    }

    /// The groups of the last record beside the three that each has: their places among the expression's others, and
    /// their bytes.
    pub(super) fn others(&self) -> impl Iterator<Item = (usize, Range<usize>)> {
        let engine = match self {
            Self::Engine(engine) => Some(engine),
            _ => None,
        };
        engine.into_iter().flat_map(|engine| {
            let groups = engine.expression.others.iter().enumerate();
            groups.filter_map(|(i, (_, group))| engine.locations.get(*group).map(|(start, end)| (i, start..end)))
        })
    }
}

impl Engine {
    fn next(&mut self, text: &str, mut from: usize) -> Option<Record> {
        loop {
            let found = self.expression.regex.captures_read_at(&mut self.locations, text, from)?;
            let groups = self.expression.needed.map(|group| self.locations.get(group));
            // A match that lacks a group, or is empty, is no record; the next may be.
            if let [Some(host), Some(clock), Some(event)] = groups
                && !found.is_empty()
            {
                let range = |(start, end)| start..end;
                return Some(Record {
                    whole: found.range(),
                    host: range(host),
                    clock: range(clock),
                    event: range(event),
                });
            }
            let step = text[found.start()..].chars().next().map_or(1, char::len_utf8);
            from = found.end().max(found.start() + step);
            if from > text.len() {
                return None;
            }
        }
    }
}

fn line_end(text: &str, from: usize) -> Option<usize> {
    memchr::memchr(b'\n', &text.as_bytes()[from..]).map(|i| from + i)
}

/// [`EVENT_FIRST`]. A line is the line of a clock if its first blank is a space before `{`, and it has a `}` after that.
fn event_first(text: &str, from: usize) -> Option<Record> {
    let mut event = from..line_end(text, from)?;
    loop {
        let start = event.end + 1;
        let end = line_end(text, start);
        let line = &text[start..end.unwrap_or(text.len())];
        if let Some((host, clock)) = clock_line(line) {
            let (host, clock) = (start..start + host, start + clock.start..start + clock.end);
            return Some(Record { whole: event.start..clock.end, host, clock, event });
        }
        event = start..end?;
    }
}

/// The length of the host and the bytes of the clock in a line of a clock.
fn clock_line(line: &str) -> Option<(usize, Range<usize>)> {
    let bytes = line.as_bytes();
    // Most lines that are none are told by having no brace.
    let brace = memchr::memchr(b'{', bytes)?;
    let blank = line.find(char::is_whitespace)?;
    // A brace may be part of the host's name.
    let open = blank + 1;
    if bytes[blank] != b' ' || open < brace || bytes.get(open) != Some(&b'{') {
        return None;
    }
    let close = memchr::memrchr(b'}', &bytes[open..])?;
    Some((blank, open..open + close + 1))
}

/// [`CLOCK_FIRST`]. The line of a clock has ` {` somewhere and ends with `}`; the word before is the host.
fn clock_first(text: &str, from: usize) -> Option<Record> {
    let mut start = from;
    loop {
        let end = line_end(text, start)?;
        let line = &text[start..end];
        if line.ends_with('}')
            && let Some(space) = memchr::memmem::find(line.as_bytes(), b" {")
        {
            let before = &line[..space];
            let host =
                before.char_indices().rev().find(|(_, c)| c.is_whitespace()).map_or(0, |(i, c)| i + c.len_utf8());
            let event = end + 1..line_end(text, end + 1).unwrap_or(text.len());
            return Some(Record {
                whole: start + host..event.end,
                host: start + host..start + space,
                clock: start + space + 1..end,
                event,
            });
        }
        start = end + 1;
    }
}

/// The known expression that fits the beginning of a log best (the fewest lines left over, then the fewest events without
/// text), and another one that fits as well although it cuts the log otherwise. `None` if no record with a readable clock is found by any. `plausible` looks at a host and its clock.
pub(super) fn recognise(start: &str, plausible: impl Fn(&str, &str) -> bool) -> Option<(usize, Option<usize>)> {
    // Without its last line, which may be cut in two.
    let start = if start.len() < ENOUGH { start } else { &start[..start.rfind('\n').map_or(start.len(), |i| i + 1)] };
    let mut best: Option<((usize, usize), usize)> = None;
    let mut rival = None;
    for (i, (_, source)) in KNOWN.iter().enumerate() {
        let expression = Expression::new(source).expect("the known expressions are tested");
        let mut cutter = Cutter::new(expression);
        let (mut at, mut left_over, mut unnamed, mut records) = (0, 0, 0, 0usize);
        while let Some(record) = cutter.next(start, at) {
            if plausible(&start[record.host.clone()], &start[record.clock.clone()]) {
                records += 1;
                left_over += unmatched_lines(&start[at..record.whole.start]).count();
                unnamed += usize::from(start[record.event.clone()].trim().is_empty());
            } else {
                left_over += unmatched_lines(&start[at..record.whole.end]).count();
            }
            at = record.whole.end;
            if at >= start.len() {
                break;
            }
        }
        left_over += unmatched_lines(&start[at..]).count();
        let score = (left_over, unnamed);
        if records > 0 && best.is_none_or(|(least, _)| score < least) {
            (best, rival) = (Some((score, i)), None);
        } else if left_over > 0 && records > 0 && best.is_some_and(|(least, _)| score == least) {
            rival = rival.or(Some(i));
        }
    }
    best.map(|(_, i)| (i, rival))
}

/// Bytes of the beginning that tell a log's expression.
pub(super) const ENOUGH: usize = 1 << 15;

/// The lines of a text that are neither blank nor delimiters.
fn unmatched_lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').filter(|line| !line.trim().is_empty() && usual_delimiter(line).is_none())
}

/// The label in a line such as `=== first run ===`, which is ShiViz's habit.
pub(super) fn usual_delimiter(line: &str) -> Option<&str> {
    Some(line.trim_end().strip_prefix("=== ")?.strip_suffix(" ===")?.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::LazyLock;

    fn all(cutter: &mut Cutter, text: &str) -> Vec<Record> {
        let (mut found, mut at) = (Vec::new(), 0);
        while let Some(record) = cutter.next(text, at) {
            at = record.whole.end;
            found.push(record);
            if at >= text.len() {
                break;
            }
        }
        found
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(if cfg!(debug_assertions) { 1000 } else { 4000 }))]
        #[test]
        fn cutting_by_hand_is_what_the_expression_says(text in "(a|b|\\{|\\}| |\n|\t|\u{a0}|é| \\{|\\}\n){0,24}") {
            // Made once: to compile them takes longer than all that is cut with them.
            static BOTH: LazyLock<[Expression; 2]> =
                LazyLock::new(|| [EVENT_FIRST, CLOCK_FIRST].map(|source| Expression::new(source).unwrap()));
            for (nth, expression) in BOTH.iter().enumerate() {
                let by_hand = all(&mut Cutter::new(expression.clone()), &text);
                proptest::prop_assert_eq!(by_hand, all(&mut Cutter::engine(expression.clone()), &text), "{}", nth);
            }
        }
    }

    #[test]
    fn the_best_of_the_known_expressions_is_taken() {
        let plausible = |_: &str, clock: &str| clock.contains(':');
        for (text, known) in [
            ("start\na {\"a\":1}\nnext\na {\"a\":2}\n", Some(1)),
            ("start\na {\"a\":1} \nnext\na {\"a\":2} ", Some(1)),
            ("a {\"a\":1}\nstart\na {\"a\":2}\nnext\n", Some(2)),
            ("My log\n\na {\"a\":1}\nstart\na {\"a\":2}\nnext", Some(2)),
            ("[INFO] [1/2/3 4:5] [d-1] [akka://S/user/n0] {\"n0\" : 1} go {x}\n", Some(3)),
            ("17 a {\"a\":1}\nstart\n18 a {\"a\":2}\nnext\n", Some(4)),
            ("17 start\na {\"a\":1}\n18 next\na {\"a\":2}\n", Some(0)),
            ("a {\"a\":1} start\na {\"a\":2} next\n", Some(5)),
            ("P1: x=1 -> y=2\n", None),
            ("", None),
        ] {
            assert_eq!(recognise(text, plausible).map(|(best, _)| best), known, "{text}");
        }
    }
}
