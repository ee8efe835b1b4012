//! One JSON value, taken apart: where each of its parts is.
//!
//! The nodes stand in the order of the text, each before what is inside of it and with the place behind that, so that siblings are found
//! by leaps. A tree is used again for the next value; it borrows nothing, and whoever asks brings the text along.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

use rustc_hash::FxHashSet;

use super::json::{Cursor, MAX_DEPTH, ValueKind};
use super::lines::{Mistake, Parsed};
use super::quote::{self, Quoted};
use posetta_base::{Kind, Number, Value};

/// Fields that are compared with each other, one by one.
const FEW: usize = 12;

/// A part of a value.
#[derive(Clone, Debug)]
struct Node {
    /// Its name, if it is a member of an object.
    key: Option<Quoted>,
    kind: ValueKind,
    span: Range<usize>,
    /// The node behind all that is inside of it.
    next: usize,
}

/// The parts of one JSON value. The value itself is node 0.
#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    open: Vec<usize>,
}

impl Tree {
    /// Takes apart the one value of a text.
    pub(super) fn parse(&mut self, text: &str) -> Parsed<()> {
        self.nodes.clear();
        self.open.clear();
        let mut cursor = Cursor::new(text);
        let mut key = None;
        'value: loop {
            let first = cursor.peek();
            let start = cursor.at;
            match first {
                Some(bracket @ (b'{' | b'[')) => {
                    if self.open.len() == MAX_DEPTH as usize {
                        return Err(Mistake::new(Kind::Nesting, start..start + 1, "nested too deeply")
                            .label(format!("expected at most {MAX_DEPTH} arrays and objects inside each other")));
                    }
                    cursor.at += 1;
                    let (kind, close) =
                        if bracket == b'{' { (ValueKind::Object, b'}') } else { (ValueKind::Array, b']') };
                    self.open.push(self.nodes.len());
                    self.nodes.push(Node { key: key.take(), kind, span: start..start, next: 0 });
                    if !cursor.take(close) {
                        key = self.key(&mut cursor)?;
                        continue 'value;
                    }
                    self.close(cursor.at);
                }
                _ => {
                    let inside = match self.open.last() {
                        None => "a record",
                        Some(&at) if self.nodes[at].kind == ValueKind::Object => "an object",
                        Some(_) => "an array",
                    };
                    let kind = cursor.scalar(inside, "a value")?;
                    let next = self.nodes.len() + 1;
                    self.nodes.push(Node { key: key.take(), kind, span: start..cursor.at, next });
                }
            }
            // A value has ended, and perhaps those around it.
            while let Some(&around) = self.open.last() {
                let close = if self.nodes[around].kind == ValueKind::Object { b'}' } else { b']' };
                if cursor.more(close)? {
                    key = self.key(&mut cursor)?;
                    continue 'value;
                }
                self.close(cursor.at);
                self.has_each_once(text, around)?;
            }
            return cursor.end();
        }
    }

    /// Whether an object says everything once: of two fields of one name nobody knows which is meant.
    fn has_each_once(&self, text: &str, object: usize) -> Parsed<()> {
        if !self.is_object(object) {
            return Ok(());
        }
        let names = || self.inside(object).filter_map(|member| self.nodes[member].key.as_ref());
        let mut seen = FxHashSet::default();
        let few = names().nth(FEW).is_none();
        for (i, key) in names().enumerate() {
            let is_again = match few {
                // Most objects have few fields, and most names differ in their lengths.
                true => names().take(i).any(|other| key.is_same(other, text)),
                false => !seen.insert(key.text(text)),
            };
            if is_again {
                let message = format!("two fields `{}`", key.text(text));
                return Err(Mistake::syntax(key.quoted_span(), message).label("expected each field once"));
            }
        }
        Ok(())
    }

    /// The name of the next value, if it is a member of an object.
    fn key(&self, cursor: &mut Cursor<'_>) -> Parsed<Option<Quoted>> {
        let is_member = self.open.last().is_some_and(|&at| self.nodes[at].kind == ValueKind::Object);
        is_member.then(|| cursor.key()).transpose()
    }

    /// The innermost array or object ends here.
    fn close(&mut self, end: usize) {
        if let Some(at) = self.open.pop() {
            self.nodes[at].span.end = end;
            self.nodes[at].next = self.nodes.len();
        }
    }

    pub(super) fn is_object(&self, at: usize) -> bool {
        self.kind(at) == Some(ValueKind::Object)
    }

    /// What a node is.
    pub(super) fn kind(&self, at: usize) -> Option<ValueKind> {
        self.nodes.get(at).map(|node| node.kind)
    }

    /// The bytes of a node.
    pub(super) fn span(&self, at: usize) -> Range<usize> {
        self.nodes.get(at).map_or(0..0, |node| node.span.clone())
    }

    /// The name of a member.
    pub(super) fn name<'a>(&self, text: &'a str, at: usize) -> Cow<'a, str> {
        self.nodes.get(at).and_then(|node| node.key.as_ref()).map_or(Cow::Borrowed(""), |key| key.text(text))
    }

    /// The members of an object, or the items of an array.
    pub(super) fn inside(&self, at: usize) -> impl Iterator<Item = usize> {
        let end = self.nodes.get(at).map_or(0, |node| node.next);
        let mut next = at + 1;
        std::iter::from_fn(move || {
            let found = next;
            (found < end).then(|| {
                next = self.nodes[found].next;
                found
            })
        })
    }

    /// The member of an object with a name; of several the first.
    pub(super) fn member(&self, text: &str, at: usize, name: &str) -> Option<usize> {
        self.inside(at).find(|&member| self.nodes[member].key.is_some_and(|key| key.text(text) == name))
    }

    /// An item of an array, from 0.
    pub(super) fn item(&self, at: usize, index: usize) -> Option<usize> {
        if self.kind(at)? != ValueKind::Array {
            return None;
        }
        self.inside(at).nth(index)
    }

    /// The value of a number, a string or a boolean; `None` for others, and for a number with too many digits.
    pub(super) fn value(&self, text: &str, at: usize) -> Option<Value> {
        match self.kind(at)? {
            ValueKind::Text(quoted) => Some(Value::Text(quoted.text(text).into_owned())),
            ValueKind::Number => text[self.span(at)].parse().ok().map(Value::Number),
            ValueKind::Bool(truth) => Some(Value::Number(Number::from(i64::from(truth)))),
            ValueKind::Null | ValueKind::Array | ValueKind::Object => None,
        }
    }

    /// Writes a node so that two are written alike exactly if they are the same value: members by name, numbers in one way. No input can
    /// make it a deep recursion: values nest at most [`MAX_DEPTH`] deep.
    pub(super) fn write_canonical(&self, text: &str, at: usize, out: &mut String) {
        match self.kind(at) {
            Some(ValueKind::Text(quoted)) => push_quoted(out, &quoted.text(text)),
            Some(ValueKind::Number) => {
                let written = &text[self.span(at)];
                // What is too long for a number is at least itself.
                let _ = match written.parse::<Number>() {
                    Ok(number) => write!(out, "{number}"),
                    Err(_) => out.write_str(written),
                };
            }
            Some(ValueKind::Object) => {
                let mut members: Vec<(Cow<'_, str>, usize)> =
                    self.inside(at).map(|member| (self.name(text, member), member)).collect();
                members.sort();
                out.push('{');
                for (i, (name, member)) in members.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    push_quoted(out, name);
                    out.push(':');
                    self.write_canonical(text, *member, out);
                }
                out.push('}');
            }
            Some(ValueKind::Array) => {
                out.push('[');
                for (i, item) in self.inside(at).enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    self.write_canonical(text, item, out);
                }
                out.push(']');
            }
            Some(ValueKind::Bool(_) | ValueKind::Null) | None => out.push_str(&text[self.span(at)]),
        }
    }

    /// About how many bytes it holds.
    pub(super) fn weight(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.open.capacity() * size_of::<usize>()
    }
}

/// Appends a string as JSON has it.
pub(super) fn push_quoted(out: &mut String, text: &str) {
    let mut bytes = Vec::with_capacity(text.len() + 2);
    quote::write(&mut bytes, text).expect("a list of bytes takes everything");
    out.push_str(&String::from_utf8_lossy(&bytes));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn canonical(text: &str) -> String {
        let mut tree = Tree::default();
        match tree.parse(text) {
            Ok(()) => {
                let mut out = String::new();
                tree.write_canonical(text, 0, &mut out);
                out
            }
            Err(mistake) => mistake.message,
        }
    }

    #[test]
    fn equal_values_are_written_alike() {
        for (text, written) in [
            ("1", "1"),
            ("1.0", "1"),
            ("1e2", "100"),
            (" [ ] ", "[]"),
            ("{}", "{}"),
            ("{\"b\": [1, {\"d\": null}],\n\"a\": \"\\u0041\"}", "{\"a\":\"A\",\"b\":[1,{\"d\":null}]}"),
            ("[true, [false], {}, [[]]]", "[true,[false],{},[[]]]"),
            ("[1", "it ends inside an array"),
            ("{\"a\" 1}", "unexpected `1` in an object"),
            ("1 2", "text after the record"),
            ("{\"a\":1,\"b\":2,\"\\u0061\":3}", "two fields `a`"),
            ("{\"c\":{\"a\":1},\"a\":[{\"a\":2},{\"a\":2}]}", "{\"a\":[{\"a\":2},{\"a\":2}],\"c\":{\"a\":1}}"),
            ("[{\"c\":{\"\":1,\"\":1}}]", "two fields ``"),
        ] {
            assert_eq!(canonical(text), written, "{text}");
        }
        assert_eq!(canonical(&"[".repeat(200)), "nested too deeply");
        let many: Vec<String> = (0..40).map(|i| format!("\"f{i}\":{i}")).collect();
        assert!(canonical(&format!("{{{}}}", many.join(","))).starts_with("{\"f0\":0"));
        assert_eq!(canonical(&format!("{{{},\"f7\":1}}", many.join(","))), "two fields `f7`");
    }

    #[test]
    fn parts_are_found() {
        let text = "{\"a\":{\"b\":[10,{\"c\":\"x\"}]},\"a.b\":2}";
        let mut tree = Tree::default();
        tree.parse(text).unwrap();
        let a = tree.member(text, 0, "a").unwrap();
        let b = tree.member(text, a, "b").unwrap();
        assert_eq!(tree.value(text, tree.item(b, 0).unwrap()), Some(Value::Number(Number::from(10))));
        let c = tree.member(text, tree.item(b, 1).unwrap(), "c").unwrap();
        assert_eq!(tree.value(text, c), Some(Value::Text("x".into())));
        assert_eq!(tree.item(b, 2), None);
        assert_eq!(tree.item(a, 0), None);
        assert_eq!(tree.member(text, 0, "b"), None);
        assert_eq!(tree.inside(0).count(), 2);
        assert_eq!(&text[tree.span(b)], "[10,{\"c\":\"x\"}]");
    }

    proptest! {
        #[test]
        fn a_tree_and_a_cursor_agree(text in "[\\[\\]{}\",:0-9a-z\\\\ \n.é-]{0,40}") {
            let mut cursor = Cursor::new(&text);
            let scanned = cursor.value("a record", "a value").and_then(|_| cursor.end());
            let taken = Tree::default().parse(&text);
            // Only who takes a value apart sees that it says something twice.
            prop_assume!(!matches!(&taken, Err(mistake) if mistake.message.starts_with("two fields")));
            prop_assert_eq!(scanned.map_err(|m| m.message), taken.map_err(|m| m.message));
        }
    }
}
