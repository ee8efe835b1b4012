//! Inclusion of languages without determinising more than is needed.
//!
//! Is every word of one automaton ([`Left`]) a word of another ([`Right`])? What is searched are pairs of a state p on the left and the set S of all states
//! that the right side can be in after the same word. A word is lacking if p accepts it and no state of S does. A pair (p, S) need not be followed if (p, S') has been
//! with S' ⊆ S: whatever S lacks, S' lacks too (De Wulf, Doyen, Henzinger and Raskin 2006). So of the sets that go with one p only the smallest are kept: an antichain. Where
//! it is known that one state on the right has all words of another ([`Right::at_most`]), the other is left out of sets, and sets are compared by it (Abdulla, Chen, Holík, Mayr and Vojnar
//! 2010): for the memory of `examples/memory` 10,582 pairs in place of 22,315, for random systems an eighth fewer. They use simulations on the left, too, which would
//! need a look at the sets of all states that simulate p.
//!
//! The search goes by layers: all pairs that k letters lead to come before those of k+1, silent steps of the left side cost nothing. A covering pair is in the
//! same layer or before, so nothing shorter is given up with what it covers, and the first lacking word is a shortest one.
//!
//! Neither side need be there as a whole: states are numbered as they are met, by whoever stands behind the two traits.

mod subsets;

use std::collections::VecDeque;
use std::hash::Hash;

use rustc_hash::FxHashSet;

use self::subsets::{SubsetId, Subsets};
use posetta_base::{Budget, Claim, Error, Limit, OverBudget};

/// An arc of the left side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftArc<L> {
    /// What the right side has to do; `None` if nothing.
    pub letter: Option<L>,
    /// Where it leads.
    pub to: u32,
    /// What the one who gave it knows it by.
    pub tag: u32,
}

/// The automaton whose words are looked for.
pub trait Left {
    /// What words are made of.
    type Letter: Copy + Eq + Hash;

    /// The state at the start.
    ///
    /// # Errors
    /// When a limit is reached, or the automaton turns out to have none.
    fn start(&mut self) -> Result<u32, Error>;

    /// Appends the arcs from a state.
    ///
    /// # Errors
    /// As [`Self::start`].
    fn arcs(&mut self, state: u32, arcs: &mut Vec<LeftArc<Self::Letter>>) -> Result<(), Error>;

    /// Whether words may end in a state. A silent arc does not lead from a state where they may not to one where they may.
    fn accepts(&self, state: u32) -> bool;

    /// How many states were met.
    fn met(&self) -> usize;
}

/// The automaton that should have all of these words.
pub trait Right {
    /// What words are made of.
    type Letter: Copy + Eq + Hash;

    /// Appends the states at the start, in any order, perhaps some of them more than once.
    ///
    /// # Errors
    /// As [`Left::start`].
    fn start(&mut self, states: &mut Vec<u32>) -> Result<(), Error>;

    /// Appends all states that one more letter leads to from some states.
    ///
    /// # Errors
    /// As [`Left::start`].
    fn after(&mut self, from: &[u32], letter: Self::Letter, states: &mut Vec<u32>) -> Result<(), Error>;

    /// Whether a word may end in a state.
    fn accepts(&self, state: u32) -> bool;

    /// Whether [`Self::at_most`] says more than equality.
    fn has_simulation(&self) -> bool {
        false
    }

    /// Whether the second of two states is known to have all words of the first, as it does if it simulates it.
    fn at_most(&self, a: u32, b: u32) -> bool {
        a == b
    }

    /// How many states were met.
    fn met(&self) -> usize;
}

/// What became of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There is no lacking word.
    Included,
    /// A shortest word that is lacking: for each arc of the left side the state that it leads from and its tag.
    Lacking(Vec<(u32, u32)>),
    /// Many pairs were met and more are left.
    Paused,
}

/// A pair that is followed.
#[derive(Clone, Copy, Debug)]
struct Pair {
    state: u32,
    set: SubsetId,
    /// The place of the pair before it, and the tag of the arc from there; the first pair has itself.
    parent: u32,
    tag: u32,
}

/// A search that can be interrupted.
pub struct Search<'b, L, R: Right> {
    /// The left side.
    pub left: L,
    subsets: Subsets<'b, R>,
    budget: &'b Budget,
    what: &'static str,
    nodes: Vec<Pair>,
    /// By state of the left side: the sets that are kept.
    kept: Vec<Vec<SubsetId>>,
    /// What is left of this layer.
    open: VecDeque<Pair>,
    /// The next layer, each pair once.
    next: VecDeque<Pair>,
    in_next: FxHashSet<(u32, SubsetId)>,
    arcs: Vec<LeftArc<R::Letter>>,
    /// The empty word is lacking.
    at_once: bool,
    claim: Claim,
}

/// What a search has met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Met {
    /// Pairs that were followed.
    pub pairs: usize,
    /// States of the left side.
    pub left: usize,
    /// States of the right side.
    pub right: usize,
}

impl<'b, L: Left, R: Right<Letter = L::Letter>> Search<'b, L, R> {
    /// A search that has not begun. `what` is what it is called when a limit ends it.
    ///
    /// # Errors
    /// As [`Left::start`].
    pub fn new(mut left: L, right: R, what: &'static str, budget: &'b Budget) -> Result<Self, Error> {
        let mut subsets = Subsets::new(right, what, budget)?;
        let first = Pair { state: left.start()?, set: subsets.start()?, parent: 0, tag: 0 };
        let at_once = left.accepts(first.state) && !subsets.accepts(first.set);
        Ok(Self {
            left,
            subsets,
            budget,
            what,
            nodes: Vec::new(),
            kept: Vec::new(),
            open: VecDeque::from([first]),
            next: VecDeque::new(),
            in_next: FxHashSet::default(),
            arcs: Vec::new(),
            at_once,
            claim: budget.claim(0, what)?,
        })
    }

    /// What was met so far.
    pub fn met(&self) -> Met {
        Met { pairs: self.nodes.len(), left: self.left.met(), right: self.subsets.right.met() }
    }

    /// Goes on until the answer is known, or so many states and pairs were met.
    ///
    /// # Errors
    /// As [`Left::start`].
    pub fn run(&mut self, most: usize) -> Result<Outcome, Error> {
        if self.at_once {
            return Ok(Outcome::Lacking(Vec::new()));
        }
        loop {
            while let Some(node) = self.open.pop_front() {
                if self.is_new(node) {
                    let place = self.keep(node)?;
                    if let Some(tag) = self.follow(place)? {
                        return Ok(Outcome::Lacking(self.way(place, tag)));
                    }
                }
                let met = self.met();
                if met.pairs.max(met.left).max(met.right) > most && !self.open.is_empty() {
                    return Ok(Outcome::Paused);
                }
            }
            if self.next.is_empty() {
                return Ok(Outcome::Included);
            }
            self.in_next.clear();
            std::mem::swap(&mut self.open, &mut self.next);
        }
    }

    /// Whether no pair that was followed covers this one.
    fn is_new(&self, node: Pair) -> bool {
        let kept = self.kept.get(node.state as usize).map(Vec::as_slice).unwrap_or_default();
        !kept.iter().any(|&set| self.subsets.is_covered(set, node.set))
    }

    fn keep(&mut self, node: Pair) -> Result<u32, Error> {
        self.budget.step(1, self.what)?;
        let at = node.state as usize;
        if self.kept.len() <= at {
            self.kept.resize(self.left.met().max(at + 1), Vec::new());
        }
        let subsets = &self.subsets;
        self.kept[at].retain(|&set| !subsets.is_covered(node.set, set));
        self.kept[at].push(node.set);
        if self.nodes.len() == self.nodes.capacity() {
            let waiting = self.open.len() + self.next.len();
            let bytes = 24 * self.kept.len() + 40 * self.nodes.len() + 28 * waiting;
            self.claim.grow_to(2 * bytes as u64 + 1024, self.what)?;
        }
        if self.nodes.len() >= u32::MAX as usize / 2 {
            return Err(OverBudget::new(self.what, Limit::Memory).into());
        }
        self.nodes.push(node);
        Ok(self.nodes.len() as u32 - 1)
    }

    /// Finds what comes after a pair. Answers with the arc that makes a lacking word, if there is one.
    fn follow(&mut self, place: u32) -> Result<Option<u32>, Error> {
        let node = self.nodes[place as usize];
        let mut arcs = std::mem::take(&mut self.arcs);
        arcs.clear();
        self.left.arcs(node.state, &mut arcs)?;
        for &LeftArc { letter, to, tag } in &arcs {
            let next = Pair {
                state: to,
                set: match letter {
                    None => node.set,
                    Some(letter) => self.subsets.after(node.set, letter)?,
                },
                parent: place,
                tag,
            };
            if letter.is_none() {
                self.open.push_back(next);
                continue;
            }
            if self.left.accepts(to) && !self.subsets.accepts(next.set) {
                return Ok(Some(tag));
            }
            if self.is_new(next) && self.in_next.insert((next.state, next.set)) {
                self.next.push_back(next);
            }
        }
        self.arcs = arcs;
        Ok(None)
    }

    /// The arcs to a pair, and one more.
    fn way(&self, place: u32, last: u32) -> Vec<(u32, u32)> {
        let mut back = vec![(self.nodes[place as usize].state, last)];
        let mut at = place;
        while at != 0 {
            let node = self.nodes[at as usize];
            at = node.parent;
            back.push((self.nodes[at as usize].state, node.tag));
        }
        back.reverse();
        back
    }
}
