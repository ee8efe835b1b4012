//! Internal actions that can be taken at once.
//!
//! An internal action τ is *eager* if in every component that takes part in it, from every local state that the component can be in by itself,
//! τ leads to one state at most, and every other thing x that can happen there commutes with it: if q -τ-> q' and q -x-> r, then q' -x-> r' and
//! r -τ-> r' for some r'. Components that take part in only one of the two do not come between them, so the same is true of global states: τ is
//! never taken away by x, nor x by τ, and both orders lead to the same state. Where another component takes part in both as well and is never ready
//! for the two at once, there is nothing to commute: `move[0]` and `move[1]` exclude each other at the sender, whatever the receiver says.
//!
//! **An eager action changes no trace.** Obs(s) = Obs(s') if s -τ-> s'. Whatever s' can do, s can after a silent step. The other way round, let
//! s x1 … xn be a run. If no xi is τ, all of it can be done from s', by n diamonds. Else let xi be the first τ: by i-1 diamonds τ can come first, and
//! the rest follows. Neither changes the observable actions, nor their order. (This is the confluence of Milner 1989, chapter 11, in a local form that
//! is cheap to test; partial-order reduction uses it likewise.) So a search may follow one eager action and forget the rest ([`super::automaton`]).
//!
//! **If all internal actions are eager and all actions have one successor at most**, states that are reached by the same trace have the same
//! future, although there are many of them: by induction over the trace, any two of them lead silently to a common one (diamonds again), and by the above
//! that has the traces of both. So it can be asked of one state at a time whether an action is possible; [`super::symbolic`] does so.
//!
//! Of nets the test is by transitions: they commute if neither takes from a place what the other may need, that is, if every place that one
//! of them takes from does not get poorer by the other.

use rustc_hash::FxHashSet;

use super::WHAT;
use posetta_base::{ActionId, Budget, ComponentId, OverBudget};
use posetta_model::system::{Behaviour, Lts, LtsArc, Net, System, Transition};

/// Which actions of a system are eager, and what keeps the others from it.
#[derive(Clone, Debug)]
pub(super) struct Confluence {
    /// By action.
    pub(super) eager: Vec<bool>,
    /// The first thing that makes futures depend on more than the trace, if there is any.
    pub(super) obstacle: Option<Obstacle>,
}

/// An internal action, another one, and a component in which they do not commute.
type Clash = (ActionId, ActionId, ComponentId);

/// Why a trace does not determine what can come after it, or may not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// A component has several ways to do an action.
    Choice(ActionId, ComponentId),
    /// A component does an internal action and another one, and not in both orders with the same result.
    Conflict(ActionId, ActionId, ComponentId),
}

impl Obstacle {
    /// What it is, for people.
    pub(super) fn told(&self, system: &System) -> String {
        match self {
            Self::Choice(action, component) => format!(
                "`{}` of its component `{}` can lead to several states",
                system.action(*action).name,
                system.component(*component).name
            ),
            Self::Conflict(silent, other, component) => format!(
                "in its component `{}` the internal action `{}` and `{}` do not commute",
                system.component(*component).name,
                system.action(*silent).name,
                system.action(*other).name
            ),
        }
    }
}

impl Confluence {
    /// Looks at each component by itself.
    pub(super) fn of(system: &System, budget: &Budget) -> Result<Self, OverBudget> {
        let mut found = Self { eager: system.actions.iter().map(|a| a.internal).collect(), obstacle: None };
        let mut clashes: FxHashSet<Clash> = FxHashSet::default();
        for component in system.component_ids() {
            match &system.component(component).behaviour {
                Behaviour::Lts(lts) => found.look_at_lts(system, component, lts, &mut clashes, budget)?,
                Behaviour::Net(net) => found.look_at_net(system, component, net, &mut clashes, budget)?,
            }
        }
        let mut clashes: Vec<Clash> = clashes.into_iter().collect();
        clashes.sort_unstable();
        for (silent, other, component) in clashes {
            if found.eager[silent.index()] && !exclude(system, silent, other, budget)? {
                found.note(silent, Obstacle::Conflict(silent, other, component));
            }
        }
        Ok(found)
    }

    fn note(&mut self, action: ActionId, obstacle: Obstacle) {
        self.eager[action.index()] = false;
        self.obstacle.get_or_insert(obstacle);
    }

    fn look_at_lts(
        &mut self,
        system: &System,
        component: ComponentId,
        lts: &Lts,
        clashes: &mut FxHashSet<Clash>,
        budget: &Budget,
    ) -> Result<(), OverBudget> {
        for arcs in reached_states(lts) {
            budget.step(1, WHAT)?;
            for (a, b) in arcs.iter().zip(&arcs[1..]) {
                if a.action == b.action {
                    self.note(a.action, Obstacle::Choice(a.action, component));
                }
            }
            for silent in arcs.iter().filter(|arc| system.action(arc.action).internal) {
                for other in arcs.iter().filter(|arc| arc.action != silent.action) {
                    if !closes(lts, silent, other) {
                        clashes.insert((silent.action, other.action, component));
                    }
                }
            }
        }
        Ok(())
    }

    fn look_at_net(
        &mut self,
        system: &System,
        component: ComponentId,
        net: &Net,
        clashes: &mut FxHashSet<Clash>,
        budget: &Budget,
    ) -> Result<(), OverBudget> {
        for two in net.transitions.windows(2).filter(|two| two[0].action == two[1].action) {
            self.note(two[0].action, Obstacle::Choice(two[0].action, component));
        }
        for silent in net.transitions.iter().filter(|t| system.action(t.action).internal) {
            budget.step(1, WHAT)?;
            let conflicts = |other: &&Transition| {
                other.action != silent.action && (impoverishes(silent, other) || impoverishes(other, silent))
            };
            let others = net.transitions.iter().filter(conflicts);
            clashes.extend(others.map(|other| (silent.action, other.action, component)));
        }
        Ok(())
    }
}

/// The arcs of each state that the component can be in by itself.
fn reached_states(lts: &Lts) -> impl Iterator<Item = &[LtsArc]> {
    let mut reached = vec![true; lts.states.len()];
    lts.unreached().iter().for_each(|&state| reached[state as usize] = false);
    lts.arcs.chunk_by(|a, b| a.from == b.from).filter(move |arcs| reached[arcs[0].from as usize])
}

/// Whether a component that takes part in two actions is never ready for both at once.
fn exclude(system: &System, one: ActionId, other: ActionId, budget: &Budget) -> Result<bool, OverBudget> {
    for component in &system.action(one).parts {
        budget.step(1, WHAT)?;
        if system.action(other).parts.binary_search(component).is_err() {
            continue;
        }
        let Behaviour::Lts(lts) = &system.component(*component).behaviour else { continue };
        let ready = |arcs: &[LtsArc]| [one, other].iter().all(|a| arcs.iter().any(|arc| arc.action == *a));
        if !reached_states(lts).any(ready) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether two arcs from one state can be completed to a diamond.
fn closes(lts: &Lts, silent: &LtsArc, other: &LtsArc) -> bool {
    let after = |from: u32, action: ActionId| {
        let first = lts.arcs.partition_point(|a| (a.from, a.action) < (from, action));
        lts.arcs[first..].iter().take_while(move |a| (a.from, a.action) == (from, action)).map(|a| a.to)
    };
    after(silent.to, other.action).any(|end| after(other.to, silent.action).any(|to| to == end))
}

/// Whether a transition leaves less in a place that another one takes from.
fn impoverishes(transition: &Transition, other: &Transition) -> bool {
    let count = |all: &[(u32, u32)], place: u32| all.iter().find(|(p, _)| *p == place).map_or(0, |(_, n)| *n);
    other.takes.iter().any(|&(place, _)| count(&transition.takes, place) > count(&transition.puts, place))
}

/// Whether no run can go on forever with internal actions alone, as far as the components show it one by one: an internal action that lies
/// on no cycle of such actions in one of its components comes finitely often, so the others have to go on without it.
pub(super) fn terminates(system: &System, budget: &Budget) -> Result<bool, OverBudget> {
    let mut left: Vec<bool> = system.actions.iter().map(|a| a.internal).collect();
    loop {
        let mut gone = false;
        for component in system.component_ids() {
            let Behaviour::Lts(lts) = &system.component(component).behaviour else { continue };
            budget.step(lts.arcs.len() as u64 / 64 + 1, WHAT)?;
            let mut lasting = vec![false; system.actions.len()];
            lasting_arcs(lts, &left).for_each(|arc| lasting[arc.action.index()] = true);
            for action in system.action_ids() {
                let leaves = left[action.index()]
                    && !lasting[action.index()]
                    && system.action(action).parts.binary_search(&component).is_ok();
                if leaves {
                    left[action.index()] = false;
                    gone = true;
                }
            }
        }
        if !gone {
            return Ok(!left.contains(&true));
        }
    }
}

/// The arcs of some actions that have others before and behind them without end: all that lie on cycles, and perhaps more.
fn lasting_arcs<'a>(lts: &'a Lts, of: &[bool]) -> impl Iterator<Item = &'a LtsArc> {
    let mut arcs: Vec<&LtsArc> = lts.arcs.iter().filter(|arc| of[arc.action.index()]).collect();
    loop {
        let (mut from, mut to) = (vec![false; lts.states.len()], vec![false; lts.states.len()]);
        for arc in &arcs {
            from[arc.from as usize] = true;
            to[arc.to as usize] = true;
        }
        let before = arcs.len();
        arcs.retain(|arc| to[arc.from as usize] && from[arc.to as usize]);
        if arcs.len() == before {
            return arcs.into_iter();
        }
    }
}
