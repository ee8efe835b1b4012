//! Documents in Graphviz's language: the one place where texts are quoted and statements written.
//!
//! [`Graph`] collects a document; [`node`] and [`edge`] are its statements by themselves, for writers that hold no document.

use std::fmt::{self, Display, Write};

use crate::unsafe_to_show;

/// What an attribute is.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// A word or a number of the language, as it is.
    Word(&'a str),
    /// Text to be shown, with its lines.
    Text(&'a str),
    /// A string of the language, quotes and all.
    Quoted(&'a str),
}

impl Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(text) | Self::Quoted(text) => f.write_str(text),
            Self::Text(text) => {
                f.write_char('"')?;
                for c in text.chars() {
                    match c {
                        '"' | '\\' => write!(f, "\\{c}")?,
                        '\n' => f.write_str("\\n")?,
                        c if unsafe_to_show(c) => f.write_char('\u{fffd}')?,
                        c => f.write_char(c)?,
                    }
                }
                f.write_char('"')
            }
        }
    }
}

/// Names with what they are.
pub type Attributes<'a> = &'a [(&'a str, Value<'a>)];

struct Statement<'a, T> {
    subject: T,
    attributes: Attributes<'a>,
}

impl<T: Display> Display for Statement<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.subject.fmt(f)?;
        for (i, (name, value)) in self.attributes.iter().enumerate() {
            write!(f, "{}{name}={value}", if i == 0 { " [" } else { ", " })?;
        }
        f.write_str(if self.attributes.is_empty() { ";" } else { "];" })
    }
}

/// A node, by a name that is one of the language (or `node` or `edge`, for all that follow).
pub fn node<'a>(name: impl Display + 'a, attributes: Attributes<'a>) -> impl Display + 'a {
    Statement { subject: name, attributes }
}

/// An arrow.
pub fn edge<'a>(from: impl Display, to: impl Display, attributes: Attributes<'a>) -> impl Display + 'a {
    Statement { subject: format!("{from} -> {to}"), attributes }
}

/// A directed graph.
#[derive(Clone, Debug)]
pub struct Graph(String);

impl Graph {
    /// Without anything in it; its name is a word of the language, or empty.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self(format!("digraph {name}{}{{\n", if name.is_empty() { "" } else { " " }))
    }

    /// A graph of states and steps from left to right, with a title; `states` is what its states look like besides.
    #[must_use]
    pub fn of_states(title: &str, states: Attributes<'_>) -> Self {
        use Value::{Text, Word};
        let mut graph = Self::new("posetta");
        graph.add("rankdir=LR;");
        graph.add("labelloc=t;");
        graph.add(format_args!("label={};", Text(title)));
        graph.add("fontname=\"Helvetica\";");
        let usual = [("fontname", Text("Helvetica")), ("style", Word("filled")), ("fillcolor", Word("white"))];
        graph.node("node", &[states, &usual].concat());
        graph.node("edge", &[("fontname", Text("Courier")), ("fontsize", Word("11"))]);
        graph
    }

    /// Where an automaton starts, as a point that an arrow comes from.
    pub fn start(&mut self, name: &str) {
        use Value::Word;
        self.node(name, &[("shape", Word("point")), ("width", Word("0.08")), ("fillcolor", Word("black"))]);
    }

    /// A node.
    pub fn node(&mut self, name: impl Display, attributes: Attributes<'_>) {
        self.add(node(name, attributes));
    }

    /// An arrow.
    pub fn edge(&mut self, from: impl Display, to: impl Display, attributes: Attributes<'_>) {
        self.add(edge(from, to, attributes));
    }

    /// Any statement, on a line of its own.
    pub fn add(&mut self, statement: impl Display) {
        // A string takes any text.
        let _ = writeln!(self.0, "  {statement}");
    }

    /// The document.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.0.push_str("}\n");
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Value::{Quoted, Text, Word};
    use super::*;

    #[test]
    fn texts_cannot_leave_their_quotes() {
        assert_eq!(Text("a\"b\\c\nd\u{1b}").to_string(), "\"a\\\"b\\\\c\\nd\u{fffd}\"");
        let mut graph = Graph::new("");
        graph.node("a", &[]);
        graph.edge(0, "a", &[("label", Text("x")), ("shape", Word("box")), ("own", Quoted("\"{}\""))]);
        assert_eq!(graph.finish(), "digraph {\n  a;\n  0 -> a [label=\"x\", shape=box, own=\"{}\"];\n}\n");
    }
}
