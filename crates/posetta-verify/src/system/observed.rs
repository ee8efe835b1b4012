//! What a search sees of a system when only some actions are observed.

use posetta_base::{ActionId, Error};

/// A node: its place in the order in which nodes were met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(pub(crate) u32);

impl NodeId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An arc: to a node of a graph, or to a meta-state of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Arc<N = NodeId> {
    pub(crate) action: ActionId,
    pub(crate) to: N,
}

/// A graph of nodes that stand for one or more states. Arcs are labelled with actions, some of which are not observed: *silent* arcs. What
/// happens inside a node is silent, too.
pub(crate) trait Observed {
    /// Where runs start.
    fn start(&mut self) -> Result<NodeId, Error>;

    /// The arcs from a node, ascending.
    fn arcs(&mut self, node: NodeId) -> Result<Vec<Arc>, Error>;

    /// The same, added to a list.
    fn add_arcs(&mut self, node: NodeId, to: &mut Vec<Arc>) -> Result<(), Error> {
        to.extend(self.arcs(node)?);
        Ok(())
    }

    /// Whether an action is observed.
    fn observes(&self, action: ActionId) -> bool;

    /// Whether a state of the node has no step in the whole system.
    fn is_dead(&mut self, node: NodeId) -> Result<bool, Error>;

    /// Whether a run can go on forever inside the node.
    fn is_divergent(&mut self, node: NodeId) -> Result<bool, Error>;
}

/// A run through such a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    pub(crate) prefix: Vec<Arc>,
    pub(crate) end: Ending,
}

/// How it goes on at its last node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// However it likes.
    Open,
    /// It stops there.
    Dead,
    /// It goes on forever inside.
    Divergent,
    /// It goes round forever; the last arc leads to where the prefix ends.
    Cycle(Vec<Arc>),
}
