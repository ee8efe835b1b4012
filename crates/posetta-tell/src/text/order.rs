//! An order as text: a list of events, in lanes where there are several processes.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use super::{CELL, REMARK};
use crate::amounts::{counted, grouped};
use crate::lanes::Drawing;
use crate::page::{broken, widest, wrap};
use crate::paint::Paint;
use crate::story::{EventRow, Missing, Moved, Row, Story};
use crate::word::Word;

/// The longest attributes of an event.
const ABOUT: usize = 48;
/// How narrow the text beside lanes may get.
const NARROWEST: usize = 8;

/// An order, line by line.
pub(super) fn list(out: &mut String, story: &Story, word: Word, paint: Paint) {
    let cells: Vec<[String; 4]> = story.rows.iter().map(|row| cells(row, paint)).collect();
    let mut widths = widest(&cells);
    // Signs stand in the column of the numbers, even if there are none.
    widths[0] = widths[0].max(1);
    let drawing = story.lanes.as_ref().map(Drawing::new);
    let lanes = drawing.as_ref();
    let lane_columns = story.lanes.as_ref().map_or(0, |lanes| lanes.width() + 2);
    let margin = " ".repeat(widths[0] + 4);
    let room = paint.width.saturating_sub(4 + margin.len() + lane_columns).max(NARROWEST);
    for line in lanes.map(|lanes| lanes.head(paint)).unwrap_or_default() {
        // A name has no line without its lane.
        let line = paint.short(&line, paint.room(4 + margin.len()));
        let _ = writeln!(out, "    {margin}{}", paint.bold(&line));
    }
    for (i, (row, cells)) in story.rows.iter().zip(&cells).enumerate() {
        let drawn = lanes.map_or(Vec::new(), |lanes| lanes.row(i, paint));
        let Drawn { before, after, remarks } = draw(row, cells, &widths, word, lanes.is_some(), paint);
        let is_cut = matches!(row, Row::Cut { .. });
        let gap = if is_cut { paint.signs("══ ") } else { "  ".to_owned() };
        let lane = drawn.first().map_or(String::new(), |line| format!("{line}{gap}"));
        // Beside the event, if there is room. Else the lanes go on beside it.
        let lines = if lanes.is_some() {
            beside_lanes(&after, &remarks, room - usize::from(is_cut), paint)
        } else {
            vec![after.iter().chain(&remarks).map(|part| part.painted(paint)).collect::<Vec<_>>().join("  ")]
        };
        let first = lines.first().map_or("", String::as_str);
        let _ = writeln!(out, "    {}", format!("{before}{lane}{first}").trim_end());
        // First behind the lines that the links need anyway.
        for k in 1..drawn.len().max(lines.len()) {
            let own = || lanes.map_or(String::new(), |lanes| lanes.below(i, paint));
            let lane = drawn.get(k).cloned().unwrap_or_else(own);
            let text = lines.get(k).map_or("", String::as_str);
            let _ = writeln!(out, "    {}", format!("{margin}{lane}  {text}").trim_end());
        }
    }
    let legend = paint.signs(&legend(story));
    if !legend.is_empty() {
        out.push('\n');
        for line in wrap(&legend, paint.room(4), 0) {
            let _ = writeln!(out, "    {}", paint.dim(&line));
        }
    }
}

/// What stands beside the lanes, each line in so many columns: no line of it needs another wrap, which would not know the lanes.
fn beside_lanes(after: &[Piece], remarks: &[Piece], room: usize, paint: Paint) -> Vec<String> {
    let width = |parts: &[Piece]| parts.iter().map(|part| part.text.width() + 2).sum::<usize>().saturating_sub(2);
    let mut lines: Vec<String> = Vec::new();
    let mut taken = 0;
    let mut is_one_line = true;
    for part in after {
        // Spaces behind it are there for the part that follows.
        let text = part.text.trim_end();
        if text.is_empty() && !is_one_line {
            continue;
        }
        if let Some(line) = lines.last_mut().filter(|_| taken + 2 + text.width() <= room) {
            let own = if is_one_line { part.painted(paint) } else { part.tone.paint(text, paint) };
            let _ = write!(line, "  {own}");
            taken += 2 + if is_one_line { part.text.width() } else { text.width() };
            continue;
        }
        is_one_line = lines.is_empty();
        let indent = if is_one_line { 0 } else { 2 };
        let pieces = broken(text, room - indent, 0);
        taken = indent + pieces.last().map_or(0, |piece| piece.width());
        if is_one_line && pieces.len() == 1 {
            lines.push(part.painted(paint));
            taken = part.text.width();
        } else {
            is_one_line = false;
            lines.extend(pieces.iter().map(|piece| format!("{}{}", " ".repeat(indent), part.tone.paint(piece, paint))));
        }
    }
    if is_one_line && width(after) + 2 + width(remarks) <= room {
        if let Some(line) = lines.first_mut() {
            for remark in remarks {
                let _ = write!(line, "  {}", remark.painted(paint));
            }
        }
        return lines;
    }
    for remark in remarks {
        let pieces = broken(&remark.text, room, 2);
        lines.extend(pieces.iter().map(|piece| {
            let begin = piece.len() - piece.trim_start().len();
            format!("{}{}", &piece[..begin], remark.tone.paint(&piece[begin..], paint))
        }));
    }
    lines
}

/// What the signs mean, if there are any.
fn legend(story: &Story) -> String {
    let has = |wanted: Moved| story.rows.iter().any(|r| matches!(r, Row::Event(row) if row.moved == Some(wanted)));
    let mut parts = Vec::new();
    if has(Moved::Swapped) {
        parts.push("⇅ the two that changed places".to_owned());
    }
    match (has(Moved::Earlier), has(Moved::Later)) {
        (true, true) => parts.push("↑ earlier than recorded, ↓ later".to_owned()),
        (true, false) => parts.push("↑ earlier than recorded".to_owned()),
        (false, true) => parts.push("↓ later than recorded".to_owned()),
        (false, false) => {}
    }
    if story.lanes.is_some() && story.rows.iter().any(|row| matches!(row, Row::Cut { .. })) {
        parts.push("═ the global state: what is above it has happened, ○ has not".to_owned());
    }
    match story.missing {
        Missing { drawn: 0, .. } => {}
        Missing { drawn, all } if drawn < all => {
            let (drawn, all) = (grouped(drawn as u64), grouped(all as u64));
            parts.push(format!("╌▷ {drawn} of the {all} missing edges"));
        }
        Missing { drawn: 1, .. } => parts.push("╌▷ missing: would rule it out".to_owned()),
        Missing { .. } => parts.push("╌▷ missing: together they would rule it out".to_owned()),
    }
    parts.join("   ")
}

/// Number, label, name and assignments of a row.
fn cells(row: &Row, paint: Paint) -> [String; 4] {
    match row {
        Row::Event(EventRow { number, label, name, sets, .. }) => {
            let number = number.map_or(String::new(), |number| number.to_string());
            [number, paint.short(label, CELL), paint.short(name, CELL), paint.short(sets, CELL)]
        }
        Row::Start { .. } => ["0".to_owned(), "start".to_owned(), String::new(), String::new()],
        Row::Gap { .. } | Row::Rest { .. } | Row::End | Row::Cut { .. } | Row::Ahead { .. } => Default::default(),
    }
}

/// A row in its parts.
#[derive(Default)]
struct Drawn {
    /// What stands before the lanes.
    before: String,
    /// What stands behind them.
    after: Vec<Piece>,
    /// What is to be said there.
    remarks: Vec<Piece>,
}

/// A piece of text in one colour.
struct Piece {
    text: String,
    tone: Tone,
}

#[derive(Clone, Copy)]
enum Tone {
    Plain,
    Dim,
    Good,
    Bad,
}

impl Tone {
    fn paint(self, text: &str, paint: Paint) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Dim => paint.dim(text),
            Self::Good => paint.green(text),
            Self::Bad => paint.red(text),
        }
    }
}

impl Piece {
    /// Spaces behind it have no colour, so that a line can end before them.
    fn painted(&self, paint: Paint) -> String {
        let text = self.text.trim_end_matches(' ');
        format!("{}{}", self.tone.paint(text, paint), &self.text[text.len()..])
    }
}

fn draw(row: &Row, cells: &[String; 4], widths: &[usize; 4], word: Word, has_lanes: bool, paint: Paint) -> Drawn {
    let padded = |i: usize| format!("{}{}", cells[i], " ".repeat(widths[i].saturating_sub(cells[i].width())));
    let remark = |text: &str| {
        let mark = paint.sign(if word == Word::Holds { '✓' } else { '✗' });
        let text = format!("{mark} {}", paint.short(text, REMARK)).trim_end().to_owned();
        Piece { text, tone: if word == Word::Holds { Tone::Good } else { Tone::Bad } }
    };
    let first = |sign: &str| format!("  {:>width$}  ", paint.signs(sign), width = widths[0]);
    // In lanes something else says that there is a gap.
    let gap = |text: String| {
        let before = paint.dim(&first(if has_lanes { "" } else { "⋮" }));
        Drawn { before, after: vec![Piece { text, tone: Tone::Dim }], ..Drawn::default() }
    };
    match row {
        Row::Event(EventRow { moved, line, about, note, number, .. }) => {
            let arrow = match moved {
                Some(Moved::Earlier) => paint.yellow(&paint.signs("↑")),
                Some(Moved::Later) => paint.yellow(&paint.signs("↓")),
                Some(Moved::Swapped) => paint.yellow(&paint.signs("⇅")),
                None => " ".to_owned(),
            };
            let before = format!("{arrow} {}  ", paint.dim(&format!("{:>width$}", cells[0], width = widths[0])));
            // What has not happened stands back.
            let tone = if number.is_some() { Tone::Plain } else { Tone::Dim };
            let shown = (1..4).filter(|&i| i == 1 || widths[i] > 0);
            let mut after: Vec<Piece> = shown.map(|i| Piece { text: padded(i), tone }).collect();
            after.push(Piece { text: line.clone(), tone: Tone::Dim });
            let mut remarks: Vec<Piece> = note.iter().map(|text| remark(text)).collect();
            if !about.is_empty() {
                remarks.push(Piece { text: paint.short(about, ABOUT), tone: Tone::Dim });
            }
            Drawn { before, after, remarks }
        }
        Row::Start { note } => {
            let remarks = note.iter().map(|text| remark(text)).collect();
            Drawn { before: first("0"), after: vec![Piece { text: padded(1), tone: Tone::Plain }], remarks }
        }
        Row::Gap { events, moved } => {
            let some = counted(*events as u64, "other event", "other events");
            let moved = if *moved > 0 { format!(", {} of them moved", grouped(*moved as u64)) } else { String::new() };
            gap(format!("{some}{moved}"))
        }
        Row::End => {
            let after = vec![Piece { text: "the run ends here".to_owned(), tone: Tone::Bad }];
            Drawn { before: paint.red(&first("✗")), after, ..Drawn::default() }
        }
        Row::Rest { events } => gap(counted(*events as u64, "event follows", "events follow")),
        Row::Ahead { events } => {
            gap(counted(*events as u64, "more event has not happened", "more events have not happened"))
        }
        Row::Cut { note } => {
            let before = if has_lanes {
                format!("{}{}", " ".repeat(widths[0] + 2), paint.signs("══"))
            } else {
                first("═")
            };
            Drawn { before, after: vec![remark(format!("here {note}").trim_end())], ..Drawn::default() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(texts: &[&str]) -> Vec<Piece> {
        texts.iter().map(|text| Piece { text: (*text).to_owned(), tone: Tone::Plain }).collect()
    }

    #[test]
    fn what_does_not_fit_beside_lanes_moves_below() {
        let after = parts(&["p-vote   ", "vote   ", "payment=1  ", "line 5"]);
        let remarks = parts(&["✗ x = 1, yes = 2"]);
        let lines = |room| beside_lanes(&after, &remarks, room, Paint::plain());
        assert_eq!(lines(57), ["p-vote     vote     payment=1    line 5  ✗ x = 1, yes = 2"]);
        assert_eq!(lines(56), ["p-vote     vote     payment=1    line 5", "✗ x = 1, yes = 2"]);
        assert_eq!(
            lines(19).iter().map(|line| line.trim_end()).collect::<Vec<_>>(),
            ["p-vote     vote", "  payment=1  line 5", "✗ x = 1, yes = 2"]
        );
        for room in NARROWEST..60 {
            assert!(lines(room).iter().all(|line| line.trim_end().width() <= room), "{room} {:?}", lines(room));
        }
    }
}
