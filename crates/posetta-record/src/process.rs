//! A process and its vector clock: where a line gets its causes.
//!
//! The clock of a process counts, for every other process, the events that happened before its own next event. A cause
//! that the clock counts already is not written; one that is new is written, and the clock of the cause joins that of the
//! process. So `after` is what a transitive reduction would leave, as far as one event can tell.
//!
//! The clock is shared with the stamps that were taken since it last changed, and copied when it changes while a stamp
//! still lives (`Arc::make_mut`). The own entry is kept beside it, so events that receive nothing never copy it.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::event::{Event, Scratch};
use crate::problem::Problem;
use crate::recorder::Core;
use crate::registry::{ProcessNumber, Registry};
use crate::value::write_count;
use crate::{Recorder, Stamp, unpoisoned};

/// One process of a run: a thread, a task, a node, anything that does one thing after another.
///
/// Clones are the same process. It may be used from several threads; its events are then ordered as they are recorded.
#[derive(Clone)]
pub struct Process {
    core: Arc<Core>,
    state: Arc<State>,
}

/// Where a process stands.
pub(crate) struct State {
    /// Has its name: the recorder's, or one of its own if there was no room in that.
    registry: Arc<Registry>,
    number: ProcessNumber,
    /// How a line of this process begins.
    pub prefix: Box<[u8]>,
    inner: Mutex<Inner>,
    /// The count of `inner`, for those who must not wait for it.
    seen: AtomicU32,
    /// How many events the process can have.
    most: u32,
}

struct Inner {
    count: u32,
    past: Arc<Vec<u32>>,
}

/// Hands stamps of causes to its argument.
pub(crate) type Causes<'a> = &'a dyn Fn(&mut dyn FnMut(&Stamp));

/// The readers' table of events ends before the last number of this size.
const MOST: u32 = u32::MAX - 1;

impl State {
    pub fn new(number: ProcessNumber, registry: &Arc<Registry>) -> Self {
        let name = &registry.name(number).json;
        let prefix = [b"{\"process\":\"", &**name, b"\""].concat().into();
        let registry = Arc::clone(registry);
        Self { registry, number, prefix, inner: Inner::new(), seen: AtomicU32::new(0), most: MOST }
    }

    pub fn count(&self) -> u32 {
        self.seen.load(Relaxed)
    }
}

impl Inner {
    fn new() -> Mutex<Self> {
        Mutex::new(Self { count: 0, past: Arc::default() })
    }
}

impl Process {
    pub(crate) fn new(core: Arc<Core>, state: Arc<State>) -> Self {
        Self { core, state }
    }

    /// A process that there is no room for. Its events are counted as lost, and its stamps order nothing. It is the only
    /// one in a registry of its own: no number of the recorder's is free, so any would be that of another process.
    #[cold]
    pub(crate) fn nowhere(core: Arc<Core>, name: &str) -> Self {
        let registry = Registry::default();
        let number = registry.number(name).expect("an empty registry has room for one name");
        let state = State { most: 0, ..State::new(number, &Arc::new(registry)) };
        Self { core, state: Arc::new(state) }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.state.registry.name(self.state.number).text
    }

    /// The recorder it belongs to.
    #[must_use]
    pub fn recorder(&self) -> Recorder {
        Recorder { core: Arc::clone(&self.core) }
    }

    /// An event, recorded by [`Event::record`] or [`Event::stamp`]. An empty name is no name.
    pub fn event(&self, name: &str) -> Event<'_> {
        Event::new(self, name)
    }

    /// The sending of a message: an event whose [`stamp`](Event::stamp) goes with the message.
    pub fn send(&self, name: &str) -> Event<'_> {
        self.event(name)
    }

    /// The receipt of a message: an event after the one with this stamp.
    pub fn receive(&self, stamp: &Stamp, name: &str) -> Event<'_> {
        self.event(name).after(stamp)
    }

    /// The stamp of the last event of this process, if there is one.
    #[must_use]
    pub fn last(&self) -> Option<Stamp> {
        let inner = unpoisoned(self.state.inner.lock());
        (inner.count > 0).then(|| self.stamp(&inner))
    }

    pub(crate) fn prefix(&self) -> &[u8] {
        &self.state.prefix
    }

    pub(crate) fn problem(&self, problem: Problem) {
        self.core.problem(problem);
    }

    fn stamp(&self, inner: &Inner) -> Stamp {
        Stamp {
            registry: Arc::clone(&self.state.registry),
            process: self.state.number,
            index: inner.count,
            past: Arc::clone(&inner.past),
        }
    }

    /// Ends the line that `scratch` holds with its causes and writes it. The causes are those of `scratch` and those that
    /// `others` hands to its argument. The stamp is made if it is wanted.
    pub(crate) fn commit(&self, scratch: &mut Scratch, others: Causes<'_>, wanted: bool) -> Option<Stamp> {
        let mut inner = unpoisoned(self.state.inner.lock());
        if inner.count == self.state.most {
            let mut output = unpoisoned(self.core.output.lock());
            output.problem(Problem::TooMany);
            output.lose();
            return wanted.then(|| self.stamp(&inner));
        }
        let Scratch { line, attrs, causes, fresh, time, .. } = scratch;
        let Inner { count, past } = &mut *inner;
        fresh.clear();
        let mut consider = |cause: &Stamp| {
            if Arc::ptr_eq(&cause.registry, &self.core.registry) {
                self.learn(*count, past, fresh, cause);
            } else if let Some(cause) = self.core.adopt(cause) {
                self.learn(*count, past, fresh, &cause);
            }
        };
        for cause in causes.drain(..) {
            consider(&cause);
        }
        others(&mut consider);
        *count += 1;
        self.state.seen.store(*count, Relaxed);
        let nanoseconds = if self.core.wall_clock && time.is_none() {
            SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|d| d.as_nanos())
        } else {
            None
        };
        if let Some(n) = nanoseconds {
            line.extend_from_slice(b",\"time\":");
            write_count(line, u64::try_from(n).unwrap_or(u64::MAX));
        } else if let Some(time) = time {
            line.extend_from_slice(b",\"time\":");
            crate::Value::Float(*time).write(line);
        }
        if !attrs.is_empty() {
            line.extend_from_slice(b",\"attrs\":{");
            line.extend_from_slice(attrs);
            line.push(b'}');
        }
        if !fresh.is_empty() {
            self.write_causes(past, fresh, line);
        }
        line.extend_from_slice(b"}\n");
        // While the process is locked, so that its lines stand in its order.
        unpoisoned(self.core.output.lock()).event(line);
        wanted.then(|| self.stamp(&inner))
    }

    /// Puts a cause that the clock does not count on the list, and lets the clock count what happened before the cause.
    fn learn(&self, count: u32, past: &mut Arc<Vec<u32>>, fresh: &mut Vec<(ProcessNumber, u32)>, cause: &Stamp) {
        if cause.process == self.state.number {
            // What a process did is before what it does. Nobody else can have done more of it.
            if cause.index > count {
                let event = format!("{}.{}", cause.process(), cause.index);
                self.core.problem(Problem::ForeignStamp { event });
            }
            return;
        }
        let known = past.get(cause.process as usize).copied().unwrap_or(0);
        if known >= cause.index {
            return;
        }
        fresh.push((cause.process, cause.index));
        if Arc::ptr_eq(past, &cause.past) {
            return;
        }
        let past = Arc::make_mut(past);
        if past.len() < cause.past.len() {
            past.resize(cause.past.len(), 0);
        }
        for (mine, &theirs) in past.iter_mut().zip(cause.past.iter()) {
            *mine = (*mine).max(theirs);
        }
    }

    /// Writes `after`: of the new causes those that happened before none of the others. The clock counts what happened
    /// before any of them at this point, but not yet the causes themselves.
    fn write_causes(&self, past: &mut Arc<Vec<u32>>, fresh: &mut Vec<(ProcessNumber, u32)>, line: &mut Vec<u8>) {
        // Of several causes in one process only the last counts.
        fresh.sort_unstable_by(|a, b| (a.0, b.1).cmp(&(b.0, a.1)));
        fresh.dedup_by_key(|&mut (process, _)| process);
        let past = Arc::make_mut(past);
        let mut separator: &[u8] = b",\"after\":[\"";
        for &(process, index) in &*fresh {
            let at = process as usize;
            if past.len() <= at {
                past.resize(at + 1, 0);
            }
            if past[at] >= index {
                continue;
            }
            past[at] = index;
            line.extend_from_slice(separator);
            separator = b"\",\"";
            line.extend_from_slice(&self.core.registry.name(process).json);
            line.push(b'.');
            write_count(line, u64::from(index));
        }
        line.extend_from_slice(b"\"]");
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Process").field(&self.name()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_cannot_hold_is_lost_and_told() {
        let recorder = Recorder::in_memory();
        let a = recorder.process("A");
        unpoisoned(a.state.inner.lock()).count = MOST - 1;
        a.event("last").record();
        assert_eq!(a.event("too late").stamp().index(), MOST);
        let incomplete = recorder.finish().unwrap_err();
        assert!(matches!(incomplete.first, Problem::TooMany) && incomplete.lost == 1, "{incomplete}");

        let nowhere = Process::nowhere(Arc::clone(&recorder.core), "C");
        let stamp = nowhere.event("lost").stamp();
        recorder.process("B").receive(&stamp, "received").record();
        assert!(nowhere.last().is_none());
        assert_eq!(recorder.finish().unwrap_err().lost, 1);
        assert_eq!(
            recorder.take_text(),
            "{\"posetta\":1}\n{\"process\":\"A\",\"name\":\"last\"}\n{\"process\":\"B\",\"name\":\"received\"}\n"
        );
    }
    #[test]
    fn a_process_without_room_is_taken_for_no_other() {
        let recorder = Recorder::in_memory();
        let (a, b) = (recorder.process("A"), recorder.process("B"));
        let nowhere = Process::nowhere(Arc::clone(&recorder.core), "C");
        assert_eq!(nowhere.name(), "C");
        let first = a.event("first").stamp();
        let lost = nowhere.event("lost").stamp();
        assert_eq!((lost.process(), lost.index(), lost.count("A")), ("C", 0, 0));
        assert!(lost != first && lost.is_concurrent_with(&first));
        assert!(!lost.happened_before(&first) && !first.happened_before(&lost));

        // What A did before an event that was lost still orders what comes after that.
        let (x, m) = (recorder.shared("x", 0), recorder.lock("m", ()));
        assert_eq!(x.read(&a), 0);
        assert_eq!(x.read(&nowhere), 0);
        x.write(&b, 1);
        x.write(&nowhere, 2);
        assert_eq!(x.read(&a), 2);
        drop(m.lock(&a));
        drop(m.lock(&nowhere));
        drop(m.lock(&b));
        let text = recorder.take_text();
        let order: Vec<&str> = text.lines().filter(|line| line.contains("after")).collect();
        assert_eq!(
            order,
            [
                r#"{"process":"B","set":{"x":1},"after":["A.2"]}"#,
                r#"{"process":"A","name":"read x","after":["B.1"]}"#,
                r#"{"process":"B","name":"acquire m","after":["A.5"]}"#,
            ]
        );
        assert_eq!(recorder.finish().unwrap_err().lost, 5);
    }
}
