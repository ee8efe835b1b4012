//! A command that has one answer: it ends with that, with mistakes, or at a limit.
//!
//! [`run`] works under the limits and tells mistakes and limits in one way; [`Ending`] is what a command adds to that. A
//! limit may be told by the watchdog, while the work goes on, so the command keeps what is known where both see it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use posetta_base::{Budget, Error, OverBudget};
use posetta_tell::json::Schema;
use posetta_tell::text;
use serde_json::Value;

use crate::limits::{Interruption, Limits, Watchdog};
use crate::paint;
use crate::problem::Problem;
use crate::{carets, output};

/// Why there is no answer.
pub enum Stopped {
    Mistakes(Vec<Problem>),
    OverBudget(OverBudget),
}

impl Stopped {
    /// A run that could not be read.
    pub fn in_run(file: &str, failure: Error) -> Self {
        match failure.into_diagnostics() {
            Ok(all) => Self::Mistakes(all.into_iter().map(|d| Problem::in_run(file, d)).collect()),
            Err(over) => Self::OverBudget(over),
        }
    }

    /// A property that is refused.
    pub fn in_text(file: &str, failure: Error) -> Self {
        match failure.into_diagnostics() {
            Ok(all) => Self::Mistakes(all.into_iter().map(|d| Problem::in_text(file, d)).collect()),
            Err(over) => Self::OverBudget(over),
        }
    }
}

impl From<Problem> for Stopped {
    fn from(problem: Problem) -> Self {
        Self::Mistakes(vec![problem])
    }
}

impl From<Vec<Problem>> for Stopped {
    fn from(problems: Vec<Problem>) -> Self {
        Self::Mistakes(problems)
    }
}

impl From<OverBudget> for Stopped {
    fn from(over: OverBudget) -> Self {
        Self::OverBudget(over)
    }
}

/// What else a command does if it has no answer. People are told on standard error before.
pub trait Ending: Send + Sync + 'static {
    /// Tells others of the mistakes, if one asked.
    fn mistakes(&self, problems: &[Problem]);

    /// Cleans up, and tells what is known although a limit was reached. `false` if that could not be written.
    fn limit(&self, over: OverBudget) -> bool;
}

/// That of a command whose report for programs is one object.
pub struct OneObject {
    /// Programs read it.
    pub json: bool,
    pub schema: Schema,
    /// What they are told of mistakes, and of a limit.
    pub refused: fn(Vec<Value>) -> Value,
    pub stopped: fn(OverBudget) -> Value,
}

impl Ending for OneObject {
    fn mistakes(&self, problems: &[Problem]) {
        if self.json {
            let errors = problems.iter().map(Problem::to_json).collect();
            output::print(&self.schema.object((self.refused)(errors)));
        }
    }

    fn limit(&self, over: OverBudget) -> bool {
        !self.json || output::print(&self.schema.object((self.stopped)(over)))
    }
}

/// What the work has at hand.
pub struct Work<'a> {
    pub budget: &'a Budget,
    pub watchdog: &'a Watchdog,
    doing: &'a Mutex<&'static str>,
}

impl Work<'_> {
    /// Notes what is being done, as a phrase that follows "while", in case it does not notice a limit itself.
    pub fn begin(&self, what: &'static str) {
        *locked(self.doing) = what;
    }
}

/// Does the work, which begins with `first`. Answers with what it has found, or, when all is told, with the exit status.
pub fn run<T>(
    limits: Limits,
    first: &'static str,
    ending: &Arc<impl Ending>,
    work: impl FnOnce(&Work<'_>) -> Result<T, Stopped>,
) -> Result<T, u8> {
    let budget = Budget::with_memory(limits.memory);
    let doing = Arc::new(Mutex::new(first));
    let watchdog = {
        let (shown, ending) = (Arc::clone(&doing), Arc::clone(ending));
        let doing = Arc::clone(&doing);
        let told = move || (*locked(&shown)).into();
        Watchdog::start(limits, budget.stop_handle(), Interruption::Stops, told, move |limit| {
            let what = *locked(&doing);
            at_limit(&*ending, OverBudget::new(what, limit))
        })
    };
    let done = work(&Work { budget: &budget, watchdog: &watchdog, doing: &doing });
    watchdog.finish();
    done.map_err(|stopped| match stopped {
        Stopped::OverBudget(over) => at_limit(&**ending, over),
        Stopped::Mistakes(problems) => {
            output::note(&problems.iter().map(|p| carets::error(p, paint::stderr())).collect::<String>());
            ending.mistakes(&problems);
            2
        }
    })
}

fn at_limit(ending: &impl Ending, over: OverBudget) -> u8 {
    output::note(&text::stopped(over, paint::stderr()));
    if ending.limit(over) { 3 } else { 2 }
}

/// What another thread may have left half done is still the best there is.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
