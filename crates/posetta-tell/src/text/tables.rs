//! Tables as text: counts of cuts, proofs step by step, and the parts of a property along an order.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use super::{CELL, REMARK};
use crate::amounts::{counted, readable};
use crate::counts::{Count, Counts};
use crate::page::{padded, widest, wrap};
use crate::paint::Paint;
use crate::proof::{Line, Tree};
use crate::subformulas::{Along, Column, Row, Subformulas};

/// The widest part of a formula in a table, and how far parts are indented at most.
const PART: usize = 60;
const INDENTS: usize = 16;
/// Where the lines of a proof begin, and how narrow their last column may be.
const MARGIN: usize = 6;
const NARROWEST: usize = 16;

/// At how many cuts each part of the property holds.
pub(super) fn counts(out: &mut String, counts: &Counts, paint: Paint) {
    if counts.parts.is_empty() {
        return;
    }
    let of_all = counts.all.as_deref().map_or(String::new(), |all| format!(", of {}", readable(all)));
    let _ = writeln!(out, "    {}", paint.dim(&format!("Cuts at which each part holds{of_all}:")));
    let cells = |c: &Count| [readable(&c.cuts), c.share.clone().unwrap_or_default()];
    let rows: Vec<[String; 2]> = counts.parts.iter().map(cells).collect();
    let [second, third] = widest(&rows);
    // Formulas have the room that numbers leave.
    let room = paint.width.saturating_sub(MARGIN + 4 + second + third);
    let formulas: Vec<String> = counts.parts.iter().map(|c| part(c.depth, &c.formula, room, paint)).collect();
    let first = formulas.iter().map(|formula| formula.width()).max().unwrap_or(0);
    for (formula, [cuts, share]) in formulas.iter().zip(rows) {
        let formula = padded(formula, first);
        let cuts = format!("{}{cuts}", " ".repeat(second - cuts.width()));
        let share = format!("{}{share}", " ".repeat(third - share.width()));
        let _ = writeln!(out, "{}", format!("      {formula}  {cuts}  {share}").trim_end());
    }
}

/// Why the property has its value, step by step.
pub(super) fn tree(out: &mut String, tree: &Tree, paint: Paint) {
    let _ = writeln!(out, "\n    Step by step:\n");
    // The value is never on another line than its formula.
    let room = paint.width.saturating_sub(MARGIN + 2 + "false".len());
    let cells = |line: &Line| {
        [part(line.depth, &line.formula, room, paint), line.holds.to_string(), paint.short(&line.at, CELL)]
    };
    let rows: Vec<[String; 3]> = tree.lines.iter().map(cells).collect();
    let widths = widest(&rows);
    let last = MARGIN + widths.iter().map(|width| width + 2).sum::<usize>();
    for (line, cells) in tree.lines.iter().zip(&rows) {
        let cell = |i: usize| padded(&cells[i], widths[i]);
        let value = if line.holds { paint.green(&cell(1)) } else { paint.red(&cell(1)) };
        let how = paint.short(&line.how, REMARK);
        let begin = format!("{}{}  {value}", " ".repeat(MARGIN), cell(0));
        // What shows it stands in a column of its own if there is one; else below.
        if last + NARROWEST <= paint.width {
            let mut how = wrap(&how, paint.width - last, 0).into_iter();
            let _ = writeln!(out, "{begin}  {}  {}", cell(2), paint.dim(&how.next().unwrap_or_default()));
            for more in how {
                let _ = writeln!(out, "{}{}", " ".repeat(last), paint.dim(&more));
            }
        } else {
            let _ = writeln!(out, "{}", begin.trim_end());
            let indent = (MARGIN + 2 * line.depth.min(INDENTS) + 4).min(paint.width / 2);
            for more in wrap(&format!("{}: {how}", cells[2]), paint.room(indent), 2) {
                let _ = writeln!(out, "{}{}", " ".repeat(indent), paint.dim(&more));
            }
        }
    }
    if tree.more > 0 {
        let more = counted(tree.more as u64, "more line; --json has it", "more lines; --json has them");
        let _ = writeln!(out, "      {}", paint.dim(&format!("{} {more}", paint.sign('⋮'))));
    }
}

/// A part of a formula, indented by its depth, in at most so many columns.
fn part(depth: usize, formula: &str, room: usize, paint: Paint) -> String {
    let indent = 2 * depth.min(INDENTS).min(room / 3);
    format!("{}{}", " ".repeat(indent), paint.short(formula, PART.min(room.saturating_sub(indent)).max(4)))
}

/// Which parts of the property are true where.
pub(super) fn parts(out: &mut String, parts: &Subformulas, paint: Paint) {
    let along = match parts.along {
        Along::Failing => "along the order that fails",
        Along::Satisfying => "along the order that satisfies it",
        Along::Path => "along the path",
        Along::Recorded => "along the recorded order",
        Along::Possible => "along a possible order",
    };
    let is_open = |row: &Row| matches!(row, Row::At { values, .. } if values.contains(&None));
    let what = match parts.states {
        true => "In which states the monitor can be (✓)",
        false if parts.rows.iter().any(is_open) => "Which parts are true (✓), or would take other paths to know (?)",
        false => "Which parts are true (✓)",
    };
    let _ = writeln!(out, "\n    {}, {along}:\n", paint.signs(what));
    let digits = parts.columns.len().to_string().len();
    for Column { number, formula, depth } in &parts.columns {
        let indent = "  ".repeat((*depth).min(INDENTS));
        let _ = writeln!(
            out,
            "      {}  {indent}{}",
            paint.dim(&format!("{number:>digits$}")),
            paint.short(formula, REMARK)
        );
    }
    if parts.more > 0 {
        let more = counted(parts.more as u64, "more part; --json has it", "more parts; --json has them");
        let _ = writeln!(out, "      {}", paint.dim(&format!("{} {more}", paint.sign('⋮'))));
    }
    if parts.rows.is_empty() {
        let _ = writeln!(out, "\n      There are no positions.");
        return;
    }
    let cells = |row: &Row| match row {
        Row::At { position, event: Some((label, name, line)), sets, .. } => [
            position.to_string(),
            paint.short(label, CELL),
            paint.short(name, CELL),
            line.clone(),
            paint.short(sets, REMARK),
        ],
        Row::At { position, event: None, sets, .. } => {
            [position.to_string(), "start".to_owned(), String::new(), String::new(), paint.short(sets, REMARK)]
        }
        Row::Alike(_) | Row::Skipped(_) => Default::default(),
    };
    let rows: Vec<[String; 5]> = parts.rows.iter().map(cells).collect();
    let widths = widest(&rows);
    let numbers: String = parts.columns.iter().map(|c| format!(" {:>digits$}", c.number)).collect();
    let _ = writeln!(out, "\n      {}{}", " ".repeat(widths[0] + 1), paint.dim(&numbers));
    for (row, cells) in parts.rows.iter().zip(&rows) {
        let before = format!("      {:>width$} ", cells[0], width = widths[0]);
        let line = match row {
            Row::At { values, .. } => {
                let mark = |value: &Option<bool>| match value {
                    Some(true) => paint.green(&format!(" {:>digits$}", paint.sign('✓'))),
                    Some(false) => format!(" {:>digits$}", paint.sign('·')),
                    None => paint.yellow(&format!(" {:>digits$}", "?")),
                };
                let marks: String = values.iter().map(mark).collect();
                let mut text = String::new();
                for i in 1..5 {
                    if widths[i] > 0 {
                        let _ = write!(text, "  {}", padded(&cells[i], widths[i]));
                    }
                }
                format!("{before}{marks} {text}")
            }
            Row::Alike(some) => {
                let some = counted(*some as u64, "position alike", "positions alike");
                paint.dim(&format!("      {:>width$}  {some}", paint.sign('⋮'), width = widths[0]))
            }
            Row::Skipped(some) => {
                let some = counted(*some as u64, "more change; --json has it", "more changes; --json has them");
                paint.dim(&format!("      {:>width$}  {some}", paint.sign('⋮'), width = widths[0]))
            }
        };
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::tests::{RUN, branching};
    use posetta_base::Budget;
    use posetta_check::Counted;

    fn text(lines: &[&str]) -> String {
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn counts_are_a_table() {
        let counted = |formula: &str, depth, cuts: u64| Counted::new(formula, depth, cuts.into());
        let parts = vec![
            counted("AG (x == 1 -> EF (y == 2))", 0, 0),
            counted("x == 1 -> EF (y == 2)", 1, 101_950_889_250_359),
            counted("x == 1", 2, 21_950_889_250_360),
            counted("EF (y == 2)", 2, 1),
        ];
        let all = 101_950_889_250_360.into();
        let mut out = String::new();
        counts(&mut out, &Counts::new(parts.clone(), Some(&all)), Paint::plain());
        let expected = [
            "    Cuts at which each part holds, of 101,950,889,250,360:",
            "      AG (x == 1 -> EF (y == 2))                    0      0 %",
            "        x == 1 -> EF (y == 2)     101,950,889,250,359  >99.9 %",
            "          x == 1                   21,950,889,250,360   21.5 %",
            "          EF (y == 2)                               1   <0.1 %",
        ];
        assert_eq!(out, text(&expected));
        let mut out = String::new();
        counts(&mut out, &Counts::new(parts[2..].to_vec(), None), Paint::plain());
        let expected = [
            "    Cuts at which each part holds:",
            "          x == 1       21,950,889,250,360",
            "          EF (y == 2)                   1",
        ];
        assert_eq!(out, text(&expected));
        let mut out = String::new();
        counts(&mut out, &Counts::new(parts.clone(), Some(&all)), Paint { width: 54, ..Paint::plain() });
        assert!(out.contains("\n      AG (x == 1 -> EF …                    0      0 %\n"), "{out}");
        let mut out = String::new();
        counts(&mut out, &Counts::default(), Paint::plain());
        assert_eq!(out, "");
    }

    #[test]
    fn a_proof_that_branches_is_told_step_by_step() {
        let trace = posetta_formats::text::read(RUN.as_bytes(), &Budget::unlimited()).unwrap();
        let tree = Tree::new(&trace, &branching(&trace)).expect("it branches");
        let mut out = String::new();
        super::tree(&mut out, &tree, Paint { width: 160, ..Paint::plain() });
        let expected = [
            "",
            "    Step by step:",
            "",
            "      AG (y == 0 || EG (x < 2) && AF (z == 1))  false  at the start          on the path A.1, B.1",
            "        y == 0 || EG (x < 2) && AF (z == 1)     false  after B.1 (2 events)  by these parts",
            "          y == 0                                false  after B.1 (2 events)  here",
            "          EG (x < 2) && AF (z == 1)             false  after B.1 (2 events)  by these parts",
            "            EG (x < 2)                          false  after B.1 (2 events)  every path from here: examined",
            "            AF (z == 1)                         false  after B.1 (2 events)  on the path A.2, A.3, A.4, A.5 (+2 more), to the end, with z == 1 false on it",
        ];
        assert_eq!(out, text(&expected));
    }

    #[test]
    fn a_narrow_page_has_what_shows_it_below() {
        let trace = posetta_formats::text::read(RUN.as_bytes(), &Budget::unlimited()).unwrap();
        let tree = Tree::new(&trace, &branching(&trace)).expect("it branches");
        for width in [40, 60, 80, 100, 120] {
            let mut out = String::new();
            super::tree(&mut out, &tree, Paint { width, ..Paint::plain() });
            let fits = |line: &str| line.width() <= width;
            assert!(out.lines().all(fits), "{width}\n{out}");
        }
        let mut out = String::new();
        super::tree(&mut out, &tree, Paint { width: 60, ..Paint::plain() });
        let first = [
            "",
            "    Step by step:",
            "",
            "      AG (y == 0 || EG (x < 2) && AF (z == 1))  false",
            "          at the start: on the path A.1, B.1",
        ];
        assert!(out.starts_with(&text(&first)), "{out}");
    }

    #[test]
    fn a_long_proof_is_shortened() {
        let trace = posetta_formats::text::read(RUN.as_bytes(), &Budget::unlimited()).unwrap();
        let part = branching(&trace);
        let why = posetta_check::Why::Operands(vec![part; 20]);
        let proof = posetta_check::Proof::new("f".repeat(100), false, why);
        let tree = Tree::new(&trace, &proof).expect("it branches");
        let mut out = String::new();
        super::tree(&mut out, &tree, Paint { width: 300, ..Paint::plain() });
        assert!(out.ends_with("⋮ 81 more lines; --json has them\n"), "{out}");
        assert_eq!(out.lines().count(), 3 + 40 + 1, "{out}");
    }
}
