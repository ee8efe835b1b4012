//! Words that show something, as lines.

use posetta_base::Value;
use posetta_logic::{Happening, Sample, Spot, Var, View};

use crate::paint::clean;

/// A variable with a value, as the text format writes it.
fn set(name: &str, value: &Value) -> String {
    let name = Var::now(name, Spot::default());
    format!("{name}={value}")
}

/// One position.
pub(super) struct Line {
    /// Its number.
    pub position: usize,
    /// What happens.
    pub happens: String,
    /// The atoms that are true.
    pub holds: String,
}

/// One line for each position.
pub(super) fn lines(sample: &Sample, variables: &[String], atoms: &[String], view: View) -> Vec<Line> {
    let first = usize::from(view == View::Events);
    sample
        .positions
        .iter()
        .enumerate()
        .map(|(i, p)| {
            let holds: Vec<&str> = p.atoms.iter().zip(atoms).filter(|(h, _)| **h).map(|(_, a)| a.as_str()).collect();
            Line {
                position: first + i,
                happens: clean(&happens(p, i == 0, variables)).into_owned(),
                holds: clean(&holds.join(", ")).into_owned(),
            }
        })
        .collect()
}

fn happens(p: &Happening, first: bool, variables: &[String]) -> String {
    let value = |v: usize| p.state.as_ref().map(|state| set(&variables[v], &state[v]));
    let list = |all: &mut dyn Iterator<Item = usize>| all.filter_map(value).collect::<Vec<_>>().join(", ");
    // What was before is said by the line above. No variable is called so, unless it is written in quotes.
    let is_own = |v: usize| !variables[v].starts_with("prev(") && !variables[v].starts_with('$');
    let rest = || list(&mut (0..variables.len()).filter(|&v| is_own(v) && !p.sets.contains(&v)));
    if !p.event {
        return match rest() {
            none if none.is_empty() => "start".to_owned(),
            values => format!("start with {values}"),
        };
    }
    let mut text = match (&p.name, &p.process) {
        (Some(name), Some(process)) => format!("event {name} of {process}"),
        (Some(name), None) => format!("event {name}"),
        (None, Some(process)) => format!("an event of {process}"),
        (None, None) => "an event".to_owned(),
    };
    if !p.attributes.is_empty() {
        let attributes: Vec<String> = p.attributes.iter().map(|(name, value)| set(name, value)).collect();
        text.push_str(&format!(" with {}", attributes.join(", ")));
    }
    let sets = list(&mut p.sets.iter().copied());
    if !sets.is_empty() {
        text.push_str(&format!(" sets {sets}"));
    } else if !p.sets.is_empty() {
        let names: Vec<&str> = p.sets.iter().map(|&v| variables[v].as_str()).collect();
        text.push_str(&format!(" sets {}", names.join(", ")));
    }
    // Over events nobody has seen the other values before.
    let rest = if first { rest() } else { String::new() };
    if !rest.is_empty() {
        text.push_str(&format!("{} {rest}", if sets.is_empty() { " while" } else { ", while" }));
    }
    text
}
