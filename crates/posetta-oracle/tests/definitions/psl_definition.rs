//! The definition of PSL, and of LTL on infinite words, against what is known about them: words that tell, equal formulas, and
//! different ways to write a word.

use fastrand::Rng;
use posetta_logic::{
    Guard, Ltl, LtlBinary, LtlUnary, Psl, PslBinary, PslUnary, Sere, SereOp, Suffix, Times, parse_ltl,
};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::ltl;
use posetta_oracle::psl::{Letter, Meaning, Word};
use posetta_oracle::random::{psl, sere};

const A: u32 = 0;
const B: u32 = 1;
const C: u32 = 2;

fn is(atom: u32) -> Sere<u32> {
    Sere::Bool(Guard::Atom(atom))
}

fn chain(op: SereOp, parts: impl Into<Vec<Sere<u32>>>) -> Sere<u32> {
    Sere::Chain(op, parts.into())
}

fn repeat(r: Sere<u32>, times: Times) -> Sere<u32> {
    Sere::Repeat(Box::new(r), times)
}

fn strong(sere: Sere<u32>) -> Psl<u32> {
    Psl::Sere { sere, strong: true }
}

fn weak(sere: Sere<u32>) -> Psl<u32> {
    Psl::Sere { sere, strong: false }
}

fn abort(f: Psl<u32>, b: u32) -> Psl<u32> {
    Psl::Abort(Box::new(f), Guard::Atom(b))
}

fn unary(op: PslUnary, f: Psl<u32>) -> Psl<u32> {
    Psl::Unary(op, Box::new(f))
}

fn binary(op: PslBinary, f: Psl<u32>, g: Psl<u32>) -> Psl<u32> {
    Psl::Binary(op, Box::new(f), Box::new(g))
}

fn not(f: Psl<u32>) -> Psl<u32> {
    Psl::Not(Box::new(f))
}

fn meaning(formula: &Psl<u32>) -> Meaning {
    Meaning::of(formula, &mut |&atom| atom)
}

/// The letters of a text such as `a ab - b`: the atoms that hold at each position.
fn letters(text: &str) -> Vec<Letter> {
    let letter = |word: &str| Letter::new(&["a", "b", "c"].map(|atom| word.contains(atom)));
    text.split_whitespace().map(letter).collect()
}

#[test]
fn words_that_tell() {
    use SereOp::{Concat, Fusion, Intersect};
    let no = || Sere::Bool(Guard::False);
    let none = || repeat(Sere::Bool(Guard::True), Times::exactly(0));
    let any_a = || repeat(is(A), Times::ANY);
    let impossible = || chain(Intersect, [chain(Concat, [is(A), is(B)]), is(A)]);
    let loops = repeat(chain(Concat, [any_a(), is(B)]), Times::ANY);
    let next = |f| unary(PslUnary::StrongNext, f);
    for (formula, text, expected) in [
        (strong(chain(Fusion, [is(A), none()])), "a", false),
        (strong(chain(Intersect, [any_a(), is(B)])), "b", false),
        (strong(chain(Intersect, [any_a(), is(B)])), "ab", true),
        (strong(chain(Concat, [loops, is(C)])), "a c", false),
        (abort(strong(impossible()), C), "c", false),
        (abort(next(strong(impossible())), C), "c", false),
        (abort(strong(chain(Concat, [is(A), no()])), B), "a b", true),
        (weak(chain(Concat, [is(A), no()])), "a", true),
        (weak(chain(Concat, [is(A), no()])), "a a", false),
        (abort(next(strong(is(A))), C), "c", true),
        (strong(none()), "a", false),
        (Psl::Suffix(Suffix::Overlapping, chain(Concat, [is(A), is(B)]), Box::new(weak(is(C)))), "a bc", true),
        (Psl::Suffix(Suffix::Overlapping, chain(Concat, [is(A), is(B)]), Box::new(weak(is(C)))), "a b", false),
        (Psl::Suffix(Suffix::After, chain(Concat, [is(A), is(B)]), Box::new(weak(is(C)))), "a b", true),
        (Psl::Suffix(Suffix::Some, chain(Concat, [is(A), is(B)]), Box::new(weak(is(C)))), "a b", false),
        (Psl::Never(chain(Concat, [is(A), is(B)])), "b a - b", true),
        (Psl::Never(chain(Concat, [is(A), is(B)])), "b a b", false),
        (Psl::Eventually(chain(Concat, [is(A), is(B)])), "b a b", true),
        (strong(Sere::Goto(Guard::Atom(B), Times::exactly(2))), "a b a", false),
        (strong(chain(Concat, [Sere::Goto(Guard::Atom(B), Times::exactly(2)), is(C)])), "a b a b c", true),
        (strong(chain(Concat, [Sere::Goto(Guard::Atom(B), Times::exactly(2)), is(C)])), "a b a b a c", false),
        (strong(chain(Concat, [Sere::Occur(Guard::Atom(B), Times::exactly(2)), is(C)])), "a b a b a c", true),
        (strong(chain(Concat, [Sere::Occur(Guard::Atom(B), Times::exactly(0)), is(C)])), "c", true),
        (
            strong(chain(SereOp::Within, [is(B), chain(Concat, [is(A), repeat(is(A), Times::ANY), is(C)])])),
            "a ab c",
            true,
        ),
        (strong(chain(SereOp::And, [is(B), chain(Concat, [is(A), is(C)])])), "a c", false),
        (strong(chain(SereOp::And, [is(B), chain(Concat, [is(A), is(C)])])), "ab c", true),
    ] {
        let word = Word::finite(letters(text));
        assert_eq!(meaning(&formula).holds(&word), expected, "{formula:?} on {text}");
    }
}

#[test]
fn infinite_words_that_tell() {
    use SereOp::Concat;
    let fives = || repeat(repeat(Sere::Bool(Guard::True), Times::exactly(5)), Times::ANY);
    let any_a = || repeat(is(A), Times::ANY);
    let three = || repeat(is(A), Times::exactly(3));
    let a = || Psl::Bool(Guard::Atom(A));
    for (formula, stem, round, expected) in [
        // A multiple of five letters, then b: the third is 15.
        (strong(chain(Concat, [fives(), is(B)])), "", "- - - b", true),
        (strong(chain(Concat, [fives(), is(B)])), "", "- b - - -", false),
        (strong(chain(Concat, [any_a(), is(B)])), "", "a", false),
        (weak(chain(Concat, [any_a(), is(B)])), "", "a", true),
        (weak(chain(Concat, [any_a(), is(B)])), "a a", "-", false),
        (weak(chain(Concat, [three(), Sere::Bool(Guard::False)])), "a", "a", false),
        (weak(chain(Concat, [three(), Sere::Bool(Guard::False)])), "a a", "-", false),
        (
            Psl::Suffix(Suffix::Some, chain(Concat, [any_a(), is(B)]), Box::new(unary(PslUnary::Globally, a()))),
            "a ab",
            "a",
            true,
        ),
        (
            Psl::Suffix(Suffix::Some, chain(Concat, [any_a(), is(B)]), Box::new(unary(PslUnary::Globally, a()))),
            "a",
            "ab -",
            false,
        ),
        (abort(unary(PslUnary::Globally, a()), B), "a a", "b -", true),
        (abort(unary(PslUnary::Globally, a()), B), "a -", "b -", false),
        (abort(unary(PslUnary::Finally, a()), B), "-", "b", true),
        (abort(unary(PslUnary::Finally, a()), B), "-", "-", false),
        (Psl::Never(chain(Concat, [is(A), is(B)])), "", "a - b", true),
        (Psl::Never(chain(Concat, [is(A), is(B)])), "", "b a", false),
        (Psl::NextTimes { strong: true, count: 7, formula: Box::new(a()) }, "", "- a", true),
    ] {
        let word = Word { stem: letters(stem), round: letters(round) };
        assert_eq!(meaning(&formula).holds(&word), expected, "{formula:?} on {stem} ({round})");
    }
}

/// "On the empty word booleans, weak r, X, G, |-> are true; r!, X!, F, U are false." "`!b` on a boolean is a boolean."
#[test]
fn the_empty_word() {
    let a = || Psl::Bool(Guard::Atom(A));
    let until = PslBinary::Until { strong: true, inclusive: false };
    for (formula, expected) in [
        (a(), true),
        (not(a()), true),
        (not(not(a())), true),
        (not(weak(is(A))), false),
        (weak(is(A)), true),
        (strong(is(A)), false),
        (not(strong(is(A))), true),
        (unary(PslUnary::Next, a()), true),
        (unary(PslUnary::StrongNext, a()), false),
        (unary(PslUnary::Globally, a()), true),
        (unary(PslUnary::Finally, a()), false),
        (binary(until, a(), a()), false),
        (Psl::Suffix(Suffix::Overlapping, is(A), Box::new(a())), true),
        (Psl::Suffix(Suffix::Some, is(A), Box::new(a())), false),
        (Psl::Or(vec![a(), strong(is(A))]), true),
        (Psl::Implies(Box::new(a()), Box::new(strong(is(A)))), true),
        (Psl::Implies(Box::new(weak(is(A))), Box::new(strong(is(A)))), false),
        (abort(a(), B), true),
        (abort(strong(is(A)), B), false),
        (Psl::Never(is(A)), true),
        (Psl::Eventually(is(A)), false),
    ] {
        assert_eq!(meaning(&formula).holds(&Word::finite(Vec::new())), expected, "{formula:?}");
    }
}

fn some_letters(rng: &mut Rng, count: usize, special: bool) -> Vec<Letter> {
    let letter = |rng: &mut Rng| match rng.u8(..10) {
        0 if special => Letter::Top,
        1 if special => Letter::Bottom,
        _ => Letter::Truth(rng.u64(..4)),
    };
    (0..count).map(|_| letter(rng)).collect()
}

/// A word, mostly an infinite one.
fn some_word(rng: &mut Rng, special: bool) -> Word {
    let (stem, round) = (rng.usize(..5), rng.usize(..4));
    Word { stem: some_letters(rng, stem, special), round: some_letters(rng, round, special) }
}

/// A formula whose SEREs are small enough for infinite words.
fn some_formula(rng: &mut Rng) -> Psl<u32> {
    loop {
        let size = rng.usize(..7);
        let formula = psl(rng, &[A, B], size);
        if meaning(&formula).states() <= 14 {
            return formula;
        }
    }
}

#[test]
fn a_word_can_be_written_in_many_ways() {
    let mut shares = Shares::default();
    for_seeds(1_500, |rng, seed| {
        let formula = some_formula(rng);
        let word = some_word(rng, true);
        if word.round.is_empty() {
            return;
        }
        let meaning = meaning(&formula);
        let holds = meaning.holds(&word);
        shares.add(if holds { "holds" } else { "violated" });
        let later = Word { stem: [&word.stem[..], &word.round].concat(), round: word.round.clone() };
        let twice = Word { stem: word.stem.clone(), round: [&word.round[..], &word.round].concat() };
        let mut turned = Word { stem: [&word.stem[..], &word.round[..1]].concat(), round: word.round.clone() };
        turned.round.rotate_left(1);
        for other in [later, twice, turned] {
            assert_eq!(meaning.holds(&other), holds, "seed {seed}: {formula:?} on {word:?} and on {other:?}");
        }
    });
    shares.at_least_a_fifth("infinite words", &["holds", "violated"]);
}

/// ⊤ satisfies whatever another letter does, ⊥ nothing that another does not; so putting them in changes answers one way only.
#[test]
fn top_satisfies_more_and_bottom_less() {
    for_seeds(1_500, |rng, seed| {
        let formula = some_formula(rng);
        let word = some_word(rng, true);
        let count = word.stem.len() + word.round.len();
        if count == 0 {
            return;
        }
        let place = rng.usize(..count);
        let with = |letter| {
            let mut other = word.clone();
            match place.checked_sub(word.stem.len()) {
                None => other.stem[place] = letter,
                Some(place) => other.round[place] = letter,
            }
            meaning(&formula).holds(&other)
        };
        let holds = meaning(&formula).holds(&word);
        let about = format!("seed {seed}: {formula:?} on {word:?}, {place}");
        assert!(!holds || with(Letter::Top), "{about}");
        assert!(holds || !with(Letter::Bottom), "{about}");
    });
}

#[test]
fn equal_formulas() {
    use SereOp::{Concat, Fusion, Intersect, Or};
    let yes = || Psl::Bool(Guard::True);
    let one = || Sere::Bool(Guard::True);
    let prefix = |r, f| Psl::Suffix(Suffix::Some, r, Box::new(f));
    let each = |r, f| Psl::Suffix(Suffix::Overlapping, r, Box::new(f));
    let until = |f, g| binary(PslBinary::Until { strong: true, inclusive: false }, f, g);
    for_seeds(1_500, |rng, seed| {
        let (f, g) = (some_formula(rng), some_formula(rng));
        let (f, g) = (|| f.clone(), || g.clone());
        let size = rng.usize(..3);
        let r = sere(rng, &[A, B], size);
        let s = sere(rng, &[A, B], size);
        let (r, s) = (|| r.clone(), || s.clone());
        let word = some_word(rng, true);
        let ordinary = some_word(rng, false);
        let pairs = [
            (strong(r()), prefix(r(), yes()), false),
            (not(each(r(), f())), prefix(r(), not(f())), false),
            (strong(chain(Or, [r(), s()])), Psl::Or(vec![strong(r()), strong(s())]), false),
            (prefix(chain(Fusion, [r(), s()]), f()), prefix(r(), prefix(s(), f())), false),
            (
                prefix(chain(Concat, [one(), r(), one()]), f()),
                prefix(chain(Concat, [one(), r()]), unary(PslUnary::StrongNext, f())),
                true,
            ),
            (strong(chain(Intersect, [r(), r()])), strong(r()), false),
            (
                until(f(), g()),
                Psl::Or(vec![g(), Psl::And(vec![f(), unary(PslUnary::StrongNext, until(f(), g()))])]),
                true,
            ),
            (abort(abort(f(), A), A), abort(f(), A), false),
            (abort(abort(f(), A), B), abort(abort(f(), B), A), true),
        ];
        for (i, (left, right, needs_ordinary)) in pairs.into_iter().enumerate() {
            let word = if needs_ordinary { &ordinary } else { &word };
            // Where a formula is put into another, the empty word is another matter.
            if word.stem.is_empty() && word.round.is_empty() {
                continue;
            }
            if meaning(&left).states().max(meaning(&right).states()) * (word.round.len() + 1) > 110 {
                continue;
            }
            assert_eq!(
                meaning(&left).holds(word),
                meaning(&right).holds(word),
                "seed {seed}, pair {i}: {left:?} and {right:?} on {word:?}"
            );
        }
    });
}

/// An LTL formula without past, as PSL; `None` if it has any.
fn as_psl(formula: &Ltl<u32>) -> Option<Psl<u32>> {
    let all = |fs: &[Ltl<u32>]| fs.iter().map(as_psl).collect::<Option<Vec<_>>>();
    let until = |strong| PslBinary::Until { strong, inclusive: false };
    Some(match formula {
        Ltl::True => Psl::Bool(Guard::True),
        Ltl::False => Psl::Bool(Guard::False),
        Ltl::Atom(a) => Psl::Bool(Guard::Atom(*a)),
        Ltl::Not(f) => not(as_psl(f)?),
        Ltl::And(fs) => Psl::And(all(fs)?),
        Ltl::Or(fs) => Psl::Or(all(fs)?),
        Ltl::Implies(f, g) => Psl::Implies(Box::new(as_psl(f)?), Box::new(as_psl(g)?)),
        Ltl::Iff(f, g) => Psl::Iff(Box::new(as_psl(f)?), Box::new(as_psl(g)?)),
        Ltl::Unary(op, f) => {
            let op = match op {
                LtlUnary::Next => PslUnary::StrongNext,
                LtlUnary::WeakNext => PslUnary::Next,
                LtlUnary::Finally => PslUnary::Finally,
                LtlUnary::Globally => PslUnary::Globally,
                _ => return None,
            };
            unary(op, as_psl(f)?)
        }
        Ltl::Binary(op, f, g) => {
            let (f, g) = (as_psl(f)?, as_psl(g)?);
            match op {
                LtlBinary::Until => binary(until(true), f, g),
                LtlBinary::WeakUntil => binary(until(false), f, g),
                LtlBinary::Release => not(binary(until(true), not(f), not(g))),
                LtlBinary::StrongRelease => binary(until(true), g.clone(), Psl::And(vec![f, g])),
                LtlBinary::Since => return None,
            }
        }
    })
}

fn some_ltl(rng: &mut Rng, size: usize, past: bool) -> Ltl<u32> {
    use LtlBinary::{Release, Since, StrongRelease, Until, WeakUntil};
    use LtlUnary::{Finally, Globally, Historically, Next, Once, WeakNext, Yesterday};
    if size == 0 {
        return Ltl::Atom(rng.u32(..2));
    }
    let unary_ops = [Next, WeakNext, Finally, Globally, Yesterday, Once, Historically];
    let binary_ops = [Until, WeakUntil, Release, StrongRelease, Since];
    if rng.bool() {
        let op = unary_ops[rng.usize(..if past { 7 } else { 4 })];
        return Ltl::Unary(op, Box::new(some_ltl(rng, size - 1, past)));
    }
    let left = rng.usize(..size);
    let (f, g) = (Box::new(some_ltl(rng, left, past)), Box::new(some_ltl(rng, size - 1 - left, past)));
    match rng.u8(..9) {
        0 => Ltl::Not(f),
        1 => Ltl::And(vec![*f, *g]),
        2 => Ltl::Or(vec![*f, *g]),
        3 => Ltl::Iff(f, g),
        _ => Ltl::Binary(binary_ops[rng.usize(..if past { 5 } else { 4 })], f, g),
    }
}

fn ltl_holds(formula: &Ltl<u32>, word: &Word) -> bool {
    let all = [&word.stem[..], &word.round].concat();
    let atom = |a: &u32, i: usize| matches!(all[i], Letter::Truth(bits) if bits >> a & 1 == 1);
    match word.round.len() {
        0 => ltl::on_word(formula, all.len(), &atom),
        round => ltl::on_lasso(formula, word.stem.len(), round, &atom),
    }
}

#[test]
fn ltl_without_past_is_psl() {
    let mut shares = Shares::default();
    for_seeds(2_000, |rng, seed| {
        let size = rng.usize(..7);
        let formula = some_ltl(rng, size, false);
        let as_psl = as_psl(&formula).expect("no past");
        let word = some_word(rng, false);
        if word.stem.is_empty() && word.round.is_empty() {
            return;
        }
        let holds = ltl_holds(&formula, &word);
        assert_eq!(meaning(&as_psl).holds(&word), holds, "seed {seed}: {formula:?} on {word:?}");
        shares.add(match (word.round.is_empty(), holds) {
            (true, true) => "finite, holds",
            (true, false) => "finite, violated",
            (false, true) => "infinite, holds",
            (false, false) => "infinite, violated",
        });
    });
    shares.at_least(0.05, "LTL", &["finite, holds", "finite, violated", "infinite, holds", "infinite, violated"]);
}

#[test]
fn ltl_with_past_does_not_care_how_a_word_is_written() {
    for_seeds(2_000, |rng, seed| {
        let size = rng.usize(..7);
        let formula = some_ltl(rng, size, true);
        let word = some_word(rng, false);
        if word.round.is_empty() {
            return;
        }
        let holds = ltl_holds(&formula, &word);
        let later = Word { stem: word.stem.clone(), round: word.round.repeat(3) };
        let later = Word { stem: [&word.stem[..], &word.round, &word.round].concat(), round: later.round };
        assert_eq!(ltl_holds(&formula, &later), holds, "seed {seed}: {formula:?} on {word:?}");
    });
}

/// Past operators on infinite words, by hand.
#[test]
fn past_on_infinite_words() {
    for (text, stem, round, expected) in [
        ("G F Y a", "", "a -", true),
        ("F G (Y a || a)", "", "a -", true),
        ("F G Y a", "", "a -", false),
        ("G (b -> O a)", "", "b a", false),
        ("X G (b -> O a)", "", "b a", true),
        ("F G (a S b)", "b", "a", true),
        ("F G (a S b)", "-", "a", false),
        ("G F (Y Y Y Y a)", "a", "-", false),
        ("F (Y Y Y Y a)", "a", "-", true),
        ("G F H a", "", "a -", false),
        ("F H (a || b)", "a b", "-", true),
        ("G F (Y Y Y b && Y Y b)", "", "a b", false),
        ("G F (Y Y Y b && Y Y a)", "", "b a", true),
        ("X true", "", "a", true),
        ("G X a", "", "a", true),
        ("G WX a", "b", "a", true),
    ] {
        let formula = parse_ltl(text).unwrap();
        let mut names: Vec<String> = vec!["a".to_owned(), "b".to_owned()];
        let formula = formula.map_atoms(&mut |atom| {
            let name = atom.to_string();
            names.iter().position(|n| *n == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            }) as u32
        });
        assert_eq!(names.len(), 2, "{text}");
        let word = Word { stem: letters(stem), round: letters(round) };
        assert_eq!(ltl_holds(&formula, &word), expected, "{text} on {stem}({round})");
    }
}
