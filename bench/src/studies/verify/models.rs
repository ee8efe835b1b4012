//! The models, in SMV as NuSMV reads it.

use std::fmt::Write;

/// Philosophers at a round table, one of whom moves at a time: an input says who. Each takes the fork on his left, then the one
/// on his right, and puts them down in this order. They can get stuck.
pub fn philosophers(n: u64) -> String {
    let mut text = format!("MODULE main\nIVAR who : 0..{};\nVAR\n", n - 1);
    for i in 0..n {
        let _ = writeln!(text, "  p{i} : {{think, left, both, right}};\n  f{i} : boolean;");
    }
    text += "ASSIGN\n";
    for i in 0..n {
        let (right, before) = ((i + 1) % n, (i + n - 1) % n);
        let _ = write!(
            text,
            "  init(p{i}) := think;
  init(f{i}) := TRUE;
  next(p{i}) := case
    who != {i} : p{i};
    p{i} = think & f{i} : left;
    p{i} = left & f{right} : both;
    p{i} = both : right;
    p{i} = right : think;
    TRUE : p{i};
  esac;
  next(f{i}) := case
    who = {i} & p{i} = think & f{i} : FALSE;
    who = {i} & p{i} = both : TRUE;
    who = {before} & p{before} = left & f{i} : FALSE;
    who = {before} & p{before} = right : TRUE;
    TRUE : f{i};
  esac;
"
        );
    }
    text
}

/// How many states they reach. Each fork lies on the table or is held from one of two sides, and who holds what says where
/// everybody is; only that each has kept the second fork never happens, because the last to put down the first one had two.
pub fn dining(n: u64) -> Option<u128> {
    3u128.checked_pow(u32::try_from(n).ok()?)?.checked_sub(1)
}

/// Counters modulo 8 in a row. The first counts in every step, each other one when the one before it begins anew.
pub fn counters(n: u64) -> String {
    let mut text = "\
MODULE counter(enable)
VAR v : 0..7;
DEFINE carry := enable & v = 7;
ASSIGN
  init(v) := 0;
  next(v) := case
    enable : (v + 1) mod 8;
    TRUE : v;
  esac;

MODULE main
VAR
  c0 : counter(TRUE);
"
    .to_owned();
    for i in 1..n {
        let _ = writeln!(text, "  c{i} : counter(c{}.carry);", i - 1);
    }
    text
}

/// How many states they reach: all.
pub fn counted(n: u64) -> Option<u128> {
    8u128.checked_pow(u32::try_from(n).ok()?)
}

/// The philosophers of the peers' `phil.pml`, location by location as SPIN's verifier has them, and the same property: while philosopher 1
/// eats, 0 does not. The last one takes his forks in the other order, so they do not get stuck. What `state` is there follows from
/// the location; a fork has the number of its holder. `start` and `set` are how a philosopher finds his forks, which takes
/// the last one a step less.
pub fn fork(n: u64) -> String {
    // The first and the second fork of each philosopher.
    let forks = |i: u64| if i == n - 1 { (0, i) } else { (i, i + 1) };
    let mut text = format!("MODULE main\nIVAR who : 0..{};\nVAR\n", n - 1);
    for i in 0..n {
        let before = (i + n - 1) % n;
        let holders = if before < i { (before + 1, i + 1) } else { (i + 1, before + 1) };
        let _ = writeln!(
            text,
            "  at{i} : {{start, set, idle, hungry, one, both, eats, done, half}};\n  fork{i} : {{0, {}, {}}};",
            holders.0, holders.1
        );
    }
    text += "ASSIGN\n";
    for i in 0..n {
        let (first, second) = forks(i);
        let begin = if i == n - 1 { "idle" } else { "set" };
        let _ = write!(
            text,
            "  init(at{i}) := start;
  init(fork{i}) := 0;
  next(at{i}) := case
    who != {i} : at{i};
    at{i} = start : {begin};
    at{i} = set : idle;
    at{i} = idle : hungry;
    at{i} = hungry & fork{first} = 0 : one;
    at{i} = one & fork{second} = 0 : both;
    at{i} = both : eats;
    at{i} = eats : done;
    at{i} = done : half;
    at{i} = half : idle;
    TRUE : at{i};
  esac;
  next(fork{i}) := case
"
        );
        for user in [(i + n - 1) % n, i] {
            let (takes, leaves) = if forks(user).0 == i { ("hungry", "done") } else { ("one", "half") };
            let holder = user + 1;
            let _ = writeln!(text, "    who = {user} & at{user} = {takes} & fork{i} = 0 : {holder};");
            let _ = writeln!(text, "    who = {user} & at{user} = {leaves} : 0;");
        }
        let _ = writeln!(text, "    TRUE : fork{i};\n  esac;");
    }
    // `V` for the weak until, which NuSMV does not have.
    text + "LTLSPEC G (at1 = eats -> (at1 != eats V (at0 != eats | at1 != eats)))\n"
}

/// Selection sort of so many numbers below 16, comparison by comparison: an index, the place of the least one so far, and few states, because the numbers
/// are given.
pub fn sort(n: u64) -> String {
    let (last, before) = (n - 1, n - 2);
    let mut text = format!(
        "MODULE main
VAR
  a : array 0..{last} of 0..15;
  i : 0..{last};
  j : 0..{last};
  least : 0..{last};
  at : {{scan, swap, done}};
ASSIGN
  init(i) := 0; init(j) := 1; init(least) := 0; init(at) := scan;
  next(at) := case at = scan & j = {last} : swap; at = swap & i = {before} : done; at = swap : scan; TRUE : at; esac;
  next(j) := case at = scan & j < {last} : j + 1; at = swap & i < {before} : i + 2; TRUE : j; esac;
  next(least) := case at = scan & a[j] < a[least] : j; at = swap & i < {before} : i + 1; TRUE : least; esac;
  next(i) := case at = swap & i < {before} : i + 1; TRUE : i; esac;
"
    );
    for k in 0..n {
        let _ = writeln!(text, "  init(a[{k}]) := {};", (11 * k + 5) % 16);
        let swapped = format!("at = swap & i = {k} : a[least]; at = swap & least = {k} : a[i]; TRUE : a[{k}];");
        let _ = writeln!(text, "  next(a[{k}]) := case {swapped} esac;");
    }
    let sorted: Vec<String> = (1..n).map(|k| format!("a[{}] <= a[{k}]", k - 1)).collect();
    let sorted = sorted.join(" & ");
    text + &format!(
        "CTLSPEC AF at = done\nCTLSPEC AG (at = done -> {sorted})\nLTLSPEC F G at = done\nINVARSPEC i < {n}\n"
    )
}

/// The sum of so many numbers below 8, whatever they are, number by number.
pub fn sum(n: u64) -> String {
    let most = 7 * n;
    let mut text = format!(
        "MODULE main
VAR
  a : array 0..{} of 0..7;
  i : 0..{n};
  sum : 0..{most};
ASSIGN
  init(i) := 0; init(sum) := 0;
  next(i) := case i < {n} : i + 1; TRUE : i; esac;
  next(sum) := case i < {n} & sum + a[i mod {n}] <= {most} : sum + a[i mod {n}]; TRUE : sum; esac;
",
        n - 1
    );
    (0..n).for_each(|k| {
        let _ = writeln!(text, "  next(a[{k}]) := a[{k}];");
    });
    let all: Vec<String> = (0..n).map(|k| format!("a[{k}]")).collect();
    let all = all.join(" + ");
    text + &format!(
        "DEFINE whole := {all};
CTLSPEC AF i = {n}
CTLSPEC AG (i = {n} -> sum = whole)
INVARSPEC sum <= whole
LTLSPEC F sum = whole
"
    )
}

/// A lift with so many floors: a button in it and one outside for each, a door with a timer, and 15 specifications.
pub fn lift(n: u64) -> String {
    let mut text = format!(
        "MODULE button(served)
VAR on : boolean;
ASSIGN init(on) := FALSE; next(on) := served ? FALSE : (on ? TRUE : {{FALSE, TRUE}});
MODULE main
VAR
  floor : 1..{n};
  way : {{up, down, idle}};
  door : {{open, closed, opening, closing}};
  timer : 0..3;
"
    );
    for k in 1..=n {
        let here = format!("floor = {k} & door = open");
        let _ = writeln!(text, "  in{k} : button({here});\n  out{k} : button({here});");
    }
    text += "DEFINE\n";
    (1..=n).for_each(|k| {
        let _ = writeln!(text, "  asked{k} := in{k}.on | out{k}.on;");
    });
    let any =
        |relation: &str| (1..=n).map(|k| format!("(floor {relation} {k} & asked{k})")).collect::<Vec<_>>().join(" | ");
    let (here, above, below) = (any("="), any("<"), any(">"));
    let _ = write!(
        text,
        "  here := {here};
  above := {above};
  below := {below};
ASSIGN
  init(floor) := 1; init(way) := idle; init(door) := closed; init(timer) := 0;
  next(timer) := case door = open & timer < 3 : timer + 1; door != open : 0; TRUE : timer; esac;
  next(door) := case door = closed & here : opening; door = opening : open; door = open & timer = 3 : closing;
    door = closing & here : opening; door = closing : closed; TRUE : door; esac;
  next(way) := case way = up & above : up; way = down & below : down; above : up; below : down; TRUE : idle; esac;
  next(floor) := case door = closed & !here & way = up & floor < {n} : floor + 1;
    door = closed & !here & way = down & floor > 1 : floor - 1; TRUE : floor; esac;
CTLSPEC AG (way = up -> EF way = down)
CTLSPEC AG EF (floor = 1 & door = closed)
CTLSPEC EF (floor = {n} & door = open)
CTLSPEC AG (door = open -> A [door = open U door = closing])
CTLSPEC AG ((floor = {n} & way = up) -> AX floor = {n})
INVARSPEC door = open -> timer <= 3
LTLSPEC G (door = opening -> X door = open)
LTLSPEC G F door = closed
LTLSPEC G (door = closing -> X door != open)
"
    );
    for k in 1..=3 {
        let _ = writeln!(text, "CTLSPEC AG (asked{k} -> AF (floor = {k} & door = open))");
        let _ = writeln!(text, "LTLSPEC G (in{k}.on -> F (floor = {k} & door = open))");
    }
    text
}

/// A token that goes round so many stations, each of which keeps it while it works, and does not work forever.
pub fn ring(n: u64) -> String {
    let mut text = format!(
        "MODULE station(token)
VAR at : {{idle, wants, works}};
DEFINE keeps := at = works | (at = wants & token);
ASSIGN
  init(at) := idle;
  next(at) := case at = idle : {{idle, wants}}; at = wants & token : works; at = works : {{works, idle}}; TRUE : at; esac;
JUSTICE at != works
MODULE main
VAR
  token : 0..{};
",
        n - 1
    );
    (0..n).for_each(|k| {
        let _ = writeln!(text, "  s{k} : station(token = {k});");
    });
    let kept: Vec<String> = (0..n).map(|k| format!("(token = {k} & s{k}.keeps)")).collect();
    let kept = kept.join(" | ");
    let apart: Vec<String> = (0..n).map(|k| format!("!(s{k}.at = works & s{}.at = works)", (k + 1) % n)).collect();
    let apart = apart.join(" & ");
    text + &format!(
        "ASSIGN init(token) := 0; next(token) := {kept} ? token : (token + 1) mod {n};
CTLSPEC AG !(s0.at = works & s1.at = works)
CTLSPEC AG (s0.at = wants -> AF s0.at = works)
LTLSPEC G (s1.at = wants -> F s1.at = works)
INVARSPEC {apart}
"
    )
}

/// The same ring, where a station may work forever: what is asked of it holds less often.
pub fn unfair(n: u64) -> String {
    ring(n).replace("JUSTICE at != works\n", "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_base::Budget;
    use posetta_model::smv;
    use posetta_verify::fds::{Answer, Options, Question};

    /// The number of reachable states, and the words for the verdicts.
    fn explored(text: &str) -> (String, Vec<&'static str>) {
        let model = smv::read(text).expect("a model");
        let (options, budget) = (Options::default().explore(true), Budget::unlimited());
        let mut question = Question::new(&model, &model.specs, options);
        question.decide(&budget).expect("no mistakes");
        let word = |answer: &Option<Answer>| answer.as_ref().expect("an answer").verdict.word();
        let states = question.findings().expect("no limit").states.as_ref().expect("explored").to_string();
        (states, question.answers().iter().map(word).collect())
    }

    #[test]
    fn the_models_have_as_many_states_as_they_should() {
        for n in 2..6 {
            assert_eq!(explored(&philosophers(n)).0, dining(n).expect("few").to_string());
        }
        for n in 1..3 {
            assert_eq!(explored(&counters(n)).0, counted(n).expect("few").to_string());
        }
        assert_eq!((dining(100), counted(50)), (None, None));
    }

    #[test]
    fn the_fork_property_holds_and_the_states_are_those_of_spin() {
        // As SPIN's verifier counts them with -DSAFETY -DNOREDUCE, which is asked again where there is one.
        for (n, states) in [(3, "349"), (4, "2633")] {
            assert_eq!(explored(&fork(n)), (states.to_owned(), vec!["holds"]));
        }
        // Without the forks philosopher 0 eats when he likes.
        let free = fork(3).replace("& fork0 = 0 : one", ": one").replace("& fork1 = 0 : both", ": both");
        assert_eq!(explored(&free).1, ["violated"]);
    }

    #[test]
    fn arrays_lifts_and_rings_do_what_their_specifications_say() {
        assert_eq!(explored(&sort(4)), ("10".to_owned(), vec!["holds"; 4]));
        // All numbers, at each index, with the sum that belongs to them.
        assert_eq!(explored(&sum(2)), ("192".to_owned(), vec!["holds"; 4]));
        assert_eq!(explored(&ring(3)).1, ["holds"; 4]);
        let (_, words) = explored(&lift(3));
        assert_eq!((words.len(), words.iter().filter(|&&word| word == "holds").count()), (15, 9));
    }
}
