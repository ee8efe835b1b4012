//! Parts whose cost is known beforehand, all at once.
//!
//! `G (a <= b && c <= d && …)` has a part for each conjunct, and each would look through the trace by itself. What they ask of cuts is
//! only whether one is reached at which some conjunct fails, so they are asked as one question, of engines that need no search
//! ([`CutSearch::decide_easily`](crate::cuts::CutSearch::decide_easily)). If these cannot tell, each half is asked by itself: a part that
//! does not fit is found among n others in about log n questions.

use super::paths::{Asked, Paths};
use super::{Open, RunSearch, Tally, Until};
use posetta_base::{Budget, EventId, OverBudget};

/// A question may take so many steps, and some for each event.
const STEPS: u64 = 1 << 16;
const STEPS_FOR_EVENT: u64 = 4;

/// And so many bytes: clocks of many chains are better looked at few at a time.
const BYTES: u64 = 1 << 28;

impl RunSearch<'_> {
    /// What the engines of known cost may take.
    pub(super) fn easy_budget(&self) -> Budget {
        let events = self.trace.len() as u64;
        self.budget.part(BYTES, STEPS.saturating_add(STEPS_FOR_EVENT.saturating_mul(events)))
    }

    /// Closes parts that need no search, until a run of one of them is found.
    pub(super) fn find_easily(
        &self,
        open: &mut Vec<Open>,
        tally: &mut Tally<'_>,
    ) -> Result<Option<Vec<EventId>>, OverBudget> {
        let reaches =
            |one: &Open| !one.is_one_writers && matches!(&one.asked, Some(Asked::Paths(p)) if p.only_reaches());
        let places: Vec<usize> = (0..open.len()).filter(|&place| reaches(&open[place])).collect();
        // One by itself is asked when it is its turn.
        let mut questions: Vec<&[usize]> = if places.len() > 1 { vec![&places] } else { Vec::new() };
        let mut closed = vec![false; open.len()];
        let mut run = None;
        while let (Some(some), None) = (questions.pop(), &run) {
            let asked = some.iter().filter_map(|&place| match &open[place].asked {
                Some(Asked::Paths(paths)) => Some(paths),
                _ => None,
            });
            match tally.easily(self, &Paths::any(asked))? {
                Some(answer) => {
                    some.iter().for_each(|&place| closed[place] = true);
                    run = answer.filter(|_| self.until != Until::Planned);
                }
                None if some.len() > 1 => {
                    let (first, second) = some.split_at(some.len() / 2);
                    questions.extend([second, first]);
                }
                None => open[some[0]].fits = false,
            }
        }
        let mut place = 0..;
        open.retain(|_| !closed[place.next().unwrap_or_default()]);
        Ok(run)
    }
}
