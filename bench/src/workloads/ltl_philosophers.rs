//! Dining philosophers, 10 with a million events and 100 with a tenth of it: the fork property over all orders.

use super::ltl;
use crate::workload::Workload;

/// LTL, 10 philosophers.
pub const TEN: Workload = Workload {
    id: "ltl-philosophers-10",
    row: 2,
    title: "LTL, 10 philosophers",
    target: ltl::TARGET,
    prepare: |lab| ltl::prepare(lab, ltl::model(lab, "philosophers", 10, 1_000_000, false)),
    judge: ltl::judge,
};

/// LTL, 10 philosophers with a fault.
pub const TEN_FAULTY: Workload = Workload {
    id: "ltl-philosophers-10-faulty",
    row: 2,
    title: "LTL, 10 philosophers with a fault",
    target: ltl::TARGET,
    prepare: |lab| ltl::prepare(lab, ltl::model(lab, "philosophers", 10, 1_000_000, true)),
    judge: ltl::judge,
};

/// LTL, 100 philosophers.
pub const HUNDRED: Workload = Workload {
    id: "ltl-philosophers-100",
    row: 2,
    title: "LTL, 100 philosophers",
    target: ltl::TARGET,
    prepare: |lab| ltl::prepare(lab, ltl::model(lab, "philosophers", 100, 100_000, false)),
    judge: ltl::judge,
};

/// LTL, 100 philosophers with a fault.
pub const HUNDRED_FAULTY: Workload = Workload {
    id: "ltl-philosophers-100-faulty",
    row: 2,
    title: "LTL, 100 philosophers with a fault",
    target: ltl::TARGET,
    prepare: |lab| ltl::prepare(lab, ltl::model(lab, "philosophers", 100, 100_000, true)),
    judge: ltl::judge,
};
