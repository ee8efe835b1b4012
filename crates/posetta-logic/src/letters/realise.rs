//! A word of steps as something that can be looked at: values at each position, and a run that has this word.

use super::solve;
use super::{Atoms, Letters, StepId};
use crate::eval::{self, Notes, Word};
use crate::{Atom, AtomId, Formula, Property, SlotKind, View, bind_ltl, bind_m2l, bind_monitor, bind_psl};
use posetta_base::{Budget, Error, OverBudget, Value};
use posetta_trace::{Builder, Trace};

/// What happens at one position of a [`Sample`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happening {
    /// Whether there is an event: not at position 0 of the states view.
    pub event: bool,
    /// The event's name, if the formula asks for it.
    pub name: Option<String>,
    /// The event's attributes, if the formula asks for them.
    pub attributes: Vec<(String, Value)>,
    /// The event's process, if the formula asks for it.
    pub process: Option<String>,
    /// The values after it, by [`Letters::variables`]; `None` where only the truth of the atoms is known.
    pub state: Option<Vec<Value>>,
    /// The variables that the event assigns: places in [`Letters::variables`].
    pub sets: Vec<usize>,
    /// The truth of each atom.
    pub atoms: Vec<bool>,
}

/// A word, position by position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Its positions.
    pub positions: Vec<Happening>,
}

impl Letters {
    /// Values under which a word of steps comes about. `None` if there are none, which cannot be if the letters are
    /// [exact](Self::is_exact). Where an atom is neither linear nor about strings, no values are looked for.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn realise(&self, word: &[StepId], budget: &Budget) -> Result<Option<Sample>, OverBudget> {
        let states = if self.independent().is_empty() {
            match self.states(word, budget)? {
                Some(states) => states.into_iter().map(Some).collect(),
                None => return Ok(None),
            }
        } else {
            vec![None; word.len()]
        };
        let name_of = |place: Option<u32>| match self.atoms.get(place? as usize)? {
            Atom::Event(name) | Atom::Process(name) => Some(name.clone()),
            Atom::Having(having) => having.name.clone(),
            _ => None,
        };
        let mut positions: Vec<Happening> = Vec::with_capacity(word.len());
        for (i, &id) in word.iter().enumerate() {
            let step = &self.steps[id.0 as usize];
            let start = || states[i].as_ref().map(|state| self.at_the_start(state));
            let first = if i == 0 && self.looks_back() { start() } else { None };
            let before = i.checked_sub(1).and_then(|i| states[i].as_ref()).or(first.as_ref());
            positions.push(Happening {
                event: !step.start,
                name: name_of(step.name),
                process: name_of(step.process),
                attributes: if step.start { Vec::new() } else { self.samples[step.attributes as usize].values.clone() },
                sets: if step.start { Vec::new() } else { self.sets(id, before, states[i].as_ref()) },
                state: states[i].clone(),
                atoms: self.vector(step.letter).to_vec(),
            });
        }
        Ok(Some(Sample { positions }))
    }

    /// Variable `v` at position `i` is unknown number `i * variables + v`, or that of the position before if it is kept.
    fn states(&self, word: &[StepId], budget: &Budget) -> Result<Option<Vec<Vec<Value>>>, OverBudget> {
        let count = self.variables.len();
        let mut unknowns: Vec<Vec<usize>> = Vec::new();
        for (i, &id) in word.iter().enumerate() {
            let kept = &self.steps[id.0 as usize].kept;
            let at = (0..count).map(|v| match (self.kinds[v], unknowns.last()) {
                (SlotKind::Before(now), Some(before)) => before[now.0 as usize],
                (SlotKind::Before(now), None) if self.view == View::States => i * count + now.0 as usize,
                (SlotKind::Key, Some(before)) => before[v],
                (_, Some(before)) if kept.contains(&(v as u32)) => before[v],
                _ => i * count + v,
            });
            let at = at.collect();
            unknowns.push(at);
        }
        let mut claims = Vec::new();
        for (&id, at) in word.iter().zip(&unknowns) {
            for (comparison, &truth) in self.comparisons.iter().zip(&self.steps[id.0 as usize].cell) {
                claims.push((comparison.rename(&|v| at[v]), truth));
            }
        }
        let claims: Vec<solve::Claim<'_>> = claims.iter().map(|(c, truth)| (c, *truth)).collect();
        let sorts: Vec<solve::Sort> = (0..word.len()).flat_map(|_| self.sorts.iter().copied()).collect();
        let Some(values) = solve::solve(&claims, &sorts, budget)? else { return Ok(None) };
        let value = |unknown: usize| {
            values.get(&unknown).cloned().unwrap_or_else(|| match sorts[unknown] {
                solve::Sort::Text => Value::Text(String::new()),
                _ => Value::Number(posetta_base::Number::ZERO),
            })
        };
        Ok(Some(unknowns.iter().map(|at| at.iter().map(|&u| value(u)).collect()).collect()))
    }

    /// What an event must assign: what changes, and one variable of each condition that it triggers.
    fn sets(&self, id: StepId, before: Option<&Vec<Value>>, after: Option<&Vec<Value>>) -> Vec<usize> {
        let step = &self.steps[id.0 as usize];
        let free = |v: usize| !step.kept.contains(&(v as u32));
        let changes = |v: usize| before.zip(after).is_some_and(|(b, a)| b[v] != a[v]);
        let is_own = |v: usize| self.kinds[v] == SlotKind::Now;
        let mut sets: Vec<bool> = (0..self.variables.len()).map(|v| is_own(v) && free(v) && changes(v)).collect();
        for (atom, _) in self.atoms.iter().zip(self.vector(step.letter)).filter(|(_, holds)| **holds) {
            let Atom::On(condition) = atom else { continue };
            let now = |v: u32| match self.kinds[v as usize] {
                SlotKind::Before(now) => now.0,
                SlotKind::Now | SlotKind::Key => v,
            };
            let variables: Vec<u32> = super::variables_of(condition).into_iter().map(now).collect();
            if !variables.iter().any(|&v| sets[v as usize])
                && let Some(&v) = variables.iter().find(|&&v| free(v as usize) && is_own(v as usize))
            {
                sets[v as usize] = true;
            }
        }
        (0..sets.len()).filter(|&v| sets[v]).collect()
    }

    /// Whether something is said of values before.
    #[must_use]
    pub fn looks_back(&self) -> bool {
        self.kinds.iter().any(|kind| matches!(kind, SlotKind::Before(_)))
    }

    /// The values before the first position of the events view, given the state there.
    fn at_the_start(&self, first: &[Value]) -> Vec<Value> {
        let mut start = first.to_vec();
        for (before, kind) in self.kinds.iter().enumerate() {
            if let (SlotKind::Before(now), Some(value)) = (kind, first.get(before)) {
                start[now.0 as usize].clone_from(value);
            }
        }
        start
    }

    /// Whether a sample satisfies the formula, by the definition: as a run if there are values, else by its letters.
    /// `None` if the run's atoms are not those of the sample, which would be a defect.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn replay(&self, sample: &Sample, property: &Property, budget: &Budget) -> Result<Option<bool>, OverBudget> {
        let rows: Vec<Vec<bool>> =
            (0..self.atoms.len()).map(|a| sample.positions.iter().map(|p| p.atoms[a]).collect()).collect();
        let letters = Word::from_rows(rows, sample.positions.len());
        let mut atoms = Atoms::default();
        let Some(holds) = word_holds(&property.formula, &mut |atom| atoms.add(atom), &letters, budget)? else {
            return Ok(None);
        };
        if sample.positions.iter().any(|p| p.state.is_none()) {
            return Ok(Some(holds));
        }
        let trace = match self.trace(sample, budget) {
            Ok(trace) => trace,
            Err(Error::OverBudget(over)) => return Err(over),
            Err(_) => return Ok(None),
        };
        let Some(view) = property.formula.view() else { return Ok(None) };
        // An attribute that no event of the sample has is missing, not misspelt.
        let mut known = Vec::new();
        for atom in &self.atoms {
            if let Atom::Having(having) = atom {
                known.extend(having.tests.iter().map(|test| test.attribute.clone()));
            }
        }
        // Its atoms alone: what a formula makes of them was said above.
        let bound = match &property.formula {
            Formula::Ltl(_, formula) => bind_ltl(property, formula, &trace, &known).map(|bound| bound.map(drop)),
            Formula::Psl(_, formula) => bind_psl(property, formula, &trace, &known).map(|bound| bound.map(drop)),
            Formula::M2l(_, formula) => bind_m2l(property, formula, &trace, &known).map(|bound| bound.map(drop)),
            Formula::Monitor(_, monitor) => {
                bind_monitor(property, monitor, &trace, &known).map(|bound| bound.map(drop))
            }
            Formula::Ctl(_) => return Ok(None),
        };
        let Ok(bound) = bound else { return Ok(None) };
        let run = trace.linearisation();
        let word = eval::word(&trace, &bound, run, view, &mut Notes::default(), budget)?;
        let same = bound.atoms.len() == self.atoms.len()
            && word.len() == letters.len()
            && (0..self.atoms.len() as u32).all(|a| word.row(AtomId(a)) == letters.row(AtomId(a)));
        Ok(same.then_some(holds))
    }

    /// The run of a sample with values: a sequence of events.
    fn trace(&self, sample: &Sample, budget: &Budget) -> Result<Trace, Error> {
        let mut builder = Builder::new();
        let mut variables = Vec::new();
        for name in
            self.variables.iter().zip(&self.kinds).filter(|(_, kind)| **kind == SlotKind::Now).map(|(name, _)| name)
        {
            variables.push(builder.variable(name)?);
        }
        let own: Vec<usize> = (0..self.variables.len()).filter(|&v| self.kinds[v] == SlotKind::Now).collect();
        let place = |v: usize| own.binary_search(&v).unwrap_or_default();
        let no_values = Vec::new();
        let state = |i: usize| sample.positions.get(i).and_then(|p| p.state.as_ref()).unwrap_or(&no_values);
        let start = self.at_the_start(state(0));
        for (value, &variable) in own.iter().filter_map(|&v| start.get(v)).zip(&variables) {
            let value = builder.value(value.clone())?;
            builder.declare(variable, value);
        }
        let named: Vec<&str> = self
            .atoms
            .iter()
            .filter_map(|a| match a {
                Atom::Process(name) => Some(name.as_str()),
                _ => None,
            })
            .collect();
        let mut other = String::from("other");
        while named.contains(&other.as_str()) {
            other.push('\'');
        }
        let mut counts: std::collections::BTreeMap<String, u32> = std::collections::BTreeMap::new();
        let mut last = None;
        for (i, position) in sample.positions.iter().enumerate().filter(|(_, p)| p.event) {
            let name = position.process.clone().unwrap_or_else(|| other.clone());
            let process = builder.process(&name)?;
            builder.event(process, i as u64 + 1)?;
            if let Some(name) = &position.name {
                builder.name(name)?;
            }
            for (key, value) in &position.attributes {
                builder.attribute(key, &value.to_string())?;
            }
            for &v in &position.sets {
                let value = builder.value(state(i)[v].clone())?;
                builder.assign(variables[place(v)], value)?;
            }
            let count = counts.entry(name).or_default();
            let here = (process, *count);
            *count += 1;
            if let Some(before) = last.replace(here) {
                builder.edge(before, here, i as u64 + 1, [1, 1]);
            }
        }
        builder.finish(true, budget)
    }
}

/// Whether a word satisfies a property, by definition; `None` for one that is not about single words.
fn word_holds(
    formula: &Formula,
    place: &mut impl FnMut(&Atom) -> AtomId,
    word: &Word,
    budget: &Budget,
) -> Result<Option<bool>, OverBudget> {
    Ok(Some(match formula {
        Formula::Ltl(_, formula) => eval::holds(&formula.map_atoms(place), word),
        Formula::Psl(_, formula) => eval::psl_decide(&formula.map_atoms(place), word, budget)?,
        Formula::M2l(_, formula) => {
            let atoms: Vec<AtomId> = formula.program().atoms.iter().map(|(_, atom)| place(atom)).collect();
            match (eval::m2l_holds(formula.program(), &atoms, word, eval::M2L_STEPS, budget)?, formula.settled()) {
                (Some(holds), _) => holds,
                (None, Some(monitor)) => {
                    eval::monitor_holds(&monitor.map_atoms(&mut |a| atoms[a.0 as usize]), word, budget)?
                }
                (None, None) => return Ok(None),
            }
        }
        Formula::Monitor(_, monitor) => eval::monitor_holds(&monitor.map_atoms(place), word, budget)?,
        Formula::Ctl(_) => return Ok(None),
    }))
}
