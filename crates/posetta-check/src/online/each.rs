//! A property with an instance for each value, on a run that is not over.
//!
//! Each instance follows the orders of its own events. Their clocks are those of the run, with the events of other values left out: of each
//! process only how many events of the instance are known counts. What events that have not come will come after is known to an instance
//! only by its own events, so that it may forget less than it could; that changes no verdict. Since other values may come, nothing is
//! certain to hold before the end.

use rustc_hash::FxHashMap;

use super::{Culprit, Statement, Tree, both, orders};
use posetta_base::{Budget, Error, Kind, OverBudget, ProcessId, Value};
use posetta_compile::Prospect;
use posetta_logic::{Domain, Property, Quantifier, Which, for_each_number};
use posetta_trace::{Arrival, Frontier};

/// All instances that have begun.
pub(super) struct Each {
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
    statement: Statement,
    frontier: Frontier,
    /// For each process, where its events of this instance are among all of its events, from 1.
    places: Vec<Vec<u32>>,
}

impl Each {
    pub(super) fn new(initial: FxHashMap<String, Value>, processes: Option<&[String]>, budget: &Budget) -> Self {
        let processes = processes.map(<[_]>::to_vec);
        let (places, runs) = (FxHashMap::default(), Vec::new());
        Self { initial, processes, budget: budget.clone(), places, runs, violated: None }
    }

    /// An event has come, which belongs to at most one instance.
    pub(super) fn arrive(&mut self, property: &Property, tree: &Tree, event: &Arrival<'_>) -> Result<(), Error> {
        let value = match property.each.as_ref().map(|each| &each.domain) {
            Some(Domain::Values(attribute)) => event.attributes.get(attribute).cloned(),
            Some(Domain::Processes) | None => Some(Value::from(event.process_name)),
        };
        let Some(value) = value else { return Ok(()) };
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
        run.arrive(event)?;
        if self.violated.is_none() && run.prospect(tree) == Prospect::Violated {
            self.violated = Some(place);
        }
        Ok(())
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
        let satisfy = property.quantifier == Quantifier::Every;
        let formula = property.formula.about(value);
        let (parts, _) = orders(&formula, satisfy, &exists, &initial, &self.budget)?;
        let mut frontier = Frontier::new(self.processes.is_some());
        let declared = self.processes.as_ref().map_or(0, Vec::len);
        (0..declared as u32).for_each(|process| frontier.enter(ProcessId::from_raw(process)));
        Ok(Run { statement: Statement::Orders(parts), frontier, places: vec![Vec::new(); declared] })
    }

    /// What is certain.
    pub(super) fn prospect(&self) -> Prospect {
        if self.violated.is_some() { Prospect::Violated } else { Prospect::Open }
    }

    /// Events of the instance that is violated, by their places in the run.
    pub(super) fn culprits(&self) -> Vec<Culprit> {
        let Some((_, run)) = self.violated.map(|place| &self.runs[place]) else { return Vec::new() };
        let of_all = |culprit: &Culprit| Culprit {
            place: run.places[culprit.process.index()][culprit.place as usize - 1],
            ..*culprit
        };
        run.statement.culprits(false).iter().map(of_all).collect()
    }

    /// The values of the instances that do not hold on what has come, and how many there are in all.
    pub(super) fn failing(&self, tree: &Tree) -> (Vec<Value>, u64) {
        let fails = |run: &Run| !tree.holds(&|_| run.statement.satisfied());
        let failing = self.runs.iter().filter(|(_, run)| fails(run)).map(|(value, _)| value.clone()).collect();
        (failing, self.runs.len() as u64)
    }

    pub(super) fn divides_by_zero(&self) -> bool {
        self.runs.iter().any(|(_, run)| run.statement.divides_by_zero())
    }

    pub(super) fn held(&self) -> (usize, usize) {
        self.runs.iter().map(|(_, run)| run.statement.held()).fold((0, 0), both)
    }
}

impl Run {
    fn arrive(&mut self, event: &Arrival<'_>) -> Result<(), OverBudget> {
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
        self.statement.arrive(&Arrival { clock: &clock, ..event.clone() }, &self.frontier)
    }

    fn prospect(&self, tree: &Tree) -> Prospect {
        tree.prospect(&|_| self.statement.prospect())
    }
}
