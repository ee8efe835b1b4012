//! The recorder: what all processes of one recording share.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::sync::{Arc, Mutex};

use crate::output::Output;
use crate::problem::{Incomplete, Problem};
use crate::process::{Process, State};
use crate::registry::{ProcessNumber, Registry};
use crate::value::write_quoted;
use crate::{Lock, Shared, Stamp, ToValue, unpoisoned};

/// What orders the uses of a [`Shared`] variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Dependencies {
    /// A write comes before those who read its value, and before the next write. A read does not hold back a later write:
    /// the run then also has orders in which that write came first, and the reader should have seen it.
    ReadFrom,
    /// All conflicting uses in the order in which they happened: a read also comes before the next write. Every order of
    /// the run is then one that the program itself could have taken.
    #[default]
    Full,
}

/// What the processes share.
///
/// Locks are taken in this order; what is held of the first five may be held while any that follows is taken:
///
/// 1. the value of a [`Lock`], as long as its user has it;
/// 2. the histories of [`Shared`] variables, several in the order of their addresses;
/// 3. the value of one of these variables;
/// 4. where a process stands;
/// 5. `declared`;
/// 6. the numbers of a [`Registry`], `processes` and `output`: while one of these is held no other lock is taken.
///
/// The closure of [`Shared::update`] runs with 2 and 3 held, and the writer of the output with `output`: if these take
/// locks of a recorder again, they may wait for themselves.
pub(crate) struct Core {
    pub registry: Arc<Registry>,
    /// Where the processes that are recorded here stand.
    processes: Mutex<HashMap<ProcessNumber, Arc<State>>>,
    /// The declared variables, with their values as JSON.
    declared: Mutex<HashMap<String, Vec<u8>>>,
    /// The processes that were declared, if any were: all there are.
    closed: Option<HashSet<String>>,
    pub dependencies: Dependencies,
    pub wall_clock: bool,
    pub output: Mutex<Output>,
}

impl Core {
    #[cold]
    pub fn problem(&self, problem: Problem) {
        unpoisoned(self.output.lock()).problem(problem);
    }

    /// A stamp of another recorder in the numbers of this one; `None` if it cannot be.
    pub fn adopt(&self, stamp: &Stamp) -> Option<Stamp> {
        if stamp.is_of_nothing() {
            return None;
        }
        let adopted = self.renumber(stamp);
        match &adopted {
            None => self.problem(Problem::TooMany),
            Some(adopted) => {
                let here = unpoisoned(self.processes.lock()).get(&adopted.process).map(|state| state.count());
                if here.is_some_and(|count| count < adopted.index) {
                    let event = format!("{}.{}", stamp.process(), stamp.index);
                    self.problem(Problem::ForeignStamp { event });
                    return None;
                }
            }
        }
        adopted
    }

    fn renumber(&self, stamp: &Stamp) -> Option<Stamp> {
        let number = |p: ProcessNumber| self.registry.number(&stamp.registry.name(p).text);
        let process = number(stamp.process)?;
        let mut past = Vec::new();
        for (p, &count) in stamp.past.iter().enumerate() {
            if count > 0 {
                let p = number(p as ProcessNumber)? as usize;
                past.resize(past.len().max(p + 1), 0);
                past[p] = count;
            }
        }
        Some(Stamp { registry: Arc::clone(&self.registry), process, index: stamp.index, past: Arc::new(past) })
    }

    /// Declares a value before any event, in a header of its own.
    fn declare(&self, variable: &str, value: &dyn ToValue) {
        let mut json = Vec::new();
        if !value.to_value().write(&mut json) {
            self.problem(Problem::NotFinite { variable: variable.to_owned() });
            return;
        }
        let mut declared = unpoisoned(self.declared.lock());
        match declared.get(variable) {
            Some(earlier) if *earlier != json => {
                self.problem(Problem::DeclaredTwice { variable: variable.to_owned() });
            }
            Some(_) => {}
            None => {
                let mut line = b"{\"posetta\":1,\"initial\":{".to_vec();
                write_quoted(&mut line, variable);
                line.push(b':');
                line.extend_from_slice(&json);
                line.extend_from_slice(b"}}\n");
                declared.insert(variable.to_owned(), json);
                unpoisoned(self.output.lock()).header(&line);
            }
        }
    }
}

/// Records the events of processes and writes them as JSON lines.
///
/// Clones record into the same output. When the last recorder and the last process are gone, what is still
/// waiting is written; [`Recorder::finish`] does it earlier and says how it went.
#[derive(Clone)]
pub struct Recorder {
    pub(crate) core: Arc<Core>,
}

impl Recorder {
    /// A recorder with settings other than the usual ones.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Records to a writer: a file, a socket, a pipe. Lines are gathered first, so the writer needs no buffer.
    #[must_use]
    pub fn to_writer(writer: impl Write + Send + 'static) -> Self {
        Self::builder().to_writer(writer)
    }

    /// Records in memory; see [`Recorder::take`].
    #[must_use]
    pub fn in_memory() -> Self {
        Self::builder().in_memory()
    }

    /// The process with a name. The same name is the same process. Where several recorders record one run, a name must
    /// belong to one of them.
    #[must_use]
    pub fn process(&self, name: &str) -> Process {
        let name = if name.is_empty() {
            self.core.problem(Problem::NoName);
            "?"
        } else {
            name
        };
        if self.core.closed.as_ref().is_some_and(|all| !all.contains(name)) {
            self.core.problem(Problem::Undeclared { process: name.to_owned() });
            return Process::nowhere(Arc::clone(&self.core), name);
        }
        let Some(number) = self.core.registry.number(name) else {
            self.core.problem(Problem::TooMany);
            return Process::nowhere(Arc::clone(&self.core), name);
        };
        let mut processes = unpoisoned(self.core.processes.lock());
        let state = processes.entry(number).or_insert_with(|| Arc::new(State::new(number, &self.core.registry)));
        Process::new(Arc::clone(&self.core), Arc::clone(state))
    }

    /// A variable that processes share; its first value is declared.
    #[must_use]
    pub fn shared<T: ToValue>(&self, name: &str, value: T) -> Shared<T> {
        self.core.declare(name, &value);
        Shared::new(name, value, self.core.dependencies)
    }

    /// A lock around a value. It is not a variable of the run.
    #[must_use]
    pub fn lock<T>(&self, name: &str, value: T) -> Lock<T> {
        Lock::new(name, value)
    }

    /// Declares the value of a variable before any event.
    pub fn initial(&self, variable: &str, value: impl ToValue) {
        self.core.declare(variable, &value);
    }

    /// Writes what is waiting, and says how many events were recorded so far. Recording may go on afterwards.
    ///
    /// # Errors
    /// With what went wrong since the last call.
    pub fn finish(&self) -> Result<u64, Incomplete> {
        unpoisoned(self.core.output.lock()).finish()
    }

    /// Whether the writer has failed, so that recording on is in vain.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        unpoisoned(self.core.output.lock()).is_broken()
    }

    /// The lines recorded in memory since the last call; nothing if there is a writer.
    ///
    /// What several calls give is one run, to be put together: later lines refer to events of earlier ones by number.
    #[must_use]
    pub fn take(&self) -> Vec<u8> {
        unpoisoned(self.core.output.lock()).take()
    }

    /// [`Recorder::take`] as text.
    #[must_use]
    pub fn take_text(&self) -> String {
        String::from_utf8(self.take()).expect("only text is written")
    }
}

/// Settings of a [`Recorder`].
#[derive(Default)]
#[must_use]
pub struct Builder {
    /// The declared variables in their order, and their values as JSON.
    names: Vec<String>,
    values: HashMap<String, Vec<u8>>,
    /// All processes of the run, if they are known beforehand.
    processes: Option<Vec<String>>,
    problems: Vec<Problem>,
    dependencies: Dependencies,
    wall_clock: bool,
    every_line: bool,
}

impl Builder {
    /// Declares the value of a variable before any event. Without it, a variable starts as 0, or as `""` if it only
    /// ever takes strings.
    pub fn initial(mut self, variable: &str, value: impl ToValue) -> Self {
        let mut json = Vec::new();
        if !value.to_value().write(&mut json) {
            self.problems.push(Problem::NotFinite { variable: variable.to_owned() });
            return self;
        }
        match self.values.get(variable) {
            Some(earlier) if *earlier != json => {
                self.problems.push(Problem::DeclaredTwice { variable: variable.to_owned() });
            }
            Some(_) => {}
            None => {
                self.names.push(variable.to_owned());
                self.values.insert(variable.to_owned(), json);
            }
        }
        self
    }

    /// Declares all processes of the run, those of other recorders included. The header lists them, so that whoever follows
    /// the recording while it is written (`posetta check --follow`) knows that no other process will show up, and need not
    /// keep everything. Events of other processes are not recorded then.
    pub fn processes<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        let all = self.processes.get_or_insert_default();
        let mut known: HashSet<String> = all.iter().cloned().collect();
        for name in names {
            let name = name.into();
            if name.is_empty() {
                self.problems.push(Problem::NoName);
            } else if known.insert(name.clone()) {
                all.push(name);
            }
        }
        self
    }

    /// What orders the uses of [`Shared`] variables; [`Dependencies::Full`] if not set.
    pub fn dependencies(mut self, dependencies: Dependencies) -> Self {
        self.dependencies = dependencies;
        self
    }

    /// Gives every event its wall-clock time, in nanoseconds since 1970. The order of the lines already shows the order
    /// in which this recorder saw the events; times show it across recorders whose files are joined.
    pub fn wall_clock(mut self) -> Self {
        self.wall_clock = true;
        self
    }

    /// Writes and flushes every event by itself, so that a program that is killed loses none.
    pub fn flush_every_event(mut self) -> Self {
        self.every_line = true;
        self
    }

    /// Records to a writer.
    #[must_use]
    pub fn to_writer(self, writer: impl Write + Send + 'static) -> Recorder {
        self.build(Some(Box::new(writer)))
    }

    /// Records in memory.
    #[must_use]
    pub fn in_memory(self) -> Recorder {
        self.build(None)
    }

    fn build(self, writer: Option<Box<dyn Write + Send>>) -> Recorder {
        let mut output = Output::new(writer, self.every_line);
        let mut header = b"{\"posetta\":1".to_vec();
        if let Some(processes) = &self.processes {
            header.extend_from_slice(b",\"processes\":[");
            for (i, process) in processes.iter().enumerate() {
                header.extend_from_slice(if i == 0 { b"" } else { b"," });
                write_quoted(&mut header, process);
            }
            header.push(b']');
        }
        for (i, variable) in self.names.iter().enumerate() {
            header.extend_from_slice(if i == 0 { b",\"initial\":{" } else { b"," });
            write_quoted(&mut header, variable);
            header.push(b':');
            header.extend_from_slice(&self.values[variable]);
        }
        header.extend_from_slice(if self.names.is_empty() { b"}\n" } else { b"}}\n" });
        output.header(&header);
        for problem in self.problems {
            output.problem(problem);
        }
        let core = Core {
            registry: Arc::default(),
            processes: Mutex::default(),
            declared: Mutex::new(self.values),
            closed: self.processes.map(HashSet::from_iter),
            dependencies: self.dependencies,
            wall_clock: self.wall_clock,
            output: Mutex::new(output),
        };
        Recorder { core: Arc::new(core) }
    }
}
