//! The grammar of all logics: words to an untyped tree, by operator precedence.

use super::expr::{Expr, ExprKind, Name, Piece, TestExpr};
use super::psl::Mode;
use super::{Dialect, EVERYWHERE, MAX_DEPTH, MAX_NESTING};
use crate::atom::{Arith, Compare};
use crate::ctl::{CtlBinary, CtlUnary, Path};
use crate::flavour::Flavour;
use crate::lex::{Lexer, Token};
use crate::ltl::{LtlBinary, LtlUnary};
use crate::pattern::{Pattern, Scope};
use posetta_base::{Diagnostic, Kind, Place, Span};

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

pub(crate) struct Parser<'a> {
    lexer: DialectLexer<'a>,
    pub(super) dialect: Dialect,
    pub(crate) token: Token,
    pub(crate) span: Span,
    /// End of the last word taken.
    pub(crate) last_end: usize,
    depth: u32,
    /// The words of scopes that end the formula in hand, the innermost last.
    pub(super) stops: Vec<&'static str>,
    /// Whether `&` joins bits to a list here.
    pub(super) joins_bits: bool,
    /// Whether a formula or a SERE is in hand.
    pub(super) mode: Mode,
}

/// The name, if it has no index to work out.
pub(super) fn one_word(pieces: &[Piece]) -> Option<&str> {
    match pieces {
        [Piece::Text(name)] => Some(name),
        _ => None,
    }
}

/// Boxed, because every level of nesting keeps room for one on the stack.
pub(crate) type Mistake = Box<Diagnostic>;
pub(super) type Parsed = Result<Expr, Mistake>;

pub(crate) fn fail<T>(mistake: Diagnostic) -> Result<T, Mistake> {
    Err(Box::new(mistake))
}

impl<'a> Parser<'a> {
    pub(crate) fn new(source: &'a str, span: Span, dialect: Dialect) -> Result<Self, Mistake> {
        let ranged = move |word: &str| dialect.is_psl() && super::surface::WITH_RANGES.contains(&word);
        let paths = move |word: &str| !(EVERYWHERE.contains(&word) || dialect.words().contains(&word) || ranged(word));
        let (at, end, psl) = (span.start, span.end, dialect.flavour());
        let lexer = DialectLexer { source, at, end, paths: Box::new(paths), psl, literals: None };
        let mut parser = Self {
            lexer,
            dialect,
            token: Token::End,
            span,
            last_end: span.start,
            depth: 0,
            stops: Vec::new(),
            joins_bits: false,
            mode: Mode::Formula,
        };
        parser.advance()?;
        Ok(parser)
    }

    /// Reads the literals of an HDL as well.
    pub(crate) fn with_literals(mut self, flavour: Flavour) -> Self {
        self.lexer.literals = Some(flavour);
        self
    }

    pub(crate) fn advance(&mut self) -> Result<Token, Mistake> {
        self.last_end = self.span.end;
        let (token, span) = self.lexer.next()?;
        // What is missing at the end is missing behind the last word, not behind comments and blank lines.
        self.span = if token == Token::End { Span::new(self.last_end, self.last_end) } else { span };
        Ok(std::mem::replace(&mut self.token, token))
    }

    pub(crate) fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Kind::Syntax, message).at(Place::in_text(self.lexer.source, span))
    }

    pub(super) fn too_deep(&self, span: Span) -> Diagnostic {
        Diagnostic::new(Kind::Nesting, format!("this formula is nested more than {MAX_NESTING} levels deep"))
            .at(Place::in_text(self.lexer.source, Span::new(span.start, span.start + 1)))
            .help("split it into several properties")
    }

    pub(crate) fn expected(&self, what: &str) -> Diagnostic {
        self.error(self.span, format!("expected {what}, found {}", self.token.describe()))
            .label(format!("expected {what}"))
    }

    pub(super) fn node(&self, kind: ExprKind, span: Span, children_depth: u32) -> Parsed {
        let depth = children_depth + 1;
        if depth > MAX_DEPTH {
            return fail(self.too_deep(span));
        }
        Ok(Expr { kind, span, depth })
    }

    /// The whole stretch as one formula.
    pub(crate) fn whole(mut self) -> Parsed {
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
            ExprKind::Word(pieces) => one_word(pieces).and_then(|name| self.split_operators(name)),
            ExprKind::Not(inner) => match &inner.kind {
                ExprKind::Word(pieces) => one_word(pieces).and_then(|name| self.split_operators(name)),
                _ => None,
            },
            _ => None,
        };
        match (glued, &self.token) {
            (Some(apart), _) => error.help(format!("operators are separate words: write `{apart}`")),
            _ if self.dialect == Dialect::Ltl && self.is_detection(expr) => error.help(
                "`possibly` and `definitely` belong to CTL: write `ctl` (on the command line --ctl); in LTL `F p` says that every order comes through p",
            ),
            _ if self.dialect == Dialect::Ltl && self.is_quantified(expr) => error.help(
                "path quantifiers belong to CTL: write `ctl` (on the command line --ctl), or drop them, as in `G p`",
            ),
            _ if self.dialect == Dialect::Ltl && self.psl_word_of(expr).is_some() => {
                error.help(self.psl_word_of(expr).unwrap_or_default())
            }
            _ if self.dialect.is_psl() && self.is_quantified(expr) => error.help(
                "this is an operator of CTL, PSL's optional branching extension: write `ctl` (on the command line --ctl)",
            ),
            _ if self.dialect == Dialect::Ctl && self.lacks_quantifier(expr) => {
                error.help("in CTL every temporal operator has a path quantifier: AG, EF, A[p U q], …")
            }
            _ if self.dialect.is_psl() && self.psl_advice().is_some() => {
                error.help(self.psl_advice().unwrap_or_default())
            }
            _ if self.advice_behind(expr).is_some() => error.help(self.advice_behind(expr).unwrap_or_default()),
            (None, Token::Sign("[")) => error.help("an index stands right behind the name, as in state[0]"),
            (None, Token::Sign(".")) => error.help("a name with other characters is written $\"name\""),
            _ => error,
        }
    }

    /// Whether an operator of CTL on one formula stands before the word in hand.
    fn is_quantified(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Word(pieces) if one_word(pieces).is_some_and(|name| name.len() > 1 && Dialect::Ctl.words().contains(&name)))
    }

    /// Whether it is one of the two that are words.
    fn is_detection(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Word(pieces) if matches!(one_word(pieces), Some("possibly" | "definitely")))
    }

    /// What to write in LTL for an operator of PSL that stands before the word in hand, or is it.
    fn psl_word_of(&self, expr: &Expr) -> Option<String> {
        let word = match (&expr.kind, &self.token) {
            (ExprKind::Word(pieces), _) if one_word(pieces).is_some_and(|w| super::surface::in_ltl(w).is_some()) => {
                one_word(pieces)?
            }
            (_, Token::Name(word)) => word,
            _ => return None,
        };
        let own = super::surface::in_ltl(word)?;
        Some(format!("`{word}` is an operator of PSL: write `psl` (on the command line --psl), or in LTL {own}"))
    }

    /// Whether an operator of LTL stands before or at the word in hand.
    fn lacks_quantifier(&self, expr: &Expr) -> bool {
        let operator = |word: &str| Dialect::Ltl.words().contains(&word);
        matches!(&expr.kind, ExprKind::Word(pieces) if one_word(pieces).is_some_and(operator))
            || matches!(&self.token, Token::Name(word) if operator(word))
    }

    /// `GF` as `G F`: a name made of operators only was probably meant as such.
    fn split_operators(&self, name: &str) -> Option<String> {
        let unary = self.dialect.unary();
        let (mut rest, mut words) = (name, Vec::new());
        while !rest.is_empty() {
            let word = unary.iter().find(|w| rest.starts_with(**w))?;
            words.push(*word);
            rest = &rest[word.len()..];
        }
        (words.len() > 1).then(|| words.join(" "))
    }

    /// One level deeper.
    pub(super) fn enter(&mut self) -> Result<(), Mistake> {
        self.depth += 1;
        if self.depth > MAX_NESTING { fail(self.too_deep(self.span)) } else { Ok(()) }
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn expr(&mut self, min: u8) -> Parsed {
        if self.dialect.is_psl() {
            return self.psl_expr(min);
        }
        self.enter()?;
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
        self.leave();
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

    pub(super) fn prefix(&mut self) -> Parsed {
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
            Token::Key(name) => {
                self.advance()?;
                // SystemVerilog's functions: `$rose(a)`.
                if self.dialect.is_psl() && self.token == Token::Sign("(") && self.span.start == start.end {
                    return self.call(&format!("${name}"), start);
                }
                self.node(ExprKind::Key(name), start, 0)
            }
            Token::Name(word) => self.word(&word),
            Token::Sign("(") => {
                self.advance()?;
                let (stops, mode) = (std::mem::take(&mut self.stops), self.mode);
                self.mode = mode.inside();
                let inner = self.expr(0)?;
                (self.stops, self.mode) = (stops, mode);
                self.close(")", start)?;
                Ok(Expr { span: Span::new(start.start, self.last_end), ..inner })
            }
            Token::Sign("!") => self.negation(),
            Token::Sign("-") => {
                self.advance()?;
                let operand = self.expr(self.minus_power())?;
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
            _ if self.dialect.is_psl() => self.psl_prefix(),
            Token::Sign(sign @ ("[" | "<"))
                if self.dialect == Dialect::Ltl
                    && self.source_behind().starts_with(if sign == "[" { ']' } else { '>' }) =>
            {
                let (word, own) = if sign == "[" { ("[]", "G") } else { ("<>", "F") };
                let whole = Span::new(start.start, start.end + 1);
                fail(
                    self.error(whole, format!("`{word}` is not an operator here"))
                        .label("expected a formula")
                        .help(format!("write `{own}`")),
                )
            }
            _ => fail(self.advised(self.expected("a formula"))),
        }
    }

    fn negation_power(&self) -> u8 {
        if self.dialect.is_psl() { self.not_power() } else { UNARY }
    }

    /// `!f`
    fn negation(&mut self) -> Parsed {
        let start = self.span;
        self.advance()?;
        let operand = self.expr(self.negation_power())?;
        let operand = if self.dialect.is_psl() { self.marked_strong(operand)? } else { operand };
        let (span, depth) = (start.to(operand.span), operand.depth);
        self.node(ExprKind::Not(Box::new(operand)), span, depth)
    }

    fn minus_power(&self) -> u8 {
        if self.dialect.is_psl() { super::psl::MINUS } else { NEGATION }
    }

    /// An infix operator right behind an operator that is a word: that was meant as a variable. A minus may begin a term, and
    /// the temporal ones say better what they lack.
    pub(super) fn demand_operand(&self, word: &str) -> Result<(), Mistake> {
        match self.infix() {
            None | Some(Infix::Arith(Arith::Sub) | Infix::Temporal(_)) => Ok(()),
            Some(_) => {
                fail(self.expected("a formula").help(format!("a variable called {word} is written $\"{word}\"")))
            }
        }
    }

    pub(super) fn unary(&mut self, power: u8, build: impl FnOnce(Expr) -> ExprKind) -> Parsed {
        let start = self.span;
        let operator = self.advance()?;
        if let Token::Name(word) = &operator {
            self.demand_operand(word)?;
        }
        let operand = self.expr(power)?;
        let (span, depth) = (start.to(operand.span), operand.depth);
        self.node(build(operand), span, depth)
    }

    pub(super) fn close(&mut self, sign: &'static str, opened: Span) -> Result<(), Mistake> {
        if self.token == Token::Sign(sign) {
            self.advance()?;
            return Ok(());
        }
        let place = Place::in_text(self.lexer.source, opened);
        let open = &self.lexer.source[opened.start..opened.end];
        let mistake = self
            .error(self.span, format!("expected `{sign}`, found {}", self.token.describe()))
            .label(format!("expected `{sign}` for the `{open}` in column {}", place.column));
        fail(match self.advice_inside() {
            Some(help) => mistake.help(help),
            None => mistake,
        })
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
                let mode = std::mem::replace(&mut self.mode, Mode::Formula);
                let inner = self.expr(0)?;
                self.mode = mode;
                self.close(")", open)?;
                let depth = inner.depth;
                return self.node(ExprKind::On(Box::new(inner)), Span::new(start.start, self.last_end), depth);
            }
            "event" | "process" => {
                self.advance()?;
                let open = self.open_argument(word)?;
                let name = match self.token.clone() {
                    Token::Name(_) => Some(Name::Word(self.pieces()?)),
                    Token::Quoted(name) | Token::Text(name) => {
                        self.advance()?;
                        Some(Name::Given(name))
                    }
                    Token::Number(n) => {
                        self.advance()?;
                        Some(Name::Given(n.to_string()))
                    }
                    Token::Key(name) if word == "process" => {
                        let span = self.span;
                        self.advance()?;
                        Some(Name::Key(name, span))
                    }
                    Token::Sign("*") if word == "event" => {
                        self.advance()?;
                        None
                    }
                    other => {
                        return fail(
                            self.error(
                                Span::new(open.end, self.span.end),
                                format!("expected a name, found {}", other.describe()),
                            )
                            .label(format!(
                                "expected the name of {}",
                                if word == "event" { "an event, or `*`" } else { "a process" }
                            ))
                            .help("an odd name is written in double quotes"),
                        );
                    }
                };
                let (mut tests, mut depth) = (Vec::new(), 0);
                while word == "event" && self.token == Token::Sign(",") {
                    self.advance()?;
                    let test = self.test()?;
                    depth = depth.max(test.with.depth);
                    tests.push(test);
                }
                if self.token != Token::Sign(")") {
                    let help = match tests.is_empty() {
                        true => "a name with other characters is written in double quotes",
                        false => "conditions on attributes are separated by commas",
                    };
                    return fail(self.expected("`)`").help(help));
                }
                self.advance()?;
                let kind = match name {
                    Some(name) if word == "process" => ExprKind::Process(name),
                    name => ExprKind::Event(name, tests),
                };
                return self.node(kind, Span::new(start.start, self.last_end), depth);
            }
            _ => {}
        }
        match self.dialect {
            Dialect::Ltl => self.ltl_word(word),
            Dialect::Ctl => self.ctl_word(word),
            Dialect::Psl(_) => self.psl_word(word),
        }
    }

    /// `attribute == value`
    fn test(&mut self) -> Result<TestExpr, Mistake> {
        const LIKE: &str = "as in event(put, key == \"a\")";
        let start = self.span;
        let attribute = match self.token.clone() {
            Token::Name(_) => Name::Word(self.pieces()?),
            Token::Quoted(name) => {
                self.advance()?;
                Name::Given(name)
            }
            _ => return fail(self.expected("the name of an attribute").help(LIKE)),
        };
        let span = Span::new(start.start, self.last_end);
        let op = match self.infix() {
            Some(Infix::Compare(op)) => op,
            _ => return fail(self.expected("a comparison of the attribute").help(LIKE)),
        };
        self.advance()?;
        let mode = std::mem::replace(&mut self.mode, Mode::Formula);
        let with = self.prefix()?;
        self.mode = mode;
        Ok(TestExpr { attribute, span, op, with })
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
            // The words of predicate detection (Cooper, Marzullo 1991).
            "EF" | "possibly" => (Path::Some, CtlUnary::Finally),
            "AF" | "definitely" => (Path::All, CtlUnary::Finally),
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
            let help = match &self.token {
                Token::Name(word) if matches!(word.as_str(), "G" | "F" | "X") => "operators are one word: AG, EF, AX",
                _ => "as in A[p U q]",
            };
            return fail(self.expected("`[` after the path quantifier").help(help));
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

    /// A name with its path and indices, as far as it goes without a blank.
    pub(crate) fn pieces(&mut self) -> Result<Vec<Piece>, Mistake> {
        let Token::Name(start) = self.advance()? else { unreachable!("called at a name") };
        let mut pieces = vec![Piece::Text(start)];
        while self.token == Token::Sign("[") && self.span.start == self.last_end {
            let open = self.span;
            self.advance()?;
            let index = self.index()?;
            if self.dialect.is_psl() && self.token == Token::Sign(":") {
                self.advance()?;
                pieces.push(Piece::Slice(index, self.index()?));
            } else {
                pieces.push(Piece::Index(index));
            }
            self.close("]", open)?;
            let dotted = self.token == Token::Sign(".") && self.span.start == self.last_end;
            let rest = if dotted { self.dotted()? } else { None };
            if let Some(rest) = rest {
                pieces.push(Piece::Text(rest));
            }
        }
        Ok(pieces)
    }

    /// `.ident` and what follows it, behind an index.
    fn dotted(&mut self) -> Result<Option<String>, Mistake> {
        self.advance()?;
        match &self.token {
            Token::Name(word) if self.span.start == self.last_end => {
                let rest = format!(".{word}");
                self.advance()?;
                Ok(Some(rest))
            }
            _ => fail(self.expected("a name behind the dot").help("a name with other characters is written $\"name\"")),
        }
    }

    pub(super) fn variable(&mut self, name: &str) -> Parsed {
        let start = self.span;
        let pieces = self.pieces()?;
        let is_plain = pieces.len() == 1;
        let expr = self.node(ExprKind::Word(pieces), Span::new(start.start, self.last_end), 0)?;
        if self.token == Token::Sign("(") && is_plain && self.may_be_called(name, &expr) {
            return self.call(name, start);
        }
        // Two operands in a row; said here because behind an open parenthesis `close` would only ask for `)`.
        if matches!(
            self.token,
            Token::Name(_)
                | Token::Quoted(_)
                | Token::Key(_)
                | Token::Number(_)
                | Token::Text(_)
                | Token::Sign("!" | "(" | "[")
        ) && !self.has_infix()
            && !self.is_ctl_connective()
            && !self.is_stop()
        {
            return fail(self.after_operand(&expr));
        }
        Ok(expr)
    }

    /// Operators in front of a parenthesis are not calls, even when they belong to another logic or lack a blank.
    fn may_be_called(&self, name: &str, expr: &Expr) -> bool {
        let is_foreign = match self.dialect {
            Dialect::Ltl => self.is_quantified(expr),
            Dialect::Ctl => self.lacks_quantifier(expr),
            Dialect::Psl(_) => self.is_quantified(expr) && name != "possibly" && name != "definitely",
        };
        !name.contains(['.', '[']) && self.split_operators(name).is_none() && !is_foreign
    }

    /// `name(a, b; c)`, and a scope behind it.
    pub(super) fn call(&mut self, name: &str, name_span: Span) -> Parsed {
        let open = self.span;
        self.advance()?;
        let mut lists = vec![Vec::new()];
        let mut depth = 0;
        // Inside the parentheses the words of a scope around them have no meaning.
        let stops = std::mem::take(&mut self.stops);
        let mode = std::mem::replace(&mut self.mode, Mode::Formula);
        if self.dialect.is_psl() && matches!(name, "nondet" | "nondet_vector") {
            return fail(self.no_choice(name_span, name));
        }
        let braces = self.list_of_bits(name)?;
        let joins_bits = std::mem::replace(&mut self.joins_bits, matches!(name, "onehot" | "onehot0"));
        if self.token != Token::Sign(")") {
            loop {
                if self.dialect.is_psl() && self.token == Token::Sign(".") {
                    let argument = self.named_argument()?;
                    depth = depth.max(argument.depth);
                    if let Some(list) = lists.last_mut() {
                        list.push(argument);
                    }
                    if self.token != Token::Sign(",") {
                        break;
                    }
                    self.advance()?;
                    continue;
                }
                let argument = self.expr(0)?;
                if self.dialect.is_psl() && (self.at_word("downto") || self.at_word("to")) {
                    (self.stops, self.mode) = (stops, mode);
                    return self.slice(name, name_span, open, &argument);
                }
                depth = depth.max(argument.depth);
                if let Some(list) = lists.last_mut() {
                    list.push(argument);
                }
                match self.token {
                    Token::Sign(",") => {}
                    Token::Sign(";") => lists.push(Vec::new()),
                    _ => break,
                }
                self.advance()?;
            }
        }
        if let Some(brace) = braces {
            self.close("}", brace)?;
        }
        self.joins_bits = joins_bits;
        (self.stops, self.mode) = (stops, mode);
        self.close(")", open)?;
        // `before` is an operator of PSL, too: only behind a pattern it begins a scope.
        let may_have_scope = !self.dialect.is_psl() || Pattern::named(name).is_some();
        let scope = if may_have_scope { self.scope()? } else { None };
        if let Some(scope) = &scope {
            depth = depth.max(match scope {
                Scope::Globally => 0,
                Scope::Before(f) | Scope::After(f) => f.depth,
                Scope::Between(f, g) | Scope::AfterUntil(f, g) => f.depth.max(g.depth),
            });
        }
        let kind = ExprKind::Call { name: name.to_owned(), name_span, lists, scope: scope.map(Box::new) };
        self.node(kind, Span::new(name_span.start, self.last_end), depth)
    }

    /// `globally`, `before r`, `after q`, `between q and r`, `after q until r`. The formulas of a scope reach as far as they
    /// can.
    fn scope(&mut self) -> Result<Option<Scope<Expr>>, Mistake> {
        let Token::Name(word) = &self.token else { return Ok(None) };
        if self.is_stop() {
            return Ok(None);
        }
        let scope = match word.as_str() {
            "globally" => {
                self.advance()?;
                Scope::Globally
            }
            "before" => {
                self.advance()?;
                Scope::Before(self.expr(0)?)
            }
            "after" => {
                self.advance()?;
                let from = self.bounded("until")?;
                if matches!(&self.token, Token::Name(word) if word == "until") {
                    self.advance()?;
                    Scope::AfterUntil(from, self.expr(0)?)
                } else {
                    Scope::After(from)
                }
            }
            "between" => {
                self.advance()?;
                let from = self.bounded("and")?;
                if !matches!(&self.token, Token::Name(word) if word == "and") {
                    return fail(self.expected("`and`").help("as in `between q and r`"));
                }
                self.advance()?;
                Scope::Between(from, self.expr(0)?)
            }
            _ => return Ok(None),
        };
        Ok(Some(scope))
    }

    /// A formula that a word of its scope ends.
    fn bounded(&mut self, stop: &'static str) -> Parsed {
        self.stops.push(stop);
        let expr = self.expr(0)?;
        self.stops.pop();
        Ok(expr)
    }

    /// Whether this word is in hand.
    pub(super) fn at_word(&self, word: &str) -> bool {
        matches!(&self.token, Token::Name(name) if name == word)
    }

    /// The text up to a place.
    pub(super) fn source_until(&self, end: usize) -> &str {
        &self.lexer.source[..end]
    }

    /// What comes behind the word in hand.
    pub(super) fn source_behind(&self) -> &str {
        &self.lexer.source[self.span.end.min(self.lexer.end)..self.lexer.end]
    }

    /// A part of the source.
    pub(super) fn source_of(&self, span: Span) -> &str {
        &self.lexer.source[span.start..span.end]
    }

    /// Where the parser is, to come back to.
    pub(super) fn mark(&self) -> (usize, Token, Span, usize, u32) {
        (self.lexer.at, self.token.clone(), self.span, self.last_end, self.depth)
    }

    /// Comes back.
    pub(super) fn reset(&mut self, mark: (usize, Token, Span, usize, u32)) {
        (self.lexer.at, self.token, self.span, self.last_end, self.depth) = mark;
    }

    /// Whether an operator that stands behind a formula is next.
    pub(super) fn has_infix(&self) -> bool {
        if self.dialect.is_psl() { self.psl_infix().is_some() } else { self.infix().is_some() }
    }

    pub(super) fn is_stop(&self) -> bool {
        matches!(&self.token, Token::Name(word) if self.stops.contains(&word.as_str()))
    }

    /// `U`, `W`, `R` between the operands of `A[…]`.
    fn is_ctl_connective(&self) -> bool {
        self.dialect == Dialect::Ctl && matches!(&self.token, Token::Name(w) if matches!(w.as_str(), "U" | "W" | "R"))
    }
}
