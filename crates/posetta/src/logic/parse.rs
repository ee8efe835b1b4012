//! From text to formulas, in two steps.
//!
//! One grammar covers all logics: operator precedence first gives an untyped tree ([`Expr`]), because whether a
//! parenthesis opens a term or a formula is known only behind it. Then the tree is read as LTL, as CTL, as a condition
//! or as a term, and everything in the wrong place is reported at once. Precedence, tightest first: `* /`, `+ -`,
//! comparisons, unary operators, `U W R M S` (right), `&&`, `||`, `->` (right), `<->` (right).

use super::atom::{Arith, Atom, Compare, Condition, Spot, Term, Var};
use super::ctl::{Ctl, CtlBinary, CtlUnary, Path};
use super::lex::{Lexer, Token};
use super::ltl::{Ltl, LtlBinary, LtlUnary};
use crate::base::{Diagnostic, Kind, Number, Place, Span};

/// Deeper trees are refused: every walk over a formula is recursive. Long sums are such trees.
pub(super) const MAX_DEPTH: u32 = 500;

/// More parentheses and operators inside each other are refused. Less than the above, because the parser keeps several
/// frames for each; even unoptimised they fit the 2 MB of a thread.
const MAX_NESTING: u32 = 200;

/// Which words are operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Ltl,
    Ctl,
}

/// The reserved words of a dialect, beside those of every dialect.
impl Dialect {
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Ltl => &["X", "WX", "F", "G", "U", "W", "R", "M", "Y", "O", "H", "S"],
            Self::Ctl => &["EX", "AX", "EF", "AF", "EG", "AG", "E", "A", "U", "W", "R"],
        }
    }
}

const EVERYWHERE: [&str; 5] = ["true", "false", "on", "event", "process"];

/// Whether some logic reserves the word, so that a variable of that name is printed as `$"…"`.
pub(super) fn is_reserved(name: &str) -> bool {
    EVERYWHERE.contains(&name) || Dialect::Ltl.words().contains(&name) || Dialect::Ctl.words().contains(&name)
}

/// Reads an LTL formula.
///
/// # Errors
/// With the first mistake in its syntax, or all formulas and terms that stand in each other's place.
pub fn parse_ltl(source: &str) -> Result<Ltl, Vec<Diagnostic>> {
    ltl_in(source, Span::new(0, source.len()))
}

/// Reads a CTL formula.
///
/// # Errors
/// As for [`parse_ltl`].
pub fn parse_ctl(source: &str) -> Result<Ctl, Vec<Diagnostic>> {
    ctl_in(source, Span::new(0, source.len()))
}

pub(super) fn ltl_in(source: &str, span: Span) -> Result<Ltl, Vec<Diagnostic>> {
    let expr = Parser::new(source, span, Dialect::Ltl).and_then(Parser::whole).map_err(|e| vec![*e])?;
    let mut reader = Reader { source, mistakes: Vec::new() };
    let formula = reader.ltl(&expr);
    reader.finish(formula)
}

pub(super) fn ctl_in(source: &str, span: Span) -> Result<Ctl, Vec<Diagnostic>> {
    let expr = Parser::new(source, span, Dialect::Ctl).and_then(Parser::whole).map_err(|e| vec![*e])?;
    let mut reader = Reader { source, mistakes: Vec::new() };
    let formula = reader.ctl(&expr);
    reader.finish(formula)
}

struct Expr {
    kind: ExprKind,
    span: Span,
    depth: u32,
}

enum ExprKind {
    Number(Number),
    Text(String),
    Var(String),
    Bool(bool),
    On(Box<Expr>),
    Event(String),
    Process(String),
    Neg(Box<Expr>),
    Arith(Arith, Box<Expr>, Box<Expr>),
    Compare(Compare, Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Implies(Box<Expr>, Box<Expr>),
    Iff(Box<Expr>, Box<Expr>),
    LtlUnary(LtlUnary, Box<Expr>),
    LtlBinary(LtlBinary, Box<Expr>, Box<Expr>),
    CtlUnary(Path, CtlUnary, Box<Expr>),
    CtlBinary(Path, CtlBinary, Box<Expr>, Box<Expr>),
}

/// How tightly a binary operator binds, and on which side it may repeat.
#[derive(Clone, Copy)]
struct Power {
    left: u8,
    right: u8,
}

const UNARY: u8 = 12;
const NEGATION: u8 = 20;

#[derive(Clone, Copy)]
enum Infix {
    Iff,
    Implies,
    Or,
    And,
    Temporal(LtlBinary),
    Compare(Compare),
    Arith(Arith),
}

impl Infix {
    fn power(self) -> Power {
        let (left, right) = match self {
            Self::Iff => (2, 2),
            Self::Implies => (4, 4),
            Self::Or => (6, 7),
            Self::And => (8, 9),
            Self::Temporal(_) => (10, 10),
            Self::Compare(_) => (14, 15),
            Self::Arith(Arith::Add | Arith::Sub) => (16, 17),
            Self::Arith(Arith::Mul | Arith::Div) => (18, 19),
        };
        Power { left, right }
    }
}

/// A lexer that knows the words of its dialect.
type DialectLexer<'a> = Lexer<'a, Box<dyn Fn(&str) -> bool>>;

struct Parser<'a> {
    lexer: DialectLexer<'a>,
    dialect: Dialect,
    token: Token,
    span: Span,
    /// End of the last word taken.
    last_end: usize,
    depth: u32,
}

/// Boxed, because every level of nesting keeps room for one on the stack.
type Mistake = Box<Diagnostic>;
type Parsed = Result<Expr, Mistake>;

fn fail<T>(mistake: Diagnostic) -> Result<T, Mistake> {
    Err(Box::new(mistake))
}

impl<'a> Parser<'a> {
    fn new(source: &'a str, span: Span, dialect: Dialect) -> Result<Self, Mistake> {
        let paths = move |word: &str| !(EVERYWHERE.contains(&word) || dialect.words().contains(&word));
        let lexer = DialectLexer { source, at: span.start, end: span.end, paths: Box::new(paths) };
        let mut parser = Self { lexer, dialect, token: Token::End, span, last_end: span.start, depth: 0 };
        parser.advance()?;
        Ok(parser)
    }

    fn advance(&mut self) -> Result<Token, Mistake> {
        self.last_end = self.span.end;
        let (token, span) = self.lexer.next()?;
        // What is missing at the end is missing behind the last word, not behind comments and blank lines.
        self.span = if token == Token::End { Span::new(self.last_end, self.last_end) } else { span };
        Ok(std::mem::replace(&mut self.token, token))
    }

    fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Kind::Syntax, message).at(Place::in_text(self.lexer.source, span))
    }

    fn too_deep(&self, span: Span) -> Diagnostic {
        Diagnostic::new(Kind::Nesting, format!("this formula is nested more than {MAX_NESTING} levels deep"))
            .at(Place::in_text(self.lexer.source, Span::new(span.start, span.start + 1)))
            .help("split it into several properties")
    }

    fn expected(&self, what: &str) -> Diagnostic {
        self.error(self.span, format!("expected {what}, found {}", self.token.describe()))
            .label(format!("expected {what}"))
    }

    fn node(&self, kind: ExprKind, span: Span, children_depth: u32) -> Parsed {
        let depth = children_depth + 1;
        if depth > MAX_DEPTH {
            return fail(self.too_deep(span));
        }
        Ok(Expr { kind, span, depth })
    }

    fn whole(mut self) -> Parsed {
        if self.token == Token::End {
            return fail(self.error(self.span, "there is no formula").label("expected a formula"));
        }
        let expr = self.expr(0)?;
        if self.token == Token::End {
            return Ok(expr);
        }
        if self.token == Token::Sign(")") {
            return fail(self.error(self.span, "this `)` closes nothing").label("no `(` before it is open"));
        }
        fail(self.after_operand(&expr))
    }

    /// Something follows a complete formula: say which operator it may be missing.
    fn after_operand(&self, expr: &Expr) -> Diagnostic {
        let error = self.expected("an operator or the end of the formula");
        let glued = match &expr.kind {
            ExprKind::Var(name) => self.split_operators(name),
            ExprKind::Not(inner) => match &inner.kind {
                ExprKind::Var(name) => self.split_operators(name),
                _ => None,
            },
            _ => None,
        };
        match (glued, &self.token) {
            (Some(apart), _) => error.help(format!("operators are separate words: write `{apart}`")),
            _ if self.dialect == Dialect::Ltl && self.is_quantified(expr) => error.help(
                "path quantifiers belong to CTL: write `ctl` (on the command line --ctl), or drop them, as in `G p`",
            ),
            _ if self.dialect == Dialect::Ctl && self.lacks_quantifier(expr) => {
                error.help("in CTL every temporal operator has a path quantifier: AG, EF, A[p U q], …")
            }
            (None, Token::Sign("[")) => error.help("an index is a plain number right behind the name, as in state[0]"),
            (None, Token::Sign(".")) => error.help("a name with other characters is written $\"name\""),
            _ => error,
        }
    }

    /// Whether an operator of CTL stands before the word in hand.
    fn is_quantified(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Var(name) if name.len() == 2 && Dialect::Ctl.words().contains(&name.as_str()))
    }

    /// Whether an operator of LTL stands before or at the word in hand.
    fn lacks_quantifier(&self, expr: &Expr) -> bool {
        let operator = |word: &str| Dialect::Ltl.words().contains(&word);
        matches!(&expr.kind, ExprKind::Var(name) if operator(name))
            || matches!(&self.token, Token::Name(word) if operator(word))
    }

    /// `GF` as `G F`: a name made of operators only was probably meant as such.
    fn split_operators(&self, name: &str) -> Option<String> {
        let unary: &[&str] = match self.dialect {
            Dialect::Ltl => &["WX", "X", "F", "G", "Y", "O", "H"],
            Dialect::Ctl => &["EX", "AX", "EF", "AF", "EG", "AG"],
        };
        let (mut rest, mut words) = (name, Vec::new());
        while !rest.is_empty() {
            let word = unary.iter().find(|w| rest.starts_with(**w))?;
            words.push(*word);
            rest = &rest[word.len()..];
        }
        (words.len() > 1).then(|| words.join(" "))
    }

    fn expr(&mut self, min: u8) -> Parsed {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return fail(self.too_deep(self.span));
        }
        let mut left = self.prefix()?;
        while let Some(infix) = self.infix() {
            let power = infix.power();
            if power.left < min {
                break;
            }
            left = match infix {
                Infix::And | Infix::Or => self.nary(left, infix)?,
                _ => self.binary(left, infix)?,
            };
        }
        self.depth -= 1;
        Ok(left)
    }

    fn infix(&self) -> Option<Infix> {
        Some(match &self.token {
            Token::Sign(sign) => match *sign {
                "<->" => Infix::Iff,
                "->" => Infix::Implies,
                "||" => Infix::Or,
                "&&" => Infix::And,
                "==" | "=" => Infix::Compare(Compare::Eq),
                "!=" => Infix::Compare(Compare::Ne),
                "<" => Infix::Compare(Compare::Lt),
                "<=" => Infix::Compare(Compare::Le),
                ">" => Infix::Compare(Compare::Gt),
                ">=" => Infix::Compare(Compare::Ge),
                "+" => Infix::Arith(Arith::Add),
                "-" => Infix::Arith(Arith::Sub),
                "*" => Infix::Arith(Arith::Mul),
                "/" => Infix::Arith(Arith::Div),
                _ => return None,
            },
            Token::Name(word) if self.dialect == Dialect::Ltl => Infix::Temporal(match word.as_str() {
                "U" => LtlBinary::Until,
                "W" => LtlBinary::WeakUntil,
                "R" => LtlBinary::Release,
                "M" => LtlBinary::StrongRelease,
                "S" => LtlBinary::Since,
                _ => return None,
            }),
            _ => return None,
        })
    }

    fn nary(&mut self, first: Expr, infix: Infix) -> Parsed {
        let mut depth = first.depth;
        let start = first.span;
        let mut parts = vec![first];
        while self.infix().is_some_and(|i| i.power().left == infix.power().left) {
            self.advance()?;
            let part = self.expr(infix.power().right)?;
            depth = depth.max(part.depth);
            parts.push(part);
        }
        let span = Span::new(start.start, self.last_end);
        let kind = if matches!(infix, Infix::And) { ExprKind::And(parts) } else { ExprKind::Or(parts) };
        self.node(kind, span, depth)
    }

    fn binary(&mut self, left: Expr, infix: Infix) -> Parsed {
        self.advance()?;
        let right = self.expr(infix.power().right)?;
        if matches!(infix, Infix::Compare(_)) && matches!(self.infix(), Some(Infix::Compare(_))) {
            return fail(
                self.error(self.span, "comparisons do not chain")
                    .label("a second comparison")
                    .help("write `a < b && b < c`"),
            );
        }
        let span = left.span.to(right.span);
        let depth = left.depth.max(right.depth);
        let (l, r) = (Box::new(left), Box::new(right));
        let kind = match infix {
            Infix::Iff => ExprKind::Iff(l, r),
            Infix::Implies => ExprKind::Implies(l, r),
            Infix::Temporal(op) => ExprKind::LtlBinary(op, l, r),
            Infix::Compare(op) => ExprKind::Compare(op, l, r),
            Infix::Arith(op) => ExprKind::Arith(op, l, r),
            Infix::And | Infix::Or => unreachable!("read by nary"),
        };
        self.node(kind, span, depth)
    }

    fn prefix(&mut self) -> Parsed {
        let start = self.span;
        match self.token.clone() {
            Token::Number(n) => {
                self.advance()?;
                self.node(ExprKind::Number(n), start, 0)
            }
            Token::Text(t) => {
                self.advance()?;
                self.node(ExprKind::Text(t), start, 0)
            }
            Token::Quoted(name) => {
                self.advance()?;
                self.node(ExprKind::Var(name), start, 0)
            }
            Token::Name(word) => self.word(&word),
            Token::Sign("(") => {
                self.advance()?;
                let inner = self.expr(0)?;
                self.close(")", start)?;
                Ok(Expr { span: Span::new(start.start, self.last_end), ..inner })
            }
            Token::Sign("!") => self.unary(UNARY, |e| ExprKind::Not(Box::new(e))),
            Token::Sign("-") => {
                self.advance()?;
                let operand = self.expr(NEGATION)?;
                let (span, depth) = (start.to(operand.span), operand.depth);
                let kind = match operand.kind {
                    // A negative literal, so that it prints as it reads.
                    ExprKind::Number(n) if operand.span.start == start.end => match n.neg() {
                        Ok(negative) => ExprKind::Number(negative),
                        Err(_) => return fail(self.error(span, "this number is too large")),
                    },
                    kind => ExprKind::Neg(Box::new(Expr { kind, span: operand.span, depth })),
                };
                self.node(kind, span, depth)
            }
            _ => fail(self.expected("a formula")),
        }
    }

    fn unary(&mut self, power: u8, build: impl FnOnce(Expr) -> ExprKind) -> Parsed {
        let start = self.span;
        self.advance()?;
        let operand = self.expr(power)?;
        let (span, depth) = (start.to(operand.span), operand.depth);
        self.node(build(operand), span, depth)
    }

    fn close(&mut self, sign: &'static str, opened: Span) -> Result<(), Mistake> {
        if self.token == Token::Sign(sign) {
            self.advance()?;
            return Ok(());
        }
        let place = Place::in_text(self.lexer.source, opened);
        let open = if sign == ")" { "(" } else { "[" };
        fail(
            self.error(self.span, format!("expected `{sign}`, found {}", self.token.describe()))
                .label(format!("expected `{sign}` for the `{open}` in column {}", place.column)),
        )
    }

    fn word(&mut self, word: &str) -> Parsed {
        let start = self.span;
        match word {
            "true" | "false" => {
                self.advance()?;
                return self.node(ExprKind::Bool(word == "true"), start, 0);
            }
            "on" => {
                self.advance()?;
                let open = self.open_argument("on")?;
                let inner = self.expr(0)?;
                self.close(")", open)?;
                let depth = inner.depth;
                return self.node(ExprKind::On(Box::new(inner)), Span::new(start.start, self.last_end), depth);
            }
            "event" | "process" => {
                self.advance()?;
                let open = self.open_argument(word)?;
                let name = match self.advance()? {
                    Token::Name(name) | Token::Quoted(name) | Token::Text(name) => name,
                    Token::Number(n) => n.to_string(),
                    other => {
                        return fail(
                            self.error(
                                Span::new(open.end, self.last_end),
                                format!("expected a name, found {}", other.describe()),
                            )
                            .label(format!(
                                "expected the name of {}",
                                if word == "event" { "an event" } else { "a process" }
                            ))
                            .help("an odd name is written in double quotes"),
                        );
                    }
                };
                if self.token != Token::Sign(")") {
                    return fail(self.expected("`)`").help("a name with other characters is written in double quotes"));
                }
                self.advance()?;
                let kind = if word == "event" { ExprKind::Event(name) } else { ExprKind::Process(name) };
                return self.node(kind, Span::new(start.start, self.last_end), 0);
            }
            _ => {}
        }
        match self.dialect {
            Dialect::Ltl => self.ltl_word(word),
            Dialect::Ctl => self.ctl_word(word),
        }
    }

    fn open_argument(&mut self, of: &str) -> Result<Span, Mistake> {
        if self.token == Token::Sign("(") {
            let open = self.span;
            self.advance()?;
            return Ok(open);
        }
        fail(self.expected(&format!("`(` after `{of}`")).help(format!("a variable called {of} is written $\"{of}\"")))
    }

    fn ltl_word(&mut self, word: &str) -> Parsed {
        let op = match word {
            "X" => LtlUnary::Next,
            "WX" => LtlUnary::WeakNext,
            "F" => LtlUnary::Finally,
            "G" => LtlUnary::Globally,
            "Y" => LtlUnary::Yesterday,
            "O" => LtlUnary::Once,
            "H" => LtlUnary::Historically,
            "U" | "W" | "R" | "M" | "S" => {
                return fail(
                    self.error(self.span, format!("`{word}` needs a formula on its left"))
                        .label("expected a formula")
                        .help(format!("a variable called {word} is written $\"{word}\"")),
                );
            }
            "E" | "A" if self.lexer.source[self.span.end..].starts_with('[') => {
                return fail(
                    self.error(self.span, format!("`{word}[…]` belongs to CTL, and this is LTL"))
                        .label("expected an LTL formula")
                        .help("LTL speaks of every run by itself; for CTL write `ctl` (on the command line --ctl)"),
                );
            }
            _ => return self.variable(word),
        };
        self.unary(UNARY, |e| ExprKind::LtlUnary(op, Box::new(e)))
    }

    fn ctl_word(&mut self, word: &str) -> Parsed {
        let (path, op) = match word {
            "EX" => (Path::Some, CtlUnary::Next),
            "AX" => (Path::All, CtlUnary::Next),
            "EF" => (Path::Some, CtlUnary::Finally),
            "AF" => (Path::All, CtlUnary::Finally),
            "EG" => (Path::Some, CtlUnary::Globally),
            "AG" => (Path::All, CtlUnary::Globally),
            "E" => return self.quantified(Path::Some),
            "A" => return self.quantified(Path::All),
            "U" | "W" | "R" => {
                return fail(
                    self.error(self.span, format!("`{word}` stands only inside `A[…]` or `E[…]`"))
                        .label("expected a formula")
                        .help(format!("a variable called {word} is written $\"{word}\"")),
                );
            }
            _ => return self.variable(word),
        };
        self.unary(UNARY, |e| ExprKind::CtlUnary(path, op, Box::new(e)))
    }

    fn quantified(&mut self, path: Path) -> Parsed {
        let start = self.span;
        self.advance()?;
        if self.token != Token::Sign("[") {
            return fail(self.expected("`[` after the path quantifier").help("as in A[p U q]"));
        }
        let open = self.span;
        self.advance()?;
        let left = self.expr(0)?;
        let op = match &self.token {
            Token::Name(word) if word == "U" => CtlBinary::Until,
            Token::Name(word) if word == "W" => CtlBinary::WeakUntil,
            Token::Name(word) if word == "R" => CtlBinary::Release,
            _ => return fail(self.expected("`U`, `W` or `R`")),
        };
        self.advance()?;
        let right = self.expr(0)?;
        self.close("]", open)?;
        let depth = left.depth.max(right.depth);
        let span = Span::new(start.start, self.last_end);
        self.node(ExprKind::CtlBinary(path, op, Box::new(left), Box::new(right)), span, depth)
    }

    fn variable(&mut self, name: &str) -> Parsed {
        let span = self.span;
        self.advance()?;
        let expr = self.node(ExprKind::Var(name.to_owned()), span, 0)?;
        // Two operands in a row; said here because behind an open parenthesis `close` would only ask for `)`.
        if matches!(
            self.token,
            Token::Name(_) | Token::Quoted(_) | Token::Number(_) | Token::Text(_) | Token::Sign("!")
        ) && self.infix().is_none()
            && !self.is_ctl_connective()
        {
            return fail(self.after_operand(&expr));
        }
        Ok(expr)
    }

    /// `U`, `W`, `R` between the operands of `A[…]`.
    fn is_ctl_connective(&self) -> bool {
        self.dialect == Dialect::Ctl && matches!(&self.token, Token::Name(w) if matches!(w.as_str(), "U" | "W" | "R"))
    }
}

/// Reads an untyped tree as what its place demands.
struct Reader<'a> {
    source: &'a str,
    mistakes: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn finish<T>(self, value: T) -> Result<T, Vec<Diagnostic>> {
        if self.mistakes.is_empty() { Ok(value) } else { Err(self.mistakes) }
    }

    fn mistake(&mut self, kind: Kind, span: Span, message: &str, label: &str, help: Option<&str>) {
        let mut d = Diagnostic::new(kind, message).at(Place::in_text(self.source, span)).label(label);
        d.help = help.map(str::to_owned);
        self.mistakes.push(d);
    }

    fn ltl(&mut self, expr: &Expr) -> Ltl {
        match &expr.kind {
            ExprKind::Bool(true) => Ltl::True,
            ExprKind::Bool(false) => Ltl::False,
            ExprKind::On(inner) => Ltl::Atom(Atom::On(self.condition(inner))),
            ExprKind::Event(name) => Ltl::Atom(Atom::Event(name.clone())),
            ExprKind::Process(name) => Ltl::Atom(Atom::Process(name.clone())),
            ExprKind::Not(e) => Ltl::Not(Box::new(self.ltl(e))),
            ExprKind::And(es) => Ltl::And(es.iter().map(|e| self.ltl(e)).collect()),
            ExprKind::Or(es) => Ltl::Or(es.iter().map(|e| self.ltl(e)).collect()),
            ExprKind::Implies(a, b) => Ltl::Implies(Box::new(self.ltl(a)), Box::new(self.ltl(b))),
            ExprKind::Iff(a, b) => Ltl::Iff(Box::new(self.ltl(a)), Box::new(self.ltl(b))),
            ExprKind::LtlUnary(op, e) => Ltl::Unary(*op, Box::new(self.ltl(e))),
            ExprKind::LtlBinary(op, a, b) => Ltl::Binary(*op, Box::new(self.ltl(a)), Box::new(self.ltl(b))),
            _ => Ltl::Atom(Atom::State(self.condition(expr))),
        }
    }

    fn ctl(&mut self, expr: &Expr) -> Ctl {
        match &expr.kind {
            ExprKind::Bool(true) => Ctl::True,
            ExprKind::Bool(false) => Ctl::False,
            ExprKind::On(_) | ExprKind::Event(_) | ExprKind::Process(_) => {
                self.mistake(
                    Kind::Unsupported,
                    expr.span,
                    "CTL speaks of cuts, and a cut has no event",
                    "`on`, `event` and `process` belong to LTL",
                    Some("use a variable that the event assigns, or write the property in LTL"),
                );
                Ctl::False
            }
            ExprKind::Not(e) => Ctl::Not(Box::new(self.ctl(e))),
            ExprKind::And(es) => Ctl::And(es.iter().map(|e| self.ctl(e)).collect()),
            ExprKind::Or(es) => Ctl::Or(es.iter().map(|e| self.ctl(e)).collect()),
            ExprKind::Implies(a, b) => Ctl::Implies(Box::new(self.ctl(a)), Box::new(self.ctl(b))),
            ExprKind::Iff(a, b) => Ctl::Iff(Box::new(self.ctl(a)), Box::new(self.ctl(b))),
            ExprKind::CtlUnary(path, op, e) => Ctl::Unary(*path, *op, Box::new(self.ctl(e))),
            ExprKind::CtlBinary(path, op, a, b) => {
                Ctl::Binary(*path, *op, Box::new(self.ctl(a)), Box::new(self.ctl(b)))
            }
            _ => Ctl::Atom(Atom::State(self.condition(expr))),
        }
    }

    fn condition(&mut self, expr: &Expr) -> Condition {
        match &expr.kind {
            ExprKind::Bool(true) => Condition::True,
            ExprKind::Bool(false) => Condition::False,
            ExprKind::Compare(op, a, b) => {
                let (left, right) = (self.term(a), self.term(b));
                if op.is_order() {
                    for (side, term) in [(a, &left), (b, &right)] {
                        if matches!(term, Term::Text(..)) {
                            self.string_mistake(side.span, "strings have no order: only `==` and `!=` compare them");
                        }
                    }
                }
                Condition::Compare(*op, left, right)
            }
            ExprKind::Not(e) => Condition::Not(Box::new(self.condition(e))),
            ExprKind::And(es) => Condition::And(es.iter().map(|e| self.condition(e)).collect()),
            ExprKind::Or(es) => Condition::Or(es.iter().map(|e| self.condition(e)).collect()),
            ExprKind::Implies(a, b) => Condition::Implies(Box::new(self.condition(a)), Box::new(self.condition(b))),
            ExprKind::Iff(a, b) => Condition::Iff(Box::new(self.condition(a)), Box::new(self.condition(b))),
            ExprKind::Text(_) => {
                self.string_mistake(expr.span, "a string by itself is neither true nor false");
                Condition::False
            }
            ExprKind::Number(_) | ExprKind::Var(_) | ExprKind::Neg(_) | ExprKind::Arith(..) => {
                Condition::Nonzero(self.term(expr))
            }
            _ => {
                self.mistake(
                    Kind::Type,
                    expr.span,
                    "a condition on one state stands here",
                    "temporal operators and event atoms cannot stand inside `on(…)`",
                    None,
                );
                Condition::False
            }
        }
    }

    fn string_mistake(&mut self, span: Span, message: &str) {
        self.mistake(Kind::Type, span, message, "this is a string", None);
    }

    fn term(&mut self, expr: &Expr) -> Term {
        match &expr.kind {
            ExprKind::Number(n) => Term::Number(n.clone()),
            ExprKind::Bool(b) => Term::Number(Number::from(i64::from(*b))),
            ExprKind::Text(t) => Term::Text(t.clone(), Spot(expr.span)),
            ExprKind::Var(name) => Term::Var(Var { name: name.clone(), spot: Spot(expr.span) }),
            ExprKind::Neg(e) => Term::Neg(Box::new(self.number(e))),
            ExprKind::Arith(op, a, b) => Term::Binary(*op, Box::new(self.number(a)), Box::new(self.number(b))),
            _ => {
                self.mistake(
                    Kind::Type,
                    expr.span,
                    "a number or a string is needed here",
                    "this is a formula",
                    Some("to say that two formulas agree, write `<->`"),
                );
                Term::Number(Number::ZERO)
            }
        }
    }

    fn number(&mut self, expr: &Expr) -> Term {
        let term = self.term(expr);
        if matches!(term, Term::Text(..)) {
            self.string_mistake(expr.span, "there is no arithmetic on strings");
        }
        term
    }
}

#[cfg(test)]
mod tests;
