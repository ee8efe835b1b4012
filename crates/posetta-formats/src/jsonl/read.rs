//! Reading JSON lines.
//!
//! Whether a line is an event or a state is known when its `process` comes, or never does. Fields that stand before it
//! are put aside as ranges of the line and read when it has come; all others go straight from the bytes to the
//! [`Sink`]. Programs mostly write `process` first, and then nothing is put aside. Whether an event record is a sign of life
//! instead is known at the end of the line; the sink then takes the event back.

mod doubts;

use std::io::BufRead;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::doubts::{ends_of_a_message, not_a_state};
use super::STATE_PROCESS;
use super::sink::Sink;
use crate::ignored::Ignored;
use crate::json::{self, Cursor, ValueKind};
use crate::lines::{self, Line, Mistake, Parsed};
use crate::quote::Quoted;
use crate::suspects::Ends;
use crate::{Foreign, Run};
use posetta_base::{Budget, Diagnostic, Error, Kind, Number, ParseNumberError, ProcessId, VarId};
use posetta_logic::nearest;
use posetta_trace::{Builder, Lack, Missing, Reason, Trace};

/// Reads a run. Whoever wants its warnings asks [`formats::read_runs`](crate::read_runs).
///
/// # Errors
/// With every mistake found, or when the budget is spent.
pub fn read(reader: impl BufRead, budget: &Budget) -> Result<Trace, Error> {
    read_run(reader, false, budget).map(|run| run.trace)
}

/// Reads a run and what is worth knowing about it. With `states`, the objects are states whatever their fields look like.
pub(crate) fn read_run(reader: impl BufRead, states: bool, budget: &Budget) -> Result<Run, Error> {
    read_with(reader, Records::new(states), true, budget)
}

/// Reads a run that lies in several files, one after the other. `current` says which is being read.
pub(crate) fn read_parts(
    reader: impl BufRead,
    current: impl Fn() -> Arc<str> + 'static,
    budget: &Budget,
) -> Result<Run, Error> {
    let homes = Homes { current: Box::new(current), of: FxHashMap::default() };
    let records = Records { homes: Some(homes), ..Records::new(false) };
    // The lines of several files are not one sequence.
    read_with(reader, records, false, budget)
}

fn read_with(
    reader: impl BufRead,
    mut records: Records<Builder>,
    sequence: bool,
    budget: &Budget,
) -> Result<Run, Error> {
    let mut builder = Builder::new();
    lines::read_into(&mut builder, reader, budget, |builder, line| records.line(builder, line))?;
    if !builder.has_mistakes() {
        records.are_states()?;
    }
    let warnings = records.warnings();
    let trace = builder.finish(sequence, budget)?;
    Ok(Run { label: None, trace, warnings })
}

/// A field of event records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KnownField {
    Process,
    Id,
    Name,
    Set,
    Time,
    Attrs,
    After,
    Clock,
    Heartbeat,
    Ends,
}

impl KnownField {
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
            b"heartbeat" => Self::Heartbeat,
            b"ends" => Self::Ends,
            _ => return None,
        })
    }

    fn bit(self) -> u16 {
        1 << self as u8
    }
}

/// A field that was put aside.
struct Field {
    key: Quoted,
    known: Option<KnownField>,
    value: json::Value,
}

/// Which sort of records a file has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Events,
    States,
}

/// What the lines so far have decided.
pub(super) struct Records<S: Sink> {
    /// The fields of the line that were put aside; the list is reused.
    fields: Vec<Field>,
    /// Which known fields the line has, a bit each.
    seen: u16,
    /// The field that makes the line a sign of life.
    sign: Option<Quoted>,
    /// The process of the line.
    process: ProcessId,
    /// The line of the first header that declares values.
    declared_in: Option<u64>,
    /// What headers declare, and the line of the first that does. Joined files have several headers.
    declared: FxHashMap<VarId, (S::Value, u64)>,
    /// The processes that a header declares, if one does: all there are.
    processes: Option<Processes>,
    /// Processes that have ended, and the lines that say so.
    ended: FxHashMap<ProcessId, u64>,
    /// The sort of records, and the line that decided it.
    mode: Option<(Mode, u64)>,
    /// The process of a file of states, once its first record was declared.
    states: Option<ProcessId>,
    /// A line of the other sort was met, or there are mistakes enough.
    enough: bool,
    /// States are states, whatever their fields look like, because somebody said so.
    only_states: bool,
    /// Which variables of states have been looked at, by number.
    vetted: Vec<bool>,
    /// Whether a state had a variable.
    any_variable: bool,
    /// Whether something was left out of states that are not read again.
    ignored_before: bool,
    /// Whether a header has come.
    any_header: bool,
    ignored: Ignored,
    /// Names of attributes of events that mean nothing else; not more than [`doubts`] remembers.
    harmless: FxHashSet<String>,
    /// Names of attributes that were warned of, and the warnings.
    doubted: FxHashSet<String>,
    doubts: Vec<Diagnostic>,
    /// The file that each process is in, of a run that lies in several.
    homes: Option<Homes>,
}

/// What states without a variable have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bare {
    Nothing,
    /// Fields that are left out.
    Ignored,
}

/// Where processes are at home: all records of one stand in one file, because their order is that of the lines.
struct Homes {
    current: Box<dyn Fn() -> Arc<str>>,
    of: FxHashMap<ProcessId, Arc<str>>,
}

impl Homes {
    fn enter(&mut self, process: ProcessId, name: &Quoted, line: &Line<'_>) -> Parsed<()> {
        let here = (self.current)();
        let home = self.of.entry(process).or_insert_with(|| Arc::clone(&here));
        if Arc::ptr_eq(home, &here) {
            return Ok(());
        }
        let message =
            format!("the process `{}` is in two files, and nothing says what comes first", name.text(line.text));
        Err(Mistake::new(Kind::Process, name.span(), message)
            .label(format!("its first records are in {home}"))
            .help("put the files of one process together first, in their order"))
    }
}

/// The declared processes: those that the sink numbered first.
struct Processes {
    names: Vec<String>,
    /// The same names.
    set: FxHashSet<String>,
    line: u64,
}

impl Processes {
    #[cold]
    fn undeclared(&self, name: &str, span: Range<usize>) -> Box<Mistake> {
        let near = nearest(name, self.names.iter().map(String::as_str));
        let mistake = Mistake::new(Kind::Process, span, format!("the process `{name}` is not declared"));
        match near {
            Some(near) => mistake.label(format!("did you mean `{near}`?")),
            None => mistake.label("expected a process that the header declares"),
        }
        .help(format!("`processes` in line {} lists all there are", self.line))
    }
}

impl<S: Sink> Records<S> {
    /// Nothing is read yet. With `only_states`, lines without a process are states whatever their fields look like.
    pub(super) fn new(only_states: bool) -> Self {
        Self {
            fields: Vec::new(),
            seen: 0,
            sign: None,
            process: ProcessId::from_raw(0),
            declared_in: None,
            declared: FxHashMap::default(),
            processes: None,
            ended: FxHashMap::default(),
            mode: None,
            states: None,
            enough: false,
            only_states,
            vetted: Vec::new(),
            any_variable: false,
            ignored_before: false,
            any_header: false,
            ignored: Ignored::default(),
            harmless: FxHashSet::default(),
            doubted: FxHashSet::default(),
            doubts: Vec::new(),
            homes: None,
        }
    }
}

const SCALAR: &str = "a number, a string, true or false";

impl<S: Sink> Records<S> {
    pub(super) fn line(&mut self, sink: &mut S, line: &Line<'_>) -> ControlFlow<()> {
        if let Err(mut mistake) = self.record(sink, line) {
            sink.lose_event();
            let is_first = self.mode.is_none() && !self.any_header;
            if is_first
                && line.ended
                && mistake.inside.is_some()
                && line.text.trim_end().ends_with(['{', '[', ',', ':'])
            {
                // One mistake for the whole document, not one for each of its lines.
                mistake = Mistake::new(Kind::Format, mistake.span, "a JSON document over several lines")
                    .label("expected the whole object on this line")
                    .help(Foreign::JsonDocument.advice());
            }
            self.report(sink, line, *mistake);
        }
        if self.enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Forgets what a line with a mistake has decided, so that reading can go on without it.
    #[cold]
    pub(super) fn forget_line(&mut self, number: u64) {
        self.enough = false;
        self.declared.retain(|_, (_, since)| *since != number);
        self.declared_in = self.declared_in.filter(|since| *since != number);
        self.processes = self.processes.take().filter(|processes| processes.line != number);
        self.ended.retain(|_, since| *since != number);
        self.mode = self.mode.filter(|(_, since)| *since != number);
    }

    /// Whether the records are states, and the line that decided it.
    pub(super) fn decided(&self) -> Option<(bool, u64)> {
        self.mode.map(|(mode, since)| (mode == Mode::States, since))
    }

    /// What the states so far had instead of variables; `None` if one had a variable, or if they are no states.
    pub(super) fn bare(&self) -> Option<Bare> {
        let states = matches!(self.mode, Some((Mode::States, _)));
        let ignores = self.ignored_before || !self.ignored.is_empty();
        (states && !self.any_variable).then_some(if ignores { Bare::Ignored } else { Bare::Nothing })
    }

    /// Decides what the records are, as a line that is not read again did.
    pub(super) fn decide(&mut self, sink: &mut S, states: bool, bare: Option<Bare>, line: u64) -> Option<()> {
        self.mode = Some((if states { Mode::States } else { Mode::Events }, line));
        (self.any_variable, self.ignored_before) = (bare.is_none(), bare == Some(Bare::Ignored));
        if states {
            self.states = Some(sink.process(STATE_PROCESS).ok()?);
            sink.only_states();
        }
        Some(())
    }

    fn report(&mut self, sink: &mut S, line: &Line<'_>, mistake: Mistake) {
        // Even one line can have more mistakes than are worth showing.
        if self.enough {
            return;
        }
        self.enough |= matches!(mistake.kind, Kind::Mixed | Kind::Format);
        self.enough |= !sink.report(line.diagnose(mistake));
    }

    fn record(&mut self, sink: &mut S, line: &Line<'_>) -> Parsed<()> {
        self.fields.clear();
        self.seen = 0;
        self.sign = None;
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
            let known = KnownField::from_key(&key.text(line.text));
            if known == Some(KnownField::Process) && !is_event {
                is_event = true;
                self.seen |= KnownField::Process.bit();
                return self.begin_event(sink, cursor, line);
            }
            if is_event {
                return self.field(sink, cursor, key, known, line);
            }
            let value = cursor.value("an object", "a value")?;
            self.fields.push(Field { key, known, value });
            Ok(())
        })?;
        cursor.end()?;
        match (is_event, self.sign) {
            (false, _) => self.not_an_event(sink, line),
            (true, None) => Ok(()),
            (true, Some(sign)) => self.sign(sink, sign, line),
        }
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
    fn begin_event(&mut self, sink: &mut S, cursor: &mut Cursor<'_>, line: &Line<'_>) -> Parsed<()> {
        let name = text(cursor, "a string: the name of the process")?;
        if name.is_empty() {
            return Err(nameless(&name));
        }
        self.agree(Mode::Events, line)?;
        self.process = intern(sink.process(&name.text(line.text)), &name)?;
        self.is_declared(self.process, &name, line)?;
        if let Some(homes) = &mut self.homes {
            homes.enter(self.process, &name, line)?;
        }
        if !self.ended.is_empty()
            && let Some(since) = self.ended.get(&self.process)
        {
            let message = format!("a record of `{}`, which has ended", name.text(line.text));
            return Err(Mistake::new(Kind::Process, name.span(), message)
                .label(format!("line {since} says that it has no more events"))
                .help("leave out `ends` there, or give this process another name"));
        }
        intern(sink.event(self.process, line.number), &name)?;
        if self.fields.is_empty() {
            return Ok(());
        }
        let fields = std::mem::take(&mut self.fields);
        for Field { key, known, value } in &fields {
            self.field(sink, &mut Cursor::new_at(line.text, value.span.start), *key, *known, line)?;
        }
        self.fields = fields;
        Ok(())
    }

    /// Where processes are declared, there are no others.
    #[inline]
    fn is_declared(&self, process: ProcessId, name: &Quoted, line: &Line<'_>) -> Parsed<()> {
        match &self.processes {
            Some(processes) if process.index() >= processes.names.len() => {
                Err(processes.undeclared(&name.text(line.text), name.span()))
            }
            _ => Ok(()),
        }
    }

    /// The line is a sign of life: its causes and its clock hold for what its process does from now on.
    #[cold]
    fn sign(&mut self, sink: &mut S, sign: Quoted, line: &Line<'_>) -> Parsed<()> {
        let ends = self.seen & KnownField::Ends.bit() != 0;
        for (known, field) in [(KnownField::Set, "set"), (KnownField::Id, "id"), (KnownField::Name, "name")] {
            if self.seen & known.bit() != 0 {
                let message = format!("`{}` beside `{field}`", sign.text(line.text));
                return Err(Mistake::syntax(sign.quoted_span(), message)
                    .label("a sign of life is not an event: it has no id, no name, and assigns nothing")
                    .help(format!("write the event in a line of its own, or leave `{field}` out")));
            }
        }
        sink.sign_of_life(ends);
        if ends {
            self.ended.insert(self.process, line.number);
        }
        Ok(())
    }

    /// Takes the value of a field of the last event.
    #[inline]
    fn field(
        &mut self,
        sink: &mut S,
        cursor: &mut Cursor<'_>,
        key: Quoted,
        known: Option<KnownField>,
        line: &Line<'_>,
    ) -> Parsed<()> {
        let Some(known) = known else {
            let value = cursor.value("an object", "a value")?;
            self.look_at(key, &value, true, line);
            return intern(sink.attribute(&key.text(line.text), &line.text[value.span]), &key);
        };
        let bit = known.bit();
        if self.seen & bit != 0 {
            return Err(Mistake::syntax(key.quoted_span(), format!("two fields `{}`", key.text(line.text)))
                .label("expected each field once"));
        }
        self.seen |= bit;
        match known {
            KnownField::Process => {}
            KnownField::Set => self.set(sink, cursor, line)?,
            KnownField::After => after(sink, cursor, line)?,
            KnownField::Clock => clock(self, sink, cursor, line)?,
            KnownField::Heartbeat | KnownField::Ends => {
                let value = cursor.value("an object", "true")?;
                if value.kind != ValueKind::Bool(true) {
                    let help = format!("leave `{0}` out, or write it inside `attrs`", key.text(line.text));
                    return Err(expected(&value, "true").help(help));
                }
                self.sign = Some(key);
            }
            KnownField::Id => {
                let id = text(cursor, "a string: the id of the event")?;
                if let Err(taken) = sink.id(&id.text(line.text), line.column(id.start)) {
                    self.enough |= !sink.report(line.place(*taken, id.span()));
                }
            }
            KnownField::Name => {
                let name = text(cursor, "a string: the name of the event")?;
                // An empty name is no name, as in the text format.
                if !name.is_empty() {
                    intern(sink.name(&name.text(line.text)), &name)?;
                }
            }
            KnownField::Time => {
                const TIME: &str = "a number: the time of the event";
                let value = cursor.value("an object", TIME)?;
                if value.kind != ValueKind::Number {
                    return Err(expected(&value, TIME));
                }
                sink.time(exact(line.text, value.span)?);
            }
            KnownField::Attrs => {
                object(cursor, "an object of further facts", |cursor, key| {
                    let value = cursor.value("an object", "a value")?;
                    self.look_at(key, &value, false, line);
                    intern(sink.attribute(&key.text(line.text), &line.text[value.span]), &key)
                })?;
            }
        }
        Ok(())
    }

    #[inline]
    fn set(&mut self, sink: &mut S, cursor: &mut Cursor<'_>, line: &Line<'_>) -> Parsed<()> {
        object(cursor, "an object of variables and their values", |cursor, key| {
            let var = intern(sink.variable(&key.text(line.text)), &key)?;
            let value = assigned(sink, cursor, line.text)?;
            if !intern(sink.assign(var, value), &key)? {
                self.report(sink, line, *twice(&key, line.text, "assigned"));
            }
            Ok(())
        })
    }

    /// A line without `process`: a header, a state, or a mistake. All its fields were put aside.
    fn not_an_event(&mut self, sink: &mut S, line: &Line<'_>) -> Parsed<()> {
        let find = |key| self.fields.iter().find(|f| f.key.text(line.text) == key);
        if let Some(version) = find("posetta") {
            // The first record after it would be a step of the same run, although its file meant it as the first state.
            if matches!(self.mode, Some((Mode::States, _))) {
                return Err(Mistake::syntax(version.key.quoted_span(), "a header between state records")
                    .label("expected a state")
                    .help("were two files joined? sequences of states are runs of their own: check them one by one"));
            }
            self.any_header = true;
            // Whoever writes a header knows what a state is here.
            self.only_states = true;
            sink.header();
            return self.header(sink, line);
        }
        for Field { key, known, value } in &self.fields {
            let of_an_event = match known {
                Some(KnownField::Set | KnownField::Clock) => ValueKind::Object,
                Some(KnownField::After) => ValueKind::Array,
                _ => continue,
            };
            if value.kind == of_an_event {
                return Err(Mistake::syntax(key.quoted_span(), "an event without its `process`")
                    .label(format!("expected a field `process` beside `{}`", key.text(line.text)))
                    .help("a line without `process` is a state: its fields are numbers, strings and booleans"));
            }
        }
        self.agree(Mode::States, line)?;
        self.state(sink, line)
    }

    /// Takes the values that a header declares. They stand before any event, wherever in the file the header does, so
    /// several headers must agree.
    fn header(&mut self, sink: &mut S, line: &Line<'_>) -> Parsed<()> {
        let mut fields = std::mem::take(&mut self.fields);
        // Groups are of processes, which another field declares.
        fields.sort_by_key(|field| field.key.text(line.text) == "groups");
        for field in &fields {
            let span = field.value.span.clone();
            match &*field.key.text(line.text) {
                "posetta" => {
                    let version = &line.text[span.clone()];
                    if field.value.kind != ValueKind::Number || version != "1" {
                        return Err(Mistake::new(Kind::Unsupported, span, format!("version {version} of the format"))
                            .label("expected 1, the only version that this program knows"));
                    }
                }
                "initial" => {
                    self.declared_in.get_or_insert(line.number);
                    let mut cursor = Cursor::new_at(line.text, span.start);
                    object(&mut cursor, "an object of variables and their first values", |cursor, key| {
                        let var = intern(sink.variable(&key.text(line.text)), &key)?;
                        let value = assigned(sink, cursor, line.text)?;
                        if let Some((first, since)) = self.declared.get(&var) {
                            if *since == line.number {
                                self.report(sink, line, *twice(&key, line.text, "declared"));
                            } else if *first != value {
                                let since = *since;
                                self.report(sink, line, *contradiction(&key, line.text, since));
                            }
                            return Ok(());
                        }
                        self.declared.insert(var, (value.clone(), line.number));
                        sink.declare(var, value, line.number);
                        Ok(())
                    })?;
                }
                "processes" => self.declare_processes(sink, span.start, field.key, line)?,
                "groups" => {
                    let mut cursor = Cursor::new_at(line.text, span.start);
                    object(&mut cursor, "an object of processes and their groups", |cursor, key| {
                        let process = intern(sink.process(&key.text(line.text)), &key)?;
                        self.is_declared(process, &key, line)?;
                        let group = text(cursor, "the name of a group")?;
                        intern(sink.group(process, &group.text(line.text)), &group)
                    })?;
                }
                "incomplete" => {
                    let mut cursor = Cursor::new_at(line.text, span.start);
                    object(&mut cursor, "an object of what is missing, and how often", |cursor, key| {
                        let what = Missing::from_word(&key.text(line.text)).ok_or_else(|| {
                            let known: Vec<String> = Missing::ALL.iter().map(|known| format!("\"{known}\"")).collect();
                            let message = format!("`{}` is nothing that can be missing", key.text(line.text));
                            Mistake::syntax(key.quoted_span(), message)
                                .label(format!("expected one of {}", known.join(", ")))
                        })?;
                        let value = cursor.value("an object", "a number")?;
                        let count = line.text[value.span.clone()].parse().ok();
                        let mut lack = Lack::new(what);
                        lack.count = count.ok_or_else(|| expected(&value, "how often: 1, 2 …"))?;
                        sink.lacks(lack);
                        Ok(())
                    })?;
                }
                other => {
                    return Err(Mistake::syntax(field.key.quoted_span(), format!("a header with a field `{other}`"))
                        .label("expected only `posetta`, `processes`, `groups`, `initial` and `incomplete`")
                        .help("a line of events needs a `process`"));
                }
            }
        }
        Ok(())
    }

    /// Takes the names of all processes. They are known before the first record, so that what is read need not be kept until
    /// the end to know whether more will come.
    fn declare_processes(&mut self, sink: &mut S, at: usize, field: Quoted, line: &Line<'_>) -> Parsed<()> {
        const NAMES: &str = "an array of the names of all processes";
        let mut cursor = Cursor::new_at(line.text, at);
        if cursor.peek() != Some(b'[') {
            let value = cursor.value("an object", NAMES)?;
            return Err(expected(&value, NAMES));
        }
        cursor.at += 1;
        let mut names: Vec<String> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut more = !cursor.take(b']');
        while more {
            let name = cursor.string("an array", "the name of a process in double quotes")?;
            if name.is_empty() {
                return Err(nameless(&name));
            }
            let text = name.text(line.text).into_owned();
            if let Some(earlier) = self.processes.as_ref().filter(|p| !p.set.contains(&text)) {
                let message = format!("two headers declare different processes: `{text}`");
                return Err(Mistake::new(Kind::Process, name.span(), message)
                    .label(format!("line {} does not declare it", earlier.line))
                    .help("joined files must agree on all processes of the run"));
            }
            if !seen.insert(text.clone()) {
                return Err(Mistake::new(
                    Kind::Process,
                    name.span(),
                    format!("the process `{text}` is declared twice"),
                )
                .label("expected each process once"));
            }
            names.push(text);
            more = cursor.more(b']')?;
        }
        if let Some(earlier) = &self.processes {
            if let Some(lacking) = earlier.names.iter().find(|name| !seen.contains(*name)) {
                let message = format!("two headers declare different processes: `{lacking}`");
                return Err(Mistake::new(Kind::Process, field.quoted_span(), message)
                    .label(format!("line {} declares it, and this one does not", earlier.line))
                    .help("joined files must agree on all processes of the run"));
            }
            return Ok(());
        }
        if let Some((_, first)) = self.mode {
            return Err(Mistake::new(
                Kind::Process,
                field.quoted_span(),
                "processes are declared after the first record",
            )
            .label(format!("expected them before line {first}"))
            .help("in joined files, the first header must declare the processes if another does"));
        }
        for name in &names {
            intern(sink.process(name), &field)?;
        }
        sink.close_processes();
        self.processes = Some(Processes { names, set: seen, line: line.number });
        Ok(())
    }

    /// A line without `process`: the first declares values, the others are events of one process.
    fn state(&mut self, sink: &mut S, line: &Line<'_>) -> Parsed<()> {
        let whole = 0..line.text.len();
        match self.states {
            Some(process) => {
                intern_at(sink.event(process, line.number), whole.clone())?;
            }
            None => {
                if let Some(processes) = &self.processes {
                    let message = "a state record after a header that declares processes";
                    return Err(Mistake::new(Kind::Mixed, 0..1, message)
                        .label(format!("line {} declares processes, and this line has none", processes.line))
                        .help("leave `processes` out, or give every record its `process`"));
                }
                if let Some(header) = self.declared_in {
                    return Err(Mistake::new(Kind::Mixed, 0..1, "a state record after a header that declares values")
                        .label(format!(
                            "line {header} declares values, and so does the first record of a file of states"
                        ))
                        .help("leave `initial` out, or give every record its `process`"));
                }
            }
        }
        let fields = std::mem::take(&mut self.fields);
        let mut ends = 0;
        for Field { key, value, .. } in &fields {
            let name = key.text(line.text);
            let Some(id) = scalar(sink, line.text, value)? else {
                if !self.only_states && value.kind != ValueKind::Null {
                    return Err(not_a_state(sink, &fields, line));
                }
                self.ignored.add(&name, value.kind.noun(), line.number);
                if self.states.is_some() {
                    intern(sink.attribute(&name, &line.text[value.span.clone()]), key)?;
                }
                continue;
            };
            let var = intern(sink.variable(&name), key)?;
            // Any string may have a clock in it, and only these are worth a look.
            let braced = line.text.as_bytes().get(value.span.start + 1) == Some(&b'{');
            if self.vetted.get(var.index()) != Some(&true) || (braced && !self.only_states) {
                if !self.vet(sink, var, &name, value, line) {
                    return Err(not_a_state(sink, &fields, line));
                }
                ends += usize::from(!self.only_states && Ends::is_end(&name));
            }
            let new = match self.states {
                Some(_) => intern(sink.assign(var, id), key)?,
                None => {
                    self.declared.insert(var, (id.clone(), line.number)).is_none() && sink.declare(var, id, line.number)
                }
            };
            if !new {
                self.report(sink, line, *twice(key, line.text, "assigned"));
            }
        }
        if ends > 1 && ends_of_a_message(sink, &fields, line).is_some() {
            return Err(not_a_state(sink, &fields, line));
        }
        self.fields = fields;
        if self.states.is_none() {
            self.states = Some(intern_at(sink.process(STATE_PROCESS), whole)?);
            sink.only_states();
        }
        Ok(())
    }
}

/// Takes the value of `after`: ids of causes.
#[inline]
fn after(sink: &mut impl Sink, cursor: &mut Cursor<'_>, line: &Line<'_>) -> Parsed<()> {
    const IDS: &str = "an array of ids";
    if cursor.peek() != Some(b'[') {
        let id = text(cursor, IDS)?;
        return intern(sink.cause(&id.text(line.text), line.column(id.start), Reason::Stated), &id);
    }
    cursor.at += 1;
    if cursor.take(b']') {
        return Ok(());
    }
    loop {
        let (id, reason) = match cursor.peek() {
            Some(b'{') => reasoned(sink, cursor, line)?,
            _ => (cursor.string("an array", "an id in double quotes")?, Reason::Stated),
        };
        intern(sink.cause(&id.text(line.text), line.column(id.start), reason), &id)?;
        if !cursor.more(b']')? {
            return Ok(());
        }
    }
}

/// Takes an entry of `after` that says why: `{"event":"m1","because":"lock"}`.
#[cold]
fn reasoned(sink: &impl Sink, cursor: &mut Cursor<'_>, line: &Line<'_>) -> Parsed<(Quoted, Reason)> {
    let start = cursor.at;
    let (mut event, mut reason) = (None, Reason::Stated);
    object(cursor, "a cause", |cursor, key| {
        match &*key.text(line.text) {
            "event" => event = Some(text(cursor, "an id")?),
            "because" => {
                let word = text(cursor, "a reason")?;
                reason = Reason::from_word(&word.text(line.text)).ok_or_else(|| {
                    let known: Vec<String> = Reason::ALL.iter().map(|known| format!("\"{known}\"")).collect();
                    let message = format!("`{}` is not a reason", word.text(line.text));
                    Mistake::syntax(word.quoted_span(), message).label(format!("expected one of {}", known.join(", ")))
                })?;
                if reason.is_assumed() && !sink.takes_assumptions() {
                    return Err(Mistake::new(Kind::Unsupported, word.quoted_span(), "an edge that is only assumed")
                        .label("expected a cause")
                        .help("what a verdict rests on is found out on a whole run: check the file without --follow"));
                }
            }
            other => {
                return Err(Mistake::syntax(key.quoted_span(), format!("a cause with a field `{other}`"))
                    .label("expected only `event` and `because`"));
            }
        }
        Ok(())
    })?;
    let lacking = || Mistake::syntax(start..start + 1, "a cause without its `event`").label("expected a field `event`");
    Ok((event.ok_or_else(lacking)?, reason))
}

/// Takes the value of `clock`: how many events of each process the event knows of.
fn clock<S: Sink>(records: &Records<S>, sink: &mut S, cursor: &mut Cursor<'_>, line: &Line<'_>) -> Parsed<()> {
    const COUNT: &str = "how many events of the process: 0, 1, 2 …";
    cursor.peek();
    sink.clock(line.column(cursor.at));
    object(cursor, "an object of processes and counts", |cursor, process| {
        let value = cursor.value("an object", COUNT)?;
        // The table of events ends before the last number of this size.
        let count = line.text[value.span.clone()].parse().ok().filter(|&n: &u32| n < u32::MAX);
        let count = count.ok_or_else(|| expected(&value, COUNT))?;
        if process.is_empty() {
            return Err(nameless(&process));
        }
        // A clock may list processes that never did anything; they are no part of the run.
        if count == 0 {
            return Ok(());
        }
        let (id, new) = intern(sink.clock_entry(&process.text(line.text), count), &process)?;
        records.is_declared(id, &process, line)?;
        if !new {
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

/// Gives a refusal of the sink its place.
#[inline]
fn intern<T>(answer: Result<T, Box<Diagnostic>>, at: &Quoted) -> Parsed<T> {
    intern_at(answer, at.span())
}

#[inline]
fn intern_at<T>(answer: Result<T, Box<Diagnostic>>, span: Range<usize>) -> Parsed<T> {
    answer.map_err(|d| {
        let mut mistake = Mistake::new(d.kind, span, d.message);
        (mistake.label, mistake.help) = (d.label, d.help);
        mistake
    })
}

#[cold]
fn expected(value: &json::Value, what: &str) -> Box<Mistake> {
    let mistake = Mistake::syntax(value.span.clone(), format!("unexpected {}", value.kind.noun()));
    let mistake = mistake.label(format!("expected {what}"));
    if value.kind == ValueKind::Null { mistake.help("leave out what has no value") } else { mistake }
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
fn assigned<S: Sink>(sink: &mut S, cursor: &mut Cursor<'_>, line: &str) -> Parsed<S::Value> {
    let value = cursor.value("an object", SCALAR)?;
    scalar(sink, line, &value)?.ok_or_else(|| expected(&value, SCALAR))
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
fn scalar<S: Sink>(sink: &mut S, line: &str, value: &json::Value) -> Parsed<Option<S::Value>> {
    let id = match value.kind {
        ValueKind::Number => return number(sink, line, value.span.clone()).map(Some),
        ValueKind::Text(quoted) => sink.text(&quoted.text(line)),
        ValueKind::Bool(b) => sink.integer(i64::from(b)),
        ValueKind::Null | ValueKind::Array | ValueKind::Object => return Ok(None),
    };
    intern_at(id, value.span.clone()).map(Some)
}

#[inline]
fn number<S: Sink>(sink: &mut S, line: &str, span: Range<usize>) -> Parsed<S::Value> {
    let text = &line[span.clone()];
    // Single digits are most of the numbers there are.
    if let &[digit @ b'0'..=b'9'] = text.as_bytes() {
        return intern_at(sink.integer(i64::from(digit - b'0')), span);
    }
    let number = exact(line, span.clone())?;
    intern_at(sink.number(number), span)
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
