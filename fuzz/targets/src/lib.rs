//! What the fuzzers assert of every reader and parser.
//!
//! A target takes bytes and panics if the library breaks a promise: not only "no panic", but what is read can be written
//! and read again as the same run, what parses prints and parses back, a mistake lies inside the input, the chunks that an
//! input comes in change nothing. [`TARGETS`] lists them. `fuzz/fuzz_targets` gives each to libFuzzer; the test of this
//! crate runs the seeds and thousands of mutations through each with an ordinary compiler.
//!
//! [`reading`] is about runs as bytes, [`logic`] about formulas, [`m2l`] about MONA files, [`structured`] makes runs and formulas from bytes instead of
//! parsing them, [`models`] is about models of systems, [`checking`] asks the engines and the oracle the same question, [`feed`] reads a run whole and while it happens,
//! [`language`] asks what an editor asks.

pub mod account;
pub mod checking;
pub mod feed;
pub mod language;
pub mod logic;
pub mod m2l;
pub mod models;
pub mod numbers;
pub mod order;
pub mod places;
pub mod reading;
pub mod structured;

use posetta_base::Budget;
use posetta_formats::Format;

/// One thing to fuzz.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of the binary, the seeds and the dictionary.
    pub name: &'static str,
    /// Panics if a promise is broken.
    pub run: fn(&[u8]),
    /// Files of `examples/` with one of these extensions are seeds, too.
    pub examples: &'static [&'static str],
}

/// Every target. A format of the library has one with its own name, which a test checks.
pub const TARGETS: [Target; 36] = [
    Target { name: "text", run: |data| reading::read_as(Format::Text, data), examples: &["trace"] },
    Target { name: "jsonl", run: |data| reading::read_as(Format::JsonLines, data), examples: &["jsonl"] },
    Target { name: "states", run: |data| reading::read_as(Format::States, data), examples: &["jsonl"] },
    Target { name: "shiviz", run: |data| reading::read_as(Format::Shiviz, data), examples: &["log"] },
    Target { name: "dot", run: |data| reading::read_as(Format::Dot, data), examples: &["dot"] },
    Target { name: "mermaid", run: |data| reading::read_as(Format::Mermaid, data), examples: &["mmd"] },
    Target { name: "csv", run: |data| reading::read_as(Format::Csv, data), examples: &["csv"] },
    Target { name: "vcd", run: |data| reading::read_as(Format::Vcd, data), examples: &["vcd"] },
    Target { name: "fst", run: reading::packed_waves, examples: &[] },
    Target { name: "otlp", run: |data| reading::read_as(Format::Otlp, data), examples: &[] },
    Target { name: "otlp-proto", run: |data| reading::read_as(Format::OtlpProto, data), examples: &[] },
    Target { name: "jaeger", run: |data| reading::read_as(Format::Jaeger, data), examples: &[] },
    Target { name: "zipkin", run: |data| reading::read_as(Format::Zipkin, data), examples: &[] },
    Target { name: "itf", run: |data| reading::read_as(Format::Itf, data), examples: &[] },
    Target { name: "jepsen", run: |data| reading::read_as(Format::Jepsen, data), examples: &["edn"] },
    Target { name: "prove", run: |data| reading::read_as(Format::Prove, data), examples: &[] },
    Target { name: "mapping", run: reading::mapping, examples: &[] },
    Target { name: "packed", run: reading::packed, examples: &[] },
    Target { name: "feed", run: feed::feed, examples: &["jsonl"] },
    Target { name: "detect", run: reading::detect, examples: &["trace", "jsonl", "log"] },
    Target { name: "ltl", run: logic::ltl, examples: &[] },
    Target { name: "ctl", run: logic::ctl, examples: &[] },
    Target { name: "psl", run: logic::psl, examples: &[] },
    Target { name: "m2l", run: m2l::m2l, examples: &["mona"] },
    Target { name: "props", run: logic::props, examples: &["props"] },
    Target { name: "monitor", run: logic::monitor, examples: &["hoa"] },
    Target { name: "smv", run: models::smv, examples: &["smv"] },
    Target { name: "sys", run: models::sys, examples: &["sys"] },
    Target { name: "language", run: language::language, examples: &["props", "sys"] },
    Target { name: "aut", run: models::aut, examples: &["aut"] },
    Target { name: "pnml", run: models::pnml, examples: &["pnml"] },
    Target { name: "mcc", run: models::mcc, examples: &[] },
    Target { name: "numbers", run: numbers::numbers, examples: &[] },
    Target { name: "order", run: order::order, examples: &[] },
    Target { name: "structured", run: structured::run_or_formula, examples: &[] },
    Target { name: "check", run: checking::check, examples: &[] },
];

/// The target with a name.
#[must_use]
pub fn find(name: &str) -> Option<Target> {
    TARGETS.into_iter().find(|t| t.name == name)
}

/// Longer inputs say nothing that shorter ones do not, and cost a fuzzer its speed.
pub const LONGEST: usize = 1 << 16;

/// Enough for every input up to [`LONGEST`] bytes, and little enough that nothing explodes unseen.
#[must_use]
pub fn small_budget() -> Budget {
    Budget::with_memory(64 << 20)
}
