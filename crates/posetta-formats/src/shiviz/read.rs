//! Reading logs.
//!
//! One loop over the window: the next delimiter bounds where the next record may be; what lies between is left over, and a
//! left-over line may itself be a delimiter of the usual shape. A record or delimiter that begins behind the window's limit
//! waits for the window to slide.

use std::borrow::Cow;
use std::io::BufRead;
use std::ops::Range;

use super::cut::{self, Cutter, KNOWN, Record, usual_delimiter};
use super::expression::{Delimiter, Expression};
use super::recording::{Found, Groups, Recording};
use super::window::{LONGEST, WINDOW, Window, floor};
use super::{is_expression, is_plausible};
use crate::{ReadOptions, Run};
use posetta_base::{Budget, Claim, Diagnostic, Error, Kind, Place};
use posetta_trace::{ENOUGH, Trace};

const READING: &str = "reading the run";

/// Records between two looks at the budget.
const STRIDE: usize = 1024;

/// Reads the runs of a log.
///
/// # Errors
/// With every mistake found, or when the budget is spent.
pub fn read(reader: impl BufRead, options: &ReadOptions, budget: &Budget) -> Result<Vec<Run>, Error> {
    read_parts(vec![reader], &mut Vec::new(), options, budget)
}

/// Reads the runs of a log that lies in several files, which are cut alike; no record goes from one into the next. `first_lines` gets the line of all in which
/// each begins.
pub(crate) fn read_parts<R: BufRead>(
    parts: Vec<R>,
    first_lines: &mut Vec<u64>,
    options: &ReadOptions,
    budget: &Budget,
) -> Result<Vec<Run>, Error> {
    let sequence = parts.len() < 2;
    let mut all: Option<(Reading<'_>, String, String)> = None;
    let mut lines = 0;
    for part in parts {
        first_lines.push(lines + 1);
        let mut window = Window::after(part, lines);
        let claim = budget.claim(WINDOW as u64, READING)?;
        window.slide(0)?;
        let header = Header::find(window.text(), options)?;
        let source = header.expression.source().to_owned();
        let (reading, ..) = match &mut all {
            Some(known) if known.1 != source => return Err(cut_otherwise(&known.1, &source, lines + 1).into()),
            Some(known) => known,
            none => {
                check_groups(&header.expression, options)?;
                let start = &window.text()[..floor(window.text(), window.text().len().min(4096))];
                let groups = Groups::new(header.expression.other_groups(), &options.set);
                let reading = Reading {
                    cutter: Cutter::new(header.expression),
                    delimiter: header.delimiter.clone(),
                    groups,
                    lines: Lines { at: 0, number: 1 },
                    line: 0..0,
                    current: Recording::new(None, 1),
                    runs: Vec::new(),
                    warnings: Vec::new(),
                    mistakes: Vec::new(),
                    claim,
                    budget,
                    certain: header.certain,
                    said: header.said,
                    sequence,
                };
                none.insert((reading, source, start.to_owned()))
            }
        };
        reading.delimiter = header.delimiter;
        reading.warnings.extend(header.warning);
        reading.lines = Lines { at: 0, number: lines + 1 };
        reading.line = 0..0;
        lines = reading.cut(window, header.end)?;
    }
    match all {
        Some((reading, source, start)) => reading.finish(&start, &source),
        None => Ok(Vec::new()),
    }
}

/// Groups that are to be variables are groups of the expression.
fn check_groups(expression: &Expression, options: &ReadOptions) -> Result<(), Diagnostic> {
    let name_of = |name: &String| format!("`{name}`");
    for name in &options.set {
        let known: Vec<String> = expression.other_groups().map(str::to_owned).collect();
        if !known.contains(name) {
            let help = match known.as_slice() {
                [] => "the expression has no groups beside host, clock and event".to_owned(),
                known => format!("its groups are {}", known.iter().map(name_of).collect::<Vec<_>>().join(", ")),
            };
            let message = format!("--set names `{name}`, but the expression has no such group");
            return Err(Diagnostic::new(Kind::Input, message).help(help));
        }
    }
    Ok(())
}

/// Logs of one run whose records look differently.
fn cut_otherwise(first: &str, other: &str, line: u64) -> Diagnostic {
    Diagnostic::new(Kind::Input, "the records of this log look different from those of the first")
        .at(Place::line_only(line))
        .label(format!("they are matched by {other}, those of the first by {first}"))
        .help("say with --regex how records look, or bring the logs into JSON lines with `posetta convert`")
}

/// How a log is to be cut, and where it begins.
struct Header {
    expression: Expression,
    delimiter: Option<Delimiter>,
    end: usize,
    /// The file says itself that it is a log, and so one without records is a run without events.
    certain: bool,
    /// Somebody has said how records look, the file itself or whoever gives it.
    said: bool,
    /// It may be cut otherwise as well.
    warning: Option<Diagnostic>,
}

impl Header {
    fn find(text: &str, options: &ReadOptions) -> Result<Self, Error> {
        let line = |from: usize| {
            let end = memchr::memchr(b'\n', &text.as_bytes()[from..]).map_or(text.len(), |i| from + i);
            (&text[from..end], (end + 1).min(text.len()))
        };
        let (first, log) = line(0);
        let has_header = is_expression(first);
        let said = has_header || options.expression.is_some();
        let (expression, warning) = match &options.expression {
            Some(expression) => (expression.clone(), None),
            None if has_header => (Expression::new(first.trim())?, None),
            None => known(text, options.delimiter.as_ref())?,
        };
        let mut header =
            Self { expression, delimiter: options.delimiter.clone(), end: 0, certain: has_header, said, warning };
        if !has_header {
            return Ok(header);
        }
        header.end = log;
        let (second, after) = line(log);
        let is_record = || Cutter::new(header.expression.clone()).next(text, log).is_some_and(|r| r.whole.start == log);
        if second.trim().is_empty() || is_record() {
            return Ok(header);
        }
        if header.delimiter.is_none() {
            let delimiter = Delimiter::new(second.trim()).map_err(|mut d| {
                let place = d.place.take().unwrap_or_default();
                let start = place.column.saturating_sub(1) as usize;
                let byte = |chars: usize| second.char_indices().nth(chars).map_or(second.len(), |(i, _)| i);
                let help =
                    "the second line of a log that brings its expression is its delimiter; leave it empty for none";
                d.at(Place::in_line(2, second, byte(start), byte(start + place.width as usize))).help(help)
            })?;
            header.delimiter = Some(delimiter);
        }
        header.end = after;
        Ok(header)
    }
}

/// The known expression that fits, delimiters left out.
fn known(text: &str, delimiter: Option<&Delimiter>) -> Result<(Expression, Option<Diagnostic>), Diagnostic> {
    let start = &text[..floor(text, cut::ENOUGH.min(text.len()))];
    let start = delimiter.map_or(Cow::Borrowed(start), |d| d.regex.replace_all(start, ""));
    let best = cut::recognise(&start, is_plausible).or_else(|| cut::recognise(&start, |_, _| true));
    match best {
        Some((i, rival)) => {
            let warning = rival.map(|other| {
                let message =
                    format!("this log may be read in two ways: as one of {} or of {}", KNOWN[i].0, KNOWN[other].0);
                Diagnostic::new(Kind::Unmatched, message)
                    .at(Place::line_only(1))
                    .help(format!("it is read as the first; for the other say --regex '{}'", KNOWN[other].1))
            });
            Ok((Expression::new(KNOWN[i].1).expect("the known expressions are tested"), warning))
        }
        None => Err(no_record(text, None)),
    }
}

fn no_record(text: &str, source: Option<&str>) -> Diagnostic {
    let is_shown = |line: &str, number: u64| !line.trim().is_empty() && (number > 1 || !is_expression(line));
    let first = text.split('\n').zip(1..).find(|&(line, number)| is_shown(line, number));
    let Some((line, number)) = first else {
        return Diagnostic::new(Kind::Unmatched, "the log is empty").at(Place::line_only(1));
    };
    let (message, label) = match source {
        Some(source) => ("the expression matches nothing in the log".to_owned(), format!("expected {source}")),
        None => {
            let names: Vec<&str> = KNOWN.iter().map(|(name, _)| *name).collect();
            let label = format!("tried the expressions of {}", names.join(", "));
            ("no known expression matches this log".to_owned(), label)
        }
    };
    Diagnostic::new(Kind::Unmatched, message)
        .at(Place::in_line(number, line, 0, line.len()))
        .label(label)
        .help("say how a record looks with --regex, such as --regex '(?<host>\\S+) (?<clock>{.*})\\n(?<event>.*)'")
}

/// Counts lines up to a place that only moves on.
struct Lines {
    at: usize,
    number: u64,
}

impl Lines {
    fn of(&mut self, text: &str, at: usize) -> u64 {
        if at > self.at {
            self.number += count_lines(&text[self.at..at]);
            self.at = at;
        }
        self.number
    }
}

fn count_lines(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}

/// A delimiter in the window.
#[derive(Clone)]
struct Border {
    span: Range<usize>,
    label: Option<String>,
}

struct Reading<'a> {
    cutter: Cutter,
    delimiter: Option<Delimiter>,
    groups: Groups,
    lines: Lines,
    /// The last line that had something left over, in the window.
    line: Range<usize>,
    current: Recording,
    runs: Vec<Run>,
    /// What is worth saying of the log, for the run that comes next.
    warnings: Vec<Diagnostic>,
    mistakes: Vec<Diagnostic>,
    claim: Claim,
    budget: &'a Budget,
    certain: bool,
    said: bool,
    /// The lines are one sequence, because they are in one file.
    sequence: bool,
}

impl Reading<'_> {
    /// Cuts one file, and answers with the number of its last line.
    fn cut(&mut self, mut window: Window<impl BufRead>, mut at: usize) -> Result<u64, Error> {
        // `None` if it has to be looked for, `Some(None)` if the window has none.
        let mut border: Option<Option<Border>> = None;
        loop {
            if self.mistakes.len() >= ENOUGH {
                break;
            }
            let text = window.text();
            let limit = window.limit();
            let next = border.get_or_insert_with(|| self.border(text, at)).clone();
            let hay = next.as_ref().map_or(text, |b| &text[..b.span.start]);
            let record = self.cutter.next(hay, at);
            if let Some(record) = record.filter(|r| window.ended() || r.whole.start <= limit) {
                if record.whole.len() > LONGEST {
                    let line = self.lines.of(text, record.whole.start);
                    self.mistakes.push(too_long(line, "a record"));
                    break;
                }
                self.left_over(text, at..record.whole.start)?;
                self.record(text, &record)?;
                at = record.whole.end;
            } else if let Some(b) = next.clone().filter(|b| window.ended() || b.span.end <= limit) {
                self.left_over(text, at..b.span.start)?;
                let line = self.lines.of(text, b.span.start);
                self.budget.step(0, READING)?;
                self.next_run(b.label, line)?;
                at = b.span.end;
                border = None;
            } else if window.ended() {
                self.left_over(text, at..text.len())?;
                break;
            } else {
                // A delimiter that goes on behind the limit is kept whole, as is the line at the limit.
                let bound = next.map_or(limit, |b| limit.min(b.span.start)).max(at);
                let line = memchr::memrchr(b'\n', &text.as_bytes()[at..bound]).map_or(at, |i| at + i + 1);
                // All but the character of context has gone, and still nothing fits.
                if line == at && at <= 4 && text.len() >= WINDOW {
                    let line = self.lines.of(text, at);
                    self.mistakes.push(too_long(line, "a line or record"));
                    break;
                }
                self.left_over(text, at..line)?;
                self.lines.of(text, line);
                self.budget.step(0, READING)?;
                match window.slide(line) {
                    Ok(moved) => {
                        at = line - moved;
                        self.lines.at -= moved;
                        self.line = 0..0;
                        border = None;
                    }
                    Err(diagnostic) => {
                        self.mistakes.push(diagnostic);
                        break;
                    }
                }
            }
        }
        Ok(window.lines())
    }

    /// The runs, when everything is read.
    fn finish(mut self, first: &str, source: &str) -> Result<Vec<Run>, Error> {
        self.next_run(None, 0)?;
        if !self.mistakes.is_empty() {
            self.mistakes.truncate(ENOUGH);
            return Err(Error::Invalid(self.mistakes));
        }
        if self.runs.is_empty() && self.certain && self.current.is_blank() {
            self.runs.push(std::mem::take(&mut self.current).finish(
                &self.groups,
                self.said,
                self.sequence,
                self.budget,
            )?);
        }
        let Some(last) = self.runs.last_mut() else {
            return Err(no_record(first, Some(source)).into());
        };
        last.warnings.append(&mut self.warnings);
        if self.runs.len() > 1 {
            for group in self.groups.open() {
                warn_of_two_meanings(&mut self.runs, group);
            }
        }
        Ok(self.runs)
    }

    /// The next delimiter of the window.
    fn border(&self, text: &str, at: usize) -> Option<Border> {
        let delimiter = self.delimiter.as_ref()?;
        let found = delimiter.regex.captures_at(text, at)?;
        let label = delimiter.trace.and_then(|group| found.get(group)).map(|m| m.as_str().trim().to_owned());
        let whole = found.get(0)?;
        Some(Border { span: whole.range(), label: label.filter(|l| !l.is_empty()) })
    }

    fn record(&mut self, text: &str, record: &Record) -> Result<(), Error> {
        let line = self.lines.of(text, record.whole.start);
        let clock_line = line + count_lines(&text[record.whole.start..record.clock.start.max(record.whole.start)]);
        let found = Found {
            text,
            host: record.host.clone(),
            clock: record.clock.clone(),
            event: record.event.clone(),
            line,
            clock_line,
        };
        match self.current.event(&found) {
            Err(mistake) => self.mistakes.push(mistake),
            Ok(()) => {
                for (group, span) in self.cutter.others() {
                    if let Err(mistake) = self.current.group(&self.groups, group, &found, span) {
                        self.mistakes.push(mistake);
                    }
                }
            }
        }
        if self.current.len().is_multiple_of(STRIDE) {
            self.budget.step(STRIDE as u64, READING)?;
            self.claim.grow_to(WINDOW as u64 + self.current.weight(), READING)?;
        }
        Ok(())
    }

    /// Text between two records. A line `=== LABEL ===` in it begins another run, if no delimiter was given.
    fn left_over(&mut self, text: &str, span: Range<usize>) -> Result<(), Error> {
        let mut at = span.start;
        while at < span.end {
            let end = memchr::memchr(b'\n', &text.as_bytes()[at..span.end]).map_or(span.end, |i| at + i);
            let line = &text[at..end];
            if !line.trim().is_empty() {
                let number = self.lines.of(text, at);
                let whole = (at == 0 || text.as_bytes()[at - 1] == b'\n')
                    && text.as_bytes().get(end).is_none_or(|&b| b == b'\n');
                match usual_delimiter(line).filter(|_| whole && self.delimiter.is_none()) {
                    Some(label) => {
                        let label = Some(label.to_owned()).filter(|l| !l.is_empty());
                        self.next_run(label, number)?;
                    }
                    None => {
                        // A line may have many pieces, so its borders are not searched for each of them.
                        if at < self.line.start || end > self.line.end {
                            let start = memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |i| i + 1);
                            let rest = memchr::memchr(b'\n', &text.as_bytes()[end..]);
                            self.line = start..rest.map_or(text.len(), |i| end + i);
                        }
                        let Range { start, end: border } = self.line;
                        let (line, ended) = (&text[start..border], border < text.len());
                        self.current.leave_over(number, line, ended, at - start..end - start);
                    }
                }
            }
            at = end + 1;
        }
        Ok(())
    }

    /// Ends the run, and begins another one that has this label.
    fn next_run(&mut self, label: Option<String>, line: u64) -> Result<(), Error> {
        let next = Recording::new(label, line);
        let mut done = std::mem::replace(&mut self.current, next);
        if done.is_empty() {
            self.current.inherit(&mut done);
            if let Some(label) = &done.label {
                let message = format!("the run `{label}` has no record");
                self.warnings.push(Diagnostic::new(Kind::Unmatched, message).at(Place::line_only(done.line)));
            }
            return Ok(());
        }
        if !self.mistakes.is_empty() {
            return Ok(());
        }
        // Finishing claims what stays.
        self.claim = self.budget.claim(WINDOW as u64, READING)?;
        match done.finish(&self.groups, self.said, self.sequence, self.budget) {
            Ok(mut run) => {
                run.warnings.splice(0..0, self.warnings.drain(..));
                self.runs.push(run);
            }
            Err(Error::Invalid(mistakes)) => self.mistakes.extend(mistakes),
            Err(over) => return Err(over),
        }
        Ok(())
    }
}

/// A group is a variable if all its values in a run are numbers, so it may be one in some runs only. A property about it
/// would then mean something else there.
fn warn_of_two_meanings(runs: &mut [Run], group: &str) {
    let is_variable = |trace: &Trace| {
        trace.processes().any(|p| trace.find_variable(&format!("{}.{group}", trace.process_name(p))).is_some())
    };
    if !runs.iter().any(|run| is_variable(&run.trace)) {
        return;
    }
    for run in runs.iter_mut().filter(|run| !is_variable(&run.trace)) {
        let trace = &run.trace;
        let Some(event) = trace.events().find(|&e| trace.attributes(e).any(|(key, _)| key == group)) else { continue };
        let message =
            format!("`{group}` is not always a number in this run, so it is not a variable here, as it is in others");
        let line = trace.line(event);
        run.warnings.push(
            Diagnostic::new(Kind::Type, message)
                .at(Place::line_only(line))
                .help(format!("--set {group} makes it one everywhere, of strings too")),
        );
    }
}

#[cold]
fn too_long(line: u64, what: &str) -> Diagnostic {
    Diagnostic::new(Kind::Unmatched, format!("{what} of more than {} KiB", LONGEST >> 10))
        .at(Place::line_only(line))
        .label("records are looked for in a window of the log that is not longer")
        .help("does the expression of --regex go on over too many lines?")
}
