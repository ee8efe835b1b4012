//! What lies above what in a diagram: for each state, and then for each node, the nodes that have it as a child and the states whose root it is.

use super::{Said, TrackDfa};
use posetta_dd::mtbdd::Function;

/// Lists in one array.
pub(super) struct Above {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Above {
    /// Lists of which only it is known how long each is.
    fn of_lengths(mut lengths: Vec<u32>) -> Self {
        let mut sum = 0;
        for length in &mut lengths {
            sum += *length;
            *length = sum;
        }
        Self { starts: lengths, items: vec![0; sum as usize] }
    }

    /// Fills the list of a place from its end.
    fn put(&mut self, place: usize, item: u32) {
        self.starts[place] -= 1;
        self.items[self.starts[place] as usize] = item;
    }

    /// The nodes above each place, along their low branches, and along the high ones of the tracks that are chosen.
    pub(super) fn nodes(dfa: &TrackDfa, high: &impl Fn(u32) -> bool) -> Self {
        let mut lengths = vec![0_u32; dfa.states() + dfa.nodes() + 1];
        for node in &dfa.steps.nodes {
            lengths[place(dfa, node.low)] += 1;
            lengths[place(dfa, node.high)] += u32::from(high(node.var));
        }
        let mut this = Self::of_lengths(lengths);
        for (n, node) in dfa.steps.nodes.iter().enumerate() {
            this.put(place(dfa, node.low), n as u32);
            if high(node.var) {
                this.put(place(dfa, node.high), n as u32);
            }
        }
        this
    }

    /// The states whose root each place is.
    pub(super) fn states(dfa: &TrackDfa) -> Self {
        let mut lengths = vec![0_u32; dfa.states() + dfa.nodes() + 1];
        dfa.steps.roots.iter().for_each(|&root| lengths[place(dfa, root)] += 1);
        let mut this = Self::of_lengths(lengths);
        for (state, &root) in dfa.steps.roots.iter().enumerate() {
            this.put(place(dfa, root), state as u32);
        }
        this
    }

    pub(super) fn of(&self, place: usize) -> &[u32] {
        &self.items[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

/// The place of a state or of a node.
fn place(dfa: &TrackDfa, function: Function) -> usize {
    function.value().map_or_else(|| dfa.states() + function.node().unwrap_or(0) as usize, |s| s as usize)
}

/// For each state whether letters lead from it to one that says this, itself included. Only letters count that are 0 on the tracks that are not
/// chosen.
pub(super) fn reaching(dfa: &TrackDfa, said: Said, chosen: impl Fn(u32) -> bool) -> Vec<bool> {
    let (nodes, states) = (Above::nodes(dfa, &chosen), Above::states(dfa));
    let mut can: Vec<bool> = (0..dfa.states() as u32).map(|s| dfa.said(s) == said).collect();
    let mut open: Vec<usize> = (0..can.len()).filter(|&s| can[s]).collect();
    can.resize(dfa.states() + dfa.nodes(), false);
    while let Some(place) = open.pop() {
        let above = nodes.of(place).iter().map(|&n| dfa.states() + n as usize);
        for next in above.chain(states.of(place).iter().map(|&s| s as usize)) {
            if !std::mem::replace(&mut can[next], true) {
                open.push(next);
            }
        }
    }
    can.truncate(dfa.states());
    can
}
