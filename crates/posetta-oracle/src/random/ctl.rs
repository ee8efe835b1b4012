//! Random CTL.

use fastrand::Rng;
use posetta::logic::{Ctl, CtlBinary, CtlUnary, Path};

use super::atom::{Vocabulary, joint_atom, state_atom};
use super::{chance, pick};

/// A random formula.
pub fn ctl(rng: &mut Rng, words: &Vocabulary) -> Ctl {
    let mut source = Source { rng, words };
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

fn not(f: Ctl) -> Ctl {
    Ctl::Not(Box::new(f))
}

fn and(f: Ctl, g: Ctl) -> Ctl {
    Ctl::And(vec![f, g])
}

fn or(f: Ctl, g: Ctl) -> Ctl {
    Ctl::Or(vec![f, g])
}

fn implies(f: Ctl, g: Ctl) -> Ctl {
    Ctl::Implies(Box::new(f), Box::new(g))
}

fn unary(path: Path, op: CtlUnary, f: Ctl) -> Ctl {
    Ctl::Unary(path, op, Box::new(f))
}

fn binary(path: Path, op: CtlBinary, f: Ctl, g: Ctl) -> Ctl {
    Ctl::Binary(path, op, Box::new(f), Box::new(g))
}

struct Source<'a> {
    rng: &'a mut Rng,
    words: &'a Vocabulary,
}

impl Source<'_> {
    fn atom(&mut self) -> Ctl {
        // What several processes do together decides these: no process knows their value by itself.
        let is_joint = chance(self.rng, 30);
        Ctl::Atom(if is_joint { joint_atom(self.rng, self.words) } else { state_atom(self.rng, self.words) })
    }

    fn literal(&mut self) -> Ctl {
        let atom = self.atom();
        if chance(self.rng, 25) { not(atom) } else { atom }
    }

    fn path(&mut self) -> Path {
        *pick(self.rng, &[Path::Some, Path::All])
    }

    /// A shape that people write, over random literals.
    fn template(&mut self) -> Ctl {
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

    /// A random tree with `size` operators.
    fn tree(&mut self, size: usize) -> Ctl {
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
