//! Calls of definitions: what is put in for their parameters, and what of a body is known from an earlier call.
//!
//! Definitions that call each other in depth, each more than once, have more calls than anybody can work out one by
//! one. A call whose arguments are tracks says the same as an earlier one with the same tracks, so its formula is
//! kept. That alone does not help as long as every call has tracks of its own for what its body binds, because these
//! are the arguments of the calls inside. So if there are many calls, everything is worked out anew, and a body takes
//! the first tracks of a common store that are no arguments of its own: then few tuples of arguments are different.
//! Nothing is captured by that, as a body mentions its arguments, global variables and what it binds. (MONA keeps the
//! code of definitions and renames it, Klarlund and Møller 2001.) With few calls each has tracks of its own, which
//! says best what belongs together when tracks are put in order.

use super::terms::{Aside, Place};
use super::{Binding, Elaborator, Reading, Restriction, Scope, WHAT};
use crate::m2l::core::{CoreId, Track};
use posetta_base::{Limit, OverBudget};
use posetta_logic::m2l::{Argument, Formula, Order, Position, PredId, Set, VarId};
use rustc_hash::FxHashMap;

/// If more bodies are worked out, they share tracks.
const MANY: u32 = 1000;

/// So often arguments that are no variables are put into one definition.
const PUT_IN: u32 = 256;

/// What the formula of a call depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pred: PredId,
    /// Whether parameters have no restrictions of their own.
    is_put: bool,
    in_default: bool,
    /// What the parameters are, and whether that was made up for this call.
    actuals: Vec<(Track, bool)>,
}

/// A call that was worked out.
#[derive(Clone, Debug)]
pub(super) struct Known {
    core: CoreId,
    marks: Vec<Mark>,
}

/// A track from outside of a call that is mentioned inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Mark {
    track: Track,
    in_default: bool,
    /// Whether it has a restriction of its own.
    is_own: bool,
}

/// What calls share.
#[derive(Debug, Default)]
pub(super) struct Calls {
    known: FxHashMap<Key, Known>,
    /// For each definition how often arguments that are no variables were put in.
    put_in: FxHashMap<PredId, u32>,
    /// How many bodies were worked out.
    bodies: u32,
    /// Whether bodies share tracks, and these by their kind.
    shares: bool,
    store: FxHashMap<(Order, bool), Vec<Track>>,
    frame: Option<Frame>,
    /// How many bodies are being worked out, and the tracks that were mentioned in them: the place of the scope, the
    /// track, and whether that was in the default restriction of another variable.
    depth: u32,
    mentioned: Vec<(usize, Track, bool)>,
}

impl Calls {
    pub(super) fn sharing() -> Self {
        Self { shares: true, ..Self::default() }
    }

    /// Whether there are so many calls that they should share tracks.
    pub(super) fn are_many(&self) -> bool {
        !self.shares && self.bodies > MANY
    }

    /// A track of a scope is mentioned.
    pub(super) fn mention(&mut self, scope: usize, track: Track, in_default: bool) {
        if self.depth > 0 {
            self.mentioned.push((scope, track, in_default));
        }
    }
}

/// The body of a call that shares tracks with others.
#[derive(Debug)]
struct Frame {
    actuals: Vec<Track>,
    /// How many tracks of each kind were looked at.
    taken: FxHashMap<(Order, bool), usize>,
}

impl Elaborator<'_> {
    /// A track for what is bound or made up, perhaps one that other bodies have as well.
    pub(super) fn track(&mut self, order: Order, bounded: bool) -> Track {
        let Some(frame) = &mut self.calls.frame else { return self.fresh_track(order, bounded) };
        let store = self.calls.store.entry((order, bounded)).or_default();
        let taken = frame.taken.entry((order, bounded)).or_default();
        while store.get(*taken).is_some_and(|track| frame.actuals.contains(track)) {
            *taken += 1;
        }
        *taken += 1;
        match store.get(*taken - 1) {
            Some(&track) => track,
            None => {
                let track = self.fresh_track(order, bounded);
                self.calls.store.entry((order, bounded)).or_default().push(track);
                track
            }
        }
    }

    /// Works the body of a definition out, unless that was done for the same tracks.
    fn body_of(
        &mut self,
        key: Key,
        work: impl FnOnce(&mut Self) -> Result<CoreId, OverBudget>,
    ) -> Result<CoreId, OverBudget> {
        if let Some(known) = self.calls.known.get(&key)
            && known.marks.iter().all(|mark| self.is_own(mark.track) == mark.is_own)
        {
            let known = known.clone();
            for mark in known.marks {
                let before = std::mem::replace(&mut self.in_default, mark.in_default);
                self.occurs(mark.track);
                self.in_default = before;
            }
            return Ok(known.core);
        }
        self.calls.bodies = self.calls.bodies.saturating_add(1);
        if self.calls.are_many() {
            return Err(OverBudget::new(WHAT, Limit::Time));
        }
        let shares = self.calls.shares.then(|| Frame {
            actuals: key.actuals.iter().map(|&(track, _)| track).collect(),
            taken: FxHashMap::default(),
        });
        let frame = std::mem::replace(&mut self.calls.frame, shares);
        let (prefixes, from, depth) = (self.prefixes, self.calls.mentioned.len(), self.scopes.len());
        self.calls.depth += 1;
        let core = work(self);
        self.calls.depth -= 1;
        self.calls.frame = frame;
        let core = core?;
        let mut outside = self.calls.mentioned.split_off(from);
        outside.retain(|&(scope, ..)| scope < depth);
        outside.sort_unstable();
        outside.dedup();
        if self.prefixes == prefixes {
            let mark =
                |&(_, track, in_default): &(usize, Track, bool)| Mark { track, in_default, is_own: self.is_own(track) };
            let marks = outside.iter().map(mark).collect();
            self.calls.known.insert(key, Known { core, marks });
        }
        if self.calls.depth > 0 {
            self.calls.mentioned.extend(outside);
        }
        Ok(core)
    }

    /// Whether a track is restricted by what a variable says of itself.
    fn is_own(&self, track: Track) -> bool {
        let scope = self.scopes.iter().rev().find(|s| s.track == track);
        scope.is_some_and(|scope| match scope.restriction {
            Restriction::Of(var) => self.program.vars[var.index()].restriction.is_some(),
            Restriction::Bare | Restriction::Default => false,
        })
    }

    /// A definition with arguments.
    pub(super) fn call(&mut self, pred: PredId, arguments: &[Argument]) -> Result<CoreId, OverBudget> {
        let program = self.program;
        let definition = &program.preds[pred.index()];
        if definition.is_macro || self.simple[pred.index()] && self.may_be_put_in(pred, arguments) {
            if !definition.is_macro {
                // An argument counts as mentioned even where its parameter is not.
                for argument in arguments {
                    self.mention(argument)?;
                }
            }
            let put: Vec<Binding> = arguments.iter().map(|a| self.put(self.closed(a))).collect();
            let actuals = put.iter().map(|binding| match binding {
                Binding::Track(track) => Some((*track, false)),
                Binding::Put(_) => None,
            });
            let actuals: Option<Vec<(Track, bool)>> = actuals.collect();
            let work = |this: &mut Self| {
                let formals = definition.formals.iter().zip(put);
                let saved = formals.map(|(&formal, binding)| this.bind(formal, binding)).collect();
                let body = this.formula(&definition.body);
                this.unbind(saved);
                body
            };
            let in_default = self.in_default;
            return match actuals {
                Some(actuals) => self.body_of(Key { pred, is_put: true, in_default, actuals }, work),
                None => {
                    let put_in = self.calls.put_in.entry(pred).or_default();
                    *put_in = put_in.saturating_add(1);
                    work(self)
                }
            };
        }
        let (mut fresh, mut conditions, mut actuals) = (Vec::new(), Vec::new(), Vec::new());
        for (&formal, argument) in definition.formals.iter().zip(arguments) {
            let known = self.plain(argument);
            let track = match known {
                Some(track) => track,
                None => {
                    let track = self.track(program.vars[formal.index()].order, false);
                    conditions.push(self.equals(track, argument)?);
                    fresh.push(track);
                    track
                }
            };
            actuals.push((track, known.is_none()));
        }
        let key = Key { pred, is_put: false, in_default: self.in_default, actuals };
        let actuals = key.actuals.clone();
        let body = self.body_of(key, |this| {
            let from = this.scopes.len();
            let mut saved = Vec::new();
            for (&formal, (track, is_fresh)) in definition.formals.iter().zip(actuals) {
                let own = program.vars[formal.index()].restriction.is_some();
                let restriction = match (this.reading, own) {
                    (Reading::Mona, true) => Restriction::Of(formal),
                    (Reading::Mona, false) if !is_fresh => Restriction::Default,
                    _ => Restriction::Bare,
                };
                this.scopes.push(Scope { track, restriction, occurred: false, in_default: false });
                saved.push(this.bind(formal, Binding::Track(track)));
            }
            let body = this.formula(&definition.body)?;
            let body = this.close(from, body)?;
            this.unbind(saved);
            Ok(body)
        })?;
        conditions.push(body);
        let all = self.cores.and(conditions);
        Ok(self.cores.exists(&fresh, all))
    }

    /// Whether arguments can be put in for the parameters of a definition that always says something: a variable with
    /// a restriction of its own is under the default one there.
    fn may_be_put_in(&self, pred: PredId, arguments: &[Argument]) -> bool {
        let often = self.calls.put_in.get(&pred).is_some_and(|&times| times >= PUT_IN);
        if often && !arguments.iter().all(|a| self.is_track(a)) {
            return false;
        }
        self.reading == Reading::Plain
            || arguments.iter().all(|argument| {
                let var = match argument {
                    Argument::Formula(f) => return self.is_simple(f),
                    Argument::Position(Position::Var(var)) | Argument::Set(Set::Var(var)) => *var,
                    _ => return true,
                };
                !matches!(self.bindings[var.index()], Some(Binding::Track(track)) if self.is_own(track))
            })
    }

    /// An argument as it is where it was written: parameters of the definition around it are replaced.
    fn closed(&self, argument: &Argument) -> Argument {
        let put = |var: &VarId| match &self.bindings[var.index()] {
            Some(Binding::Put(put)) => Some(put.clone()),
            _ => None,
        };
        match argument {
            Argument::Formula(Formula::Truth(var))
            | Argument::Position(Position::Var(var))
            | Argument::Set(Set::Var(var)) => put(var).unwrap_or_else(|| argument.clone()),
            _ => argument.clone(),
        }
    }

    /// The binding of a parameter that an argument is put in for: a variable's track if it has one, so that the name
    /// may be bound anew.
    fn put(&self, argument: Argument) -> Binding {
        let var = match &argument {
            Argument::Formula(Formula::Truth(var))
            | Argument::Position(Position::Var(var))
            | Argument::Set(Set::Var(var)) => *var,
            _ => return Binding::Put(argument),
        };
        match &self.bindings[var.index()] {
            Some(Binding::Track(track)) => Binding::Track(*track),
            _ => Binding::Put(argument),
        }
    }

    /// Whether an argument is a variable that has a track.
    fn is_track(&self, argument: &Argument) -> bool {
        let var = match argument {
            Argument::Formula(Formula::Truth(var))
            | Argument::Position(Position::Var(var))
            | Argument::Set(Set::Var(var)) => *var,
            _ => return false,
        };
        match &self.bindings[var.index()] {
            Some(Binding::Track(_)) => true,
            Some(Binding::Put(put)) => self.is_track(put),
            None => false,
        }
    }

    /// Works an argument out for what it mentions.
    fn mention(&mut self, argument: &Argument) -> Result<(), OverBudget> {
        match argument {
            Argument::Formula(f) => drop(self.formula(f)?),
            Argument::Position(t) => drop(self.position(t, &mut Aside::default())?),
            Argument::Set(set) => drop(self.member(Place { base: None, plus: 0 }, set, &mut Aside::default())?),
        }
        Ok(())
    }

    /// The track of an argument that is a variable.
    fn plain(&mut self, argument: &Argument) -> Option<Track> {
        let var = match argument {
            Argument::Formula(Formula::Truth(var))
            | Argument::Position(Position::Var(var))
            | Argument::Set(Set::Var(var)) => *var,
            _ => return None,
        };
        match self.bindings[var.index()].clone() {
            Some(Binding::Track(track)) => Some(self.occurs(track)),
            Some(Binding::Put(put)) => self.plain(&put),
            None => None,
        }
    }
}
