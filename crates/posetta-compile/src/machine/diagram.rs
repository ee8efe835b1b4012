//! A machine with a decision diagram for each state: where there are too many letters to list.

use rustc_hash::FxHashMap;

use super::listed::closed;
use super::situation::{Core, Situation};
use super::supply::Supply;
use super::tableau::Tableau;
use super::{Answers, Completions, Prospect};
use crate::linear::Linear;
use crate::residual::{Cache, DnfId, Horizon, Symbolic};
use posetta_automata::StateId;
use posetta_base::{Budget, OverBudget};
use posetta_dd::mtbdd::{Function, Mtbdd};
use posetta_logic::{Memory, View};

const WHAT: &str = "building the monitor of the property";

/// With more states, or more nodes, the machine is not held whole.
const MOST_STATES: usize = 1 << 14;
const MOST_NODES: usize = 1 << 17;

/// A machine as decision diagrams over the atoms; their numbers are states.
#[derive(Debug)]
pub struct Diagram {
    dd: Mtbdd,
    /// For each state what follows it; one past the last state where nothing can come.
    rows: Vec<Function>,
    answers: Vec<Answers>,
    exact: bool,
}

impl Diagram {
    /// The machine; `None` if it is too large.
    pub(super) fn new(
        property: &Linear,
        supply: &Supply,
        completions: Completions,
        patience: u64,
        budget: &Budget,
    ) -> Result<Option<Self>, OverBudget> {
        let Supply::Diagram(vectors) = supply else { return Ok(None) };
        let mut core = Core::new(property, Horizon::Finite, completions.infinite(), budget)?;
        core.store.limit_work(patience);
        let mut dd = Mtbdd::new(budget)?;
        let care = [vectors.function(true, &mut dd, budget)?, vectors.function(false, &mut dd, budget)?];
        let Some(Explored { keys, rows }) = explore(&mut core, &mut dd, care, budget)? else { return Ok(None) };
        let satisfied: Vec<bool> =
            keys.iter().map(|key| key.as_ref().map_or(core.empty, |s| core.store.holds_at_end(s.plus))).collect();
        let nowhere = keys.len() as u32;
        let mut sources: Vec<Vec<u32>> = vec![Vec::new(); keys.len()];
        for (from, &row) in rows.iter().enumerate() {
            for target in dd.values(row).into_iter().filter(|&t| t != nowhere) {
                sources[target as usize].push(from as u32);
            }
        }
        // The empty word is none of the words of the states view.
        let ends = |state: usize| completions.finite() && (state > 0 || vectors.view() == View::Events);
        let mut can_hold = closed(&sources, (0..keys.len()).map(|s| ends(s) && satisfied[s]).collect());
        let mut can_fail = closed(&sources, (0..keys.len()).map(|s| ends(s) && !satisfied[s]).collect());
        if completions.infinite() {
            let mut tableau = Tableau::new(property, supply, Horizon::Infinite, None, budget)?.with_patience(patience);
            for (state, key) in keys.iter().enumerate() {
                let Some(situation) = key else { continue };
                for (can, rest) in [(&mut can_hold, situation.plus), (&mut can_fail, situation.minus)] {
                    if !can[state] {
                        can[state] = tableau.is_feasible(&core.store, rest, situation, Memory(0), budget)?;
                    }
                }
            }
            let after: Vec<u32> = dd.values(rows[0]).into_iter().filter(|&t| t != nowhere).collect();
            can_hold[0] |= after.iter().any(|&t| can_hold[t as usize]);
            can_fail[0] |= after.iter().any(|&t| can_fail[t as usize]);
        }
        let monitorable = closed(&sources, can_hold.iter().zip(&can_fail).map(|(h, f)| !(*h && *f)).collect());
        let answers = (0..keys.len())
            .map(|state| {
                let prospect = Prospect::of(can_hold[state], can_fail[state]);
                Answers { satisfied: satisfied[state], prospect, monitorable: Some(monitorable[state]) }
            })
            .collect();
        Ok(Some(Self { dd, rows, answers, exact: vectors.exact }))
    }

    /// Whether letters that can come are told from those that cannot.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Never: there is always the start.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The state after a letter; `None` if it cannot come.
    #[must_use]
    pub fn after(&self, state: StateId, letter: &[bool]) -> Option<StateId> {
        let target = self.dd.at(self.rows[state.0 as usize], |atom| letter[atom as usize]);
        ((target as usize) < self.rows.len()).then_some(StateId(target))
    }

    /// The answers in a state.
    #[must_use]
    pub fn answers(&self, state: StateId) -> Answers {
        self.answers[state.0 as usize]
    }

    /// What follows a state.
    #[must_use]
    pub fn row(&self, state: StateId) -> Function {
        self.rows[state.0 as usize]
    }

    /// The diagrams.
    #[must_use]
    pub fn diagrams(&self) -> &Mtbdd {
        &self.dd
    }
}

/// All states, nothing being the start, and what follows each.
struct Explored {
    keys: Vec<Option<Situation>>,
    rows: Vec<Function>,
}

/// All states, breadth first, and what follows each; `None` if there is too much.
fn explore(
    core: &mut Core,
    dd: &mut Mtbdd,
    care: [Function; 2],
    budget: &Budget,
) -> Result<Option<Explored>, OverBudget> {
    let mut cache: Cache<Function> = Cache::default();
    let mut keys: Vec<Option<Situation>> = vec![None];
    let mut ids: FxHashMap<Situation, u32> = FxHashMap::default();
    let mut rows: Vec<Function> = Vec::new();
    while let Some(key) = keys.get(rows.len()).cloned() {
        budget.step(1, WHAT)?;
        if keys.len() > MOST_STATES || dd.len() > MOST_NODES {
            return Ok(None);
        }
        let read = core.read(key.as_ref(), &mut Symbolic(dd), &mut cache, budget)?;
        // What is remembered is gathered list by list.
        let mut memories: Vec<Vec<DnfId>> = vec![Vec::new()];
        let mut memory = Function::constant(0);
        for value in read.memory {
            memory = dd.zip(memory, value, budget, &mut |so_far, residual| {
                let mut longer = memories[so_far as usize].clone();
                longer.push(DnfId(residual));
                memories.push(longer);
                Ok(memories.len() as u32 - 1)
            })?;
        }
        let mut sides: Vec<(u32, u32)> = Vec::new();
        let side = dd.zip(read.plus, read.minus, budget, &mut |plus, minus| {
            sides.push((plus, minus));
            Ok(sides.len() as u32 - 1)
        })?;
        let impossible = u32::MAX >> 1;
        let care = care[usize::from(key.is_some())];
        let side = dd.zip(side, care, budget, &mut |side, can| Ok(if can == 1 { side } else { impossible }))?;
        let row = dd.zip(side, memory, budget, &mut |side, memory| {
            if side == impossible {
                return Ok(impossible);
            }
            let (plus, minus) = sides[side as usize];
            let situation = core.settle(DnfId(plus), DnfId(minus), memories[memory as usize].clone().into());
            let next = keys.len() as u32;
            Ok(*ids.entry(situation).or_insert_with_key(|situation| {
                keys.push(Some(situation.clone()));
                next
            }))
        })?;
        rows.push(row);
        if dd.len() > MOST_NODES {
            return Ok(None);
        }
    }
    let nowhere = keys.len() as u32;
    for row in &mut rows {
        *row = dd.map(*row, budget, &mut |t| Ok(t.min(nowhere)))?;
    }
    Ok(Some(Explored { keys, rows }))
}
