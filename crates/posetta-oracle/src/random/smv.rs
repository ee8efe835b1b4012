//! Random models as texts in SMV, as NuSMV reads it, too: modules with parameters, arrays, definitions, assignments in cases, with sets and with
//! values of the next state, relations, invariants and fairness. Some thousand states at most.

use std::fmt::Write;

use fastrand::Rng;

use super::{chance, pick};

/// A model, and properties that are not part of its text, each with its keyword.
#[derive(Clone, Debug)]
pub struct Text {
    /// The model.
    pub model: String,
    /// `CTLSPEC …`, `LTLSPEC …`, `INVARSPEC …`.
    pub properties: Vec<String>,
    /// It has compassion, which NuSMV does not treat as Posetta does.
    pub compassion: bool,
}

/// At most so many values of all variables together.
const STATES: u64 = 4_000;

const SYMBOLS: [&str; 4] = ["idle", "busy", "done", "lost"];

/// What can be named at some place.
#[derive(Clone, Debug, Default)]
struct Names {
    truths: Vec<String>,
    numbers: Vec<(String, i64, i64)>,
    symbols: Vec<(String, usize)>,
    /// Arrays of truth values from 0 on, by their last index.
    arrays: Vec<(String, i64)>,
}

/// What a variable can be.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Truth,
    Number(i64, i64),
    /// The first so many of [`SYMBOLS`].
    Symbol(usize),
}

impl Kind {
    fn size(self) -> u64 {
        match self {
            Self::Truth => 2,
            Self::Number(lo, hi) => (hi - lo + 1).unsigned_abs(),
            Self::Symbol(n) => n as u64,
        }
    }

    fn declared(self) -> String {
        match self {
            Self::Truth => "boolean".to_owned(),
            Self::Number(lo, hi) => format!("{lo}..{hi}"),
            Self::Symbol(n) => format!("{{{}}}", SYMBOLS[..n].join(", ")),
        }
    }
}

impl Names {
    fn add(&mut self, name: String, kind: Kind) {
        match kind {
            Kind::Truth => self.truths.push(name),
            Kind::Number(lo, hi) => self.numbers.push((name, lo, hi)),
            Kind::Symbol(n) => self.symbols.push((name, n)),
        }
    }

    /// The same in the next state.
    fn next(&self) -> Self {
        let next = |name: &String| format!("next({name})");
        Self {
            truths: self.truths.iter().map(next).collect(),
            numbers: self.numbers.iter().map(|(n, lo, hi)| (next(n), *lo, *hi)).collect(),
            symbols: self.symbols.iter().map(|(n, k)| (next(n), *k)).collect(),
            arrays: Vec::new(),
        }
    }

    fn with(&self, other: &Self) -> Self {
        let mut all = self.clone();
        all.truths.extend(other.truths.iter().cloned());
        all.numbers.extend(other.numbers.iter().cloned());
        all.symbols.extend(other.symbols.iter().cloned());
        all
    }

    fn literal(&self, rng: &mut Rng) -> String {
        match rng.u8(..10) {
            0..4 if !self.truths.is_empty() => {
                format!("{}{}", if rng.bool() { "" } else { "!" }, pick(rng, &self.truths))
            }
            4..7 if !self.numbers.is_empty() => {
                let (x, lo, hi) = pick(rng, &self.numbers).clone();
                let op = *pick(rng, &["=", "!=", "<", "<=", ">", ">="]);
                let other = if chance(rng, 40) {
                    let (y, ..) = pick(rng, &self.numbers);
                    if rng.bool() { y.clone() } else { format!("({y} + {})", rng.i64(-1..3)) }
                } else {
                    rng.i64(lo..=hi).to_string()
                };
                format!("({x} {op} {other})")
            }
            7..9 if !self.symbols.is_empty() => {
                let (x, n) = pick(rng, &self.symbols).clone();
                let (one, other) = (SYMBOLS[rng.usize(..n)], SYMBOLS[rng.usize(..n)]);
                if rng.bool() { format!("({x} = {one})") } else { format!("({x} in {{{one}, {other}}})") }
            }
            9 if !self.arrays.is_empty() => {
                let (array, last) = pick(rng, &self.arrays).clone();
                let fits: Vec<_> = self.numbers.iter().filter(|(_, lo, hi)| *lo >= 0 && *hi <= last).collect();
                if fits.is_empty() { format!("{array}[{last}]") } else { format!("{array}[{}]", pick(rng, &fits).0) }
            }
            _ if self.truths.is_empty() => "TRUE".to_owned(),
            _ => pick(rng, &self.truths).clone(),
        }
    }

    fn condition(&self, rng: &mut Rng, size: usize) -> String {
        if size == 0 || chance(rng, 40) {
            return self.literal(rng);
        }
        let (a, b) = (self.condition(rng, size - 1), self.condition(rng, size - 1));
        match rng.u8(..12) {
            0..4 => format!("({a} & {b})"),
            4..8 => format!("({a} | {b})"),
            8 => format!("({a} -> {b})"),
            9 => format!("({a} <-> {b})"),
            10 => format!("({a} xor {b})"),
            _ => format!("!{a}"),
        }
    }

    /// Values of a kind: one or several.
    fn value(&self, rng: &mut Rng, kind: Kind) -> String {
        match kind {
            Kind::Truth => match rng.u8(..6) {
                0 | 1 => "{TRUE, FALSE}".to_owned(),
                2 => (*pick(rng, &["TRUE", "FALSE"])).to_owned(),
                _ => self.condition(rng, 1),
            },
            Kind::Number(lo, hi) => {
                let same: Vec<_> = self.numbers.iter().filter(|(_, l, h)| *l >= lo && *h <= hi).collect();
                if same.is_empty() || chance(rng, 30) {
                    let (a, b) = (rng.i64(lo..=hi), rng.i64(lo..=hi));
                    return if a == b { a.to_string() } else { format!("{{{a}, {b}}}") };
                }
                let x = pick(rng, &same).0.clone();
                match rng.u8(..5) {
                    0 => x,
                    1 => format!("({x} < {hi} ? {x} + 1 : {lo})"),
                    2 => format!("({x} > {lo} ? {x} - 1 : {hi})"),
                    3 if lo == 0 => format!("(({x} + {}) mod {})", 1 + rng.i64(0..3), hi + 1),
                    _ => format!("({x} union {})", rng.i64(lo..=hi)),
                }
            }
            Kind::Symbol(n) => {
                let same: Vec<_> = self.symbols.iter().filter(|(_, k)| *k <= n).collect();
                match rng.u8(..4) {
                    0 if !same.is_empty() => pick(rng, &same).0.clone(),
                    1 => format!("{{{}, {}}}", SYMBOLS[rng.usize(..n)], SYMBOLS[rng.usize(..n)]),
                    _ => SYMBOLS[rng.usize(..n)].to_owned(),
                }
            }
        }
    }

    fn cases(&self, rng: &mut Rng, kind: Kind) -> String {
        let arms: String =
            (0..rng.usize(..4)).map(|_| format!("{} : {}; ", self.condition(rng, 1), self.value(rng, kind))).collect();
        let rest = self.value(rng, kind);
        if arms.is_empty() { rest } else { format!("case {arms}TRUE : {rest}; esac") }
    }
}

fn kind(rng: &mut Rng) -> Kind {
    match rng.u8(..10) {
        0..5 => Kind::Truth,
        5 | 6 => Kind::Number(0, 1 + rng.i64(0..5)),
        7 => Kind::Number(-1, 1 + rng.i64(0..2)),
        _ => Kind::Symbol(2 + rng.usize(..3)),
    }
}

/// Variables of a module, and what is assigned to them; `seen` are its parameters.
fn variables(rng: &mut Rng, names: &[&str], seen: &Names, left: &mut u64, times: u64) -> (String, Names) {
    let (mut declared, mut assigned, mut own) = (String::new(), String::new(), Names::default());
    let mut made = Vec::new();
    for name in names {
        let kind = kind(rng);
        let size = kind.size().saturating_pow(u32::try_from(times).unwrap_or(1));
        if size <= *left {
            *left /= size;
            let _ = writeln!(declared, "VAR {name} : {};", kind.declared());
            own.add((*name).to_owned(), kind);
            made.push(((*name).to_owned(), kind));
        }
    }
    let mut before = Names::default();
    for (name, kind) in made {
        if chance(rng, 75) {
            let _ = writeln!(assigned, "ASSIGN init({name}) := {};", Names::default().value(rng, kind));
        }
        if chance(rng, 85) {
            // Only what was assigned before may be read in the next state: nothing depends on itself.
            let readable = own.with(seen);
            let readable = if chance(rng, 25) { readable.with(&before.next()) } else { readable };
            let _ = writeln!(assigned, "ASSIGN next({name}) := {};", readable.cases(rng, kind));
        }
        before.add(name, kind);
    }
    (declared + &assigned, own)
}

/// A random model with some properties.
pub fn smv_text(rng: &mut Rng) -> Text {
    let (mut model, mut left) = (String::new(), STATES);
    let cells = rng.u64(..4);
    // A module with a truth value and a number as parameters.
    let mut inside = Names::default();
    if cells > 0 {
        let seen = Names { truths: vec!["on".to_owned()], numbers: vec![("n".to_owned(), 0, 2)], ..Names::default() };
        let count = 1 + rng.usize(..2);
        let (text, own) = variables(rng, &["a", "b"][..count], &seen, &mut left, cells);
        let _ = write!(model, "MODULE cell(on, n)\n{text}");
        let _ = writeln!(model, "DEFINE out := {};", own.with(&seen).condition(rng, 2));
        if chance(rng, 20) {
            let _ = writeln!(model, "JUSTICE {};", own.condition(rng, 1));
        }
        inside = own;
    }
    model += "MODULE main\n";
    let wanted = ["p", "q", "r", "s", "t"];
    let inputs = if chance(rng, 25) { "IVAR given : boolean;\n" } else { "" };
    model += inputs;
    let mut free = Names { numbers: vec![("1".to_owned(), 1, 1)], ..Names::default() };
    if !inputs.is_empty() {
        free.truths.push("given".to_owned());
    }
    let count = 2 + rng.usize(..4);
    let (text, mut states) = variables(rng, &wanted[..count], &free, &mut left, 1);
    model += &text;
    if left >= 4 && chance(rng, 40) {
        let last = if left >= 8 { 2 } else { 1 };
        let _ = writeln!(model, "VAR f : array 0..{last} of boolean;");
        states.arrays.push(("f".to_owned(), last));
        for i in 0..=last {
            let _ = writeln!(model, "ASSIGN init(f[{i}]) := {};", ["TRUE", "FALSE"][rng.usize(..2)]);
            let _ = writeln!(model, "ASSIGN next(f[{i}]) := {};", states.cases(rng, Kind::Truth));
            states.truths.push(format!("f[{i}]"));
        }
    }
    if chance(rng, 60) {
        let _ = writeln!(model, "DEFINE d := {};", states.condition(rng, 2));
        states.truths.push("d".to_owned());
    }
    for i in 0..cells {
        // What the ones before say may be a parameter.
        let numbers: Vec<_> = states.numbers.iter().filter(|(_, lo, hi)| *lo >= 0 && *hi <= 2).cloned().collect();
        let number = if numbers.is_empty() { rng.i64(0..3).to_string() } else { pick(rng, &numbers).0.clone() };
        let _ = writeln!(model, "VAR c{i} : cell({}, {number});", states.condition(rng, 1));
        let dotted = |name: &String| format!("c{i}.{name}");
        states.truths.extend(inside.truths.iter().map(dotted));
        states.numbers.extend(inside.numbers.iter().map(|(n, lo, hi)| (dotted(n), *lo, *hi)));
        states.symbols.extend(inside.symbols.iter().map(|(n, k)| (dotted(n), *k)));
        states.truths.push(format!("c{i}.out"));
    }
    let said = [("INIT", 15), ("INVAR", 25), ("JUSTICE", 35), ("FAIRNESS", 10)];
    for (word, percent) in said {
        if chance(rng, percent) {
            let (a, b) = (states.condition(rng, 1), states.literal(rng));
            let _ = writeln!(model, "{word} ({a} | {b});");
        }
    }
    if chance(rng, 15) {
        let both = Names { arrays: Vec::new(), ..states.clone() };
        let later = Names { truths: vec!["next(p)".to_owned()], ..Names::default() };
        let later = if model.contains("VAR p : boolean;") { later } else { both.clone() };
        let _ = writeln!(model, "TRANS ({} | {});", both.condition(rng, 1), later.literal(rng));
    }
    let compassion = chance(rng, 12);
    if compassion {
        let _ = writeln!(model, "COMPASSION ({}, {});", states.condition(rng, 1), states.condition(rng, 1));
    }
    let properties = (0..3 + rng.usize(..3)).map(|_| property(rng, &states)).collect();
    Text { model, properties, compassion }
}

fn property(rng: &mut Rng, states: &Names) -> String {
    let (p, q, r) = (states.condition(rng, 1), states.condition(rng, 1), states.condition(rng, 2));
    let shapes: &[&dyn Fn() -> String] = &[
        &|| format!("INVARSPEC {r}"),
        &|| format!("INVARSPEC ({p} | {r})"),
        &|| format!("CTLSPEC AG ({p} -> EF {q})"),
        &|| format!("CTLSPEC AG ({p} -> AF {q})"),
        &|| format!("CTLSPEC EF ({p} & EG {q})"),
        &|| format!("CTLSPEC AG EX {r}"),
        &|| format!("CTLSPEC A [{p} U ({q} | AX {r})]"),
        &|| format!("CTLSPEC AG !E [{p} U {q}] | AF {r}"),
        &|| format!("CTLSPEC EG EF {p}"),
        &|| format!("LTLSPEC G ({p} -> F {q})"),
        &|| format!("LTLSPEC F G {p} | G F {q}"),
        &|| format!("LTLSPEC G ({p} -> X {q} | X X {r})"),
        &|| format!("LTLSPEC ({p} U {q}) | F ({r} & O {p})"),
        &|| format!("LTLSPEC G ({p} -> ({q} V ({r} | {p})))"),
        &|| format!("LTLSPEC F ({p} & Y {q}) | G ({r} S {q})"),
    ];
    pick(rng, shapes)()
}
