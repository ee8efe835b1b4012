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

#[cfg(test)]
mod tests {
    use super::super::{Engine, decide};
    use posetta_base::Budget;
    use posetta_logic::m2l::read_program;

    /// Letters that stand ten apart: two values each inside of the string. With a third one for positions outside of it there would be 3^10 states.
    #[test]
    fn positions_outside_of_the_string_are_not_remembered() {
        let text = "m2l-str; var2 A;
            (all1 p: p + 10 in $ => (p in A <=> p + 10 in A)) & (ex1 p: p + 10 in $ & ~(p in A <=> p + 1 in A));";
        let program = read_program("", text, &mut |_, _| unreachable!("nothing is included")).expect("it can be read");
        for engine in [Engine::Eager, Engine::Written, Engine::Lazy] {
            let found = decide(&program, engine, &Budget::unlimited()).expect("there is no limit").remove(0);
            let lengths = [&found.counterexample, &found.example].map(|e| e.as_ref().map(|e| e.length));
            assert_eq!(lengths, [Some(1), Some(11)], "{engine:?}");
            assert!(found.effort.most_states < 1 << 12, "{engine:?}: {} states", found.effort.most_states);
        }
    }
}
