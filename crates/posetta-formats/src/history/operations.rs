//! Operations as events, and the order that one observer saw.
//!
//! The history is written by one control node, so the order of its records is known. Of the operations themselves it says only that one
//! that had completed before another was invoked came before it: in between, each may have taken effect at any time. That is an interval
//! order, and an edge leads from each completion to the invocations that no operation in between orders already.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::json::ValueKind;
use crate::lines::{Mistake, Parsed};
use crate::tree::Tree;
use posetta_base::{Budget, Diagnostic, Error, EventId, Kind, Number, ProcessId, Value};
use posetta_trace::{Builder, Lack, Missing, Reason, Trace};

/// What a record says of its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Invoke,
    Ok,
    Fail,
    Info,
}

impl Type {
    fn called(word: &str) -> Option<Self> {
        match word.trim_start_matches(':') {
            "invoke" => Some(Self::Invoke),
            "ok" => Some(Self::Ok),
            "fail" => Some(Self::Fail),
            "info" => Some(Self::Info),
            _ => None,
        }
    }
}

/// What a process is doing.
#[derive(Clone, Debug)]
enum Doing {
    Nothing,
    /// An operation that began with this record of the history, in this line.
    Operation {
        f: String,
        begun: u64,
        line: u64,
    },
    /// Its operation is in doubt for ever, since this line.
    Crashed(u64),
}

/// A history that is being read.
#[derive(Debug, Default)]
pub(super) struct History {
    builder: Builder,
    doing: FxHashMap<ProcessId, Doing>,
    /// Records so far.
    records: u64,
    /// The last record that began an operation which has completed.
    covered: u64,
    /// Completions that no such operation covers: the record, the event and its process.
    recent: VecDeque<(u64, EventId, ProcessId)>,
    /// The place in the history that the last record with one names, and its line.
    index: Option<(Number, u64)>,
    /// A read has found nothing.
    reads_nil: bool,
    text: String,
}

/// The string that stands for a value that is not there.
const NIL: &str = "nil";

impl History {
    /// Notes a mistake that has cost a record. Answers whether reading on is still worth it.
    pub(super) fn lose(&mut self, mistake: Diagnostic) -> bool {
        self.builder.lose_event();
        self.builder.report(mistake)
    }

    pub(super) fn weight(&self) -> u64 {
        self.builder.weight() + (self.doing.len() * 96 + self.recent.len() * 24) as u64
    }

    /// Takes a record.
    pub(super) fn operation(&mut self, text: &str, tree: &Tree, line: u64) -> Parsed<()> {
        if !tree.is_object(0) {
            return Err(Mistake::syntax(tree.span(0), "not an operation").label("expected an object"));
        }
        let word = |name: &str| word(text, tree, name);
        let (Some((kind, span)), Some((process, process_span))) = (word("type"), word("process")) else {
            let lacks = if word("type").is_none() { "type" } else { "process" };
            return Err(Mistake::syntax(0..1, format!("an operation without `{lacks}`"))
                .label("expected type, process and f, as Jepsen writes them"));
        };
        let Some(kind) = Type::called(&kind) else {
            return Err(
                Mistake::syntax(span, format!("`{kind}` is not a type")).label("expected invoke, ok, fail or info")
            );
        };
        if process.is_empty() {
            return Err(
                Mistake::new(Kind::Process, process_span, "a process without a name").label("expected a number")
            );
        }
        let f = word("f").map(|(f, _)| f).unwrap_or_default();
        let is_client = process.bytes().all(|b| b.is_ascii_digit());
        let process = self.builder.process(&process).map_err(refused)?;
        self.records += 1;
        let begins = self.begins(process, kind, &f, is_client, line)?;
        let event = self.builder.event(process, line).map_err(refused)?;
        if !f.is_empty() {
            self.builder.name(&f).map_err(refused)?;
        }
        self.facts(text, tree)?;
        self.follows(text, tree, line)?;
        if begins {
            for &(_, completion, other) in &self.recent {
                if other != process {
                    self.builder.link_because(completion, event, Reason::Stated);
                }
            }
            let begun = Doing::Operation { f, begun: self.records, line };
            self.doing.insert(process, begun);
            return Ok(());
        }
        // Nobody knows what a read would have returned that did not come back.
        if kind == Type::Ok || (kind == Type::Info && f != "read") {
            self.effect(&f, text, tree)?;
        }
        if kind == Type::Info && is_client {
            // It may take effect at any time, or never: nothing comes after it.
            self.doing.insert(process, Doing::Crashed(line));
        } else if let Some(Doing::Operation { begun, .. }) = self.doing.insert(process, Doing::Nothing) {
            self.covered = self.covered.max(begun);
            self.recent.push_back((self.records, event, process));
            let covered = self.covered;
            while self.recent.front().is_some_and(|(record, ..)| *record < covered) {
                self.recent.pop_front();
            }
        }
        Ok(())
    }

    /// Whether the record begins an operation of its process.
    fn begins(&self, process: ProcessId, kind: Type, f: &str, is_client: bool, line: u64) -> Parsed<bool> {
        let doing = self.doing.get(&process).unwrap_or(&Doing::Nothing);
        match (doing, kind) {
            (Doing::Nothing, Type::Invoke) => Ok(true),
            // What disturbs the database says `info` when it begins and when it is done.
            (Doing::Nothing, Type::Info) if !is_client => Ok(true),
            (Doing::Operation { f: begun, line: first, .. }, Type::Ok | Type::Fail | Type::Info)
                if is_client && begun != f && !f.is_empty() && !begun.is_empty() =>
            {
                let message = format!("a completion of `{f}`, while the process does the `{begun}` of line {first}");
                Err(Mistake::new(Kind::Process, 0..1, message).label("expected the completion of that"))
            }
            (Doing::Operation { .. }, Type::Ok | Type::Fail) => Ok(false),
            (Doing::Operation { f: begun, .. }, Type::Info) if is_client || begun == f => Ok(false),
            (Doing::Operation { line: first, f: begun, .. }, _) => Err(Mistake::new(
                Kind::Process,
                0..1,
                format!("the process does `{f}` while its `{begun}` of line {first} is open"),
            )
            .label("expected the completion of that first")),
            (Doing::Nothing, _) => {
                Err(Mistake::new(Kind::Process, 0..1, format!("a completion of `{f}`, which was not invoked"))
                    .label("expected a record of the type invoke before it")
                    .help(format!("does the history begin before line {line}?")))
            }
            (Doing::Crashed(since), _) => Err(Mistake::new(
                Kind::Process,
                0..1,
                format!("the process goes on, although its operation ended with `info` in line {since}"),
            )
            .label("expected a new process: that operation may still take effect")),
        }
    }

    /// Records stand in the order of the history, which is all that orders operations.
    fn follows(&mut self, text: &str, tree: &Tree, line: u64) -> Parsed<()> {
        let at = tree.member(text, 0, "index");
        let Some((at, Value::Number(index))) = at.and_then(|at| Some((at, tree.value(text, at)?))) else {
            return Ok(());
        };
        match self.index.replace((index.clone(), line)) {
            Some((before, other)) if index <= before => {
                let message = format!("the index {index} comes after {before}, that of line {other}");
                Err(Mistake::new(Kind::Process, tree.span(at), message)
                    .label("expected a larger one")
                    .help("the records must stand in the order of the history: sort them by `index`; several histories are several files"))
            }
            _ => Ok(()),
        }
    }

    /// All that a record says is an attribute, but for its process and its time.
    fn facts(&mut self, text: &str, tree: &Tree) -> Parsed<()> {
        for member in tree.inside(0) {
            let name = tree.name(text, member);
            match &*name {
                "process" => {}
                "time" => {
                    if let Some(Value::Number(nanoseconds)) = tree.value(text, member) {
                        let seconds = nanoseconds.div(&Number::from(1_000_000_000));
                        self.builder.time(seconds.map_err(|_| not_a_time(tree, member))?);
                    } else if tree.kind(member) != Some(ValueKind::Null) {
                        return Err(not_a_time(tree, member));
                    }
                }
                key => {
                    self.text.clear();
                    match (key, self::word(text, tree, key)) {
                        ("type" | "f", Some((word, _))) => crate::tree::push_quoted(&mut self.text, &word),
                        _ => tree.write_canonical(text, member, &mut self.text),
                    }
                    self.builder.attribute(key, &self.text).map_err(refused)?;
                }
            }
        }
        Ok(())
    }

    /// What an operation that is done, or may be, makes of variables: one of its name, and for a register what that holds.
    fn effect(&mut self, f: &str, text: &str, tree: &Tree) -> Parsed<()> {
        let Some(value) = tree.member(text, 0, "value").filter(|_| !f.is_empty()) else { return Ok(()) };
        let scalar = match tree.kind(value) {
            Some(ValueKind::Null) if f == "read" => {
                self.reads_nil = true;
                Some(Value::Text(NIL.to_owned()))
            }
            _ => tree.value(text, value),
        };
        if let Some(scalar) = scalar {
            if f == "write" {
                self.set("register", scalar.clone())?;
            }
            self.set(f, scalar)?;
        }
        let ends = (tree.item(value, 0), tree.item(value, 1), tree.item(value, 2));
        if let (Some(old), Some(new), None) = ends
            && f == "cas"
            && let (Some(old), Some(new)) = (tree.value(text, old), tree.value(text, new))
        {
            self.set("expected", old)?;
            self.set("register", new)?;
        }
        Ok(())
    }

    fn set(&mut self, variable: &str, value: Value) -> Parsed<()> {
        let value = self.builder.value(value).map_err(refused)?;
        let variable = self.builder.variable(variable).map_err(refused)?;
        self.builder.assign(variable, value).map_err(refused)?;
        Ok(())
    }

    pub(super) fn finish(mut self, budget: &Budget) -> Result<Trace, Error> {
        if self.records == 0 && !self.builder.has_mistakes() {
            return Err(Diagnostic::new(Kind::Syntax, "the history has no operations").help("was it written?").into());
        }
        if self.reads_nil {
            // What is read before any write is what the register began with.
            let variable = self.builder.variable("register")?;
            let nil = self.builder.text(NIL)?;
            self.builder.declare(variable, nil);
        }
        let mut open: Vec<(u64, String)> = self
            .doing
            .into_values()
            .filter_map(|doing| match doing {
                Doing::Operation { f, line, .. } => Some((line, f)),
                Doing::Nothing | Doing::Crashed(_) => None,
            })
            .collect();
        open.sort();
        let mut lack = Lack::new(Missing::Ends);
        for (line, f) in open {
            lack.add(|| format!("{f} of line {line}"));
        }
        self.builder.lacks(lack);
        self.builder.finish(true, budget)
    }
}

/// A string, a keyword or a number of a record as text, without the colon of a keyword, and where it stands.
fn word(text: &str, tree: &Tree, name: &str) -> Option<(String, std::ops::Range<usize>)> {
    let at = tree.member(text, 0, name)?;
    let word = match tree.kind(at)? {
        ValueKind::Text(quoted) => quoted.text(text).trim_start_matches(':').to_owned(),
        ValueKind::Number => text[tree.span(at)].to_owned(),
        _ => return None,
    };
    Some((word, tree.span(at)))
}

fn not_a_time(tree: &Tree, at: usize) -> Box<Mistake> {
    Mistake::syntax(tree.span(at), "this is not a time").label("expected nanoseconds since the beginning")
}

#[expect(clippy::boxed_local, reason = "the builder refuses with a box")]
fn refused(diagnostic: Box<Diagnostic>) -> Box<Mistake> {
    Mistake::new(diagnostic.kind, 0..1, diagnostic.message)
}
