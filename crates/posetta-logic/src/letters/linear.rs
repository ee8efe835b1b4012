//! Systems of linear constraints over the rationals: whether they have a solution, and a plain one if so.
//!
//! Equations are solved for a variable and substituted; inequalities are eliminated variable by variable (Fourier 1827,
//! Motzkin 1936), and values are chosen on the way back. Inequations (`form != 0`) need no case split over all of them:
//! a convex set that is contained in a union of hyperplanes is contained in one of them, and a nonempty part of it cut
//! off by an open half-space spans what the whole spans. So each is turned into `<` or `>`, whichever is still
//! satisfiable, one after the other, and no choice is ever regretted.

use std::collections::BTreeMap;

use posetta_base::{Budget, Limit, Number, NumberError, OverBudget};

const WHAT: &str = "finding out which atoms can hold together";

pub(super) fn too_large(_: NumberError) -> OverBudget {
    OverBudget::new(WHAT, Limit::Digits)
}

/// `c1*x1 + … + constant`; variables ascend, no coefficient is 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Form {
    pub(super) parts: Vec<(usize, Number)>,
    pub(super) constant: Number,
}

impl Form {
    pub(super) fn constant(constant: Number) -> Self {
        Self { parts: Vec::new(), constant }
    }

    pub(super) fn variable(variable: usize) -> Self {
        Self { parts: vec![(variable, Number::ONE)], constant: Number::ZERO }
    }

    /// The factor of a variable.
    fn factor(&self, variable: usize) -> Option<&Number> {
        self.parts.binary_search_by_key(&variable, |p| p.0).ok().map(|i| &self.parts[i].1)
    }

    pub(super) fn scale(&self, by: &Number) -> Result<Self, NumberError> {
        if by.is_zero() {
            return Ok(Self::constant(Number::ZERO));
        }
        let parts: Result<Vec<_>, _> = self.parts.iter().map(|(v, c)| Ok((*v, c.mul(by)?))).collect();
        Ok(Self { parts: parts?, constant: self.constant.mul(by)? })
    }

    pub(super) fn add(&self, other: &Self) -> Result<Self, NumberError> {
        let mut parts = Vec::with_capacity(self.parts.len() + other.parts.len());
        let (mut a, mut b) = (self.parts.iter().peekable(), other.parts.iter().peekable());
        loop {
            let part = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(x), Some(y)) if x.0 == y.0 => {
                    let part = (x.0, x.1.add(&y.1)?);
                    a.next();
                    b.next();
                    part
                }
                (Some(x), y) if y.is_none_or(|y| x.0 < y.0) => {
                    let part = (*x).clone();
                    a.next();
                    part
                }
                _ => b.next().expect("peeked").clone(),
            };
            if !part.1.is_zero() {
                parts.push(part);
            }
        }
        Ok(Self { parts, constant: self.constant.add(&other.constant)? })
    }

    /// Replaces a variable by a form without it.
    fn substitute(&self, variable: usize, by: &Self) -> Result<Self, NumberError> {
        let Some(factor) = self.factor(variable) else { return Ok(self.clone()) };
        let mut rest = self.clone();
        rest.parts.retain(|p| p.0 != variable);
        rest.add(&by.scale(factor)?)
    }

    /// Its value where all variables have one.
    fn at(&self, values: &BTreeMap<usize, Number>) -> Result<Number, NumberError> {
        self.parts.iter().try_fold(self.constant.clone(), |sum, (v, c)| match values.get(v) {
            Some(value) => sum.add(&c.mul(value)?),
            None => Ok(sum),
        })
    }

    /// Solved for a variable that occurs in it: `x = …` where `form = 0`.
    fn solved_for(&self, variable: usize) -> Result<Self, NumberError> {
        let factor = self.factor(variable).cloned().unwrap_or(Number::ONE);
        let mut rest = self.clone();
        rest.parts.retain(|p| p.0 != variable);
        rest.scale(&Number::from(-1).div(&factor)?)
    }
}

/// How a form stands to 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    Differs,
    Below,
    AtMost,
}

/// A solution, if there is one. Variables that no constraint is left to speak of are missing from it.
pub(super) fn solve(
    constraints: Vec<(Form, Relation)>,
    budget: &Budget,
) -> Result<Option<BTreeMap<usize, Number>>, OverBudget> {
    let mut system = System { budget, equations: Vec::new(), bounds: Vec::new(), differing: Vec::new() };
    if !system.take(constraints)? {
        return Ok(None);
    }
    let Some(mut values) = system.settle()? else { return Ok(None) };
    for (variable, form) in system.equations.iter().rev() {
        // What nothing else bounds is 0.
        for (free, _) in &form.parts {
            values.entry(*free).or_insert(Number::ZERO);
        }
        let value = form.at(&values).map_err(too_large)?;
        values.insert(*variable, value);
    }
    Ok(Some(values))
}

/// `form <= 0`, or `form < 0` if strict.
#[derive(Clone, Debug)]
struct Bound {
    form: Form,
    strict: bool,
}

struct System<'b> {
    budget: &'b Budget,
    /// Solved equations; each form is free of the variables solved before it.
    equations: Vec<(usize, Form)>,
    bounds: Vec<Bound>,
    differing: Vec<Form>,
}

impl System<'_> {
    /// Substitutes the equations away. Answers whether they have a solution.
    fn take(&mut self, constraints: Vec<(Form, Relation)>) -> Result<bool, OverBudget> {
        let (equal, other): (Vec<_>, Vec<_>) = constraints.into_iter().partition(|c| c.1 == Relation::Equal);
        for (form, _) in equal {
            self.budget.step(0, WHAT)?;
            let form = self.reduce(form)?;
            match form.parts.last() {
                None if form.constant.is_zero() => {}
                None => return Ok(false),
                Some(&(variable, _)) => {
                    let solved = form.solved_for(variable).map_err(too_large)?;
                    self.equations.push((variable, solved));
                }
            }
        }
        for (form, relation) in other {
            let form = self.reduce(form)?;
            match relation {
                Relation::Differs => self.differing.push(form),
                _ => self.bounds.push(Bound { form, strict: relation == Relation::Below }),
            }
        }
        Ok(true)
    }

    fn reduce(&self, mut form: Form) -> Result<Form, OverBudget> {
        for (variable, by) in &self.equations {
            form = form.substitute(*variable, by).map_err(too_large)?;
        }
        Ok(form)
    }

    /// Values for what the equations leave free.
    fn settle(&mut self) -> Result<Option<BTreeMap<usize, Number>>, OverBudget> {
        let Some(mut values) = self.eliminate(self.bounds.clone())? else { return Ok(None) };
        for form in std::mem::take(&mut self.differing) {
            self.budget.step(0, WHAT)?;
            if form.parts.is_empty() {
                if form.constant.is_zero() {
                    return Ok(None);
                }
                continue;
            }
            let mirrored = form.scale(&Number::from(-1)).map_err(too_large)?;
            let mut found = None;
            // Towards 0, and above it rather than below: `x != 1` is shown by 0, `x != 0` by 1.
            let sides = if form.constant.is_zero() { [mirrored, form] } else { [form, mirrored] };
            for side in sides {
                self.bounds.push(Bound { form: side, strict: true });
                found = self.eliminate(self.bounds.clone())?;
                if found.is_some() {
                    break;
                }
                self.bounds.pop();
            }
            match found {
                Some(better) => values = better,
                None => return Ok(None),
            }
        }
        Ok(Some(values))
    }

    fn eliminate(&self, bounds: Vec<Bound>) -> Result<Option<BTreeMap<usize, Number>>, OverBudget> {
        let mut left = bounds;
        let mut eliminated: Vec<(usize, Vec<Bound>, Vec<Bound>)> = Vec::new();
        loop {
            let Some(kept) = tightest(left)? else { return Ok(None) };
            left = kept;
            let Some(variable) = left.iter().filter_map(|b| b.form.parts.last()).map(|p| p.0).max() else { break };
            let (with, mut rest): (Vec<Bound>, Vec<Bound>) =
                left.into_iter().partition(|b| b.form.factor(variable).is_some());
            let (upper, lower): (Vec<Bound>, Vec<Bound>) =
                with.into_iter().partition(|b| b.form.factor(variable).is_some_and(|c| *c > Number::ZERO));
            let pairs = (lower.len() * upper.len()) as u64;
            let _claim = self.budget.claim(pairs * 64, WHAT)?;
            for low in &lower {
                self.budget.step(upper.len() as u64, WHAT)?;
                for high in &upper {
                    rest.push(combine(low, high, variable).map_err(too_large)?);
                }
            }
            eliminated.push((variable, lower, upper));
            left = rest;
        }
        let mut values = BTreeMap::new();
        for (variable, lower, upper) in eliminated.into_iter().rev() {
            let mut at = |bounds: &[Bound], largest: bool| -> Result<End, OverBudget> {
                let mut end: End = None;
                for bound in bounds {
                    for (free, _) in &bound.form.parts {
                        if *free != variable {
                            values.entry(*free).or_insert(Number::ZERO);
                        }
                    }
                    let edge = bound.form.solved_for(variable).and_then(|f| f.at(&values)).map_err(too_large)?;
                    let tighter = end.as_ref().is_none_or(|(best, strict)| {
                        (if largest { edge > *best } else { edge < *best }) || edge == *best && bound.strict && !strict
                    });
                    if tighter {
                        end = Some((edge, bound.strict));
                    }
                }
                Ok(end)
            };
            let (low, high) = (at(&lower, true)?, at(&upper, false)?);
            values.insert(variable, between(low, high).map_err(too_large)?);
        }
        Ok(Some(values))
    }
}

/// Of bounds with the same direction the tightest; `None` if a bound without variables is false.
fn tightest(bounds: Vec<Bound>) -> Result<Option<Vec<Bound>>, OverBudget> {
    let mut best: BTreeMap<Vec<(usize, Number)>, (Number, bool)> = BTreeMap::new();
    for bound in bounds {
        let Some((_, first)) = bound.form.parts.first() else {
            let fails = bound.form.constant > Number::ZERO || bound.strict && bound.form.constant.is_zero();
            if fails {
                return Ok(None);
            }
            continue;
        };
        let size = if *first < Number::ZERO { first.neg() } else { Ok(first.clone()) };
        let form = size.and_then(|s| Number::ONE.div(&s)).and_then(|by| bound.form.scale(&by)).map_err(too_large)?;
        let entry = best.entry(form.parts).or_insert_with(|| (form.constant.clone(), bound.strict));
        // A larger constant leaves less room.
        if form.constant > entry.0 {
            *entry = (form.constant, bound.strict);
        } else if form.constant == entry.0 {
            entry.1 |= bound.strict;
        }
    }
    let kept = best.into_iter().map(|(parts, (constant, strict))| Bound { form: Form { parts, constant }, strict });
    Ok(Some(kept.collect()))
}

/// What a lower and an upper bound of a variable say together.
fn combine(low: &Bound, high: &Bound, variable: usize) -> Result<Bound, NumberError> {
    let (below, above) = (low.form.solved_for(variable)?, high.form.solved_for(variable)?);
    // below <= x <= above
    let form = below.add(&above.scale(&Number::from(-1))?)?;
    Ok(Bound { form, strict: low.strict || high.strict })
}

/// An end of an interval, and whether it is left out.
type End = Option<(Number, bool)>;

/// The plainest number of an interval that is not empty: 0, else the integer closest to it, else the middle.
fn between(low: End, high: End) -> Result<Number, NumberError> {
    let inside = |n: &Number| {
        low.as_ref().is_none_or(|(l, strict)| n > l || !strict && n == l)
            && high.as_ref().is_none_or(|(h, strict)| n < h || !strict && n == h)
    };
    if inside(&Number::ZERO) {
        return Ok(Number::ZERO);
    }
    let mut tries = Vec::new();
    match (&low, &high) {
        // The interval lies above 0, or below it.
        (Some((l, _)), _) if *l >= Number::ZERO => {
            tries.push(l.clone());
            tries.push(l.floor().add(&Number::ONE)?);
        }
        (_, Some((h, _))) => {
            tries.push(h.clone());
            tries.push(h.neg()?.floor().add(&Number::ONE)?.neg()?);
        }
        _ => {}
    }
    tries.sort_by_key(|n| n.as_i64().is_none());
    if let Some(n) = tries.iter().find(|n| inside(n)) {
        return Ok(n.clone());
    }
    match (low, high) {
        (Some((l, _)), Some((h, _))) => l.add(&h)?.div(&Number::from(2)),
        (Some((l, _)), None) => l.add(&Number::ONE),
        (None, Some((h, _))) => h.sub(&Number::ONE),
        (None, None) => Ok(Number::ZERO),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Relation::{AtMost, Below, Differs, Equal};

    fn form(parts: &[(usize, i64)], constant: i64) -> Form {
        Form { parts: parts.iter().map(|&(v, c)| (v, c.into())).collect(), constant: constant.into() }
    }

    fn check(constraints: &[(Form, Relation)]) -> Option<Vec<String>> {
        let values = solve(constraints.to_vec(), &Budget::unlimited()).unwrap()?;
        for (form, relation) in constraints {
            let at = form.at(&values).unwrap();
            let holds = match relation {
                Equal => at.is_zero(),
                Differs => !at.is_zero(),
                Below => at < Number::ZERO,
                AtMost => at <= Number::ZERO,
            };
            assert!(holds, "{form:?} {relation:?} at {values:?}");
        }
        Some(values.iter().map(|(v, n)| format!("{v}={n}")).collect())
    }

    #[test]
    fn solutions_are_plain_and_solve() {
        let shown = |c: &[(Form, Relation)]| check(c).map(|v| v.join(" "));
        assert_eq!(shown(&[(form(&[(0, 1)], -1), Differs)]).unwrap(), "0=0");
        assert_eq!(shown(&[(form(&[(0, 1)], 0), Differs)]).unwrap(), "0=1");
        assert_eq!(shown(&[(form(&[(0, -1)], 2), Below)]).unwrap(), "0=3");
        assert_eq!(shown(&[(form(&[(0, -3)], 1), AtMost), (form(&[(0, 3)], -1), AtMost)]).unwrap(), "0=1/3");
        assert_eq!(shown(&[(form(&[(0, -1)], 0), Below), (form(&[(0, 1)], -1), Below)]).unwrap(), "0=0.5");
        assert_eq!(shown(&[(form(&[(0, 1), (1, -2)], 1), Equal), (form(&[(1, -1)], 5), AtMost)]).unwrap(), "0=9 1=5");
        // x < y < z < x
        let chain = [form(&[(0, 1), (1, -1)], 0), form(&[(1, 1), (2, -1)], 0), form(&[(0, -1), (2, 1)], 0)];
        assert_eq!(check(&chain.clone().map(|f| (f, Below))), None);
        assert!(check(&chain.map(|f| (f, AtMost))).is_some());
    }

    #[test]
    fn inequations_cut_hyperplanes_out() {
        // 0 <= x <= 0 leaves nothing of x != 0; 0 <= x <= 1 does, however many points are cut out.
        let square = |h: i64| vec![(form(&[(0, -1)], 0), AtMost), (form(&[(0, 1)], -h), AtMost)];
        let mut none = square(0);
        none.push((form(&[(0, 1)], 0), Differs));
        assert_eq!(check(&none), None);
        let mut some = square(1);
        for k in 0..5 {
            some.push((form(&[(0, 4)], -k), Differs));
        }
        assert!(check(&some).is_some());
        // x = y and x != y
        assert_eq!(check(&[(form(&[(0, 1), (1, -1)], 0), Equal), (form(&[(0, 2), (1, -2)], 0), Differs)]), None);
    }

    #[test]
    fn random_systems_around_a_point_have_a_solution() {
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..500 {
            let point: Vec<i64> = (0..3).map(|_| rng.i64(-3..4)).collect();
            let constraints: Vec<(Form, Relation)> = (0..rng.usize(1..8))
                .map(|_| {
                    let parts: Vec<(usize, i64)> = (0..3).map(|v| (v, rng.i64(-2..3))).filter(|p| p.1 != 0).collect();
                    let at: i64 = parts.iter().map(|&(v, c)| c * point[v]).sum();
                    let (slack, relation) = match rng.u8(..4) {
                        0 => (0, Equal),
                        1 => (0, AtMost),
                        2 => (1, Below),
                        _ => (1, Differs),
                    };
                    (form(&parts, -at - slack), relation)
                })
                .collect();
            assert!(check(&constraints).is_some(), "{constraints:?} at {point:?}");
        }
    }
}
