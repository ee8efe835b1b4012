//! Reading tables.

use std::borrow::Cow;
use std::io::BufRead;

use rustc_hash::FxHashMap;

use super::split::{Cell, Splitter, delimiter_of};
use crate::lines::{self, LONGEST_MESSAGE};
use crate::source::Source;
use crate::states::{self, States, is_number, scalar, too_long};
use crate::suspects::{self, Ends, Held, Suspect};
use posetta_base::{Budget, Diagnostic, Error, Kind, OverBudget, Place, Span, Value};
use posetta_trace::Trace;

/// Reads a run. If the format was only `guessed`, columns that look like those of events are refused.
///
/// # Errors
/// With every mistake found, or when the budget is spent.
pub fn read(reader: impl BufRead, guessed: bool, budget: &Budget) -> Result<Trace, Error> {
    Ok(states::read(Table::new(reader, guessed, budget)?, None, budget)?.trace)
}

/// A table that is read row by row.
pub(crate) struct Table<R> {
    source: Source<R>,
    names: Vec<String>,
    splitter: Splitter,
    /// The row, its line breaks included, and its first line.
    row: String,
    first_line: u64,
    sets: Vec<(u32, Value)>,
    /// Nobody has said that this is a table of states.
    guessed: bool,
    /// Columns whose names leave it to their cells what they are.
    doubtful: Vec<usize>,
    /// A column that tells streams apart, so that somebody knows what it is.
    key: Option<String>,
}

impl<R: BufRead> Table<R> {
    pub(crate) fn new(reader: R, guessed: bool, budget: &Budget) -> Result<Self, OverBudget> {
        Ok(Self {
            guessed,
            key: None,
            doubtful: Vec::new(),
            source: Source::new(reader, budget)?,
            names: Vec::new(),
            splitter: Splitter::new(b','),
            row: String::new(),
            first_line: 0,
            sets: Vec::new(),
        })
    }

    fn delimiter(&self) -> &'static str {
        match self.splitter.delimiter() {
            b';' => "`;`",
            b'\t' => "a tab",
            _ => "`,`",
        }
    }

    /// Reads a row that is not blank into `row` and cuts it.
    fn next_row(&mut self) -> Result<bool, Error> {
        self.row.clear();
        self.splitter.clear();
        loop {
            // What a row takes is its text and its cells.
            let held = 2 * self.row.capacity() + self.splitter.cells().len() * 32;
            if !self.source.next_line(held)? {
                let Some(quote) = self.splitter.open_quote() else { return Ok(false) };
                return Err(self.unclosed(quote).into());
            }
            let line = match str::from_utf8(self.source.line()) {
                Ok(line) => line,
                Err(error) => {
                    let ended = !self.source.ending().is_empty();
                    let mistake = lines::not_utf8(self.source.number(), self.source.line(), ended, error);
                    // What follows is in the same encoding.
                    self.source.give_up();
                    return Err(mistake.into());
                }
            };
            if self.row.is_empty() {
                let is_tab = self.splitter.delimiter() == b'\t';
                if line.bytes().all(|b| b == b' ' || (b == b'\t' && !is_tab)) {
                    continue;
                }
                self.first_line = self.source.number();
            }
            self.row.push_str(line);
            if self.names.is_empty() && self.first_line == self.source.number() {
                self.splitter = Splitter::new(delimiter_of(&self.row));
            }
            match self.splitter.push(&self.row) {
                Ok(true) => return Ok(true),
                Ok(false) => self.row.push_str(self.source.ending()),
                Err(trailing) => {
                    let expected = format!("expected {} or the end of the line", self.delimiter());
                    let mistake = self.mistake(Kind::Syntax, trailing.0, "text after a closing quote");
                    return Err(mistake.label(expected).help("a quote inside quotes is written twice: `\"\"`").into());
                }
            }
        }
    }

    fn unclosed(&self, quote: usize) -> Diagnostic {
        self.mistake(Kind::Truncated, quote..quote + 1, "a quote that is not closed; was the file cut off?")
            .label("the cell begins here, and the file ends inside it")
            .help("a quote inside quotes is written twice: `\"\"`")
    }

    /// A mistake in the row.
    fn mistake(&self, kind: Kind, span: std::ops::Range<usize>, message: &str) -> Diagnostic {
        let mut place = Place::in_text(&self.row, Span::new(span.start, span.end));
        place.line += self.first_line - 1;
        let mut message = message.to_owned();
        if let Some((cut, _)) = message.char_indices().nth(LONGEST_MESSAGE) {
            message.truncate(cut);
            message.push('…');
        }
        Diagnostic::new(kind, message).at(place)
    }

    /// The column that is shown at `span` tells that this is no sequence of states.
    fn not_of_a_state(&self, span: std::ops::Range<usize>, name: &str, suspect: Suspect) -> Diagnostic {
        let message =
            format!("the column `{name}` looks like {}, and a table is one sequence of states", suspect.noun());
        let mistake = self.mistake(Kind::Format, span, &message);
        mistake
            .label("expected values of variables, and nothing of who did it")
            .help("if each row is an event, say --map process=COLUMN; if each row is a state, say --from csv")
    }

    /// A column whose name leaves it to this row what it is, and which is nothing of a state.
    fn doubt(&self) -> Option<Diagnostic> {
        self.doubtful.iter().find_map(|&i| {
            let cell = self.splitter.cells().get(i)?;
            let text = cell.text(&self.row);
            let held = match &*text {
                "" => return None,
                text if is_number(text) => Held::number(text),
                text if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") => Held::Fraction,
                _ => Held::Other,
            };
            let name = &self.names[i];
            let is_clock = suspects::sounds_like_a_clock(name) && suspects::is_printed_clock(&text);
            let suspect = suspects::by_name(name, held).or(is_clock.then_some(Suspect::Clock))?;
            Some(self.not_of_a_state(cell.span(), name, suspect))
        })
    }

    /// Takes the row for the names of the variables.
    fn header(&mut self) -> Result<(), Error> {
        let cells = self.splitter.cells();
        let mut mistakes = Vec::new();
        let mut known: FxHashMap<String, usize> = FxHashMap::default();
        let mut names = Vec::with_capacity(cells.len());
        let (mut ends, mut doubtful) = (Ends::default(), Vec::new());
        if cells.iter().all(|cell| !cell.quoted && is_number(&cell.text(&self.row))) {
            let whole = self.mistake(Kind::Syntax, 0..self.row.len(), "numbers where names are expected");
            mistakes.push(
                whole
                    .label("expected the names of the columns")
                    .help("write the names of the variables into the first line"),
            );
        }
        let named = if mistakes.is_empty() { cells } else { &[] };
        for (i, cell) in named.iter().enumerate() {
            let name = cell.text(&self.row).into_owned();
            if name.is_empty() {
                let message = format!("column {} has no name", i + 1);
                let mistake = self.mistake(Kind::Syntax, cell.span(), &message);
                mistakes.push(mistake.label("expected the name of a variable").help(if i + 1 == cells.len() {
                    "name the column, or leave it out; does the line end in a delimiter too many?"
                } else {
                    "name the column, or leave it out"
                }));
            } else if let Some(first) = known.insert(name.clone(), i + 1) {
                let message = format!("two columns are called `{name}`");
                let mistake = self.mistake(Kind::AssignedTwice, cell.span(), &message);
                mistakes
                    .push(mistake.label(format!("so is column {first}")).help("give each column a name of its own"));
            }
            let asked = self.guessed && self.key.as_ref() != Some(&name);
            let end = asked && Ends::is_end(&name) && ends.completes(&name);
            // What is a suspect even if it is a fraction needs no look at its cells.
            let suspect = suspects::by_name(&name, Held::Fraction).or(end.then_some(Suspect::End));
            if asked && suspect.is_none() {
                let by_cells = suspects::by_name(&name, Held::Other).is_some() || suspects::sounds_like_a_clock(&name);
                doubtful.extend(by_cells.then_some(i));
            }
            if let Some(suspect) = suspect.filter(|_| asked) {
                mistakes.push(self.not_of_a_state(cell.span(), &name, suspect));
                break;
            }
            names.push(name);
        }
        if mistakes.is_empty() {
            self.names = names;
            self.doubtful = doubtful;
            return Ok(());
        }
        // Without names no row can be read.
        self.source.give_up();
        mistakes.truncate(posetta_trace::ENOUGH);
        Err(Error::Invalid(mistakes))
    }

    /// Reads the next row, whatever its cells mean. `false` at the end.
    ///
    /// # Errors
    /// As [`States::advance`].
    pub(crate) fn next_cells(&mut self) -> Result<bool, Error> {
        if !self.begin()? || !self.next_row()? {
            return Ok(false);
        }
        self.fit()?;
        Ok(true)
    }

    /// The cells of the row; those that are empty and not in quotes are none.
    pub(crate) fn cells(&self) -> impl Iterator<Item = Option<Cow<'_, str>>> {
        let text = |cell: &Cell| Some(cell.text(&self.row)).filter(|text| cell.quoted || !text.is_empty());
        self.splitter.cells().iter().map(text)
    }

    /// The row must have a cell for each name.
    fn fit(&self) -> Result<(), Error> {
        let cells = self.splitter.cells();
        let (have, want) = (cells.len(), self.names.len());
        if have != want {
            let count = |n: usize| if n == 1 { "one cell".to_owned() } else { format!("{n} cells") };
            let message = format!("{} where the first line has {want}", count(have));
            let (span, label) = match cells.get(want) {
                Some(first) => (first.span().start..self.row.len(), "expected the end of the line".to_owned()),
                None => {
                    let lacks = &self.names[have];
                    (self.row.len()..self.row.len(), format!("expected {} and a cell for `{lacks}`", self.delimiter()))
                }
            };
            let mistake = self.mistake(Kind::Syntax, span, &message).label(label);
            return Err(mistake
                .help(if have > want {
                    "a cell with a delimiter in it is written in quotes"
                } else {
                    "leave a cell empty where the variable keeps its value"
                })
                .into());
        }
        Ok(())
    }

    /// Takes the row for a state.
    fn state(&mut self) -> Result<(), Error> {
        self.fit()?;
        if let Some(mistake) = self.doubt() {
            self.source.give_up();
            return Err(mistake.into());
        }
        let cells = self.splitter.cells();
        let mut mistakes = Vec::new();
        for (i, cell) in cells.iter().enumerate() {
            let text = cell.text(&self.row);
            if text.is_empty() && !cell.quoted {
                continue;
            }
            if text.starts_with('{') && self.guessed && suspects::is_clock(&text) {
                let message = format!("a cell of `{}` looks like a vector clock", self.names[i]);
                let mistake = self.mistake(Kind::Format, cell.span(), &message);
                mistakes.push(mistake.label("expected a value of a state").help(
                    "if each row is an event, say --map process=COLUMN --map clock=COLUMN; if each row is a state, say --from csv",
                ));
                self.source.give_up();
                break;
            }
            match scalar(&text) {
                Ok(value) => self.sets.push((i as u32, value)),
                Err(states::TooLong) => {
                    let place = self.mistake(Kind::Digits, cell.span(), "").place.map_or_else(Place::default, |p| *p);
                    mistakes.push(too_long(place));
                }
            }
        }
        if mistakes.is_empty() {
            return Ok(());
        }
        self.sets.clear();
        mistakes.truncate(posetta_trace::ENOUGH);
        Err(Error::Invalid(mistakes))
    }
}

impl<R: BufRead> States for Table<R> {
    fn begin(&mut self) -> Result<bool, Error> {
        if self.names.is_empty() {
            if !self.next_row()? {
                return Ok(false);
            }
            self.header()?;
        }
        Ok(true)
    }

    fn advance(&mut self) -> Result<bool, Error> {
        self.sets.clear();
        if !self.begin()? || !self.next_row()? {
            return Ok(false);
        }
        self.state()?;
        Ok(true)
    }

    fn understand(&mut self, key: &str) {
        self.key = Some(key.to_owned());
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn sets(&mut self) -> &mut Vec<(u32, Value)> {
        &mut self.sets
    }

    fn line(&self) -> u64 {
        self.first_line.max(1)
    }

    fn offset(&self) -> u64 {
        self.source.offset()
    }

    fn nothing(&self) -> Diagnostic {
        let (message, help) = if self.names.is_empty() {
            (
                "the table is empty",
                "write the names of the variables into the first line, and one state into each further one",
            )
        } else {
            ("the table has no rows", "write one state into each line after the names; the first is the initial one")
        };
        Diagnostic::new(Kind::Syntax, message).at(Place::line_only(self.source.number().max(1))).help(help)
    }
}
