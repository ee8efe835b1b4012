//! What a CTL engine has to show for its answer.

use posetta_base::{EventId, Natural};

/// Why a formula has its value at a cut, as far as paths can show it. The root speaks of the empty cut.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proof {
    /// The formula, as it is printed.
    pub formula: String,
    /// Its value at the cut.
    pub holds: bool,
    /// What shows it.
    pub why: Why,
}

/// What shows the value of a formula at a cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The state there: the formula has no temporal operator.
    State,
    /// The values of these operands there; not empty. Operands that are not needed are not listed.
    Operands(Vec<Proof>),
    /// A path from there: `E…` that holds, or `A…` that does not.
    Path {
        /// Its events, one step each; they may be none.
        events: Vec<EventId>,
        /// The operand that keeps the value named here on the path: at every cut but the last, which `end` speaks of; at the
        /// last one, too, without `end`, for `R` that holds, and for `U` and `W` that do not. `None` for `EX`, `AX`, `EF`
        /// and `AG`, which ask nothing of the way.
        along: Option<(String, bool)>,
        /// What is reached at the last cut. `None` where the path goes on to the full cut and that is the point.
        end: Option<Box<Proof>>,
    },
    /// `A…` that holds, or `E…` that does not: all paths were examined, no single one shows it.
    EveryPath,
}

impl Proof {
    /// What shows that the formula has this value.
    #[must_use]
    pub fn new(formula: impl Into<String>, holds: bool, why: Why) -> Self {
        Self { formula: formula.into(), holds, why }
    }

    /// The main branch, from here on: at each branching, of the operands that have a path to show the one that says most, by
    /// the length of its formula.
    #[must_use]
    pub fn main_branch(&self) -> Vec<&Self> {
        let mut branch = vec![self];
        let mut at = self;
        loop {
            at = match &at.why {
                Why::Operands(operands) => {
                    let telling = |operand: &&Self| (operand.has_path(), operand.formula.len());
                    // Of several the first, like everything in order.
                    match operands.iter().rev().max_by_key(telling) {
                        Some(operand) => operand,
                        None => return branch,
                    }
                }
                Why::Path { end: Some(end), .. } => end,
                Why::State | Why::EveryPath | Why::Path { end: None, .. } => return branch,
            };
            branch.push(at);
        }
    }

    /// The paths of the main branch, one after another.
    #[must_use]
    pub fn path(&self) -> Vec<EventId> {
        let mut path = Vec::new();
        for proof in self.main_branch() {
            if let Why::Path { events, .. } = &proof.why {
                path.extend_from_slice(events);
            }
        }
        path
    }

    fn has_path(&self) -> bool {
        match &self.why {
            Why::State | Why::EveryPath => false,
            Why::Operands(operands) => operands.iter().any(Self::has_path),
            Why::Path { .. } => true,
        }
    }
}

/// How many cuts satisfy a subformula.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counted {
    /// The subformula, as it is printed.
    pub formula: String,
    /// How deep it is nested; 0 is the formula itself. Operands follow what they belong to.
    pub depth: usize,
    /// At how many cuts it holds.
    pub cuts: Natural,
}

impl Counted {
    /// A subformula at this depth holds at so many cuts.
    #[must_use]
    pub fn new(formula: impl Into<String>, depth: usize, cuts: Natural) -> Self {
        Self { formula: formula.into(), depth, cuts }
    }
}
