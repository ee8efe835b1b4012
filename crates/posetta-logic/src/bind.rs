//! Ties a formula to one trace: variables become slots, and types are checked before any engine runs.
//!
//! Types come from the values that the variables take on this trace. A variable that takes a string somewhere cannot be
//! ordered, calculated with, or stand by itself.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::atom::{Atom, Condition, Term, Var, Which};
use super::ctl::Ctl;
use super::each::{Domain, Each};
use super::having::{Found, Having, Test};
use super::ltl::Ltl;
use super::m2l::M2l;
use super::monitor::Monitor;
use super::parse::Dialect;
use super::property::Property;
use super::psl::Psl;
use super::suggest::{nearest, unglued};
use posetta_base::{Diagnostic, EventId, Kind, Mistakes, Number, Span, Subject, Value, ValueId, VarId};
use posetta_trace::{Column, Trace};

/// A variable of a bound formula: a place in [`Bound::vars`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u32);

/// An atom of a bound formula: a place in [`Bound::atoms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AtomId(pub u32);

/// What a slot stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// Its variable at this position.
    Now,
    /// The variable of another slot at the position before.
    Before(Slot),
    /// The value that an instance of the property is about.
    Key,
}

impl Atom<Slot> {
    /// The same with a value for a slot.
    #[must_use]
    pub fn with(&self, slot: Slot, value: &Value) -> Self {
        self.replace(&|other| (*other == slot).then(|| Term::value(value)))
    }

    /// The variables that it speaks of, ascending.
    #[must_use]
    pub fn slots(&self) -> Vec<Slot> {
        let mut slots = Vec::new();
        self.for_each_var(&mut |&slot| slots.push(slot));
        slots.sort_unstable();
        slots.dedup();
        slots
    }
}

/// A formula over the variables of one trace.
#[derive(Clone, Debug)]
pub struct Bound<F> {
    /// The formula; its atoms are places in `atoms`.
    pub formula: F,
    /// The distinct atoms, by first occurrence.
    pub atoms: Vec<Atom<Slot>>,
    /// The variables, by first occurrence. `None`: nothing on this trace, always 0.
    pub vars: Vec<Option<VarId>>,
    /// What the slots stand for; a slot of the position before has the variable of the other one.
    pub kinds: Vec<SlotKind>,
    /// Names of events, processes and variables that the trace does not have.
    pub warnings: Vec<Diagnostic>,
}

impl<F> Bound<F> {
    /// The value of each slot before any event; `None` for 0.
    #[must_use]
    pub fn initial(&self, trace: &Trace) -> Vec<Option<ValueId>> {
        self.vars.iter().map(|v| v.map(|v| trace.initial(v))).collect()
    }

    /// The same atoms and variables, with something else made of them.
    pub fn map<G>(self, f: impl FnOnce(F) -> G) -> Bound<G> {
        let Self { formula, atoms, vars, kinds, warnings } = self;
        Bound { formula: f(formula), atoms, vars, kinds, warnings }
    }

    /// The slots that stand for values before, each with the one of its variable.
    #[must_use]
    pub fn before(&self) -> Vec<(Slot, Slot)> {
        let before = |(i, kind): (usize, &SlotKind)| match kind {
            SlotKind::Before(now) => Some((Slot(i as u32), *now)),
            SlotKind::Now | SlotKind::Key => None,
        };
        self.kinds.iter().enumerate().filter_map(before).collect()
    }

    /// The slot of the same variable at this position.
    #[must_use]
    #[inline]
    pub fn now(&self, slot: Slot) -> Slot {
        match self.kinds[slot.0 as usize] {
            SlotKind::Before(now) => now,
            SlotKind::Now | SlotKind::Key => slot,
        }
    }

    /// The slot of the value that an instance is about.
    #[must_use]
    pub fn key(&self) -> Option<Slot> {
        self.kinds.iter().position(|kind| *kind == SlotKind::Key).map(|place| Slot(place as u32))
    }

    /// Some of the atoms, by their places in the list, with only the variables that they mention.
    #[must_use]
    pub fn only(&self, atoms: &[AtomId]) -> Bound<()> {
        let mut slots: FxHashMap<Slot, Slot> = FxHashMap::default();
        let (mut vars, mut kinds) = (Vec::new(), Vec::new());
        let mut place = |slot: Slot, kind: SlotKind| {
            *slots.entry(slot).or_insert_with(|| {
                vars.push(self.vars[slot.0 as usize]);
                kinds.push(kind);
                Slot(vars.len() as u32 - 1)
            })
        };
        let mut placed = |slot: &Slot| match self.kinds[slot.0 as usize] {
            SlotKind::Before(now) => {
                let now = place(now, SlotKind::Now);
                place(*slot, SlotKind::Before(now))
            }
            kind => place(*slot, kind),
        };
        let atoms = atoms.iter().map(|atom| self.atoms[atom.0 as usize].map_vars(&mut placed)).collect();
        Bound { formula: (), atoms, vars, kinds, warnings: Vec::new() }
    }

    /// The slot of each variable of the trace that the formula mentions.
    #[must_use]
    pub fn slots(&self) -> FxHashMap<VarId, Slot> {
        let now = self.vars.iter().zip(&self.kinds).enumerate().filter(|(_, (_, kind))| **kind == SlotKind::Now);
        now.filter_map(|(i, (v, _))| Some(((*v)?, Slot(i as u32)))).collect()
    }
}

/// Binds an LTL formula. `known_elsewhere` are variables that other inputs have: unknown here, they are 0.
///
/// # Errors
/// With every unknown variable and every type error.
pub fn bind_ltl(
    property: &Property,
    formula: &Ltl,
    trace: &Trace,
    known_elsewhere: &[String],
) -> Result<Bound<Ltl<AtomId>>, Mistakes> {
    let mut binder = Binder::new(property, trace, known_elsewhere);
    let formula = formula.map_atoms(&mut |atom| binder.atom(atom));
    binder.finish(formula)
}

/// Binds a CTL formula; as [`bind_ltl`].
///
/// # Errors
/// With every unknown variable and every type error.
pub fn bind_ctl(
    property: &Property,
    formula: &Ctl,
    trace: &Trace,
    known_elsewhere: &[String],
) -> Result<Bound<Ctl<AtomId>>, Mistakes> {
    let mut binder = Binder::new(property, trace, known_elsewhere);
    let formula = formula.map_atoms(&mut |atom| binder.atom(atom));
    binder.finish(formula)
}

/// Binds a PSL formula; as [`bind_ltl`].
///
/// # Errors
/// With every unknown variable and every type error.
pub fn bind_psl(
    property: &Property,
    formula: &Psl,
    trace: &Trace,
    known_elsewhere: &[String],
) -> Result<Bound<Psl<AtomId>>, Mistakes> {
    let mut binder = Binder::new(property, trace, known_elsewhere);
    let formula = formula.map_atoms(&mut |atom| binder.atom(atom));
    binder.finish(formula)
}

/// Binds a formula of M2L; as [`bind_ltl`]. What comes out are the atoms of its program, in their order.
///
/// # Errors
/// With every unknown variable and every type error.
pub fn bind_m2l(
    property: &Property,
    formula: &M2l,
    trace: &Trace,
    known_elsewhere: &[String],
) -> Result<Bound<Vec<AtomId>>, Mistakes> {
    let mut binder = Binder::new(property, trace, known_elsewhere);
    let atoms = formula.program().atoms.iter().map(|(_, atom)| binder.atom(atom)).collect();
    binder.finish(atoms)
}

/// Binds a monitor; as [`bind_ltl`].
///
/// # Errors
/// With every unknown variable and every type error.
pub fn bind_monitor(
    property: &Property,
    monitor: &Monitor,
    trace: &Trace,
    known_elsewhere: &[String],
) -> Result<Bound<Monitor<AtomId>>, Mistakes> {
    let mut binder = Binder::new(property, trace, known_elsewhere);
    let monitor = monitor.map_atoms(&mut |atom| binder.atom(atom));
    binder.finish(monitor)
}

/// After this many mistakes, or warnings, the rest is not worth telling: each costs a look at the whole source.
const ENOUGH: usize = 20;

struct Binder<'a> {
    property: &'a Property,
    trace: &'a Trace,
    known_elsewhere: &'a [String],
    atoms: Vec<Atom<Slot>>,
    /// The atoms as written, to find repeated ones.
    written: FxHashMap<Atom, AtomId>,
    vars: Vec<Option<VarId>>,
    kinds: Vec<SlotKind>,
    slots: FxHashMap<String, Slot>,
    found: FxHashMap<VarId, Slot>,
    /// The slots of values before, by the slot of the variable.
    before: FxHashMap<Slot, Slot>,
    key: Option<Slot>,
    /// The attributes that were asked for; `None` for one that no event has.
    columns: FxHashMap<String, Option<Column>>,
    /// The values that instances are about.
    keys: Option<Column>,
    /// The names that the trace's events have, gathered when the first one is asked for.
    event_names: Option<BTreeSet<&'a str>>,
    /// Every occurrence that must not be a string, and why.
    numbers: Vec<(Slot, Span, &'static str)>,
    mistakes: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl<'a> Binder<'a> {
    fn new(property: &'a Property, trace: &'a Trace, known_elsewhere: &'a [String]) -> Self {
        Self {
            property,
            trace,
            known_elsewhere,
            atoms: Vec::new(),
            written: FxHashMap::default(),
            event_names: None,
            vars: Vec::new(),
            kinds: Vec::new(),
            slots: FxHashMap::default(),
            found: FxHashMap::default(),
            before: FxHashMap::default(),
            key: None,
            columns: FxHashMap::default(),
            keys: None,
            numbers: Vec::new(),
            mistakes: Vec::new(),
            warnings: Vec::new(),
        }
    }

    fn finish<F>(mut self, formula: F) -> Result<Bound<F>, Mistakes> {
        self.check_types();
        if self.mistakes.is_empty() {
            Ok(Bound { formula, atoms: self.atoms, vars: self.vars, kinds: self.kinds, warnings: self.warnings })
        } else {
            Err(self.mistakes.into())
        }
    }

    fn atom(&mut self, atom: &Atom) -> AtomId {
        if let Some(&known) = self.written.get(atom) {
            return known;
        }
        match atom {
            Atom::State(c) | Atom::Step(c) | Atom::On(c) => for_each_number(c, &mut |var, why| {
                let slot = self.slot(var);
                self.numbers.push((slot, var.spot.0, why));
            }),
            Atom::Event(name) => self.event_name(name),
            Atom::Having(having) => {
                if let Some(name) = &having.name {
                    self.event_name(name);
                }
            }
            Atom::Process(name) => self.process_name(name),
            Atom::Enabled(_) => {
                let told = self.mistakes.iter().any(|m| m.kind == Kind::Unsupported);
                self.mistakes.extend(self.property.asks_for_actions().filter(|_| !told));
            }
        }
        let bound = match atom.map_vars(&mut |var| self.slot(var)) {
            Atom::Having(having) => Atom::Having(Having { found: self.having(&having), ..having }),
            bound => bound,
        };
        let id = AtomId(self.atoms.len() as u32);
        self.atoms.push(bound);
        self.written.insert(atom.clone(), id);
        id
    }

    fn slot(&mut self, var: &Var) -> Slot {
        match var.which {
            Which::Now => self.now(var),
            Which::Before => {
                let now = self.now(var);
                let (vars, kinds) = (&mut self.vars, &mut self.kinds);
                *self.before.entry(now).or_insert_with(|| {
                    vars.push(vars[now.0 as usize]);
                    kinds.push(SlotKind::Before(now));
                    Slot(vars.len() as u32 - 1)
                })
            }
            Which::Key => {
                let (vars, kinds) = (&mut self.vars, &mut self.kinds);
                *self.key.get_or_insert_with(|| {
                    vars.push(None);
                    kinds.push(SlotKind::Key);
                    Slot(vars.len() as u32 - 1)
                })
            }
        }
    }

    /// The events of which an atom about attributes is true.
    fn having(&mut self, having: &Having) -> Found {
        let trace = self.trace;
        for test in &having.tests {
            if !self.columns.contains_key(&test.attribute) {
                let column = trace.column(&test.attribute);
                if column.is_none() {
                    self.unknown_attribute(&test.attribute, test.spot.0);
                }
                self.columns.insert(test.attribute.clone(), column);
            }
        }
        if having.mentions_key() {
            self.find_keys();
        }
        let keys = self.keys.as_ref();
        let tests: Vec<(&Test, Option<&Column>)> =
            having.tests.iter().map(|test| (test, self.columns[&test.attribute].as_ref())).collect();
        Found::among(trace.events(), |event| {
            let key = keys.and_then(|keys| keys.value(event));
            let passes = |(test, column): &(&Test, Option<&Column>)| {
                test.passes(column.and_then(|column| column.value(event)), key)
            };
            having.name.as_deref().is_none_or(|name| trace.event_name(event) == Some(name)) && tests.iter().all(passes)
        })
    }

    /// Looks up the values that instances are about. That there are none is told by [`instances`].
    fn find_keys(&mut self) {
        if let (None, Some(each)) = (&self.keys, &self.property.each) {
            self.keys = column_of(each, self.trace);
        }
    }

    fn unknown_attribute(&mut self, name: &str, span: Span) {
        if self.mistakes.len() + self.warnings.len() >= ENOUGH {
            return;
        }
        match unknown_attribute(self.property, self.trace, name, span, self.known_elsewhere) {
            Ok(warning) => self.warnings.push(warning),
            Err(mistake) => self.mistakes.push(mistake),
        }
    }

    fn now(&mut self, var: &Var) -> Slot {
        if let Some(&slot) = self.slots.get(&var.name) {
            return slot;
        }
        let found = self.trace.find_variable(&var.name);
        // Two names of one variable are one slot.
        if let Some(&slot) = found.and_then(|var| self.found.get(&var)) {
            self.slots.insert(var.name.clone(), slot);
            return slot;
        }
        if found.is_none() {
            if self.mistakes.len() + self.warnings.len() >= ENOUGH {
                // One more would tell nothing new; that there are mistakes is known.
            } else if self.known_elsewhere.contains(&var.name) {
                let text = format!("this run neither assigns nor declares `{}`: here it is always 0", var.name);
                let warning = self.property.mistake(Kind::NotAssigned, var.spot.0, text);
                self.warnings.push(warning.about(Subject::Variable(var.name.clone()), None));
            } else {
                self.unknown(var);
            }
        }
        let slot = Slot(self.vars.len() as u32);
        self.vars.push(found);
        self.kinds.push(SlotKind::Now);
        if let Some(var) = found {
            self.found.insert(var, slot);
        }
        self.slots.insert(var.name.clone(), slot);
        slot
    }

    fn unknown(&mut self, var: &Var) {
        if let Err(could_be) = self.trace.meant_by(&var.name)
            && could_be.len() > 1
        {
            let message = format!("`{}` could be any of {} variables", var.name, could_be.len());
            let names: Vec<String> = could_be.iter().take(8).map(|name| format!("`{name}`")).collect();
            let more = if could_be.len() > names.len() { ", …" } else { "" };
            let mistake = self.property.mistake(Kind::UnknownVariable, var.spot.0, message);
            let mistake = mistake.about(Subject::Variable(var.name.clone()), None);
            self.mistakes.push(
                mistake.label("expected more of its name").help(format!("the run has {}{more}", names.join(", "))),
            );
            return;
        }
        let names = self.trace.variables().map(|v| self.trace.variable_name(v));
        let near = nearest(&var.name, names);
        let mistake = self
            .property
            .mistake(
                Kind::UnknownVariable,
                var.spot.0,
                format!("no input assigns or declares the variable `{}`", var.name),
            )
            .about(Subject::Variable(var.name.clone()), near);
        let is_known = |name: &str| self.trace.variables().any(|v| self.trace.variable_name(v) == name);
        // What the reader of a waveform would have worked out.
        if var.name.ends_with(')') && var.name.contains('(') || var.name.ends_with(']') && var.name.contains(':') {
            self.mistakes.push(mistake.label("unknown").help(
                "bits and functions of vectors, and values further back than one position, are worked out of the signals of waveforms only",
            ));
            return;
        }
        if self.trace.has_text(&var.name) {
            self.mistakes.push(mistake.label(format!("did you mean the value \"{}\"?", var.name)));
            return;
        }
        let meant = unglued(&var.name, Dialect::unary_of(&self.property.formula), &is_known);
        self.mistakes.push(match meant.as_deref().or(near) {
            Some(meant) => mistake.label(format!("did you mean `{meant}`?")),
            None => {
                let mut names: Vec<&str> = self.trace.variables().map(|v| self.trace.variable_name(v)).collect();
                names.sort_unstable();
                let more = names.len().saturating_sub(8);
                names.truncate(8);
                match names.as_slice() {
                    [] => mistake.label("this run assigns no variables"),
                    _ if more == 0 => mistake.label("unknown").help(format!("the variables are {}", names.join(", "))),
                    _ => {
                        mistake.label("unknown").help(format!("the variables are {} and {more} more", names.join(", ")))
                    }
                }
            }
        });
    }

    fn event_name(&mut self, name: &str) {
        let trace = self.trace;
        let names = self.event_names.get_or_insert_with(|| {
            let distinct: FxHashSet<&str> = trace.events().filter_map(|e| trace.event_name(e)).collect();
            distinct.into_iter().collect()
        });
        let declared = &self.property.declared_events;
        if !names.contains(name) && !declared.contains(name) && self.warnings.len() < ENOUGH {
            let known = names.iter().copied().chain(declared.iter().map(String::as_str));
            let near = nearest(name, known).map(str::to_owned);
            self.warnings.push(self.property.no_event("run", name, near.as_deref()));
        }
    }

    fn process_name(&mut self, name: &str) {
        let trace = self.trace;
        if !trace.processes().any(|p| trace.is_called(p, name)) && self.warnings.len() < ENOUGH {
            // Of a run with groups those are what people write.
            let groups = trace.processes().filter_map(|p| trace.group(p));
            let names = groups.chain(trace.processes().map(|p| trace.process_name(p)));
            let near = nearest(name, names);
            self.warnings.push(self.property.no_process("run", name, near));
        }
    }

    /// One pass over the trace finds, for each variable that must be a number, the first string it takes.
    fn check_types(&mut self) {
        if self.numbers.is_empty() {
            return;
        }
        // What is wrong with a variable now is wrong with it before.
        let kinds = &self.kinds;
        self.numbers.iter_mut().for_each(|(slot, ..)| {
            if let SlotKind::Before(now) = kinds[slot.0 as usize] {
                *slot = now;
            }
        });
        self.check_keys();
        let mut wanted: FxHashMap<VarId, Slot> = FxHashMap::default();
        for &(slot, ..) in &self.numbers {
            if let Some(var) = self.vars[slot.0 as usize] {
                wanted.insert(var, slot);
            }
        }
        let mut strings: FxHashMap<Slot, (String, Option<EventId>)> = FxHashMap::default();
        for (&var, &slot) in &wanted {
            if let Value::Text(text) = self.trace.value(self.trace.initial(var)) {
                // An undeclared "" stands for "only strings": the first write says it better.
                if self.trace.is_declared(var) {
                    strings.insert(slot, (text.clone(), None));
                }
            }
        }
        for event in self.trace.events() {
            for a in self.trace.assignments(event) {
                if let Some(&slot) = wanted.get(&a.var)
                    && let Value::Text(text) = self.trace.value(a.value)
                {
                    strings.entry(slot).or_insert_with(|| (text.clone(), Some(event)));
                }
            }
        }
        for (slot, span, why) in std::mem::take(&mut self.numbers) {
            let Some((text, event)) = strings.get(&slot) else { continue };
            if self.mistakes.len() >= ENOUGH {
                break;
            }
            let shown = Value::Text(text.clone());
            let label = match event {
                Some(e) => format!("it is {shown} after `{}` ({})", self.trace.label(*e), self.trace.whereabouts(*e)),
                None => format!("it is {shown} at the start"),
            };
            let is_bits = text.contains(['x', 'z']) && text.bytes().all(|b| matches!(b, b'0' | b'1' | b'x' | b'z'));
            let help = if is_bits && self.trace.has_state_records() {
                "compare it with `==` or `!=`; of a waveform, --unknown 0 reads x and z as 0"
            } else {
                "compare it with `==` or `!=`"
            };
            self.mistakes.push(self.property.mistake(Kind::Type, span, why).label(label).help(help));
        }
    }
}

impl Binder<'_> {
    /// If the values that instances are about must be numbers, they are.
    fn check_keys(&mut self) {
        let Some(key) = self.key.filter(|key| self.numbers.iter().any(|(slot, ..)| slot == key)) else { return };
        self.find_keys();
        let text = self.keys.as_ref().and_then(|keys| keys.values().iter().find(|value| value.is_text()));
        let (Some(text), Some(each)) = (text, &self.property.each) else { return };
        let of_what = match &each.domain {
            Domain::Values(attribute) => format!("{text} is one of the values of `{attribute}`"),
            Domain::Processes => format!("{text} is the name of a process"),
        };
        if let Some(&(_, span, why)) = self.numbers.iter().find(|(slot, ..)| *slot == key) {
            let mistake = self.property.mistake(Kind::Type, span, why).label(of_what);
            self.mistakes.push(mistake.help("compare it with `==` or `!=`"));
        }
    }
}

/// The values that the instances of a property are about, on a trace; `None` if it has no instances. No values, if only other inputs have
/// the attribute (`known_elsewhere`).
///
/// # Errors
/// When no event has the attribute.
pub fn instances(property: &Property, trace: &Trace, known_elsewhere: &[String]) -> Result<Option<Column>, Mistakes> {
    let Some(each) = &property.each else { return Ok(None) };
    match (column_of(each, trace), &each.domain) {
        (None, Domain::Values(name)) => {
            unknown_attribute(property, trace, name, each.spot.0, known_elsewhere)?;
            Ok(None)
        }
        (column, _) => Ok(column),
    }
}

fn column_of(each: &Each, trace: &Trace) -> Option<Column> {
    match &each.domain {
        Domain::Values(attribute) => trace.column(attribute),
        Domain::Processes => Some(Column::of_processes(trace)),
    }
}

/// No event has an attribute: a warning if another input has it, else a mistake.
fn unknown_attribute(
    property: &Property,
    trace: &Trace,
    name: &str,
    span: Span,
    known_elsewhere: &[String],
) -> Result<Diagnostic, Diagnostic> {
    let subject = || Subject::Attribute(name.to_owned());
    if known_elsewhere.iter().any(|known| known == name) {
        let text = format!("no event of this run has the attribute `{name}`");
        return Ok(property.mistake(Kind::NotAssigned, span, text).about(subject(), None));
    }
    let near = nearest(name, trace.attribute_names());
    let mistake = property.mistake(Kind::UnknownAttribute, span, format!("no event has the attribute `{name}`"));
    let mistake = mistake.about(subject(), near);
    if trace.find_variable(name).is_some() {
        let mistake = mistake.label("this is a variable");
        return Err(mistake.help("what an event assigns is asked with `on(..)`; an attribute is a field beside these"));
    }
    if let Some(near) = near {
        return Err(mistake.label(format!("did you mean `{near}`?")));
    }
    let names: Vec<&str> = trace.attribute_names().take(9).collect();
    Err(match names.as_slice() {
        [] => mistake.label("no event of this run has attributes"),
        [some @ .., _] if names.len() > 8 => {
            mistake.label("unknown").help(format!("the attributes are {}, …", some.join(", ")))
        }
        all => mistake.label("unknown").help(format!("the attributes are {}", all.join(", "))),
    })
}

/// Calls `f` with every variable that must be a number, and why.
pub fn for_each_number<'c>(condition: &'c Condition, f: &mut impl FnMut(&'c Var, &'static str)) {
    match condition {
        Condition::True | Condition::False => {}
        Condition::Compare(op, a, b) => {
            for side in [a, b] {
                match side {
                    Term::Var(v) if op.is_order() => f(v, "strings have no order"),
                    _ => for_each_operand(side, f),
                }
            }
        }
        Condition::Nonzero(Term::Var(v)) => f(v, "a string by itself is neither true nor false"),
        Condition::Nonzero(t) => for_each_operand(t, f),
        Condition::Not(c) => for_each_number(c, f),
        Condition::And(cs) | Condition::Or(cs) => cs.iter().for_each(|c| for_each_number(c, f)),
        Condition::Implies(a, b) | Condition::Iff(a, b) => {
            for_each_number(a, f);
            for_each_number(b, f);
        }
    }
}

fn for_each_operand<'c>(term: &'c Term, f: &mut impl FnMut(&'c Var, &'static str)) {
    let operands: [Option<&Term>; 2] = match term {
        Term::Number(_) | Term::Text(..) | Term::Var(_) => return,
        Term::Neg(t) => [Some(t), None],
        Term::Binary(_, a, b) => [Some(a), Some(b)],
    };
    for operand in operands.into_iter().flatten() {
        match operand {
            Term::Var(v) => f(v, "there is no arithmetic on strings"),
            other => for_each_operand(other, f),
        }
    }
}

/// The value of a slot that the trace does not have.
pub(crate) const ABSENT: Value = Value::Number(Number::ZERO);
