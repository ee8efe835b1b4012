//! What all traces of an input together say about its operations.
//!
//! One run shows only what was so once. Two operations that are seen overlapping anywhere run concurrently, so that one came first
//! elsewhere was luck; and operations that are seen outliving their parents are not waited for. Neither must make a property hold.

use rustc_hash::FxHashMap;

use super::family::Family;
use super::store::{Sealed, SpanKind, Store};
use posetta_base::{Budget, OverBudget};

/// Nanoseconds by which a span may outlive its parent and still count as inside of it: clocks are read one after the other.
const SLACK: u64 = 1_000_000;

/// The coarsest clock that is known of, in nanoseconds.
const COARSEST: u64 = 1_000_000;

/// Under one operation, so many others are compared with each other. Where more overlap, all are taken to.
const MOST_PARTNERS: usize = 256;

/// Operations by the numbers that [`Store::seal`] gives.
#[derive(Debug, Default)]
pub(crate) struct Statistics {
    /// For a parent and a child that may lie inside of it: how often they were seen, and how often the child outlived the parent.
    nested: FxHashMap<(u32, u32), (u64, u64)>,
    /// The same for a parent and a child that one clock stamps.
    local: FxHashMap<(u32, u32), (u64, u64)>,
    /// For a parent: its children that overlap.
    overlaps: FxHashMap<u32, Overlaps>,
    /// For each resource, in which steps its clock goes; 1 if nothing was seen of it.
    grains: Vec<u64>,
}

/// Which operations under one parent were seen overlapping.
#[derive(Debug, Default)]
pub(crate) struct Overlaps {
    partners: FxHashMap<u32, Vec<u32>>,
    /// There are too many to tell.
    all: bool,
}

impl Overlaps {
    fn add(&mut self, a: u32, b: u32) {
        if self.all {
            return;
        }
        for (one, other) in [(a, b), (b, a)] {
            let partners = self.partners.entry(one).or_default();
            if !partners.contains(&other) {
                partners.push(other);
            }
        }
        if self.partners.len() > MOST_PARTNERS {
            self.partners = FxHashMap::default();
            self.all = true;
        }
    }

    /// Whether all overlap, as far as is known.
    pub(crate) fn has_all(&self) -> bool {
        self.all
    }

    /// Whether these two were seen overlapping.
    pub(crate) fn has(&self, a: u32, b: u32) -> bool {
        self.all || self.partners.get(&a).is_some_and(|partners| partners.contains(&b))
    }

    /// Whether an operation was seen overlapping one of those that `is_there`.
    pub(crate) fn has_any(&self, operation: u32, is_there: impl Fn(u32) -> bool) -> bool {
        self.all || self.partners.get(&operation).is_some_and(|partners| partners.iter().any(|&p| is_there(p)))
    }
}

impl Statistics {
    pub(crate) fn new(sealed: &Sealed, budget: &Budget) -> Result<Self, OverBudget> {
        let mut statistics = Self {
            grains: grains(&sealed.store, sealed.order.iter().flat_map(|&trace| sealed.spans_of(trace))),
            ..Self::default()
        };
        for &trace in &sealed.order {
            let spans = sealed.spans_of(trace);
            budget.step(spans.len() as u64, "comparing spans")?;
            statistics.add(&sealed.store, &Family::new(&sealed.store, spans));
        }
        Ok(statistics)
    }

    fn add(&mut self, store: &Store, family: &Family) {
        for &member in &family.order {
            self.add_nesting(store, family, member);
            self.add_overlaps(store, family, member);
        }
    }

    fn add_nesting(&mut self, store: &Store, family: &Family, member: u32) {
        let Some(parent) = family.parent(member) else { return };
        let (outer, inner) = (family.span(store, parent), family.span(store, member));
        if !outer.has_end() || !inner.has_end() {
            return;
        }
        let outlives = inner.end > outer.end.saturating_add(SLACK);
        for (pairs, counts) in [
            (&mut self.nested, may_nest(store, family, parent, member)),
            (&mut self.local, family.is_local(store, member)),
        ] {
            if counts {
                let (seen, outlived) = pairs.entry((outer.operation, inner.operation)).or_default();
                *seen += 1;
                *outlived += u64::from(outlives);
            }
        }
    }

    /// Children are numbered by their start, so one goes over them in time.
    fn add_overlaps(&mut self, store: &Store, family: &Family, parent: u32) {
        let children = family.children(parent);
        if children.len() < 2 {
            return;
        }
        let overlaps = self.overlaps.entry(family.span(store, parent).operation).or_default();
        // Of each operation on each clock, the one that ends last.
        let mut running: Vec<(u32, u32, u64, u64)> = Vec::new();
        for &child in children {
            let span = family.span(store, child);
            if !span.has_end() || overlaps.all {
                continue;
            }
            running.retain(|&(.., end)| end > span.start);
            for &(other, resource, start, _) in &running {
                if resource == span.resource && start < span.end {
                    overlaps.add(other, span.operation);
                }
            }
            let own = (span.operation, span.resource, span.start, span.end);
            match running.iter_mut().find(|r| (r.0, r.1) == (own.0, own.1)) {
                Some(other) if other.3 < span.end => *other = own,
                Some(_) => {}
                None => running.push(own),
            }
        }
    }

    /// Whether a child of this operation is waited for: at most one in a hundred outlived its parent.
    pub(crate) fn is_waited_for(&self, parent: u32, child: u32) -> bool {
        !outlives(&self.nested, parent, child)
    }

    /// Whether a child of this operation goes on by itself, though the clock of its parent stamps it: what either of them does first is
    /// luck.
    pub(crate) fn is_detached(&self, parent: u32, child: u32) -> bool {
        outlives(&self.local, parent, child)
    }

    /// In which steps the clock goes by which a resource reads when a span starts, in nanoseconds. The SDK for JavaScript reads whole
    /// milliseconds then, and measures from there on, so that all times of a span are too early by less than a millisecond.
    pub(crate) fn grain(&self, resource: u32) -> u64 {
        self.grains.get(resource as usize).copied().unwrap_or(1)
    }

    /// Whether that clock is the coarsest there is.
    pub(crate) fn is_coarse(&self, resource: u32) -> bool {
        self.grain(resource) == COARSEST
    }

    /// What overlaps under an operation, if anything does.
    pub(crate) fn overlaps(&self, parent: u32) -> Option<&Overlaps> {
        self.overlaps.get(&parent)
    }

    /// About how many bytes it takes.
    pub(crate) fn weight(&self) -> u64 {
        let partners = self.overlaps.values().flat_map(|o| o.partners.values());
        (self.grains.len() * 8
            + (self.nested.len() + self.local.len()) * 32
            + self.overlaps.len() * 80
            + partners.map(|p| 48 + 4 * p.len()).sum::<usize>()) as u64
    }
}

/// Whether more than one child in a hundred outlived its parent.
fn outlives(pairs: &FxHashMap<(u32, u32), (u64, u64)>, parent: u32, child: u32) -> bool {
    let (seen, outlived) = pairs.get(&(parent, child)).copied().unwrap_or_default();
    outlived * 100 > seen
}

/// Milliseconds if the starts of all spans of a resource are whole ones, else microseconds if they are, else nanoseconds.
fn grains<'a>(store: &Store, spans: impl Iterator<Item = &'a u32>) -> Vec<u64> {
    let mut grains = vec![None; store.resources.len()];
    for &record in spans {
        let span = &store.spans[record as usize];
        if span.has_start() {
            let grain: &mut Option<u64> = &mut grains[span.resource as usize];
            let mut steps = grain.unwrap_or(COARSEST);
            while !span.start.is_multiple_of(steps) {
                steps /= 1_000;
            }
            *grain = Some(steps);
        }
    }
    grains.into_iter().map(|grain| grain.unwrap_or(1)).collect()
}

/// Whether a child may lie inside of its parent at all: a message is sent and forgotten, and of two servers in a row the second was
/// called by something that is not recorded.
pub(crate) fn may_nest(store: &Store, family: &Family, parent: u32, child: u32) -> bool {
    let kinds = [parent, child].map(|member| family.span(store, member).kind);
    family.of_one_service(store, parent, child)
        && !kinds.iter().any(|kind| kind.is_messaging())
        && kinds != [SpanKind::Server, SpanKind::Server]
        && kinds != [SpanKind::Client, SpanKind::Server]
}
