//! Reading the text format.

use std::io::BufRead;
use std::ops::{ControlFlow, Range};

use super::INITIAL;
use super::lexer::{Lexer, Name};
use crate::lines::{self, Line, Mistake, Parsed};
use crate::quote;
use posetta_base::{Budget, Diagnostic, Error, Kind, Number, ParseNumberError, ProcessId, Value, ValueId};
use posetta_trace::{Builder, Trace};

/// Reads a run.
///
/// # Errors
/// With every mistake found, or when the budget is spent.
pub fn read(reader: impl BufRead, budget: &Budget) -> Result<Trace, Error> {
    // The lines say what happened in each process, not in which order all of it was observed.
    lines::read(reader, false, budget, |builder, line| {
        let mut sentence = Sentence { lexer: Lexer::new(line.text), builder, line, go_on: true };
        let go_on = match sentence.read() {
            Ok(()) => sentence.go_on,
            Err(mistake) => {
                builder.lose_event();
                builder.report(line.diagnose(*mistake))
            }
        };
        if go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
}

/// Whether a line begins as one of this format does: with a name and a colon, or with a reference and an arrow.
pub(crate) fn looks_like(line: &str) -> bool {
    let mut lexer = Lexer::new(line);
    let Ok(name) = lexer.name("a line", "a name") else { return false };
    let indexed = match name.quoted {
        Some(_) => lexer.index_suffix().is_some(),
        None => split_reference(&line[name.span]).is_some(),
    };
    lexer.take(":") || (indexed && lexer.at_arrow())
}

/// Whether the start of a file, whose first line [looks like](looks_like) one of this format, has what other files with names and colons
/// have not: an arrow, a value or the name of an event. A level of a log is not a process.
pub(crate) fn is_likely(start: &str) -> bool {
    const LEVELS: [&str; 9] = ["trace", "debug", "info", "notice", "warn", "warning", "error", "fatal", "critical"];
    let level = |line: &str| {
        let word = line.split(':').next().unwrap_or_default().trim();
        LEVELS.iter().any(|level| word.eq_ignore_ascii_case(level))
    };
    let lines = || start.lines().filter(|line| looks_like(line));
    let has_event = |line: &str| line.split_whitespace().skip(1).any(|word| word.starts_with('@'));
    lines().any(|line| line.contains("->") || line.contains('=') || has_event(line)) && !lines().any(level)
}

/// Whether the lines at the start of a file all are lines of this format; the last one may be cut off.
pub(crate) fn is_written_in(start: &str) -> bool {
    let lines = match start.rfind('\n') {
        Some(end) => &start[..end],
        None => start,
    };
    match read(lines.as_bytes(), &Budget::with_memory(1 << 24)) {
        Ok(_) | Err(Error::OverBudget(_)) => true,
        // What an edge refers to, or what closes a cycle, may stand elsewhere.
        Err(error) => {
            let elsewhere = |m: &Diagnostic| matches!(m.kind, Kind::MissingEvent | Kind::Cycle | Kind::AssignedTwice);
            error.diagnostics().iter().all(elsewhere)
        }
    }
}

/// Process and digits at the last dot.
fn split_reference(word: &str) -> Option<(&str, &str)> {
    word.rsplit_once('.').filter(|(p, i)| !p.is_empty() && !i.is_empty() && i.bytes().all(|b| b.is_ascii_digit()))
}

/// One end of an edge.
struct Reference {
    process: ProcessId,
    index: u32,
    column: usize,
}

/// One line on its way into the builder.
struct Sentence<'a, 'b> {
    lexer: Lexer<'a>,
    builder: &'b mut Builder,
    line: &'b Line<'a>,
    go_on: bool,
}

const VALUE: &str = "a value: a number, true, false, a word or a string in quotes";

impl Sentence<'_, '_> {
    fn read(&mut self) -> Parsed<()> {
        if self.lexer.at_end() {
            return Ok(());
        }
        let start = self.lexer.at;
        let brace = self.line.text[start..].starts_with('{');
        let name = self
            .lexer
            .name("a line", "a process, `initial:` or an edge")
            .map_err(|m| if brace { m.help("this looks like JSON lines: read it with that format") } else { m })?;
        let indexed = name.quoted.is_some() && self.lexer.index_suffix().is_some();
        if self.lexer.at_arrow() {
            self.lexer.at = start;
            return self.edge();
        }
        if indexed || !self.lexer.take(":") {
            let expected = if indexed { "`->`" } else { "`:` after a process, or `->` in an edge" };
            return Err(self.lexer.unexpected("a process or an edge", expected));
        }
        if name.quoted.is_none() && &self.line.text[name.span.clone()] == INITIAL {
            self.initial()
        } else {
            self.process(&name)
        }
    }

    fn initial(&mut self) -> Parsed<()> {
        loop {
            let var = self.lexer.name("a list of first values", "a variable")?;
            let value = self.value_of(&var)?;
            let id = at(self.builder.variable(&var.text(self.line.text)), &var)?;
            if !self.builder.declare(id, value) {
                self.twice(&var, "declared");
            }
            if !self.lexer.take(",") {
                break;
            }
        }
        if self.lexer.at_end() {
            return Ok(());
        }
        Err(self.lexer.unexpected("a list of first values", "`,` or the end of the line"))
    }

    fn process(&mut self, name: &Name) -> Parsed<()> {
        let text = name.text(self.line.text);
        if text.is_empty() {
            return Err(nameless(name));
        }
        let process = at(self.builder.process(&text), name)?;
        if self.lexer.at_end() {
            return Ok(());
        }
        loop {
            self.event(process)?;
            if !self.lexer.take("->") {
                break;
            }
        }
        if self.lexer.at_end() {
            return Ok(());
        }
        Err(self.lexer.unexpected("an event", "`->` or the end of the line"))
    }

    fn event(&mut self, process: ProcessId) -> Parsed<()> {
        let marked = self.lexer.take("@");
        let first = self.lexer.name("an event", if marked { "the name of an event" } else { "an event" })?;
        at(self.builder.event(process, self.line.number), &first)?;
        if !marked && self.lexer.rest().starts_with('=') {
            return self.sets(first);
        }
        let name = first.text(self.line.text);
        // An empty name is no name: `@""` is an event that only takes part in the order.
        if !name.is_empty() {
            at(self.builder.name(&name), &first)?;
        }
        if self.lexer.at_end() || self.lexer.at_arrow() {
            return Ok(());
        }
        if marked {
            let help = format!("write `{name} x=1` for an event that is named and assigns");
            return Err(self.lexer.unexpected("an event", "`->` or the end of the line").help(help));
        }
        if !self.lexer.at_name() {
            return Err(self.lexer.unexpected("an event", "`=`, a variable, `->` or the end of the line"));
        }
        let var = self.lexer.name("an event", "a variable")?;
        self.sets(var)
    }

    /// The assignments of an event, the first variable already taken.
    fn sets(&mut self, mut var: Name) -> Parsed<()> {
        loop {
            let value = self.value_of(&var)?;
            let id = at(self.builder.variable(&var.text(self.line.text)), &var)?;
            if !at(self.builder.assign(id, value), &var)? {
                self.twice(&var, "assigned");
            }
            if !self.lexer.take(",") {
                break;
            }
            var = self.lexer.name("an event", "a variable")?;
        }
        if self.lexer.at_end() || self.lexer.at_arrow() {
            return Ok(());
        }
        Err(self.lexer.unexpected("an event", "`,`, `->` or the end of the line"))
    }

    fn twice(&mut self, var: &Name, done: &str) {
        // Even one line can have more mistakes than are worth showing.
        if !self.go_on {
            return;
        }
        let message = format!("the variable `{}` is {done} twice", var.text(self.line.text));
        let mistake = Mistake::new(Kind::AssignedTwice, var.span.clone(), message);
        let label = if done == "declared" { "expected one first value for each variable" } else { ONE_VALUE };
        self.go_on &= self.builder.report(self.line.diagnose(*mistake.label(label)));
    }

    /// Takes `=` and a value.
    fn value_of(&mut self, var: &Name) -> Parsed<ValueId> {
        if !self.lexer.take("=") {
            let expected = format!("`=` and a value for `{}`", var.text(self.line.text));
            return Err(self.lexer.unexpected("an assignment", &expected));
        }
        let line = self.line.text;
        let rest = self.lexer.rest();
        let start = self.lexer.at;
        if rest.starts_with('"') {
            let quoted = quote::scan(line, start, true)?;
            self.lexer.at = quoted.end + 1;
            return at_span(self.builder.text(&quoted.text(line)), quoted.quoted_span());
        }
        if !self.lexer.at_name() {
            return Err(self.lexer.unexpected("an assignment", VALUE));
        }
        if rest.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
            let span = self.lexer.value_word();
            let number = number(&line[span.clone()], &span)?;
            return at_span(self.builder.value(Value::Number(number)), span);
        }
        let name = self.lexer.name("an assignment", VALUE)?;
        let word = &line[name.span.clone()];
        let value = match word {
            "true" => self.builder.integer(1),
            "false" => self.builder.integer(0),
            _ if word.starts_with(char::is_alphabetic) => self.builder.text(word),
            _ => {
                return Err(Mistake::syntax(name.span, format!("`{word}` is not a value"))
                    .label(format!("expected {VALUE}"))
                    .help("a word starts with a letter; put any other string in quotes"));
            }
        };
        at_span(value, name.span)
    }

    fn edge(&mut self) -> Parsed<()> {
        let from = self.reference()?;
        if !self.lexer.take("->") {
            return Err(self.lexer.unexpected("an edge", "`->`"));
        }
        let to = self.reference()?;
        if !self.lexer.at_end() {
            return Err(self
                .lexer
                .unexpected("an edge", "the end of the line")
                .help("each edge stands on a line of its own; events follow the process and a colon"));
        }
        let columns = [from.column, to.column];
        self.builder.edge((from.process, from.index), (to.process, to.index), self.line.number, columns);
        Ok(())
    }

    fn reference(&mut self) -> Parsed<Reference> {
        const REFERENCE: &str = "an event such as `P1.2`";
        let name = self.lexer.name("an edge", REFERENCE)?;
        let line = self.line.text;
        let parts = match &name.quoted {
            Some(quoted) => self.lexer.index_suffix().map(|digits| (quoted.text(line), &line[digits])),
            None => split_reference(&line[name.span.clone()]).map(|(p, digits)| (p.into(), digits)),
        };
        let span = name.span.start..self.lexer.at;
        let parts = parts.filter(|(_, digits)| !digits.is_empty() && !digits.starts_with('0'));
        let Some((process, digits)) = parts else {
            return Err(Mistake::syntax(span.clone(), format!("`{}` does not name an event", &line[span]))
                .label("expected a process, a dot and a number")
                .help("the events of a process count from 1: `P1.1` is the first of P1"));
        };
        if process.is_empty() {
            return Err(nameless(&name));
        }
        let index = digits.parse::<u32>().ok().and_then(|n| n.checked_sub(1)).filter(|&n| n < u32::MAX - 1);
        let Some(index) = index else {
            return Err(Mistake::new(Kind::MissingEvent, span, format!("there is no event `{process}.{digits}`"))
                .label("no process has that many events"));
        };
        let process = at(self.builder.process(&process), &name)?;
        Ok(Reference { process, index, column: self.line.column(name.span.start) })
    }
}

const ONE_VALUE: &str = "expected one value for each variable of an event";

fn nameless(name: &Name) -> Box<Mistake> {
    Mistake::syntax(name.span.clone(), "a process without a name").label("expected a name")
}

/// Gives a refusal of the builder its place.
fn at<T>(answer: Result<T, Box<Diagnostic>>, name: &Name) -> Parsed<T> {
    at_span(answer, name.span.clone())
}

fn at_span<T>(answer: Result<T, Box<Diagnostic>>, span: Range<usize>) -> Parsed<T> {
    answer.map_err(|d| Mistake::new(d.kind, span, d.message))
}

/// `[-]digits[.digits|/digits]`.
fn number(word: &str, span: &Range<usize>) -> Parsed<Number> {
    let malformed = || {
        Mistake::syntax(span.clone(), format!("`{word}` is not a number"))
            .label("expected digits, with `.` or `/` and digits behind them if need be")
            .help("a string that starts with a digit or a hyphen stands in quotes")
    };
    let parse = |text: &str| match text.parse::<Number>() {
        // JSON's exponents are not part of this grammar.
        Ok(_) if text.contains(['e', 'E']) => Err(malformed()),
        Ok(number) => Ok(number),
        Err(ParseNumberError::Malformed) => Err(malformed()),
        Err(ParseNumberError::TooLong) => Err(too_long(span)),
    };
    let Some((above, below)) = word.split_once('/') else { return parse(word) };
    if above.contains('.') {
        return Err(malformed());
    }
    let (above, below) = (parse(above)?, parse(below)?);
    if below.is_zero() {
        return Err(Mistake::syntax(span.clone(), "a fraction of 0").label("expected a number other than 0 after `/`"));
    }
    above.div(&below).map_err(|_| too_long(span))
}

fn too_long(span: &Range<usize>) -> Box<Mistake> {
    Mistake::new(Kind::Digits, span.clone(), "a number with more than 10,000 digits")
        .label("expected at most 10,000 digits")
}
