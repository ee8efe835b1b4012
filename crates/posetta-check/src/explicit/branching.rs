//! CTL over all cuts: one sweep, largest first.
//!
//! The truth of every subformula at a cut follows from the state there and from the truth at its successors, which are
//! one level up. Taking events away from the cuts of one level gives the cuts of the level below, and meets every step
//! of the graph exactly once; on the way the successors' truths are joined by "or" and by "and". So a sweep keeps two
//! levels. Only to show a path are all levels kept, in a second sweep.

use dashu_int::UBig;

use crate::cuts::{Counts, CutSearch, Decided, Wanted, shown};
use crate::program::{Node, Place, Program};
use crate::show::{Graph, Truth};
use crate::valuation::CutAtoms;
use posetta_base::{Budget, EventId, Limit, OverBudget, PackedSet, ProcessId};
use posetta_logic::eval::Notes;
use posetta_logic::{CtlBinary, CtlUnary, Path};
use posetta_trace::Lattice;

const WHAT: &str = "sweeping over the cuts";

/// Decides the formula at the empty cut. `None` if there are more than `most` cuts.
pub(crate) fn decide(
    search: CutSearch<'_>,
    wanted: &Wanted<'_>,
    most: u64,
    notes: &mut Notes,
    explored: &mut u64,
) -> Result<Option<Decided>, OverBudget> {
    let CutSearch { trace, bound, program, budget, .. } = search;
    let lattice = Lattice::new(trace, budget)?;
    let atoms = CutAtoms::new(trace, bound, notes, budget)?;
    let mut sweep = Sweep { lattice: &lattice, atoms: &atoms, program, most, notes, explored, budget };
    match lattice.packing().words() {
        1 => sweep.decide::<1>(wanted),
        2 => sweep.decide::<2>(wanted),
        _ => sweep.decide::<0>(wanted),
    }
}

/// The truth of every subformula at a cut, one bit each. `any` and `all` join the successors' truths; without successors `any`
/// is all zeros and `all` is all ones, which are exactly the rules for the full cut but for `full`.
fn evaluate(program: &Program, atoms: &[bool], any: &[u64], all: &[u64], full: bool, truth: &mut [u64]) {
    truth.fill(0);
    for (place, node) in program.nodes().iter().enumerate() {
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
            Node::Implies(f, g) => !of(f) || of(g),
            Node::Iff(f, g) => of(f) == of(g),
            Node::Unary(path, CtlUnary::Next, f) => next(*path, *f),
            Node::Unary(path, CtlUnary::Finally, f) => of(f) || later(*path, true),
            Node::Unary(path, CtlUnary::Globally, f) => of(f) && later(*path, false),
            Node::Binary(path, CtlBinary::Until, f, g) => of(g) || of(f) && later(*path, true),
            Node::Binary(path, CtlBinary::WeakUntil, f, g) => of(g) || of(f) && later(*path, false),
            Node::Binary(path, CtlBinary::Release, f, g) => of(g) && (of(f) || later(*path, false)),
        };
        truth[place / 64] |= u64::from(value) << (place % 64);
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

struct Sweep<'s, 't> {
    lattice: &'s Lattice<'t>,
    atoms: &'s CutAtoms<'t>,
    program: &'s Program,
    most: u64,
    notes: &'s mut Notes,
    explored: &'s mut u64,
    budget: &'s Budget,
}

/// What a sweep found.
struct Swept {
    /// The truth of every subformula at the empty cut.
    empty: Vec<u64>,
    /// How many cuts there are.
    cuts: u64,
    /// At how many of them each subformula holds, if that was wanted.
    counts: Vec<u64>,
}

impl Sweep<'_, '_> {
    fn decide<const S: usize>(&mut self, wanted: &Wanted<'_>) -> Result<Option<Decided>, OverBudget> {
        let Some(swept) = self.sweep::<S>(wanted.counts, None)? else { return Ok(None) };
        let root = self.program.root();
        let holds = bit(&swept.empty, root);
        let of = |counts: &[u64]| counts.iter().map(|&n| UBig::from(n)).collect();
        let counts = wanted.counts.then(|| Counts { all: swept.cuts.into(), of: of(&swept.counts) });
        let mut decided = Decided { holds, proof: None, counts, stopped: None };
        if !(wanted.proof)(holds) {
            return Ok(Some(decided));
        }
        // Many proofs do not leave the empty cut.
        let mut levels: Vec<Level<S>> = Vec::new();
        let trace = self.lattice.trace();
        if !stays(self.program, root, &swept.empty) {
            match self.sweep(false, Some(&mut levels)) {
                Ok(_) => levels.reverse(),
                // Decided is decided: only the proof was asked for in addition.
                Err(over) if holds => {
                    decided.stopped = Some(over);
                    return Ok(Some(decided));
                }
                Err(over) => return Err(over),
            }
        } else {
            let mut only = Level::new(self.lattice.packing().words());
            only.cuts.insert(&vec![0; self.lattice.packing().words()]);
            only.truth = swept.empty;
            levels.push(only);
        }
        let mut truth =
            Levels { lattice: self.lattice, words: truth_words(self.program), levels: &levels, budget: self.budget };
        let with_proof = shown(trace, self.program, wanted, &mut truth, self.budget)?;
        decided.proof = with_proof.proof;
        decided.stopped = with_proof.stopped;
        Ok(Some(decided))
    }

    /// Visits every cut. With `keep`, every level is kept, the full cut's first. `None` if there are too many cuts.
    fn sweep<const S: usize>(
        &mut self,
        count: bool,
        mut keep: Option<&mut Vec<Level<S>>>,
    ) -> Result<Option<Swept>, OverBudget> {
        let (cut_words, truth_words) = (self.lattice.packing().words(), truth_words(self.program));
        let mut counts = vec![0; if count { self.program.len() } else { 0 }];
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
        evaluate(
            self.program,
            &scratch.truth,
            &vec![0; truth_words],
            &vec![u64::MAX; truth_words],
            true,
            &mut level.truth,
        );
        let mut visited = 1;
        *self.explored = (*self.explored).max(visited);
        if count {
            level_counts(&level, truth_words, &mut counts);
        }
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
                            return Err(OverBudget::new(WHAT, Limit::Memory));
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
                evaluate(self.program, &scratch.truth, any, all, false, &mut below.truth[at]);
            }
            if count {
                level_counts(&below, truth_words, &mut counts);
            }
            visited += below.cuts.len() as u64;
            // A second visit, for the proof, is not another cut.
            *self.explored = (*self.explored).max(visited);
            self.budget.step(below.cuts.len() as u64, WHAT)?;
            if visited > self.most {
                return Ok(None);
            }
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
        Ok(Some(Swept { empty, cuts: visited, counts }))
    }
}

fn level_counts<const S: usize>(level: &Level<S>, truth_words: usize, counts: &mut [u64]) {
    for truth in level.truth.chunks_exact(truth_words) {
        for (place, count) in counts.iter_mut().enumerate() {
            *count += u64::from(bit(truth, place as Place));
        }
    }
}

/// Words per cut for the truth of all subformulas.
fn truth_words(program: &Program) -> usize {
    program.len().div_ceil(64)
}

struct AtomScratch {
    truth: Vec<bool>,
    values: Vec<Option<posetta_base::ValueId>>,
}

/// Whether the empty cut, whose truth this is, shows everything that can be shown.
fn stays(program: &Program, place: Place, truth: &[u64]) -> bool {
    let value = bit(truth, place);
    let stays = |place: Place| stays(program, place, truth);
    match program.node(place) {
        Node::Unary(path, ..) | Node::Binary(path, ..) if (*path == Path::Some) != value => true,
        Node::Unary(_, CtlUnary::Next, _) => false,
        Node::Unary(_, op, f) => {
            let seeks = (*op == CtlUnary::Finally) == value;
            seeks && bit(truth, *f) == value && stays(*f)
        }
        Node::Binary(_, op, f, g) => {
            let goal = if (*op == CtlBinary::Release) == value { *f } else { *g };
            bit(truth, goal) == value && stays(goal)
        }
        node => node.operands().into_iter().all(stays),
    }
}

/// All levels of a sweep, by number of events.
struct Levels<'l, 't, const S: usize> {
    lattice: &'l Lattice<'t>,
    words: usize,
    levels: &'l [Level<S>],
    budget: &'l Budget,
}

impl Graph for Lattice<'_> {
    fn layers(&self) -> usize {
        self.width()
    }

    fn len(&self, layer: usize) -> u32 {
        self.trace().chain(ProcessId::from_raw(layer as u32)).len() as u32
    }

    fn event(&self, layer: usize, count: u32) -> EventId {
        self.trace().chain(ProcessId::from_raw(layer as u32))[count as usize]
    }

    fn can_step(&self, cut: &[u32], layer: usize) -> bool {
        let mut packed = vec![0; self.packing().words()];
        self.packing().pack(cut, &mut packed);
        self.next(&packed, layer).is_some()
    }
}

impl<const S: usize> Truth for Levels<'_, '_, S> {
    fn cuts(&self) -> &dyn Graph {
        self.lattice
    }

    fn holds(&self, place: Place, cut: &[u32]) -> bool {
        let packing = self.lattice.packing();
        let mut packed = vec![0; packing.words()];
        packing.pack(cut, &mut packed);
        let level = &self.levels[cut.iter().map(|&count| count as usize).sum::<usize>()];
        let at = level.cuts.find(&packed).expect("a step leads from a cut to a cut") as usize;
        bit(&level.truth[at * self.words..][..self.words], place)
    }

    fn nearest(&mut self, place: Place, value: bool, cut: &[u32]) -> Result<Option<Vec<u32>>, OverBudget> {
        let packing = self.lattice.packing();
        let from = cut.iter().map(|&count| count as usize).sum::<usize>();
        for level in &self.levels[from..] {
            self.budget.step(0, WHAT)?;
            for (i, truth) in level.truth.chunks_exact(self.words).enumerate() {
                let row = level.cuts.row(i as u32);
                if bit(truth, place) == value && (0..cut.len()).all(|p| packing.count(row, p) >= cut[p]) {
                    return Ok(Some(packing.unpack(row).0));
                }
            }
        }
        Ok(None)
    }
}
