//! The spans of one run, and which is the parent of which.
//!
//! A record may be one of several of a span: equal ones are dropped, and one without a time belongs to the half that has one. The
//! two halves of a call may share an id, so an id alone does not say who the parent is; where the rest does not say it either, there
//! is none: a wrong edge would be worse than none.

use super::ids::SpanId;
use super::statistics::Statistics;
use super::store::{Marks, NONE, Span, SpanKind, Store};

/// The spans of one run. Members are numbered by their start, then as they were read.
#[derive(Debug, Default)]
pub(crate) struct Family {
    /// The span of each member.
    pub(crate) spans: Vec<u32>,
    /// The member that is the parent of each, or [`NONE`].
    pub(crate) parents: Vec<u32>,
    /// Members by parent, those without one left out.
    children: Vec<u32>,
    children_ends: Vec<u32>,
    /// Members, each after its parent. Those whose ancestors form a cycle are not among them.
    pub(crate) order: Vec<u32>,
    /// Members and the further records of their spans, by member.
    pub(crate) further: Vec<(u32, u32)>,
    /// Members whose parents are named and not there.
    pub(crate) orphans: Vec<u32>,
    /// Members of which several spans could be the parent.
    pub(crate) ambiguous: Vec<u32>,
    /// Records that were dropped, because another one is equal.
    pub(crate) repeated: Vec<u32>,
    /// Spans that share an id with another one of their kind.
    pub(crate) apart: Vec<u32>,
    /// Records without a time of which no other has one.
    pub(crate) timeless: Vec<u32>,
    /// Members by trace and id.
    by_id: Vec<(u32, SpanId, u32)>,
}

impl Family {
    pub(crate) fn new(store: &Store, records: &[u32]) -> Self {
        let mut family = Self::default();
        family.gather(store, records);
        family.find_parents(store);
        family.arrange();
        family
    }

    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    pub(crate) fn span<'a>(&self, store: &'a Store, member: u32) -> &'a Span {
        &store.spans[self.spans[member as usize] as usize]
    }

    /// The parent of a member, if it has one.
    pub(crate) fn parent(&self, member: u32) -> Option<u32> {
        Some(self.parents[member as usize]).filter(|&parent| parent != NONE)
    }

    /// The members whose parent is this one.
    pub(crate) fn children(&self, member: u32) -> &[u32] {
        let start = if member == 0 { 0 } else { self.children_ends[member as usize - 1] };
        &self.children[start as usize..self.children_ends[member as usize] as usize]
    }

    /// The members with an id.
    pub(crate) fn with_id(&self, trace: u32, id: SpanId) -> impl Iterator<Item = u32> + Clone {
        let from = self.by_id.partition_point(|&(t, i, _)| (t, i) < (trace, id));
        let same = self.by_id[from..].iter().take_while(move |&&(t, i, _)| (t, i) == (trace, id));
        same.map(|&(.., member)| member)
    }

    /// Whether two members are known to be of one service.
    pub(crate) fn of_one_service(&self, store: &Store, a: u32, b: u32) -> bool {
        let service = store.service(self.span(store, a));
        service != NONE && service == store.service(self.span(store, b))
    }

    /// Whether a member runs where its parent does, stamped by the same clock: of the same service, and not called from outside.
    pub(crate) fn is_local(&self, store: &Store, member: u32) -> bool {
        let Some(parent) = self.parent(member) else { return false };
        let span = self.span(store, member);
        let [own, other] =
            [span.resource, self.span(store, parent).resource].map(|resource| store.resources[resource as usize]);
        let differ = |a: u32, b: u32| a != NONE && b != NONE && a != b;
        !span.kind.is_entry()
            && !span.marks.has(Marks::REMOTE)
            && self.of_one_service(store, member, parent)
            && !differ(own.instance, other.instance)
            && !differ(own.host, other.host)
    }

    /// Whether a member goes on by itself where its parent runs, by what the whole input shows.
    pub(crate) fn is_detached(&self, store: &Store, statistics: &Statistics, member: u32) -> bool {
        let operation = |m: u32| self.span(store, m).operation;
        let outlives = |parent: u32| statistics.is_detached(operation(parent), operation(member));
        self.parent(member).is_some_and(|parent| self.is_local(store, member) && outlives(parent))
    }

    /// For each member the first of its segment: an entry and what it calls locally; or what goes on by itself from one span, and what
    /// that calls.
    pub(crate) fn segments(&self, store: &Store, statistics: &Statistics) -> Vec<u32> {
        let mut segments: Vec<u32> = (0..self.len() as u32).collect();
        // For each member the first child of it that goes on by itself.
        let mut first = vec![NONE; self.len()];
        for &member in &self.order {
            if !self.is_local(store, member) {
                continue;
            }
            let parent = self.parents[member as usize] as usize;
            if !self.is_detached(store, statistics, member) {
                segments[member as usize] = segments[parent];
            } else if first[parent] == NONE {
                first[parent] = member;
            } else {
                segments[member as usize] = first[parent];
            }
        }
        segments
    }

    /// For each member whether it, or an ancestor of it, goes on by itself.
    pub(crate) fn adrift(&self, store: &Store, statistics: &Statistics) -> Vec<bool> {
        let mut adrift = vec![false; self.len()];
        for &member in &self.order {
            let is_inherited = self.parent(member).is_some_and(|parent| adrift[parent as usize]);
            adrift[member as usize] = is_inherited || self.is_detached(store, statistics, member);
        }
        adrift
    }

    /// One member for each span.
    fn gather(&mut self, store: &Store, records: &[u32]) {
        let of = |record: u32| &store.spans[record as usize];
        let mut sorted = records.to_vec();
        sorted.sort_by_key(|&record| {
            let span = of(record);
            (span.trace, span.id, span.kind, span.start, span.end, span.name, record)
        });
        let mut without_time = Vec::new();
        let mut kept: Vec<u32> = Vec::with_capacity(sorted.len());
        for &record in &sorted {
            let span = of(record);
            if !span.has_start() {
                without_time.push(record);
                continue;
            }
            let same_id = |other: &&u32| (of(**other).id, of(**other).trace) == (span.id, span.trace);
            let before = kept.iter().rev().take(LOOK_BACK).take_while(same_id);
            if before.clone().any(|&other| are_equal(store, record, other)) {
                self.repeated.push(record);
                continue;
            }
            if before.clone().any(|&other| !are_halves(of(other).kind, span.kind)) {
                self.apart.push(record);
            }
            kept.push(record);
        }
        kept.sort_by_key(|&record| (of(record).start, record));
        self.by_id = kept.iter().zip(0..).map(|(&record, member)| (of(record).trace, of(record).id, member)).collect();
        self.by_id.sort_unstable();
        self.spans = kept;
        for record in without_time {
            match self.half_of(store, of(record)) {
                Some(member) => self.further.push((member, record)),
                None => self.timeless.push(record),
            }
        }
        self.further.sort_unstable();
    }

    /// The member that a record without a time tells more about.
    fn half_of(&self, store: &Store, record: &Span) -> Option<u32> {
        let halves = self.with_id(record.trace, record.id);
        let service = store.service(record);
        let fits = |member: &u32| {
            let span = self.span(store, *member);
            let kind = record.kind == span.kind || record.kind == SpanKind::Unspecified;
            kind && (service == NONE || service == store.service(span))
        };
        halves.clone().find(fits).or_else(|| halves.clone().find(|&m| self.span(store, m).kind == record.kind))
    }

    fn find_parents(&mut self, store: &Store) {
        let mut parents = vec![NONE; self.len()];
        for member in 0..self.len() as u32 {
            match self.find_parent(store, member) {
                Parent::None => {}
                Parent::One(parent) => parents[member as usize] = parent,
                Parent::Missing => self.orphans.push(member),
                Parent::Several => self.ambiguous.push(member),
            }
        }
        self.parents = parents;
    }

    fn find_parent(&self, store: &Store, member: u32) -> Parent {
        let span = self.span(store, member);
        let of_kind = |kind: SpanKind| move |&m: &u32| self.span(store, m).kind == kind;
        let caller = match span.kind {
            SpanKind::Server => SpanKind::Client,
            _ => SpanKind::Producer,
        };
        // The other half of the call.
        if span.kind.is_entry() && span.marks.has(Marks::SHARES_ID) {
            let mut halves = self.with_id(span.trace, span.id).filter(of_kind(caller));
            match (halves.next(), halves.next()) {
                (Some(half), None) => return Parent::One(half),
                (Some(_), Some(_)) => return Parent::Several,
                (None, _) => {}
            }
        }
        let Some(id) = span.parent else { return Parent::None };
        let mut named: Vec<u32> = self.with_id(span.trace, id).collect();
        if named.is_empty() {
            return Parent::Missing;
        }
        // Of two halves the parent is the one on the same side. What comes in from elsewhere was called by a client.
        let keep = |named: &mut Vec<u32>, fits: &dyn Fn(u32) -> bool| {
            if named.len() > 1 && named.iter().any(|&m| fits(m)) {
                named.retain(|&m| fits(m));
            }
        };
        let is_caller = |m: u32| matches!(self.span(store, m).kind, SpanKind::Client | SpanKind::Producer);
        if !span.kind.is_entry() {
            keep(&mut named, &|m| self.of_one_service(store, m, member));
        }
        // What shares an id and is neither side of a call has it by mistake, and then sides say nothing.
        if named.len() > 1 && named.iter().any(|&m| !is_caller(m) && !self.span(store, m).kind.is_entry()) {
            return Parent::Several;
        }
        if span.kind.is_entry() {
            keep(&mut named, &|m| self.span(store, m).kind == caller);
        } else {
            keep(&mut named, &|m| !is_caller(m));
        }
        match named[..] {
            [parent] => Parent::One(parent),
            // One of several receivers. All were called by the same half, which is then sure to have begun before.
            _ => {
                let mut callers = self.with_id(span.trace, id).filter(|&m| is_caller(m));
                match (callers.next(), callers.next()) {
                    (Some(caller), None) => Parent::One(caller),
                    _ => Parent::Several,
                }
            }
        }
    }

    /// Children by parent, and every member after its parent.
    fn arrange(&mut self) {
        let mut ends = vec![0u32; self.len() + 1];
        for &parent in self.parents.iter().filter(|&&parent| parent != NONE) {
            ends[parent as usize + 1] += 1;
        }
        for i in 1..ends.len() {
            ends[i] += ends[i - 1];
        }
        let mut children = vec![0; ends[self.len()] as usize];
        for (member, &parent) in self.parents.iter().enumerate() {
            if parent != NONE {
                let slot = &mut ends[parent as usize];
                children[*slot as usize] = member as u32;
                *slot += 1;
            }
        }
        // Each slot has moved to where its children end.
        ends.truncate(self.len());
        (self.children, self.children_ends) = (children, ends);
        let mut order: Vec<u32> = (0..self.len() as u32).filter(|&m| self.parent(m).is_none()).collect();
        let mut next = 0;
        while next < order.len() {
            order.extend_from_slice(self.children(order[next]));
            next += 1;
        }
        self.order = order;
    }
}

/// Equal records come one after the other, but for those that differ in what they are not sorted by.
const LOOK_BACK: usize = 8;

enum Parent {
    None,
    One(u32),
    Missing,
    Several,
}

/// Whether two spans with one id may be the two sides of a call or a message.
fn are_halves(one: SpanKind, other: SpanKind) -> bool {
    use SpanKind::{Client, Consumer, Producer, Server};
    matches!((one, other), (Client, Server) | (Server, Client) | (Producer, Consumer) | (Consumer, Producer))
}

/// Whether two records say the same.
fn are_equal(store: &Store, a: u32, b: u32) -> bool {
    let (one, other) = (&store.spans[a as usize], &store.spans[b as usize]);
    let told = |s: &Span| (s.parent, s.start, s.end, s.name, s.resource, s.kind, s.status);
    told(one) == told(other)
        && store.attributes(a) == store.attributes(b)
        && store.links(a) == store.links(b)
        && store.events(a).map(|(e, of)| (e.time, e.name, of)).eq(store.events(b).map(|(e, of)| (e.time, e.name, of)))
}
