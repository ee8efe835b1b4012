//! A word that goes round forever, by definition: the letters of a [`Word`], and behind the last one again that at `cycle`.
//!
//! Every formula has a row of truth values, one per position, because what follows a position is the same each time it is passed. That is so for
//! the past, too, once the cycle has been passed often enough: as often as operators of the past are nested, so the word is unrolled first.
//! Least and greatest fixpoints are found by going round until nothing changes. PSL formulas see the word cut off where `abort` says
//! (Pnueli and Zaks 2006, section 2.2): a [`Cut`] has the positions from which on it is ⊤, or ⊥, forever.

use super::{Kleene, Word, and, not as negated, or};
use crate::{
    AtomId, Ctl, CtlBinary, CtlUnary, Grammar, Guard, Ltl, LtlBinary, LtlUnary, Path, Psl, PslBinary, PslUnary, Sere,
    SereOp, Suffix, Times,
};
use posetta_base::{Budget, OverBudget};

const WHAT: &str = "evaluating a formula on a word that goes round";

type Row = Vec<bool>;

/// What is known of a formula at each position.
pub(super) type Rows<T> = Result<Vec<T>, OverBudget>;

/// Whether the word that goes back from its last letter to `cycle` satisfies the formula. `X` and `WX` agree on it.
///
/// # Errors
/// When the budget is spent.
///
/// # Panics
/// If `cycle` is not a position of the word.
pub fn ltl_on_lasso(formula: &Ltl<AtomId>, word: &Word, cycle: usize, budget: &Budget) -> Result<bool, OverBudget> {
    let lasso = Lasso::unrolled(formula, word, cycle, budget);
    let _claim = budget.claim(lasso.len as u64, WHAT)?;
    Ok(lasso.ltl(formula)?[0])
}

/// Whether the word that goes back from its last letter to `cycle` satisfies the formula.
///
/// # Errors
/// When the budget is spent.
///
/// # Panics
/// If `cycle` is not a position of the word.
pub fn psl_on_lasso(formula: &Psl<AtomId>, word: &Word, cycle: usize, budget: &Budget) -> Result<bool, OverBudget> {
    Ok(Lasso::new(word, cycle, budget).uncut(formula)?[0])
}

fn past_depth(formula: &Ltl<AtomId>) -> usize {
    let inner = formula.operands().into_iter().map(past_depth).max().unwrap_or(0);
    let past = matches!(
        formula,
        Ltl::Unary(LtlUnary::Yesterday | LtlUnary::Once | LtlUnary::Historically, _)
            | Ltl::Binary(LtlBinary::Since, _, _)
    );
    inner + usize::from(past)
}

/// Where the word becomes ⊤, and where ⊥.
#[derive(Clone)]
struct Cut {
    tops: Row,
    bottoms: Row,
}

impl Cut {
    fn exchanged(&self) -> Self {
        Self { tops: self.bottoms.clone(), bottoms: self.tops.clone() }
    }

    fn at(&self, i: usize) -> bool {
        self.tops[i] || self.bottoms[i]
    }
}

pub(super) struct Lasso<'a> {
    word: &'a Word,
    /// Positions of the word as given.
    letters: usize,
    /// Positions once unrolled.
    len: usize,
    cycle: usize,
    budget: &'a Budget,
}

impl<'a> Lasso<'a> {
    /// A word that goes back from its last letter to `cycle`.
    pub(super) fn new(word: &'a Word, cycle: usize, budget: &'a Budget) -> Self {
        assert!(cycle < word.len(), "a cycle starts at a position");
        Self { word, letters: word.len(), len: word.len(), cycle, budget }
    }

    /// The same, unrolled as often as the past of a formula needs.
    pub(super) fn unrolled(formula: &Ltl<AtomId>, word: &'a Word, cycle: usize, budget: &'a Budget) -> Self {
        let lasso = Self::new(word, cycle, budget);
        let extra = (word.len() - cycle).saturating_mul(past_depth(formula));
        Self { len: lasso.len.saturating_add(extra), cycle: cycle.saturating_add(extra), ..lasso }
    }

    /// How many positions it has, once unrolled.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// A row as far as the letters go, and where the first of the cycle stands again.
    pub(super) fn once_around<T: Copy>(&self, row: &[T]) -> Vec<T> {
        let again = if self.len > self.letters { self.letters } else { self.cycle };
        row[..self.letters].iter().chain([&row[again]]).copied().collect()
    }

    /// Where a PSL formula holds, if nothing cuts the word off.
    pub(super) fn uncut(&self, formula: &Psl<AtomId>) -> Result<Vec<bool>, OverBudget> {
        let never = Cut { tops: vec![false; self.len], bottoms: vec![false; self.len] };
        self.psl(formula, &never)
    }

    fn after(&self, i: usize) -> usize {
        if i + 1 == self.len { self.cycle } else { i + 1 }
    }

    /// The letter at a position of the unrolled word.
    fn letter(&self, i: usize) -> usize {
        let round = self.len - self.cycle;
        if i < self.letters { i } else { self.letters - round + (i - self.letters) % round }
    }

    fn guard(&self, guard: &Guard<AtomId>) -> Row {
        (0..self.len).map(|i| guard.holds(&|a| self.word.row(*a)[self.letter(i)])).collect()
    }

    /// The fixpoint of `row[i] = step(i, row[after i])`, from `start` everywhere.
    fn fixpoint<V: Copy + PartialEq>(&self, start: V, step: impl Fn(usize, V) -> V) -> Result<Vec<V>, OverBudget> {
        let mut row = vec![start; self.len];
        loop {
            self.budget.step(self.len as u64, WHAT)?;
            let mut changed = false;
            for i in (0..self.len).rev() {
                let value = step(i, row[self.after(i)]);
                changed |= value != row[i];
                row[i] = value;
            }
            if !changed {
                return Ok(row);
            }
        }
    }

    fn ltl(&self, formula: &Ltl<AtomId>) -> Result<Row, OverBudget> {
        self.ltl_from(formula, &mut |f| self.ltl(f))
    }

    /// Where it holds, from where its operands do, which are asked for from left to right.
    pub(super) fn ltl_from(&self, formula: &Ltl<AtomId>, of: &mut dyn FnMut(&Ltl<AtomId>) -> Rows<bool>) -> Rows<bool> {
        self.budget.step(self.len as u64, WHAT)?;
        let all = |f: &dyn Fn(usize) -> bool| (0..self.len).map(f).collect::<Row>();
        Ok(match formula {
            Ltl::True => vec![true; self.len],
            Ltl::False => vec![false; self.len],
            Ltl::Atom(a) => all(&|i| self.word.row(*a)[self.letter(i)]),
            Ltl::Not(f) => of(f)?.into_iter().map(|b| !b).collect(),
            Ltl::And(fs) => {
                let rows = fs.iter().map(&mut *of).collect::<Result<Vec<_>, _>>()?;
                all(&|i| rows.iter().all(|row| row[i]))
            }
            Ltl::Or(fs) => {
                let rows = fs.iter().map(&mut *of).collect::<Result<Vec<_>, _>>()?;
                all(&|i| rows.iter().any(|row| row[i]))
            }
            Ltl::Implies(f, g) => {
                let (f, g) = (of(f)?, of(g)?);
                all(&|i| !f[i] || g[i])
            }
            Ltl::Iff(f, g) => {
                let (f, g) = (of(f)?, of(g)?);
                all(&|i| f[i] == g[i])
            }
            Ltl::Unary(op, f) => {
                let f = of(f)?;
                match op {
                    LtlUnary::Next | LtlUnary::WeakNext => all(&|i| f[self.after(i)]),
                    LtlUnary::Finally => self.fixpoint(false, |i, later| f[i] || later)?,
                    LtlUnary::Globally => self.fixpoint(true, |i, later| f[i] && later)?,
                    LtlUnary::Yesterday => all(&|i| i > 0 && f[i - 1]),
                    LtlUnary::Once => scan(&f, |before, now| before || now, false),
                    LtlUnary::Historically => scan(&f, |before, now| before && now, true),
                }
            }
            Ltl::Binary(op, f, g) => {
                let (f, g) = (of(f)?, of(g)?);
                match op {
                    LtlBinary::Until => self.fixpoint(false, |i, later| g[i] || (f[i] && later))?,
                    LtlBinary::WeakUntil => self.fixpoint(true, |i, later| g[i] || (f[i] && later))?,
                    LtlBinary::Release => self.fixpoint(true, |i, later| g[i] && (f[i] || later))?,
                    LtlBinary::StrongRelease => self.fixpoint(false, |i, later| g[i] && (f[i] || later))?,
                    LtlBinary::Since => {
                        let mut before = false;
                        (0..self.len)
                            .map(|i| {
                                before = g[i] || (f[i] && before);
                                before
                            })
                            .collect()
                    }
                }
            }
        })
    }

    /// What the path proves of a CTL formula at each of its states, from what it proves of its operands: `E…` can be true and `A…`
    /// false, if they go round with it. See [`super::on_path`].
    pub(super) fn ctl_from(
        &self,
        formula: &Ctl<AtomId>,
        of: &mut dyn FnMut(&Ctl<AtomId>) -> Rows<Kleene>,
    ) -> Rows<Kleene> {
        self.budget.step(self.len as u64, WHAT)?;
        let all = |f: &dyn Fn(usize) -> Kleene| (0..self.len).map(f).collect::<Vec<_>>();
        Ok(match formula {
            Ctl::True => vec![Some(true); self.len],
            Ctl::False => vec![Some(false); self.len],
            Ctl::Atom(a) => all(&|i| Some(self.word.row(*a)[self.letter(i)])),
            Ctl::Not(f) => of(f)?.into_iter().map(negated).collect(),
            Ctl::And(fs) => {
                let rows = fs.iter().map(&mut *of).collect::<Result<Vec<_>, _>>()?;
                all(&|i| rows.iter().map(|row| row[i]).reduce(and).unwrap_or(Some(true)))
            }
            Ctl::Or(fs) => {
                let rows = fs.iter().map(&mut *of).collect::<Result<Vec<_>, _>>()?;
                all(&|i| rows.iter().map(|row| row[i]).reduce(or).unwrap_or(Some(false)))
            }
            Ctl::Implies(f, g) => {
                let (f, g) = (of(f)?, of(g)?);
                all(&|i| or(negated(f[i]), g[i]))
            }
            Ctl::Iff(f, g) => {
                let (f, g) = (of(f)?, of(g)?);
                all(&|i| Some(f[i]? == g[i]?))
            }
            Ctl::Unary(path, CtlUnary::Next, f) => {
                let f = of(f)?;
                all(&|i| f[self.after(i)].filter(|&v| v == (*path == Path::Some)))
            }
            Ctl::Unary(path, CtlUnary::Finally, f) => {
                let f = of(f)?;
                self.quantify(*path, false, |i, later| or(f[i], later))?
            }
            Ctl::Unary(path, CtlUnary::Globally, f) => {
                let f = of(f)?;
                self.quantify(*path, true, |i, later| and(f[i], later))?
            }
            Ctl::Binary(path, op, f, g) => {
                let (f, g) = (of(f)?, of(g)?);
                match op {
                    CtlBinary::Until => self.quantify(*path, false, |i, later| or(g[i], and(f[i], later)))?,
                    CtlBinary::WeakUntil => self.quantify(*path, true, |i, later| or(g[i], and(f[i], later)))?,
                    CtlBinary::Release => self.quantify(*path, true, |i, later| and(g[i], or(f[i], later)))?,
                }
            }
        })
    }

    /// From the truth along this path, a fixpoint from all `start`, to what it proves of all paths.
    fn quantify(
        &self,
        path: Path,
        start: bool,
        step: impl Fn(usize, Kleene) -> Kleene,
    ) -> Result<Vec<Kleene>, OverBudget> {
        let row = self.fixpoint(Some(start), &step)?;
        // What is decided at once is so on every path.
        let proved = |i: usize| step(i, None).or(row[i].filter(|&v| v == (path == Path::Some)));
        Ok((0..self.len).map(proved).collect())
    }

    fn psl(&self, formula: &Psl<AtomId>, cut: &Cut) -> Result<Row, OverBudget> {
        self.budget.step(self.len as u64, WHAT)?;
        let all = |f: &dyn Fn(usize) -> bool| (0..self.len).map(f).collect::<Row>();
        let not = |row: Row| row.into_iter().map(|b| !b).collect::<Row>();
        let anything = || Sere::Repeat(Box::new(Sere::Bool(Guard::True)), Times::ANY);
        let behind = |r: &Sere<AtomId>| Sere::Chain(SereOp::Concat, vec![anything(), r.clone()]);
        // What comes next where the word goes on; where it is cut off, all positions are alike.
        let next = |row: &Row| all(&|i| if cut.at(i) { row[i] } else { row[self.after(i)] });
        Ok(match formula {
            Psl::Bool(b) => {
                let b = self.guard(b);
                all(&|i| cut.tops[i] || (b[i] && !cut.bottoms[i]))
            }
            Psl::Sere { sere, strong: true } => self.matches(sere, &all(&|i| !cut.bottoms[i]), cut)?,
            Psl::Sere { sere, strong: false } => self.unrefuted(sere, cut)?,
            Psl::Not(f) => not(self.psl(f, &cut.exchanged())?),
            Psl::And(fs) => {
                let rows = fs.iter().map(|f| self.psl(f, cut)).collect::<Result<Vec<_>, _>>()?;
                all(&|i| rows.iter().all(|row| row[i]))
            }
            Psl::Or(fs) => {
                let rows = fs.iter().map(|f| self.psl(f, cut)).collect::<Result<Vec<_>, _>>()?;
                all(&|i| rows.iter().any(|row| row[i]))
            }
            Psl::Implies(f, g) => {
                let (f, g) = (self.psl(f, &cut.exchanged())?, self.psl(g, cut)?);
                all(&|i| !f[i] || g[i])
            }
            Psl::Iff(f, g) => {
                let (yes_f, yes_g) = (self.psl(f, cut)?, self.psl(g, cut)?);
                let (no_f, no_g) = (self.psl(f, &cut.exchanged())?, self.psl(g, &cut.exchanged())?);
                all(&|i| (yes_f[i] && yes_g[i]) || (!no_f[i] && !no_g[i]))
            }
            Psl::Unary(op, f) => {
                let f = self.psl(f, cut)?;
                match op {
                    PslUnary::Next | PslUnary::StrongNext => next(&f),
                    PslUnary::Finally => self.fixpoint(false, |i, later| f[i] || (!cut.at(i) && later))?,
                    PslUnary::Globally => self.fixpoint(true, |i, later| f[i] && (cut.at(i) || later))?,
                }
            }
            Psl::NextTimes { count, formula, .. } => {
                let mut row = self.psl(formula, cut)?;
                for _ in 0..*count {
                    self.budget.step(self.len as u64, WHAT)?;
                    row = next(&row);
                }
                row
            }
            Psl::Binary(op, f, g) => {
                let (hold, goal, strong) = match *op {
                    PslBinary::Until { strong, inclusive } => {
                        let (f, g) = (self.psl(f, cut)?, self.psl(g, cut)?);
                        let goal = if inclusive { all(&|i| f[i] && g[i]) } else { g };
                        (f, goal, strong)
                    }
                    PslBinary::Before { strong, inclusive } => {
                        let f = self.psl(f, cut)?;
                        let hold = not(self.psl(g, &cut.exchanged())?);
                        let goal = if inclusive { f } else { all(&|i| f[i] && hold[i]) };
                        (hold, goal, strong)
                    }
                };
                if strong {
                    self.fixpoint(false, |i, later| goal[i] || (hold[i] && !cut.at(i) && later))?
                } else {
                    self.fixpoint(true, |i, later| goal[i] || (hold[i] && (cut.at(i) || later)))?
                }
            }
            Psl::Never(r) => {
                // {[*];r} |-> false: no match, read on the complement.
                let exchanged = cut.exchanged();
                not(self.matches(&behind(r), &all(&|i| !exchanged.bottoms[i]), &exchanged)?)
            }
            Psl::Eventually(r) => self.matches(&behind(r), &all(&|i| !cut.bottoms[i]), cut)?,
            Psl::Suffix(Suffix::Some, r, f) => {
                let f = self.psl(f, cut)?;
                self.matches(r, &f, cut)?
            }
            Psl::Suffix(op, r, f) => {
                let exchanged = cut.exchanged();
                let fails = not(self.psl(f, cut)?);
                let r = match op {
                    Suffix::After => Sere::Chain(SereOp::Concat, vec![r.clone(), Sere::Bool(Guard::True)]),
                    _ => r.clone(),
                };
                not(self.matches(&r, &fails, &exchanged)?)
            }
            Psl::Abort(f, b) => {
                let b = self.guard(b);
                let tops = all(&|i| cut.tops[i] || (b[i] && !cut.bottoms[i]));
                self.psl(f, &Cut { tops, bottoms: cut.bottoms.clone() })?
            }
        })
    }

    /// From which positions a match of the SERE ends where `goal` holds.
    fn matches(&self, sere: &Sere<AtomId>, goal: &Row, cut: &Cut) -> Result<Row, OverBudget> {
        let grammar = Grammar::of(sere, self.budget)?;
        self.derivations(&grammar, false, |i| cut.tops[i] && goal[i], goal, cut)
    }

    /// From which positions the SERE is never refuted.
    fn unrefuted(&self, sere: &Sere<AtomId>, cut: &Cut) -> Result<Row, OverBudget> {
        let grammar = Grammar::of(sere, self.budget)?;
        self.derivations(&grammar, true, |i| cut.tops[i], &vec![true; self.len], cut)
    }

    fn derivations(
        &self,
        grammar: &Grammar,
        start: bool,
        at_tops: impl Fn(usize) -> bool,
        goal: &Row,
        cut: &Cut,
    ) -> Result<Row, OverBudget> {
        if grammar.rules.is_empty() {
            return Ok(vec![false; self.len]);
        }
        let size = (grammar.rules.iter().map(Vec::len).sum::<usize>() * self.len) as u64;
        let _claim = self.budget.claim(size.saturating_mul(2), WHAT)?;
        let guards: Vec<Vec<Row>> =
            grammar.rules.iter().map(|rules| rules.iter().map(|rule| self.guard(&rule.guard)).collect()).collect();
        let mut rows = vec![vec![start; self.len]; grammar.rules.len()];
        loop {
            self.budget.step(size, WHAT)?;
            let mut changed = false;
            for i in (0..self.len).rev() {
                for v in 0..rows.len() {
                    let value = if cut.at(i) {
                        at_tops(i)
                    } else {
                        grammar.rules[v].iter().zip(&guards[v]).any(|(rule, guard)| {
                            guard[i] && rule.then.map_or_else(|| goal[i], |w| rows[w][self.after(i)])
                        })
                    };
                    changed |= rows[v][i] != value;
                    rows[v][i] = value;
                }
            }
            if !changed {
                return Ok(rows.swap_remove(0));
            }
        }
    }
}

fn scan(row: &Row, join: impl Fn(bool, bool) -> bool, start: bool) -> Row {
    let mut before = start;
    row.iter()
        .map(|&now| {
            before = join(before, now);
            before
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Atom, parse_guard, parse_ltl, parse_psl};

    /// The letters of a word: sets of atoms, `|` before the cycle.
    fn word(text: &str) -> (Word, usize) {
        let cycle = text.split_whitespace().position(|l| l == "|").unwrap();
        let letters: Vec<&str> = text.split_whitespace().filter(|l| *l != "|").collect();
        let rows = ["a", "b", "c"].map(|name| letters.iter().map(|l| l.contains(name)).collect()).to_vec();
        (Word::from_rows(rows, letters.len()), cycle)
    }

    fn atom(atom: &Atom) -> AtomId {
        let place = ["a", "b", "c"].iter().position(|name| parse_guard(name) == Ok(Guard::Atom(atom.clone())));
        AtomId(u32::try_from(place.unwrap()).unwrap())
    }

    #[test]
    fn linear_formulas() {
        for (formula, text, expected) in [
            ("G F a", "- | - a", true),
            ("F G a", "- | - a", false),
            ("a U b", "a a | a", false),
            ("a W b", "a a | a", true),
            ("G F (a && Y a)", "- | a", true),
            ("G F (Y Y Y a && b)", "- | a - b -", false),
            ("G F (Y Y a && b)", "- | a - b -", true),
            ("G (b -> O a)", "a | b", true),
            ("F G (O a)", "- | - a", true),
            ("G (c -> (b S a))", "- | a b c", false),
            ("G (c -> Y (b S a))", "- | a b c", true),
        ] {
            let (word, cycle) = word(text);
            let parsed = parse_ltl(formula).unwrap().map_atoms(&mut |a| atom(a));
            let found = ltl_on_lasso(&parsed, &word, cycle, &Budget::unlimited()).unwrap();
            assert_eq!(found, expected, "{formula} on {text}");
        }
    }

    #[test]
    fn sequences() {
        for (formula, text, expected) in [
            ("{a[*];b}!", "a | a", false),
            ("{a[*];b}", "a | a", true),
            ("{a[*];b}", "a | a c", false),
            ("always {a;b} |=> c", "- | a b c", true),
            ("always {a;b} |=> c", "- | a b -", false),
            ("never {a;a}", "a - | a -", true),
            ("never {a;a}", "- | a", false),
            ("eventually! {a;b;a}", "- | a b", true),
            ("{{a;b}[*];c}! abort b", "a | b", true),
            ("(always a) abort b", "a a b | -", true),
            ("(always a) abort b", "a c b | -", false),
            ("({a;b} && {a})! abort c", "c | c", false),
            ("a before b", "- a | b", true),
            ("next[5] a", "- | - a -", true),
            ("next[5] a", "- | - a", false),
        ] {
            let (word, cycle) = word(text);
            let parsed = parse_psl(formula).unwrap().map_atoms(&mut |a| atom(a));
            let found = psl_on_lasso(&parsed, &word, cycle, &Budget::unlimited()).unwrap();
            assert_eq!(found, expected, "{formula} on {text}");
        }
    }
}
