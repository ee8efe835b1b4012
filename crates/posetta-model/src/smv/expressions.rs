//! Expressions and formulas, by operator precedence.
//!
//! Tightest first: `[ ]` and `.`, `!`, unary `-`, `* / mod`, `+ -`, `..`, `union`, `in`, comparisons, the operators of time, `&`,
//! `| xor xnor`, `? :`, `<->`, `->`. All associate to the left but `->` and `? :` (NuSMV 2.6 User Manual, sections 2.2.3 and 2.4.3).

use super::lex::Token;
use super::parse::{Parsed, Parser};
use super::tree::{Function, Node, NodeId, NodeKind, Temporal, Temporal2};
use crate::fds::Op;
use posetta_base::{Kind, Place, Span, Spanned};
use posetta_logic::{CtlUnary, LtlBinary, LtlUnary, Path};

/// Which operators of time an expression may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Logic {
    None,
    /// None either: an INVARSPEC.
    Invariant,
    Ltl,
    Ctl,
}

/// How tightly operators bind.
mod level {
    pub(super) const LOOSEST: u8 = 0;
    pub(super) const IMPLIES: u8 = 1;
    pub(super) const IFF: u8 = 2;
    pub(super) const CHOOSE: u8 = 3;
    pub(super) const OR: u8 = 4;
    pub(super) const AND: u8 = 5;
    pub(super) const TEMPORAL: u8 = 6;
    pub(super) const COMPARE: u8 = 7;
    pub(super) const IN: u8 = 8;
    pub(super) const UNION: u8 = 9;
    pub(super) const RANGE: u8 = 10;
    pub(super) const SUM: u8 = 11;
    pub(super) const PRODUCT: u8 = 12;
    pub(super) const NEG: u8 = 13;
    pub(super) const NOT: u8 = 14;
}

/// What stands between two operands.
#[derive(Clone, Copy)]
enum Infix {
    Op(Op),
    Xnor,
    Union,
    Range,
    Choose,
    Temporal(Temporal2),
}

fn infix(token: Token<'_>, logic: Logic) -> Option<(Infix, u8)> {
    use Infix as I;
    Some(match token {
        Token::Sign("->") => (I::Op(Op::Implies), level::IMPLIES),
        Token::Sign("<->") => (I::Op(Op::Iff), level::IFF),
        Token::Sign("?") => (I::Choose, level::CHOOSE),
        Token::Sign("|") => (I::Op(Op::Or), level::OR),
        Token::Word("xor") => (I::Op(Op::Xor), level::OR),
        Token::Word("xnor") => (I::Xnor, level::OR),
        Token::Sign("&") => (I::Op(Op::And), level::AND),
        Token::Sign("=") => (I::Op(Op::Eq), level::COMPARE),
        Token::Sign("!=") => (I::Op(Op::Ne), level::COMPARE),
        Token::Sign("<") => (I::Op(Op::Lt), level::COMPARE),
        Token::Sign("<=") => (I::Op(Op::Le), level::COMPARE),
        Token::Sign(">") => (I::Op(Op::Gt), level::COMPARE),
        Token::Sign(">=") => (I::Op(Op::Ge), level::COMPARE),
        Token::Word("in") => (I::Op(Op::In), level::IN),
        Token::Word("union") => (I::Union, level::UNION),
        Token::Sign("..") => (I::Range, level::RANGE),
        Token::Sign("+") => (I::Op(Op::Add), level::SUM),
        Token::Sign("-") => (I::Op(Op::Sub), level::SUM),
        Token::Sign("*") => (I::Op(Op::Mul), level::PRODUCT),
        Token::Sign("/") => (I::Op(Op::Div), level::PRODUCT),
        Token::Word("mod") => (I::Op(Op::Mod), level::PRODUCT),
        Token::Word(word) if logic == Logic::Ltl => (I::Temporal(binary_word(word)?), level::TEMPORAL),
        _ => return None,
    })
}

fn binary_word(word: &str) -> Option<Temporal2> {
    Some(match word {
        "U" => Temporal2::Ltl(LtlBinary::Until),
        "V" => Temporal2::Ltl(LtlBinary::Release),
        "S" => Temporal2::Ltl(LtlBinary::Since),
        "T" => Temporal2::Triggered,
        "W" => Temporal2::Ltl(LtlBinary::WeakUntil),
        "M" => Temporal2::Ltl(LtlBinary::StrongRelease),
        _ => return None,
    })
}

fn unary_word(word: &str, logic: Logic) -> Option<Temporal> {
    Some(match (logic, word) {
        (Logic::Ltl, "X") => Temporal::Ltl(LtlUnary::Next),
        (Logic::Ltl, "WX") => Temporal::Ltl(LtlUnary::WeakNext),
        (Logic::Ltl, "F") => Temporal::Ltl(LtlUnary::Finally),
        (Logic::Ltl, "G") => Temporal::Ltl(LtlUnary::Globally),
        (Logic::Ltl, "Y") => Temporal::Ltl(LtlUnary::Yesterday),
        (Logic::Ltl, "O") => Temporal::Ltl(LtlUnary::Once),
        (Logic::Ltl, "H") => Temporal::Ltl(LtlUnary::Historically),
        (Logic::Ltl, "Z") => Temporal::WeakYesterday,
        (Logic::Ctl, "EX") => Temporal::Ctl(Path::Some, CtlUnary::Next),
        (Logic::Ctl, "EF") => Temporal::Ctl(Path::Some, CtlUnary::Finally),
        (Logic::Ctl, "EG") => Temporal::Ctl(Path::Some, CtlUnary::Globally),
        (Logic::Ctl, "AX") => Temporal::Ctl(Path::All, CtlUnary::Next),
        (Logic::Ctl, "AF") => Temporal::Ctl(Path::All, CtlUnary::Finally),
        (Logic::Ctl, "AG") => Temporal::Ctl(Path::All, CtlUnary::Globally),
        _ => return None,
    })
}

/// Words with a meaning of their own, which nothing can be called.
pub(super) fn is_reserved(word: &str) -> bool {
    const WORDS: [&str; 60] = [
        "TRUE", "FALSE", "self", "case", "esac", "next", "init", "in", "union", "mod", "xor", "xnor", "boolean",
        "array", "of", "process", "integer", "real", "word", "unsigned", "signed", "abs", "max", "min", "toint",
        "bool", "count", "word1", "extend", "resize", "sizeof", "uwconst", "swconst", "X", "F", "G", "U", "V", "Y",
        "Z", "H", "O", "S", "T", "EX", "AX", "EF", "AF", "EG", "AG", "E", "A", "EBF", "EBG", "ABF", "ABG", "BU", "MIN",
        "MAX", "NAME",
    ];
    WORDS.contains(&word)
}

/// What is said where something of NuSMV is left out.
const OUTSIDE: &str = "this is outside the subset of SMV that is read";

impl<'a> Parser<'a> {
    pub(super) fn expression(&mut self, logic: Logic) -> Parsed<NodeId> {
        let before = std::mem::replace(&mut self.logic, logic);
        let parsed = self.expr(level::LOOSEST);
        self.logic = before;
        parsed
    }

    /// The bound of a range: a sum.
    pub(super) fn bound(&mut self) -> Parsed<NodeId> {
        let before = std::mem::replace(&mut self.logic, Logic::None);
        let parsed = self.expr(level::SUM);
        self.logic = before;
        parsed
    }

    /// What is assigned to: a name with its path.
    pub(super) fn target(&mut self) -> Parsed<NodeId> {
        let (token, span) = self.here();
        let Token::Word(word) = token else { return Err(self.expected("the name of a variable")) };
        let name = if word == "self" {
            self.advance();
            self.push(NodeKind::This, span, None)
        } else {
            let name = self.name("the name of a variable")?;
            self.push(NodeKind::Name(name.text), name.span, None)
        };
        self.path(name)
    }

    /// Adds a node; `first` is the first one that belongs to it.
    fn push(&mut self, kind: NodeKind<'a>, span: Span, first: Option<NodeId>) -> NodeId {
        let id = NodeId(u32::try_from(self.tree.nodes.len()).expect("a file has fewer than 2^32 words"));
        let first = first.map_or(id, |f| self.tree.node(f).first);
        self.tree.nodes.push(Node { kind, span, first });
        id
    }

    fn span_of(&self, id: NodeId) -> Span {
        self.tree.span(id)
    }

    fn expr(&mut self, least: u8) -> Parsed<NodeId> {
        self.deeper()?;
        let parsed = self.infixes(least);
        self.depth -= 1;
        parsed
    }

    fn infixes(&mut self, least: u8) -> Parsed<NodeId> {
        let mut left = self.prefix()?;
        loop {
            let (token, span) = self.here();
            if matches!(token, Token::Sign("<<" | ">>" | "::")) {
                return Err(Spanned::new(Kind::Unsupported, span, OUTSIDE).label("there are no words and no shifts"));
            }
            let Some((infix, level)) = infix(token, self.logic).filter(|&(_, level)| level >= least) else {
                return Ok(left);
            };
            self.advance();
            left = self.joined(left, infix, level)?;
        }
    }

    /// What an operator and all behind it make of what is left of it.
    fn joined(&mut self, left: NodeId, infix: Infix, level: u8) -> Parsed<NodeId> {
        if let Infix::Choose = infix {
            let yes = self.expr(level::LOOSEST)?;
            self.sign(":", "`:` and the value for the other case")?;
            let no = self.expr(level)?;
            let span = self.span_of(left).to(self.span_of(no));
            return Ok(self.push(NodeKind::Case(vec![(Some(left), yes), (None, no)]), span, Some(left)));
        }
        let right_associative = matches!(infix, Infix::Op(Op::Implies));
        let right = self.expr(if right_associative { level } else { level + 1 })?;
        let span = self.span_of(left).to(self.span_of(right));
        let kind = match infix {
            Infix::Op(op) => NodeKind::Binary(op, left, right),
            Infix::Xnor => NodeKind::Binary(Op::Iff, left, right),
            Infix::Union => NodeKind::Set(vec![left, right]),
            Infix::Range => NodeKind::Range(left, right),
            Infix::Temporal(op) => NodeKind::Temporal2(op, left, right),
            Infix::Choose => unreachable!("answered above"),
        };
        Ok(self.push(kind, span, Some(left)))
    }

    fn prefix(&mut self) -> Parsed<NodeId> {
        let (token, span) = self.here();
        match token {
            Token::Sign("!") => {
                self.advance();
                let inner = self.expr(level::NOT)?;
                let span = span.to(self.span_of(inner));
                Ok(self.push(NodeKind::Not(inner), span, Some(inner)))
            }
            Token::Sign("-") => {
                self.advance();
                let inner = self.expr(level::NEG)?;
                let span = span.to(self.span_of(inner));
                Ok(self.push(NodeKind::Neg(inner), span, Some(inner)))
            }
            Token::Word(word) if self.begins_time(word) => self.temporal(word, span),
            _ => {
                let inner = self.primary(token, span)?;
                self.path(inner)
            }
        }
    }

    /// Whether a word is an operator of time here. `WX` is no word of NuSMV and may be somebody's name.
    fn begins_time(&self, word: &str) -> bool {
        let operand = || match self.second() {
            Token::Word(next) => infix(Token::Word(next), self.logic).is_none(),
            Token::Number(_) | Token::Sign("(" | "!" | "{") => true,
            _ => false,
        };
        match self.logic {
            Logic::None | Logic::Invariant => false,
            Logic::Ltl => unary_word(word, Logic::Ltl).is_some() && (word != "WX" || operand()),
            Logic::Ctl => {
                unary_word(word, Logic::Ctl).is_some() || matches!(word, "E" | "A" | "EBF" | "EBG" | "ABF" | "ABG")
            }
        }
    }

    fn temporal(&mut self, word: &'a str, span: Span) -> Parsed<NodeId> {
        self.advance();
        let Some(op) = unary_word(word, self.logic) else {
            return match word {
                "E" | "A" => self.until(if word == "E" { Path::Some } else { Path::All }, span),
                _ => Err(Self::bounded(span)),
            };
        };
        if self.logic == Logic::Ltl && self.is_sign("[") {
            return Err(Self::bounded(span));
        }
        // `! G p` and `G ! p`: what is behind may be an operator of time again.
        let inner = self.expr(level::COMPARE)?;
        let span = span.to(self.span_of(inner));
        Ok(self.push(NodeKind::Temporal(op, inner), span, Some(inner)))
    }

    #[cold]
    fn bounded(span: Span) -> Box<Spanned> {
        Spanned::new(Kind::Unsupported, span, OUTSIDE)
            .label("there are no operators with bounds")
            .help("write X as often as needed, or count the steps with a variable")
    }

    /// `E [ f U g ]` behind its first letter.
    fn until(&mut self, path: Path, start: Span) -> Parsed<NodeId> {
        self.sign("[", "`[`, as in `E [ p U q ]`")?;
        let left = self.expr(level::LOOSEST)?;
        if matches!(self.here().0, Token::Word("BU")) {
            return Err(Self::bounded(self.here().1));
        }
        if !matches!(self.here().0, Token::Word("U")) {
            return Err(self.expected("`U`"));
        }
        self.advance();
        let right = self.expr(level::LOOSEST)?;
        let end = self.sign("]", "`]`")?;
        Ok(self.push(NodeKind::Temporal2(Temporal2::Ctl(path), left, right), start.to(end), Some(left)))
    }

    /// `.name` and `[index]` behind something.
    fn path(&mut self, mut base: NodeId) -> Parsed<NodeId> {
        loop {
            let start = self.span_of(base);
            if self.is_sign(".") {
                self.advance();
                let name = self.member()?;
                base = self.push(NodeKind::Dot(base, name.text), start.to(name.span), Some(base));
            } else if self.is_sign("[") {
                self.advance();
                let index = self.expr(level::LOOSEST)?;
                if self.is_sign(":") {
                    let span = self.here().1;
                    return Err(
                        Spanned::new(Kind::Unsupported, span, OUTSIDE).label("there are no words to take bits of")
                    );
                }
                let end = self.sign("]", "`]`")?;
                base = self.push(NodeKind::Index(base, index), start.to(end), Some(base));
            } else {
                return Ok(base);
            }
        }
    }

    fn primary(&mut self, token: Token<'a>, span: Span) -> Parsed<NodeId> {
        match token {
            Token::Number(digits) => {
                let value = self.integer(digits, span)?;
                self.advance();
                Ok(self.push(NodeKind::Int(value), span, None))
            }
            Token::Sign("(") => {
                self.advance();
                let inner = self.expr(level::LOOSEST)?;
                self.sign(")", "`)`")?;
                Ok(inner)
            }
            Token::Sign("{") => {
                self.advance();
                let parts = self.list("}")?;
                let span = span.to(self.last_span());
                let first = parts.first().copied();
                Ok(self.push(NodeKind::Set(parts), span, first))
            }
            Token::Sign("[") => Err(Spanned::new(Kind::Unsupported, span, OUTSIDE)
                .label("there are no arrays that are written out")
                .help("declare an array under FROZENVAR or VAR, and assign its elements one by one")),
            Token::Word(word) => self.word(word, span),
            _ => Err(self.expected("an expression")),
        }
    }

    fn integer(&self, digits: &str, span: Span) -> Parsed<i64> {
        if let Some(value) = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<i64>()) {
            return value.map_err(|_| {
                Spanned::new(Kind::Digits, span, "an integer past 9223372036854775807")
                    .label(format!("this one has {} digits", digits.len()))
            });
        }
        let problem = Spanned::new(Kind::Unsupported, span, "this is not an integer");
        Err(if digits.contains('_') && digits.bytes().all(|b| b.is_ascii_digit() || b == b'_') {
            problem.label("expected digits only")
        } else {
            problem.label("there are no words and no names that begin with a digit")
        })
    }

    /// Expressions and commas up to the closing sign, at least one.
    fn list(&mut self, close: &'static str) -> Parsed<Vec<NodeId>> {
        let mut parts = vec![self.expr(level::LOOSEST)?];
        while self.is_sign(",") {
            self.advance();
            parts.push(self.expr(level::LOOSEST)?);
        }
        self.sign(close, if close == "}" { "`,` or `}`" } else { "`,` or `)`" })?;
        Ok(parts)
    }

    /// Arguments in parentheses, perhaps none.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<NodeId>> {
        let before = std::mem::replace(&mut self.logic, Logic::None);
        self.sign("(", "`(`")?;
        let args = if self.is_sign(")") { self.sign(")", "`)`").map(|_| Vec::new()) } else { self.list(")") };
        self.logic = before;
        args
    }

    fn word(&mut self, word: &'a str, span: Span) -> Parsed<NodeId> {
        let function = match word {
            "TRUE" | "FALSE" => {
                self.advance();
                return Ok(self.push(NodeKind::Bool(word == "TRUE"), span, None));
            }
            "self" => {
                self.advance();
                return Ok(self.push(NodeKind::This, span, None));
            }
            "case" => return self.case(span),
            "next" => {
                self.advance();
                self.sign("(", "`(`")?;
                let inner = self.expr(level::LOOSEST)?;
                let end = self.sign(")", "`)`")?;
                return Ok(self.push(NodeKind::Next(inner), span.to(end), Some(inner)));
            }
            "abs" => Function::Abs,
            "max" => Function::Max,
            "min" => Function::Min,
            "toint" => Function::ToInt,
            "bool" => Function::Bool,
            "count" => Function::Count,
            _ => {
                let name = self.name("an expression")?;
                return Ok(self.push(NodeKind::Name(name.text), span, None));
            }
        };
        self.advance();
        self.sign("(", "`(`")?;
        let parts = self.list(")")?;
        let span = span.to(self.last_span());
        let wanted = match function {
            Function::Count => parts.len(),
            Function::Max | Function::Min => 2,
            _ => 1,
        };
        if parts.len() != wanted {
            let message = format!("`{word}` takes {wanted} argument{}", if wanted == 1 { "" } else { "s" });
            return Err(Spanned::new(Kind::Definition, span, message).label(format!("here it has {}", parts.len())));
        }
        let first = parts.first().copied();
        Ok(self.push(NodeKind::Call(function, parts), span, first))
    }

    /// A `case` that goes on into something else, which stands at `next`.
    #[cold]
    fn unended(&mut self, start: Span, next: Span) -> Box<Spanned> {
        self.open_cases = 0;
        let line = Place::in_text(self.source, start).line;
        let message = format!("the `case` of line {line} has no `esac`");
        if let Token::End = self.here().0 {
            let end = self.last_span().end;
            return Spanned::new(Kind::Truncated, Span::new(end, end), message).label("expected `esac`");
        }
        Spanned::new(Kind::Syntax, next, message).label("expected `esac` before this")
    }

    fn case(&mut self, start: Span) -> Parsed<NodeId> {
        self.advance();
        self.open_cases += 1;
        let mut arms = Vec::new();
        while !matches!(self.here().0, Token::Word("esac")) {
            let arm = self.here().1;
            if self.at_section() {
                return Err(self.unended(start, arm));
            }
            let condition = self.expr(level::LOOSEST)?;
            if self.is_sign(":=") {
                return Err(self.unended(start, arm.to(self.here().1)));
            }
            self.sign(":", "`:` and a value")?;
            let value = self.expr(level::LOOSEST)?;
            arms.push((Some(condition), value));
            self.sign(";", "`;` after the value")?;
        }
        let span = start.to(self.here().1);
        if arms.is_empty() {
            return Err(self.expected("`condition : value;`"));
        }
        self.advance();
        self.open_cases -= 1;
        let first = arms[0].0;
        Ok(self.push(NodeKind::Case(arms), span, first))
    }
}
