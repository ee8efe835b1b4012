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
//! A property that asks for some order is the negation of the statement that every order violates it.
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
mod each;
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
use self::each::Each;
use self::never::Never;
use self::part::Part;
use self::sight::Sight;
use self::writes::{Write, Writes};
use super::answer::Instances;
use super::determined::unordered_pair;
use super::linear;
use posetta_base::{Budget, Diagnostic, Error, Kind, Mistakes, Number, OverBudget, ProcessId, Span, Subject, Value};
use posetta_compile::{Linear, Outlook, Prospect, Restricted};
use posetta_logic::{
    Atom, Atoms, Bound, Condition, Domain, Formula, Property, Quantifier, Slot, SlotKind, Term, View, for_each_number,
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

/// The parts of the statement that every order satisfies a linear property, or that every order violates it, each with the orders to
/// follow; and whether a violation of the statement is known as soon as it is certain.
fn orders(
    formula: &Formula,
    satisfy: bool,
    exists: &dyn Fn(&String) -> bool,
    initial: &dyn Fn(&str) -> Value,
    budget: &Budget,
) -> Result<(Vec<Part>, bool), OverBudget> {
    let mut atoms = Atoms::default();
    let Some((view, linear)) = Linear::of(formula, &mut atoms, budget)? else { return Ok((Vec::new(), true)) };
    let count = atoms.atoms().len();
    let vars = vec![None; atoms.variables().len()];
    let (kinds, warnings) = (atoms.kinds().to_vec(), Vec::new());
    let bound = Bound { formula: linear, atoms: atoms.atoms().to_vec(), vars, kinds, warnings };
    let split = linear::parts_as_written(&bound, satisfy);
    let bad = bound.formula.automaton(satisfy);
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

/// A statement about all orders. Clears `exact` if a violation may be known late.
fn statement(
    property: &Property,
    formula: &Formula,
    exact: &mut bool,
    exists: &dyn Fn(&String) -> bool,
    initial: &dyn Fn(&str) -> Value,
    budget: &Budget,
) -> Result<Statement, OverBudget> {
    let of_cuts = matches!(property.formula, Formula::Ctl(_));
    let satisfy = property.quantifier == Quantifier::Every;
    let never = match formula {
        Formula::Ltl(View::States, formula) if satisfy => match never::forbidden(formula) {
            Some(condition) => Never::new(&condition, (!of_cuts).then(Writes::default), initial, budget)?,
            None => None,
        },
        _ => None,
    };
    let never = match never {
        Some(never) if of_cuts => never,
        never => {
            let (parts, is_exact) = orders(formula, satisfy, exists, initial, budget)?;
            // What cannot be is known at once from the automaton, and never from events.
            let is_certain = parts.iter().all(Part::is_certain);
            match never {
                Some(never) if !is_certain => never,
                _ => {
                    *exact &= is_exact;
                    return Ok(Statement::Orders(parts));
                }
            }
        }
    };
    *exact &= never.is_exact();
    Ok(Statement::Never(Box::new(never)))
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
    /// Of a property with instances.
    each: Option<Each>,
    /// Of a property of cuts without instances.
    writes: Option<Writes>,
    /// The names of processes, by number, of a property of cuts.
    process_names: Option<Vec<String>>,
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
    wanted_attributes: BTreeSet<String>,
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
        if let Some(mistake) = property.asks_for_actions().or_else(|| property.asks_for_pairs("a run that is not over"))
        {
            return Err(mistake.into());
        }
        let satisfy = property.quantifier == Quantifier::Every;
        let (tree, formulas): (Tree, Vec<Formula>) = match &property.formula {
            Formula::Ctl(formula) => {
                let (tree, statements) =
                    branching::statements(property, formula).map_err(|d| Error::Invalid(vec![d]))?;
                (tree, statements.into_iter().map(|statement| Formula::Ltl(View::States, statement)).collect())
            }
            // That some order satisfies it denies that every order violates it.
            linear if !satisfy => (Tree::Not(Box::new(Tree::Statement(0))), vec![linear.clone()]),
            linear => (Tree::Statement(0), vec![linear.clone()]),
        };
        let mut atoms = Atoms::default();
        property.formula.for_each_atom(|atom| _ = atoms.add(atom));
        let mut names = Names::default();
        for atom in atoms.atoms() {
            match atom {
                Atom::Event(name) => drop(names.wanted_events.insert(name.clone())),
                Atom::Process(name) => drop(names.wanted_processes.insert(name.clone())),
                Atom::Having(having) => {
                    names.wanted_events.extend(having.name.clone());
                    names.wanted_attributes.extend(having.tests.iter().map(|test| test.attribute.clone()));
                }
                Atom::State(_) | Atom::Step(_) | Atom::On(_) | Atom::Enabled(_) => {}
            }
        }
        if let Some(Domain::Values(name)) = property.each.as_ref().map(|each| &each.domain) {
            names.wanted_attributes.insert(name.clone());
        }
        for name in processes.into_iter().flatten() {
            names.wanted_processes.remove(name);
        }
        let mut variables = variables(property, &atoms);
        let initial = initial_values(property, &atoms, &mut variables, initial)?;
        let exists = |name: &String| processes.is_none_or(|all| all.contains(name));
        let (mut statements, mut exact, mut each) = (Vec::new(), true, None);
        if property.each.is_some() {
            // Instances have statements of their own.
            each = Some(Each::new(formulas, initial, processes, budget));
        } else {
            let initial = |name: &str| initial[name].clone();
            for formula in &formulas {
                statements.push(statement(property, formula, &mut exact, &exists, &initial, budget)?);
            }
        }
        let is_of_cuts = matches!(property.formula, Formula::Ctl(_));
        Ok(Self {
            property: property.clone(),
            atoms,
            slots: Vec::new(),
            unmet: variables.iter().filter(|v| !v.declared).count(),
            variables,
            tree,
            statements,
            // Instances have writes of their own.
            writes: (is_of_cuts && each.is_none()).then(Writes::default),
            each,
            process_names: is_of_cuts.then(Vec::new),
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
        let Some(each) = &mut self.each else { return Ok(()) };
        match each.arrive(&self.property, &self.tree, &self.slots, event)? {
            None => Ok(()),
            Some((at, other)) => Err(Error::Invalid(vec![self.unordered(event, &event.assigned[at], &other)])),
        }
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
        if let Some(each) = &self.each {
            return each.prospect();
        }
        self.tree.prospect(&|statement| self.statements[statement].prospect())
    }

    /// If the property is violated, or if some order was asked for and it holds: events that, in this order, decide it for good after
    /// what went before them. The last event that came is among them; where it is not the last one here, others that had come may as well
    /// have come after it. Of a property of cuts, if one path shows what it is, violated or not: the last events of that path that matter.
    #[must_use]
    pub fn culprits(&self) -> Vec<Culprit> {
        if let Some(each) = &self.each {
            return each.culprits(&self.tree);
        }
        let shown_by = self.tree.shown_by(&|statement| self.statements[statement].prospect());
        shown_by.map_or(Vec::new(), |statement| self.statements[statement].culprits(self.writes.is_some()).to_vec())
    }

    /// Whether the property holds on what has come, were it the whole run.
    #[must_use]
    pub fn satisfied(&self) -> bool {
        if let Some(each) = &self.each {
            return each.failing(&self.tree).0.is_empty();
        }
        self.tree.holds(&|statement| self.statements[statement].satisfied())
    }

    /// Of a property with instances, those that have begun: how many there are, and which do not hold on what has come.
    #[must_use]
    pub fn instances(&self) -> Option<Instances> {
        let (failing, total) = self.each.as_ref()?.failing(&self.tree);
        let (violated, shown) = (failing.len() as u64, failing.first().cloned());
        Some(Instances { total, violated, shown, failing, ..Instances::default() })
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
        let instances = self.each.as_ref().map_or((0, 0), Each::held);
        self.statements.iter().map(Statement::held).fold(instances, both)
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
        let divides = self.each.as_ref().is_some_and(Each::divides_by_zero);
        if divides || self.statements.iter().any(Statement::divides_by_zero) {
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
        let mut domain = None;
        if let Some(Domain::Values(name)) = self.property.each.as_ref().map(|each| &each.domain) {
            domain = Some(name).filter(|name| self.names.wanted_attributes.contains(*name));
        }
        if let Some(name) = domain {
            let message = format!("no event has the attribute `{name}`");
            let span = self.property.each.as_ref().map_or(self.property.span, |each| each.spot.0);
            let mistake = self.property.mistake(Kind::UnknownAttribute, span, message);
            mistakes.push(mistake.about(Subject::Attribute(name.clone()), None).label("unknown"));
        }
        self.property.formula.for_each_test(|test| {
            // Each once: the set has those that have not come.
            let message = || format!("no event has the attribute `{}`", test.attribute);
            if self.names.wanted_attributes.contains(&test.attribute)
                && !mistakes.iter().any(|m| m.message == message())
            {
                let mistake = self.property.mistake(Kind::UnknownAttribute, test.spot.0, message());
                mistakes.push(mistake.about(Subject::Attribute(test.attribute.clone()), None).label("unknown"));
            }
        });
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
        if !self.names.wanted_attributes.is_empty() {
            for (name, _) in event.attributes.iter() {
                self.names.wanted_attributes.remove(name);
            }
        }
        self.name_process(event);
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
        let Some(names) = &mut self.process_names else { return };
        let process = event.process.index();
        if names.len() <= process {
            names.resize_with(process + 1, String::new);
        }
        if names[process].is_empty() {
            names[process].push_str(event.process_name);
        }
    }

    /// An event writes something that it need not come after another write of.
    fn unordered(&self, event: &Arrival<'_>, assigned: &Assigned<'_>, other: &Write) -> Diagnostic {
        let show = |process: &str, place: u32, value: &Value, line: u64| {
            format!("`{process}.{place}` sets {value} (line {line})")
        };
        let name = self.process_names.as_ref().and_then(|names| names.get(other.process.index()));
        let first = show(name.map_or("?", String::as_str), other.place, &other.value, other.line);
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
    let mut values: FxHashMap<String, Value> = FxHashMap::default();
    let mut mistakes = Vec::new();
    for (i, (name, variable)) in atoms.variables().iter().zip(variables).enumerate() {
        let other = match atoms.kinds()[i] {
            SlotKind::Now => None,
            // A value before is one of its variable, which stands before it.
            SlotKind::Before(now) => Some(values[&atoms.variables()[now.0 as usize]].clone()),
            // Each instance has its own.
            SlotKind::Key => Some(zero.clone()),
        };
        if let Some(value) = other {
            variable.declared = true;
            values.insert(name.clone(), value);
            continue;
        }
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
        let Some(condition) = atom.condition() else { return };
        condition.for_each_var(&mut |var| {
            if let Some(Slot(slot)) = atoms.slot(&var.name).filter(|_| var.is_of_trace())
                && !std::mem::replace(&mut met[slot as usize], true)
            {
                variables[slot as usize].span = var.spot.0;
            }
        });
        for_each_number(condition, &mut |var, why| {
            if let Some(Slot(slot)) = atoms.slot(&var.name).filter(|_| var.is_of_trace()) {
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
    let same = |other: usize| matches!(atoms.kinds()[other], SlotKind::Before(now) if now == slot);
    let slots: Vec<Slot> =
        (0..atoms.kinds().len()).filter(|&other| same(other)).map(|other| Slot(other as u32)).chain([slot]).collect();
    let any = |condition: &Condition<Slot>| slots.iter().any(|&slot| within(condition, slot));
    atoms.atoms().iter().any(|atom| atom.condition().is_some_and(any))
}
