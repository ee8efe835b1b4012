//! Sets of states of the right side, each stored once: what it can be in after a word.
//!
//! The members of a set ascend. What a letter makes of a set is found once.

use rustc_hash::FxHashMap;

use super::Right;
use posetta_base::{Budget, Claim, Error, OverBudget};

/// Sets are thinned, and compared by a simulation, only if this many pairs of members are to be looked at.
const FEW_PAIRS: usize = 4096;

/// A set, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct SubsetId(u32);

/// The sets that were met.
pub(super) struct Subsets<'b, R: Right> {
    pub(super) right: R,
    members: Vec<Box<[u32]>>,
    /// By set: a bit for each member, by its last digits, so that most sets that are no subsets show it at once.
    marks: Vec<u64>,
    accepts: Vec<bool>,
    ids: FxHashMap<Box<[u32]>, SubsetId>,
    after: FxHashMap<(SubsetId, R::Letter), SubsetId>,
    claim: Claim,
    bytes: u64,
    what: &'static str,
    budget: &'b Budget,
}

impl<'b, R: Right> Subsets<'b, R> {
    pub(super) fn new(right: R, what: &'static str, budget: &'b Budget) -> Result<Self, OverBudget> {
        Ok(Self {
            right,
            members: Vec::new(),
            marks: Vec::new(),
            accepts: Vec::new(),
            ids: FxHashMap::default(),
            after: FxHashMap::default(),
            claim: budget.claim(0, what)?,
            bytes: 0,
            what,
            budget,
        })
    }

    /// The states before any letter.
    pub(super) fn start(&mut self) -> Result<SubsetId, Error> {
        let mut states = Vec::new();
        self.right.start(&mut states)?;
        self.id(states)
    }

    /// The states after one more letter.
    pub(super) fn after(&mut self, set: SubsetId, letter: R::Letter) -> Result<SubsetId, Error> {
        if let Some(&known) = self.after.get(&(set, letter)) {
            return Ok(known);
        }
        let mut states = Vec::new();
        let members = &self.members[set.0 as usize];
        self.budget.step(1 + members.len() as u64, self.what)?;
        self.right.after(members, letter, &mut states)?;
        let next = self.id(states)?;
        self.after.insert((set, letter), next);
        self.bytes += 48;
        self.claim.grow_to(self.bytes, self.what)?;
        Ok(next)
    }

    fn id(&mut self, mut states: Vec<u32>) -> Result<SubsetId, Error> {
        states.sort_unstable();
        states.dedup();
        self.thin(&mut states);
        let members: Box<[u32]> = states.into();
        if let Some(&id) = self.ids.get(&members) {
            return Ok(id);
        }
        let id = SubsetId(self.members.len() as u32);
        // Each set is held twice: as a list and as a key.
        self.bytes += 8 * members.len() as u64 + 120;
        self.claim.grow_to(self.bytes, self.what)?;
        self.marks.push(members.iter().fold(0, |marks, m| marks | 1 << (m % 64)));
        self.accepts.push(members.iter().any(|&m| self.right.accepts(m)));
        self.members.push(members.clone());
        self.ids.insert(members, id);
        Ok(id)
    }

    /// Leaves out members whose words others have; of two that have each other's, the later one.
    fn thin(&self, states: &mut Vec<u32>) {
        if !self.right.has_simulation() || states.len().pow(2) > FEW_PAIRS {
            return;
        }
        let mut place = 0;
        while place < states.len() {
            let state = states[place];
            let covers = |(other, &by): (usize, &u32)| {
                other != place && self.right.at_most(state, by) && (other < place || !self.right.at_most(by, state))
            };
            if states.iter().enumerate().any(covers) {
                states.remove(place);
            } else {
                place += 1;
            }
        }
    }

    /// Whether a word may end in a member.
    pub(super) fn accepts(&self, set: SubsetId) -> bool {
        self.accepts[set.0 as usize]
    }

    /// Whether each member of one set has only words that a member of another has.
    pub(super) fn is_covered(&self, small: SubsetId, large: SubsetId) -> bool {
        if small == large || self.is_subset(small, large) {
            return true;
        }
        let (small, large) = (&self.members[small.0 as usize], &self.members[large.0 as usize]);
        self.right.has_simulation()
            && small.len() * large.len() <= FEW_PAIRS
            && small.iter().all(|&s| large.iter().any(|&l| self.right.at_most(s, l)))
    }

    /// Whether all members of one set are in another, larger one.
    fn is_subset(&self, small: SubsetId, large: SubsetId) -> bool {
        if self.marks[small.0 as usize] & !self.marks[large.0 as usize] != 0 {
            return false;
        }
        let (small, mut large) = (&self.members[small.0 as usize], &self.members[large.0 as usize][..]);
        small.len() < large.len()
            && small.iter().all(|member| match large.binary_search(member) {
                Ok(place) => {
                    large = &large[place + 1..];
                    true
                }
                Err(_) => false,
            })
    }
}
