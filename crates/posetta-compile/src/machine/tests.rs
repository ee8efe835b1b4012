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

    // Where an attempt can go several ways, attempts are followed side by side.
    let run = Sere::Repeat(Box::new(Sere::Bool(atom(1))), Times { min: 1, max: Some(1_000_000) });
    let strong = Psl::Sere { sere: Sere::Chain(SereOp::Concat, vec![run, Sere::Bool(atom(2))]), strong: true };
    let each = Psl::Suffix(Suffix::After, Sere::Bool(atom(0)), Box::new(strong));
    let many = machine(Psl::Unary(PslUnary::Globally, Box::new(each)));
    assert!(matches!(many, Machine::Attempts(_)));
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
        let made = Machine::with_counters(&formula, &atoms, view, Completions::Both, true, &budget).unwrap();
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

/// A program of a machine with counters, followed by what its operations say; bits are sets.
struct Followed<'p> {
    program: &'p CountedProgram,
    numbers: Vec<u64>,
    sets: Vec<std::collections::BTreeSet<u32>>,
    started: bool,
    matched: bool,
}

impl<'p> Followed<'p> {
    fn new(program: &'p CountedProgram) -> Self {
        let count = program.registers.len();
        Self { program, numbers: vec![0; count], sets: vec![Default::default(); count], started: false, matched: false }
    }

    fn step(&mut self, letter: &[bool]) {
        let first = !std::mem::replace(&mut self.started, true);
        if self.matched {
            return;
        }
        let holds = |guard: &Guard<AtomId>| guard.holds(&|atom| letter[atom.0 as usize]);
        let mut values: Vec<u64> = Vec::new();
        for operation in &self.program.operations {
            let of = |operand: Operand| match operand {
                Operand::Never => 0,
                Operand::Always => 1,
                Operand::Value(place) => values[place],
            };
            let joined = |a: u64, b: u64, keeps: Keeps| match (a, b, keeps) {
                (0, other, _) | (other, 0, _) => other,
                (_, _, Keeps::Largest) => a.max(b),
                (_, _, Keeps::Smallest) => a.min(b),
            };
            let value = match operation {
                Operation::First => u64::from(first),
                Operation::Holds(guard) => u64::from(holds(guard)),
                Operation::Read(register) => self.numbers[*register],
                Operation::And(a, b) => of(*a) & of(*b),
                Operation::AndNot(a, b) => of(*a) & !of(*b),
                Operation::Or(a, b) => of(*a) | of(*b),
                Operation::If(truth, count) => of(*truth) * of(*count),
                Operation::IfNot(truth, count) => (1 - of(*truth)) * of(*count),
                Operation::Enter(truth, count, keeps) => joined(of(*truth), of(*count), *keeps),
                Operation::Join(a, b, keeps) => joined(of(*a), of(*b), *keeps),
                Operation::Increment(count) => of(*count) + u64::from(of(*count) > 0),
                Operation::Reaches(count, least) => u64::from(of(*count) > *least),
                Operation::Below(count, limit) => {
                    if of(*count) > *limit {
                        0
                    } else {
                        of(*count)
                    }
                }
                Operation::Clamp(count, limit) => of(*count).min(*limit),
                Operation::Fixed(truth, count, other) => {
                    if of(*truth) == 1 {
                        count + 1
                    } else {
                        of(*other)
                    }
                }
                Operation::Move(register, entering) => {
                    let Register::Bits(bits) = &self.program.registers[*register] else { panic!("they are bits") };
                    let set = &mut self.sets[*register];
                    if of(*entering) == 1 {
                        set.insert(0);
                    }
                    if holds(&bits.guard) {
                        *set = set.iter().map(|count| count + 1).collect();
                        let matched = set.iter().any(|&count| count >= bits.min);
                        set.retain(|&count| count < bits.max);
                        u64::from(matched)
                    } else {
                        if !bits.patient {
                            set.clear();
                        }
                        0
                    }
                }
            };
            values.push(value);
        }
        let of = |operand: Operand| match operand {
            Operand::Never => 0,
            Operand::Always => 1,
            Operand::Value(place) => values[place],
        };
        for &(register, value) in &self.program.writes {
            self.numbers[register] = of(value);
            if let Register::Count(most) = self.program.registers[register] {
                assert!(of(value) <= most, "{} is more than {most}", of(value));
            }
        }
        self.matched = of(self.program.matched) == 1;
    }

    fn answers(&self) -> Answers {
        if !self.started {
            return self.program.start;
        }
        let under_way =
            !self.matched && (self.numbers.iter().any(|&n| n > 0) || self.sets.iter().any(|set| !set.is_empty()));
        let (matches, misses) = (self.matched || under_way, !self.matched);
        let good = self.program.good;
        let prospect = if good { Prospect::of(matches, misses) } else { Prospect::of(misses, matches) };
        let monitorable = (self.program.open_ended || prospect != Prospect::Open).then_some(true);
        Answers { satisfied: self.matched == good, prospect, monitorable }
    }
}

/// What the machine with counters of a formula says of random words, beside its program; how that keeps counts.
fn compare_program(formula: &Psl<AtomId>, dice: &mut impl FnMut(u64) -> u64, words: usize) -> &'static str {
    let budget = Budget::unlimited();
    let mut atoms = Atoms::default();
    for name in ["a", "b", "c"] {
        parse_ltl(name).unwrap().map_atoms(&mut |atom| atoms.add(atom));
    }
    let linear = Linear::Psl(formula.clone());
    let machine = Machine::with_counters(&linear, &atoms, View::States, Completions::Both, false, &budget).unwrap();
    let program = match &machine {
        Some(Machine::Counted(counted)) => counted.program(),
        _ => None,
    };
    let (Some(program), Some(mut machine)) = (program, machine) else { return "none" };
    for _ in 0..words {
        let (mut place, mut own) = (machine.start(), Followed::new(&program));
        let dense = [1 + dice(7), 1 + dice(7), 1 + dice(4)];
        let mut word = Vec::new();
        for _ in 0..40 {
            assert_eq!(own.answers(), machine.answers(&place), "{formula:?} after {word:?}: {program:#?}");
            let letter = dense.map(|dense| dice(8) < dense);
            word.push(letter);
            own.step(&letter);
            machine.advance(&mut place, &letter, &zero(), &budget).unwrap();
        }
    }
    if program.bits() > 0 { "bits" } else { "numbers" }
}

fn lcg(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |n| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % n
    }
}

#[test]
fn programs_do_what_machines_with_counters_do() {
    let mut dice = lcg(7);
    for (text, expected) in [
        ("never {a; b[*5]; !b}", "bits"),
        ("never {a; b[->5]; c}", "bits"),
        ("never {a; b[->3:5]; c}", "bits"),
        ("never {a; b[*3:5]; c}", "bits"),
        ("never {a; b[=3]; c}", "bits"),
        ("always (a -> next[4] b)", "bits"),
        ("never {a; b[->5]}", "numbers"),
        ("never {a; b[*5:inf]; c}", "numbers"),
        ("never {a; b[*1:5]; c}", "numbers"),
        ("never {a; b[*0:5]; c}", "numbers"),
        ("never {b[*5]; c}", "numbers"),
        ("never {b[->5]; c}", "numbers"),
        ("never {[+]; b[->2:5]; c}", "numbers"),
        ("eventually! {a[*5]}", "numbers"),
        ("{[*9]}!", "numbers"),
        ("{a; b[*3:6]; c}!", "numbers"),
        ("{a[->3]; b[*4]; c}!", "numbers"),
        ("{{a; b}[*3]; c}!", "numbers"),
        ("{{a; b | c}[*2:3]; c}!", "numbers"),
        ("never {{a; b[*]; c}[*3]}", "numbers"),
        ("never {{a; b[*]; c}[*3:inf]; b}", "numbers"),
        ("never {{a; b[*]; c[->1]}[*1:3]; b}", "numbers"),
        ("never {{a | b; c}[*3]; b}", "numbers"),
        ("never {c; {a; b}[*3]; c}", "none"),
        ("{{a; b[*]; c}[*3]; b}!", "none"),
        ("always ({a; b[*3]} |=> c)", "bits"),
        ("{a[*2:4]; b[*3:5]; c}!", "bits"),
        ("{a} |=> next[5] b", "numbers"),
        ("a until! {b[*4]; c}!", "bits"),
        ("!{a[*3]; b}! && c", "numbers"),
        ("always ({a} |=> {b[->9]}!)", "none"),
    ] {
        let property = posetta_logic::Property::psl_over(View::States, text).unwrap();
        let mut atoms = Atoms::default();
        for name in ["a", "b", "c"] {
            parse_ltl(name).unwrap().map_atoms(&mut |atom| atoms.add(atom));
        }
        let budget = Budget::unlimited();
        let Some((_, Linear::Psl(formula))) = Linear::of(&property.formula, &mut atoms, &budget).unwrap() else {
            panic!("it is PSL")
        };
        assert_eq!(compare_program(&formula, &mut dice, 300), expected, "{text}");
    }
}

#[test]
fn programs_of_random_expressions_do_what_machines_with_counters_do() {
    fn guard(dice: &mut impl FnMut(u64) -> u64) -> Guard<AtomId> {
        match dice(6) {
            0 => Guard::True,
            1 => Guard::Not(Box::new(atom(dice(3) as u32))),
            _ => atom(dice(3) as u32),
        }
    }
    fn times(dice: &mut impl FnMut(u64) -> u64) -> Times {
        let min = dice(4) as u32;
        Times { min, max: (dice(4) > 0).then(|| min + dice(3) as u32) }
    }
    fn sere(dice: &mut impl FnMut(u64) -> u64, depth: u32) -> Sere<AtomId> {
        match dice(if depth == 0 { 3 } else { 9 }) {
            0 => Sere::Bool(guard(dice)),
            1 => Sere::Repeat(Box::new(Sere::Bool(guard(dice))), times(dice)),
            2 => Sere::Goto(guard(dice), times(dice)),
            3 => Sere::Repeat(Box::new(sere(dice, depth - 1)), times(dice)),
            4 => Sere::Chain(SereOp::Or, vec![sere(dice, depth - 1), sere(dice, depth - 1)]),
            5 => Sere::Chain(SereOp::Fusion, vec![sere(dice, depth - 1), sere(dice, depth - 1)]),
            _ => {
                let parts = (0..2 + dice(2)).map(|_| sere(dice, depth - 1)).collect();
                Sere::Chain(SereOp::Concat, parts)
            }
        }
    }
    let mut dice = lcg(23);
    let (mut bits, mut numbers) = (0, 0);
    for _ in 0..1500 {
        let sere = sere(&mut dice, 2);
        let formula = match dice(3) {
            0 => Psl::Never(sere),
            1 => Psl::Eventually(sere),
            _ => Psl::Sere { sere, strong: true },
        };
        match compare_program(&formula, &mut dice, 4) {
            "bits" => bits += 1,
            "numbers" => numbers += 1,
            _ => {}
        }
    }
    assert!(bits > 100 && numbers > 500, "{bits} with bits, {numbers} with numbers");
}
