//! Fair discrete systems by definition, state by state.
//!
//! [`System::of`] lists everything that a model's variables can be: a *moment* gives every variable a value of its domain, inputs too; a
//! *state* is what is left of a moment without its inputs. Only those that satisfy the invariants are listed. The steps between moments, and
//! between states under any input, are graphs ([`Graph`]) with what fairness and finality ask for. Linear properties read moments: the
//! input of a position is that of the step from there on, and free at the last position of a finite computation. Branching ones read states.
//!
//! Start at [`System`]; [`expr`] evaluates, [`graph`] knows computations, [`tableau`] and [`words`] look for one that violates a linear
//! property in two ways that share nothing but the graph, [`branching`] is CTL with fairness, [`trail`] holds a path against the definition.

pub mod branching;
pub mod expr;
pub mod graph;
pub mod tableau;
pub mod trail;
pub mod words;

use posetta_model::fds::{Clause, Domain, Expr, ExprId, Fds, Op, Role, Trail, Value};

use self::expr::{choices, truth};
use self::graph::{Graph, Walk};

/// A value for each variable.
pub type Values = Vec<Value>;

/// Everything that a model can be, laid out. Places of moments and states are places of the nodes of their graphs.
pub struct System<'m> {
    /// The model.
    pub model: &'m Fds,
    /// Every choice of values that satisfies all of `invar`.
    pub moments: Vec<Values>,
    /// The state of each moment.
    pub state_of: Vec<usize>,
    /// A moment of each state.
    pub moment_of: Vec<usize>,
    /// Steps between moments: the next moment may have any inputs.
    pub by_moment: Graph,
    /// Steps between states: some inputs allow them.
    pub by_state: Graph,
}

/// The values of a domain.
#[must_use]
pub fn domain_values(domain: &Domain) -> Values {
    match domain {
        Domain::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Domain::Range(lo, hi) => (*lo..=*hi).map(Value::Int).collect(),
        Domain::Choice(values) => values.clone(),
    }
}

/// Every way to choose one value of each list.
fn products(lists: &[Values]) -> Vec<Values> {
    lists.iter().fold(vec![Vec::new()], |rows, list| {
        rows.iter().flat_map(|row| list.iter().map(move |v| [&row[..], std::slice::from_ref(v)].concat())).collect()
    })
}

impl<'m> System<'m> {
    /// Lays a model out.
    ///
    /// # Panics
    /// When an expression has no value somewhere, or an assignment leaves its domain: such models have no meaning to compare with.
    #[must_use]
    pub fn of(model: &'m Fds) -> Self {
        let all = |clauses: &[Clause], now: &Values| clauses.iter().all(|c| holds(model, c.expr, now, None));
        let domains: Vec<Values> = model.vars.iter().map(|v| domain_values(&v.domain)).collect();
        let mut moments = products(&domains);
        moments.retain(|m| all(&model.invar, m));
        for clause in model.init.iter().chain(&model.trans).filter(|c| c.assigns) {
            assert_in_domain(model, clause, &moments);
        }
        let row =
            |clause: &Clause| -> Vec<bool> { moments.iter().map(|m| holds(model, clause.expr, m, None)).collect() };
        let by_moment = Graph {
            next: moments
                .iter()
                .map(|a| (0..moments.len()).filter(|&b| is_step(model, a, &moments[b])).collect())
                .collect(),
            initial: (0..moments.len()).filter(|&m| all(&model.init, &moments[m])).collect(),
            // "All true of the last state of a finite computation; none: there are no finite computations."
            finals: moments.iter().map(|m| !model.finals.is_empty() && all(&model.finals, m)).collect(),
            justice: model.justice.iter().map(row).collect(),
            compassion: model.compassion.iter().map(|(p, q)| (row(p), row(q))).collect(),
        };
        let bare = |m: &Values| -> Vec<Option<Value>> {
            model.vars.iter().zip(m).map(|(v, value)| (v.role != Role::Input).then(|| value.clone())).collect()
        };
        let (mut states, mut moment_of): (Vec<Vec<Option<Value>>>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut state_of = Vec::new();
        for (i, moment) in moments.iter().enumerate() {
            let state = bare(moment);
            state_of.push(states.iter().position(|s| *s == state).unwrap_or_else(|| {
                states.push(state);
                moment_of.push(i);
                states.len() - 1
            }));
        }
        let by_state = by_moment.merged(&state_of, states.len());
        Self { model, moments, state_of, moment_of, by_moment, by_state }
    }

    /// Whether an expression is true of a moment.
    #[must_use]
    pub fn holds(&self, expr: ExprId, moment: usize) -> bool {
        holds(self.model, expr, &self.moments[moment], None)
    }

    /// Whether an expression without inputs is true of a state.
    #[must_use]
    pub fn holds_in_state(&self, expr: ExprId, state: usize) -> bool {
        self.holds(expr, self.moment_of[state])
    }

    /// Which of these are true of a moment, one bit each.
    #[must_use]
    pub fn letter(&self, atoms: &[ExprId], moment: usize) -> u64 {
        atoms.iter().enumerate().fold(0, |bits, (i, &a)| bits | u64::from(self.holds(a, moment)) << i)
    }

    /// The state with these values, whatever the inputs among them.
    #[must_use]
    pub fn state_at(&self, values: &[Value]) -> Option<usize> {
        let vars = &self.model.vars;
        let same = |m: &Values| (0..vars.len()).all(|i| vars[i].role == Role::Input || m[i] == values[i]);
        self.moments.iter().position(same).map(|m| self.state_of[m])
    }

    /// How many steps it takes to reach each state; `None`: it cannot be reached.
    #[must_use]
    pub fn distances(&self) -> Vec<Option<usize>> {
        self.by_state.distances(&self.by_state.initial)
    }

    /// The states that can be reached, have no next one, and are not final.
    #[must_use]
    pub fn deadlocks(&self) -> Vec<usize> {
        let graph = &self.by_state;
        let distances = self.distances();
        let stuck = |s: &usize| distances[*s].is_some() && graph.next[*s].is_empty() && !graph.finals[*s];
        (0..graph.len()).filter(stuck).collect()
    }

    /// How many steps it takes to reach a state of which an expression is not true; `None`: "every reachable state satisfies it".
    #[must_use]
    pub fn distance_to_violation(&self, invariant: ExprId) -> Option<usize> {
        let distances = self.distances();
        (0..distances.len()).filter(|&s| !self.holds_in_state(invariant, s)).filter_map(|s| distances[s]).min()
    }

    /// A walk through the moments, as a trail.
    #[must_use]
    pub fn trail(&self, walk: &Walk) -> Trail {
        Trail { states: walk.nodes.iter().map(|&m| self.moments[m].clone()).collect(), cycle: walk.cycle }
    }
}

/// Whether an expression is true.
///
/// # Panics
/// When it has no truth value.
fn holds(model: &Fds, expr: ExprId, now: &[Value], next: Option<&[Value]>) -> bool {
    truth(&model.exprs, expr, now, next).expect("an expression that has a truth value everywhere")
}

/// "Every two neighbours satisfy all of `trans`", and what is frozen "keeps its first value".
pub(crate) fn is_step(model: &Fds, now: &[Value], next: &[Value]) -> bool {
    let frozen = model.vars.iter().enumerate().filter(|(_, v)| v.role == Role::Frozen);
    frozen.into_iter().all(|(i, _)| now[i] == next[i])
        && model.trans.iter().all(|c| holds(model, c.expr, now, Some(next)))
}

/// "It is then `x in e` or `next(x) in e`, and e must stay inside the domain of x."
fn assert_in_domain(model: &Fds, clause: &Clause, moments: &[Values]) {
    let Expr::Binary(Op::In, left, right) = model.exprs.get(clause.expr) else { panic!("an assignment is `x in e`") };
    let Expr::Var { var, .. } = model.exprs.get(*left) else { panic!("a variable is assigned") };
    let domain = &model.var(*var).domain;
    let reads_next = !model.exprs.vars(*right).1.is_empty();
    for now in moments {
        for next in moments.iter().take(if reads_next { usize::MAX } else { 1 }) {
            let values = choices(&model.exprs, *right, now, Some(next)).expect("an assignment has a value");
            assert!(values.iter().all(|v| domain.contains(v)), "an assignment leaves its domain: {values:?}");
        }
    }
}
