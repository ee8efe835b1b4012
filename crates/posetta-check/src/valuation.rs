//! The truth of atoms at a cut.
//!
//! Where writes are ordered (or agree), the state at a cut is that after the last write of each variable inside it. The
//! writes of a variable are ranked by a linear extension; the last write in a cut is the one of highest rank, and for
//! each writing process a table gives the rank by count. Atoms over one variable, or over variables of one process,
//! become tables of booleans.

use posetta_base::{Budget, Claim, OverBudget, ValueId};
use posetta_logic::eval::{self, Notes};
use posetta_logic::{Atom, Bound, Condition, Slot};
use posetta_trace::{Packing, Trace};

const WHAT: &str = "tabulating the states";

/// How the atoms of one formula depend on the cut.
pub(super) struct CutAtoms<'t> {
    trace: &'t Trace,
    variables: Vec<Variable>,
    atoms: Vec<CutAtom>,
    _claim: Claim,
}

struct Variable {
    /// The value after each write, by rank; rank 0 is the initial value.
    values: Vec<Option<ValueId>>,
    /// For each writing process, the rank of its last write by count of its events.
    ranks: Vec<(usize, Vec<u32>)>,
}

impl Variable {
    #[inline]
    fn rank(&self, packing: &Packing, cut: &[u64]) -> u32 {
        self.ranks.iter().map(|(process, ranks)| ranks[packing.count(cut, *process) as usize]).max().unwrap_or(0)
    }
}

enum CutAtom {
    /// Never changes.
    Constant(bool),
    /// A function of how far one process has come.
    ByCount(usize, Vec<bool>),
    /// A function of the last write of one variable.
    ByRank(Slot, Vec<bool>),
    /// Variables of several processes together.
    General(Condition<Slot>, Vec<Slot>),
}

impl<'t> CutAtoms<'t> {
    /// Tabulates the atoms of a formula whose variables have no unordered writes of different values.
    pub(super) fn new<F>(
        trace: &'t Trace,
        bound: &Bound<F>,
        notes: &mut Notes,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        let mut claim = budget.claim(0, WHAT)?;
        let variables = variables(trace, bound, &mut claim, budget)?;
        let mut table = Self { trace, variables, atoms: Vec::with_capacity(bound.atoms.len()), _claim: claim };
        for atom in &bound.atoms {
            // `on`, `event` and `process` are refused in CTL when it is parsed.
            let atom = match atom {
                Atom::State(condition) => table.atom(condition, notes, budget)?,
                _ => CutAtom::Constant(false),
            };
            table.atoms.push(atom);
        }
        Ok(table)
    }

    fn atom(&self, condition: &Condition<Slot>, notes: &mut Notes, budget: &Budget) -> Result<CutAtom, OverBudget> {
        let mut slots = Vec::new();
        condition.for_each_var(&mut |&slot: &Slot| slots.push(slot));
        slots.sort_unstable();
        slots.dedup();
        let mut values = self.scratch();
        let mut writers: Vec<usize> =
            slots.iter().flat_map(|s| self.variables[s.0 as usize].ranks.iter().map(|(p, _)| *p)).collect();
        writers.sort_unstable();
        writers.dedup();
        let mut holds = |values: &[Option<ValueId>]| eval::condition(condition, self.trace, values, notes);
        match (slots.as_slice(), writers.as_slice()) {
            (_, []) => Ok(CutAtom::Constant(holds(&values)?)),
            (_, &[process]) => {
                // One entry per count of the process, for every slot that it writes.
                let tables = slots.iter().flat_map(|s| &self.variables[s.0 as usize].ranks);
                let counts = tables.map(|(_, ranks)| ranks.len()).max().unwrap_or(1);
                let mut truth = Vec::with_capacity(counts);
                let mut last = Vec::new();
                for count in 0..counts {
                    if count % 1024 == 0 {
                        budget.step(0, WHAT)?;
                    }
                    let ranks: Vec<u32> = slots
                        .iter()
                        .map(|s| self.variables[s.0 as usize].ranks.first().map_or(0, |(_, r)| r[count]))
                        .collect();
                    // Most events write none of them.
                    if ranks == last
                        && let Some(&same) = truth.last()
                    {
                        truth.push(same);
                        continue;
                    }
                    for (slot, &rank) in slots.iter().zip(&ranks) {
                        values[slot.0 as usize] = self.variables[slot.0 as usize].values[rank as usize];
                    }
                    truth.push(holds(&values)?);
                    last = ranks;
                }
                Ok(CutAtom::ByCount(process, truth))
            }
            (&[slot], _) => {
                let mut truth = Vec::new();
                for (rank, value) in self.variables[slot.0 as usize].values.iter().enumerate() {
                    if rank % 1024 == 0 {
                        budget.step(0, WHAT)?;
                    }
                    values[slot.0 as usize] = *value;
                    truth.push(holds(&values)?);
                }
                Ok(CutAtom::ByRank(slot, truth))
            }
            _ => Ok(CutAtom::General(condition.clone(), slots)),
        }
    }

    /// How many atoms there are.
    pub(super) fn len(&self) -> usize {
        self.atoms.len()
    }

    /// Room for the values of all slots.
    pub(super) fn scratch(&self) -> Vec<Option<ValueId>> {
        self.variables.iter().map(|v| v.values[0]).collect()
    }

    /// The truth of every atom at a cut.
    pub(super) fn evaluate(
        &self,
        packing: &Packing,
        cut: &[u64],
        truth: &mut [bool],
        values: &mut [Option<ValueId>],
        notes: &mut Notes,
    ) -> Result<(), OverBudget> {
        for (truth, atom) in truth.iter_mut().zip(&self.atoms) {
            *truth = match atom {
                CutAtom::Constant(value) => *value,
                CutAtom::ByCount(process, table) => table[packing.count(cut, *process) as usize],
                CutAtom::ByRank(slot, table) => table[self.variables[slot.0 as usize].rank(packing, cut) as usize],
                CutAtom::General(condition, slots) => {
                    for slot in slots {
                        let variable = &self.variables[slot.0 as usize];
                        values[slot.0 as usize] = variable.values[variable.rank(packing, cut) as usize];
                    }
                    eval::condition(condition, self.trace, values, notes)?
                }
            };
        }
        Ok(())
    }
}

/// Ranks the writes of every slot.
fn variables<F>(
    trace: &Trace,
    bound: &Bound<F>,
    claim: &mut Claim,
    budget: &Budget,
) -> Result<Vec<Variable>, OverBudget> {
    let slots = bound.slots();
    let initial = bound.initial(trace);
    let mut variables: Vec<Variable> =
        initial.into_iter().map(|value| Variable { values: vec![value], ranks: Vec::new() }).collect();
    let mut bytes = 0;
    for (i, &event) in trace.linearisation().iter().enumerate() {
        if i % 1024 == 0 {
            budget.step(0, WHAT)?;
        }
        for a in trace.assignments(event) {
            let Some(slot) = slots.get(&a.var) else { continue };
            let variable = &mut variables[slot.0 as usize];
            let process = trace.process(event);
            let rank = variable.values.len() as u32;
            variable.values.push(Some(a.value));
            let place = match variable.ranks.iter().position(|(p, _)| *p == process.index()) {
                Some(place) => place,
                None => {
                    bytes += 4 * (trace.chain(process).len() as u64 + 1);
                    claim.grow_to(bytes, WHAT)?;
                    variable.ranks.push((process.index(), vec![0; trace.chain(process).len() + 1]));
                    variable.ranks.len() - 1
                }
            };
            variable.ranks[place].1[trace.position(event) + 1] = rank;
        }
    }
    for variable in &mut variables {
        for (_, ranks) in &mut variable.ranks {
            for i in 1..ranks.len() {
                ranks[i] = ranks[i].max(ranks[i - 1]);
            }
        }
    }
    Ok(variables)
}
