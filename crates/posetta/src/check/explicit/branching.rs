//! CTL over all cuts: one sweep, largest first.
//!
//! The truth of every subformula at a cut follows from the state there and from the truth at its successors, which are
//! one level up. Taking events away from the cuts of one level gives the cuts of the level below, and meets every step
//! of the graph exactly once; on the way the successors' truths are joined by "or" and by "and". So a sweep keeps two
//! levels. Only to show a path are all levels kept, in a second sweep.

use super::super::valuation::CutAtoms;
use crate::base::{Budget, EventId, Limit, OverBudget, PackedSet};
use crate::logic::eval::Notes;
use crate::logic::{AtomId, Bound, Ctl, CtlBinary, CtlUnary, Path};
use crate::trace::{Lattice, Trace};

const WHAT: &str = "sweeping over the cuts";

/// What the sweep decided.
#[derive(Debug)]
pub(in crate::check) struct Decided {
    /// Whether the formula holds at the empty cut.
    pub(in crate::check) holds: bool,
    /// A path from the empty cut that shows why, as far as one path can.
    pub(in crate::check) path: Option<Vec<EventId>>,
    /// The limit that left out the path of a formula that holds. A violation without its path is not reported as one.
    pub(in crate::check) stopped: Option<OverBudget>,
}

/// Decides the formula at the empty cut. `want_path` says, given the answer, whether a path is wanted.
pub(in crate::check) fn decide(
    trace: &Trace,
    bound: &Bound<Ctl<AtomId>>,
    want_path: impl Fn(bool) -> bool,
    notes: &mut Notes,
    explored: &mut u64,
    budget: &Budget,
) -> Result<Decided, OverBudget> {
    let lattice = Lattice::new(trace, budget)?;
    let atoms = CutAtoms::new(trace, bound, notes, budget)?;
    let program = Program::new(&bound.formula);
    let mut sweep = SweepArguments { lattice: &lattice, atoms: &atoms, program: &program, notes, explored, budget };
    match lattice.packing().words() {
        1 => sweep.decide::<1>(want_path),
        2 => sweep.decide::<2>(want_path),
        _ => sweep.decide::<0>(want_path),
    }
}

/// A subformula: a place in [`Program::nodes`] and a bit of a cut's truth.
type Place = u32;

#[derive(Clone, Debug)]
enum Node {
    Constant(bool),
    Atom(AtomId),
    Not(Place),
    And(Box<[Place]>),
    Or(Box<[Place]>),
    Iff(Place, Place),
    Next(Path, Place),
    Finally(Path, Place),
    Globally(Path, Place),
    Binary(Path, CtlBinary, Place, Place),
}

/// The subformulas, operands first; the last one is the formula.
#[derive(Debug)]
struct Program {
    nodes: Vec<Node>,
}

impl Program {
    fn new(formula: &Ctl<AtomId>) -> Self {
        let mut program = Self { nodes: Vec::new() };
        program.add(formula);
        program
    }

    fn push(&mut self, node: Node) -> Place {
        self.nodes.push(node);
        self.nodes.len() as Place - 1
    }

    fn add(&mut self, formula: &Ctl<AtomId>) -> Place {
        let node = match formula {
            Ctl::True => Node::Constant(true),
            Ctl::False => Node::Constant(false),
            Ctl::Atom(atom) => Node::Atom(*atom),
            Ctl::Not(f) => Node::Not(self.add(f)),
            Ctl::And(fs) => Node::And(fs.iter().map(|f| self.add(f)).collect()),
            Ctl::Or(fs) => Node::Or(fs.iter().map(|f| self.add(f)).collect()),
            Ctl::Implies(a, b) => {
                let a = self.add(a);
                let not_a = self.push(Node::Not(a));
                Node::Or([not_a, self.add(b)].into())
            }
            Ctl::Iff(a, b) => Node::Iff(self.add(a), self.add(b)),
            Ctl::Unary(path, CtlUnary::Next, f) => Node::Next(*path, self.add(f)),
            Ctl::Unary(path, CtlUnary::Finally, f) => Node::Finally(*path, self.add(f)),
            Ctl::Unary(path, CtlUnary::Globally, f) => Node::Globally(*path, self.add(f)),
            Ctl::Binary(path, op, f, g) => Node::Binary(*path, *op, self.add(f), self.add(g)),
        };
        self.push(node)
    }

    fn root(&self) -> Place {
        self.nodes.len() as Place - 1
    }

    /// Words per cut for the truth of all subformulas.
    fn words(&self) -> usize {
        self.nodes.len().div_ceil(64)
    }

    /// The truth of every subformula at a cut. `any` and `all` join the successors' truths; without successors `any` is
    /// all zeros and `all` is all ones, which are exactly the rules for the full cut but for `full`.
    fn evaluate(&self, atoms: &[bool], any: &[u64], all: &[u64], full: bool, truth: &mut [u64]) {
        truth.fill(0);
        for (place, node) in self.nodes.iter().enumerate() {
            let of = |p: &Place| bit(truth, *p);
            let own = place as Place;
            let next = |path: Path, p: Place| match path {
                Path::Some => bit(any, p),
                Path::All => bit(all, p),
            };
            // A path that must get somewhere cannot stop; one that need not may.
            let later = |path: Path, must: bool| match (full, must) {
                (true, must) => !must,
                (false, _) => next(path, own),
            };
            let value = match node {
                Node::Constant(value) => *value,
                Node::Atom(atom) => atoms[atom.0 as usize],
                Node::Not(f) => !of(f),
                Node::And(fs) => fs.iter().all(of),
                Node::Or(fs) => fs.iter().any(of),
                Node::Iff(f, g) => of(f) == of(g),
                Node::Next(path, f) => next(*path, *f),
                Node::Finally(path, f) => of(f) || later(*path, true),
                Node::Globally(path, f) => of(f) && later(*path, false),
                Node::Binary(path, CtlBinary::Until, f, g) => of(g) || of(f) && later(*path, true),
                Node::Binary(path, CtlBinary::WeakUntil, f, g) => of(g) || of(f) && later(*path, false),
                Node::Binary(path, CtlBinary::Release, f, g) => of(g) && (of(f) || later(*path, false)),
            };
            truth[place / 64] |= u64::from(value) << (place % 64);
        }
    }
}

#[inline]
fn bit(words: &[u64], place: Place) -> bool {
    words[place as usize / 64] >> (place % 64) & 1 == 1
}

/// The cuts of one level and the truth of all subformulas at each.
struct Level<const S: usize> {
    cuts: PackedSet<S>,
    truth: Vec<u64>,
}

impl<const S: usize> Level<S> {
    fn new(words: usize) -> Self {
        Self { cuts: PackedSet::new(words), truth: Vec::new() }
    }

    fn bytes(&self) -> u64 {
        self.cuts.bytes() + 8 * self.truth.capacity() as u64
    }
}

struct SweepArguments<'s, 't> {
    lattice: &'s Lattice<'t>,
    atoms: &'s CutAtoms<'t>,
    program: &'s Program,
    notes: &'s mut Notes,
    explored: &'s mut u64,
    budget: &'s Budget,
}

impl SweepArguments<'_, '_> {
    fn decide<const S: usize>(&mut self, want_path: impl Fn(bool) -> bool) -> Result<Decided, OverBudget> {
        let empty = self.sweep::<S>(None)?;
        let root = self.program.root();
        let holds = bit(&empty, root);
        if !want_path(holds) {
            return Ok(Decided { holds, path: None, stopped: None });
        }
        let mut levels = Vec::new();
        let first_step = Walk::<S> { arguments: self, levels: &levels, path: Vec::new() }.stays(root, &empty);
        if !first_step {
            match self.sweep(Some(&mut levels)) {
                Ok(_) => levels.reverse(),
                // Decided is decided: only the path was asked for in addition.
                Err(over) if holds => return Ok(Decided { holds, path: None, stopped: Some(over) }),
                Err(over) => return Err(over),
            }
        }
        let mut walk = Walk { arguments: self, levels: &levels, path: Vec::new() };
        walk.show(root, empty)?;
        Ok(Decided { holds, path: Some(walk.path), stopped: None })
    }

    /// The truth at the empty cut. With `keep`, every level is kept, the full cut's first.
    fn sweep<const S: usize>(&mut self, mut keep: Option<&mut Vec<Level<S>>>) -> Result<Vec<u64>, OverBudget> {
        let (cut_words, truth_words) = (self.lattice.packing().words(), self.program.words());
        let mut claim = self.budget.claim(0, WHAT)?;
        let mut kept_bytes = 0;
        let (mut level, mut below) = (Level::<S>::new(cut_words), Level::<S>::new(cut_words));
        // Joins of the successors' truths, for the level below.
        let (mut any, mut all): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        let mut scratch = AtomScratch { truth: vec![false; self.atoms.len()], values: self.atoms.scratch() };
        let full = self.lattice.full();
        level.cuts.insert(&full);
        self.atoms.evaluate(self.lattice.packing(), &full, &mut scratch.truth, &mut scratch.values, self.notes)?;
        level.truth = vec![0; truth_words];
        self.program.evaluate(
            &scratch.truth,
            &vec![0; truth_words],
            &vec![u64::MAX; truth_words],
            true,
            &mut level.truth,
        );
        *self.explored += 1;
        let mut cut = vec![0u64; cut_words];
        for _ in 0..self.lattice.trace().len() {
            any.clear();
            all.clear();
            let mut look_at = 0;
            for i in 0..level.cuts.len() as u32 {
                if i.is_multiple_of(1024) {
                    self.budget.step(0, WHAT)?;
                }
                cut.copy_from_slice(level.cuts.row(i));
                let truth = &level.truth[i as usize * truth_words..][..truth_words];
                for process in 0..self.lattice.width() {
                    // By what was added, not by what was read: one cut of a wide run has thousands of long predecessors.
                    if below.cuts.len() >= look_at {
                        self.budget.step(0, WHAT)?;
                        let joins = 8 * (any.capacity() + all.capacity()) as u64;
                        claim.grow_to(kept_bytes + level.bytes() + below.bytes() + joins, WHAT)?;
                        if below.cuts.is_full() {
                            return Err(OverBudget { what: WHAT, limit: Limit::Memory });
                        }
                        look_at = below.cuts.len() + below.cuts.rows_between_looks();
                    }
                    if self.lattice.last(&cut, process).is_none() {
                        continue;
                    }
                    self.lattice.packing().remove(&mut cut, process);
                    let (at, new) = below.cuts.insert(&cut);
                    self.lattice.packing().add(&mut cut, process);
                    if new {
                        any.extend_from_slice(truth);
                        all.extend_from_slice(truth);
                    } else {
                        let at = at as usize * truth_words;
                        for w in 0..truth_words {
                            any[at + w] |= truth[w];
                            all[at + w] &= truth[w];
                        }
                    }
                }
            }
            below.truth.resize(below.cuts.len() * truth_words, 0);
            for i in 0..below.cuts.len() {
                if i % 1024 == 0 {
                    self.budget.step(0, WHAT)?;
                }
                let row = below.cuts.row(i as u32);
                self.atoms.evaluate(
                    self.lattice.packing(),
                    row,
                    &mut scratch.truth,
                    &mut scratch.values,
                    self.notes,
                )?;
                let at = i * truth_words..(i + 1) * truth_words;
                let (any, all) = (&any[at.clone()], &all[at.clone()]);
                self.program.evaluate(&scratch.truth, any, all, false, &mut below.truth[at]);
            }
            *self.explored += below.cuts.len() as u64;
            self.budget.step(below.cuts.len() as u64, WHAT)?;
            std::mem::swap(&mut level, &mut below);
            match &mut keep {
                Some(levels) => {
                    kept_bytes += below.bytes();
                    levels.push(std::mem::replace(&mut below, Level::new(cut_words)));
                }
                None => {
                    below.cuts.clear();
                    below.truth.clear();
                }
            }
        }
        let empty = level.truth.clone();
        if let Some(levels) = keep {
            levels.push(level);
        }
        Ok(empty)
    }
}

struct AtomScratch {
    truth: Vec<bool>,
    values: Vec<Option<crate::base::ValueId>>,
}

/// Follows the path that shows why a subformula has its value.
struct Walk<'w, 's, 't, const S: usize> {
    arguments: &'w SweepArguments<'s, 't>,
    /// By number of events; empty if no step will be taken.
    levels: &'w [Level<S>],
    path: Vec<EventId>,
}

/// What to do next to show a value.
enum Move {
    /// Show that this operand has its value, here.
    Here(Place),
    /// Go to a successor where this subformula has the same value, and show it there.
    On(Place),
    /// One path shows no more.
    Stop,
}

impl<const S: usize> Walk<'_, '_, '_, S> {
    /// How a value of a subformula is shown at a cut with this truth.
    fn next_move(&self, place: Place, truth: &[u64], full: bool) -> Move {
        let nodes = &self.arguments.program.nodes;
        let value = bit(truth, place);
        let temporal = |parts: &[Place]| parts.iter().copied().find(|&p| self.is_temporal(p));
        match &nodes[place as usize] {
            Node::Constant(_) | Node::Atom(_) => Move::Stop,
            Node::Not(f) => Move::Here(*f),
            Node::And(fs) if !value => fs.iter().copied().find(|&f| !bit(truth, f)).map_or(Move::Stop, Move::Here),
            Node::Or(fs) if value => fs.iter().copied().find(|&f| bit(truth, f)).map_or(Move::Stop, Move::Here),
            Node::And(fs) | Node::Or(fs) => temporal(fs).map_or(Move::Stop, Move::Here),
            Node::Iff(f, g) => temporal(&[*f, *g]).map_or(Move::Stop, Move::Here),
            // Every path would be needed.
            Node::Next(path, _) | Node::Finally(path, _) | Node::Globally(path, _) | Node::Binary(path, ..)
                if (*path == Path::Some) != value =>
            {
                Move::Stop
            }
            Node::Next(_, f) if !full => Move::On(*f),
            Node::Next(..) => Move::Stop,
            Node::Finally(_, f) | Node::Globally(_, f) => {
                // EF true and AG false look for one cut; EG true and AF false go to the end.
                let seeks = matches!(nodes[place as usize], Node::Finally(..)) == value;
                if seeks && bit(truth, *f) == value {
                    Move::Here(*f)
                } else if full {
                    Move::Stop
                } else {
                    Move::On(place)
                }
            }
            Node::Binary(_, op, f, g) => {
                let (f_true, g_true) = (bit(truth, *f), bit(truth, *g));
                let decided = match (op, value) {
                    (CtlBinary::Until | CtlBinary::WeakUntil, true) => g_true.then_some(*g),
                    (CtlBinary::Until | CtlBinary::WeakUntil, false) => (!f_true).then_some(*f),
                    (CtlBinary::Release, true) => f_true.then_some(*f),
                    (CtlBinary::Release, false) => (!g_true).then_some(*g),
                };
                match decided {
                    Some(operand) => Move::Here(operand),
                    None if full => Move::Stop,
                    None => Move::On(place),
                }
            }
        }
    }

    fn is_temporal(&self, place: Place) -> bool {
        match &self.arguments.program.nodes[place as usize] {
            Node::Constant(_) | Node::Atom(_) => false,
            Node::Not(f) => self.is_temporal(*f),
            Node::And(fs) | Node::Or(fs) => fs.iter().any(|&f| self.is_temporal(f)),
            Node::Iff(f, g) => self.is_temporal(*f) || self.is_temporal(*g),
            Node::Next(..) | Node::Finally(..) | Node::Globally(..) | Node::Binary(..) => true,
        }
    }

    /// Whether everything is shown at the empty cut, whose truth this is.
    fn stays(&self, mut place: Place, truth: &[u64]) -> bool {
        loop {
            match self.next_move(place, truth, self.arguments.lattice.trace().is_empty()) {
                Move::Here(operand) => place = operand,
                Move::On(_) => return false,
                Move::Stop => return true,
            }
        }
    }

    fn show(&mut self, mut place: Place, mut truth: Vec<u64>) -> Result<(), OverBudget> {
        let lattice = self.arguments.lattice;
        let truth_words = self.arguments.program.words();
        let mut cut = vec![0u64; lattice.packing().words()];
        loop {
            self.arguments.budget.step(0, WHAT)?;
            let full = self.path.len() == lattice.trace().len();
            match self.next_move(place, &truth, full) {
                Move::Here(operand) => place = operand,
                Move::Stop => return Ok(()),
                Move::On(goal) => {
                    // `X f` looks for a successor with its own value at f, the others for one with theirs.
                    let value = bit(&truth, place);
                    let above = &self.levels[self.path.len() + 1];
                    let step = (0..lattice.width()).find_map(|process| {
                        let event = lattice.next(&cut, process)?;
                        let mut successor = cut.clone();
                        lattice.packing().add(&mut successor, process);
                        let at = above.cuts.find(&successor)? as usize * truth_words;
                        let there = &above.truth[at..at + truth_words];
                        (bit(there, goal) == value).then(|| (event, successor, there.to_vec()))
                    });
                    let (event, successor, there) =
                        step.expect("a value that one path can show is passed on to some successor");
                    self.path.push(event);
                    cut = successor;
                    truth = there;
                    place = goal;
                }
            }
        }
    }
}
