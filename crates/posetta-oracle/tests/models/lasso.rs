//! The evaluators of words that go round, and of models state by state, against the definition.

use posetta_base::Budget;
use posetta_logic::eval::{Word as Rows, ltl_on_lasso, psl_on_lasso};
use posetta_logic::{AtomId, Ltl, Psl};
use posetta_model::fds::{Trail, Value};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::completions::Linear;
use posetta_oracle::fds::trail::{check_computation, check_path};
use posetta_oracle::fds::{System, expr};
use posetta_oracle::psl::{Letter, Meaning, Word};
use posetta_oracle::random::{Taste, Tense, ltl_over, model, psl};

const ATOMS: [AtomId; 3] = [AtomId(0), AtomId(1), AtomId(2)];

/// A random word that goes round, as the library and as the definition has it.
fn lasso(rng: &mut fastrand::Rng) -> (Rows, usize, Word) {
    let len = 1 + rng.usize(..6);
    let cycle = rng.usize(..len);
    let rows: Vec<Vec<bool>> = ATOMS.iter().map(|_| (0..len).map(|_| rng.bool()).collect()).collect();
    let letter = |i: usize| Letter::new(&rows.iter().map(|row| row[i]).collect::<Vec<bool>>());
    let word = Word { stem: (0..cycle).map(letter).collect(), round: (cycle..len).map(letter).collect() };
    (Rows::from_rows(rows, len), cycle, word)
}

#[test]
fn ltl_on_words_that_go_round() {
    let mut truths = Shares::default();
    for_seeds(300, |rng, seed| {
        let formula: Ltl<AtomId> = ltl_over(rng, Tense::PastAndFuture, &|rng| ATOMS[rng.usize(..3)]);
        let property = Linear::Ltl(formula.map_atoms(&mut |a| a.0));
        for _ in 0..10 {
            let (rows, cycle, word) = lasso(rng);
            let expected = property.holds(&word);
            let found = ltl_on_lasso(&formula, &rows, cycle, &Budget::unlimited()).expect("no limit");
            assert_eq!(found, expected, "seed {seed}: {formula:?} on {word:?}");
            truths.add(if expected { "true" } else { "false" });
        }
    });
    truths.at_least_a_fifth("LTL", &["true", "false"]);
}

#[test]
fn psl_on_words_that_go_round() {
    let mut truths = Shares::default();
    for_seeds(300, |rng, seed| {
        let size = rng.usize(..7);
        let formula: Psl<AtomId> = psl(rng, &ATOMS, size);
        let meaning = Meaning::of(&formula, &mut |a: &AtomId| a.0);
        if meaning.states() > 18 {
            return;
        }
        for _ in 0..10 {
            let (rows, cycle, word) = lasso(rng);
            let expected = meaning.holds(&word);
            let found = psl_on_lasso(&formula, &rows, cycle, &Budget::unlimited()).expect("no limit");
            assert_eq!(found, expected, "seed {seed}: {formula:?} on {word:?}");
            truths.add(if expected { "true" } else { "false" });
        }
    });
    truths.at_least_a_fifth("PSL", &["true", "false"]);
}

/// A random trail: mostly a path, sometimes with a value changed.
fn trail(rng: &mut fastrand::Rng, system: &System<'_>) -> Option<Trail> {
    let mut walk = vec![*rng.choice(&system.by_moment.initial)?];
    for _ in 0..rng.usize(..5) {
        let Some(&next) = rng.choice(&system.by_moment.next[walk[walk.len() - 1]]) else { break };
        walk.push(next);
    }
    let mut states: Vec<Vec<Value>> = walk.iter().map(|&m| system.moments[m].clone()).collect();
    if rng.u8(..4) == 0 {
        let at = rng.usize(..states.len());
        states[at] = system.moments[rng.usize(..system.moments.len())].clone();
    }
    let cycle = rng.bool().then(|| rng.usize(..states.len()));
    Some(Trail { states, cycle })
}

#[test]
fn models_state_by_state() {
    let mut kinds = Shares::default();
    let budget = Budget::unlimited();
    for_seeds(300, |rng, seed| {
        let model = model(rng, Taste::ALL);
        let fds = &model.fds;
        let system = System::of(fds);
        for _ in 0..10 {
            let Some(trail) = trail(rng, &system) else { return };
            let about = format!("seed {seed}: {trail:?} of {fds:?}");
            let (path, computation) = (check_path(fds, &trail), check_computation(fds, &trail));
            let misstep = fds.misstep(&trail, &budget).expect("no limit");
            assert_eq!(misstep.is_none(), path.is_ok(), "{misstep:?}, {path:?}: {about}");
            let misstep = fds.not_a_computation(&trail, &budget).expect("no limit");
            assert_eq!(misstep.is_none(), computation.is_ok(), "{misstep:?}, {computation:?}: {about}");
            kinds.add(match (path, computation) {
                (Err(_), _) => "no path",
                (Ok(()), Err(_)) => "a path",
                (Ok(()), Ok(())) => "a computation",
            });
            let [now, next] = [&trail.states[0], &trail.states[trail.states.len() - 1]];
            for clause in fds.init.iter().chain(&fds.invar).chain(&fds.trans).chain(&fds.justice) {
                let value = expr::value(&fds.exprs, clause.expr, now, Some(next));
                let expected: Vec<Value> = value.into_iter().collect();
                assert_eq!(fds.values(clause.expr, now, Some(next)), expected, "{clause:?}: {about}");
            }
        }
    });
    kinds.at_least(0.1, "trails", &["no path", "a path", "a computation"]);
}
