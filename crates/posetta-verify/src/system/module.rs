//! The symbolic observation graph of a module (paper 003, definitions 2 and 3).
//!
//! A *meta-state* is a set of states that holds whatever can be reached from it by actions that are not visible. *Visible* are the observed
//! actions and those that other modules take part in; each leads from a meta-state to one other at most. Meta-states are made when
//! they are asked for, and so are their attributes: whether a run can go on inside forever (the paper's l, a cycle of arcs that are not
//! visible), and what states that can do nothing alone are ready for.

use rustc_hash::FxHashMap;

use super::observed::Arc;
use super::space::Space;
use posetta_base::{ActionId, Error, OverBudget};
use posetta_dd::idd::{Closing, Set};

/// A meta-state of one module: its place in the order in which they were met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct MetaId(u32);

impl MetaId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a meta-state holds and what is known of it.
struct Meta {
    set: Set,
    arcs: Option<Vec<Arc<MetaId>>>,
    /// The states from which a run can go on inside forever.
    core: Option<Set>,
    ready: Option<Vec<Ready>>,
}

/// Actions that a state can do together with other modules, ascending.
pub(super) type Ready = Vec<ActionId>;

pub(super) struct Module<'s> {
    pub(super) space: Space<'s>,
    /// By action.
    visible: Vec<bool>,
    shared: Vec<bool>,
    silent: Closing,
    metas: Vec<Meta>,
    ids: FxHashMap<Set, MetaId>,
}

impl<'s> Module<'s> {
    /// A module of which these actions, by their ids, are observed or take place in other modules, too.
    pub(super) fn new(mut space: Space<'s>, observed: &[bool], shared: Vec<bool>) -> Self {
        let visible: Vec<bool> = observed.iter().zip(&shared).map(|(o, s)| *o || *s).collect();
        let silent = space.closing(|a| !visible[a.index()]);
        Self { space, visible, shared, silent, metas: Vec::new(), ids: FxHashMap::default() }
    }

    pub(super) fn set(&self, meta: MetaId) -> Set {
        self.metas[meta.index()].set
    }

    pub(super) fn sets(&self) -> impl Iterator<Item = Set> + '_ {
        self.metas.iter().map(|meta| meta.set)
    }

    pub(super) fn is_silent(&self, action: ActionId) -> bool {
        !self.visible[action.index()]
    }

    fn meta(&mut self, from: Set) -> Result<MetaId, Error> {
        let set = self.space.close(from, self.silent)?;
        if let Some(&known) = self.ids.get(&set) {
            return Ok(known);
        }
        let id = MetaId(self.metas.len() as u32);
        self.metas.push(Meta { set, arcs: None, core: None, ready: None });
        self.ids.insert(set, id);
        Ok(id)
    }

    /// The first meta-state.
    pub(super) fn start(&mut self) -> Result<MetaId, Error> {
        self.meta(self.space.initial)
    }

    /// Forgets sets that are no meta-states, if there are many.
    pub(super) fn tidy(&mut self) {
        let kept: Vec<Set> = self.metas.iter().flat_map(|m| [Some(m.set), m.core]).flatten().collect();
        self.space.tidy(kept.into_iter());
    }

    /// What visible actions lead to.
    pub(super) fn arcs(&mut self, meta: MetaId) -> Result<&[Arc<MetaId>], Error> {
        if self.metas[meta.index()].arcs.is_none() {
            self.tidy();
            let set = self.set(meta);
            let mut arcs = Vec::new();
            for action in self.space.actions() {
                if self.visible[action.index()] {
                    let after = self.space.after(set, action)?;
                    if !self.space.diagrams.is_empty(after) {
                        arcs.push(Arc { action, to: self.meta(after)? });
                    }
                }
            }
            self.metas[meta.index()].arcs = Some(arcs);
        }
        Ok(self.metas[meta.index()].arcs.as_deref().unwrap_or_default())
    }

    /// The states of a meta-state from which a run can go on inside forever.
    pub(super) fn core(&mut self, meta: MetaId) -> Result<Set, OverBudget> {
        if let Some(known) = self.metas[meta.index()].core {
            return Ok(known);
        }
        let mut core = self.set(meta);
        let visible = std::mem::take(&mut self.visible);
        let found = loop {
            match self.space.before_any(core, core, &|a| !visible[a.index()]) {
                Ok(kept) if kept == core => break Ok(core),
                Ok(kept) => core = kept,
                Err(over) => break Err(over),
            }
        };
        self.visible = visible;
        self.metas[meta.index()].core = Some(found?);
        Ok(core)
    }

    /// Whether a run can go on inside a meta-state forever.
    pub(super) fn is_divergent(&mut self, meta: MetaId) -> Result<bool, OverBudget> {
        let core = self.core(meta)?;
        Ok(!self.space.diagrams.is_empty(core))
    }

    /// The states of a meta-state that can do nothing without other modules.
    fn waiting(&mut self, meta: MetaId) -> Result<Set, OverBudget> {
        let set = self.set(meta);
        let alone: Vec<ActionId> = self.space.actions().into_iter().filter(|a| !self.shared[a.index()]).collect();
        self.space.refusing(set, alone.into_iter())
    }

    fn shared_actions(&self) -> Vec<ActionId> {
        self.space.actions().into_iter().filter(|a| self.shared[a.index()]).collect()
    }

    /// What the states that can do nothing alone are ready to do with other modules: the smallest such sets. Empty if there is no such state;
    /// one empty set if some state can do nothing at all.
    pub(super) fn ready(&mut self, meta: MetaId) -> Result<&[Ready], OverBudget> {
        if self.metas[meta.index()].ready.is_none() {
            let shared = self.shared_actions();
            let waiting = self.waiting(meta)?;
            let mut found: Vec<Ready> = Vec::new();
            let mut open: Vec<(Set, usize, Ready)> = vec![(waiting, 0, Vec::new())];
            // States that are ready for less are split off first.
            while let Some((set, at, ready)) = open.pop() {
                let within = |small: &Ready| small.iter().all(|a| ready.binary_search(a).is_ok());
                if self.space.diagrams.is_empty(set) || found.iter().any(within) {
                    continue;
                }
                let Some(&action) = shared.get(at) else {
                    found.retain(|larger| !ready.iter().all(|a| larger.binary_search(a).is_ok()));
                    found.push(ready);
                    continue;
                };
                let enabled = self.space.enabled(set, action)?;
                let refusing = self.space.diagrams.difference(set, enabled)?;
                let mut more = ready.clone();
                more.push(action);
                open.push((enabled, at + 1, more));
                open.push((refusing, at + 1, ready));
            }
            found.sort_unstable();
            self.metas[meta.index()].ready = Some(found);
        }
        Ok(self.metas[meta.index()].ready.as_deref().unwrap_or_default())
    }

    /// The states of a meta-state that can do nothing alone and are ready for nothing but this.
    pub(super) fn ready_for(&mut self, meta: MetaId, ready: &Ready) -> Result<Set, OverBudget> {
        let waiting = self.waiting(meta)?;
        let others: Vec<ActionId> =
            self.shared_actions().into_iter().filter(|a| ready.binary_search(a).is_err()).collect();
        self.space.refusing(waiting, others.into_iter())
    }
}
