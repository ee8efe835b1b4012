//! How much work an explanation may take: counted, so that what is found depends on neither clock nor threads.

/// Work that may still be done, in steps of about ten nanoseconds.
#[derive(Debug)]
pub(super) struct Allowance {
    left: u64,
}

impl Allowance {
    pub(super) fn new(steps: u64) -> Self {
        Self { left: steps }
    }

    /// Takes so many steps. Answers whether there were that many; if not, none is left.
    #[inline]
    pub(super) fn spend(&mut self, steps: u64) -> bool {
        let enough = self.left >= steps;
        self.left = self.left.saturating_sub(steps);
        enough
    }

    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// A share of what is left, as an allowance of its own; [`Self::take_back`] takes back what remains of it.
    pub(super) fn share(&mut self, parts: u64) -> Self {
        let share = self.left / parts.max(1);
        self.left -= share;
        Self { left: share }
    }

    pub(super) fn take_back(&mut self, rest: Self) {
        self.left += rest.left;
    }
}
