//! An event that is being put together.
//!
//! Its line is written into buffers of the thread, without any lock, and ended by [`Process::commit`] when the process
//! is known to be ready. The buffers are used again, so an event allocates nothing in the long run.

use std::cell::RefCell;

use crate::problem::Problem;
use crate::process::{Causes, Process};
use crate::registry::ProcessNumber;
use crate::shared::{Shared, Variable};
use crate::value::write_quoted;
use crate::{Stamp, ToValue, unpoisoned};

/// The buffers of one event.
#[derive(Default)]
pub(crate) struct Scratch {
    /// The line up to its causes.
    pub line: Vec<u8>,
    /// The members of `attrs`.
    pub attrs: Vec<u8>,
    /// The members of `set` in `line`.
    members: Vec<Member>,
    /// Causes that were named.
    pub causes: Vec<Stamp>,
    /// For [`Process::commit`]: causes that are new to the process.
    pub fresh: Vec<(ProcessNumber, u32)>,
    pub time: Option<f64>,
}

/// Places in a line: a member of `set` is `key:value`.
struct Member {
    start: usize,
    colon: usize,
    end: usize,
}

/// Events under construction nest only where computing a value records another event.
const SPARES: usize = 4;

thread_local! {
    // Boxed, because an event is moved by each call that adds to it.
    #[expect(clippy::vec_box)]
    static SPARE: RefCell<Vec<Box<Scratch>>> = const { RefCell::new(Vec::new()) };
}

impl Scratch {
    fn take() -> Box<Self> {
        // At the end of a thread the pool may be gone already.
        let spare = SPARE.try_with(|spare| spare.try_borrow_mut().ok().and_then(|mut s| s.pop())).ok().flatten();
        spare.unwrap_or_default()
    }

    fn give_back(mut self: Box<Self>) {
        self.line.clear();
        self.attrs.clear();
        self.members.clear();
        self.causes.clear();
        self.time = None;
        let _ = SPARE.try_with(|spare| {
            if let Ok(mut spare) = spare.try_borrow_mut()
                && spare.len() < SPARES
            {
                spare.push(self);
            }
        });
    }

    /// Adds an assignment; `false` if the value is not finite. The last assignment to a variable counts.
    pub fn set(&mut self, variable: &str, value: &dyn ToValue) -> bool {
        let line = &mut self.line;
        let before = line.len();
        line.extend_from_slice(if self.members.is_empty() { b",\"set\":{" } else { b"," });
        let start = line.len();
        write_quoted(line, variable);
        let colon = line.len();
        line.push(b':');
        if !value.to_value().write(line) {
            line.truncate(before);
            return false;
        }
        let end = line.len();
        let same = self.members.iter().position(|m| line[m.start..m.colon] == line[start..colon]);
        self.members.push(Member { start, colon, end });
        if let Some(earlier) = same {
            self.remove(earlier);
        }
        true
    }

    /// Removes a member that others follow.
    #[cold]
    fn remove(&mut self, at: usize) {
        let Member { start, end, .. } = self.members.remove(at);
        // With the comma behind it.
        self.line.drain(start..=end);
        let gone = end + 1 - start;
        for member in &mut self.members[at..] {
            member.start -= gone;
            member.colon -= gone;
            member.end -= gone;
        }
    }

    fn attr(&mut self, name: &str, value: &dyn ToValue) {
        let attrs = &mut self.attrs;
        if !attrs.is_empty() {
            attrs.push(b',');
        }
        write_quoted(attrs, name);
        attrs.push(b':');
        let value = value.to_value();
        if !value.write(attrs)
            && let crate::Value::Float(x) = value
        {
            write_quoted(attrs, &x.to_string());
        }
    }

    /// Ends `set`.
    fn close(&mut self) {
        if !self.members.is_empty() {
            self.line.push(b'}');
        }
    }
}

/// A use of a shared variable by an event.
struct Access<'a> {
    variable: &'a Variable,
    /// Stores the new value, if it is a write.
    store: Option<Box<dyn FnOnce() + 'a>>,
}

/// An event that is being put together. It happens when [`record`](Event::record) or [`stamp`](Event::stamp) is called.
#[must_use = "an event is recorded by `record` or `stamp`"]
pub struct Event<'a> {
    process: &'a Process,
    /// There until the event is dropped.
    scratch: Option<Box<Scratch>>,
    accesses: Vec<Access<'a>>,
}

impl<'a> Event<'a> {
    pub(crate) fn new(process: &'a Process, name: &str) -> Self {
        let mut scratch = Scratch::take();
        scratch.line.extend_from_slice(process.prefix());
        if !name.is_empty() {
            scratch.line.extend_from_slice(b",\"name\":");
            write_quoted(&mut scratch.line, name);
        }
        Self { process, scratch: Some(scratch), accesses: Vec::new() }
    }

    fn scratch(&mut self) -> &mut Scratch {
        self.scratch.as_mut().expect("it is there until the event is dropped")
    }

    /// Assigns a variable of the run. The last assignment to a variable counts.
    pub fn set(mut self, variable: &str, value: impl ToValue) -> Self {
        self.put(variable, &value);
        self
    }

    pub(crate) fn put(&mut self, variable: &str, value: &dyn ToValue) {
        if !self.scratch().set(variable, value) {
            self.process.problem(Problem::NotFinite { variable: variable.to_owned() });
        }
    }

    pub(crate) fn note(&mut self, name: &str, value: impl ToValue) {
        self.scratch().attr(name, &value);
    }

    /// Adds a fact that is kept with the event and not interpreted.
    pub fn attr(mut self, name: &str, value: impl ToValue) -> Self {
        self.scratch().attr(name, &value);
        self
    }

    /// Says that another event happened before this one.
    pub fn after(mut self, stamp: &Stamp) -> Self {
        self.scratch().causes.push(stamp.clone());
        self
    }

    /// Gives the event a time, in any unit. Only the order of times matters. What is not finite is no time.
    pub fn time(mut self, time: f64) -> Self {
        self.scratch().time = time.is_finite().then_some(time);
        self
    }

    /// Says that this event uses the value of a shared variable.
    pub fn reads<T>(mut self, shared: &'a Shared<T>) -> Self {
        self.accesses.push(Access { variable: shared.variable(), store: None });
        self
    }

    /// Assigns a shared variable. The event and all its uses of shared variables happen at once.
    pub fn writes<T: ToValue>(mut self, shared: &'a Shared<T>, value: T) -> Self {
        self.put(shared.name(), &value);
        let store = Box::new(move || shared.store(value));
        self.accesses.push(Access { variable: shared.variable(), store: Some(store) });
        self
    }

    /// Records the event.
    pub fn record(mut self) {
        self.happen(false);
    }

    /// Records the event, and answers with its stamp, for a message that it sends.
    #[must_use = "the stamp goes with a message; `record` records without one"]
    pub fn stamp(mut self) -> Stamp {
        self.happen(true).expect("a stamp that is wanted is made")
    }

    fn happen(&mut self, wanted: bool) -> Option<Stamp> {
        if !self.accesses.is_empty() {
            return Some(self.happen_at_once());
        }
        self.commit(&|_| {}, wanted)
    }

    /// Records it with causes from elsewhere.
    pub(crate) fn commit(&mut self, others: Causes<'_>, wanted: bool) -> Option<Stamp> {
        let process = self.process;
        let scratch = self.scratch();
        scratch.close();
        process.commit(scratch, others, wanted)
    }

    /// Records it while all its variables are held.
    fn happen_at_once(&mut self) -> Stamp {
        let mut accesses = std::mem::take(&mut self.accesses);
        // Everybody takes the variables in the same order, that of their addresses, so nobody waits in a circle.
        accesses.sort_by_key(|a| std::ptr::from_ref(a.variable).addr());
        let mut held: Vec<(&Variable, _, bool)> = Vec::with_capacity(accesses.len());
        for access in &accesses {
            let writes = access.store.is_some();
            match held.last_mut() {
                Some((variable, _, also)) if std::ptr::eq(*variable, access.variable) => *also |= writes,
                _ => held.push((access.variable, unpoisoned(access.variable.history.lock()), writes)),
            }
        }
        let causes = |consider: &mut dyn FnMut(&Stamp)| {
            for (variable, history, writes) in &held {
                history.causes(variable, *writes, consider);
            }
        };
        let stamp = self.commit(&causes, true).expect("a stamp that is wanted is made");
        for (variable, history, writes) in &mut held {
            history.note(variable, *writes, &stamp);
        }
        for access in accesses {
            if let Some(store) = access.store {
                store();
            }
        }
        stamp
    }
}

impl Drop for Event<'_> {
    fn drop(&mut self) {
        if let Some(scratch) = self.scratch.take() {
            scratch.give_back();
        }
    }
}
