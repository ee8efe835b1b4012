//! Operators of HDLs on vectors, and what SystemVerilog has beside PSL: read here, written with the operators of [`super::psl`].
//!
//! A vector is a number, and its width is known to the reader of a waveform only. So what needs the width (`~v`, `&v`, `^v`) is a variable of that
//! name, which that reader works out.

use super::Index;
use super::expr::{Expr, ExprKind};
use super::grammar::{Mistake, Parsed, Parser, fail};
use super::psl::{Mode, NEXT, NOT, NOT_OF_HDL, PslInfix, PslOp};
use crate::atom::Compare;
use crate::flavour::Flavour;
use crate::lex::Token;
use crate::psl::Suffix;
use posetta_base::{Diagnostic, Span};

/// Binds tighter than a comparison.
const ABOVE_COMPARING: u8 = 39;

/// What other tools have and nothing here stands for, with what to write instead.
pub(super) fn foreign(word: &str) -> Option<&'static str> {
    Some(match word {
        "union" => "`a union b` leaves the choice open: write `a || b` where either will do, or one property for each",
        "case" => "`case (x) 1: f; default: g; endcase` is written `if (x == 1) f else g`",
        "inside" => "a value from a list is written `x inside {1, [4:7]}`",
        "first_match" => "`{r} |-> f` asks f of every match; what must happen at the first one only has no operator",
        "local" | "logic" | "bit" | "int" | "integer" | "reg" | "byte" => {
            "variables inside of sequences and properties are not available: compare with prev(x), or ask `forall i in {0:7}: f`"
        }
        "mod" | "rem" => "there is no remainder in conditions: the low bits of a vector are data(1 downto 0)",
        "sll" | "srl" | "rol" | "ror" => "there are no shifts in conditions: bits of a vector are data(7 downto 4)",
        _ => return None,
    })
}

impl Parser<'_> {
    /// `case (x) 1, 2: f; default: g; endcase`: the formula of the first value that x has; without a `default` nothing is asked where it has
    /// none of them (IEEE 1800-2017, 16.12.16). The parser is at the parenthesis.
    pub(super) fn cases(&mut self, start: Span) -> Parsed {
        let open = self.span;
        self.advance()?;
        let chosen = self.psl_expr(0)?;
        self.close(")", open)?;
        let (mut branches, mut rest) = (Vec::new(), None);
        while !self.at_word("endcase") {
            let values = if self.at_word("default") {
                self.advance()?;
                None
            } else {
                Some(self.case_values(&chosen)?)
            };
            match self.token {
                Token::Sign(":") => drop(self.advance()?),
                _ if values.is_none() => {}
                _ => return fail(self.expected("`:`").help("as in `case (x) 1: f; default: g; endcase`")),
            }
            let formula = self.psl_expr(0)?;
            match (values, &rest) {
                (None, Some(_)) => return fail(self.error(formula.span, "this `case` has two defaults")),
                (None, None) => rest = Some(formula),
                (Some(mut equal), _) => {
                    let depth = equal.iter().map(|e| e.depth).max().unwrap_or(0);
                    let condition = match equal.len() {
                        1 => equal.remove(0),
                        _ => self.node(ExprKind::Or(equal), formula.span, depth)?,
                    };
                    branches.push((condition, formula));
                }
            }
            if self.token != Token::Sign(";") {
                return fail(self.expected("`;`"));
            }
            self.advance()?;
        }
        self.advance()?;
        let span = Span::new(start.start, self.last_end);
        for (condition, formula) in branches.into_iter().rev() {
            let depth = condition.depth.max(formula.depth);
            let then = self.node(ExprKind::Implies(Box::new(condition.clone()), Box::new(formula)), span, depth)?;
            rest = Some(match rest {
                None => then,
                Some(rest) => {
                    let depth = condition.depth.max(rest.depth);
                    let otherwise = self.node(ExprKind::Or(vec![condition, rest]), span, depth)?;
                    let depth = then.depth.max(otherwise.depth);
                    self.node(ExprKind::And(vec![then, otherwise]), span, depth)?
                }
            });
        }
        rest.ok_or_else(|| Box::new(self.error(span, "this `case` has no branches")))
    }

    /// The values of a branch, each compared with what was chosen: `1, 2` in `case (x) 1, 2: f; endcase`.
    fn case_values(&mut self, chosen: &Expr) -> Result<Vec<Expr>, Mistake> {
        let mut equal = Vec::new();
        loop {
            let value = self.psl_expr(ABOVE_COMPARING)?;
            let (span, depth) = (value.span, value.depth.max(chosen.depth));
            let compared = ExprKind::Compare(Compare::Eq, Box::new(chosen.clone()), Box::new(value));
            equal.push(self.node(compared, span, depth)?);
            if self.token != Token::Sign(",") {
                return Ok(equal);
            }
            self.advance()?;
        }
    }

    /// How tightly the operand of `!` and of `not` binds: in HDLs `!a == b` compares `!a`.
    pub(super) fn not_power(&self) -> u8 {
        if self.flavour() == Flavour::Any { NOT } else { NOT_OF_HDL }
    }

    /// A SERE with the `!` behind it that makes it strong.
    pub(super) fn marked_strong(&mut self, operand: Expr) -> Parsed {
        let is_sere = matches!(operand.kind, ExprKind::Psl(PslOp::Braces, _));
        if !is_sere || self.psl_infix() != Some(PslInfix::Strong) {
            return Ok(operand);
        }
        self.advance()?;
        let span = Span::new(operand.span.start, self.last_end);
        self.psl_node(PslOp::Strong, vec![operand], span)
    }

    /// What another tool has under this name, which is no variable here.
    pub(super) fn unavailable(&self, span: Span, word: &str) -> Diagnostic {
        let mistake = self.error(span, format!("`{word}` is not available")).label("expected a formula");
        match foreign(word) {
            Some(help) => mistake.help(help),
            None => mistake,
        }
    }

    /// `.name(e)` among the arguments of a definition.
    pub(super) fn named_argument(&mut self) -> Parsed {
        let start = self.span;
        self.advance()?;
        let Token::Name(name) = self.token.clone() else { return fail(self.expected("the name of a parameter")) };
        self.advance()?;
        let open = self.span;
        if self.token != Token::Sign("(") {
            return fail(self.expected("`(`").help("as in `p(.a(request), .b(answer))`"));
        }
        self.advance()?;
        let argument = self.psl_expr(0)?;
        self.close(")", open)?;
        let span = Span::new(start.start, self.last_end);
        self.psl_node(PslOp::Named(name), vec![argument], span)
    }

    /// `&` of VHDL.
    pub(super) fn joined_vectors(&self, span: Span) -> Diagnostic {
        self.error(span, "`&` joins bits to a vector in VHDL, and such vectors are not available here")
            .label("expected `and`")
            .help("compare each part by itself: `a = '1' and b = '0'` for `a & b = \"10\"`; onehot(a & b & c) is understood")
    }

    /// Operators of HDLs work on vectors bit by bit, and here they join truth values. Beside a literal of more than one bit the two differ; names
    /// are taken for bits.
    pub(super) fn compares_truths(&self, left: &Expr, right: &Expr) -> Result<(), Mistake> {
        if self.flavour() == Flavour::Any {
            return Ok(());
        }
        for (joined, other) in [(left, right), (right, left)] {
            let negates =
                matches!(&joined.kind, ExprKind::Not(e) if matches!(e.kind, ExprKind::Word(_) | ExprKind::Var(_)));
            let negates = negates && self.flavour() == Flavour::Vhdl;
            if (joins_values(joined) || negates) && self.is_vector(other) {
                return fail(
                    self.error(joined.span, "operators on the bits of vectors are not available here")
                        .label("a comparison of joined values")
                        .help("of single bits write `(a && b) == c`, or compare with 1'b1 or '1'; a part of a vector is `data[3:0] == 4'hf`, in VHDL `data(3 downto 0) = X\"F\"`"),
                );
            }
        }
        Ok(())
    }

    /// Whether this is a literal that is not one of a bit.
    fn is_vector(&self, expr: &Expr) -> bool {
        let text = self.source_of(expr.span);
        let is_bit = text.len() == 3 && text.starts_with('\'') || text.starts_with("1'");
        matches!(expr.kind, ExprKind::Number(_) | ExprKind::Text(_)) && !is_bit
    }

    pub(super) fn no_choice(&self, span: Span, name: &str) -> Diagnostic {
        self.error(span, format!("the function `{name}` is not available"))
            .label("a run has its values, and nothing is chosen")
            .help("for every value write `forall i in {0:7}: f`")
    }

    /// The brace in `onehot({a, b, c})`, if there is one: bits joined to a vector are as good as a list.
    pub(super) fn list_of_bits(&mut self, name: &str) -> Result<Option<Span>, Mistake> {
        let counts = matches!(name.trim_start_matches('$'), "onehot" | "onehot0");
        if !(self.dialect.is_psl() && counts && self.token == Token::Sign("{")) {
            return Ok(None);
        }
        let brace = self.span;
        self.advance()?;
        Ok(Some(brace))
    }

    /// What stands behind a `{` that a comma follows.
    pub(super) fn joined_bits(&self, open: Span) -> Diagnostic {
        self.error(Span::new(open.start, self.span.end), "bits joined to a vector are not available here")
            .label("expected a SERE, as in {a; b}")
            .help("compare each by itself: `a && !b` for `{a, b} == 2'b10`; onehot({a, b, c}) is understood")
    }

    /// `~v`, `&v`, `|v`, `^v`
    pub(super) fn reduction(&mut self, sign: &'static str) -> Parsed {
        let start = self.span;
        self.advance()?;
        let operand = self.psl_expr(NOT_OF_HDL)?;
        let span = start.to(operand.span);
        let depth = operand.depth;
        let is_vector = matches!(operand.kind, ExprKind::Word(_) | ExprKind::Var(_));
        match sign {
            // Of a condition it is its negation.
            "~" if !is_vector => self.node(ExprKind::Not(Box::new(operand)), span, depth),
            "|" if is_vector => {
                // Twice negated it is a truth value, and no value that has bits which are not known is one.
                let none = self.node(ExprKind::Not(Box::new(operand)), span, depth)?;
                let depth = none.depth;
                self.node(ExprKind::Not(Box::new(none)), span, depth)
            }
            _ if is_vector => {
                let lists = vec![vec![operand]];
                let name = sign.to_owned();
                self.node(ExprKind::Call { name, name_span: start, lists, scope: None }, span, depth)
            }
            _ => fail(
                self.error(span, format!("`{sign}` before something takes the bits of a vector together"))
                    .label("expected the name of a vector behind it"),
            ),
        }
    }

    /// `x inside {1, [4:7]}`
    pub(super) fn inside(&mut self, left: Expr) -> Parsed {
        self.advance()?;
        let open = self.span;
        if self.token != Token::Sign("{") {
            return fail(self.expected("`{`").help("as in `x inside {1, [4:7]}`"));
        }
        self.advance()?;
        let mode = std::mem::replace(&mut self.mode, Mode::Formula);
        let mut parts = Vec::new();
        loop {
            let at = self.span;
            let compare = |this: &Self, op, value: Expr| {
                let depth = left.depth.max(value.depth);
                let span = value.span;
                this.node(ExprKind::Compare(op, Box::new(left.clone()), Box::new(value)), span, depth)
            };
            if self.token == Token::Sign("[") {
                self.advance()?;
                let low = self.psl_expr(39)?;
                if self.token != Token::Sign(":") {
                    return fail(self.expected("`:`").help("as in `x inside {1, [4:7]}`"));
                }
                self.advance()?;
                let high = self.psl_expr(39)?;
                self.close("]", at)?;
                let (low, high) = (compare(self, Compare::Ge, low)?, compare(self, Compare::Le, high)?);
                let depth = low.depth.max(high.depth);
                parts.push(self.node(ExprKind::And(vec![low, high]), Span::new(at.start, self.last_end), depth)?);
            } else {
                let value = self.psl_expr(39)?;
                parts.push(compare(self, Compare::Eq, value)?);
            }
            if self.token != Token::Sign(",") {
                break;
            }
            self.advance()?;
        }
        self.mode = mode;
        self.close("}", open)?;
        let span = Span::new(left.span.start, self.last_end);
        let depth = parts.iter().map(|e| e.depth).max().unwrap_or(0);
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        self.node(ExprKind::Or(parts), span, depth)
    }

    /// `r #-# f` is `<r> f`, `r #=# f` is `<r; true> f`.
    pub(super) fn followed_by(&mut self, left: Expr, after: bool) -> Parsed {
        self.advance()?;
        let right = self.psl_expr(super::psl::SUFFIX)?;
        let span = left.span.to(right.span);
        let sere = if after {
            let truth = self.node(ExprKind::Bool(true), left.span, 0)?;
            let at = left.span;
            self.psl_node(PslOp::Chain(crate::psl::SereOp::Concat), vec![left, truth], at)?
        } else {
            left
        };
        self.psl_node(PslOp::Suffix(Suffix::Some), vec![sere, right], span)
    }

    /// `accept_on (b) f` is `f abort b`, `reject_on (b) f` is `!(!f abort b)`.
    pub(super) fn accepting(&mut self, word: &str, start: Span) -> Result<Option<Expr>, Mistake> {
        let open = self.span;
        self.advance()?;
        let condition = self.psl_expr(0)?;
        if self.token == Token::Sign(",") {
            return Ok(None);
        }
        self.close(")", open)?;
        let operand = self.psl_expr(0)?;
        let span = start.to(operand.span);
        let not = |this: &Self, e: Expr| {
            let depth = e.depth;
            this.node(ExprKind::Not(Box::new(e)), span, depth)
        };
        let rejects = word.ends_with("reject_on");
        let operand = if rejects { not(self, operand)? } else { operand };
        let aborted = self.psl_node(PslOp::Abort, vec![operand, condition], span)?;
        Ok(Some(if rejects { not(self, aborted)? } else { aborted }))
    }

    /// `nexttime [n] f`, `s_eventually [m:n] f`, `always [m:n] f` and their like; the word is read.
    pub(super) fn ranged(&mut self, word: &str, start: Span) -> Parsed {
        let (min, max) = self.bounds()?;
        let operand = self.psl_expr(NEXT)?;
        let strong = word.starts_with("s_");
        let all = matches!(word, "always" | "s_always");
        let once = matches!(word, "nexttime" | "s_nexttime");
        if once && !same(&min, &max) {
            return fail(self.error(start, format!("`{word}` takes one number")).label("as in nexttime [2] f"));
        }
        self.next_some(strong, all || once, min, max, operand, start)
    }

    /// `clk'event and clk = '1'`: the edge of a clock as VHDL's sources of old have it. Answers with whether it rises.
    pub(super) fn event_of(&mut self, name: &str) -> Result<Option<bool>, Mistake> {
        if self.flavour() == Flavour::Verilog {
            return Ok(None);
        }
        let behind = self.source_behind();
        let words: Vec<&str> = behind.split_whitespace().collect();
        let text = words.join(" ").to_lowercase();
        let rises = [("'1'", true), ("'0'", false)].into_iter().find(|(bit, _)| {
            let forms = [format!("'event and {name} = {bit}"), format!("'event and {name}={bit}")];
            forms.iter().any(|form| text.starts_with(form.as_str()))
        });
        let Some((bit, rises)) = rises else { return Ok(None) };
        let length = behind.find(bit).map_or(0, |at| at + bit.len());
        let mut mark = self.mark();
        mark.0 = self.span.end + length;
        self.reset(mark);
        self.advance()?;
        Ok(Some(rises))
    }
}

/// Whether two numbers are written the same.
fn same(a: &Index, b: &Index) -> bool {
    a == b
}

/// Whether some of what is joined bit by bit is a plain value, and no condition.
fn joins_values(expr: &Expr) -> bool {
    let is_value =
        |e: &Expr| matches!(e.kind, ExprKind::Word(_) | ExprKind::Var(_) | ExprKind::Number(_) | ExprKind::Arith(..));
    match &expr.kind {
        ExprKind::Psl(PslOp::Joined(_), parts) => parts.iter().any(|part| is_value(part) || joins_values(part)),
        ExprKind::Iff(a, b) => [a, b].into_iter().any(|part| is_value(part) || joins_values(part)),
        ExprKind::Not(e) => joins_values(e),
        _ => false,
    }
}
