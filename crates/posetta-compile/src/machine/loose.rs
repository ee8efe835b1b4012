//! A machine that is built as far as words go: where it is too large to be held whole.
//!
//! What is left of the property is known exactly, so `satisfied` is. Whether a prefix is determined is searched for within limits, first by
//! what one more letter can settle, then by a [tableau](super::tableau) of bounded size: what is said is right, but it may be said later
//! than it could be.
//!
//! The tables of one *hall* grow with what words bring. Past a size a new one is opened; a word enters it with its next letter, taking
//! along what is left of the property, and the old one goes with the last word that is still in it.

use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::situation::{Core, Situation};
use super::supply::{Supply, Vectors};
use super::tableau::Tableau;
use super::{Answers, Completions, Prospect};
use crate::linear::Linear;
use crate::residual::{Cache, Context, DnfId, Evaluator, Horizon, ResidualReader, Symbolic, Translation};
use posetta_base::{Budget, Limit, OverBudget};
use posetta_dd::mtbdd::{Function, Mtbdd};
use posetta_logic::{Atoms, Memory, View};

/// Bytes that the tables of one hall may take before a new one is opened.
const HALL: u64 = 64 << 20;

/// So many letters, and situations with what one of them leads to, are remembered.
const LETTERS: usize = 1 << 12;
const STEPS: usize = 1 << 16;

/// So many states a search may look at for one answer, and bytes that it may take.
const SEARCH_STATES: usize = 1 << 12;
const SEARCH_BYTES: u64 = 32 << 20;

/// A property that is followed letter by letter.
#[derive(Debug)]
pub struct Loose {
    property: Linear,
    atoms: Atoms,
    view: View,
    completions: Completions,
    empty: bool,
    hall: Arc<Mutex<Hall>>,
}

/// Where a word has led.
#[derive(Clone, Debug)]
pub struct LoosePlace {
    hall: Arc<Mutex<Hall>>,
    /// `None` before the first letter.
    situation: Option<Situation>,
    answers: Answers,
}

impl LoosePlace {
    /// The answers here.
    #[must_use]
    pub fn answers(&self) -> Answers {
        self.answers
    }
}

#[derive(Debug)]
struct Hall {
    core: Core,
    letters: FxHashMap<Box<[bool]>, (u32, Cache<u32>)>,
    steps: FxHashMap<(Option<Situation>, u32), (Situation, Answers)>,
    known: FxHashMap<Situation, Answers>,
    searches: Searches,
    dd: Mtbdd,
    care: Function,
    cache: Cache<Function>,
}

#[derive(Debug)]
struct Searches {
    finite: Option<Tableau>,
    infinite: Option<Tableau>,
    supply: Supply,
}

impl Loose {
    pub(super) fn new(
        property: &Linear,
        atoms: &Atoms,
        view: View,
        completions: Completions,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        let hall = Arc::new(Mutex::new(Hall::new(property, atoms, view, budget)?));
        let (property, atoms, empty) = (property.clone(), atoms.clone(), property.on_empty());
        Ok(Self { property, atoms, view, completions, empty, hall })
    }

    pub(super) fn start(&self) -> LoosePlace {
        let answers = Answers { satisfied: self.empty, prospect: Prospect::Open, monitorable: None };
        LoosePlace { hall: Arc::clone(&self.hall), situation: None, answers }
    }

    pub(super) fn step(
        &mut self,
        place: &LoosePlace,
        letter: &[bool],
        budget: &Budget,
    ) -> Result<LoosePlace, OverBudget> {
        if locked(&self.hall).core.store.bytes() > HALL {
            self.hall = Arc::new(Mutex::new(Hall::new(&self.property, &self.atoms, self.view, budget)?));
        }
        let mut hall = locked(&self.hall);
        let from = match &place.situation {
            Some(situation) if !Arc::ptr_eq(&self.hall, &place.hall) => {
                Some(hall.take_in(&locked(&place.hall), situation, budget)?)
            }
            situation => situation.clone(),
        };
        let (situation, answers) = hall.step(&self.property, from, letter, self.completions, budget)?;
        drop(hall);
        Ok(LoosePlace { hall: Arc::clone(&self.hall), situation: Some(situation), answers })
    }
}

impl Loose {
    /// A place as text.
    pub(super) fn write(&self, place: &LoosePlace, out: &mut String) {
        let Some(situation) = &place.situation else {
            out.push_str(" start");
            return;
        };
        let hall = locked(&place.hall);
        let _ = write!(out, " after {}", situation.memory.len());
        for rest in [situation.plus, situation.minus].iter().chain(&situation.memory) {
            hall.core.store.write(*rest, out);
        }
    }

    /// The place that was written; `None` if it was not.
    pub(super) fn read(
        &mut self,
        reader: &mut ResidualReader<'_>,
        budget: &Budget,
    ) -> Result<Option<LoosePlace>, OverBudget> {
        match reader.word() {
            Some("start") => return Ok(Some(self.start())),
            Some("after") => {}
            _ => return Ok(None),
        }
        let Some(count) = reader.number() else { return Ok(None) };
        let mut hall = locked(&self.hall);
        let mut residuals = Vec::new();
        for _ in 0..u64::from(count) + 2 {
            match reader.residual(&mut hall.core.store, budget)? {
                Some(residual) => residuals.push(residual),
                None => return Ok(None),
            }
        }
        let situation = Situation { plus: residuals[0], minus: residuals[1], memory: residuals[2..].to_vec().into() };
        let answers = hall.answers(&self.property, &situation, self.completions, budget)?;
        drop(hall);
        Ok(Some(LoosePlace { hall: Arc::clone(&self.hall), situation: Some(situation), answers }))
    }
}

/// A panic elsewhere leaves tables that are only ever added to.
fn locked(hall: &Mutex<Hall>) -> MutexGuard<'_, Hall> {
    hall.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hall {
    fn new(property: &Linear, atoms: &Atoms, view: View, budget: &Budget) -> Result<Self, OverBudget> {
        let core = Core::new(property, Horizon::Finite, true, budget)?;
        let supply = Supply::Diagram(Vectors::new(atoms, view, budget)?);
        let mut dd = Mtbdd::new(budget)?;
        let Supply::Diagram(vectors) = &supply else { unreachable!("just made") };
        let care = vectors.function(false, &mut dd, budget)?;
        Ok(Self {
            core,
            letters: FxHashMap::default(),
            steps: FxHashMap::default(),
            known: FxHashMap::default(),
            searches: Searches { finite: None, infinite: None, supply },
            dd,
            care,
            cache: Cache::default(),
        })
    }

    /// What is left of the property, from another hall.
    fn take_in(&mut self, from: &Self, situation: &Situation, budget: &Budget) -> Result<Situation, OverBudget> {
        let mut known = Translation::default();
        let mut bring = |rest: DnfId| self.core.store.import(&from.core.store, rest, &mut known, budget);
        let (plus, minus) = (bring(situation.plus)?, bring(situation.minus)?);
        let memory = situation.memory.iter().map(|&rest| bring(rest)).collect::<Result<_, _>>()?;
        Ok(Situation { plus, minus, memory })
    }

    fn step(
        &mut self,
        property: &Linear,
        from: Option<Situation>,
        letter: &[bool],
        completions: Completions,
        budget: &Budget,
    ) -> Result<(Situation, Answers), OverBudget> {
        if !self.letters.contains_key(letter) {
            if self.letters.len() >= LETTERS {
                self.letters.clear();
                self.steps.clear();
            }
            let next = self.letters.len() as u32;
            self.letters.insert(letter.into(), (next, Cache::default()));
        }
        let (number, cache) = self.letters.get_mut(letter).expect("just put in");
        let key = (from, *number);
        if let Some(known) = self.steps.get(&key) {
            return Ok(known.clone());
        }
        let situation = self.core.read_letter(key.0.as_ref(), letter, cache, budget)?;
        let answers = self.answers(property, &situation, completions, budget)?;
        if self.steps.len() >= STEPS {
            self.steps.clear();
        }
        self.steps.insert(key, (situation.clone(), answers));
        Ok((situation, answers))
    }

    fn answers(
        &mut self,
        property: &Linear,
        situation: &Situation,
        completions: Completions,
        budget: &Budget,
    ) -> Result<Answers, OverBudget> {
        if let Some(&known) = self.known.get(situation) {
            return Ok(known);
        }
        let satisfied = self.core.store.holds_at_end(situation.plus);
        let finite = completions.finite();
        // What is satisfied as it is can hold: the empty completion.
        let can_hold = finite && satisfied || self.can(property, situation, situation.plus, completions, budget)?;
        let can_fail = finite && !satisfied || self.can(property, situation, situation.minus, completions, budget)?;
        let prospect = Prospect::of(can_hold, can_fail);
        let monitorable =
            if prospect != Prospect::Open || self.can_be_determined(situation, budget)? { Some(true) } else { None };
        let answers = Answers { satisfied, prospect, monitorable };
        if self.known.len() >= STEPS {
            self.known.clear();
        }
        self.known.insert(situation.clone(), answers);
        Ok(answers)
    }

    /// Whether some completion may satisfy what is left; also if that was not found out.
    fn can(
        &mut self,
        property: &Linear,
        situation: &Situation,
        rest: DnfId,
        completions: Completions,
        budget: &Budget,
    ) -> Result<bool, OverBudget> {
        for horizon in [Horizon::Finite, Horizon::Infinite] {
            let (asked, slot) = match horizon {
                Horizon::Finite => (completions.finite(), &mut self.searches.finite),
                Horizon::Infinite => (completions.infinite(), &mut self.searches.infinite),
            };
            if !asked {
                continue;
            }
            let part = budget.within(SEARCH_BYTES);
            // What a search has found out is kept for the next, until it has become too much.
            let mut tableau = match slot.take() {
                Some(tableau) if !tableau.is_full() => tableau,
                _ => Tableau::new(property, &self.searches.supply, horizon, Some(SEARCH_STATES), budget)?,
            };
            let found = tableau.is_feasible(&self.core.store, rest, situation, Memory(0), &part);
            *match horizon {
                Horizon::Finite => &mut self.searches.finite,
                Horizon::Infinite => &mut self.searches.infinite,
            } = Some(tableau);
            match found {
                Ok(true) | Err(OverBudget { limit: Limit::Memory, .. }) => return Ok(true),
                Ok(false) => {}
                Err(over) => return Err(over),
            }
        }
        Ok(false)
    }

    /// Whether one more letter can leave nothing of the property, or of its negation.
    fn can_be_determined(&mut self, situation: &Situation, budget: &Budget) -> Result<bool, OverBudget> {
        let part = budget.within(SEARCH_BYTES);
        for rest in [situation.plus, situation.minus] {
            match self.can_vanish(situation, rest, &part) {
                Ok(true) => return Ok(true),
                Ok(false) | Err(OverBudget { limit: Limit::Memory, .. }) => {}
                Err(over) => return Err(over),
            }
        }
        Ok(false)
    }

    fn can_vanish(&mut self, situation: &Situation, rest: DnfId, budget: &Budget) -> Result<bool, OverBudget> {
        let Self { core, dd, care, cache, .. } = self;
        let mut all = *care;
        for clause in core.store.clauses_of(rest).to_vec() {
            let mut any = Function::constant(0);
            for leaf in core.store.leaves_of(clause).to_vec() {
                let mut reading = Symbolic(dd);
                let context = Context::After(&situation.memory);
                let value = Evaluator::new(&mut core.store, &mut reading, cache, context, budget).leaf(leaf)?;
                let gone = dd.map(value, budget, &mut |rest| Ok(u32::from(rest == DnfId::FALSE.0)))?;
                any = dd.zip(any, gone, budget, &mut |x, y| Ok(x | y))?;
            }
            all = dd.zip(all, any, budget, &mut |x, y| Ok(x & y))?;
            if all == Function::constant(0) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
