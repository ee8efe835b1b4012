//! Components given by formulas.

use super::{load, reads};
use crate::system::Behaviour;

#[test]
fn formulas_say_which_words_there_are() {
    reads(
        "component Turns { observable a, b; m2l \"all1 p: p in `b` => ex1 q: q < p & q in `a`\" }",
        "Turns { init s0; s0 -a-> s1; s1 -a-> s1; s1 -b-> s1 }
         action a of Turns
         action b of Turns",
    );
    // Beginnings of words that satisfy it do not have to.
    reads(
        "component Pairs { observable a; internal b
           m2l \"all1 p: p in `a` => p + 1 in `b`\"
         }",
        "Pairs { init s0; s0 -a-> s1; s0 -b-> s0; s1 -b-> s0 }
         action a of Pairs
         internal b of Pairs",
    );
    // What the formula does not name is in the words as well.
    reads(
        "component Once { observable a, b, c; m2l \"ex1 p: p in `a` & (all1 q: q in `a` => q = p)\" }",
        "Once { init s0; s0 -a-> s1; s0 -b-> s0; s0 -c-> s0; s1 -b-> s1; s1 -c-> s1 }
         action a of Once
         action b of Once
         action c of Once",
    );
}

#[test]
fn exactly_one_action_is_at_each_position() {
    reads(
        "component C { observable a, b; m2l \"all1 p: p in `a` | p in `b`\" }",
        "C { init s0; s0 -a-> s0; s0 -b-> s0 }
         action a of C
         action b of C",
    );
    reads(
        "component C { observable a, b; m2l \"~ex1 p: true\" }",
        "C { init s0 }
         action a of C
         action b of C
         warning 1:26: `a` never takes place: `C` declares it and has no arc for it
         warning 1:29: `b` never takes place: `C` declares it and has no arc for it",
    );
}

#[test]
fn names_in_backquotes_are_those_of_the_file() {
    reads(
        "const N = 3
         component Turn(i in 0..1) {
           observable go[i], go[(i+1) % N], \"odd \\\"name\"
           m2l \"pred first(var1 p, var2 X) = p in X & ~ex1 q: q < p & q in X;\"
               \"~(ex1 p, q: first(p, `go[i]`) & first(q, `go[(i + 1) % N]`) & q < p) # `not this\"
               \"& ~ex1 p: p in `\\\"odd \\\\\\\"name\\\"`;\"
         }
         system S = Turn[0]",
        "Turn[0] { init s0; s0 -go[0]-> s1; s0 -go[1]-> s2; s1 -go[0]-> s1; s1 -go[1]-> s1; s2 -go[1]-> s2 }
         action go[0] of Turn[0]
         action go[1] of Turn[0]
         action odd \"name of Turn[0]
         warning 3:45: `odd \"name` never takes place: `Turn[0]` declares it and has no arc for it",
    );
}

#[test]
fn copies_that_differ_in_names_only_are_made_once() {
    // A formula whose automaton takes some work, a thousand times.
    let source = "component C(i in 1..1000) {
        observable a[i], b[i], c
        m2l \"all1 p: p in `c` => ex1 q: q + 5 = p & q in `b[i]`\"
    }";
    let system = load(source, None).expect("it is fine");
    assert_eq!(system.components.len(), 1000);
    let sizes: Vec<usize> = system
        .components
        .iter()
        .map(|c| match &c.behaviour {
            Behaviour::Lts(lts) => lts.arcs.len(),
            Behaviour::Net(_) => 0,
        })
        .collect();
    assert!(sizes.iter().all(|&s| s == sizes[0] && s > 30), "{:?}", sizes[0]);
    // An index that makes two names one is another formula.
    let source = "component C(i in 0..1) { observable a[0], a[1]; m2l \"all1 p: p in `a[0]` => p in `a[i]`\" }";
    let system = load(source, None).expect("it is fine");
    let sizes = system.components.iter().map(|c| match &c.behaviour {
        Behaviour::Lts(lts) => lts.arcs.len(),
        Behaviour::Net(_) => 0,
    });
    assert_eq!(sizes.collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn actions_may_have_any_name() {
    let names =
        ["true", "F", "on", "in", "all1", "odd`name", "x == 1", "a.b", "é", "\\\\", "\\\"", "G p", "`", "''", "0", "$"];
    for name in names {
        // In the string of the formula what is escaped is escaped once more.
        let inside = format!("\"{name}\"").replace('\\', "\\\\").replace('"', "\\\"");
        let source =
            format!("component C {{ observable \"{name}\", other; m2l \"all1 p: p in `{inside}` => p = 0\" }}");
        let system = load(&source, None).unwrap_or_else(|e| panic!("{source}: {e:?}"));
        let Behaviour::Lts(lts) = &system.components[0].behaviour else { panic!("it is no net") };
        let read: Vec<(u32, u32)> = lts.arcs.iter().map(|arc| (arc.from, arc.to)).collect();
        assert_eq!((lts.states.len(), read), (2, vec![(0, 1), (0, 1), (1, 1)]), "{source}");
    }
}
