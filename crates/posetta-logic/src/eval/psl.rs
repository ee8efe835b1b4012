//! PSL on one word, by definition (Pnueli and Zaks 2006, section 2.2, with `<r> f` read on the word itself).
//!
//! The definition speaks of words with the letters ⊤, which satisfies every boolean, and ⊥, which satisfies none. Of a finite word only
//! these come up: what is left of it up to a *cut*, and behind that nothing, ⊤ forever, or ⊥ forever ([`Closing`]). So a formula has a row
//! of truth values for each [`View`]: one for the word from each position up to the cut, and one for what is behind it. Negation exchanges
//! ⊤ and ⊥; `abort` cuts; a weak SERE asks for ⊤ forever.
//!
//! A SERE is asked from which positions it leads to a goal ([`super::sere`]): a row again.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Word;
use super::sere::{Matcher, nullable, plain};
use crate::{AtomId, Guard, Psl, PslBinary, PslUnary, Sere, SereOp, Suffix, Times};
use posetta_base::{Budget, Claim, OverBudget};

const WHAT: &str = "evaluating a PSL formula on a run";

/// Whether the word satisfies the formula, however long that takes.
///
/// # Panics
/// If the lengths of a SERE need more than 64 bits; [`psl_decide`] answers then, too.
#[must_use]
pub fn psl_holds(formula: &Psl<AtomId>, word: &Word) -> bool {
    psl_decide(formula, word, &Budget::unlimited()).expect("lengths of SEREs that 64 bits hold")
}

/// Whether the word satisfies the formula.
///
/// # Errors
/// When the budget is spent.
pub fn psl_decide(formula: &Psl<AtomId>, word: &Word, budget: &Budget) -> Result<bool, OverBudget> {
    let mut evaluator = Evaluator::new(word, budget)?;
    Ok(evaluator.row(formula, View { cut: word.len(), closing: Closing::Ends })?[0])
}

/// Where the formula holds: one entry per position, and one for the empty word behind the last.
///
/// # Errors
/// When the budget is spent.
pub fn psl_truth(formula: &Psl<AtomId>, word: &Word, budget: &Budget) -> Result<Vec<bool>, OverBudget> {
    let mut evaluator = Evaluator::new(word, budget)?;
    evaluator.row(formula, View { cut: word.len(), closing: Closing::Ends })
}

/// Whether the first letters of a word refute the formula, whatever follows: not even ⊤ forever would do.
///
/// # Errors
/// When the budget is spent.
pub fn psl_refuted(formula: &Psl<AtomId>, word: &Word, letters: usize, budget: &Budget) -> Result<bool, OverBudget> {
    let mut evaluator = Evaluator::new(word, budget)?;
    let view = View { cut: letters.min(word.len()), closing: Closing::Top };
    Ok(!evaluator.row(formula, view)?[0])
}

/// At which letters a match of `{[*];r}` ends. Those are where matches of what r is backwards begin in the word backwards.
///
/// # Errors
/// When the budget is spent.
pub fn sere_ends(sere: &Sere<AtomId>, word: &Word, budget: &Budget) -> Result<Vec<bool>, OverBudget> {
    let back = backwards(&plain(sere));
    if nullable(&back) {
        return Ok(vec![true; word.len()]);
    }
    let reversed = word.reversed();
    let evaluator = Evaluator::new(&reversed, budget)?;
    let mut row = evaluator.strong(&back, View { cut: word.len(), closing: Closing::Ends }, false)?;
    row.truncate(word.len());
    row.reverse();
    Ok(row)
}

/// The SERE of the words backwards.
fn backwards(sere: &Sere<AtomId>) -> Sere<AtomId> {
    let any = || Sere::Repeat(Box::new(Sere::Bool(Guard::True)), Times::ANY);
    let before = |r: &Sere<AtomId>| Sere::Chain(SereOp::Concat, vec![any(), r.clone()]);
    match sere {
        Sere::Chain(op @ (SereOp::Concat | SereOp::Fusion), parts) => {
            Sere::Chain(*op, parts.iter().rev().map(backwards).collect())
        }
        // `&` starts together, and ends with the longer one: backwards the shorter one starts later.
        Sere::Chain(SereOp::And, parts) => {
            let mut parts = parts.iter().map(backwards);
            let first = parts.next().unwrap_or(Sere::Bool(Guard::False));
            parts.fold(first, |r, s| {
                let one = Sere::Chain(SereOp::Intersect, vec![r.clone(), before(&s)]);
                let other = Sere::Chain(SereOp::Intersect, vec![before(&r), s]);
                Sere::Chain(SereOp::Or, vec![one, other])
            })
        }
        Sere::Chain(op, parts) => Sere::Chain(*op, parts.iter().map(backwards).collect()),
        Sere::Repeat(r, times) => Sere::Repeat(Box::new(backwards(r)), *times),
        Sere::Bool(_) | Sere::Goto(..) | Sere::Occur(..) => sere.clone(),
    }
}

/// What comes behind the cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Closing {
    Ends,
    /// ⊤ forever.
    Top,
    /// ⊥ forever.
    Bottom,
}

/// The word up to a cut and what comes behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct View {
    cut: usize,
    closing: Closing,
}

impl View {
    /// The same with ⊤ for ⊥.
    fn complement(self) -> Self {
        let closing = match self.closing {
            Closing::Ends => Closing::Ends,
            Closing::Top => Closing::Bottom,
            Closing::Bottom => Closing::Top,
        };
        Self { closing, ..self }
    }

    fn ends(self) -> bool {
        self.closing == Closing::Ends
    }
}

/// One entry per position up to the cut, and one for what is behind it.
type Row = Vec<bool>;

fn zip(a: Row, b: &[bool], f: fn(bool, bool) -> bool) -> Row {
    a.into_iter().zip(b).map(|(a, &b)| f(a, b)).collect()
}

fn flip(row: Row) -> Row {
    row.into_iter().map(|v| !v).collect()
}

struct Evaluator<'w> {
    word: &'w Word,
    budget: &'w Budget,
    claim: Claim,
    /// How deep it is inside of the formula: on each level a few rows wait.
    depth: u64,
    /// Rows of operands of `<->`, which are asked for with ⊤ and with ⊥. By the place of the operand in memory.
    known: FxHashMap<(usize, View), Rc<Row>>,
}

impl<'w> Evaluator<'w> {
    fn new(word: &'w Word, budget: &'w Budget) -> Result<Self, OverBudget> {
        Ok(Self { word, budget, claim: budget.claim(0, WHAT)?, depth: 0, known: FxHashMap::default() })
    }

    fn letter(&self, guard: &Guard<AtomId>, i: usize) -> bool {
        guard.holds(&|&a| self.word.row(a)[i])
    }

    /// Where the formula holds.
    fn row(&mut self, formula: &Psl<AtomId>, view: View) -> Result<Row, OverBudget> {
        self.depth += 1;
        self.budget.step(0, WHAT)?;
        let rows = self.depth.saturating_mul(4).saturating_add(self.known.len() as u64);
        self.claim.grow_to(rows.saturating_mul(self.word.len() as u64 + 1), WHAT)?;
        let row = self.row_of(formula, view)?;
        self.depth -= 1;
        Ok(row)
    }

    fn row_of(&mut self, formula: &Psl<AtomId>, view: View) -> Result<Row, OverBudget> {
        Ok(match formula {
            Psl::Bool(b) => {
                let mut row: Row = (0..view.cut).map(|i| self.letter(b, i)).collect();
                row.push(view.closing != Closing::Bottom);
                row
            }
            Psl::Sere { sere, strong: true } => self.strong(sere, view, view.closing == Closing::Top)?,
            // Every beginning must be one that could still lead to a match; the longest decides.
            Psl::Sere { sere, strong: false } => {
                let mut row = self.strong(sere, view, view.closing != Closing::Bottom)?;
                if view.ends() {
                    row[view.cut] = true;
                }
                row
            }
            Psl::Not(f) => self.not(f, view)?,
            Psl::And(fs) => {
                let mut all = vec![true; view.cut + 1];
                for f in fs {
                    all = zip(all, &self.row(f, view)?, |a, b| a && b);
                }
                all
            }
            Psl::Or(fs) => {
                let mut any = vec![false; view.cut + 1];
                for f in fs {
                    any = zip(any, &self.row(f, view)?, |a, b| a || b);
                }
                any
            }
            Psl::Implies(f, g) => zip(self.not(f, view)?, &self.row(g, view)?, |a, b| a || b),
            Psl::Iff(f, g) => {
                let both = zip((*self.known(f, view)?).clone(), &self.known(g, view)?, |a, b| a && b);
                let neither = zip(self.known_not(f, view)?, &self.known_not(g, view)?, |a, b| a && b);
                zip(both, &neither, |a, b| a || b)
            }
            Psl::Unary(op, f) => {
                let f = self.row(f, view)?;
                match op {
                    PslUnary::Next => next(&f, view, 1, false),
                    PslUnary::StrongNext => next(&f, view, 1, true),
                    PslUnary::Globally => until(&f, &vec![false; view.cut + 1], view, false),
                    PslUnary::Finally => until(&vec![true; view.cut + 1], &f, view, true),
                }
            }
            Psl::NextTimes { strong, count, formula } => {
                next(&self.row(formula, view)?, view, *count as usize, *strong)
            }
            Psl::Binary(op, f, g) => {
                let f = self.row(f, view)?;
                match *op {
                    PslBinary::Until { strong, inclusive } => {
                        let g = self.row(g, view)?;
                        let goal = if inclusive { zip(g, &f, |g, f| g && f) } else { g };
                        until(&f, &goal, view, strong)
                    }
                    PslBinary::Before { strong, inclusive } => {
                        let not_g = self.not(g, view)?;
                        let goal = if inclusive { f } else { zip(f, &not_g, |f, g| f && g) };
                        until(&not_g, &goal, view, strong)
                    }
                }
            }
            Psl::Never(r) => {
                let nothing = vec![false; view.cut + 1];
                self.every(&after_any(r), &nothing, view)?
            }
            Psl::Eventually(r) => self.strong(&after_any(r), view, view.closing == Closing::Top)?,
            Psl::Suffix(Suffix::Some, r, f) => {
                let f = self.row(f, view)?;
                self.some(r, &f, view)?
            }
            Psl::Suffix(Suffix::Overlapping, r, f) => {
                let f = self.row(f, view)?;
                self.every(r, &f, view)?
            }
            Psl::Suffix(Suffix::After, r, f) => {
                let f = self.row(f, view)?;
                let longer = Sere::Chain(SereOp::Concat, vec![r.clone(), Sere::Bool(Guard::True)]);
                self.every(&longer, &f, view)?
            }
            Psl::Abort(f, b) => {
                let mut row = self.row(f, view)?;
                // Up to here it holds without.
                let mut satisfied = 0;
                for j in 0..view.cut {
                    while satisfied < view.cut && row[satisfied] {
                        satisfied += 1;
                    }
                    if satisfied <= j && self.letter(b, j) {
                        let aborted = self.row(f, View { cut: j, closing: Closing::Top })?;
                        for (v, a) in row.iter_mut().zip(aborted) {
                            *v |= a;
                        }
                    }
                }
                row
            }
        })
    }

    /// `!f`. Of a boolean it is a boolean, which the empty word satisfies as well.
    fn not(&mut self, formula: &Psl<AtomId>, view: View) -> Result<Row, OverBudget> {
        let mut row = flip(self.row(formula, view.complement())?);
        if view.ends() && matches!(formula, Psl::Bool(_)) {
            row[view.cut] = true;
        }
        Ok(row)
    }

    fn known_not(&mut self, formula: &Psl<AtomId>, view: View) -> Result<Row, OverBudget> {
        let mut row = flip((*self.known(formula, view.complement())?).clone());
        if view.ends() && matches!(formula, Psl::Bool(_)) {
            row[view.cut] = true;
        }
        Ok(row)
    }

    fn known(&mut self, formula: &Psl<AtomId>, view: View) -> Result<Rc<Row>, OverBudget> {
        let key = (std::ptr::from_ref(formula) as usize, view);
        if let Some(known) = self.known.get(&key) {
            return Ok(Rc::clone(known));
        }
        let row = Rc::new(self.row(formula, view)?);
        self.known.insert(key, Rc::clone(&row));
        Ok(row)
    }

    /// `r!`: some beginning that is not empty matches. `tops`: behind the cut comes ⊤ forever.
    fn strong(&self, sere: &Sere<AtomId>, view: View, tops: bool) -> Result<Row, OverBudget> {
        self.leads(sere, &vec![true; view.cut + 2], view.cut, tops)
    }

    /// `<r> f`, from where f holds.
    fn some(&self, sere: &Sere<AtomId>, f: &[bool], view: View) -> Result<Row, OverBudget> {
        // A match that ends before position e has its last letter at e - 1, and f is asked there.
        let mut goal = vec![false];
        goal.extend_from_slice(f);
        self.leads(sere, &goal, view.cut, view.closing == Closing::Top)
    }

    /// `r |-> f`, which is `!<r>!f`.
    fn every(&self, sere: &Sere<AtomId>, f: &[bool], view: View) -> Result<Row, OverBudget> {
        Ok(flip(self.some(sere, &flip(f.to_vec()), view.complement())?))
    }

    fn leads(&self, sere: &Sere<AtomId>, goal: &[bool], cut: usize, tops: bool) -> Result<Row, OverBudget> {
        let sere = plain(sere);
        let mut matcher = Matcher::new(self.word, cut, tops, self.budget)?;
        let mut row = matcher.leads(&sere, goal)?;
        row.truncate(cut + 1);
        Ok(row)
    }
}

/// `{[*];r}`
fn after_any(sere: &Sere<AtomId>) -> Sere<AtomId> {
    let any = Sere::Repeat(Box::new(Sere::Bool(Guard::True)), Times::ANY);
    Sere::Chain(SereOp::Concat, vec![any, sere.clone()])
}

/// `count` times `X!` or `X`.
fn next(f: &[bool], view: View, count: usize, strong: bool) -> Row {
    let at = |i: usize| match count {
        0 => f[i],
        _ if !view.ends() => f[i.saturating_add(count).min(view.cut)],
        _ if i.saturating_add(count) < view.cut => f[i + count],
        _ => !strong,
    };
    (0..=view.cut).map(at).collect()
}

/// `f U g` or `f W g`. In what repeats forever behind the cut, every later word is the same.
fn until(f: &[bool], g: &[bool], view: View, strong: bool) -> Row {
    let mut row = vec![false; view.cut + 1];
    let mut later = if view.ends() { !strong } else { g[view.cut] || !strong && f[view.cut] };
    row[view.cut] = later;
    for i in (0..view.cut).rev() {
        later = g[i] || f[i] && later;
        row[i] = later;
    }
    row
}

#[cfg(test)]
mod tests;
