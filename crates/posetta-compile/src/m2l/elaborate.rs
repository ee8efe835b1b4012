//! From trees to core formulas: definitions are put in, and restrictions stand where they count.
//!
//! A formula over a variable says nothing where the variable's restriction fails: its own `where`, or the default of its order, and for a position
//! that there is one. The manual of MONA conjoins it at every occurrence; connectives are strict, so it is the same to conjoin it once, at
//! the quantifier, if the variable occurs at all. In the body of a predicate an argument is restricted as the parameter is.
//!
//! The argument of a predicate is a value of its own: `f(t)` is `ex v: v = t & f(v)`. That differs from putting t in where `f` says nothing of t
//! but something of other values. Where `f` always says something ([`Elaborator::simple`]), and in macros, t is put in.
//!
//! What stands inside of atoms is in [`terms`]. With two values ([`Reading::Plain`]) quantifiers are relative: `ex1 p: f` is `ex p: "there is a p" & restriction & f`.

mod calls;
mod terms;

use self::calls::Calls;
use self::terms::{Place, at_most, equal};
use super::core::{Atom, CoreId, Cores, Track};
use posetta_base::{Budget, OverBudget};
use posetta_logic::m2l::{Argument, Connective, Formula, Order, Program, VarId};

const WHAT: &str = "putting definitions into the formula";

/// What a failing restriction means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Nothing is said.
    Mona,
    /// Quantifiers do not look there.
    Plain,
}

/// What is known of a track.
#[derive(Clone, Debug)]
pub(super) struct TrackInfo {
    pub(super) order: Order,
    /// Whether its ones lie inside the string, so that a quantifier need not look beyond it.
    pub(super) bounded: bool,
}

impl TrackInfo {
    /// Whether it has no ones beyond the end of the string.
    pub(super) fn ends_with_string(&self) -> bool {
        self.order == Order::Zero || self.bounded
    }
}

/// What a variable stands for.
#[derive(Clone, Debug)]
enum Binding {
    Track(Track),
    /// What is put in for it.
    Put(Argument),
}

/// How a track is restricted.
#[derive(Clone, Copy, Debug)]
enum Restriction {
    /// A position is one.
    Bare,
    /// As the variable says, or else the default of its order.
    Of(VarId),
    /// The default of its order.
    Default,
}

/// A stretch of the formula in which a track is restricted; the restriction is conjoined at its end if the track occurs.
#[derive(Debug)]
struct Scope {
    track: Track,
    restriction: Restriction,
    occurred: bool,
    /// Whether it occurs in the default restriction of another variable. There no further default applies, so what its own restriction says
    /// may differ.
    in_default: bool,
}

pub(super) struct Elaborator<'a> {
    program: &'a Program,
    reading: Reading,
    pub(super) cores: Cores,
    pub(super) tracks: Vec<TrackInfo>,
    bindings: Vec<Option<Binding>>,
    scopes: Vec<Scope>,
    in_default: bool,
    simple: Vec<bool>,
    calls: Calls,
    /// How often the strings were left behind of which the whole formula speaks: what is restricted there depends on
    /// all scopes.
    prefixes: u32,
    budget: &'a Budget,
}

impl<'a> Elaborator<'a> {
    pub(super) fn new(program: &'a Program, reading: Reading, cores: Cores, budget: &'a Budget) -> Self {
        let mut this = Self {
            program,
            reading,
            cores,
            tracks: Vec::new(),
            bindings: vec![None; program.vars.len()],
            scopes: Vec::new(),
            in_default: false,
            simple: Vec::new(),
            calls: Calls::default(),
            prefixes: 0,
            budget,
        };
        for pred in &program.preds {
            let simple = pred.formals.iter().all(|v| program.vars[v.index()].restriction.is_none())
                && this.is_simple(&pred.body);
            this.simple.push(simple);
        }
        for &var in &program.globals {
            let track = this.track(program.vars[var.index()].order, false);
            this.bindings[var.index()] = Some(Binding::Track(track));
            this.scopes.push(Scope { track, restriction: Restriction::Of(var), occurred: false, in_default: false });
        }
        this
    }

    /// The same with calls that share tracks, if it was left because there are too many.
    pub(super) fn sharing(&self) -> Option<Self> {
        let again = || {
            let cores = if self.cores.is_written() { Cores::written() } else { Cores::default() };
            Self { calls: Calls::sharing(), ..Self::new(self.program, self.reading, cores, self.budget) }
        };
        self.calls.are_many().then(again)
    }

    /// The track of a global variable.
    pub(super) fn global(&self, var: VarId) -> Option<Track> {
        match self.bindings.get(var.index()) {
            Some(Some(Binding::Track(track))) => Some(*track),
            _ => None,
        }
    }

    /// A formula of the program, under the assertion and the restrictions of the globals.
    pub(super) fn whole(&mut self, formula: &Formula) -> Result<CoreId, OverBudget> {
        let mut parts = vec![self.formula(formula)?];
        if self.reading == Reading::Mona {
            let assertion = self.formula(&self.program.assertion)?;
            parts.push(self.cores.restrict(assertion));
            for (place, &var) in self.program.globals.iter().enumerate() {
                let track = self.scopes[place].track;
                parts.push(self.restriction(track, Restriction::Of(var))?);
            }
            // One such restriction may mention the next variable; each is worked out once.
            let mut open: Vec<usize> = (0..self.program.globals.len())
                .filter(|&place| self.differs_in_default(self.scopes[place].restriction))
                .collect();
            while let Some(at) = open.iter().position(|&place| self.scopes[place].in_default) {
                let place = open.swap_remove(at);
                let (track, restriction) = (self.scopes[place].track, self.scopes[place].restriction);
                parts.push(self.restriction_in_default(track, restriction)?);
            }
        }
        Ok(self.cores.and(parts))
    }

    /// Whether a formula always says something once its free variables are what they should be.
    fn is_simple(&self, formula: &Formula) -> bool {
        match formula {
            Formula::Quantified { .. } | Formula::Let(..) | Formula::Restrict(_) | Formula::Prefix(_) => false,
            Formula::Not(f) => self.is_simple(f),
            Formula::Joined(_, f, g) => self.is_simple(f) && self.is_simple(g),
            Formula::Call(pred, arguments) => {
                self.simple[pred.index()]
                    && arguments.iter().all(|a| !matches!(a, Argument::Formula(f) if !self.is_simple(f)))
            }
            _ => true,
        }
    }

    fn fresh_track(&mut self, order: Order, bounded: bool) -> Track {
        self.tracks.push(TrackInfo { order, bounded });
        Track(self.tracks.len() as u32 - 1)
    }

    /// A track mentioned by an atom.
    fn occurs(&mut self, track: Track) -> Track {
        if let Some(place) = self.scopes.iter().rposition(|s| s.track == track) {
            self.calls.mention(place, track, self.in_default);
            let scope = &mut self.scopes[place];
            if self.in_default {
                scope.in_default = true;
            } else {
                scope.occurred = true;
            }
        }
        track
    }

    fn formula(&mut self, formula: &Formula) -> Result<CoreId, OverBudget> {
        self.budget.step(1, WHAT)?;
        Ok(match formula {
            Formula::Constant(value) => self.cores.constant(*value),
            Formula::Truth(var) => match self.binding(*var) {
                Binding::Put(Argument::Formula(f)) => self.formula(&f)?,
                Binding::Track(track) => {
                    self.occurs(track);
                    self.cores.atom(Atom::Truth(track))
                }
                Binding::Put(_) => unreachable!("orders were checked when names were resolved"),
            },
            Formula::Not(f) => {
                let f = self.formula(f)?;
                self.cores.not(f)
            }
            Formula::Joined(connective, f, g) => {
                let (f, g) = (self.formula(f)?, self.formula(g)?);
                match connective {
                    Connective::And => self.cores.and([f, g]),
                    Connective::Or => self.cores.or(f, g),
                    Connective::Implies => self.cores.implies(f, g),
                    Connective::Iff => self.cores.iff(f, g),
                }
            }
            Formula::In(t, set) => self.with_aside(|this, aside| {
                let place = this.position(t, aside)?;
                this.member(place, set, aside)
            })?,
            Formula::SamePosition(t, u) => self.compare(t, u, |p, q, cores| equal(cores, p, q))?,
            Formula::Less(t, u) => {
                self.compare(t, u, |p, q, cores| at_most(cores, Place { plus: p.plus + 1, ..p }, q))?
            }
            Formula::LessEq(t, u) => self.compare(t, u, |p, q, cores| at_most(cores, p, q))?,
            Formula::Sub(a, b) => match (self.plain_set(a), self.plain_set(b)) {
                (Some(x), Some(y)) => self.cores.atom(Atom::Sub(x, y)),
                _ => self.everywhere(|this, t, aside| {
                    let (a, b) = (this.member(t, a, aside)?, this.member(t, b, aside)?);
                    Ok(this.cores.implies(a, b))
                })?,
            },
            Formula::SameSet(a, b) => match (self.plain_set(a), self.plain_set(b)) {
                (Some(x), Some(y)) => self.cores.atom(Atom::Same(x, y)),
                _ => self.everywhere(|this, t, aside| {
                    let (a, b) = (this.member(t, a, aside)?, this.member(t, b, aside)?);
                    Ok(this.cores.iff(a, b))
                })?,
            },
            Formula::Empty(set) => match self.plain_set(set) {
                Some(x) => self.cores.atom(Atom::Empty(x)),
                None => self.everywhere(|this, t, aside| {
                    let member = this.member(t, set, aside)?;
                    Ok(this.cores.not(member))
                })?,
            },
            Formula::Quantified { all, vars, body } => self.quantified(*all, vars, body)?,
            Formula::Let(definitions, body) => self.lets(definitions, body)?,
            Formula::Call(pred, arguments) => self.call(*pred, arguments)?,
            Formula::Restrict(f) => {
                let f = self.formula(f)?;
                self.cores.restrict(f)
            }
            Formula::Prefix(f) => self.prefix(f)?,
        })
    }

    /// A longer string may meet restrictions that this one does not: they are conjoined inside.
    fn prefix(&mut self, f: &Formula) -> Result<CoreId, OverBudget> {
        self.prefixes += 1;
        let outer: Vec<(Track, Restriction)> = self.scopes.iter().map(|s| (s.track, s.restriction)).collect();
        let from = self.scopes.len();
        self.scopes.extend(outer.into_iter().map(|(track, restriction)| Scope {
            track,
            restriction,
            occurred: false,
            in_default: false,
        }));
        let body = self.formula(f)?;
        let body = self.close(from, body)?;
        Ok(self.cores.prefix(body))
    }

    fn binding(&self, var: VarId) -> Binding {
        self.bindings[var.index()].clone().expect("names were resolved: a variable is bound where it is used")
    }

    fn bind(&mut self, var: VarId, binding: Binding) -> (VarId, Option<Binding>) {
        (var, self.bindings[var.index()].replace(binding))
    }

    fn unbind(&mut self, saved: Vec<(VarId, Option<Binding>)>) {
        for (var, binding) in saved.into_iter().rev() {
            self.bindings[var.index()] = binding;
        }
    }

    /// Ends the scopes from a place on and conjoins their restrictions.
    fn close(&mut self, from: usize, body: CoreId) -> Result<CoreId, OverBudget> {
        let mut parts = vec![body];
        // The last scope first: a restriction may mention variables of scopes before it.
        while self.scopes.len() > from {
            let scope = self.scopes.pop().expect("there are more than `from`");
            if scope.occurred || self.reading == Reading::Plain {
                parts.push(self.restriction(scope.track, scope.restriction)?);
            }
            let told = scope.occurred && !self.differs_in_default(scope.restriction);
            if scope.in_default && self.reading == Reading::Mona && !told {
                parts.push(self.restriction_in_default(scope.track, scope.restriction)?);
            }
        }
        Ok(self.cores.and(parts))
    }

    /// Whether a restriction may say something else inside the default restriction of another variable. That of `$` does not: its only variable has a
    /// `where` of its own.
    fn differs_in_default(&self, restriction: Restriction) -> bool {
        let is_string = self.program.mode == posetta_logic::m2l::Mode::M2lStr;
        !matches!(restriction, Restriction::Of(var) if is_string && self.program.all_positions == Some(var))
    }

    /// What a restriction says of a track inside the default restriction of another variable.
    fn restriction_in_default(&mut self, track: Track, restriction: Restriction) -> Result<CoreId, OverBudget> {
        let before = std::mem::replace(&mut self.in_default, true);
        let part = self.restriction(track, restriction);
        self.in_default = before;
        part
    }

    /// What a restriction says of a track.
    fn restriction(&mut self, track: Track, restriction: Restriction) -> Result<CoreId, OverBudget> {
        let program = self.program;
        let order = self.tracks[track.0 as usize].order;
        let mut parts = Vec::new();
        if order == Order::One {
            parts.push(self.cores.atom(Atom::Some(track)));
        }
        let own = match restriction {
            Restriction::Bare => None,
            Restriction::Default => Some(None),
            Restriction::Of(var) => Some(program.vars[var.index()].restriction.as_ref()),
        };
        // While a restriction is worked out, its track is not restricted by it again.
        let from = self.scopes.len();
        self.scopes.push(Scope { track, restriction: Restriction::Bare, occurred: false, in_default: false });
        let (own, default) = match own {
            None => (None, false),
            Some(None) => (None, true),
            // A variable of a property stays in the word, whatever else is asked of it.
            Some(own) => (own, self.reading == Reading::Plain),
        };
        if let Some(condition) = own {
            parts.push(self.formula(condition)?);
        }
        let default = match order {
            _ if !default || self.in_default => None,
            Order::Zero => None,
            Order::One => program.default_one.as_ref(),
            Order::Two => program.default_two.as_ref(),
        };
        if let Some((formal, condition)) = default {
            self.in_default = true;
            let saved = self.bind(*formal, Binding::Track(track));
            let condition = self.formula(condition);
            self.unbind(vec![saved]);
            self.in_default = false;
            parts.push(condition?);
        }
        self.scopes.truncate(from);
        let all = self.cores.and(parts);
        Ok(if self.reading == Reading::Mona { self.cores.restrict(all) } else { all })
    }

    /// Whether a variable's ones lie inside the string: it has the restriction that all variables have in `m2l-str`.
    fn is_bounded(&self, var: VarId) -> bool {
        self.program.mode == posetta_logic::m2l::Mode::M2lStr
            && (self.reading == Reading::Plain || self.program.vars[var.index()].restriction.is_none())
            && !self.in_default
    }

    fn quantified(&mut self, all: bool, vars: &[VarId], body: &Formula) -> Result<CoreId, OverBudget> {
        let from = self.scopes.len();
        let (mut saved, mut tracks) = (Vec::new(), Vec::new());
        for &var in vars {
            let bounded = self.is_bounded(var);
            let track = self.track(self.program.vars[var.index()].order, bounded);
            tracks.push(track);
            saved.push(self.bind(var, Binding::Track(track)));
            self.scopes.push(Scope { track, restriction: Restriction::Of(var), occurred: false, in_default: false });
        }
        let body = self.formula(body)?;
        let body = if all { self.cores.not(body) } else { body };
        let body = self.close(from, body)?;
        self.unbind(saved);
        let exists = self.cores.exists(&tracks, body);
        Ok(if all { self.cores.not(exists) } else { exists })
    }

    fn lets(&mut self, definitions: &[(VarId, Argument)], body: &Formula) -> Result<CoreId, OverBudget> {
        let from = self.scopes.len();
        let (mut saved, mut tracks, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
        for (var, argument) in definitions {
            let track = self.track(self.program.vars[var.index()].order, false);
            conditions.push(self.equals(track, argument)?);
            tracks.push((*var, track));
        }
        for &(var, track) in &tracks {
            saved.push(self.bind(var, Binding::Track(track)));
            let restriction = match self.reading {
                Reading::Mona => Restriction::Of(var),
                Reading::Plain => Restriction::Bare,
            };
            self.scopes.push(Scope { track, restriction, occurred: false, in_default: false });
        }
        conditions.push(self.formula(body)?);
        let body = self.cores.and(conditions);
        let body = self.close(from, body)?;
        self.unbind(saved);
        let hidden: Vec<Track> = tracks.into_iter().map(|(_, track)| track).collect();
        Ok(self.cores.exists(&hidden, body))
    }
}
