//! An automaton in the Hanoi Omega-Automata format.

use posetta_base::hoa::{BUCHI, Hoa, label};

use super::Drawing;

/// One automaton. `name` is its formula, `view` what its positions are, `which` whether its words are `good` or `bad`.
pub(super) fn print(drawing: &Drawing, name: &str, view: &str, which: &str) -> String {
    let words = format!("over {view} {which}");
    let mut hoa = Hoa::new(Some(name), drawing.accepting.len(), &[0], &drawing.atoms, BUCHI, &words);
    for (i, edges) in drawing.edges.iter().enumerate() {
        hoa.state(i, None, drawing.accepting[i].then_some(0));
        edges.iter().for_each(|edge| hoa.edge(&label(&edge.cubes), edge.to));
    }
    let kinds = [(drawing.deterministic, "deterministic"), (drawing.complete, "complete")];
    let kinds: Vec<&str> = kinds.into_iter().filter(|(is, _)| *is).map(|(_, kind)| kind).collect();
    hoa.finish(&kinds)
}
