//! Expressions, by operator precedence: MONA's.
//!
//! From the loosest: quantifiers and `let` (as far as they can), `<=>` and `=>` (right), `|`, `&`, `~`, `in notin sub`, comparisons,
//! `min max`, `union`, `inter`, `\`, `+ -`, `* /`. What stands behind `+ - * /` is a number, which has a small grammar of its own.

use super::expr::{Arith, Chain, Expr, ExprKind, Listed, Relation};
use super::lex::Token;
use super::parse::{Parsed, Parser, order_of, too_deep};
use super::tree::Connective;
use super::{CHAIN, MAX_DEPTH};
use posetta_base::{Kind, Span, Spanned};

const IFF: u8 = 1;
const IMPLIES: u8 = 2;
const OR: u8 = 3;
const AND: u8 = 4;
const MEMBER: u8 = 6;
const COMPARE: u8 = 7;
const UNION: u8 = 9;
const INTER: u8 = 10;
const DIFFERENCE: u8 = 11;
const SUM: u8 = 12;
const PRODUCT: u8 = 13;
const OPERAND: u8 = 14;

#[derive(Clone, Copy)]
enum Infix {
    Join(Connective),
    Chain(Chain),
    Relation(Relation),
    Difference,
    Arith(Arith),
}

impl Infix {
    fn level(self) -> u8 {
        match self {
            Self::Join(Connective::Iff) => IFF,
            Self::Join(_) => IMPLIES,
            Self::Chain(Chain::Or) => OR,
            Self::Chain(Chain::And) => AND,
            Self::Chain(Chain::Union) => UNION,
            Self::Chain(Chain::Inter) => INTER,
            Self::Relation(Relation::In | Relation::NotIn | Relation::Sub) => MEMBER,
            Self::Relation(_) => COMPARE,
            Self::Difference => DIFFERENCE,
            Self::Arith(Arith::Add | Arith::Sub) => SUM,
            Self::Arith(Arith::Mul | Arith::Div) => PRODUCT,
        }
    }
}

fn infix(token: Token) -> Option<Infix> {
    Some(match token {
        Token::Sign("<=>") => Infix::Join(Connective::Iff),
        Token::Sign("=>") => Infix::Join(Connective::Implies),
        Token::Sign("|") => Infix::Chain(Chain::Or),
        Token::Sign("&") => Infix::Chain(Chain::And),
        Token::Word("in") => Infix::Relation(Relation::In),
        Token::Word("notin") => Infix::Relation(Relation::NotIn),
        Token::Word("sub") => Infix::Relation(Relation::Sub),
        Token::Sign("=") => Infix::Relation(Relation::Equal),
        Token::Sign("~=") => Infix::Relation(Relation::NotEqual),
        Token::Sign("<") => Infix::Relation(Relation::Less),
        Token::Sign("<=") => Infix::Relation(Relation::LessEq),
        Token::Sign(">") => Infix::Relation(Relation::Greater),
        Token::Sign(">=") => Infix::Relation(Relation::GreaterEq),
        Token::Word("union") => Infix::Chain(Chain::Union),
        Token::Word("inter") => Infix::Chain(Chain::Inter),
        Token::Sign("\\") => Infix::Difference,
        Token::Sign("+") => Infix::Arith(Arith::Add),
        Token::Sign("-") => Infix::Arith(Arith::Sub),
        Token::Sign("*") => Infix::Arith(Arith::Mul),
        Token::Sign("/") => Infix::Arith(Arith::Div),
        _ => return None,
    })
}

/// A node above parts of some depth.
fn node(kind: ExprKind, span: Span, below: u32) -> Parsed<Expr> {
    // `~=`, `notin` become two levels.
    let depth = below + if matches!(kind, ExprKind::Relation(..)) { 2 } else { 1 };
    if depth > MAX_DEPTH { Err(too_deep(span)) } else { Ok(Expr { kind, span, depth }) }
}

/// The levels of a chain, as [`fold`](super::fold) groups it.
fn chain_depth(parts: &[Expr]) -> u32 {
    if parts.len() <= CHAIN {
        let above = |at: usize| (parts.len() - at.max(1)) as u32;
        return parts.iter().enumerate().map(|(at, part)| part.depth + above(at)).max().unwrap_or(0);
    }
    let (left, right) = parts.split_at(parts.len().div_ceil(2));
    1 + chain_depth(left).max(chain_depth(right))
}

impl Parser<'_> {
    /// An expression whose operators bind at least as tightly as `least`.
    pub(super) fn expr(&mut self, least: u8) -> Parsed<Expr> {
        let mut left = self.prefixed()?;
        // The loosest comparison that was read: one cannot stand beside another.
        let mut compared: Option<(u8, Relation)> = None;
        while let Some(op) = infix(self.token()) {
            let level = op.level();
            if level < least {
                break;
            }
            left = match op {
                Infix::Chain(chain) => self.chain(chain, level, left)?,
                Infix::Join(connective) => self.right(connective, level, left)?,
                Infix::Relation(relation) => {
                    if let Some((_, last)) = compared.filter(|&(l, _)| l == level) {
                        return Err(self.beside(last));
                    }
                    compared = Some((level, relation));
                    self.advance();
                    let right = self.expr(level + 1)?;
                    let (span, depth) = (left.span.to(right.span), left.depth.max(right.depth));
                    node(ExprKind::Relation(relation, Box::new(left), Box::new(right)), span, depth)?
                }
                Infix::Difference => {
                    self.advance();
                    let right = self.expr(level + 1)?;
                    let (span, depth) = (left.span.to(right.span), left.depth.max(right.depth));
                    node(ExprKind::Difference(Box::new(left), Box::new(right)), span, depth)?
                }
                Infix::Arith(arith) => self.step(arith, left)?,
            };
        }
        Ok(left)
    }

    #[cold]
    fn beside(&self, last: Relation) -> Box<Spanned> {
        let text = self.text(self.span());
        let problem =
            Spanned::new(Kind::Syntax, self.span(), format!("`{text}` cannot follow `{}` directly", last.sign()))
                .label("expected `&`, `|`, `=>`, `<=>` or the end of the formula");
        let compares = |sign: &str| matches!(sign, "<" | "<=" | ">" | ">=" | "=" | "~=");
        if compares(last.sign()) && compares(text) {
            problem.help(format!("compare twice: `a {} b & b {text} c`", last.sign()))
        } else {
            problem
        }
    }

    /// `left op b op c …` for an operator that may repeat.
    fn chain(&mut self, chain: Chain, level: u8, left: Expr) -> Parsed<Expr> {
        let sign = self.token();
        let start = left.span;
        let mut parts = vec![left];
        while self.token() == sign {
            self.advance();
            parts.push(self.expr(level + 1)?);
        }
        let span = start.to(parts[parts.len() - 1].span);
        let depth = chain_depth(&parts);
        node(ExprKind::Chain(chain, parts), span, depth)
    }

    /// `left => b => c …`, grouped to the right.
    fn right(&mut self, connective: Connective, level: u8, left: Expr) -> Parsed<Expr> {
        let sign = self.token();
        let mut parts = vec![left];
        while self.token() == sign {
            self.advance();
            parts.push(self.expr(level + 1)?);
        }
        let mut joined: Option<Expr> = None;
        while let Some(part) = parts.pop() {
            joined = Some(match joined {
                None => part,
                Some(right) => {
                    let (span, depth) = (part.span.to(right.span), part.depth.max(right.depth));
                    node(ExprKind::Join(connective, Box::new(part), Box::new(right)), span, depth)?
                }
            });
        }
        joined.ok_or_else(|| self.unexpected("a formula"))
    }

    /// `left + i`, `left + i % u` and the like.
    fn step(&mut self, arith: Arith, left: Expr) -> Parsed<Expr> {
        self.advance();
        let level = Infix::Arith(arith).level();
        let number = self.sum(level + 1)?;
        if level == SUM && self.is_sign("%") {
            self.advance();
            let modulus = self.expr(OPERAND)?;
            let span = left.span.to(modulus.span);
            let depth = left.depth.max(modulus.depth);
            return node(ExprKind::Modulo(arith, Box::new([left, number, modulus])), span, depth);
        }
        let (span, depth) = (left.span.to(number.span), left.depth.max(number.depth));
        node(ExprKind::Arith(arith, Box::new(left), Box::new(number)), span, depth)
    }

    /// A number: digits, constants, `+ - * /` and parentheses.
    pub(super) fn number(&mut self) -> Parsed<Expr> {
        self.sum(SUM)
    }

    fn sum(&mut self, least: u8) -> Parsed<Expr> {
        let mut left = self.figure()?;
        while let Some(op @ Infix::Arith(arith)) = infix(self.token()) {
            if op.level() < least {
                break;
            }
            self.advance();
            let right = self.sum(op.level() + 1)?;
            let (span, depth) = (left.span.to(right.span), left.depth.max(right.depth));
            left = node(ExprKind::Arith(arith, Box::new(left), Box::new(right)), span, depth)?;
        }
        Ok(left)
    }

    fn figure(&mut self) -> Parsed<Expr> {
        let span = self.span();
        match self.token() {
            Token::Number => {
                self.advance();
                node(ExprKind::Number, span, 0)
            }
            Token::Name => {
                self.advance();
                node(ExprKind::Name, span, 0)
            }
            Token::Sign("-") => {
                self.advance();
                let inner = self.deeper(span, |p| p.sum(PRODUCT))?;
                let (span, depth) = (span.to(inner.span), inner.depth);
                node(ExprKind::Negative(Box::new(inner)), span, depth)
            }
            Token::Sign("(") => {
                self.advance();
                let mut inner = self.deeper(span, |p| p.sum(SUM))?;
                inner.widen(span.to(self.sign(")", "an operator or `)`")?));
                Ok(inner)
            }
            _ => Err(self.unexpected("a number or a constant")),
        }
    }

    /// What an operand begins with.
    fn prefixed(&mut self) -> Parsed<Expr> {
        let span = self.span();
        match self.token() {
            Token::Sign("~") => self.unary(MEMBER, ExprKind::Not),
            Token::Word("min") => self.unary(UNION, ExprKind::Min),
            Token::Word("max") => self.unary(UNION, ExprKind::Max),
            Token::Word(word @ ("ex0" | "ex1" | "ex2" | "all0" | "all1" | "all2")) => {
                self.advance();
                self.deeper(span, |p| {
                    let names = p.names()?;
                    p.sign(":", "`,`, `where` or `:`")?;
                    let body = Box::new(p.expr(0)?);
                    let restrictions = names.iter().filter_map(|n| n.restriction.as_ref());
                    let depth = restrictions.map(|r| r.depth).fold(body.depth, u32::max);
                    let span = span.to(body.span);
                    let all = word.starts_with("all");
                    node(ExprKind::Quantified { all, order: order_of(word), names, body }, span, depth)
                })
            }
            Token::Word(word @ ("let0" | "let1" | "let2")) => {
                self.advance();
                self.deeper(span, |p| p.binding(word, span))
            }
            Token::Name => {
                self.advance();
                if self.is_sign("(") { self.call(span) } else { node(ExprKind::Name, span, 0) }
            }
            Token::Number => self.leaf(ExprKind::Number),
            Token::Word(word @ ("true" | "false")) => self.leaf(ExprKind::Bool(word == "true")),
            Token::Atom if self.sort.is_lone() => self.leaf(ExprKind::Atom),
            Token::Word("empty") => {
                self.advance();
                if self.is_sign("(") { self.around(span, ExprKind::IsEmpty) } else { node(ExprKind::Empty, span, 0) }
            }
            Token::Word(word @ ("restrict" | "prefix")) => {
                self.advance();
                if !self.is_sign("(") {
                    return Err(self.unexpected("`(` and a formula"));
                }
                self.around(span, if word == "restrict" { ExprKind::Restrict } else { ExprKind::Prefix })
            }
            Token::Word("export") => {
                self.advance();
                self.deeper(span, |p| p.export(span))
            }
            Token::Sign("(") => {
                self.advance();
                let mut inner = self.deeper(span, |p| p.expr(0))?;
                inner.widen(span.to(self.sign(")", "an operator or `)`")?));
                Ok(inner)
            }
            Token::Sign("{") => {
                self.advance();
                self.deeper(span, |p| p.listed(span))
            }
            _ => Err(self.unexpected("a formula, a position or a set")),
        }
    }

    fn leaf(&mut self, kind: ExprKind) -> Parsed<Expr> {
        let span = self.advance();
        node(kind, span, 0)
    }

    fn unary(&mut self, level: u8, make: impl FnOnce(Box<Expr>) -> ExprKind) -> Parsed<Expr> {
        let span = self.advance();
        let inner = self.deeper(span, |p| p.expr(level))?;
        let (span, depth) = (span.to(inner.span), inner.depth);
        node(make(Box::new(inner)), span, depth)
    }

    /// `(f)` behind a word that is like a function.
    fn around(&mut self, start: Span, make: impl FnOnce(Box<Expr>) -> ExprKind) -> Parsed<Expr> {
        self.advance();
        let inner = self.deeper(start, |p| p.expr(0))?;
        let end = self.sign(")", "an operator or `)`")?;
        let depth = inner.depth;
        node(make(Box::new(inner)), start.to(end), depth)
    }

    /// `("file", f)` behind `export`.
    fn export(&mut self, start: Span) -> Parsed<Expr> {
        self.sign("(", "`(`, the name of a file and a formula")?;
        if self.token() != Token::Text {
            return Err(self.unexpected("the name of a file in quotes"));
        }
        let file = self.advance();
        self.sign(",", "`,` and a formula")?;
        let inner = self.expr(0)?;
        let end = self.sign(")", "an operator or `)`")?;
        let depth = inner.depth;
        node(ExprKind::Export(file, Box::new(inner)), start.to(end), depth)
    }

    /// `(a, b)` behind a name.
    fn call(&mut self, name: Span) -> Parsed<Expr> {
        self.advance();
        let mut arguments = Vec::new();
        let end = self.deeper(name, |p| {
            if p.is_sign(")") {
                return Ok(p.advance());
            }
            loop {
                arguments.push(p.expr(0)?);
                if p.is_sign(")") {
                    return Ok(p.advance());
                }
                p.sign(",", "an operator, `,` or `)`")?;
            }
        })?;
        let depth = arguments.iter().map(|a| a.depth).max().unwrap_or(0);
        node(ExprKind::Call(name, arguments), name.to(end), depth)
    }

    /// `x = e, y = e in f` behind `let1` and the like. As in MONA, only what binds more tightly than `=` needs no parentheses.
    fn binding(&mut self, word: &str, start: Span) -> Parsed<Expr> {
        let mut definitions = Vec::new();
        let mut depth = 0;
        loop {
            let name = self.name("the name of a variable")?;
            self.sign("=", "`=` and what it stands for")?;
            let value = self.expr(COMPARE + 1)?;
            depth = depth.max(value.depth);
            definitions.push((name, value));
            if self.is_word("in") {
                self.advance();
                break;
            }
            if infix(self.token()).is_some() {
                return Err(self.unexpected("`,` or `in`").help("put what the name stands for into parentheses"));
            }
            self.sign(",", "`,` or `in`")?;
        }
        let body = Box::new(self.expr(0)?);
        let (span, depth) = (start.to(body.span), depth.max(body.depth));
        node(ExprKind::Let { order: order_of(word), definitions, body }, span, depth)
    }

    /// The inside of braces, the opening one taken.
    fn listed(&mut self, start: Span) -> Parsed<Expr> {
        if self.is_sign("}") {
            let span = start.to(self.advance());
            return node(ExprKind::Empty, span, 0);
        }
        let mut elements = Vec::new();
        let mut depth = 0;
        loop {
            let from = self.expr(0)?;
            depth = depth.max(from.depth);
            if self.eat_sign("}") {
                elements.push(Listed::One(from));
                break;
            }
            self.sign(",", "an operator, `,` or `}`")?;
            if !self.eat_sign("...") {
                elements.push(Listed::One(from));
                continue;
            }
            self.sign(",", "`,` and the last position of the range")?;
            let to = self.expr(0)?;
            depth = depth.max(to.depth);
            elements.push(Listed::Range(from, to));
            if self.eat_sign("}") {
                break;
            }
            self.sign(",", "an operator, `,` or `}`")?;
        }
        let span = start.to(Span::new(self.last_end(), self.last_end()));
        node(ExprKind::Listed(elements), span, depth)
    }
}
