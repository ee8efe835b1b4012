//! A property with an instance for each value, on a run that is not over.
//!
//! Each instance follows the orders of its own events. Their clocks are those of the run, with the events of other values left out: of each
//! process only how many events of the instance are known counts. What events that have not come will come after is known to an instance
//! only by its own events, so that it may forget less than it could; that changes no verdict. Since other values may come, nothing is
//! certain to hold before the end. Of CTL, an instance has a state at every cut of its own events if their writes are ordered,
//! whatever events of other values write.

use rustc_hash::FxHashMap;

use super::writes::{Write, Writes};
use super::{Culprit, Statement, Tree, both, statement};
use posetta_base::{Budget, Error, Kind, ProcessId, Value};
use posetta_compile::Prospect;
use posetta_logic::{Domain, Formula, Property, Slot, Which, for_each_number};
use posetta_trace::{Arrival, Frontier};

/// All instances that have begun.
pub(super) struct Each {
    /// The statements of every instance, before a value is put in.
    formulas: Vec<Formula>,
    initial: FxHashMap<String, Value>,
    processes: Option<Vec<String>>,
    budget: Budget,
    places: FxHashMap<Value, usize>,
    /// In the order of their first events.
    runs: Vec<(Value, Run)>,
    /// The first that is violated for certain.
    violated: Option<usize>,
}

/// One instance.
struct Run {
    statements: Vec<Statement>,
    /// Of a property of cuts.
    writes: Option<Writes>,
    frontier: Frontier,
    /// For each process, where its events of this instance are among all of its events, from 1.
    places: Vec<Vec<u32>>,
}

impl Each {
    pub(super) fn new(
        formulas: Vec<Formula>,
        initial: FxHashMap<String, Value>,
        processes: Option<&[String]>,
        budget: &Budget,
    ) -> Self {
        let processes = processes.map(<[_]>::to_vec);
        let (places, runs) = (FxHashMap::default(), Vec::new());
        Self { formulas, initial, processes, budget: budget.clone(), places, runs, violated: None }
    }

    /// An event has come, which belongs to at most one instance. Of a property of cuts, an answer is a place among what it assigns,
    /// and an earlier write of another value in the same instance that it does not come after.
    pub(super) fn arrive(
        &mut self,
        property: &Property,
        tree: &Tree,
        slots: &[Option<Option<Slot>>],
        event: &Arrival<'_>,
    ) -> Result<Option<(usize, Write)>, Error> {
        let value = match property.each.as_ref().map(|each| &each.domain) {
            Some(Domain::Values(attribute)) => event.attributes.get(attribute).cloned(),
            Some(Domain::Processes) | None => Some(Value::from(event.process_name)),
        };
        let Some(value) = value else { return Ok(None) };
        let place = match self.places.get(&value) {
            Some(&place) => place,
            None => {
                let run = self.begin(property, &value)?;
                self.places.insert(value.clone(), self.runs.len());
                self.runs.push((value, run));
                self.runs.len() - 1
            }
        };
        let run = &mut self.runs[place].1;
        if let Some(clash) = run.arrive(event, slots)? {
            return Ok(Some(clash));
        }
        if self.violated.is_none() && run.prospect(tree) == Prospect::Violated {
            self.violated = Some(place);
        }
        Ok(None)
    }

    fn begin(&self, property: &Property, value: &Value) -> Result<Run, Error> {
        if value.is_text() {
            let mut mistake = None;
            property.formula.for_each_atom(|atom| {
                let Some(condition) = atom.condition() else { return };
                for_each_number(condition, &mut |var, why| {
                    if var.which == Which::Key && mistake.is_none() {
                        mistake =
                            Some(property.mistake(Kind::Type, var.spot.0, why).label(format!("it is {value} here")));
                    }
                });
            });
            if let Some(mistake) = mistake {
                return Err(mistake.help("compare it with `==` or `!=`").into());
            }
        }
        let exists = |name: &String| self.processes.as_ref().is_none_or(|all| all.contains(name));
        let initial = |name: &str| self.initial[name].clone();
        let mut statements = Vec::with_capacity(self.formulas.len());
        for formula in &self.formulas {
            statements.push(statement(property, &formula.about(value), &mut true, &exists, &initial, &self.budget)?);
        }
        let writes = matches!(property.formula, Formula::Ctl(_)).then(Writes::default);
        let mut frontier = Frontier::new(self.processes.is_some());
        let declared = self.processes.as_ref().map_or(0, Vec::len);
        (0..declared as u32).for_each(|process| frontier.enter(ProcessId::from_raw(process)));
        Ok(Run { statements, writes, frontier, places: vec![Vec::new(); declared] })
    }

    /// What is certain.
    pub(super) fn prospect(&self) -> Prospect {
        if self.violated.is_some() { Prospect::Violated } else { Prospect::Open }
    }

    /// Events of the instance that is violated, by their places in the run.
    pub(super) fn culprits(&self, tree: &Tree) -> Vec<Culprit> {
        let Some((_, run)) = self.violated.map(|place| &self.runs[place]) else { return Vec::new() };
        let of_all = |culprit: &Culprit| Culprit { place: run.place_of(culprit.process, culprit.place), ..*culprit };
        let Some(shown_by) = tree.shown_by(&|place| run.statements[place].prospect()) else { return Vec::new() };
        run.statements[shown_by].culprits(run.writes.is_some()).iter().map(of_all).collect()
    }

    /// The values of the instances that do not hold on what has come, and how many there are in all.
    pub(super) fn failing(&self, tree: &Tree) -> (Vec<Value>, u64) {
        let fails = |run: &Run| !tree.holds(&|place| run.statements[place].satisfied());
        let failing = self.runs.iter().filter(|(_, run)| fails(run)).map(|(value, _)| value.clone()).collect();
        (failing, self.runs.len() as u64)
    }

    pub(super) fn divides_by_zero(&self) -> bool {
        self.statements().any(Statement::divides_by_zero)
    }

    pub(super) fn held(&self) -> (usize, usize) {
        self.statements().map(Statement::held).fold((0, 0), both)
    }

    fn statements(&self) -> impl Iterator<Item = &Statement> {
        self.runs.iter().flat_map(|(_, run)| &run.statements)
    }
}

impl Run {
    /// Answers with a write that leaves the state undetermined, and what was assigned then.
    fn arrive(&mut self, event: &Arrival<'_>, slots: &[Option<Option<Slot>>]) -> Result<Option<(usize, Write)>, Error> {
        let own = event.process.index();
        let most = event.clock.len().max(own + 1);
        while self.places.len() < most {
            self.frontier.enter(ProcessId::from_raw(self.places.len() as u32));
            self.places.push(Vec::new());
        }
        self.places[own].push(event.clock[own]);
        let known = |(places, &count): (&Vec<u32>, &u32)| places.partition_point(|&place| place <= count) as u32;
        let clock: Vec<u32> = self.places.iter().zip(event.clock).map(known).collect();
        self.frontier.learn(event.process, &clock);
        let event = Arrival { clock: &clock, ..event.clone() };
        if let Some(writes) = &mut self.writes {
            for (at, assigned) in event.assigned.iter().enumerate() {
                let slot = slots.get(assigned.var.index()).copied().flatten().flatten();
                if let Some(slot) = slot
                    && let Err(other) = writes.add(&event, slot, assigned.value)
                {
                    let place = self.place_of(other.process, other.place);
                    return Ok(Some((at, Write { place, ..other })));
                }
            }
        }
        for statement in &mut self.statements {
            statement.arrive(&event, &self.frontier)?;
        }
        Ok(None)
    }

    /// The place among all events of its process of one that is the `place`th of this instance there, both from 1.
    fn place_of(&self, process: ProcessId, place: u32) -> u32 {
        self.places[process.index()][place as usize - 1]
    }

    fn prospect(&self, tree: &Tree) -> Prospect {
        tree.prospect(&|place| self.statements[place].prospect())
    }
}
