//! Expressions to typed trees.
//!
//! Every function tells its mistakes and answers `None` then; both sides of an operator are read before either's mistake ends it.

use super::expr::{Arith, Chain, Expr, ExprKind, Listed, Relation};
use super::resolve::{Entry, Resolver, kind_of};
use super::tree::{Argument, Connective, Element, Formula, Order, Position, Set};
use super::{MAX_POSITION, fold};
use posetta_base::{Kind, Span, Spanned};

/// What an expression is.
enum Value {
    Formula(Formula),
    Position(Position),
    Set(Set),
    /// A number, which is also a position.
    Number(i128),
}

/// Longer expressions are not repeated in messages.
const LONGEST: usize = 30;

impl Resolver<'_> {
    fn wrong(&mut self, expr: &Expr, found: &Value, label: &str, help: Option<String>) {
        let text = self.name_at(expr.span);
        let short = text.len() <= LONGEST && !text.contains(['\n', '`']);
        let what = if short { format!("`{text}`") } else { "this".to_owned() };
        let is = match found {
            Value::Formula(Formula::Truth(_)) => "a truth value",
            Value::Formula(_) => "a formula",
            Value::Position(_) => "a position",
            Value::Set(_) => "a set",
            Value::Number(_) => "a number",
        };
        let problem = Spanned::new(Kind::Type, expr.span, format!("{what} is {is}")).label(label);
        self.tell(match help {
            Some(help) => problem.help(help),
            None => problem,
        });
    }

    /// An expression that must be a formula; `label` says why.
    pub(super) fn formula(&mut self, expr: &Expr, label: &str) -> Option<Formula> {
        match self.value(expr)? {
            Value::Formula(formula) => Some(formula),
            other => {
                self.wrong(expr, &other, label, None);
                None
            }
        }
    }

    fn position(&mut self, expr: &Expr, label: &str) -> Option<Position> {
        match self.value(expr)? {
            Value::Position(position) => Some(position),
            Value::Number(number) => self.constant(expr.span, number).map(Position::Constant),
            other => {
                let help = matches!(other, Value::Set(_))
                    .then(|| "`min` and `max` give the first and the last position of a set".to_owned());
                self.wrong(expr, &other, label, help);
                None
            }
        }
    }

    fn set(&mut self, expr: &Expr, label: &str) -> Option<Set> {
        match self.value(expr)? {
            Value::Set(set) => Some(set),
            other => {
                let text = self.name_at(expr.span);
                let help = matches!(other, Value::Position(_) | Value::Number(_)).then(|| match text.len() {
                    0..=LONGEST => format!("the set of this position alone is `{{{text}}}`"),
                    _ => "the set of a position alone is `{p}`".to_owned(),
                });
                self.wrong(expr, &other, label, help);
                None
            }
        }
    }

    /// A number as a position.
    fn constant(&mut self, span: Span, number: i128) -> Option<u32> {
        if number < 0 {
            self.tell(
                Spanned::new(Kind::Type, span, format!("{number} is not a position"))
                    .label("positions count from 0 up"),
            );
            return None;
        }
        match u32::try_from(number) {
            Ok(constant) if constant <= MAX_POSITION => Some(constant),
            _ => {
                self.too_far(span);
                None
            }
        }
    }

    fn too_far(&mut self, span: Span) {
        self.tell(
            Spanned::new(Kind::TooLarge, span, "positions and steps go up to 1,000,000")
                .label("an automaton has a state for each position before it"),
        );
    }

    /// A number that is known from the text.
    pub(super) fn integer(&mut self, expr: &Expr) -> Option<i128> {
        match &expr.kind {
            ExprKind::Number => self.digits(expr.span),
            ExprKind::Name => match self.look_up(expr.span) {
                Entry::Const(value) => Some(value),
                Entry::Broken => None,
                Entry::Pred(_) => {
                    let text = self.name_at(expr.span);
                    self.not_a_number(
                        expr.span,
                        format!("`{text}` is a predicate"),
                        "constants are declared by `const`",
                    );
                    None
                }
                Entry::Var(var) => {
                    let text = self.name_at(expr.span);
                    let is = kind_of(self.program.vars[var.index()].order);
                    let help = "what is added or subtracted is a number; two positions are compared, not added";
                    self.not_a_number(expr.span, format!("`{text}` is {is}"), help);
                    None
                }
            },
            ExprKind::Negative(inner) => self.integer(inner).map(|n| -n),
            ExprKind::Arith(arith, a, b) => {
                let (a, b) = (self.integer(a), self.integer(b));
                self.calculate(*arith, a?, b?, expr.span)
            }
            // Numbers have no other parts.
            _ => None,
        }
    }

    fn not_a_number(&mut self, span: Span, message: String, help: &str) {
        self.tell(Spanned::new(Kind::Type, span, message).label("expected a number or a constant").help(help));
    }

    fn digits(&mut self, span: Span) -> Option<i128> {
        let value = self.name_at(span).parse().ok().filter(|&n: &i128| n <= i128::from(u64::MAX));
        if value.is_none() {
            self.too_large(span);
        }
        value
    }

    fn too_large(&mut self, span: Span) {
        self.tell(Spanned::new(Kind::TooLarge, span, "this number is too large").label("numbers go up to 2^64 - 1"));
    }

    fn calculate(&mut self, arith: Arith, a: i128, b: i128, span: Span) -> Option<i128> {
        if arith == Arith::Div && b == 0 {
            self.tell(Spanned::new(Kind::Type, span, "division by zero"));
            return None;
        }
        let value = match arith {
            Arith::Add => a.checked_add(b),
            Arith::Sub => a.checked_sub(b),
            Arith::Mul => a.checked_mul(b),
            Arith::Div => a.checked_div(b),
        };
        let value = value.filter(|n| n.unsigned_abs() <= u128::from(u64::MAX));
        if value.is_none() {
            self.too_large(span);
        }
        value
    }

    fn value(&mut self, expr: &Expr) -> Option<Value> {
        let formula = |f: Option<Formula>| f.map(Value::Formula);
        match &expr.kind {
            ExprKind::Name => self.name(expr),
            ExprKind::Number => self.digits(expr.span).map(Value::Number),
            ExprKind::Bool(value) => Some(Value::Formula(Formula::Constant(*value))),
            ExprKind::Empty => Some(Value::Set(Set::Empty)),
            ExprKind::Atom => self.atom(expr.span).map(|var| Value::Set(Set::Var(var))),
            ExprKind::Not(inner) => {
                let inner = self.formula(inner, "`~` negates formulas");
                formula(inner.map(|f| Formula::Not(Box::new(f))))
            }
            ExprKind::Chain(chain, parts) => self.chain(*chain, parts),
            ExprKind::Join(connective, a, b) => {
                let label = if *connective == Connective::Iff { "`<=>` joins formulas" } else { "`=>` joins formulas" };
                let (a, b) = (self.formula(a, label), self.formula(b, label));
                Some(Value::Formula(Formula::Joined(*connective, Box::new(a?), Box::new(b?))))
            }
            ExprKind::Relation(relation, a, b) => formula(self.relation(*relation, a, b)),
            ExprKind::Difference(a, b) => {
                let (a, b) = (self.set(a, "`\\` is for sets"), self.set(b, "`\\` is for sets"));
                Some(Value::Set(Set::Difference(Box::new(a?), Box::new(b?))))
            }
            ExprKind::Arith(arith, left, number) => self.step(expr, *arith, left, number),
            ExprKind::Negative(_) => self.integer(expr).map(Value::Number),
            ExprKind::Modulo(arith, parts) => self.modulo(*arith, parts).map(Value::Position),
            ExprKind::Min(set) => {
                Some(Value::Position(Position::Min(Box::new(self.set(set, "`min` is the first position of a set")?))))
            }
            ExprKind::Max(set) => {
                Some(Value::Position(Position::Max(Box::new(self.set(set, "`max` is the last position of a set")?))))
            }
            ExprKind::Listed(elements) => self.listed(elements).map(Value::Set),
            ExprKind::Call(name, arguments) => self.call(expr, *name, arguments),
            ExprKind::IsEmpty(set) => formula(self.set(set, "`empty(…)` is for sets").map(Formula::Empty)),
            ExprKind::Restrict(inner) => {
                self.only_for_files(expr.span, "`restrict`", "write `condition & formula` or `condition => formula`");
                formula(self.formula(inner, "`restrict(…)` is for formulas").map(|f| Formula::Restrict(Box::new(f))))
            }
            ExprKind::Prefix(inner) => {
                self.only_for_files(
                    expr.span,
                    "`prefix`",
                    "speak of the positions before one: `all1 q where q <= p: …`",
                );
                formula(self.formula(inner, "`prefix(…)` is for formulas").map(|f| Formula::Prefix(Box::new(f))))
            }
            ExprKind::Export(file, inner) => {
                self.only_for_files(expr.span, "`export`", "write the formula without it");
                self.unwritten(*file);
                formula(self.formula(inner, "`export(…)` is for formulas"))
            }
            ExprKind::Quantified { all, order, names, body } => {
                let depth = self.open();
                let vars = self.bind(*order, names.iter());
                let body = self.formula(body, "behind `:` stands a formula");
                self.close(depth);
                formula(body.map(|body| Formula::Quantified { all: *all, vars, body: Box::new(body) }))
            }
            ExprKind::Let { order, definitions, body } => formula(self.binding(*order, definitions, body)),
        }
    }

    fn only_for_files(&mut self, span: Span, what: &str, help: &str) {
        if self.sort.is_lone() {
            let problem = Spanned::new(Kind::Unsupported, span, format!("{what} is not for {}", self.sort.purpose()));
            self.tell(problem.label("only in files for `posetta m2l`").help(help));
        }
    }

    fn name(&mut self, expr: &Expr) -> Option<Value> {
        match self.look_up(expr.span) {
            Entry::Broken => None,
            Entry::Const(value) => Some(Value::Number(value)),
            Entry::Pred(_) => self.call(expr, expr.span, &[]),
            Entry::Var(var) => Some(match self.program.vars[var.index()].order {
                Order::Zero => Value::Formula(Formula::Truth(var)),
                Order::One => Value::Position(Position::Var(var)),
                Order::Two => Value::Set(Set::Var(var)),
            }),
        }
    }

    fn chain(&mut self, chain: Chain, parts: &[Expr]) -> Option<Value> {
        match chain {
            Chain::And | Chain::Or => {
                let (connective, label) = match chain {
                    Chain::And => (Connective::And, "`&` joins formulas"),
                    _ => (Connective::Or, "`|` joins formulas"),
                };
                let all: Vec<_> = parts.iter().map(|p| self.formula(p, label)).collect();
                let all = all.into_iter().collect::<Option<Vec<_>>>()?;
                fold(all, &|a, b| Formula::Joined(connective, Box::new(a), Box::new(b))).map(Value::Formula)
            }
            Chain::Union | Chain::Inter => {
                let label = if chain == Chain::Union { "`union` is for sets" } else { "`inter` is for sets" };
                let all: Vec<_> = parts.iter().map(|p| self.set(p, label)).collect();
                let all = all.into_iter().collect::<Option<Vec<_>>>()?;
                let join = |a, b| match chain {
                    Chain::Union => Set::Union(Box::new(a), Box::new(b)),
                    _ => Set::Inter(Box::new(a), Box::new(b)),
                };
                fold(all, &join).map(Value::Set)
            }
        }
    }

    fn relation(&mut self, relation: Relation, a: &Expr, b: &Expr) -> Option<Formula> {
        let not = |f| Formula::Not(Box::new(f));
        match relation {
            Relation::In | Relation::NotIn => {
                let sign = relation.sign();
                let position = self.position(a, &format!("before `{sign}` stands a position"));
                let set = self.set(b, &format!("behind `{sign}` stands a set"));
                let member = Formula::In(position?, set?);
                Some(if relation == Relation::In { member } else { not(member) })
            }
            Relation::Sub => {
                let (a, b) = (self.set(a, "`sub` compares sets"), self.set(b, "`sub` compares sets"));
                Some(Formula::Sub(a?, b?))
            }
            Relation::Equal | Relation::NotEqual => {
                let equal = self.equal(relation, a, b)?;
                Some(if relation == Relation::Equal { equal } else { not(equal) })
            }
            Relation::Less | Relation::LessEq | Relation::Greater | Relation::GreaterEq => {
                let label = format!("`{}` compares positions", relation.sign());
                let (a, b) = (self.position(a, &label), self.position(b, &label));
                let (a, b) = (a?, b?);
                Some(match relation {
                    Relation::Less => Formula::Less(a, b),
                    Relation::LessEq => Formula::LessEq(a, b),
                    Relation::Greater => Formula::Less(b, a),
                    _ => Formula::LessEq(b, a),
                })
            }
        }
    }

    fn equal(&mut self, relation: Relation, a: &Expr, b: &Expr) -> Option<Formula> {
        let (left, right) = (self.value(a), self.value(b));
        let (left, right) = (left?, right?);
        let label = format!("`{}` compares two positions or two sets", relation.sign());
        for (value, expr) in [(&left, a), (&right, b)] {
            if matches!(value, Value::Formula(_)) {
                let help = match relation {
                    Relation::Equal => "formulas are compared by `<=>`",
                    _ => "formulas are compared by `<=>`, as in `~(f <=> g)`",
                };
                self.wrong(expr, value, &label, Some(help.to_owned()));
                return None;
            }
        }
        match (left, right) {
            (Value::Set(left), Value::Set(right)) => Some(Formula::SameSet(left, right)),
            (Value::Set(_), other) => {
                let text = self.name_at(b.span);
                let help = (text.len() <= LONGEST).then(|| format!("the set of this position alone is `{{{text}}}`"));
                self.wrong(b, &other, "on the other side stands a set", help);
                None
            }
            (other, Value::Set(_)) => {
                let text = self.name_at(a.span);
                let help = (text.len() <= LONGEST).then(|| format!("the set of this position alone is `{{{text}}}`"));
                self.wrong(a, &other, "on the other side stands a set", help);
                None
            }
            (left, right) => {
                let (left, right) = (self.as_position(left, a), self.as_position(right, b));
                Some(Formula::SamePosition(left?, right?))
            }
        }
    }

    /// A value that is known to be no set and no formula.
    fn as_position(&mut self, value: Value, expr: &Expr) -> Option<Position> {
        match value {
            Value::Position(position) => Some(position),
            Value::Number(number) => self.constant(expr.span, number).map(Position::Constant),
            Value::Formula(_) | Value::Set(_) => None,
        }
    }

    /// `left + number` and the like.
    fn step(&mut self, expr: &Expr, arith: Arith, left: &Expr, number: &Expr) -> Option<Value> {
        let (value, number) = (self.value(left), self.integer(number));
        let (value, number) = (value?, number?);
        let by = match (&value, arith) {
            (Value::Number(n), _) => return self.calculate(arith, *n, number, expr.span).map(Value::Number),
            (_, Arith::Add) => number,
            (_, Arith::Sub) => -number,
            (_, Arith::Mul | Arith::Div) => {
                let label = if arith == Arith::Mul { "`*` multiplies numbers" } else { "`/` divides numbers" };
                self.wrong(left, &value, label, None);
                return None;
            }
        };
        let Some(length) = u32::try_from(by.unsigned_abs()).ok().filter(|&n| n <= MAX_POSITION) else {
            self.too_far(expr.span);
            return None;
        };
        Some(match value {
            value @ (Value::Position(_) | Value::Set(_)) if by == 0 => value,
            Value::Position(t) if by > 0 => Value::Position(Position::Plus(Box::new(t), length)),
            Value::Position(t) => Value::Position(Position::Minus(Box::new(t), length)),
            Value::Set(t) if by > 0 => Value::Set(Set::Plus(Box::new(t), length)),
            Value::Set(t) => Value::Set(Set::Minus(Box::new(t), length)),
            value => {
                let label =
                    if arith == Arith::Add { "`+` moves positions and sets" } else { "`-` moves positions and sets" };
                self.wrong(left, &value, label, None);
                return None;
            }
        })
    }

    fn modulo(&mut self, arith: Arith, [left, number, modulus]: &[Expr; 3]) -> Option<Position> {
        let moved = self.position(left, "steps modulo a position start at a position");
        let by = self.integer(number);
        let modulus = self.position(modulus, "behind `%` stands a position");
        let (moved, by, modulus) = (Box::new(moved?), by?, Box::new(modulus?));
        let Some(length) = u32::try_from(by.unsigned_abs()).ok().filter(|&n| n <= MAX_POSITION) else {
            self.too_far(number.span);
            return None;
        };
        let up = (arith == Arith::Add) == (by >= 0);
        Some(if up {
            Position::PlusModulo(moved, length, modulus)
        } else {
            Position::MinusModulo(moved, length, modulus)
        })
    }

    fn listed(&mut self, elements: &[Listed]) -> Option<Set> {
        let label = "a set consists of positions";
        let all: Vec<Option<Element>> = elements
            .iter()
            .map(|element| match element {
                Listed::One(one) => self.position(one, label).map(Element::One),
                Listed::Range(from, to) => {
                    let (from, to) = (self.position(from, label), self.position(to, label));
                    Some(Element::Range(from?, to?))
                }
            })
            .collect();
        all.into_iter().collect::<Option<Vec<_>>>().map(Set::Listed)
    }

    fn argument(&mut self, order: Order, expr: &Expr, label: &str) -> Option<Argument> {
        match order {
            Order::Zero => self.formula(expr, label).map(Argument::Formula),
            Order::One => self.position(expr, label).map(Argument::Position),
            Order::Two => self.set(expr, label).map(Argument::Set),
        }
    }

    fn binding(&mut self, order: Order, definitions: &[(Span, Expr)], body: &Expr) -> Option<Formula> {
        let label = match order {
            Order::Zero => "`let0` names formulas",
            Order::One => "`let1` names positions",
            Order::Two => "`let2` names sets",
        };
        let arguments: Vec<_> = definitions.iter().map(|(_, expr)| self.argument(order, expr, label)).collect();
        let depth = self.open();
        let mut vars = Vec::with_capacity(definitions.len());
        for (at, (name, _)) in definitions.iter().enumerate() {
            let text = self.name_at(*name);
            if definitions[..at].iter().any(|(n, _)| self.name_at(*n) == text) {
                self.twice(*name);
            }
            vars.push(self.local(*name, order));
        }
        let body = self.formula(body, "behind `in` stands a formula");
        self.close(depth);
        let pairs = vars.into_iter().zip(arguments).map(|(var, argument)| argument.map(|a| (var, a)));
        Some(Formula::Let(pairs.collect::<Option<Vec<_>>>()?, Box::new(body?)))
    }

    /// `name(arguments)`, or a bare name without any.
    fn call(&mut self, expr: &Expr, name: Span, arguments: &[Expr]) -> Option<Value> {
        let text = self.name_at(name);
        if text == "pconst" && !matches!(expr.kind, ExprKind::Name) {
            return self.binary(expr, arguments).map(Value::Set);
        }
        let found = match self.look_up(name) {
            Entry::Broken => {
                // The mistakes of the arguments are mistakes all the same.
                for argument in arguments {
                    let _ = self.value(argument);
                }
                return None;
            }
            Entry::Pred(pred) => return self.apply(expr, pred, arguments).map(Value::Formula),
            Entry::Const(_) => "a number",
            Entry::Var(var) => kind_of(self.program.vars[var.index()].order),
        };
        let problem = Spanned::new(Kind::Type, name, format!("`{text}` is {found}"))
            .label("only predicates and macros have arguments");
        self.tell(match (found, arguments) {
            ("a set", [one]) => problem.help(format!("write `{} in {text}`", self.name_at(one.span))),
            _ => problem,
        });
        None
    }

    fn apply(&mut self, expr: &Expr, pred: super::tree::PredId, arguments: &[Expr]) -> Option<Formula> {
        // A predicate whose name is taken is not in the table.
        let predicate = self.program.preds.get(pred.index())?;
        let (name, formals) = (predicate.name.clone(), predicate.formals.clone());
        let kinds: Vec<(String, Order)> = formals
            .iter()
            .map(|var| &self.program.vars[var.index()])
            .map(|var| (var.name.clone(), var.order))
            .collect();
        if kinds.len() != arguments.len() {
            let words = |n: usize| match n {
                0 => "no arguments".to_owned(),
                1 => "1 argument".to_owned(),
                n => format!("{n} arguments"),
            };
            let message = format!("`{name}` takes {}", words(kinds.len()));
            let problem = Spanned::new(Kind::Definition, expr.span, message)
                .label(format!("this has {}", words(arguments.len())));
            let listed: Vec<String> =
                kinds.iter().map(|(name, order)| format!("{name} ({})", kind_of(*order))).collect();
            self.tell(if listed.is_empty() {
                problem
            } else {
                problem.help(format!("they are {}", listed.join(", ")))
            });
            return None;
        }
        let values: Vec<Option<Argument>> = arguments
            .iter()
            .zip(&kinds)
            .map(|(argument, (formal, order))| {
                self.argument(*order, argument, &format!("the parameter `{formal}` of `{name}` is {}", kind_of(*order)))
            })
            .collect();
        Some(Formula::Call(pred, values.into_iter().collect::<Option<Vec<_>>>()?))
    }

    /// `pconst(n)`
    fn binary(&mut self, expr: &Expr, arguments: &[Expr]) -> Option<Set> {
        let [argument] = arguments else {
            self.tell(Spanned::new(Kind::Definition, expr.span, "`pconst` takes 1 argument").label("a number"));
            return None;
        };
        match self.value(argument)? {
            Value::Number(number) => match u64::try_from(number) {
                Ok(number) => Some(Set::Number(number)),
                Err(_) => {
                    let message = format!("{number} has no binary digits as a set");
                    self.tell(Spanned::new(Kind::Type, argument.span, message).label("expected a number from 0 up"));
                    None
                }
            },
            other => {
                self.wrong(argument, &other, "`pconst` takes a number that is known from the text", None);
                None
            }
        }
    }
}
