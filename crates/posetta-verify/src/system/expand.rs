//! From a path through observation graphs to a run of the components.
//!
//! A path gives each module a list of visible actions. What the module does between them is found backwards: every state of a meta-state
//! was reached from some state in which it was entered, and that one by the action from a state of the meta-state before. The
//! modules' steps are then put into one order, in which an action that is shared waits for all that take part.
//!
//! A cycle of meta-states need not be a cycle of states. Going round it backwards from a state again and again, one comes to a state twice:
//! so many rounds make a cycle of states. Modules may need different numbers of rounds; all close after their least common multiple.

use rustc_hash::FxHashMap;

use super::module::{MetaId, Module};
use super::observed::{Arc, Ending, Path};
use super::product::{Partition, Product};
use super::space::Way;
use super::walk::Walk;
use posetta_base::{ActionId, Error, Limit, OverBudget};
use posetta_dd::idd::Set;
use posetta_model::system::{End, Move, Run, Slots, System};

pub(super) type State = Vec<u32>;

/// Steps of a module: what it does, and the state it has then.
pub(super) type Steps = Vec<(ActionId, State)>;

/// After so much work on sets of states at each distance, paths are looked for in another way: diagram nodes of a set, times the ways that lead
/// to it.
const RING_WORK: usize = 400_000;

/// More steps than this are not written out.
const MOST_STEPS: usize = 1_000_000;

const WRITING: &str = "writing out a run";

/// What steps take; all states have the same size.
fn bytes(steps: &Steps) -> u64 {
    let state = steps.first().map_or(0, |(_, state)| 4 * state.len() + 16);
    (steps.capacity() * size_of::<(ActionId, State)>() + steps.len() * state) as u64
}

/// What a module does on a path, and then again and again.
struct Local {
    prefix: Steps,
    /// One entry per round; none if it does nothing then.
    rounds: Vec<Steps>,
}

impl Module<'_> {
    /// A path of silent steps inside a set that silent steps do not leave, from a state of `from` to one of `goal`: where it begins, and the
    /// steps. `None` if there is none. A shortest one, if the sets of states at each distance stay small; where they do not, action by action.
    pub(super) fn silent_path(&mut self, from: Set, goal: Set, within: Set) -> Result<Option<(State, Steps)>, Error> {
        let mut layers = vec![goal];
        let (mut seen, mut last, mut work) = (goal, goal, 0);
        let silent = self.silents();
        loop {
            let here = self.space.diagrams.intersection(last, from)?;
            if let Some(first) = self.space.pick(here) {
                let steps = self.descend(first.clone(), &layers)?;
                return Ok(Some((first, steps)));
            }
            work += self.space.diagrams.nodes(last) * self.space.ways.len();
            if work > RING_WORK {
                return match self.walked_path(from, goal, &silent)? {
                    Some(found) => Ok(Some(found)),
                    None => self.chained_path(from, goal, &silent),
                };
            }
            let before = self.space.before_any(last, within, &|a| silent[a.index()])?;
            last = self.space.diagrams.difference(before, seen)?;
            if self.space.diagrams.is_empty(last) {
                return Ok(None);
            }
            seen = self.space.diagrams.union(seen, last)?;
            layers.push(last);
        }
    }

    /// A path from a state of `from` to one of `goal` without sets, if it is easily found.
    fn walked_path(&mut self, from: Set, goal: Set, silent: &[bool]) -> Result<Option<(State, Steps)>, Error> {
        let (Some(first), Some(last)) = (self.space.pick(from), self.space.pick(goal)) else { return Ok(None) };
        let steps = Walk::new(self.space.system, last).steps(&first, &|a| silent[a.index()], self.space.budget)?;
        Ok(steps.map(|steps| (first, steps)))
    }

    /// A path from a state of `from` to one of `goal`, both in sets that grow by one action after the other. These sets stay much smaller than
    /// those of the states at each distance, and the path is not a shortest one.
    fn chained_path(&mut self, from: Set, goal: Set, silent: &[bool]) -> Result<Option<(State, Steps)>, Error> {
        let ways: Vec<Way> = self.space.deepest_first().into_iter().filter(|w| silent[w.action.index()]).collect();
        // What was known before a way brought something new, and the way.
        let mut grown: Vec<(Set, Way)> = Vec::new();
        let (mut all, mut at, mut idle) = (from, 0, 0);
        let mut found = self.space.diagrams.intersection(all, goal)?;
        while self.space.diagrams.is_empty(found) {
            if idle == ways.len() {
                return Ok(None);
            }
            let more = self.space.fire(all, ways[at])?;
            let both = self.space.diagrams.union(all, more)?;
            if both == all {
                idle += 1;
            } else {
                grown.push((all, ways[at]));
                (all, idle) = (both, 0);
                found = self.space.diagrams.intersection(more, goal)?;
            }
            at = (at + 1) % ways.len();
        }
        let mut state = self.space.pick(found).expect("something was found");
        let (mut backwards, mut left) = (Steps::new(), grown.len());
        let mut claim = self.space.budget.claim(0, WRITING)?;
        loop {
            // The state came with the last growth before which it was not there.
            let known = grown[..left].partition_point(|&(before, _)| !self.space.contains(before, &state));
            if known == 0 {
                break;
            }
            let (before, way) = grown[known - 1];
            let one = self.space.one(&state)?;
            let sources = self.space.diagrams.fire(one, way.back)?;
            // From the earliest states that lead here.
            let (mut low, mut high) = (0, known - 1);
            while low < high {
                let middle = usize::midpoint(low, high);
                let here = self.space.diagrams.intersection(sources, grown[middle].0)?;
                if self.space.diagrams.is_empty(here) { low = middle + 1 } else { high = middle }
            }
            let sources =
                self.space.diagrams.intersection(sources, if low < known - 1 { grown[low].0 } else { before })?;
            backwards.push((way.action, state));
            claim.grow_to(bytes(&backwards), WRITING)?;
            state = self.space.pick(sources).expect("what is new came from what was known");
            left = known - 1;
        }
        backwards.reverse();
        Ok(Some((state, backwards)))
    }

    /// Steps from a state of the last layer through all layers to the first.
    fn descend(&mut self, mut at: State, layers: &[Set]) -> Result<Steps, Error> {
        let silent = self.silents();
        let (mut steps, mut claim) = (Vec::new(), self.space.budget.claim(0, WRITING)?);
        for &layer in layers[..layers.len() - 1].iter().rev() {
            let Some((action, next)) = self.step_into(&at, layer, &|a| silent[a.index()])? else { break };
            steps.push((action, next.clone()));
            claim.grow_to(bytes(&steps), WRITING)?;
            at = next;
        }
        Ok(steps)
    }

    /// A step of a kind from a state into a set.
    pub(super) fn step_into(
        &mut self,
        at: &State,
        into: Set,
        kind: &dyn Fn(ActionId) -> bool,
    ) -> Result<Option<(ActionId, State)>, Error> {
        let one = self.space.one(at)?;
        for action in self.space.actions() {
            if kind(action) {
                let after = self.space.after(one, action)?;
                let after = self.space.diagrams.intersection(after, into)?;
                if let Some(next) = self.space.pick(after) {
                    return Ok(Some((action, next)));
                }
            }
        }
        Ok(None)
    }

    fn silents(&self) -> Vec<bool> {
        self.space.system.action_ids().map(|a| self.is_silent(a)).collect()
    }

    /// The meta-states along visible actions, and the states in which each is entered: first `entry`.
    fn stations(&mut self, start: MetaId, entry: Set, labels: &[ActionId]) -> Result<(Vec<MetaId>, Vec<Set>), Error> {
        let (mut metas, mut entries) = (vec![start], vec![entry]);
        for &label in labels {
            let at = metas[metas.len() - 1];
            let arcs = self.arcs(at)?;
            // The path was made of these arcs.
            let found = arcs.iter().find(|a| a.action == label).map(|a| a.to);
            metas.push(found.expect("a path consists of arcs"));
        }
        // Sets that are held here would not survive a tidy of the arcs above.
        for (i, &label) in labels.iter().enumerate() {
            entries.push(self.space.after(self.set(metas[i]), label)?);
        }
        Ok((metas, entries))
    }

    /// The steps that lead to a state of the last station, from some state in which the first is entered.
    fn trace_back(
        &mut self,
        (metas, entries): (&[MetaId], &[Set]),
        labels: &[ActionId],
        goal: State,
        first_entry: Option<Set>,
    ) -> Result<(State, Steps), Error> {
        let mut backwards: Steps = Vec::new();
        let mut at = goal;
        for i in (0..metas.len()).rev() {
            let within = self.set(metas[i]);
            // If there is a choice of where to begin, any state will do if none of the preferred ones leads here.
            let entry = if i == 0 { first_entry.unwrap_or(entries[0]) } else { entries[i] };
            let one = self.space.one(&at)?;
            if let Some((first, steps)) = self.silent_path(entry, one, within)? {
                backwards.extend(steps.into_iter().rev());
                at = first;
            }
            if i > 0 {
                let one = self.space.one(&at)?;
                let before = self.space.before(one, labels[i - 1], self.set(metas[i - 1]))?;
                backwards.push((labels[i - 1], at));
                at = self
                    .space
                    .pick(before)
                    .expect("a state in which a meta-state is entered was entered from the one before");
            }
        }
        backwards.reverse();
        Ok((at, backwards))
    }

    /// The steps from the initial state to a state of `goal` in the last meta-state; without a goal to where it is entered.
    fn prefix(&mut self, labels: &[ActionId], goal: Option<State>) -> Result<(State, Steps), Error> {
        let start = self.start()?;
        let initial = self.space.initial;
        let (metas, entries) = self.stations(start, initial, labels)?;
        let goal = match goal {
            Some(goal) => goal,
            None => self.space.pick(entries[entries.len() - 1]).expect("an arc leads somewhere"),
        };
        let (_, steps) = self.trace_back((&metas, &entries), labels, goal.clone(), None)?;
        Ok((goal, steps))
    }

    /// A state of a meta-state and the rounds that lead from it back to it along a cycle of visible actions.
    fn rounds(&mut self, meta: MetaId, labels: &[ActionId]) -> Result<(State, Vec<Steps>), Error> {
        let whole = self.set(meta);
        let (metas, entries) = self.stations(meta, whole, labels)?;
        let first = self.space.pick(entries[entries.len() - 1]).expect("an arc leads somewhere");
        let mut passed: Vec<State> = vec![first];
        let mut rounds: Vec<Steps> = Vec::new();
        loop {
            let mut known = self.space.diagrams.empty();
            for state in &passed {
                let one = self.space.one(state)?;
                known = self.space.diagrams.union(known, one)?;
            }
            let goal = passed[passed.len() - 1].clone();
            let (began, steps) = self.trace_back((&metas, &entries), labels, goal, Some(known))?;
            rounds.push(steps);
            if let Some(again) = passed.iter().position(|s| *s == began) {
                // Round i leads from what was passed after i to what was passed at i.
                let mut cycle = rounds.split_off(again);
                cycle.reverse();
                return Ok((began, cycle));
            }
            passed.push(began);
        }
    }

    /// A state and the silent steps that lead from it back to it.
    fn silent_cycle(&mut self, meta: MetaId) -> Result<(State, Steps), Error> {
        let core = self.core(meta)?;
        let start = self.space.pick(core).expect("a divergent meta-state has a core");
        let silent = self.silents();
        let (lead, cycle) = self.going_round(start.clone(), core, &|a| silent[a.index()])?;
        Ok((lead.last().map_or(start, |(_, state)| state.clone()), cycle))
    }

    /// Steps of a kind from a state inside a set, until they come to a state again: those before the cycle, and those on it; none where no
    /// further step leads into the set.
    pub(super) fn going_round(
        &mut self,
        start: State,
        core: Set,
        kind: &dyn Fn(ActionId) -> bool,
    ) -> Result<(Steps, Steps), Error> {
        let mut places = FxHashMap::from_iter([(start.clone(), 0)]);
        let (mut at, mut steps) = (start, Steps::new());
        let mut claim = self.space.budget.claim(0, WRITING)?;
        loop {
            let Some((action, next)) = self.step_into(&at, core, kind)? else { return Ok((steps, Steps::new())) };
            steps.push((action, next.clone()));
            // Each state is a key as well.
            claim.grow_to(3 * bytes(&steps), WRITING)?;
            if let Some(&again) = places.get(&next) {
                let cycle = steps.split_off(again);
                return Ok((steps, cycle));
            }
            places.insert(next.clone(), steps.len());
            at = next;
        }
    }
}

/// The moves of steps of a whole system from its initial state.
pub(super) fn moves(system: &System, steps: &Steps) -> Vec<Move> {
    let slots = Slots::new(system);
    let mut state = &system.initial();
    let mut moves = Vec::with_capacity(steps.len());
    for (action, next) in steps {
        moves.extend(system.step_between(&slots, state, *action, next));
        state = next;
    }
    moves
}

/// The run of a system that a path through its observation graphs stands for.
pub(super) fn run(
    system: &System,
    partition: &Partition,
    product: &mut Product<'_>,
    path: &Path,
) -> Result<Run, Error> {
    use super::observed::Observed as _;
    let last = match path.prefix.last() {
        Some(arc) => arc.to,
        None => product.start()?,
    };
    let tuple = product.tuple(last).to_vec();
    let cycle: &[Arc] = match &path.end {
        Ending::Cycle(arcs) => arcs,
        Ending::Open | Ending::Dead | Ending::Divergent => &[],
    };
    let ready = match path.end {
        Ending::Dead => product.deadlock(last)?,
        _ => None,
    };
    let mut locals = Vec::with_capacity(tuple.len());
    let mut diverged = false;
    for (m, &meta) in tuple.iter().enumerate() {
        let own = |arcs: &[Arc]| -> Vec<ActionId> {
            arcs.iter().map(|a| a.action).filter(|&a| product.takes_part(m, a)).collect()
        };
        let (labels, again) = (own(&path.prefix), own(cycle));
        let module = &mut product.modules[m];
        let (mut goal, mut rounds) = (None, Vec::new());
        if let Some(ready) = &ready {
            let set = module.ready_for(meta, &ready[m])?;
            goal = module.space.pick(set);
        } else if path.end == Ending::Divergent && !diverged && module.is_divergent(meta)? {
            diverged = true;
            let (state, steps) = module.silent_cycle(meta)?;
            (goal, rounds) = (Some(state), vec![steps]);
        } else if !again.is_empty() {
            let (state, found) = module.rounds(meta, &again)?;
            (goal, rounds) = (Some(state), found);
        }
        let (_, prefix) = module.prefix(&labels, goal)?;
        locals.push(Local { prefix, rounds });
    }
    weave(system, partition, product, path, cycle, &locals)
}

/// One order of what the modules do.
struct Weaver<'a> {
    system: &'a System,
    slots: Slots,
    /// The slots of each module in a global state, in its own order.
    places: Vec<Vec<usize>>,
    state: State,
    run: Run,
}

impl Weaver<'_> {
    /// An action takes place; these modules have these states then.
    fn step(&mut self, action: ActionId, after: &[(usize, &State)]) -> Result<(), OverBudget> {
        let mut next = self.state.clone();
        for &(module, state) in after {
            for (&place, &value) in self.places[module].iter().zip(state) {
                next[place] = value;
            }
        }
        let step = self.system.step_between(&self.slots, &self.state, action, &next);
        self.run.steps.push(step.expect("the modules agree on their common steps"));
        self.state = next;
        if self.run.steps.len() > MOST_STEPS {
            return Err(OverBudget::new(WRITING, Limit::Memory));
        }
        Ok(())
    }
}

fn weave(
    system: &System,
    partition: &Partition,
    product: &Product<'_>,
    path: &Path,
    cycle: &[Arc],
    locals: &[Local],
) -> Result<Run, Error> {
    let slots = Slots::new(system);
    let places = partition.members.iter().map(|members| members.iter().flat_map(|&c| slots.of(c)).collect()).collect();
    let run = Run { steps: Vec::new(), end: End::Open };
    let mut weaver = Weaver { system, slots, places, state: system.initial(), run };
    let prefixes: Vec<&[(ActionId, State)]> = locals.iter().map(|l| l.prefix.as_slice()).collect();
    together(&mut weaver, product, &path.prefix, &prefixes)?;
    weaver.run.end = match path.end {
        Ending::Open => End::Open,
        Ending::Dead => End::Dead,
        Ending::Divergent | Ending::Cycle(_) => End::Cycle(weaver.run.steps.len()),
    };
    if matches!(weaver.run.end, End::Cycle(_)) {
        let lengths = locals.iter().map(|l| l.rounds.len()).filter(|&n| n > 0);
        let rounds = lengths.fold(1, |all, n| all / gcd(all, n) * n);
        for round in 0..rounds {
            let steps: Vec<&[(ActionId, State)]> = locals
                .iter()
                .map(|l| if l.rounds.is_empty() { &[][..] } else { l.rounds[round % l.rounds.len()].as_slice() })
                .collect();
            together(&mut weaver, product, cycle, &steps)?;
        }
    }
    Ok(weaver.run)
}

/// The steps of modules along common actions, each module's own steps as late as possible.
fn together(
    weaver: &mut Weaver<'_>,
    product: &Product<'_>,
    arcs: &[Arc],
    steps: &[&[(ActionId, State)]],
) -> Result<(), OverBudget> {
    let mut done = vec![0; steps.len()];
    for arc in arcs {
        let takers: Vec<usize> = (0..steps.len()).filter(|&m| product.takes_part(m, arc.action)).collect();
        for &m in &takers {
            while product.modules[m].is_silent(steps[m][done[m]].0) {
                let (action, state) = &steps[m][done[m]];
                weaver.step(*action, &[(m, state)])?;
                done[m] += 1;
            }
        }
        let after: Vec<(usize, &State)> = takers.iter().map(|&m| (m, &steps[m][done[m]].1)).collect();
        weaver.step(arc.action, &after)?;
        takers.iter().for_each(|&m| done[m] += 1);
    }
    for (m, all) in steps.iter().enumerate() {
        for (action, state) in &all[done[m]..] {
            weaver.step(*action, &[(m, state)])?;
        }
    }
    Ok(())
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
