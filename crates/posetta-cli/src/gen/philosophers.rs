//! Dining philosophers. Fork i lies between philosophers i and i+1, and is the number of who has it (from 1), or 0.
//!
//! A philosopher gets hungry, takes the left fork and then the right one, eats, thinks, and puts the forks down. The last
//! one is left-handed, so nobody waits in a circle. The faulty philosophers take forks that others have.

use posetta_record::{Process, Shared, Value};

use super::stage::Stage;

pub fn variables(n: usize) -> Vec<(String, Value<'static>)> {
    let states = (0..n).map(|p| (format!("state{p}"), Value::from("think")));
    states.chain((0..n).map(|f| (format!("fork{f}"), Value::from(0)))).collect()
}

/// What a philosopher does next.
#[derive(Clone, Copy)]
enum Next {
    Hunger,
    TakeFirst,
    TakeSecond,
    Eat,
    Think,
    DropFirst,
    DropSecond,
}

pub fn simulate(stage: &mut Stage, n: usize, faulty: bool) {
    let philosophers: Vec<Process> = (0..n).map(|p| stage.recorder.process(&format!("P{p}"))).collect();
    let state: Vec<Shared<&str>> = (0..n).map(|p| stage.recorder.shared(&format!("state{p}"), "think")).collect();
    let fork: Vec<Shared<usize>> = (0..n).map(|f| stage.recorder.shared(&format!("fork{f}"), 0)).collect();
    let mut at = vec![Next::Hunger; n];
    while stage.left > 0 {
        let p = stage.dice.below(n);
        let (left, right) = (&fork[(p + n - 1) % n], &fork[p]);
        let (first, second) = if p == n - 1 { (right, left) } else { (left, right) };
        let event = || philosophers[p].event("");
        let free = |fork: &Shared<usize>| faulty || fork.peek() == 0;
        at[p] = match at[p] {
            Next::Hunger => {
                event().writes(&state[p], "hungry").record();
                Next::TakeFirst
            }
            Next::TakeFirst if free(first) => {
                event().reads(first).writes(first, p + 1).record();
                Next::TakeSecond
            }
            Next::TakeSecond if free(second) => {
                event().reads(second).writes(second, p + 1).record();
                Next::Eat
            }
            Next::TakeFirst | Next::TakeSecond => continue,
            Next::Eat => {
                event().writes(&state[p], "eat").record();
                Next::Think
            }
            Next::Think => {
                event().writes(&state[p], "think").record();
                Next::DropFirst
            }
            Next::DropFirst => {
                event().writes(first, 0).record();
                Next::DropSecond
            }
            Next::DropSecond => {
                event().writes(second, 0).record();
                Next::Hunger
            }
        };
        stage.count();
    }
}
