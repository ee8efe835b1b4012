//! M2L by definition: what a program says of a string, by trying all values of its variables.
//!
//! A string of length n gives each set a subset of 0 … n - 1, each position one of these numbers, each truth variable a truth value.
//! Of it a formula says [`Says::Yes`], [`Says::No`] or nothing at all. Where a restriction fails, nothing is said, and whatever is said
//! with such a part says nothing, too: connectives and terms are strict. Only quantifiers get rid of it: `ex` says yes if some value does,
//! else no if some value does, else nothing; `all` is `~ex~`.
//!
//! - Each occurrence of a variable is restricted: by its own `where`, or, if it has none, by the default of its order. Inside its own
//!   restriction a variable is not restricted, and inside a default there are no defaults.
//! - The restrictions of all globals and the assertion restrict the whole.
//! - `m2l-str` is `ws1s` with a set `$` that holds all positions of the string and with the defaults `p in $` and `P sub $`. A
//!   variable with a `where` of its own is therefore free of the string.
//! - `let` and the terms that are given to a `pred` bind: `ex x: x = t & …`. So where the body says nothing of the value, but something
//!   of another one, the answer is no. A parameter that is given a term has no default; one that is given a variable
//!   is that variable, restricted as the parameter is. A parameter of a `macro` is the argument itself, and its own `where` says nothing.
//! - `prefix(f)` says yes if some string that goes on does under `f`, else what `f` says. It is the only formula that can tell a
//!   string from the same one with zeros at its end.
//!
//! All this is what MONA does without its optimisations. With them (`-o1`, its default) it knows that `f | true` is true even where `f`
//! says nothing. Other deviations stand in `tests/m2l_definition.rs`.
//!
//! **The bound.** Numbers have no end, enumerations do. A quantifier tries the numbers below all those in sight (of the variables, the
//! constants and the string) and further ones, as many as its body has quantifiers and offsets, and two; `prefix` goes on for two
//! positions and its offsets. Beyond these a formula without quantified sets cannot tell numbers apart, or not before its offsets have
//! doubled with each quantifier; with quantified sets it might, and small ones do not. In `m2l-str` nothing is left out but by `prefix`
//! and where a `where` frees a variable: the numbers outside of the string say nothing.

mod eval;
mod look;
mod plain;
mod runs;
mod terms;

pub use eval::{Eval, Value};
pub(crate) use look::Sight;
pub use look::holds_somewhere;
pub use plain::holds;
pub use runs::{on_word, over_all_runs, satisfies};

use posetta_logic::m2l::{Formula, Program};

/// What a formula says of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Says {
    /// It holds.
    Yes,
    /// It does not.
    No,
    /// Nothing: a restriction fails.
    Nothing,
}

impl Says {
    /// Yes or no.
    #[must_use]
    pub fn of(truth: bool) -> Self {
        if truth { Self::Yes } else { Self::No }
    }

    /// Nothing stays nothing.
    #[must_use]
    pub fn map(self, f: impl FnOnce(bool) -> bool) -> Self {
        match self {
            Self::Yes => Self::of(f(true)),
            Self::No => Self::of(f(false)),
            Self::Nothing => Self::Nothing,
        }
    }

    /// Nothing if either says nothing.
    #[must_use]
    pub fn join(self, other: Self, f: impl FnOnce(bool, bool) -> bool) -> Self {
        match (self, other) {
            (Self::Nothing, _) | (_, Self::Nothing) => Self::Nothing,
            (a, b) => Self::of(f(a == Self::Yes, b == Self::Yes)),
        }
    }

    /// Where it is not said that it holds, nothing is said.
    #[must_use]
    pub fn restrict(self) -> Self {
        if self == Self::Yes { Self::Yes } else { Self::Nothing }
    }
}

/// A string: the values of a program's globals, in their order, and its length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// How long it is.
    pub length: usize,
    /// A value for each of [`Program::globals`].
    pub values: Vec<Value>,
}

/// What was found among all strings up to some length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// A shortest string of which yes is said, if it is among those that were tried.
    pub yes: Option<Text>,
    /// A shortest string of which no is said.
    pub no: Option<Text>,
    /// Strings shorter than this were all tried.
    pub below: usize,
}

/// Tries all strings of up to `longest`, and stops when both answers are found or after about `steps` steps.
#[must_use]
pub fn search(program: &Program, formula: &Formula, longest: usize, steps: u64) -> Found {
    let mut eval = Eval::new(program, steps);
    let mut found = Found { yes: None, no: None, below: 0 };
    for length in 0..=longest {
        let whole = eval.for_each_text(length, &mut |eval, values| {
            let slot = match eval.whole(formula) {
                Says::Yes => &mut found.yes,
                Says::No => &mut found.no,
                Says::Nothing => return true,
            };
            if !eval.is_tired() && slot.is_none() {
                *slot = Some(Text { length, values: values.to_vec() });
            }
            found.yes.is_none() || found.no.is_none()
        });
        if !whole || eval.is_tired() {
            break;
        }
        found.below = length + 1;
    }
    found
}

/// What a program says of a string by one of its formulas, the assertion and the globals' restrictions included. `None` if there are too
/// many values to try.
#[must_use]
pub fn says(program: &Program, formula: &Formula, text: &Text) -> Option<Says> {
    let mut eval = Eval::new(program, 200_000);
    eval.set(text);
    let said = eval.whole(formula);
    if eval.is_tired() { None } else { Some(said) }
}
