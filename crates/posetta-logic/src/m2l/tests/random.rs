//! Random texts: nothing panics, and what can be read is printed so that it can be read again.

use super::super::{parse_property, read_program};
use super::round;

/// A small generator of numbers (SplitMix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % sides as u64) as usize
    }
}

const WORDS: [&str; 84] = [
    "ws1s",
    "m2l-str",
    "ws2s",
    ";",
    ";",
    ";",
    ",",
    ",",
    ":",
    ":",
    "(",
    ")",
    "(",
    ")",
    "{",
    "}",
    "{",
    "}",
    "=",
    "~=",
    "<",
    "<=",
    ">",
    ">=",
    "~",
    "&",
    "|",
    "=>",
    "<=>",
    "+",
    "-",
    "*",
    "/",
    "%",
    "\\",
    "...",
    ".",
    "^",
    "[",
    "->",
    "in",
    "notin",
    "sub",
    "union",
    "inter",
    "min",
    "max",
    "empty",
    "true",
    "false",
    "ex0",
    "ex1",
    "ex2",
    "all0",
    "all1",
    "all2",
    "let0",
    "let1",
    "let2",
    "where",
    "var0",
    "var1",
    "var2",
    "pred",
    "macro",
    "const",
    "assert",
    "verify",
    "include",
    "allpos",
    "lastpos",
    "defaultwhere1",
    "defaultwhere2",
    "restrict",
    "prefix",
    "pconst",
    "\"a\"",
    "`x == 1`",
    "a",
    "p",
    "X",
    "q",
    "0",
    "12",
];

const SEED: &str = "m2l-str; var0 a where ~a; var1 p, q where p < q; var2 X, Y; const N = 3 * 2; assert 0 in X; \
    macro m(var0 b, var1 x, y, var2 Z) = let1 u = x + N, v = min Z in b & u in Z \\ {v,...,y}; \
    ex2 W where W sub X: all1 r: m(a, r + 1 % q, max W, Y union W inter X) => ~empty(W) | r ~= p; verify \"v\" prefix(a);";

fn try_out(source: &str) {
    if let Ok(program) = read_program("f", source, &mut |_, _| Ok(("f".to_owned(), String::new()))) {
        round(&program);
    }
    if let Ok(program) = parse_property(source) {
        let text = program.to_string();
        assert_eq!(parse_property(&text), Ok(program), "{text}");
    }
}

#[test]
fn random_words_and_bytes() {
    let mut dice = Dice(1);
    for _ in 0..4_000 {
        let length = 1 + dice.roll(30);
        let words: Vec<&str> = (0..length).map(|_| WORDS[dice.roll(WORDS.len())]).collect();
        try_out(&format!("var0 a; var1 p; var2 X; {};", words.join(" ")));
        let bytes: Vec<u8> = (0..length).map(|_| dice.roll(256) as u8).collect();
        try_out(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn random_changes() {
    try_out(SEED);
    assert!(super::read(SEED).is_ok(), "{:?}", super::read(SEED));
    let mut dice = Dice(2);
    let mut read = 0;
    for _ in 0..4_000 {
        let mut source = SEED.to_owned();
        for _ in 0..=dice.roll(3) {
            // Mostly at the ends of words, so that something can be read.
            let blanks: Vec<usize> = source.match_indices(' ').map(|(at, _)| at).collect();
            let from = if dice.roll(4) == 0 { dice.roll(source.len()) } else { blanks[dice.roll(blanks.len())] };
            let to = (from + dice.roll(4)).min(source.len());
            source.replace_range(from..to, &format!(" {} ", WORDS[dice.roll(WORDS.len())]));
        }
        try_out(&source);
        read += usize::from(super::read(&source).is_ok());
    }
    assert!(read > 4, "{read} of the changed texts can be read");
}
