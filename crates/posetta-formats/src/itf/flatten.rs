//! Values of states as variables that hold numbers and strings.

use rustc_hash::FxHashMap;

use crate::json::ValueKind;
use crate::lines::{Mistake, Parsed};
use crate::tree::Tree;
use posetta_base::{Kind, Number, Value};

/// Variables and what each state says of them.
#[derive(Debug, Default)]
pub(super) struct States {
    pub(super) names: Vec<String>,
    numbers: FxHashMap<String, u32>,
    /// For each variable the container whose elements or keys it tells, as far as it is such a one.
    pub(super) member_of: Vec<Option<u32>>,
    containers: FxHashMap<String, u32>,
    /// For each container: whether it is a map, whose keys are told only if they change.
    maps: Vec<bool>,
    /// For each variable: the number of the last state that told it, from 1.
    told: Vec<usize>,
    /// For each container: whether a state that has it lacks a member that another has.
    changes: Vec<bool>,
    /// Of each state: what it assigns.
    pub(super) sets: Vec<Vec<(u32, Value)>>,
    /// Of each state: the containers that it has.
    pub(super) has: Vec<Vec<u32>>,
    /// About how many bytes names and assignments take.
    bytes: usize,
    /// How many variables tell elements and keys.
    members: usize,
}

/// Where a value is flattened from.
struct Flattener<'a> {
    text: &'a str,
    tree: &'a Tree,
    states: &'a mut States,
    set: Vec<(u32, Value)>,
    has: Vec<u32>,
}

impl States {
    /// Adds a state, which is an object of the tree.
    pub(super) fn add(&mut self, text: &str, tree: &Tree, state: usize) -> Parsed<()> {
        let mut flattener = Flattener { text, tree, states: self, set: Vec::new(), has: Vec::new() };
        for member in tree.inside(state) {
            let name = tree.name(text, member);
            // What tools say about a state is none of its variables.
            if !name.starts_with('#') {
                flattener.value(&mut name.into_owned(), member)?;
            }
        }
        let Flattener { set, has, .. } = flattener;
        self.bytes += set.len() * size_of::<(u32, Value)>() + set.iter().map(|(_, value)| heap(value)).sum::<usize>();
        self.bytes += has.len() * 4;
        self.sets.push(set);
        self.has.push(has);
        Ok(())
    }

    /// Every element that some state has in a container is in it or not in every state that has the container.
    pub(super) fn complete(&mut self) {
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); self.containers.len()];
        for (variable, container) in self.member_of.iter().enumerate() {
            if let Some(container) = container {
                members[*container as usize].push(variable as u32);
            }
        }
        let mut told = vec![usize::MAX; self.names.len()];
        for (state, (sets, has)) in self.sets.iter_mut().zip(&self.has).enumerate() {
            sets.iter().for_each(|(variable, _)| told[*variable as usize] = state);
            for &container in has {
                for &variable in &members[container as usize] {
                    if std::mem::replace(&mut told[variable as usize], state) != state {
                        self.changes[container as usize] = true;
                        sets.push((variable, Value::Number(Number::ZERO)));
                    }
                }
            }
        }
    }

    /// Whether a variable says anything: that a map has a key says nothing if it always has. Asked when all is complete.
    pub(super) fn is_shown(&self, variable: usize) -> bool {
        self.member_of[variable]
            .is_none_or(|container| !self.maps[container as usize] || self.changes[container as usize])
    }

    /// The state that is being added tells a variable. `false` if it has before.
    fn tell(&mut self, variable: u32) -> bool {
        let now = self.sets.len() + 1;
        std::mem::replace(&mut self.told[variable as usize], now) != now
    }

    /// About how many bytes it takes when it is complete.
    pub(super) fn weight(&self) -> u64 {
        (self.bytes + self.members * self.sets.len() * size_of::<(u32, Value)>()) as u64
    }

    fn variable(&mut self, name: &str, container: Option<u32>) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.member_of.push(container);
        self.members += usize::from(container.is_some());
        self.bytes += 3 * name.len() + 80;
        self.told.push(0);
        self.numbers.insert(name.to_owned(), number);
        number
    }

    fn container(&mut self, name: &str, is_map: bool) -> u32 {
        if let Some(&number) = self.containers.get(name) {
            return number;
        }
        let number = self.maps.len() as u32;
        self.containers.insert(name.to_owned(), number);
        self.maps.push(is_map);
        self.changes.push(false);
        number
    }
}

fn heap(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Number(number) => number.heap_bytes(),
    }
}

/// What a JSON value is in ITF.
enum Shape {
    Scalar(Value),
    Record,
    List,
    Tuple(usize),
    Set(usize),
    Map(usize),
    /// A variant without a value.
    Unit,
}

impl Flattener<'_> {
    fn shape(&self, at: usize) -> Parsed<Shape> {
        let span = || self.tree.span(at);
        match self.tree.kind(at) {
            Some(ValueKind::Array) => return Ok(Shape::List),
            Some(ValueKind::Null) | None => {
                return Err(Mistake::syntax(span(), "null is not a value of ITF").label("expected a value"));
            }
            Some(ValueKind::Object) => {}
            Some(_) => {
                let value = self.tree.value(self.text, at);
                return value.map(Shape::Scalar).ok_or_else(|| too_long(span()));
            }
        }
        let mut members = self.tree.inside(at);
        let (first, more) = (members.next(), members.next().is_some());
        let Some(first) = first else { return Ok(Shape::Record) };
        let name = self.tree.name(self.text, first);
        let is_array = self.tree.kind(first) == Some(ValueKind::Array);
        let text = match self.tree.kind(first) {
            Some(ValueKind::Text(quoted)) => Some(quoted.text(self.text)),
            _ => None,
        };
        match (&*name, text) {
            (word, _) if !word.starts_with('#') => Ok(if self.is_unit(at) { Shape::Unit } else { Shape::Record }),
            _ if more => {
                Err(Mistake::syntax(span(), format!("`{name}` with further fields")).label("expected it alone"))
            }
            ("#tup", _) if is_array => Ok(Shape::Tuple(first)),
            ("#set", _) if is_array => Ok(Shape::Set(first)),
            ("#map", _) if is_array => Ok(Shape::Map(first)),
            ("#bigint", Some(digits)) => {
                let rest = digits.strip_prefix('-').unwrap_or(&digits);
                if rest.is_empty() || !rest.bytes().all(|b| b.is_ascii_digit()) {
                    return Err(Mistake::syntax(span(), format!("`{digits}` is not a whole number"))
                        .label("expected its digits as a string"));
                }
                digits.parse().map(|number| Shape::Scalar(Value::Number(number))).map_err(|_| too_long(span()))
            }
            ("#unserializable", Some(text)) => Ok(Shape::Scalar(Value::Text(text.into_owned()))),
            _ => Err(Mistake::syntax(span(), format!("`{name}` is not a value of ITF"))
                .label("expected #bigint, #tup, #set, #map or #unserializable, with what belongs to it")),
        }
    }

    /// Quint writes what a variant without a value holds as a unit: an empty tuple, or a variant of that name.
    fn is_unit(&self, at: usize) -> bool {
        let tag = self.tree.member(self.text, at, "tag");
        tag.is_some_and(|tag| matches!(self.tree.value(self.text, tag), Some(Value::Text(text)) if text == "UNIT"))
    }

    /// Flattens a value into variables called `name` and what follows from it.
    fn value(&mut self, name: &mut String, at: usize) -> Parsed<()> {
        let length = name.len();
        match self.shape(at)? {
            Shape::Scalar(value) => {
                let variable = self.states.variable(name, None);
                self.assign(variable, value, at)?;
            }
            Shape::Unit => {}
            Shape::Record => {
                for member in self.tree.inside(at) {
                    name.push('.');
                    name.push_str(&self.tree.name(self.text, member));
                    self.value(name, member)?;
                    name.truncate(length);
                }
            }
            Shape::List => {
                self.items(name, at)?;
                name.push_str(".length");
                let count = Value::Number(Number::from(self.tree.inside(at).count() as i64));
                let variable = self.states.variable(name, None);
                self.assign(variable, count, at)?;
            }
            Shape::Tuple(items) => self.items(name, items)?,
            Shape::Set(items) => {
                let container = self.states.container(name, false);
                self.has.push(container);
                for item in self.tree.inside(items) {
                    self.is_in(name, container, item)?;
                }
            }
            Shape::Map(pairs) => {
                let container = self.states.container(name, true);
                self.has.push(container);
                for pair in self.tree.inside(pairs) {
                    let (Some(key), Some(value), None) =
                        (self.tree.item(pair, 0), self.tree.item(pair, 1), self.tree.item(pair, 2))
                    else {
                        return Err(Mistake::syntax(self.tree.span(pair), "not a pair").label("expected [key, value]"));
                    };
                    self.is_in(name, container, key)?;
                    name.push('[');
                    self.show(name, key)?;
                    name.push(']');
                    self.value(name, value)?;
                    name.truncate(length);
                }
            }
        }
        name.truncate(length);
        Ok(())
    }

    fn items(&mut self, name: &mut String, at: usize) -> Parsed<()> {
        let length = name.len();
        for (i, item) in self.tree.inside(at).enumerate() {
            name.push_str(&format!("[{i}]"));
            self.value(name, item)?;
            name.truncate(length);
        }
        Ok(())
    }

    /// An element of a set, or a key of a map.
    fn is_in(&mut self, container_name: &str, container: u32, element: usize) -> Parsed<()> {
        let mut name = String::new();
        self.show(&mut name, element)?;
        name.push_str(" in ");
        name.push_str(container_name);
        let variable = self.states.variable(&name, Some(container));
        // A set that names an element twice has it.
        if self.states.tell(variable) {
            self.set.push((variable, Value::Number(Number::ONE)));
        }
        Ok(())
    }

    /// A value in a name: a number or a string as it is, others as TLA+ and Quint write them, more or less.
    fn show(&self, out: &mut String, at: usize) -> Parsed<()> {
        match self.shape(at)? {
            Shape::Scalar(Value::Text(text)) => out.push_str(&text),
            Shape::Scalar(Value::Number(number)) => match self.tree.kind(at) {
                Some(ValueKind::Bool(truth)) => out.push_str(if truth { "true" } else { "false" }),
                _ => out.push_str(&number.to_string()),
            },
            Shape::Unit => out.push_str("UNIT"),
            Shape::Record => {
                out.push('{');
                for (i, member) in self.tree.inside(at).enumerate() {
                    if i > 0 {
                        out.push_str(", ");
                    }
                    out.push_str(&self.tree.name(self.text, member));
                    out.push_str(": ");
                    self.show(out, member)?;
                }
                out.push('}');
            }
            Shape::List => self.show_list(out, at, "[", "]")?,
            Shape::Tuple(items) => self.show_list(out, items, "(", ")")?,
            Shape::Set(items) => self.show_list(out, items, "{", "}")?,
            Shape::Map(pairs) => self.show_list(out, pairs, "Map(", ")")?,
        }
        Ok(())
    }

    fn show_list(&self, out: &mut String, at: usize, open: &str, close: &str) -> Parsed<()> {
        out.push_str(open);
        for (i, item) in self.tree.inside(at).enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            self.show(out, item)?;
        }
        out.push_str(close);
        Ok(())
    }

    fn assign(&mut self, variable: u32, value: Value, at: usize) -> Parsed<()> {
        if !self.states.tell(variable) {
            let name = &self.states.names[variable as usize];
            return Err(Mistake::new(Kind::AssignedTwice, self.tree.span(at), format!("two values for `{name}`"))
                .label("expected one"));
        }
        self.set.push((variable, value));
        Ok(())
    }
}

fn too_long(span: std::ops::Range<usize>) -> Box<Mistake> {
    Mistake::new(Kind::Digits, span, "a number with more than 10,000 digits")
}
