//! What PSL has beside its own operators: the rest of IEEE 1850's foundation language, the words of VHDL and Verilog, and the assertions of
//! SystemVerilog.
//!
//! Everything is written with the operators of [`super::psl`] as soon as it is read, so a formula prints in these. docs/properties.md has a
//! table of what stands for what. No word here is reserved: each means something only where a variable of its name could not stand.
//!
//! | | stands for |
//! | --- | --- |
//! | `next_a[i:j] f`, strong | `{[*i+1:j+1]} \|-> f`; and `next![j] true` |
//! | `next_e![i:j] f`, weak | `<{[*i+1:j+1]}> f`; or `next[j] false` |
//! | `next_event(b)[k] (f)`, strong | `{b[->k]} \|-> f`; `<{b[->k]}> f` |
//! | `next_event_a(b)[k:l] (f)`, strong | `{b[->k:l]} \|-> f`; and `{b[->l]}!` |
//! | `next_event_e!(b)[k:l] (f)`, weak | `<{b[->k:l]}> f`; or `{b[->l]} \|-> false` |

use super::Index;
use super::expr::{Expr, ExprKind, Piece};
use super::grammar::{Mistake, Parsed, Parser, fail};
use super::index::Sign;
use super::psl::{Mode, NEXT, PslOp, Range, Repetition, SUFFIX};
use crate::flavour::Flavour;
use crate::lex::Token;
use crate::psl::{Edge, PslUnary, SereOp, Suffix};
use posetta_base::Span;

/// The words that have a meaning before an operand.
pub(super) const WORDS_BEFORE: [&str; 24] = [
    "case",
    "first_match",
    "accept_on",
    "reject_on",
    "sync_accept_on",
    "sync_reject_on",
    "not",
    "next_a",
    "next_a!",
    "next_e",
    "next_e!",
    "next_event",
    "next_event!",
    "next_event_a",
    "next_event_a!",
    "next_event_e",
    "next_event_e!",
    "forall",
    "s_eventually",
    "s_always",
    "nexttime",
    "s_nexttime",
    "disable",
    "if",
];

/// Those that a range may follow, which is no index of a name then.
pub(super) const WITH_RANGES: [&str; 6] = ["next_a", "next_e", "nexttime", "s_nexttime", "s_eventually", "s_always"];

/// All words that have a meaning here, wherever they stand (`inside` has one only before a list): a variable of such a name is printed as `$"…"`.
pub(super) const WORDS: [&str; 37] = [
    "accept_on",
    "reject_on",
    "sync_accept_on",
    "sync_reject_on",
    "not",
    "next_a",
    "next_e",
    "next_event",
    "next_event_a",
    "next_event_e",
    "forall",
    "s_eventually",
    "s_always",
    "nexttime",
    "s_nexttime",
    "disable",
    "if",
    "else",
    "and",
    "or",
    "xor",
    "nand",
    "nor",
    "xnor",
    "implies",
    "iff",
    "throughout",
    "intersect",
    "sync_abort",
    "async_abort",
    "s_until",
    "until_with",
    "s_until_with",
    "strong",
    "weak",
    "to",
    "downto",
];

/// What LTL has for a word of PSL.
pub(super) fn in_ltl(word: &str) -> Option<&'static str> {
    Some(match word {
        "always" => "`G`",
        "never" => "`G !`",
        "eventually" | "eventually!" | "s_eventually" => "`F`",
        "next" => "`WX` (weak) or `X` (strong)",
        "until" => "`W` (weak) or `U` (strong)",
        "before" => "`!q W p` for `p before_ q`",
        "and" => "`&&`",
        "or" => "`||`",
        "not" => "`!`",
        "implies" => "`->`",
        _ => return None,
    })
}

/// A word or a sign of an HDL between two booleans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Junction {
    And,
    Or,
    Xor,
    Nand,
    Nor,
    Xnor,
    /// `&` and `|` of Verilog.
    BitAnd,
    BitOr,
}

impl Junction {
    pub(super) fn called(word: &str) -> Option<Self> {
        Some(match word {
            "and" => Self::And,
            "or" => Self::Or,
            "xor" => Self::Xor,
            "nand" => Self::Nand,
            "nor" => Self::Nor,
            "xnor" => Self::Xnor,
            _ => return None,
        })
    }

    /// VHDL's bind as its booleans do; in SystemVerilog `and` and `or` join sequences and properties.
    pub(super) fn power(self, flavour: Flavour) -> (u8, u8) {
        match self {
            Self::And if flavour == Flavour::Verilog => (13, 14),
            Self::Or if flavour == Flavour::Verilog => (11, 12),
            Self::And | Self::Nand | Self::BitAnd => (33, 34),
            Self::BitOr => (29, 30),
            Self::Xor | Self::Xnor => (31, 32),
            Self::Or | Self::Nor => (27, 28),
        }
    }
}

/// When a clocked formula looks: at the edges of a signal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClockExpr {
    pub(crate) edge: Edge,
    /// Spelled out after [`super::expand`].
    pub(crate) signal: Vec<Piece>,
    pub(crate) span: Span,
}

const EDGES: &str =
    "a clock is an edge of a signal: (posedge clk), (negedge clk), rising_edge(clk) or falling_edge(clk)";

/// One more.
fn after(index: Index) -> Index {
    match index {
        Index::Int(n) => Index::Int(n.saturating_add(1)),
        index => Index::Binary(Sign::Add, Box::new(index), Box::new(Index::Int(1))),
    }
}

/// A node over parts that were checked when they were made.
fn over(op: PslOp, parts: Vec<Expr>, span: Span) -> Expr {
    let depth = parts.iter().map(|e| e.depth).max().unwrap_or(0) + 1;
    Expr { kind: ExprKind::Psl(op, parts), span, depth }
}

fn truth(value: bool, span: Span) -> Expr {
    Expr { kind: ExprKind::Bool(value), span, depth: 1 }
}

/// `r[*i:j]` or `b[->i:j]`.
fn repeated(how: Repetition, of: Expr, min: Index, max: Index, span: Span) -> Expr {
    over(PslOp::Repeat(how, Range { min, max: Some(max), span }), vec![of], span)
}

impl Parser<'_> {
    pub(super) fn flavour(&self) -> Flavour {
        self.dialect.flavour().unwrap_or_default()
    }

    /// Whether an operand begins here.
    fn at_operand(&self) -> bool {
        match &self.token {
            Token::Name(_) => !self.has_infix() && !self.is_stop(),
            Token::Quoted(_) | Token::Key(_) | Token::Number(_) | Token::Text(_) => true,
            Token::Sign(sign) => match *sign {
                "(" | "{" | "##" | "@" => true,
                "!" => self.span.start > self.last_end,
                _ => false,
            },
            Token::End => false,
        }
    }

    /// What a word means before an operand; `None` if it is a variable.
    pub(super) fn surface_word(&mut self, word: &str) -> Result<Option<Expr>, Mistake> {
        let (start, mark) = (self.span, self.mark());
        self.advance()?;
        let found = match word {
            "accept_on" | "reject_on" | "sync_accept_on" | "sync_reject_on" if self.token == Token::Sign("(") => {
                self.accepting(word, start)?
            }
            "s_eventually" | "s_always" | "nexttime" | "s_nexttime" if self.token == Token::Sign("[") => {
                Some(self.ranged(word, start)?)
            }
            "not" if self.at_operand() => {
                // In SystemVerilog it negates properties, elsewhere booleans first.
                let power = if self.flavour() == Flavour::Verilog { 15 } else { self.not_power() };
                let operand = self.psl_expr(power)?;
                let operand = self.marked_strong(operand)?;
                let (span, depth) = (start.to(operand.span), operand.depth);
                Some(self.node(ExprKind::Not(Box::new(operand)), span, depth)?)
            }
            "s_eventually" | "s_always" | "nexttime" | "s_nexttime" if self.at_operand() => {
                let (op, power) = match word {
                    "s_eventually" => (PslUnary::Finally, NEXT),
                    "s_always" => (PslUnary::Globally, 0),
                    "nexttime" => (PslUnary::Next, NEXT),
                    _ => (PslUnary::StrongNext, NEXT),
                };
                let operand = self.psl_expr(power)?;
                let span = start.to(operand.span);
                Some(self.psl_node(PslOp::Unary(op), vec![operand], span)?)
            }
            "next_a" | "next_a!" | "next_e" | "next_e!" if self.token == Token::Sign("[") => {
                let (min, max) = self.bounds()?;
                let operand = self.psl_expr(NEXT)?;
                Some(self.next_some(word.ends_with('!'), word.starts_with("next_a"), min, max, operand, start)?)
            }
            "forall" if matches!(self.token, Token::Name(_)) && !self.has_infix() => Some(self.forall(start)?),
            "disable" if self.at_word("iff") => {
                self.advance()?;
                let open = self.span;
                if self.token != Token::Sign("(") {
                    return fail(self.expected("`(`").help("as in `disable iff (reset) f`"));
                }
                self.advance()?;
                let condition = self.psl_expr(0)?;
                self.close(")", open)?;
                let operand = self.psl_expr(0)?;
                let span = start.to(operand.span);
                Some(self.psl_node(PslOp::Abort, vec![operand, condition], span)?)
            }
            "if" if self.token == Token::Sign("(") => self.choice(start)?,
            "case" if self.token == Token::Sign("(") && self.flavour() == Flavour::Verilog => Some(self.cases(start)?),
            "first_match" if self.token == Token::Sign("(") && self.flavour() == Flavour::Verilog => {
                return fail(self.unavailable(start, "first_match"));
            }
            _ if word.starts_with("next_event") && self.token == Token::Sign("(") => self.next_event(word, start)?,
            _ => None,
        };
        if found.is_none() {
            self.reset(mark);
        }
        Ok(found)
    }

    /// `[i:j]`, `[i to j]`; `[k]` is `[k:k]`.
    pub(super) fn bounds(&mut self) -> Result<(Index, Index), Mistake> {
        let open = self.span;
        self.advance()?;
        let (min, max) = self.psl_range()?;
        self.close("]", open)?;
        match max {
            Some(max) => Ok((min, max)),
            None => fail(
                self.error(Span::new(open.start, self.last_end), "this range has no end")
                    .label("expected a number")
                    .help("at every position from the i-th on is `next[i] always f`, at some `next![i] eventually! f`"),
            ),
        }
    }

    /// `next_a` and its like.
    pub(super) fn next_some(
        &self,
        strong: bool,
        all: bool,
        min: Index,
        max: Index,
        operand: Expr,
        start: Span,
    ) -> Parsed {
        let span = start.to(operand.span);
        let there = repeated(Repetition::Star, truth(true, start), after(min), after(max.clone()), start);
        let count = Range { min: max.clone(), max: Some(max), span: start };
        let last = |strong| over(PslOp::NextTimes { strong, count: count.clone() }, vec![truth(strong, start)], start);
        let op = if all { Suffix::Overlapping } else { Suffix::Some };
        let formula = self.psl_node(PslOp::Suffix(op), vec![there, operand], span)?;
        let depth = formula.depth;
        match (all, strong) {
            (true, true) => self.node(ExprKind::And(vec![last(true), formula]), span, depth),
            (false, false) => self.node(ExprKind::Or(vec![formula, last(false)]), span, depth),
            _ => Ok(formula),
        }
    }

    /// `next_event(b)(f)`, `next_event_a(b)[k:l](f)` and so on; `None` if it is the use of a definition.
    fn next_event(&mut self, word: &str, start: Span) -> Result<Option<Expr>, Mistake> {
        let (strong, plain) = (word.ends_with('!'), word.trim_end_matches('!'));
        let open = self.span;
        self.advance()?;
        let mode = std::mem::replace(&mut self.mode, Mode::Formula);
        let event = self.psl_expr(0)?;
        self.mode = mode;
        if self.token == Token::Sign(",") {
            return Ok(None);
        }
        self.close(")", open)?;
        let ranged = plain != "next_event";
        let (min, max) = match self.token {
            Token::Sign("[") => self.bounds()?,
            Token::Sign("(") if !ranged => (Index::Int(1), Index::Int(1)),
            _ if ranged => return fail(self.expected("`[`").help(format!("as in `{word}(b)[1:3](f)`"))),
            _ => return Ok(None),
        };
        if self.token != Token::Sign("(") {
            return fail(
                self.expected("`(`").help(format!("as in `{word}(b){}(f)`", if ranged { "[1:3]" } else { "" })),
            );
        }
        let open = self.span;
        self.advance()?;
        let operand = self.psl_expr(0)?;
        self.close(")", open)?;
        let span = Span::new(start.start, self.last_end);
        let all = plain == "next_event_a" || (plain == "next_event" && !strong);
        let op = if all { Suffix::Overlapping } else { Suffix::Some };
        let last = || repeated(Repetition::Goto, event.clone(), max.clone(), max.clone(), start);
        let there = repeated(Repetition::Goto, event.clone(), min, max.clone(), start);
        let formula = self.psl_node(PslOp::Suffix(op), vec![there, operand], span)?;
        let depth = formula.depth;
        Ok(Some(match (plain, strong) {
            ("next_event_a", true) => {
                let comes = over(PslOp::Strong, vec![last()], start);
                self.node(ExprKind::And(vec![comes, formula]), span, depth)?
            }
            ("next_event_e", false) => {
                let stays_away = over(PslOp::Suffix(Suffix::Overlapping), vec![last(), truth(false, start)], start);
                self.node(ExprKind::Or(vec![formula, stays_away]), span, depth)?
            }
            _ => formula,
        }))
    }

    /// `i in {0:3, 7}: f`, `i in boolean: f`.
    fn forall(&mut self, start: Span) -> Parsed {
        let Token::Name(variable) = self.advance()? else { unreachable!("asked before") };
        const LIKE: &str = "as in `forall i in {0:3}: always (req[i] -> next ack[i])`";
        if !self.at_word("in") {
            return fail(self.expected("`in`").help(LIKE));
        }
        self.advance()?;
        let from = self.span;
        let mut values = Vec::new();
        if self.at_word("boolean") {
            self.advance()?;
            values.push((Index::Int(0), Index::Int(1)));
        } else if self.token == Token::Sign("{") {
            self.advance()?;
            loop {
                let (first, last) = self.psl_range()?;
                let Some(last) = last else { return fail(self.expected("the last value").help(LIKE)) };
                values.push((first, last));
                if self.token != Token::Sign(",") {
                    break;
                }
                self.advance()?;
            }
            self.close("}", from)?;
        } else {
            return fail(self.expected("`{` or `boolean`").help(LIKE));
        }
        if self.token != Token::Sign(":") {
            return fail(self.expected("`:`").help(LIKE));
        }
        self.advance()?;
        let operand = self.psl_expr(0)?;
        let span = start.to(operand.span);
        self.psl_node(PslOp::Forall(variable, values, from), vec![operand], span)
    }

    /// `if (b) f else g`; `None` if it is the use of a definition.
    fn choice(&mut self, start: Span) -> Result<Option<Expr>, Mistake> {
        let open = self.span;
        self.advance()?;
        let condition = self.psl_expr(0)?;
        if self.token == Token::Sign(",") {
            return Ok(None);
        }
        self.close(")", open)?;
        if !self.at_operand() {
            return Ok(None);
        }
        self.stops.push("else");
        let yes = self.psl_expr(8)?;
        self.stops.pop();
        let depth = condition.depth.max(yes.depth);
        let span = Span::new(start.start, self.last_end);
        let then = self.node(ExprKind::Implies(Box::new(condition.clone()), Box::new(yes)), span, depth)?;
        if !self.at_word("else") {
            return Ok(Some(then));
        }
        self.advance()?;
        let no = self.psl_expr(8)?;
        let span = Span::new(start.start, self.last_end);
        let depth = condition.depth.max(no.depth);
        let otherwise = self.node(ExprKind::Or(vec![condition, no]), span, depth)?;
        let depth = then.depth.max(otherwise.depth);
        Ok(Some(self.node(ExprKind::And(vec![then, otherwise]), span, depth)?))
    }

    /// `a and b`, `a xor b` and so on.
    pub(super) fn junction(&mut self, first: Expr, junction: Junction) -> Parsed {
        let start = first.span.start;
        let infix = super::psl::PslInfix::Word(junction);
        let mut parts = vec![first];
        while self.psl_infix() == Some(infix) {
            self.advance()?;
            parts.push(self.psl_expr(self.power(infix).1)?);
        }
        let span = Span::new(start, self.last_end);
        let depth = parts.iter().map(|e| e.depth).max().unwrap_or(0);
        if self.flavour() == Flavour::Vhdl && matches!(self.psl_infix(), Some(super::psl::PslInfix::Word(_))) {
            return fail(
                self.error(self.span, "VHDL has no precedence among these operators")
                    .label("a second operator")
                    .help("put parentheses around one of the two"),
            );
        }
        let joined = |op, parts| self.psl_node(PslOp::Joined(op), parts, span);
        let negated = |e: Expr| {
            let depth = e.depth;
            self.node(ExprKind::Not(Box::new(e)), span, depth)
        };
        match junction {
            Junction::And | Junction::BitAnd => joined(SereOp::And, parts),
            Junction::Or | Junction::BitOr => joined(SereOp::Or, parts),
            Junction::Nand => negated(joined(SereOp::And, parts)?),
            Junction::Nor => negated(joined(SereOp::Or, parts)?),
            Junction::Xor | Junction::Xnor => {
                let mut parts = parts.into_iter();
                let Some(mut left) = parts.next() else { return fail(self.expected("a formula")) };
                for (depth, right) in (depth..).zip(parts) {
                    let same = self.node(ExprKind::Iff(Box::new(left), Box::new(right)), span, depth)?;
                    left = if junction == Junction::Xor { negated(same)? } else { same };
                }
                Ok(left)
            }
        }
    }

    /// `b throughout r` is `{b[*]} && {r}`.
    pub(super) fn throughout(&mut self, condition: Expr, sere: Expr) -> Parsed {
        let span = condition.span.to(sere.span);
        let range = Range { min: Index::Int(0), max: None, span: condition.span };
        let at = condition.span;
        let always = self.psl_node(PslOp::Repeat(Repetition::Star, range), vec![condition], at)?;
        self.psl_node(PslOp::Chain(SereOp::Intersect), vec![always, sere], span)
    }

    /// `##n r`, `r ##[n:m] s`, `##[*]`, `##[+]`.
    pub(super) fn delay(&mut self, left: Option<Expr>) -> Parsed {
        let start = left.as_ref().map_or(self.span, |left| left.span);
        self.advance()?;
        let open = self.span;
        let (min, max) = match self.token {
            Token::Sign("[") => {
                self.advance()?;
                let range = self.psl_range()?;
                self.close("]", open)?;
                range
            }
            Token::Sign(sign @ ("[*" | "[+")) => {
                self.advance()?;
                self.close("]", open)?;
                (Index::Int(i64::from(sign == "[+")), None)
            }
            Token::Number(_) | Token::Name(_) => {
                let count = self.index()?;
                (count.clone(), Some(count))
            }
            _ => {
                return fail(
                    self.expected("a number of cycles").help("as in `a ##1 b`, `a ##[1:3] b` or `a ##[1:$] b`"),
                );
            }
        };
        let range = Range { min, max, span: Span::new(open.start, self.last_end) };
        let right = self.psl_expr(24)?;
        let span = start.to(right.span);
        let parts = left.into_iter().chain([right]).collect();
        self.psl_node(PslOp::Delay(range), parts, span)
    }

    /// `{r}(f)` is `{r} |-> f`.
    pub(super) fn suffix_in_parentheses(&mut self, sere: Expr) -> Parsed {
        let open = self.span;
        self.advance()?;
        let formula = self.psl_expr(0)?;
        self.close(")", open)?;
        let span = Span::new(sere.span.start, self.last_end);
        self.psl_node(PslOp::Suffix(Suffix::Overlapping), vec![sere, formula], span)
    }

    /// `@(posedge clk) f`
    pub(super) fn clock_first(&mut self) -> Parsed {
        let start = self.span;
        let clock = self.clock()?;
        let power = if self.flavour() == Flavour::Verilog { 0 } else { SUFFIX };
        let operand = self.psl_expr(power)?;
        let span = start.to(operand.span);
        self.psl_node(PslOp::Clocked(clock), vec![operand], span)
    }

    /// `f @(posedge clk)`
    pub(super) fn clocked(&mut self, operand: Expr) -> Parsed {
        let clock = self.clock()?;
        let span = Span::new(operand.span.start, self.last_end);
        self.psl_node(PslOp::Clocked(clock), vec![operand], span)
    }

    /// What stands behind `@`, which is in hand.
    fn clock(&mut self) -> Result<ClockExpr, Mistake> {
        let start = self.span;
        self.advance()?;
        self.edge_of(start.start)
    }

    /// `(posedge clk)`, `rising_edge(clk)`.
    pub(crate) fn edge_of(&mut self, start: usize) -> Result<ClockExpr, Mistake> {
        let open = self.span;
        let in_parentheses = self.token == Token::Sign("(");
        if in_parentheses {
            self.advance()?;
        }
        let word = match &self.token {
            Token::Name(word) => word.clone(),
            _ => return fail(self.expected("the edge of a signal").help(EDGES)),
        };
        if let Some(rises) = self.event_of(&word)? {
            if in_parentheses {
                self.close(")", open)?;
            }
            let edge = if rises { Edge::Rising } else { Edge::Falling };
            return Ok(ClockExpr { edge, signal: vec![Piece::Text(word)], span: Span::new(start, self.last_end) });
        }
        let edge = match word.as_str() {
            "posedge" | "rising_edge" => Edge::Rising,
            "negedge" | "falling_edge" => Edge::Falling,
            "edge" => Edge::Both,
            _ => {
                let help = match self.flavour() {
                    Flavour::Verilog => {
                        format!("write (posedge {word}); for the name of a clocking block, the edge that it stands for")
                    }
                    _ => format!("write (posedge {word}) or rising_edge({word})"),
                };
                return fail(
                    self.error(self.span, format!("`{word}` does not say at which edge"))
                        .label("expected the edge of a signal")
                        .help(help),
                );
            }
        };
        self.advance()?;
        let (inner, called) = (self.span, word.ends_with("_edge"));
        if called {
            if self.token != Token::Sign("(") {
                return fail(self.expected("`(`").help(EDGES));
            }
            self.advance()?;
        }
        let signal = match &self.token {
            Token::Name(_) => self.pieces()?,
            Token::Quoted(name) => {
                let name = name.clone();
                self.advance()?;
                vec![Piece::Text(name)]
            }
            _ => return fail(self.expected("the name of a signal").help(EDGES)),
        };
        if called {
            self.close(")", inner)?;
        }
        if self.at_word("or") || self.at_word("iff") || self.token == Token::Sign(",") {
            let help = match self.at_word("iff") {
                true => {
                    "a clock that is gated is a signal of its own; where single cycles are asked about, `@(posedge clk) b |-> f`"
                }
                false => "a reset is `disable iff (!rst_n)`; what two clocks see are two properties",
            };
            return fail(
                self.error(self.span, "a clock is one edge of one signal").label("something beside it").help(help),
            );
        }
        if in_parentheses {
            self.close(")", open)?;
        }
        Ok(ClockExpr { edge, signal, span: Span::new(start, self.last_end) })
    }

    /// `data(3 downto 0)`: bits of a vector, called `data[3:0]`.
    pub(super) fn slice(&mut self, name: &str, name_span: Span, open: Span, first: &Expr) -> Parsed {
        let whole = |e: &Expr| match &e.kind {
            ExprKind::Number(n) => n.as_i64().map(Index::Int),
            ExprKind::Word(pieces) => match pieces.as_slice() {
                [Piece::Text(word)] => Some(Index::Word(word.clone(), e.span)),
                _ => None,
            },
            _ => None,
        };
        self.advance()?;
        let last = self.index()?;
        self.close(")", open)?;
        let span = Span::new(name_span.start, self.last_end);
        let Some(first) = whole(first) else {
            return fail(self.error(span, "the bits of a slice are whole numbers").label("as in data(3 downto 0)"));
        };
        let pieces = vec![Piece::Text(name.to_owned()), Piece::Slice(first, last)];
        self.node(ExprKind::Word(pieces), span, 0)
    }
}
