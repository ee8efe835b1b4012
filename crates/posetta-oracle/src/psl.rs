//! PSL by the definition of Pnueli and Zaks 2006, section 2.2, on finite words and on infinite ones that end in a loop.
//!
//! [`Meaning::of`] first writes a formula with the operators that the definition speaks of (`plain`); [`Meaning::holds`] is then the
//! definition, line by line. A [`Word`] may have the letters ⊤ and ⊥; a suffix, the complement or a prefix with ⊤^ω behind it is
//! a word again. What was found for a formula on a word is remembered, nothing else is done for speed.
//!
//! Deviations from the print, as docs/semantics.md has them: `<r> f` reads its prefix on v, not on the complement, so `r |-> f` is
//! `!<r>!f`; what `!` makes of a boolean is a boolean; `f || g` is true where one side is.
//!
//! # How far an infinite word is read
//!
//! Where the definition asks for some or all positions j of an infinite word, finitely many decide. The word has a stem and a round
//! that comes again and again, so a suffix that starts later than the first round is one that was met before. A prefix v^{0..j}
//! that matches a SERE is a path of a nondeterministic automaton without empty moves; such an automaton needs no more than
//! [`Meaning::states`] states. Of its steps two are alike if they start in the same state, and at the same place of the stem or the round;
//! what lies between two that are alike can be cut out of a path, so a shortest match, also one at whose last letter a given
//! suffix starts, has at most |stem| + |round|·states letters. And a path that is longer can go on forever: if every path that could
//! still be completed ends, as when a weak SERE is refuted, they all do by then. `Word::horizon` is this number.

mod plain;

use std::collections::HashMap;

use posetta_base::EventId;
use posetta_logic::{Atom, Psl, View};
use posetta_trace::Trace;

use self::plain::{Fl, FlId, Re, ReId, Test};
use crate::ltl::Tally;
use crate::order::Order;
use crate::word::{holds_at, word};

pub use self::plain::Meaning;

/// A letter: what holds at a position, or one that satisfies every boolean, or one that satisfies none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Letter {
    /// The atoms that hold, one bit each.
    Truth(u64),
    /// ⊤
    Top,
    /// ⊥
    Bottom,
}

impl Letter {
    /// The letter at which these atoms hold, by place.
    ///
    /// # Panics
    /// When there are more than 64.
    #[must_use]
    pub fn new(row: &[bool]) -> Self {
        assert!(row.len() <= 64, "so many atoms are not enumerated");
        Self::Truth(row.iter().enumerate().fold(0, |bits, (i, &holds)| bits | u64::from(holds) << i))
    }

    fn complement(self) -> Self {
        match self {
            Self::Top => Self::Bottom,
            Self::Bottom => Self::Top,
            truth @ Self::Truth(_) => truth,
        }
    }

    /// "For every boolean expression b, ⊤ ⊨ b and ⊥ ⊭ b."
    fn satisfies(self, test: &Test) -> bool {
        match self {
            Self::Top => true,
            Self::Bottom => false,
            Self::Truth(bits) => plain::is_true(test, bits),
        }
    }
}

/// A word: its stem, then its round again and again. Without a round it is finite.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Word {
    /// The letters that come once.
    pub stem: Vec<Letter>,
    /// The letters that come forever.
    pub round: Vec<Letter>,
}

impl Word {
    /// A finite word.
    #[must_use]
    pub fn finite(letters: Vec<Letter>) -> Self {
        Self { stem: letters, round: Vec::new() }
    }

    fn is_infinite(&self) -> bool {
        !self.round.is_empty()
    }

    /// Whether |v| > n.
    fn is_longer_than(&self, n: usize) -> bool {
        self.is_infinite() || self.stem.len() > n
    }

    /// v^i
    fn letter(&self, i: usize) -> Letter {
        match i.checked_sub(self.stem.len()) {
            None => self.stem[i],
            Some(over) => self.round[over % self.round.len()],
        }
    }

    /// v^{0..n-1}
    fn first(&self, n: usize) -> Vec<Letter> {
        (0..n).map(|i| self.letter(i)).collect()
    }

    /// v^{i..}
    #[must_use]
    pub fn suffix(&self, i: usize) -> Self {
        let mut suffix = self.clone();
        match i.checked_sub(self.stem.len()) {
            None => drop(suffix.stem.drain(..i)),
            Some(over) => {
                suffix.stem.clear();
                let places = suffix.round.len().max(1);
                suffix.round.rotate_left(over % places);
            }
        }
        suffix
    }

    /// v̄: "the word obtained by replacing every ⊤ with a ⊥ and vice versa."
    #[must_use]
    pub fn complement(&self) -> Self {
        let each = |letters: &[Letter]| letters.iter().map(|l| l.complement()).collect();
        Self { stem: each(&self.stem), round: each(&self.round) }
    }

    /// v^{0..n-1}⊤^ω
    #[must_use]
    pub fn padded(&self, n: usize) -> Self {
        Self { stem: self.first(n), round: vec![Letter::Top] }
    }

    /// The positions at which all different suffixes start.
    fn positions(&self) -> std::ops::Range<usize> {
        0..self.stem.len() + self.round.len()
    }

    /// How many letters have to be read for a SERE whose automaton has so many states. See the head of this module.
    fn horizon(&self, states: usize) -> usize {
        self.stem.len() + self.round.len() * states
    }
}

/// A set of places between letters, one bit each.
type Places = u128;

/// What was found for formulas on words.
type Known = HashMap<(FlId, Word), bool>;

/// So much is remembered before it is forgotten.
const MOST_KNOWN: usize = 200_000;

impl Meaning {
    /// Whether a word satisfies the formula.
    ///
    /// # Panics
    /// When a SERE would have to be read over 127 letters or more.
    #[must_use]
    pub fn holds(&self, word: &Word) -> bool {
        // Words of one enumeration have their suffixes in common.
        if self.known.borrow().len() > MOST_KNOWN {
            self.known.borrow_mut().clear();
        }
        self.holds_of(self.root, word)
    }

    /// Whether a finite word of these rows (the truth of each atom, by place) satisfies the formula.
    #[must_use]
    pub fn on_rows(&self, rows: &[Vec<bool>]) -> bool {
        self.holds(&Word::finite(rows.iter().map(|row| Letter::new(row)).collect()))
    }

    /// The places after which the letters from the first one on tightly satisfy a SERE; the place before the first letter is 0.
    fn ends(&self, sere: ReId, letters: &[Letter]) -> Places {
        assert!(letters.len() < Places::BITS as usize, "so long a word is not read");
        let mut known = vec![None; self.seres.len() * (letters.len() + 1)];
        self.ends_from(sere, letters, 0, &mut known)
    }

    /// The places j for which the letters from place i up to j tightly satisfy a SERE.
    fn ends_from(&self, sere: ReId, letters: &[Letter], i: usize, known: &mut [Option<Places>]) -> Places {
        let entry = sere.0 * (letters.len() + 1) + i;
        if let Some(ends) = known[entry] {
            return ends;
        }
        let ends = match &self.seres[sere.0] {
            // v ⊨ [*0] ⟺ v = ε
            Re::Empty => 1 << i,
            Re::Nothing => 0,
            // v ⊨ b ⟺ |v| = 1 and v^0 ⊨ b
            Re::Bool(test) => letters.get(i).map_or(0, |l| Places::from(l.satisfies(test)) << (i + 1)),
            // v ⊨ r1 ; r2 ⟺ ∃ v1, v2 such that v = v1 v2, v1 ⊨ r1 and v2 ⊨ r2
            Re::Concat(r, s) => {
                let middle = self.ends_from(*r, letters, i, known);
                members(middle).fold(0, |ends, k| ends | self.ends_from(*s, letters, k, known))
            }
            // v ⊨ r1 : r2 ⟺ ∃ v1, v2 and l such that v = v1 l v2, v1 l ⊨ r1 and l v2 ⊨ r2
            Re::Fusion(r, s) => {
                let middle = self.ends_from(*r, letters, i, known);
                let fused = |ends: Places, k: usize| ends | self.ends_from(*s, letters, k - 1, known) & !(1 << (k - 1));
                members(middle).filter(|&k| k > i).fold(0, fused)
            }
            Re::Or(r, s) => self.ends_from(*r, letters, i, known) | self.ends_from(*s, letters, i, known),
            Re::Intersect(r, s) => self.ends_from(*r, letters, i, known) & self.ends_from(*s, letters, i, known),
            // v ⊨ r[*] ⟺ v = ε, or ∃ v1 ≠ ε, v2 such that v = v1 v2, v1 ⊨ r and v2 ⊨ r[*]
            Re::Star(r) => (i..=letters.len()).fold(1 << i, |reached: Places, k| {
                if reached >> k & 1 == 1 { reached | self.ends_from(*r, letters, k, known) } else { reached }
            }),
        };
        known[entry] = Some(ends);
        ends
    }
}

fn members(mut places: Places) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = places.trailing_zeros();
        (places != 0).then(|| {
            places &= places - 1;
            first as usize
        })
    })
}

impl Meaning {
    fn holds_of(&self, formula: FlId, v: &Word) -> bool {
        let key = (formula, v.clone());
        let known = self.known.borrow().get(&key).copied();
        known.unwrap_or_else(|| {
            let holds = self.by_definition(formula, v);
            self.known.borrow_mut().insert(key, holds);
            holds
        })
    }

    fn by_definition(&self, formula: FlId, v: &Word) -> bool {
        match &self.formulas[formula.0] {
            // v ⊨ b ⟺ |v| = 0 or v^0 ⊨ b
            Fl::Bool(test) => !v.is_longer_than(0) || v.letter(0).satisfies(test),
            // v ⊨ ¬f ⟺ v̄ ⊭ f
            Fl::Not(f) => !self.holds_of(*f, &v.complement()),
            Fl::And(f, g) => self.holds_of(*f, v) && self.holds_of(*g, v),
            Fl::Or(f, g) => self.holds_of(*f, v) || self.holds_of(*g, v),
            Fl::Strong(r) => self.matches(*r, v),
            // v ⊨ r ⟺ ∀ j < |v|, v^{0..j}⊤^ω ⊨ r!
            Fl::Weak(r) if v.is_infinite() => {
                // What is padded earlier satisfies more, as ⊤ satisfies whatever another letter does, so the last j decides.
                self.matches(*r, &v.padded(v.horizon(self.states_of(*r))))
            }
            Fl::Weak(r) => v.positions().all(|j| self.matches(*r, &v.padded(j + 1))),
            // v ⊨ X! f ⟺ |v| > 1 and v^{1..} ⊨ f
            Fl::Next(f) => v.is_longer_than(1) && self.holds_of(*f, &v.suffix(1)),
            // v ⊨ f U g ⟺ ∃ k < |v| such that v^{k..} ⊨ g, and ∀ j < k, v^{j..} ⊨ f
            Fl::Until(f, g) => v
                .positions()
                .any(|k| self.holds_of(*g, &v.suffix(k)) && (0..k).all(|j| self.holds_of(*f, &v.suffix(j)))),
            // v ⊨ f abort b ⟺ v ⊨ f, or ∃ j < |v| such that v^j ⊨ b and v^{0..j-1}⊤^ω ⊨ f. Of an infinite word the first round
            // is enough: the first j decides, because what is padded earlier satisfies more.
            Fl::Abort(f, b) => {
                self.holds_of(*f, v)
                    || v.positions().any(|j| v.letter(j).satisfies(b) && self.holds_of(*f, &v.padded(j)))
            }
            // v ⊨ <r> f ⟺ ∃ j < |v| such that v^{0..j} ⊨ r and v^{j..} ⊨ f
            Fl::Prefix(r, f) => {
                let ends = self.ends(*r, &v.first(v.horizon(self.states_of(*r))));
                members(ends).filter(|&end| end > 0).any(|end| self.holds_of(*f, &v.suffix(end - 1)))
            }
        }
    }

    /// v ⊨ r! ⟺ ∃ j < |v| such that v^{0..j} ⊨ r
    fn matches(&self, r: ReId, v: &Word) -> bool {
        self.ends(r, &v.first(v.horizon(self.states_of(r)))) >> 1 != 0
    }
}

/// Asks every run.
#[must_use]
pub fn over_all_runs(trace: &Trace, view: View, formula: &Psl) -> Tally {
    let (meaning, atoms) = Meaning::over_atoms(formula);
    let mut tally = Tally::default();
    Order::of(trace).for_each_run(|run| match on_run(trace, run, view, &meaning, &atoms) {
        true => tally.satisfied += 1,
        false => tally.violated += 1,
    });
    tally
}

/// Whether one run satisfies a formula.
#[must_use]
pub fn satisfies(trace: &Trace, run: &[EventId], view: View, formula: &Psl) -> bool {
    let (meaning, atoms) = Meaning::over_atoms(formula);
    on_run(trace, run, view, &meaning, &atoms)
}

/// "A psl formula reads the word that LTL reads (n+1 letters over states, n over events)."
fn on_run(trace: &Trace, run: &[EventId], view: View, meaning: &Meaning, atoms: &[Atom]) -> bool {
    let row = |letter| atoms.iter().map(|atom| holds_at(trace, letter, atom)).collect();
    let rows: Vec<Vec<bool>> = word(trace, run, view).iter().map(row).collect();
    meaning.on_rows(&rows)
}
