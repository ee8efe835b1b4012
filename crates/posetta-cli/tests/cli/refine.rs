//! `posetta refine`: every sort of answer and of mistake.

use std::time::{Duration, Instant};

use crate::program::{Place, Seen};

/// Generous, because machines that run tests are busy; a missed limit would take hours.
const LATE: Duration = Duration::from_secs(300);

/// A vending machine that may keep the coin, and one that may not.
const MACHINES: &str = "\
component Good { lts { init s; s -coin-> paid -tea, coffee-> s } }
component Greedy { internal think, keep
  lts { init s; s -coin-> paid -think-> ready -tea, coffee-> s; paid -keep-> s }
}
component Early { internal t, c
  lts { init s; s -coin-> paid; paid -t-> tea -tea-> s; paid -c-> coffee -coffee-> s }
}
component Stuck { observable coffee lts { init s; s -coin-> paid -tea-> s } }
component Silent { observable coin, tea, coffee  internal t lts { init s; s -t-> s } }
system Service = Good
system Design = Greedy
system Chooser = Early
";

/// N buffers in a row, and one that counts: large where `N` is.
fn buffers(n: u32) -> String {
    format!(
        "const N = {n}\n\
         component Cell(k in 1..N) {{ lts {{ init free; free -move[k-1]-> full -move[k]-> free }} }}\n\
         component Count {{ lts {{ init has[0]; for k in 1..N {{ has[k-1] -put-> has[k] -get-> has[k-1] }} }} }}\n\
         system Row = Cell where {{ for k in 1..N-1 {{ move[k] }} }} internal where {{ move[0] -> put, move[N] -> get }}\n\
         system Counter = Count\n"
    )
}

fn place() -> Place {
    let place = Place::with(&[
        ("machines.sys", MACHINES),
        ("net.sys", "component N { net { p = 2; put: p -> q; get: q -> p } }\n"),
        ("grows.sys", "component N { net { p = 1; put: p -> p, q; get: q -> } }\n"),
        ("ring.aut", "des (0, 3, 3)\n(0, put, 1)\n(1, i, 2)\n(2, get, 0)\n"),
        ("broken.sys", "component C { lts { init s; s -a> t } }\n"),
        ("names.sys", "component C { internal tea  lts { init s; s -coins-> t -tea, coffee-> s; t -soup-> s } }\n"),
        ("run.trace", "A: x=1\n"),
    ]);
    place.write("row.sys", buffers(3).as_bytes());
    place.write("large.sys", buffers(40).as_bytes());
    place
}

fn seen(args: &[&str]) -> Seen {
    place().run(&[&["refine"], args].concat())
}

macro_rules! golden {
    ($($name:ident: $args:expr;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(seen(&$args).shown());
        }
    )*};
}

golden! {
    holds: ["machines.sys", "--impl", "Chooser", "--spec", "Service"];
    quiet_and_fine: ["machines.sys", "--impl", "Chooser", "--spec", "Service", "-q"];
    quiet: ["machines.sys", "--impl", "Design", "--spec", "Service", "-q"];
    holds_for_programs: ["machines.sys", "--impl", "Chooser", "--spec", "Service", "--json", "--engine", "explicit"];
    violated: ["machines.sys", "--impl", "Design", "--spec", "Service"];
    violated_for_programs: ["machines.sys", "--impl", "Design", "--spec", "Service", "--json", "--engine", "explicit"];
    violated_by_sets: ["machines.sys", "--impl", "Design", "--spec", "Service", "--engine", "symbolic", "--stats"];
    violated_at_the_start: ["machines.sys", "--impl", "Good", "--spec", "Silent"];
    nothing_is_ever_seen: ["machines.sys", "--impl", "Silent", "--spec", "Good"];
    equivalent: ["machines.sys", "--impl", "Service", "--spec", "Chooser", "--equivalent"];
    equivalent_for_programs: ["row.sys", "--impl", "Row", "--spec", "Counter", "--equivalent", "--json", "--engine", "explicit"];
    not_equivalent: ["machines.sys", "--impl", "Stuck", "--spec", "Good", "--equivalent"];
    not_equivalent_for_programs: ["machines.sys", "--impl", "Stuck", "--spec", "Good", "--equivalent", "--json", "--engine", "explicit"];
    two_files: ["ring.aut", "net.sys", "--stats", "--engine", "explicit"];
    two_files_of_other_formats: ["net.sys", "ring.aut"];
    without_bound_and_lacking: ["grows.sys", "net.sys"];
    mistake_actions: ["names.sys", "machines.sys", "--spec", "Good"];
    mistake_actions_for_programs: ["names.sys", "machines.sys", "--spec", "Good", "--json"];
    mistake_nothing_to_compare: ["machines.sys"];
    mistake_no_file: ["none.sys", "machines.sys"];
    mistake_two_broken_files: ["broken.sys", "none.sys"];
    mistake_no_such_system: ["machines.sys", "--impl", "Servise", "--spec", "Good"];
    mistake_no_choice: ["ring.aut", "net.sys", "--impl", "A"];
    mistake_no_system: ["machines.sys", "run.trace"];
    mistake_engine: ["machines.sys", "--impl", "Good", "--spec", "Early", "--engine", "symbolic"];
    mistake_standard_input_twice: ["-", "-"];
}

#[test]
fn from_standard_input() {
    let seen =
        place().run_with(&["refine", "-", "machines.sys", "--impl", "Stuck", "--spec", "Good"], MACHINES.as_bytes());
    assert_eq!(seen.status, 0, "{}", seen.shown());
}

/// A row of 40 cells has 2^40 states, of which few are met.
#[test]
fn large_systems() {
    let started = Instant::now();
    let answer = seen(&["large.sys", "--impl", "Row", "--spec", "Counter", "--equivalent", "--json"]);
    assert_eq!(answer.status, 0, "{}", answer.shown());
    let json = answer.json();
    assert_eq!(json["verdict"], "holds");
    assert!(started.elapsed() < LATE);
}

/// Nets without a bound go on until a limit ends it.
#[test]
fn limits_are_kept() {
    for limit in [["--timeout", "300ms"], ["--memory", "60MB"]] {
        let started = Instant::now();
        let answer = seen(&[&["grows.sys", "grows.sys", "--json"], &limit[..]].concat());
        assert_eq!(answer.status, 3, "{}", answer.shown());
        let json = answer.json();
        assert_eq!((&json["verdict"], &json["witness"]), (&"unknown".into(), &serde_json::Value::Null));
        assert!(started.elapsed() < LATE);
    }
}
