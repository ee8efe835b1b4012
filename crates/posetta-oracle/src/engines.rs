//! Every way in which the checker may be told to decide a linear property. None may change an answer.

use posetta::check::{Engine, Options, Order};

/// Names and options.
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
