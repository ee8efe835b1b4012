//! Happened-before as a matrix; its runs, its cuts and its width by enumeration.

use posetta_base::EventId;
use posetta_trace::Trace;

/// A set of events, one bit each. A *cut* is one that contains the causes of its members.
pub type EventSet = u64;

/// The set with one event.
#[must_use]
pub fn singleton(event: EventId) -> EventSet {
    1 << event.index()
}

/// Whether the event is in the set.
#[must_use]
pub fn contains(set: EventSet, event: EventId) -> bool {
    set & singleton(event) != 0
}

/// "Events of one process are ordered as written. An edge `e -> f` says that e happened before f. Happened-before is
/// the transitive closure."
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// `before[f]` is the set of events that happened before `f`; `f` itself is not in it.
    before: Vec<EventSet>,
}

impl Order {
    /// The order of a trace: its processes and its direct causes, closed.
    ///
    /// # Panics
    /// When the trace has more than 64 events, for which nothing here would end anyway.
    #[must_use]
    pub fn of(trace: &Trace) -> Self {
        let edges = trace.events().flat_map(|f| trace.causes(f).iter().map(move |&e| (e, f)));
        Self::generated_by(trace, edges)
    }

    /// The order that the processes of a trace and the given edges generate.
    ///
    /// # Panics
    /// When the trace has more than 64 events.
    #[must_use]
    pub fn generated_by(trace: &Trace, edges: impl Iterator<Item = (EventId, EventId)>) -> Self {
        assert!(trace.len() <= 64, "the oracle enumerates: {} events are too many", trace.len());
        let mut before = vec![0; trace.len()];
        for process in trace.processes() {
            for pair in trace.chain(process).windows(2) {
                before[pair[1].index()] |= singleton(pair[0]);
            }
        }
        for (cause, effect) in edges {
            before[effect.index()] |= singleton(cause);
        }
        // Warshall: paths through `via` as well.
        for via in trace.events() {
            for event in trace.events() {
                if contains(before[event.index()], via) {
                    before[event.index()] |= before[via.index()];
                }
            }
        }
        Self { before }
    }

    /// How many events there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.before.len()
    }

    /// Whether there is no event.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.before.is_empty()
    }

    fn events(&self) -> impl Iterator<Item = EventId> + use<> {
        (0..self.before.len()).map(|i| EventId::new(i).expect("at most 64 events"))
    }

    /// The set of all events: the full cut.
    #[must_use]
    pub fn full(&self) -> EventSet {
        self.events().fold(0, |all, e| all | singleton(e))
    }

    /// The events that happened before this one.
    #[must_use]
    pub fn causes(&self, event: EventId) -> EventSet {
        self.before[event.index()]
    }

    /// Whether `a` happened before `b`.
    #[must_use]
    pub fn before(&self, a: EventId, b: EventId) -> bool {
        contains(self.causes(b), a)
    }

    /// Whether they are two events and neither happened before the other.
    #[must_use]
    pub fn concurrent(&self, a: EventId, b: EventId) -> bool {
        a != b && !self.before(a, b) && !self.before(b, a)
    }

    /// "A cut is a set of events that contains the causes of its members."
    #[must_use]
    pub fn is_cut(&self, set: EventSet) -> bool {
        // Asked of every set of events, so no event gets a name.
        self.before.iter().enumerate().all(|(event, causes)| set >> event & 1 == 0 || causes & !set == 0)
    }

    /// Every cut, the empty and the full one included.
    #[must_use]
    pub fn cuts(&self) -> Vec<EventSet> {
        (0..=self.full()).filter(|&set| self.is_cut(set)).collect()
    }

    /// "A step adds one event": the events whose causes are all in the cut and that are not in it themselves.
    pub fn steps(&self, cut: EventSet) -> impl Iterator<Item = EventId> {
        self.events().filter(move |&e| !contains(cut, e) && self.causes(e) & !cut == 0)
    }

    /// "A run (linearisation) is a total order of all events that respects happened-before."
    #[must_use]
    pub fn is_run(&self, order: &[EventId]) -> bool {
        order.len() == self.len() && self.is_prefix_of_a_run(order)
    }

    /// Whether each event of the list comes once and after its causes.
    #[must_use]
    pub fn is_prefix_of_a_run(&self, order: &[EventId]) -> bool {
        (0..order.len()).all(|at| {
            let earlier = order[..at].iter().fold(0, |set, &e| set | singleton(e));
            !contains(earlier, order[at]) && self.causes(order[at]) & !earlier == 0
        })
    }

    /// Calls `visit` with every run.
    pub fn for_each_run(&self, mut visit: impl FnMut(&[EventId])) {
        self.for_each_way(0, self.full(), &mut visit);
    }

    /// Calls `visit` with every way to add events, step by step, that leads from one cut to another.
    pub fn for_each_way(&self, from: EventSet, to: EventSet, visit: &mut dyn FnMut(&[EventId])) {
        self.extend(from, to, &mut Vec::new(), visit);
    }

    fn extend(&self, at: EventSet, to: EventSet, way: &mut Vec<EventId>, visit: &mut dyn FnMut(&[EventId])) {
        if at == to {
            return visit(way);
        }
        for event in self.steps(at).filter(|&e| contains(to, e)) {
            way.push(event);
            self.extend(at | singleton(event), to, way, visit);
            way.pop();
        }
    }

    /// The size of the largest set of pairwise concurrent events.
    #[must_use]
    pub fn width(&self) -> usize {
        let antichain = |set: EventSet| {
            let members: Vec<EventId> = self.events().filter(|&e| contains(set, e)).collect();
            members.iter().all(|&a| members.iter().all(|&b| a == b || self.concurrent(a, b)))
        };
        (0..=self.full()).filter(|&set| antichain(set)).map(|set| set.count_ones() as usize).max().unwrap_or(0)
    }
}
