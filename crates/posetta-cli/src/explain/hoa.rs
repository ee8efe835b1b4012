//! An automaton in the Hanoi Omega-Automata format, version 1.
//!
//! That format is for infinite words. The header `FiniteWords`, which starts with a capital, tells readers that do not know it to
//! refuse the automaton rather than to read it as one on infinite words.

use std::fmt::Write;

use posetta::automata::Cube;

use super::draw::Drawing;
use crate::paint::unsafe_to_show;

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // A string may not be broken by a line in every reader.
            '\n' | '\r' | '\t' => out.push(' '),
            c if unsafe_to_show(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn label(cubes: &[Cube]) -> String {
    let literal = |(i, want): (usize, &Option<bool>)| want.map(|want| format!("{}{i}", if want { "" } else { "!" }));
    let cube = |c: &Cube| {
        let all: Vec<String> = c.iter().enumerate().filter_map(literal).collect();
        if all.is_empty() { "t".to_owned() } else { all.join("&") }
    };
    if cubes.is_empty() { "f".to_owned() } else { cubes.iter().map(cube).collect::<Vec<_>>().join(" | ") }
}

/// One automaton. `name` is its formula, `view` what its positions are, `which` whether its words are `good` or `bad`.
pub fn print(drawing: &Drawing, name: &str, view: &str, which: &str) -> String {
    let mut out = String::from("HOA: v1\n");
    let _ = writeln!(out, "tool: \"posetta\" {}", quoted(env!("CARGO_PKG_VERSION")));
    let _ = writeln!(out, "name: {}", quoted(name));
    let _ = writeln!(out, "States: {}\nStart: 0", drawing.accepting.len());
    let atoms: Vec<String> = drawing.atoms.iter().map(|a| quoted(a)).collect();
    let _ = writeln!(out, "AP: {}{}{}", atoms.len(), if atoms.is_empty() { "" } else { " " }, atoms.join(" "));
    out.push_str("acc-name: Buchi\nAcceptance: 1 Inf(0)\n");
    let _ = writeln!(out, "FiniteWords: over {view} {which}");
    out.push_str("properties: trans-labels explicit-labels state-acc");
    out.push_str(if drawing.deterministic { " deterministic" } else { "" });
    out.push_str(if drawing.complete { " complete" } else { "" });
    out.push_str("\n--BODY--\n");
    for (i, edges) in drawing.edges.iter().enumerate() {
        let _ = writeln!(out, "State: {i}{}", if drawing.accepting[i] { " {0}" } else { "" });
        for edge in edges {
            let _ = writeln!(out, "[{}] {}", label(&edge.cubes), edge.to);
        }
    }
    out.push_str("--END--\n");
    out
}
