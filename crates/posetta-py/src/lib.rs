//! `posetta._native`: the library as Python objects. What users import is the package in `python/posetta`, which adds what is easier said in
//! Python.
//!
//! Every call that works goes through [`work`]: there the interpreter is let go, limits are kept, an interruption stops the work, and a panic
//! becomes an exception. Start at [`run`] and [`report`].

mod columns;
mod errors;
mod keyed;
mod model;
mod monitor;
mod report;
mod run;
mod spec;
mod values;
mod work;

/// The native part of `posetta`.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::keyed::KeyedMonitor;
    #[pymodule_export]
    use crate::model::{Decision, Model, m2l, refine, verify};
    #[pymodule_export]
    use crate::monitor::{Change, Monitor};
    #[pymodule_export]
    use crate::report::{Report, Result, Why, check, check_all};
    #[pymodule_export]
    use crate::run::{Event, Run};
    #[pymodule_export]
    use crate::spec::{Property, Spec};

    /// The version of Posetta.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
