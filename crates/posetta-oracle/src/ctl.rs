//! CTL over the graph of cuts, by the definition over all maximal paths.
//!
//! A maximal path from a cut adds one event after another until it reaches the full cut. Each operator says what one
//! path must do; `E` asks for some path and `A` for all of them. What "at the full cut there is no step" means for each
//! operator is not written here: it follows, because the only path from the full cut is the full cut itself.

use std::collections::BTreeMap;

use posetta_base::{EventId, VarId};
use posetta_check::{Proof, Why};
use posetta_logic::{Atom, Ctl, CtlBinary, CtlUnary, Path};
use posetta_trace::Trace;

use crate::order::{EventSet, Order, contains, singleton};
use crate::state::{self, State};

/// The cuts at which a formula is true; every cut has an entry.
pub type Truth = BTreeMap<EventSet, bool>;

/// Whether the formula is true at the empty cut; `None` if CTL rejects it on this trace.
#[must_use]
pub fn holds(trace: &Trace, formula: &Ctl) -> Option<bool> {
    truth(trace, formula).map(|truth| truth[&0])
}

/// Where the formula is true. "CTL rejects a property whose variables have unordered writes of different values on this
/// trace": then `None`.
#[must_use]
pub fn truth(trace: &Trace, formula: &Ctl) -> Option<Truth> {
    let order = Order::of(trace);
    let determined = variables(formula).into_iter().all(|name| {
        let var = trace.find_variable(name).expect("the formula speaks of variables of the trace");
        unordered_writes(trace, &order, var).is_empty()
    });
    determined.then(|| Graph::new(trace, order).truth(formula))
}

/// The names of the variables of a formula.
fn variables(formula: &Ctl) -> Vec<&str> {
    atoms(formula).into_iter().flatten().collect()
}

/// The names of the variables of each atom, from left to right.
#[must_use]
pub fn atoms(formula: &Ctl) -> Vec<Vec<&str>> {
    match formula {
        Ctl::Atom(Atom::State(condition) | Atom::On(condition)) => vec![state::variables(condition)],
        _ => operands(formula).into_iter().flat_map(atoms).collect(),
    }
}

/// Whether a path from the empty cut (a list of events, each a step) shows that the formula has this value there.
///
/// Only an `A…` that is false and an `E…` that is true can be shown by one path: that is so when every maximal path that
/// starts with it does what the operator forbids, or demands. A conjunction is false if one of its parts is shown to be,
/// and so on. What no single path can show is taken as shown.
///
/// # Panics
/// When CTL rejects the formula on this trace.
#[must_use]
pub fn shows(trace: &Trace, formula: &Ctl, path: &[EventId], value: bool) -> bool {
    let order = Order::of(trace);
    if !order.is_prefix_of_a_run(path) {
        return false;
    }
    let mut cuts = vec![0];
    for &event in path {
        cuts.push(cuts[cuts.len() - 1] | singleton(event));
    }
    Graph::new(trace, order).shows(formula, &cuts, value)
}

/// At how many cuts the formula and each of its subformulas are true: the printed subformula, how deep it is nested, and the
/// number. The formula comes first, operands after what they belong to, from left to right. `None` if CTL rejects the formula.
#[must_use]
pub fn counts(trace: &Trace, formula: &Ctl) -> Option<Vec<(String, usize, u64)>> {
    fn list(trace: &Trace, formula: &Ctl, depth: usize, counts: &mut Vec<(String, usize, u64)>) {
        let truth = truth(trace, formula).expect("the whole formula is not rejected");
        counts.push((formula.to_string(), depth, truth.values().filter(|&&value| value).count() as u64));
        for operand in operands(formula) {
            list(trace, operand, depth + 1, counts);
        }
    }
    truth(trace, formula)?;
    let mut counts = Vec::new();
    list(trace, formula, 0, &mut counts);
    Some(counts)
}

/// The operands of a formula, from left to right.
#[must_use]
pub fn operands(formula: &Ctl) -> Vec<&Ctl> {
    match formula {
        Ctl::True | Ctl::False | Ctl::Atom(_) => Vec::new(),
        Ctl::Not(f) | Ctl::Unary(_, _, f) => vec![f],
        Ctl::And(fs) | Ctl::Or(fs) => fs.iter().collect(),
        Ctl::Implies(f, g) | Ctl::Iff(f, g) | Ctl::Binary(_, _, f, g) => vec![f, g],
    }
}

/// Whether the formula is about one cut.
#[must_use]
pub fn is_about_one_cut(formula: &Ctl) -> bool {
    !matches!(formula, Ctl::Unary(..) | Ctl::Binary(..)) && operands(formula).into_iter().all(is_about_one_cut)
}

/// Whether a proof shows that the formula has the value it names at the empty cut.
///
/// A proof stands if everything that it claims is so and the claims decide the value, whatever is not claimed. Two claims are
/// taken as they are: that all paths were examined, where that can show the value, and what an operand with temporal
/// operators is on the way of a path.
///
/// # Panics
/// When CTL rejects the formula on this trace.
#[must_use]
pub fn proof_stands(trace: &Trace, formula: &Ctl, proof: &Proof) -> bool {
    assert!(truth(trace, formula).is_some(), "CTL rejects {formula}");
    Graph::new(trace, Order::of(trace)).stands(formula, proof, 0)
}

/// Pairs of writes of different values to a variable, neither of which happened before the other.
#[must_use]
pub fn unordered_writes(trace: &Trace, order: &Order, var: VarId) -> Vec<(EventId, EventId)> {
    let writes: Vec<_> = trace
        .events()
        .flat_map(|event| trace.assignments(event).iter().map(move |a| (event, a)))
        .filter(|(_, a)| a.var == var)
        .map(|(event, a)| (event, trace.value(a.value)))
        .collect();
    let mut pairs = Vec::new();
    for &(first, value) in &writes {
        for &(second, other) in &writes {
            if first < second && value != other && order.concurrent(first, second) {
                pairs.push((first, second));
            }
        }
    }
    pairs
}

/// The state after the events of a cut in one order that respects happened-before. Which one makes no difference where
/// there are no [`unordered_writes`].
#[must_use]
pub fn state_at<'t>(trace: &'t Trace, order: &Order, cut: EventSet) -> State<'t> {
    let (mut state, mut at) = (state::initial_state(trace), 0);
    while let Some(event) = order.steps(at).find(|&e| contains(cut, e)) {
        state = state::after(trace, &state, event);
        at |= singleton(event);
    }
    assert_eq!(at, cut, "a cut can be reached event by event");
    state
}

/// The cuts of a trace with their states.
struct Graph<'t> {
    order: Order,
    states: BTreeMap<EventSet, State<'t>>,
}

impl<'t> Graph<'t> {
    fn new(trace: &'t Trace, order: Order) -> Self {
        let states = order.cuts().into_iter().map(|cut| (cut, state_at(trace, &order, cut))).collect();
        Self { order, states }
    }

    /// The value of `f` at every cut.
    fn at_each(&self, f: impl Fn(EventSet) -> bool) -> Truth {
        self.states.keys().map(|&cut| (cut, f(cut))).collect()
    }

    fn truth(&self, formula: &Ctl) -> Truth {
        match formula {
            Ctl::True => self.at_each(|_| true),
            Ctl::False => self.at_each(|_| false),
            Ctl::Atom(Atom::State(condition)) => self.at_each(|cut| state::satisfies(&self.states[&cut], condition)),
            Ctl::Atom(_) => panic!("a cut has no event: `on`, `event`, `process` in CTL are errors"),
            Ctl::Not(f) => {
                let f = self.truth(f);
                self.at_each(|cut| !f[&cut])
            }
            Ctl::And(fs) => {
                let fs: Vec<Truth> = fs.iter().map(|f| self.truth(f)).collect();
                self.at_each(|cut| fs.iter().all(|f| f[&cut]))
            }
            Ctl::Or(fs) => {
                let fs: Vec<Truth> = fs.iter().map(|f| self.truth(f)).collect();
                self.at_each(|cut| fs.iter().any(|f| f[&cut]))
            }
            Ctl::Implies(f, g) => {
                let (f, g) = (self.truth(f), self.truth(g));
                self.at_each(|cut| !f[&cut] || g[&cut])
            }
            Ctl::Iff(f, g) => {
                let (f, g) = (self.truth(f), self.truth(g));
                self.at_each(|cut| f[&cut] == g[&cut])
            }
            Ctl::Unary(Path::Some, op, f) => {
                let f = self.truth(f);
                self.at_each(|cut| self.some_path(cut, &|path| unary(*op, Path::Some, path, &f)))
            }
            Ctl::Unary(Path::All, op, f) => {
                let f = self.truth(f);
                self.at_each(|cut| !self.some_path(cut, &|path| !unary(*op, Path::All, path, &f)))
            }
            Ctl::Binary(Path::Some, op, f, g) => {
                let (f, g) = (self.truth(f), self.truth(g));
                self.at_each(|cut| self.some_path(cut, &|path| binary(*op, path, &f, &g)))
            }
            Ctl::Binary(Path::All, op, f, g) => {
                let (f, g) = (self.truth(f), self.truth(g));
                self.at_each(|cut| !self.some_path(cut, &|path| !binary(*op, path, &f, &g)))
            }
        }
    }

    /// See [`shows`]; `start` are the cuts of the path.
    fn shows(&self, formula: &Ctl, start: &[EventSet], value: bool) -> bool {
        if self.truth(formula)[&0] != value {
            return false;
        }
        match formula {
            Ctl::Not(f) => self.shows(f, start, !value),
            Ctl::And(fs) if !value => fs.iter().any(|f| self.shows(f, start, false)),
            Ctl::Or(fs) if value => fs.iter().any(|f| self.shows(f, start, true)),
            Ctl::Implies(f, g) if value => self.shows(f, start, false) || self.shows(g, start, true),
            Ctl::Unary(path, op, f) if value == (*path == Path::Some) => {
                let f = self.truth(f);
                !self.extend(&mut start.to_vec(), &|cuts| unary(*op, *path, cuts, &f) != value)
            }
            Ctl::Binary(path, op, f, g) if value == (*path == Path::Some) => {
                let (f, g) = (self.truth(f), self.truth(g));
                !self.extend(&mut start.to_vec(), &|cuts| binary(*op, cuts, &f, &g) != value)
            }
            _ => true,
        }
    }

    /// See [`proof_stands`].
    fn stands(&self, formula: &Ctl, proof: &Proof, at: EventSet) -> bool {
        proof.formula == formula.to_string()
            && match &proof.why {
                Why::State => is_about_one_cut(formula) && self.truth(formula)[&at] == proof.holds,
                Why::Operands(parts) => self.operands_decide(formula, proof.holds, parts, at),
                Why::Path { events, along, end } => {
                    self.path_decides(formula, proof.holds, events, along.as_ref(), end.as_deref(), at)
                }
                Why::EveryPath => match formula {
                    Ctl::Unary(path, ..) | Ctl::Binary(path, ..) => proof.holds == (*path == Path::All),
                    _ => false,
                },
            }
    }

    /// Whether the parts stand, and every way to give values to the operands that agrees with the parts gives the formula
    /// this value. There must be such a way.
    fn operands_decide(&self, formula: &Ctl, holds: bool, parts: &[Proof], at: EventSet) -> bool {
        let operands = operands(formula);
        if parts.is_empty() || matches!(formula, Ctl::Unary(..) | Ctl::Binary(..)) {
            return false;
        }
        let stand = parts.iter().all(|part| operands.iter().any(|operand| self.stands(operand, part, at)));
        let agree = |values: &[bool]| {
            parts.iter().all(|p| operands.iter().zip(values).all(|(f, v)| f.to_string() != p.formula || *v == p.holds))
        };
        let result = |v: &[bool]| match formula {
            Ctl::Not(_) => !v[0],
            Ctl::And(_) => v.iter().all(|&v| v),
            Ctl::Or(_) => v.iter().any(|&v| v),
            Ctl::Implies(..) => !v[0] || v[1],
            Ctl::Iff(..) => v[0] == v[1],
            _ => unreachable!("a boolean operator with operands"),
        };
        let ways = (0..1u32 << operands.len())
            .map(|bits| (0..operands.len()).map(|i| bits >> i & 1 == 1).collect::<Vec<bool>>());
        let agreeing: Vec<Vec<bool>> = ways.filter(|way| agree(way)).collect();
        stand && !agreeing.is_empty() && agreeing.iter().all(|way| result(way) == holds)
    }

    /// Whether the events are a path from the cut, what is claimed about its cuts is so, and the claims decide the operator.
    ///
    /// Every operator is monotone: more cuts at which an operand is true make it true on more paths. So the claims decide it
    /// if they do when every operand has the other value wherever nothing is claimed; then it makes no difference how the path
    /// goes on, either.
    fn path_decides(
        &self,
        formula: &Ctl,
        holds: bool,
        events: &[EventId],
        along: Option<&(String, bool)>,
        end: Option<&Proof>,
        at: EventSet,
    ) -> bool {
        let mut cuts = vec![at];
        for &event in events {
            let last = cuts[cuts.len() - 1];
            if event.index() >= self.order.len() || !self.order.steps(last).any(|step| step == event) {
                return false;
            }
            cuts.push(last | singleton(event));
        }
        let last = cuts[cuts.len() - 1];
        let (path, kept, reached) = match formula {
            Ctl::Unary(path, CtlUnary::Next, f) => (*path, None, f),
            Ctl::Unary(path, CtlUnary::Finally, f) => (*path, (*path == Path::All).then_some(f), f),
            Ctl::Unary(path, CtlUnary::Globally, f) => (*path, (*path == Path::Some).then_some(f), f),
            // What is kept on the way until the other one comes, or up to and including it.
            Ctl::Binary(path, CtlBinary::Release, f, g) if *path == Path::Some => (*path, Some(g), f),
            Ctl::Binary(path, CtlBinary::Release, f, g) => (*path, Some(f), g),
            Ctl::Binary(path, _, f, g) if *path == Path::Some => (*path, Some(f), g),
            Ctl::Binary(path, _, f, g) => (*path, Some(g), f),
            _ => return false,
        };
        let is_released = matches!(formula, Ctl::Binary(_, op, ..) if (*op == CtlBinary::Release) == holds);
        if holds != (path == Path::Some)
            || along.is_some() != kept.is_some()
            || end.is_none() && last != self.order.full()
        {
            return false;
        }
        let mut claims: Vec<(&Ctl, EventSet, bool)> = Vec::new();
        if let (Some(kept), Some((text, value))) = (kept, along) {
            let covered = if end.is_some() && !is_released { cuts.len() - 1 } else { cuts.len() };
            claims.extend(cuts[..covered].iter().map(|&cut| (&**kept, cut, *value)));
            let is_so = || {
                let truth = self.truth(kept);
                cuts[..covered].iter().all(|cut| truth[cut] == *value)
            };
            if *text != kept.to_string() || is_about_one_cut(kept) && !is_so() {
                return false;
            }
        }
        if let Some(end) = end {
            claims.push((reached, last, end.holds));
            if end.holds != holds || !self.stands(reached, end, last) {
                return false;
            }
        }
        let worst = |operand: &Ctl| {
            self.at_each(|cut| {
                claims.iter().find(|(f, at, _)| std::ptr::eq(*f, operand) && *at == cut).map_or(!holds, |c| c.2)
            })
        };
        while let Some(event) = self.order.steps(cuts[cuts.len() - 1]).next() {
            cuts.push(cuts[cuts.len() - 1] | singleton(event));
        }
        holds
            == match formula {
                Ctl::Unary(path, op, f) => unary(*op, *path, &cuts, &worst(f)),
                Ctl::Binary(_, op, f, g) => binary(*op, &cuts, &worst(f), &worst(g)),
                _ => return false,
            }
    }

    /// Whether some maximal path from the cut, given as the cuts it passes through, is as wanted.
    fn some_path(&self, from: EventSet, wanted: &dyn Fn(&[EventSet]) -> bool) -> bool {
        self.extend(&mut vec![from], wanted)
    }

    fn extend(&self, path: &mut Vec<EventSet>, wanted: &dyn Fn(&[EventSet]) -> bool) -> bool {
        let at = path[path.len() - 1];
        if at == self.order.full() {
            return wanted(path);
        }
        self.order.steps(at).any(|event| {
            path.push(at | singleton(event));
            let found = self.extend(path, wanted);
            path.pop();
            found
        })
    }
}

/// What `X f`, `F f`, `G f` ask of one path. "At the full cut there is no step: `EX f` is false, `AX f` is true."
fn unary(op: CtlUnary, quantifier: Path, path: &[EventSet], f: &Truth) -> bool {
    match op {
        CtlUnary::Next => match path.get(1) {
            Some(next) => f[next],
            None => quantifier == Path::All,
        },
        CtlUnary::Finally => path.iter().any(|cut| f[cut]),
        CtlUnary::Globally => path.iter().all(|cut| f[cut]),
    }
}

/// What `[f U g]`, `[f W g]`, `[f R g]` ask of one path.
fn binary(op: CtlBinary, path: &[EventSet], f: &Truth, g: &Truth) -> bool {
    let until = || (0..path.len()).any(|k| g[&path[k]] && path[..k].iter().all(|cut| f[cut]));
    match op {
        CtlBinary::Until => until(),
        CtlBinary::WeakUntil => until() || path.iter().all(|cut| f[cut]),
        // g holds at every cut that no earlier f has released.
        CtlBinary::Release => (0..path.len()).all(|k| g[&path[k]] || path[..k].iter().any(|cut| f[cut])),
    }
}
