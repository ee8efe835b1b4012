//! A CTL formula laid out flat: its subformulas, operands first.

use posetta_logic::{AtomId, Ctl, CtlBinary, CtlUnary, Path};

/// A subformula: a place in [`Program::nodes`].
pub(super) type Place = u32;

#[derive(Clone, Debug)]
pub(super) enum Node {
    Constant(bool),
    Atom(AtomId),
    Not(Place),
    And(Box<[Place]>),
    Or(Box<[Place]>),
    Implies(Place, Place),
    Iff(Place, Place),
    Unary(Path, CtlUnary, Place),
    Binary(Path, CtlBinary, Place, Place),
}

/// The subformulas, operands first; the last one is the formula.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) nodes: Vec<Node>,
    /// For each subformula, whether it has a temporal operator.
    temporal: Vec<bool>,
}

impl Program {
    pub(super) fn new(formula: &Ctl<AtomId>) -> Self {
        let mut program = Self { nodes: Vec::new(), temporal: Vec::new() };
        program.add(formula);
        program
    }

    fn add(&mut self, formula: &Ctl<AtomId>) -> Place {
        let node = match formula {
            Ctl::True => Node::Constant(true),
            Ctl::False => Node::Constant(false),
            Ctl::Atom(atom) => Node::Atom(*atom),
            Ctl::Not(f) => Node::Not(self.add(f)),
            Ctl::And(fs) => Node::And(fs.iter().map(|f| self.add(f)).collect()),
            Ctl::Or(fs) => Node::Or(fs.iter().map(|f| self.add(f)).collect()),
            Ctl::Implies(a, b) => Node::Implies(self.add(a), self.add(b)),
            Ctl::Iff(a, b) => Node::Iff(self.add(a), self.add(b)),
            Ctl::Unary(path, op, f) => Node::Unary(*path, *op, self.add(f)),
            Ctl::Binary(path, op, f, g) => Node::Binary(*path, *op, self.add(f), self.add(g)),
        };
        let temporal = matches!(node, Node::Unary(..) | Node::Binary(..))
            || node.operands().iter().any(|&operand| self.temporal[operand as usize]);
        self.temporal.push(temporal);
        self.nodes.push(node);
        self.root()
    }

    pub(super) fn root(&self) -> Place {
        self.nodes.len() as Place - 1
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn node(&self, place: Place) -> &Node {
        &self.nodes[place as usize]
    }

    pub(super) fn is_temporal(&self, place: Place) -> bool {
        self.temporal[place as usize]
    }

    /// Whether `EX` or `AX` occurs, so that every event counts.
    pub(super) fn has_next(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node, Node::Unary(_, CtlUnary::Next, _)))
    }

    /// The subformulas with their depth, the formula first, operands after what they belong to.
    pub(super) fn listed(&self) -> Vec<(Place, usize)> {
        let mut listed = Vec::with_capacity(self.nodes.len());
        let mut stack = vec![(self.root(), 0)];
        while let Some((place, depth)) = stack.pop() {
            listed.push((place, depth));
            stack.extend(self.node(place).operands().iter().rev().map(|&operand| (operand, depth + 1)));
        }
        listed
    }
}

impl Node {
    /// From left to right.
    pub(super) fn operands(&self) -> Vec<Place> {
        match self {
            Self::Constant(_) | Self::Atom(_) => Vec::new(),
            Self::Not(f) | Self::Unary(_, _, f) => vec![*f],
            Self::And(fs) | Self::Or(fs) => fs.to_vec(),
            Self::Implies(f, g) | Self::Iff(f, g) | Self::Binary(_, _, f, g) => vec![*f, *g],
        }
    }
}

/// How the subformulas are printed, by place.
pub(super) fn texts(formula: &Ctl) -> Vec<String> {
    fn add(formula: &Ctl, texts: &mut Vec<String>) {
        match formula {
            Ctl::True | Ctl::False | Ctl::Atom(_) => {}
            Ctl::Not(f) | Ctl::Unary(_, _, f) => add(f, texts),
            Ctl::And(fs) | Ctl::Or(fs) => fs.iter().for_each(|f| add(f, texts)),
            Ctl::Implies(f, g) | Ctl::Iff(f, g) | Ctl::Binary(_, _, f, g) => {
                add(f, texts);
                add(g, texts);
            }
        }
        texts.push(formula.to_string());
    }
    let mut texts = Vec::new();
    add(formula, &mut texts);
    texts
}
