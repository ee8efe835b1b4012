//! Every order of a run while it happens: a property, decided event by event.
//!
//! [`Online`] is fed with [`Arrival`]s, each after its causes, and with the [`Frontier`], which says what events that have not
//! come will come after. It follows all orders of what has come, as intervals of cuts ([`configs`]), and answers
//!
//! - **violated** as soon as some order of what has come cannot be repaired: however that order goes on, it is bad;
//! - **holds** as soon as every order of every run that this may become is good;
//! - at any time, whether the property holds on what has come, were it the whole run: the verdict of
//!   [`check`](crate::check) on it.
//!
//! What is bad is split into [`part`]s that speak of different variables. What events look like to one is [`sight`]'s business,
//! [`modes`] are automaton states with values, [`Outlook`] knows
//! what can still become of them, and [`window`] holds the events that are not settled: those that some later event need not come
//! after. Configurations that no later event can meet and events that are settled are let go, so memory is bounded when processes
//! keep hearing of each other.
//!
//! A property of cuts is a combination of statements about all orders ([`branching`]), as long as [`writes`] leave the state at every cut
//! determined. That no cut satisfies a condition is watched without following orders, where the condition allows it ([`never`]).

mod branching;
mod configs;
mod conjunction;
mod heaviest;
mod modes;
mod never;
mod part;
mod sight;
mod window;
mod writes;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use self::branching::Tree;
use self::never::Never;
use self::part::Part;
use self::sight::Sight;
use self::writes::{Write, Writes};
use super::determined::unordered_pair;
use super::linear;
use posetta_base::{Budget, Diagnostic, Error, Kind, Mistakes, Number, OverBudget, ProcessId, Span, Subject, Value};
use posetta_compile::{Linear, Outlook, Prospect, Restricted};
use posetta_logic::{
    Atom, Atoms, Bound, Condition, Formula, Ltl, LtlUnary, Property, Slot, Term, View, for_each_number,
};
use posetta_trace::{Arrival, Assigned, Frontier};

const WHAT: &str = "following the orders of what has come";

/// How much an automaton that is laid out may take.
const ALLOWANCE: u64 = 64 << 20;

/// The same for one that is only looked at, to see whether its parts can be followed by themselves.
const GLANCE: u64 = 16 << 20;

/// An event of an order that cannot be repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Culprit {
    /// Its process.
    pub process: ProcessId,
    /// Its place there, from 1.
    pub place: u32,
    /// The line it was read from.
    pub line: u64,
}

/// What was taken for granted about a variable before its first value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Assumed {
    Nothing,
    Number,
    Text,
}

/// What is known about a variable of the property.
struct Variable {
    /// Where it must be a number, and why.
    number: Option<(Span, &'static str)>,
    /// Where it is mentioned first.
    span: Span,
    assumed: Assumed,
    declared: bool,
    assigned: bool,
    /// What it was after an event that left a string in it, while it is assumed to be a number.
    text: Option<String>,
}

/// That every order satisfies something.
enum Statement {
    /// A run is bad if it is for one of these.
    Orders(Vec<Part>),
    Never(Box<Never>),
}

impl Statement {
    fn arrive(&mut self, event: &Arrival<'_>, frontier: &Frontier) -> Result<(), OverBudget> {
        match self {
            Self::Orders(parts) => parts.iter_mut().try_for_each(|part| part.arrive(event, frontier)),
            Self::Never(never) => never.arrive(event, frontier),
        }
    }

    fn hear(&mut self, frontier: &Frontier) -> Result<(), OverBudget> {
        match self {
            Self::Orders(parts) => parts.iter_mut().try_for_each(|part| part.hear(frontier)),
            Self::Never(never) => never.hear(frontier),
        }
    }

    fn prospect(&self) -> Prospect {
        let parts = match self {
            Self::Orders(parts) => parts,
            Self::Never(never) => return never.prospect(),
        };
        let mut prospect = Prospect::Holds;
        for part in parts {
            match part.prospect() {
                Prospect::Violated => return Prospect::Violated,
                Prospect::Open => prospect = Prospect::Open,
                Prospect::Holds => {}
            }
        }
        prospect
    }

    fn culprits(&self, of_cuts: bool) -> &[Culprit] {
        match self {
            Self::Orders(parts) => {
                let spoilt = parts.iter().find(|part| part.prospect() == Prospect::Violated);
                spoilt.map_or(&[], if of_cuts { Part::shown_by } else { Part::culprits })
            }
            Self::Never(never) => never.culprits(),
        }
    }

    fn satisfied(&self) -> bool {
        match self {
            Self::Orders(parts) => parts.iter().all(Part::satisfied),
            Self::Never(never) => never.satisfied(),
        }
    }

    fn divides_by_zero(&self) -> bool {
        match self {
            Self::Orders(parts) => parts.iter().any(Part::divides_by_zero),
            Self::Never(never) => never.divides_by_zero(),
        }
    }

    fn held(&self) -> (usize, usize) {
        match self {
            Self::Orders(parts) => parts.iter().map(Part::held).fold((0, 0), both),
            Self::Never(never) => never.held(),
        }
    }
}

fn both((a, b): (usize, usize), (c, d): (usize, usize)) -> (usize, usize) {
    (a + c, b + d)
}

/// The parts of a linear property, each with the orders to follow, and whether a violation is known as soon as it is certain.
fn orders(
    formula: &Formula,
    exists: &dyn Fn(&String) -> bool,
    initial: &dyn Fn(&str) -> Value,
    budget: &Budget,
) -> Result<(Vec<Part>, bool), OverBudget> {
    let mut atoms = Atoms::default();
    let Some((view, linear)) = Linear::of(formula, &mut atoms, budget)? else { return Ok((Vec::new(), true)) };
    let count = atoms.atoms().len();
    let vars = vec![None; atoms.variables().len()];
    let bound = Bound { formula: linear, atoms: atoms.atoms().to_vec(), vars, warnings: Vec::new() };
    let split = linear::parts(&bound, true);
    let bad = bound.formula.automaton(true);
    let allowance = if split.len() > 1 { GLANCE } else { ALLOWANCE };
    let whole = Outlook::new(&atoms, view, bad, exists, allowance, budget)?;
    // What is bad for certain is so for one of the parts, or else they are followed together.
    let exact = whole.is_exact();
    let mut parts = Vec::new();
    if split.len() > 1 && !(exact && whole.is_deterministic()) {
        for part in split {
            let atoms = atoms.only(&part.atoms);
            let bad = Box::new(Restricted::new(part.automaton, part.atoms, count));
            let outlook = Outlook::new(&atoms, view, bad, exists, ALLOWANCE, budget)?;
            parts.push(Part::new(atoms, view, outlook, initial, budget)?);
        }
    } else {
        parts.push(Part::new(atoms, view, whole, initial, budget)?);
    }
    Ok((parts, exact))
}

/// A property on a run that is not over.
pub struct Online {
    property: Property,
    atoms: Atoms,
    /// By the feed's number: the slot, once the name was looked up.
    slots: Vec<Option<Option<Slot>>>,
    variables: Vec<Variable>,
    /// What the property makes of its statements.
    tree: Tree,
    statements: Vec<Statement>,
    /// Of a property of cuts.
    writes: Option<Writes>,
    /// The names of processes, by number, if they may be needed.
    process_names: Vec<String>,
    exact: bool,
    events: u64,
    /// How many variables nobody has declared or assigned, or of which it is not certain what they are before that: they may be
    /// misspelt, or turn out to take strings only.
    unmet: usize,
    processes_declared: bool,
    names: Names,
}

/// Names that have come, as far as messages need them.
#[derive(Default)]
struct Names {
    wanted_events: BTreeSet<String>,
    wanted_processes: BTreeSet<String>,
    variables: BTreeSet<String>,
}

/// So many names of other variables are remembered, to be suggested.
const SUGGESTIONS: usize = 256;

impl Online {
    /// A property at the start of a run. `initial` are the declared values, `processes` all processes, if they are declared.
    ///
    /// # Errors
    /// When the property is one of cuts that cannot be followed or does not fit the declared values, or when the budget is spent.
    pub fn new(
        property: &Property,
        initial: &[(String, Value)],
        processes: Option<&[String]>,
        budget: &Budget,
    ) -> Result<Self, Error> {
        if let Some(mistake) = property.asks_for_actions() {
            return Err(mistake.into());
        }
        let (tree, formulas) = match &property.formula {
            Formula::Ctl(formula) => {
                let (tree, statements) =
                    branching::statements(property, formula).map_err(|d| Error::Invalid(vec![d]))?;
                (tree, statements.into_iter().map(|statement| Formula::Ltl(View::States, statement)).collect())
            }
            linear => (Tree::Statement(0), vec![linear.clone()]),
        };
        let mut atoms = Atoms::default();
        property.formula.for_each_atom(|atom| _ = atoms.add(atom));
        let mut names = Names::default();
        for atom in atoms.atoms() {
            match atom {
                Atom::Event(name) => drop(names.wanted_events.insert(name.clone())),
                Atom::Process(name) => drop(names.wanted_processes.insert(name.clone())),
                Atom::State(_) | Atom::On(_) | Atom::Enabled(_) => {}
            }
        }
        for name in processes.into_iter().flatten() {
            names.wanted_processes.remove(name);
        }
        let mut variables = variables(property, &atoms);
        let initial = initial_values(property, &atoms, &mut variables, initial)?;
        let exists = |name: &String| processes.is_none_or(|all| all.contains(name));
        let initial = |name: &str| initial[name].clone();
        let (mut statements, mut exact) = (Vec::new(), true);
        for formula in &formulas {
            let never = match (&property.formula, formula) {
                (Formula::Ctl(_), Formula::Ltl(_, Ltl::Unary(LtlUnary::Globally, inside))) => {
                    Never::new(&Ltl::Not(inside.clone()), &initial, budget)?
                }
                _ => None,
            };
            statements.push(if let Some(never) = never {
                exact &= never.is_exact();
                Statement::Never(Box::new(never))
            } else {
                let (parts, is_exact) = orders(formula, &exists, &initial, budget)?;
                exact &= is_exact;
                Statement::Orders(parts)
            });
        }
        Ok(Self {
            property: property.clone(),
            atoms,
            slots: Vec::new(),
            unmet: variables.iter().filter(|v| !v.declared).count(),
            variables,
            tree,
            statements,
            writes: matches!(property.formula, Formula::Ctl(_)).then(Writes::default),
            process_names: Vec::new(),
            exact,
            events: 0,
            processes_declared: processes.is_some(),
            names,
        })
    }

    /// An event has come, all its causes before it; `frontier` has learnt of it.
    ///
    /// # Errors
    /// With the mistakes of type that it brings, or when the budget is spent. Nothing can be asked after that.
    pub fn arrive(&mut self, event: &Arrival<'_>, frontier: &Frontier) -> Result<(), Error> {
        self.events += 1;
        self.look_at(event)?;
        for statement in &mut self.statements {
            statement.arrive(event, frontier)?;
        }
        Ok(())
    }

    /// The frontier has moved without an event: a process has given a sign of life, or has ended.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn hear(&mut self, frontier: &Frontier) -> Result<(), Error> {
        for statement in &mut self.statements {
            statement.hear(frontier)?;
        }
        Ok(())
    }

    /// What is certain.
    #[must_use]
    pub fn prospect(&self) -> Prospect {
        if self.unmet > 0 || self.events == 0 {
            return Prospect::Open;
        }
        self.tree.prospect(&|statement| self.statements[statement].prospect())
    }

    /// If the property is violated: events that, in this order, spoil it for good after what went before them. The last event
    /// that came is among them; where it is not the last one here, others that had come may as well have come after it. Of a property
    /// of cuts, if one path shows what it is, violated or not: the last events of that path that matter.
    #[must_use]
    pub fn culprits(&self) -> &[Culprit] {
        let shown_by = self.tree.shown_by(&|statement| self.statements[statement].prospect());
        shown_by.map_or(&[], |statement| self.statements[statement].culprits(self.writes.is_some()))
    }

    /// Whether the property holds on what has come, were it the whole run.
    #[must_use]
    pub fn satisfied(&self) -> bool {
        self.tree.holds(&|statement| self.statements[statement].satisfied())
    }

    /// Whether a violation is known as soon as it is certain. Not so for properties with too many atoms or too large an automaton,
    /// of which less is known.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// How many events and how many configurations are held.
    #[must_use]
    pub fn held(&self) -> (usize, usize) {
        self.statements.iter().map(Statement::held).fold((0, 0), both)
    }

    /// Things worth knowing that change nothing. Only when the run is over, all names have come.
    #[must_use]
    pub fn warnings(&self, over: bool) -> Vec<Diagnostic> {
        let mut warnings = self.property.warnings.clone();
        if over {
            let events = self.names.wanted_events.iter().filter(|name| !self.property.declared_events.contains(*name));
            warnings.extend(events.map(|name| self.property.no_event("run", name, None)));
        }
        if over || self.processes_declared {
            warnings.extend(self.names.wanted_processes.iter().map(|name| self.property.no_process("run", name, None)));
        }
        if self.statements.iter().any(Statement::divides_by_zero) {
            warnings.push(self.property.division_by_zero());
        }
        if over && self.events == 0 {
            warnings.push(Diagnostic::new(Kind::NoEvents, "this run has no events"));
        }
        warnings
    }

    /// The run is over. Answers whether the property holds, and things worth knowing.
    ///
    /// # Errors
    /// With the variables that nobody has assigned or declared.
    pub fn finish(self) -> Result<(bool, Vec<Diagnostic>), Mistakes> {
        let mut mistakes = Vec::new();
        for (name, variable) in self.atoms.variables().iter().zip(&self.variables) {
            if let (Assumed::Number, Some(label)) = (variable.assumed, &variable.text) {
                mistakes.push(self.wrongly_assumed(name, variable.span, label, "0", "\"\""));
            }
            if variable.assigned || variable.declared {
                continue;
            }
            let names = self.names.variables.iter().map(String::as_str);
            let near = posetta_logic::nearest(name, names);
            let text = format!("no input assigns or declares the variable `{name}`");
            let mistake = self.property.mistake(Kind::UnknownVariable, variable.span, text);
            let mistake = mistake.about(Subject::Variable(name.clone()), near);
            mistakes.push(mistake.label(match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "unknown".to_owned(),
            }));
        }
        if !mistakes.is_empty() {
            return Err(mistakes.into());
        }
        let warnings = self.warnings(true);
        Ok((self.satisfied(), warnings))
    }

    /// Checks the types of what an event assigns, and remembers names.
    fn look_at(&mut self, event: &Arrival<'_>) -> Result<(), Error> {
        if let Some(name) = event.name
            && !self.names.wanted_events.is_empty()
        {
            self.names.wanted_events.remove(name);
        }
        if !self.names.wanted_processes.is_empty() {
            self.names.wanted_processes.remove(event.process_name);
        }
        if self.writes.is_some() {
            self.name_process(event);
        }
        for assigned in event.assigned {
            let var = assigned.var.index();
            if self.slots.len() <= var {
                self.slots.resize(var + 1, None);
            }
            let Some(Slot(slot)) = *self.slots[var].get_or_insert_with(|| self.atoms.slot(assigned.name)) else {
                if self.names.variables.len() < SUGGESTIONS && !self.names.variables.contains(assigned.name) {
                    self.names.variables.insert(assigned.name.to_owned());
                }
                continue;
            };
            let variable = &mut self.variables[slot as usize];
            let text = assigned.value.is_text();
            let here = || {
                let position = event.clock[event.process.index()];
                format!("it is {} after `{}.{position}` (line {})", assigned.value, event.process_name, event.line)
            };
            if let (true, Some((span, why))) = (text, variable.number) {
                return Err(Error::Invalid(vec![is_text(&self.property, span, why, &here())]));
            }
            let met = match (variable.assumed, text) {
                (Assumed::Nothing, _) => !variable.declared && !variable.assigned,
                // It takes a number, so it was 0.
                (Assumed::Number, false) => {
                    variable.assumed = Assumed::Nothing;
                    true
                }
                // It was 0 all the same, if it takes a number some day.
                (Assumed::Number, true) => {
                    variable.text.get_or_insert_with(here);
                    false
                }
                (Assumed::Text, true) => false,
                (Assumed::Text, false) => {
                    let span = variable.span;
                    return Err(Error::Invalid(vec![self.wrongly_assumed(assigned.name, span, &here(), "\"\"", "0")]));
                }
            };
            variable.assigned = true;
            self.unmet -= usize::from(met);
            if let Some(writes) = &mut self.writes
                && let Err(other) = writes.add(event, Slot(slot), assigned.value)
            {
                return Err(Error::Invalid(vec![self.unordered(event, assigned, &other)]));
            }
        }
        Ok(())
    }

    fn name_process(&mut self, event: &Arrival<'_>) {
        let process = event.process.index();
        if self.process_names.len() <= process {
            self.process_names.resize_with(process + 1, String::new);
        }
        if self.process_names[process].is_empty() {
            self.process_names[process].push_str(event.process_name);
        }
    }

    /// An event writes something that it need not come after another write of.
    fn unordered(&self, event: &Arrival<'_>, assigned: &Assigned<'_>, other: &Write) -> Diagnostic {
        let show = |process: &str, place: u32, value: &Value, line: u64| {
            format!("`{process}.{place}` sets {value} (line {line})")
        };
        let first = show(&self.process_names[other.process.index()], other.place, &other.value, other.line);
        let place = event.clock[event.process.index()];
        let second = show(event.process_name, place, assigned.value, event.line);
        unordered_pair(&self.property, assigned.name, &first, &second)
    }

    /// What was taken for granted about a variable before its first value was wrong.
    fn wrongly_assumed(&self, name: &str, span: Span, label: &str, taken: &str, right: &str) -> Diagnostic {
        let message = format!("before its first value `{name}` was taken to be {taken}, but it was {right}");
        self.property.mistake(Kind::Type, span, message).label(label).help(format!(
            "declare its initial value in the header: {{\"posetta\":1,\"initial\":{{\"{name}\":{right}}}}}"
        ))
    }
}

/// The value of every variable before any event.
fn initial_values(
    property: &Property,
    atoms: &Atoms,
    variables: &mut [Variable],
    declared: &[(String, Value)],
) -> Result<FxHashMap<String, Value>, Error> {
    let declared: FxHashMap<&str, &Value> = declared.iter().map(|(name, value)| (&name[..], value)).collect();
    let (zero, empty) = (Value::Number(Number::ZERO), Value::Text(String::new()));
    let mut sight = Sight::new(atoms);
    let mut values = FxHashMap::default();
    let mut mistakes = Vec::new();
    for (i, (name, variable)) in atoms.variables().iter().zip(variables).enumerate() {
        if let Some(value) = declared.get(&name[..]) {
            variable.declared = true;
            if let (Value::Text(_), Some((span, why))) = (value, variable.number) {
                mistakes.push(is_text(property, span, why, &format!("it is {value} at the start")));
            }
            values.insert(name.clone(), (*value).clone());
            continue;
        }
        // Whether a variable that nobody has assigned is 0 or the empty string is known at the end; mostly it is all the same.
        let alike = variable.number.is_some() || sight.are_alike(Slot(i as u32), &zero, &empty)?;
        variable.assumed = match alike {
            true => Assumed::Nothing,
            false if compared_with_text(atoms, Slot(i as u32)) => Assumed::Text,
            false => Assumed::Number,
        };
        let text = variable.assumed == Assumed::Text;
        values.insert(name.clone(), if text { empty.clone() } else { zero.clone() });
    }
    if mistakes.is_empty() { Ok(values) } else { Err(Error::Invalid(mistakes)) }
}

fn is_text(property: &Property, span: Span, why: &str, label: &str) -> Diagnostic {
    property.mistake(Kind::Type, span, why).label(label).help("compare it with `==` or `!=`")
}

/// What the property says about each of its variables.
fn variables(property: &Property, atoms: &Atoms) -> Vec<Variable> {
    let blank = |_: &String| Variable {
        number: None,
        span: property.span,
        assumed: Assumed::Nothing,
        declared: false,
        assigned: false,
        text: None,
    };
    let mut variables: Vec<Variable> = atoms.variables().iter().map(blank).collect();
    let mut met = vec![false; variables.len()];
    property.formula.for_each_atom(|atom| {
        let (Atom::State(condition) | Atom::On(condition)) = atom else { return };
        condition.for_each_var(&mut |var| {
            if let Some(Slot(slot)) = atoms.slot(&var.name)
                && !std::mem::replace(&mut met[slot as usize], true)
            {
                variables[slot as usize].span = var.spot.0;
            }
        });
        for_each_number(condition, &mut |var, why| {
            if let Some(Slot(slot)) = atoms.slot(&var.name) {
                variables[slot as usize].number.get_or_insert((var.spot.0, why));
            }
        });
    });
    variables
}

/// Whether a variable is compared with a string somewhere.
fn compared_with_text(atoms: &Atoms, slot: Slot) -> bool {
    fn within(condition: &Condition<Slot>, slot: Slot) -> bool {
        match condition {
            Condition::True | Condition::False | Condition::Nonzero(_) => false,
            Condition::Compare(_, Term::Var(v), Term::Text(..))
            | Condition::Compare(_, Term::Text(..), Term::Var(v)) => *v == slot,
            Condition::Compare(..) => false,
            Condition::Not(c) => within(c, slot),
            Condition::And(cs) | Condition::Or(cs) => cs.iter().any(|c| within(c, slot)),
            Condition::Implies(a, b) | Condition::Iff(a, b) => within(a, slot) || within(b, slot),
        }
    }
    atoms.atoms().iter().any(|atom| match atom {
        Atom::State(condition) | Atom::On(condition) => within(condition, slot),
        Atom::Event(_) | Atom::Process(_) | Atom::Enabled(_) => false,
    })
}
