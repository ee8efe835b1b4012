//! Assignments that need each other.
//!
//! They are equations here and mean something, so they are worth a warning; NuSMV refuses them. What a value needs is followed through its
//! expression, each node of which is visited once for the value now and once for the value after the step.

use rustc_hash::{FxHashMap, FxHashSet};

use super::tree::When;
use crate::fds::{Clause, Expr, ExprId, Fds, Op};
use crate::problem::Problems;
use posetta_base::{Kind, Span, Spanned, VarId};

/// After so many circles the rest is not looked at.
const ENOUGH: usize = 16;

/// So many names of a circle are shown.
const SHOWN: usize = 8;

/// An expression; with `true` for what it is in the state of which values are looked for, else in the one before it.
type Node = (ExprId, bool);

/// What the value of a variable comes from.
#[derive(Clone, Copy)]
struct Source {
    value: Node,
    when: When,
    span: Span,
}

/// Warns of assignments that go in a circle.
pub(super) fn warn(fds: &Fds, warnings: &mut Problems) {
    let mut told = FxHashSet::default();
    for (clauses, when) in [(&fds.init, When::Init), (&fds.trans, When::Next)] {
        let mut sources = FxHashMap::default();
        collect(fds, &fds.invar, When::Always, &mut sources);
        collect(fds, clauses, when, &mut sources);
        Search { fds, sources, when, told: &mut told, warnings }.run();
    }
}

fn collect(fds: &Fds, clauses: &[Clause], when: When, sources: &mut FxHashMap<VarId, Source>) {
    for clause in clauses.iter().filter(|c| c.assigns) {
        if let Expr::Binary(Op::In, target, value) = *fds.exprs.get(clause.expr)
            && let Expr::Var { var, .. } = *fds.exprs.get(target)
        {
            // Only what is assigned to `next(x)` speaks of the state before the one that x is looked for in.
            sources.insert(var, Source { value: (value, when != When::Next), when, span: clause.span });
        }
    }
}

struct Search<'s> {
    fds: &'s Fds,
    sources: FxHashMap<VarId, Source>,
    when: When,
    told: &'s mut FxHashSet<VarId>,
    warnings: &'s mut Problems,
}

impl Search<'_> {
    /// The variable whose value is looked for at a node.
    fn wanted(&self, (id, here): Node) -> Option<(VarId, Source)> {
        match *self.fds.exprs.get(id) {
            Expr::Var { var, next } if next || here => Some((var, *self.sources.get(&var)?)),
            _ => None,
        }
    }

    fn needs(&self, node: Node) -> Vec<Node> {
        if let Some((_, source)) = self.wanted(node) {
            return vec![source.value];
        }
        let mut found = Vec::new();
        self.fds.exprs.get(node.0).for_each_operand(|o| found.push((o, node.1)));
        found
    }

    fn run(&mut self) {
        let mut roots: Vec<Source> = self.sources.values().copied().collect();
        roots.sort_by_key(|s| s.span.start);
        // `true` while it is on the path.
        let mut seen: FxHashMap<Node, bool> = FxHashMap::default();
        let mut circles = 0;
        for root in roots {
            if seen.contains_key(&root.value) {
                continue;
            }
            seen.insert(root.value, true);
            let mut path = vec![(root.value, self.needs(root.value))];
            while let Some((node, open)) = path.last_mut() {
                let Some(next) = open.pop() else {
                    seen.insert(*node, false);
                    path.pop();
                    continue;
                };
                match seen.get(&next) {
                    Some(true) => {
                        let from = path.iter().rposition(|(n, _)| *n == next).unwrap_or(0);
                        let circle: Vec<Node> = path[from..].iter().map(|(n, _)| *n).collect();
                        self.tell(&circle);
                        circles += 1;
                        if circles >= ENOUGH {
                            return;
                        }
                    }
                    Some(false) => {}
                    None => {
                        seen.insert(next, true);
                        let needs = self.needs(next);
                        path.push((next, needs));
                    }
                }
            }
        }
    }

    fn tell(&mut self, circle: &[Node]) {
        let mut vars: Vec<(VarId, Source)> = circle.iter().filter_map(|n| self.wanted(*n)).collect();
        if vars.iter().any(|(var, _)| self.told.contains(var)) {
            return;
        }
        self.told.extend(vars.iter().map(|(var, _)| *var));
        // It begins where it stands first in the text.
        let Some(first) = (0..vars.len()).min_by_key(|&i| vars[i].1.span.start) else { return };
        vars.rotate_left(first);
        let always = vars.iter().all(|(_, source)| source.when == When::Always);
        let named = |(var, _): &(VarId, Source)| {
            let name = &self.fds.vars[var.index()].name;
            match self.when {
                _ if always => format!("`{name}`"),
                When::Next => format!("`next({name})`"),
                _ => format!("`init({name})`"),
            }
        };
        let mut names: Vec<String> = vars.iter().take(SHOWN).map(named).collect();
        if vars.len() > SHOWN {
            names.push("…".to_owned());
        }
        names.push(named(&vars[0]));
        let warning = Spanned::new(Kind::Definition, vars[0].1.span, "assignments go in a circle");
        self.warnings.push(
            warning
                .label(names.join(" needs "))
                .help("they are read as equations, which may have several solutions or none; NuSMV refuses them"),
        );
    }
}
