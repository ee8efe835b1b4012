//! One run of a log while it is read: its events, their clocks and what else its records say.

use std::ops::Range;

use super::clock_text;
use super::clocks::{Clocks, Entry};
use crate::lines::{Line, Mistake};
use crate::{Run, facts, quote};
use posetta_base::{Budget, Diagnostic, Error, EventId, Interner, Kind, Number, Place, Symbol, Value};
use posetta_trace::Builder;

/// The group that our own writer adds: a JSON object with what the other groups have no place for.
pub(super) const OWN_GROUP: &str = "posetta";

/// Lines that belong to no record and are shown.
const SHOWN: usize = 3;

/// What is made of a group beside `host`, `clock` and `event`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// A wall-clock time where it is a number.
    Time,
    /// What [`OWN_GROUP`] says.
    Own,
    /// A variable of each process, because the user says so.
    Set,
    /// A variable of each process if all its values are numbers, else an attribute.
    Open,
}

/// The further groups of an expression.
#[derive(Debug, Default)]
pub(super) struct Groups(Vec<(String, Role)>);

impl Groups {
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str>, set: &[String]) -> Self {
        let role = |name: &str| match name {
            name if set.iter().any(|s| s == name) => Role::Set,
            "time" | "timestamp" => Role::Time,
            OWN_GROUP => Role::Own,
            _ => Role::Open,
        };
        Self(names.map(|name| (name.to_owned(), role(name))).collect())
    }

    /// Those that are variables if their values are numbers.
    pub(super) fn open(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, role)| *role == Role::Open).map(|(name, _)| name.as_str())
    }
}

/// A value of a group that may become a variable or an attribute.
#[derive(Debug)]
struct Extra {
    event: EventId,
    group: u32,
    text: Symbol,
}

/// A run that is being read.
#[derive(Debug, Default)]
pub(super) struct Recording {
    pub label: Option<String>,
    /// The line in which it begins.
    pub line: u64,
    builder: Builder,
    clocks: Clocks,
    extras: Vec<Extra>,
    texts: Interner,
    /// Whether each of `texts` is a number.
    numeric: Vec<bool>,
    /// How many lines have text that belongs to no record, the last of them, and the first few.
    unmatched: u64,
    last_unmatched: u64,
    first_unmatched: Vec<(Place, String)>,
    /// The first records that are hidden in other text, and how many there are.
    hidden: Vec<Diagnostic>,
    hidden_count: u64,
    entries: Vec<Entry>,
}

/// Where a record is: its text, which of it is what, and the lines on which it and its clock begin.
pub(super) struct Found<'a> {
    pub text: &'a str,
    pub host: Range<usize>,
    pub clock: Range<usize>,
    pub event: Range<usize>,
    pub line: u64,
    pub clock_line: u64,
}

impl Found<'_> {
    /// A mistake at bytes of the text.
    fn diagnose(&self, mistake: Mistake) -> Diagnostic {
        let start = mistake.span.start.min(self.text.len());
        let bytes = self.text.as_bytes();
        let from = memchr::memrchr(b'\n', &bytes[..start]).map_or(0, |i| i + 1);
        let to = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |i| start + i);
        let number =
            self.clock_line + memchr::memchr_iter(b'\n', &bytes[self.clock.start.min(start)..start]).count() as u64;
        let ahead = memchr::memchr_iter(b'\n', &bytes[start..self.clock.start.max(start)]).count() as u64;
        let span = start - from..mistake.span.end.clamp(start, to) - from;
        let line = Line::new(number - ahead.min(number), &self.text[from..to], to < bytes.len());
        line.diagnose(Mistake { span, ..mistake })
    }
}

impl Recording {
    pub(super) fn new(label: Option<String>, line: u64) -> Self {
        Self { label, line, ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.builder.is_empty()
    }

    /// Whether there was nothing at all.
    pub(super) fn is_blank(&self) -> bool {
        self.is_empty() && self.unmatched == 0
    }

    pub(super) fn len(&self) -> usize {
        self.builder.len()
    }

    pub(super) fn weight(&self) -> u64 {
        let extras = self.extras.len() * (size_of::<Extra>() + 24) + self.texts.bytes() + self.numeric.len();
        self.builder.weight() + self.clocks.weight() + extras as u64
    }

    /// A piece of a line that belongs to no record.
    pub(super) fn leave_over(&mut self, number: u64, line: &str, ended: bool, piece: Range<usize>) {
        let text = &line[piece.clone()];
        if std::mem::replace(&mut self.last_unmatched, number) != number {
            self.unmatched += 1;
            if self.first_unmatched.len() < SHOWN {
                let end = piece.start + text.trim_end().len();
                let place = Place::in_line(number, line, piece.start, end);
                self.first_unmatched.push((place, text.trim_end().chars().take(120).collect()));
            }
        }
        if let Some((host, start)) = hidden_record(text) {
            let span = piece.start + start..piece.end;
            let mistake = Mistake::new(Kind::Unmatched, span, format!("a record of `{host}` is not read"))
                .label("this looks like its host and its clock, but the expression does not match here")
                .help("mend the log, or say how a record looks with --regex");
            // The whole line is looked at only for what is shown.
            self.hide(|| Line::new(number, line, ended).diagnose(*mistake));
        }
    }

    /// Notes a record that is hidden in other text.
    fn hide(&mut self, diagnostic: impl FnOnce() -> Diagnostic) {
        self.hidden_count += 1;
        if self.hidden.len() < SHOWN {
            self.hidden.push(diagnostic());
        }
    }

    /// Takes over the left-over lines of a part of the log without records.
    pub(super) fn inherit(&mut self, other: &mut Self) {
        self.unmatched += std::mem::take(&mut other.unmatched);
        let first = std::mem::take(&mut other.first_unmatched);
        self.first_unmatched.splice(0..0, first);
        self.first_unmatched.truncate(SHOWN);
        self.hidden_count += std::mem::take(&mut other.hidden_count);
        self.hidden.splice(0..0, std::mem::take(&mut other.hidden));
        self.hidden.truncate(SHOWN);
    }

    /// Adds an event, but for its further groups.
    pub(super) fn event(&mut self, found: &Found<'_>) -> Result<(), Diagnostic> {
        let host_text = &found.text[found.host.clone()];
        if host_text.is_empty() {
            let mistake = Mistake::syntax(found.clock.start..found.clock.start + 1, "a record without a host");
            return Err(found.diagnose(*mistake.label("expected the name of a host before this clock")));
        }
        let host = self.clocks.host(host_text).ok_or_else(too_many_hosts)?;
        let clock = &found.text[found.clock.clone()];
        let own = self.clocks.read(host, clock, &mut self.entries).map_err(|mut mistake| {
            mistake.span = mistake.span.start + found.clock.start..mistake.span.end + found.clock.start;
            found.diagnose(*mistake)
        })?;
        let whole = |d: Box<Diagnostic>| d.at(Place::line_only(found.line));
        let process = self.clocks.process(host, &mut self.builder).map_err(whole)?;
        self.builder.event(process, found.line).map_err(whole)?;
        self.clocks.push(host, own, &self.entries, found.clock_line);
        let name = found.text[found.event.clone()].trim();
        if !name.is_empty() {
            self.builder.name(name).map_err(whole)?;
            self.look_for_glue(found, name);
        }
        Ok(())
    }

    /// An event's text that ends with a host and its clock hides a record.
    fn look_for_glue(&mut self, found: &Found<'_>, name: &str) {
        let Some((host, at)) = hidden_record(name).filter(|_| name.ends_with('}')) else { return };
        let raw = &found.text[found.event.clone()];
        let start = found.event.start + (raw.len() - raw.trim_start().len()) + at;
        let mistake =
            Mistake::syntax(start..found.event.end, format!("a record of `{host}` is glued to the text of an event"))
                .label("this looks like the host and the clock of another record, which is not read")
                .help("put the line break before it back, or say how a record looks with --regex");
        self.hide(|| found.diagnose(*mistake));
    }

    /// Adds a further group of the last event.
    pub(super) fn group(
        &mut self,
        groups: &Groups,
        group: usize,
        found: &Found<'_>,
        span: Range<usize>,
    ) -> Result<(), Diagnostic> {
        let text = found.text[span.clone()].trim();
        if text.is_empty() {
            return Ok(());
        }
        match groups.0[group].1 {
            Role::Own => {
                let start = span.start;
                return facts::read(&mut self.builder, &found.text[span]).map_err(|mut mistake| {
                    mistake.span = mistake.span.start + start..mistake.span.end + start;
                    found.diagnose(*mistake)
                });
            }
            Role::Time => {
                if let Ok(time) = text.parse::<Number>() {
                    self.builder.time(time);
                    return Ok(());
                }
            }
            Role::Set | Role::Open => {}
        }
        let text = self.texts.intern(text).ok_or_else(too_many_hosts)?;
        if text.index() == self.numeric.len() {
            self.numeric.push(self.texts.resolve(text).parse::<Number>().is_ok());
        }
        let event = EventId::from_raw(self.builder.len() as u32 - 1);
        self.extras.push(Extra { event, group: group as u32, text });
        Ok(())
    }

    /// The run, once all its records are read. A record that is not read is a mistake, unless somebody has said how records look: then it
    /// may be meant as text.
    pub(super) fn finish(mut self, groups: &Groups, said: bool, sequence: bool, budget: &Budget) -> Result<Run, Error> {
        let mut warnings = Vec::new();
        if self.unmatched > 0 {
            warnings.push(left_over(self.unmatched, &self.first_unmatched));
        }
        if self.hidden_count > self.hidden.len() as u64 {
            let more = match self.hidden_count - self.hidden.len() as u64 {
                1 => "one more record is hidden in other text, and is not read".to_owned(),
                more => format!("{more} more records are hidden in other text, and are not read"),
            };
            self.hidden.push(Diagnostic::new(Kind::Unmatched, more));
        }
        if !said && !self.hidden.is_empty() {
            return Err(Error::Invalid(self.hidden));
        }
        warnings.append(&mut self.hidden);
        let mixed = self.clocks.are_mixed();
        warnings.extend(self.clocks.settle(&mut self.builder, budget)?);
        settle_extras(&mut self.builder, &self.extras, &self.texts, &self.numeric, groups)?;
        drop((self.extras, self.texts));
        let trace = self.builder.finish(mixed && sequence, budget)?;
        Ok(Run { label: self.label, trace, warnings })
    }
}

/// The host of a record that is hidden at the end of a text, and where it begins: a word, a blank, and a clock that counts somebody
/// whose name the word ends with.
fn hidden_record(text: &str) -> Option<(String, usize)> {
    let end = memchr::memrchr(b'}', text.as_bytes())? + 1;
    let at = memchr::memmem::rfind(&text.as_bytes()[..end], b" {")?;
    let word = text[..at].rsplit(char::is_whitespace).next().unwrap_or_default();
    let mut hidden: Option<String> = None;
    let read = clock_text::parse(&text[at + 1..end], |host, count| {
        if count > 0 && !host.is_empty() && word.ends_with(host) {
            hidden.get_or_insert(host.to_owned());
        }
        Ok(())
    });
    read.ok()?;
    let host = hidden?;
    let start = at - host.len();
    Some((host, start))
}

#[cold]
fn too_many_hosts() -> Diagnostic {
    Diagnostic::new(Kind::Input, format!("too many hosts: a log holds at most {} of them", u32::MAX - 1))
}

fn left_over(count: u64, first: &[(Place, String)]) -> Diagnostic {
    let message = match count {
        1 => "a line has text that belongs to no record".to_owned(),
        n => format!("{n} lines have text that belongs to no record"),
    };
    let place = first.first().map(|(place, _)| place.clone()).unwrap_or_default();
    let mut help: Vec<String> =
        first.iter().skip(1).map(|(place, text)| format!("line {}: {text}", place.line)).collect();
    if count > first.len() as u64 {
        help.push(format!("{} more", count - first.len() as u64));
    }
    let diagnostic = Diagnostic::new(Kind::Unmatched, message)
        .at(place)
        .label("the expression does not match here, so this is left out");
    if help.is_empty() { diagnostic } else { diagnostic.help(format!("also {}", help.join(" · "))) }
}

/// Makes variables and attributes of the further groups.
fn settle_extras(
    builder: &mut Builder,
    extras: &[Extra],
    texts: &Interner,
    numeric: &[bool],
    groups: &Groups,
) -> Result<(), Box<Diagnostic>> {
    let mut is_variable: Vec<bool> = groups.0.iter().map(|(_, role)| matches!(role, Role::Set | Role::Open)).collect();
    for extra in extras {
        if groups.0[extra.group as usize].1 == Role::Open {
            is_variable[extra.group as usize] &= numeric[extra.text.index()];
        }
    }
    let mut json = Vec::new();
    for extra in extras {
        let group = &groups.0[extra.group as usize].0;
        let text = texts.resolve(extra.text);
        if is_variable[extra.group as usize] {
            let var = builder.variable(&format!("{}.{group}", builder.process_of(extra.event)))?;
            let value = match text.parse::<Number>() {
                Ok(number) => builder.value(Value::Number(number))?,
                Err(_) => builder.text(text)?,
            };
            builder.assign_to(extra.event, var, value);
        } else {
            json.clear();
            quote::write(&mut json, text).expect("a list of bytes takes everything");
            builder.attribute_of(extra.event, group, &String::from_utf8_lossy(&json))?;
        }
    }
    Ok(())
}
