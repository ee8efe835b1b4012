//! Ties a property that was written elsewhere to a model: its atoms become expressions.
//!
//! Properties calculate with exact rationals, models with integers: a term is kept as an expression and a positive denominator, and a
//! comparison brings both sides to a common one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::typed::{At, LARGEST, Made, Typed};
use super::{Demand, Domain, Expr, ExprId, Fds, Op, Spec, Value};
use crate::problem::{Problems, meant, values_of};
use posetta_base::{Kind, Mistakes, Number, Span, Spanned};
use posetta_logic::{Arith, Atom, Compare, Condition, Formula, Property, Term, Var, View};

/// What the names of a property mean.
pub(crate) trait Names {
    fn typed(&mut self) -> &mut Typed;

    /// The expression that a name stands for. `Ok(None)`: it has a mistake that was told.
    fn meaning(&mut self, name: &str, span: Span) -> Made<Option<ExprId>>;

    /// Whether some enumeration has the symbol; if not, perhaps the one that was meant.
    fn symbol(&mut self, text: &str) -> Result<(), Option<String>>;
}

/// Turns atoms into expressions.
pub(crate) struct Binder<'n, N> {
    pub(crate) names: &'n mut N,
    /// Where the text of the property begins in the text of the problems.
    pub(crate) shift: usize,
    /// The property's own part of its text.
    pub(crate) whole: Span,
    pub(crate) problems: Problems,
}

/// Why there is no expression; `None`: it was told.
type Stop = Option<Box<Spanned>>;

/// A rational: an expression over a positive denominator.
#[derive(Clone, Copy)]
struct Fraction {
    at: At,
    over: i64,
}

impl<N: Names> Binder<'_, N> {
    /// The truth of an atom. Where there is a mistake it is told, and the answer means nothing.
    pub(crate) fn atom(&mut self, atom: &Atom) -> ExprId {
        let made = match atom {
            // Nobody reads on.
            _ if self.problems.is_full() => Err(None),
            Atom::State(condition) => self.condition(condition).map(|at| at.id),
            Atom::Enabled(_) => Err(Some(
                Spanned::new(Kind::Unsupported, self.whole, "`enabled` is for systems of components")
                    .label("a model of variables has no actions")
                    .help("say in variables when a step is possible"),
            )),
            Atom::Step(_) => {
                let span = self.first_var(atom);
                Err(Some(
                    Spanned::new(Kind::Unsupported, span, "`prev` is for runs and streams")
                        .label("a model says what comes next, not what came before")
                        .help("give the model a variable that keeps the value, as in `next(old) := x`"),
                ))
            }
            Atom::On(_) | Atom::Event(_) | Atom::Having(_) | Atom::Process(_) => {
                let span = self.first_var(atom);
                Err(Some(
                    Spanned::new(Kind::Unsupported, span, "a model has no events and no processes of a run")
                        .label("`on`, `event` and `process` speak of events")
                        .help("speak of variables: a model's positions are its states"),
                ))
            }
        };
        made.unwrap_or_else(|stop| {
            if let Some(problem) = stop {
                self.problems.push(problem);
            }
            self.names.typed().never(self.whole)
        })
    }

    /// The truth of an atom of CTL, which speaks of states: inputs have no value there.
    fn state_atom(&mut self, atom: &Atom) -> ExprId {
        let id = self.atom(atom);
        if self.names.typed().ty(id).input {
            let problem = Spanned::new(Kind::Type, self.first_var(atom), "an input has no value in CTL");
            let problem = problem.label("this belongs to a step, not to a state");
            self.problems.push(problem.help("declare it under VAR, or ask in LTL"));
        }
        id
    }

    /// Where the first variable of an atom stands.
    fn first_var(&self, atom: &Atom) -> Span {
        let mut first = None;
        atom.for_each_var(&mut |var: &Var| first = first.or(Some(var.spot.0)));
        first.map_or(self.whole, |span| self.moved(span))
    }

    fn moved(&self, span: Span) -> Span {
        Span::new(span.start + self.shift, span.end + self.shift)
    }

    /// A place for what has none of its own: that of its first variable or string.
    fn place(&self, term: &Term) -> Option<Span> {
        match term {
            Term::Number(_) => None,
            Term::Text(_, spot) => Some(self.moved(spot.0)),
            Term::Var(var) => Some(self.moved(var.spot.0)),
            Term::Neg(t) => self.place(t),
            Term::Binary(_, a, b) => match (self.place(a), self.place(b)) {
                (Some(a), Some(b)) => Some(a.to(b)),
                (a, b) => a.or(b),
            },
        }
    }

    fn condition(&mut self, condition: &Condition) -> Result<At, Stop> {
        let whole = self.whole;
        match condition {
            Condition::True | Condition::False => {
                let value = Value::Bool(matches!(condition, Condition::True));
                Ok(At { id: self.names.typed().constant(value, whole)?, span: whole })
            }
            Condition::Compare(op, a, b) => self.compare(*op, a, b),
            Condition::Nonzero(term) => self.nonzero(term),
            Condition::Not(c) => {
                let a = self.condition(c)?;
                Ok(At { id: self.names.typed().not(a, a.span)?, span: a.span })
            }
            Condition::And(parts) => self.joined(Op::And, parts),
            Condition::Or(parts) => self.joined(Op::Or, parts),
            Condition::Implies(a, b) => self.pair(Op::Implies, a, b),
            Condition::Iff(a, b) => self.pair(Op::Iff, a, b),
        }
    }

    fn pair(&mut self, op: Op, a: &Condition, b: &Condition) -> Result<At, Stop> {
        let (a, b) = (self.condition(a)?, self.condition(b)?);
        let span = a.span.to(b.span);
        Ok(At { id: self.names.typed().binary(op, a, b, span)?, span })
    }

    fn joined(&mut self, op: Op, parts: &[Condition]) -> Result<At, Stop> {
        let mut all: Option<At> = None;
        for part in parts {
            let at = self.condition(part)?;
            all = Some(match all {
                None => at,
                Some(before) => {
                    let span = before.span.to(at.span);
                    At { id: self.names.typed().binary(op, before, at, span)?, span }
                }
            });
        }
        match all {
            Some(at) => Ok(at),
            None => self.condition(&Condition::True),
        }
    }

    fn nonzero(&mut self, term: &Term) -> Result<At, Stop> {
        let Fraction { at, .. } = self.term(term)?;
        let typed = self.names.typed();
        if typed.ty(at.id).is_truth() {
            return Ok(at);
        }
        if typed.ty(at.id).as_numbers().is_none() {
            let label = typed.ty(at.id).describe();
            let problem = Spanned::new(Kind::Type, at.span, "a symbol by itself is neither true nor false");
            return Err(Some(problem.label(label).help("compare it with `==` or `!=`")));
        }
        let zero = At { id: typed.constant(Value::Int(0), at.span)?, span: at.span };
        Ok(At { id: typed.binary(Op::Ne, at, zero, at.span)?, span: at.span })
    }

    fn compare(&mut self, op: Compare, a: &Term, b: &Term) -> Result<At, Stop> {
        let told = self.names.typed().warnings.len();
        let (left, mut right) = (self.term(a), self.term(b));
        if let (Ok(left), Err(Some(problem))) = (&left, &mut right)
            && problem.kind == Kind::UnknownVariable
            && let Some(values) = self.values(left.at.id)
        {
            problem.help = Some(values);
        }
        let (left, right) = (left?, right?);
        // An unknown symbol has been told of: that nothing equals it says no more.
        let unknown = self.names.typed().warnings.len() > told;
        let span = match (self.place(a), self.place(b)) {
            (Some(a), Some(b)) => a.to(b),
            (a, b) => a.or(b).unwrap_or(self.whole),
        };
        if let Some(truth) = self.apart(op, left, right, span)? {
            return Ok(truth);
        }
        let (left, right, _) = self.common(left, right, span)?;
        let op = match op {
            Compare::Eq => Op::Eq,
            Compare::Ne => Op::Ne,
            Compare::Lt => Op::Lt,
            Compare::Le => Op::Le,
            Compare::Gt => Op::Gt,
            Compare::Ge => Op::Ge,
        };
        let typed = self.names.typed();
        let before = typed.warnings.len();
        let id = typed.binary(op, left, right, span)?;
        if unknown {
            typed.warnings.truncate(before);
        }
        Ok(At { id, span })
    }

    /// Which values a variable has, if these have names.
    fn values(&mut self, id: ExprId) -> Option<String> {
        let typed = self.names.typed();
        match *typed.exprs.get(id) {
            Expr::Var { var, .. } => values_of(&typed.vars[var.index()]),
            _ => None,
        }
    }

    /// A value that may be a symbol, beside a number that is not whole: they differ, and no multiplication shows it.
    fn apart(&mut self, op: Compare, a: Fraction, b: Fraction, span: Span) -> Result<Option<At>, Stop> {
        let typed = self.names.typed();
        let symbolic = [a, b].iter().any(|f| typed.ty(f.at.id).as_numbers().is_none());
        let uneven = [a, b].iter().any(|f| f.over > 1 && typed.value(f.at.id).is_some());
        if op.is_order() || !symbolic || !uneven {
            return Ok(None);
        }
        let message = if op == Compare::Eq { "this is always false" } else { "this is always true" };
        let warning = Spanned::new(Kind::Type, span, message);
        typed.warnings.push(warning.label("one side is never a fraction"));
        let id = typed.constant(Value::Bool(op == Compare::Ne), span)?;
        Ok(Some(At { id, span }))
    }

    /// Both over the same denominator, which comes last.
    fn common(&mut self, a: Fraction, b: Fraction, span: Span) -> Result<(At, At, i64), Stop> {
        let divisor = gcd(a.over, b.over);
        let over = a.over.checked_mul(b.over / divisor).ok_or_else(|| Some(too_large(span)))?;
        let left = self.scaled(a.at, over / a.over)?;
        let right = self.scaled(b.at, over / b.over)?;
        Ok((left, right, over))
    }

    fn scaled(&mut self, at: At, by: i64) -> Result<At, Stop> {
        if by == 1 {
            return Ok(at);
        }
        let typed = self.names.typed();
        let factor = At { id: typed.constant(Value::Int(by), at.span)?, span: at.span };
        Ok(At { id: typed.binary(Op::Mul, at, factor, at.span)?, span: at.span })
    }

    fn term(&mut self, term: &Term) -> Result<Fraction, Stop> {
        let span = self.place(term).unwrap_or(self.whole);
        match term {
            Term::Number(n) => {
                let (value, over) = parts(n).ok_or_else(|| Some(too_large(span)))?;
                Ok(Fraction { at: At { id: self.names.typed().constant(Value::Int(value), span)?, span }, over })
            }
            Term::Text(text, _) => {
                if let Err(near) = self.names.symbol(text) {
                    let message = format!("the model has no symbol `{text}`, so nothing equals it");
                    let problem = Spanned::new(Kind::UnknownVariable, span, message);
                    self.names.typed().warnings.push(match near {
                        Some(near) => problem.label(format!("did you mean `{near}`?")),
                        None => problem,
                    });
                }
                Ok(Fraction { at: At { id: self.names.typed().symbol(text, span)?, span }, over: 1 })
            }
            Term::Var(var) => {
                let truth = match var.name.as_str() {
                    "TRUE" => Some(true),
                    "FALSE" => Some(false),
                    _ => None,
                };
                let id = match truth {
                    Some(truth) => Some(self.names.typed().constant(Value::Bool(truth), span)?),
                    None => self.names.meaning(&var.name, span)?,
                };
                Ok(Fraction { at: At { id: id.ok_or(None)?, span }, over: 1 })
            }
            Term::Neg(t) => {
                let Fraction { at, over } = self.term(t)?;
                Ok(Fraction { at: At { id: self.names.typed().neg(at, span)?, span }, over })
            }
            Term::Binary(op, a, b) => {
                let (left, right) = (self.term(a), self.term(b));
                let (left, right) = (left?, right?);
                self.arithmetic(*op, left, right, span)
            }
        }
    }

    fn arithmetic(&mut self, op: Arith, a: Fraction, b: Fraction, span: Span) -> Result<Fraction, Stop> {
        let (left, right, over, op) = match op {
            Arith::Add | Arith::Sub => {
                let (left, right, over) = self.common(a, b, span)?;
                (left, right, over, if op == Arith::Add { Op::Add } else { Op::Sub })
            }
            Arith::Mul => {
                let over = a.over.checked_mul(b.over).ok_or_else(|| Some(too_large(span)))?;
                (a.at, b.at, over, Op::Mul)
            }
            Arith::Div => {
                // A number has no place of its own.
                let place = if b.at.span == self.whole { span } else { b.at.span };
                let typed = self.names.typed();
                let Some(divisor) = typed.value(b.at.id).and_then(Value::as_int).filter(|&d| d != 0) else {
                    let problem = Spanned::new(Kind::Unsupported, place, "a model divides by constants only");
                    return Err(Some(
                        problem.label("expected a number other than 0").help("multiply both sides instead"),
                    ));
                };
                // (a / x) / (d / y) = (a * y * sign d) / (x * |d|)
                let over = divisor.checked_abs().and_then(|d| d.checked_mul(a.over));
                let factor = b.over.checked_mul(divisor.signum());
                let (over, factor) = over.zip(factor).ok_or_else(|| Some(too_large(span)))?;
                let factor = At { id: typed.constant(Value::Int(factor), b.at.span)?, span: b.at.span };
                (a.at, factor, over, Op::Mul)
            }
        };
        let id = self.names.typed().binary(op, left, right, span)?;
        Ok(Fraction { at: At { id, span }, over })
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Numerator and denominator, if both are small enough to calculate with.
fn parts(n: &Number) -> Option<(i64, i64)> {
    let fits = |i: &i64| i128::from(*i).abs() <= LARGEST;
    if let Some(i) = n.as_i64() {
        return Some((i, 1)).filter(|(i, _)| fits(i));
    }
    let ratio = n.to_ratio();
    let above = i64::try_from(ratio.numerator().clone()).ok().filter(fits)?;
    Some((above, i64::try_from(ratio.denominator().clone()).ok().filter(fits)?))
}

fn too_large(span: Span) -> Box<Spanned> {
    Spanned::new(Kind::TooLarge, span, "numbers past 2^62 cannot be calculated with")
        .label("here are such numbers, perhaps when both sides are multiplied by their denominators")
}

/// The names of a whole model, for properties from outside.
struct Outside<'f> {
    typed: Typed,
    defines: &'f BTreeMap<Arc<str>, ExprId>,
    /// Names that were looked for.
    found: FxHashMap<String, Option<ExprId>>,
    symbols: Option<BTreeSet<Arc<str>>>,
}

impl Outside<'_> {
    fn symbols(&mut self) -> &BTreeSet<Arc<str>> {
        let vars = &self.typed.vars;
        self.symbols.get_or_insert_with(|| {
            let choices = vars.iter().filter_map(|v| match &v.domain {
                Domain::Choice(values) => Some(values),
                _ => None,
            });
            let symbols = choices.flatten().filter_map(|v| match v {
                Value::Symbol(s) => Some(s.clone()),
                _ => None,
            });
            symbols.collect()
        })
    }

    fn unknown(&mut self, name: &str, span: Span) -> Box<Spanned> {
        self.symbols();
        let problem = Spanned::new(Kind::UnknownVariable, span, format!("the model has no variable `{name}`"));
        let vars = self.typed.vars.iter().map(|v| &*v.name);
        let symbols = self.symbols.iter().flatten().map(|s| &**s);
        if let Some(near) = meant(name, vars.chain(self.defines.keys().map(|d| &**d)).chain(symbols)) {
            return problem.label(format!("did you mean `{near}`?"));
        }
        let mut names: Vec<&str> = self.typed.vars.iter().take(8).map(|v| &*v.name).collect();
        if names.is_empty() {
            return problem.label("the model has no variables");
        }
        let more = self.typed.vars.len() - names.len();
        let rest = format!("{more} more");
        if more > 0 {
            names.push(&rest);
        }
        problem.label("unknown").help(format!("the variables are {}", names.join(", ")))
    }
}

impl Names for Outside<'_> {
    fn typed(&mut self) -> &mut Typed {
        &mut self.typed
    }

    fn meaning(&mut self, name: &str, span: Span) -> Made<Option<ExprId>> {
        if let Some(&known) = self.found.get(name) {
            return Ok(known);
        }
        let var = self.typed.vars.iter().position(|v| &*v.name == name).and_then(posetta_base::VarId::new);
        let found = match var {
            Some(var) => Ok(self.typed.var(var, false, span)?),
            None => match self.defines.get(name) {
                Some(&id) => Ok(id),
                None if self.symbols().contains(name) => Ok(self.typed.symbol(name, span)?),
                None => Err(self.unknown(name, span)),
            },
        };
        self.found.insert(name.to_owned(), found.as_ref().ok().copied());
        found.map(Some)
    }

    fn symbol(&mut self, text: &str) -> Result<(), Option<String>> {
        let symbols = self.symbols();
        if symbols.contains(text) {
            return Ok(());
        }
        Err(meant(text, symbols.iter().map(|s| &**s)).map(str::to_owned))
    }
}

impl Fds {
    /// Ties a property to the model: names are full names of variables, of definitions, or symbols.
    ///
    /// # Errors
    /// With every unknown name, every type error, and what a model has no meaning for: events, monitors and M2L.
    pub fn bind(&mut self, property: &Property) -> Result<Spec, Mistakes> {
        if let Some(mistake) = property.asks_for_some_order("a model", "a model is verified in all its computations") {
            return Err(mistake.into());
        }
        if let Some(mistake) = property.asks_for_instances("a model") {
            return Err(mistake.into());
        }
        if property.formula.view() == Some(View::Events) {
            let mistake = property.mistake(Kind::Unsupported, property.span, "a model's positions are its states");
            return Err(vec![mistake.label("this property is over events").help("ask it over states")].into());
        }
        let refused = match property.formula {
            Formula::Monitor(..) => Some(("monitors are not verified on models", None)),
            Formula::M2l(..) => Some(("M2L is not verified on models", Some("it is about runs that end"))),
            _ => None,
        };
        if let Some((message, label)) = refused {
            let mut mistake = property.mistake(Kind::Unsupported, property.span, message);
            mistake.label = label.map(str::to_owned);
            return Err(vec![mistake.help("write the property in LTL, PSL or CTL")].into());
        }
        let typed = Typed::new(std::mem::take(&mut self.exprs), std::mem::take(&mut self.vars));
        let mut names = Outside { typed, defines: &self.defines, found: FxHashMap::default(), symbols: None };
        let mut binder = Binder { names: &mut names, shift: 0, whole: property.span, problems: Problems::default() };
        let demand = match &property.formula {
            Formula::Ltl(_, f) => Some(Demand::Ltl(f.map_atoms(&mut |a| binder.atom(a)))),
            Formula::Psl(_, f) => Some(Demand::Psl(f.map_atoms(&mut |a| binder.atom(a)))),
            Formula::Ctl(f) => Some(Demand::Ctl(f.map_atoms(&mut |a| binder.state_atom(a)))),
            Formula::Monitor(..) | Formula::M2l(..) => None,
        };
        let problems = std::mem::take(&mut binder.problems);
        let Typed { exprs, vars, warnings, .. } = names.typed;
        self.exprs = exprs;
        self.vars = vars;
        let Some(demand) = demand.filter(|_| problems.is_empty()) else {
            return Err(problems.diagnostics(&property.source).into());
        };
        let mut told = property.warnings.clone();
        told.extend(warnings.diagnostics(&property.source));
        Ok(Spec {
            name: property.name.clone(),
            demand,
            source: property.source.clone(),
            span: property.span,
            warnings: told,
        })
    }
}
