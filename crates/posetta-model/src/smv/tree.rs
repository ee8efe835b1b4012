//! A model as written: modules with their declarations, and expressions whose names mean nothing yet.
//!
//! All expressions of a file are in one arena, each as a contiguous stretch with operands before what is made of them. So an expression is
//! worked off by a loop, however long its chains are.

use std::collections::BTreeMap;

use crate::fds::{Op, Role};
use posetta_base::{Span, Spanned};
use posetta_logic::{CtlUnary, LtlBinary, LtlUnary, Path, Psl};

/// A place in [`Tree::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NodeId(pub(super) u32);

/// A place in [`Tree::modules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ModuleId(pub(super) u32);

impl ModuleId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Functions with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Abs,
    Max,
    Min,
    ToInt,
    Bool,
    Count,
}

/// Operators of time on one formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Temporal {
    Ltl(LtlUnary),
    /// `Z`: weak yesterday.
    WeakYesterday,
    Ctl(Path, CtlUnary),
}

/// Operators of time on two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Temporal2 {
    Ltl(LtlBinary),
    /// `T`: triggered.
    Triggered,
    /// `E[f U g]`, `A[f U g]`
    Ctl(Path),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NodeKind<'a> {
    Bool(bool),
    Int(i64),
    Name(&'a str),
    /// `self`
    This,
    Dot(NodeId, &'a str),
    Index(NodeId, NodeId),
    Not(NodeId),
    Neg(NodeId),
    Binary(Op, NodeId, NodeId),
    Next(NodeId),
    /// `case … esac` and `c ? a : b`; without a condition in the last arm of the latter.
    Case(Vec<(Option<NodeId>, NodeId)>),
    /// `{…}`, `a union b`
    Set(Vec<NodeId>),
    /// `lo..hi`
    Range(NodeId, NodeId),
    Call(Function, Vec<NodeId>),
    Temporal(Temporal, NodeId),
    Temporal2(Temporal2, NodeId, NodeId),
}

#[derive(Clone, Debug)]
pub(super) struct Node<'a> {
    pub(super) kind: NodeKind<'a>,
    pub(super) span: Span,
    /// The first node of its stretch.
    pub(super) first: NodeId,
}

/// A name and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name<'a> {
    pub(super) text: &'a str,
    pub(super) span: Span,
}

/// A type as written.
#[derive(Clone, Debug)]
pub(super) enum TypeTree<'a> {
    Boolean,
    Range(NodeId, NodeId),
    /// Symbols and integers.
    Choice(Vec<Choice<'a>>),
    Array(NodeId, NodeId, Box<TypeTree<'a>>),
    Instance {
        module: Name<'a>,
        args: Vec<NodeId>,
    },
}

/// A value of an enumeration.
#[derive(Clone, Copy, Debug)]
pub(super) enum Choice<'a> {
    Symbol(Name<'a>),
    Int(NodeId),
}

#[derive(Clone, Debug)]
pub(super) struct Declaration<'a> {
    pub(super) name: Name<'a>,
    pub(super) role: Role,
    pub(super) ty: TypeTree<'a>,
}

/// Which value of a variable is assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    Always,
    Init,
    Next,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Assignment {
    pub(super) when: When,
    pub(super) target: NodeId,
    pub(super) value: NodeId,
    pub(super) span: Span,
}

/// What an expression demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Demands {
    Init,
    Invar,
    Trans,
    Justice,
    Final,
}

/// A specification as written.
#[derive(Clone, Debug)]
pub(super) enum SpecTree {
    Ltl(NodeId),
    Ctl(NodeId),
    Invariant(NodeId),
    /// The formula, with spans that count from `start`, and what its names look like as expressions.
    Psl {
        formula: Psl,
        names: BTreeMap<String, NodeId>,
        start: usize,
        warnings: Vec<Spanned>,
    },
}

#[derive(Clone, Debug)]
pub(super) struct SpecItem<'a> {
    pub(super) name: Option<Name<'a>>,
    pub(super) tree: SpecTree,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) struct Module<'a> {
    pub(super) name: Name<'a>,
    pub(super) params: Vec<Name<'a>>,
    pub(super) vars: Vec<Declaration<'a>>,
    pub(super) defines: Vec<(Name<'a>, NodeId)>,
    pub(super) constants: Vec<Name<'a>>,
    pub(super) assignments: Vec<Assignment>,
    pub(super) demands: Vec<(Demands, NodeId)>,
    pub(super) compassion: Vec<(NodeId, NodeId)>,
    pub(super) specs: Vec<SpecItem<'a>>,
}

/// A file.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree<'a> {
    pub(super) modules: Vec<Module<'a>>,
    pub(super) nodes: Vec<Node<'a>>,
}

impl<'a> Tree<'a> {
    pub(super) fn module(&self, id: ModuleId) -> &Module<'a> {
        &self.modules[id.index()]
    }

    pub(super) fn node(&self, id: NodeId) -> &Node<'a> {
        &self.nodes[id.0 as usize]
    }

    pub(super) fn span(&self, id: NodeId) -> Span {
        self.node(id).span
    }

    /// The parts of a conjunction, from left to right.
    pub(super) fn conjuncts(&self, root: NodeId) -> Vec<NodeId> {
        let (mut open, mut found) = (vec![root], Vec::new());
        while let Some(id) = open.pop() {
            match self.node(id).kind {
                NodeKind::Binary(Op::And, a, b) => open.extend([b, a]),
                _ => found.push(id),
            }
        }
        found
    }
}
