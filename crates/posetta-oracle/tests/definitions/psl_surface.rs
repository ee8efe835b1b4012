//! What IEEE 1850 and SystemVerilog write beside the operators of the definition, against what they say it stands for.
//!
//! A random formula is written down three times (as Posetta, as VHDL, as Verilog with SystemVerilog's words) beside a tree made by the standard's own
//! rewriting: `next_a[i:j] f` is `next[i] f && … && next[j] f`, `next_event(b) f` is `!b until (b && f)`, and so on from there. All four must
//! agree on every short word and on words that go round, and what is printed must read as the same tree.

use fastrand::Rng;
use posetta_base::Budget;
use posetta_logic::eval::{Word as Rows, psl_holds, psl_on_lasso};
use posetta_logic::{
    Atom, AtomId, Compare, Condition, Flavour, Formula, Guard, Property, Psl, PslBinary, PslUnary, Sere, SereOp,
    Suffix, Term, Times, View, Which, parse_psl,
};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::psl::{Letter, Meaning, Word};

/// The places of a and b, and of their values at the position before.
const PLACES: u32 = 4;

/// A formula or a part of one in the three surfaces, and what the standard says that it is.
#[derive(Clone, Debug)]
struct Written<T> {
    any: String,
    vhdl: String,
    verilog: String,
    means: T,
}

impl<T> Written<T> {
    fn new(any: impl Into<String>, vhdl: impl Into<String>, verilog: impl Into<String>, means: T) -> Self {
        Self { any: any.into(), vhdl: vhdl.into(), verilog: verilog.into(), means }
    }

    /// The same text around all three.
    fn with<U>(self, text: impl Fn(&str) -> String, means: impl FnOnce(T) -> U) -> Written<U> {
        Written { any: text(&self.any), vhdl: text(&self.vhdl), verilog: text(&self.verilog), means: means(self.means) }
    }

    fn join<S, U>(
        self,
        other: Written<S>,
        text: impl Fn(&str, &str) -> String,
        means: impl FnOnce(T, S) -> U,
    ) -> Written<U> {
        Written {
            any: text(&self.any, &other.any),
            vhdl: text(&self.vhdl, &other.vhdl),
            verilog: text(&self.verilog, &other.verilog),
            means: means(self.means, other.means),
        }
    }
}

type B = Guard<u32>;
type F = Psl<u32>;

fn no(b: B) -> B {
    Guard::Not(Box::new(b))
}

fn not(f: F) -> F {
    match f {
        Psl::Bool(b) => Psl::Bool(no(b)),
        f => Psl::Not(Box::new(f)),
    }
}

fn and(fs: Vec<F>) -> F {
    match fs.len() {
        1 => fs.into_iter().next().expect("there is one"),
        _ => Psl::And(fs),
    }
}

fn or(fs: Vec<F>) -> F {
    match fs.len() {
        1 => fs.into_iter().next().expect("there is one"),
        _ => Psl::Or(fs),
    }
}

fn until(strong: bool, f: F, g: F) -> F {
    Psl::Binary(PslBinary::Until { strong, inclusive: false }, Box::new(f), Box::new(g))
}

fn next(strong: bool, f: F) -> F {
    Psl::Unary(if strong { PslUnary::StrongNext } else { PslUnary::Next }, Box::new(f))
}

fn next_times(strong: bool, count: u32, f: &F) -> F {
    (0..count).fold(f.clone(), |f, _| next(strong, f))
}

/// `next_event(b)[k](f)`: "the k-th time b holds, f holds", by nesting `!b until (b && …)`.
fn next_event(strong: bool, b: &B, k: u32, f: &F) -> F {
    let inner = match k {
        1 => f.clone(),
        _ => next(strong, next_event(strong, b, k - 1, f)),
    };
    until(strong, Psl::Bool(no(b.clone())), Psl::And(vec![Psl::Bool(b.clone()), inner]))
}

struct Source<'a>(&'a mut Rng);

impl Source<'_> {
    fn atom(&mut self) -> Written<B> {
        let place = self.0.u32(..2);
        let name = ["a", "b"][place as usize];
        let means = Guard::Atom(place);
        match self.0.u8(..4) {
            0 => Written::new(
                format!("{name} = '1'"),
                format!("{} = '1'", name.to_uppercase()),
                format!("{name} == 1'b1"),
                means,
            ),
            1 => Written::new(format!("{name} /= '0'"), format!("{name} /= \"0\""), format!("{name} != 4'h0"), means),
            _ => Written::new(name, name, name, means),
        }
        .with(|t| if t.contains(' ') { format!("({t})") } else { t.to_owned() }, |m| m)
    }

    fn boolean(&mut self, size: u8) -> Written<B> {
        if size == 0 {
            return self.atom();
        }
        match self.0.u8(..13) {
            // Truth values are compared as HDLs compare them.
            12 => {
                let (b, c) = (self.boolean(size - 1), self.boolean(size - 1));
                let same = self.0.bool();
                let means = |b, c| {
                    let iff = Guard::Iff(Box::new(b), Box::new(no(c)));
                    if same { iff } else { no(iff) }
                };
                let signs = if same { ["==", "=", "==="] } else { ["!=", "/=", "!=="] };
                let text = |b: &str, c: &str, sign: &str, not: &str| format!("(({b}) {sign} ({not} {c}))");
                Written::new(
                    text(&b.any, &c.any, signs[0], "!"),
                    text(&b.vhdl, &c.vhdl, signs[1], "not"),
                    text(&b.verilog, &c.verilog, signs[2], "!"),
                    means(b.means, c.means),
                )
            }
            0 => {
                let b = self.boolean(size - 1);
                Written::new(
                    format!("not {}", b.any),
                    format!("NOT {}", b.vhdl),
                    format!("!{}", b.verilog),
                    no(b.means),
                )
                .with(|t| format!("({t})"), |m| m)
            }
            1..4 => {
                let (b, c) = (self.boolean(size - 1), self.atom());
                let words = [("and", "and", "&&"), ("or", "or", "||"), ("xor", "xor", "^")];
                let which = self.0.usize(..3);
                let (any, vhdl, verilog) = words[which];
                let means = match which {
                    0 => Guard::And(vec![b.means, c.means]),
                    1 => Guard::Or(vec![b.means, c.means]),
                    _ => no(Guard::Iff(Box::new(b.means), Box::new(c.means))),
                };
                Written::new(
                    format!("({} {any} {})", b.any, c.any),
                    format!("({} {vhdl} {})", b.vhdl, c.vhdl),
                    format!("({} {verilog} {})", b.verilog, c.verilog),
                    means,
                )
            }
            4 => {
                let (name, place) = [("a", 0), ("b", 1)][self.0.usize(..2)];
                let (now, old) = (Guard::Atom(place), Guard::Atom(place + 2));
                let (word, means) = match self.0.u8(..4) {
                    0 => ("rose", Guard::And(vec![now, no(old)])),
                    1 => ("fell", Guard::And(vec![no(now), old])),
                    2 => ("stable", Guard::Iff(Box::new(now), Box::new(old))),
                    _ => ("prev", old),
                };
                let sv = if word == "prev" { "past" } else { word };
                Written::new(
                    format!("{word}({name})"),
                    format!("{}({name})", word.to_uppercase()),
                    format!("${sv}({name})"),
                    means,
                )
            }
            5 => {
                let (b, c) = (self.atom(), self.atom());
                let exactly = self.0.bool();
                let word = if exactly { "onehot" } else { "onehot0" };
                let text = |b: &str, c: &str| format!("{word}({b}, {c})");
                let sv = format!("${}", text(&b.verilog, &c.verilog));
                let mut all = b.join(c, text, |b, c| {
                    let both = no(Guard::And(vec![b.clone(), c.clone()]));
                    if exactly { Guard::And(vec![Guard::Or(vec![b, c]), both]) } else { both }
                });
                all.verilog = sv;
                all
            }
            _ => self.atom(),
        }
    }

    /// A SERE in SystemVerilog's operators or in PSL's, in braces or parentheses.
    fn sere(&mut self, size: u8) -> Written<Sere<u32>> {
        if size == 0 {
            return self.boolean(1).with(str::to_owned, Sere::Bool);
        }
        let anything = |times| Sere::Repeat(Box::new(Sere::Bool(Guard::True)), times);
        match self.0.u8(..8) {
            // Delays, by SystemVerilog's own rules: `a ##n b` repeats `true` n - 1 times between them, and shares a letter for 0.
            0..3 => {
                let (min, more) = (self.0.u32(..3), self.0.u32(..3));
                let bounded = self.0.u8(..4) > 0;
                let (b, c) = (self.sere(size - 1), self.boolean(1));
                let delay = match (bounded, more) {
                    (true, 0) => format!("##{min}"),
                    (true, _) => format!("##[{min}:{}]", min + more),
                    _ => format!("##[{min}:$]"),
                };
                b.join(
                    c,
                    |b, c| format!("({b} {delay} {c})"),
                    |b, c| {
                        let c = Sere::Bool(c);
                        let one = |n: u32| match n {
                            0 => Sere::Chain(SereOp::Fusion, vec![b.clone(), c.clone()]),
                            _ => {
                                Sere::Chain(SereOp::Concat, vec![b.clone(), anything(Times::exactly(n - 1)), c.clone()])
                            }
                        };
                        let mut all: Vec<Sere<u32>> = (min..=min + if bounded { more } else { 0 }).map(one).collect();
                        if !bounded {
                            let rest = Sere::Chain(
                                SereOp::Concat,
                                vec![b.clone(), anything(Times { min, max: None }), c.clone()],
                            );
                            all.push(rest);
                        }
                        match all.len() {
                            1 => all.remove(0),
                            _ => Sere::Chain(SereOp::Or, all),
                        }
                    },
                )
            }
            3 => {
                let (b, r) = (self.boolean(1), self.sere(size - 1));
                b.join(
                    r,
                    |b, r| format!("({b} throughout ({r}))"),
                    |b, r| Sere::Chain(SereOp::Intersect, vec![Sere::Repeat(Box::new(Sere::Bool(b)), Times::ANY), r]),
                )
            }
            4 => {
                let (b, c) = (self.boolean(1), self.sere(size - 1));
                let (op, word) =
                    [(SereOp::And, "and"), (SereOp::Or, "or"), (SereOp::Intersect, "intersect")][self.0.usize(..3)];
                b.join(c, |b, c| format!("({{{b}}} {word} {{{c}}})"), |b, c| Sere::Chain(op, vec![Sere::Bool(b), c]))
            }
            5 => {
                let (b, min, more) = (self.boolean(1), self.0.u32(..2), self.0.u32(..2));
                let times = Times { min, max: Some(min + more) };
                let means = |b| Sere::Repeat(Box::new(Sere::Bool(b)), times);
                let (max, colon) = (min + more, format!("[*{min}:{}]", min + more));
                let mut all = b.with(
                    |b| format!("{{{b}{colon}; true}}"),
                    |b| Sere::Chain(SereOp::Concat, vec![means(b), Sere::Bool(Guard::True)]),
                );
                all.vhdl = all.vhdl.replace(&colon, &format!("[*{min} to {max}]"));
                all
            }
            _ => {
                let (b, c) = (self.boolean(1), self.sere(size - 1));
                b.join(c, |b, c| format!("{{{b}; {c}}}"), |b, c| Sere::Chain(SereOp::Concat, vec![Sere::Bool(b), c]))
            }
        }
    }

    fn formula(&mut self, size: u8) -> Written<F> {
        if size == 0 {
            return self.boolean(2).with(str::to_owned, Psl::Bool);
        }
        let strong = self.0.bool();
        let mark = if strong { "!" } else { "" };
        match self.0.u8(..21) {
            // SystemVerilog: `r #-# f` is `not (r |-> not f)`, `reject_on (b) f` is `not (accept_on (b) not f)`.
            18 => {
                let after = self.0.bool();
                let (r, f) = (self.sere(2), self.formula(size - 1));
                let sign = if after { "#=#" } else { "#-#" };
                let op = if after { Suffix::After } else { Suffix::Overlapping };
                r.join(f, |r, f| format!("({r} {sign} {f})"), |r, f| not(Psl::Suffix(op, r, Box::new(not(f)))))
            }
            19 => {
                let (b, f) = (self.boolean(1), self.formula(size - 1));
                let word = ["accept_on", "sync_accept_on", "reject_on", "sync_reject_on"][self.0.usize(..4)];
                b.join(
                    f,
                    |b, f| format!("({word} ({b}) ({f}))"),
                    |b, f| match word.ends_with("accept_on") {
                        true => Psl::Abort(Box::new(f), b),
                        false => not(Psl::Abort(Box::new(not(f)), b)),
                    },
                )
            }
            20 => {
                let (i, more, f) = (self.0.u32(..3), self.0.u32(..3), self.formula(size - 1));
                let (all, word) = match (self.0.u8(..3), strong) {
                    (0, false) => (true, "always"),
                    (0, true) => (true, "s_always"),
                    (1, false) => (false, "eventually"),
                    (1, true) => (false, "s_eventually"),
                    (_, false) => (true, "nexttime"),
                    (_, true) => (true, "s_nexttime"),
                };
                let (range, j) = match word.ends_with("nexttime") {
                    true => (format!("[{i}]"), i),
                    false => (format!("[{i}:{}]", i + more), i + more),
                };
                let means = |f: F| {
                    let each = (i..=j).map(|k| next_times(strong, k, &f)).collect();
                    if all { and(each) } else { or(each) }
                };
                f.with(|f| format!("({word} {range} ({f}))"), means)
            }
            0..3 => {
                let all = self.0.bool();
                let (i, more, f) = (self.0.u32(1..3), self.0.u32(..3), self.formula(size - 1));
                let (word, j) = (if all { "next_a" } else { "next_e" }, i + more);
                let means = |f: F| {
                    let each = (i..=j).map(|k| next_times(strong, k, &f)).collect();
                    if all { and(each) } else { or(each) }
                };
                f.with(|f| format!("({word}{mark}[{i}:{j}]({f}))"), means)
            }
            3..6 => {
                let (b, k, f) = (self.boolean(1), self.0.u32(1..4), self.formula(size - 1));
                let count = if k == 1 && self.0.bool() { String::new() } else { format!("[{k}]") };
                b.join(f, |b, f| format!("next_event{mark}({b}){count}({f})"), |b, f| next_event(strong, &b, k, &f))
            }
            6..8 => {
                let all = self.0.bool();
                let (b, k, more, f) = (self.boolean(1), self.0.u32(1..3), self.0.u32(..3), self.formula(size - 1));
                let word = if all { "next_event_a" } else { "next_event_e" };
                b.join(
                    f,
                    |b, f| format!("{word}{mark}({b})[{k}:{}]({f})", k + more),
                    |b, f| {
                        let each = (k..=k + more).map(|k| next_event(strong, &b, k, &f)).collect();
                        if all { and(each) } else { or(each) }
                    },
                )
            }
            8 => {
                let (r, f) = (self.sere(1), self.formula(size - 1));
                let text = |r: &str, f: &str| format!("({{{r}}}({f}))");
                r.join(f, text, |r, f| Psl::Suffix(Suffix::Overlapping, r, Box::new(f)))
            }
            9..11 => {
                let op = if self.0.bool() { Suffix::Overlapping } else { Suffix::After };
                let (r, f) = (self.sere(2), self.formula(size - 1));
                r.join(f, |r, f| format!("({r} {op} {f})"), |r, f| Psl::Suffix(op, r, Box::new(f)))
            }
            11 => {
                let (f, b) = (self.formula(size - 1), self.boolean(1));
                let word = ["sync_abort", "async_abort", "abort"][self.0.usize(..3)];
                let sv = format!("(disable iff ({}) {})", b.verilog, f.verilog);
                let mut all = f.join(b, |f, b| format!("({f} {word} {b})"), |f, b| Psl::Abort(Box::new(f), b));
                all.verilog = sv;
                all
            }
            12 => {
                let (f, g) = (self.formula(size - 1), self.formula(0));
                let (words, op) = [
                    (["until!", "s_until"], PslBinary::Until { strong: true, inclusive: false }),
                    (["until_", "until_with"], PslBinary::Until { strong: false, inclusive: true }),
                    (["until!_", "s_until_with"], PslBinary::Until { strong: true, inclusive: true }),
                ][self.0.usize(..3)];
                let word = words[self.0.usize(..2)];
                f.join(g, |f, g| format!("({f} {word} {g})"), |f, g| Psl::Binary(op, Box::new(f), Box::new(g)))
            }
            13 => {
                let f = self.formula(size - 1);
                let (words, op) = [
                    (["next!", "s_nexttime"], PslUnary::StrongNext),
                    (["next", "nexttime"], PslUnary::Next),
                    (["s_eventually", "s_eventually"], PslUnary::Finally),
                    (["always", "s_always"], PslUnary::Globally),
                ][self.0.usize(..4)];
                let word = words[self.0.usize(..2)];
                f.with(|f| format!("({word} ({f}))"), |f| Psl::Unary(op, Box::new(f)))
            }
            14 => {
                let (b, f, g) = (self.boolean(1), self.formula(size - 1), self.formula(0));
                let text = |b: &str, fg: &str| format!("(if ({b}) {fg})");
                let branches = f.join(g, |f, g| format!("{f} else {g}"), |f, g| (f, g));
                b.join(branches, text, |b, (f, g)| {
                    let yes = Psl::Or(vec![Psl::Bool(no(b.clone())), f]);
                    let otherwise = Psl::Or(vec![Psl::Bool(b), g]);
                    Psl::And(vec![yes, otherwise])
                })
            }
            15 => {
                let (f, g) = (self.formula(size - 1), self.formula(0));
                match self.0.u8(..4) {
                    0 => f.join(g, |f, g| format!("({f} and {g})"), |f, g| Psl::And(vec![f, g])),
                    1 => f.join(g, |f, g| format!("({f} or {g})"), |f, g| Psl::Or(vec![f, g])),
                    2 => f.join(g, |f, g| format!("({f} implies {g})"), |f, g| Psl::Or(vec![not(f), g])),
                    _ => f.with(|f| format!("(not {f})"), not),
                }
            }
            16 => {
                let f = self.formula(size - 1);
                let values = ["{0:2}", "{0, 1 to 2}"][self.0.usize(..2)];
                f.with(|f| format!("(forall i in {values}: {f})"), |f| f)
            }
            _ => {
                let r = self.sere(2);
                let (text, strong) = [("strong", true), ("weak", false)][self.0.usize(..2)];
                r.with(|r| format!("{text}({r})"), |sere| Psl::Sere { sere, strong })
            }
        }
    }
}

/// The place of an atom that was read, and whether it is true when that is false.
fn place(atom: &Atom) -> (u32, bool) {
    let of = |term: &Term| match term {
        Term::Var(var) => {
            let name = ["a", "b"].iter().position(|n| *n == var.name).expect("one of two");
            u32::try_from(name).expect("small") + if var.which == Which::Before { 2 } else { 0 }
        }
        other => panic!("not a variable: {other:?}"),
    };
    match atom {
        Atom::State(c) | Atom::Step(c) => match c {
            Condition::Nonzero(term) => (of(term), false),
            Condition::Compare(Compare::Eq, term, Term::Number(n)) => (of(term), n.is_zero()),
            Condition::Compare(Compare::Ne, term, Term::Number(n)) => (of(term), !n.is_zero()),
            other => panic!("another condition: {other:?}"),
        },
        other => panic!("another atom: {other:?}"),
    }
}

/// What was read, over the places. `stable(x)` compares two of them.
fn placed(formula: &Psl) -> Psl<u32> {
    formula.map_atoms(&mut |atom: &Atom| match atom {
        Atom::Step(Condition::Compare(Compare::Eq, Term::Var(now), Term::Var(old))) => {
            assert!(now.name == old.name && now.which == Which::Now && old.which == Which::Before);
            if now.name == "a" { PLACES } else { PLACES + 1 }
        }
        atom => {
            let (place, negated) = place(atom);
            if negated { PLACES + 2 + place } else { place }
        }
    })
}

/// A letter of two truths and those before, with what follows from them.
fn letter(now: [bool; 2], old: [bool; 2]) -> Vec<bool> {
    let four = [now[0], now[1], old[0], old[1]];
    let mut row = four.to_vec();
    row.extend([now[0] == old[0], now[1] == old[1]]);
    row.extend(four.map(|truth| !truth));
    row
}

/// The rows of a word over a and b; before the first letter is that letter.
fn rows(word: &[[bool; 2]]) -> Vec<Vec<bool>> {
    (0..word.len()).map(|i| letter(word[i], word[i.saturating_sub(1)])).collect()
}

fn library(rows: &[Vec<bool>]) -> Rows {
    let width = letter([false; 2], [false; 2]).len();
    Rows::from_rows((0..width).map(|atom| rows.iter().map(|row| row[atom]).collect()).collect(), rows.len())
}

fn read(flavour: Flavour, text: &str) -> Psl {
    let property =
        Property::psl_in(flavour, View::States, text).unwrap_or_else(|e| panic!("{flavour:?}: {text}: {e:?}"));
    let Formula::Psl(_, formula) = property.formula else { panic!("PSL") };
    let printed = formula.to_string();
    assert_eq!(parse_psl(&printed).as_ref(), Ok(&formula), "{text} printed as {printed}");
    formula
}

fn every_word(length: u32) -> impl Iterator<Item = Vec<[bool; 2]>> {
    (0..4_u32.pow(length))
        .map(move |code| (0..length).map(|i| [code >> (2 * i) & 1 == 1, code >> (2 * i + 1) & 1 == 1]).collect())
}

/// The definition reads so many letters of a word at most.
const MOST_LETTERS: usize = 126;

fn compare(count: u64, length: u32) {
    let mut shares = Shares::default();
    let (mut all_cases, mut left_out) = (0_u64, 0_u64);
    for_seeds(count, |rng, seed| {
        let size = rng.u8(1..4);
        let written = Source(rng).formula(size);
        let meaning = Meaning::of(&written.means, &mut |&atom| atom);
        all_cases += 1;
        // `abort` puts a round of one letter behind a word of this length, and a weak SERE reads that twice.
        let states = meaning.states();
        if length as usize + 2 * states > MOST_LETTERS {
            left_out += 1;
            return;
        }
        let all: Vec<(&str, Psl<u32>)> =
            [(Flavour::Any, &written.any), (Flavour::Vhdl, &written.vhdl), (Flavour::Verilog, &written.verilog)]
                .into_iter()
                .map(|(flavour, text)| (text.as_str(), placed(&read(flavour, text))))
                .collect();
        let bound: Vec<Psl<AtomId>> = all.iter().map(|(_, f)| f.map_atoms(&mut |&place| AtomId(place))).collect();
        for word in (1..=length).flat_map(every_word) {
            let rows = rows(&word);
            let expected = meaning.on_rows(&rows);
            for ((text, _), formula) in all.iter().zip(&bound) {
                assert_eq!(psl_holds(formula, &library(&rows)), expected, "seed {seed}: {text} on {word:?}");
            }
            shares.add(if expected { "holds" } else { "violated" });
        }
        // A word that goes round: one round more in the stem, so that what was before the round is the same each time.
        let pick = |rng: &mut Rng, n: usize| (0..n).map(|_| [rng.bool(), rng.bool()]).collect::<Vec<_>>();
        for _ in 0..8 {
            let (stem, cycle) = (rng.usize(..3), rng.usize(1..4));
            // Of large automata the definition reads many rounds: shorter ones, so that it can.
            let longest = (MOST_LETTERS - 6) / states.max(1) - 1;
            let cycle = cycle.min(longest.max(1));
            let (stem, cycle) = (pick(rng, stem), pick(rng, cycle));
            let whole = rows(&[stem.as_slice(), &cycle, &cycle].concat());
            let split = stem.len() + cycle.len();
            let of = |rows: &[Vec<bool>]| rows.iter().map(|row| Letter::new(row)).collect();
            let infinite = Word { stem: of(&whole[..split]), round: of(&whole[split..]) };
            let expected = meaning.holds(&infinite);
            for ((text, _), formula) in all.iter().zip(&bound) {
                let found = psl_on_lasso(formula, &library(&whole), split, &Budget::unlimited());
                assert_eq!(found, Ok(expected), "seed {seed}: {text} on {stem:?} and round {cycle:?}");
            }
        }
    });
    shares.at_least_a_fifth("the surface of PSL", &["holds", "violated"]);
    eprintln!("{left_out} of {all_cases} formulas are too large for the definition");
    assert!(left_out * 20 <= all_cases, "{left_out} of {all_cases} formulas were not compared");
}

/// With POSETTA_CASES=5000 these are the formulas of a release.
#[test]
fn the_surface_means_what_the_standard_says() {
    compare(250, 4);
}

#[test]
fn on_longer_words_too() {
    compare(20, 5);
}

/// `ended(r)` is true where a match of r ends, wherever it began.
#[test]
fn endpoints_are_ends_of_matches() {
    let mut shares = Shares::default();
    for_seeds(250, |rng, seed| {
        let size = rng.u8(..3);
        let (r, b, c) = (Source(rng).sere(size), Source(rng).atom(), Source(rng).atom());
        let (form, text) = match rng.u8(..5) {
            0 => (0, format!("always (ended({{{}}}) && {} -> {})", r.any, b.any, c.any)),
            1 => (1, format!("never {{{} && ended({{{}}}); {}}}", b.any, r.any, c.any)),
            2 => (2, format!("eventually! {{{}; ended({{{}}}) && {}}}", b.any, r.any, c.any)),
            3 => (3, format!("always {{{}; ended({{{}}})}} |=> {}", b.any, r.any, c.any)),
            _ => {
                (4, format!("always {{{{{}; ended({{{}}})}} | {{{}; {}}}}} |-> {}", b.any, r.any, c.any, c.any, b.any))
            }
        };
        let formula = placed(&read(Flavour::Any, &text)).map_atoms(&mut |&place| AtomId(place));
        for word in (1..=4).flat_map(every_word) {
            let rows = rows(&word);
            let matches = |from: usize, to: usize| {
                let anything = Sere::Repeat(Box::new(Sere::Bool(Guard::True)), Times::exactly((to - from + 1) as u32));
                let sere = Sere::Chain(SereOp::Intersect, vec![r.means.clone(), anything]);
                let tight = Psl::Sere { sere, strong: true };
                Meaning::of(&tight, &mut |&atom| atom).on_rows(&rows[from..=to])
            };
            let ended = |j: usize| (0..=j).any(|i| matches(i, j));
            let of = |b: &B, j: usize| b.holds(&|&place| rows[j][place as usize]);
            let (b, c) = (|j| of(&b.means, j), |j| of(&c.means, j));
            let n = word.len();
            let expected = match form {
                0 => (0..n).all(|j| !(ended(j) && b(j)) || c(j)),
                1 => (1..n).all(|j| !(ended(j - 1) && b(j - 1) && c(j))),
                2 => (1..n).any(|j| b(j - 1) && ended(j) && c(j)),
                3 => (2..n).all(|j| !(b(j - 2) && ended(j - 1)) || c(j)),
                _ => (1..n).all(|j| !(b(j - 1) && ended(j) || c(j - 1) && c(j)) || b(j)),
            };
            assert_eq!(psl_holds(&formula, &library(&rows)), expected, "seed {seed}: {text} on {word:?}");
            shares.add(if expected { "holds" } else { "violated" });
        }
    });
    shares.at_least_a_fifth("endpoints", &["holds", "violated"]);
}
