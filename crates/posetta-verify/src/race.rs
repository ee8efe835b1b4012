//! Engines side by side, of which the one that takes the least effort answers.
//!
//! Which engine is best for a question is not known before it has answered. So each has a thread of its own, and all get the same effort, round by
//! round, until one is done. An effort is counted ([`Budget::effort`]), never timed, and nobody goes on before all have spent what they were
//! granted: the winner is the one with the smallest count, whichever thread was first, and the same question has the same winner everywhere.
//! With two engines the answer takes at most about twice the effort of the better one, and with two processors its time.
//!
//! An engine keeps what it found out from one job to the next, won or lost. One that runs out of its share of the memory gives back what it
//! had, and the others get its share. The last one that runs has all of it: where that one runs out, too, it need not be asked again.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use posetta_base::{Budget, Error, Limit, OverBudget, Turns};

/// What each engine may spend in the first round, about five milliseconds; the first of them spends it alone. Most models are small, and then
/// the others need not begin.
pub(crate) const HEAD: u64 = 500_000;

/// Operations recurse over layers of diagrams. The memory is taken only where it is used.
const STACK: usize = 64 << 20;

/// An engine in its thread.
pub(crate) struct Racer<J, A> {
    jobs: Option<Sender<J>>,
    answers: Receiver<Result<A, Error>>,
    turns: Turns,
    budget: Budget,
    thread: Option<JoinHandle<()>>,
    /// It ran out of memory in its last race when nobody else was left in it.
    starved: bool,
}

/// Where an engine gets its jobs.
pub(crate) struct Desk<J, A> {
    jobs: Receiver<J>,
    answers: Sender<Result<A, Error>>,
    turns: Turns,
}

impl<J, A> Desk<J, A> {
    /// The next job; `None` when there will be no more.
    pub(crate) fn next(&mut self) -> Option<J> {
        self.jobs.recv().ok()
    }

    /// Its turns, to see what it has spent.
    pub(crate) fn turns(&self) -> Turns {
        self.turns.clone()
    }

    /// Answers the last one. What is not needed any more has been given back.
    pub(crate) fn answer(&mut self, answer: Result<A, Error>) {
        // Nobody listens once the question is dropped.
        let _ = self.answers.send(answer);
        self.turns.end();
    }
}

impl<J, A> Drop for Desk<J, A> {
    /// Whoever waits must not wait for an engine that is gone.
    fn drop(&mut self) {
        self.turns.end();
    }
}

impl<J: Send + 'static, A: Send + 'static> Racer<J, A> {
    /// Starts an engine with so much of the memory.
    pub(crate) fn start(
        budget: &Budget,
        bytes: u64,
        work: impl FnOnce(&mut Desk<J, A>, &Budget) + Send + 'static,
    ) -> Result<Self, OverBudget> {
        let (part, turns) = budget.in_turns(bytes);
        let (jobs, inbox) = channel();
        let (outbox, answers) = channel();
        let (theirs, mut desk) = (part.clone(), Desk { jobs: inbox, answers: outbox, turns: turns.clone() });
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || work(&mut desk, &theirs));
        let thread = thread.map_err(|_| OverBudget::new("starting an engine", Limit::Memory))?;
        Ok(Self { jobs: Some(jobs), answers, turns, budget: part, thread: Some(thread), starved: false })
    }

    /// Whether it ran out of memory in its last race although nobody else in it had any.
    pub(crate) fn starved(&self) -> bool {
        self.starved
    }

    /// How much memory it holds.
    pub(crate) fn holds(&self) -> u64 {
        self.budget.claimed()
    }

    /// Changes its share of the memory.
    pub(crate) fn allow(&self, bytes: u64) {
        self.budget.allow(bytes);
    }

    /// Gives it something to do.
    pub(crate) fn begin(&mut self, job: J) {
        self.starved = false;
        // What is left of the last grant is not for this job: it would be spent, or not, before the next grant comes.
        self.turns.grant(self.turns.spent());
        self.turns.begin();
        if let Some(jobs) = &self.jobs {
            // An engine that is gone is noticed when its answer is missing.
            let _ = jobs.send(job);
        }
    }

    /// What it has spent in all its jobs.
    pub(crate) fn spent(&self) -> u64 {
        self.turns.spent()
    }

    /// Lets it spend so much in all.
    pub(crate) fn grant(&mut self, in_all: u64) {
        self.turns.grant(in_all);
    }

    /// Waits until it has spent what it was granted; true if it has ended.
    pub(crate) fn wait(&mut self) -> bool {
        self.turns.wait()
    }

    /// The answer of an engine that has ended.
    pub(crate) fn answer(&mut self) -> Result<A, Error> {
        if let Ok(answer) = self.answers.recv() {
            return answer;
        }
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
            std::panic::resume_unwind(panic);
        }
        Err(Error::defect("an engine ended without an answer", "the model and the property"))
    }

    /// Its answer is not wanted any more.
    pub(crate) fn give_up(&mut self) {
        self.turns.close();
        while !self.turns.wait() {}
        let _ = self.answer();
    }
}

impl<J, A> Drop for Racer<J, A> {
    fn drop(&mut self) {
        self.turns.close();
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A panic was told to whoever waited for an answer.
            let _ = thread.join();
        }
    }
}

/// Has a job done by the engine that takes the least effort, and says which one that was. An engine that has no memory for it is no longer in
/// the race; with [`Limit::Memory`] none had.
pub(crate) fn race<J: Clone + Send + 'static, A: Send + 'static>(
    racers: &mut [&mut Racer<J, A>],
    job: &J,
    budget: &Budget,
) -> Result<(usize, A), Error> {
    let no_room = || OverBudget::new("choosing an engine", Limit::Memory).into();
    race_within(racers, job, budget, u64::MAX)?.ok_or_else(no_room)
}

/// The same, if nobody has to spend more than about so much for it: `None` otherwise.
pub(crate) fn race_within<J: Clone + Send + 'static, A: Send + 'static>(
    racers: &mut [&mut Racer<J, A>],
    job: &J,
    budget: &Budget,
    most: u64,
) -> Result<Option<(usize, A)>, Error> {
    if racers.is_empty() {
        return Err(OverBudget::new("choosing an engine", Limit::Memory).into());
    }
    let before: Vec<u64> = racers.iter().map(|r| r.spent()).collect();
    let mut running = vec![0];
    let mut left: Vec<usize> = (1..racers.len()).rev().collect();
    let (mut limit, mut over) = (HEAD.min(most), None);
    racers[0].begin(job.clone());
    loop {
        let alone = running.len() == 1 && left.is_empty();
        for &i in &running {
            racers[i].grant(if alone { most.saturating_add(before[i]) } else { before[i].saturating_add(limit) });
        }
        // All of them, so that each has spent the same or is done with less.
        let mut ended: Vec<usize> = running.iter().copied().filter(|&i| racers[i].wait()).collect();
        running.retain(|i| !ended.contains(i));
        ended.sort_by_key(|&i| (racers[i].spent() - before[i], i));
        let mut won = None;
        for i in ended {
            match racers[i].answer() {
                Err(Error::OverBudget(spent)) if spent.limit == Limit::Memory && budget.step(0, spent.what).is_ok() => {
                    over.get_or_insert(spent);
                    racers[i].starved = alone;
                    racers.iter().for_each(|racer| racer.budget.allow(u64::MAX));
                }
                _ if won.is_some() => {}
                answer => won = Some(answer.map(|answer| Some((i, answer)))),
            }
        }
        if let Some(won) = won {
            running.iter().for_each(|&i| racers[i].give_up());
            return won;
        }
        if limit >= most && left.is_empty() && !running.is_empty() {
            running.iter().for_each(|&i| racers[i].give_up());
            return Ok(None);
        }
        while let Some(next) = left.pop() {
            racers[next].begin(job.clone());
            running.push(next);
        }
        if running.is_empty() {
            return Err(over.unwrap_or(OverBudget::new("choosing an engine", Limit::Memory)).into());
        }
        // What the others are granted beyond what the best one takes is for nothing.
        limit = limit.saturating_add(limit / 8).min(most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An engine that takes so much effort, in pieces.
    fn engine(
        effort: u64,
        piece: u64,
        name: &'static str,
    ) -> impl FnOnce(&mut Desk<u64, &'static str>, &Budget) + Send {
        move |desk, budget| {
            while let Some(factor) = desk.next() {
                let mut left = effort * factor;
                let answer = loop {
                    if left == 0 {
                        break Ok(name);
                    }
                    let now = piece.min(left);
                    left -= now;
                    if let Err(over) = budget.effort(now, "testing") {
                        break Err(over.into());
                    }
                };
                desk.answer(answer);
            }
        }
    }

    #[test]
    fn the_least_effort_wins_whichever_thread_is_first() {
        let budget = Budget::unlimited();
        for (a, b, winner) in [(3_000_000, 2_900_000, 1), (2_000_000, 2_900_000, 0), (70_000_000, 7_000_000, 1)] {
            for pieces in [(1_000, 77_000), (77_000, 1_000)] {
                let mut racers = [
                    Racer::start(&budget, u64::MAX, engine(a, pieces.0, "first")).unwrap(),
                    Racer::start(&budget, u64::MAX, engine(b, pieces.1, "second")).unwrap(),
                ];
                for factor in 1..4 {
                    let before: Vec<u64> = racers.iter().map(|r| r.spent()).collect();
                    let (won, name) = race(&mut racers.iter_mut().collect::<Vec<_>>(), &factor, &budget).unwrap();
                    assert_eq!((won, name), (winner, ["first", "second"][winner]));
                    let spent: u64 = racers.iter().zip(before).map(|(r, before)| r.spent() - before).sum();
                    let best = factor * a.min(b);
                    assert!(spent <= 2 * best + best / 2 + 2 * HEAD, "{spent} spent where {best} would do");
                }
            }
        }
    }

    #[test]
    fn what_takes_too_much_is_given_up() {
        let budget = Budget::unlimited();
        let mut racers = [
            Racer::start(&budget, u64::MAX, engine(70_000_000, 1_000, "first")).unwrap(),
            Racer::start(&budget, u64::MAX, engine(7_000_000, 1_000, "second")).unwrap(),
        ];
        for (most, winner) in [(100, None), (5_000_000, None), (8_000_000, Some(1)), (200, None)] {
            let before: u64 = racers.iter().map(Racer::spent).sum();
            let won = race_within(&mut racers.iter_mut().collect::<Vec<_>>(), &1, &budget, most).unwrap();
            assert_eq!(won.map(|(won, _)| won), winner, "{most}");
            let spent = racers.iter().map(Racer::spent).sum::<u64>() - before;
            assert!(spent <= 2 * (most + 1_000), "{spent} where {most} are allowed");
        }
    }

    #[test]
    fn an_engine_without_memory_leaves_its_share_to_the_others() {
        let budget = Budget::with_memory(100);
        let wants = |bytes: u64, steps: u64| {
            move |desk: &mut Desk<(), u64>, budget: &Budget| {
                while desk.next().is_some() {
                    let spend = || -> Result<u64, Error> {
                        for _ in 0..steps {
                            budget.effort(1_000, "testing")?;
                        }
                        let _claim = budget.claim(bytes, "testing")?;
                        Ok(bytes)
                    };
                    let answer = spend();
                    desk.answer(answer);
                }
            }
        };
        let mut racers = vec![
            Racer::start(&budget, 50, wants(200, 10)).unwrap(),
            Racer::start(&budget, 50, wants(90, 100_000)).unwrap(),
        ];
        assert_eq!(race(&mut racers.iter_mut().collect::<Vec<_>>(), &(), &budget).unwrap(), (1, 90));
        racers.pop();
        let failed = race(&mut racers.iter_mut().collect::<Vec<_>>(), &(), &budget);
        assert!(matches!(failed, Err(Error::OverBudget(over)) if over.limit == Limit::Memory));
        budget.stop_handle().raise(Limit::Time);
        assert!(budget.step(0, "testing").is_err());
    }
}
