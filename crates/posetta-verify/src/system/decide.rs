//! One spec after the other, by the engine that was asked for, or by whichever takes the least effort.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::endless::Endless;
use super::judge::Judge;
use super::reduce::{Reduced, at_most, is_unreachable};
use super::sets::{self, Made, Sets};
use super::states::States;
use super::{Answer, Engine, Findings, Options, Stats, bounds};
use crate::question::{Known, Progress, Work, question};
use crate::race::{Desk, Racer, race, race_within};
use posetta_base::{Budget, Diagnostic, Error, Kind, Limit, OverBudget, Verdict};
use posetta_logic::Compare;
use posetta_model::system::{Behaviour, Component, Demand, Predicate, Spec, System};

question! {
    /// A system and what is asked about it, tied together once.
    ///
    /// [`advance`](Self::advance) goes on until one more thing is known, [`decide`](Self::decide) to the end.
    Specs
}

/// So many steps are made to answer a question about a net without a bound by a smaller one, which may have one.
const SMALLER: u64 = 2_000_000;

/// So many steps are made to find as many tokens as a proof allows.
const SHORT: u64 = 50_000;

/// One spec after the other; then, if it is wanted, all states.
struct Specs<'a> {
    system: &'a System,
    specs: &'a [Spec],
    options: Options,
    next: Next,
    /// Engines that have begun, for one budget.
    engines: Option<Engines>,
    /// There is no bound on tokens.
    endless: bool,
    /// Why some of the specs so far have no answer: too many tokens. Refused is the system only if none has one.
    too_many: Option<Error>,
    /// The effort that smaller nets have taken, and how much of it the engines were last given to know all states instead.
    smaller: u64,
    given: u64,
}

/// What comes next.
#[derive(Clone, Copy)]
enum Next {
    /// Whether there is a bound on tokens, where that can be seen at once.
    Bounds,
    /// The spec at this place, and those after it.
    Spec(usize),
    Done,
}

impl<'a> Question<'a> {
    /// Ties specs to a system.
    #[must_use]
    pub fn new(system: &'a System, specs: &'a [Spec], options: Options) -> Self {
        Self(Progress::new(
            Specs {
                system,
                specs,
                options,
                next: Next::Bounds,
                engines: None,
                endless: false,
                too_many: None,
                smaller: 0,
                given: 0,
            },
            specs.len(),
        ))
    }
}

impl Specs<'_> {
    /// Says that there is no bound, and goes on without the engines that need one.
    fn found_endless(&mut self, why: Diagnostic, known: &mut Known<Answer, Findings>) {
        (self.endless, self.engines) = (true, None);
        let mut findings = Findings { warnings: self.system.warnings.clone(), ..Findings::default() };
        findings.warnings.push(why);
        known.found(findings);
    }

    /// Answers what is open about a system without a bound, and finds out which places have one.
    fn answer_endless(&self, from: usize, known: &mut Known<Answer, Findings>, budget: &Budget) -> Result<(), Error> {
        let judge = Judge { system: self.system, options: &self.options, budget };
        let mut endless = Endless::new(judge)?;
        for (place, spec) in self.specs.iter().enumerate().skip(from) {
            let answer = match self.by_smaller_net(spec, &budget.part(budget.memory_left() / 2, SMALLER), true) {
                Ok(Some(answer)) => Ok(answer),
                // What is left may be too much where the coverability graph is not.
                Ok(None) | Err(Error::OverBudget(_)) => {
                    endless.answer(spec).and_then(|answer| judge.judged(spec, answer))
                }
                Err(failure) => Err(failure),
            };
            match answer {
                Ok(answer) => known.state(place, answer),
                // Each question is unknown by itself, unless the budget itself is spent.
                Err(Error::OverBudget(over)) if budget.step(0, over.what).is_ok() => {
                    known.state(place, Answer::new(Verdict::Unknown(over)));
                }
                Err(failure) if is_too_many(&failure) => known.state(place, too_many_tokens()),
                Err(failure) => return Err(failure),
            }
        }
        if self.options.explore {
            let mut findings = endless.explore();
            findings.warnings = known.findings().map(|found| found.warnings.clone()).unwrap_or_default();
            known.found(findings);
        }
        Ok(())
    }

    /// The answer to a spec. A small system is asked as it is: what is found out about its states is there for the other specs, too. So it is with a
    /// larger one if there are many specs: whenever smaller nets have taken twice as much effort as before, half of that goes to the whole.
    fn told(&mut self, place: usize, budget: &Budget) -> Result<Told, Error> {
        let spec = &self.specs[place];
        if let Some(effort) = self.options.reduce
            && self.options.engine != Engine::Modular
            && (effort == 0
                || matches!(
                    spec.demand,
                    Demand::Reach(_) | Demand::Invariant(_) | Demand::NoDeadlock | Demand::Bound(_)
                ))
        {
            // Only nets are made smaller.
            let is_net = matches!(self.system.components.as_slice(), [Component { behaviour: Behaviour::Net(_), .. }]);
            if effort > 0 && is_net && self.smaller / 2 > self.given.max(effort) {
                self.given = self.smaller;
                let most = self.smaller / 2;
                if let Some(told) = self.engines(budget).told_within(Job::Spec(place), most)? {
                    return Ok(told);
                }
            }
            let engines = self.engines(budget);
            if !engines.knows_all() {
                if let Some(told) = engines.briefly(Job::Spec(place), effort) {
                    return told;
                }
                self.smaller += effort;
            }
            // Where all states are known, the answer is nearly there.
            if !self.engines(budget).knows_all() {
                let (part, turns) = budget.in_turns(u64::MAX);
                turns.grant(u64::MAX);
                let answer = self.by_smaller_net(spec, &part, effort == 0);
                self.smaller += turns.spent();
                if let Some(answer) = answer? {
                    return Ok(Told::answer(answer));
                }
            }
        }
        self.engines(budget).told(Job::Spec(place))
    }

    /// The answer by a proof that needs no states, or by those of a smaller net; by one that is hardly smaller only if `always`.
    fn by_smaller_net(&self, spec: &Spec, budget: &Budget, always: bool) -> Result<Option<Answer>, Error> {
        if self.options.reduce.is_none() {
            return Ok(None);
        }
        let judge = Judge { system: self.system, options: &self.options, budget };
        let reduced = Reduced::new(self.system, &spec.demand, budget)?;
        let (system, demand) = reduced.as_ref().map_or((self.system, &spec.demand), |r| (&r.system, &r.demand));
        let size = reduced.as_ref().map(Reduced::size);
        if is_unreachable(system, demand, budget)? {
            let answer = match spec.demand {
                Demand::Reach(_) => Answer::provided(None),
                _ => Answer::holds(None),
            };
            let stats = Stats { engine: Engine::Equation, reduced: size, ..Stats::default() };
            return Ok(Some(Answer { stats, ..answer }));
        }
        let options = Options { reduce: None, explore: false, ..self.options.clone() };
        if let Demand::Bound(slots) = demand
            && let Some(most) = reached_bound(system, slots, &options, budget)?
        {
            let stats = Stats { engine: Engine::Equation, reduced: size, ..Stats::default() };
            return Ok(Some(Answer { stats, ..Answer::number(most.into()) }));
        }
        let Some(reduced) = reduced.filter(|reduced| always || reduced.is_much_smaller()) else { return Ok(None) };
        let specs = [Spec { demand: reduced.demand.clone(), ..spec.clone() }];
        let mut question = Question::new(&reduced.system, &specs, options);
        match question.decide(budget) {
            Ok(()) => {}
            // More tokens than can be counted, in the smaller net: the system itself is asked.
            Err(Error::Invalid(_)) => return Ok(None),
            Err(failure) => return Err(failure),
        }
        let over = question.over();
        let Some(mut answer) = question.answer(0).cloned() else {
            return over.map_or(Ok(None), |over| Err(over.into()));
        };
        if matches!(answer.verdict, Verdict::Unknown(_)) {
            return Ok(None);
        }
        let shown = match &mut answer.verdict {
            Verdict::Violated(run) => run,
            Verdict::Holds | Verdict::Unknown(_) => &mut answer.support,
        };
        if let Some(run) = shown {
            let spelt = reduced.spelt(self.system, run);
            if spelt.is_none() && !self.endless {
                return Ok(None);
            }
            *shown = spelt;
        }
        answer.stats.reduced = size;
        judge.judged(spec, answer).map(Some)
    }

    /// The engines that work with this budget.
    fn engines(&mut self, budget: &Budget) -> &mut Engines {
        if self.engines.as_ref().is_some_and(|engines| !engines.budget.is(budget)) {
            self.engines = None;
        }
        self.engines.get_or_insert_with(|| {
            let asked = Asked {
                system: self.system.clone(),
                specs: self.specs.to_vec(),
                options: self.options.clone(),
                too_large: AtomicBool::new(false),
                listed: AtomicBool::new(false),
                gathered: AtomicBool::new(false),
            };
            Engines { asked: Arc::new(asked), budget: budget.clone(), racers: Vec::new(), too_large: false }
        })
    }
}

impl Work for Specs<'_> {
    type Answer = Answer;
    type Findings = Findings;

    fn advance(&mut self, known: &mut Known<Answer, Findings>, budget: &Budget) -> Result<bool, Error> {
        match self.next {
            Next::Bounds => {
                if let Some(why) = bounds::unbounded(self.system, budget)? {
                    self.found_endless(why, known);
                }
                self.next = Next::Spec(0);
            }
            Next::Spec(place) if self.endless => {
                self.next = Next::Done;
                self.answer_endless(place, known, budget)?;
            }
            Next::Spec(place) if place < self.specs.len() => {
                let told = self.told(place, budget);
                if let Some(why) = told.as_ref().err().and_then(no_bound) {
                    self.found_endless(why, known);
                    return Ok(true);
                }
                self.next = Next::Spec(place + 1);
                match told {
                    Ok(told) => known.state(place, told.answer),
                    // The others may take less.
                    Err(Error::OverBudget(over)) => known.state(place, Answer::new(Verdict::Unknown(over))),
                    Err(failure) if is_too_many(&failure) => _ = self.too_many.get_or_insert(failure),
                    Err(failure) => return Err(failure),
                }
            }
            Next::Spec(_) => {
                if let Some(failure) = self.too_many.take() {
                    let open = known.open();
                    if open.len() == self.specs.len() {
                        return Err(failure);
                    }
                    open.into_iter().for_each(|place| known.state(place, too_many_tokens()));
                }
                if self.options.explore {
                    let told = self.engines(budget).told(Job::Explore);
                    self.engines = None;
                    if let Some(why) = told.as_ref().err().and_then(no_bound) {
                        self.found_endless(why, known);
                        return Ok(true);
                    }
                    self.next = Next::Done;
                    known.found(told?.findings);
                }
                self.next = Next::Done;
            }
            Next::Done => {
                self.engines = None;
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// How many tokens some places can have together, if a proof says how many they cannot exceed, and a short search finds a state with as many.
fn reached_bound(system: &System, slots: &[u32], options: &Options, budget: &Budget) -> Result<Option<u64>, Error> {
    let Some(most) = at_most(system, slots, budget)? else { return Ok(None) };
    let Ok(bound) = i64::try_from(most) else { return Ok(None) };
    let terms = slots.iter().map(|&slot| (slot, 1)).collect();
    let specs = [Spec::plain("bound", Demand::Reach(Predicate::Linear(terms, Compare::Ge, bound)))];
    let part = budget.part(budget.memory_left() / 2, SHORT);
    let mut question = Question::new(system, &specs, options.clone());
    question.decide(&part)?;
    // Only the part is spent.
    budget.step(0, "looking for as many tokens as there can be")?;
    let reached = question.answer(0).is_some_and(|answer| answer.verdict == Verdict::Holds);
    Ok(reached.then_some(most))
}

/// What an engine says of a system whose tokens it has seen to grow forever.
fn no_bound(failure: &Error) -> Option<Diagnostic> {
    match failure {
        Error::Invalid(all) => all.iter().find(|why| why.kind == Kind::Unbounded).cloned(),
        _ => None,
    }
}

/// Whether a place would have got more tokens than can be counted.
fn is_too_many(failure: &Error) -> bool {
    matches!(failure, Error::Invalid(all) if all.iter().all(|why| why.kind == Kind::TooLarge))
}

/// The answer to a question for which there are too many: others may do with fewer.
fn too_many_tokens() -> Answer {
    Answer::new(Verdict::Unknown(OverBudget::new("counting the tokens of a place", Limit::Digits)))
}

/// What engines work on, in threads of their own.
struct Asked {
    system: System,
    specs: Vec<Spec>,
    options: Options,
    /// The last one who made the set of all states, as diagrams, had no room for it.
    too_large: AtomicBool,
    /// All states are listed, one by one.
    listed: AtomicBool,
    /// The set of all states is there, as a diagram.
    gathered: AtomicBool,
}

/// What an engine has to do.
#[derive(Clone, Copy)]
enum Job {
    /// The spec at this place.
    Spec(usize),
    /// What is true whatever is claimed.
    Explore,
}

/// What it says: one of the two, by the job.
struct Told {
    answer: Answer,
    findings: Findings,
}

impl Told {
    fn answer(answer: Answer) -> Self {
        Self { answer, findings: Findings::default() }
    }

    fn findings(findings: Findings) -> Self {
        Self { answer: Answer::new(Verdict::Holds), findings }
    }
}

/// The engines, with the budget that they work with.
struct Engines {
    asked: Arc<Asked>,
    budget: Budget,
    /// Those that have begun. Two at most.
    racers: Vec<(Engine, Racer<Job, Told>)>,
    /// Nobody has room for the set of all states.
    too_large: bool,
}

impl Engines {
    /// The engines that race, the one with a head start first.
    fn entered(&self, job: Job) -> &'static [Engine] {
        const BOTH: &[Engine] = &[Engine::Explicit, Engine::Sog];
        let Asked { specs, options, .. } = &*self.asked;
        match options.engine {
            Engine::Explicit => return &BOTH[..1],
            Engine::Sog => return &BOTH[1..],
            Engine::Modular => return &[Engine::Modular],
            Engine::Auto | Engine::Coverability | Engine::Equation => {}
        }
        match job {
            Job::Spec(place) => match &specs[place].demand {
                // It chooses by itself.
                Demand::Finite(_) => &BOTH[..1],
                // Every meta-state is a state.
                Demand::Actions(formula) if self.judge().observed(formula).iter().all(|&seen| seen) => &BOTH[..1],
                _ => BOTH,
            },
            Job::Explore => BOTH,
        }
    }

    fn judge(&self) -> Judge<'_> {
        self.asked.judge(&self.budget)
    }

    /// Starts an engine, unless it has begun.
    fn start(&mut self, engine: Engine, bytes: u64) -> Result<(), Error> {
        if self.racers.iter().all(|(begun, _)| *begun != engine) {
            let asked = Arc::clone(&self.asked);
            let racer = Racer::start(&self.budget, bytes, move |desk, budget| match engine {
                Engine::Explicit => by_states(&asked, desk, budget),
                _ => by_sets(&asked, engine, desk, budget),
            })?;
            self.racers.push((engine, racer));
            self.racers.sort_by_key(|(engine, _)| *engine != Engine::Explicit);
        }
        self.racers.iter().filter(|(begun, _)| *begun == engine).for_each(|(_, racer)| racer.allow(bytes));
        Ok(())
    }

    /// Has a job done state by state, if that takes no more effort than this.
    fn briefly(&mut self, job: Job, effort: u64) -> Option<Result<Told, Error>> {
        if effort == 0 || !self.entered(job).contains(&Engine::Explicit) {
            return None;
        }
        let share = self.budget.memory_left() / 2;
        if let Err(failure) = self.start(Engine::Explicit, share) {
            return Some(Err(failure));
        }
        let racer = &mut self.racers.iter_mut().find(|(engine, _)| *engine == Engine::Explicit)?.1;
        let before = racer.spent();
        racer.begin(job);
        racer.grant(before.saturating_add(effort));
        if !racer.wait() {
            racer.give_up();
            return None;
        }
        match racer.answer() {
            Err(Error::OverBudget(over)) if over.limit == Limit::Memory => None,
            told => Some(told),
        }
    }

    /// Whether all states are known to somebody.
    fn knows_all(&self) -> bool {
        self.asked.listed.load(Relaxed) || self.asked.gathered.load(Relaxed)
    }

    /// Has a job done if nobody has to spend more than so much effort for it, and there is memory.
    fn told_within(&mut self, job: Job, most: u64) -> Result<Option<Told>, Error> {
        let entered = self.entered(job);
        let held: u64 = self.racers.iter().filter(|(e, _)| entered.contains(e)).map(|(_, racer)| racer.holds()).sum();
        let share = self.budget.memory_left().saturating_add(held) / entered.len() as u64;
        for &engine in entered {
            self.start(engine, share)?;
        }
        let racers = self.racers.iter_mut().filter(|(engine, _)| entered.contains(engine));
        let mut racers: Vec<&mut Racer<Job, Told>> = racers.map(|(_, racer)| racer).collect();
        match race_within(&mut racers, &job, &self.budget, most) {
            Err(Error::OverBudget(over)) if over.limit == Limit::Memory => Ok(None),
            told => Ok(told?.map(|(_, told)| told)),
        }
    }

    /// Has a job done by one of those that have begun.
    fn raced(&mut self, entered: &[Engine], job: Job) -> Result<Told, Error> {
        let racers = self.racers.iter_mut().filter(|(engine, _)| entered.contains(engine));
        let mut racers: Vec<&mut Racer<Job, Told>> = racers.map(|(_, racer)| racer).collect();
        race(&mut racers, &job, &self.budget).map(|(_, told)| told)
    }

    /// Has a job done.
    fn told(&mut self, job: Job) -> Result<Told, Error> {
        let mut entered = self.entered(job).to_vec();
        // The set of all states does not become smaller with another question.
        entered.retain(|&engine| {
            engine == Engine::Explicit || !(self.too_large && self.asked.needs_all_states(job, engine))
        });
        if entered.is_empty() {
            return Err(OverBudget::new("building decision diagrams", Limit::Memory).into());
        }
        // As long as nobody has run out of it, each has the same share of the memory.
        let held: u64 = self.racers.iter().filter(|(e, _)| entered.contains(e)).map(|(_, racer)| racer.holds()).sum();
        let share = self.budget.memory_left().saturating_add(held) / entered.len() as u64;
        for &engine in &entered {
            self.start(engine, share)?;
        }
        let told = self.raced(&entered, job);
        let Err(Error::OverBudget(first)) = told else { return told };
        if first.limit != Limit::Memory || self.asked.options.engine != Engine::Auto {
            return told;
        }
        // No engine had enough memory beside the other. Each may have enough alone, except for one that was alone when it ran out.
        let sole = self.racers.len() == entered.len();
        let starved = self.racers.iter().filter(|(_, racer)| sole && racer.starved());
        let mut tried: Vec<Engine> = starved.map(|(engine, _)| *engine).collect();
        let mut others = vec![Engine::Sog];
        if self.asked.system.components.len() > 1 || sets::units(&self.asked.system).is_some() {
            others.push(Engine::Modular);
        }
        // Too many places for diagrams need not be many states.
        others.push(Engine::Explicit);
        if self.entered(job).len() == 1 {
            others.retain(|engine| entered.contains(engine));
        }
        for engine in others {
            self.note_size(&tried);
            let in_vain = engine != Engine::Explicit && self.too_large && self.asked.needs_all_states(job, engine);
            if in_vain || tried.contains(&engine) {
                continue;
            }
            tried.push(engine);
            self.racers.clear();
            self.start(engine, u64::MAX)?;
            match self.raced(&[engine], job) {
                Err(Error::OverBudget(over)) if over.limit == Limit::Memory => {}
                // A component may be bounded only by what others let it do.
                Err(Error::Invalid(_)) if engine == Engine::Modular => {}
                told => {
                    self.racers.clear();
                    return told;
                }
            }
        }
        self.note_size(&tried);
        self.racers.clear();
        Err(first.into())
    }

    /// Notes whether the set of all states is too large even for one that has all the memory.
    fn note_size(&mut self, tried: &[Engine]) {
        self.too_large |= tried.contains(&Engine::Sog) && self.asked.too_large.load(Relaxed);
    }
}

impl Asked {
    /// Whether an engine needs the set of all states of the whole system for a job. Modules are of use only where actions are asked about.
    fn needs_all_states(&self, job: Job, engine: Engine) -> bool {
        match job {
            Job::Explore => true,
            Job::Spec(place) => match &self.specs[place].demand {
                Demand::Finite(_) | Demand::Actions(_) => false,
                Demand::NoDeadlock | Demand::NoLivelock => engine != Engine::Modular,
                _ => true,
            },
        }
    }

    fn judge<'s>(&'s self, budget: &'s Budget) -> Judge<'s> {
        Judge { system: &self.system, options: &self.options, budget }
    }
}

/// Whether an engine should give back what it has.
fn has_no_room<T>(told: &Result<T, Error>) -> bool {
    matches!(told, Err(Error::OverBudget(over)) if over.limit == Limit::Memory)
}

/// Works state by state.
fn by_states(asked: &Asked, desk: &mut Desk<Job, Told>, budget: &Budget) {
    let judge = asked.judge(budget);
    let mut states: Option<States<'_>> = None;
    while let Some(job) = desk.next() {
        let told = states.take().map_or_else(|| States::new(judge).map_err(Error::from), Ok).and_then(|kept| {
            let states = states.insert(kept);
            Ok(match job {
                Job::Spec(place) => {
                    let spec = &asked.specs[place];
                    Told::answer(judge.judged(spec, states.answer(spec)?)?)
                }
                Job::Explore => Told::findings(states.explore()?),
            })
        });
        if has_no_room(&told) {
            states = None;
        }
        asked.listed.store(states.as_ref().is_some_and(States::knows_all), Relaxed);
        desk.answer(told);
    }
}

/// Works with sets of states.
fn by_sets(asked: &Asked, engine: Engine, desk: &mut Desk<Job, Told>, budget: &Budget) {
    let judge = asked.judge(budget);
    let made = Made::default();
    let mut sets = Sets::new(judge, engine, &made);
    while let Some(job) = desk.next() {
        let mut tell = || -> Result<Told, Error> {
            Ok(match job {
                Job::Spec(place) => {
                    let spec = &asked.specs[place];
                    Told::answer(judge.judged(spec, sets.answer(spec)?)?)
                }
                Job::Explore => Told::findings(sets.explore()?),
            })
        };
        let told = tell();
        if has_no_room(&told) {
            if engine == Engine::Sog && asked.needs_all_states(job, engine) {
                asked.too_large.store(!sets.knows_all(), Relaxed);
            }
            sets = Sets::new(judge, engine, &made);
        }
        asked.gathered.store(engine == Engine::Sog && sets.knows_all(), Relaxed);
        desk.answer(told);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many states as anybody can count, each a step away from the last one.
    fn counter(bits: usize) -> System {
        let text = format!(
            "component Bit(i in 0..{last}) {{ lts {{ init z; z -inc[i]-> o; for k in i+1..{last} {{ o -inc[k]-> z }} o -reset-> z }} }}\nsystem All = Bit",
            last = bits - 1
        );
        posetta_model::sys::read("counter.sys", &text, None, &mut |_, _| unreachable!("nothing is imported")).unwrap()
    }

    /// How much was done before all specs were given up for lack of memory.
    fn in_vain(system: &System, specs: &[Spec], engine: Engine) -> u64 {
        let budget = Budget::with_memory(1 << 20);
        let mut question = Question::new(system, specs, Options::default().engine(engine).explore(false));
        question.decide(&budget).unwrap();
        for answer in question.answers() {
            let verdict = &answer.as_ref().unwrap().verdict;
            assert!(
                matches!(verdict, Verdict::Unknown(over) if over.limit == Limit::Memory),
                "{engine:?}: {verdict:?}"
            );
        }
        assert_eq!(question.over(), None);
        drop(question);
        assert_eq!(budget.claimed(), 0, "{engine:?}: all is given back");
        budget.stop_handle().explored()
    }

    /// What has no room is tried once with all the memory, and the set of all states is not made again for each question.
    #[test]
    fn nobody_is_asked_twice_with_the_same_memory() {
        let system = counter(40);
        let deadlock = [Spec::plain("d", Demand::NoDeadlock)];
        let alone = [Engine::Explicit, Engine::Sog, Engine::Modular].map(|e| in_vain(&system, &deadlock, e));
        let all = in_vain(&system, &deadlock, Engine::Auto);
        let [explicit, sog, modular] = alone;
        let half = explicit.max(sog);
        assert!(all <= explicit + sog + modular + half, "{all} where {alone:?} would do");
        // More bits than there are: nobody sees that without all states.
        let bits: Vec<(u32, i64)> = (0..40).map(|slot| (slot, 1)).collect();
        let never = |n: &str| Spec::plain(n, Demand::Reach(Predicate::Linear(bits.clone(), Compare::Ge, 41)));
        let one = in_vain(&system, &[never("a")], Engine::Auto);
        let four = in_vain(&system, &["a", "b", "c", "d"].map(never), Engine::Auto);
        assert!(
            four <= one + 3 * explicit,
            "{four} for four where one takes {one}, of which {explicit} state by state"
        );
    }
}
