//! CTL over the graph of cuts, by the definition over all maximal paths.
//!
//! A maximal path from a cut adds one event after another until it reaches the full cut. Each operator says what one
//! path must do; `E` asks for some path and `A` for all of them. What "at the full cut there is no step" means for each
//! operator is not written here: it follows, because the only path from the full cut is the full cut itself.

use std::collections::BTreeMap;

use posetta::base::{EventId, VarId};
use posetta::logic::{Atom, Ctl, CtlBinary, CtlUnary, Path};
use posetta::trace::Trace;

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
    match formula {
        Ctl::Atom(Atom::State(condition) | Atom::On(condition)) => state::variables(condition),
        Ctl::True | Ctl::False | Ctl::Atom(_) => Vec::new(),
        Ctl::Not(f) | Ctl::Unary(_, _, f) => variables(f),
        Ctl::And(fs) | Ctl::Or(fs) => fs.iter().flat_map(variables).collect(),
        Ctl::Implies(f, g) | Ctl::Iff(f, g) | Ctl::Binary(_, _, f, g) => [variables(f), variables(g)].concat(),
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
