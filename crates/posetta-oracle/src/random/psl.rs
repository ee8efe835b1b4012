//! Random PSL over given atoms: every operator, and now and then a SERE that nothing can match.
//!
//! What `! && || -> <->` make of booleans is one boolean here, as where formulas are read.

use fastrand::Rng;
use posetta_logic::{Guard, Psl, PslBinary, PslUnary, Sere, SereOp, Suffix, Times};

use super::{chance, pick};

/// A random formula with about so many operators, half of them shapes that people write.
///
/// # Panics
/// When there are no atoms.
pub fn psl<A: Clone>(rng: &mut Rng, atoms: &[A], size: usize) -> Psl<A> {
    let mut source = Source { rng, atoms };
    if source.rng.bool() { source.template(size) } else { source.tree(size) }
}

/// A random SERE with about so many operators.
///
/// # Panics
/// When there are no atoms.
pub fn sere<A: Clone>(rng: &mut Rng, atoms: &[A], size: usize) -> Sere<A> {
    Source { rng, atoms }.sere(size)
}

struct Source<'a, A> {
    rng: &'a mut Rng,
    atoms: &'a [A],
}

fn boxed<T>(inner: T) -> Box<T> {
    Box::new(inner)
}

fn not<A>(f: Psl<A>) -> Psl<A> {
    match f {
        Psl::Bool(b) => Psl::Bool(Guard::Not(boxed(b))),
        f => Psl::Not(boxed(f)),
    }
}

/// What joins two formulas, and two booleans in the same way.
fn joined<A>(
    f: Psl<A>,
    g: Psl<A>,
    booleans: impl FnOnce(Guard<A>, Guard<A>) -> Guard<A>,
    formulas: impl FnOnce(Psl<A>, Psl<A>) -> Psl<A>,
) -> Psl<A> {
    match (f, g) {
        (Psl::Bool(b), Psl::Bool(c)) => Psl::Bool(booleans(b, c)),
        (f, g) => formulas(f, g),
    }
}

fn and<A>(f: Psl<A>, g: Psl<A>) -> Psl<A> {
    joined(f, g, |b, c| Guard::And(vec![b, c]), |f, g| Psl::And(vec![f, g]))
}

fn or<A>(f: Psl<A>, g: Psl<A>) -> Psl<A> {
    joined(f, g, |b, c| Guard::Or(vec![b, c]), |f, g| Psl::Or(vec![f, g]))
}

fn implies<A>(f: Psl<A>, g: Psl<A>) -> Psl<A> {
    joined(f, g, |b, c| Guard::Implies(boxed(b), boxed(c)), |f, g| Psl::Implies(boxed(f), boxed(g)))
}

fn iff<A>(f: Psl<A>, g: Psl<A>) -> Psl<A> {
    joined(f, g, |b, c| Guard::Iff(boxed(b), boxed(c)), |f, g| Psl::Iff(boxed(f), boxed(g)))
}

impl<A: Clone> Source<'_, A> {
    fn atom(&mut self) -> Guard<A> {
        Guard::Atom(pick(self.rng, self.atoms).clone())
    }

    /// A boolean of at most three atoms.
    fn boolean(&mut self) -> Guard<A> {
        match self.rng.u8(..24) {
            0 => Guard::True,
            1 => Guard::False,
            2..6 => Guard::Not(boxed(self.atom())),
            6 => Guard::And(vec![self.atom(), self.boolean()]),
            7 => Guard::Or(vec![self.atom(), self.boolean()]),
            8 => Guard::Implies(boxed(self.atom()), boxed(self.atom())),
            _ => self.atom(),
        }
    }

    fn times(&mut self) -> Times {
        let n = self.rng.u32(..3);
        match self.rng.u8(..8) {
            0..3 => Times::ANY,
            3 => Times::SOME,
            4 => Times::exactly(n),
            5 => Times { min: n, max: None },
            _ => Times { min: n, max: Some(n + self.rng.u32(..3)) },
        }
    }

    /// How often a boolean comes. `[->0]` is not written.
    fn occurrences(&mut self, least: u32) -> Times {
        let n = least + self.rng.u32(..2);
        let max = match self.rng.u8(..4) {
            0 => None,
            1 => Some(n + self.rng.u32(..2)),
            _ => Some(n),
        };
        Times { min: n, max }
    }

    fn sere(&mut self, size: usize) -> Sere<A> {
        if size == 0 {
            return match self.rng.u8(..16) {
                0 => Sere::Repeat(boxed(Sere::Bool(Guard::True)), Times::ANY),
                1 => Sere::Repeat(boxed(Sere::Bool(Guard::True)), Times::exactly(0)),
                _ => Sere::Bool(self.boolean()),
            };
        }
        match self.rng.u8(..20) {
            0..4 => Sere::Repeat(boxed(self.sere(size - 1)), self.times()),
            4 => Sere::Goto(self.boolean(), self.occurrences(1)),
            5 => Sere::Occur(self.boolean(), self.occurrences(0)),
            6 => self.contradiction(size),
            _ => {
                use SereOp::{And, Concat, Fusion, Intersect, Or, Within};
                let op = *pick(self.rng, &[Concat, Concat, Concat, Fusion, Fusion, Or, Or, And, Intersect, Within]);
                let left = self.rng.usize(..size);
                let mut parts = vec![self.sere(left), self.sere(size - 1 - left)];
                if chance(self.rng, 15) {
                    parts.push(Sere::Bool(self.boolean()));
                }
                Sere::Chain(op, parts)
            }
        }
    }

    /// What no word over truth values matches, though some prefix padded with ⊤ may: different lengths at once, `false`, nothing fused.
    fn contradiction(&mut self, size: usize) -> Sere<A> {
        let one = Sere::Bool(self.boolean());
        match self.rng.u8(..4) {
            0 => {
                let two = Sere::Chain(SereOp::Concat, vec![one.clone(), Sere::Bool(self.boolean())]);
                Sere::Chain(SereOp::Intersect, vec![two, one])
            }
            1 => Sere::Chain(SereOp::Concat, vec![self.sere(size - 1), Sere::Bool(Guard::False)]),
            2 => {
                let nothing = Sere::Repeat(boxed(Sere::Bool(Guard::True)), Times::exactly(0));
                Sere::Chain(SereOp::Fusion, vec![one, nothing])
            }
            _ => {
                let other = Sere::Bool(Guard::Not(boxed(self.atom())));
                Sere::Chain(SereOp::Intersect, vec![Sere::Repeat(boxed(one), Times::ANY), other])
            }
        }
    }

    /// A shape that people write.
    fn template(&mut self, size: usize) -> Psl<A> {
        use PslUnary::{Finally, Globally, Next, StrongNext};
        let always = |f| Psl::Unary(Globally, boxed(f));
        let half = size / 2;
        let b = self.boolean();
        match self.rng.u8(..14) {
            0 | 1 => {
                let op = *pick(self.rng, &[Suffix::Overlapping, Suffix::After]);
                always(Psl::Suffix(op, self.sere(half), boxed(self.tree(half))))
            }
            2 => always(implies(Psl::Bool(b), Psl::Unary(Next, boxed(self.tree(half))))),
            3 => always(implies(Psl::Bool(b), Psl::Unary(Finally, boxed(Psl::Bool(self.boolean()))))),
            4 => Psl::Never(self.sere(size)),
            5 => Psl::Eventually(self.sere(size)),
            6..9 => Psl::Abort(boxed(self.tree(size)), b),
            9 => Psl::Sere { sere: self.sere(size), strong: self.rng.bool() },
            10 => {
                let strong = Psl::Sere { sere: self.contradiction(half.max(1)), strong: true };
                Psl::Abort(boxed(Psl::Unary(StrongNext, boxed(strong))), b)
            }
            11 => always(Psl::Abort(boxed(Psl::Sere { sere: self.sere(half), strong: self.rng.bool() }), b)),
            12 => Psl::Suffix(Suffix::Some, self.sere(half), boxed(self.tree(half))),
            _ => Psl::Binary(self.binary(), boxed(Psl::Bool(b)), boxed(self.tree(half))),
        }
    }

    fn binary(&mut self) -> PslBinary {
        let (strong, inclusive) = (self.rng.bool(), self.rng.bool());
        if chance(self.rng, 60) {
            PslBinary::Until { strong, inclusive }
        } else {
            PslBinary::Before { strong, inclusive }
        }
    }

    fn tree(&mut self, size: usize) -> Psl<A> {
        if size == 0 {
            return Psl::Bool(self.boolean());
        }
        match self.rng.u8(..20) {
            0..5 => self.about_sere(size),
            5..10 => self.one_operand(size - 1),
            10 | 11 => {
                let b = self.boolean();
                Psl::Abort(boxed(self.tree(size - 1)), b)
            }
            _ => {
                let left = self.rng.usize(..size);
                let (f, g) = (self.tree(left), self.tree(size - 1 - left));
                match self.rng.u8(..10) {
                    0..2 => and(f, g),
                    2..4 => or(f, g),
                    4 => implies(f, g),
                    5 => iff(f, g),
                    _ => Psl::Binary(self.binary(), boxed(f), boxed(g)),
                }
            }
        }
    }

    fn about_sere(&mut self, size: usize) -> Psl<A> {
        match self.rng.u8(..10) {
            0..3 => Psl::Sere { sere: self.sere(size - 1), strong: false },
            3..5 => Psl::Sere { sere: self.sere(size - 1), strong: true },
            5 => Psl::Never(self.sere(size - 1)),
            6 => Psl::Eventually(self.sere(size - 1)),
            _ => {
                let op = *pick(self.rng, &[Suffix::Overlapping, Suffix::After, Suffix::Some]);
                let left = self.rng.usize(..size);
                let r = self.sere(left);
                Psl::Suffix(op, r, boxed(self.tree(size - 1 - left)))
            }
        }
    }

    fn one_operand(&mut self, inner: usize) -> Psl<A> {
        use PslUnary::{Finally, Globally, Next, StrongNext};
        let f = self.tree(inner);
        match self.rng.u8(..12) {
            0..3 => not(f),
            3 => {
                let (strong, count) = (self.rng.bool(), self.rng.u32(..4));
                Psl::NextTimes { strong, count, formula: boxed(f) }
            }
            _ => Psl::Unary(*pick(self.rng, &[Next, StrongNext, Globally, Finally]), boxed(f)),
        }
    }
}
