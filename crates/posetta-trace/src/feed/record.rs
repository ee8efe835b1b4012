//! What a line says, until it is handed on.

use posetta_base::{ProcessId, TakenAttributes, Value, VarId};

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum EntryKind {
    #[default]
    Event,
    Heartbeat,
    End,
}

/// A cause as a record names it.
#[derive(Debug)]
pub(super) enum Target {
    /// The event of a process at a position from 1.
    Event(ProcessId, u32),
    /// An event that has not been read.
    Label(Box<str>),
    /// The event with a mark, which may never come.
    Mark(Box<str>),
    /// The event with a mark that never comes.
    Nothing,
}

#[derive(Debug)]
pub(super) struct Cause {
    pub target: Target,
    pub column: u32,
}

/// One line about a process.
#[derive(Debug)]
pub(super) struct Record {
    pub kind: EntryKind,
    pub process: ProcessId,
    /// The position of an event on its process, from 1; for a sign of life how many events come before it.
    pub position: u32,
    pub line: u64,
    pub named: bool,
    pub name: String,
    /// Where its id stands, if it has one.
    pub id_column: Option<u32>,
    pub id: String,
    pub assigned: Vec<(VarId, Value)>,
    pub attributes: TakenAttributes,
    pub causes: Vec<Cause>,
    /// What others may wait for it by.
    pub marks: Vec<Box<str>>,
    /// Where its clock stands, if it has one.
    pub clock_column: Option<u32>,
    pub entries: Vec<(ProcessId, u32)>,
}

impl Default for Record {
    fn default() -> Self {
        Self {
            kind: EntryKind::Event,
            process: ProcessId::from_raw(0),
            position: 0,
            line: 0,
            named: false,
            name: String::new(),
            id_column: None,
            id: String::new(),
            assigned: Vec::new(),
            attributes: TakenAttributes::default(),
            causes: Vec::new(),
            marks: Vec::new(),
            clock_column: None,
            entries: Vec::new(),
        }
    }
}

impl Record {
    /// Becomes an event without properties; what it has allocated stays.
    pub(super) fn begin(&mut self, process: ProcessId, line: u64) {
        self.kind = EntryKind::Event;
        self.process = process;
        self.line = line;
        self.named = false;
        self.id_column = None;
        self.clock_column = None;
        self.assigned.clear();
        self.attributes.clear();
        self.causes.clear();
        self.marks.clear();
        self.entries.clear();
    }

    pub(super) fn bytes(&self) -> usize {
        let labels = self.causes.iter().map(|cause| match &cause.target {
            Target::Label(label) | Target::Mark(label) => label.len() + 16,
            Target::Event(..) | Target::Nothing => 0,
        });
        let texts = self.assigned.iter().map(|(_, value)| match value {
            Value::Text(text) => text.capacity(),
            Value::Number(number) => number.heap_bytes(),
        });
        size_of::<Self>()
            + self.name.capacity()
            + self.id.capacity()
            + self.assigned.capacity() * size_of::<(VarId, Value)>()
            + self.causes.capacity() * size_of::<Cause>()
            + self.entries.capacity() * 8
            + self.marks.capacity() * size_of::<Box<str>>()
            + self.attributes.bytes()
            + labels.chain(texts).sum::<usize>()
    }
}
