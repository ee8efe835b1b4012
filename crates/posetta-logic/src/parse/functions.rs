//! The functions of PSL and SystemVerilog, `forall`, and the names of clocks, put in while a formula is expanded.
//!
//! What a function says of values is written with comparisons: `rose(a)` is `a && !prev(a)`.

use super::Dialect;
use super::Index;
use super::expand::{Expanded, Expander, Frame};
use super::expr::{Expr, ExprKind, Name, Piece};
use super::psl::PslOp;
use super::surface::ClockExpr;
use crate::atom::Compare;
use crate::flavour::Flavour;
use posetta_base::{Kind, Located, Number, Span};

const VHDL: Dialect = Dialect::Psl(Flavour::Vhdl);

/// The functions of PSL and SystemVerilog that [`Expander`] knows, by their names.
const FUNCTIONS: [&str; 12] = [
    "prev",
    "rose",
    "fell",
    "stable",
    "changed",
    "onehot",
    "onehot0",
    "countones",
    "isunknown",
    "strong",
    "weak",
    "ended",
];

/// Functions of VHDL that take a vector for something else and leave its value.
const CONVERSIONS: [&str; 12] = [
    "unsigned",
    "to_integer",
    "to_unsigned",
    "conv_integer",
    "natural",
    "integer",
    "std_logic_vector",
    "std_ulogic_vector",
    "std_logic",
    "to_x01",
    "to_bit",
    "to_bitvector",
];

/// So many booleans may be counted: each is written down beside each other.
const MOST_COUNTED: usize = 64;

/// Whether this can only be a truth value.
fn is_condition(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Compare(..)
            | ExprKind::Not(_)
            | ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::Implies(..)
            | ExprKind::Iff(..)
            | ExprKind::Psl(PslOp::Joined(_), _)
    )
}

impl Expander<'_> {
    /// A mistake that says what was expected and what to write instead.
    pub(super) fn explained(
        &self,
        frame: &Frame<'_>,
        kind: Kind,
        span: Span,
        message: impl Into<String>,
        label: &str,
        help: &str,
    ) -> Located {
        let mut mistake = self.misused(frame, kind, span, message);
        mistake.diagnostic = mistake.diagnostic.label(label);
        if mistake.diagnostic.help.is_none() {
            mistake.diagnostic = mistake.diagnostic.help(help);
        }
        mistake
    }

    /// A function of PSL or SystemVerilog; `None` if there is none of that name. Definitions of that name were looked for before.
    pub(super) fn function(
        &mut self,
        name: &str,
        name_span: Span,
        lists: &[Vec<Expr>],
        span: Span,
        frame: &Frame<'_>,
        level: u32,
    ) -> Option<Expanded> {
        let dialect = self.dialect;
        let flavour = dialect.flavour()?;
        let plain = name.strip_prefix('$').unwrap_or(name);
        let plain = if name == "$past" { "prev" } else { plain };
        let [list] = lists else { return None };
        if let ("~" | "&" | "^", [one]) = (name, list.as_slice()) {
            // The width of a vector is known to the reader of a waveform.
            let one = self.expr(one, frame, level + 1);
            return Some(one.and_then(|one| match one.kind {
                ExprKind::Var(vector) => self.node(ExprKind::Var(format!("{name}({vector})")), span, 0, frame),
                kind if name == "~" => self.node(ExprKind::Not(Box::new(Expr { kind, ..one })), span, one.depth, frame),
                _ => {
                    let message = format!("`{name}` takes the bits of a vector together");
                    let help = "of several booleans it is a && b && c";
                    Err(Box::new(self.explained(frame, Kind::Type, span, message, "expected a vector", help)))
                }
            }));
        }
        if !FUNCTIONS.contains(&plain) {
            // Vectors are unsigned numbers, whatever VHDL takes them for.
            let converted = match list.as_slice() {
                [one] | [one, _] if flavour == Flavour::Vhdl && CONVERSIONS.contains(&name) => Some(one),
                [one] if name == "$unsigned" => Some(one),
                _ => None,
            };
            if let Some(one) = converted {
                return Some(self.expr(one, frame, level + 1));
            }
            // A bit of a vector is called as VHDL calls it.
            if let (Flavour::Vhdl, [one]) = (flavour, list.as_slice()) {
                if let Some(mistake) = self.foreign(name, name_span, frame) {
                    return Some(Err(mistake));
                }
                return Some(self.element(name, one, span, frame, level));
            }
            return self.foreign(name, name_span, frame).map(Err);
        }
        Some(self.known_function(plain, name, list, span, frame, level))
    }

    /// `data(3)`
    fn element(&mut self, name: &str, index: &Expr, span: Span, frame: &Frame<'_>, level: u32) -> Expanded {
        let index = self.expr(index, frame, level + 1)?;
        match &index.kind {
            ExprKind::Number(n) if n.as_i64().is_some() => {
                let name = format!("{name}[{n}]");
                self.node(ExprKind::Var(name), span, 0, frame)
            }
            _ => Err(Box::new(self.explained(
                frame,
                Kind::Definition,
                span,
                format!("`{name}` is neither a definition nor a function"),
                "expected a whole number, as in data(3)",
                "a bit of a vector is chosen before any run is read",
            ))),
        }
    }

    /// What other tools have and this one does not.
    fn foreign(&mut self, name: &str, span: Span, frame: &Frame<'_>) -> Option<Box<Located>> {
        let help = match name {
            "$sampled" => "values are those just before the edge anyway: write the signal without it",
            "matched" | "triggered" => "a match of a sequence that ends here is ended(r)",
            "nondet" | "nondet_vector" => "a run has its values; for every value write `forall i in {0:7}: f`",
            "first_match" => {
                "`{r} |-> f` asks f of every match; what must happen at the first one only has no operator"
            }
            "rising_edge" | "falling_edge" => {
                "an edge is a clock, as in `f @ rising_edge(clk)`; a boolean that has become true is rose(clk)"
            }
            "$past_gclk" | "$rose_gclk" | "$fell_gclk" | "$stable_gclk" | "$changed_gclk" => {
                "there is no global clock: write the function without `_gclk`"
            }
            _ if name.starts_with('$') => {
                "there are $past, $rose, $fell, $stable, $changed, $onehot, $onehot0, $countones and $isunknown"
            }
            _ => return None,
        };
        let message = format!("the function `{name}` is not available");
        Some(Box::new(self.explained(frame, Kind::Unsupported, span, message, "expected another function", help)))
    }

    fn known_function(
        &mut self,
        plain: &str,
        name: &str,
        list: &[Expr],
        span: Span,
        frame: &Frame<'_>,
        level: u32,
    ) -> Expanded {
        let arguments = list.iter().map(|e| self.expr(e, frame, level + 1)).collect::<Result<Vec<_>, _>>()?;
        let mut back = 1;
        let one = match arguments.as_slice() {
            [one] => Some(one.clone()),
            [one, Expr { kind: ExprKind::Number(n), .. }] if plain == "prev" => {
                back = n.as_i64().and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
                (back > 0).then(|| one.clone())
            }
            _ => None,
        };
        let wrong = |this: &Self, label: &str, help: &str| {
            let message = format!("`{name}` takes other arguments");
            Err(Box::new(this.explained(frame, Kind::Syntax, span, message, label, help)))
        };
        match (plain, one) {
            ("strong" | "weak", Some(r)) => {
                let depth = r.depth;
                let op = if plain == "strong" { PslOp::Strong } else { PslOp::Braces };
                self.node(ExprKind::Psl(op, vec![r]), span, depth, frame)
            }
            ("ended", Some(r)) => {
                let depth = r.depth;
                self.node(ExprKind::Psl(PslOp::Ended, vec![r]), span, depth, frame)
            }
            ("prev", Some(x)) => self.before(&x, back, frame),
            ("prev", None) if arguments.len() >= 2 => wrong(
                self,
                "expected prev(x), or prev(x, n) with a number from 1 on",
                "gates and clocks of `prev` are not available: the clock of the property is its clock",
            ),
            ("rose" | "fell" | "stable" | "changed", Some(x)) => {
                let old = self.before(&x, 1, frame)?;
                let depth = x.depth;
                let not = |this: &mut Self, e: Expr| {
                    let depth = e.depth;
                    this.node(ExprKind::Not(Box::new(e)), span, depth, frame)
                };
                match plain {
                    "rose" => {
                        let old = not(self, old)?;
                        self.node(ExprKind::And(vec![x, old]), span, depth + 1, frame)
                    }
                    "fell" => {
                        let now = not(self, x)?;
                        self.node(ExprKind::And(vec![now, old]), span, depth + 1, frame)
                    }
                    _ => {
                        // Values are compared, and so are truths.
                        let is_value = matches!(
                            x.kind,
                            ExprKind::Var(_) | ExprKind::Arith(..) | ExprKind::Neg(_) | ExprKind::Number(_)
                        );
                        let (x, old) = (Box::new(x), Box::new(old));
                        let kind = match is_value {
                            true => ExprKind::Compare(Compare::Eq, x, old),
                            false => ExprKind::Iff(x, old),
                        };
                        let same = self.node(kind, span, depth, frame)?;
                        if plain == "stable" { Ok(same) } else { not(self, same) }
                    }
                }
            }
            ("onehot" | "onehot0", None) if arguments.len() > MOST_COUNTED => {
                wrong(self, "too many", "64 booleans can be counted; of a vector it takes the vector")
            }
            ("onehot" | "onehot0", None) if !arguments.is_empty() => {
                self.at_most_one(plain == "onehot", &arguments, span, frame)
            }
            ("onehot" | "onehot0" | "countones" | "isunknown", Some(Expr { kind: ExprKind::Var(vector), .. })) => {
                // A variable of that name, which the reader of a waveform works out.
                let function = if plain == "isunknown" { plain } else { "countones" };
                let counted = self.node(ExprKind::Var(format!("{function}({vector})")), span, 0, frame)?;
                let op = match plain {
                    "onehot" => Compare::Eq,
                    "onehot0" => Compare::Le,
                    _ => return Ok(counted),
                };
                let one = self.node(ExprKind::Number(Number::ONE), span, 0, frame)?;
                self.node(ExprKind::Compare(op, Box::new(counted), Box::new(one)), span, 1, frame)
            }
            // VHDL joins bits to vectors by `&`.
            ("onehot" | "onehot0", Some(Expr { kind: ExprKind::And(bits), .. })) if self.dialect == VHDL => {
                self.at_most_one(plain == "onehot", &bits, span, frame)
            }
            ("onehot" | "onehot0" | "countones" | "isunknown", _) => {
                let message = format!("`{name}` takes a vector");
                let help = "as in onehot(grant); of booleans it is onehot(a, b, c), and countones cannot count them";
                Err(Box::new(self.explained(frame, Kind::Unsupported, span, message, "expected the name of one", help)))
            }
            _ => wrong(self, "expected one argument", "as in rose(a), stable(data) or onehot(a, b, c)"),
        }
    }

    /// HDLs compare truth values as well: `busy == (req || ack)` says of a bit that it is 1 where the condition holds, else 0.
    pub(super) fn truths(&mut self, compared: Expr, frame: &Frame<'_>) -> Expanded {
        let Expr { kind: ExprKind::Compare(op @ (Compare::Eq | Compare::Ne), a, b), span, depth } = compared else {
            return Ok(compared);
        };
        let same = match (is_condition(&a), is_condition(&b)) {
            (false, false) => return Ok(Expr { kind: ExprKind::Compare(op, a, b), span, depth }),
            (true, true) => self.node(ExprKind::Iff(a, b), span, depth, frame)?,
            (left, _) => {
                let (condition, value) = if left { (a, b) } else { (b, a) };
                if let ExprKind::Number(n) = &value.kind
                    && !n.is_zero()
                    && *n != Number::ONE
                {
                    let message = format!("a truth value is never {n}");
                    let help =
                        "operators join truth values, and no bits of vectors; a part of a vector is data[3:0] == 15";
                    return Err(Box::new(self.explained(
                        frame,
                        Kind::Type,
                        span,
                        message,
                        "expected 0 or 1 beside it",
                        help,
                    )));
                }
                if let ExprKind::Number(n) = &value.kind {
                    let depth = condition.depth;
                    let is_true = n.is_zero() != (op == Compare::Eq);
                    return match is_true {
                        true => Ok(Expr { span, ..*condition }),
                        false => self.node(ExprKind::Not(condition), span, depth, frame),
                    };
                }
                let mut wrapped = |kind, depth| self.node(kind, span, depth, frame);
                let one = Box::new(wrapped(ExprKind::Number(Number::ONE), 0)?);
                let zero = Box::new(wrapped(ExprKind::Number(Number::ZERO), 0)?);
                let is_one = wrapped(ExprKind::Compare(Compare::Eq, value.clone(), one), depth)?;
                let is_zero = wrapped(ExprKind::Compare(Compare::Eq, value, zero), depth)?;
                let not = wrapped(ExprKind::Not(condition.clone()), depth)?;
                let yes = wrapped(ExprKind::And(vec![*condition, is_one]), depth + 1)?;
                let no = wrapped(ExprKind::And(vec![not, is_zero]), depth + 2)?;
                wrapped(ExprKind::Or(vec![yes, no]), depth + 3)?
            }
        };
        match op {
            Compare::Eq => Ok(same),
            _ => {
                let depth = same.depth;
                self.node(ExprKind::Not(Box::new(same)), span, depth, frame)
            }
        }
    }

    /// At most one of several booleans is true, or exactly one.
    fn at_most_one(&mut self, exactly: bool, all: &[Expr], span: Span, frame: &Frame<'_>) -> Expanded {
        let depth = all.iter().map(|e| e.depth).max().unwrap_or(0);
        let size: u64 = all.iter().map(super::expand::size).sum();
        self.spend(size.saturating_mul(all.len() as u64), frame, span)?;
        let node = |kind, depth| Expr { kind, span: frame.site(span), depth };
        let mut parts = Vec::new();
        if exactly {
            parts.push(node(ExprKind::Or(all.to_vec()), depth + 1));
        }
        for (i, one) in all.iter().enumerate() {
            for other in &all[i + 1..] {
                let both = node(ExprKind::And(vec![one.clone(), other.clone()]), depth + 1);
                parts.push(node(ExprKind::Not(Box::new(both)), depth + 2));
            }
        }
        match parts.len() {
            1 => Ok(parts.remove(0)),
            _ => self.node(ExprKind::And(parts), span, depth + 2, frame),
        }
    }

    /// The same so many positions before.
    fn before(&mut self, expr: &Expr, back: u32, frame: &Frame<'_>) -> Expanded {
        let kind = match &expr.kind {
            ExprKind::Var(name) if back == 1 => ExprKind::Prev(name.clone()),
            // A variable of that name, which the reader of a waveform works out.
            ExprKind::Var(name) => ExprKind::Var(format!("prev({name}, {back})")),
            ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::Bool(_) | ExprKind::Key(_) => expr.kind.clone(),
            ExprKind::Neg(e) => ExprKind::Neg(Box::new(self.before(e, back, frame)?)),
            ExprKind::Not(e) => ExprKind::Not(Box::new(self.before(e, back, frame)?)),
            ExprKind::Arith(op, a, b) => {
                ExprKind::Arith(*op, Box::new(self.before(a, back, frame)?), Box::new(self.before(b, back, frame)?))
            }
            ExprKind::Compare(op, a, b) => {
                ExprKind::Compare(*op, Box::new(self.before(a, back, frame)?), Box::new(self.before(b, back, frame)?))
            }
            ExprKind::Implies(a, b) => {
                ExprKind::Implies(Box::new(self.before(a, back, frame)?), Box::new(self.before(b, back, frame)?))
            }
            ExprKind::Iff(a, b) => {
                ExprKind::Iff(Box::new(self.before(a, back, frame)?), Box::new(self.before(b, back, frame)?))
            }
            ExprKind::And(all) => {
                ExprKind::And(all.iter().map(|e| self.before(e, back, frame)).collect::<Result<_, _>>()?)
            }
            ExprKind::Or(all) => {
                ExprKind::Or(all.iter().map(|e| self.before(e, back, frame)).collect::<Result<_, _>>()?)
            }
            ExprKind::Psl(op @ PslOp::Joined(_), all) => {
                let all = all.iter().map(|e| self.before(e, back, frame)).collect::<Result<_, _>>()?;
                ExprKind::Psl(op.clone(), all)
            }
            _ => {
                let message = "what this was at the position before is not known";
                let label = "expected a condition on values, without events, `prev` and temporal operators";
                let help = "say it forwards: {!a; a} for rose(a)";
                return Err(Box::new(self.explained(frame, Kind::Unsupported, expr.span, message, label, help)));
            }
        };
        self.node(kind, expr.span, expr.depth.saturating_sub(1), frame)
    }

    /// `forall i in {…}: f`, with each value put in.
    #[expect(clippy::too_many_arguments, reason = "a loop has many parts, and each is needed once")]
    pub(super) fn forall(
        &mut self,
        variable: &str,
        values: &[(Index, Index)],
        at: Span,
        body: &Expr,
        span: Span,
        frame: &Frame<'_>,
        level: u32,
    ) -> Expanded {
        let mut loops = frame.loops().to_vec();
        let mut parts = Vec::new();
        for (first, last) in values {
            let (first, last) = (self.index(first, at, frame)?, self.index(last, at, frame)?);
            for value in first.min(last)..=first.max(last) {
                self.spend(1, frame, at)?;
                loops.push((variable.to_owned(), value));
                let inside = frame.with_loops(&loops);
                parts.push(self.expr(body, &inside, level + 1)?);
                loops.pop();
            }
        }
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        let depth = parts.iter().map(|e| e.depth).max().unwrap_or(0);
        self.node(ExprKind::And(parts), span, depth, frame)
    }

    /// The signal of a clock.
    pub(crate) fn clock_name(&mut self, clock: &ClockExpr, frame: &Frame<'_>) -> Expanded<String> {
        self.name(&Name::Word(clock.signal.clone()), clock.span, frame)
    }

    /// A clock with its signal spelled out.
    pub(super) fn clock(&mut self, clock: &ClockExpr, frame: &Frame<'_>) -> Expanded<ClockExpr> {
        let signal = self.clock_name(clock, frame)?;
        Ok(ClockExpr { signal: vec![Piece::Text(signal)], edge: clock.edge, span: frame.site(clock.span) })
    }
}
