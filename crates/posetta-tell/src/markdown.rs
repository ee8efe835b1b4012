//! A report as Markdown: a table of verdicts, then what shows each of those that do not hold.
//!
//! Whatever comes from an input stands in code, between more backticks than it has itself, and is clean: it can neither end the code
//! nor the line.

use std::fmt::Write;

use crate::amounts::{counted, grouped};
use crate::page::wrap;
use crate::paint::{Paint, clean};
use crate::report::{Answer, Remark, Report, Subject};
use crate::text;
use crate::word::{Tally, Word};

/// Of more subjects than this the table has those on which something does not hold.
const MANY: usize = 100;
/// So much is kept for what is said last.
const LAST: usize = 400;

/// The whole document. `paint` says how wide the pictures in it are. With `most`, it has at most so many bytes, and says what it leaves
/// out.
#[must_use]
pub fn document(report: &Report<'_>, paint: Paint, most: Option<usize>) -> String {
    let paint = Paint { colours: false, quiet: false, ..paint };
    let room = most.unwrap_or(usize::MAX).saturating_sub(LAST);
    let mut page = Page { out: String::new(), room, left_out: 0 };
    page.out.push_str(&headline(report));
    let rows: Vec<(&Subject<'_>, &Answer<'_>)> = report
        .subjects
        .iter()
        .flat_map(|subject| subject.answers.iter().map(move |answer| (subject, answer)))
        .collect();
    let is_long = report.subjects.len() > MANY;
    let shown = || rows.iter().filter(|(_, answer)| !is_long || answer.word != Word::Holds);
    if shown().next().is_some() {
        page.out.push_str("\n| | on | property | verdict |\n| --- | --- | --- | --- |\n");
    }
    let cut = shown().map(|(subject, answer)| page.put(&row(subject, answer))).filter(|fits| !fits).count();
    if is_long {
        let fine = rows.iter().filter(|(_, answer)| answer.word == Word::Holds).count();
        page.put(&format!("\n{} not listed.\n", counted(fine as u64, "answer that holds is", "answers that hold are")));
    }
    for remark in report.remarks.iter().filter(|remark| remark.is_error) {
        page.put(&remarked(remark));
    }
    for (subject, answer) in rows.iter().filter(|(_, answer)| answer.word != Word::Holds && !answer.known) {
        page.put(&section(subject, answer, paint));
    }
    for subject in &report.subjects {
        let rest = text::rest(subject, paint);
        if !rest.is_empty() {
            page.put(&format!("\n{}:\n\n{}", code(&subject.title.text()), fenced(&rest)));
        }
    }
    let warnings: Vec<&Remark> = report.remarks.iter().filter(|remark| !remark.is_error).collect();
    if !warnings.is_empty() {
        let count = counted(warnings.len() as u64, "warning", "warnings");
        let drawn: String = warnings.iter().map(|remark| remark.drawn.as_str()).collect();
        page.put(&folded(&count, &fenced(drawn.trim_end())));
    }
    let left_out = page.left_out;
    if left_out > 0 {
        let rows = if cut > 0 { format!(", {} of them rows of the table", grouped(cut as u64)) } else { String::new() };
        let parts = counted(left_out as u64, "part of this report is", "parts of this report are");
        let limit = grouped(most.unwrap_or(0) as u64);
        let _ = writeln!(page.out, "\n**Cut:** {parts} left out{rows}. There is room for {limit} bytes.");
    }
    page.out
}

/// What fits.
struct Page {
    out: String,
    room: usize,
    left_out: usize,
}

impl Page {
    /// Adds a part as a whole, or counts that it has no room.
    fn put(&mut self, part: &str) -> bool {
        let fits = self.out.len() + part.len() <= self.room;
        if fits {
            self.out.push_str(part);
        } else {
            self.left_out += 1;
        }
        fits
    }
}

/// What became of everything, in a line.
fn headline(report: &Report<'_>) -> String {
    let mut tally = Tally::default();
    let answers = report.subjects.iter().flat_map(|subject| &subject.answers);
    answers.for_each(|answer| tally.add(answer.word, answer.known));
    let mut parts = tally.parts(Paint::plain());
    let errors = report.remarks.iter().filter(|remark| remark.is_error).count() as u64;
    if errors > 0 {
        parts.push(counted(errors, "error", "errors"));
    }
    if let Some(over) = report.stopped {
        parts.push(escaped(&text::open(over)));
    }
    let said = if parts.is_empty() { "nothing was asked".to_owned() } else { parts.join(", ") };
    format!("## Posetta: {said}\n")
}

fn row(subject: &Subject<'_>, answer: &Answer<'_>) -> String {
    let sign = answer.word.mark(Paint::plain());
    let title = cell(&subject.title.text());
    let name = if answer.name.is_empty() { String::new() } else { cell(&answer.name) };
    format!("| {sign} | {title} | {name} | {} |\n", escaped(&answer.sentence))
}

/// What shows an answer: folded, below its sentence.
fn section(subject: &Subject<'_>, answer: &Answer<'_>, paint: Paint) -> String {
    let sign = answer.word.mark(Paint::plain());
    let on = match answer.name.as_str() {
        "" => String::new(),
        name => format!("{} on ", code(name)),
    };
    let mut out = format!("\n### {sign} {on}{}\n\n{}\n", code(&subject.title.text()), escaped(&answer.sentence));
    let evidence = text::evidence(subject, answer, paint);
    if !evidence.is_empty() {
        out.push_str(&folded("Why", &fenced(&evidence)));
    }
    out
}

fn remarked(remark: &Remark) -> String {
    let problem = &remark.problem;
    let place = problem.written().map_or(String::new(), |written| {
        let line = if written.line > 0 { format!(":{}", written.line) } else { String::new() };
        format!(" in {}", code(&format!("{}{line}", written.file.unwrap_or_default())))
    });
    let mut out = format!("\n### Error{place}\n\n");
    for line in wrap(&escaped(&problem.diagnostic.message), usize::MAX, 0) {
        let _ = writeln!(out, "{line}");
    }
    out.push_str(&folded("Where", &fenced(remark.drawn.trim_end())));
    out
}

fn folded(summary: &str, inside: &str) -> String {
    format!("\n<details><summary>{summary}</summary>\n\n{inside}\n</details>\n")
}

/// Lines as they are, between fences that are longer than any in them.
pub(crate) fn fenced(text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    let lines: Vec<_> = text.lines().map(clean).collect();
    format!("{fence}text\n{}\n{fence}\n", lines.join("\n"))
}

/// Code in a line.
fn code(text: &str) -> String {
    let text = clean(text);
    let fence = "`".repeat(longest_run(&text) + 1);
    let is_at_edge = |c: char| c == '`' || c == ' ';
    let pad = if text.starts_with(is_at_edge) || text.ends_with(is_at_edge) { " " } else { "" };
    if text.is_empty() { "` `".to_owned() } else { format!("{fence}{pad}{text}{pad}{fence}") }
}

/// Code in a table, where a bar would end the cell even in code.
fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}

/// Our own words, which may quote an input: nothing in them means anything.
pub(crate) fn escaped(text: &str) -> String {
    let text = clean(text);
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        // A colon begins the name of a picture, or ends a scheme, only if something follows it at once.
        let is_plain_colon = c == ':' && rest.peek().is_none_or(|next| *next == ' ');
        if "\\`*_{}[]<>&#|~$:@!^".contains(c) && !is_plain_colon {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// How many backticks follow each other at most.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Title;

    #[test]
    fn nothing_breaks_out() {
        assert_eq!(fenced("a\n```\nb"), "````text\na\n```\nb\n````\n");
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("`a``"), "``` `a`` ```");
        assert_eq!(code("a\nb"), "`a\\nb`");
        assert_eq!(cell("a | b"), "`a \\| b`");
        assert_eq!(escaped("<b> @x *a*: http://x"), "\\<b\\> \\@x \\*a\\*: http\\://x");
    }

    #[test]
    fn what_has_no_room_is_counted() {
        let mut subject = Subject::new(Title::Name("a".to_owned()), Vec::new());
        subject.answers.extend((0..50).map(|i| Answer::new(format!("p{i}"), Word::Violated, "violated")));
        let report = Report { subjects: vec![subject], ..Report::default() };
        let whole = document(&report, Paint::plain(), None);
        assert!(!whole.contains("Cut"), "{whole}");
        let cut = document(&report, Paint::plain(), Some(1_000));
        assert!(cut.len() <= 1_000 && cut.contains("**Cut:**"), "{cut}");
    }
}
