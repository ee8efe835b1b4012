//! Events that come in one order in every run.
//!
//! `first` before `then` is true of every order of a run exactly if each `then` has some `first` among its causes: an order that puts all
//! that caused one `then` at the beginning has nothing else before it. So one walk over a run, with the set of names that each event has in
//! its past, answers that for all pairs of names at once. What was only recorded so is seen in the same walk.
//!
//! Of spans, pairs are the end of one and the start of another: that one is done before another begins. A span and its own callers are no
//! pair: nobody waits for a queue, so that what was sent by it usually runs on after the sender, and that is no mistake.

use posetta_base::{Budget, EventId, OverBudget, ProcessId, Value};
use posetta_logic::{Atom, Var};
use posetta_trace::{Reason, Trace};

use super::keys::Key;
use super::{Draft, Survey, Why, word};

/// So many pairs of each kind are proposed.
const MOST_PAIRS: usize = 3;

/// What all runs say about two names.
#[derive(Clone, Copy, Debug)]
struct Pair {
    /// How many runs have the second.
    runs: usize,
    /// In all of these the first is recorded before the second.
    recorded: bool,
    /// And it has happened before.
    caused: bool,
    /// In some of them the two are in different groups.
    apart: bool,
    /// One is inside of the other.
    related: bool,
}

/// What all runs say about a name.
#[derive(Clone, Copy, Debug)]
struct SpanRole {
    /// All events of the name are starts, or ends, of spans.
    starts: bool,
    ends: bool,
    /// No span of the name has others inside.
    leaf: bool,
}

struct Pairs {
    names: usize,
    pairs: Vec<Pair>,
    parts: Vec<SpanRole>,
}

/// The text of an atom.
pub(super) fn event(name: &str) -> String {
    Atom::<Var>::Event(name.to_owned()).to_string()
}

/// Proposes orders: those that are there by luck first.
pub(super) fn pairs(
    runs: &[&Trace],
    survey: &Survey,
    keys: &[Key],
    budget: &Budget,
    drafts: &mut Vec<Draft>,
) -> Result<(), OverBudget> {
    let names = survey.compared();
    let new = Pair { runs: 0, recorded: true, caused: true, apart: false, related: false };
    let _claim = budget.claim((names * names * size_of::<Pair>()) as u64, "comparing events")?;
    let mut all = Pairs {
        names,
        pairs: vec![new; names * names],
        parts: vec![SpanRole { starts: true, ends: true, leaf: true }; names],
    };
    let spans = runs.iter().any(|run| run.has_groups());
    for run in runs {
        all.add(run, survey, spans, budget)?;
    }
    for caused in [false, true] {
        let mut found = all.candidates(spans, caused, keys, runs.len());
        // The best first; of equal ones those that more runs have, then those that come first.
        found.sort_by_key(|&(score, first, then)| {
            (std::cmp::Reverse((score, all.pairs[first * names + then].runs)), first, then)
        });
        let mut chosen: Vec<(usize, usize)> = Vec::new();
        for (_, first, then) in found {
            // One more pair with the same event says little more.
            if chosen.len() < MOST_PAIRS && chosen.iter().all(|&(a, b)| a != first && b != then) {
                chosen.push((first, then));
            }
        }
        for (first, then) in chosen {
            let runs = all.pairs[first * names + then].runs;
            let (first, then) = (&survey.names[first].0, &survey.names[then].0);
            drafts.push(Draft {
                name: format!("{}_before_{}", word(first), word(then)),
                text: format!("precedence({}, {})", event(first), event(then)),
                why: Why::Order { first: first.clone(), then: then.clone(), runs, caused },
            });
        }
    }
    Ok(())
}

impl Pairs {
    /// Adds what one run says.
    fn add(&mut self, run: &Trace, survey: &Survey, spans: bool, budget: &Budget) -> Result<(), OverBudget> {
        let names = self.names;
        let words = names.div_ceil(64);
        let _claim = budget.claim((run.len() * words * 8) as u64, "comparing events")?;
        let place = |event: EventId| run.event_name(event).and_then(|name| survey.place(name));
        let family = Family::of(run);
        let mut past = vec![0u64; run.len() * words];
        // By name: what all of its events have in their past, and the first of them in the recorded order.
        let mut common = vec![u64::MAX; names * words];
        let mut firsts: Vec<Option<(usize, EventId)>> = vec![None; names];
        let mut related = vec![false; names * names];
        for (at, &event) in run.linearisation().iter().enumerate() {
            budget.step(words as u64, "comparing events")?;
            let before = run.position(event).checked_sub(1).map(|p| run.chain(run.process(event))[p]);
            for cause in run.causes(event).iter().copied().chain(before) {
                for w in 0..words {
                    past[event.index() * words + w] |= past[cause.index() * words + w];
                }
                if let Some(name) = place(cause) {
                    past[event.index() * words + name / 64] |= 1 << (name % 64);
                }
            }
            let Some(name) = place(event) else { continue };
            for w in 0..words {
                common[name * words + w] &= past[event.index() * words + w];
            }
            firsts[name].get_or_insert((at, event));
            let (process, chain) = (run.process(event), run.chain(run.process(event)));
            let part = &mut self.parts[name];
            part.starts &= run.position(event) == 0;
            part.ends &= chain.len() > 1 && chain.last() == Some(&event);
            part.leaf &= !family.has_children[process.index()];
            for ancestor in family.ancestors(process) {
                for other in run.chain(ancestor).iter().filter_map(|&e| place(e)) {
                    related[other * names + name] = true;
                }
            }
        }
        let group = |event: EventId| {
            let process = run.process(event);
            run.group(process).unwrap_or_else(|| run.process_name(process))
        };
        for then in 0..names {
            let Some((at, event)) = firsts[then] else { continue };
            for first in (0..names).filter(|&first| first != then) {
                let pair = &mut self.pairs[first * names + then];
                pair.runs += 1;
                pair.caused &= common[then * words + first / 64] >> (first % 64) & 1 == 1;
                pair.related |= related[first * names + then];
                match firsts[first] {
                    // Where no order was recorded, only causes tell.
                    Some((before, other)) => {
                        pair.recorded &= before < at && (run.observed().is_some() || pair.caused);
                        pair.apart |=
                            if spans { group(other) != group(event) } else { run.process(other) != run.process(event) };
                    }
                    None => pair.recorded = false,
                }
            }
        }
        Ok(())
    }

    /// Pairs that are worth a look, with how much.
    fn candidates(&self, spans: bool, caused: bool, keys: &[Key], runs: usize) -> Vec<(u32, usize, usize)> {
        let mut found = Vec::new();
        for first in 0..self.names {
            for then in (0..self.names).filter(|&then| then != first) {
                let pair = self.pairs[first * self.names + then];
                let (a, b) = (self.parts[first], self.parts[then]);
                let fits = if spans { a.ends && b.starts && !pair.related } else { pair.apart };
                if !(fits && pair.runs > 0 && pair.recorded && pair.caused == caused) {
                    continue;
                }
                let shares = keys.iter().any(|key| key.carriers.contains(&first) && key.carriers.contains(&then));
                let leaves = u32::from(spans && a.leaf) + u32::from(spans && b.leaf);
                // What only one of many runs has says little.
                let usual = u32::from(2 * pair.runs >= runs);
                found.push((2 * (u32::from(pair.apart) + u32::from(shares) + usual) + leaves, first, then));
            }
        }
        found
    }
}

/// Who called whom, of spans.
struct Family {
    parents: Vec<Option<ProcessId>>,
    has_children: Vec<bool>,
}

impl Family {
    fn of(run: &Trace) -> Self {
        let mut family =
            Self { parents: vec![None; run.process_count()], has_children: vec![false; run.process_count()] };
        for process in run.processes() {
            let Some(&start) = run.chain(process).first() else { continue };
            let calls = |reason: Reason| matches!(reason, Reason::Parent | Reason::Call | Reason::Message);
            let causes = run.causes(start).iter().zip(run.reasons(start));
            let parent = causes.filter(|(_, reason)| calls(*reason)).map(|(&cause, _)| run.process(cause)).next();
            family.parents[process.index()] = parent;
            if let Some(parent) = parent {
                family.has_children[parent.index()] = true;
            }
        }
        family
    }

    /// The callers of a span, the nearest first. Starts are ordered, so that this ends.
    fn ancestors(&self, process: ProcessId) -> impl Iterator<Item = ProcessId> {
        std::iter::successors(self.parents[process.index()], |above| self.parents[above.index()])
    }
}

/// Attributes that say how something went, and what they say if it went wrong.
const FAILURES: [(&str, &str); 4] =
    [("status", "error"), ("level", "error"), ("outcome", "failure"), ("result", "error")];

/// Proposes that nothing goes wrong, if something says when it does.
pub(super) fn failures(runs: &[&Trace], drafts: &mut Vec<Draft>) {
    for (attribute, value) in FAILURES {
        let value = Value::from(value);
        let failing = runs.iter().filter(|run| run.column(attribute).is_some_and(|c| c.values().contains(&value)));
        let failing = failing.count();
        if failing > 0 {
            drafts.push(Draft {
                name: format!("no_{}_{}", attribute, word(&value.to_string())),
                text: format!("absence(event(*, {attribute} == {value}))"),
                why: Why::Failure { attribute: attribute.to_owned(), value, runs: failing },
            });
        }
    }
}
