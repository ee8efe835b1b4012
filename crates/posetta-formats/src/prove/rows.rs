//! A table, row by row.

use std::io::BufRead;

use rustc_hash::FxHashMap;

use crate::csv::split::{Splitter, delimiter_of};
use crate::lines::{self, READING};
use crate::source::Source;
use crate::states::is_number;
use posetta_base::{Budget, Claim, Diagnostic, Error, Kind, Number, Place, Span};

/// The columns that are known, those without which nothing can be read first.
const COLUMNS: [&str; 7] = ["eid", "processes", "vc", "timestamp", "props", "event_type", "msg_partner"];
const NEEDED: usize = 3;

/// What a table says.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The processes, those that the head names first.
    pub(super) processes: Vec<String>,
    numbers: FxHashMap<String, usize>,
    /// The head has named them: there are no others.
    named: bool,
    /// Clocks that are further apart than this order events.
    pub(super) epsilon: Option<Number>,
    pub(super) rows: Vec<Row>,
}

/// An event.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) line: u64,
    pub(super) id: String,
    /// The processes that take part.
    pub(super) processes: Vec<usize>,
    /// So many events of each process: those that are counted, by process.
    pub(super) clock: Vec<(usize, u32)>,
    pub(super) time: Option<Number>,
    pub(super) propositions: Vec<String>,
    pub(super) kind: String,
    pub(super) partner: String,
}

impl Row {
    /// How many events of a process it knows of.
    pub(super) fn knows(&self, process: usize) -> u32 {
        self.clock.iter().find(|(of, _)| *of == process).map_or(0, |(_, count)| *count)
    }
}

impl Table {
    /// The number of a process.
    fn process(&mut self, name: &str) -> Option<usize> {
        if let Some(&number) = self.numbers.get(name) {
            return Some(number);
        }
        if self.named || name.is_empty() {
            return None;
        }
        self.processes.push(name.to_owned());
        self.numbers.insert(name.to_owned(), self.processes.len() - 1);
        Some(self.processes.len() - 1)
    }

    /// Reads a table, and what it takes.
    pub(super) fn read(reader: impl BufRead, budget: &Budget) -> Result<(Self, Claim), Error> {
        let mut source = Source::new(reader, budget)?;
        let mut claim = budget.claim(0, READING)?;
        let mut table = Self::default();
        let mut columns: Option<(Splitter, [Option<usize>; COLUMNS.len()])> = None;
        let (mut mistakes, mut bytes) = (Vec::new(), 0);
        while source.next_line(0)? {
            let number = source.number();
            let line = match str::from_utf8(source.line()) {
                Ok(line) => line,
                Err(error) => {
                    let ended = !source.ending().is_empty();
                    mistakes.push(lines::not_utf8(number, source.line(), ended, error));
                    break;
                }
            };
            let text = line.trim();
            if text.is_empty() {
                continue;
            }
            let at = Where { number, line };
            if let Some(comment) = text.strip_prefix('#') {
                if columns.is_none() {
                    mistakes.extend(table.comment(comment, &at));
                }
                continue;
            }
            let Some((splitter, places)) = &mut columns else {
                let splitter = Splitter::new(delimiter_of(line));
                match head(splitter, &at) {
                    Ok(head) => columns = Some(head),
                    Err(mistake) => {
                        mistakes.push(mistake);
                        break;
                    }
                }
                continue;
            };
            match table.row(&at, splitter, places) {
                Ok(row) => {
                    bytes += size_of::<Row>() + 2 * line.len() + 64;
                    table.rows.push(row);
                }
                Err(mistake) => mistakes.push(mistake),
            }
            if mistakes.len() >= posetta_trace::ENOUGH {
                break;
            }
            claim.grow_to(bytes as u64, READING)?;
        }
        if mistakes.is_empty() && table.rows.is_empty() {
            let message = if columns.is_some() { "the table has no rows" } else { "the table is empty" };
            mistakes.push(Diagnostic::new(Kind::Syntax, message).at(Place::line_only(source.number().max(1))));
        }
        if mistakes.is_empty() { Ok((table, claim)) } else { Err(Error::Invalid(mistakes)) }
    }

    /// What a comment of the head says.
    fn comment(&mut self, comment: &str, at: &Where<'_>) -> Option<Diagnostic> {
        let (word, value) = comment.split_once(':')?;
        let value = value.trim();
        match word.trim() {
            "system_processes" => {
                for name in value.split('|').map(str::trim) {
                    if self.process(name).is_none() {
                        return Some(
                            at.mistake(value, "a process without a name").label("expected names and `|` between them"),
                        );
                    }
                }
                self.named = true;
                None
            }
            "epsilon" => match value {
                "inf" | "infinity" | "Infinity" => None,
                value => match value.parse::<Number>().ok().filter(|e| is_number(value) && *e >= Number::ZERO) {
                    Some(epsilon) => {
                        self.epsilon = Some(epsilon);
                        None
                    }
                    None => Some(
                        at.mistake(value, format!("`{value}` is not an epsilon"))
                            .label("expected a number that is not negative"),
                    ),
                },
            },
            _ => None,
        }
    }

    fn row(&mut self, at: &Where<'_>, splitter: &mut Splitter, places: &[Option<usize>; 7]) -> Result<Row, Diagnostic> {
        splitter.clear();
        match splitter.push(at.line) {
            Ok(true) => {}
            Ok(false) => return Err(at.mistake(at.line, "a quote that is not closed")),
            Err(trailing) => return Err(at.spanned(trailing.0, "text after a closing quote")),
        }
        let cells = splitter.cells();
        let cell = |column: usize| {
            let found = places[column].and_then(|place| cells.get(place));
            found.map(|cell| cell.text(at.line)).unwrap_or_default().trim().to_owned()
        };
        let span = |column: usize| {
            let found = places[column].and_then(|place| cells.get(place));
            found.map_or(at.line.len()..at.line.len(), |cell| cell.span())
        };
        let id = cell(0);
        if id.is_empty() {
            return Err(at.spanned(span(0), "an event without an id").label("expected its name"));
        }
        let mut processes = Vec::new();
        for name in cell(1).split('|').map(str::trim) {
            match self.process(name) {
                Some(process) if processes.contains(&process) => {}
                Some(process) => processes.push(process),
                None => {
                    let mut mistake = at.spanned(span(1), format!("`{name}` is not a process"));
                    mistake.kind = Kind::Process;
                    return Err(mistake.label("expected one that the head names"));
                }
            }
        }
        let mut clock: Vec<(usize, u32)> = Vec::new();
        for entry in cell(2).split(';').map(str::trim).filter(|entry| !entry.is_empty()) {
            let parsed =
                entry.rsplit_once(':').and_then(|(name, count)| Some((name.trim(), count.trim().parse().ok()?)));
            let Some((name, count)) = parsed else {
                let mistake = at.spanned(span(2), format!("`{entry}` is not an entry of a clock"));
                return Err(mistake.label("expected processes and counts, such as P1:2;P2:0"));
            };
            let process = self.process(name).ok_or_else(|| {
                at.spanned(span(2), format!("`{name}` is not a process")).label("expected one that the head names")
            })?;
            if clock.iter().any(|(known, _)| *known == process) {
                return Err(at.spanned(span(2), format!("two entries for `{name}` in one clock")));
            }
            clock.push((process, count));
        }
        let time = match cell(3) {
            time if time.is_empty() => None,
            time => match time.parse::<Number>() {
                Ok(number) if is_number(&time) => Some(number),
                _ => return Err(at.spanned(span(3), format!("`{time}` is not a time")).label("expected a number")),
            },
        };
        let mut propositions: Vec<String> =
            cell(4).split('|').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        propositions.sort();
        propositions.dedup();
        Ok(Row { line: at.number, id, processes, clock, time, propositions, kind: cell(5), partner: cell(6) })
    }
}

type Columns = (Splitter, [Option<usize>; COLUMNS.len()]);

/// The line of names.
fn head(mut splitter: Splitter, at: &Where<'_>) -> Result<Columns, Diagnostic> {
    let whole = splitter.push(at.line);
    let names: Vec<String> = splitter.cells().iter().map(|cell| cell.text(at.line).trim().to_owned()).collect();
    let places = COLUMNS.map(|column| names.iter().position(|name| name == column));
    if let Some(missing) = (0..NEEDED).find(|&column| places[column].is_none()).or((whole != Ok(true)).then_some(0)) {
        let message = format!("the table has no column `{}`", COLUMNS[missing]);
        return Err(at.mistake(at.line, message).label("expected eid, processes, vc and perhaps timestamp and props"));
    }
    Ok((splitter, places))
}

/// A line, to say where something is.
struct Where<'a> {
    number: u64,
    line: &'a str,
}

impl Where<'_> {
    /// A mistake in a part of the line.
    fn mistake(&self, part: &str, message: impl Into<String>) -> Diagnostic {
        let start = self.line.find(part).unwrap_or(0);
        self.spanned(start..start + part.len(), message)
    }

    fn spanned(&self, span: std::ops::Range<usize>, message: impl Into<String>) -> Diagnostic {
        let mut place = Place::in_text(self.line, Span::new(span.start, span.end));
        place.line = self.number;
        Diagnostic::new(Kind::Syntax, message).at(place)
    }
}
