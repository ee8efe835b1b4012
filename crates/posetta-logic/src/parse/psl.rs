//! The grammar of PSL: operators of formulas and of SEREs, by precedence.
//!
//! Formulas and SEREs share one tree. Inside braces and angles a SERE is in hand ([`Mode`]): there `;` and `:` are operators, and `|`
//! and `&` are those of SEREs. Whether `&&` joins booleans, SEREs or formulas is decided when the tree is read ([`super::read_psl`]).
//!
//! Precedence, tightest first: arithmetic; comparisons; `!`, and behind its operand the `!` of a strong SERE; the words of HDLs
//! ([`super::surface`]); repetition; `##`; `throughout`; `within`; `abort`; `next X eventually! F` and their like; `U W until before` and their like (right); `&& &`; `||`; `->` (right); `<->`
//! (right); in a SERE `|`, `:`, `;`; loosest `always never G`. `|->` and `|=>` take the SERE right before them and everything behind them
//! down to `||`.

use super::expand::{Expanded, Expander, Frame};
use super::expr::{Expr, ExprKind};
use super::grammar::{Mistake, Parsed, Parser, fail};
use super::surface::{ClockExpr, Junction, WORDS_BEFORE};
use super::{Dialect, Index};
use crate::atom::{Arith, Compare};
use crate::flavour::Flavour;
use crate::lex::Token;
use crate::psl::{PslBinary, PslUnary, SereOp, Suffix};
use posetta_base::{Kind, Span};

/// The reserved words of PSL.
pub(super) const WORDS: [&str; 22] = [
    "always",
    "never",
    "G",
    "F",
    "X",
    "X!",
    "next",
    "next!",
    "eventually!",
    "U",
    "W",
    "until",
    "until!",
    "until_",
    "until!_",
    "before",
    "before!",
    "before_",
    "before!_",
    "abort",
    "within",
    "inf",
];

/// How tightly the operand of `!` binds.
pub(super) const NOT: u8 = 35;

/// The same in HDLs: tighter than arithmetic.
pub(super) const NOT_OF_HDL: u8 = 45;

/// How tightly the operand of `-` binds.
pub(super) const MINUS: u8 = 43;

/// How tightly the operand of `next` and its like binds.
pub(super) const NEXT: u8 = 17;

/// How tightly what stands behind `|->`, `|=>` and `<r>` binds.
pub(super) const SUFFIX: u8 = 10;

/// What is in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Formula,
    Sere {
        /// A `>` ends it.
        in_angles: bool,
    },
}

impl Mode {
    /// Inside parentheses.
    pub(super) fn inside(self) -> Self {
        match self {
            Self::Formula => Self::Formula,
            Self::Sere { .. } => Self::Sere { in_angles: false },
        }
    }
}

/// From how many to how many times.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Range {
    /// A number after [`super::expand`].
    pub(super) min: Index,
    /// As `min`; `None`: any number.
    pub(super) max: Option<Index>,
    /// From bracket to bracket.
    pub(super) span: Span,
}

/// What is done how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repetition {
    /// `[*n]`
    Star,
    /// `[->n]`
    Goto,
    /// `[=n]`
    Occur,
}

/// An operator of PSL.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PslOp {
    /// `{r}`
    Braces,
    /// `r ; s` and so on.
    Chain(SereOp),
    /// `r[*n]` and so on.
    Repeat(Repetition, Range),
    /// `r!`
    Strong,
    /// `always f` and so on.
    Unary(PslUnary),
    /// `next[n] f`, `next![n] f`.
    NextTimes {
        strong: bool,
        count: Range,
    },
    Never,
    /// `eventually! f`
    Eventually,
    /// `f until g` and so on.
    Binary(PslBinary),
    /// `r |-> f` and so on.
    Suffix(Suffix),
    /// `f abort b`
    Abort,
    /// `f and g`, `f or g`: of booleans, SEREs or formulas, whatever stands there.
    Joined(SereOp),
    /// `ended(r)`: a match of r ends here.
    Ended,
    /// `r ##[n:m] s`, and without r.
    Delay(Range),
    /// `.name(e)`: an argument by its name. Gone after [`super::expand`].
    Named(String),
    /// `f @ (posedge clk)`
    Clocked(ClockExpr),
    /// `forall i in {0:3}: f`. Gone after [`super::expand`].
    Forall(String, Vec<(Index, Index)>, Span),
}

/// What stands behind an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PslInfix {
    Iff,
    Implies,
    Or,
    And,
    Compare(Compare),
    Arith(Arith),
    Chain(SereOp),
    Binary(PslBinary),
    Suffix(Suffix),
    Abort,
    Repeat,
    Strong,
    /// A word or sign of an HDL between booleans.
    Word(Junction),
    Throughout,
    Delay,
    Clocked,
    /// `x inside {1, [4:7]}`
    Inside,
    /// `r #-# f`, `r #=# f`
    Followed {
        after: bool,
    },
}

impl PslInfix {
    /// How tightly it holds what is on its left, and what must hold on its right.
    pub(super) fn power(self, flavour: Flavour, in_sere: bool) -> (u8, u8) {
        match self {
            // The standard has the operators of the HDL tighter than all others; our own are not, and in SEREs they join SEREs.
            Self::And if flavour == Flavour::Verilog && !in_sere => (28, 29),
            Self::And if flavour == Flavour::Vhdl && !in_sere => (33, 34),
            Self::Or if flavour != Flavour::Any && !in_sere => (27, 28),
            Self::Word(junction) => junction.power(flavour),
            Self::Throughout => (21, 21),
            Self::Delay => (23, 24),
            Self::Clocked => (26, 26),
            Self::Chain(SereOp::Concat) => (1, 2),
            Self::Chain(SereOp::Fusion) => (3, 4),
            Self::Chain(SereOp::Or) => (5, 6),
            Self::Iff => (7, 7),
            Self::Implies => (9, 9),
            Self::Or => (11, 12),
            Self::And | Self::Chain(SereOp::And | SereOp::Intersect) => (13, 14),
            Self::Binary(_) => (15, 15),
            Self::Suffix(_) | Self::Followed { .. } => (NEXT, SUFFIX),
            Self::Inside => (37, 38),
            Self::Abort => (NEXT, NOT),
            Self::Chain(SereOp::Within) => (19, 20),
            Self::Repeat => (25, 25),
            Self::Strong => (NOT, NOT),
            Self::Compare(_) => (37, 38),
            Self::Arith(Arith::Add | Arith::Sub) => (39, 40),
            Self::Arith(Arith::Mul | Arith::Div) => (41, 42),
        }
    }
}

/// The operator between two formulas that a word stands for.
fn between(word: &str) -> Option<PslBinary> {
    let until = |strong, inclusive| Some(PslBinary::Until { strong, inclusive });
    let before = |strong, inclusive| Some(PslBinary::Before { strong, inclusive });
    match word {
        "until" | "W" => until(false, false),
        "until!" | "U" => until(true, false),
        "until_" => until(false, true),
        "until!_" => until(true, true),
        "before" => before(false, false),
        "before!" => before(true, false),
        "before_" => before(false, true),
        "before!_" => before(true, true),
        "s_until" => until(true, false),
        "until_with" => until(false, true),
        "s_until_with" => until(true, true),
        _ => None,
    }
}

impl Parser<'_> {
    /// The operator behind the operand in hand, if one is there.
    pub(super) fn psl_infix(&self) -> Option<PslInfix> {
        let in_sere = self.mode != Mode::Formula;
        Some(match &self.token {
            Token::Sign(sign) => match *sign {
                "<->" => PslInfix::Iff,
                "->" => PslInfix::Implies,
                "||" => PslInfix::Or,
                "&&" => PslInfix::And,
                "|" if in_sere => PslInfix::Chain(SereOp::Or),
                "|" if self.flavour() == Flavour::Verilog => PslInfix::Word(Junction::BitOr),
                "|" => PslInfix::Or,
                "&" if in_sere => PslInfix::Chain(SereOp::And),
                "&" if self.flavour() == Flavour::Verilog => PslInfix::Word(Junction::BitAnd),
                "&" => PslInfix::And,
                ";" if in_sere => PslInfix::Chain(SereOp::Concat),
                ":" if in_sere => PslInfix::Chain(SereOp::Fusion),
                "|->" => PslInfix::Suffix(Suffix::Overlapping),
                "|=>" => PslInfix::Suffix(Suffix::After),
                "[*" | "[+" | "[->" | "[=" => PslInfix::Repeat,
                "!" => PslInfix::Strong,
                "##" => PslInfix::Delay,
                "#-#" => PslInfix::Followed { after: false },
                "#=#" => PslInfix::Followed { after: true },
                "@" => PslInfix::Clocked,
                "^" => PslInfix::Word(Junction::Xor),
                "~^" => PslInfix::Word(Junction::Xnor),
                "==" | "=" => PslInfix::Compare(Compare::Eq),
                "!=" => PslInfix::Compare(Compare::Ne),
                "<" => PslInfix::Compare(Compare::Lt),
                "<=" => PslInfix::Compare(Compare::Le),
                ">" if self.mode != (Mode::Sere { in_angles: true }) => PslInfix::Compare(Compare::Gt),
                ">=" => PslInfix::Compare(Compare::Ge),
                "+" => PslInfix::Arith(Arith::Add),
                "-" => PslInfix::Arith(Arith::Sub),
                "*" => PslInfix::Arith(Arith::Mul),
                "/" => PslInfix::Arith(Arith::Div),
                _ => return None,
            },
            Token::Name(_) if self.is_stop() => return None,
            Token::Name(word) => match word.as_str() {
                "abort" | "sync_abort" | "async_abort" => PslInfix::Abort,
                "within" => PslInfix::Chain(SereOp::Within),
                "implies" => PslInfix::Implies,
                "iff" => PslInfix::Iff,
                "throughout" => PslInfix::Throughout,
                "inside" if self.source_behind().trim_start().starts_with('{') => PslInfix::Inside,
                "intersect" => PslInfix::Chain(SereOp::Intersect),
                word => match Junction::called(word) {
                    Some(junction) => PslInfix::Word(junction),
                    None => PslInfix::Binary(between(word)?),
                },
            },
            _ => return None,
        })
    }

    pub(super) fn psl_expr(&mut self, min: u8) -> Parsed {
        self.enter()?;
        let mut left = self.prefix()?;
        while let Some(infix) = self.psl_infix() {
            if self.power_behind(infix, &left) < min {
                break;
            }
            left = match infix {
                PslInfix::And | PslInfix::Or | PslInfix::Chain(_) => self.psl_nary(left, infix)?,
                PslInfix::Word(junction) => self.junction(left, junction)?,
                PslInfix::Delay => self.delay(Some(left))?,
                PslInfix::Clocked => self.clocked(left)?,
                PslInfix::Inside => self.inside(left)?,
                PslInfix::Followed { after } => self.followed_by(left, after)?,
                PslInfix::Repeat => self.psl_repeat(left)?,
                PslInfix::Strong => {
                    self.advance()?;
                    let span = Span::new(left.span.start, self.last_end);
                    self.psl_node(PslOp::Strong, vec![left], span)?
                }
                _ => self.psl_binary(left, infix)?,
            };
        }
        self.leave();
        Ok(left)
    }

    /// What binds how tightly, where the parser is.
    pub(super) fn power(&self, infix: PslInfix) -> (u8, u8) {
        infix.power(self.flavour(), self.mode != Mode::Formula)
    }

    /// The same on the left, for what stands there: in SystemVerilog a sequence before `|->` needs no braces.
    fn power_behind(&self, infix: PslInfix, left: &Expr) -> u8 {
        let is_bare = !matches!(&left.kind, ExprKind::Psl(PslOp::Braces, _));
        match infix {
            PslInfix::Suffix(_) | PslInfix::Followed { .. } if self.flavour() == Flavour::Verilog && is_bare => 8,
            _ => self.power(infix).0,
        }
    }

    pub(super) fn psl_node(&self, op: PslOp, operands: Vec<Expr>, span: Span) -> Parsed {
        let depth = operands.iter().map(|e| e.depth).max().unwrap_or(0);
        self.node(ExprKind::Psl(op, operands), span, depth)
    }

    fn psl_nary(&mut self, first: Expr, infix: PslInfix) -> Parsed {
        let start = first.span.start;
        if infix == PslInfix::And
            && self.token == Token::Sign("&")
            && self.flavour() == Flavour::Vhdl
            && !self.joins_bits
        {
            return fail(self.joined_vectors(self.span));
        }
        let mut parts = vec![first];
        while self.psl_infix() == Some(infix) {
            self.advance()?;
            parts.push(self.psl_expr(self.power(infix).1)?);
        }
        let span = Span::new(start, self.last_end);
        let depth = parts.iter().map(|e| e.depth).max().unwrap_or(0);
        match infix {
            PslInfix::Chain(op) => self.psl_node(PslOp::Chain(op), parts, span),
            PslInfix::And => self.node(ExprKind::And(parts), span, depth),
            _ => self.node(ExprKind::Or(parts), span, depth),
        }
    }

    fn psl_binary(&mut self, left: Expr, infix: PslInfix) -> Parsed {
        self.advance()?;
        // `until_!` is the strong one misspelt, or an unlucky way to write `until_ !b`.
        if let PslInfix::Binary(
            PslBinary::Until { strong: false, inclusive: true } | PslBinary::Before { strong: false, inclusive: true },
        ) = infix
            && self.token == Token::Sign("!")
            && self.span.start == self.last_end
        {
            let word = if matches!(infix, PslInfix::Binary(PslBinary::Until { .. })) { "until" } else { "before" };
            return fail(
                self.error(self.span, format!("`!` right behind `{word}_`"))
                    .label("does it belong to the operator, or to the operand?")
                    .help(format!("the strong operator is `{word}!_`; a negated operand is written `{word}_ (!b)`")),
            );
        }
        let right = self.psl_expr(self.power(infix).1)?;
        if matches!(infix, PslInfix::Compare(_)) {
            self.compares_truths(&left, &right)?;
        }
        if matches!(infix, PslInfix::Compare(_)) && matches!(self.psl_infix(), Some(PslInfix::Compare(_))) {
            return fail(
                self.error(self.span, "comparisons do not chain")
                    .label("a second comparison")
                    .help("write `a < b && b < c`"),
            );
        }
        let span = left.span.to(right.span);
        let depth = left.depth.max(right.depth);
        let op = match infix {
            PslInfix::Binary(op) => PslOp::Binary(op),
            PslInfix::Suffix(op) => PslOp::Suffix(op),
            PslInfix::Abort => PslOp::Abort,
            PslInfix::Throughout => return self.throughout(left, right),
            _ => {
                let (l, r) = (Box::new(left), Box::new(right));
                let kind = match infix {
                    PslInfix::Iff => ExprKind::Iff(l, r),
                    PslInfix::Implies => ExprKind::Implies(l, r),
                    PslInfix::Compare(op) => ExprKind::Compare(op, l, r),
                    PslInfix::Arith(op) => ExprKind::Arith(op, l, r),
                    _ => unreachable!("read above, or by another function"),
                };
                return self.node(kind, span, depth);
            }
        };
        self.psl_node(op, vec![left, right], span)
    }

    /// A repetition of the operand in hand.
    fn psl_repeat(&mut self, operand: Expr) -> Parsed {
        let start = operand.span.start;
        let open = self.span;
        let Token::Sign(sign) = self.advance()? else { unreachable!("called at a bracket") };
        let fixed = |min, max| (Index::Int(min), max);
        let (repetition, (min, max)) = match (sign, &self.token) {
            ("[*", Token::Sign("]")) => (Repetition::Star, fixed(0, None)),
            ("[*", _) => (Repetition::Star, self.psl_range()?),
            ("[+", _) => (Repetition::Star, fixed(1, None)),
            ("[->", Token::Sign("]")) => (Repetition::Goto, fixed(1, Some(Index::Int(1)))),
            ("[->", _) => (Repetition::Goto, self.psl_range()?),
            _ => (Repetition::Occur, self.psl_range()?),
        };
        self.close("]", open)?;
        let range = Range { min, max, span: Span::new(open.start, self.last_end) };
        self.psl_node(PslOp::Repeat(repetition, range), vec![operand], Span::new(start, self.last_end))
    }

    /// `n`, `n:m`, `n..m`, `n:inf`, `n:$`.
    pub(super) fn psl_range(&mut self) -> Result<(Index, Option<Index>), Mistake> {
        let min = self.index()?;
        if !(matches!(self.token, Token::Sign(":" | "..")) || self.at_word("to")) {
            return Ok((min.clone(), Some(min)));
        }
        self.advance()?;
        let endless = match &self.token {
            Token::Sign("$") => true,
            Token::Name(word) => word == "inf",
            _ => false,
        };
        if endless {
            self.advance()?;
            return Ok((min, None));
        }
        Ok((min, Some(self.index()?)))
    }

    /// What begins with a sign.
    pub(super) fn psl_prefix(&mut self) -> Parsed {
        let start = self.span;
        match self.token {
            Token::Sign("{") => {
                let inner = self.psl_sere("}", Mode::Sere { in_angles: false })?;
                let braces = self.psl_node(PslOp::Braces, vec![inner], Span::new(start.start, self.last_end))?;
                if self.token == Token::Sign("(") && self.mode == Mode::Formula {
                    return self.suffix_in_parentheses(braces);
                }
                Ok(braces)
            }
            Token::Sign("##") => self.delay(None),
            Token::Sign("@") => self.clock_first(),
            Token::Sign("~") if self.flavour() != Flavour::Verilog => fail(
                self.error(start, "`~` is an operator of vectors, whose width is not known here")
                    .label("expected a formula")
                    .help("of one bit it is `!`"),
            ),
            Token::Sign(sign @ ("&" | "|" | "^" | "~")) if self.flavour() == Flavour::Verilog => self.reduction(sign),
            Token::Sign("[") if self.source_behind().trim_start().starts_with(']') => fail(
                self.error(start, "`[]` is not an operator of PSL")
                    .label("expected a formula")
                    .help("write `always` or `G`"),
            ),
            Token::Sign("<") => {
                let sere = self.psl_sere(">", Mode::Sere { in_angles: true })?;
                let formula = self.psl_expr(SUFFIX)?;
                let span = start.to(formula.span);
                self.psl_node(PslOp::Suffix(Suffix::Some), vec![sere, formula], span)
            }
            Token::Sign("[*" | "[+") => {
                let here = Span::new(start.start, start.start);
                let every = self.node(ExprKind::Bool(true), here, 0)?;
                self.psl_repeat(every)
            }
            Token::Sign("[->" | "[=") => {
                fail(self.error(start, "there is nothing to count before this").label("expected a boolean on its left"))
            }
            _ if self.mode != Mode::Formula => fail(self.advised(self.expected("a SERE"))),
            _ => fail(self.advised(self.expected("a formula"))),
        }
    }

    /// A SERE between the sign in hand and the one that closes it.
    fn psl_sere(&mut self, close: &'static str, inside: Mode) -> Parsed {
        let open = self.span;
        self.advance()?;
        let stops = std::mem::take(&mut self.stops);
        let mode = std::mem::replace(&mut self.mode, inside);
        let inner = self.psl_expr(0)?;
        (self.stops, self.mode) = (stops, mode);
        if close == "}" && self.token == Token::Sign(",") {
            return fail(self.joined_bits(open));
        }
        self.close(close, open)?;
        Ok(inner)
    }

    pub(super) fn psl_word(&mut self, word: &str) -> Parsed {
        let (op, power) = match word {
            "always" | "G" => (PslOp::Unary(PslUnary::Globally), 0),
            "never" => (PslOp::Never, 0),
            "F" => (PslOp::Unary(PslUnary::Finally), NEXT),
            "eventually!" => (PslOp::Eventually, NEXT),
            "next" | "X" => (PslOp::Unary(PslUnary::Next), NEXT),
            "next!" | "X!" => (PslOp::Unary(PslUnary::StrongNext), NEXT),
            "eventually" if self.source_behind().trim_start().starts_with('[') => {
                let start = self.span;
                self.advance()?;
                return self.ranged(word, start);
            }
            "eventually" => {
                return match self.variable(word) {
                    Err(mistake) if mistake.help.is_none() => {
                        Err(Box::new(mistake.help("PSL writes `eventually!`: there is no weak one")))
                    }
                    other => other,
                };
            }
            "abort" | "within" => return fail(self.lacks_left(word)),
            _ if WORDS_BEFORE.contains(&word) => {
                if let Some(found) = self.surface_word(word)? {
                    return Ok(found);
                }
                return self.variable(word);
            }
            "inf" => {
                return fail(self.expected("a formula").help("a variable called inf is written $\"inf\""));
            }
            _ if between(word).is_some() => return fail(self.lacks_left(word)),
            _ => return self.variable(word),
        };
        let start = self.span;
        self.advance()?;
        if word == "always" && self.token == Token::Sign("[") {
            return self.ranged(word, start);
        }
        let op = match op {
            PslOp::Unary(unary @ (PslUnary::Next | PslUnary::StrongNext)) if self.token == Token::Sign("[") => {
                let open = self.span;
                self.advance()?;
                let count = self.index()?;
                self.close("]", open)?;
                let span = Span::new(open.start, self.last_end);
                let count = Range { min: count.clone(), max: Some(count), span };
                PslOp::NextTimes { strong: unary == PslUnary::StrongNext, count }
            }
            op => op,
        };
        match self.psl_infix() {
            // What may begin a formula.
            None | Some(PslInfix::Strong | PslInfix::Repeat | PslInfix::Arith(Arith::Sub)) => {}
            Some(PslInfix::Compare(Compare::Lt) | PslInfix::Abort | PslInfix::Binary(_)) => {}
            Some(PslInfix::Chain(SereOp::Within) | PslInfix::Delay | PslInfix::Clocked) => {}
            // `|v` and its like of Verilog.
            Some(_) if matches!(self.token, Token::Sign("&" | "|" | "^")) && self.flavour() == Flavour::Verilog => {}
            Some(_) => {
                let plain = word.trim_end_matches(['!', '_']);
                let help = format!("a variable called {plain} is written $\"{plain}\"");
                return fail(self.expected("a formula").help(help));
            }
        }
        let operand = self.psl_expr(power)?;
        let span = start.to(operand.span);
        self.psl_node(op, vec![operand], span)
    }

    fn lacks_left(&self, word: &str) -> posetta_base::Diagnostic {
        let plain = word.trim_end_matches(['!', '_']);
        self.error(self.span, format!("`{word}` needs a formula on its left"))
            .label("expected a formula")
            .help(format!("a variable called {plain} is written $\"{plain}\""))
    }

    /// What somebody may have meant who wrote the word in hand behind a complete formula.
    pub(super) fn psl_advice(&self) -> Option<String> {
        match &self.token {
            Token::Sign(";") if self.source_behind().trim().is_empty() => {
                Some("a formula by itself has no `;` behind it; directives with `;` stand in a file".to_owned())
            }
            Token::Name(word) if super::hdl::foreign(word).is_some() => super::hdl::foreign(word).map(str::to_owned),
            Token::Sign("%") => super::hdl::foreign("mod").map(str::to_owned),
            Token::Sign(".") if ["triggered", "matched"].iter().any(|word| self.source_behind().starts_with(word)) => {
                Some("a match of a sequence that ends here is `ended(r)`".to_owned())
            }
            Token::Sign(";" | ":") => Some("SEREs stand in braces, as in {a; b}".to_owned()),
            Token::Name(word) if Dialect::Ltl.words().contains(&word.as_str()) && !WORDS.contains(&word.as_str()) => {
                Some(format!("`{word}` is an operator of LTL that PSL does not have"))
            }
            _ => None,
        }
    }
}

impl Expander<'_> {
    /// The operator with its numbers worked out.
    pub(super) fn psl_op(&mut self, op: &PslOp, frame: &Frame<'_>) -> Expanded<PslOp> {
        Ok(match op {
            PslOp::Clocked(clock) => PslOp::Clocked(self.clock(clock, frame)?),
            PslOp::Delay(range) => PslOp::Delay(self.range(Repetition::Star, range, frame)?),
            PslOp::Repeat(repetition, range) => PslOp::Repeat(*repetition, self.range(*repetition, range, frame)?),
            PslOp::NextTimes { strong, count } => {
                PslOp::NextTimes { strong: *strong, count: self.range(Repetition::Star, count, frame)? }
            }
            other => other.clone(),
        })
    }

    fn range(&mut self, repetition: Repetition, range: &Range, frame: &Frame<'_>) -> Expanded<Range> {
        let span = range.span;
        let min = self.index(&range.min, span, frame)?;
        let max = range.max.as_ref().map(|max| self.index(max, span, frame)).transpose()?;
        let wrong = |message: String, label: &str| {
            let mut mistake = self.misused(frame, Kind::Syntax, span, message);
            mistake.diagnostic = mistake.diagnostic.label(label);
            Err(Box::new(mistake))
        };
        // The parameters of a definition that is looked at by itself stand for nothing in particular.
        if !self.trying {
            let bad = [Some(min), max].into_iter().flatten().find(|&n| u32::try_from(n).is_err());
            if let Some(bad) = bad {
                let message =
                    format!("a number of times is at least 0 and at most {}, and this one is {bad}", u32::MAX);
                return wrong(message, "expected another number");
            }
            if let Some(max) = max.filter(|&max| max < min) {
                return wrong(
                    format!("no number is at least {min} and at most {max}"),
                    "expected the smaller one first",
                );
            }
            if repetition == Repetition::Goto && min == 0 {
                return wrong(
                    "`[->…]` goes on to a position, so it counts from 1".to_owned(),
                    "expected a number from 1",
                );
            }
        }
        Ok(Range { min: Index::Int(min), max: max.map(Index::Int), span })
    }
}
