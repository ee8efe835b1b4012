//! Peterson's mutual exclusion, two processes, a million events: mutual exclusion over all orders.

use super::ltl;
use crate::workload::Workload;

/// LTL, Peterson.
pub const CORRECT: Workload = Workload {
    id: "ltl-peterson",
    row: 1,
    title: "LTL, Peterson",
    target: ltl::TARGET,
    prepare: |lab| ltl::prepare(lab, ltl::model(lab, "peterson", 2, 1_000_000, false)),
    judge: ltl::judge,
};

/// LTL, Peterson with a fault.
pub const FAULTY: Workload = Workload {
    id: "ltl-peterson-faulty",
    row: 1,
    title: "LTL, Peterson with a fault",
    target: ltl::TARGET,
    prepare: |lab| ltl::prepare(lab, ltl::model(lab, "peterson", 2, 1_000_000, true)),
    judge: ltl::judge,
};
