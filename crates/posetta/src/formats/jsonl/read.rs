//! Reading JSON lines.
//!
//! Whether a line is an event or a state is known when its `process` comes, or never does. Fields that stand before it
//! are put aside as ranges of the line and read when it has come; all others go straight from the bytes to the
//! [`Builder`]. Programs mostly write `process` first, and then nothing is put aside.

use std::io::BufRead;
use std::ops::{ControlFlow, Range};

use rustc_hash::FxHashMap;

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
    #[inline]
    fn from_key(key: &str) -> Option<Self> {
        // Bytes, because they are compared without looking for the borders of characters.
        Some(match key.as_bytes() {
            b"process" => Self::Process,
            b"id" => Self::Id,
            b"name" => Self::Name,
            b"set" => Self::Set,
            b"time" => Self::Time,
            b"attrs" => Self::Attrs,
            b"after" => Self::After,
            b"clock" => Self::Clock,
            _ => return None,
        })
    }
}

/// A field that was put aside.
struct Field {
    key: Quoted,
    known: Option<Known>,
    value: json::Value,
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
    /// The fields of the line that were put aside; the list is reused.
    fields: Vec<Field>,
    /// Which known fields the line has, a bit each.
    seen: u8,
    /// The line of the first header that declares values.
    declared_in: Option<u64>,
    /// What headers declare, and the line of the first that does. Joined files have several headers.
    declared: FxHashMap<VarId, (ValueId, u64)>,
    /// The sort of records, and the line that decided it.
    mode: Option<(Mode, u64)>,
    /// The process of a file of states, once its first record was declared.
    states: Option<ProcessId>,
    /// A line of the other sort was met, or there are mistakes enough.
    enough: bool,
}

const SCALAR: &str = "a number, a string, true or false";

impl Records {
    fn line(&mut self, builder: &mut Builder, line: &Line<'_>) -> ControlFlow<()> {
        if let Err(mistake) = self.record(builder, line) {
            builder.lose_event();
            self.report(builder, line, *mistake);
        }
        if self.enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn report(&mut self, builder: &mut Builder, line: &Line<'_>, mistake: Mistake) {
        // Even one line can have more mistakes than are worth showing.
        if self.enough {
            return;
        }
        self.enough |= mistake.kind == Kind::Mixed;
        self.enough |= !builder.report(line.diagnose(mistake));
    }

    fn record(&mut self, builder: &mut Builder, line: &Line<'_>) -> Parsed<()> {
        self.fields.clear();
        self.seen = 0;
        let mut cursor = Cursor::new(line.text);
        match cursor.peek() {
            None => return Ok(()),
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
        let mut is_event = false;
        members(&mut cursor, |cursor, key| {
            let known = Known::from_key(&key.text(line.text));
            if known == Some(Known::Process) && !is_event {
                is_event = true;
                self.seen |= 1 << Known::Process as u8;
                return self.begin_event(builder, cursor, line);
            }
            if is_event {
                return self.field(builder, cursor, key, known, line);
            }
            let value = cursor.value("an object", "a value")?;
            self.fields.push(Field { key, known, value });
            Ok(())
        })?;
        cursor.end()?;
        if is_event { Ok(()) } else { self.not_an_event(builder, line) }
    }

    /// A line is of the sort that the first one was.
    fn agree(&mut self, mode: Mode, line: &Line<'_>) -> Parsed<()> {
        let (agreed, since) = *self.mode.get_or_insert((mode, line.number));
        if agreed == mode {
            return Ok(());
        }
        let (message, has) = match mode {
            Mode::Events => ("an event record in a file of state records", "has a `process`"),
            Mode::States => ("a state record in a file of event records", "has no `process`"),
        };
        let start = line.text.len() - line.text.trim_start().len();
        Err(Mistake::new(Kind::Mixed, start..start + 1, message)
            .label(format!("this line {has}, unlike line {since}"))
            .help("a file is a sequence of events, each with its `process`, or a sequence of states without"))
    }

    /// Takes the value of `process`, and what was put aside before it.
    fn begin_event(&mut self, builder: &mut Builder, cursor: &mut Cursor<'_>, line: &Line<'_>) -> Parsed<()> {
        let name = text(cursor, "a string: the name of the process")?;
        if name.is_empty() {
            return Err(nameless(&name));
        }
        self.agree(Mode::Events, line)?;
        let process = intern(builder.process(&name.text(line.text)), &name)?;
        intern(builder.event(process, line.number), &name)?;
        if self.fields.is_empty() {
            return Ok(());
        }
        let fields = std::mem::take(&mut self.fields);
        for Field { key, known, value } in &fields {
            self.field(builder, &mut Cursor::new_at(line.text, value.span.start), *key, *known, line)?;
        }
        self.fields = fields;
        Ok(())
    }

    /// Takes the value of a field of the last event.
    #[inline]
    fn field(
        &mut self,
        builder: &mut Builder,
        cursor: &mut Cursor<'_>,
        key: Quoted,
        known: Option<Known>,
        line: &Line<'_>,
    ) -> Parsed<()> {
        let Some(known) = known else {
            let value = cursor.value("an object", "a value")?;
            return intern(builder.attribute(&key.text(line.text), &line.text[value.span]), &key);
        };
        let bit = 1 << known as u8;
        if self.seen & bit != 0 {
            return Err(Mistake::syntax(key.quoted_span(), format!("two fields `{}`", key.text(line.text)))
                .label("expected each field once"));
        }
        self.seen |= bit;
        match known {
            Known::Process => {}
            Known::Set => self.set(builder, cursor, line)?,
            Known::After => after(builder, cursor, line)?,
            Known::Clock => clock(builder, cursor, line)?,
            Known::Id => {
                let id = text(cursor, "a string: the id of the event")?;
                if let Err(taken) = builder.id(&id.text(line.text), line.column(id.start)) {
                    self.enough |= !builder.report(line.place(*taken, id.span()));
                }
            }
            Known::Name => {
                let name = text(cursor, "a string: the name of the event")?;
                // An empty name is no name, as in the text format.
                if !name.is_empty() {
                    intern(builder.name(&name.text(line.text)), &name)?;
                }
            }
            Known::Time => {
                const TIME: &str = "a number: the time of the event";
                let value = cursor.value("an object", TIME)?;
                if value.sort != Sort::Number {
                    return Err(expected(&value, TIME));
                }
                builder.time(exact(line.text, value.span)?);
            }
            Known::Attrs => {
                object(cursor, "an object of further facts", |cursor, key| {
                    let value = cursor.value("an object", "a value")?;
                    intern(builder.attribute(&key.text(line.text), &line.text[value.span]), &key)
                })?;
            }
        }
        Ok(())
    }

    #[inline]
    fn set(&mut self, builder: &mut Builder, cursor: &mut Cursor<'_>, line: &Line<'_>) -> Parsed<()> {
        object(cursor, "an object of variables and their values", |cursor, key| {
            let var = intern(builder.variable(&key.text(line.text)), &key)?;
            let value = assigned(builder, cursor, line.text)?;
            if !intern(builder.assign(var, value), &key)? {
                self.report(builder, line, *twice(&key, line.text, "assigned"));
            }
            Ok(())
        })
    }

    /// A line without `process`: a header, a state, or a mistake. All its fields were put aside.
    fn not_an_event(&mut self, builder: &mut Builder, line: &Line<'_>) -> Parsed<()> {
        let find = |key| self.fields.iter().find(|f| f.key.text(line.text) == key);
        if let Some(version) = find("posetta") {
            // The first record after it would be a step of the same run, although its file meant it as the first state.
            if matches!(self.mode, Some((Mode::States, _))) {
                return Err(Mistake::syntax(version.key.quoted_span(), "a header between state records")
                    .label("expected a state")
                    .help("were two files joined? sequences of states are runs of their own: check them one by one"));
            }
            return self.header(builder, line);
        }
        for Field { key, known, value } in &self.fields {
            let of_an_event = match known {
                Some(Known::Set | Known::Clock) => Sort::Object,
                Some(Known::After) => Sort::Array,
                _ => continue,
            };
            if value.sort == of_an_event {
                return Err(Mistake::syntax(key.quoted_span(), "an event without its `process`")
                    .label(format!("expected a field `process` beside `{}`", key.text(line.text)))
                    .help("a line without `process` is a state: its fields are numbers, strings and booleans"));
            }
        }
        self.agree(Mode::States, line)?;
        self.state(builder, line)
    }

    /// Takes the values that a header declares. They stand before any event, wherever in the file the header does, so
    /// several headers must agree.
    fn header(&mut self, builder: &mut Builder, line: &Line<'_>) -> Parsed<()> {
        let fields = std::mem::take(&mut self.fields);
        for field in &fields {
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
                    self.declared_in.get_or_insert(line.number);
                    let mut cursor = Cursor::new_at(line.text, span.start);
                    object(&mut cursor, "an object of variables and their first values", |cursor, key| {
                        let var = intern(builder.variable(&key.text(line.text)), &key)?;
                        let value = assigned(builder, cursor, line.text)?;
                        let (first, since) = *self.declared.entry(var).or_insert((value, line.number));
                        if !builder.declare(var, first) && since == line.number {
                            self.report(builder, line, *twice(&key, line.text, "declared"));
                        } else if first != value {
                            self.report(builder, line, *contradiction(&key, line.text, since));
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
        Ok(())
    }

    /// A line without `process`: the first declares values, the others are events of one process.
    fn state(&mut self, builder: &mut Builder, line: &Line<'_>) -> Parsed<()> {
        let whole = 0..line.text.len();
        match self.states {
            Some(process) => {
                intern_at(builder.event(process, line.number), whole.clone())?;
            }
            None => {
                if let Some(header) = self.declared_in {
                    return Err(Mistake::new(Kind::Mixed, 0..1, "a state record after a header that declares values")
                        .label(format!(
                            "line {header} declares values, and so does the first record of a file of states"
                        ))
                        .help("leave `initial` out, or give every record its `process`"));
                }
                builder.mark_state_records();
            }
        }
        let fields = std::mem::take(&mut self.fields);
        for Field { key, value, .. } in &fields {
            let name = key.text(line.text);
            let Some(id) = scalar(builder, line.text, value)? else {
                if self.states.is_some() {
                    intern(builder.attribute(&name, &line.text[value.span.clone()]), key)?;
                }
                continue;
            };
            let var = intern(builder.variable(&name), key)?;
            let new = match self.states {
                Some(_) => intern(builder.assign(var, id), key)?,
                None => builder.declare(var, id),
            };
            if !new {
                self.report(builder, line, *twice(key, line.text, "assigned"));
            }
        }
        self.fields = fields;
        if self.states.is_none() {
            self.states = Some(intern_at(builder.process(STATE_PROCESS), whole)?);
        }
        Ok(())
    }
}

/// Takes the value of `after`: ids of causes.
#[inline]
fn after(builder: &mut Builder, cursor: &mut Cursor<'_>, line: &Line<'_>) -> Parsed<()> {
    const IDS: &str = "an array of ids";
    let mut cause = |id: Quoted| intern(builder.cause(&id.text(line.text), line.column(id.start)), &id);
    if cursor.peek() != Some(b'[') {
        return cause(text(cursor, IDS)?);
    }
    cursor.at += 1;
    if cursor.take(b']') {
        return Ok(());
    }
    loop {
        cause(cursor.string("an array", "an id in double quotes")?)?;
        if !cursor.more(b']')? {
            return Ok(());
        }
    }
}

/// Takes the value of `clock`: how many events of each process the event knows of.
fn clock(builder: &mut Builder, cursor: &mut Cursor<'_>, line: &Line<'_>) -> Parsed<()> {
    const COUNT: &str = "how many events of the process: 0, 1, 2 …";
    cursor.peek();
    builder.clock(line.column(cursor.at));
    object(cursor, "an object of processes and counts", |cursor, process| {
        let value = cursor.value("an object", COUNT)?;
        // The table of events ends before the last number of this size.
        let count = line.text[value.span.clone()].parse().ok().filter(|&n: &u32| n < u32::MAX);
        let count = count.ok_or_else(|| expected(&value, COUNT))?;
        if process.is_empty() {
            return Err(nameless(&process));
        }
        // A clock may list processes that never did anything; they are no part of the run.
        if count > 0 && !intern(builder.clock_entry(&process.text(line.text), count), &process)? {
            let message = format!("two entries for `{}` in one clock", process.text(line.text));
            return Err(Mistake::syntax(process.quoted_span(), message).label("expected each process once"));
        }
        Ok(())
    })
}

fn nameless(name: &Quoted) -> Box<Mistake> {
    Mistake::syntax(name.quoted_span(), "a process without a name").label("expected a name")
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
fn intern<T>(answer: Result<T, Box<Diagnostic>>, at: &Quoted) -> Parsed<T> {
    intern_at(answer, at.span())
}

#[inline]
fn intern_at<T>(answer: Result<T, Box<Diagnostic>>, span: Range<usize>) -> Parsed<T> {
    answer.map_err(|d| Mistake::new(d.kind, span, d.message))
}

#[cold]
fn expected(value: &json::Value, what: &str) -> Box<Mistake> {
    let mistake = Mistake::syntax(value.span.clone(), format!("unexpected {}", value.sort.noun()));
    let mistake = mistake.label(format!("expected {what}"));
    if value.sort == Sort::Null { mistake.help("leave out what has no value") } else { mistake }
}

/// Calls `each` at the value of every member of the object that should be here.
#[inline]
fn object<'a>(
    cursor: &mut Cursor<'a>,
    what: &str,
    each: impl FnMut(&mut Cursor<'a>, Quoted) -> Parsed<()>,
) -> Parsed<()> {
    if cursor.peek() == Some(b'{') {
        return members(cursor, each);
    }
    let value = cursor.value("an object", what)?;
    Err(expected(&value, what))
}

/// Takes a string.
#[inline]
fn text(cursor: &mut Cursor<'_>, what: &str) -> Parsed<Quoted> {
    if cursor.peek() == Some(b'"') {
        return cursor.string("an object", what);
    }
    let value = cursor.value("an object", what)?;
    Err(expected(&value, what))
}

/// Takes the value of a variable.
#[inline]
fn assigned(builder: &mut Builder, cursor: &mut Cursor<'_>, line: &str) -> Parsed<ValueId> {
    let value = cursor.value("an object", SCALAR)?;
    scalar(builder, line, &value)?.ok_or_else(|| expected(&value, SCALAR))
}

fn twice(key: &Quoted, line: &str, done: &str) -> Box<Mistake> {
    Mistake::new(Kind::AssignedTwice, key.quoted_span(), format!("the variable `{}` is {done} twice", key.text(line)))
        .label("expected one value for each variable of a record")
}

fn contradiction(key: &Quoted, line: &str, since: u64) -> Box<Mistake> {
    let message = format!("two headers declare different values of `{}`", key.text(line));
    Mistake::new(Kind::AssignedTwice, key.quoted_span(), message)
        .label(format!("line {since} declares another value"))
        .help("joined files must agree on the values before any event")
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
    let number = exact(line, span.clone())?;
    intern_at(builder.value(Value::Number(number)), span)
}

fn exact(line: &str, span: Range<usize>) -> Parsed<Number> {
    let text = &line[span.clone()];
    text.parse().map_err(|error| bad_number(text, span, error))
}

#[cold]
fn bad_number(text: &str, span: Range<usize>, error: ParseNumberError) -> Box<Mistake> {
    match error {
        ParseNumberError::Malformed => Mistake::syntax(span, format!("`{text}` is not a number")),
        ParseNumberError::TooLong => Mistake::new(Kind::Digits, span, "a number with more than 10,000 digits")
            .label("expected at most 10,000 digits when it is written without an exponent"),
    }
}
