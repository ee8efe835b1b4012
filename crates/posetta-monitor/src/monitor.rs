//! One property, and the streams that it follows one record at a time.

use std::fmt::Write;

use crate::types::Types;
use posetta_base::{Attributes, Budget, Diagnostic, Error, Kind, Number, OverBudget, Value};
use posetta_compile::{Answers, Completions, Linear, Machine, MachineState, Prospect};
use posetta_logic::eval::{Notes, Values, condition_in};
use posetta_logic::{Atom, Atoms, Property, Slot, SlotKind, View};

/// A record of a stream.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Record<'a> {
    /// The name of the event, if it has one. A state record has none.
    pub name: Option<&'a str>,
    /// The process of the event; `None` for a state record.
    pub process: Option<&'a str>,
    /// The values that it assigns; the last one of a name counts.
    pub sets: &'a [(&'a str, Value)],
    /// What else it says of the event, as far as [anybody asks](Monitor::attributes).
    pub attributes: Attributes<'a>,
}

impl<'a> Record<'a> {
    /// A state, in which these variables have these values and the others keep theirs.
    #[must_use]
    pub fn state(sets: &'a [(&'a str, Value)]) -> Self {
        Self { name: None, process: None, sets, attributes: Attributes::default() }
    }

    /// An event of a process that assigns these values.
    #[must_use]
    pub fn event(process: &'a str, name: Option<&'a str>, sets: &'a [(&'a str, Value)]) -> Self {
        Self { name, process: Some(process), sets, attributes: Attributes::default() }
    }

    /// An event if it has a process, else a state.
    #[must_use]
    pub fn of(process: Option<&'a str>, name: Option<&'a str>, sets: &'a [(&'a str, Value)]) -> Self {
        Self { name, process, sets, attributes: Attributes::default() }
    }

    /// The same event with attributes.
    #[must_use]
    pub fn with_attributes(self, attributes: Attributes<'a>) -> Self {
        Self { attributes, ..self }
    }
}

/// Which kind of records a stream is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// The first record is the initial state.
    States,
    /// The initial values come before the first record.
    Events,
}

/// The process of state records, as it is called where a run is made of them.
const STATES: &str = "state";

/// A property that follows streams; one for all of them.
#[derive(Debug)]
pub struct Monitor {
    property: Property,
    view: View,
    stream: Stream,
    atoms: Atoms,
    types: Types,
    initial: Box<[Value]>,
    machine: Machine,
    /// The slot of the value that a stream is about.
    key: Option<Slot>,
    /// Where a stream is before its first record.
    start: MachineState,
    /// Of the record that is read: the truth of each atom, and which variables are assigned.
    letter: Vec<bool>,
    assigned: Vec<bool>,
    notes: Notes,
}

/// One stream, up to some record.
#[derive(Clone, Debug)]
pub struct Instance {
    place: MachineState,
    values: Box<[Value]>,
    records: u64,
}

struct Valuation<'a>(&'a [Value]);

impl Values for Valuation<'_> {
    fn value(&self, slot: Slot) -> &Value {
        &self.0[slot.0 as usize]
    }
}

impl Monitor {
    /// A property before any stream. `initial` are declared values; other variables start as 0, or as the empty string if they are
    /// compared with strings only.
    ///
    /// # Errors
    /// When the property is not linear or does not fit the declared values, or when the budget is spent.
    pub fn new(
        property: &Property,
        stream: Stream,
        initial: &[(String, Value)],
        completions: Completions,
        budget: &Budget,
    ) -> Result<Self, Error> {
        let mistake = property
            .asks_for_actions()
            .or_else(|| property.asks_for_some_order("a stream", "a stream is one order"))
            .or_else(|| property.asks_for_pairs("a stream"));
        if let Some(mistake) = mistake {
            return Err(mistake.into());
        }
        let mut atoms = Atoms::default();
        let (view, linear) = Linear::of(&property.formula, &mut atoms, budget)?.ok_or_else(|| {
            let mistake = property.mistake(Kind::Unsupported, property.span, "a property of cuts cannot be monitored");
            let mistake = mistake.label("expected a property of single orders: LTL, PSL, M2L, a pattern or a monitor");
            let help = "a stream is one order; decide it with `check` on a run of several processes";
            Error::Invalid(vec![mistake.help(help)])
        })?;
        let types = Types::new(property, &atoms);
        let mut mistakes = Vec::new();
        let mut values: Vec<Value> = Vec::with_capacity(atoms.variables().len());
        for (i, name) in atoms.variables().iter().enumerate() {
            let slot = Slot(i as u32);
            match atoms.kinds()[i] {
                SlotKind::Now => {}
                // Its variable stands before it.
                SlotKind::Before(now) => {
                    values.push(values[now.0 as usize].clone());
                    continue;
                }
                // Each stream has its own.
                SlotKind::Key => {
                    values.push(Value::Number(Number::ZERO));
                    continue;
                }
            }
            let declared = initial.iter().rev().find(|(declared, _)| declared == name);
            values.push(match declared {
                Some((_, value)) => {
                    mistakes.extend(types.mistake(property, slot, value, "at the start"));
                    value.clone()
                }
                None if types.is_text(slot) => Value::Text(String::new()),
                None => Value::Number(Number::ZERO),
            });
        }
        if !mistakes.is_empty() {
            return Err(Error::Invalid(mistakes));
        }
        let machine = Machine::new(&linear, &atoms, view, completions, budget)?;
        let (letter, assigned) = (vec![false; atoms.atoms().len()], vec![false; atoms.variables().len()]);
        let mut monitor = Self {
            start: machine.start(),
            key: atoms.kinds().iter().position(|kind| *kind == SlotKind::Key).map(|place| Slot(place as u32)),
            property: property.clone(),
            view,
            stream,
            atoms,
            types,
            initial: values.into(),
            machine,
            letter,
            assigned,
            notes: Notes::default(),
        };
        let values = monitor.initial.clone();
        monitor.start = monitor.first_place(&values, budget)?;
        Ok(monitor)
    }

    /// The property.
    #[must_use]
    pub fn property(&self) -> &Property {
        &self.property
    }

    /// The names of the variables that it reads.
    #[must_use]
    pub fn variables(&self) -> &[String] {
        self.atoms.variables()
    }

    /// The machine behind it.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Whether a verdict is given at the earliest record at which it is determined, as far as letters can be told apart.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.machine.is_exact()
    }

    /// Whether an answer says that the property is open where it may be determined all the same.
    #[must_use]
    pub fn is_late(&self, answers: Answers) -> bool {
        answers.prospect == Prospect::Open && !self.is_exact()
    }

    /// Whether some comparison divided by zero, and was therefore false.
    #[must_use]
    pub fn divides_by_zero(&self) -> bool {
        self.notes.division_by_zero
    }

    /// A stream of which nothing has come.
    #[must_use]
    pub fn begin(&self) -> Instance {
        Instance { place: self.start.clone(), values: self.initial.clone(), records: 0 }
    }

    /// The names of the attributes that it asks for.
    #[must_use]
    pub fn attributes(&self) -> Vec<String> {
        self.property.attributes()
    }

    /// A stream of which nothing has come, and the value that it is about.
    ///
    /// # Errors
    /// When the value does not fit, or the budget is spent.
    pub fn begin_about(&mut self, value: &Value, budget: &Budget) -> Result<Instance, Error> {
        let mut instance = self.begin();
        let Some(Slot(key)) = self.key else { return Ok(instance) };
        let mistake = self.types.mistake(&self.property, Slot(key), value, "here");
        if let Some(mistake) = mistake {
            return Err(mistake.into());
        }
        instance.values[key as usize] = value.clone();
        // What holds before the first event may depend on it.
        instance.place = self.first_place(&instance.values, budget)?;
        Ok(instance)
    }

    /// Where a stream with these values is before its first record.
    fn first_place(&mut self, values: &[Value], budget: &Budget) -> Result<MachineState, OverBudget> {
        // Before the first event there is a position already, if positions are states; if not, there are values.
        let start = self.machine.start();
        match (self.stream, self.view) {
            (Stream::States, _) => Ok(start),
            (Stream::Events, View::States) => {
                self.look(values, None)?;
                self.machine.step(&start, &self.letter, &Valuation(values), budget)
            }
            (Stream::Events, View::Events) => self.machine.start_at(&Valuation(values)),
        }
    }

    /// Reads the next record of a stream. After a mistake the stream is as before.
    ///
    /// # Errors
    /// With the mistakes of type in the record, or when the budget is spent.
    pub fn read(&mut self, stream: &mut Instance, record: &Record<'_>, budget: &Budget) -> Result<Answers, Error> {
        let mistakes = self.mistakes(record);
        if !mistakes.is_empty() {
            return Err(Error::Invalid(mistakes));
        }
        // The first of the state records is the start: no event has led to it.
        let event = (stream.records > 0 || self.stream == Stream::Events).then_some(record);
        self.assigned.fill(false);
        self.remember(&mut stream.values);
        for (name, value) in record.sets {
            if let Some(slot) = self.atoms.slot(name) {
                self.assigned[slot.0 as usize] = true;
                stream.values[slot.0 as usize].clone_from(value);
            }
        }
        for (i, kind) in self.atoms.kinds().iter().enumerate() {
            if let SlotKind::Before(now) = kind {
                self.assigned[i] = self.assigned[now.0 as usize];
            }
        }
        if event.is_none() {
            // At the first position the values before are those.
            self.remember(&mut stream.values);
        }
        if event.is_some() || self.view == View::States {
            self.look(&stream.values, event)?;
            self.machine.advance(&mut stream.place, &self.letter, &Valuation(&stream.values), budget)?;
        } else {
            // No position yet, but values that the next one may keep.
            stream.place = self.machine.start_at(&Valuation(&stream.values))?;
        }
        stream.records = stream.records.saturating_add(1);
        Ok(self.answers(stream))
    }

    /// The values become those before.
    fn remember(&self, values: &mut [Value]) {
        for (i, kind) in self.atoms.kinds().iter().enumerate() {
            if let SlotKind::Before(now) = kind {
                values[i] = values[now.0 as usize].clone();
            }
        }
    }

    /// The answers after what has come.
    #[must_use]
    pub fn answers(&self, stream: &Instance) -> Answers {
        self.machine.answers(&stream.place)
    }

    /// The mistakes of type in a record.
    fn mistakes(&self, record: &Record<'_>) -> Vec<Diagnostic> {
        let mut mistakes = Vec::new();
        for (name, value) in record.sets {
            if let Value::Text(_) = value
                && let Some(slot) = self.atoms.slot(name)
            {
                mistakes.extend(self.types.mistake(&self.property, slot, value, "here"));
            }
        }
        mistakes
    }

    /// What the property sees of a position.
    fn look(&mut self, values: &[Value], event: Option<&Record<'_>>) -> Result<(), OverBudget> {
        let state = Valuation(values);
        for (atom, truth) in self.atoms.atoms().iter().zip(&mut self.letter) {
            *truth = match atom {
                Atom::State(condition) | Atom::Step(condition) => condition_in(condition, &state, &mut self.notes)?,
                Atom::Having(having) => event.is_some_and(|record| {
                    let key = self.key.map(|key| &values[key.0 as usize]);
                    having.is_true_of(record.name, record.attributes, key)
                }),
                Atom::On(condition) => {
                    let mut any = false;
                    if event.is_some() {
                        condition.for_each_var(&mut |slot| any |= self.assigned[slot.0 as usize]);
                    }
                    any && condition_in(condition, &state, &mut self.notes)?
                }
                Atom::Event(name) => event.is_some_and(|record| record.name == Some(name)),
                // Refused when the monitor was made.
                Atom::Enabled(_) => false,
                Atom::Process(name) => event.is_some_and(|record| match self.stream {
                    Stream::States => name == STATES,
                    Stream::Events => record.process == Some(name),
                }),
            };
        }
        Ok(())
    }

    /// A stream as text that [`Self::restore`] reads back: one line without line breaks.
    #[must_use]
    pub fn save(&self, stream: &Instance) -> String {
        let mut text = stream.records.to_string();
        for value in &stream.values {
            match value {
                Value::Number(number) => {
                    let ratio = number.to_ratio();
                    let _ = write!(text, " {}/{}", ratio.numerator(), ratio.denominator());
                }
                Value::Text(string) => {
                    text.push_str(" \"");
                    // Hexadecimal, so that a string is one word.
                    for byte in string.bytes() {
                        let _ = write!(text, "{byte:02x}");
                    }
                }
            }
        }
        self.machine.write(&stream.place, &mut text);
        text
    }

    /// The stream that was saved by a monitor of the same property with the same options; `None` if it was not.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn restore(&mut self, saved: &str, budget: &Budget) -> Result<Option<Instance>, Error> {
        let Some((records, mut rest)) = saved.split_once(' ') else { return Ok(None) };
        let Ok(records) = records.parse() else { return Ok(None) };
        let mut values = Vec::with_capacity(self.initial.len());
        for _ in 0..self.initial.len() {
            let Some((word, after)) = rest.split_once(' ') else { return Ok(None) };
            let Some(value) = saved_value(word) else { return Ok(None) };
            values.push(value);
            rest = after;
        }
        let place = self.machine.read(rest, self.atoms.atoms().len(), budget)?;
        Ok(place.map(|place| Instance { place, values: values.into(), records }))
    }
}

fn saved_value(word: &str) -> Option<Value> {
    if let Some(hex) = word.strip_prefix('"') {
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Option<Vec<u8>> = hex.as_bytes().chunks(2).map(byte).collect();
        return String::from_utf8(bytes?).ok().map(Value::Text);
    }
    let (numerator, denominator) = word.split_once('/')?;
    let (numerator, denominator): (Number, Number) = (numerator.parse().ok()?, denominator.parse().ok()?);
    numerator.div(&denominator).ok().map(Value::Number)
}

impl Instance {
    /// How many records have come.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }
}
