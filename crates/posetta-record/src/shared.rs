//! Variables that processes share, and what their uses order.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex};

use crate::recorder::Dependencies;
use crate::{Event, Process, Stamp, ToValue, unpoisoned};

/// A variable that processes read and write. Every read and every write is an event; which of them are ordered is chosen
/// with [`Dependencies`].
///
/// Clones are the same variable. A use happens at once: the value and its line are taken under one lock.
///
/// ```
/// use posetta_record::Recorder;
///
/// let recorder = Recorder::in_memory();
/// let (a, b) = (recorder.process("A"), recorder.process("B"));
/// let x = recorder.shared("x", 0);
/// x.write(&a, 5);
/// assert_eq!(x.read(&b), 5);
/// assert_eq!(
///     recorder.take_text(),
///     r#"{"posetta":1}
/// {"posetta":1,"initial":{"x":0}}
/// {"process":"A","set":{"x":5}}
/// {"process":"B","name":"read x","after":["A.1"]}
/// "#
/// );
/// ```
pub struct Shared<T> {
    inner: Arc<Inner<T>>,
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

struct Inner<T> {
    variable: Variable,
    /// Changed only while the history is held; `peek` looks at it without.
    value: Mutex<T>,
}

/// What is known of a variable whatever its type.
pub(crate) struct Variable {
    name: Box<str>,
    /// What the event of a read is called.
    read: Box<str>,
    dependencies: Dependencies,
    pub history: Mutex<History>,
}

/// The uses that the next ones may have to come after.
#[derive(Default)]
pub(crate) struct History {
    /// The last write.
    write: Option<Stamp>,
    /// With full dependencies: the last read since then of each process.
    readers: Vec<Stamp>,
}

impl History {
    /// Hands over what a use has to come after.
    pub fn causes(&self, variable: &Variable, writes: bool, consider: &mut dyn FnMut(&Stamp)) {
        self.write.iter().for_each(&mut *consider);
        if writes && variable.dependencies == Dependencies::Full {
            self.readers.iter().for_each(consider);
        }
    }

    /// Remembers a use. One that was lost orders nothing, so those before it stay.
    pub fn note(&mut self, variable: &Variable, writes: bool, stamp: &Stamp) {
        if stamp.is_of_nothing() {
            return;
        }
        if writes {
            self.write = Some(stamp.clone());
            self.readers.clear();
        } else if variable.dependencies == Dependencies::Full {
            let same = |r: &&mut Stamp| r.process == stamp.process && Arc::ptr_eq(&r.registry, &stamp.registry);
            match self.readers.iter_mut().find(same) {
                Some(reader) => *reader = stamp.clone(),
                None => self.readers.push(stamp.clone()),
            }
        }
    }
}

impl<T> Shared<T> {
    pub(crate) fn new(name: &str, value: T, dependencies: Dependencies) -> Self {
        let read = format!("read {name}").into();
        let variable = Variable { name: name.into(), read, dependencies, history: Mutex::default() };
        Self { inner: Arc::new(Inner { variable, value: Mutex::new(value) }) }
    }

    pub(crate) fn variable(&self) -> &Variable {
        &self.inner.variable
    }

    pub(crate) fn store(&self, value: T) {
        *unpoisoned(self.inner.value.lock()) = value;
    }

    /// The name of the variable.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.variable.name
    }
}

impl<T: ToValue> Shared<T> {
    /// Reads the variable: an event called `read x`.
    #[must_use = "`peek` looks without an event"]
    pub fn read(&self, process: &Process) -> T
    where
        T: Clone,
    {
        let mut event = process.event(&self.inner.variable.read);
        self.held(&mut event, false, |value, _| value.clone())
    }

    /// Writes the variable: an event that assigns it.
    pub fn write(&self, process: &Process, value: T) {
        self.update(process, |old| *old = value);
    }

    /// Reads and writes the variable at once: an event that assigns it.
    ///
    /// The variable is held meanwhile: using it again inside `change` waits forever, as with any lock.
    pub fn update<R>(&self, process: &Process, change: impl FnOnce(&mut T) -> R) -> R {
        let mut event = process.event("");
        let answer = self.held(&mut event, true, |value, event| {
            // A change that panics half way has changed the value all the same, and others will read it.
            let answer = catch_unwind(AssertUnwindSafe(|| change(value)));
            event.put(self.name(), value);
            if answer.is_err() {
                event.note("poisoned", true);
            }
            answer
        });
        answer.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// The value, without an event: for assertions and output.
    #[must_use]
    pub fn peek(&self) -> T
    where
        T: Clone,
    {
        unpoisoned(self.inner.value.lock()).clone()
    }

    fn held<R>(&self, event: &mut Event<'_>, writes: bool, with: impl FnOnce(&mut T, &mut Event<'_>) -> R) -> R {
        let variable = &self.inner.variable;
        let mut history = unpoisoned(variable.history.lock());
        let answer = with(&mut *unpoisoned(self.inner.value.lock()), event);
        let stamp = event.commit(&|consider| history.causes(variable, writes, consider), true);
        if let Some(stamp) = stamp {
            history.note(variable, writes, &stamp);
        }
        answer
    }
}
