//! Whole models.

use super::{flat, load};
use crate::system::{Slots, System};

/// The number of reachable states, of steps between them, and of states without a step.
fn explore(system: &System) -> (usize, usize, usize) {
    let slots = Slots::new(system);
    let mut seen = std::collections::BTreeSet::from([system.initial()]);
    let mut stack = vec![system.initial()];
    let (mut steps, mut dead) = (0, 0);
    while let Some(state) = stack.pop() {
        let moves = system.moves(&slots, &state);
        dead += usize::from(moves.is_empty());
        for (_, next) in moves {
            steps += 1;
            let next = next.expect("few tokens");
            if seen.insert(next.clone()) {
                stack.push(next);
            }
        }
    }
    (seen.len(), steps, dead)
}

/// Dining philosophers who take the left fork first, all but the last one.
fn philosophers(count: usize, last_is_other: bool) -> String {
    let last =
        if last_is_other { "take[N-1][0]-> l; l -take[N-1][N-1]" } else { "take[N-1][N-1]-> l; l -take[N-1][0]" };
    format!(
        "const N = {count}
         component Fork(i in 0..N-1) {{ lts {{
            init free
            for p in 0..N-1 if p == i || (p + 1) % N == i {{ free -take[p][i]-> by[p]; by[p] -drop[p]-> free }}
         }} }}
         component Phil(i in 0..N-2) {{
            observable eat[i]
            internal for j in 0..1 {{ take[i][(i+j) % N] }}, drop[i]
            lts {{ init t; t -take[i][i]-> l -take[i][(i+1) % N]-> e -eat[i]-> f -drop[i]-> t }}
         }}
         component Last {{ lts {{ init t; t -{last}-> e; e -eat[N-1]-> f; f -drop[N-1]-> t }} }}
         system All = (Fork || Phil || Last)
            where {{ for i in 0..N-1 {{ take[i][i], take[i][(i+1) % N], drop[i] }} }} internal"
    )
}

#[test]
fn philosophers_with_a_constant() {
    let text = philosophers(3, false);
    // The forks do not say that their actions are internal; hidden as a whole, they agree.
    let system = load(&text, None).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(system.components.len(), 6);
    let names: Vec<&str> = system.actions.iter().filter(|a| !a.internal).map(|a| &*a.name).collect();
    assert_eq!(names, ["eat[0]", "eat[1]", "eat[2]"]);
    assert_eq!(explore(&system).2, 1, "all have their left fork");
    let system = load(&philosophers(3, true), None).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(explore(&system).2, 0);
}

/// The example of docs/formats/sys.md.
#[test]
fn philosophers_of_the_documentation() {
    let text = "const N = 5
        component Fork(i in 0..N-1) { lts {
          init free
          for p in 0..N-1 if p == i || (p + 1) % N == i {
            free -take[p][i]-> by[p]
            by[p] -drop[p]-> free
          }
        } }
        component Phil(i in 0..N-1) {
          lts { init t; t -take[i][i]-> l -take[i][(i+1) % N]-> e -eat[i]-> f -drop[i]-> t }
        }
        system All = Fork || Phil
          where { for i in 0..N-1 { take[i][i], take[i][(i+1) % N], drop[i] } } internal";
    let system = load(text, None).unwrap_or_else(|e| panic!("{e:?}"));
    assert!(system.warnings.is_empty());
    assert_eq!(explore(&system).2, 1);
}

#[test]
fn scheduler_of_milner() {
    // A ring of cells that passes a token; cell i does a[i], then passes it on and does b[i] in either order.
    let text = "const N = 4
        component Cell(i in 1..N-1) { lts {
            init wait
            wait -c[i]-> go -a[i]-> both
            both -b[i]-> pass -c[(i+1) % N]-> wait
            both -c[(i+1) % N]-> work -b[i]-> wait
            work -c[i]-> late -b[i]-> go
        } }
        component First { language a[0] (c[1] b[0] c[0] a[0] | b[0] c[1] c[0] a[0] | c[1] c[0] b[0] a[0])* }
        system Ring = Cell || First where { for i in 0..N-1 { c[i] } } internal";
    let system = load(text, None).unwrap_or_else(|e| panic!("{e:?}"));
    // Counted by another program.
    assert_eq!(explore(&system), (128, 352, 0));
    assert!(flat(&system).contains("internal c[1] of Cell[1], First"));
}

#[test]
fn pipe_of_buffers() {
    let text = "component Buf(i in 0..2) { lts { init empty; empty -c[i]-> full; full -c[i+1]-> empty } }
        system Pipe = Buf where { c[0] -> put, c[3] -> get } where { c[1], c[2] } internal
        component Spec { net { free = 3; put: free -> used; get: used -> free } }
        system Wanted = Spec";
    let pipe = load(text, Some("Pipe")).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(explore(&pipe), (8, 12, 0));
    let spec = load(text, None).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(explore(&spec), (4, 6, 0));
}

#[test]
fn many_copies_are_read_without_looking_twice() {
    let text = "const N = 20000
        component Cell(i in 0..N-1) { internal c[i], c[(i+1) % N]
            lts { init w; w -c[i]-> g; g -a[i]-> b; b -c[(i+1) % N]-> w } }
        system S = Cell where { c[0] -> d }";
    let system = load(text, None).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!((system.components.len(), system.actions.len()), (20_000, 40_000));
    assert!(system.actions.iter().all(|a| a.parts.len() == if a.internal { 2 } else { 1 }));
}
