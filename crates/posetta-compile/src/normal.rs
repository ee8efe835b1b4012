//! Linear formulas in negation normal form, hash-consed.
//!
//! Eleven kinds of node are left: `F f` is `true U f`, `G f` is `false R f`, `f W g` is `g R (f || g)`, `f M g` is
//! `g U (f && g)`, `O f` is `true S f`, `H f` is `false T f`, where `T` (trigger) is the dual of `S`. Nodes come after
//! their operands. Only simplifications that also hold on the empty word are made, where `true U f` is false although
//! `f` may be `true`.

use rustc_hash::FxHashMap;

use posetta_logic::{AtomId, Ltl, LtlBinary, LtlUnary};

/// A subformula: a place in the table of its [`Normal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    pub(super) fn place(self) -> usize {
        self.0 as usize
    }
}

/// One subformula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// Always.
    True,
    /// Never.
    False,
    /// An atom, or its negation.
    Literal(AtomId, bool),
    /// All of them; sorted, at least two.
    And(Box<[NodeId]>),
    /// One of them; sorted, at least two.
    Or(Box<[NodeId]>),
    /// At the next position. Strong: there is one. Weak: if there is one.
    Next(bool, NodeId),
    /// At the previous position. Strong: there is one. Weak: if there is one.
    Previous(bool, NodeId),
    /// `f U g`
    Until(NodeId, NodeId),
    /// `f R g`
    Release(NodeId, NodeId),
    /// `f S g`
    Since(NodeId, NodeId),
    /// `f T g`: g held since the last f, that position included, or always.
    Trigger(NodeId, NodeId),
}

impl Node {
    /// What it is made of.
    pub(crate) fn operands(&self) -> Vec<NodeId> {
        match self {
            Self::True | Self::False | Self::Literal(..) => Vec::new(),
            Self::And(parts) | Self::Or(parts) => parts.to_vec(),
            Self::Next(_, f) | Self::Previous(_, f) => vec![*f],
            Self::Until(f, g) | Self::Release(f, g) | Self::Since(f, g) | Self::Trigger(f, g) => vec![*f, *g],
        }
    }

    /// The same, made of others.
    pub(crate) fn with_operands(&self, of: impl Fn(NodeId) -> NodeId) -> Self {
        let sorted = |parts: &[NodeId]| {
            let mut parts: Vec<NodeId> = parts.iter().map(|&p| of(p)).collect();
            parts.sort_unstable();
            parts.into()
        };
        match self {
            Self::True => Self::True,
            Self::False => Self::False,
            Self::Literal(atom, positive) => Self::Literal(*atom, *positive),
            Self::And(parts) => Self::And(sorted(parts)),
            Self::Or(parts) => Self::Or(sorted(parts)),
            Self::Next(strong, f) => Self::Next(*strong, of(*f)),
            Self::Previous(strong, f) => Self::Previous(*strong, of(*f)),
            Self::Until(f, g) => Self::Until(of(*f), of(*g)),
            Self::Release(f, g) => Self::Release(of(*f), of(*g)),
            Self::Since(f, g) => Self::Since(of(*f), of(*g)),
            Self::Trigger(f, g) => Self::Trigger(of(*f), of(*g)),
        }
    }
}

/// A formula and its subformulas.
#[derive(Clone, Debug)]
pub struct Normal {
    nodes: Vec<Node>,
    ids: FxHashMap<Node, NodeId>,
    root: NodeId,
}

impl Normal {
    /// The normal form of a formula, or of its negation.
    #[must_use]
    pub fn new(formula: &Ltl<AtomId>, negated: bool) -> Self {
        let mut normal = Self::empty();
        let mut builder = Builder { normal: &mut normal, done: FxHashMap::default() };
        let root = builder.node(formula, !negated);
        normal.root = root;
        normal
    }

    pub(super) fn empty() -> Self {
        Self { nodes: Vec::new(), ids: FxHashMap::default(), root: NodeId(0) }
    }

    /// The formula itself.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// A subformula.
    #[must_use]
    #[inline]
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Every subformula, operands first.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(i, node)| (NodeId(i as u32), node))
    }

    /// How many subformulas there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: there is always the formula itself.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(super) fn add(&mut self, node: Node) -> NodeId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    pub(super) fn set_root(&mut self, root: NodeId) {
        self.root = root;
    }

    pub(super) fn constant(&mut self, value: bool) -> NodeId {
        self.add(if value { Node::True } else { Node::False })
    }

    /// A conjunction or a disjunction, flattened, each part once, constants taken out.
    pub(super) fn junction(&mut self, conjunction: bool, parts: Vec<NodeId>) -> NodeId {
        let mut all = Vec::with_capacity(parts.len());
        for part in parts {
            match self.node(part) {
                Node::And(inner) if conjunction => all.extend_from_slice(inner),
                Node::Or(inner) if !conjunction => all.extend_from_slice(inner),
                Node::True if conjunction => {}
                Node::False if !conjunction => {}
                Node::False if conjunction => return self.constant(false),
                Node::True => return self.constant(true),
                _ => all.push(part),
            }
        }
        all.sort_unstable();
        all.dedup();
        match all.as_slice() {
            [] => self.constant(conjunction),
            [one] => *one,
            _ if conjunction => self.add(Node::And(all.into())),
            _ => self.add(Node::Or(all.into())),
        }
    }

    /// Whether the empty word satisfies the formula.
    #[must_use]
    pub fn on_empty(&self) -> bool {
        // Operands come first, so one pass will do; a recursion would meet shared ones again and again.
        let mut truth: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let of = |p: &NodeId| truth[p.0 as usize];
            truth.push(match node {
                Node::True => true,
                Node::False => false,
                Node::Literal(_, positive) => !positive,
                Node::And(parts) => parts.iter().all(of),
                Node::Or(parts) => parts.iter().any(of),
                Node::Next(strong, _) | Node::Previous(strong, _) => !strong,
                Node::Until(..) | Node::Since(..) => false,
                Node::Release(..) | Node::Trigger(..) => true,
            });
        }
        truth[self.root.0 as usize]
    }
}

struct Builder<'a> {
    normal: &'a mut Normal,
    /// Shared operands of `<->` are met once per polarity, not once per path.
    done: FxHashMap<(*const Ltl<AtomId>, bool), NodeId>,
}

impl Builder<'_> {
    fn node(&mut self, formula: &Ltl<AtomId>, positive: bool) -> NodeId {
        let key = (std::ptr::from_ref(formula), positive);
        if let Some(&id) = self.done.get(&key) {
            return id;
        }
        let id = self.build(formula, positive);
        self.done.insert(key, id);
        id
    }

    fn build(&mut self, formula: &Ltl<AtomId>, positive: bool) -> NodeId {
        match formula {
            Ltl::True => self.normal.constant(positive),
            Ltl::False => self.normal.constant(!positive),
            Ltl::Atom(atom) => self.normal.add(Node::Literal(*atom, positive)),
            Ltl::Not(f) => self.node(f, !positive),
            Ltl::And(fs) | Ltl::Or(fs) => {
                let parts = fs.iter().map(|f| self.node(f, positive)).collect();
                self.normal.junction(matches!(formula, Ltl::And(_)) == positive, parts)
            }
            Ltl::Implies(a, b) => {
                let parts = vec![self.node(a, !positive), self.node(b, positive)];
                self.normal.junction(!positive, parts)
            }
            Ltl::Iff(a, b) => {
                let (a1, a0) = (self.node(a, true), self.node(a, false));
                let (b1, b0) = (self.node(b, positive), self.node(b, !positive));
                let both = self.normal.junction(true, vec![a1, b1]);
                let neither = self.normal.junction(true, vec![a0, b0]);
                self.normal.junction(false, vec![both, neither])
            }
            Ltl::Unary(op, f) => {
                let f = self.node(f, positive);
                self.unary(*op, f, positive)
            }
            Ltl::Binary(op, a, b) => {
                let (a, b) = (self.node(a, positive), self.node(b, positive));
                self.binary(*op, a, b, positive)
            }
        }
    }

    /// `f` is already negated where the whole is.
    fn unary(&mut self, op: LtlUnary, f: NodeId, positive: bool) -> NodeId {
        let (is_true, is_false) = (*self.normal.node(f) == Node::True, *self.normal.node(f) == Node::False);
        match op {
            LtlUnary::Next | LtlUnary::WeakNext | LtlUnary::Yesterday => {
                let strong = (op != LtlUnary::WeakNext) == positive;
                match strong {
                    true if is_false => self.normal.constant(false),
                    false if is_true => self.normal.constant(true),
                    _ if op == LtlUnary::Yesterday => self.normal.add(Node::Previous(strong, f)),
                    _ => self.normal.add(Node::Next(strong, f)),
                }
            }
            LtlUnary::Finally | LtlUnary::Once | LtlUnary::Globally | LtlUnary::Historically => {
                let eventual = matches!(op, LtlUnary::Finally | LtlUnary::Once) == positive;
                let future = matches!(op, LtlUnary::Finally | LtlUnary::Globally);
                if eventual && is_false || !eventual && is_true {
                    return f;
                }
                let side = self.normal.constant(eventual);
                self.normal.add(match (future, eventual) {
                    (true, true) => Node::Until(side, f),
                    (true, false) => Node::Release(side, f),
                    (false, true) => Node::Since(side, f),
                    (false, false) => Node::Trigger(side, f),
                })
            }
        }
    }

    /// `a` and `b` are already negated where the whole is.
    fn binary(&mut self, op: LtlBinary, a: NodeId, b: NodeId, positive: bool) -> NodeId {
        // !(f U g) = !f R !g, !(f W g) = !f M !g, and so on.
        let (weak, release) = match op {
            LtlBinary::Until => (!positive, !positive),
            LtlBinary::WeakUntil => (positive, !positive),
            LtlBinary::Release => (positive, positive),
            LtlBinary::StrongRelease => (!positive, positive),
            LtlBinary::Since => {
                return self.normal.add(if positive { Node::Since(a, b) } else { Node::Trigger(a, b) });
            }
        };
        let node = match (weak, release) {
            (false, false) => Node::Until(a, b),
            (true, true) => Node::Release(a, b),
            // f W g = g R (f || g)
            (true, false) => Node::Release(b, self.normal.junction(false, vec![a, b])),
            // f M g = g U (f && g)
            (false, true) => Node::Until(b, self.normal.junction(true, vec![a, b])),
        };
        match &node {
            Node::Until(_, goal) if *self.normal.node(*goal) == Node::False => self.normal.constant(false),
            Node::Release(_, goal) if *self.normal.node(*goal) == Node::True => self.normal.constant(true),
            _ => self.normal.add(node),
        }
    }
}
