//! PSL without derived forms: what each of them stands for.
//!
//! Formulas and SEREs are lists of nodes that name their parts by place, parts before what they belong to; `r[*3]` names r three
//! times.

use std::cell::RefCell;

use posetta_logic::{Atom, Guard, Psl, PslBinary, PslUnary, Sere, SereOp, Suffix, Times};

use super::Known;

/// A boolean over the places of atoms.
pub(super) type Test = Guard<u32>;

/// A place in [`Meaning::formulas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FlId(pub usize);

/// A place in [`Meaning::seres`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ReId(pub usize);

/// The operators of definition 2, `||`, and `<r> f`.
#[derive(Clone, Debug)]
pub(super) enum Fl {
    Bool(Test),
    Weak(ReId),
    Strong(ReId),
    Not(FlId),
    And(FlId, FlId),
    Or(FlId, FlId),
    /// `X! f`
    Next(FlId),
    Until(FlId, FlId),
    Abort(FlId, Test),
    /// `<r> f`
    Prefix(ReId, FlId),
}

/// The operators of definition 1, and what matches nothing: no choice at all.
#[derive(Clone, Debug)]
pub(super) enum Re {
    Bool(Test),
    Empty,
    Nothing,
    Concat(ReId, ReId),
    Fusion(ReId, ReId),
    Or(ReId, ReId),
    Intersect(ReId, ReId),
    Star(ReId),
}

/// A formula, ready to be asked about words.
#[derive(Clone, Debug)]
pub struct Meaning {
    pub(super) formulas: Vec<Fl>,
    pub(super) seres: Vec<Re>,
    /// How many states an automaton for each SERE has at most.
    states: Vec<usize>,
    pub(super) root: FlId,
    pub(super) known: RefCell<Known>,
}

pub(super) fn is_true(test: &Test, bits: u64) -> bool {
    match test {
        Guard::True => true,
        Guard::False => false,
        Guard::Atom(place) => bits >> place & 1 == 1,
        Guard::Not(b) => !is_true(b, bits),
        Guard::And(bs) => bs.iter().all(|b| is_true(b, bits)),
        Guard::Or(bs) => bs.iter().any(|b| is_true(b, bits)),
        Guard::Implies(b, c) => !is_true(b, bits) || is_true(c, bits),
        Guard::Iff(b, c) => is_true(b, bits) == is_true(c, bits),
    }
}

fn negated(test: Test) -> Test {
    Guard::Not(Box::new(test))
}

impl Meaning {
    /// What a formula means on words whose letters say what holds at the places of its atoms.
    pub fn of<A>(formula: &Psl<A>, place: &mut impl FnMut(&A) -> u32) -> Self {
        let formula = formula.map_atoms(place);
        let mut all = Self {
            formulas: Vec::new(),
            seres: Vec::new(),
            states: Vec::new(),
            root: FlId(0),
            known: RefCell::default(),
        };
        all.root = all.formula(&formula);
        all
    }

    /// The same, with the atoms in the order of their places.
    #[must_use]
    pub fn over_atoms(formula: &Psl) -> (Self, Vec<Atom>) {
        let mut atoms: Vec<Atom> = Vec::new();
        let meaning = Self::of(formula, &mut |atom: &Atom| {
            let place = atoms.iter().position(|a| a == atom).unwrap_or_else(|| {
                atoms.push(atom.clone());
                atoms.len() - 1
            });
            place as u32
        });
        (meaning, atoms)
    }

    /// How many states an automaton without empty moves needs at most, for any SERE of the formula.
    #[must_use]
    pub fn states(&self) -> usize {
        self.states.iter().copied().max().unwrap_or(0)
    }

    pub(super) fn states_of(&self, sere: ReId) -> usize {
        self.states[sere.0]
    }

    fn add(&mut self, formula: Fl) -> FlId {
        self.formulas.push(formula);
        FlId(self.formulas.len() - 1)
    }

    /// A state for the start and one behind each letter that is written; a fresh start where one is needed; both automata side by
    /// side for `&&`.
    fn add_sere(&mut self, sere: Re) -> ReId {
        let of = |r: ReId| self.states[r.0];
        let states = match sere {
            Re::Bool(_) => 2,
            Re::Empty | Re::Nothing => 1,
            Re::Concat(r, s) | Re::Fusion(r, s) => of(r) + of(s),
            Re::Or(r, s) => of(r) + of(s) + 1,
            Re::Intersect(r, s) => of(r).saturating_mul(of(s)),
            Re::Star(r) => of(r) + 1,
        };
        self.states.push(states);
        self.seres.push(sere);
        ReId(self.seres.len() - 1)
    }

    /// "`!b` on a boolean is a boolean."
    fn not(&mut self, f: FlId) -> FlId {
        match &self.formulas[f.0] {
            Fl::Bool(test) => {
                let test = negated(test.clone());
                self.add(Fl::Bool(test))
            }
            _ => self.add(Fl::Not(f)),
        }
    }

    fn and(&mut self, f: FlId, g: FlId) -> FlId {
        match (&self.formulas[f.0], &self.formulas[g.0]) {
            (Fl::Bool(b), Fl::Bool(c)) => {
                let both = Guard::And(vec![b.clone(), c.clone()]);
                self.add(Fl::Bool(both))
            }
            _ => self.add(Fl::And(f, g)),
        }
    }

    fn or(&mut self, f: FlId, g: FlId) -> FlId {
        match (&self.formulas[f.0], &self.formulas[g.0]) {
            (Fl::Bool(b), Fl::Bool(c)) => {
                let either = Guard::Or(vec![b.clone(), c.clone()]);
                self.add(Fl::Bool(either))
            }
            _ => self.add(Fl::Or(f, g)),
        }
    }

    /// `F f` = [true U f]
    fn finally(&mut self, f: FlId) -> FlId {
        let anything = self.add(Fl::Bool(Guard::True));
        self.add(Fl::Until(anything, f))
    }

    /// `G f` = !F!f
    fn globally(&mut self, f: FlId) -> FlId {
        let not = self.not(f);
        let finally = self.finally(not);
        self.not(finally)
    }

    /// `X! f`, or `X f` = !X!!f.
    fn next(&mut self, strong: bool, f: FlId) -> FlId {
        if strong {
            return self.add(Fl::Next(f));
        }
        let not = self.not(f);
        let next = self.add(Fl::Next(not));
        self.not(next)
    }

    /// `f U g`, or `f W g` = [f U g] || G f.
    fn until(&mut self, strong: bool, f: FlId, g: FlId) -> FlId {
        let until = self.add(Fl::Until(f, g));
        if strong {
            return until;
        }
        let forever = self.globally(f);
        self.or(until, forever)
    }

    /// `r |-> f` = !<r>!f
    fn after_each(&mut self, r: ReId, f: FlId) -> FlId {
        let not = self.not(f);
        let some = self.add(Fl::Prefix(r, not));
        self.not(some)
    }

    fn formula(&mut self, formula: &Psl<u32>) -> FlId {
        match formula {
            Psl::Bool(test) => self.add(Fl::Bool(test.clone())),
            Psl::Sere { sere, strong } => {
                let r = self.sere(sere);
                self.add(if *strong { Fl::Strong(r) } else { Fl::Weak(r) })
            }
            Psl::Not(f) => {
                let f = self.formula(f);
                self.not(f)
            }
            Psl::And(fs) => {
                let parts: Vec<FlId> = fs.iter().map(|f| self.formula(f)).collect();
                parts.into_iter().reduce(|f, g| self.and(f, g)).expect("at least two")
            }
            Psl::Or(fs) => {
                let parts: Vec<FlId> = fs.iter().map(|f| self.formula(f)).collect();
                parts.into_iter().reduce(|f, g| self.or(f, g)).expect("at least two")
            }
            // "f -> g is !f || g."
            Psl::Implies(f, g) => {
                let (f, g) = (self.formula(f), self.formula(g));
                let not = self.not(f);
                self.or(not, g)
            }
            // (f && g) || (!f && !g)
            Psl::Iff(f, g) => {
                let (f, g) = (self.formula(f), self.formula(g));
                let both = self.and(f, g);
                let (not_f, not_g) = (self.not(f), self.not(g));
                let neither = self.and(not_f, not_g);
                self.or(both, neither)
            }
            Psl::Unary(op, f) => {
                let f = self.formula(f);
                match op {
                    PslUnary::Next => self.next(false, f),
                    PslUnary::StrongNext => self.next(true, f),
                    PslUnary::Globally => self.globally(f),
                    PslUnary::Finally => self.finally(f),
                }
            }
            Psl::NextTimes { strong, count, formula } => {
                let f = self.formula(formula);
                if *count == 0 {
                    // f itself, but no boolean: what `!` makes of it is a formula.
                    return self.add(Fl::And(f, f));
                }
                (0..*count).fold(f, |f, _| self.next(*strong, f))
            }
            Psl::Binary(op, f, g) => {
                let (f, g) = (self.formula(f), self.formula(g));
                self.binary(*op, f, g)
            }
            // {[*];r} |-> false
            Psl::Never(r) => {
                let r = self.sere(r);
                let sooner_or_later = self.after_anything(r);
                let no = self.add(Fl::Bool(Guard::False));
                self.after_each(sooner_or_later, no)
            }
            // {[*];r}!
            Psl::Eventually(r) => {
                let r = self.sere(r);
                let sooner_or_later = self.after_anything(r);
                self.add(Fl::Strong(sooner_or_later))
            }
            Psl::Suffix(op, r, f) => {
                let (r, f) = (self.sere(r), self.formula(f));
                match op {
                    Suffix::Some => self.add(Fl::Prefix(r, f)),
                    Suffix::Overlapping => self.after_each(r, f),
                    // {r;true} |-> f
                    Suffix::After => {
                        let one = self.add_sere(Re::Bool(Guard::True));
                        let longer = self.add_sere(Re::Concat(r, one));
                        self.after_each(longer, f)
                    }
                }
            }
            Psl::Abort(f, b) => {
                let f = self.formula(f);
                self.add(Fl::Abort(f, b.clone()))
            }
        }
    }

    /// "`f until! g` = f U g, `until` = f W g, `until!_` = f U (f && g), `until_` = f W (f && g); `f before! g` = !g U (f && !g),
    /// `before` = !g W (f && !g), `before!_` = !g U f, `before_` = !g W f."
    fn binary(&mut self, op: PslBinary, f: FlId, g: FlId) -> FlId {
        match op {
            PslBinary::Until { strong, inclusive: false } => self.until(strong, f, g),
            PslBinary::Until { strong, inclusive: true } => {
                let both = self.and(f, g);
                self.until(strong, f, both)
            }
            PslBinary::Before { strong, inclusive } => {
                let not_g = self.not(g);
                let goal = if inclusive { f } else { self.and(f, not_g) };
                self.until(strong, not_g, goal)
            }
        }
    }

    /// true[*]
    fn anything(&mut self) -> ReId {
        let one = self.add_sere(Re::Bool(Guard::True));
        self.add_sere(Re::Star(one))
    }

    /// {true[*];r}
    fn after_anything(&mut self, r: ReId) -> ReId {
        let any = self.anything();
        self.add_sere(Re::Concat(any, r))
    }

    /// {r;true[*]}
    fn before_anything(&mut self, r: ReId) -> ReId {
        let any = self.anything();
        self.add_sere(Re::Concat(r, any))
    }

    fn sere(&mut self, sere: &Sere<u32>) -> ReId {
        match sere {
            Sere::Bool(test) => self.add_sere(Re::Bool(test.clone())),
            // "A chain reads from the left."
            Sere::Chain(op, parts) => {
                let parts: Vec<ReId> = parts.iter().map(|r| self.sere(r)).collect();
                parts.into_iter().reduce(|r, s| self.joined(*op, r, s)).expect("at least two")
            }
            Sere::Repeat(r, times) => {
                let r = self.sere(r);
                self.repeated(r, *times)
            }
            Sere::Goto(b, times) => self.goto(b, *times),
            // {b[->n:m];!b[*]}
            Sere::Occur(b, times) => {
                let goto = self.goto(b, *times);
                let others = self.others(b);
                self.add_sere(Re::Concat(goto, others))
            }
        }
    }

    fn joined(&mut self, op: SereOp, r: ReId, s: ReId) -> ReId {
        match op {
            SereOp::Concat => self.add_sere(Re::Concat(r, s)),
            SereOp::Fusion => self.add_sere(Re::Fusion(r, s)),
            SereOp::Or => self.add_sere(Re::Or(r, s)),
            SereOp::Intersect => self.add_sere(Re::Intersect(r, s)),
            // {{r} && {s;true[*]}} | {{r;true[*]} && {s}}
            SereOp::And => {
                let (longer_r, longer_s) = (self.before_anything(r), self.before_anything(s));
                let r_last = self.add_sere(Re::Intersect(r, longer_s));
                let s_last = self.add_sere(Re::Intersect(longer_r, s));
                self.add_sere(Re::Or(r_last, s_last))
            }
            // {true[*];r;true[*]} && {s}
            SereOp::Within => {
                let r = self.after_anything(r);
                let r = self.before_anything(r);
                self.add_sere(Re::Intersect(r, s))
            }
        }
    }

    /// !b[*]
    fn others(&mut self, b: &Test) -> ReId {
        let other = self.add_sere(Re::Bool(negated(b.clone())));
        self.add_sere(Re::Star(other))
    }

    /// {!b[*];b}[*n:m]
    fn goto(&mut self, b: &Test, times: Times) -> ReId {
        let others = self.others(b);
        let b = self.add_sere(Re::Bool(b.clone()));
        let once = self.add_sere(Re::Concat(others, b));
        self.repeated(once, times)
    }

    /// r[*n:m]: r n times, or n + 1 times, … or m times; without an upper bound r n times and then r[*]. An automaton has m copies of
    /// that of r in a row, at most, and may stop behind each from the n-th on.
    fn repeated(&mut self, r: ReId, times: Times) -> ReId {
        let mut power = self.add_sere(Re::Empty);
        for _ in 0..times.min {
            power = self.add_sere(Re::Concat(power, r));
        }
        let Some(max) = times.max else {
            let star = self.add_sere(Re::Star(r));
            return self.add_sere(Re::Concat(power, star));
        };
        if max < times.min {
            return self.add_sere(Re::Nothing);
        }
        let mut all = power;
        for _ in times.min..max {
            power = self.add_sere(Re::Concat(power, r));
            all = self.add_sere(Re::Or(all, power));
            self.states[all.0] = self.states[all.0].min(self.states[power.0]);
        }
        all
    }
}
