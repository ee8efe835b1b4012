//! Text in, flat form out; and mistakes with their places.

use super::read;
use crate::logic::{Ctl, Ltl, Psl};
use crate::model::fds::{Clause, Demand, Domain, ExprId, Fds, Role};

/// A formula with its atoms printed.
fn atoms(fds: &Fds, demand: &Demand) -> String {
    let shown = |id: &ExprId| {
        crate::logic::Atom::State(crate::logic::Condition::Nonzero(crate::logic::Term::Var(crate::logic::Var {
            name: fds.show(*id),
            spot: crate::logic::Spot::default(),
        })))
    };
    let text = match demand {
        Demand::Ltl(f) => {
            let f: Ltl = f.map_atoms(&mut |a| shown(a));
            f.to_string()
        }
        Demand::Ctl(f) => {
            let f: Ctl = f.map_atoms(&mut |a| shown(a));
            f.to_string()
        }
        Demand::Psl(f) => {
            let f: Psl = f.map_atoms(&mut |a| shown(a));
            f.to_string()
        }
        Demand::Invariant(id) => fds.show(*id),
    };
    text.replace("$\"", "\"")
}

/// All of a model, one thing in each line.
fn flat(fds: &Fds) -> String {
    let mut lines = Vec::new();
    for v in &fds.vars {
        let role = match v.role {
            Role::State => "var",
            Role::Input => "ivar",
            Role::Frozen => "frozen",
        };
        let domain = match &v.domain {
            Domain::Bool => "boolean".to_owned(),
            Domain::Range(lo, hi) => format!("{lo}..{hi}"),
            Domain::Choice(values) => {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                format!("{{{}}}", values.join(", "))
            }
        };
        lines.push(format!("{role} {} : {domain}", v.name));
    }
    let mut clauses = |word: &str, list: &[Clause]| {
        for c in list {
            let sign = if c.assigns { ":=" } else { "" };
            lines.push(format!("{word}{sign} {}", fds.show(c.expr)));
        }
    };
    clauses("init", &fds.init);
    clauses("invar", &fds.invar);
    clauses("trans", &fds.trans);
    clauses("justice", &fds.justice);
    clauses("final", &fds.finals);
    for (p, q) in &fds.compassion {
        lines.push(format!("compassion ({}, {})", fds.show(p.expr), fds.show(q.expr)));
    }
    for spec in &fds.specs {
        let name = spec.name.as_ref().map_or(String::new(), |n| format!("{n}: "));
        lines.push(format!("{} {name}{}", spec.logic(), atoms(fds, &spec.demand)));
    }
    for (name, id) in &fds.defines {
        lines.push(format!("define {name} := {}", fds.show(*id)));
    }
    for w in &fds.warnings {
        lines.push(format!("warning {w}"));
    }
    lines.join("\n")
}

#[track_caller]
fn reads(source: &str, expected: &str) {
    match read(source) {
        Ok(fds) => assert_eq!(flat(&fds), expected, "\n{}", flat(&fds)),
        Err(mistakes) => panic!("{mistakes:#?}"),
    }
}

#[test]
fn a_flat_module() {
    reads(
        "MODULE main
VAR
  state : {idle, busy};
  n : 0..3;
  b : boolean;
ASSIGN
  init(state) := idle;
  next(state) := case state = idle : {idle, busy}; TRUE : idle; esac;
  next(n) := n < 3 ? n + 1 : 0;
INIT n = 0 & !b;
TRANS next(b) = (next(n) = 0)
JUSTICE state = idle;
LTLSPEC G (state = busy -> F state = idle);
LTLSPEC NAME p := G F n = 3 & O b
SPEC AG (b -> EF !b)
INVARSPEC n <= 3
PSLSPEC always ({b; state = idle} |=> n != \"idle\");
",
        "var state : {idle, busy}
var n : 0..3
var b : boolean
init:= state in idle
init n = 0
init !b
trans:= next(state) in case state = idle : {idle, busy}; TRUE : idle; esac
trans:= next(n) in case n < 3 : n + 1; TRUE : 0; esac
trans next(b) = (next(n) = 0)
justice state = idle
ltl G (\"state = busy\" -> F \"state = idle\")
ltl p: G F \"n = 3\" && O b
ctl AG (b -> EF \"!b\")
invariant n <= 3
psl always {b; \"state = idle\"} |=> \"n != idle\"",
    );
}
