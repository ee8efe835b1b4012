//! Every way in which the checker may be told to decide a property. None may change an answer.

use posetta::check::{Engine, Options, Order};

/// Names and options, for CTL: with and without leaving events out, each with a path and counts.
#[must_use]
pub fn ctl_engines() -> Vec<(&'static str, Options)> {
    let all = [
        ("auto", "auto, whole", Engine::Auto),
        ("explicit", "explicit, whole", Engine::Explicit),
        ("symbolic", "symbolic, whole", Engine::Symbolic),
        ("diagrams", "diagrams, whole", Engine::Diagrams),
        ("ist", "ist, whole", Engine::Ist),
    ];
    let with = |engine, slice| Options { engine, slice, witness_always: true, counts: true, ..Options::default() };
    all.into_iter()
        .flat_map(|(name, whole, engine)| [(name, with(engine, true)), (whole, with(engine, false))])
        .collect()
}

/// Names and options, for linear properties.
#[must_use]
pub fn engines() -> [(&'static str, Options); 7] {
    let symbolic = Options { engine: Engine::Symbolic, ..Options::default() };
    [
        ("explicit", Options { engine: Engine::Explicit, ..Options::default() }),
        ("symbolic", symbolic.clone()),
        ("whole", Options { slice: false, ..symbolic.clone() }),
        ("uncovered", Options { covering: false, ..symbolic.clone() }),
        ("by proof", Options { order: Order::Proof, threads: 2, ..symbolic.clone() }),
        ("by hunt", Options { order: Order::Hunt, covering: false, slice: false, ..symbolic.clone() }),
        ("whole by proof", Options { order: Order::Proof, slice: false, ..symbolic }),
    ]
}
