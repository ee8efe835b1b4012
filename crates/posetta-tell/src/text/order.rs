//! An order as text: a list of events, in lanes where there are several processes.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use super::{CELL, REMARK};
use crate::amounts::{counted, grouped};
use crate::lanes::Drawing;
use crate::page::{widest, wrap};
use crate::paint::Paint;
use crate::story::{EventRow, Missing, Moved, Row, Story};
use crate::word::Word;

/// The longest attributes of an event.
const ABOUT: usize = 48;

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
    for line in lanes.map(|lanes| lanes.head(paint)).unwrap_or_default() {
        let _ = writeln!(out, "    {margin}{}", paint.bold(&line));
    }
    for (i, (row, cells)) in story.rows.iter().zip(&cells).enumerate() {
        let drawn = lanes.map_or(Vec::new(), |lanes| lanes.row(i, paint));
        let Drawn { before, after, remarks, width } = draw(row, cells, &widths, word, lanes.is_some(), paint);
        let gap = if matches!(row, Row::Cut { .. }) { paint.signs("══ ") } else { "  ".to_owned() };
        let lane = drawn.first().map_or(String::new(), |line| format!("{line}{gap}"));
        let width = width + lane_columns;
        // Beside the event, if there is room.
        let beside =
            remarks.iter().map(|(_, width)| width + 2).sum::<usize>() + width <= paint.room(4) || lanes.is_none();
        let (beside, below) = if beside { (remarks.as_slice(), &[][..]) } else { (&[][..], remarks.as_slice()) };
        // Behind the lanes, which go on beside it.
        let room = paint.room(4 + margin.len() + lane_columns);
        let below: Vec<String> = below.iter().flat_map(|(remark, _)| wrap(remark, room, 2)).collect();
        let mut line = format!("{before}{lane}{after}");
        for (remark, _) in beside {
            let _ = write!(line, "  {remark}");
        }
        let _ = writeln!(out, "    {}", line.trim_end());
        // Below it else, first behind the lines that the links need anyway.
        let lines = drawn.len().saturating_sub(1).max(below.len());
        for k in 0..lines {
            let own = || lanes.map_or(String::new(), |lanes| lanes.below(i, paint));
            let lane = drawn.get(k + 1).cloned().unwrap_or_else(own);
            let remark = below.get(k).map_or("", String::as_str);
            let _ = writeln!(out, "    {}", format!("{margin}{lane}  {remark}").trim_end());
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
    after: String,
    /// What is to be said there, with its width.
    remarks: Vec<(String, usize)>,
    /// The columns of what stands before and behind.
    width: usize,
}

fn draw(row: &Row, cells: &[String; 4], widths: &[usize; 4], word: Word, has_lanes: bool, paint: Paint) -> Drawn {
    let padded = |i: usize| format!("{}{}", cells[i], " ".repeat(widths[i].saturating_sub(cells[i].width())));
    let remark = |text: &str| {
        let mark = paint.sign(if word == Word::Holds { '✓' } else { '✗' });
        let text = format!("{mark} {}", paint.short(text, REMARK)).trim_end().to_owned();
        let width = text.width();
        (if word == Word::Holds { paint.green(&text) } else { paint.red(&text) }, width)
    };
    let first = |sign: &str| format!("  {:>width$}  ", paint.signs(sign), width = widths[0]);
    // In lanes something else says that there is a gap.
    let gap = |text: String| {
        let before = paint.dim(&first(if has_lanes { "" } else { "⋮" }));
        Drawn { before, after: paint.dim(&text), ..Drawn::default() }
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
            let mut after = padded(1);
            for i in [2, 3] {
                if widths[i] > 0 {
                    let _ = write!(after, "  {}", padded(i));
                }
            }
            let line = format!("  {line}");
            let width = widths[0] + 4 + after.width() + line.width();
            // What has not happened stands back.
            let after = if number.is_some() { after + &paint.dim(&line) } else { paint.dim(&(after + &line)) };
            let mut remarks: Vec<(String, usize)> = note.iter().map(|text| remark(text)).collect();
            if !about.is_empty() {
                let about = paint.short(about, ABOUT);
                remarks.push((paint.dim(&about), about.width()));
            }
            Drawn { before, after, remarks, width }
        }
        Row::Start { note } => {
            let remarks = note.iter().map(|text| remark(text)).collect();
            Drawn { before: first("0"), after: padded(1), remarks, width: widths[0] + 4 + widths[1] }
        }
        Row::Gap { events, moved } => {
            let some = counted(*events as u64, "other event", "other events");
            let moved = if *moved > 0 { format!(", {} of them moved", grouped(*moved as u64)) } else { String::new() };
            gap(format!("{some}{moved}"))
        }
        Row::End => {
            Drawn { before: paint.red(&first("✗")), after: paint.red("the run ends here"), ..Drawn::default() }
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
            Drawn { before, after: remark(format!("here {note}").trim_end()).0, ..Drawn::default() }
        }
    }
}
