//! Random programs of M2L.
//!
//! Small enough that MONA answers at once and an enumeration gets somewhere. What MONA answers by chance is left out: see
//! `tests/m2l_definition.rs`.

use fastrand::Rng;
use posetta_base::Span;
use posetta_logic::m2l::{
    Argument, Connective, Element, Formula, Mode, Order, Position, PredId, Predicate, Program, Remarks, Set, VarId,
    Variable, Verify, parse_property,
};
use posetta_logic::{Atom, M2l, parse_ltl};

use super::{Vocabulary, atom, chance, pick};
use crate::m2l::Sight;

/// What kind of programs.
#[derive(Clone, Copy, Debug)]
pub struct M2lTaste {
    /// What strings they are about.
    pub mode: Mode,
    /// How deep formulas are.
    pub depth: u32,
    /// Whether there is `let0`.
    pub let_truth: bool,
    /// Whether there is `restrict`.
    pub restrict: bool,
    /// Whether there is `prefix`.
    pub prefix: bool,
    /// Whether sets may be quantified.
    pub sets: bool,
}

/// What a variable in scope may be used for.
#[derive(Clone, Copy)]
struct Known {
    var: VarId,
    order: Order,
    /// A definition's parameter that is given terms is not a variable itself.
    is_term: bool,
    /// A global that definitions mention is not given to them.
    keep: bool,
}

/// Which arguments a parameter is given: always variables or always terms.
struct Definition {
    orders: Vec<(Order, bool)>,
}

struct Maker<'r> {
    rng: &'r mut Rng,
    taste: M2lTaste,
    program: Program,
    definitions: Vec<Definition>,
    scope: Vec<Known>,
    /// How many quantified sets are in scope.
    sets: u32,
    /// Truth variables with restrictions, which no definition and no other restriction mentions: MONA would lose track of what theirs mention.
    late: Vec<Known>,
    /// Inside a restriction nothing is called.
    plain: bool,
    inside_definition: bool,
}

/// A random program.
#[must_use]
pub fn m2l_program(rng: &mut Rng, taste: M2lTaste) -> Program {
    let mut maker = Maker::new(rng, taste);
    maker.globals();
    if taste.mode == Mode::Ws1s {
        maker.defaults();
    }
    for _ in 0..maker.rng.usize(..3) {
        maker.definition();
    }
    let late = std::mem::take(&mut maker.late);
    maker.scope.extend(late);
    if chance(maker.rng, 20) {
        maker.program.assertion = maker.formula(1);
    }
    for n in 0..maker.rng.usize(..5).saturating_sub(3) {
        let title = if chance(maker.rng, 50) { Some(format!("claim {n}")) } else { None };
        let formula = maker.formula(2);
        maker.program.verify.push(Verify { title, formula });
    }
    maker.program.formula = maker.formula(taste.depth);
    maker.program
}

/// A random property of a trace: the sets are where atoms hold, and there are no other globals.
#[must_use]
pub fn m2l_property(rng: &mut Rng, atoms: &[&str], depth: u32) -> Program {
    let taste = M2lTaste { mode: Mode::M2lStr, depth, let_truth: true, restrict: false, prefix: false, sets: true };
    let mut maker = Maker::new(rng, taste);
    maker.string();
    for text in atoms {
        let var = maker.declare(text, Order::Two);
        let Ok(posetta_logic::Ltl::Atom(atom)) = parse_ltl(text) else { panic!("`{text}` is no atom") };
        maker.program.globals.push(var);
        maker.program.atoms.push((var, atom));
        maker.scope.push(Known { var, order: Order::Two, is_term: false, keep: true });
    }
    for _ in 0..maker.rng.usize(..2) {
        maker.definition();
    }
    maker.program.formula = maker.formula(depth);
    maker.program
}

/// Properties that people would write, with atoms for A and B.
const SHAPES: &[&str] = &[
    "all1 p where p in `A`: ex1 q where p < q: q in `B`",
    "all1 q: q in `B` => ex1 p: p < q & p in `A`",
    "~ex1 p, q: p < q & p in `A` & q in `B`",
    "ex1 p: p in `A` & (all1 q where q ~= p: q notin `A`)",
    "max `A` <= max `B` & ~empty(`B`)",
    "all1 p where p in `A` & p < max $: p + 1 in `B`",
    "all1 p, q where p in `A` & q in `A` & p < q: ex1 r: p < r & r <= q & r in `B`",
    "ex2 E: E sub `A` & min `A` notin E & (all1 p, q where p in `A` & q in `A` & p < q & ~ex1 r: p < r & r < q & r in `A`: \
     p in E <=> q notin E) & (empty(`A`) | max `A` in E)",
    "ex2 E: 0 in E & (all1 p where p < max $: p in E <=> p + 1 notin E) & (`A` sub E | `B` inter E = empty)",
    "pred last(var1 p, var2 X) = p in X & ~ex1 q: p < q & q in X; all1 p: last(p, `A`) => p in `B` + 1",
];

/// A random property of a run in words of this vocabulary: its text, and what it means. Half of them are such as people write. Its sets have few values,
/// so that it can be tried on all runs of up to about six positions.
pub fn m2l_case(rng: &mut Rng, words: &Vocabulary, about_events: u32) -> (String, Program) {
    let atoms = [(); 2].map(|()| atom(rng, words, about_events));
    m2l_over(rng, &atoms)
}

/// The same over some of these atoms.
pub fn m2l_over(rng: &mut Rng, atoms: &[Atom]) -> (String, Program) {
    if rng.bool() {
        let [a, b] = [(); 2].map(|()| pick(rng, atoms).to_string());
        let text = pick(rng, SHAPES).replace("`A`", &format!("`{a}`")).replace("`B`", &format!("`{b}`"));
        let program = parse_property(&text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        return (text, program);
    }
    loop {
        let mut drawn: Vec<String> = (0..rng.usize(1..=2)).map(|_| pick(rng, atoms).to_string()).collect();
        drawn.dedup();
        let depth = rng.u32(1..=4);
        let program = m2l_property(rng, &drawn.iter().map(String::as_str).collect::<Vec<_>>(), depth);
        let sets = program.vars.iter().filter(|v| v.order == Order::Two).count();
        let is_restricted = |var: &VarId| program.vars[var.index()].restriction.is_some();
        // The atoms, `$` and what its defaults need.
        if sets <= program.atoms.len() + 4 && !program.preds.iter().any(|p| p.formals.iter().any(is_restricted)) {
            return (M2l::new(program.clone()).to_string(), program);
        }
    }
}

impl<'r> Maker<'r> {
    fn new(rng: &'r mut Rng, taste: M2lTaste) -> Self {
        let program = Program {
            mode: taste.mode,
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
        };
        Self {
            rng,
            taste,
            program,
            definitions: Vec::new(),
            scope: Vec::new(),
            sets: 0,
            late: Vec::new(),
            plain: false,
            inside_definition: false,
        }
    }

    fn declare(&mut self, name: &str, order: Order) -> VarId {
        let var = VarId(self.program.vars.len() as u32);
        let span = Span { start: 0, end: 0 };
        self.program.vars.push(Variable { name: name.to_owned(), order, restriction: None, span });
        var
    }

    fn fresh(&mut self, order: Order) -> VarId {
        let letter = match order {
            Order::Zero => 'b',
            Order::One => 'x',
            Order::Two => 'Y',
        };
        self.declare(&format!("{letter}{}", self.program.vars.len()), order)
    }

    /// The set of all positions and the defaults that come with it.
    fn string(&mut self) {
        let var = self.declare("$", Order::Two);
        let all = || Set::Var(var);
        let p = self.declare("p", Order::One);
        self.program.vars[p.index()].restriction = Some(Formula::Constant(true));
        let outside = Formula::Not(Box::new(Formula::In(Position::Var(p), all())));
        let next = Formula::In(Position::Plus(Box::new(Position::Var(p)), 1), all());
        let gap = Box::new(Formula::Joined(Connective::And, Box::new(outside), Box::new(next)));
        let gap = Formula::Quantified { all: false, vars: vec![p], body: gap };
        self.program.vars[var.index()].restriction = Some(Formula::Not(Box::new(gap)));
        self.program.globals.push(var);
        self.program.all_positions = Some(var);
        let p = self.declare("p", Order::One);
        self.program.default_one = Some((p, Formula::In(Position::Var(p), all())));
        let set = self.declare("P", Order::Two);
        self.program.default_two = Some((set, Formula::Sub(Set::Var(set), all())));
        self.scope.push(Known { var, order: Order::Two, is_term: false, keep: true });
    }

    fn globals(&mut self) {
        if self.taste.mode == Mode::M2lStr {
            self.string();
        }
        let (truths, places, sets) = (self.rng.u32(..2), self.rng.u32(..3), self.rng.u32(..3));
        let orders = [(Order::Zero, truths), (Order::One, places), (Order::Two, sets)];
        for (order, many) in orders {
            for _ in 0..many {
                let var = self.fresh(order);
                self.program.globals.push(var);
                let keep = chance(self.rng, 50);
                self.scope.push(Known { var, order, is_term: false, keep });
                if chance(self.rng, 15) {
                    self.restrict(var);
                    if order == Order::Zero {
                        self.late.extend(self.scope.pop());
                    }
                }
            }
        }
        if self.taste.mode == Mode::Ws1s && chance(self.rng, 20) {
            let order = if chance(self.rng, 50) { Order::One } else { Order::Two };
            let var = self.scope.iter().find(|k| k.order == order).map(|k| k.var);
            match order {
                Order::One => self.program.last_position = var,
                _ => self.program.all_positions = var,
            }
        }
    }

    /// Gives a variable that is in scope a `where`.
    fn restrict(&mut self, var: VarId) {
        let plain = std::mem::replace(&mut self.plain, true);
        let formula = self.formula(1);
        self.plain = plain;
        self.program.vars[var.index()].restriction = Some(formula);
    }

    fn defaults(&mut self) {
        for order in [Order::One, Order::Two] {
            if chance(self.rng, 15) {
                let var = self.fresh(order);
                self.scope.push(Known { var, order, is_term: true, keep: true });
                self.plain = true;
                let formula = Some((var, self.formula(1)));
                self.plain = false;
                self.scope.pop();
                match order {
                    Order::One => self.program.default_one = formula,
                    _ => self.program.default_two = formula,
                }
            }
        }
    }

    fn definition(&mut self) {
        let is_macro = chance(self.rng, 40);
        let outside = self.scope.clone();
        self.scope.retain(|k| k.keep);
        let mut orders = Vec::new();
        let mut formals = Vec::new();
        for _ in 0..self.rng.usize(..4) {
            let order = *pick(self.rng, &[Order::Zero, Order::One, Order::One, Order::Two, Order::Two]);
            let var = self.fresh(order);
            let is_term = chance(self.rng, 50);
            orders.push((order, is_term));
            formals.push((var, Known { var, order, is_term, keep: true }));
        }
        for &(var, known) in &formals {
            let may = known.order != Order::Zero && (known.is_term || !is_macro);
            if chance(self.rng, 25) && may {
                self.scope.push(known);
                self.restrict(var);
                self.scope.pop();
            }
        }
        self.scope.extend(formals.iter().map(|f| f.1));
        self.inside_definition = true;
        let body = self.formula(2);
        self.inside_definition = false;
        self.scope = outside;
        let name = format!("d{}", self.definitions.len());
        let formals = formals.into_iter().map(|f| f.0).collect();
        self.program.preds.push(Predicate { name, formals, body, is_macro });
        self.definitions.push(Definition { orders });
    }

    fn formula(&mut self, depth: u32) -> Formula {
        if depth == 0 {
            return self.atom();
        }
        match self.rng.u32(..100) {
            0..10 => Formula::Not(Box::new(self.formula(depth - 1))),
            10..42 => {
                let connectives = [Connective::And, Connective::Or, Connective::Implies, Connective::Iff];
                let connective = *pick(self.rng, &connectives);
                let (f, g) = (self.formula(depth - 1), self.formula(depth - 1));
                Formula::Joined(connective, Box::new(f), Box::new(g))
            }
            42..74 => self.quantified(depth),
            74..82 => self.let_in(depth),
            82..92 if !self.plain && !self.definitions.is_empty() => self.call(depth),
            92..94 if self.taste.restrict => Formula::Restrict(Box::new(self.formula(depth - 1))),
            94..97 if self.taste.prefix && !self.plain => Formula::Prefix(Box::new(self.formula(depth - 1))),
            _ => self.atom(),
        }
    }

    fn quantified(&mut self, depth: u32) -> Formula {
        let order = match self.rng.u32(..10) {
            0 => Order::Zero,
            1..4 if self.taste.sets && self.sets < 2 => Order::Two,
            _ => Order::One,
        };
        let many = if order == Order::One { self.rng.usize(1..=2) } else { 1 };
        let before = self.scope.len();
        let mut vars = Vec::new();
        for _ in 0..many {
            let var = self.fresh(order);
            self.scope.push(Known { var, order, is_term: false, keep: false });
            if chance(self.rng, 15) && !(order == Order::Zero && (self.plain || self.inside_definition)) {
                self.restrict(var);
            }
            vars.push(var);
        }
        self.sets += u32::from(order == Order::Two);
        let body = Box::new(self.formula(depth - 1));
        self.sets -= u32::from(order == Order::Two);
        self.scope.truncate(before);
        let sight = Sight::of(&self.program, &body);
        if sight.prefix {
            vars.retain(|v| sight.vars.contains(v));
        }
        if vars.is_empty() {
            return *body;
        }
        Formula::Quantified { all: chance(self.rng, 45), vars, body }
    }

    fn let_in(&mut self, depth: u32) -> Formula {
        let orders: &[Order] =
            if self.taste.let_truth { &[Order::Zero, Order::One, Order::Two] } else { &[Order::One, Order::Two] };
        let order = *pick(self.rng, orders);
        let many = self.rng.usize(1..=2);
        let given: Vec<Argument> = (0..many).map(|_| self.argument(order)).collect();
        let before = self.scope.len();
        let mut definitions = Vec::new();
        for argument in given {
            let var = self.fresh(order);
            self.scope.push(Known { var, order, is_term: false, keep: false });
            definitions.push((var, argument));
        }
        let body = Box::new(self.formula(depth - 1));
        self.scope.truncate(before);
        Formula::Let(definitions, body)
    }

    fn argument(&mut self, order: Order) -> Argument {
        match order {
            Order::Zero => Argument::Formula(self.formula(1)),
            Order::One => Argument::Position(self.position(2)),
            Order::Two => Argument::Set(self.set(2)),
        }
    }

    fn call(&mut self, depth: u32) -> Formula {
        let at = self.rng.usize(..self.definitions.len());
        let mut arguments = Vec::new();
        let mut used: Vec<VarId> = Vec::new();
        for n in 0..self.definitions[at].orders.len() {
            let (order, is_term) = self.definitions[at].orders[n];
            let choices: Vec<VarId> =
                self.scope.iter().filter(|k| self.may_be_given(k, order)).map(|k| k.var).collect();
            let choices: Vec<VarId> = choices.into_iter().filter(|v| !used.contains(v)).collect();
            arguments.push(match order {
                Order::Zero => Argument::Formula(self.formula(depth.min(2) - 1)),
                Order::One if is_term => Argument::Position(self.proper_position()),
                Order::Two if is_term => Argument::Set(self.proper_set()),
                _ if choices.is_empty() => return self.atom(),
                _ => {
                    let var = *pick(self.rng, &choices);
                    used.push(var);
                    if order == Order::One {
                        Argument::Position(Position::Var(var))
                    } else {
                        Argument::Set(Set::Var(var))
                    }
                }
            });
        }
        Formula::Call(PredId(at as u32), arguments)
    }

    fn may_be_given(&self, known: &Known, order: Order) -> bool {
        let is_global = self.program.globals.contains(&known.var);
        known.order == order && !known.is_term && !(is_global && known.keep)
    }

    fn known(&mut self, order: Order) -> Option<VarId> {
        let choices: Vec<VarId> = self.scope.iter().filter(|k| k.order == order).map(|k| k.var).collect();
        if choices.is_empty() { None } else { Some(choices[self.rng.usize(..choices.len())]) }
    }

    fn atom(&mut self) -> Formula {
        match self.rng.u32(..20) {
            0 => Formula::Constant(chance(self.rng, 50)),
            1..4 => self.known(Order::Zero).map_or(Formula::Constant(true), Formula::Truth),
            4..9 => Formula::In(self.position(1), self.set(1)),
            9..11 => Formula::Sub(self.set(1), self.set(1)),
            11..13 => Formula::SameSet(self.set(1), self.set(1)),
            13..15 => Formula::SamePosition(self.position(1), self.position(1)),
            15..17 => Formula::Less(self.position(1), self.position(1)),
            17..19 => Formula::LessEq(self.position(1), self.position(1)),
            _ => Formula::Empty(self.set(1)),
        }
    }

    fn position(&mut self, depth: u32) -> Position {
        if depth > 0 && chance(self.rng, 35) { self.proper_position() } else { self.simple_position() }
    }

    fn simple_position(&mut self) -> Position {
        match self.known(Order::One) {
            Some(var) if chance(self.rng, 90) => Position::Var(var),
            _ => Position::Constant(self.rng.u32(..3)),
        }
    }

    /// A position that is no variable.
    fn proper_position(&mut self) -> Position {
        let n = self.rng.u32(1..=2);
        let t = self.simple_position();
        // MONA counts with constants before there are positions, and 0 - 1 is an error then.
        let is_constant = matches!(t, Position::Constant(_));
        let t = Box::new(t);
        match self.rng.u32(..7) {
            0 | 1 if !is_constant => Position::Plus(t, n),
            2 if !is_constant => Position::Minus(t, n),
            3 => Position::PlusModulo(t, n, Box::new(self.simple_position())),
            4 => Position::MinusModulo(t, n, Box::new(self.simple_position())),
            5 => Position::Min(Box::new(self.set(0))),
            6 => Position::Max(Box::new(self.set(0))),
            _ => Position::Constant(self.rng.u32(..4)),
        }
    }

    fn set(&mut self, depth: u32) -> Set {
        if depth > 0 && chance(self.rng, 35) { self.proper_set() } else { self.simple_set() }
    }

    fn simple_set(&mut self) -> Set {
        match self.known(Order::Two) {
            Some(var) if chance(self.rng, 90) => Set::Var(var),
            _ => Set::Listed(vec![Element::One(self.position(0))]),
        }
    }

    /// A set that is no variable.
    fn proper_set(&mut self) -> Set {
        let n = self.rng.u32(1..=2);
        let s = Box::new(self.simple_set());
        match self.rng.u32(..10) {
            0 => Set::Empty,
            1 => Set::Union(s, Box::new(self.simple_set())),
            2 => Set::Inter(s, Box::new(self.simple_set())),
            3 => Set::Difference(s, Box::new(self.simple_set())),
            4 => Set::Plus(s, n),
            5 => Set::Minus(s, n),
            6 => Set::Number(self.rng.u64(..7)),
            7 => Set::Listed(vec![Element::Range(self.position(1), self.position(1))]),
            8 => Set::Listed(vec![Element::One(self.position(1)), Element::One(self.position(1))]),
            _ => Set::Listed(vec![Element::One(self.position(0)), Element::Range(self.position(0), self.position(0))]),
        }
    }
}
