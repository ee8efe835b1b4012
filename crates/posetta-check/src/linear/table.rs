//! All modes of a machine at once: trimmed, merged, and small enough to be shared between threads.
//!
//! The machine is explored under every class of events, whatever their order in the trace. Modes from which no accepting
//! one can be reached are dropped, so that a run that enters one dies at once; modes that agree in acceptance and in the modes
//! they lead to are merged (bisimilarity, Kanellakis and Smolka 1990; by [`refine`]). Nothing is made deterministic:
//! self-loops are what the search lives on.

use rustc_hash::FxHashMap;

use super::modes::{Modes, Moves};
use crate::classes::{Classes, INERT};
use crate::machine::{Machine, Mode};
use posetta_automata::{refine, sign_set};
use posetta_base::{Budget, Claim, Limit, OverBudget};
use posetta_compile::Automaton;
use posetta_logic::View;
use posetta_logic::eval::Notes;

/// A machine with more steps than this is followed on demand instead.
const MOST_STEPS: usize = 1 << 17;

/// The same for one whose steps cost next to nothing; past [`MOST_STEPS`] its modes are not merged.
const MOST_LISTED: usize = 1 << 22;

const WHAT: &str = "building the automaton of the property";

/// Every mode with its moves.
#[derive(Debug)]
pub(crate) struct Table {
    classes: usize,
    /// Whether some event is [`INERT`].
    inert: bool,
    starts: Vec<Mode>,
    accepts: Vec<bool>,
    /// For each mode and class.
    moves: Vec<Moves>,
    targets: Vec<Mode>,
    /// Modes that no class leads out of.
    sinks: Vec<bool>,
    _claim: Option<Claim>,
}

/// The modes of a machine before they are merged.
struct Explored {
    /// For each mode and class, where the modes after it end in `targets`.
    ends: Vec<u32>,
    targets: Vec<Mode>,
    /// For each mode and class, whether a division by zero was met.
    divides: Vec<bool>,
    accepts: Vec<bool>,
    starts: Vec<Mode>,
    classes: usize,
    inert: bool,
    claim: Claim,
}

impl Table {
    /// The table of a machine; `None` if it would be too large. Classes are those of the trace; [`INERT`] is left out
    /// unless some event is of it.
    pub(crate) fn new<A: Automaton>(
        machine: &mut Machine<'_, A>,
        classes: &Classes,
        view: View,
        budget: &Budget,
    ) -> Result<Option<Self>, OverBudget> {
        let Some(mut explored) = Explored::new(machine, classes, budget)? else { return Ok(None) };
        explored.trim();
        let free = if view == View::Events { explored.free_starts() } else { Vec::new() };
        let mut block = match explored.accepts.len() * explored.classes {
            0..=MOST_STEPS => explored.merge(&free, budget)?,
            _ => explored.modes().collect(),
        };
        explored.merge_starts(&free, &mut block);
        let cells = explored.ends.len() + explored.targets.len();
        explored.claim.grow_to((size_of::<Moves>() + 16) as u64 * cells as u64, WHAT)?;
        let table = explored.number(&block);
        Ok(Some(Self { _claim: Some(explored.claim), ..table }))
    }

    /// Whether events of a class change nothing in any mode.
    pub(crate) fn is_no_op(&self, class: u32) -> bool {
        (0..self.accepts.len()).all(|mode| {
            let moves = self.moves[mode * self.classes + class as usize];
            moves.stay && moves.count == 0
        })
    }

    /// How many modes there are.
    pub(crate) fn len(&self) -> usize {
        self.accepts.len()
    }

    /// Whether events of two classes lead from every mode to the same modes, whichever comes first.
    pub(crate) fn commute(&self, one: u32, other: u32) -> bool {
        let (mut forward, mut backward) = (Vec::new(), Vec::new());
        (0..self.len() as Mode).all(|mode| {
            self.after_both(mode, one, other, &mut forward);
            self.after_both(mode, other, one, &mut backward);
            forward == backward
        })
    }

    fn after_both(&self, mode: Mode, first: u32, second: u32, after: &mut Vec<Mode>) {
        after.clear();
        for between in self.after(mode, first) {
            after.extend(self.after(between, second));
        }
        after.sort_unstable();
        after.dedup();
    }

    fn after(&self, mode: Mode, class: u32) -> impl Iterator<Item = Mode> {
        let moves = self.moves[mode as usize * self.classes + class as usize];
        let others = &self.targets[moves.first as usize..][..moves.count as usize];
        moves.stay.then_some(mode).into_iter().chain(others.iter().copied())
    }
}

impl Modes for &Table {
    fn starts(&self) -> &[Mode] {
        &self.starts
    }

    #[inline]
    fn accepts(&self, mode: Mode) -> bool {
        self.accepts[mode as usize]
    }

    #[inline]
    fn is_sink(&self, mode: Mode) -> bool {
        self.sinks[mode as usize]
    }

    fn accepts_all(&self, mode: Mode) -> bool {
        let moves = &self.moves[mode as usize * self.classes..][..self.classes];
        let never = |class: usize| class == INERT as usize && !self.inert;
        self.accepts(mode) && moves.iter().enumerate().all(|(class, m)| m.stay || never(class))
    }

    #[inline]
    fn moves(&mut self, mode: Mode, class: u32) -> Result<Moves, OverBudget> {
        Ok(self.moves[mode as usize * self.classes + class as usize])
    }

    #[inline]
    fn target(&self, place: u32) -> Mode {
        self.targets[place as usize]
    }

    fn shared(&self) -> Option<&Table> {
        Some(self)
    }

    fn bytes(&self) -> u64 {
        (self.moves.len() * size_of::<Moves>() + 4 * self.targets.len()) as u64
    }
}

impl Explored {
    fn new<A: Automaton>(
        machine: &mut Machine<'_, A>,
        classes: &Classes,
        budget: &Budget,
    ) -> Result<Option<Self>, OverBudget> {
        let (inert, classes) = (classes.has_inert(), classes.len());
        let starts = machine.starts().to_vec();
        let most = if machine.is_listed() { MOST_LISTED } else { MOST_STEPS };
        let (mut ends, mut targets, mut divides) = (Vec::new(), Vec::new(), Vec::new());
        let mut mode = 0;
        let mut claim = budget.claim(0, WHAT)?;
        while (mode as usize) < machine.len() {
            if machine.len().saturating_mul(classes) > most || targets.len() > 4 * most {
                return Ok(None);
            }
            for class in 0..classes as u32 {
                let mut notes = Notes::default();
                if inert || class != INERT {
                    match machine.follow(mode, class, &mut targets, &mut notes, budget) {
                        // Perhaps only where no run leads.
                        Err(OverBudget { limit: Limit::Digits, .. }) => return Ok(None),
                        done => done?,
                    }
                }
                ends.push(targets.len() as u32);
                divides.push(notes.division_by_zero);
            }
            budget.step(0, WHAT)?;
            claim.grow_to(machine.bytes() + 8 * (ends.len() + targets.len()) as u64, WHAT)?;
            mode += 1;
        }
        let accepts = (0..mode).map(|m| machine.accepts(m)).collect();
        Ok(Some(Self { ends, targets, divides, accepts, starts, classes, inert, claim }))
    }

    fn modes(&self) -> std::ops::Range<Mode> {
        0..self.accepts.len() as Mode
    }

    /// For each class, the modes after it.
    fn row(&self, mode: Mode) -> impl Iterator<Item = &[Mode]> {
        let first = mode as usize * self.classes;
        (first..first + self.classes).map(|i| {
            let start = if i == 0 { 0 } else { self.ends[i - 1] };
            &self.targets[start as usize..self.ends[i] as usize]
        })
    }

    /// Drops moves to modes that lead nowhere.
    fn trim(&mut self) {
        let mut before: Vec<Vec<Mode>> = vec![Vec::new(); self.accepts.len()];
        for mode in self.modes() {
            for &target in self.row(mode).flatten() {
                if before[target as usize].last() != Some(&mode) {
                    before[target as usize].push(mode);
                }
            }
        }
        let mut useful = self.accepts.clone();
        let mut open: Vec<Mode> = self.modes().filter(|&m| useful[m as usize]).collect();
        while let Some(mode) = open.pop() {
            for &b in &before[mode as usize] {
                if !useful[b as usize] {
                    useful[b as usize] = true;
                    open.push(b);
                }
            }
        }
        let (mut kept, mut start) = (0, 0);
        for end in &mut self.ends {
            for i in start..*end as usize {
                let target = self.targets[i];
                if useful[target as usize] {
                    self.targets[kept] = target;
                    kept += 1;
                }
            }
            start = *end as usize;
            *end = kept as u32;
        }
        self.targets.truncate(kept);
        self.starts.retain(|&start| useful[start as usize]);
    }

    /// The starts that are never entered again. Over events nobody asks whether they accept: the trace has events, and if all
    /// of them are left out, they are so because they change nothing in the mode that such a start becomes one with.
    fn free_starts(&self) -> Vec<Mode> {
        let entered = self.entered();
        self.starts.iter().copied().filter(|&s| !entered[s as usize]).collect()
    }

    fn entered(&self) -> Vec<bool> {
        let mut entered = vec![false; self.accepts.len()];
        self.targets.iter().for_each(|&t| entered[t as usize] = true);
        entered
    }

    /// The block of each mode; `free` starts are apart from all others.
    fn merge(&self, free: &[Mode], budget: &Budget) -> Result<Vec<u32>, OverBudget> {
        let mut numbers: Vec<u32> = self.accepts.iter().map(|&a| u32::from(a)).collect();
        free.iter().for_each(|&s| numbers[s as usize] = 2);
        let sign = |mode: Mode, block: &[u32], signature: &mut Vec<u32>| self.sign(mode, block, signature);
        let targets = |mode: Mode, all: &mut Vec<Mode>| self.row(mode).for_each(|after| all.extend_from_slice(after));
        Ok(refine(numbers.into_iter(), sign, targets, WHAT, budget)?.0)
    }

    /// Puts each free start into the block of a mode that leads to the same blocks, if there is one.
    fn merge_starts(&self, free: &[Mode], block: &mut [u32]) {
        let entered = self.entered();
        for &start in free {
            let of = |mode: Mode| {
                let mut signature = Vec::new();
                self.sign(mode, block, &mut signature);
                signature
            };
            let own = of(start);
            let twin = self.modes().find(|&m| m != start && entered[m as usize] && of(m) == own);
            if let Some(twin) = twin {
                block[start as usize] = block[twin as usize];
            }
        }
    }

    /// The blocks after each class.
    fn sign(&self, mode: Mode, block: &[u32], signature: &mut Vec<u32>) {
        for targets in self.row(mode) {
            sign_set(targets.iter().map(|&t| block[t as usize]), signature);
        }
    }

    /// The table of the blocks that can be reached, numbered as a search from the starts meets them.
    fn number(&self, block: &[u32]) -> Table {
        let mut ids: FxHashMap<u32, Mode> = FxHashMap::default();
        let mut examples: Vec<Mode> = Vec::new();
        // A start without a twin that is entered keeps its own acceptance; one with a twin has the twin's.
        let mut example_of: FxHashMap<u32, Mode> = FxHashMap::default();
        let entered = self.entered();
        for mode in self.modes() {
            let seen = example_of.entry(block[mode as usize]).or_insert(mode);
            if !entered[*seen as usize] && entered[mode as usize] {
                *seen = mode;
            }
        }
        let mut id_of = |mode: Mode, examples: &mut Vec<Mode>| {
            let fresh = examples.len() as Mode;
            *ids.entry(block[mode as usize]).or_insert_with(|| {
                examples.push(example_of[&block[mode as usize]]);
                fresh
            })
        };
        let mut table = Table {
            classes: self.classes,
            inert: self.inert,
            starts: Vec::new(),
            accepts: Vec::new(),
            moves: Vec::new(),
            targets: Vec::new(),
            sinks: Vec::new(),
            _claim: None,
        };
        table.starts = self.starts.iter().map(|&s| id_of(s, &mut examples)).collect();
        table.starts.sort_unstable();
        table.starts.dedup();
        let mut mode = 0;
        while let Some(&example) = examples.get(mode as usize) {
            let mut sink = true;
            for (class, targets) in self.row(example).enumerate() {
                let first = table.targets.len();
                table.targets.extend(targets.iter().map(|&t| id_of(t, &mut examples)));
                let mut own: Vec<Mode> = table.targets.split_off(first);
                own.sort_unstable();
                own.dedup();
                let stay = own.binary_search(&mode).is_ok();
                own.retain(|&t| t != mode);
                sink &= own.is_empty();
                let divides = self.divides[example as usize * self.classes + class];
                table.moves.push(Moves { stay, divides, first: first as u32, count: own.len() as u32 });
                table.targets.append(&mut own);
            }
            table.accepts.push(self.accepts[example as usize]);
            table.sinks.push(sink);
            mode += 1;
        }
        table
    }
}
