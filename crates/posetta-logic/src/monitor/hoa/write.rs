//! Prints a monitor.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::atom::Atom;
use crate::monitor::{Guard, Monitor, Otherwise};
use crate::property::View;
use posetta_base::unsafe_to_show;

/// A monitor as an automaton on finite words that accepts the bad ones. Where it stays for want of a guard, an edge says so.
/// The operands of `<->` become aliases, so that the text is no longer than a few times the monitor.
#[must_use]
pub fn write_hoa(monitor: &Monitor, view: View, name: &str) -> String {
    let mut labels = Labels { atoms: Vec::new(), numbers: FxHashMap::default(), aliases: Vec::new() };
    let numbered = monitor.map_atoms(&mut |atom| labels.number(atom));
    let (edges, bad) = (numbered.edges_by_state(), numbered.bad_states());
    let mut body = String::new();
    for (i, name) in monitor.states.iter().enumerate() {
        let _ = writeln!(body, "State: {i} {}{}", quoted(name), if bad[i] { " {0}" } else { "" });
        for edge in &edges[i] {
            let _ = writeln!(body, "[{}] {}", labels.label(&edge.guard), edge.to.0);
        }
        let stays = monitor.otherwise == Otherwise::Stay && !edges[i].iter().any(|e| e.guard == Guard::True);
        if stays {
            let guards: Vec<String> = edges[i].iter().map(|e| labels.label(&e.guard)).collect();
            let label = if guards.is_empty() { "t".to_owned() } else { format!("!({})", guards.join(" | ")) };
            let _ = writeln!(body, "[{label}] {i}");
        }
    }
    let mut out = String::from("HOA: v1\n");
    let _ = writeln!(out, "tool: \"posetta\" {}", quoted(env!("CARGO_PKG_VERSION")));
    let _ = writeln!(out, "name: {}\nStates: {}", quoted(name), monitor.states.len());
    for start in &monitor.initial {
        let _ = writeln!(out, "Start: {}", start.0);
    }
    let _ = write!(out, "AP: {}", labels.atoms.len());
    for atom in &labels.atoms {
        let _ = write!(out, " {}", quoted(atom));
    }
    out.push_str("\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n");
    let over = match view {
        View::States => "states",
        View::Events => "events",
    };
    let _ = writeln!(out, "FiniteWords: over {over} bad");
    for (i, alias) in labels.aliases.iter().enumerate() {
        let _ = writeln!(out, "Alias: @a{i} {alias}");
    }
    let _ = writeln!(out, "properties: trans-labels explicit-labels state-acc\n--BODY--\n{body}--END--");
    out
}

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

struct Labels {
    /// The atomic propositions, printed.
    atoms: Vec<String>,
    numbers: FxHashMap<Atom, usize>,
    aliases: Vec<String>,
}

impl Labels {
    fn number(&mut self, atom: &Atom) -> usize {
        *self.numbers.entry(atom.clone()).or_insert_with(|| {
            self.atoms.push(atom.to_string());
            self.atoms.len() - 1
        })
    }

    fn label(&mut self, guard: &Guard<usize>) -> String {
        match guard {
            Guard::True => "t".to_owned(),
            Guard::False => "f".to_owned(),
            Guard::Atom(n) => n.to_string(),
            Guard::Not(g) => format!("!{}", self.operand(g)),
            Guard::And(gs) => gs.iter().map(|g| self.operand(g)).collect::<Vec<_>>().join(" & "),
            Guard::Or(gs) => gs.iter().map(|g| self.operand(g)).collect::<Vec<_>>().join(" | "),
            Guard::Implies(a, b) => format!("!{} | {}", self.operand(a), self.operand(b)),
            Guard::Iff(a, b) => {
                let (a, b) = (self.short(a), self.short(b));
                format!("({a} & {b}) | (!{a} & !{b})")
            }
        }
    }

    fn operand(&mut self, guard: &Guard<usize>) -> String {
        let label = self.label(guard);
        match guard {
            Guard::True | Guard::False | Guard::Atom(_) | Guard::Not(_) => label,
            _ => format!("({label})"),
        }
    }

    /// Something that may be written twice.
    fn short(&mut self, guard: &Guard<usize>) -> String {
        let label = self.label(guard);
        if matches!(guard, Guard::True | Guard::False | Guard::Atom(_)) {
            return label;
        }
        self.aliases.push(label);
        format!("@a{}", self.aliases.len() - 1)
    }
}
