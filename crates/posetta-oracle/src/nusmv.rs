//! Models and properties in the language of NuSMV, for comparing with it.
//!
//! What NuSMV has no word for is written with what it has: `f W g` is `(f U g) | G f` and `f M g` is `g U (f & g)`, of CTL's weak operators
//! likewise, and `WX` is `X` because words are infinite. It has no final states: of a model that has some, the text is Posetta's own
//! SMV, with `FINAL` and `WX`.

use std::fmt::Write;

use posetta_logic::{Ctl, CtlBinary, CtlUnary, Ltl, LtlBinary, LtlUnary, Path};
use posetta_model::fds::{Clause, Demand, Domain, Expr, ExprId, Fds, Op, Role};

/// A model with its properties as a file.
///
/// # Panics
/// When there are formulas of PSL.
#[must_use]
pub fn text(model: &Fds, demands: &[Demand]) -> String {
    let mut out = "MODULE main\n".to_owned();
    let mut line = |words: String| writeln!(out, "{words}").expect("a string takes everything");
    for var in &model.vars {
        let word = match var.role {
            Role::State => "VAR",
            Role::Input => "IVAR",
            Role::Frozen => "FROZENVAR",
        };
        let domain = match &var.domain {
            Domain::Bool => "boolean".to_owned(),
            Domain::Range(lo, hi) => format!("{lo}..{hi}"),
            Domain::Choice(values) => {
                format!("{{{}}}", values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
            }
        };
        line(format!("{word} {} : {domain};", var.name));
    }
    let mut clauses = |word: &str, clauses: &[Clause]| {
        for clause in clauses {
            line(match model.exprs.get(clause.expr) {
                Expr::Binary(Op::In, x, e) if clause.assigns => {
                    let x = expr(model, *x);
                    let x = if word == "INIT" { format!("init({x})") } else { x };
                    format!("ASSIGN {x} := {};", expr(model, *e))
                }
                _ => format!("{word} {};", expr(model, clause.expr)),
            });
        }
    };
    clauses("INIT", &model.init);
    clauses("INVAR", &model.invar);
    clauses("TRANS", &model.trans);
    clauses("JUSTICE", &model.justice);
    clauses("FINAL", &model.finals);
    for (p, q) in &model.compassion {
        line(format!("COMPASSION ({}, {});", expr(model, p.expr), expr(model, q.expr)));
    }
    for demand in demands {
        line(match demand {
            Demand::Ltl(f) => format!("LTLSPEC {};", ltl(model, f)),
            Demand::Ctl(f) => format!("CTLSPEC {};", ctl(model, f)),
            Demand::Invariant(e) => format!("INVARSPEC {};", expr(model, *e)),
            Demand::Psl(_) => panic!("the two do not have the same PSL"),
        });
    }
    out
}

fn list(model: &Fds, parts: &[ExprId]) -> String {
    parts.iter().map(|&p| expr(model, p)).collect::<Vec<_>>().join(", ")
}

/// An expression, with all parentheses.
#[must_use]
pub fn expr(model: &Fds, id: ExprId) -> String {
    match model.exprs.get(id) {
        Expr::Const(value) => value.to_string(),
        Expr::Var { var, next: false } => model.var(*var).name.to_string(),
        Expr::Var { var, next: true } => format!("next({})", model.var(*var).name),
        Expr::Not(a) => format!("(!{})", expr(model, *a)),
        Expr::Neg(a) => format!("(-({}))", expr(model, *a)),
        Expr::Binary(op, a, b) => {
            let op = match op {
                Op::And => "&",
                Op::Or => "|",
                Op::Implies => "->",
                Op::Iff => "<->",
                Op::Xor => "xor",
                Op::Eq => "=",
                Op::Ne => "!=",
                Op::Lt => "<",
                Op::Le => "<=",
                Op::Gt => ">",
                Op::Ge => ">=",
                Op::Add => "+",
                Op::Sub => "-",
                Op::Mul => "*",
                Op::Div => "/",
                Op::Mod => "mod",
                Op::In => "in",
            };
            format!("({} {op} {})", expr(model, *a), expr(model, *b))
        }
        Expr::Case(arms) => {
            let arms: String =
                arms.iter().map(|&(c, a)| format!("{} : {}; ", expr(model, c), expr(model, a))).collect();
            format!("case {arms}esac")
        }
        Expr::Set(parts) => format!("{{{}}}", list(model, parts)),
        Expr::Count(parts) => format!("count({})", list(model, parts)),
    }
}

fn joined(parts: Vec<String>, op: &str) -> String {
    format!("({})", parts.join(op))
}

/// A formula of LTL, with all parentheses.
#[must_use]
pub fn ltl(model: &Fds, formula: &Ltl<ExprId>) -> String {
    let all = |fs: &[Ltl<ExprId>]| fs.iter().map(|f| ltl(model, f)).collect::<Vec<_>>();
    match formula {
        Ltl::True => "TRUE".to_owned(),
        Ltl::False => "FALSE".to_owned(),
        Ltl::Atom(a) => expr(model, *a),
        Ltl::Not(f) => format!("(!{})", ltl(model, f)),
        Ltl::And(fs) => joined(all(fs), " & "),
        Ltl::Or(fs) => joined(all(fs), " | "),
        Ltl::Implies(f, g) => format!("({} -> {})", ltl(model, f), ltl(model, g)),
        Ltl::Iff(f, g) => format!("({} <-> {})", ltl(model, f), ltl(model, g)),
        Ltl::Unary(op, f) => {
            let op = match op {
                LtlUnary::WeakNext if !model.finals.is_empty() => "WX",
                LtlUnary::Next | LtlUnary::WeakNext => "X",
                LtlUnary::Finally => "F",
                LtlUnary::Globally => "G",
                LtlUnary::Yesterday => "Y",
                LtlUnary::Once => "O",
                LtlUnary::Historically => "H",
            };
            format!("({op} {})", ltl(model, f))
        }
        Ltl::Binary(op, f, g) => {
            let (f, g) = (ltl(model, f), ltl(model, g));
            match op {
                LtlBinary::Until => format!("({f} U {g})"),
                LtlBinary::WeakUntil => format!("(({f} U {g}) | (G {f}))"),
                LtlBinary::Release => format!("({f} V {g})"),
                LtlBinary::StrongRelease => format!("({g} U ({f} & {g}))"),
                LtlBinary::Since => format!("({f} S {g})"),
            }
        }
    }
}

/// A formula of CTL, with all parentheses.
#[must_use]
pub fn ctl(model: &Fds, formula: &Ctl<ExprId>) -> String {
    let all = |fs: &[Ctl<ExprId>]| fs.iter().map(|f| ctl(model, f)).collect::<Vec<_>>();
    match formula {
        Ctl::True => "TRUE".to_owned(),
        Ctl::False => "FALSE".to_owned(),
        Ctl::Atom(a) => expr(model, *a),
        Ctl::Not(f) => format!("(!{})", ctl(model, f)),
        Ctl::And(fs) => joined(all(fs), " & "),
        Ctl::Or(fs) => joined(all(fs), " | "),
        Ctl::Implies(f, g) => format!("({} -> {})", ctl(model, f), ctl(model, g)),
        Ctl::Iff(f, g) => format!("({} <-> {})", ctl(model, f), ctl(model, g)),
        Ctl::Unary(path, op, f) => {
            let op = match op {
                CtlUnary::Next => "X",
                CtlUnary::Finally => "F",
                CtlUnary::Globally => "G",
            };
            format!("({}{op} {})", quantifier(*path), ctl(model, f))
        }
        Ctl::Binary(path, op, f, g) => {
            let (f, g) = (ctl(model, f), ctl(model, g));
            match (path, op) {
                (_, CtlBinary::Until) => format!("{} [{f} U {g}]", quantifier(*path)),
                (Path::Some, CtlBinary::WeakUntil) => format!("((EG {f}) | E [{f} U {g}])"),
                (Path::Some, CtlBinary::Release) => format!("((EG {g}) | E [{g} U ({f} & {g})])"),
                (Path::All, CtlBinary::WeakUntil) => format!("(!E [(!{g}) U (!({f} | {g}))])"),
                (Path::All, CtlBinary::Release) => format!("(!E [(!{f}) U (!{g})])"),
            }
        }
    }
}

fn quantifier(path: Path) -> &'static str {
    match path {
        Path::Some => "E",
        Path::All => "A",
    }
}
