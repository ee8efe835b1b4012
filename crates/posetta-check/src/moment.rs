//! Where in an order it shows that a property fails.
//!
//! For each subformula and position: from which letter on its truth there is known, whatever follows. `&&` is known true
//! when both sides are and known false when one is, and so on for every operator; what only the end of the run decides
//! is known at [`END`]. So `G p` fails at the first position without p, and a response that never comes fails at the end,
//! in which case we point to the position that still waits for it. A PSL formula fails where not even letters that satisfy everything
//! could save it. A monitor fails where it enters the bad states in which it
//! then is to the end; so does the automaton of a formula of M2L.

use super::tie::{TiedBranching, TiedLinear};
use posetta_base::{Budget, EventId, OverBudget};
use posetta_compile::Linear;
use posetta_logic::eval::{self, Notes, Word};
use posetta_logic::{AtomId, Ltl, LtlBinary, LtlUnary, Monitor, MonitorState, Otherwise, Psl, PslUnary, View};
use posetta_trace::Trace;

/// A place in an order: 0 is before the first event, i is after the i-th.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// After this, whatever follows, the answer is clear.
    At(usize),
    /// From here on the property waits for something that does not come before the end.
    Waits(usize),
}

/// How often what a property asks for is met along an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Met {
    /// At how many places a match ends.
    pub times: u64,
    /// The first of them, as in [`Moment`].
    pub first: usize,
}

/// How often a match that `eventually! r` waits for ends along an order; `None` for other properties, where there is none, and where it would
/// cost too much to say.
pub(super) fn met(tied: &TiedLinear<'_>, trace: &Trace, order: &[EventId]) -> Option<Met> {
    // Some bytes for each position, as the run has had many more.
    let budget = Budget::with_memory(MEMORY.saturating_add(64 * order.len() as u64));
    let Linear::Psl(Psl::Eventually(sere)) = &tied.bound(&budget).ok()?.formula else { return None };
    let word = tied.word(trace, order, &mut Notes::default(), &budget).ok()?;
    let ends = eval::sere_ends(sere, &word, &budget).ok()?;
    let first = ends.iter().position(|&ends| ends)?;
    let times = ends.iter().filter(|&&ends| ends).count() as u64;
    Some(Met { times, first: first + usize::from(tied.view == View::Events) })
}

/// Above this many table entries (of eight bytes) the place is not worth its cost.
const ENOUGH: usize = 4_000_000;

/// A PSL formula for which this much memory is not enough has no place, nor has the automaton of one of M2L.
const MEMORY: u64 = 64 << 20;

/// Where it shows that this order violates the property; `None` if it satisfies it, or where it would cost too much to say.
pub(super) fn of_run(tied: &TiedLinear<'_>, trace: &Trace, order: &[EventId]) -> Option<Moment> {
    // Even if the caller's budget is spent: a violation that was found in time should say where it is, and this is short.
    let budget = Budget::with_memory(MEMORY);
    let formula = &tied.bound(&budget).ok()?.formula;
    let entries = match formula {
        Linear::Ltl(formula) => size(formula).saturating_mul(order.len() + 1),
        Linear::Psl(_) => order.len(),
        Linear::Monitor(monitor) => monitor.states.len().saturating_mul(order.len() + 1),
    };
    if entries > ENOUGH {
        return None;
    }
    let word = |budget: &Budget| tied.word(trace, order, &mut Notes::default(), budget);
    let unlimited = Budget::unlimited();
    // Over events, position 0 of the word is the first event.
    let shift = usize::from(tied.view == View::Events);
    let found = match formula {
        Linear::Ltl(formula) => moment(formula, &word(&unlimited).ok()?)?,
        Linear::Psl(formula) => psl_moment(formula, &word(&budget).ok()?, &budget).ok()??,
        Linear::Monitor(monitor) => {
            let read = enters_bad(monitor, &word(&unlimited).ok()?)?;
            // Over states the first letter is read before the first event.
            return Some(Moment::At(read.saturating_sub(1 - shift)));
        }
    };
    Some(match found {
        Moment::At(i) => Moment::At(i + shift),
        Moment::Waits(i) => Moment::Waits(i + shift),
    })
}

/// Where it shows that the word violates the formula; `None` if it satisfies it or is empty. What the first letters refute, more of
/// them refute, too.
fn psl_moment(formula: &Psl<AtomId>, word: &Word, budget: &Budget) -> Result<Option<Moment>, OverBudget> {
    let refuted = |letters: usize| eval::psl_refuted(formula, word, letters, budget);
    if word.is_empty() {
        return Ok(None);
    }
    if !refuted(word.len())? {
        let holds = eval::psl_truth(formula, word, budget)?[0];
        return Ok(if holds { None } else { Some(Moment::Waits(psl_waiting_since(formula, word, 0, budget)?)) });
    }
    let (mut too_few, mut enough) = (0, word.len());
    while too_few + 1 < enough {
        let middle = too_few + (enough - too_few) / 2;
        if refuted(middle)? { enough = middle } else { too_few = middle }
    }
    Ok(Some(Moment::At(enough - 1)))
}

/// The formula is false at position `i`, and only the end says so: the position of the part that waits.
fn psl_waiting_since(formula: &Psl<AtomId>, word: &Word, i: usize, budget: &Budget) -> Result<usize, OverBudget> {
    let row = |f: &Psl<AtomId>| eval::psl_truth(f, word, budget);
    let since = |f: &Psl<AtomId>, i: usize| psl_waiting_since(f, word, i, budget);
    Ok(match formula {
        Psl::And(fs) => {
            for f in fs {
                if !row(f)?[i] {
                    return since(f, i);
                }
            }
            i
        }
        Psl::Or(fs) => {
            let mut last = i;
            for f in fs {
                last = last.max(since(f, i)?);
            }
            last
        }
        Psl::Implies(_, f) => since(f, i)?,
        Psl::Unary(PslUnary::Globally, f) => {
            let row = row(f)?;
            match (i..word.len()).find(|&j| !row[j]) {
                Some(j) => since(f, j)?,
                None => i,
            }
        }
        Psl::Unary(PslUnary::Next | PslUnary::StrongNext, f) if i + 1 < word.len() => since(f, i + 1)?,
        _ => i,
    })
}

/// After how many events a path proves what it proves about a branching formula; all of them, if it proves nothing, or where it would
/// cost too much to say. What a path proves, each longer one proves.
pub(super) fn of_path(tied: &TiedBranching<'_>, trace: &Trace, path: &[EventId]) -> usize {
    let proves = |events: usize| {
        let (notes, unlimited) = (&mut Notes::default(), Budget::unlimited());
        let word = eval::word(trace, &tied.bound, &path[..events], View::States, notes, &unlimited);
        word.is_ok_and(|word| eval::on_path(&tied.bound.formula, &word, events == trace.len()).is_some())
    };
    if path.len() > ENOUGH || !proves(path.len()) {
        return path.len();
    }
    if proves(0) {
        return 0;
    }
    let (mut too_few, mut enough) = (0, path.len());
    while too_few + 1 < enough {
        let middle = too_few + (enough - too_few) / 2;
        if proves(middle) { enough = middle } else { too_few = middle }
    }
    enough
}

/// After how many letters a monitor is in a bad state and can then be in bad ones to the end; `None` if it does not end badly.
fn enters_bad(monitor: &Monitor<AtomId>, word: &Word) -> Option<usize> {
    let is_bad = monitor.bad_states();
    let mut bad_after: Vec<Vec<MonitorState>> = Vec::new();
    let unlimited = Budget::unlimited();
    let followed = eval::follow_monitor(monitor, word, &unlimited, |_, states| {
        bad_after.push(states.iter().copied().filter(|s| is_bad[s.index()]).collect());
    });
    followed.ok()?;
    let edges = monitor.edges_by_state();
    let mut since = None;
    // Bad states from which the rest of the word leads through bad states.
    let mut lasting: Option<Vec<MonitorState>> = None;
    for (read, mut here) in bad_after.into_iter().enumerate().rev() {
        if let Some(later) = &lasting {
            here.retain(|s| {
                let mut taken = edges[s.index()].iter().filter(|e| e.guard.holds(&|&a| word.row(a)[read])).peekable();
                let stays = monitor.otherwise == Otherwise::Stay && taken.peek().is_none();
                taken.any(|e| later.contains(&e.to)) || (stays && later.contains(s))
            });
        }
        if here.is_empty() {
            break;
        }
        since = Some(read);
        lasting = Some(here);
    }
    since
}

/// Where it shows that the word violates the formula, in positions of the word; `None` if it satisfies it or is empty.
fn moment(formula: &Ltl<AtomId>, word: &Word) -> Option<Moment> {
    let at = known(formula, word).first()?.no;
    match at {
        NEVER => None,
        END => Some(Moment::Waits(waiting_since(formula, word, 0))),
        at => Some(Moment::At(at as usize)),
    }
}

fn size<A>(formula: &Ltl<A>) -> usize {
    1 + match formula {
        Ltl::True | Ltl::False | Ltl::Atom(_) => 0,
        Ltl::Not(f) | Ltl::Unary(_, f) => size(f),
        Ltl::And(fs) | Ltl::Or(fs) => fs.iter().map(size).sum(),
        Ltl::Implies(a, b) | Ltl::Iff(a, b) | Ltl::Binary(_, a, b) => size(a) + size(b),
    }
}

/// Known only when the run is over.
const END: u32 = u32::MAX - 1;
/// Not so at all.
const NEVER: u32 = u32::MAX;

/// From which position on a truth is known to be `yes` or `no`; exactly one of them is not [`NEVER`].
#[derive(Clone, Copy)]
struct Since {
    yes: u32,
    no: u32,
}

impl Since {
    fn so(value: bool, from: u32) -> Self {
        if value { Self { yes: from, no: NEVER } } else { Self { yes: NEVER, no: from } }
    }

    fn not(self) -> Self {
        Self { yes: self.no, no: self.yes }
    }

    fn and(self, other: Self) -> Self {
        Self { yes: self.yes.max(other.yes), no: self.no.min(other.no) }
    }

    fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }
}

fn known(formula: &Ltl<AtomId>, word: &Word) -> Vec<Since> {
    let n = word.len();
    let of = |f: &Ltl<AtomId>| known(f, word);
    let both = |a: Vec<Since>, b: Vec<Since>, join: fn(Since, Since) -> Since| -> Vec<Since> {
        a.into_iter().zip(b).map(|(a, b)| join(a, b)).collect()
    };
    let constant = |value: bool| vec![Since::so(value, 0); n];
    match formula {
        Ltl::True => constant(true),
        Ltl::False => constant(false),
        Ltl::Atom(a) => word.row(*a).iter().zip(0..).map(|(&v, i)| Since::so(v, i)).collect(),
        Ltl::Not(f) => of(f).into_iter().map(Since::not).collect(),
        Ltl::And(fs) => fs.iter().fold(constant(true), |all, f| both(all, of(f), Since::and)),
        Ltl::Or(fs) => fs.iter().fold(constant(false), |any, f| both(any, of(f), Since::or)),
        Ltl::Implies(a, b) => both(of(a), of(b), |a, b| a.not().or(b)),
        Ltl::Iff(a, b) => both(of(a), of(b), |a, b| a.and(b).or(a.not().and(b.not()))),
        Ltl::Unary(op, f) => {
            let f = of(f);
            let next = |end: bool| (0..n).map(|i| f.get(i + 1).copied().unwrap_or(Since::so(end, END))).collect();
            match op {
                LtlUnary::Next => next(false),
                LtlUnary::WeakNext => next(true),
                LtlUnary::Finally => backward(n, false, |i, later| f[i].or(later)),
                LtlUnary::Globally => backward(n, true, |i, later| f[i].and(later)),
                LtlUnary::Yesterday => (0..n).map(|i| if i == 0 { Since::so(false, 0) } else { f[i - 1] }).collect(),
                LtlUnary::Once => forward(n, false, |i, before| f[i].or(before)),
                LtlUnary::Historically => forward(n, true, |i, before| f[i].and(before)),
            }
        }
        Ltl::Binary(op, f, g) => {
            let (f, g) = (of(f), of(g));
            match op {
                LtlBinary::Until => backward(n, false, |i, later| g[i].or(f[i].and(later))),
                LtlBinary::WeakUntil => backward(n, true, |i, later| g[i].or(f[i].and(later))),
                LtlBinary::Release => backward(n, true, |i, later| g[i].and(f[i].or(later))),
                LtlBinary::StrongRelease => backward(n, false, |i, later| g[i].and(f[i].or(later))),
                LtlBinary::Since => forward(n, false, |i, before| g[i].or(f[i].and(before))),
            }
        }
    }
}

fn backward(n: usize, at_end: bool, step: impl Fn(usize, Since) -> Since) -> Vec<Since> {
    let mut later = Since::so(at_end, END);
    let mut row = vec![later; n];
    for i in (0..n).rev() {
        later = step(i, later);
        row[i] = later;
    }
    row
}

fn forward(n: usize, at_start: bool, step: impl Fn(usize, Since) -> Since) -> Vec<Since> {
    let mut before = Since::so(at_start, 0);
    (0..n)
        .map(|i| {
            before = step(i, before);
            before
        })
        .collect()
}

/// The formula is false at position `i`, and only the end says so: the position of the part that waits.
fn waiting_since(formula: &Ltl<AtomId>, word: &Word, i: usize) -> usize {
    let false_at = |f: &Ltl<AtomId>, i: usize| !eval::truth(f, word)[i];
    match formula {
        Ltl::And(fs) => fs.iter().find(|f| false_at(f, i)).map_or(i, |f| waiting_since(f, word, i)),
        Ltl::Or(fs) => fs.iter().map(|f| waiting_since(f, word, i)).max().unwrap_or(i),
        Ltl::Implies(_, b) => waiting_since(b, word, i),
        Ltl::Unary(LtlUnary::Globally, f) => {
            let row = eval::truth(f, word);
            (i..word.len()).find(|&j| !row[j]).map_or(i, |j| waiting_since(f, word, j))
        }
        Ltl::Unary(LtlUnary::Next | LtlUnary::WeakNext, f) if i + 1 < word.len() => waiting_since(f, word, i + 1),
        _ => i,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Question;
    use posetta_logic::{Property, read_props};
    use posetta_trace::Builder;

    /// A run of one process whose events assign the values to x, one after another, from 0.
    fn moment_of(values: &[i64], formula: &str) -> Option<Moment> {
        moment_in(values, Property::ltl(formula).unwrap())
    }

    fn moment_in(values: &[i64], property: Property) -> Option<Moment> {
        let mut builder = Builder::new();
        let (p, x) = (builder.process("P").unwrap(), builder.variable("x").unwrap());
        for &value in values {
            builder.event(p, 1).unwrap();
            let value = builder.integer(value).unwrap();
            builder.assign(x, value).unwrap();
        }
        let trace = builder.finish(true, &Budget::unlimited()).unwrap();
        Question::new(&trace, &property, crate::Options::default()).unwrap().moment(trace.linearisation())
    }

    #[test]
    fn points_to_the_first_position_after_which_nothing_helps() {
        use Moment::{At, Waits};
        for (formula, expected) in [
            ("G (x < 2)", Some(At(2))),
            ("G (x < 9)", None),
            ("x == 1", Some(At(0))),
            ("F (x == 9)", Some(Waits(0))),
            ("G (x == 2 -> F (x == 1))", Some(Waits(2))),
            ("G (x == 1 -> X (x == 3))", Some(At(2))),
            ("(x < 2) U (x == 9)", Some(At(2))),
            ("(x < 9) U (x == 9)", Some(Waits(0))),
            ("G (x == 3 -> O (x == 7))", Some(At(3))),
            ("X X X X true", Some(Waits(3))),
            ("G (x < 3) && G (x < 2)", Some(At(2))),
        ] {
            assert_eq!(moment_of(&[1, 2, 3], formula), expected, "{formula}");
        }
    }

    #[test]
    fn a_psl_formula_fails_where_no_letters_could_save_it() {
        use Moment::{At, Waits};
        for (formula, expected) in [
            ("always x < 2", Some(At(2))),
            ("always {x == 1} |=> x == 3", Some(At(2))),
            ("{x == 0; x == 1; x == 2; x == 4}", Some(At(3))),
            ("{[*]; x == 9}!", Some(Waits(0))),
            ("always (x == 2 -> eventually! x == 1)", Some(Waits(2))),
            ("always (x == 1 -> next! next! next! true)", Some(Waits(3))),
            ("never {x == 2; x == 3}", Some(At(3))),
            ("{x == 1}!", Some(At(0))),
            ("always x < 9", None),
            ("eventually! x == 3", None),
        ] {
            let property = Property::psl_over(View::States, formula).unwrap();
            assert_eq!(moment_in(&[1, 2, 3], property), expected, "{formula}");
        }
    }

    #[test]
    fn a_monitor_fails_where_it_enters_what_it_does_not_leave() {
        for (over, body, expected) in [
            ("events", "initial a; bad b; a -> b: x == 2", Some(2)),
            ("states", "initial a; bad b; a -> b: x == 0", Some(0)),
            ("states", "initial a; bad b; a -> b: x == 1", Some(1)),
            ("events", "initial a; bad a; a -> a: true", Some(0)),
            // It leaves b and comes back.
            ("events", "initial a; bad b; a -> b: x == 1; b -> a: x == 2; a -> b: x == 3", Some(3)),
            // The path through c is bad from 1 on, though it is also in b.
            ("events", "initial a; bad b c; a -> b: x == 2; a -> c: x == 1; a -> a: x == 1; c -> c: true", Some(1)),
            ("events", "initial a; bad b; a -> b: x == 2; otherwise die", None),
            ("events", "initial a; bad b; a -> b: x == 9", None),
        ] {
            let source = format!("monitor m over {over} {{ {body} }}");
            let property = read_props(&source).unwrap().remove(0);
            assert_eq!(moment_in(&[1, 2, 3], property), expected.map(Moment::At), "{source}");
        }
    }
}
