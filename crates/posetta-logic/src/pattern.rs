//! Named patterns: what people mostly want to say, as LTL.
//!
//! The patterns and their scopes are those of Dwyer, Avrunin and Corbett (*Patterns in Property Specifications for
//! Finite-State Verification*, ICSE 1999), read on finite words. A scope picks segments of the word, and the pattern must
//! hold on each of them as if it were the whole word:
//!
//! | scope | segments |
//! | --- | --- |
//! | globally | the word |
//! | before r | up to the first r, without it; none if no r comes |
//! | after q | from the first q, with it, to the end; none if no q comes |
//! | between q and r | from every q that is not an r, up to the next r, without it; none if no r comes |
//! | after q until r | the same, or to the end if no r comes |
//!
//! So one definition of each pattern suffices: [`Segment`] writes the temporal operators for a segment that ends where r
//! holds. For most pairs this gives the published formula or a direct equivalent. It differs for "precedence after q",
//! whose published form is satisfied by any later q; here it is the first q that counts.
//!
//! A formula is built over numbers that stand for the arguments, so that its size is known before they are put in.

use super::ltl::{Ltl, LtlBinary, LtlUnary};
use super::trigger::Role;

/// The patterns, by the names that property files use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Pattern {
    /// `absence(p)`: p never holds.
    Absence,
    /// `existence(p)`: p holds somewhere.
    Existence,
    /// `universality(p)`: p holds everywhere.
    Universality,
    /// `precedence(s, p)`: no p without an s at or before it.
    Precedence,
    /// `response(p, s)`: every p is followed by an s, at once or later.
    Response,
    /// `precedence_chain(s, …; p, …)`: the effects in order only after the causes in order.
    PrecedenceChain,
    /// `response_chain(p, …; s, …)`: whenever the stimuli come in order, the responses follow in order.
    ResponseChain,
    /// `mutex(p, q, …)`: never two of them at once.
    Mutex,
    /// `exactly_once(p)`: p holds at exactly one position.
    ExactlyOnce,
    /// `alternation(p, q)`: p and q in turn, p first, never both at once.
    Alternation,
    /// `starts(p)`: p holds, and did not hold at the position before. A moment, not a demand on a whole word.
    Starts,
}

/// Where a pattern must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope<F> {
    Globally,
    Before(F),
    After(F),
    Between(F, F),
    AfterUntil(F, F),
}

/// How many arguments a pattern takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arity {
    Exactly(usize),
    /// At least two.
    Several,
    /// Two lists, separated by a semicolon.
    Lists,
}

/// Every pattern with its name and how it is written.
pub(super) const PATTERNS: [(Pattern, &str, Arity, &str); 11] = [
    (Pattern::Absence, "absence", Arity::Exactly(1), "absence(p)"),
    (Pattern::Existence, "existence", Arity::Exactly(1), "existence(p)"),
    (Pattern::Universality, "universality", Arity::Exactly(1), "universality(p)"),
    (Pattern::Precedence, "precedence", Arity::Exactly(2), "precedence(cause, effect)"),
    (Pattern::Response, "response", Arity::Exactly(2), "response(stimulus, response)"),
    (Pattern::PrecedenceChain, "precedence_chain", Arity::Lists, "precedence_chain(cause, …; effect, …)"),
    (Pattern::ResponseChain, "response_chain", Arity::Lists, "response_chain(stimulus, …; response, …)"),
    (Pattern::Mutex, "mutex", Arity::Several, "mutex(p, q, …)"),
    (Pattern::ExactlyOnce, "exactly_once", Arity::Exactly(1), "exactly_once(p)"),
    (Pattern::Alternation, "alternation", Arity::Exactly(2), "alternation(p, q)"),
    (Pattern::Starts, "starts", Arity::Exactly(1), "starts(p)"),
];

impl Pattern {
    /// The pattern of that name.
    pub(super) fn named(name: &str) -> Option<(Self, Arity, &'static str)> {
        PATTERNS.iter().find(|(_, n, ..)| *n == name).map(|&(pattern, _, arity, usage)| (pattern, arity, usage))
    }

    /// Whether it counts how often its arguments hold, so that a condition that lasts counts at every position.
    pub(super) fn counts(self) -> bool {
        matches!(self, Self::ExactlyOnce | Self::Alternation)
    }
}

/// A formula over the numbers of the arguments.
pub(super) type Skeleton = Ltl<usize>;

/// More arguments than this give a formula of more than a million parts: `mutex` has one part for each pair.
pub(super) const MOST_ARGUMENTS: usize = 1_000;

/// The formula of a pattern. The arguments are numbered from 0, `first` of them in the first list; a scope's own
/// arguments are numbers too.
pub(super) fn skeleton(pattern: Pattern, first: usize, total: usize, scope: Scope<usize>) -> Skeleton {
    in_scope(scope, |segment| segment.demand(pattern, first, total))
}

/// What a pattern needs to come true before it asks for anything, each with the formula that holds if it never does. Numbers are as
/// for [`skeleton`].
pub(super) fn triggers(
    pattern: Pattern,
    first: usize,
    total: usize,
    scope: Scope<usize>,
) -> Vec<(Role, Vec<usize>, Skeleton)> {
    let never = |f: Skeleton| unary(LtlUnary::Globally, not(f));
    let (leaf, no) = (Ltl::Atom, |n| not(Ltl::Atom(n)));
    let mut all = Vec::new();
    match scope {
        Scope::Globally => {}
        Scope::Before(r) => all.push((Role::Before, vec![r], never(leaf(r)))),
        Scope::After(q) => all.push((Role::After, vec![q], never(leaf(q)))),
        Scope::Between(q, r) => {
            let opens = and([leaf(q), no(r), unary(LtlUnary::Finally, leaf(r))]);
            all.push((Role::Between, vec![q, r], never(opens)));
        }
        Scope::AfterUntil(q, r) => all.push((Role::After, vec![q], never(and([leaf(q), no(r)])))),
    }
    let scoped = scope != Scope::Globally;
    let mut stimulus = |pattern: &'static str, arguments: Vec<usize>, absent: &dyn Fn(Segment) -> Skeleton| {
        let chain = arguments.len() > 1;
        all.push((Role::Stimulus { pattern, scoped, chain }, arguments, in_scope(scope, absent)));
    };
    match pattern {
        Pattern::Response => stimulus("response", vec![0], &|segment| segment.globally(no(0))),
        Pattern::Precedence => stimulus("precedence", vec![1], &|segment| segment.globally(no(1))),
        Pattern::PrecedenceChain => {
            let effects = (first..total).collect();
            stimulus("precedence_chain", effects, &|segment| not(segment.in_order(first, total, None)));
        }
        Pattern::ResponseChain => stimulus("response_chain", (0..first).collect(), &|segment| {
            let stimuli = match first {
                1 => leaf(0),
                _ => and([leaf(0), segment.next(segment.in_order(1, first, None))]),
            };
            segment.globally(not(stimuli))
        }),
        Pattern::Absence
        | Pattern::Existence
        | Pattern::Universality
        | Pattern::Mutex
        | Pattern::ExactlyOnce
        | Pattern::Alternation
        | Pattern::Starts => {}
    }
    all
}

/// The formula that says of every segment of a scope what `demand` says of one.
fn in_scope(scope: Scope<usize>, demand: impl Fn(Segment) -> Skeleton) -> Skeleton {
    let demand = |end| demand(Segment { end });
    let (leaf, no) = (Ltl::Atom, |n| not(Ltl::Atom(n)));
    match scope {
        Scope::Globally => demand(None),
        Scope::Before(r) => implies(unary(LtlUnary::Finally, leaf(r)), demand(Some(r))),
        Scope::After(q) => binary(LtlBinary::WeakUntil, no(q), and([leaf(q), demand(None)])),
        Scope::Between(q, r) => {
            let opens = and([leaf(q), no(r), unary(LtlUnary::Finally, leaf(r))]);
            unary(LtlUnary::Globally, implies(opens, demand(Some(r))))
        }
        Scope::AfterUntil(q, r) => unary(LtlUnary::Globally, implies(and([leaf(q), no(r)]), demand(Some(r)))),
    }
}

/// Temporal operators on a segment that ends before the next position at which `end` holds, or else with the word. At
/// such a position itself they speak of the empty segment.
#[derive(Clone, Copy)]
struct Segment {
    end: Option<usize>,
}

impl Segment {
    fn demand(self, pattern: Pattern, first: usize, total: usize) -> Skeleton {
        let p = || Ltl::Atom(0);
        let q = || Ltl::Atom(1);
        match pattern {
            Pattern::Absence => self.globally(not(p())),
            Pattern::Existence => self.finally(p()),
            Pattern::Universality => self.globally(p()),
            Pattern::Precedence => self.weak_until(not(q()), p()),
            Pattern::Response => self.globally(implies(p(), self.finally(q()))),
            Pattern::PrecedenceChain => self.precedence_chain(first, total),
            Pattern::ResponseChain => self.response_chain(first, total),
            Pattern::Mutex => {
                let pairs = (0..total).flat_map(|i| (i + 1..total).map(move |j| and([Ltl::Atom(i), Ltl::Atom(j)])));
                self.globally(not(or(pairs.collect())))
            }
            Pattern::ExactlyOnce => {
                let never_again = self.weak_next(self.globally(not(p())));
                self.until(not(p()), and([p(), never_again]))
            }
            Pattern::Alternation => and([
                self.globally(not(and([p(), q()]))),
                self.weak_until(not(q()), p()),
                self.globally(implies(p(), self.weak_next(self.weak_until(not(p()), q())))),
                self.globally(implies(q(), self.weak_next(self.weak_until(not(q()), p())))),
            ]),
            Pattern::Starts => and([p(), not(unary(LtlUnary::Yesterday, p()))]),
        }
    }

    /// If the effects come in this order, then no first effect comes before the causes have come in theirs; the last
    /// cause and the first effect may coincide.
    fn precedence_chain(self, first: usize, total: usize) -> Skeleton {
        let effect = || Ltl::Atom(first);
        let mut causes = self.until(not(effect()), Ltl::Atom(first - 1));
        for cause in (0..first - 1).rev() {
            causes = self.until(not(effect()), and([Ltl::Atom(cause), not(effect()), self.next(causes)]));
        }
        implies(self.in_order(first, total, None), causes)
    }

    /// Whenever the stimuli come in this order, the responses come in theirs after the earliest completion; the last
    /// stimulus and the first response may coincide.
    fn response_chain(self, first: usize, total: usize) -> Skeleton {
        let responses = self.in_order(first, total, None);
        let rule = if first == 1 {
            implies(Ltl::Atom(0), responses)
        } else {
            let stimuli = self.next(self.in_order(1, first, None));
            implies(and([Ltl::Atom(0), stimuli]), self.next(self.in_order(1, first, Some(responses))))
        };
        self.globally(rule)
    }

    /// The arguments `from..to`, one after the other, and `then` with the last one.
    fn in_order(self, from: usize, to: usize, then: Option<Skeleton>) -> Skeleton {
        let last = Ltl::Atom(to - 1);
        let mut chain = self.finally(match then {
            Some(then) => and([last, then]),
            None => last,
        });
        for argument in (from..to - 1).rev() {
            chain = self.finally(and([Ltl::Atom(argument), self.next(chain)]));
        }
        chain
    }

    fn next(self, f: Skeleton) -> Skeleton {
        unary(LtlUnary::Next, self.and_inside(f))
    }

    fn weak_next(self, f: Skeleton) -> Skeleton {
        unary(LtlUnary::WeakNext, self.or_outside(f))
    }

    fn finally(self, f: Skeleton) -> Skeleton {
        match self.end {
            None => unary(LtlUnary::Finally, f),
            Some(r) => binary(LtlBinary::Until, not(Ltl::Atom(r)), self.and_inside(f)),
        }
    }

    fn globally(self, f: Skeleton) -> Skeleton {
        match self.end {
            None => unary(LtlUnary::Globally, f),
            Some(r) => binary(LtlBinary::WeakUntil, f, Ltl::Atom(r)),
        }
    }

    fn until(self, f: Skeleton, g: Skeleton) -> Skeleton {
        binary(LtlBinary::Until, self.and_inside(f), self.and_inside(g))
    }

    /// Behind the end the left side is not asked any more, and a goal there comes too late to matter.
    fn weak_until(self, f: Skeleton, g: Skeleton) -> Skeleton {
        binary(LtlBinary::WeakUntil, f, self.or_outside(g))
    }

    fn and_inside(self, f: Skeleton) -> Skeleton {
        match self.end {
            None => f,
            Some(r) => and([f, not(Ltl::Atom(r))]),
        }
    }

    fn or_outside(self, f: Skeleton) -> Skeleton {
        match self.end {
            None => f,
            Some(r) => or(vec![f, Ltl::Atom(r)]),
        }
    }
}

fn not(f: Skeleton) -> Skeleton {
    Ltl::Not(Box::new(f))
}

/// A conjunction inside a conjunction is one: it prints without parentheses.
fn and<const N: usize>(parts: [Skeleton; N]) -> Skeleton {
    let mut flat = Vec::new();
    for part in parts {
        match part {
            Ltl::And(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    Ltl::And(flat)
}

fn or(mut parts: Vec<Skeleton>) -> Skeleton {
    if parts.len() == 1 { parts.remove(0) } else { Ltl::Or(parts) }
}

fn implies(f: Skeleton, g: Skeleton) -> Skeleton {
    Ltl::Implies(Box::new(f), Box::new(g))
}

fn unary(op: LtlUnary, f: Skeleton) -> Skeleton {
    Ltl::Unary(op, Box::new(f))
}

fn binary(op: LtlBinary, f: Skeleton, g: Skeleton) -> Skeleton {
    Ltl::Binary(op, Box::new(f), Box::new(g))
}
