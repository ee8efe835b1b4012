//! What a user should know about the spans of a run, counted, with an example of each.

use super::family::Family;
use super::store::{Marks, Store};
use posetta_base::{Diagnostic, Kind};
use posetta_trace::Trace;

/// How often something was seen, and the first one.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    count: usize,
    example: String,
}

impl Tally {
    pub(crate) fn add(&mut self, example: impl FnOnce() -> String) {
        if self.count == 0 {
            self.example = example();
        }
        self.count += 1;
    }

    /// Nothing if it was not seen. `says` has the words for one and for several.
    fn tell(&self, kind: Kind, says: [&str; 2], help: &str) -> Option<Diagnostic> {
        let (count, example) = (self.count, &self.example);
        let message = match count {
            0 => return None,
            1 => format!("1 {}: {example}", says[0]),
            _ => format!("{count} {}, such as {example}", says[1]),
        };
        let diagnostic = Diagnostic::new(kind, message);
        Some(if help.is_empty() { diagnostic } else { diagnostic.help(help) })
    }
}

#[derive(Debug, Default)]
pub(crate) struct Noticed {
    /// Span events outside of their spans.
    pub(crate) clamped: Tally,
    /// Clients that did not wait for their servers.
    pub(crate) timeouts: Tally,
    /// Spans that began before their parents, by one clock.
    pub(crate) early: Tally,
    /// Links to spans of other traces that are in the input.
    pub(crate) links_elsewhere: Tally,
    /// Spans and span events with several values of one attribute.
    pub(crate) twice: Tally,
    /// Events without all edges by clocks, because there were too many.
    pub(crate) too_many: usize,
    repeated: Tally,
    apart: Tally,
    ambiguous: Tally,
    timeless: Tally,
    self_links: Tally,
    own_parents: Tally,
    backwards: Tally,
    adjusted: Tally,
    nowhere: Tally,
    contradicted: Vec<Diagnostic>,
    lag: Option<String>,
}

impl Noticed {
    /// What the records say of themselves.
    pub(crate) fn of_family(&mut self, store: &Store, family: &Family, names: &[String]) {
        for (tally, records) in [
            (&mut self.repeated, &family.repeated),
            (&mut self.apart, &family.apart),
            (&mut self.timeless, &family.timeless),
        ] {
            for &record in records {
                let span = &store.spans[record as usize];
                tally.add(|| format!("`{}` with the id {}", store.names.resolve(span.name), span.id));
            }
        }
        let name = |member: u32| format!("`{}`", names[member as usize]);
        for &member in &family.ambiguous {
            self.ambiguous.add(|| name(member));
        }
        for member in 0..family.len() as u32 {
            let marks = family.span(store, member).marks;
            for (tally, mark) in [
                (&mut self.self_links, Marks::SELF_LINK),
                (&mut self.own_parents, Marks::OWN_PARENT),
                (&mut self.backwards, Marks::BACKWARDS),
                (&mut self.adjusted, Marks::ADJUSTED),
                (&mut self.nowhere, Marks::NOWHERE),
            ] {
                if marks.has(mark) {
                    tally.add(|| name(member));
                }
            }
        }
    }

    /// What came of assumptions and times.
    pub(crate) fn of_run(&mut self, trace: &Trace) {
        for (reason, count) in trace.contradicted() {
            let edges = if count == 1 { "edge" } else { "edges" };
            let message = format!("clocks contradict causes: {count} {edges} ({reason}) left out");
            self.contradicted.push(Diagnostic::new(Kind::Clock, message));
        }
        self.lag = trace.lag().map(ToString::to_string);
    }

    pub(crate) fn warnings(self) -> Vec<Diagnostic> {
        let told = [
            self.repeated.tell(
                Kind::Ignored,
                ["record repeats another one", "records repeat others"],
                "they are read once",
            ),
            self.apart.tell(
                Kind::Unmatched,
                ["span has the id of another one", "spans have ids of others"],
                "they are kept apart; no span is known to be a child of one of them",
            ),
            self.ambiguous.tell(
                Kind::Unmatched,
                ["span has a parent id that several spans have", "spans have parent ids that several spans have"],
                "such a span is ordered after none of them",
            ),
            self.timeless.tell(
                Kind::Ignored,
                ["record without a time is left out", "records without a time are left out"],
                "no other record of the same span has a time",
            ),
            self.twice.tell(
                Kind::Ignored,
                ["attribute has several values", "attributes have several values"],
                "the first is read, and the others are not",
            ),
            self.own_parents.tell(
                Kind::Ignored,
                ["span is its own parent", "spans are their own parents"],
                "they are read as spans without a parent",
            ),
            self.self_links.tell(Kind::Ignored, ["span links to itself", "spans link to themselves"], ""),
            self.links_elsewhere.tell(
                Kind::Ignored,
                ["link leads to another trace of the input", "links lead to other traces of the input"],
                "each trace is a run of its own; --join makes one run of all",
            ),
            self.backwards.tell(
                Kind::Clock,
                ["span ends before it starts", "spans end before they start"],
                "they are read as spans that take no time",
            ),
            self.clamped.tell(
                Kind::Clock,
                [
                    "span event lies outside of its span by its time",
                    "span events lie outside of their spans by their times",
                ],
                "they are read at the start or at the end of the span",
            ),
            self.early.tell(
                Kind::Clock,
                [
                    "span starts before its parent by the same clock",
                    "spans start before their parents by the same clock",
                ],
                "the clock orders nothing between the two starts",
            ),
            self.timeouts.tell(
                Kind::Clock,
                ["client did not wait for its server", "clients did not wait for their servers"],
                "the client failed, or the server took longer; its end is not ordered before the end of the client",
            ),
            self.adjusted.tell(
                Kind::Clock,
                [
                    "span has times that Jaeger adjusted for clock skew",
                    "spans have times that Jaeger adjusted for clock skew",
                ],
                "this hides spans that outlive their parents; export without the adjustment \
                 (--query.max-clock-skew-adjustment=0s)",
            ),
        ];
        let nowhere = self.nowhere.tell(
            Kind::Unmatched,
            [
                "span is of a process that the trace does not describe",
                "spans are of processes that the trace does not describe",
            ],
            "they are of no service, so nothing that is said of services is said of them",
        );
        let mut warnings: Vec<Diagnostic> = told.into_iter().chain([nowhere]).flatten().collect();
        warnings.extend(self.contradicted);
        if let Some(lag) = self.lag {
            let message = format!("the recorded order is not that of the times: an event comes up to {lag} s too late");
            warnings.push(Diagnostic::new(Kind::Clock, message).help("causes contradict the times, and causes decide"));
        }
        if self.too_many > 0 {
            let events = if self.too_many == 1 { "event is" } else { "events are" };
            let message = format!("{} {events} not ordered by clocks with all that came before", self.too_many);
            let help = "much is concurrent, and comes before much else: the order has too many edges";
            warnings.push(Diagnostic::new(Kind::TooLarge, message).help(help));
        }
        warnings
    }
}
