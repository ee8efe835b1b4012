//! What a proposal answers on the runs that suggest it.

use posetta_base::{Budget, Error, OverBudget, Verdict};
use posetta_check::{Observed, Options, Question};
use posetta_logic::read_props;
use posetta_trace::Trace;

use super::Survey;

/// So much work a question on one run may take, in steps, and so much memory. What needs more is unknown.
const STEPS: u64 = 1 << 22;
const MEMORY: u64 = 256 << 20;

/// How many runs answered what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Every order satisfies it.
    pub holds: usize,
    /// Some order does not.
    pub violated: usize,
    /// Of these: the recorded order satisfies it.
    pub hidden: usize,
    /// It would have taken too long.
    pub unknown: usize,
}

impl Tally {
    /// How many runs were asked.
    #[must_use]
    pub fn runs(self) -> usize {
        self.holds + self.violated + self.unknown
    }
}

/// Asks it of every run. `None` if it does not fit one of them: a variable is of two types, say.
pub(super) fn ask(runs: &[&Trace], survey: &Survey, text: &str, budget: &Budget) -> Result<Option<Tally>, OverBudget> {
    let Ok(properties) = read_props(&format!("property p = {text}\n")) else { return Ok(None) };
    let [property] = &properties[..] else { return Ok(None) };
    let mut tally = Tally::default();
    for run in runs {
        let options = Options::default().verdict_only(true).vacuity(false).known_elsewhere(survey.known.clone());
        let Ok(question) = Question::new(*run, property, options) else { return Ok(None) };
        let part = budget.part(MEMORY, STEPS);
        match question.decide(&part) {
            Ok(answer) => match answer.verdict {
                Verdict::Holds => tally.holds += 1,
                Verdict::Violated(_) => {
                    tally.violated += 1;
                    tally.hidden += usize::from(answer.observed() == Some(Observed::Holds));
                }
                Verdict::Unknown(_) => tally.unknown += 1,
            },
            Err(Error::OverBudget(_)) => tally.unknown += 1,
            Err(_) => return Ok(None),
        }
        // A limit of all the work ends it; that of one question does not.
        budget.step(1, "checking what is proposed")?;
    }
    Ok(Some(tally))
}
