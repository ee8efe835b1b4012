//! Reading JSON lines.
//!
//! One pass scans a line into [`Record`], whose lists are reused from line to line; only then is it known whether the
//! line has a `process`, and what it says goes to the [`Builder`]. Strings stay ranges of the line until they are
//! interned.

use std::io::BufRead;
use std::ops::{ControlFlow, Range};

use super::STATE_PROCESS;
use crate::base::{Budget, Diagnostic, Failure, Kind, Number, ParseNumberError, ProcessId, Value, ValueId, VarId};
use crate::formats::json::{self, Cursor, Sort};
use crate::formats::lines::{self, Line, Mistake, Parsed};
use crate::formats::quote::Quoted;
use crate::trace::{Builder, Trace};

/// Reads a run.
///
/// # Errors
/// With every mistake found, or when the budget is spent.
pub fn read(reader: impl BufRead, budget: &Budget) -> Result<Trace, Failure> {
    let mut records = Records::default();
    lines::read(reader, true, budget, |builder, line| records.line(builder, line))
}

/// A field of event records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Process,
    Id,
    Name,
    Set,
    Time,
    Attrs,
    After,
    Clock,
}

impl Known {
    fn from_key(key: &str) -> Option<Self> {
        Some(match key {
            "process" => Self::Process,
            "id" => Self::Id,
            "name" => Self::Name,
            "set" => Self::Set,
            "time" => Self::Time,
            "attrs" => Self::Attrs,
            "after" => Self::After,
            "clock" => Self::Clock,
            _ => return None,
        })
    }
}

struct Field {
    key: Quoted,
    known: Option<Known>,
    value: json::Value,
}

/// What one line says.
#[derive(Default)]
struct Record {
    /// Every field of the line, in order.
    fields: Vec<Field>,
    /// Which known fields it has, a bit each.
    seen: u8,
    /// The members of `set`, `after`, `clock` and `attrs`, if these are the objects and the array that they should be.
    set: Vec<(Quoted, VarId, ValueId)>,
    after: Vec<Quoted>,
    clock: Vec<(Quoted, u32)>,
    attrs: Vec<(Quoted, Range<usize>)>,
}

/// Which sort of records a file has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Events,
    States,
}

/// What the lines so far have decided.
#[derive(Default)]
struct Records {
    record: Record,
    /// Some line was not blank, so a header can no longer come.
    started: bool,
    /// The line of a header that declares values.
    declared_in: Option<u64>,
    /// The sort of records, and the line that decided it.
    mode: Option<(Mode, u64)>,
    /// The process of a file of states, once its first record was declared.
    states: Option<ProcessId>,
}

const SCALAR: &str = "a number, a string, true or false";

impl Records {
    fn line(&mut self, builder: &mut Builder, line: &Line<'_>) -> ControlFlow<()> {
        let go_on = match self.record.scan(builder, line.text) {
            Ok(false) => true,
            Ok(true) => {
                let first = !std::mem::replace(&mut self.started, true);
                match self.take(builder, line, first) {
                    Ok(go_on) => go_on,
                    Err(mistake) => lost(builder, line, *mistake),
                }
            }
            Err(mistake) => {
                self.started = true;
                lost(builder, line, *mistake)
            }
        };
        if go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Puts a scanned line into the builder and answers whether to go on.
    fn take(&mut self, builder: &mut Builder, line: &Line<'_>, first: bool) -> Parsed<bool> {
        let record = &self.record;
        let mode = if record.has(Known::Process) {
            Mode::Events
        } else if let Some(version) = record.field("posetta", line.text)
            && (first || record.field("initial", line.text).is_some_and(|f| !f.value.sort.is_scalar()))
        {
            if !first {
                return Err(Mistake::syntax(version.key.quoted_span(), "a header that is not the first line")
                    .label("expected an event or a state")
                    .help("were two files joined? check them one by one"));
            }
            return self.header(builder, line);
        } else {
            record.refuse_lost_process()?;
            Mode::States
        };
        let (agreed, since) = *self.mode.get_or_insert((mode, line.number));
        if agreed != mode {
            let (here, there) = match mode {
                Mode::Events => ("an event record", "state records"),
                Mode::States => ("a state record", "event records"),
            };
            let has = if mode == Mode::Events { "this line has a `process`" } else { "this line has no `process`" };
            let start = line.text.len() - line.text.trim_start().len();
            builder.lose_event();
            builder.report(
                line.diagnose(
                    *Mistake::new(Kind::Mixed, start..start + 1, format!("{here} in a file of {there}"))
                        .label(format!("{has}, unlike line {since}"))
                        .help(
                            "a file is a sequence of events, each with its `process`, or a sequence of states without",
                        ),
                ),
            );
            return Ok(false);
        }
        match mode {
            Mode::Events => record.event(builder, line),
            Mode::States => self.state(builder, line),
        }
    }

    /// Reads the first line of a file if it is a header.
    fn header(&mut self, builder: &mut Builder, line: &Line<'_>) -> Parsed<bool> {
        let mut go_on = true;
        for field in &self.record.fields {
            let span = field.value.span.clone();
            match &*field.key.text(line.text) {
                "posetta" => {
                    let version = &line.text[span.clone()];
                    if field.value.sort != Sort::Number || version != "1" {
                        return Err(Mistake::new(Kind::Unsupported, span, format!("version {version} of the format"))
                            .label("expected 1, the only version that this program knows"));
                    }
                }
                "initial" => {
                    if field.value.sort != Sort::Object {
                        return Err(expected(&field.value, "an object of variables and their first values"));
                    }
                    self.declared_in = Some(line.number);
                    let mut cursor = Cursor::new_at(line.text, span.start);
                    members(&mut cursor, |cursor, key| {
                        let var = intern(builder.variable(&key.text(line.text)), &key)?;
                        let value = cursor.value("an object", SCALAR)?;
                        let id = scalar(builder, line.text, &value)?.ok_or_else(|| expected(&value, SCALAR))?;
                        if !builder.declare(var, id) {
                            go_on = builder.report(line.diagnose(*twice(&key, line.text, "declared")));
                        }
                        Ok(())
                    })?;
                }
                other => {
                    return Err(Mistake::syntax(field.key.quoted_span(), format!("a header with a field `{other}`"))
                        .label("expected only `posetta` and `initial`")
                        .help("a line of events needs a `process`"));
                }
            }
        }
        Ok(go_on)
    }

    /// A line without `process`: the first declares values, the others are events of one process.
    fn state(&mut self, builder: &mut Builder, line: &Line<'_>) -> Parsed<bool> {
        let mut go_on = true;
        let event = match self.states {
            Some(process) => {
                intern_at(builder.event(process, line.number), 0..line.text.len())?;
                true
            }
            None => {
                if let Some(header) = self.declared_in {
                    return Err(Mistake::new(Kind::Mixed, 0..1, "a state record after a header that declares values")
                        .label(format!("line {header} has `initial`, and so has a file of states: its first record"))
                        .help("leave `initial` out, or give every record its `process`"));
                }
                builder.mark_state_records();
                false
            }
        };
        for field in &self.record.fields {
            let key = field.key.text(line.text);
            match scalar(builder, line.text, &field.value)? {
                Some(value) => {
                    let var = intern(builder.variable(&key), &field.key)?;
                    let new = if event {
                        intern(builder.assign(var, value), &field.key)?
                    } else {
                        builder.declare(var, value)
                    };
                    if !new {
                        go_on &= builder.report(line.diagnose(*twice(&field.key, line.text, "assigned")));
                    }
                }
                None if event => {
                    intern(builder.attribute(&key, &line.text[field.value.span.clone()]), &field.key)?;
                }
                None => {}
            }
        }
        if !event {
            self.states = Some(intern_at(builder.process(STATE_PROCESS), 0..line.text.len())?);
        }
        Ok(go_on)
    }
}

impl Record {
    /// Scans a line; `false` if it is blank.
    fn scan(&mut self, builder: &mut Builder, line: &str) -> Parsed<bool> {
        self.fields.clear();
        self.seen = 0;
        self.set.clear();
        self.after.clear();
        self.clock.clear();
        self.attrs.clear();
        let mut cursor = Cursor::new(line);
        match cursor.peek() {
            None => return Ok(false),
            Some(b'{') => {}
            Some(first) => {
                let mistake = cursor.unexpected("a file of JSON lines", "`{`");
                return Err(match first {
                    b'[' => mistake.help("write one object on each line instead of an array"),
                    b'#' => mistake.help("JSON lines have no comments"),
                    _ => mistake,
                });
            }
        }
        members(&mut cursor, |cursor, key| self.field_at(builder, cursor, key, line))?;
        cursor.end()?;
        Ok(true)
    }

    #[inline]
    fn field_at(&mut self, builder: &mut Builder, cursor: &mut Cursor<'_>, key: Quoted, line: &str) -> Parsed<()> {
        let known = Known::from_key(&key.text(line));
        if let Some(known) = known {
            let bit = 1 << known as u8;
            if self.seen & bit != 0 {
                return Err(Mistake::syntax(key.quoted_span(), format!("two fields `{}`", key.text(line)))
                    .label("expected each field once"));
            }
            self.seen |= bit;
        }
        let first = cursor.peek();
        let start = cursor.at;
        let sort = match (known, first) {
            (Some(Known::Set), Some(b'{')) => {
                self.scan_set(builder, cursor, line)?;
                Sort::Object
            }
            (Some(Known::After), Some(b'[')) => {
                self.scan_after(cursor)?;
                Sort::Array
            }
            (Some(Known::Clock), Some(b'{')) => {
                self.scan_clock(cursor, line)?;
                Sort::Object
            }
            (Some(Known::Attrs), Some(b'{')) => {
                members(cursor, |cursor, key| {
                    let value = cursor.value("an object", "a value")?;
                    self.attrs.push((key, value.span));
                    Ok(())
                })?;
                Sort::Object
            }
            _ => cursor.value("an object", "a value")?.sort,
        };
        self.fields.push(Field { key, known, value: json::Value { sort, span: start..cursor.at } });
        Ok(())
    }

    fn scan_set(&mut self, builder: &mut Builder, cursor: &mut Cursor<'_>, line: &str) -> Parsed<()> {
        members(cursor, |cursor, key| {
            let var = intern(builder.variable(&key.text(line)), &key)?;
            let value = cursor.value("an object", SCALAR)?;
            let id = scalar(builder, line, &value)?.ok_or_else(|| expected(&value, SCALAR))?;
            self.set.push((key, var, id));
            Ok(())
        })
    }

    fn scan_after(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        cursor.at += 1;
        if cursor.take(b']') {
            return Ok(());
        }
        loop {
            self.after.push(cursor.string("an array", "an id in double quotes")?);
            if !cursor.more(b']')? {
                return Ok(());
            }
        }
    }

    fn scan_clock(&mut self, cursor: &mut Cursor<'_>, line: &str) -> Parsed<()> {
        const COUNT: &str = "how many events of the process: 0, 1, 2 …";
        members(cursor, |cursor, key| {
            let value = cursor.value("an object", COUNT)?;
            // One less than the most, because the table of events ends there.
            let count = line[value.span.clone()].parse().ok().filter(|&n| n < u32::MAX);
            let count = count.ok_or_else(|| expected(&value, COUNT))?;
            self.clock.push((key, count));
            Ok(())
        })
    }

    fn has(&self, known: Known) -> bool {
        self.seen & (1 << known as u8) != 0
    }

    fn field(&self, key: &str, line: &str) -> Option<&Field> {
        self.fields.iter().find(|f| f.known.is_none() && f.key.text(line) == key)
    }

    /// A line without `process` that says what only an event can say.
    fn refuse_lost_process(&self) -> Parsed<()> {
        for field in &self.fields {
            let event_only = match (field.known, field.value.sort) {
                (Some(Known::Set), Sort::Object) => "`set`",
                (Some(Known::After), Sort::Array) => "`after`",
                (Some(Known::Clock), Sort::Object) => "`clock`",
                _ => continue,
            };
            return Err(Mistake::syntax(field.key.quoted_span(), "an event without its `process`")
                .label(format!("expected a field `process` beside {event_only}"))
                .help("a line without `process` is a state: its fields are numbers, strings and booleans"));
        }
        Ok(())
    }

    /// A line with `process`.
    fn event(&self, builder: &mut Builder, line: &Line<'_>) -> Parsed<bool> {
        let mut go_on = true;
        let process = self.fields.iter().find(|f| f.known == Some(Known::Process)).expect("the caller has seen it");
        let name = text(&process.value, "a string: the name of the process")?;
        if name.start == name.end {
            return Err(Mistake::syntax(name.quoted_span(), "a process without a name").label("expected a name"));
        }
        let process = intern(builder.process(&name.text(line.text)), &name)?;
        intern(builder.event(process, line.number), &name)?;
        for field in &self.fields {
            let value = &field.value;
            match field.known {
                None => {
                    let json = &line.text[value.span.clone()];
                    intern(builder.attribute(&field.key.text(line.text), json), &field.key)?;
                }
                Some(Known::Process) => {}
                Some(Known::Id) => {
                    let id = text(value, "a string: the id of the event")?;
                    if let Err(taken) = builder.id(&id.text(line.text), line.column(id.start)) {
                        go_on &= builder.report(line.place(taken, id.span()));
                    }
                }
                Some(Known::Name) => {
                    let name = text(value, "a string: the name of the event")?;
                    // An empty name is no name, as in the text format.
                    if name.start < name.end {
                        intern(builder.name(&name.text(line.text)), &name)?;
                    }
                }
                Some(Known::Time) => match value.sort {
                    Sort::Number => {
                        let time = number(builder, line.text, value.span.clone())?;
                        builder.time(time);
                    }
                    _ => return Err(expected(value, "a number: the time of the event")),
                },
                Some(Known::Set) => go_on &= self.set(builder, line, value)?,
                Some(Known::After) => self.after(builder, line, value)?,
                Some(Known::Clock) => self.clock(builder, line, value)?,
                Some(Known::Attrs) => {
                    sorted(value, value.sort == Sort::Object, "an object of further facts")?;
                    for (key, span) in &self.attrs {
                        intern(builder.attribute(&key.text(line.text), &line.text[span.clone()]), key)?;
                    }
                }
            }
        }
        Ok(go_on)
    }

    fn set(&self, builder: &mut Builder, line: &Line<'_>, value: &json::Value) -> Parsed<bool> {
        sorted(value, value.sort == Sort::Object, "an object of variables and their values")?;
        let mut go_on = true;
        for (key, var, value) in &self.set {
            if !intern(builder.assign(*var, *value), key)? {
                go_on &= builder.report(line.diagnose(*twice(key, line.text, "assigned")));
            }
        }
        Ok(go_on)
    }

    fn after(&self, builder: &mut Builder, line: &Line<'_>, value: &json::Value) -> Parsed<()> {
        let one = match value.sort {
            Sort::Text(one) => Some(one),
            _ => None,
        };
        sorted(value, one.is_some() || value.sort == Sort::Array, "an array of ids")?;
        for id in self.after.iter().chain(&one) {
            intern(builder.cause(&id.text(line.text), line.column(id.start)), id)?;
        }
        Ok(())
    }

    fn clock(&self, builder: &mut Builder, line: &Line<'_>, value: &json::Value) -> Parsed<()> {
        sorted(value, value.sort == Sort::Object, "an object of processes and counts")?;
        builder.clock(line.column(value.span.start));
        for (process, count) in &self.clock {
            if process.start == process.end {
                return Err(Mistake::syntax(process.quoted_span(), "a process without a name").label("expected a name"));
            }
            // A clock may list processes that never did anything; they are no part of the run.
            if *count > 0 && !intern(builder.clock_entry(&process.text(line.text), *count), process)? {
                let message = format!("two entries for `{}` in one clock", process.text(line.text));
                return Err(Mistake::syntax(process.quoted_span(), message).label("expected each process once"));
            }
        }
        Ok(())
    }
}

/// Reports a line that could not be taken whole.
fn lost(builder: &mut Builder, line: &Line<'_>, mistake: Mistake) -> bool {
    builder.lose_event();
    builder.report(line.diagnose(mistake))
}

/// Calls `each` at the value of every member of the object at the cursor.
#[inline]
fn members<'a>(cursor: &mut Cursor<'a>, mut each: impl FnMut(&mut Cursor<'a>, Quoted) -> Parsed<()>) -> Parsed<()> {
    cursor.at += 1;
    if cursor.take(b'}') {
        return Ok(());
    }
    loop {
        let key = cursor.key()?;
        each(cursor, key)?;
        if !cursor.more(b'}')? {
            return Ok(());
        }
    }
}

/// Gives a refusal of the builder its place.
#[inline]
fn intern<T>(answer: Result<T, Diagnostic>, at: &Quoted) -> Parsed<T> {
    intern_at(answer, at.span())
}

#[inline]
fn intern_at<T>(answer: Result<T, Diagnostic>, span: Range<usize>) -> Parsed<T> {
    answer.map_err(|d| Mistake::new(d.kind, span, d.message))
}

#[cold]
fn expected(value: &json::Value, what: &str) -> Box<Mistake> {
    let mistake = Mistake::syntax(value.span.clone(), format!("unexpected {}", value.sort.noun()));
    let mistake = mistake.label(format!("expected {what}"));
    if value.sort == Sort::Null { mistake.help("leave out what has no value") } else { mistake }
}

fn sorted(value: &json::Value, right: bool, what: &str) -> Parsed<()> {
    if right { Ok(()) } else { Err(expected(value, what)) }
}

fn text(value: &json::Value, what: &str) -> Parsed<Quoted> {
    match value.sort {
        Sort::Text(quoted) => Ok(quoted),
        _ => Err(expected(value, what)),
    }
}

fn twice(key: &Quoted, line: &str, done: &str) -> Box<Mistake> {
    Mistake::new(Kind::AssignedTwice, key.quoted_span(), format!("the variable `{}` is {done} twice", key.text(line)))
        .label("expected one value for each variable of a record")
}

/// The id of a number, string or boolean; `None` for what is no value of a variable.
#[inline]
fn scalar(builder: &mut Builder, line: &str, value: &json::Value) -> Parsed<Option<ValueId>> {
    let id = match value.sort {
        Sort::Number => return number(builder, line, value.span.clone()).map(Some),
        Sort::Text(quoted) => builder.text(&quoted.text(line)),
        Sort::Bool(b) => builder.integer(i64::from(b)),
        Sort::Null | Sort::Array | Sort::Object => return Ok(None),
    };
    intern_at(id, value.span.clone()).map(Some)
}

#[inline]
fn number(builder: &mut Builder, line: &str, span: Range<usize>) -> Parsed<ValueId> {
    let text = &line[span.clone()];
    // Single digits are most of the numbers there are.
    if let &[digit @ b'0'..=b'9'] = text.as_bytes() {
        return intern_at(builder.integer(i64::from(digit - b'0')), span);
    }
    let number = text.parse::<Number>().map_err(|error| bad_number(text, span.clone(), error))?;
    intern_at(builder.value(Value::Number(number)), span)
}

#[cold]
fn bad_number(text: &str, span: Range<usize>, error: ParseNumberError) -> Box<Mistake> {
    match error {
        ParseNumberError::Malformed => Mistake::syntax(span, format!("`{text}` is not a number")),
        ParseNumberError::TooLong => Mistake::new(Kind::Digits, span, "a number with more than 10,000 digits")
            .label("expected at most 10,000 digits when it is written without an exponent"),
    }
}
