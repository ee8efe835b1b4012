//! Why a linear property is violated, in words: what was recorded, what nothing orders, and what would rule the failure out.
//!
//! The words are for people who do not know the logic. Events go by their own names, else by what they assign, else by their
//! labels. Start at [`Words::new`].

use std::collections::BTreeMap;

use posetta_base::EventId;
use posetta_check::{Explanation, Observed, Runs};
use posetta_trace::Trace;

use crate::amounts::{counted, grouped};
use crate::named::Named;
use crate::paint::short;

/// So many edges are named; `--json` has all of them.
const NAMED: usize = 6;
/// The longest name of an event, and of a process.
const NAME: usize = 40;

/// An explanation for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// Sentences, to be filled into lines. What belongs together has no-break spaces.
    pub text: String,
    /// Edges that would rule the failure out, from and to, if there are several.
    pub edges: Vec<[String; 2]>,
    /// How many more there are.
    pub more: usize,
    /// What the order that is shown is to the recorded one.
    pub heading: String,
    /// How far it is from that.
    pub distance: Option<String>,
}

impl Words {
    /// Tells the explanation of a violation; `None` if there is nothing to tell, because there is only one process.
    #[must_use]
    pub fn new(
        trace: &Trace,
        property: &Named,
        runs: Option<Runs>,
        observed: Option<Observed>,
        why: &Explanation,
    ) -> Option<Self> {
        if trace.process_count() < 2 {
            return None;
        }
        if has_one_order(trace) {
            let text = "This is the only possible order.".to_owned();
            return Some(Self {
                text,
                edges: Vec::new(),
                more: 0,
                heading: "The order that fails".to_owned(),
                distance: None,
            });
        }
        let teller = Teller::new(trace, why);
        let mut sentences = vec![teller.what_happened(property, runs, observed, why)];
        let (mut edges, mut more) = (Vec::new(), 0);
        if runs == Some(Runs::None) {
            sentences.push("No edge between them would help.".to_owned());
        } else {
            match why.missing_edges.as_deref() {
                None => sentences.push("Which edges would rule that out is not known: a limit came first.".to_owned()),
                Some([]) => {}
                Some(&[(a, b)]) => {
                    // Two that were just named need not be named in full again.
                    let is_known = why.swapped == Some((a, b)) && teller.name(a) != teller.name(b);
                    let name = |e| if is_known { teller.name(e).to_owned() } else { teller.aside(e) };
                    let (a, b) = (name(a), name(b));
                    sentences.push(format!("An edge (a message, a lock, a wait) from {a} to {b} would rule that out."));
                }
                Some(several) => {
                    let number = in_words(several.len());
                    sentences.push(if why.minimum {
                        format!("{number} edges (messages, locks, waits) would rule that out, and no fewer:")
                    } else {
                        format!(
                            "These {} edges (messages, locks, waits) would rule that out, and none of them can be left out:",
                            number.to_lowercase()
                        )
                    });
                    let named = several.iter().take(NAMED);
                    edges.extend(named.map(|&(a, b)| [teller.aside(a), teller.aside(b)]));
                    more = several.len().saturating_sub(NAMED);
                }
            }
        }
        let moved = observed == Some(Observed::Holds);
        Some(Self {
            text: sentences.join(" "),
            edges,
            more,
            heading: match moved && why.closest {
                true => "The closest order that fails".to_owned(),
                false => "An order that fails".to_owned(),
            },
            distance: moved.then(|| {
                let swaps = counted(why.exchanges, "adjacent swap", "adjacent swaps");
                format!("{swaps} away from the recorded one")
            }),
        })
    }
}

/// Names events.
struct Teller<'a> {
    trace: &'a Trace,
    /// The names of those that the explanation is about; different for different events.
    names: BTreeMap<EventId, String>,
}

impl<'a> Teller<'a> {
    fn new(trace: &'a Trace, why: &Explanation) -> Self {
        let pairs = why.swapped.iter().chain(why.missing_edges.iter().flatten().take(NAMED));
        let mut events: Vec<EventId> = pairs.flat_map(|&(a, b)| [a, b]).collect();
        events.sort_unstable();
        events.dedup();
        let own: Vec<String> = events.iter().map(|&event| own_name(trace, event)).collect();
        // What a reader could confuse goes by its label: line and process do not tell events on one line apart.
        let is_clear = |i: usize| !on_its_line(trace, events[i]).any(|other| own_name(trace, other) == own[i]);
        let name = |i: usize| {
            let name = if is_clear(i) { own[i].clone() } else { trace.label(events[i]) };
            (events[i], format!("`{}`", short(&name, NAME)))
        };
        Self { trace, names: (0..events.len()).map(name).collect() }
    }

    /// `` `commit` ``
    fn name(&self, event: EventId) -> &str {
        self.names.get(&event).map_or("it", String::as_str)
    }

    /// `` `commit` on B (line 41) ``
    fn full(&self, event: EventId) -> String {
        format!("{} on {} ({})", self.name(event), self.process(event), self.whereabouts(event))
    }

    /// `` `commit` (B, line 41) ``
    fn aside(&self, event: EventId) -> String {
        format!("{} ({}, {})", self.name(event), self.process(event), self.whereabouts(event))
    }

    /// A line and its number stay together.
    fn whereabouts(&self, event: EventId) -> String {
        self.trace.whereabouts(event).to_string().replacen(' ', "\u{a0}", 1)
    }

    fn process(&self, event: EventId) -> String {
        short(self.trace.process_name(self.trace.process(event)), NAME)
    }

    /// What was recorded, and what else could have been.
    fn what_happened(
        &self,
        property: &Named,
        runs: Option<Runs>,
        observed: Option<Observed>,
        why: &Explanation,
    ) -> String {
        let fails =
            if property.has_name { format!("`{}` fails", short(&property.name, NAME)) } else { "it fails".to_owned() };
        match (observed, why.swapped) {
            _ if runs == Some(Runs::None) => {
                format!("This is not a matter of order: whatever the order of the events, {fails}.")
            }
            (Some(Observed::Holds), Some((a, b))) => {
                let then = if why.exchanges == 1 {
                    format!("if {} comes first and all else stays, {fails}.", self.last(a, b))
                } else {
                    format!("in the order below {} comes first, and {fails}.", self.last(a, b))
                };
                format!(
                    "The recorded order is fine. But nothing orders {} before {}: {then}",
                    self.full(a),
                    self.full(b)
                )
            }
            (Some(Observed::Holds), None) => {
                format!("The recorded order is fine. But it is not the only possible one, and in others {fails}.")
            }
            (Some(Observed::Violated), _) if runs == Some(Runs::Some) => {
                "The recorded order is one of those that fail.".to_owned()
            }
            (Some(Observed::Violated), _) => {
                "The recorded order fails; whether every other one does is not known.".to_owned()
            }
            (None, _) => format!("No order was recorded. The one below may have happened, and then {fails}."),
        }
    }

    /// The second event, told apart from the first one.
    fn last(&self, a: EventId, b: EventId) -> String {
        if self.name(a) == self.name(b) { format!("that of {}", self.process(b)) } else { self.name(b).to_owned() }
    }
}

/// The other events of its process that are on the same line.
fn on_its_line(trace: &Trace, event: EventId) -> impl Iterator<Item = EventId> + '_ {
    let (before, rest) = trace.chain(trace.process(event)).split_at(trace.position(event));
    let is_here = move |other: &EventId| trace.line(*other) == trace.line(event);
    let after = rest.iter().copied().skip(1).take_while(is_here);
    before.iter().rev().copied().take_while(is_here).chain(after)
}

/// Whether a run has a single order: each event of it directly after the one before.
fn has_one_order(trace: &Trace) -> bool {
    let is_ordered = |a, b| trace.process(a) == trace.process(b) || trace.causes(b).contains(&a);
    trace.linearisation().windows(2).all(|pair| is_ordered(pair[0], pair[1]))
}

/// An event's own name, else what it assigns, else its label.
fn own_name(trace: &Trace, event: EventId) -> String {
    if let Some(name) = trace.event_name(event).filter(|name| !name.is_empty()) {
        return name.to_owned();
    }
    let sets: Vec<String> = trace
        .assignments(event)
        .iter()
        .map(|a| format!("{}={}", trace.variable_name(a.var), trace.value(a.value)))
        .collect();
    if sets.is_empty() { trace.label(event) } else { sets.join(", ") }
}

fn in_words(number: usize) -> String {
    const WORDS: [&str; 11] = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"];
    WORDS.get(number).map_or_else(|| grouped(number as u64), |word| (*word).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_base::Budget;
    use posetta_logic::Property;

    /// Two processes; the second event of each has no name, the third does nothing either.
    const RUN: &str = "A: send a=1 -> a=2 -> skip\nB: read b=1 -> b=2, c=3 -> skip\n";

    /// `swapped` and `missing` as `A.1<B.1 …`; `limit` for edges that are not known.
    fn words(
        property: &str,
        runs: Runs,
        observed: Option<Observed>,
        swapped: &str,
        missing: &str,
        why: Explanation,
    ) -> Words {
        let trace = posetta_formats::text::read(RUN.as_bytes(), &Budget::unlimited()).unwrap();
        let pair = |text: &str| {
            let (a, b) = text.split_once('<').unwrap();
            (trace.find_event(a).unwrap(), trace.find_event(b).unwrap())
        };
        let why = why
            .swapped(swapped.split_whitespace().map(pair).next())
            .missing_edges((missing != "limit").then(|| missing.split_whitespace().map(pair).collect()));
        let mut named = Named::new("--ltl", Property::ltl("G (a == 0)").unwrap());
        if !property.is_empty() {
            (named.name, named.has_name) = (property.to_owned(), true);
        }
        Words::new(&trace, &named, Some(runs), observed, &why).expect("two processes")
    }

    fn why(exchanges: u64, closest: bool, minimum: bool) -> Explanation {
        Explanation::default().exchanges(exchanges).closest(closest).minimum(minimum)
    }

    #[test]
    fn every_case_has_its_words() {
        use Observed::{Holds, Violated};
        for (property, runs, observed, swapped, missing, why, text) in [
            (
                "p",
                Runs::Some,
                Some(Holds),
                "A.1<B.1",
                "A.1<B.1",
                why(1, true, true),
                "The recorded order is fine. But nothing orders `send` on A (line 1) before `read` on B (line 2): if `read` \
                 comes first and all else stays, `p` fails. An edge (a message, a lock, a wait) from `send` to `read` would \
                 rule that out.",
            ),
            (
                "",
                Runs::Some,
                Some(Holds),
                "A.3<B.3",
                "A.2<B.2",
                why(7, false, true),
                "The recorded order is fine. But nothing orders `skip` on A (line 1) before `skip` on B (line 2): in the order \
                 below that of B comes first, and it fails. An edge (a message, a lock, a wait) from `a=2` (A, line 1) to \
                 `b=2, c=3` (B, line 2) would rule that out.",
            ),
            (
                "p",
                Runs::Some,
                Some(Holds),
                "",
                "limit",
                why(2, false, false),
                "The recorded order is fine. But it is not the only possible one, and in others `p` fails. Which edges would \
                 rule that out is not known: a limit came first.",
            ),
            (
                "p",
                Runs::Some,
                Some(Violated),
                "",
                "A.1<B.1 A.2<B.2",
                why(0, true, true),
                "The recorded order is one of those that fail. Two edges (messages, locks, waits) would rule that out, and no \
                 fewer:",
            ),
            (
                "p",
                Runs::Some,
                None,
                "",
                "A.1<B.1 A.2<B.2 A.3<B.3",
                why(0, true, false),
                "No order was recorded. The one below may have happened, and then `p` fails. These three edges (messages, \
                 locks, waits) would rule that out, and none of them can be left out:",
            ),
            (
                "p",
                Runs::None,
                Some(Violated),
                "",
                "limit",
                why(0, true, false),
                "This is not a matter of order: whatever the order of the events, `p` fails. No edge between them would help.",
            ),
            (
                "p",
                Runs::Unknown,
                Some(Violated),
                "",
                "limit",
                why(0, true, false),
                "The recorded order fails; whether every other one does is not known. Which edges would rule that out is not \
                 known: a limit came first.",
            ),
            (
                "p",
                Runs::Unknown,
                None,
                "",
                "limit",
                why(0, true, false),
                "No order was recorded. The one below may have happened, and then `p` fails. Which edges would rule that out \
                 is not known: a limit came first.",
            ),
        ] {
            assert_eq!(words(property, runs, observed, swapped, missing, why).text.replace('\u{a0}', " "), text);
        }
    }

    #[test]
    fn several_edges_are_a_list_and_the_order_says_how_far_it_is() {
        let observed = Some(Observed::Holds);
        let told = words("p", Runs::Some, observed, "A.1<B.1", "A.1<B.1 A.2<B.3", why(12_345, true, false));
        assert_eq!(
            told.edges,
            [
                ["`send` (A, line\u{a0}1)", "`read` (B, line\u{a0}2)"],
                ["`a=2` (A, line\u{a0}1)", "`skip` (B, line\u{a0}2)"]
            ]
        );
        assert_eq!(told.heading, "The closest order that fails");
        assert_eq!(told.distance.as_deref(), Some("12,345 adjacent swaps away from the recorded one"));
        let told = words("p", Runs::Some, observed, "A.1<B.1", "A.1<B.1", why(1, false, true));
        assert_eq!(told.heading, "An order that fails");
        assert_eq!(told.distance.as_deref(), Some("1 adjacent swap away from the recorded one"));
        let mut told = told;
        for (edges, more) in [(6, 0), (7, 1), (8, 2)] {
            told = words("p", Runs::Some, None, "", &vec!["A.1<B.1"; edges].join(" "), why(0, true, false));
            assert_eq!((told.edges.len(), told.more), (6, more));
        }
        assert_eq!((told.heading.as_str(), told.distance), ("An order that fails", None));
    }

    #[test]
    fn a_single_order_is_called_so() {
        for (run, single) in [
            ("A: x=1\nB: y=1\nA.1 -> B.1\n", true),
            ("A: x=1 -> x=2\nB: y=1 -> y=2\nA.1 -> B.1\nB.1 -> A.2\nA.2 -> B.2\n", true),
            ("A: x=1\nB: y=1\nC: z=1\nA.1 -> B.1\nB.1 -> C.1\nA.1 -> C.1\n", true),
            ("A: x=1\nB: y=1\n", false),
            ("A: x=1 -> x=2\nB: y=1 -> y=2\nA.1 -> B.1\nA.2 -> B.2\n", false),
            ("A: x=1\nB: y=1\nC: z=1\nA.1 -> C.1\nB.1 -> C.1\n", false),
        ] {
            let trace = posetta_formats::text::read(run.as_bytes(), &Budget::unlimited()).unwrap();
            let named = Named::new("--ltl", Property::ltl("G (x == 0)").unwrap());
            let told = Words::new(&trace, &named, Some(Runs::None), None, &why(0, true, false)).unwrap();
            assert_eq!(told.text == "This is the only possible order.", single, "{run}");
        }
    }

    #[test]
    fn events_that_could_be_confused_go_by_their_labels() {
        let trace = posetta_formats::text::read("A: x=1 -> x=1\nB: y=1\n".as_bytes(), &Budget::unlimited()).unwrap();
        let event = |label| trace.find_event(label).unwrap();
        // Of two that are alike one is enough.
        let edges = vec![(event("A.2"), event("B.1"))];
        let teller = Teller::new(&trace, &why(0, true, true).missing_edges(Some(edges)));
        assert_eq!(teller.aside(event("A.2")), "`A.2` (A, line\u{a0}1)");
        assert_eq!(teller.full(event("B.1")), "`y=1` on B (line\u{a0}2)");
    }
}
