//! Mutual exclusion by Peterson's algorithm: two processes with flags and a turn, or more with levels and victims (the
//! filter lock).
//!
//! Every event is one assignment; a guard is evaluated together with the assignment that follows it. `ncrit` counts who is
//! in the critical section. The faulty processes do not wait for their guards.

use posetta_record::{Process, Recorder, Shared, Value};

use super::stage::Stage;

/// The variables, all of which start as 0.
pub fn variables(processes: usize) -> Vec<(String, Value<'static>)> {
    let zero = |name: String| (name, Value::from(0));
    let mut variables: Vec<_> = if processes == 2 {
        vec![zero("flag0".into()), zero("flag1".into()), zero("turn".into())]
    } else {
        let levels = (0..processes).map(|p| zero(format!("level{p}")));
        levels.chain((1..processes).map(|l| zero(format!("victim{l}")))).collect()
    };
    variables.push(zero("ncrit".into()));
    variables
}

pub fn simulate(stage: &mut Stage, processes: usize, faulty: bool) {
    if processes == 2 { two(stage, faulty) } else { filter(stage, processes, faulty) }
}

fn processes(recorder: &Recorder, n: usize) -> Vec<Process> {
    (0..n).map(|p| recorder.process(&format!("P{p}"))).collect()
}

/// Where one of two processes stands: what it does next.
#[derive(Clone, Copy)]
enum Two {
    Raise,
    Yield,
    Enter,
    Leave,
    Lower,
}

fn two(stage: &mut Stage, faulty: bool) {
    let process = processes(&stage.recorder, 2);
    let flag: [Shared<i32>; 2] = [0, 1].map(|p| stage.recorder.shared(&format!("flag{p}"), 0));
    let (turn, ncrit) = (stage.recorder.shared("turn", 0), stage.recorder.shared("ncrit", 0));
    let mut at = [Two::Raise; 2];
    while stage.left > 0 {
        let p = stage.dice.below(2);
        let other = 1 - p;
        let event = || process[p].event("");
        at[p] = match at[p] {
            Two::Raise => {
                event().writes(&flag[p], 1).record();
                Two::Yield
            }
            Two::Yield => {
                event().writes(&turn, other as i32).record();
                Two::Enter
            }
            Two::Enter => {
                if !(faulty || turn.peek() == p as i32 || flag[other].peek() == 0) {
                    continue;
                }
                let inside = ncrit.peek() + 1;
                event().reads(&turn).reads(&flag[other]).reads(&ncrit).writes(&ncrit, inside).record();
                Two::Leave
            }
            Two::Leave => {
                event().reads(&ncrit).writes(&ncrit, ncrit.peek() - 1).record();
                Two::Lower
            }
            Two::Lower => {
                event().writes(&flag[p], 0).record();
                Two::Raise
            }
        };
        stage.count();
    }
}

/// Where one of many processes stands: what it does next, at which level.
#[derive(Clone, Copy)]
enum Filter {
    Start,
    Victim(usize),
    Wait(usize),
    Leave,
    Lower,
}

fn filter(stage: &mut Stage, n: usize, faulty: bool) {
    let process = processes(&stage.recorder, n);
    let level: Vec<Shared<usize>> = (0..n).map(|p| stage.recorder.shared(&format!("level{p}"), 0)).collect();
    // victim[0] is victim1: there is no level 0 to wait at.
    let victim: Vec<Shared<usize>> = (1..n).map(|l| stage.recorder.shared(&format!("victim{l}"), 0)).collect();
    let ncrit = stage.recorder.shared("ncrit", 0);
    let mut at = vec![Filter::Start; n];
    // How many processes are at a level or above, so that a guard is one look.
    let mut at_least = vec![0usize; n + 1];
    while stage.left > 0 {
        let p = stage.dice.below(n);
        let event = || process[p].event("");
        at[p] = match at[p] {
            Filter::Start => {
                event().writes(&level[p], 1).record();
                at_least[1] += 1;
                Filter::Victim(1)
            }
            Filter::Victim(l) => {
                event().writes(&victim[l - 1], p + 1).record();
                Filter::Wait(l)
            }
            Filter::Wait(l) => {
                let alone = at_least[l] == 1;
                if !(faulty || alone || victim[l - 1].peek() != p + 1) {
                    continue;
                }
                let mut event = event().reads(&victim[l - 1]);
                for (q, level) in level.iter().enumerate() {
                    if q != p {
                        event = event.reads(level);
                    }
                }
                if l < n - 1 {
                    event.writes(&level[p], l + 1).record();
                    at_least[l + 1] += 1;
                    Filter::Victim(l + 1)
                } else {
                    event.reads(&ncrit).writes(&ncrit, ncrit.peek() + 1).record();
                    Filter::Leave
                }
            }
            Filter::Leave => {
                event().reads(&ncrit).writes(&ncrit, ncrit.peek() - 1).record();
                Filter::Lower
            }
            Filter::Lower => {
                event().writes(&level[p], 0).record();
                at_least[1..n].iter_mut().for_each(|count| *count -= 1);
                Filter::Start
            }
        };
        stage.count();
    }
}
