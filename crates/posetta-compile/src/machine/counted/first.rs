//! A formula as the first match of an expression: it holds where some beginning of the word matches, or where none does.
//!
//! That is so of co-safety properties in which nothing but a match is waited for, and of their negations: `never r`, `eventually! r`, `r!`,
//! `always (r |-> b)`, `always (b -> next[n] c)`. What depends on where a word ends (`always (b -> next![n] c)`, a weak SERE) is not.
//!
//! [`Owed`] is the other kind: after every match of one expression a match of another must come, as in `always {a} |=> {b[->5]}!`.

use posetta_logic::{AtomId, Guard, Psl, PslBinary, PslUnary, Sere, SereOp, Suffix, Times};

/// What a formula says of the beginnings of a word, none of them empty.
pub(super) struct FirstMatch {
    pub(super) sere: Sere<AtomId>,
    /// It holds where one matches; otherwise where none does.
    pub(super) good: bool,
}

impl FirstMatch {
    pub(super) fn of(formula: &Psl<AtomId>) -> Option<Self> {
        let good = matched(formula, true).map(|sere| Self { sere, good: true });
        good.or_else(|| matched(formula, false).map(|sere| Self { sere, good: false }))
    }
}

/// From the last letter of each beginning that matches `trigger` on, `sere` has to match.
pub(super) struct Owed {
    pub(super) trigger: Sere<AtomId>,
    pub(super) sere: Sere<AtomId>,
    /// Where the word ends before, it fails; otherwise only where no match can come any more.
    pub(super) strong: bool,
}

impl Owed {
    pub(super) fn of(formula: &Psl<AtomId>) -> Option<Self> {
        let then = |trigger: Sere<AtomId>, f: &Psl<AtomId>| {
            let owed = Self::of(f)?;
            Some(Self { trigger: chain(SereOp::Fusion, vec![trigger, owed.trigger]), ..owed })
        };
        match formula {
            Psl::Sere { sere, strong } => {
                Some(Self { trigger: Sere::Bool(Guard::True), sere: shortest(sere)?, strong: *strong })
            }
            Psl::Unary(PslUnary::Globally, f) => {
                let owed = Self::of(f)?;
                Some(Self { trigger: anywhere(&owed.trigger), ..owed })
            }
            Psl::Unary(PslUnary::Next, f) => {
                let owed = Self::of(f)?;
                Some(Self { trigger: after(1, owed.trigger), ..owed })
            }
            Psl::NextTimes { strong: false, count, formula } => {
                let owed = Self::of(formula)?;
                Some(Self { trigger: after(*count, owed.trigger), ..owed })
            }
            Psl::Implies(b, f) => {
                let Psl::Bool(guard) = &**b else { return None };
                then(Sere::Bool(guard.clone()), f)
            }
            Psl::Suffix(Suffix::Overlapping, r, f) => then(r.clone(), f),
            Psl::Suffix(Suffix::After, r, f) => {
                then(chain(SereOp::Concat, vec![r.clone(), Sere::Bool(Guard::True)]), f)
            }
            // Whatever else waits for a match, as `next_event!(b)[1000000](c)` does.
            f => {
                let sere = matched(f, true)?;
                Some(Self { trigger: Sere::Bool(Guard::True), sere: shortest(&sere)?, strong: true })
            }
        }
    }
}

/// The matches of which none begins with another: with one of these, what is owed is paid. `None` if the empty word is one.
fn shortest(sere: &Sere<AtomId>) -> Option<Sere<AtomId>> {
    let least = |times: &Times| (times.min > 0).then(|| Times::exactly(times.min));
    Some(match sere {
        Sere::Goto(b, times) | Sere::Occur(b, times) => Sere::Goto(b.clone(), least(times)?),
        Sere::Repeat(r, times) => Sere::Repeat(r.clone(), least(times)?),
        Sere::Chain(SereOp::Concat, parts) => {
            let (last, before) = parts.split_last()?;
            match shortest(last) {
                Some(last) => {
                    let mut parts = before.to_vec();
                    if let (Sere::Bool(end), Some(waiting)) = (&last, parts.pop()) {
                        until(&mut parts, waiting, end);
                    }
                    let parts = if matches!(last, Sere::Bool(_)) { parts } else { before.to_vec() };
                    chain(SereOp::Concat, parts.into_iter().chain([last]).collect())
                }
                None => shortest(&chain(SereOp::Concat, before.to_vec()))?,
            }
        }
        sere if nullable(sere) => return None,
        sere => sere.clone(),
    })
}

/// What is waited through before the letter that ends a match: it does not go on past a letter that does, so that an attempt stands at one place.
fn until(parts: &mut Vec<Sere<AtomId>>, waiting: Sere<AtomId>, end: &Guard<AtomId>) {
    let without = |guard: &Guard<AtomId>| repeat(both(guard, not(end)), Times::ANY);
    match waiting {
        Sere::Repeat(r, Times::ANY) if matches!(*r, Sere::Bool(_)) => {
            let Sere::Bool(guard) = *r else { return };
            parts.push(without(&guard));
        }
        Sere::Occur(b, times) if times.min > 0 && times.max == Some(times.min) => {
            parts.extend([Sere::Goto(b.clone(), times), without(&not(&b))]);
        }
        other => parts.push(other),
    }
}

fn not(guard: &Guard<AtomId>) -> Guard<AtomId> {
    match guard {
        Guard::Not(inner) => (**inner).clone(),
        guard => Guard::Not(Box::new(guard.clone())),
    }
}

fn both(a: &Guard<AtomId>, b: Guard<AtomId>) -> Guard<AtomId> {
    Guard::And(vec![a.clone(), b])
}

fn chain(op: SereOp, parts: Vec<Sere<AtomId>>) -> Sere<AtomId> {
    Sere::Chain(op, parts)
}

fn repeat(guard: Guard<AtomId>, times: Times) -> Sere<AtomId> {
    Sere::Repeat(Box::new(Sere::Bool(guard)), times)
}

/// First letters that satisfy a boolean, any number of them, then the rest, which is not empty.
fn after_any(guard: Guard<AtomId>, rest: Sere<AtomId>) -> Sere<AtomId> {
    chain(SereOp::Concat, vec![repeat(guard, Times::ANY), filled(rest)])
}

/// A match of what follows takes a letter: a formula is asked at a position.
fn filled(sere: Sere<AtomId>) -> Sere<AtomId> {
    if nullable(&sere) { chain(SereOp::Fusion, vec![Sere::Bool(Guard::True), sere]) } else { sere }
}

fn nullable(sere: &Sere<AtomId>) -> bool {
    match sere {
        Sere::Bool(_) | Sere::Chain(SereOp::Fusion, _) => false,
        Sere::Chain(SereOp::Or, parts) => parts.iter().any(nullable),
        Sere::Chain(_, parts) => parts.iter().all(nullable),
        Sere::Repeat(r, times) => times.min == 0 || nullable(r),
        Sere::Goto(_, times) | Sere::Occur(_, times) => times.min == 0,
    }
}

/// `{[*];r}`
fn anywhere(sere: &Sere<AtomId>) -> Sere<AtomId> {
    chain(SereOp::Concat, vec![repeat(Guard::True, Times::ANY), sere.clone()])
}

fn after(count: u32, rest: Sere<AtomId>) -> Sere<AtomId> {
    match count {
        0 => rest,
        1 => chain(SereOp::Concat, vec![Sere::Bool(Guard::True), filled(rest)]),
        _ => chain(SereOp::Concat, vec![repeat(Guard::True, Times::exactly(count)), filled(rest)]),
    }
}

/// The expression of which some beginning of a word that is not empty matches exactly where the formula holds, or its negation.
fn matched(formula: &Psl<AtomId>, positive: bool) -> Option<Sere<AtomId>> {
    Some(match formula {
        Psl::Bool(guard) => Sere::Bool(if positive { guard.clone() } else { not(guard) }),
        Psl::Sere { sere, strong: true } if positive => sere.clone(),
        Psl::Not(f) => return matched(f, !positive),
        Psl::And(fs) | Psl::Or(fs) => {
            let parts: Option<Vec<_>> = fs.iter().map(|f| matched(f, positive)).collect();
            if matches!(formula, Psl::Or(_)) == positive { chain(SereOp::Or, parts?) } else { together(parts?)? }
        }
        Psl::Implies(f, g) => {
            let parts = vec![matched(f, !positive)?, matched(g, positive)?];
            if positive { chain(SereOp::Or, parts) } else { together(parts)? }
        }
        Psl::Unary(PslUnary::StrongNext, f) if positive => after(1, matched(f, true)?),
        Psl::Unary(PslUnary::Next, f) if !positive => after(1, matched(f, false)?),
        Psl::Unary(PslUnary::Finally, f) if positive => after_any(Guard::True, matched(f, true)?),
        Psl::Unary(PslUnary::Globally, f) if !positive => after_any(Guard::True, matched(f, false)?),
        Psl::NextTimes { strong, count, formula } if *strong == positive || *count == 0 => {
            after(*count, matched(formula, positive)?)
        }
        Psl::Binary(op, f, g) => return binary(*op, f, g, positive),
        Psl::Never(r) if !positive => anywhere(r),
        Psl::Eventually(r) if positive => anywhere(r),
        Psl::Suffix(Suffix::Some, r, f) if positive => chain(SereOp::Fusion, vec![r.clone(), matched(f, true)?]),
        Psl::Suffix(Suffix::Overlapping, r, f) if !positive => {
            chain(SereOp::Fusion, vec![r.clone(), matched(f, false)?])
        }
        Psl::Suffix(Suffix::After, r, f) if !positive => {
            chain(SereOp::Concat, vec![r.clone(), filled(matched(f, false)?)])
        }
        _ => return None,
    })
}

/// All of them, where all but one are booleans.
fn together(parts: Vec<Sere<AtomId>>) -> Option<Sere<AtomId>> {
    let (booleans, others): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| matches!(part, Sere::Bool(_)));
    if others.len() > 1 {
        return None;
    }
    let guards: Vec<_> =
        booleans.into_iter().filter_map(|b| if let Sere::Bool(g) = b { Some(g) } else { None }).collect();
    let now = Sere::Bool(match <[Guard<AtomId>; 1]>::try_from(guards) {
        Ok([one]) => one,
        Err(guards) => Guard::And(guards),
    });
    match others.into_iter().next() {
        Some(other) => Some(chain(SereOp::Fusion, vec![now, other])),
        None => Some(now),
    }
}

/// `until` and `before`, where all that has to hold for a while are booleans.
fn binary(op: PslBinary, f: &Psl<AtomId>, g: &Psl<AtomId>, positive: bool) -> Option<Sere<AtomId>> {
    let with = |guard: Guard<AtomId>, rest: Sere<AtomId>| chain(SereOp::Fusion, vec![Sere::Bool(guard), rest]);
    Some(match (op, positive) {
        (PslBinary::Until { strong: true, inclusive }, true) => {
            let Psl::Bool(f) = f else { return None };
            let goal = matched(g, true)?;
            after_any(f.clone(), if inclusive { with(f.clone(), goal) } else { goal })
        }
        // !(f W g) = !g U (!f && !g)
        (PslBinary::Until { strong: false, inclusive: false }, false) => {
            let Psl::Bool(g) = g else { return None };
            after_any(not(g), with(not(g), matched(f, false)?))
        }
        // !(f W (f && g)) = !(f && g) U !f
        (PslBinary::Until { strong: false, inclusive: true }, false) => {
            let (Psl::Bool(f), Psl::Bool(g)) = (f, g) else { return None };
            after_any(not(&both(f, g.clone())), Sere::Bool(not(f)))
        }
        // f before! g = !g U (f && !g), or !g U f
        (PslBinary::Before { strong: true, inclusive }, true) => {
            let Psl::Bool(g) = g else { return None };
            let goal = matched(f, true)?;
            after_any(not(g), if inclusive { goal } else { with(not(g), goal) })
        }
        // !(!g W (f && !g)) = !(f && !g) U g
        (PslBinary::Before { strong: false, inclusive: false }, false) => {
            let (Psl::Bool(f), Psl::Bool(g)) = (f, g) else { return None };
            after_any(not(&both(f, not(g))), Sere::Bool(g.clone()))
        }
        // !(!g W f) = !f U (g && !f)
        (PslBinary::Before { strong: false, inclusive: true }, false) => {
            let (Psl::Bool(f), Psl::Bool(g)) = (f, g) else { return None };
            after_any(not(f), Sere::Bool(both(g, not(f))))
        }
        _ => return None,
    })
}

/// The largest count of a formula, one more than which no machine without counters has fewer states; 0 without any.
pub(in super::super) fn largest_count(formula: &Psl<AtomId>) -> u32 {
    let own = match formula {
        Psl::Sere { sere, .. } | Psl::Never(sere) | Psl::Eventually(sere) | Psl::Suffix(_, sere, _) => in_sere(sere),
        Psl::NextTimes { count, .. } => *count,
        _ => 0,
    };
    formula.operands().into_iter().map(largest_count).fold(own, u32::max)
}

fn in_sere(sere: &Sere<AtomId>) -> u32 {
    let of = |times: &Times| times.max.unwrap_or(0).max(times.min);
    match sere {
        Sere::Bool(_) => 0,
        Sere::Chain(_, parts) => parts.iter().map(in_sere).max().unwrap_or(0),
        Sere::Repeat(r, times) => of(times).max(in_sere(r)),
        Sere::Goto(_, times) | Sere::Occur(_, times) => of(times),
    }
}
