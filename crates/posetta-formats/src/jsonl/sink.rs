//! What takes in the records of JSON lines: a [`Builder`], which keeps them, a [`Feed`], which hands them on, or a
//! [`Stream`](super::Stream), which gives them away one by one.
//!
//! Reading is compiled for each of them, so that the reader of files pays nothing for the others.

use crate::lines::Gather;
use posetta_base::{Diagnostic, Kind, Number, ProcessId, Value, ValueId, VarId};
use posetta_trace::{Builder, Feed, Lack, Reason};

pub(super) type Taken<T> = Result<T, Box<Diagnostic>>;

/// The methods are those of [`Builder`]: an event, and then what is to be said of it.
pub(super) trait Sink: Gather {
    /// What it calls a value.
    type Value: Clone + PartialEq;

    fn process(&mut self, name: &str) -> Taken<ProcessId>;
    /// The processes so far are all there will be.
    fn close_processes(&mut self);
    fn variable(&mut self, name: &str) -> Taken<VarId>;
    fn number(&mut self, number: Number) -> Taken<Self::Value>;
    fn text(&mut self, text: &str) -> Taken<Self::Value>;
    fn integer(&mut self, n: i64) -> Taken<Self::Value>;
    fn declare(&mut self, var: VarId, value: Self::Value, line: u64) -> bool;
    fn event(&mut self, process: ProcessId, line: u64) -> Taken<()>;
    fn assign(&mut self, var: VarId, value: Self::Value) -> Taken<bool>;
    fn name(&mut self, name: &str) -> Taken<()>;
    fn id(&mut self, id: &str, column: usize) -> Taken<()>;
    fn time(&mut self, time: Number);
    fn attribute(&mut self, key: &str, json: &str) -> Taken<()>;
    fn cause(&mut self, label: &str, column: usize, reason: Reason) -> Taken<()>;
    /// Whether an edge may be assumed.
    fn takes_assumptions(&self) -> bool {
        false
    }
    /// Properties of a stream name single processes.
    fn group(&mut self, _process: ProcessId, _group: &str) -> Taken<()> {
        let message = "groups of processes are not followed";
        Err(Diagnostic::new(Kind::Unsupported, message).help("check the file as a whole: without --follow").into())
    }
    fn lacks(&mut self, _lack: Lack) {}
    fn clock(&mut self, column: usize);
    fn clock_entry(&mut self, process: &str, count: u32) -> Taken<(ProcessId, bool)>;
    /// The last event was none, but a sign of life of its process, or, if it `ends`, the last.
    fn sign_of_life(&mut self, ends: bool);
    /// The records are states, and their process is the only one.
    fn only_states(&mut self);
    /// The line is a header, whatever it declares.
    fn header(&mut self) {}
    /// Whether somebody says what a field of states is for: it tells streams apart.
    fn is_key(&self, _field: &str) -> bool {
        false
    }
}

impl Sink for Builder {
    type Value = ValueId;

    #[inline]
    fn process(&mut self, name: &str) -> Taken<ProcessId> {
        Builder::process(self, name)
    }

    fn close_processes(&mut self) {
        Builder::close_processes(self);
    }

    #[inline]
    fn variable(&mut self, name: &str) -> Taken<VarId> {
        Builder::variable(self, name)
    }

    #[inline]
    fn number(&mut self, number: Number) -> Taken<ValueId> {
        self.value(Value::Number(number))
    }

    #[inline]
    fn text(&mut self, text: &str) -> Taken<ValueId> {
        Builder::text(self, text)
    }

    #[inline]
    fn integer(&mut self, n: i64) -> Taken<ValueId> {
        Builder::integer(self, n)
    }

    fn declare(&mut self, var: VarId, value: ValueId, _line: u64) -> bool {
        Builder::declare(self, var, value)
    }

    #[inline]
    fn event(&mut self, process: ProcessId, line: u64) -> Taken<()> {
        Builder::event(self, process, line).map(|_| ())
    }

    #[inline]
    fn assign(&mut self, var: VarId, value: ValueId) -> Taken<bool> {
        Builder::assign(self, var, value)
    }

    #[inline]
    fn name(&mut self, name: &str) -> Taken<()> {
        Builder::name(self, name)
    }

    #[inline]
    fn id(&mut self, id: &str, column: usize) -> Taken<()> {
        Builder::id(self, id, column)
    }

    #[inline]
    fn time(&mut self, time: Number) {
        Builder::time(self, time);
    }

    #[inline]
    fn attribute(&mut self, key: &str, json: &str) -> Taken<()> {
        Builder::attribute(self, key, json)
    }

    #[inline]
    fn cause(&mut self, label: &str, column: usize, reason: Reason) -> Taken<()> {
        self.cause_because(label, column, reason)
    }

    fn takes_assumptions(&self) -> bool {
        true
    }

    fn group(&mut self, process: ProcessId, group: &str) -> Taken<()> {
        Builder::group(self, process, group)
    }

    fn lacks(&mut self, lack: Lack) {
        Builder::lacks(self, lack);
    }

    #[inline]
    fn clock(&mut self, column: usize) {
        Builder::clock(self, column);
    }

    #[inline]
    fn clock_entry(&mut self, process: &str, count: u32) -> Taken<(ProcessId, bool)> {
        Builder::clock_entry(self, process, count)
    }

    fn sign_of_life(&mut self, _ends: bool) {
        self.heartbeat();
    }

    fn only_states(&mut self) {
        self.mark_state_records();
    }
}

impl Gather for Feed {
    fn report(&mut self, diagnostic: Diagnostic) -> bool {
        Feed::report(self, diagnostic)
    }

    fn lose_event(&mut self) {}

    fn weight(&self) -> u64 {
        Feed::weight(self)
    }
}

impl Sink for Feed {
    type Value = Value;

    #[inline]
    fn process(&mut self, name: &str) -> Taken<ProcessId> {
        Feed::process(self, name)
    }

    fn close_processes(&mut self) {
        Feed::close_processes(self);
    }

    #[inline]
    fn variable(&mut self, name: &str) -> Taken<VarId> {
        Feed::variable(self, name)
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

    fn declare(&mut self, var: VarId, value: Value, line: u64) -> bool {
        Feed::declare(self, var, value, line);
        true
    }

    #[inline]
    fn event(&mut self, process: ProcessId, line: u64) -> Taken<()> {
        Feed::event(self, process, line)
    }

    #[inline]
    fn assign(&mut self, var: VarId, value: Value) -> Taken<bool> {
        Ok(Feed::assign(self, var, value))
    }

    #[inline]
    fn name(&mut self, name: &str) -> Taken<()> {
        Feed::name(self, name);
        Ok(())
    }

    #[inline]
    fn id(&mut self, id: &str, column: usize) -> Taken<()> {
        Feed::id(self, id, column)
    }

    /// Nobody asks when an event of a live run happened.
    fn time(&mut self, _time: Number) {}

    fn attribute(&mut self, key: &str, json: &str) -> Taken<()> {
        Feed::attribute(self, key, json);
        Ok(())
    }

    #[inline]
    fn cause(&mut self, label: &str, column: usize, _reason: Reason) -> Taken<()> {
        Feed::cause(self, label, column);
        Ok(())
    }

    #[inline]
    fn clock(&mut self, column: usize) {
        Feed::clock(self, column);
    }

    #[inline]
    fn clock_entry(&mut self, process: &str, count: u32) -> Taken<(ProcessId, bool)> {
        Feed::clock_entry(self, process, count)
    }

    fn sign_of_life(&mut self, ends: bool) {
        self.heartbeat(ends);
    }

    fn only_states(&mut self) {
        self.mark_state_records();
    }
}
