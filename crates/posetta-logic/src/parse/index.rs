//! Indices: whole numbers worked out from parameters and loop variables, as in `fork[(i + 1) % 5]` or `0..n - 1`.

use super::MAX_NESTING;
use super::grammar::{Mistake, Parser, fail};
use crate::lex::Token;
use posetta_base::Span;

/// An index as written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Index {
    Int(i64),
    /// A parameter or a loop variable.
    Word(String, Span),
    Binary(Sign, Box<Index>, Box<Index>),
}

/// `+ - * %`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Add,
    Sub,
    Mul,
    /// The remainder that is not negative.
    Rem,
}

impl Index {
    /// Whether a word occurs in it.
    pub(crate) fn mentions(&self, word: &str) -> bool {
        match self {
            Self::Int(_) => false,
            Self::Word(w, _) => w == word,
            Self::Binary(_, a, b) => a.mentions(word) || b.mentions(word),
        }
    }
}

impl Sign {
    /// As it is written.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Rem => "%",
        }
    }

    /// `None` past 64 bits, or for a remainder by anything but a positive number.
    pub(super) fn apply(self, a: i64, b: i64) -> Option<i64> {
        match self {
            Self::Add => a.checked_add(b),
            Self::Sub => a.checked_sub(b),
            Self::Mul => a.checked_mul(b),
            Self::Rem => (b > 0).then(|| a.rem_euclid(b)),
        }
    }
}

impl Parser<'_> {
    /// A sum of products of numbers, words and parentheses.
    pub(crate) fn index(&mut self) -> Result<Index, Mistake> {
        self.index_of(0)
    }

    fn index_of(&mut self, min: u8) -> Result<Index, Mistake> {
        self.enter()?;
        let mut left = self.index_operand()?;
        let mut signs = 0;
        loop {
            let (sign, power) = match self.token {
                Token::Sign("+") => (Sign::Add, 1),
                Token::Sign("-") => (Sign::Sub, 1),
                Token::Sign("*") => (Sign::Mul, 2),
                Token::Sign("%") => (Sign::Rem, 2),
                _ => break,
            };
            if power <= min {
                break;
            }
            // A long sum is a deep tree.
            signs += 1;
            if signs > MAX_NESTING {
                return fail(self.too_deep(self.span));
            }
            self.advance()?;
            left = Index::Binary(sign, Box::new(left), Box::new(self.index_of(power)?));
        }
        self.leave();
        Ok(left)
    }

    fn index_operand(&mut self) -> Result<Index, Mistake> {
        let span = self.span;
        match self.token.clone() {
            Token::Number(n) => match n.as_i64() {
                Some(int) => {
                    self.advance()?;
                    Ok(Index::Int(int))
                }
                None if n.floor() == n => fail(
                    self.error(span, "this index is more than 64 bits hold")
                        .label(format!("expected a number up to {}", i64::MAX)),
                ),
                None => fail(self.error(span, "an index is a whole number").label("expected a whole number")),
            },
            Token::Name(word) if !word.contains(['.', '[']) => {
                self.advance()?;
                Ok(Index::Word(word, span))
            }
            Token::Sign("(") => {
                self.advance()?;
                let inner = self.index_of(0)?;
                self.close(")", span)?;
                Ok(inner)
            }
            _ => fail(self.expected("an index").help(
                "an index is a whole number, a parameter, or a sum of them, as in state[0] or fork[(i + 1) % 5]",
            )),
        }
    }
}
