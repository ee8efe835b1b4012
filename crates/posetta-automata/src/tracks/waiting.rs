//! The automaton that waits for a position and then reads a few letters.

use rustc_hash::FxHashMap;

use super::{Said, TrackDfa, WHAT};
use posetta_base::{Budget, OverBudget};
use posetta_dd::mtbdd::{Function, Mtbdd};

/// A truth function of the letters at a position and after it.
#[derive(Debug)]
pub struct Waiting {
    /// Where the function is stored.
    pub truth: Mtbdd,
    /// The function, to 0 and 1. The bit of track i in the letter n places on is variable n · `width` + i.
    pub function: Function,
    /// The track whose first one is the position.
    pub position: u32,
    /// How many tracks there are.
    pub width: u32,
}

/// What is left of the function, and how many letters were read; of a constant that does not matter.
type Rest = (Function, u32);

impl Waiting {
    /// The automaton. Letters beyond the end of the string are zeros, and so are all where the position does not come.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn automaton(&self, budget: &Budget) -> Result<TrackDfa, OverBudget> {
        // State 0 reads what comes before the string, state 1 waits, the others are what is left of the function.
        let mut states = States { rests: Vec::new(), ids: FxHashMap::default() };
        let mut dd = Mtbdd::new(budget)?;
        let first = self.read((self.function, 0), &mut dd, &mut states)?;
        let come = dd.variable(self.position)?;
        let waits = dd.zip(come, first, budget, &mut |come, next| Ok(if come == 1 { next } else { 1 }))?;
        let mut roots = vec![Function::constant(1), waits];
        let mut said = vec![Said::Nothing, self.at_end(self.function)];
        while let Some(&rest) = states.rests.get(roots.len() - 2) {
            budget.step(1, WHAT)?;
            said.push(self.at_end(rest.0));
            let here = Function::constant(roots.len() as u32);
            roots.push(if rest.0.value().is_some() { here } else { self.read(rest, &mut dd, &mut states)? });
        }
        TrackDfa::new(dd, roots, said, self.width, budget)
    }

    fn at_end(&self, function: Function) -> Said {
        if self.truth.at(function, |_| false) == 1 { Said::Yes } else { Said::No }
    }

    /// What follows one more letter.
    fn read(&self, (function, letter): Rest, dd: &mut Mtbdd, states: &mut States) -> Result<Function, OverBudget> {
        let mut images = FxHashMap::default();
        self.image(function, letter, dd, states, &mut images)
    }

    /// No deeper than there are tracks.
    fn image(
        &self,
        function: Function,
        letter: u32,
        dd: &mut Mtbdd,
        states: &mut States,
        images: &mut FxHashMap<Function, Function>,
    ) -> Result<Function, OverBudget> {
        let node = function.node().map(|place| self.truth.node(place));
        let Some(node) = node.filter(|node| node.var / self.width == letter) else {
            let read = if function.value().is_some() { 0 } else { letter + 1 };
            return Ok(Function::constant(states.id((function, read))));
        };
        if let Some(&known) = images.get(&function) {
            return Ok(known);
        }
        let low = self.image(node.low, letter, dd, states, images)?;
        let high = self.image(node.high, letter, dd, states, images)?;
        let image = dd.ask(node.var % self.width, low, high)?;
        images.insert(function, image);
        Ok(image)
    }
}

struct States {
    rests: Vec<Rest>,
    ids: FxHashMap<Rest, u32>,
}

impl States {
    fn id(&mut self, rest: Rest) -> u32 {
        *self.ids.entry(rest).or_insert_with(|| {
            self.rests.push(rest);
            self.rests.len() as u32 + 1
        })
    }
}
