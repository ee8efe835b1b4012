//! Limits, and the promise to stay inside them.
//!
//! The library knows no clock. Whoever calls it holds a [`Stop`] handle and raises it when time is up, when the
//! process has grown too large, or when the user loses patience; every loop that can explode polls it through
//! [`Budget::step`]. Memory that an engine is about to take is announced with [`Budget::claim`] and refused before it
//! is allocated. Clones share one account, so checks that run side by side share one limit.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use super::turns::{Gate, Turns};

/// Which limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// The caller's time is up, or the work is done that it allowed.
    Time,
    /// The memory limit, claimed by an engine or seen by the caller.
    Memory,
    /// The caller no longer wants the answer.
    Cancelled,
    /// A number outgrew what exact arithmetic may cost.
    Digits,
    /// Infinitely many states can be reached, and what was looked at did not settle it.
    Unbounded,
}

impl Limit {
    /// `time`, `memory`, `cancelled`, `digits` or `unbounded`. These words are part of the JSON reports: add, never rename.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Memory => "memory",
            Self::Cancelled => "cancelled",
            Self::Digits => "digits",
            Self::Unbounded => "unbounded",
        }
    }
}

/// A construction outgrew its [`Budget`]. Never a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct OverBudget {
    /// What was being done, as a phrase that follows "while".
    pub what: &'static str,
    /// The limit that was reached.
    pub limit: Limit,
}

impl OverBudget {
    /// This limit was reached while `what` was being done.
    #[must_use]
    pub const fn new(what: &'static str, limit: Limit) -> Self {
        Self { what, limit }
    }
}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = match self.limit {
            Limit::Time => "the time limit",
            Limit::Memory => "the memory limit",
            Limit::Cancelled => return write!(f, "interrupted while {}", self.what),
            Limit::Digits => "the limit on the size of a number",
            Limit::Unbounded => return write!(f, "the system is not bounded, and {} did not settle it", self.what),
        };
        write!(f, "{limit} was reached while {}", self.what)
    }
}

impl std::error::Error for OverBudget {}

#[derive(Debug)]
struct Account {
    stop: AtomicU8,
    explored: AtomicU64,
    claimed: AtomicU64,
    memory: AtomicU64,
    /// How much may be worked through.
    work: u64,
    /// The account that this one is a part of.
    whole: Option<Arc<Account>>,
    /// Where its holder waits for a turn.
    gate: Option<Arc<Gate>>,
}

impl Account {
    fn new(bytes: u64, steps: u64, whole: Option<Arc<Self>>, gate: Option<Arc<Gate>>) -> Arc<Self> {
        Arc::new(Self {
            stop: AtomicU8::new(RUNNING),
            explored: AtomicU64::new(0),
            claimed: AtomicU64::new(0),
            memory: AtomicU64::new(bytes),
            work: steps,
            whole,
            gate,
        })
    }

    /// This account, and those that it is a part of.
    fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |account| account.whole.as_deref())
    }
}

const RUNNING: u8 = 0;

/// The effort of a step.
const STEP: u64 = 10;

/// The caller's end of a [`Budget`]: raises the stop, reads the progress.
#[derive(Clone, Debug)]
pub struct Stop(Arc<Account>);

impl Stop {
    /// Asks every holder of the budget to give up. The first reason stays.
    pub fn raise(&self, limit: Limit) {
        let code = 1 + limit as u8;
        let _ = self.0.stop.compare_exchange(RUNNING, code, Relaxed, Relaxed);
    }

    /// How many configurations, cuts or lines have been worked through so far.
    #[must_use]
    pub fn explored(&self) -> u64 {
        self.0.explored.load(Relaxed)
    }
}

/// What a computation may spend.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Account>);

impl Budget {
    /// No limit but a raised [`Stop`].
    #[must_use]
    pub fn unlimited() -> Self {
        Self::with_memory(u64::MAX)
    }

    /// At most `bytes` claimed at any time.
    #[must_use]
    pub fn with_memory(bytes: u64) -> Self {
        Self::with_work(bytes, u64::MAX)
    }

    /// At most `bytes` claimed at any time, and no more than about `steps` steps in all: for what must end although no clock is at
    /// hand. What was too much once is too much every time.
    #[must_use]
    pub fn with_work(bytes: u64, steps: u64) -> Self {
        Self(Account::new(bytes, steps, None, None))
    }

    /// A part of this budget with at most `bytes` claimed at any time: for something that may be given up without giving up
    /// everything. It stops when the whole does, and what it takes is taken from the whole.
    #[must_use]
    pub fn within(&self, bytes: u64) -> Self {
        self.part(bytes, u64::MAX)
    }

    /// The same with no more than about `steps` steps in all.
    #[must_use]
    pub fn part(&self, bytes: u64, steps: u64) -> Self {
        Self(Account::new(bytes, steps, Some(Arc::clone(&self.0)), None))
    }

    /// A part whose holder works in turns, in a thread of its own: when the effort that it was granted is spent it waits until there is
    /// more. It has been granted nothing yet.
    #[must_use]
    pub fn in_turns(&self, bytes: u64) -> (Self, Turns) {
        let gate = Arc::new(Gate::default());
        let account = Account::new(bytes, u64::MAX, Some(Arc::clone(&self.0)), Some(Arc::clone(&gate)));
        (Self(account), Turns(gate))
    }

    /// Changes how much may be claimed at any time, for what is claimed from now on.
    pub fn allow(&self, bytes: u64) {
        self.0.memory.store(bytes, Relaxed);
    }

    /// How much can still be claimed.
    #[must_use]
    pub fn memory_left(&self) -> u64 {
        let left = |account: &Account| account.memory.load(Relaxed).saturating_sub(account.claimed.load(Relaxed));
        self.0.chain().map(left).min().unwrap_or(0)
    }

    /// How much is claimed at the moment.
    #[must_use]
    pub fn claimed(&self) -> u64 {
        self.0.claimed.load(Relaxed)
    }

    /// Whether the two are one account.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The handle that stops this budget's holders.
    #[must_use]
    pub fn stop_handle(&self) -> Stop {
        Stop(Arc::clone(&self.0))
    }

    /// Counts `n` steps of work and polls the stop. With 0 it only polls, which costs next to nothing.
    ///
    /// # Errors
    /// When the stop was raised, or the work that was allowed is done.
    pub fn step(&self, n: u64, what: &'static str) -> Result<(), OverBudget> {
        for account in self.0.chain().filter(|_| n > 0) {
            if account.explored.fetch_add(n, Relaxed) >= account.work {
                return Err(OverBudget::new(what, Limit::Time));
            }
        }
        self.effort(n.saturating_mul(STEP), what)
    }

    /// Whether the stop was raised.
    fn poll(&self, what: &'static str) -> Result<(), OverBudget> {
        let stop = self.0.chain().map(|account| account.stop.load(Relaxed)).max().unwrap_or(RUNNING);
        let limit = match stop {
            RUNNING => return Ok(()),
            1 => Limit::Time,
            2 => Limit::Memory,
            3 => Limit::Cancelled,
            4 => Limit::Digits,
            _ => Limit::Unbounded,
        };
        Err(OverBudget::new(what, limit))
    }

    /// Polls the stop and counts effort, of which one unit takes about ten nanoseconds on a usual machine, whatever the engine: what turns are measured in. A
    /// step that is counted is an effort of ten; engines whose steps take longer add the rest here.
    ///
    /// # Errors
    /// When the stop was raised, or the effort is no longer wanted. It waits for its turn, if turns are taken.
    pub fn effort(&self, units: u64, what: &'static str) -> Result<(), OverBudget> {
        self.poll(what)?;
        for account in self.0.chain() {
            if let Some(gate) = &account.gate {
                gate.pass(units).map_err(|()| OverBudget::new(what, Limit::Cancelled))?;
            }
        }
        Ok(())
    }

    /// Takes `bytes` of the memory limit until the claim is dropped.
    ///
    /// # Errors
    /// When less than that is left.
    pub fn claim(&self, bytes: u64, what: &'static str) -> Result<Claim, OverBudget> {
        let mut claim = Claim { account: Arc::clone(&self.0), bytes: 0 };
        claim.grow_to(bytes, what)?;
        Ok(claim)
    }
}

/// So much effort is told at once: some ten microseconds.
const TOLD: u64 = 4096;

/// Work that a budget hears of now and then, for small steps: each account is shared by threads, and to tell it takes as long as such a step.
/// The same work is told in the same portions everywhere.
#[derive(Debug)]
pub struct Tally {
    budget: Budget,
    steps: u64,
    effort: u64,
}

impl Tally {
    /// Nothing is done yet.
    #[must_use]
    pub fn new(budget: &Budget) -> Self {
        Self { budget: budget.clone(), steps: 0, effort: 0 }
    }

    /// As [`Budget::step`], later.
    ///
    /// # Errors
    /// As there, if the budget is told.
    #[inline]
    pub fn step(&mut self, n: u64, what: &'static str) -> Result<(), OverBudget> {
        self.steps += n;
        if self.effort + STEP * self.steps < TOLD { Ok(()) } else { self.tell(what) }
    }

    /// As [`Budget::effort`], later.
    ///
    /// # Errors
    /// As there, if the budget is told.
    #[inline]
    pub fn effort(&mut self, units: u64, what: &'static str) -> Result<(), OverBudget> {
        self.effort += units;
        if self.effort + STEP * self.steps < TOLD { Ok(()) } else { self.tell(what) }
    }

    #[cold]
    fn tell(&mut self, what: &'static str) -> Result<(), OverBudget> {
        let (steps, effort) = (std::mem::take(&mut self.steps), std::mem::take(&mut self.effort));
        self.budget.step(steps, what)?;
        self.budget.effort(effort, what)
    }
}

/// Memory taken from a [`Budget`]; given back when dropped.
#[derive(Debug)]
pub struct Claim {
    account: Arc<Account>,
    bytes: u64,
}

impl Claim {
    /// Raises (never lowers) the claim to `bytes` in all.
    ///
    /// # Errors
    /// When that is over the limit; the claim then stays as it was.
    pub fn grow_to(&mut self, bytes: u64, what: &'static str) -> Result<(), OverBudget> {
        let more = bytes.saturating_sub(self.bytes);
        if more == 0 {
            return Ok(());
        }
        for (i, account) in self.account.chain().enumerate() {
            // One step, so that a claim that is refused never stands in the way of another.
            let fits = |claimed: u64| claimed.checked_add(more).filter(|&sum| sum <= account.memory.load(Relaxed));
            if account.claimed.fetch_update(Relaxed, Relaxed, fits).is_err() {
                for taken in self.account.chain().take(i) {
                    taken.claimed.fetch_sub(more, Relaxed);
                }
                return Err(OverBudget::new(what, Limit::Memory));
            }
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Gives back all but `bytes`.
    pub fn shrink_to(&mut self, bytes: u64) {
        let less = self.bytes.saturating_sub(bytes);
        for account in self.account.chain() {
            account.claimed.fetch_sub(less, Relaxed);
        }
        self.bytes -= less;
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.shrink_to(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_limited_in_parts_as_well() {
        let budget = Budget::with_work(100, 10);
        let part = budget.within(50);
        assert!(budget.step(6, "testing").is_ok());
        assert!(part.step(6, "testing").is_ok());
        assert_eq!(part.step(1, "testing"), Err(OverBudget::new("testing", Limit::Time)));
        assert!(budget.step(0, "testing").is_ok(), "asking costs nothing");
        assert!(budget.step(1, "testing").is_err());
        let whole = Budget::unlimited();
        let part = whole.part(50, 3);
        assert!(part.step(3, "testing").is_ok() && part.step(1, "testing").is_err());
        assert!(whole.step(1, "testing").is_ok(), "only the part is spent");
    }

    #[test]
    fn a_tally_is_told_in_portions() {
        let budget = Budget::with_work(100, 500);
        let mut tally = Tally::new(&budget);
        for _ in 0..409 {
            tally.step(1, "testing").unwrap();
        }
        assert_eq!(budget.stop_handle().explored(), 0);
        tally.effort(6, "testing").unwrap();
        assert_eq!(budget.stop_handle().explored(), 409);
        assert!((0..1000).any(|_| tally.step(1, "testing").is_err()));
        budget.stop_handle().raise(Limit::Cancelled);
        assert_eq!(tally.effort(TOLD, "testing").unwrap_err().limit, Limit::Cancelled);
    }

    #[test]
    fn claims_share_one_account_and_return_what_they_took() {
        let budget = Budget::with_memory(100);
        let other = budget.clone();
        let mut claim = budget.claim(60, "testing").unwrap();
        assert_eq!(other.claim(50, "testing").unwrap_err().limit, Limit::Memory);
        claim.grow_to(100, "testing").unwrap();
        assert!(claim.grow_to(101, "testing").is_err());
        drop(claim);
        assert!(other.claim(100, "testing").is_ok());
    }

    #[test]
    fn a_part_has_its_own_limit_and_that_of_the_whole() {
        let whole = Budget::with_memory(100);
        let part = whole.within(40);
        let claim = part.claim(40, "testing").unwrap();
        assert!(part.claim(1, "testing").is_err());
        assert!(whole.claim(61, "testing").is_err());
        let mut other = whole.claim(60, "testing").unwrap();
        drop(claim);
        other.grow_to(90, "testing").unwrap();
        // What the whole refuses, the part has not taken either.
        assert!(part.claim(20, "testing").is_err());
        other.shrink_to(50);
        assert!(part.claim(40, "testing").is_ok());
        assert!(part.step(3, "testing").is_ok());
        assert_eq!(whole.stop_handle().explored(), 3);
        part.stop_handle().raise(Limit::Cancelled);
        assert!(whole.step(0, "testing").is_ok());
        whole.stop_handle().raise(Limit::Time);
        assert!(whole.within(10).step(0, "testing").is_err());
    }

    #[test]
    fn the_first_reason_to_stop_stays() {
        let budget = Budget::unlimited();
        assert!(budget.step(5, "testing").is_ok());
        let stop = budget.stop_handle();
        stop.raise(Limit::Time);
        stop.raise(Limit::Cancelled);
        let over = budget.step(1, "testing").unwrap_err();
        assert_eq!(over.limit, Limit::Time);
        assert_eq!(over.to_string(), "the time limit was reached while testing");
        assert_eq!(stop.explored(), 6);
    }
}
