//! JSON lines, record by record.
//!
//! The lines are taken apart by the reader of files, [`Lines`]; only where it puts what it finds is different: the values of one
//! record go into a [`RecordBuffer`]. The order of a stream is that of its lines, so ids, causes and clocks are read, but nothing
//! is made of them. A line with a mistake is left out as if it were not there.

use std::io::BufRead;

use rustc_hash::FxHashSet;

use super::read::{Bare, Records as Lines};
use super::sink::{Sink, Taken};
use crate::line_reader::LineReader;
use crate::lines::{Gather, Line};
use crate::records::{RecordBuffer, RecordKind, Records};
use posetta_base::{Budget, Diagnostic, Error, Interner, Kind, Number, Place, ProcessId, Symbol, Value, VarId};
use posetta_trace::Reason;

/// So many mistakes of one line are told.
const MOST_MISTAKES: usize = 20;

/// Reads the records of JSON lines one by one.
pub struct Stream<R> {
    lines: LineReader<R>,
    parser: Lines<Pull>,
    pull: Pull,
    /// Headers and the ends of processes, with their numbers: what records to come are held to.
    binding: Vec<(u64, String)>,
}

/// What the lines are put into.
struct Pull {
    /// The caller's buffer, while a line is read.
    record: RecordBuffer,
    /// What the line declares. It is the first record, if that is a state.
    declared: Vec<(VarId, Value)>,
    initial: Vec<(String, Value)>,
    processes: Interner,
    mistakes: Vec<Diagnostic>,
    /// What the line is.
    found: Found,
    /// A record has come.
    begun: bool,
    /// The records are states.
    states: bool,
    /// The processes of the clock of this line.
    clock: FxHashSet<ProcessId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    Record,
    /// A header, or the end of a process: later records are held to it.
    Binding,
}

impl<R: BufRead> Stream<R> {
    /// A reader of a stream from its beginning. With `states`, its objects are states whatever their fields look like.
    pub fn new(reader: R, states: bool, budget: &Budget) -> Self {
        Self::at(reader, states, 0, 0, budget)
    }

    fn at(reader: R, states: bool, number: u64, offset: u64, budget: &Budget) -> Self {
        let pull = Pull {
            record: RecordBuffer::all(None),
            declared: Vec::new(),
            initial: Vec::new(),
            processes: Interner::new(),
            mistakes: Vec::new(),
            found: Found::Nothing,
            begun: false,
            states: false,
            clock: FxHashSet::default(),
        };
        Self {
            lines: LineReader::new_at(reader, number, offset, budget),
            parser: Lines::new(states),
            pull,
            binding: Vec::new(),
        }
    }

    /// A reader of the rest of a stream, from `offset` on, where another was [saved](Records::save). It will read into `record`.
    /// `None` if that is not what was saved.
    pub fn resume(
        reader: R,
        states: bool,
        offset: u64,
        saved: &str,
        record: &mut RecordBuffer,
        budget: &Budget,
    ) -> Option<Self> {
        let mut lines = saved.lines();
        let mut head = lines.next()?.split(' ');
        let number: u64 = head.next()?.parse().ok()?;
        let kind = head.next()?;
        let since: Option<u64> = head.next().map(str::parse).transpose().ok()?;
        let bare = match head.next() {
            None => None,
            Some(word) => Some(bare_called(word)?),
        };
        // A line takes at least a byte, and what was decided was decided before.
        if number > offset || since.is_some_and(|since| since == 0 || since > number) || head.next().is_some() {
            return None;
        }
        let mut stream = Self::at(reader, states, number, offset, budget);
        std::mem::swap(record, &mut stream.pull.record);
        let bound = stream.bind(lines);
        std::mem::swap(record, &mut stream.pull.record);
        bound?;
        match (kind, since) {
            ("open", None) => {}
            ("states" | "events", Some(since)) => {
                if bare.is_some() && kind != "states" {
                    return None;
                }
                stream.parser.decide(&mut stream.pull, kind == "states", bare, since)?;
                stream.pull.begun = true;
            }
            _ => return None,
        }
        Some(stream)
    }

    /// Reads what binds later records again.
    fn bind<'a>(&mut self, lines: impl Iterator<Item = &'a str>) -> Option<()> {
        for line in lines {
            let (number, text) = line.split_once(' ')?;
            let number = number.parse().ok()?;
            let before = self.binding.last().map_or(0, |(before, _)| *before);
            if number <= before || number > self.lines.number() {
                return None;
            }
            self.pull.line(&mut self.parser, &Line::new(number, text, true));
            if self.pull.found != Found::Binding {
                return None;
            }
            self.binding.push((number, text.to_owned()));
        }
        Some(())
    }
}

impl<R: BufRead> Records for Stream<R> {
    fn kind(&self) -> Option<RecordKind> {
        let (states, _) = self.parser.decided()?;
        Some(if states { RecordKind::States } else { RecordKind::Events })
    }

    fn initial(&self) -> &[(String, Value)] {
        &self.pull.initial
    }

    fn next(&mut self, record: &mut RecordBuffer) -> Result<bool, Error> {
        std::mem::swap(record, &mut self.pull.record);
        let read = self.advance();
        std::mem::swap(record, &mut self.pull.record);
        read
    }

    fn offset(&self) -> u64 {
        self.lines.offset()
    }

    fn line(&self) -> u64 {
        self.lines.number()
    }

    fn warnings(&mut self) -> Vec<Diagnostic> {
        self.parser.warnings()
    }

    fn finish(&self) -> Result<(), Diagnostic> {
        self.parser.are_states()
    }

    fn save(&self) -> Option<String> {
        let decided = match self.parser.decided() {
            None => "open".to_owned(),
            Some((true, since)) => format!("states {since}"),
            Some((false, since)) => format!("events {since}"),
        };
        let mut saved = format!("{} {decided}", self.lines.number());
        if let Some(bare) = self.parser.bare() {
            saved.push_str(bare_word(bare));
        }
        for (number, text) in &self.binding {
            saved.push_str(&format!("\n{number} {text}"));
        }
        Some(saved)
    }
}

/// What a saved reader says of states without a variable, behind the line that decided that they are states. One that says nothing has seen
/// a variable.
fn bare_word(bare: Bare) -> &'static str {
    match bare {
        Bare::Nothing => " empty",
        Bare::Ignored => " ignored",
    }
}

fn bare_called(word: &str) -> Option<Bare> {
    [Bare::Nothing, Bare::Ignored].into_iter().find(|bare| bare_word(*bare).trim_start() == word)
}

impl<R: BufRead> Stream<R> {
    fn advance(&mut self) -> Result<bool, Error> {
        let Self { lines, parser, pull, binding } = self;
        loop {
            pull.record.begin();
            let weight = (pull.record.bytes() + pull.processes.bytes()) as u64;
            let read = lines.next(
                || weight,
                |line| {
                    pull.line(parser, line);
                    if pull.found == Found::Binding {
                        binding.push((line.number, line.text.to_owned()));
                    }
                },
            )?;
            if read.is_none() {
                return Ok(false);
            }
            if !pull.mistakes.is_empty() {
                return Err(Error::Invalid(std::mem::take(&mut pull.mistakes)));
            }
            if pull.found == Found::Record {
                pull.begun = true;
                return Ok(true);
            }
        }
    }
}

impl Pull {
    /// Reads a line. It is a record, or binds those to come, or has a mistake.
    fn line(&mut self, parser: &mut Lines<Self>, line: &Line<'_>) {
        self.found = Found::Nothing;
        self.declared.clear();
        let _ = parser.line(self, line);
        if self.mistakes.is_empty() && self.found != Found::Record && !self.declared.is_empty() {
            self.found = Found::Binding;
            self.declare_initial(line);
        }
        if !self.mistakes.is_empty() {
            self.found = Found::Nothing;
            parser.forget_line(line.number);
        }
    }

    /// Takes what a header declares. After the first record it is too late for what anybody asks for.
    fn declare_initial(&mut self, line: &Line<'_>) {
        for (var, value) in std::mem::take(&mut self.declared) {
            let symbol = Symbol::from_raw(var.raw());
            if !self.begun {
                self.initial.push((self.record.variable_name(symbol).to_owned(), value));
            } else if self.record.wants(symbol) {
                let name = self.record.variable_name(symbol);
                let message = format!("the first value of `{name}` is declared after the first record");
                let help = "a stream declares its values before its first record";
                let place = Place::in_line(line.number, line.text, 0, line.text.len());
                self.mistakes.push(Diagnostic::new(Kind::Input, message).at(place).help(help));
            }
        }
    }
}

impl Gather for Pull {
    fn report(&mut self, diagnostic: Diagnostic) -> bool {
        self.mistakes.push(diagnostic);
        self.mistakes.len() < MOST_MISTAKES
    }

    fn lose_event(&mut self) {}

    fn weight(&self) -> u64 {
        (self.record.bytes() + self.processes.bytes()) as u64
    }
}

impl Sink for Pull {
    type Value = Value;

    #[inline]
    fn process(&mut self, name: &str) -> Taken<ProcessId> {
        let full = || Box::new(Diagnostic::new(Kind::Input, "too many processes"));
        self.processes.intern(name).map(|symbol| ProcessId::from_raw(symbol.raw())).ok_or_else(full)
    }

    fn close_processes(&mut self) {
        self.found = Found::Binding;
    }

    #[inline]
    fn variable(&mut self, name: &str) -> Taken<VarId> {
        self.record.variable(name).map(|symbol| VarId::from_raw(symbol.raw()))
    }

    #[inline]
    fn number(&mut self, number: Number) -> Taken<Value> {
        Ok(Value::Number(number))
    }

    #[inline]
    fn text(&mut self, text: &str) -> Taken<Value> {
        Ok(Value::Text(text.to_owned()))
    }

    #[inline]
    fn integer(&mut self, n: i64) -> Taken<Value> {
        Ok(Value::Number(Number::from(n)))
    }

    fn declare(&mut self, var: VarId, value: Value, _line: u64) -> bool {
        self.declared.push((var, value));
        true
    }

    #[inline]
    fn event(&mut self, process: ProcessId, _line: u64) -> Taken<()> {
        self.found = Found::Record;
        if !self.states {
            let name = self.processes.resolve(Symbol::from_raw(process.raw()));
            self.record.set_process(name);
            self.record.key_text("process", name);
        }
        Ok(())
    }

    #[inline]
    fn assign(&mut self, var: VarId, value: Value) -> Taken<bool> {
        Ok(self.record.assign(Symbol::from_raw(var.raw()), value))
    }

    #[inline]
    fn name(&mut self, name: &str) -> Taken<()> {
        self.record.set_name(name);
        self.record.key_text("name", name);
        Ok(())
    }

    #[inline]
    fn id(&mut self, id: &str, _column: usize) -> Taken<()> {
        self.record.key_text("id", id);
        Ok(())
    }

    fn time(&mut self, time: Number) {
        if self.record.is_key_field("time") {
            self.record.set_key(&time.to_string());
        }
    }

    #[inline]
    fn attribute(&mut self, key: &str, json: &str) -> Taken<()> {
        self.record.attribute(key, json);
        self.record.key_json(key, json);
        Ok(())
    }

    /// The order of a stream is that of its records.
    fn takes_assumptions(&self) -> bool {
        true
    }

    #[inline]
    fn cause(&mut self, _label: &str, _column: usize, _reason: Reason) -> Taken<()> {
        Ok(())
    }

    fn clock(&mut self, _column: usize) {
        self.clock.clear();
    }

    fn clock_entry(&mut self, process: &str, _count: u32) -> Taken<(ProcessId, bool)> {
        let process = Sink::process(self, process)?;
        Ok((process, self.clock.insert(process)))
    }

    fn sign_of_life(&mut self, ends: bool) {
        self.found = if ends { Found::Binding } else { Found::Nothing };
    }

    fn header(&mut self) {
        self.found = Found::Binding;
    }

    fn is_key(&self, field: &str) -> bool {
        self.record.is_key_field(field)
    }

    fn only_states(&mut self) {
        self.states = true;
        self.found = Found::Record;
        for (var, value) in std::mem::take(&mut self.declared) {
            self.record.assign(Symbol::from_raw(var.raw()), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What the next call says, for people.
    fn tell(stream: &mut Stream<&[u8]>, buffer: &mut RecordBuffer) -> Option<String> {
        let line = match stream.next(buffer) {
            Ok(false) => return None,
            Ok(true) => {
                let parts = buffer.take();
                let mut told = parts.process.unwrap_or("-").to_owned();
                for part in [parts.name, parts.key.map(|_| "key"), parts.key].into_iter().flatten() {
                    told.push_str(&format!(" {part}"));
                }
                parts.sets.for_each(|(name, value)| told.push_str(&format!(" {name}={value}")));
                told
            }
            Err(failure) => failure.to_string(),
        };
        Some(format!("{} {line}", stream.line()))
    }

    fn read_all(text: &str, key: Option<&str>) -> Vec<String> {
        let mut buffer = RecordBuffer::all(key);
        let mut stream = Stream::new(text.as_bytes(), false, &Budget::unlimited());
        std::iter::from_fn(|| tell(&mut stream, &mut buffer)).collect()
    }

    /// Reads a stream whole, and once more for every line, there with a reader that goes on where another one stopped.
    fn check(text: &str, key: Option<&str>, expected: &[&str]) {
        assert_eq!(read_all(text, key), expected, "{text}");
        let whole = {
            let mut stream = Stream::new(text.as_bytes(), false, &Budget::unlimited());
            let mut buffer = RecordBuffer::all(key);
            while tell(&mut stream, &mut buffer).is_some() {}
            stream.finish()
        };
        for stop in 0..expected.len() {
            let budget = Budget::unlimited();
            let mut buffer = RecordBuffer::all(key);
            let mut stream = Stream::new(text.as_bytes(), false, &budget);
            let mut told: Vec<String> = (0..stop).filter_map(|_| tell(&mut stream, &mut buffer)).collect();
            let (saved, offset, kind) = (stream.save().unwrap(), stream.offset(), stream.kind());
            let initial = stream.initial().to_vec();
            let mut buffer = RecordBuffer::all(key);
            let rest = &text.as_bytes()[usize::try_from(offset).unwrap()..];
            let mut stream = Stream::resume(rest, false, offset, &saved, &mut buffer, &budget).unwrap();
            assert_eq!((stream.kind(), stream.initial()), (kind, &initial[..]), "{text}");
            assert_eq!(stream.save(), Some(saved));
            told.extend(std::iter::from_fn(|| tell(&mut stream, &mut buffer)));
            assert_eq!(told, expected, "{text} from {stop}");
            assert_eq!(stream.finish(), whole, "{text} from {stop}");
        }
    }

    #[test]
    fn states() {
        check(
            "{\"x\":1,\"s\":\"a\",\"n\":null}\n\n{\"x\":true}\n{\"l\":null,\"y\":0.5}\n",
            None,
            &["1 - x=1 s=\"a\"", "3 - x=1", "4 - y=0.5"],
        );
        check("", None, &[]);
        check(
            "{\"k\":1,\"x\":2}\n{\"x\":3}\n{\"k\":\"a\"}\n{\"k\":null}",
            Some("k"),
            &["1 - key 1 k=1 x=2", "2 - x=3", "3 - key a k=\"a\"", "4 -"],
        );
    }

    #[test]
    fn states_without_a_variable() {
        for (text, records) in [
            ("{}\n{}\n", &["1 -", "2 -"][..]),
            ("{\"posetta\":1}\n{\"x\":null}\n{}\n", &["2 -", "3 -"]),
            ("{\"posetta\":1}\n{}\n{}\n", &["2 -", "3 -"]),
            ("{}\n{\"x\":null}\n{\"x\":1}\n", &["1 -", "2 -", "3 - x=1"]),
        ] {
            check(text, None, records);
        }
    }

    #[test]
    fn events() {
        check(
            "{\"posetta\":1,\"initial\":{\"x\":0},\"processes\":[\"A\",\"B\"]}\n\
             {\"process\":\"A\",\"name\":\"go\",\"set\":{\"x\":1},\"after\":[\"B.9\"],\"clock\":{\"A\":1}}\n\
             {\"process\":\"B\",\"heartbeat\":true}\n\
             {\"set\":{\"x\":2},\"process\":\"A\"}\n\
             {\"process\":\"B\",\"ends\":true}\n\
             {\"process\":\"B\"}\n\
             {\"process\":\"C\"}\n\
             {\"process\":\"A\"}\n",
            None,
            &[
                "2 A go x=1",
                "4 A x=2",
                "6 6:13: a record of `B`, which has ended",
                "7 7:13: the process `C` is not declared",
                "8 A",
            ],
        );
        check(
            "{\"process\":\"A\",\"set\":{\"x\":1}}\n{\"posetta\":1,\"initial\":{\"x\":1}}\n{\"process\":\"A\"}\n",
            None,
            &["1 A x=1", "2 2:1: the first value of `x` is declared after the first record", "3 A"],
        );
        let records = "{\"process\":\"A\",\"req\":\"q\\u0031\",\"attrs\":{\"n\":1.50},\"set\":{\"v\":3},\"id\":\"e\",\"name\":\"go\",\"up\":true}\n";
        for (key, value) in
            [("req", "q1"), ("n", "1.5"), ("v", "3"), ("id", "e"), ("name", "go"), ("process", "A"), ("up", "1")]
        {
            check(records, Some(key), &[&format!("1 A go key {value} v=3")]);
        }
    }

    /// A line with a mistake is as if it were not there.
    #[test]
    fn mistakes_do_not_end_it() {
        check(
            "{\"x\":1,\"y\":}\n{\"x\":1,\"x\":2}\n{\"x\":3}\n{\"process\":\"A\"}\n{\"x\":4\n{\"x\":5}\n{\"posetta\":1}\n{\"x\":6}",
            None,
            &[
                "1 1:12: unexpected `}` in an object",
                "2 2:8: the variable `x` is assigned twice",
                "3 - x=3",
                "4 4:1: an event record in a file of state records",
                "5 5:7: the line ends inside an object",
                "6 - x=5",
                "7 7:2: a header between state records",
                "8 - x=6",
            ],
        );
        check(
            "{\"posetta\":1,\"initial\":{\"x\":1},\"more\":2}\n{\"posetta\":1,\"initial\":{\"x\":2}}\n{\"process\":\"A\",\"set\":3}\n{\"process\":\"A\"}\n{\"x\":1}\n{\"process\":\"B\",\"name\":\"b\"}\n",
            None,
            &[
                "1 1:32: a header with a field `more`",
                "3 3:22: unexpected number",
                "4 A",
                "5 5:1: a state record in a file of event records",
                "6 B b",
            ],
        );
    }

    #[test]
    fn what_was_not_saved_is_refused() {
        let budget = Budget::unlimited();
        for saved in
            ["", "x", "1", "1 maybe", "1 states", "1 open 2", "1 events 1\nx", "1 events 1\n1 {", "1 events 1\n1 {}"]
        {
            let mut buffer = RecordBuffer::all(None);
            assert!(Stream::resume(&b""[..], false, 0, saved, &mut buffer, &budget).is_none(), "{saved:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "([\\[\\]{}\",:0-9a-z\\\\ .é-]{0,20}|\\{\"process\":\"[A-C]\",\"set\":\\{\"x\":[0-9]\\}\\}|\\{\"x\":[0-9]\\}|\\{\"posetta\":1\\}|\n){0,8}") {
            read_all(&text, Some("x"));
        }
    }
}
