//! Attributes of events as values: what a file says of each event under one name.
//!
//! An attribute is kept as the JSON text that the file has. A [`Column`] reads the values of one name once for all events, each text once:
//! afterwards the value of an event is a look into a table. `order.id` is the attribute of that name, else the field `id` of the attribute
//! `order`. Strings, numbers and booleans are values; `null`, lists and objects are none, so that an event with one of these counts as one
//! without the attribute.

use rustc_hash::FxHashMap;

use super::event::{NONE, Trace};
use posetta_base::{EventId, Number, Symbol, Value, json_value};

/// The values that events have under one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// Each value once, in the order in which events have them first.
    values: Vec<Value>,
    /// By event: the place of its value, or [`NONE`]; past the end none.
    of: Vec<u32>,
}

impl Column {
    /// Each value once, in the order of reading.
    #[must_use]
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The place of an event's value among [`Self::values`], if it has one.
    #[must_use]
    #[inline]
    pub fn place(&self, event: EventId) -> Option<usize> {
        self.of.get(event.index()).filter(|&&place| place != NONE).map(|&place| place as usize)
    }

    /// The value of an event, if it has one.
    #[must_use]
    #[inline]
    pub fn value(&self, event: EventId) -> Option<&Value> {
        self.place(event).map(|place| &self.values[place])
    }

    /// Where the events of each process belong together, or of each group of processes: the name of that is the value.
    #[must_use]
    pub fn of_processes(trace: &Trace) -> Self {
        let (mut places, mut values) = (vec![NONE; trace.process_count()], Vec::new());
        let mut by_name: FxHashMap<&str, u32> = FxHashMap::default();
        let of = trace.events().map(|event| {
            let process = trace.process(event);
            let place = &mut places[process.index()];
            if *place == NONE {
                let name = trace.group(process).unwrap_or_else(|| trace.process_name(process));
                *place = *by_name.entry(name).or_insert_with(|| {
                    values.push(Value::from(name));
                    values.len() as u32 - 1
                });
            }
            *place
        });
        let of = of.collect();
        Self { values, of }
    }
}

impl Trace {
    /// The values of the attribute that is meant by a name; `None` if no event has it.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<Column> {
        let facts = &self.facts;
        // The names of attributes that it may be, the longest first, each with what is left of the name.
        let splits = std::iter::once(name.len()).chain(name.rmatch_indices('.').map(|(dot, _)| dot));
        let keys: Vec<(Symbol, &str)> = splits
            .filter_map(|end| Some((facts.symbols.get(&name[..end])?, name[end..].trim_start_matches('.'))))
            .filter(|(key, _)| facts.attribute_keys.contains(key))
            .collect();
        if keys.is_empty() {
            return None;
        }
        let (mut values, mut places): (Vec<Value>, FxHashMap<Value, u32>) = Default::default();
        let mut known: FxHashMap<(Symbol, Symbol), u32> = FxHashMap::default();
        let mut of = vec![NONE; self.len()];
        // By event, so that a longer name can win: the place of its key among `keys`.
        let mut best = usize::MAX;
        let mut last = None;
        for attribute in &facts.attributes {
            if last != Some(attribute.event) {
                (last, best) = (Some(attribute.event), usize::MAX);
            }
            let Some(rank) = keys.iter().position(|(key, _)| *key == attribute.key).filter(|&rank| rank < best) else {
                continue;
            };
            let place = *known.entry((attribute.key, attribute.json)).or_insert_with(|| {
                let Some(value) = json_value(facts.symbols.resolve(attribute.json), keys[rank].1) else { return NONE };
                *places.entry(value).or_insert_with_key(|value| {
                    values.push(value.clone());
                    values.len() as u32 - 1
                })
            });
            if place != NONE {
                best = rank;
                of[attribute.event.index()] = place;
            }
        }
        if values.is_empty() {
            return None;
        }
        match &self.projection {
            None => Some(Self::renumbered(values, of)),
            Some(own) => {
                let of = own.origin.iter().map(|event| of[event.index()]).collect();
                Some(Self::renumbered(values, of)).filter(|column| !column.values.is_empty())
            }
        }
    }

    /// Only the values that events have, in the order of reading.
    fn renumbered(mut values: Vec<Value>, mut of: Vec<u32>) -> Column {
        let mut places = vec![NONE; values.len()];
        let mut kept = Vec::with_capacity(values.len());
        for place in of.iter_mut().filter(|place| **place != NONE) {
            let known = &mut places[*place as usize];
            if *known == NONE {
                *known = kept.len() as u32;
                kept.push(std::mem::replace(&mut values[*place as usize], Value::Number(Number::ZERO)));
            }
            *place = *known;
        }
        Column { values: kept, of }
    }

    /// The names of the attributes that events have, sorted.
    pub fn attribute_names(&self) -> impl Iterator<Item = &str> {
        let mut names: Vec<&str> =
            self.facts.attribute_keys.iter().map(|&key| self.facts.symbols.resolve(key)).collect();
        names.sort_unstable();
        names.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Builder;
    use posetta_base::Budget;

    #[test]
    fn a_column_has_the_longest_name_and_each_value_once() {
        let mut builder = Builder::new();
        let p = builder.process("P").unwrap();
        for (i, attributes) in [
            &[("order", r#"{"id": 1}"#)][..],
            &[("order.id", "\"a\""), ("order", r#"{"id": 1}"#)],
            &[("order", r#"{"id": 2}"#), ("order.id", "\"a\"")],
            &[("order", "null")],
            &[("order", r#"{"id": 1.0}"#)],
            &[],
        ]
        .iter()
        .enumerate()
        {
            builder.event(p, i as u64 + 1).unwrap();
            for (key, json) in *attributes {
                builder.attribute(key, json).unwrap();
            }
        }
        let trace = builder.finish(true, &Budget::unlimited()).unwrap();
        let column = trace.column("order.id").unwrap();
        assert_eq!(column.values(), [Value::from(1), Value::from("a")]);
        let places: Vec<Option<usize>> = trace.events().map(|e| column.place(e)).collect();
        assert_eq!(places, [Some(0), Some(1), Some(1), None, Some(0), None]);
        assert_eq!((trace.column("order"), trace.column("id"), trace.column("P")), (None, None, None));
        assert_eq!(trace.attribute_names().collect::<Vec<_>>(), ["order", "order.id"]);
    }
}
