//! How many random cases a test tries, and from which seed.
//!
//! A test names the number for an optimised build; with debug assertions, where each case takes several times as long, it is half of it.
//! `POSETTA_TIMES` multiplies the usual number, `POSETTA_CASES` sets it, and `POSETTA_SEED` is the first seed; a failure names the seed
//! of its case, so `POSETTA_SEED=<seed> POSETTA_CASES=1` repeats it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

use fastrand::Rng;

fn setting(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} must be a number, not `{text}`")))
}

/// Calls `case` with a fresh generator for each seed. A failure inside says which seed it was.
///
/// # Panics
/// When a case does, or a setting is not a number.
pub fn for_seeds(default_count: u64, mut case: impl FnMut(&mut Rng, u64)) {
    let first = setting("POSETTA_SEED").unwrap_or(1);
    let usual = if cfg!(debug_assertions) { default_count.div_ceil(2) } else { default_count };
    let usual = usual.saturating_mul(setting("POSETTA_TIMES").unwrap_or(1));
    let count = setting("POSETTA_CASES").unwrap_or(usual);
    let start = Instant::now();
    for seed in first..first + count {
        let mut rng = Rng::with_seed(seed);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| case(&mut rng, seed))) {
            eprintln!("this was seed {seed}: POSETTA_SEED={seed} POSETTA_CASES=1 repeats it");
            resume_unwind(panic);
        }
    }
    eprintln!("{count} cases in {:.2} s", start.elapsed().as_secs_f64());
}

/// How often each answer came up. Says so, and fails if there were enough cases and an answer was rare.
#[derive(Debug, Default)]
pub struct Shares {
    counts: std::collections::BTreeMap<&'static str, u64>,
}

impl Shares {
    /// Counts an answer.
    pub fn add(&mut self, answer: &'static str) {
        *self.counts.entry(answer).or_default() += 1;
    }

    /// The share of an answer, from 0 to 1.
    #[must_use]
    pub fn share(&self, answer: &str) -> f64 {
        let total: u64 = self.counts.values().sum();
        self.counts.get(answer).map_or(0.0, |&n| n as f64 / total.max(1) as f64)
    }

    /// Prints the shares and asserts that each of `answers` is at least a fifth of all.
    ///
    /// # Panics
    /// When one of them is not, among 200 answers or more.
    pub fn at_least_a_fifth(&self, what: &str, answers: &[&str]) {
        self.at_least(0.2, what, answers);
    }

    /// Prints the shares and asserts that each of `answers` has at least this one.
    ///
    /// # Panics
    /// When one of them has not, among 200 answers or more.
    pub fn at_least(&self, share: f64, what: &str, answers: &[&str]) {
        let total: u64 = self.counts.values().sum();
        for answer in self.counts.keys() {
            eprintln!("{what}: {answer} {:.1} %", 100.0 * self.share(answer));
        }
        if total >= 200 {
            for answer in answers {
                assert!(self.share(answer) >= share, "{what}: `{answer}` comes too rarely for a good test");
            }
        }
    }
}
