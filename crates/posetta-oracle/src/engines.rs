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
    let with =
        |engine, slice, counts| Options::default().engine(engine).slice(slice).counts(counts).witness_always(true);
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
pub fn engines() -> [(&'static str, Options); 14] {
    let of = |engine, slice| Options::default().engine(engine).slice(slice);
    let symbolic = of(Engine::Symbolic, true);
    [
        ("auto", of(Engine::Auto, true)),
        ("cuts", of(Engine::Cuts, true)),
        ("diagrams", of(Engine::Diagrams, true)),
        ("diagrams, whole", of(Engine::Diagrams, false)),
        ("explicit", Options::default().engine(Engine::Explicit)),
        ("symbolic", symbolic.clone()),
        ("whole", symbolic.clone().slice(false)),
        ("uncovered", symbolic.clone().covering(false)),
        ("by proof", symbolic.clone().order(Order::Proof).threads(2)),
        ("by hunt", symbolic.clone().order(Order::Hunt).covering(false).slice(false)),
        ("whole by proof", symbolic.order(Order::Proof).slice(false)),
        ("paper", of(Engine::Paper, true)),
        ("paper, uncovered", of(Engine::Paper, true).covering(false)),
        ("por", of(Engine::Por, true)),
    ]
}
