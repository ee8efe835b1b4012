//! A machine over listed letters: whole, minimal, as a table.
//!
//! What it reads is a *symbol*: a letter together with what the values after it rule out at the next position.

use rustc_hash::{FxHashMap, FxHashSet};

use super::situation::{Core, Situation};
use super::supply::{Letterbook, Supply};
use super::tableau::Tableau;
use super::{Answers, Completions, Prospect, bits};
use crate::linear::Linear;
use crate::residual::{Cache, DnfId, Horizon};
use posetta_automata::{Moore, NONE, StateId};
use posetta_base::{Budget, LetterId, OverBudget};
use posetta_logic::eval::Values;
use posetta_logic::{Letters, Memory, StepId, View};

const WHAT: &str = "building the monitor of the property";

/// With more states, or more states times symbols, the machine is not held whole.
pub(super) const MOST_STATES: usize = 1 << 17;
const MOST_CELLS: usize = 1 << 22;

/// A machine as a table.
#[derive(Debug)]
pub struct Listed {
    letters: Letters,
    symbols: FxHashMap<(LetterId, Memory), u32>,
    /// For vectors of at most 16 atoms the letter of each, by its bits.
    direct: Vec<u32>,
    ids: FxHashMap<Box<[bool]>, LetterId>,
    moore: Moore,
}

/// Vectors so short are looked up directly.
const SHORT: usize = 16;

/// A state that a search for words has met, and the place and step that led to it.
#[derive(Clone, Copy)]
struct Visit {
    state: StateId,
    memory: Option<Memory>,
    from: Option<(usize, StepId)>,
}

/// All states, and for each of them and each symbol the next one.
struct Explored {
    keys: Vec<Key>,
    rows: Vec<u32>,
}

/// A state while the machine is built.
#[derive(Clone)]
enum Key {
    /// Before the first letter: of the values nothing is known, or what they rule out.
    Start(Option<Memory>),
    After(Situation, Memory),
}

impl Listed {
    /// The machine; `None` if there are too many states.
    pub(super) fn new(
        property: &Linear,
        supply: &Supply,
        completions: Completions,
        patience: u64,
        budget: &Budget,
    ) -> Result<Option<Self>, OverBudget> {
        let Supply::Listed(book) = supply else { return Ok(None) };
        let mut core = Core::new(property, Horizon::Finite, completions.infinite(), budget)?;
        core.store.limit_work(patience);
        let symbols = number_symbols(book);
        let Some(Explored { keys, rows }) = explore(&mut core, book, &symbols, budget)? else { return Ok(None) };
        let starts = keys.iter().take_while(|key| matches!(key, Key::Start(_))).count();
        let holds = |key: &Key| match key {
            Key::Start(_) => core.empty,
            Key::After(situation, _) => core.store.holds_at_end(situation.plus),
        };
        let satisfied: Vec<bool> = keys.iter().map(holds).collect();
        let width = symbols.len();
        let sources = reversed(&rows, width, keys.len());
        // The empty word is none of the words of the states view.
        let ends = |state: usize| completions.finite() && (state >= starts || book.letters.view() == View::Events);
        let mut can_hold = closed(&sources, (0..keys.len()).map(|s| ends(s) && satisfied[s]).collect());
        let mut can_fail = closed(&sources, (0..keys.len()).map(|s| ends(s) && !satisfied[s]).collect());
        if completions.infinite() {
            let mut tableau = Tableau::new(property, supply, Horizon::Infinite, None, budget)?.with_patience(patience);
            for (state, key) in keys.iter().enumerate() {
                budget.step(1, WHAT)?;
                let Key::After(situation, memory) = key else { continue };
                for (can, rest) in [(&mut can_hold, situation.plus), (&mut can_fail, situation.minus)] {
                    if !can[state] {
                        can[state] = tableau.is_feasible(&core.store, rest, situation, *memory, budget)?;
                    }
                }
            }
            // Before the first letter everything depends on what comes.
            for start in 0..starts {
                let row = &rows[start * width..(start + 1) * width];
                let after: Vec<usize> = row.iter().filter(|&&t| t != NONE).map(|&t| t as usize).collect();
                can_hold[start] |= after.iter().any(|&t| can_hold[t]);
                can_fail[start] |= after.iter().any(|&t| can_fail[t]);
            }
        }
        let determined = can_hold.iter().zip(&can_fail).map(|(h, f)| !(*h && *f)).collect();
        let monitorable = closed(&sources, determined);
        let outputs: Vec<u8> = (0..keys.len())
            .map(|state| {
                let prospect = Prospect::of(can_hold[state], can_fail[state]);
                let monitorable = Some(monitorable[state]);
                Answers { satisfied: satisfied[state], prospect, monitorable }.code()
            })
            .collect();
        let moore = Moore::new(width, &rows, &outputs, starts, budget)?;
        // The letters again: they belong to the machine now.
        let letters = book.letters.clone();
        let count = letters.atoms().len();
        let ids: FxHashMap<Box<[bool]>, LetterId> = letters.iter().map(|l| (letters.vector(l).into(), l)).collect();
        let mut direct = Vec::new();
        if count <= SHORT {
            direct = vec![NONE; 1 << count];
            for (vector, letter) in &ids {
                direct[bits(vector)] = letter.raw();
            }
        }
        Ok(Some(Self { letters, symbols, direct, ids, moore }))
    }

    /// Whether letters that can come are told from those that cannot.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.letters.is_exact()
    }

    /// The table. Its symbols are those of [`Self::symbols`].
    #[must_use]
    pub fn moore(&self) -> &Moore {
        &self.moore
    }

    /// The letters that it reads.
    #[must_use]
    pub fn letters(&self) -> &Letters {
        &self.letters
    }

    /// Every symbol: a letter and what it leaves behind, with its number.
    #[must_use]
    pub fn symbols(&self) -> Vec<(LetterId, Memory)> {
        let mut all = vec![(LetterId::from_raw(0), Memory(0)); self.symbols.len()];
        for (&symbol, &number) in &self.symbols {
            all[number as usize] = symbol;
        }
        all
    }

    /// The class of symbols that a position belongs to; `None` for one that was not foreseen.
    ///
    /// # Errors
    /// When a number grows too large.
    #[inline]
    pub fn symbol(&self, letter: &[bool], values: &impl Values) -> Result<Option<u32>, OverBudget> {
        let letter = if self.direct.is_empty() {
            self.ids.get(letter).copied()
        } else {
            let raw = self.direct[bits(letter)];
            (raw != NONE).then(|| LetterId::from_raw(raw))
        };
        let Some(letter) = letter else { return Ok(None) };
        // Without anything to remember the symbol is the letter.
        let memory = if self.letters.memories() <= 1 { Some(Memory(0)) } else { self.letters.memory(values)? };
        let symbol = memory.and_then(|memory| self.symbols.get(&(letter, memory)));
        Ok(symbol.map(|&symbol| self.moore.classes()[symbol as usize]))
    }

    /// A shortest word, of at least one letter, after which the answers are what is wanted.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn word_to(
        &self,
        wanted: &dyn Fn(Answers) -> bool,
        budget: &Budget,
    ) -> Result<Option<Vec<StepId>>, OverBudget> {
        let mut places = vec![Visit { state: StateId(0), memory: None, from: None }];
        let mut seen: FxHashSet<(StateId, Memory)> = FxHashSet::default();
        let mut at = 0;
        while let Some(&Visit { state, memory, .. }) = places.get(at) {
            budget.step(1, WHAT)?;
            for step in self.letters.steps_after(memory) {
                let (letter, after) = (self.letters.letter(step), self.letters.after(step));
                let Some(&symbol) = self.symbols.get(&(letter, after)) else { continue };
                let Some(next) = self.moore.after(state, self.moore.classes()[symbol as usize]) else { continue };
                if !seen.insert((next, after)) {
                    continue;
                }
                places.push(Visit { state: next, memory: Some(after), from: Some((at, step)) });
                if wanted(Answers::from_code(self.moore.output(next))) {
                    let mut word = Vec::new();
                    let mut back = places.len() - 1;
                    while let Some((from, step)) = places[back].from {
                        word.push(step);
                        back = from;
                    }
                    word.reverse();
                    return Ok(Some(word));
                }
            }
            at += 1;
        }
        Ok(None)
    }

    /// The state before the first letter, where the values before it are known.
    ///
    /// # Errors
    /// When a number grows too large.
    pub fn start_at(&self, values: &impl Values) -> Result<StateId, OverBudget> {
        let starts = self.moore.starts();
        let memory = if starts.len() > 1 { self.letters.memory(values)? } else { None };
        // The first is for what is not known.
        Ok(memory.and_then(|memory| starts.get(memory.0 as usize + 1)).copied().unwrap_or(starts[0]))
    }

    /// The state after a class of symbols; `None` if it cannot come.
    #[must_use]
    #[inline]
    pub fn after(&self, state: StateId, class: u32) -> Option<StateId> {
        self.moore.after(state, class)
    }
}

fn number_symbols(book: &Letterbook) -> FxHashMap<(LetterId, Memory), u32> {
    let mut all: Vec<(LetterId, Memory)> = book.first.iter().chain(book.later.iter().flatten()).copied().collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().enumerate().map(|(i, symbol)| (symbol, i as u32)).collect()
}

/// All states, breadth first, and the state after each symbol; `None` if there are too many.
fn explore(
    core: &mut Core,
    book: &Letterbook,
    symbols: &FxHashMap<(LetterId, Memory), u32>,
    budget: &Budget,
) -> Result<Option<Explored>, OverBudget> {
    let is_over = |situation: &Situation| [DnfId::TRUE, DnfId::FALSE].contains(&situation.plus);
    let mut everything: Vec<(LetterId, Memory)> = book.later.iter().flatten().copied().collect();
    everything.sort_unstable();
    everything.dedup();
    let mut caches: Vec<Cache<u32>> = book.letters.iter().map(|_| Cache::default()).collect();
    let mut keys: Vec<Key> = vec![Key::Start(None)];
    // Over events values may be known before the first letter.
    if book.letters.view() == View::Events && book.later.len() > 1 {
        keys.extend((0..book.later.len() as u32).map(|memory| Key::Start(Some(Memory(memory)))));
    }
    let mut ids: FxHashMap<(Situation, Memory), u32> = FxHashMap::default();
    let mut rows: Vec<u32> = Vec::new();
    let mut claim = budget.claim(0, WHAT)?;
    let mut at = 0;
    while let Some(key) = keys.get(at).cloned() {
        if keys.len() > MOST_STATES || keys.len() * symbols.len() > MOST_CELLS {
            return Ok(None);
        }
        claim.grow_to((keys.len() * (200 + 4 * symbols.len())) as u64, WHAT)?;
        let (from, comes) = match &key {
            Key::Start(None) => (None, &book.first),
            Key::Start(Some(memory)) => (None, &book.later[memory.0 as usize]),
            // Nothing is remembered where all is over, so anything may come.
            Key::After(situation, _) if is_over(situation) => (Some(situation), &everything),
            Key::After(situation, memory) => (Some(situation), &book.later[memory.0 as usize]),
        };
        let base = rows.len();
        rows.resize(base + symbols.len(), NONE);
        // Letters are sorted, so what one leads to is worked out once for all that it may leave behind.
        let mut last: Option<(LetterId, Situation)> = None;
        for &(letter, memory) in comes {
            let situation = match last.take() {
                Some((known, situation)) if known == letter => situation,
                _ => core.read_letter(from, book.letters.vector(letter), &mut caches[letter.index()], budget)?,
            };
            last = Some((letter, situation.clone()));
            // What is over needs no memory.
            let memory_left = if is_over(&situation) { Memory(0) } else { memory };
            let next = (situation, memory_left);
            let number = match ids.get(&next) {
                Some(&number) => number,
                None => {
                    let number = keys.len() as u32;
                    keys.push(Key::After(next.0.clone(), next.1));
                    ids.insert(next, number);
                    number
                }
            };
            rows[base + symbols[&(letter, memory)] as usize] = number;
        }
        at += 1;
    }
    Ok(Some(Explored { keys, rows }))
}

/// For each state those that lead to it.
fn reversed(rows: &[u32], width: usize, size: usize) -> Vec<Vec<u32>> {
    let mut sources: Vec<Vec<u32>> = vec![Vec::new(); size];
    for (place, &target) in rows.iter().enumerate().filter(|(_, t)| **t != NONE) {
        let from = (place / width) as u32;
        let all = &mut sources[target as usize];
        if all.last() != Some(&from) {
            all.push(from);
        }
    }
    sources
}

/// The states from which one of these can be reached.
pub(super) fn closed(sources: &[Vec<u32>], mut found: Vec<bool>) -> Vec<bool> {
    let mut open: Vec<u32> = (0..found.len() as u32).filter(|&s| found[s as usize]).collect();
    while let Some(state) = open.pop() {
        for &from in &sources[state as usize] {
            if !std::mem::replace(&mut found[from as usize], true) {
                open.push(from);
            }
        }
    }
    found
}
