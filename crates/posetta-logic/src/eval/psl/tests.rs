use super::*;
use crate::{Atom, Condition, Guard, Sere, Term, Var, parse_psl};

/// The formula over the atoms a, b, c, which are 0, 1, 2.
fn formula(text: &str) -> Psl<AtomId> {
    let parsed = parse_psl(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    parsed.map_atoms(&mut |atom| match atom {
        Atom::State(Condition::Nonzero(Term::Var(Var { name, .. }))) => {
            AtomId("abc".find(name.as_str()).expect("a, b or c") as u32)
        }
        other => panic!("{other} is none of a, b, c"),
    })
}

/// A word such as `a ab -`: the atoms that hold at each position.
fn word(text: &str) -> Word {
    let letters: Vec<&str> = text.split_whitespace().collect();
    let row = |atom| letters.iter().map(|l| l.contains(atom)).collect();
    Word::from_rows(vec![row('a'), row('b'), row('c')], letters.len())
}

#[test]
fn words_that_tell() {
    for (text, on, expected) in [
        // Errata of the paper's appendix.
        ("{a:[*0]}!", "a", false),
        ("{a[*] && b}!", "b", false),
        ("{{a[*];b}[*];c}!", "a c", false),
        ("({a;b} && {a})! abort c", "c", false),
        ("(X! ({a;b} && {a})!) abort c", "c", false),
        ("{a;false}! abort b", "a b", true),
        ("{a;false}", "a", true),
        ("{a;false}", "a a", false),
        // Strong and weak.
        ("{a;b}", "a", true),
        ("{a;b}!", "a", false),
        ("{a;b}!", "a b", true),
        ("{a;b}", "b", false),
        ("{a[*];b}", "a a a", true),
        ("{a[*];b}!", "a a a", false),
        ("{[*0]}!", "a", false),
        ("{a[*]}!", "b", false),
        ("{a[*]}", "b", false),
        ("{a[*2];b && {c}}", "a a", true),
        // The empty word: booleans, weak SEREs, X, G, |-> are true; r!, X!, F, U are false.
        ("a", "", true),
        ("false", "", true),
        ("{a}", "", true),
        ("X a", "", true),
        ("always false", "", true),
        ("{[*]} |-> false", "", true),
        ("never true", "", true),
        ("a until b", "", true),
        ("{[*]}!", "", false),
        ("a!", "", false),
        ("X! a", "", false),
        ("F a", "", false),
        ("a U b", "", false),
        ("<[*]> a", "", false),
        ("eventually! {[*]}", "", false),
        ("a || X! a", "", true),
        ("X! a || F a", "", false),
        ("X! a -> F a", "", true),
        ("a -> X! a", "", true),
        ("(X a) -> X! a", "", false),
        ("!(X a)", "", false),
        // Next.
        ("X a", "b", true),
        ("X! a", "b", false),
        ("X! a", "b a", true),
        ("next[2] a", "- -", true),
        ("next![2] a", "- -", false),
        ("next![2] a", "- - a", true),
        ("next[0] a", "b", false),
        ("next![0] a", "a", true),
        // Until and before.
        ("a until! b", "a a b", true),
        ("a until! b", "a a a", false),
        ("a until b", "a a a", true),
        ("a until!_ b", "a a b", false),
        ("a until!_ b", "a ab", true),
        ("a until_ b", "a b", false),
        ("a before b", "- ab", false),
        ("a before_ b", "- ab", true),
        ("a before b", "- -", true),
        ("a before! b", "- -", false),
        ("a before! b", "- a b", true),
        ("a before!_ b", "b", false),
        // Suffixes.
        ("{a;b} |-> c", "a bc", true),
        ("{a;b} |-> c", "a b c", false),
        ("{a;b} |=> c", "a b c", true),
        ("{a;b} |=> c", "a b b", false),
        ("{a;b} |=> c", "a b", true),
        ("<{a;b}> c", "a bc", true),
        ("<{a[+]}> b", "a a ab", true),
        ("<{a[+]}> b", "a a b", false),
        ("always {a} |=> b", "a b a b", true),
        ("always {a} |=> b", "a b a a", false),
        ("never {a;b}", "b a a b", false),
        ("never {a;b}", "b b a a", true),
        ("eventually! {a;b}", "c a b", true),
        ("eventually! {a;b}", "c a c", false),
        ("F {a;b}", "c a", true),
        // SEREs.
        ("{a:b}!", "ab", true),
        ("{{a;b}:{b;c}}!", "a b c", true),
        ("{{a;b}:{b;c}}!", "a b b c", false),
        ("{{a;b} | c}!", "c", true),
        ("{{a;b} & {a;b;c}}!", "a b c", true),
        ("{{{a;b} & {a;b;c}};a}!", "a b a", false),
        ("{{{a;b} && {a;b;c}};a}!", "a b c a", false),
        ("{{b within {a;[*];c}};a}!", "a b c a", true),
        ("{b within {a;[*];c}}!", "a a c", false),
        ("{a[->2];c}!", "- a b a c", true),
        ("{a[->2];c}!", "a c", false),
        ("{a[=2];c}!", "- a b a b c", true),
        ("{a[=2];c}!", "a b a a c", false),
        ("{a[=0];c}!", "b b c", true),
        ("{a[*2:3];b}!", "a a a b", true),
        ("{a[*2:3];b}!", "a a a a b", false),
        ("{{a;b}[*2];c}!", "a b a b c", true),
        ("{{a[*]}[*5];b}!", "a b", true),
        ("{{a;b}[*4294967295]}", "a b a b a", true),
        ("{{a;b}[*4294967295]} && {a;b}[*4294967294]", "a b a b a", true),
        ("{{{a;b}[*4294967295]} && {{a;b}[*4294967294]}}", "a b a b a", false),
        // Abort.
        ("(always a) abort b", "a a b -", true),
        ("(always a) abort b", "a - b", false),
        ("(a until! c) abort b", "a a b", true),
        ("(a until! c) abort b", "a a a", false),
        ("{a;a;a}! abort b", "a b", true),
        ("!((always !a) abort b)", "- b a", false),
    ] {
        assert_eq!(psl_holds(&formula(text), &word(on)), expected, "{text} on [{on}]");
    }
}

/// A letter of the definition.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Letter {
    /// The atoms that hold, as bits.
    Plain(u8),
    Top,
    Bottom,
}

/// The definition, letter by letter. What goes on forever is looked at as far as no SERE of the tests can tell the difference.
#[derive(Clone, Debug)]
struct Naive {
    letters: Vec<Letter>,
    forever: Option<Letter>,
}

const FAR: usize = 10;

impl Naive {
    fn len(&self) -> usize {
        self.letters.len() + if self.forever.is_some() { FAR } else { 0 }
    }

    fn at(&self, i: usize) -> Letter {
        self.letters.get(i).copied().or(self.forever).expect("inside")
    }

    fn suffix(&self, i: usize) -> Self {
        Self { letters: self.letters.iter().skip(i).copied().collect(), forever: self.forever }
    }

    fn prefix(&self, n: usize) -> Vec<Letter> {
        (0..n).map(|i| self.at(i)).collect()
    }

    fn complement(&self) -> Self {
        let swap = |l: &Letter| match l {
            Letter::Top => Letter::Bottom,
            Letter::Bottom => Letter::Top,
            plain => *plain,
        };
        Self { letters: self.letters.iter().map(swap).collect(), forever: self.forever.as_ref().map(swap) }
    }

    fn followed_by_tops(&self, n: usize) -> Self {
        Self { letters: self.prefix(n), forever: Some(Letter::Top) }
    }

    fn satisfies(&self, f: &Psl<AtomId>) -> bool {
        let not = |f: &Psl<AtomId>| Psl::Not(Box::new(f.clone()));
        let boolean = |v| Psl::Bool(if v { Guard::True } else { Guard::False });
        let until = |strong, f: Psl<AtomId>, g: Psl<AtomId>| {
            Psl::Binary(PslBinary::Until { strong, inclusive: false }, Box::new(f), Box::new(g))
        };
        match f {
            Psl::Bool(b) => self.len() == 0 || reads(self.at(0), b),
            Psl::Sere { sere, strong: true } => (1..=self.len()).any(|n| tight(&self.prefix(n), sere)),
            Psl::Sere { sere, strong: false } => (1..=self.len())
                .all(|n| self.followed_by_tops(n).satisfies(&Psl::Sere { sere: sere.clone(), strong: true })),
            Psl::Not(f) if matches!(**f, Psl::Bool(_)) => {
                let Psl::Bool(b) = &**f else { unreachable!("it is") };
                self.satisfies(&Psl::Bool(Guard::Not(Box::new(b.clone()))))
            }
            Psl::Not(f) => !self.complement().satisfies(f),
            Psl::And(fs) => fs.iter().all(|f| self.satisfies(f)),
            Psl::Or(fs) => fs.iter().any(|f| self.satisfies(f)),
            Psl::Implies(f, g) => self.satisfies(&Psl::Or(vec![not(f), (**g).clone()])),
            Psl::Iff(f, g) => {
                let both = Psl::And(vec![(**f).clone(), (**g).clone()]);
                self.satisfies(&Psl::Or(vec![both, Psl::And(vec![not(f), not(g)])]))
            }
            Psl::Unary(PslUnary::StrongNext, f) => self.len() > 1 && self.suffix(1).satisfies(f),
            Psl::Unary(PslUnary::Next, f) => self.satisfies(&not(&Psl::Unary(PslUnary::StrongNext, Box::new(not(f))))),
            Psl::Unary(PslUnary::Finally, f) => self.satisfies(&until(true, boolean(true), (**f).clone())),
            Psl::Unary(PslUnary::Globally, f) => self.satisfies(&not(&Psl::Unary(PslUnary::Finally, Box::new(not(f))))),
            Psl::NextTimes { strong, count, formula } => {
                let op = if *strong { PslUnary::StrongNext } else { PslUnary::Next };
                let nested = (0..*count).fold((**formula).clone(), |f, _| Psl::Unary(op, Box::new(f)));
                self.satisfies(&nested)
            }
            Psl::Binary(PslBinary::Until { strong: true, inclusive: false }, f, g) => {
                (0..self.len()).any(|k| self.suffix(k).satisfies(g) && (0..k).all(|j| self.suffix(j).satisfies(f)))
            }
            Psl::Binary(PslBinary::Until { strong: false, inclusive: false }, f, g) => self.satisfies(&Psl::Or(vec![
                until(true, (**f).clone(), (**g).clone()),
                Psl::Unary(PslUnary::Globally, f.clone()),
            ])),
            Psl::Binary(PslBinary::Until { strong, inclusive: true }, f, g) => {
                let both = Psl::And(vec![(**f).clone(), (**g).clone()]);
                self.satisfies(&until(*strong, (**f).clone(), both))
            }
            Psl::Binary(PslBinary::Before { strong, inclusive }, f, g) => {
                let goal = if *inclusive { (**f).clone() } else { Psl::And(vec![(**f).clone(), not(g)]) };
                self.satisfies(&until(*strong, not(g), goal))
            }
            Psl::Never(r) => {
                let f = Psl::Suffix(Suffix::Overlapping, after_any(r), Box::new(boolean(false)));
                self.satisfies(&f)
            }
            Psl::Eventually(r) => self.satisfies(&Psl::Sere { sere: after_any(r), strong: true }),
            Psl::Suffix(Suffix::Some, r, f) => {
                (0..self.len()).any(|j| tight(&self.prefix(j + 1), r) && self.suffix(j).satisfies(f))
            }
            Psl::Suffix(Suffix::Overlapping, r, f) => {
                self.satisfies(&not(&Psl::Suffix(Suffix::Some, r.clone(), Box::new(not(f)))))
            }
            Psl::Suffix(Suffix::After, r, f) => {
                let longer = Sere::Chain(SereOp::Concat, vec![r.clone(), Sere::Bool(Guard::True)]);
                self.satisfies(&Psl::Suffix(Suffix::Overlapping, longer, f.clone()))
            }
            Psl::Abort(f, b) => {
                let aborted = |j| reads(self.at(j), b) && self.followed_by_tops(j).satisfies(f);
                self.satisfies(f) || (0..self.len()).any(aborted)
            }
        }
    }
}

fn reads(letter: Letter, b: &Guard<AtomId>) -> bool {
    match letter {
        Letter::Top => true,
        Letter::Bottom => false,
        Letter::Plain(bits) => b.holds(&|a| bits >> a.0 & 1 == 1),
    }
}

/// Whether the whole word matches.
fn tight(v: &[Letter], r: &Sere<AtomId>) -> bool {
    let any = || Sere::Repeat(Box::new(Sere::Bool(Guard::True)), Times::ANY);
    let chain = |op, parts: &[Sere<AtomId>]| Sere::Chain(op, parts.to_vec());
    match r {
        Sere::Bool(b) => v.len() == 1 && reads(v[0], b),
        Sere::Chain(op, parts) if parts.len() > 2 => {
            let (last, first) = parts.split_last().expect("more than two");
            tight(v, &chain(*op, &[chain(*op, first), last.clone()]))
        }
        Sere::Chain(op, parts) => {
            let (r, s) = (&parts[0], &parts[1]);
            match op {
                SereOp::Concat => (0..=v.len()).any(|k| tight(&v[..k], r) && tight(&v[k..], s)),
                SereOp::Fusion => (0..v.len()).any(|k| tight(&v[..=k], r) && tight(&v[k..], s)),
                SereOp::Or => tight(v, r) || tight(v, s),
                SereOp::Intersect => tight(v, r) && tight(v, s),
                SereOp::And => {
                    let longer = |r: &Sere<AtomId>| chain(SereOp::Concat, &[r.clone(), any()]);
                    tight(v, &chain(SereOp::Intersect, &[r.clone(), longer(s)]))
                        || tight(v, &chain(SereOp::Intersect, &[longer(r), s.clone()]))
                }
                SereOp::Within => {
                    let inside = chain(SereOp::Concat, &[any(), r.clone(), any()]);
                    tight(v, &chain(SereOp::Intersect, &[inside, s.clone()]))
                }
            }
        }
        Sere::Repeat(r, times) => {
            let fewer = Times { min: times.min.saturating_sub(1), max: times.max.map(|max| max.saturating_sub(1)) };
            let more = times.max != Some(0);
            let rest = Sere::Repeat(r.clone(), fewer);
            // An empty match first only helps to reach the number.
            times.min == 0 && v.is_empty()
                || more && times.min > 0 && tight(&[], r) && tight(v, &rest)
                || more && (1..=v.len()).any(|k| tight(&v[..k], r) && tight(&v[k..], &rest))
        }
        Sere::Goto(b, times) => {
            let others = Sere::Repeat(Box::new(Sere::Bool(Guard::Not(Box::new(b.clone())))), Times::ANY);
            let one = chain(SereOp::Concat, &[others, Sere::Bool(b.clone())]);
            tight(v, &Sere::Repeat(Box::new(one), *times))
        }
        Sere::Occur(b, times) => {
            let others = Sere::Repeat(Box::new(Sere::Bool(Guard::Not(Box::new(b.clone())))), Times::ANY);
            let some = Times { min: times.min.max(1), ..*times };
            times.min == 0 && tight(v, &others)
                || times.max != Some(0) && tight(v, &chain(SereOp::Concat, &[Sere::Goto(b.clone(), some), others]))
        }
    }
}

/// Draws numbers, the same for each seed (Marsaglia's xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn guard(&mut self) -> Guard<AtomId> {
        let atom = Guard::Atom(AtomId(self.roll(2) as u32));
        match self.roll(6) {
            0 => Guard::True,
            1 => Guard::False,
            2 => Guard::Not(Box::new(atom)),
            _ => atom,
        }
    }

    fn times(&mut self, least: u32) -> Times {
        let min = least + self.roll(2) as u32;
        Times { min, max: (self.roll(2) == 0).then(|| min + self.roll(2) as u32) }
    }

    fn sere(&mut self, depth: u64) -> Sere<AtomId> {
        const OPS: [SereOp; 6] =
            [SereOp::Concat, SereOp::Fusion, SereOp::Or, SereOp::And, SereOp::Intersect, SereOp::Within];
        match if depth == 0 { 9 } else { self.roll(10) } {
            0..6 => Sere::Chain(OPS[self.roll(6) as usize], vec![self.sere(depth - 1), self.sere(depth - 1)]),
            6 => Sere::Repeat(Box::new(self.sere(depth - 1)), self.times(0)),
            7 => Sere::Goto(self.guard(), self.times(1)),
            8 => Sere::Occur(self.guard(), self.times(0)),
            _ => Sere::Bool(self.guard()),
        }
    }

    fn formula(&mut self, depth: u64) -> Psl<AtomId> {
        let (strong, inclusive) = (self.roll(2) == 0, self.roll(2) == 0);
        if depth == 0 {
            return if self.roll(3) == 0 { Psl::Bool(self.guard()) } else { Psl::Sere { sere: self.sere(2), strong } };
        }
        let mut sub = || Box::new(self.formula(depth - 1));
        let (f, g) = (sub(), sub());
        match self.roll(15) {
            0 => Psl::Not(f),
            1 => Psl::And(vec![*f, *g]),
            2 => Psl::Or(vec![*f, *g]),
            3 => Psl::Implies(f, g),
            4 => Psl::Iff(f, g),
            5 => Psl::Unary(if strong { PslUnary::StrongNext } else { PslUnary::Next }, f),
            6 => Psl::Unary(if strong { PslUnary::Globally } else { PslUnary::Finally }, f),
            7 => Psl::NextTimes { strong, count: self.roll(3) as u32, formula: f },
            8 => Psl::Binary(PslBinary::Until { strong, inclusive }, f, g),
            9 => Psl::Binary(PslBinary::Before { strong, inclusive }, f, g),
            10 if strong => Psl::Never(self.sere(2)),
            10 => Psl::Eventually(self.sere(2)),
            11 | 12 => Psl::Abort(f, self.guard()),
            _ => {
                Psl::Suffix([Suffix::Overlapping, Suffix::After, Suffix::Some][self.roll(3) as usize], self.sere(2), f)
            }
        }
    }
}

#[test]
fn rows_agree_with_the_definition_letter_by_letter() {
    for seed in 1..3_000_u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let depth = dice.roll(3);
        let f = dice.formula(depth);
        let letters: Vec<u8> = (0..dice.roll(4)).map(|_| dice.roll(4) as u8).collect();
        let rows = (0..2).map(|a| letters.iter().map(|l| l >> a & 1 == 1).collect()).collect();
        let word = Word::from_rows(rows, letters.len());
        let naive = Naive { letters: letters.iter().map(|&l| Letter::Plain(l)).collect(), forever: None };
        assert_eq!(psl_holds(&f, &word), naive.satisfies(&f), "seed {seed}: {f:?} on {letters:?}");
    }
}

/// A match ends at a letter if the word up to it satisfies `{[*];r}!` only with it: by the definition, a tight match from some position.
#[test]
fn matches_end_where_the_definition_says() {
    for seed in 1..4_000_u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let depth = dice.roll(3);
        let sere = dice.sere(depth);
        let letters: Vec<u8> = (0..dice.roll(5)).map(|_| dice.roll(4) as u8).collect();
        let rows = (0..2).map(|a| letters.iter().map(|l| l >> a & 1 == 1).collect()).collect();
        let word = Word::from_rows(rows, letters.len());
        let found = sere_ends(&sere, &word, &Budget::unlimited()).unwrap();
        let expected: Vec<bool> = (1..=letters.len())
            .map(|end| {
                (0..=end).any(|start| {
                    let part: Vec<Letter> = letters[start..end].iter().map(|&l| Letter::Plain(l)).collect();
                    tight(&part, &sere)
                })
            })
            .collect();
        assert_eq!(found, expected, "seed {seed}: {sere:?} on {letters:?}");
    }
}

#[test]
fn long_words_take_little() {
    let n = 100_000;
    let rows = (0..3).map(|atom| (0..n).map(|i| i % 3 == atom).collect()).collect();
    let word = Word::from_rows(rows, n);
    let budget = Budget::with_memory(200_000_000);
    for text in
        ["always {a;b[*]} |=> c", "always {a; !c[*]; c} |=> {a;b}", "never {a;c}", "always {a;b;c}[*] |-> {c;a;b}"]
    {
        assert_eq!(psl_decide(&formula(text), &word, &budget), Ok(text != "always {a;b[*]} |=> c"), "{text}");
    }
}

/// Counts are ways along the word, not rows for each repetition.
#[test]
fn large_counts_take_little() {
    let n = 200_000;
    let rows = (0..3).map(|atom| (0..n).map(|i| i % 3 == atom).collect()).collect();
    let word = Word::from_rows(rows, n);
    let budget = Budget::with_memory(200_000_000);
    for (text, holds) in [
        ("{[*200000]}!", true),
        ("{[*200001]}!", false),
        ("{[*4294967295]}!", false),
        ("{[*4294967295]}", true),
        ("never {a; b[->60000]; c}", false),
        ("never {a; b[->60000]; a}", true),
        ("never {a; b[->1000000]; c}", true),
        ("always {a} |=> {c[->50000:60000]; a}", true),
        ("{c[=66666]; b}!", true),
        ("{c[=66667]; b}!", false),
        ("{{a;b;c}[*66666]}!", true),
        ("{{a;b;c}[*66667]}!", false),
        ("{a[->66667]:a}!", true),
        ("{a[->66667]:b}!", false),
        ("next[150000] a", true),
        ("always {a;b[->30000]}[*2] |=> c", true),
    ] {
        assert_eq!(psl_decide(&formula(text), &word, &budget), Ok(holds), "{text}");
    }
}

#[test]
fn memory_is_announced() {
    let n = 3_000;
    let word = Word::from_rows(vec![vec![true; n]; 3], n);
    let f = formula("always {{a[*];b} && {b[*];c}} |=> c");
    assert!(psl_decide(&f, &word, &Budget::with_memory(1_000_000)).is_err());
}
