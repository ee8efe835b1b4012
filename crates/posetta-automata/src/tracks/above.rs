//! What lies above what in a diagram: for each state, and then for each node, the nodes that have it as a child and the states whose root it is.

use super::{Said, TrackDfa};
use posetta_dd::mtbdd::Function;

/// Lists in one array.
pub(super) struct Above {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Above {
    fn new(places: usize, pairs: impl Iterator<Item = (usize, u32)> + Clone) -> Self {
        let mut starts = vec![0_u32; places + 1];
        for (place, _) in pairs.clone() {
            starts[place + 1] += 1;
        }
        for place in 0..places {
            starts[place + 1] += starts[place];
        }
        let mut free = starts.clone();
        let mut items = vec![0; starts[places] as usize];
        for (place, item) in pairs {
            items[free[place] as usize] = item;
            free[place] += 1;
        }
        Self { starts, items }
    }

    /// The nodes above each place, along their low branches, and along the high ones of the tracks that are chosen.
    pub(super) fn nodes<'a>(dfa: &'a TrackDfa, high: &'a (impl Fn(u32) -> bool + 'a)) -> Self {
        let children = (0..dfa.nodes() as u32).flat_map(move |n| {
            let node = dfa.node(n);
            let other = high(node.var).then(|| (place(dfa, node.high), n));
            [Some((place(dfa, node.low), n)), other].into_iter().flatten()
        });
        Self::new(dfa.states() + dfa.nodes(), children)
    }

    /// The states whose root each place is.
    pub(super) fn states(dfa: &TrackDfa) -> Self {
        let roots = (0..dfa.states() as u32).map(move |s| (place(dfa, dfa.root(s)), s));
        Self::new(dfa.states() + dfa.nodes(), roots)
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
