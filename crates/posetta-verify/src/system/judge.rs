//! What is asked of a system, and whether a run shows what it is said to show: the same for every engine.

use super::linear::{self, Formula};
use super::words::{self, Violations};
use super::{Answer, Findings, Options, finite};
use posetta_base::{ActionId, Budget, Claim, Error, OverBudget, Place, Verdict};
use posetta_logic::{Ltl, LtlUnary};
use posetta_model::system::{Behaviour, Demand, End, Letter, Move, Run, Slots, Spec, System};

/// A system and how it is asked about.
#[derive(Clone, Copy)]
pub(super) struct Judge<'s> {
    pub(super) system: &'s System,
    pub(super) options: &'s Options,
    pub(super) budget: &'s Budget,
}

/// Each action that a formula names.
fn named(formula: &Ltl<Letter>, observed: &mut [bool]) {
    let _ = formula.map_atoms(&mut |letter| {
        if let Letter::Action(action) = letter {
            observed[action.index()] = true;
        }
    });
}

/// `G !letter`
pub(super) fn never(letter: Letter) -> Ltl<Letter> {
    Ltl::Unary(LtlUnary::Globally, Box::new(Ltl::Not(Box::new(Ltl::Atom(letter)))))
}

impl Judge<'_> {
    /// No action is observed.
    pub(super) fn nothing(&self) -> Vec<bool> {
        vec![false; self.system.actions.len()]
    }

    /// What is observed for a formula: the actions that it names, and those that are observed besides.
    pub(super) fn observed(&self, formula: &Ltl<Letter>) -> Vec<bool> {
        let mut observed = self.besides();
        named(formula, &mut observed);
        observed
    }

    /// The actions that are observed besides those that a formula names.
    pub(super) fn besides(&self) -> Vec<bool> {
        let mut observed = self.nothing();
        self.options.observe.iter().for_each(|a| observed[a.index()] = true);
        observed
    }

    /// All actions that are not internal, and those that are observed besides.
    pub(super) fn visible(&self) -> Vec<bool> {
        self.system.actions.iter().zip(self.besides()).map(|(action, seen)| seen || !action.internal).collect()
    }

    /// The slots of places, ascending.
    pub(super) fn places(&self) -> Vec<u32> {
        let slots = Slots::new(self.system);
        let nets = self.system.component_ids();
        let nets = nets.filter(|&c| matches!(self.system.component(c).behaviour, Behaviour::Net(_)));
        nets.flat_map(|c| slots.of(c)).map(|slot| slot as u32).collect()
    }

    /// What is known of the system before it is looked at.
    pub(super) fn findings(&self) -> Findings {
        Findings { warnings: self.system.warnings.clone(), ..Findings::default() }
    }

    /// An answer whose run was replayed, with how far it has to be read.
    pub(super) fn judged(&self, spec: &Spec, mut answer: Answer) -> Result<Answer, Error> {
        self.replay(spec, &answer)?;
        // A limit while this is looked for takes no answer back.
        answer.settled = self.settled(spec, &answer).unwrap_or_default();
        Ok(answer)
    }

    /// After how many steps of a run it is seen that it violates a linear formula.
    fn settled(&self, spec: &Spec, answer: &Answer) -> Result<Option<usize>, OverBudget> {
        let Verdict::Violated(Some(run)) = &answer.verdict else { return Ok(None) };
        match &spec.demand {
            Demand::Actions(formula) => {
                let observed = self.observed(formula);
                Violations::new(formula)?.settled(&run.steps, &observed, self.budget)
            }
            Demand::States(formula) => {
                let formula = Formula::new(formula);
                let _claim = self.room_for_states(run)?;
                let states = run.states(self.system).unwrap_or_default();
                linear::Violations::new(&formula)?.settled(&formula, self.system, &states, self.budget)
            }
            _ => Ok(None),
        }
    }

    /// A run is what it is said to be, by definition.
    fn replay(&self, spec: &Spec, answer: &Answer) -> Result<(), Error> {
        let Some(run) = answer.run() else { return Ok(()) };
        if self.is_right(spec, run)? {
            return Ok(());
        }
        let defect = Error::defect("a run does not replay", "the model and the property");
        Err(if spec.source.is_empty() { defect } else { defect.at(Place::in_text(&spec.source, spec.span)) })
    }

    /// Announces the memory of all states of a run.
    fn room_for_states(&self, run: &Run) -> Result<Claim, OverBudget> {
        let each = size_of::<Vec<u32>>() + 4 * Slots::new(self.system).count();
        self.budget.claim(((run.steps.len() + 1) * each) as u64, "replaying a run")
    }

    fn is_right(&self, spec: &Spec, run: &Run) -> Result<bool, OverBudget> {
        let _claim = self.room_for_states(run)?;
        let Some(states) = run.states(self.system) else { return Ok(false) };
        let last = &states[states.len() - 1];
        Ok(match &spec.demand {
            Demand::Reach(p) => p.holds(self.system, last),
            Demand::Invariant(p) => !p.holds(self.system, last),
            Demand::NoDeadlock => run.end == End::Dead,
            Demand::States(formula) => !Formula::new(formula).holds(self.system, run, &states, self.budget)?,
            Demand::Actions(formula) => {
                let (word, cycle) = word(run, &self.observed(formula));
                !words::Formula::new(formula).holds(&word, cycle, self.budget)?
            }
            Demand::NoLivelock => {
                let (word, cycle) = word(run, &self.visible());
                word[cycle] == Letter::Divergence
            }
            Demand::Finite(finite) => finite::is_violated_by(finite, run, self.budget)?,
            Demand::Branching(_) | Demand::Bound(_) => true,
        })
    }
}

/// The word of a run, and where it goes round.
fn word(run: &Run, observed: &[bool]) -> (Vec<Letter>, usize) {
    let letters = |steps: &[Move]| -> Vec<Letter> {
        steps.iter().map(|s| s.action).filter(|a: &ActionId| observed[a.index()]).map(Letter::Action).collect()
    };
    let (mut word, end) = match run.end {
        End::Cycle(to) => {
            let mut word = letters(&run.steps[..to]);
            let cycle = letters(&run.steps[to..]);
            if !cycle.is_empty() {
                let at = word.len();
                word.extend(cycle);
                return (word, at);
            }
            (word, Letter::Divergence)
        }
        End::Open | End::Dead => (letters(&run.steps), Letter::Deadlock),
    };
    word.push(end);
    let cycle = word.len() - 1;
    (word, cycle)
}
