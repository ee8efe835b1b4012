//! A module for each basic formula, innermost first (Pnueli and Zaks 2006, figure 2).

use rustc_hash::FxHashMap;

use super::assertion::AssertionId;
use super::core::{Core, Cut, FormulaId, Formulas, Start, WHAT};
use super::{Basic, Module, Tester, TesterVar};
use posetta_base::{Limit, OverBudget};
use posetta_logic::Grammar;

/// More variables than this make no tester that anybody could use.
const MOST_VARS: usize = 1 << 16;

/// Assertions about the same formula under different cuts.
const MOST_CUTS: usize = 1 << 20;

pub(super) fn build(formulas: Formulas<'_>, root: FormulaId) -> Result<Tester, OverBudget> {
    let mut builder = Builder {
        formulas,
        vars: Vec::new(),
        modules: Vec::new(),
        outputs: FxHashMap::default(),
        known: FxHashMap::default(),
        at_hand: FxHashMap::default(),
    };
    let never = builder.formulas.assertions.constant(false);
    let output = builder.output(root, Cut { tops: never, bottoms: never })?;
    let Builder { formulas, vars, modules, .. } = builder;
    Ok(Tester { vars, assertions: formulas.assertions, modules, grammars: formulas.grammars, output })
}

struct Builder<'b> {
    formulas: Formulas<'b>,
    vars: Vec<String>,
    modules: Vec<Module>,
    /// What a formula is worth under a cut.
    outputs: FxHashMap<(FormulaId, Cut), AssertionId>,
    /// The output of a module that is there already; a grammar's module also depends on its cut.
    known: FxHashMap<(Key, Option<Cut>), AssertionId>,
    /// For a grammar that is followed from the left, which of its nonterminals are at hand.
    at_hand: FxHashMap<(usize, Start), Vec<AssertionId>>,
}

/// What a module tests, to find it again.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Next(AssertionId),
    Until(AssertionId, AssertionId),
    Yesterday(AssertionId),
    Since(AssertionId, AssertionId),
    Some(usize, AssertionId, bool),
    Weak(usize),
}

impl Builder<'_> {
    fn var(&mut self, name: String) -> Result<(TesterVar, AssertionId), OverBudget> {
        if self.vars.len() >= MOST_VARS {
            return Err(OverBudget::new(WHAT, Limit::Memory));
        }
        self.formulas.budget.step(1, WHAT)?;
        let var = TesterVar(u32::try_from(self.vars.len()).expect("there are few"));
        self.vars.push(name);
        Ok((var, self.formulas.assertions.var(var)))
    }

    /// The name of the next module's output.
    fn name(&self) -> String {
        format!("x{}", self.modules.len() + 1)
    }

    /// An assertion that is true at a position if the formula holds on the word from there up to the cut.
    fn output(&mut self, id: FormulaId, cut: Cut) -> Result<AssertionId, OverBudget> {
        if let Some(&known) = self.outputs.get(&(id, cut)) {
            return Ok(known);
        }
        if self.outputs.len() >= MOST_CUTS {
            return Err(OverBudget::new(WHAT, Limit::Memory));
        }
        self.formulas.budget.step(1, WHAT)?;
        let exchanged = Cut { tops: cut.bottoms, bottoms: cut.tops };
        let result = match self.formulas.get(id).clone() {
            Core::Bool(b) => {
                let a = &mut self.formulas.assertions;
                let ends = a.not(cut.bottoms);
                let now = a.and([b, ends]);
                a.or([cut.tops, now])
            }
            Core::Not(f) => {
                let f = self.output(f, exchanged)?;
                self.formulas.assertions.not(f)
            }
            Core::And(fs) => {
                let fs = fs.into_iter().map(|f| self.output(f, cut)).collect::<Result<Vec<_>, _>>()?;
                self.formulas.assertions.and(fs)
            }
            Core::Or(fs) => {
                let fs = fs.into_iter().map(|f| self.output(f, cut)).collect::<Result<Vec<_>, _>>()?;
                self.formulas.assertions.or(fs)
            }
            Core::Iff(f, g) if cut == exchanged => {
                let (f, g) = (self.output(f, cut)?, self.output(g, cut)?);
                self.formulas.assertions.iff(f, g)
            }
            Core::Iff(f, g) => {
                let (yes_f, yes_g) = (self.output(f, cut)?, self.output(g, cut)?);
                let (no_f, no_g) = (self.output(f, exchanged)?, self.output(g, exchanged)?);
                let a = &mut self.formulas.assertions;
                let yes = a.and([yes_f, yes_g]);
                let no = a.or([no_f, no_g]);
                let no = a.not(no);
                a.or([yes, no])
            }
            Core::Next(f) => {
                let (tops, bottoms) = (self.formulas.on_tops(f, true), self.formulas.on_tops(f, false));
                let operand = self.output(f, cut)?;
                let x = self.next(operand)?;
                self.cut_off(x, cut, tops, bottoms)
            }
            Core::Until(f, g) => {
                let (f, g) = (self.output(f, cut)?, self.output(g, cut)?);
                // Where the word is cut off, g knows all that can come.
                let a = &mut self.formulas.assertions;
                let ends = a.or([cut.tops, cut.bottoms]);
                let goes_on = a.not(ends);
                let f = a.and([f, goes_on]);
                self.until(f, g)?
            }
            Core::Yesterday(f) => {
                let operand = self.output(f, cut)?;
                self.yesterday(operand)?
            }
            Core::Since(f, g) => {
                let (f, g) = (self.output(f, cut)?, self.output(g, cut)?);
                self.since(f, g)?
            }
            Core::Some(r, f) => {
                let tops = self.formulas.on_tops(f, true);
                let f = self.output(f, cut)?;
                self.some(r, f, cut, tops)?
            }
            Core::Weak(r) => self.weak(r, cut)?,
            Core::Ended(r, start) => self.followed(r, start, true)?,
            Core::GoesOn(r) => self.followed(r, Start::First, false)?,
            Core::Abort(f, b) => {
                let a = &mut self.formulas.assertions;
                let alive = a.not(cut.bottoms);
                let here = a.and([b, alive]);
                let tops = a.or([cut.tops, here]);
                let cut_off = self.output(f, Cut { tops, bottoms: cut.bottoms })?;
                // The definition also lets f hold on the word as it is. That adds something only where not even ⊤ forever satisfies an
                // operand, as of `next ({a;b} && {a})!` on one letter; and only a SERE without words can be such an operand.
                if self.formulas.grammars.iter().any(|grammar| grammar.rules.is_empty()) {
                    let whole = self.output(f, cut)?;
                    self.formulas.assertions.or([cut_off, whole])
                } else {
                    cut_off
                }
            }
        };
        self.outputs.insert((id, cut), result);
        Ok(result)
    }

    /// `x` where the word goes on, and constants where it is cut off.
    fn cut_off(&mut self, x: AssertionId, cut: Cut, tops: bool, bottoms: bool) -> AssertionId {
        let a = &mut self.formulas.assertions;
        let (yes, no) = (a.constant(tops), a.constant(bottoms));
        let at_tops = a.and([cut.tops, yes]);
        let at_bottoms = a.and([cut.bottoms, no]);
        let ends = a.or([cut.tops, cut.bottoms]);
        let goes_on = a.not(ends);
        let here = a.and([goes_on, x]);
        a.or([at_tops, at_bottoms, here])
    }

    /// `X! b`: x ↔ b′; at the end ¬x.
    fn next(&mut self, b: AssertionId) -> Result<AssertionId, OverBudget> {
        if let Some(&known) = self.known.get(&(Key::Next(b), None)) {
            return Ok(known);
        }
        let (var, x) = self.var(self.name())?;
        let a = &mut self.formulas.assertions;
        let later = a.next(b);
        let (trans, finals) = (a.iff(x, later), a.not(x));
        self.modules.push(Module {
            basic: Basic::Next(b),
            vars: vec![var],
            init: vec![],
            trans: vec![trans],
            justice: vec![],
            finals: vec![finals],
        });
        self.known.insert((Key::Next(b), None), x);
        Ok(x)
    }

    /// `b U c`: x ↔ c ∨ (b ∧ x′); infinitely often c ∨ ¬x; at the end x ↔ c.
    fn until(&mut self, b: AssertionId, c: AssertionId) -> Result<AssertionId, OverBudget> {
        if let Some(&known) = self.known.get(&(Key::Until(b, c), None)) {
            return Ok(known);
        }
        if self.formulas.assertions.is(b, false) || self.formulas.assertions.is(c, true) {
            return Ok(c);
        }
        if self.formulas.assertions.is(c, false) {
            return Ok(c);
        }
        let (var, x) = self.var(self.name())?;
        let a = &mut self.formulas.assertions;
        let later = a.next(x);
        let on = a.and([b, later]);
        let expansion = a.or([c, on]);
        let trans = a.iff(x, expansion);
        let not = a.not(x);
        let (justice, finals) = (a.or([c, not]), a.iff(x, c));
        self.modules.push(Module {
            basic: Basic::Until(b, c),
            vars: vec![var],
            init: vec![],
            trans: vec![trans],
            justice: vec![justice],
            finals: vec![finals],
        });
        self.known.insert((Key::Until(b, c), None), x);
        Ok(x)
    }

    /// `Y b`: first ¬x, then x′ ↔ b. Deterministic, as all of the past.
    fn yesterday(&mut self, b: AssertionId) -> Result<AssertionId, OverBudget> {
        if let Some(&known) = self.known.get(&(Key::Yesterday(b), None)) {
            return Ok(known);
        }
        let (var, x) = self.var(self.name())?;
        let a = &mut self.formulas.assertions;
        let init = a.not(x);
        let later = a.next(x);
        let trans = a.iff(later, b);
        self.modules.push(Module {
            basic: Basic::Yesterday(b),
            vars: vec![var],
            init: vec![init],
            trans: vec![trans],
            justice: vec![],
            finals: vec![],
        });
        self.known.insert((Key::Yesterday(b), None), x);
        Ok(x)
    }

    /// `b S c`: first x ↔ c, then x′ ↔ c′ ∨ (b′ ∧ x).
    fn since(&mut self, b: AssertionId, c: AssertionId) -> Result<AssertionId, OverBudget> {
        if let Some(&known) = self.known.get(&(Key::Since(b, c), None)) {
            return Ok(known);
        }
        let (var, x) = self.var(self.name())?;
        let a = &mut self.formulas.assertions;
        let init = a.iff(x, c);
        let (later, b_later, c_later) = (a.next(x), a.next(b), a.next(c));
        let on = a.and([b_later, x]);
        let expansion = a.or([c_later, on]);
        let trans = a.iff(later, expansion);
        self.modules.push(Module {
            basic: Basic::Since(b, c),
            vars: vec![var],
            init: vec![init],
            trans: vec![trans],
            justice: vec![],
            finals: vec![],
        });
        self.known.insert((Key::Since(b, c), None), x);
        Ok(x)
    }

    /// `<r> b`. Each nonterminal V has a variable X: what is left of the word has a prefix that V derives and that ends where b holds.
    fn some(&mut self, r: usize, b: AssertionId, cut: Cut, tops: bool) -> Result<AssertionId, OverBudget> {
        let key = (Key::Some(r, b, tops), Some(cut));
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let yes = self.formulas.assertions.constant(tops);
        let sides = Sides { ends: b, breaks_off: None, at_tops: yes, least: true };
        let output = self.derivation(Basic::Some(r, b), r, cut, sides)?;
        self.known.insert(key, output);
        Ok(output)
    }

    /// Weak `r`. X of a nonterminal V: what is left of the word has a prefix that V derives, or can still become one.
    fn weak(&mut self, r: usize, cut: Cut) -> Result<AssertionId, OverBudget> {
        let key = (Key::Weak(r), Some(cut));
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let yes = self.formulas.assertions.constant(true);
        let sides = Sides { ends: yes, breaks_off: Some(yes), at_tops: yes, least: false };
        let output = self.derivation(Basic::Weak(r), r, cut, sides)?;
        self.known.insert(key, output);
        Ok(output)
    }

    /// Whether some rule without a nonterminal behind it (`ends`), or one with such, fits this letter, from a nonterminal that is at hand.
    fn followed(&mut self, r: usize, start: Start, ends: bool) -> Result<AssertionId, OverBudget> {
        let at_hand = self.at_hand(r, start)?;
        let grammar = self.formulas.grammars[r].clone();
        let a = &mut self.formulas.assertions;
        let mut parts = Vec::new();
        for (rules, &here) in grammar.rules.iter().zip(&at_hand) {
            for rule in rules.iter().filter(|rule| rule.then.is_none() == ends) {
                let guard = a.guard(&rule.guard);
                parts.push(a.and([here, guard]));
            }
        }
        Ok(a.or(parts))
    }

    /// V is at hand first if it is the start; then V′ ↔ ∨ (U ∧ β) over the rules `U -> β V`. Deterministic, as all of the past.
    fn at_hand(&mut self, r: usize, start: Start) -> Result<Vec<AssertionId>, OverBudget> {
        if let Some(known) = self.at_hand.get(&(r, start)) {
            return Ok(known.clone());
        }
        let grammar = self.formulas.grammars[r].clone();
        let number = self.modules.len() + 1;
        let (mut vars, mut at_hand) = (Vec::new(), Vec::new());
        for i in 0..grammar.rules.len() {
            // A match that begins anywhere begins here.
            at_hand.push(if i == 0 && start == Start::Anywhere {
                self.formulas.assertions.constant(true)
            } else {
                let (var, value) = self.var(format!("x{number}.{}", i + 1))?;
                vars.push((i, var));
                value
            });
        }
        let mut into: Vec<Vec<AssertionId>> = vec![Vec::new(); grammar.rules.len()];
        let a = &mut self.formulas.assertions;
        for (rules, &here) in grammar.rules.iter().zip(&at_hand) {
            for rule in rules {
                if let Some(then) = rule.then {
                    let guard = a.guard(&rule.guard);
                    into[then].push(a.and([here, guard]));
                }
            }
        }
        let (mut init, mut trans) = (Vec::new(), Vec::new());
        for &(i, _) in &vars {
            let a = &mut self.formulas.assertions;
            init.push(if i == 0 { at_hand[i] } else { a.not(at_hand[i]) });
            let (later, from) = (a.next(at_hand[i]), a.or(std::mem::take(&mut into[i])));
            trans.push(a.iff(later, from));
        }
        if !vars.is_empty() {
            let vars = vars.into_iter().map(|(_, var)| var).collect();
            let basic = Basic::Ended(r);
            self.modules.push(Module { basic, vars, init, trans, justice: vec![], finals: vec![] });
        }
        self.at_hand.insert((r, start), at_hand.clone());
        Ok(at_hand)
    }

    /// The module of a grammar. X ↔ ∨ (α ∧ ends) ∨ ∨ (β ∧ X′) for the rules `V -> α` and `V -> β W`.
    ///
    /// That a derivation does not go on forever (`<r>`), or that a refutation is not put off forever (weak `r`), is the business of a second
    /// variable Y (Miyano and Hayashi 1984): infinitely often Y takes over X, and infinitely often it has let go. A derivation that goes
    /// on forever stays in one circle of nonterminals at last. So only those on circles have a Y, and where a rule leaves its circle X is believed: what
    /// lies behind has its own Y, or comes to an end. A count of n, as in `b[*n]`, is n nonterminals on no circle.
    fn derivation(&mut self, basic: Basic, r: usize, cut: Cut, sides: Sides) -> Result<AssertionId, OverBudget> {
        let grammar = self.formulas.grammars[r].clone();
        if grammar.rules.is_empty() {
            return Ok(self.formulas.assertions.constant(false));
        }
        let name = self.name();
        let circles = grammar.circles();
        let cyclic = circles.iter().any(Option::is_some);
        let mut vars = Vec::new();
        let number = self.modules.len() + 1;
        let mut fresh = |builder: &mut Self, letter: &str, i: usize| -> Result<AssertionId, OverBudget> {
            // The first X is the output, which is called as in every other module.
            let name = if i == 0 && letter == "x" { name.clone() } else { format!("{letter}{number}.{}", i + 1) };
            let (var, value) = builder.var(name)?;
            vars.push(var);
            Ok(value)
        };
        let xs = (0..circles.len()).map(|i| fresh(self, "x", i)).collect::<Result<Vec<_>, _>>()?;
        let ys = (0..circles.len())
            .map(|i| circles[i].map(|_| fresh(self, "y", i)).transpose())
            .collect::<Result<Vec<_>, _>>()?;
        let (mut trans, mut finals, mut justice) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..xs.len() {
            let x = self.expansion(&grammar, i, cut, sides, Some(&xs));
            let end = self.expansion(&grammar, i, cut, sides, None);
            let a = &mut self.formulas.assertions;
            trans.push(a.iff(xs[i], x));
            finals.push(a.iff(xs[i], end));
            if let Some(own) = ys[i] {
                let same = |j: usize| ys[j].filter(|_| circles[j] == circles[i]).unwrap_or(xs[j]);
                let behind: Vec<AssertionId> = (0..xs.len()).map(same).collect();
                let y = self.expansion(&grammar, i, cut, sides, Some(&behind));
                let a = &mut self.formulas.assertions;
                trans.push(if sides.least { a.implies(own, y) } else { a.implies(y, own) });
            }
        }
        if cyclic {
            let a = &mut self.formulas.assertions;
            let let_go = if sides.least {
                let any = a.or(ys.iter().flatten().copied());
                a.not(any)
            } else {
                a.and(ys.iter().flatten().copied())
            };
            let pairs: Vec<(AssertionId, AssertionId)> =
                xs.iter().zip(&ys).filter_map(|(&x, &y)| Some((x, y?))).collect();
            let same: Vec<AssertionId> = pairs.into_iter().map(|(x, y)| a.iff(x, y)).collect();
            justice = vec![let_go, a.and(same)];
        }
        self.modules.push(Module { basic, vars, init: vec![], trans, justice, finals });
        Ok(xs[0])
    }

    /// What a nonterminal is worth at a position, from what those behind it are worth at the next; `None`: there is no next one.
    fn expansion(
        &mut self,
        grammar: &Grammar,
        i: usize,
        cut: Cut,
        sides: Sides,
        later: Option<&[AssertionId]>,
    ) -> AssertionId {
        let a = &mut self.formulas.assertions;
        let mut parts = Vec::new();
        for rule in &grammar.rules[i] {
            let guard = a.guard(&rule.guard);
            let then = match (rule.then, later) {
                (None, _) => sides.ends,
                (Some(j), Some(later)) => a.next(later[j]),
                (Some(_), None) => match sides.breaks_off {
                    Some(value) => value,
                    None => continue,
                },
            };
            parts.push(a.and([guard, then]));
        }
        let rules = a.or(parts);
        let ends = a.or([cut.tops, cut.bottoms]);
        let goes_on = a.not(ends);
        let here = a.and([goes_on, rules]);
        let at_tops = a.and([cut.tops, sides.at_tops]);
        a.or([at_tops, here])
    }
}

/// How the two operators with grammars differ.
#[derive(Clone, Copy)]
struct Sides {
    /// What holds where a match ends.
    ends: AssertionId,
    /// What a derivation is worth that the end of the word breaks off; `None`: nothing.
    breaks_off: Option<AssertionId>,
    /// What a nonterminal is worth where the word becomes ⊤.
    at_tops: AssertionId,
    /// Whether derivations must end.
    least: bool,
}
