//! The spans of an input, as few bytes each as will do.
//!
//! A reader fills a [`Draft`] and [adds](Store::add) it. Strings are interned; what a span has several of (attributes, events,
//! links) lies in tables of the store, each span knowing where its own end, as events do in a run. When all is read,
//! [`Store::seal`] gathers the spans of each trace.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ids::{SpanId, TraceId};
use posetta_base::{Diagnostic, Interner, Kind, Symbol};

/// What a time or a symbol is that is not there.
pub(crate) const NO_TIME: u64 = u64::MAX;
pub(crate) const NONE: u32 = u32::MAX;

/// Which side of what a span is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) enum SpanKind {
    #[default]
    Unspecified,
    Internal,
    Server,
    Client,
    Producer,
    Consumer,
}

impl SpanKind {
    /// What OTLP numbers so.
    pub(crate) fn from_number(number: u64) -> Self {
        match number {
            1 => Self::Internal,
            2 => Self::Server,
            3 => Self::Client,
            4 => Self::Producer,
            5 => Self::Consumer,
            _ => Self::Unspecified,
        }
    }

    /// What formats call so: `SPAN_KIND_SERVER`, `SERVER`, `server`.
    pub(crate) fn from_word(word: &str) -> Self {
        let word = word.strip_prefix("SPAN_KIND_").unwrap_or(word);
        let is = |name: &str| word.eq_ignore_ascii_case(name);
        let all = [Self::Internal, Self::Server, Self::Client, Self::Producer, Self::Consumer];
        all.into_iter().find(|kind| kind.word().is_some_and(is)).unwrap_or_default()
    }

    /// What properties call it.
    pub(crate) fn word(self) -> Option<&'static str> {
        match self {
            Self::Unspecified => None,
            Self::Internal => Some("internal"),
            Self::Server => Some("server"),
            Self::Client => Some("client"),
            Self::Producer => Some("producer"),
            Self::Consumer => Some("consumer"),
        }
    }

    /// Whether it begins where something comes in from elsewhere.
    pub(crate) fn is_entry(self) -> bool {
        matches!(self, Self::Server | Self::Consumer)
    }

    /// Whether it sends or receives messages, so that nobody waits for its end.
    pub(crate) fn is_messaging(self) -> bool {
        matches!(self, Self::Producer | Self::Consumer)
    }
}

/// How a span ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) enum Status {
    #[default]
    Unset,
    Ok,
    Error,
}

impl Status {
    /// What formats call so: `STATUS_CODE_ERROR`, `ERROR`, `2`.
    pub(crate) fn from_word(word: &str) -> Self {
        match word.strip_prefix("STATUS_CODE_").unwrap_or(word) {
            "2" => Self::Error,
            "1" => Self::Ok,
            word if word.eq_ignore_ascii_case("error") => Self::Error,
            word if word.eq_ignore_ascii_case("ok") => Self::Ok,
            _ => Self::Unset,
        }
    }

    pub(crate) fn word(self) -> Option<&'static str> {
        match self {
            Self::Unset => None,
            Self::Ok => Some("ok"),
            Self::Error => Some("error"),
        }
    }
}

/// Things that a span is or is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct Marks(u8);

impl Marks {
    /// It says that its parent is in another process.
    pub(crate) const REMOTE: Self = Self(1);
    /// Its id may be that of the other half of a call.
    pub(crate) const SHARES_ID: Self = Self(2);
    /// Somebody has changed its times, so that they look better.
    pub(crate) const ADJUSTED: Self = Self(4);
    /// It ended before it began, by its own clock; it is taken to end where it began.
    pub(crate) const BACKWARDS: Self = Self(8);
    /// It links to itself.
    pub(crate) const SELF_LINK: Self = Self(16);
    /// It is its own parent.
    pub(crate) const OWN_PARENT: Self = Self(32);
    /// It names no process, or one that is not described, where all have one.
    pub(crate) const NOWHERE: Self = Self(64);

    pub(crate) fn has(self, mark: Self) -> bool {
        self.0 & mark.0 != 0
    }

    pub(crate) fn set(&mut self, mark: Self) {
        self.0 |= mark.0;
    }
}

/// A span. Times are nanoseconds since 1970.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) id: SpanId,
    pub(crate) parent: Option<SpanId>,
    /// [`NO_TIME`] if only another record of the same span has it.
    pub(crate) start: u64,
    /// [`NO_TIME`] if it is not known; else not before the start.
    pub(crate) end: u64,
    /// Its place among the traces of the store.
    pub(crate) trace: u32,
    pub(crate) name: Symbol,
    /// Its place among the resources of the store.
    pub(crate) resource: u32,
    /// Service and name, numbered by [`Store::seal`].
    pub(crate) operation: u32,
    /// Where it stands in the input, from 1; saturating.
    pub(crate) line: u32,
    /// Events and links that its recorder dropped; saturating.
    pub(crate) lost: u32,
    attributes_end: u32,
    events_end: u32,
    links_end: u32,
    pub(crate) kind: SpanKind,
    pub(crate) status: Status,
    pub(crate) marks: Marks,
}

impl Span {
    /// How long it took, if that is known.
    pub(crate) fn duration(&self) -> Option<u64> {
        (self.has_start() && self.has_end()).then(|| self.end - self.start)
    }

    pub(crate) fn has_start(&self) -> bool {
        self.start != NO_TIME
    }

    pub(crate) fn has_end(&self) -> bool {
        self.end != NO_TIME
    }
}

/// Something that happened in a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SpanEvent {
    /// [`NO_TIME`] if it has none.
    pub(crate) time: u64,
    pub(crate) name: Symbol,
    attributes_end: u32,
}

/// A span that another one goes on from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) trace: u32,
    pub(crate) id: SpanId,
}

/// A key and its value as JSON text.
pub(crate) type Attribute = (Symbol, Symbol);

/// Who recorded a span. Symbols, or [`NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Resource {
    pub(crate) service: u32,
    /// One running copy of the service.
    pub(crate) instance: u32,
    pub(crate) host: u32,
}

impl Resource {
    /// Nobody that is known.
    pub(crate) const UNKNOWN: Self = Self { service: NONE, instance: NONE, host: NONE };
}

/// A span while it is read.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) trace: Option<TraceId>,
    pub(crate) id: Option<SpanId>,
    pub(crate) parent: Option<SpanId>,
    pub(crate) name: Option<Symbol>,
    pub(crate) start: Option<u64>,
    pub(crate) end: Option<u64>,
    pub(crate) kind: SpanKind,
    pub(crate) status: Status,
    pub(crate) marks: Marks,
    pub(crate) lost: u64,
    pub(crate) resource: u32,
    pub(crate) attributes: Vec<Attribute>,
    /// Each with where its attributes end in `event_attributes`.
    pub(crate) events: Vec<(Option<u64>, Symbol, usize)>,
    pub(crate) event_attributes: Vec<Attribute>,
    pub(crate) links: Vec<(TraceId, SpanId)>,
}

impl Draft {
    /// For the next span; the room is kept.
    pub(crate) fn clear(&mut self) {
        let (mut attributes, mut events) = (std::mem::take(&mut self.attributes), std::mem::take(&mut self.events));
        let mut event_attributes = std::mem::take(&mut self.event_attributes);
        let mut links = std::mem::take(&mut self.links);
        attributes.clear();
        events.clear();
        event_attributes.clear();
        links.clear();
        *self = Self { attributes, events, event_attributes, links, ..Self::default() };
    }

    /// An event, whose attributes were added to `event_attributes`.
    pub(crate) fn end_event(&mut self, time: Option<u64>, name: Symbol) {
        self.events.push((time, name, self.event_attributes.len()));
    }
}

/// All spans of an input.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) names: Interner,
    pub(crate) spans: Vec<Span>,
    attributes: Vec<Attribute>,
    events: Vec<SpanEvent>,
    event_attributes: Vec<Attribute>,
    links: Vec<Link>,
    pub(crate) resources: Vec<Resource>,
    resource_numbers: FxHashMap<Resource, u32>,
    pub(crate) traces: Vec<TraceId>,
    trace_numbers: FxHashMap<u128, u32>,
    /// Whether [`Span::line`] is the line of a text rather than the number of the span.
    pub(crate) has_lines: bool,
}

fn full() -> Box<Diagnostic> {
    Box::new(Diagnostic::new(Kind::Input, "the file has more spans, or more about them, than ids to number them with"))
}

/// Where a table ends now.
fn end_of<T>(table: &[T]) -> Result<u32, Box<Diagnostic>> {
    u32::try_from(table.len()).ok().filter(|&end| end != NONE).ok_or_else(full)
}

fn range(ends: impl Fn(usize) -> u32, at: usize) -> std::ops::Range<usize> {
    let start = if at == 0 { 0 } else { ends(at - 1) };
    start as usize..ends(at) as usize
}

impl Store {
    pub(crate) fn new(has_lines: bool) -> Self {
        Self {
            names: Interner::new(),
            spans: Vec::new(),
            attributes: Vec::new(),
            events: Vec::new(),
            event_attributes: Vec::new(),
            links: Vec::new(),
            resources: vec![Resource::UNKNOWN],
            resource_numbers: FxHashMap::from_iter([(Resource::UNKNOWN, 0)]),
            traces: Vec::new(),
            trace_numbers: FxHashMap::default(),
            has_lines,
        }
    }

    pub(crate) fn intern(&mut self, text: &str) -> Result<Symbol, Box<Diagnostic>> {
        self.names.intern(text).ok_or_else(full)
    }

    /// The string of a symbol, or nothing for [`NONE`].
    pub(crate) fn resolve(&self, raw: u32) -> Option<&str> {
        (raw != NONE).then(|| self.names.resolve(Symbol::from_raw(raw)))
    }

    /// The number of a resource.
    pub(crate) fn resource(&mut self, resource: Resource) -> Result<u32, Box<Diagnostic>> {
        let next = end_of(&self.resources)?;
        let number = *self.resource_numbers.entry(resource).or_insert(next);
        if number == next {
            self.resources.push(resource);
        }
        Ok(number)
    }

    fn trace(&mut self, trace: TraceId) -> Result<u32, Box<Diagnostic>> {
        let next = end_of(&self.traces)?;
        let number = *self.trace_numbers.entry(trace.number()).or_insert(next);
        if number == next {
            self.traces.push(trace);
        }
        Ok(number)
    }

    /// Adds a span that has its ids.
    pub(crate) fn add(&mut self, draft: &Draft, trace: TraceId, id: SpanId, line: u64) -> Result<(), Box<Diagnostic>> {
        let trace = self.trace(trace)?;
        let mut marks = draft.marks;
        let start = draft.start.unwrap_or(NO_TIME);
        let mut end = draft.end.unwrap_or(NO_TIME);
        if start != NO_TIME && end < start {
            marks.set(Marks::BACKWARDS);
            end = start;
        }
        let parent = draft.parent.filter(|&parent| parent != id);
        if draft.parent != parent {
            marks.set(Marks::OWN_PARENT);
        }
        self.attributes.extend_from_slice(&draft.attributes);
        let before = self.event_attributes.len();
        self.event_attributes.extend_from_slice(&draft.event_attributes);
        end_of(&self.event_attributes)?;
        for &(time, name, end) in &draft.events {
            let attributes_end = (before + end) as u32;
            self.events.push(SpanEvent { time: time.unwrap_or(NO_TIME), name, attributes_end });
        }
        for &(linked_trace, linked) in &draft.links {
            let linked_trace = self.trace(linked_trace)?;
            if (linked_trace, linked) == (trace, id) {
                marks.set(Marks::SELF_LINK);
            } else {
                self.links.push(Link { trace: linked_trace, id: linked });
            }
        }
        let name = match draft.name {
            Some(name) => name,
            None => self.intern("span")?,
        };
        let span = Span {
            id,
            parent,
            start,
            end,
            trace,
            name,
            resource: draft.resource,
            operation: NONE,
            line: u32::try_from(line).unwrap_or(u32::MAX),
            lost: u32::try_from(draft.lost).unwrap_or(u32::MAX),
            attributes_end: end_of(&self.attributes)?,
            events_end: end_of(&self.events)?,
            links_end: end_of(&self.links)?,
            kind: draft.kind,
            status: draft.status,
            marks,
        };
        self.spans.push(span);
        end_of(&self.spans).map(drop)
    }

    /// Puts attributes before those of every span from a number on: what all of them share was written after them.
    pub(crate) fn share(&mut self, attributes: &[Attribute], from: usize) -> Result<(), Box<Diagnostic>> {
        if attributes.is_empty() || from >= self.spans.len() {
            return Ok(());
        }
        let start = range(|i| self.spans[i].attributes_end, from).start;
        let mut own = self.attributes.split_off(start).into_iter();
        let mut before = start;
        for span in &mut self.spans[from..] {
            let count = span.attributes_end as usize - before;
            before = span.attributes_end as usize;
            self.attributes.extend_from_slice(attributes);
            self.attributes.extend(own.by_ref().take(count));
            span.attributes_end = end_of(&self.attributes)?;
        }
        Ok(())
    }

    /// The attributes of a span.
    pub(crate) fn attributes(&self, span: u32) -> &[Attribute] {
        &self.attributes[range(|i| self.spans[i].attributes_end, span as usize)]
    }

    /// The events of a span, each with its attributes.
    pub(crate) fn events(&self, span: u32) -> impl Iterator<Item = (SpanEvent, &[Attribute])> {
        let own = range(|i| self.spans[i].events_end, span as usize);
        let attributes = |at: usize| &self.event_attributes[range(|i| self.events[i].attributes_end, at)];
        own.map(move |at| (self.events[at], attributes(at)))
    }

    /// The spans that a span links to.
    pub(crate) fn links(&self, span: u32) -> &[Link] {
        &self.links[range(|i| self.spans[i].links_end, span as usize)]
    }

    pub(crate) fn service(&self, span: &Span) -> u32 {
        self.resources[span.resource as usize].service
    }

    /// About how many bytes the tables take.
    pub(crate) fn weight(&self) -> u64 {
        (self.names.bytes()
            + self.spans.capacity() * size_of::<Span>()
            + (self.attributes.capacity() + self.event_attributes.capacity()) * size_of::<Attribute>()
            + self.events.capacity() * size_of::<SpanEvent>()
            + self.links.capacity() * size_of::<Link>()
            + self.resources.len() * 32
            + self.traces.len() * 64) as u64
    }

    /// Numbers the operations and gathers the spans of each trace. The traces that have spans come in the order of their first.
    pub(crate) fn seal(mut self) -> Sealed {
        self.spans.shrink_to_fit();
        self.attributes.shrink_to_fit();
        let mut operations: FxHashMap<(u32, Symbol), u32> = FxHashMap::default();
        let mut counts = vec![0u32; self.traces.len() + 1];
        for i in 0..self.spans.len() {
            let service = self.service(&self.spans[i]);
            let next = operations.len() as u32;
            let span = &mut self.spans[i];
            span.operation = *operations.entry((service, span.name)).or_insert(next);
            counts[span.trace as usize + 1] += 1;
        }
        for i in 1..counts.len() {
            counts[i] += counts[i - 1];
        }
        let ends = counts[1..].to_vec();
        let mut by_trace = vec![0u32; self.spans.len()];
        let mut first = Vec::new();
        for (i, span) in self.spans.iter().enumerate() {
            let slot = &mut counts[span.trace as usize];
            let starts_at = if span.trace == 0 { 0 } else { ends[span.trace as usize - 1] };
            if *slot == starts_at {
                first.push(span.trace);
            }
            by_trace[*slot as usize] = i as u32;
            *slot += 1;
        }
        // Links to other traces lead out of their runs. Those that lead to spans of the input are known by them.
        let mut elsewhere: FxHashSet<(u32, SpanId)> = FxHashSet::default();
        for (i, span) in self.spans.iter().enumerate() {
            elsewhere.extend(self.links(i as u32).iter().filter(|l| l.trace != span.trace).map(|l| (l.trace, l.id)));
        }
        let mut linked_elsewhere = FxHashSet::default();
        if !elsewhere.is_empty() {
            let known = self.spans.iter().map(|span| (span.trace, span.id));
            linked_elsewhere.extend(known.filter(|span| elsewhere.contains(span)));
        }
        Sealed { store: self, by_trace, ends, order: first, linked_elsewhere }
    }
}

/// A store to which nothing is added any more.
#[derive(Debug)]
pub(crate) struct Sealed {
    pub(crate) store: Store,
    /// Spans by trace, of each in the order of reading.
    by_trace: Vec<u32>,
    /// Where those of each trace end.
    ends: Vec<u32>,
    /// The traces that have spans.
    pub(crate) order: Vec<u32>,
    /// Spans that those of other traces link to.
    linked_elsewhere: FxHashSet<(u32, SpanId)>,
}

impl Sealed {
    /// The spans of a trace.
    pub(crate) fn spans_of(&self, trace: u32) -> &[u32] {
        &self.by_trace[range(|i| self.ends[i], trace as usize)]
    }

    /// Whether a link leads to a span of another trace that is in the input.
    pub(crate) fn is_linked_elsewhere(&self, link: &Link) -> bool {
        self.linked_elsewhere.contains(&(link.trace, link.id))
    }

    /// About how many bytes it takes.
    pub(crate) fn weight(&self) -> u64 {
        let own = 4 * (self.by_trace.len() + self.ends.len() + self.order.len()) + 24 * self.linked_elsewhere.len();
        self.store.weight() + own as u64
    }

    /// All spans, those of each trace together.
    pub(crate) fn all_spans(&self) -> &[u32] {
        &self.by_trace
    }
}
