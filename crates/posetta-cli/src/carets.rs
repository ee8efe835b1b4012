//! Draws a diagnostic: the message, the place, the line with a caret, and advice.
//!
//! This is ours because the crates that draw carets want the whole source in memory. Runs are streamed, may be larger
//! than memory and may have lines of megabytes; a diagnostic brings one stretch of one line, and where it brings none the
//! line is looked up in the file, again without holding more than that stretch.

use std::fmt::Write;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use posetta::base::{Diagnostic, Place, Subject};
use unicode_width::UnicodeWidthChar;

use crate::deny;
use crate::paint::{Paint, clean, unsafe_to_show};
use crate::problem::Problem;
use crate::properties;

const TAB: usize = 4;

/// An error, as several lines that end with an empty one.
pub fn error(problem: &Problem, paint: Paint) -> String {
    let mut out = String::new();
    draw(&mut out, &paint.red("error"), &problem.file, &problem.diagnostic, paint);
    let on = problem.trace.as_deref().filter(|&trace| trace != problem.file);
    notes(&mut out, &problem.diagnostic, on, paint);
    out
}

/// A warning, about a run if one is given. One that is [denied](deny) is an error.
pub fn warning(file: &str, trace: Option<&str>, diagnostic: &Diagnostic, paint: Paint) -> String {
    let mut out = String::new();
    let denied = deny::see(diagnostic.kind);
    let word = if denied { paint.red("error") } else { paint.yellow("warning") };
    draw(&mut out, &word, file, diagnostic, paint);
    if denied {
        note(
            &mut out,
            diagnostic,
            &format!("a warning of the kind `{}`, which --deny makes an error", diagnostic.kind.word()),
            paint,
        );
    }
    notes(&mut out, diagnostic, trace, paint);
    out
}

fn draw(out: &mut String, word: &str, file: &str, diagnostic: &Diagnostic, paint: Paint) {
    let _ = writeln!(out, "{word}: {}", paint.bold(&clean(&diagnostic.message)));
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
    let _ = writeln!(out, "{gutter}{} {}:{}:{}", paint.blue("-->"), clean(file), place.line, place.column);
    let label = diagnostic.label.as_deref().map(clean).unwrap_or_default();
    let Some(text) = &place.text else {
        if !label.is_empty() {
            let _ = writeln!(out, "{gutter} {} {label}", paint.blue("="));
        }
        return;
    };
    let before = usize::try_from(place.column.saturating_sub(1).saturating_sub(place.skipped)).unwrap_or(0);
    let width = usize::try_from(place.width).unwrap_or(1);
    let (line, indent, caret) = lay_out(text, before, width);
    let ellipsis = if place.skipped > 0 { "…" } else { "" };
    let indent = indent + ellipsis.chars().count();
    let bar = paint.blue("|");
    let _ = writeln!(out, "{gutter} {bar}");
    let _ = writeln!(out, "{} {bar} {ellipsis}{line}", paint.blue(&number));
    let caret = paint.red(format!("{} {label}", "^".repeat(caret)).trim_end());
    let _ = writeln!(out, "{gutter} {bar} {}{caret}", " ".repeat(indent));
}

/// Whether what a diagnostic is in is a file that has a name.
fn is_file(name: &str) -> bool {
    !name.starts_with("--") && !["", "-", "arguments", properties::BARE].contains(&name)
}

fn note(out: &mut String, diagnostic: &Diagnostic, text: &str, paint: Paint) {
    let digits = diagnostic.place.as_ref().map_or(1, |p| p.line.to_string().len());
    let _ = writeln!(out, "{} {} {}", " ".repeat(digits), paint.blue("="), clean(text));
}

fn notes(out: &mut String, diagnostic: &Diagnostic, trace: Option<&str>, paint: Paint) {
    if let Some(trace) = trace {
        note(out, diagnostic, &format!("in the run {trace}"), paint);
    }
    if let Some(help) = &diagnostic.help {
        note(out, diagnostic, &format!("help: {help}"), paint);
    }
    out.push('\n');
}

/// The line as shown, with the screen columns before the caret and under it.
fn lay_out(text: &str, before: usize, width: usize) -> (String, usize, usize) {
    let mut line = String::with_capacity(text.len());
    let (mut indent, mut caret) = (0, 0);
    for (i, c) in text.chars().enumerate() {
        let columns = match c {
            '\t' => {
                line.extend(std::iter::repeat_n(' ', TAB));
                TAB
            }
            c if unsafe_to_show(c) => {
                line.push('\u{fffd}');
                1
            }
            c => {
                line.push(c);
                c.width().unwrap_or(0)
            }
        };
        if i < before {
            indent += columns;
        } else if i < before + width {
            caret += columns;
        }
    }
    (line, indent, caret.max(1))
}

/// The place with its line's text, read from the file. `None` for standard input, pipes and files that changed.
fn look_up(path: &Path, place: &Place) -> Option<Place> {
    if !path.metadata().is_ok_and(|m| m.is_file()) {
        return None;
    }
    let mut reader = BufReader::with_capacity(1 << 16, File::open(path).ok()?);
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
    use posetta::base::{Kind, Span};

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
    fn control_characters_stay_out_of_the_terminal() {
        let drawn = plain(Diagnostic::new(Kind::Syntax, "no \x1b[2J").at(Place::in_text("\x1b[2J", Span::new(0, 1))));
        assert!(!drawn.contains('\x1b'), "{drawn:?}");
    }
}
