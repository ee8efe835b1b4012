//! Expressions as text, in the syntax of SMV.

use std::fmt::Write;

use super::{Expr, ExprId, Fds, Op, Value};

/// Shared expressions are printed as often as they are used; longer texts are cut off.
const LONGEST: usize = 20_000;

impl Op {
    /// How it is written.
    #[must_use]
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::And => "&",
            Self::Or => "|",
            Self::Implies => "->",
            Self::Iff => "<->",
            Self::Xor => "xor",
            Self::Eq => "=",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Mod => "mod",
            Self::In => "in",
        }
    }

    /// How tightly it binds.
    fn level(self) -> u8 {
        match self {
            Self::Implies => 1,
            Self::Iff => 2,
            Self::Or | Self::Xor => 4,
            Self::And => 5,
            Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge => 7,
            Self::In => 8,
            Self::Add | Self::Sub => 11,
            Self::Mul | Self::Div | Self::Mod => 12,
        }
    }
}

/// What is still to be printed.
enum Piece {
    Text(&'static str),
    /// In parentheses unless it binds at least so tightly.
    Expr(ExprId, u8),
}

impl Fds {
    /// An expression in the syntax of SMV, over the flat variables. What is too long ends with `…`.
    #[must_use]
    pub fn show(&self, root: ExprId) -> String {
        let mut text = String::new();
        // A stack instead of calls: chains of operators are as long as the model makes them.
        let mut open = vec![Piece::Expr(root, 0)];
        while let Some(piece) = open.pop() {
            if text.len() > LONGEST {
                text.push('…');
                break;
            }
            match piece {
                Piece::Text(part) => text.push_str(part),
                Piece::Expr(id, least) => self.show_one(id, least, &mut text, &mut open),
            }
        }
        text
    }

    fn show_one(&self, id: ExprId, least: u8, text: &mut String, open: &mut Vec<Piece>) {
        use Piece::{Expr as E, Text as T};
        let mut pieces = Vec::new();
        let list = |parts: &[ExprId], pieces: &mut Vec<Piece>| {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    pieces.push(T(", "));
                }
                pieces.push(E(*part, 0));
            }
        };
        let level = match self.exprs.get(id) {
            Expr::Const(value) => {
                let _ = write!(text, "{value}");
                return;
            }
            Expr::Var { var, next } => {
                let name = &self.var(*var).name;
                let _ = if *next { write!(text, "next({name})") } else { write!(text, "{name}") };
                return;
            }
            Expr::Not(a) => {
                pieces.extend([T("!"), E(*a, 14)]);
                14
            }
            Expr::Neg(a) => {
                // Two signs in a row would begin a comment.
                let signed = matches!(self.exprs.get(*a), Expr::Neg(_) | Expr::Const(Value::Int(i64::MIN..=-1)));
                pieces.extend([T("-"), E(*a, if signed { 15 } else { 13 })]);
                if signed && matches!(self.exprs.get(*a), Expr::Const(_)) {
                    pieces = vec![T("-("), E(*a, 0), T(")")];
                }
                13
            }
            Expr::Binary(op, a, b) => {
                let level = op.level();
                let (left, right) = if *op == Op::Implies { (level + 1, level) } else { (level, level + 1) };
                let sign = op.sign();
                pieces.extend([E(*a, left), T(" "), T(sign), T(" "), E(*b, right)]);
                level
            }
            Expr::Case(arms) => {
                pieces.push(T("case "));
                for (condition, value) in arms {
                    pieces.extend([E(*condition, 0), T(" : "), E(*value, 0), T("; ")]);
                }
                pieces.push(T("esac"));
                15
            }
            Expr::Set(parts) => {
                pieces.push(T("{"));
                list(parts, &mut pieces);
                pieces.push(T("}"));
                15
            }
            Expr::Count(parts) => {
                pieces.push(T("count("));
                list(parts, &mut pieces);
                pieces.push(T(")"));
                15
            }
        };
        if level < least {
            pieces.insert(0, T("("));
            pieces.push(T(")"));
        }
        open.extend(pieces.into_iter().rev());
    }
}
