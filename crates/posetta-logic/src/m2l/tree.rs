//! Programs as trees: every name is resolved and every type is right.

use crate::Atom;
use posetta_base::Located;
use posetta_base::Span;

/// A variable: a place in [`Program::vars`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

impl VarId {
    /// The place in a table.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A predicate or macro: a place in [`Program::preds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PredId(pub u32);

impl PredId {
    /// The place in a table.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What strings a program is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// Natural numbers and their finite sets.
    #[default]
    Ws1s,
    /// The positions of one string and their sets.
    M2lStr,
}

/// What a variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// A truth value.
    Zero,
    /// A position.
    One,
    /// A finite set of positions.
    Two,
}

/// A variable, wherever it is declared: globally, by a quantifier, by `let`, as a parameter. Two are equal if they say the same,
/// wherever they are declared.
#[derive(Clone, Debug, Eq)]
pub struct Variable {
    /// As written.
    pub name: String,
    /// What it stands for.
    pub order: Order,
    /// Its own `where`.
    pub restriction: Option<Formula>,
    /// Where it is declared.
    pub span: Span,
}

impl PartialEq for Variable {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.order == other.order && self.restriction == other.restriction
    }
}

/// How two formulas are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Connective {
    /// `&`
    And,
    /// `|`
    Or,
    /// `=>`
    Implies,
    /// `<=>`
    Iff,
}

/// A formula. `notin`, `~=`, `>`, `>=` are written with the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// `true` or `false`
    Constant(bool),
    /// A variable of order zero.
    Truth(VarId),
    /// `~f`
    Not(Box<Formula>),
    /// `f & g` and the like.
    Joined(Connective, Box<Formula>, Box<Formula>),
    /// `t in T`
    In(Position, Set),
    /// `T sub U`
    Sub(Set, Set),
    /// `t = u`
    SamePosition(Position, Position),
    /// `T = U`
    SameSet(Set, Set),
    /// `t < u`
    Less(Position, Position),
    /// `t <= u`
    LessEq(Position, Position),
    /// `empty(T)`
    Empty(Set),
    /// `ex0 … ex2` and `all0 … all2`; variables of one order.
    Quantified {
        /// Whether it is `all`.
        all: bool,
        /// The variables, at least one.
        vars: Vec<VarId>,
        /// What is said of them.
        body: Box<Formula>,
    },
    /// `let0 … let2`: variables of one order, what they are, and what is said of them. No definition sees the others.
    Let(Vec<(VarId, Argument)>, Box<Formula>),
    /// A predicate or macro with its arguments, as many as it has parameters and of their orders.
    Call(PredId, Vec<Argument>),
    /// `restrict(f)`: where `f` is false, nothing is said at all.
    Restrict(Box<Formula>),
    /// `prefix(f)`: some string that goes on satisfies `f`.
    Prefix(Box<Formula>),
}

/// A position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position {
    /// A variable of order one.
    Var(VarId),
    /// A number.
    Constant(u32),
    /// `t + n`, n ≥ 1.
    Plus(Box<Position>, u32),
    /// `t - n`, n ≥ 1; 0 - 1 is 0.
    Minus(Box<Position>, u32),
    /// `t + n % u`, step by step: the successor of `u - 1` is 0 (and of 0, too, where `u` is 0).
    PlusModulo(Box<Position>, u32, Box<Position>),
    /// `t - n % u`, step by step: the predecessor of 0 is `u - 1`.
    MinusModulo(Box<Position>, u32, Box<Position>),
    /// `min T`; 0 for the empty set.
    Min(Box<Set>),
    /// `max T`; 0 for the empty set.
    Max(Box<Set>),
}

/// A finite set of positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Set {
    /// A variable of order two.
    Var(VarId),
    /// `empty`
    Empty,
    /// `T union U`
    Union(Box<Set>, Box<Set>),
    /// `T inter U`
    Inter(Box<Set>, Box<Set>),
    /// `T \ U`
    Difference(Box<Set>, Box<Set>),
    /// `T + n`, n ≥ 1: every element moves up.
    Plus(Box<Set>, u32),
    /// `T - n`, n ≥ 1: every element moves down, those below n to 0.
    Minus(Box<Set>, u32),
    /// `{…}`
    Listed(Vec<Element>),
    /// `pconst(n)`: the places of the ones in the binary number n.
    Number(u64),
}

/// What stands between braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// `t`
    One(Position),
    /// `t,...,u`; nothing if u < t.
    Range(Position, Position),
}

/// What a parameter or a `let` is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// For order zero.
    Formula(Formula),
    /// For order one.
    Position(Position),
    /// For order two.
    Set(Set),
}

/// A definition with parameters. A `pred` is a formula about its arguments; a `macro` is put in as if it had been written there.
/// The two differ in what is said where a restriction fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub formals: Vec<VarId>,
    /// What it says; calls only definitions that come before it.
    pub body: Formula,
    /// Whether it is a `macro`.
    pub is_macro: bool,
}

/// A further formula that has an answer of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verify {
    /// What it is called, if anything.
    pub title: Option<String>,
    /// What is to be decided.
    pub formula: Formula,
}

/// What a text asks for that is not done. All remarks are equal, so that programs compare by what they say.
#[derive(Clone, Debug, Default, Eq)]
pub struct Remarks(pub Vec<Located>);

impl PartialEq for Remarks {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What strings it is about.
    pub mode: Mode,
    /// Every variable of the program.
    pub vars: Vec<Variable>,
    /// The free variables, in the order of their declaration; `$` is among them in `m2l-str`.
    pub globals: Vec<VarId>,
    /// The definitions, each after those that it calls.
    pub preds: Vec<Predicate>,
    /// The conjunction of all formulas of the file.
    pub formula: Formula,
    /// The conjunction of all assertions: strings without it do not count.
    pub assertion: Formula,
    /// Formulas with answers of their own.
    pub verify: Vec<Verify>,
    /// `defaultwhere1`: its parameter and what it says.
    pub default_one: Option<(VarId, Formula)>,
    /// `defaultwhere2`: its parameter and what it says.
    pub default_two: Option<(VarId, Formula)>,
    /// `allpos`: the global set that holds all positions of the string. In `m2l-str` it is `$`.
    pub all_positions: Option<VarId>,
    /// `lastpos`: the global position that is the last one of the string.
    pub last_position: Option<VarId>,
    /// Sets that are written as backquoted atoms: where the atom holds. They are among the globals.
    pub atoms: Vec<(VarId, Atom)>,
    /// What was left out, to be told as warnings.
    pub remarks: Remarks,
}
