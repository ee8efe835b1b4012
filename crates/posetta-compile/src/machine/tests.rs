use super::*;
use posetta_base::{Number, Value};
use posetta_logic::eval::{self, Word};
use posetta_logic::{AtomId, Guard, Ltl, Psl, PslUnary, Sere, SereOp, Slot, Suffix, Times, parse_ltl};

struct Zero(Value);

impl Values for Zero {
    fn value(&self, _: Slot) -> &Value {
        &self.0
    }
}

fn zero() -> Zero {
    Zero(Value::Number(Number::ZERO))
}

fn machine(text: &str, completions: Completions) -> (Ltl<AtomId>, Atoms, Machine) {
    let mut atoms = Atoms::default();
    let formula = parse_ltl(text).unwrap().map_atoms(&mut |atom| atoms.add(atom));
    let property = Linear::Ltl(formula.clone());
    let machine = Machine::new(&property, &atoms, View::States, completions, &Budget::unlimited()).unwrap();
    (formula, atoms, machine)
}

/// The answers after each letter, as `s` or `-` for satisfied, `?`, `+` or `!` for the prospect, `m` or `.` for monitorable. A letter is
/// a digit: bit i says whether atom i holds.
fn told(text: &str, completions: Completions, word: &str) -> String {
    let (_, atoms, mut machine) = machine(text, completions);
    let count = atoms.atoms().len();
    let mut place = machine.start();
    let mut all = Vec::new();
    for digit in word.chars() {
        let bits = digit.to_digit(16).unwrap();
        let letter: Vec<bool> = (0..count).map(|i| bits >> i & 1 == 1).collect();
        place = machine.step(&place, &letter, &zero(), &Budget::unlimited()).unwrap();
        let Answers { satisfied, prospect, monitorable } = machine.answers(&place);
        let prospect = match prospect {
            Prospect::Open => '?',
            Prospect::Holds => '+',
            Prospect::Violated => '!',
        };
        let monitorable = if monitorable == Some(true) { 'm' } else { '.' };
        all.push(format!("{}{prospect}{monitorable}", if satisfied { 's' } else { '-' }));
    }
    all.join(" ")
}

#[test]
fn answers_come_as_early_as_logic_allows() {
    use Completions::{Both, Finite, Infinite};
    for (text, completions, word, expected) in [
        ("G a", Both, "110", "s?m s?m -!m"),
        ("F a", Both, "001", "-?m -?m s+m"),
        ("G F a", Both, "01", "-?. s?."),
        ("G F a", Finite, "01", "-?. s?."),
        ("G F a", Infinite, "01", "-?. s?."),
        ("F G a", Infinite, "10", "s?. -?."),
        // At the end of a finite word `X` fails and `WX` holds; an infinite one has no end.
        ("F (a && X b)", Both, "112", "-?m -?m s+m"),
        ("X true", Finite, "00", "-?m s+m"),
        ("X true", Infinite, "00", "-+m s+m"),
        ("WX false", Finite, "00", "s?m -!m"),
        ("WX false", Infinite, "00", "s!m -!m"),
        ("WX false", Both, "00", "s?m -!m"),
        ("G X true", Finite, "00", "-!m -!m"),
        ("G X true", Infinite, "00", "-+m -+m"),
        ("G X true", Both, "00", "-?. -?."),
        ("G (a -> F b)", Both, "012", "s?. -?. s?."),
        ("(a U b) || G a", Both, "1110", "s?m s?m s?m -!m"),
        // Together they cannot come, so both cannot be waited for.
        ("F (x == 1 && x == 2)", Both, "0", "-!m"),
        ("G (x == 1 -> F x == 2) && G (x != 1)", Both, "64", "s?m s?m"),
        ("F a && G !a", Both, "0", "-!m"),
        ("F a && G !a", Infinite, "0", "-!m"),
        // The last position would need both a and a next one.
        ("G (a -> X !a) && G F a", Finite, "1", "-!m"),
        ("G (a -> X !a) && G F a", Infinite, "11", "-?m -!m"),
        ("(G F a) && (F G !a)", Infinite, "0", "-!m"),
        ("(G F a) && (F G !a)", Finite, "01", "-!m -!m"),
        // Past.
        ("G (b -> O a)", Both, "021", "s?m s+m s+m"),
        ("G (b -> Y a)", Both, "01", "s?m -!m"),
        ("F (b && H a)", Both, "20", "-?m -!m"),
        ("O (a && F b)", Both, "02", "-!m -!m"),
        ("O (a && F b)", Both, "102", "-?m -?m s+m"),
    ] {
        assert_eq!(told(text, completions, word), expected, "{text}, {completions:?}, {word}");
    }
}

/// Every formula that small dice make, on every short word, against words that end.
#[test]
fn over_finite_words_the_answers_are_those_of_all_completions() {
    let budget = Budget::unlimited();
    for text in [
        "a",
        "X a",
        "WX a",
        "F a",
        "G b",
        "a U b",
        "a W b",
        "a R b",
        "a M b",
        "G (a -> X b)",
        "G (a -> F b)",
        "F (a && WX WX b)",
        "G (a -> O b)",
        "F (b && Y a)",
        "G (a S b)",
        "O (a && X b)",
        "(F a) U b",
        "G (a -> (a U b))",
        "F G a",
        "F a -> G b",
        "G (H a -> F b)",
        "(X a) S b",
        "Y X a",
        "G (a <-> X b)",
    ] {
        let (formula, atoms, mut machine) = machine(text, Completions::Finite);
        let count = atoms.atoms().len();
        let letters = 1u32 << count;
        let holds = |word: &[u32]| {
            let rows = (0..count).map(|a| word.iter().map(|l| l >> a & 1 == 1).collect()).collect();
            eval::holds(&formula, &Word::from_rows(rows, word.len()))
        };
        let words = |length: u32| {
            (0..letters.pow(length))
                .map(move |code| -> Vec<u32> { (0..length).map(|i| code / letters.pow(i) % letters).collect() })
        };
        for word in (1..=3).flat_map(words) {
            let mut place = machine.start();
            for &letter in &word {
                let vector: Vec<bool> = (0..count).map(|a| letter >> a & 1 == 1).collect();
                place = machine.step(&place, &vector, &zero(), &budget).unwrap();
            }
            let answers = machine.answers(&place);
            assert_eq!(answers.satisfied, holds(&word), "{text} on {word:?}");
            let seen: Vec<bool> = (0..=4).flat_map(words).map(|rest| holds(&[&word[..], &rest].concat())).collect();
            let expected = match (seen.contains(&true), seen.contains(&false)) {
                (true, false) => Prospect::Holds,
                (false, true) => Prospect::Violated,
                _ => Prospect::Open,
            };
            assert_eq!(answers.prospect, expected, "{text} on {word:?}");
        }
    }
}

fn atom(i: u32) -> Guard<AtomId> {
    Guard::Atom(AtomId(i))
}

/// `{x; y[*1:n]; z}`
fn burst(from: u32, n: u32) -> Sere<AtomId> {
    let middle = Sere::Repeat(Box::new(Sere::Bool(atom(from + 1))), Times { min: 1, max: Some(n) });
    Sere::Chain(SereOp::Concat, vec![Sere::Bool(atom(from)), middle, Sere::Bool(atom(from + 2))])
}

#[test]
fn large_properties_have_small_machines() {
    let budget = Budget::unlimited();
    let names = |n: u32| {
        let mut atoms = Atoms::default();
        for i in 0..n {
            parse_ltl(&format!("p{i}")).unwrap().map_atoms(&mut |atom| atoms.add(atom));
        }
        atoms
    };
    let bursts = Psl::Unary(
        PslUnary::Globally,
        Box::new(Psl::Suffix(Suffix::After, burst(0, 30), Box::new(Psl::Sere { sere: burst(3, 30), strong: false }))),
    );
    let machine = Machine::new(&Linear::Psl(bursts), &names(6), View::States, Completions::Both, &budget).unwrap();
    assert!(matches!(machine, Machine::Listed(_)));
    assert_eq!(machine.states(), Some(4093));

    // p0 U (p1 U (… U p20)): half a million letters.
    let right = (0..20).rev().fold("p20".to_owned(), |rest, i| format!("p{i} U ({rest})"));
    let (_, _, machine) = self::machine(&right, Completions::Both);
    assert!(matches!(machine, Machine::Diagram(_)));
    assert_eq!(machine.states(), Some(23));
}

#[test]
fn a_machine_that_is_too_large_is_followed_letter_by_letter() {
    let budget = Budget::unlimited();
    let left = (1..19).fold("p0".to_owned(), |rest, i| format!("({rest}) R p{i}"));
    let (formula, _, mut machine) = self::machine(&left, Completions::Both);
    assert!(matches!(machine, Machine::Loose(_)));
    let mut seed = 5u64;
    let mut word: Vec<Vec<bool>> = Vec::new();
    let mut place = machine.start();
    for round in 0..200 {
        let letter: Vec<bool> = (0..19)
            .map(|i| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // Without p0 nothing is ever released.
                round < 199 && (i == 18 || i > 0 && seed >> 40 & 1 == 1)
            })
            .collect();
        place = machine.step(&place, &letter, &zero(), &budget).unwrap();
        word.push(letter);
        let rows = (0..19).map(|a| word.iter().map(|l| l[a]).collect()).collect();
        let holds = eval::holds(&formula, &Word::from_rows(rows, word.len()));
        let answers = machine.answers(&place);
        assert_eq!(answers.satisfied, holds, "after {round}");
        if round == 199 {
            assert_eq!(answers.prospect, Prospect::Violated);
        }
        // What is written is read back.
        let mut text = String::new();
        machine.write(&place, &mut text);
        let again = machine.read(&text, 19, &budget).unwrap().unwrap();
        assert_eq!(machine.answers(&again), answers);
        place = again;
    }
}

/// `never {a; b[->n]; c}` with as many attempts under way as there are counts: it fails at the first c behind the n-th b after an a.
#[test]
fn large_counts_are_counters() {
    let budget = Budget::with_memory(64 << 20);
    let mut atoms = Atoms::default();
    for name in ["a", "b", "c"] {
        parse_ltl(name).unwrap().map_atoms(&mut |atom| atoms.add(atom));
    }
    let sere = |n: u32| {
        let parts = vec![Sere::Bool(atom(0)), Sere::Goto(atom(1), Times::exactly(n)), Sere::Bool(atom(2))];
        Sere::Chain(SereOp::Concat, parts)
    };
    let machine = |formula: Psl<AtomId>| {
        Machine::new(&Linear::Psl(formula), &atoms, View::States, Completions::Both, &budget).unwrap()
    };
    let n = 150_000;
    let mut never = machine(Psl::Never(sere(n)));
    assert!(matches!(never, Machine::Counted(_)) && never.is_exact());
    let mut place = never.start();
    assert_eq!(never.answers(&place).prospect, Prospect::Open);
    // Every third letter is an a, then come two b: the sets of counts have gaps.
    for i in 0..450_000u64 {
        let [a, b] = [i % 3 == 0, i % 3 > 0];
        // The first c that counts: the letter before it is the n-th b after the first a.
        let c = i == 225_000 || i == 400_000;
        never.advance(&mut place, &[a, b, c], &zero(), &budget).unwrap();
        let answers = never.answers(&place);
        let met = i >= 225_000;
        let expected = if met { Prospect::Violated } else { Prospect::Open };
        assert_eq!((answers.satisfied, answers.prospect, answers.monitorable), (!met, expected, Some(true)), "at {i}");
    }
    let whole = Sere::Repeat(Box::new(Sere::Bool(Guard::True)), Times::exactly(u32::MAX));
    let mut long = machine(Psl::Sere { sere: whole, strong: true });
    let mut place = long.start();
    for _ in 0..1000 {
        long.advance(&mut place, &[false; 3], &zero(), &budget).unwrap();
    }
    assert_eq!(long.answers(&place), Answers { satisfied: false, prospect: Prospect::Open, monitorable: Some(true) });

    // What has no counters is followed from the first letter on.
    let run = Sere::Repeat(Box::new(Sere::Bool(atom(1))), Times { min: 1, max: Some(1_000_000) });
    let strong = Psl::Sere { sere: Sere::Chain(SereOp::Concat, vec![run, Sere::Bool(atom(2))]), strong: true };
    let each = Psl::Suffix(Suffix::After, Sere::Bool(atom(0)), Box::new(strong));
    let loose = machine(Psl::Unary(PslUnary::Globally, Box::new(each)));
    assert!(matches!(loose, Machine::Loose(_)));
}

/// `always {a} |=> {b[->n];c}`, with an `a` at every letter but the last ones: each owes n b after it, and a c behind the last of them.
#[test]
fn debts_of_large_counts_are_counters() {
    let budget = Budget::with_memory(64 << 20);
    let mut atoms = Atoms::default();
    for name in ["a", "b", "c"] {
        parse_ltl(name).unwrap().map_atoms(&mut |atom| atoms.add(atom));
    }
    let owing = |n: u32, strong: bool| {
        let parts = vec![Sere::Goto(atom(1), Times::exactly(n)), Sere::Bool(atom(2))];
        let owed = Psl::Sere { sere: Sere::Chain(SereOp::Concat, parts), strong };
        let each = Psl::Suffix(Suffix::After, Sere::Bool(atom(0)), Box::new(owed));
        Linear::Psl(Psl::Unary(PslUnary::Globally, Box::new(each)))
    };
    let large = Machine::new(&owing(1_000_000, true), &atoms, View::States, Completions::Both, &budget).unwrap();
    assert!(matches!(large, Machine::Counted(_)));
    let n = 5_000;
    for (strong, lost) in [(true, false), (true, true), (false, false), (false, true)] {
        let (formula, view) = (owing(n, strong), View::States);
        let made = Machine::with_counters(&formula, &atoms, view, Completions::Both, &budget).unwrap();
        let mut machine = made.expect("it has counters");
        let mut place = machine.start();
        // The letter i has an a up to 1,000, and each but the first is a b: the debt of the a at i is paid at i + n + 1.
        for i in 0..=n + 1_001 {
            let letter = [i <= 1_000, i > 0, i > n && !(lost && i == n + 500)];
            machine.advance(&mut place, &letter, &zero(), &budget).unwrap();
            let Answers { satisfied, prospect, .. } = machine.answers(&place);
            let failed = lost && i >= n + 500;
            let open = strong && i > 0 && i <= n + 1_000;
            assert_eq!(prospect, if failed { Prospect::Violated } else { Prospect::Open }, "{strong} {lost} at {i}");
            assert_eq!(satisfied, !failed && !open, "{strong} {lost} at {i}");
        }
    }
}

#[test]
fn bytes_are_read_as_letters_are() {
    let mut seed = 3u64;
    let mut dice = |n: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % n
    };
    for text in ["G (a -> X b)", "G (a -> F b)", "F (a && X X b)", "G !(a && X a && X X a && X X X a && X X X X a)"] {
        let (_, atoms, mut machine) = machine(text, Completions::Both);
        let Machine::Listed(listed) = &machine else { panic!("it is small") };
        let bytes = Bytes::new(listed).unwrap();
        let count = atoms.atoms().len();
        let letters: Vec<u8> = (0..10_000).map(|_| dice(1 << count) as u8).collect();
        let mut reached = bytes.start();
        for part in letters.chunks(1 + dice(5000) as usize) {
            bytes.read(&mut reached, part);
        }
        let mut place = machine.start();
        let mut determined = None;
        for (i, letter) in letters.iter().enumerate() {
            let vector: Vec<bool> = (0..count).map(|a| letter >> a & 1 == 1).collect();
            place = machine.step(&place, &vector, &zero(), &Budget::unlimited()).unwrap();
            if machine.answers(&place).prospect != Prospect::Open {
                determined.get_or_insert(i as u64);
            }
        }
        assert_eq!(bytes.answers(reached), Some(machine.answers(&place)), "{text}");
        assert_eq!((reached.determined, reached.letters), (determined, 10_000), "{text}");
    }
}
