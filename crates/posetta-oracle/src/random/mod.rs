//! Random cases: small runs and formulas that fit them, each the same for the same seed.
//!
//! [`Plan`] is a run as plain data; a [`Vocabulary`] is what formulas may say about it. Formulas are half the shapes
//! that people write (mutual exclusion, response, precedence), half random trees, both over random atoms.

mod atom;
mod case;
mod ctl;
mod fds;
mod ltl;
mod m2l;
mod monitor;
mod plan;
mod psl;
mod record;
mod refine;
mod small;
mod smv;
mod system;

pub use atom::{Vocabulary, atom, joint_atom, state_atom};
pub use case::{Case, ctl_case, ltl_case, psl_case, random_run};
pub use ctl::{ctl, ctl_over, live_ctl};
pub use fds::{Model, Taste, interleave, model, spec, widen};
pub use ltl::{Tense, ltl, ltl_over};
pub use m2l::{M2lTaste, m2l_case, m2l_over, m2l_program, m2l_property};
pub use monitor::monitor;
pub use plan::{Kind, Plan, PlannedEvent, Shape, plan};
pub use psl::{psl, sere};
pub use record::{Recorded, qualify, recorded};
pub use refine::related;
pub use small::{SmallCase, small_atoms, small_case, small_ltl_case, small_psl_case, small_world};
pub use smv::{Text, smv_text};
pub use system::{
    NetworkTaste, endless, endless_net, letters_ltl, network, observe, one_net, plain_demand, predicate, states_ctl,
    states_ltl,
};

use fastrand::Rng;

/// One of several, all equally likely.
pub(crate) fn pick<'a, T>(rng: &mut Rng, choices: &'a [T]) -> &'a T {
    &choices[rng.usize(..choices.len())]
}

/// True `percent` times in a hundred.
pub(crate) fn chance(rng: &mut Rng, percent: u32) -> bool {
    rng.u32(..100) < percent
}
