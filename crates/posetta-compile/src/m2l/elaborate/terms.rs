//! Terms: positions and sets inside of atoms.
//!
//! A position is an offset from a track or a number ([`Place`]). What cannot be said so gets a track of its own, and a condition beside the atom
//! that makes it what it should be ([`Aside`]); a set that is no variable is told by its members.

use super::{Binding, Elaborator, WHAT};
use crate::m2l::core::{Atom, CoreId, Cores, Track};
use posetta_base::OverBudget;
use posetta_logic::m2l::{Argument, Element, Order, Position, Set};

/// A position as an offset from a track, or a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) base: Option<Track>,
    pub(super) plus: u32,
}

/// What has to hold beside an atom so that its terms mean what they should, and the tracks that were made up for them.
#[derive(Debug, Default)]
pub(super) struct Aside {
    tracks: Vec<Track>,
    conditions: Vec<CoreId>,
}

impl Elaborator<'_> {
    /// That a track is what an argument is.
    pub(super) fn equals(&mut self, track: Track, argument: &Argument) -> Result<CoreId, OverBudget> {
        match argument {
            Argument::Formula(f) => {
                let f = self.formula(f)?;
                let truth = self.cores.atom(Atom::Truth(track));
                Ok(self.cores.iff(truth, f))
            }
            Argument::Position(t) => self.with_aside(|this, aside| {
                let place = this.position(t, aside)?;
                Ok(equal(&mut this.cores, Place { base: Some(track), plus: 0 }, place))
            }),
            Argument::Set(set) => self.defines(track, set),
        }
    }

    /// That a track is a set.
    fn defines(&mut self, track: Track, set: &Set) -> Result<CoreId, OverBudget> {
        if let Some(other) = self.plain_set(set) {
            return Ok(self.cores.atom(Atom::Same(track, other)));
        }
        match set {
            Set::Empty => Ok(self.cores.atom(Atom::Empty(track))),
            Set::Number(n) => Ok(self.cores.atom(Atom::Number(track, *n))),
            _ => self.everywhere(|this, t, aside| {
                let own = member_of(&mut this.cores, t, track);
                let member = this.member(t, set, aside)?;
                Ok(this.cores.iff(own, member))
            }),
        }
    }

    /// An atom and what its terms need.
    pub(super) fn with_aside(
        &mut self,
        f: impl FnOnce(&mut Self, &mut Aside) -> Result<CoreId, OverBudget>,
    ) -> Result<CoreId, OverBudget> {
        let mut aside = Aside::default();
        let core = f(self, &mut aside)?;
        aside.conditions.push(core);
        let all = self.cores.and(aside.conditions);
        Ok(self.cores.exists(&aside.tracks, all))
    }

    /// Something of every natural number.
    pub(super) fn everywhere(
        &mut self,
        f: impl FnOnce(&mut Self, Place, &mut Aside) -> Result<CoreId, OverBudget>,
    ) -> Result<CoreId, OverBudget> {
        let t = self.track(Order::One, false);
        let mut aside = Aside::default();
        let core = f(self, Place { base: Some(t), plus: 0 }, &mut aside)?;
        // What the terms need does not depend on the number.
        let (some, not) = (self.cores.atom(Atom::Some(t)), self.cores.not(core));
        let body = self.cores.and([some, not]);
        let body = self.cores.exists(&[t], body);
        let all = self.cores.not(body);
        aside.conditions.push(all);
        let all = self.cores.and(aside.conditions);
        Ok(self.cores.exists(&aside.tracks, all))
    }

    pub(super) fn compare(
        &mut self,
        t: &Position,
        u: &Position,
        f: impl FnOnce(Place, Place, &mut Cores) -> CoreId,
    ) -> Result<CoreId, OverBudget> {
        self.with_aside(|this, aside| {
            let (p, q) = (this.position(t, aside)?, this.position(u, aside)?);
            Ok(f(p, q, &mut this.cores))
        })
    }

    pub(super) fn position(&mut self, position: &Position, aside: &mut Aside) -> Result<Place, OverBudget> {
        Ok(match position {
            Position::Var(var) => match self.binding(*var) {
                Binding::Track(track) => Place { base: Some(self.occurs(track)), plus: 0 },
                Binding::Put(Argument::Position(t)) => self.position(&t, aside)?,
                Binding::Put(_) => unreachable!("orders were checked when names were resolved"),
            },
            Position::Constant(n) => Place { base: None, plus: *n },
            Position::Plus(t, n) => {
                let place = self.position(t, aside)?;
                Place { plus: place.plus.saturating_add(*n), ..place }
            }
            Position::Minus(t, n) => {
                let place = self.position(t, aside)?;
                self.minus(place, *n, aside)
            }
            Position::PlusModulo(t, n, u) => self.modulo(t, *n, u, true, aside)?,
            Position::MinusModulo(t, n, u) => self.modulo(t, *n, u, false, aside)?,
            Position::Min(set) => self.extreme(set, Atom::Min, aside)?,
            Position::Max(set) => self.extreme(set, Atom::Max, aside)?,
        })
    }

    fn minus(&mut self, place: Place, n: u32, aside: &mut Aside) -> Place {
        match place.base {
            _ if place.plus >= n => Place { plus: place.plus - n, ..place },
            None => Place { base: None, plus: 0 },
            Some(base) => {
                let v = self.made_up(Order::One, aside);
                aside.conditions.push(self.cores.atom(Atom::Monus(v, base, n - place.plus)));
                Place { base: Some(v), plus: 0 }
            }
        }
    }

    fn made_up(&mut self, order: Order, aside: &mut Aside) -> Track {
        let track = self.track(order, false);
        aside.tracks.push(track);
        track
    }

    fn extreme(&mut self, set: &Set, atom: fn(Track, Track) -> Atom, aside: &mut Aside) -> Result<Place, OverBudget> {
        let set = self.set_track(set, aside)?;
        let v = self.made_up(Order::One, aside);
        aside.conditions.push(self.cores.atom(atom(v, set)));
        Ok(Place { base: Some(v), plus: 0 })
    }

    /// One step after the other. A step past the end of u starts again at 0; what already lies beyond u goes to 0, and u itself counts as 0 does.
    fn modulo(&mut self, t: &Position, n: u32, u: &Position, up: bool, aside: &mut Aside) -> Result<Place, OverBudget> {
        let (mut t, u) = (self.position(t, aside)?, self.position(u, aside)?);
        for _ in 0..n {
            self.budget.step(1, WHAT)?;
            let v = self.made_up(Order::One, aside);
            let v = Place { base: Some(v), plus: 0 };
            let condition = if up { self.step_up(v, t, u) } else { self.step_down(v, t, u, aside) };
            aside.conditions.push(condition);
            t = v;
        }
        Ok(t)
    }

    fn step_up(&mut self, v: Place, t: Place, u: Place) -> CoreId {
        let (zero, one) = (Place { base: None, plus: 0 }, Place { base: None, plus: 1 });
        let next = Place { plus: t.plus + 1, ..t };
        let cores = &mut self.cores;
        let is_zero = equal(cores, v, zero);
        let is_one = equal(cores, v, one);
        let is_next = equal(cores, v, next);
        let beyond = less(cores, u, t);
        let inside = less(cores, next, u);
        let last = equal(cores, next, u);
        let at = equal(cores, t, u);
        let wide = less(cores, one, u);
        let start = cores.or(beyond, last);
        let narrow = cores.not(wide);
        let at_narrow = cores.and([at, narrow]);
        let to_zero = cores.or(start, at_narrow);
        let at_wide = cores.and([at, wide]);
        [(to_zero, is_zero), (inside, is_next), (at_wide, is_one)]
            .map(|(when, then)| cores.implies(when, then))
            .into_iter()
            .reduce(|f, g| cores.and([f, g]))
            .expect("there are three")
    }

    fn step_down(&mut self, v: Place, t: Place, u: Place, aside: &mut Aside) -> CoreId {
        let zero = Place { base: None, plus: 0 };
        let (before, last) = (self.minus(t, 1, aside), self.minus(u, 1, aside));
        let cores = &mut self.cores;
        let is_zero = equal(cores, v, zero);
        let is_before = equal(cores, v, before);
        let is_last = equal(cores, v, last);
        let beyond = less(cores, u, t);
        let inside = cores.not(beyond);
        let first = equal(cores, t, zero);
        let later = cores.not(first);
        let steps = cores.and([inside, later]);
        let wraps = cores.and([inside, first]);
        [(beyond, is_zero), (steps, is_before), (wraps, is_last)]
            .map(|(when, then)| cores.implies(when, then))
            .into_iter()
            .reduce(|f, g| cores.and([f, g]))
            .expect("there are three")
    }

    /// The track of a set that is a variable.
    pub(super) fn plain_set(&mut self, set: &Set) -> Option<Track> {
        match set {
            Set::Var(var) => match self.binding(*var) {
                Binding::Track(track) => Some(self.occurs(track)),
                Binding::Put(Argument::Set(put)) => self.plain_set(&put),
                Binding::Put(_) => unreachable!("orders were checked when names were resolved"),
            },
            _ => None,
        }
    }

    /// A track for a set.
    fn set_track(&mut self, set: &Set, aside: &mut Aside) -> Result<Track, OverBudget> {
        if let Some(track) = self.plain_set(set) {
            return Ok(track);
        }
        let track = self.made_up(Order::Two, aside);
        let condition = self.defines(track, set)?;
        aside.conditions.push(condition);
        Ok(track)
    }

    /// That a place lies in a set.
    pub(super) fn member(&mut self, t: Place, set: &Set, aside: &mut Aside) -> Result<CoreId, OverBudget> {
        Ok(match set {
            Set::Var(var) => match self.binding(*var) {
                Binding::Track(track) => {
                    self.occurs(track);
                    member_of(&mut self.cores, t, track)
                }
                Binding::Put(Argument::Set(put)) => self.member(t, &put, aside)?,
                Binding::Put(_) => unreachable!("orders were checked when names were resolved"),
            },
            Set::Empty => self.cores.constant(false),
            Set::Union(a, b) => {
                let (a, b) = (self.member(t, a, aside)?, self.member(t, b, aside)?);
                self.cores.or(a, b)
            }
            Set::Inter(a, b) => {
                let (a, b) = (self.member(t, a, aside)?, self.member(t, b, aside)?);
                self.cores.and([a, b])
            }
            Set::Difference(a, b) => {
                let (a, b) = (self.member(t, a, aside)?, self.member(t, b, aside)?);
                let b = self.cores.not(b);
                self.cores.and([a, b])
            }
            Set::Plus(a, n) => {
                self.element(a, aside, |cores, v| equal(cores, t, Place { plus: v.plus.saturating_add(*n), ..v }))?
            }
            Set::Minus(a, n) => {
                let moved = self.member(Place { plus: t.plus.saturating_add(*n), ..t }, a, aside)?;
                // What lies below n goes to 0.
                let low = self.element(a, aside, |cores, v| at_most(cores, v, Place { base: None, plus: n - 1 }))?;
                let zero = equal(&mut self.cores, t, Place { base: None, plus: 0 });
                let to_zero = self.cores.and([zero, low]);
                self.cores.or(moved, to_zero)
            }
            Set::Listed(elements) => {
                let mut any = self.cores.constant(false);
                for element in elements {
                    let one = match element {
                        Element::One(u) => {
                            let u = self.position(u, aside)?;
                            equal(&mut self.cores, t, u)
                        }
                        Element::Range(from, to) => {
                            let (from, to) = (self.position(from, aside)?, self.position(to, aside)?);
                            let (low, high) = (at_most(&mut self.cores, from, t), at_most(&mut self.cores, t, to));
                            self.cores.and([low, high])
                        }
                    };
                    any = self.cores.or(any, one);
                }
                any
            }
            Set::Number(n) => {
                let mut any = self.cores.constant(false);
                for bit in (0..64).filter(|bit| n >> bit & 1 == 1) {
                    let one = equal(&mut self.cores, t, Place { base: None, plus: bit });
                    any = self.cores.or(any, one);
                }
                any
            }
        })
    }

    /// That there is such an element of a set.
    fn element(
        &mut self,
        set: &Set,
        aside: &mut Aside,
        such: impl FnOnce(&mut Cores, Place) -> CoreId,
    ) -> Result<CoreId, OverBudget> {
        let v = self.track(Order::One, false);
        let place = Place { base: Some(v), plus: 0 };
        let member = self.member(place, set, aside)?;
        let such = such(&mut self.cores, place);
        let some = self.cores.atom(Atom::Some(v));
        let all = self.cores.and([some, member, such]);
        Ok(self.cores.exists(&[v], all))
    }
}

fn member_of(cores: &mut Cores, t: Place, set: Track) -> CoreId {
    cores.atom(match t.base {
        Some(base) => Atom::In(base, t.plus, set),
        None => Atom::Has(set, t.plus),
    })
}

pub(super) fn equal(cores: &mut Cores, p: Place, q: Place) -> CoreId {
    match (p.base, q.base) {
        (None, None) => cores.constant(p.plus == q.plus),
        (Some(a), Some(b)) if p.plus <= q.plus => cores.atom(Atom::Equal(a, b, q.plus - p.plus)),
        (Some(a), Some(b)) => cores.atom(Atom::Equal(b, a, p.plus - q.plus)),
        (Some(a), None) | (None, Some(a)) => {
            let (moved, number) = if p.base.is_some() { (p.plus, q.plus) } else { (q.plus, p.plus) };
            match number.checked_sub(moved) {
                Some(n) => cores.atom(Atom::Is(a, n)),
                None => cores.constant(false),
            }
        }
    }
}

pub(super) fn at_most(cores: &mut Cores, p: Place, q: Place) -> CoreId {
    match (p.base, q.base) {
        (None, None) => cores.constant(p.plus <= q.plus),
        (Some(a), Some(b)) => cores.atom(Atom::AtMost(a, b, i64::from(q.plus) - i64::from(p.plus))),
        (Some(a), None) => match q.plus.checked_sub(p.plus) {
            Some(n) => cores.atom(Atom::Below(a, n)),
            None => cores.constant(false),
        },
        // n ≤ b is not b ≤ n - 1.
        (None, Some(b)) => match p.plus.checked_sub(q.plus) {
            None | Some(0) => cores.constant(true),
            Some(n) => {
                let below = cores.atom(Atom::Below(b, n - 1));
                cores.not(below)
            }
        },
    }
}

fn less(cores: &mut Cores, p: Place, q: Place) -> CoreId {
    at_most(cores, Place { plus: p.plus + 1, ..p }, q)
}
