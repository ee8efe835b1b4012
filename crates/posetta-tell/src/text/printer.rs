//! A report for people, subject by subject: what has been printed need not be kept.

use std::fmt::Write;

use super::{is_shown, subject};
use crate::amounts::{counted, grouped};
use crate::page::fit;
use crate::paint::{Paint, clean};
use crate::report::Block;
use crate::report::{Answer, Subject, Summary, Title};
use crate::word::{Tally, Word};

/// Of more subjects than this not all are shown: so many of those on which something does not hold.
const MANY: usize = 100;
const SHOWN: usize = 20;

/// With more subjects than this, what does not hold is listed at the end.
const SURVEYED: usize = 20;
/// So much of it.
const LISTED: usize = 1000;

/// What became of a subject as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Everything holds.
    Fine,
    /// What does not hold was known before.
    Known,
    Failing,
}

/// Prints a report while its subjects come, in their order.
///
/// Of many subjects those are shown on which something does not hold. Whether there are many may be known only when they have come: a
/// subject of which more may follow is held back until that is clear, at most a hundred of them.
pub struct Printer {
    paint: Paint,
    /// A last line follows, and an empty line each subject.
    has_summary: bool,
    many: bool,
    held: Vec<(Standing, String)>,
    subjects: usize,
    shown: usize,
    fine: u64,
    known: u64,
    others: u64,
    /// What does not hold, a line each, and how many lines are left out.
    failing: Vec<String>,
    more_failing: u64,
    tally: Tally,
}

impl Printer {
    /// For at least so many subjects.
    #[must_use]
    pub fn new(subjects: usize, has_summary: bool, paint: Paint) -> Self {
        Self {
            paint,
            has_summary,
            many: Self::counts_fine(subjects),
            held: Vec::new(),
            subjects: 0,
            shown: 0,
            fine: 0,
            known: 0,
            others: 0,
            failing: Vec::new(),
            more_failing: 0,
            tally: Tally::default(),
        }
    }

    /// Whether of so many subjects, at least, those on which everything holds are only counted.
    #[must_use]
    pub fn counts_fine(subjects: usize) -> bool {
        subjects > MANY
    }

    /// Takes a subject on which everything holds if it is one of many: nobody needs to tell it.
    pub fn takes_fine(&mut self, answers: u64) -> bool {
        let takes = self.many && self.held.is_empty();
        if takes {
            self.subjects += 1;
            self.fine += 1;
            self.tally.holds += answers;
        }
        takes
    }

    /// The next subject. Answers with what is to be printed now. If it is `alone`, nothing else will come from where it came from, so
    /// that it is no reason to wait.
    pub fn subject(&mut self, about: &Subject<'_>, alone: bool) -> String {
        self.subjects += 1;
        let mut standing = Standing::Fine;
        for own in &about.answers {
            self.tally.add(own.word, own.known);
            match (own.word, own.known) {
                (Word::Holds, _) => {}
                (_, true) => standing = if standing == Standing::Fine { Standing::Known } else { standing },
                (_, false) => {
                    standing = Standing::Failing;
                    self.list(about, own);
                }
            }
        }
        if self.subjects > MANY && !self.many {
            self.many = true;
            let held = std::mem::take(&mut self.held);
            let mut out: String =
                held.into_iter().map(|(standing, text)| self.one_of_many(standing, || text)).collect();
            out.push_str(&self.one_of_many_now(standing, about));
            return out;
        }
        if self.many {
            return self.one_of_many_now(standing, about);
        }
        let text = self.text(about);
        if alone && self.held.is_empty() {
            return text;
        }
        self.held.push((standing, text));
        String::new()
    }

    fn one_of_many_now(&mut self, standing: Standing, about: &Subject<'_>) -> String {
        let (paint, has_summary) = (self.paint, self.has_summary);
        self.one_of_many(standing, || text(about, has_summary, paint))
    }

    fn one_of_many(&mut self, standing: Standing, text: impl FnOnce() -> String) -> String {
        match standing {
            Standing::Fine => self.fine += 1,
            Standing::Known => self.known += 1,
            Standing::Failing if self.shown == SHOWN => self.others += 1,
            Standing::Failing => {
                self.shown += 1;
                return text();
            }
        }
        String::new()
    }

    fn text(&self, about: &Subject<'_>) -> String {
        text(about, self.has_summary, self.paint)
    }

    /// Notes something that does not hold.
    fn list(&mut self, about: &Subject<'_>, answer: &Answer<'_>) {
        let Title::Name(name) = &about.title else { return };
        if self.failing.len() == LISTED {
            self.more_failing += 1;
            return;
        }
        let run = if name == "-" { "standard input".into() } else { clean(name) };
        let property = self.paint.short(&answer.name, super::NAME);
        self.failing.push(format!("  {} {run}  {property}\n", answer.word.mark(self.paint)));
    }

    /// What stands behind the last subject; the last line, if there is one, may come by itself afterwards.
    #[must_use]
    pub fn finish(&mut self, summary: Option<Summary>) -> String {
        let mut out: String = std::mem::take(&mut self.held).into_iter().map(|(_, text)| text).collect();
        let paint = self.paint;
        if self.has_summary && self.subjects > SURVEYED && !self.failing.is_empty() {
            let _ = writeln!(out, "{}", paint.bold("what does not hold:"));
            self.failing.drain(..).for_each(|line| out.push_str(&line));
            if self.more_failing > 0 {
                let more = format!("  {} and {} more; --json has all", paint.sign('⋮'), grouped(self.more_failing));
                let _ = writeln!(out, "{}", paint.dim(&more));
            }
            out.push('\n');
        }
        let left_out = [
            (std::mem::take(&mut self.fine), "on which everything holds"),
            (std::mem::take(&mut self.known), "with nothing but known violations"),
        ];
        let others = std::mem::take(&mut self.others);
        let mut parts: Vec<String> = Vec::new();
        for (count, what) in left_out.into_iter().filter(|(count, _)| *count > 0) {
            parts.push(format!("{} {what}", counted(count, "run", "runs")));
        }
        if others > 0 {
            parts.push(format!("{} on which something does not", counted(others, "more", "more")));
        }
        if !parts.is_empty() {
            let _ = writeln!(out, "{}", paint.dim(&format!("not shown: {}; --json has all", parts.join(", "))));
        }
        if let Some(summary) = summary {
            self.last_line(&mut out, summary);
        }
        fit(out, paint.width)
    }

    fn last_line(&self, out: &mut String, summary: Summary) {
        let mut parts = self.tally.parts(self.paint);
        if parts.is_empty() {
            return;
        }
        if summary.errors > 0 {
            parts.push(self.paint.red(&counted(summary.errors as u64, "error", "errors")));
        }
        let properties = counted(summary.properties as u64, "property", "properties");
        let on = summary.runs.map_or(String::new(), |runs| format!(" on {}", counted(runs as u64, "run", "runs")));
        let _ = writeln!(out, "{properties}{on}: {}", parts.join(", "));
    }
}

/// A subject whole, as far as somebody wants to see it.
fn text(about: &Subject<'_>, has_summary: bool, paint: Paint) -> String {
    let mut out = String::new();
    // What nobody asked about is told to who wants it quiet only where nothing else is.
    let rest: &[Block<'_>] = if paint.quiet && has_summary { &[] } else { &about.rest };
    if !about.answers.is_empty() && rest.is_empty() && !about.answers.iter().any(|own| is_shown(own, paint)) {
        return out;
    }
    subject(&mut out, about, rest, paint);
    if has_summary && !out.ends_with("\n\n") {
        out.push('\n');
    }
    fit(out, paint.width)
}
