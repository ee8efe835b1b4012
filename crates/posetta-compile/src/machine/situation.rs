//! What is left of a property, of its negation, and of what its past operators remember.

use crate::linear::Linear;
use crate::normal::Normal;
use crate::residual::{Cache, Context, DnfId, Evaluator, Horizon, Letterwise, NodeId, Reading, Store};
use posetta_base::{Budget, OverBudget};

/// Where a word with at least one letter has led.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Situation {
    pub(super) plus: DnfId,
    /// [`DnfId::FALSE`] where nobody asks for it, unless the property is over.
    pub(super) minus: DnfId,
    pub(super) memory: Box<[DnfId]>,
}

/// A property and its negation over one set of tables.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) store: Store,
    plus: NodeId,
    /// `None` if nobody will ask.
    minus: Option<NodeId>,
    pub(super) empty: bool,
}

/// What a letter makes of a situation, in whatever way letters are read.
pub(super) struct Read<V> {
    pub(super) plus: V,
    pub(super) minus: V,
    pub(super) memory: Vec<V>,
}

impl Core {
    pub(super) fn new(
        property: &Linear,
        horizon: Horizon,
        two_sided: bool,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        let mut store = Store::new(horizon, budget)?;
        let mut build = |positive: bool| match property {
            Linear::Ltl(formula) => store.ltl(&Normal::new(formula, !positive), budget),
            Linear::Psl(formula) => store.psl(formula, positive, budget),
            Linear::Monitor(monitor) => store.monitor(monitor, !positive, budget),
        };
        let plus = build(true)?;
        let minus = if two_sided { Some(build(false)?) } else { None };
        Ok(Self { store, plus, minus, empty: property.on_empty() })
    }

    /// What is owed before the first letter, of the property and of its negation, part by part.
    pub(super) fn owing(&mut self, budget: &Budget) -> Result<[Vec<DnfId>; 2], OverBudget> {
        let plus = self.store.owing(self.plus, budget)?;
        let minus = self.minus.map_or(Ok(Vec::new()), |minus| self.store.owing(minus, budget))?;
        Ok([plus, minus])
    }

    /// What a letter leads to; `from` is nothing before the first one.
    pub(super) fn read<R: Reading>(
        &mut self,
        from: Option<&Situation>,
        reading: &mut R,
        cache: &mut Cache<R::Value>,
        budget: &Budget,
    ) -> Result<Read<R::Value>, OverBudget> {
        let nothing = reading.constant(DnfId::FALSE.0);
        let context = from.map_or(Context::Start, |s| Context::After(&s.memory));
        let mut evaluator = Evaluator::new(&mut self.store, reading, cache, context, budget);
        let (plus, minus) = match from {
            None => {
                let plus = evaluator.value(self.plus)?;
                (plus, self.minus.map_or(Ok(nothing), |minus| evaluator.value(minus))?)
            }
            Some(from) => {
                let plus = evaluator.progress(from.plus)?;
                (plus, if self.minus.is_some() { evaluator.progress(from.minus)? } else { nothing })
            }
        };
        let memory = evaluator.memory()?;
        Ok(Read { plus, minus, memory })
    }

    /// What one letter leads to.
    pub(super) fn read_letter(
        &mut self,
        from: Option<&Situation>,
        letter: &[bool],
        cache: &mut Cache<u32>,
        budget: &Budget,
    ) -> Result<Situation, OverBudget> {
        let Read { plus, minus, memory } = self.read(from, &mut Letterwise(letter), cache, budget)?;
        Ok(self.settle(DnfId(plus), DnfId(minus), memory.into_iter().map(DnfId).collect()))
    }

    /// A situation, in which nothing is remembered of what is over.
    pub(super) fn settle(&self, plus: DnfId, minus: DnfId, memory: Box<[DnfId]>) -> Situation {
        let holds = plus == DnfId::TRUE || self.minus.is_some() && minus == DnfId::FALSE;
        let fails = plus == DnfId::FALSE || self.minus.is_some() && minus == DnfId::TRUE;
        match (holds, fails) {
            (true, _) => Situation { plus: DnfId::TRUE, minus: DnfId::FALSE, memory: [].into() },
            (_, true) => Situation { plus: DnfId::FALSE, minus: DnfId::TRUE, memory: [].into() },
            _ => Situation { plus, minus, memory },
        }
    }
}
