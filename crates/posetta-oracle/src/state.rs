//! States, and what they satisfy: exact arithmetic, always over arbitrary-precision rationals.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use dashu_ratio::RBig;
use posetta_base::{EventId, Number, Value, VarId};
use posetta_logic::{Arith, Compare, Condition, Term, Which};
use posetta_trace::Trace;

/// The value of every variable of a trace, by name.
pub type State<'t> = BTreeMap<&'t str, &'t Value>;

static ZERO: Value = Value::Number(Number::ZERO);
static NO_TEXT: Value = Value::Text(String::new());

/// "A variable nobody has assigned yet has its declared initial value; else `""` if it only ever takes strings, else 0."
#[must_use]
pub fn initial_value(trace: &Trace, var: VarId) -> &Value {
    if trace.is_declared(var) {
        return trace.value(trace.initial(var));
    }
    let taken: Vec<&Value> = trace
        .events()
        .flat_map(|e| trace.assignments(e))
        .filter(|a| a.var == var)
        .map(|a| trace.value(a.value))
        .collect();
    if !taken.is_empty() && taken.iter().all(|v| v.is_text()) { &NO_TEXT } else { &ZERO }
}

/// "s0 is the initial valuation."
#[must_use]
pub fn initial_state(trace: &Trace) -> State<'_> {
    trace.variables().map(|var| (trace.variable_name(var), initial_value(trace, var))).collect()
}

/// The state after an event: what it assigns has changed, "an unassigned variable keeps its value".
#[must_use]
pub fn after<'t>(trace: &'t Trace, state: &State<'t>, event: EventId) -> State<'t> {
    let mut next = state.clone();
    for assignment in trace.assignments(event) {
        next.insert(trace.variable_name(assignment.var), trace.value(assignment.value));
    }
    next
}

/// What a term stands for in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Worth {
    Number(RBig),
    Text(String),
    /// The term divides by zero.
    Undefined,
}

fn worth(states: Between<'_, '_>, term: &Term) -> Worth {
    match term {
        Term::Number(n) => Worth::Number(n.to_ratio()),
        Term::Text(text, _) => Worth::Text(text.clone()),
        Term::Var(var) => match states.of(var.which).get(var.name.as_str()) {
            Some(Value::Number(n)) => Worth::Number(n.to_ratio()),
            Some(Value::Text(text)) => Worth::Text(text.clone()),
            None => panic!("the trace has no variable {}", var.name),
        },
        Term::Neg(t) => match worth(states, t) {
            Worth::Number(n) => Worth::Number(-n),
            Worth::Text(_) => ill_typed(),
            Worth::Undefined => Worth::Undefined,
        },
        Term::Binary(op, a, b) => match (worth(states, a), worth(states, b)) {
            (Worth::Text(_), _) | (_, Worth::Text(_)) => ill_typed(),
            (Worth::Undefined, _) | (_, Worth::Undefined) => Worth::Undefined,
            (Worth::Number(a), Worth::Number(b)) => match op {
                Arith::Add => Worth::Number(a + b),
                Arith::Sub => Worth::Number(a - b),
                Arith::Mul => Worth::Number(a * b),
                Arith::Div if b == RBig::ZERO => Worth::Undefined,
                Arith::Div => Worth::Number(a / b),
            },
        },
    }
}

/// "An order comparison with a string, arithmetic on one, or a bare string as an atom is a type error": such formulas
/// have no meaning, and no test may ask for it.
fn ill_typed() -> ! {
    panic!("a string where only a number has a meaning")
}

/// "`==`/`!=` between a number and a string is false/true." "Division by zero makes the comparison false."
fn compare(op: Compare, a: Worth, b: Worth) -> bool {
    if a == Worth::Undefined || b == Worth::Undefined {
        return false;
    }
    match op {
        Compare::Eq => a == b,
        Compare::Ne => a != b,
        Compare::Lt | Compare::Le | Compare::Gt | Compare::Ge => {
            let (Worth::Number(a), Worth::Number(b)) = (a, b) else { ill_typed() };
            match a.cmp(&b) {
                Ordering::Less => matches!(op, Compare::Lt | Compare::Le),
                Ordering::Equal => matches!(op, Compare::Le | Compare::Ge),
                Ordering::Greater => matches!(op, Compare::Gt | Compare::Ge),
            }
        }
    }
}

/// A state, and the one at the position before.
#[derive(Clone, Copy)]
struct Between<'s, 't> {
    before: &'s State<'t>,
    now: &'s State<'t>,
}

impl<'s, 't> Between<'s, 't> {
    fn of(self, which: Which) -> &'s State<'t> {
        match which {
            Which::Now => self.now,
            Which::Before => self.before,
            Which::Key => panic!("the value of an instance is put in before"),
        }
    }
}

/// "The state satisfies it (`p` alone: not 0)." A bare term that divides by zero is false like a comparison.
#[must_use]
pub fn satisfies(state: &State<'_>, condition: &Condition) -> bool {
    satisfies_between(state, state, condition)
}

/// The same of a condition with "`prev(x)`: the value of x at the position before".
#[must_use]
pub fn satisfies_between(before: &State<'_>, now: &State<'_>, condition: &Condition) -> bool {
    let states = Between { before, now };
    let inner = |c: &Condition| satisfies_between(before, now, c);
    match condition {
        Condition::True => true,
        Condition::False => false,
        Condition::Compare(op, a, b) => compare(*op, worth(states, a), worth(states, b)),
        Condition::Nonzero(t) => match worth(states, t) {
            Worth::Number(n) => n != RBig::ZERO,
            Worth::Text(_) => ill_typed(),
            Worth::Undefined => false,
        },
        Condition::Not(c) => !inner(c),
        Condition::And(cs) => cs.iter().all(inner),
        Condition::Or(cs) => cs.iter().any(inner),
        Condition::Implies(a, b) => !inner(a) || inner(b),
        Condition::Iff(a, b) => inner(a) == inner(b),
    }
}

/// The names of the variables of a condition.
#[must_use]
pub fn variables(condition: &Condition) -> Vec<&str> {
    match condition {
        Condition::True | Condition::False => Vec::new(),
        Condition::Compare(_, a, b) => [term_variables(a), term_variables(b)].concat(),
        Condition::Nonzero(t) => term_variables(t),
        Condition::Not(c) => variables(c),
        Condition::And(cs) | Condition::Or(cs) => cs.iter().flat_map(variables).collect(),
        Condition::Implies(a, b) | Condition::Iff(a, b) => [variables(a), variables(b)].concat(),
    }
}

fn term_variables(term: &Term) -> Vec<&str> {
    match term {
        Term::Number(_) | Term::Text(..) => Vec::new(),
        Term::Var(var) => vec![&var.name],
        Term::Neg(t) => term_variables(t),
        Term::Binary(_, a, b) => [term_variables(a), term_variables(b)].concat(),
    }
}
