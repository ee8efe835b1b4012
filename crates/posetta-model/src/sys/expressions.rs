//! Integer expressions and conditions: parsed by precedence, worked out in a scope.
//!
//! Chains of operators are lists, so that only parentheses and signs nest.

use rustc_hash::FxHashMap;

use super::lex::Token;
use super::parse::{Parsed, Parser};
use crate::problem::meant;
use posetta_base::{Kind, Span, Spanned};
use posetta_logic::Compare;

/// An expression. Whether it is a number or a truth value is known when it is parsed; truth values are 0 and 1.
#[derive(Clone, Debug)]
pub(super) struct Expr<'a> {
    node: Node<'a>,
    pub(super) span: Span,
    is_truth: bool,
}

#[derive(Clone, Debug)]
enum Node<'a> {
    Number(i64),
    Name(&'a str),
    Negative(Box<Expr<'a>>),
    Not(Box<Expr<'a>>),
    /// From the left.
    Chain(Box<Expr<'a>>, Vec<(Operator, Expr<'a>)>),
}

/// What stands between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Or,
    And,
    Compare(Compare),
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// What names stand for in expressions.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope<'a> {
    pub(super) constants: FxHashMap<&'a str, i64>,
    /// Parameters and variables of loops, the innermost last.
    pub(super) variables: Vec<(&'a str, i64)>,
}

impl<'a> Scope<'a> {
    fn find(&self, name: &str) -> Option<i64> {
        let variable = self.variables.iter().rev().find(|(n, _)| *n == name).map(|&(_, value)| value);
        variable.or_else(|| self.constants.get(name).copied())
    }

    /// The value of an expression.
    pub(super) fn value(&self, expr: &Expr<'a>) -> Result<i64, Box<Spanned>> {
        let too_large = || Spanned::new(Kind::Digits, expr.span, "a number here is past 64 bits");
        match &expr.node {
            Node::Number(n) => Ok(*n),
            Node::Name(name) => self.find(name).ok_or_else(|| {
                let mut known: Vec<&str> = self.variables.iter().map(|&(n, _)| n).chain(self.constants.keys().copied()).collect();
                known.sort_unstable();
                let problem = Spanned::new(Kind::Definition, expr.span, format!("no number here is called `{name}`"));
                match meant(name, known.into_iter()) {
                    Some(near) => problem.help(format!("did you mean `{near}`?")),
                    None => problem.help("numbers have names by `const N = 10`, by the parameters of a component and by `for`; a constant stands above its use"),
                }
            }),
            Node::Negative(inner) => self.value(inner)?.checked_neg().ok_or_else(too_large),
            Node::Not(inner) => Ok(i64::from(self.value(inner)? == 0)),
            Node::Chain(first, rest) => {
                let mut left = self.value(first)?;
                for (operator, expr) in rest {
                    // What is decided is not looked at: `i == 0 || 6 / i > 1`.
                    if (*operator == Operator::And && left == 0) || (*operator == Operator::Or && left != 0) {
                        continue;
                    }
                    let right = self.value(expr)?;
                    let zero = || Spanned::new(Kind::Definition, expr.span, "this is 0, and nothing is divided by 0");
                    left = match operator {
                        // The left side has not decided it.
                        Operator::And | Operator::Or => right,
                        Operator::Add => left.checked_add(right).ok_or_else(too_large)?,
                        Operator::Subtract => left.checked_sub(right).ok_or_else(too_large)?,
                        Operator::Multiply => left.checked_mul(right).ok_or_else(too_large)?,
                        Operator::Divide | Operator::Remainder if right == 0 => return Err(zero()),
                        Operator::Divide => left.checked_div_euclid(right).ok_or_else(too_large)?,
                        Operator::Remainder => left.checked_rem_euclid(right).unwrap_or(0),
                        Operator::Compare(op) => i64::from(match op {
                            Compare::Eq => left == right,
                            Compare::Ne => left != right,
                            Compare::Lt => left < right,
                            Compare::Le => left <= right,
                            Compare::Gt => left > right,
                            Compare::Ge => left >= right,
                        }),
                    };
                }
                Ok(left)
            }
        }
    }
}

/// The operators by precedence, the loosest first.
const LEVELS: [&[(&str, Operator)]; 5] = [
    &[("||", Operator::Or)],
    &[("&&", Operator::And)],
    &[
        ("==", Operator::Compare(Compare::Eq)),
        ("!=", Operator::Compare(Compare::Ne)),
        ("<=", Operator::Compare(Compare::Le)),
        (">=", Operator::Compare(Compare::Ge)),
        ("<", Operator::Compare(Compare::Lt)),
        (">", Operator::Compare(Compare::Gt)),
    ],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
    &[("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)],
];

const TRUTH: usize = 2;
const NUMBERS: usize = 3;

impl<'a> Parser<'a> {
    /// A number.
    pub(super) fn number(&mut self) -> Parsed<Expr<'a>> {
        let expr = self.level(NUMBERS)?;
        Self::expect(expr, false)
    }

    /// A number without operators outside of parentheses.
    pub(super) fn factor(&mut self) -> Parsed<Expr<'a>> {
        let expr = self.operand()?;
        Self::expect(expr, false)
    }

    /// A condition.
    pub(super) fn condition(&mut self) -> Parsed<Expr<'a>> {
        let expr = self.level(0)?;
        Self::expect(expr, true)
    }

    fn expect(expr: Expr<'a>, truth: bool) -> Parsed<Expr<'a>> {
        if expr.is_truth == truth {
            return Ok(expr);
        }
        Err(if truth {
            Spanned::new(Kind::Type, expr.span, "a condition is needed here")
                .label("this is a number")
                .help("compare it with another number, as in `j != i`")
        } else {
            Spanned::new(Kind::Type, expr.span, "a number is needed here").label("this is a condition")
        })
    }

    fn level(&mut self, level: usize) -> Parsed<Expr<'a>> {
        let Some(operators) = LEVELS.get(level) else { return self.operand() };
        let first = self.level(level + 1)?;
        let mut rest: Vec<(Operator, Expr<'a>)> = Vec::new();
        let (mut first, mut span) = (first, Span::default());
        while let Token::Sign(sign) = *self.token() {
            // `-` directly before the name of an arc's action is not met here: an arc begins behind a name with its indices.
            let Some(&(_, operator)) = operators.iter().find(|(s, _)| *s == sign) else {
                let right = match sign {
                    "=" => Some("equality is written `==`"),
                    "&" => Some("and is written `&&`"),
                    "|" => Some("or is written `||`"),
                    _ => None,
                };
                if let Some(right) = right.filter(|_| level <= TRUTH) {
                    return Err(
                        Spanned::new(Kind::Syntax, self.span(), format!("`{sign}` cannot stand here")).label(right)
                    );
                }
                break;
            };
            if level == TRUTH && !rest.is_empty() {
                return Err(Spanned::new(Kind::Syntax, self.span(), "comparisons cannot follow each other")
                    .help("join two of them by `&&`"));
            }
            self.advance();
            let right = Self::expect(self.level(level + 1)?, level < TRUTH)?;
            if rest.is_empty() {
                first = Self::expect(first, level < TRUTH)?;
            }
            span = first.span.to(right.span);
            rest.push((operator, right));
        }
        if rest.is_empty() {
            return Ok(first);
        }
        Ok(Expr { node: Node::Chain(Box::new(first), rest), span, is_truth: level <= TRUTH })
    }

    fn operand(&mut self) -> Parsed<Expr<'a>> {
        let span = self.span();
        match self.token().clone() {
            Token::Number(digits) => {
                let number = digits
                    .parse::<i64>()
                    .map_err(|_| Spanned::new(Kind::Digits, span, "this number is past 64 bits"))?;
                self.advance();
                Ok(Expr { node: Node::Number(number), span, is_truth: false })
            }
            Token::Word(name) => {
                if name.contains('.') {
                    return Err(Spanned::new(Kind::Syntax, span, format!("`{name}` is not the name of a number")));
                }
                self.advance();
                Ok(Expr { node: Node::Name(name), span, is_truth: false })
            }
            Token::Sign(sign @ ("-" | "!" | "(")) => {
                self.advance();
                let expr = self.deeper(span, 1, |p| match sign {
                    "-" => {
                        let inner = Self::expect(p.operand()?, false)?;
                        let span = span.to(inner.span);
                        Ok(Expr { node: Node::Negative(Box::new(inner)), span, is_truth: false })
                    }
                    "!" => {
                        let inner = Self::expect(p.operand()?, true)?;
                        let span = span.to(inner.span);
                        Ok(Expr { node: Node::Not(Box::new(inner)), span, is_truth: true })
                    }
                    _ => {
                        let inner = p.level(0)?;
                        let end = p.sign(")", "`)`")?;
                        Ok(Expr { span: span.to(end), ..inner })
                    }
                })?;
                Ok(expr)
            }
            _ => Err(self.unexpected("a number")),
        }
    }
}
