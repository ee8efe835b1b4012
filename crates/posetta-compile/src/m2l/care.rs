//! Which strings count, where that is known before the whole formula is.
//!
//! In `m2l-str` the whole formula stands under a restriction of the set of all positions: it begins at 0 and has no gaps. Connectives are strict, so the
//! restriction may be conjoined to any part as well: where it is not met the whole formula says nothing, whatever its parts say. MONA conjoins it to every
//! atom (Klarlund and Møller 2001). Here it is conjoined before tracks are hidden: without it, whoever compares letters that stand n apart remembers
//! for each of n letters whether it lies in the string at all.
//!
//! `prefix` asks for other strings, and below it the restriction stands already; formulas with it are left as they are.

use super::core::{Atom, Core, CoreId, Cores, Track};
use super::elaborate::TrackInfo;
use posetta_logic::m2l::Order;

/// A restriction of the whole formula that speaks of one set alone, and the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Care {
    pub(super) track: Track,
    pub(super) restriction: CoreId,
}

impl Care {
    /// What a whole formula says of a track.
    pub(super) fn of(cores: &Cores, infos: &[TrackInfo], root: CoreId, track: Track) -> Option<Self> {
        if cores.sees_lengths(root) || infos[track.0 as usize].order != Order::Two {
            return None;
        }
        let parts = match cores.get(root) {
            Core::And(parts) => &parts[..],
            _ => std::slice::from_ref(&root),
        };
        let is_care = |id: &&CoreId| matches!(cores.get(**id), Core::Restrict(_)) && cores.free(**id) == [track];
        parts.iter().find(is_care).map(|&restriction| Self { track, restriction })
    }

    /// Whether an atom speaks of the set.
    pub(super) fn is_in(self, atom: &Atom) -> bool {
        atom.tracks().contains(&self.track)
    }
}
