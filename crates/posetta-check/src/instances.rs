//! A property with an instance for each value: each is decided on the run projected on the events that have the value.
//!
//! The property is bound once, to the whole run: names, values and attributes are the same in every projection. Only where a condition on
//! variables mentions the value it is put in for each instance, so that it is a constant there. The automaton of a formula of M2L is made
//! once; those of the others are made as far as a search asks, which for a run of few orders is not at all. The projections come from one
//! pass over the run, and an instance costs what its own events cost.

use std::ops::{Deref, Range};
use std::panic::resume_unwind;
use std::sync::Arc;

use super::answer::{Answer, Found, Instances, LinearAnswer, Runs, Stats};
use super::pairs::{self, Pairs};
use super::question::{Question, Stages};
use super::tie::Tied;
use super::{BranchingAnswer, Options};
use posetta_base::{Budget, Error, OverBudget, Value, Verdict};
use posetta_logic::{Formula, Property};
use posetta_trace::{Column, Projections, Trace};

const WHAT: &str = "deciding the instances";

/// So many instances are worth a thread.
const FEW: usize = 256;

/// An instance of a property.
pub(super) struct Instance<'p> {
    pub(super) value: Value,
    /// The second value, if it is about two.
    with: Option<Value>,
    pub(super) trace: Arc<Trace>,
    /// If the value had to be put in.
    pub(super) tied: Option<Tied<'p>>,
}

impl<'p> Instance<'p> {
    fn new(
        tied: &Tied<'p>,
        value: &Value,
        projections: &Projections<'_>,
        key: usize,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        let trace = Arc::new(projections.trace(key, budget)?);
        Ok(Self { value: value.clone(), with: None, trace, tied: tied.about(value) })
    }
}

impl<'p> Instance<'p> {
    /// The instance of a value by itself.
    pub(super) fn alone(
        trace: &Trace,
        tied: &Tied<'p>,
        column: &Column,
        value: &Value,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        let of_value = |event| column.value(event).filter(|own| *own == value).map(|_| 0);
        Self::new(tied, value, &Projections::new(trace, 1, of_value, budget)?, 0, budget)
    }
}

impl<'p, T: Deref<Target = Trace>> Question<'p, T> {
    /// Decides every instance, and keeps the first one that is violated; if none is, the first that is not known. Threads take stretches of
    /// the values; what comes out does not depend on them.
    pub(super) fn decide_each(
        &self,
        trace: &Trace,
        column: &Column,
        shows: bool,
        budget: &Budget,
    ) -> Result<Answer, Error> {
        let values = column.values();
        let second = self.property.each.as_ref().and_then(|each| each.second.as_deref());
        let total = if second.is_some() { pairs::count(values.len()) } else { values.len() };
        // An event is in as many pairs as there are values; it counts in each.
        let mut whole = Whole::new(self.property, total, if second.is_some() { 0 } else { trace.len() });
        let prepared = Projections::new(trace, values.len(), |e| column.place(e), budget).and_then(|projections| {
            let pairs = second.map(|second| Pairs::new(trace, second, &self.tied, budget)).transpose()?;
            Ok((projections, pairs))
        });
        let (projections, pairs) = match prepared {
            Ok(prepared) => prepared,
            Err(over) => return Ok(whole.stopped(over, self.warnings())),
        };
        let threads = self.options.threads.clamp(1, total.div_ceil(FEW).max(1));
        let stretch = total.div_ceil(threads).max(1);
        let options = self.options.clone().counts(false).threads(1);
        let (property, tied) = (self.property, &self.tied);
        let (projections, pairs) = (&projections, pairs.as_ref());
        let asked = Asked { property, tied, values, projections, pairs, options: &options, budget };
        let parts: Vec<Result<Stretch<'p>, Error>> = std::thread::scope(|scope| {
            let part = |from: usize| {
                let (asked, to) = (&asked, (from + stretch).min(total));
                move || asked.decide(from..to)
            };
            let others: Vec<_> = (1..threads).map(|i| scope.spawn(part((i * stretch).min(total)))).collect();
            let first = part(0)();
            let others = others.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
            [first].into_iter().chain(others).collect()
        });
        let mut kept: Option<(Instance<'p>, Answer)> = None;
        for part in parts {
            let part = part?;
            whole.add(part.whole);
            let is_better = |old: &(Instance<'_>, Answer), new: &(Instance<'_>, Answer)| {
                matches!((&old.1.verdict, &new.1.verdict), (Verdict::Unknown(_), Verdict::Violated(_)))
            };
            if let Some(new) = part.kept
                && kept.as_ref().is_none_or(|old| is_better(old, &new))
            {
                kept = Some(new);
            }
        }
        Ok(match kept {
            Some((instance, answer)) => {
                let (value, with) = (instance.value.clone(), instance.with.clone());
                if shows {
                    // Whoever was first has the same.
                    let _ = self.shown.set(instance);
                }
                whole.with(answer, (value, with), self.warnings())
            }
            None => whole.without(self.warnings()),
        })
    }
}

/// What is asked of every instance.
struct Asked<'a, 'p> {
    property: &'p Property,
    tied: &'a Tied<'p>,
    values: &'a [Value],
    projections: &'a Projections<'a>,
    /// If there is an instance for every two values.
    pairs: Option<&'a Pairs>,
    options: &'a Options,
    budget: &'a Budget,
}

impl<'p> Asked<'_, 'p> {
    /// The instance of a value, or of two.
    fn instance(&self, key: usize) -> Result<Instance<'p>, OverBudget> {
        let Self { tied, values, projections, pairs, budget, .. } = *self;
        let Some(pairs) = pairs else { return Instance::new(tied, &values[key], projections, key, budget) };
        let (a, b) = pairs::pair(key, values.len());
        let trace = Arc::new(pairs.trace(projections, (a, b), budget)?);
        let (value, with) = (values[a].clone(), values[b].clone());
        let tied = Some(pairs.tied(tied, &trace, (&value, &with)));
        Ok(Instance { value, with: Some(with), trace, tied })
    }

    /// Decides the instances of a stretch of the values.
    fn decide(&self, keys: Range<usize>) -> Result<Stretch<'p>, Error> {
        let Self { property, tied, options, budget, .. } = *self;
        let mut whole = Whole::new(property, 0, 0);
        let mut kept: Option<(Instance<'p>, Answer)> = None;
        for key in keys.clone() {
            let instance = budget.step(1, WHAT).and_then(|()| self.instance(key));
            let instance = match instance {
                Ok(instance) => instance,
                Err(over) => {
                    whole.over.get_or_insert(over);
                    whole.instances.unknown += (keys.end - key) as u64;
                    break;
                }
            };
            let own = instance.tied.as_ref().unwrap_or(tied);
            let answer = Stages::new(property, &instance.trace, own, options, budget).decide(Vec::new())?;
            whole.count(&answer, &instance);
            let is_wanted = match (&answer.verdict, kept.as_ref().map(|(_, old)| &old.verdict)) {
                (Verdict::Holds, _) | (_, Some(Verdict::Violated(_))) | (Verdict::Unknown(_), Some(_)) => false,
                (Verdict::Violated(_) | Verdict::Unknown(_), _) => true,
            };
            if is_wanted {
                kept = Some((instance, answer));
            }
        }
        Ok(Stretch { whole, kept })
    }
}

/// What became of some of the instances.
struct Stretch<'p> {
    whole: Whole<'p>,
    kept: Option<(Instance<'p>, Answer)>,
}

/// What is known of all instances.
struct Whole<'p> {
    property: &'p Property,
    instances: Instances,
    stats: Stats,
    /// The first limit.
    over: Option<OverBudget>,
}

impl<'p> Whole<'p> {
    fn new(property: &'p Property, total: usize, events: usize) -> Self {
        let stats = Stats { events: events as u64, ..Stats::default() };
        Self { property, instances: Instances { total: total as u64, ..Instances::default() }, stats, over: None }
    }

    /// Adds what is known of the values after these.
    fn add(&mut self, part: Self) {
        self.instances.violated += part.instances.violated;
        self.instances.unknown += part.instances.unknown;
        self.instances.failing.extend(part.instances.failing);
        self.instances.failing_with.extend(part.instances.failing_with);
        self.over = self.over.or(part.over);
        self.tally(&part.stats);
    }

    fn count(&mut self, answer: &Answer, instance: &Instance<'_>) {
        match &answer.verdict {
            Verdict::Holds => {}
            Verdict::Violated(_) => {
                self.instances.violated += 1;
                self.instances.failing.push(instance.value.clone());
                self.instances.failing_with.extend(instance.with.clone());
            }
            Verdict::Unknown(over) => {
                self.instances.unknown += 1;
                self.over.get_or_insert(*over);
            }
        }
        self.tally(&answer.stats);
    }

    fn tally(&mut self, one: &Stats) {
        let all = &mut self.stats;
        all.configurations += one.configurations;
        all.covered += one.covered;
        all.nodes += one.nodes;
        all.relevant_events += one.relevant_events;
        if self.property.each.as_ref().is_some_and(|each| each.second.is_some()) {
            all.events += one.events;
        }
        all.width = all.width.max(one.width);
        if !one.engine.is_empty() {
            all.engine = one.engine;
        }
    }

    fn blank(&self) -> Found {
        match self.property.formula {
            Formula::Ctl(_) => Found::Branching(BranchingAnswer::default()),
            _ => Found::Linear(LinearAnswer {
                runs: Runs::Unknown,
                observed: None,
                quantifier: self.property.quantifier,
                why: None,
                satisfying: None,
            }),
        }
    }

    /// Nothing was decided.
    fn stopped(mut self, over: OverBudget, warnings: Vec<posetta_base::Diagnostic>) -> Answer {
        self.instances.unknown = self.instances.total;
        self.over = Some(over);
        self.without(warnings)
    }

    /// There is no instance to show.
    fn without(self, warnings: Vec<posetta_base::Diagnostic>) -> Answer {
        let verdict = self.over.map_or(Verdict::Holds, Verdict::Unknown);
        let found = self.blank();
        Answer { verdict, stopped: self.over, warnings, stats: self.stats, found, instances: Some(self.instances) }
    }

    /// The answer of an instance stands for all.
    fn with(
        mut self,
        answer: Answer,
        (value, with): (Value, Option<Value>),
        mut warnings: Vec<posetta_base::Diagnostic>,
    ) -> Answer {
        warnings.extend(answer.warnings);
        (self.instances.shown, self.instances.shown_with) = (Some(value), with);
        let stopped = self.over.or(answer.stopped);
        Answer { stopped, warnings, stats: self.stats, instances: Some(self.instances), ..answer }
    }
}
