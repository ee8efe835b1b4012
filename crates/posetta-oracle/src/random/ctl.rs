//! Random CTL.

use fastrand::Rng;
use posetta_logic::{Ctl, CtlBinary, CtlUnary, Path};

use super::atom::{Vocabulary, joint_atom, state_atom};
use super::{chance, pick};

/// A random formula.
pub fn ctl(rng: &mut Rng, words: &Vocabulary) -> Ctl {
    ctl_over(rng, &|rng| {
        // What several processes do together decides these: no process knows their value by itself.
        let is_joint = chance(rng, 30);
        if is_joint { joint_atom(rng, words) } else { state_atom(rng, words) }
    })
}

/// A random formula over atoms that are made where they are needed.
pub fn ctl_over<A: Clone>(rng: &mut Rng, atom: &dyn Fn(&mut Rng) -> A) -> Ctl<A> {
    let mut source = Source { rng, atom };
    match source.rng.u8(..20) {
        0..8 => source.template(),
        8..10 => {
            let (a, b) = (source.template(), source.template());
            if source.rng.bool() { Ctl::And(vec![a, b]) } else { Ctl::Or(vec![a, b]) }
        }
        _ => {
            let size = if chance(source.rng, 15) { 7 + source.rng.usize(..6) } else { 2 + source.rng.usize(..5) };
            source.tree(size)
        }
    }
}

/// A random formula that can be decided while a run happens: operators over conditions, and combinations of these.
pub fn live_ctl(rng: &mut Rng, words: &Vocabulary) -> Ctl {
    let atom = |rng: &mut Rng| if chance(rng, 25) { joint_atom(rng, words) } else { state_atom(rng, words) };
    let mut source = Source { rng, atom: &atom };
    let parts = [1, 1, 1, 1, 2, 3][source.rng.usize(..6)];
    let mut all: Vec<Ctl> = (0..parts).map(|_| source.live()).collect();
    if all.len() == 1 {
        return all.remove(0);
    }
    match source.rng.u8(..3) {
        0 => Ctl::And(all),
        1 => Ctl::Or(all),
        _ => implies(all.remove(0), all.remove(0)),
    }
}

fn not<A>(f: Ctl<A>) -> Ctl<A> {
    Ctl::Not(Box::new(f))
}

fn and<A>(f: Ctl<A>, g: Ctl<A>) -> Ctl<A> {
    Ctl::And(vec![f, g])
}

fn or<A>(f: Ctl<A>, g: Ctl<A>) -> Ctl<A> {
    Ctl::Or(vec![f, g])
}

fn implies<A>(f: Ctl<A>, g: Ctl<A>) -> Ctl<A> {
    Ctl::Implies(Box::new(f), Box::new(g))
}

fn unary<A>(path: Path, op: CtlUnary, f: Ctl<A>) -> Ctl<A> {
    Ctl::Unary(path, op, Box::new(f))
}

fn binary<A>(path: Path, op: CtlBinary, f: Ctl<A>, g: Ctl<A>) -> Ctl<A> {
    Ctl::Binary(path, op, Box::new(f), Box::new(g))
}

struct Source<'a, A> {
    rng: &'a mut Rng,
    atom: &'a dyn Fn(&mut Rng) -> A,
}

impl<A: Clone> Source<'_, A> {
    fn atom(&mut self) -> Ctl<A> {
        Ctl::Atom((self.atom)(self.rng))
    }

    fn literal(&mut self) -> Ctl<A> {
        let atom = self.atom();
        if chance(self.rng, 25) { not(atom) } else { atom }
    }

    fn path(&mut self) -> Path {
        *pick(self.rng, &[Path::Some, Path::All])
    }

    /// A shape that people write, over random literals.
    fn template(&mut self) -> Ctl<A> {
        use CtlBinary::{Release, Until, WeakUntil};
        use CtlUnary::{Finally, Globally, Next};
        use Path::{All, Some};
        let (p, q, r) = (self.literal(), self.literal(), self.literal());
        match self.rng.u8(..14) {
            0 | 1 => unary(All, Globally, not(and(p, q))),
            2 | 3 => unary(All, Globally, implies(p, unary(All, Finally, q))),
            4 => unary(All, Globally, unary(Some, Finally, or(p, q))),
            5 => unary(Some, Finally, and(p, q)),
            6 => unary(All, Globally, implies(p, unary(Some, Next, q))),
            7 => unary(All, Globally, implies(p, unary(All, Next, q))),
            8 => binary(All, Until, or(p, q), r),
            9 => binary(Some, Until, p, or(q, r)),
            10 => binary(All, WeakUntil, not(p), q),
            11 => binary(self.path(), Release, p, or(q, r)),
            12 => unary(Some, Globally, or(p, q)),
            _ => unary(Some, Finally, and(p, unary(All, Globally, or(q, r)))),
        }
    }

    /// A condition.
    fn condition(&mut self) -> Ctl<A> {
        let (p, q, r) = (self.literal(), self.literal(), self.literal());
        match self.rng.u8(..10) {
            0..3 => p,
            3..6 => and(p, q),
            6 => or(p, q),
            7 => Ctl::And(vec![p, q, r]),
            8 => or(and(p, q), r),
            _ => implies(p, q),
        }
    }

    /// An operator, or a few, over conditions.
    fn live(&mut self) -> Ctl<A> {
        use CtlBinary::{Release, Until, WeakUntil};
        use CtlUnary::{Finally, Globally, Next};
        use Path::{All, Some};
        let (p, q) = (self.condition(), self.condition());
        let path = self.path();
        match self.rng.u8(..16) {
            0..4 => unary(All, Globally, not(p)),
            4..7 => unary(Some, Finally, p),
            7 => unary(All, Finally, p),
            8 => unary(Some, Globally, p),
            9 => unary(path, Next, p),
            10 => binary(path, Until, p, q),
            11 => binary(path, WeakUntil, p, q),
            12 => binary(path, Release, p, q),
            13 => unary(All, Globally, implies(p, unary(All, Finally, q))),
            14 => unary(Some, Finally, and(p, unary(Some, Globally, q))),
            _ => not(unary(All, Globally, or(p, unary(All, Next, q)))),
        }
    }

    /// A random tree with `size` operators.
    fn tree(&mut self, size: usize) -> Ctl<A> {
        if size == 0 {
            return match self.rng.u8(..20) {
                0 => Ctl::True,
                1 => Ctl::False,
                _ => self.atom(),
            };
        }
        if chance(self.rng, 45) {
            let f = self.tree(size - 1);
            if chance(self.rng, 20) {
                return not(f);
            }
            let op = *pick(self.rng, &[CtlUnary::Next, CtlUnary::Finally, CtlUnary::Globally]);
            return unary(self.path(), op, f);
        }
        let left = self.rng.usize(..size);
        let (f, g) = (self.tree(left), self.tree(size - 1 - left));
        if chance(self.rng, 50) {
            let op = *pick(self.rng, &[CtlBinary::Until, CtlBinary::WeakUntil, CtlBinary::Release]);
            return binary(self.path(), op, f, g);
        }
        match self.rng.u8(..10) {
            0..3 => and(f, g),
            3..6 => or(f, g),
            6 | 7 => implies(f, g),
            8 => Ctl::Iff(Box::new(f), Box::new(g)),
            _ => Ctl::Or(vec![f, g, self.literal()]),
        }
    }
}
