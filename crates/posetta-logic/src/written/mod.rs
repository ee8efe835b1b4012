//! Property files as they are written, broken or not: for editors, highlighters and formatters.
//!
//! [`read_props_with`](crate::read_props_with) says what a file means and what is wrong with it. Whoever helps to write one needs less, and needs
//! it of any text: the words with their comments ([`tokens`]), the items with their names and their formulas ([`parts`]), and what every word of
//! the language is for ([`words`]). All of it uses the lexer and the cutter of the parser, so the two cannot disagree about where something
//! begins.

mod parts;
mod tokens;
pub mod words;

pub use parts::{Named, Part, PartKind, PartsMemory, parts, reads_as};
pub use tokens::{Token, TokenKind, is_name, tokens};

use crate::parse::Dialect;

/// What a formula is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Logic {
    /// Linear temporal logic; also what is no formula, such as the head of an item.
    Ltl,
    /// Computation tree logic.
    Ctl,
    /// The property specification language.
    Psl,
    /// The logic of MONA on strings.
    M2l,
}

impl Logic {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Ltl, Self::Ctl, Self::Psl, Self::M2l];

    /// The word that says so in a property.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ltl => "ltl",
            Self::Ctl => "ctl",
            Self::Psl => "psl",
            Self::M2l => "m2l",
        }
    }

    /// The logic with this word.
    #[must_use]
    pub fn called(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|logic| logic.word() == word)
    }

    /// Which of its words are operators; `None` for the one that has a lexer of its own.
    fn dialect(self) -> Option<Dialect> {
        match self {
            Self::Ltl => Some(Dialect::Ltl),
            Self::Ctl => Some(Dialect::Ctl),
            Self::Psl => Some(Dialect::PSL),
            Self::M2l => None,
        }
    }
}
