//! Moore machines: deterministic automata that say something in every state, as compact tables.
//!
//! Symbols that do the same in every state are one *class*; a cell is the state after a class, in 16 bits where they suffice. [`Moore::new`]
//! makes the machine small: states that say the same and lead to states that say the same, for ever, are one (Moore 1956; found by [`refine`]).

use rustc_hash::FxHashMap;

use super::{StateId, refine};
use posetta_base::{Budget, OverBudget};

const WHAT: &str = "making the monitor small";

/// A symbol that cannot come.
pub const NONE: u32 = u32::MAX;

/// The states after each class of symbols, state by state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Fewer than 65,535 states; the largest number is a symbol that cannot come.
    Short(Vec<u16>),
    /// More.
    Long(Vec<u32>),
}

/// A machine. Its first start is state 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moore {
    /// For each symbol its class.
    classes: Vec<u32>,
    width: usize,
    cells: Cells,
    outputs: Vec<u8>,
    /// Where it may start.
    starts: Vec<StateId>,
}

impl Moore {
    /// The smallest machine that does what a table does: `rows` has one cell for each state and symbol, [`NONE`] where the symbol cannot
    /// come; the first states, so many as there are `starts` and at least one, are where it may start.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn new(
        symbols: usize,
        rows: &[u32],
        outputs: &[u8],
        starts: usize,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        let size = outputs.len();
        let _claim = budget.claim((rows.len() * 4 + size * 64) as u64, WHAT)?;
        // Symbols first: the more of them are alike, the less there is to compare.
        let (columns, _) = columns(symbols, rows, size, budget)?;
        let cells = |state: u32| {
            let row = &rows[state as usize * symbols..][..symbols];
            columns.iter().map(|&column| row[column])
        };
        let sign = |state: u32, classes: &[u32], signature: &mut Vec<u32>| {
            signature.extend(cells(state).map(|t| if t == NONE { NONE } else { classes[t as usize] }));
        };
        let targets = |state: u32, all: &mut Vec<u32>| all.extend(cells(state).filter(|&t| t != NONE));
        let numbers = outputs.iter().map(|&o| u32::from(o));
        let (class, count) = refine(numbers, sign, targets, WHAT, budget)?;
        // Numbered as a search along ascending symbols meets them, so that one property has one machine.
        let mut numbers = vec![NONE; count];
        let mut examples: Vec<usize> = Vec::new();
        let mut begins = Vec::with_capacity(starts);
        for start in 0..starts {
            let number = &mut numbers[class[start] as usize];
            if *number == NONE {
                *number = examples.len() as u32;
                examples.push(start);
            }
            begins.push(StateId(*number));
        }
        let mut small: Vec<u32> = Vec::new();
        let mut at = 0;
        while let Some(&example) = examples.get(at) {
            for symbol in 0..symbols {
                let target = rows[example * symbols + symbol];
                small.push(if target == NONE {
                    NONE
                } else {
                    let number = &mut numbers[class[target as usize] as usize];
                    if *number == NONE {
                        *number = examples.len() as u32;
                        examples.push(target as usize);
                    }
                    *number
                });
            }
            at += 1;
        }
        let size = examples.len();
        let (columns, classes) = self::columns(symbols, &small, size, budget)?;
        let picked = (0..size).flat_map(|s| columns.iter().map(move |c| (s, *c))).map(|(s, c)| small[s * symbols + c]);
        let cells = if size < usize::from(u16::MAX) {
            Cells::Short(picked.map(|t| u16::try_from(t).unwrap_or(u16::MAX)).collect())
        } else {
            Cells::Long(picked.collect())
        };
        let outputs = examples.iter().map(|&e| outputs[e]).collect();
        Ok(Self { classes, width: columns.len(), cells, outputs, starts: begins })
    }

    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.outputs.len()
    }

    /// Never: there is always the start.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.outputs.is_empty()
    }

    /// Where it may start.
    #[must_use]
    pub fn starts(&self) -> &[StateId] {
        &self.starts
    }

    /// How many classes of symbols there are.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// The class of every symbol.
    #[must_use]
    pub fn classes(&self) -> &[u32] {
        &self.classes
    }

    /// The table: one cell for each state and class.
    #[must_use]
    pub fn cells(&self) -> &Cells {
        &self.cells
    }

    /// What the machine says in a state.
    #[must_use]
    #[inline]
    pub fn output(&self, state: StateId) -> u8 {
        self.outputs[state.0 as usize]
    }

    /// What it says in every state.
    #[must_use]
    pub fn outputs(&self) -> &[u8] {
        &self.outputs
    }

    /// The state after a class of symbols; `None` if it cannot come.
    #[must_use]
    #[inline]
    pub fn after(&self, state: StateId, class: u32) -> Option<StateId> {
        let place = state.0 as usize * self.width + class as usize;
        match &self.cells {
            Cells::Short(cells) => (cells[place] != u16::MAX).then(|| StateId(u32::from(cells[place]))),
            Cells::Long(cells) => (cells[place] != NONE).then(|| StateId(cells[place])),
        }
    }
}

/// One symbol of each class, and the class of each symbol.
fn columns(symbols: usize, rows: &[u32], size: usize, budget: &Budget) -> Result<(Vec<usize>, Vec<u32>), OverBudget> {
    // Split by one state after the other, so that no column is copied. A symbol that does what the first of its class does stays there.
    let mut class = vec![0u32; symbols];
    let mut firsts: Vec<usize> = (0..symbols.min(1)).collect();
    let mut ids: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    for row in rows.chunks_exact(symbols.max(1)).take(size) {
        budget.step(symbols as u64 / 16, WHAT)?;
        if firsts.len() == symbols {
            break;
        }
        ids.clear();
        for (symbol, class) in class.iter_mut().enumerate() {
            if row[firsts[*class as usize]] != row[symbol] {
                *class = *ids.entry((*class, row[symbol])).or_insert_with(|| {
                    firsts.push(symbol);
                    firsts.len() as u32 - 1
                });
            }
        }
    }
    // Numbered by their first symbols; mostly they are.
    if firsts.is_sorted() {
        return Ok((firsts, class));
    }
    let mut order: Vec<u32> = (0..firsts.len() as u32).collect();
    order.sort_unstable_by_key(|&class| firsts[class as usize]);
    let mut numbers = vec![0; firsts.len()];
    order.iter().enumerate().for_each(|(number, &class)| numbers[class as usize] = number as u32);
    class.iter_mut().for_each(|class| *class = numbers[*class as usize]);
    firsts.sort_unstable();
    Ok((firsts, class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_and_symbols_that_do_the_same_are_one() {
        let budget = Budget::unlimited();
        // 1 and 2 are alike, 3 is not reached; symbols 0 and 2 do the same.
        let rows = [1, 0, 2, 2, 3, 1, 1, 3, 2, 3, 3, 3, 0, 0, 0];
        let moore = Moore::new(3, &rows, &[0, 1, 1, 2, 0], 1, &budget).unwrap();
        assert_eq!((moore.len(), moore.width(), moore.classes()), (3, 2, &[0, 1, 0][..]));
        assert_eq!(moore.outputs(), [0, 1, 2]);
        let run = |word: &[u32]| {
            word.iter().fold(StateId(0), |s, &symbol| moore.after(s, moore.classes()[symbol as usize]).unwrap())
        };
        assert_eq!(moore.output(run(&[0, 2, 0])), 1);
        assert_eq!(moore.output(run(&[1, 1, 2, 1])), 2);
    }

    #[test]
    fn what_cannot_come_stays_so() {
        let moore = Moore::new(2, &[1, NONE, NONE, 1], &[0, 1], 1, &Budget::unlimited()).unwrap();
        assert_eq!(moore.after(StateId(0), 0), Some(StateId(1)));
        assert_eq!(moore.after(StateId(0), 1), None);
        let none = Moore::new(0, &[], &[3], 1, &Budget::unlimited()).unwrap();
        assert_eq!((none.len(), none.width()), (1, 0));
    }
}
