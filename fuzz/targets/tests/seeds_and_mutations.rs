//! Every target on its seeds and on deterministic mutations of them, without a fuzzer.
//!
//! `POSETTA_CASES` sets how many mutations each target gets and `POSETTA_SEED` where they start. An input that breaks a
//! promise is printed so that it can be kept as a seed.

use std::fs;
use std::path::{Path, PathBuf};

use fastrand::Rng;
use posetta_formats::Format;
use posetta_fuzz_targets::{TARGETS, Target, find};
use posetta_oracle::cases::for_seeds;

fn fuzz_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files below a directory, sorted.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display())) {
        let path = entry.expect("the seeds are readable").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let own = files(&fuzz_dir().join("seeds").join(target.name));
    let has_extension = |path: &PathBuf| target.examples.iter().any(|&e| path.extension().is_some_and(|x| x == e));
    let examples = files(&fuzz_dir().join("../examples")).into_iter().filter(has_extension);
    own.into_iter().chain(examples).map(|path| fs::read(&path).expect("the seeds are readable")).collect()
}

/// The words of a dictionary of libFuzzer: `"…"` on each line, with `\"`, `\\` and `\xNN` inside.
fn words(target: &Target) -> Vec<Vec<u8>> {
    let path = fuzz_dir().join("dictionaries").join(format!("{}.dict", target.name));
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut words = Vec::new();
    for line in text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let inner = line.strip_prefix('"').and_then(|l| l.strip_suffix('"'));
        let inner = inner.unwrap_or_else(|| panic!("{}: `{line}` is not in quotes", path.display()));
        let (mut word, mut rest) = (Vec::new(), inner.as_bytes());
        while let Some((&first, after)) = rest.split_first() {
            let (byte, length) = match (first, after) {
                (b'\\', [b'x', high, low, ..]) => {
                    let digits = [*high, *low];
                    let hex = std::str::from_utf8(&digits).ok().and_then(|d| u8::from_str_radix(d, 16).ok());
                    (hex.unwrap_or_else(|| panic!("{}: `{line}`", path.display())), 4)
                }
                (b'\\', [sign @ (b'"' | b'\\'), ..]) => (*sign, 2),
                (b'\\' | b'"', _) => panic!("{}: `{line}` has an unknown escape", path.display()),
                (plain, _) => (plain, 1),
            };
            word.push(byte);
            rest = &rest[length..];
        }
        words.push(word);
    }
    words
}

/// Changes an input a little: bytes, words of the dictionary, repeated and missing stretches, pieces of another seed.
fn mutate(bytes: &mut Vec<u8>, rng: &mut Rng, words: &[Vec<u8>], other: &[u8]) {
    for _ in 0..rng.usize(1..5) {
        let at = rng.usize(..=bytes.len());
        let end = bytes.len().min(at + rng.usize(..16));
        match rng.u8(..8) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => bytes.insert(at, rng.u8(..)),
            3 if at < bytes.len() => bytes[at] ^= 1 << rng.u8(..8),
            4 => {
                let copy = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, copy));
            }
            5 if !other.is_empty() => {
                let from = rng.usize(..other.len());
                let to = other.len().min(from + rng.usize(..64));
                drop(bytes.splice(at..at, other[from..to].iter().copied()));
            }
            _ if !words.is_empty() => {
                let word = &words[rng.usize(..words.len())];
                // A word often replaces what is there.
                let end = if rng.bool() { at } else { bytes.len().min(at + word.len()) };
                drop(bytes.splice(at..end, word.iter().copied()));
            }
            _ => bytes.push(rng.u8(..)),
        }
    }
}

/// Runs a target on an input and shows the input if that fails.
fn run(target: &Target, input: &[u8]) {
    let result = std::panic::catch_unwind(|| (target.run)(input));
    if let Err(panic) = result {
        eprintln!("target {} on b\"{}\"", target.name, input.escape_ascii());
        std::panic::resume_unwind(panic);
    }
}

fn exercise(name: &str, mutations: u64) {
    let target = find(name).expect("a test names a target");
    let (seeds, words) = (seeds(&target), words(&target));
    assert!(!seeds.is_empty() && !words.is_empty(), "{name} has no seeds or no words");
    for seed in &seeds {
        run(&target, seed);
    }
    for_seeds(mutations, |rng, _| {
        let mut input = seeds[rng.usize(..seeds.len())].clone();
        let other = &seeds[rng.usize(..seeds.len())];
        mutate(&mut input, rng, &words, other);
        run(&target, &input);
    });
}

#[test]
fn text() {
    exercise("text", 2_000);
}

#[test]
fn jsonl() {
    exercise("jsonl", 2_000);
}

#[test]
fn states() {
    exercise("states", 1_000);
}

#[test]
fn feed() {
    exercise("feed", 3_000);
}

#[test]
fn shiviz() {
    exercise("shiviz", 2_000);
}

#[test]
fn dot() {
    exercise("dot", 2_000);
}

#[test]
fn mermaid() {
    exercise("mermaid", 2_000);
}

#[test]
fn csv() {
    exercise("csv", 2_000);
}

#[test]
fn vcd() {
    exercise("vcd", 2_000);
}

#[test]
fn fst() {
    exercise("fst", 3_000);
}

#[test]
fn otlp() {
    exercise("otlp", 2_000);
}

#[test]
fn otlp_proto() {
    exercise("otlp-proto", 2_000);
}

#[test]
fn jaeger() {
    exercise("jaeger", 2_000);
}

#[test]
fn zipkin() {
    exercise("zipkin", 2_000);
}

#[test]
fn itf() {
    exercise("itf", 2_000);
}

#[test]
fn jepsen() {
    exercise("jepsen", 2_000);
}

#[test]
fn prove() {
    exercise("prove", 2_000);
}

#[test]
fn mapping() {
    exercise("mapping", 2_000);
}

#[test]
fn packed() {
    exercise("packed", 2_000);
}

#[test]
fn detect() {
    exercise("detect", 1_000);
}

#[test]
fn ltl() {
    exercise("ltl", 5_000);
}

#[test]
fn ctl() {
    exercise("ctl", 5_000);
}

#[test]
fn psl() {
    exercise("psl", 5_000);
}

#[test]
fn m2l() {
    exercise("m2l", 3_000);
}

#[test]
fn props() {
    exercise("props", 3_000);
}

#[test]
fn monitor() {
    exercise("monitor", 3_000);
}

#[test]
fn smv() {
    exercise("smv", 3_000);
}

#[test]
fn sys() {
    exercise("sys", 3_000);
}

#[test]
fn language() {
    exercise("language", 1_000);
}

#[test]
fn aut() {
    exercise("aut", 3_000);
}

#[test]
fn pnml() {
    exercise("pnml", 3_000);
}

#[test]
fn mcc() {
    exercise("mcc", 3_000);
}

#[test]
fn numbers() {
    exercise("numbers", 5_000);
}

#[test]
fn order() {
    exercise("order", 3_000);
}

#[test]
fn structured() {
    exercise("structured", 5_000);
}

#[test]
fn check() {
    exercise("check", 2_000);
}

#[test]
fn every_target_has_a_binary_a_test_and_its_files() {
    let this = include_str!("seeds_and_mutations.rs");
    let manifest = fs::read_to_string(fuzz_dir().join("Cargo.toml")).expect("the fuzzer has a manifest");
    for Target { name, .. } in TARGETS {
        assert!(this.contains(&format!("exercise(\"{name}\", ")), "{name} has no test here");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} is not in fuzz/Cargo.toml");
        let binary = fs::read_to_string(fuzz_dir().join(format!("fuzz_targets/{name}.rs"))).unwrap_or_default();
        assert!(binary.contains(&format!("target!(\"{name}\")")), "fuzz/fuzz_targets/{name}.rs runs something else");
    }
    let dirs =
        fs::read_dir(fuzz_dir().join("seeds")).expect("there are seeds").map(|d| d.expect("readable").file_name());
    for dir in dirs {
        assert!(find(&dir.to_string_lossy()).is_some(), "seeds/{} belong to no target", dir.display());
    }
}

#[test]
fn every_format_has_a_target_of_its_name() {
    for format in Format::ALL {
        assert!(find(format.name()).is_some(), "the format {} has no target", format.name());
    }
}
