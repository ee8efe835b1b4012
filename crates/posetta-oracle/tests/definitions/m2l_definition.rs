//! The definition of M2L against tables worked out by hand and against MONA.
//!
//! MONA is asked without its optimisations (`-o0`). With them (`-o1`, its default) `f | true`, `f & false`, `f => f` and `f <=> f` say
//! something even where `f` says nothing: `m2l-str; (ex1 p: p = p) | true;` is then satisfied at length 0, not 1. How often the two
//! differ is printed.
//!
//! Where the definition is not what MONA does, and the random programs therefore do not go:
//!
//! - `let0 c = f in g`: MONA 1.4-18 forgets `g`. Here it binds as `let1` and `let2` do.
//! - A `pred` whose parameter has no `where` is, for MONA, what its first call with so many distinct variables was: it compiles the body
//!   once, and whether the default restricts the parameter depends on whether that call gave a variable or a term. Here each call is on its own.
//!   For the same reason definitions are not called in restrictions: what is compiled there knows of no defaults.
//! - A variable that is given to two parameters with different restrictions has only the last one for MONA, and a global that is given to a
//!   definition which mentions it, too, has the parameter's there. Here a restriction belongs to a name.
//! - A variable that is given to a parameter of a `macro` has, for MONA, that parameter's restriction in the arguments after it:
//!   `macro m(var1 p where false, var1 q) = q = q; m(x, x + 1);` says nothing. Here the `where` of a macro's parameter never counts.
//! - A quantifier of a variable that its body does not mention makes MONA, without optimisations, look at longer strings. Only `prefix` can
//!   tell: `m2l-str; all2 X: prefix(0 in $);` fails at length 0. Here, and with `-o1`, such a quantifier is nothing.
//! - A truth variable with a `where` inside a definition: MONA does not count what that mentions, and may crash.
//! - `1 - 2` is an error for MONA, because it counts with constants before there are positions; here it is 0.

use posetta_base::Span;
use posetta_logic::m2l::{
    Argument, Connective, Element, Formula, Mode, Order, Position, PredId, Predicate, Program, Remarks, Set, VarId,
    Variable,
};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::m2l::{Found, Says, Text, Value, holds, holds_somewhere, says, search};
use posetta_oracle::mona::{Answer, Mona, text};
use posetta_oracle::random::{M2lTaste, m2l_program, m2l_property};

const LONGEST: usize = 6;
const STEPS: u64 = 60_000;

/// What MONA and the definition do not agree on.
fn difference(mona: Answer, found: &Found) -> Option<String> {
    let sides = [("yes", mona.yes, &found.yes), ("no", mona.no, &found.no)];
    sides.into_iter().find_map(|(what, mona, found_text)| {
        let length = found_text.as_ref().map(|t| t.length);
        let agree = match (mona, length) {
            (Some(m), None) => m >= found.below,
            (m, length) => m == length,
        };
        let below = found.below;
        if agree { None } else { Some(format!("{what}: {mona:?} by MONA, {length:?} below {below} by definition")) }
    })
}

fn against_mona(mode: Mode, prefix: bool, cases: u64) {
    let Some(mona) = Mona::find() else { return };
    let (mut shares, mut tried, mut optimised) = (Shares::default(), Shares::default(), Shares::default());
    for_seeds(cases, |rng, _| {
        let taste = M2lTaste { mode, depth: rng.u32(1..=4), let_truth: false, restrict: true, prefix, sets: true };
        let program = m2l_program(rng, taste);
        let text = text(&program);
        let answers = mona.ask(&text, 0).unwrap_or_else(|said| panic!("{said}\n{text}"));
        let better = mona.ask(&text, 1).unwrap_or_else(|said| panic!("{said}\n{text}"));
        optimised.add(if better == answers { "same with -o1" } else { "other with -o1" });
        let formulas = [&program.formula].into_iter().chain(program.verify.iter().map(|v| &v.formula));
        for (formula, &answer) in formulas.zip(&answers) {
            let found = search(&program, formula, LONGEST, STEPS);
            shares.add(match (answer.no, answer.yes) {
                (None, None) => "nothing said",
                (None, Some(_)) => "valid",
                (Some(_), None) => "unsatisfiable",
                _ => "neither",
            });
            let whole = found.below > LONGEST || found.yes.is_some() && found.no.is_some();
            tried.add(if whole { "all strings" } else { "the shorter ones" });
            if let Some(difference) = difference(answer, &found) {
                panic!("{difference}\n{text}");
            }
        }
    });
    let name = format!("{mode:?}{}", if prefix { ", prefix" } else { "" });
    shares.at_least(0.05, &name, &["valid", "unsatisfiable", "neither"]);
    tried.at_least(0.3, &name, &["all strings"]);
    optimised.at_least(0.0, &name, &[]);
}

#[test]
fn numbers_as_mona() {
    against_mona(Mode::Ws1s, false, 500);
}

#[test]
fn strings_as_mona() {
    against_mona(Mode::M2lStr, false, 500);
}

#[test]
fn prefixes_as_mona() {
    against_mona(Mode::Ws1s, true, 100);
    against_mona(Mode::M2lStr, true, 100);
}

/// With two values a formula says the same wherever its restrictions cannot fail: in a string that has positions, by formulas without
/// restrictions of their own and without names for terms.
#[test]
fn properties_say_what_strings_do() {
    let mut shares = Shares::default();
    for_seeds(400, |rng, _| {
        let program = m2l_property(rng, &["a == 1", "b == 1"], 3);
        let odd = |f: &Formula| matches!(f, Formula::Let(..) | Formula::Call(..));
        let restricted = program.vars.iter().skip(4).any(|v| v.restriction.is_some());
        if restricted || holds_somewhere(&program, &program.formula, &odd) {
            return;
        }
        for length in 1..=3usize {
            for a in 0..1u128 << length {
                for b in 0..1u128 << length {
                    let all = (1 << length) - 1;
                    let sets = [all, a, b].map(Value::Places);
                    let text = Text { length, values: sets.to_vec() };
                    let plain: Vec<(VarId, Value)> = program.globals.iter().copied().zip(sets).collect();
                    let truth = holds(&program, length, &plain);
                    assert_eq!(says(&program, &program.formula, &text), Some(Says::of(truth)), "{text:?} {program:#?}");
                    shares.add(if truth { "holds" } else { "fails" });
                }
            }
        }
    });
    shares.at_least_a_fifth("properties", &["holds", "fails"]);
}

/// A program under construction.
struct Draft(Program);

fn draft(mode: Mode) -> Draft {
    let mut draft = Draft(Program {
        mode,
        vars: Vec::new(),
        globals: Vec::new(),
        preds: Vec::new(),
        formula: Formula::Constant(true),
        assertion: Formula::Constant(true),
        verify: Vec::new(),
        default_one: None,
        default_two: None,
        all_positions: None,
        last_position: None,
        atoms: Vec::new(),
        remarks: Remarks::default(),
    });
    if mode == Mode::M2lStr {
        draft.0.all_positions = Some(draft.global("$", Order::Two));
    }
    draft
}

impl Draft {
    fn var(&mut self, name: &str, order: Order) -> VarId {
        let span = Span { start: 0, end: 0 };
        self.0.vars.push(Variable { name: name.to_owned(), order, restriction: None, span });
        VarId(self.0.vars.len() as u32 - 1)
    }

    fn global(&mut self, name: &str, order: Order) -> VarId {
        let var = self.var(name, order);
        self.0.globals.push(var);
        var
    }

    /// The lengths of the shortest strings that satisfy and refute a formula, by definition and, where there is one, by MONA.
    fn check(mut self, formula: Formula, yes: Option<usize>, no: Option<usize>) {
        self.0.formula = formula;
        let found = search(&self.0, &self.0.formula, 5, 10_000_000);
        let text = text(&self.0);
        let lengths = (found.yes.map(|t| t.length), found.no.map(|t| t.length));
        assert_eq!(lengths, (yes, no), "{text}");
        if let Some(mona) = Mona::find() {
            assert_eq!(mona.ask(&text, 0), Ok(vec![Answer { no, yes }]), "{text}");
        }
    }
}

fn at(var: VarId) -> Position {
    Position::Var(var)
}

fn and(f: Formula, g: Formula) -> Formula {
    Formula::Joined(Connective::And, Box::new(f), Box::new(g))
}

fn some(var: VarId, f: Formula) -> Formula {
    Formula::Quantified { all: false, vars: vec![var], body: Box::new(f) }
}

fn not(f: Formula) -> Formula {
    Formula::Not(Box::new(f))
}

fn same(t: Position, u: Position) -> Formula {
    Formula::SamePosition(t, u)
}

#[test]
fn steps_go_round() {
    // By rows: the number stepped from, 0 to 4; by columns: the one gone round at, 0 to 3.
    let next = [[0, 0, 1, 1], [0, 0, 0, 2], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]];
    let last = [[0, 0, 1, 2], [0, 0, 0, 0], [0, 0, 1, 1], [0, 0, 0, 2], [0, 0, 0, 0]];
    for t in 0..5 {
        for u in 0..4 {
            let number = |n: usize| Box::new(Position::Constant(n as u32));
            let up = same(*number(next[t][u]), Position::PlusModulo(number(t), 1, number(u)));
            let down = same(*number(last[t][u]), Position::MinusModulo(number(t), 1, number(u)));
            draft(Mode::Ws1s).check(and(up, down), Some(0), None);
        }
    }
}

#[test]
fn terms() {
    let numbers = |n: &[u32]| Set::Listed(n.iter().map(|&n| Element::One(Position::Constant(n))).collect());
    let moved = |n: &[u32], by| Set::Minus(Box::new(numbers(n)), by);
    let sets = [
        (moved(&[0], 1), numbers(&[0])),
        (moved(&[0, 2, 5], 1), numbers(&[0, 1, 4])),
        (moved(&[2, 5], 3), numbers(&[0, 2])),
        (Set::Plus(Box::new(numbers(&[0, 3])), 2), numbers(&[2, 5])),
        (Set::Number(6), numbers(&[1, 2])),
        (Set::Listed(vec![Element::Range(Position::Constant(3), Position::Constant(1))]), Set::Empty),
        (Set::Listed(vec![Element::Range(Position::Constant(1), Position::Constant(2))]), Set::Number(6)),
    ];
    for (s, t) in sets {
        draft(Mode::Ws1s).check(Formula::SameSet(s, t), Some(0), None);
    }
    for t in [Position::Min(Box::new(Set::Empty)), Position::Max(Box::new(Set::Empty))] {
        draft(Mode::Ws1s).check(same(t, Position::Constant(0)), Some(0), None);
    }
    let mut d = draft(Mode::Ws1s);
    let p = d.global("p", Order::One);
    // 0 - 2 is 0, and only 0 to 2 are.
    d.check(same(Position::Minus(Box::new(at(p)), 2), Position::Constant(0)), Some(1), Some(4));
}

#[test]
fn the_empty_string() {
    // A position that occurs says nothing of it; one that does not, something.
    let mut d = draft(Mode::M2lStr);
    let p = d.var("p", Order::One);
    d.check(some(p, same(at(p), at(p))), Some(1), None);
    let mut d = draft(Mode::M2lStr);
    let p = d.var("p", Order::One);
    d.check(some(p, Formula::Constant(true)), Some(0), None);
    let mut d = draft(Mode::M2lStr);
    d.global("p", Order::One);
    d.check(Formula::Constant(true), Some(1), None);
}

#[test]
fn restrictions() {
    // A `where` of its own frees a variable of the string.
    let mut d = draft(Mode::M2lStr);
    let (p, all) = (d.var("p", Order::One), d.0.globals[0]);
    d.0.vars[p.index()].restriction = Some(Formula::Constant(true));
    d.check(some(p, not(Formula::In(at(p), Set::Var(all)))), Some(0), None);
    // Without one it is bound to it, so that 2 < p only says something of longer strings, and no before it says yes.
    let mut d = draft(Mode::M2lStr);
    let p = d.var("p", Order::One);
    d.check(some(p, Formula::Less(Position::Constant(2), at(p))), Some(4), Some(1));
    // Nothing is said of what does not keep to it.
    let mut d = draft(Mode::Ws1s);
    let p = d.global("p", Order::One);
    d.0.vars[p.index()].restriction = Some(Formula::Less(Position::Constant(1), at(p)));
    d.check(same(at(p), Position::Constant(2)), Some(3), Some(4));
    let mut d = draft(Mode::Ws1s);
    let p = d.global("p", Order::One);
    d.check(Formula::Restrict(Box::new(same(at(p), Position::Constant(2)))), Some(3), None);
    // Even with something that is true anyway.
    let mut d = draft(Mode::Ws1s);
    let p = d.global("p", Order::One);
    let two = Formula::Restrict(Box::new(same(at(p), Position::Constant(2))));
    let either = Formula::Joined(Connective::Or, Box::new(Formula::Constant(true)), Box::new(two));
    d.check(either, Some(3), None);
}

#[test]
fn a_name_for_a_term() {
    // The position after the last one is outside of the string: nothing is said of it, but of other values, so the answer is no.
    let mut d = draft(Mode::M2lStr);
    let (p, q) = (d.global("p", Order::One), d.var("q", Order::One));
    let next = Position::Plus(Box::new(at(p)), 1);
    let body = Box::new(Formula::Less(at(p), at(q)));
    d.check(Formula::Let(vec![(q, Argument::Position(next))], body), Some(2), Some(1));
    // A parameter that is given a term has no default, …
    let mut d = draft(Mode::M2lStr);
    let (p, q) = (d.global("p", Order::One), d.var("q", Order::One));
    let body = Formula::Less(Position::Constant(0), at(q));
    d.0.preds.push(Predicate { name: "later".to_owned(), formals: vec![q], body, is_macro: false });
    let next = Position::Plus(Box::new(at(p)), 1);
    d.check(Formula::Call(PredId(0), vec![Argument::Position(next)]), Some(1), None);
    // … but its own restriction, which a macro's parameter has not.
    for (is_macro, no) in [(false, Some(1)), (true, None)] {
        let mut d = draft(Mode::M2lStr);
        let (p, q) = (d.global("p", Order::One), d.var("q", Order::One));
        d.0.vars[q.index()].restriction = Some(Formula::Less(Position::Constant(1), at(q)));
        let body = Formula::Less(Position::Constant(0), at(q));
        d.0.preds.push(Predicate { name: "later".to_owned(), formals: vec![q], body, is_macro });
        let next = Position::Plus(Box::new(at(p)), 1);
        let yes = if is_macro { Some(1) } else { Some(2) };
        d.check(Formula::Call(PredId(0), vec![Argument::Position(next)]), yes, no);
    }
}

#[test]
fn the_last_position() {
    let mut d = draft(Mode::Ws1s);
    let p = d.global("p", Order::One);
    d.0.last_position = Some(p);
    d.check(same(at(p), Position::Constant(2)), Some(3), Some(1));
    let mut d = draft(Mode::Ws1s);
    let all = d.global("X", Order::Two);
    d.0.all_positions = Some(all);
    d.check(Formula::Empty(Set::Var(all)), Some(0), Some(1));
}

#[test]
fn what_goes_on() {
    let mut d = draft(Mode::Ws1s);
    let x = d.global("X", Order::Two);
    let first = Formula::In(Position::Constant(0), Set::Var(x));
    d.check(Formula::Prefix(Box::new(first)), Some(0), Some(1));
}
