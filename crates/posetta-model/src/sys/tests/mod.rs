//! Text in, flat system out; and mistakes with their places.

mod examples;
mod formulas;
mod mistakes;

use super::{Load, read};
use crate::system::{Behaviour, System};
use posetta_base::{Located, Mistakes};

/// Files that can be imported.
const FILES: [(&str, &str); 5] = [
    ("fork.aut", "des (0, 2, 2)\n(0, get, 1)\n(1, put, 0)\n"),
    ("silent.aut", "des (0, 2, 2)\n(0, i, 1)\n(1, a, 0)\n"),
    ("twice.aut", "des (0, 2, 1)\n(0, a, 0)\n(0, a, 0)\n"),
    ("broken.aut", "des (0, 2, 2)\n(0, a, 1)\n(1, a, 7)\n"),
    ("notes.txt", "nothing"),
];

/// Reads with the files above.
pub(super) fn load(source: &str, wanted: Option<&str>) -> Result<System, Mistakes<Located>> {
    let load: &mut Load<'_> = &mut |_, asked| {
        let found = FILES.iter().find(|(name, _)| *name == asked);
        found.map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).ok_or_else(|| "no such file".into())
    };
    read("m.sys", source, wanted, load)
}

/// All of a system: one component in each line, then the actions, then the warnings.
pub(super) fn flat(system: &System) -> String {
    let mut lines = Vec::new();
    for component in &system.components {
        let mut parts = Vec::new();
        match &component.behaviour {
            Behaviour::Lts(lts) => {
                parts.push(format!("init {}", lts.states[lts.initial as usize]));
                for arc in &lts.arcs {
                    let action = &system.action(arc.action).name;
                    parts
                        .push(format!("{} -{action}-> {}", lts.states[arc.from as usize], lts.states[arc.to as usize]));
                }
                assert!(lts.arcs.is_sorted() && lts.arcs.windows(2).all(|w| w[0] != w[1]));
            }
            Behaviour::Net(net) => {
                parts
                    .extend(net.places.iter().filter(|p| p.initial > 0).map(|p| format!("{} = {}", p.name, p.initial)));
                let side = |side: &[(u32, u32)]| {
                    let all: Vec<String> = side
                        .iter()
                        .map(|&(place, weight)| {
                            let place = &net.places[place as usize].name;
                            if weight == 1 { place.to_string() } else { format!("{weight} {place}") }
                        })
                        .collect();
                    all.join(", ")
                };
                for t in &net.transitions {
                    parts.push(format!("{}: {} -> {}", system.action(t.action).name, side(&t.takes), side(&t.puts)));
                }
            }
        }
        lines.push(format!("{} {{ {} }}", component.name, parts.join("; ")));
    }
    for action in &system.actions {
        let parts: Vec<&str> = action.parts.iter().map(|&c| &*system.component(c).name).collect();
        let word = if action.internal { "internal" } else { "action" };
        lines.push(format!("{word} {} of {}", action.name, parts.join(", ")));
    }
    lines.extend(system.warnings.iter().map(|w| format!("warning {w}")));
    lines.join("\n")
}

#[track_caller]
fn reads(source: &str, expected: &str) {
    let system = load(source, None).unwrap_or_else(|e| panic!("{source}: {e:?}"));
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    assert_eq!(flat(&system), expected.join("\n"), "{source}");
}

#[test]
fn transition_systems() {
    reads(
        "component B { lts { init s0; s0 -put-> s1; s1 -get-> s0 } }",
        "B { init s0; s0 -put-> s1; s1 -get-> s0 }
         action put of B
         action get of B",
    );
    // Line ends do as well, arcs may go on, and have several actions; numbers are states, too.
    reads(
        "component \"odd one\" { // a comment
            internal b
            lts {
                0 -a, b-> 1 -c-> 0
                init 0
                1 -\"b c\"-> in.out
            }
        }",
        "odd one { init 0; 0 -b-> 1; 0 -a-> 1; 1 -c-> 0; 1 -b c-> in.out }
         internal b of odd one
         action a of odd one
         action c of odd one
         action b c of odd one",
    );
    // What is there twice is there once.
    reads(
        "component B { lts { init s; s -a-> s; s -a-> s; s -a-> t } }",
        "B { init s; s -a-> s; s -a-> t }
         action a of B",
    );
}

#[test]
fn loops_and_numbers() {
    reads(
        "const N = 3
         const M = -(N - 1) * 2 / 3   // rounded down: -4 / 3 is -2
         component C(i in 0..N-2) {
            internal for j in 0..N-1 if j != i && !(j == 2) { x[j] }
            lts { init w[M % N]; for j in 0..N-1, k in j..j if j != i || j == 7 { w[1] -c[i][j]-> w[k+1]; for l in 1..0 { w[9] -z-> w[9] } } }
         }
         system S = C where { for i in 0..1, j in 0..2 if i != j { c[i][j] -> d[3 * i + j] } }",
        "C[0] { init w[1]; w[1] -d[1]-> w[2]; w[1] -d[2]-> w[3] }
         C[1] { init w[1]; w[1] -d[3]-> w[1]; w[1] -d[5]-> w[3] }
         internal x[1] of C[0]
         action d[1] of C[0]
         action d[2] of C[0]
         internal x[0] of C[1]
         action d[3] of C[1]
         action d[5] of C[1]
         warning 4:63: `x[1]` never takes place: `C[0]` declares it and has no arc for it",
    );
}

#[test]
fn nets() {
    reads(
        "const N = 2
         component P { net { p = 1; t: p -> q; u: 2 q, r -> p; v: -> r; w: r, 3 r, N q, (N+1) p, N*q ->; u: q -> } }",
        "P { p = 1; t: p -> q; u: 2 q, r -> p; u: q -> ; v:  -> r; w: 3 p, 4 q, 4 r ->  }
         action t of P
         action u of P
         action v of P
         action w of P",
    );
    reads(
        "component P(i in 1..2) { net {
            p[i] = i
            meet: for j in 0..1 if j != i { p[j] }, q -> for j in 0..i { (j+1) q }
            back:
                -> p[i]
         } }",
        "P[1] { p[1] = 1; meet: p[0], q -> 3 q; back:  -> p[1] }
         P[2] { p[2] = 2; meet: p[0], p[1], q -> 6 q; back:  -> p[2] }
         action meet of P[1], P[2]
         action back of P[1], P[2]",
    );
}

#[test]
fn languages_are_the_smallest_deterministic_systems_of_their_prefixes() {
    for (language, expected) in [
        ("a", "init s0; s0 -a-> s1"),
        ("a*", "init s0; s0 -a-> s0"),
        ("a a*", "init s0; s0 -a-> s0"),
        ("a+ b", "init s0; s0 -a-> s1; s1 -a-> s1; s1 -b-> s2"),
        ("(a | b)? c", "init s0; s0 -a-> s1; s0 -b-> s1; s0 -c-> s2; s1 -c-> s2"),
        ("a b | a c", "init s0; s0 -a-> s1; s1 -b-> s2; s1 -c-> s2"),
        (
            "(a0 c0 (b0 c2 | c2 b0))*",
            "init s0; s0 -a0-> s1; s1 -c0-> s2; s2 -b0-> s3; s2 -c2-> s4; s3 -c2-> s0; s4 -b0-> s0",
        ),
        ("(empty | a)*+? empty", "init s0; s0 -a-> s0"),
        ("(a b)* a", "init s0; s0 -a-> s1; s1 -b-> s0"),
    ] {
        let system = load(&format!("component Q {{ language {language} }}"), None)
            .unwrap_or_else(|e| panic!("{language}: {e:?}"));
        let text = flat(&system);
        let first = text.lines().next().unwrap_or_default();
        assert_eq!(first, format!("Q {{ {expected} }}"), "{language}");
    }
    reads(
        "component Q { language (a \"b c\")*
            internal a }",
        "Q { init s0; s0 -a-> s1; s1 -b c-> s0 }
         internal a of Q
         action b c of Q",
    );
}

#[test]
fn imports() {
    reads(
        "component F(i in 0..1) { internal put[i] import \"fork.aut\" where { get -> get[i], put -> put[i] } }
         component S { observable never import \"silent.aut\" }
         system X = F || S || (S where { S.i -> tick })",
        "F[0] { init 0; 0 -get[0]-> 1; 1 -put[0]-> 0 }
         F[1] { init 0; 0 -get[1]-> 1; 1 -put[1]-> 0 }
         S { init 0; 0 -S.i-> 1; 1 -a-> 0 }
         S#2 { init 0; 0 -tick-> 1; 1 -a-> 0 }
         action get[0] of F[0]
         internal put[0] of F[0]
         action get[1] of F[1]
         internal put[1] of F[1]
         internal S.i of S
         action a of S, S#2
         action never of S, S#2
         internal tick of S#2
         warning 2:35: `never` never takes place: `S` declares it and has no arc for it",
    );
    reads(
        "component S { import \"silent.aut\" } component T { import \"twice.aut\" } system X = S || S || T",
        "S { init 0; 0 -S.i-> 1; 1 -a-> 0 }
         S#2 { init 0; 0 -S#2.i-> 1; 1 -a-> 0 }
         T { init 0; 0 -a-> 0 }
         internal S.i of S
         action a of S, S#2, T
         internal S#2.i of S#2
         warning twice.aut:1: 1 of the 2 transitions are there more than once",
    );
}

#[test]
fn hiding_and_new_names() {
    let buffer = "component Buf { lts { init e; e -put-> f; f -get-> e } }\n";
    reads(
        &format!(
            "{buffer}system P = (Buf where {{ get -> mid }}) || (Buf where {{ put -> mid }}) where {{ mid }} internal"
        ),
        "Buf { init e; e -put-> f; f -mid-> e }
         Buf#2 { init e; e -mid-> f; f -get-> e }
         action put of Buf
         internal mid of Buf, Buf#2
         action get of Buf#2",
    );
    // All at once: names can be exchanged. One after the other: they cannot.
    reads(
        &format!("{buffer}system P = Buf where {{ get -> put, put -> get }}"),
        "Buf { init e; e -get-> f; f -put-> e }
         action get of Buf
         action put of Buf",
    );
    reads(
        &format!("{buffer}system P = Buf where {{ get -> put }} where {{ put -> x }}"),
        "Buf { init e; e -x-> f; f -x-> e }
         action x of Buf",
    );
    // Systems of systems, in any order; the last one is meant.
    let many = format!(
        "{buffer}system T = S where {{ put }} internal system S = Buf || Buf\nsystem U = T || \"Buf\" where {{ put }} internal"
    );
    reads(
        &many,
        "Buf { init e; e -put-> f; f -get-> e }
         Buf#2 { init e; e -put-> f; f -get-> e }
         Buf#3 { init e; e -put-> f; f -get-> e }
         internal put of Buf, Buf#2, Buf#3
         action get of Buf, Buf#2, Buf#3",
    );
    for (wanted, count, internal) in [("S", 2, false), ("T", 2, true), ("U", 3, true), ("Buf", 1, false)] {
        let system = load(&many, Some(wanted)).expect("it is there");
        assert_eq!((system.components.len(), system.actions[0].internal, &*system.name), (count, internal, wanted));
    }
}

#[test]
fn warnings() {
    reads(
        "component A(i in 1..0) { lts { init s; s -a-> s } }
         component B { observable b, c lts { init s; s -b-> s; t -b-> s; u -b-> t } }
         component C { lts { init s; s -b-> s } }
         system S = A || B",
        "B { init s; s -b-> s; t -b-> s; u -b-> t }
         action b of B
         action c of B
         warning 1:18: the range 1..0 is empty
         warning 2:38: `c` never takes place: `B` declares it and has no arc for it
         warning 2:64: no arcs lead from the initial state `s` to `t`
         warning 2:74: no arcs lead from the initial state `s` to `u`
         warning 3:20: no system has the component `C`",
    );
}

#[test]
fn random_text_does_no_harm() {
    let words = [
        "const ",
        "N",
        " = ",
        "component ",
        "C",
        "(",
        ")",
        "{",
        "}",
        "i",
        " in ",
        "0",
        "..",
        "3",
        "lts ",
        "net ",
        "language ",
        "import ",
        "\"fork.aut\"",
        "init ",
        "s",
        " -",
        "a",
        "-> ",
        ";",
        "\n",
        "[",
        "]",
        ",",
        ":",
        "||",
        "|",
        "*",
        "+",
        "?",
        "system ",
        "S",
        "where ",
        "internal ",
        "observable ",
        "for ",
        "if ",
        "!=",
        "&&",
        "!",
        "%",
        "/",
        "99999999999",
        "-",
        "\"",
        "é",
        "//",
        "component C { lts { init s; s -a-> s } }\n",
        "system S = C\n",
        "m2l",
        "empty ",
        "deadlock",
    ];
    for seed in 0..3000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let text: String = (0..rng.usize(..40)).map(|_| words[rng.usize(..words.len())]).collect();
        match load(&text, None) {
            Ok(system) => assert!(!system.components.is_empty() && !flat(&system).is_empty()),
            Err(mistakes) => assert!(!mistakes.is_empty(), "{text}"),
        }
    }
}
