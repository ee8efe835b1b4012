//! Runs without a protocol: independent processes, and random partial orders.

use posetta_record::{Process, Stamp, Value};

use super::stage::Stage;

/// One variable for each process, which starts as 0.
pub fn variables(processes: usize) -> Vec<(String, Value<'static>)> {
    (0..processes).map(|p| (format!("x{p}"), Value::from(0))).collect()
}

fn processes(stage: &Stage, n: usize) -> Vec<(Process, String)> {
    (0..n).map(|p| (stage.recorder.process(&format!("P{p}")), format!("x{p}"))).collect()
}

/// How many assignments each process of [`independent`] makes.
pub const EACH: u64 = 2;

/// Processes that know nothing of each other: each assigns 1 and then 2 to its variable. The seed only decides in which
/// order they are recorded.
pub fn independent(stage: &mut Stage, n: usize) {
    let processes = processes(stage, n);
    let mut unfinished: Vec<(usize, u64)> = (0..n).map(|p| (p, 0)).collect();
    while stage.left > 0 {
        let i = stage.dice.below(unfinished.len());
        let (p, done) = unfinished[i];
        let (process, variable) = &processes[p];
        process.event("").set(variable, done + 1).record();
        unfinished[i].1 += 1;
        if done + 1 == EACH {
            unfinished.swap_remove(i);
        }
        stage.count();
    }
}

/// Assignments of 0 to 9. With the probability `coupling` an event is also the receipt of a message that the last event of
/// another process sent.
pub fn random(stage: &mut Stage, n: usize, coupling: f64) {
    let processes = processes(stage, n);
    let mut last: Vec<Option<Stamp>> = vec![None; n];
    while stage.left > 0 {
        let p = stage.dice.below(n);
        let (process, variable) = &processes[p];
        let mut event = process.event("").set(variable, stage.dice.below(10));
        if n > 1 && stage.dice.chance(coupling) {
            let q = (p + 1 + stage.dice.below(n - 1)) % n;
            if let Some(stamp) = &last[q] {
                event = event.after(stamp);
            }
        }
        last[p] = Some(event.stamp());
        stage.count();
    }
}
