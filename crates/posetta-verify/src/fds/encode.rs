//! Expressions of a model as diagrams.
//!
//! A truth value is a diagram, a number a vector of them ([`Number`]), anything else a diagram for each value that it can have. Beside it stands
//! where the expression has no value: a division by zero, a case without a true condition. The model's clauses must have one everywhere.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::arith::Number;
use super::layout::{Layout, Slot, value, width};
use posetta_base::{Diagnostic, Error, Kind, OverBudget, Place, VarId};
use posetta_dd::bdd::{Bdd, Bdds, Bit};
use posetta_model::fds::{Clause, Domain, Expr, ExprId, Fds, Op, Value};

/// Integers that are listed one by one, because they meet symbols; more make no sense.
const MOST_LISTED: usize = 12;

/// What an expression is worth in every state.
#[derive(Clone, Debug)]
enum Worth {
    Truth(Bdd),
    Number(Number),
    /// Where it has which value. Values are different, and at most one applies.
    Listed(Vec<(Value, Bdd)>),
}

/// A worth, and where there is none.
#[derive(Clone, Debug)]
struct Meaning {
    worth: Worth,
    missing: Bdd,
}

/// A truth value, and where there is none.
#[derive(Clone, Debug)]
pub(super) struct Truth {
    pub(super) yes: Bdd,
    pub(super) missing: Bdd,
}

/// Turns expressions into diagrams.
pub(super) struct Encoder<'m> {
    pub(super) model: &'m Fds,
    bdds: Rc<Bdds>,
    layout: Rc<Layout>,
    known: FxHashMap<ExprId, Meaning>,
    /// Expressions that are sets. They have no worth of their own: who asks for members looks inside.
    sets: FxHashSet<ExprId>,
}

impl<'m> Encoder<'m> {
    pub(super) fn new(model: &'m Fds, bdds: Rc<Bdds>, layout: Rc<Layout>) -> Self {
        Self { model, bdds, layout, known: FxHashMap::default(), sets: FxHashSet::default() }
    }

    /// Where a truth value is true, and where it is missing.
    pub(super) fn truth(&mut self, id: ExprId) -> Result<Truth, OverBudget> {
        for part in self.model.exprs.below(&[id]) {
            if self.known.contains_key(&part) {
                continue;
            }
            let is_set = match self.model.exprs.get(part) {
                Expr::Set(_) => true,
                Expr::Case(arms) => arms.iter().any(|(_, arm)| self.sets.contains(arm)),
                _ => false,
            };
            if is_set {
                self.sets.insert(part);
            } else {
                let meaning = self.meaning(part)?;
                self.known.insert(part, meaning);
            }
        }
        let Meaning { worth, missing } = self.known[&id].clone();
        let yes = self.as_truth(&worth)?;
        Ok(Truth { yes: self.bdds.minus(&yes, &missing)?, missing })
    }

    fn slot_bits(&self, bits: &[Bit]) -> Result<Vec<Bdd>, OverBudget> {
        bits.iter().rev().map(|&bit| self.bdds.var(bit)).collect()
    }

    fn variable(&self, var: VarId, next: bool) -> Result<Worth, OverBudget> {
        let slot: &Slot = &self.layout.vars[var.index()];
        let bits = if next { &slot.next } else { &slot.now };
        Ok(match &self.model.var(var).domain {
            Domain::Bool => Worth::Truth(self.bdds.var(bits[0])?),
            Domain::Range(lo, _) => {
                let number = Number::unsigned(&self.bdds, self.slot_bits(bits)?);
                let lo = Number::constant(&self.bdds, *lo);
                Worth::Number(number.plus(&self.bdds, &lo)?)
            }
            Domain::Choice(values) => {
                let mut listed = Vec::with_capacity(values.len());
                for (i, value) in values.iter().enumerate() {
                    listed.push((value.clone(), self.code_is(bits, i as u64)?));
                }
                Worth::Listed(listed)
            }
        })
    }

    /// Where bits have a code.
    fn code_is(&self, bits: &[Bit], code: u64) -> Result<Bdd, OverBudget> {
        let last = bits.len().saturating_sub(1);
        self.bdds.minterm(bits.iter().enumerate().map(|(i, &bit)| (bit, code >> (last - i) & 1 == 1)))
    }

    /// Where the variable has a value of its domain.
    pub(super) fn domain(&self, var: VarId, next: bool) -> Result<Bdd, OverBudget> {
        let domain = &self.model.var(var).domain;
        let slot = &self.layout.vars[var.index()];
        let bits = if next { &slot.next } else { &slot.now };
        let size = domain.size();
        if size == 1_u128 << width(domain) {
            return Ok(self.bdds.top());
        }
        let number = Number::unsigned(&self.bdds, self.slot_bits(bits)?);
        // Fewer than 2^64 values, or all codes would be taken.
        let size = u64::try_from(size).unwrap_or(u64::MAX);
        let last = Number::constant(&self.bdds, i64::try_from(size - 1).unwrap_or(i64::MAX));
        Ok(self.bdds.not(&last.less(&self.bdds, &number)?))
    }

    /// The value of a variable under an assignment of all bits.
    pub(super) fn decode(&self, var: VarId, bits: &[bool]) -> Value {
        let code = self.layout.vars[var.index()]
            .now
            .iter()
            .fold(0_u64, |code, bit| code << 1 | u64::from(bits[bit.0 as usize]));
        value(&self.model.var(var).domain, code)
    }

    fn as_truth(&self, worth: &Worth) -> Result<Bdd, OverBudget> {
        match worth {
            Worth::Truth(b) => Ok(b.clone()),
            Worth::Number(n) => n.nonzero(&self.bdds),
            Worth::Listed(values) => values
                .iter()
                .filter(|(v, _)| v.as_int().is_some_and(|i| i != 0))
                .try_fold(self.bdds.bottom(), |any, (_, b)| self.bdds.or(&any, b)),
        }
    }

    /// As a number; second, where it is a symbol and has none.
    fn as_number(&self, worth: &Worth) -> Result<(Number, Bdd), OverBudget> {
        Ok(match worth {
            Worth::Truth(b) => (Number::truth(&self.bdds, b.clone()), self.bdds.bottom()),
            Worth::Number(n) => (n.clone(), self.bdds.bottom()),
            Worth::Listed(values) => {
                let mut number = Number::constant(&self.bdds, 0);
                let mut symbols = self.bdds.bottom();
                for (value, b) in values {
                    match value.as_int() {
                        Some(i) => number = Number::constant(&self.bdds, i).chosen(&self.bdds, b, &number)?,
                        None => symbols = self.bdds.or(&symbols, b)?,
                    }
                }
                (number, symbols)
            }
        })
    }

    fn listed(&self, worth: &Worth) -> Result<Vec<(Value, Bdd)>, OverBudget> {
        Ok(match worth {
            Worth::Listed(values) => values.clone(),
            Worth::Truth(b) => vec![(Value::Int(0), self.bdds.not(b)), (Value::Int(1), b.clone())],
            Worth::Number(n) => {
                if n.bits() > MOST_LISTED {
                    let what = "listing the values of a number that meets symbols";
                    return Err(OverBudget::new(what, posetta_base::Limit::Memory));
                }
                let half = 1_i64 << (n.bits() - 1);
                let mut values = Vec::new();
                for i in -half..half {
                    let here = n.equals(&self.bdds, &Number::constant(&self.bdds, i))?;
                    if !here.is_false() {
                        values.push((Value::Int(i), here));
                    }
                }
                values
            }
        })
    }

    fn equal(&self, a: &Worth, b: &Worth) -> Result<Bdd, OverBudget> {
        match (a, b) {
            (Worth::Truth(a), Worth::Truth(b)) => self.bdds.iff(a, b),
            (Worth::Listed(a), Worth::Listed(b)) => {
                let mut equal = self.bdds.bottom();
                for (v, here) in a {
                    if let Some((_, there)) = b.iter().find(|(w, _)| v.same(w)) {
                        let both = self.bdds.and(here, there)?;
                        equal = self.bdds.or(&equal, &both)?;
                    }
                }
                Ok(equal)
            }
            _ => {
                let ((a, no_a), (b, no_b)) = (self.as_number(a)?, self.as_number(b)?);
                let symbols = self.bdds.or(&no_a, &no_b)?;
                self.bdds.minus(&a.equals(&self.bdds, &b)?, &symbols)
            }
        }
    }

    /// One worth where the condition is true, another elsewhere.
    fn choose(&self, condition: &Bdd, a: &Worth, b: &Worth) -> Result<Worth, OverBudget> {
        Ok(match (a, b) {
            (Worth::Truth(a), Worth::Truth(b)) => Worth::Truth(self.bdds.ite(condition, a, b)?),
            (Worth::Listed(_), _) | (_, Worth::Listed(_)) => {
                let (a, b) = (self.listed(a)?, self.listed(b)?);
                let mut values: Vec<(Value, Bdd)> = Vec::new();
                for (value, here) in a {
                    values.push((value, self.bdds.and(&here, condition)?));
                }
                for (value, here) in b {
                    let here = self.bdds.minus(&here, condition)?;
                    match values.iter_mut().find(|(v, _)| v.same(&value)) {
                        Some((_, there)) => *there = self.bdds.or(there, &here)?,
                        None => values.push((value, here)),
                    }
                }
                values.retain(|(_, b)| !b.is_false());
                Worth::Listed(values)
            }
            _ => {
                let ((a, _), (b, _)) = (self.as_number(a)?, self.as_number(b)?);
                Worth::Number(a.chosen(&self.bdds, condition, &b)?)
            }
        })
    }

    fn meaning(&self, id: ExprId) -> Result<Meaning, OverBudget> {
        let bdds = &*Rc::clone(&self.bdds);
        let part = |id: &ExprId| &self.known[id];
        let truth = |id: &ExprId| self.as_truth(&part(id).worth);
        Ok(match self.model.exprs.get(id) {
            Expr::Const(value) => {
                let worth = match value {
                    Value::Bool(b) => Worth::Truth(bdds.constant(*b)),
                    Value::Int(i) => Worth::Number(Number::constant(bdds, *i)),
                    Value::Symbol(_) => Worth::Listed(vec![(value.clone(), bdds.top())]),
                };
                Meaning { worth, missing: bdds.bottom() }
            }
            Expr::Var { var, next } => Meaning { worth: self.variable(*var, *next)?, missing: bdds.bottom() },
            Expr::Not(a) => Meaning { worth: Worth::Truth(bdds.not(&truth(a)?)), missing: part(a).missing.clone() },
            Expr::Neg(a) => {
                let (number, symbols) = self.as_number(&part(a).worth)?;
                let missing = bdds.or(&part(a).missing, &symbols)?;
                Meaning { worth: Worth::Number(number.negated(bdds)?), missing }
            }
            Expr::Count(parts) => {
                let mut sum = Number::constant(bdds, 0);
                let mut missing = bdds.bottom();
                for p in parts {
                    sum = sum.plus(bdds, &Number::truth(bdds, truth(p)?))?;
                    missing = bdds.or(&missing, &part(p).missing)?;
                }
                Meaning { worth: Worth::Number(sum), missing }
            }
            Expr::Case(arms) => {
                // From the last arm: where no condition is true, there is no value.
                let mut result: Option<Worth> = None;
                let mut missing = bdds.top();
                for (condition, arm) in arms.iter().rev() {
                    let here = truth(condition)?;
                    missing = bdds.ite(&here, &part(arm).missing, &missing)?;
                    missing = bdds.or(&missing, &part(condition).missing)?;
                    result = Some(match result {
                        None => part(arm).worth.clone(),
                        Some(rest) => self.choose(&here, &part(arm).worth, &rest)?,
                    });
                }
                Meaning { worth: result.unwrap_or(Worth::Truth(bdds.bottom())), missing }
            }
            // Skipped by whoever walks over the parts.
            Expr::Set(_) => Meaning { worth: Worth::Truth(bdds.bottom()), missing: bdds.top() },
            Expr::Binary(Op::In, a, b) => {
                let element = part(a);
                let members = self.member(&element.worth, *b)?;
                let missing = bdds.or(&element.missing, &members.missing)?;
                Meaning { worth: Worth::Truth(members.yes), missing }
            }
            Expr::Binary(op, a, b) => self.binary(*op, part(a), part(b))?,
        })
    }

    fn binary(&self, op: Op, a: &Meaning, b: &Meaning) -> Result<Meaning, OverBudget> {
        let bdds = &*Rc::clone(&self.bdds);
        let either = bdds.or(&a.missing, &b.missing)?;
        let truths = || Ok((self.as_truth(&a.worth)?, self.as_truth(&b.worth)?));
        let yes = |yes: Bdd, missing: Bdd| Meaning { worth: Worth::Truth(yes), missing };
        Ok(match op {
            Op::And | Op::Or | Op::Implies => {
                let (x, y): (Bdd, Bdd) = truths()?;
                // The right side is not asked where the left one decides.
                let asked = if op == Op::Or { bdds.not(&x) } else { x.clone() };
                let missing = bdds.or(&a.missing, &bdds.and(&asked, &b.missing)?)?;
                let worth = match op {
                    Op::And => bdds.and(&x, &y)?,
                    Op::Or => bdds.or(&x, &y)?,
                    _ => bdds.implies(&x, &y)?,
                };
                yes(worth, missing)
            }
            Op::Iff => {
                let (x, y): (Bdd, Bdd) = truths()?;
                yes(bdds.iff(&x, &y)?, either)
            }
            Op::Xor => {
                let (x, y): (Bdd, Bdd) = truths()?;
                yes(bdds.xor(&x, &y)?, either)
            }
            Op::Eq => yes(self.equal(&a.worth, &b.worth)?, either),
            Op::Ne => yes(bdds.not(&self.equal(&a.worth, &b.worth)?), either),
            // Sets are not operands; see `member`.
            Op::In => yes(self.equal(&a.worth, &b.worth)?, either),
            Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod => {
                let ((x, no_x), (y, no_y)) = (self.as_number(&a.worth)?, self.as_number(&b.worth)?);
                let mut missing = bdds.or(&either, &bdds.or(&no_x, &no_y)?)?;
                let worth = match op {
                    Op::Lt => Worth::Truth(x.less(bdds, &y)?),
                    Op::Gt => Worth::Truth(y.less(bdds, &x)?),
                    Op::Le => Worth::Truth(bdds.not(&y.less(bdds, &x)?)),
                    Op::Ge => Worth::Truth(bdds.not(&x.less(bdds, &y)?)),
                    Op::Add => Worth::Number(x.plus(bdds, &y)?),
                    Op::Sub => Worth::Number(x.minus(bdds, &y)?),
                    Op::Mul => Worth::Number(x.times(bdds, &y)?),
                    _ => {
                        let zero = bdds.not(&y.nonzero(bdds)?);
                        missing = bdds.or(&missing, &zero)?;
                        let (quotient, rest) = x.divided(bdds, &y)?;
                        Worth::Number(if op == Op::Div { quotient } else { rest })
                    }
                };
                Meaning { worth, missing }
            }
        })
    }

    /// Where a value is one of those that a set can have.
    fn member(&self, element: &Worth, set: ExprId) -> Result<Truth, OverBudget> {
        let bdds = &*Rc::clone(&self.bdds);
        match self.model.exprs.get(set) {
            Expr::Set(parts) => {
                let mut all = Truth { yes: bdds.bottom(), missing: bdds.bottom() };
                for &part in parts {
                    let one = self.member(element, part)?;
                    all.yes = bdds.or(&all.yes, &one.yes)?;
                    all.missing = bdds.or(&all.missing, &one.missing)?;
                }
                Ok(all)
            }
            Expr::Case(arms) if self.sets.contains(&set) => {
                let mut all = Truth { yes: bdds.bottom(), missing: bdds.top() };
                for (condition, arm) in arms.iter().rev() {
                    let here = self.as_truth(&self.known[condition].worth)?;
                    let one = self.member(element, *arm)?;
                    all.yes = bdds.ite(&here, &one.yes, &all.yes)?;
                    all.missing = bdds.ite(&here, &one.missing, &all.missing)?;
                    all.missing = bdds.or(&all.missing, &self.known[condition].missing)?;
                }
                Ok(all)
            }
            _ => {
                let Meaning { worth, missing } = &self.known[&set];
                Ok(Truth { yes: self.equal(element, worth)?, missing: missing.clone() })
            }
        }
    }

    /// Where an expression can have a value outside a domain.
    fn outside(&self, id: ExprId, domain: &Domain) -> Result<Bdd, OverBudget> {
        let bdds = &*Rc::clone(&self.bdds);
        match self.model.exprs.get(id) {
            Expr::Set(parts) => {
                parts.iter().try_fold(bdds.bottom(), |any, &part| bdds.or(&any, &self.outside(part, domain)?))
            }
            Expr::Case(arms) => {
                let mut all = bdds.bottom();
                for (condition, arm) in arms.iter().rev() {
                    let here = self.as_truth(&self.known[condition].worth)?;
                    all = bdds.ite(&here, &self.outside(*arm, domain)?, &all)?;
                }
                Ok(all)
            }
            _ => {
                let Meaning { worth, missing } = &self.known[&id];
                let inside = match (domain, worth) {
                    (Domain::Bool, Worth::Truth(_)) => bdds.top(),
                    (Domain::Bool | Domain::Range(..), _) => {
                        let (lo, hi) = if let Domain::Range(lo, hi) = domain { (*lo, *hi) } else { (0, 1) };
                        let (number, symbols) = self.as_number(worth)?;
                        let below = number.less(bdds, &Number::constant(bdds, lo))?;
                        let above = Number::constant(bdds, hi).less(bdds, &number)?;
                        bdds.not(&bdds.or(&symbols, &bdds.or(&below, &above)?)?)
                    }
                    (Domain::Choice(values), Worth::Listed(listed)) => listed
                        .iter()
                        .filter(|(v, _)| values.iter().any(|w| w.same(v)))
                        .try_fold(bdds.bottom(), |any, (_, here)| bdds.or(&any, here))?,
                    (Domain::Choice(values), _) => {
                        let (number, _) = self.as_number(worth)?;
                        let mut any = bdds.bottom();
                        for i in values.iter().filter_map(Value::as_int) {
                            let here = number.equals(bdds, &Number::constant(bdds, i))?;
                            any = bdds.or(&any, &here)?;
                        }
                        any
                    }
                };
                Ok(bdds.not(&bdds.or(&inside, missing)?))
            }
        }
    }

    /// A clause of the model as a diagram; `where_` are the states (or steps) that can come up. It must have a value in all of them, and an
    /// assignment must stay inside its variable's domain.
    pub(super) fn clause(&mut self, clause: &Clause, where_: &Bdd) -> Result<Bdd, Error> {
        let truth = self.truth(clause.expr).map_err(Error::OverBudget)?;
        let mistake =
            |message: String| Diagnostic::new(Kind::Type, message).at(Place::in_text(&self.model.source, clause.span));
        if clause.assigns
            && let Expr::Binary(Op::In, target, value) = *self.model.exprs.get(clause.expr)
            && let Expr::Var { var, next } = *self.model.exprs.get(target)
        {
            let variable = self.model.var(var);
            let outside = self.outside(value, &variable.domain).map_err(Error::OverBudget)?;
            let bad = self.bdds.and(&outside, where_).map_err(Error::OverBudget)?;
            if let Some(bits) = self.bdds.pick(&bad) {
                let example = self.example(value, &bits);
                let name = if next { format!("next({})", variable.name) } else { variable.name.to_string() };
                return Err(mistake(format!("the value assigned to `{name}` can lie outside its type"))
                    .label(format!("not among {} {example}", describe(&variable.domain)))
                    .help("limit the value, for instance with `case` or `mod`, or widen the type")
                    .into());
            }
        }
        let missing = self.bdds.and(&truth.missing, where_).map_err(Error::OverBudget)?;
        if let Some(bits) = self.bdds.pick(&missing) {
            let example = self.example(clause.expr, &bits);
            return Err(mistake("this has no value in some states".to_owned())
                .label(format!("no case applies, a division by zero, or an index out of bounds {example}"))
                .help("add a last case `TRUE : …`, or guard the division")
                .into());
        }
        Ok(truth.yes)
    }

    /// The variables of an expression in some state, for people.
    fn example(&self, id: ExprId, bits: &[bool]) -> String {
        let (now, _) = self.model.exprs.vars(id);
        if now.is_empty() {
            return String::new();
        }
        let shown: Vec<String> =
            now.iter().take(6).map(|&v| format!("{} = {}", self.model.var(v).name, self.decode(v, bits))).collect();
        format!("where {}{}", shown.join(", "), if now.len() > 6 { ", …" } else { "" })
    }
}

/// A domain, for people.
fn describe(domain: &Domain) -> String {
    match domain {
        Domain::Bool => "FALSE, TRUE".to_owned(),
        Domain::Range(lo, hi) => format!("{lo}..{hi}"),
        Domain::Choice(values) => {
            let mut shown: Vec<String> = values.iter().take(8).map(ToString::to_string).collect();
            if values.len() > 8 {
                shown.push("…".to_owned());
            }
            format!("{{{}}}", shown.join(", "))
        }
    }
}
