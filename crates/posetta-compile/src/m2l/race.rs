//! Engines side by side, of which the one that takes the least effort answers.
//!
//! No order of products and projections is best for all formulas: what is decided at once in the order in which it is written may take for ever in the order
//! that seems cheapest, and the other way round. So each engine has a thread of its own, and all get the same effort, round by round, until one is
//! done ([`Budget::in_turns`]). The winner is the one with the smallest count, whichever thread was first. (Before, the engine that follows a formula had a quarter
//! of a gigabyte before the next one began: a second for formulas whose automaton takes milliseconds.)

use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

use super::decide::{Engine, Found};
use posetta_base::{Budget, Limit, OverBudget, Turns};

const WHAT: &str = "deciding the formula";

/// What the first engine spends alone for each of its weight, about a millisecond: most formulas are small, and then the others need not begin.
const HEAD: u64 = 125_000;

/// Plans follow the depth of a formula, operations the layers of diagrams. The memory is taken only where it is used.
const STACK: usize = 64 << 20;

type Outcome = Result<Found, OverBudget>;

struct Racer {
    /// Its place in the list of all engines.
    place: usize,
    /// How much it gets beside the others.
    weight: u64,
    turns: Turns,
    part: Budget,
    begun: bool,
}

/// Whoever waits must not wait for an engine that is gone.
struct Ends(Turns);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// What the engine finds that needs the least effort for its weight; of those that need the same, the first one.
///
/// # Errors
/// When the budget is spent, or each engine's part of it; the last one that runs has all that is left.
pub(super) fn side_by_side(
    engines: &[(Engine, u64)],
    budget: &Budget,
    decide: &(dyn Fn(Engine, &Budget) -> Outcome + Sync),
) -> Outcome {
    let outcomes: Vec<Mutex<Option<Outcome>>> = engines.iter().map(|_| Mutex::new(None)).collect();
    let share = budget.memory_left() / engines.len().max(1) as u64;
    let racers = engines.iter().enumerate().map(|(place, &(_, weight))| {
        let (part, turns) = budget.in_turns(share);
        Racer { place, weight, turns, part, begun: false }
    });
    let mut racers: Vec<Racer> = racers.collect();
    std::thread::scope(|scope| {
        let begin = |racer: &mut Racer| -> Result<(), OverBudget> {
            racer.begun = true;
            racer.turns.begin();
            let (engine, part, outcome) = (engines[racer.place].0, racer.part.clone(), &outcomes[racer.place]);
            let ends = Ends(racer.turns.clone());
            let work = move || {
                let _ends = ends;
                let found = decide(engine, &part);
                *outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
            };
            let begun = Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            begun.map(drop).map_err(|_| OverBudget::new(WHAT, Limit::Memory))
        };
        let found = race(&mut racers, &outcomes, budget, &begin);
        racers.iter().for_each(|racer| racer.turns.close());
        found
    })
}

fn race(
    racers: &mut Vec<Racer>,
    outcomes: &[Mutex<Option<Outcome>>],
    budget: &Budget,
    begin: &dyn Fn(&mut Racer) -> Result<(), OverBudget>,
) -> Outcome {
    let mut granted = HEAD;
    let mut alone = true;
    let mut over = OverBudget::new(WHAT, Limit::Memory);
    while !racers.is_empty() {
        let running = if alone { 1 } else { racers.len() };
        for racer in &mut racers[..running] {
            racer.turns.grant(granted * racer.weight);
            if !racer.begun {
                begin(racer)?;
            }
        }
        // Nobody decides before all have spent what they were granted.
        let mut ended: Vec<(u64, usize)> = Vec::new();
        for (place, racer) in racers[..running].iter().enumerate() {
            if racer.turns.wait() {
                ended.push((racer.turns.spent() / racer.weight, place));
            }
        }
        budget.step(0, WHAT)?;
        ended.sort_unstable();
        let mut lost = Vec::new();
        for (_, place) in ended {
            let outcome = &outcomes[racers[place].place];
            match outcome.lock().unwrap_or_else(PoisonError::into_inner).take() {
                Some(Ok(found)) => return Ok(found),
                Some(Err(spent)) => over = spent,
                // Its panic goes on when threads are joined.
                None => {}
            }
            lost.push(place);
        }
        if !lost.is_empty() {
            lost.sort_unstable();
            lost.into_iter().rev().for_each(|place| drop(racers.remove(place)));
            // What an engine had that ran out of memory goes to the others.
            let share = budget.memory_left().saturating_add(racers.iter().map(|r| r.part.claimed()).sum());
            let share = share / racers.len().max(1) as u64;
            racers.iter().for_each(|racer| racer.part.allow(share));
        }
        alone = false;
        granted += (granted / 8).max(HEAD);
    }
    Err(over)
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: [(Engine, u64); 3] = [(Engine::Eager, 4), (Engine::Lazy, 2), (Engine::Written, 1)];

    /// Who answers if each engine takes so many units of effort, and so many bytes.
    fn winner(efforts: [u64; 3], bytes: [u64; 3], budget: &Budget) -> Result<Engine, OverBudget> {
        let place = |engine: Engine| THREE.iter().position(|&(e, _)| e == engine).expect("it is one of the three");
        let decide = |engine: Engine, part: &Budget| {
            for _ in 0..efforts[place(engine)] / 1000 {
                part.effort(1000, "testing")?;
            }
            let _claim = part.claim(bytes[place(engine)], "testing")?;
            Ok(Found { strings: [None, None], engine, effort: super::super::Effort::default() })
        };
        side_by_side(&THREE, budget, &decide).map(|found| found.engine)
    }

    #[test]
    fn the_least_effort_for_its_weight_wins() {
        let budget = Budget::unlimited();
        assert_eq!(winner([100_000, 0, 0], [0; 3], &budget), Ok(Engine::Eager), "it is alone at first");
        assert_eq!(winner([900_000_000, 2_000_000, 2_000_000], [0; 3], &budget), Ok(Engine::Lazy));
        assert_eq!(winner([900_000_000, 900_000_000, 2_000_000], [0; 3], &budget), Ok(Engine::Written));
        assert_eq!(winner([8_000_000, 5_000_000, 5_000_000], [0; 3], &budget), Ok(Engine::Eager));
    }

    #[test]
    fn who_runs_out_of_memory_leaves_it_to_the_others() {
        let budget = Budget::with_memory(3000);
        assert_eq!(winner([1000, 2_000_000, 9_000_000], [2000, 2000, 2500], &budget), Ok(Engine::Written));
        assert_eq!(winner([1000, 2_000_000, 9_000_000], [4000; 3], &budget).unwrap_err().limit, Limit::Memory);
        assert_eq!(budget.claimed(), 0);
        budget.stop_handle().raise(Limit::Time);
        assert_eq!(winner([1000; 3], [0; 3], &budget).unwrap_err().limit, Limit::Time);
    }
}
