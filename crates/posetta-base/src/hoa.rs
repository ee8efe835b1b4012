//! Documents in the Hanoi Omega-Automata format, version 1 (Babiak et al. 2015): the one place where they are written.
//!
//! That format is for infinite words, and Posetta's automata read finite ones. The header `FiniteWords`, which starts with a capital, tells readers that do not know it to
//! refuse the automaton rather than to read it as one on infinite words.

use std::fmt::{Display, Write};

use crate::unsafe_to_show;

/// An automaton, header by header and state by state.
#[derive(Clone, Debug)]
pub struct Hoa {
    head: String,
    body: String,
}

impl Hoa {
    /// The headers that say what it is, how many states it has and where it starts, and the atomic propositions that its labels number. The acceptance is
    /// as in the format: the number of sets, and the formula; it may have a name before it.
    #[must_use]
    pub fn new<T: AsRef<str>>(
        name: Option<&str>,
        states: usize,
        starts: &[u32],
        atoms: &[T],
        acceptance: &str,
        finite_words: &str,
    ) -> Self {
        let mut this = Self { head: String::from("HOA: v1\n"), body: String::new() };
        this.header("tool", format_args!("\"posetta\" {}", quoted(env!("CARGO_PKG_VERSION"))));
        if let Some(name) = name {
            this.header("name", quoted(name));
        }
        this.header("States", states);
        starts.iter().for_each(|start| this.header("Start", start));
        let quoted: String = atoms.iter().map(|atom| format!(" {}", quoted(atom.as_ref()))).collect();
        this.header("AP", format_args!("{}{quoted}", atoms.len()));
        if acceptance == BUCHI {
            this.header("acc-name", "Buchi");
        }
        this.header("Acceptance", acceptance);
        this.header("FiniteWords", finite_words);
        this
    }

    /// One more header; text in it is quoted by whoever has it.
    pub fn header(&mut self, name: &str, text: impl Display) {
        // A string takes any text.
        let _ = writeln!(self.head, "{name}: {text}");
    }

    /// A state, in some of the sets of the acceptance; its edges follow.
    pub fn state(&mut self, number: usize, name: Option<&str>, set: Option<u32>) {
        let name = name.map_or(String::new(), |name| format!(" {}", quoted(name)));
        let set = set.map_or(String::new(), |set| format!(" {{{set}}}"));
        let _ = writeln!(self.body, "State: {number}{name}{set}");
    }

    /// An edge of the last state.
    pub fn edge(&mut self, label: &str, to: usize) {
        let _ = writeln!(self.body, "[{label}] {to}");
    }

    /// The document; `more` are properties besides those that all have.
    #[must_use]
    pub fn finish(mut self, more: &[&str]) -> String {
        let more: String = more.iter().map(|property| format!(" {property}")).collect();
        self.header("properties", format_args!("trans-labels explicit-labels state-acc{more}"));
        format!("{}--BODY--\n{}--END--\n", self.head, self.body)
    }
}

/// A word is accepted if it ends in set 0.
pub const BUCHI: &str = "1 Inf(0)";

/// A label: a disjunction of conjunctions, each with what every atomic proposition must be, if anything.
pub fn label<T: AsRef<[Option<bool>]>>(cubes: &[T]) -> String {
    let literal = |(i, want): (usize, &Option<bool>)| want.map(|want| format!("{}{i}", if want { "" } else { "!" }));
    let cube = |cube: &T| {
        let all: Vec<String> = cube.as_ref().iter().enumerate().filter_map(literal).collect();
        if all.is_empty() { "t".to_owned() } else { all.join("&") }
    };
    if cubes.is_empty() { "f".to_owned() } else { cubes.iter().map(cube).collect::<Vec<_>>().join(" | ") }
}

/// A string of the format.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            // A string may not be broken by a line in every reader.
            '\n' | '\r' | '\t' => out.push(' '),
            c if unsafe_to_show(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_its_headers_in_order() {
        let mut hoa = Hoa::new(Some("a \"b\"\n"), 1, &[0], &["p", "q\\"], BUCHI, "over states bad");
        hoa.state(0, Some("s"), Some(0));
        hoa.edge(&label(&[vec![Some(true), Some(false)], vec![None, None]]), 0);
        hoa.edge(&label::<Vec<Option<bool>>>(&[]), 0);
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            hoa.finish(&["complete"]),
            format!(
                "HOA: v1\ntool: \"posetta\" \"{version}\"\nname: \"a \\\"b\\\" \"\nStates: 1\nStart: 0\nAP: 2 \"p\" \"q\\\\\"\nacc-name: Buchi\n\
                 Acceptance: 1 Inf(0)\nFiniteWords: over states bad\nproperties: trans-labels explicit-labels state-acc complete\n\
                 --BODY--\nState: 0 \"s\" {{0}}\n[0&!1 | t] 0\n[f] 0\n--END--\n"
            )
        );
    }
}
