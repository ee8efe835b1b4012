//! The alternating-bit protocol, a million events: every message is received, over all orders.

use super::ltl;
use crate::workload::Workload;

/// LTL, alternating bit.
pub const CORRECT: Workload = Workload {
    id: "ltl-abp",
    row: 1,
    title: "LTL, alternating bit",
    target: ltl::TARGET,
    prepare: |lab| ltl::prepare(lab, ltl::model(lab, "abp", 2, 1_000_000, false)),
    judge: ltl::judge,
};

/// LTL, alternating bit with a fault.
pub const FAULTY: Workload = Workload {
    id: "ltl-abp-faulty",
    row: 1,
    title: "LTL, alternating bit with a fault",
    target: ltl::TARGET,
    prepare: |lab| ltl::prepare(lab, ltl::model(lab, "abp", 2, 1_000_000, true)),
    judge: ltl::judge,
};
