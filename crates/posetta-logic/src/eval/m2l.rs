//! M2L on one word by definition: a quantifier tries every value.
//!
//! Variables range over the positions of the word and their sets, terms over all numbers: `p + 1` of the last position is a number that is
//! in no set of positions. `ex1 p where f: g` is `ex1 p: f & g`, and `all1 p where f: g` is `all1 p: f => g`. A quantified set has
//! as many values as the word has sets of positions, so only short words are decided this way; the rest is given up, and left to the automata of `posetta_compile::m2l`.

use std::rc::Rc;

use super::Word;
use crate::AtomId;
use crate::m2l::{Argument, Connective, Element, Formula, Order, Position, Program, Set, VarId};
use posetta_base::{Budget, OverBudget};

/// How many steps are worth trying before the property's automaton is asked instead.
pub const M2L_STEPS: u64 = 2_000_000;

/// Numbers from here on are in no set that is worth making.
const LARGEST: u64 = 1 << 22;

/// Deeper formulas, definitions put in, are given up: this walk is recursive.
const DEEPEST: u32 = 1_000;

const WHAT: &str = "replaying a run";

/// Whether a word has a property, of whose program atom i is `atoms[i]` in the word. `None` if that takes more than so many steps.
///
/// # Errors
/// When the budget is spent.
pub fn m2l_holds(
    program: &Program,
    atoms: &[AtomId],
    word: &Word,
    steps: u64,
    budget: &Budget,
) -> Result<Option<bool>, OverBudget> {
    let mut values = vec![Value::Truth(false); program.vars.len()];
    for ((var, _), &atom) in program.atoms.iter().zip(atoms) {
        values[var.index()] = Value::Set(Rc::new(Places::of(word.row(atom))));
    }
    if let Some(all) = program.all_positions {
        values[all.index()] = Value::Set(Rc::new(Places::of(&vec![true; word.len()])));
    }
    let mut tries = Tries { program, len: word.len(), values, left: steps, depth: 0, budget };
    match tries.formula(&program.formula) {
        Ok(truth) => Ok(Some(truth)),
        Err(Stop::Tired) => Ok(None),
        Err(Stop::Spent(over)) => Err(over),
    }
}

/// Why there is no answer.
enum Stop {
    Tired,
    Spent(OverBudget),
}

type Tried<T> = Result<T, Stop>;

/// A finite set of numbers: bit i of word j is 64j + i. The last word is not 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Places(Vec<u64>);

impl Places {
    fn of(row: &[bool]) -> Self {
        let mut places = Self(vec![0; row.len().div_ceil(64)]);
        row.iter().enumerate().filter(|(_, holds)| **holds).for_each(|(i, _)| places.0[i / 64] |= 1 << (i % 64));
        places.trimmed()
    }

    fn trimmed(mut self) -> Self {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    fn has(&self, n: u64) -> bool {
        usize::try_from(n / 64).ok().and_then(|at| self.0.get(at)).is_some_and(|bits| bits >> (n % 64) & 1 == 1)
    }

    /// Only for numbers below [`LARGEST`].
    fn insert(&mut self, n: u64) {
        let at = (n / 64) as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (n % 64);
    }

    fn members(&self) -> impl Iterator<Item = u64> {
        let in_word =
            |(j, &bits): (usize, &u64)| (0..64).filter(move |i| bits >> i & 1 == 1).map(move |i| 64 * j as u64 + i);
        self.0.iter().enumerate().flat_map(in_word)
    }

    fn join(&self, other: &Self, f: impl Fn(u64, u64) -> u64) -> Self {
        let bits = |places: &Self, at: usize| places.0.get(at).copied().unwrap_or(0);
        let len = self.0.len().max(other.0.len());
        Self((0..len).map(|at| f(bits(self, at), bits(other, at))).collect()).trimmed()
    }
}

#[derive(Clone, Debug)]
enum Value {
    Truth(bool),
    Place(u64),
    Set(Rc<Places>),
}

struct Tries<'p> {
    program: &'p Program,
    len: usize,
    /// Of every variable that is in scope; the resolver has seen to it that no other is asked for.
    values: Vec<Value>,
    left: u64,
    depth: u32,
    budget: &'p Budget,
}

impl<'p> Tries<'p> {
    fn spend(&mut self, steps: u64) -> Tried<()> {
        self.left = self.left.checked_sub(steps.max(1)).ok_or(Stop::Tired)?;
        self.budget.step(0, WHAT).map_err(Stop::Spent)
    }

    fn formula(&mut self, formula: &'p Formula) -> Tried<bool> {
        self.spend(1)?;
        if self.depth >= DEEPEST {
            return Err(Stop::Tired);
        }
        self.depth += 1;
        let truth = self.inside(formula);
        self.depth -= 1;
        truth
    }

    fn inside(&mut self, formula: &'p Formula) -> Tried<bool> {
        Ok(match formula {
            Formula::Constant(truth) => *truth,
            Formula::Truth(var) => matches!(self.values[var.index()], Value::Truth(true)),
            Formula::Not(f) => !self.formula(f)?,
            Formula::Joined(Connective::And, f, g) => self.formula(f)? && self.formula(g)?,
            Formula::Joined(Connective::Or, f, g) => self.formula(f)? || self.formula(g)?,
            Formula::Joined(Connective::Implies, f, g) => !self.formula(f)? || self.formula(g)?,
            Formula::Joined(Connective::Iff, f, g) => self.formula(f)? == self.formula(g)?,
            Formula::In(t, s) => {
                let n = self.position(t)?;
                self.set(s)?.has(n)
            }
            Formula::Sub(s, t) => {
                let (s, t) = (self.set(s)?, self.set(t)?);
                s.join(&t, |s, t| s & !t).0.is_empty()
            }
            Formula::SamePosition(t, u) => self.position(t)? == self.position(u)?,
            Formula::SameSet(s, t) => self.set(s)? == self.set(t)?,
            Formula::Less(t, u) => self.position(t)? < self.position(u)?,
            Formula::LessEq(t, u) => self.position(t)? <= self.position(u)?,
            Formula::Empty(s) => self.set(s)?.0.is_empty(),
            Formula::Quantified { all, vars, body } => self.some(*all, vars, body)? != *all,
            Formula::Let(definitions, body) => {
                let values = definitions.iter().map(|(var, a)| Ok((*var, self.argument(a)?)));
                let values: Vec<(VarId, Value)> = values.collect::<Tried<_>>()?;
                values.into_iter().for_each(|(var, value)| self.values[var.index()] = value);
                self.formula(body)?
            }
            Formula::Call(pred, arguments) => {
                let called = &self.program.preds[pred.index()];
                let values = called.formals.iter().zip(arguments).map(|(var, a)| Ok((*var, self.argument(a)?)));
                let values: Vec<(VarId, Value)> = values.collect::<Tried<_>>()?;
                values.into_iter().for_each(|(var, value)| self.values[var.index()] = value);
                self.formula(&called.body)?
            }
            // Neither is for properties; what they would mean of two values is not settled.
            Formula::Restrict(_) | Formula::Prefix(_) => return Err(Stop::Tired),
        })
    }

    /// Whether the body holds for some allowed values of the variables, or fails for some if `negated`.
    fn some(&mut self, negated: bool, vars: &'p [VarId], body: &'p Formula) -> Tried<bool> {
        let Some((&var, rest)) = vars.split_first() else { return Ok(self.formula(body)? != negated) };
        let variable = &self.program.vars[var.index()];
        let count = match variable.order {
            Order::Zero => 2,
            Order::One => self.len as u64,
            // More sets than steps.
            Order::Two if self.len >= 32 => return Err(Stop::Tired),
            Order::Two => 1 << self.len,
        };
        for n in 0..count {
            self.values[var.index()] = match variable.order {
                Order::Zero => Value::Truth(n == 1),
                Order::One => Value::Place(n),
                Order::Two => Value::Set(Rc::new(Places(vec![n]).trimmed())),
            };
            let allowed = match &variable.restriction {
                None => true,
                Some(restriction) => self.formula(restriction)?,
            };
            if allowed && self.some(negated, rest, body)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn argument(&mut self, argument: &'p Argument) -> Tried<Value> {
        Ok(match argument {
            Argument::Formula(f) => Value::Truth(self.formula(f)?),
            Argument::Position(t) => Value::Place(self.position(t)?),
            Argument::Set(s) => Value::Set(self.set(s)?),
        })
    }

    fn position(&mut self, position: &'p Position) -> Tried<u64> {
        self.spend(1)?;
        Ok(match position {
            Position::Var(var) => match self.values[var.index()] {
                Value::Place(n) => n,
                // Types are right.
                Value::Truth(_) | Value::Set(_) => 0,
            },
            Position::Constant(n) => u64::from(*n),
            Position::Plus(t, n) => self.position(t)? + u64::from(*n),
            Position::Minus(t, n) => self.position(t)?.saturating_sub(u64::from(*n)),
            Position::PlusModulo(t, n, u) => {
                let (t, u) = (self.position(t)?, self.position(u)?);
                self.spend(u64::from(*n))?;
                (0..*n).fold(t, |t, _| up(t, u))
            }
            Position::MinusModulo(t, n, u) => {
                let (t, u) = (self.position(t)?, self.position(u)?);
                self.spend(u64::from(*n))?;
                (0..*n).fold(t, |t, _| down(t, u))
            }
            Position::Min(s) => self.set(s)?.members().next().unwrap_or(0),
            Position::Max(s) => self.set(s)?.members().last().unwrap_or(0),
        })
    }

    fn set(&mut self, set: &'p Set) -> Tried<Rc<Places>> {
        let made = match set {
            Set::Var(var) => match &self.values[var.index()] {
                Value::Set(places) => Rc::clone(places),
                // Types are right.
                Value::Truth(_) | Value::Place(_) => Rc::default(),
            },
            Set::Empty => Rc::default(),
            Set::Union(s, t) => Rc::new(self.set(s)?.join(&*self.set(t)?, |s, t| s | t)),
            Set::Inter(s, t) => Rc::new(self.set(s)?.join(&*self.set(t)?, |s, t| s & t)),
            Set::Difference(s, t) => Rc::new(self.set(s)?.join(&*self.set(t)?, |s, t| s & !t)),
            Set::Plus(s, n) => {
                let s = self.set(s)?;
                self.listed(s.members().map(|m| m + u64::from(*n)))?
            }
            Set::Minus(s, n) => {
                let s = self.set(s)?;
                self.listed(s.members().map(|m| m.saturating_sub(u64::from(*n))))?
            }
            Set::Listed(elements) => {
                let mut places = Places::default();
                for element in elements {
                    let (first, last) = match element {
                        Element::One(t) => {
                            let n = self.position(t)?;
                            (n, n)
                        }
                        Element::Range(t, u) => (self.position(t)?, self.position(u)?),
                    };
                    if first <= last {
                        self.spend(last - first)?;
                        let more = self.listed(first..=last)?;
                        places = places.join(&more, |s, t| s | t);
                    }
                }
                Rc::new(places)
            }
            Set::Number(n) => Rc::new(Places(vec![*n]).trimmed()),
        };
        self.spend(made.0.len() as u64)?;
        Ok(made)
    }

    fn listed(&mut self, numbers: impl Iterator<Item = u64>) -> Tried<Rc<Places>> {
        let mut places = Places::default();
        for n in numbers {
            if n >= LARGEST {
                return Err(Stop::Tired);
            }
            places.insert(n);
        }
        Ok(Rc::new(places))
    }
}

/// One step round u positions: behind the last one comes the first.
fn up(t: u64, u: u64) -> u64 {
    match t {
        _ if t + 1 < u => t + 1,
        _ if t == u && u > 1 => 1,
        _ => 0,
    }
}

/// One step back round u positions.
fn down(t: u64, u: u64) -> u64 {
    match t {
        0 => u.saturating_sub(1),
        _ if t <= u => t - 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::m2l::parse_property;

    /// Reads a word of the one atom p, `1` where it holds.
    fn holds(source: &str, word: &str, steps: u64) -> Option<bool> {
        let program = parse_property(source).expect(source);
        let row: Vec<bool> = word.chars().map(|c| c == '1').collect();
        let word = Word::from_rows(vec![row; program.atoms.len()], word.len());
        let atoms: Vec<AtomId> = (0..program.atoms.len() as u32).map(AtomId).collect();
        m2l_holds(&program, &atoms, &word, steps, &Budget::unlimited()).expect("nothing is spent")
    }

    const EVEN: &str = "ex2 E: E sub `p` & min `p` notin E & (all1 i, j where i in `p` & j in `p` & i < j & \
                        (all1 k where i < k & k < j: k notin `p`): i in E <=> j notin E) & (empty(`p`) | max `p` in E)";

    #[test]
    fn words_by_definition() {
        for (source, yes, no) in [
            (EVEN, vec!["", "00", "11", "01010", "1111"], vec!["1", "010", "111", "0101001"]),
            ("ex1 q: q in `p`", vec!["1", "01"], vec!["", "00"]),
            ("all1 q: q in `p`", vec!["", "11"], vec!["0", "10"]),
            ("all1 q where q + 1 in $: q in `p` <=> q + 1 notin `p`", vec!["", "0", "1010"], vec!["00", "0110"]),
            ("`p` + 1 = {1, 3,...,4}", vec!["1011"], vec!["101", "0101"]),
            ("`p` - 2 sub {0} & ~empty(`p`)", vec!["1", "011"], vec!["", "0001"]),
            ("pred at(var1 q, var2 S) = q in S; let1 last = max $ in at(last - 1 % 2, `p`)", vec!["10"], vec!["01"]),
            ("`p` = pconst(5) union empty", vec!["101", "1010"], vec!["111", ""]),
            ("all0 a: a | ~a & (max `p`) + 1 % 3 = 0", vec!["001", "00100"], vec!["01", "1"]),
        ] {
            for (words, expected) in [(yes, true), (no, false)] {
                for word in words {
                    assert_eq!(holds(source, word, M2L_STEPS), Some(expected), "{source} on {word:?}");
                }
            }
        }
    }

    #[test]
    fn what_takes_too_long_is_given_up() {
        assert_eq!(holds(EVEN, &"1".repeat(40), M2L_STEPS), None);
        assert_eq!(holds("ex1 q: q in `p`", "01", 3), None);
        assert_eq!(holds("0 in ({0,...,1000000} + 1000000) + 1000000 + 1000000 + 1000000", "", M2L_STEPS * 9), None);
        let calls: String = (1..3_000).map(|i| format!("pred q{i} = q{} & true;", i - 1)).collect();
        assert_eq!(holds(&format!("pred q0 = true; {calls} q2999"), "", M2L_STEPS), None);
    }
}
