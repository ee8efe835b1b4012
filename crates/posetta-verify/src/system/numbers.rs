//! Numbers of pairs of a node and a state of an automaton, by state and by node: as tables in pieces, since most nodes
//! are met with a few states of the automaton, and a search comes to nodes that were numbered one after the other. A
//! hash table takes three times the time.

use super::observed::NodeId;

const PIECE: usize = 64;

/// A pair without a number.
const NONE: u32 = u32::MAX;

/// After so many new pairs memory is claimed again.
pub(super) const LOOK: u32 = 256;

/// The numbers that pairs have got.
#[derive(Default)]
pub(super) struct Numbers {
    by_state: Vec<Vec<Option<Box<[u32; PIECE]>>>>,
    bytes: u64,
}

impl Numbers {
    /// The number of a pair, which is `new` if it has none yet.
    #[inline]
    pub(super) fn of(&mut self, (node, state): (NodeId, u32), new: u32) -> u32 {
        let (state, piece) = (state as usize, node.index() / PIECE);
        if self.by_state.len() <= state {
            self.bytes += 24 * (state + 1 - self.by_state.len()) as u64;
            self.by_state.resize_with(state + 1, Vec::new);
        }
        let pieces = &mut self.by_state[state];
        if pieces.len() <= piece {
            self.bytes += 8 * (piece + 1 - pieces.len()) as u64;
            pieces.resize_with(piece + 1, || None);
        }
        let bytes = &mut self.bytes;
        let numbers = pieces[piece].get_or_insert_with(|| {
            *bytes += 4 * PIECE as u64;
            Box::new([NONE; PIECE])
        });
        let number = &mut numbers[node.index() % PIECE];
        if *number == NONE {
            *number = new;
        }
        *number
    }

    /// What it takes, and may take after the next [`LOOK`] new pairs: each may need a piece of its own, where nodes are
    /// met here and there.
    pub(super) fn bytes_soon(&self) -> u64 {
        self.bytes + self.bytes / 8 + (4 * PIECE as u64 + 8) * u64::from(LOOK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_keeps_its_first_number() {
        let mut numbers = Numbers::default();
        let pairs = [(0, 0), (1_000, 0), (63, 2), (64, 2), (0, 2), (5, 7)];
        for new in [0, 100] {
            for (place, &(node, state)) in (0..).zip(&pairs) {
                assert_eq!(numbers.of((NodeId(node), state), new + place), place);
            }
        }
        assert!(numbers.bytes_soon() > 0);
    }
}
