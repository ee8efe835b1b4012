//! Observation graphs of modules, synchronised: the graph of the whole system (paper 003, definition 6, for any number of modules).
//!
//! A node is a tuple of meta-states, one per module, and stands for all tuples of their states. With one module this is its graph; else
//! actions that modules share and nobody observes are silent arcs.
//!
//! Whether a node holds a state without a step: the paper's algorithm 2 finds deadlocks that are not there and misses others. Here each module
//! chooses one of the smallest sets of shared actions that a state of it is ready for, such that for every action somebody is not.

use dashu_int::UBig;
use rustc_hash::FxHashMap;

use super::bounds;
use super::module::{MetaId, Module, Ready};
use super::observed::{Arc, NodeId, Observed};
use super::space::Space;
use posetta_base::{ActionId, Budget, Claim, ComponentId, Error, Limit, OverBudget};
use posetta_dd::idd::Set;
use posetta_model::system::{Action, Behaviour, System};

const WHAT: &str = "synchronising observation graphs";

/// Which components belong to which module.
pub(super) struct Partition {
    /// The components of each module, ascending.
    pub(super) members: Vec<Vec<ComponentId>>,
    /// The modules alone.
    pub(super) systems: Vec<System>,
    _claim: Claim,
}

/// Which modules there should be.
pub(super) enum Modules<'a> {
    /// All components in one.
    One,
    /// By component: whether it is a module by itself. The others are one module: what they do among themselves is then inside meta-states, where
    /// as modules of their own they would be as many tuples as they have states together.
    Apart(&'a [bool]),
}

impl Partition {
    /// These modules. What is bounded only by what others let it do is put together with those that it shares actions with.
    pub(super) fn new(system: &System, modules: &Modules<'_>, budget: &Budget) -> Result<Self, Error> {
        let mut members: Vec<Vec<ComponentId>> = match modules {
            Modules::One => vec![system.component_ids().collect()],
            Modules::Apart(apart) => {
                let (alone, others): (Vec<_>, Vec<_>) = system.component_ids().partition(|c| apart[c.index()]);
                let others = Some(others).filter(|others| !others.is_empty());
                alone.into_iter().map(|c| vec![c]).chain(others).collect()
            }
        };
        // Each module knows of every action.
        let bytes = members.len() as u64 * (size_of::<Action>() as u64 + 16) * system.actions.len() as u64;
        let claim = budget.claim(bytes, WHAT)?;
        let mut at = 0;
        while at < members.len() && members.len() > 1 {
            let has_net = |c: &ComponentId| matches!(system.component(*c).behaviour, Behaviour::Net(_));
            if !members[at].iter().any(has_net) || is_bounded(&system.restricted(&members[at]), budget)? {
                at += 1;
                continue;
            }
            let module = members.remove(at);
            let shares = |other: &Vec<ComponentId>| {
                let both = |parts: &[ComponentId]| {
                    parts.iter().any(|c| module.contains(c)) && parts.iter().any(|c| other.contains(c))
                };
                system.actions.iter().any(|a| both(&a.parts))
            };
            // A module that shares nothing is what it is in the whole system: not bounded.
            let Some(with) = members.iter().position(shares) else {
                return Err(unbounded(&system.restricted(&module), budget));
            };
            members[with].extend(module);
            members[with].sort_unstable();
            at = at.min(with);
        }
        let systems = members.iter().map(|m| system.restricted(m)).collect();
        Ok(Self { members, systems, _claim: claim })
    }
}

/// All states of a module, whatever others do.
fn everything(system: &System, budget: &Budget) -> Result<(), Error> {
    bounds::refuse_unbounded(system, budget)?;
    let mut space = Space::new(system, budget)?;
    let (initial, closing) = (space.initial, space.closing(|_| true));
    space.close(initial, closing).map(drop)
}

fn is_bounded(system: &System, budget: &Budget) -> Result<bool, Error> {
    match everything(system, budget) {
        Ok(()) => Ok(true),
        Err(Error::Invalid(_)) => Ok(false),
        Err(over) => Err(over),
    }
}

/// Why a module is not bounded.
fn unbounded(system: &System, budget: &Budget) -> Error {
    everything(system, budget).err().unwrap_or(OverBudget::new(WHAT, Limit::Memory).into())
}

pub(super) struct Product<'s> {
    pub(super) modules: Vec<Module<'s>>,
    /// By action: the modules that take part.
    takers: Vec<Vec<usize>>,
    /// By action.
    observed: Vec<bool>,
    tuples: Vec<Box<[MetaId]>>,
    ids: FxHashMap<Box<[MetaId]>, NodeId>,
    dead: FxHashMap<NodeId, bool>,
    /// Arcs that were given, if that is counted.
    pub(super) arcs: FxHashMap<NodeId, u64>,
    budget: &'s Budget,
    claim: Claim,
}

impl<'s> Product<'s> {
    pub(super) fn new(partition: &'s Partition, observed: &[bool], budget: &'s Budget) -> Result<Self, Error> {
        let mut takers: Vec<Vec<usize>> = vec![Vec::new(); observed.len()];
        for (module, system) in partition.systems.iter().enumerate() {
            for action in system.action_ids() {
                if !system.action(action).parts.is_empty() {
                    takers[action.index()].push(module);
                }
            }
        }
        let shared: Vec<bool> = takers.iter().map(|t| t.len() > 1).collect();
        let mut modules = Vec::with_capacity(partition.systems.len());
        for system in &partition.systems {
            let space = Space::new(system, budget)?;
            modules.push(Module::new(space, observed, shared.clone()));
        }
        let claim = budget.claim(0, WHAT)?;
        Ok(Self {
            modules,
            takers,
            observed: observed.to_vec(),
            tuples: Vec::new(),
            ids: FxHashMap::default(),
            dead: FxHashMap::default(),
            arcs: FxHashMap::default(),
            budget,
            claim,
        })
    }

    pub(super) fn tuple(&self, node: NodeId) -> &[MetaId] {
        &self.tuples[node.index()]
    }

    /// How many tuples have been met.
    pub(super) fn len(&self) -> usize {
        self.tuples.len()
    }

    fn id(&mut self, tuple: Vec<MetaId>) -> Result<NodeId, OverBudget> {
        if let Some(&known) = self.ids.get(tuple.as_slice()) {
            return Ok(known);
        }
        if self.tuples.len() == self.tuples.capacity() {
            let each = 2 * (4 * tuple.len() as u64 + 48);
            self.claim.grow_to(2 * each * (self.tuples.len() as u64 + 16), WHAT)?;
        }
        let id = u32::try_from(self.tuples.len()).map_err(|_| OverBudget::new(WHAT, Limit::Memory))?;
        let id = NodeId(id);
        self.tuples.push(tuple.clone().into());
        self.ids.insert(tuple.into(), id);
        Ok(id)
    }

    /// How many states each tuple stands for, and the most diagram nodes that the meta-states of one module take.
    pub(super) fn sizes(&mut self) -> Result<(Vec<UBig>, u64), OverBudget> {
        let mut counts: Vec<Vec<UBig>> = Vec::with_capacity(self.modules.len());
        let mut nodes = 0;
        for module in &mut self.modules {
            let sets: Vec<Set> = module.sets().collect();
            nodes = nodes.max(module.space.diagrams.nodes_of(&sets) as u64);
            counts.push(sets.iter().map(|&s| module.space.diagrams.count(s)).collect::<Result<_, _>>()?);
        }
        let of = |tuple: &[MetaId]| {
            let factors = tuple.iter().zip(&counts).map(|(&meta, counts)| &counts[meta.index()]);
            factors.fold(UBig::ONE, |all, n| all * n)
        };
        Ok((self.tuples.iter().map(|t| of(t)).collect(), nodes))
    }

    pub(super) fn takes_part(&self, module: usize, action: ActionId) -> bool {
        self.takers[action.index()].binary_search(&module).is_ok()
    }

    /// For each module what it is ready for in a state of the node in which no action can take place.
    pub(super) fn deadlock(&mut self, node: NodeId) -> Result<Option<Vec<Ready>>, OverBudget> {
        let tuple = self.tuples[node.index()].clone();
        let mut choices: Vec<Vec<Ready>> = Vec::with_capacity(tuple.len());
        for (module, &meta) in self.modules.iter_mut().zip(&tuple) {
            let ready = module.ready(meta)?;
            if ready.is_empty() {
                return Ok(None);
            }
            choices.push(ready.to_vec());
        }
        // Depth first over modules; `chosen[m]` is the next choice to try.
        let mut chosen: Vec<usize> = vec![0];
        while let Some(&choice) = chosen.last() {
            self.budget.step(1, "looking for deadlocks")?;
            let module = chosen.len() - 1;
            let Some(ready) = choices[module].get(choice) else {
                chosen.pop();
                if let Some(last) = chosen.last_mut() {
                    *last += 1;
                }
                continue;
            };
            let agreed = |action: &ActionId| {
                let takers = &self.takers[action.index()];
                takers.last() == Some(&module)
                    && takers.iter().all(|&t| choices[t][chosen[t]].binary_search(action).is_ok())
            };
            if ready.iter().any(agreed) {
                chosen[module] += 1;
            } else if chosen.len() == choices.len() {
                return Ok(Some(chosen.iter().zip(&choices).map(|(&c, all)| all[c].clone()).collect()));
            } else {
                chosen.push(0);
            }
        }
        Ok(None)
    }
}

impl Observed for Product<'_> {
    fn start(&mut self) -> Result<NodeId, Error> {
        let tuple = self.modules.iter_mut().map(Module::start).collect::<Result<Vec<MetaId>, Error>>()?;
        Ok(self.id(tuple)?)
    }

    fn arcs(&mut self, node: NodeId) -> Result<Vec<Arc>, Error> {
        let tuple = self.tuples[node.index()].clone();
        let mut arcs = Vec::new();
        for (first, &meta) in tuple.iter().enumerate() {
            for arc in self.modules[first].arcs(meta)?.to_vec() {
                let takers = &self.takers[arc.action.index()];
                if takers.first() != Some(&first) {
                    continue;
                }
                let mut next = tuple.to_vec();
                next[first] = arc.to;
                let mut all = true;
                for &taker in &takers[1..] {
                    let theirs = self.modules[taker].arcs(tuple[taker])?;
                    match theirs.binary_search_by_key(&arc.action, |a| a.action) {
                        Ok(at) => next[taker] = theirs[at].to,
                        Err(_) => {
                            all = false;
                            break;
                        }
                    }
                }
                if all {
                    arcs.push(Arc { action: arc.action, to: self.id(next)? });
                }
            }
        }
        arcs.sort_unstable();
        self.arcs.insert(node, arcs.len() as u64);
        Ok(arcs)
    }

    fn observes(&self, action: ActionId) -> bool {
        self.observed[action.index()]
    }

    fn is_dead(&mut self, node: NodeId) -> Result<bool, Error> {
        if let Some(&known) = self.dead.get(&node) {
            return Ok(known);
        }
        let found = self.deadlock(node)?.is_some();
        self.dead.insert(node, found);
        Ok(found)
    }

    fn is_divergent(&mut self, node: NodeId) -> Result<bool, Error> {
        let tuple = self.tuples[node.index()].clone();
        for (module, &meta) in self.modules.iter_mut().zip(&tuple) {
            if module.is_divergent(meta)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
