//! Every way in which the checker may be told to decide a property. None may change an answer.

use posetta_check::{Engine, Options, Order};

/// Names and options, for CTL: after leaving events out, with all of them, and counting cuts; each with a proof.
#[must_use]
pub fn ctl_engines() -> Vec<(&'static str, Options)> {
    let all = [
        (["auto", "auto, whole", "auto, counting"], Engine::Auto),
        (["explicit", "explicit, whole", "explicit, counting"], Engine::Explicit),
        (["symbolic", "symbolic, whole", "symbolic, counting"], Engine::Symbolic),
        (["cuts", "cuts, whole", "cuts, counting"], Engine::Cuts),
        (["diagrams", "diagrams, whole", "diagrams, counting"], Engine::Diagrams),
        (["ist", "ist, whole", "ist, counting"], Engine::Ist),
    ];
    let with = |engine, slice, counts| Options { engine, slice, counts, witness_always: true, ..Options::default() };
    all.into_iter()
        .flat_map(|([sliced, whole, counting], engine)| {
            [
                (sliced, with(engine, true, false)),
                (whole, with(engine, false, false)),
                (counting, with(engine, false, true)),
            ]
        })
        .collect()
}

/// Names and options, for linear properties.
#[must_use]
pub fn engines() -> [(&'static str, Options); 11] {
    let of = |engine, slice| Options { engine, slice, ..Options::default() };
    let symbolic = of(Engine::Symbolic, true);
    [
        ("auto", of(Engine::Auto, true)),
        ("cuts", of(Engine::Cuts, true)),
        ("diagrams", of(Engine::Diagrams, true)),
        ("diagrams, whole", of(Engine::Diagrams, false)),
        ("explicit", Options { engine: Engine::Explicit, ..Options::default() }),
        ("symbolic", symbolic.clone()),
        ("whole", Options { slice: false, ..symbolic.clone() }),
        ("uncovered", Options { covering: false, ..symbolic.clone() }),
        ("by proof", Options { order: Order::Proof, threads: 2, ..symbolic.clone() }),
        ("by hunt", Options { order: Order::Hunt, covering: false, slice: false, ..symbolic.clone() }),
        ("whole by proof", Options { order: Order::Proof, slice: false, ..symbolic }),
    ]
}
