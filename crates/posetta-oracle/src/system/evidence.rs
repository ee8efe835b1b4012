//! Whether the answer about a spec is right, and its run shows what it should.

use posetta_base::{ActionId, Verdict};
use posetta_logic::{Ctl, CtlBinary, CtlUnary, Ltl, LtlBinary, LtlUnary, Path};
use posetta_model::system::{Demand, End, Predicate, Run};
use posetta_verify::system;

use super::demand::{Answer, visible};
use super::letters::observed;
use super::{Space, runs};
use crate::fds::branching;
use crate::ltl::{on_lasso, on_word};

/// Holds an answer against the one that the definition gives ([`super::demand::answer`]), and says which it is. Where one run can show it, there must be one.
///
/// # Errors
/// With what is wrong.
pub fn check(
    space: &Space<'_>,
    demand: &Demand,
    besides: &[ActionId],
    expected: Answer,
    answer: &system::Answer,
) -> Result<&'static str, String> {
    match (&answer.verdict, expected) {
        (Verdict::Holds, Answer::Number(expected)) if answer.most == Some(expected.into()) => Ok("a number"),
        (Verdict::Holds, Answer::Truth(true)) => {
            match (&answer.support, demand) {
                (Some(run), Demand::Reach(p)) => ends_in(space, p, true, run)?,
                (Some(run), Demand::Branching(f)) => shows_branching(space, f, Path::Some, run)?,
                (None, Demand::Reach(_)) => return Err("no run leads there".to_owned()),
                (None, _) => {}
                (Some(_), _) => return Err("no run can show that".to_owned()),
            }
            Ok("holds")
        }
        (Verdict::Violated(run), Answer::Truth(false)) => {
            match (run, demand) {
                (Some(run), Demand::Branching(f)) => shows_branching(space, f, Path::All, run)?,
                (Some(_), Demand::Reach(_)) => return Err("no run can show that".to_owned()),
                (None, Demand::Reach(_) | Demand::Branching(_)) => {}
                (Some(run), _) => violates(space, demand, besides, run)?,
                (None, _) => return Err("no run shows it".to_owned()),
            }
            Ok("violated")
        }
        (_, expected) => Err(format!("{answer:?} is not {expected:?}")),
    }
}

/// Whether a run violates a spec about all runs or all states.
fn violates(space: &Space<'_>, demand: &Demand, besides: &[ActionId], run: &Run) -> Result<(), String> {
    let states = runs::states(space, run)?;
    let shows = match demand {
        Demand::Finite(_) => return Err("words are listed where they are asked for".to_owned()),
        Demand::Actions(f) => {
            let word = runs::word(run, &observed(f, besides)).ok_or("the run is only a beginning")?;
            !word.satisfies(f)
        }
        Demand::States(f) => {
            let (stem, round) = runs::endless_states(run, &states).ok_or("the run is only a beginning")?;
            let at = [&stem[..], &round].concat();
            !on_lasso(f, stem.len(), round.len(), &|p, i| space.holds(p, at[i]))
        }
        Demand::Invariant(p) => return ends_in(space, p, false, run),
        Demand::NoDeadlock => run.end == End::Dead,
        Demand::NoLivelock => match run.end {
            End::Cycle(to) => !run.steps[to..].iter().any(|s| visible(space, besides).contains(&s.action)),
            _ => false,
        },
        Demand::Reach(_) | Demand::Branching(_) | Demand::Bound(_) => false,
    };
    if shows { Ok(()) } else { Err(format!("{run:?} does not violate it")) }
}

/// Whether a run ends in a state in which a condition has this value.
fn ends_in(space: &Space<'_>, predicate: &Predicate, value: bool, run: &Run) -> Result<(), String> {
    let states = runs::states(space, run)?;
    if matches!(run.end, End::Cycle(_)) {
        return Err("it goes round".to_owned());
    }
    match space.holds(predicate, states[states.len() - 1]) == value {
        true => Ok(()),
        false => Err(format!("{run:?} ends in another state")),
    }
}

/// Whether a run is one, and the one that the outermost operator speaks of if it has this quantifier: for `E` a path of which what follows
/// is true, for `A` one of which it is not. What an unfinished run shows must be true however it goes on.
fn shows_branching(space: &Space<'_>, formula: &Ctl<Predicate>, path: Path, run: &Run) -> Result<(), String> {
    let states = runs::states(space, run)?;
    let truth = |f: &Ctl<Predicate>| branching::truth(&space.graph(), f, &|p, s| space.holds(p, s));
    let atom = |i: usize| Box::new(Ltl::Atom(i));
    let (linear, rows) = match formula {
        Ctl::Unary(quantifier, op, f) if *quantifier == path => {
            let op = match op {
                CtlUnary::Next => LtlUnary::Next,
                CtlUnary::Finally => LtlUnary::Finally,
                CtlUnary::Globally => LtlUnary::Globally,
            };
            (Ltl::Unary(op, atom(0)), vec![truth(f)])
        }
        Ctl::Binary(quantifier, op, f, g) if *quantifier == path => {
            let op = match op {
                CtlBinary::Until => LtlBinary::Until,
                CtlBinary::WeakUntil => LtlBinary::WeakUntil,
                CtlBinary::Release => LtlBinary::Release,
            };
            (Ltl::Binary(op, atom(0), atom(1)), vec![truth(f), truth(g)])
        }
        _ => return Ok(()),
    };
    // `AX f` is true where there is no step, so it is `WX` on a path.
    let linear = match (path, linear) {
        (Path::All, Ltl::Unary(LtlUnary::Next, f)) => Ltl::Unary(LtlUnary::WeakNext, f),
        (_, linear) => linear,
    };
    let value = match run.end {
        End::Dead => Some(on_word(&linear, states.len(), &|&row, i| rows[row][states[i]])),
        End::Cycle(to) => Some(on_lasso(&linear, to, run.steps.len() - to, &|&row, i| rows[row][states[i]])),
        // A beginning decides only what is the same whether nothing or everything is true after it.
        End::Open => {
            let after = |rest: bool| {
                on_lasso(&linear, states.len(), 1, &|&row, i| states.get(i).map_or(rest, |&s| rows[row][s]))
            };
            let mixed = |first: bool| {
                on_lasso(&linear, states.len(), 1, &|&row, i| {
                    states.get(i).map_or((row == 0) == first, |&s| rows[row][s])
                })
            };
            let all = [after(false), after(true), mixed(false), mixed(true)];
            all.iter().all(|&v| v == all[0]).then_some(all[0])
        }
    };
    match value == Some(path == Path::Some) {
        true => Ok(()),
        false => Err(format!("{run:?} does not show it")),
    }
}
