//! A stream, read as a run that is not over: what is known of a property after every record.

use crate::base::{Budget, Failure, Kind, OverBudget, Value};
use crate::logic::eval::{self, Notes, Values, Word, condition_in};
use crate::logic::{Atom, AtomId, Atoms, Formula, Ltl, Property, Slot, View};

/// Which completions of a prefix count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Completions {
    /// Finite ones, the empty one included.
    Finite,
    /// Infinite ones.
    Infinite,
    /// All of them.
    #[default]
    Both,
}

/// What every completion says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prospect {
    /// They differ.
    Open,
    /// All satisfy the property: it is positively determined.
    Holds,
    /// All violate it: it is negatively determined.
    Violated,
}

impl Prospect {
    /// `open`, `holds` or `violated`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Holds => "holds",
            Self::Violated => "violated",
        }
    }
}

/// The four answers after a prefix (Pnueli and Zaks 2006, section 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Answers {
    /// The prefix, read as a word that ends here, satisfies the property.
    pub satisfied: bool,
    /// What all completions say. For a property too large to be known whole this may be [`Prospect::Open`] although it is determined;
    /// see [`Monitor::is_exact`].
    pub prospect: Prospect,
    /// Some finite continuation is determined; `None` if that is not known.
    pub monitorable: Option<bool>,
}

/// A record of a stream.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The name of the event, if it has one. A state record has none.
    pub name: Option<&'a str>,
    /// The process of the event; `None` for a state record.
    pub process: Option<&'a str>,
    /// The values that it assigns; the last one of a name counts.
    pub sets: &'a [(&'a str, Value)],
}

/// Which kind of records a stream is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// The first record is the initial state.
    States,
    /// The initial values come before the first record.
    Events,
}

/// A property that follows streams; one for all of them.
#[derive(Debug)]
pub struct Monitor {
    property: Property,
    formula: Ltl<AtomId>,
    view: View,
    atoms: Atoms,
    initial: Vec<Value>,
    stream: Stream,
}

/// One stream, up to some record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    word: Vec<Vec<bool>>,
    values: Box<[Value]>,
    /// How many records have come.
    records: u64,
}

struct State<'a>(&'a [Value]);

impl Values for State<'_> {
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
        _completions: Completions,
        _budget: &Budget,
    ) -> Result<Self, Failure> {
        let mut atoms = Atoms::default();
        let Formula::Ltl(view, formula) = &property.formula else {
            return Err(Failure::Invalid(vec![property.mistake(Kind::Unsupported, property.span, "not linear")]));
        };
        let formula = formula.map_atoms(&mut |atom| atoms.add(atom));
        let declared = |name: &String| initial.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
        let initial = atoms
            .variables()
            .iter()
            .map(|name| declared(name).unwrap_or(Value::Number(crate::base::Number::ZERO)))
            .collect();
        Ok(Self { property: property.clone(), formula, view: *view, atoms, initial, stream })
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

    /// Whether a verdict is given at the earliest record at which it is determined, as far as letters can be told apart.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        false
    }

    /// A stream of which nothing has come.
    #[must_use]
    pub fn begin(&self) -> Instance {
        Instance { word: Vec::new(), values: self.initial.clone().into(), records: 0 }
    }

    /// Reads the next record of a stream. After a mistake the stream is as before.
    ///
    /// # Errors
    /// With the mistakes of type in the record, or when the budget is spent.
    pub fn read(&mut self, stream: &mut Instance, record: &Record<'_>, _budget: &Budget) -> Result<Answers, Failure> {
        if stream.records == 0 && self.stream == Stream::Events && self.view == View::States {
            let letter = self.letter(stream, None)?;
            stream.word.push(letter);
        }
        for (name, value) in record.sets {
            if let Some(slot) = self.atoms.slot(name) {
                stream.values[slot.0 as usize] = value.clone();
            }
        }
        let start = stream.records == 0 && self.stream == Stream::States;
        if !(start && self.view == View::Events) {
            let letter = self.letter(stream, (!start).then_some(record))?;
            stream.word.push(letter);
        }
        stream.records += 1;
        Ok(self.answers(stream))
    }

    /// The answers after what has come; before the first record those about the empty prefix.
    #[must_use]
    pub fn answers(&self, stream: &Instance) -> Answers {
        let rows = (0..self.atoms.atoms().len()).map(|i| stream.word.iter().map(|l| l[i]).collect()).collect();
        let satisfied = eval::holds(&self.formula, &Word::from_rows(rows, stream.word.len()));
        Answers { satisfied, prospect: Prospect::Open, monitorable: None }
    }

    /// A stream as text that [`Self::restore`] reads back: one line without line breaks.
    #[must_use]
    pub fn save(&self, stream: &Instance) -> String {
        format!("{}", stream.records)
    }

    /// The stream that was saved by a monitor of the same property with the same options; `None` if it was not.
    #[must_use]
    pub fn restore(&self, _saved: &str) -> Option<Instance> {
        None
    }

    fn letter(&self, stream: &Instance, event: Option<&Record<'_>>) -> Result<Vec<bool>, OverBudget> {
        let state = State(&stream.values);
        let assigns = |name: &str| event.is_some_and(|r| r.sets.iter().any(|(n, _)| *n == name));
        let mut notes = Notes::default();
        let mut letter = Vec::new();
        for atom in self.atoms.atoms() {
            letter.push(match atom {
                Atom::State(c) => condition_in(c, &state, &mut notes)?,
                Atom::On(c) => {
                    let mut any = false;
                    c.for_each_var(&mut |slot| any |= assigns(&self.atoms.variables()[slot.0 as usize]));
                    any && condition_in(c, &state, &mut notes)?
                }
                Atom::Event(name) => event.is_some_and(|r| r.name == Some(name)),
                Atom::Process(name) => event.is_some_and(|r| r.process == Some(name)),
            });
        }
        Ok(letter)
    }
}

impl Instance {
    /// How many records have come.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }
}
