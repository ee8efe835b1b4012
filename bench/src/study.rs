//! A sheet of figures of its own shape, where a [`Workload`](crate::workload::Workload) has one input and one table of contenders.
//!
//! It is chosen by name like a workload. Verdicts and counts are the same on every machine, so missing one of them is a
//! failure; times are judged and change nothing.

use std::fmt::Write;

use crate::lab::Lab;
use crate::plot::Group;
use crate::workload::Judgement;

/// What makes a sheet.
pub struct Study {
    /// What it is called on the command line and in the names of its files.
    pub id: &'static str,
    /// The number of its target.
    pub row: u8,
    /// For people.
    pub title: &'static str,
    /// What is wanted.
    pub target: &'static str,
    /// Makes it; each figure is the middle one of so many runs where time is measured.
    pub run: fn(&Lab, u32) -> Result<Sheet, String>,
}

/// What came out.
#[derive(Default)]
pub struct Sheet {
    /// Over the columns.
    pub headings: Vec<&'static str>,
    /// As many cells as headings; no cell has a comma, a quote or a bar.
    pub rows: Vec<Vec<String>>,
    /// Under the table.
    pub notes: Vec<String>,
    /// Targets.
    pub judgements: Vec<Judgement>,
    /// Wrong verdicts, missed counts, processes that failed.
    pub failures: Vec<String>,
    /// A chart: its title and its bars.
    pub chart: Option<(&'static str, Vec<Group>)>,
}

impl Sheet {
    /// For a machine on which it cannot be made.
    pub fn skipped(reason: &str) -> Self {
        Self { notes: vec![format!("skipped: {reason}")], ..Self::default() }
    }

    /// For people, the columns in line.
    pub fn text(&self) -> String {
        let wide = |cell: &str| cell.chars().count();
        let width = |c: usize| self.rows.iter().map(|r| wide(&r[c])).chain([wide(self.headings[c])]).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.headings.len()).map(width).collect();
        let mut text = String::new();
        let mut line = |cells: &mut dyn Iterator<Item = &str>| {
            let mut line = String::from(" ");
            for (c, cell) in cells.enumerate() {
                let space = " ".repeat(widths[c] - wide(cell));
                // Words begin in line, numbers end in line.
                let _ = if c == 0 { write!(line, " {cell}{space}") } else { write!(line, "  {space}{cell}") };
            }
            let _ = writeln!(text, "{}", line.trim_end());
        };
        if !self.headings.is_empty() {
            line(&mut self.headings.iter().copied());
        }
        for row in &self.rows {
            line(&mut row.iter().map(String::as_str));
        }
        for note in &self.notes {
            let _ = writeln!(text, "  {note}");
        }
        for judgement in &self.judgements {
            let _ = writeln!(text, "  {:<8}{}", if judgement.met { "met" } else { "MISSED" }, judgement.text);
        }
        for failure in &self.failures {
            let _ = writeln!(text, "  FAILED  {failure}");
        }
        text
    }

    /// For programs.
    pub fn csv(&self) -> String {
        let mut text = self.headings.join(",") + "\n";
        self.rows.iter().for_each(|row| text += &(row.join(",") + "\n"));
        text
    }

    /// For documents.
    pub fn markdown(&self) -> String {
        let mut text = format!("| {} |\n|{}\n", self.headings.join(" | "), " --- |".repeat(self.headings.len()));
        self.rows.iter().for_each(|row| text += &format!("| {} |\n", row.join(" | ")));
        self.notes.iter().for_each(|note| text += &format!("\n{note}\n"));
        text
    }
}

/// Three digits of seconds.
pub fn seconds(value: f64) -> String {
    match value {
        v if v >= 1.0 => format!("{v:.2}"),
        v if v >= 0.01 => format!("{v:.3}"),
        v => format!("{v:.5}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_is_written_in_three_ways() {
        let sheet = Sheet {
            headings: vec!["model", "events"],
            rows: vec![vec!["a".to_owned(), "10".to_owned()], vec!["longer".to_owned(), "1000000".to_owned()]],
            notes: vec!["a note".to_owned()],
            judgements: vec![Judgement { text: "slow".to_owned(), met: false }],
            ..Sheet::default()
        };
        assert_eq!(sheet.text(), "  model    events\n  a            10\n  longer  1000000\n  a note\n  MISSED  slow\n");
        assert_eq!(sheet.csv(), "model,events\na,10\nlonger,1000000\n");
        assert_eq!(sheet.markdown(), "| model | events |\n| --- | --- |\n| a | 10 |\n| longer | 1000000 |\n\na note\n");
        assert!(Sheet::skipped("nobody").text().contains("skipped: nobody"));
    }
}
