//! Formulas of both logics in the operators that testers have, and what becomes of them where a word is cut off.
//!
//! `f abort b` is f on the word up to the first b, with the letter ⊤ forever behind it. Negation exchanges ⊤ and ⊥. So what an operand
//! sees is the word up to the first position where one of two disjoint conditions holds: `tops`, from where on it is ⊤ forever, and `bottoms`,
//! from where on it is ⊥ forever ([`Cut`]). An `abort b` inside adds b to `tops`, except where the word is ⊥ already, because ⊥ satisfies no b;
//! negation exchanges the two. What a formula is worth on ⊤^ω and ⊥^ω is known from its shape ([`Formulas::on_tops`]). That gives the
//! equivalences of the paper's section 8.3 without its conditions on operands.

use rustc_hash::FxHashMap;

use super::assertion::{AssertionId, Assertions};
use posetta_base::{Budget, Claim, Limit, OverBudget};
use posetta_logic::{
    AtomId, Grammar, Guard, Ltl, LtlBinary, LtlUnary, Psl, PslBinary, PslUnary, Sere, SereOp, Suffix, Times,
};

pub(super) const WHAT: &str = "building a tester";

/// More operators than this make no tester that anybody could use; `next[1000000]` should say so at once.
const MOST: usize = 1 << 17;

/// How many letters a SERE has where repetitions are written out; those that go on for ever once.
fn letters(sere: &Sere<AtomId>) -> u64 {
    let of = |times: &Times| u64::from(times.max.unwrap_or(0).max(times.min).max(1));
    match sere {
        Sere::Bool(_) => 1,
        Sere::Chain(_, parts) => parts.iter().map(letters).fold(0, u64::saturating_add),
        Sere::Repeat(r, times) => letters(r).saturating_mul(of(times)),
        Sere::Goto(_, times) | Sere::Occur(_, times) => of(times),
    }
}

/// A place in [`Formulas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FormulaId(u32);

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Core {
    /// A boolean: an assertion over atoms.
    Bool(AssertionId),
    Not(FormulaId),
    And(Vec<FormulaId>),
    Or(Vec<FormulaId>),
    Iff(FormulaId, FormulaId),
    /// `X! f`
    Next(FormulaId),
    /// `f U g`
    Until(FormulaId, FormulaId),
    Yesterday(FormulaId),
    Since(FormulaId, FormulaId),
    /// `<r> f`
    Some(usize, FormulaId),
    /// Weak `r`.
    Weak(usize),
    /// `f abort b`
    Abort(FormulaId, AssertionId),
    /// A match ends here: of any start, or of one at the first position of the word. Of the past, so only where no cut is.
    Ended(usize, Start),
    /// A match from the first position can go on behind this one.
    GoesOn(usize),
}

/// Where a match begins that somebody looks back at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Start {
    Anywhere,
    First,
}

/// Where the word that an operand sees is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Cut {
    /// From here on it is ⊤.
    pub(super) tops: AssertionId,
    /// From here on it is ⊥.
    pub(super) bottoms: AssertionId,
}

/// An arena of formulas, each stored once.
pub(super) struct Formulas<'b> {
    nodes: Vec<Core>,
    known: FxHashMap<Core, FormulaId>,
    pub(super) assertions: Assertions,
    pub(super) grammars: Vec<Grammar>,
    pub(super) budget: &'b Budget,
    claim: Claim,
}

impl<'b> Formulas<'b> {
    pub(super) fn new(budget: &'b Budget) -> Result<Self, OverBudget> {
        Ok(Self {
            nodes: Vec::new(),
            known: FxHashMap::default(),
            assertions: Assertions::default(),
            grammars: Vec::new(),
            budget,
            claim: budget.claim(0, WHAT)?,
        })
    }

    pub(super) fn get(&self, id: FormulaId) -> &Core {
        &self.nodes[id.0 as usize]
    }

    fn add(&mut self, core: Core) -> Result<FormulaId, OverBudget> {
        if let Some(&id) = self.known.get(&core) {
            return Ok(id);
        }
        if self.nodes.len() >= MOST {
            return Err(OverBudget::new(WHAT, Limit::Memory));
        }
        self.budget.step(1, WHAT)?;
        self.claim.grow_to(128 * (self.nodes.len() as u64 + 1), WHAT)?;
        let id = FormulaId(u32::try_from(self.nodes.len()).expect("there are few"));
        self.nodes.push(core.clone());
        self.known.insert(core, id);
        Ok(id)
    }

    fn bool(&mut self, guard: &Guard<AtomId>) -> Result<FormulaId, OverBudget> {
        let assertion = self.assertions.guard(guard);
        self.add(Core::Bool(assertion))
    }

    fn not(&mut self, f: FormulaId) -> Result<FormulaId, OverBudget> {
        match *self.get(f) {
            Core::Not(g) => Ok(g),
            Core::Bool(b) => {
                let b = self.assertions.not(b);
                self.add(Core::Bool(b))
            }
            _ => self.add(Core::Not(f)),
        }
    }

    fn next(&mut self, f: FormulaId) -> Result<FormulaId, OverBudget> {
        self.add(Core::Next(f))
    }

    /// `X f`: not `X! !f`.
    fn weak_next(&mut self, f: FormulaId) -> Result<FormulaId, OverBudget> {
        let not = self.not(f)?;
        let next = self.next(not)?;
        self.not(next)
    }

    fn until(&mut self, f: FormulaId, g: FormulaId) -> Result<FormulaId, OverBudget> {
        self.add(Core::Until(f, g))
    }

    /// `f W g`: not `!g U (!f && !g)`.
    fn weak_until(&mut self, f: FormulaId, g: FormulaId) -> Result<FormulaId, OverBudget> {
        let (f, g) = (self.not(f)?, self.not(g)?);
        let both = self.add(Core::And(vec![f, g]))?;
        let until = self.until(g, both)?;
        self.not(until)
    }

    fn finally(&mut self, f: FormulaId) -> Result<FormulaId, OverBudget> {
        let anything = self.bool(&Guard::True)?;
        self.until(anything, f)
    }

    fn globally(&mut self, f: FormulaId) -> Result<FormulaId, OverBudget> {
        let not = self.not(f)?;
        let finally = self.finally(not)?;
        self.not(finally)
    }

    fn grammar(&mut self, sere: &Sere<AtomId>) -> Result<usize, OverBudget> {
        // Each letter of an expression that is written out becomes a variable.
        if letters(sere) > MOST as u64 {
            return Err(OverBudget::new(WHAT, Limit::Memory));
        }
        let grammar = Grammar::of(sere, self.budget)?;
        if let Some(place) = self.grammars.iter().position(|g| *g == grammar) {
            return Ok(place);
        }
        self.grammars.push(grammar);
        Ok(self.grammars.len() - 1)
    }

    fn some(&mut self, sere: &Sere<AtomId>, f: FormulaId) -> Result<FormulaId, OverBudget> {
        let grammar = self.grammar(sere)?;
        self.add(Core::Some(grammar, f))
    }

    /// `r |-> f`: not `<r> !f`.
    fn every(&mut self, sere: &Sere<AtomId>, f: FormulaId) -> Result<FormulaId, OverBudget> {
        let not = self.not(f)?;
        let some = self.some(sere, not)?;
        self.not(some)
    }

    /// An LTL formula.
    pub(super) fn ltl(&mut self, formula: &Ltl<AtomId>) -> Result<FormulaId, OverBudget> {
        match formula {
            Ltl::True => self.bool(&Guard::True),
            Ltl::False => self.bool(&Guard::False),
            Ltl::Atom(a) => self.bool(&Guard::Atom(*a)),
            Ltl::Not(f) => {
                let f = self.ltl(f)?;
                self.not(f)
            }
            Ltl::And(fs) => {
                let fs = fs.iter().map(|f| self.ltl(f)).collect::<Result<_, _>>()?;
                self.add(Core::And(fs))
            }
            Ltl::Or(fs) => {
                let fs = fs.iter().map(|f| self.ltl(f)).collect::<Result<_, _>>()?;
                self.add(Core::Or(fs))
            }
            Ltl::Implies(f, g) => {
                let (f, g) = (self.ltl(f)?, self.ltl(g)?);
                let f = self.not(f)?;
                self.add(Core::Or(vec![f, g]))
            }
            Ltl::Iff(f, g) => {
                let (f, g) = (self.ltl(f)?, self.ltl(g)?);
                self.add(Core::Iff(f, g))
            }
            Ltl::Unary(op, f) => {
                let f = self.ltl(f)?;
                match op {
                    LtlUnary::Next => self.next(f),
                    LtlUnary::WeakNext => self.weak_next(f),
                    LtlUnary::Finally => self.finally(f),
                    LtlUnary::Globally => self.globally(f),
                    LtlUnary::Yesterday => self.add(Core::Yesterday(f)),
                    LtlUnary::Once => {
                        let anything = self.bool(&Guard::True)?;
                        self.add(Core::Since(anything, f))
                    }
                    LtlUnary::Historically => {
                        let anything = self.bool(&Guard::True)?;
                        let f = self.not(f)?;
                        let once = self.add(Core::Since(anything, f))?;
                        self.not(once)
                    }
                }
            }
            Ltl::Binary(op, f, g) => {
                let (f, g) = (self.ltl(f)?, self.ltl(g)?);
                match op {
                    LtlBinary::Until => self.until(f, g),
                    LtlBinary::WeakUntil => self.weak_until(f, g),
                    LtlBinary::Release => {
                        let (f, g) = (self.not(f)?, self.not(g)?);
                        let until = self.until(f, g)?;
                        self.not(until)
                    }
                    LtlBinary::StrongRelease => {
                        let both = self.add(Core::And(vec![f, g]))?;
                        self.until(g, both)
                    }
                    LtlBinary::Since => self.add(Core::Since(f, g)),
                }
            }
        }
    }

    /// A PSL formula that is asked about at the first position of a word only.
    ///
    /// A SERE is followed from the left there: which nonterminals can be at hand is a function of what was read, so nothing is guessed, and no
    /// derivation has to be kept from going on forever. `always r |-> f` looks for matches of any start.
    pub(super) fn psl_at_first(&mut self, formula: &Psl<AtomId>) -> Result<FormulaId, OverBudget> {
        let anything = Sere::Repeat(Box::new(Sere::Bool(Guard::True)), Times::ANY);
        match formula {
            Psl::Not(f) => {
                let f = self.psl_at_first(f)?;
                self.not(f)
            }
            Psl::And(fs) => {
                let fs = fs.iter().map(|f| self.psl_at_first(f)).collect::<Result<_, _>>()?;
                self.add(Core::And(fs))
            }
            Psl::Or(fs) => {
                let fs = fs.iter().map(|f| self.psl_at_first(f)).collect::<Result<_, _>>()?;
                self.add(Core::Or(fs))
            }
            Psl::Implies(f, g) => {
                let (f, g) = (self.psl_at_first(f)?, self.psl_at_first(g)?);
                let f = self.not(f)?;
                self.add(Core::Or(vec![f, g]))
            }
            Psl::Sere { sere, strong } => {
                let ended = self.ended(sere, Start::First)?;
                if *strong {
                    return self.finally(ended);
                }
                let grammar = self.grammar(sere)?;
                let goes_on = self.add(Core::GoesOn(grammar))?;
                self.weak_until(goes_on, ended)
            }
            // Spelled out as the definition has it: what r does not need to read counts.
            Psl::Never(r) => {
                let ended = self.ended(&Sere::Chain(SereOp::Concat, vec![anything, r.clone()]), Start::First)?;
                let not = self.not(ended)?;
                self.globally(not)
            }
            Psl::Eventually(r) => {
                let ended = self.ended(&Sere::Chain(SereOp::Concat, vec![anything, r.clone()]), Start::First)?;
                self.finally(ended)
            }
            Psl::Suffix(op, r, f) => self.suffix(*op, r, f, Start::First),
            Psl::Unary(PslUnary::Globally, g) => match &**g {
                Psl::Suffix(op @ (Suffix::Overlapping | Suffix::After), r, f) => {
                    self.suffix(*op, r, f, Start::Anywhere)
                }
                _ => self.psl(formula),
            },
            _ => self.psl(formula),
        }
    }

    fn ended(&mut self, sere: &Sere<AtomId>, start: Start) -> Result<FormulaId, OverBudget> {
        let grammar = self.grammar(sere)?;
        self.add(Core::Ended(grammar, start))
    }

    /// f where matches end that begin so.
    fn suffix(
        &mut self,
        op: Suffix,
        sere: &Sere<AtomId>,
        f: &Psl<AtomId>,
        start: Start,
    ) -> Result<FormulaId, OverBudget> {
        let f = self.psl(f)?;
        let ended = match op {
            Suffix::After => {
                let longer = Sere::Chain(SereOp::Concat, vec![sere.clone(), Sere::Bool(Guard::True)]);
                self.ended(&longer, start)?
            }
            Suffix::Overlapping | Suffix::Some => self.ended(sere, start)?,
        };
        if op == Suffix::Some {
            let both = self.add(Core::And(vec![ended, f]))?;
            return self.finally(both);
        }
        let not = self.not(ended)?;
        let either = self.add(Core::Or(vec![not, f]))?;
        self.globally(either)
    }

    /// A PSL formula.
    pub(super) fn psl(&mut self, formula: &Psl<AtomId>) -> Result<FormulaId, OverBudget> {
        let anything = Sere::Repeat(Box::new(Sere::Bool(Guard::True)), Times::ANY);
        match formula {
            Psl::Bool(b) => self.bool(b),
            Psl::Sere { sere, strong: true } => {
                let yes = self.bool(&Guard::True)?;
                self.some(sere, yes)
            }
            Psl::Sere { sere, strong: false } => {
                let grammar = self.grammar(sere)?;
                self.add(Core::Weak(grammar))
            }
            Psl::Not(f) => {
                let f = self.psl(f)?;
                // `!b` of a boolean is a boolean; other negations exchange ⊤ and ⊥.
                self.not(f)
            }
            Psl::And(fs) => {
                let fs = fs.iter().map(|f| self.psl(f)).collect::<Result<_, _>>()?;
                self.add(Core::And(fs))
            }
            Psl::Or(fs) => {
                let fs = fs.iter().map(|f| self.psl(f)).collect::<Result<_, _>>()?;
                self.add(Core::Or(fs))
            }
            Psl::Implies(f, g) => {
                let (f, g) = (self.psl(f)?, self.psl(g)?);
                let f = self.not(f)?;
                self.add(Core::Or(vec![f, g]))
            }
            Psl::Iff(f, g) => {
                let (f, g) = (self.psl(f)?, self.psl(g)?);
                self.add(Core::Iff(f, g))
            }
            Psl::Unary(op, f) => {
                let f = self.psl(f)?;
                match op {
                    PslUnary::Next => self.weak_next(f),
                    PslUnary::StrongNext => self.next(f),
                    PslUnary::Globally => self.globally(f),
                    PslUnary::Finally => self.finally(f),
                }
            }
            Psl::NextTimes { strong, count, formula } => {
                let mut f = self.psl(formula)?;
                for _ in 0..*count {
                    f = if *strong { self.next(f)? } else { self.weak_next(f)? };
                }
                Ok(f)
            }
            Psl::Binary(op, f, g) => {
                let (f, g) = (self.psl(f)?, self.psl(g)?);
                match *op {
                    PslBinary::Until { strong, inclusive } => {
                        let goal = if inclusive { self.add(Core::And(vec![f, g]))? } else { g };
                        if strong { self.until(f, goal) } else { self.weak_until(f, goal) }
                    }
                    PslBinary::Before { strong, inclusive } => {
                        let not = self.not(g)?;
                        let goal = if inclusive { f } else { self.add(Core::And(vec![f, not]))? };
                        if strong { self.until(not, goal) } else { self.weak_until(not, goal) }
                    }
                }
            }
            Psl::Never(r) => {
                let no = self.bool(&Guard::False)?;
                self.every(&Sere::Chain(SereOp::Concat, vec![anything, r.clone()]), no)
            }
            Psl::Eventually(r) => {
                let yes = self.bool(&Guard::True)?;
                self.some(&Sere::Chain(SereOp::Concat, vec![anything, r.clone()]), yes)
            }
            Psl::Suffix(op, r, f) => {
                let f = self.psl(f)?;
                match op {
                    Suffix::Overlapping => self.every(r, f),
                    Suffix::After => {
                        self.every(&Sere::Chain(SereOp::Concat, vec![r.clone(), Sere::Bool(Guard::True)]), f)
                    }
                    Suffix::Some => self.some(r, f),
                }
            }
            Psl::Abort(f, b) => {
                let f = self.psl(f)?;
                let b = self.assertions.guard(b);
                self.add(Core::Abort(f, b))
            }
        }
    }

    /// Whether the formula holds on ⊤^ω (or, if `tops` is false, on ⊥^ω).
    pub(super) fn on_tops(&self, id: FormulaId, tops: bool) -> bool {
        match self.get(id) {
            Core::Bool(_) => tops,
            Core::Not(f) => !self.on_tops(*f, !tops),
            Core::And(fs) => fs.iter().all(|&f| self.on_tops(f, tops)),
            Core::Or(fs) => fs.iter().any(|&f| self.on_tops(f, tops)),
            Core::Iff(f, g) => {
                (self.on_tops(*f, tops) && self.on_tops(*g, tops))
                    || (!self.on_tops(*f, !tops) && !self.on_tops(*g, !tops))
            }
            Core::Next(f) | Core::Abort(f, _) => self.on_tops(*f, tops),
            Core::Until(_, g) => self.on_tops(*g, tops),
            // A match reads a letter, and ⊥ satisfies nothing.
            Core::Some(r, f) => tops && !self.grammars[*r].rules.is_empty() && self.on_tops(*f, tops),
            Core::Weak(r) => tops && !self.grammars[*r].rules.is_empty(),
            // There is no abort around these, so nobody asks.
            Core::Ended(..) | Core::GoesOn(_) => tops,
            // LTL has no abort, so nobody asks.
            Core::Yesterday(f) | Core::Since(_, f) => self.on_tops(*f, tops),
        }
    }
}
