//! LTL by the definition over positions, on finite words and on infinite ones that end in a loop.

use posetta_base::EventId;
use posetta_logic::{Ltl, LtlBinary, LtlUnary, View};
use posetta_trace::Trace;

use crate::order::Order;
use crate::word::{Letter, holds_at, word};

/// How many runs satisfy a formula and how many do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Runs that satisfy it.
    pub satisfied: u64,
    /// Runs that do not.
    pub violated: u64,
}

impl Tally {
    /// "A linear property holds on a trace if every run satisfies it at its first position."
    #[must_use]
    pub fn holds(self) -> bool {
        self.violated == 0
    }
}

/// Asks every run.
#[must_use]
pub fn over_all_runs(trace: &Trace, view: View, formula: &Ltl) -> Tally {
    let mut tally = Tally::default();
    Order::of(trace).for_each_run(|run| match satisfies(trace, run, view, formula) {
        true => tally.satisfied += 1,
        false => tally.violated += 1,
    });
    tally
}

/// Whether one run satisfies a formula at its first position.
#[must_use]
pub fn satisfies(trace: &Trace, run: &[EventId], view: View, formula: &Ltl) -> bool {
    let letters = word(trace, run, view);
    on_word(formula, letters.len(), &|atom, i| holds_at(trace, &letters[i], atom))
}

/// Whether a word of this length satisfies a formula at its first position, where `atom` says what holds where.
pub fn on_word<A>(formula: &Ltl<A>, len: usize, atom: &dyn Fn(&A, usize) -> bool) -> bool {
    if len == 0 { on_empty_word(formula) } else { Word { len, atom }.holds(formula, 0) }
}

/// Whether the formula holds at each position of one run's word.
#[must_use]
pub fn truth(trace: &Trace, run: &[EventId], view: View, formula: &Ltl) -> Vec<bool> {
    let letters: Vec<Letter<'_>> = word(trace, run, view);
    let word = Word { len: letters.len(), atom: &|atom, i| holds_at(trace, &letters[i], atom) };
    (0..letters.len()).map(|i| word.holds(formula, i)).collect()
}

/// "On the empty word: atoms, `X`, `F`, `U`, `M`, `Y`, `O`, `S` are false; `WX`, `G`, `W`, `R`, `H` are true."
fn on_empty_word<A>(formula: &Ltl<A>) -> bool {
    match formula {
        Ltl::True => true,
        Ltl::False => false,
        Ltl::Atom(_) => false,
        Ltl::Not(f) => !on_empty_word(f),
        Ltl::And(fs) => fs.iter().all(on_empty_word),
        Ltl::Or(fs) => fs.iter().any(on_empty_word),
        Ltl::Implies(f, g) => !on_empty_word(f) || on_empty_word(g),
        Ltl::Iff(f, g) => on_empty_word(f) == on_empty_word(g),
        Ltl::Unary(op, _) => match op {
            LtlUnary::Next | LtlUnary::Finally | LtlUnary::Yesterday | LtlUnary::Once => false,
            LtlUnary::WeakNext | LtlUnary::Globally | LtlUnary::Historically => true,
        },
        Ltl::Binary(op, _, _) => match op {
            LtlBinary::Until | LtlBinary::StrongRelease | LtlBinary::Since => false,
            LtlBinary::WeakUntil | LtlBinary::Release => true,
        },
    }
}

/// A word with at least one letter; its positions are counted from 0 here, in either view.
struct Word<'a, A> {
    len: usize,
    atom: &'a dyn Fn(&A, usize) -> bool,
}

impl<A> Word<'_, A> {
    /// Whether a formula holds at position `i`.
    fn holds(&self, formula: &Ltl<A>, i: usize) -> bool {
        match formula {
            Ltl::True => true,
            Ltl::False => false,
            Ltl::Atom(atom) => (self.atom)(atom, i),
            Ltl::Not(f) => !self.holds(f, i),
            Ltl::And(fs) => fs.iter().all(|f| self.holds(f, i)),
            Ltl::Or(fs) => fs.iter().any(|f| self.holds(f, i)),
            Ltl::Implies(f, g) => !self.holds(f, i) || self.holds(g, i),
            Ltl::Iff(f, g) => self.holds(f, i) == self.holds(g, i),
            Ltl::Unary(op, f) => self.unary(*op, f, i),
            Ltl::Binary(op, f, g) => self.binary(*op, f, g, i),
        }
    }

    /// "`X` strong next (false at the last position), `WX` weak next (true there); `F` `G`; past `Y` `O` `H`."
    fn unary(&self, op: LtlUnary, f: &Ltl<A>, i: usize) -> bool {
        let end = self.len;
        match op {
            LtlUnary::Next => i + 1 < end && self.holds(f, i + 1),
            LtlUnary::WeakNext => i + 1 == end || self.holds(f, i + 1),
            LtlUnary::Finally => (i..end).any(|j| self.holds(f, j)),
            LtlUnary::Globally => (i..end).all(|j| self.holds(f, j)),
            LtlUnary::Yesterday => i > 0 && self.holds(f, i - 1),
            LtlUnary::Once => (0..=i).any(|j| self.holds(f, j)),
            LtlUnary::Historically => (0..=i).all(|j| self.holds(f, j)),
        }
    }

    /// "`U` (strong) `W` (weak) `R` `M` (strong release); past `S`."
    fn binary(&self, op: LtlBinary, f: &Ltl<A>, g: &Ltl<A>, i: usize) -> bool {
        let end = self.len;
        match op {
            LtlBinary::Until => (i..end).any(|k| self.holds(g, k) && (i..k).all(|j| self.holds(f, j))),
            LtlBinary::WeakUntil => (i..end).all(|j| self.holds(f, j)) || self.binary(LtlBinary::Until, f, g, i),
            // g holds at every position that no earlier f has released.
            LtlBinary::Release => (i..end).all(|k| self.holds(g, k) || (i..k).any(|j| self.holds(f, j))),
            // The releasing f does come, and g holds up to and including it.
            LtlBinary::StrongRelease => (i..end).any(|k| self.holds(f, k) && (i..=k).all(|j| self.holds(g, j))),
            LtlBinary::Since => (0..=i).any(|k| self.holds(g, k) && (k + 1..=i).all(|j| self.holds(f, j))),
        }
    }
}

/// Whether an infinite word satisfies a formula: `stem` positions come once, then `round` positions again and again; `atom` says what
/// holds at each of these `stem + round`. "Standard LTL, where `X` and `WX` agree."
///
/// # Panics
/// When there is no round.
pub fn on_lasso<A>(formula: &Ltl<A>, stem: usize, round: usize, atom: &dyn Fn(&A, usize) -> bool) -> bool {
    assert!(round > 0, "an infinite word ends in a round");
    let len = stem + round * (past_depth(formula) + 1);
    Lasso { stem, round, len, atom }.row(formula)[0]
}

/// How deep operators that look back are nested.
#[must_use]
pub fn past_depth<A>(formula: &Ltl<A>) -> usize {
    use LtlUnary::{Historically, Once, Yesterday};
    let inner = formula.operands().into_iter().map(past_depth).max().unwrap_or(0);
    let looks_back =
        matches!(formula, Ltl::Unary(Yesterday | Once | Historically, _) | Ltl::Binary(LtlBinary::Since, _, _));
    inner + usize::from(looks_back)
}

/// An infinite word whose first `len` positions are looked at; the last `round` of them stand for all later ones.
///
/// Invariant: the truth of every part of the formula has become periodic, with the length of the round, when the last `round`
/// positions begin. Atoms are so from the end of the stem on. What looks ahead is so as soon as its operands are. An operator that
/// looks back at operands that are periodic is so one round later: `Y` is late by one position; what the others carry from one
/// round to the next is one truth value, and over a round it is either kept or set to something fixed.
struct Lasso<'a, A> {
    stem: usize,
    round: usize,
    len: usize,
    atom: &'a dyn Fn(&A, usize) -> bool,
}

impl<A> Lasso<'_, A> {
    /// The positions from `i` on, each that can be told apart once.
    fn from(&self, i: usize) -> impl Iterator<Item = usize> + use<A> {
        let back = self.len - self.round;
        (i..self.len).chain(back..i.max(back))
    }

    fn each(&self, holds: impl Fn(usize) -> bool) -> Vec<bool> {
        (0..self.len).map(holds).collect()
    }

    /// At which positions a formula holds.
    fn row(&self, formula: &Ltl<A>) -> Vec<bool> {
        match formula {
            Ltl::True => self.each(|_| true),
            Ltl::False => self.each(|_| false),
            Ltl::Atom(a) => self.each(|i| {
                let place = if i < self.stem { i } else { self.stem + (i - self.stem) % self.round };
                (self.atom)(a, place)
            }),
            Ltl::Not(f) => {
                let f = self.row(f);
                self.each(|i| !f[i])
            }
            Ltl::And(fs) => {
                let rows: Vec<Vec<bool>> = fs.iter().map(|f| self.row(f)).collect();
                self.each(|i| rows.iter().all(|f| f[i]))
            }
            Ltl::Or(fs) => {
                let rows: Vec<Vec<bool>> = fs.iter().map(|f| self.row(f)).collect();
                self.each(|i| rows.iter().any(|f| f[i]))
            }
            Ltl::Implies(f, g) => {
                let (f, g) = (self.row(f), self.row(g));
                self.each(|i| !f[i] || g[i])
            }
            Ltl::Iff(f, g) => {
                let (f, g) = (self.row(f), self.row(g));
                self.each(|i| f[i] == g[i])
            }
            Ltl::Unary(op, f) => {
                let f = self.row(f);
                self.each(|i| match op {
                    LtlUnary::Next | LtlUnary::WeakNext => f[self.from(i).nth(1).unwrap_or(i)],
                    LtlUnary::Finally => self.from(i).any(|j| f[j]),
                    LtlUnary::Globally => self.from(i).all(|j| f[j]),
                    LtlUnary::Yesterday => i > 0 && f[i - 1],
                    LtlUnary::Once => (0..=i).any(|j| f[j]),
                    LtlUnary::Historically => (0..=i).all(|j| f[j]),
                })
            }
            Ltl::Binary(op, f, g) => {
                let (f, g) = (self.row(f), self.row(g));
                self.each(|i| self.binary(*op, &f, &g, i))
            }
        }
    }

    fn binary(&self, op: LtlBinary, f: &[bool], g: &[bool], i: usize) -> bool {
        let before = |k: usize| self.from(i).take_while(move |&j| j != k);
        match op {
            LtlBinary::Until => self.from(i).any(|k| g[k] && before(k).all(|j| f[j])),
            LtlBinary::WeakUntil => self.from(i).all(|j| f[j]) || self.binary(LtlBinary::Until, f, g, i),
            LtlBinary::Release => self.from(i).all(|k| g[k] || before(k).any(|j| f[j])),
            LtlBinary::StrongRelease => self.from(i).any(|k| f[k] && g[k] && before(k).all(|j| g[j])),
            LtlBinary::Since => (0..=i).any(|k| g[k] && (k + 1..=i).all(|j| f[j])),
        }
    }
}
