//! Draws a diagnostic: the message, the place, the line with a caret, and advice.
//!
//! This is ours because the crates that draw carets want the whole source in memory. Runs are streamed, may be larger
//! than memory and may have lines of megabytes; a diagnostic brings one stretch of one line, and where it brings none the
//! line is looked up in the file, again without holding more than that stretch.

use std::borrow::Cow;
use std::fmt::Write;
use std::io::{BufRead, BufReader, Read};
use std::iter;
use std::path::Path;

use posetta_base::{Diagnostic, Place, Subject, unsafe_to_show};
use posetta_formats::Unpacked;
use posetta_tell::page::wrap;
use posetta_tell::{Paint, Problem, clean, is_file};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::opened;

const TAB: usize = 4;
/// With less room than this beside the carets, what they mean stands below them.
const BESIDE: usize = 24;

/// An error, as several lines that end with an empty one.
#[must_use]
pub fn error(problem: &Problem, paint: Paint) -> String {
    let mut out = String::new();
    draw(&mut out, ("error", Paint::red), &problem.file, &problem.diagnostic, paint);
    let on = problem.trace.as_deref().filter(|&trace| trace != problem.file);
    notes(&mut out, &problem.diagnostic, on, paint);
    out
}

/// A warning, about a run if one is given; `denied` if it counts as an error.
#[must_use]
pub fn warning(file: &str, trace: Option<&str>, diagnostic: &Diagnostic, denied: bool, paint: Paint) -> String {
    let mut out = String::new();
    let word: Severity = if denied { ("error", Paint::red) } else { ("warning", Paint::yellow) };
    draw(&mut out, word, file, diagnostic, paint);
    if denied {
        let kind = diagnostic.kind.word();
        note(&mut out, diagnostic, &format!("a warning of the kind `{kind}`, which --deny makes an error"), paint);
    }
    notes(&mut out, diagnostic, trace, paint);
    out
}

/// The first word of a diagnostic, and its colour.
type Severity = (&'static str, fn(Paint, &str) -> String);

fn draw(out: &mut String, (word, colour): Severity, file: &str, diagnostic: &Diagnostic, paint: Paint) {
    let margin = word.len() + 2;
    let message = wrap(&said(&diagnostic.message, paint), paint.width.saturating_sub(margin), 0);
    for (i, line) in message.iter().enumerate() {
        let before = if i == 0 { format!("{}: ", colour(paint, word)) } else { " ".repeat(margin) };
        let _ = writeln!(out, "{before}{}", paint.bold(line));
    }
    let file = diagnostic.place.as_ref().and_then(|place| place.part.as_deref()).unwrap_or(file);
    let Some(place) = &diagnostic.place else {
        // What stands on the command line is in sight.
        if is_file(file) && diagnostic.subject() != Some(&Subject::Input) {
            let _ = writeln!(out, " {} {}", paint.blue("-->"), clean(file));
        }
        return;
    };
    // What has a name was named on the command line, or found in the root.
    let found = if place.text.is_none() && is_file(file) { look_up(Path::new(file), place) } else { None };
    let place = found.as_ref().unwrap_or(place);
    let number = place.line.to_string();
    let gutter = " ".repeat(number.len());
    let _ = writeln!(out, "{gutter}{} {}:{}:{}", paint.blue("-->"), called(file), place.line, place.column);
    let label = diagnostic.label.as_deref().map(|label| said(label, paint)).unwrap_or_default();
    let Some(text) = &place.text else {
        if !label.is_empty() {
            note(out, diagnostic, &label, paint);
        }
        return;
    };
    let before = usize::try_from(place.column.saturating_sub(1).saturating_sub(place.skipped)).unwrap_or(0);
    let width = usize::try_from(place.width).unwrap_or(1);
    let room = paint.width.saturating_sub(number.len() + 3).max(1);
    let Quoted { line, indent, caret } = Quoted::new(text, (before, width), place.skipped > 0, room, paint);
    let bar = paint.blue("|");
    let _ = writeln!(out, "{gutter} {bar}");
    let _ = writeln!(out, "{} {bar} {line}", paint.blue(&number));
    for line in under(indent, caret, &label, room) {
        let text = line.trim_start();
        let _ = writeln!(out, "{gutter} {bar} {}{}", &line[..line.len() - text.len()], paint.red(text));
    }
}

/// Our own words about something, on one line.
fn said(text: &str, paint: Paint) -> String {
    let text = clean(text);
    if paint.ascii { text.replace('…', "...") } else { text.into_owned() }
}

/// The carets and what they mean: beside them if there is room, else below.
fn under(indent: usize, caret: usize, label: &str, room: usize) -> Vec<String> {
    let carets = format!("{}{}", " ".repeat(indent), "^".repeat(caret));
    if label.is_empty() {
        return vec![carets];
    }
    let beside = indent + caret + 1;
    if beside + label.width() <= room || beside + BESIDE <= room {
        return wrap(&format!("{carets} {label}"), room, beside);
    }
    let indent = indent.min(room / 3);
    let below = wrap(&format!("{}{label}", " ".repeat(indent)), room, indent);
    iter::once(carets).chain(below).collect()
}

/// What an input is called: a dash for standard input, also with a line behind it, means something on a command line only.
fn called(input: &str) -> Cow<'_, str> {
    match input.strip_prefix('-') {
        Some(line) if line.is_empty() || line.starts_with(':') => format!("standard input{line}").into(),
        _ => clean(input),
    }
}

fn note(out: &mut String, diagnostic: &Diagnostic, text: &str, paint: Paint) {
    let digits = diagnostic.place.as_ref().map_or(1, |p| p.line.to_string().len());
    let text = format!("{} {} {}", " ".repeat(digits), paint.blue("="), said(text, paint));
    for line in wrap(&text, paint.width, digits + 3) {
        let _ = writeln!(out, "{line}");
    }
}

fn notes(out: &mut String, diagnostic: &Diagnostic, trace: Option<&str>, paint: Paint) {
    if let Some(trace) = trace {
        note(out, diagnostic, &format!("in the run {}", called(trace)), paint);
    }
    if let Some(help) = &diagnostic.help {
        note(out, diagnostic, &format!("help: {help}"), paint);
    }
    out.push('\n');
}

/// A quoted line as shown, with the columns before the caret and under it.
struct Quoted {
    line: String,
    indent: usize,
    caret: usize,
}

impl Quoted {
    /// Of the line as much as there is room for, around what is meant.
    fn new(text: &str, (before, width): (usize, usize), skipped: bool, room: usize, paint: Paint) -> Self {
        let unsafe_sign = if paint.ascii { "?" } else { "\u{fffd}" };
        let shown = |c: char| match c {
            '\t' => (" ".repeat(TAB), TAB),
            c if unsafe_to_show(c) => (unsafe_sign.to_owned(), 1),
            c => (c.to_string(), c.width().unwrap_or(0)),
        };
        let cells: Vec<(String, usize)> = text.chars().map(shown).collect();
        let columns = |cells: &[(String, usize)]| cells.iter().map(|(_, columns)| columns).sum::<usize>();
        let dots = if paint.ascii { "..." } else { "…" };
        let (start, end) = (before.min(cells.len()), before.saturating_add(width).min(cells.len()));
        let mut from = 0;
        if columns(&cells) + if skipped { dots.width() } else { 0 } > room {
            // What is meant begins in the first third, if it does not fit with all that is before it.
            let meant = columns(&cells[start..end]).clamp(1, room / 3);
            while from < start && columns(&cells[from..start]) + meant + 2 * dots.width() > room {
                from = start.min(from + 1);
            }
            if from > 0 {
                while from < start && columns(&cells[from..start]) > room / 3 {
                    from += 1;
                }
            }
        }
        let mut line = if skipped || from > 0 { dots.to_owned() } else { String::new() };
        let (mut taken, mut indent, mut caret) = (line.width(), line.width(), 0);
        let rest = columns(&cells[from..]);
        let room = if taken + rest > room { room.saturating_sub(dots.width()) } else { room };
        let mut cut = false;
        for (i, (cell, columns)) in cells.iter().enumerate().skip(from) {
            if taken + columns > room {
                cut = true;
                break;
            }
            line.push_str(cell);
            taken += columns;
            if i < start {
                indent += columns;
            } else if i < end {
                caret += columns;
            }
        }
        if cut {
            line.push_str(dots);
        }
        Self { line, indent, caret: caret.max(1) }
    }
}

/// The place with its line's text, read from the file, unpacked if it is packed. `None` for standard input, pipes and files that changed.
fn look_up(path: &Path, place: &Place) -> Option<Place> {
    if !path.metadata().is_ok_and(|m| m.is_file()) {
        return None;
    }
    let mut reader = Unpacked::new(BufReader::with_capacity(1 << 16, opened::open(path).ok()?)).ok()?;
    for _ in 1..place.line {
        if reader.skip_until(b'\n').ok()? == 0 {
            return None;
        }
    }
    let start = usize::try_from(place.column.saturating_sub(1)).ok()?;
    let end = start.saturating_add(usize::try_from(place.width).ok()?);
    // Four bytes a character at most; the window around the caret needs no more than this.
    let enough = (end as u64).saturating_add(200).saturating_mul(4);
    let mut bytes = Vec::new();
    reader.take(enough).read_until(b'\n', &mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_end_matches(['\n', '\r']);
    let byte_of = |chars: usize| text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    Some(Place::in_line(place.line, text, byte_of(start), byte_of(end)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_base::{Kind, Span};

    fn plain(diagnostic: Diagnostic) -> String {
        error(&Problem::in_text("--ltl", diagnostic), Paint::plain())
    }

    #[test]
    fn the_caret_stands_under_what_is_meant() {
        let text = "a\t漢字 = x";
        let at = text.find('=').unwrap();
        let place = Place::in_text(text, Span::new(at, at + 1));
        let drawn = plain(Diagnostic::new(Kind::Syntax, "no").at(place).label("here").help("write =="));
        insta::assert_snapshot!(drawn, @r"
        error: no
         --> --ltl:1:6
          |
        1 | a    漢字 = x
          |           ^ here
          = help: write ==
        ");
    }

    #[test]
    fn a_long_line_is_cut_on_the_left() {
        let text = format!("{}!", "a".repeat(500));
        let place = Place::in_text(&text, Span::new(500, 501));
        let drawn = plain(Diagnostic::new(Kind::Syntax, "no").at(place));
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[3].chars().position(|c| c == '!'), lines[4].chars().position(|c| c == '^'));
    }

    #[test]
    fn nothing_is_wider_than_the_page() {
        let text = format!("{} here {}", "left ".repeat(30), "right ".repeat(30));
        let at = text.find("here").unwrap();
        let label = "this is what is meant by all of these words, and it takes more than one line to say so";
        for (start, end) in
            [(at, at + 4), (0, 4), (0, text.len()), (text.len() - 2, text.len()), (text.len(), text.len())]
        {
            for (width, ascii) in [(40, false), (60, true), (80, false), (80, true), (120, false)] {
                let place = Place::in_text(&text, Span::new(start, end));
                let diagnostic = Diagnostic::new(Kind::Syntax, label.repeat(2)).at(place).label(label).help(label);
                let paint = Paint { width, ascii, ..Paint::plain() };
                let drawn = error(&Problem::in_text("--ltl", diagnostic), paint);
                for line in drawn.lines() {
                    assert!(line.width() <= width && (line.is_ascii() || !ascii), "{width}: {line}\n{drawn}");
                }
                let lines: Vec<&str> = drawn.lines().collect();
                let caret = lines.iter().position(|line| line.contains('^')).unwrap();
                let column = lines[caret].find('^').unwrap();
                if (start, end) == (at, at + 4) {
                    let above: String = lines[caret - 1].chars().skip(column).take(4).collect();
                    assert_eq!(above, "here", "{drawn}");
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_broken_is_longer() {
        let drawn = plain(Diagnostic::new(Kind::Input, format!("`{0}` and `{0}`", "a".repeat(200))));
        // The last line is empty.
        assert_eq!(drawn.lines().count(), 4, "{drawn}");
    }

    #[test]
    fn control_characters_stay_out_of_the_terminal() {
        let drawn = plain(Diagnostic::new(Kind::Syntax, "no \x1b[2J").at(Place::in_text("\x1b[2J", Span::new(0, 1))));
        assert!(!drawn.contains('\x1b'), "{drawn:?}");
    }
}
