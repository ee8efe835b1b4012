//! A stream, read record by record: what `monitor` follows.
//!
//! A reader that implements [`Records`] is asked for one record after the other. It puts what the next one says into a
//! [`RecordBuffer`], which is used again and again: it knows which variables anybody wants, so that values nobody asks for are
//! never made, and finds a variable that a record assigns twice. Start at [`open`].

use std::io::BufRead;

use super::json::{Cursor, ValueKind};
use super::{Format, ReadOptions, csv, fst, jsonl, mapping, states, vcd};
use posetta_base::{
    Attributes, Budget, Diagnostic, Error, Interner, Kind, Number, Symbol, TakenAttributes, Value, WantedAttributes,
    When,
};

/// What the records of a stream are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// States; the first is the initial one.
    States,
    /// Events; the declared initial values come before the first.
    Events,
}

/// Reads the records of a stream one by one.
pub trait Records {
    /// What the records are; `None` until that is known, which is when the first has come.
    fn kind(&self) -> Option<RecordKind>;

    /// The values that are declared before the first record; complete when that has come.
    fn initial(&self) -> &[(String, Value)];

    /// Puts the next record into `record`, the same buffer every time. Answers `false` at the end of the input.
    ///
    /// # Errors
    /// With the mistakes of one line or record: the next call goes on after it. When the input cannot be read: the next call
    /// answers `false`. Or when the budget is spent.
    fn next(&mut self, record: &mut RecordBuffer) -> Result<bool, Error>;

    /// How many bytes of the input the records and mistakes so far take up.
    fn offset(&self) -> u64;

    /// The line of the last record or mistake, from 1.
    fn line(&self) -> u64;

    /// When the last record is, if this is a waveform.
    fn when(&self) -> Option<When> {
        None
    }

    /// What was left out of the records so far, and other things worth knowing; each is told once.
    fn warnings(&mut self) -> Vec<Diagnostic> {
        Vec::new()
    }

    /// Whether all that was read says anything; asked when the whole input has come.
    ///
    /// # Errors
    /// When the records are states, and none of them has a variable.
    fn finish(&self) -> Result<(), Diagnostic> {
        Ok(())
    }

    /// What a reader that starts at [`Self::offset`] must know of what stands before, as one line of text; `None` if such a
    /// reader has to start at the beginning.
    fn save(&self) -> Option<String> {
        None
    }
}

/// A reader of records in a format.
///
/// # Errors
/// When records of that format cannot be read one by one.
pub fn open<'a>(
    format: Format,
    reader: Box<dyn BufRead + 'a>,
    options: &ReadOptions,
    budget: &Budget,
) -> Result<Box<dyn Records + 'a>, Error> {
    if let (Format::JsonLines, Some(mapping)) = (format, &options.mapping) {
        return Ok(Box::new(mapping::Stream::new(reader, mapping, budget)?));
    }
    match format {
        Format::JsonLines | Format::States => {
            Ok(Box::new(jsonl::Stream::new(reader, format == Format::States, budget)))
        }
        Format::Csv => Ok(Box::new(states::Stream::new(csv::Table::new(reader, options.guessed, budget)?))),
        Format::Vcd => Ok(Box::new(states::Stream::new(vcd::Dump::new(reader, &options.sampling, budget)?))),
        Format::Fst => {
            let (input, names) = (fst::Input::Stream(reader), options.names.as_ref());
            Ok(Box::new(states::Stream::new(fst::Waveform::new(input, &options.sampling, names, budget))))
        }
        _ => {
            let message = format!("a run in the format {} is not a stream of records", format.name());
            let help = "JSON lines are: one object for each event or state; `posetta convert` writes them";
            Err(Diagnostic::new(Kind::Unsupported, message).help(help).into())
        }
    }
}

/// The same, of the rest of an input: it starts at `offset`, where a reader of the same format and options [saved](Records::save)
/// itself, and will read into `record`. `None` if that is not what was saved.
#[must_use]
pub fn resume<'a>(
    format: Format,
    rest: Box<dyn BufRead + 'a>,
    offset: u64,
    saved: &str,
    record: &mut RecordBuffer,
    budget: &Budget,
) -> Option<Box<dyn Records + 'a>> {
    match format {
        Format::JsonLines | Format::States => {
            let states = format == Format::States;
            Some(Box::new(jsonl::Stream::resume(rest, states, offset, saved, record, budget)?))
        }
        _ => None,
    }
}

/// What one record says. It is no larger than a pointer, because a reader swaps it for its own while it reads a record.
#[derive(Clone, Debug)]
pub struct RecordBuffer(Box<Contents>);

/// Invariant: symbols of variables that are wanted come first, those of all others after them. A variable is assigned in this
/// record exactly if `assigned_in` has the number of this record for it.
#[derive(Clone, Debug)]
struct Contents {
    variables: Interner,
    /// So many of the variables are wanted; `usize::MAX` if all are.
    wanted: usize,
    /// For each variable the number of the last record that assigns it.
    assigned_in: Vec<u64>,
    /// The number of this record.
    number: u64,
    sets: Vec<(Symbol, Value)>,
    name: Optional,
    process: Optional,
    key_field: Option<String>,
    key: Optional,
    wanted_attributes: WantedAttributes,
    attributes: TakenAttributes,
}

/// A text that may be absent and whose room is kept.
#[derive(Clone, Debug, Default)]
struct Optional {
    text: String,
    is_there: bool,
}

impl Optional {
    fn get(&self) -> Option<&str> {
        self.is_there.then_some(self.text.as_str())
    }

    fn put(&mut self, text: &str) {
        self.text.clear();
        self.text.push_str(text);
        self.is_there = true;
    }
}

/// A record taken apart.
#[derive(Debug)]
pub struct Parts<'a, S> {
    /// The name of the event, if it has one.
    pub name: Option<&'a str>,
    /// The process of the event; `None` for a state.
    pub process: Option<&'a str>,
    /// The value of the field that tells streams apart, if the record has it.
    pub key: Option<&'a str>,
    /// The attributes that were [asked for](RecordBuffer::want).
    pub attributes: Attributes<'a>,
    /// The wanted variables that it assigns, with their values.
    pub sets: S,
}

impl RecordBuffer {
    /// A buffer for the values of certain variables. `key` is the field whose value tells streams apart.
    #[must_use]
    pub fn of<'a>(variables: impl IntoIterator<Item = &'a str>, key: Option<&str>) -> Self {
        let mut buffer = Self::all(key);
        for name in variables {
            let _ = buffer.variable(name);
        }
        buffer.0.wanted = buffer.0.variables.len();
        buffer
    }

    /// A buffer for the values of all variables.
    #[must_use]
    pub fn all(key: Option<&str>) -> Self {
        Self(Box::new(Contents {
            variables: Interner::new(),
            wanted: usize::MAX,
            assigned_in: Vec::new(),
            number: 1,
            sets: Vec::new(),
            name: Optional::default(),
            process: Optional::default(),
            key_field: key.map(str::to_owned),
            key: Optional::default(),
            wanted_attributes: WantedAttributes::default(),
            attributes: TakenAttributes::default(),
        }))
    }

    /// Somebody asks for these attributes of events.
    pub fn want(&mut self, attributes: WantedAttributes) {
        self.0.wanted_attributes = attributes;
    }

    /// The record is an event with this attribute, a JSON text.
    #[inline]
    pub(crate) fn attribute(&mut self, key: &str, json: &str) {
        let buffer = &mut *self.0;
        if !buffer.wanted_attributes.is_empty() {
            buffer.wanted_attributes.take(key, json, &mut buffer.attributes);
        }
    }

    /// Empties it for the next record. Every reader starts a record with this.
    #[inline]
    pub fn begin(&mut self) {
        self.0.number += 1;
        self.0.sets.clear();
        self.0.name.is_there = false;
        self.0.process.is_there = false;
        self.0.key.is_there = false;
        self.0.attributes.clear();
    }

    /// The symbol of a variable. It stays the same, so a reader of columns asks once.
    ///
    /// # Errors
    /// When all four billion symbols are taken.
    #[inline]
    pub fn variable(&mut self, name: &str) -> Result<Symbol, Box<Diagnostic>> {
        let full = || Box::new(Diagnostic::new(Kind::Input, "too many variables"));
        let symbol = self.0.variables.intern(name).ok_or_else(full)?;
        if symbol.index() == self.0.assigned_in.len() {
            self.0.assigned_in.push(0);
        }
        Ok(symbol)
    }

    /// The name of a variable.
    #[must_use]
    pub fn variable_name(&self, variable: Symbol) -> &str {
        self.0.variables.resolve(variable)
    }

    /// The variables that are asked for by name; none if all are.
    pub fn wanted(&self) -> impl Iterator<Item = &str> {
        let count = if self.0.wanted == usize::MAX { 0 } else { self.0.wanted };
        self.0.variables.iter().take(count)
    }

    /// Whether anybody asks for the value of a variable.
    #[must_use]
    #[inline]
    pub fn wants(&self, variable: Symbol) -> bool {
        variable.index() < self.0.wanted
    }

    /// The record assigns a number to a variable, or a string that is at hand. Answers `false` if it has assigned the variable
    /// before; then nothing happens.
    #[inline]
    pub fn assign(&mut self, variable: Symbol, value: Value) -> bool {
        if !self.first(variable) {
            return false;
        }
        if self.is_key(variable) {
            match &value {
                Value::Number(n) => self.0.key.put(&n.to_string()),
                Value::Text(text) => self.0.key.put(text),
            }
        }
        if self.wants(variable) {
            self.0.sets.push((variable, value));
        }
        true
    }

    #[inline]
    fn first(&mut self, variable: Symbol) -> bool {
        std::mem::replace(&mut self.0.assigned_in[variable.index()], self.0.number) != self.0.number
    }

    #[inline]
    fn is_key(&self, variable: Symbol) -> bool {
        self.0.key_field.as_deref().is_some_and(|field| self.0.variables.resolve(variable) == field)
    }

    /// The record is an event with this name.
    #[inline]
    pub(crate) fn set_name(&mut self, name: &str) {
        self.0.name.put(name);
    }

    /// The record is an event of this process.
    #[inline]
    pub(crate) fn set_process(&mut self, process: &str) {
        self.0.process.put(process);
    }

    /// The field that tells streams apart.
    #[must_use]
    pub(crate) fn key_field(&self) -> Option<&str> {
        self.0.key_field.as_deref()
    }

    /// Whether a field is the one that tells streams apart.
    #[must_use]
    #[inline]
    pub(crate) fn is_key_field(&self, field: &str) -> bool {
        self.0.key_field.as_deref() == Some(field)
    }

    /// The value of the field that tells streams apart. Variables need not be told: they are found when they are assigned.
    #[inline]
    pub(crate) fn set_key(&mut self, value: &str) {
        self.0.key.put(value);
    }

    /// A field of the record, as text; it may be the one that tells streams apart.
    #[inline]
    pub(crate) fn key_text(&mut self, field: &str, value: &str) {
        if self.is_key_field(field) {
            self.set_key(value);
        }
    }

    /// The same, as a JSON text. Values that are equal are one key.
    #[inline]
    pub(crate) fn key_json(&mut self, field: &str, json: &str) {
        if !self.is_key_field(field) {
            return;
        }
        let mut cursor = Cursor::new(json);
        // It has been scanned before, so it is a value.
        match cursor.value("an object", "a value").map(|value| value.kind) {
            Ok(ValueKind::Text(quoted)) => self.set_key(&quoted.text(json)),
            Ok(ValueKind::Number) => match json.trim().parse::<Number>() {
                Ok(number) => self.set_key(&number.to_string()),
                Err(_) => self.set_key(json.trim()),
            },
            Ok(ValueKind::Bool(value)) => self.set_key(if value { "1" } else { "0" }),
            Ok(ValueKind::Null | ValueKind::Array | ValueKind::Object) | Err(_) => {}
        }
    }

    /// Takes what the record says. The values of variables leave the buffer.
    #[inline]
    pub fn take(&mut self) -> Parts<'_, impl ExactSizeIterator<Item = (&str, Value)>> {
        let variables = &self.0.variables;
        Parts {
            name: self.0.name.get(),
            process: self.0.process.get(),
            key: self.0.key.get(),
            attributes: self.0.attributes.of(&self.0.wanted_attributes),
            sets: self.0.sets.drain(..).map(|(symbol, value)| (variables.resolve(symbol), value)),
        }
    }

    /// Whether a record has assigned the variable, by its name.
    #[must_use]
    pub fn has_seen(&self, variable: &str) -> bool {
        self.0.variables.get(variable).is_some_and(|symbol| self.0.assigned_in[symbol.index()] > 0)
    }

    /// Takes it that a record has assigned the variable.
    ///
    /// # Errors
    /// When all four billion symbols are taken.
    pub fn note_seen(&mut self, variable: &str) -> Result<(), Box<Diagnostic>> {
        let symbol = self.variable(variable)?;
        let seen = &mut self.0.assigned_in[symbol.index()];
        *seen = (*seen).max(1);
        Ok(())
    }

    /// The variables that records have assigned, in the order of first mention.
    pub fn seen(&self) -> impl Iterator<Item = &str> {
        self.0.variables.iter().zip(&self.0.assigned_in).filter(|(_, last)| **last > 0).map(|(name, _)| name)
    }

    /// About how many bytes it takes beside the values of one record.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.variables.bytes() + self.0.assigned_in.capacity() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_base::Number;

    fn number(n: i64) -> Value {
        Value::Number(Number::from(n))
    }

    #[test]
    fn what_nobody_wants_is_not_kept() {
        let mut buffer = RecordBuffer::of(["x", "s"], None);
        buffer.begin();
        for (name, value) in [("x", number(1)), ("y", number(2))] {
            let variable = buffer.variable(name).unwrap();
            assert!(buffer.assign(variable, value));
        }
        let s = buffer.variable("s").unwrap();
        let t = buffer.variable("t").unwrap();
        assert!(buffer.wants(s) && !buffer.wants(t));
        assert!(buffer.assign(s, "a".into()) && buffer.assign(t, "b".into()));
        let sets: Vec<(String, Value)> = buffer.take().sets.map(|(n, v)| (n.to_owned(), v)).collect();
        assert_eq!(sets, [("x".to_owned(), number(1)), ("s".to_owned(), Value::Text("a".to_owned()))]);
        assert_eq!(buffer.seen().collect::<Vec<_>>(), ["x", "s", "y", "t"]);
        assert!(!buffer.has_seen("z"));
        buffer.note_seen("z").unwrap();
        assert!(buffer.has_seen("z"));
    }

    #[test]
    fn twice_is_twice_in_one_record_only() {
        let mut buffer = RecordBuffer::all(None);
        for _ in 0..2 {
            buffer.begin();
            let x = buffer.variable("x").unwrap();
            assert!(buffer.assign(x, number(1)));
            assert!(!buffer.assign(x, number(2)));
            assert!(!buffer.assign(x, "a".into()));
            assert_eq!(buffer.take().sets.map(|(_, v)| v).collect::<Vec<_>>(), [number(1)]);
        }
    }

    #[test]
    fn a_key_is_a_field_or_a_variable() {
        let mut buffer = RecordBuffer::of([], Some("k"));
        buffer.begin();
        let k = buffer.variable("k").unwrap();
        buffer.assign(k, number(7));
        assert_eq!(buffer.take().key, Some("7"));
        buffer.begin();
        assert_eq!(buffer.take().key, None);
        assert!(buffer.is_key_field("k") && !buffer.is_key_field("x"));
        buffer.set_key("a");
        buffer.set_name("n");
        buffer.set_process("p");
        let parts = buffer.take();
        assert_eq!((parts.key, parts.name, parts.process), (Some("a"), Some("n"), Some("p")));
    }
}
