//! Prints a monitor.

use rustc_hash::FxHashMap;

use crate::atom::Atom;
use crate::monitor::{Guard, Monitor, Otherwise};
use crate::property::View;
use posetta_base::hoa::{BUCHI, Hoa};

/// A monitor as an automaton on finite words that accepts the bad ones. Where it stays for want of a guard, an edge says so.
/// The operands of `<->` become aliases, so that the text is no longer than a few times the monitor.
#[must_use]
pub fn write_hoa(monitor: &Monitor, view: View, name: &str) -> String {
    let mut labels = Labels { atoms: Vec::new(), numbers: FxHashMap::default(), aliases: Vec::new() };
    let numbered = monitor.map_atoms(&mut |atom| labels.number(atom));
    let (edges, bad) = (numbered.edges_by_state(), numbered.bad_states());
    let over = match view {
        View::States => "over states bad",
        View::Events => "over events bad",
    };
    let starts: Vec<u32> = monitor.initial.iter().map(|start| start.0).collect();
    let mut hoa = Hoa::new(Some(name), monitor.states.len(), &starts, &labels.atoms, BUCHI, over);
    for (i, name) in monitor.states.iter().enumerate() {
        hoa.state(i, Some(name), bad[i].then_some(0));
        for edge in &edges[i] {
            hoa.edge(&labels.label(&edge.guard), edge.to.index());
        }
        let stays = monitor.otherwise == Otherwise::Stay && !edges[i].iter().any(|e| e.guard == Guard::True);
        if stays {
            let guards: Vec<String> = edges[i].iter().map(|e| labels.label(&e.guard)).collect();
            let label = if guards.is_empty() { "t".to_owned() } else { format!("!({})", guards.join(" | ")) };
            hoa.edge(&label, i);
        }
    }
    for (i, alias) in labels.aliases.iter().enumerate() {
        hoa.header("Alias", format_args!("@a{i} {alias}"));
    }
    hoa.finish(&[])
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
