//! Which variables belong together, for the order that diagrams begin with.
//!
//! What one clause, one atom of a property or one part of them speaks of should stand close together ([`posetta_dd::order`]); a part says more than
//! a whole that speaks of everything: `a = x & b = y & …` is about pairs. Indices of arrays belong above the array. Numbers that are compared,
//! added or assigned to each other have small diagrams if their bits alternate.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::layout::width;
use super::property::Property;
use posetta_compile::tester::{Assertion, AssertionId, Tester};
use posetta_logic::branching::Node;
use posetta_model::fds::{Clause, Domain, Expr, ExprId, Fds, Op};

/// A part that mentions more variables than this says too little about any two of them.
const FEW: usize = 8;

/// What is known about variables before anything is built. Variables of the model have their numbers; those of the testers follow in turn.
pub(super) struct Related {
    /// Sets of variables that are mentioned together.
    pub(super) together: Vec<Vec<usize>>,
    /// Variables that come before all others.
    pub(super) choosers: Vec<usize>,
    /// Variables of the model whose bits alternate. No variable is in two of them.
    pub(super) words: Vec<Vec<usize>>,
}

impl Related {
    pub(super) fn of(model: &Fds, properties: &[Property]) -> Self {
        let choosers = choosers(model);
        let roots = roots(model, properties);
        let words = words(model, &roots, &choosers);
        Self { together: together(model, properties, &roots), choosers, words }
    }
}

/// What the model and its properties say of a state or of a step.
fn roots(model: &Fds, properties: &[Property]) -> Vec<ExprId> {
    let clauses = model.init.iter().chain(&model.invar).chain(&model.trans).chain(&model.justice).chain(&model.finals);
    let mut roots: Vec<ExprId> = clauses.map(|clause: &Clause| clause.expr).collect();
    roots.extend(model.compassion.iter().flat_map(|(p, q)| [p.expr, q.expr]));
    for property in properties {
        match property {
            Property::Linear(linear) => roots.extend(&linear.atoms),
            Property::Invariant(expr) => roots.push(*expr),
            Property::Branching(program) => {
                roots
                    .extend(program.nodes().iter().filter_map(|n| if let Node::Atom(e) = n { Some(*e) } else { None }));
            }
            Property::Over(_) => {}
        }
    }
    roots
}

/// Adds a set that says something.
fn mention(sets: &mut Vec<Vec<usize>>, mut set: Vec<usize>) {
    set.sort_unstable();
    set.dedup();
    if set.len() > 1 {
        sets.push(set);
    }
}

fn together(model: &Fds, properties: &[Property], roots: &[ExprId]) -> Vec<Vec<usize>> {
    let mut sets = Vec::new();
    let vars = |expr: ExprId| {
        let (now, next) = model.exprs.vars(expr);
        now.into_iter().chain(next).map(|v| v.index()).collect::<Vec<usize>>()
    };
    pieces(model, roots, &vars).into_iter().for_each(|set| mention(&mut sets, set));
    let known: FxHashSet<Vec<usize>> = sets.iter().cloned().collect();
    sets.extend(parts(model, roots).into_iter().filter(|set| !known.contains(set)));
    let mut base = model.vars.len();
    for property in properties {
        if let Property::Linear(linear) = property
            && let Some(tester) = &linear.tester
        {
            for &id in tester.modules.iter().flat_map(|m| &m.trans) {
                mention(&mut sets, in_tester(tester, id, base, &|atom| vars(linear.atoms[atom])));
            }
        }
        base += property.vars();
    }
    sets
}

/// What is said, in pieces: where many parts that share no variable are combined, each part for itself, because such a combination is small in
/// whatever order they come.
fn pieces(model: &Fds, roots: &[ExprId], vars: &dyn Fn(ExprId) -> Vec<usize>) -> Vec<Vec<usize>> {
    let mut pieces = Vec::new();
    let mut open: Vec<ExprId> = roots.iter().rev().copied().collect();
    while let Some(id) = open.pop() {
        let set: BTreeSet<usize> = vars(id).into_iter().collect();
        if set.len() > FEW {
            let operands = combined(model, id);
            let each = |&part: &ExprId| vars(part).into_iter().collect::<BTreeSet<usize>>().len();
            if !operands.is_empty() && operands.iter().map(each).sum::<usize>() == set.len() {
                open.extend(operands);
                continue;
            }
        }
        pieces.push(set.into_iter().collect());
    }
    pieces
}

/// The truth values that one is a combination of, from the last; none if it is none.
fn combined(model: &Fds, id: ExprId) -> Vec<ExprId> {
    match model.exprs.get(id) {
        Expr::Not(a) => vec![*a],
        Expr::Binary(op @ (Op::And | Op::Or | Op::Implies | Op::Iff | Op::Xor), a, b) => {
            let (mut found, mut open) = (Vec::new(), vec![*a, *b]);
            while let Some(part) = open.pop() {
                match model.exprs.get(part) {
                    Expr::Binary(other, a, b) if other == op && *op != Op::Implies => open.extend([*a, *b]),
                    _ => found.push(part),
                }
            }
            found
        }
        _ => Vec::new(),
    }
}

/// What an assertion of a tester, whose variables begin at `base`, mentions.
fn in_tester(tester: &Tester, id: AssertionId, base: usize, vars: &dyn Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let (mut set, mut open, mut seen) = (Vec::new(), vec![id], FxHashSet::default());
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        match tester.assertions.get(id) {
            Assertion::Constant(_) => {}
            Assertion::Atom(atom) => set.extend(vars(atom.0 as usize)),
            Assertion::Var(var) => set.push(base + var.index()),
            Assertion::Next(a) | Assertion::Not(a) => open.push(*a),
            Assertion::And(parts) | Assertion::Or(parts) => open.extend(parts),
            Assertion::Iff(a, b) => open.extend([*a, *b]),
        }
    }
    set
}

/// The sets of few variables that parts of expressions mention, each once, in the order of the parts.
fn parts(model: &Fds, roots: &[ExprId]) -> Vec<Vec<usize>> {
    let below = model.exprs.below(roots);
    // By part: its variables, if they are few. Operands come first.
    let mut few: FxHashMap<ExprId, Option<BTreeSet<usize>>> = FxHashMap::default();
    // `a & b` says nothing of its own inside of `a & b & c`.
    let mut inner: FxHashSet<ExprId> = FxHashSet::default();
    let join = |few: &FxHashMap<ExprId, Option<BTreeSet<usize>>>, ids: &[ExprId]| {
        let mut all = BTreeSet::new();
        for id in ids {
            all.extend(few.get(id)?.as_ref()?);
            if all.len() > FEW {
                return None;
            }
        }
        Some(all)
    };
    let mut found: Vec<(ExprId, BTreeSet<usize>)> = Vec::new();
    for &id in &below {
        let set = match model.exprs.get(id) {
            Expr::Const(_) => Some(BTreeSet::new()),
            Expr::Var { var, .. } => Some(BTreeSet::from([var.index()])),
            Expr::Not(a) | Expr::Neg(a) => few[a].clone(),
            Expr::Binary(op, a, b) => {
                if matches!(op, Op::And | Op::Or | Op::Xor | Op::Iff | Op::Add) {
                    let same = |id: &&ExprId| matches!(model.exprs.get(**id), Expr::Binary(o, ..) if o == op);
                    inner.extend([a, b].iter().filter(|id| same(id)).copied());
                }
                if let (Op::In, Expr::Case(arms)) = (op, model.exprs.get(*b)) {
                    // What is assigned, and each of what it can be.
                    found.extend(arms.iter().filter_map(|&(c, v)| Some((id, join(&few, &[*a, c, v])?))));
                }
                join(&few, &[*a, *b])
            }
            Expr::Case(arms) => join(&few, &arms.iter().flat_map(|&(c, v)| [c, v]).collect::<Vec<_>>()),
            Expr::Set(parts) | Expr::Count(parts) => join(&few, parts),
        };
        found.extend(set.clone().map(|set| (id, set)));
        few.insert(id, set);
    }
    let mut known = FxHashSet::default();
    let outer = found.into_iter().filter(|(id, set)| !inner.contains(id) && set.len() > 1);
    outer.map(|(_, set)| set.into_iter().collect::<Vec<usize>>()).filter(|set| known.insert(set.clone())).collect()
}

/// Variables that choose among many others, as the index of an array does: they belong above what they choose from, or a diagram has to remember
/// all of it until the choice is made.
fn choosers(model: &Fds) -> Vec<usize> {
    /// With fewer arms, or fewer variables to choose from, either order will do.
    const MANY: usize = 4;
    let mut found = BTreeSet::new();
    for expr in model.exprs.all() {
        let Expr::Case(arms) = expr else { continue };
        if arms.len() < MANY {
            continue;
        }
        let reads = |id: ExprId| {
            let (now, next) = model.exprs.vars(id);
            now.into_iter().chain(next)
        };
        let choosing: BTreeSet<_> = arms.iter().flat_map(|&(condition, _)| reads(condition)).collect();
        let chosen: BTreeSet<_> = arms.iter().flat_map(|&(_, arm)| reads(arm)).collect();
        if choosing.len() == 1 && chosen.difference(&choosing).count() >= MANY {
            found.extend(choosing.into_iter().map(|v| v.index()));
        }
    }
    found.into_iter().collect()
}

/// Groups of numbers whose bits should alternate: those that meet in comparisons, sums and assignments, if there are few of them.
///
/// One after the other, a diagram that compares two numbers remembers all of the first, `2^width`; where bits alternate it has to remember for each
/// pair how it compares so far, `3^pairs`. The smaller one is chosen.
fn words(model: &Fds, roots: &[ExprId], choosers: &[usize]) -> Vec<Vec<usize>> {
    let is_number = |v: usize| {
        matches!(model.vars[v].domain, Domain::Range(..)) && width(&model.vars[v].domain) > 1 && !choosers.contains(&v)
    };
    // By part: the numbers that its value is made of.
    let mut made_of: FxHashMap<ExprId, BTreeSet<usize>> = FxHashMap::default();
    let mut group: Vec<usize> = (0..model.vars.len()).collect();
    fn find(group: &mut [usize], mut v: usize) -> usize {
        while group[v] != v {
            group[v] = group[group[v]];
            v = group[v];
        }
        v
    }
    for id in model.exprs.below(roots) {
        let of = |ids: &mut dyn Iterator<Item = ExprId>| ids.flat_map(|id| made_of[&id].iter().copied()).collect();
        let numbers: BTreeSet<usize> = match model.exprs.get(id) {
            Expr::Const(_) | Expr::Count(_) | Expr::Not(_) => BTreeSet::new(),
            Expr::Var { var, .. } => Some(var.index()).filter(|&v| is_number(v)).into_iter().collect(),
            Expr::Neg(a) => made_of[a].clone(),
            Expr::Binary(op, a, b) => {
                let numbers: BTreeSet<usize> = of(&mut [*a, *b].into_iter());
                let mut all = numbers.iter();
                if !matches!(op, Op::And | Op::Or | Op::Implies | Op::Mul | Op::Div | Op::Mod)
                    && let Some(&first) = all.next()
                {
                    for &other in all {
                        let (x, y) = (find(&mut group, first), find(&mut group, other));
                        group[x.max(y)] = x.min(y);
                    }
                }
                if matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod) { numbers } else { BTreeSet::new() }
            }
            Expr::Case(arms) => of(&mut arms.iter().map(|&(_, arm)| arm)),
            Expr::Set(parts) => of(&mut parts.iter().copied()),
        };
        // What is made of very many is not compared bit by bit.
        let few = numbers.len() <= 2 * FEW;
        made_of.insert(id, if few { numbers } else { BTreeSet::new() });
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); model.vars.len()];
    for v in (0..model.vars.len()).filter(|&v| is_number(v)) {
        groups[find(&mut group, v)].push(v);
    }
    groups.retain(|members| {
        let bits = members.iter().map(|&v| width(&model.vars[v].domain)).max().unwrap_or(0);
        // log₂ 3 is about 8 / 5.
        members.len() > 1 && 8 * (members.len() as u64 - 1) < 5 * u64::from(bits)
    });
    groups
}
