//! Random LTL.

use fastrand::Rng;
use posetta_logic::{Ltl, LtlBinary, LtlUnary};

use super::atom::{Vocabulary, atom};
use super::{chance, pick};

/// Which operators a random formula may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tense {
    /// Only those that look forward.
    Future,
    /// All of them.
    PastAndFuture,
}

/// A random formula; `about_events` of a hundred atoms speak of events.
pub fn ltl(rng: &mut Rng, words: &Vocabulary, tense: Tense, about_events: u32) -> Ltl {
    ltl_over(rng, tense, &|rng| atom(rng, words, about_events))
}

/// A random formula over atoms that are made where they are needed.
pub fn ltl_over<A: Clone>(rng: &mut Rng, tense: Tense, atom: &dyn Fn(&mut Rng) -> A) -> Ltl<A> {
    let mut source = Source { rng, tense, atom };
    match source.rng.u8(..20) {
        0..9 => source.template(),
        9..12 => {
            let (a, b) = (source.template(), source.template());
            if source.rng.bool() { Ltl::And(vec![a, b]) } else { Ltl::Or(vec![a, b]) }
        }
        12 => Ltl::Not(Box::new(source.template())),
        _ => {
            let size = if chance(source.rng, 15) { 7 + source.rng.usize(..6) } else { 2 + source.rng.usize(..5) };
            source.tree(size)
        }
    }
}

fn not<A>(f: Ltl<A>) -> Ltl<A> {
    Ltl::Not(Box::new(f))
}

fn and<A>(f: Ltl<A>, g: Ltl<A>) -> Ltl<A> {
    Ltl::And(vec![f, g])
}

fn or<A>(f: Ltl<A>, g: Ltl<A>) -> Ltl<A> {
    Ltl::Or(vec![f, g])
}

fn implies<A>(f: Ltl<A>, g: Ltl<A>) -> Ltl<A> {
    Ltl::Implies(Box::new(f), Box::new(g))
}

fn unary<A>(op: LtlUnary, f: Ltl<A>) -> Ltl<A> {
    Ltl::Unary(op, Box::new(f))
}

fn binary<A>(op: LtlBinary, f: Ltl<A>, g: Ltl<A>) -> Ltl<A> {
    Ltl::Binary(op, Box::new(f), Box::new(g))
}

struct Source<'a, A> {
    rng: &'a mut Rng,
    tense: Tense,
    atom: &'a dyn Fn(&mut Rng) -> A,
}

impl<A: Clone> Source<'_, A> {
    fn atom(&mut self) -> Ltl<A> {
        Ltl::Atom((self.atom)(self.rng))
    }

    /// An atom or its negation.
    fn literal(&mut self) -> Ltl<A> {
        let atom = self.atom();
        if chance(self.rng, 25) { not(atom) } else { atom }
    }

    /// A shape that people write, over random literals.
    fn template(&mut self) -> Ltl<A> {
        use LtlBinary::{Release, Since, StrongRelease, Until, WeakUntil};
        use LtlUnary::{Finally, Globally, Historically, Next, Once, WeakNext, Yesterday};
        let (p, q, r) = (self.literal(), self.literal(), self.literal());
        let past = self.tense == Tense::PastAndFuture && chance(self.rng, 70);
        if past {
            return match self.rng.u8(..10) {
                0 => unary(Globally, implies(p, unary(Once, q))),
                1 => unary(Globally, implies(p, unary(Yesterday, q))),
                2 => unary(Globally, implies(p, binary(Since, not(q), r))),
                3 => unary(Finally, and(p, unary(Historically, q))),
                4 => unary(Finally, and(p, unary(Yesterday, unary(Once, q)))),
                5 => unary(Finally, and(p, binary(Since, q, r))),
                6 => unary(Globally, implies(and(p.clone(), unary(Yesterday, not(p))), unary(Once, q))),
                7 => unary(Globally, implies(unary(Historically, p), or(q, unary(Next, r)))),
                8 => unary(Globally, implies(unary(Once, p), unary(Finally, unary(Once, q)))),
                _ => binary(WeakUntil, implies(p, unary(Yesterday, unary(Historically, q))), r),
            };
        }
        match self.rng.u8(..16) {
            0 | 1 => unary(Globally, not(and(p, q))),
            2 | 3 => unary(Globally, implies(p, unary(Finally, q))),
            4 => binary(WeakUntil, not(p), q),
            5 => unary(Globally, implies(p, unary(WeakNext, q))),
            6 => unary(Finally, and(p, unary(Next, q))),
            7 => unary(Finally, and(p, unary(Finally, q))),
            8 => unary(Globally, implies(p, binary(WeakUntil, not(q), r))),
            9 => binary(Until, or(p, q), r),
            10 => binary(Release, p, or(q, r)),
            11 => binary(StrongRelease, p, or(q, r)),
            12 => implies(unary(Finally, p.clone()), binary(Until, not(p), q)),
            13 => unary(Finally, unary(Globally, or(p, q))),
            14 => or(unary(Globally, p), unary(Finally, q)),
            _ => unary(Finally, or(p, q)),
        }
    }

    /// A random tree with `size` operators.
    fn tree(&mut self, size: usize) -> Ltl<A> {
        if size == 0 {
            return match self.rng.u8(..20) {
                0 => Ltl::True,
                1 => Ltl::False,
                _ => self.atom(),
            };
        }
        if chance(self.rng, 45) {
            return self.one_operand(size - 1);
        }
        let left = self.rng.usize(..size);
        let (f, g) = (self.tree(left), self.tree(size - 1 - left));
        let temporal = chance(self.rng, 50);
        if temporal {
            let future = [LtlBinary::Until, LtlBinary::WeakUntil, LtlBinary::Release, LtlBinary::StrongRelease];
            let past = self.tense == Tense::PastAndFuture && chance(self.rng, 30);
            return binary(if past { LtlBinary::Since } else { *pick(self.rng, &future) }, f, g);
        }
        match self.rng.u8(..10) {
            0..3 => and(f, g),
            3..6 => or(f, g),
            6 | 7 => implies(f, g),
            8 => Ltl::Iff(Box::new(f), Box::new(g)),
            _ => Ltl::Or(vec![f, g, self.literal()]),
        }
    }

    fn one_operand(&mut self, inner: usize) -> Ltl<A> {
        let f = self.tree(inner);
        if chance(self.rng, 20) {
            return not(f);
        }
        let future = [LtlUnary::Next, LtlUnary::WeakNext, LtlUnary::Finally, LtlUnary::Globally];
        let past = [LtlUnary::Yesterday, LtlUnary::Once, LtlUnary::Historically];
        let looks_back = self.tense == Tense::PastAndFuture && chance(self.rng, 45);
        unary(*if looks_back { pick(self.rng, &past) } else { pick(self.rng, &future) }, f)
    }
}
