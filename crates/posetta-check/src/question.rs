//! One property on one trace: bound once, asked in stages.

use std::ops::Deref;
use std::sync::OnceLock;

use super::answer::{Answer, Stats};
use super::branching::OverCuts;
use super::determined::determined;
use super::instances::Instance;
use super::moment::{self, Met, Moment};
use super::runs::OverRuns;
use super::tie::{Tied, tie};
use super::vacuity::{Vacuity, vacuity};
use super::{Options, Plan, Search};
use posetta_base::{Budget, Diagnostic, Error, EventId, Kind, Mistakes, OverBudget, Verdict};
use posetta_logic::eval::parts::{self, Part};
use posetta_logic::eval::{self, Notes};
use posetta_logic::{Property, View, instances};
use posetta_trace::{Column, Trace};

/// Decides one property on one trace, and finds out what the options ask for.
///
/// # Errors
/// When the property does not fit the trace (an unknown variable, a type error, or CTL over unordered writes), or when there is a
/// defect. Limits are no errors here: they leave the answer open.
pub fn check(trace: &Trace, property: &Property, options: &Options, budget: &Budget) -> Result<Answer, Error> {
    let question = Question::new(trace, property, options.clone())?;
    let mut answer = question.decide(budget)?;
    if !options.verdict_only {
        question.complete(&mut answer, budget);
    }
    if options.explain {
        question.explain(&mut answer, budget)?;
    }
    if options.vacuity {
        answer.warnings.extend(question.vacuity(&answer, budget).warnings);
    }
    Ok(answer)
}

/// A property tied to a trace, which is borrowed, or shared as an `Arc`.
///
/// [`Self::decide`] gives an answer; each further stage adds to it, starting from what the stages before have found. Nothing is searched
/// twice. What single orders say is asked without any search.
///
/// ```
/// use posetta_base::{Budget, Verdict};
/// use posetta_check::{Options, Question, Runs};
///
/// let budget = Budget::unlimited();
/// let mut builder = posetta_trace::Builder::new();
/// for (process, variable) in [("A", "a"), ("B", "b")] {
///     let process = builder.process(process)?;
///     builder.event(process, 1)?;
///     let (variable, one) = (builder.variable(variable)?, builder.integer(1)?);
///     builder.assign(variable, one)?;
/// }
/// let trace = builder.finish(true, &budget)?;
/// let property = posetta_logic::Property::ltl("G (a == 1 -> b == 1)").unwrap();
/// let question = Question::new(&trace, &property, Options::default()).unwrap();
/// let mut answer = question.decide(&budget).unwrap();
/// assert!(matches!(answer.verdict, Verdict::Violated(_)));
/// assert_eq!(answer.runs(), Some(Runs::Unknown)); // nobody has asked yet
/// question.complete(&mut answer, &budget);
/// assert_eq!(answer.runs(), Some(Runs::Some));
/// # Ok::<(), posetta_base::Error>(())
/// ```
pub struct Question<'p, T> {
    trace: T,
    pub(super) property: &'p Property,
    pub(super) options: Options,
    pub(super) tied: Tied<'p>,
    /// The values of its instances, if it has any.
    each: Option<Column>,
    /// The instance that an answer is about.
    pub(super) shown: OnceLock<Instance<'p>>,
}

/// What one order, or a path of cuts, says of a property.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Replayed {
    /// Whether it satisfies a linear property, or what it proves about a branching one; `None` if it proves neither.
    pub holds: Option<bool>,
    /// Things worth knowing that change nothing.
    pub warnings: Vec<Diagnostic>,
}

impl<'p, T: Deref<Target = Trace>> Question<'p, T> {
    /// Ties a property to a trace.
    ///
    /// # Errors
    /// With every unknown variable and every type error.
    pub fn new(trace: T, property: &'p Property, options: Options) -> Result<Self, Mistakes> {
        let each = match instances(property, &trace, &options.known_elsewhere)? {
            // No event of this run has the attribute, though those of others have.
            None if property.each.is_some() => Some(Column::default()),
            each => each,
        };
        let tied = tie(property, &property.formula, &trace, &options.known_elsewhere)?;
        Ok(Self { trace, property, options, tied, each, shown: OnceLock::new() })
    }

    /// The trace; once a property with instances is decided, that of the instance that the answer is about.
    pub fn trace(&self) -> &Trace {
        self.subject().0
    }

    /// The whole trace, whatever the answer is about.
    pub(super) fn trace_of_all(&self) -> &Trace {
        &self.trace
    }

    /// Whether there is something to say more of: of a property with instances, if one is shown.
    fn is_about_something(&self) -> bool {
        self.each.is_none() || self.shown.get().is_some()
    }

    /// What an answer is about.
    fn subject(&self) -> (&Trace, &Tied<'p>) {
        match self.shown.get() {
            None => (&self.trace, &self.tied),
            Some(instance) => (&instance.trace, instance.tied.as_ref().unwrap_or(&self.tied)),
        }
    }

    /// The property.
    pub fn property(&self) -> &'p Property {
        self.property
    }

    /// About how many bytes it keeps beside the trace and the property, with an answer, for [`Budget::claim`]: for whoever lets many wait
    /// between two stages.
    #[must_use]
    pub fn weight(&self, answer: &Answer) -> u64 {
        answer.weight() + self.tied.weight()
    }

    /// The verdict. If the trace's own order settles it, no other order is looked at.
    ///
    /// # Errors
    /// When the property is branching and writes to its variables are unordered, or when there is a defect.
    pub fn decide(&self, budget: &Budget) -> Result<Answer, Error> {
        self.decide_on(&self.trace, true, budget)
    }

    /// The same on a run with the same events and other edges. `shows`: what is found out is for people, too.
    pub(super) fn decide_on(&self, trace: &Trace, shows: bool, budget: &Budget) -> Result<Answer, Error> {
        match &self.each {
            Some(column) => self.decide_each(trace, column, shows, budget),
            None => Stages::new(self.property, trace, &self.tied, &self.options, budget).decide(self.warnings()),
        }
    }

    /// How many runs satisfy a linear property, where [`Self::decide`] left that open: looks for one that differs from the one that settled
    /// the verdict. A limit leaves it open.
    pub fn complete(&self, answer: &mut Answer, budget: &Budget) {
        if let (Stages::Runs(runs), true) = (self.stages(budget), self.is_about_something()) {
            runs.complete(answer);
        }
    }

    /// Why a linear property is violated that asks for every order; comes after [`Self::complete`], because what would have prevented the violation is found along an
    /// order that satisfies the property. The witness becomes the closest one that is found.
    ///
    /// # Errors
    /// When there is a defect.
    pub fn explain(&self, answer: &mut Answer, budget: &Budget) -> Result<(), Error> {
        match self.stages(budget) {
            Stages::Runs(runs) if self.is_about_something() => runs.explain(answer),
            Stages::Runs(_) | Stages::Cuts(_) => Ok(()),
        }
    }

    /// What a property that holds waits for in vain; nothing for one that does not.
    #[must_use]
    pub fn vacuity(&self, answer: &Answer, budget: &Budget) -> Vacuity {
        match answer.verdict {
            // What never comes in one instance may come in another.
            _ if self.each.is_some() => Vacuity::default(),
            Verdict::Holds => vacuity(&self.trace, self.property, &self.options, &answer.stats, budget),
            Verdict::Violated(_) | Verdict::Unknown(_) => Vacuity::default(),
        }
    }

    /// What [`Self::decide`] will do, without doing it.
    ///
    /// # Errors
    /// With the mistakes that [`Self::decide`] would answer with, or when the budget is spent.
    pub fn plan(&self, budget: &Budget) -> Result<Plan, Error> {
        let mut stats = Stats::default();
        // Of a property with instances, as for the first.
        let first = match self.each.as_ref().and_then(|column| Some((column, column.values().first()?))) {
            Some((column, value)) => Some(Instance::alone(&self.trace, &self.tied, column, value, budget)?),
            None => None,
        };
        let (trace, tied) = match &first {
            Some(first) => (&*first.trace, first.tied.as_ref().unwrap_or(&self.tied)),
            None => self.subject(),
        };
        let (search, (parts, as_branching)) = match Stages::new(self.property, trace, tied, &self.options, budget) {
            Stages::Runs(runs) => (Search::Runs, runs.plan(&mut stats)?),
            Stages::Cuts(cuts) => {
                cuts.plan(&mut stats)?;
                (Search::Cuts, (1, 0))
            }
        };
        Ok(Plan {
            engine: stats.engine,
            search,
            events: trace.len() as u64,
            relevant_events: stats.relevant_events,
            parts,
            as_branching,
            width: stats.width,
            warnings: self.warnings(),
        })
    }

    /// What one order says, or for a branching property a path, by definition. No engine takes part, but for the automaton of a formula of
    /// M2L on an order that is too long for trying all values. Whether it is an order of the trace at all is for
    /// [`first_misplaced`](posetta_trace::first_misplaced) to say.
    ///
    /// # Errors
    /// When a path has no meaning because writes are unordered, or when the budget is spent.
    pub fn replay(&self, order: &[EventId], budget: &Budget) -> Result<Replayed, Error> {
        let (trace, tied) = self.subject();
        let notes = &mut Notes::default();
        let holds = match tied {
            Tied::Linear(tied) => {
                let word = tied.word(trace, order, notes, budget)?;
                match tied.by_definition(&word, budget)? {
                    None => Some(tied.bound(budget)?.formula.holds(&word, budget)?),
                    holds => holds,
                }
            }
            Tied::Branching(tied) => {
                // A cut has no state if it depends on the path to it; such a property is refused, so its paths prove nothing.
                determined(trace, self.property, &tied.bound, budget)?;
                let word = eval::word(trace, &tied.bound, order, View::States, notes, budget)?;
                eval::on_path(&tied.bound.formula, &word, order.len() == trace.len())
            }
        };
        let mut warnings = self.warnings();
        note(&mut warnings, self.property, notes);
        Ok(Replayed { holds, warnings })
    }

    /// Where it shows that an order violates a linear property, or that a path proves what it proves about a branching one. `None` if
    /// an order satisfies the property, or where it would cost too much to say.
    #[must_use]
    pub fn moment(&self, order: &[EventId]) -> Option<Moment> {
        match self.subject() {
            (trace, Tied::Linear(tied)) => moment::of_run(tied, trace, order),
            (trace, Tied::Branching(tied)) => Some(Moment::At(moment::of_path(tied, trace, order))),
        }
    }

    /// How often a match that `eventually! r` waits for ends along an order; `None` for other properties, where there is none, and where it
    /// would cost too much to say.
    #[must_use]
    pub fn met(&self, order: &[EventId]) -> Option<Met> {
        match self.subject() {
            (trace, Tied::Linear(tied)) => moment::met(tied, trace, order),
            (_, Tied::Branching(_)) => None,
        }
    }

    /// The parts of the property along an order or a path, and where each is true.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn parts(&self, order: &[EventId], budget: &Budget) -> Result<Vec<Part>, OverBudget> {
        let (trace, tied) = self.subject();
        let notes = &mut Notes::default();
        match tied {
            Tied::Linear(tied) => tied.parts(&tied.word(trace, order, notes, budget)?, budget),
            Tied::Branching(tied) => {
                let word = eval::word(trace, &tied.bound, order, View::States, notes, budget)?;
                let complete = order.len() == trace.len();
                parts::of_ctl(tied.formula, &tied.bound.formula, &word, complete, budget)
            }
        }
    }

    fn stages<'q>(&'q self, budget: &'q Budget) -> Stages<'q> {
        let (trace, tied) = self.subject();
        Stages::new(self.property, trace, tied, &self.options, budget)
    }

    /// What is worth knowing before anything is decided.
    pub(super) fn warnings(&self) -> Vec<Diagnostic> {
        let none = self.trace.is_empty().then(|| Diagnostic::new(Kind::NoEvents, "this run has no events"));
        self.property.warnings.iter().chain(self.tied.warnings()).cloned().chain(none).collect()
    }
}

pub(super) enum Stages<'q> {
    Runs(OverRuns<'q>),
    Cuts(OverCuts<'q>),
}

impl<'q> Stages<'q> {
    /// The stages of a property on a trace, or of an instance on its own.
    pub(super) fn new(
        property: &'q Property,
        trace: &'q Trace,
        tied: &'q Tied<'_>,
        options: &'q Options,
        budget: &'q Budget,
    ) -> Self {
        match tied {
            Tied::Linear(tied) => Self::Runs(OverRuns::new(trace, property, tied, options, budget)),
            Tied::Branching(tied) => Self::Cuts(OverCuts { trace, property, tied, options, budget }),
        }
    }

    pub(super) fn decide(&self, warnings: Vec<Diagnostic>) -> Result<Answer, Error> {
        match self {
            Self::Runs(runs) => runs.decide(warnings),
            Self::Cuts(cuts) => cuts.decide(warnings),
        }
    }
}

/// Adds what was noted, once.
pub(super) fn note(warnings: &mut Vec<Diagnostic>, property: &Property, notes: &Notes) {
    if notes.division_by_zero {
        let warning = property.division_by_zero();
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
}

/// A witness that does not replay would be a defect of this program, never of the input; it is not shown.
pub(super) fn defect(property: &Property) -> Error {
    Error::defect(format!("a witness for `{}` does not replay", property.formula), "the run and the property")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Runs;
    use posetta_base::Limit;
    use posetta_logic::read_props;
    use posetta_trace::Builder;

    /// A run of one process whose events assign the values to x, one after another, from 0.
    fn run(values: &[i64]) -> Trace {
        let mut builder = Builder::new();
        let (p, x) = (builder.process("P").unwrap(), builder.variable("x").unwrap());
        for &value in values {
            builder.event(p, 1).unwrap();
            let value = builder.integer(value).unwrap();
            builder.assign(x, value).unwrap();
        }
        builder.finish(true, &Budget::unlimited()).unwrap()
    }

    fn property(text: &str) -> Property {
        read_props(text).unwrap().remove(0)
    }

    #[test]
    fn every_logic_is_asked_in_the_same_words() {
        use Moment::{At, Waits};
        let trace = run(&[1, 2, 3]);
        let budget = Budget::unlimited();
        // What the order says, where it shows, and the first parts: of those with depth 0 the formula, `T` where it is true.
        for (text, holds, moment, parts) in [
            ("property p = ltl G (x < 2)", Some(false), Some(At(2)), "G (x < 2) ....|x < 2 TT.."),
            ("property p = ltl F (x == 4)", Some(false), Some(Waits(0)), "F (x == 4) ....|x == 4 ...."),
            ("property p = psl always x < 9", Some(true), None, "always (x < 9) TTTT|x < 9 TTTT"),
            // Of the beginnings of the word: true where no position so far has x = 2.
            (
                "property p = m2l ~ex1 p: p in `x == 2`",
                Some(false),
                Some(At(2)),
                "~(ex1 p: p in `x == 2`) TT..|x == 2 ..T.",
            ),
            ("property p = m2l ex1 p: p in `x == 2`", Some(true), None, "ex1 p: p in `x == 2` ..TT|x == 2 ..T."),
            (
                "property p = m2l ex1 p, q: p < q & p in `x == 1` & q notin `x < 3`",
                Some(true),
                None,
                "ex1 p, q: p < q & p in `x == 1` & q notin `x < 3` ...T|x == 1 .T..|x < 3 TTT.",
            ),
            ("monitor m over states { initial a; bad b; a -> b: x == 1 }", Some(false), Some(At(1)), "a T...|b .TTT"),
            ("property p = ctl EF (x == 2)", Some(true), Some(At(2)), "EF (x == 2) TTT.|x == 2 ..T."),
            ("property p = ctl AF (x == 4)", Some(false), Some(At(3)), "AF (x == 4) ....|x == 4 ...."),
        ] {
            let property = property(text);
            let question =
                Question::new(&trace, &property, Options::default()).unwrap_or_else(|e| panic!("{text}: {e:?}"));
            let order = trace.linearisation();
            assert_eq!(question.replay(order, &budget).unwrap().holds, holds, "{text}");
            assert_eq!(question.moment(order), moment, "{text}");
            let marks =
                |part: &Part| (0..4).map(|i| if part.at(i) == Some(true) { 'T' } else { '.' }).collect::<String>();
            let told: Vec<String> = question
                .parts(order, &budget)
                .unwrap()
                .iter()
                .map(|part| format!("{} {}", part.formula, marks(part)))
                .collect();
            assert_eq!(told.join("|"), parts, "{text}");
        }
    }

    #[test]
    fn a_limit_in_the_first_stage_is_said_as_unknown() {
        let trace = run(&[1, 2, 3]);
        let budget = Budget::unlimited();
        budget.stop_handle().raise(Limit::Time);
        for text in ["property p = ltl G (x < 2)", "property p = m2l ex1 p: p in `x == 2`"] {
            let property = property(text);
            let question = Question::new(&trace, &property, Options::default()).unwrap();
            let mut answer = question.decide(&budget).unwrap();
            assert!(matches!(answer.verdict, Verdict::Unknown(_)), "{text}: {:?}", answer.verdict);
            assert!(answer.stopped.is_some());
            // There is nothing to go on with.
            question.complete(&mut answer, &Budget::unlimited());
            question.explain(&mut answer, &Budget::unlimited()).unwrap();
            assert_eq!((answer.runs(), answer.why()), (Some(Runs::Unknown), None), "{text}");
        }
    }
}
