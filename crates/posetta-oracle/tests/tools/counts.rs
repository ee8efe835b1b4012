//! Large counts, where attempts are followed side by side: against states and against the definition.

use fastrand::Rng;
use posetta_base::{Budget, Number, Value};
use posetta_compile::{Completions, Linear, Machine, Prospect};
use posetta_logic::{
    AtomId, Atoms, Guard, Psl, PslUnary, Sere, SereOp, Suffix, Times, View, eval, parse_ltl, parse_psl,
};
use posetta_oracle::cases::for_seeds;
use posetta_oracle::random;

use crate::automata::{By, Zero, compare_counters};

const ATOMS: [AtomId; 2] = [AtomId(0), AtomId(1)];

/// Makes most counts larger, by what dice say.
fn enlarged_times(rng: &mut Rng, most: u32, times: Times) -> Times {
    let Times { min, max } = times;
    if rng.u32(..4) == 0 || (min, max) == (0, Some(0)) {
        return times;
    }
    let (less, more) = (rng.u32(..=most), rng.u32(..=most));
    match max {
        Some(max) if max == min => Times::exactly(min + less),
        Some(max) => Times { min: min + less.min(more), max: Some(max + less.max(more)) },
        None if min > 0 => Times { min: min + less, max },
        None => times,
    }
}

fn enlarged_sere(rng: &mut Rng, most: u32, sere: &Sere<AtomId>) -> Sere<AtomId> {
    match sere {
        Sere::Bool(_) => sere.clone(),
        Sere::Chain(op, parts) => Sere::Chain(*op, parts.iter().map(|part| enlarged_sere(rng, most, part)).collect()),
        Sere::Repeat(r, times) => {
            Sere::Repeat(Box::new(enlarged_sere(rng, most, r)), enlarged_times(rng, most, *times))
        }
        Sere::Goto(b, times) => Sere::Goto(b.clone(), enlarged_times(rng, most, *times)),
        Sere::Occur(b, times) => Sere::Occur(b.clone(), enlarged_times(rng, most, *times)),
    }
}

fn enlarged(rng: &mut Rng, most: u32, formula: &Psl<AtomId>) -> Psl<AtomId> {
    let mut of = |f: &Psl<AtomId>| Box::new(enlarged(rng, most, f));
    match formula {
        Psl::Bool(_) => formula.clone(),
        Psl::Not(f) => Psl::Not(of(f)),
        Psl::And(fs) => Psl::And(fs.iter().map(|f| *of(f)).collect()),
        Psl::Or(fs) => Psl::Or(fs.iter().map(|f| *of(f)).collect()),
        Psl::Implies(f, g) => Psl::Implies(of(f), of(g)),
        Psl::Iff(f, g) => Psl::Iff(of(f), of(g)),
        Psl::Unary(op, f) => Psl::Unary(*op, of(f)),
        Psl::Binary(op, f, g) => Psl::Binary(*op, of(f), of(g)),
        Psl::Abort(f, guard) => Psl::Abort(of(f), guard.clone()),
        Psl::NextTimes { strong, count, formula } => {
            let formula = of(formula);
            Psl::NextTimes { strong: *strong, count: count + rng.u32(..=most), formula }
        }
        Psl::Suffix(op, r, f) => {
            let f = of(f);
            Psl::Suffix(*op, enlarged_sere(rng, most, r), f)
        }
        Psl::Sere { sere, strong } => Psl::Sere { sere: enlarged_sere(rng, most, sere), strong: *strong },
        Psl::Never(r) => Psl::Never(enlarged_sere(rng, most, r)),
        Psl::Eventually(r) => Psl::Eventually(enlarged_sere(rng, most, r)),
    }
}

/// Every kind of formula, without large counts and with some.
#[test]
fn attempts_answer_as_states_do() {
    let mut compared = 0;
    for_seeds(500, |rng, _| {
        let size = rng.usize(1..12);
        let formula = random::psl(rng, &ATOMS, size);
        compared += u32::from(compare_counters(By::Attempts, rng, &formula, 1..10, false));
    });
    assert!(compared > 150, "only {compared}");
}

#[test]
fn attempts_with_larger_counts_answer_as_states_do() {
    let mut compared = 0;
    for_seeds(500, |rng, _| {
        let (size, most) = (rng.usize(1..7), rng.u32(2..9));
        let formula = random::psl(rng, &ATOMS, size);
        let formula = enlarged(rng, most, &formula);
        compared += u32::from(compare_counters(By::Attempts, rng, &formula, 10..40, false));
    });
    assert!(compared > 150, "only {compared}");
}

/// What is asked again and again, with attempts that can go several ways.
#[test]
fn what_is_asked_at_every_position_is_answered_as_by_states() {
    let mut compared = 0;
    for_seeds(500, |rng, _| {
        let guard = |rng: &mut Rng| match rng.u32(..4) {
            0 => Guard::Not(Box::new(Guard::Atom(ATOMS[rng.usize(..2)]))),
            _ => Guard::Atom(ATOMS[rng.usize(..2)]),
        };
        let counted = |rng: &mut Rng| {
            let min = rng.u32(1..8);
            let times = match rng.u32(..3) {
                0 => Times { min: min / 2, max: Some(min) },
                1 => Times { min, max: None },
                _ => Times::exactly(min),
            };
            match rng.u32(..4) {
                0 => Sere::Goto(guard(rng), Times { min: times.min.max(1), ..times }),
                1 => Sere::Occur(guard(rng), times),
                2 => {
                    let size = rng.usize(1..4);
                    Sere::Repeat(Box::new(random::sere(rng, &ATOMS, size)), times)
                }
                _ => Sere::Repeat(Box::new(Sere::Bool(guard(rng))), times),
            }
        };
        let sere = |rng: &mut Rng| {
            let op = [
                SereOp::Concat,
                SereOp::Concat,
                SereOp::Concat,
                SereOp::Fusion,
                SereOp::Or,
                SereOp::And,
                SereOp::Within,
            ][rng.usize(..7)];
            let mut parts: Vec<_> = (0..rng.usize(1..3)).map(|_| counted(rng)).collect();
            parts.push(Sere::Bool(guard(rng)));
            Sere::Chain(op, parts)
        };
        let owed = match rng.u32(..6) {
            0 => Psl::Suffix(Suffix::Some, sere(rng), Box::new(Psl::Bool(guard(rng)))),
            1 => Psl::Eventually(sere(rng)),
            2 => {
                let (count, formula) = (rng.u32(1..8), Box::new(Psl::Bool(guard(rng))));
                Psl::NextTimes { strong: rng.bool(), count, formula }
            }
            3 => Psl::Suffix(Suffix::Overlapping, sere(rng), Box::new(Psl::Bool(guard(rng)))),
            _ => Psl::Sere { sere: sere(rng), strong: rng.bool() },
        };
        let owed = if rng.u32(..4) == 0 { Psl::Abort(Box::new(owed), guard(rng)) } else { owed };
        let each = match rng.u32(..3) {
            0 => Psl::Implies(Box::new(Psl::Bool(guard(rng))), Box::new(owed)),
            1 => Psl::Suffix(Suffix::After, Sere::Bool(guard(rng)), Box::new(owed)),
            _ => Psl::Suffix(Suffix::Overlapping, counted(rng), Box::new(owed)),
        };
        let formula =
            Psl::Unary(if rng.u32(..4) == 0 { PslUnary::Finally } else { PslUnary::Globally }, Box::new(each));
        compared += u32::from(compare_counters(By::Attempts, rng, &formula, 5..30, false));
    });
    assert!(compared > 100, "only {compared}");
}

/// Formulas as people write them, with N for a count.
const FORMULAS: [&str; 40] = [
    "never {a;b[*N];!b}",
    "never {a; b[->N]; c}",
    "eventually! {a[*N]}",
    "always {a[->];b[*N]} |-> c",
    "always {a;b[*];c[*N]} |=> b",
    "{a[->3];b[*N];c}!",
    "always {a} |=> {b[->2];c[*N]}!",
    "{{a[*2]}[*]&&{a[*3]}[*]&&{a[*5]}[*]&&{a[*N]}[*];b}!",
    "{[*N]}!",
    "always (a -> next_event!(b)[N](c))",
    "always (a -> next_event(b)[N](c))",
    "always {a[->3]} |=> {b[=N]; c}!",
    "always {a} |=> {b[->N]}!",
    "{a} |=> <b[->N]> c",
    "{b[=N];c}!",
    "{b[=N];c}",
    "always {a} |=> {b[*1:N];c}!",
    "always {a} |=> {b[*1:N];c}",
    "always (a -> next[N] c)",
    "always (a -> next![N] c)",
    "always (a -> eventually! {b[*N]})",
    "always (a -> {b[->N] | c[->N]}!)",
    "always {a} |=> {{b;c}[*N]}!",
    "always {a} |=> {{b[*2];c}[*N];c}",
    "never {a; {b;!c}[*N]; c}",
    "always {a;b} |=> {c[->N];!a}!",
    "always ({a} |=> {b[->N]}! abort c)",
    "(always {a} |=> {b[->N]}!) abort c",
    "always {a;b[->N]} |=> c",
    "always {a[=N]} |-> b",
    "always {a[*N:N+5]} |=> {b[*2:N]}",
    "(always {a} |=> {b[->N]}!) && never {c[*N]}",
    "always {a} |=> ({b[->N]}! && {c[->N];a})",
    "({a[->N]} |=> b) until! {c[*5]}",
    "always (a -> (b until! {c[*N]}))",
    "always {a} |-> next![N] {b;c}!",
    "{c[->N]} |=> always {a} |=> {b[->N]}!",
    "always {a : {b[->N]}} |=> {c[*3]}",
    "eventually! {a;b[*N];c}",
    "never {a;b[*N:N+3];c} abort !b",
];

/// Two counts go on at different speeds within one attempt, so attempts are not one with a set of counts.
const TWO_SPEEDS: [&str; 1] = ["always (a -> {b[->N] | c[->N]}!)"];

/// A formula of the table with a count in it.
fn with_count(text: &str, count: u32) -> Psl<AtomId> {
    let text = text.replace("N+5", &(count + 5).to_string()).replace("N+3", &(count + 3).to_string());
    let formula = parse_psl(&text.replace('N', &count.to_string())).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let mut atoms = three_atoms();
    formula.map_atoms(&mut |atom| atoms.add(atom))
}

fn three_atoms() -> Atoms {
    let mut atoms = Atoms::default();
    for name in ["a", "b", "c"] {
        parse_ltl(name).unwrap().map_atoms(&mut |atom| atoms.add(atom));
    }
    atoms
}

/// Reads a random word of so many letters and says what was answered after each, and the truth of the atoms.
fn followed(machine: &mut Machine, seed: u64, letters: usize, budget: &Budget) -> (Vec<bool>, Vec<Vec<bool>>) {
    let (mut rng, zero) = (Rng::with_seed(seed), Zero(Value::Number(Number::ZERO)));
    let (mut place, mut rows, mut satisfied) = (machine.start(), vec![Vec::new(); 3], Vec::new());
    for _ in 0..letters {
        let letter = [rng.u32(..3) == 0, rng.u32(..4) > 0, rng.u32(..3) > 0];
        rows.iter_mut().zip(letter).for_each(|(row, truth)| row.push(truth));
        machine.advance(&mut place, &letter, &zero, budget).unwrap();
        satisfied.push(machine.answers(&place).satisfied);
        if machine.answers(&place).prospect == Prospect::Violated {
            assert_eq!(satisfied.last(), Some(&false));
        }
    }
    (satisfied, rows)
}

/// With counts of some hundreds, on words in which they are reached: satisfied is what the definition says, after every so many letters.
#[test]
fn what_engineers_write_is_satisfied_where_the_definition_says() {
    let budget = Budget::unlimited();
    for text in FORMULAS {
        for (count, letters) in [(4, 60), (40, 400)] {
            let formula = with_count(text, count);
            let property = Linear::Psl(formula.clone());
            let made = Machine::by_attempts(&property, &three_atoms(), View::Events, &budget).unwrap();
            let mut by_attempts = made.expect("it is PSL");
            let mut chosen = Machine::new(&property, &three_atoms(), View::Events, Completions::Both, &budget).unwrap();
            for seed in 0..4 {
                let (satisfied, rows) = followed(&mut by_attempts, seed, letters, &budget);
                let (again, _) = followed(&mut chosen, seed, letters, &budget);
                assert_eq!(satisfied, again, "{text} with {count}, {seed}");
                for length in (1..=letters).step_by(letters / 20) {
                    let word = eval::Word::from_rows(rows.iter().map(|row| row[..length].to_vec()).collect(), length);
                    let told = || format!("{text} with {count} after {length} of {seed}");
                    assert_eq!(satisfied[length - 1], eval::psl_holds(&formula, &word), "{}", told());
                }
            }
        }
    }
}

/// A count of a million starts with little work, and a letter takes about as much as with a count of fifty, in a bounded memory.
#[test]
fn a_letter_takes_the_same_work_whatever_the_count_is() {
    for text in FORMULAS.into_iter().filter(|text| !TWO_SPEEDS.contains(text)) {
        let work = |count: u32| {
            let budget = Budget::with_memory(256 << 20);
            let spent = || budget.stop_handle().explored();
            let property = Linear::Psl(with_count(text, count));
            let mut machine =
                Machine::new(&property, &three_atoms(), View::States, Completions::Both, &budget).unwrap();
            let start = spent();
            followed(&mut machine, 1, 2_000, &budget);
            (start, spent() - start)
        };
        let (start, large) = work(1_000_000);
        assert!(start < 100_000, "{text}: {start} steps before the first letter");
        assert!(large < 2_000 * 30, "{text}: {large} steps for 2,000 letters");
    }
}
